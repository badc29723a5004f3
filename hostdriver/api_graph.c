/* SPDX-License-Identifier: MIT */
/* api_graph.c: graphs built by hand, and what can be asked of them. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    API(cuGraphCreate, NEEDS_INIT);
    return graph == NULL || flags != 0 ? CUDA_ERROR_INVALID_VALUE : graph_new(graph);
}

CUresult cuGraphDestroy(CUgraph graph)
{
    API(cuGraphDestroy, NEEDS_INIT);
    if (!graph_valid(graph) || graph->is_child)
        return CUDA_ERROR_INVALID_VALUE;
    graph_destroy(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    API(cuGraphClone, NEEDS_INIT);
    return clone == NULL || !graph_valid(graph) ? CUDA_ERROR_INVALID_VALUE : graph_clone(clone, graph);
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    API(cuGraphNodeFindInClone, NEEDS_INIT);
    if (node == NULL || !node_valid(original) || !graph_valid(clone))
        return CUDA_ERROR_INVALID_VALUE;
    *node = graph_find_clone(clone, original->number);
    return *node != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_new(const CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count)
{
    if (node == NULL || !graph_valid(graph) || (count > 0 && behind == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!node_valid(behind[i]) || behind[i]->graph != graph)
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult check_kernel(struct operation *operation, const CUDA_KERNEL_NODE_PARAMS *params)
{
    struct kernel_work work = {.function = params->func != NULL ? params->func : params->kern,
                               .grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
                               .block = {params->blockDimX, params->blockDimY, params->blockDimZ},
                               .shared_bytes = params->sharedMemBytes};
    CUresult result = kernel_gather(&work, params->kernelParams, params->extra);

    if (result == CUDA_SUCCESS)
        result = kernel_check(&work, work.function->object.context);
    *operation = (struct operation){.kind = WORK_KERNEL, .kernel = work};
    if (result != CUDA_SUCCESS)
        operation_release(operation);
    return result;
}

CUresult node_operation(struct operation *operation, const CUgraphNodeParams *params)
{
    switch (params->type) {
    case NODE_KERNEL:
        return check_kernel(operation, &params->kernel);
    case NODE_MEMCPY:
        *operation = (struct operation){.kind = WORK_COPY, .copy.area = params->memcpy.copyParams};
        break;
    case NODE_MEMSET:
        *operation = (struct operation){.kind = WORK_FILL,
                                        .fill.area = {params->memset.dst, params->memset.pitch,
                                                      params->memset.value, params->memset.elementSize,
                                                      params->memset.width, params->memset.height}};
        break;
    case NODE_HOST:
        *operation = (struct operation){.kind = WORK_HOST,
                                        .host = {.function = params->host.fn, .data = params->host.userData}};
        if (params->host.fn == NULL)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    case NODE_EMPTY:
        *operation = (struct operation){.kind = WORK_NOTHING};
        break;
    case NODE_WAIT_EVENT:
        *operation = (struct operation){.kind = WORK_WAIT, .event = params->eventWait.event};
        break;
    case NODE_EVENT_RECORD:
        *operation = (struct operation){.kind = WORK_RECORD, .event = params->eventRecord.event};
        break;
    case NODE_MEM_FREE:
        *operation = (struct operation){.kind = WORK_FREE, .memory = params->free.dptr};
        const struct allocation *found = memory_find(params->free.dptr);
        if (found == NULL || found->owner != OWNER_GRAPH)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return operation_check(operation, NULL);
}

static CUresult add_child(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                          CUgraph child)
{
    struct operation nothing = {.kind = WORK_NOTHING};
    struct CUgraph_st *clone;

    if (!graph_valid(child) || child == graph)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = graph_clone(&clone, child);
    if (result != CUDA_SUCCESS)
        return result;
    clone->is_child = true;
    result = node_add(node, graph, NODE_GRAPH, behind, count, &nothing);
    if (result == CUDA_SUCCESS)
        (*node)->child = clone;
    else
        graph_destroy(clone);
    return result;
}

static CUresult add(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                    CUgraphNodeParams *params)
{
    struct operation operation;
    CUresult result = check_new(node, graph, behind, count);

    if (result != CUDA_SUCCESS)
        return result;
    if (params->type == NODE_GRAPH)
        return add_child(node, graph, behind, count, params->graph.graph);
    if (params->type == NODE_MEM_ALLOC)
        return params->alloc.bytesize == 0 ? CUDA_ERROR_INVALID_VALUE
                                           : node_alloc(node, graph, behind, count, &params->alloc);
    result = node_operation(&operation, params);
    return result != CUDA_SUCCESS
               ? result
               : node_add(node, graph, (enum node_type)params->type, behind, count, &operation);
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                        CUgraphNodeParams *params)
{
    API(cuGraphAddNode, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE : add(node, graph, behind, count, params);
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params)
{
    API(cuGraphAddNode_v2, NEEDS_INIT);
    (void)edges;
    return params == NULL ? CUDA_ERROR_INVALID_VALUE : add(node, graph, behind, count, params);
}

CUDA_KERNEL_NODE_PARAMS kernel_params_of(const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    return (CUDA_KERNEL_NODE_PARAMS){.func = params->func,
                                     .gridDimX = params->gridDimX,
                                     .gridDimY = params->gridDimY,
                                     .gridDimZ = params->gridDimZ,
                                     .blockDimX = params->blockDimX,
                                     .blockDimY = params->blockDimY,
                                     .blockDimZ = params->blockDimZ,
                                     .sharedMemBytes = params->sharedMemBytes,
                                     .kernelParams = params->kernelParams,
                                     .extra = params->extra};
}

CUDA_MEMSET_NODE_PARAMS_v2 memset_params_of(const CUDA_MEMSET_NODE_PARAMS *params)
{
    return (CUDA_MEMSET_NODE_PARAMS_v2){.dst = params->dst,
                                        .pitch = params->pitch,
                                        .value = params->value,
                                        .elementSize = params->elementSize,
                                        .width = params->width,
                                        .height = params->height};
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    API(cuGraphAddKernelNode, NEEDS_INIT);
    return params == NULL
               ? CUDA_ERROR_INVALID_VALUE
               : add(node, graph, behind, count,
                     &(CUgraphNodeParams){.type = NODE_KERNEL, .kernel = kernel_params_of(params)});
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *params)
{
    API(cuGraphAddKernelNode_v2, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : add(node, graph, behind, count,
                                &(CUgraphNodeParams){.type = NODE_KERNEL, .kernel = *params});
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                              const CUDA_MEMCPY3D *params, CUcontext context)
{
    API(cuGraphAddMemcpyNode, NEEDS_INIT);
    (void)context;
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : add(node, graph, behind, count,
                                &(CUgraphNodeParams){.type = NODE_MEMCPY, .memcpy = {.copyParams = *params}});
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    API(cuGraphAddMemsetNode, NEEDS_INIT);
    (void)context;
    return params == NULL
               ? CUDA_ERROR_INVALID_VALUE
               : add(node, graph, behind, count,
                     &(CUgraphNodeParams){.type = NODE_MEMSET, .memset = memset_params_of(params)});
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params)
{
    API(cuGraphAddHostNode, NEEDS_INIT);
    return params == NULL
               ? CUDA_ERROR_INVALID_VALUE
               : add(node, graph, behind, count, &(CUgraphNodeParams){.type = NODE_HOST, .host = *params});
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    API(cuGraphAddMemAllocNode, NEEDS_INIT);
    if (params == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams all = {.type = NODE_MEM_ALLOC, .alloc = *params};
    CUresult result = add(node, graph, behind, count, &all);
    if (result == CUDA_SUCCESS)
        params->dptr = all.alloc.dptr;
    return result;
}

/* Those whose parameter is one value. */
#define ADD_VALUE(symbol, value_type, ...)                                                                   \
    CUresult symbol(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,               \
                    value_type value)                                                                        \
    {                                                                                                        \
        API(symbol, NEEDS_INIT);                                                                             \
        CUgraphNodeParams all = __VA_ARGS__;                                                                 \
        return add(node, graph, behind, count, &all);                                                        \
    }

