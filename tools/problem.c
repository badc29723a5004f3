/* SPDX-License-Identifier: MIT */
/* problem.c: one multiplication to be measured, with its random matrices on the device. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "message.h"
#include "problem.h"
#include "random.h"

enum { SEED_A = 1, SEED_B = 2, SEED_SAMPLE = 3, SAMPLES = 400 };

/* Exact in float32, and never halfway between two numbers of TF32, which a device may round to either. */
static float random_element(uint64_t seed, int64_t index)
{
    int32_t number = (int32_t)(random_bits(seed, (uint64_t)index) >> 40) - (1 << 23);
    float x = (float)number * 0x1p-24f;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x1fff) == 0x1000 ? (float)(number ^ 1) * 0x1p-24f : x;
}

/* All 53 bits. */
static double random_element_f64(uint64_t seed, int64_t index)
{
    return (double)(int64_t)(random_bits(seed, (uint64_t)index) >> 11) * 0x1p-53 - 0.5;
}

static int make_random(isomat_matrix *matrix, const struct problem *problem, int32_t type, uint64_t seed)
{
    bool is_a = seed == SEED_A, transposed = (is_a ? problem->op_a : problem->op_b) == ISOMAT_OP_T;
    int64_t rows = is_a ? problem->m : problem->k, cols = is_a ? problem->k : problem->n;
    int64_t count = problem->products * rows * cols, ld = transposed ? rows : cols;
    void *data = malloc((size_t)(count * type_bytes(type)));
    if (!data)
        return fail("no memory for %" PRId64 "x%" PRId64 " elements", rows, cols);
    for (int64_t i = 0; i < count; i++)
        if (type == ISOMAT_TYPE_F64)
            ((double *)data)[i] = random_element_f64(seed, i);
        else
            ((float *)data)[i] = random_element(seed, i);
    int32_t status = isomat_matrix_from_host(matrix, problem->session->context, data, count / ld, ld, ld,
                                             type, problem->stream);
    free(data);
    return status == ISOMAT_OK ? STATUS_OK : fail_library();
}

/* Asked before the host memory is filled: a shape of terabytes is refused at once. */
static int check_room(const struct problem *problem)
{
    double bytes = 4.0 * (double)problem->products *
                   ((double)problem->m * (double)problem->k + (double)problem->k * (double)problem->n +
                    (double)problem->m * (double)problem->n);
    double room = (double)problem->session->device.memory_bytes;
    if (bytes <= room)
        return STATUS_OK;
    return fail("%" PRId64 "x%" PRId64 "x%" PRId64 " needs %.1f GiB, the device has %.1f GiB", problem->m,
                problem->n, problem->k, bytes * 0x1p-30, room * 0x1p-30);
}

int problem_create(struct problem *problem)
{
    problem->sources[0] = problem->sources[1] = ISOMAT_NONE;
    problem->typed[0] = problem->typed[1] = problem->c = ISOMAT_NONE;
    memset(problem->firsts, 0, sizeof problem->firsts);
    if (check_room(problem) || make_random(&problem->sources[0], problem, ISOMAT_TYPE_F32, SEED_A) ||
        make_random(&problem->sources[1], problem, ISOMAT_TYPE_F32, SEED_B))
        return STATUS_FAILED;
    return STATUS_OK;
}

/* What belongs to one compute mode. */
static void drop_typed(struct problem *problem)
{
    for (int i = 0; i < 3; i++)
        isomat_matrix_destroy(problem->firsts[i]);
    memset(problem->firsts, 0, sizeof problem->firsts);
    isomat_matrix_destroy(problem->c);
    isomat_matrix_destroy(problem->typed[1]);
    isomat_matrix_destroy(problem->typed[0]);
    problem->typed[0] = problem->typed[1] = problem->c = ISOMAT_NONE;
}

void problem_destroy(struct problem *problem)
{
    drop_typed(problem);
    isomat_matrix_destroy(problem->sources[1]);
    isomat_matrix_destroy(problem->sources[0]);
    problem->sources[0] = problem->sources[1] = ISOMAT_NONE;
}

