/* SPDX-License-Identifier: MIT */
/* test_gemm_modes.c: TF32, F16 and BF16 against double precision over shapes, layouts, transposes, alpha,
 * beta and types of C.
 *
 * The bounds are derived in tests/support/modes.h.  Small shapes take the whole cross product; for
 * larger ones everything but the shape goes round.  Of long lists every so many cases are run, fewer on the
 * host driver, which imitates tensor cores, or with ISOMAT_TEST_SHORT set; each seed gives others.
 */
#include <math.h>

#include "tests/support/device.h"
#include "tests/support/modes.h"
#include "tests/support/operand.h"

#define F32 ISOMAT_TYPE_F32

static const int32_t computes[] = {ISOMAT_COMPUTE_TF32, ISOMAT_COMPUTE_F16, ISOMAT_COMPUTE_BF16};
static const double alphas[] = {1, -1.25, 0};
static const double betas[] = {0, 1, 0.5};

_Static_assert(TYPED_LAYOUTS == 5, "mixed_layouts counts them");

static uint64_t turn; /* counts cases; the round-robin choices come from it */

/* The type of C for a choice of 0 or 1. */
static int32_t c_type_of(int32_t compute, uint64_t choice)
{
    return choice % 2 ? F32 : mode_type(compute);
}

/* One shape, all else in turn. */
static void check_in_turn(void **state, int32_t compute, int64_t m, int64_t n, int64_t k, int ops)
{
    uint64_t sequence = operand_seed() + turn * 977;
    const uint64_t choice = operand_random(&sequence, UINT64_MAX);
    const int positive = choice / 2 % 4 == 0;

    turn++;
    mode_check(device_context(state), &(struct mode_gemm){
                                          .compute = compute,
                                          .m = m,
                                          .n = n,
                                          .k = k,
                                          .op_a = ops / 2,
                                          .op_b = ops % 2,
                                          .alpha = alphas[choice / 64 % 2],
                                          .beta = betas[choice / 128 % 3],
                                          .layout_a = (enum typed_layout)(choice / 1024 % TYPED_LAYOUTS),
                                          .layout_b = (enum typed_layout)(choice / 4096 % TYPED_LAYOUTS),
                                          .layout_c = (enum typed_layout)(choice / 16384 % TYPED_LAYOUTS),
                                          .c_type = c_type_of(compute, choice),
                                          .a = positive ? mode_positive : mode_signed,
                                          .b = positive ? mode_positive : mode_signed,
                                          .c = mode_signed,
                                          .stride = m * n * k > 1 << 24 ? 23 : 1,
                                      });
}

/* Every so many of the cases; the steps are prime to the counts, so that all values of each choice come. */
static uint64_t one_of(uint64_t on_host, uint64_t on_gpu)
{
    return device_is_host() || getenv("ISOMAT_TEST_SHORT") != NULL ? on_host : on_gpu;
}

/* Every shape of the product of the lists, all modes and ops; of these, one of step. */
static void sweep(void **state, const int64_t *ms, size_t m_count, const int64_t *ns, size_t n_count,
                  const int64_t *ks, size_t k_count, uint64_t step)
{
    const uint64_t count = m_count * n_count * k_count * 12;

    for (uint64_t i = operand_seed() % step; i < count; i += step) {
        const uint64_t shape = i / 12;
        check_in_turn(state, computes[i % 3], ms[shape % m_count], ns[shape / m_count % n_count],
                      ks[shape / m_count / n_count], (int)(i / 3 % 4));
    }
}

/* The whole cross product for sizes 0, 1 and 7. */
static void check_small_shape(void **state, int64_t m, int64_t n, int64_t k, uint64_t choices)
{
    const int32_t compute = computes[choices % 3];

    mode_check(device_context(state), &(struct mode_gemm){
                                          .compute = compute,
                                          .m = m,
                                          .n = n,
                                          .k = k,
                                          .op_a = (int32_t)(choices / 3 % 2),
                                          .op_b = (int32_t)(choices / 6 % 2),
                                          .alpha = alphas[choices / 12 % 3],
                                          .beta = betas[choices / 36 % 3],
                                          .layout_a = (enum typed_layout)(choices / 216 % TYPED_LAYOUTS),
                                          .layout_b = (enum typed_layout)(choices / 216 % TYPED_LAYOUTS),
                                          .layout_c = (enum typed_layout)(choices / 216 % TYPED_LAYOUTS),
                                          .c_type = c_type_of(compute, choices / 108),
                                          .a = mode_signed,
                                          .b = mode_signed,
                                          .c = mode_signed,
                                      });
}

static void small_shapes(void **state)
{
    static const int64_t sizes[] = {0, 1, 7};
    const uint64_t step = one_of(11, 5);

    for (uint64_t i = operand_seed() % step; i < 27 * 216 * TYPED_LAYOUTS; i += step)
        check_small_shape(state, sizes[i % 3], sizes[i / 3 % 3], sizes[i / 9 % 3], i / 27);
}

