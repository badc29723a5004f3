/* SPDX-License-Identifier: MIT */
/*
 * C = alpha * op(A) * op(B) + beta * C in float32 on the CUDA cores of Hopper.
 *
 * Operands  op(A)^T, k x m, and op(B), k x n, each with k along its rows, by tensor
 *           maps (abi_sm90.h); C is m x n, row-major, any address that is a multiple
 *           of 4, any ldc >= n. m, n, k >= 1. A matrix that is stored the other way
 *           goes through transpose() first.
 * Numbers   every product and sum is one fma, k = 0, 1, 2, ..., in an order that the
 *           sizes and the grid decide: equal inputs give equal bits. Where a tile's k
 *           is shared out, the parts' sums are added in C, in the order of k.
 * Limit     arithmetic: 94 % of the main loop's instructions are fma. The rest of the
 *           distance to the peak are reads of registers: an fma that needs two from
 *           one bank takes two cycles.
 *
 * grid      persistent: block b takes tiles b, b + grid, ... of bands of BAND rows;
 *           the slabs of the tiles of a last round that is not full are dealt out to
 *           all blocks (Shares).
 * block     3 warp groups: one thread of group 0 keeps TMA busy; groups 1 and 2 are
 *           4 x 2 warps, each with 64 x 64 of the tile, each lane with 16 x 8 in quads
 *           of 4 x 4, placed as in gemm_simt.cuh.
 * shared    a ring of STAGES slabs, each SLAB x BM of op(A)^T and SLAB x BN of op(B),
 *           with a full and an empty mbarrier.
 * registers 128 sums, and the operands' values of two k: one is multiplied while the
 *           other is read. The order of fma and of reads was searched for: of 800,
 *           the one that ptxas (13.0) makes the fastest code of. What tells: reads
 *           that stand alone, far from their use, and fma without bank conflicts.
 * Edges     TMA reads zeros outside the operands; only the store looks at m and n.
 */
#ifndef ISOMAT_KERNELS_GEMM_F32_STRICT_SM90_CUH
#define ISOMAT_KERNELS_GEMM_F32_STRICT_SM90_CUH

#include "abi_sm90.h"
#include "pipeline_sm90.cuh"
#include "ptx.cuh"
#include "ptx_sm90.cuh"
#include "tile.cuh"

namespace isomat
{
namespace strict_sm90
{

using sm90::band_raster;
using sm90::barrier;
using sm90::CONSUMERS;
using sm90::Cursor;
using sm90::WARP_GROUP;

constexpr int BM = ISOMAT_GEMM_F32_STRICT_SM90_BM, BN = ISOMAT_GEMM_F32_STRICT_SM90_BN;
constexpr int SLAB = ISOMAT_GEMM_F32_STRICT_SM90_SLAB, STAGES = ISOMAT_GEMM_F32_STRICT_SM90_STAGES;
constexpr int WM = 64, WN = 64;         /* a warp's piece */
constexpr int TM = 16, TN = 8;          /* a lane's results */
constexpr int A_QUAD = 16, B_QUAD = 32; /* from one quad of a lane to the next */
constexpr int BAND = 8;                 /* tile rows */
constexpr int PART_MIN = 8;             /* slabs of a tile that are worth going to C for */
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240;

struct Slab {
    float a[SLAB][BM];
    float b[SLAB][BN];
};

struct Shared {
    Slab slab[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};
static_assert(sizeof(Shared) <= ISOMAT_GEMM_F32_STRICT_SM90_SHARED_BYTES,
              "the host asks for the shared memory that the kernel uses");

/* Slabs [first, last) of one tile. */
struct Work {
    int tile, first, last;
};

/*
 * The work of one block: whole tiles, one every `blocks`, and if `cut`, an equal share
 * of the slabs of the tiles that are left over, one tile after the other:
 *
 *     tile      |     0     |     1     |     2     |
 *     block     |   0   |   1   |   2   |   3   | ..
 *
 * A share has the end of one tile, the start of the next, or the middle of one. The
 * start comes first, so that nobody waits for it long: blocks wait only for blocks
 * before them, which started earlier.
 */
struct Shares {
    int slabs, whole, blocks;
    int tile;       /* next whole one */
    int begin, end; /* what is left of the share: slabs of tiles from `whole` on */

