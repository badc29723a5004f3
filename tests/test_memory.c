/* SPDX-License-Identifier: MIT */
/* test_memory.c: device and page-locked memory, copies and fills. */
#include "tests/support/work.h"

#define BYTES 1000

/* Bytes that differ from their neighbours. */
static void pattern(unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * 37 + i / 251 + 1);
}

static void allocation_is_aligned_and_holds_what_is_copied(void **state)
{
    static const int64_t sizes[] = {1, 3, 255, 256, 257, 4096, 1 << 20, (1 << 22) + 1};
    isomat_context context = device_context(state);
    unsigned char *sent = malloc((1 << 22) + 1), *got = malloc((1 << 22) + 1);
    uint64_t pointer;

    pattern(sent, (1 << 22) + 1);
    for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
        assert_ok(isomat_memory_allocate(&pointer, sizes[i], context, ISOMAT_NONE));
        assert_int_not_equal(pointer, 0);
        assert_int_equal(pointer % 256, 0);
        memset(got, 0, (size_t)sizes[i]);
        assert_ok(isomat_memory_copy_to_device(pointer, sent, sizes[i], context, ISOMAT_NONE));
        assert_ok(isomat_memory_copy_to_host(got, pointer, sizes[i], context, ISOMAT_NONE));
        assert_memory_equal(got, sent, sizes[i]);
        assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
    }
    free(sent);
    free(got);
}

