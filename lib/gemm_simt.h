/* SPDX-License-Identifier: MIT */
/* gemm_simt.h: multiplication on CUDA cores. */
#ifndef ISOMAT_GEMM_SIMT_H
#define ISOMAT_GEMM_SIMT_H

#include "kernels/abi.h"
#include "launch.h"
#include "product.h"

/* What a tiled kernel is to be told. */
struct isomat_gemm_args im_gemm_simt_arguments(const struct im_product *product);

/* Submits a kernel of the tiled or of the skinny family; the context is current. */
int32_t im_gemm_simt_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream);

#endif /* ISOMAT_GEMM_SIMT_H */
