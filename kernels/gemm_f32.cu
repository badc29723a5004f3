/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_simt.cuh: isomat_gemm_f32_<layout>_<bm>x<bn>x<bk>,
 * one for each row of ISOMAT_GEMM_F32_KERNELS (gemm_tiles.h).
 */
#include "gemm_simt.cuh"

/* The list's `blocks` are those of sm_80, sm_90 and sm_100. Other SMs have less
 * shared memory and hold about half as many, so registers may go further. */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
#define BLOCKS(blocks) (blocks)
#else
#define BLOCKS(blocks) (((blocks) + 1) / 2)
#endif

#define ENTRY(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                                   \
    extern "C" __global__ void __launch_bounds__(threads, BLOCKS(blocks))                                    \
        isomat_gemm_f32_##layout##_##bm##x##bn##x##bk(const __grid_constant__ isomat_gemm_args args)         \
    {                                                                                                        \
        extern __shared__ float4 slabs[];                                                                    \
        using Tile = isomat::Tile<ta, tb, bm, bn, bk, wm, wn, stages, threads>;                              \
        isomat::gemm_simt<Tile>(args, slabs, blockIdx.x, threadIdx.x);                                       \
    }

ISOMAT_GEMM_F32_KERNELS(ENTRY)
