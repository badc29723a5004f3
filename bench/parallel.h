/* SPDX-License-Identifier: MIT */
/* parallel.h: a loop on all of the machine's cores. */
#ifndef ISOMAT_BENCH_PARALLEL_H
#define ISOMAT_BENCH_PARALLEL_H

#include <stdint.h>

/* Calls function for pieces that make up 0 to count - 1, on several threads; returns after the last. */
void parallel_for(int64_t count, void (*function)(int64_t begin, int64_t end, void *context), void *context);

#endif /* ISOMAT_BENCH_PARALLEL_H */
