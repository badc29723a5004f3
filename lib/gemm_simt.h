/* SPDX-License-Identifier: MIT */
/* gemm_simt.h: multiplication on CUDA cores. */
#ifndef ISOMAT_GEMM_SIMT_H
#define ISOMAT_GEMM_SIMT_H

#include "kernels/abi.h"
#include "launch.h"
#include "product.h"

/* What a tiled kernel is to be told. */
struct isomat_gemm_args im_gemm_simt_arguments(const struct im_product *product);

/* Submits a kernel of the tiled or of the skinny family, over k in parts where that is faster and
 * there is room for them; the context is current. */
int32_t im_gemm_simt_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream);

/* The same in so many parts, at most ISOMAT_PARTS_MAX; without room for them, in one. */
int32_t im_gemm_simt_launch_in(const struct im_product *product, enum im_kernel_id id, int32_t parts,
                               struct im_stream *stream);

/* Where the parts of k go; parts is 1 where there are none. */
struct im_cut {
    int32_t parts;
    CUdeviceptr work;
    int64_t ld, part; /* elements of a row and of a part */
};

/* Submits a kernel for a product, or for all its parts. */
typedef int32_t im_cut_launch(const struct im_product *product, enum im_kernel_id id,
                              const struct im_cut *cut, struct im_stream *stream);

/* Submits a product in so many parts and their sum, of float32 or of float64; without room for them,
 * in one. */
int32_t im_gemm_launch_cut(const struct im_product *product, enum im_kernel_id id, int32_t parts,
                           im_cut_launch *launch_cut, struct im_stream *stream);

/* Writes what a product's epilogue makes of sums of 0, where there is nothing to multiply. */
int32_t im_gemm_launch_no_parts(const struct im_product *product, struct im_stream *stream);

#endif /* ISOMAT_GEMM_SIMT_H */
