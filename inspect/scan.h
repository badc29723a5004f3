/* SPDX-License-Identifier: MIT */
/* scan.h: finds GPU code in a range of bytes. */
#ifndef ISOMAT_INSPECT_SCAN_H
#define ISOMAT_INSPECT_SCAN_H

#include "report.h"

/* Reads the containers of a section that is made of them.  Damage is noted. */
void insp_scan_fatbins(struct insp_reader *reader, uint64_t offset, uint64_t size, const char *place);

/* Looks for containers, bare cubins and PTX among other bytes.  What only looks like one is passed over. */
void insp_scan_bytes(struct insp_reader *reader, uint64_t offset, uint64_t size, const char *place);

#endif /* ISOMAT_INSPECT_SCAN_H */
