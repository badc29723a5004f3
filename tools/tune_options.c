/* SPDX-License-Identifier: MIT */
/* tune_options.c: what isomat tune was asked to measure. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "message.h"
#include "options.h"
#include "tune.h"

/* 2^31 - 65536: what isomat_gemm takes. */
#define LARGEST_SIZE 2147418112
#define SIZES "not whole numbers from 1 to 2147418112"

enum { MAX_TUNED = 65536 };

static const char *add_shape(struct tune_request *request, const struct tune_shape *shape)
{
    if (request->shape_count == MAX_TUNED)
        return "too many shapes";
    if ((request->shape_count & (request->shape_count - 1)) == 0) { /* a power of two: full */
        size_t capacity = request->shape_count ? 2 * (size_t)request->shape_count : 1;
        struct tune_shape *larger = realloc(request->shapes, capacity * sizeof *larger);
        if (!larger)
            return "no memory for it";
        request->shapes = larger;
    }
    request->shapes[request->shape_count++] = *shape;
    return NULL;
}

static bool parse_op(int32_t *op, char letter)
{
    *op = tolower((unsigned char)letter) == 't' ? ISOMAT_OP_T : ISOMAT_OP_N;
    return letter && strchr("nNtT", letter);
}

static const char *parse_ops(struct tune_shape *shape, const char *text)
{
    if (strlen(text) == 2 && parse_op(&shape->op_a, text[0]) && parse_op(&shape->op_b, text[1]))
        return NULL;
    return "the ops are not one of nn|nt|tn|tt";
}

/* MxNxK or MxNxK:OPS */
static const char *parse_shape(void *target, const char *text)
{
    struct tune_shape shape = {.compute = -1};
    int64_t *const sizes[] = {&shape.m, &shape.n, &shape.k};
    char copy[96], *rest = copy;
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return "not MxNxK[:OPS]";
    char *ops = strchr(copy, ':');
    if (ops)
        *ops++ = '\0';
    for (int i = 0; i < 3; i++) {
        const char *word = strsep(&rest, "x");
        if (!word || (i == 2 && rest))
            return "not MxNxK[:OPS]";
        if (!parse_integer(sizes[i], word, 1, LARGEST_SIZE))
            return SIZES;
    }
    const char *reason = ops ? parse_ops(&shape, ops) : NULL;
    return reason ? reason : add_shape(target, &shape);
}

static const char *parse_computes(void *target, const char *text)
{
    struct computes *computes = target;
    if (computes->count == MAX_COMPUTES)
        return "too many compute modes";
    const char *reason = parse_compute(&computes->list[computes->count], text);
    computes->count += !reason;
    return reason;
}

/* --------------------------------------------------------------------- CSV */

enum { M, N, K, OPS, COMPUTE, OP_A, OP_B, FIELDS, MAX_CELLS = 64 };

/* Cells of a line, without blanks around them; more than MAX_CELLS are left out. */
static int split(char *cells[MAX_CELLS], char *line)
{
    int count = 0;
    for (char *rest = line, *cell; count < MAX_CELLS && (cell = strsep(&rest, ",")); count++) {
        cell += strspn(cell, " \t\"");
        for (size_t length = strlen(cell); length > 0 && strchr(" \t\"\r\n", cell[length - 1]); length--)
            cell[length - 1] = '\0';
        cells[count] = cell;
    }
    return count;
}

/* Where the fields are, by a header; without one, the first in their order.  Returns whether it is a header.
 */
static bool find_fields(int places[FIELDS], char *const cells[MAX_CELLS], int count)
{
    static const char *const names[FIELDS] = {"m", "n", "k", "ops", "compute", "op_a", "op_b"};
    bool header = count > 0 && !isdigit((unsigned char)*cells[0]);
    for (int field = 0; field < FIELDS; field++) {
        places[field] = header || field > COMPUTE ? -1 : field;
        for (int i = 0; header && i < count; i++)
            if (strcasecmp(cells[i], names[field]) == 0 ||
                (field == OPS && strcasecmp(cells[i], "layout") == 0))
                places[field] = i;
    }
    return header;
}

