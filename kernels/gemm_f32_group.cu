/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_group.cuh: isomat_gemm_f32_group_<layout>_<bm>x<bn>x<bk>, one
 * for each row of ISOMAT_GROUP_F32_KERNELS, and isomat_gemm_f32_tiny_<layout>_<size>,
 * one for each of ISOMAT_TINY_F32_KERNELS (gemm_tiles.h).
 */
#include "gemm_group.cuh"

#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
#define BLOCKS(blocks) (blocks)
#else
#define BLOCKS(blocks) (((blocks) + 1) / 2)
#endif

#define GROUP_ENTRY(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                             \
    extern "C" __global__ void __launch_bounds__(threads, BLOCKS(blocks))                                    \
        isomat_gemm_f32_group_##layout##_##bm##x##bn##x##bk(const __grid_constant__ isomat_group_args args)  \
    {                                                                                                        \
        extern __shared__ float4 slabs[];                                                                    \
        using Tile = isomat::Tile<ta, tb, bm, bn, bk, wm, wn, stages, threads>;                              \
        isomat::group::grouped<Tile>(args, slabs, blockIdx.x, threadIdx.x);                                  \
    }

#define TINY_ENTRY(layout, ta, tb, size)                                                                     \
    extern "C" __global__ void __launch_bounds__(ISOMAT_TINY_WARPS *isomat::WARP)                            \
        isomat_gemm_f32_tiny_##layout##_##size(const __grid_constant__ isomat_group_args args)               \
    {                                                                                                        \
        __shared__ isomat::group::TinyShared<size> shared[ISOMAT_TINY_WARPS];                                \
        const int warp = threadIdx.x / isomat::WARP;                                                         \
        const int64_t product = int64_t{blockIdx.x} * ISOMAT_TINY_WARPS + warp;                              \
        if (product < args.count)                                                                            \
            isomat::group::tiny<size, ta, tb>(args, shared[warp], product, threadIdx.x % isomat::WARP);      \
    }

ISOMAT_GROUP_F32_KERNELS(GROUP_ENTRY)
ISOMAT_TINY_F32_KERNELS(TINY_ENTRY)
