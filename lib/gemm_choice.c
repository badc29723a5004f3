/* SPDX-License-Identifier: MIT */
/* gemm_choice.c: which kernel does a product on this device, and its launch. */
#include "gemm_choice.h"

#include "elementwise.h"
#include "gemm_16.h"
#include "gemm_check.h"
#include "gemm_f64.h"
#include "gemm_mma.h"
#include "gemm_simt.h"
#include "gemm_split.h"
#include "gemm_strict.h"
#include "recall.h"

static struct im_gemm_problem problem_of(int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b,
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

/* Kernels of one kind are launched the same way. */
enum kind { KIND_SIMT, KIND_SPLIT, KIND_STRICT, KIND_16, KIND_MMA, KIND_F64 };

struct choice {
    enum kind kind;
    enum im_kernel_id id;
};

/* TF32 by split forms pays where the product takes longer than mma.sync kernels would,
 * by so much that it makes up for splitting. */
static bool splits_tf32(const struct im_gemm_problem *problem)
{
    return (double)problem->m * (double)problem->n * (double)problem->k >= 0x1p29;
}

/* Bound by memory: the kernels for thin float32 matrices are as fast, and round nothing. */
static bool is_thin(const struct im_gemm_problem *problem)
{
    return problem->m <= ISOMAT_SKINNY_MAX || problem->n <= ISOMAT_SKINNY_MAX;
}

/* The kernel for a problem; hopper is false if Hopper's own kernels cannot be taken. */
static struct choice choose(const struct im_gemm_problem *problem, int32_t compute, bool hopper)
{
    enum im_kernel_id id;
    switch (compute) {
    case ISOMAT_COMPUTE_TF32:
        if (is_thin(problem))
            break;
        if (hopper && splits_tf32(problem))
            return (struct choice){KIND_16, im_recall_16(problem, ISOMAT_TYPE_F32)};
        return (struct choice){KIND_MMA, im_recall_mma(problem, IM_MMA_TF32)};
    case ISOMAT_COMPUTE_F16:
        if (hopper)
            return (struct choice){KIND_16, im_recall_16(problem, ISOMAT_TYPE_F16)};
        return (struct choice){KIND_MMA, im_recall_mma(problem, IM_MMA_F16)};
    case ISOMAT_COMPUTE_BF16:
        if (hopper)
            return (struct choice){KIND_16, im_recall_16(problem, ISOMAT_TYPE_BF16)};
        return (struct choice){KIND_MMA, im_recall_mma(problem, IM_MMA_BF16)};
    case ISOMAT_COMPUTE_F64:
        return (struct choice){KIND_F64, im_recall_f64(problem, NULL)};
    case ISOMAT_COMPUTE_F32:
        /* the host driver imitates tensor cores, slowly */
        if (im_cu.kind == ISOMAT_DRIVER_KIND_NVIDIA && im_recall_f32x3_gains(problem))
            return (struct choice){KIND_MMA, im_recall_mma(problem, IM_MMA_F32X3)};
        break;
    default:
        break;
    }
    id = im_recall_gemm(problem);
    return (struct choice){im_is_split(id)               ? KIND_SPLIT
                           : id == IM_KERNEL_STRICT_SM90 ? KIND_STRICT
                                                         : KIND_SIMT,
                           id};
}

static int32_t launch_choice(const struct im_product *product, struct choice choice, struct im_stream *stream,
                             bool *submitted)
{
    switch (choice.kind) {
    case KIND_SPLIT:
        return im_gemm_split_launch(product, choice.id, stream, submitted);
    case KIND_STRICT:
        return im_gemm_strict_launch(product, stream, submitted);
    case KIND_16:
        return im_gemm_16_launch(product, choice.id, stream, submitted);
    case KIND_MMA:
        return im_gemm_mma_launch(product, choice.id, stream);
    case KIND_F64:
        return im_gemm_f64_launch(product, stream);
    default:
        return im_gemm_simt_launch(product, choice.id, stream);
    }
}

int32_t im_gemm_use_operands(const struct im_product *product, struct im_stream *stream)
{
    int32_t status = im_matrix_use(product->a, stream);
    if (status == ISOMAT_OK)
        status = im_matrix_use(product->b, stream);
    if (status == ISOMAT_OK)
        status = im_matrix_use_to_write(product->c, stream);
    return status;
}

int32_t im_gemm_launch(const struct im_product *product, struct im_stream *stream)
{
    if (product->m == 0 || product->n == 0)
        return ISOMAT_OK;
    if (product->k == 0 || product->alpha == 0) {
        if (product->beta == 1)
            return ISOMAT_OK;
        return im_scale_launch(product->c, product->beta, stream);
    }
    struct im_gemm_problem problem = problem_of(product->m, product->n, product->k, product->op_a,
                                                product->op_b, product->compute, stream->context);
    bool submitted = true;
    struct choice choice = choose(&problem, product->compute, im_gemm_16_possible(stream->context));
    int32_t status = launch_choice(product, choice, stream, &submitted);
    if (status != ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY || submitted)
        return status;
    /* Without work memory, the kernels that need none. */
    problem.split = 0;
    problem.strict = 0;
    return launch_choice(product, choose(&problem, product->compute, false), stream, &submitted);
}

bool im_gemm_groups(const struct im_product *product, const struct im_context *context)
{
    if (product->k == 0)
        return im_gemm_operand_type(product->compute) == ISOMAT_TYPE_F32;
    struct im_gemm_problem problem = problem_of(product->m, product->n, product->k, product->op_a,
                                                product->op_b, product->compute, context);
    return choose(&problem, product->compute, im_gemm_16_possible(context)).kind == KIND_SIMT;
}

const char *im_gemm_kernel_name(int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b, int32_t compute,
                                const struct im_context *context)
{
    struct im_gemm_problem problem = problem_of(m, n, k, op_a, op_b, compute, context);
    if (m == 0 || n == 0)
        return "";
    if (k == 0)
        return im_kernels[IM_KERNEL_SCALE_f32 + im_gemm_operand_type(compute) - 1].name;
    return im_kernels[choose(&problem, compute, im_gemm_16_possible(context)).id].name;
}
