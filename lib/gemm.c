/* SPDX-License-Identifier: MIT */
/* gemm.c: C = alpha * op(A) * op(B) + beta * C. */
#include "finish.h"
#include "gemm_16.h"
#include "gemm_check.h"
#include "gemm_choice.h"
#include "gemm_split.h"
#include "split.h"

/* Multiplies into product->c, or into a new matrix if that is NULL; the context is current. */
static int32_t multiply(isomat_matrix *handle, struct im_product *product, struct im_stream *stream)
{
    isomat_matrix created = ISOMAT_NONE;
    int32_t status = product->c ? im_gemm_check_result(product) : ISOMAT_OK;
    if (status == ISOMAT_OK)
        status = im_epilogue_check(product);
    if (status == ISOMAT_OK && !product->c) {
        struct im_matrix_shape shape = {product->m, product->n, product->n, product->a->type};
        status = im_matrix_create(&created, &product->c, &shape, stream);
    }
    if (status == ISOMAT_OK)
        status = im_gemm_use_operands(product, stream);
    if (status == ISOMAT_OK)
        status = im_gemm_launch(product, stream);
    if (created != ISOMAT_NONE && status == ISOMAT_OK)
        *handle = created;
    else if (created != ISOMAT_NONE)
        im_handle_destroy(created, IM_KIND_MATRIX);
    return status;
}

static int32_t multiply_on(isomat_matrix *handle, struct im_product *product, isomat_stream stream_handle)
{
    struct im_stream *stream;
    struct im_scope scope;
    int32_t status = im_gemm_check_operands(product);
    if (status != ISOMAT_OK)
        return status;
    status = im_stream_get(&stream, stream_handle, product->a->context);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, product->a->context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, multiply(handle, product, stream));
    im_stream_release(stream);
    return status;
}

/* A product of which all is set but its matrices. */
static int32_t multiply_handles(isomat_matrix *c, struct im_product *product, isomat_matrix a,
                                isomat_matrix b, isomat_stream stream)
{
    struct im_matrix *given = NULL;
    if (!c)
        return IM_NULL_ARGUMENT("c");
    int32_t status = im_gemm_check_modes(product->op_a, product->op_b, product->compute);
    if (status != ISOMAT_OK)
        return status;
    if (*c == ISOMAT_NONE && !(product->beta == 0))
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: beta is %g without a C to read", product->beta);
    status = im_matrix_get(&product->a, a);
    if (status != ISOMAT_OK)
        return status;
    status = im_matrix_get(&product->b, b);
    if (status == ISOMAT_OK) {
        if (*c != ISOMAT_NONE)
            status = im_matrix_get(&given, *c);
        product->c = given;
        if (status == ISOMAT_OK)
            status = multiply_on(c, product, stream);
        if (given)
            im_matrix_release(given);
        im_matrix_release(product->b);
    }
    im_matrix_release(product->a);
    return status;
}

int32_t isomat_gemm(isomat_matrix *c, double alpha, isomat_matrix a, int32_t op_a, isomat_matrix b,
                    int32_t op_b, double beta, int32_t compute, isomat_stream stream)
{
    IM_RANGE();
    struct im_product product = {.op_a = op_a,
                                 .op_b = op_b,
                                 .compute = compute,
                                 .alpha = im_factor(alpha, compute),
                                 .beta = im_factor(beta, compute)};
    return multiply_handles(c, &product, a, b, stream);
}

int32_t isomat_gemm_epilogue(isomat_matrix *c, double alpha, isomat_matrix a, int32_t op_a, isomat_matrix b,
                             int32_t op_b, double beta, const isomat_epilogue *given, int32_t compute,
                             isomat_stream stream)
{
    IM_RANGE();
    struct im_epilogue epilogue;
    struct im_product product = {.op_a = op_a,
                                 .op_b = op_b,
                                 .compute = compute,
                                 .alpha = im_factor(alpha, compute),
                                 .beta = im_factor(beta, compute),
                                 .epilogue = &epilogue};
    int32_t status = im_epilogue_get(&epilogue, given);
    if (status == ISOMAT_OK)
        status = multiply_handles(c, &product, a, b, stream);
    im_epilogue_put(&epilogue);
    return status;
}

