/* SPDX-License-Identifier: MIT */
/* gemm_choice.c: which kernel does a product on this device, and its launch. */
#include "gemm_choice.h"

#include "elementwise.h"
#include "finish.h"
#include "gemm_16.h"
#include "gemm_check.h"
#include "gemm_f64.h"
#include "gemm_mma.h"
#include "gemm_problem.h"
#include "gemm_simt.h"
#include "gemm_split.h"
#include "gemm_strict.h"
#include "recall.h"
#include "tuning.h"

/* Kernels of one kind are launched the same way. */
enum kind { KIND_SIMT, KIND_SPLIT, KIND_STRICT, KIND_16, KIND_MMA, KIND_F64 };

/* TF32 by split forms pays where the product takes longer than mma.sync kernels would,
 * by so much that it makes up for splitting. */
static bool splits_tf32(const struct im_gemm_problem *problem)
{
    return problem->k <= ISOMAT_SPLIT_K_MAX &&
           (double)problem->m * (double)problem->n * (double)problem->k >= 0x1p29;
}

/* Bound by memory: the kernels for thin float32 matrices are as fast, and round nothing. */
static bool is_thin(const struct im_gemm_problem *problem)
{
    return problem->m <= ISOMAT_SKINNY_MAX || problem->n <= ISOMAT_SKINNY_MAX;
}

static enum kind kind_of(enum im_kernel_id id)
{
    const struct im_kernel_row *row = &im_kernels[id];
    return row->wgmma_n > 0              ? KIND_SPLIT
           : row->cluster > 0            ? KIND_16
           : row->warp_m > 0             ? KIND_MMA
           : id == IM_KERNEL_STRICT_SM90 ? KIND_STRICT
           : id >= IM_KERNEL_F64_FIRST   ? KIND_F64
                                         : KIND_SIMT;
}

/* The kernel for a problem, whatever was tuned; hopper is false if Hopper's own kernels cannot be taken. */
static enum im_kernel_id choose(const struct im_gemm_problem *problem, int32_t compute, bool hopper)
{
    switch (compute) {
    case ISOMAT_COMPUTE_TF32:
        if (is_thin(problem))
            break;
        if (hopper && splits_tf32(problem))
            return im_recall_16(problem, ISOMAT_TYPE_F32);
        return im_recall_mma(problem, IM_MMA_TF32);
    case ISOMAT_COMPUTE_F16:
        return hopper ? im_recall_16(problem, ISOMAT_TYPE_F16) : im_recall_mma(problem, IM_MMA_F16);
    case ISOMAT_COMPUTE_BF16:
        return hopper ? im_recall_16(problem, ISOMAT_TYPE_BF16) : im_recall_mma(problem, IM_MMA_BF16);
    case ISOMAT_COMPUTE_F64:
        return im_recall_f64(problem, NULL);
    case ISOMAT_COMPUTE_F32:
        /* the host driver imitates tensor cores, slowly */
        if (im_cu.kind == ISOMAT_DRIVER_KIND_NVIDIA && im_recall_f32x3_gains(problem))
            return im_recall_mma(problem, IM_MMA_F32X3);
        break;
    default:
        break;
    }
    return im_recall_gemm(problem);
}

struct im_choice im_gemm_choose(const struct im_gemm_problem *problem, int32_t compute,
                                const struct im_context *context)
{
    struct im_choice choice = {choose(problem, compute, im_gemm_16_possible(context)), 1};
    if (kind_of(choice.id) == KIND_SIMT)
        choice.parts = im_select_parts(problem, choice.id);
    else if (kind_of(choice.id) == KIND_F64)
        im_select_f64(problem, &choice.parts);
    return choice;
}

/* The kernel of the context's tuning, if it has the problem; parts is 0 if it does not. */
static struct im_choice decide(const struct im_gemm_problem *problem, int32_t compute,
                               struct im_context *context)
{
    struct im_choice choice;
    if (im_tuning_find(&choice, problem, compute, context))
        return choice;
    return (struct im_choice){choose(problem, compute, im_gemm_16_possible(context)), 0};
}

