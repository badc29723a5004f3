/* SPDX-License-Identifier: MIT */
/* overhead.c: what a call of isomat costs above the driver call inside it.
 *
 *   overhead [--calls N]
 *
 * Measures, interleaved in rounds, and prints the medians in microseconds:
 *   - cuLaunchKernel of an empty kernel, and isomat_kernel_launch of the same;
 *   - isomat_gemm of small matrices, and cuLaunchKernel of the same kernel with the same arguments;
 *   - cuMemAllocAsync and cuMemFreeAsync of 64 MiB, and a 64 MiB matrix created
 *     and destroyed.
 * Submission alone is timed: each round ends with a synchronisation that is not.
 *
 * Then a loop of 100 products of n x n x n from the first submission to the end of the last, by calls and by
 * a graph (isomat_graph_launch), and cuBLAS's likewise if ISOMAT_CUBLAS is the path of it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isomat.h"

#define ROUNDS 25
#define MATRIX_ROWS 4096
#define MATRIX_COLS 4096 /* 64 MiB of float32 */

#define LOOP 100

/* Column-major SGEMM and what it needs, by cuBLAS. */
static struct {
    int (*create)(void **);
    int (*set_stream)(void *, void *);
    int (*sgemm)(void *, int, int, int, int, int, const float *, const void *, int, const void *, int,
                 const float *, void *, int);
    int (*destroy)(void *);
    void *handle;
} blas;

static const char empty_ptx[] = ".version 6.3\n"
                                ".target sm_75\n"
                                ".address_size 64\n"
                                ".visible .entry empty()\n"
                                "{\n"
                                "    ret;\n"
                                "}\n";

/* CUDA_KERNEL_NODE_PARAMS_v1 of the driver's. */
struct kernel_node {
    void *function;
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void **parameters;
    void **extra;
};

/* The driver's functions, called as a program without isomat calls them. */
static struct {
    int (*push)(void *);
    int (*pop)(void **);
    int (*load)(void **, const void *);
    int (*get)(void **, void *, const char *);
    int (*unload)(void *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                  void **, void **);
    int (*allocate)(uint64_t *, size_t, void *);
    int (*free)(uint64_t, void *);
    int (*pool)(void **, int);
    int (*set_pool)(void *, int, void *);
    int (*begin_capture)(void *, unsigned);
    int (*end_capture)(void *, void **);
    int (*instantiate)(void **, void *, unsigned long long);
    int (*launch_graph)(void *, void *);
    int (*destroy_graph)(void *);
    int (*get_nodes)(void *, void **, size_t *);
    int (*get_params)(void *, struct kernel_node *);
    int (*destroy_exec)(void *);
} cu;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "overhead: %s: %s\n", what, why);
    exit(1);
}

static void check(const char *what, int32_t status)
{
    if (status != ISOMAT_OK)
        fail(what, isomat_error_message());
}

static void check_cu(const char *what, int result)
{
    if (result != 0)
        fail(what, "the driver call failed");
}

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

struct symbol {
    void *pointer;
    const char *name;
};

static void open_library(const char *path, const struct symbol *symbols, size_t count)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(path, dlerror());
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address)
            fail(path, symbols[i].name);
        memcpy(symbols[i].pointer, &address, sizeof address);
    }
}

static void open_driver(void)
{
    isomat_driver_info info = {.struct_size = sizeof info};
    check("driver", isomat_driver_get_info(&info));
    const struct symbol symbols[] = {
        {&cu.push, "cuCtxPushCurrent_v2"},
        {&cu.pop, "cuCtxPopCurrent_v2"},
        {&cu.load, "cuModuleLoadData"},
        {&cu.get, "cuModuleGetFunction"},
        {&cu.unload, "cuModuleUnload"},
        {&cu.launch, "cuLaunchKernel"},
        {&cu.allocate, "cuMemAllocAsync"},
        {&cu.free, "cuMemFreeAsync"},
        {&cu.pool, "cuDeviceGetDefaultMemPool"},
        {&cu.set_pool, "cuMemPoolSetAttribute"},
        {&cu.begin_capture, "cuStreamBeginCapture_v2"},
        {&cu.end_capture, "cuStreamEndCapture"},
        {&cu.instantiate, "cuGraphInstantiateWithFlags"},
        {&cu.launch_graph, "cuGraphLaunch"},
        {&cu.destroy_graph, "cuGraphDestroy"},
        {&cu.get_nodes, "cuGraphGetNodes"},
        {&cu.get_params, "cuGraphKernelNodeGetParams"},
        {&cu.destroy_exec, "cuGraphExecDestroy"},
    };
    open_library(info.path, symbols, sizeof symbols / sizeof *symbols);
}

