/* SPDX-License-Identifier: MIT */
/* test_stream.c: own and adopted streams, and the order that they keep. */
#include "tests/support/work.h"

static void stream_is_created_with_any_priority(void **state)
{
    static const int32_t priorities[] = {0, -1, -100, 5};
    isomat_stream stream;
    uint64_t native;

    for (size_t i = 0; i < TEST_COUNT(priorities); i++) {
        assert_ok(isomat_stream_create(&stream, device_context(state), priorities[i]));
        assert_ok(isomat_stream_get_native(&native, stream));
        assert_int_not_equal(native, 0);
        assert_ok(isomat_stream_synchronize(stream));
        assert_ok(isomat_stream_query(stream));
        assert_ok(isomat_stream_destroy(stream));
    }
}

static void create_refuses_bad_arguments(void **state)
{
    isomat_stream stream;
    uint64_t native;

    assert_status(isomat_stream_create(NULL, device_context(state), 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(stream, isomat_stream_create(&stream, ISOMAT_NONE, 0), ISOMAT_ERROR_INVALID_HANDLE);
    assert_ok(isomat_stream_create(&stream, device_context(state), 0));
    assert_status(isomat_stream_get_native(NULL, stream), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_stream_get_native(&native, ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
    assert_ok(isomat_stream_destroy(stream));
}

static void query_tells_unfinished_work(void **state)
{
    isomat_stream stream;
    struct work work;

    work_load(&work, device_context(state));
    assert_ok(isomat_stream_create(&stream, device_context(state), 0));
    assert_ok(isomat_stream_query(stream));
    work_spin(&work, stream, 200);
    if (device_is_host())
        device_host_fault("cuStreamQuery:1=NOT_READY");
    assert_status(isomat_stream_query(stream), ISOMAT_ERROR_NOT_READY);
    if (device_is_host())
        device_host_fault(NULL);
    assert_ok(isomat_stream_synchronize(stream));
    assert_ok(isomat_stream_query(stream));
    assert_ok(isomat_stream_destroy(stream));
    work_unload(&work);
}

static void destroyed_stream_still_runs_its_work(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream stream;
    isomat_matrix matrix;
    struct work work;
    float value = 0;

    work_load(&work, context);
    assert_ok(isomat_stream_create(&stream, context, 0));
    assert_ok(isomat_matrix_create(&matrix, context, 1, 1, ISOMAT_TYPE_F32, stream));
    work_spin(&work, stream, 20);
    assert_ok(isomat_matrix_fill(matrix, 7, stream));
    assert_ok(isomat_stream_destroy(stream));
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_matrix_to_host(&value, 1, matrix, ISOMAT_NONE));
    assert_true(value == 7);
    assert_ok(isomat_matrix_destroy(matrix));
    work_unload(&work);
}

static void wait_orders_two_streams(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream first, second;
    isomat_matrix matrix;
    isomat_event event;
    struct work work;
    float value = 0;

    work_load(&work, context);
    assert_ok(isomat_stream_create(&first, context, 0));
    assert_ok(isomat_stream_create(&second, context, 0));
    assert_ok(isomat_event_create(&event, context, 0));
    assert_ok(isomat_matrix_create(&matrix, context, 1, 1, ISOMAT_TYPE_F32, first));
    assert_ok(isomat_matrix_fill(matrix, 1, first));
    assert_ok(isomat_matrix_fill(matrix, 2, second)); /* its first use there orders itself */
    assert_ok(isomat_event_record(event, second));
    assert_ok(isomat_stream_wait(first, event));
    work_spin(&work, first, 50);
    assert_ok(isomat_matrix_fill(matrix, 3, first));
    assert_ok(isomat_event_record(event, first));
    assert_ok(isomat_stream_wait(second, event));
    assert_ok(isomat_matrix_to_host(&value, 1, matrix, second));
    assert_true(value == 3);
    assert_ok(isomat_matrix_destroy(matrix));
    assert_ok(isomat_event_destroy(event));
    assert_ok(isomat_stream_destroy(first));
    assert_ok(isomat_stream_destroy(second));
    work_unload(&work);
}

/* "A matrix first used on another stream than its own makes that stream wait." */
static void first_use_on_another_stream_waits(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream first, second;
    isomat_matrix matrix;
    struct work work;
    float value = 0;

    work_load(&work, context);
    assert_ok(isomat_stream_create(&first, context, 0));
    assert_ok(isomat_stream_create(&second, context, 0));
    work_spin(&work, first, 100);
    assert_ok(isomat_matrix_create(&matrix, context, 1, 1, ISOMAT_TYPE_F32, first));
    assert_ok(isomat_matrix_fill(matrix, 5, first));
    assert_ok(isomat_matrix_to_host(&value, 1, matrix, second));
    assert_true(value == 5);
    assert_ok(isomat_matrix_destroy(matrix));
    assert_ok(isomat_stream_destroy(first));
    assert_ok(isomat_stream_destroy(second));
    work_unload(&work);
}

static void wait_takes_an_event_of_another_context(void **state)
{
    isomat_context other;
    isomat_stream stream;
    isomat_event event;

    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_event_create(&event, other, 0));
    assert_ok(isomat_event_record(event, ISOMAT_NONE));
    assert_ok(isomat_stream_create(&stream, device_context(state), 0));
    assert_ok(isomat_stream_wait(stream, event));
    assert_ok(isomat_stream_synchronize(stream));
    assert_status(isomat_stream_wait(stream, ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(isomat_stream_wait(stream, stream), ISOMAT_ERROR_WRONG_KIND);
    assert_ok(isomat_stream_destroy(stream));
    assert_ok(isomat_event_destroy(event));
    assert_ok(isomat_context_destroy(other));
}

static void adopted_stream_is_borrowed_or_owned(void **state)
{
    isomat_context_info info = {.struct_size = sizeof(info)};
    isomat_context context = device_context(state);
    isomat_stream stream;
    uint64_t native, told;

    assert_ok(isomat_context_get_info(&info, context));
    for (int32_t ownership = ISOMAT_ADOPT_BORROW; ownership <= ISOMAT_ADOPT_OWN; ownership++) {
        device_push_context(info.cu_context);
        native = device_create_native_stream();
        device_pop_context();
        assert_ok(isomat_stream_adopt(&stream, context, native, ownership));
        assert_ok(isomat_stream_get_native(&told, stream));
        assert_int_equal(told, native);
        assert_ok(isomat_stream_synchronize(stream));
        assert_ok(isomat_stream_destroy(stream));
        if (ownership == ISOMAT_ADOPT_BORROW)
            device_destroy_native_stream(native);
    }
    assert_ok(isomat_stream_adopt(&stream, context, 0, ISOMAT_ADOPT_BORROW));
    assert_ok(isomat_stream_get_native(&told, stream));
    assert_int_equal(told, 0);
    assert_ok(isomat_stream_synchronize(stream));
    assert_ok(isomat_stream_destroy(stream));
}

static void adopt_refuses_bad_arguments(void **state)
{
    isomat_context context = device_context(state);
    uint64_t other, native;
    isomat_stream stream;

    assert_status(isomat_stream_adopt(NULL, context, 0, ISOMAT_ADOPT_BORROW), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(stream, isomat_stream_adopt(&stream, context, 0, ISOMAT_ADOPT_OWN),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(stream, isomat_stream_adopt(&stream, context, 0, 7), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(stream, isomat_stream_adopt(&stream, ISOMAT_NONE, 0, ISOMAT_ADOPT_BORROW),
                     ISOMAT_ERROR_INVALID_HANDLE);
    other = device_create_native_context();
    native = device_create_native_stream();
    device_pop_context();
    assert_no_handle(stream, isomat_stream_adopt(&stream, context, native, ISOMAT_ADOPT_BORROW),
                     ISOMAT_ERROR_CONTEXT_MISMATCH);
    device_push_context(other);
    device_destroy_native_stream(native);
    device_pop_context();
    device_destroy_native_context(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(stream_is_created_with_any_priority),
        device_test(create_refuses_bad_arguments),
        device_test(query_tells_unfinished_work),
        device_test(destroyed_stream_still_runs_its_work),
        device_test(wait_orders_two_streams),
        device_test(first_use_on_another_stream_waits),
        device_test(wait_takes_an_event_of_another_context),
        device_test(adopted_stream_is_borrowed_or_owned),
        device_test(adopt_refuses_bad_arguments),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
