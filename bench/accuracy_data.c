/* SPDX-License-Identifier: MIT */
/* accuracy_data.c: the matrices on which errors are measured.
 *
 * An element is a function of its indices, so that threads can fill any part of a matrix.  i counts
 * the rows of A or the columns of B, k what is summed over. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_data.h"
#include "compute.h"
#include "parallel.h"
#include "random.h"

enum side { SIDE_A, SIDE_B };
enum { SEED_VALUE = 11, SEED_SECOND = 13, SEED_EXPONENT = 15, SEED_K = 17, SEED_ROW = 18 };

/* ------------------------------------------------------------ random numbers */

static uint64_t bits_at(int seed, const struct data *x, enum side side, int64_t i, int64_t k)
{
    return random_bits((uint64_t)seed + side, (uint64_t)(i * x->k + k));
}

/* In (0, 1). */
static double uniform01(int seed, const struct data *x, enum side side, int64_t i, int64_t k)
{
    return ((double)(bits_at(seed, x, side, i, k) >> 11) + 0.5) * 0x1p-53;
}

static int whole(uint64_t bits, int least, int most)
{
    return least + (int)(bits % (uint64_t)(most - least + 1));
}

static bool is_f16(const struct data *x)
{
    return x->compute == ISOMAT_COMPUTE_F16;
}

/* ------------------------------------------------------------- distributions */

static double symmetric(const struct data *x, enum side side, int64_t i, int64_t k)
{
    return uniform01(SEED_VALUE, x, side, i, k) - 0.5;
}

static double positive(const struct data *x, enum side side, int64_t i, int64_t k)
{
    return uniform01(SEED_VALUE, x, side, i, k);
}

static double normal(const struct data *x, enum side side, int64_t i, int64_t k)
{
    double radius = sqrt(-2.0 * log(uniform01(SEED_VALUE, x, side, i, k)));
    return radius * cos(6.283185307179586 * uniform01(SEED_SECOND, x, side, i, k));
}

/* 2^-4 keeps it inside float16. */
static double log_normal(const struct data *x, enum side side, int64_t i, int64_t k)
{
    return 0x1p-4 * exp(2.0 * normal(x, side, i, k));
}

/* A sign, a fraction in [1, 2), an exponent. */
static double exponents(const struct data *x, enum side side, int64_t i, int64_t k, int least, int most)
{
    double fraction = 1.0 + uniform01(SEED_VALUE, x, side, i, k);
    uint64_t bits = bits_at(SEED_EXPONENT, x, side, i, k);
    return ldexp(bits & 1 ? -fraction : fraction, whole(bits >> 1, least, most));
}

static double exponents20(const struct data *x, enum side side, int64_t i, int64_t k)
{
    return exponents(x, side, i, k, -20, 20);
}

static double exponents60(const struct data *x, enum side side, int64_t i, int64_t k)
{
    return exponents(x, side, i, k, -60, 60);
}

/* All that a sum of products leaves inside float32. */
static double full_range(const struct data *x, enum side side, int64_t i, int64_t k)
{
    return exponents(x, side, i, k, -126, side == SIDE_A ? 62 : 45);
}

static double huge_element(const struct data *x, enum side side, int64_t i, int64_t k)
{
    double value = symmetric(x, side, i, k);
    if (side == SIDE_A && k == (int64_t)(random_bits(SEED_ROW, (uint64_t)i) % (uint64_t)x->k))
        value *= is_f16(x) ? 0x1p12 : 0x1p30;
    return value;
}

static double graded(const struct data *x, enum side side, int64_t i, int64_t k)
{
    int range = is_f16(x) ? 10 : 20;
    int g = whole(random_bits(SEED_K, (uint64_t)k), -range, range);
    return ldexp(symmetric(x, side, i, k), side == SIDE_A ? g : -g);
}

/* Neighbours of k cancel but for about 2^-12. */
static double cancelling(const struct data *x, enum side side, int64_t i, int64_t k)
{
    double value = symmetric(x, side, i, k - k % 2);
    if (side == SIDE_A)
        return k % 2 ? -value : k == x->k - 1 && k > 0 ? 0.0 : value;
    return k % 2 ? value * (1.0 + 0x1p-12 * uniform01(SEED_SECOND, x, side, i, k)) : value;
}

static double hilbert(const struct data *x, enum side side, int64_t i, int64_t k)
{
    (void)x, (void)side;
    return 1.0 / (double)(i + k + 1);
}

/* Powers of points in (-1, 1). */
static double vandermonde(const struct data *x, enum side side, int64_t i, int64_t k)
{
    int64_t points = side == SIDE_A ? x->m : x->n;
    return pow((double)(2 * i + 1) / (double)points - 1.0, (double)k);
}

/* A's elements are denormal in the mode's type, and B's bring the products back. */
static double denormals(const struct data *x, enum side side, int64_t i, int64_t k)
{
    static const struct {
        int fraction, exponent; /* bits, and that of the last */
    } formats[] = {
        [ISOMAT_COMPUTE_F32] = {23, -149},  [ISOMAT_COMPUTE_F32_STRICT] = {23, -149},
        [ISOMAT_COMPUTE_TF32] = {10, -136}, [ISOMAT_COMPUTE_F16] = {10, -24},
        [ISOMAT_COMPUTE_BF16] = {7, -133},
    };
    double value = symmetric(x, side, i, k);
    if (side == SIDE_B)
        return ldexp(value, is_f16(x) ? 10 : 60);
    return ldexp(rint(ldexp(value, formats[x->compute].fraction + 1)), formats[x->compute].exponent);
}

static const struct {
    const char *name;
    double (*element)(const struct data *, enum side, int64_t i, int64_t k);
} kinds[] = {
    {"uniform(-1/2,1/2)", symmetric}, {"uniform(0,1)", positive}, {"normal", normal},
    {"log-normal(2)", log_normal},    {"2^+-20", exponents20},    {"2^+-60", exponents60},
    {"full range", full_range},       {"huge", huge_element},     {"graded", graded},
    {"cancelling", cancelling},       {"hilbert", hilbert},       {"vandermonde", vandermonde},
    {"denormals", denormals},
};

int data_kinds(void)
{
    return sizeof kinds / sizeof *kinds;
}

const char *data_name(int kind)
{
    return kinds[kind].name;
}

/* --------------------------------------------------------------------- filling */

struct filling {
    const struct data *data;
    float *a, *b;
    atomic_bool overflow;
};

static float element(const struct data *x, enum side side, int64_t i, int64_t k)
{
    return compute_round(x->compute, (float)kinds[x->kind].element(x, side, i, k));
}

/* Of all elements of A and then of B, numbers begin to end - 1. */
static void fill_piece(int64_t begin, int64_t end, void *context)
{
    struct filling *filling = context;
    const struct data *x = filling->data;
    int64_t count_a = x->m * x->k;
    bool overflow = false;

    for (int64_t at = begin; at < end; at++) {
        float *target = at < count_a ? filling->a + at : filling->b + (at - count_a);
        *target = at < count_a ? element(x, SIDE_A, at / x->k, at % x->k)
                               : element(x, SIDE_B, (at - count_a) % x->n, (at - count_a) / x->n);
        overflow |= !isfinite(*target);
    }
    if (overflow)
        filling->overflow = true;
}

bool data_fill(float *a, float *b, const struct data *data)
{
    struct filling filling = {.data = data, .a = a, .b = b};
    parallel_for((data->m + data->n) * data->k, fill_piece, &filling);
    return !filling.overflow;
}
