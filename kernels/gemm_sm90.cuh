/* SPDX-License-Identifier: MIT */
/*
 * C = alpha * op(A) * op(B) + beta * C in float32 on Hopper's tensor cores, from
 * operands that split_f32.cuh wrote as hi + lo, both fp16.
 *
 * Operands  split forms (abi_sm90.h) of op(A), m x k, and op(B), k x n, each in
 *           the orientation that its matrix is stored in: wgmma takes 16-bit
 *           operands with k along the rows or the columns. C is m x n, row-major,
 *           any address that is a multiple of 4, any ldc >= n. m, n, k >= 1.
 * Numbers   with x * 2^e = hi + lo, an output is 2^-(ea+eb) times
 *             sum over slabs of 64 k of (lo*hi + hi*lo + hi*hi)
 *           The tensor core truncates as it adds, so a slab's partial sum leaves
 *           it and is added in float32, round to nearest. Small terms come first,
 *           where truncation costs least. After part_slabs slabs the sum goes to
 *           C and a new one starts, since long sums lose more. The order depends
 *           on k, the cuts and the grid only: equal inputs give equal bits.
 * Guard     if the split forms' figures do not prove the error bound, the blocks
 *           multiply A and B themselves, on CUDA cores (gemm_simt.cuh).
 * Limit     tensor cores: a slab of a tile takes 3 * BM * BN * 64 multiply-adds.
 *
 * grid      persistent: block b takes tiles b, b + grid, ... in bands of
 *           BAND_ROWS tile rows, so that blocks at work share rows and columns
 *           in L2. Tiles that would leave a round part empty are cut along k
 *           (Schedule), and blocks add to C one after the other.
 * block     3 warp groups: two threads of group 0 keep TMA busy; groups 1 and 2
 *           each compute 64 rows of the tile:
 *
 *                        BN columns
 *             group 1  [ WN | WN ]  64 rows      BN / WN pieces share ONE partial
 *             group 2  [ WN | WN ]  64 rows      sum, in turn
 *
 *           While one group adds its partial sum, the other has the tensor core.
 *           A tile's sums are stored while the next tile's first slab runs.
 * shared    two rings of units, hi and lo together: A_STAGES of BM x 64 of op(A)
 *           and B_STAGES of 64 x WN of op(B), 128-byte swizzle. A full and an
 *           empty mbarrier for each unit.
 * registers BN / 2 running sums and WN / 2 of the partial sum a thread.
 * Edges     TMA reads zeros outside the operands; only the store looks at m, n.
 */
#ifndef ISOMAT_KERNELS_GEMM_SM90_CUH
#define ISOMAT_KERNELS_GEMM_SM90_CUH

#include "abi_sm90.h"
#include "pipeline_sm90.cuh"

