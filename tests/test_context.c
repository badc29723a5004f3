/* SPDX-License-Identifier: MIT */
/* test_context.c: primary, own and adopted contexts. */
#include "tests/support/device.h"

static isomat_context_info info_of(isomat_context context)
{
    isomat_context_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_context_get_info(&info, context));
    return info;
}

/* The context works: a value goes there and back. */
static void assert_works(isomat_context context)
{
    isomat_matrix matrix;
    float value = 0;

    assert_ok(isomat_matrix_create(&matrix, context, 1, 1, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(matrix, 42, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(&value, 1, matrix, ISOMAT_NONE));
    assert_true(value == 42);
    assert_ok(isomat_matrix_destroy(matrix));
}

static void primary_context_is_one_per_device(void **state)
{
    isomat_context first, second;

    (void)state;
    assert_ok(isomat_context_create(&first, 0, ISOMAT_CONTEXT_PRIMARY));
    assert_ok(isomat_context_create(&second, 0, ISOMAT_CONTEXT_PRIMARY));
    assert_int_not_equal(first, second);
    assert_int_equal(info_of(first).cu_context, info_of(second).cu_context);
    assert_works(first);
    assert_ok(isomat_context_destroy(first));
    assert_works(second);
    assert_ok(isomat_context_destroy(second));
}

static void own_contexts_differ(void **state)
{
    isomat_context first, second;

    assert_ok(isomat_context_create(&first, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_context_create(&second, 0, ISOMAT_CONTEXT_OWN));
    assert_int_not_equal(info_of(first).cu_context, info_of(second).cu_context);
    assert_int_not_equal(info_of(first).cu_context, info_of(device_context(state)).cu_context);
    assert_works(second);
    assert_works(first);
    assert_ok(isomat_context_destroy(first));
    assert_works(second);
    assert_ok(isomat_context_destroy(second));
}

static void info_tells_device_stream_and_memory(void **state)
{
    isomat_context_info info = info_of(device_context(state));

    assert_int_equal(info.device, 0);
    assert_int_not_equal(info.cu_context, 0);
    assert_int_not_equal(info.cu_stream, 0);
    assert_true(info.memory_total_bytes > 0);
    assert_in_range(info.memory_free_bytes, 1, info.memory_total_bytes);
    assert_true(info.pool_reserved_bytes >= 0);
    assert_true(info.pool_used_bytes >= 0 && info.pool_used_bytes <= info.pool_reserved_bytes);
}

static void create_refuses_bad_arguments(void **state)
{
    isomat_context context;
    int32_t count;

    (void)state;
    assert_ok(isomat_device_count(&count));
    assert_status(isomat_context_create(NULL, 0, ISOMAT_CONTEXT_PRIMARY), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(context, isomat_context_create(&context, -1, ISOMAT_CONTEXT_PRIMARY),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(context, isomat_context_create(&context, count, ISOMAT_CONTEXT_OWN),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(context, isomat_context_create(&context, 0, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(context, isomat_context_create(&context, 0, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
}

static void info_refuses_bad_structs(void **state)
{
    isomat_context_info info = {.struct_size = 8};

    assert_status(isomat_context_get_info(NULL, device_context(state)), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_context_get_info(&info, device_context(state)), ISOMAT_ERROR_INVALID_ARGUMENT);
}

static void borrowed_context_is_left_alone(void **state)
{
    uint64_t native = device_create_native_context();
    isomat_context context;

    (void)state;
    device_pop_context();
    assert_ok(isomat_context_adopt(&context, native, ISOMAT_ADOPT_BORROW));
    assert_int_equal(info_of(context).cu_context, native);
    assert_works(context);
    assert_ok(isomat_context_destroy(context));
    device_push_context(native); /* still alive */
    assert_int_equal(device_pop_context(), native);
    device_destroy_native_context(native);
}

static void owned_context_is_destroyed(void **state)
{
    uint64_t native = device_create_native_context();
    isomat_context context;

    (void)state;
    device_pop_context();
    assert_ok(isomat_context_adopt(&context, native, ISOMAT_ADOPT_OWN));
    assert_works(context);
    assert_ok(isomat_context_destroy(context)); /* device_close finds it if it was left */
}

static void adopt_refuses_bad_arguments(void **state)
{
    uint64_t native = info_of(device_context(state)).cu_context;
    isomat_context context;

    assert_status(isomat_context_adopt(NULL, native, ISOMAT_ADOPT_BORROW), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(context, isomat_context_adopt(&context, 0, ISOMAT_ADOPT_BORROW),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(context, isomat_context_adopt(&context, native, 2), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(context, isomat_context_adopt(&context, native, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
}

/* What is no context: the host driver can tell; a real driver may crash on it, as it documents. */
static void adopt_refuses_what_is_no_context(void **state)
{
    isomat_context context;
    static char text[256] = "not a context";

    (void)state;
    if (!device_is_host())
        skip();
    assert_no_handle(context, isomat_context_adopt(&context, (uint64_t)(uintptr_t)text, ISOMAT_ADOPT_BORROW),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
}

static void synchronize_waits(void **state)
{
    isomat_context context;

    assert_ok(isomat_context_synchronize(device_context(state)));
    assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_context_destroy(context));
    assert_status(isomat_context_synchronize(context), ISOMAT_ERROR_STALE_HANDLE);
}

static void trim_gives_memory_back(void **state)
{
    isomat_context context = device_context(state);
    isomat_context_info before, after;
    uint64_t pointer;

    assert_ok(isomat_memory_allocate(&pointer, 64 << 20, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(context));
    before = info_of(context);
    assert_ok(isomat_context_trim(context, 0));
    after = info_of(context);
    assert_true(after.pool_reserved_bytes <= before.pool_reserved_bytes);
    assert_true(after.pool_reserved_bytes < 64 << 20);
    assert_status(isomat_context_trim(context, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("-1");
    assert_ok(isomat_context_trim(context, INT64_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(primary_context_is_one_per_device),
        device_test(own_contexts_differ),
        device_test(info_tells_device_stream_and_memory),
        device_test(create_refuses_bad_arguments),
        device_test(info_refuses_bad_structs),
        device_test(borrowed_context_is_left_alone),
        device_test(owned_context_is_destroyed),
        device_test(adopt_refuses_bad_arguments),
        device_test(adopt_refuses_what_is_no_context),
        device_test(synchronize_waits),
        device_test(trim_gives_memory_back),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
