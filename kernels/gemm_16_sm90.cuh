/* SPDX-License-Identifier: MIT */
/*
 * C = alpha * op(A) * op(B) + beta * C on Hopper's tensor cores, A and B both fp16
 * or both bf16, C float32, fp16 or bf16; and TF32 mode, from the hi halves of split
 * forms (split_f32.cuh).
 *
 * Operands  op(A) is m x k, op(B) is k x n, in the orientation that they are stored
 *           in, by tensor maps (abi_sm90.h). C is m x n, row-major, of any alignment
 *           and ldc. m, n, k >= 1.
 * Numbers   products are exact, sums stay in the tensor core over all of k (float32,
 *           truncated as it adds). Then v = alpha * sum, less the scales of split
 *           forms, + beta * C, rounded once to C's type. The order of sums depends on
 *           k, the cut and the grid only: equal inputs give equal bits.
 * TF32      hi has the 11 significant bits of TF32, and where an element is so far
 *           below its row's largest that it has fewer, the split forms' figures must
 *           prove that the loss does not matter (trusted); else the blocks multiply A
 *           and B themselves, on CUDA cores.
 * Limit     tensor cores: a slab of a tile takes BM * BN * 64 multiply-adds.
 *
 * grid      persistent clusters of CLUSTER blocks; a cluster's tiles lie one below
 *           the other, so each block fetches a part of op(B) for all of them:
 *
 *                          BN columns
 *             block 0   [ group 1: 64 rows ]     op(B) 64 x BN: block 0 fetches
 *                       [ group 2: 64 rows ]     the left half, block 1 the right
 *             block 1   [ group 1: 64 rows ]     half, both for both
 *                       [ group 2: 64 rows ]
 *
 *           Tiles of a last round that is not full are cut along k (Schedule); the
 *           helper's sums go through scratch memory.
 * block     3 warp groups: one thread of group 0 keeps TMA busy; groups 1 and 2
 *           each compute 64 rows. While one stores, the other has the tensor core,
 *           and results of 16 bits are stored while the next tile's first slab runs.
 * shared    a ring of STAGES units, BM x 64 of op(A) and 64 x BN of op(B), 128-byte
 *           swizzle, each with a full and an empty mbarrier; and two boxes a warp of
 *           16 rows x 128 bytes, through which results go to whole lines of C.
 * registers BN / 2 sums a thread, and BN / 4 words of results of 16 bits.
 * Edges     TMA reads zeros outside the operands; only the store looks at m, n.
 */
#ifndef ISOMAT_KERNELS_GEMM_16_SM90_CUH
#define ISOMAT_KERNELS_GEMM_16_SM90_CUH

#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "pipeline_sm90.cuh"

