/* SPDX-License-Identifier: MIT */
/* gemm_batched.c: many products in one call.
 *
 * Those that CUDA cores multiply go into one launch; the others, each of which fills the device or
 * takes tensor cores, follow each other on the stream. */
#include <stdlib.h>

#include "gemm_check.h"
#include "gemm_choice.h"
#include "gemm_group.h"

static int32_t check_count(int64_t count)
{
    if (count < 0 || count > INT32_MAX)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: count is %lld, not 0 to %d", (long long)count,
                       INT32_MAX);
    return ISOMAT_OK;
}

/* Checks sizes, types and contexts, and sets m, n and k. */
static int32_t check_product(struct im_product *product)
{
    int32_t status = im_gemm_check_operands(product);
    return status == ISOMAT_OK ? im_gemm_check_result(product) : status;
}

/* --------------------------------------------------------------- strided */

struct batch {
    struct im_product first;
    struct im_strides strides;
    int64_t count;
};

/* What `count` matrices take from the first's beginning to the last's end. */
static int64_t span_bytes(const struct im_matrix *first, int64_t stride, int64_t count)
{
    return (count - 1) * stride * im_element_bytes(first->type) + im_matrix_extent_bytes(first);
}

static int32_t check_span(const char *name, const struct im_matrix *first, int64_t stride, int64_t count)
{
    const struct im_matrix *root = first->root;
    int64_t element = im_element_bytes(first->type);
    if (stride < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "gemm: the stride of %s is %lld", name,
                       (long long)stride);
    if (im_matrix_extent_bytes(first) == 0)
        return ISOMAT_OK;
    int64_t before = (int64_t)(first->pointer - root->pointer);
    int64_t room = (im_matrix_extent_bytes(root) - before - im_matrix_extent_bytes(first)) / element;
    if (count > 1 && stride > room / (count - 1))
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT,
                       "gemm: %lld matrices %s, %lld elements apart, end behind the matrix that the first "
                       "is a view of: %lld elements follow the first",
                       (long long)count, name, (long long)stride, (long long)room);
    return ISOMAT_OK;
}

/* The results must not meet: either each ends before the next begins, or they lie side by side. */
static int32_t check_apart(const struct im_matrix *c, int64_t stride, int64_t count)
{
    int64_t element = im_element_bytes(c->type);
    bool behind = stride * element >= im_matrix_extent_bytes(c);
    bool beside = stride >= c->cols && (count - 1) * stride + c->cols <= c->ld;
    if (count == 1 || behind || beside)
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_ALIAS, "gemm: matrices C of %lld x %lld, %lld elements apart, overlap",
                   (long long)c->rows, (long long)c->cols, (long long)stride);
}

static int32_t check_beyond(const char *name, const struct batch *batch, const struct im_matrix *x,
                            int64_t stride)
{
    const struct im_matrix *c = batch->first.c;
    uint64_t c_end = c->pointer + (uint64_t)span_bytes(c, batch->strides.c, batch->count);
    uint64_t x_end = x->pointer + (uint64_t)span_bytes(x, stride, batch->count);
    if (c->pointer >= x_end || x->pointer >= c_end || im_matrix_extent_bytes(c) == 0 ||
        im_matrix_extent_bytes(x) == 0)
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_ALIAS, "gemm: the range of the matrices C meets that of the matrices %s",
                   name);
}

static int32_t check_batch(struct batch *batch)
{
    struct im_product *first = &batch->first;
    int32_t status = check_product(first);
    if (status == ISOMAT_OK)
        status = check_span("A", first->a, batch->strides.a, batch->count);
    if (status == ISOMAT_OK)
        status = check_span("B", first->b, batch->strides.b, batch->count);
    if (status == ISOMAT_OK)
        status = check_span("C", first->c, batch->strides.c, batch->count);
    if (status == ISOMAT_OK)
        status = check_apart(first->c, batch->strides.c, batch->count);
    if (status == ISOMAT_OK)
        status = check_beyond("A", batch, first->a, batch->strides.a);
    if (status == ISOMAT_OK)
        status = check_beyond("B", batch, first->b, batch->strides.b);
    return status;
}

/* The matrix that begins so many elements behind another's first; for a product, not for keeping. */
static struct im_matrix behind(const struct im_matrix *first, int64_t elements)
{
    return (struct im_matrix){
        .context = first->context,
        .root = first->root,
        .rows = first->rows,
        .cols = first->cols,
        .ld = first->ld,
        .type = first->type,
        .pointer = first->pointer + (uint64_t)(elements * im_element_bytes(first->type)),
    };
}

static int32_t launch_each(const struct batch *batch, struct im_stream *stream)
{
    int32_t status = ISOMAT_OK;
    for (int64_t p = 0; p < batch->count && status == ISOMAT_OK; p++) {
        struct im_matrix a = behind(batch->first.a, p * batch->strides.a);
        struct im_matrix b = behind(batch->first.b, p * batch->strides.b);
        struct im_matrix c = behind(batch->first.c, p * batch->strides.c);
        struct im_product product = batch->first;
        product.a = &a;
        product.b = &b;
        product.c = &c;
        status = im_gemm_launch(&product, stream);
    }
    return status;
}

