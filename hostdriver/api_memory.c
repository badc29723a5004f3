/* SPDX-License-Identifier: MIT */
/* api_memory.c: device memory, page-locked host memory, what a pointer is. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { PITCH_ALIGNMENT = 512, HOST_FLAGS = 7, REGISTER_FLAGS = 15, HOST_ALIGNMENT = 4096 };

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
    API(cuMemAlloc_v2, NEEDS_CONTEXT);
    if (pointer == NULL || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t address = memory_alloc(bytes, OWNER_USER, context_current(), NULL);
    if (address == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = address;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width_bytes, size_t height,
                            unsigned int element_bytes)
{
    API(cuMemAllocPitch_v2, NEEDS_CONTEXT);
    if (pointer == NULL || pitch == NULL || width_bytes == 0 || height == 0 || width_bytes > INT32_MAX ||
        (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
        return CUDA_ERROR_INVALID_VALUE;
    size_t row = (width_bytes + PITCH_ALIGNMENT - 1) & ~(size_t)(PITCH_ALIGNMENT - 1);
    if (height > SIZE_MAX / row)
        return CUDA_ERROR_OUT_OF_MEMORY;
    uint64_t address = memory_alloc(row * height, OWNER_USER, context_current(), NULL);
    if (address == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = address;
    *pitch = row;
    return CUDA_SUCCESS;
}

/* The allocation of the user that begins at address. */
static struct allocation *user_allocation(uint64_t address)
{
    struct allocation *found = memory_find(address);

    return found != NULL && found->region.low == address && found->owner == OWNER_USER ? found : NULL;
}

static CUresult release(CUdeviceptr pointer)
{
    struct allocation *found = user_allocation(pointer);

    if (found == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUmemPoolHandle_st *pool = found->pool;
    if (pool != NULL)
        pool->used -= found->region.bytes;
    memory_free(pointer);
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    API(cuMemFree_v2, NEEDS_CONTEXT);
    CUresult result = context_enter(context_current());
    return pointer == 0 || result != CUDA_SUCCESS ? result : release(pointer);
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
    API(cuMemFreeAsync, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result = stream_enter(stream, &context);
    return result != CUDA_SUCCESS ? result : pointer == 0 ? CUDA_ERROR_INVALID_VALUE : release(pointer);
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    API(cuMemGetInfo_v2, NEEDS_CONTEXT);
    if (free_bytes == NULL || total_bytes == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *free_bytes = memory_total() - memory_used();
    *total_bytes = memory_total();
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer)
{
    API(cuMemGetAddressRange_v2, NEEDS_CONTEXT);
    const struct allocation *found = memory_find(pointer);
    if (found == NULL)
        return CUDA_ERROR_NOT_FOUND;
    if (base != NULL)
        *base = found->region.low;
    if (bytes != NULL)
        *bytes = found->region.bytes;
    return CUDA_SUCCESS;
}

static CUresult host_alloc(void **pointer, size_t bytes)
{
    if (pointer == NULL || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > memory_total())
        return CUDA_ERROR_OUT_OF_MEMORY;
    void *memory =
        aligned_alloc(HOST_ALIGNMENT, (bytes + HOST_ALIGNMENT - 1) & ~(size_t)(HOST_ALIGNMENT - 1));
    if (memory == NULL || !memory_add_host(memory, bytes, OWNER_HOST, context_current())) {
        free(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *pointer = memory;
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    API(cuMemHostAlloc, NEEDS_CONTEXT);
    return flags > HOST_FLAGS ? CUDA_ERROR_INVALID_VALUE : host_alloc(pointer, bytes);
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes)
{
    API(cuMemAllocHost_v2, NEEDS_CONTEXT);
    return host_alloc(pointer, bytes);
}

static struct allocation *host_allocation(const void *pointer, enum region_owner owner)
{
    struct allocation *found = memory_find((uint64_t)(uintptr_t)pointer);

    return found != NULL && found->region.low == (uint64_t)(uintptr_t)pointer && found->owner == owner ? found
                                                                                                       : NULL;
}

CUresult cuMemFreeHost(void *pointer)
{
    API(cuMemFreeHost, NEEDS_CONTEXT);
    if (pointer == NULL)
        return CUDA_SUCCESS;
    CUresult result = context_enter(context_current());
    if (result != CUDA_SUCCESS)
        return result;
    if (host_allocation(pointer, OWNER_HOST) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    memory_free((uint64_t)(uintptr_t)pointer);
    free(pointer);
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags)
{
    API(cuMemHostRegister_v2, NEEDS_CONTEXT);
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (pointer == NULL || bytes == 0 || flags > REGISTER_FLAGS || address + bytes < address)
        return CUDA_ERROR_INVALID_VALUE;
    if (address - memory_base() < memory_total() || memory_find(address) != NULL ||
        memory_find(address + bytes - 1) != NULL)
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (!memory_add_host(pointer, bytes, OWNER_REGISTERED, context_current()))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *pointer)
{
    API(cuMemHostUnregister, NEEDS_CONTEXT);
    if (pointer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = context_enter(context_current());
    if (result != CUDA_SUCCESS)
        return result;
    if (host_allocation(pointer, OWNER_REGISTERED) == NULL)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    memory_free((uint64_t)(uintptr_t)pointer);
    return CUDA_SUCCESS;
}

/* Host memory has one address for both sides. */
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device_pointer, void *pointer, unsigned int flags)
{
    API(cuMemHostGetDevicePointer_v2, NEEDS_CONTEXT);
    const struct allocation *found = memory_find((uint64_t)(uintptr_t)pointer);
    if (device_pointer == NULL || flags != 0 || found == NULL || found->region.delta != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *device_pointer = (uint64_t)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *pointer)
{
    API(cuMemHostGetFlags, NEEDS_CONTEXT);
    const struct allocation *found = memory_find((uint64_t)(uintptr_t)pointer);
    if (flags == NULL || found == NULL || found->owner != OWNER_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = 2; /* CU_MEMHOSTALLOC_DEVICEMAP, always so with unified addressing */
    return CUDA_SUCCESS;
}

static CUresult attribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    const struct allocation *found = memory_find(pointer);

    if (found == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUctx_st *context = found->context;
    bool on_host = found->region.delta == 0;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = context;
        break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(CUmemorytype *)data = on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = pointer;
        break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!on_host)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = (void *)(uintptr_t)pointer;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned int *)data = 0;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = context != NULL ? context->device : 0;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = found->region.low;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = found->region.bytes;
        break;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute which, CUdeviceptr pointer)
{
    API(cuPointerGetAttribute, NEEDS_CONTEXT);
    if (data == NULL || which == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return attribute(data, which, pointer);
}

/* Unlike the singular: an unknown pointer is no error, its answers are zero. */
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr pointer)
{
    API(cuPointerGetAttributes, NEEDS_CONTEXT);
    if (attributes == NULL || data == NULL || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned int i = 0; i < count; i++) {
        if (data[i] == NULL)
            return CUDA_ERROR_INVALID_VALUE;
        CUresult result = attribute(data[i], attributes[i], pointer);
        if (result == CUDA_ERROR_NOT_SUPPORTED)
            return result;
        if (result == CUDA_SUCCESS)
            continue;
        switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            *(unsigned int *)data[i] = 0;
            break;
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *(int *)data[i] = -2;
            break;
        default:
            memset(data[i], 0, sizeof(void *));
            break;
        }
    }
    return CUDA_SUCCESS;
}
