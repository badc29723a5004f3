/* SPDX-License-Identifier: MIT */
/*
 * C = alpha * op(A) * op(B) + beta * C in float32 on CUDA cores.
 *
 * Operands  op(A) is m x k, op(B) is k x n, C is m x n, all row-major with
 *           leading dimensions lda, ldb, ldc; any m, n >= 1, k >= 0, any base
 *           address that is a multiple of 4.
 * Numbers   every product and sum is one fma, or an addition of two such sums, in
 *           an order that the sizes alone decide: equal inputs give equal bits.
 *           A sum runs over k = 0, 1, 2, ...; where the registers allow it, it is
 *           put aside every SUM_SLABS slabs and added to a second one, which
 *           rounds less. k may be cut into parts of whole slabs, see abi.h.
 * Limit     arithmetic: a slab of BK takes TM * TN * BK fma a thread.
 *
 * grid      one block for each BM x BN tile of C, in the order of raster(), and
 *           that once for each part of k
 * block     THREADS = (BM / WM) * (BN / WN) warps, each a WM x WN piece
 * warp      4 x 8 lanes, each TM x TN results in quads of 4 x 4. For a 64 x 64
 *           piece, by lane:
 *
 *             columns    0..3  4..7  ..  28..31 | 32..35 ..  60..63
 *             rows 0..3    0     2   ..    14   |    0   ..    14
 *             rows 4..7    1     3   ..    15   |    1   ..    15
 *             rows 8..11  16    18   ..    30   |   16   ..    30
 *             rows 12..15 17    19   ..    31   |   17   ..    31
 *             rows 16..   the same lanes again, down to row 63
 *
 *           so that 16-byte reads of shared memory meet no bank conflict, and
 *           the 8 lanes that are served together ask for 2 pieces of op(A) and
 *           4 of op(B).
 * shared    a ring of STAGES slabs, each BK x BM of op(A) and BK x BN of op(B),
 *           k-major: ISOMAT_GEMM_SHARED_BYTES. A slab's copy starts STAGES - 1
 *           slabs before its use.
 * registers the results, and the operands' values of two k: one is multiplied
 *           while the other is read from shared memory.
 *
 * Edges     what lies outside op(A) or op(B) is zero in shared memory, so only
 *           the copies and the last store look at m, n and k. If BK does not
 *           divide k the first slab is the short one: later copies need not
 *           look at k at all.
 */
#ifndef ISOMAT_KERNELS_GEMM_SIMT_CUH
#define ISOMAT_KERNELS_GEMM_SIMT_CUH

#include "abi.h"
#include "finish.cuh"
#include "gemm_tiles.h"
#include "ptx.cuh"
#include "tile.cuh"

namespace isomat
{

constexpr int LANES_M = 4;
constexpr int LANES_N = 8;

template <bool TRANSPOSE_A_, bool TRANSPOSE_B_, int BM_, int BN_, int BK_, int WM_, int WN_, int STAGES_,
          int THREADS_>
struct Tile {
    static constexpr bool TRANSPOSE_A = TRANSPOSE_A_, TRANSPOSE_B = TRANSPOSE_B_;
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_;
    static constexpr int STAGES = STAGES_, THREADS = THREADS_;
    static constexpr int TM = WM / LANES_M, TN = WN / LANES_N;
    static constexpr int WARPS_N = BN / WN;
    /* A second sum for each result is paid for with as many registers. */
    static constexpr bool TWO_SUMS = TM * TN <= 16;
    static constexpr int SUM_SLABS = 1;

    struct Slab {
        float a[BK][BM + (TRANSPOSE_A ? 0 : ISOMAT_GEMM_PAD)];
        float b[BK][BN + (TRANSPOSE_B ? ISOMAT_GEMM_PAD : 0)];
    };

