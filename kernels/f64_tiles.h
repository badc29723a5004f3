/* SPDX-License-Identifier: MIT */
/*
 * The one list of float64 multiplication kernels, and how to launch them.
 *
 * Kernels (gemm_f64.cu) and the host's table are both made from it. Plain C
 * preprocessor, as gemm_tiles.h.
 */
#ifndef ISOMAT_KERNELS_F64_TILES_H
#define ISOMAT_KERNELS_F64_TILES_H

/*
 * X(layout, ta, tb, bm, bn, bk, wx, wy, stages, threads, blocks)
 *   the entry point is isomat_gemm_f64_<layout>_<bm>x<bn>x<bk>; columns as in
 *   mma_tiles.h, but
 *   wx, wy   rows of X and columns of Y of one warp (gemm_f64.cuh)
 *   blocks   those of sm_80, sm_90 and sm_100
 * Largest tile first. The larger ones do not fit the shared memory of every device;
 * the first asks for Hopper's.
 */
/* clang-format off */
#define ISOMAT_GEMM_F64_TILES(X, layout, ta, tb) \
    X(layout, ta, tb, 128, 128, 32, 64, 32, 3, 256, 1) \
    X(layout, ta, tb, 128, 128, 16, 64, 32, 4, 256, 1) \
    X(layout, ta, tb,  64,  64, 16, 32, 32, 4, 128, 3) \
    X(layout, ta, tb,  32,  32, 32, 16, 16, 3, 128, 4)

#define ISOMAT_GEMM_F64_KERNELS(X) \
    ISOMAT_GEMM_F64_TILES(X, nn, 0, 0) \
    ISOMAT_GEMM_F64_TILES(X, nt, 0, 1) \
    ISOMAT_GEMM_F64_TILES(X, tn, 1, 0) \
    ISOMAT_GEMM_F64_TILES(X, tt, 1, 1)
/* clang-format on */

/* Dynamic shared memory of one block, in bytes. The grid is ISOMAT_GEMM_GRID (gemm_tiles.h), times the
 * parts of k. */
#define ISOMAT_GEMM_F64_SHARED_BYTES(bm, bn, bk, stages) (8 * (stages) * (bk) * ((bm) + (bn)))

#endif
