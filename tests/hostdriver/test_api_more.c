/* SPDX-License-Identifier: MIT */
/* test_api_more.c: libraries, the linker, callbacks, limits, peers, and what is not there. */
#include "hostdriver.h"

#include <unistd.h>

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char ptx[] = HEADER
    ".visible .global .align 4 .u32 bias = 5;\n"
    ".visible .entry k(.param .u64 q) {\n.reg .b64 %d; .reg .b32 %r<3>;\n"
    "ld.param.u64 %d, [q]; ld.global.u32 %r1, [bias]; ld.global.u32 %r2, [%d]; add.s32 %r1, %r1, %r2;\n"
    "st.global.u32 [%d], %r1; ret;\n}\n";

static const char caller[] =
    HEADER ".extern .func (.param .b32 r) triple(.param .b32 x);\n.extern .global .align 4 .u32 bias;\n"
           ".visible .entry k(.param .u64 q) {\n.reg .b64 %d; .reg .b32 %r<3>;\n"
           "ld.param.u64 %d, [q]; ld.global.u32 %r1, [bias];\n"
           "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 v; call.uni (v), triple, (a); ld.param.b32 "
           "%r2, [v]; }\n"
           "st.global.u32 [%d], %r2; ret;\n}\n";
static const char callee[] =
    HEADER ".visible .global .align 4 .u32 bias = 5;\n"
           ".visible .func (.param .b32 r) triple(.param .b32 x) {\n.reg .b32 %r<3>;\n"
           "ld.param.b32 %r1, [x]; mul.lo.s32 %r2, %r1, 3; st.param.b32 [r], %r2; ret;\n}\n";

static uint32_t launch(CUfunction function, uint32_t value)
{
    CUdeviceptr pointer = hostdriver_copy(&value, 4);

    hostdriver_launch(function, 1, 1, (void *[]){&pointer});
    assert_ok(CALL(cuMemcpyDtoH_v2)(&value, pointer, 4));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    return value;
}