int32_t isomat_gemm_get_kernel(char *buffer, int64_t capacity, int64_t *length, isomat_context context_handle,
                               int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b, int32_t compute)
{
    struct im_context *context;
    int32_t status = im_gemm_check_modes(op_a, op_b, compute);
    if (status == ISOMAT_OK)
        status = im_gemm_check_sizes(m, n, k);
    if (status == ISOMAT_OK)
        status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_gemm_check_device(compute, context);
    if (status != ISOMAT_OK) {
        im_context_release(context);
        return status;
    }
    const char *name = im_gemm_kernel_name(m, n, k, op_a, op_b, compute, context);
    int64_t whole = im_copy_text(buffer, capacity, name);
    if (length)
        *length = whole;
    im_context_release(context);
    return ISOMAT_OK;
}

/* The context is current. */
static int32_t prepare(struct im_matrix *matrix, int32_t operand, int32_t op, int32_t compute,
                       struct im_stream *stream)
{
    struct im_product product = {.a = matrix,
                                 .b = matrix,
                                 .op_a = op,
                                 .op_b = op,
                                 .m = op == ISOMAT_OP_T ? matrix->cols : matrix->rows,
                                 .n = op == ISOMAT_OP_T ? matrix->rows : matrix->cols};
    bool hopper = compute == ISOMAT_COMPUTE_F32 ? im_gemm_split_possible(stream->context)
                                                : im_gemm_16_possible(stream->context);
    if (!hopper || compute == ISOMAT_COMPUTE_F32_STRICT || compute == ISOMAT_COMPUTE_F64 ||
        matrix->rows == 0 || matrix->cols == 0)
        return ISOMAT_OK;
    int32_t status = im_matrix_use(matrix, stream);
    if (status != ISOMAT_OK)
        return status;
    if (matrix->type != ISOMAT_TYPE_F32)
        return im_gemm_16_prepare(matrix, stream);
    struct im_split_operand split =
        operand == ISOMAT_OPERAND_A ? im_split_operand_a(&product) : im_split_operand_b(&product);
    return im_split_prepare(&split, compute == ISOMAT_COMPUTE_F32 ? IM_SPLIT_HI_LO : IM_SPLIT_HI, stream);
}

static int32_t prepare_on(struct im_matrix *matrix, int32_t operand, int32_t op, int32_t compute,
                          isomat_stream stream_handle)
{
    struct im_stream *stream;
    struct im_scope scope;
    int32_t status = im_gemm_check_device(compute, matrix->context);
    if (status == ISOMAT_OK)
        status = im_gemm_check_type("the matrix", matrix, compute);
    if (status == ISOMAT_OK)
        status = im_stream_get(&stream, stream_handle, matrix->context);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, matrix->context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, prepare(matrix, operand, op, compute, stream));
    im_stream_release(stream);
    return status;
}

int32_t isomat_matrix_prepare(isomat_matrix handle, int32_t operand, int32_t op, int32_t compute,
                              isomat_stream stream)
{
    IM_RANGE();
    struct im_matrix *matrix;
    int32_t status = im_gemm_check_modes(op, op, compute);
    if (status == ISOMAT_OK && operand != ISOMAT_OPERAND_A && operand != ISOMAT_OPERAND_B)
        status =
            im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "prepare: operand is %d, not A (0) or B (1)", operand);
    if (status == ISOMAT_OK)
        status = im_matrix_get(&matrix, handle);
    if (status != ISOMAT_OK)
        return status;
    status = prepare_on(matrix, operand, op, compute, stream);
    im_matrix_release(matrix);
    return status;
}