    static_assert(LANES_M * LANES_N == WARP, "each lane has one place in the warp's piece");
    static_assert(BM % WM == 0 && BN % WN == 0, "warps cover the tile exactly");
    static_assert(THREADS == WARP * (BM / WM) * (BN / WN), "one warp for each piece of the tile");
    static_assert(TM % VECTOR == 0 && TN % VECTOR == 0, "a lane's results come in quads");
    static_assert(ISOMAT_GEMM_PAD % VECTOR == 0, "rows of a slab stay 16-byte aligned");
    static_assert(BK % 2 == 0, "two fragments alternate and meet again after a slab");
    static_assert(STAGES >= 2, "one slab is read while the next is copied");
    static_assert(STAGES * sizeof(Slab) ==
                      ISOMAT_GEMM_SHARED_BYTES(TRANSPOSE_A, TRANSPOSE_B, BM, BN, BK, STAGES),
                  "the host asks for the shared memory that the kernel uses");
};

/* A run of passes of a panel: part `index` of `parts` about equal ones. */
struct Part {
    int index, parts;

    __device__ __forceinline__ constexpr int first(int passes) const
    {
        return index * passes / parts;
    }
    __device__ __forceinline__ constexpr int last(int passes) const
    {
        return (index + 1) * passes / parts;
    }
};

/*
 * Panel: one thread's share of the copies of one operand into [k][i], where i is
 * the row of op(A) or the column of op(B).
 *
 *   fetch   starts a part of a slab's copy. `depth` of the slab's k exist
 *           (WHOLE: all BK); `exists` false writes zeros only.
 *   land    ends a slab's copy where there is no cp.async: the values then wait
 *           in registers between the two.
 *   advance moves on to the next slab.
 */
template <class T, int WIDTH, bool K_CONTIGUOUS> struct Panel;

/* i contiguous: a thread copies 4 neighbours in i, by one 16-byte copy if
 * `vector` allows it, else by four of 4 bytes. */
template <class T, int WIDTH> struct Panel<T, WIDTH, false> {
    static constexpr int CHUNKS = WIDTH / VECTOR;
    static constexpr int ROWS = T::THREADS / CHUNKS; /* of k, in one pass */
    static constexpr int PASSES = T::BK / ROWS;
    static constexpr int STRIDE = WIDTH;
    static_assert(T::THREADS % CHUNKS == 0 && T::BK % ROWS == 0, "passes cover the slab exactly");

    const float *from; /* this thread's first element of the slab */
    int64_t ld;
    int left; /* of i, from that element to the edge */
    int k, to;
    bool vector;
    float4 held[PASSES]; /* only without cp.async */

    __device__ __forceinline__ Panel(const float *base, int64_t ld_, int first, int extent, bool vector_,
                                     int thread)
        : ld(ld_), vector(vector_)
    {
        const int i = thread % CHUNKS * VECTOR;
        k = thread / CHUNKS;
        left = extent - first - i;
        from = base + k * ld + first + i;
        to = k * STRIDE + i;
    }

    template <bool WHOLE>
    __device__ __forceinline__ void fetch(float *slab, int depth, bool exists, Part part)
    {
        const int count = exists ? left : 0;
        if (vector)
            fetch_passes<WHOLE, true>(slab, depth, count, part);
        else
            fetch_passes<WHOLE, false>(slab, depth, count, part);
    }

    template <bool WHOLE, bool BY_VECTOR>
    __device__ __forceinline__ void fetch_passes(float *slab, int depth, int count, Part part)
    {
#pragma unroll
        for (int pass = part.first(PASSES); pass < part.last(PASSES); pass++) {
            const float *source = from + pass * (ROWS * ld);
            const int here = WHOLE || k + pass * ROWS < depth ? count : 0;
#if ISOMAT_HAS_CP_ASYNC
            float *target = slab + to + pass * ROWS * STRIDE;
            if (BY_VECTOR) {
                cp_async_16(target, source, here > 0);
            } else {
                cp_async_4<0>(target + 0, source, here > 0);
                cp_async_4<1>(target + 1, source, here > 1);
                cp_async_4<2>(target + 2, source, here > 2);
                cp_async_4<3>(target + 3, source, here > 3);
            }
#else
            held[pass] = read_up_to_4(source, here, BY_VECTOR);
#endif
        }
    }

    __device__ __forceinline__ void land(float *slab) const
    {
#if !ISOMAT_HAS_CP_ASYNC
#pragma unroll
        for (int pass = 0; pass < PASSES; pass++)
            *reinterpret_cast<float4 *>(slab + to + pass * ROWS * STRIDE) = held[pass];
#endif
    }

    __device__ __forceinline__ void advance(int depth)
    {
        from += depth * ld;
    }
};

/* k contiguous: 4-byte copies turn the operand around on its way. A warp takes
 * 8 of k (one 32-byte sector) from each of 4 rows; ISOMAT_GEMM_PAD spreads the 32
 * targets over the 32 banks. */
template <class T, int WIDTH> struct Panel<T, WIDTH, true> {
    static constexpr int LANES_K = 8;
    static constexpr int ROWS = T::THREADS / LANES_K; /* of i, in one pass */
    static constexpr int PASSES = WIDTH / ROWS;
    static constexpr int STEPS = T::BK / LANES_K; /* copies of a pass */
    static constexpr int STRIDE = WIDTH + ISOMAT_GEMM_PAD;
    static_assert(WIDTH % ROWS == 0 && T::BK % LANES_K == 0 && STEPS <= 4, "passes cover the slab exactly");

    const float *from; /* this thread's first element of the slab */
    int64_t ld;
    int left; /* of i, from that element to the edge */
    int k, to;
    float held[PASSES][STEPS]; /* only without cp.async */

    __device__ __forceinline__ Panel(const float *base, int64_t ld_, int first, int extent, bool, int thread)
        : ld(ld_)
    {
        const int i = thread / LANES_K;
        k = thread % LANES_K;
        left = extent - first - i;
        from = base + (int64_t{first} + i) * ld + k;
        to = k * STRIDE + i;
    }

    template <bool WHOLE>
    __device__ __forceinline__ void fetch(float *slab, int depth, bool exists, Part part)
    {
        const int rows = exists ? left : 0;
#pragma unroll
        for (int pass = part.first(PASSES); pass < part.last(PASSES); pass++) {
            const int here = rows <= pass * ROWS ? 0 : WHOLE ? T::BK : depth - k;
            step<0>(slab, pass, here);
            step<1>(slab, pass, here);
            step<2>(slab, pass, here);
            step<3>(slab, pass, here);
        }
    }

    template <int STEP> __device__ __forceinline__ void step(float *slab, int pass, int here)
    {
        if constexpr (STEP < STEPS) {
            const float *source = from + pass * (ROWS * ld);
            const bool read = STEP * LANES_K < here;
#if ISOMAT_HAS_CP_ASYNC
            cp_async_4<STEP * LANES_K>(slab + to + STEP * LANES_K * STRIDE + pass * ROWS, source, read);
#else
            held[pass][STEP] = read ? source[STEP * LANES_K] : 0.f;
#endif
        }
    }

    __device__ __forceinline__ void land(float *slab) const
    {
#if !ISOMAT_HAS_CP_ASYNC
#pragma unroll
        for (int pass = 0; pass < PASSES; pass++)
#pragma unroll
            for (int s = 0; s < STEPS; s++)
                slab[to + s * LANES_K * STRIDE + pass * ROWS] = held[pass][s];
#endif
    }

    __device__ __forceinline__ void advance(int depth)
    {
        from += depth;
    }
};

__device__ __forceinline__ void commit()
{
#if ISOMAT_HAS_CP_ASYNC
    cp_async_commit_group();
#endif
}

/* Waits for all but the last SLABS committed slabs of this thread. */
template <int SLABS> __device__ __forceinline__ void wait_all_but()
{
#if ISOMAT_HAS_CP_ASYNC
    cp_async_wait_group<SLABS>();
#endif
}

/* A part of k: `slabs` slabs, the first of them `depth` deep, behind `skip` of k. */
struct Stretch {
    int skip, slabs, depth;
};

template <int BK> __device__ __forceinline__ Stretch stretch(int k, int part, int parts)
{
    const int all = ceil_div(k, BK);
    const int each = all / parts, more = all % parts;
    const int first = part * each + min(part, more);
    const int slabs = each + (part < more ? 1 : 0);
    if (first == 0)
        return {0, slabs, k - (all - 1) * BK};
    return {k - (all - first) * BK, slabs, BK};
}

/* The operands' values of one k that a lane multiplies. */
template <class T> struct Fragment {
    float a[T::TM];
    float b[T::TN];

    __device__ __forceinline__ void load(const typename T::Slab &slab, int k, int i, int j)
    {
#pragma unroll
        for (int q = 0; q < T::TM; q += VECTOR)
            *reinterpret_cast<float4 *>(&a[q]) = read_vector(&slab.a[k][i + q * LANES_M]);
#pragma unroll
        for (int q = 0; q < T::TN; q += VECTOR)
            *reinterpret_cast<float4 *>(&b[q]) = read_vector(&slab.b[k][j + q * LANES_N]);
    }
};

/* Columns run to and fro, so that neighbouring fma share a factor: one register
 * less to read, which is what bounds the rate of fma. */
template <class T>
__device__ __forceinline__ void multiply_add(float (&sum)[T::TM][T::TN], const Fragment<T> &f)
{
#pragma unroll
    for (int i = 0; i < T::TM; i++)
#pragma unroll
        for (int step = 0; step < T::TN; step++) {
            const int j = i % 2 ? T::TN - 1 - step : step;
            sum[i][j] = fmaf(f.a[i], f.b[j], sum[i][j]);
        }
}

/* Puts a sum aside and begins a new one. */
template <int TM, int TN>
__device__ __forceinline__ void put_aside(float (&total)[TM][TN], float (&sum)[TM][TN])
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) {
            total[i][j] += sum[i][j];
            sum[i][j] = 0.f;
        }
}

