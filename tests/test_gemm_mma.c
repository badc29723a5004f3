/* SPDX-License-Identifier: MIT */
/* test_gemm_mma.c: each mma.sync kernel by its name, against double precision.
 *
 * isomat_gemm chooses one kernel for a shape and a device; here every kernel of
 * kernels/mma_tiles.h meets every edge of its tile, each way to move the operands,
 * each type of C, and values that are not finite or nearly zero.
 */
#include <float.h>
#include <math.h>

#include "kernels/abi.h"
#include "kernels/gemm_tiles.h"
#include "kernels/mma_tiles.h"
#include "tests/support/operand.h"
#include "tests/support/typed.h"
#include "tests/support/work.h"

#define F32 ISOMAT_TYPE_F32
#define F16 ISOMAT_TYPE_F16
#define BF16 ISOMAT_TYPE_BF16
#define UNIT 0x1p-24
#define TINY 0x1p-140      /* room for float32 results below the normal numbers */
#define SLACK (1.0 + 1e-3) /* the bounds are first order in UNIT */

/* The error of a sum, in UNIT |A||B|, is losses * k and a constant.  A tensor core that adds 4 products
 * of TF32 or 8 of float16 at a time, and keeps one bit more than float32, loses at most 7 for 4 and 11
 * for 8; F32X3 promises what float32 multiplication does. */
static const struct mode {
    const char *module;
    int32_t type;  /* of A and B */
    int c_types;   /* from F32 on */
    double losses; /* for each of k */
    int rounds;    /* operands become TF32 */
} modes[] = {
    {"gemm_f16_mma", F16, 3, 2, 0},
    {"gemm_bf16_mma", BF16, 3, 2, 0},
    {"gemm_tf32_mma", F32, 3, 2, 1},
    {"gemm_f32x3_mma", F32, 1, 1, 0},
};
enum { MODE_f16, MODE_bf16, MODE_tf32, MODE_f32x3 };

static const struct kernel {
    const char *name;
    int mode, op_a, op_b, bm, bn, bk, stages, threads, shared_bytes;
} kernels[] = {
#define KERNEL(mode, layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                            \
    {"isomat_gemm_" #mode "_" #layout "_" #bm "x" #bn "x" #bk,                                               \
     MODE_##mode,                                                                                            \
     ta,                                                                                                     \
     tb,                                                                                                     \
     bm,                                                                                                     \
     bn,                                                                                                     \
     bk,                                                                                                     \
     stages,                                                                                                 \
     threads,                                                                                                \
     ISOMAT_GEMM_MMA_SHARED_BYTES(mode, bm, bn, bk, stages)},
    ISOMAT_GEMM_MMA_KERNELS(KERNEL)
#undef KERNEL
};

/* One multiplication.  a and b give elements of op(A) (m x k) and op(B) (k x n). */
struct problem {
    int64_t m, n, k;
    double alpha, beta;
    enum typed_layout layout_a, layout_b, layout_c;
    int32_t c_type;
    typed_value a, b, c;
};

/* ------------------------------------------------------------------- values */

static uint64_t sequence;

static double uniform(void) /* in (0, 1), a float32 */
{
    return (double)(2 * operand_random(&sequence, 1 << 23) + 1) * 0x1p-24;
}

static double signed_values(int64_t i, int64_t j, void *context)
{
    (void)i, (void)j, (void)context;
    return 2 * uniform() - 1;
}

static double positive_values(int64_t i, int64_t j, void *context)
{
    (void)i, (void)j, (void)context;
    return uniform();
}

static double nan_values(int64_t i, int64_t j, void *context)
{
    (void)i, (void)j, (void)context;
    return (double)NAN;
}

/* ---------------------------------------------------------------- reference */

/* As cvt.rna.tf32 does it: to nearest, ties away from zero. */
static double round_to_tf32(double x)
{
    int exponent;

    if (!isfinite(x) || x == 0)
        return x;
    frexp(x, &exponent);
    exponent = exponent < -125 ? -125 : exponent;
    return ldexp(round(ldexp(x, 11 - exponent)), exponent - 11);
}