    /* A share's bound, at a tile's if that is near. */
    __device__ __forceinline__ int bound(int left, int block) const
    {
        const int at = static_cast<int>(int64_t{left} * slabs * block / blocks);
        const int over = at % slabs;
        return over < PART_MIN ? at - over : slabs - over < PART_MIN ? at + slabs - over : at;
    }

    __device__ __forceinline__ Shares(int k, bool cut, int tiles, int block, int blocks_)
        : slabs(ceil_div(k, SLAB)), whole(tiles), blocks(blocks_), tile(block), begin(0), end(0)
    {
        if (!cut)
            return;
        const int left = tiles % blocks;
        whole = tiles - left;
        begin = bound(left, block);
        end = bound(left, block + 1);
    }

    __device__ __forceinline__ bool next(Work &work)
    {
        if (tile < whole) {
            work = {tile, 0, slabs};
            tile += blocks;
            return true;
        }
        if (begin >= end)
            return false;
        const int last = (end - 1) / slabs;
        const int first = max(begin - last * slabs, 0);
        work = {whole + last, first, end - last * slabs};
        end = last * slabs + first;
        return true;
    }
};

/* Consumers give a slab back once they are in the next one, and at first a slab
 * before the first, which is in the last stage: that one is a phase behind. */
__device__ __forceinline__ void wait_until_empty(const Shared &shared, const Cursor<STAGES> &at)
{
    ptx::mbarrier_wait(barrier(shared.empty, at.stage), at.parity ^ (at.stage != STAGES - 1));
}

/* One thread: keeps the ring full, in the order that consumers read. */
__device__ __forceinline__ void produce(const isomat_gemm_f32_strict_sm90_args &g, Shared &shared, int block,
                                        int blocks)
{
    const int tile_rows = ceil_div(g.gemm.m, BM), tile_cols = ceil_div(g.gemm.n, BN);
    Shares shares(g.gemm.k, g.cut, tile_rows * tile_cols, block, blocks);
    Cursor<STAGES> at;
    Work work;
    while (shares.next(work)) {
        const TileIndex tile = band_raster<BAND>(work.tile, tile_rows, tile_cols);
        for (int s = work.first; s < work.last; s++) {
            const uint32_t full = barrier(shared.full, at.stage);
            Slab &slab = shared.slab[at.stage];
            wait_until_empty(shared, at);
            ptx::mbarrier_arrive_expect_tx(full, sizeof(Slab));
            ptx::cp_async_bulk_tensor_2d(shared_address(slab.a), &g.a_map, full, tile.row * BM, s * SLAB);
            ptx::cp_async_bulk_tensor_2d(shared_address(slab.b), &g.b_map, full, tile.col * BN, s * SLAB);
            at.advance();
        }
    }
    /* consumers read ahead by one k; of what they read here nothing comes */
    wait_until_empty(shared, at);
    ptx::mbarrier_arrive(barrier(shared.full, at.stage));
}

/* The operands' values of one k that a lane multiplies. */
struct Fragment {
    float a[TM], b[TN];

    __device__ __forceinline__ void load_a(const float *from, int k, int quad)
    {
        *reinterpret_cast<float4 *>(&a[quad * VECTOR]) = read_vector(from + k * BM + quad * A_QUAD);
    }
    __device__ __forceinline__ void load_b(const float *from, int k, int quad)
    {
        *reinterpret_cast<float4 *>(&b[quad * VECTOR]) = read_vector(from + k * BN + quad * B_QUAD);
    }
};

/* Columns run to and fro, so that neighbouring fma share a factor, and in each pair the odd one comes first.
 */
__device__ __forceinline__ void multiply_add(float (&sum)[TM][TN], const Fragment &f)
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int step = 0; step < TN; step++) {
            const int j = (i % 2 ? TN - 1 - step : step) ^ 1;
            sum[i][j] = fmaf(f.a[i], f.b[j], sum[i][j]);
        }
}

/* c is a lane's first result, of which rows x cols exist to the end of C. */
__device__ __forceinline__ void store(const isomat_gemm_args &g, const float (&sum)[TM][TN], float *c,
                                      int rows, int cols, float beta, bool whole)
{
    if (whole) {
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j += VECTOR)
                store_4(c + (i / VECTOR * A_QUAD + i % VECTOR) * g.ldc + j / VECTOR * B_QUAD, &sum[i][j],
                        VECTOR, true, g.alpha, beta);
        return;
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) {
            const int down = i / VECTOR * A_QUAD + i % VECTOR, right = j / VECTOR * B_QUAD + j % VECTOR;
            float *at = c + down * g.ldc + right;
            if (down < rows && right < cols)
                *at = fmaf(beta, beta != 0.f ? *at : 0.f, g.alpha * sum[i][j]);
        }
}

