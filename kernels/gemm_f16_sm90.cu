/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_16_sm90.cuh for fp16: isomat_gemm_f16_sm90_<layout>_<bm>x<bn>,
 * for each layout one for each row of ISOMAT_GEMM_16_SM90_TILES (abi_sm90.h).
 * Only for sm_90a: -gencode=arch=compute_90a,code=sm_90a
 */
#include "gemm_16_sm90.cuh"

#ifndef ISOMAT_FINISHES /* gemm_f16_sm90_finish.cu defines both */
#define ISOMAT_FINISHES false
#define ISOMAT_FAMILY isomat_gemm_f16_sm90
#endif

#define ENTRY(layout, ta, tb, bm, bn, stages, cluster)                                                       \
    extern "C" __global__ void __cluster_dims__(cluster, 1, 1)                                               \
        __launch_bounds__(ISOMAT_GEMM_16_SM90_THREADS, 1) ISOMAT_ENTRY_NAME(                                 \
            ISOMAT_FAMILY, layout##_##bm##x##bn)(const __grid_constant__ isomat_gemm_16_sm90_args args)      \
    {                                                                                                        \
        extern __shared__ __align__(16) char units[];                                                        \
        using Tile = isomat::sm90::HalfTile<isomat::ptx::F16, bm, bn, stages, cluster, ta, !tb>;             \
        isomat::sm90::gemm_16_sm90<Tile, ISOMAT_FINISHES>(args, units, blockIdx.x, gridDim.x, threadIdx.x);  \
    }

#define ENTRY_NN(...) ENTRY(nn, 0, 0, __VA_ARGS__)
#define ENTRY_NT(...) ENTRY(nt, 0, 1, __VA_ARGS__)
#define ENTRY_TN(...) ENTRY(tn, 1, 0, __VA_ARGS__)
#define ENTRY_TT(...) ENTRY(tt, 1, 1, __VA_ARGS__)

ISOMAT_GEMM_16_SM90_TILES(ENTRY_NN)
ISOMAT_GEMM_16_SM90_TILES(ENTRY_NT)
ISOMAT_GEMM_16_SM90_TILES(ENTRY_TN)
ISOMAT_GEMM_16_SM90_TILES(ENTRY_TT)
