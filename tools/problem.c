/* SPDX-License-Identifier: MIT */
/* problem.c: one multiplication to be measured, with its random matrices on the device. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "problem.h"

enum { SEED_A = 1, SEED_B = 2, SEED_SAMPLE = 3, SAMPLES = 400 };

/* The index-th of a stream of random numbers (splitmix64): any element can be had alone. */
static uint64_t random_bits(uint64_t seed, uint64_t index)
{
    uint64_t x = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Exact in float32. */
static float random_element(uint64_t seed, int64_t index)
{
    return (float)(random_bits(seed, (uint64_t)index) >> 40) * 0x1p-24f - 0.5f;
}

static int make_random(isomat_matrix *matrix, struct problem *problem, uint64_t seed, int64_t rows,
                       int64_t cols)
{
    int64_t count = rows * cols;
    float *data = malloc((size_t)count * sizeof *data);
    if (!data)
        return fail("no memory for %" PRId64 "x%" PRId64 " elements", rows, cols);
    for (int64_t i = 0; i < count; i++)
        data[i] = random_element(seed, i);
    int32_t status = isomat_matrix_from_host(matrix, problem->session->context, data, rows, cols, cols,
                                             ISOMAT_TYPE_F32, problem->stream);
    free(data);
    return status == ISOMAT_OK ? STATUS_OK : fail_library();
}

/* Asked before the host memory is filled: a shape of terabytes is refused at once. */
static int check_room(const struct problem *problem)
{
    double bytes = 4.0 * ((double)problem->m * (double)problem->k + (double)problem->k * (double)problem->n +
                          (double)problem->m * (double)problem->n);
    double room = (double)problem->session->device.memory_bytes;
    if (bytes <= room)
        return STATUS_OK;
    return fail("%" PRId64 "x%" PRId64 "x%" PRId64 " needs %.1f GiB, the device has %.1f GiB", problem->m,
                problem->n, problem->k, bytes * 0x1p-30, room * 0x1p-30);
}

int problem_create(struct problem *problem)
{
    const isomat_matrix *matrices[3] = {&problem->a, &problem->b, &problem->c};
    problem->a = problem->b = problem->c = ISOMAT_NONE;
    bool ta = problem->op_a == ISOMAT_OP_T, tb = problem->op_b == ISOMAT_OP_T;
    if (check_room(problem) ||
        make_random(&problem->a, problem, SEED_A, ta ? problem->k : problem->m,
                    ta ? problem->m : problem->k) ||
        make_random(&problem->b, problem, SEED_B, tb ? problem->n : problem->k, tb ? problem->k : problem->n))
        return STATUS_FAILED;
    if (isomat_matrix_create(&problem->c, problem->session->context, problem->m, problem->n, ISOMAT_TYPE_F32,
                             problem->stream) != ISOMAT_OK)
        return fail_library();
    for (int i = 0; i < 3; i++) {
        isomat_matrix_info info = {.struct_size = sizeof info};
        if (isomat_matrix_get_info(&info, *matrices[i]) != ISOMAT_OK)
            return fail_library();
        problem->pointers[i] = info.pointer;
    }
    return STATUS_OK;
}

void problem_destroy(struct problem *problem)
{
    isomat_matrix_destroy(problem->c);
    isomat_matrix_destroy(problem->b);
    isomat_matrix_destroy(problem->a);
    problem->a = problem->b = problem->c = ISOMAT_NONE;
}

int problem_submit(struct problem *problem, enum engine engine)
{
    if (engine == ENGINE_ISOMAT) {
        if (isomat_gemm(&problem->c, 1.0, problem->a, problem->op_a, problem->b, problem->op_b, 0.0,
                        problem->compute, problem->stream) == ISOMAT_OK)
            return STATUS_OK;
        return fail_library();
    }
    const struct cublas_product product = {problem->pointers[2], problem->pointers[0], problem->pointers[1],
                                           problem->m,           problem->n,           problem->k,
                                           problem->op_a,        problem->op_b};
    int status = cublas_multiply(problem->cublas, &product);
    return status == 0 ? STATUS_OK : fail("cublasSgemm fails with status %d", status);
}

static int read_element(float *value, struct problem *problem, int64_t row, int64_t col)
{
    isomat_matrix view;
    if (isomat_matrix_view(&view, problem->c, row, col, 1, 1) != ISOMAT_OK)
        return fail_library();
    int32_t status = isomat_matrix_to_host(value, 1, view, problem->stream);
    if (status != ISOMAT_OK)
        fail_library();
    isomat_matrix_destroy(view);
    return status == ISOMAT_OK ? STATUS_OK : STATUS_FAILED;
}

static double element_error(const struct problem *problem, float value, int64_t row, int64_t col)
{
    double sum = 0.0, size = 0.0;
    for (int64_t i = 0; i < problem->k; i++) {
        int64_t at_a = problem->op_a == ISOMAT_OP_T ? i * problem->m + row : row * problem->k + i;
        int64_t at_b = problem->op_b == ISOMAT_OP_T ? col * problem->k + i : i * problem->n + col;
        double a = random_element(SEED_A, at_a);
        double b = random_element(SEED_B, at_b);
        sum += a * b;
        size += fabs(a * b);
    }
    double difference = fabs((double)value - sum);
    return difference == 0.0 ? 0.0 : difference / size;
}

int problem_verify(double *error, struct problem *problem, enum engine engine)
{
    int64_t count = problem->m * problem->n;
    int samples = count < SAMPLES ? (int)count : SAMPLES;

    *error = 0.0;
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
        float value;
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
    return (double)(problem->k + 1) * 0x1p-24; /* a float32 sum of k rounded products */
}
