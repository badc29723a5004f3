/* SPDX-License-Identifier: MIT */
/* support.c: arguments, data, clock and report of the programs that measure. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LARGEST_SIZE 65536
#define MOST_ITERATIONS 1000000

static const char *program = "", *usage = "";

_Noreturn void fail(const char *message)
{
    fprintf(stderr, "%s: %s\n", program, message);
    exit(1);
}

static _Noreturn void fail_usage(void)
{
    fprintf(stderr, "usage: %s %s\n", program, usage);
    exit(2);
}

void start(const char *name, const char *arguments, int given, int most)
{
    program = name;
    usage = arguments;
    if (given > most)
        fail_usage();
}

int parse(const char *text, long most)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 1 || value > most) {
        fprintf(stderr, "%s: '%s' is not a number from 1 to %ld\n", program, text, most);
        fail_usage();
    }
    return (int)value;
}

static void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (!memory)
        fail("no host memory left");
    return memory;
}

void fill_random(float *data, size_t count, uint64_t state)
{
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        data[i] = (float)(state >> 40) / 16777216.0f - 0.5f;
    }
}

void loop_start(struct loop *loop, int argc, char **argv)
{
    start("loop", "[size [iterations]]", argc - 1, 2);
    loop->size = argc > 1 ? parse(argv[1], LARGEST_SIZE) : 4096;
    loop->iterations = argc > 2 ? parse(argv[2], MOST_ITERATIONS) : 100;

    size_t count = (size_t)loop->size * (size_t)loop->size;
    loop->a = allocate(count, sizeof *loop->a);
    loop->b = allocate(count, sizeof *loop->b);
    loop->c = allocate(count, sizeof *loop->c);
    loop->device_ms = allocate((size_t)loop->iterations, sizeof *loop->device_ms);
    loop->total_ms = allocate((size_t)loop->iterations, sizeof *loop->total_ms);
    fill_random(loop->a, count, 1);
    fill_random(loop->b, count, 2);
}

double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void loop_record(struct loop *loop, int i, double device_ms, double total_ms)
{
    if (i < 0)
        return;
    loop->device_ms[i] = device_ms;
    loop->total_ms[i] = total_ms;
}

/* Element (i, j) may be off by what float32 arithmetic may lose in size additions. */
static void check_element(const struct loop *loop, int i, int j)
{
    size_t size = (size_t)loop->size;
    size_t row = (size_t)i * size;
    size_t col = (size_t)j;
    double exact = 0, magnitude = 0;
    for (size_t k = 0; k < size; k++) {
        double product = (double)loop->a[row + k] * (double)loop->b[k * size + col];
        exact += product;
        magnitude += fabs(product);
    }
    double found = (double)loop->c[row + col];
    double allowed = (double)size * 0x1p-24 * magnitude;
    if (fabs(found - exact) <= allowed)
        return;
    fprintf(stderr, "loop: element (%d, %d) is %.9g, not %.9g\n", i, j, found, exact);
    exit(1);
}

void loop_check(const struct loop *loop)
{
    const int places = 7; /* the corners, the edges and points inside */
    for (int i = 0; i < places; i++)
        for (int j = 0; j < places; j++)
            check_element(loop, (int)((int64_t)(loop->size - 1) * i / (places - 1)),
                          (int)((int64_t)(loop->size - 1) * j / (places - 1)));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

void loop_finish(struct loop *loop, const char *device)
{
    printf("c: %d x %d, %d multiplications, %s: device %.3f ms, with overhead %.3f ms\n", loop->size,
           loop->size, loop->iterations, device, median(loop->device_ms, loop->iterations),
           median(loop->total_ms, loop->iterations));
    free(loop->a);
    free(loop->b);
    free(loop->c);
    free(loop->device_ms);
    free(loop->total_ms);
}
