/* SPDX-License-Identifier: MIT */
/* gemm_f64.h: multiplication of float64. */
#ifndef ISOMAT_GEMM_F64_H
#define ISOMAT_GEMM_F64_H

#include "product.h"
#include "select.h"

/* Submits the product, over k in parts where that is faster and there is room for them; the context is
 * current. */
int32_t im_gemm_f64_launch(const struct im_product *product, struct im_stream *stream);

/* The same by one kernel, in so many parts; without room for them, in one. */
int32_t im_gemm_f64_launch_in(const struct im_product *product, enum im_kernel_id id, int32_t parts,
                              struct im_stream *stream);

#endif /* ISOMAT_GEMM_F64_H */
