/* SPDX-License-Identifier: MIT */
/* api_graph_exec.c: executable graphs.
 *
 * One is a clone of its graph, in an order in which it can run; a launch puts
 * its operations into the stream, one after the other.
 */
#include <stdlib.h>

#include "graph.h"

enum { FLAG_DEVICE_LAUNCH = 4, FLAGS = 15, INSTANTIATE_ERROR = 1, INSTANTIATE_INVALID_STRUCTURE = 2 };
enum { UPDATE_SUCCESS, UPDATE_ERROR, UPDATE_TOPOLOGY = 2, UPDATE_TYPE = 3, UPDATE_FUNCTION = 4 };

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, cuuint64_t flags)
{
    if (exec == NULL || !graph_valid(graph) || flags > FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    if ((flags & FLAG_DEVICE_LAUNCH) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct CUgraphExec_st *new = calloc(1, sizeof *new);
    if (new == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = graph_clone(&new->graph, graph);
    if (result != CUDA_SUCCESS) {
        free(new);
        return result;
    }
    new->flags = flags;
    new->graph->is_executable = true;
    object_add(&new->object, OBJECT_GRAPH_EXEC, NULL);
    *exec = new;
    return CUDA_SUCCESS;
}

static CUresult instantiate_old(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
                                size_t capacity)
{
    if (error_node != NULL)
        *error_node = NULL;
    if (log != NULL && capacity > 0)
        *log = 0;
    return instantiate(exec, graph, 0);
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
                            size_t capacity)
{
    API(cuGraphInstantiate, NEEDS_INIT);
    return instantiate_old(exec, graph, error_node, log, capacity);
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
                               size_t capacity)
{
    API(cuGraphInstantiate_v2, NEEDS_INIT);
    return instantiate_old(exec, graph, error_node, log, capacity);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    API(cuGraphInstantiateWithFlags, NEEDS_INIT);
    return instantiate(exec, graph, flags);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    API(cuGraphInstantiateWithParams, NEEDS_INIT);
    if (params == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = instantiate(exec, graph, params->flags);
    params->hErrNode_out = NULL;
    params->result_out = result == CUDA_SUCCESS ? 0
                         : result == CUDA_ERROR_INVALID_VALUE && graph_valid(graph)
                             ? INSTANTIATE_INVALID_STRUCTURE
                             : INSTANTIATE_ERROR;
    return result;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
    API(cuGraphExecGetFlags, NEEDS_INIT);
    if (!object_valid(exec, OBJECT_GRAPH_EXEC) || flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = exec->flags;
    return CUDA_SUCCESS;
}

/* What runs has copies of its own. */
CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    API(cuGraphExecDestroy, NEEDS_INIT);
    if (!object_valid(exec, OBJECT_GRAPH_EXEC))
        return CUDA_ERROR_INVALID_VALUE;
    object_remove(&exec->object);
    graph_destroy(exec->graph);
    free(exec);
    return CUDA_SUCCESS;
}

static CUresult check_all(const struct CUgraph_st *graph, const struct CUctx_st *context)
{
    CUresult result = CUDA_SUCCESS;

    for (size_t i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
        struct CUgraphNode_st *node = graph->nodes[i];
        if (node->child != NULL)
            result = check_all(node->child, context);
        else if (!node->disabled)
            result = operation_check(&node->operation, context);
    }
    return result;
}

static CUresult queue_all(const struct CUgraph_st *graph, struct CUstream_st *stream)
{
    CUresult result = CUDA_SUCCESS;

    for (size_t i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
        const struct CUgraphNode_st *node = graph->nodes[i];
        struct operation operation;
        if (node->child != NULL) {
            result = queue_all(node->child, stream);
            continue;
        }
        if (node->disabled || node->operation.kind == WORK_NOTHING)
            continue;
        if (!operation_copy(&operation, &node->operation))
            return CUDA_ERROR_OUT_OF_MEMORY;
        operation.of_graph = true;
        result = work_queue(stream, &operation);
    }
    return result;
}

/* In a capture the graph becomes a node. */
static CUresult capture_graph(struct CUstream_st *stream, const struct CUgraph_st *graph)
{
    struct operation nothing = {.kind = WORK_NOTHING};
    struct CUgraph_st *clone;
    CUresult result = graph_clone(&clone, graph);

    if (result != CUDA_SUCCESS)
        return result;
    clone->is_child = true;
    result = capture_add(stream, &nothing);
    if (result != CUDA_SUCCESS) {
        graph_destroy(clone);
        return result;
    }
    stream->heads[0]->type = NODE_GRAPH;
    stream->heads[0]->child = clone;
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle)
{
    API(cuGraphLaunch, NEEDS_INIT);
    struct CUstream_st *stream;
    if (!object_valid(exec, OBJECT_GRAPH_EXEC))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = stream_find(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->capture != NULL)
        return capture_graph(stream, exec->graph);
    if (stream == &stream->object.context->legacy)
        result = capture_refuses_legacy(stream->object.context);
    if (result == CUDA_SUCCESS)
        result = check_all(exec->graph, stream->object.context);
    return result != CUDA_SUCCESS ? result : queue_all(exec->graph, stream);
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    API(cuGraphUpload, NEEDS_INIT);
    struct CUstream_st *found;
    if (!object_valid(exec, OBJECT_GRAPH_EXEC))
        return CUDA_ERROR_INVALID_VALUE;
    return stream_find(stream, &found);
}

/* Where two graphs differ in more than parameters. */
static uint32_t compare(const struct CUgraph_st *old, const struct CUgraph_st *new, size_t *at)
{
    *at = 0;
    if (old->count != new->count)
        return UPDATE_TOPOLOGY;
    for (size_t i = 0; i < old->count; i++) {
        const struct CUgraphNode_st *one = old->nodes[i], *other = new->nodes[i];
        size_t inner;
        *at = i;
        if (one->behind_count != other->behind_count)
            return UPDATE_TOPOLOGY;
        if (one->type != other->type)
            return UPDATE_TYPE;
        for (size_t j = 0; j < old->count; j++)
            if (node_is_behind(one, old->nodes[j]) != node_is_behind(other, new->nodes[j]))
                return UPDATE_TOPOLOGY;
        if (one->type == NODE_KERNEL && one->operation.kernel.function->object.context !=
                                            other->operation.kernel.function->object.context)
            return UPDATE_FUNCTION;
        uint32_t result = one->child != NULL ? compare(one->child, other->child, &inner) : UPDATE_SUCCESS;
        if (result != UPDATE_SUCCESS)
            return result;
    }
    return UPDATE_SUCCESS;
}

/* It stays the clone of the graph that it was made from. */
static void keep_origins(struct CUgraph_st *new, const struct CUgraph_st *old)
{
    for (size_t i = 0; i < new->count; i++) {
        new->nodes[i]->origin = old->nodes[i]->origin;
        if (new->nodes[i]->child != NULL)
            keep_origins(new->nodes[i]->child, old->nodes[i]->child);
    }
}

static CUresult update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    struct CUgraph_st *clone;
    size_t at;

    *info = (CUgraphExecUpdateResultInfo){UPDATE_ERROR, NULL, NULL};
    if (!object_valid(exec, OBJECT_GRAPH_EXEC) || !graph_valid(graph))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = graph_clone(&clone, graph);
    if (result != CUDA_SUCCESS)
        return result;
    info->result = compare(exec->graph, clone, &at);
    if (info->result != UPDATE_SUCCESS) {
        for (size_t i = 0; at < clone->count && i < graph->count; i++)
            if (graph->nodes[i]->number == clone->nodes[at]->origin)
                info->errorNode = graph->nodes[i];
        graph_destroy(clone);
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    keep_origins(clone, exec->graph);
    clone->is_executable = true;
    graph_destroy(exec->graph);
    exec->graph = clone;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node, uint32_t *result_out)
{
    API(cuGraphExecUpdate, NEEDS_INIT);
    CUgraphExecUpdateResultInfo info;
    if (result_out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = update(exec, graph, &info);
    if (error_node != NULL)
        *error_node = info.errorNode;
    *result_out = info.result;
    return result;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    API(cuGraphExecUpdate_v2, NEEDS_INIT);
    return info == NULL ? CUDA_ERROR_INVALID_VALUE : update(exec, graph, info);
}
