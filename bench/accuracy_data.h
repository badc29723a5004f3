/* SPDX-License-Identifier: MIT */
/* accuracy_data.h: the matrices on which errors are measured. */
#ifndef ISOMAT_BENCH_ACCURACY_DATA_H
#define ISOMAT_BENCH_ACCURACY_DATA_H

#include <stdbool.h>
#include <stdint.h>

/* One product: the distribution's number, the mode to whose type the elements are rounded, sizes. */
struct data {
    int kind;
    int32_t compute;
    int64_t m, n, k;
};

int data_kinds(void);
const char *data_name(int kind);

/* Fills A (m x k) and B (k x n), row-major, the same for the same *data.  False if the mode's type
 * cannot hold the distribution. */
bool data_fill(float *a, float *b, const struct data *data);

#endif /* ISOMAT_BENCH_ACCURACY_DATA_H */