static int convert(isomat_matrix *typed, const struct problem *problem, isomat_matrix source, int32_t type)
{
    isomat_matrix_info info = {.struct_size = sizeof info};
    if (isomat_matrix_get_info(&info, source) == ISOMAT_OK &&
        isomat_matrix_create(typed, problem->session->context, info.rows, info.cols, type, problem->stream) ==
            ISOMAT_OK &&
        isomat_matrix_copy(*typed, source, problem->stream) == ISOMAT_OK)
        return STATUS_OK;
    return fail_library();
}

/* A and B of a type that is not float32. */
static int make_typed(struct problem *problem, int32_t type)
{
    if (type == ISOMAT_TYPE_F64) /* more bits than the sources have */
        return make_random(&problem->typed[0], problem, type, SEED_A) ||
                       make_random(&problem->typed[1], problem, type, SEED_B)
                   ? STATUS_FAILED
                   : STATUS_OK;
    return convert(&problem->typed[0], problem, problem->sources[0], type) ||
                   convert(&problem->typed[1], problem, problem->sources[1], type)
               ? STATUS_FAILED
               : STATUS_OK;
}

static int prepare(const struct problem *problem)
{
    if (isomat_matrix_prepare(problem->a, ISOMAT_OPERAND_A, problem->op_a, problem->compute,
                              problem->stream) == ISOMAT_OK &&
        isomat_matrix_prepare(problem->b, ISOMAT_OPERAND_B, problem->op_b, problem->compute,
                              problem->stream) == ISOMAT_OK)
        return STATUS_OK;
    return fail_library();
}

/* The first of the stacked matrices, of which isomat_gemm_strided_batched is told. */
static int view_firsts(struct problem *problem)
{
    const isomat_matrix stacks[3] = {problem->a, problem->b, problem->c};
    for (int i = 0; i < 3; i++) {
        isomat_matrix_info info = {.struct_size = sizeof info};
        if (isomat_matrix_get_info(&info, stacks[i]) != ISOMAT_OK ||
            isomat_matrix_view(&problem->firsts[i], stacks[i], 0, 0, info.rows / problem->products,
                               info.cols) != ISOMAT_OK)
            return fail_library();
    }
    return STATUS_OK;
}

int problem_set_compute(struct problem *problem, int32_t compute)
{
    const isomat_matrix *matrices[3] = {&problem->a, &problem->b, &problem->c};
    int32_t type = compute_type(compute);

    drop_typed(problem);
    problem->compute = compute;
    problem->c_type = problem->f32_output && type_bytes(type) == 2 ? ISOMAT_TYPE_F32 : type;
    problem->peer_op_a = problem->op_a;
    problem->peer_op_b = problem->op_b;
    problem->a = problem->sources[0];
    problem->b = problem->sources[1];
    if (type != ISOMAT_TYPE_F32) {
        if (make_typed(problem, type))
            return STATUS_FAILED;
        problem->a = problem->typed[0];
        problem->b = problem->typed[1];
    }
    if (isomat_matrix_create(&problem->c, problem->session->context, problem->products * problem->m,
                             problem->n, problem->c_type, problem->stream) != ISOMAT_OK)
        return fail_library();
    if (problem->products > 1 && view_firsts(problem))
        return STATUS_FAILED;
    /* from here on nothing is kept unasked: each call does all of its work */
    for (int i = 0; i < 3; i++)
        if (isomat_matrix_get_pointer(&problem->pointers[i], *matrices[i]) != ISOMAT_OK)
            return fail_library();
    return problem->keep ? prepare(problem) : STATUS_OK;
}

int problem_try_cublas(const struct problem *problem)
{
    const struct cublas_product product = {
        .c = problem->pointers[2],
        .a = problem->pointers[0],
        .b = problem->pointers[1],
        .m = problem->m,
        .n = problem->n,
        .k = problem->k,
        .products = problem->products,
        .op_a = problem->peer_op_a,
        .op_b = problem->peer_op_b,
        .compute = problem->compute,
        .c_type = problem->c_type,
    };
    return cublas_multiply(problem->cublas, &product);
}

