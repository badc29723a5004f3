/* SPDX-License-Identifier: MIT */
/* test_handle_threads.c: handles made, used and destroyed by several threads at once. */
#include <pthread.h>

#include "tests/support/device.h"
#include "tests/support/operand.h"

struct worker {
    pthread_t thread;
    isomat_context context;
    uint64_t number;
    int failures;
};

/* Creates, uses and destroys its own objects; what it destroyed must stay stale. */
static void *churn(void *argument)
{
    struct worker *worker = argument;
    isomat_matrix matrices[8] = {0};
    uint64_t sequence = operand_seed() + worker->number;

    for (int i = 0; i < 3000; i++) {
        isomat_matrix *matrix = &matrices[operand_random(&sequence, 8)];
        isomat_matrix old = *matrix;
        if (isomat_matrix_destroy(old) != ISOMAT_OK)
            worker->failures++;
        if (old != ISOMAT_NONE && isomat_matrix_destroy(old) != ISOMAT_ERROR_STALE_HANDLE)
            worker->failures++;
        if (isomat_matrix_create(matrix, worker->context, 2, 2, ISOMAT_TYPE_F32, ISOMAT_NONE) != ISOMAT_OK)
            worker->failures++;
    }
    for (int i = 0; i < 8; i++)
        if (isomat_matrix_destroy(matrices[i]) != ISOMAT_OK)
            worker->failures++;
    return NULL;
}

/* All threads destroy the same handles: each is destroyed exactly once. */
static isomat_event contested[2000];

static void *contend(void *argument)
{
    struct worker *worker = argument;

    for (size_t i = 0; i < TEST_COUNT(contested); i++) {
        int32_t status = isomat_event_destroy(contested[i]);
        if (status == ISOMAT_OK)
            worker->number++;
        else if (status != ISOMAT_ERROR_STALE_HANDLE)
            worker->failures++;
    }
    return NULL;
}

#define WORKERS 6

static void run_workers(struct worker *workers, isomat_context context, void *(*body)(void *))
{
    int failures = 0;

    for (int i = 0; i < WORKERS; i++) {
        workers[i].context = context;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, body, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        failures += workers[i].failures;
    }
    assert_int_equal(failures, 0); /* only now: a thread may not outlive its worker */
}

static void threads_create_and_destroy_at_once(void **state)
{
    struct worker workers[WORKERS] = {0};

    for (int i = 0; i < WORKERS; i++)
        workers[i].number = (uint64_t)i;
    run_workers(workers, device_context(state), churn);
}

static void threads_destroy_the_same_objects(void **state)
{
    struct worker workers[WORKERS] = {0};
    uint64_t destroyed = 0;

    for (size_t i = 0; i < TEST_COUNT(contested); i++)
        assert_ok(isomat_event_create(&contested[i], device_context(state), 0));
    run_workers(workers, device_context(state), contend);
    for (int i = 0; i < WORKERS; i++)
        destroyed += workers[i].number;
    assert_int_equal(destroyed, TEST_COUNT(contested));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(threads_create_and_destroy_at_once),
        device_test(threads_destroy_the_same_objects),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
