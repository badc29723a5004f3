/* SPDX-License-Identifier: MIT */
/*
 * The contract between host and device of float32 multiplication on Hopper's
 * tensor cores: split_f32.cu and gemm_f32_sm90.cu. Plain C11, C++ and CUDA C++.
 *
 * A multiplication is up to two launches, in this order on one stream:
 *   1. isomat_split_f32 makes the split form of op(A), op(B) or both;
 *   2. isomat_gemm_f32_sm90_<layout>_<tile> multiplies on tensor cores; where the
 *      split forms' figures do not prove float32's error bound it takes the strict
 *      way instead, from A and B themselves. The word at `outcome` says which.
 *
 * Split form. Each row of op(A) and column of op(B) is multiplied by a power of
 * two, 2^exponent, that brings its largest magnitude to [2^14, 2^15), and each
 * element is then written as hi + lo, both fp16 (round to nearest):
 *
 *   planes  [2 = hi, lo][rows][ISOMAT_SPLIT_LD(cols)] fp16, where rows x cols is
 *           the matrix as it is stored; columns past the last are zero
 *
 * One block of device memory holds all of a split form; ISOMAT_SPLIT_* gives
 * offsets from its base, which is a multiple of 256. A form for TF32 has the plane
 * of hi alone.
 */
#ifndef ISOMAT_KERNELS_ABI_SM90_H
#define ISOMAT_KERNELS_ABI_SM90_H

#include <stdint.h>

#include "abi.h"

#if defined(__cplusplus)
#define ISOMAT_SM90_ASSERT(condition, message) static_assert(condition, message)
#define ISOMAT_SM90_ALIGN(bytes) alignas(bytes)
#else
#define ISOMAT_SM90_ASSERT(condition, message) _Static_assert(condition, message)
#define ISOMAT_SM90_ALIGN(bytes) _Alignas(bytes)
#endif

/* Columns of a box: 64 fp16 fill the 128 bytes that a TMA swizzle spans. It is
 * also how much of k leaves the tensor core at once. */
#define ISOMAT_SPLIT_BOX 64

/* The longest k (rows or columns along it) that the split pass counts exactly. */
#define ISOMAT_SPLIT_K_MAX 0x200000

/* Below this k the bound of float32 is tighter than three products can hold:
 * use the strict kernel. */
#define ISOMAT_GEMM_F32_SM90_K_MIN 256

/* Levels of scaled magnitude: 2^11, 2^8, 2^4, 2^-2. Below the last, lo loses bits. */
#define ISOMAT_SPLIT_LEVELS 4
#define ISOMAT_SPLIT_LEVEL(i) ((i) == 0 ? 11 : (i) == 1 ? 8 : (i) == 2 ? 4 : -2)

/*
 * What the kernel needs to know of a split form to trust it. The host zeroes the
 * head once, when it allocates the memory, and never looks at it.
 *
 * Figures speak of the worst row of op(A) or column of op(B); one that is zero
 * throughout is exact and not counted. The lower ISOMAT_SPLIT_FIGURE_BITS of a
 * word are the figure, the others the generation that it belongs to:
 *   figure[level]   elements of scaled magnitude below that level
 *   figure[LEVELS]  sum of |x - hi - lo| over elements below the last level, or in a
 *                   form without lo of |x - hi| over those below 2^-14, in units of
 *                   2^-33: the upper bits of a float, rounded up;
 *                   ISOMAT_SPLIT_NOT_FINITE if an element is not finite
 * Each multiplication begins a new generation, so that a later split of the same
 * memory starts afresh; splits with none between them keep the worse figures.
 */
#define ISOMAT_SPLIT_FIGURE_BITS 24
#define ISOMAT_SPLIT_NOT_FINITE 0xffffffu

struct isomat_split_head {
    uint64_t generation;
    uint64_t figure[ISOMAT_SPLIT_LEVELS + 1];
    uint64_t reserved[32 - 2 - ISOMAT_SPLIT_LEVELS];
};

#define ISOMAT_SPLIT_HEAD_BYTES 256
#define ISOMAT_SPLIT_BOXES(cols) (((int64_t)(cols) + ISOMAT_SPLIT_BOX - 1) / ISOMAT_SPLIT_BOX)