/* op(X) as `outer` vectors along k. */
static double *vectors(const struct typed *x, int outer_is_rows, int64_t outer, int64_t k, int rounds)
{
    double *values = malloc((size_t)(outer * k + 1) * sizeof(*values));

    assert_non_null(values);
    for (int64_t i = 0; i < outer; i++)
        for (int64_t p = 0; p < k; p++) {
            double v = outer_is_rows ? typed_get(x, x->host, i, p) : typed_get(x, x->host, p, i);
            values[i * k + p] = rounds ? round_to_tf32(v) : v;
        }
    return values;
}

static double largest(int32_t type)
{
    return type == F32 ? (double)FLT_MAX : type == F16 ? 65504 : ldexp(255, 120);
}

static int accepts(double got, double exact, double bound, int32_t type)
{
    static const double units[] = {0, 0x1p-11, 0x1p-8}, least[] = {0, 0x1p-25, 0x1p-134};

    if (isnan(exact))
        return isnan(got);
    bound += units[type - F32] * (fabs(exact) + bound) + least[type - F32];
    if (isinf(exact) || fabs(exact) - bound > largest(type))
        return isinf(got) && signbit(got) == signbit(exact);
    if (fabs(exact) + bound > largest(type) && isinf(got))
        return signbit(got) == signbit(exact);
    return fabs(got - exact) <= bound;
}

static void print_problem(const struct kernel *kernel, const struct problem *p)
{
    print_error("%s: m %lld n %lld k %lld alpha %g beta %g layouts %d %d %d C type %d seed %llu\n",
                kernel->name, (long long)p->m, (long long)p->n, (long long)p->k, p->alpha, p->beta,
                (int)p->layout_a, (int)p->layout_b, (int)p->layout_c, (int)p->c_type,
                (unsigned long long)operand_seed());
}

/* x[0..2] are A, B and C as they were, got is C now. */
static int is_right(const struct kernel *kernel, const struct problem *p, const struct typed *x,
                    const uint8_t *got)
{
    const struct mode *mode = &modes[kernel->mode];
    double *a = vectors(&x[0], !kernel->op_a, p->m, p->k, mode->rounds);
    double *b = vectors(&x[1], kernel->op_b, p->n, p->k, mode->rounds);
    const double alpha = (float)p->alpha, beta = (float)p->beta;
    int right = 1;

    for (int64_t i = 0; i < p->m && right; i++)
        for (int64_t j = 0; j < p->n && right; j++) {
            double sum = 0, magnitude = 0;
            for (int64_t q = 0; q < p->k; q++) {
                const double product = a[i * p->k + q] * b[j * p->k + q];
                sum += product;
                magnitude += fabs(product);
            }
            const double old = beta == 0 ? 0 : beta * typed_get(&x[2], x[2].host, i, j);
            const double exact = alpha * sum + old;
            const double losses = mode->losses * (double)p->k + (mode->losses > 1 ? 8 : 2);
            const double bound =
                SLACK * UNIT * (losses * fabs(alpha) * magnitude + 3 * fabs(old) + fabs(exact)) + TINY;
            const double value = typed_get(&x[2], got, i, j);
            if (accepts(value, exact, bound, p->c_type))
                continue;
            print_error("C(%lld, %lld) is %.9g, exactly %.9g: wrong by %.3g, allowed %.3g\n", (long long)i,
                        (long long)j, value, exact, fabs(value - exact), bound);
            right = 0;
        }
    free(a);
    free(b);
    return right;
}

/* ------------------------------------------------------------------ running */

static uint32_t access_bits(const struct typed *x, uint32_t vector, uint32_t word)
{
    const uint64_t step = x->rows == 1 ? 0 : (uint64_t)(x->ld * typed_element_bytes(x->type));
    const uint64_t places = typed_address(x) | step;

    return (places % 16 == 0 ? vector : 0) | (places % 4 == 0 ? word : 0);
}

