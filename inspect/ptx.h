/* SPDX-License-Identifier: MIT */
/* ptx.h: the text that the driver compiles. */
#ifndef ISOMAT_INSPECT_PTX_H
#define ISOMAT_INSPECT_PTX_H

#include "report.h"

/* Whether the text begins as PTX does: comments, then .version. */
bool insp_ptx_is(struct insp_span text);

/* Completes the newest image and adds its entries.  Returns NULL, or what is wrong. */
const char *insp_ptx_read(struct insp_reader *reader, struct insp_image *image, struct insp_span text);

#endif /* ISOMAT_INSPECT_PTX_H */
