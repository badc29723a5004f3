/* SPDX-License-Identifier: MIT */
/* order.c: streams as queues, and the threads that serve them.
 *
 * An operation runs when it is the first of its stream and, between the
 * legacy stream and the blocking streams of its context, the oldest.  A thread
 * that waits for a stream runs that stream's operations itself; others, of
 * which there are as many as there are operations to run, do the rest.  What
 * is short and need not wait is done in the call.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

enum { SERVERS_MAX = 128, SHORT_BYTES = 64 << 10 };

static uint32_t servers, idle_servers;

CUresult stream_find(CUstream handle, struct CUstream_st **stream)
{
    if (handle == NULL || handle == STREAM_LEGACY || handle == STREAM_PER_THREAD) {
        struct CUctx_st *context = context_current();
        if (context == NULL)
            return CUDA_ERROR_INVALID_CONTEXT;
        bool own = handle == STREAM_PER_THREAD || (handle == NULL && default_is_per_thread());
        *stream = own ? context_thread_stream(context) : &context->legacy;
        if (*stream == NULL)
            return CUDA_ERROR_OUT_OF_MEMORY;
    } else if (!object_valid(handle, OBJECT_STREAM)) {
        return CUDA_ERROR_INVALID_HANDLE;
    } else {
        *stream = handle;
    }
    return context_check((*stream)->object.context);
}

static bool is_legacy(const struct CUstream_st *stream)
{
    return stream == &stream->object.context->legacy;
}

bool stream_blocking(const struct CUstream_st *stream)
{
    return !is_legacy(stream) && (stream->flags & STREAM_NON_BLOCKING) == 0;
}

/* Does the first operation of one wait for that of the other? */
static bool are_ordered(const struct CUstream_st *one, const struct CUstream_st *other)
{
    return one->object.context == other->object.context &&
           ((is_legacy(one) && stream_blocking(other)) || (is_legacy(other) && stream_blocking(one)));
}

static bool is_ready(const struct CUstream_st *stream)
{
    const struct operation *first = stream->first;

    if (first == NULL || stream->running || (first->kind == WORK_WAIT && !first->marker->done))
        return false;
    for (const struct CUstream_st *other = driver.busy; other != NULL; other = other->next_busy)
        if (other->first->ticket < first->ticket && are_ordered(stream, other))
            return false;
    return true;
}

/* Is work of up to this ticket left that a wait for the stream, or for all of
 * the context, is about?  An operation gone and a stream freed meanwhile do not
 * matter: the stream is compared and not followed. */
static struct CUstream_st *pending(const struct CUctx_st *context, const struct CUstream_st *stream,
                                   uint64_t ticket, bool ready)
{
    for (struct CUstream_st *busy = driver.busy; busy != NULL; busy = busy->next_busy) {
        bool meant =
            stream == NULL || busy == stream || (stream == &context->legacy && stream_blocking(busy));
        if (busy->object.context == context && meant && busy->first->ticket <= ticket &&
            (!ready || is_ready(busy)))
            return busy;
    }
    return NULL;
}

bool stream_busy(const struct CUstream_st *stream)
{
    return pending(stream->object.context, stream, driver.tickets, false) != NULL;
}

void marker_release(struct marker *marker)
{
    if (marker != NULL && --marker->references == 0)
        free(marker);
}

void operation_release(struct operation *operation)
{
    if (operation->kind == WORK_KERNEL)
        free(operation->kernel.params);
    if (operation->kind == WORK_COPY)
        free(operation->copy.staged);
    if (operation->marker != NULL && operation->kind == WORK_RECORD)
        operation->marker->done = true; /* even if it could not be queued */
    marker_release(operation->marker);
    operation->marker = NULL;
    operation->kind = WORK_NOTHING;
}

bool operation_copy(struct operation *to, const struct operation *from)
{
    *to = *from;
    to->next = NULL;
    if (to->marker != NULL)
        to->marker->references++;
    if (from->kind != WORK_KERNEL || from->kernel.params == NULL)
        return true;
    uint32_t bytes = from->kernel.function->program->param_bytes;
    to->kernel.params = calloc(1, bytes + 16); /* as kernel_gather */
    if (to->kernel.params == NULL)
        return false;
    memcpy(to->kernel.params, from->kernel.params, bytes);
    return true;
}

static void reach(struct marker *marker)
{
    marker->nanoseconds = clock_nanoseconds();
    marker->done = true;
}

