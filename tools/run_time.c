/* SPDX-License-Identifier: MIT */
/* run_time.c: times a kernel, and another build of it, in turns.
 *
 * A round is a batch of launches from each module, with an event before, between and after; batches
 * are long enough that the events' resolution does not matter.  Rounds are submitted without
 * waiting, so that the device never idles between them. */
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "progress.h"
#include "run.h"

enum { GPU_ROUNDS = 100, MAX_CHUNK = 64, MAX_EVENTS = 2 * MAX_CHUNK + 1 };

/* Loads what is loaded at first use and brings the clocks up; writes the shortest launch. */
static int warm_up(double *least, struct run *run)
{
    double total = 0.0;
    *least = INFINITY;
    for (int count = 0; total < 0.1 || (count < 2 && total < 0.2); count++) {
        for (int module = 0; module < run->module_count; module++) {
            double start = now_seconds();
            if (run_launch(run, module) || run_synchronize(run))
                return STATUS_FAILED;
            double seconds = now_seconds() - start;
            total += seconds;
            *least = fmin(*least, seconds);
        }
    }
    return STATUS_OK;
}

static int64_t clamp(double value, int64_t least, int64_t most)
{
    if (!(value > (double)least))
        return least;
    return value < (double)most ? (int64_t)value : most;
}

/* Runs rounds, at most MAX_CHUNK, and writes each one's time per launch. */
static int time_chunk(double *samples[2], struct run *run, int64_t rounds, int64_t batch)
{
    int modules = run->module_count;
    if (isomat_event_record(run->events[0], ISOMAT_NONE) != ISOMAT_OK)
        return fail_library();
    for (int64_t segment = 0; segment < rounds * modules; segment++) {
        for (int64_t i = 0; i < batch; i++)
            if (run_launch(run, (int)(segment % modules)))
                return STATUS_FAILED;
        if (isomat_event_record(run->events[segment + 1], ISOMAT_NONE) != ISOMAT_OK)
            return fail_library();
    }
    if (run_synchronize(run))
        return STATUS_FAILED;
    for (int64_t segment = 0; segment < rounds * modules; segment++) {
        double milliseconds;
        if (isomat_event_elapsed(&milliseconds, run->events[segment], run->events[segment + 1]) != ISOMAT_OK)
            return fail_library();
        samples[segment % modules][segment / modules] = milliseconds / (double)batch;
    }
    return STATUS_OK;
}

static int time_rounds(struct run_timing *timing, struct run *run, double *values, double round_seconds)
{
    int64_t chunk = clamp(0.25 / round_seconds, 1, MAX_CHUNK);
    for (int64_t done = 0; done < timing->rounds;) {
        int64_t rounds = timing->rounds - done < chunk ? timing->rounds - done : chunk;
        double *samples[2] = {values + done, values + timing->rounds + done};
        if (time_chunk(samples, run, rounds, timing->batch))
            return STATUS_FAILED;
        done += rounds;
        progress_show(run->request->kernel, done, timing->rounds);
    }
    for (int module = 0; module < run->module_count; module++)
        timing->ms[module] = stats_of(values + module * timing->rounds, (size_t)timing->rounds);
    return STATUS_OK;
}

int run_time(struct run_timing *timing, struct run *run)
{
    bool host = is_host_driver(&run->session.driver);
    isomat_event events[MAX_EVENTS] = {0};
    double least;

    progress_show(run->request->kernel, 0, 0);
    if (warm_up(&least, run))
        return STATUS_FAILED;
    timing->batch = clamp(ceil(0.5e-3 / least), 1, 100);
    double round_seconds = least * (double)timing->batch * run->module_count;
    timing->rounds = run->request->repeat > 0 ? run->request->repeat
                     : host                   ? clamp(0.5 / round_seconds, 3, GPU_ROUNDS)
                                              : GPU_ROUNDS;
    double *values = malloc((size_t)timing->rounds * 2 * sizeof *values);
    if (!values)
        return fail("no memory for that many measurements");
    int status = STATUS_OK;
    for (int i = 0; i < MAX_EVENTS && status == STATUS_OK; i++)
        if (isomat_event_create(&events[i], run->session.context, 1) != ISOMAT_OK)
            status = fail_library();
    run->events = events;
    /* a profiler that waits for it sees the measured launches alone */
    isomat_profiler_start(run->session.context);
    if (status == STATUS_OK)
        status = time_rounds(timing, run, values, round_seconds);
    isomat_profiler_stop(run->session.context);
    for (int i = 0; i < MAX_EVENTS; i++)
        isomat_event_destroy(events[i]);
    run->events = NULL;
    free(values);
    return status;
}