/* choice.parts 0: as many as select says. */
static int32_t launch_choice(const struct im_product *product, struct im_choice choice,
                             struct im_stream *stream, bool *submitted)
{
    switch (kind_of(choice.id)) {
    case KIND_SPLIT:
        return im_gemm_split_launch(product, choice.id, stream, submitted);
    case KIND_STRICT:
        return im_gemm_strict_launch(product, stream, submitted);
    case KIND_16:
        return im_gemm_16_launch(product, choice.id, stream, submitted);
    case KIND_MMA:
        return im_gemm_mma_launch(product, choice.id, stream);
    case KIND_F64:
        return choice.parts ? im_gemm_f64_launch_in(product, choice.id, choice.parts, stream)
                            : im_gemm_f64_launch(product, stream);
    default:
        return choice.parts ? im_gemm_simt_launch_in(product, choice.id, choice.parts, stream)
                            : im_gemm_simt_launch(product, choice.id, stream);
    }
}

int32_t im_gemm_use_operands(const struct im_product *product, struct im_stream *stream)
{
    int32_t status = im_matrix_use(product->a, stream);
    if (status == ISOMAT_OK)
        status = im_matrix_use(product->b, stream);
    if (status == ISOMAT_OK)
        status = im_epilogue_use(product, stream);
    if (status == ISOMAT_OK)
        status = im_matrix_use_to_write(product->c, stream);
    return status;
}

/* A product of which there is something to multiply. */
static int32_t launch(const struct im_product *product, struct im_stream *stream)
{
    struct im_gemm_problem problem = im_gemm_problem_of(product->m, product->n, product->k, product->op_a,
                                                        product->op_b, product->compute, stream->context);
    bool submitted = true;
    struct im_choice choice = decide(&problem, product->compute, stream->context);
    int32_t status = launch_choice(product, choice, stream, &submitted);
    if (status != ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY || submitted)
        return status;
    /* Without work memory, the kernels that need none. */
    problem.split = 0;
    problem.strict = 0;
    choice = (struct im_choice){choose(&problem, product->compute, false), 0};
    return launch_choice(product, choice, stream, &submitted);
}

static int32_t launch_finished(const struct im_product *product, struct im_stream *stream)
{
    struct im_product sums;
    isomat_matrix work;
    int32_t status = im_finish_begin(&sums, &work, product, stream);
    if (status == ISOMAT_OK)
        status = launch(&sums, stream);
    im_finish_end(work);
    return status;
}

/* C where there is nothing to multiply. */
static int32_t launch_nothing(const struct im_product *product, bool finishes, struct im_stream *stream)
{
    if (finishes)
        return im_gemm_launch_no_parts(product, stream);
    return product->beta == 1 ? ISOMAT_OK : im_scale_launch(product->c, product->beta, stream);
}

int32_t im_gemm_launch(const struct im_product *product, struct im_stream *stream)
{
    if (product->m == 0 || product->n == 0)
        return ISOMAT_OK;
    bool finishes = im_finish_needed(product);
    if (product->k == 0 || product->alpha == 0)
        return launch_nothing(product, finishes, stream);
    return finishes ? launch_finished(product, stream) : launch(product, stream);
}

bool im_gemm_groups(const struct im_product *product, const struct im_context *context)
{
    if (im_finish_needed(product))
        return false;
    if (product->k == 0)
        return im_gemm_operand_type(product->compute) == ISOMAT_TYPE_F32;
    struct im_gemm_problem problem = im_gemm_problem_of(product->m, product->n, product->k, product->op_a,
                                                        product->op_b, product->compute, context);
    return kind_of(choose(&problem, product->compute, im_gemm_16_possible(context))) == KIND_SIMT;
}

const char *im_gemm_kernel_name(int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b, int32_t compute,
                                struct im_context *context)
{
    struct im_gemm_problem problem = im_gemm_problem_of(m, n, k, op_a, op_b, compute, context);
    if (m == 0 || n == 0)
        return "";
    if (k == 0)
        return im_kernels[IM_KERNEL_SCALE_f32 + im_gemm_operand_type(compute) - 1].name;
    return im_kernels[decide(&problem, compute, context).id].name;
}
