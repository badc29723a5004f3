/* SPDX-License-Identifier: MIT */
/* timing.c: what the protocols of measurement have in common: batches and events. */
#include "message.h"
#include "progress.h"
#include "timing.h"

int events_create(struct events *events, const struct problem *problem, int count)
{
    *events = (struct events){0};
    for (; events->count < count; events->count++)
        if (isomat_event_create(&events->list[events->count], problem->session->context, 1) != ISOMAT_OK)
            return fail_library();
    return STATUS_OK;
}

void events_destroy(struct events *events)
{
    while (events->count > 0)
        isomat_event_destroy(events->list[--events->count]);
}

int events_record(const struct events *events, int index, const struct problem *problem)
{
    return isomat_event_record(events->list[index], problem->stream) == ISOMAT_OK ? STATUS_OK
                                                                                  : fail_library();
}

int events_elapsed(double *milliseconds, const struct events *events, int from, int to)
{
    return isomat_event_elapsed(milliseconds, events->list[from], events->list[to]) == ISOMAT_OK
               ? STATUS_OK
               : fail_library();
}

int submit_batch(struct problem *problem, enum engine engine, int64_t batch)
{
    for (int64_t i = 0; i < batch; i++)
        if (problem_submit(problem, engine) != STATUS_OK)
            return STATUS_FAILED;
    return STATUS_OK;
}

int wait_for_stream(const struct problem *problem)
{
    return isomat_stream_synchronize(problem->stream) == ISOMAT_OK ? STATUS_OK : fail_library();
}

int time_call(double *seconds, struct problem *problem, enum engine engine)
{
    double start = now_seconds();
    if (problem_submit(problem, engine) != STATUS_OK || wait_for_stream(problem) != STATUS_OK)
        return STATUS_FAILED;
    *seconds = now_seconds() - start;
    return STATUS_OK;
}

int64_t clamp_count(double value, int64_t least, int64_t most)
{
    if (!(value > (double)least))
        return least;
    return value < (double)most ? (int64_t)value : most;
}
