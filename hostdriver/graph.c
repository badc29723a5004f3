/* SPDX-License-Identifier: MIT */
/* graph.c: graphs as lists of nodes, each with those that it comes behind. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

static uint64_t numbers;

uint64_t node_number(void)
{
    return numbers;
}

CUresult graph_new(struct CUgraph_st **graph)
{
    struct CUgraph_st *new = calloc(1, sizeof *new);

    if (new == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    object_add(&new->object, OBJECT_GRAPH, NULL);
    *graph = new;
    return CUDA_SUCCESS;
}

static void memory_release(struct graph_memory *memory)
{
    if (memory == NULL || --memory->references > 0)
        return;
    contexts_wait();
    memory_free(memory->address);
    free(memory);
}

static void node_free(struct CUgraphNode_st *node)
{
    operation_release(&node->operation);
    memory_release(node->memory);
    if (node->child != NULL)
        graph_destroy(node->child);
    free(node->behind);
    free(node->params);
    free(node);
}

void graph_destroy(struct CUgraph_st *graph)
{
    object_remove(&graph->object);
    for (size_t i = 0; i < graph->count; i++)
        node_free(graph->nodes[i]);
    free(graph->nodes);
    free(graph);
}

bool graph_valid(const void *handle)
{
    return object_valid(handle, OBJECT_GRAPH) && !((const struct CUgraph_st *)handle)->is_executable;
}

/* Compared and not followed: it may be anything. */
bool node_valid(const struct CUgraphNode_st *node)
{
    for (const struct object *object = driver.objects; object != NULL; object = object->next) {
        const struct CUgraph_st *graph = (const struct CUgraph_st *)(const void *)object;
        for (size_t i = 0; object->kind == OBJECT_GRAPH && i < graph->count; i++)
            if (graph->nodes[i] == node)
                return true;
    }
    return false;
}

enum node_type node_type_of(const struct operation *operation)
{
    switch (operation->kind) {
    case WORK_KERNEL:
        return NODE_KERNEL;
    case WORK_COPY:
        return NODE_MEMCPY;
    case WORK_FILL:
        return NODE_MEMSET;
    case WORK_HOST:
        return NODE_HOST;
    case WORK_RECORD:
        return NODE_EVENT_RECORD;
    case WORK_WAIT:
        return NODE_WAIT_EVENT;
    case WORK_FREE:
        return NODE_MEM_FREE;
    default:
        return NODE_EMPTY;
    }
}

bool node_is_behind(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other)
{
    for (size_t i = 0; i < node->behind_count; i++)
        if (node->behind[i] == other)
            return true;
    return false;
}

bool node_add_dependency(struct CUgraphNode_st *node, struct CUgraphNode_st *behind)
{
    struct CUgraphNode_st **more = realloc(node->behind, (node->behind_count + 1) * sizeof *more);

    if (more == NULL)
        return false;
    node->behind = more;
    node->behind[node->behind_count++] = behind;
    return true;
}

bool node_remove_dependency(struct CUgraphNode_st *node, const struct CUgraphNode_st *behind)
{
    for (size_t i = 0; i < node->behind_count; i++) {
        if (node->behind[i] != behind)
            continue;
        node->behind_count--;
        memmove(&node->behind[i], &node->behind[i + 1], (node->behind_count - i) * sizeof *node->behind);
        return true;
    }
    return false;
}

static bool insert(struct CUgraph_st *graph, struct CUgraphNode_st *node)
{
    if (graph->count == graph->capacity) {
        size_t capacity = graph->capacity == 0 ? 8 : graph->capacity * 2;
        struct CUgraphNode_st **nodes = realloc(graph->nodes, capacity * sizeof *nodes);
        if (nodes == NULL)
            return false;
        graph->nodes = nodes;
        graph->capacity = capacity;
    }
    graph->nodes[graph->count++] = node;
    node->graph = graph;
    return true;
}

CUresult node_add(struct CUgraphNode_st **node, struct CUgraph_st *graph, enum node_type type,
                  struct CUgraphNode_st *const *behind, size_t count, struct operation *operation)
{
    struct CUgraphNode_st *new = calloc(1, sizeof *new);
    bool whole = new != NULL;

