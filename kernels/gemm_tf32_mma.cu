/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_mma.cuh: isomat_gemm_tf32_<layout>_<bm>x<bn>x<bk>, one for
 * each row of ISOMAT_GEMM_TF32_KERNELS (mma_tiles.h).
 */
#include "gemm_mma.cuh"

#define ENTRY(...) ISOMAT_GEMM_MMA_ENTRY(TF32, __VA_ARGS__)
ISOMAT_GEMM_TF32_KERNELS(ENTRY)
