/* SPDX-License-Identifier: MIT */
/*
 * C = alpha * op(A) * op(B) + beta * C on tensor cores by mma.sync, sm_80 and up.
 *
 * Operands  as gemm_simt.cuh has them: row-major, any m, n >= 1, k >= 0, any
 *           leading dimension, any base address that is a multiple of the element.
 *           A and B hold what the mode says, C the type of c_type.
 * Numbers   F16, BF16  products exact, sums in float32
 *           TF32       A and B rounded to 11 significant bits, ties away from
 *                      zero (beyond 2^128 - 2^116 to infinity), then likewise
 *           F32X3      float32 from three products of TF32, see below
 *           The tensor core truncates as it adds. Order and grouping of the sums
 *           are fixed, so equal inputs give equal bits.
 * Limit     the tensor cores; behind them shared memory, of which a step of 32
 *           bytes of k reads 32 * (WM + WN) bytes a warp.
 *
 * grid      one block for each BM x BN tile of C, in the order of raster()
 * block     (BM / WM) * (BN / WN) warps, each a WM x WN piece of 16 x 8 tiles
 * shared    a ring of STAGES slabs: BK of k of op(A) and of op(B), 64 or 128 bytes. Rows
 *           lie as they are stored, along k or across it, in chunks of 16 bytes
 *           whose place in the row is XORed with the row's number, so that neither
 *           the copies nor the reads meet a bank conflict. The chunks of rows of 64 bytes:
 *
 *             r 0   0 1 2 3     r 1   0 1 2 3
 *             r 2   1 0 3 2     r 3   1 0 3 2
 *             r 4   2 3 0 1     r 5   2 3 0 1
 *             r 6   3 2 1 0     r 7   3 2 1 0    then again
 *
 * reads     ldmatrix gives a lane what mma.sync wants of it: 4 bytes of k of row
 *           l / 4 of each 8 x 16-byte matrix. Across k it transposes 16-bit
 *           elements on the way; float32 it cannot, and is read word by word.
 * registers the results, and the operands' values of two steps: one is multiplied
 *           while the other is read.
 * Edges     what lies outside op(A) or op(B) is zero in shared memory.
 * Store     the warp turns 16 rows at a time in shared memory, and writes them
 *           along C's rows, 4 elements a lane.
 *
 * F32X3     x = hi + lo: hi is x without its last 13 bits, so finite stays finite;
 *           lo = x - hi, exactly, rounded to TF32. For each step of 8 of k
 *
 *             p = lo hi + hi lo + hi hi   small ones first, in the tensor core from 0
 *             sum = sum + p               rounded to nearest, outside
 *
 *           In units of 2^-24 |A||B| of the step: lo lo is left out, 16; two
 *           roundings of lo, 8 each; a tensor core that adds 4 products at a time
 *           and keeps 1 bit more than float32 loses 7 in each of 2 additions of
 *           hi hi, and 0.1 in those of lo. With what underflow takes, below 1, that
 *           is 48; the sums outside take k / 8, alpha 1. From k = 56 on this is
 *           within the k of IEEE float32; ISOMAT_GEMM_F32X3_K_MIN has a margin.
 *
 *           Underflow: while every nonzero |x| is at least 2^-60, lo keeps its bits
 *           (TF32's least is 2^-136), every nonzero product is at least 2^-120, and
 *           the 28 truncations of 2^-149 in the 4 additions of lo are below 2^-24 of
 *           one product; a block that meets a smaller one, or whose sums are not
 *           all finite (a NaN or infinity makes lo a NaN), or whose k is too short,
 *           does its tile again as gemm_simt does it.
 */
#ifndef ISOMAT_KERNELS_GEMM_MMA_CUH
#define ISOMAT_KERNELS_GEMM_MMA_CUH

#include "abi.h"
#include "element.cuh"
#include "finish.cuh"
#include "gemm_simt.cuh"
#include "mma_tiles.h"
#include "ptx.cuh"
#include "tile.cuh"

