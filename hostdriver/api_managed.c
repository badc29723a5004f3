/* SPDX-License-Identifier: MIT */
/* api_managed.c: memory that both sides use at one address: here it is the host's. */
#include <stdlib.h>
#include <string.h>

#include "work.h"

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4, ALIGNMENT = 4096, ADVICES = 6, INVALID = -2 };

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned int flags)
{
    API(cuMemAllocManaged, NEEDS_CONTEXT);
    if (pointer == NULL || bytes == 0 || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = capture_refuses_unsafe();
    if (result != CUDA_SUCCESS)
        return result;
    if (bytes > memory_total())
        return CUDA_ERROR_OUT_OF_MEMORY;
    void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
    if (memory == NULL || !memory_add_host(memory, bytes, OWNER_MANAGED, context_current())) {
        free(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *pointer = (uint64_t)(uintptr_t)memory;
    return CUDA_SUCCESS;
}

static CUresult check_range(CUdeviceptr pointer, size_t bytes)
{
    const struct allocation *found = memory_find(pointer);

    if (found == NULL || found->owner != OWNER_MANAGED || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return bytes <= found->region.bytes - (pointer - found->region.low) ? CUDA_SUCCESS
                                                                        : CUDA_ERROR_INVALID_VALUE;
}

static CUresult advise(CUdeviceptr pointer, size_t bytes, uint32_t advice)
{
    return advice == 0 || advice > ADVICES ? CUDA_ERROR_INVALID_VALUE : check_range(pointer, bytes);
}

/* There is one memory: advice and prefetches are checked and change nothing. */
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, uint32_t advice, CUdevice device)
{
    API(cuMemAdvise, NEEDS_CONTEXT);
    (void)device;
    return advise(pointer, bytes, advice);
}

CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, uint32_t advice, CUmemLocation location)
{
    API(cuMemAdvise_v2, NEEDS_CONTEXT);
    (void)location;
    return advise(pointer, bytes, advice);
}

static CUresult prefetch(CUdeviceptr pointer, size_t bytes, CUstream stream)
{
    CUresult result = check_range(pointer, bytes);

    return result != CUDA_SUCCESS ? result : work_submit(stream, &(struct operation){.kind = WORK_NOTHING});
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream)
{
    API(cuMemPrefetchAsync, NEEDS_INIT);
    return device != -1 && !device_valid(device) ? CUDA_ERROR_INVALID_DEVICE
                                                 : prefetch(pointer, bytes, stream);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned int flags,
                               CUstream stream)
{
    API(cuMemPrefetchAsync_v2, NEEDS_INIT);
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE && !device_valid(location.id)
               ? CUDA_ERROR_INVALID_DEVICE
               : prefetch(pointer, bytes, stream);
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned int flags)
{
    API(cuStreamAttachMemAsync, NEEDS_INIT);
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST && flags != ATTACH_SINGLE)
        return CUDA_ERROR_INVALID_VALUE;
    const struct allocation *found = memory_find(pointer);
    if (bytes == 0 && found != NULL)
        bytes = found->region.bytes;
    return prefetch(pointer, bytes, stream);
}

/* As of memory that nothing was said about. */
static CUresult range_attribute(void *data, size_t data_bytes, uint32_t attribute)
{
    enum { READ_MOSTLY = 1, ACCESSED_BY = 3, LAST = 8 };

    if (data == NULL || attribute == 0 || attribute > LAST || data_bytes < 4 || data_bytes % 4 != 0)
        return CUDA_ERROR_INVALID_VALUE;
    int value = attribute == READ_MOSTLY ? 0 : INVALID;
    for (size_t i = 0; i < (attribute == ACCESSED_BY ? data_bytes / 4 : 1); i++)
        memcpy((char *)data + i * 4, &value, 4);
    return CUDA_SUCCESS;
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_bytes, uint32_t attribute, CUdeviceptr pointer,
                                size_t bytes)
{
    API(cuMemRangeGetAttribute, NEEDS_CONTEXT);
    CUresult result = check_range(pointer, bytes);
    return result != CUDA_SUCCESS ? result : range_attribute(data, data_bytes, attribute);
}

CUresult cuMemRangeGetAttributes(void **data, size_t *data_bytes, uint32_t *attributes, size_t count,
                                 CUdeviceptr pointer, size_t bytes)
{
    API(cuMemRangeGetAttributes, NEEDS_CONTEXT);
    if (data == NULL || data_bytes == NULL || attributes == NULL || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_range(pointer, bytes);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = range_attribute(data[i], data_bytes[i], attributes[i]);
    return result;
}
