/* SPDX-License-Identifier: MIT */
/* test_gemm_modes_values.c: TF32, F16 and BF16 where results need no bound: special values, new matrices,
 * equal bits, two streams; and what they refuse.
 */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/device.h"
#include "tests/support/matrix.h"
#include "tests/support/modes.h"
#include "tests/support/operand.h"

#define N ISOMAT_OP_N
#define T ISOMAT_OP_T
#define F32 ISOMAT_TYPE_F32
#define F16 ISOMAT_TYPE_F16
#define BF16 ISOMAT_TYPE_BF16

static const int32_t computes[] = {ISOMAT_COMPUTE_TF32, ISOMAT_COMPUTE_F16, ISOMAT_COMPUTE_BF16};
static const char *const type_names[] = {"", "f32", "f16", "bf16"};

/* Calls with each mode and each type that C may have. */
static void each_mode(void **state, void (*call)(isomat_context context, int32_t compute, int32_t c_type))
{
    for (size_t i = 0; i < TEST_COUNT(computes); i++)
        for (int32_t c_type = F32; c_type <= BF16; c_type++)
            call(device_context(state), computes[i], c_type);
}

static isomat_matrix constant(isomat_context context, int32_t type, int64_t rows, int64_t cols, double value)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_create(&matrix, context, rows, cols, type, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(matrix, value, ISOMAT_NONE));
    return matrix;
}

static void put(isomat_matrix matrix, int64_t i, int64_t j, double value)
{
    isomat_matrix view;

    assert_ok(isomat_matrix_view(&view, matrix, i, j, 1, 1));
    assert_ok(isomat_matrix_fill(view, value, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(view));
}

/* The values of a matrix, which the caller frees. */
static double *values_of(isomat_matrix matrix)
{
    const isomat_matrix_info info = matrix_info(matrix);
    const int64_t count = info.rows * info.cols, element = typed_element_bytes(info.type);
    uint8_t *data = calloc((size_t)count + 1, (size_t)element);
    double *values = malloc((size_t)(count + 1) * sizeof(*values));

    assert_true(data != NULL && values != NULL);
    assert_ok(isomat_matrix_to_host(data, info.cols, matrix, ISOMAT_NONE));
    for (int64_t p = 0; p < count; p++) {
        uint32_t bits = 0; /* the machine is little-endian, as every one with these GPUs */
        memcpy(&bits, data + p * element, (size_t)element);
        values[p] = typed_decode(info.type, bits);
    }
    free(data);
    return values;
}

static int same(double got, double wanted)
{
    return isnan(wanted) ? isnan(got) : got == wanted && signbit(got) == signbit(wanted);
}

static void assert_all(isomat_matrix matrix, double wanted)
{
    const isomat_matrix_info info = matrix_info(matrix);
    double *values = values_of(matrix);

    for (int64_t p = 0; p < info.rows * info.cols; p++)
        if (!same(values[p], wanted)) {
            print_error("element %lld of type %d is %g, not %g\n", (long long)p, (int)info.type, values[p],
                        wanted);
            fail();
        }
    free(values);
}

static void destroy(isomat_matrix a, isomat_matrix b, isomat_matrix c)
{
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(c));
}

/* ----------------------------------------------------------- special values */

/* Ones with one special element of A in row 3: row 3 of C gets it, no other row does. */
static void check_special(isomat_context context, int32_t compute, int32_t c_type, double special,
                          double other)
{
    enum { M = 70, K = 40 };
    static const int64_t widths[] = {1, 9, 72};

    for (size_t w = 0; w < TEST_COUNT(widths); w++)
        for (int transposed = 0; transposed < 2; transposed++) {
            const int64_t n = widths[w];
            isomat_matrix a =
                constant(context, mode_type(compute), transposed ? K : M, transposed ? M : K, 1);
            isomat_matrix b = constant(context, mode_type(compute), K, n, other);
            isomat_matrix c = constant(context, c_type, M, n, (double)NAN);
            put(a, transposed ? 5 : 3, transposed ? 3 : 5, special);
            assert_ok(isomat_gemm(&c, 1, a, transposed, b, N, 0, compute, ISOMAT_NONE));
            double *got = values_of(c);
            for (int64_t p = 0; p < M * n; p++)
                assert_true(p / n == 3 ? same(got[p], special * other) : got[p] == K * other);
            free(got);
            destroy(a, b, c);
        }
}

