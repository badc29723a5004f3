/* SPDX-License-Identifier: MIT */
/* test_api_graph.c: graphs built by hand and captured, what they do, and what a capture forbids. */
#include "hostdriver.h"

#include <pthread.h>

/* add: *p += n.  twice: *p *= 2. */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 n) {\n.reg .b64 %d; .reg .b32 %r<3>;\n"
    "ld.param.u64 %d, [p]; ld.param.u32 %r1, [n]; ld.global.u32 %r2, [%d];\n"
    "add.s32 %r2, %r2, %r1; st.global.u32 [%d], %r2; ret;\n}\n"
    ".visible .entry twice(.param .u64 p) {\n.reg .b64 %d; .reg .b32 %r;\n"
    "ld.param.u64 %d, [p]; ld.global.u32 %r, [%d]; shl.b32 %r, %r, 1;\n"
    "st.global.u32 [%d], %r; ret;\n}\n";

enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED };

static CUcontext context;
static CUmodule module;
static CUfunction add, twice;
static CUdeviceptr word;
static CUstream stream, other;

static uint32_t value(void)
{
    uint32_t result = 0;

    assert_ok(CALL(cuMemcpyDtoH_v2)(&result, word, 4));
    return result;
}

static CUresult launch(CUfunction function, CUstream in, uint32_t n)
{
    return CALL(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, in, (void *[]){&word, &n}, NULL);
}

static CUDA_KERNEL_NODE_PARAMS kernel(CUfunction function, void **parameters)
{
    return (CUDA_KERNEL_NODE_PARAMS){function, 1, 1, 1, 1, 1, 1, 0, parameters, NULL, NULL, NULL};
}

static void run(CUgraphExec exec)
{
    assert_ok(CALL(cuGraphLaunch)(exec, stream));
    assert_ok(CALL(cuStreamSynchronize)(stream));
}

static void count(void *data)
{
    ++*(int *)data;
}

