/* SPDX-License-Identifier: MIT */
/* graph.c: sequences of operations that are captured once and launched as a whole.
 *
 * The driver captures a stream of the graph's own, the recorder, and never the caller's: while that is
 * captured, im_stream_get gives the recorder for it, and all else about it goes on.  So a matrix that
 * is destroyed meanwhile is freed as ever, and what a captured product needs once, memory that begins
 * with zeros or a table, is made on the context's default stream at once. */
#include <stdlib.h>

#include "kept.h"
#include "matrix.h"
#include "workspace.h"

struct im_graph {
    struct im_stream recorder; /* its object is the graph's */
    struct im_recording recording;
    isomat_graph handle; /* the caller's, once the capture has ended */
    bool capturing;
    CUgraphExec exec; /* NULL until the capture has ended */
    int32_t nodes;
};

/* ----------------------------------------------------------------- capture */

/* Ends the driver's capture; the context is current.  *captured is NULL on failure. */
static int32_t stop_capture(struct im_graph *graph, CUgraph *captured)
{
    *captured = NULL;
    graph->capturing = false;
    int32_t status = IM_CALL(cuStreamEndCapture, graph->recorder.cu, captured);
    graph->recorder.context->captures--;
    return status;
}

static void finalise(struct im_object *object)
{
    struct im_graph *graph = (struct im_graph *)object;
    struct im_context *context = graph->recorder.context;
    struct im_scope scope;
    bool reachable = im_scope_enter_quietly(&scope, context);
    if (reachable) {
        CUgraph captured;
        if (graph->capturing && stop_capture(graph, &captured) == ISOMAT_OK)
            IM_CALL_QUIETLY(cuGraphDestroy, captured);
        if (graph->exec)
            IM_CALL_QUIETLY(cuGraphExecDestroy, graph->exec); /* once its launches have run */
        IM_CALL_QUIETLY(cuStreamDestroy, graph->recorder.cu);
    } else if (graph->capturing) {
        context->captures--;
    }
    im_workspace_destroy(graph->recording.workspace, reachable);
    im_kept_end_recorded(&graph->recording);
    im_recording_end(&graph->recording);
    if (reachable)
        im_scope_leave_quietly(&scope);
    im_context_release(context);
    free(graph);
}

