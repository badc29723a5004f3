/* SPDX-License-Identifier: MIT */
/* test_order.c: work goes on beside the program; streams stay ordered; callbacks; the watchdog. */
#include "hostdriver.h"

#include <pthread.h>
#include <time.h>

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

/* wait: says that it has begun, then waits until word 1 is set, then adds. */
static const char ptx[] =
    HEADER ".visible .entry wait(.param .u64 p) {\n.reg .b64 %d; .reg .b32 %r<4>; .reg .pred %p;\n"
           "ld.param.u64 %d, [p]; st.volatile.global.u32 [%d], 1; membar.sys;\n"
           "L: ld.volatile.global.u32 %r1, [%d+4]; setp.eq.s32 %p, %r1, 0;\n"
           "@%p bra L;\n"
           "ld.global.u32 %r2, [%d+8]; add.s32 %r2, %r2, 1; st.global.u32 [%d+8], %r2; ret;\n}\n"
           ".visible .entry twice(.param .u64 p) {\n.reg .b64 %d; .reg .b32 %r;\n"
           "ld.param.u64 %d, [p]; ld.global.u32 %r, [%d+8]; shl.b32 %r, %r, 1; st.global.u32 [%d+8], %r; "
           "ret;\n}\n"
           ".visible .entry release(.param .u64 p) {\n.reg .b64 %d; .reg .b32 %r; .reg .pred %p;\n"
           "ld.param.u64 %d, [p];\nL: ld.volatile.global.u32 %r, [%d]; setp.eq.s32 %p, %r, 0;\n@%p bra L;\n"
           "st.volatile.global.u32 [%d+4], 1; ret;\n}\n"
           ".visible .entry forever() {\nL:\nbra L;\n}\n";

static CUcontext context;
static CUmodule module;

struct job {
    const char *kernel;
    CUstream stream;
    CUdeviceptr data;
    pthread_t thread;
};

static void *work(void *argument)
{
    struct job *job = argument;

    assert_ok(CALL(cuCtxSetCurrent)(context));
    CUfunction function = hostdriver_function(module, job->kernel);
    assert_ok(CALL(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, job->stream, (void *[]){&job->data}, NULL));
    return NULL;
}

static void wait_until(volatile uint32_t *word)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void test_calls_while_a_kernel_runs(void **state)
{
    uint32_t *words, one = 1;
    CUstream stream, other;
    CUdeviceptr extra;

    (void)state;
    assert_ok(CALL(cuMemHostAlloc)((void **)&words, 64, 0));
    memset(words, 0, 64);
    assert_ok(CALL(cuStreamCreate)(&stream, 1));
    assert_ok(CALL(cuStreamCreate)(&other, 1));
    struct job job = {"wait", stream, (CUdeviceptr)(uintptr_t)words, 0},
               next = {"twice", stream, job.data, 0};
    assert_int_equal(pthread_create(&job.thread, NULL, work, &job), 0);
    wait_until(words);
    assert_result(CALL(cuStreamQuery)(stream), CUDA_ERROR_NOT_READY);
    assert_ok(CALL(cuStreamQuery)(other));
    /* Behind the one that waits, in the same stream. */
    assert_int_equal(pthread_create(&next.thread, NULL, work, &next), 0);
    /* Allocations, and work in other streams, need not wait for it. */
    for (int i = 0; i < 100; i++) {
        assert_ok(CALL(cuMemAlloc_v2)(&extra, 4096));
        assert_ok(CALL(cuMemsetD32Async)(extra, 7, 1024, other));
        assert_ok(CALL(cuMemFreeAsync)(extra, other));
    }
    assert_ok(CALL(cuMemcpyHtoDAsync_v2)(job.data + 4, &one, 4, other));
    assert_ok(CALL(cuStreamSynchronize)(stream));
    pthread_join(job.thread, NULL);
    pthread_join(next.thread, NULL);
    assert_ok(CALL(cuCtxSynchronize)());
    assert_int_equal(words[2], 2);
    assert_ok(CALL(cuStreamDestroy_v2)(stream));
    assert_ok(CALL(cuStreamDestroy_v2)(other));
    assert_ok(CALL(cuMemFreeHost)(words));
}

