/* SPDX-License-Identifier: MIT */
/* test_gemm_parts.c: isomat_gemm where k is long and the result small, so that k is cut into parts.
 *
 * The parts' results lie in work memory that the context keeps: it grows, is given back, is missing,
 * and is wanted by several streams at once.
 */
#include "tests/support/device.h"
#include "tests/support/reference.h"
#include "tests/support/work.h"

#define N ISOMAT_OP_N
#define STRICT ISOMAT_COMPUTE_F32_STRICT

static void check(void **state, const struct reference_gemm *gemm)
{
    if (!reference_run(device_context(state), gemm))
        fail();
}

/* Small results over every length of k, by tiles and by both forms of skinny kernels. */
static void every_length_of_k_is_right(void **state)
{
    static const int64_t lengths[] = {1, 2, 63, 64, 65, 255, 500, 1000, 1025, 4096, 9999, 30000, 100000};
    static const int64_t shapes[][2] = {{1, 1}, {5, 3}, {40, 1}, {2, 33}, {9, 9}, {33, 17}, {65, 12}};
    static const double betas[] = {0, 1, 0.5};
    unsigned turn = 0;

    for (size_t i = 0; i < TEST_COUNT(shapes); i++)
        for (size_t l = 0; l < TEST_COUNT(lengths); l++, turn++) {
            if (shapes[i][0] * shapes[i][1] * lengths[l] > 12000000) /* seconds on a CPU */
                continue;
            check(state, &(struct reference_gemm){
                             .m = shapes[i][0],
                             .n = shapes[i][1],
                             .k = lengths[l],
                             .op_a = (int32_t)(turn / 2 % 2),
                             .op_b = (int32_t)(turn % 2),
                             .alpha = turn % 3 ? 1 : -0.5,
                             .beta = betas[turn % 3],
                             .layout_a = (enum operand_layout)(turn % OPERAND_LAYOUTS),
                             .layout_b = (enum operand_layout)(turn / 3 % OPERAND_LAYOUTS),
                             .layout_c = (enum operand_layout)(turn / 5 % OPERAND_LAYOUTS),
                             .fill = turn % 4 ? OPERAND_SIGNED : OPERAND_POSITIVE,
                             .compute = (int32_t)(turn % 2),
                         });
        }
}

/* A product of matrices made by make: A is 12 x DEPTH and B is DEPTH x 20, or thinner. */
enum { ROWS = 12, COLS = 20, DEPTH = 20000 };

struct product {
    struct operand a, b;
    int64_t n;
};

static void make(struct product *product, isomat_context context, int64_t n, enum operand_fill fill)
{
    product->n = n;
    operand_create(&product->a, context, ROWS, DEPTH, OPERAND_DENSE, fill);
    operand_create(&product->b, context, DEPTH, n, OPERAND_DENSE, fill);
}

static void unmake(struct product *product)
{
    operand_destroy(&product->a);
    operand_destroy(&product->b);
}

static isomat_matrix new_result(isomat_context context, int64_t n)
{
    isomat_matrix c;

    assert_ok(isomat_matrix_create(&c, context, ROWS, n, ISOMAT_TYPE_F32, ISOMAT_NONE));
    return c;
}

static int32_t multiply(isomat_matrix *c, const struct product *product, isomat_stream stream)
{
    return isomat_gemm(c, 1, product->a.matrix, N, product->b.matrix, N, 0, STRICT, stream);
}

static void download(float *to, isomat_matrix c, int64_t n)
{
    assert_ok(isomat_matrix_to_host(to, n, c, ISOMAT_NONE));
}

/* What one product gives on the context's own stream. */
static void result_of(float *to, isomat_context context, const struct product *product)
{
    isomat_matrix c = new_result(context, product->n);

    assert_ok(multiply(&c, product, ISOMAT_NONE));
    download(to, c, product->n);
    assert_ok(isomat_matrix_destroy(c));
}

/* Without this the other tests would test nothing. */
static void long_k_is_cut_into_parts(void **state)
{
    const int64_t widths[] = {COLS, 4};

    for (size_t i = 0; i < TEST_COUNT(widths) && device_is_host(); i++) {
        struct product product;
        isomat_matrix c = new_result(device_context(state), widths[i]);
        make(&product, device_context(state), widths[i], OPERAND_SIGNED);
        const int64_t before = device_host_calls("cuLaunchKernel");
        assert_ok(multiply(&c, &product, ISOMAT_NONE));
        assert_int_equal(device_host_calls("cuLaunchKernel") - before, 2);
        assert_ok(isomat_matrix_destroy(c));
        unmake(&product);
    }
}

static void bits_are_the_same_each_time(void **state)
{
    const int64_t widths[] = {COLS, 3};
    float first[ROWS * COLS], again[ROWS * COLS];

    for (size_t i = 0; i < TEST_COUNT(widths); i++) {
        struct product product;
        make(&product, device_context(state), widths[i], OPERAND_SIGNED);
        result_of(first, device_context(state), &product);
        for (int round = 0; round < (device_is_host() ? 5 : 200); round++) {
            result_of(again, device_context(state), &product);
            assert_memory_equal(first, again, (size_t)(ROWS * widths[i]) * sizeof(float));
        }
        unmake(&product);
    }
}

