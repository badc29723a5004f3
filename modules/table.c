/* SPDX-License-Identifier: MIT */
/* table.c: the images embedded in the library and the kernels in them. */
#include "table.h"

#define IMAGE(name)                                                                                          \
    extern const unsigned char im_image_##name##_begin[] __attribute__((visibility("hidden")));              \
    extern const unsigned char im_image_##name##_end[] __attribute__((visibility("hidden")));
IMAGE(gemm_bf16_mma)
IMAGE(gemm_f16_mma)
IMAGE(gemm_bf16_sm90)
IMAGE(gemm_bf16_sm90_finish)
IMAGE(gemm_f16_sm90)
IMAGE(gemm_f16_sm90_finish)
IMAGE(gemm_f32)
IMAGE(gemm_f32_group)
IMAGE(gemm_f32_skinny)
IMAGE(gemm_f32_sm90)
IMAGE(gemm_f32_sm90_finish)
IMAGE(gemm_f32_strict_sm90)
IMAGE(gemm_f32x3_mma)
IMAGE(gemm_f64)
IMAGE(gemm_tf32_mma)
IMAGE(matrix)
IMAGE(split_f32)
#undef IMAGE

#define IMAGE(name)                                                                                          \
    {                                                                                                        \
#name, im_image_##name##_begin, im_image_##name##_end                                                \
    }
const struct im_embedded im_embedded_modules[IM_EMBEDDED_COUNT] = {
    [IM_EMBEDDED_GEMM_BF16_MMA] = IMAGE(gemm_bf16_mma),
    [IM_EMBEDDED_GEMM_F16_MMA] = IMAGE(gemm_f16_mma),
    [IM_EMBEDDED_GEMM_BF16_SM90] = IMAGE(gemm_bf16_sm90),
    [IM_EMBEDDED_GEMM_BF16_SM90_FINISH] = IMAGE(gemm_bf16_sm90_finish),
    [IM_EMBEDDED_GEMM_F16_SM90] = IMAGE(gemm_f16_sm90),
    [IM_EMBEDDED_GEMM_F16_SM90_FINISH] = IMAGE(gemm_f16_sm90_finish),
    [IM_EMBEDDED_GEMM_F32] = IMAGE(gemm_f32),
    [IM_EMBEDDED_GEMM_F32_GROUP] = IMAGE(gemm_f32_group),
    [IM_EMBEDDED_GEMM_F32_SKINNY] = IMAGE(gemm_f32_skinny),
    [IM_EMBEDDED_GEMM_F32_SM90] = IMAGE(gemm_f32_sm90),
    [IM_EMBEDDED_GEMM_F32_SM90_FINISH] = IMAGE(gemm_f32_sm90_finish),
    [IM_EMBEDDED_GEMM_F32_STRICT_SM90] = IMAGE(gemm_f32_strict_sm90),
    [IM_EMBEDDED_GEMM_F32X3_MMA] = IMAGE(gemm_f32x3_mma),
    [IM_EMBEDDED_GEMM_F64] = IMAGE(gemm_f64),
    [IM_EMBEDDED_GEMM_TF32_MMA] = IMAGE(gemm_tf32_mma),
    [IM_EMBEDDED_MATRIX] = IMAGE(matrix),
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
        .step_k = (bk),                                                                                      \
        .blocks_per_sm = (blocks),                                                                           \
    },
#define GROUP_ROW(layout, ta, tb, bm, bn, bk, wm, wn, stages, block_threads, blocks)                         \
    [IM_KERNEL_GROUP_##layout##_##bm##x##bn##x##bk] = {                                                      \
        .name = "isomat_gemm_f32_group_" #layout "_" #bm "x" #bn "x" #bk,                                    \
        .module = IM_EMBEDDED_GEMM_F32_GROUP,                                                                \
        .threads = (block_threads),                                                                          \
        .shared_bytes = ISOMAT_GEMM_SHARED_BYTES(ta, tb, bm, bn, bk, stages),                                \
        .tile_m = (bm),                                                                                      \
        .tile_n = (bn),                                                                                      \
        .step_k = (bk),                                                                                      \
        .blocks_per_sm = (blocks),                                                                           \
    },
#define TINY_ROW(layout, ta, tb, size)                                                                       \
    [IM_KERNEL_TINY_##layout##_##size] = {                                                                   \
        .name = "isomat_gemm_f32_tiny_" #layout "_" #size,                                                   \
        .module = IM_EMBEDDED_GEMM_F32_GROUP,                                                                \
        .threads = 32 * ISOMAT_TINY_WARPS,                                                                   \
        .tile_m = (size),                                                                                    \
        .tile_n = (size),                                                                                    \
    },
