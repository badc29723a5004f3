/* SPDX-License-Identifier: MIT */
/* loop.c: multiplies two matrices in a loop and times it, with isomat.h. */
#include <isomat.h>

#include "support.h"

struct gpu {
    isomat_context context;
    isomat_matrix a;
    isomat_matrix b;
    isomat_event start;
    isomat_event end;
};

static void check(int32_t status)
{
    if (status != ISOMAT_OK)
        fail(isomat_error_message());
}

static void set_up(struct gpu *gpu, const struct loop *loop)
{
    int64_t n = loop->size;
    check(isomat_context_create(&gpu->context, 0, ISOMAT_CONTEXT_PRIMARY));
    check(isomat_matrix_from_host(&gpu->a, gpu->context, loop->a, n, n, n, ISOMAT_TYPE_F32, ISOMAT_NONE));
    check(isomat_matrix_from_host(&gpu->b, gpu->context, loop->b, n, n, n, ISOMAT_TYPE_F32, ISOMAT_NONE));
    check(isomat_event_create(&gpu->start, gpu->context, 1));
    check(isomat_event_create(&gpu->end, gpu->context, 1));
}

static isomat_matrix multiply(const struct gpu *gpu)
{
    isomat_matrix c = ISOMAT_NONE; /* isomat_gemm creates it */
    check(
        isomat_gemm(&c, 1.0, gpu->a, ISOMAT_OP_N, gpu->b, ISOMAT_OP_N, 0.0, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    return c;
}

static void tear_down(const struct gpu *gpu)
{
    check(isomat_event_destroy(gpu->end));
    check(isomat_event_destroy(gpu->start));
    check(isomat_matrix_destroy(gpu->b));
    check(isomat_matrix_destroy(gpu->a));
    check(isomat_context_destroy(gpu->context));
}

int main(int argc, char **argv)
{
    struct loop loop;
    struct gpu gpu;
    loop_start(&loop, argc, argv);
    set_up(&gpu, &loop);

    for (int i = -WARM_UP; i < loop.iterations; i++) {
        double device_ms;
        double began = clock_ms();
        check(isomat_event_record(gpu.start, ISOMAT_NONE));
        isomat_matrix c = multiply(&gpu);
        check(isomat_event_record(gpu.end, ISOMAT_NONE));
        check(isomat_context_synchronize(gpu.context));
        check(isomat_matrix_destroy(c));
        double total_ms = clock_ms() - began;
        check(isomat_event_elapsed(&device_ms, gpu.start, gpu.end));
        loop_record(&loop, i, device_ms, total_ms);
    }

    isomat_matrix c = multiply(&gpu);
    check(isomat_matrix_to_host(loop.c, loop.size, c, ISOMAT_NONE));
    check(isomat_matrix_destroy(c));
    loop_check(&loop);

    isomat_device_info info = {.struct_size = sizeof info};
    check(isomat_device_get_info(&info, 0));
    tear_down(&gpu);
    loop_finish(&loop, info.name);
    return 0;
}
