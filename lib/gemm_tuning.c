/* SPDX-License-Identifier: MIT */
/* gemm_tuning.c: the kernels that can do a product, and which of them it is to take. */
#include <stdlib.h>

#include "gemm_16.h"
#include "gemm_check.h"
#include "gemm_choice.h"
#include "gemm_problem.h"
#include "tuning.h"
#include "tuning_file.h"

int32_t isomat_context_get_tuning(isomat_tuning_info *info, isomat_context handle)
{
    struct im_context *context;
    int32_t status = IM_CHECK_STRUCT(info, "tuning info");
    if (status == ISOMAT_OK)
        status = im_context_get(&context, handle);
    if (status != ISOMAT_OK)
        return status;
    const struct im_tuning *tuning = im_tuning_get(context);
    if (tuning) {
        info->state = tuning->state;
        info->entries = tuning->count;
        im_copy_text(info->path, sizeof info->path, tuning->path);
        im_copy_text(info->reason, sizeof info->reason, tuning->reason);
    } else {
        status = IM_OUT_OF_HOST_MEMORY("a table of kernels");
    }
    im_context_release(context);
    return status;
}

int32_t isomat_context_get_tuning_text(char *buffer, int64_t capacity, int64_t *length, isomat_context handle)
{
    struct im_context *context;
    int32_t status = im_context_get(&context, handle);
    if (status != ISOMAT_OK)
        return status;
    struct im_tuning *tuning = im_tuning_get(context);
    char *text = tuning ? im_tuning_text(tuning, context) : NULL;
    if (text) {
        int64_t whole = im_copy_text(buffer, capacity, text);
        if (length)
            *length = whole;
    } else {
        status = IM_OUT_OF_HOST_MEMORY("the text of a table of kernels");
    }
    free(text);
    im_context_release(context);
    return status;
}

/* Checks what a caller says of a product, and finds its context; to be released on success. */
static int32_t find_problem(struct im_gemm_problem *problem, struct im_context **context,
                            isomat_context handle, const int64_t sizes[3], int32_t op_a, int32_t op_b,
                            int32_t compute)
{
    int32_t status = im_gemm_check_modes(op_a, op_b, compute);
    if (status == ISOMAT_OK)
        status = im_gemm_check_sizes(sizes[0], sizes[1], sizes[2]);
    if (status == ISOMAT_OK && (sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0))
        status = im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "tuning: a product without elements takes no kernel");
    if (status == ISOMAT_OK)
        status = im_context_get(context, handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_gemm_check_device(compute, *context);
    if (status == ISOMAT_OK)
        *problem = im_gemm_problem_of(sizes[0], sizes[1], sizes[2], op_a, op_b, compute, *context);
    else
        im_context_release(*context);
    return status;
}

/* Select's choice, then the others; false if there are not so many. */
static bool find_candidate(struct im_choice *choice, const struct im_gemm_problem *problem, int32_t compute,
                           const struct im_context *context, int32_t index)
{
    struct im_choice first = im_gemm_choose(problem, compute, context);
    int hopper = im_gemm_16_possible(context);
    *choice = first;
    if (index == 0)
        return true;
    for (int place = 0; im_select_candidate(choice, problem, compute, hopper, place); place++)
        if ((choice->id != first.id || choice->parts != first.parts) && --index == 0)
            return true;
    return false;
}

int32_t isomat_gemm_get_candidate(char *buffer, int64_t capacity, int64_t *length, int32_t *parts,
                                  isomat_context handle, int32_t index, int64_t m, int64_t n, int64_t k,
                                  int32_t op_a, int32_t op_b, int32_t compute)
{
    struct im_context *context;
    struct im_gemm_problem problem;
    struct im_choice choice;
    if (!parts)
        return IM_NULL_ARGUMENT("parts");
    if (index < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "tuning: index is %d", index);
    int32_t status =
        find_problem(&problem, &context, handle, (const int64_t[]){m, n, k}, op_a, op_b, compute);
    if (status != ISOMAT_OK)
        return status;
    if (find_candidate(&choice, &problem, compute, context, index)) {
        int64_t whole = im_copy_text(buffer, capacity, im_kernels[choice.id].name);
        if (length)
            *length = whole;
        *parts = choice.parts;
    } else {
        status = im_fail(ISOMAT_ERROR_NOT_FOUND, "tuning: there is no candidate %d for this product", index);
    }
    im_context_release(context);
    return status;
}

static int32_t set_kernel(const struct im_gemm_problem *problem, int32_t compute, struct im_context *context,
                          const char *name, int32_t parts)
{
    struct im_choice choice = {.parts = parts};
    if (name && !im_tuning_kernel(&choice.id, name))
        return im_fail(ISOMAT_ERROR_NOT_FOUND, "tuning: there is no kernel %s", name);
    if (name && !im_select_is_candidate(&choice, problem, compute, im_gemm_16_possible(context)))
        return im_fail(ISOMAT_ERROR_NOT_FOUND,
                       "tuning: %s in %d parts does not multiply %lld x %lld x %lld this way on this device",
                       name, parts, (long long)problem->m, (long long)problem->n, (long long)problem->k);
    struct im_tuning *tuning = im_tuning_get(context);
    if (!tuning || !im_tuning_set(tuning, problem, compute, name ? &choice : NULL))
        return IM_OUT_OF_HOST_MEMORY("a table of kernels");
    return ISOMAT_OK;
}

int32_t isomat_gemm_set_kernel(isomat_context handle, int64_t m, int64_t n, int64_t k, int32_t op_a,
                               int32_t op_b, int32_t compute, const char *name, int32_t parts)
{
    struct im_context *context;
    struct im_gemm_problem problem;
    int32_t status =
        find_problem(&problem, &context, handle, (const int64_t[]){m, n, k}, op_a, op_b, compute);
    if (status != ISOMAT_OK)
        return status;
    status = set_kernel(&problem, compute, context, name, parts);
    im_context_release(context);
    return status;
}
