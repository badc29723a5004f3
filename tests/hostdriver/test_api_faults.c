/* SPDX-License-Identifier: MIT */
/* test_api_faults.c: errors that come later, a lost device, and what a context leaves behind. */
#include "hostdriver.h"

#include <unistd.h>

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

static CUresult launch(CUmodule module)
{
    return CALL(cuLaunchKernel)(hostdriver_function(module, "k"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

/* The call succeeds; the context has failed. */
static void test_later(void **state)
{
    CUcontext context = hostdriver_context(), second;
    CUmodule module = hostdriver_load(ptx);
    CUfunction function;

    (void)state;
    assert_int_equal(CALL(isomat_hostdriver_set_fault)("cuLaunchKernel:2~=ILLEGAL_ADDRESS"), 0);
    assert_ok(launch(module));
    assert_ok(CALL(cuCtxSynchronize)());
    assert_ok(launch(module));
    assert_result(CALL(cuCtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_result(CALL(cuModuleGetFunction)(&function, module, "k"), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_ok(CALL(cuCtxDestroy_v2)(context));
    assert_ok(CALL(cuCtxCreate_v2)(&second, 0, 0));
    assert_ok(launch(hostdriver_load(ptx)));
    assert_ok(CALL(cuCtxSynchronize)());
    assert_ok(CALL(cuCtxDestroy_v2)(second));
}

static void test_lost_device(void **state)
{
    CUcontext context = hostdriver_context(), second;
    int count;

    (void)state;
    assert_int_equal(CALL(isomat_hostdriver_set_fault)("cuCtxSynchronize:1!=DEVICE_UNAVAILABLE"), 0);
    assert_ok(CALL(cuDeviceGetCount)(&count));
    assert_result(CALL(cuCtxSynchronize)(), CUDA_ERROR_DEVICE_UNAVAILABLE);
    assert_result(CALL(cuDeviceGetCount)(&count), CUDA_ERROR_DEVICE_UNAVAILABLE);
    assert_result(CALL(cuCtxCreate_v2)(&second, 0, 0), CUDA_ERROR_DEVICE_UNAVAILABLE);
    assert_ok(CALL(cuDriverGetVersion)(&count));
    assert_int_equal(CALL(isomat_hostdriver_set_fault)(NULL), 0);
    assert_ok(CALL(cuCtxSynchronize)());
    assert_ok(CALL(cuCtxDestroy_v2)(context));
}

static CUstream leave_a_stream(void)
{
    CUstream stream;

    assert_ok(CALL(cuStreamCreate)(&stream, 0));
    return stream;
}

/* What destroying the context writes to standard error. */
static void destroy(CUcontext context, char *text, size_t capacity)
{
    char path[] = "/tmp/isomat-stderr-XXXXXX";
    int file = mkstemp(path), saved = dup(2);

    fflush(stderr);
    dup2(file, 2);
    CUresult result = CALL(cuCtxDestroy_v2)(context);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    ssize_t length = pread(file, text, capacity - 1, 0);
    text[length > 0 ? length : 0] = 0;
    close(file);
    unlink(path);
    assert_ok(result);
}

static void test_what_is_left(void **state)
{
    CUcontext context = hostdriver_context();
    CUdeviceptr kept, freed;
    char text[4096], report[4096];

    (void)state;
    leave_a_stream();
    assert_ok(CALL(cuMemAlloc_v2)(&kept, 1234));
    assert_ok(CALL(cuMemAlloc_v2)(&freed, 4321));
    assert_ok(CALL(cuMemFree_v2)(freed));
    CALL(isomat_hostdriver_describe)(report, sizeof report);
    assert_non_null(strstr(report, ", by cuMemAlloc_v2 from "));
    destroy(context, text, sizeof text);
    assert_non_null(strstr(text, "not destroyed before its context: device memory 0x"));
    assert_non_null(strstr(text, ", 1234 bytes"));
    assert_non_null(strstr(text, "not destroyed before its context: stream 0x"));
    assert_non_null(strstr(text, ", by cuStreamCreate from "));
    assert_non_null(strstr(text, "test_api_faults")); /* the program, or its function */
    assert_null(strstr(text, "4321"));
    context = hostdriver_context();
    destroy(context, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_later),
        cmocka_unit_test(test_lost_device),
        cmocka_unit_test(test_what_is_left),
    };

    setenv("ISOMAT_HOST_CHECK", "leak", 1);
    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
