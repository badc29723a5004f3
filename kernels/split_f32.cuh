/* SPDX-License-Identifier: MIT */
/*
 * The split form of float32 matrices (abi_sm90.h): scaled by a power of two for
 * each row of op(A) or column of op(B), each element as hi + lo, both fp16.
 *
 * Operand   rows x cols, row-major as stored, any ld >= cols, any address that is
 *           a multiple of 4; 16-byte reads where ISOMAT_SPLIT_VECTOR allows them
 * Numbers   hi and lo are rounded to nearest; 22 bits or more survive where an
 *           element is at least 2^-17 of its row's (column's) largest magnitude.
 *           What is lost below that is summed in the figures, in integers, so
 *           that the order of blocks does not show.
 * Limit     memory: reads 4 bytes and writes 4 bytes an element.
 *
 * Scale by row (k along the columns): a team of 1, 2, 4 or 8 warps takes a row.
 * By column (k along the rows): a cluster of 8 blocks takes a strip of 32
 * columns; largest magnitudes and figures meet in the cluster's shared memory:
 *
 *              32 columns
 *    rows 0..31    [ block 0 of the cluster ]    a thread: 4 columns of a row,
 *    rows 32..63   [ block 1                ]    8 threads across, 32 down
 *     :
 *    rows 224..255 [ block 7                ]
 *    rows 256..    [ block 0 again          ]
 *
 * Either way a thread walks over quads of elements, one step apart, twice: to
 * find the largest magnitude, and to scale and write. Shared memory keeps a chunk
 * of each thread's quads; a walk longer than a chunk goes back over it.
 */
#ifndef ISOMAT_KERNELS_SPLIT_F32_CUH
#define ISOMAT_KERNELS_SPLIT_F32_CUH

#include <cuda_fp16.h>

#include "abi_sm90.h"
#include "ptx.cuh"
#include "ptx_sm90.cuh"
#include "tile.cuh"

namespace isomat
{
namespace split
{

constexpr int THREADS = ISOMAT_SPLIT_THREADS;
constexpr int WARPS = THREADS / WARP;
constexpr int BOX = ISOMAT_SPLIT_BOX;
constexpr int LEVELS = ISOMAT_SPLIT_LEVELS;
constexpr int SMALL = LEVELS - 1; /* the level below which lo loses bits */
constexpr int EXCESS = LEVELS;    /* the figure after the levels' */
constexpr int FIGURES = LEVELS + 1;
constexpr int TOP = 14;        /* the largest magnitude becomes 2^TOP or more */
constexpr int MAX_SCALE = 114; /* exponents stay within what a float can hold twice */
constexpr int BIAS = 127, FRACTION = 23;
constexpr uint32_t MAGNITUDE = 0x7fffffffu, INFINITE = 0x7f800000u;
constexpr float HALF_NORMAL = 0x1p-14f;   /* fp16 has fewer bits below */
constexpr float ROUND_AT_2_33 = 0x1p-10f; /* a float this large has a unit of 2^-33 */

/* One thread's quads: four elements side by side each, none outside the matrix
 * but perhaps the last columns, which read as zero and are written. */
struct Walk {
    const float *source;
    int64_t step; /* floats to the next quad */
    __half *hi;
    int64_t to_lo, to_step; /* fp16 to the other plane (0: there is none), to the next quad */
    int quads, chunk;       /* chunk: how many of them shared memory holds */
    int columns, fewer;     /* that exist from the first one; fewer at each step */
    bool whole;             /* quads are aligned and exist in whole */
};

struct Operand {
    const float *source;
    int64_t ld;
    isomat_split_head *head;
    int *exponents;
    __half *planes;
    int64_t ld_plane, to_lo; /* fp16 values from row to row, and to the other plane */
    int rows, cols;
    bool whole;

    __device__ __forceinline__ explicit Operand(const isomat_split_operand &o)
        : source(device_pointer(o.source)), ld(o.ld), head(reinterpret_cast<isomat_split_head *>(o.split)),
          exponents(reinterpret_cast<int *>(o.split + ISOMAT_SPLIT_EXPONENTS_OFFSET)),
          ld_plane(ISOMAT_SPLIT_LD(o.cols)), to_lo(o.flags & ISOMAT_SPLIT_HI_ONLY ? 0 : ld_plane * o.rows),
          rows(o.rows), cols(o.cols), whole((o.flags & ISOMAT_SPLIT_VECTOR) && o.cols % VECTOR == 0)
    {
        const int extent = o.flags & ISOMAT_SPLIT_BY_COLUMN ? o.cols : o.rows;
        planes = reinterpret_cast<__half *>(o.split + ISOMAT_SPLIT_PLANES_OFFSET(extent));
    }

