/* SPDX-License-Identifier: MIT */
/* tune_measure.c: times every kernel that can do a product.
 *
 * All of them in turns, a batch of each between two events, a few rounds; then those near the best, and
 * the library's own choice, for more rounds.  What counts is the median. */
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "progress.h"
#include "stats.h"
#include "timing.h"
#include "tune.h"

enum { FIRST_ROUNDS = 3, LAST_ROUNDS = 21, HOST_ROUNDS = 5, FINALISTS = 8, MAX_ROUNDS = LAST_ROUNDS };

/* What is so much slower than the library's choice, or than the best, is not measured any longer. */
#define HOPELESS 3.0
#define FAR 1.15
/* What gains less is not told from chance. */
#define LEAST_GAIN 1.02

int32_t tune_set(const struct problem *problem, const struct tune_candidate *candidate)
{
    return isomat_gemm_set_kernel(problem->session->context, problem->m, problem->n, problem->k,
                                  problem->op_a, problem->op_b, problem->compute,
                                  candidate ? candidate->name : NULL, candidate ? candidate->parts : 0);
}

static int find_candidates(struct tune_result *result, const struct problem *problem)
{
    int32_t status = ISOMAT_OK;
    for (result->count = 0; result->count < MAX_CANDIDATES; result->count++) {
        struct tune_candidate *each = &result->list[result->count];
        status = isomat_gemm_get_candidate(each->name, sizeof each->name, NULL, &each->parts,
                                           problem->session->context, result->count, problem->m, problem->n,
                                           problem->k, problem->op_a, problem->op_b, problem->compute);
        if (status != ISOMAT_OK)
            break;
    }
    return status == ISOMAT_OK || status == ISOMAT_ERROR_NOT_FOUND ? STATUS_OK : fail_library();
}

/* Two calls: the first may load the kernel. */
static int warm_up(struct tune_candidate *candidate, struct problem *problem)
{
    candidate->least = INFINITY;
    if (tune_set(problem, candidate) != ISOMAT_OK)
        return fail_library();
    for (int i = 0; i < 2; i++) {
        double seconds;
        if (time_call(&seconds, problem, ENGINE_ISOMAT) != STATUS_OK)
            return STATUS_FAILED;
        candidate->least = fmin(candidate->least, seconds);
    }
    return STATUS_OK;
}

/* Candidates still in the running, and how many multiplications are timed at once. */
struct field {
    struct tune_candidate *list[MAX_CANDIDATES];
    int count;
    int64_t batch;
};

/* One round; each begins with another one, after work that is not timed, so that none is always first. */
static int run_round(double *values, int round, const struct field *field, struct problem *problem,
                     const struct events *events)
{
    for (int i = -1; i < field->count; i++) {
        int place = (i + round + field->count) % field->count;
        if (tune_set(problem, field->list[place]) != ISOMAT_OK)
            return fail_library();
        if (submit_batch(problem, ENGINE_ISOMAT, field->batch) != STATUS_OK ||
            events_record(events, i + 1, problem) != STATUS_OK)
            return STATUS_FAILED;
    }
    if (wait_for_stream(problem) != STATUS_OK)
        return STATUS_FAILED;
    for (int i = 0; i < field->count; i++)
        if (events_elapsed(&values[(i + round) % field->count * MAX_ROUNDS + round], events, i, i + 1) !=
            STATUS_OK)
            return STATUS_FAILED;
    return STATUS_OK;
}

/* Sets the median times of the field. */
static int run_rounds(const struct field *field, int rounds, struct problem *problem)
{
    struct events events;
    double *values = malloc((size_t)field->count * MAX_ROUNDS * sizeof *values);
    if (!values)
        return fail("no memory for the measurements");
    int status = events_create(&events, problem, field->count + 1);
    for (int round = 0; round < rounds && status == STATUS_OK; round++)
        status = run_round(values, round, field, problem, &events);
    for (int i = 0; i < field->count && status == STATUS_OK; i++)
        field->list[i]->ms = stats_of(values + i * MAX_ROUNDS, (size_t)rounds).median / (double)field->batch;
    events_destroy(&events);
    free(values);
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct tune_candidate *a = *(struct tune_candidate *const *)left;
    const struct tune_candidate *b = *(struct tune_candidate *const *)right;
    return (a->ms > b->ms) - (a->ms < b->ms);
}

/* Leaves the best of the field, and the library's choice. */
static void thin_out(struct field *field, struct tune_candidate *own)
{
    int kept = 0;
    qsort(field->list, (size_t)field->count, sizeof *field->list, compare);
    double limit = FAR * field->list[0]->ms;
    for (int i = 0; i < field->count; i++) {
        struct tune_candidate *each = field->list[i];
        if (each == own || (kept < FINALISTS && each->ms <= limit)) {
            field->list[kept++] = each;
        } else {
            each->ms = NAN;
        }
    }
    field->count = kept;
}

static int measure_all(struct tune_result *result, struct problem *problem)
{
    struct field field = {.count = 0};
    bool host = is_host_driver(&problem->session->driver);
    for (int i = 0; i < result->count; i++) {
        struct tune_candidate *each = &result->list[i];
        each->ms = NAN;
        if (warm_up(each, problem) != STATUS_OK)
            return STATUS_FAILED;
        if (each->least <= HOPELESS * result->list[0].least)
            field.list[field.count++] = each;
    }
    field.batch = host ? 1 : clamp_count(ceil(0.5e-3 / result->list[0].least), 1, 100);
    if (run_rounds(&field, FIRST_ROUNDS, problem) != STATUS_OK)
        return STATUS_FAILED;
    thin_out(&field, &result->list[0]);
    return run_rounds(&field, host ? HOST_ROUNDS : LAST_ROUNDS, problem);
}

int tune_measure(struct tune_result *result, struct problem *problem)
{
    result->best = 0;
    if (find_candidates(result, problem) != STATUS_OK)
        return STATUS_FAILED;
    int status = measure_all(result, problem);
    if (status == STATUS_OK)
        for (int i = 1; i < result->count; i++)
            if (result->list[i].ms * LEAST_GAIN <= result->list[0].ms && /* not so for NaN */
                (result->best == 0 || result->list[i].ms < result->list[result->best].ms))
                result->best = i;
    tune_set(problem, NULL);
    return status;
}