static void check_specials(isomat_context context, int32_t compute, int32_t c_type)
{
    check_special(context, compute, c_type, (double)NAN, 2);
    check_special(context, compute, c_type, (double)INFINITY, 2);
    check_special(context, compute, c_type, (double)-INFINITY, 2);
    check_special(context, compute, c_type, (double)INFINITY, 0); /* NaN */
}

static void nan_and_infinity_go_where_they_belong(void **state)
{
    each_mode(state, check_specials);
}

/* The same the other way round, and infinities that cancel. */
static void check_infinite_b(isomat_context context, int32_t compute, int32_t c_type)
{
    isomat_matrix a = constant(context, mode_type(compute), 33, 20, 1);
    isomat_matrix b = constant(context, mode_type(compute), 40, 20, 1),
                  c = constant(context, c_type, 33, 40, 0);

    put(b, 7, 3, (double)INFINITY);
    put(b, 9, 3, (double)INFINITY);
    put(b, 9, 4, (double)-INFINITY);
    put(b, 11, 19, (double)NAN);
    assert_ok(isomat_gemm(&c, -1, a, N, b, T, 0, compute, ISOMAT_NONE));
    double *got = values_of(c);
    for (int p = 0; p < 33 * 40; p++) {
        const int j = p % 40;
        assert_true(same(got[p], j == 7 ? (double)-INFINITY : j == 9 || j == 11 ? (double)NAN : -20));
    }
    free(got);
    destroy(a, b, c);
}

static void infinities_in_b(void **state)
{
    each_mode(state, check_infinite_b);
}

/* alpha * A * B of one number for each element, in a C that held another. */
static void check_constant(isomat_context context, int32_t compute, int32_t c_type, const double v[6],
                           int64_t k)
{
    static const int64_t sizes[][2] = {{1, 1}, {33, 20}, {64, 72}};

    for (size_t s = 0; s < TEST_COUNT(sizes); s++) {
        const int64_t m = sizes[s][0], n = sizes[s][1];
        isomat_matrix a = constant(context, mode_type(compute), m, k, v[1]);
        isomat_matrix b = constant(context, mode_type(compute), k, n, v[2]),
                      c = constant(context, c_type, m, n, v[4]);
        assert_ok(isomat_gemm(&c, v[0], a, N, b, N, v[3], compute, ISOMAT_NONE));
        assert_all(c, v[5]);
        destroy(a, b, c);
    }
}

