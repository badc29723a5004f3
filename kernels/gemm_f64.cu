/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_f64.cuh: isomat_gemm_f64_<layout>_<bm>x<bn>x<bk>, one for
 * each row of ISOMAT_GEMM_F64_KERNELS (f64_tiles.h); and of gemm_reduce.cuh:
 * isomat_gemm_f64_reduce.
 */
#include "gemm_f64.cuh"
#include "gemm_reduce.cuh"

/* Registers for the blocks of the list, where shared memory holds so many. */
#if ISOMAT_HAS_MMA_F64
#define BLOCKS(blocks) (blocks)
#else
#define BLOCKS(blocks) 1
#endif

#define ENTRY(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                                   \
    extern "C" __global__ void __launch_bounds__(threads, BLOCKS(blocks))                                    \
        isomat_gemm_f64_##layout##_##bm##x##bn##x##bk(const __grid_constant__ isomat_gemm_f64_args args)     \
    {                                                                                                        \
        extern __shared__ float4 slabs[];                                                                    \
        using Tile = isomat::dgemm::Tile<ta, tb, bm, bn, bk, wm, wn, stages, threads>;                       \
        static_assert(stages * sizeof(Tile::Slab) == ISOMAT_GEMM_F64_SHARED_BYTES(bm, bn, bk, stages),       \
                      "the host asks for the shared memory that the kernel uses");                           \
        isomat::dgemm::gemm<Tile>(args, slabs, blockIdx.x, threadIdx.x);                                     \
    }

ISOMAT_GEMM_F64_KERNELS(ENTRY)

extern "C" __global__ void __launch_bounds__(ISOMAT_REDUCE_THREADS)
    isomat_gemm_f64_reduce(const __grid_constant__ isomat_reduce_f64_args args)
{
    isomat::gemm_reduce<double>(args, blockIdx.x * ISOMAT_REDUCE_THREADS + threadIdx.x);
}