    __device__ __forceinline__ Walk walk(int row, int col, int down, int right, int quads, int chunk) const
    {
        return {source + row * ld + col,
                down * ld + right,
                planes + row * ld_plane + col,
                to_lo,
                down * ld_plane + right,
                quads,
                chunk,
                cols - col,
                right,
                whole};
    }
};

/* Starts the copies of a chunk of quads to `mine`, THREADS quads apart. */
__device__ __forceinline__ void fetch(const Walk &w, float4 *mine, int first, int count)
{
    const float *p = w.source + first * w.step;
    int exist = w.columns - first * w.fewer;
#pragma unroll 4
    for (int i = 0; i < count; i++) {
        float *to = reinterpret_cast<float *>(mine + i * THREADS);
        if (w.whole) {
            cp_async_16(to, p, exist > 0);
        } else {
            cp_async_4<0>(to + 0, p, exist > 0);
            cp_async_4<1>(to + 1, p, exist > 1);
            cp_async_4<2>(to + 2, p, exist > 2);
            cp_async_4<3>(to + 3, p, exist > 3);
        }
        p += w.step;
        exist -= w.fewer;
    }
    cp_async_commit_group();
}

/* Calls f for the chunk's quads. A thread reads only what it copied itself. */
template <class F> __device__ __forceinline__ void each(const float4 *mine, int count, F f)
{
#pragma unroll 4
    for (int i = 0; i < count; i++)
        f(mine[i * THREADS]);
}

__device__ __forceinline__ uint32_t magnitude(float x)
{
    return __float_as_uint(x) & MAGNITUDE;
}

/* The bits of the largest magnitude in each of the four columns of the walk. The
 * first chunk comes last, and stays. */
__device__ __forceinline__ uint4 find_peaks(const Walk &w, float4 *mine)
{
    uint4 peak = make_uint4(0, 0, 0, 0);
    for (int first = max(w.quads - 1, 0) / w.chunk * w.chunk; first >= 0; first -= w.chunk) {
        const int count = min(w.quads - first, w.chunk);
        fetch(w, mine, first, count);
        cp_async_wait_group<0>();
        each(mine, count, [&](float4 v) {
            peak.x = max(peak.x, magnitude(v.x));
            peak.y = max(peak.y, magnitude(v.y));
            peak.z = max(peak.z, magnitude(v.z));
            peak.w = max(peak.w, magnitude(v.w));
        });
    }
    return peak;
}

/* The exponent that brings `peak`, the bits of a magnitude, to 2^TOP or more; 0
 * for a row that is zero or not finite. */
__device__ __forceinline__ int scale_exponent(uint32_t peak)
{
    if (peak == 0 || peak >= INFINITE)
        return 0;
    return min(TOP - (static_cast<int>(peak >> FRACTION) - BIAS), MAX_SCALE);
}

__device__ __forceinline__ float scale(uint32_t peak)
{
    return __int_as_float((scale_exponent(peak) + BIAS) << FRACTION);
}

/*
 * What a thread has seen of the four columns of its walk; halves of a word stand
 * for the columns of a pair. The levels are compared with hi, two at a time; the
 * few elements below the last level take a way of their own.
 */
struct Tally {
    __half2 chunk[SMALL][2];        /* of this chunk: exact in fp16 up to 2^11 */
    uint32_t below[LEVELS][2] = {}; /* 16 bits each */
    uint32_t excess[VECTOR] = {};   /* in units of 2^-33 */

    static_assert(ISOMAT_SPLIT_CHUNK_MAX <= 2048, "fp16 counts a chunk exactly");

    __device__ __forceinline__ void begin_chunk()
    {
#pragma unroll
        for (int i = 0; i < SMALL; i++)
            chunk[i][0] = chunk[i][1] = __float2half2_rn(0.f);
    }
    __device__ __forceinline__ void end_chunk()
    {
#pragma unroll
        for (int i = 0; i < SMALL; i++)
#pragma unroll
            for (int pair = 0; pair < 2; pair++)
                below[i][pair] += __half2uint_rn(__low2half(chunk[i][pair])) +
                                  (__half2uint_rn(__high2half(chunk[i][pair])) << 16);
    }

