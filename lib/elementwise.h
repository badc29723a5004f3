/* SPDX-License-Identifier: MIT */
/* elementwise.h: kernels that take a matrix element by element. */
#ifndef ISOMAT_ELEMENTWISE_H
#define ISOMAT_ELEMENTWISE_H

#include "matrix.h"

/* Submits matrix = value * matrix; the context is current. */
int32_t im_scale_launch(struct im_matrix *matrix, double value, struct im_stream *stream);

/* Submits to = from, converted where their types differ; they have one size and do
 * not overlap; the context is current. */
int32_t im_copy_launch(struct im_matrix *to, const struct im_matrix *from, struct im_stream *stream);

#endif /* ISOMAT_ELEMENTWISE_H */
