/* SPDX-License-Identifier: MIT */
/* test_fork.c: the child of a process that opened the driver is told so; the parent goes on. */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/device.h"

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "in the child, line %d: %s; message \"%s\"\n", __LINE__, #condition,             \
                    isomat_error_message());                                                                 \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

/* Hosts destroy late, in a child too; it may do nothing, and it may say so. */
static int is_refused_or_nothing(int32_t status)
{
    return status == ISOMAT_OK || status == ISOMAT_ERROR_FORKED;
}

/* No assert here: a longjmp in the child would run the parent's tests. */
static void in_the_child(isomat_context context, isomat_matrix matrix)
{
    isomat_driver_info driver = {.struct_size = sizeof(driver)};
    isomat_matrix_info info = {.struct_size = sizeof(info)};
    isomat_matrix created = 1, c = ISOMAT_NONE;
    isomat_context other = 1;
    float value;

    CHECK(isomat_context_synchronize(context) == ISOMAT_ERROR_FORKED);
    CHECK(strstr(isomat_error_message(), "fork") != NULL);
    CHECK(isomat_context_create(&other, 0, ISOMAT_CONTEXT_PRIMARY) == ISOMAT_ERROR_FORKED &&
          other == ISOMAT_NONE);
    CHECK(isomat_matrix_create(&created, context, 1, 1, ISOMAT_TYPE_F32, ISOMAT_NONE) == ISOMAT_ERROR_FORKED);
    CHECK(created == ISOMAT_NONE);
    CHECK(isomat_matrix_to_host(&value, 1, matrix, ISOMAT_NONE) == ISOMAT_ERROR_FORKED);
    CHECK(isomat_gemm(&c, 1, matrix, 0, matrix, 0, 0, 0, ISOMAT_NONE) == ISOMAT_ERROR_FORKED &&
          c == ISOMAT_NONE);
    CHECK(isomat_matrix_get_info(&info, matrix) == ISOMAT_ERROR_FORKED);
    CHECK(isomat_driver_open() == ISOMAT_ERROR_FORKED);
    CHECK(isomat_driver_get_info(&driver) == ISOMAT_ERROR_FORKED);
    CHECK(is_refused_or_nothing(isomat_matrix_destroy(matrix)));
    CHECK(is_refused_or_nothing(isomat_context_destroy(context)));
    CHECK(isomat_version() > 0);
    CHECK(strcmp(isomat_status_name(ISOMAT_ERROR_FORKED), "ISOMAT_ERROR_FORKED") == 0);
    _exit(0);
}

static void child_is_refused_and_parent_goes_on(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix matrix;
    float value = 0;
    int status = -1;
    pid_t child;

    assert_ok(isomat_matrix_create(&matrix, context, 1, 1, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(matrix, 3, ISOMAT_NONE));
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        in_the_child(context, matrix);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_ok(isomat_matrix_to_host(&value, 1, matrix, ISOMAT_NONE));
    assert_true(value == 3);
    assert_ok(isomat_matrix_destroy(matrix));
}

/* A child that starts another program, or only leaves, disturbs nothing. */
static void child_may_just_leave(void **state)
{
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_ok(isomat_context_synchronize(device_context(state)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(child_is_refused_and_parent_goes_on),
        device_test(child_may_just_leave),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
