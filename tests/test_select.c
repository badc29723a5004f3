/* SPDX-License-Identifier: MIT */
/* test_select.c: the choice of a kernel, over a large grid of sizes. */
#include "lib/recall.h"
#include "tests/support/test.h"

#define LIMIT ((1LL << 31) - 65536)

static const int64_t sizes[] = {1,    2,    3,    4,     5,      7,       8,    9,    15,   16,
                                31,   32,   33,   63,    64,     65,      100,  127,  128,  129,
                                200,  255,  256,  257,   500,    512,     777,  1000, 1024, 2048,
                                4096, 4097, 8192, 16384, 100000, 1000000, LIMIT};
static const int processors[] = {1, 2, 16, 80, 108, 132, 148};

static int may_split;  /* whether split products may be chosen, */
static int may_strict; /* and the kernel for large products on Hopper's CUDA cores */

static struct im_gemm_problem problem_of(int64_t m, int64_t n, int64_t k, int ops, int multiprocessors)
{
    return (struct im_gemm_problem){m, n, k, ops / 2, ops % 2, multiprocessors, 90, may_split, may_strict};
}

static enum im_kernel_id choose(int64_t m, int64_t n, int64_t k, int ops, int multiprocessors)
{
    const struct im_gemm_problem problem = problem_of(m, n, k, ops, multiprocessors);

    return im_select_gemm(&problem);
}

static int32_t parts_of(enum im_kernel_id id, int64_t m, int64_t n, int64_t k, int ops, int multiprocessors)
{
    const struct im_gemm_problem problem = problem_of(m, n, k, ops, multiprocessors);

    return im_select_parts(&problem, id);
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

    return (strstr(row->name, layouts[ops]) != NULL || row == &im_kernels[IM_KERNEL_STRICT_SM90]) &&
           row->tile_m > 0 && row->tile_n > 0 && row->threads > 0 &&
           ISOMAT_GEMM_GRID(m, n, row->tile_m, row->tile_n) <= INT32_MAX;
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

static int64_t blocks_of(const struct im_kernel_row *row, int64_t m, int64_t n)
{
    const int64_t r = n <= row->thin && n <= m ? m : n;

    return row->thin > 0 ? ISOMAT_SKINNY_GRID(r, row->rows_per_block)
                         : ISOMAT_GEMM_GRID(m, n, row->tile_m, row->tile_n);
}

/* Each part has work, the kernels can be launched, and the results have room. */
static int parts_fit(const struct im_kernel_row *row, int32_t parts, int64_t m, int64_t n, int64_t k)
{
    if (parts == 1)
        return 1;
    return parts > 1 && parts <= ISOMAT_PARTS_MAX && parts <= (k + row->step_k - 1) / row->step_k &&
           blocks_of(row, m, n) * parts <= INT32_MAX && parts * m * ((n + 3) / 4) * 16 <= 64 << 20 &&
           ISOMAT_REDUCE_GRID(m, n, parts) * ISOMAT_REDUCE_THREADS <= INT32_MAX;
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
                        if ((unsigned)id >= IM_KERNEL_FILL_f32)
                            complain("not a multiplication", id, m, n, k, ops, processors[p]);
                        if (im_is_skinny(id) ? !skinny_fits(row, m, n, ops) : !tile_fits(row, m, n, ops))
                            complain(row->name, id, m, n, k, ops, processors[p]);
                        if (!im_is_split(id) && id != IM_KERNEL_STRICT_SM90 &&
                            !parts_fit(row, parts_of(id, m, n, k, ops, processors[p]), m, n, k))
                            complain("parts", id, m, n, k, ops, processors[p]);
                        if (id != choose(m, n, k, ops, processors[p]))
                            complain("another choice the second time", id, m, n, k, ops, processors[p]);
                    }
}

