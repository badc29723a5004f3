/* SPDX-License-Identifier: MIT */
/* test_gemm_batched.c: many products in one call against the reference, one by one. */
#include "tests/support/device.h"
#include "tests/support/matrix.h"
#include "tests/support/reference.h"

#define N ISOMAT_OP_N
#define T ISOMAT_OP_T
#define F32 ISOMAT_TYPE_F32
#define MOST 40

static const double alphas[] = {1, -1.25, 0};
static const double betas[] = {0, 1, 0.5};
static uint64_t sequence;

static int64_t between(int64_t first, int64_t last)
{
    return first + (int64_t)operand_random(&sequence, (uint64_t)(last - first + 1));
}

/* A case with sizes in a range; the layouts and the data go round. */
static struct reference_gemm random_case(int64_t first, int64_t last, int32_t ops)
{
    return (struct reference_gemm){
        .m = between(first, last),
        .n = between(first, last),
        .k = between(first, last),
        .op_a = ops / 2,
        .op_b = ops % 2,
        .alpha = alphas[between(0, 1)],
        .beta = betas[between(0, 2)],
        .layout_a = (enum operand_layout)between(0, OPERAND_LAYOUTS - 1),
        .layout_b = (enum operand_layout)between(0, OPERAND_LAYOUTS - 1),
        .layout_c = (enum operand_layout)between(0, OPERAND_LAYOUTS - 1),
        .fill = (enum operand_fill)between(OPERAND_SIGNED, OPERAND_WIDE),
        .compute = (int32_t)between(ISOMAT_COMPUTE_F32, ISOMAT_COMPUTE_F32_STRICT),
    };
}

static void check_result(const struct reference_gemm *gemm, const struct operand *a, const struct operand *b,
                         const struct operand *c, float *now)
{
    if (!reference_accepts(gemm, a, b, c, now))
        fail();
}

/* ------------------------------------------------------------------ arrays */

struct products {
    struct reference_gemm gemm[MOST];
    struct operand a[MOST], b[MOST], c[MOST];
    isomat_matrix a_handles[MOST], b_handles[MOST], c_handles[MOST];
    int64_t count;
};

static struct products products;

static void create(isomat_context context, int64_t p)
{
    const struct reference_gemm *g = &products.gemm[p];
    enum operand_fill fill = g->alpha == 0 ? OPERAND_NAN : g->fill;

    operand_create(&products.a[p], context, g->op_a ? g->k : g->m, g->op_a ? g->m : g->k, g->layout_a, fill);
    operand_create(&products.b[p], context, g->op_b ? g->n : g->k, g->op_b ? g->k : g->n, g->layout_b, fill);
    operand_create(&products.c[p], context, g->m, g->n, g->layout_c, g->beta == 0 ? OPERAND_NAN : g->fill);
    products.a_handles[p] = products.a[p].matrix;
    products.b_handles[p] = products.b[p].matrix;
    products.c_handles[p] = products.c[p].matrix;
}

static int32_t multiply(void)
{
    const struct reference_gemm *g = &products.gemm[0];

    return isomat_gemm_batched(products.c_handles, g->alpha, products.a_handles, g->op_a, products.b_handles,
                               g->op_b, g->beta, products.count, g->compute, ISOMAT_NONE);
}

static void check_products(void)
{
    assert_ok(multiply());
    for (int64_t p = 0; p < products.count; p++) {
        float *now = operand_download(&products.c[p]);

        check_result(&products.gemm[p], &products.a[p], &products.b[p], &products.c[p], now);
        assert_true(operand_guarded(&products.c[p], now));
        assert_true(operand_unchanged(&products.a[p]));
        assert_true(operand_unchanged(&products.b[p]));
        free(now);
    }
}

static void destroy(void)
{
    for (int64_t p = 0; p < products.count; p++) {
        operand_destroy(&products.a[p]);
        operand_destroy(&products.b[p]);
        operand_destroy(&products.c[p]);
    }
}

/* Sizes of each product anew, ops and factors of the first. */
static void check_sizes(isomat_context context, int64_t count, int64_t first, int64_t last, int32_t ops)
{
    products.count = count;
    for (int64_t p = 0; p < count; p++) {
        products.gemm[p] = random_case(first, last, ops);
        products.gemm[p].alpha = products.gemm[0].alpha;
        products.gemm[p].beta = products.gemm[0].beta;
        products.gemm[p].compute = products.gemm[0].compute;
        create(context, p);
    }
    check_products();
    destroy();
}