static int32_t multiply(struct problem *problem)
{
    if (problem->products == 1)
        return isomat_gemm(&problem->c, 1.0, problem->a, problem->op_a, problem->b, problem->op_b, 0.0,
                           problem->compute, problem->stream);
    return isomat_gemm_strided_batched(problem->firsts[2], problem->m * problem->n, 1.0, problem->firsts[0],
                                       problem->op_a, problem->m * problem->k, problem->firsts[1],
                                       problem->op_b, problem->k * problem->n, 0.0, problem->products,
                                       problem->compute, problem->stream);
}

int problem_submit(struct problem *problem, enum engine engine)
{
    if (engine == ENGINE_ISOMAT)
        return multiply(problem) == ISOMAT_OK ? STATUS_OK : fail_library();
    int status = problem_try_cublas(problem);
    if (status == 0)
        return STATUS_OK;
    return fail("%s fails with status %d", cublas_function(problem->compute, problem->products), status);
}

static int read_element(double *value, struct problem *problem, int64_t row, int64_t col)
{
    isomat_matrix view;
    if (isomat_matrix_view(&view, problem->c, row, col, 1, 1) != ISOMAT_OK)
        return fail_library();
    double bits = 0;
    int32_t status = isomat_matrix_to_host(&bits, 1, view, problem->stream);
    *value = problem->c_type == ISOMAT_TYPE_F64 ? bits : type_get(problem->c_type, &bits, 0);
    if (status != ISOMAT_OK)
        fail_library();
    isomat_matrix_destroy(view);
    return status == ISOMAT_OK ? STATUS_OK : STATUS_FAILED;
}

static double operand_element(const struct problem *problem, uint64_t seed, int64_t at)
{
    if (problem->compute == ISOMAT_COMPUTE_F64)
        return random_element_f64(seed, at);
    return compute_round(problem->compute, random_element(seed, at));
}

static double element_error(const struct problem *problem, double value, int64_t row, int64_t col)
{
    long double sum = 0.0, size = 0.0; /* longer than float64, where the machine has it */
    int64_t index = row / problem->m;  /* of the product */
    int64_t a_first = index * problem->m * problem->k, b_first = index * problem->k * problem->n;
    row %= problem->m;
    for (int64_t i = 0; i < problem->k; i++) {
        int64_t at_a = a_first + (problem->op_a == ISOMAT_OP_T ? i * problem->m + row : row * problem->k + i);
        int64_t at_b = b_first + (problem->op_b == ISOMAT_OP_T ? col * problem->k + i : i * problem->n + col);
        long double product =
            (long double)operand_element(problem, SEED_A, at_a) * operand_element(problem, SEED_B, at_b);
        sum += product;
        size += fabsl(product);
    }
    long double difference = fabsl(value - sum) - type_rounding(problem->c_type, (double)sum);
    return difference <= 0.0 ? 0.0 : (double)(difference / size);
}

int problem_verify(double *error, struct problem *problem, enum engine engine)
{
    int64_t count = problem->products * problem->m * problem->n;
    int samples = count < SAMPLES ? (int)count : SAMPLES;

    *error = 0.0;
    problem->peer_op_a = problem->op_a;
    problem->peer_op_b = problem->op_b;
    /* an element that the kernel leaves out must not pass by what was there before */
    if (isomat_matrix_fill(problem->c, NAN, problem->stream) != ISOMAT_OK)
        return fail_library();
    if (problem_submit(problem, engine) != STATUS_OK)
        return STATUS_FAILED;
    for (int i = 0; i < samples; i++) {
        int64_t at = i;
        if (samples < count) /* the corners, then anywhere */
            at = i == 0   ? 0
                 : i == 1 ? problem->n - 1
                 : i == 2 ? count - problem->n
                 : i == 3 ? count - 1
                          : (int64_t)(random_bits(SEED_SAMPLE, (uint64_t)i) % (uint64_t)count);
        double value = NAN;
        if (read_element(&value, problem, at / problem->n, at % problem->n) != STATUS_OK)
            return STATUS_FAILED;
        double here = element_error(problem, value, at / problem->n, at % problem->n);
        if (!(here <= *error) && !isnan(*error))
            *error = isfinite(here) ? here : NAN;
    }
    return STATUS_OK;
}

double problem_error_bound(const struct problem *problem)
{
    return compute_bound(problem->compute, problem->k);
}
