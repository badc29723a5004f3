/* SPDX-License-Identifier: MIT */
/* hostfile.h: files of the host's linker. */
#ifndef ISOMAT_INSPECT_HOSTFILE_H
#define ISOMAT_INSPECT_HOSTFILE_H

#include "report.h"

/* Reads reader->whole, an ELF file of the host. */
void insp_host_elf_read(struct insp_reader *reader);

/* Reads reader->whole, an archive of the linker's. */
void insp_archive_read(struct insp_reader *reader);

#endif /* ISOMAT_INSPECT_HOSTFILE_H */