static void sizes_of_all_kernels(void **state)
{
    for (int32_t ops = 0; ops < 4; ops++) {
        check_sizes(device_context(state), MOST, 0, 16, ops);
        check_sizes(device_context(state), 13, 1, 32, ops);
        check_sizes(device_context(state), 11, 1, 150, ops);
        check_sizes(device_context(state), 1, 1, 40, ops);
    }
}

/* Enough products for a search in more than one step. */
static void many_of_several_sizes(void **state)
{
    check_sizes(device_context(state), MOST, 1, 70, 1);
    check_sizes(device_context(state), 33, 20, 60, 2);
}

/* With alpha = 0 operands that hold NaN are not read, with beta = 0 C is not. */
static void factors_of_zero(void **state)
{
    for (int64_t p = 0; p < 6; p++) {
        products.gemm[p] = (struct reference_gemm){.m = 9 * p + 3, .n = 40 - p, .k = 12, .beta = 0.5};
        create(device_context(state), p);
    }
    products.count = 6;
    check_products();
    destroy();
}

/* One A and one B for all. */
static void shared_operands(void **state)
{
    products.count = 5;
    for (int64_t p = 0; p < products.count; p++) {
        products.gemm[p] = (struct reference_gemm){.m = 20, .n = 33, .k = 41, .alpha = 1};
        create(device_context(state), p);
    }
    for (int64_t p = 1; p < products.count; p++)
        products.a_handles[p] = products.a_handles[0], products.b_handles[p] = products.b_handles[0];
    assert_ok(multiply());
    for (int64_t p = 0; p < products.count; p++) {
        float *now = operand_download(&products.c[p]);

        check_result(&products.gemm[p], &products.a[0], &products.b[0], &products.c[p], now);
        free(now);
    }
    destroy();
}

static void same_bits_each_time(void **state)
{
    products.count = 8;
    for (int64_t p = 0; p < products.count; p++) {
        products.gemm[p] = (struct reference_gemm){.m = 50 + p, .n = 70, .k = 90, .alpha = 1};
        create(device_context(state), p);
    }
    assert_ok(multiply());
    float *once = operand_download(&products.c[5]);
    assert_ok(multiply());
    float *again = operand_download(&products.c[5]);
    assert_memory_equal(once, again, (size_t)products.c[5].total * sizeof *once);
    free(once);
    free(again);
    destroy();
}

/* ----------------------------------------------------------------- strided */

/* Product p of a stack whose matrices lie `stride` elements apart. */
static struct operand part(const struct operand *stack, int64_t rows, int64_t p, int64_t stride)
{
    struct operand part = *stack;

    part.rows = rows;
    part.offset += p * stride;
    return part;
}

static isomat_matrix first_of(const struct operand *stack, int64_t rows)
{
    isomat_matrix view;

    assert_ok(isomat_matrix_view(&view, stack->matrix, 0, 0, rows, stack->cols));
    return view;
}

static void check_strided(isomat_context context, const struct reference_gemm *g, int64_t count, int share_b)
{
    int64_t a_rows = g->op_a ? g->k : g->m, b_rows = g->op_b ? g->n : g->k;
    struct operand a, b, c;

    operand_create(&a, context, count * a_rows, g->op_a ? g->m : g->k, g->layout_a, g->fill);
    operand_create(&b, context, (share_b ? 1 : count) * b_rows, g->op_b ? g->k : g->n, g->layout_b, g->fill);
    operand_create(&c, context, count * g->m, g->n, g->layout_c, g->beta == 0 ? OPERAND_NAN : g->fill);
    isomat_matrix a_first = first_of(&a, a_rows), b_first = first_of(&b, b_rows),
                  c_first = first_of(&c, g->m);
    int64_t stride_b = share_b ? 0 : b_rows * b.ld;

    assert_ok(isomat_gemm_strided_batched(c_first, g->m * c.ld, g->alpha, a_first, g->op_a, a_rows * a.ld,
                                          b_first, g->op_b, stride_b, g->beta, count, g->compute,
                                          ISOMAT_NONE));
    float *now = operand_download(&c);
    for (int64_t p = 0; p < count; p++) {
        struct operand one_a = part(&a, a_rows, p, a_rows * a.ld), one_b = part(&b, b_rows, p, stride_b),
                       one_c = part(&c, g->m, p, g->m * c.ld);

        check_result(g, &one_a, &one_b, &one_c, now);
    }
    assert_true(operand_guarded(&c, now));
    free(now);
    assert_ok(isomat_matrix_destroy(a_first));
    assert_ok(isomat_matrix_destroy(b_first));
    assert_ok(isomat_matrix_destroy(c_first));
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&c);
}

