/* SPDX-License-Identifier: MIT */
/* measure.h: times one problem, isomat and cuBLAS in turns. */
#ifndef ISOMAT_TOOLS_MEASURE_H
#define ISOMAT_TOOLS_MEASURE_H

#include "problem.h"
#include "stats.h"

struct timing {
    struct stats kernel_ms; /* per multiplication, by events on the device */
    double call_ms;         /* median host time of one call and the wait for it; NaN: not measured */
};

struct measurement {
    int64_t rounds; /* kernel time samples */
    int64_t batch;  /* multiplications per sample */
    struct timing engines[ENGINE_COUNT];
};

enum protocol { PROTOCOL_BACK_TO_BACK, PROTOCOL_SPACED, PROTOCOL_LOOP };

struct measure_request {
    enum protocol protocol;
    int64_t rounds;   /* 0: what suits the protocol and the device */
    bool best_layout; /* cuBLAS in the fastest of its four layouts */
};

/* Warms up, then measures.  title is for the progress line.  With best_layout, the layout that
 * cuBLAS was measured in is in the problem afterwards.  A failure is said; returns an exit status. */
int measure(struct measurement *measurement, struct problem *problem, const struct measure_request *request,
            const char *title);

#endif /* ISOMAT_TOOLS_MEASURE_H */
