/* SPDX-License-Identifier: MIT */
/* stats.c: median and quartiles of a few measurements. */
#include <math.h>
#include <stdlib.h>

#include "stats.h"

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t count, double q)
{
    double position = q * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct stats stats_of(double *values, size_t count)
{
    if (count == 0)
        return (struct stats){NAN, NAN, NAN};
    qsort(values, count, sizeof *values, compare_doubles);
    return (struct stats){
        .median = quantile(values, count, 0.5),
        .q1 = quantile(values, count, 0.25),
        .q3 = quantile(values, count, 0.75),
    };
}
