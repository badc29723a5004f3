/* SPDX-License-Identifier: MIT */
/* test_status.c: version, status names and error messages. */
#include <pthread.h>

#include "tests/support/device.h"

static void version_is_that_of_the_header(void **state)
{
    char text[32];

    (void)state;
    assert_int_equal(isomat_version(),
                     ISOMAT_VERSION_MAJOR * 1000000 + ISOMAT_VERSION_MINOR * 1000 + ISOMAT_VERSION_PATCH);
    snprintf(text, sizeof(text), "%d.%d.%d", ISOMAT_VERSION_MAJOR, ISOMAT_VERSION_MINOR,
             ISOMAT_VERSION_PATCH);
    assert_string_equal(isomat_version_string(), text);
}

struct status_row {
    int32_t status;
    int32_t number; /* pinned for ever */
    const char *name;
};

#define ROW(name, number)                                                                                    \
    {                                                                                                        \
        name, number, #name                                                                                  \
    }

static const struct status_row rows[] = {
    ROW(ISOMAT_OK, 0),
    ROW(ISOMAT_ERROR_INVALID_ARGUMENT, -1),
    ROW(ISOMAT_ERROR_INVALID_HANDLE, -2),
    ROW(ISOMAT_ERROR_STALE_HANDLE, -3),
    ROW(ISOMAT_ERROR_WRONG_KIND, -4),
    ROW(ISOMAT_ERROR_OUT_OF_HOST_MEMORY, -5),
    ROW(ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY, -6),
    ROW(ISOMAT_ERROR_SHAPE_MISMATCH, -7),
    ROW(ISOMAT_ERROR_ALIAS, -8),
    ROW(ISOMAT_ERROR_CONTEXT_MISMATCH, -9),
    ROW(ISOMAT_ERROR_UNSUPPORTED, -10),
    ROW(ISOMAT_ERROR_TYPE_MISMATCH, -11),
    ROW(ISOMAT_ERROR_NO_DRIVER, -20),
    ROW(ISOMAT_ERROR_STUB_DRIVER, -21),
    ROW(ISOMAT_ERROR_DRIVER_TOO_OLD, -22),
    ROW(ISOMAT_ERROR_NO_DEVICE, -23),
    ROW(ISOMAT_ERROR_DRIVER, -24),
    ROW(ISOMAT_ERROR_FORKED, -25),
    ROW(ISOMAT_ERROR_CONTEXT_LOST, -26),
    ROW(ISOMAT_ERROR_FILE, -30),
    ROW(ISOMAT_ERROR_INVALID_IMAGE, -31),
    ROW(ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE, -32),
    ROW(ISOMAT_ERROR_JIT_FAILED, -33),
    ROW(ISOMAT_ERROR_NOT_FOUND, -34),
    ROW(ISOMAT_ERROR_ARGUMENT_COUNT, -35),
    ROW(ISOMAT_ERROR_ARGUMENT_SIZE, -36),
    ROW(ISOMAT_ERROR_INVALID_LAUNCH, -37),
    ROW(ISOMAT_ERROR_LAUNCH_FAILED, -38),
    ROW(ISOMAT_ERROR_NOT_READY, -39),
    ROW(ISOMAT_ERROR_CAPTURE, -40),
};

static int is_row(int32_t number)
{
    for (size_t i = 0; i < TEST_COUNT(rows); i++)
        if (rows[i].number == number)
            return 1;
    return 0;
}

static void names_and_numbers_are_pinned(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        assert_int_equal(rows[i].status, rows[i].number);
        assert_string_equal(isomat_status_name(rows[i].number), rows[i].name);
    }
    for (int32_t number = -1000; number <= 1000; number++)
        if (!is_row(number))
            assert_string_equal(isomat_status_name(number), "unknown status");
    assert_string_equal(isomat_status_name(INT32_MIN), "unknown status");
    assert_string_equal(isomat_status_name(INT32_MAX), "unknown status");
}

