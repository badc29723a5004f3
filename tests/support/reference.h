/* SPDX-License-Identifier: MIT */
/* reference.h: multiplication in double precision, and the bound that a float32 result must keep. */
#ifndef ISOMAT_TEST_REFERENCE_H
#define ISOMAT_TEST_REFERENCE_H

#include "tests/support/operand.h"

struct reference_gemm {
    int64_t m, n, k;
    double alpha, beta;
    int32_t op_a, op_b;
    enum operand_layout layout_a, layout_b, layout_c;
    enum operand_fill fill;
    int32_t compute;
};

/* True if c (a copy of C's allocation) is alpha * op(A) * op(B) + beta * C within the bound of
 * float32 arithmetic, where C's host copy holds the old C:
 *
 *   |c - exact| <= u * ((k + 2) * |alpha| |A| |B| + 3 * |beta C| + |exact|),  u = 2^-24
 *
 * Else prints the first bad element and the case with its seed. */
int reference_accepts(const struct reference_gemm *gemm, const struct operand *a, const struct operand *b,
                      const struct operand *c, float *got);

/* Makes the operands, multiplies with isomat_gemm, and checks the result, the guard bands and that
 * A and B are as they were.  True if all is well. */
int reference_run(isomat_context context, const struct reference_gemm *gemm);

/* One line about the case. */
void reference_print(const struct reference_gemm *gemm);

#endif
