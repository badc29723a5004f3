/* SPDX-License-Identifier: MIT */
/* protocol_back_to_back.c: isomat and cuBLAS in turns, without a pause.
 *
 * Kernel time.  A round is a batch of isomat's multiplications and then one of cuBLAS's, with an
 * event before, between and after.  Rounds are submitted without waiting, so that the device never
 * idles between them.
 * Call time.  The host's clock around one call and the wait for its stream. */
#include <stdlib.h>

#include "message.h"
#include "progress.h"
#include "timing.h"

enum { MAX_CHUNK = 64, GPU_ROUNDS = 100 };

struct amounts {
    int64_t rounds, calls;
    int64_t chunk; /* rounds submitted at once */
};

static struct amounts amounts_of(const struct plan *plan)
{
    double round_seconds = plan->seconds * (double)plan->batch * plan->engines;
    struct amounts amounts;

    amounts.rounds = plan->wanted ? plan->wanted
                     : plan->host ? clamp_count(0.5 / round_seconds, 3, GPU_ROUNDS)
                                  : GPU_ROUNDS;
    amounts.calls = clamp_count((plan->host ? 0.3 : 1.0) / (plan->seconds * plan->engines), 3,
                                amounts.rounds > 3 ? amounts.rounds : 3);
    amounts.chunk = clamp_count(0.25 / round_seconds, 1, MAX_CHUNK);
    return amounts;
}

/* Runs rounds, at most MAX_CHUNK, and writes each one's time per multiplication. */
static int time_chunk(double *samples[ENGINE_COUNT], struct problem *problem, const struct plan *plan,
                      int rounds, const struct events *events)
{
    int engines = plan->engines;
    if (events_record(events, 0, problem) != STATUS_OK)
        return STATUS_FAILED;
    for (int segment = 0; segment < rounds * engines; segment++)
        if (submit_batch(problem, (enum engine)(segment % engines), plan->batch) != STATUS_OK ||
            events_record(events, segment + 1, problem) != STATUS_OK)
            return STATUS_FAILED;
    if (wait_for_stream(problem) != STATUS_OK)
        return STATUS_FAILED;
    for (int segment = 0; segment < rounds * engines; segment++) {
        double milliseconds;
        if (events_elapsed(&milliseconds, events, segment, segment + 1) != STATUS_OK)
            return STATUS_FAILED;
        samples[segment % engines][segment / engines] = milliseconds / (double)plan->batch;
    }
    return STATUS_OK;
}

static int time_kernels(struct measurement *measurement, struct problem *problem, const struct plan *plan,
                        const struct amounts *amounts, double *values)
{
    struct events events;
    int status = events_create(&events, problem, MAX_CHUNK * plan->engines + 1);

    for (int64_t done = 0; done < amounts->rounds && status == STATUS_OK;) {
        int64_t left = amounts->rounds - done;
        int rounds = (int)(left < amounts->chunk ? left : amounts->chunk);
        double *samples[ENGINE_COUNT] = {values + done, values + amounts->rounds + done};
        status = time_chunk(samples, problem, plan, rounds, &events);
        done += rounds;
        progress_show(plan->title, done, amounts->rounds);
    }
    events_destroy(&events);
    if (status == STATUS_OK)
        for (int engine = 0; engine < plan->engines; engine++)
            measurement->engines[engine].kernel_ms =
                stats_of(values + engine * amounts->rounds, (size_t)amounts->rounds);
    return status;
}

static int time_calls(struct measurement *measurement, struct problem *problem, const struct plan *plan,
                      const struct amounts *amounts, double *values)
{
    for (int64_t i = 0; i < amounts->calls; i++)
        for (int engine = 0; engine < plan->engines; engine++)
            if (time_call(&values[engine * amounts->calls + i], problem, (enum engine)engine) != STATUS_OK)
                return STATUS_FAILED;
    for (int engine = 0; engine < plan->engines; engine++)
        measurement->engines[engine].call_ms =
            1e3 * stats_of(values + engine * amounts->calls, (size_t)amounts->calls).median;
    return STATUS_OK;
}

int measure_back_to_back(struct measurement *measurement, struct problem *problem, const struct plan *plan)
{
    struct amounts amounts = amounts_of(plan);
    int64_t most = amounts.rounds > amounts.calls ? amounts.rounds : amounts.calls;
    double *values = malloc((size_t)(most * ENGINE_COUNT) * sizeof *values);
    if (!values)
        return fail("no memory for %d measurements", (int)most);
    measurement->rounds = amounts.rounds;
    int status = time_kernels(measurement, problem, plan, &amounts, values);
    if (status == STATUS_OK)
        status = time_calls(measurement, problem, plan, &amounts, values);
    free(values);
    return status;
}
