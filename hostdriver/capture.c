/* SPDX-License-Identifier: MIT */
/* capture.c: what streams that capture record, and what may not be called meanwhile.
 *
 * A stream that captures has heads: the nodes that its next one comes behind.
 * An event recorded in it carries them to another stream, which joins the
 * capture when it waits for the event.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

enum { STATUS_NONE, STATUS_ACTIVE, STATUS_SPOILED };

static struct capture *captures;
static uint64_t capture_ids;
static _Thread_local uint32_t thread_mode;

static bool heads_set(struct CUgraphNode_st ***heads, size_t *count, struct CUgraphNode_st *const *from,
                      size_t from_count)
{
    struct CUgraphNode_st **copy = malloc((from_count + 1) * sizeof *copy);

    if (copy == NULL)
        return false;
    if (from_count > 0)
        memcpy(copy, from, from_count * sizeof *copy);
    free(*heads);
    *heads = copy;
    *count = from_count;
    return true;
}

static bool heads_add(struct CUstream_st *stream, struct CUgraphNode_st *const *from, size_t count)
{
    struct CUgraphNode_st **more = realloc(stream->heads, (stream->head_count + count + 1) * sizeof *more);

    if (more == NULL)
        return false;
    stream->heads = more;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t j = 0; j < stream->head_count; j++)
            known = known || more[j] == from[i];
        if (!known)
            more[stream->head_count++] = from[i];
    }
    return true;
}

static void stream_leave(struct CUstream_st *stream)
{
    free(stream->heads);
    stream->heads = NULL;
    stream->head_count = 0;
    stream->capture = NULL;
}

void capture_forget_event(CUevent event)
{
    free(event->heads);
    event->heads = NULL;
    event->head_count = 0;
    event->capture = NULL;
}

/* All streams and events leave it. */
static void capture_end(struct capture *capture)
{
    struct capture **at = &captures;

    for (struct object *object = driver.objects; object != NULL; object = object->next) {
        struct CUstream_st *stream = (struct CUstream_st *)(void *)object;
        struct CUevent_st *event = (struct CUevent_st *)(void *)object;
        struct CUctx_st *context = (struct CUctx_st *)(void *)object;
        for (struct CUstream_st *own = object->kind == OBJECT_CONTEXT ? context->of_threads : NULL;
             own != NULL; own = own->next_thread)
            if (own->capture == capture)
                stream_leave(own);
        if (object->kind == OBJECT_STREAM && stream->capture == capture)
            stream_leave(stream);
        if (object->kind == OBJECT_EVENT && event->capture == capture)
            capture_forget_event(event);
    }
    while (*at != capture)
        at = &(*at)->next;
    *at = capture->next;
    free(capture);
}

void capture_forget_stream(struct CUstream_st *stream)
{
    struct capture *capture = stream->capture;

    if (capture == NULL)
        return;
    capture->spoiled = true;
    stream_leave(stream);
    if (capture->origin != stream)
        return;
    if (!capture->into_given)
        graph_destroy(capture->graph);
    capture_end(capture);
}