/* Starts the driver's capture; the context is current. */
static int32_t start_capture(struct im_graph *graph)
{
    CUstream *cu = &graph->recorder.cu;
    if (!im_cu.graphs)
        return im_fail(ISOMAT_ERROR_UNSUPPORTED, "this driver, of CUDA %d.%d, has no graphs",
                       im_cu.version / 1000, im_cu.version % 1000 / 10);
    int32_t status = IM_CALL(cuStreamCreateWithPriority, cu, CU_STREAM_NON_BLOCKING, 0);
    if (status != ISOMAT_OK)
        return status;
    /* Relaxed: threads that have nothing to do with it may allocate, load and free meanwhile. */
    status = IM_CALL(cuStreamBeginCapture, *cu, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (status != ISOMAT_OK)
        IM_CALL_QUIETLY(cuStreamDestroy, *cu);
    return status;
}

/* A graph that captures, with a handle that nobody knows yet; the context is current. */
static int32_t create(struct im_graph **created, struct im_context *context)
{
    struct im_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return IM_OUT_OF_HOST_MEMORY("a graph");
    graph->recorder.object.finalise = finalise;
    graph->recorder.context = context;
    graph->recorder.owned = true;
    graph->recorder.serial = UINT64_MAX; /* nobody follows it */
    graph->recorder.recording = &graph->recording;
    im_recording_begin(&graph->recording);
    int32_t status = im_workspace_create(&graph->recording.workspace, context);
    if (status == ISOMAT_OK) {
        status = start_capture(graph);
        if (status != ISOMAT_OK)
            im_workspace_destroy(graph->recording.workspace, true);
    }
    if (status != ISOMAT_OK) {
        im_recording_end(&graph->recording);
        free(graph);
        return status;
    }
    graph->capturing = true;
    context->captures++;
    im_object_ref(&context->object);
    status = im_handle_create(&graph->handle, &graph->recorder.object, IM_KIND_GRAPH);
    if (status == ISOMAT_OK)
        *created = graph;
    else
        finalise(&graph->recorder.object);
    return status;
}

static int32_t fail_captured_already(void)
{
    return im_fail(ISOMAT_ERROR_CAPTURE, "the stream is being captured already: end that capture first");
}

static int32_t begin(struct im_stream *stream)
{
    struct im_scope scope;
    struct im_graph *graph = NULL;
    if (stream->recorder)
        return fail_captured_already();
    int32_t status = im_scope_enter(&scope, stream->context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, create(&graph, stream->context));
    if (status == ISOMAT_OK && !im_stream_set_recorder(stream, &graph->recorder)) {
        im_stream_release(&graph->recorder);
        status = fail_captured_already();
    }
    return status;
}

int32_t isomat_graph_begin(isomat_context context_handle, isomat_stream stream_handle)
{
    struct im_context *context;
    struct im_stream *stream;
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_stream_find(&stream, stream_handle, context);
    if (status == ISOMAT_OK) {
        status = begin(stream);
        im_stream_release(stream);
    }
    im_context_release(context);
    return status;
}

/* Makes the captured work ready to be launched; the context is current. */
static int32_t instantiate(struct im_graph *graph)
{
    CUgraph captured;
    size_t nodes = 0;
    int32_t status = stop_capture(graph, &captured);
    if (status != ISOMAT_OK)
        return status;
    status = IM_CALL(cuGraphGetNodes, captured, NULL, &nodes);
    if (status == ISOMAT_OK)
        status = IM_CALL(cuGraphInstantiateWithFlags, &graph->exec, captured, 0);
    graph->nodes = (int32_t)nodes;
    IM_CALL_QUIETLY(cuGraphDestroy, captured);
    return status;
}

static int32_t end(isomat_graph *handle, struct im_stream *stream)
{
    struct im_scope scope;
    struct im_stream *recorder = im_stream_take_recorder(stream);
    struct im_graph *graph = (struct im_graph *)recorder;
    if (!recorder)
        return im_fail(ISOMAT_ERROR_CAPTURE, "no capture to end: isomat_graph_begin was not called");
    im_recording_close(&graph->recording);
    int32_t status = im_scope_enter(&scope, recorder->context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, instantiate(graph));
    if (status == ISOMAT_OK)
        *handle = graph->handle;
    else
        im_stream_release(recorder);
    return status;
}

int32_t isomat_graph_end(isomat_graph *handle, isomat_context context_handle, isomat_stream stream_handle)
{
    IM_RANGE();
    struct im_context *context;
    struct im_stream *stream;
    if (!handle)
        return IM_NULL_ARGUMENT("graph");
    *handle = ISOMAT_NONE;
    int32_t status = im_context_get(&context, context_handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_stream_find(&stream, stream_handle, context);
    if (status == ISOMAT_OK) {
        status = end(handle, stream);
        im_stream_release(stream);
    }
    im_context_release(context);
    return status;
}

/* ------------------------------------------------------------------ launch */

static int32_t fail_still_captured(void)
{
    return im_fail(ISOMAT_ERROR_CAPTURE, "the graph is still being captured");
}

/* Orders the stream behind the matrices' own, as a call for each would. */
static int32_t use_objects(const struct im_recording *recording, struct im_stream *stream)
{
    int32_t status = ISOMAT_OK;
    for (int64_t i = 0; i < recording->count && status == ISOMAT_OK; i++) {
        const struct im_recorded *each = &recording->objects[i];
        if (each->use == IM_RECORDED_WRITTEN)
            status = im_matrix_use_to_write((struct im_matrix *)each->object, stream);
        else if (each->use == IM_RECORDED_READ)
            status = im_matrix_use((struct im_matrix *)each->object, stream);
    }
    return status;
}

/* The context is current.  The workspace orders launches on several streams. */
static int32_t launch(struct im_graph *graph, struct im_stream *stream)
{
    int32_t status = use_objects(&graph->recording, stream);
    if (status == ISOMAT_OK)
        status = im_workspace_enter(graph->recording.workspace, stream);
    if (status != ISOMAT_OK)
        return status;
    im_context_note_launch(stream->context, "isomat_graph");
    status = IM_CALL(cuGraphLaunch, graph->exec, stream->cu);
    return im_workspace_end(graph->recording.workspace, status, stream);
}

static int32_t launch_on(struct im_graph *graph, isomat_stream stream_handle)
{
    struct im_stream *stream;
    struct im_scope scope;
    if (!graph->exec)
        return fail_still_captured();
    int32_t status = im_stream_get(&stream, stream_handle, graph->recorder.context);
    if (status != ISOMAT_OK)
        return status;
    if (stream->recording)
        status = im_stream_fail_captured("the launch of a graph");
    if (status == ISOMAT_OK)
        status = im_scope_enter(&scope, stream->context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, launch(graph, stream));
    im_stream_release(stream);
    return status;
}

int32_t isomat_graph_launch(isomat_graph handle, isomat_stream stream)
{
    IM_RANGE();
    struct im_graph *graph;
    int32_t status = im_handle_get(&graph, handle, IM_KIND_GRAPH);
    if (status != ISOMAT_OK)
        return status;
    status = launch_on(graph, stream);
    im_object_unref(&graph->recorder.object);
    return status;
}

int32_t isomat_graph_destroy(isomat_graph handle)
{
    struct im_graph *graph;
    /* A handle that was guessed: the capture still needs the graph. */
    if (handle != ISOMAT_NONE && im_handle_get(&graph, handle, IM_KIND_GRAPH) == ISOMAT_OK) {
        bool unfinished = !graph->exec;
        im_object_unref(&graph->recorder.object);
        if (unfinished)
            return fail_still_captured();
    }
    return im_handle_destroy(handle, IM_KIND_GRAPH);
}

int32_t isomat_graph_get_info(isomat_graph_info *info, isomat_graph handle)
{
    struct im_graph *graph;
    int32_t status = IM_CHECK_STRUCT(info, "graph info");
    if (status == ISOMAT_OK)
        status = im_handle_get(&graph, handle, IM_KIND_GRAPH);
    if (status != ISOMAT_OK)
        return status;
    *info = (isomat_graph_info){
        .struct_size = info->struct_size,
        .nodes = graph->nodes,
        .memory_bytes = im_workspace_bytes(graph->recording.workspace),
    };
    im_object_unref(&graph->recorder.object);
    return ISOMAT_OK;
}
