/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_f32_strict_sm90.cuh.
 * Only for sm_90a: -gencode=arch=compute_90a,code=sm_90a
 */
#include "gemm_f32_strict_sm90.cuh"

extern "C" __global__ void __launch_bounds__(ISOMAT_GEMM_F32_STRICT_SM90_THREADS, 1)
    isomat_gemm_f32_strict_sm90(const __grid_constant__ isomat_gemm_f32_strict_sm90_args args)
{
    extern __shared__ __align__(128) char slabs[];
    isomat::strict_sm90::gemm<false>(args, slabs, blockIdx.x, gridDim.x, threadIdx.x);
}

/* For products whose sums are finished (isomat_finish of abi.h). */
extern "C" __global__ void __launch_bounds__(ISOMAT_GEMM_F32_STRICT_SM90_THREADS, 1)
    isomat_gemm_f32_strict_sm90_finish(const __grid_constant__ isomat_gemm_f32_strict_sm90_args args)
{
    extern __shared__ __align__(128) char slabs[];
    isomat::strict_sm90::gemm<true>(args, slabs, blockIdx.x, gridDim.x, threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(ISOMAT_TRANSPOSE_THREADS)
    isomat_transpose_f32(const __grid_constant__ isomat_transpose_args args)
{
    __shared__ __align__(16) float tile[ISOMAT_TRANSPOSE_TILE * ISOMAT_TRANSPOSE_TILE];
    isomat::strict_sm90::transpose(args, tile, blockIdx.x, threadIdx.x);
}
