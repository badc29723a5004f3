/* SPDX-License-Identifier: MIT */
/* test_select.c: the choice of a kernel, over a large grid of sizes. */
#include "lib/select.h"
#include "tests/support/test.h"

#define LIMIT ((1LL << 31) - 65536)

static const int64_t sizes[] = {1,    2,    3,    4,     5,      7,       8,    9,    15,   16,
                                31,   32,   33,   63,    64,     65,      100,  127,  128,  129,
                                200,  255,  256,  257,   500,    512,     777,  1000, 1024, 2048,
                                4096, 4097, 8192, 16384, 100000, 1000000, LIMIT};
static const int processors[] = {1, 2, 16, 80, 108, 132, 148};

static int may_split; /* whether split products may be chosen */

static enum im_kernel_id choose(int64_t m, int64_t n, int64_t k, int ops, int multiprocessors)
{
    const struct im_gemm_problem problem = {m, n, k, ops / 2, ops % 2, multiprocessors, 90, may_split};

    return im_select_gemm(&problem);
}

static void complain(const char *what, enum im_kernel_id id, int64_t m, int64_t n, int64_t k, int ops,
                     int sms)
{
    print_error("%s: kernel %d for m %lld n %lld k %lld op %c%c on %d multiprocessors\n", what, (int)id,
                (long long)m, (long long)n, (long long)k, "NT"[ops / 2], "NT"[ops % 2], sms);
    fail();
}

/* A tile kernel must have the layout of the operands. */
static int tile_fits(const struct im_kernel_row *row, int64_t m, int64_t n, int ops)
{
    static const char *const layouts[] = {"_nn_", "_nt_", "_tn_", "_tt_"};

    return strstr(row->name, layouts[ops]) != NULL && row->tile_m > 0 && row->tile_n > 0 &&
           row->threads > 0 && ISOMAT_GEMM_GRID(m, n, row->tile_m, row->tile_n) <= INT32_MAX;
}

/* A skinny kernel must hold the thin side, in the form that the large operand is stored in. */
static int skinny_fits(const struct im_kernel_row *row, int64_t m, int64_t n, int ops)
{
    const int rows = strstr(row->name, "_rows_") != NULL;
    const int a_is_n = ops / 2 == 0, b_is_t = ops % 2 == 1;
    const int as_n = n <= row->thin && rows == a_is_n; /* X = op(A) */
    const int as_m = m <= row->thin && rows == b_is_t; /* X = op(B)^T */

    return (as_n || as_m) && row->rows_per_block > 0 && row->threads > 0;
}

static void check_all_sizes(void)
{
    for (size_t i = 0; i < TEST_COUNT(sizes); i++)
        for (size_t j = 0; j < TEST_COUNT(sizes); j++)
            for (size_t l = 0; l < TEST_COUNT(sizes); l += 2)
                for (int ops = 0; ops < 4; ops++)
                    for (size_t p = 0; p < TEST_COUNT(processors); p++) {
                        const int64_t m = sizes[i], n = sizes[j], k = sizes[l];
                        const enum im_kernel_id id = choose(m, n, k, ops, processors[p]);
                        const struct im_kernel_row *row = &im_kernels[id < IM_KERNEL_COUNT ? id : 0];
                        if (m * n > 1LL << 40) /* more than any memory */
                            continue;
                        if ((unsigned)id >= IM_KERNEL_FILL)
                            complain("not a multiplication", id, m, n, k, ops, processors[p]);
                        if (im_is_skinny(id) ? !skinny_fits(row, m, n, ops) : !tile_fits(row, m, n, ops))
                            complain(row->name, id, m, n, k, ops, processors[p]);
                        if (id != choose(m, n, k, ops, processors[p]))
                            complain("another choice the second time", id, m, n, k, ops, processors[p]);
                    }
}