static void allocate_refuses_bad_arguments(void **state)
{
    isomat_context context = device_context(state);
    uint64_t pointer;

    assert_status(isomat_memory_allocate(NULL, 16, context, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(pointer, isomat_memory_allocate(&pointer, 0, context, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(pointer, isomat_memory_allocate(&pointer, -5, context, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("-5");
    assert_status(isomat_memory_allocate(&pointer, 16, ISOMAT_NONE, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(isomat_memory_allocate(&pointer, 16, context, context), ISOMAT_ERROR_WRONG_KIND);
}

static void too_much_memory_is_refused_with_the_numbers(void **state)
{
    isomat_context context = device_context(state);
    uint64_t pointer;

    assert_no_handle(pointer, isomat_memory_allocate(&pointer, 1LL << 60, context, ISOMAT_NONE),
                     ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_message_contains("1152921504606846976", "free");
    assert_int_equal(isomat_error_cuda_result(), 2);
    assert_ok(isomat_memory_allocate(&pointer, 16, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

static void free_refuses_what_was_not_allocated(void **state)
{
    isomat_context context = device_context(state);
    uint64_t pointer;

    assert_ok(isomat_memory_free(0, context, ISOMAT_NONE));
    assert_status(isomat_memory_free(0x12340, context, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_memory_allocate(&pointer, 4096, context, ISOMAT_NONE));
    assert_status(isomat_memory_free(pointer + 256, context, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

static void twice_freed_memory_is_refused(void **state)
{
    isomat_context context = device_context(state);
    uint64_t pointer;

    assert_ok(isomat_memory_allocate(&pointer, 4096, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(context));
    assert_status(isomat_memory_free(pointer, context, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
}

static void page_locked_memory_holds_copies(void **state)
{
    isomat_context context = device_context(state);
    void *sent, *got;
    uint64_t pointer;

    assert_ok(isomat_memory_allocate_host(&sent, BYTES, context));
    assert_ok(isomat_memory_allocate_host(&got, BYTES, context));
    assert_ok(isomat_memory_allocate(&pointer, BYTES, context, ISOMAT_NONE));
    pattern(sent, BYTES);
    memset(got, 0, BYTES);
    assert_ok(isomat_memory_copy_to_device(pointer, sent, BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_host(got, pointer, BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(context));
    assert_memory_equal(got, sent, BYTES);
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free_host(sent, context));
    assert_ok(isomat_memory_free_host(got, context));

    assert_ok(isomat_memory_free_host(NULL, context));
    assert_status(isomat_memory_allocate_host(NULL, BYTES, context), ISOMAT_ERROR_INVALID_ARGUMENT);
    got = &pointer;
    assert_status(isomat_memory_allocate_host(&got, 0, context), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_null(got);
    assert_status(isomat_memory_allocate_host(&got, -1, context), ISOMAT_ERROR_INVALID_ARGUMENT);
}

/* A pageable source may be changed as soon as the call returns, however busy the stream is. */
static void pageable_source_may_be_reused_at_once(void **state)
{
    isomat_context context = device_context(state);
    unsigned char sent[BYTES], expected[BYTES], got[BYTES];
    struct work work;
    uint64_t pointer;

    work_load(&work, context);
    assert_ok(isomat_memory_allocate(&pointer, BYTES, context, ISOMAT_NONE));
    pattern(sent, BYTES);
    pattern(expected, BYTES);
    work_spin(&work, ISOMAT_NONE, 50);
    assert_ok(isomat_memory_copy_to_device(pointer, sent, BYTES, context, ISOMAT_NONE));
    memset(sent, 0xee, sizeof(sent));
    assert_ok(isomat_memory_copy_to_host(got, pointer, BYTES, context, ISOMAT_NONE));
    assert_memory_equal(got, expected, BYTES);
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
    work_unload(&work);
}

static void copies_within_the_device(void **state)
{
    isomat_context context = device_context(state);
    unsigned char sent[BYTES], got[BYTES];
    uint64_t from, to;

    pattern(sent, BYTES);
    memset(got, 0, BYTES);
    assert_ok(isomat_memory_allocate(&from, BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_allocate(&to, BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_device(from, sent, BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_device(to, from, BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_device(to + 1, from + 7, 100, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_host(got, to, BYTES, context, ISOMAT_NONE));
    assert_memory_equal(got + 1, sent + 7, 100);
    assert_int_equal(got[0], sent[0]);
    assert_memory_equal(got + 101, sent + 101, BYTES - 101);
    assert_ok(isomat_memory_free(from, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free(to, context, ISOMAT_NONE));
}

static void copies_refuse_bad_arguments(void **state)
{
    isomat_context context = device_context(state);
    unsigned char host[16] = {0};
    uint64_t device;

    assert_ok(isomat_memory_allocate(&device, 16, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_device(device, host, 0, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_host(host, device, 0, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_device(device, device, 0, context, ISOMAT_NONE));
    assert_status(isomat_memory_copy_to_device(0, host, 4, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_copy_to_device(device, NULL, 4, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_copy_to_device(device, host, -4, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("-4");
    assert_status(isomat_memory_copy_to_host(NULL, device, 4, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_copy_to_host(host, 0, 4, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_copy_to_host(host, device, -1, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_copy_device(0, device, 4, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_copy_device(device, 0, 4, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_copy_device(device, device, -4, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_memory_free(device, context, ISOMAT_NONE));
}

static void stream_of_another_context_is_refused(void **state)
{
    isomat_context context = device_context(state), other;
    unsigned char host[16] = {0};
    isomat_stream stream;
    uint64_t device, pointer;

    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_stream_create(&stream, other, 0));
    assert_ok(isomat_memory_allocate(&device, 16, context, ISOMAT_NONE));
    assert_no_handle(pointer, isomat_memory_allocate(&pointer, 16, context, stream),
                     ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_memory_copy_to_device(device, host, 16, context, stream),
                  ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_memory_copy_to_host(host, device, 16, context, stream),
                  ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_memory_copy_device(device, device, 16, context, stream),
                  ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_memory_fill(device, 0, 4, 4, context, stream), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_memory_free(device, context, stream), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_ok(isomat_memory_free(device, context, ISOMAT_NONE));
    assert_ok(isomat_stream_destroy(stream));
    assert_ok(isomat_context_destroy(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(allocation_is_aligned_and_holds_what_is_copied),
        device_test(allocate_refuses_bad_arguments),
        device_test(too_much_memory_is_refused_with_the_numbers),
        device_test(free_refuses_what_was_not_allocated),
        device_test(twice_freed_memory_is_refused),
        device_test(page_locked_memory_holds_copies),
        device_test(pageable_source_may_be_reused_at_once),
        device_test(copies_within_the_device),
        device_test(copies_refuse_bad_arguments),
        device_test(stream_of_another_context_is_refused),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