static void test_by_hand(void **state)
{
    CUgraph graph, child, clone;
    CUgraphNode fill, first, second, call, part, found, nodes[8], from[8], to[8];
    CUgraphExec exec;
    uint32_t three = 3, type;
    size_t length = 8;
    int calls = 0;

    (void)state;
    assert_ok(CALL(cuGraphCreate)(&graph, 0));
    assert_ok(CALL(cuGraphCreate)(&child, 0));
    CUDA_MEMSET_NODE_PARAMS zero = {.dst = word, .value = 5, .elementSize = 4, .width = 1, .height = 1};
    assert_ok(CALL(cuGraphAddMemsetNode)(&fill, graph, NULL, 0, &zero, context));
    CUDA_KERNEL_NODE_PARAMS params = kernel(add, (void *[]){&word, &three});
    /* Made in the wrong order: the dependency comes later. */
    assert_ok(CALL(cuGraphAddKernelNode_v2)(&second, graph, NULL, 0, &params));
    params = kernel(twice, (void *[]){&word});
    assert_ok(CALL(cuGraphAddKernelNode_v2)(&first, graph, &fill, 1, &params));
    assert_ok(CALL(cuGraphAddDependencies)(graph, &first, &second, 1));
    assert_result(CALL(cuGraphAddDependencies)(graph, &first, &second, 1), CUDA_ERROR_INVALID_VALUE);
    CUDA_HOST_NODE_PARAMS host = {count, &calls};
    assert_ok(CALL(cuGraphAddHostNode)(&call, child, NULL, 0, &host));
    assert_ok(CALL(cuGraphAddChildGraphNode)(&part, graph, &second, 1, child));
    assert_ok(CALL(cuGraphDestroy)(child)); /* it was cloned */

    assert_ok(CALL(cuGraphGetNodes)(graph, NULL, &length));
    assert_int_equal(length, 4);
    length = 8;
    assert_ok(CALL(cuGraphGetEdges)(graph, from, to, &length));
    assert_int_equal(length, 3);
    length = 8;
    assert_ok(CALL(cuGraphGetRootNodes)(graph, nodes, &length));
    assert_int_equal(length, 1);
    assert_ptr_equal(nodes[0], fill);
    assert_null(nodes[1]);
    length = 8;
    assert_ok(CALL(cuGraphNodeGetDependentNodes)(first, nodes, &length));
    assert_int_equal(length, 1);
    assert_ptr_equal(nodes[0], second);
    assert_ok(CALL(cuGraphNodeGetType)(part, &type));
    assert_int_equal(type, 4);
    assert_ok(CALL(cuGraphKernelNodeGetParams_v2)(second, &params));
    assert_ptr_equal(params.func, add);
    assert_int_equal(*(uint32_t *)params.kernelParams[1], 3);
    assert_ok(CALL(cuGraphClone)(&clone, graph));
    assert_ok(CALL(cuGraphNodeFindInClone)(&found, second, clone));
    assert_true(found != NULL && found != second);
    assert_result(CALL(cuGraphNodeFindInClone)(&found, found, graph), CUDA_ERROR_INVALID_VALUE);

    assert_ok(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0));
    run(exec);
    assert_int_equal(value(), 13);
    assert_int_equal(calls, 1);
    /* In the executable graph alone. */
    three = 30;
    params = kernel(add, (void *[]){&word, &three});
    assert_ok(CALL(cuGraphExecKernelNodeSetParams_v2)(exec, second, &params));
    run(exec);
    assert_int_equal(value(), 40);
    assert_ok(CALL(cuGraphNodeSetEnabled)(exec, first, 0));
    run(exec);
    assert_int_equal(value(), 35);
    CUgraphExecUpdateResultInfo info;
    assert_ok(CALL(cuGraphExecUpdate_v2)(exec, clone, &info));
    run(exec);
    assert_int_equal(value(), 13);
    /* It is still known by the nodes of the graph that it was made from. */
    assert_ok(CALL(cuGraphExecKernelNodeSetParams_v2)(exec, second, &params));
    run(exec);
    assert_int_equal(value(), 40);
    assert_ok(CALL(cuGraphDestroyNode)(second));
    assert_result(CALL(cuGraphNodeGetType)(second, &type), CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuGraphExecUpdate_v2)(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_int_equal(info.result, 2);
    assert_ok(CALL(cuGraphAddDependencies)(graph, &part, &fill, 1));
    assert_ok(CALL(cuGraphAddDependencies)(graph, &fill, &part, 1));
    CUgraphExec none;
    assert_result(CALL(cuGraphInstantiateWithFlags)(&none, graph, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuGraphDestroy)(graph));
    assert_ok(CALL(cuGraphDestroy)(clone));
    run(exec); /* lives on */
    assert_ok(CALL(cuGraphExecDestroy)(exec));
    assert_result(CALL(cuGraphLaunch)(exec, stream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(calls, 6);
}

static void test_bad_nodes(void **state)
{
    CUgraph graph;
    CUgraphNode node;
    uint32_t n = 1;

    (void)state;
    assert_ok(CALL(cuGraphCreate)(&graph, 0));
    CUDA_KERNEL_NODE_PARAMS params = kernel(add, (void *[]){&word, &n});
    params.blockDimX = 2000;
    assert_result(CALL(cuGraphAddKernelNode_v2)(&node, graph, NULL, 0, &params), CUDA_ERROR_INVALID_VALUE);
    params.func = (CUfunction)(void *)&n;
    assert_result(CALL(cuGraphAddKernelNode_v2)(&node, graph, NULL, 0, &params), CUDA_ERROR_INVALID_HANDLE);
    node = (CUgraphNode)(void *)&n;
    assert_result(CALL(cuGraphAddEmptyNode)(&node, graph, &node, 1), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMSET_NODE_PARAMS wild = {.dst = 16, .elementSize = 4, .width = 1, .height = 1};
    assert_result(CALL(cuGraphAddMemsetNode)(&node, graph, NULL, 0, &wild, context),
                  CUDA_ERROR_INVALID_VALUE);
    assert_result(CALL(cuGraphCreate)(&graph, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(CALL(cuGraphDestroy)(graph));
    assert_result(CALL(cuGraphDestroy)(graph), CUDA_ERROR_INVALID_VALUE);
}

/* Fork to another stream and join it; copies, fills, memory, host functions. */
static void test_capture(void **state)
{
    CUgraph graph;
    CUgraphExec exec;
    CUevent forked, joined;
    CUdeviceptr scratch;
    CUgraphNode nodes[16];
    size_t length = 16;
    uint32_t status, host_word = 7, out = 0;
    int calls = 0;

    (void)state;
    assert_ok(CALL(cuEventCreate)(&forked, CU_EVENT_DISABLE_TIMING));
    assert_ok(CALL(cuEventCreate)(&joined, CU_EVENT_DISABLE_TIMING));
    assert_ok(CALL(cuMemsetD32_v2)(word, 100, 1));
    assert_ok(CALL(cuStreamBeginCapture_v2)(stream, MODE_GLOBAL));
    assert_result(CALL(cuStreamBeginCapture_v2)(stream, MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
    assert_ok(CALL(cuStreamIsCapturing)(stream, &status));
    assert_int_equal(status, 1);
    assert_ok(CALL(cuMemcpyHtoDAsync_v2)(word, &host_word, 4, stream));
    assert_ok(CALL(cuEventRecord)(forked, stream));
    assert_ok(CALL(cuStreamWaitEvent)(other, forked, 0));
    assert_ok(launch(twice, other, 0));
    assert_ok(CALL(cuEventRecord)(joined, other));
    assert_ok(CALL(cuLaunchHostFunc)(stream, count, &calls));
    assert_result(CALL(cuEventQuery)(joined), CUDA_ERROR_CAPTURED_EVENT);
    cuuint64_t id = 0;
    assert_ok(CALL(cuStreamGetCaptureInfo_v2)(other, &status, &id, NULL, NULL, NULL));
    assert_true(status == 1 && id != 0);
    assert_ok(CALL(cuStreamWaitEvent)(stream, joined, 0));
    assert_ok(CALL(cuMemAllocAsync)(&scratch, 64, stream));
    assert_ok(CALL(cuMemcpyDtoDAsync_v2)(scratch, word, 4, stream));
    assert_ok(launch(add, stream, 1));
    assert_ok(CALL(cuMemcpyDtoHAsync_v2)(&out, scratch, 4, stream));
    assert_ok(CALL(cuMemFreeAsync)(scratch, stream));
    assert_ok(CALL(cuStreamEndCapture)(stream, &graph));
    assert_int_equal(value(), 100); /* nothing has run */
    assert_int_equal(calls, 0);
    assert_ok(CALL(cuStreamIsCapturing)(other, &status));
    assert_int_equal(status, 0);
    assert_ok(CALL(cuGraphGetNodes)(graph, nodes, &length));
    assert_int_equal(length, 8);
    assert_ok(CALL(cuGraphInstantiateWithFlags)(&exec, graph, 0));
    assert_ok(CALL(cuGraphDestroy)(graph));
    for (int i = 1; i <= 3; i++) {
        host_word = (uint32_t)(10 * i); /* is read when the graph runs */
        run(exec);
        assert_int_equal(out, 20 * i);
        assert_int_equal(value(), 20 * i + 1);
        assert_int_equal(calls, i);
    }
    assert_ok(CALL(cuGraphExecDestroy)(exec));
    assert_ok(CALL(cuEventDestroy_v2)(forked));
    assert_ok(CALL(cuEventDestroy_v2)(joined));
}

/* A graph launched in a capture is a part of what is captured. */
static void test_capture_of_a_graph(void **state)
{
    CUgraph inner, outer;
    CUgraphExec inner_exec, outer_exec;

    (void)state;
    assert_ok(CALL(cuStreamBeginCapture_v2)(stream, MODE_RELAXED));
    assert_ok(launch(add, stream, 2));
    assert_ok(CALL(cuStreamEndCapture)(stream, &inner));
    assert_ok(CALL(cuGraphInstantiate_v2)(&inner_exec, inner, NULL, NULL, 0));
    assert_ok(CALL(cuStreamBeginCapture_v2)(stream, MODE_RELAXED));
    assert_ok(CALL(cuGraphLaunch)(inner_exec, stream));
    assert_ok(launch(twice, stream, 0));
    assert_ok(CALL(cuStreamEndCapture)(stream, &outer));
    assert_ok(CALL(cuGraphInstantiate_v2)(&outer_exec, outer, NULL, NULL, 0));
    assert_ok(CALL(cuGraphDestroy)(inner));
    assert_ok(CALL(cuGraphExecDestroy)(inner_exec));
    assert_ok(CALL(cuMemsetD32_v2)(word, 1, 1));
    run(outer_exec);
    assert_int_equal(value(), 6);
    assert_ok(CALL(cuGraphDestroy)(outer));
    assert_ok(CALL(cuGraphExecDestroy)(outer_exec));
}

static CUgraph graph_after(CUresult expected)
{
    CUgraph graph = (CUgraph)(void *)&graph;

    assert_result(CALL(cuStreamEndCapture)(stream, &graph), expected);
    return graph;
}

static void begin(uint32_t mode)
{
    assert_ok(CALL(cuStreamBeginCapture_v2)(stream, mode));
    assert_ok(launch(add, stream, 1));
}

static void test_what_a_capture_forbids(void **state)
{
    CUdeviceptr pointer;
    CUevent event;
    CUstream blocking;
    uint32_t mode = MODE_RELAXED, status;
    CUgraph graph;

    (void)state;
    assert_result(CALL(cuStreamBeginCapture_v2)(NULL, MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_result(CALL(cuStreamEndCapture)(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
    assert_ok(CALL(cuEventCreate)(&event, 0));

    begin(MODE_GLOBAL);
    assert_result(CALL(cuStreamSynchronize)(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_ok(CALL(cuStreamIsCapturing)(stream, &status));
    assert_int_equal(status, 2);
    assert_result(launch(add, stream, 1), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_null(graph_after(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    begin(MODE_GLOBAL);
    assert_result(CALL(cuMemAlloc_v2)(&pointer, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_null(graph_after(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
    begin(MODE_RELAXED);
    assert_ok(CALL(cuMemAlloc_v2)(&pointer, 4));
    assert_ok(CALL(cuGraphDestroy)(graph_after(CUDA_SUCCESS)));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    begin(MODE_GLOBAL);
    assert_ok(CALL(cuThreadExchangeStreamCaptureMode)(&mode));
    assert_int_equal(mode, MODE_GLOBAL);
    assert_ok(CALL(cuMemAlloc_v2)(&pointer, 4));
    assert_ok(CALL(cuThreadExchangeStreamCaptureMode)(&mode));
    assert_ok(CALL(cuGraphDestroy)(graph_after(CUDA_SUCCESS)));
    assert_ok(CALL(cuMemFree_v2)(pointer));

    /* Never joined. */
    begin(MODE_GLOBAL);
    assert_ok(CALL(cuEventRecord)(event, stream));
    assert_ok(CALL(cuStreamWaitEvent)(other, event, 0));
    assert_ok(launch(add, other, 1));
    assert_result(CALL(cuStreamEndCapture)(other, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    assert_null(graph_after(CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
    assert_ok(CALL(cuStreamSynchronize)(other));

    /* An event from outside. */
    assert_ok(CALL(cuEventRecord)(event, other));
    begin(MODE_GLOBAL);
    assert_result(CALL(cuStreamWaitEvent)(stream, event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    assert_null(graph_after(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

    /* The legacy stream would wait for a blocking one that captures. */
    assert_ok(CALL(cuStreamCreate)(&blocking, 0));
    assert_ok(CALL(cuStreamBeginCapture_v2)(blocking, MODE_RELAXED));
    assert_result(launch(add, NULL, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_result(CALL(cuStreamEndCapture)(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    /* Destroyed while it captures: all of it goes. */
    assert_ok(CALL(cuStreamBeginCapture_v2)(blocking, MODE_RELAXED));
    assert_ok(CALL(cuStreamDestroy_v2)(blocking));
    assert_ok(CALL(cuEventDestroy_v2)(event));
}

static void *end_elsewhere(void *result)
{
    CUgraph graph;

    *(CUresult *)result = CALL(cuStreamEndCapture)(stream, &graph);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t thread;
    CUresult result;

    (void)state;
    begin(MODE_THREAD_LOCAL);
    pthread_create(&thread, NULL, end_elsewhere, &result);
    pthread_join(thread, NULL);
    assert_result(result, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    assert_ok(CALL(cuGraphDestroy)(graph_after(CUDA_SUCCESS)));
}

static int set_up(void **state)
{
    (void)state;
    context = hostdriver_context();
    module = hostdriver_load(ptx);
    add = hostdriver_function(module, "add");
    twice = hostdriver_function(module, "twice");
    word = hostdriver_copy(NULL, 4);
    assert_ok(CALL(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
    assert_ok(CALL(cuStreamCreate)(&other, CU_STREAM_NON_BLOCKING));
    return 0;
}

/* Graphs are no context's: what is left is the test's. */
static int tear_down(void **state)
{
    (void)state;
    assert_ok(CALL(cuCtxDestroy_v2)(context));
    assert_int_equal(CALL(isomat_hostdriver_live_objects)(), 0);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_by_hand),
        TEST(test_bad_nodes),
        TEST(test_capture),
        TEST(test_capture_of_a_graph),
        TEST(test_what_a_capture_forbids),
        TEST(test_threads),
    };

    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
