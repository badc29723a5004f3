/* SPDX-License-Identifier: MIT */
/* matmul_isomat.c: through the driver API, by isomat, with the kernels from a fatbin: the file that
 * MATMUL_FATBIN names. */
#include <stdlib.h>
#include <time.h>

#include <isomat.h>

#include "matmul_run.h"

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        if ((call) != ISOMAT_OK)                                                                             \
            return isomat_error_message();                                                                   \
    } while (0)

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

struct on {
    isomat_context context;
    isomat_kernel kernels[2];
    uint64_t a, b, c;
    int n;
};

static const char *launch(const struct on *on, int index)
{
    const void *arguments[] = {&on->a, &on->b, &on->c, &on->n, &on->n, &on->n};
    uint32_t tile = index ? 128 : 32, blocks = ((uint32_t)on->n + tile - 1) / tile;
    const isomat_launch launch = {
        .struct_size = sizeof launch,
        .grid_x = blocks,
        .grid_y = blocks,
        .grid_z = 1,
        .block_x = index ? 256 : 32,
        .block_y = index ? 1 : 32,
        .block_z = 1,
    };
    CHECK(isomat_kernel_launch(on->kernels[index], &launch, arguments, 6, NULL));
    return NULL;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static const char *median_ms(double *median, const struct on *on, int index, int launches)
{
    double times[1000];
    isomat_event start, end;
    CHECK(isomat_event_create(&start, on->context, 1));
    CHECK(isomat_event_create(&end, on->context, 1));
    for (int i = 0; i < launches && i < 1000; i++) {
        CHECK(isomat_event_record(start, ISOMAT_NONE));
        const char *wrong = launch(on, index);
        if (wrong)
            return wrong;
        CHECK(isomat_event_record(end, ISOMAT_NONE));
        CHECK(isomat_event_synchronize(end));
        CHECK(isomat_event_elapsed(&times[i], start, end));
    }
    qsort(times, (size_t)launches, sizeof *times, compare);
    *median = times[launches / 2];
    return NULL;
}

static const char *run(struct on *on, int launches, const float *data, float *product, double *results)
{
    static const char *const names[] = {"matmul_tiled", "matmul_registers"};
    int64_t bytes = (int64_t)on->n * on->n * (int64_t)sizeof(float);
    const char *path = getenv("MATMUL_FATBIN"), *wrong = NULL;
    isomat_kernel_info info = {.struct_size = sizeof info};
    isomat_module module;
    double began = now_ms();
    CHECK(isomat_context_create(&on->context, 0, ISOMAT_CONTEXT_PRIMARY));
    CHECK(isomat_memory_allocate(&on->a, bytes, on->context, ISOMAT_NONE));
    CHECK(isomat_memory_allocate(&on->b, bytes, on->context, ISOMAT_NONE));
    CHECK(isomat_memory_allocate(&on->c, bytes, on->context, ISOMAT_NONE));
    CHECK(isomat_memory_copy_to_device(on->a, data, bytes, on->context, ISOMAT_NONE));
    CHECK(isomat_memory_copy_to_device(on->b, data, bytes, on->context, ISOMAT_NONE));
    double first = now_ms();
    CHECK(isomat_module_load_file(&module, on->context, path ? path : "matmul.fatbin"));
    for (int i = 0; i < 2; i++) {
        CHECK(isomat_kernel_get(&on->kernels[i], module, names[i]));
        CHECK(isomat_kernel_get_info(&info, on->kernels[i]));
        results[RESULT_TILED_COUNT + i] = info.registers;
    }
    wrong = launch(on, 0);
    CHECK(isomat_context_synchronize(on->context));
    results[RESULT_FIRST] = now_ms() - first;
    if (!wrong)
        wrong = median_ms(&results[RESULT_TILED], on, 0, launches);
    if (!wrong)
        wrong = launch(on, 1);
    if (!wrong)
        wrong = median_ms(&results[RESULT_REGISTERS], on, 1, launches);
    CHECK(isomat_memory_copy_to_host(product, on->c, bytes, on->context, ISOMAT_NONE));
    results[RESULT_WHOLE] = now_ms() - began;
    return wrong;
}

const char *matmul_run(int n, int launches, double *results)
{
    size_t count = (size_t)n * (size_t)n;
    float *data = malloc(2 * count * sizeof *data);
    struct on on = {.n = n};
    uint32_t bits = 1;
    if (!data || launches < 1 || launches > 1000)
        return "no memory, or not 1 to 1000 launches";
    for (size_t i = 0; i < count; i++) {
        bits = bits * 1664525u + 1013904223u;
        data[i] = (float)(bits >> 8) * 0x1p-24f - 0.5f;
    }
    return run(&on, launches, data, data + count, results);
}
