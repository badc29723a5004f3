/* SPDX-License-Identifier: MIT */
/* modes.h: checked runs of isomat_gemm in the compute modes of tensor cores.
 *
 * With |A||B| the product of the magnitudes, a result keeps
 *
 *   |c - exact| <= operands + sum + u * (3 |beta C| + |exact|) + final,   u = 2^-24
 *
 *   operands  F16, BF16: nothing, the products of 11-bit numbers are exact in float32.
 *             TF32: each operand is rounded to 11 significant bits, so by at most 2^-11 of itself (and by
 *             2^-137, half a unit of the last place, where it is subnormal).
 *   sum       (k + k / 8 + 4) * 2^-23 |alpha| |A||B|.  A tensor core adds up to 16 products to a sum at a
 *             time and cuts each of the 17 terms off below a unit of the largest; no term is larger
 *             than |A||B|.
 *   final     rounding to C's type: half a unit of its last place.
 */
#ifndef ISOMAT_TEST_MODES_H
#define ISOMAT_TEST_MODES_H

#include "tests/support/typed.h"

struct mode_gemm {
    int32_t compute;
    int64_t m, n, k;
    int32_t op_a, op_b;
    double alpha, beta;
    enum typed_layout layout_a, layout_b, layout_c;
    int32_t c_type;
    typed_value a, b; /* of op(A), m x k, and of op(B), k x n; the context is NULL */
    typed_value c;    /* what C holds before */
    int64_t stride;   /* looks at every so many rows of C; 0 or 1: at all */
};

/* The type of A and B. */
int32_t mode_type(int32_t compute);

/* "TF32", as messages have it. */
const char *mode_name(int32_t compute);

/* Makes the operands, multiplies, checks the result, the guard bands, and that A and B are as they
 * were.  With beta 0 C is full of NaN before; with alpha 0, A and B are.  Fails the test otherwise. */
void mode_check(isomat_context context, const struct mode_gemm *gemm);

/* Values, all float32 numbers, rounded to the type where they are put. */
double mode_signed(int64_t i, int64_t j, void *context);   /* uniform in (-1, 1) */
double mode_positive(int64_t i, int64_t j, void *context); /* uniform in (0, 1) */
double mode_nan(int64_t i, int64_t j, void *context);

/* A number of (0, 1) for a place: the same in each call with the same `which`. */
double mode_uniform(int64_t i, int64_t j, uint64_t which);

#endif
