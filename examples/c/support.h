/* SPDX-License-Identifier: MIT */
/* support.h: what the programs need besides isomat: arguments, data, clock, report. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#define WARM_UP 3 /* multiplications that are not counted */

struct loop {
    int size;       /* all matrices are size x size */
    int iterations; /* multiplications that are counted */
    float *a;       /* filled with random numbers */
    float *b;
    float *c;          /* room for the product */
    double *device_ms; /* of each iteration: the multiplication alone */
    double *total_ms;  /* and the whole iteration */
};

/* Reads [size [iterations]], allocates and fills.  Ends the program if that fails. */
void loop_start(struct loop *loop, int argc, char **argv);

/* Milliseconds since some fixed moment. */
double clock_ms(void);

/* Files the times of iteration i; negative ones are the warm-up and not kept. */
void loop_record(struct loop *loop, int i, double device_ms, double total_ms);

/* Compares elements of c with double-precision dot products; ends the program if one is wrong. */
void loop_check(const struct loop *loop);

/* Prints the line and frees everything. */
void loop_finish(struct loop *loop, const char *device);

/* Notes the program's name and what it takes, "[size [iterations]]"; ends it with status 2 if it was given
 * more arguments than it takes. */
void start(const char *name, const char *arguments, int given, int most);

/* An argument as a number from 1 to most; ends the program with status 2 if it is none. */
int parse(const char *text, long most);

/* Prints "name: message" and ends the program with status 1. */
_Noreturn void fail(const char *message);

/* Fills with random numbers, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential
 * generator.  The programs in every language use this one. */
void fill_random(float *data, size_t count, uint64_t state);

/* Sorts the values. */
double median(double *values, int count);

#endif /* SUPPORT_H */