static void open_blas(const char *path)
{
    const struct symbol symbols[] = {
        {&blas.create, "cublasCreate_v2"},
        {&blas.set_stream, "cublasSetStream_v2"},
        {&blas.sgemm, "cublasSgemm_v2"},
        {&blas.destroy, "cublasDestroy_v2"},
    };
    open_library(path, symbols, sizeof symbols / sizeof *symbols);
    check_cu("cublasCreate", blas.create(&blas.handle));
}

struct bench {
    isomat_context context;
    void *cu_context;
    void *cu_stream;
    isomat_kernel kernel;
    void *function;
    int calls;
    /* a product */
    isomat_matrix a, b, c;
    int32_t compute;
    struct kernel_node node; /* the launch that it makes */
};

static double bare_launches(const struct bench *bench)
{
    double start = now_us();
    for (int i = 0; i < bench->calls; i++)
        cu.launch(bench->function, 1, 1, 1, 1, 1, 1, 0, bench->cu_stream, NULL, NULL);
    return (now_us() - start) / bench->calls;
}

static double isomat_launches(const struct bench *bench)
{
    const isomat_launch launch = {sizeof launch, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, ISOMAT_NONE};
    double start = now_us();
    for (int i = 0; i < bench->calls; i++)
        isomat_kernel_launch(bench->kernel, &launch, NULL, 0, NULL);
    return (now_us() - start) / bench->calls;
}

/* The very launch that isomat_gemm makes. */
static double bare_launches_of_product(const struct bench *bench)
{
    const struct kernel_node *k = &bench->node;
    double start = now_us();
    for (int i = 0; i < bench->calls; i++)
        cu.launch(k->function, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2],
                  k->shared_bytes, bench->cu_stream, k->parameters, k->extra);
    return (now_us() - start) / bench->calls;
}

static double isomat_products(const struct bench *bench)
{
    isomat_matrix c = bench->c;
    double start = now_us();
    for (int i = 0; i < bench->calls; i++)
        isomat_gemm(&c, 1, bench->a, ISOMAT_OP_N, bench->b, ISOMAT_OP_N, 0, bench->compute, ISOMAT_NONE);
    return (now_us() - start) / bench->calls;
}

static double bare_allocations(const struct bench *bench)
{
    uint64_t pointer;
    double start = now_us();
    for (int i = 0; i < bench->calls; i++) {
        cu.allocate(&pointer, (size_t)MATRIX_ROWS * MATRIX_COLS * sizeof(float), bench->cu_stream);
        cu.free(pointer, bench->cu_stream);
    }
    return (now_us() - start) / bench->calls;
}

static double isomat_matrices(const struct bench *bench)
{
    isomat_matrix matrix;
    double start = now_us();
    for (int i = 0; i < bench->calls; i++) {
        isomat_matrix_create(&matrix, bench->context, MATRIX_ROWS, MATRIX_COLS, ISOMAT_TYPE_F32, ISOMAT_NONE);
        isomat_matrix_destroy(matrix);
    }
    return (now_us() - start) / bench->calls;
}

/* Runs the two alternately and prints their medians. */
static void pair(const struct bench *bench, const char *name, double (*bare)(const struct bench *),
                 double (*ours)(const struct bench *), int context_is_current)
{
    double bare_times[ROUNDS];
    double our_times[ROUNDS];
    void *popped;
    bare(bench);
    ours(bench);
    for (int i = 0; i < ROUNDS; i++) {
        check("synchronize", isomat_context_synchronize(bench->context));
        check_cu("cuCtxPushCurrent", cu.push(bench->cu_context));
        bare_times[i] = bare(bench);
        if (!context_is_current)
            cu.pop(&popped);
        check("synchronize", isomat_context_synchronize(bench->context));
        our_times[i] = ours(bench);
        if (context_is_current)
            cu.pop(&popped);
    }
    double b = median(bare_times);
    double o = median(our_times);
    printf("%-34s %-12s driver %7.3f us  isomat %7.3f us  above %6.3f us\n", name,
           context_is_current ? "current" : "not current", b, o, o - b);
}

static void make_operands(struct bench *bench, int64_t n, int32_t compute)
{
    int32_t type = compute == ISOMAT_COMPUTE_F64 ? ISOMAT_TYPE_F64 : ISOMAT_TYPE_F32;
    isomat_matrix *const matrices[] = {&bench->a, &bench->b, &bench->c};
    bench->compute = compute;
    for (int i = 0; i < 3; i++) {
        check("matrix", isomat_matrix_create(matrices[i], bench->context, n, n, type, ISOMAT_NONE));
        check("matrix", isomat_matrix_fill(*matrices[i], 1.0 / 3, ISOMAT_NONE));
    }
}

