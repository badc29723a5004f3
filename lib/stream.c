/* SPDX-License-Identifier: MIT */
/* stream.c: streams, own and adopted. */
#include <stdlib.h>

#include "context.h"
#include "event.h"

/* Handles of the driver's that stand for streams of whatever context is current. */
#define LAST_RESERVED_STREAM 2 /* 0 default, 1 legacy, 2 per thread */

static bool is_default(const struct im_stream *stream)
{
    return stream == &stream->context->default_stream;
}

void im_stream_ref(struct im_stream *stream)
{
    im_object_ref(is_default(stream) ? &stream->context->object : &stream->object);
}

void im_stream_release(struct im_stream *stream)
{
    im_object_unref(is_default(stream) ? &stream->context->object : &stream->object);
}

int32_t im_stream_find(struct im_stream **stream, uint64_t handle, struct im_context *context)
{
    if (handle == ISOMAT_NONE) {
        *stream = &context->default_stream;
        im_stream_ref(*stream);
        return ISOMAT_OK;
    }
    int32_t status = im_handle_get(stream, handle, IM_KIND_STREAM);
    if (status == ISOMAT_OK && (*stream)->context != context) {
        im_stream_release(*stream);
        status =
            im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "the stream is of another context than the operation");
    }
    return status;
}

/* ---------------------------------------------------------------- recorders */

/* Between seeing a recorder and having a reference to it, it must not go. */
static pthread_mutex_t recorder_lock = PTHREAD_MUTEX_INITIALIZER;

static void go_to_recorder(struct im_stream **stream)
{
    pthread_mutex_lock(&recorder_lock);
    struct im_stream *recorder = (*stream)->recorder;
    if (recorder)
        im_stream_ref(recorder);
    pthread_mutex_unlock(&recorder_lock);
    if (!recorder)
        return;
    im_stream_release(*stream);
    *stream = recorder;
}

int32_t im_stream_get(struct im_stream **stream, uint64_t handle, struct im_context *context)
{
    int32_t status = im_stream_find(stream, handle, context);
    if (status == ISOMAT_OK && __builtin_expect((*stream)->recorder != NULL, 0))
        go_to_recorder(stream);
    return status;
}

bool im_stream_set_recorder(struct im_stream *stream, struct im_stream *recorder)
{
    struct im_stream *none = NULL;
    return atomic_compare_exchange_strong(&stream->recorder, &none, recorder);
}

struct im_stream *im_stream_take_recorder(struct im_stream *stream)
{
    pthread_mutex_lock(&recorder_lock);
    struct im_stream *recorder = atomic_exchange(&stream->recorder, NULL);
    pthread_mutex_unlock(&recorder_lock);
    return recorder;
}

int32_t im_stream_fail_captured(const char *what)
{
    return im_fail(ISOMAT_ERROR_CAPTURE,
                   "%s cannot be part of a captured sequence: do it before the capture or after it", what);
}

/* ------------------------------------------------------------------- order */

int32_t im_stream_wait_for(struct im_stream *stream, const struct im_stream *other)
{
    CUevent event;
    int32_t status = IM_CALL(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
    if (status != ISOMAT_OK)
        return status;
    status = IM_CALL(cuEventRecord, event, other->cu);
    if (status == ISOMAT_OK)
        status = IM_CALL(cuStreamWaitEvent, stream->cu, event, 0);
    IM_CALL_QUIETLY(cuEventDestroy, event); /* takes effect once it has happened */
    return status;
}

static void finalise(struct im_object *object)
{
    struct im_stream *stream = (struct im_stream *)object;
    struct im_scope scope;
    if (stream->owned && im_scope_enter_quietly(&scope, stream->context)) {
        IM_CALL_QUIETLY(cuStreamDestroy, stream->cu);
        im_scope_leave_quietly(&scope);
    }
    im_context_release(stream->context);
    free(stream);
}

/* Wraps a CUstream; takes a reference to the context. */
static int32_t wrap(isomat_stream *handle, struct im_context *context, CUstream cu, bool owned)
{
    struct im_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return IM_OUT_OF_HOST_MEMORY("a stream");
    static _Atomic uint64_t serials;
    *stream = (struct im_stream){
        .object.finalise = finalise, .context = context, .cu = cu, .owned = owned, .serial = ++serials};
    int32_t status = im_handle_create(handle, &stream->object, IM_KIND_STREAM);
    if (status == ISOMAT_OK)
        im_object_ref(&context->object);
    else
        free(stream);
    return status;
}

int32_t isomat_stream_create(isomat_stream *handle, isomat_context context_handle, int32_t priority)
{
    struct im_context *context;
    struct im_scope scope;
    CUstream cu;
    if (!handle)
        return IM_NULL_ARGUMENT("stream");
    *handle = ISOMAT_NONE;
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK) {
        status = IM_CALL(cuStreamCreateWithPriority, &cu, CU_STREAM_NON_BLOCKING, priority);
        if (status == ISOMAT_OK) {
            status = wrap(handle, context, cu, true);
            if (status != ISOMAT_OK)
                IM_CALL_QUIETLY(cuStreamDestroy, cu);
        }
        status = im_scope_leave(&scope, status);
    }
    im_context_release(context);
    return status;
}