/* alpha, A, B, beta, C, expected; all exact, subnormal numbers in every place. */
static void subnormal_numbers_are_kept(void **state)
{
    static const double half[][6] = {{1, 0x1p-24, 1024, 0, 0, 0x1p-14},
                                     {1, 0x1p-24, 1, 1, 0x1p-24, 0x1p-23},
                                     {1, 0x1p-12, 0x1p-11, 0, 0, 0x1p-23},
                                     {-1, 0x3p-24, 1, 0, 0, -0x3p-24},
                                     {0x1p-10, 0x1p-13, 1, 0, 0, 0x1p-23}};
    static const double brain[][6] = {{1, 0x1p-133, 0x1p10, 0, 0, 0x1p-123},
                                      {1, 0x1p-133, 1, 1, 0x1p-133, 0x1p-132},
                                      {1, 0x1p-70, 0x1p-62, 0, 0, 0x1p-132}};
    static const double single[][6] = {{1, 0x1p-75, 0x1p-65, 1, 0x1p-149, 0x1p-140 + 0x1p-149},
                                       {1, 0x1p-130, 0x1p20, 0, 0, 0x1p-110},
                                       {0x1p-100, 0x1p-20, 0x1p-20, 0, 0, 0x1p-140}};
    isomat_context context = device_context(state);

    for (size_t i = 0; i < TEST_COUNT(half); i++)
        for (int32_t c_type = F32; c_type <= F16; c_type++)
            check_constant(context, ISOMAT_COMPUTE_F16, c_type, half[i], 1);
    for (size_t i = 0; i < TEST_COUNT(brain); i++) {
        check_constant(context, ISOMAT_COMPUTE_BF16, F32, brain[i], 1);
        check_constant(context, ISOMAT_COMPUTE_BF16, BF16, brain[i], 1);
    }
    for (size_t i = 0; i < TEST_COUNT(single); i++) {
        check_constant(context, ISOMAT_COMPUTE_TF32, F32, single[i], 1);
        check_constant(context, ISOMAT_COMPUTE_BF16, F32, single[i], 1);
    }
}

/* Sums too large for C are infinite; those that round to the largest number are not. */
static void results_too_large_are_infinite(void **state)
{
    static const double half[][6] = {{1, 256, 256, 0, 0, INFINITY},      {-1, 256, 256, 0, 0, -INFINITY},
                                     {1, 256, 128, 1, 32736, 65504},     {0.5, 32768, 4, 0, 0, INFINITY},
                                     {1, 1, 15, 1, 65504, 65504},        {1, 1, 16, 1, 65504, INFINITY},
                                     {0.25, 512, 256, -1, -32736, 65504}};
    static const double brain[][6] = {{1, 0x1p100, 0x1p100, 0, 0, INFINITY},
                                      {1, -0x1p64, 0x1p64, 0, 0, -INFINITY},
                                      {1, 0x1p118, 1, 1, 0x1.fep127, 0x1.fep127},
                                      {1, 0x1p119, 1, 1, 0x1.fep127, INFINITY}};
    isomat_context context = device_context(state);

    for (size_t i = 0; i < TEST_COUNT(half); i++)
        check_constant(context, ISOMAT_COMPUTE_F16, F16, half[i], 1);
    check_constant(context, ISOMAT_COMPUTE_F16, F32, (const double[]){1, 256, 256, 0, 0, 65536}, 1);
    for (size_t i = 0; i < TEST_COUNT(brain); i++)
        check_constant(context, ISOMAT_COMPUTE_BF16, BF16, brain[i], 1);
    check_constant(context, ISOMAT_COMPUTE_BF16, F32, brain[0], 1);
    check_constant(context, ISOMAT_COMPUTE_TF32, F32, brain[1], 1);
}

/* C of a 16-bit type is rounded once, to even, from the float32 sum. */
static void results_are_rounded_to_even(void **state)
{
    static const double half[][6] = {{1, 1, 0x1p-11, 1, 1, 1},
                                     {1, 1, 0x1p-11, 1, 1 + 0x1p-10, 1 + 0x1p-9},
                                     {1, 1, 0x1.004p-11, 1, 1, 1 + 0x1p-10},
                                     {1, 33, 63, 0, 0, 2080},
                                     {1, 45, 51, 0, 0, 2296}};
    static const double brain[][6] = {{1, 1, 0x1p-8, 1, 1, 1},
                                      {1, 1, 0x1p-8, 1, 1 + 0x1p-7, 1 + 0x1p-6},
                                      {1, 1, 0x1.02p-8, 1, 1, 1 + 0x1p-7}};

    for (size_t i = 0; i < TEST_COUNT(half); i++)
        check_constant(device_context(state), ISOMAT_COMPUTE_F16, F16, half[i], 1);
    for (size_t i = 0; i < TEST_COUNT(brain); i++)
        check_constant(device_context(state), ISOMAT_COMPUTE_BF16, BF16, brain[i], 1);
}

