/* SPDX-License-Identifier: MIT */
/* test_threads.c: several threads multiply at once; the caller's current context stays what it was. */
#include <pthread.h>

#include "tests/kernels/images.h"
#include "tests/support/device.h"
#include "tests/support/work.h"

#define N ISOMAT_OP_N
#define F32 ISOMAT_TYPE_F32
#define WORKERS 6
#define ROUNDS 40
#define SIZE 40

struct worker {
    pthread_t thread;
    isomat_context context; /* ISOMAT_NONE: makes its own */
    isomat_matrix a, b;     /* shared, or ISOMAT_NONE: makes its own */
    float factor;
    int failures;
};

static isomat_matrix filled(isomat_context context, double value)
{
    isomat_matrix matrix = ISOMAT_NONE;

    if (isomat_matrix_create(&matrix, context, SIZE, SIZE, F32, ISOMAT_NONE) == ISOMAT_OK)
        isomat_matrix_fill(matrix, value, ISOMAT_NONE);
    return matrix;
}

/* One product of constant matrices; returns 0 if every element is right. */
static int multiply(isomat_matrix a, isomat_matrix b, isomat_stream stream, float factor)
{
    float got[SIZE * SIZE];
    isomat_matrix c = ISOMAT_NONE;
    int bad = 0;

    if (isomat_gemm(&c, factor, a, N, b, N, 0, ISOMAT_COMPUTE_F32, stream) != ISOMAT_OK)
        return 1;
    if (isomat_matrix_to_host(got, SIZE, c, stream) != ISOMAT_OK)
        bad = 1;
    for (int i = 0; !bad && i < SIZE * SIZE; i++)
        bad = got[i] != factor * SIZE * 2;
    return isomat_matrix_destroy(c) != ISOMAT_OK || bad;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    isomat_context context = worker->context;
    isomat_matrix a = worker->a, b = worker->b;
    isomat_stream stream = ISOMAT_NONE;

    if (context == ISOMAT_NONE && isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN) != ISOMAT_OK)
        worker->failures++;
    if (isomat_stream_create(&stream, context, 0) != ISOMAT_OK)
        worker->failures++;
    if (a == ISOMAT_NONE)
        a = filled(context, 1);
    if (b == ISOMAT_NONE)
        b = filled(context, 2);
    for (int i = 0; i < ROUNDS; i++)
        worker->failures += multiply(a, b, i % 2 ? stream : ISOMAT_NONE, worker->factor);
    if (worker->a == ISOMAT_NONE)
        worker->failures += isomat_matrix_destroy(a) != ISOMAT_OK;
    if (worker->b == ISOMAT_NONE)
        worker->failures += isomat_matrix_destroy(b) != ISOMAT_OK;
    worker->failures += isomat_stream_destroy(stream) != ISOMAT_OK;
    if (worker->context == ISOMAT_NONE)
        worker->failures += isomat_context_destroy(context) != ISOMAT_OK;
    return NULL;
}

static void run(void *(*body)(void *), const struct worker *model)
{
    struct worker workers[WORKERS];
    int failures = 0;

    for (int i = 0; i < WORKERS; i++) {
        workers[i] = *model;
        workers[i].factor = (float)(i + 1);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, body, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        failures += workers[i].failures;
    }
    assert_int_equal(failures, 0); /* only now: a thread may not outlive its worker */
}

static void threads_with_their_own_contexts(void **state)
{
    (void)state;
    run(work, &(struct worker){0});
}

static void threads_with_one_context(void **state)
{
    run(work, &(struct worker){.context = device_context(state)});
}

static void threads_with_the_same_operands(void **state)
{
    isomat_matrix a = filled(device_context(state), 1), b = filled(device_context(state), 2);

    assert_ok(isomat_context_synchronize(device_context(state)));
    run(work, &(struct worker){.context = device_context(state), .a = a, .b = b});
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
}

