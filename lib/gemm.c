/* SPDX-License-Identifier: MIT */
/* gemm.c: C = alpha * op(A) * op(B) + beta * C. */
#include "elementwise.h"
#include "gemm_simt.h"
#include "gemm_split.h"
#include "select.h"

/* Sizes are int32_t in the kernels, and a tile past the end must not overflow. */
#define LARGEST_SIZE ((int64_t)ISOMAT_EXTENT_MAX)

/* ------------------------------------------------------------------ checks */

static int32_t check_modes(int32_t op_a, int32_t op_b, int32_t compute)
{
    if ((op_a != ISOMAT_OP_N && op_a != ISOMAT_OP_T) || (op_b != ISOMAT_OP_N && op_b != ISOMAT_OP_T))
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: op_a is %d and op_b is %d, not N (0) or T (1)",
                       op_a, op_b);
    if (compute != ISOMAT_COMPUTE_F32 && compute != ISOMAT_COMPUTE_F32_STRICT)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: unknown compute mode %d", compute);
    return ISOMAT_OK;
}

static int32_t check_sizes(int64_t m, int64_t n, int64_t k)
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
static int32_t check_operands(struct im_product *product)
{
    const struct im_matrix *a = product->a;
    const struct im_matrix *b = product->b;
    if (a->context != b->context)
        return im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "gemm: A and B are of two contexts");
    product->m = product->op_a ? a->cols : a->rows;
    product->k = product->op_a ? a->rows : a->cols;
    product->n = product->op_b ? b->rows : b->cols;
    int64_t k = product->op_b ? b->cols : b->rows;
    if (k != product->k)
        return im_fail(ISOMAT_ERROR_SHAPE_MISMATCH,
                       "gemm: op(A) is %lld x %lld, op(B) is %lld x %lld: the inner sizes differ",
                       (long long)product->m, (long long)product->k, (long long)k, (long long)product->n);
    return check_sizes(product->m, product->n, product->k);
}

static int32_t check_result(const struct im_product *product)
{
    const struct im_matrix *c = product->c;
    if (c->context != product->a->context)
        return im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "gemm: C is of another context than A and B");
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

/* ------------------------------------------------------------------ launch */

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
    };
}

static int32_t launch(const struct im_product *product, struct im_stream *stream)
{
    if (product->m == 0 || product->n == 0)
        return ISOMAT_OK;
    if (product->k == 0 || product->alpha == 0) {
        if (product->beta == 1)
            return ISOMAT_OK;
        return im_rectangle_launch(IM_KERNEL_SCALE, product->c, NULL, product->beta, stream);
    }
    struct im_gemm_problem problem = problem_of(product->m, product->n, product->k, product->op_a,
                                                product->op_b, product->compute, stream->context);
    enum im_kernel_id id = im_select_gemm(&problem);
    if (!im_is_split(id))
        return im_gemm_simt_launch(product, id, stream);
    bool submitted;
    int32_t status = im_gemm_split_launch(product, id, stream, &submitted);
    if (status != ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY || submitted)
        return status;
    /* Without work memory, the kernels that need none. */
    problem.split = 0;
    return im_gemm_simt_launch(product, im_select_gemm(&problem), stream);
}

/* ------------------------------------------------------------------ public */

/* Orders the stream behind those of the operands; the context is current. */
static int32_t use_operands(const struct im_product *product, struct im_stream *stream)
{
    int32_t status = im_matrix_use(product->a, stream);
    if (status == ISOMAT_OK)
        status = im_matrix_use(product->b, stream);
    if (status == ISOMAT_OK)
        status = im_matrix_use(product->c, stream);
    return status;
}

/* Multiplies into product->c, or into a new matrix if that is NULL; the context is current. */
static int32_t multiply(isomat_matrix *handle, struct im_product *product, struct im_stream *stream)
{
    isomat_matrix created = ISOMAT_NONE;
    int32_t status;
    if (product->c) {
        status = check_result(product);
    } else {
        struct im_matrix_shape shape = {product->m, product->n, product->n, product->a->type};
        status = im_matrix_create(&created, &product->c, &shape, stream);
    }
    if (status == ISOMAT_OK)
        status = use_operands(product, stream);
    if (status == ISOMAT_OK)
        status = launch(product, stream);
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
    int32_t status = check_operands(product);
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

int32_t isomat_gemm(isomat_matrix *c, double alpha, isomat_matrix a, int32_t op_a, isomat_matrix b,
                    int32_t op_b, double beta, int32_t compute, isomat_stream stream)
{
    struct im_product product = {
        .op_a = op_a, .op_b = op_b, .compute = compute, .alpha = (float)alpha, .beta = (float)beta};
    struct im_matrix *given = NULL;
    if (!c)
        return IM_NULL_ARGUMENT("c");
    int32_t status = check_modes(op_a, op_b, compute);
    if (status != ISOMAT_OK)
        return status;
    if (*c == ISOMAT_NONE && !(beta == 0))
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: beta is %g without a C to read", beta);
    status = im_matrix_get(&product.a, a);
    if (status != ISOMAT_OK)
        return status;
    status = im_matrix_get(&product.b, b);
    if (status == ISOMAT_OK) {
        if (*c != ISOMAT_NONE)
            status = im_matrix_get(&given, *c);
        product.c = given;
        if (status == ISOMAT_OK)
            status = multiply_on(c, &product, stream);
        if (given)
            im_matrix_release(given);
        im_matrix_release(product.b);
    }
    im_matrix_release(product.a);
    return status;
}

int32_t isomat_gemm_get_kernel(char *buffer, int64_t capacity, int64_t *length, isomat_context context_handle,
                               int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b, int32_t compute)
{
    struct im_context *context;
    int32_t status = check_modes(op_a, op_b, compute);
    if (status == ISOMAT_OK)
        status = check_sizes(m, n, k);
    if (status == ISOMAT_OK)
        status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    const char *name = "";
    struct im_gemm_problem problem = problem_of(m, n, k, op_a, op_b, compute, context);
    if (m > 0 && n > 0)
        name = im_kernels[k > 0 ? im_select_gemm(&problem) : IM_KERNEL_SCALE].name;
    int64_t whole = im_copy_text(buffer, capacity, name);
    if (length)
        *length = whole;
    im_context_release(context);
    return ISOMAT_OK;
}
