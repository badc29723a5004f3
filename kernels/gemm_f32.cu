/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_simt.cuh: isomat_gemm_f32_<layout>_<bm>x<bn>x<bk>,
 * one for each row of ISOMAT_GEMM_F32_KERNELS (gemm_tiles.h); and of
 * gemm_reduce.cuh: isomat_gemm_f32_reduce.
 */
#include "gemm_reduce.cuh"
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
        isomat_gemm_f32_##layout##_##bm##x##bn##x##bk(const __grid_constant__ isomat_gemm_parts_args args)   \
    {                                                                                                        \
        extern __shared__ float4 slabs[];                                                                    \
        using Tile = isomat::Tile<ta, tb, bm, bn, bk, wm, wn, stages, threads>;                              \
        isomat::gemm_simt_parts<Tile>(args, slabs, blockIdx.x, threadIdx.x);                                 \
    }

ISOMAT_GEMM_F32_KERNELS(ENTRY)

extern "C" __global__ void __launch_bounds__(ISOMAT_REDUCE_THREADS)
    isomat_gemm_f32_reduce(const __grid_constant__ isomat_reduce_args args)
{
    isomat::gemm_reduce<float>(args, blockIdx.x * ISOMAT_REDUCE_THREADS + threadIdx.x);
}