/* A sum in float16 would stop at 2048, one in bfloat16 at 256. */
static void check_long_sum(isomat_context context, int32_t compute, int32_t c_type)
{
    check_constant(context, compute, c_type, (const double[]){1, 1, 1, 0, 0, 2560}, 2560);
}

static void sums_are_of_float32(void **state)
{
    each_mode(state, check_long_sum);
}

/* TF32 keeps 11 significant bits of each operand, F16 and BF16 all of theirs. */
static void operands_keep_their_bits(void **state)
{
    const double eleven = 1 + 0x1p-10;

    check_constant(device_context(state), ISOMAT_COMPUTE_TF32, F32,
                   (const double[]){1, eleven, eleven, 0, 0, eleven * eleven}, 1);
    check_constant(device_context(state), ISOMAT_COMPUTE_F16, F32,
                   (const double[]){1, eleven, eleven, 0, 0, eleven * eleven}, 1);
    check_constant(device_context(state), ISOMAT_COMPUTE_BF16, F32,
                   (const double[]){1, 1 + 0x1p-7, 1 - 0x1p-8, 0, 0, (1 + 0x1p-7) * (1 - 0x1p-8)}, 1);
}

/* ----------------------------------------------------------- alpha and beta */

/* With alpha 0 or k 0 nothing is multiplied: NaN in A and B stay there, C is only scaled. */
static void check_only_scaled(isomat_context context, int32_t compute, int32_t c_type)
{
    for (int no_k = 0; no_k < 2; no_k++) {
        const int64_t k = no_k ? 0 : 9;
        isomat_matrix a = constant(context, mode_type(compute), 33, k, (double)NAN);
        isomat_matrix b = constant(context, mode_type(compute), k, 9, (double)NAN),
                      c = constant(context, c_type, 33, 9, 3);
        assert_ok(isomat_gemm(&c, no_k, a, N, b, N, 1, compute, ISOMAT_NONE));
        assert_all(c, 3);
        assert_ok(isomat_gemm(&c, no_k, a, N, b, N, -0.5, compute, ISOMAT_NONE));
        assert_all(c, -1.5);
        assert_ok(isomat_matrix_fill(c, (double)NAN, ISOMAT_NONE));
        assert_ok(isomat_gemm(&c, no_k, a, N, b, N, 1, compute, ISOMAT_NONE));
        assert_all(c, (double)NAN);
        assert_ok(isomat_gemm(&c, no_k, a, N, b, N, 0, compute, ISOMAT_NONE));
        assert_all(c, 0);
        destroy(a, b, c);
    }
}

static void nothing_to_add_scales_c(void **state)
{
    each_mode(state, check_only_scaled);
}

/* NaN in C does not matter with beta 0, and does otherwise. */
static void check_nan_in_c(isomat_context context, int32_t compute, int32_t c_type)
{
    for (int64_t size = 1; size <= 75; size += 37) {
        isomat_matrix a = constant(context, mode_type(compute), size, 24, 1);
        isomat_matrix b = constant(context, mode_type(compute), 24, size, 2);
        isomat_matrix c = constant(context, c_type, size, size, (double)NAN);
        assert_ok(isomat_gemm(&c, 1, a, N, b, N, 0, compute, ISOMAT_NONE));
        assert_all(c, 48);
        put(c, 0, 0, (double)NAN);
        assert_ok(isomat_gemm(&c, 1, a, N, b, N, 1, compute, ISOMAT_NONE));
        double *got = values_of(c);
        for (int64_t p = 0; p < size * size; p++)
            assert_true(p == 0 ? isnan(got[p]) : got[p] == 96);
        free(got);
        destroy(a, b, c);
    }
}

static void nan_in_c_matters_with_beta_alone(void **state)
{
    each_mode(state, check_nan_in_c);
}

