/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_mma.cuh: isomat_gemm_bf16_<layout>_<bm>x<bn>x<bk>, one for
 * each row of ISOMAT_GEMM_BF16_KERNELS (mma_tiles.h).
 */
#include "gemm_mma.cuh"

#define ENTRY(...) ISOMAT_GEMM_MMA_ENTRY(BF16, __VA_ARGS__)
ISOMAT_GEMM_BF16_KERNELS(ENTRY)
