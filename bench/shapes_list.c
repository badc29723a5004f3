/* SPDX-License-Identifier: MIT */
/* shapes_list.c: the shapes that bench/shapes measures, read from a file or given one by one. */
#include "shapes_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isomat.h>

#include "message.h"

#define LARGEST_SIZE 65536

char op_letter(int32_t op)
{
    return op == ISOMAT_OP_T ? 't' : 'n';
}

int shapes_add(struct shapes *shapes, const struct shape *shape)
{
    if ((shapes->count & (shapes->count - 1)) == 0) { /* full at every power of two */
        size_t capacity = shapes->count ? 2 * (size_t)shapes->count : 1;
        struct shape *list = realloc(shapes->list, capacity * sizeof *list);
        if (!list)
            return fail("no memory for the shapes");
        shapes->list = list;
    }
    shapes->list[shapes->count++] = *shape;
    return STATUS_OK;
}

void shapes_free(struct shapes *shapes)
{
    free(shapes->list);
    *shapes = (struct shapes){0};
}

static bool is_size(int64_t size)
{
    return size >= 1 && size <= LARGEST_SIZE;
}

static bool is_op(char letter)
{
    return letter == 'n' || letter == 't';
}

/* A line "m,n,k,op_a,op_b,source". */
static bool parse_line(struct shape *shape, const char *line)
{
    char op_a, op_b;
    if (sscanf(line, "%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%c,%c,%95[^,\r\n]", &shape->m, &shape->n, &shape->k,
               &op_a, &op_b, shape->source) != 6)
        return false;
    shape->op_a = op_a == 't' ? ISOMAT_OP_T : ISOMAT_OP_N;
    shape->op_b = op_b == 't' ? ISOMAT_OP_T : ISOMAT_OP_N;
    return is_size(shape->m) && is_size(shape->n) && is_size(shape->k) && is_op(op_a) && is_op(op_b);
}

int shapes_read(struct shapes *shapes, const char *path)
{
    static const char header[] = "m,n,k,op_a,op_b,source";
    char line[256];
    int status = STATUS_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return fail("cannot read %s: %s", path, strerror(errno));
    if (!fgets(line, sizeof line, file) || strncmp(line, header, sizeof header - 1) != 0)
        status = fail("%s is no list of shapes: the first line is not %s", path, header);
    for (int number = 2; status == STATUS_OK && fgets(line, sizeof line, file); number++) {
        struct shape shape;
        status = parse_line(&shape, line)
                     ? shapes_add(shapes, &shape)
                     : fail("%s, line %d: not M,N,K,OP,OP,SOURCE with sizes from 1 to %d", path, number,
                            LARGEST_SIZE);
    }
    fclose(file);
    return status;
}
