/* SPDX-License-Identifier: MIT */
/* api_pointer.c: what a pointer is. */
#include <string.h>

#include "driver.h"

/* CUpointer_attribute beyond those of cuda_abi.h. */
enum {
    ATTRIBUTE_SYNCHRONOUS = 6,
    ATTRIBUTE_BUFFER_ID = 7,
    ATTRIBUTE_EXPORTABLE = 10,
    ATTRIBUTE_MAPPED = 13,
    ATTRIBUTE_HANDLE_TYPES = 14,
    ATTRIBUTE_DIRECT = 15,
    ATTRIBUTE_ACCESS = 16,
    ATTRIBUTE_POOL = 17,
    ATTRIBUTE_MAPPING_SIZE = 18,
    ATTRIBUTE_MAPPING_BASE = 19,
    ACCESS_READ_WRITE = 3
};

static CUresult attribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    const struct allocation *found = memory_find(pointer);

    if (found == NULL || found->freed)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUctx_st *context = found->context;
    bool managed = found->owner == OWNER_MANAGED, on_host = found->region.delta == 0;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = context;
        break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(CUmemorytype *)data = on_host && !managed ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
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
        *(unsigned int *)data = managed;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = context != NULL ? context->device : 0;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case ATTRIBUTE_MAPPING_BASE:
        *(CUdeviceptr *)data = found->region.low;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case ATTRIBUTE_MAPPING_SIZE:
        *(size_t *)data = found->region.bytes;
        break;
    case ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)data = found->number;
        break;
    case ATTRIBUTE_MAPPED:
        *(unsigned int *)data = 1;
        break;
    case ATTRIBUTE_ACCESS:
        *(uint32_t *)data = ACCESS_READ_WRITE;
        break;
    case ATTRIBUTE_POOL:
        *(CUmemoryPool *)data = found->owner == OWNER_USER ? found->pool : NULL;
        break;
    /* There is none of these: no exports, no direct access by other devices. */
    case ATTRIBUTE_SYNCHRONOUS:
    case ATTRIBUTE_EXPORTABLE:
    case ATTRIBUTE_DIRECT:
        *(uint32_t *)data = 0;
        break;
    case ATTRIBUTE_HANDLE_TYPES:
        *(unsigned long long *)data = 0;
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

/* Copies are synchronous or not as their function says. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute which, CUdeviceptr pointer)
{
    API(cuPointerSetAttribute, NEEDS_CONTEXT);
    if (value == NULL || memory_find(pointer) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return which == ATTRIBUTE_SYNCHRONOUS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
