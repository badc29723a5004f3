/* SPDX-License-Identifier: MIT */
/* own_kernel.c: launches a kernel of one's own, y += alpha * x, from a fatbin, a cubin or PTX.
 *
 *     own_kernel [module]        by default ../python/axpy.ptx */
#include <isomat.h>
#include <stdio.h>

#include "support.h"

#define N 1000
#define BLOCK 128

static void check(int32_t status)
{
    if (status != ISOMAT_OK)
        fail(isomat_error_message());
}

int main(int argc, char **argv)
{
    isomat_context gpu;
    isomat_module module;
    isomat_kernel axpy;
    isomat_kernel_info info = {.struct_size = sizeof info};
    uint64_t x, y;
    float alpha = 0.5f, x_data[N], y_data[N];
    uint32_t n = N;

    start("own_kernel", "[module]", argc - 1, 1);
    for (int i = 0; i < N; i++) {
        x_data[i] = (float)i;
        y_data[i] = 3;
    }
    check(isomat_context_create(&gpu, 0, ISOMAT_CONTEXT_PRIMARY));
    check(isomat_module_load_file(&module, gpu, argc > 1 ? argv[1] : "../python/axpy.ptx"));
    check(isomat_kernel_get(&axpy, module, "axpy"));
    check(isomat_kernel_get_info(&info, axpy));
    if (info.debug)
        fail("the kernel was built with -G: see isomat inspect");
    check(isomat_memory_allocate(&x, sizeof x_data, gpu, ISOMAT_NONE));
    check(isomat_memory_allocate(&y, sizeof y_data, gpu, ISOMAT_NONE));
    check(isomat_memory_copy_to_device(x, x_data, sizeof x_data, gpu, ISOMAT_NONE));
    check(isomat_memory_copy_to_device(y, y_data, sizeof y_data, gpu, ISOMAT_NONE));

    isomat_launch launch = {
        .struct_size = sizeof launch,
        .grid_x = (N + BLOCK - 1) / BLOCK,
        .grid_y = 1,
        .grid_z = 1,
        .block_x = BLOCK,
        .block_y = 1,
        .block_z = 1,
    };
    const void *arguments[] = {&alpha, &x, &y, &n};
    const int64_t sizes[] = {sizeof alpha, sizeof x, sizeof y, sizeof n};
    check(isomat_kernel_launch(axpy, &launch, arguments, 4, sizes));
    check(isomat_memory_copy_to_host(y_data, y, sizeof y_data, gpu, ISOMAT_NONE));
    for (int i = 0; i < N; i++)
        if (y_data[i] != 3 + alpha * (float)i)
            fail("a wrong result");

    check(isomat_memory_free(x, gpu, ISOMAT_NONE));
    check(isomat_memory_free(y, gpu, ISOMAT_NONE));
    check(isomat_kernel_destroy(axpy));
    check(isomat_module_destroy(module));
    check(isomat_context_destroy(gpu));
    printf("c: axpy, %d elements, %d registers\n", N, info.registers);
    return 0;
}
