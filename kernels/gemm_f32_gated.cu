/* SPDX-License-Identifier: MIT */
/*
 * Entry points of gemm_simt.cuh behind a gate: isomat_gemm_f32_gated_<layout>,
 * the exact way for what gemm_f32_sm90.cu left alone. Only Hopper has that.
 */
#include "gemm_simt.cuh"
#include "ptx_sm90.cuh"

#define ENTRY(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                                   \
    extern "C" __global__ void __launch_bounds__(threads, blocks)                                            \
        isomat_gemm_f32_gated_##layout(const __grid_constant__ isomat_gated_gemm_args args)                  \
    {                                                                                                        \
        extern __shared__ float4 slabs[];                                                                    \
        using Tile = isomat::Tile<ta, tb, bm, bn, bk, wm, wn, stages, threads>;                              \
        isomat::ptx::griddepcontrol_wait(); /* for the kernel that writes the gate */                        \
        if (*reinterpret_cast<const uint32_t *>(args.gate) == 0)                                             \
            return;                                                                                          \
        const int64_t tiles = ISOMAT_GEMM_GRID(args.gemm.m, args.gemm.n, bm, bn);                            \
        for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {                                   \
            isomat::gemm_simt<Tile>(args.gemm, slabs, static_cast<int>(tile), threadIdx.x);                  \
            __syncthreads(); /* the slabs are free again */                                                  \
        }                                                                                                    \
    }

ISOMAT_GEMM_F32_GATED_KERNELS(ENTRY)