namespace isomat
{
namespace mma
{

enum Mode { F16, BF16, TF32, F32X3 };

constexpr int CHUNK = 16;              /* bytes of one copy, of a row of ldmatrix */
constexpr int STEP_BYTES = 32;         /* of k that one mma.sync multiplies */
constexpr int TILE_M = 16, TILE_N = 8; /* results of one mma.sync */
constexpr int UNIT = 16;               /* rows of op(A), columns of op(B) that one ldmatrix reads */
constexpr int STORE_PAD = 8;           /* floats: rows of the turned piece start 8 banks apart */

/* A slab of one operand: WIDTH rows of op(A) or columns of op(B), DEPTH of k. */
template <int WIDTH, int DEPTH, int BYTES_, bool K_CONTIGUOUS_> struct Panel {
    static constexpr bool K_CONTIGUOUS = K_CONTIGUOUS_;
    static constexpr int BYTES = BYTES_; /* of an element */
    static constexpr bool BY_WORD = !K_CONTIGUOUS && BYTES == 4;
    static constexpr int ROWS = K_CONTIGUOUS ? WIDTH : DEPTH;
    static constexpr int ROW_BYTES = (K_CONTIGUOUS ? DEPTH : WIDTH) * BYTES;
    static constexpr int CHUNKS = ROW_BYTES / CHUNK; /* of a row */
    static constexpr int SIZE = ROWS * ROW_BYTES;
    static constexpr int LINE = 128 / CHUNK;       /* chunks that span the banks once */
    static constexpr int PERIOD = BY_WORD ? 4 : 8; /* of rows, after which swizzle() repeats */

    /* What a chunk's place is XORed with. By words, a warp reads 8 neighbours, which
     * are 2 chunks, from each of 4 rows. */
    static __device__ __forceinline__ int swizzle(int row)
    {
        return BY_WORD ? row % 4 * 2 : CHUNKS >= LINE ? row % LINE : row / (LINE / CHUNKS) % CHUNKS;
    }

    static_assert(CHUNKS * CHUNK == ROW_BYTES && (CHUNKS & (CHUNKS - 1)) == 0, "rows are whole chunks");
    static_assert(CHUNKS >= 4 && (!BY_WORD || CHUNKS >= LINE), "the swizzle spans the banks");
};

template <Mode MODE_, bool TRANSPOSE_A_, bool TRANSPOSE_B_, int BM_, int BN_, int BK_, int WM_, int WN_,
          int STAGES_, int THREADS_>
struct Tile {
    static constexpr Mode MODE = MODE_;
    static constexpr bool TRANSPOSE_A = TRANSPOSE_A_, TRANSPOSE_B = TRANSPOSE_B_;
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_;
    static constexpr int STAGES = STAGES_, THREADS = THREADS_;
    static constexpr int BYTES = MODE == F16 || MODE == BF16 ? 2 : 4;
    static constexpr int STEPS = BK * BYTES / STEP_BYTES; /* of a slab */
    static constexpr int TM = WM / TILE_M, TN = WN / TILE_N;
    static constexpr int WARPS_M = BM / WM, WARPS_N = BN / WN;

    using A = Panel<BM, BK, BYTES, !TRANSPOSE_A>;
    using B = Panel<BN, BK, BYTES, TRANSPOSE_B>;
    struct alignas(CHUNK) Slab {
        char a[A::SIZE];
        char b[B::SIZE];
    };
    struct Turned { /* 16 rows of a warp's results */
        float at[TILE_M][WN + STORE_PAD];
    };