/* 1 + 2^-30 is 1 in float32. */
static void factors_are_rounded(void **state)
{
    check_constant(device_context(state), ISOMAT_COMPUTE_BF16, F32,
                   (const double[]){1 + 0x1p-30, 3, 5, 1 - 0x1p-40, 7, 22}, 1);
    check_constant(device_context(state), ISOMAT_COMPUTE_TF32, F32,
                   (const double[]){0.1, 1, 1, 0, 0, (double)0.1f}, 1);
}

static void new_c_has_the_type_of_a(void **state)
{
    for (size_t i = 0; i < TEST_COUNT(computes); i++) {
        isomat_matrix a = constant(device_context(state), mode_type(computes[i]), 40, 5, 2);
        isomat_matrix b = constant(device_context(state), mode_type(computes[i]), 50, 40, 3), c = ISOMAT_NONE;
        assert_ok(isomat_gemm(&c, 0.5, a, T, b, T, 0, computes[i], ISOMAT_NONE));
        const isomat_matrix_info info = matrix_info(c);
        assert_int_equal(info.type, mode_type(computes[i]));
        assert_int_equal(info.rows, 5);
        assert_int_equal(info.cols, 50);
        assert_all(c, 120);
        destroy(a, b, c);
    }
}

/* --------------------------------------------------------------- equal bits */

/* A product of random matrices that isomat allocated, or that lie where 16-byte copies cannot read. */
struct product {
    int32_t compute, c_type, op_a, op_b;
    int64_t m, n, k;
    struct typed x[2];
    isomat_matrix a, b;
};

static void begin_product(struct product *p, isomat_context context, enum typed_layout layout)
{
    const int32_t type = mode_type(p->compute);

    typed_create(&p->x[0], context, type, p->op_a ? p->k : p->m, p->op_a ? p->m : p->k, layout, mode_signed,
                 NULL);
    typed_create(&p->x[1], context, type, p->op_b ? p->n : p->k, p->op_b ? p->k : p->n, layout, mode_signed,
                 NULL);
    p->a = typed_adopt(&p->x[0]);
    p->b = typed_adopt(&p->x[1]);
}

static void end_product(struct product *p)
{
    assert_ok(isomat_matrix_destroy(p->a));
    assert_ok(isomat_matrix_destroy(p->b));
    typed_destroy(&p->x[0]);
    typed_destroy(&p->x[1]);
}

static isomat_matrix multiply(const struct product *p, isomat_context context, isomat_stream stream)
{
    isomat_matrix c;

    assert_ok(isomat_matrix_create(&c, context, p->m, p->n, p->c_type, stream));
    assert_ok(isomat_matrix_fill(c, (double)NAN, stream));
    assert_ok(isomat_gemm(&c, 1.5, p->a, p->op_a, p->b, p->op_b, 0, p->compute, stream));
    return c;
}

/* The bytes of a matrix, which is destroyed; the caller frees them. */
static uint8_t *take(isomat_matrix c, size_t *bytes, isomat_stream stream)
{
    const isomat_matrix_info info = matrix_info(c);

    *bytes = (size_t)(info.rows * info.cols * typed_element_bytes(info.type));
    uint8_t *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_ok(isomat_matrix_to_host(data, info.cols, c, stream));
    assert_ok(isomat_matrix_destroy(c));
    return data;
}

