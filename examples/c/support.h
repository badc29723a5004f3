/* SPDX-License-Identifier: MIT */
/* support.h: what both loops need besides isomat: arguments, data, clock, report. */
#ifndef SUPPORT_H
#define SUPPORT_H

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

/* Prints "loop: message" and ends the program with status 1. */
_Noreturn void fail(const char *message);

#endif /* SUPPORT_H */