    /* lost: of each element, x - hi - lo; without a lo plane x - hi, where hi has fewer
     * bits than TF32 */
    __device__ __forceinline__ void add(const __half2 (&hi)[2], const __half2 (&lo)[2], const float4 &rest,
                                        bool has_lo)
    {
        const __half2 x = __habs2(hi[0]), y = __habs2(hi[1]);
#pragma unroll
        for (int i = 0; i < SMALL; i++) {
            const __half2 level = __float2half2_rn(exp2f(ISOMAT_SPLIT_LEVEL(i)));
            chunk[i][0] = __hadd2(chunk[i][0], __hlt2(x, level));
            chunk[i][1] = __hadd2(chunk[i][1], __hlt2(y, level));
        }
        const __half2 small = __float2half2_rn(exp2f(ISOMAT_SPLIT_LEVEL(SMALL)));
        if (!__hbge2(__hmin2(x, y), small)) {
            add_small(__low2float(x), rest.x, __low2float(lo[0]), has_lo, 0, 0);
            add_small(__high2float(x), rest.y, __high2float(lo[0]), has_lo, 0, 1);
            add_small(__low2float(y), rest.z, __low2float(lo[1]), has_lo, 1, 0);
            add_small(__high2float(y), rest.w, __high2float(lo[1]), has_lo, 1, 1);
        }
    }
    __device__ __forceinline__ void add_small(float x, float rest, float lo, bool has_lo, int pair, int half)
    {
        if (x < exp2f(ISOMAT_SPLIT_LEVEL(SMALL))) {
            const float lost = has_lo ? rest - lo : x < HALF_NORMAL ? rest : 0.f;
            below[SMALL][pair] += half ? 0x10000u : 1u;
            /* rounded up by an addition: conversions to integer are slow */
            excess[2 * pair + half] +=
                __float_as_uint(__fadd_ru(fabsf(lost), ROUND_AT_2_33)) - __float_as_uint(ROUND_AT_2_33);
        }
    }

    __device__ __forceinline__ uint32_t figure(int i, int column) const
    {
        if (i == EXCESS)
            return excess[column];
        const uint32_t pair = below[i][column / 2];
        return column % 2 ? pair >> 16 : pair & 0xffffu;
    }
};

__device__ __forceinline__ uint2 as_words(const __half2 (&h)[2])
{
    return make_uint2(*reinterpret_cast<const uint32_t *>(&h[0]), *reinterpret_cast<const uint32_t *>(&h[1]));
}

/* Scales the walk's four columns and writes hi and lo. */
__device__ __forceinline__ void write(const Walk &w, float4 *mine, const float4 &s, Tally &tally)
{
    __half *hi_at = w.hi, *lo_at = w.hi + w.to_lo;
    for (int first = 0; first < w.quads; first += w.chunk) {
        const int count = min(w.quads - first, w.chunk);
        if (first > 0) {
            fetch(w, mine, first, count);
            cp_async_wait_group<0>();
        }
        tally.begin_chunk();
        each(mine, count, [&](float4 v) {
            v = make_float4(v.x * s.x, v.y * s.y, v.z * s.z, v.w * s.w);
            const __half2 hi[2] = {__floats2half2_rn(v.x, v.y), __floats2half2_rn(v.z, v.w)};
            const float4 rest = make_float4(v.x - __low2float(hi[0]), v.y - __high2float(hi[0]),
                                            v.z - __low2float(hi[1]), v.w - __high2float(hi[1]));
            const __half2 lo[2] = {__floats2half2_rn(rest.x, rest.y), __floats2half2_rn(rest.z, rest.w)};
            __stwb(reinterpret_cast<uint2 *>(hi_at), as_words(hi));
            if (w.to_lo != 0)
                __stwb(reinterpret_cast<uint2 *>(lo_at), as_words(lo));
            hi_at += w.to_step;
            lo_at += w.to_step;
            tally.add(hi, lo, rest, w.to_lo != 0);
        });
        tally.end_chunk();
    }
}

/* Reports to the head. Words carry the generation above the figure, so that a
 * larger word is a newer or a worse one, and nobody has to clear them. */
struct Reporter {
    isomat_split_head *head;
    uint64_t generation; /* in place */
    uint64_t seen;       /* of the figure that this lane reports; may be old */

