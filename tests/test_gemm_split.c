/* SPDX-License-Identifier: MIT */
/* test_gemm_split.c: ISOMAT_COMPUTE_F32 at sizes where tensor cores take part, on inputs made to break it.
 *
 * There float32 is split into two float16 numbers with a scale for each row and column.  Inputs that
 * this cannot hold must be found on the device and go the exact way.  On devices without that the same
 * results are asked of the strict kernels.
 */
#include <math.h>

#include "tests/support/device.h"
#include "tests/support/reference.h"

#define N ISOMAT_OP_N
#define T ISOMAT_OP_T
#define F32 ISOMAT_TYPE_F32

enum { ROWS = 900, COLS = 700, DEPTH = 900 }; /* ragged, and enough work for tensor cores to be chosen */

/* Inputs, element by element: A is ROWS x DEPTH, B is DEPTH x COLS. */
struct input {
    const char *name;
    float (*a)(int64_t i, int64_t p, uint64_t *random);
    float (*b)(int64_t p, int64_t j, uint64_t *random);
};

static float uniform(uint64_t *random)
{
    return (float)operand_random(random, 1 << 24) * 0x1p-24f;
}

static float signed_uniform(uint64_t *random)
{
    return uniform(random) - 0.5f;
}

static int exponent(uint64_t *random, int range)
{
    return (int)operand_random(random, (uint64_t)(2 * range + 1)) - range;
}