/* extent: m for A, n for B, whichever way they are stored */
#define ISOMAT_SPLIT_EXPONENTS_OFFSET ISOMAT_SPLIT_HEAD_BYTES
#define ISOMAT_SPLIT_EXPONENTS_BYTES(extent) ((((int64_t)(extent) + 63) / 64) * 64 * 4)
#define ISOMAT_SPLIT_PLANES_OFFSET(extent)                                                                   \
    (ISOMAT_SPLIT_EXPONENTS_OFFSET + ISOMAT_SPLIT_EXPONENTS_BYTES(extent))
#define ISOMAT_SPLIT_LD(cols) (ISOMAT_SPLIT_BOXES(cols) * ISOMAT_SPLIT_BOX) /* fp16 from row to row */
#define ISOMAT_SPLIT_PLANE_BYTES(rows, cols) (ISOMAT_SPLIT_LD(cols) * (int64_t)(rows)*2)
#define ISOMAT_SPLIT_BYTES(extent, rows, cols, planes)                                                       \
    (ISOMAT_SPLIT_PLANES_OFFSET(extent) + (planes)*ISOMAT_SPLIT_PLANE_BYTES(rows, cols))

/* Bits of isomat_split_operand.flags. */
#define ISOMAT_SPLIT_BY_COLUMN 0x1u /* one scale a stored column: A t, B n; else A n, B t */
#define ISOMAT_SPLIT_VECTOR 0x2u    /* source address % 16 == 0 and ld % 4 == 0 */
#define ISOMAT_SPLIT_HI_ONLY 0x4u   /* no plane of lo */

struct isomat_split_operand {
    uint64_t source; /* const float *, row-major as stored */
    int64_t ld;
    uint64_t split; /* base of the split form */
    int32_t rows, cols;
    uint32_t flags;
    uint32_t blocks; /* ISOMAT_SPLIT_BLOCKS; 0: nothing to do for this operand */
};

/*
 * isomat_split_f32. An operand that is split BY_COLUMN goes first: its blocks take
 * longer. Grid: operand[0].blocks + operand[1].blocks, block
 * ISOMAT_SPLIT_THREADS, dynamic shared memory ISOMAT_SPLIT_SHARED_BYTES; clusters of 8 blocks are
 * compiled in (__cluster_dims__), so a plain launch is right.
 */
struct isomat_split_args {
    struct isomat_split_operand operand[2];
};

#define ISOMAT_SPLIT_THREADS 256
/* vectors of 16 bytes that a thread keeps in shared memory, at most */
#define ISOMAT_SPLIT_CHUNK_MAX 16
#define ISOMAT_SPLIT_CLUSTER 8
#define ISOMAT_SPLIT_STRIP 32 /* columns that a cluster takes, BY_COLUMN */
/* rows that a block takes, otherwise: a thread holds up to 64 of their elements */
#define ISOMAT_SPLIT_ROWS_PER_BLOCK(cols) ((cols) <= 2048 ? 8 : (cols) <= 4096 ? 4 : (cols) <= 8192 ? 2 : 1)
#define ISOMAT_SPLIT_ROUND_UP(a, b) (((int64_t)(a) + (b)-1) / (b) * (b))
#define ISOMAT_SPLIT_BLOCKS(rows, cols, by_column)                                                           \
    ((by_column) ? ISOMAT_SPLIT_BOXES(cols) * (ISOMAT_SPLIT_BOX / ISOMAT_SPLIT_STRIP) * ISOMAT_SPLIT_CLUSTER \
                 : ISOMAT_SPLIT_ROUND_UP(((int64_t)(rows) + ISOMAT_SPLIT_ROWS_PER_BLOCK(cols) - 1) /         \
                                             ISOMAT_SPLIT_ROWS_PER_BLOCK(cols),                              \
                                         ISOMAT_SPLIT_CLUSTER))

/* Vectors that a thread has to keep for one operand; a launch needs the larger of
 * its operands' (any number from 1 up is right, fewer read again). */
