/* SPDX-License-Identifier: MIT */
/* overhead.c: the host's time per call of an empty kernel's launch and of a small product.
 *
 *     overhead [calls]        by default 100000
 *
 * Medians over batches of calls; what is submitted in a batch is waited for outside the time. */
#include <isomat.h>
#include <stdio.h>
#include <stdlib.h>

#include "support.h"

#define MOST_CALLS 100000000
#define BATCH 500 /* calls; few enough that the driver's queue does not fill up */
#define SIZE 64

static const char empty_ptx[] = ".version 7.0\n"
                                ".target sm_75\n"
                                ".address_size 64\n"
                                ".visible .entry empty() { ret; }\n";

struct gpu {
    isomat_context context;
    isomat_module module;
    isomat_kernel empty;
    isomat_matrix a;
    isomat_matrix b;
    isomat_matrix c;
};

static void check(int32_t status)
{
    if (status != ISOMAT_OK)
        fail(isomat_error_message());
}

static isomat_matrix random_matrix(isomat_context context, uint64_t seed)
{
    float data[SIZE * SIZE];
    isomat_matrix matrix;
    fill_random(data, SIZE * SIZE, seed);
    check(isomat_matrix_from_host(&matrix, context, data, SIZE, SIZE, SIZE, ISOMAT_TYPE_F32, ISOMAT_NONE));
    return matrix;
}

static void set_up(struct gpu *gpu)
{
    check(isomat_context_create(&gpu->context, 0, ISOMAT_CONTEXT_PRIMARY));
    check(isomat_module_load_data(&gpu->module, gpu->context, empty_ptx, sizeof empty_ptx - 1));
    check(isomat_kernel_get(&gpu->empty, gpu->module, "empty"));
    gpu->a = random_matrix(gpu->context, 1);
    gpu->b = random_matrix(gpu->context, 2);
    check(isomat_matrix_create(&gpu->c, gpu->context, SIZE, SIZE, ISOMAT_TYPE_F32, ISOMAT_NONE));
}

static void tear_down(const struct gpu *gpu)
{
    check(isomat_matrix_destroy(gpu->c));
    check(isomat_matrix_destroy(gpu->b));
    check(isomat_matrix_destroy(gpu->a));
    check(isomat_kernel_destroy(gpu->empty));
    check(isomat_module_destroy(gpu->module));
    check(isomat_context_destroy(gpu->context));
}

static void launch_empty(struct gpu *gpu)
{
    isomat_launch launch = {
        .struct_size = sizeof launch,
        .grid_x = 1,
        .grid_y = 1,
        .grid_z = 1,
        .block_x = 1,
        .block_y = 1,
        .block_z = 1,
    };
    check(isomat_kernel_launch(gpu->empty, &launch, NULL, 0, NULL));
}

static void multiply(struct gpu *gpu)
{
    check(isomat_gemm(&gpu->c, 1.0, gpu->a, ISOMAT_OP_N, gpu->b, ISOMAT_OP_N, 0.0, ISOMAT_COMPUTE_F32,
                      ISOMAT_NONE));
}

/* Nanoseconds per call. */
static double measure(struct gpu *gpu, void (*call)(struct gpu *gpu), int calls)
{
    int batch = calls < BATCH ? calls : BATCH;
    int batches = (calls + batch - 1) / batch;
    double *ns = calloc((size_t)batches, sizeof *ns);
    if (!ns)
        fail("no host memory left");
    for (int i = -1; i < batches; i++) { /* the first is the warm-up */
        double began = clock_ms();
        for (int j = 0; j < batch; j++)
            call(gpu);
        double ended = clock_ms();
        check(isomat_context_synchronize(gpu->context));
        if (i >= 0)
            ns[i] = (ended - began) * 1e6 / batch;
    }
    double result = median(ns, batches);
    free(ns);
    return result;
}

int main(int argc, char **argv)
{
    struct gpu gpu;
    start("overhead", "[calls]", argc - 1, 1);
    int calls = argc > 1 ? parse(argv[1], MOST_CALLS) : 100000;
    set_up(&gpu);
    double launch_ns = measure(&gpu, launch_empty, calls);
    double product_ns = measure(&gpu, multiply, calls);
    tear_down(&gpu);
    printf("c: %d calls: empty launch %.0f ns, 64 x 64 product %.0f ns\n", calls, launch_ns, product_ns);
    return 0;
}