static void check_many_times(isomat_context context, int32_t compute, int32_t c_type)
{
    static const int64_t shapes[][3] = {
        {7, 5, 900}, {64, 64, 300}, {130, 70, 133}, {1, 90, 1000}, {1000, 1100, 1030}};
    const size_t count = TEST_COUNT(shapes) - (device_is_host() ? 1 : 0);
    const int rounds = device_is_host() ? 20 : 100;

    for (size_t s = 0; s < count; s++) {
        struct product p = {.compute = compute, .c_type = c_type, .op_a = s % 2, .op_b = s / 2 % 2};
        uint8_t *first = NULL;
        size_t bytes;
        p.m = shapes[s][0], p.n = shapes[s][1], p.k = shapes[s][2] / (device_is_host() ? 4 : 1);
        begin_product(&p, context, (enum typed_layout)(s % TYPED_LAYOUTS));
        for (int round = 0; round < rounds; round++) {
            uint8_t *got = take(multiply(&p, context, ISOMAT_NONE), &bytes, ISOMAT_NONE);
            if (first == NULL) {
                first = got;
                continue;
            }
            assert_memory_equal(got, first, bytes);
            free(got);
        }
        free(first);
        end_product(&p);
    }
}

static void same_inputs_give_the_same_bits(void **state)
{
    each_mode(state, check_many_times);
}

/* Products of several modes on two streams at once have the bits that they have alone. */
enum { PRODUCTS = 8, TURNS = 5 };

static void start_products(struct product *p, isomat_context context)
{
    static const int32_t modes[] = {ISOMAT_COMPUTE_F16, ISOMAT_COMPUTE_TF32, ISOMAT_COMPUTE_BF16,
                                    ISOMAT_COMPUTE_F32};

    for (int i = 0; i < PRODUCTS; i++) {
        const int64_t size = device_is_host() ? 90 : i < 4 ? 1031 : 300;
        p[i] = (struct product){.compute = modes[i % 4], .c_type = F32, .op_a = i % 2, .op_b = i / 2 % 2};
        p[i].m = size, p[i].n = size - 1, p[i].k = size + i;
        begin_product(&p[i], context, i % 3 ? TYPED_ODD : TYPED_ALIGNED);
    }
}

static void two_streams_at_once(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix c[PRODUCTS * TURNS];
    struct product p[PRODUCTS];
    uint8_t *alone[PRODUCTS];
    isomat_stream streams[2];
    size_t bytes;

    start_products(p, context);
    for (int i = 0; i < PRODUCTS; i++)
        alone[i] = take(multiply(&p[i], context, ISOMAT_NONE), &bytes, ISOMAT_NONE);
    for (int i = 0; i < 2; i++)
        assert_ok(isomat_stream_create(&streams[i], context, 0));
    for (int i = 0; i < PRODUCTS * TURNS; i++)
        c[i] = multiply(&p[i % PRODUCTS], context, streams[(i + i / PRODUCTS) % 2]);
    for (int i = 0; i < PRODUCTS * TURNS; i++) {
        uint8_t *got = take(c[i], &bytes, streams[(i + i / PRODUCTS) % 2]);
        assert_memory_equal(got, alone[i % PRODUCTS], bytes);
        free(got);
    }
    for (int i = 0; i < 2; i++)
        assert_ok(isomat_stream_destroy(streams[i]));
    for (int i = 0; i < PRODUCTS; i++) {
        free(alone[i]);
        end_product(&p[i]);
    }
}

/* ---------------------------------------------------------------- bad input */

/* Every pair of types for A and B but the right one; the message tells what is wrong and what to do. */
static void operands_of_other_types_are_refused(void **state)
{
    static const int32_t all[] = {ISOMAT_COMPUTE_F32, ISOMAT_COMPUTE_F32_STRICT, ISOMAT_COMPUTE_TF32,
                                  ISOMAT_COMPUTE_F16, ISOMAT_COMPUTE_BF16};

    for (size_t i = 0; i < TEST_COUNT(all); i++)
        for (int pair = 0; pair < 9; pair++) {
            const int32_t type = mode_type(all[i]), of_a = F32 + pair / 3, of_b = F32 + pair % 3;
            isomat_matrix a = constant(device_context(state), of_a, 4, 4, 1);
            isomat_matrix b = constant(device_context(state), of_b, 4, 4, 1), c = ISOMAT_NONE;
            if (of_a != type || of_b != type) {
                assert_status(isomat_gemm(&c, 1, a, N, b, N, 0, all[i], ISOMAT_NONE),
                              ISOMAT_ERROR_TYPE_MISMATCH);
                assert_message_contains(type_names[of_a != type ? of_a : of_b], type_names[type],
                                        mode_name(all[i]), "isomat_matrix_copy");
                assert_int_equal(c, ISOMAT_NONE);
            }
            destroy(a, b, ISOMAT_NONE);
        }
}

