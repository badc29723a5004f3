/* SPDX-License-Identifier: MIT */
/* timing.h: what the protocols of measurement have in common: batches, events, plans. */
#ifndef ISOMAT_TOOLS_TIMING_H
#define ISOMAT_TOOLS_TIMING_H

#include "measure.h"

/* How much to do, from what was asked for and what a call was seen to take. */
struct plan {
    const char *title; /* for the progress line */
    int engines;       /* ENGINE_ISOMAT, then ENGINE_CUBLAS */
    int64_t wanted;    /* measurements of each; 0: the protocol's own number */
    int64_t batch;     /* multiplications in a measurement */
    double seconds;    /* the shortest call */
    bool host;         /* on the host driver */
};

enum { MAX_EVENTS = 256 };

struct events {
    isomat_event list[MAX_EVENTS];
    int count;
};

/* A failure of any of these is said; they return an exit status. */
int events_create(struct events *events, const struct problem *problem, int count);
void events_destroy(struct events *events);
int events_record(const struct events *events, int index, const struct problem *problem);
/* The device's time between two that have happened. */
int events_elapsed(double *milliseconds, const struct events *events, int from, int to);

int submit_batch(struct problem *problem, enum engine engine, int64_t batch);
int wait_for_stream(const struct problem *problem);

/* The host's time of one call and the wait for its stream. */
int time_call(double *seconds, struct problem *problem, enum engine engine);

int64_t clamp_count(double value, int64_t least, int64_t most);

/* The protocols.  What they do not measure is left as it is in *measurement. */
int measure_back_to_back(struct measurement *measurement, struct problem *problem, const struct plan *plan);
int measure_spaced(struct measurement *measurement, struct problem *problem, const struct plan *plan);
int measure_loop(struct measurement *measurement, struct problem *problem, const struct plan *plan);

/* One engine's burst of the spaced protocol: idle, two warm-ups, then launches, each of a batch.
 * Writes the milliseconds per multiplication of each; events holds launches + 1. */
int spaced_burst(double *values, struct problem *problem, enum engine engine, const struct plan *plan,
                 int launches, const struct events *events);

#endif /* ISOMAT_TOOLS_TIMING_H */
