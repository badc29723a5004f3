/* SPDX-License-Identifier: MIT */
/* matmul_run.h: one way of running both kernels of examples/own-kernel, for several hosts to call. */
#ifndef MATMUL_RUN_H
#define MATMUL_RUN_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RESULT_TILED,           /* ms on the device's clock, median */
    RESULT_REGISTERS,       /* likewise */
    RESULT_FIRST,           /* ms on the host's clock: the first launch of all, until it is done */
    RESULT_WHOLE,           /* from the first call of CUDA to the product in host memory */
    RESULT_TILED_COUNT,     /* registers of a thread */
    RESULT_REGISTERS_COUNT, /* likewise */
    RESULT_COUNT
};

/* Multiplies n x n matrices, launches times with each kernel.  Returns NULL, or what is wrong. */
const char *matmul_run(int n, int launches, double *results);

#ifdef __cplusplus
}
#endif

#endif /* MATMUL_RUN_H */
