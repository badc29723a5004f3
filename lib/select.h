/* SPDX-License-Identifier: MIT */
/* select.h: which kernel multiplies matrices of these sizes.
 *
 * Pure: no driver call, no state.  The answer depends on the arguments alone. */
#ifndef ISOMAT_SELECT_H
#define ISOMAT_SELECT_H

#include <stdint.h>

#include "modules/table.h"

struct im_gemm_problem {
    int64_t m, n, k;    /* m, n >= 1, k >= 1 */
    int32_t op_a, op_b; /* ISOMAT_OP_... */
    int multiprocessors;
    int capability; /* 90 for 9.0 */
    int split;      /* 1: split float32 products on tensor cores may be taken */
    int strict;     /* 1: so may the kernel for large products on Hopper's CUDA cores */
};

/* The kernel to take. */
enum im_kernel_id im_select_gemm(const struct im_gemm_problem *problem);

/* The Hopper kernel for 16-bit operands to take, for matrices of a type; those of F32 are split. */
enum im_kernel_id im_select_16(const struct im_gemm_problem *problem, int32_t type);

/* The mma.sync kernel to take for a mode; compute capability 8.0 and up. */
enum im_kernel_id im_select_mma(const struct im_gemm_problem *problem, enum im_mma_mode mode);

/* The kernel for float64, and the parts to cut k into if that is not NULL. */
enum im_kernel_id im_select_f64(const struct im_gemm_problem *problem, int32_t *parts);

/* Whether im_select_mma's kernel for IM_MMA_F32X3 beats the CUDA cores at float32. */
int im_f32x3_gains(const struct im_gemm_problem *problem);

/* Many products with the same ops in one launch; m, n >= 1. */
struct im_group_size {
    int64_t m, n;                   /* the largest */
    int64_t blocks[IM_GROUP_TILES]; /* for each tile, of all products */
    double steps[IM_GROUP_TILES];   /* the sum of their k */
    int32_t op_a, op_b;
    int multiprocessors;
    int capability;
};

/* The kernel of a tile, the largest first, for the ops of a size. */
enum im_kernel_id im_group_tile(const struct im_group_size *size, int tile);

/* The kernel to take for them, one with tiles or with a warp for each product. */
enum im_kernel_id im_select_group(const struct im_group_size *size);

/* Into how many parts to cut k for a kernel of CUDA cores: 1 to ISOMAT_PARTS_MAX, each of at
 * least one step of the kernel. */
int32_t im_select_parts(const struct im_gemm_problem *problem, enum im_kernel_id id);

/* A kernel, and into how many parts it cuts k; 1 for one that does not. */
struct im_choice {
    enum im_kernel_id id;
    int32_t parts;
};

/* Every kernel, with every number of parts, that does a problem in a compute mode, ISOMAT_COMPUTE_..., on its
 * device: writes candidate `index` and returns 1, or returns 0 if there are not so many.  hopper: 1 if
 * Hopper's kernels for 16 bits may be taken. */
int im_select_candidate(struct im_choice *choice, const struct im_gemm_problem *problem, int32_t compute,
                        int hopper, int index);

/* Whether it is one of them. */
int im_select_is_candidate(const struct im_choice *choice, const struct im_gemm_problem *problem,
                           int32_t compute, int hopper);

/* Whether Hopper's kernels for float32, by split products and on CUDA cores, do a problem. */
int im_can_split(const struct im_gemm_problem *problem);
int im_can_be_strict(const struct im_gemm_problem *problem);

/* Whether a float64 kernel has the layout of a problem and fits its device. */
int im_f64_fits(const struct im_gemm_problem *problem, enum im_kernel_id id);

/* The number of parts worth trying with so many blocks for each multiprocessor, fill = 0, 1, ...: it grows
 * with fill, and is 0 from where there are no more.  Kernels of CUDA cores, and of float64. */
int32_t im_simt_parts_at(const struct im_gemm_problem *problem, enum im_kernel_id id, int fill);
int32_t im_f64_parts_at(const struct im_gemm_problem *problem, enum im_kernel_id id, int fill);

/* What the choice among kernels of CUDA cores rests on, as doubles alone: bench/fit changes and
 * prints them.  Times are in microseconds, rates those of one multiprocessor. */
struct im_simt_model {
    struct {
        double full, single; /* GFLOP/s with any number of blocks, and with one */
    } tiles[IM_GEMM_TILES];
    double begin;       /* of any product */
    double block_k;     /* what a block costs besides its own steps of k, in k */
    double chunk[2];    /* a chunk of a skinny block: rows, cols */
    double tall[2];     /* likewise, of a tall X */
    double thin_block;  /* what any such block costs besides */
    double read;        /* GB/s of a skinny product */
    double reduce;      /* submitting and beginning the sum of the parts, */
    double reduce_part; /* for each of them, */
    double reduce_rate; /* and GB/s of writing and reading them */
};

extern const struct im_simt_model im_simt_model;

/* The time of a product with k in so many parts, by a model. */
double im_simt_time(const struct im_simt_model *model, const struct im_gemm_problem *problem,
                    enum im_kernel_id id, int32_t parts);

/* Whether the thin side of a thin product is N; else it is M. */
static inline int im_is_thin_n(int64_t m, int64_t n)
{
    return n <= ISOMAT_TALL_MAX && n <= m;
}

/* Whether a kernel multiplies split float32 on tensor cores. */
static inline int im_is_split(enum im_kernel_id id)
{
    return im_kernels[id].wgmma_n > 0;
}

/* Whether a kernel is one of the skinny family, which those for a tall X belong to. */
static inline int im_is_skinny(enum im_kernel_id id)
{
    return im_kernels[id].thin > 0;
}

static inline int im_is_tall(enum im_kernel_id id)
{
    return id >= IM_KERNEL_SKINNY_tall_rows_1 && id <= IM_KERNEL_SKINNY_tall_cols_16;
}

/* Whether a kernel of the skinny family reads an X of r rows of k; else of k rows of r. */
static inline int im_reads_rows(enum im_kernel_id id)
{
    return id < IM_KERNEL_SKINNY_cols_1 || (im_is_tall(id) && id < IM_KERNEL_SKINNY_tall_cols_1);
}

/* Whether a kernel multiplies many products, a warp for each. */
static inline int im_is_tiny(enum im_kernel_id id)
{
    return id >= IM_KERNEL_TINY_nn_16 && id <= IM_KERNEL_TINY_tt_32;
}

#endif /* ISOMAT_SELECT_H */
