/* SPDX-License-Identifier: MIT */
/* test_gemm_f64.c: multiplication of float64 against long double, by isomat_gemm and each kernel by its name.
 *
 * With |A||B| the product of the magnitudes, k products and sums of one rounding each keep
 *
 *   |c - exact| <= (k + 3) u (|alpha| |A||B| + |beta C|),   u = 2^-53
 *
 * to first order; the reference adds at most k 2^-64 of the same where long double has 64 bits.
 */
#include <float.h>
#include <math.h>

#include "kernels/abi.h"
#include "kernels/f64_tiles.h"
#include "kernels/gemm_tiles.h"
#include "tests/support/operand.h"
#include "tests/support/work.h"

#define F64 ISOMAT_TYPE_F64
#define COMPUTE ISOMAT_COMPUTE_F64
#define GUARD 37 /* elements before and behind */
#define SLACK (1 + 1e-3)

static uint64_t sequence;

/* ----------------------------------------------------------------- operands */

enum fill { SIGNED, POSITIVE, WHOLE, NOT_A_NUMBER };

/* A matrix inside poisoned device memory, and the copy of all of it on the host. */
struct matrix {
    isomat_context context;
    uint64_t memory;
    isomat_matrix handle;
    double *host;
    int64_t rows, cols, ld, first, total;
};

