/* SPDX-License-Identifier: MIT */
/* shapes.c: multiplications of many shapes, isomat's time and cuBLAS's.
 *
 *     shapes [--shapes FILE]... [--size N]... [--compute MODE]... [--csv FILE] [--milliseconds MS]
 *
 * FILE is bench/shapes.csv or a list like it; --size adds a square one.  A mode's shapes are measured
 * one after the other without a pause, each in rounds of isomat and then cuBLAS; a round is a graph of
 * as many multiplications as take half a millisecond, so that neither the host's pace nor a launch's
 * start is measured.  Operands are of one pool of random numbers, and some elements of each result
 * are compared with float64.
 *
 * Rows are appended to the CSV file as they come; what is in it already is not measured again.
 * Exit status: 0; 1 if a result is wrong, or something failed; 2 on wrong usage. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "message.h"
#include "options.h"
#include "peak.h"
#include "progress.h"
#include "random.h"
#include "replay.h"
#include "shapes_list.h"
#include "shapes_results.h"
#include "stats.h"
#include "timing.h"

enum {
    MODES = 8,
    CHUNK = 4194301, /* prime, so that rows of a matrix differ */
    SAMPLES = 6,
    TRIALS = 3,
    MOST_ROUNDS = 25,
    LEAST_ROUNDS = 3,
    MOST_IN_GRAPH = 200,
};

#define ROUND_US 500.0 /* of each engine */

struct request {
    struct shapes shapes;
    int32_t modes[MODES];
    int mode_count;
    const char *csv;
    int64_t milliseconds; /* for each shape, of each engine */
};

/* The operands of all shapes are parts of these, and so is C. */
struct pool {
    isomat_context context;
    uint64_t memory[3]; /* A, B, C */
    double *host[2];    /* what A and B repeat, in the mode's precision */
    int64_t period;
};

struct bench {
    struct request request;
    struct session session;
    struct cublas cublas, *peer;
    struct replayer graphs, *replayer;
    struct problem problem;
    struct pool pool;
    struct results results;
    bool wrong;
};

/* ------------------------------------------------------------------------ the data */

static void pool_destroy(struct pool *pool)
{
    for (int i = 0; i < 3; i++)
        if (pool->memory[i])
            isomat_memory_free(pool->memory[i], pool->context, ISOMAT_NONE);
    free(pool->host[0]);
    free(pool->host[1]);
    *pool = (struct pool){0};
}

static double random_element(int32_t compute, uint64_t seed, int64_t index)
{
    double x = (double)(int64_t)(random_bits(seed, (uint64_t)index) >> 11) * 0x1p-53 - 0.5;
    return compute == ISOMAT_COMPUTE_F64 ? x : compute_round(compute, (float)x);
}

/* What the operand's period is made from on the device; exact in the mode's type. */
static int make_period(isomat_matrix *typed, const struct pool *pool, int which, int32_t type)
{
    bool f64 = type == ISOMAT_TYPE_F64;
    float *floats = f64 ? NULL : malloc((size_t)pool->period * sizeof *floats);
    isomat_matrix source = ISOMAT_NONE;
    if (!f64 && !floats)
        return fail("no memory for random numbers");
    for (int64_t i = 0; floats && i < pool->period; i++)
        floats[i] = (float)pool->host[which][i];
    const void *data = f64 ? (const void *)pool->host[which] : floats;
    int32_t status = isomat_matrix_from_host(&source, pool->context, data, 1, pool->period, pool->period,
                                             f64 ? ISOMAT_TYPE_F64 : ISOMAT_TYPE_F32, ISOMAT_NONE);
    free(floats);
    if (status == ISOMAT_OK && (f64 || type == ISOMAT_TYPE_F32)) {
        *typed = source;
        return STATUS_OK;
    }
    if (status == ISOMAT_OK)
        status = isomat_matrix_create(typed, pool->context, 1, pool->period, type, ISOMAT_NONE);
    if (status == ISOMAT_OK)
        status = isomat_matrix_copy(*typed, source, ISOMAT_NONE);
    isomat_matrix_destroy(source);
    return status == ISOMAT_OK ? STATUS_OK : fail_library();
}

