/* SPDX-License-Identifier: MIT */
/* measure.c: times one problem, isomat and cuBLAS in turns.
 *
 * Kernel time.  A round is a batch of isomat's multiplications and then one of cuBLAS's, with an
 * event before, between and after; batches are long enough that the events' resolution does not
 * matter.  Rounds are submitted without waiting, so that the device never idles between them.
 * Call time.  The host's clock around one call and the wait for its stream. */
#include <math.h>
#include <stdlib.h>

#include "measure.h"
#include "message.h"
#include "progress.h"

enum { MAX_CHUNK = 64, MAX_EVENTS = MAX_CHUNK * ENGINE_COUNT + 1, GPU_ROUNDS = 100 };

/* How much of each to do, from what a call was seen to take. */
struct plan {
    int engines;
    int64_t rounds, batch, calls;
    int64_t chunk; /* rounds submitted at once */
};

double fma_peak(const struct session *session)
{
    const isomat_device_info *device = &session->device;
    int capability = 10 * device->capability_major + device->capability_minor;
    /* 64 cores per multiprocessor on Volta, Turing and GA100, 128 since GA10x and Hopper */
    int cores = capability <= 80 ? 64 : 128;
    if (is_host_driver(&session->driver) || device->clock_khz <= 0)
        return NAN;
    return (double)device->multiprocessors * cores * 2.0 * 1e3 * device->clock_khz;
}

static int wait_for_stream(const struct problem *problem)
{
    return isomat_stream_synchronize(problem->stream) == ISOMAT_OK ? STATUS_OK : fail_library();
}

static int timed_call(double *seconds, struct problem *problem, enum engine engine)
{
    double start = now_seconds();
    if (problem_submit(problem, engine) != STATUS_OK || wait_for_stream(problem) != STATUS_OK)
        return STATUS_FAILED;
    *seconds = now_seconds() - start;
    return STATUS_OK;
}

/* Loads what is loaded at first use and brings the clocks up; leaves the shortest call in *least. */
static int warm_up(double *least, struct problem *problem, enum engine engine)
{
    double total = 0.0, seconds;
    *least = INFINITY;
    for (int count = 0; total < 0.1 || (count < 2 && total < 0.2); count++) {
        if (timed_call(&seconds, problem, engine) != STATUS_OK)
            return STATUS_FAILED;
        total += seconds;
        *least = fmin(*least, seconds);
    }
    return STATUS_OK;
}

static int64_t clamp(double value, int64_t least, int64_t most)
{
    if (!(value > (double)least))
        return least;
    return value < (double)most ? (int64_t)value : most;
}

static struct plan make_plan(const struct problem *problem, int64_t rounds, double seconds)
{
    bool host = is_host_driver(&problem->session->driver);
    struct plan plan = {.engines = problem->cublas ? 2 : 1};

    plan.batch = clamp(ceil(0.5e-3 / seconds), 1, 100);
    double round_seconds = seconds * (double)plan.batch * plan.engines;
    plan.rounds = rounds ? rounds : host ? clamp(0.5 / round_seconds, 3, GPU_ROUNDS) : GPU_ROUNDS;
    plan.calls = clamp((host ? 0.3 : 1.0) / (seconds * plan.engines), 3, plan.rounds > 3 ? plan.rounds : 3);
    plan.chunk = clamp(0.25 / round_seconds, 1, MAX_CHUNK);
    return plan;
}

static int submit_batch(struct problem *problem, enum engine engine, int64_t batch)
{
    for (int64_t i = 0; i < batch; i++)
        if (problem_submit(problem, engine) != STATUS_OK)
            return STATUS_FAILED;
    return STATUS_OK;
}

/* Runs rounds, at most MAX_CHUNK, and writes each one's time per multiplication. */
static int time_chunk(double *samples[ENGINE_COUNT], struct problem *problem, const struct plan *plan,
                      int64_t rounds, const isomat_event *events)
{
    int engines = plan->engines;
    if (isomat_event_record(events[0], problem->stream) != ISOMAT_OK)
        return fail_library();
    for (int64_t segment = 0; segment < rounds * engines; segment++) {
        if (submit_batch(problem, (enum engine)(segment % engines), plan->batch) != STATUS_OK)
            return STATUS_FAILED;
        if (isomat_event_record(events[segment + 1], problem->stream) != ISOMAT_OK)
            return fail_library();
    }
    if (wait_for_stream(problem) != STATUS_OK)
        return STATUS_FAILED;
    for (int64_t segment = 0; segment < rounds * engines; segment++) {
        double milliseconds;
        if (isomat_event_elapsed(&milliseconds, events[segment], events[segment + 1]) != ISOMAT_OK)
            return fail_library();
        samples[segment % engines][segment / engines] = milliseconds / (double)plan->batch;
    }
    return STATUS_OK;
}

static int time_kernels(struct measurement *measurement, struct problem *problem, const struct plan *plan,
                        double *values, const char *title)
{
    isomat_event events[MAX_EVENTS] = {0};
    int status = STATUS_OK;

    for (int i = 0; i < MAX_EVENTS && status == STATUS_OK; i++)
        if (isomat_event_create(&events[i], problem->session->context, 1) != ISOMAT_OK)
            status = fail_library();
    for (int64_t done = 0; done < plan->rounds && status == STATUS_OK;) {
        int64_t rounds = plan->rounds - done < plan->chunk ? plan->rounds - done : plan->chunk;
        double *samples[ENGINE_COUNT] = {values + done, values + plan->rounds + done};
        status = time_chunk(samples, problem, plan, rounds, events);
        done += rounds;
        progress_show(title, done, plan->rounds);
    }
    for (int i = 0; i < MAX_EVENTS; i++)
        isomat_event_destroy(events[i]);
    for (int engine = 0; engine < plan->engines; engine++)
        measurement->engines[engine].kernel_ms =
            stats_of(values + engine * plan->rounds, status == STATUS_OK ? (size_t)plan->rounds : 0);
    return status;
}

static int time_calls(struct measurement *measurement, struct problem *problem, const struct plan *plan,
                      double *values)
{
    for (int64_t i = 0; i < plan->calls; i++)
        for (int engine = 0; engine < plan->engines; engine++)
            if (timed_call(&values[engine * plan->calls + i], problem, (enum engine)engine) != STATUS_OK)
                return STATUS_FAILED;
    for (int engine = 0; engine < plan->engines; engine++)
        measurement->engines[engine].call_ms =
            1e3 * stats_of(values + engine * plan->calls, (size_t)plan->calls).median;
    return STATUS_OK;
}

int measure(struct measurement *measurement, struct problem *problem, int64_t rounds, const char *title)
{
    double seconds = INFINITY, least;

    progress_show(title, 0, rounds);
    for (int engine = 0; engine < (problem->cublas ? 2 : 1); engine++) {
        if (warm_up(&least, problem, (enum engine)engine) != STATUS_OK)
            return STATUS_FAILED;
        seconds = fmin(seconds, least);
    }
    struct plan plan = make_plan(problem, rounds, seconds);
    *measurement = (struct measurement){.rounds = plan.rounds, .batch = plan.batch};
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        measurement->engines[engine] = (struct timing){{NAN, NAN, NAN}, NAN};

    int64_t most = plan.rounds > plan.calls ? plan.rounds : plan.calls;
    double *values = malloc((size_t)(most * ENGINE_COUNT) * sizeof *values);
    if (!values)
        return fail("no memory for %d measurements", (int)most);
    int status = time_kernels(measurement, problem, &plan, values, title);
    if (status == STATUS_OK)
        status = time_calls(measurement, problem, &plan, values);
    free(values);
    return status;
}
