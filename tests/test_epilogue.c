/* SPDX-License-Identifier: MIT */
/* test_epilogue.c: isomat_gemm_epilogue against double precision, in every mode and type of C.
 *
 * A and B hold small whole numbers, alpha, beta, scale, bias, residual and C multiples of 1/16, so that
 * every sum is exact in every mode.  Without an activation, or with ReLU, C is then the exact result
 * rounded once, to the bit.  GELU and SiLU may be off by 2 * ACCURACY of |result| + |scale| besides.
 */
#include <math.h>

#include "tests/support/device.h"
#include "tests/support/operand.h"

#define F32 ISOMAT_TYPE_F32
#define F16 ISOMAT_TYPE_F16
#define BF16 ISOMAT_TYPE_BF16
#define F64 ISOMAT_TYPE_F64
#define GUARD 3 /* rows and columns around a matrix */
#define POISON 12345.0
#define ACCURACY 0x1p-20
#define ACCURACY_F64 0x1p-48

static uint64_t sequence;

/* A multiple of 1 / parts between -most and most. */
static double number(int most, int parts)
{
    return (double)((int64_t)operand_random(&sequence, (uint64_t)(2 * most * parts + 1)) - most * parts) /
           parts;
}

/* A matrix inside a larger one that is poison elsewhere, and its elements. */
struct grid {
    isomat_matrix whole, view;
    int64_t rows, cols;
    double *value;
};

static isomat_matrix from_doubles(isomat_context context, const double *value, int64_t rows, int64_t cols)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_from_host(&matrix, context, value, rows, cols, cols, F64, ISOMAT_NONE));
    return matrix;
}

