/* SPDX-License-Identifier: MIT */
/* table.c: the images embedded in the library and the kernels in them. */
#include "table.h"

#define IMAGE(name)                                                                                          \
    extern const unsigned char im_image_##name##_begin[] __attribute__((visibility("hidden")));              \
    extern const unsigned char im_image_##name##_end[] __attribute__((visibility("hidden")));
IMAGE(gemm_f32)
IMAGE(gemm_f32_gated)
IMAGE(gemm_f32_skinny)
IMAGE(gemm_f32_sm90)
IMAGE(matrix_f32)
IMAGE(split_f32)
#undef IMAGE

#define IMAGE(name)                                                                                          \
    {                                                                                                        \
#name, im_image_##name##_begin, im_image_##name##_end                                                \
    }
const struct im_embedded im_embedded_modules[IM_EMBEDDED_COUNT] = {
    [IM_EMBEDDED_GEMM_F32] = IMAGE(gemm_f32),
    [IM_EMBEDDED_GEMM_F32_GATED] = IMAGE(gemm_f32_gated),
    [IM_EMBEDDED_GEMM_F32_SKINNY] = IMAGE(gemm_f32_skinny),
    [IM_EMBEDDED_GEMM_F32_SM90] = IMAGE(gemm_f32_sm90),
    [IM_EMBEDDED_MATRIX_F32] = IMAGE(matrix_f32),
    [IM_EMBEDDED_SPLIT_F32] = IMAGE(split_f32),
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
#define SM90_ROW(layout, bm, bn, wn, a_stages, b_stages)                                                     \
    [IM_KERNEL_SM90_##layout##_##bm##x##bn] = {                                                              \
        .name = "isomat_gemm_f32_sm90_" #layout "_" #bm "x" #bn,                                             \
        .module = IM_EMBEDDED_GEMM_F32_SM90,                                                                 \
        .threads = ISOMAT_GEMM_F32_SM90_THREADS,                                                             \
        .shared_bytes = ISOMAT_GEMM_F32_SM90_SHARED_BYTES(bm, wn, a_stages, b_stages),                       \
        .tile_m = (bm),                                                                                      \
        .tile_n = (bn),                                                                                      \
        .blocks_per_sm = 1,                                                                                  \
        .wgmma_n = (wn),                                                                                     \
    },
#define SM90_NN(...) SM90_ROW(nn, __VA_ARGS__)
#define SM90_NT(...) SM90_ROW(nt, __VA_ARGS__)
#define SM90_TN(...) SM90_ROW(tn, __VA_ARGS__)
#define SM90_TT(...) SM90_ROW(tt, __VA_ARGS__)
#define GATED_ROW(layout, ta, tb, bm, bn, bk, wm, wn, stages, block_threads, blocks)                         \
    [IM_KERNEL_GATED_##layout] = {                                                                           \
        .name = "isomat_gemm_f32_gated_" #layout,                                                            \
        .module = IM_EMBEDDED_GEMM_F32_GATED,                                                                \
        .threads = (block_threads),                                                                          \
        .shared_bytes = ISOMAT_GEMM_SHARED_BYTES(ta, tb, bm, bn, bk, stages),                                \
        .tile_m = (bm),                                                                                      \
        .tile_n = (bn),                                                                                      \
        .blocks_per_sm = (blocks),                                                                           \
    },
#define RECT_ROW(entry)                                                                                      \
    {                                                                                                        \
        .name = entry, .module = IM_EMBEDDED_MATRIX_F32, .threads = ISOMAT_RECT_THREADS,                     \
    }

const struct im_kernel_row im_kernels[IM_KERNEL_COUNT] = {
    ISOMAT_GEMM_F32_KERNELS(GEMM_ROW)        /**/
    ISOMAT_SKINNY_F32_KERNELS(SKINNY_ROW)    /**/
    ISOMAT_GEMM_F32_SM90_TILES(SM90_NN)      /**/
    ISOMAT_GEMM_F32_SM90_TILES(SM90_NT)      /**/
    ISOMAT_GEMM_F32_SM90_TILES(SM90_TN)      /**/
    ISOMAT_GEMM_F32_SM90_TILES(SM90_TT)      /**/
    ISOMAT_GEMM_F32_GATED_KERNELS(GATED_ROW) /**/
        [IM_KERNEL_SPLIT] =
            {
                .name = "isomat_split_f32",
                .module = IM_EMBEDDED_SPLIT_F32,
                .threads = ISOMAT_SPLIT_THREADS,
                .shared_bytes = ISOMAT_SPLIT_SHARED_BYTES(ISOMAT_SPLIT_CHUNK_MAX),
            },
    [IM_KERNEL_FILL] = RECT_ROW("isomat_fill_f32"),
    [IM_KERNEL_SCALE] = RECT_ROW("isomat_scale_f32"),
    [IM_KERNEL_COPY] = RECT_ROW("isomat_copy_f32"),
};