static uint32_t vector_bit(const struct typed *x, uint32_t vector)
{
    const uint64_t quad = 4 * (uint64_t)typed_element_bytes(x->type);

    return typed_address(x) % quad == 0 && x->cols % 4 == 0 && (x->ld % 4 == 0 || x->rows == 1) ? vector : 0;
}

static struct isomat_gemm_mma_args arguments_of(const struct problem *p, const struct typed *x)
{
    return (struct isomat_gemm_mma_args){
        .a = typed_address(&x[0]),
        .b = typed_address(&x[1]),
        .c = typed_address(&x[2]),
        .lda = x[0].ld,
        .ldb = x[1].ld,
        .ldc = x[2].ld,
        .m = (int32_t)p->m,
        .n = (int32_t)p->n,
        .k = (int32_t)p->k,
        .flags = access_bits(&x[0], ISOMAT_VECTOR_A, ISOMAT_WORD_A) |
                 access_bits(&x[1], ISOMAT_VECTOR_B, ISOMAT_WORD_B) | vector_bit(&x[2], ISOMAT_VECTOR_C),
        .alpha = (float)p->alpha,
        .beta = (float)p->beta,
        .c_type = p->c_type,
    };
}

static uint8_t *run(isomat_kernel handle, const struct kernel *kernel,
                    const struct isomat_gemm_mma_args *args, const struct typed *x)
{
    const void *arguments[] = {args};
    isomat_launch launch = work_launch((uint32_t)ISOMAT_GEMM_GRID(args->m, args->n, kernel->bm, kernel->bn),
                                       (uint32_t)kernel->threads, ISOMAT_NONE);

    launch.shared_bytes = (uint32_t)kernel->shared_bytes;
    typed_reset(&x[2]);
    assert_ok(isomat_kernel_launch(handle, &launch, arguments, 1, NULL));
    return typed_download(&x[2]);
}

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

static void create_operands(struct typed *x, isomat_context context, const struct kernel *kernel,
                            const struct problem *p)
{
    const int ta = kernel->op_a, tb = kernel->op_b;
    const int32_t type = modes[kernel->mode].type;
    struct stored a = {p->a, ta}, b = {p->b, tb}, c = {p->beta == 0 ? nan_values : p->c, 0};

    typed_create(&x[0], context, type, ta ? p->k : p->m, ta ? p->m : p->k, p->layout_a, stored_value, &a);
    typed_create(&x[1], context, type, tb ? p->n : p->k, tb ? p->k : p->n, p->layout_b, stored_value, &b);
    typed_create(&x[2], context, p->c_type, p->m, p->n, p->layout_c, stored_value, &c);
}

/* Runs a product with the flags allowed, and with fewer: both right, and the same bits. */
static void check(isomat_context context, isomat_kernel handle, const struct kernel *kernel,
                  const struct problem *p, uint32_t fewer)
{
    struct typed x[3];
    uint8_t *got[2];

    create_operands(x, context, kernel, p);
    struct isomat_gemm_mma_args args = arguments_of(p, x);
    got[0] = run(handle, kernel, &args, x);
    args.flags &= fewer;
    got[1] = run(handle, kernel, &args, x);
    if (!is_right(kernel, p, x, got[0]) || !typed_intact(&x[2], got[0], 1) ||
        !typed_intact(&x[2], got[1], 1)) {
        print_problem(kernel, p);
        fail();
    }
    if (memcmp(got[0], got[1], (size_t)x[2].bytes) != 0) {
        print_error("flags 0x%x give other bits\n", args.flags);
        print_problem(kernel, p);
        fail();
    }
    free(got[0]);
    free(got[1]);
    for (int i = 0; i < 2; i++) {
        got[i] = typed_download(&x[i]);
        assert_true(typed_intact(&x[i], got[i], 0));
        free(got[i]);
    }
    for (int i = 0; i < 3; i++)
        typed_destroy(&x[i]);
}

