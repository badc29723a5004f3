/* SPDX-License-Identifier: MIT */
/*
 * The one list of float32 multiplication kernels, and how to launch them.
 *
 * Kernels (gemm_f32.cu, gemm_f32_skinny.cu) and the host's table are both made
 * from the lists below, so they cannot differ. Plain C preprocessor: device
 * code, C11 and C++ all include it.
 */
#ifndef ISOMAT_KERNELS_GEMM_TILES_H
#define ISOMAT_KERNELS_GEMM_TILES_H

/*
 * X(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)
 *   the entry point is isomat_gemm_f32_<layout>_<bm>x<bn>x<bk>
 *   ta, tb   1 if op(A), op(B) is a transpose
 *   bm, bn   rows and columns of C that one block computes
 *   bk       depth of one slab of op(A) and op(B) in shared memory
 *   wm, wn   rows and columns of C that one warp computes; its lanes form a
 *            4 x 8 grid, so a thread computes (wm / 4) x (wn / 8) results
 *   stages   slabs in the shared-memory ring
 *   threads  of a block: 32 * (bm / wm) * (bn / wn)
 *   blocks   that live on one SM at once (sm_80, sm_90, sm_100; others hold half)
 * Largest tile first.
 */
/* clang-format off */
#define ISOMAT_GEMM_F32_TILES(X, layout, ta, tb) \
    X(layout, ta, tb, 128, 128, 16, 32, 64, 3, 256, 2) \
    X(layout, ta, tb,  64, 128, 16, 32, 64, 3, 128, 3) \
    X(layout, ta, tb,  64,  64, 16, 32, 64, 4,  64, 4) \
    X(layout, ta, tb,  32,  64, 32, 16, 32, 3, 128, 4) \
    X(layout, ta, tb,  32,  32, 32, 16, 32, 3,  64, 8)

#define ISOMAT_GEMM_F32_KERNELS(X) \
    ISOMAT_GEMM_F32_TILES(X, nn, 0, 0) \
    ISOMAT_GEMM_F32_TILES(X, nt, 0, 1) \
    ISOMAT_GEMM_F32_TILES(X, tn, 1, 0) \
    ISOMAT_GEMM_F32_TILES(X, tt, 1, 1)
/* clang-format on */

/* Tiles for many products at once, isomat_gemm_f32_group_<layout>_<tile>. */
/* clang-format off */
#define ISOMAT_GROUP_F32_TILES(X, layout, ta, tb) \
    X(layout, ta, tb, 128, 128, 16, 32, 64, 3, 256, 2) \
    X(layout, ta, tb,  64,  64, 16, 32, 64, 4,  64, 4) \
    X(layout, ta, tb,  32,  32, 32, 16, 32, 3,  64, 8)

#define ISOMAT_GROUP_F32_KERNELS(X) \
    ISOMAT_GROUP_F32_TILES(X, nn, 0, 0) \
    ISOMAT_GROUP_F32_TILES(X, nt, 0, 1) \
    ISOMAT_GROUP_F32_TILES(X, tn, 1, 0) \
    ISOMAT_GROUP_F32_TILES(X, tt, 1, 1)

/* X(layout, ta, tb, size): products with C of at most size x size, a warp for each. */
#define ISOMAT_TINY_F32_KERNELS(X) \
    X(nn, 0, 0, 16) X(nn, 0, 0, 32) \
    X(nt, 0, 1, 16) X(nt, 0, 1, 32) \
    X(tn, 1, 0, 16) X(tn, 1, 0, 32) \
    X(tt, 1, 1, 16) X(tt, 1, 1, 32)
/* clang-format on */

#define ISOMAT_TINY_WARPS 4 /* of a block, a product for each */
#define ISOMAT_TINY_MAX 32

#define ISOMAT_GEMM_F32_LAYOUTS 4 /* layout index: 2 * ta + tb */

/* Floats added to each row of a slab where the copy transposes (A stored n, B
 * stored t), to spread its targets over the banks; a multiple of 4 keeps rows
 * 16-byte aligned. */
#define ISOMAT_GEMM_PAD 4

/* Dynamic shared memory of one block, in bytes. */
#define ISOMAT_GEMM_SHARED_BYTES(ta, tb, bm, bn, bk, stages)                                                 \
    (4 * (stages) * (bk) * ((bm) + ((ta) ? 0 : ISOMAT_GEMM_PAD) + (bn) + ((tb) ? ISOMAT_GEMM_PAD : 0)))

/* Blocks of the 1-D grid; evaluate in int64_t and check against 2^31 - 1. */
#define ISOMAT_GEMM_GRID(m, n, bm, bn) ((((int64_t)(m) + (bm)-1) / (bm)) * (((int64_t)(n) + (bn)-1) / (bn)))

/*
 * X(form, s, r_per_block, chunk, threads, blocks)
 *   isomat_gemm_f32_<form>_<s>, see isomat_skinny_args in abi.h; choose the
 *   smallest s that holds the thin side. No dynamic shared memory.
 *   r_per_block   rows of Z that one block computes
 *   chunk         of k that a block takes at a time
 *   blocks        that live on one SM at once
 */
/* clang-format off */
#define ISOMAT_SKINNY_F32_KERNELS(X) \
    X(rows, 1,  4, 1024, 256, 3) \
    X(rows, 2,  8,  512, 256, 2) \
    X(rows, 4, 16,  256, 256, 2) \
    X(rows, 8, 16,  128, 256, 2) \
    X(cols, 1, 32,  256, 512, 2) \
    X(cols, 2, 32,  256, 512, 1) \
    X(cols, 4, 32,  256, 512, 1) \
    X(cols, 8, 32,  256, 512, 1)
/* clang-format on */

#define ISOMAT_SKINNY_MAX 8
#define ISOMAT_SKINNY_GRID(r, r_per_block) (((int64_t)(r) + (r_per_block)-1) / (r_per_block))

/* The most parts that k is cut into. */
#define ISOMAT_PARTS_MAX 256

/* isomat_gemm_f32_reduce: so many threads share the parts of a quad, four neighbours in C,
 * 8 parts each before any takes more. A power of two: at most a warp, and where there are
 * enough quads at most 8, so that 64 bytes of a part are read together. */
#define ISOMAT_REDUCE_THREADS 256
#define ISOMAT_REDUCE_QUADS(m, n) ((int64_t)(m) * (((int64_t)(n) + 3) / 4))
#define ISOMAT_REDUCE_WAYS(quads, parts)                                                                     \
    ((parts) > 128 && (quads) <= 512  ? 32                                                                   \
     : (parts) > 64 && (quads) <= 512 ? 16                                                                   \
     : (parts) > 32                   ? 8                                                                    \
     : (parts) > 16                   ? 4                                                                    \
     : (parts) > 8                    ? 2                                                                    \
                                      : 1)
#define ISOMAT_REDUCE_GRID(m, n, parts)                                                                      \
    ((ISOMAT_REDUCE_QUADS(m, n) * ISOMAT_REDUCE_WAYS(ISOMAT_REDUCE_QUADS(m, n), parts) +                     \
      ISOMAT_REDUCE_THREADS - 1) /                                                                           \
     ISOMAT_REDUCE_THREADS)

/* isomat_fill_<t>, isomat_scale_<t>, isomat_copy_<t>_<u>: any grid is right;
 * this many elements a block keeps the memory busy. */
#define ISOMAT_RECT_THREADS 256
#define ISOMAT_RECT_ELEMENTS_PER_BLOCK 4096

#endif