#define ISOMAT_SPLIT_VECTORS(rows, cols, by_column)                                                          \
    ((by_column) ? ((int64_t)(rows) + 255) / 256                                                             \
                 : (ISOMAT_SPLIT_BOXES(cols) * 16 * ISOMAT_SPLIT_ROWS_PER_BLOCK(cols) + 255) / 256)
#define ISOMAT_SPLIT_SHARED_BYTES(vectors)                                                                   \
    (ISOMAT_SPLIT_THREADS * 16 * ((vectors) < ISOMAT_SPLIT_CHUNK_MAX ? (vectors) : ISOMAT_SPLIT_CHUNK_MAX))

/*
 * A CUtensorMap, filled by cuTensorMapEncodeTiled with
 *   type         CU_TENSOR_MAP_DATA_TYPE_FLOAT16
 *   rank         4
 *   address      base of the split form + ISOMAT_SPLIT_PLANES_OFFSET(extent)
 *   dims         { 64, rows, boxes, 2 }, boxes = ISOMAT_SPLIT_BOXES(cols)
 *   strides      { ISOMAT_SPLIT_LD(cols) * 2, 128, ISOMAT_SPLIT_PLANE_BYTES } bytes
 *   box          k along the columns (A n, B t): { 64, width, 1, 2 }
 *                k along the rows    (A t, B n): { 64, 64, width / 64, 2 }
 *                width: A ISOMAT_GEMM_F32_SM90_BM, B the tile's `wn`
 *   elementStrides { 1, 1, 1, 1 }
 *   interleave   CU_TENSOR_MAP_INTERLEAVE_NONE
 *   swizzle      CU_TENSOR_MAP_SWIZZLE_128B
 *   l2Promotion  CU_TENSOR_MAP_L2_PROMOTION_L2_256B
 *   oobFill      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE (zeros: ragged edges need it)
 */
struct isomat_tensor_map {
    ISOMAT_SM90_ALIGN(64) uint64_t opaque[16];
};

/*
 * isomat_gemm_f32_sm90_<layout>_<bm>x<bn>:
 *   C = alpha * op(A) * op(B) + beta * C
 * k >= 1. `gemm` is what isomat_gemm_f32_<layout>_128x128x16 takes: where A and B
 * are, for the strict way, and C, which needs no more than float's alignment.
 */
struct isomat_gemm_f32_sm90_args {
    struct isomat_tensor_map a_map, b_map;
    struct isomat_gemm_args gemm;
    uint64_t a_split, b_split; /* bases of the split forms */
    uint64_t outcome;          /* uint32_t *: set to 1 if the strict way was taken, else 0 */
    uint64_t flags;            /* uint32_t *, ISOMAT_GEMM_F32_SM90_FLAGS_BYTES(grid) */
    int32_t part_slabs;        /* 64 * part_slabs of k make one running sum; >= 1 */
    int32_t help_slabs;        /* ISOMAT_GEMM_F32_SM90_HELP_SLABS */
    struct isomat_finish finish;
    uint32_t reserved[12];
};

/*
 * Where the tiles of C do not fill the last round of the grid, idle blocks help:
 * they take the first help_slabs slabs of k of the last round's tiles (0: nobody
 * helps), a share of several tiles each. That costs a helper about HELP_COST slabs
 * more for each tile. The grid must then be the number of SMs. The flags are zeroed
 * once, when they are allocated; a launch leaves them zero. Launches that may
 * overlap must not share them.
 */
#define ISOMAT_GEMM_F32_SM90_FLAGS_BYTES(sms) (2 * 4 * (int64_t)(sms))
#define ISOMAT_GEMM_F32_SM90_HELP_COST 4
#define ISOMAT_GEMM_F32_SM90_HELP_MIN 5                         /* fewer slabs are not worth the exchange */
#define ISOMAT_GEMM_F32_SM90_LEFT(tiles, sms) ((tiles) % (sms)) /* in the last round */
#define ISOMAT_GEMM_F32_SM90_IDLE(tiles, sms) ((sms)-ISOMAT_GEMM_F32_SM90_LEFT(tiles, sms))
#define ISOMAT_GEMM_F32_SM90_SHARE(tiles, sms)                                                               \
    ((ISOMAT_GEMM_F32_SM90_LEFT(tiles, sms) + ISOMAT_GEMM_F32_SM90_IDLE(tiles, sms) - 1) /                   \
     ISOMAT_GEMM_F32_SM90_IDLE(tiles, sms))
