/* SPDX-License-Identifier: MIT */
/* test_event.c: own and adopted events, their order and their times. */
#include "tests/support/work.h"

static void event_never_recorded_has_happened(void **state)
{
    isomat_event event;

    for (int32_t timing = 0; timing <= 1; timing++) {
        assert_ok(isomat_event_create(&event, device_context(state), timing));
        assert_ok(isomat_event_query(event));
        assert_ok(isomat_event_synchronize(event));
        assert_ok(isomat_event_destroy(event));
    }
}

static void create_refuses_bad_arguments(void **state)
{
    isomat_event event;

    assert_status(isomat_event_create(NULL, device_context(state), 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(event, isomat_event_create(&event, ISOMAT_NONE, 0), ISOMAT_ERROR_INVALID_HANDLE);
}

static void query_tells_an_event_to_come(void **state)
{
    isomat_event event;
    struct work work;

    work_load(&work, device_context(state));
    assert_ok(isomat_event_create(&event, device_context(state), 0));
    work_spin(&work, ISOMAT_NONE, 200);
    assert_ok(isomat_event_record(event, ISOMAT_NONE));
    if (device_is_host())
        device_host_fault("cuEventQuery:1=NOT_READY");
    assert_status(isomat_event_query(event), ISOMAT_ERROR_NOT_READY);
    if (device_is_host())
        device_host_fault(NULL);
    assert_ok(isomat_event_synchronize(event));
    assert_ok(isomat_event_query(event));
    assert_ok(isomat_event_destroy(event));
    work_unload(&work);
}

static void elapsed_measures_the_work_between(void **state)
{
    isomat_context context = device_context(state);
    isomat_event start, end;
    struct work work;
    double milliseconds = -1;

    work_load(&work, context);
    assert_ok(isomat_event_create(&start, context, 1));
    assert_ok(isomat_event_create(&end, context, 1));
    assert_ok(isomat_event_record(start, ISOMAT_NONE));
    work_spin(&work, ISOMAT_NONE, 20);
    assert_ok(isomat_event_record(end, ISOMAT_NONE));
    assert_ok(isomat_event_synchronize(end));
    assert_ok(isomat_event_elapsed(&milliseconds, start, end));
    assert_true(milliseconds >= 0 && milliseconds < 60000);
    if (!device_is_host())
        assert_true(milliseconds > 2);
    assert_ok(isomat_event_destroy(start));
    assert_ok(isomat_event_destroy(end));
    work_unload(&work);
}

static void elapsed_tells_events_to_come(void **state)
{
    isomat_context context = device_context(state);
    isomat_event start, end;
    struct work work;
    double milliseconds;

    work_load(&work, context);
    assert_ok(isomat_event_create(&start, context, 1));
    assert_ok(isomat_event_create(&end, context, 1));
    assert_ok(isomat_event_record(start, ISOMAT_NONE));
    work_spin(&work, ISOMAT_NONE, 200);
    assert_ok(isomat_event_record(end, ISOMAT_NONE));
    if (device_is_host())
        device_host_fault("cuEventElapsedTime:1=NOT_READY");
    assert_status(isomat_event_elapsed(&milliseconds, start, end), ISOMAT_ERROR_NOT_READY);
    if (device_is_host())
        device_host_fault(NULL);
    assert_ok(isomat_event_synchronize(end));
    assert_ok(isomat_event_destroy(start));
    assert_ok(isomat_event_destroy(end));
    work_unload(&work);
}

static void elapsed_refuses_bad_arguments(void **state)
{
    isomat_context context = device_context(state);
    isomat_event timed, untimed, never;
    double milliseconds;

    assert_ok(isomat_event_create(&timed, context, 1));
    assert_ok(isomat_event_create(&untimed, context, 0));
    assert_ok(isomat_event_create(&never, context, 1));
    assert_ok(isomat_event_record(timed, ISOMAT_NONE));
    assert_ok(isomat_event_record(untimed, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_event_elapsed(&milliseconds, timed, timed));
    assert_status(isomat_event_elapsed(NULL, timed, timed), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_event_elapsed(&milliseconds, timed, untimed), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_event_elapsed(&milliseconds, untimed, timed), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_event_elapsed(&milliseconds, never, timed), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_event_elapsed(&milliseconds, timed, never), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_event_elapsed(&milliseconds, ISOMAT_NONE, timed), ISOMAT_ERROR_INVALID_HANDLE);
    assert_ok(isomat_event_destroy(timed));
    assert_ok(isomat_event_destroy(untimed));
    assert_ok(isomat_event_destroy(never));
}

static void record_refuses_a_stream_of_another_context(void **state)
{
    isomat_context other;
    isomat_stream stream;
    isomat_event event;

    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_stream_create(&stream, other, 0));
    assert_ok(isomat_event_create(&event, device_context(state), 0));
    assert_status(isomat_event_record(event, stream), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_ok(isomat_stream_destroy(stream));
    assert_status(isomat_event_record(event, stream), ISOMAT_ERROR_STALE_HANDLE);
    assert_ok(isomat_event_destroy(event));
    assert_ok(isomat_context_destroy(other));
}

static void adopted_event_is_borrowed_or_owned(void **state)
{
    isomat_context_info info = {.struct_size = sizeof(info)};
    isomat_context context = device_context(state);
    isomat_event event;
    uint64_t native;

    assert_ok(isomat_context_get_info(&info, context));
    for (int32_t ownership = ISOMAT_ADOPT_BORROW; ownership <= ISOMAT_ADOPT_OWN; ownership++) {
        device_push_context(info.cu_context);
        native = device_create_native_event();
        device_pop_context();
        assert_ok(isomat_event_adopt(&event, context, native, ownership));
        assert_ok(isomat_event_record(event, ISOMAT_NONE));
        assert_ok(isomat_event_synchronize(event));
        assert_ok(isomat_event_destroy(event));
        if (ownership == ISOMAT_ADOPT_BORROW)
            device_destroy_native_event(native);
    }
    assert_status(isomat_event_adopt(NULL, context, native, ISOMAT_ADOPT_BORROW),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(event, isomat_event_adopt(&event, context, 0, ISOMAT_ADOPT_BORROW),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(event, isomat_event_adopt(&event, context, native, 3), ISOMAT_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(event_never_recorded_has_happened),
        device_test(create_refuses_bad_arguments),
        device_test(query_tells_an_event_to_come),
        device_test(elapsed_measures_the_work_between),
        device_test(elapsed_tells_events_to_come),
        device_test(elapsed_refuses_bad_arguments),
        device_test(record_refuses_a_stream_of_another_context),
        device_test(adopted_event_is_borrowed_or_owned),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