/* A warp's part of all of this block's work. */
template <bool FINISHES>
__device__ __forceinline__ void consume(const isomat_gemm_f32_strict_sm90_args &g, Shared &shared, int block,
                                        int blocks, int thread)
{
    const int group = thread / WARP_GROUP;
    const int warp = thread / WARP, lane = thread % WARP;
    const int i = warp / (BN / WN) * WM + (lane / 16 * 2 + lane % 2) * VECTOR;
    const int j = warp % (BN / WN) * WN + lane % 16 / 2 * VECTOR;
    const int tile_rows = ceil_div(g.gemm.m, BM), tile_cols = ceil_div(g.gemm.n, BN);
    Shares shares(g.gemm.k, g.cut, tile_rows * tile_cols, block, blocks);
    Cursor<STAGES> at;
    Work work;
    Fragment fragment[2];
    uint32_t previous = barrier(shared.empty, STAGES - 1);
    const float *a = &shared.slab[0].a[0][i], *b = &shared.slab[0].b[0][j];

    ptx::mbarrier_wait(barrier(shared.full, 0), 0);
#pragma unroll
    for (int q = 0; q < TM / VECTOR; q++)
        fragment[0].load_a(a, 0, q);
#pragma unroll
    for (int q = 0; q < TN / VECTOR; q++)
        fragment[0].load_b(b, 0, q);
    while (shares.next(work)) {
        float sum[TM][TN] = {};
#pragma unroll 1
        for (int s = work.first; s < work.last; s++) {
            const uint32_t here = barrier(shared.empty, at.stage);
#pragma unroll
            for (int k = 0; k < SLAB; k++) {
                Fragment &next = fragment[(k + 1) % 2], &now = fragment[k % 2];
                const int ahead = (k + 1) % SLAB;
                if (ahead == 0) {
                    at.advance();
                    ptx::mbarrier_wait(barrier(shared.full, at.stage), at.parity);
                    a = &shared.slab[at.stage].a[0][i];
                    b = &shared.slab[at.stage].b[0][j];
                }
                next.load_a(a, ahead, 0);
                next.load_a(a, ahead, 1);
                next.load_b(b, ahead, 0);
                next.load_b(b, ahead, 1);
                next.load_a(a, ahead, 2);
                next.load_a(a, ahead, 3);
                multiply_add(sum, now);
                if (k == 1) { /* the last values of the slab before have been multiplied */
                    ptx::mbarrier_arrive(previous);
                    previous = here;
                }
            }
        }

        /* A tile's flag tells how many of its slabs are in C. */
        uint32_t *flag = reinterpret_cast<uint32_t *>(g.flags) + work.tile % blocks * CONSUMERS + group;
        const TileIndex tile = band_raster<BAND>(work.tile, tile_rows, tile_cols);
        const int row = tile.row * BM + i, col = tile.col * BN + j;
        const bool continues = work.first > 0, ends = work.last == shares.slabs;
        if (continues) {
            if (thread % WARP_GROUP == 0)
                while (ptx::ld_acquire_gpu(flag) != static_cast<uint32_t>(work.first))
                    ;
            ptx::bar_sync(1 + group, WARP_GROUP);
        }
        store(g.gemm, sum, device_pointer(g.gemm.c) + row * g.gemm.ldc + col, g.gemm.m - row, g.gemm.n - col,
              continues ? 1.f : g.gemm.beta,
              g.gemm.flags & ISOMAT_VECTOR_C && (tile.row + 1) * BM <= g.gemm.m &&
                  (tile.col + 1) * BN <= g.gemm.n);
        if (continues || !ends) {
            __threadfence();
            ptx::bar_sync(1 + group, WARP_GROUP);
            if (thread % WARP_GROUP == 0)
                ptx::st_release_gpu(flag, ends ? 0 : work.last); /* 0 for the next launch */
        }
        if (FINISHES && ends) {
            constexpr int ROWS = BM / CONSUMERS;
            ptx::bar_sync(1 + group, WARP_GROUP);
            finish_tile<ROWS, BN, WARP_GROUP, float>(g.finish, g.gemm.c, g.gemm.ldc, g.gemm.m, g.gemm.n,
                                                     tile.row * BM + group * ROWS, tile.col * BN,
                                                     thread % WARP_GROUP);
        }
    }
}

