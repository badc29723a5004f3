/* SPDX-License-Identifier: MIT */
/* api_other.c: limits, peers, callbacks, and what there is none of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { LIMITS = 7, LIMIT_STACK = 0, LIMIT_PRINT = 1, LIMIT_HEAP = 2, CONFIGURATIONS = 4, CAPTURE_NONE = 0 };

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

static CUresult without_parameters(const void *parameters)
{
    return parameters == NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuCtxCreate_v3(CUcontext *context, void *parameters, int count, unsigned int flags, CUdevice device)
{
    CUresult result = without_parameters(count > 0 ? parameters : NULL);

    return result != CUDA_SUCCESS ? result : cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned int flags, CUdevice device)
{
    CUresult result = without_parameters(parameters);

    return result != CUDA_SUCCESS ? result : cuCtxCreate_v2(context, flags, device);
}

CUresult cuDeviceGetPCIBusId(char *text, int capacity, CUdevice device)
{
    API(cuDeviceGetPCIBusId, NEEDS_INIT);
    if (text == NULL || capacity < 13)
        return CUDA_ERROR_INVALID_VALUE;
    if (device < 0 || device >= driver.configuration.devices)
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

/* All devices see all memory. */
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    API(cuDeviceCanAccessPeer, NEEDS_INIT);
    if (can == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (device < 0 || peer < 0 || device >= driver.configuration.devices ||
        peer >= driver.configuration.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer;
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
    return flags != 0 ? CUDA_ERROR_INVALID_VALUE : peer_check(peer);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    API(cuCtxDisablePeerAccess, NEEDS_CONTEXT);
    return peer_check(peer);
}

CUresult cuMemcpyPeer(CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, size_t bytes)
{
    (void)to, (void)from;
    return cuMemcpyDtoD_v2(destination, source, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from,
                           size_t bytes, CUstream stream)
{
    (void)to, (void)from;
    return cuMemcpyDtoDAsync_v2(destination, source, bytes, stream);
}

CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, uint32_t advice, CUdevice device)
{
    API(cuMemAdvise, NEEDS_CONTEXT);
    (void)bytes, (void)advice, (void)device;
    return memory_find(pointer) != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream)
{
    API(cuMemPrefetchAsync, NEEDS_INIT);
    struct CUctx_st *context;
    (void)bytes, (void)device;
    CUresult result = stream_enter(stream, &context);
    return result != CUDA_SUCCESS         ? result
           : memory_find(pointer) != NULL ? CUDA_SUCCESS
                                          : CUDA_ERROR_INVALID_VALUE;
}

/* The host's function is work of the stream: it runs without the lock. */
CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data)
{
    API(cuLaunchHostFunc, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result = function == NULL ? CUDA_ERROR_INVALID_VALUE : stream_enter(stream, &context);
    if (result != CUDA_SUCCESS)
        return result;
    work_begin(stream, context);
    function(data);
    work_end(stream, context);
    return CUDA_SUCCESS;
}

CUresult cuStreamAddCallback(CUstream stream, void (*function)(CUstream, CUresult, void *), void *data,
                             unsigned int flags)
{
    API(cuStreamAddCallback, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result =
        function == NULL || flags != 0 ? CUDA_ERROR_INVALID_VALUE : stream_enter(stream, &context);
    if (result != CUDA_SUCCESS)
        return result;
    work_begin(stream, context);
    function(stream, CUDA_SUCCESS, data);
    work_end(stream, context);
    return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    API(cuStreamGetId, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result = id == NULL ? CUDA_ERROR_INVALID_VALUE : stream_context(stream, &context);
    if (result == CUDA_SUCCESS)
        *id = object_valid(stream, OBJECT_STREAM) ? stream->object.number
                                                  : (unsigned long long)(uintptr_t)stream;
    return result;
}

CUresult cuStreamIsCapturing(CUstream stream, uint32_t *status)
{
    API(cuStreamIsCapturing, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result = status == NULL ? CUDA_ERROR_INVALID_VALUE : stream_context(stream, &context);
    if (result == CUDA_SUCCESS)
        *status = CAPTURE_NONE;
    return result;
}

CUresult cuThreadExchangeStreamCaptureMode(uint32_t *mode)
{
    static _Thread_local uint32_t now;
    API(cuThreadExchangeStreamCaptureMode, NEEDS_INIT);
    if (mode == NULL || *mode > 2)
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t before = now;
    now = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE : cuEventRecord(event, stream);
}

/* Said once for each function, whoever calls it how often. */
static CUresult unsupported(const char *name, bool *said)
{
    if (!__atomic_exchange_n(said, true, __ATOMIC_RELAXED))
        fprintf(stderr, "isomat host driver: %s is not implemented: CUDA_ERROR_NOT_SUPPORTED\n", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define X(name, symbol)                                                                                      \
    CUresult symbol(void)                                                                                    \
    {                                                                                                        \
        static bool said;                                                                                    \
        return unsupported(#symbol, &said);                                                                  \
    }
API_UNSUPPORTED(X)
#undef X
