/* SPDX-License-Identifier: MIT */
/* multiply.c: runs both kernels of matmul.fatbin from C.
 *
 *     ./multiply [size [launches [fatbin]]]       by default 512 20 matmul.fatbin
 *
 * Prints a line for each kernel; a failure, a wrong product, or a kernel that was built with -G is a
 * line on stderr and exit status 1. */
#include <stdio.h>
#include <stdlib.h>

#include <isomat.h>

#define MAX_LAUNCHES 10000

static const struct {
    const char *name;
    int tile; /* rows and columns that a block makes */
    int block_x, block_y;
} kernels[] = {
    {"matmul_tiled", 32, 32, 32},
    {"matmul_registers", 128, 256, 1},
};

struct gpu {
    isomat_context context;
    isomat_module module;
    uint64_t a, b, c; /* device addresses */
    int n;
    int launches;
};

static void fail(const char *message)
{
    fprintf(stderr, "multiply: %s\n", message);
    exit(1);
}

static void check(int32_t status)
{
    if (status != ISOMAT_OK)
        fail(isomat_error_message());
}

/* Multiples of 1/16 from -1 to 1: every sum of their products is exact in float32, in any order. */
static float element(int matrix, int i, int j)
{
    return (float)((i * 7 + j * 13 + matrix * 5) % 33 - 16) / 16.0f;
}

static uint64_t upload(const struct gpu *gpu, int matrix)
{
    int64_t bytes = (int64_t)gpu->n * gpu->n * (int64_t)sizeof(float);
    float *data = malloc((size_t)bytes);
    uint64_t address;
    if (!data)
        fail("no memory");
    for (int i = 0; i < gpu->n; i++)
        for (int j = 0; j < gpu->n; j++)
            data[(size_t)i * gpu->n + j] = element(matrix, i, j);
    check(isomat_memory_allocate(&address, bytes, gpu->context, ISOMAT_NONE));
    check(isomat_memory_copy_to_device(address, data, bytes, gpu->context, ISOMAT_NONE));
    free(data);
    return address;
}

/* Compares some elements with dot products made here. */
static void check_product(const struct gpu *gpu)
{
    int n = gpu->n;
    int64_t bytes = (int64_t)n * n * (int64_t)sizeof(float);
    float *c = malloc((size_t)bytes);
    if (!c)
        fail("no memory");
    check(isomat_memory_copy_to_host(c, gpu->c, bytes, gpu->context, ISOMAT_NONE));
    for (int sample = 0; sample < 64; sample++) {
        int i = (int)((sample * 7919LL) % n), j = n - 1 - (int)((sample * 104729LL) % n);
        double sum = 0.0;
        for (int l = 0; l < n; l++)
            sum += (double)element(0, i, l) * element(1, l, j);
        if (c[(size_t)i * n + j] != sum)
            fail("a wrong product");
    }
    free(c);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The median of the launches, in milliseconds on the device's clock. */
static double run(const struct gpu *gpu, isomat_kernel kernel, int index)
{
    static double times[MAX_LAUNCHES];
    const void *arguments[] = {&gpu->a, &gpu->b, &gpu->c, &gpu->n, &gpu->n, &gpu->n};
    uint32_t blocks = (uint32_t)((gpu->n + kernels[index].tile - 1) / kernels[index].tile);
    const isomat_launch launch = {
        .struct_size = sizeof launch,
        .grid_x = blocks,
        .grid_y = blocks,
        .grid_z = 1,
        .block_x = (uint32_t)kernels[index].block_x,
        .block_y = (uint32_t)kernels[index].block_y,
        .block_z = 1,
    };
    isomat_event start, end;
    check(isomat_event_create(&start, gpu->context, 1));
    check(isomat_event_create(&end, gpu->context, 1));
    for (int i = -1; i < gpu->launches; i++) { /* the first is the warm-up */
        check(isomat_event_record(start, ISOMAT_NONE));
        check(isomat_kernel_launch(kernel, &launch, arguments, 6, NULL));
        check(isomat_event_record(end, ISOMAT_NONE));
        check(isomat_event_synchronize(end));
        if (i >= 0)
            check(isomat_event_elapsed(&times[i], start, end));
    }
    check(isomat_event_destroy(end));
    check(isomat_event_destroy(start));
    qsort(times, (size_t)gpu->launches, sizeof *times, compare);
    return times[gpu->launches / 2];
}

/* Exact text that other hosts print, too. */
static void run_kernel(const struct gpu *gpu, int index)
{
    isomat_kernel kernel;
    isomat_kernel_info info = {.struct_size = sizeof info};
    check(isomat_kernel_get(&kernel, gpu->module, kernels[index].name));
    check(isomat_kernel_get_info(&info, kernel));
    if (info.debug)
        fail("the kernels were built with -G: see isomat inspect");
    check(isomat_memory_fill(gpu->c, 0x7fc00000u, 4, (int64_t)gpu->n * gpu->n, gpu->context, ISOMAT_NONE));
    double milliseconds = run(gpu, kernel, index);
    check_product(gpu);
    printf("c: %s, %d x %d, %d registers: %.3f ms\n", kernels[index].name, gpu->n, gpu->n, info.registers,
           milliseconds);
    check(isomat_kernel_destroy(kernel));
}

int main(int argc, char **argv)
{
    struct gpu gpu = {.n = argc > 1 ? atoi(argv[1]) : 512, .launches = argc > 2 ? atoi(argv[2]) : 20};
    if (argc > 4 || gpu.n < 1 || gpu.n > 32768 || gpu.launches < 1 || gpu.launches > MAX_LAUNCHES) {
        fprintf(stderr, "usage: multiply [size [launches [fatbin]]]\n");
        return 2;
    }
    check(isomat_context_create(&gpu.context, 0, ISOMAT_CONTEXT_PRIMARY));
    check(isomat_module_load_file(&gpu.module, gpu.context, argc > 3 ? argv[3] : "matmul.fatbin"));
    gpu.a = upload(&gpu, 0);
    gpu.b = upload(&gpu, 1);
    gpu.c = upload(&gpu, 2);
    for (int i = 0; i < (int)(sizeof kernels / sizeof *kernels); i++)
        run_kernel(&gpu, i);
    check(isomat_memory_free(gpu.c, gpu.context, ISOMAT_NONE));
    check(isomat_memory_free(gpu.b, gpu.context, ISOMAT_NONE));
    check(isomat_memory_free(gpu.a, gpu.context, ISOMAT_NONE));
    check(isomat_module_destroy(gpu.module));
    check(isomat_context_destroy(gpu.context));
    return 0;
}