static void upload(const struct grid *grid, isomat_context context)
{
    isomat_matrix doubles = from_doubles(context, grid->value, grid->rows, grid->cols);

    assert_ok(isomat_matrix_fill(grid->whole, POISON, ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(grid->view, doubles, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(doubles));
}

/* aligned: rows begin at multiples of 16 bytes. */
static struct grid make(isomat_context context, int32_t type, int64_t rows, int64_t cols, int aligned,
                        int most, int parts)
{
    struct grid grid = {.rows = rows, .cols = cols};
    const int64_t ld = aligned ? (cols + 2 * GUARD + 15) / 8 * 8 : cols + 2 * GUARD + 1 - cols % 2;

    grid.value = malloc((size_t)(rows * cols) * sizeof(double));
    assert_non_null(grid.value);
    for (int64_t i = 0; i < rows * cols; i++)
        grid.value[i] = number(most, parts);
    assert_ok(isomat_matrix_create(&grid.whole, context, rows + 2 * GUARD, ld, type, ISOMAT_NONE));
    assert_ok(isomat_matrix_view(&grid.view, grid.whole, GUARD, aligned ? 8 : GUARD, rows, cols));
    upload(&grid, context);
    return grid;
}

static void unmake(struct grid *grid)
{
    assert_ok(isomat_matrix_destroy(grid->view));
    assert_ok(isomat_matrix_destroy(grid->whole));
    free(grid->value);
}

/* What a matrix holds; the caller frees it. */
static double *download(isomat_context context, isomat_matrix matrix, int64_t rows, int64_t cols)
{
    double *value = malloc((size_t)(rows * cols) * sizeof(double));
    isomat_matrix doubles;

    assert_non_null(value);
    assert_ok(isomat_matrix_create(&doubles, context, rows, cols, F64, ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(doubles, matrix, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(value, cols, doubles, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(doubles));
    return value;
}

/* ------------------------------------------------------------------- checks */

struct problem {
    int64_t m, n, k;
    int32_t op_a, op_b, compute, c_type;
    double alpha, beta, scale;
    int32_t activation;
    int bias;     /* 0, 1 for one of each column, 2 of each row */
    int residual; /* 0, 1, or 2 for C itself */
    int32_t bias_type, residual_type;
    int aligned;
    int wide; /* magnitudes apart, which float32's split kernels refuse */
};

static int32_t operand_type(int32_t compute)
{
    return compute == ISOMAT_COMPUTE_F16    ? F16
           : compute == ISOMAT_COMPUTE_BF16 ? BF16
           : compute == ISOMAT_COMPUTE_F64  ? F64
                                            : F32;
}

static double activate(double x, int32_t activation)
{
    const double u = sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x);

    switch (activation) {
    case ISOMAT_ACTIVATION_RELU:
        return x > 0 ? x : 0;
    case ISOMAT_ACTIVATION_GELU:
        return x / 2 * erfc(-x / sqrt(2));
    case ISOMAT_ACTIVATION_GELU_TANH:
        return x / (1 + exp(-2 * u));
    case ISOMAT_ACTIVATION_SILU:
        return x / (1 + exp(-x));
    default:
        return x;
    }
}

/* The results before they are rounded to C's type; only every `stride`-th row. */
static double *expected(const struct problem *p, const struct grid *a, const struct grid *b,
                        const struct grid *c, const struct grid *bias, const struct grid *residual,
                        int64_t stride)
{
    double *exact = calloc((size_t)(p->m * p->n), sizeof(double));

    assert_non_null(exact);
    for (int64_t i = 0; i < p->m; i += stride) {
        double *row = exact + i * p->n;
        for (int64_t q = 0; q < p->k && p->alpha != 0; q++) {
            const double x = p->op_a ? a->value[q * p->m + i] : a->value[i * p->k + q];
            for (int64_t j = 0; x != 0 && j < p->n; j++)
                row[j] += x * (p->op_b ? b->value[j * p->k + q] : b->value[q * p->n + j]);
        }
        for (int64_t j = 0; j < p->n; j++) {
            double z = p->alpha * row[j] + (p->beta == 0 ? 0 : p->beta * c->value[i * p->n + j]);
            if (p->bias)
                z += bias->value[p->bias == 1 ? j : i];
            row[j] = p->scale * activate(z, p->activation) + (p->residual == 1 ? residual->value[i * p->n + j]
                                                              : p->residual == 2 ? c->value[i * p->n + j]
                                                                                 : 0);
        }
    }
    return exact;
}

static void print_case(const struct problem *p)
{
    print_error(
        "case: compute %d, %lldx%lldx%lld ops %d %d, C type %d, alpha %g beta %g scale %g, activation "
        "%d, bias %d of type %d, residual %d of type %d, aligned %d, wide %d\n",
        p->compute, (long long)p->m, (long long)p->n, (long long)p->k, p->op_a, p->op_b, p->c_type, p->alpha,
        p->beta, p->scale, p->activation, p->bias, p->bias_type, p->residual, p->residual_type, p->aligned,
        p->wide);
}

static int is_smooth(int32_t activation)
{
    return activation > ISOMAT_ACTIVATION_RELU;
}

/* exact, rounded: what C should be before and after rounding to its type. */
static int is_right(const struct problem *p, double got, double exact, double rounded)
{
    static const double half_unit[] = {[F32] = 0x1p-24, [F16] = 0x1p-11, [BF16] = 0x1p-8, [F64] = 0x1p-53};
    const double accuracy = p->compute == ISOMAT_COMPUTE_F64 ? ACCURACY_F64 : ACCURACY;

    if (!is_smooth(p->activation))
        return got == rounded;
    return fabs(got - exact) <= (accuracy + half_unit[p->c_type]) * (fabs(exact) + fabs(p->scale)) * 2;
}

static void check_result(const struct problem *p, isomat_context context, const struct grid *c,
                         const double *exact, int64_t stride)
{
    struct grid rounded = make(context, p->c_type, p->m, p->n, p->aligned, 0, 1);
    isomat_matrix_info info = {.struct_size = sizeof(info)};

    memcpy(rounded.value, exact, (size_t)(p->m * p->n) * sizeof(double));
    upload(&rounded, context);
    assert_ok(isomat_matrix_get_info(&info, c->whole));
    double *want = download(context, rounded.whole, info.rows, info.cols);
    double *got = download(context, c->whole, info.rows, info.cols);
    const int64_t left = p->aligned ? 8 : GUARD;
    for (int64_t i = 0; i < info.rows; i++)
        for (int64_t j = 0; j < info.cols; j++) {
            const int64_t row = i - GUARD, col = j - left;
            const int inside = row >= 0 && row < p->m && col >= 0 && col < p->n;
            const double found = got[i * info.cols + j], wanted = want[i * info.cols + j];
            if (inside && row % stride != 0)
                continue;
            if (inside ? !is_right(p, found, exact[row * p->n + col], wanted) : found != wanted) {
                print_error("(%lld, %lld) is %.9g, should be %.9g\n", (long long)row, (long long)col, found,
                            wanted);
                print_case(p);
                fail();
            }
        }
    free(want);
    free(got);
    unmake(&rounded);
}

/* Where the sums stay exact, but the smaller elements of A would be lost beside its largest. */
static void widen(struct grid *a, struct grid *b, const struct problem *p, isomat_context context)
{
    for (int64_t i = 0; i < p->m; i++)
        a->value[p->op_a ? i : i * p->k] = 0x1p40;
    for (int64_t j = 0; j < p->n; j++)
        b->value[p->op_b ? j * p->k : j] = 0;
    upload(a, context);
    upload(b, context);
}

static void check(isomat_context context, const struct problem *p)
{
    const int32_t type = operand_type(p->compute);
    const int64_t stride = p->m * p->n * p->k > 100000000 ? 61 : 1;
    struct grid a = make(context, type, p->op_a ? p->k : p->m, p->op_a ? p->m : p->k, p->aligned, 2, 1);
    struct grid b = make(context, type, p->op_b ? p->n : p->k, p->op_b ? p->k : p->n, p->aligned, 2, 1);
    struct grid c = make(context, p->c_type, p->m, p->n, p->aligned, 2, 4);
    struct grid bias =
        make(context, p->bias_type, p->bias == 2 ? p->m : 1, p->bias == 2 ? 1 : p->n, p->aligned, 2, 16);
    struct grid residual = make(context, p->residual_type, p->m, p->n, p->aligned, 3, 4);
    const isomat_epilogue epilogue = {
        .struct_size = sizeof(epilogue),
        .activation = p->activation,
        .bias = p->bias ? bias.view : ISOMAT_NONE,
        .residual = p->residual == 1   ? residual.view
                    : p->residual == 2 ? c.view
                                       : ISOMAT_NONE,
        .scale = p->scale,
    };

    if (p->wide)
        widen(&a, &b, p, context);
    double *exact = expected(p, &a, &b, &c, &bias, &residual, stride);
    const int32_t status = isomat_gemm_epilogue(&c.view, p->alpha, a.view, p->op_a, b.view, p->op_b, p->beta,
                                                &epilogue, p->compute, ISOMAT_NONE);
    if (status != ISOMAT_OK) {
        print_error("%s\n", isomat_error_message());
        print_case(p);
        fail();
    }
    check_result(p, context, &c, exact, stride);
    free(exact);
    unmake(&a);
    unmake(&b);
    unmake(&c);
    unmake(&bias);
    unmake(&residual);
}

/* -------------------------------------------------------------------- tests */

static int has_mode(int32_t compute)
{
    return compute <= ISOMAT_COMPUTE_F32_STRICT || compute == ISOMAT_COMPUTE_F64 || device_capability() >= 80;
}

/* Everything of an epilogue drawn by lot. */
static struct problem drawn(int64_t m, int64_t n, int64_t k, int32_t compute)
{
    static const double factors[] = {1, 1, -0.5, 0.0625}, betas[] = {0, 0, 1, -0.5}, scales[] = {1, 0.5, -2};
    const uint64_t types = compute == ISOMAT_COMPUTE_F64 ? 4 : 3;
    struct problem p = {.m = m, .n = n, .k = k, .compute = compute};

    p.op_a = (int32_t)operand_random(&sequence, 2);
    p.op_b = (int32_t)operand_random(&sequence, 2);
    p.c_type = F32 + (int32_t)operand_random(&sequence, types);
    p.bias_type = F32 + (int32_t)operand_random(&sequence, types);
    p.residual_type = F32 + (int32_t)operand_random(&sequence, types);
    p.alpha = factors[operand_random(&sequence, 4)];
    p.beta = betas[operand_random(&sequence, 4)];
    p.scale = scales[operand_random(&sequence, 3)];
    p.activation = (int32_t)operand_random(&sequence, 5);
    p.bias = (int)operand_random(&sequence, 3);
    p.residual = (int)operand_random(&sequence, 3);
    p.aligned = (int)operand_random(&sequence, 2);
    return p;
}

static void every_mode_and_type(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 1},    {1, 70, 33},  {65, 1, 130},  {3, 129, 64},
                                        {130, 5, 40}, {33, 31, 17}, {64, 128, 64}, {100, 97, 31}};

    for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= ISOMAT_COMPUTE_F64; compute++)
        for (size_t s = 0; s < TEST_COUNT(shapes) && has_mode(compute); s++)
            for (int32_t activation = 0; activation <= ISOMAT_ACTIVATION_SILU; activation++) {
                struct problem p = drawn(shapes[s][0], shapes[s][1], shapes[s][2], compute);
                p.activation = activation;
                if (activation > ISOMAT_ACTIVATION_RELU)
                    p.alpha = 0.0625; /* where they are not straight */
                check(device_context(state), &p);
            }
}

/* C of another type, and nothing else: by isomat_gemm. */
static void plain_products_write_every_type(void **state)
{
    isomat_context context = device_context(state);

    for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= ISOMAT_COMPUTE_F64; compute++)
        for (int32_t c_type = F32; c_type <= (compute == ISOMAT_COMPUTE_F64 ? F64 : BF16); c_type++) {
            const struct problem p = {.m = 37,
                                      .n = 50,
                                      .k = 20,
                                      .compute = compute,
                                      .c_type = c_type,
                                      .alpha = 1,
                                      .beta = -0.5,
                                      .scale = 1};
            if (!has_mode(compute))
                continue;
            struct grid a = make(context, operand_type(compute), p.m, p.k, 0, 2, 1);
            struct grid b = make(context, operand_type(compute), p.k, p.n, 0, 2, 1);
            struct grid c = make(context, c_type, p.m, p.n, 0, 2, 4);
            double *exact = expected(&p, &a, &b, &c, NULL, NULL, 1);
            assert_ok(isomat_gemm(&c.view, 1, a.view, 0, b.view, 0, -0.5, compute, ISOMAT_NONE));
            check_result(&p, context, &c, exact, 1);
            free(exact);
            unmake(&a);
            unmake(&b);
            unmake(&c);
        }
}

