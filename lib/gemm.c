/* SPDX-License-Identifier: MIT */
/* gemm.c: C = alpha * op(A) * op(B) + beta * C. */
#include "elementwise.h"
#include "kernels/abi.h"
#include "launch.h"
#include "select.h"

/* Sizes are int32_t in the kernels, and a tile past the end must not overflow. */
#define LARGEST_SIZE ((int64_t)ISOMAT_EXTENT_MAX)

struct product {
    struct im_matrix *a, *b, *c;
    int32_t op_a, op_b;
    float alpha, beta;
    int64_t m, n, k;
};

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
static int32_t check_operands(struct product *product)
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

static int32_t check_result(const struct product *product)
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

static int32_t launch_tiled(const struct product *product, enum im_kernel_id id, struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    struct isomat_gemm_args arguments = {
        .a = product->a->pointer,
        .b = product->b->pointer,
        .c = product->c->pointer,
        .lda = product->a->ld,
        .ldb = product->b->ld,
        .ldc = product->c->ld,
        .m = (int32_t)product->m,
        .n = (int32_t)product->n,
        .k = (int32_t)product->k,
        .flags = (im_matrix_vector(product->a) ? ISOMAT_VECTOR_A : 0) |
                 (im_matrix_vector(product->b) ? ISOMAT_VECTOR_B : 0) |
                 (im_matrix_vector(product->c) ? ISOMAT_VECTOR_C : 0),
        .alpha = product->alpha,
        .beta = product->beta,
    };
    return im_launch_own(stream, id, ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n),
                         &arguments);
}

/* The large operand is X and the thin one Y: for a thin N they are op(A) and
 * op(B), for a thin M their transposes, and the result likewise (abi.h). */
static int32_t launch_skinny(const struct product *product, enum im_kernel_id id, struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    bool thin_n = im_is_thin_n(product->m, product->n);
    const struct im_matrix *x = thin_n ? product->a : product->b;
    const struct im_matrix *y = thin_n ? product->b : product->a;
    bool y_k_is_rows = thin_n ? !product->op_b : product->op_a; /* k runs down Y's stored rows */
    struct isomat_skinny_args arguments = {
        .x = x->pointer,
        .y = y->pointer,
        .z = product->c->pointer,
        .ldx = x->ld,
        .y_k = y_k_is_rows ? y->ld : 1,
        .y_s = y_k_is_rows ? 1 : y->ld,
        .z_r = thin_n ? product->c->ld : 1,
        .z_s = thin_n ? 1 : product->c->ld,
        .r = (int32_t)(thin_n ? product->m : product->n),
        .s = (int32_t)(thin_n ? product->n : product->m),
        .k = (int32_t)product->k,
        .flags = im_matrix_vector(x) ? ISOMAT_VECTOR_A : 0,
        .alpha = product->alpha,
        .beta = product->beta,
    };
    return im_launch_own(stream, id, ISOMAT_SKINNY_GRID(arguments.r, row->rows_per_block), &arguments);
}

static int32_t launch(const struct product *product, struct im_stream *stream)
{
    if (product->m == 0 || product->n == 0)
        return ISOMAT_OK;
    if (product->k == 0 || product->alpha == 0) {
        if (product->beta == 1)
            return ISOMAT_OK;
        return im_rectangle_launch(IM_KERNEL_SCALE, product->c, NULL, product->beta, stream);
    }
    struct im_gemm_problem problem = {
        .m = product->m,
        .n = product->n,
        .k = product->k,
        .op_a = product->op_a,
        .op_b = product->op_b,
        .multiprocessors = stream->context->limits.multiprocessors,
        .capability = stream->context->limits.capability,
    };
    enum im_kernel_id id = im_select_gemm(&problem);
    return im_is_skinny(id) ? launch_skinny(product, id, stream) : launch_tiled(product, id, stream);
}

/* ------------------------------------------------------------------ public */

/* Orders the stream behind those of the operands; the context is current. */
static int32_t use_operands(const struct product *product, struct im_stream *stream)
{
    int32_t status = im_matrix_use(product->a, stream);
    if (status == ISOMAT_OK)
        status = im_matrix_use(product->b, stream);
    if (status == ISOMAT_OK)
        status = im_matrix_use(product->c, stream);
    return status;
}

/* Multiplies into product->c, or into a new matrix if that is NULL; the context is current. */
static int32_t multiply(isomat_matrix *handle, struct product *product, struct im_stream *stream)
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

static int32_t multiply_on(isomat_matrix *handle, struct product *product, isomat_stream stream_handle)
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
    struct product product = {.op_a = op_a, .op_b = op_b, .alpha = (float)alpha, .beta = (float)beta};
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
    const struct im_device_limits *limits = &context->limits;
    struct im_gemm_problem problem = {m, n, k, op_a, op_b, limits->multiprocessors, limits->capability};
    if (m > 0 && n > 0)
        name = im_kernels[k > 0 ? im_select_gemm(&problem) : IM_KERNEL_SCALE].name;
    int64_t whole = im_copy_text(buffer, capacity, name);
    if (length)
        *length = whole;
    im_context_release(context);
    return ISOMAT_OK;
}
