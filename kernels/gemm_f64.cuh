/* SPDX-License-Identifier: MIT */
/*
 * C = alpha * op(A) * op(B) + beta * C in float64, on tensor cores where they have it.
 *
 * Operands  as gemm_simt.cuh has them, in float64: row-major, any m, n >= 1, k >= 0,
 *           any leading dimension, any base address that is a multiple of 8.
 * Numbers   every product and sum is one IEEE fused multiply-add, in an order that the
 *           sizes alone decide: equal inputs give equal bits. k may be cut into
 *           parts of whole slabs, see abi.h.
 * Limit     the tensor cores; behind them shared memory, of which a step of 8 of k
 *           reads 64 * (WX + WY) bytes a warp, and L2.
 *
 * grid      one block for each BM x BN tile of C, in the order of raster(), and
 *           that once for each part of k
 * block     (BM * BN) / (WX * WY) warps, each a piece of units of 16 x 16
 * shared    a ring of STAGES slabs: BK of k of op(A) and of op(B). Rows lie as they
 *           are stored, along k or across it, in chunks of 16 bytes whose place in
 *           the row is XORed so that no read meets a bank conflict.
 * mma.sync  multiplies X, 16 x 16, by Y, 16 x 8. A lane has of each what lies together in its
 *           registers, so that nothing is moved between shared memory and the
 *           tensor cores. Of X that is rows l / 4 and l / 4 + 8, whose numbers are
 *           free: neighbours, read as 16 bytes, where X lies across k, which is why X is
 *
 *             stored     nn    nt    tn    tt
 *             X          B^T   A     B^T   A     and Y the other; with B^T the
 *                                                product is C^T
 *
 *           Either way a lane's results are pairs of neighbours in rows of C.
 * registers the results, and the operands' values of two steps: one is multiplied
 *           while the other is read.
 * Edges     what lies outside op(A) or op(B) is zero in shared memory.
 * Elsewhere without such tensor cores the lane has the same results, by fma.
 */
#ifndef ISOMAT_KERNELS_GEMM_F64_CUH
#define ISOMAT_KERNELS_GEMM_F64_CUH

#include <type_traits>

#include "abi.h"
#include "f64_tiles.h"
#include "finish.cuh"
#include "gemm_mma.cuh"

/* Architectures whose tensor cores are faster at float64 than fma is. */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
#define ISOMAT_HAS_MMA_F64 1
#else
#define ISOMAT_HAS_MMA_F64 0
#endif

namespace isomat
{
namespace dgemm
{

using mma::CHUNK;

constexpr int STEP = 8;  /* of k that one mma.sync multiplies */
constexpr int UNIT = 16; /* rows of X and columns of Y */

/* A slab of one operand: WIDTH rows of op(A) or columns of op(B), DEPTH of k. */
template <int WIDTH, int DEPTH, bool K_CONTIGUOUS_> struct Panel {
    static constexpr bool K_CONTIGUOUS = K_CONTIGUOUS_;
    static constexpr int BYTES = 8;  /* of an element */
    static constexpr int PERIOD = 4; /* of rows, after which swizzle() repeats */
    static constexpr int ROWS = K_CONTIGUOUS ? WIDTH : DEPTH;
    static constexpr int ROW_BYTES = (K_CONTIGUOUS ? DEPTH : WIDTH) * BYTES;
    static constexpr int CHUNKS = ROW_BYTES / CHUNK; /* of a row */
    static constexpr int SIZE = ROWS * ROW_BYTES;

    /* What a chunk's place is XORed with. Lanes that are served together read 2 chunks of
     * each of 4 rows. */
    static __device__ __forceinline__ constexpr int swizzle(int row)
    {
        return row % 4 * 2;
    }

    /* Of an element of op(A), or of op(B) with its column for i. */
    static __device__ __forceinline__ int offset(int i, int k)
    {
        const int row = K_CONTIGUOUS ? i : k, along = K_CONTIGUOUS ? k : i;
        return row * ROW_BYTES + (along / 2 ^ swizzle(row)) * CHUNK + along % 2 * BYTES;
    }

    static_assert(CHUNKS >= 8 && (CHUNKS & (CHUNKS - 1)) == 0, "the swizzle spans the banks");
    static_assert(WIDTH % UNIT == 0 && DEPTH % STEP == 0, "whole units and steps");
};

template <bool TRANSPOSE_A_, bool TRANSPOSE_B_, int BM_, int BN_, int BK_, int WX_, int WY_, int STAGES_,
          int THREADS_>
struct Tile {
    static constexpr bool TRANSPOSE_A = TRANSPOSE_A_, TRANSPOSE_B = TRANSPOSE_B_;
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WX = WX_, WY = WY_;
    static constexpr int STAGES = STAGES_, THREADS = THREADS_;
    static constexpr int STEPS = BK / STEP;                        /* of a slab */
    static constexpr int UNITS_X = WX / UNIT, UNITS_Y = WY / UNIT; /* of a warp */

