/* SPDX-License-Identifier: MIT */
/* test_gemm_random.c: many random shapes in every mode against the strict kernels.
 *
 * All operands lie in a few pools of device memory, at random offsets and leading dimensions.
 *
 * Exact data: multiples of 1/64 below 1.  They are exact in every type, and so is every sum of at
 * most 700 products in float32: any mode must give what the strict kernel gives, to the bit before
 * C is rounded to its type.
 * Positive data, rounded to the mode's type: C itself is then |A||B|, and gives the bound.
 *
 * ISOMAT_TEST_SHAPES sets the number of shapes: 10,000 on a GPU, a few dozen on the host driver.
 */
#include <math.h>

#include "tests/support/device.h"
#include "tests/support/operand.h"
#include "tests/support/typed.h"

#define UNIT 0x1p-24
#define MODES 5
#define LARGEST 700
#define LARGEST_ON_HOST 110
#define PADDING 16 /* of a row, and of a first element */
#define GUARD 64   /* elements behind the last */

/* Regions of a pool: A, B, and what is in C before. */
enum { REGION_A, REGION_B, REGION_C, REGIONS };

/* The same values in each type. */
enum { POOL_EXACT, POOL_F32, POOL_TF32, POOL_F16, POOL_BF16, POOL_NAN, POOLS };

struct pool {
    uint64_t memory[ISOMAT_TYPE_BF16 + 1]; /* by type */
    uint8_t *host[ISOMAT_TYPE_BF16 + 1];
};

struct place {
    int64_t rows, cols, ld, offset;
};

struct shape {
    uint64_t number;
    int64_t m, n, k;
    int32_t op_a, op_b;
    double alpha, beta;
    struct place a, b, c;
};

static const struct mode {
    const char *name;
    int32_t type;
    int pool, wide; /* wide: C may be float32 besides */
    double losses;  /* the error is at most losses * k + 8 units */
    int bits;
} modes[MODES] = {
    [ISOMAT_COMPUTE_F32] = {"f32", ISOMAT_TYPE_F32, POOL_F32, 0, 1, 24},
    [ISOMAT_COMPUTE_F32_STRICT] = {"f32-strict", ISOMAT_TYPE_F32, POOL_F32, 0, 1, 24},
    [ISOMAT_COMPUTE_TF32] = {"tf32", ISOMAT_TYPE_F32, POOL_TF32, 0, 2, 11},
    [ISOMAT_COMPUTE_F16] = {"f16", ISOMAT_TYPE_F16, POOL_F16, 1, 2, 11},
    [ISOMAT_COMPUTE_BF16] = {"bf16", ISOMAT_TYPE_BF16, POOL_BF16, 1, 2, 8},
};

static isomat_context context;
static struct pool pools[POOLS];
static uint64_t work; /* C's memory */
static uint64_t sequence;
static float *expected, *got;
static uint8_t *raw;

static int64_t largest(void)
{
    return device_is_host() ? LARGEST_ON_HOST : LARGEST;
}

static int64_t region_elements(void)
{
    return PADDING + largest() * (largest() + PADDING) + GUARD;
}

/* ------------------------------------------------------------------------ pools */

static float pool_value(int pool)
{
    static const int bits[POOLS] = {[POOL_F32] = 24, [POOL_TF32] = 11, [POOL_F16] = 11, [POOL_BF16] = 8};

    if (pool == POOL_NAN)
        return NAN;
    if (pool == POOL_EXACT)
        return (float)((double)operand_random(&sequence, 127) - 63.0) / 64.0f;
    /* above 2^-10, where float16 has all its bits */
    double scale = ldexp(1.0, bits[pool] - 1);
    double exponent = -(double)operand_random(&sequence, 10);
    double fraction = 1.0 + (double)operand_random(&sequence, (uint64_t)scale) / scale;
    return (float)ldexp(fraction, (int)exponent - 1);
}

static isomat_matrix adopt(uint64_t memory, int32_t type, const struct place *place)
{
    const uint64_t address = memory + (uint64_t)(place->offset * typed_element_bytes(type));
    isomat_matrix matrix;

    assert_ok(isomat_matrix_adopt(&matrix, context, address, place->rows, place->cols, place->ld, type,
                                  ISOMAT_ADOPT_BORROW));
    return matrix;
}

