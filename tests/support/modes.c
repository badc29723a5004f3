/* SPDX-License-Identifier: MIT */
/* modes.c: the double-precision reference for all compute modes and element types. */
#include "tests/support/modes.h"

#include <float.h>
#include <math.h>

#include "tests/support/operand.h"

#define F32 ISOMAT_TYPE_F32
#define UNIT 0x1p-24
#define TINY 0x1p-148 /* a result of float32's smallest, rounded the other way */
#define SLACK (1.0 + 1e-3)

static const struct mode {
    const char *name;
    int32_t type;
} modes[] = {
    {"F32", F32}, {"F32_STRICT", F32}, {"TF32", F32}, {"F16", ISOMAT_TYPE_F16}, {"BF16", ISOMAT_TYPE_BF16}};

int32_t mode_type(int32_t compute)
{
    return modes[compute].type;
}

const char *mode_name(int32_t compute)
{
    return modes[compute].name;
}

/* ------------------------------------------------------------------- values */

double mode_uniform(int64_t i, int64_t j, uint64_t which)
{
    uint64_t sequence =
        operand_seed() + which * 0x51ed2701 + (uint64_t)i * 0x10001 + (uint64_t)j * 0x3000000017;

    return (double)(2 * operand_random(&sequence, 1 << 23) + 1) * 0x1p-24;
}

double mode_signed(int64_t i, int64_t j, void *context)
{
    static uint64_t which;

    (void)context;
    return 2 * mode_uniform(i, j, which++) - 1;
}

double mode_positive(int64_t i, int64_t j, void *context)
{
    static uint64_t which;

    (void)context;
    return mode_uniform(i, j, which++);
}

double mode_nan(int64_t i, int64_t j, void *context)
{
    (void)i, (void)j, (void)context;
    return (double)NAN;
}

/* ---------------------------------------------------------------- reference */

/* One operand as vectors along k, with what rounding may take away from its subnormal elements. */
struct vectors {
    double *value, *lost;
    int any_lost;
};

static struct vectors vectors_of(const struct typed *x, int outer_is_rows, int64_t outer, int64_t k,
                                 int32_t compute)
{
    const size_t bytes = (size_t)(outer * k + 1) * sizeof(double);
    struct vectors v = {malloc(bytes), malloc(bytes), 0};

    assert_true(v.value != NULL && v.lost != NULL);
    for (int64_t i = 0; i < outer; i++)
        for (int64_t p = 0; p < k; p++) {
            const double value = outer_is_rows ? typed_get(x, x->host, i, p) : typed_get(x, x->host, p, i);
            const int loses = compute == ISOMAT_COMPUTE_TF32 && value != 0 && fabs(value) < FLT_MIN;
            v.value[i * k + p] = value;
            v.lost[i * k + p] = loses ? 0x1p-137 : 0;
            v.any_lost |= loses;
        }
    return v;
}

static void free_vectors(struct vectors *v)
{
    free(v->value);
    free(v->lost);
}

struct sums {
    double value, magnitude, lost;
};

static struct sums dot(const struct vectors *a, const struct vectors *b, int64_t at_a, int64_t at_b,
                       int64_t k)
{
    const double *x = a->value + at_a, *y = b->value + at_b;
    struct sums s = {0, 0, 0};

    for (int64_t q = 0; q < k; q++) {
        const double product = x[q] * y[q];
        s.value += product;
        s.magnitude += fabs(product);
    }
    if (a->any_lost || b->any_lost)
        for (int64_t q = 0; q < k; q++)
            s.lost += a->lost[at_a + q] * fabs(y[q]) + b->lost[at_b + q] * fabs(x[q]);
    return s;
}

static double bound_of(const struct mode_gemm *g, const struct sums *s, double alpha, double old,
                       double exact)
{
    const double k = (double)g->k;
    const double operands = g->compute == ISOMAT_COMPUTE_TF32 ? 0x1p-10 + 0x1p-22 : 0;
    const double sum = g->compute < ISOMAT_COMPUTE_TF32 ? (k + 2) * UNIT : (k + k / 8 + 4) * 2 * UNIT;

    return SLACK * (fabs(alpha) * ((operands + sum) * s->magnitude + s->lost) +
                    UNIT * (3 * fabs(old) + fabs(exact))) +
           TINY;
}

static int accepts(double got, double exact, double bound, int32_t type)
{
    static const double units[] = {0, 0x1p-11, 0x1p-8}, least[] = {0, 0x1p-25, 0x1p-134};
    static const double largest[] = {FLT_MAX, 65504, 0x1.fep127};

    if (isnan(exact))
        return isnan(got);
    bound += units[type - F32] * (fabs(exact) + bound) + least[type - F32];
    if (isinf(exact) || fabs(exact) - bound > largest[type - F32])
        return isinf(got) && signbit(got) == signbit(exact);
    if (fabs(exact) + bound > largest[type - F32] && isinf(got))
        return signbit(got) == signbit(exact);
    return fabs(got - exact) <= bound;
}

