/* SPDX-License-Identifier: MIT */
/* shapes_list.h: the shapes that bench/shapes measures, read from a file or given one by one. */
#ifndef ISOMAT_BENCH_SHAPES_LIST_H
#define ISOMAT_BENCH_SHAPES_LIST_H

#include <stdint.h>

struct shape {
    int64_t m, n, k;
    int32_t op_a, op_b; /* ISOMAT_OP_... */
    char source[96];
};

struct shapes {
    struct shape *list;
    int64_t count;
};

/* These return an exit status; a failure is said. */
int shapes_read(struct shapes *shapes, const char *path);
int shapes_add(struct shapes *shapes, const struct shape *shape);
void shapes_free(struct shapes *shapes);

/* 'n' or 't'. */
char op_letter(int32_t op);

#endif /* ISOMAT_BENCH_SHAPES_LIST_H */