static double poison(void)
{
    const uint64_t bits = 0x7ff8000000c0ffee;
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static double number(enum fill fill)
{
    const double uniform = (double)(operand_random(&sequence, 1ULL << 53) + 1) * 0x1p-53;

    return fill == SIGNED     ? 2 * uniform - 1
           : fill == POSITIVE ? uniform
           : fill == WHOLE    ? floor(uniform * 17) - 8
                              : (double)NAN;
}

/* Rows as they are stored; odd ones begin at odd elements. */
static void make(struct matrix *x, isomat_context context, int64_t rows, int64_t cols, int odd,
                 enum fill fill)
{
    *x = (struct matrix){.context = context, .rows = rows, .cols = cols, .first = GUARD + !odd};
    x->ld = cols + 2 + (cols % 2 != odd);
    x->total = x->first + rows * x->ld + GUARD;
    x->host = malloc((size_t)x->total * sizeof(double));
    assert_non_null(x->host);
    for (int64_t i = 0; i < x->total; i++)
        x->host[i] = poison();
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            x->host[x->first + i * x->ld + j] = number(fill);
    assert_ok(isomat_memory_allocate(&x->memory, x->total * 8, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_device(x->memory, x->host, x->total * 8, context, ISOMAT_NONE));
    assert_ok(isomat_matrix_adopt(&x->handle, context, x->memory + (uint64_t)x->first * 8, rows, cols, x->ld,
                                  F64, ISOMAT_ADOPT_BORROW));
}

static void unmake(struct matrix *x)
{
    assert_ok(isomat_matrix_destroy(x->handle));
    assert_ok(isomat_memory_free(x->memory, x->context, ISOMAT_NONE));
    free(x->host);
}

static double *download(const struct matrix *x)
{
    double *now = malloc((size_t)x->total * sizeof(double));

    assert_non_null(now);
    assert_ok(isomat_memory_copy_to_host(now, x->memory, x->total * 8, x->context, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(x->context));
    return now;
}

static double at(const struct matrix *x, const double *data, int64_t i, int64_t j, int32_t op)
{
    return data[x->first + (op ? j * x->ld + i : i * x->ld + j)];
}

/* ------------------------------------------------------------------- checks */

struct problem {
    int64_t m, n, k;
    int32_t op_a, op_b;
    double alpha, beta;
    int odd_a, odd_b, odd_c;
    enum fill fill;
};

static void check_element(const struct problem *p, double got, long double exact, long double size)
{
    const long double bound = (long double)(p->k + 3) * 0x1p-53L * SLACK * size + 2 * DBL_TRUE_MIN;

    if (p->fill == WHOLE && p->alpha == 1 ? got == (double)exact : fabsl(got - exact) <= bound)
        return;
    print_error(
        "%lldx%lldx%lld, ops %d %d, alpha %g, beta %g, odd %d %d %d: %.17g, should be %.17g +- %.3g\n",
        (long long)p->m, (long long)p->n, (long long)p->k, p->op_a, p->op_b, p->alpha, p->beta, p->odd_a,
        p->odd_b, p->odd_c, got, (double)exact, (double)bound);
    fail();
}

static void check(const struct problem *p, const struct matrix *a, const struct matrix *b,
                  const struct matrix *c)
{
    double *now = download(c);

    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            const long double old = p->beta == 0 ? 0 : (long double)p->beta * at(c, c->host, i, j, 0);
            long double sum = 0, size = 0;
            for (int64_t k = 0; k < p->k && p->alpha != 0; k++) {
                const long double x =
                    (long double)at(a, a->host, i, k, p->op_a) * at(b, b->host, k, j, p->op_b);
                sum += x;
                size += fabsl(x);
            }
            check_element(p, at(c, now, i, j, 0), p->alpha * sum + old,
                          fabsl((long double)p->alpha) * size + fabsl(old));
            now[c->first + i * c->ld + j] = at(c, c->host, i, j, 0);
        }
    assert_memory_equal(now, c->host, (size_t)c->total * 8); /* the guard bands */
    free(now);
}

static void check_intact(const struct matrix *x)
{
    double *now = download(x);

    assert_memory_equal(now, x->host, (size_t)x->total * 8);
    free(now);
}

typedef void submitter(const struct problem *p, const struct matrix *a, const struct matrix *b,
                       const struct matrix *c, void *how);

static void run(isomat_context context, const struct problem *p, submitter *submit, void *how)
{
    struct matrix a, b, c;

    make(&a, context, p->op_a ? p->k : p->m, p->op_a ? p->m : p->k, p->odd_a,
         p->alpha == 0 ? NOT_A_NUMBER : p->fill);
    make(&b, context, p->op_b ? p->n : p->k, p->op_b ? p->k : p->n, p->odd_b, p->fill);
    make(&c, context, p->m, p->n, p->odd_c, p->beta == 0 ? NOT_A_NUMBER : p->fill);
    submit(p, &a, &b, &c, how);
    check(p, &a, &b, &c);
    check_intact(&a);
    check_intact(&b);
    unmake(&a);
    unmake(&b);
    unmake(&c);
}

static void submit_gemm(const struct problem *p, const struct matrix *a, const struct matrix *b,
                        const struct matrix *c, void *how)
{
    isomat_matrix result = c->handle;

    (void)how;
    assert_ok(isomat_gemm(&result, p->alpha, a->handle, p->op_a, b->handle, p->op_b, p->beta, COMPUTE,
                          ISOMAT_NONE));
}

/* ------------------------------------------------------------- isomat_gemm */

/* alpha and beta that float32 does not hold. */
static const struct {
    double alpha, beta;
} factors[] = {{1, 0}, {0.1, 0}, {-1.0 / 3, 1}, {1, -0.7}, {0, 0.3}, {0x1p-200, 0x1p-210}};

static const int64_t shapes[][3] = {{1, 1, 1},   {1, 40, 33},  {40, 1, 33},   {2, 3, 700},  {7, 5, 0},
                                    {33, 31, 8}, {64, 64, 64}, {65, 130, 17}, {129, 66, 40}};

static void every_shape_op_and_factor(void **state)
{
    int turn = 0;

    for (size_t s = 0; s < TEST_COUNT(shapes); s++)
        for (int ops = 0; ops < 4; ops++)
            for (size_t f = 0; f < TEST_COUNT(factors); f++, turn++) {
                const struct problem p = {.m = shapes[s][0],
                                          .n = shapes[s][1],
                                          .k = shapes[s][2],
                                          .op_a = ops / 2,
                                          .op_b = ops % 2,
                                          .alpha = factors[f].alpha,
                                          .beta = factors[f].beta,
                                          .odd_a = turn % 2,
                                          .odd_b = turn / 2 % 2,
                                          .odd_c = turn / 4 % 2,
                                          .fill = turn % 3};
                if (s >= 6 && (turn + ops) % 3 != 0) /* large ones by turns */
                    continue;
                run(device_context(state), &p, submit_gemm, NULL);
            }
}

static isomat_matrix matrix_of(isomat_context context, const double *data, int64_t rows, int64_t cols)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_from_host(&matrix, context, data, rows, cols, cols, F64, ISOMAT_NONE));
    return matrix;
}

