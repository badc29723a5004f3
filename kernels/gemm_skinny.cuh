/* SPDX-License-Identifier: MIT */
/*
 * Z = alpha * X * Y + beta * Z in float32, where Y and Z are thin (s <= 8).
 *
 * Operands  X is r x k and large; Y is k x s, Z is r x s, any strides. See
 *           isomat_skinny_args (abi.h) for how m <= 8 and n <= 8 become this.
 * Numbers   fma throughout. k is dealt to lanes in a fixed way and the lanes'
 *           sums are added in a fixed order: equal inputs give equal bits. It may
 *           be cut into parts of whole chunks, see abi.h.
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
#include "finish.cuh"
#include "gemm_tiles.h"
#include "ptx.cuh"
#include "tile.cuh"

namespace isomat
{

/* Y's chunk of CHUNK x S on its way from global to shared memory. Consecutive
 * threads read along whichever side of Y is contiguous. */
template <int CHUNK, int S, int THREADS> struct ThinChunk {
    static constexpr int COUNT = ceil_div(CHUNK * S, THREADS);
    float held[COUNT];

    template <bool K_CONTIGUOUS>
    __device__ __forceinline__ static bool place(int n, int thread, int &k, int &s)
    {
        const int at = n * THREADS + thread;
        k = K_CONTIGUOUS ? at % CHUNK : at / S;
        s = K_CONTIGUOUS ? at / CHUNK : at % S;
        return at < CHUNK * S;
    }

    template <bool K_CONTIGUOUS>
    __device__ __forceinline__ void fetch_along(const isomat_skinny_args &g, int k0, int thread)
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            int k, s;
            const bool mine = place<K_CONTIGUOUS>(n, thread, k, s);
            const bool exists = mine && k < g.k - k0 && s < g.s;
            const int64_t p = int64_t{k0} + k;
            held[n] = exists ? device_pointer(g.y)[p * g.y_k + s * g.y_s] : 0.f;
        }
    }

    template <bool K_CONTIGUOUS>
    __device__ __forceinline__ void land_along(float *y, int stride_k, int stride_s, int thread) const
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            int k, s;
            if (place<K_CONTIGUOUS>(n, thread, k, s))
                y[k * stride_k + s * stride_s] = held[n];
        }
    }

    __device__ __forceinline__ void fetch(const isomat_skinny_args &g, int k0, int thread)
    {
        if (g.y_k == 1)
            fetch_along<true>(g, k0, thread);
        else
            fetch_along<false>(g, k0, thread);
    }

    /* y[k * stride_k + s * stride_s] */
    __device__ __forceinline__ void land(const isomat_skinny_args &g, float *y, int stride_k, int stride_s,
                                         int thread) const
    {
        if (g.y_k == 1)
            land_along<true>(y, stride_k, stride_s, thread);
        else
            land_along<false>(y, stride_k, stride_s, thread);
    }
};

/* Which part of k a block takes. */
template <int R_PER_BLOCK> __device__ __forceinline__ int thin_part(const isomat_skinny_args &g, int block)
{
    return block / ceil_div(g.r, R_PER_BLOCK);
}

/* The part of k from first to last, in whole chunks but for the end of k. */
struct ThinStretch {
    int first, last;
};

template <int CHUNK>
__device__ __forceinline__ ThinStretch thin_stretch(const isomat_skinny_args &g, int part)
{
    const int parts = max(g.parts, 1);
    const int chunks = ceil_div(g.k, CHUNK), each = chunks / parts, more = chunks % parts;
    const int first = part * each + min(part, more), last = first + each + (part < more ? 1 : 0);
    return {first * CHUNK, last == chunks ? g.k : last * CHUNK};
}

/* One of a block's R_PER_BLOCK * S results. The block's number is read anew: a register less
 * in the loop. */
template <int S, int R_PER_BLOCK>
__device__ __forceinline__ void store_thin(const isomat_skinny_args &g, int thread, float sum)
{
    const int block = block_index(), part = thin_part<R_PER_BLOCK>(g, block);
    const int64_t r = int64_t{block - part * ceil_div(g.r, R_PER_BLOCK)} * R_PER_BLOCK + thread / S;
    const int s = thread % S;
    if (r < g.r && s < g.s) {
        if (g.finish.c) {
            const int r_int = static_cast<int>(r);
            finish_apart(&g.finish, Sums<float, 1>{{g.alpha * sum}}, g.transposed ? s : r_int,
                         g.transposed ? r_int : s, 1, finish_beta<float>(g.finish));
            return;
        }
        float *z = device_pointer(g.z) + part * g.z_part + r * g.z_r + s * g.z_s;
        *z = g.beta != 0.f ? fmaf(g.beta, *z, g.alpha * sum) : g.alpha * sum;
    }
}

/* 4 of k from each of RW rows, of which `rows` exist. */
template <bool BY_VECTOR, int RW>
__device__ __forceinline__ void read_rows(float4 (&v)[RW], const float *x, int64_t ldx, int64_t rows,
                                          int left)
{
#pragma unroll
    for (int i = 0; i < RW; i++)
        v[i] = read_up_to_4(x + i * ldx, i < rows ? left : 0, BY_VECTOR);
}

/* 4 of r, of which `count` exist, from every LANES_K-th of k. */
template <int LANES_K, bool BY_VECTOR, int DEPTH>
__device__ __forceinline__ void read_deep(float4 (&v)[DEPTH], const float *x, int64_t ldx, int left,
                                          int count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++)
        v[d] = read_up_to_4(x + d * LANES_K * ldx, d * LANES_K < left ? count : 0, BY_VECTOR);
}