template <bool FINISHES>
__device__ __forceinline__ void gemm(const isomat_gemm_f32_strict_sm90_args &g, char *dynamic, int block,
                                     int blocks, int thread)
{
    Shared &shared = *reinterpret_cast<Shared *>(dynamic);
    if (thread == 0) {
        ptx::prefetch_tensormap(&g.a_map);
        ptx::prefetch_tensormap(&g.b_map);
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(barrier(shared.full, s), 1);
            ptx::mbarrier_init(barrier(shared.empty, s), CONSUMERS * WARP_GROUP);
        }
        ptx::fence_mbarrier_init();
    }
    __syncthreads();
    griddepcontrol_wait();
    griddepcontrol_launch_dependents();
    if (thread / WARP_GROUP == 0) {
        ptx::setmaxnreg_dec<PRODUCER_REGISTERS>();
        if (thread == 0)
            produce(g, shared, block, blocks);
    } else {
        ptx::setmaxnreg_inc<CONSUMER_REGISTERS>();
        consume<FINISHES>(g, shared, block, blocks, thread - WARP_GROUP);
    }
}

/*
 * dst = src^T by tiles of TILE x TILE, each once through shared memory. There, the
 * quads of a row are swapped about (swizzle), so that both reading a column and writing
 * quads meet few bank conflicts. Limit: memory.
 */
constexpr int TILE = ISOMAT_TRANSPOSE_TILE;
constexpr int TILE_QUADS = TILE / VECTOR;

/* Where element (col, row) of a tile of src is. */
__device__ __forceinline__ int swizzled(int col, int row)
{
    return col * TILE + (row ^ col / VECTOR % TILE_QUADS * VECTOR);
}

__device__ __forceinline__ void transpose(const isomat_transpose_args &g, float *tile, int block, int thread)
{
    constexpr int STEP = ISOMAT_TRANSPOSE_THREADS / TILE_QUADS, PASSES = TILE / STEP;
    const int across = ceil_div(g.cols, TILE);
    const int row0 = block / across * TILE, col0 = block % across * TILE;
    const int quad = thread % TILE_QUADS * VECTOR, line = thread / TILE_QUADS;
    float4 v[PASSES];

    griddepcontrol_wait();
    griddepcontrol_launch_dependents();
#pragma unroll
    for (int pass = 0; pass < PASSES; pass++) {
        const int row = row0 + line + pass * STEP, col = col0 + quad;
        v[pass] = read_up_to_4(device_pointer(g.src) + row * g.ld_src + col, row < g.rows ? g.cols - col : 0,
                               g.flags & ISOMAT_VECTOR_A);
    }
#pragma unroll
    for (int pass = 0; pass < PASSES; pass++) {
        const int row = line + pass * STEP;
        tile[swizzled(quad + 0, row)] = v[pass].x;
        tile[swizzled(quad + 1, row)] = v[pass].y;
        tile[swizzled(quad + 2, row)] = v[pass].z;
        tile[swizzled(quad + 3, row)] = v[pass].w;
    }
    __syncthreads();
#pragma unroll
    for (int pass = 0; pass < PASSES; pass++) {
        const int col = line + pass * STEP;
        if (col0 + col < g.cols)
            write_up_to_4(device_pointer(g.dst) + (col0 + col) * g.ld_dst + row0 + quad,
                          read_vector(&tile[swizzled(col, quad)]), g.rows - row0 - quad, true);
    }
}

} // namespace strict_sm90
} // namespace isomat

#endif
