/* SPDX-License-Identifier: MIT */
/* table.h: the images embedded in the library and the kernels in them.
 *
 * Made from the same lists as the kernels themselves (kernels/gemm_tiles.h),
 * so that host and device cannot differ. */
#ifndef ISOMAT_MODULES_TABLE_H
#define ISOMAT_MODULES_TABLE_H

#include <stdint.h>

#include "kernels/abi.h"
#include "kernels/abi_sm90.h"
#include "kernels/f64_tiles.h"
#include "kernels/gemm_tiles.h"
#include "kernels/mma_tiles.h"
#include "kernels/tall_tiles.h"

enum im_embedded_id {
    IM_EMBEDDED_GEMM_BF16_MMA,
    IM_EMBEDDED_GEMM_F16_MMA,
    IM_EMBEDDED_GEMM_BF16_SM90,
    IM_EMBEDDED_GEMM_BF16_SM90_FINISH,
    IM_EMBEDDED_GEMM_F16_SM90,
    IM_EMBEDDED_GEMM_F16_SM90_FINISH,
    IM_EMBEDDED_GEMM_F32,
    IM_EMBEDDED_GEMM_F32_GROUP,
    IM_EMBEDDED_GEMM_F32_SKINNY,
    IM_EMBEDDED_GEMM_F32_SM90,
    IM_EMBEDDED_GEMM_F32_SM90_FINISH,
    IM_EMBEDDED_GEMM_F32_STRICT_SM90,
    IM_EMBEDDED_GEMM_F32X3_MMA,
    IM_EMBEDDED_GEMM_F64,
    IM_EMBEDDED_GEMM_TF32_MMA,
    IM_EMBEDDED_MATRIX,
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
#define IM_GROUP_ID(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                             \
    IM_KERNEL_GROUP_##layout##_##bm##x##bn##x##bk,
#define IM_TINY_ID(layout, ta, tb, size) IM_KERNEL_TINY_##layout##_##size,
#define IM_F64_ID(layout, ta, tb, bm, bn, bk, wx, wy, stages, threads, blocks)                               \
    IM_KERNEL_F64_##layout##_##bm##x##bn##x##bk,
#define IM_MMA_ID(mode, layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                         \
    IM_KERNEL_MMA_##mode##_##layout##_##bm##x##bn##x##bk,
/* FAMILY: of which type, if not float32, and whether it finishes its sums. */
#define IM_SM90_ID(FAMILY, layout, bm, bn) IM_KERNEL_SM90_##FAMILY##layout##_##bm##x##bn,
#define IM_SM90_NN(bm, bn, ...) IM_SM90_ID(, nn, bm, bn)
#define IM_SM90_NT(bm, bn, ...) IM_SM90_ID(, nt, bm, bn)
#define IM_SM90_TN(bm, bn, ...) IM_SM90_ID(, tn, bm, bn)
#define IM_SM90_TT(bm, bn, ...) IM_SM90_ID(, tt, bm, bn)
#define IM_F16_NN(bm, bn, ...) IM_SM90_ID(F16_, nn, bm, bn)
#define IM_F16_NT(bm, bn, ...) IM_SM90_ID(F16_, nt, bm, bn)
#define IM_F16_TN(bm, bn, ...) IM_SM90_ID(F16_, tn, bm, bn)
#define IM_F16_TT(bm, bn, ...) IM_SM90_ID(F16_, tt, bm, bn)
#define IM_BF16_NN(bm, bn, ...) IM_SM90_ID(BF16_, nn, bm, bn)
#define IM_BF16_NT(bm, bn, ...) IM_SM90_ID(BF16_, nt, bm, bn)
#define IM_BF16_TN(bm, bn, ...) IM_SM90_ID(BF16_, tn, bm, bn)
#define IM_BF16_TT(bm, bn, ...) IM_SM90_ID(BF16_, tt, bm, bn)
#define IM_FINISH_NN(bm, bn, ...) IM_SM90_ID(FINISH_, nn, bm, bn)
#define IM_FINISH_NT(bm, bn, ...) IM_SM90_ID(FINISH_, nt, bm, bn)
#define IM_FINISH_TN(bm, bn, ...) IM_SM90_ID(FINISH_, tn, bm, bn)
#define IM_FINISH_TT(bm, bn, ...) IM_SM90_ID(FINISH_, tt, bm, bn)
#define IM_F16_FINISH_NN(bm, bn, ...) IM_SM90_ID(F16_FINISH_, nn, bm, bn)
#define IM_F16_FINISH_NT(bm, bn, ...) IM_SM90_ID(F16_FINISH_, nt, bm, bn)
#define IM_F16_FINISH_TN(bm, bn, ...) IM_SM90_ID(F16_FINISH_, tn, bm, bn)
#define IM_F16_FINISH_TT(bm, bn, ...) IM_SM90_ID(F16_FINISH_, tt, bm, bn)
#define IM_BF16_FINISH_NN(bm, bn, ...) IM_SM90_ID(BF16_FINISH_, nn, bm, bn)
#define IM_BF16_FINISH_NT(bm, bn, ...) IM_SM90_ID(BF16_FINISH_, nt, bm, bn)
#define IM_BF16_FINISH_TN(bm, bn, ...) IM_SM90_ID(BF16_FINISH_, tn, bm, bn)
#define IM_BF16_FINISH_TT(bm, bn, ...) IM_SM90_ID(BF16_FINISH_, tt, bm, bn)
/* clang-format off */
#define IM_SKINNY_ID(form, s, r_per_block, chunk, threads, blocks) IM_KERNEL_SKINNY_##form##_##s,
#define IM_FILL_ID(type) IM_KERNEL_FILL_##type,
#define IM_SCALE_ID(type) IM_KERNEL_SCALE_##type,
#define IM_COPY_ID(to, from) IM_KERNEL_COPY_##to##_##from,
enum im_kernel_id {
    ISOMAT_GEMM_F32_KERNELS(IM_GEMM_ID) /* tiles of one layout stand together, the largest first */
    ISOMAT_SKINNY_F32_KERNELS(IM_SKINNY_ID)
    ISOMAT_TALL_F32_KERNELS(IM_SKINNY_ID)
    ISOMAT_GROUP_F32_KERNELS(IM_GROUP_ID) /* likewise */
    ISOMAT_TINY_F32_KERNELS(IM_TINY_ID)   /* two sizes of one layout stand together */
    ISOMAT_GEMM_F32_SM90_TILES(IM_SM90_NN) /* likewise */
    ISOMAT_GEMM_F32_SM90_TILES(IM_SM90_NT)
    ISOMAT_GEMM_F32_SM90_TILES(IM_SM90_TN)
    ISOMAT_GEMM_F32_SM90_TILES(IM_SM90_TT)
    ISOMAT_GEMM_16_SM90_TILES(IM_F16_NN) /* likewise */
    ISOMAT_GEMM_16_SM90_TILES(IM_F16_NT)
    ISOMAT_GEMM_16_SM90_TILES(IM_F16_TN)
    ISOMAT_GEMM_16_SM90_TILES(IM_F16_TT)
    ISOMAT_GEMM_16_SM90_TILES(IM_BF16_NN) /* likewise */
    ISOMAT_GEMM_16_SM90_TILES(IM_BF16_NT)
    ISOMAT_GEMM_16_SM90_TILES(IM_BF16_TN)
    ISOMAT_GEMM_16_SM90_TILES(IM_BF16_TT)
    IM_KERNEL_STRICT_SM90,
    /* the same in the same order, for products whose sums are finished */
    ISOMAT_GEMM_F32_SM90_TILES(IM_FINISH_NN) /* likewise */
    ISOMAT_GEMM_F32_SM90_TILES(IM_FINISH_NT)
    ISOMAT_GEMM_F32_SM90_TILES(IM_FINISH_TN)
    ISOMAT_GEMM_F32_SM90_TILES(IM_FINISH_TT)
    ISOMAT_GEMM_16_SM90_TILES(IM_F16_FINISH_NN) /* likewise */
    ISOMAT_GEMM_16_SM90_TILES(IM_F16_FINISH_NT)
    ISOMAT_GEMM_16_SM90_TILES(IM_F16_FINISH_TN)
    ISOMAT_GEMM_16_SM90_TILES(IM_F16_FINISH_TT)
    ISOMAT_GEMM_16_SM90_TILES(IM_BF16_FINISH_NN) /* likewise */
    ISOMAT_GEMM_16_SM90_TILES(IM_BF16_FINISH_NT)
    ISOMAT_GEMM_16_SM90_TILES(IM_BF16_FINISH_TN)
    ISOMAT_GEMM_16_SM90_TILES(IM_BF16_FINISH_TT)
    IM_KERNEL_STRICT_SM90_FINISH,
    IM_KERNEL_SPLIT,
    IM_KERNEL_TRANSPOSE,
    ISOMAT_GEMM_MMA_KERNELS(IM_MMA_ID) /* likewise in each mode */
    ISOMAT_GEMM_F64_KERNELS(IM_F64_ID) /* likewise */
    ISOMAT_ELEMENT_TYPES(IM_FILL_ID) /* from type number 1 */
    ISOMAT_ELEMENT_TYPES(IM_SCALE_ID)
    ISOMAT_ELEMENT_TYPE_PAIRS(IM_COPY_ID)
    IM_KERNEL_REDUCE,
    IM_KERNEL_REDUCE_F64,
    IM_KERNEL_COUNT,
    IM_KERNEL_MMA_FIRST = IM_KERNEL_MMA_f16_nn_128x128x32,
    IM_KERNEL_F64_FIRST = IM_KERNEL_F64_nn_128x128x32,
    IM_KERNEL_FINISH = IM_KERNEL_STRICT_SM90_FINISH - IM_KERNEL_STRICT_SM90, /* from one to the other */
};

/* In the order of ISOMAT_GEMM_MMA_KERNELS. */
enum im_mma_mode { IM_MMA_F16, IM_MMA_BF16, IM_MMA_TF32, IM_MMA_F32X3 };
/* clang-format on */
#undef IM_GEMM_ID
#undef IM_GROUP_ID
#undef IM_TINY_ID
#undef IM_F64_ID
#undef IM_MMA_ID
#undef IM_SM90_ID
#undef IM_SM90_NN
#undef IM_SM90_NT
#undef IM_SM90_TN
#undef IM_SM90_TT
#undef IM_F16_NN
#undef IM_F16_NT
#undef IM_F16_TN
#undef IM_F16_TT
#undef IM_BF16_NN
#undef IM_BF16_NT
#undef IM_BF16_TN
#undef IM_BF16_TT
#undef IM_FINISH_NN
#undef IM_FINISH_NT
#undef IM_FINISH_TN
#undef IM_FINISH_TT
#undef IM_F16_FINISH_NN
#undef IM_F16_FINISH_NT
#undef IM_F16_FINISH_TN
#undef IM_F16_FINISH_TT
#undef IM_BF16_FINISH_NN
#undef IM_BF16_FINISH_NT
#undef IM_BF16_FINISH_TN
#undef IM_BF16_FINISH_TT
#undef IM_SKINNY_ID
#undef IM_FILL_ID
#undef IM_SCALE_ID
#undef IM_COPY_ID

#define IM_COUNT_ONE(...) +1
enum {
    IM_GEMM_TILES = 0 ISOMAT_GEMM_F32_TILES(IM_COUNT_ONE, , , ),   /* in each layout */
    IM_GROUP_TILES = 0 ISOMAT_GROUP_F32_TILES(IM_COUNT_ONE, , , ), /* likewise */
    IM_F64_TILES = 0 ISOMAT_GEMM_F64_TILES(IM_COUNT_ONE, , , ),    /* likewise */
    IM_SM90_TILES = 0 ISOMAT_GEMM_F32_SM90_TILES(IM_COUNT_ONE),    /* in each layout */
    IM_SM90_16_TILES = 0 ISOMAT_GEMM_16_SM90_TILES(IM_COUNT_ONE),  /* likewise */
    IM_ELEMENT_TYPES = 0 ISOMAT_ELEMENT_TYPES(IM_COUNT_ONE),
    IM_SKINNY_SIZES = (0 ISOMAT_SKINNY_F32_KERNELS(IM_COUNT_ONE)) / 2, /* in each of rows and cols */
    IM_TALL_SIZES = (0 ISOMAT_TALL_F32_KERNELS(IM_COUNT_ONE)) / 2,     /* likewise */
};
#undef IM_COUNT_ONE

struct im_kernel_row {
    const char *name; /* the entry point */
    enum im_embedded_id module;
    uint32_t threads;
    uint32_t shared_bytes; /* dynamic, the most */
    int32_t blocks_per_sm; /* gemm, group and skinny */
    int32_t step_k;        /* likewise: k is cut at multiples of it */
    /* gemm */
    int32_t tile_m, tile_n; /* results of one block */
    int32_t warp_m, warp_n; /* mma: results of one warp; 0 for other kernels */
    int32_t wgmma_n;        /* sm90, float32: columns of one wgmma; 0 for a kernel of CUDA cores */
    int32_t cluster;        /* sm90, 16 bits: blocks of a cluster */
    /* skinny */
    int32_t thin; /* the most columns of Y */
    int32_t rows_per_block;
};

extern const struct im_kernel_row im_kernels[IM_KERNEL_COUNT];

#endif /* ISOMAT_MODULES_TABLE_H */