template <int S, int R_PER_BLOCK, int CHUNK, int THREADS>
__device__ __forceinline__ void gemm_rows(const isomat_skinny_args &g, int block, int thread)
{
    constexpr int RW = S > 4 ? 2 : 4; /* rows a warp reads together: Y is reused so often */
    constexpr int WARPS_R = R_PER_BLOCK / RW;
    constexpr int WARPS_K = THREADS / WARP / WARPS_R;
    constexpr int WARP_K = WARP * VECTOR;
    constexpr int STRIDE = CHUNK + VECTOR; /* spreads the writes over the banks */
    static_assert(WARPS_R * WARPS_K * WARP == THREADS, "each warp has rows and a part of k");
    static_assert(CHUNK == WARPS_K * WARP_K, "the warps of a row share a chunk");

    __shared__ __align__(16) float y[2][S * STRIDE];
    __shared__ float partial[WARPS_K][R_PER_BLOCK * S];

    const int warp = thread / WARP, lane = thread % WARP;
    const int warp_r = warp / WARPS_K, warp_k = warp % WARPS_K;
    const int k_lane = warp_k * WARP_K + lane * VECTOR;
    const int part = thin_part<R_PER_BLOCK>(g, block);
    const ThinStretch stretch = thin_stretch<CHUNK>(g, part);
    const int64_t r0 = int64_t{block - part * ceil_div(g.r, R_PER_BLOCK)} * R_PER_BLOCK;
    const float *x = device_pointer(g.x) + (r0 + warp_r * RW) * g.ldx + k_lane;
    const int64_t rows = g.r - r0 - warp_r * RW;
    const bool vector = g.flags & ISOMAT_VECTOR_A;

    float sum[RW][S] = {};
    float4 coming[RW];
    ThinChunk<CHUNK, S, THREADS> thin;

    const auto fetch = [&](int k0) {
        thin.fetch(g, k0, thread);
        if (vector)
            read_rows<true>(coming, x + k0, g.ldx, rows, g.k - k0 - k_lane);
        else
            read_rows<false>(coming, x + k0, g.ldx, rows, g.k - k0 - k_lane);
    };

    fetch(stretch.first);
    int buffer = 0;
#pragma unroll 1
    for (int k0 = stretch.first; k0 < stretch.last; k0 += CHUNK, buffer ^= 1) {
        float4 now[RW];
#pragma unroll
        for (int i = 0; i < RW; i++)
            now[i] = coming[i];
        thin.land(g, y[buffer], 1, STRIDE, thread);
        __syncthreads();
        if (CHUNK < stretch.last - k0)
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
        store_thin<S, R_PER_BLOCK>(g, thread, total);
    }
}

template <int S, int R_PER_BLOCK, int CHUNK, int THREADS>
__device__ __forceinline__ void gemm_cols(const isomat_skinny_args &g, int block, int thread)
{
    constexpr int LANES_R = R_PER_BLOCK / VECTOR;
    constexpr int LANES_K = THREADS / LANES_R;
    constexpr int DEPTH = 4; /* reads in flight for each lane */
    constexpr int WARPS = THREADS / WARP;
    static_assert(LANES_R < WARP && WARP % LANES_R == 0, "a warp holds several k of each column");
    static_assert(CHUNK == LANES_K * DEPTH, "the lanes of a column share a chunk");

    __shared__ __align__(16) float y[2][CHUNK * S];
    __shared__ float partial[WARPS][R_PER_BLOCK * S];

    const int warp = thread / WARP, lane = thread % WARP;
    const int r_lane = thread % LANES_R * VECTOR, k_lane = thread / LANES_R;
    const int part = thin_part<R_PER_BLOCK>(g, block);
    const ThinStretch stretch = thin_stretch<CHUNK>(g, part);
    const int64_t r0 = int64_t{block - part * ceil_div(g.r, R_PER_BLOCK)} * R_PER_BLOCK;
    const float *x = device_pointer(g.x) + k_lane * g.ldx + r0 + r_lane;
    const int64_t left = g.r - r0 - r_lane;
    const int count = left < VECTOR ? static_cast<int>(left) : VECTOR;
    const bool vector = g.flags & ISOMAT_VECTOR_A;

    float sum[VECTOR][S] = {};
    float4 coming[DEPTH];
    ThinChunk<CHUNK, S, THREADS> thin;

    const auto fetch = [&](int k0) {
        thin.fetch(g, k0, thread);
        if (vector)
            read_deep<LANES_K, true>(coming, x + k0 * g.ldx, g.ldx, g.k - k0 - k_lane, count);
        else
            read_deep<LANES_K, false>(coming, x + k0 * g.ldx, g.ldx, g.k - k0 - k_lane, count);
    };

    fetch(stretch.first);
    int buffer = 0;
#pragma unroll 1
    for (int k0 = stretch.first; k0 < stretch.last; k0 += CHUNK, buffer ^= 1) {
        float4 now[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            now[d] = coming[d];
        thin.land(g, y[buffer], S, 1, thread);
        __syncthreads();
        if (CHUNK < stretch.last - k0)
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
        store_thin<S, R_PER_BLOCK>(g, thread, total);
    }
}

} // namespace isomat

#endif
