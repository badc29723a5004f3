/* SPDX-License-Identifier: MIT */
/* protocol_spaced.c: short bursts on a device that has rested, isomat and cuBLAS in turns.
 *
 * A burst is 100 ms of idling, two warm-ups and eight timed launches; a round is a burst of each.
 * So the device's clocks are what a program finds that multiplies now and then, not what a limit
 * of power leaves of them. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "message.h"
#include "progress.h"
#include "timing.h"

enum { LAUNCHES = 8, WARM_UPS = 2, ROUNDS = 3, IDLE_NANOSECONDS = 100000000 };

static void idle(void)
{
    struct timespec left = {.tv_nsec = IDLE_NANOSECONDS};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

int spaced_burst(double *values, struct problem *problem, enum engine engine, const struct plan *plan,
                 int launches, const struct events *events)
{
    if (wait_for_stream(problem) != STATUS_OK)
        return STATUS_FAILED;
    idle();
    if (submit_batch(problem, engine, WARM_UPS * plan->batch) != STATUS_OK ||
        events_record(events, 0, problem) != STATUS_OK)
        return STATUS_FAILED;
    for (int i = 0; i < launches; i++)
        if (submit_batch(problem, engine, plan->batch) != STATUS_OK ||
            events_record(events, i + 1, problem) != STATUS_OK)
            return STATUS_FAILED;
    if (wait_for_stream(problem) != STATUS_OK)
        return STATUS_FAILED;
    for (int i = 0; i < launches; i++) {
        if (events_elapsed(&values[i], events, i, i + 1) != STATUS_OK)
            return STATUS_FAILED;
        values[i] /= (double)plan->batch;
    }
    return STATUS_OK;
}

int measure_spaced(struct measurement *measurement, struct problem *problem, const struct plan *plan)
{
    int64_t rounds = plan->wanted ? (plan->wanted + LAUNCHES - 1) / LAUNCHES : ROUNDS;
    int64_t samples = rounds * LAUNCHES;
    struct events events = {.count = 0};
    double *values = malloc((size_t)(samples * ENGINE_COUNT) * sizeof *values);

    if (!values)
        return fail("no memory for %d measurements", (int)samples);
    int status = events_create(&events, problem, LAUNCHES + 1);
    for (int64_t round = 0; round < rounds && status == STATUS_OK; round++) {
        for (int engine = 0; engine < plan->engines && status == STATUS_OK; engine++)
            status = spaced_burst(values + engine * samples + round * LAUNCHES, problem, (enum engine)engine,
                                  plan, LAUNCHES, &events);
        progress_show(plan->title, round + 1, rounds);
    }
    events_destroy(&events);
    if (status == STATUS_OK)
        for (int engine = 0; engine < plan->engines; engine++)
            measurement->engines[engine].kernel_ms = stats_of(values + engine * samples, (size_t)samples);
    measurement->rounds = samples;
    free(values);
    return status;
}
