/* SPDX-License-Identifier: MIT */
/* tune.h: what isomat tune was asked to measure, and what it found. */
#ifndef ISOMAT_TOOLS_TUNE_H
#define ISOMAT_TOOLS_TUNE_H

#include "bench_options.h"
#include "problem.h"

struct tune_shape {
    int64_t m, n, k;
    int32_t op_a, op_b;
    int32_t compute; /* -1: each of --compute */
};

struct tune_request {
    struct tune_shape *shapes; /* to be freed */
    int shape_count;
    struct computes computes;
    const char *output; /* NULL: where the library reads it */
    int64_t device;
};

/* As options_parse. */
bool tune_parse(struct tune_request *request, int argc, char **argv, int *status);

/* A kernel, with k in so many parts, and its median time; NaN: not measured to the end. */
struct tune_candidate {
    char name[96];
    int32_t parts;
    double least; /* of its first calls, in seconds */
    double ms;
};

enum { MAX_CANDIDATES = 200 };

struct tune_result {
    struct tune_candidate list[MAX_CANDIDATES]; /* the first is the library's own choice */
    int count, best;
};

/* Measures every kernel for a problem whose compute mode is set.  best is 0 unless another one is clearly
 * faster.  Leaves the context without an entry for the problem.  A failure is said; returns an exit status.
 */
int tune_measure(struct tune_result *result, struct problem *problem);

/* Enters a candidate for a problem into the context's table; NULL: takes the problem out. */
int32_t tune_set(const struct problem *problem, const struct tune_candidate *candidate);

#endif /* ISOMAT_TOOLS_TUNE_H */
