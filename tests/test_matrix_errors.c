/* SPDX-License-Identifier: MIT */
/* test_matrix_errors.c: every documented error of the matrix functions. */
#include "tests/support/device.h"

#define F32 ISOMAT_TYPE_F32

static void create_refuses_bad_sizes(void **state)
{
    static const int64_t bad[][2] = {
        {-1, 5},
        {5, -1},
        {INT64_MIN, 1},
        {1, INT64_MIN},
        {INT64_MAX, INT64_MAX},
        {1LL << 32, 1LL << 32},
        {INT64_MAX, 2},
        {1LL << 62, 1}, /* times 4 bytes is too large */
    };
    isomat_context context = device_context(state);
    isomat_matrix matrix;
    float value = 0;

    for (size_t i = 0; i < TEST_COUNT(bad); i++) {
        assert_no_handle(matrix,
                         isomat_matrix_create(&matrix, context, bad[i][0], bad[i][1], F32, ISOMAT_NONE),
                         ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_no_handle(matrix,
                         isomat_matrix_from_host(&matrix, context, &value, bad[i][0], bad[i][1], INT64_MAX,
                                                 F32, ISOMAT_NONE),
                         ISOMAT_ERROR_INVALID_ARGUMENT);
    }
    assert_no_handle(matrix, isomat_matrix_create(&matrix, context, -3, 5, F32, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("-3", "5");
}

static void create_refuses_bad_arguments(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix matrix;

    assert_status(isomat_matrix_create(NULL, context, 1, 1, F32, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(matrix, isomat_matrix_create(&matrix, context, 1, 1, 0, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(matrix, isomat_matrix_create(&matrix, context, 1, 1, 99, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(matrix, isomat_matrix_create(&matrix, ISOMAT_NONE, 1, 1, F32, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_HANDLE);
    assert_no_handle(matrix, isomat_matrix_create(&matrix, context, 1, 1, F32, context),
                     ISOMAT_ERROR_WRONG_KIND);
}

static void too_large_matrix_is_refused_with_the_numbers(void **state)
{
    isomat_matrix matrix;

    assert_no_handle(matrix,
                     isomat_matrix_create(&matrix, device_context(state), 1 << 25, 1 << 25, F32, ISOMAT_NONE),
                     ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_message_contains("4503599627370496", "free");
}

static void from_host_refuses_bad_arguments(void **state)
{
    isomat_context context = device_context(state);
    float data[6] = {0};
    isomat_matrix matrix;

    assert_status(isomat_matrix_from_host(NULL, context, data, 2, 3, 3, F32, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(matrix, isomat_matrix_from_host(&matrix, context, NULL, 2, 3, 3, F32, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(matrix, isomat_matrix_from_host(&matrix, context, data, 2, 3, 2, F32, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("2", "3");
    assert_no_handle(matrix, isomat_matrix_from_host(&matrix, context, data, 2, 3, -3, F32, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(matrix, isomat_matrix_from_host(&matrix, context, data, 2, 3, 3, 7, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
}

static void transfers_refuse_bad_arguments(void **state)
{
    float data[6] = {0};
    isomat_matrix matrix;

    assert_ok(isomat_matrix_create(&matrix, device_context(state), 2, 3, F32, ISOMAT_NONE));
    assert_status(isomat_matrix_upload(matrix, NULL, 3, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_matrix_upload(matrix, data, 2, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_matrix_to_host(NULL, 3, matrix, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_matrix_to_host(data, 2, matrix, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("2", "3");
    assert_ok(isomat_matrix_destroy(matrix));
}

static void adopt_refuses_bad_arguments(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix m;
    uint64_t p;

    assert_ok(isomat_memory_allocate(&p, 256, context, ISOMAT_NONE));
    assert_status(isomat_matrix_adopt(NULL, context, p, 2, 3, 3, F32, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(m, isomat_matrix_adopt(&m, context, 0, 2, 3, 3, F32, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(m, isomat_matrix_adopt(&m, context, p + 2, 2, 3, 3, F32, 0),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(m, isomat_matrix_adopt(&m, context, p, -2, 3, 3, F32, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(m, isomat_matrix_adopt(&m, context, p, 2, -3, 3, F32, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(m, isomat_matrix_adopt(&m, context, p, 2, 3, 2, F32, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(m, isomat_matrix_adopt(&m, context, p, 1LL << 40, 3, 1LL << 40, F32, 0),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(m, isomat_matrix_adopt(&m, context, p, 2, 3, 3, 12, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(m, isomat_matrix_adopt(&m, context, p, 2, 3, 3, F32, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_memory_free(p, context, ISOMAT_NONE));
}

static void adopt_refuses_host_memory(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix matrix;
    void *host;

    assert_ok(isomat_memory_allocate_host(&host, 64, context));
    assert_no_handle(matrix, isomat_matrix_adopt(&matrix, context, (uintptr_t)host, 2, 3, 3, F32, 0),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("host");
    assert_ok(isomat_memory_free_host(host, context));
}

/* Allocated past the pools, whose memory belongs to a device and not to a context. */
static void adopt_refuses_memory_of_another_context(void **state)
{
    uint64_t other = device_create_native_context(), pointer = device_allocate_native(256);
    isomat_matrix matrix;

    assert_no_handle(matrix, isomat_matrix_adopt(&matrix, device_context(state), pointer, 2, 3, 3, F32, 0),
                     ISOMAT_ERROR_CONTEXT_MISMATCH);
    device_free_native(pointer);
    device_pop_context();
    device_destroy_native_context(other);
}

static void view_must_lie_inside(void **state)
{
    static const int64_t bad[][4] = {
        {-1, 0, 1, 1}, {0, -1, 1, 1}, {0, 0, -1, 1}, {0, 0, 1, -1},        {0, 0, 5, 1},
        {0, 0, 1, 7},  {4, 0, 1, 1},  {0, 6, 1, 1},  {2, 2, INT64_MAX, 1}, {2, 2, 1, INT64_MAX},
        {5, 0, 0, 0},  {0, 7, 0, 0},  {3, 3, 2, 2},  {INT64_MAX, 0, 1, 1}, {1, INT64_MAX, 1, INT64_MAX},
    };
    isomat_matrix matrix, view;

    assert_ok(isomat_matrix_create(&matrix, device_context(state), 4, 6, F32, ISOMAT_NONE));
    for (size_t i = 0; i < TEST_COUNT(bad); i++)
        assert_no_handle(view, isomat_matrix_view(&view, matrix, bad[i][0], bad[i][1], bad[i][2], bad[i][3]),
                         ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(view, isomat_matrix_view(&view, matrix, 3, 2, 2, 9), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("3", "2", "9", "4", "6");
    assert_status(isomat_matrix_view(NULL, matrix, 0, 0, 1, 1), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_matrix_destroy(matrix));
}

static void info_refuses_bad_structs(void **state)
{
    isomat_matrix_info info = {.struct_size = 16};
    isomat_matrix matrix;

    assert_ok(isomat_matrix_create(&matrix, device_context(state), 1, 1, F32, ISOMAT_NONE));
    assert_status(isomat_matrix_get_info(&info, matrix), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_matrix_get_info(NULL, matrix), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_matrix_destroy(matrix));
}

static void copy_refuses_what_does_not_fit(void **state)
{
    isomat_context context = device_context(state), other;
    isomat_matrix matrix, smaller, foreign, first, second;

    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_matrix_create(&matrix, context, 6, 8, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&smaller, context, 6, 7, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&foreign, other, 6, 8, F32, ISOMAT_NONE));
    assert_status(isomat_matrix_copy(matrix, smaller, ISOMAT_NONE), ISOMAT_ERROR_SHAPE_MISMATCH);
    assert_message_contains("6", "8", "7");
    assert_status(isomat_matrix_copy(matrix, foreign, ISOMAT_NONE), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_ok(isomat_matrix_view(&first, matrix, 0, 0, 4, 4));
    assert_ok(isomat_matrix_view(&second, matrix, 2, 3, 4, 4));
    assert_status(isomat_matrix_copy(first, second, ISOMAT_NONE), ISOMAT_ERROR_ALIAS);
    assert_status(isomat_matrix_copy(second, first, ISOMAT_NONE), ISOMAT_ERROR_ALIAS);
    assert_ok(isomat_matrix_destroy(first));
    assert_ok(isomat_matrix_destroy(second));
    assert_ok(isomat_matrix_destroy(matrix));
    assert_ok(isomat_matrix_destroy(smaller));
    assert_ok(isomat_matrix_destroy(foreign));
    assert_ok(isomat_context_destroy(other));
}

static void stream_of_another_context_is_refused(void **state)
{
    isomat_context other;
    isomat_matrix matrix, created;
    isomat_stream stream;
    float value = 0;

    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_stream_create(&stream, other, 0));
    assert_ok(isomat_matrix_create(&matrix, device_context(state), 1, 1, F32, ISOMAT_NONE));
    assert_no_handle(created, isomat_matrix_create(&created, device_context(state), 1, 1, F32, stream),
                     ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_no_handle(created,
                     isomat_matrix_from_host(&created, device_context(state), &value, 1, 1, 1, F32, stream),
                     ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_matrix_fill(matrix, 1, stream), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_matrix_upload(matrix, &value, 1, stream), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_matrix_to_host(&value, 1, matrix, stream), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_matrix_copy(matrix, matrix, stream), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_ok(isomat_matrix_destroy(matrix));
    assert_ok(isomat_stream_destroy(stream));
    assert_ok(isomat_context_destroy(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(create_refuses_bad_sizes),
        device_test(create_refuses_bad_arguments),
        device_test(too_large_matrix_is_refused_with_the_numbers),
        device_test(from_host_refuses_bad_arguments),
        device_test(transfers_refuse_bad_arguments),
        device_test(adopt_refuses_bad_arguments),
        device_test(adopt_refuses_host_memory),
        device_test(adopt_refuses_memory_of_another_context),
        device_test(view_must_lie_inside),
        device_test(info_refuses_bad_structs),
        device_test(copy_refuses_what_does_not_fit),
        device_test(stream_of_another_context_is_refused),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