    static_assert(BM % WM == 0 && BN % WN == 0, "warps cover the tile exactly");
    static_assert(THREADS == WARP * WARPS_M * WARPS_N, "one warp for each piece of the tile");
    static_assert(WM % 32 == 0 && WN % 32 == 0, "a warp's first chunk and a unit's share no bit");
    static_assert(STEPS % 2 == 0, "two fragments alternate and meet again after a slab");
    static_assert(STAGES >= 3, "one slab is read while others are copied");
    static_assert(sizeof(Turned) * WARPS_M * WARPS_N <= STAGES * sizeof(Slab), "the results fit the ring");
};

/* How the rows of an operand may be moved; elements of 4 bytes are words, of 8 two. */
enum Access { BY_CHUNK, BY_4_BYTES, BY_ELEMENT };

__device__ __forceinline__ Access access_of(uint32_t flags, uint32_t vector, uint32_t word)
{
    return flags & vector ? BY_CHUNK : flags & word ? BY_4_BYTES : BY_ELEMENT;
}

/*
 * One thread's share of the copies of an operand into its Panel: one chunk in each
 * PASS_ROWS rows. fetch starts a slab's copy, advance moves on to the next.
 */
template <class P, int THREADS, int BK> struct Copy {
    static constexpr int PER_CHUNK = CHUNK / P::BYTES;
    static constexpr int PASS_ROWS = THREADS / P::CHUNKS;
    static constexpr int PASSES = P::ROWS / PASS_ROWS;
    static_assert(THREADS % P::CHUNKS == 0 && P::ROWS % PASS_ROWS == 0, "passes cover the slab exactly");
    static_assert(PASS_ROWS % P::PERIOD == 0, "a thread's chunks have one swizzle");

    const char *from; /* this thread's first chunk of the slab */
    int64_t ld;       /* in bytes */
    int rows, along;  /* left to the edge, from that chunk: rows; elements of its row */
    int to;
    Access access;

    __device__ __forceinline__ Copy(uint64_t base, int64_t ld_, int first, int extent, int k, Access access_,
                                    int thread)
        : ld(ld_ * P::BYTES), access(P::BYTES == 4 && access_ == BY_ELEMENT ? BY_4_BYTES : access_)
    {
        const int row = thread / P::CHUNKS, chunk = thread % P::CHUNKS;
        const int first_row = P::K_CONTIGUOUS ? first : 0, first_along = P::K_CONTIGUOUS ? 0 : first;
        rows = (P::K_CONTIGUOUS ? extent : k) - first_row - row;
        along = (P::K_CONTIGUOUS ? k : extent) - first_along - chunk * PER_CHUNK;
        from = reinterpret_cast<const char *>(base) + (int64_t{first_row} + row) * ld +
               (int64_t{first_along} + chunk * PER_CHUNK) * P::BYTES;
        to = row * P::ROW_BYTES + (chunk ^ P::swizzle(row)) * CHUNK;
    }

    __device__ __forceinline__ void fetch(char *slab) const
    {
        if (access == BY_CHUNK)
            fetch_as<BY_CHUNK>(slab + to);
        else if (P::BYTES != 8 && access == BY_4_BYTES)
            fetch_as<BY_4_BYTES>(slab + to);
        else if (P::BYTES != 4)
            fetch_as<BY_ELEMENT>(slab + to);
    }

    template <Access ACCESS> __device__ __forceinline__ void fetch_as(char *target) const
    {
        const int here = min(max(along, 0), PER_CHUNK);
#pragma unroll(ACCESS == BY_CHUNK ? PASSES : 1)
        for (int pass = 0; pass < PASSES; pass++) {
            const int count = pass * PASS_ROWS < rows ? here : 0;
            chunk<ACCESS>(target + pass * PASS_ROWS * P::ROW_BYTES, from + pass * PASS_ROWS * ld, count);
        }
    }

    /* One chunk, of which the first `count` elements exist; the rest are zeros. */
    template <Access ACCESS>
    static __device__ __forceinline__ void chunk(char *target, const char *source, int count)
    {
        if (ACCESS == BY_CHUNK) {
            cp_async_16(target, source, count * P::BYTES);
        } else if (ACCESS == BY_4_BYTES) {
            const int bytes = count * P::BYTES;
            const float *words = reinterpret_cast<const float *>(source);
            cp_async_4<0>(target + 0, words, min(bytes, 4));
            cp_async_4<1>(target + 4, words, min(max(bytes - 4, 0), 4));
            cp_async_4<2>(target + 8, words, min(max(bytes - 8, 0), 4));
            cp_async_4<3>(target + 12, words, max(bytes - 12, 0));
        } else if (P::BYTES == 8) {
            cp_async_8<0>(target + 0, source, min(count, 1) * 8);
            cp_async_8<1>(target + 8, source, max(count - 1, 0) * 8);
        } else { /* 16-bit elements at odd places */
            const uint16_t *elements = reinterpret_cast<const uint16_t *>(source);
            uint32_t words[4] = {};
#pragma unroll
            for (int e = 0; e < CHUNK / 2; e++)
                if (e < count)
                    words[e / 2] |= static_cast<uint32_t>(elements[e]) << e % 2 * 16;
            *reinterpret_cast<uint4 *>(target) = make_uint4(words[0], words[1], words[2], words[3]);
        }
    }

    __device__ __forceinline__ void advance(int slabs = 1)
    {
        if (P::K_CONTIGUOUS) {
            from += int64_t{slabs} * (BK * P::BYTES);
            along -= slabs * BK;
        } else {
            from += slabs * (BK * ld);
            rows -= slabs * BK;
        }
    }
};

/*
 * Where a lane reads: units of 16 rows of op(A), or 16 columns of op(B), for one
 * step. The four registers are, for A, (rows 0..7, low k), (rows 8..15, low k),
 * (rows 0..7, high k), (rows 8..15, high k), as mma.sync takes them; for B, two
 * tiles of 8 columns, low k and high k each.
 */
template <class P, bool IS_A> struct Reader {
    int offset;

    __device__ __forceinline__ Reader(int first, int lane)
    {
        /* Which matrix a lane's address is for: bit 0 or 1 of lane / 8 says upper 8 rows. */
        const bool k_is_bit_1 = IS_A;
        const int bit_0 = lane / 8 % 2, bit_1 = lane / 16;
        const int high = k_is_bit_1 ? bit_0 : bit_1; /* rows of op(A), columns of op(B) */
        const int high_k = k_is_bit_1 ? bit_1 : bit_0;
        int row, chunk, inside = 0;
        if (P::BY_WORD) {
            row = lane % 4;
            chunk = first / 4 + lane / 16;
            inside = lane / 4 % 4 * 4;
        } else if (P::K_CONTIGUOUS) {
            row = first + lane % 8 + high * 8;
            chunk = high_k;
        } else {
            row = lane % 8 + high_k * 8;
            chunk = first / 8 + high;
        }
        offset = row * P::ROW_BYTES + (chunk ^ P::swizzle(row)) * CHUNK + inside;
    }

    /* Steps and units have bits of their own in the chunk's number, so XOR adds them. */
    __device__ __forceinline__ void read(uint32_t (&to)[4], const char *slab, int unit, int step) const
    {
        if (P::BY_WORD) {
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const int high = IS_A ? r % 2 : r / 2, high_k = IS_A ? r / 2 : r % 2;
                to[r] = *reinterpret_cast<const uint32_t *>(slab + (offset ^ (unit * 4 + high * 2) * CHUNK) +
                                                            (step * 8 + high_k * 4) * P::ROW_BYTES);
            }
        } else if (P::K_CONTIGUOUS) {
            ldmatrix_x4(to, slab + (offset ^ step * STEP_BYTES) + unit * UNIT * P::ROW_BYTES);
        } else {
            ldmatrix_x4_trans(to, slab + (offset ^ unit * 2 * CHUNK) + step * 16 * P::ROW_BYTES);
        }
    }
};

/* A warp's operands of one step. */
template <class T> struct Fragment {
    uint32_t a[T::WM / UNIT][4];
    uint32_t b[T::WN / UNIT][4];

    __device__ __forceinline__ void load(const typename T::Slab &slab, const Reader<typename T::A, true> &ra,
                                         const Reader<typename T::B, false> &rb, int step)
    {
#pragma unroll
        for (int i = 0; i < T::WM / UNIT; i++)
            ra.read(a[i], slab.a, i, step);
#pragma unroll
        for (int j = 0; j < T::WN / UNIT; j++)
            rb.read(b[j], slab.b, j, step);
    }
};

template <class T>
__device__ __forceinline__ void tile_product(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[4],
                                             int half)
{
    if (T::MODE == F16)
        mma_m16n8k16_f16(d, a, b[half * 2], b[half * 2 + 1]);
    else if (T::MODE == BF16)
        mma_m16n8k16_bf16(d, a, b[half * 2], b[half * 2 + 1]);
    else
        mma_m16n8k8_tf32(d, a, b[half * 2], b[half * 2 + 1]);
}

template <int N> __device__ __forceinline__ void round_to_tf32(uint32_t (&x)[N][4])
{
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int r = 0; r < 4; r++)
            x[i][r] = cvt_rna_tf32(__uint_as_float(x[i][r]));
}

