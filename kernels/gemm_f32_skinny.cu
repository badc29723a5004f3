/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_skinny.cuh and gemm_tall.cuh: isomat_gemm_f32_<form>_<s>, one for
 * each row of ISOMAT_SKINNY_F32_KERNELS and ISOMAT_TALL_F32_KERNELS (gemm_tiles.h, tall_tiles.h).
 */
#include "gemm_skinny.cuh"
#include "gemm_tall.cuh"

#define ENTRY(form, s, r_per_block, chunk, threads, blocks)                                                  \
    extern "C" __global__ void __launch_bounds__(threads, blocks)                                            \
        isomat_gemm_f32_##form##_##s(const __grid_constant__ isomat_skinny_args args)                        \
    {                                                                                                        \
        isomat::gemm_##form<s, r_per_block, chunk, threads>(args, blockIdx.x, threadIdx.x);                  \
    }

ISOMAT_SKINNY_F32_KERNELS(ENTRY)
ISOMAT_TALL_F32_KERNELS(ENTRY)
