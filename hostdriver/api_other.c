/* SPDX-License-Identifier: MIT */
/* api_other.c: limits, peers, callbacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

enum { LIMITS = 7, LIMIT_STACK = 0, LIMIT_PRINT = 1, LIMIT_HEAP = 2, CONFIGURATIONS = 4 };

static size_t limits[LIMITS] = {STACK_BYTES, 1 << 20, 8 << 20, 2, 2048, 64, 0};

CUresult cuCtxGetLimit(size_t *value, uint32_t limit)
{
    API(cuCtxGetLimit, NEEDS_CONTEXT);
    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (limit >= LIMITS)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = limits[limit];
    return CUDA_SUCCESS;
}

/* The stack has its size; the other limits are kept and mean nothing. */
CUresult cuCtxSetLimit(uint32_t limit, size_t value)
{
    API(cuCtxSetLimit, NEEDS_CONTEXT);
    if (limit >= LIMITS)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (limit != LIMIT_STACK)
        limits[limit] = value;
    return value <= STACK_BYTES || limit != LIMIT_STACK ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetCacheConfig(uint32_t *configuration)
{
    API(cuCtxGetCacheConfig, NEEDS_CONTEXT);
    if (configuration == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *configuration = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(uint32_t configuration)
{
    API(cuCtxSetCacheConfig, NEEDS_CONTEXT);
    return configuration < CONFIGURATIONS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    API(cuCtxGetId, NEEDS_INIT);
    if (context == NULL)
        context = context_current();
    if (id == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    *id = context->object.number;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int capacity, CUdevice device)
{
    API(cuDeviceGetPCIBusId, NEEDS_INIT);
    if (text == NULL || capacity < 13)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(text, (size_t)capacity, "0000:%02x:00.0", (unsigned)(device + 1) & 255);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    API(cuDeviceGetByPCIBusId, NEEDS_INIT);
    unsigned domain = 0, bus = 0;
    if (device == NULL || text == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (sscanf(text, "%x:%x", &domain, &bus) != 2 || domain != 0 || bus < 1 ||
        (int)bus > driver.configuration.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = (CUdevice)bus - 1;
    return CUDA_SUCCESS;
}

/* All devices see all memory; access is still kept account of. */
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    API(cuDeviceCanAccessPeer, NEEDS_INIT);
    if (can == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device) || !device_valid(peer))
        return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, uint32_t attribute, CUdevice device, CUdevice peer)
{
    enum { RANK = 1, ACCESS = 2, ATOMICS = 3, ARRAYS = 4 };
    API(cuDeviceGetP2PAttribute, NEEDS_INIT);
    if (value == NULL || attribute < RANK || attribute > ARRAYS)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device) || !device_valid(peer) || device == peer)
        return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute == ACCESS || attribute == ATOMICS;
    return CUDA_SUCCESS;
}

static CUresult peer_check(CUcontext peer)
{
    if (!object_valid(peer, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    return peer->device == context_current()->device ? CUDA_ERROR_INVALID_DEVICE : context_check(peer);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    API(cuCtxEnablePeerAccess, NEEDS_CONTEXT);
    CUresult result = flags != 0 ? CUDA_ERROR_INVALID_VALUE : peer_check(peer);
    if (result != CUDA_SUCCESS)
        return result;
    uint32_t bit = UINT32_C(1) << peer->device;
    if ((context_current()->peers & bit) != 0)
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    context_current()->peers |= bit;
    return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    API(cuCtxDisablePeerAccess, NEEDS_CONTEXT);
    CUresult result = peer_check(peer);
    if (result != CUDA_SUCCESS)
        return result;
    uint32_t bit = UINT32_C(1) << peer->device;
    if ((context_current()->peers & bit) == 0)
        return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    context_current()->peers &= ~bit;
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    API(cuLaunchHostFunc, NEEDS_INIT);
    if (function == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return work_submit(stream,
                       &(struct operation){.kind = WORK_HOST, .host = {.function = function, .data = data}});
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data, unsigned int flags)
{
    API(cuStreamAddCallback, NEEDS_INIT);
    struct CUstream_st *found;
    if (function == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_find(stream, &found);
    if (result == CUDA_SUCCESS)
        result = capture_refuses_stream(found);
    return result != CUDA_SUCCESS
               ? result
               : work_submit(stream, &(struct operation){
                                         .kind = WORK_HOST,
                                         .host = {.callback = function, .stream = stream, .data = data}});
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    API(cuStreamGetId, NEEDS_INIT);
    struct CUstream_st *found;
    CUresult result = id == NULL ? CUDA_ERROR_INVALID_VALUE : stream_find(stream, &found);
    if (result == CUDA_SUCCESS)
        *id = found == &found->object.context->legacy ? (unsigned long long)(uintptr_t)stream
                                                      : found->object.number;
    return result;
}
