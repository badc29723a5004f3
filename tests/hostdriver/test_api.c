/* SPDX-License-Identifier: MIT */
/* test_api.c: the driver's functions, their errors, and faults on demand. */
#include "hostdriver.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .align 4 .u32 counter = 5;\n.const .align 8 .b8 table[24];\n"
    ".visible .entry add(.param .u64 p, .param .u32 n, .param .align 8 .b8 s[12]) .maxntid 256, 1, 1 {\n"
    ".reg .b64 %d<4>; .reg .b32 %r<9>; .reg .pred %p; .shared .align 4 .b8 t[64];\n"
    "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r5, [s+8]; mov.u32 %r2, %ctaid.x; mov.u32 "
    "%r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r2, %r2, %r3, %r4; setp.ge.u32 %p, %r2, %r1; @%p ret; mul.wide.u32 %d2, %r2, 4; add.s64 "
    "%d1, %d1, %d2;\n"
    "ld.global.u32 %r6, [%d1]; add.s32 %r6, %r6, %r5; st.global.u32 [%d1], %r6; ret;\n}\n"
    ".visible .entry wild() { .reg .b64 %d; mov.b64 %d, 16; st.global.u32 [%d], 1; ret; }\n"
    ".visible .entry fixed() .reqntid 64, 1, 1 { ret; }\n";

static CUcontext context;