    __device__ __forceinline__ Reporter(isomat_split_head *head_, int lane)
        : head(head_), generation(head->generation << ISOMAT_SPLIT_FIGURE_BITS),
          seen(head->figure[min(lane, FIGURES - 1)])
    {
    }
    __device__ __forceinline__ void report(int figure, uint32_t value) const
    {
        const uint64_t word = generation | value;
        if (word > seen)
            atomicMax(reinterpret_cast<unsigned long long *>(&head->figure[figure]), word);
    }
};

/* The excess as it is reported: the upper bits of a float, rounded up. */
__device__ __forceinline__ uint32_t encode_excess(uint32_t excess, bool finite)
{
    constexpr int DROPPED = 32 - ISOMAT_SPLIT_FIGURE_BITS;
    if (!finite)
        return ISOMAT_SPLIT_NOT_FINITE;
    return (__float_as_uint(__uint2float_ru(excess)) + (1u << DROPPED) - 1) >> DROPPED;
}

/* ---- scale by row ---- */

struct RowShared {
    uint32_t peak[WARPS];
    uint32_t figures[WARPS][FIGURES];
};

/* The rows of one block, each by `team` threads. A team past the last row has no
 * quads, so that barriers match. */
__device__ __forceinline__ void split_rows(const Operand &o, const Reporter &reporter, RowShared &shared,
                                           float4 *copies, int chunk, int block, int team, int thread)
{
    const int row = block * (THREADS / team) + thread / team;
    const int warp = thread / WARP, lane = thread % WARP;
    const int team_warps = team / WARP, first_warp = warp / team_warps * team_warps;
    const int in_team = thread % team;
    const int padded = static_cast<int>(ISOMAT_SPLIT_BOXES(o.cols)) * BOX;
    const bool exists = row < o.rows;
    const int quads = exists ? ceil_div(max(0, padded / VECTOR - in_team), team) : 0;
    const Walk w = o.walk(row, in_team * VECTOR, 0, team * VECTOR, quads, chunk);

    const uint4 mine = find_peaks(w, copies + thread);
    uint32_t peak = __reduce_max_sync(~0u, max(max(mine.x, mine.y), max(mine.z, mine.w)));
    if (lane == 0)
        shared.peak[warp] = peak;
    __syncthreads();
    for (int i = 0; i < team_warps; i++)
        peak = max(peak, shared.peak[first_warp + i]);

    const float s = scale(peak);
    Tally tally;
    write(w, copies + thread, make_float4(s, s, s, s), tally);
    if (exists && in_team == 0)
        o.exponents[row] = scale_exponent(peak);

#pragma unroll
    for (int i = 0; i < FIGURES; i++) {
        uint32_t total = 0;
#pragma unroll
        for (int column = 0; column < VECTOR; column++)
            total += tally.figure(i, column);
        total = __reduce_add_sync(~0u, total);
        if (lane == 0)
            shared.figures[warp][i] = total;
    }
    __syncthreads();
    if (in_team < FIGURES && exists && peak != 0) {
        uint32_t total = 0;
        for (int i = 0; i < team_warps; i++)
            total += shared.figures[first_warp + i][in_team];
        /* padding was below every level */
        reporter.report(in_team, in_team == EXCESS ? encode_excess(total, peak < INFINITE)
                                                   : total - (padded - o.cols));
    }
}

/* ---- scale by column ---- */

constexpr int STRIP = ISOMAT_SPLIT_STRIP;
constexpr int ACROSS = STRIP / VECTOR; /* threads along a row of the strip */
constexpr int DOWN = THREADS / ACROSS; /* rows that a block reads at a time */
constexpr int CLUSTER = ISOMAT_SPLIT_CLUSTER;
static_assert(STRIP == WARP, "one lane stands for one column where the cluster meets");
static_assert(BOX % STRIP == 0, "a strip lies in one box");
static_assert(WARPS == CLUSTER, "a warp tells one block of the cluster");
static_assert(WARPS >= FIGURES, "a warp sums one figure");

struct ColumnShared {
    uint32_t peak_of_warp[WARPS][STRIP];
    uint32_t peak[STRIP]; /* of the cluster: every block adds its own */
    uint32_t figures_of_warp[WARPS][FIGURES][STRIP];
    uint32_t figures[FIGURES][STRIP]; /* of the cluster, in block 0 */
};

/* Over the lanes of a warp that hold the same columns. */
template <class F> __device__ __forceinline__ uint32_t meet(uint32_t v, F f)
{
#pragma unroll
    for (int step = ACROSS; step < WARP; step *= 2)
        v = f(v, __shfl_xor_sync(~0u, v, step));
    return v;
}

__device__ __forceinline__ void split_columns(const Operand &o, const Reporter &reporter,
                                              ColumnShared &shared, float4 *copies, int chunk, int block,
                                              int thread)
{
    const int rank = static_cast<int>(ptx::cluster_ctarank());
    const int lane = thread % WARP, warp = thread / WARP;
    const int strip = block / CLUSTER * STRIP, in_strip = thread % ACROSS * VECTOR;
    const int first = rank * DOWN + thread / ACROSS;
    const int quads = ceil_div(max(0, o.rows - first), DOWN * CLUSTER);
    const Walk w = o.walk(first, strip + in_strip, DOWN * CLUSTER, 0, quads, chunk);

    /* every block must have cleared its own before others add to it */
    for (int i = thread; i < FIGURES * STRIP; i += THREADS)
        shared.figures[i / STRIP][i % STRIP] = 0;
    if (warp == 0)
        shared.peak[lane] = 0;
    ptx::barrier_cluster_arrive();

    uint4 mine = find_peaks(w, copies + thread);
    const auto higher = [](uint32_t a, uint32_t b) { return max(a, b); };
    mine = make_uint4(meet(mine.x, higher), meet(mine.y, higher), meet(mine.z, higher), meet(mine.w, higher));
    if (lane < ACROSS)
        *reinterpret_cast<uint4 *>(&shared.peak_of_warp[warp][in_strip]) = mine;
    __syncthreads();
    uint32_t of_block = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i++)
        of_block = max(of_block, shared.peak_of_warp[i][lane]);
    ptx::barrier_cluster_wait();
    ptx::red_shared_cluster_max(ptx::mapa(shared_address(&shared.peak[lane]), warp), of_block);
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();