/* The context is current. */
static int32_t multiply_batch(const struct batch *batch, struct im_stream *stream)
{
    const struct im_product *first = &batch->first;
    if (first->m == 0 || first->n == 0)
        return ISOMAT_OK;
    int32_t status = im_gemm_use_operands(first, stream);
    if (status != ISOMAT_OK)
        return status;
    if (batch->count > 1 && im_gemm_groups(first, stream->context))
        return im_gemm_group_launch_strided(first, &batch->strides, batch->count, stream);
    return launch_each(batch, stream);
}

static int32_t batch_on(struct batch *batch, isomat_stream stream_handle)
{
    struct im_stream *stream;
    struct im_scope scope;
    int32_t status = batch->count > 0 ? check_batch(batch) : check_product(&batch->first);
    if (status != ISOMAT_OK)
        return status;
    status = im_stream_get(&stream, stream_handle, batch->first.a->context);
    if (status != ISOMAT_OK)
        return status;
    if (batch->count > 0) {
        status = im_scope_enter(&scope, batch->first.a->context);
        if (status == ISOMAT_OK)
            status = im_scope_leave(&scope, multiply_batch(batch, stream));
    }
    im_stream_release(stream);
    return status;
}

/* Looks up the three matrices of a product, all or none. */
static int32_t get_matrices(struct im_product *product, isomat_matrix c, isomat_matrix a, isomat_matrix b)
{
    int32_t status = im_matrix_get(&product->a, a);
    if (status != ISOMAT_OK)
        return status;
    status = im_matrix_get(&product->b, b);
    if (status == ISOMAT_OK) {
        status = im_matrix_get(&product->c, c);
        if (status == ISOMAT_OK)
            return ISOMAT_OK;
        im_matrix_release(product->b);
    }
    im_matrix_release(product->a);
    return status;
}

static void release_matrices(struct im_product *product)
{
    im_matrix_release(product->c);
    im_matrix_release(product->b);
    im_matrix_release(product->a);
}

int32_t isomat_gemm_strided_batched(isomat_matrix c, int64_t stride_c, double alpha, isomat_matrix a,
                                    int32_t op_a, int64_t stride_a, isomat_matrix b, int32_t op_b,
                                    int64_t stride_b, double beta, int64_t count, int32_t compute,
                                    isomat_stream stream)
{
    IM_RANGE();
    struct batch batch = {
        .first = {.op_a = op_a,
                  .op_b = op_b,
                  .compute = compute,
                  .alpha = im_factor(alpha, compute),
                  .beta = im_factor(beta, compute)},
        .strides = {stride_a, stride_b, stride_c},
        .count = count,
    };
    int32_t status = im_gemm_check_modes(op_a, op_b, compute);
    if (status == ISOMAT_OK)
        status = check_count(count);
    if (status == ISOMAT_OK)
        status = get_matrices(&batch.first, c, a, b);
    if (status != ISOMAT_OK)
        return status;
    status = batch_on(&batch, stream);
    release_matrices(&batch.first);
    return status;
}

/* ---------------------------------------------------------------- any sizes */

/* The products of a call; `got` of them hold their matrices. */
struct products {
    struct im_product *at;
    int64_t count, got;
};

static int compare_results(const void *left, const void *right)
{
    const struct im_matrix *const *a = left;
    const struct im_matrix *const *b = right;
    return ((*a)->pointer > (*b)->pointer) - ((*a)->pointer < (*b)->pointer);
}

/* Whether results[first ...], in the order of their addresses, overlap x. */
static bool any_overlap(struct im_matrix *const *results, int64_t first, int64_t count,
                        const struct im_matrix *x)
{
    uint64_t end = x->pointer + (uint64_t)im_matrix_extent_bytes(x);
    for (int64_t i = first; i < count && results[i]->pointer < end; i++)
        if (im_matrix_overlap(results[i], x))
            return true;
    return false;
}