/* so many that helper and owner take equally long */
#define ISOMAT_GEMM_F32_SM90_EVEN(share, slabs)                                                              \
    (((slabs)-ISOMAT_GEMM_F32_SM90_HELP_COST * (share)) / ((share) + 1))
#define ISOMAT_GEMM_F32_SM90_HELP_SLABS(tiles, sms, slabs)                                                   \
    (ISOMAT_GEMM_F32_SM90_LEFT(tiles, sms) == 0 ||                                                           \
             ISOMAT_GEMM_F32_SM90_EVEN(ISOMAT_GEMM_F32_SM90_SHARE(tiles, sms), slabs) <                      \
                 ISOMAT_GEMM_F32_SM90_HELP_MIN                                                               \
         ? 0                                                                                                 \
         : ISOMAT_GEMM_F32_SM90_EVEN(ISOMAT_GEMM_F32_SM90_SHARE(tiles, sms), slabs))

/*
 * X(bm, bn, wn, a_stages, b_stages): the tiles, for each layout nn nt tn tt.
 *   bm, bn    rows and columns of C that a block computes at a time
 *   wn        columns of one wgmma; bn / wn of them share a partial sum
 *   a_stages  units of op(A) in the ring: bm x 64 of hi and lo
 *   b_stages  units of op(B) in the ring: wn x 64 of hi and lo
 * Grid, 1-D: the SMs of the device if help_slabs is not 0, else no more than
 * tiles of C. Block: ISOMAT_GEMM_F32_SM90_THREADS. Every block must be able to run
 * at once, one on an SM.
 */
#define ISOMAT_GEMM_F32_SM90_BM 128
#define ISOMAT_GEMM_F32_SM90_THREADS 384
#define ISOMAT_GEMM_F32_SM90_PART_SLABS 128
#define ISOMAT_GEMM_F32_SM90_TILES(X)                                                                        \
    X(128, 256, 128, 3, 4)                                                                                   \
    X(128, 128, 128, 3, 3)                                                                                   \
    X(128, 64, 64, 4, 4)

/* Dynamic shared memory: the units, their barriers, and room to align to 1024. */
#define ISOMAT_GEMM_F32_SM90_SHARED_BYTES(bm, wn, a_stages, b_stages)                                        \
    ((a_stages) * (bm)*256 + (b_stages) * (wn)*256 + 192 + 1024)

/*
 * 16-bit operands: isomat_gemm_f16_sm90_<layout>_<bm>x<bn>, isomat_gemm_bf16_sm90_...
 *   C = alpha * op(A) * op(B) + beta * C
 * with A and B both fp16 or both bf16, sums in float32, and C of c_type, which needs
 * no more than its elements' alignment.
 *
 * a_map, b_map: the matrices as they are stored, or the hi planes of split forms;
 * cuTensorMapEncodeTiled with
 *   type         FLOAT16 or BFLOAT16
 *   rank         2
 *   address      of the first element, a multiple of 16
 *   dims         { cols, rows }
 *   strides      { ld * 2 } bytes, a multiple of 16
 *   box          k along the columns (A n, B t): { 64, width }
 *                k along the rows    (A t, B n): { 64, 64 }
 *                width: A ISOMAT_GEMM_16_SM90_BM, B the tile's bn / cluster
 * All else is as with isomat_tensor_map above.
 *
 * TF32 (f16 kernels alone): a_split and b_split are the bases of the split forms
 * that the maps look into, c_type is f32, and gemm.a, gemm.b, gemm.lda, gemm.ldb,
 * gemm.flags tell of the float32 matrices, for the strict way. For 16-bit matrices
 * a_split and b_split are 0 and those fields are not read.
 */
