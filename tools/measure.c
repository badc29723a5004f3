/* SPDX-License-Identifier: MIT */
/* measure.c: times one problem, isomat and cuBLAS in turns.
 *
 * A measurement is a batch of multiplications between two events, long enough that the events'
 * resolution does not matter.  How batches follow each other is the protocol's. */
#include <math.h>

#include "message.h"
#include "progress.h"
#include "timing.h"

enum { TRIALS = 3 };

/* Loads what is loaded at first use and brings the clocks up; leaves the shortest call in *least. */
static int warm_up(double *least, struct problem *problem, enum engine engine)
{
    double total = 0.0, seconds;
    *least = INFINITY;
    for (int count = 0; total < 0.1 || (count < 2 && total < 0.2); count++) {
        if (time_call(&seconds, problem, engine) != STATUS_OK)
            return STATUS_FAILED;
        total += seconds;
        *least = fmin(*least, seconds);
    }
    return STATUS_OK;
}

static int make_plan(struct plan *plan, struct problem *problem, const struct measure_request *request,
                     const char *title)
{
    /* eight spaced launches shall stay a short burst */
    double batch_seconds = request->protocol == PROTOCOL_SPACED ? 0.2e-3 : 0.5e-3;
    *plan = (struct plan){
        .title = title,
        .engines = problem->cublas ? 2 : 1,
        .wanted = request->rounds,
        .seconds = INFINITY,
        .host = is_host_driver(&problem->session->driver),
    };
    for (int engine = 0; engine < plan->engines; engine++) {
        double least;
        if (warm_up(&least, problem, (enum engine)engine) != STATUS_OK)
            return STATUS_FAILED;
        plan->seconds = fmin(plan->seconds, least);
    }
    plan->batch = clamp_count(ceil(batch_seconds / plan->seconds), 1, 100);
    return STATUS_OK;
}

/* Leaves cuBLAS in the layout in which a burst is fastest; one that cuBLAS refuses is none. */
static int choose_layout(struct problem *problem, const struct plan *plan)
{
    struct events events;
    double values[TRIALS], best = INFINITY;
    int chosen = 2 * problem->peer_op_a + problem->peer_op_b;
    int status = events_create(&events, problem, TRIALS + 1);

    for (int layout = 0; layout < 4 && status == STATUS_OK; layout++) {
        problem->peer_op_a = layout / 2;
        problem->peer_op_b = layout % 2;
        if (problem_try_cublas(problem) != 0)
            continue;
        status = spaced_burst(values, problem, ENGINE_CUBLAS, plan, TRIALS, &events);
        double median = status == STATUS_OK ? stats_of(values, TRIALS).median : INFINITY;
        if (median < best) {
            best = median;
            chosen = layout;
        }
    }
    problem->peer_op_a = chosen / 2;
    problem->peer_op_b = chosen % 2;
    events_destroy(&events);
    return status;
}

int measure(struct measurement *measurement, struct problem *problem, const struct measure_request *request,
            const char *title)
{
    static int (*const protocols[])(struct measurement *, struct problem *, const struct plan *) = {
        [PROTOCOL_BACK_TO_BACK] = measure_back_to_back,
        [PROTOCOL_SPACED] = measure_spaced,
        [PROTOCOL_LOOP] = measure_loop,
    };
    struct plan plan;

    progress_show(title, 0, request->rounds);
    if (make_plan(&plan, problem, request, title) != STATUS_OK)
        return STATUS_FAILED;
    if (request->best_layout && problem->cublas && choose_layout(problem, &plan) != STATUS_OK)
        return STATUS_FAILED;
    *measurement = (struct measurement){.batch = plan.batch};
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        measurement->engines[engine] = (struct timing){{NAN, NAN, NAN}, NAN};
    return protocols[request->protocol](measurement, problem, &plan);
}
