/* SPDX-License-Identifier: MIT */
/* gemm_check.c: what isomat_gemm takes, and what it says of the rest. */
#include "gemm_check.h"

#include "kernels/abi.h"

/* Sizes are int32_t in the kernels, and a tile past the end must not overflow. */
#define LARGEST_SIZE ((int64_t)ISOMAT_EXTENT_MAX)

/* What a compute mode takes, and the least device that has it. */
static const struct mode {
    const char *name;
    int32_t type;   /* of A and B */
    int capability; /* 80 for 8.0 */
} modes[] = {
    [ISOMAT_COMPUTE_F32] = {"F32", ISOMAT_TYPE_F32, 0},
    [ISOMAT_COMPUTE_F32_STRICT] = {"F32_STRICT", ISOMAT_TYPE_F32, 0},
    [ISOMAT_COMPUTE_TF32] = {"TF32", ISOMAT_TYPE_F32, 80},
    [ISOMAT_COMPUTE_F16] = {"F16", ISOMAT_TYPE_F16, 80},
    [ISOMAT_COMPUTE_BF16] = {"BF16", ISOMAT_TYPE_BF16, 80},
    [ISOMAT_COMPUTE_F64] = {"F64", ISOMAT_TYPE_F64, 0},
};
#define MODES ((int32_t)(sizeof modes / sizeof *modes))

int32_t im_gemm_operand_type(int32_t compute)
{
    return modes[compute].type;
}

static int32_t check_op(const char *name, int32_t op)
{
    if (op == ISOMAT_OP_N || op == ISOMAT_OP_T)
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: %s is %d, not N (0) or T (1)", name, op);
}

int32_t im_gemm_check_modes(int32_t op_a, int32_t op_b, int32_t compute)
{
    int32_t status = check_op("op_a", op_a);
    if (status == ISOMAT_OK)
        status = check_op("op_b", op_b);
    if (status == ISOMAT_OK && (compute < 0 || compute >= MODES))
        status = im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: unknown compute mode %d", compute);
    return status;
}

int32_t im_gemm_check_device(int32_t compute, const struct im_context *context)
{
    const struct mode *mode = &modes[compute];
    int capability = context->limits.capability;
    if (capability >= mode->capability)
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_UNSUPPORTED,
                   "gemm: compute mode %s needs compute capability %d.%d, this device has %d.%d; F32 and "
                   "F32_STRICT run on it",
                   mode->name, mode->capability / 10, mode->capability % 10, capability / 10,
                   capability % 10);
}

int32_t im_gemm_check_type(const char *name, const struct im_matrix *matrix, int32_t compute)
{
    const struct mode *mode = &modes[compute];
    if (matrix->type == mode->type)
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_TYPE_MISMATCH,
                   "gemm: %s is %s, compute mode %s takes %s; isomat_matrix_copy converts", name,
                   im_type_name(matrix->type), mode->name, im_type_name(mode->type));
}

static int32_t check_result_type(const struct im_matrix *c, int32_t compute)
{
    const struct mode *mode = &modes[compute];
    if (c->type != ISOMAT_TYPE_F64 || compute == ISOMAT_COMPUTE_F64)
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_TYPE_MISMATCH, "gemm: C is f64, compute mode %s writes f32, f16 or bf16",
                   mode->name);
}

int32_t im_gemm_check_sizes(int64_t m, int64_t n, int64_t k)
{
    if (m < 0 || n < 0 || k < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: m %lld, n %lld, k %lld: a size is negative",
                       (long long)m, (long long)n, (long long)k);
    if (m > LARGEST_SIZE || n > LARGEST_SIZE || k > LARGEST_SIZE)
        return im_fail(ISOMAT_ERROR_UNSUPPORTED, "gemm: m %lld, n %lld, k %lld: a size is above %lld",
                       (long long)m, (long long)n, (long long)k, (long long)LARGEST_SIZE);
    return ISOMAT_OK;
}

/* Checks the operands and sets m, n and k. */
int32_t im_gemm_check_operands(struct im_product *product)
{
    const struct im_matrix *a = product->a;
    const struct im_matrix *b = product->b;
    if (a->context != b->context)
        return im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "gemm: A and B are of two contexts");
    int32_t status = im_gemm_check_device(product->compute, a->context);
    if (status == ISOMAT_OK)
        status = im_gemm_check_type("A", a, product->compute);
    if (status == ISOMAT_OK)
        status = im_gemm_check_type("B", b, product->compute);
    if (status != ISOMAT_OK)
        return status;
    product->m = product->op_a ? a->cols : a->rows;
    product->k = product->op_a ? a->rows : a->cols;
    product->n = product->op_b ? b->rows : b->cols;
    int64_t k = product->op_b ? b->cols : b->rows;
    if (k != product->k)
        return im_fail(ISOMAT_ERROR_SHAPE_MISMATCH,
                       "gemm: op(A) is %lld x %lld, op(B) is %lld x %lld: the inner sizes differ",
                       (long long)product->m, (long long)product->k, (long long)k, (long long)product->n);
    return im_gemm_check_sizes(product->m, product->n, product->k);
}

int32_t im_gemm_check_result(const struct im_product *product)
{
    const struct im_matrix *c = product->c;
    if (c->context != product->a->context)
        return im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "gemm: C is of another context than A and B");
    int32_t status = check_result_type(c, product->compute);
    if (status != ISOMAT_OK)
        return status;
    if (c->rows != product->m || c->cols != product->n)
        return im_fail(ISOMAT_ERROR_SHAPE_MISMATCH,
                       "gemm: C is %lld x %lld, op(A) is %lld x %lld and op(B) is %lld x %lld",
                       (long long)c->rows, (long long)c->cols, (long long)product->m, (long long)product->k,
                       (long long)product->k, (long long)product->n);
    if (im_matrix_overlap(c, product->a) || im_matrix_overlap(c, product->b))
        return im_fail(ISOMAT_ERROR_ALIAS, "gemm: C overlaps %s",
                       im_matrix_overlap(c, product->a) ? "A" : "B");
    return ISOMAT_OK;
}
