/* SPDX-License-Identifier: MIT */
/* table.c: the images embedded in the library and the kernels in them. */
#include "table.h"

#define IMAGE(name)                                                                                          \
    extern const unsigned char im_image_##name##_begin[] __attribute__((visibility("hidden")));              \
    extern const unsigned char im_image_##name##_end[] __attribute__((visibility("hidden")));
IMAGE(gemm_f32)
IMAGE(gemm_f32_skinny)
IMAGE(matrix_f32)
#undef IMAGE

#define IMAGE(name)                                                                                          \
    {                                                                                                        \
#name, im_image_##name##_begin, im_image_##name##_end                                                \
    }
const struct im_embedded im_embedded_modules[IM_EMBEDDED_COUNT] = {
    [IM_EMBEDDED_GEMM_F32] = IMAGE(gemm_f32),
    [IM_EMBEDDED_GEMM_F32_SKINNY] = IMAGE(gemm_f32_skinny),
    [IM_EMBEDDED_MATRIX_F32] = IMAGE(matrix_f32),
};

#define GEMM_ROW(layout, ta, tb, bm, bn, bk, wm, wn, stages, block_threads, blocks)                          \
    [IM_KERNEL_GEMM_##layout##_##bm##x##bn##x##bk] = {                                                       \
        .name = "isomat_gemm_f32_" #layout "_" #bm "x" #bn "x" #bk,                                          \
        .module = IM_EMBEDDED_GEMM_F32,                                                                      \
        .threads = (block_threads),                                                                          \
        .shared_bytes = ISOMAT_GEMM_SHARED_BYTES(ta, tb, bm, bn, bk, stages),                                \
        .tile_m = (bm),                                                                                      \
        .tile_n = (bn),                                                                                      \
        .blocks_per_sm = (blocks),                                                                           \
    },
#define SKINNY_ROW(form, s, r_per_block, block_threads)                                                      \
    [IM_KERNEL_SKINNY_##form##_##s] = {                                                                      \
        .name = "isomat_gemm_f32_" #form "_" #s,                                                             \
        .module = IM_EMBEDDED_GEMM_F32_SKINNY,                                                               \
        .threads = (block_threads),                                                                          \
        .thin = (s),                                                                                         \
        .rows_per_block = (r_per_block),                                                                     \
    },
#define RECT_ROW(entry)                                                                                      \
    {                                                                                                        \
        .name = entry, .module = IM_EMBEDDED_MATRIX_F32, .threads = ISOMAT_RECT_THREADS,                     \
    }

const struct im_kernel_row im_kernels[IM_KERNEL_COUNT] = {
    ISOMAT_GEMM_F32_KERNELS(GEMM_ROW)     /**/
    ISOMAT_SKINNY_F32_KERNELS(SKINNY_ROW) /**/
        [IM_KERNEL_FILL] = RECT_ROW("isomat_fill_f32"),
    [IM_KERNEL_SCALE] = RECT_ROW("isomat_scale_f32"),
    [IM_KERNEL_COPY] = RECT_ROW("isomat_copy_f32"),
};
