/* SPDX-License-Identifier: MIT */
/* elementwise.h: kernels that take a matrix element by element. */
#ifndef ISOMAT_ELEMENTWISE_H
#define ISOMAT_ELEMENTWISE_H

#include "matrix.h"

/* Submits IM_KERNEL_FILL, _SCALE or _COPY; the context is current. */
int32_t im_rectangle_launch(enum im_kernel_id id, struct im_matrix *destination,
                            const struct im_matrix *source, float value, struct im_stream *stream);

#endif /* ISOMAT_ELEMENTWISE_H */
