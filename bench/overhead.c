/* SPDX-License-Identifier: MIT */
/* overhead.c: what a call of isomat costs above the driver call inside it.
 *
 *   overhead [--calls N]
 *
 * Measures, interleaved in rounds, and prints the medians in microseconds:
 *   - cuLaunchKernel of an empty kernel, and isomat_kernel_launch of the same;
 *   - cuMemAllocAsync and cuMemFreeAsync of 64 MiB, and a 64 MiB matrix created
 *     and destroyed.
 * Submission alone is timed: each round ends with a synchronisation that is not. */
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

static const char empty_ptx[] = ".version 6.3\n"
                                ".target sm_75\n"
                                ".address_size 64\n"
                                ".visible .entry empty()\n"
                                "{\n"
                                "    ret;\n"
                                "}\n";

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

static void open_driver(void)
{
    isomat_driver_info info = {.struct_size = sizeof info};
    check("driver", isomat_driver_get_info(&info));
    void *library = dlopen(info.path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail("driver", dlerror());
    const struct {
        void *pointer;
        const char *name;
    } symbols[] = {
        {&cu.push, "cuCtxPushCurrent_v2"},       {&cu.pop, "cuCtxPopCurrent_v2"},
        {&cu.load, "cuModuleLoadData"},          {&cu.get, "cuModuleGetFunction"},
        {&cu.unload, "cuModuleUnload"},          {&cu.launch, "cuLaunchKernel"},
        {&cu.allocate, "cuMemAllocAsync"},       {&cu.free, "cuMemFreeAsync"},
        {&cu.pool, "cuDeviceGetDefaultMemPool"}, {&cu.set_pool, "cuMemPoolSetAttribute"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address)
            fail("driver has no", symbols[i].name);
        memcpy(symbols[i].pointer, &address, sizeof address);
    }
}

struct bench {
    isomat_context context;
    void *cu_context;
    void *cu_stream;
    isomat_kernel kernel;
    void *function;
    int calls;
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
    pair(&bench, "create and destroy 64 MiB", bare_allocations, isomat_matrices, 1);
    pair(&bench, "create and destroy 64 MiB", bare_allocations, isomat_matrices, 0);

    isomat_kernel_destroy(bench.kernel);
    isomat_module_destroy(module);
    cu.push(bench.cu_context);
    cu.unload(cu_module);
    cu.pop(&popped);
    isomat_context_destroy(bench.context);
    return 0;
}