#define SKINNY_ROW(form, s, r_per_block, chunk, block_threads, blocks)                                       \
    [IM_KERNEL_SKINNY_##form##_##s] = {                                                                      \
        .name = "isomat_gemm_f32_" #form "_" #s,                                                             \
        .module = IM_EMBEDDED_GEMM_F32_SKINNY,                                                               \
        .threads = (block_threads),                                                                          \
        .blocks_per_sm = (blocks),                                                                           \
        .step_k = (chunk),                                                                                   \
        .thin = (s),                                                                                         \
        .rows_per_block = (r_per_block),                                                                     \
    },
/* FAMILY, family: as in table.h, and the same in names; FINISH: what the module is called besides */
#define SM90_ROW(FAMILY, family, FINISH, layout, bm, bn, wn, a_stages, b_stages)                             \
    [IM_KERNEL_SM90_##FAMILY##layout##_##bm##x##bn] = {                                                      \
        .name = "isomat_gemm_f32_sm90_" family #layout "_" #bm "x" #bn,                                      \
        .module = IM_EMBEDDED_GEMM_F32_SM90##FINISH,                                                         \
        .threads = ISOMAT_GEMM_F32_SM90_THREADS,                                                             \
        .shared_bytes = ISOMAT_GEMM_F32_SM90_SHARED_BYTES(bm, wn, a_stages, b_stages),                       \
        .tile_m = (bm),                                                                                      \
        .tile_n = (bn),                                                                                      \
        .blocks_per_sm = 1,                                                                                  \
        .wgmma_n = (wn),                                                                                     \
    },
#define SM90_NN(...) SM90_ROW(, "", , nn, __VA_ARGS__)
#define SM90_NT(...) SM90_ROW(, "", , nt, __VA_ARGS__)
#define SM90_TN(...) SM90_ROW(, "", , tn, __VA_ARGS__)
#define SM90_TT(...) SM90_ROW(, "", , tt, __VA_ARGS__)
#define FINISH_NN(...) SM90_ROW(FINISH_, "finish_", _FINISH, nn, __VA_ARGS__)
#define FINISH_NT(...) SM90_ROW(FINISH_, "finish_", _FINISH, nt, __VA_ARGS__)
#define FINISH_TN(...) SM90_ROW(FINISH_, "finish_", _FINISH, tn, __VA_ARGS__)
#define FINISH_TT(...) SM90_ROW(FINISH_, "finish_", _FINISH, tt, __VA_ARGS__)
#define SM90_16_ROW(TYPE, type, FINISH_, finish, FINISH, layout, bm, bn, stages, cluster_blocks)             \
    [IM_KERNEL_SM90_##TYPE##_##FINISH_##layout##_##bm##x##bn] = {                                            \
        .name = "isomat_gemm_" #type "_sm90_" finish #layout "_" #bm "x" #bn,                                \
        .module = IM_EMBEDDED_GEMM_##TYPE##_SM90##FINISH,                                                    \
        .threads = ISOMAT_GEMM_16_SM90_THREADS,                                                              \
        .shared_bytes = ISOMAT_GEMM_16_SM90_SHARED_BYTES(bm, bn, stages),                                    \
        .tile_m = (bm),                                                                                      \
        .tile_n = (bn),                                                                                      \
        .blocks_per_sm = 1,                                                                                  \
        .cluster = (cluster_blocks),                                                                         \
    },