static void strided_sizes(void **state)
{
    static const int64_t largest[] = {4, 16, 17, 32, 33, 64, 130};

    for (size_t size = 0; size < TEST_COUNT(largest); size++)
        for (int32_t ops = 0; ops < 4; ops++) {
            struct reference_gemm g = random_case(1, largest[size], ops);

            check_strided(device_context(state), &g, between(1, 9), size % 2);
            g.m = g.n = g.k = largest[size];
            check_strided(device_context(state), &g, 3, 0);
        }
}

/* Results side by side in one matrix: column blocks. */
static void results_side_by_side(void **state)
{
    const struct reference_gemm g = {.m = 20, .n = 12, .k = 9, .alpha = 1};
    struct operand a, b, c;
    isomat_matrix c_first;

    operand_create(&a, device_context(state), g.m, g.k, OPERAND_DENSE, OPERAND_SIGNED);
    operand_create(&b, device_context(state), g.k, 5 * g.n, OPERAND_PADDED, OPERAND_SIGNED);
    operand_create(&c, device_context(state), g.m, 5 * g.n, OPERAND_PADDED, OPERAND_NAN);
    assert_ok(isomat_matrix_view(&c_first, c.matrix, 0, 0, g.m, g.n));
    isomat_matrix b_first;
    assert_ok(isomat_matrix_view(&b_first, b.matrix, 0, 0, g.k, g.n));
    assert_ok(isomat_gemm_strided_batched(c_first, g.n, 1, a.matrix, N, 0, b_first, N, g.n, 0, 5,
                                          ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    float *now = operand_download(&c);
    for (int64_t p = 0; p < 5; p++) {
        struct operand one_b = part(&b, g.k, p, g.n), one_c = part(&c, g.m, p, g.n);

        one_b.cols = one_c.cols = g.n;
        check_result(&g, &a, &one_b, &one_c, now);
    }
    assert_true(operand_guarded(&c, now));
    free(now);
    assert_ok(isomat_matrix_destroy(b_first));
    assert_ok(isomat_matrix_destroy(c_first));
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&c);
}

/* What no launch of many does: each product as isomat_gemm has it, bit for bit. */
static void other_modes(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix a[3], b[3], c[3], alone = ISOMAT_NONE;
    float together[40 * 30], single[40 * 30];

    if (device_capability() < 80)
        skip();
    for (int p = 0; p < 3; p++) {
        struct operand wide;

        operand_create(&wide, context, 40, 50, OPERAND_DENSE, OPERAND_SIGNED);
        assert_ok(isomat_matrix_create(&a[p], context, 40, 50, ISOMAT_TYPE_F16, ISOMAT_NONE));
        assert_ok(isomat_matrix_copy(a[p], wide.matrix, ISOMAT_NONE));
        operand_destroy(&wide);
        operand_create(&wide, context, 50, 30, OPERAND_DENSE, OPERAND_SIGNED);
        assert_ok(isomat_matrix_create(&b[p], context, 50, 30, ISOMAT_TYPE_F16, ISOMAT_NONE));
        assert_ok(isomat_matrix_copy(b[p], wide.matrix, ISOMAT_NONE));
        operand_destroy(&wide);
        assert_ok(isomat_matrix_create(&c[p], context, 40, 30, F32, ISOMAT_NONE));
    }
    assert_ok(isomat_gemm_batched(c, 1, a, N, b, N, 0, 3, ISOMAT_COMPUTE_F16, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&alone, context, 40, 30, F32, ISOMAT_NONE));
    for (int p = 0; p < 3; p++) {
        assert_ok(isomat_gemm(&alone, 1, a[p], N, b[p], N, 0, ISOMAT_COMPUTE_F16, ISOMAT_NONE));
        assert_ok(isomat_matrix_to_host(single, 30, alone, ISOMAT_NONE));
        assert_ok(isomat_matrix_to_host(together, 30, c[p], ISOMAT_NONE));
        assert_memory_equal(single, together, sizeof single);
        assert_ok(isomat_matrix_destroy(a[p]));
        assert_ok(isomat_matrix_destroy(b[p]));
        assert_ok(isomat_matrix_destroy(c[p]));
    }
    assert_ok(isomat_matrix_destroy(alone));
}

/* ------------------------------------------------------------------ errors */

static void empty_batches(void **state)
{
    isomat_matrix a = matrix_numbered(device_context(state), 4, 4),
                  c = matrix_numbered(device_context(state), 4, 4);

    assert_ok(isomat_gemm_batched(NULL, 1, NULL, N, NULL, N, 0, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_gemm_strided_batched(c, 0, 1, a, N, 0, a, N, 0, 0, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_float_equal(matrix_at(c, 3, 2), 302, 0);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(c));
}

static void bad_arrays_are_refused(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix a[2], c[2], view, wide = matrix_numbered(context, 4, 5);

    for (int p = 0; p < 2; p++) {
        a[p] = matrix_numbered(context, 4, 4);
        c[p] = matrix_numbered(context, 4, 4);
    }
    const isomat_matrix hole[2] = {a[0], ISOMAT_NONE}, twice[2] = {c[0], c[0]}, odd[2] = {a[0], wide};
#define CALL(c, a, b, count) isomat_gemm_batched(c, 1, a, N, b, N, 0, count, ISOMAT_COMPUTE_F32, ISOMAT_NONE)
    assert_status(CALL(NULL, a, a, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("c is NULL");
    assert_status(CALL(c, NULL, a, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(CALL(c, a, NULL, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(CALL(c, a, a, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("-1");
    assert_status(CALL(c, hole, a, 2), ISOMAT_ERROR_INVALID_HANDLE);
    assert_message_contains("product 1 of 2");
    assert_status(CALL(c, a, odd, 2), ISOMAT_ERROR_SHAPE_MISMATCH);
    assert_message_contains("product 1 of 2");
    assert_status(CALL(twice, a, a, 2), ISOMAT_ERROR_ALIAS);
    assert_message_contains("overlap");
    assert_status(CALL(c, a, c, 2), ISOMAT_ERROR_ALIAS); /* not the C of the same product alone */
    const isomat_matrix crossed[2] = {c[1], c[0]};
    assert_status(CALL(c, crossed, a, 2), ISOMAT_ERROR_ALIAS);
    assert_message_contains("A of product");
    assert_ok(isomat_matrix_view(&view, c[1], 0, 0, 4, 4));
    const isomat_matrix viewed[2] = {view, c[1]};
    assert_status(CALL(viewed, a, a, 2), ISOMAT_ERROR_ALIAS);
#undef CALL
    assert_float_equal(matrix_at(c[0], 3, 2), 302, 0); /* nothing was multiplied */
    assert_ok(isomat_matrix_destroy(view));
    assert_ok(isomat_matrix_destroy(wide));
    for (int p = 0; p < 2; p++) {
        assert_ok(isomat_matrix_destroy(a[p]));
        assert_ok(isomat_matrix_destroy(c[p]));
    }
}

static void bad_strides_are_refused(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix a = matrix_numbered(context, 4, 4), stack = matrix_numbered(context, 40, 4), c, late;

    assert_ok(isomat_matrix_view(&c, stack, 0, 0, 4, 4));
    assert_ok(isomat_matrix_view(&late, stack, 20, 0, 4, 4));
#define CALL(c, stride_c, a, stride_a, count)                                                                \
    isomat_gemm_strided_batched(c, stride_c, 1, a, N, stride_a, a, N, 0, 0, count, ISOMAT_COMPUTE_F32,       \
                                ISOMAT_NONE)
    assert_status(CALL(c, -16, a, 0, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("stride", "-16");
    assert_status(CALL(c, 16, a, 1, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("A", "end behind");
    assert_status(CALL(c, 16, a, 0, 11), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("C", "end behind");
    assert_status(CALL(c, 15, a, 0, 2), ISOMAT_ERROR_ALIAS);
    assert_status(CALL(c, 0, a, 0, 2), ISOMAT_ERROR_ALIAS);
    assert_status(CALL(c, 16, late, 0, 6), ISOMAT_ERROR_ALIAS);
    assert_message_contains("range");
    assert_status(CALL(c, INT64_MAX, a, 0, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(CALL(c, 16, a, 0, -2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_float_equal(matrix_at(stack, 3, 2), 302, 0);
    assert_ok(CALL(c, 16, late, 0, 5));
    assert_ok(CALL(c, 16, a, 0, 10));
#undef CALL
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(isomat_matrix_destroy(late));
    assert_ok(isomat_matrix_destroy(stack));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(sizes_of_all_kernels),    device_test(many_of_several_sizes),
        device_test(factors_of_zero),         device_test(shared_operands),
        device_test(same_bits_each_time),     device_test(strided_sizes),
        device_test(results_side_by_side),    device_test(other_modes),
        device_test(empty_batches),           device_test(bad_arrays_are_refused),
        device_test(bad_strides_are_refused),
    };
    int status = device_open(DEVICE_ANY);

    if (status)
        return status;
    sequence = operand_seed();
    return device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