namespace isomat
{
namespace sm90
{

/* Rounding to 11 bits loses up to 2^-11 of each operand, hi as TF32. Below a scaled
 * magnitude of 2^-14 hi has fewer, and lo is zero: all that such an element loses is
 * in the split form's excess. It may be as much again as one operand's rounding. */
constexpr int TF32_LOSS = -11;

/* What consumers must know of their next units: so many slabs of one tile. */
struct Task {
    int row, col; /* the block's first of C */
    int slabs;    /* 0: no more work */
    int role;     /* what is done with the sums: 0, or 4 * a place in scratch + ... */
};
constexpr int TAKES_SUMS = 1; /* another block's are added first */
constexpr int GIVES_SUMS = 2; /* another block adds them to its own */

template <class Type_, int BM_, int BN_, int STAGES_, int CLUSTER_, bool MN_A_, bool MN_B_> struct HalfTile {
    using Type = Type_; /* ptx::F16 or ptx::BF16 */
    static constexpr int BM = BM_, BN = BN_, STAGES = STAGES_, CLUSTER = CLUSTER_;
    static constexpr bool MN_A = MN_A_, MN_B = MN_B_;
    static constexpr bool TAKES_SPLIT = std::is_same<Type, ptx::F16>::value;
    static constexpr int SUMS = BN * GROUP_ROWS / WARP_GROUP; /* of a thread */
    static constexpr int WARPS = CONSUMERS * WARP_GROUP / WARP;
    static constexpr int A_UNIT = BM * ROW_BYTES, B_UNIT = BN * ROW_BYTES;
    static constexpr int C_BOX = WARP_ROWS * ROW_BYTES;

    struct Shared {
        char a[STAGES][A_UNIT];
        char b[STAGES][B_UNIT];
        char c[WARPS][2][C_BOX];
        uint64_t full[STAGES], empty[STAGES];
        Task task[STAGES]; /* that starts with the unit in a[], b[] */
    };

    static_assert(BM == CONSUMERS * GROUP_ROWS, "each consumer group has 64 rows of the tile");
    static_assert(BN / CLUSTER % BK == 0, "each block of a cluster fetches whole boxes of op(B)");
    static_assert(BAND_ROWS % CLUSTER == 0, "clusters fill a band");
    static_assert(A_UNIT % ALIGNMENT == 0 && B_UNIT % ALIGNMENT == 0 && C_BOX % ALIGNMENT == 0,
                  "every unit starts where the swizzle pattern does");
    static_assert(sizeof(Shared) + ALIGNMENT <= ISOMAT_GEMM_16_SM90_SHARED_BYTES(BM, BN, STAGES),
                  "the host asks for the shared memory that the kernel uses");
    static_assert(sizeof(Shared) + ALIGNMENT <= SHARED_MAX, "a block's shared memory on sm_90");
    static_assert(STRICT_SHARED_BYTES <= sizeof(Shared), "the strict way has room");
    static_assert(SUMS + SUMS / 2 + 32 <= CONSUMER_REGISTERS, "sums and addresses fit the registers");
};

/* Where a block stands: its place in the cluster, and the cluster's in the grid. */
struct Place {
    int rank, cluster, clusters;
};

template <class T> struct Tiles {
    int rows, cols; /* of what a cluster computes at a time */

    Tiles() = default;
    __device__ __forceinline__ explicit Tiles(const isomat_gemm_16_sm90_args &g)
        : rows(ceil_div(g.gemm.m, T::BM * T::CLUSTER)), cols(ceil_div(g.gemm.n, T::BN))
    {
    }
    /* the block's first row and column of C */
    __device__ __forceinline__ TileIndex corner(int tile, int rank) const
    {
        const TileIndex at = band_raster<BAND_ROWS / T::CLUSTER>(tile, rows, cols);
        return {(at.row * T::CLUSTER + rank) * T::BM, at.col * T::BN};
    }
};

/* WIDTH rows of op(A) or columns of op(B) from `first`, BK deep; for BLOCKS of the
 * cluster. */
template <bool MN, int WIDTH, int BLOCKS>
__device__ __forceinline__ void load(uint32_t to, const isomat_tensor_map &map, uint32_t full, int first,
                                     int slab)
{
    constexpr int BOXES = MN ? WIDTH / BK : 1;
#pragma unroll
    for (int i = 0; i < BOXES; i++) {
        const int x = MN ? first + i * BK : slab * BK, y = MN ? slab * BK : first;
        if (BLOCKS == 1)
            ptx::cp_async_bulk_tensor_2d(to + i * BK * ROW_BYTES, &map, full, x, y);
        else
            ptx::cp_async_bulk_tensor_2d_multicast(to + i * BK * ROW_BYTES, &map, full, x, y,
                                                   (1 << BLOCKS) - 1);
    }
}

/* A block's work, for its producer. */
template <class T> struct Plan {
    Tiles<T> tiles;
    Schedule schedule;
    Place place;
    int first, last; /* slabs */
    Task task;

    __device__ __forceinline__ void begin(const isomat_gemm_16_sm90_args &g, const Place &place_)
    {
        tiles = Tiles<T>(g);
        schedule = Schedule(g.gemm.k, g.help_slabs, tiles.rows * tiles.cols, place_.cluster, place_.clusters);
        place = place_;
        next();
    }
    __device__ __forceinline__ void next()
    {
        Work work;
        if (!schedule.next(work)) {
            task.slabs = 0;
            return;
        }
        const TileIndex corner = tiles.corner(work.tile, place.rank);
        first = work.first;
        last = work.last;
        task = {corner.row, corner.col, last - first, 0};
        if (task.slabs < schedule.slabs)
            task.role = (work.tile % place.clusters * T::CLUSTER + place.rank) * 4 |
                        (first > 0 ? TAKES_SUMS : GIVES_SUMS);
    }
};

/* One thread: keeps the ring full, in the order that consumers read, and tells them
 * what it is. */
template <class T>
__device__ __forceinline__ void produce(const isomat_gemm_16_sm90_args &g, typename T::Shared &shared,
                                        Plan<T> &plan)
{
    constexpr int SHARE = T::BN / T::CLUSTER;
    const int share = plan.place.rank * SHARE;
    Cursor<T::STAGES> at;
    /* a fresh barrier counts as having ended the phase before its first */
    const auto wait = [&]() { ptx::mbarrier_wait(barrier(shared.empty, at.stage), at.parity ^ 1); };
    for (; plan.task.slabs > 0; plan.next())
#pragma unroll 1
        for (int slab = plan.first; slab < plan.last; slab++) {
            const uint32_t full = barrier(shared.full, at.stage);
            wait();
            if (slab == plan.first)
                shared.task[at.stage] = plan.task;
            ptx::mbarrier_arrive_expect_tx(full, T::A_UNIT + T::B_UNIT);
            load<T::MN_A, T::BM, 1>(shared_address(shared.a[at.stage]), g.a_map, full, plan.task.row, slab);
            load<T::MN_B, SHARE, T::CLUSTER>(shared_address(shared.b[at.stage]) + share * ROW_BYTES, g.b_map,
                                             full, plan.task.col + share, slab);
            at.advance();
        }
    wait();
    shared.task[at.stage] = plan.task;
    ptx::mbarrier_arrive(barrier(shared.full, at.stage));
}

/* ---- C ---- */

__device__ __forceinline__ float2 to_floats(float2 v)
{
    return v;
}
__device__ __forceinline__ float2 to_floats(__half2 v)
{
    return __half22float2(v);
}
__device__ __forceinline__ float2 to_floats(__nv_bfloat162 v)
{
    return __bfloat1622float2(v);
}

/* Two neighbours in a row of C. */
template <class Element> struct PairOf;
template <> struct PairOf<float> {
    using Pair = float2;
    static __device__ __forceinline__ Pair from(float2 v)
    {
        return v;
    }
};
template <> struct PairOf<__half> {
    using Pair = __half2;
    static __device__ __forceinline__ Pair from(float2 v)
    {
        return __float22half2_rn(v);
    }
};
template <> struct PairOf<__nv_bfloat16> {
    using Pair = __nv_bfloat162;
    static __device__ __forceinline__ Pair from(float2 v)
    {
        return __float22bfloat162_rn(v);
    }
};

/*
 * A warp's 16 rows of a tile, on their way to C; (row, col) is the first. Results of
 * 16 bits are packed in registers, and stored while the next tile's first slab runs;
 * there are no registers for that with float32.
 */
template <class T> struct Output {
    static constexpr int COLS = 8;   /* see wgmma_m64k16 */
    static constexpr int CHUNK = 16; /* bytes that the swizzle moves */
    using Packed = uint32_t[T::SUMS / 2];

    const isomat_gemm_16_sm90_args &g;
    uint32_t boxes; /* this warp's two, in shared memory */
    int row, col, lane;

    template <class Element> __device__ __forceinline__ float2 read(int down, int right) const
    {
        using Pair = typename PairOf<Element>::Pair;
        const int count = row + down < g.gemm.m ? g.gemm.n - col - right : 0;
        const Element *p =
            reinterpret_cast<const Element *>(g.gemm.c) + (row + down) * g.gemm.ldc + col + right;
        if (g.gemm.c % sizeof(Pair) == 0 && g.gemm.ldc % 2 == 0 && count > 1)
            return to_floats(*reinterpret_cast<const Pair *>(p));
        return make_float2(count > 0 ? static_cast<float>(p[0]) : 0.f,
                           count > 1 ? static_cast<float>(p[1]) : 0.f);
    }

    /* The one place where sums become results: two neighbours, `old` what C has there
     * (zero if beta is). */
    template <bool READS> __device__ __forceinline__ float2 finish(float2 v, float2 old) const
    {
        v = make_float2(g.gemm.alpha * v.x, g.gemm.alpha * v.y);
        if (READS)
            v = make_float2(fmaf(g.gemm.beta, old.x, v.x), fmaf(g.gemm.beta, old.y, v.y));
        return v;
    }

    /* Calls f(j, i, results) for column groups [first, first + COUNT), rows 0, 1. */
    template <class Element, bool READS, int COUNT, class F>
    __device__ __forceinline__ void finish_groups(const float (&sum)[T::SUMS], int first, F f) const
    {
        const int lane = READS ? opaque(this->lane) : this->lane; /* no addresses early */
        float2 old[COUNT][2];
#pragma unroll
        for (int j = 0; j < COUNT; j++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                old[j][i] = make_float2(0.f, 0.f);
                if (READS)
                    old[j][i] = read<Element>(lane / 4 + i * 8, (first + j) * COLS + lane % 4 * 2);
            }
#pragma unroll
        for (int j = 0; j < COUNT; j++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const float *s = &sum[(first + j) * 4 + i * 2];
                f(j, i, finish<READS>(make_float2(s[0], s[1]), old[j][i]));
            }
    }

    /* Takes the scales of split forms off all sums: in two steps where one factor could
     * leave float's range. */
    __device__ __forceinline__ void unscale(float (&sum)[T::SUMS]) const
    {
        constexpr int BIAS = 127, FRACTION = 23, MODERATE = 60, EACH = T::BN / WARP;
        /* columns' factors go through the boxes, for lanes need them in another
         * order */
        static_assert(T::BN * sizeof(float) <= 2 * T::C_BOX, "a warp's boxes hold the factors of a row");
        /* unsigned: the signs would take registers */
        const int *rows = exponents(g.a_split) + static_cast<uint32_t>(row + lane / 4);
        const int *cols = exponents(g.b_split) + static_cast<uint32_t>(col + lane);
#pragma unroll 1
        for (int step = 0; step < 2; step++) {
            const int e_row[2] = {row + lane / 4 < g.gemm.m ? rows[0] : 0,
                                  row + lane / 4 + 8 < g.gemm.m ? rows[8] : 0};
            bool whole = abs(e_row[0]) <= MODERATE && abs(e_row[1]) <= MODERATE;
            int e[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                e[i] = col + lane + i * WARP < g.gemm.n ? cols[i * WARP] : 0;
                whole = whole && abs(e[i]) <= MODERATE;
            }
            whole = __all_sync(~0u, whole);
            const auto factor = [&](int exponent) {
                const int half = exponent >> 1;
                return __int_as_float((BIAS - (whole  ? exponent
                                               : step ? exponent - half
                                                      : half))
                                      << FRACTION);
            };
#pragma unroll
            for (int i = 0; i < EACH; i++)
                ptx::st_shared(boxes + (lane + i * WARP) * sizeof(float), factor(e[i]));
            __syncwarp();
            const float r[2] = {factor(e_row[0]), factor(e_row[1])};
#pragma unroll
            for (int j = 0; j < T::BN / COLS; j++) {
                const float2 c = ptx::ld_shared_v2(boxes + (j * COLS + lane % 4 * 2) * sizeof(float));
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    sum[j * 4 + i * 2] *= r[i] * c.x;
                    sum[j * 4 + i * 2 + 1] *= r[i] * c.y;
                }
            }
            __syncwarp(); /* the boxes are free again */
            if (whole)
                break;
        }
    }

