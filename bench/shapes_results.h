/* SPDX-License-Identifier: MIT */
/* shapes_results.h: the rows that bench/shapes measured, now and before an interruption. */
#ifndef ISOMAT_BENCH_SHAPES_RESULTS_H
#define ISOMAT_BENCH_SHAPES_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "shapes_list.h"

struct result {
    struct shape shape;
    int32_t compute; /* ISOMAT_COMPUTE_... */
    char kernel[64];
    double isomat_us, cublas_us; /* of one multiplication; cublas_us is 0 if it was not measured */
    double limit;                /* what the device can do at most, TFLOP/s; NaN if that is not known */
};

struct results {
    struct result *list;
    int64_t count;
    FILE *file; /* NULL: they are not kept */
    const char *path;
};

/* Opens the file to append to, and reads what is in it; a line that was not finished is removed.
 * path may be NULL.  These return an exit status; a failure is said. */
int results_open(struct results *results, const char *path, const char *device);
int results_add(struct results *results, const struct result *result, const char *device);
int results_close(struct results *results);

bool results_have(const struct results *results, const struct shape *shape, int32_t compute);

/* How a mode did over all of its shapes. */
void results_print(const struct results *results, int32_t compute);

#endif /* ISOMAT_BENCH_SHAPES_RESULTS_H */
