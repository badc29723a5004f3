/* SPDX-License-Identifier: MIT */
/* table.h: the images embedded in the library and the kernels in them.
 *
 * Made from the same lists as the kernels themselves (kernels/gemm_tiles.h),
 * so that host and device cannot differ. */
#ifndef ISOMAT_MODULES_TABLE_H
#define ISOMAT_MODULES_TABLE_H

#include <stdint.h>

#include "kernels/abi_sm90.h"
#include "kernels/gemm_tiles.h"

enum im_embedded_id {
    IM_EMBEDDED_GEMM_F32,
    IM_EMBEDDED_GEMM_F32_GATED,
    IM_EMBEDDED_GEMM_F32_SKINNY,
    IM_EMBEDDED_GEMM_F32_SM90,
    IM_EMBEDDED_MATRIX_F32,
    IM_EMBEDDED_SPLIT_F32,
    IM_EMBEDDED_COUNT,
};

struct im_embedded {
    const char *name;
    const unsigned char *begin; /* a fatbin; empty if the build's nvcc did not know its architecture */
    const unsigned char *end;
};

extern const struct im_embedded im_embedded_modules[IM_EMBEDDED_COUNT];

#define IM_GEMM_ID(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                              \
    IM_KERNEL_GEMM_##layout##_##bm##x##bn##x##bk,
#define IM_SM90_ID(layout, bm, bn) IM_KERNEL_SM90_##layout##_##bm##x##bn,
#define IM_SM90_NN(bm, bn, wn, a_stages, b_stages) IM_SM90_ID(nn, bm, bn)
#define IM_SM90_NT(bm, bn, wn, a_stages, b_stages) IM_SM90_ID(nt, bm, bn)
#define IM_SM90_TN(bm, bn, wn, a_stages, b_stages) IM_SM90_ID(tn, bm, bn)
#define IM_SM90_TT(bm, bn, wn, a_stages, b_stages) IM_SM90_ID(tt, bm, bn)
/* clang-format off */
#define IM_SKINNY_ID(form, s, r_per_block, threads) IM_KERNEL_SKINNY_##form##_##s,
enum im_kernel_id {
    ISOMAT_GEMM_F32_KERNELS(IM_GEMM_ID) /* tiles of one layout stand together, the largest first */
    ISOMAT_SKINNY_F32_KERNELS(IM_SKINNY_ID)
    ISOMAT_GEMM_F32_SM90_TILES(IM_SM90_NN) /* likewise */
    ISOMAT_GEMM_F32_SM90_TILES(IM_SM90_NT)
    ISOMAT_GEMM_F32_SM90_TILES(IM_SM90_TN)
    ISOMAT_GEMM_F32_SM90_TILES(IM_SM90_TT)
    IM_KERNEL_GATED_nn, IM_KERNEL_GATED_nt, IM_KERNEL_GATED_tn, IM_KERNEL_GATED_tt,
    IM_KERNEL_SPLIT,
    IM_KERNEL_FILL,
    IM_KERNEL_SCALE,
    IM_KERNEL_COPY,
    IM_KERNEL_COUNT,
};
/* clang-format on */
#undef IM_GEMM_ID
#undef IM_SM90_ID
#undef IM_SM90_NN
#undef IM_SM90_NT
#undef IM_SM90_TN
#undef IM_SM90_TT
#undef IM_SKINNY_ID

#define IM_COUNT_ONE(...) +1
enum {
    IM_GEMM_TILES = 0 ISOMAT_GEMM_F32_TILES(IM_COUNT_ONE, , , ),       /* in each layout */
    IM_SM90_TILES = 0 ISOMAT_GEMM_F32_SM90_TILES(IM_COUNT_ONE),        /* in each layout */
    IM_SKINNY_SIZES = (0 ISOMAT_SKINNY_F32_KERNELS(IM_COUNT_ONE)) / 2, /* in each of rows and cols */
};
#undef IM_COUNT_ONE

struct im_kernel_row {
    const char *name; /* the entry point */
    enum im_embedded_id module;
    uint32_t threads;
    uint32_t shared_bytes; /* dynamic, the most */
    /* gemm */
    int32_t tile_m, tile_n; /* results of one block */
    int32_t blocks_per_sm;
    int32_t wgmma_n; /* sm90: columns of one wgmma; 0 for a kernel of CUDA cores */
    /* skinny */
    int32_t thin; /* the most columns of Y */
    int32_t rows_per_block;
};

extern const struct im_kernel_row im_kernels[IM_KERNEL_COUNT];

#endif /* ISOMAT_MODULES_TABLE_H */
