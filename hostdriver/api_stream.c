/* SPDX-License-Identifier: MIT */
/* api_stream.c: streams and events. */
#include <stdlib.h>

#include "work.h"

enum { STREAM_FLAGS = 1, EVENT_FLAGS = 7, PRIORITY_GREATEST = -5 };

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    API(cuCtxGetStreamPriorityRange, NEEDS_CONTEXT);
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = PRIORITY_GREATEST;
    return CUDA_SUCCESS;
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
    CUresult result = stream->object.context->sticky;
    stream_release(stream); /* its work goes on */
    return result;
}

CUresult cuStreamSynchronize(CUstream handle)
{
    API(cuStreamSynchronize, NEEDS_INIT);
    struct CUstream_st *stream;
    CUresult result = stream_find(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = capture_refuses_stream(stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct CUctx_st *context = stream->object.context;
    result = stream_wait(stream);
    if (result == CUDA_SUCCESS)
        pools_synchronize(context->device);
    return result;
}

CUresult cuStreamQuery(CUstream handle)
{
    API(cuStreamQuery, NEEDS_INIT);
    struct CUstream_st *stream;
    CUresult result = stream_find(handle, &stream);
    if (result == CUDA_SUCCESS)
        result = capture_refuses_stream(stream);
    return result == CUDA_SUCCESS && stream_busy(stream) ? CUDA_ERROR_NOT_READY : result;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int flags)
{
    API(cuStreamWaitEvent, NEEDS_INIT);
    struct CUstream_st *stream;
    CUresult result = stream_find(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture != NULL || event->capture != NULL)
        return flags == 1 && event->capture == NULL
                   ? capture_add(stream, &(struct operation){.kind = WORK_WAIT, .event = event})
                   : capture_wait(stream, event);
    return work_submit(handle, &(struct operation){.kind = WORK_WAIT, .event = event});
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    API(cuStreamGetCtx, NEEDS_INIT);
    struct CUstream_st *found;
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_find(stream, &found);
    if (result == CUDA_SUCCESS)
        *context = found->object.context;
    return result;
}

/* There are no green contexts. */
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green)
{
    API(cuStreamGetCtx_v2, NEEDS_INIT);
    struct CUstream_st *found;
    if (context == NULL || green == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_find(stream, &found);
    if (result != CUDA_SUCCESS)
        return result;
    *context = found->object.context;
    *green = NULL;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    API(cuStreamGetDevice, NEEDS_INIT);
    struct CUstream_st *found;
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_find(stream, &found);
    if (result == CUDA_SUCCESS)
        *device = found->object.context->device;
    return result;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    API(cuStreamGetFlags, NEEDS_INIT);
    struct CUstream_st *found;
    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_find(stream, &found);
    if (result == CUDA_SUCCESS)
        *flags = found->flags;
    return result;
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    API(cuStreamGetPriority, NEEDS_INIT);
    struct CUstream_st *found;
    if (priority == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_find(stream, &found);
    if (result == CUDA_SUCCESS)
        *priority = found->priority;
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
    event_release(event);
    return result;
}

static CUresult record(CUevent event, CUstream handle)
{
    struct CUstream_st *stream;

    if (!object_valid(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = stream_find(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->object.context != event->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    return stream->capture != NULL
               ? capture_record(event, stream)
               : work_submit(handle, &(struct operation){.kind = WORK_RECORD, .event = event});
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    API(cuEventRecord, NEEDS_INIT);
    return record(event, stream);
}

/* With flag 1, external, a capture records it as a node. */
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    API(cuEventRecordWithFlags, NEEDS_INIT);
    struct CUstream_st *found;
    if (flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_find(stream, &found);
    if (result == CUDA_SUCCESS && flags == 1 && found->capture != NULL && object_valid(event, OBJECT_EVENT))
        return capture_add(found, &(struct operation){.kind = WORK_RECORD, .event = event});
    return result != CUDA_SUCCESS ? result : record(event, stream);
}

static CUresult event_state(CUevent event)
{
    if (!object_valid(event, OBJECT_EVENT))
        return CUDA_ERROR_INVALID_HANDLE;
    return event->capture != NULL ? CUDA_ERROR_CAPTURED_EVENT : context_check(event->object.context);
}

CUresult cuEventSynchronize(CUevent event)
{
    API(cuEventSynchronize, NEEDS_INIT);
    CUresult result = event_state(event);
    if (result != CUDA_SUCCESS || event->marker == NULL)
        return result;
    const struct CUctx_st *context = event->object.context;
    marker_wait(event->marker);
    return context_check(context);
}

CUresult cuEventQuery(CUevent event)
{
    API(cuEventQuery, NEEDS_INIT);
    CUresult result = event_state(event);
    if (result == CUDA_SUCCESS)
        result = capture_refuses_unsafe();
    if (result != CUDA_SUCCESS)
        return result;
    return event->marker == NULL || event->marker->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
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
    if (start->marker == NULL || end->marker == NULL ||
        ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!start->marker->done || !end->marker->done)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)((double)(int64_t)(end->marker->nanoseconds - start->marker->nanoseconds) * 1e-6);
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
