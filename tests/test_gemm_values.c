/* SPDX-License-Identifier: MIT */
/* test_gemm_values.c: results that do not depend on a bound: NaN, infinity, denormals, equal bits, new
 * matrices. */
#include <math.h>

#include "tests/support/device.h"
#include "tests/support/reference.h"

#define N ISOMAT_OP_N
#define T ISOMAT_OP_T
#define F32 ISOMAT_TYPE_F32

static isomat_matrix upload(isomat_context context, const float *data, int64_t rows, int64_t cols)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_from_host(&matrix, context, data, rows, cols, cols, F32, ISOMAT_NONE));
    return matrix;
}

static void put(isomat_matrix matrix, int64_t i, int64_t j, double value)
{
    isomat_matrix view;

    assert_ok(isomat_matrix_view(&view, matrix, i, j, 1, 1));
    assert_ok(isomat_matrix_fill(view, value, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(view));
}

static isomat_matrix constant(isomat_context context, int64_t rows, int64_t cols, double value)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_create(&matrix, context, rows, cols, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(matrix, value, ISOMAT_NONE));
    return matrix;
}

/* The product of ones with one special element of A at (3, 5): row 3 of C gets it, no other row does. */
static void assert_row_gets(void **state, double special, double b_value, int64_t n, int32_t compute)
{
    enum { M = 70, K = 40 };
    isomat_matrix a = constant(device_context(state), M, K, 1);
    isomat_matrix b = constant(device_context(state), K, n, b_value);
    const double expected = special * b_value;
    isomat_matrix c = ISOMAT_NONE;
    float *got = malloc(sizeof(float) * (size_t)(M * n));

    put(a, 3, 5, special);
    assert_ok(isomat_gemm(&c, 1, a, N, b, N, 0, compute, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, n, c, ISOMAT_NONE));
    for (int64_t i = 0; i < M * n; i++) {
        if (i / n != 3)
            assert_true(got[i] == (float)(K * b_value));
        else if (isnan(expected))
            assert_true(isnan(got[i]));
        else
            assert_true((double)got[i] == expected);
    }
    free(got);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(c));
}

static void nan_and_infinity_go_where_they_belong(void **state)
{
    static const int64_t widths[] = {1, 3, 8, 70};

    for (size_t i = 0; i < TEST_COUNT(widths); i++)
        for (int32_t compute = 0; compute < 2; compute++) {
            assert_row_gets(state, NAN, 2, widths[i], compute);
            assert_row_gets(state, INFINITY, 2, widths[i], compute);
            assert_row_gets(state, -INFINITY, 2, widths[i], compute);
            assert_row_gets(state, INFINITY, 0, widths[i], compute); /* inf * 0 is NaN */
        }
}

