/* SPDX-License-Identifier: MIT */
/* protocol_loop.c: two seconds of one engine without a pause, then of the other.
 *
 * The median of the second half is what remains when the device has reached its limit of power. */
#include <stdlib.h>

#include "message.h"
#include "progress.h"
#include "timing.h"

/* AHEAD batches are submitted before the first of them is waited for: the device never idles. */
enum { AHEAD = 4, RING = AHEAD + 2, MOST = 1 << 16 };

static int collect(double *value, const struct events *events, int64_t batch_index, const struct plan *plan)
{
    int from = (int)(batch_index % RING), to = (int)((batch_index + 1) % RING);
    if (isomat_event_synchronize(events->list[to]) != ISOMAT_OK)
        return fail_library();
    int status = events_elapsed(value, events, from, to);
    *value /= (double)plan->batch;
    return status;
}

static int run_loop(double *values, int64_t *count, struct problem *problem, enum engine engine,
                    const struct plan *plan, const struct events *events)
{
    double end = now_seconds() + (plan->host ? 0.3 : 2.0);
    int64_t most = plan->wanted ? plan->wanted : MOST, submitted = 0, collected = 0;
    int status = events_record(events, 0, problem);

    while (status == STATUS_OK && submitted < most && (submitted < 2 || now_seconds() < end)) {
        status = submit_batch(problem, engine, plan->batch);
        submitted++;
        if (status == STATUS_OK)
            status = events_record(events, (int)(submitted % RING), problem);
        if (status == STATUS_OK && submitted - collected > AHEAD) {
            status = collect(&values[collected], events, collected, plan);
            collected++;
        }
        progress_show(plan->title, 0, 0);
    }
    for (; status == STATUS_OK && collected < submitted; collected++)
        status = collect(&values[collected], events, collected, plan);
    *count = collected;
    return status;
}

int measure_loop(struct measurement *measurement, struct problem *problem, const struct plan *plan)
{
    struct events events = {.count = 0};
    double *values = malloc((size_t)(plan->wanted ? plan->wanted : MOST) * sizeof *values);
    if (!values)
        return fail("no memory for %d measurements", MOST);
    int status = events_create(&events, problem, RING);
    for (int engine = 0; engine < plan->engines && status == STATUS_OK; engine++) {
        int64_t count = 0;
        status = run_loop(values, &count, problem, (enum engine)engine, plan, &events);
        if (status != STATUS_OK)
            break;
        int64_t half = count / 2;
        measurement->engines[engine].kernel_ms = stats_of(values + half, (size_t)(count - half));
        if (engine == ENGINE_ISOMAT)
            measurement->rounds = count - half;
    }
    events_destroy(&events);
    free(values);
    return status;
}