static void table_names_each_kernel_once(void **state)
{
    (void)state;
    for (int i = 0; i < IM_KERNEL_COUNT; i++) {
        assert_non_null(im_kernels[i].name);
        assert_int_equal(strncmp(im_kernels[i].name, "isomat_", 7), 0);
        assert_true(im_kernels[i].module >= 0 && im_kernels[i].module < IM_EMBEDDED_COUNT);
        assert_in_range(im_kernels[i].threads, 32, 1024);
        /* Hopper's, for its own kernels; else the least of sm_75 to sm_120, but for sm_75's 64 */
        assert_true(im_kernels[i].shared_bytes <= (im_is_split((enum im_kernel_id)i) ? 227u : 99u) << 10);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(im_kernels[i].name, im_kernels[j].name);
    }
    for (int i = 0; i < IM_EMBEDDED_COUNT; i++) {
        assert_true(strlen(im_embedded_modules[i].name) > 0);
        /* a build without Hopper's architecture has nothing in its modules */
        const int hopper =
            i == IM_EMBEDDED_GEMM_F32_SM90 || i == IM_EMBEDDED_GEMM_F32_GATED || i == IM_EMBEDDED_SPLIT_F32;
        const int64_t bytes = im_embedded_modules[i].end - im_embedded_modules[i].begin;
        assert_true(bytes > 64 || (hopper && bytes == 0));
    }
}

/* Memory-bound shapes: the smallest kernel that holds the thin side. */
static void thin_results_take_a_skinny_kernel(void **state)
{
    (void)state;
    for (int64_t thin = 1; thin <= ISOMAT_SKINNY_MAX; thin++)
        for (int64_t large = 1024; large <= 65536; large *= 4)
            for (int ops = 0; ops < 4; ops++) {
                const enum im_kernel_id tall = choose(large, thin, large, ops, 132);
                const enum im_kernel_id wide = choose(thin, large, large, ops, 132);
                if (!im_is_skinny(tall) || im_kernels[tall].thin / 2 >= thin)
                    complain("tall", tall, large, thin, large, ops, 132);
                if (!im_is_skinny(wide) || im_kernels[wide].thin / 2 >= thin)
                    complain("wide", wide, thin, large, large, ops, 132);
            }
}

static void large_results_take_a_large_tile(void **state)
{
    (void)state;
    for (int64_t size = 4096; size <= 16384; size *= 2)
        for (int ops = 0; ops < 4; ops++) {
            const enum im_kernel_id id = choose(size, size, size, ops, 132);
            if (im_is_skinny(id) || im_kernels[id].tile_m * im_kernels[id].tile_n < 128 * 128)
                complain("large", id, size, size, size, ops, 132);
        }
}

static void choice_is_valid_for_all_sizes(void **state)
{
    (void)state;
    check_all_sizes();
}

/* Where split products may be taken: never below their least k or above their most, and of course
 * for what they were made for. */
static void split_products_are_chosen_where_they_are_right(void **state)
{
    (void)state;
    may_split = 1;
    check_all_sizes();
    for (int ops = 0; ops < 4; ops++) {
        if (!im_is_split(choose(4096, 4096, 4096, ops, 132)))
            complain("not split", choose(4096, 4096, 4096, ops, 132), 4096, 4096, 4096, ops, 132);
        assert_false(im_is_split(choose(4096, 4096, ISOMAT_GEMM_F32_SM90_K_MIN - 1, ops, 132)));
        assert_false(im_is_split(choose(4096, 4096, ISOMAT_SPLIT_K_MAX + 1, ops, 132)));
        assert_false(im_is_split(choose(256, 256, 256, ops, 132)));
        assert_false(im_is_split(choose(4096, 8, 4096, ops, 132)));
    }
    may_split = 0;
}

/* A tile far larger than the result leaves most threads idle. */
static void small_results_take_a_small_tile(void **state)
{
    (void)state;
    for (int64_t size = 9; size <= 32; size++)
        for (int ops = 0; ops < 4; ops++) {
            const enum im_kernel_id id = choose(size, size, 512, ops, 132);
            if (!im_is_skinny(id) && im_kernels[id].tile_m * im_kernels[id].tile_n > 64 * 64)
                complain("small", id, size, size, 512, ops, 132);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice_is_valid_for_all_sizes),
        cmocka_unit_test(table_names_each_kernel_once),
        cmocka_unit_test(thin_results_take_a_skinny_kernel),
        cmocka_unit_test(large_results_take_a_large_tile),
        cmocka_unit_test(small_results_take_a_small_tile),
        cmocka_unit_test(split_products_are_chosen_where_they_are_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