static void results_of_float64_are_refused(void **state)
{
    for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= ISOMAT_COMPUTE_BF16; compute++)
        for (int32_t c_type = F32; c_type <= ISOMAT_TYPE_F64; c_type++) {
            const int32_t type = mode_type(compute);
            isomat_matrix a = constant(device_context(state), type, 4, 4, 1);
            isomat_matrix b = constant(device_context(state), type, 4, 4, 1);
            isomat_matrix c = constant(device_context(state), c_type, 4, 4, 5), given = c;
            if (c_type != ISOMAT_TYPE_F64) {
                assert_ok(isomat_gemm(&c, 1, a, N, b, N, 0, compute, ISOMAT_NONE));
                assert_all(c, 4);
            } else {
                assert_status(isomat_gemm(&c, 1, a, N, b, N, 0, compute, ISOMAT_NONE),
                              ISOMAT_ERROR_TYPE_MISMATCH);
                assert_message_contains("f64", type_names[type], mode_name(compute));
                assert_int_equal(c, given);
            }
            destroy(a, b, c);
        }
}

static void result_that_is_an_operand_is_refused(void **state)
{
    for (size_t i = 0; i < TEST_COUNT(computes); i++) {
        isomat_matrix a = constant(device_context(state), mode_type(computes[i]), 8, 8, 1), c = a, view;
        isomat_matrix b = constant(device_context(state), mode_type(computes[i]), 8, 8, 1);
        assert_status(isomat_gemm(&c, 1, a, N, b, N, 0, computes[i], ISOMAT_NONE), ISOMAT_ERROR_ALIAS);
        assert_status(isomat_gemm(&c, 1, b, N, a, T, 1, computes[i], ISOMAT_NONE), ISOMAT_ERROR_ALIAS);
        assert_status(isomat_gemm(&c, 0, a, N, b, N, 0, computes[i], ISOMAT_NONE), ISOMAT_ERROR_ALIAS);
        assert_ok(isomat_matrix_view(&view, a, 0, 0, 8, 8));
        assert_status(isomat_gemm(&view, 1, a, N, b, N, 0, computes[i], ISOMAT_NONE), ISOMAT_ERROR_ALIAS);
        destroy(a, b, view);
    }
}