/* x[0..2] are A, B and C as they were, got is C now. */
static int is_right(const struct mode_gemm *g, const struct typed *x, const uint8_t *got)
{
    const int64_t k = g->alpha == 0 ? 0 : g->k, step = g->stride > 1 ? g->stride : 1;
    struct vectors a = vectors_of(&x[0], g->op_a == ISOMAT_OP_N, g->m, k, g->compute);
    struct vectors b = vectors_of(&x[1], g->op_b == ISOMAT_OP_T, g->n, k, g->compute);
    const double alpha = (float)g->alpha, beta = (float)g->beta;
    int right = 1;

    for (int64_t i = 0; i < g->m && right; i += step)
        for (int64_t j = 0; j < g->n && right; j++) {
            const struct sums s = dot(&a, &b, i * k, j * k, k);
            const double old = beta == 0 ? 0 : beta * typed_get(&x[2], x[2].host, i, j);
            const double exact = k == 0 ? old : alpha * s.value + old;
            const double bound = bound_of(g, &s, alpha, old, exact);
            const double value = typed_get(&x[2], got, i, j);
            right = accepts(value, exact, bound, g->c_type);
            if (!right)
                print_error("C(%lld, %lld) is %.9g, exactly %.9g: wrong by %.3g, allowed %.3g\n",
                            (long long)i, (long long)j, value, exact, fabs(value - exact), bound);
        }
    free_vectors(&a);
    free_vectors(&b);
    return right;
}

static void print_case(const struct mode_gemm *g)
{
    print_error(
        "case: %s m %lld n %lld k %lld op %c%c alpha %g beta %g layouts %d %d %d C type %d seed %llu\n",
        mode_name(g->compute), (long long)g->m, (long long)g->n, (long long)g->k, "NT"[g->op_a],
        "NT"[g->op_b], g -> alpha, g -> beta, (int)g -> layout_a, (int)g -> layout_b, (int)g -> layout_c,
        (int)g -> c_type, (unsigned long long)operand_seed());
}

/* ------------------------------------------------------------------ running */

/* An element of A or B as it is stored. */
struct stored {
    typed_value value;
    int transposed;
};

static double stored_value(int64_t i, int64_t j, void *context)
{
    const struct stored *stored = context;

    return stored->transposed ? stored->value(j, i, NULL) : stored->value(i, j, NULL);
}

static void create_operands(struct typed *x, isomat_context context, const struct mode_gemm *g)
{
    const int32_t type = mode_type(g->compute);
    struct stored a = {g->alpha == 0 ? mode_nan : g->a, g->op_a},
                  b = {g->alpha == 0 ? mode_nan : g->b, g->op_b};
    struct stored c = {g->beta == 0 ? mode_nan : g->c, 0};

    typed_create(&x[0], context, type, g->op_a ? g->k : g->m, g->op_a ? g->m : g->k, g->layout_a,
                 stored_value, &a);
    typed_create(&x[1], context, type, g->op_b ? g->n : g->k, g->op_b ? g->k : g->n, g->layout_b,
                 stored_value, &b);
    typed_create(&x[2], context, g->c_type, g->m, g->n, g->layout_c, stored_value, &c);
}

static int untouched(const struct typed *x)
{
    uint8_t *now = typed_download(x);
    const int intact = typed_intact(x, now, 0);

    free(now);
    return intact;
}

void mode_check(isomat_context context, const struct mode_gemm *g)
{
    isomat_matrix matrix[3];
    struct typed x[3];

    create_operands(x, context, g);
    for (int i = 0; i < 3; i++)
        matrix[i] = typed_adopt(&x[i]);
    const int32_t status = isomat_gemm(&matrix[2], g->alpha, matrix[0], g->op_a, matrix[1], g->op_b, g->beta,
                                       g->compute, ISOMAT_NONE);
    if (status != ISOMAT_OK)
        print_error("%s: %s\n", isomat_status_name(status), isomat_error_message());
    uint8_t *got = typed_download(&x[2]);
    if (status != ISOMAT_OK || !is_right(g, x, got) || !typed_intact(&x[2], got, 1) || !untouched(&x[0]) ||
        !untouched(&x[1])) {
        print_case(g);
        fail();
    }
    free(got);
    for (int i = 0; i < 3; i++) {
        assert_ok(isomat_matrix_destroy(matrix[i]));
        typed_destroy(&x[i]);
    }
}