/* x becomes hi. */
template <int N> __device__ __forceinline__ void split(uint32_t (&x)[N][4], uint32_t (&lo)[N][4])
{
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const uint32_t hi = x[i][r] & 0xffffe000u;
            lo[i][r] = cvt_rna_tf32(__uint_as_float(x[i][r]) - __uint_as_float(hi));
            x[i][r] = hi;
        }
}

/* sum += product of the step; the fragment is used up. */
template <class T> __device__ __forceinline__ void multiply_add(float (&sum)[T::TM][T::TN][4], Fragment<T> &f)
{
    if constexpr (T::MODE == F32X3) {
        Fragment<T> lo;
        split(f.a, lo.a);
        split(f.b, lo.b);
#pragma unroll
        for (int i = 0; i < T::TM; i++) {
            float p[T::TN][4] = {};
#pragma unroll
            for (int j = 0; j < T::TN; j++)
                tile_product<T>(p[j], lo.a[i], f.b[j / 2], j % 2);
#pragma unroll
            for (int j = 0; j < T::TN; j++)
                tile_product<T>(p[j], f.a[i], lo.b[j / 2], j % 2);
#pragma unroll
            for (int j = 0; j < T::TN; j++)
                tile_product<T>(p[j], f.a[i], f.b[j / 2], j % 2);
#pragma unroll
            for (int j = 0; j < T::TN; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    sum[i][j][e] += p[j][e];
        }
    } else {
        if (T::MODE == TF32) {
            round_to_tf32(f.a);
            round_to_tf32(f.b);
        }
#pragma unroll
        for (int i = 0; i < T::TM; i++)
#pragma unroll
            for (int j = 0; j < T::TN; j++)
                tile_product<T>(sum[i][j], f.a[i], f.b[j / 2], j % 2);
    }
}

/* The least nonzero magnitude that this thread has seen, as 2 |x| - 1 in bits, where
 * a zero is the largest; and what of it is too small. */
struct Guard {
    static constexpr uint32_t LIMIT = ((127u - 60) << 24) - 1; /* 2^-60 */
    uint32_t least = 0xffffffffu;

    template <int N> __device__ __forceinline__ void look(const uint32_t (&x)[N][4])
    {
#pragma unroll
        for (int i = 0; i < N; i++)
#pragma unroll
            for (int r = 0; r < 4; r++)
                least = min(least, (x[i][r] << 1) - 1);
    }

    template <int M, int N> __device__ __forceinline__ bool refuses(const float (&sum)[M][N][4]) const
    {
        float zero = 0.f; /* unless a sum is not finite */
#pragma unroll
        for (int i = 0; i < M; i++)
#pragma unroll
            for (int j = 0; j < N; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    zero = fmaf(sum[i][j][e], 0.f, zero);
        return least < LIMIT || !(zero == 0.f);
    }
};

/* This warp's piece of the tile at (row0, col0). At the end the ring is free. */
template <class T>
__device__ __forceinline__ void product(const isomat_gemm_mma_args &g, typename T::Slab *ring, int row0,
                                        int col0, int thread, float (&sum)[T::TM][T::TN][4], Guard &guard)
{
    const int warp = thread / WARP, lane = thread % WARP;
    const int warp_m = warp / T::WARPS_N, warp_n = warp % T::WARPS_N;
    Copy<typename T::A, T::THREADS, T::BK> a(g.a, g.lda, row0, g.m, g.k,
                                             access_of(g.flags, ISOMAT_VECTOR_A, ISOMAT_WORD_A), thread);
    Copy<typename T::B, T::THREADS, T::BK> b(g.b, g.ldb, col0, g.n, g.k,
                                             access_of(g.flags, ISOMAT_VECTOR_B, ISOMAT_WORD_B), thread);
    const Reader<typename T::A, true> ra(warp_m * T::WM, lane);
    const Reader<typename T::B, false> rb(warp_n * T::WN, lane);

    /* fill the ring; slabs past the end of k are all zeros */
    const int slabs = ceil_div(g.k, T::BK);
#pragma unroll 1
    for (int s = 0; s < T::STAGES - 1; s++) {
        a.fetch(ring[s].a);
        b.fetch(ring[s].b);
        a.advance();
        b.advance();
        cp_async_commit_group();
    }
    cp_async_wait_group<T::STAGES - 2>();
    __syncthreads();

    Fragment<T> fragment[2];
    fragment[0].load(ring[0], ra, rb, 0);
    int reading = 0, writing = T::STAGES - 1;
#pragma unroll 1
    for (int s = 0; s < slabs; s++) {
#pragma unroll
        for (int step = 0; step < T::STEPS; step++) {
            if (step == T::STEPS - 1) { /* the next slab must be there, and this one be read */
                cp_async_commit_group();
                cp_async_wait_group<T::STAGES - 2>();
                __syncthreads();
                writing = reading;
                reading = reading + 1 == T::STAGES ? 0 : reading + 1;
            }
            fragment[(step + 1) % 2].load(ring[reading], ra, rb, (step + 1) % T::STEPS);
            if (step == 0) {
                a.fetch(ring[writing].a);
                b.fetch(ring[writing].b);
                a.advance();
                b.advance();
            }
            if (T::MODE == F32X3) { /* the warps that share an operand take turns */
                if (T::WARPS_N == 1 || (s * T::STEPS + step) % T::WARPS_N == warp_n)
                    guard.look(fragment[step % 2].a);
                if (T::WARPS_M == 1 || (s * T::STEPS + step) % T::WARPS_M == warp_m)
                    guard.look(fragment[step % 2].b);
            }
            multiply_add<T>(sum, fragment[step % 2]);
        }
    }
    cp_async_wait_group<0>();
}

/* Rows of a warp's results, from (row, col) of C on; `lane` writes 4 neighbours. */
template <class T, class Element>
__device__ __forceinline__ void store_turned(const isomat_gemm_mma_args &g, const typename T::Turned &turned,
                                             int row, int col, int lane)
{
    constexpr int ACROSS = T::WN / VECTOR, DOWN = WARP / ACROSS;
    const int right = lane % ACROSS * VECTOR;
    const bool vector = g.flags & ISOMAT_VECTOR_C;
    const int count = g.n - col - right;
#pragma unroll 2
    for (int down = lane / ACROSS; down < TILE_M; down += DOWN) {
        if (row + down >= g.m)
            break;
        const float4 x = read_vector(&turned.at[down][right]);
        const float sum[VECTOR] = {x.x, x.y, x.z, x.w};
        Element *c = reinterpret_cast<Element *>(g.c) + (int64_t{row} + down) * g.ldc + col + right;
        Quad<Element> quad;
        if (g.beta != 0.f)
            quad = read(c, count, vector);
#pragma unroll
        for (int i = 0; i < VECTOR; i++) {
            const float old = g.beta != 0.f ? widen(quad.at[i]) : 0.f;
            narrow(quad.at[i], fmaf(g.beta, old, g.alpha * sum[i]));
        }
        write(c, quad, count, vector);
    }
}

template <class T>
__device__ __forceinline__ void finish_turned(const isomat_gemm_mma_args &g, const typename T::Turned &turned,
                                              int row, int col, int lane)
{
    constexpr int ACROSS = T::WN / VECTOR, DOWN = WARP / ACROSS;
    const int right = lane % ACROSS * VECTOR;
    if (col + right >= g.n)
        return;
#pragma unroll 1
    for (int down = lane / ACROSS; down < TILE_M && row + down < g.m; down += DOWN) {
        const float4 x = read_vector(&turned.at[down][right]);
        float v[VECTOR] = {g.alpha * x.x, g.alpha * x.y, g.alpha * x.z, g.alpha * x.w};
        finish(g.finish, v, row + down, col + right, min(g.n - col - right, VECTOR),
               finish_beta<float>(g.finish));
    }
}

template <class T>
__device__ __forceinline__ void store(const isomat_gemm_mma_args &g, const float (&sum)[T::TM][T::TN][4],
                                      typename T::Turned &turned, int row, int col, int lane)
{
#pragma unroll 1
    for (int i = 0; i < T::TM; i++) {
#pragma unroll
        for (int constant = 0; constant < T::TM; constant++) /* an index of registers is none */
            if (constant == i) {
#pragma unroll
                for (int j = 0; j < T::TN; j++)
#pragma unroll
                    for (int half = 0; half < 2; half++)
                        *reinterpret_cast<float2 *>(
                            &turned.at[lane / 4 + half * 8][j * TILE_N + lane % 4 * 2]) =
                            make_float2(sum[constant][j][half * 2], sum[constant][j][half * 2 + 1]);
            }
        __syncwarp();
        if (g.finish.c)
            finish_turned<T>(g, turned, row + i * TILE_M, col, lane);
        else if (T::MODE == F32X3 || g.c_type == ISOMAT_ELEMENT_F32)
            store_turned<T, f32>(g, turned, row + i * TILE_M, col, lane);
        else if (g.c_type == ISOMAT_ELEMENT_F16)
            store_turned<T, f16>(g, turned, row + i * TILE_M, col, lane);
        else
            store_turned<T, bf16>(g, turned, row + i * TILE_M, col, lane);
        __syncwarp();
    }
}

/* The tile on CUDA cores. */
template <class T>
__device__ __forceinline__ void strict_tile(const isomat_gemm_mma_args &g, void *shared, int block,
                                            int thread)
{
    constexpr int WM = 32, WN = T::BM * T::BN / T::THREADS;
    using Strict = isomat::Tile<T::TRANSPOSE_A, T::TRANSPOSE_B, T::BM, T::BN, 16, WM, WN, 3, T::THREADS>;
    static_assert(Strict::STAGES * sizeof(typename Strict::Slab) <= T::STAGES * sizeof(typename T::Slab),
                  "its ring fits ours");
    /* its vectors are whole */
    const bool whole_a = (T::TRANSPOSE_A ? g.m : g.k) % VECTOR == 0;
    const bool whole_b = (T::TRANSPOSE_B ? g.k : g.n) % VECTOR == 0;
    const isomat_gemm_args args{g.a,
                                g.b,
                                g.c,
                                g.lda,
                                g.ldb,
                                g.ldc,
                                g.m,
                                g.n,
                                g.k,
                                (whole_a ? g.flags & ISOMAT_VECTOR_A : 0) |
                                    (whole_b ? g.flags & ISOMAT_VECTOR_B : 0) | (g.flags & ISOMAT_VECTOR_C),
                                g.alpha,
                                g.beta};
    gemm_simt<Strict>(args, g.finish, shared, block, thread);
}

template <class T>
__device__ __forceinline__ void gemm(const isomat_gemm_mma_args &g, void *shared, int block, int thread)
{
    const TileIndex tile = raster(block, ceil_div(g.m, T::BM), ceil_div(g.n, T::BN));
    const int row0 = tile.row * T::BM, col0 = tile.col * T::BN;
    const int warp = thread / WARP, lane = thread % WARP;
    float sum[T::TM][T::TN][4] = {};
    Guard guard;

    if constexpr (T::MODE == F32X3) {
        bool strict = g.k < ISOMAT_GEMM_F32X3_K_MIN;
        if (!strict) {
            product<T>(g, static_cast<typename T::Slab *>(shared), row0, col0, thread, sum, guard);
            strict = __syncthreads_or(guard.refuses(sum));
        }
        if (strict) {
            strict_tile<T>(g, shared, block, thread);
            return;
        }
    } else {
        product<T>(g, static_cast<typename T::Slab *>(shared), row0, col0, thread, sum, guard);
        __syncthreads();
    }
    store<T>(g, sum, static_cast<typename T::Turned *>(shared)[warp], row0 + warp / T::WARPS_N * T::WM,
             col0 + warp % T::WARPS_N * T::WN, lane);
}

} // namespace mma
} // namespace isomat

/* The entry point of one row of mma_tiles.h. */
#define ISOMAT_GEMM_MMA_ENTRY(MODE, mode, layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)       \
    extern "C" __global__ void __launch_bounds__(threads, blocks)                                            \
        isomat_gemm_##mode##_##layout##_##bm##x##bn##x##bk(                                                  \
            const __grid_constant__ isomat_gemm_mma_args args)                                               \
    {                                                                                                        \
        extern __shared__ float4 slabs[];                                                                    \
        using Tile = isomat::mma::Tile<isomat::mma::MODE, ta, tb, bm, bn, bk, wm, wn, stages, threads>;      \
        static_assert(stages * sizeof(Tile::Slab) == ISOMAT_GEMM_MMA_SHARED_BYTES(mode, bm, bn, bk, stages), \
                      "the host asks for the shared memory that the kernel uses");                           \
        isomat::mma::gemm<Tile>(args, slabs, blockIdx.x, threadIdx.x);                                       \
    }

#endif
