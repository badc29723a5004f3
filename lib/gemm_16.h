/* SPDX-License-Identifier: MIT */
/* gemm_16.h: multiplication of 16-bit numbers on Hopper's tensor cores, for F16, BF16 and TF32. */
#ifndef ISOMAT_GEMM_16_H
#define ISOMAT_GEMM_16_H

#include "product.h"

/* Whether a context's device, its driver and this build can do it. */
bool im_gemm_16_possible(const struct im_context *context);

/* Submits a product by a kernel of im_select_16; the context is current.  TF32 goes through split
 * forms.  If there is no room for work memory, OUT_OF_DEVICE_MEMORY and *submitted is false:
 * nothing has touched C. */
int32_t im_gemm_16_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream,
                          bool *submitted);

/* Keeps a copy of a matrix whose rows tensor copies do not take; nothing for one that they take. */
int32_t im_gemm_16_prepare(const struct im_matrix *matrix, struct im_stream *stream);

#endif /* ISOMAT_GEMM_16_H */
