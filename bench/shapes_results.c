/* SPDX-License-Identifier: MIT */
/* shapes_results.c: the rows that bench/shapes measured, now and before an interruption. */
#include "shapes_results.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <isomat.h>

#include "compute.h"
#include "message.h"

#define GOAL 0.95 /* of cuBLAS's speed, what no shape should be below */

enum { WORST = 10 };

static const char header[] =
    "m,n,k,op_a,op_b,compute,kernel,isomat_us,cublas_us,ratio,isomat_tflops,cublas_tflops,limit_tflops,"
    "isomat_of_limit,cublas_of_limit,device,source\n";

static double flops(const struct result *result)
{
    return 2.0 * (double)result->shape.m * (double)result->shape.n * (double)result->shape.k;
}

/* TFLOP/s; infinite for a time of 0. */
static double rate(const struct result *result, double us)
{
    return 1e-6 * flops(result) / us;
}

static double ratio(const struct result *result)
{
    return result->cublas_us / result->isomat_us;
}

static int keep(struct results *results, const struct result *result)
{
    if ((results->count & (results->count - 1)) == 0) { /* full at every power of two */
        size_t capacity = results->count ? 2 * (size_t)results->count : 1;
        struct result *list = realloc(results->list, capacity * sizeof *list);
        if (!list)
            return fail("no memory for the results");
        results->list = list;
    }
    results->list[results->count++] = *result;
    return STATUS_OK;
}

/* ------------------------------------------------------------------ the file */

/* Cuts the next field, which may be empty, off a line. */
static const char *field(char **line)
{
    const char *text = strsep(line, ",\n");
    return text ? text : "";
}

static bool parse_line(struct result *result, char *line, const char *device)
{
    struct shape *shape = &result->shape;
    *result = (struct result){0};
    shape->m = atoll(field(&line));
    shape->n = atoll(field(&line));
    shape->k = atoll(field(&line));
    shape->op_a = *field(&line) == 't' ? ISOMAT_OP_T : ISOMAT_OP_N;
    shape->op_b = *field(&line) == 't' ? ISOMAT_OP_T : ISOMAT_OP_N;
    if (parse_compute(&result->compute, field(&line)) != NULL)
        return false;
    snprintf(result->kernel, sizeof result->kernel, "%s", field(&line));
    result->isomat_us = atof(field(&line));
    result->cublas_us = atof(field(&line));
    for (int i = 0; i < 6; i++) /* those that follow from the others */
        field(&line);
    bool same_device = strcmp(field(&line), device) == 0;
    snprintf(shape->source, sizeof shape->source, "%s", field(&line));
    return same_device && shape->m > 0 && shape->n > 0 && shape->k > 0 && result->isomat_us > 0;
}

/* Leaves the length of the whole lines in *whole. */
static int read_rows(struct results *results, const char *device, long *whole)
{
    char line[512];
    *whole = 0;
    while (fgets(line, sizeof line, results->file) && strchr(line, '\n')) {
        struct result result;
        if (*whole == 0 && strcmp(line, header) != 0)
            return fail("%s is there and not of this program; another name, or remove it", results->path);
        if (*whole > 0 && !parse_line(&result, line, device))
            return fail("%s has rows of another device than %s; another name, or remove it", results->path,
                        device);
        if (*whole > 0 && keep(results, &result) != STATUS_OK)
            return STATUS_FAILED;
        *whole = ftell(results->file);
    }
    return STATUS_OK;
}

/* Puts the file's end behind its whole lines. */
static bool cut(FILE *file, long whole)
{
    return fseek(file, whole, SEEK_SET) == 0 && ftruncate(fileno(file), whole) == 0 &&
           (whole > 0 || fputs(header, file) >= 0) && fflush(file) == 0;
}

int results_open(struct results *results, const char *path, const char *device)
{
    long whole;
    *results = (struct results){.path = path};
    if (!path)
        return STATUS_OK;
    results->file = fopen(path, "r+");
    if (!results->file && errno == ENOENT)
        results->file = fopen(path, "w+");
    if (!results->file)
        return fail("cannot write %s: %s", path, strerror(errno));
    if (read_rows(results, device, &whole) != STATUS_OK)
        return STATUS_FAILED;
    return cut(results->file, whole) ? STATUS_OK : fail("cannot write %s: %s", path, strerror(errno));
}

