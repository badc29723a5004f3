/* SPDX-License-Identifier: MIT */
/* cubin.h: machine code for one architecture. */
#ifndef ISOMAT_INSPECT_CUBIN_H
#define ISOMAT_INSPECT_CUBIN_H

#include "report.h"

/* Completes the newest image and adds its kernels.  Returns NULL, or what is wrong. */
const char *insp_cubin_read(struct insp_reader *reader, struct insp_image *image, struct insp_span file);

#endif /* ISOMAT_INSPECT_CUBIN_H */
