/* SPDX-License-Identifier: MIT */
/* test_lost.c: after a kernel has failed its context is lost, and only that one. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/device.h"
#include "tests/support/work.h"

#define N ISOMAT_OP_N

struct lost {
    isomat_context context;
    isomat_matrix matrix;
    isomat_stream stream;
    isomat_event event;
    struct work work;
};

static void prepare(struct lost *lost)
{
    assert_ok(isomat_context_create(&lost->context, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_stream_create(&lost->stream, lost->context, 0));
    assert_ok(isomat_event_create(&lost->event, lost->context, 0));
    assert_ok(isomat_matrix_create(&lost->matrix, lost->context, 4, 4, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(lost->matrix, 1, ISOMAT_NONE));
    work_load(&lost->work, lost->context);
    assert_ok(isomat_context_synchronize(lost->context));
}

/* Handles of a lost context can be destroyed. */
static void clean_up(struct lost *lost)
{
    work_unload(&lost->work);
    assert_ok(isomat_matrix_destroy(lost->matrix));
    assert_ok(isomat_event_destroy(lost->event));
    assert_ok(isomat_stream_destroy(lost->stream));
    assert_ok(isomat_context_destroy(lost->context));
}

/* A driver may tell of the failure in any call from the launch on; a wait tells at the latest. */
static int told(int32_t status)
{
    assert_true(status == ISOMAT_OK || status == ISOMAT_ERROR_LAUNCH_FAILED);
    return status != ISOMAT_OK;
}

static int told_at_launch(struct lost *lost)
{
    return told(work_fault(&lost->work, ISOMAT_NONE));
}

static void assert_lost(struct lost *lost)
{
    isomat_launch launch = work_launch(1, 1, ISOMAT_NONE);
    isomat_matrix created, c = ISOMAT_NONE;
    float values[16];
    uint64_t pointer;

    assert_status(isomat_context_synchronize(lost->context), ISOMAT_ERROR_CONTEXT_LOST);
    assert_message_contains("isomat_test_fault");
    assert_status(isomat_stream_synchronize(lost->stream), ISOMAT_ERROR_CONTEXT_LOST);
    assert_status(isomat_stream_query(lost->stream), ISOMAT_ERROR_CONTEXT_LOST);
    assert_status(isomat_event_record(lost->event, ISOMAT_NONE), ISOMAT_ERROR_CONTEXT_LOST);
    assert_status(isomat_event_query(lost->event), ISOMAT_ERROR_CONTEXT_LOST);
    assert_no_handle(created,
                     isomat_matrix_create(&created, lost->context, 1, 1, ISOMAT_TYPE_F32, ISOMAT_NONE),
                     ISOMAT_ERROR_CONTEXT_LOST);
    assert_no_handle(pointer, isomat_memory_allocate(&pointer, 16, lost->context, ISOMAT_NONE),
                     ISOMAT_ERROR_CONTEXT_LOST);
    assert_status(isomat_matrix_to_host(values, 4, lost->matrix, ISOMAT_NONE), ISOMAT_ERROR_CONTEXT_LOST);
    assert_status(isomat_matrix_fill(lost->matrix, 0, ISOMAT_NONE), ISOMAT_ERROR_CONTEXT_LOST);
    assert_status(isomat_gemm(&c, 1, lost->matrix, N, lost->matrix, N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE),
                  ISOMAT_ERROR_CONTEXT_LOST);
    assert_int_equal(c, ISOMAT_NONE);
    assert_status(isomat_kernel_launch(lost->work.fault, &launch, (const void *[]){&pointer}, 1, NULL),
                  ISOMAT_ERROR_CONTEXT_LOST);
    assert_status(isomat_module_load_embedded(&created, lost->context, "gemm_f32"),
                  ISOMAT_ERROR_CONTEXT_LOST);
}

