/* SPDX-License-Identifier: MIT */
/* api_memory.c: device memory and page-locked host memory. */
#include <stdlib.h>
#include <string.h>

#include "work.h"

enum { PITCH_ALIGNMENT = 512, HOST_FLAGS = 7, REGISTER_FLAGS = 15, HOST_ALIGNMENT = 4096 };

/* What is freed in the order of a stream may be what is needed. */
uint64_t memory_alloc_waiting(uint64_t bytes, enum region_owner owner, struct CUctx_st *context, void *pool)
{
    uint64_t address = memory_alloc(bytes, owner, context, pool);

    if (address != 0 || bytes > memory_total() || context_wait(context) != CUDA_SUCCESS)
        return address;
    return memory_alloc(bytes, owner, context, pool);
}

static CUresult alloc(CUdeviceptr *pointer, size_t bytes)
{
    CUresult result = capture_refuses_unsafe();

    if (result != CUDA_SUCCESS)
        return result;
    uint64_t address = memory_alloc_waiting(bytes, OWNER_USER, context_current(), NULL);
    if (address == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = address;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
    API(cuMemAlloc_v2, NEEDS_CONTEXT);
    return pointer == NULL || bytes == 0 ? CUDA_ERROR_INVALID_VALUE : alloc(pointer, bytes);
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
    CUresult result = alloc(pointer, row * height);
    if (result == CUDA_SUCCESS)
        *pitch = row;
    return result;
}

/* The allocation of the user that begins at address and is not freed. */
static struct allocation *user_allocation(uint64_t address)
{
    struct allocation *found = memory_find(address);
    bool users = found != NULL &&
                 (found->owner == OWNER_USER || found->owner == OWNER_MANAGED || found->owner == OWNER_GRAPH);

    return users && found->region.low == address && !found->freed ? found : NULL;
}

static void release(struct allocation *found)
{
    struct CUmemPoolHandle_st *pool = found->pool;
    void *managed = found->owner == OWNER_MANAGED ? (void *)(uintptr_t)found->region.low : NULL;

    if (pool != NULL)
        pool->used -= found->region.bytes;
    memory_free(found->region.low);
    free(managed);
}

CUresult memory_check_free(CUdeviceptr pointer)
{
    return user_allocation(pointer) != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* From now on it is nobody's. A graph's is there again when the graph runs again. */
void memory_begin_free(CUdeviceptr pointer)
{
    struct allocation *found = memory_find(pointer);

    found->freed = found->owner != OWNER_GRAPH;
}

void memory_run_free(CUdeviceptr pointer)
{
    struct allocation *found = memory_find(pointer);

    if (found != NULL && found->freed && found->region.low == pointer)
        release(found);
}

CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    API(cuMemFree_v2, NEEDS_CONTEXT);
    CUresult result = pointer == 0 ? CUDA_SUCCESS : capture_refuses_unsafe();
    if (pointer == 0 || result != CUDA_SUCCESS)
        return result;
    result = context_wait(context_current());
    if (result == CUDA_SUCCESS)
        result = memory_check_free(pointer);
    if (result != CUDA_SUCCESS)
        return result;
    memory_begin_free(pointer);
    memory_run_free(pointer);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
    API(cuMemFreeAsync, NEEDS_INIT);
    return pointer == 0 ? CUDA_ERROR_INVALID_VALUE
                        : work_submit(stream, &(struct operation){.kind = WORK_FREE, .memory = pointer});
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
    CUresult result = context_wait(context_current());
    if (result != CUDA_SUCCESS)
        return result;
    if (host_allocation(pointer, OWNER_HOST) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    memory_free((uint64_t)(uintptr_t)pointer);
    free(pointer);
    return CUDA_SUCCESS;
}

static CUresult host_register(void *pointer, size_t bytes, unsigned int flags)
{
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

CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    API(cuMemHostRegister, NEEDS_CONTEXT);
    return host_register(pointer, bytes, flags);
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags)
{
    API(cuMemHostRegister_v2, NEEDS_CONTEXT);
    return host_register(pointer, bytes, flags);
}

CUresult cuMemHostUnregister(void *pointer)
{
    API(cuMemHostUnregister, NEEDS_CONTEXT);
    if (pointer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = context_wait(context_current());
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