    template <bool READS> __device__ __forceinline__ void store_floats(const float (&sum)[T::SUMS]) const
    {
        constexpr int GROUPS = ROW_BYTES / sizeof(float) / COLS; /* of a box */
        const bool all = whole<float>();
#pragma unroll
        for (int box = 0; box < T::BN / COLS / GROUPS; box++) {
            const uint32_t to = box_at(box);
            finish_groups<float, READS, GROUPS>(sum, box * GROUPS, [&](int j, int i, float2 v) {
                ptx::st_shared_v2(chunk_at(to, lane / 4 + i * 8, j * 2 + lane % 4 / 2) + lane % 2 * 8, v);
            });
            __syncwarp(); /* also: every lane has read the box before this one */
            if (__builtin_expect(all, true))
                write_whole<float>(box);
            else
                write_edge<float>(box);
        }
    }

    /* All that isomat_finish may ask for: its code is long, so that there is one copy. */
    __device__ __forceinline__ void store_finished(const float (&sum)[T::SUMS]) const
    {
        constexpr int GROUPS = ROW_BYTES / sizeof(float) / COLS, BOXES = T::BN / COLS / GROUPS;
        constexpr int QUADS = ROW_BYTES / CHUNK, DOWN = WARP / QUADS;
        /* addresses late: registers are short */
        const int lane = opaque(this->lane), row = opaque(this->row);
#pragma unroll 1
        for (int box = 0; box < BOXES; box++) {
            const uint32_t at = box_at(box);
#pragma unroll
            for (int constant = 0; constant < BOXES; constant++) /* an index of registers is none */
                if (constant == box)
                    finish_groups<float, false, GROUPS>(sum, constant * GROUPS, [&](int j, int i, float2 v) {
                        ptx::st_shared_v2(chunk_at(at, lane / 4 + i * 8, j * 2 + lane % 4 / 2) + lane % 2 * 8,
                                          v);
                    });
            __syncwarp(); /* also: every lane has read the box before this one */
            const int right = col + (box * QUADS + lane % QUADS) * VECTOR;
            const auto spot = [&](int i) {
                const int r = row + lane / QUADS + i * DOWN;
                return Spot{r, right, r < g.gemm.m ? min(g.gemm.n - right, VECTOR) : 0};
            };
            const auto sums = [&](float(&v)[VECTOR], int i) {
                const uint4 bits = ptx::ld_shared_v4(chunk_at(at, lane / QUADS + i * DOWN, lane % QUADS));
                v[0] = __uint_as_float(bits.x);
                v[1] = __uint_as_float(bits.y);
                v[2] = __uint_as_float(bits.z);
                v[3] = __uint_as_float(bits.w);
            };
            finish_quads<WARP_ROWS / DOWN, false>(g.finish, finish_beta<float>(g.finish), spot, sums);
        }
        __syncwarp(); /* the boxes are free again */
    }