    const uint4 peak = *reinterpret_cast<const uint4 *>(&shared.peak[in_strip]);
    Tally tally;
    write(w, copies + thread, make_float4(scale(peak.x), scale(peak.y), scale(peak.z), scale(peak.w)), tally);

    /* figures meet in block 0: thread, warp, block, cluster */
    const auto sum = [](uint32_t a, uint32_t b) { return a + b; };
#pragma unroll
    for (int i = 0; i < FIGURES; i++) {
        const uint4 total = make_uint4(meet(tally.figure(i, 0), sum), meet(tally.figure(i, 1), sum),
                                       meet(tally.figure(i, 2), sum), meet(tally.figure(i, 3), sum));
        if (lane < ACROSS)
            *reinterpret_cast<uint4 *>(&shared.figures_of_warp[warp][i][in_strip]) = total;
    }
    __syncthreads();
    if (warp < FIGURES) {
        uint32_t total = 0;
#pragma unroll
        for (int i = 0; i < WARPS; i++)
            total += shared.figures_of_warp[i][warp][lane];
        ptx::red_shared_cluster_add(ptx::mapa(shared_address(&shared.figures[warp][lane]), 0), total);
    }
    ptx::barrier_cluster_arrive();
    if (rank != 0 || warp != 0)
        return;
    ptx::barrier_cluster_wait();
    const uint32_t p = shared.peak[lane]; /* 0 past the last column */
    if (strip + lane < o.cols)
        o.exponents[strip + lane] = scale_exponent(p);
    uint32_t worst = 0; /* lane i: figure i */
#pragma unroll
    for (int i = 0; i < FIGURES; i++) {
        uint32_t value = shared.figures[i][lane];
        if (i == EXCESS)
            value = encode_excess(value, p < INFINITE);
        value = __reduce_max_sync(~0u, p == 0 ? 0 : value);
        if (lane == i)
            worst = value;
    }
    if (lane < FIGURES)
        reporter.report(lane, worst);
}

} // namespace split

__device__ __forceinline__ void split_f32(const isomat_split_args &args, float4 *copies, int bytes, int block,
                                          int thread)
{
    const int chunk = bytes / static_cast<int>(sizeof(float4) * split::THREADS);
    __shared__ union {
        split::RowShared row;
        split::ColumnShared column;
    } shared;
    /* the kernel behind may set itself up; it waits for this one's results */
    griddepcontrol_launch_dependents();

    const bool second = block >= static_cast<int>(args.operand[0].blocks);
    const isomat_split_operand &operand = args.operand[second];
    if (second)
        block -= args.operand[0].blocks;
    const split::Operand o(operand);
    const int teams = ISOMAT_SPLIT_ROWS_PER_BLOCK(o.cols);
    const int team = split::THREADS / teams;
    const bool by_column = operand.flags & ISOMAT_SPLIT_BY_COLUMN;

    const split::Reporter reporter(o.head, by_column ? thread : thread % team);
    if (block == 0 && thread < split::FIGURES)
        reporter.report(thread, 0); /* of this generation, even if all rows are zero */
    if (by_column)
        split::split_columns(o, reporter, shared.column, copies, chunk, block, thread);
    else
        split::split_rows(o, reporter, shared.row, copies, chunk, block, team, thread);
}

} // namespace isomat

#endif