static void sizes_and_modes_are_checked(void **state)
{
    for (size_t i = 0; i < TEST_COUNT(computes); i++) {
        isomat_matrix a = constant(device_context(state), mode_type(computes[i]), 64, 32, 1);
        isomat_matrix b = constant(device_context(state), mode_type(computes[i]), 31, 16, 1), c = ISOMAT_NONE;
        assert_status(isomat_gemm(&c, 1, a, N, b, N, 0, computes[i], ISOMAT_NONE),
                      ISOMAT_ERROR_SHAPE_MISMATCH);
        assert_message_contains("64", "32", "31", "16");
        assert_status(isomat_gemm(&c, 1, a, 2, b, N, 0, computes[i], ISOMAT_NONE),
                      ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_status(isomat_gemm(&c, 1, a, N, b, N, 1, computes[i], ISOMAT_NONE),
                      ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(c, ISOMAT_NONE);
        destroy(a, b, c);
    }
}

static void get_kernel_knows_the_modes(void **state)
{
    static const char *const words[] = {"tf32", "_f16_", "_bf16_"};
    isomat_context context = device_context(state);
    char name[128];
    int64_t length;

    for (size_t i = 0; i < TEST_COUNT(computes); i++) {
        assert_ok(
            isomat_gemm_get_kernel(name, sizeof(name), &length, context, 300, 200, 100, N, T, computes[i]));
        assert_int_equal(length, strlen(name));
        assert_non_null(strstr(name, words[i]));
        assert_ok(isomat_gemm_get_kernel(name, sizeof(name), NULL, context, 0, 4, 4, N, N, computes[i]));
        assert_string_equal(name, "");
        assert_status(
            isomat_gemm_get_kernel(name, sizeof(name), NULL, context, (1LL << 31), 1, 1, N, N, computes[i]),
            ISOMAT_ERROR_UNSUPPORTED);
    }
    assert_status(isomat_gemm_get_kernel(name, sizeof(name), NULL, context, 4, 4, 4, N, N, 6),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
}

/* ----------------------------------------------------- a device without them */

/* In a process of its own, whose host driver says that it has capability 7.5. */
static void old_device_refuses_the_modes(void **state)
{
    for (size_t i = 0; i < TEST_COUNT(computes); i++) {
        isomat_matrix a, c = ISOMAT_NONE;
        char name[64];
        assert_ok(isomat_matrix_create(&a, device_context(state), 4, 4, mode_type(computes[i]), ISOMAT_NONE));
        assert_status(isomat_gemm(&c, 1, a, N, a, N, 0, computes[i], ISOMAT_NONE), ISOMAT_ERROR_UNSUPPORTED);
        assert_message_contains(mode_name(computes[i]), "8.0", "7.5", "F32");
        assert_int_equal(c, ISOMAT_NONE);
        assert_status(isomat_gemm_get_kernel(name, sizeof(name), NULL, device_context(state), 4, 4, 4, N, N,
                                             computes[i]),
                      ISOMAT_ERROR_UNSUPPORTED);
        assert_status(isomat_matrix_prepare(a, ISOMAT_OPERAND_A, N, computes[i], ISOMAT_NONE),
                      ISOMAT_ERROR_UNSUPPORTED);
        assert_ok(isomat_matrix_destroy(a));
    }
}

static int run_old_device(void)
{
    const struct CMUnitTest tests[] = {device_test(old_device_refuses_the_modes)};
    int status = device_open(DEVICE_ANY);

    if (status == 0 && device_capability() != 75)
        status = TEST_ERROR;
    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}

/* Before any driver is open, since one that is open stays what it is.  Returns 0 if all is well. */
static int old_device_in_a_child(void)
{
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        setenv("ISOMAT_HOST_CAPABILITY", "7.5", 1);
        status = run_old_device();
        fflush(NULL);
        _exit(status);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status))
        return WEXITSTATUS(status);
    return TEST_ERROR;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(nan_and_infinity_go_where_they_belong),
        device_test(infinities_in_b),
        device_test(subnormal_numbers_are_kept),
        device_test(results_too_large_are_infinite),
        device_test(results_are_rounded_to_even),
        device_test(sums_are_of_float32),
        device_test(operands_keep_their_bits),
        device_test(nothing_to_add_scales_c),
        device_test(nan_in_c_matters_with_beta_alone),
        device_test(factors_are_rounded),
        device_test(new_c_has_the_type_of_a),
        device_test(same_inputs_give_the_same_bits),
        device_test(two_streams_at_once),
        device_test(operands_of_other_types_are_refused),
        device_test(results_of_float64_are_refused),
        device_test(result_that_is_an_operand_is_refused),
        device_test(sizes_and_modes_are_checked),
        device_test(get_kernel_knows_the_modes),
    };
    int status = device_is_host() ? old_device_in_a_child() : 0;

    if (status == 0)
        status = device_open(DEVICE_ANY);
    if (status == 0 && device_capability() < 80) {
        print_message("these compute modes need compute capability 8.0\n");
        return device_close(0) != 0 ? TEST_ERROR : TEST_SKIP;
    }
    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