/* A blocking stream waits for the legacy one. */
static void test_legacy_stream(void **state)
{
    uint32_t *words;
    CUstream stream;

    (void)state;
    assert_ok(CALL(cuMemHostAlloc)((void **)&words, 64, 0));
    memset(words, 0, 64);
    assert_ok(CALL(cuStreamCreate)(&stream, 0));
    struct job job = {"wait", NULL, (CUdeviceptr)(uintptr_t)words, 0}, next = {"twice", stream, job.data, 0};
    assert_int_equal(pthread_create(&job.thread, NULL, work, &job), 0);
    wait_until(words);
    assert_result(CALL(cuStreamQuery)(NULL), CUDA_ERROR_NOT_READY);
    assert_int_equal(pthread_create(&next.thread, NULL, work, &next), 0);
    __atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
    pthread_join(job.thread, NULL);
    pthread_join(next.thread, NULL);
    assert_ok(CALL(cuStreamSynchronize)(stream));
    assert_int_equal(words[2], 2);
    assert_ok(CALL(cuStreamDestroy_v2)(stream));
    assert_ok(CALL(cuMemFreeHost)(words));
}

static void launch_in(CUstream stream, const char *kernel, CUdeviceptr data)
{
    CUfunction function = hostdriver_function(module, kernel);

    assert_ok(CALL(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&data}, NULL));
}

static void note(void *words)
{
    CUdeviceptr pointer;

    /* What a stream calls may not call the driver. */
    ((uint32_t *)words)[3] = CALL(cuMemAlloc_v2)(&pointer, 4);
    ((uint32_t *)words)[4] = ((uint32_t *)words)[2];
}

