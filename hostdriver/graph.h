/* SPDX-License-Identifier: MIT */
/* graph.h: graphs, their nodes, and streams that record into them. */
#ifndef HOSTDRIVER_GRAPH_H
#define HOSTDRIVER_GRAPH_H

#include <pthread.h>

#include "work.h"

/* CUgraphNodeType */
enum node_type {
    NODE_KERNEL,
    NODE_MEMCPY,
    NODE_MEMSET,
    NODE_HOST,
    NODE_GRAPH,
    NODE_EMPTY,
    NODE_WAIT_EVENT,
    NODE_EVENT_RECORD,
    NODE_MEM_ALLOC = 10,
    NODE_MEM_FREE = 11
};

enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };

/* What an allocation node allocated: it lives as long as a graph has the node. */
struct graph_memory {
    uint32_t references;
    CUdeviceptr address;
};

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    enum node_type type;
    bool disabled;           /* in an executable graph */
    uint64_t number, origin; /* origin: of the node that this one was cloned from */
    struct operation operation;
    struct CUgraph_st *child;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    struct graph_memory *memory;
    void **params; /* for cuGraphKernelNodeGetParams */
    struct CUgraphNode_st **behind;
    size_t behind_count;
    bool visited;
};

struct CUgraph_st {
    struct object object;
    struct CUgraphNode_st **nodes;
    size_t count, capacity;
    bool is_child, is_executable; /* belongs to a node, to an executable graph */
};

struct CUgraphExec_st {
    struct object object;
    struct CUgraph_st *graph; /* its nodes in the order in which they run */
    cuuint64_t flags;
};

struct capture {
    struct capture *next;
    struct CUgraph_st *graph;
    const struct CUstream_st *origin;
    pthread_t thread;
    uint32_t mode;
    uint64_t id, first; /* nodes with higher numbers were captured */
    bool spoiled, into_given;
};

CUresult graph_new(struct CUgraph_st **graph);
void graph_destroy(struct CUgraph_st *graph);
uint64_t node_number(void); /* the last one given */
bool graph_valid(const void *handle);
bool node_valid(const struct CUgraphNode_st *node);
/* Adds a node behind others of the graph; the operation is taken. */
CUresult node_add(struct CUgraphNode_st **node, struct CUgraph_st *graph, enum node_type type,
                  struct CUgraphNode_st *const *behind, size_t count, struct operation *operation);
void node_remove(struct CUgraphNode_st *node);
bool node_add_dependency(struct CUgraphNode_st *node, struct CUgraphNode_st *behind);
bool node_remove_dependency(struct CUgraphNode_st *node, const struct CUgraphNode_st *behind);
bool node_is_behind(const struct CUgraphNode_st *node, const struct CUgraphNode_st *other);
CUresult node_alloc(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                    struct CUgraphNode_st *const *behind, size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params);
/* Clones nodes in an order in which each comes behind what it depends on:
 * INVALID_VALUE if there is none. */
CUresult graph_clone(struct CUgraph_st **clone, const struct CUgraph_st *graph);
struct CUgraphNode_st *graph_find_clone(const struct CUgraph_st *graph, uint64_t origin);
/* api_graph.c: the operation of a node of these parameters; on failure it owns nothing. */
CUresult node_operation(struct operation *operation, const CUgraphNodeParams *params);
CUDA_KERNEL_NODE_PARAMS kernel_params_of(const CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUDA_MEMSET_NODE_PARAMS_v2 memset_params_of(const CUDA_MEMSET_NODE_PARAMS *params);
enum node_type node_type_of(const struct operation *operation);

#endif