static int32_t check_context(CUstream cu, struct im_context *context)
{
    CUcontext actual = NULL;
    if ((uintptr_t)cu <= LAST_RESERVED_STREAM)
        return ISOMAT_OK;
    int32_t status = IM_CALL(cuStreamGetCtx, cu, &actual);
    if (status == ISOMAT_ERROR_UNSUPPORTED) /* a driver that cannot tell */
        return ISOMAT_OK;
    if (status == ISOMAT_OK && actual != context->cu)
        status = im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "the CUstream to adopt is of another context");
    return status;
}

int32_t isomat_stream_adopt(isomat_stream *handle, isomat_context context_handle, uint64_t cu_stream,
                            int32_t ownership)
{
    struct im_context *context;
    struct im_scope scope;
    CUstream cu = (CUstream)(uintptr_t)cu_stream;
    if (!handle)
        return IM_NULL_ARGUMENT("stream");
    *handle = ISOMAT_NONE;
    if (ownership != ISOMAT_ADOPT_BORROW && ownership != ISOMAT_ADOPT_OWN)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "unknown ownership %d", ownership);
    if (ownership == ISOMAT_ADOPT_OWN && cu_stream <= LAST_RESERVED_STREAM)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "stream %d of the driver's cannot be owned",
                       (int)cu_stream);
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, check_context(cu, context));
    if (status == ISOMAT_OK)
        status = wrap(handle, context, cu, ownership == ISOMAT_ADOPT_OWN);
    im_context_release(context);
    return status;
}

int32_t isomat_stream_destroy(isomat_stream handle)
{
    struct im_stream *stream;
    /* Nobody can end a capture any more. */
    if (handle != ISOMAT_NONE && im_handle_get(&stream, handle, IM_KIND_STREAM) == ISOMAT_OK) {
        struct im_stream *recorder = im_stream_take_recorder(stream);
        if (recorder)
            im_stream_release(recorder);
        im_stream_release(stream);
    }
    return im_handle_destroy(handle, IM_KIND_STREAM);
}

enum question { SYNCHRONIZE, QUERY };

static int32_t ask(isomat_stream handle, enum question question)
{
    struct im_stream *stream;
    struct im_scope scope;
    int32_t status = im_handle_get(&stream, handle, IM_KIND_STREAM);
    if (status != ISOMAT_OK)
        return status;
    if (stream->recorder)
        status = im_stream_fail_captured(question == QUERY ? "a query" : "waiting for the stream");
    if (status == ISOMAT_OK)
        status = im_scope_enter(&scope, stream->context);
    if (status == ISOMAT_OK) {
        status =
            question == QUERY ? IM_CALL(cuStreamQuery, stream->cu) : IM_CALL(cuStreamSynchronize, stream->cu);
        status = im_scope_leave(&scope, status);
    }
    im_stream_release(stream);
    return status;
}

int32_t isomat_stream_synchronize(isomat_stream handle)
{
    IM_RANGE();
    return ask(handle, SYNCHRONIZE);
}

int32_t isomat_stream_query(isomat_stream handle)
{
    return ask(handle, QUERY);
}

int32_t isomat_stream_wait(isomat_stream handle, isomat_event event_handle)
{
    struct im_stream *stream;
    struct im_event *event;
    struct im_scope scope;
    int32_t status = im_handle_get(&stream, handle, IM_KIND_STREAM);
    if (status != ISOMAT_OK)
        return status;
    if (stream->recorder)
        status = im_stream_fail_captured("waiting for an event");
    if (status == ISOMAT_OK)
        status = im_handle_get(&event, event_handle, IM_KIND_EVENT);
    if (status == ISOMAT_OK) {
        status = im_scope_enter(&scope, stream->context);
        if (status == ISOMAT_OK)
            status = im_scope_leave(&scope, IM_CALL(cuStreamWaitEvent, stream->cu, event->cu, 0));
        im_object_unref(&event->object);
    }
    im_stream_release(stream);
    return status;
}

int32_t isomat_stream_get_native(uint64_t *cu_stream, isomat_stream handle)
{
    struct im_stream *stream;
    if (!cu_stream)
        return IM_NULL_ARGUMENT("cu_stream");
    *cu_stream = 0;
    int32_t status = im_handle_get(&stream, handle, IM_KIND_STREAM);
    if (status != ISOMAT_OK)
        return status;
    *cu_stream = (uint64_t)(uintptr_t)stream->cu;
    im_stream_release(stream);
    return ISOMAT_OK;
}
