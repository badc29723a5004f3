/* SPDX-License-Identifier: MIT */
/* recall.c: the answers of select.h, remembered. */
#include "recall.h"

#include <string.h>

#define ANSWERS 64 /* a power of two */

/* What was asked, and of which kernel, mode or type. */
enum question { NOTHING, GEMM, MMA, HALVES, F32X3_GAINS, PARTS, F64, F64_PARTS };

static _Thread_local struct answer {
    struct im_gemm_problem problem; /* without padding, as the assertion below says */
    enum question question;
    int32_t of;
    int32_t value;
} answers[ANSWERS];

_Static_assert(sizeof(struct im_gemm_problem) == 3 * sizeof(int64_t) + 2 * sizeof(int32_t) + 4 * sizeof(int),
               "problems are compared byte by byte");

static int32_t ask(const struct im_gemm_problem *problem, enum question question, int32_t of)
{
    int32_t parts;
    switch (question) {
    case MMA:
        return (int32_t)im_select_mma(problem, (enum im_mma_mode)of);
    case HALVES:
        return (int32_t)im_select_16(problem, of);
    case F32X3_GAINS:
        return im_f32x3_gains(problem);
    case PARTS:
        return im_select_parts(problem, (enum im_kernel_id)of);
    case F64:
        return (int32_t)im_select_f64(problem, NULL);
    case F64_PARTS:
        im_select_f64(problem, &parts);
        return parts;
    default:
        return (int32_t)im_select_gemm(problem);
    }
}

static struct answer *place_of(const struct im_gemm_problem *problem, enum question question, int32_t of)
{
    uint64_t key = (uint64_t)problem->m;
    key = key * 0x9e3779b97f4a7c15u + (uint64_t)problem->n;
    key = key * 0x9e3779b97f4a7c15u + (uint64_t)problem->k;
    key = key * 0x9e3779b97f4a7c15u + (uint64_t)(problem->op_a * 2 + problem->op_b);
    key = key * 0x9e3779b97f4a7c15u + (uint64_t)question * 256 + (uint64_t)of;
    return &answers[(key * 0x9e3779b97f4a7c15u) >> 32 & (ANSWERS - 1)];
}

static int32_t recall(const struct im_gemm_problem *problem, enum question question, int32_t of)
{
    struct answer *answer = place_of(problem, question, of);
    if (answer->question == question && answer->of == of &&
        memcmp(&answer->problem, problem, sizeof *problem) == 0)
        return answer->value;
    *answer = (struct answer){*problem, question, of, ask(problem, question, of)};
    return answer->value;
}

enum im_kernel_id im_recall_gemm(const struct im_gemm_problem *problem)
{
    return (enum im_kernel_id)recall(problem, GEMM, 0);
}

enum im_kernel_id im_recall_mma(const struct im_gemm_problem *problem, enum im_mma_mode mode)
{
    return (enum im_kernel_id)recall(problem, MMA, (int32_t)mode);
}

enum im_kernel_id im_recall_16(const struct im_gemm_problem *problem, int32_t type)
{
    return (enum im_kernel_id)recall(problem, HALVES, type);
}

int im_recall_f32x3_gains(const struct im_gemm_problem *problem)
{
    return recall(problem, F32X3_GAINS, 0);
}

int32_t im_recall_parts(const struct im_gemm_problem *problem, enum im_kernel_id id)
{
    return recall(problem, PARTS, (int32_t)id);
}

enum im_kernel_id im_recall_f64(const struct im_gemm_problem *problem, int32_t *parts)
{
    if (parts)
        *parts = recall(problem, F64_PARTS, 0);
    return (enum im_kernel_id)recall(problem, F64, 0);
}
