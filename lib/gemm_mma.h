/* SPDX-License-Identifier: MIT */
/* gemm_mma.h: multiplication on tensor cores by mma.sync, compute capability 8.0 and up. */
#ifndef ISOMAT_GEMM_MMA_H
#define ISOMAT_GEMM_MMA_H

#include "context.h"
#include "product.h"

/* Submits the product with a kernel of im_select_mma; the context is current.  The
 * operands have the type of the kernel's mode, C any (float32 for f32x3). */
int32_t im_gemm_mma_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream);

#endif /* ISOMAT_GEMM_MMA_H */