static int fill(const struct pool *pool, int which, int64_t elements, int32_t type)
{
    isomat_matrix period = ISOMAT_NONE;
    uint64_t source = 0;
    int64_t bytes = type_bytes(type);
    if (make_period(&period, pool, which, type) != STATUS_OK)
        return STATUS_FAILED;
    int32_t status = isomat_matrix_get_pointer(&source, period);
    for (int64_t at = 0; at < elements && status == ISOMAT_OK; at += pool->period) {
        int64_t count = elements - at < pool->period ? elements - at : pool->period;
        status = isomat_memory_copy_device(pool->memory[which] + (uint64_t)(at * bytes), source,
                                           count * bytes, pool->context, ISOMAT_NONE);
    }
    if (status == ISOMAT_OK)
        status = isomat_context_synchronize(pool->context);
    isomat_matrix_destroy(period);
    return status == ISOMAT_OK ? STATUS_OK : fail_library();
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Room for the largest A, B and C of the list. */
static void measure_room(int64_t elements[3], const struct shapes *shapes)
{
    memset(elements, 0, 3 * sizeof *elements);
    for (int64_t i = 0; i < shapes->count; i++) {
        const struct shape *shape = &shapes->list[i];
        elements[0] = larger(elements[0], shape->m * shape->k);
        elements[1] = larger(elements[1], shape->k * shape->n);
        elements[2] = larger(elements[2], shape->m * shape->n);
    }
}

static int pool_create(struct pool *pool, const struct session *session, const struct shapes *shapes,
                       int32_t compute)
{
    int32_t type = compute_type(compute);
    int64_t elements[3];
    measure_room(elements, shapes);
    *pool = (struct pool){.context = session->context};
    pool->period = larger(elements[0], elements[1]);
    if (pool->period > CHUNK)
        pool->period = CHUNK;
    for (int i = 0; i < 3; i++)
        if (isomat_memory_allocate(&pool->memory[i], elements[i] * type_bytes(type), pool->context,
                                   ISOMAT_NONE) != ISOMAT_OK)
            return fail_library();
    for (int which = 0; which < 2; which++) {
        pool->host[which] = malloc((size_t)pool->period * sizeof(double));
        if (!pool->host[which])
            return fail("no memory for random numbers");
        for (int64_t i = 0; i < pool->period; i++)
            pool->host[which][i] = random_element(compute, (uint64_t)which + 1, i);
        if (fill(pool, which, elements[which], type) != STATUS_OK)
            return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* ------------------------------------------------------------------------ one shape */

static void drop_matrices(struct problem *problem)
{
    isomat_matrix_destroy(problem->a);
    isomat_matrix_destroy(problem->b);
    isomat_matrix_destroy(problem->c);
    problem->a = problem->b = problem->c = ISOMAT_NONE;
}

static int take_matrices(struct problem *problem, const struct pool *pool, const struct shape *shape,
                         int32_t compute)
{
    isomat_matrix *matrices[3] = {&problem->a, &problem->b, &problem->c};
    int64_t rows[3] = {shape->op_a ? shape->k : shape->m, shape->op_b ? shape->n : shape->k, shape->m};
    int64_t cols[3] = {shape->op_a ? shape->m : shape->k, shape->op_b ? shape->k : shape->n, shape->n};
    problem->m = shape->m;
    problem->n = shape->n;
    problem->k = shape->k;
    problem->products = 1;
    problem->op_a = problem->peer_op_a = shape->op_a;
    problem->op_b = problem->peer_op_b = shape->op_b;
    problem->compute = compute;
    problem->c_type = compute_type(compute);
    for (int i = 0; i < 3; i++) {
        problem->pointers[i] = pool->memory[i];
        if (isomat_matrix_adopt(matrices[i], pool->context, pool->memory[i], rows[i], cols[i], cols[i],
                                problem->c_type, ISOMAT_ADOPT_BORROW) != ISOMAT_OK)
            return fail_library();
    }
    return STATUS_OK;
}

static double element_of(const struct pool *pool, int which, bool transposed, int64_t row, int64_t col,
                         int64_t rows, int64_t cols)
{
    return pool->host[which][(transposed ? col * rows + row : row * cols + col) % pool->period];
}

/* |c - c64| / sum |a||b| of one element, what C's type costs set aside; NaN if C is not finite. */
static double element_error(const struct problem *problem, const struct pool *pool, int64_t row, int64_t col)
{
    double bits = NAN, sum = 0.0, size = 0.0;
    isomat_matrix view;
    if (isomat_matrix_view(&view, problem->c, row, col, 1, 1) != ISOMAT_OK)
        return NAN;
    int32_t status = isomat_matrix_to_host(&bits, 1, view, problem->stream);
    isomat_matrix_destroy(view);
    if (status != ISOMAT_OK)
        return NAN;
    double value = problem->c_type == ISOMAT_TYPE_F64 ? bits : type_get(problem->c_type, &bits, 0);
    for (int64_t i = 0; i < problem->k; i++) {
        double a = element_of(pool, 0, problem->op_a, row, i, problem->m, problem->k);
        double b = element_of(pool, 1, problem->op_b, i, col, problem->k, problem->n);
        sum += a * b;
        size += fabs(a * b);
    }
    double difference = fabs(value - sum) - type_rounding(problem->c_type, sum);
    return difference <= 0.0 ? 0.0 : difference / size;
}

/* Multiplies once into a poisoned C; a wrong result is said and noted, and the measurements go on. */
static int verify(struct bench *bench)
{
    struct problem *problem = &bench->problem;
    double bound = compute_bound(problem->compute, problem->k);
    if (isomat_matrix_fill(problem->c, NAN, problem->stream) != ISOMAT_OK)
        return fail_library();
    if (problem_submit(problem, ENGINE_ISOMAT) != STATUS_OK)
        return STATUS_FAILED;
    for (int i = 0; i < SAMPLES; i++) {
        int64_t row =
            i == 0 ? problem->m - 1 : (int64_t)(random_bits(3, 2 * (uint64_t)i) % (uint64_t)problem->m);
        int64_t col =
            i == 0 ? problem->n - 1 : (int64_t)(random_bits(3, 2 * (uint64_t)i + 1) % (uint64_t)problem->n);
        double error = element_error(problem, &bench->pool, row, col);
        if (error <= bound)
            continue;
        bench->wrong = true;
        note("%" PRId64 "x%" PRId64 "x%" PRId64 " %s is wrong: error %.3g, bound %.3g", problem->m,
             problem->n, problem->k, compute_name(problem->compute), error, bound);
        break;
    }
    return STATUS_OK;
}

/* One segment of each engine after the other; writes the microseconds of a multiplication. */
static int time_round(double *us[ENGINE_COUNT], int index, struct bench *bench, const struct replay *replays,
                      int engines, const struct events *events)
{
    for (int engine = 0; engine <= engines; engine++) {
        if (events_record(events, engine, &bench->problem) != STATUS_OK)
            return STATUS_FAILED;
        if (engine < engines && replay_submit(&replays[engine], bench->replayer, &bench->problem,
                                              (enum engine)engine) != STATUS_OK)
            return STATUS_FAILED;
    }
    if (wait_for_stream(&bench->problem) != STATUS_OK)
        return STATUS_FAILED;
    for (int engine = 0; engine < engines; engine++) {
        double ms;
        if (events_elapsed(&ms, events, engine, engine + 1) != STATUS_OK)
            return STATUS_FAILED;
        us[engine][index] = 1e3 * ms / (double)replays[engine].count;
    }
    return STATUS_OK;
}

/* Medians of rounds of replays of count multiplications by each engine. */
static int time_rounds(double medians[ENGINE_COUNT], struct bench *bench, int engines,
                       const int64_t counts[ENGINE_COUNT], int rounds, const struct replayer *replayer,
                       const struct events *events)
{
    double values[ENGINE_COUNT][MOST_ROUNDS + 1];
    double *us[ENGINE_COUNT] = {values[0], values[1]};
    struct replay replays[ENGINE_COUNT] = {{0}};
    int status = STATUS_OK;
    for (int engine = 0; engine < engines && status == STATUS_OK; engine++)
        status =
            replay_create(&replays[engine], replayer, &bench->problem, (enum engine)engine, counts[engine]);
    for (int i = 0; i <= rounds && status == STATUS_OK; i++) /* the first is a warm-up */
        status = time_round(us, i == 0 ? rounds : i - 1, bench, replays, engines, events);
    for (int engine = 0; engine < engines; engine++) {
        replay_destroy(&replays[engine], replayer);
        medians[engine] = status == STATUS_OK ? stats_of(us[engine], (size_t)rounds).median : NAN;
    }
    return status;
}

/* A first look tells how much to do. */
static int time_shape(struct result *result, struct bench *bench)
{
    int engines = bench->problem.cublas ? 2 : 1;
    int64_t counts[ENGINE_COUNT] = {1, 1};
    double us[ENGINE_COUNT] = {0}, round_us = 0.0;
    struct events events;
    int status = events_create(&events, &bench->problem, ENGINE_COUNT + 1);
    if (status == STATUS_OK)
        status = time_rounds(us, bench, engines, counts, TRIALS, NULL, &events);
    for (int engine = 0; engine < engines; engine++) {
        counts[engine] = clamp_count(ceil(ROUND_US / us[engine]), 1, MOST_IN_GRAPH);
        round_us += us[engine] * (double)counts[engine];
    }
    double wanted = 1e3 * (double)(bench->request.milliseconds * engines) / round_us;
    int rounds = (int)clamp_count(wanted, LEAST_ROUNDS, MOST_ROUNDS);
    if (status == STATUS_OK)
        status = time_rounds(us, bench, engines, counts, rounds, bench->replayer, &events);
    events_destroy(&events);
    result->isomat_us = us[ENGINE_ISOMAT];
    result->cublas_us = engines > 1 ? us[ENGINE_CUBLAS] : 0.0;
    return status;
}

static int bench_shape(struct bench *bench, const struct shape *shape, int32_t compute)
{
    struct problem *problem = &bench->problem;
    struct result result = {
        .shape = *shape,
        .compute = compute,
        .limit = 1e-12 * mode_peak(&bench->session, compute),
    };
    int status = take_matrices(problem, &bench->pool, shape, compute);
    problem->cublas = bench->peer;
    if (status == STATUS_OK &&
        isomat_gemm_get_kernel(result.kernel, sizeof result.kernel, NULL, bench->session.context, shape->m,
                               shape->n, shape->k, shape->op_a, shape->op_b, compute) != ISOMAT_OK)
        status = fail_library();
    if (status == STATUS_OK)
        status = verify(bench);
    if (status == STATUS_OK && problem->cublas && problem_try_cublas(problem) != 0)
        problem->cublas = NULL; /* it refuses: isomat is measured alone */
    if (status == STATUS_OK)
        status = time_shape(&result, bench);
    drop_matrices(problem);
    if (status == STATUS_OK)
        status = results_add(&bench->results, &result, bench->session.device.name);
    return status;
}

/* ------------------------------------------------------------------------ all of them */

static int64_t count_missing(const struct bench *bench, int32_t compute)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < bench->request.shapes.count; i++)
        missing += !results_have(&bench->results, &bench->request.shapes.list[i], compute);
    return missing;
}

static int bench_mode(struct bench *bench, int32_t compute)
{
    const struct shapes *shapes = &bench->request.shapes;
    int status = STATUS_OK;
    if (count_missing(bench, compute) > 0)
        status = pool_create(&bench->pool, &bench->session, shapes, compute);
    for (int64_t i = 0; i < shapes->count && status == STATUS_OK; i++) {
        progress_show(compute_name(compute), i, shapes->count);
        if (!results_have(&bench->results, &shapes->list[i], compute))
            status = bench_shape(bench, &shapes->list[i], compute);
    }
    pool_destroy(&bench->pool);
    progress_clear();
    return status;
}

static int bench_all(struct bench *bench)
{
    int status = STATUS_OK;
    for (int i = 0; i < bench->request.mode_count && status == STATUS_OK; i++)
        status = bench_mode(bench, bench->request.modes[i]);
    for (int i = 0; i < bench->request.mode_count; i++)
        results_print(&bench->results, bench->request.modes[i]);
    return bench->wrong ? STATUS_FAILED : status;
}

/* ------------------------------------------------------------------------ main */

static int usage(const char *problem, const char *word)
{
    fprintf(stderr,
            "shapes: %s%s; usage: shapes [--shapes FILE]... [--size N]... [--compute %s]... [--csv FILE] "
            "[--milliseconds MS]\n",
            problem, word, COMPUTE_HELP);
    return STATUS_USAGE;
}

static int add_square(struct shapes *shapes, int64_t size)
{
    struct shape shape = {.m = size, .n = size, .k = size, .source = "square"};
    return shapes_add(shapes, &shape);
}

static int parse_option(struct request *request, const char *name, const char *value)
{
    int64_t size;
    if (strcmp(name, "--shapes") == 0)
        return shapes_read(&request->shapes, value);
    if (strcmp(name, "--csv") == 0) {
        request->csv = value;
        return STATUS_OK;
    }
    if (strcmp(name, "--size") == 0)
        return parse_integer(&size, value, 1, 65536) ? add_square(&request->shapes, size)
                                                     : usage("not a size from 1 to 65536: ", value);
    if (strcmp(name, "--milliseconds") == 0)
        return parse_integer(&request->milliseconds, value, 1, 100000)
                   ? STATUS_OK
                   : usage("not a whole number from 1 to 100000: ", value);
    if (strcmp(name, "--compute") != 0)
        return usage("unknown option: ", name);
    if (request->mode_count == MODES || parse_compute(&request->modes[request->mode_count], value) != NULL)
        return usage("unknown compute mode, or too many: ", value);
    request->mode_count++;
    return STATUS_OK;
}

static int parse(struct request *request, int argc, char **argv)
{
    int status = STATUS_OK;
    for (int i = 1; i < argc && status == STATUS_OK; i += 2)
        status = i + 1 < argc ? parse_option(request, argv[i], argv[i + 1])
                              : usage("unknown option, or no value after it: ", argv[i]);
    if (status == STATUS_OK && request->shapes.count == 0)
        return usage("no shapes", "");
    if (request->mode_count == 0)
        request->modes[request->mode_count++] = ISOMAT_COMPUTE_F32_STRICT;
    return status;
}

/* Without cuBLAS, isomat is measured alone. */
static int open_device(struct bench *bench)
{
    char reason[256] = "the stream cannot be shared";
    uint64_t cu_stream;
    int status = session_open(&bench->session, 0);
    if (status != STATUS_OK)
        return status;
    bench->problem.session = &bench->session;
    if (isomat_stream_create(&bench->problem.stream, bench->session.context, 0) != ISOMAT_OK)
        return fail_library();
    if (isomat_stream_get_native(&cu_stream, bench->problem.stream) == ISOMAT_OK &&
        cublas_open(&bench->cublas, &bench->session, cu_stream, reason, sizeof reason))
        bench->peer = &bench->cublas;
    else
        note("not compared with cuBLAS: %s", reason);
    if (replayer_open(&bench->graphs, &bench->session))
        bench->replayer = &bench->graphs;
    else
        note("the driver has no graphs: small shapes are measured at the host's pace");
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct bench bench = {.request.milliseconds = 25};

    setenv("ISOMAT_DRIVER", "auto", 0);
    int status = parse(&bench.request, argc, argv);
    if (status == STATUS_OK)
        status = open_device(&bench);
    if (status == STATUS_OK)
        status = results_open(&bench.results, bench.request.csv, bench.session.device.name);
    if (status == STATUS_OK)
        status = bench_all(&bench);
    if (results_close(&bench.results) != STATUS_OK)
        status = STATUS_FAILED;
    cublas_close(&bench.cublas);
    isomat_stream_destroy(bench.problem.stream);
    session_close(&bench.session);
    shapes_free(&bench.request.shapes);
    return finish_output() == STATUS_OK ? status : STATUS_FAILED;
}