CUresult capture_refuses_stream(struct CUstream_st *stream)
{
    if (stream == &stream->object.context->legacy)
        return capture_refuses_legacy(stream->object.context);
    if (stream->capture == NULL)
        return CUDA_SUCCESS;
    stream->capture->spoiled = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static bool spoiled_by_legacy(struct CUstream_st *stream)
{
    if (stream->capture == NULL || !stream_blocking(stream))
        return false;
    stream->capture->spoiled = true;
    return true;
}

/* The legacy stream would wait for the blocking ones. */
CUresult capture_refuses_legacy(struct CUctx_st *context)
{
    CUresult result = CUDA_SUCCESS;

    if (captures == NULL)
        return CUDA_SUCCESS;
    for (struct object *object = driver.objects; object != NULL; object = object->next) {
        struct CUstream_st *stream = (struct CUstream_st *)(void *)object;
        if (object->kind == OBJECT_STREAM && object->context == context && spoiled_by_legacy(stream))
            result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    for (struct CUstream_st *own = context->of_threads; own != NULL; own = own->next_thread)
        if (spoiled_by_legacy(own))
            result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    return result;
}

CUresult capture_refuses_unsafe(void)
{
    CUresult result = CUDA_SUCCESS;

    for (struct capture *capture = captures; capture != NULL && thread_mode != CAPTURE_RELAXED;
         capture = capture->next) {
        bool mine = pthread_equal(capture->thread, pthread_self()) && capture->mode != CAPTURE_RELAXED;
        if (!mine && (capture->mode != CAPTURE_GLOBAL || thread_mode != CAPTURE_GLOBAL))
            continue;
        capture->spoiled = true;
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return result;
}

static CUresult add_node(struct CUstream_st *stream, enum node_type type, struct operation *operation)
{
    struct CUgraphNode_st *node;
    CUresult result =
        node_add(&node, stream->capture->graph, type, stream->heads, stream->head_count, operation);

    if (result == CUDA_SUCCESS && !heads_set(&stream->heads, &stream->head_count, &node, 1))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    return result;
}

CUresult capture_add(struct CUstream_st *stream, struct operation *operation)
{
    CUresult result = stream->capture->spoiled ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                               : operation_check(operation, stream->object.context);

    if (result == CUDA_SUCCESS && operation->kind == WORK_FREE) {
        const struct allocation *found = memory_find(operation->memory);
        if (found->owner != OWNER_GRAPH)
            result = CUDA_ERROR_INVALID_VALUE;
    }
    if (result == CUDA_SUCCESS)
        return add_node(stream, node_type_of(operation), operation);
    operation_release(operation);
    return result;
}

CUresult capture_alloc(struct CUstream_st *stream, CUdeviceptr *pointer, size_t bytes)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, stream->object.context->device}},
        .bytesize = bytes};
    struct CUgraphNode_st *node;

    if (stream->capture->spoiled)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    CUresult result = node_alloc(&node, stream->capture->graph, stream->heads, stream->head_count, &params);
    if (result == CUDA_SUCCESS && !heads_set(&stream->heads, &stream->head_count, &node, 1))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS)
        *pointer = params.dptr;
    return result;
}

CUresult capture_record(CUevent event, struct CUstream_st *stream)
{
    if (stream->capture->spoiled)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!heads_set(&event->heads, &event->head_count, stream->heads, stream->head_count))
        return CUDA_ERROR_OUT_OF_MEMORY;
    event->capture = stream->capture;
    return CUDA_SUCCESS;
}