ADD_VALUE(cuGraphAddChildGraphNode, CUgraph, {.type = NODE_GRAPH, .graph = {value, 0}})
ADD_VALUE(cuGraphAddEventRecordNode, CUevent, {.type = NODE_EVENT_RECORD, .eventRecord = {value}})
ADD_VALUE(cuGraphAddEventWaitNode, CUevent, {.type = NODE_WAIT_EVENT, .eventWait = {value}})
ADD_VALUE(cuGraphAddMemFreeNode, CUdeviceptr, {.type = NODE_MEM_FREE, .free = {value}})

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count)
{
    API(cuGraphAddEmptyNode, NEEDS_INIT);
    return add(node, graph, behind, count, &(CUgraphNodeParams){.type = NODE_EMPTY});
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    API(cuGraphDestroyNode, NEEDS_INIT);
    if (!node_valid(node))
        return CUDA_ERROR_INVALID_VALUE;
    node_remove(node);
    return CUDA_SUCCESS;
}

static CUresult change(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count, bool adds)
{
    if (!graph_valid(graph) || (count > 0 && (from == NULL || to == NULL)))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!node_valid(from[i]) || !node_valid(to[i]) || from[i]->graph != graph || to[i]->graph != graph ||
            from[i] == to[i] || node_is_behind(to[i], from[i]) == adds)
            return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        bool done = adds ? node_add_dependency(to[i], from[i]) : node_remove_dependency(to[i], from[i]);
        if (!done)
            return adds ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    API(cuGraphAddDependencies, NEEDS_INIT);
    return change(graph, from, to, count, true);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count)
{
    API(cuGraphAddDependencies_v2, NEEDS_INIT);
    (void)edges;
    return change(graph, from, to, count, true);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count)
{
    API(cuGraphRemoveDependencies, NEEDS_INIT);
    return change(graph, from, to, count, false);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count)
{
    API(cuGraphRemoveDependencies_v2, NEEDS_INIT);
    (void)edges;
    return change(graph, from, to, count, false);
}