static void destroy_operands(const struct bench *bench)
{
    isomat_matrix_destroy(bench->a);
    isomat_matrix_destroy(bench->b);
    isomat_matrix_destroy(bench->c);
}

/* Has the driver capture a product, and takes its launch from the node; the graph must stay meanwhile. */
static void *find_launch(struct bench *bench)
{
    isomat_stream stream;
    isomat_matrix c = bench->c;
    uint64_t native;
    void *graph, *node, *popped;
    size_t count = 1;
    check("stream", isomat_stream_create(&stream, bench->context, 0));
    check("stream", isomat_stream_get_native(&native, stream));
    check_cu("cuCtxPushCurrent", cu.push(bench->cu_context));
    for (int captured = 0; captured < 2; captured++) { /* the first makes the stream wait for the matrices */
        if (captured)
            check_cu("cuStreamBeginCapture", cu.begin_capture((void *)(uintptr_t)native, 2));
        check("product",
              isomat_gemm(&c, 1, bench->a, ISOMAT_OP_N, bench->b, ISOMAT_OP_N, 0, bench->compute, stream));
    }
    check_cu("cuStreamEndCapture", cu.end_capture((void *)(uintptr_t)native, &graph));
    check_cu("cuGraphGetNodes", cu.get_nodes(graph, &node, &count));
    check_cu("cuGraphKernelNodeGetParams", cu.get_params(node, &bench->node));
    if (count != 1)
        fail("product", "it is not one launch");
    cu.pop(&popped);
    isomat_stream_destroy(stream);
    return graph;
}

