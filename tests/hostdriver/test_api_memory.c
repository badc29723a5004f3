/* SPDX-License-Identifier: MIT */
/* test_api_memory.c: managed memory, reserved addresses and what is mapped there, boxes, several devices. */
#include "hostdriver.h"

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 n) {\n.reg .b64 %d; .reg .b32 %r<3>;\n"
    "ld.param.u64 %d, [p]; ld.param.u32 %r1, [n]; ld.global.u32 %r2, [%d];\n"
    "add.s32 %r2, %r2, %r1; st.global.u32 [%d], %r2; ret;\n}\n";

static CUcontext context;

static void add(CUdeviceptr pointer, uint32_t n, CUresult expected)
{
    CUmodule module = hostdriver_load(ptx);

    hostdriver_launch(hostdriver_function(module, "add"), 1, 1, (void *[]){&pointer, &n});
    assert_result(CALL(cuCtxSynchronize)(), expected);
    if (expected == CUDA_SUCCESS)
        assert_ok(CALL(cuModuleUnload)(module));
}

static void test_managed(void **state)
{
    CUdeviceptr pointer;
    unsigned int managed = 0;
    CUmemorytype type;
    int value;

    (void)state;
    assert_ok(CALL(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 0));
    assert_int_equal(value, 1);
    assert_result(CALL(cuMemAllocManaged)(&pointer, 64, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemAllocManaged)(&pointer, 64, 1));
    uint32_t *words = (uint32_t *)(uintptr_t)pointer;
    words[0] = 40; /* the host's too */
    add(pointer, 2, CUDA_SUCCESS);
    assert_int_equal(words[0], 42);
    assert_ok(CALL(cuPointerGetAttribute)(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer));
    assert_int_equal(managed, 1);
    assert_ok(CALL(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_ok(CALL(cuMemAdvise)(pointer, 64, 1, 0));
    assert_result(CALL(cuMemAdvise)(pointer, 65, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(
        CALL(cuMemPrefetchAsync_v2)(pointer, 64, (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0}, 0, NULL));
    assert_ok(CALL(cuMemRangeGetAttribute)(&value, 4, 1, pointer, 64));
    assert_int_equal(value, 0);
    assert_ok(CALL(cuMemcpyHtoD_v2)(pointer, &(uint32_t){9}, 4));
    assert_int_equal(words[0], 9);
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_result(CALL(cuMemFree_v2)(pointer), CUDA_ERROR_INVALID_VALUE);
}

static const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                               .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, 3};

static void test_mapping(void **state)
{
    CUmemGenericAllocationHandle first, second, again;
    CUdeviceptr range;
    size_t page, free_before, free_now, total;
    unsigned long long flags;
    uint32_t in[4] = {1, 2, 3, 4}, out[4] = {0};

    (void)state;
    assert_ok(CALL(cuMemGetInfo_v2)(&free_before, &total));
    assert_ok(CALL(cuMemGetAllocationGranularity)(&page, &properties, 0));
    assert_result(CALL(cuMemAddressReserve)(&range, page + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemAddressReserve)(&range, 4 * page, 8 * page, 0, 0));
    assert_int_equal(range % (8 * page), 0);
    assert_result(CALL(cuMemCreate)(&first, page - 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemCreate)(&first, page, &properties, 0));
    assert_ok(CALL(cuMemCreate)(&second, page, &properties, 0));
    assert_ok(CALL(cuMemGetInfo_v2)(&free_now, &total));
    assert_int_equal(free_before - free_now, 2 * page);
    /* Nothing is there until it is mapped and access is given. */
    assert_result(CALL(cuMemcpyHtoD_v2)(range, in, 4), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemcpy)(range, (CUdeviceptr)(uintptr_t)in, 4), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemMap)(range, page, 0, first, 0));
    assert_result(CALL(cuMemMap)(range, page, 0, second, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemMap)(range + page, page, 0, second, 0));
    assert_ok(CALL(cuMemGetAccess)(&flags, &access.location, range));
    assert_int_equal(flags, 0);
    assert_result(CALL(cuMemcpyHtoD_v2)(range, in, 4), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemSetAccess)(range, 2 * page, &access, 1));
    assert_ok(CALL(cuMemGetAccess)(&flags, &access.location, range));
    assert_int_equal(flags, 3);
    /* Neighbours are one piece. */
    assert_ok(CALL(cuMemcpyHtoD_v2)(range + page - 8, in, 16));
    add(range + page, 10, CUDA_SUCCESS);
    assert_ok(CALL(cuMemcpyDtoH_v2)(out, range + page - 8, 16));
    assert_int_equal(out[1], 2);
    assert_int_equal(out[2], 13);
    /* The same memory at two places. */
    assert_ok(CALL(cuMemMap)(range + 2 * page, page, 0, second, 0));
    assert_ok(CALL(cuMemSetAccess)(range + 2 * page, page, &access, 1));
    assert_ok(CALL(cuMemcpyDtoH_v2)(out, range + 2 * page, 4));
    assert_int_equal(out[0], 13);
    assert_ok(CALL(cuMemRetainAllocationHandle)(&again, (void *)(uintptr_t)(range + 5)));
    assert_int_equal(again, first);
    assert_ok(CALL(cuMemRelease)(again));
    assert_ok(CALL(cuMemRelease)(first)); /* still mapped */
    assert_ok(CALL(cuMemRelease)(second));
    assert_result(CALL(cuMemRelease)(second), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemAddressFree)(range, 4 * page), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuMemUnmap)(range, 4 * page), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemUnmap)(range, 3 * page));
    assert_ok(CALL(cuMemGetInfo_v2)(&free_now, &total));
    assert_int_equal(free_before, free_now);
    assert_result(CALL(cuMemcpyDtoH_v2)(out, range, 4), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemAddressFree)(range, 4 * page));
    int descriptor;
    assert_result(((CUresult(*)(void *, CUmemGenericAllocationHandle, uint32_t, unsigned long long))(
                      void (*)(void))CALL(cuMemExportToShareableHandle))(&descriptor, first, 1, 0),
                  CUDA_ERROR_NOT_SUPPORTED);
}

