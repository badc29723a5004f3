/* SPDX-License-Identifier: MIT */
/* sass.h: facts from machine code of sm_70 and later, 16 bytes an instruction. */
#ifndef ISOMAT_INSPECT_SASS_H
#define ISOMAT_INSPECT_SASS_H

#include "report.h"

/* Counts what a kernel's instructions do. */
void insp_sass_read(struct insp_code *code, struct insp_span text);

/* Adds the bytes that the spill instruction at offset stores or loads. */
void insp_sass_spill(struct insp_kernel *kernel, struct insp_span text, uint32_t offset);

#endif /* ISOMAT_INSPECT_SASS_H */
