/* SPDX-License-Identifier: MIT */
/*
 * Z = alpha * X * Y + beta * Z in float32, where Y and Z are thin and X is tall: so many
 * rows that a thread for each fills the device, or so short a k that sharing a row among
 * threads would not pay.
 *
 * Operands  as in gemm_skinny.cuh; s <= 16.
 * Numbers   every product and sum is one fma; a sum runs over k = 0, 1, 2, ... of its
 *           part of k.
 * Limit     memory: X is read once, and the next CHUNK of k is on its way while one is
 *           multiplied.
 *
 * block     THREADS rows of Z, one a thread, CHUNK of k at a time.
 * rows      X has k contiguous. Its THREADS x CHUNK go through shared memory: neighbours
 *           in k are read by neighbouring threads, 16 bytes each where ISOMAT_VECTOR_A
 *           says so.
 * cols      X has r contiguous: neighbouring threads read neighbours.
 * shared    Y's chunk; and X's, rows padded by a vector so that threads that read their
 *           rows side by side meet no bank conflicts.
 */
#ifndef ISOMAT_KERNELS_GEMM_TALL_CUH
#define ISOMAT_KERNELS_GEMM_TALL_CUH

#include "gemm_skinny.cuh"
#include "tall_tiles.h"

namespace isomat
{

/* sum += x * Y's row p of the chunk */
template <int S> __device__ __forceinline__ void add_row(float (&sum)[S], float x, const float *y)
{
#pragma unroll
    for (int s = 0; s < S; s++)
        sum[s] = fmaf(x, y[s], sum[s]);
}

/* A thread's row of Z, or of its part of k. */
template <int S>
__device__ __forceinline__ void store_tall(const isomat_skinny_args &g, const float (&sum)[S], int part,
                                           int64_t r)
{
    if (r >= g.r)
        return;
    const int row = static_cast<int>(r);
    float *const z = device_pointer(g.z) + part * g.z_part + r * g.z_r;
    if (g.finish.c) {
#pragma unroll 1
        for (int s = 0; s < S; s++) { /* one copy of the call; a loop over registers */
            float now = 0.f;
#pragma unroll
            for (int constant = 0; constant < S; constant++)
                now = constant == s ? sum[constant] : now;
            if (s < g.s)
                finish_apart(&g.finish, Sums<float, 1>{{g.alpha * now}}, g.transposed ? s : row,
                             g.transposed ? row : s, 1, finish_beta<float>(g.finish));
        }
        return;
    }
    if constexpr (S % VECTOR == 0)
        if (g.s % VECTOR == 0 && g.z_s == 1 && reinterpret_cast<uintptr_t>(z) % 16 == 0) {
#pragma unroll
            for (int s = 0; s < S; s += VECTOR)
                if (s < g.s)
                    store_4(z + s, &sum[s], VECTOR, true, g.alpha, g.beta);
            return;
        }
#pragma unroll
    for (int s = 0; s < S; s++)
        if (s < g.s) {
            float *at = z + s * g.z_s;
            *at = g.beta != 0.f ? fmaf(g.beta, *at, g.alpha * sum[s]) : g.alpha * sum[s];
        }
}

template <int S, int R_PER_BLOCK, int CHUNK, int THREADS>
__device__ __forceinline__ void gemm_tall_rows(const isomat_skinny_args &g, int block, int thread)
{
    constexpr int QUADS = CHUNK / VECTOR, STEP = THREADS / QUADS, READS = R_PER_BLOCK / STEP;
    constexpr int STRIDE = CHUNK + VECTOR;
    static_assert(R_PER_BLOCK == THREADS && THREADS % QUADS == 0, "a thread for each row");
    __shared__ __align__(16) float x[R_PER_BLOCK * STRIDE];
    __shared__ __align__(16) float y[CHUNK * S];

    const int part = thin_part<R_PER_BLOCK>(g, block);
    const ThinStretch stretch = thin_stretch<CHUNK>(g, part);
    const int64_t r0 = int64_t{block - part * ceil_div(g.r, R_PER_BLOCK)} * R_PER_BLOCK;
    const int quad = thread % QUADS * VECTOR, line = thread / QUADS;
    const float *const from = device_pointer(g.x) + (r0 + line) * g.ldx + quad;
    const int64_t rows = g.r - r0 - line;
    const bool vector = g.flags & ISOMAT_VECTOR_A;
    float sum[S] = {};
    float4 coming[READS];
    ThinChunk<CHUNK, S, THREADS> thin;

    const auto fetch = [&](int k0) {
        thin.fetch(g, k0, thread);
#pragma unroll
        for (int i = 0; i < READS; i++)
            coming[i] =
                read_up_to_4(from + i * STEP * g.ldx + k0, i * STEP < rows ? g.k - k0 - quad : 0, vector);
    };

    fetch(stretch.first);
#pragma unroll 1
    for (int k0 = stretch.first; k0 < stretch.last; k0 += CHUNK) {
        thin.land(g, y, S, 1, thread);
#pragma unroll
        for (int i = 0; i < READS; i++)
            *reinterpret_cast<float4 *>(&x[(line + i * STEP) * STRIDE + quad]) = coming[i];
        __syncthreads();
        if (CHUNK < stretch.last - k0)
            fetch(k0 + CHUNK);
        const int depth = min(CHUNK, stretch.last - k0);
#pragma unroll 2
        for (int k = 0; k < depth; k += VECTOR) {
            const float4 v = read_vector(&x[thread * STRIDE + k]);
            add_row<S>(sum, v.x, &y[k * S]);
            add_row<S>(sum, v.y, &y[(k + 1) * S]);
            add_row<S>(sum, v.z, &y[(k + 2) * S]);
            add_row<S>(sum, v.w, &y[(k + 3) * S]);
        }
        __syncthreads();
    }
    store_tall<S>(g, sum, part, r0 + thread);
}

template <int S, int R_PER_BLOCK, int CHUNK, int THREADS>
__device__ __forceinline__ void gemm_tall_cols(const isomat_skinny_args &g, int block, int thread)
{
    constexpr int DEEP = 16; /* reads on their way */
    static_assert(R_PER_BLOCK == THREADS && CHUNK % DEEP == 0, "a thread for each row");
    __shared__ __align__(16) float y[CHUNK * S];

    const int part = thin_part<R_PER_BLOCK>(g, block);
    const ThinStretch stretch = thin_stretch<CHUNK>(g, part);
    const int64_t r = int64_t{block - part * ceil_div(g.r, R_PER_BLOCK)} * R_PER_BLOCK + thread;
    const float *const from = device_pointer(g.x) + r;
    float sum[S] = {};
    ThinChunk<CHUNK, S, THREADS> thin;

    thin.fetch(g, stretch.first, thread);
#pragma unroll 1
    for (int k0 = stretch.first; k0 < stretch.last; k0 += CHUNK) {
        thin.land(g, y, S, 1, thread);
        __syncthreads();
        if (CHUNK < stretch.last - k0)
            thin.fetch(g, k0 + CHUNK, thread);
        const int depth = r < g.r ? min(CHUNK, stretch.last - k0) : 0;
#pragma unroll 1
        for (int k = 0; k < depth; k += DEEP) {
            float v[DEEP];
#pragma unroll
            for (int d = 0; d < DEEP; d++)
                v[d] = k + d < depth ? from[(int64_t{k0} + k + d) * g.ldx] : 0.f;
#pragma unroll
            for (int d = 0; d < DEEP; d++)
                add_row<S>(sum, v[d], &y[(k + d) * S]);
        }
        __syncthreads();
    }
    store_tall<S>(g, sum, part, r);
}

} // namespace isomat

#endif