static void products(struct bench *bench)
{
    static const struct {
        const char *name;
        int64_t n;
        int32_t compute;
    } cases[] = {
        {"product of 64, strict", 64, ISOMAT_COMPUTE_F32_STRICT},
        {"product of 64, float32", 64, ISOMAT_COMPUTE_F32},
        {"product of 8, strict", 8, ISOMAT_COMPUTE_F32_STRICT},
        {"product of 64, float64", 64, ISOMAT_COMPUTE_F64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_operands(bench, cases[i].n, cases[i].compute);
        void *graph = find_launch(bench);
        pair(bench, cases[i].name, bare_launches_of_product, isomat_products, 1);
        cu.destroy_graph(graph);
        destroy_operands(bench);
    }
}

/* ------------------------------------------------------------------- graphs */

/* What a loop is submitted to, and with what. */
struct loop {
    const struct bench *bench;
    isomat_graph graph;
    void *exec; /* cuBLAS's graph */
    uint64_t a, b, c;
    int n;
};

static void by_calls(const struct loop *loop)
{
    isomat_matrix c = loop->bench->c;
    for (int i = 0; i < LOOP; i++)
        isomat_gemm(&c, 1, loop->bench->a, ISOMAT_OP_N, loop->bench->b, ISOMAT_OP_N, 0, loop->bench->compute,
                    ISOMAT_NONE);
}

static void by_graph(const struct loop *loop)
{
    isomat_graph_launch(loop->graph, ISOMAT_NONE);
}

static void by_blas(const struct loop *loop)
{
    static const float one = 1;
    static const float zero = 0;
    int n = loop->n;
    for (int i = 0; i < LOOP; i++)
        blas.sgemm(blas.handle, 0, 0, n, n, n, &one, (void *)(uintptr_t)loop->b, n,
                   (void *)(uintptr_t)loop->a, n, &zero, (void *)(uintptr_t)loop->c, n);
}

static void by_blas_graph(const struct loop *loop)
{
    cu.launch_graph(loop->exec, loop->bench->cu_stream);
}

/* Each way alternately, from the first submission to the end of the last product; medians. */
static void time_loops(const struct loop *loop, const char *mode)
{
    void (*const ways[])(const struct loop *) = {by_calls, by_graph, by_blas, by_blas_graph};
    static const char *const names[] = {"calls", "graph", "cuBLAS calls", "cuBLAS graph"};
    int count = blas.handle ? 4 : 2;
    double times[4][ROUNDS];
    for (int round = -2; round < ROUNDS; round++) {
        for (int way = 0; way < count; way++) {
            check("synchronize", isomat_context_synchronize(loop->bench->context));
            double start = now_us();
            ways[way](loop);
            check("synchronize", isomat_context_synchronize(loop->bench->context));
            times[way][round < 0 ? 0 : round] = (now_us() - start) / LOOP;
        }
    }
    printf("%d products of %d, %-8s us each:", LOOP, loop->n, mode);
    for (int way = 0; way < count; way++)
        printf("  %s %.3f", names[way], median(times[way]));
    printf("\n");
}

static void capture_blas(struct loop *loop)
{
    void *graph;
    check_cu("cuStreamBeginCapture", cu.begin_capture(loop->bench->cu_stream, 2));
    by_blas(loop);
    check_cu("cuStreamEndCapture", cu.end_capture(loop->bench->cu_stream, &graph));
    check_cu("cuGraphInstantiate", cu.instantiate(&loop->exec, graph, 0));
    cu.destroy_graph(graph);
}

static void loops(struct bench *bench)
{
    static const struct {
        const char *name;
        int32_t compute;
    } modes[] = {{"strict", ISOMAT_COMPUTE_F32_STRICT}, {"float32", ISOMAT_COMPUTE_F32}};
    static const int sizes[] = {64, 256, 1024};
    const char *path = getenv("ISOMAT_CUBLAS");
    void *popped;
    check_cu("cuCtxPushCurrent", cu.push(bench->cu_context));
    if (path && *path) {
        open_blas(path);
        check_cu("cublasSetStream", blas.set_stream(blas.handle, bench->cu_stream));
    }
    for (size_t i = 0; i < 6; i++) {
        struct loop loop = {.bench = bench, .n = sizes[i / 2]};
        if (bench->calls < LOOP && loop.n > 64)
            continue; /* a short run */
        make_operands(bench, loop.n, modes[i % 2].compute);
        by_calls(&loop);
        check("graph", isomat_graph_begin(bench->context, ISOMAT_NONE));
        by_calls(&loop);
        check("graph", isomat_graph_end(&loop.graph, bench->context, ISOMAT_NONE));
        check("pointer", isomat_matrix_get_pointer(&loop.c, bench->c));
        if (blas.handle) { /* of other matrices: an address that is known ends keeping */
            struct bench other = *bench;
            make_operands(&other, loop.n, modes[i % 2].compute);
            check("pointer", isomat_matrix_get_pointer(&loop.a, other.a));
            check("pointer", isomat_matrix_get_pointer(&loop.b, other.b));
            by_blas(&loop);
            capture_blas(&loop);
            time_loops(&loop, modes[i % 2].name);
            cu.destroy_exec(loop.exec);
            destroy_operands(&other);
        } else {
            time_loops(&loop, modes[i % 2].name);
        }
        isomat_graph_destroy(loop.graph);
        destroy_operands(bench);
    }
    if (blas.handle)
        blas.destroy(blas.handle);
    cu.pop(&popped);
}

int main(int argc, char **argv)
{
    struct bench bench = {.calls = 500};
    isomat_context_info info = {.struct_size = sizeof info};
    isomat_module module;
    uint64_t keep_all = UINT64_MAX;
    void *pool;
    void *cu_module;
    void *popped;
    if (argc == 3 && strcmp(argv[1], "--calls") == 0)
        bench.calls = atoi(argv[2]);
    if (bench.calls < 1 || (argc != 1 && argc != 3))
        fail("usage", "overhead [--calls N]");

    open_driver();
    check("context", isomat_context_create(&bench.context, 0, ISOMAT_CONTEXT_PRIMARY));
    check("context", isomat_context_get_info(&info, bench.context));
    bench.cu_context = (void *)(uintptr_t)info.cu_context;
    bench.cu_stream = (void *)(uintptr_t)info.cu_stream;
    check("module", isomat_module_load_data(&module, bench.context, empty_ptx, sizeof empty_ptx - 1));
    check("kernel", isomat_kernel_get(&bench.kernel, module, "empty"));

    check_cu("cuCtxPushCurrent", cu.push(bench.cu_context));
    check_cu("cuModuleLoadData", cu.load(&cu_module, empty_ptx));
    check_cu("cuModuleGetFunction", cu.get(&bench.function, cu_module, "empty"));
    check_cu("cuDeviceGetDefaultMemPool", cu.pool(&pool, info.device));
    check_cu("cuMemPoolSetAttribute", cu.set_pool(pool, 4, &keep_all)); /* the release threshold */
    cu.pop(&popped);

    pair(&bench, "launch of an empty kernel", bare_launches, isomat_launches, 1);
    pair(&bench, "launch of an empty kernel", bare_launches, isomat_launches, 0);
    products(&bench);
    pair(&bench, "create and destroy 64 MiB", bare_allocations, isomat_matrices, 1);
    pair(&bench, "create and destroy 64 MiB", bare_allocations, isomat_matrices, 0);
    loops(&bench);

    isomat_kernel_destroy(bench.kernel);
    isomat_module_destroy(module);
    cu.push(bench.cu_context);
    cu.unload(cu_module);
    cu.pop(&popped);
    isomat_context_destroy(bench.context);
    return 0;
}
