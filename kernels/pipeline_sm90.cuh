/* SPDX-License-Identifier: MIT */
/*
 * What the bodies for Hopper's tensor cores share: TMA fills rings of units in
 * shared memory, wgmma reads them, blocks share out tiles of C and the slabs of k.
 *
 * A block is 3 warp groups: group 0 keeps TMA busy, groups 1 and 2 each compute 64
 * rows of the block's tile. Shared memory has 128-byte swizzle: a row of a unit is
 * 64 16-bit values of k (or, with k along the rows, of m or n).
 */
#ifndef ISOMAT_KERNELS_PIPELINE_SM90_CUH
#define ISOMAT_KERNELS_PIPELINE_SM90_CUH

#include "abi_sm90.h"
#include "gemm_simt.cuh"
#include "ptx.cuh"
#include "ptx_sm90.cuh"
#include "tile.cuh"

/* The name of an entry point: a family's, which may be a macro, and the rest. */
#define ISOMAT_ENTRY_NAME(family, rest) ISOMAT_ENTRY_NAME_2(family, rest)
#define ISOMAT_ENTRY_NAME_2(family, rest) family##_##rest

namespace isomat
{
namespace sm90
{

/* What a kernel takes of isomat_finish. */
template <bool FINISHES> struct FinishOf {
    static __device__ __forceinline__ NoFinish of(const isomat_finish &)
    {
        return {};
    }
};
template <> struct FinishOf<true> {
    static __device__ __forceinline__ const isomat_finish &of(const isomat_finish &finish)
    {
        return finish;
    }
};

constexpr int WARP_GROUP = 128;
constexpr int GROUP_ROWS = 64;       /* of a wgmma */
constexpr int WARP_ROWS = 16;        /* of them, a warp's results */
constexpr int CONSUMERS = 2;         /* warp groups */
constexpr int BK = ISOMAT_SPLIT_BOX; /* depth of a slab */
constexpr int K_STEP = 16;           /* depth of a wgmma */
constexpr int ROW_BYTES = 2 * BK;    /* what the swizzle spans */
constexpr int SWIZZLE_ROWS = 8;      /* its pattern repeats after these */
constexpr int BAND_ROWS = 16;        /* tile rows of a band */
constexpr int NONE = -1;
constexpr int PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
constexpr int ALIGNMENT = SWIZZLE_ROWS * ROW_BYTES;
constexpr int SHARED_MAX = 227 * 1024; /* of a block */
constexpr int STRICT_SHARED_BYTES = 64 * 1024;

template <bool VALUE> struct Is {
    static constexpr bool value = VALUE;
};

/* A place in a ring and the parity of its barriers' phase. */
template <int STAGES> struct Cursor {
    uint32_t stage = 0, parity = 0;

    __device__ __forceinline__ void advance()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

__device__ __forceinline__ uint32_t barrier(const uint64_t *barriers, uint32_t stage)
{
    return shared_address(barriers) + stage * sizeof(uint64_t);
}

/* Tile number to tile: down the rows of a band before a step to the right. */
template <int ROWS = BAND_ROWS>
__device__ __forceinline__ TileIndex band_raster(int tile, int tile_rows, int tile_cols)
{
    const int band = tile / (ROWS * tile_cols);
    const int in_band = tile - band * ROWS * tile_cols;
    const int rows = min(ROWS, tile_rows - band * ROWS);
    return {band * ROWS + in_band % rows, in_band / rows};
}

/* What a block does at a time: slabs [first, last) of one tile. */
struct Work {
    int tile, first, last;
};

/*
 * The work of one block (or cluster, which then counts as one): whole tiles, one every `blocks`. The tiles of
 * a last round that is not full, `left` of them, go to the blocks from blocks - left up, one each, but for
 * their first help_slabs slabs: those are done by the blocks below, `share` tiles each. The owner then adds
 * its own sums. Blocks wait only for blocks before them, which started earlier.
 */
struct Schedule {
    int slabs, whole, blocks, help_slabs;
    int tile;      /* next whole one */
    int last, end; /* next tile of the last round, and where to stop */
    bool helps;

    Schedule() = default;
    __device__ __forceinline__ Schedule(int k, int help_slabs_, int tiles, int block, int blocks_)
        : slabs(ceil_div(k, BK)), whole(tiles), blocks(blocks_), help_slabs(help_slabs_), tile(block),
          last(tiles), end(tiles), helps(false)
    {
        if (help_slabs == 0)
            return;
        const int left = tiles % blocks, helpers = blocks - left;
        whole = tiles - left;
        helps = block < helpers;
        const int share = ceil_div(left, helpers);
        last = whole + (helps ? min(block * share, left) : block - helpers);
        end = helps ? min(last + share, tiles) : last + 1;
    }

    __device__ __forceinline__ bool next(Work &work)
    {
        if (tile < whole) {
            work = {tile, 0, slabs};
            tile += blocks;
            return true;
        }
        if (last >= end)
            return false;
        work = {last, helps ? 0 : help_slabs, helps ? help_slabs : slabs};
        last++;
        return true;
    }
};

/*
 * wgmma's view of an operand in shared memory with 128-byte swizzle. Between
 * groups of 8 rows of 128 bytes lie 1024 bytes; with k along the rows, boxes of
 * 64 columns are 64 rows apart (unused with k along the columns).
 */
__device__ __forceinline__ uint64_t matrix_descriptor(uint32_t address)
{
    constexpr uint64_t UNIT = 16;
    constexpr uint64_t SWIZZLE_128B = uint64_t{1} << 62;
    constexpr uint64_t STRIDE = SWIZZLE_ROWS * ROW_BYTES / UNIT;
    constexpr uint64_t BETWEEN_BOXES = BK * ROW_BYTES / UNIT;
    return SWIZZLE_128B | STRIDE << 32 | BETWEEN_BOXES << 16 | address / UNIT;
}

/* Bytes from one K_STEP to the next. */
template <bool MN> constexpr int STEP_BYTES = MN ? K_STEP *ROW_BYTES : K_STEP * 2;

/* Hands the first slabs' sums of a tile over from its helper to its owner, for one
 * consumer group. */
struct Handover {
    uint32_t *flags; /* [tile of the last round][group] */
    int group, thread;

    /* after the stores of every thread of the group */
    __device__ __forceinline__ void give(int tile) const
    {
        __threadfence();
        ptx::bar_sync(1 + group, WARP_GROUP);
        if (thread == 0)
            ptx::st_release_gpu(&flags[tile * CONSUMERS + group], 1);
    }
    /* before any thread of the group reads them */
    __device__ __forceinline__ void take(int tile) const
    {
        if (thread == 0) {
            uint32_t *flag = &flags[tile * CONSUMERS + group];
            while (ptx::ld_acquire_gpu(flag) == 0)
                ;
            *flag = 0; /* for the next launch */
        }
        ptx::bar_sync(1 + group, WARP_GROUP);
    }
};

/* ---- split forms ---- */

/* Row and column scales are taken off as two factors each, since one power of
 * two could leave the range of float where the product of both does not. */
struct Unscale {
    float first, second;

    __device__ __forceinline__ explicit Unscale(int exponent)
    {
        constexpr int BIAS = 127, FRACTION = 23;
        const int half = exponent >> 1;
        first = __int_as_float((BIAS - half) << FRACTION);
        second = __int_as_float((BIAS - (exponent - half)) << FRACTION);
    }

    /* A sum without this row's scale and that column's. */
    __device__ __forceinline__ float of(float sum, const Unscale &column) const
    {
        return sum * (first * column.first) * (second * column.second);
    }
};

__device__ __forceinline__ const int *exponents(uint64_t split)
{
    return reinterpret_cast<const int *>(split + ISOMAT_SPLIT_EXPONENTS_OFFSET);
}

__device__ __forceinline__ uint32_t figure(const isomat_split_head &head, int i)
{
    return static_cast<uint32_t>(head.figure[i]) & ((1u << ISOMAT_SPLIT_FIGURE_BITS) - 1);
}

/*
 * Whether the figures of both split forms prove that what small elements lost is
 * at most 2^LOSS of |op(A)| * |op(B)|. Called by a whole warp; every lane gets the
 * answer.
 *
 * The elements that lost bits, those far below their row's 2^14 .. 2^15, add at
 * most 2^15 * (excess_a + excess_b) to an output's error. On the other hand, if
 * at most p of a row lie below 2^s and at most q of a column below 2^t, then
 * k - p - q products reach 2^(s+t), so |op(A)| * |op(B)| is at least that sum.
 */
template <int LOSS>
__device__ __forceinline__ bool trusted(const isomat_split_head &a, const isomat_split_head &b, int k,
                                        int lane)
{
    constexpr int LEVELS = ISOMAT_SPLIT_LEVELS, UNIT = -33, TOP = 15;
    static_assert(LEVELS * LEVELS <= WARP, "a lane for each pair of levels");
    const int i = lane / LEVELS % LEVELS, j = lane % LEVELS;
    const uint32_t excess_a = figure(a, LEVELS), excess_b = figure(b, LEVELS);
    const int reach = k - static_cast<int>(figure(a, i)) - static_cast<int>(figure(b, j));
    const int level = ISOMAT_SPLIT_LEVEL(i) + ISOMAT_SPLIT_LEVEL(j);
    const float excess = __uint_as_float(excess_a << (32 - ISOMAT_SPLIT_FIGURE_BITS)) +
                         __uint_as_float(excess_b << (32 - ISOMAT_SPLIT_FIGURE_BITS));
    /* excess * 2^UNIT * 2^TOP <= 2^LOSS * reach * 2^level */
    const bool proved =
        excess <= static_cast<float>(reach) * exp2f(static_cast<float>(level + LOSS - UNIT - TOP));
    const bool any = __any_sync(~0u, proved);
    return excess_a != ISOMAT_SPLIT_NOT_FINITE && excess_b != ISOMAT_SPLIT_NOT_FINITE &&
           (any || excess == 0.f);
}

/* k of one running sum of the strict way where C has few tiles. Long sums lose more,
 * and there k is long and C cheap to come back to. */
constexpr int STRICT_PART = 256;

/* A part of k of a product; what comes after the first is added to C. */
template <bool TRANSPOSE_A, bool TRANSPOSE_B>
__device__ __forceinline__ isomat_gemm_args part_of_k(const isomat_gemm_args &g, int first, int length)
{
    isomat_gemm_args part = g;
    part.a += sizeof(float) * (TRANSPOSE_A ? first * g.lda : first);
    part.b += sizeof(float) * (TRANSPOSE_B ? first : first * g.ldb);
    part.k = min(length, g.k - first);
    if (first > 0)
        part.beta = 1.f;
    return part;
}

/* The same product with every product and sum one fma, or two where it comes in
 * parts. The threads that it has no use for end here; a barrier waits for none that
 * has ended. */
template <bool TRANSPOSE_A, bool TRANSPOSE_B, class Finish>
__device__ __forceinline__ void multiply_strictly(const isomat_gemm_args &g, const Finish &f, char *dynamic,
                                                  int block, int blocks, int thread)
{
    using Strict = Tile<TRANSPOSE_A, TRANSPOSE_B, 128, 128, 16, 32, 64, 3, 256>;
    static_assert(Strict::STAGES * sizeof(typename Strict::Slab) <= STRICT_SHARED_BYTES,
                  "the slabs fit where units of the operands were to be");
    if (thread >= Strict::THREADS)
        return;
    const int tiles = ceil_div(g.m, Strict::BM) * ceil_div(g.n, Strict::BN);
    const int length = tiles <= 2 * blocks ? STRICT_PART : g.k;
    for (int tile = block; tile < tiles; tile += blocks) {
#pragma unroll 1
        for (int first = 0; first < g.k; first += length) {
            gemm_simt<Strict>(part_of_k<TRANSPOSE_A, TRANSPOSE_B>(g, first, length), NoFinish(), dynamic,
                              tile, thread);
            __syncthreads(); /* the slabs are free again */
        }
        const TileIndex at = raster(tile, ceil_div(g.m, Strict::BM), ceil_div(g.n, Strict::BN));
        finish_block<Strict>(f, g, at.row * Strict::BM, at.col * Strict::BN, thread);
    }
}

} // namespace sm90
} // namespace isomat

#endif