static void denormals_are_kept(void **state)
{
    for (int64_t size = 1; size <= 65; size += 32) {
        isomat_matrix a = constant(device_context(state), size, 1, 0x1p-75);
        isomat_matrix b = constant(device_context(state), 1, size, 0x1p-65);
        isomat_matrix c = constant(device_context(state), size, size, 0x1p-149);
        float got[65 * 65];
        assert_ok(isomat_gemm(&c, 1, a, N, b, N, 1, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
        assert_ok(isomat_matrix_to_host(got, size, c, ISOMAT_NONE));
        for (int64_t i = 0; i < size * size; i++)
            assert_true(got[i] == 0x1p-140f + 0x1p-149f);
        assert_ok(isomat_matrix_destroy(a));
        assert_ok(isomat_matrix_destroy(b));
        assert_ok(isomat_matrix_destroy(c));
    }
}

/* With beta = 1 and no product, C keeps its bits; with k = 0 and beta = 0 it becomes zero. */
static void nothing_to_add_scales_c(void **state)
{
    isomat_matrix a = constant(device_context(state), 33, 0, 0), b = constant(device_context(state), 0, 9, 0);
    isomat_matrix c = constant(device_context(state), 33, 9, 3);
    float got[33 * 9];

    assert_ok(isomat_gemm(&c, 1, a, N, b, N, 1, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, 9, c, ISOMAT_NONE));
    assert_true(got[0] == 3 && got[33 * 9 - 1] == 3);
    assert_ok(isomat_gemm(&c, 1, a, N, b, N, -0.5, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, 9, c, ISOMAT_NONE));
    assert_true(got[0] == -1.5f && got[33 * 9 - 1] == -1.5f);
    put(c, 4, 4, NAN);
    assert_ok(isomat_gemm(&c, 1, a, N, b, N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, 9, c, ISOMAT_NONE));
    for (int i = 0; i < 33 * 9; i++)
        assert_true(got[i] == 0);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(c));
}

/* A new C has the sizes of the product and belongs to the caller. */
static void new_c_is_created(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix_info info = {.struct_size = sizeof(info)};
    isomat_matrix a = constant(context, 5, 40, 2), b = constant(context, 40, 50, 3), c = ISOMAT_NONE;
    isomat_stream stream;
    float got[50 * 5];

    assert_ok(isomat_stream_create(&stream, context, 0));
    assert_ok(isomat_gemm(&c, 0.5, a, N, b, N, 0, ISOMAT_COMPUTE_F32, stream));
    assert_ok(isomat_stream_destroy(stream));
    assert_ok(isomat_matrix_get_info(&info, c));
    assert_int_equal(info.rows, 5);
    assert_int_equal(info.cols, 50);
    assert_ok(isomat_matrix_to_host(got, 50, c, ISOMAT_NONE));
    for (int i = 0; i < 250; i++)
        assert_true(got[i] == 120);
    assert_ok(isomat_matrix_destroy(c));

    c = ISOMAT_NONE;
    assert_ok(isomat_gemm(&c, 1, b, T, a, T, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_get_info(&info, c));
    assert_int_equal(info.rows, 50);
    assert_int_equal(info.cols, 5);
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
}

/* A and B may be the same matrix, or parts of one; C may be another part of it. */
static void operands_may_be_parts_of_one_matrix(void **state)
{
    isomat_matrix whole = constant(device_context(state), 40, 60, 1);
    isomat_matrix left, right, square = ISOMAT_NONE;
    float got[40 * 60];

    assert_ok(isomat_gemm(&square, 1, whole, N, whole, T, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, 40, square, ISOMAT_NONE));
    assert_true(got[0] == 60 && got[1599] == 60);
    assert_ok(isomat_matrix_view(&left, whole, 0, 0, 20, 20));
    assert_ok(isomat_matrix_view(&right, whole, 0, 21, 20, 20));
    assert_ok(isomat_gemm(&right, 1, left, N, left, N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, 60, whole, ISOMAT_NONE));
    for (int i = 0; i < 40 * 60; i++)
        assert_true(got[i] == (i / 60 < 20 && i % 60 >= 21 && i % 60 < 41 ? 20 : 1));
    assert_ok(isomat_matrix_destroy(left));
    assert_ok(isomat_matrix_destroy(right));
    assert_ok(isomat_matrix_destroy(square));
    assert_ok(isomat_matrix_destroy(whole));
}

/* alpha and beta are rounded to float32 first. */
static void factors_are_rounded(void **state)
{
    isomat_matrix a = constant(device_context(state), 1, 1, 1), c = constant(device_context(state), 1, 1, 1);
    float got;

    assert_ok(isomat_gemm(&c, 0.1, a, N, a, N, 1e-60, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(&got, 1, c, ISOMAT_NONE));
    assert_true(got == 0.1f);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(c));
}

static void same_inputs_give_the_same_bits(void **state)
{
    static const int64_t shapes[][3] = {{7, 5, 900},   {64, 64, 300},  {130, 70, 500},
                                        {1, 90, 2000}, {300, 300, 33}, {1000, 1100, 1030}};
    const size_t count = TEST_COUNT(shapes) - (device_is_host() ? 1 : 0);
    const int rounds = device_is_host() ? 4 : 100;
    isomat_context context = device_context(state);

    for (size_t s = 0; s < count; s++) {
        const int64_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
        float *data = malloc(sizeof(float) * (size_t)(m * k + k * n));
        float *first = malloc(sizeof(float) * (size_t)(m * n)),
              *again = malloc(sizeof(float) * (size_t)(m * n));
        isomat_matrix a, b;
        operand_fill(data, m * k + k * n, s % 2 ? OPERAND_SIGNED : OPERAND_WIDE, s);
        a = upload(context, data, m, k);
        b = upload(context, data + m * k, k, n);
        for (int round = 0; round < rounds; round++) {
            isomat_matrix c = ISOMAT_NONE;
            assert_ok(isomat_gemm(&c, 1.5, a, N, b, N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
            assert_ok(isomat_matrix_to_host(round == 0 ? first : again, n, c, ISOMAT_NONE));
            assert_ok(isomat_matrix_destroy(c));
            if (round > 0)
                assert_memory_equal(again, first, sizeof(float) * (size_t)(m * n));
        }
        assert_ok(isomat_matrix_destroy(a));
        assert_ok(isomat_matrix_destroy(b));
        free(data);
        free(first);
        free(again);
    }
}

/* More than 2^31 elements in A; only where the memory of a real GPU is. */
static void offsets_beyond_32_bits(void **state)
{
    const int64_t m = 70000, k = 32768, n = 40;
    isomat_device_info device = {.struct_size = sizeof(device)};
    isomat_matrix a, b, last, c = ISOMAT_NONE;
    float got[40];

    assert_ok(isomat_device_get_info(&device, 0));
    if (device_is_host() || device.memory_bytes < 12LL << 30)
        skip();
    a = constant(device_context(state), m, k, 1);
    b = constant(device_context(state), k, n, 0.5);
    put(a, m - 1, k - 1, 3);
    assert_ok(isomat_gemm(&c, 1, a, N, b, N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_view(&last, c, m - 1, 0, 1, n));
    assert_ok(isomat_matrix_to_host(got, n, last, ISOMAT_NONE));
    for (int i = 0; i < 40; i++)
        assert_true(got[i] == 16385);
    assert_ok(isomat_matrix_destroy(last));
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(nan_and_infinity_go_where_they_belong),
        device_test(denormals_are_kept),
        device_test(nothing_to_add_scales_c),
        device_test(new_c_is_created),
        device_test(operands_may_be_parts_of_one_matrix),
        device_test(factors_are_rounded),
        device_test(same_inputs_give_the_same_bits),
        device_test(offsets_beyond_32_bits),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