/* c is this lane's first result, of which rows x cols exist to the end of C. */
template <class T>
__device__ __forceinline__ void store(const isomat_gemm_args &g, const float (&sum)[T::TM][T::TN], float *c,
                                      int rows, int cols)
{
    const bool vector = g.flags & ISOMAT_VECTOR_C;
#pragma unroll
    for (int i = 0; i < T::TM; i++) {
        const int down = i / VECTOR * (VECTOR * LANES_M) + i % VECTOR;
        if (down < rows) {
#pragma unroll
            for (int j = 0; j < T::TN; j += VECTOR)
                store_4(c + down * g.ldc + j * LANES_N, &sum[i][j], cols - j * LANES_N, vector, g.alpha,
                        g.beta);
        }
    }
}

/* A tile whose sums this block has stored in w (g.c), from there to C. */
template <class T>
__device__ __forceinline__ void finish_block(const NoFinish &, const isomat_gemm_args &, int, int, int)
{
}
template <class T>
__device__ __forceinline__ void finish_block(const isomat_finish &f, const isomat_gemm_args &g, int row,
                                             int col, int thread)
{
    if (f.c == 0)
        return;
    __syncthreads();
    finish_tile<T::BM, T::BN, T::THREADS, float>(f, g.c, g.ldc, g.m, g.n, row, col, thread);
}