static void test_library(void **state)
{
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    CUmodule module;
    CUdeviceptr pointer;
    const char *name;
    unsigned count;
    size_t bytes;
    int value;

    (void)state;
    assert_ok(CALL(cuLibraryLoadData)(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    assert_ok(CALL(cuLibraryGetKernelCount)(&count, library));
    assert_int_equal(count, 1);
    assert_result(CALL(cuLibraryGetKernel)(&kernel, library, "none"), CUDA_ERROR_NOT_FOUND);
    assert_ok(CALL(cuLibraryGetKernel)(&kernel, library, "k"));
    assert_ok(CALL(cuKernelGetFunction)(&function, kernel));
    assert_ok(CALL(cuKernelGetName)(&name, kernel));
    assert_string_equal(name, "k");
    assert_ok(CALL(cuKernelGetAttribute)(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    assert_int_equal(value, 1024);
    assert_ok(CALL(cuLibraryGetModule)(&module, library));
    assert_ok(CALL(cuLibraryGetGlobal)(&pointer, &bytes, library, "bias"));
    assert_int_equal(bytes, 4);
    assert_int_equal(launch(function, 37), 42);
    /* A kernel may be launched as it is. */
    assert_int_equal(launch(kernel, 1), 6);
    assert_ok(CALL(cuLibraryUnload)(library));
    assert_result(CALL(cuLibraryUnload)(library), CUDA_ERROR_INVALID_HANDLE);
}

static void test_linker(void **state)
{
    CUlinkState link;
    CUmodule module;
    void *image;
    size_t bytes;

    (void)state;
    assert_ok(CALL(cuLinkCreate_v2)(0, NULL, NULL, &link));
    assert_result(CALL(cuLinkComplete)(link, &image, &bytes), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuLinkAddData_v2)(link, 0, (void *)caller, 4, "x", 0, NULL, NULL),
                  CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_ok(CALL(cuLinkAddData_v2)(link, 1, (void *)caller, sizeof caller, "caller", 0, NULL, NULL));
    assert_ok(CALL(cuLinkAddData_v2)(link, 1, (void *)callee, sizeof callee, "callee", 0, NULL, NULL));
    assert_ok(CALL(cuLinkComplete)(link, &image, &bytes));
    module = hostdriver_load(image);
    assert_ok(CALL(cuLinkDestroy)(link));
    assert_int_equal(launch(hostdriver_function(module, "k"), 0), 15);
    assert_ok(CALL(cuModuleUnload)(module));
}

/* The address of an element, as some compilers write it. */
static void test_address_of_an_element(void **state)
{
    static const char text[] =
        HEADER ".visible .global .align 4 .u32 table[3] = {5, 6, 7};\n"
               ".visible .entry k(.param .u64 q) {\n.reg .b64 %d<3>; .reg .b32 %r;\n"
               "ld.param.u64 %d1, [q]; mov.u64 %d2, table[8]; ld.global.u32 %r, [%d2];\n"
               "st.global.u32 [%d1], %r; ret;\n}\n";
    CUmodule module = hostdriver_load(text);

    (void)state;
    assert_int_equal(launch(hostdriver_function(module, "k"), 0), 7);
    assert_ok(CALL(cuModuleUnload)(module));
}

static void count_call(void *data)
{
    ++*(int *)data;
}

static void count_callback(CUstream stream, CUresult result, void *data)
{
    (void)stream;
    *(int *)data += result == CUDA_SUCCESS;
}

static void test_callbacks(void **state)
{
    CUstream stream;
    int calls = 0;
    uint32_t status = 9;

    (void)state;
    assert_ok(CALL(cuStreamCreate)(&stream, 0));
    assert_ok(CALL(cuLaunchHostFunc)(stream, count_call, &calls));
    assert_ok(CALL(cuStreamAddCallback)(stream, count_callback, &calls, 0));
    assert_result(CALL(cuLaunchHostFunc)(stream, NULL, &calls), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuStreamSynchronize)(stream));
    assert_int_equal(calls, 2);
    assert_ok(CALL(cuStreamIsCapturing)(stream, &status));
    assert_int_equal(status, 0);
    assert_ok(CALL(cuStreamDestroy_v2)(stream));
}

static void test_limits(void **state)
{
    size_t value;
    unsigned long long id, other;
    char text[32];
    CUdevice device;
    int can;

    (void)state;
    assert_ok(CALL(cuCtxGetLimit)(&value, 0));
    assert_int_equal(value, 16384);
    assert_ok(CALL(cuCtxSetLimit)(2, 1 << 20));
    assert_ok(CALL(cuCtxGetLimit)(&value, 2));
    assert_int_equal(value, 1 << 20);
    assert_result(CALL(cuCtxSetLimit)(99, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
    assert_ok(CALL(cuCtxGetId)(NULL, &id));
    assert_ok(CALL(cuCtxGetId)(*state, &other));
    assert_true(id == other);
    assert_ok(CALL(cuDeviceGetPCIBusId)(text, sizeof text, 0));
    assert_ok(CALL(cuDeviceGetByPCIBusId)(&device, text));
    assert_int_equal(device, 0);
    assert_ok(CALL(cuDeviceCanAccessPeer)(&can, 0, 0));
    assert_int_equal(can, 0);
    assert_result(CALL(cuDeviceCanAccessPeer)(&can, 0, 7), CUDA_ERROR_INVALID_DEVICE);
}

/* What is not there says so, once. */
static void test_not_there(void **state)
{
    char path[] = "/tmp/isomat-stderr-XXXXXX", text[512] = "";
    int file = mkstemp(path), saved = dup(2);
    void *function = NULL;

    (void)state;
    assert_ok(CALL(cuGetProcAddress_v2)("cuTexObjectCreate", &function, 12000, 0, NULL));
    fflush(stderr);
    dup2(file, 2);
    CUresult first = CALL(cuTexObjectCreate)(), second = CALL(cuTexObjectCreate)();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    close(file);
    unlink(path);
    assert_result(first, CUDA_ERROR_NOT_SUPPORTED);
    assert_result(second, CUDA_ERROR_NOT_SUPPORTED);
    assert_string_equal(
        text, "isomat host driver: cuTexObjectCreate is not implemented: CUDA_ERROR_NOT_SUPPORTED\n");
}

static int with_context(void **state)
{
    *state = hostdriver_context();
    return 0;
}

static int without_context(void **state)
{
    return CALL(cuCtxDestroy_v2)(*state) == CUDA_SUCCESS && CALL(isomat_hostdriver_live_objects)() == 0 ? 0
                                                                                                        : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, with_context, without_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_library),   TEST(test_linker), TEST(test_address_of_an_element),
        TEST(test_callbacks), TEST(test_limits), TEST(test_not_there),
    };

    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
