/* SPDX-License-Identifier: MIT */
/*
 * Many products in one launch, float32 on CUDA cores: isomat_group_args of abi.h.
 *
 * grouped<T>   blocks count through the tiles of all products; each looks up its
 *              product, puts what gemm_simt.cuh takes into shared memory, and
 *              computes one tile of it. Where sizes differ it finds the product
 *              among `first_block`, 32 places at a time.
 * tiny<...>    a warp for each product with C of at most SIZE x SIZE:
 *
 *                grid      one block for each WARPS products
 *                lane      SIZE / 8 rows of C, and in each 4 columns out of every 16: 8
 *                          lanes down, 4 across
 *                shared    for each warp SIZE x SIZE of op(A) and op(B) as they are
 *                          stored; of a longer k one piece after another
 *
 * Numbers  every product and sum is one fma; a sum runs over k = 0, 1, 2, ...
 * Limit    small products are bound by memory, the larger ones as gemm_simt.cuh.
 */
#ifndef ISOMAT_KERNELS_GEMM_GROUP_CUH
#define ISOMAT_KERNELS_GEMM_GROUP_CUH

#include "abi.h"
#include "gemm_simt.cuh"
#include "gemm_tiles.h"
#include "tile.cuh"

namespace isomat
{
namespace group
{

__device__ __forceinline__ const isomat_group_entry *entries(const isomat_group_args &g)
{
    return reinterpret_cast<const isomat_group_entry *>(g.table);
}

/* Product p. */
__device__ __forceinline__ isomat_gemm_args product(const isomat_group_args &g, int64_t p)
{
    if (g.table)
        return entries(g)[p].gemm;
    isomat_gemm_args one = g.gemm;
    one.a += p * g.stride_a * sizeof(float);
    one.b += p * g.stride_b * sizeof(float);
    one.c += p * g.stride_c * sizeof(float);
    return one;
}

/* The last entry whose first block is not behind `block`; for a whole warp. */
__device__ __forceinline__ int find(const isomat_group_args &g, int block, int lane)
{
    int first = 0, count = g.count;
    while (count > 1) {
        const int step = ceil_div(count, WARP);
        const int probe = lane * step;
        const bool reached = probe < count && entries(g)[first + probe].first_block <= block;
        const int last = 31 - __clz(static_cast<int>(__ballot_sync(~0u, reached))); /* lane 0's always is */
        first += last * step;
        count = min(step, count - last * step);
    }
    return first;
}

template <class T>
__device__ __forceinline__ void grouped(const isomat_group_args &g, void *slabs, int block, int thread)
{
    __shared__ isomat_gemm_args one;
    __shared__ int tile;
    if (thread < WARP) {
        const int p = g.tiles ? block / g.tiles : find(g, block, thread);
        if (thread == 0) {
            one = product(g, p);
            tile = block - (g.tiles ? p * g.tiles : static_cast<int>(entries(g)[p].first_block));
        }
    }
    __syncthreads();
    gemm_simt<T>(one, NoFinish(), slabs, tile, thread);
}

/* ---- a warp for each product ---- */

constexpr int WARPS = ISOMAT_TINY_WARPS;
constexpr int LANES_DOWN = 8, LANES_ACROSS = 4;

/* One operand in shared memory, as it is stored. Rows are 16-byte aligned, and 8
 * lanes that read a column of 8 rows meet no bank twice. */
template <int SIZE> struct Piece {
    float at[SIZE][SIZE + VECTOR];
};

/* rows x cols of a stored matrix from p on; zero where there is none. */
template <int SIZE>
__device__ __forceinline__ void fetch(Piece<SIZE> &piece, const float *p, int64_t ld, int rows, int cols,
                                      bool vector, int lane)
{
    constexpr int ACROSS = SIZE / VECTOR, DOWN = WARP / ACROSS;
    const int right = lane % ACROSS * VECTOR, down = lane / ACROSS;
#pragma unroll
    for (int i = 0; i < SIZE; i += DOWN) {
        float *to = &piece.at[i + down][right];
        const float *from = p + (i + down) * ld + right;
        const int count = i + down < rows ? cols - right : 0;
#if ISOMAT_HAS_CP_ASYNC
        if (vector) {
            cp_async_16(to, from, count > 0);
        } else {
            cp_async_4<0>(to + 0, from, count > 0);
            cp_async_4<1>(to + 1, from, count > 1);
            cp_async_4<2>(to + 2, from, count > 2);
            cp_async_4<3>(to + 3, from, count > 3);
        }
#else
        *reinterpret_cast<float4 *>(to) = read_up_to_4(from, count, vector);
#endif
    }
}

/* A lane's columns come in quads: its first one, and others so far apart. */
constexpr int APART = LANES_ACROSS * VECTOR;

__device__ __forceinline__ constexpr int place(int i)
{
    return i / VECTOR * APART + i % VECTOR;
}

/* COUNT values of op(A)'s rows from i on, or of op(B)'s columns, at k .. k + 3. */
template <int SIZE, int COUNT, bool K_CONTIGUOUS>
__device__ __forceinline__ void take(float (&value)[VECTOR][COUNT], const Piece<SIZE> &piece, int i, int k)
{
    if constexpr (K_CONTIGUOUS) {
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            const float4 v = read_vector(&piece.at[i + place(c)][k]);
            value[0][c] = v.x;
            value[1][c] = v.y;
            value[2][c] = v.z;
            value[3][c] = v.w;
        }
    } else {
#pragma unroll
        for (int step = 0; step < VECTOR; step++)
#pragma unroll
            for (int c = 0; c < COUNT; c += COUNT < VECTOR ? 2 : VECTOR)
                if constexpr (COUNT < VECTOR)
                    *reinterpret_cast<float2 *>(&value[step][c]) =
                        *reinterpret_cast<const float2 *>(&piece.at[k + step][i + c]);
                else
                    *reinterpret_cast<float4 *>(&value[step][c]) =
                        read_vector(&piece.at[k + step][i + place(c)]);
    }
}

template <int SIZE> struct TinyShared {
    Piece<SIZE> a, b;
};

template <int SIZE, bool TRANSPOSE_A, bool TRANSPOSE_B>
__device__ __forceinline__ void tiny(const isomat_group_args &args, TinyShared<SIZE> &shared, int64_t p,
                                     int lane)
{
    constexpr int TM = SIZE / LANES_DOWN, TN = SIZE / LANES_ACROSS;
    const isomat_gemm_args g = product(args, p);
    const int row = lane / LANES_ACROSS * TM, col = lane % LANES_ACROSS * VECTOR;
    float sum[TM][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < g.k; k0 += SIZE) {
        const int depth = g.k - k0;
        fetch(shared.a, device_pointer(g.a) + (TRANSPOSE_A ? k0 * g.lda : k0), g.lda,
              TRANSPOSE_A ? depth : g.m, TRANSPOSE_A ? g.m : depth, g.flags & ISOMAT_VECTOR_A, lane);
        fetch(shared.b, device_pointer(g.b) + (TRANSPOSE_B ? k0 : k0 * g.ldb), g.ldb,
              TRANSPOSE_B ? g.n : depth, TRANSPOSE_B ? depth : g.n, g.flags & ISOMAT_VECTOR_B, lane);
#if ISOMAT_HAS_CP_ASYNC
        cp_async_commit_group();
        cp_async_wait_group<0>();
#endif
        __syncwarp();
        const int end = min(depth, SIZE);
#pragma unroll 2
        for (int k = 0; k < end; k += VECTOR) {
            alignas(16) float a[VECTOR][TM], b[VECTOR][TN];
            take<SIZE, TM, !TRANSPOSE_A>(a, shared.a, row, k);
            take<SIZE, TN, TRANSPOSE_B>(b, shared.b, col, k);
#pragma unroll
            for (int step = 0; step < VECTOR; step++)
#pragma unroll
                for (int i = 0; i < TM; i++)
#pragma unroll
                    for (int j = 0; j < TN; j++)
                        sum[i][j] = fmaf(a[step][i], b[step][j], sum[i][j]);
        }
        __syncwarp();
    }
    float *c = device_pointer(g.c) + row * g.ldc + col;
#pragma unroll
    for (int i = 0; i < TM; i++)
        if (row + i < g.m)
#pragma unroll
            for (int j = 0; j < TN; j += VECTOR)
                store_4(c + i * g.ldc + place(j), &sum[i][j], g.n - col - place(j), g.flags & ISOMAT_VECTOR_C,
                        g.alpha, g.beta);
}

} // namespace group
} // namespace isomat

#endif