/* Rows of A by a column of B, into a new matrix. */
static void values_beyond_float32(void **state)
{
    const double rows[][2] = {{1e300, 1},       {1e-320, 0},       {INFINITY, 1}, {INFINITY, -INFINITY},
                              {(double)NAN, 1}, {1 + 0x1p-52, -1}, {1e300, 1e300}};
    const double column[] = {1, 1};
    const double wanted[] = {1e300, 1e-320, INFINITY, (double)NAN, (double)NAN, 0x1p-52, 2e300};
    double got[7];
    isomat_matrix a = matrix_of(device_context(state), &rows[0][0], 7, 2),
                  b = matrix_of(device_context(state), column, 2, 1), c = ISOMAT_NONE;
    isomat_matrix_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_gemm(&c, 1, a, 0, b, 0, 0, COMPUTE, ISOMAT_NONE));
    assert_ok(isomat_matrix_get_info(&info, c));
    assert_int_equal(info.type, F64);
    assert_ok(isomat_matrix_to_host(got, 1, c, ISOMAT_NONE));
    for (int i = 0; i < 7; i++)
        assert_true(isnan(wanted[i]) ? isnan(got[i]) : got[i] == wanted[i]);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(c));
}

/* Long k and few results: parts side by side, the same bits each time. */
static void long_k_is_cut_into_parts(void **state)
{
    enum { M = 9, N = 6, K = 3000 };
    const struct problem p = {.m = M, .n = N, .k = K, .alpha = 1.7, .beta = 0.2, .fill = POSITIVE};
    double first[M * N], again[M * N];
    struct matrix a, b;

    run(device_context(state), &p, submit_gemm, NULL);
    make(&a, device_context(state), M, K, 0, SIGNED);
    make(&b, device_context(state), K, N, 0, SIGNED);
    for (int round = 0; round < (device_is_host() ? 3 : 100); round++) {
        isomat_matrix c;
        assert_ok(isomat_matrix_create(&c, device_context(state), M, N, F64, ISOMAT_NONE));
        const int64_t before = device_is_host() ? device_host_calls("cuLaunchKernel") : 0;
        assert_ok(isomat_gemm(&c, 1, a.handle, 0, b.handle, 0, 0, COMPUTE, ISOMAT_NONE));
        if (device_is_host())
            assert_int_equal(device_host_calls("cuLaunchKernel") - before, 2);
        assert_ok(isomat_matrix_to_host(again, N, c, ISOMAT_NONE));
        if (round == 0)
            memcpy(first, again, sizeof(first));
        assert_memory_equal(first, again, sizeof(first));
        assert_ok(isomat_matrix_destroy(c));
    }
    unmake(&a);
    unmake(&b);
}