static void failed_kernel_is_named_and_loses_the_context(void **state)
{
    struct lost lost;

    (void)state;
    prepare(&lost);
    if (!told_at_launch(&lost))
        assert_status(isomat_context_synchronize(lost.context), ISOMAT_ERROR_LAUNCH_FAILED);
    assert_message_contains("isomat_test_fault");
    assert_in_range(isomat_error_cuda_result(), 700, 719);
    assert_lost(&lost);
    clean_up(&lost);
}

static int first_way, last_way = 3;

static void each_wait_tells_of_the_failure(void **state)
{
    float values[16];

    (void)state;
    for (int way = first_way; way <= last_way; way++) {
        struct lost lost;
        prepare(&lost);
        if (!told_at_launch(&lost) && !told(isomat_event_record(lost.event, ISOMAT_NONE))) {
            if (way == 0)
                assert_status(isomat_matrix_to_host(values, 4, lost.matrix, ISOMAT_NONE),
                              ISOMAT_ERROR_LAUNCH_FAILED);
            else if (way == 1)
                assert_status(isomat_event_synchronize(lost.event), ISOMAT_ERROR_LAUNCH_FAILED);
            else if (way == 2)
                assert_status(isomat_context_synchronize(lost.context), ISOMAT_ERROR_LAUNCH_FAILED);
            else
                while (isomat_event_query(lost.event) == ISOMAT_ERROR_NOT_READY)
                    ;
        }
        assert_status(isomat_stream_synchronize(lost.stream), ISOMAT_ERROR_CONTEXT_LOST);
        clean_up(&lost);
    }
}

/* The host driver keeps contexts apart; a real GPU may end all contexts of the process. */
static void other_contexts_go_on(void **state)
{
    struct lost lost;
    isomat_matrix matrix;
    float value = 0;

    if (!device_is_host())
        skip();
    prepare(&lost);
    assert_ok(isomat_matrix_create(&matrix, device_context(state), 1, 1, ISOMAT_TYPE_F32, ISOMAT_NONE));
    if (!told_at_launch(&lost))
        assert_status(isomat_context_synchronize(lost.context), ISOMAT_ERROR_LAUNCH_FAILED);
    assert_ok(isomat_matrix_fill(matrix, 9, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(&value, 1, matrix, ISOMAT_NONE));
    assert_true(value == 9);
    assert_ok(isomat_matrix_destroy(matrix));
    assert_lost(&lost);
    clean_up(&lost);
    prepare(&lost); /* and a new one can be made */
    clean_up(&lost);
}

/* NVIDIA's driver refuses the whole process after a failure: there each failure
 * has a process of its own, this program again with the number of its way. */
static int run_each_in_its_process(const char *program)
{
    for (int way = 0; way <= last_way + 1; way++) {
        char number[16];
        int status = 0;
        pid_t child;
        snprintf(number, sizeof(number), "%d", way);
        if (posix_spawn(&child, program, NULL, NULL,
                        (char *const[]){(char *)(uintptr_t)program, number, NULL}, environ) != 0 ||
            waitpid(child, &status, 0) != child)
            return TEST_ERROR;
        if (status != 0)
            return WIFEXITED(status) ? WEXITSTATUS(status) : TEST_ERROR;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest one[] = {cmocka_unit_test(each_wait_tells_of_the_failure)};
    const struct CMUnitTest named[] = {cmocka_unit_test(failed_kernel_is_named_and_loses_the_context)};
    const struct CMUnitTest tests[] = {
        device_test(other_contexts_go_on),
        cmocka_unit_test(each_wait_tells_of_the_failure),
        cmocka_unit_test(failed_kernel_is_named_and_loses_the_context),
    };
    int ways = last_way;
    int status;

    if (argc == 1 && !device_is_host())
        return run_each_in_its_process(argv[0]);
    if (argc == 2)
        first_way = last_way = atoi(argv[1]);
    status = device_open(DEVICE_ANY);
    if (status != 0)
        return status;
    if (argc == 1)
        return device_close(cmocka_run_group_tests(tests, NULL, NULL));
    if (first_way > ways)
        return device_close(cmocka_run_group_tests(named, NULL, NULL));
    return device_close(cmocka_run_group_tests(one, NULL, NULL));
}