/* With the lock: what changes the driver's own state. */
static void run_held(struct operation *operation)
{
    if (operation->kind == WORK_RECORD)
        reach(operation->marker);
    if (operation->kind == WORK_FREE)
        memory_run_free(operation->memory);
}

static void run_host(const struct host_work *work, CUresult state)
{
    api_forbid(true);
    if (work->callback != NULL)
        work->callback(work->stream, state, work->data);
    else if (state == CUDA_SUCCESS)
        work->function(work->data);
    api_forbid(false);
}

/* Without the lock. In a context that has failed nothing runs but callbacks. */
static struct fault run_free(struct operation *operation, CUresult state)
{
    struct fault fault = {.kind = FAULT_NONE};

    if (operation->kind == WORK_HOST)
        run_host(&operation->host, state);
    else if (state != CUDA_SUCCESS)
        return fault;
    else if (operation->kind == WORK_KERNEL)
        fault = kernel_run(&operation->kernel);
    else if (operation->kind == WORK_COPY)
        copy_run(&operation->copy);
    else if (operation->kind == WORK_FILL)
        fill_run(&operation->fill);
    return fault;
}

static void busy_remove(struct CUstream_st *stream)
{
    struct CUstream_st **at = &driver.busy;

    while (*at != stream)
        at = &(*at)->next_busy;
    *at = stream->next_busy;
}

static void *serve(void *unused);