    template <class Element, bool READS>
    __device__ __forceinline__ void pack(Packed &packed, const float (&sum)[T::SUMS]) const
    {
        constexpr int AT_ONCE = READS ? 2 : 8; /* reads that overlap take registers */
#pragma unroll
        for (int first = 0; first < T::BN / COLS; first += AT_ONCE)
            finish_groups<Element, READS, AT_ONCE>(sum, first, [&](int j, int i, float2 v) {
                const typename PairOf<Element>::Pair pair = PairOf<Element>::from(v);
                packed[(first + j) * 2 + i] = *reinterpret_cast<const uint32_t *>(&pair);
            });
    }

    __device__ __forceinline__ void store_packed(const Packed &packed) const
    {
        constexpr int GROUPS = ROW_BYTES / sizeof(uint16_t) / COLS; /* of a box */
        constexpr int BOXES = T::BN / COLS / GROUPS, AT_ONCE = BOXES < 2 ? BOXES : 2;
        /* lanes 0..15: columns j, 16..31: j + 1 */
        const auto fill = [&](int box) {
#pragma unroll
            for (int j = 0; j < GROUPS; j += 2) {
                const uint32_t *p = &packed[(box * GROUPS + j) * 2];
                ptx::stmatrix_x4(chunk_at(box_at(box), lane % 16, j + lane / 16), p[0], p[1], p[2], p[3]);
            }
        };
        if (__builtin_expect(whole<uint16_t>(), true)) {
#pragma unroll
            for (int box = 0; box < BOXES; box++) {
                fill(box);
                __syncwarp(); /* also: every lane has read the box before this one */
                write_whole<uint16_t>(box);
            }
        } else {
            /* one loop for two boxes: its code is long */
#pragma unroll
            for (int first = 0; first < BOXES; first += AT_ONCE) {
#pragma unroll
                for (int box = first; box < first + AT_ONCE; box++)
                    fill(box);
                __syncwarp();
#pragma unroll 1
                for (int box = first; box < first + AT_ONCE; box++)
                    write_edge<uint16_t>(box);
                __syncwarp(); /* every lane has read the boxes */
            }
        }
    }

