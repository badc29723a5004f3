/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_mma.cuh: isomat_gemm_f32x3_<layout>_<bm>x<bn>x<bk>, one for
 * each row of ISOMAT_GEMM_F32X3_KERNELS (mma_tiles.h).
 */
#include "gemm_mma.cuh"

#define ENTRY(...) ISOMAT_GEMM_MMA_ENTRY(F32X3, __VA_ARGS__)
ISOMAT_GEMM_F32X3_KERNELS(ENTRY)
