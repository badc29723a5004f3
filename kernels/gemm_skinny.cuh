/* SPDX-License-Identifier: MIT */
/*
 * Z = alpha * X * Y + beta * Z in float32, where Y and Z are thin (s <= 8).
 *
 * Operands  X is r x k and large; Y is k x s, Z is r x s, any strides. See
 *           isomat_skinny_args (abi.h) for how m <= 8 and n <= 8 become this.
 * Numbers   fma throughout. k is dealt to lanes in a fixed way and the lanes'
 *           sums are added in a fixed order: equal inputs give equal bits.
 * Limit     memory: X is read once, 16 bytes a lane where ISOMAT_VECTOR_A says
 *           so; the next chunk is on its way while one is multiplied.
 *
 * rows      X has k contiguous. A warp reads 128 of k from each of RW rows:
 *
 *               k ->  lane 0 lane 1 ..  lane 31
 *             row 0   xxxx   xxxx   ..  xxxx       WARPS_R warps share the
 *             row 1   xxxx   xxxx   ..  xxxx       block's rows, WARPS_K a
 *             ..                                   chunk's k
 *
 * cols      X has r contiguous. A block owns R_PER_BLOCK of r, 4 a lane; the
 *           block's lanes that hold the same r take the k's in turn.
 *
 * shared    Y's chunk, twice (one is read while the next is written), and the
 *           partial sums at the end; static.
 */
#ifndef ISOMAT_KERNELS_GEMM_SKINNY_CUH
#define ISOMAT_KERNELS_GEMM_SKINNY_CUH

#include "abi.h"
#include "gemm_tiles.h"
#include "tile.cuh"

namespace isomat
{

/* Y's chunk of CHUNK x S on its way from global to shared memory. Consecutive
 * threads read along whichever side of Y is contiguous. */
template <int CHUNK, int S, int THREADS> struct ThinChunk {
    static constexpr int COUNT = ceil_div(CHUNK * S, THREADS);
    float held[COUNT];

    __device__ __forceinline__ static bool place(const isomat_skinny_args &g, int n, int thread, int &k,
                                                 int &s)
    {
        const int at = n * THREADS + thread;
        const bool k_contiguous = g.y_k == 1;
        k = k_contiguous ? at % CHUNK : at / S;
        s = k_contiguous ? at / CHUNK : at % S;
        return at < CHUNK * S;
    }

    __device__ __forceinline__ void fetch(const isomat_skinny_args &g, int k0, int thread)
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            int k, s;
            const bool mine = place(g, n, thread, k, s);
            const bool exists = mine && k < g.k - k0 && s < g.s;
            const int64_t p = int64_t{k0} + k;
            held[n] = exists ? device_pointer(g.y)[p * g.y_k + s * g.y_s] : 0.f;
        }
    }

    /* y[k * stride_k + s * stride_s] */
    __device__ __forceinline__ void land(const isomat_skinny_args &g, float *y, int stride_k, int stride_s,
                                         int thread) const
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            int k, s;
            if (place(g, n, thread, k, s))
                y[k * stride_k + s * stride_s] = held[n];
        }
    }
};

__device__ __forceinline__ void store_thin(const isomat_skinny_args &g, int64_t r, int s, float sum)
{
    if (r < g.r && s < g.s) {
        float *z = device_pointer(g.z) + r * g.z_r + s * g.z_s;
        *z = g.beta != 0.f ? fmaf(g.beta, *z, g.alpha * sum) : g.alpha * sum;
    }
}

template <int S, int R_PER_BLOCK, int THREADS>
__device__ __forceinline__ void gemm_rows(const isomat_skinny_args &g, int block, int thread)
{
    constexpr int RW = S > 4 ? 2 : 4; /* rows a warp reads together: Y is reused so often */
    constexpr int WARPS_R = R_PER_BLOCK / RW;
    constexpr int WARPS_K = THREADS / WARP / WARPS_R;
    constexpr int WARP_K = WARP * VECTOR;
    constexpr int CHUNK = WARPS_K * WARP_K;
    constexpr int STRIDE = CHUNK + VECTOR; /* spreads the writes over the banks */
    static_assert(WARPS_R * WARPS_K * WARP == THREADS, "each warp has rows and a part of k");

    __shared__ __align__(16) float y[2][S * STRIDE];
    __shared__ float partial[WARPS_K][R_PER_BLOCK * S];

    const int warp = thread / WARP, lane = thread % WARP;
    const int warp_r = warp / WARPS_K, warp_k = warp % WARPS_K;
    const int k_lane = warp_k * WARP_K + lane * VECTOR;
    const int64_t r0 = int64_t{block} * R_PER_BLOCK;
    const float *x = device_pointer(g.x) + (r0 + warp_r * RW) * g.ldx + k_lane;
    const int64_t rows = g.r - r0 - warp_r * RW;
    const bool vector = g.flags & ISOMAT_VECTOR_A;

    float sum[RW][S] = {};
    float4 coming[RW];
    ThinChunk<CHUNK, S, THREADS> thin;

    const auto fetch = [&](int k0) {
        thin.fetch(g, k0, thread);
#pragma unroll
        for (int i = 0; i < RW; i++)
            coming[i] = read_up_to_4(x + i * g.ldx + k0, i < rows ? g.k - k0 - k_lane : 0, vector);
    };

    fetch(0);
    int buffer = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < g.k; k0 += CHUNK, buffer ^= 1) {
        float4 now[RW];
#pragma unroll
        for (int i = 0; i < RW; i++)
            now[i] = coming[i];
        thin.land(g, y[buffer], 1, STRIDE, thread);
        __syncthreads();
        if (k0 + CHUNK < g.k)
            fetch(k0 + CHUNK);
#pragma unroll
        for (int s = 0; s < S; s++) {
            const float4 v = read_vector(&y[buffer][s * STRIDE + k_lane]);
#pragma unroll
            for (int i = 0; i < RW; i++) {
                sum[i][s] = fmaf(now[i].x, v.x, sum[i][s]);
                sum[i][s] = fmaf(now[i].y, v.y, sum[i][s]);
                sum[i][s] = fmaf(now[i].z, v.z, sum[i][s]);
                sum[i][s] = fmaf(now[i].w, v.w, sum[i][s]);
            }
        }
    }