#define F16_NN(...) SM90_16_ROW(F16, f16, , "", , nn, __VA_ARGS__)
#define F16_NT(...) SM90_16_ROW(F16, f16, , "", , nt, __VA_ARGS__)
#define F16_TN(...) SM90_16_ROW(F16, f16, , "", , tn, __VA_ARGS__)
#define F16_TT(...) SM90_16_ROW(F16, f16, , "", , tt, __VA_ARGS__)
#define F16_FINISH_NN(...) SM90_16_ROW(F16, f16, FINISH_, "finish_", _FINISH, nn, __VA_ARGS__)
#define F16_FINISH_NT(...) SM90_16_ROW(F16, f16, FINISH_, "finish_", _FINISH, nt, __VA_ARGS__)
#define F16_FINISH_TN(...) SM90_16_ROW(F16, f16, FINISH_, "finish_", _FINISH, tn, __VA_ARGS__)
#define F16_FINISH_TT(...) SM90_16_ROW(F16, f16, FINISH_, "finish_", _FINISH, tt, __VA_ARGS__)
#define BF16_NN(...) SM90_16_ROW(BF16, bf16, , "", , nn, __VA_ARGS__)
#define BF16_NT(...) SM90_16_ROW(BF16, bf16, , "", , nt, __VA_ARGS__)
#define BF16_TN(...) SM90_16_ROW(BF16, bf16, , "", , tn, __VA_ARGS__)
#define BF16_TT(...) SM90_16_ROW(BF16, bf16, , "", , tt, __VA_ARGS__)
#define BF16_FINISH_NN(...) SM90_16_ROW(BF16, bf16, FINISH_, "finish_", _FINISH, nn, __VA_ARGS__)
#define BF16_FINISH_NT(...) SM90_16_ROW(BF16, bf16, FINISH_, "finish_", _FINISH, nt, __VA_ARGS__)
#define BF16_FINISH_TN(...) SM90_16_ROW(BF16, bf16, FINISH_, "finish_", _FINISH, tn, __VA_ARGS__)
#define BF16_FINISH_TT(...) SM90_16_ROW(BF16, bf16, FINISH_, "finish_", _FINISH, tt, __VA_ARGS__)
#define MMA_ROW(MODE, mode, layout, ta, tb, bm, bn, bk, wm, wn, stages, block_threads, blocks)               \
    [IM_KERNEL_MMA_##mode##_##layout##_##bm##x##bn##x##bk] = {                                               \
        .name = "isomat_gemm_" #mode "_" #layout "_" #bm "x" #bn "x" #bk,                                    \
        .module = IM_EMBEDDED_GEMM_##MODE##_MMA,                                                             \
        .threads = (block_threads),                                                                          \
        .shared_bytes = ISOMAT_GEMM_MMA_SHARED_BYTES(mode, bm, bn, bk, stages),                              \
        .tile_m = (bm),                                                                                      \
        .tile_n = (bn),                                                                                      \
        .blocks_per_sm = (blocks),                                                                           \
        .warp_m = (wm),                                                                                      \
        .warp_n = (wn),                                                                                      \
    },
#define F16_ROW(...) MMA_ROW(F16, __VA_ARGS__)
#define BF16_ROW(...) MMA_ROW(BF16, __VA_ARGS__)
#define TF32_ROW(...) MMA_ROW(TF32, __VA_ARGS__)
#define F32X3_ROW(...) MMA_ROW(F32X3, __VA_ARGS__)
#define F64_ROW(layout, ta, tb, bm, bn, bk, wx, wy, stages, block_threads, blocks)                           \
    [IM_KERNEL_F64_##layout##_##bm##x##bn##x##bk] = {                                                        \
        .name = "isomat_gemm_f64_" #layout "_" #bm "x" #bn "x" #bk,                                          \
        .module = IM_EMBEDDED_GEMM_F64,                                                                      \
        .threads = (block_threads),                                                                          \
        .shared_bytes = ISOMAT_GEMM_F64_SHARED_BYTES(bm, bn, bk, stages),                                    \
        .tile_m = (bm),                                                                                      \
        .tile_n = (bn),                                                                                      \
        .step_k = (bk),                                                                                      \
        .blocks_per_sm = (blocks),                                                                           \
    },
#define RECT_ROW(id, entry)                                                                                  \
    [IM_KERNEL_##id] = {                                                                                     \
        .name = "isomat_" entry,                                                                             \
        .module = IM_EMBEDDED_MATRIX,                                                                        \
        .threads = ISOMAT_RECT_THREADS,                                                                      \
    },
#define FILL_ROW(type) RECT_ROW(FILL_##type, "fill_" #type)
#define SCALE_ROW(type) RECT_ROW(SCALE_##type, "scale_" #type)
#define COPY_ROW(to, from) RECT_ROW(COPY_##to##_##from, "copy_" #to "_" #from)

