/* SPDX-License-Identifier: MIT */
/* gemm_problem.c: a multiplication as the choice of a kernel sees it, on a context's device. */
#include "gemm_problem.h"

#include "gemm_split.h"
#include "gemm_strict.h"

struct im_gemm_problem im_gemm_problem_of(int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b,
                                          int32_t compute, const struct im_context *context)
{
    return (struct im_gemm_problem){
        .m = m,
        .n = n,
        .k = k,
        .op_a = op_a,
        .op_b = op_b,
        .multiprocessors = context->limits.multiprocessors,
        .capability = context->limits.capability,
        .split = compute == ISOMAT_COMPUTE_F32 && im_gemm_split_possible(context),
        .strict = compute <= ISOMAT_COMPUTE_F32_STRICT && im_gemm_strict_possible(context),
    };
}
