/* SPDX-License-Identifier: MIT */
/* event.c: events, own and adopted. */
#include "event.h"

#include <stdlib.h>

static void finalise(struct im_object *object)
{
    struct im_event *event = (struct im_event *)object;
    struct im_scope scope;
    if (event->owned && im_scope_enter_quietly(&scope, event->context)) {
        IM_CALL_QUIETLY(cuEventDestroy, event->cu);
        im_scope_leave_quietly(&scope);
    }
    im_context_release(event->context);
    free(event);
}

/* Wraps a CUevent; takes a reference to the context. */
static int32_t wrap(isomat_event *handle, struct im_context *context, CUevent cu, bool owned)
{
    struct im_event *event = calloc(1, sizeof *event);
    if (!event)
        return IM_OUT_OF_HOST_MEMORY("an event");
    *event = (struct im_event){{.finalise = finalise}, context, cu, owned};
    int32_t status = im_handle_create(handle, &event->object, IM_KIND_EVENT);
    if (status == ISOMAT_OK)
        im_object_ref(&context->object);
    else
        free(event);
    return status;
}

int32_t isomat_event_create(isomat_event *handle, isomat_context context_handle, int32_t timing)
{
    struct im_context *context;
    struct im_scope scope;
    CUevent cu;
    if (!handle)
        return IM_NULL_ARGUMENT("event");
    *handle = ISOMAT_NONE;
    if (timing != 0 && timing != 1)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "timing is %d, not 0 or 1", timing);
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK) {
        status = IM_CALL(cuEventCreate, &cu, timing ? 0 : CU_EVENT_DISABLE_TIMING);
        if (status == ISOMAT_OK) {
            status = wrap(handle, context, cu, true);
            if (status != ISOMAT_OK)
                IM_CALL_QUIETLY(cuEventDestroy, cu);
        }
        status = im_scope_leave(&scope, status);
    }
    im_context_release(context);
    return status;
}

int32_t isomat_event_adopt(isomat_event *handle, isomat_context context_handle, uint64_t cu_event,
                           int32_t ownership)
{
    struct im_context *context;
    if (!handle)
        return IM_NULL_ARGUMENT("event");
    *handle = ISOMAT_NONE;
    if (ownership != ISOMAT_ADOPT_BORROW && ownership != ISOMAT_ADOPT_OWN)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "unknown ownership %d", ownership);
    if (!cu_event)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "the CUevent to adopt is 0");
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = wrap(handle, context, (CUevent)(uintptr_t)cu_event, ownership == ISOMAT_ADOPT_OWN);
    im_context_release(context);
    return status;
}

int32_t isomat_event_destroy(isomat_event handle)
{
    return im_handle_destroy(handle, IM_KIND_EVENT);
}

int32_t isomat_event_record(isomat_event handle, isomat_stream stream_handle)
{
    struct im_event *event;
    struct im_stream *stream;
    struct im_scope scope;
    int32_t status = im_handle_get(&event, handle, IM_KIND_EVENT);
    if (status != ISOMAT_OK)
        return status;
    status = im_stream_get(&stream, stream_handle, event->context);
    if (status == ISOMAT_OK) {
        if (stream->recording)
            status = im_stream_fail_captured("recording an event");
        if (status == ISOMAT_OK)
            status = im_scope_enter(&scope, event->context);
        if (status == ISOMAT_OK)
            status = im_scope_leave(&scope, IM_CALL(cuEventRecord, event->cu, stream->cu));
        im_stream_release(stream);
    }
    im_object_unref(&event->object);
    return status;
}

enum question { SYNCHRONIZE, QUERY };

static int32_t ask(isomat_event handle, enum question question)
{
    struct im_event *event;
    struct im_scope scope;
    int32_t status = im_handle_get(&event, handle, IM_KIND_EVENT);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, event->context);
    if (status == ISOMAT_OK) {
        status =
            question == QUERY ? IM_CALL(cuEventQuery, event->cu) : IM_CALL(cuEventSynchronize, event->cu);
        status = im_scope_leave(&scope, status);
    }
    im_object_unref(&event->object);
    return status;
}

int32_t isomat_event_synchronize(isomat_event handle)
{
    IM_RANGE();
    return ask(handle, SYNCHRONIZE);
}

int32_t isomat_event_query(isomat_event handle)
{
    return ask(handle, QUERY);
}

static int32_t elapsed(double *milliseconds, struct im_event *start, struct im_event *end)
{
    struct im_scope scope;
    float value = 0;
    int32_t status = im_scope_enter(&scope, start->context);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_leave(&scope, IM_CALL(cuEventElapsedTime, &value, start->cu, end->cu));
    if (status == ISOMAT_ERROR_DRIVER && isomat_error_cuda_result() == CUDA_ERROR_INVALID_HANDLE)
        status =
            im_fail_cuda(ISOMAT_ERROR_INVALID_ARGUMENT, CUDA_ERROR_INVALID_HANDLE,
                         "an event was made without timing, was never recorded, or is of another device");
    if (status == ISOMAT_OK)
        *milliseconds = (double)value;
    return status;
}

int32_t isomat_event_elapsed(double *milliseconds, isomat_event start_handle, isomat_event end_handle)
{
    struct im_event *start;
    struct im_event *end;
    if (!milliseconds)
        return IM_NULL_ARGUMENT("milliseconds");
    *milliseconds = 0;
    int32_t status = im_handle_get(&start, start_handle, IM_KIND_EVENT);
    if (status != ISOMAT_OK)
        return status;
    status = im_handle_get(&end, end_handle, IM_KIND_EVENT);
    if (status == ISOMAT_OK) {
        status = elapsed(milliseconds, start, end);
        im_object_unref(&end->object);
    }
    im_object_unref(&start->object);
    return status;
}