struct isomat_gemm_16_sm90_args {
    struct isomat_tensor_map a_map, b_map;
    struct isomat_gemm_args gemm; /* c, ldc: of c_type, in elements; k >= 1 */
    uint64_t a_split, b_split;
    uint64_t outcome;   /* TF32: uint32_t *, set to 1 if the strict way was taken, else 0 */
    uint64_t flags;     /* uint32_t *, ISOMAT_GEMM_16_SM90_FLAGS_BYTES; not used if help_slabs is 0 */
    uint64_t scratch;   /* ISOMAT_GEMM_16_SM90_SCRATCH_BYTES, multiple of 16; likewise */
    int32_t help_slabs; /* ISOMAT_GEMM_16_SM90_HELP_SLABS */
    uint32_t c_type;    /* its number in ISOMAT_ELEMENT_TYPES (abi.h), from 1 */
    struct isomat_finish finish;
    uint32_t reserved[10];
};

/*
 * X(bm, bn, stages, cluster): the tiles, for each layout nn nt tn tt and each type.
 *   bm, bn    rows and columns of C that a block computes at a time
 *   stages    units of the ring: bm x 64 of op(A) and 64 x bn of op(B)
 *   cluster   blocks that share op(B): they take tiles one below the other. It is
 *             compiled in (__cluster_dims__).
 * Grid, 1-D, a multiple of cluster: ISOMAT_GEMM_16_SM90_GRID. Block:
 * ISOMAT_GEMM_16_SM90_THREADS. Every block must be able to run at once, one on an SM.
 */
#define ISOMAT_GEMM_16_SM90_BM 128
#define ISOMAT_GEMM_16_SM90_THREADS 384
#define ISOMAT_GEMM_16_SM90_TILES(X)                                                                         \
    X(128, 256, 4, 2)                                                                                        \
    X(128, 128, 6, 2)                                                                                        \
    X(128, 64, 8, 1)

/* Dynamic shared memory: the units, C on its way out (for each of 8 warps two boxes
 * of 16 rows x 128 bytes), barriers, and room to align to 1024. */
#define ISOMAT_GEMM_16_SM90_SHARED_BYTES(bm, bn, stages)                                                     \
    ((stages) * ((bm) + (bn)) * 128 + 2 * 8 * 16 * 128 + 256 + 1024)

/* What a cluster computes at a time, `blocks` of the grid, the slabs of k that idle
 * ones take over (as in float32 above, but sums go through scratch). */
#define ISOMAT_GEMM_16_SM90_WORK(m, n, bm, bn, cluster)                                                      \
    ((((int64_t)(m) + (bm) * (cluster)-1) / ((bm) * (cluster))) * (((int64_t)(n) + (bn)-1) / (bn)))
#define ISOMAT_GEMM_16_SM90_HELP_SLABS(work, sms, cluster, slabs)                                            \
    ISOMAT_GEMM_F32_SM90_HELP_SLABS(work, (sms) / (cluster), slabs)
#define ISOMAT_GEMM_16_SM90_GRID(work, sms, cluster, help_slabs)                                             \
    ((cluster) * ((help_slabs) || (work) > (sms) / (cluster) ? (int64_t)((sms) / (cluster)) : (work)))
#define ISOMAT_GEMM_16_SM90_FLAGS_BYTES(sms) (2 * 4 * (int64_t)(sms))
#define ISOMAT_GEMM_16_SM90_SCRATCH_BYTES(bm, bn, sms) ((int64_t)(sms) * (bm) * (bn)*4)

/*
 * isomat_gemm_f32_strict_sm90: C = alpha * op(A) * op(B) + beta * C on CUDA cores, every
 * product and sum one fma or the addition of two such sums. k >= 1. Of `gemm`, a, b, lda
 * and ldb are not read; C needs no more than float's alignment.
 *
 * a_map, b_map: op(A)^T, k x m, and op(B), k x n, as they are stored or as
 * isomat_transpose_f32 made them; cuTensorMapEncodeTiled with
 *   type         FLOAT32
 *   rank         2
 *   address      of the first element, a multiple of 16
 *   dims         { m, k } and { n, k }
 *   strides      { ld * 4 } bytes, a multiple of 16
 *   box          { BM, SLAB } and { BN, SLAB }
 *   swizzle      CU_TENSOR_MAP_SWIZZLE_NONE
 * All else is as with isomat_tensor_map above.
 *
 * Grid, 1-D: the SMs of the device if `cut` or if there are more tiles of C, else one
 * block a tile. Every block must be able to run at once, one on an SM.
 */
