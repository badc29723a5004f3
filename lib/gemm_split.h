/* SPDX-License-Identifier: MIT */
/* gemm_split.h: float32 multiplication by split products on Hopper's tensor cores. */
#ifndef ISOMAT_GEMM_SPLIT_H
#define ISOMAT_GEMM_SPLIT_H

#include "product.h"

/* Whether a context's device, its driver and this build can do it. */
bool im_gemm_split_possible(const struct im_context *context);

/* Submits a product through split forms of its operands; on the device it goes the exact way where
 * they cannot hold the operands.  The context is current.  Takes work memory that the context
 * keeps; if there is none, OUT_OF_DEVICE_MEMORY and *submitted is false: nothing has touched C. */
int32_t im_gemm_split_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream,
                             bool *submitted);

#endif /* ISOMAT_GEMM_SPLIT_H */