/* k in parts, and where there is nothing to multiply. */
static void sums_of_parts_and_of_nothing(void **state)
{
    for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= ISOMAT_COMPUTE_F64; compute++)
        for (int i = 0; i < 6 && has_mode(compute); i++) {
            struct problem p = drawn(i % 2 ? 40 : 3, 24, 2100, compute);
            if (compute == ISOMAT_COMPUTE_F64 || compute <= ISOMAT_COMPUTE_F32_STRICT || i < 2)
                check(device_context(state), &p);
            p.k = i % 2 ? 8 : 0;
            p.alpha = 0;
            check(device_context(state), &p);
        }
}

/* Large enough for each kernel of a GPU, and with operands that the split kernels refuse. */
static void large_products(void **state)
{
    static const int64_t shapes[][3] = {
        {1030, 1100, 520}, {2500, 2100, 300}, {520, 520, 9000}, {300, 4100, 70}};

    if (device_is_host())
        skip();
    for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= ISOMAT_COMPUTE_F64; compute++)
        for (size_t s = 0; s < TEST_COUNT(shapes); s++)
            for (int i = 0; i < 4; i++) {
                struct problem p = drawn(shapes[s][0], shapes[s][1], shapes[s][2], compute);
                p.wide = i == 3 && compute <= ISOMAT_COMPUTE_TF32;
                check(device_context(state), &p);
            }
}

