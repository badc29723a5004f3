/* SPDX-License-Identifier: MIT */
/* test_select_mma.c: the choice of an mma.sync kernel, over a grid of sizes and devices. */
#include "lib/select.h"
#include "tests/support/test.h"

static const int64_t sizes[] = {
    1, 8, 17, 64, 65, 128, 300, 512, 1000, 2048, 4097, 16384, (1LL << 31) - 65536};
static const int capabilities[] = {80, 86, 89, 90, 100, 120};
static const char *const modes[] = {"f16", "bf16", "tf32", "f32x3"};
static const char *const layouts[] = {"nn", "nt", "tn", "tt"};

static struct im_gemm_problem problem_of(int64_t m, int64_t n, int64_t k, int layout, int capability)
{
    return (struct im_gemm_problem){.m = m,
                                    .n = n,
                                    .k = k,
                                    .op_a = layout / 2,
                                    .op_b = layout % 2,
                                    .multiprocessors = 108,
                                    .capability = capability};
}

/* Whatever the size, a kernel of the mode and the layout. */
static void kernel_is_of_the_mode_and_layout(void **state)
{
    char start[64];

    (void)state;
    for (int mode = IM_MMA_F16; mode <= IM_MMA_F32X3; mode++)
        for (int layout = 0; layout < 4; layout++) {
            snprintf(start, sizeof(start), "isomat_gemm_%s_%s_", modes[mode], layouts[layout]);
            for (size_t i = 0; i < TEST_COUNT(sizes); i++)
                for (size_t j = 0; j < TEST_COUNT(sizes); j++)
                    for (size_t c = 0; c < TEST_COUNT(capabilities); c++) {
                        const struct im_gemm_problem problem =
                            problem_of(sizes[i], sizes[j], sizes[(i + j) % 13], layout, capabilities[c]);
                        const enum im_kernel_id id = im_select_mma(&problem, (enum im_mma_mode)mode);
                        assert_in_range(id, IM_KERNEL_MMA_FIRST, IM_KERNEL_FILL_f32 - 1);
                        assert_int_equal(strncmp(im_kernels[id].name, start, strlen(start)), 0);
                    }
        }
}

static void large_results_take_a_large_tile_and_small_ones_a_small(void **state)
{
    (void)state;
    for (int mode = IM_MMA_F16; mode <= IM_MMA_F32X3; mode++)
        for (size_t c = 0; c < TEST_COUNT(capabilities); c++) {
            const struct im_gemm_problem large = problem_of(8192, 8192, 8192, 0, capabilities[c]);
            const struct im_gemm_problem small = problem_of(64, 512, 4096, 0, capabilities[c]);
            assert_int_equal(im_kernels[im_select_mma(&large, (enum im_mma_mode)mode)].tile_m, 128);
            assert_int_equal(im_kernels[im_select_mma(&small, (enum im_mma_mode)mode)].tile_m, 64);
        }
}

static void f32x3_gains_on_8_0_alone(void **state)
{
    (void)state;
    for (size_t c = 0; c < TEST_COUNT(capabilities); c++) {
        const struct im_gemm_problem large = problem_of(4096, 4096, 4096, 0, capabilities[c]);
        const struct im_gemm_problem shallow =
            problem_of(4096, 4096, ISOMAT_GEMM_F32X3_K_MIN - 1, 0, capabilities[c]);
        const struct im_gemm_problem few = problem_of(128, 128, 65536, 0, capabilities[c]);
        assert_int_equal(im_f32x3_gains(&large), capabilities[c] == 80);
        assert_int_equal(im_f32x3_gains(&shallow), 0);
        assert_int_equal(im_f32x3_gains(&few), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_is_of_the_mode_and_layout),
        cmocka_unit_test(large_results_take_a_large_tile_and_small_ones_a_small),
        cmocka_unit_test(f32x3_gains_on_8_0_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
