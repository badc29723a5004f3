/* SPDX-License-Identifier: MIT */
/* api_context.c: contexts, streams, events.
 *
 * Work is done when its call returns (order.c says which calls wait for which
 * work); the time of an event is when it was recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { CONTEXT_FLAGS = 0xff, STREAM_FLAGS = 1, EVENT_FLAGS = 7, PRIORITY_GREATEST = -5 };

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    API(cuCtxCreate_v2, NEEDS_INIT);
    if (context == NULL || (flags & ~(unsigned int)CONTEXT_FLAGS) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (device < 0 || device >= driver.configuration.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    struct CUctx_st *new = calloc(1, sizeof *new);
    if (new == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    new->device = device;
    new->flags = flags;
    new->alive = true;
    object_add(&new->object, OBJECT_CONTEXT, new);
    if (!context_push(new)) {
        object_remove(&new->object);
        free(new);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *context = new;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    API(cuCtxDestroy_v2, NEEDS_INIT);
    if (!object_valid(context, OBJECT_CONTEXT) || context->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    objects_release(context);
    context->alive = false;
    context_forget(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    API(cuCtxGetDevice, NEEDS_INIT);
    const struct CUctx_st *context = context_current();
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *device = context->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    API(cuCtxGetFlags, NEEDS_CONTEXT);
    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = context_current()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    API(cuCtxSynchronize, NEEDS_CONTEXT);
    CUresult result = context_enter(context_current());
    if (result == CUDA_SUCCESS)
        pools_synchronize(context_current()->device);
    return result;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    API(cuCtxGetApiVersion, NEEDS_INIT);
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == NULL)
        context = context_current();
    if (!object_valid(context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    API(cuCtxGetStreamPriorityRange, NEEDS_CONTEXT);
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = PRIORITY_GREATEST;
    return CUDA_SUCCESS;
}

CUresult stream_context(CUstream stream, struct CUctx_st **context)
{
    if (stream == NULL || stream == STREAM_LEGACY || stream == STREAM_PER_THREAD)
        *context = context_current();
    else if (!object_valid(stream, OBJECT_STREAM))
        return CUDA_ERROR_INVALID_HANDLE;
    else
        *context = stream->object.context;
    return context_check(*context);
}

static CUresult stream_create(CUstream *stream, unsigned int flags, int priority)
{
    if (stream == NULL || (flags & ~(unsigned int)STREAM_FLAGS) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUstream_st *new = calloc(1, sizeof *new);
    if (new == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    new->flags = flags;
    new->priority = priority > 0 ? 0 : priority < PRIORITY_GREATEST ? PRIORITY_GREATEST : priority;
    object_add(&new->object, OBJECT_STREAM, context_current());
    *stream = new;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    API(cuStreamCreate, NEEDS_CONTEXT);
    return stream_create(stream, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    API(cuStreamCreateWithPriority, NEEDS_CONTEXT);
    return stream_create(stream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    API(cuStreamDestroy_v2, NEEDS_INIT);
    if (!object_valid(stream, OBJECT_STREAM))
        return CUDA_ERROR_INVALID_HANDLE;
    while (object_valid(stream, OBJECT_STREAM) && stream->running)
        api_wait();
    if (!object_valid(stream, OBJECT_STREAM))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = stream->object.context->sticky;
    object_remove(&stream->object);
    free(stream);
    return result;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    API(cuStreamSynchronize, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result = stream_enter(stream, &context);
    if (result == CUDA_SUCCESS)
        pools_synchronize(context->device);
    return result;
}

CUresult cuStreamQuery(CUstream stream)
{
    API(cuStreamQuery, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result = stream_context(stream, &context);
    return result == CUDA_SUCCESS && stream_busy(stream, context) ? CUDA_ERROR_NOT_READY : result;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    API(cuStreamWaitEvent, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result = stream_context(stream, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    return object_valid(event, OBJECT_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    API(cuStreamGetCtx, NEEDS_INIT);
    struct CUctx_st *found;
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_context(stream, &found);
    if (result == CUDA_SUCCESS)
        *context = found;
    return result;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    API(cuStreamGetFlags, NEEDS_INIT);
    struct CUctx_st *context;
    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_context(stream, &context);
    if (result == CUDA_SUCCESS)
        *flags = object_valid(stream, OBJECT_STREAM) ? stream->flags : 0;
    return result;
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    API(cuStreamGetPriority, NEEDS_INIT);
    struct CUctx_st *context;
    if (priority == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_context(stream, &context);
    if (result == CUDA_SUCCESS)
        *priority = object_valid(stream, OBJECT_STREAM) ? stream->priority : 0;
    return result;
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    API(cuEventCreate, NEEDS_CONTEXT);
    if (event == NULL || (flags & ~(unsigned int)EVENT_FLAGS) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUevent_st *new = calloc(1, sizeof *new);
    if (new == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    new->flags = flags;
    object_add(&new->object, OBJECT_EVENT, context_current());
    *event = new;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    API(cuEventDestroy_v2, NEEDS_INIT);
    if (!object_valid(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = event->object.context->sticky;
    object_remove(&event->object);
    free(event);
    return result;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    API(cuEventRecord, NEEDS_INIT);
    struct CUctx_st *context;
    if (!object_valid(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = stream_enter(stream, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!object_valid(event, OBJECT_EVENT) || context != event->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    event->recorded = true;
    event->nanoseconds = clock_nanoseconds();
    return CUDA_SUCCESS;
}

static CUresult event_state(CUevent event)
{
    return object_valid(event, OBJECT_EVENT) ? context_check(event->object.context)
                                             : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventSynchronize(CUevent event)
{
    API(cuEventSynchronize, NEEDS_INIT);
    return event_state(event);
}

CUresult cuEventQuery(CUevent event)
{
    API(cuEventQuery, NEEDS_INIT);
    return event_state(event);
}

static CUresult elapsed(float *milliseconds, CUevent start, CUevent end)
{
    if (milliseconds == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = event_state(start);
    if (result == CUDA_SUCCESS)
        result = event_state(end);
    if (result != CUDA_SUCCESS)
        return result;
    if (!start->recorded || !end->recorded || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)
        return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = (float)((double)(int64_t)(end->nanoseconds - start->nanoseconds) * 1e-6);
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    API(cuEventElapsedTime, NEEDS_INIT);
    return elapsed(milliseconds, start, end);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    API(cuEventElapsedTime_v2, NEEDS_INIT);
    return elapsed(milliseconds, start, end);
}