/* Every mixture of aligned and misaligned operands, even and odd sizes. */
static void mixed_layouts(void **state)
{
    const int step = (int)one_of(7, 1);

    for (int i = 0; i < 125 * 4 * 2 * 6; i += step) {
        const int layouts = i % 125, odd = i / 500 % 2, compute = computes[i / 1000 % 3];
        mode_check(device_context(state), &(struct mode_gemm){
                                              .compute = compute,
                                              .m = 40 + odd,
                                              .n = 48 + odd,
                                              .k = 24 + odd,
                                              .op_a = i / 125 % 2,
                                              .op_b = i / 250 % 2,
                                              .alpha = 1,
                                              .beta = betas[i % 3],
                                              .layout_a = (enum typed_layout)(layouts / 25),
                                              .layout_b = (enum typed_layout)(layouts / 5 % 5),
                                              .layout_c = (enum typed_layout)(layouts % 5),
                                              .c_type = c_type_of(compute, (uint64_t)i / 3000),
                                              .a = mode_signed,
                                              .b = mode_positive,
                                              .c = mode_signed,
                                          });
    }
}

static void around_small_tiles(void **state)
{
    static const int64_t sizes[] = {2, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65};
    static const int64_t depths[] = {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 65};

    sweep(state, sizes, TEST_COUNT(sizes), sizes, TEST_COUNT(sizes), depths, TEST_COUNT(depths),
          one_of(37, 5));
}

static void around_large_tiles(void **state)
{
    static const int64_t ms[] = {95, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300};
    static const int64_t ns[] = {96, 127, 128, 129, 160, 161, 191, 193, 255, 256, 257, 299};
    static const int64_t depths[] = {15, 33, 64, 100};

    sweep(state, ms, TEST_COUNT(ms), ns, TEST_COUNT(ns), depths, TEST_COUNT(depths), one_of(311, 53));
}

/* One side of C small. */
static void thin_shapes(void **state)
{
    static const int64_t thin[] = {1, 2, 3, 4, 5, 8, 9}, lengths[] = {31, 64, 257, 1000},
                         depths[] = {1, 31, 132};

    sweep(state, thin, TEST_COUNT(thin), lengths, TEST_COUNT(lengths), depths, TEST_COUNT(depths),
          one_of(29, 7));
    sweep(state, lengths, TEST_COUNT(lengths), thin, TEST_COUNT(thin), depths, TEST_COUNT(depths),
          one_of(29, 7));
}

/* Where a sum goes on long, in one tile or few. */
static void deep_shapes(void **state)
{
    static const int64_t ms[] = {1, 16, 65}, ns[] = {1, 24, 130};
    static const int64_t depths[] = {127, 128, 129, 200, 255, 256, 257, 500, 511, 513, 777, 1000};

    sweep(state, ms, TEST_COUNT(ms), ns, TEST_COUNT(ns), depths, TEST_COUNT(depths), one_of(61, 5));
    sweep(state, ms, 2, ns, 2, (const int64_t[]){4096, 5001}, 2, one_of(17, 1));
}

static void larger_shapes(void **state)
{
    static const int64_t shapes[][3] = {
        {300, 257, 200},   {129, 515, 130},  {520, 1030, 260}, {2000, 40, 33},     {40, 2000, 33},
        {1000, 1000, 500}, {1024, 1024, 64}, {777, 2048, 320}, {1024, 1024, 1024}, {1100, 1000, 1003}};
    const int64_t most = device_is_host() ? 1 << 24 : INT64_MAX;

    for (size_t i = 0; i < TEST_COUNT(shapes); i++)
        for (int j = 0; j < 12; j += 5) {
            const int64_t m = shapes[i][0], n = shapes[i][1], k = shapes[i][2];
            if (m * n * k <= most)
                check_in_turn(state, computes[j % 3], m, n, k, j / 3);
        }
}

/* -------------------------------------------------------------- hard inputs */

/* About 2^-range to 2^range. */
static double wide(int64_t i, int64_t j, uint64_t which, int range)
{
    const int exponent = (int)(mode_uniform(i, j, which + 100) * (2 * range + 1)) - range;

    return ldexp(2 * mode_uniform(i, j, which) - 1, exponent);
}

static double wide7(int64_t i, int64_t j, void *context)
{
    (void)context;
    return wide(i, j, 1, 7);
}

static double wide20(int64_t i, int64_t j, void *context)
{
    (void)context;
    return wide(i, j, 2, 20);
}

static double wide60(int64_t i, int64_t j, void *context)
{
    (void)context;
    return wide(i, j, 3, 60);
}

static int grade(int64_t p, int range)
{
    return (int)(p * 7 % (2 * range + 1)) - range;
}

