/* SPDX-License-Identifier: MIT */
/* bench_options.h: what isomat bench was asked to measure. */
#ifndef ISOMAT_TOOLS_BENCH_OPTIONS_H
#define ISOMAT_TOOLS_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "measure.h"

enum { MAX_SHAPES = 256, MAX_COMPUTES = 8 };

struct shape {
    int64_t m, n, k;
};

struct shapes {
    struct shape list[MAX_SHAPES];
    int count;
};

struct computes {
    int32_t list[MAX_COMPUTES];
    int count;
};

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct bench_request {
    struct shapes shapes;
    struct computes computes;
    struct measure_request measure;
    int64_t device, products;
    bool transpose_a, transpose_b;
    bool compare, verify, keep, f32_output;
    enum format format;
};

extern const char *const protocol_names[];

/* As options_parse. */
bool bench_parse(struct bench_request *request, int argc, char **argv, int *status);

/* Sets the shapes and the compute mode that were not given. */
void bench_set_defaults(struct bench_request *request, const struct session *session);

#endif /* ISOMAT_TOOLS_BENCH_OPTIONS_H */
