/* SPDX-License-Identifier: MIT */
/* detect.h: what kind of file some bytes are. */
#ifndef ISOMAT_INSPECT_DETECT_H
#define ISOMAT_INSPECT_DETECT_H

#include "report.h"

/* Whether the bytes are worth a look when a folder is gone through. */
bool insp_is_candidate(struct insp_span head, const char *path);

/* Reads reader->whole, the file itself or a member of it.  member is NULL for the file itself, and
 * offset is where the member begins. */
void insp_read_bytes(struct insp_reader *reader, const char *member, uint64_t offset);

#endif /* ISOMAT_INSPECT_DETECT_H */