/* One thread does it all: what it submits is not done when the calls return. */
static void test_asynchronous(void **state)
{
    uint32_t *words, copied = 0, seven = 7, eight = 8;
    CUstream stream, other;
    CUevent event;
    CUdeviceptr data, extra;

    (void)state;
    assert_ok(CALL(cuMemHostAlloc)((void **)&words, 64, 0));
    memset(words, 0, 64);
    data = (CUdeviceptr)(uintptr_t)words;
    assert_ok(CALL(cuMemAlloc_v2)(&extra, 4));
    assert_ok(CALL(cuStreamCreate)(&stream, 1));
    assert_ok(CALL(cuStreamCreate)(&other, 1));
    assert_ok(CALL(cuEventCreate)(&event, 0));
    assert_ok(CALL(cuEventQuery)(event)); /* not recorded */
    launch_in(stream, "wait", data);
    launch_in(stream, "twice", data);
    assert_ok(CALL(cuEventRecord)(event, stream));
    assert_ok(CALL(cuStreamWaitEvent)(other, event, 0));
    launch_in(other, "twice", data);
    assert_ok(CALL(cuLaunchHostFunc)(other, note, words));
    /* Pageable memory is read before the call returns, though the copy waits. */
    assert_ok(CALL(cuMemcpyHtoDAsync_v2)(extra, &seven, 4, other));
    seven = 0;
    assert_result(CALL(cuEventQuery)(event), CUDA_ERROR_NOT_READY);
    assert_result(CALL(cuStreamQuery)(stream), CUDA_ERROR_NOT_READY);
    assert_result(CALL(cuStreamQuery)(other), CUDA_ERROR_NOT_READY);
    assert_int_equal(words[4], 0);
    __atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
    assert_ok(CALL(cuEventSynchronize)(event));
    assert_ok(CALL(cuEventQuery)(event));
    assert_ok(CALL(cuStreamSynchronize)(other));
    assert_int_equal(words[2], 4);
    assert_int_equal(words[3], CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(words[4], 4);
    assert_ok(CALL(cuMemcpyDtoH_v2)(&copied, extra, 4));
    assert_int_equal(copied, 7);

    /* Freed in the order of the stream: used until then, and nobody's at once. */
    words[1] = 0;
    assert_ok(CALL(cuMemcpyHtoD_v2)(extra, &eight, 4));
    launch_in(stream, "wait", data);
    assert_ok(CALL(cuMemcpyDtoDAsync_v2)(data + 20, extra, 4, stream));
    assert_ok(CALL(cuMemFreeAsync)(extra, stream));
    assert_result(CALL(cuMemFreeAsync)(extra, stream), CUDA_ERROR_INVALID_VALUE);
    /* A stream and an event may go before their work. */
    assert_ok(CALL(cuEventRecord)(event, stream));
    assert_ok(CALL(cuStreamWaitEvent)(other, event, 0));
    assert_ok(CALL(cuEventDestroy_v2)(event));
    assert_ok(CALL(cuStreamDestroy_v2)(stream));
    assert_result(CALL(cuStreamQuery)(other), CUDA_ERROR_NOT_READY);
    __atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
    assert_ok(CALL(cuStreamSynchronize)(other));
    assert_int_equal(words[5], 8);
    assert_ok(CALL(cuCtxSynchronize)());
    assert_ok(CALL(cuStreamDestroy_v2)(other));
    assert_ok(CALL(cuMemFreeHost)(words));
}

/* Work of one thread in two streams that wait for each other's values: both run. */
static void test_streams_run_side_by_side(void **state)
{
    uint32_t *words;
    CUstream stream, other;

    (void)state;
    assert_ok(CALL(cuMemHostAlloc)((void **)&words, 64, 0));
    memset(words, 0, 64);
    assert_ok(CALL(cuStreamCreate)(&stream, 1));
    assert_ok(CALL(cuStreamCreate)(&other, 1));
    launch_in(stream, "wait", (CUdeviceptr)(uintptr_t)words);     /* waits for word 1 */
    launch_in(other, "release", (CUdeviceptr)(uintptr_t)(words)); /* waits for word 0, sets word 1 */
    assert_ok(CALL(cuStreamSynchronize)(stream));
    assert_ok(CALL(cuStreamSynchronize)(other));
    assert_int_equal(words[2], 1);
    assert_ok(CALL(cuStreamDestroy_v2)(stream));
    assert_ok(CALL(cuStreamDestroy_v2)(other));
    assert_ok(CALL(cuMemFreeHost)(words));
}

static void test_watchdog(void **state)
{
    char text[2048];

    (void)state;
    hostdriver_launch(hostdriver_function(module, "forever"), 4, 64, NULL);
    assert_result(CALL(cuCtxSynchronize)(), CUDA_ERROR_LAUNCH_TIMEOUT);
    CALL(isomat_hostdriver_describe)(text, sizeof text);
    assert_non_null(
        strstr(text, "still running at the end of ISOMAT_HOST_TIMEOUT in kernel forever, PTX line "));
}

/* A kernel in the thread's own stream, by the handle, by cuGetProcAddress's flag and by the other symbol. */
struct own {
    const char *kernel;
    CUdeviceptr data;
    unsigned long long id;
};

static void *work_in_own_stream(void *argument)
{
    struct own *own = argument;
    CUstream per_thread = (CUstream)(uintptr_t)2;
    __typeof__(&cuLaunchKernel) launch, symbol = hostdriver_symbol("cuLaunchKernel_ptsz");
    __typeof__(&cuStreamQuery) query = hostdriver_symbol("cuStreamQuery_ptsz");
    void *parameters[] = {&own->data};

    assert_ok(CALL(cuCtxSetCurrent)(context));
    assert_ok(CALL(cuGetProcAddress)("cuLaunchKernel", (void **)&launch, 13000, 2));
    assert_true(launch == symbol);
    assert_ok(CALL(cuStreamGetId)(per_thread, &own->id));
    CUfunction function = hostdriver_function(module, own->kernel);
    assert_ok(launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    assert_result(CALL(cuStreamQuery)(per_thread), query(NULL));
    assert_ok(CALL(cuStreamSynchronize)(per_thread));
    return NULL;
}

static void test_streams_of_threads(void **state)
{
    uint32_t *words, value = 0;
    pthread_t threads[2];

    (void)state;
    assert_ok(CALL(cuMemHostAlloc)((void **)&words, 64, 0));
    memset(words, 0, 64);
    CUdeviceptr data = (CUdeviceptr)(uintptr_t)words;
    /* The first can only end while the second, which waits for its beginning, runs beside it. */
    struct own own[2] = {{"wait", data, 0}, {"release", data, 0}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work_in_own_stream, &own[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(words[2], 1);
    assert_true(own[0].id != own[1].id);

    /* The legacy stream waits for a thread's own; a copy in that comes behind its kernel. */
    __typeof__(&cuMemcpyDtoH_v2) copy = hostdriver_symbol("cuMemcpyDtoH_v2_ptds");
    memset(words, 0, 64);
    launch_in((CUstream)(uintptr_t)2, "wait", data);
    wait_until(words);
    assert_result(CALL(cuStreamQuery)(NULL), CUDA_ERROR_NOT_READY);
    __atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
    assert_ok(copy(&value, data + 8, 4));
    assert_int_equal(value, 1);
    assert_ok(CALL(cuMemFreeHost)(words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_while_a_kernel_runs),
        cmocka_unit_test(test_legacy_stream),
        cmocka_unit_test(test_asynchronous),
        cmocka_unit_test(test_streams_run_side_by_side),
        cmocka_unit_test(test_streams_of_threads),
        cmocka_unit_test(test_watchdog),
    };

    setenv("ISOMAT_HOST_TIMEOUT", "3", 1);
    hostdriver_open();
    if (CALL(cuInit)(0) != CUDA_SUCCESS || CALL(cuCtxCreate_v2)(&context, 0, 0) != CUDA_SUCCESS ||
        CALL(cuModuleLoadData)(&module, ptx) != CUDA_SUCCESS)
        return 99;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