static void put_number(FILE *file, double value)
{
    if (value > 0 && isfinite(value))
        fprintf(file, ",%.5g", value);
    else
        fputc(',', file);
}

int results_add(struct results *results, const struct result *result, const char *device)
{
    const struct shape *shape = &result->shape;
    FILE *file = results->file;
    if (keep(results, result) != STATUS_OK)
        return STATUS_FAILED;
    if (!file)
        return STATUS_OK;
    fprintf(file, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%c,%c,%s,%s", shape->m, shape->n, shape->k,
            op_letter(shape->op_a), op_letter(shape->op_b), compute_name(result->compute), result->kernel);
    put_number(file, result->isomat_us);
    put_number(file, result->cublas_us);
    put_number(file, ratio(result));
    put_number(file, rate(result, result->isomat_us));
    put_number(file, rate(result, result->cublas_us));
    put_number(file, result->limit);
    put_number(file, rate(result, result->isomat_us) / result->limit);
    put_number(file, rate(result, result->cublas_us) / result->limit);
    fprintf(file, ",%s,%s\n", device, shape->source);
    /* so that an interruption costs one row at most */
    return fflush(file) == 0 ? STATUS_OK : fail("cannot write %s: %s", results->path, strerror(errno));
}

int results_close(struct results *results)
{
    FILE *file = results->file;
    free(results->list);
    results->list = NULL;
    results->file = NULL;
    return !file || fclose(file) == 0 ? STATUS_OK
                                      : fail("cannot write %s: %s", results->path, strerror(errno));
}

bool results_have(const struct results *results, const struct shape *shape, int32_t compute)
{
    for (int64_t i = 0; i < results->count; i++) {
        const struct shape *other = &results->list[i].shape;
        if (results->list[i].compute == compute && other->m == shape->m && other->n == shape->n &&
            other->k == shape->k && other->op_a == shape->op_a && other->op_b == shape->op_b)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------- the sums */

static int compare_ratios(const void *left, const void *right)
{
    double a = ratio(*(const struct result *const *)left), b = ratio(*(const struct result *const *)right);
    return (a > b) - (a < b);
}

static void print_worst(const struct result *const *sorted, int64_t count)
{
    printf("%7s %10s %10s %7s %7s %7s  %-2s  %-28s %s\n", "ratio", "isomat us", "cuBLAS us", "m", "n", "k",
           "op", "kernel", "source");
    for (int64_t i = 0; i < count && i < WORST; i++) {
        const struct result *x = sorted[i];
        printf("%7.3f %10.2f %10.2f %7" PRId64 " %7" PRId64 " %7" PRId64 "  %c%c  %-28s %s\n", ratio(x),
               x->isomat_us, x->cublas_us, x->shape.m, x->shape.n, x->shape.k, op_letter(x->shape.op_a),
               op_letter(x->shape.op_b), x->kernel, x->shape.source);
    }
}

void results_print(const struct results *results, int32_t compute)
{
    const struct result **compared = malloc((size_t)(results->count + 1) * sizeof *compared);
    int64_t measured = 0, count = 0, slower = 0, below = 0;
    double logarithms = 0.0;
    if (!compared)
        return;
    for (int64_t i = 0; i < results->count; i++) {
        const struct result *x = &results->list[i];
        if (x->compute != compute)
            continue;
        measured++;
        if (!(x->cublas_us > 0))
            continue;
        compared[count++] = x;
        logarithms += log(ratio(x));
        slower += ratio(x) < 1.0;
        below += ratio(x) < GOAL;
    }
    printf("%s: %" PRId64 " shapes, %" PRId64 " compared with cuBLAS", compute_name(compute), measured,
           count);
    if (count > 0)
        printf("; geometric mean of the ratios %.3f, %" PRId64 " below 1, %" PRId64 " below %.2f",
               exp(logarithms / (double)count), slower, below, GOAL);
    putchar('\n');
    qsort(compared, (size_t)count, sizeof *compared, compare_ratios);
    if (count > 0)
        print_worst(compared, count);
    free(compared);
}