    if (whole) {
        new->type = type;
        new->number = ++numbers;
        new->operation = *operation;
        for (size_t i = 0; i < count && whole; i++)
            whole = node_is_behind(new, behind[i]) || node_add_dependency(new, behind[i]);
    }
    if (!whole || !insert(graph, new)) {
        if (new == NULL)
            operation_release(operation);
        else
            node_free(new);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *node = new;
    return CUDA_SUCCESS;
}

void node_remove(struct CUgraphNode_st *node)
{
    struct CUgraph_st *graph = node->graph;
    size_t at = 0;

    while (graph->nodes[at] != node)
        at++;
    graph->count--;
    memmove(&graph->nodes[at], &graph->nodes[at + 1], (graph->count - at) * sizeof(struct CUgraphNode_st *));
    for (size_t i = 0; i < graph->count; i++)
        node_remove_dependency(graph->nodes[i], node);
    node_free(node);
}

CUresult node_alloc(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                    struct CUgraphNode_st *const *behind, size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    struct graph_memory *memory = calloc(1, sizeof *memory);
    struct operation nothing = {.kind = WORK_NOTHING};

    if (memory == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memory->references = 1;
    memory->address = memory_alloc(params->bytesize, OWNER_GRAPH, NULL, NULL);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    if (memory->address != 0)
        result = node_add(node, graph, NODE_MEM_ALLOC, behind, count, &nothing);
    if (result != CUDA_SUCCESS) {
        if (memory->address != 0)
            memory_free(memory->address);
        free(memory);
        return result;
    }
    params->dptr = memory->address;
    (*node)->alloc = *params;
    (*node)->alloc.accessDescs = NULL;
    (*node)->alloc.accessDescCount = 0;
    (*node)->memory = memory;
    return CUDA_SUCCESS;
}

struct CUgraphNode_st *graph_find_clone(const struct CUgraph_st *graph, uint64_t origin)
{
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->origin == origin)
            return graph->nodes[i];
    for (size_t i = 0; i < graph->count; i++) {
        struct CUgraphNode_st *found =
            graph->nodes[i]->child != NULL ? graph_find_clone(graph->nodes[i]->child, origin) : NULL;
        if (found != NULL)
            return found;
    }
    return NULL;
}

static CUresult node_clone(struct CUgraph_st *clone, const struct CUgraphNode_st *node)
{
    struct operation operation;
    struct CUgraphNode_st *new;

    if (!operation_copy(&operation, &node->operation))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = node_add(&new, clone, node->type, NULL, 0, &operation);
    if (result != CUDA_SUCCESS)
        return result;
    new->origin = node->number;
    new->disabled = node->disabled;
    new->alloc = node->alloc;
    if (node->memory != NULL)
        (new->memory = node->memory)->references++;
    for (size_t i = 0; i < node->behind_count; i++)
        if (!node_add_dependency(new, graph_find_clone(clone, node->behind[i]->number)))
            return CUDA_ERROR_OUT_OF_MEMORY;
    if (node->child == NULL)
        return CUDA_SUCCESS;
    result = graph_clone(&new->child, node->child);
    if (result == CUDA_SUCCESS)
        new->child->is_child = true;
    return result;
}

static bool is_free(const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->behind_count; i++)
        if (!node->behind[i]->visited)
            return false;
    return !node->visited;
}

CUresult graph_clone(struct CUgraph_st **clone, const struct CUgraph_st *graph)
{
    CUresult result = graph_new(clone);
    bool advanced = true;

    if (result != CUDA_SUCCESS)
        return result;
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->visited = false;
    while (advanced && result == CUDA_SUCCESS) {
        advanced = false;
        for (size_t i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
            if (!is_free(graph->nodes[i]))
                continue;
            result = node_clone(*clone, graph->nodes[i]);
            graph->nodes[i]->visited = advanced = true;
        }
    }
    if (result == CUDA_SUCCESS && (*clone)->count < graph->count)
        result = CUDA_ERROR_INVALID_VALUE; /* a cycle */
    if (result != CUDA_SUCCESS) {
        graph_destroy(*clone);
        *clone = NULL;
    }
    return result;
}