static void same_bits_every_time(void **state)
{
    enum { M = 150, N = 140, K = 600, TIMES = 100 };
    isomat_context context = device_context(state);

    for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= ISOMAT_COMPUTE_F64; compute++) {
        if (!has_mode(compute))
            continue;
        struct grid a = make(context, operand_type(compute), M, K, 1, 1, 100);
        struct grid b = make(context, operand_type(compute), K, N, 1, 1, 100);
        struct grid bias = make(context, F32, 1, N, 1, 1, 100);
        const isomat_epilogue epilogue = {.struct_size = sizeof(epilogue),
                                          .scale = 1,
                                          .activation = ISOMAT_ACTIVATION_GELU,
                                          .bias = bias.view};
        double *first = NULL;
        for (int i = 0; i < (device_is_host() ? 5 : TIMES); i++) {
            isomat_matrix c;
            assert_ok(isomat_matrix_create(&c, context, M, N, F32, ISOMAT_NONE));
            assert_ok(
                isomat_gemm_epilogue(&c, 0.1, a.view, 0, b.view, 0, 0, &epilogue, compute, ISOMAT_NONE));
            double *now = download(context, c, M, N);
            assert_ok(isomat_matrix_destroy(c));
            if (first)
                assert_memory_equal(first, now, M * N * sizeof(double));
            free(first);
            first = now;
        }
        free(first);
        unmake(&a);
        unmake(&b);
        unmake(&bias);
    }
}