/* The first result that may reach an address; longest: the most bytes of any result. */
static int64_t first_reaching(struct im_matrix *const *results, int64_t count, uint64_t address,
                              int64_t longest)
{
    int64_t low = 0;
    int64_t high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (results[middle]->pointer + (uint64_t)longest <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* No result may overlap another, or an operand of any product: they run in no order. */
static int32_t check_overlaps(const struct products *products)
{
    struct im_matrix **results = malloc((size_t)products->count * sizeof *results);
    int64_t longest = 0;
    int32_t status = ISOMAT_OK;
    if (!results)
        return IM_OUT_OF_HOST_MEMORY("a list of matrices");
    for (int64_t p = 0; p < products->count; p++) {
        results[p] = products->at[p].c;
        longest = im_matrix_extent_bytes(results[p]) > longest ? im_matrix_extent_bytes(results[p]) : longest;
    }
    qsort(results, (size_t)products->count, sizeof *results, compare_results);
    for (int64_t p = 0; p < products->count && status == ISOMAT_OK; p++)
        if (any_overlap(results, p + 1, products->count, results[p]))
            status = im_fail(ISOMAT_ERROR_ALIAS, "gemm: two of the matrices C overlap");
    for (int64_t p = 0; p < products->count && status == ISOMAT_OK; p++) {
        const struct im_product *product = &products->at[p];
        int64_t near_a = first_reaching(results, products->count, product->a->pointer, longest);
        int64_t near_b = first_reaching(results, products->count, product->b->pointer, longest);
        if (any_overlap(results, near_a, products->count, product->a))
            status = im_fail(ISOMAT_ERROR_ALIAS, "gemm: A of product %lld overlaps a C", (long long)p);
        else if (any_overlap(results, near_b, products->count, product->b))
            status = im_fail(ISOMAT_ERROR_ALIAS, "gemm: B of product %lld overlaps a C", (long long)p);
    }
    free(results);
    return status;
}

static int32_t check_products(const struct products *products)
{
    for (int64_t p = 0; p < products->count; p++) {
        int32_t status = check_product(&products->at[p]);
        if (status == ISOMAT_OK && products->at[p].a->context != products->at[0].a->context)
            status = im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "gemm: products of two contexts");
        if (status != ISOMAT_OK) {
            im_fail_append("; product %lld of %lld", (long long)p, (long long)products->count);
            return status;
        }
    }
    return check_overlaps(products);
}

/* Moves those that can share a launch to the front, and returns how many they are. */
static int64_t gather(struct products *products, const struct im_context *context)
{
    int64_t grouped = 0;
    for (int64_t p = 0; p < products->count; p++) {
        struct im_product product = products->at[p];
        if (product.m == 0 || product.n == 0 || !im_gemm_groups(&product, context))
            continue;
        products->at[p] = products->at[grouped];
        products->at[grouped++] = product;
    }
    return grouped;
}

/* The context is current. */
static int32_t multiply_products(struct products *products, struct im_stream *stream)
{
    int32_t status = ISOMAT_OK;
    for (int64_t p = 0; p < products->count && status == ISOMAT_OK; p++)
        status = im_gemm_use_operands(&products->at[p], stream);
    if (status != ISOMAT_OK)
        return status;
    int64_t grouped = gather(products, stream->context);
    int64_t done = 0;
    if (grouped > 1) {
        bool submitted;
        status = im_gemm_group_launch(products->at, grouped, stream, &submitted);
        if (status == ISOMAT_OK)
            done = grouped;
        else if (status == ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY && !submitted)
            status = ISOMAT_OK; /* without a table, one by one */
    }
    for (int64_t p = done; p < products->count && status == ISOMAT_OK; p++)
        status = im_gemm_launch(&products->at[p], stream);
    return status;
}

static int32_t products_on(struct products *products, isomat_stream stream_handle)
{
    struct im_stream *stream;
    struct im_scope scope;
    int32_t status = check_products(products);
    if (status != ISOMAT_OK)
        return status;
    struct im_context *context = products->at[0].a->context;
    status = im_stream_get(&stream, stream_handle, context);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, multiply_products(products, stream));
    im_stream_release(stream);
    return status;
}

int32_t isomat_gemm_batched(const isomat_matrix *c, double alpha, const isomat_matrix *a, int32_t op_a,
                            const isomat_matrix *b, int32_t op_b, double beta, int64_t count, int32_t compute,
                            isomat_stream stream)
{
    IM_RANGE();
    const struct im_product form = {.op_a = op_a,
                                    .op_b = op_b,
                                    .compute = compute,
                                    .alpha = im_factor(alpha, compute),
                                    .beta = im_factor(beta, compute)};
    struct products products = {.count = count};
    int32_t status = im_gemm_check_modes(op_a, op_b, compute);
    if (status == ISOMAT_OK)
        status = check_count(count);
    if (status != ISOMAT_OK || count == 0)
        return status;
    if (!c || !a || !b)
        return IM_NULL_ARGUMENT(!c ? "c" : !a ? "a" : "b");
    products.at = malloc((size_t)count * sizeof *products.at);
    if (!products.at)
        return IM_OUT_OF_HOST_MEMORY("a list of products");
    for (int64_t p = 0; p < count && status == ISOMAT_OK; p++) {
        products.at[p] = form;
        status = get_matrices(&products.at[p], c[p], a[p], b[p]);
        if (status == ISOMAT_OK)
            products.got++;
        else
            im_fail_append("; product %lld of %lld", (long long)p, (long long)count);
    }
    if (status == ISOMAT_OK)
        status = products_on(&products, stream);
    for (int64_t p = 0; p < products.got; p++)
        release_matrices(&products.at[p]);
    free(products.at);
    return status;
}