CUresult capture_wait(struct CUstream_st *stream, CUevent event)
{
    struct capture *own = stream->capture, *of_event = event->capture;

    if (own != NULL && own->spoiled)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (of_event == NULL && event->marker == NULL)
        return CUDA_SUCCESS; /* never recorded */
    if (of_event == NULL) {
        own->spoiled = true;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (own != NULL && own != of_event) {
        own->spoiled = of_event->spoiled = true;
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    if (of_event->spoiled)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (stream == &stream->object.context->legacy) {
        of_event->spoiled = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (!heads_add(stream, event->heads, event->head_count))
        return CUDA_ERROR_OUT_OF_MEMORY;
    stream->capture = of_event;
    return CUDA_SUCCESS;
}

static CUresult begin(CUstream handle, uint32_t mode, struct CUgraph_st *graph,
                      struct CUgraphNode_st *const *behind, size_t count)
{
    struct CUstream_st *stream;
    CUresult result = stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (mode > CAPTURE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream == &stream->object.context->legacy)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture != NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    struct capture *capture = calloc(1, sizeof *capture);
    bool given = graph != NULL;
    if (capture == NULL || !heads_set(&stream->heads, &stream->head_count, behind, count))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS && !given)
        result = graph_new(&graph);
    if (result != CUDA_SUCCESS) {
        free(capture);
        return result;
    }
    *capture = (struct capture){captures,      graph,         stream, pthread_self(), mode,
                                ++capture_ids, node_number(), false,  given};
    captures = stream->capture = capture;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream)
{
    API(cuStreamBeginCapture, NEEDS_INIT);
    return begin(stream, CAPTURE_GLOBAL, NULL, NULL, 0);
}

CUresult cuStreamBeginCapture_v2(CUstream stream, uint32_t mode)
{
    API(cuStreamBeginCapture_v2, NEEDS_INIT);
    return begin(stream, mode, NULL, NULL, 0);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *behind,
                                     const CUgraphEdgeData *edges, size_t count, uint32_t mode)
{
    API(cuStreamBeginCaptureToGraph, NEEDS_INIT);
    (void)edges;
    if (!graph_valid(graph) || (count > 0 && behind == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!node_valid(behind[i]) || behind[i]->graph != graph)
            return CUDA_ERROR_INVALID_VALUE;
    return begin(stream, mode, graph, behind, count);
}

static void visit(struct CUgraphNode_st *node)
{
    if (node->visited)
        return;
    node->visited = true;
    for (size_t i = 0; i < node->behind_count; i++)
        visit(node->behind[i]);
}

/* Has every other stream of the capture been waited for? */
static bool is_joined(const struct capture *capture, const struct CUstream_st *origin)
{
    const struct CUgraph_st *graph = capture->graph;

    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->visited = false;
    for (size_t i = 0; i < origin->head_count; i++)
        visit(origin->heads[i]);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->number > capture->first && !graph->nodes[i]->visited)
            return false;
    return true;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    API(cuStreamEndCapture, NEEDS_INIT);
    struct CUstream_st *stream;
    CUresult result = stream_find(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (graph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = NULL;
    struct capture *capture = stream->capture;
    if (capture == NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->origin != stream)
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    if (capture->mode != CAPTURE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    result = capture->spoiled              ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
             : !is_joined(capture, stream) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                           : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        *graph = capture->graph;
    else if (!capture->into_given)
        graph_destroy(capture->graph);
    capture_end(capture);
    return result;
}

static uint32_t status_of(const struct CUstream_st *stream)
{
    return stream->capture == NULL ? STATUS_NONE : stream->capture->spoiled ? STATUS_SPOILED : STATUS_ACTIVE;
}

CUresult cuStreamIsCapturing(CUstream handle, uint32_t *status)
{
    API(cuStreamIsCapturing, NEEDS_INIT);
    struct CUstream_st *stream;
    CUresult result = status == NULL ? CUDA_ERROR_INVALID_VALUE : stream_find(handle, &stream);
    if (result == CUDA_SUCCESS && stream == &stream->object.context->legacy)
        result = capture_refuses_legacy(stream->object.context);
    if (result == CUDA_SUCCESS)
        *status = status_of(stream);
    return result;
}

static CUresult capture_info(CUstream handle, uint32_t *status, cuuint64_t *id, CUgraph *graph,
                             const CUgraphNode **heads, const CUgraphEdgeData **edges, size_t *count)
{
    struct CUstream_st *stream;
    CUresult result = status == NULL ? CUDA_ERROR_INVALID_VALUE : stream_find(handle, &stream);

    if (result == CUDA_SUCCESS && stream == &stream->object.context->legacy)
        result = capture_refuses_legacy(stream->object.context);
    if (result != CUDA_SUCCESS)
        return result;
    *status = status_of(stream);
    if (*status != STATUS_ACTIVE)
        return CUDA_SUCCESS;
    if (id != NULL)
        *id = stream->capture->id;
    if (graph != NULL)
        *graph = stream->capture->graph;
    if (heads != NULL)
        *heads = stream->heads;
    if (edges != NULL)
        *edges = NULL; /* plain ones */
    if (count != NULL)
        *count = stream->head_count;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, uint32_t *status, cuuint64_t *id)
{
    API(cuStreamGetCaptureInfo, NEEDS_INIT);
    return capture_info(stream, status, id, NULL, NULL, NULL, NULL);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, uint32_t *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **heads, size_t *count)
{
    API(cuStreamGetCaptureInfo_v2, NEEDS_INIT);
    return capture_info(stream, status, id, graph, heads, NULL, count);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, uint32_t *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **heads, const CUgraphEdgeData **edges, size_t *count)
{
    API(cuStreamGetCaptureInfo_v3, NEEDS_INIT);
    return capture_info(stream, status, id, graph, heads, edges, count);
}

static CUresult update(CUstream handle, CUgraphNode *behind, size_t count, unsigned int flags)
{
    struct CUstream_st *stream;
    CUresult result = stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (stream->capture == NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (flags > 1 || (count > 0 && behind == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!node_valid(behind[i]) || behind[i]->graph != stream->capture->graph)
            return CUDA_ERROR_INVALID_VALUE;
    bool done = flags == 0 ? heads_add(stream, behind, count)
                           : heads_set(&stream->heads, &stream->head_count, behind, count);
    return done ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *behind, size_t count,
                                           unsigned int flags)
{
    API(cuStreamUpdateCaptureDependencies, NEEDS_INIT);
    return update(stream, behind, count, flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *behind,
                                              const CUgraphEdgeData *edges, size_t count, unsigned int flags)
{
    API(cuStreamUpdateCaptureDependencies_v2, NEEDS_INIT);
    (void)edges;
    return update(stream, behind, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(uint32_t *mode)
{
    API(cuThreadExchangeStreamCaptureMode, NEEDS_INIT);
    if (mode == NULL || *mode > CAPTURE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