/* Calls with each kernel of the list, its module loaded. */
static void each_kernel(void **state, void (*call)(isomat_context context, isomat_kernel handle,
                                                   const struct kernel *kernel))
{
    isomat_module module = ISOMAT_NONE;
    isomat_kernel handle;
    int loaded = -1;

    sequence = operand_seed();
    for (size_t i = 0; i < TEST_COUNT(kernels); i++) {
        if (kernels[i].mode != loaded) {
            if (module != ISOMAT_NONE)
                assert_ok(isomat_module_destroy(module));
            loaded = kernels[i].mode;
            assert_ok(isomat_module_load_embedded(&module, device_context(state), modes[loaded].module));
        }
        assert_ok(isomat_kernel_get(&handle, module, kernels[i].name));
        call(device_context(state), handle, &kernels[i]);
        assert_ok(isomat_kernel_destroy(handle));
    }
    assert_ok(isomat_module_destroy(module));
}

/* -------------------------------------------------------------------- edges */

/* Shapes relative to the tile; depths around a slab, a chunk, the ring, and k from which F32X3 splits. */
static void check_edges(isomat_context context, isomat_kernel handle, const struct kernel *kernel)
{
    static const uint32_t fewer[] = {ISOMAT_WORD_A | ISOMAT_WORD_B | ISOMAT_VECTOR_C, 0};
    static const double betas[] = {0, 1, -0.75};
    static unsigned turn;
    const int bm = kernel->bm, bn = kernel->bn, bk = kernel->bk;
    const int64_t shapes[][3] = {
        {bm, bn, bk * (kernel->stages + 1)},
        {bm - 7, bn - 9, 64 + 3},
        {bm + 3, bn - 4, 2 * bk + 40},
        {bm - 2, 5, bk * kernel->stages + 1},
        {3, bn + 12, bk - 1},
        {1, 1, 1},
        {17, 40, 7},
        {bm - 4, 8, 0},
    };

    for (size_t i = 0; i < TEST_COUNT(shapes); i++, turn++)
        check(context, handle, kernel,
              &(struct problem){
                  .m = shapes[i][0],
                  .n = shapes[i][1],
                  .k = shapes[i][2],
                  .alpha = turn % 2 ? 1 : -2.5,
                  .beta = betas[turn % 3],
                  .layout_a = (enum typed_layout)((turn + turn / 8) % TYPED_LAYOUTS),
                  .layout_b = (enum typed_layout)((turn / 2 + turn / 16) % TYPED_LAYOUTS),
                  .layout_c = (enum typed_layout)(turn / 3 % TYPED_LAYOUTS),
                  .c_type = F32 + (int32_t)(turn / 2) % modes[kernel->mode].c_types,
                  .a = turn % 5 ? signed_values : positive_values,
                  .b = turn % 5 ? signed_values : positive_values,
                  .c = signed_values,
              },
              fewer[turn % 2]);
}

static void each_kernel_is_right_at_its_edges(void **state)
{
    each_kernel(state, check_edges);
}

/* ----------------------------------------------------------- special values */

/* Row 2 of op(A) has an infinity, row 3 a NaN, row 5 meets the zeros and the infinity of op(B). */
static double special_a(int64_t i, int64_t p, void *context)
{
    if (i == 2 && p == 11)
        return (double)-INFINITY;
    if (i == 3 && p == 40)
        return (double)NAN;
    return i == 5 ? 0 : signed_values(i, p, context);
}

static double special_b(int64_t p, int64_t j, void *context)
{
    if (j == 1 && p == 63)
        return (double)INFINITY;
    return j == 4 ? 0 : signed_values(p, j, context);
}

/* Products of 2^16 2^14 = 2^30, and for float32 of 2^200: sums that C cannot hold. */
static double large_a(int64_t i, int64_t p, void *context)
{
    return i == 1 ? 32768 : signed_values(i, p, context);
}

static double large_b(int64_t p, int64_t j, void *context)
{
    return j == 2 ? -16384 : signed_values(p, j, context);
}