static double graded_a(int64_t i, int64_t p, void *context)
{
    return ldexp(mode_signed(i, p, context), grade(p, 20));
}

static double graded_b(int64_t p, int64_t j, void *context)
{
    return ldexp(mode_signed(p, j, context), -grade(p, 20));
}

static double graded6_a(int64_t i, int64_t p, void *context)
{
    return ldexp(mode_signed(i, p, context), grade(p, 6));
}

static double graded6_b(int64_t p, int64_t j, void *context)
{
    return ldexp(mode_signed(p, j, context), -grade(p, 6));
}

static double one_huge(int64_t i, int64_t p, void *context)
{
    return p == i * 5 % 30 ? 0x1p60 : mode_signed(i, p, context);
}

/* Where A has its huge element, B has zeros in half of its columns: there the others count. */
static double meets_huge(int64_t p, int64_t j, void *context)
{
    return p < 30 && j % 2 == 0 ? 0 : mode_signed(p, j, context);
}

static double one_large(int64_t i, int64_t p, void *context)
{
    return p == i * 5 % 30 ? 30000 : mode_signed(i, p, context);
}

static double zero_rows(int64_t i, int64_t p, void *context)
{
    return i % 3 == 0 ? 0 : i % 3 == 1 && p % 4 ? 0 : mode_signed(i, p, context);
}

/* Each row of another size; the first ones subnormal, in part or all. */
static double scaled_rows(int64_t i, int64_t p, void *context)
{
    return ldexp(mode_signed(i, p, context), (int)(i * 6 % 180) - 135);
}

static double cancelling_a(int64_t i, int64_t p, void *context)
{
    (void)context;
    return (p % 2 ? -1 : 1) * mode_uniform(i, p / 2, 7);
}

static double cancelling_b(int64_t p, int64_t j, void *context)
{
    (void)context;
    return mode_uniform(p / 2, j, 8);
}

static double full_range(int64_t i, int64_t j, void *context)
{
    (void)context;
    return wide(i, j, 4, 62) * (i % 2 ? 1 : 0x1p-60);
}

static const struct hard {
    typed_value a, b;
    int sixteen; /* float16 holds them */
} hard_inputs[] = {
    {wide7, wide7, 1},         {graded6_a, graded6_b, 1}, {one_large, meets_huge, 1},
    {zero_rows, wide7, 1},     {zero_rows, zero_rows, 1}, {cancelling_a, cancelling_b, 1},
    {wide20, wide20, 0},       {wide60, wide60, 0},       {graded_a, graded_b, 0},
    {one_huge, meets_huge, 0}, {scaled_rows, wide20, 0},  {mode_signed, scaled_rows, 0},
    {full_range, wide60, 0},
};

static void check_hard(void **state, const struct hard *hard, int32_t compute, const int64_t shape[3],
                       int ops)
{
    mode_check(device_context(state), &(struct mode_gemm){
                                          .compute = compute,
                                          .m = shape[0],
                                          .n = shape[1],
                                          .k = shape[2],
                                          .op_a = ops / 2,
                                          .op_b = ops % 2,
                                          .alpha = 1,
                                          .layout_a = (enum typed_layout)ops,
                                          .layout_b = TYPED_ALIGNED,
                                          .c_type = F32,
                                          .a = hard->a,
                                          .b = hard->b,
                                          .stride = shape[0] > 200 ? 37 : 1,
                                      });
}

/* The last shape is one where Hopper may take other ways than for the others. */
static void hard_inputs_keep_the_bound(void **state)
{
    static const int64_t shapes[][3] = {{40, 35, 70}, {19, 70, 300}, {3, 5, 129}, {1030, 1024, 1060}};
    const size_t count = TEST_COUNT(shapes) - (device_is_host() ? 1 : 0);

    for (size_t i = 0; i < TEST_COUNT(hard_inputs); i++)
        for (size_t s = 0; s < count; s++)
            for (int j = 0; j < 12; j += (int)one_of(5, s == 3 ? 12 : 1)) {
                const int32_t compute = computes[s == 3 ? 0 : (j + (int)i) % 3];
                if (compute != ISOMAT_COMPUTE_F16 || hard_inputs[i].sixteen)
                    check_hard(state, &hard_inputs[i], compute, shapes[s], j / 3);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(small_shapes),       device_test(mixed_layouts),
        device_test(around_small_tiles), device_test(around_large_tiles),
        device_test(thin_shapes),        device_test(deep_shapes),
        device_test(larger_shapes),      device_test(hard_inputs_keep_the_bound),
    };
    int status = device_open(DEVICE_ANY);

    if (status == 0 && device_capability() < 80) {
        print_message("these compute modes need compute capability 8.0\n");
        return device_close(0) != 0 ? TEST_ERROR : TEST_SKIP;
    }
    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