    /* Neighbours alternate between the two. */
    __device__ __forceinline__ uint32_t box_at(int box) const
    {
        return boxes + box % 2 * T::C_BOX;
    }

    /* Boxes are swizzled, so that neither way through them meets bank conflicts. */
    static __device__ __forceinline__ uint32_t chunk_at(uint32_t box, int r, int chunk)
    {
        return box + r * ROW_BYTES + (chunk ^ r % SWIZZLE_ROWS) * CHUNK;
    }
    static __device__ __forceinline__ uint32_t byte_at(uint32_t box, int r, int byte)
    {
        return box + r * ROW_BYTES + (byte ^ r % SWIZZLE_ROWS * CHUNK);
    }

    /* Whether all of this warp's tile exists, and C's rows lie on 16 bytes. */
    template <class Element> __device__ __forceinline__ bool whole() const
    {
        const int row = opaque(this->row);
        return g.gemm.c % CHUNK == 0 && g.gemm.ldc % (CHUNK / sizeof(Element)) == 0 &&
               row + WARP_ROWS <= g.gemm.m && col + T::BN <= g.gemm.n;
    }

    /* A box to C, whole: 16 bytes at a time, 8 lanes a row. Element: of C's elements'
     * size. */
    template <class Element> __device__ __forceinline__ void write_whole(int box) const
    {
        const uint32_t from = box_at(box);
        constexpr int CHUNKS = ROW_BYTES / CHUNK, ROWS = WARP / CHUNKS;
        /* addresses late: registers are short */
        const int lane = opaque(this->lane), row = opaque(this->row);
        Element *p = reinterpret_cast<Element *>(g.gemm.c) + (row + lane / CHUNKS) * g.gemm.ldc + col +
                     (box * CHUNKS + lane % CHUNKS) * (CHUNK / sizeof(Element));
#pragma unroll
        for (int r = 0; r < WARP_ROWS; r += ROWS) {
            __stcs(reinterpret_cast<uint4 *>(p),
                   ptx::ld_shared_v4(chunk_at(from, r + lane / CHUNKS, lane % CHUNKS)));
            p += ROWS * g.gemm.ldc;
        }
    }

