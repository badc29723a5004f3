/* SPDX-License-Identifier: MIT */
/* gemm_strict.h: large float32 multiplication on Hopper's CUDA cores. */
#ifndef ISOMAT_GEMM_STRICT_H
#define ISOMAT_GEMM_STRICT_H

#include "product.h"

/* Whether a context's device, its driver and this build can do it. */
bool im_gemm_strict_possible(const struct im_context *context);

/* Submits a product; operands that lie across the kernel's way are transposed first.  The context is
 * current.  Takes work memory that the context keeps; if there is none, OUT_OF_DEVICE_MEMORY and
 * *submitted is false: nothing has touched C. */
int32_t im_gemm_strict_launch(const struct im_product *product, struct im_stream *stream, bool *submitted);

#endif /* ISOMAT_GEMM_STRICT_H */
