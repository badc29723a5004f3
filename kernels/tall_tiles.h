/* SPDX-License-Identifier: MIT */
/*
 * Tile constants of gemm_tall.cuh, read by host and device.
 *
 * X(form, s, r_per_block, chunk, threads, blocks): as ISOMAT_SKINNY_F32_KERNELS
 * (gemm_tiles.h) has them, with the same arguments and the same grid.
 */
#ifndef ISOMAT_KERNELS_TALL_TILES_H
#define ISOMAT_KERNELS_TALL_TILES_H

/* clang-format off */
#define ISOMAT_TALL_F32_KERNELS(X) \
    X(tall_rows, 1,  128, 32, 128, 4) \
    X(tall_rows, 2,  128, 32, 128, 4) \
    X(tall_rows, 4,  128, 32, 128, 4) \
    X(tall_rows, 8,  128, 32, 128, 4) \
    X(tall_rows, 16, 128, 32, 128, 3) \
    X(tall_cols, 1,  128, 16, 128, 5) \
    X(tall_cols, 2,  128, 16, 128, 5) \
    X(tall_cols, 4,  128, 16, 128, 5) \
    X(tall_cols, 8,  128, 16, 128, 5) \
    X(tall_cols, 16, 128, 16, 128, 4)
/* clang-format on */

#define ISOMAT_TALL_MAX 16

#endif
