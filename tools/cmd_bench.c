/* SPDX-License-Identifier: MIT */
/* cmd_bench.c: isomat bench: measures multiplications of random matrices. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_options.h"
#include "compute.h"
#include "cublas.h"
#include "measure.h"
#include "message.h"
#include "options.h"
#include "peak.h"
#include "problem.h"
#include "progress.h"
#include "records.h"
#include "verbs.h"

enum {
    COL_M,
    COL_N,
    COL_K,
    COL_COMPUTE,
    COL_KERNEL,
    COL_MS,
    COL_Q1,
    COL_Q3,
    COL_SPREAD,
    COL_CALL,
    COL_TFLOPS,
    COL_PEAK,
    COL_CUBLAS,
    COL_CUBLAS_Q1,
    COL_CUBLAS_Q3,
    COL_CUBLAS_CALL,
    COL_RATIO,
    COL_ERROR,
    COL_BOUND,
    COL_CUBLAS_ERROR,
    COL_ROUNDS,
    COL_BATCH,
    COL_LAYOUT,
    COL_CUBLAS_LAYOUT,
    COL_OUTPUT,
    COL_PROTOCOL,
    COL_KEPT,
    COL_PRODUCTS,
    COL_COUNT
};

static const struct column columns[COL_COUNT] = {
    [COL_M] = {"m", "m", COLUMN_INTEGER},
    [COL_N] = {"n", "n", COLUMN_INTEGER},
    [COL_K] = {"k", "k", COLUMN_INTEGER},
    [COL_COMPUTE] = {"compute", "compute", COLUMN_TEXT},
    [COL_KERNEL] = {"kernel", "kernel", COLUMN_TEXT},
    [COL_MS] = {"kernel_ms_median", "kernel ms", COLUMN_NUMBER},
    [COL_Q1] = {"kernel_ms_q1", NULL, COLUMN_NUMBER},
    [COL_Q3] = {"kernel_ms_q3", NULL, COLUMN_NUMBER},
    [COL_SPREAD] = {NULL, "spread", COLUMN_PERCENT},
    [COL_CALL] = {"call_ms_median", "call ms", COLUMN_NUMBER},
    [COL_TFLOPS] = {"tflops", "TFLOP/s", COLUMN_NUMBER},
    [COL_PEAK] = {"of_peak", "of peak", COLUMN_PERCENT},
    [COL_CUBLAS] = {"cublas_ms_median", "cuBLAS ms", COLUMN_NUMBER},
    [COL_CUBLAS_Q1] = {"cublas_ms_q1", NULL, COLUMN_NUMBER},
    [COL_CUBLAS_Q3] = {"cublas_ms_q3", NULL, COLUMN_NUMBER},
    [COL_CUBLAS_CALL] = {"cublas_call_ms_median", NULL, COLUMN_NUMBER},
    [COL_RATIO] = {"ratio", "ratio", COLUMN_NUMBER},
    [COL_ERROR] = {"error_max", "error", COLUMN_ERROR},
    [COL_BOUND] = {"error_bound", "bound", COLUMN_ERROR},
    [COL_CUBLAS_ERROR] = {"cublas_error_max", "cuBLAS error", COLUMN_ERROR},
    [COL_ROUNDS] = {"iterations", NULL, COLUMN_INTEGER},
    [COL_BATCH] = {"batch", NULL, COLUMN_INTEGER},
    [COL_LAYOUT] = {"layout", NULL, COLUMN_TEXT},
    [COL_CUBLAS_LAYOUT] = {"cublas_layout", "cuBLAS's layout", COLUMN_TEXT},
    [COL_OUTPUT] = {"output", NULL, COLUMN_TEXT},
    [COL_PROTOCOL] = {"protocol", NULL, COLUMN_TEXT},
    [COL_KEPT] = {"kept", NULL, COLUMN_INTEGER},
    [COL_PRODUCTS] = {"products", NULL, COLUMN_INTEGER},
};

static void set_layout(struct cell *cell, int32_t op_a, int32_t op_b)
{
    const char text[] = {op_a ? 't' : 'n', op_b ? 't' : 'n', 0};
    cell_set_text(cell, text);
}

/* What was measured, and how. */
static void fill_identity(struct cell *row, const struct problem *problem,
                          const struct measurement *measurement, const struct bench_request *request)
{
    char kernel[sizeof row->text];

    if (problem->products == 1 &&
        isomat_gemm_get_kernel(kernel, sizeof kernel, NULL, problem->session->context, problem->m, problem->n,
                               problem->k, problem->op_a, problem->op_b, problem->compute) == ISOMAT_OK)
        cell_set_text(&row[COL_KERNEL], kernel);
    cell_set_text(&row[COL_COMPUTE], compute_name(problem->compute));
    cell_set_text(&row[COL_OUTPUT], type_name(problem->c_type));
    cell_set_text(&row[COL_PROTOCOL], protocol_names[request->measure.protocol]);
    set_layout(&row[COL_LAYOUT], problem->op_a, problem->op_b);
    if (request->measure.best_layout && problem->cublas)
        set_layout(&row[COL_CUBLAS_LAYOUT], problem->peer_op_a, problem->peer_op_b);
    row[COL_M].number = (double)problem->m;
    row[COL_N].number = (double)problem->n;
    row[COL_K].number = (double)problem->k;
    row[COL_KEPT].number = problem->keep;
    row[COL_PRODUCTS].number = (double)problem->products;
    row[COL_ROUNDS].number = (double)measurement->rounds;
    row[COL_BATCH].number = (double)measurement->batch;
}