static double huge_a(int64_t i, int64_t p, void *context)
{
    return i == 1 ? 0x1p100 : signed_values(i, p, context);
}

static double huge_b(int64_t p, int64_t j, void *context)
{
    return j == 2 ? -0x1p100 : signed_values(p, j, context);
}

/* Subnormal numbers of float16, and of bfloat16 and float32, times ordinary ones. */
static double tiny_a(int64_t i, int64_t p, void *context)
{
    return (i % 2 ? 0x1p-24 : 0x1p-130) * ldexp(floor(8 * uniform()), 0) + 0 * signed_values(i, p, context);
}

static double wide_b(int64_t p, int64_t j, void *context)
{
    return 1024 * signed_values(p, j, context);
}

static void check_special(isomat_context context, isomat_kernel handle, const struct kernel *kernel)
{
    static const typed_value as[] = {special_a, large_a, huge_a, tiny_a};
    static const typed_value bs[] = {special_b, large_b, huge_b, wide_b};
    static unsigned turn;

    for (size_t i = 0; i < TEST_COUNT(as); i++) {
        if (as[i] == huge_a && modes[kernel->mode].type == F16)
            continue; /* it has no such numbers */
        if (kernel->bm == 128 && (turn++ + i) % 2 == 0)
            continue; /* the large tiles in turn, for their time on a CPU */
        check(context, handle, kernel,
              &(struct problem){
                  .m = 21,
                  .n = 13,
                  .k = 70,
                  .alpha = 1,
                  .beta = as[i] == special_a ? 1 : 0,
                  .c_type = F32 + (int32_t)turn % modes[kernel->mode].c_types,
                  .a = as[i],
                  .b = bs[i],
                  .c = signed_values,
              },
              0);
    }
}

static void special_values_go_where_ieee_puts_them(void **state)
{
    each_kernel(state, check_special);
}

/* -------------------------------------------------------------------- F32X3 */

/* Full significands whose low parts all have one sign, where truncation adds up. */
static double full_values(int64_t i, int64_t j, void *context)
{
    (void)i, (void)j, (void)context;
    return 1 + uniform() / 2 + 0x1fff * 0x1p-23;
}

/* Both ends of what is still split, and beyond them in one tile of several. */
static double graded_a(int64_t i, int64_t p, void *context)
{
    return ldexp(signed_values(i, p, context), (int)(p * 7 % 71 - 35));
}

static double graded_b(int64_t p, int64_t j, void *context)
{
    return ldexp(signed_values(p, j, context), -(int)(p * 7 % 71 - 35));
}

static double small_a(int64_t i, int64_t p, void *context)
{
    return (i == 3 ? 0x1p-100 : 1) * signed_values(i, p, context);
}

static double vast_a(int64_t i, int64_t p, void *context)
{
    return (p % 3 == 0 ? (double)FLT_MAX : 1) * (1 - 0x1p-3 * uniform()) + 0 * signed_values(i, p, context);
}

static double smaller_b(int64_t p, int64_t j, void *context)
{
    return 0x1p-12 * signed_values(p, j, context);
}

static void check_f32x3(isomat_context context, isomat_kernel handle, const struct kernel *kernel)
{
    static const struct {
        int64_t k;
        typed_value a, b;
    } cases[] = {
        {ISOMAT_GEMM_F32X3_K_MIN, full_values, full_values},
        {ISOMAT_GEMM_F32X3_K_MIN, positive_values, positive_values},
        {600, full_values, full_values},
        {128, graded_a, graded_b},
        {100, small_a, small_a},
        {100, vast_a, smaller_b},
    };

    if (kernel->mode != MODE_f32x3)
        return;
    for (size_t i = 0; i < TEST_COUNT(cases); i++)
        if (kernel->bm < 128 || kernel->op_a == kernel->op_b)
            check(context, handle, kernel,
                  &(struct problem){
                      .m = 19,
                      .n = 24,
                      .k = cases[i].k,
                      .alpha = 1,
                      .c_type = F32,
                      .a = cases[i].a,
                      .b = cases[i].b,
                  },
                  ISOMAT_WORD_A | ISOMAT_WORD_B);
}