#pragma unroll
    for (int i = 0; i < RW; i++)
#pragma unroll
        for (int s = 0; s < S; s++) {
#pragma unroll
            for (int apart = WARP / 2; apart > 0; apart /= 2)
                sum[i][s] += __shfl_xor_sync(~0u, sum[i][s], apart);
            if (lane == 0)
                partial[warp_k][(warp_r * RW + i) * S + s] = sum[i][s];
        }
    __syncthreads();
    if (thread < R_PER_BLOCK * S) {
        float total = 0.f;
#pragma unroll
        for (int w = 0; w < WARPS_K; w++)
            total += partial[w][thread];
        store_thin(g, r0 + thread / S, thread % S, total);
    }
}

template <int S, int R_PER_BLOCK, int THREADS>
__device__ __forceinline__ void gemm_cols(const isomat_skinny_args &g, int block, int thread)
{
    constexpr int LANES_R = R_PER_BLOCK / VECTOR;
    constexpr int LANES_K = THREADS / LANES_R;
    constexpr int DEPTH = 4; /* reads in flight for each lane */
    constexpr int CHUNK = LANES_K * DEPTH;
    constexpr int WARPS = THREADS / WARP;
    static_assert(LANES_R < WARP && WARP % LANES_R == 0, "a warp holds several k of each column");

    __shared__ __align__(16) float y[2][CHUNK * S];
    __shared__ float partial[WARPS][R_PER_BLOCK * S];

    const int warp = thread / WARP, lane = thread % WARP;
    const int r_lane = thread % LANES_R * VECTOR, k_lane = thread / LANES_R;
    const int64_t r0 = int64_t{block} * R_PER_BLOCK;
    const float *x = device_pointer(g.x) + k_lane * g.ldx + r0 + r_lane;
    const int64_t left = g.r - r0 - r_lane;
    const int count = left < VECTOR ? static_cast<int>(left) : VECTOR;
    const bool vector = g.flags & ISOMAT_VECTOR_A;

    float sum[VECTOR][S] = {};
    float4 coming[DEPTH];
    ThinChunk<CHUNK, S, THREADS> thin;

    const auto fetch = [&](int k0) {
        thin.fetch(g, k0, thread);
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            const bool in_k = k_lane + d * LANES_K < g.k - k0;
            coming[d] = read_up_to_4(x + (int64_t{k0} + d * LANES_K) * g.ldx, in_k ? count : 0, vector);
        }
    };

    fetch(0);
    int buffer = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < g.k; k0 += CHUNK, buffer ^= 1) {
        float4 now[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            now[d] = coming[d];
        thin.land(g, y[buffer], S, 1, thread);
        __syncthreads();
        if (k0 + CHUNK < g.k)
            fetch(k0 + CHUNK);
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
#pragma unroll
            for (int s = 0; s < S; s++) {
                const float v = y[buffer][(k_lane + d * LANES_K) * S + s];
                sum[0][s] = fmaf(now[d].x, v, sum[0][s]);
                sum[1][s] = fmaf(now[d].y, v, sum[1][s]);
                sum[2][s] = fmaf(now[d].z, v, sum[2][s]);
                sum[3][s] = fmaf(now[d].w, v, sum[3][s]);
            }
    }

#pragma unroll
    for (int i = 0; i < VECTOR; i++)
#pragma unroll
        for (int s = 0; s < S; s++) {
#pragma unroll
            for (int apart = WARP / 2; apart >= LANES_R; apart /= 2)
                sum[i][s] += __shfl_xor_sync(~0u, sum[i][s], apart);
            if (lane < LANES_R)
                partial[warp][(r_lane + i) * S + s] = sum[i][s];
        }
    __syncthreads();
    if (thread < R_PER_BLOCK * S) {
        float total = 0.f;
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            total += partial[w][thread];
        store_thin(g, r0 + thread / S, thread % S, total);
    }
}

} // namespace isomat

#endif