static void fill_row(struct cell *row, const struct problem *problem, const struct measurement *measurement,
                     const struct bench_request *request)
{
    const struct timing *isomat = &measurement->engines[ENGINE_ISOMAT];
    const struct timing *cublas = &measurement->engines[ENGINE_CUBLAS];
    double flops =
        2.0 * (double)problem->products * (double)problem->m * (double)problem->n * (double)problem->k;
    double rate = flops / (1e-3 * isomat->kernel_ms.median);
    bool float32 = problem->compute == ISOMAT_COMPUTE_F32 || problem->compute == ISOMAT_COMPUTE_F32_STRICT;

    fill_identity(row, problem, measurement, request);
    row[COL_MS].number = isomat->kernel_ms.median;
    row[COL_Q1].number = isomat->kernel_ms.q1;
    row[COL_Q3].number = isomat->kernel_ms.q3;
    row[COL_SPREAD].number = (isomat->kernel_ms.q3 - isomat->kernel_ms.q1) / isomat->kernel_ms.median;
    row[COL_CALL].number = isomat->call_ms;
    row[COL_TFLOPS].number = 1e-12 * rate;
    row[COL_PEAK].number = float32 ? rate / fma_peak(problem->session) : NAN;
    row[COL_CUBLAS].number = cublas->kernel_ms.median;
    row[COL_CUBLAS_Q1].number = cublas->kernel_ms.q1;
    row[COL_CUBLAS_Q3].number = cublas->kernel_ms.q3;
    row[COL_CUBLAS_CALL].number = cublas->call_ms;
    row[COL_RATIO].number = cublas->kernel_ms.median / isomat->kernel_ms.median;
}

/* A wrong result is said and noted in *wrong; the measurements go on. */
static int verify(bool *wrong, struct cell *row, struct problem *problem)
{
    double bound = problem_error_bound(problem), error;
    if (problem->cublas && problem_verify(&row[COL_CUBLAS_ERROR].number, problem, ENGINE_CUBLAS) != STATUS_OK)
        return STATUS_FAILED;
    if (problem_verify(&error, problem, ENGINE_ISOMAT) != STATUS_OK)
        return STATUS_FAILED;
    row[COL_ERROR].number = error;
    row[COL_BOUND].number = bound;
    if (error <= bound)
        return STATUS_OK;
    *wrong = true;
    note("%" PRId64 "x%" PRId64 "x%" PRId64 " %s is wrong: error %.3g, bound %.3g", problem->m, problem->n,
         problem->k, compute_name(problem->compute), error, bound);
    return STATUS_OK;
}

/* A peer that refuses is said and left out; isomat is measured alone. */
static void check_peer(struct problem *problem, const char *title)
{
    if (!problem->cublas)
        return;
    int status = problem_try_cublas(problem);
    if (status == 0)
        return;
    note("%s: not compared with cuBLAS: %s fails with status %d", title,
         cublas_function(problem->compute, problem->products), status);
    problem->cublas = NULL;
}

static int bench_mode(bool *wrong, struct records *records, struct problem *problem, int32_t compute,
                      const struct bench_request *request)
{
    struct measurement measurement;
    char title[96];
    int status;

    snprintf(title, sizeof title, "%" PRId64 "x%" PRId64 "x%" PRId64 " %s", problem->m, problem->n,
             problem->k, compute_name(compute));
    status = problem_set_compute(problem, compute);
    if (status != STATUS_OK)
        return status;
    check_peer(problem, title);
    status = measure(&measurement, problem, &request->measure, title);
    if (status != STATUS_OK)
        return status;
    struct cell *row = records_add(records);
    if (!row)
        return fail("no memory for the results");
    fill_row(row, problem, &measurement, request);
    return request->verify ? verify(wrong, row, problem) : STATUS_OK;
}

