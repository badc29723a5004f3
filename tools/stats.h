/* SPDX-License-Identifier: MIT */
/* stats.h: median and quartiles of a few measurements. */
#ifndef ISOMAT_TOOLS_STATS_H
#define ISOMAT_TOOLS_STATS_H

#include <stddef.h>

struct stats {
    double median;
    double q1, q3; /* quartiles, interpolated linearly between neighbours */
};

/* Sorts values in place.  All NaN when count is 0. */
struct stats stats_of(double *values, size_t count);

#endif /* ISOMAT_TOOLS_STATS_H */