    /*
     * What exists of a box to C, whose rows lie anywhere: 32 lanes a row, a word of 4
     * bytes each. Words begin where C's do. In a row of 16-bit elements that may be at
     * the second; then each is put together from two words of the box, and an element
     * is left over before the first:
     *
     *     the box  | 0 1 | 2 3 | 4 5 | 6 7 |         head = 1, count = 8
     *     C           0 | 1 2 | 3 4 | 5 6 | 7
     *
     * Such elements, and those after the last whole word, are stored by themselves,
     * those of all rows at once.
     */
    template <class Element> __device__ __forceinline__ void write_edge(int box) const
    {
        constexpr int ELEMENTS = ROW_BYTES / sizeof(Element), PER_WORD = sizeof(uint32_t) / sizeof(Element);
        constexpr int STEP = SWIZZLE_ROWS / 2; /* rows so far apart have equal heads */
        const uint32_t from = box_at(box), lane = opaque(this->lane);
        const int row = opaque(this->row);
        const int count = min(g.gemm.n - col - box * ELEMENTS, ELEMENTS);
        const int rows = count > 0 ? min(g.gemm.m - row, WARP_ROWS) : 0;
        Element *c = reinterpret_cast<Element *>(g.gemm.c) + row * g.gemm.ldc + col + box * ELEMENTS;
        const uint32_t c_head = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(c)) / sizeof(Element);
        const auto head_of = [&](uint32_t r) {
            return (c_head + r * static_cast<uint32_t>(g.gemm.ldc)) % PER_WORD;
        };
        /* from a place in row 0 .. STEP - 1 */
        const auto down = [](uint32_t at, int steps) {
            return (at ^ steps % 2 * (STEP * CHUNK)) + steps * (STEP * ROW_BYTES);
        };
        if (PER_WORD == 2) {
            /* lane 2 r: the first of row r; 2 r + 1: its last */
            const int r = lane / 2, i = lane % 2 ? count - 1 : 0, head = head_of(r);
            if (r < rows && (lane % 2 ? (count ^ head) & 1 : head))
                c[r * g.gemm.ldc + i] = ptx::ld_shared_u16(byte_at(from, r, i * sizeof(Element)));
        }
#pragma unroll 1
        for (int r = 0; r < STEP && r < rows; r++) {
            const uint32_t at = byte_at(from, r, lane * sizeof(uint32_t));
            const uint32_t next = byte_at(from, r, (lane + 1) % WARP * sizeof(uint32_t));
            const int head = head_of(r), first = head + lane * PER_WORD;
            uint32_t word[WARP_ROWS / STEP];
#pragma unroll
            for (int i = 0; i < WARP_ROWS / STEP; i++) {
                word[i] = ptx::ld_shared(down(at, i));
                if (PER_WORD == 2)
                    word[i] = __funnelshift_r(word[i], ptx::ld_shared(down(next, i)), head * 16);
            }
            Element *p = c + first;
#pragma unroll
            for (int i = 0; i < WARP_ROWS / STEP; i++) {
                if (i * STEP < rows - r && first + PER_WORD <= count)
                    *reinterpret_cast<uint32_t *>(p) = word[i];
                p += STEP * g.gemm.ldc;
            }
            c += g.gemm.ldc;
        }
    }
};

/* ---- sums ---- */

