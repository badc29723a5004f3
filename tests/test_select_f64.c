/* SPDX-License-Identifier: MIT */
/* test_select_f64.c: the choice of a float64 kernel and of the parts of k, over a grid of sizes and devices.
 */
#include "lib/select.h"
#include "tests/support/test.h"

static const int64_t sizes[] = {1,   8,    17,   64,   65,    128,     300,
                                512, 1000, 2048, 4097, 16384, 1 << 20, (1LL << 31) - 65536};
static const struct device {
    int capability, multiprocessors, shared_kib; /* of a block, by the CUDA programming guide */
} devices[] = {{75, 40, 64},   {80, 108, 163},  {86, 28, 99},   {89, 128, 99},
               {90, 132, 227}, {100, 148, 227}, {120, 170, 99}, {90, 1, 227}};
static const char *const layouts[] = {"nn", "nt", "tn", "tt"};

static struct im_gemm_problem problem_of(int64_t m, int64_t n, int64_t k, int layout,
                                         const struct device *device)
{
    return (struct im_gemm_problem){.m = m,
                                    .n = n,
                                    .k = k,
                                    .op_a = layout / 2,
                                    .op_b = layout % 2,
                                    .multiprocessors = device->multiprocessors,
                                    .capability = device->capability};
}

/* A kernel of the layout that the device has room for, and parts that the kernels can do. */
static void choice_can_be_launched(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_COUNT(sizes); i++)
        for (size_t j = 0; j < TEST_COUNT(sizes); j++)
            for (size_t l = 0; l < TEST_COUNT(sizes); l++)
                for (size_t d = 0; d < TEST_COUNT(devices); d++) {
                    const int layout = (int)(i + j + l) % 4;
                    const struct im_gemm_problem problem =
                        problem_of(sizes[i], sizes[j], sizes[l], layout, &devices[d]);
                    char start[32];
                    int32_t parts = 0;
                    const enum im_kernel_id id = im_select_f64(&problem, &parts);
                    const struct im_kernel_row *row = &im_kernels[id];
                    snprintf(start, sizeof(start), "isomat_gemm_f64_%s_", layouts[layout]);
                    assert_int_equal(strncmp(row->name, start, strlen(start)), 0);
                    assert_in_range(row->shared_bytes, 1, devices[d].shared_kib << 10);
                    assert_in_range(parts, 1, ISOMAT_PARTS_MAX);
                    if (parts > 1) {
                        assert_true(parts <= (problem.k + row->step_k - 1) / row->step_k);
                        assert_true(ISOMAT_REDUCE_GRID(problem.m, problem.n, parts) <=
                                    INT32_MAX / ISOMAT_REDUCE_THREADS);
                        assert_true(ISOMAT_GEMM_GRID(problem.m, problem.n, row->tile_m, row->tile_n) *
                                        parts <=
                                    INT32_MAX);
                    }
                    assert_int_equal(im_select_f64(&problem, NULL), id);
                }
}

static void sizes_get_tiles_that_fit_them(void **state)
{
    const struct device h200 = {90, 132, 227};
    const struct im_gemm_problem large = problem_of(8192, 8192, 8192, 0, &h200);
    const struct im_gemm_problem small = problem_of(256, 256, 256, 0, &h200);
    const struct im_gemm_problem deep = problem_of(32, 32, 1 << 20, 0, &h200);
    int32_t parts;

    (void)state;
    assert_int_equal(im_kernels[im_select_f64(&large, &parts)].tile_m, 128);
    assert_int_equal(parts, 1);
    assert_int_equal(im_kernels[im_select_f64(&small, &parts)].tile_m, 32);
    assert_int_equal(im_kernels[im_select_f64(&deep, &parts)].tile_m, 32);
    assert_true(parts >= 132);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice_can_be_launched),
        cmocka_unit_test(sizes_get_tiles_that_fit_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
