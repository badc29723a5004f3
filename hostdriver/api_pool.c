/* SPDX-License-Identifier: MIT */
/* api_pool.c: memory pools and stream-ordered allocation. */
#include <stdlib.h>

#include "work.h"

/* CUmemPool_attribute beyond those of cuda_abi.h. */
enum {
    POOL_REUSE_FIRST = 1,
    POOL_REUSE_LAST = 3,
    POOL_RESERVED_HIGH = 6,
    POOL_USED_HIGH = 8,
};

static CUresult pool_new(CUdevice device, bool is_default, struct CUctx_st *context,
                         struct CUmemPoolHandle_st **pool)
{
    struct CUmemPoolHandle_st *new = calloc(1, sizeof *new);

    if (new == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    new->device = device;
    new->is_default = is_default;
    for (int i = 0; i < 3; i++)
        new->reuse[i] = 1;
    object_add(&new->object, OBJECT_POOL, context);
    *pool = new;
    return CUDA_SUCCESS;
}

static CUresult default_pool(CUdevice device, struct CUmemPoolHandle_st **pool)
{
    if (device < 0 || device >= driver.configuration.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    if (driver.default_pool[device] == NULL) {
        CUresult result = pool_new(device, true, NULL, &driver.default_pool[device]);
        if (result != CUDA_SUCCESS)
            return result;
    }
    *pool = driver.default_pool[device];
    return CUDA_SUCCESS;
}

static CUresult current_pool(CUdevice device, struct CUmemPoolHandle_st **pool)
{
    if (device >= 0 && device < driver.configuration.devices && driver.current_pool[device] != NULL) {
        *pool = driver.current_pool[device];
        return CUDA_SUCCESS;
    }
    return default_pool(device, pool);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    API(cuDeviceGetDefaultMemPool, NEEDS_INIT);
    return pool == NULL ? CUDA_ERROR_INVALID_VALUE : default_pool(device, pool);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    API(cuDeviceGetMemPool, NEEDS_INIT);
    return pool == NULL ? CUDA_ERROR_INVALID_VALUE : current_pool(device, pool);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    API(cuDeviceSetMemPool, NEEDS_INIT);
    if (device < 0 || device >= driver.configuration.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!object_valid(pool, OBJECT_POOL) || pool->device != device)
        return CUDA_ERROR_INVALID_VALUE;
    driver.current_pool[device] = pool;
    return CUDA_SUCCESS;
}

/* The address is good at once: work in the stream comes behind what used it before. */
static CUresult alloc(CUdeviceptr *pointer, size_t bytes, struct CUmemPoolHandle_st *pool,
                      struct CUstream_st *stream)
{
    if (pointer == NULL || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture != NULL)
        return capture_alloc(stream, pointer, bytes);
    uint64_t address = memory_alloc_waiting(bytes, OWNER_USER, stream->object.context, pool);
    if (address != 0 && !object_valid(pool, OBJECT_POOL)) { /* destroyed meanwhile */
        memory_free(address);
        address = 0;
    }
    if (address == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pool->used += bytes;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    if (pool->reserved < pool->used)
        pool->reserved = pool->used;
    if (pool->reserved > pool->reserved_high)
        pool->reserved_high = pool->reserved;
    *pointer = address;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream handle)
{
    API(cuMemAllocAsync, NEEDS_INIT);
    struct CUstream_st *stream;
    struct CUmemPoolHandle_st *pool = NULL;
    CUresult result = stream_find(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = current_pool(stream->object.context->device, &pool);
    return result != CUDA_SUCCESS ? result : alloc(pointer, bytes, pool, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream handle)
{
    API(cuMemAllocFromPoolAsync, NEEDS_INIT);
    struct CUstream_st *stream;
    CUresult result = stream_find(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!object_valid(pool, OBJECT_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    return alloc(pointer, bytes, pool, stream);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    API(cuMemPoolCreate, NEEDS_INIT);
    if (pool == NULL || properties == NULL || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (properties->handleTypes != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (properties->location.id < 0 || properties->location.id >= driver.configuration.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    return pool_new(properties->location.id, false, NULL, pool);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    API(cuMemPoolDestroy, NEEDS_INIT);
    if (!object_valid(pool, OBJECT_POOL) || pool->is_default)
        return CUDA_ERROR_INVALID_VALUE;
    /* Its allocations live on until they are freed. */
    for (size_t i = 0; i < memory_count(); i++)
        if (memory_at(i)->pool == pool)
            memory_at(i)->pool = NULL;
    if (driver.current_pool[pool->device] == pool)
        driver.current_pool[pool->device] = NULL;
    object_remove(&pool->object);
    free(pool);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    API(cuMemPoolSetAttribute, NEEDS_INIT);
    if (!object_valid(pool, OBJECT_POOL) || value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute >= POOL_REUSE_FIRST && attribute <= POOL_REUSE_LAST) {
        pool->reuse[attribute - POOL_REUSE_FIRST] = *(const int *)value;
        return CUDA_SUCCESS;
    }
    uint64_t number = *(const cuuint64_t *)value;
    switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->threshold = number;
        return CUDA_SUCCESS;
    /* The high-water marks can be set back, to zero only. */
    case POOL_RESERVED_HIGH:
        if (number != 0)
            return CUDA_ERROR_INVALID_VALUE;
        pool->reserved_high = pool->reserved;
        return CUDA_SUCCESS;
    case POOL_USED_HIGH:
        if (number != 0)
            return CUDA_ERROR_INVALID_VALUE;
        pool->used_high = pool->used;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    API(cuMemPoolGetAttribute, NEEDS_INIT);
    if (!object_valid(pool, OBJECT_POOL) || value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute >= POOL_REUSE_FIRST && attribute <= POOL_REUSE_LAST) {
        *(int *)value = pool->reuse[attribute - POOL_REUSE_FIRST];
        return CUDA_SUCCESS;
    }
    switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = pool->threshold;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        *(cuuint64_t *)value = pool->reserved;
        break;
    case POOL_RESERVED_HIGH:
        *(cuuint64_t *)value = pool->reserved_high;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = pool->used;
        break;
    case POOL_USED_HIGH:
        *(cuuint64_t *)value = pool->used_high;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* All devices reach all memory. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
    API(cuMemPoolSetAccess, NEEDS_INIT);
    if (!object_valid(pool, OBJECT_POOL) || (count > 0 && access == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device_valid(access[i].location.id))
            return CUDA_ERROR_INVALID_DEVICE;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(uint32_t *flags, CUmemoryPool pool, CUmemLocation *location)
{
    enum { READ_WRITE = 3 };
    API(cuMemPoolGetAccess, NEEDS_INIT);
    if (!object_valid(pool, OBJECT_POOL) || flags == NULL || location == NULL ||
        location->type != CU_MEM_LOCATION_TYPE_DEVICE || !device_valid(location->id))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = READ_WRITE;
    return CUDA_SUCCESS;
}

static void trim(struct CUmemPoolHandle_st *pool, uint64_t keep)
{
    if (pool->reserved > keep)
        pool->reserved = pool->used > keep ? pool->used : keep;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes)
{
    API(cuMemPoolTrimTo, NEEDS_INIT);
    if (!object_valid(pool, OBJECT_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    trim(pool, keep_bytes);
    return CUDA_SUCCESS;
}

void pools_synchronize(CUdevice device)
{
    for (struct object *object = driver.objects; object != NULL; object = object->next) {
        struct CUmemPoolHandle_st *pool = (struct CUmemPoolHandle_st *)(void *)object;
        if (object->kind == OBJECT_POOL && pool->device == device)
            trim(pool, pool->threshold);
    }
}