/* Part `part` of `parts` of tile `block`, to c + c_part(), which is asked for at the end: no register
 * holds it in the loop. */
template <class T, class Finish, class Offset>
__device__ __forceinline__ void gemm_part(const isomat_gemm_args &g, const Finish &f, void *shared, int block,
                                          int part, int parts, Offset c_part, int thread)
{
    typedef typename T::Slab Slab;
    Slab *ring = static_cast<Slab *>(shared);

    /* locate */
    const TileIndex tile = raster(block, ceil_div(g.m, T::BM), ceil_div(g.n, T::BN));
    const int row0 = tile.row * T::BM, col0 = tile.col * T::BN;
    const int warp = thread / WARP, lane = thread % WARP;
    const int i = warp / T::WARPS_N * T::WM + (lane / 16 * 2 + lane % 2) * VECTOR;
    const int j = warp % T::WARPS_N * T::WN + lane % 16 / 2 * VECTOR;

    Panel<T, T::BM, !T::TRANSPOSE_A> a(device_pointer(g.a), g.lda, row0, g.m, g.flags & ISOMAT_VECTOR_A,
                                       thread);
    Panel<T, T::BN, T::TRANSPOSE_B> b(device_pointer(g.b), g.ldb, col0, g.n, g.flags & ISOMAT_VECTOR_B,
                                      thread);

    /* fill the ring; the first slab of all is the short one */
    const Stretch here = stretch<T::BK>(g.k, part, parts);
    const int slabs = here.slabs;
    int depth = here.depth;
    a.advance(here.skip);
    b.advance(here.skip);
#pragma unroll 1
    for (int s = 0; s < T::STAGES - 1; s++) {
        a.template fetch<false>(&ring[s].a[0][0], depth, s < slabs, Part{0, 1});
        b.template fetch<false>(&ring[s].b[0][0], depth, s < slabs, Part{0, 1});
        a.land(&ring[s].a[0][0]);
        b.land(&ring[s].b[0][0]);
        a.advance(depth);
        b.advance(depth);
        commit();
        depth = T::BK;
    }
    wait_all_but<T::STAGES - 2>();
    __syncthreads();

    /* multiply. Transposing copies are many: all at once they would stall the warp
     * behind full queues, so they are spread over the first half of a slab, a part
     * every second k. */
    constexpr int PARTS = T::BK / 4;
    float sum[T::TM][T::TN] = {}, total[T::TM][T::TN] = {};
    Fragment<T> fragment[2];
    fragment[0].load(ring[0], 0, i, j);
    int reading = 0, writing = T::STAGES - 1;
#pragma unroll 1
    for (int s = 0; s < slabs; s++) {
        const bool exists = s + T::STAGES - 1 < slabs;
        Slab *target = &ring[writing];
#pragma unroll
        for (int k = 0; k < T::BK; k++) {
            if (k == T::BK - 1) { /* the next slab must be there, and this one be read */
                a.land(&target->a[0][0]);
                b.land(&target->b[0][0]);
                a.advance(T::BK);
                b.advance(T::BK);
                commit();
                wait_all_but<T::STAGES - 2>();
                __syncthreads();
                writing = reading;
                reading = reading + 1 == T::STAGES ? 0 : reading + 1;
            }
            fragment[(k + 1) % 2].load(ring[reading], (k + 1) % T::BK, i, j);
            if (k % 2 == 0 && k / 2 < PARTS) {
                const Part part{k / 2, PARTS}, all{0, 1};
                if (!T::TRANSPOSE_A || k == 0)
                    a.template fetch<true>(&target->a[0][0], T::BK, exists, T::TRANSPOSE_A ? all : part);
                if (T::TRANSPOSE_B || k == 0)
                    b.template fetch<true>(&target->b[0][0], T::BK, exists, T::TRANSPOSE_B ? part : all);
            }
            multiply_add<T>(sum, fragment[k % 2]);
        }
        if (T::TWO_SUMS && (s + 1) % T::SUM_SLABS == 0)
            put_aside(total, sum);
    }
    wait_all_but<0>();
    if (parts > 1)
        griddepcontrol_launch_dependents(); /* isomat_gemm_f32_reduce */
    if (T::TWO_SUMS && T::SUM_SLABS > 1)
        put_aside(total, sum);

    float *c = device_pointer(g.c) + c_part() + (int64_t{row0} + i) * g.ldc + col0 + j;
    store<T>(g, T::TWO_SUMS ? total : sum, c, g.m - row0 - i, g.n - col0 - j);
    finish_block<T>(f, g, row0, col0, thread);
}

/* A whole tile. */
template <class T, class Finish>
__device__ __forceinline__ void gemm_simt(const isomat_gemm_args &g, const Finish &f, void *shared, int block,
                                          int thread)
{
    gemm_part<T>(
        g, f, shared, block, 0, 1, [] { return int64_t{0}; }, thread);
}

/* The part of k that a block takes: blocks run over the tiles, and then over the parts. */
template <class T> __device__ __forceinline__ int part_of(const isomat_gemm_parts_args &g, int block)
{
    return g.parts > 1 ? block / (ceil_div(g.gemm.m, T::BM) * ceil_div(g.gemm.n, T::BN)) : 0;
}

template <class T>
__device__ __forceinline__ void gemm_simt_parts(const isomat_gemm_parts_args &g, void *shared, int block,
                                                int thread)
{
    const int tiles = ceil_div(g.gemm.m, T::BM) * ceil_div(g.gemm.n, T::BN);
    const int part = part_of<T>(g, block);
    const auto c_part = [&g] { return part_of<T>(g, block_index()) * g.c_part; };
    gemm_part<T>(g.gemm, g.finish, shared, block - part * tiles, part, max(g.parts, 1), c_part, thread);
}

} // namespace isomat

#endif
