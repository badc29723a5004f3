/* SPDX-License-Identifier: MIT */
/* gemm_problem.h: a multiplication as the choice of a kernel sees it, on a context's device. */
#ifndef ISOMAT_GEMM_PROBLEM_H
#define ISOMAT_GEMM_PROBLEM_H

#include "context.h"
#include "select.h"

struct im_gemm_problem im_gemm_problem_of(int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b,
                                          int32_t compute, const struct im_context *context);

#endif /* ISOMAT_GEMM_PROBLEM_H */