namespace isomat
{
namespace sm90
{

constexpr int PLANES = 2; /* hi, lo */
constexpr int HI = 0, LO = 1;

/* An element below 2^-2 of a row scaled to 2^14 .. 2^15 has lost bits of its lo.
 * With the rounding of everything else, this much keeps the error under k * 2^-24,
 * the bound of float32 sums, from k = 256 up. */
constexpr int LOSS = -20;

/* What consumers must know of a slab that starts a sum: 0 for any other. */
constexpr int STARTS = 1;
constexpr int ADDS = 2;       /* to what C has already of this product */
constexpr int TAKES_OVER = 4; /* the slabs before are a helper's */
constexpr int HANDS_OVER = 8; /* the slabs after this sum's are the owner's */
constexpr int ENDS = 16;      /* no slabs are after this sum's */
struct Note {
    int tile; /* NONE: no more work */
    int bits;
};

/* MN_A, MN_B: the operand is stored with k along its rows (A t, B n). */
template <int BM_, int BN_, int WN_, int A_STAGES_, int B_STAGES_, bool MN_A_, bool MN_B_> struct SplitTile {
    static constexpr int BM = BM_, BN = BN_, WN = WN_;
    static constexpr int A_STAGES = A_STAGES_, B_STAGES = B_STAGES_;
    static constexpr bool MN_A = MN_A_, MN_B = MN_B_;
    static constexpr int PIECES = BN / WN;
    static constexpr int SUMS = WN * GROUP_ROWS / WARP_GROUP; /* of a thread, a piece */
    static constexpr int A_PLANE = BM * ROW_BYTES, A_UNIT = PLANES * A_PLANE;
    static constexpr int B_PLANE = WN * ROW_BYTES, B_UNIT = PLANES * B_PLANE;

    struct Shared {
        char a[A_STAGES][A_UNIT];
        char b[B_STAGES][B_UNIT];
        uint64_t a_full[A_STAGES], a_empty[A_STAGES];
        uint64_t b_full[B_STAGES], b_empty[B_STAGES];
        Note note[A_STAGES]; /* on the slab in a[] */
    };

    static_assert(BM == CONSUMERS * GROUP_ROWS, "each consumer group has 64 rows of the tile");
    static_assert(BN % WN == 0, "whole wgmma cover the tile");
    static_assert(A_UNIT % ALIGNMENT == 0 && B_UNIT % ALIGNMENT == 0,
                  "every unit starts where the swizzle pattern does");
    static_assert(sizeof(Shared) + ALIGNMENT <= ISOMAT_GEMM_F32_SM90_SHARED_BYTES(BM, WN, A_STAGES, B_STAGES),
                  "the host asks for the shared memory that the kernel uses");
    static_assert(sizeof(Shared) + ALIGNMENT <= SHARED_MAX, "a block's shared memory on sm_90");
    static_assert(PIECES * SUMS + SUMS + 40 <= CONSUMER_REGISTERS, "sums and addresses fit the registers");
};

/* One unit: WIDTH rows of op(A) or columns of op(B), BK deep, hi and lo. */
template <bool MN>
__device__ __forceinline__ void load_unit(uint32_t to, const isomat_tensor_map &map, uint32_t full,
                                          uint32_t bytes, int first, int slab)
{
    ptx::mbarrier_arrive_expect_tx(full, bytes);
    if (MN)
        ptx::cp_async_bulk_tensor_4d(to, &map, full, 0, slab * BK, first / ISOMAT_SPLIT_BOX, 0);
    else
        ptx::cp_async_bulk_tensor_4d(to, &map, full, 0, first, slab, 0);
}

/* One thread: keeps the ring of op(A) full, in the order that consumers read, and
 * tells them what the slabs are. */
template <class T>
__device__ __forceinline__ void produce_a(const isomat_gemm_f32_sm90_args &g, typename T::Shared &shared,
                                          int block, int blocks)
{
    const int tile_rows = ceil_div(g.gemm.m, T::BM), tile_cols = ceil_div(g.gemm.n, T::BN);
    Schedule schedule(g.gemm.k, g.help_slabs, tile_rows * tile_cols, block, blocks);
    Cursor<T::A_STAGES> a;
    /* a fresh barrier counts as having ended the phase before its first */
    const auto wait = [&]() { ptx::mbarrier_wait(barrier(shared.a_empty, a.stage), a.parity ^ 1); };
    Work work;
    while (schedule.next(work)) {
        const int row = band_raster(work.tile, tile_rows, tile_cols).row * T::BM;
        int part = 0; /* slabs since a sum started */
        for (int slab = work.first; slab < work.last; slab++) {
            wait();
            int bits = 0;
            if (part == 0)
                bits = STARTS | (slab > 0 ? ADDS : 0) | (slab > 0 && slab == work.first ? TAKES_OVER : 0) |
                       (work.last < schedule.slabs && slab + g.part_slabs >= work.last ? HANDS_OVER : 0) |
                       (slab + g.part_slabs >= schedule.slabs ? ENDS : 0);
            shared.note[a.stage] = {work.tile, bits};
            load_unit<T::MN_A>(shared_address(shared.a[a.stage]), g.a_map, barrier(shared.a_full, a.stage),
                               T::A_UNIT, row, slab);
            a.advance();
            part = part + 1 == g.part_slabs ? 0 : part + 1;
        }
    }
    wait();
    shared.note[a.stage] = {NONE, STARTS};
    ptx::mbarrier_arrive(barrier(shared.a_full, a.stage));
}

/* Another: the ring of op(B). */
template <class T>
__device__ __forceinline__ void produce_b(const isomat_gemm_f32_sm90_args &g, typename T::Shared &shared,
                                          int block, int blocks)
{
    const int tile_rows = ceil_div(g.gemm.m, T::BM), tile_cols = ceil_div(g.gemm.n, T::BN);
    Schedule schedule(g.gemm.k, g.help_slabs, tile_rows * tile_cols, block, blocks);
    Cursor<T::B_STAGES> b;
    Work work;
    while (schedule.next(work)) {
        const int col = band_raster(work.tile, tile_rows, tile_cols).col * T::BN;
        for (int slab = work.first; slab < work.last; slab++)
            for (int piece = 0; piece < T::PIECES; piece++) {
                ptx::mbarrier_wait(barrier(shared.b_empty, b.stage), b.parity ^ 1);
                load_unit<T::MN_B>(shared_address(shared.b[b.stage]), g.b_map,
                                   barrier(shared.b_full, b.stage), T::B_UNIT, col + piece * T::WN, slab);
                b.advance();
            }
    }
}

/* Starts partial = lo * hi + hi * lo + hi * hi over one slab. */
template <class T> __device__ __forceinline__ void multiply(float (&partial)[T::SUMS], uint32_t a, uint32_t b)
{
    constexpr int PRODUCTS = 3;
    constexpr int A_OF[PRODUCTS] = {LO, HI, HI}, B_OF[PRODUCTS] = {HI, LO, HI};
    ptx::pin(partial);
    ptx::wgmma_fence();
#pragma unroll
    for (int product = 0; product < PRODUCTS; product++)
#pragma unroll
        for (int step = 0; step < BK / K_STEP; step++)
            ptx::wgmma_m64k16<T::MN_A, T::MN_B>(
                ptx::F16{}, partial,
                matrix_descriptor(a + A_OF[product] * T::A_PLANE + step * STEP_BYTES<T::MN_A>),
                matrix_descriptor(b + B_OF[product] * T::B_PLANE + step * STEP_BYTES<T::MN_B>),
                product + step > 0);
    ptx::wgmma_commit_group();
}

/* Two neighbours in a row of C, of which the first `count` exist. VECTOR: both
 * do, and lie on 8 bytes. */
template <bool VECTOR> __device__ __forceinline__ float2 read_2(const float *c, int count)
{
    if (VECTOR)
        return *reinterpret_cast<const float2 *>(c);
    return make_float2(count > 0 ? c[0] : 0.f, count > 1 ? c[1] : 0.f);
}

template <bool VECTOR> __device__ __forceinline__ void write_2(float *c, float2 v, int count)
{
    if (VECTOR) {
        __stcs(reinterpret_cast<float2 *>(c), v);
    } else {
        if (count > 0)
            c[0] = v.x;
        if (count > 1)
            c[1] = v.y;
    }
}

/* The outputs of one piece that this thread holds; the first is (row, col), col
 * even. WHOLE: every one exists, and pairs lie on 8 bytes. READS: beta may not be
 * 0. It then takes more registers, for reads that overlap. */
template <class T, bool WHOLE, bool READS>
__device__ __forceinline__ void store_piece(const isomat_gemm_f32_sm90_args &g, const float (&sum)[T::SUMS],
                                            int row, int col, float beta)
{
    constexpr int COLS = 8, ROWS = 8; /* see wgmma_m64k16 */
    constexpr int PAIRS = T::WN / COLS, CHUNK = READS ? 4 : 2;
    static_assert(PAIRS % CHUNK == 0, "chunks cover the piece");
    const int *e = exponents(g.a_split) + row;
    float *const c = device_pointer(g.gemm.c) + row * g.gemm.ldc + col;
#pragma unroll
    for (int j0 = 0; j0 < PAIRS; j0 += CHUNK) {
        int2 columns[CHUNK]; /* their exponents: the array is padded to whole boxes */
        float2 old[2][CHUNK];
#pragma unroll
        for (int j = 0; j < CHUNK; j++) {
            const int right = (j0 + j) * COLS, count = g.gemm.n - col - right;
            columns[j] = make_int2(0, 0);
            if (WHOLE || count > 0)
                columns[j] = *reinterpret_cast<const int2 *>(exponents(g.b_split) + col + right);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                old[i][j] = make_float2(0.f, 0.f);
                if (READS && beta != 0.f && (WHOLE || row + i * ROWS < g.gemm.m))
                    old[i][j] = read_2<WHOLE>(c + i * ROWS * g.gemm.ldc + right, count);
            }
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (!WHOLE && row + i * ROWS >= g.gemm.m)
                continue;
            const Unscale r(e[i * ROWS]);
#pragma unroll
            for (int j = 0; j < CHUNK; j++) {
                const int right = (j0 + j) * COLS;
                const float *s = &sum[(j0 + j) * 4 + i * 2];
                float2 v = make_float2(g.gemm.alpha * r.of(s[0], Unscale(columns[j].x)),
                                       g.gemm.alpha * r.of(s[1], Unscale(columns[j].y)));
                if (READS && beta != 0.f)
                    v = make_float2(fmaf(beta, old[i][j].x, v.x), fmaf(beta, old[i][j].y, v.y));
                write_2<WHOLE>(c + i * ROWS * g.gemm.ldc + right, v, g.gemm.n - col - right);
            }
        }
    }
}

/* A consumer group's 64 rows of all of this block's work. */
template <class T, bool FINISHES>
__device__ __forceinline__ void consume(const isomat_gemm_f32_sm90_args &g, typename T::Shared &shared,
                                        int blocks, int group, int thread)
{
    const bool first_lane = thread % WARP == 0;
    /* both orientations keep a group's 64 rows of op(A) together, in order */
    const uint32_t a_base = shared_address(shared.a) + group * static_cast<uint32_t>(GROUP_ROWS * ROW_BYTES);
    const uint32_t b_base = shared_address(shared.b);
    const Handover handover{reinterpret_cast<uint32_t *>(g.flags), group, thread};
    Cursor<T::A_STAGES> a;
    Cursor<T::B_STAGES> b;
    float sum[T::PIECES][T::SUMS], partial[T::SUMS];
    Note stored = {NONE, 0}; /* whose sums these are */

    const auto stored_beta = [&]() { return stored.bits & ADDS ? 1.f : g.gemm.beta; };
    const auto store = [&](int piece, auto reads) {
        constexpr bool READS = decltype(reads)::value;
        const int tile_rows = ceil_div(g.gemm.m, T::BM), tile_cols = ceil_div(g.gemm.n, T::BN);
        const TileIndex at = band_raster(stored.tile, tile_rows, tile_cols);
        const int t = opaque(thread), lane = t % WARP;
        const int row = at.row * T::BM + group * GROUP_ROWS + t / WARP * WARP_ROWS + lane / 4;
        const int col = at.col * T::BN + piece * T::WN + lane % 4 * 2;
        if (READS && stored.bits & TAKES_OVER && piece == 0)
            handover.take(stored.tile % blocks);
        if (g.gemm.c % sizeof(float2) == 0 && g.gemm.ldc % 2 == 0 && (at.row + 1) * T::BM <= g.gemm.m &&
            (at.col + 1) * T::BN <= g.gemm.n)
            store_piece<T, true, READS>(g, sum[piece], row, col, stored_beta());
        else
            store_piece<T, false, READS>(g, sum[piece], row, col, stored_beta());
        if (stored.bits & HANDS_OVER && piece + 1 == T::PIECES)
            handover.give(stored.tile % blocks);
        if (FINISHES && READS && stored.bits & ENDS) {
            ptx::bar_sync(1 + group, WARP_GROUP);
            finish_tile<GROUP_ROWS, T::WN, WARP_GROUP, float>(g.finish, g.gemm.c, g.gemm.ldc, g.gemm.m,
                                                              g.gemm.n, at.row * T::BM + group * GROUP_ROWS,
                                                              at.col * T::BN + piece * T::WN, t);
        }
    };

    /* Starts a piece of a slab; ends it, and gives the units back. */
    const auto start = [&]() {
        ptx::mbarrier_wait(barrier(shared.b_full, b.stage), b.parity);
        multiply<T>(partial, a_base + a.stage * T::A_UNIT, b_base + b.stage * T::B_UNIT);
    };
    const auto end = [&](int piece) {
        ptx::wgmma_wait_group<0>();
        ptx::pin(partial);
        if (first_lane) {
            ptx::mbarrier_arrive(barrier(shared.b_empty, b.stage));
            if (piece + 1 == T::PIECES)
                ptx::mbarrier_arrive(barrier(shared.a_empty, a.stage));
        }
        b.advance();
    };
    const auto read_note = [&]() {
        ptx::mbarrier_wait(barrier(shared.a_full, a.stage), a.parity);
        return shared.note[a.stage];
    };

    Note note = read_note();
#pragma unroll 1
    for (;;) {
        /* Sums are stored while the slab that starts the next ones runs, unless C
         * must be read or finished: that takes the partial sum's registers. */
        const bool done = note.tile == NONE, any = stored.tile != NONE;
        const bool before = done || stored_beta() != 0.f || FINISHES;
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++) {
            if (any && before)
                store(piece, Is<true>());
            if (!done) {
                start();
                if (any && !before)
                    store(piece, Is<false>());
                end(piece);
                /* an addition, not a copy: a copy would be given registers of its
                 * own, and there are none */
#pragma unroll
                for (int i = 0; i < T::SUMS; i++)
                    sum[piece][i] = partial[i] + 0.f;
            }
        }
        if (done)
            break;
        stored = note;
        a.advance();
#pragma unroll 1
        for (note = read_note(); note.bits == 0; note = read_note()) {
#pragma unroll
            for (int piece = 0; piece < T::PIECES; piece++) {
                start();
                end(piece);
#pragma unroll
                for (int i = 0; i < T::SUMS; i++)
                    sum[piece][i] += partial[i];
            }
            a.advance();
        }
    }
}