/* A helper's sums of one tile: each thread's own, 16 bytes at a time. */
template <class T> struct Scratch {
    float4 *mine;

    __device__ __forceinline__ Scratch(const isomat_gemm_16_sm90_args &g, int slot, int group, int thread)
    {
        constexpr uint32_t OF_GROUP = T::SUMS / VECTOR * WARP_GROUP;
        mine = reinterpret_cast<float4 *>(g.scratch) +
               static_cast<uint32_t>((slot * CONSUMERS + group) * OF_GROUP + thread);
    }
    __device__ __forceinline__ void put(const float (&sum)[T::SUMS]) const
    {
#pragma unroll
        for (int i = 0; i < T::SUMS; i += VECTOR)
            __stcg(mine + i / VECTOR * WARP_GROUP, make_float4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]));
    }
    __device__ __forceinline__ void add_to(float (&sum)[T::SUMS]) const
    {
        constexpr int AT_ONCE = 32; /* sums; more would take registers that there are not */
        const float4 *from = mine;
#pragma unroll
        for (int first = 0; first < T::SUMS; first += AT_ONCE) {
            float4 v[AT_ONCE / VECTOR];
#pragma unroll
            for (int i = 0; i < AT_ONCE / VECTOR; i++)
                v[i] = __ldcg(from + i * WARP_GROUP);
#pragma unroll
            for (int i = 0; i < AT_ONCE / VECTOR; i++) {
                sum[first + i * VECTOR] += v[i].x;
                sum[first + i * VECTOR + 1] += v[i].y;
                sum[first + i * VECTOR + 2] += v[i].z;
                sum[first + i * VECTOR + 3] += v[i].w;
            }
            ptx::pin(sum);
            from += opaque(AT_ONCE / VECTOR * WARP_GROUP);
        }
    }
};

/* In a cluster the upper bits of an address say which block; descriptors have no
 * room for them. */
__device__ __forceinline__ uint32_t in_block(uint32_t address)
{
    return address % (1u << 18);
}

/* Ends the life of what these registers held, for the compiler: they serve others
 * until they are written again. */
template <int COUNT> __device__ __forceinline__ void clear(uint32_t (&r)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        r[i] = 0;
}

/* A consumer group's 64 rows of all of this block's work. */
template <class T, bool FINISHES>
__device__ __forceinline__ void consume(const isomat_gemm_16_sm90_args &g, typename T::Shared &shared,
                                        int group, int thread)
{
    const int lane = thread % WARP, warp = thread / WARP;
    /* both orientations keep a group's 64 rows of op(A) together, in order */
    const uint32_t a_base = in_block(shared_address(shared.a)) + group * (GROUP_ROWS * ROW_BYTES);
    const uint32_t b_base = in_block(shared_address(shared.b));
    const uint32_t boxes = shared_address(shared.c[group * (WARP_GROUP / WARP) + warp]);
    const Handover handover{reinterpret_cast<uint32_t *>(g.flags), group, thread};
    Cursor<T::STAGES> at;
    float sum[T::SUMS];
    typename Output<T>::Packed packed; /* results of `packed_task`, if it has slabs */
    Task packed_task = {0, 0, 0, 0};
    clear(packed);

    /* lane i tells block i of the cluster */
    const uint32_t empty =
        T::CLUSTER == 1 ? barrier(shared.empty, 0) : ptx::mapa(barrier(shared.empty, 0), lane % T::CLUSTER);
    const auto release = [&](uint32_t stage) {
        if (T::CLUSTER == 1) {
            if (lane == 0)
                ptx::mbarrier_arrive(empty + stage * sizeof(uint64_t));
        } else if (lane < T::CLUSTER) {
            ptx::mbarrier_arrive_cluster(empty + stage * sizeof(uint64_t));
        }
    };
    const auto output = [&](const Task &task) {
        const int t = opaque(thread); /* addresses where they are used, no earlier */
        return Output<T>{g, boxes, task.row + group * GROUP_ROWS + t / WARP * WARP_ROWS, task.col, t % WARP};
    };
    const auto wait = [&]() { ptx::mbarrier_wait(barrier(shared.full, at.stage), at.parity); };
    const auto start = [&](int accumulate) {
        const uint32_t a = a_base + at.stage * T::A_UNIT, b = b_base + at.stage * T::B_UNIT;
        ptx::wgmma_fence();
#pragma unroll
        for (int step = 0; step < BK / K_STEP; step++)
            ptx::wgmma_m64k16<T::MN_A, T::MN_B>(
                typename T::Type{}, sum, matrix_descriptor(a + step * STEP_BYTES<T::MN_A>),
                matrix_descriptor(b + step * STEP_BYTES<T::MN_B>), accumulate + step > 0);
        ptx::wgmma_commit_group();
    };

#pragma unroll 1
    for (;;) {
        wait();
        const Task task = shared.task[at.stage];
        if (task.slabs == 0)
            break;
        ptx::pin(sum);
        start(0);
        uint32_t before = at.stage;
        at.advance();
        if (packed_task.slabs > 0) {
            output(packed_task).store_packed(packed);
            packed_task.slabs = 0;
        }
#pragma unroll 1
        for (int slab = 1; slab < task.slabs; slab++) {
            wait();
            start(1);
            ptx::wgmma_wait_group<1>();
            release(before);
            before = at.stage;
            at.advance();
        }
        ptx::wgmma_wait_group<0>();
        ptx::pin(sum);
        release(before);

        if (task.role & GIVES_SUMS) {
            Scratch<T>(g, task.role / 4, group, thread).put(sum);
            handover.give(task.role / 4);
            clear(packed);
            continue;
        }
        if (task.role & TAKES_SUMS) {
            handover.take(task.role / 4);
            Scratch<T>(g, task.role / 4, group, opaque(thread)).add_to(sum);
        }
        if (T::TAKES_SPLIT && g.a_split)
            output(task).unscale(sum);
        if (FINISHES) {
            output(task).store_finished(sum);
            continue;
        }
        if (g.c_type == 1) {
            if (g.gemm.beta != 0.f)
                output(task).template store_floats<true>(sum);
            else
                output(task).template store_floats<false>(sum);
            clear(packed);
            continue;
        }
        if (g.c_type == 2) {
            if (g.gemm.beta != 0.f)
                output(task).template pack<__half, true>(packed, sum);
            else
                output(task).template pack<__half, false>(packed, sum);
        } else {
            if (g.gemm.beta != 0.f)
                output(task).template pack<__nv_bfloat16, true>(packed, sum);
            else
                output(task).template pack<__nv_bfloat16, false>(packed, sum);
        }
        packed_task = task;
    }
    if (packed_task.slabs > 0)
        output(packed_task).store_packed(packed);
}