/* All compute modes of one shape, on the same numbers. */
static int bench_shape(bool *wrong, struct records *records, struct problem *problem,
                       const struct bench_request *request)
{
    const struct cublas *cublas = problem->cublas;
    int status = problem_create(problem);
    for (int i = 0; i < request->computes.count && status == STATUS_OK; i++) {
        status = bench_mode(wrong, records, problem, request->computes.list[i], request);
        problem->cublas = cublas;
    }
    problem_destroy(problem);
    return status;
}

/* Modes that the device lacks are said and taken out; the others are measured all the same. */
static int drop_missing_modes(struct computes *computes, const struct session *session)
{
    int kept = 0, status = STATUS_OK;
    for (int i = 0; i < computes->count; i++) {
        char kernel[8];
        if (isomat_gemm_get_kernel(kernel, sizeof kernel, NULL, session->context, 1, 1, 1, ISOMAT_OP_N,
                                   ISOMAT_OP_N, computes->list[i]) == ISOMAT_OK)
            computes->list[kept++] = computes->list[i];
        else
            status = fail_library();
    }
    computes->count = kept;
    return status;
}

/* Measures everything that can be; returns an exit status. */
static int bench_all(struct records *records, struct problem *problem, struct bench_request *request)
{
    int missing = drop_missing_modes(&request->computes, problem->session), status = STATUS_OK;
    bool wrong = false;
    for (int i = 0; i < request->shapes.count && request->computes.count > 0 && status == STATUS_OK; i++) {
        problem->m = request->shapes.list[i].m;
        problem->n = request->shapes.list[i].n;
        problem->k = request->shapes.list[i].k;
        status = bench_shape(&wrong, records, problem, request);
    }
    if (wrong)
        status = STATUS_FAILED;
    return status == STATUS_OK ? missing : status;
}

static int print_results(const struct records *records, const struct bench_request *request,
                         const struct session *session)
{
    char driver[64];
    int version = session->driver.version;

    snprintf(driver, sizeof driver, "%s %d.%d", is_host_driver(&session->driver) ? "host" : "nvidia",
             version / 1000, version % 1000 / 10);
    progress_clear();
    if (request->format == FORMAT_CSV) {
        records_write_csv(records, stdout);
    } else if (request->format == FORMAT_JSON) {
        struct json json = {.file = stdout};
        json_begin_object(&json, NULL);
        json_text(&json, "device", session->device.name);
        json_text(&json, "driver", driver);
        records_write_json(records, &json, "results");
        json_end(&json);
    } else {
        printf("%s, driver %s\n", session->device.name, driver);
        records_write_table(records, stdout);
    }
    return finish_output();
}

/* cuBLAS is compared with if it is there; where it is not, its columns are empty. */
static const struct cublas *open_comparison(struct cublas *cublas, const struct session *session,
                                            isomat_stream stream)
{
    char reason[256] = "the stream cannot be shared";
    uint64_t cu_stream;
    if (isomat_stream_get_native(&cu_stream, stream) == ISOMAT_OK &&
        cublas_open(cublas, session, cu_stream, reason, sizeof reason))
        return cublas;
    note("not compared with cuBLAS: %s", reason);
    return NULL;
}

int cmd_bench(int argc, char **argv)
{
    struct bench_request request = {.products = 1};
    struct session session = {0};
    struct cublas cublas = {0};
    struct records records = {.columns = columns, .column_count = COL_COUNT};
    struct problem problem = {.session = &session};
    int status;

    if (!bench_parse(&request, argc, argv, &status))
        return status;
    status = session_open(&session, (int32_t)request.device);
    if (status != STATUS_OK)
        goto out;
    bench_set_defaults(&request, &session);
    problem.op_a = request.transpose_a ? ISOMAT_OP_T : ISOMAT_OP_N;
    problem.op_b = request.transpose_b ? ISOMAT_OP_T : ISOMAT_OP_N;
    problem.products = request.products;
    problem.keep = request.keep;
    problem.f32_output = request.f32_output;
    if (isomat_stream_create(&problem.stream, session.context, 0) != ISOMAT_OK) {
        status = fail_library();
        goto out;
    }
    if (request.compare)
        problem.cublas = open_comparison(&cublas, &session, problem.stream);
    status = bench_all(&records, &problem, &request);
    /* after a failure, what was measured before it is still worth having */
    if ((status == STATUS_OK || records.rows > 0) && print_results(&records, &request, &session) != STATUS_OK)
        status = STATUS_FAILED;
out:
    records_free(&records);
    cublas_close(&cublas);
    isomat_stream_destroy(problem.stream);
    session_close(&session);
    return status;
}