/* Good and bad modules at once; each thread gets its own message and log. */
static void *load(void *argument)
{
    static const char bad[] = ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry bad()\n{\n"
                              "frobnicate.u32 1;\nret;\n}\n";
    struct worker *worker = argument;
    isomat_module module;
    char log[512];

    for (int i = 0; i < ROUNDS; i++) {
        worker->failures +=
            isomat_module_load_data(&module, worker->context, ramp_ptx, sizeof(ramp_ptx)) != ISOMAT_OK;
        worker->failures += isomat_module_destroy(module) != ISOMAT_OK;
        worker->failures +=
            isomat_module_load_data(&module, worker->context, bad, sizeof(bad)) != ISOMAT_ERROR_JIT_FAILED;
        isomat_error_log_copy(log, sizeof(log));
        worker->failures += strstr(log, "frobnicate") == NULL;
    }
    return NULL;
}

static void threads_that_load_modules(void **state)
{
    run(load, &(struct worker){.context = device_context(state)});
}

/* A call of each family, successful and not. */
static void call_everything(isomat_context context)
{
    isomat_matrix matrix, view, c = ISOMAT_NONE;
    isomat_stream stream;
    isomat_event event;
    isomat_context own;
    struct work work;
    uint64_t pointer;
    void *host;
    float values[12];

    assert_ok(isomat_context_create(&own, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_context_destroy(own));
    assert_ok(isomat_stream_create(&stream, context, 0));
    assert_ok(isomat_event_create(&event, context, 1));
    assert_ok(isomat_event_record(event, stream));
    assert_ok(isomat_event_synchronize(event));
    assert_ok(isomat_stream_wait(stream, event));
    assert_ok(isomat_memory_allocate(&pointer, 64, context, stream));
    assert_ok(isomat_memory_free(pointer, context, stream));
    assert_status(isomat_memory_allocate(&pointer, 1LL << 60, context, stream),
                  ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_ok(isomat_memory_allocate_host(&host, 64, context));
    assert_ok(isomat_memory_free_host(host, context));
    work_load(&work, context);
    work_spin(&work, stream, 1);
    assert_status(isomat_kernel_get(&pointer, work.module, "nothing"), ISOMAT_ERROR_NOT_FOUND);
    assert_ok(isomat_stream_synchronize(stream)); /* it writes to memory of another stream */
    work_unload(&work);
    matrix = filled(context, 1);
    assert_ok(isomat_matrix_view(&view, matrix, 1, 1, 3, 4));
    assert_ok(isomat_gemm(&c, 1, matrix, N, matrix, N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    assert_status(isomat_gemm(&c, 1, view, N, view, N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE),
                  ISOMAT_ERROR_SHAPE_MISMATCH);
    assert_status(isomat_gemm(&c, 1, c, N, matrix, N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE),
                  ISOMAT_ERROR_ALIAS);
    assert_status(isomat_module_load_data(&pointer, context, "text", 4), ISOMAT_ERROR_INVALID_IMAGE);
    assert_ok(isomat_matrix_destroy(matrix));
    assert_ok(isomat_matrix_to_host(values, 4, view, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(view));
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(isomat_event_destroy(event));
    assert_ok(isomat_stream_destroy(stream));
}

static void no_current_context_stays_none(void **state)
{
    assert_int_equal(device_current_context(), 0);
    call_everything(device_context(state));
    assert_int_equal(device_current_context(), 0);
}

static void other_current_context_stays_current(void **state)
{
    uint64_t native = device_create_native_context();

    assert_int_equal(device_current_context(), native);
    call_everything(device_context(state));
    assert_int_equal(device_current_context(), native);
    device_pop_context();
    assert_int_equal(device_current_context(), 0); /* and nothing was left on the stack */
    device_destroy_native_context(native);
}

static void same_current_context_stays_current(void **state)
{
    isomat_context_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_context_get_info(&info, device_context(state)));
    device_push_context(info.cu_context);
    call_everything(device_context(state));
    assert_int_equal(device_current_context(), info.cu_context);
    assert_int_equal(device_pop_context(), info.cu_context);
    assert_int_equal(device_current_context(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(threads_with_their_own_contexts),    device_test(threads_with_one_context),
        device_test(threads_with_the_same_operands),     device_test(threads_that_load_modules),
        device_test(no_current_context_stays_none),      device_test(other_current_context_stays_current),
        device_test(same_current_context_stays_current),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
