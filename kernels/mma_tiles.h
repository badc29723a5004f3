/* SPDX-License-Identifier: MIT */
/*
 * The one list of mma.sync multiplication kernels, and how to launch them.
 *
 * Kernels (gemm_f16_mma.cu, gemm_bf16_mma.cu, gemm_tf32_mma.cu, gemm_f32x3_mma.cu)
 * and the host's table are both made from it. Plain C preprocessor, as
 * gemm_tiles.h.
 */
#ifndef ISOMAT_KERNELS_MMA_TILES_H
#define ISOMAT_KERNELS_MMA_TILES_H

/*
 * X(mode, layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)
 *   the entry point is isomat_gemm_<mode>_<layout>_<bm>x<bn>x<bk>
 *   mode     f16, bf16, tf32, f32x3
 *   ta, tb   1 if op(A), op(B) is a transpose
 *   bm, bn   rows and columns of C that one block computes
 *   bk       depth of one slab of op(A) and op(B) in shared memory: 64 or 128 bytes of it
 *   wm, wn   rows and columns of C that one warp computes
 *   stages   slabs in the shared-memory ring
 *   threads  of a block: 32 * (bm / wm) * (bn / wn)
 *   blocks   that live on one SM at once (sm_80, sm_90, sm_100; others may hold one less)
 * Largest tile first; each mode has ISOMAT_GEMM_MMA_TILES in each layout.
 */
/* clang-format off */
#define ISOMAT_GEMM_F16_TILES(X, mode, layout, ta, tb) \
    X(mode, layout, ta, tb, 128, 128, 32, 64, 64, 3, 128, 2) \
    X(mode, layout, ta, tb,  64,  64, 64, 32, 32, 3, 128, 3)
#define ISOMAT_GEMM_TF32_TILES(X, mode, layout, ta, tb) \
    X(mode, layout, ta, tb, 128, 128, 16, 64, 64, 3, 128, 2) \
    X(mode, layout, ta, tb,  64,  64, 32, 32, 32, 3, 128, 3)
#define ISOMAT_GEMM_F32X3_TILES(X, mode, layout, ta, tb) \
    X(mode, layout, ta, tb, 128, 128, 16, 64, 32, 4, 256, 1) \
    X(mode, layout, ta, tb,  64,  64, 16, 32, 32, 4, 128, 3)

#define ISOMAT_GEMM_MMA_LAYOUTS(TILES, X, mode) \
    TILES(X, mode, nn, 0, 0) \
    TILES(X, mode, nt, 0, 1) \
    TILES(X, mode, tn, 1, 0) \
    TILES(X, mode, tt, 1, 1)
#define ISOMAT_GEMM_F16_KERNELS(X) ISOMAT_GEMM_MMA_LAYOUTS(ISOMAT_GEMM_F16_TILES, X, f16)
#define ISOMAT_GEMM_BF16_KERNELS(X) ISOMAT_GEMM_MMA_LAYOUTS(ISOMAT_GEMM_F16_TILES, X, bf16)
#define ISOMAT_GEMM_TF32_KERNELS(X) ISOMAT_GEMM_MMA_LAYOUTS(ISOMAT_GEMM_TF32_TILES, X, tf32)
#define ISOMAT_GEMM_F32X3_KERNELS(X) ISOMAT_GEMM_MMA_LAYOUTS(ISOMAT_GEMM_F32X3_TILES, X, f32x3)
#define ISOMAT_GEMM_MMA_KERNELS(X) \
    ISOMAT_GEMM_F16_KERNELS(X) \
    ISOMAT_GEMM_BF16_KERNELS(X) \
    ISOMAT_GEMM_TF32_KERNELS(X) \
    ISOMAT_GEMM_F32X3_KERNELS(X)
/* clang-format on */

#define ISOMAT_GEMM_MMA_TILES 2 /* of each mode, in each layout */

/* Bytes of an operand's element. */
#define ISOMAT_GEMM_MMA_BYTES_f16 2
#define ISOMAT_GEMM_MMA_BYTES_bf16 2
#define ISOMAT_GEMM_MMA_BYTES_tf32 4
#define ISOMAT_GEMM_MMA_BYTES_f32x3 4

/* Dynamic shared memory of one block, in bytes. The grid is ISOMAT_GEMM_GRID (gemm_tiles.h). */
#define ISOMAT_GEMM_MMA_SHARED_BYTES(mode, bm, bn, bk, stages)                                               \
    (ISOMAT_GEMM_MMA_BYTES_##mode * (stages) * (bk) * ((bm) + (bn)))

/* isomat_gemm_f32x3_*: below this k the kernel multiplies on CUDA cores, since the error of the split
 * would pass k u |A||B| (gemm_mma.cuh). */
#define ISOMAT_GEMM_F32X3_K_MIN 64

#endif