static const char *add_line(struct tune_request *request, const int places[FIELDS],
                            char *const cells[MAX_CELLS], int count)
{
    struct tune_shape shape = {.compute = -1};
    int64_t *const sizes[] = {&shape.m, &shape.n, &shape.k};
    const char *fields[FIELDS], *reason = NULL;
    for (int i = 0; i < FIELDS; i++)
        fields[i] = places[i] >= 0 && places[i] < count && *cells[places[i]] ? cells[places[i]] : NULL;
    for (int i = 0; i < 3; i++)
        if (!fields[i] || !parse_integer(sizes[i], fields[i], 1, LARGEST_SIZE))
            return "m, n, k: " SIZES;
    if (fields[OPS])
        reason = parse_ops(&shape, fields[OPS]);
    if (!reason && ((fields[OP_A] && (fields[OP_A][1] || !parse_op(&shape.op_a, *fields[OP_A]))) ||
                    (fields[OP_B] && (fields[OP_B][1] || !parse_op(&shape.op_b, *fields[OP_B])))))
        reason = "an op is not n or t";
    if (!reason && fields[COMPUTE])
        reason = parse_compute(&shape.compute, fields[COMPUTE]);
    return reason ? reason : add_shape(request, &shape);
}

static int read_shapes(struct tune_request *request, const char *path)
{
    int places[FIELDS], line_number = 0, status = STATUS_OK;
    bool begun = false;
    char *line = NULL, *cells[MAX_CELLS];
    size_t capacity = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return fail("cannot read %s: %s", path, strerror(errno));
    while (status == STATUS_OK && getline(&line, &capacity, file) >= 0) {
        line_number++;
        int count = split(cells, line);
        if (*cells[0] == '#' || (count == 1 && !*cells[0]))
            continue;
        bool header = !begun && find_fields(places, cells, count);
        begun = true;
        const char *reason = header ? NULL : add_line(request, places, cells, count);
        if (reason)
            status = fail("%s, line %d: %s", path, line_number, reason);
    }
    if (status == STATUS_OK && ferror(file))
        status = fail("cannot read %s: %s", path, strerror(errno));
    free(line);
    fclose(file);
    return status;
}

bool tune_parse(struct tune_request *request, int argc, char **argv, int *status)
{
    const char *path = NULL;
    const struct option_row rows[] = {
        {"shape", 0, OPTION_CUSTOM, request, "MxNxK[:OPS]",
         "tune MxK by KxN, with A and B stored as nn|nt|tn|tt (nn); repeatable", 0, 0, parse_shape},
        {"shapes", 0, OPTION_TEXT, &path, "FILE.csv", "tune the shapes of a file: m,n,k[,ops[,compute]]", 0,
         0, NULL},
        {"compute", 0, OPTION_CUSTOM, &request->computes, "MODE", COMPUTE_HELP " (f32); repeatable", 0, 0,
         parse_computes},
        {"output", 'o', OPTION_TEXT, &request->output, "FILE",
         "the tuning file (the one that the library reads)", 0, 0, NULL},
        {"device", 0, OPTION_INTEGER, &request->device, "D", "the device to use (0)", 0, INT32_MAX, NULL},
        {0},
    };
    const struct option_set set = {
        .verb = "tune",
        .operands = "",
        .description =
            "Measures every kernel that can do a product, for each shape, and writes the best ones to a\n"
            "tuning file, which the library reads. What the file has of other shapes is kept.",
        .rows = rows,
    };
    int first;
    if (!options_parse(&set, argc, argv, &first, status))
        return false;
    if (path && (*status = read_shapes(request, path)) != STATUS_OK)
        return false;
    if (request->shape_count == 0)
        *status = fail_usage("tune", path ? "%s has no shapes" : "--shape or --shapes is missing", path);
    if (request->computes.count == 0)
        request->computes.list[request->computes.count++] = ISOMAT_COMPUTE_F32;
    return *status == STATUS_OK;
}