template <class T, bool FINISHES>
__device__ __forceinline__ void gemm_16_sm90(const isomat_gemm_16_sm90_args &g, char *dynamic, int block,
                                             int blocks, int thread)
{
    const int warp_group = thread / WARP_GROUP;
    const uint32_t base = shared_address(dynamic);
    typename T::Shared &shared =
        *reinterpret_cast<typename T::Shared *>(dynamic + (ALIGNMENT - base % ALIGNMENT) % ALIGNMENT);
    const Place place = {T::CLUSTER == 1 ? 0 : static_cast<int>(ptx::cluster_ctarank()), block / T::CLUSTER,
                         blocks / T::CLUSTER};

    /* What does not depend on the kernel before may overlap its end. One warp finds the
     * first task meanwhile: divisions take long. */
    Plan<T> plan;
    if (thread < WARP)
        plan.begin(g, place);
    if (thread == WARP) {
        ptx::prefetch_tensormap(&g.a_map);
        ptx::prefetch_tensormap(&g.b_map);
        for (int s = 0; s < T::STAGES; s++) {
            ptx::mbarrier_init(barrier(shared.full, s), 1);
            ptx::mbarrier_init(barrier(shared.empty, s), T::WARPS * T::CLUSTER);
        }
        ptx::fence_mbarrier_init();
    }
    __syncthreads();
    if (T::CLUSTER > 1) {
        ptx::barrier_cluster_arrive_relaxed();
        ptx::barrier_cluster_wait();
    }
    griddepcontrol_wait();
    griddepcontrol_launch_dependents();

    if (T::TAKES_SPLIT && g.a_split) {
        isomat_split_head &a = *reinterpret_cast<isomat_split_head *>(g.a_split);
        isomat_split_head &b = *reinterpret_cast<isomat_split_head *>(g.b_split);
        const bool go = trusted<TF32_LOSS>(a, b, g.gemm.k, thread % WARP);
        if (block == 0 && thread == 0) {
            *reinterpret_cast<uint32_t *>(g.outcome) = !go;
            atomicAdd(reinterpret_cast<unsigned long long *>(&a.generation), 1ull);
            atomicAdd(reinterpret_cast<unsigned long long *>(&b.generation), 1ull);
        }
        if (!go) {
            multiply_strictly<T::MN_A, !T::MN_B>(g.gemm, FinishOf<FINISHES>::of(g.finish), dynamic, block,
                                                 blocks, thread);
            return;
        }
    }

    if (warp_group == 0) {
        ptx::setmaxnreg_dec<PRODUCER_REGISTERS>();
        if (thread == 0)
            produce<T>(g, shared, plan);
        __syncwarp();
    } else {
        ptx::setmaxnreg_inc<CONSUMER_REGISTERS>();
        consume<T, FINISHES>(g, shared, warp_group - 1, thread % WARP_GROUP);
    }
    /* another block's arrivals and copies may still be on their way to this one */
    if (T::CLUSTER > 1) {
        ptx::barrier_cluster_arrive_relaxed();
        ptx::barrier_cluster_wait();
    }
}

} // namespace sm90
} // namespace isomat

#endif
