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
};

/* The kernel to take. */
enum im_kernel_id im_select_gemm(const struct im_gemm_problem *problem);

/* Whether the thin side of a thin product is N; else it is M. */
static inline int im_is_thin_n(int64_t m, int64_t n)
{
    return n <= ISOMAT_SKINNY_MAX && n <= m;
}

/* Whether a kernel multiplies split float32 on tensor cores. */
static inline int im_is_split(enum im_kernel_id id)
{
    return im_kernels[id].wgmma_n > 0;
}

/* Whether a kernel is one of the skinny family. */
static inline int im_is_skinny(enum im_kernel_id id)
{
    return im_kernels[id].thin > 0;
}

#endif /* ISOMAT_SELECT_H */
