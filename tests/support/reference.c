/* SPDX-License-Identifier: MIT */
/* reference.c: the double-precision reference and one checked run of isomat_gemm. */
#include "tests/support/reference.h"

#include <math.h>

#define UNIT 0x1p-24       /* half a unit in the last place of 1 */
#define TINY 0x1p-140      /* room for results below the normal numbers */
#define SLACK (1.0 + 1e-3) /* the bound itself is first order in UNIT */

void reference_print(const struct reference_gemm *gemm)
{
    print_error(
        "case: m %lld n %lld k %lld op %c%c alpha %g beta %g layouts %d %d %d fill %d compute %d seed %llu\n",
        (long long)gemm->m, (long long)gemm->n, (long long)gemm->k, "NT"[gemm->op_a], "NT"[gemm->op_b],
        gemm -> alpha, gemm -> beta, (int)gemm -> layout_a, (int)gemm -> layout_b, (int)gemm -> layout_c,
        (int)gemm -> fill, (int)gemm -> compute, (unsigned long long)operand_seed());
}

/* Element (i, j) of op(X). */
static double element(const struct operand *x, int32_t op, int64_t i, int64_t j)
{
    return op == ISOMAT_OP_T ? *operand_at(x, x->host, j, i) : *operand_at(x, x->host, i, j);
}

struct sums {
    double value;
    double magnitude;
};

static struct sums dot(const struct reference_gemm *gemm, const struct operand *a, const struct operand *b,
                       int64_t i, int64_t j)
{
    struct sums sums = {0, 0};

    if (gemm->alpha == 0)
        return sums;
    for (int64_t p = 0; p < gemm->k; p++) {
        double product = element(a, gemm->op_a, i, p) * element(b, gemm->op_b, p, j);
        sums.value += product;
        sums.magnitude += fabs(product);
    }
    return sums;
}

int reference_accepts(const struct reference_gemm *gemm, const struct operand *a, const struct operand *b,
                      const struct operand *c, float *got)
{
    const double alpha = (float)gemm->alpha;
    const double beta = (float)gemm->beta;

    for (int64_t i = 0; i < gemm->m; i++) {
        for (int64_t j = 0; j < gemm->n; j++) {
            struct sums sums = dot(gemm, a, b, i, j);
            double old = beta == 0 ? 0 : beta * (double)*operand_at(c, c->host, i, j);
            double exact = alpha * sums.value + old;
            double bound = (double)(gemm->k + 2) * fabs(alpha) * sums.magnitude + 3 * fabs(old) + fabs(exact);
            double value = *operand_at(c, got, i, j);

            if (fabs(value - exact) <= SLACK * UNIT * bound + TINY)
                continue;
            print_error("C(%lld, %lld) is %.9g, exactly %.9g: wrong by %.3g, allowed %.3g\n", (long long)i,
                        (long long)j, value, exact, fabs(value - exact), UNIT * bound);
            reference_print(gemm);
            return 0;
        }
    }
    return 1;
}

static void create_operand(struct operand *x, isomat_context context, int64_t rows, int64_t cols, int32_t op,
                           enum operand_layout layout, enum operand_fill fill)
{
    if (op == ISOMAT_OP_T)
        operand_create(x, context, cols, rows, layout, fill);
    else
        operand_create(x, context, rows, cols, layout, fill);
}

int reference_run(isomat_context context, const struct reference_gemm *gemm)
{
    const enum operand_fill fill = gemm->alpha == 0 ? OPERAND_NAN : gemm->fill;
    struct operand a, b, c;
    float *got;
    int32_t status;
    int good;

    create_operand(&a, context, gemm->m, gemm->k, gemm->op_a, gemm->layout_a, fill);
    create_operand(&b, context, gemm->k, gemm->n, gemm->op_b, gemm->layout_b, fill);
    operand_create(&c, context, gemm->m, gemm->n, gemm->layout_c, gemm->beta == 0 ? OPERAND_NAN : gemm->fill);
    status = isomat_gemm(&c.matrix, gemm->alpha, a.matrix, gemm->op_a, b.matrix, gemm->op_b, gemm->beta,
                         gemm->compute, ISOMAT_NONE);
    if (status != ISOMAT_OK) {
        print_error("%s: %s\n", isomat_status_name(status), isomat_error_message());
        reference_print(gemm);
    }
    got = operand_download(&c);
    good = status == ISOMAT_OK && reference_accepts(gemm, &a, &b, &c, got);
    if (good && !(operand_guarded(&c, got) && operand_unchanged(&a) && operand_unchanged(&b))) {
        reference_print(gemm);
        good = 0;
    }
    free(got);
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&c);
    return good;
}
