/* SPDX-License-Identifier: MIT */
/* api_graph_node.c: the parameters of nodes, in graphs and in executable ones. */
#include <stdlib.h>

#include "graph.h"

/* The node as it was made, or its clone in an executable graph. */
static CUgraphNode find(CUgraphExec exec, bool in_exec, CUgraphNode node, uint32_t type)
{
    if (!node_valid(node) || node->type != type)
        return NULL;
    if (!in_exec)
        return node;
    return object_valid(exec, OBJECT_GRAPH_EXEC) ? graph_find_clone(exec->graph, node->number) : NULL;
}

static CUresult set(CUgraphNode node, const CUgraphNodeParams *params)
{
    struct operation operation;

    if (node == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = node_operation(&operation, params);
    if (result != CUDA_SUCCESS)
        return result;
    operation_release(&node->operation);
    node->operation = operation;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    API(cuGraphNodeSetParams, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE : set(find(NULL, false, node, params->type), params);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
    API(cuGraphExecNodeSetParams, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE : set(find(exec, true, node, params->type), params);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    API(cuGraphKernelNodeSetParams, NEEDS_INIT);
    return params == NULL
               ? CUDA_ERROR_INVALID_VALUE
               : set(find(NULL, false, node, NODE_KERNEL),
                     &(CUgraphNodeParams){.type = NODE_KERNEL, .kernel = kernel_params_of(params)});
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    API(cuGraphKernelNodeSetParams_v2, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : set(find(NULL, false, node, NODE_KERNEL),
                                &(CUgraphNodeParams){.type = NODE_KERNEL, .kernel = *params});
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    API(cuGraphMemcpyNodeSetParams, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : set(find(NULL, false, node, NODE_MEMCPY),
                                &(CUgraphNodeParams){.type = NODE_MEMCPY, .memcpy = {.copyParams = *params}});
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)
{
    API(cuGraphMemsetNodeSetParams, NEEDS_INIT);
    return params == NULL
               ? CUDA_ERROR_INVALID_VALUE
               : set(find(NULL, false, node, NODE_MEMSET),
                     &(CUgraphNodeParams){.type = NODE_MEMSET, .memset = memset_params_of(params)});
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    API(cuGraphHostNodeSetParams, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : set(find(NULL, false, node, NODE_HOST),
                                &(CUgraphNodeParams){.type = NODE_HOST, .host = *params});
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    API(cuGraphExecKernelNodeSetParams, NEEDS_INIT);
    return params == NULL
               ? CUDA_ERROR_INVALID_VALUE
               : set(find(exec, true, node, NODE_KERNEL),
                     &(CUgraphNodeParams){.type = NODE_KERNEL, .kernel = kernel_params_of(params)});
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params)
{
    API(cuGraphExecKernelNodeSetParams_v2, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : set(find(exec, true, node, NODE_KERNEL),
                                &(CUgraphNodeParams){.type = NODE_KERNEL, .kernel = *params});
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,
                                        CUcontext context)
{
    API(cuGraphExecMemcpyNodeSetParams, NEEDS_INIT);
    (void)context;
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : set(find(exec, true, node, NODE_MEMCPY),
                                &(CUgraphNodeParams){.type = NODE_MEMCPY, .memcpy = {.copyParams = *params}});
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    API(cuGraphExecMemsetNodeSetParams, NEEDS_INIT);
    (void)context;
    return params == NULL
               ? CUDA_ERROR_INVALID_VALUE
               : set(find(exec, true, node, NODE_MEMSET),
                     &(CUgraphNodeParams){.type = NODE_MEMSET, .memset = memset_params_of(params)});
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    API(cuGraphExecHostNodeSetParams, NEEDS_INIT);
    return params == NULL ? CUDA_ERROR_INVALID_VALUE
                          : set(find(exec, true, node, NODE_HOST),
                                &(CUgraphNodeParams){.type = NODE_HOST, .host = *params});
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    API(cuGraphEventRecordNodeSetEvent, NEEDS_INIT);
    return set(find(NULL, false, node, NODE_EVENT_RECORD),
               &(CUgraphNodeParams){.type = NODE_EVENT_RECORD, .eventRecord = {event}});
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    API(cuGraphEventWaitNodeSetEvent, NEEDS_INIT);
    return set(find(NULL, false, node, NODE_WAIT_EVENT),
               &(CUgraphNodeParams){.type = NODE_WAIT_EVENT, .eventWait = {event}});
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    API(cuGraphExecEventRecordNodeSetEvent, NEEDS_INIT);
    return set(find(exec, true, node, NODE_EVENT_RECORD),
               &(CUgraphNodeParams){.type = NODE_EVENT_RECORD, .eventRecord = {event}});
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    API(cuGraphExecEventWaitNodeSetEvent, NEEDS_INIT);
    return set(find(exec, true, node, NODE_WAIT_EVENT),
               &(CUgraphNodeParams){.type = NODE_WAIT_EVENT, .eventWait = {event}});
}

/* The parameters are the node's own; they end with it or with the next change. */
static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out)
{
    const struct kernel_work *work = &node->operation.kernel;
    const struct program *program = work->function->program;
    void **params = realloc(node->params, (program->param_count + 1) * sizeof *params);

    if (params == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    node->params = params;
    for (uint32_t i = 0; i < program->param_count; i++)
        params[i] = work->params + program->param_offset[i];
    *out = (CUDA_KERNEL_NODE_PARAMS){.func = work->function,
                                     .gridDimX = work->grid[0],
                                     .gridDimY = work->grid[1],
                                     .gridDimZ = work->grid[2],
                                     .blockDimX = work->block[0],
                                     .blockDimY = work->block[1],
                                     .blockDimZ = work->block[2],
                                     .sharedMemBytes = work->shared_bytes,
                                     .kernelParams = params,
                                     .ctx = work->function->object.context};
    return CUDA_SUCCESS;
}

/* A kernel's module may have been unloaded since. */
static bool has_kernel(CUgraphNode node)
{
    return find(NULL, false, node, NODE_KERNEL) != NULL &&
           object_valid(node->operation.kernel.function, OBJECT_FUNCTION);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    API(cuGraphKernelNodeGetParams, NEEDS_INIT);
    CUDA_KERNEL_NODE_PARAMS all;
    if (params == NULL || !has_kernel(node))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = get_kernel(node, &all);
    if (result == CUDA_SUCCESS)
        *params = (CUDA_KERNEL_NODE_PARAMS_v1){
            all.func,      all.gridDimX,  all.gridDimY,       all.gridDimZ,     all.blockDimX,
            all.blockDimY, all.blockDimZ, all.sharedMemBytes, all.kernelParams, NULL};
    return result;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    API(cuGraphKernelNodeGetParams_v2, NEEDS_INIT);
    return params == NULL || !has_kernel(node) ? CUDA_ERROR_INVALID_VALUE : get_kernel(node, params);
}

#define GET(symbol, parameter_type, type_of_node, value)                                                     \
    CUresult symbol(CUgraphNode node, parameter_type *params)                                                \
    {                                                                                                        \
        API(symbol, NEEDS_INIT);                                                                             \
        if (params == NULL || find(NULL, false, node, type_of_node) == NULL)                                 \
            return CUDA_ERROR_INVALID_VALUE;                                                                 \
        *params = value;                                                                                     \
        return CUDA_SUCCESS;                                                                                 \
    }

GET(cuGraphMemcpyNodeGetParams, CUDA_MEMCPY3D, NODE_MEMCPY, node->operation.copy.area)
GET(cuGraphMemsetNodeGetParams, CUDA_MEMSET_NODE_PARAMS, NODE_MEMSET, node->operation.fill.area)
GET(cuGraphHostNodeGetParams, CUDA_HOST_NODE_PARAMS, NODE_HOST,
    ((CUDA_HOST_NODE_PARAMS){node->operation.host.function, node->operation.host.data}))
GET(cuGraphChildGraphNodeGetGraph, CUgraph, NODE_GRAPH, node->child)
GET(cuGraphEventRecordNodeGetEvent, CUevent, NODE_EVENT_RECORD, node->operation.event)
GET(cuGraphEventWaitNodeGetEvent, CUevent, NODE_WAIT_EVENT, node->operation.event)
GET(cuGraphMemAllocNodeGetParams, CUDA_MEM_ALLOC_NODE_PARAMS, NODE_MEM_ALLOC, node->alloc)
GET(cuGraphMemFreeNodeGetParams, CUdeviceptr, NODE_MEM_FREE, node->operation.memory)

static CUgraphNode find_any(CUgraphExec exec, CUgraphNode node)
{
    bool can = node_valid(node) &&
               (node->type == NODE_KERNEL || node->type == NODE_MEMSET || node->type == NODE_MEMCPY);

    return can ? find(exec, true, node, node->type) : NULL;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled)
{
    API(cuGraphNodeSetEnabled, NEEDS_INIT);
    CUgraphNode found = find_any(exec, node);
    if (found == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    found->disabled = enabled == 0;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled)
{
    API(cuGraphNodeGetEnabled, NEEDS_INIT);
    CUgraphNode found = find_any(exec, node);
    if (found == NULL || enabled == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *enabled = !found->disabled;
    return CUDA_SUCCESS;
}