/* The same exponent for all that share a place along k. */
static int grade(int64_t p)
{
    return (int)(((uint64_t)p * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % 41 - 20;
}

static float positive(int64_t i, int64_t j, uint64_t *random)
{
    (void)i, (void)j;
    return uniform(random);
}

static float plain(int64_t i, int64_t j, uint64_t *random)
{
    (void)i, (void)j;
    return signed_uniform(random);
}

static float wide20(int64_t i, int64_t j, uint64_t *random)
{
    (void)i, (void)j;
    return ldexpf(signed_uniform(random), exponent(random, 20));
}

static float wide60(int64_t i, int64_t j, uint64_t *random)
{
    (void)i, (void)j;
    return ldexpf(signed_uniform(random), exponent(random, 60));
}

static float graded_a(int64_t i, int64_t p, uint64_t *random)
{
    (void)i;
    return ldexpf(signed_uniform(random), grade(p));
}

static float graded_b(int64_t p, int64_t j, uint64_t *random)
{
    (void)j;
    return ldexpf(signed_uniform(random), -grade(p));
}

static float one_huge(int64_t i, int64_t p, uint64_t *random)
{
    return p == (i * 7) % DEPTH ? 0x1p60f : signed_uniform(random);
}

/* Rows of every size, from the smallest denormals to nearly overflow. */
static float scaled_rows(int64_t i, int64_t p, uint64_t *random)
{
    (void)p;
    return ldexpf(signed_uniform(random), (int)(i % 200) - 140);
}

static float tiny(int64_t i, int64_t p, uint64_t *random)
{
    (void)i, (void)p;
    return ldexpf((float)(operand_random(random, 64)), -149);
}

static float zero_rows(int64_t i, int64_t p, uint64_t *random)
{
    (void)p;
    return i % 3 == 0 ? 0.0f : signed_uniform(random);
}

static float some_infinity(int64_t i, int64_t p, uint64_t *random)
{
    return i == 17 && p == 5 ? INFINITY : signed_uniform(random);
}

static float some_nan(int64_t p, int64_t j, uint64_t *random)
{
    return p == 800 && j == 699 ? NAN : signed_uniform(random);
}

static float largest(int64_t i, int64_t p, uint64_t *random)
{
    (void)i, (void)p;
    return operand_random(random, 2) ? 3.4e38f : -3.4e38f;
}

static float small(int64_t p, int64_t j, uint64_t *random)
{
    (void)p, (void)j;
    return ldexpf(signed_uniform(random), -20);
}

static const struct input inputs[] = {
    {"uniform", plain, plain},
    {"positive", positive, positive},
    {"exponents of 20", wide20, wide20},
    {"exponents of 60", wide60, wide60},
    {"graded along k", graded_a, graded_b},
    {"one huge element in each row", one_huge, plain},
    {"rows of every size", scaled_rows, plain},
    {"denormals", tiny, plain},
    {"denormals twice", tiny, tiny},
    {"rows of zeros", zero_rows, zero_rows},
    {"an infinity", some_infinity, plain},
    {"a NaN", plain, some_nan},
    {"the largest", largest, small},
};

struct pair {
    float *a, *b, *size_a, *size_b; /* and their magnitudes */
};

static void make_pair(struct pair *pair, const struct input *input)
{
    uint64_t random = operand_seed();
    pair->a = malloc(sizeof(float) * ROWS * DEPTH);
    pair->b = malloc(sizeof(float) * DEPTH * COLS);
    pair->size_a = malloc(sizeof(float) * ROWS * DEPTH);
    pair->size_b = malloc(sizeof(float) * DEPTH * COLS);
    for (int64_t i = 0; i < ROWS * DEPTH; i++) {
        pair->a[i] = input->a(i / DEPTH, i % DEPTH, &random);
        pair->size_a[i] = fabsf(pair->a[i]);
    }
    for (int64_t i = 0; i < DEPTH * COLS; i++) {
        pair->b[i] = input->b(i / COLS, i % COLS, &random);
        pair->size_b[i] = fabsf(pair->b[i]);
    }
}

static void free_pair(struct pair *pair)
{
    free(pair->a);
    free(pair->b);
    free(pair->size_a);
    free(pair->size_b);
}

/* A * B of host matrices, for the caller to free. */
static float *product(isomat_context context, const float *a, const float *b, int32_t compute)
{
    isomat_matrix ma, mb, mc = ISOMAT_NONE;
    float *c = malloc(sizeof(float) * ROWS * COLS);
    assert_ok(isomat_matrix_from_host(&ma, context, a, ROWS, DEPTH, DEPTH, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_from_host(&mb, context, b, DEPTH, COLS, COLS, F32, ISOMAT_NONE));
    assert_ok(isomat_gemm(&mc, 1, ma, N, mb, N, 0, compute, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(c, COLS, mc, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(ma));
    assert_ok(isomat_matrix_destroy(mb));
    assert_ok(isomat_matrix_destroy(mc));
    return c;
}

/* Both results lie within the bound of float32 arithmetic of the exact one, so that they differ by
 * at most twice that; or both are the same infinity, or both NaN. */
static int agrees(float got, float strict, float size)
{
    if (isnan(strict) || isinf(strict))
        return isnan(strict) ? isnan(got) : got == strict;
    double bound = 2 * (DEPTH + 2) * 0x1p-24 * (double)size + DEPTH * 0x1p-149;
    return fabs((double)got - (double)strict) <= bound;
}

static void hard_inputs_keep_the_bound(void **state)
{
    for (size_t each = 0; each < TEST_COUNT(inputs); each++) {
        struct pair pair;
        int bad = 0;
        make_pair(&pair, &inputs[each]);
        float *strict = product(device_context(state), pair.a, pair.b, ISOMAT_COMPUTE_F32_STRICT);
        float *size = product(device_context(state), pair.size_a, pair.size_b, ISOMAT_COMPUTE_F32_STRICT);
        float *got = product(device_context(state), pair.a, pair.b, ISOMAT_COMPUTE_F32);
        for (int64_t i = 0; i < ROWS * COLS && !bad; i++) {
            if (!agrees(got[i], strict[i], size[i])) {
                print_error("%s: C(%lld, %lld) is %g, strictly %g, |A||B| %g\n", inputs[each].name,
                            (long long)(i / COLS), (long long)(i % COLS), (double)got[i], (double)strict[i],
                            (double)size[i]);
                bad = 1;
            }
        }
        free(strict);
        free(size);
        free(got);
        free_pair(&pair);
        assert_false(bad);
    }
}

static void every_layout_and_edge_is_right(void **state)
{
    static const struct {
        int64_t m, n, k;
        int32_t op_a, op_b;
        enum operand_layout a, b, c;
        enum operand_fill fill;
        double alpha, beta;
    } cases[] = {
        {1024, 1024, 512, N, N, OPERAND_DENSE, OPERAND_DENSE, OPERAND_DENSE, OPERAND_SIGNED, 1, 0},
        {1023, 1025, 513, N, N, OPERAND_PADDED, OPERAND_SHIFTED, OPERAND_PADDED, OPERAND_POSITIVE, 1, 0},
        {900, 777, 801, N, T, OPERAND_SHIFTED, OPERAND_DENSE, OPERAND_SHIFTED, OPERAND_WIDE, -0.5, 2},
        {777, 900, 801, T, N, OPERAND_ALIGNED, OPERAND_PADDED, OPERAND_DENSE, OPERAND_SIGNED, 3, 1},
        {801, 777, 900, T, T, OPERAND_PADDED, OPERAND_ALIGNED, OPERAND_ALIGNED, OPERAND_POSITIVE, 1, -1},
        {9, 5000, 11200, N, N, OPERAND_DENSE, OPERAND_DENSE, OPERAND_PADDED, OPERAND_POSITIVE, 1, 0},
        {6000, 130, 700, N, T, OPERAND_DENSE, OPERAND_DENSE, OPERAND_DENSE, OPERAND_SIGNED, 1, 0},
    };
    for (size_t i = 0; i < TEST_COUNT(cases); i++) {
        const struct reference_gemm gemm = {
            .m = cases[i].m,
            .n = cases[i].n,
            .k = cases[i].k,
            .alpha = cases[i].alpha,
            .beta = cases[i].beta,
            .op_a = cases[i].op_a,
            .op_b = cases[i].op_b,
            .layout_a = cases[i].a,
            .layout_b = cases[i].b,
            .layout_c = cases[i].c,
            .fill = cases[i].fill,
            .compute = ISOMAT_COMPUTE_F32,
        };
        assert_true(reference_run(device_context(state), &gemm));
    }
}

/* Products on several streams share work memory; one must not disturb another. */
static void streams_do_not_disturb_each_other(void **state)
{
    enum { STREAMS = 3, ROUNDS = 4 };
    isomat_context context = device_context(state);
    isomat_stream streams[STREAMS];
    isomat_matrix a[2], b[2], c[STREAMS];
    struct pair pairs[2];
    float *expected[2], *got = malloc(sizeof(float) * ROWS * COLS);
    make_pair(&pairs[0], &inputs[0]);
    make_pair(&pairs[1], &inputs[4]); /* which goes the exact way */
    for (int i = 0; i < 2; i++) {
        expected[i] = product(context, pairs[i].a, pairs[i].b, ISOMAT_COMPUTE_F32);
        assert_ok(isomat_matrix_from_host(&a[i], context, pairs[i].a, ROWS, DEPTH, DEPTH, F32, ISOMAT_NONE));
        assert_ok(isomat_matrix_from_host(&b[i], context, pairs[i].b, DEPTH, COLS, COLS, F32, ISOMAT_NONE));
    }
    for (int i = 0; i < STREAMS; i++) {
        assert_ok(isomat_stream_create(&streams[i], context, 0));
        assert_ok(isomat_matrix_create(&c[i], context, ROWS, COLS, F32, streams[i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < STREAMS; i++)
            assert_ok(isomat_gemm(&c[i], 1, a[(i + round) % 2], N, b[(i + round) % 2], N, 0,
                                  ISOMAT_COMPUTE_F32, streams[i]));
        for (int i = 0; i < STREAMS; i++) {
            assert_ok(isomat_matrix_to_host(got, COLS, c[i], streams[i]));
            assert_memory_equal(got, expected[(i + round) % 2], sizeof(float) * ROWS * COLS);
        }
        if (round == 1)
            assert_ok(isomat_context_trim(context, 0)); /* the work memory goes and comes again */
    }
    for (int i = 0; i < STREAMS; i++) {
        assert_ok(isomat_matrix_destroy(c[i]));
        assert_ok(isomat_stream_destroy(streams[i]));
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(isomat_matrix_destroy(a[i]));
        assert_ok(isomat_matrix_destroy(b[i]));
        free(expected[i]);
        free_pair(&pairs[i]);
    }
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(hard_inputs_keep_the_bound),
        device_test(every_layout_and_edge_is_right),
        device_test(streams_do_not_disturb_each_other),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