/* Of the type and layout asked for, whatever the sizes; the layouts stand together in the table. */
static void choice_for_16_bits_is_valid_for_all_sizes(void **state)
{
    static const struct {
        int32_t type;
        enum im_kernel_id first;
    } types[] = {
        {ISOMAT_TYPE_F16, IM_KERNEL_SM90_F16_nn_128x256},
        {ISOMAT_TYPE_BF16, IM_KERNEL_SM90_BF16_nn_128x256},
        {ISOMAT_TYPE_F32, IM_KERNEL_SM90_F16_nn_128x256},
    };
    (void)state;
    for (size_t i = 0; i < TEST_COUNT(sizes); i++)
        for (size_t j = 0; j < TEST_COUNT(sizes); j++)
            for (size_t l = 0; l < TEST_COUNT(sizes); l++)
                for (int ops = 0; ops < 4; ops++)
                    for (size_t t = 0; t < TEST_COUNT(types); t++) {
                        const struct im_gemm_problem problem =
                            problem_of(sizes[i], sizes[j], sizes[l], ops, 132);
                        const enum im_kernel_id id = im_select_16(&problem, types[t].type);
                        const int place = (int)id - (int)types[t].first - ops * IM_SM90_16_TILES;
                        if (place < 0 || place >= IM_SM90_16_TILES)
                            complain("another type or layout", id, sizes[i], sizes[j], sizes[l], ops, 132);
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
        const int hopper = im_kernels[i].wgmma_n > 0 || im_kernels[i].cluster > 0 ||
                           strstr(im_kernels[i].name, "_strict_sm90");
        const int f64 = i >= IM_KERNEL_F64_FIRST && i < IM_KERNEL_FILL_f32; /* see test_select_f64 */
        assert_true(im_kernels[i].shared_bytes <= (hopper || f64 ? 227u : 99u) << 10);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(im_kernels[i].name, im_kernels[j].name);
    }
    for (int i = 0; i < IM_EMBEDDED_COUNT; i++) {
        assert_true(strlen(im_embedded_modules[i].name) > 0);
        /* a build without the architectures that have tensor cores has nothing in their modules */
        const char *name = im_embedded_modules[i].name;
        const int tensor = strstr(name, "_sm90") || strstr(name, "_mma") || i == IM_EMBEDDED_SPLIT_F32;
        const int64_t bytes = im_embedded_modules[i].end - im_embedded_modules[i].begin;
        assert_true(bytes > 64 || (tensor && bytes == 0));
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

/* Where it may be taken: for large results, whatever has to be transposed, and for no small ones. */
static void large_strict_products_take_the_hopper_kernel(void **state)
{
    (void)state;
    may_strict = 1;
    check_all_sizes();
    for (int ops = 0; ops < 4; ops++) {
        for (int64_t size = 4096; size <= 16384; size *= 2)
            if (choose(size, size, size, ops, 132) != IM_KERNEL_STRICT_SM90)
                complain("not the Hopper kernel", choose(size, size, size, ops, 132), size, size, size, ops,
                         132);
        assert_int_not_equal(choose(512, 512, 512, ops, 132), IM_KERNEL_STRICT_SM90);
        assert_int_not_equal(choose(4096, 4096, 16, ops, 132), IM_KERNEL_STRICT_SM90);
        may_split = 1;
        assert_true(im_is_split(choose(4096, 4096, 4096, ops, 132)));
        may_split = 0;
    }
    may_strict = 0;
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

/* Where there are not enough tiles or rows for the multiprocessors, k gives more blocks. */
static void long_k_is_cut_where_the_result_is_small(void **state)
{
    static const int64_t shapes[][3] = {{128, 128, 8192}, {16, 16, 100000},  {512, 512, 8192},
                                        {64, 64, 4096},   {4096, 16, 16384}, {1, 1, 1000000},
                                        {8, 100, 200000}, {100, 1, 100000}};

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(shapes); i++)
        for (int ops = 0; ops < 4; ops++) {
            const int64_t m = shapes[i][0], n = shapes[i][1], k = shapes[i][2];
            const enum im_kernel_id id = choose(m, n, k, ops, 132);
            const int32_t parts = parts_of(id, m, n, k, ops, 132);
            if (parts == 1 || blocks_of(&im_kernels[id], m, n) * parts < 100)
                complain("few blocks", id, m, n, k, ops, 132);
        }
}

static void k_stays_whole_where_cutting_gains_nothing(void **state)
{
    static const int64_t shapes[][3] = {{4096, 4096, 4096}, {8192, 8192, 8192}, {128, 128, 32}, {16, 16, 16},
                                        {1, 1, 300},        {16384, 1, 16384},  {1, 1, 1},      {300, 8, 64}};

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(shapes); i++)
        for (int ops = 0; ops < 4; ops++) {
            const int64_t m = shapes[i][0], n = shapes[i][1], k = shapes[i][2];
            const enum im_kernel_id id = choose(m, n, k, ops, 132);
            if (parts_of(id, m, n, k, ops, 132) != 1)
                complain("cut", id, m, n, k, ops, 132);
        }
}

/* What is remembered is what would be answered, however the questions follow each other. */
static void remembered_answers_are_the_same(void **state)
{
    static const int64_t few[] = {1, 7, 64, 65, 512, 4096};
    uint64_t sequence = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        int64_t size[3];
        for (int j = 0; j < 3; j++) {
            sequence = sequence * 6364136223846793005u + 1442695040888963407u;
            size[j] = few[(sequence >> 33) % TEST_COUNT(few)];
        }
        const int of = (int)(sequence >> 40);
        may_split = of & 1;
        may_strict = of >> 1 & 1;
        const struct im_gemm_problem problem =
            problem_of(size[0], size[1], size[2], of >> 2 & 3, processors[2 + (of >> 4 & 15) % 5]);
        const enum im_kernel_id id = im_select_gemm(&problem);
        int32_t parts, recalled;
        assert_int_equal(im_recall_gemm(&problem), id);
        if (id != IM_KERNEL_STRICT_SM90 && !im_is_split(id))
            assert_int_equal(im_recall_parts(&problem, id), im_select_parts(&problem, id));
        for (int mode = IM_MMA_TF32; mode <= IM_MMA_BF16; mode++)
            assert_int_equal(im_recall_mma(&problem, (enum im_mma_mode)mode),
                             im_select_mma(&problem, (enum im_mma_mode)mode));
        for (int32_t type = ISOMAT_TYPE_F32; type <= ISOMAT_TYPE_BF16; type++)
            assert_int_equal(im_recall_16(&problem, type), im_select_16(&problem, type));
        assert_int_equal(im_recall_f32x3_gains(&problem), im_f32x3_gains(&problem));
        assert_int_equal(im_recall_f64(&problem, &recalled), im_select_f64(&problem, &parts));
        assert_int_equal(recalled, parts);
    }
    may_split = may_strict = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice_is_valid_for_all_sizes),
        cmocka_unit_test(choice_for_16_bits_is_valid_for_all_sizes),
        cmocka_unit_test(table_names_each_kernel_once),
        cmocka_unit_test(thin_results_take_a_skinny_kernel),
        cmocka_unit_test(large_results_take_a_large_tile),
        cmocka_unit_test(small_results_take_a_small_tile),
        cmocka_unit_test(split_products_are_chosen_where_they_are_right),
        cmocka_unit_test(large_strict_products_take_the_hopper_kernel),
        cmocka_unit_test(long_k_is_cut_where_the_result_is_small),
        cmocka_unit_test(k_stays_whole_where_cutting_gains_nothing),
        cmocka_unit_test(remembered_answers_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