const struct im_kernel_row im_kernels[IM_KERNEL_COUNT] = {
    ISOMAT_GEMM_F32_KERNELS(GEMM_ROW)         /**/
    ISOMAT_SKINNY_F32_KERNELS(SKINNY_ROW)     /**/
    ISOMAT_TALL_F32_KERNELS(SKINNY_ROW)       /**/
    ISOMAT_GROUP_F32_KERNELS(GROUP_ROW)       /**/
    ISOMAT_TINY_F32_KERNELS(TINY_ROW)         /**/
    ISOMAT_GEMM_F32_SM90_TILES(SM90_NN)       /**/
    ISOMAT_GEMM_F32_SM90_TILES(SM90_NT)       /**/
    ISOMAT_GEMM_F32_SM90_TILES(SM90_TN)       /**/
    ISOMAT_GEMM_F32_SM90_TILES(SM90_TT)       /**/
    ISOMAT_GEMM_16_SM90_TILES(F16_NN)         /**/
    ISOMAT_GEMM_16_SM90_TILES(F16_NT)         /**/
    ISOMAT_GEMM_16_SM90_TILES(F16_TN)         /**/
    ISOMAT_GEMM_16_SM90_TILES(F16_TT)         /**/
    ISOMAT_GEMM_16_SM90_TILES(BF16_NN)        /**/
    ISOMAT_GEMM_16_SM90_TILES(BF16_NT)        /**/
    ISOMAT_GEMM_16_SM90_TILES(BF16_TN)        /**/
    ISOMAT_GEMM_16_SM90_TILES(BF16_TT)        /**/
    ISOMAT_GEMM_F32_SM90_TILES(FINISH_NN)     /**/
    ISOMAT_GEMM_F32_SM90_TILES(FINISH_NT)     /**/
    ISOMAT_GEMM_F32_SM90_TILES(FINISH_TN)     /**/
    ISOMAT_GEMM_F32_SM90_TILES(FINISH_TT)     /**/
    ISOMAT_GEMM_16_SM90_TILES(F16_FINISH_NN)  /**/
    ISOMAT_GEMM_16_SM90_TILES(F16_FINISH_NT)  /**/
    ISOMAT_GEMM_16_SM90_TILES(F16_FINISH_TN)  /**/
    ISOMAT_GEMM_16_SM90_TILES(F16_FINISH_TT)  /**/
    ISOMAT_GEMM_16_SM90_TILES(BF16_FINISH_NN) /**/
    ISOMAT_GEMM_16_SM90_TILES(BF16_FINISH_NT) /**/
    ISOMAT_GEMM_16_SM90_TILES(BF16_FINISH_TN) /**/
    ISOMAT_GEMM_16_SM90_TILES(BF16_FINISH_TT) /**/
        [IM_KERNEL_SPLIT] =
            {
                .name = "isomat_split_f32",
                .module = IM_EMBEDDED_SPLIT_F32,
                .threads = ISOMAT_SPLIT_THREADS,
                .shared_bytes = ISOMAT_SPLIT_SHARED_BYTES(ISOMAT_SPLIT_CHUNK_MAX),
            },
    [IM_KERNEL_STRICT_SM90] =
        {
            .name = "isomat_gemm_f32_strict_sm90",
            .module = IM_EMBEDDED_GEMM_F32_STRICT_SM90,
            .threads = ISOMAT_GEMM_F32_STRICT_SM90_THREADS,
            .shared_bytes = ISOMAT_GEMM_F32_STRICT_SM90_SHARED_BYTES,
            .tile_m = ISOMAT_GEMM_F32_STRICT_SM90_BM,
            .tile_n = ISOMAT_GEMM_F32_STRICT_SM90_BN,
            .blocks_per_sm = 1,
            .step_k = ISOMAT_GEMM_F32_STRICT_SM90_SLAB,
        },
    [IM_KERNEL_STRICT_SM90_FINISH] =
        {
            .name = "isomat_gemm_f32_strict_sm90_finish",
            .module = IM_EMBEDDED_GEMM_F32_STRICT_SM90,
            .threads = ISOMAT_GEMM_F32_STRICT_SM90_THREADS,
            .shared_bytes = ISOMAT_GEMM_F32_STRICT_SM90_SHARED_BYTES,
            .tile_m = ISOMAT_GEMM_F32_STRICT_SM90_BM,
            .tile_n = ISOMAT_GEMM_F32_STRICT_SM90_BN,
            .blocks_per_sm = 1,
            .step_k = ISOMAT_GEMM_F32_STRICT_SM90_SLAB,
        },
    [IM_KERNEL_TRANSPOSE] =
        {
            .name = "isomat_transpose_f32",
            .module = IM_EMBEDDED_GEMM_F32_STRICT_SM90,
            .threads = ISOMAT_TRANSPOSE_THREADS,
        },
    ISOMAT_GEMM_F16_KERNELS(F16_ROW)     /**/
    ISOMAT_GEMM_BF16_KERNELS(BF16_ROW)   /**/
    ISOMAT_GEMM_TF32_KERNELS(TF32_ROW)   /**/
    ISOMAT_GEMM_F32X3_KERNELS(F32X3_ROW) /**/
    ISOMAT_GEMM_F64_KERNELS(F64_ROW)     /**/
    ISOMAT_ELEMENT_TYPES(FILL_ROW)       /**/
    ISOMAT_ELEMENT_TYPES(SCALE_ROW)      /**/
    ISOMAT_ELEMENT_TYPE_PAIRS(COPY_ROW)  /**/
        [IM_KERNEL_REDUCE] =
            {
                .name = "isomat_gemm_f32_reduce",
                .module = IM_EMBEDDED_GEMM_F32,
                .threads = ISOMAT_REDUCE_THREADS,
            },
    [IM_KERNEL_REDUCE_F64] =
        {
            .name = "isomat_gemm_f64_reduce",
            .module = IM_EMBEDDED_GEMM_F64,
            .threads = ISOMAT_REDUCE_THREADS,
        },
};