static void message_is_empty_before_the_first_failure(void **state)
{
    char text[8] = "unset";

    (void)state;
    assert_string_equal(isomat_error_message(), "");
    assert_int_equal(isomat_error_copy(text, sizeof(text)), 0);
    assert_string_equal(text, "");
    assert_int_equal(isomat_error_cuda_result(), 0);
    assert_int_equal(isomat_error_log_copy(text, sizeof(text)), 0);
}

static void message_stays_until_the_next_failure(void **state)
{
    char first[512];

    (void)state;
    assert_status(isomat_stream_destroy(12345), ISOMAT_ERROR_INVALID_HANDLE);
    snprintf(first, sizeof(first), "%s", isomat_error_message());
    assert_ok(isomat_stream_destroy(ISOMAT_NONE));
    assert_string_equal(isomat_error_message(), first);
    assert_int_equal(isomat_error_cuda_result(), 0);
}

static void copy_truncates_and_tells_the_length(void **state)
{
    char text[512];
    int64_t length;

    (void)state;
    assert_status(isomat_stream_destroy(12345), ISOMAT_ERROR_INVALID_HANDLE);
    length = (int64_t)strlen(isomat_error_message());
    assert_true(length > 4 && length < (int64_t)sizeof(text));

    assert_int_equal(isomat_error_copy(text, sizeof(text)), length);
    assert_string_equal(text, isomat_error_message());
    memset(text, '#', sizeof(text));
    assert_int_equal(isomat_error_copy(text, 4), length);
    assert_int_equal(strlen(text), 3);
    assert_memory_equal(text, isomat_error_message(), 3);
    assert_int_equal(text[4], '#');
    assert_int_equal(isomat_error_copy(text, 1), length);
    assert_string_equal(text, "");
    memset(text, '#', sizeof(text));
    assert_int_equal(isomat_error_copy(text, 0), length);
    assert_int_equal(text[0], '#');
    assert_int_equal(isomat_error_copy(NULL, 0), length);
    assert_int_equal(isomat_error_copy(text, -1), length);
    assert_int_equal(text[0], '#');
}

/* A library on top of isomat reports through it; what it says is cut to one message. */
static void message_of_another_library_is_kept(void **state)
{
    char text[] = "the matrix has caught fire", *many = malloc(100001);
    int64_t length;

    (void)state;
    assert_int_equal(isomat_error_set(ISOMAT_ERROR_FILE, text), ISOMAT_ERROR_FILE);
    memset(text, '#', sizeof(text) - 1);
    assert_string_equal(isomat_error_message(), "the matrix has caught fire");
    assert_int_equal(isomat_error_cuda_result(), 0);
    memset(many, 'x', 100000);
    many[100000] = '\0';
    assert_int_equal(isomat_error_set(ISOMAT_ERROR_ALIAS, many), ISOMAT_ERROR_ALIAS);
    length = (int64_t)strlen(isomat_error_message());
    assert_true(length >= 100 && length <= 100000);
    assert_memory_equal(isomat_error_message(), many, 100);
    free(many);
    assert_int_equal(isomat_error_set(ISOMAT_ERROR_ALIAS, NULL), ISOMAT_ERROR_ALIAS);
}

static void *other_thread(void *argument)
{
    int *good = argument;

    *good = isomat_error_message()[0] == '\0';
    isomat_matrix_destroy(99);
    *good = *good && test_is_one_line(isomat_error_message());
    return NULL;
}

static void messages_are_per_thread(void **state)
{
    char mine[512];
    pthread_t thread;
    int good = 0;

    (void)state;
    assert_status(isomat_stream_destroy(12345), ISOMAT_ERROR_INVALID_HANDLE);
    snprintf(mine, sizeof(mine), "%s", isomat_error_message());
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &good), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(good);
    assert_string_equal(isomat_error_message(), mine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_is_empty_before_the_first_failure), /* so it comes first */
        cmocka_unit_test(version_is_that_of_the_header),
        cmocka_unit_test(names_and_numbers_are_pinned),
        cmocka_unit_test(message_stays_until_the_next_failure),
        cmocka_unit_test(copy_truncates_and_tells_the_length),
        cmocka_unit_test(message_of_another_library_is_kept),
        cmocka_unit_test(messages_are_per_thread),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