/* The values as another type, by the device. */
static void convert(struct pool *pool, int32_t type)
{
    const struct place all = {REGIONS, region_elements(), region_elements(), 0};
    isomat_matrix from = adopt(pool->memory[ISOMAT_TYPE_F32], ISOMAT_TYPE_F32, &all);
    isomat_matrix to = adopt(pool->memory[type], type, &all);

    assert_ok(isomat_matrix_copy(to, from, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(to));
    assert_ok(isomat_matrix_destroy(from));
}

static int64_t pool_bytes(int32_t type)
{
    return REGIONS * region_elements() * typed_element_bytes(type);
}

static void create_pool(int number)
{
    const int64_t count = REGIONS * region_elements();
    struct pool *pool = &pools[number];
    float *values;

    for (int32_t type = ISOMAT_TYPE_F32; type <= ISOMAT_TYPE_BF16; type++) {
        assert_ok(isomat_memory_allocate(&pool->memory[type], pool_bytes(type), context, ISOMAT_NONE));
        pool->host[type] = malloc((size_t)pool_bytes(type));
        assert_non_null(pool->host[type]);
    }
    values = (float *)(void *)pool->host[ISOMAT_TYPE_F32];
    for (int64_t i = 0; i < count; i++)
        values[i] = pool_value(number);
    assert_ok(isomat_memory_copy_to_device(pool->memory[ISOMAT_TYPE_F32], values, pool_bytes(ISOMAT_TYPE_F32),
                                           context, ISOMAT_NONE));
    for (int32_t type = ISOMAT_TYPE_F16; type <= ISOMAT_TYPE_BF16; type++) {
        convert(pool, type);
        assert_ok(isomat_memory_copy_to_host(pool->host[type], pool->memory[type], pool_bytes(type), context,
                                             ISOMAT_NONE));
    }
}

/* Nobody wrote what was only to be read. */
static void destroy_pool(int number)
{
    struct pool *pool = &pools[number];

    for (int32_t type = ISOMAT_TYPE_F32; type <= ISOMAT_TYPE_BF16; type++) {
        uint8_t *now = malloc((size_t)pool_bytes(type));
        assert_non_null(now);
        assert_ok(
            isomat_memory_copy_to_host(now, pool->memory[type], pool_bytes(type), context, ISOMAT_NONE));
        assert_memory_equal(now, pool->host[type], (size_t)pool_bytes(type));
        free(now);
        assert_ok(isomat_memory_free(pool->memory[type], context, ISOMAT_NONE));
        free(pool->host[type]);
    }
}

static uint64_t region(int pool, int32_t type, int which)
{
    return pools[pool].memory[type] + (uint64_t)(which * region_elements() * typed_element_bytes(type));
}

/* ----------------------------------------------------------------------- shapes */

static int64_t pick(int64_t least, int64_t most)
{
    return least + (int64_t)operand_random(&sequence, (uint64_t)(most - least + 1));
}

/* Dense, aligned or odd. */
static struct place random_place(int64_t rows, int64_t cols)
{
    struct place place = {rows, cols, cols, 0};

    switch (pick(0, 3)) {
    case 0:
        break;
    case 1:
        place.ld = (cols + 7) / 8 * 8;
        break;
    default:
        place.ld = cols + pick(0, PADDING);
        place.offset = pick(0, 1) * pick(0, PADDING);
        break;
    }
    return place;
}

static struct shape random_shape(uint64_t number, int exact)
{
    static const double exact_alphas[] = {1, -1, 2, -0.5}, exact_betas[] = {0, 0, 1, -0.5};
    static const double alphas[] = {1, 1, 1.25, 0.3}, betas[] = {0, 0, 1, 0.7};
    const int64_t top = largest();
    struct shape x = {.number = number, .m = pick(1, top), .n = pick(1, top), .k = pick(1, top)};

    x.op_a = (int32_t)pick(0, 1);
    x.op_b = (int32_t)pick(0, 1);
    x.alpha = (exact ? exact_alphas : alphas)[pick(0, 3)];
    x.beta = (exact ? exact_betas : betas)[pick(0, 3)];
    x.a = x.op_a ? random_place(x.k, x.m) : random_place(x.m, x.k);
    x.b = x.op_b ? random_place(x.n, x.k) : random_place(x.k, x.n);
    x.c = random_place(x.m, x.n);
    return x;
}

static void fail_shape(const struct shape *x, const char *mode, const char *what)
{
    print_error("%s, %s: shape %llu, m %lld n %lld k %lld op %c%c alpha %g beta %g ld %lld %lld %lld "
                "offsets %lld %lld %lld, seed %llu\n",
                mode, what, (unsigned long long)x->number, (long long)x->m, (long long)x->n, (long long)x->k,
                "NT"[x->op_a], "NT"[x->op_b], x -> alpha, x -> beta, (long long)x -> a.ld, (long long)x->b.ld,
                (long long)x->c.ld, (long long)x->a.offset, (long long)x->b.offset, (long long)x->c.offset,
                (unsigned long long)operand_seed());
    fail();
}

static void multiply(isomat_matrix c, const struct shape *x, int pool, int32_t type, int32_t compute)
{
    isomat_matrix a = adopt(region(pool, type, REGION_A), type, &x->a);
    isomat_matrix b = adopt(region(pool, type, REGION_B), type, &x->b);

    assert_ok(isomat_gemm(&c, x->alpha, a, x->op_a, b, x->op_b, x->beta, compute, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(a));
}

/* ------------------------------------------------------------------- comparison */

static double value_at(const struct place *place, int pool, int which, int32_t op, int64_t i, int64_t j)
{
    const float *values = (const float *)(const void *)pools[pool].host[ISOMAT_TYPE_F32];
    const int64_t at = op == ISOMAT_OP_T ? j * place->ld + i : i * place->ld + j;

    return values[which * region_elements() + place->offset + at];
}

/* The strict kernel is held to float64 in a few elements. */
static void check_strict(const struct shape *x, int pool)
{
    for (int sample = 0; sample < 3; sample++) {
        const int64_t i = pick(0, x->m - 1), j = pick(0, x->n - 1);
        double sum = 0, size = 0, old = x->beta * value_at(&x->c, pool, REGION_C, ISOMAT_OP_N, i, j);
        for (int64_t k = 0; k < x->k; k++) {
            double term = value_at(&x->a, pool, REGION_A, x->op_a, i, k) *
                          value_at(&x->b, pool, REGION_B, x->op_b, k, j);
            sum += term;
            size += fabs(term);
        }
        double error = fabs((double)expected[i * x->n + j] - (x->alpha * sum + old));
        if (!(error <= (double)(x->k + 8) * UNIT * (fabs(x->alpha) * size + fabs(old))))
            fail_shape(x, "f32-strict", "far from float64");
    }
}

/* What the strict kernel makes of the pool's float32 values, into `expected`. */
static void expect(const struct shape *x, int pool)
{
    isomat_matrix c, before = adopt(region(pool, ISOMAT_TYPE_F32, REGION_C), ISOMAT_TYPE_F32, &x->c);

    assert_ok(isomat_matrix_create(&c, context, x->m, x->n, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(c, before, ISOMAT_NONE));
    multiply(c, x, pool, ISOMAT_TYPE_F32, ISOMAT_COMPUTE_F32_STRICT);
    assert_ok(isomat_matrix_to_host(expected, x->n, c, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(isomat_matrix_destroy(before));
    check_strict(x, pool);
}

/* Rows' ends and what is before and behind C are as they were. */
static void check_guards(const struct shape *x, const char *name, const uint8_t *before, int64_t bytes)
{
    const struct place *c = &x->c;
    int64_t at = 0; /* the first element that is not C's */

    for (int64_t i = 0; i <= c->rows; i++) {
        const int64_t end = c->offset + (i < c->rows ? i * c->ld : (c->rows - 1) * c->ld + c->cols + GUARD);
        if (end > at && memcmp(raw + at * bytes, before + at * bytes, (size_t)((end - at) * bytes)) != 0)
            fail_shape(x, name, "memory around C was overwritten");
        at = c->offset + i * c->ld + c->cols;
    }
}

/* One mode; rel is what |got - expected| / |expected| may be. */
static void check_mode(const struct shape *x, int32_t compute, int pool, int32_t c_type, double rel)
{
    const struct mode *mode = &modes[compute];
    const int from = x->beta == 0 ? POOL_NAN : pool;
    const int64_t bytes = typed_element_bytes(c_type);
    const int64_t touched = (x->c.offset + x->c.rows * x->c.ld + GUARD) * bytes;
    const uint8_t *before = pools[from].host[c_type] + REGION_C * region_elements() * bytes;
    const double room = c_type == ISOMAT_TYPE_F16 ? 0x1p-25 : 0; /* for its denormals */
    isomat_matrix c, wide;

    assert_ok(isomat_memory_copy_device(work, region(from, c_type, REGION_C), touched, context, ISOMAT_NONE));
    c = adopt(work, c_type, &x->c);
    multiply(c, x, pool, mode->type, compute);
    assert_ok(isomat_matrix_create(&wide, context, x->m, x->n, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(wide, c, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, x->n, wide, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_host(raw, work, touched, context, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(wide));
    assert_ok(isomat_matrix_destroy(c));
    check_guards(x, mode->name, before, bytes);

    for (int64_t i = 0; i < x->m * x->n; i++)
        if (!(fabs((double)got[i] - (double)expected[i]) <= rel * fabs((double)expected[i]) + room)) {
            print_error("C(%lld, %lld) of type %d is %.9g, the strict kernel's is %.9g, relative error %.3g "
                        "allowed\n",
                        (long long)(i / x->n), (long long)(i % x->n), (int)c_type, (double)got[i],
                        (double)expected[i], rel);
            fail_shape(x, mode->name, "wrong");
        }
}

/* -------------------------------------------------------------------------- tests */

static uint64_t shape_count(void)
{
    const char *count = getenv("ISOMAT_TEST_SHAPES");

    return count != NULL ? strtoull(count, NULL, 0) : device_is_host() ? 40 : 10000;
}

static void check_shape(uint64_t number, int exact)
{
    const struct shape x = random_shape(number, exact);

    if (exact)
        expect(&x, POOL_EXACT);
    for (int32_t compute = 0; compute < MODES; compute++) {
        const struct mode *mode = &modes[compute];
        const int pool = exact ? POOL_EXACT : mode->pool;
        const int32_t c_type = mode->wide && pick(0, 1) ? ISOMAT_TYPE_F32 : mode->type;
        const double rounding = c_type == ISOMAT_TYPE_F32 ? 0 : ldexp(1.0, -mode->bits);
        const double bound = ((mode->losses + 1) * (double)x.k + 16) * UNIT; /* the strict kernel errs too */

        if (compute == ISOMAT_COMPUTE_F32_STRICT || (compute > 1 && device_capability() < 80))
            continue;
        if (!exact)
            expect(&x, pool);
        check_mode(&x, compute, pool, c_type, exact ? rounding : bound + rounding);
    }
}

static void run(void **state, int exact)
{
    const uint64_t count = shape_count();

    context = device_context(state);
    sequence = operand_seed() + (uint64_t)exact;
    for (int pool = 0; pool < POOLS; pool++)
        create_pool(pool);
    assert_ok(isomat_memory_allocate(&work, pool_bytes(ISOMAT_TYPE_F32), context, ISOMAT_NONE));
    expected = malloc((size_t)pool_bytes(ISOMAT_TYPE_F32));
    got = malloc((size_t)pool_bytes(ISOMAT_TYPE_F32));
    raw = malloc((size_t)pool_bytes(ISOMAT_TYPE_F32));
    assert_true(expected != NULL && got != NULL && raw != NULL);
    for (uint64_t number = 0; number < count / 2; number++)
        check_shape(number, exact);
    free(raw);
    free(got);
    free(expected);
    assert_ok(isomat_memory_free(work, context, ISOMAT_NONE));
    for (int pool = 0; pool < POOLS; pool++)
        destroy_pool(pool);
}

static void exact_data(void **state)
{
    run(state, 1);
}

static void positive_data(void **state)
{
    run(state, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(exact_data),
        device_test(positive_data),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
