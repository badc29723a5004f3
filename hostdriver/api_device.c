/* SPDX-License-Identifier: MIT */
/* api_device.c: devices, their attributes, their primary contexts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { SHARED_DEFAULT = 48 * 1024 };

bool device_valid(CUdevice device)
{
    return device >= 0 && device < driver.configuration.devices;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    API(cuDeviceGet, NEEDS_INIT);
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    API(cuDeviceGetCount, NEEDS_INIT);
    if (count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *count = driver.configuration.devices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int capacity, CUdevice device)
{
    API(cuDeviceGetName, NEEDS_INIT);
    if (name == NULL || capacity < 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)capacity, "isomat host driver");
    return CUDA_SUCCESS;
}

static CUresult uuid_of(CUuuid *uuid, CUdevice device)
{
    if (uuid == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    memcpy(uuid->bytes, "isomat-hostdrv-0", 16);
    uuid->bytes[15] = (char)('0' + device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    API(cuDeviceGetUuid, NEEDS_INIT);
    return uuid_of(uuid, device);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    API(cuDeviceGetUuid_v2, NEEDS_INIT);
    return uuid_of(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    API(cuDeviceTotalMem_v2, NEEDS_INIT);
    if (bytes == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *bytes = memory_total();
    return CUDA_SUCCESS;
}

/* Shared memory of one block: what the generation of that capability has. */
int32_t shared_limit(bool opt_in)
{
    uint32_t capability = driver.configuration.capability;

    if (!opt_in)
        return SHARED_DEFAULT;
    if (capability >= 120)
        return 99 * 1024;
    if (capability >= 90)
        return 227 * 1024;
    if (capability == 80 || capability == 87)
        return 163 * 1024;
    if (capability >= 86)
        return 99 * 1024;
    return capability == 75 ? 64 * 1024 : capability >= 70 ? 96 * 1024 : SHARED_DEFAULT;
}

int32_t device_attribute(CUdevice_attribute attribute, CUdevice device, bool *known)
{
    uint32_t capability = driver.configuration.capability;

    *known = true;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
        return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
        return INT32_MAX;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
        return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return shared_limit(false);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return shared_limit(true);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        return shared_limit(true) + (capability >= 80 ? 1024 : 0);
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        return capability >= 80 ? 1024 : 0;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
        return 65536;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        return LANES;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
        return INT32_MAX;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        return 65536;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        return 1000000;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        return 1000000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        return 64;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        return 1 << 20;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
        return 512;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return (int32_t)host_threads();
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        return 32;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case 79: /* L1 cache of global memory */
    case 80: /* and of local memory */
    case 90: /* compute preemption */
        return 1;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
        return 1;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        return device + 1;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return (int32_t)(capability / 10);
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        return (int32_t)(capability % 10);
    case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
    case CU_DEVICE_ATTRIBUTE_TCC_DRIVER:
    case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
        return 0;
    default:
        break;
    }
    /* What the host driver does not have is absent from the device: 0. */
    *known = attribute >= 1 && attribute <= 160;
    return 0;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    API(cuDeviceGetAttribute, NEEDS_INIT);
    bool known;
    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    int32_t found = device_attribute(attribute, device, &known);
    if (!known)
        return CUDA_ERROR_INVALID_VALUE;
    *value = found;
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    API(cuDeviceComputeCapability, NEEDS_INIT);
    if (major == NULL || minor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *major = (int)(driver.configuration.capability / 10);
    *minor = (int)(driver.configuration.capability % 10);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    API(cuDeviceGetProperties, NEEDS_INIT);
    if (properties == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *properties = (CUdevprop){.maxThreadsPerBlock = 1024,
                              .maxThreadsDim = {1024, 1024, 64},
                              .maxGridSize = {INT32_MAX, 65535, 65535},
                              .sharedMemPerBlock = shared_limit(false),
                              .totalConstantMemory = 65536,
                              .SIMDWidth = LANES,
                              .memPitch = INT32_MAX,
                              .regsPerBlock = 65536,
                              .clockRate = 1000000,
                              .textureAlign = 512};
    return CUDA_SUCCESS;
}

static struct CUctx_st *primary(CUdevice device)
{
    struct CUctx_st *context = driver.primary[device];

    if (context == NULL) {
        context = calloc(1, sizeof *context);
        if (context == NULL)
            return NULL;
        context_init(context, device, 0, true);
        driver.primary[device] = context;
    }
    return context;
}

static void primary_end(struct CUctx_st *context)
{
    objects_release(context);
    context->alive = false;
    context->sticky = CUDA_SUCCESS;
    context->peers = 0;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    API(cuDevicePrimaryCtxRetain, NEEDS_INIT);
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    struct CUctx_st *found = primary(device);
    if (found == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    found->retained++;
    found->alive = true;
    *context = found;
    return CUDA_SUCCESS;
}

static CUresult primary_release(CUdevice device)
{
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    struct CUctx_st *context = driver.primary[device];
    if (context == NULL || context->retained == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--context->retained == 0)
        primary_end(context);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    API(cuDevicePrimaryCtxRelease, NEEDS_INIT);
    return primary_release(device);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    API(cuDevicePrimaryCtxRelease_v2, NEEDS_INIT);
    return primary_release(device);
}

static CUresult primary_flags(CUdevice device, unsigned int flags)
{
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (flags > 0xff)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUctx_st *context = primary(device);
    if (context == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    API(cuDevicePrimaryCtxSetFlags, NEEDS_INIT);
    return primary_flags(device, flags);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
    API(cuDevicePrimaryCtxSetFlags_v2, NEEDS_INIT);
    return primary_flags(device, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    API(cuDevicePrimaryCtxGetState, NEEDS_INIT);
    if (flags == NULL || active == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    const struct CUctx_st *context = driver.primary[device];
    *flags = context != NULL ? context->flags : 0;
    *active = context != NULL && context->alive;
    return CUDA_SUCCESS;
}

static CUresult primary_reset(CUdevice device)
{
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (driver.primary[device] != NULL) {
        /* Its holders keep it; all that was in it is gone. */
        primary_end(driver.primary[device]);
        driver.primary[device]->alive = driver.primary[device]->retained > 0;
    }
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    API(cuDevicePrimaryCtxReset, NEEDS_INIT);
    return primary_reset(device);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    API(cuDevicePrimaryCtxReset_v2, NEEDS_INIT);
    return primary_reset(device);
}