static void types_are_not_mixed(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix f64, f32, c = ISOMAT_NONE;

    assert_ok(isomat_matrix_create(&f64, context, 4, 4, F64, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&f32, context, 4, 4, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_status(isomat_gemm(&c, 1, f64, 0, f32, 0, 0, COMPUTE, ISOMAT_NONE), ISOMAT_ERROR_TYPE_MISMATCH);
    assert_message_contains("B", "f32", "F64", "f64");
    assert_status(isomat_gemm(&c, 1, f64, 0, f64, 0, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE),
                  ISOMAT_ERROR_TYPE_MISMATCH);
    assert_message_contains("A", "f64", "F32");
    assert_status(isomat_gemm(&f64, 1, f64, 0, f64, 0, 0, COMPUTE, ISOMAT_NONE), ISOMAT_ERROR_ALIAS);
    assert_status(isomat_matrix_prepare(f32, ISOMAT_OPERAND_A, 0, COMPUTE, ISOMAT_NONE),
                  ISOMAT_ERROR_TYPE_MISMATCH);
    assert_ok(isomat_matrix_prepare(f64, ISOMAT_OPERAND_A, 0, COMPUTE, ISOMAT_NONE)); /* nothing to make */
    assert_ok(isomat_matrix_destroy(f64));
    assert_ok(isomat_matrix_destroy(f32));
}

/* ------------------------------------------------------------ each kernel */

static const struct kernel {
    const char *name;
    int op_a, op_b, bm, bn, bk, threads, shared_bytes;
} kernels[] = {
#define KERNEL(layout, ta, tb, bm, bn, bk, wx, wy, stages, threads, blocks)                                  \
    {"isomat_gemm_f64_" #layout "_" #bm "x" #bn "x" #bk, ta, tb, bm, bn, bk, threads,                        \
     ISOMAT_GEMM_F64_SHARED_BYTES(bm, bn, bk, stages)},
    ISOMAT_GEMM_F64_KERNELS(KERNEL)
#undef KERNEL
};

struct named {
    const struct kernel *kernel;
    isomat_kernel handle;
};

static void submit_named(const struct problem *p, const struct matrix *a, const struct matrix *b,
                         const struct matrix *c, void *how)
{
    const struct named *named = how;
    const struct kernel *kernel = named->kernel;
    const struct isomat_gemm_f64_args args = {
        .a = a->memory + (uint64_t)a->first * 8,
        .b = b->memory + (uint64_t)b->first * 8,
        .c = c->memory + (uint64_t)c->first * 8,
        .lda = a->ld,
        .ldb = b->ld,
        .ldc = c->ld,
        .m = (int32_t)p->m,
        .n = (int32_t)p->n,
        .k = (int32_t)p->k,
        .flags = (p->odd_a ? 0 : ISOMAT_VECTOR_A) | (p->odd_b ? 0 : ISOMAT_VECTOR_B) |
                 (p->odd_c ? 0 : ISOMAT_VECTOR_C),
        .alpha = p->alpha,
        .beta = p->beta,
    };
    isomat_launch launch = work_launch((uint32_t)ISOMAT_GEMM_GRID(p->m, p->n, kernel->bm, kernel->bn),
                                       (uint32_t)kernel->threads, ISOMAT_NONE);
    launch.shared_bytes = (uint32_t)kernel->shared_bytes;
    assert_ok(isomat_kernel_launch_packed(named->handle, &launch, &args, sizeof(args)));
}

static void each_kernel_is_right_at_its_edges(void **state)
{
    isomat_context context = device_context(state);
    isomat_device_info info = {.struct_size = sizeof(info)};
    isomat_module module;
    int left_out = 0;

    assert_ok(isomat_device_get_info(&info, 0));
    assert_ok(isomat_module_load_embedded(&module, context, "gemm_f64"));
    for (size_t i = 0; i < TEST_COUNT(kernels); i++) {
        const struct kernel *kernel = &kernels[i];
        struct named named = {.kernel = kernel};
        if (kernel->shared_bytes > info.shared_per_block_optin_bytes) {
            left_out++;
            continue;
        }
        assert_ok(isomat_kernel_get(&named.handle, module, kernel->name));
        for (int turn = 0; turn < 8; turn++) {
            const struct problem p = {.m = turn % 4 == 0   ? kernel->bm
                                           : turn % 4 == 1 ? 1
                                                           : kernel->bm + turn,
                                      .n = turn % 4 == 0   ? kernel->bn
                                           : turn % 4 == 2 ? 1
                                                           : kernel->bn + 5,
                                      .k = turn % 4 == 3 ? 1 : (turn / 4 + 1) * kernel->bk + turn % 4 * 3,
                                      .op_a = kernel->op_a,
                                      .op_b = kernel->op_b,
                                      .alpha = turn == 0 ? 1 : 0.3,
                                      .beta = turn % 2 ? 0.9 : 0,
                                      .odd_a = turn % 2,
                                      .odd_b = turn / 2 % 2,
                                      .odd_c = turn / 4,
                                      .fill = turn == 0 ? WHOLE : turn % 2};
            run(context, &p, submit_named, &named);
        }
        assert_ok(isomat_kernel_destroy(named.handle));
    }
    assert_true(left_out <= 8); /* the two smaller tiles fit any device */
    assert_ok(isomat_module_destroy(module));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(every_shape_op_and_factor),         device_test(values_beyond_float32),
        device_test(long_k_is_cut_into_parts),          device_test(types_are_not_mixed),
        device_test(each_kernel_is_right_at_its_edges),
    };
    int status = device_open(DEVICE_ANY);

    sequence = operand_seed();
    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
