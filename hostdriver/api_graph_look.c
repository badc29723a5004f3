/* SPDX-License-Identifier: MIT */
/* api_graph_look.c: the nodes and edges of a graph. */
#include "graph.h"

/* Lists are asked for with NULL for their length, then with room: what is
 * left of the room is filled with NULL. */
struct list {
    CUgraphNode *first, *second;
    CUgraphEdgeData *edges;
    size_t room, length;
};

static void put(struct list *list, CUgraphNode first, CUgraphNode second)
{
    if (list->length < list->room) {
        if (list->first != NULL)
            list->first[list->length] = first;
        if (list->second != NULL)
            list->second[list->length] = second;
        if (list->edges != NULL)
            list->edges[list->length] = (CUgraphEdgeData){0};
    }
    list->length++;
}

static struct list begin(CUgraphNode *first, CUgraphNode *second, CUgraphEdgeData *edges, const size_t *count)
{
    return (struct list){first, second, edges, first == NULL && second == NULL ? 0 : *count, 0};
}

static CUresult end(const struct list *list, size_t *count)
{
    size_t length = list->length;

    for (size_t i = length; i < list->room; i++) {
        if (list->first != NULL)
            list->first[i] = NULL;
        if (list->second != NULL)
            list->second[i] = NULL;
    }
    *count = list->room > 0 && list->room < length ? list->room : length;
    return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    API(cuGraphGetNodes, NEEDS_INIT);
    if (!graph_valid(graph) || count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct list list = begin(nodes, NULL, NULL, count);
    for (size_t i = 0; i < graph->count; i++)
        put(&list, graph->nodes[i], NULL);
    return end(&list, count);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    API(cuGraphGetRootNodes, NEEDS_INIT);
    if (!graph_valid(graph) || count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct list list = begin(nodes, NULL, NULL, count);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->behind_count == 0)
            put(&list, graph->nodes[i], NULL);
    return end(&list, count);
}

static CUresult edges_of(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
                         size_t *count)
{
    if (!graph_valid(graph) || count == NULL || (from == NULL) != (to == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    struct list list = begin(from, to, edges, count);
    for (size_t i = 0; i < graph->count; i++)
        for (size_t j = 0; j < graph->nodes[i]->behind_count; j++)
            put(&list, graph->nodes[i]->behind[j], graph->nodes[i]);
    return end(&list, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    API(cuGraphGetEdges, NEEDS_INIT);
    return edges_of(graph, from, to, NULL, count);
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
                            size_t *count)
{
    API(cuGraphGetEdges_v2, NEEDS_INIT);
    return edges_of(graph, from, to, edges, count);
}

static CUresult dependencies(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)
{
    if (!node_valid(node) || count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct list list = begin(nodes, NULL, edges, count);
    for (size_t i = 0; i < node->behind_count; i++)
        put(&list, node->behind[i], NULL);
    return end(&list, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    API(cuGraphNodeGetDependencies, NEEDS_INIT);
    return dependencies(node, nodes, NULL, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges,
                                       size_t *count)
{
    API(cuGraphNodeGetDependencies_v2, NEEDS_INIT);
    return dependencies(node, nodes, edges, count);
}

static CUresult dependents(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)
{
    if (!node_valid(node) || count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct list list = begin(nodes, NULL, edges, count);
    for (size_t i = 0; i < node->graph->count; i++)
        if (node_is_behind(node->graph->nodes[i], node))
            put(&list, node->graph->nodes[i], NULL);
    return end(&list, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    API(cuGraphNodeGetDependentNodes, NEEDS_INIT);
    return dependents(node, nodes, NULL, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges,
                                         size_t *count)
{
    API(cuGraphNodeGetDependentNodes_v2, NEEDS_INIT);
    return dependents(node, nodes, edges, count);
}

CUresult cuGraphNodeGetType(CUgraphNode node, uint32_t *type)
{
    API(cuGraphNodeGetType, NEEDS_INIT);
    if (!node_valid(node) || type == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *type = node->type;
    return CUDA_SUCCESS;
}