static void f32x3_keeps_the_bound_of_float32(void **state)
{
    each_kernel(state, check_f32x3);
}

/* An element as one fused multiply-add after another gives it, in the order of k. */
static float strict(const struct kernel *kernel, const struct typed *x, int64_t i, int64_t j, int64_t k)
{
    float sum = 0;
    for (int64_t p = 0; p < k; p++) {
        const double a = typed_get(&x[0], x[0].host, kernel->op_a ? p : i, kernel->op_a ? i : p);
        const double b = typed_get(&x[1], x[1].host, kernel->op_b ? j : p, kernel->op_b ? p : j);
        sum = fmaf((float)a, (float)b, sum);
    }
    return sum;
}

/* Which columns of C, of those left of and those right of `split`, have the bits of strict sums. */
static int strict_columns(isomat_context context, isomat_kernel handle, const struct kernel *kernel,
                          const struct problem *p, int64_t split)
{
    struct typed x[3];
    int same = 3;

    create_operands(x, context, kernel, p);
    const struct isomat_gemm_mma_args args = arguments_of(p, x);
    uint8_t *got = run(handle, kernel, &args, x);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            const double u = typed_get(&x[2], got, i, j);
            const double v = (double)strict(kernel, x, i, j, p->k);
            if (!(u == v || (isnan(u) && isnan(v))))
                same &= j < split ? ~1 : ~2;
        }
    free(got);
    for (int i = 0; i < 3; i++)
        typed_destroy(&x[i]);
    return same;
}

/* Only the tile that must is done on CUDA cores, and then to the bit. */
static double nan_at_the_left(int64_t p, int64_t j, void *context)
{
    return p == 30 && j == 7 ? (double)NAN : signed_values(p, j, context);
}

static double tiny_at_the_left(int64_t p, int64_t j, void *context)
{
    return p == 30 && j == 7 ? 0x1.fp-61 : signed_values(p, j, context);
}

static double nothing_tiny(int64_t p, int64_t j, void *context)
{
    return p == 30 && j == 7 ? 0x1p-60 : p == 31 ? 0 : signed_values(p, j, context);
}

static void check_fall_back(isomat_context context, isomat_kernel handle, const struct kernel *kernel)
{
    struct problem p = {.m = 30,
                        .n = kernel->bn + 20,
                        .k = 96,
                        .alpha = 1,
                        .layout_a = TYPED_DENSE,
                        .layout_b = TYPED_DENSE,
                        .layout_c = TYPED_DENSE,
                        .c_type = F32,
                        .a = signed_values};

    if (kernel->mode != MODE_f32x3)
        return;
    p.b = nan_at_the_left;
    assert_int_equal(strict_columns(context, handle, kernel, &p, kernel->bn), 1);
    p.b = tiny_at_the_left;
    assert_int_equal(strict_columns(context, handle, kernel, &p, kernel->bn), 1);
    p.b = nothing_tiny;
    assert_int_equal(strict_columns(context, handle, kernel, &p, kernel->bn), 0);
    p.k = ISOMAT_GEMM_F32X3_K_MIN - 1;
    assert_int_equal(strict_columns(context, handle, kernel, &p, kernel->bn), 3);
}

static void f32x3_does_a_tile_again_where_it_must(void **state)
{
    each_kernel(state, check_fall_back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(each_kernel_is_right_at_its_edges),
        device_test(special_values_go_where_ieee_puts_them),
        device_test(f32x3_keeps_the_bound_of_float32),
        device_test(f32x3_does_a_tile_again_where_it_must),
    };
    int status = device_open(DEVICE_ANY);

    if (status == 0 && device_capability() < 80) {
        print_message("mma.sync kernels need compute capability 8.0\n");
        return device_close(0) != 0 ? TEST_ERROR : TEST_SKIP;
    }
    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