/* A kernel finds nothing at an address that is only reserved. */
static void test_reserved_is_no_memory(void **state)
{
    CUdeviceptr range;

    (void)state;
    assert_ok(CALL(cuMemAddressReserve)(&range, 2 << 20, 0, 0, 0));
    add(range, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_ok(CALL(cuMemAddressFree)(range, 2 << 20));
}

static void test_boxes(void **state)
{
    enum { X = 5, Y = 4, Z = 3 };
    uint8_t in[Z][Y][X], out[2][2][3] = {{{0}}};
    CUdeviceptr box = hostdriver_copy(NULL, 1024);

    (void)state;
    for (int i = 0; i < Z * Y * X; i++)
        ((uint8_t *)in)[i] = (uint8_t)i;
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = in,
                          .srcPitch = X,
                          .srcHeight = Y,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = box,
                          .dstPitch = 16,
                          .dstHeight = 8,
                          .WidthInBytes = X,
                          .Height = Y,
                          .Depth = Z};
    assert_ok(CALL(cuMemcpy3D_v2)(&copy));
    CUDA_MEMCPY3D part = {.srcXInBytes = 2,
                          .srcY = 1,
                          .srcZ = 1,
                          .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = box,
                          .srcPitch = 16,
                          .srcHeight = 8,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = out,
                          .dstPitch = 3,
                          .dstHeight = 2,
                          .WidthInBytes = 3,
                          .Height = 2,
                          .Depth = 2};
    assert_ok(CALL(cuMemcpy3DAsync_v2)(&part, NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            assert_memory_equal(out[z][y], &in[z + 1][y + 1][2], 3);
    copy.Depth = 9;
    assert_result(CALL(cuMemcpy3D_v2)(&copy), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuMemFree_v2)(box));
}

static void test_several_devices(void **state)
{
    CUcontext second;
    CUdeviceptr here, there;
    uint32_t data = 77, back = 0;
    int can = 0, ordinal;

    (void)state;
    here = hostdriver_copy(&data, 4);
    assert_ok(CALL(cuDeviceCanAccessPeer)(&can, 0, 1));
    assert_int_equal(can, 1);
    assert_ok(CALL(cuCtxCreate_v2)(&second, 0, 1));
    there = hostdriver_copy(NULL, 4);
    assert_ok(CALL(cuPointerGetAttribute)(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, there));
    assert_int_equal(ordinal, 1);
    assert_result(CALL(cuCtxDisablePeerAccess)(context), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    assert_ok(CALL(cuCtxEnablePeerAccess)(context, 0));
    assert_result(CALL(cuCtxEnablePeerAccess)(context, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    assert_result(CALL(cuCtxEnablePeerAccess)(second, 0), CUDA_ERROR_INVALID_DEVICE);
    assert_ok(CALL(cuMemcpyPeer)(there, second, here, context, 4));
    assert_ok(CALL(cuMemcpyDtoH_v2)(&back, there, 4));
    assert_int_equal(back, 77);
    assert_result(CALL(cuMemcpyPeer)(there, (CUcontext)(void *)&back, here, context, 4),
                  CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(CALL(cuCtxDisablePeerAccess)(context));
    assert_ok(CALL(cuCtxDestroy_v2)(second));
}

static int set_up(void **state)
{
    (void)state;
    context = hostdriver_context();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_ok(CALL(cuCtxDestroy_v2)(context));
    assert_int_equal(CALL(isomat_hostdriver_live_objects)(), 0);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_managed), TEST(test_mapping),         TEST(test_reserved_is_no_memory),
        TEST(test_boxes),   TEST(test_several_devices),
    };

    setenv("ISOMAT_HOST_DEVICES", "2", 1);
    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