static void test_before_initialisation(void **state)
{
    int value = -1;
    CUcontext none;
    const char *text = NULL;

    (void)state;
    assert_result(CALL(cuDeviceGetCount)(&value), CUDA_ERROR_NOT_INITIALIZED);
    assert_result(CALL(cuCtxGetCurrent)(&none), CUDA_ERROR_NOT_INITIALIZED);
    assert_result(CALL(cuInit)(1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuDriverGetVersion)(&value));
    assert_int_equal(value, 13000);
    assert_ok(CALL(cuGetErrorName)(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_ok(CALL(cuGetErrorString)(CUDA_ERROR_NO_BINARY_FOR_GPU, &text));
    assert_true(strlen(text) > 10);
    assert_result(CALL(cuGetErrorName)(12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
    assert_int_equal(CALL(isomat_hostdriver_version)(), 1);
    assert_ok(CALL(cuInit)(0));
    assert_ok(CALL(cuInit)(0));
}

static void test_devices(void **state)
{
    char name[64], brief[4];
    int value, major, minor;
    CUdevice device;
    CUuuid uuid;
    size_t bytes;

    (void)state;
    assert_ok(CALL(cuDeviceGetCount)(&value));
    assert_int_equal(value, 1);
    assert_ok(CALL(cuDeviceGet)(&device, 0));
    assert_result(CALL(cuDeviceGet)(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    assert_result(CALL(cuDeviceGet)(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuDeviceGetName)(name, sizeof name, 0));
    assert_string_equal(name, "isomat host driver");
    assert_ok(CALL(cuDeviceGetName)(brief, sizeof brief, 0));
    assert_string_equal(brief, "iso");
    assert_ok(CALL(cuDeviceGetUuid_v2)(&uuid, 0));
    assert_ok(CALL(cuDeviceTotalMem_v2)(&bytes, 0));
    assert_true(bytes == (size_t)8 << 30);
    assert_ok(CALL(cuDeviceComputeCapability)(&major, &minor, 0));
    assert_int_equal(major * 10 + minor, 80);
    assert_ok(CALL(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    assert_int_equal(value, 32);
    assert_result(CALL(cuDeviceGetAttribute)(&value, 9999, 0), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 3),
                  CUDA_ERROR_INVALID_DEVICE);
}

static void test_symbols(void **state)
{
    void *function;
    CUdriverProcAddressQueryResult status;

    (void)state;
    assert_ok(CALL(cuGetProcAddress_v2)("cuMemAlloc", &function, 13000, 0, &status));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
    assert_ptr_equal(function, hostdriver_symbol("cuMemAlloc_v2"));
    assert_ok(CALL(cuGetProcAddress_v2)("cuMemAlloc", &function, 2000, 0, &status));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    assert_null(function);
    assert_ok(CALL(cuGetProcAddress_v2)("cuNothing", &function, 13000, 0, &status));
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_result(CALL(cuGetProcAddress_v2)("cuNothing", &function, 13000, 0, NULL), CUDA_ERROR_NOT_FOUND);
    assert_ok(CALL(cuGetProcAddress)("cuDeviceGetUuid", &function, 9020, 0));
    assert_ptr_equal(function, hostdriver_symbol("cuDeviceGetUuid"));
    assert_result(CALL(cuGetProcAddress)("cuInit", NULL, 9020, 0), CUDA_ERROR_INVALID_VALUE);
    setenv("ISOMAT_HOST_HIDE", "cuFoo,cuMemAlloc,cuBar", 1);
    assert_result(CALL(cuGetProcAddress)("cuMemAlloc", &function, 13000, 0), CUDA_ERROR_NOT_FOUND);
    unsetenv("ISOMAT_HOST_HIDE");
    assert_ok(CALL(cuGetProcAddress)("cuMemAlloc", &function, 13000, 0));
#define X(name, symbol, version, parameters)                                                                 \
    assert_ok(CALL(cuGetProcAddress)(#name, &function, version, 0));                                         \
    assert_ptr_equal(function, hostdriver_symbol(#symbol));
    API_FUNCTIONS(X)
#undef X
}

static void *other_thread(void *result)
{
    CUdeviceptr pointer;

    *(CUresult *)result = CALL(cuMemAlloc_v2)(&pointer, 64);
    return NULL;
}

static void test_contexts(void **state)
{
    CUcontext first, second, current;
    CUdevice device;
    CUdeviceptr pointer;
    pthread_t thread;
    CUresult result;
    unsigned int flags;
    int active;

    (void)state;
    assert_ok(CALL(cuCtxPopCurrent_v2)(&current));
    assert_result(CALL(cuMemAlloc_v2)(&pointer, 64), CUDA_ERROR_INVALID_CONTEXT);
    assert_result(CALL(cuCtxPopCurrent_v2)(&current), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(CALL(cuCtxCreate_v2)(&first, 0, 0));
    assert_ok(CALL(cuCtxCreate_v2)(&second, 8, 0));
    assert_ok(CALL(cuCtxGetFlags)(&flags));
    assert_int_equal(flags, 8);
    assert_ok(CALL(cuCtxGetCurrent)(&current));
    assert_ptr_equal(current, second);
    pthread_create(&thread, NULL, other_thread, &result);
    pthread_join(thread, NULL);
    assert_result(result, CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(CALL(cuCtxPushCurrent_v2)(first));
    assert_ok(CALL(cuCtxGetDevice)(&device));
    assert_ok(CALL(cuCtxDestroy_v2)(second));
    assert_result(CALL(cuCtxPushCurrent_v2)(second), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_result(CALL(cuCtxDestroy_v2)(second), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_result(CALL(cuCtxDestroy_v2)((CUcontext)&current), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(CALL(cuCtxPopCurrent_v2)(NULL));
    assert_result(CALL(cuCtxSynchronize)(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_ok(CALL(cuCtxSetCurrent)(first));
    assert_ok(CALL(cuCtxDestroy_v2)(first));
    assert_ok(CALL(cuDevicePrimaryCtxGetState)(0, &flags, &active));
    assert_int_equal(active, 0);
    assert_result(CALL(cuDevicePrimaryCtxRelease_v2)(0), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(CALL(cuDevicePrimaryCtxRetain)(&first, 0));
    assert_ok(CALL(cuDevicePrimaryCtxRetain)(&second, 0));
    assert_ptr_equal(first, second);
    assert_int_equal(CALL(isomat_hostdriver_live_objects)(), 3);
    assert_ok(CALL(cuCtxPushCurrent_v2)(first));
    assert_ok(CALL(cuMemAlloc_v2)(&pointer, 64));
    assert_ok(CALL(cuDevicePrimaryCtxRelease_v2)(0));
    assert_ok(CALL(cuDevicePrimaryCtxRelease_v2)(0));
    assert_result(CALL(cuMemAlloc_v2)(&pointer, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(CALL(isomat_hostdriver_live_objects)(), 1);
    assert_ok(CALL(cuCtxSetCurrent)(context));
}

static void test_memory(void **state)
{
    CUdeviceptr pointer, second;
    size_t free_bytes, total, pitch, bytes;
    CUmemorytype type;
    void *host;

    (void)state;
    assert_result(CALL(cuMemAlloc_v2)(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemAlloc_v2)(NULL, 8), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemAlloc_v2)(&pointer, (size_t)9 << 30), CUDA_ERROR_OUT_OF_MEMORY);
    assert_ok(CALL(cuMemAlloc_v2)(&pointer, 1000));
    assert_ok(CALL(cuMemAlloc_v2)(&second, 1000));
    assert_int_equal(pointer % 256, 0);
    assert_ok(CALL(cuMemGetInfo_v2)(&free_bytes, &total));
    assert_true(total - free_bytes == 2048);
    assert_ok(CALL(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer + 999));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_ok(CALL(cuPointerGetAttribute)(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, pointer + 1));
    assert_int_equal(bytes, 1000);
    assert_result(CALL(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer + 1000),
                  CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemFree_v2)(pointer + 4), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_result(CALL(cuMemFree_v2)(pointer), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemFree_v2)(second));
    assert_ok(CALL(cuMemFree_v2)(0));
    assert_ok(CALL(cuMemAllocPitch_v2)(&pointer, &pitch, 100, 7, 4));
    assert_int_equal(pitch, 512);
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_ok(CALL(cuMemHostAlloc)(&host, 100, 0));
    memset(host, 1, 100);
    assert_ok(
        CALL(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host));
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    assert_ok(CALL(cuMemFreeHost)(host));
    char own[64];
    assert_result(CALL(cuMemFreeHost)(own), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemHostRegister_v2)(own, sizeof own, 0));
    assert_result(CALL(cuMemHostRegister_v2)(own, sizeof own, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_ok(CALL(cuMemHostUnregister)(own));
    assert_result(CALL(cuMemHostUnregister)(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

static void test_device_pointers_are_not_for_the_host(void **state)
{
    CUdeviceptr pointer;
    int status;

    (void)state;
    assert_ok(CALL(cuMemAlloc_v2)(&pointer, 64));
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile int *)(uintptr_t)pointer = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    assert_ok(CALL(cuMemFree_v2)(pointer));
}

static void test_copies(void **state)
{
    uint8_t in[64], out[64];
    CUdeviceptr a, b;

    (void)state;
    for (int i = 0; i < 64; i++)
        in[i] = (uint8_t)i;
    a = hostdriver_copy(in, 64);
    b = hostdriver_copy(NULL, 64);
    assert_ok(CALL(cuMemcpyDtoD_v2)(b, a, 64));
    assert_ok(CALL(cuMemcpyDtoHAsync_v2)(out, b, 64, NULL));
    assert_memory_equal(in, out, 64);
    assert_result(CALL(cuMemcpyDtoH_v2)(out, b + 8, 64), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemcpyHtoD_v2)(b + 60, in, 5), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemcpyHtoD_v2)((CUdeviceptr)(uintptr_t)in, in, 5), CUDA_ERROR_INVALID_VALUE);
    memset(out, 0, sizeof out);
    assert_ok(CALL(cuMemcpy)((CUdeviceptr)(uintptr_t)out, a + 8, 8));
    assert_memory_equal(in + 8, out, 8);
    assert_ok(CALL(cuMemsetD32_v2)(b, 0x01020304, 16));
    assert_ok(CALL(cuMemsetD16Async)(b + 4, 0x5566, 2, NULL));
    assert_ok(CALL(cuMemsetD8_v2)(b + 9, 0x77, 1));
    assert_result(CALL(cuMemsetD32_v2)(b + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemsetD8_v2)(b, 0, 65), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemsetD2D8_v2)(b + 16, 16, 0xee, 3, 3));
    assert_ok(CALL(cuMemcpyDtoH_v2)(out, b, 64));
    assert_memory_equal(
        out, "\4\3\2\1\x66\x55\x66\x55\4\x77\2\1\4\3\2\1\xee\xee\xee\1\4\3\2\1\4\3\2\1\4\3\2\1\xee\xee\xee\1",
        36);
    CUDA_MEMCPY2D area = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = in,
                          .srcPitch = 8,
                          .srcXInBytes = 1,
                          .srcY = 1,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = a,
                          .dstPitch = 16,
                          .WidthInBytes = 4,
                          .Height = 3};
    assert_ok(CALL(cuMemcpy2D_v2)(&area));
    assert_ok(CALL(cuMemcpyDtoH_v2)(out, a, 64));
    for (int i = 0; i < 3; i++)
        assert_memory_equal(out + 16 * i, in + 9 + 8 * i, 4);
    area.Height = 5;
    assert_result(CALL(cuMemcpy2DAsync_v2)(&area, NULL), CUDA_ERROR_INVALID_VALUE);
    area.dstPitch = 3;
    assert_result(CALL(cuMemcpy2D_v2)(&area), CUDA_ERROR_INVALID_VALUE);
    area.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    assert_result(CALL(cuMemcpy2D_v2)(&area), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemFree_v2)(a));
    assert_ok(CALL(cuMemFree_v2)(b));
}

static void test_pools(void **state)
{
    CUmemoryPool pool, standard;
    CUdeviceptr pointer;
    cuuint64_t value = UINT64_MAX;
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

    (void)state;
    assert_ok(CALL(cuMemPoolCreate)(&pool, &properties));
    assert_ok(CALL(cuMemPoolSetAttribute)(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    assert_ok(CALL(cuMemAllocFromPoolAsync)(&pointer, 4096, pool, NULL));
    assert_ok(CALL(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    assert_int_equal(value, 4096);
    assert_ok(CALL(cuMemFreeAsync)(pointer, NULL));
    assert_ok(CALL(cuCtxSynchronize)());
    assert_ok(CALL(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value));
    assert_int_equal(value, 4096);
    assert_ok(CALL(cuMemPoolTrimTo)(pool, 0));
    assert_ok(CALL(cuMemPoolGetAttribute)(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value));
    assert_int_equal(value, 0);
    assert_ok(CALL(cuDeviceGetDefaultMemPool)(&standard, 0));
    assert_result(CALL(cuMemPoolDestroy)(standard), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemAllocAsync)(&pointer, 100, NULL));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_ok(CALL(cuMemPoolDestroy)(pool));
    assert_result(CALL(cuMemAllocFromPoolAsync)(&pointer, 4096, pool, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void test_streams_and_events(void **state)
{
    CUstream stream;
    CUevent start, end, untimed;
    float milliseconds = -1;
    CUcontext of_stream;

    (void)state;
    assert_ok(CALL(cuStreamCreateWithPriority)(&stream, CU_STREAM_NON_BLOCKING, -3));
    assert_ok(CALL(cuStreamGetCtx)(stream, &of_stream));
    assert_ptr_equal(of_stream, context);
    assert_ok(CALL(cuEventCreate)(&start, 0));
    assert_ok(CALL(cuEventCreate)(&end, 0));
    assert_ok(CALL(cuEventCreate)(&untimed, CU_EVENT_DISABLE_TIMING));
    assert_result(CALL(cuEventElapsedTime)(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(CALL(cuEventRecord)(start, stream));
    usleep(3000);
    assert_ok(CALL(cuEventRecord)(end, stream));
    assert_ok(CALL(cuEventRecord)(untimed, NULL));
    assert_ok(CALL(cuStreamWaitEvent)(NULL, end, 0));
    assert_ok(CALL(cuEventSynchronize)(end));
    assert_ok(CALL(cuEventQuery)(end));
    assert_ok(CALL(cuEventElapsedTime)(&milliseconds, start, end));
    assert_true(milliseconds >= 3 && milliseconds < 1000);
    assert_result(CALL(cuEventElapsedTime)(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(CALL(cuStreamQuery)(stream));
    assert_ok(CALL(cuStreamSynchronize)(stream));
    assert_ok(CALL(cuStreamDestroy_v2)(stream));
    assert_result(CALL(cuStreamSynchronize)(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_result(CALL(cuStreamDestroy_v2)(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(CALL(cuEventDestroy_v2)(start));
    assert_ok(CALL(cuEventDestroy_v2)(end));
    assert_ok(CALL(cuEventDestroy_v2)(untimed));
    assert_result(CALL(cuEventQuery)(end), CUDA_ERROR_INVALID_HANDLE);
}

static CUresult launch(CUfunction function, unsigned grid, unsigned block, unsigned shared, void **parameters,
                       void **extra)
{
    return CALL(cuLaunchKernel)(function, grid, 1, 1, block, 1, 1, shared, NULL, parameters, extra);
}

static void test_modules_and_launches(void **state)
{
    CUmodule module = hostdriver_load(ptx);
    CUfunction function, fixed;
    CUdeviceptr pointer, counter;
    uint32_t data[300] = {0}, n = 300, value;
    struct {
        uint32_t x[3];
    } s = {{0, 0, 42}};
    size_t bytes, offset;
    int number;
    const char *name;

    (void)state;
    assert_result(CALL(cuModuleGetFunction)(&function, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    function = hostdriver_function(module, "add");
    fixed = hostdriver_function(module, "fixed");
    assert_ok(CALL(cuFuncGetName)(&name, function));
    assert_string_equal(name, "add");
    assert_ok(CALL(cuFuncGetAttribute)(&number, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    assert_int_equal(number, 256);
    assert_ok(CALL(cuFuncGetParamInfo)(function, 2, &offset, &bytes));
    assert_int_equal(offset, 16);
    assert_int_equal(bytes, 12);
    assert_result(CALL(cuFuncGetParamInfo)(function, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuModuleGetGlobal_v2)(&counter, &bytes, module, "counter"));
    assert_int_equal(bytes, 4);
    assert_ok(CALL(cuMemcpyDtoH_v2)(&value, counter, 4));
    assert_int_equal(value, 5);
    assert_result(CALL(cuModuleGetGlobal_v2)(&counter, &bytes, module, "absent"), CUDA_ERROR_NOT_FOUND);
    assert_result(CALL(cuMemFree_v2)(counter), CUDA_ERROR_INVALID_VALUE);

    pointer = hostdriver_copy(data, sizeof data);
    void *parameters[] = {&pointer, &n, &s};
    assert_ok(launch(function, 2, 256, 0, parameters, NULL));
    struct {
        CUdeviceptr p;
        uint32_t n, gap, x[3];
    } packed = {pointer, n, 0, {0, 0, 1}};
    size_t packed_bytes = 28;
    void *extra[] = {(void *)1, &packed, (void *)2, &packed_bytes, NULL};
    assert_ok(launch(function, 2, 256, 0, NULL, extra));
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                   .value = {.clusterDim = {1, 1, 1}}};
    CUlaunchConfig config = {2, 1, 1, 256, 1, 1, 0, NULL, &attribute, 1};
    assert_ok(CALL(cuLaunchKernelEx)(&config, function, parameters, NULL));
    attribute.value.clusterDim.x = 2;
    assert_result(CALL(cuLaunchKernelEx)(&config, function, parameters, NULL),
                  CUDA_ERROR_INVALID_CLUSTER_SIZE);
    assert_ok(CALL(cuLaunchCooperativeKernel)(function, 2, 1, 1, 256, 1, 1, 0, NULL, parameters));
    assert_ok(CALL(cuMemcpyDtoH_v2)(data, pointer, sizeof data));
    for (int i = 0; i < 300; i++)
        assert_int_equal(data[i], 3 * 42 + 1);

    assert_result(launch(function, 0, 32, 0, parameters, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_result(launch(function, 1, 0, 0, parameters, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_result(launch(function, 1, 257, 0, parameters, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_result(launch(function, 1, 32, 49153, parameters, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_result(launch(function, 1, 32, 0, parameters, extra), CUDA_ERROR_INVALID_VALUE);
    assert_result(launch(function, 1, 32, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    packed_bytes = 27;
    assert_result(launch(function, 1, 32, 0, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    assert_result(launch(fixed, 1, 32, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(launch(fixed, 1, 64, 0, NULL, NULL));
    assert_result(launch((CUfunction)(void *)data, 1, 32, 0, parameters, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_result(CALL(cuFuncSetAttribute)(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200000),
                  CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuFuncSetAttribute)(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    assert_ok(launch(function, 1, 32, 100000, parameters, NULL));
    assert_ok(CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&number, function, 256, 0));
    assert_int_equal(number, 8);
    assert_ok(CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&number, function, 257, 0));
    assert_int_equal(number, 0);
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_ok(CALL(cuModuleUnload)(module));
    assert_result(CALL(cuModuleUnload)(module), CUDA_ERROR_INVALID_HANDLE);
    assert_result(launch(function, 1, 32, 0, parameters, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void test_sticky_error(void **state)
{
    CUcontext doomed;
    CUdeviceptr pointer;
    CUevent event;
    char text[1024];

    (void)state;
    assert_ok(CALL(cuCtxCreate_v2)(&doomed, 0, 0));
    CUmodule module = hostdriver_load(ptx);
    CUfunction wild = hostdriver_function(module, "wild");
    assert_ok(CALL(cuEventCreate)(&event, 0));
    assert_ok(launch(wild, 1, 1, 0, NULL, NULL));
    assert_result(CALL(cuCtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_result(CALL(cuMemAlloc_v2)(&pointer, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_result(CALL(cuEventQuery)(event), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_result(launch(wild, 1, 1, 0, NULL, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    CALL(isomat_hostdriver_describe)(text, sizeof text);
    assert_non_null(strstr(text, "illegal address in kernel wild, PTX line 12, block (0,0,0), thread "
                                 "(0,0,0): write of 4 bytes at global address 0x10"));
    assert_ok(CALL(cuCtxDestroy_v2)(doomed));
    assert_ok(CALL(cuCtxSynchronize)());
}

static void test_faults_on_demand(void **state)
{
    CUdeviceptr pointer;

    (void)state;
    assert_int_equal(CALL(isomat_hostdriver_set_fault)(
                         "cuMemAlloc_v2:2=OUT_OF_MEMORY,cuCtxSynchronize:1+=CUDA_ERROR_LAUNCH_FAILED"),
                     0);
    assert_ok(CALL(cuMemAlloc_v2)(&pointer, 4));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_result(CALL(cuMemAlloc_v2)(&pointer, 4), CUDA_ERROR_OUT_OF_MEMORY);
    assert_ok(CALL(cuMemAlloc_v2)(&pointer, 4));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    for (int i = 0; i < 3; i++)
        assert_result(CALL(cuCtxSynchronize)(), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_not_equal(CALL(isomat_hostdriver_set_fault)("cuNothing:1=OUT_OF_MEMORY"), 0);
    assert_int_not_equal(CALL(isomat_hostdriver_set_fault)("cuMemAlloc:0=OUT_OF_MEMORY"), 0);
    assert_int_not_equal(CALL(isomat_hostdriver_set_fault)("cuMemAlloc:1=NONSENSE"), 0);
    assert_int_equal(CALL(isomat_hostdriver_set_fault)("cuMemAlloc:1=999"), 0);
    assert_result(CALL(cuMemAlloc_v2)(&pointer, 4), CUDA_ERROR_UNKNOWN);
    assert_int_equal(CALL(isomat_hostdriver_set_fault)(NULL), 0);
    assert_ok(CALL(cuCtxSynchronize)());
    int64_t before = CALL(isomat_hostdriver_call_count)("cuCtxSynchronize");
    assert_ok(CALL(cuCtxSynchronize)());
    assert_int_equal(CALL(isomat_hostdriver_call_count)("cuCtxSynchronize"), before + 1);
    assert_int_equal(CALL(isomat_hostdriver_call_count)("cuNothing"), -1);
}

static void test_live_objects(void **state)
{
    CUdeviceptr pointer;
    CUstream stream;
    CUevent event;
    void *host;
    char text[2048];

    (void)state;
    assert_int_equal(CALL(isomat_hostdriver_live_objects)(), 1);
    CUmodule module = hostdriver_load(ptx);
    assert_int_equal(CALL(isomat_hostdriver_live_objects)(), 2);
    assert_ok(CALL(cuMemAlloc_v2)(&pointer, 77));
    assert_ok(CALL(cuStreamCreate)(&stream, 0));
    assert_ok(CALL(cuEventCreate)(&event, 0));
    assert_ok(CALL(cuMemAllocHost_v2)(&host, 8));
    assert_int_equal(CALL(isomat_hostdriver_live_objects)(), 6);
    int length = CALL(isomat_hostdriver_describe)(text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "77 bytes"));
    assert_int_equal(CALL(isomat_hostdriver_describe)(NULL, 0), length);
    assert_ok(CALL(cuModuleUnload)(module));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_ok(CALL(cuStreamDestroy_v2)(stream));
    assert_ok(CALL(cuEventDestroy_v2)(event));
    assert_ok(CALL(cuMemFreeHost)(host));
    assert_int_equal(CALL(isomat_hostdriver_live_objects)(), 1);
}

static void test_fork(void **state)
{
    int status;

    (void)state;
    pid_t child = fork();
    if (child == 0) {
        CUdeviceptr pointer;
        int count;
        bool right = CALL(cuMemAlloc_v2)(&pointer, 4) == CUDA_ERROR_NOT_INITIALIZED &&
                     CALL(cuInit)(0) == CUDA_ERROR_NOT_INITIALIZED &&
                     CALL(cuDeviceGetCount)(&count) == CUDA_ERROR_NOT_INITIALIZED;
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* What the environment sets is read at the first call: in a fresh process. */
static int in_child(const char *name, const char *value, CUresult expected_init, int version, int devices)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        int found_version = -1, found_devices = -1;
        setenv(name, value, 1);
        hostdriver_open();
        bool right = CALL(cuInit)(0) == expected_init &&
                     CALL(cuDriverGetVersion)(&found_version) == CUDA_SUCCESS && found_version == version;
        if (expected_init == CUDA_SUCCESS)
            right =
                right && CALL(cuDeviceGetCount)(&found_devices) == CUDA_SUCCESS && found_devices == devices;
        _exit(right ? 0 : 1);
    }
    waitpid(child, &status, 0);
    return status;
}

static int environment(void)
{
    return in_child("ISOMAT_HOST_DRIVER_VERSION", "11000", CUDA_SUCCESS, 11000, 1) |
           in_child("ISOMAT_HOST_DEVICES", "0", CUDA_ERROR_NO_DEVICE, 13000, 0) |
           in_child("ISOMAT_HOST_DEVICES", "3", CUDA_SUCCESS, 13000, 3) |
           in_child("ISOMAT_HOST_FAULT", "cuInit:1=SYSTEM_NOT_READY", CUDA_ERROR_SYSTEM_NOT_READY, 13000, 1);
}

static int environment_status;

static void test_environment(void **state)
{
    (void)state;
    assert_int_equal(environment_status, 0);
}

static void test_initialise(void **state)
{
    test_before_initialisation(state);
    assert_ok(CALL(cuCtxCreate_v2)(&context, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_initialise),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_device_pointers_are_not_for_the_host),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_streams_and_events),
        cmocka_unit_test(test_modules_and_launches),
        cmocka_unit_test(test_sticky_error),
        cmocka_unit_test(test_faults_on_demand),
        cmocka_unit_test(test_live_objects),
        cmocka_unit_test(test_fork),
    };

    environment_status = environment();
    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
