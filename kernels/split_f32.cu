/* SPDX-License-Identifier: MIT */
/*
 * Entry point of split_f32.cuh. For sm_90 and later.
 */
#include "split_f32.cuh"

extern "C" __global__ void __cluster_dims__(ISOMAT_SPLIT_CLUSTER, 1, 1)
    __launch_bounds__(ISOMAT_SPLIT_THREADS, 3)
        isomat_split_f32(const __grid_constant__ isomat_split_args args)
{
    extern __shared__ float4 copies[];
    isomat::split_f32(args, copies, isomat::ptx::dynamic_smem_size(), blockIdx.x, threadIdx.x);
}