static void a_new_c_is_made(void **state)
{
    const double one[] = {2, 3}, bias[] = {-7};
    isomat_context context = device_context(state);
    isomat_matrix doubles = from_doubles(context, one, 1, 2), row, b, c = ISOMAT_NONE;
    isomat_epilogue epilogue = {.struct_size = sizeof(epilogue), .scale = 1};

    assert_ok(isomat_matrix_create(&row, context, 1, 2, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(row, doubles, ISOMAT_NONE));
    b = from_doubles(context, bias, 1, 1);
    epilogue.activation = ISOMAT_ACTIVATION_RELU;
    assert_ok(isomat_gemm_epilogue(&c, 1, row, 0, row, 1, 0, &epilogue, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    double *got = download(context, c, 1, 1);
    assert_true(got[0] == 13);
    free(got);
    assert_ok(isomat_matrix_destroy(c));
    c = ISOMAT_NONE;
    epilogue.bias = b; /* float64 */
    assert_status(isomat_gemm_epilogue(&c, 1, row, 0, row, 1, 0, &epilogue, ISOMAT_COMPUTE_F32, ISOMAT_NONE),
                  ISOMAT_ERROR_TYPE_MISMATCH);
    assert_message_contains("bias", "f64");
    assert_int_equal(c, ISOMAT_NONE);
    assert_ok(isomat_matrix_destroy(row));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(doubles));
}

/* A captured sequence has epilogues, but no room for sums beside C. */
static void epilogues_are_captured(void **state)
{
    enum { M = 33, N = 20, K = 15 };
    isomat_context context = device_context(state);
    struct grid a = make(context, F32, M, K, 0, 2, 1), b = make(context, F32, K, N, 0, 2, 1);
    struct grid c = make(context, F32, M, N, 0, 2, 1), bias = make(context, F16, 1, N, 0, 2, 1);
    const struct problem p = {.m = M,
                              .n = N,
                              .k = K,
                              .compute = ISOMAT_COMPUTE_F32_STRICT,
                              .c_type = F32,
                              .alpha = 1,
                              .scale = 2,
                              .bias = 1,
                              .activation = ISOMAT_ACTIVATION_RELU};
    const isomat_epilogue epilogue = {
        .struct_size = sizeof(epilogue), .activation = p.activation, .bias = bias.view, .scale = p.scale};
    isomat_matrix shorter;
    isomat_graph graph;

    assert_ok(isomat_matrix_create(&shorter, context, M, N, F16, ISOMAT_NONE));
    assert_ok(isomat_graph_begin(context, ISOMAT_NONE));
    assert_ok(isomat_gemm_epilogue(&c.view, 1, a.view, 0, b.view, 0, 0, &epilogue, p.compute, ISOMAT_NONE));
    assert_status(
        isomat_gemm_epilogue(&shorter, 1, a.view, 0, b.view, 0, 0, &epilogue, p.compute, ISOMAT_NONE),
        ISOMAT_ERROR_CAPTURE);
    assert_message_contains("epilogue", "beside C");
    assert_ok(isomat_graph_end(&graph, context, ISOMAT_NONE));
    double *exact = expected(&p, &a, &b, &c, &bias, NULL, 1);
    for (int i = 0; i < 3; i++)
        assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    check_result(&p, context, &c, exact, 1);
    free(exact);
    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_matrix_destroy(shorter));
    unmake(&a);
    unmake(&b);
    unmake(&c);
    unmake(&bias);
}

static void wrong_epilogues_are_refused(void **state)
{
    isomat_context context = device_context(state), other;
    isomat_matrix a, b, c, d, elsewhere, shifted;
    isomat_epilogue e = {.struct_size = sizeof(e), .scale = 1};

    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_matrix_create(&a, context, 4, 6, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&b, context, 6, 5, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&d, context, 8, 10, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_view(&c, d, 0, 0, 4, 5));
    assert_ok(isomat_matrix_view(&shifted, d, 1, 0, 4, 5));
    assert_ok(isomat_matrix_create(&elsewhere, other, 1, 5, F32, ISOMAT_NONE));
#define REFUSED(status, ...)                                                                                 \
    do {                                                                                                     \
        assert_status(isomat_gemm_epilogue(&c, 1, a, 0, b, 0, 0, &e, ISOMAT_COMPUTE_F32, ISOMAT_NONE),       \
                      status);                                                                               \
        assert_message_contains(__VA_ARGS__);                                                                \
        e = (isomat_epilogue){.struct_size = sizeof(e), .scale = 1};                                         \
    } while (0)
    e.struct_size = 8;
    REFUSED(ISOMAT_ERROR_INVALID_ARGUMENT, "struct_size");
    e.activation = 5;
    REFUSED(ISOMAT_ERROR_INVALID_ARGUMENT, "activation", "5");
    e.activation = -1;
    REFUSED(ISOMAT_ERROR_INVALID_ARGUMENT, "activation", "-1");
    e.scale = 0;
    REFUSED(ISOMAT_ERROR_INVALID_ARGUMENT, "scale", "1");
    e.scale = 1e-60; /* 0 in float32 */
    REFUSED(ISOMAT_ERROR_INVALID_ARGUMENT, "scale", "1e-60");
    e.bias = a;
    REFUSED(ISOMAT_ERROR_SHAPE_MISMATCH, "bias", "4 x 6", "1 x 5", "4 x 1");
    e.residual = a;
    REFUSED(ISOMAT_ERROR_SHAPE_MISMATCH, "residual", "4 x 6", "4 x 5");
    e.bias = elsewhere;
    REFUSED(ISOMAT_ERROR_CONTEXT_MISMATCH, "bias");
    e.bias = (uint64_t)context;
    REFUSED(ISOMAT_ERROR_WRONG_KIND, "matrix");
    e.residual = shifted;
    REFUSED(ISOMAT_ERROR_ALIAS, "residual");
#undef REFUSED
    assert_status(isomat_gemm_epilogue(&c, 1, a, 0, b, 0, 0, NULL, ISOMAT_COMPUTE_F32, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("epilogue");
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(isomat_matrix_destroy(shifted));
    assert_ok(isomat_matrix_destroy(d));
    assert_ok(isomat_matrix_destroy(elsewhere));
    assert_ok(isomat_context_destroy(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(every_mode_and_type),          device_test(plain_products_write_every_type),
        device_test(sums_of_parts_and_of_nothing), device_test(large_products),
        device_test(same_bits_every_time),         device_test(a_new_c_is_made),
        device_test(epilogues_are_captured),       device_test(wrong_epilogues_are_refused),
    };
    int status = device_open(DEVICE_ANY);

    sequence = operand_seed();
    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