/* One product in parts behind another whose stream is busy: they must not share their work memory. */
static void streams_take_turns_in_the_work_memory(void **state)
{
    enum { STREAMS = 3 };
    isomat_context context = device_context(state);
    struct product products[STREAMS];
    isomat_stream streams[STREAMS];
    isomat_matrix c[STREAMS];
    struct work work;
    float expected[STREAMS][ROWS * COLS], got[ROWS * COLS];
    const int64_t widths[STREAMS] = {COLS, COLS - 3, 2};

    work_load(&work, context);
    for (int s = 0; s < STREAMS; s++) {
        make(&products[s], context, widths[s], s == 1 ? OPERAND_POSITIVE : OPERAND_SIGNED);
        result_of(expected[s], context, &products[s]);
        assert_ok(isomat_stream_create(&streams[s], context, 0));
        c[s] = new_result(context, widths[s]);
    }
    for (int round = 0; round < (device_is_host() ? 3 : 50); round++) {
        if (round % 10 == 0)
            work_spin(&work, streams[0], 2);
        for (int s = 0; s < STREAMS; s++)
            assert_ok(multiply(&c[s], &products[s], streams[s]));
        if (round % 10 != 0)
            continue;
        for (int s = 0; s < STREAMS; s++) {
            assert_ok(isomat_stream_synchronize(streams[s]));
            download(got, c[s], widths[s]);
            assert_memory_equal(got, expected[s], (size_t)(ROWS * widths[s]) * sizeof(float));
        }
    }
    for (int s = 0; s < STREAMS; s++) {
        assert_ok(isomat_matrix_destroy(c[s]));
        assert_ok(isomat_stream_destroy(streams[s]));
        unmake(&products[s]);
    }
    work_unload(&work);
}

/* No room for the parts is no failure: the product is made of one piece. */
static void without_room_k_stays_whole(void **state)
{
    isomat_context context = device_context(state);
    struct product product;
    float got[ROWS * COLS];
    isomat_matrix c;

    if (!device_is_host())
        skip();
    make(&product, context, COLS, OPERAND_POSITIVE);
    c = new_result(context, COLS);
    device_host_fault("cuMemAllocFromPoolAsync:1+=OUT_OF_MEMORY");
    const int64_t before = device_host_calls("cuLaunchKernel");
    const int32_t status = multiply(&c, &product, ISOMAT_NONE);
    const int64_t launches = device_host_calls("cuLaunchKernel") - before;
    device_host_fault(NULL);
    assert_int_equal(status, ISOMAT_OK);
    assert_int_equal(launches, 1);
    download(got, c, COLS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS; j++) {
            double exact = 0;
            for (int64_t p = 0; p < DEPTH; p++)
                exact += (double)*operand_at(&product.a, product.a.host, i, p) *
                         *operand_at(&product.b, product.b.host, p, j);
            assert_true(got[i * COLS + j] > exact * 0.999 && got[i * COLS + j] < exact * 1.001);
        }
    assert_ok(isomat_matrix_destroy(c));
    unmake(&product);
}

/* What is allocated in the context. */
static int64_t pool_bytes(isomat_context context)
{
    isomat_context_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_context_get_info(&info, context));
    return info.pool_used_bytes;
}

/* The work memory grows with what is asked of it, stays, and goes when the context is trimmed. */
static void work_memory_is_kept_and_given_back(void **state)
{
    isomat_context context = device_context(state);
    struct product small, large;
    float first[ROWS * COLS], got[ROWS * COLS];

    make(&small, context, 2, OPERAND_SIGNED);
    make(&large, context, COLS, OPERAND_SIGNED);
    assert_ok(isomat_context_trim(context, 0));
    const int64_t before = pool_bytes(context);
    result_of(got, context, &small);
    const int64_t with_small = pool_bytes(context);
    assert_true(with_small > before);
    result_of(first, context, &large);
    const int64_t with_large = pool_bytes(context);
    assert_true(with_large > with_small);
    result_of(got, context, &small);
    assert_int_equal(pool_bytes(context), with_large);
    assert_ok(isomat_context_trim(context, 0));
    assert_int_equal(pool_bytes(context), before);
    result_of(got, context, &large);
    assert_memory_equal(first, got, sizeof(got));
    unmake(&small);
    unmake(&large);
}

/* A context that is not destroyed with isomat's has nothing left of the work memory. */
static void nothing_is_left_in_a_borrowed_context(void **state)
{
    const int64_t objects = device_is_host() ? device_host_objects() : 0;
    const uint64_t native = device_create_native_context();
    const int64_t with_native = device_is_host() ? device_host_objects() : 0;
    isomat_context context;
    struct product product;
    float got[ROWS * COLS];

    (void)state;
    assert_int_equal(device_pop_context(), native);
    assert_ok(isomat_context_adopt(&context, native, ISOMAT_ADOPT_BORROW));
    make(&product, context, COLS, OPERAND_SIGNED);
    result_of(got, context, &product);
    unmake(&product);
    assert_ok(isomat_context_destroy(context));
    if (device_is_host())
        assert_int_equal(device_host_objects(), with_native);
    device_destroy_native_context(native);
    if (device_is_host())
        assert_int_equal(device_host_objects(), objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(every_length_of_k_is_right),
        device_test(long_k_is_cut_into_parts),
        device_test(bits_are_the_same_each_time),
        device_test(streams_take_turns_in_the_work_memory),
        device_test(without_room_k_stays_whole),
        device_test(work_memory_is_kept_and_given_back),
        device_test(nothing_is_left_in_a_borrowed_context),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
