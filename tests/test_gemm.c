/* SPDX-License-Identifier: MIT */
/* test_gemm.c: isomat_gemm against the reference over shapes, layouts, transposes, alpha and beta.
 *
 * Small shapes take the whole cross product.  For larger ones the layouts and the factors go
 * round, so that each meets each shape family without a run of all combinations.
 */
#include "tests/support/device.h"
#include "tests/support/reference.h"

static const double alphas[] = {1, -1.25, 0};
static const double betas[] = {0, 1, 0.5};

/* Counts the runs of one family; the round-robin choices come from it. */
static unsigned turn;

static void check(void **state, struct reference_gemm gemm)
{
    if (!reference_run(device_context(state), &gemm))
        fail();
}

/* One run of a shape, its layouts, factors and data chosen in turn. */
static void check_in_turn(void **state, int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b)
{
    const struct reference_gemm gemm = {
        .m = m,
        .n = n,
        .k = k,
        .op_a = op_a,
        .op_b = op_b,
        .alpha = alphas[turn / 7 % 2],
        .beta = betas[turn % 3],
        .layout_a = (enum operand_layout)(turn % OPERAND_LAYOUTS),
        .layout_b = (enum operand_layout)(turn / 3 % OPERAND_LAYOUTS),
        .layout_c = (enum operand_layout)(turn / 5 % OPERAND_LAYOUTS),
        .fill = (enum operand_fill)(turn % 3),
        .compute = turn % 5 == 4 ? ISOMAT_COMPUTE_F32_STRICT : ISOMAT_COMPUTE_F32,
    };

    turn++;
    check(state, gemm);
}

static void check_all_ops(void **state, int64_t m, int64_t n, int64_t k)
{
    for (int32_t ops = 0; ops < 4; ops++)
        check_in_turn(state, m, n, k, ops / 2, ops % 2);
}

/* The whole cross product for sizes 0, 1 and 7, dense and padded. */
static void small_shapes(void **state)
{
    static const int64_t sizes[] = {0, 1, 7};

    for (int shape = 0; shape < 27; shape++)
        for (int layout = OPERAND_DENSE; layout <= OPERAND_PADDED; layout++)
            for (int ops = 0; ops < 4; ops++)
                for (int factors = 0; factors < 9; factors++)
                    check(state, (struct reference_gemm){
                                     .m = sizes[shape / 9],
                                     .n = sizes[shape / 3 % 3],
                                     .k = sizes[shape % 3],
                                     .op_a = ops / 2,
                                     .op_b = ops % 2,
                                     .alpha = alphas[factors / 3],
                                     .beta = betas[factors % 3],
                                     .layout_a = (enum operand_layout)layout,
                                     .layout_b = (enum operand_layout)layout,
                                     .layout_c = (enum operand_layout)layout,
                                     .compute = factors % 2,
                                 });
}

/* Every mixture of aligned, padded and unaligned operands, where vectors can be used and where not. */
static void mixed_layouts(void **state)
{
    for (int layouts = 0; layouts < 64; layouts++)
        for (int ops = 0; ops < 4; ops++)
            for (int odd = 0; odd < 2; odd++)
                check(state, (struct reference_gemm){
                                 .m = 36 + odd,
                                 .n = 40 + odd,
                                 .k = 20 + odd,
                                 .op_a = ops / 2,
                                 .op_b = ops % 2,
                                 .alpha = 1,
                                 .beta = betas[layouts % 3],
                                 .layout_a = (enum operand_layout)(layouts / 16),
                                 .layout_b = (enum operand_layout)(layouts / 4 % 4),
                                 .layout_c = (enum operand_layout)(layouts % 4),
                             });
}

static void around_a_tile(void **state, int64_t tile_m, int64_t tile_n)
{
    static const int64_t depths[] = {15, 16, 17, 33};

    for (int64_t m = tile_m - 1; m <= tile_m + 1; m++)
        for (int64_t n = tile_n - 1; n <= tile_n + 1; n++)
            for (size_t k = 0; k < TEST_COUNT(depths); k++)
                check_all_ops(state, m, n, depths[k]);
}

static void around_tile_32x32(void **state)
{
    around_a_tile(state, 32, 32);
}

static void around_tile_64x64(void **state)
{
    around_a_tile(state, 64, 64);
}

static void around_tile_128x64(void **state)
{
    around_a_tile(state, 128, 64);
}

static void around_tile_128x128(void **state)
{
    around_a_tile(state, 128, 128);
}

static void around_tile_256x128(void **state)
{
    for (int64_t m = 255; m <= 257; m++)
        for (int64_t n = 127; n <= 129; n++)
            check_all_ops(state, m, n, 33);
}

/* One side of C at most 8, and just above. */
static void thin_shapes(void **state)
{
    static const int64_t lengths[] = {1, 31, 64, 257}, depths[] = {1, 31, 132};

    for (int64_t s = 1; s <= 9; s++)
        for (size_t r = 0; r < TEST_COUNT(lengths); r++)
            for (size_t k = 0; k < TEST_COUNT(depths); k++) {
                check_all_ops(state, lengths[r], s, depths[k]);
                check_all_ops(state, s, lengths[r], depths[k]);
            }
}

static void tall_wide_and_deep_shapes(void **state)
{
    static const int64_t shapes[][3] = {
        {1000, 3, 7}, {3, 1000, 7}, {2000, 40, 5},  {40, 2000, 5}, {9, 700, 33},  {700, 9, 33},
        {1, 1, 5000}, {5, 5, 4000}, {64, 64, 1500}, {33, 65, 999}, {1, 500, 300}, {500, 1, 300},
    };

    for (size_t i = 0; i < TEST_COUNT(shapes); i++)
        check_all_ops(state, shapes[i][0], shapes[i][1], shapes[i][2]);
}

/* Several tiles in each direction. */
static void large_shapes(void **state)
{
    check_all_ops(state, 300, 257, 200);
    check_all_ops(state, 400, 400, 64);
    check_all_ops(state, 129, 515, 130);
}

/* Sums that only grow show a rounding bias that signed data hides. */
static void positive_data(void **state)
{
    for (int compute = 0; compute < 2; compute++)
        for (int ops = 0; ops < 4; ops++)
            for (int64_t size = 40; size <= 140; size += 100)
                check(state, (struct reference_gemm){
                                 .m = size,
                                 .n = size,
                                 .k = 800,
                                 .op_a = ops / 2,
                                 .op_b = ops % 2,
                                 .alpha = 1,
                                 .fill = OPERAND_POSITIVE,
                                 .compute = compute,
                             });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(small_shapes),
        device_test(mixed_layouts),
        device_test(around_tile_32x32),
        device_test(around_tile_64x64),
        device_test(around_tile_128x64),
        device_test(around_tile_128x128),
        device_test(around_tile_256x128),
        device_test(thin_shapes),
        device_test(tall_wide_and_deep_shapes),
        device_test(large_shapes),
        device_test(positive_data),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