    using A = Panel<BM, BK, !TRANSPOSE_A>;
    using B = Panel<BN, BK, TRANSPOSE_B>;
    struct alignas(CHUNK) Slab {
        char a[A::SIZE];
        char b[B::SIZE];
    };

    static constexpr bool X_IS_B = !TRANSPOSE_B;
    static constexpr int WARPS_Y = (X_IS_B ? BM : BN) / WY;
    using X = std::conditional_t<X_IS_B, B, A>;
    using Y = std::conditional_t<X_IS_B, A, B>;
    static __device__ __forceinline__ const char *x_of(const Slab &slab)
    {
        return X_IS_B ? slab.b : slab.a;
    }
    static __device__ __forceinline__ const char *y_of(const Slab &slab)
    {
        return X_IS_B ? slab.a : slab.b;
    }

    static_assert((X_IS_B ? BN : BM) % WX == 0 && (X_IS_B ? BM : BN) % WY == 0,
                  "warps cover the tile exactly");
    static_assert(THREADS * WX * WY == WARP * BM * BN, "one warp for each piece of the tile");
    static_assert(STEPS % 2 == 0, "two fragments alternate and meet again after a slab");
    static_assert(STAGES >= 3, "one slab is read while others are copied");
};

/* Of a unit of X, which row lane l has as mma.sync's l / 4 + 8 * high. */
template <class P> __device__ __forceinline__ int x_row(int lane, int high)
{
    return P::K_CONTIGUOUS ? lane / 4 + high * 8 : lane / 4 * 2 + high;
}

/* Where a lane reads its part of X: of a unit 2 rows, by every 4th k of a step. */
template <class T> struct ReaderX {
    using P = typename T::X;
    int offset;

    __device__ __forceinline__ ReaderX(int first, int lane)
        : offset(P::offset(first + x_row<P>(lane, 0), lane % 4))
    {
    }

    /* What is XORed into a chunk's place has bits below those of a unit. */
    __device__ __forceinline__ void read(double (&to)[4], const char *slab, int unit, int step) const
    {
#pragma unroll
        for (int k = 0; k < STEP; k += 4)
            if (P::K_CONTIGUOUS) {
                const char *at = slab + (offset ^ (step * STEP + k) * P::BYTES) + unit * UNIT * P::ROW_BYTES;
                to[k / 2] = *reinterpret_cast<const double *>(at);
                to[k / 2 + 1] = *reinterpret_cast<const double *>(at + 8 * P::ROW_BYTES);
            } else {
                *reinterpret_cast<double2 *>(&to[k / 2]) = *reinterpret_cast<const double2 *>(
                    slab + offset + unit * UNIT * P::BYTES + (step * STEP + k) * P::ROW_BYTES);
            }
    }
};

/* Likewise of Y: of a unit columns l / 4 and l / 4 + 8, for one mma.sync each. */
template <class T> struct ReaderY {
    using P = typename T::Y;
    int offset;

    __device__ __forceinline__ ReaderY(int first, int lane) : offset(P::offset(first + lane / 4, lane % 4))
    {
    }

    __device__ __forceinline__ void read(double (&to)[2][2], const char *slab, int unit, int step) const
    {
#pragma unroll
        for (int h = 0; h < 2; h++)
#pragma unroll
            for (int k = 0; k < STEP; k += 4) {
                const int at = P::K_CONTIGUOUS ? (offset ^ (step * STEP + k) * P::BYTES) +
                                                     (unit * UNIT + h * 8) * P::ROW_BYTES
                                               : (offset ^ h * 8 * P::BYTES) + unit * UNIT * P::BYTES +
                                                     (step * STEP + k) * P::ROW_BYTES;
                to[h][k / 4] = *reinterpret_cast<const double *>(slab + at);
            }
    }
};

/* A lane's results of a unit: rows x_row(0) and x_row(1) of X, 2 neighbours among columns of Y, from
 * 2 (l % 4) + 8 h on. */
struct Results {
    double at[2][4]; /* [h][2 * high + neighbour] */
};

/* A warp's operands of one step. */
template <class T> struct Fragment {
    double x[T::UNITS_X][4];
    double y[T::UNITS_Y][2][2];

    __device__ __forceinline__ void load(const typename T::Slab &slab, const ReaderX<T> &rx,
                                         const ReaderY<T> &ry, int step)
    {
#pragma unroll
        for (int i = 0; i < T::UNITS_X; i++)
            rx.read(x[i], T::x_of(slab), i, step);
#pragma unroll
        for (int j = 0; j < T::UNITS_Y; j++)
            ry.read(y[j], T::y_of(slab), j, step);
    }
};

/* sum += product of a step. */
template <class T>
__device__ __forceinline__ void multiply_add(Results (&sum)[T::UNITS_X][T::UNITS_Y], const Fragment<T> &f)
{
#pragma unroll
    for (int i = 0; i < T::UNITS_X; i++)
#pragma unroll
        for (int j = 0; j < T::UNITS_Y; j++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                mma_m16n8k8_f64(sum[i][j].at[h], f.x[i], f.y[j][h]);
}

/* Likewise, a whole slab by fma; (x, y) is where the warp's piece begins. */
template <class T>
__device__ __forceinline__ void multiply_add_slab(Results (&sum)[T::UNITS_X][T::UNITS_Y],
                                                  const typename T::Slab &slab, int x, int y, int lane)
{
#pragma unroll 1
    for (int k = 0; k < T::BK; k++) {
        double b[T::UNITS_Y][4];
#pragma unroll
        for (int j = 0; j < T::UNITS_Y; j++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                b[j][c] = *reinterpret_cast<const double *>(
                    T::y_of(slab) + T::Y::offset(y + j * UNIT + c / 2 * 8 + lane % 4 * 2 + c % 2, k));
#pragma unroll
        for (int i = 0; i < T::UNITS_X; i++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const double a = *reinterpret_cast<const double *>(
                    T::x_of(slab) + T::X::offset(x + i * UNIT + x_row<typename T::X>(lane, r), k));
#pragma unroll
                for (int j = 0; j < T::UNITS_Y; j++)
#pragma unroll
                    for (int c = 0; c < 4; c++) {
                        double &d = sum[i][j].at[c / 2][r * 2 + c % 2];
                        d = fma(a, b[j][c], d);
                    }
            }
    }
}

/* A warp's results; (row, col) is where its piece of C begins. */
template <class T>
__device__ __forceinline__ void store(const isomat_gemm_f64_args &g,
                                      const Results (&sum)[T::UNITS_X][T::UNITS_Y], int64_t c_part, int row,
                                      int col, int lane)
{
    constexpr bool DOWN_Y = T::X_IS_B; /* rows of C are columns of Y, and X's neighbours are C's */
    using X = typename T::X;
    const bool vector = g.flags & ISOMAT_VECTOR_C;
    row += DOWN_Y ? lane % 4 * 2 : x_row<X>(lane, 0);
    col += DOWN_Y ? x_row<X>(lane, 0) : lane % 4 * 2;
    double *const c = reinterpret_cast<double *>(g.c) + c_part + int64_t{row} * g.ldc + col;
    static_assert(!DOWN_Y || !X::K_CONTIGUOUS, "x_row(0) and x_row(1) are neighbours");
#pragma unroll
    for (int i = 0; i < T::UNITS_X; i++)
#pragma unroll
        for (int j = 0; j < T::UNITS_Y; j++)
#pragma unroll
            for (int h = 0; h < 2; h++)
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    const double(&at)[4] = sum[i][j].at[h];
                    const int down = DOWN_Y ? j * UNIT + h * 8 + r : i * UNIT + (X::K_CONTIGUOUS ? r * 8 : r);
                    const int right = DOWN_Y ? i * UNIT : j * UNIT + h * 8;
                    if (row + down < g.m)
                        store_2(c + down * g.ldc + right, DOWN_Y ? at[r] : at[r * 2],
                                DOWN_Y ? at[2 + r] : at[r * 2 + 1], g.n - col - right, vector, g.alpha,
                                g.beta);
                }
}

template <class T>
__device__ __forceinline__ void gemm(const isomat_gemm_f64_args &g, void *shared, int block, int thread)
{
    typedef typename T::Slab Slab;
    Slab *ring = static_cast<Slab *>(shared);

    /* locate */
    const int tiles = ceil_div(g.m, T::BM) * ceil_div(g.n, T::BN);
    const int parts = max(g.parts, 1), part = block / tiles;
    const TileIndex tile = raster(block - part * tiles, ceil_div(g.m, T::BM), ceil_div(g.n, T::BN));
    const int row0 = tile.row * T::BM, col0 = tile.col * T::BN;
    const int warp = thread / WARP, lane = thread % WARP;
    const int x = warp / T::WARPS_Y * T::WX, y = warp % T::WARPS_Y * T::WY;
    const ReaderX<T> rx(x, lane);
    const ReaderY<T> ry(y, lane);

    /* this part's slabs; past its end of k are zeros */
    const int all = ceil_div(g.k, T::BK), each = all / parts, more = all % parts;
    const int skip = part * each + min(part, more), slabs = each + (part < more ? 1 : 0);
    const int k = part + 1 == parts ? g.k : (skip + slabs) * T::BK;
    mma::Copy<typename T::A, T::THREADS, T::BK> a(
        g.a, g.lda, row0, g.m, k, g.flags & ISOMAT_VECTOR_A ? mma::BY_CHUNK : mma::BY_ELEMENT, thread);
    mma::Copy<typename T::B, T::THREADS, T::BK> b(
        g.b, g.ldb, col0, g.n, k, g.flags & ISOMAT_VECTOR_B ? mma::BY_CHUNK : mma::BY_ELEMENT, thread);
    a.advance(skip);
    b.advance(skip);

    /* fill the ring */
#pragma unroll 1
    for (int s = 0; s < T::STAGES - 1; s++) {
        a.fetch(ring[s].a);
        b.fetch(ring[s].b);
        a.advance();
        b.advance();
        commit();
    }
    wait_all_but<T::STAGES - 2>();
    __syncthreads();

    Results sum[T::UNITS_X][T::UNITS_Y] = {};
    int reading = 0, writing = T::STAGES - 1;
#if ISOMAT_HAS_MMA_F64
    Fragment<T> fragment[2];
    fragment[0].load(ring[0], rx, ry, 0);
#endif
#pragma unroll 1
    for (int s = 0; s < slabs; s++) {
#pragma unroll
        for (int step = 0; step < T::STEPS; step++) {
            if (step == 0) {
                if (!ISOMAT_HAS_MMA_F64)
                    multiply_add_slab<T>(sum, ring[reading], x, y, lane);
                a.fetch(ring[writing].a);
                b.fetch(ring[writing].b);
                a.advance();
                b.advance();
            }
            if (step == T::STEPS - 1) { /* the next slab must be there, and this one be read */
                commit();
                wait_all_but<T::STAGES - 2>();
                __syncthreads();
                writing = reading;
                reading = reading + 1 == T::STAGES ? 0 : reading + 1;
            }
#if ISOMAT_HAS_MMA_F64
            fragment[(step + 1) % 2].load(ring[reading], rx, ry, (step + 1) % T::STEPS);
            multiply_add<T>(sum, fragment[step % 2]);
#endif
        }
    }
    wait_all_but<0>();
    if (parts > 1)
        griddepcontrol_launch_dependents(); /* isomat_gemm_f64_reduce */
    store<T>(g, sum, part * g.c_part, row0 + (T::X_IS_B ? y : x), col0 + (T::X_IS_B ? x : y), lane);
    if (g.finish.c) {
        __syncthreads();
        finish_tile<T::BM, T::BN, T::THREADS, double>(g.finish, g.c, g.ldc, g.m, g.n, row0, col0, thread);
    }
}

} // namespace dgemm
} // namespace isomat

#endif
