/* SPDX-License-Identifier: MIT */
/* test_gemm_errors.c: every documented error of isomat_gemm, with the numbers in the message. */
#include "tests/support/device.h"

#define N ISOMAT_OP_N
#define T ISOMAT_OP_T
#define F32 ISOMAT_TYPE_F32

static isomat_matrix zeros(isomat_context context, int64_t rows, int64_t cols)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_create(&matrix, context, rows, cols, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(matrix, 0, ISOMAT_NONE));
    return matrix;
}

static int32_t multiply(isomat_matrix *c, isomat_matrix a, int32_t op_a, isomat_matrix b, int32_t op_b)
{
    return isomat_gemm(c, 1, a, op_a, b, op_b, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE);
}

static void bad_arguments_are_refused(void **state)
{
    isomat_matrix a = zeros(device_context(state), 4, 4), c = ISOMAT_NONE;

    assert_status(multiply(NULL, a, N, a, N), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(multiply(&c, a, 2, a, N), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("2");
    assert_status(multiply(&c, a, N, a, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("-1");
    assert_status(isomat_gemm(&c, 1, a, N, a, N, 0, 77, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("77");
    assert_status(isomat_gemm(&c, 1, a, N, a, N, 0.5, ISOMAT_COMPUTE_F32, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("beta");
    assert_int_equal(c, ISOMAT_NONE);
    assert_ok(isomat_matrix_destroy(a));
}

static void bad_handles_are_refused(void **state)
{
    isomat_matrix a = zeros(device_context(state), 4, 4), c = zeros(device_context(state), 4, 4);
    isomat_matrix none = ISOMAT_NONE, stale = zeros(device_context(state), 4, 4),
                  wrong = device_context(state);
    isomat_matrix invented = 0x123456789abcdef0;

    assert_ok(isomat_matrix_destroy(stale));
    assert_status(multiply(&c, ISOMAT_NONE, N, a, N), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(multiply(&c, a, N, ISOMAT_NONE, N), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(multiply(&none, ISOMAT_NONE, N, ISOMAT_NONE, N), ISOMAT_ERROR_INVALID_HANDLE);
    assert_int_equal(none, ISOMAT_NONE);
    assert_status(multiply(&c, stale, N, a, N), ISOMAT_ERROR_STALE_HANDLE);
    assert_status(multiply(&c, a, N, stale, N), ISOMAT_ERROR_STALE_HANDLE);
    assert_status(multiply(&stale, a, N, a, N), ISOMAT_ERROR_STALE_HANDLE);
    assert_status(multiply(&c, wrong, N, a, N), ISOMAT_ERROR_WRONG_KIND);
    assert_status(multiply(&c, a, N, wrong, N), ISOMAT_ERROR_WRONG_KIND);
    assert_status(multiply(&wrong, a, N, a, N), ISOMAT_ERROR_WRONG_KIND);
    assert_status(multiply(&c, invented, N, a, N), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(multiply(&invented, a, N, a, N), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(isomat_gemm(&c, 1, a, N, a, N, 0, ISOMAT_COMPUTE_F32, a), ISOMAT_ERROR_WRONG_KIND);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(c));
}

static void inner_sizes_must_be_equal(void **state)
{
    isomat_matrix a = zeros(device_context(state), 64, 32), b = zeros(device_context(state), 31, 16);
    isomat_matrix c = ISOMAT_NONE;

    assert_status(multiply(&c, a, N, b, N), ISOMAT_ERROR_SHAPE_MISMATCH);
    assert_message_contains("64", "32", "31", "16");
    assert_int_equal(c, ISOMAT_NONE);
    assert_status(multiply(&c, a, T, b, N), ISOMAT_ERROR_SHAPE_MISMATCH);
    assert_message_contains("64", "32", "31", "16");
    assert_status(multiply(&c, a, N, b, T), ISOMAT_ERROR_SHAPE_MISMATCH);
    assert_status(multiply(&c, a, T, b, T), ISOMAT_ERROR_SHAPE_MISMATCH);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
}

static void c_must_have_the_size_of_the_product(void **state)
{
    static const int64_t wrong[][2] = {{21, 45}, {22, 44}, {45, 22}, {0, 45}, {22, 46}};
    isomat_matrix a = zeros(device_context(state), 22, 33), b = zeros(device_context(state), 33, 45);

    for (size_t i = 0; i < TEST_COUNT(wrong); i++) {
        isomat_matrix c = zeros(device_context(state), wrong[i][0], wrong[i][1]), same = c;
        char rows[24], cols[24];
        snprintf(rows, sizeof(rows), "%lld", (long long)wrong[i][0]);
        snprintf(cols, sizeof(cols), "%lld", (long long)wrong[i][1]);
        assert_status(multiply(&c, a, N, b, N), ISOMAT_ERROR_SHAPE_MISMATCH);
        assert_message_contains("22", "45", rows, cols);
        assert_int_equal(c, same);
        assert_ok(isomat_matrix_destroy(c));
    }
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
}

static void objects_of_two_contexts_are_refused(void **state)
{
    isomat_context other;
    isomat_matrix a = zeros(device_context(state), 4, 4), c = zeros(device_context(state), 4, 4), foreign;
    isomat_stream stream;

    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    foreign = zeros(other, 4, 4);
    assert_ok(isomat_stream_create(&stream, other, 0));
    assert_status(multiply(&c, foreign, N, a, N), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(multiply(&c, a, N, foreign, N), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(multiply(&foreign, a, N, a, N), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_gemm(&c, 1, a, N, a, N, 0, ISOMAT_COMPUTE_F32, stream),
                  ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_ok(multiply(&c, a, N, a, N));
    assert_ok(isomat_stream_destroy(stream));
    assert_ok(isomat_matrix_destroy(foreign));
    assert_ok(isomat_context_destroy(other));
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(c));
}

/* Rectangles of one 9 x 9 matrix that share an element with the 4 x 4 one at (2, 2). */
static void overlapping_result_is_refused(void **state)
{
    static const int64_t corners[][2] = {{2, 2}, {0, 0}, {4, 4}, {5, 5}, {1, 3}, {3, 1}, {2, 5}};
    isomat_matrix whole = zeros(device_context(state), 9, 9), other = zeros(device_context(state), 4, 4);
    isomat_matrix operand, c;

    assert_ok(isomat_matrix_view(&operand, whole, 2, 2, 4, 4));
    for (size_t i = 0; i < TEST_COUNT(corners); i++) {
        assert_ok(isomat_matrix_view(&c, whole, corners[i][0], corners[i][1], 4, 4));
        assert_status(multiply(&c, operand, N, other, N), ISOMAT_ERROR_ALIAS);
        assert_status(multiply(&c, other, N, operand, N), ISOMAT_ERROR_ALIAS);
        assert_status(multiply(&c, other, N, operand, T), ISOMAT_ERROR_ALIAS);
        assert_ok(isomat_matrix_destroy(c));
    }
    assert_status(multiply(&operand, operand, N, other, N), ISOMAT_ERROR_ALIAS);
    assert_ok(isomat_matrix_destroy(operand));
    assert_ok(isomat_matrix_destroy(whole));
    assert_ok(isomat_matrix_destroy(other));
}

/* Two handles over the same memory are found out by their addresses. */
static void overlap_of_adopted_memory_is_refused(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix a, c, b = zeros(context, 4, 4);
    uint64_t pointer;

    assert_ok(isomat_memory_allocate(&pointer, 4096, context, ISOMAT_NONE));
    assert_ok(isomat_matrix_adopt(&a, context, pointer, 4, 4, 10, F32, ISOMAT_ADOPT_BORROW));
    assert_ok(isomat_matrix_adopt(&c, context, pointer + 12, 4, 4, 10, F32, ISOMAT_ADOPT_BORROW));
    assert_status(multiply(&c, a, N, b, N), ISOMAT_ERROR_ALIAS);
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(
        isomat_matrix_adopt(&c, context, pointer + 16, 4, 4, 10, F32, ISOMAT_ADOPT_BORROW)); /* beside */
    assert_ok(multiply(&c, a, N, b, N));
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(
        isomat_matrix_adopt(&c, context, pointer + 4 * 34, 4, 4, 4, F32, ISOMAT_ADOPT_BORROW)); /* behind */
    assert_ok(multiply(&c, a, N, b, N));
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(isomat_matrix_adopt(&c, context, pointer + 4 * 33, 4, 4, 4, F32, ISOMAT_ADOPT_BORROW));
    assert_status(multiply(&c, a, N, b, N), ISOMAT_ERROR_ALIAS);
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

static void too_large_sizes_are_unsupported(void **state)
{
    isomat_context context = device_context(state);
    const int64_t limit = (1LL << 31) - 65536;
    isomat_matrix column = zeros(context, 0, 1), c = ISOMAT_NONE;
    isomat_matrix tall;
    char name[64];

    assert_ok(isomat_matrix_create(&tall, context, limit + 1, 0, F32, ISOMAT_NONE));
    assert_status(multiply(&c, tall, N, column, N), ISOMAT_ERROR_UNSUPPORTED);
    assert_int_equal(c, ISOMAT_NONE);
    assert_status(
        isomat_gemm_get_kernel(name, sizeof(name), NULL, context, limit + 1, 1, 1, N, N, ISOMAT_COMPUTE_F32),
        ISOMAT_ERROR_UNSUPPORTED);
    assert_status(
        isomat_gemm_get_kernel(name, sizeof(name), NULL, context, 1, limit + 1, 1, N, N, ISOMAT_COMPUTE_F32),
        ISOMAT_ERROR_UNSUPPORTED);
    assert_status(
        isomat_gemm_get_kernel(name, sizeof(name), NULL, context, 1, 1, 1LL << 40, N, N, ISOMAT_COMPUTE_F32),
        ISOMAT_ERROR_UNSUPPORTED);
    assert_ok(isomat_matrix_destroy(tall));
    assert_ok(isomat_matrix_destroy(column));
}

static void no_room_for_a_new_c_is_told(void **state)
{
    const int64_t size = 1 << 26; /* C of 2^54 bytes */
    isomat_matrix a, b, c = ISOMAT_NONE;

    assert_ok(isomat_matrix_create(&a, device_context(state), size, 0, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&b, device_context(state), 0, size, F32, ISOMAT_NONE));
    assert_status(multiply(&c, a, N, b, N), ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(c, ISOMAT_NONE);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
}

static void get_kernel_names_the_kernel(void **state)
{
    isomat_context context = device_context(state);
    char name[128], cut[8];
    int64_t length = -1;

    assert_ok(isomat_gemm_get_kernel(name, sizeof(name), &length, context, 512, 512, 512, N, T,
                                     ISOMAT_COMPUTE_F32));
    assert_int_equal(length, strlen(name));
    assert_non_null(strstr(name, "isomat_gemm_f32_nt_"));
    assert_ok(
        isomat_gemm_get_kernel(cut, sizeof(cut), &length, context, 512, 512, 512, N, T, ISOMAT_COMPUTE_F32));
    assert_int_equal(length, strlen(name));
    assert_int_equal(strlen(cut), sizeof(cut) - 1);
    assert_ok(
        isomat_gemm_get_kernel(name, sizeof(name), NULL, context, 4096, 4, 4096, N, N, ISOMAT_COMPUTE_F32));
    assert_non_null(strstr(name, "rows"));
    assert_ok(
        isomat_gemm_get_kernel(name, sizeof(name), NULL, context, 0, 4, 4096, N, N, ISOMAT_COMPUTE_F32));
    assert_string_equal(name, "");
    assert_status(
        isomat_gemm_get_kernel(name, sizeof(name), NULL, context, -1, 4, 4, N, N, ISOMAT_COMPUTE_F32),
        ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(
        isomat_gemm_get_kernel(name, sizeof(name), NULL, context, 4, 4, 4, N, 5, ISOMAT_COMPUTE_F32),
        ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_gemm_get_kernel(name, sizeof(name), NULL, context, 4, 4, 4, N, N, 50),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_gemm_get_kernel(name, sizeof(name), NULL, ISOMAT_NONE, 4, 4, 4, N, N, 0),
                  ISOMAT_ERROR_INVALID_HANDLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(bad_arguments_are_refused),
        device_test(bad_handles_are_refused),
        device_test(inner_sizes_must_be_equal),
        device_test(c_must_have_the_size_of_the_product),
        device_test(objects_of_two_contexts_are_refused),
        device_test(overlapping_result_is_refused),
        device_test(overlap_of_adopted_memory_is_refused),
        device_test(too_large_sizes_are_unsupported),
        device_test(no_room_for_a_new_c_is_told),
        device_test(get_kernel_names_the_kernel),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