/* A thread for each operation that could run. */
static void call_servers(void)
{
    uint32_t ready = 0;
    sigset_t all, before;

    for (struct CUstream_st *stream = driver.busy; stream != NULL; stream = stream->next_busy)
        ready += is_ready(stream);
    for (uint32_t i = 0; i < ready && i < idle_servers; i++)
        api_call_server();
    if (ready <= idle_servers)
        return;
    /* Signals are for the program's own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = idle_servers; i < ready && servers < SERVERS_MAX; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, NULL) != 0)
            break;
        pthread_detach(thread);
        servers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Runs the first operation; the lock is not held meanwhile. */
static void run_first(struct CUstream_st *stream)
{
    struct operation *operation = stream->first;
    struct CUctx_st *context = stream->object.context;
    CUresult state = context->sticky;

    stream->running = true;
    if (operation->kind == WORK_KERNEL || operation->kind == WORK_COPY || operation->kind == WORK_FILL ||
        operation->kind == WORK_HOST) {
        api_unlock();
        struct fault fault = run_free(operation, state);
        api_lock();
        if (fault.kind != FAULT_NONE && context->sticky == CUDA_SUCCESS)
            kernel_failed(&operation->kernel, context, &fault);
    } else {
        run_held(operation);
    }
    stream->running = false;
    stream->first = operation->next;
    operation_release(operation);
    free(operation);
    if (stream->first == NULL) {
        stream->last = NULL;
        busy_remove(stream);
        if (stream->destroyed)
            free(stream);
    }
    api_wake();
}

static void *serve(void *unused)
{
    (void)unused;
    api_lock();
    for (;;) {
        struct CUstream_st *stream = driver.busy;
        while (stream != NULL && !is_ready(stream))
            stream = stream->next_busy;
        if (stream != NULL) {
            stream->running = true;
            call_servers();
            run_first(stream);
        } else {
            idle_servers++;
            api_wait_for_work();
            idle_servers--;
        }
    }
    return NULL;
}

/* Lets others in until something is done, or does something itself. */
static void advance(struct CUstream_st *ready)
{
    if (ready == NULL) {
        api_wait();
        return;
    }
    run_first(ready);
    call_servers();
}

static void wait_until(const struct CUctx_st *context, const struct CUstream_st *stream, uint64_t ticket)
{
    while (pending(context, stream, ticket, false) != NULL)
        advance(pending(context, stream, ticket, true));
}

CUresult stream_wait(struct CUstream_st *stream)
{
    struct CUctx_st *context = stream->object.context;

    wait_until(context, stream, driver.tickets);
    return context_check(context);
}

/* Contexts are never freed: this one may be followed after the wait. */
CUresult context_wait(struct CUctx_st *context)
{
    wait_until(context, NULL, driver.tickets);
    return context_check(context);
}

void contexts_wait(void)
{
    while (driver.busy != NULL)
        context_wait(driver.busy->object.context);
}

void marker_wait(struct marker *marker)
{
    marker->references++;
    while (!marker->done) {
        struct CUstream_st *stream = driver.busy;
        while (stream != NULL && (stream != marker->stream || !is_ready(stream)))
            stream = stream->next_busy;
        advance(stream);
    }
    marker_release(marker);
}

static bool is_short(const struct operation *operation)
{
    switch (operation->kind) {
    case WORK_KERNEL:
    case WORK_HOST:
        return false;
    case WORK_COPY:
        return operation->copy.staged == NULL && copy_bytes(&operation->copy) <= SHORT_BYTES;
    case WORK_FILL:
        return fill_bytes(&operation->fill) <= SHORT_BYTES;
    case WORK_WAIT:
        return operation->marker->done;
    default:
        return true;
    }
}

/* Would it run at once if it were queued? */
static bool is_free(const struct CUstream_st *stream)
{
    if (stream->first != NULL)
        return false;
    for (const struct CUstream_st *other = driver.busy; other != NULL; other = other->next_busy)
        if (are_ordered(stream, other))
            return false;
    return true;
}

static CUresult put(struct CUstream_st *stream, const struct operation *operation)
{
    struct operation *queued = malloc(sizeof *queued);

    if (queued == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *queued = *operation;
    queued->ticket = ++driver.tickets;
    queued->next = NULL;
    if (stream->first == NULL) {
        stream->first = queued;
        stream->next_busy = driver.busy;
        driver.busy = stream;
    } else {
        stream->last->next = queued;
    }
    stream->last = queued;
    call_servers();
    return CUDA_SUCCESS;
}

/* The marker of a record or of a wait: of the event as it is now. */
static CUresult mark(struct CUstream_st *stream, struct operation *operation)
{
    CUevent event = operation->event;

    if (operation->kind == WORK_WAIT) {
        if (event->marker == NULL)
            operation->kind = WORK_NOTHING;
        else
            (operation->marker = event->marker)->references++;
        return CUDA_SUCCESS;
    }
    struct marker *marker = calloc(1, sizeof *marker);
    if (marker == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *marker = (struct marker){.references = 2, .stream = stream};
    capture_forget_event(event);
    marker_release(event->marker);
    event->marker = operation->marker = marker;
    return CUDA_SUCCESS;
}

CUresult operation_check(struct operation *operation, const struct CUctx_st *context)
{
    switch (operation->kind) {
    case WORK_KERNEL:
        return kernel_check(&operation->kernel, context);
    case WORK_COPY:
        return copy_check(&operation->copy);
    case WORK_FILL:
        return fill_check(&operation->fill);
    case WORK_RECORD:
    case WORK_WAIT:
        return object_valid(operation->event, OBJECT_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    case WORK_FREE:
        return memory_check_free(operation->memory);
    default:
        return CUDA_SUCCESS;
    }
}

CUresult work_queue(struct CUstream_st *stream, struct operation *operation)
{
    CUresult result = operation_check(operation, stream->object.context);
    bool waits = result == CUDA_SUCCESS && operation->kind == WORK_COPY && !operation->of_graph &&
                 copy_is_waited_for(&operation->copy);

    if (result == CUDA_SUCCESS && (operation->kind == WORK_RECORD || operation->kind == WORK_WAIT))
        result = mark(stream, operation);
    if (result == CUDA_SUCCESS && operation->kind == WORK_FREE)
        memory_begin_free(operation->memory);

    if (result == CUDA_SUCCESS && is_free(stream) && (waits || is_short(operation))) {
        run_free(operation, CUDA_SUCCESS);
        run_held(operation);
        operation_release(operation);
        return CUDA_SUCCESS;
    }
    if (waits && copy_stage(&operation->copy))
        waits = false;
    if (result == CUDA_SUCCESS)
        result = put(stream, operation);
    if (result != CUDA_SUCCESS) {
        operation_release(operation);
        return result;
    }
    return waits ? stream_wait(stream) : CUDA_SUCCESS;
}

CUresult work_submit(CUstream handle, struct operation *operation)
{
    struct CUstream_st *stream;
    CUresult result = stream_find(handle, &stream);

    if (result == CUDA_SUCCESS && stream->capture != NULL)
        return capture_add(stream, operation);
    if (result == CUDA_SUCCESS && is_legacy(stream))
        result = capture_refuses_legacy(stream->object.context);
    if (result == CUDA_SUCCESS)
        return work_queue(stream, operation);
    operation_release(operation);
    return result;
}

void stream_release(struct CUstream_st *stream)
{
    capture_forget_stream(stream);
    object_remove(&stream->object);
    if (stream->first == NULL)
        free(stream);
    else
        stream->destroyed = true; /* with its last operation */
}

void event_release(struct CUevent_st *event)
{
    capture_forget_event(event);
    object_remove(&event->object);
    marker_release(event->marker);
    free(event);
}