template <class T, bool FINISHES>
__device__ __forceinline__ void gemm_sm90(const isomat_gemm_f32_sm90_args &g, char *dynamic, int block,
                                          int blocks, int thread)
{
    const int lane = thread % WARP, warp_group = thread / WARP_GROUP;
    const uint32_t base = shared_address(dynamic);
    typename T::Shared &shared =
        *reinterpret_cast<typename T::Shared *>(dynamic + (ALIGNMENT - base % ALIGNMENT) % ALIGNMENT);

    /* what does not depend on the split pass may overlap its end */
    if (thread == 0) {
        ptx::prefetch_tensormap(&g.a_map);
        ptx::prefetch_tensormap(&g.b_map);
        constexpr int ARRIVALS = CONSUMERS * WARP_GROUP / WARP; /* a lane of each warp */
        for (int s = 0; s < T::A_STAGES; s++) {
            ptx::mbarrier_init(barrier(shared.a_full, s), 1);
            ptx::mbarrier_init(barrier(shared.a_empty, s), ARRIVALS);
        }
        for (int s = 0; s < T::B_STAGES; s++) {
            ptx::mbarrier_init(barrier(shared.b_full, s), 1);
            ptx::mbarrier_init(barrier(shared.b_empty, s), ARRIVALS);
        }
        ptx::fence_mbarrier_init();
    }
    __syncthreads();
    griddepcontrol_wait();
    griddepcontrol_launch_dependents();

    isomat_split_head &a = *reinterpret_cast<isomat_split_head *>(g.a_split);
    isomat_split_head &b = *reinterpret_cast<isomat_split_head *>(g.b_split);
    const bool go = trusted<LOSS>(a, b, g.gemm.k, lane);
    if (block == 0 && thread == 0) {
        *reinterpret_cast<uint32_t *>(g.outcome) = !go;
        atomicAdd(reinterpret_cast<unsigned long long *>(&a.generation), 1ull);
        atomicAdd(reinterpret_cast<unsigned long long *>(&b.generation), 1ull);
    }
    if (!go) {
        multiply_strictly<T::MN_A, !T::MN_B>(g.gemm, FinishOf<FINISHES>::of(g.finish), dynamic, block, blocks,
                                             thread);
        return;
    }

    if (warp_group == 0) {
        ptx::setmaxnreg_dec<PRODUCER_REGISTERS>();
        if (thread == 0)
            produce_a<T>(g, shared, block, blocks);
        else if (thread == WARP)
            produce_b<T>(g, shared, block, blocks);
    } else {
        ptx::setmaxnreg_inc<CONSUMER_REGISTERS>();
        consume<T, FINISHES>(g, shared, blocks, warp_group - 1, thread % WARP_GROUP);
    }
}

} // namespace sm90
} // namespace isomat

#endif
