/* SPDX-License-Identifier: MIT */
/* loop_dropin.c: the same loop with the id-based library, isomat_cuda_kernels.h. */
#include <isomat.h>
#include <isomat_cuda_kernels.h>

#include "support.h"

/* An id of 0 is a failure; isomat has the message. */
static size_t check(size_t id)
{
    if (id == 0)
        fail(isomat_error_message());
    return id;
}

/* Functions without a result leave a message if they fail. */
static void check_message(void)
{
    if (*isomat_error_message())
        fail(isomat_error_message());
}

int main(int argc, char **argv)
{
    struct loop loop;
    loop_start(&loop, argc, argv);
    size_t n = (size_t)loop.size;
    size_t a = check(register_matrix(loop.a, n, n));
    size_t b = check(register_matrix(loop.b, n, n));

    for (int i = -WARM_UP; i < loop.iterations; i++) {
        double began = clock_ms();
        size_t c = check(cuda_matrix_multiply(a, n, n, b, n, n));
        cuda_synchronize();
        double device_ms = clock_ms() - began;
        unregister_matrix(c);
        loop_record(&loop, i, device_ms, clock_ms() - began);
        check_message();
    }

    size_t c = check(cuda_matrix_multiply(a, n, n, b, n, n));
    get_matrix_data(c, loop.size, loop.size, loop.c);
    unregister_matrix(c);
    unregister_matrix(b);
    unregister_matrix(a);
    check_message();
    loop_check(&loop);

    isomat_device_info info = {.struct_size = sizeof info};
    if (isomat_device_get_info(&info, 0) != ISOMAT_OK)
        fail(isomat_error_message());
    loop_finish(&loop, info.name);
    return 0;
}