struct isomat_gemm_f32_strict_sm90_args {
    struct isomat_tensor_map a_map, b_map;
    struct isomat_gemm_args gemm;
    uint64_t flags; /* uint32_t *, as in isomat_gemm_f32_sm90_args; not used if cut is 0 */
    int32_t cut;    /* 1: the tiles of the last round are shared out along k */
    uint32_t unused;
    struct isomat_finish finish;
    uint32_t reserved[2];
};

#define ISOMAT_GEMM_F32_STRICT_SM90_BM 256
#define ISOMAT_GEMM_F32_STRICT_SM90_BN 128
#define ISOMAT_GEMM_F32_STRICT_SM90_SLAB 16
#define ISOMAT_GEMM_F32_STRICT_SM90_STAGES 8
#define ISOMAT_GEMM_F32_STRICT_SM90_THREADS 384
#define ISOMAT_GEMM_F32_STRICT_SM90_SHARED_BYTES                                                             \
    (ISOMAT_GEMM_F32_STRICT_SM90_STAGES *                                                                    \
     (ISOMAT_GEMM_F32_STRICT_SM90_SLAB * (ISOMAT_GEMM_F32_STRICT_SM90_BM + ISOMAT_GEMM_F32_STRICT_SM90_BN) * \
          4 +                                                                                                \
      16))
#define ISOMAT_GEMM_F32_STRICT_SM90_FLAGS_BYTES(sms) (2 * 4 * (int64_t)(sms))
/* Sharing out costs each block about so many slabs, for going to C once more. */
#define ISOMAT_GEMM_F32_STRICT_SM90_CUT_COST 8
#define ISOMAT_GEMM_F32_STRICT_SM90_CUT(tiles, sms, slabs)                                                   \
    ((tiles) % (sms) != 0 &&                                                                                 \
     ((sms) - (tiles) % (sms)) * (slabs) / (sms) > ISOMAT_GEMM_F32_STRICT_SM90_CUT_COST)

/*
 * isomat_transpose_f32: dst(j, i) = src(i, j), src of rows x cols. dst and ld_dst are
 * multiples of 4 elements; the elements between rows and the next multiple of 4 may be
 * written. ISOMAT_VECTOR_A speaks of src. Grid: 1-D, ISOMAT_TRANSPOSE_GRID.
 */
struct isomat_transpose_args {
    uint64_t dst, src;
    int64_t ld_dst, ld_src;
    int32_t rows, cols;
    uint32_t flags;
    uint32_t zero;
};

#define ISOMAT_TRANSPOSE_TILE 64
#define ISOMAT_TRANSPOSE_THREADS 256
#define ISOMAT_TRANSPOSE_GRID(rows, cols)                                                                    \
    ((((int64_t)(rows) + ISOMAT_TRANSPOSE_TILE - 1) / ISOMAT_TRANSPOSE_TILE) *                               \
     (((int64_t)(cols) + ISOMAT_TRANSPOSE_TILE - 1) / ISOMAT_TRANSPOSE_TILE))

ISOMAT_SM90_ASSERT(sizeof(struct isomat_split_head) == ISOMAT_SPLIT_HEAD_BYTES,
                   "host and device must agree on the size of isomat_split_head");
ISOMAT_SM90_ASSERT(sizeof(struct isomat_split_args) == 80,
                   "host and device must agree on the size of isomat_split_args");
ISOMAT_SM90_ASSERT(sizeof(struct isomat_gemm_f32_sm90_args) == 512,
                   "host and device must agree on the size of isomat_gemm_f32_sm90_args");
ISOMAT_SM90_ASSERT(sizeof(struct isomat_gemm_16_sm90_args) == 512,
                   "host and device must agree on the size of isomat_gemm_16_sm90_args");
ISOMAT_SM90_ASSERT(sizeof(struct isomat_gemm_f32_strict_sm90_args) == 448,
                   "host and device must agree on the size of isomat_gemm_f32_strict_sm90_args");
ISOMAT_SM90_ASSERT(sizeof(struct isomat_transpose_args) == 48,
                   "host and device must agree on the size of isomat_transpose_args");

#endif
