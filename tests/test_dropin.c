/* SPDX-License-Identifier: MIT */
/* test_dropin.c: the id-based library, libcuda_kernels.so. */
#include <math.h>
#include <pthread.h>

#include <isomat_cuda_kernels.h>

#include "tests/support/device.h"
#include "tests/support/operand.h"

#define ROWS 30
#define INNER 50
#define COLS 20

static float a[ROWS * INNER], b[INNER * COLS];

static void assert_failed(size_t id, const char *before)
{
    assert_int_equal(id, 0);
    assert_true(test_is_one_line(isomat_error_message()));
    assert_string_not_equal(isomat_error_message(), before);
}

/* Leaves a message of its own, so that a new one can be told from an old one. */
static const char *mark(void)
{
    static char message[512];

    isomat_stream_destroy(424242);
    snprintf(message, sizeof(message), "%s", isomat_error_message());
    return message;
}

static int is_product(const float *c)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) {
            double sum = 0, magnitude = 0;
            for (int p = 0; p < INNER; p++) {
                sum += (double)a[i * INNER + p] * b[p * COLS + j];
                magnitude += fabs((double)a[i * INNER + p] * b[p * COLS + j]);
            }
            if (fabs(c[i * COLS + j] - sum) > (INNER + 2) * 0x1p-24 * magnitude)
                return 0;
        }
    return 1;
}

static void registered_matrix_comes_back(void **state)
{
    float got[ROWS * INNER] = {0};
    size_t id = register_matrix(a, ROWS, INNER);

    (void)state;
    assert_in_range(id, 1, 1000);
    get_matrix_data(id, ROWS, INNER, got);
    assert_memory_equal(got, a, sizeof(a));
    unregister_matrix(id);
}

static void ids_begin_at_1_and_stay_small(void **state)
{
    size_t ids[100];

    (void)state;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 100; i++) {
            ids[i] = register_matrix(a, 2, 3);
            assert_in_range(ids[i], 1, 20000);
            for (int j = 0; j < i; j++)
                assert_int_not_equal(ids[i], ids[j]);
        }
        for (int i = 0; i < 100; i++)
            unregister_matrix(ids[i]);
    }
}

static void product_is_right(void **state)
{
    float got[ROWS * COLS];
    size_t first = register_matrix(a, ROWS, INNER), second = register_matrix(b, INNER, COLS), product;

    (void)state;
    for (int i = 0; i < 20; i++) {
        product = cuda_matrix_multiply(first, ROWS, INNER, second, INNER, COLS);
        assert_int_not_equal(product, 0);
        cuda_synchronize();
        memset(got, 0, sizeof(got));
        get_matrix_data(product, ROWS, COLS, got);
        assert_true(is_product(got));
        unregister_matrix(product);
    }
    product = cuda_matrix_multiply(first, ROWS, INNER, second, INNER, COLS);
    unregister_matrix(first); /* the product needs them no more */
    unregister_matrix(second);
    get_matrix_data(product, ROWS, COLS, got);
    assert_true(is_product(got));
    unregister_matrix(product);
}

static void bad_registration_gives_0(void **state)
{
    (void)state;
    assert_failed(register_matrix(NULL, 2, 3), mark());
    assert_failed(register_matrix(a, (size_t)-1, 3), mark());
    assert_failed(register_matrix(a, (size_t)1 << 33, (size_t)1 << 33), mark());
}

static void bad_multiplication_gives_0(void **state)
{
    size_t first = register_matrix(a, ROWS, INNER), second = register_matrix(b, INNER, COLS);

    (void)state;
    assert_failed(cuda_matrix_multiply(first, ROWS, INNER, first, ROWS, INNER), mark());
    assert_failed(cuda_matrix_multiply(first, ROWS + 1, INNER, second, INNER, COLS), mark());
    assert_failed(cuda_matrix_multiply(first, ROWS, INNER - 1, second, INNER - 1, COLS), mark());
    assert_failed(cuda_matrix_multiply(first, ROWS, INNER, second, INNER, COLS + 1), mark());
    assert_failed(cuda_matrix_multiply(0, ROWS, INNER, second, INNER, COLS), mark());
    assert_failed(cuda_matrix_multiply(first, ROWS, INNER, 12345678, INNER, COLS), mark());
    assert_failed(cuda_matrix_multiply((size_t)-1, ROWS, INNER, second, INNER, COLS), mark());
    unregister_matrix(second);
    assert_failed(cuda_matrix_multiply(first, ROWS, INNER, second, INNER, COLS), mark());
    unregister_matrix(first);
}

static void bad_download_leaves_the_buffer(void **state)
{
    float got[ROWS * INNER];
    size_t id = register_matrix(a, ROWS, INNER);
    const char *before = mark();

    (void)state;
    for (int i = 0; i < ROWS * INNER; i++)
        got[i] = -7;
    get_matrix_data(id, ROWS, INNER - 1, got);
    get_matrix_data(id, -1, INNER, got);
    get_matrix_data(id + 1000, ROWS, INNER, got);
    get_matrix_data(0, ROWS, INNER, got);
    get_matrix_data(id, ROWS, INNER, NULL);
    assert_string_not_equal(isomat_error_message(), before);
    for (int i = 0; i < ROWS * INNER; i++)
        assert_true(got[i] == -7);
    unregister_matrix(id);
}

static void unknown_id_is_harmless(void **state)
{
    static const size_t unknown[] = {0, 999999, (size_t)-1, (size_t)1 << 40, 0x80000000};
    float got[ROWS * INNER];
    size_t id = register_matrix(a, ROWS, INNER);
    const char *before = mark();

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(unknown); i++)
        unregister_matrix(unknown[i]);
    assert_string_not_equal(isomat_error_message(), before);
    get_matrix_data(id, ROWS, INNER, got);
    assert_memory_equal(got, a, sizeof(a));
    unregister_matrix(id);
    unregister_matrix(id);
    cuda_synchronize();
}

static void *use_ids(void *argument)
{
    int *failures = (int *)argument;
    float got[ROWS * COLS];

    for (int i = 0; i < 50; i++) {
        size_t first = register_matrix(a, ROWS, INNER), second = register_matrix(b, INNER, COLS);
        size_t product = cuda_matrix_multiply(first, ROWS, INNER, second, INNER, COLS);
        get_matrix_data(product, ROWS, COLS, got);
        *failures += product == 0 || !is_product(got);
        unregister_matrix(product);
        unregister_matrix(first);
        unregister_matrix(second);
    }
    return NULL;
}

static void threads_use_ids_at_once(void **state)
{
    pthread_t threads[4];
    int failures[4] = {0};

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_ids, &failures[i]), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(failures[i], 0);
}

/* The library keeps its context; what lives beside it after each test was not unregistered. */
static int64_t objects;

static int remember(void **state)
{
    (void)state;
    unregister_matrix(register_matrix(a, 1, 1));
    unregister_matrix(cuda_matrix_multiply(0, 1, 1, 0, 1, 1));
    objects = isomat_live_objects();
    return 0;
}

static int compare(void **state)
{
    (void)state;
    cuda_synchronize();
    if (isomat_live_objects() <= objects)
        return 0;
    print_error("%lld matrices were left behind\n", (long long)(isomat_live_objects() - objects));
    return -1;
}

/* The first product loads a module, which stays with the context. */
static int warm_up(void **state)
{
    size_t first = register_matrix(a, ROWS, INNER), second = register_matrix(b, INNER, COLS);

    (void)state;
    unregister_matrix(cuda_matrix_multiply(first, ROWS, INNER, second, INNER, COLS));
    unregister_matrix(first);
    unregister_matrix(second);
    return 0;
}

#define dropin_test(function) cmocka_unit_test_setup_teardown(function, remember, compare)

int main(void)
{
    const struct CMUnitTest tests[] = {
        dropin_test(registered_matrix_comes_back),
        dropin_test(ids_begin_at_1_and_stay_small),
        dropin_test(product_is_right),
        dropin_test(bad_registration_gives_0),
        dropin_test(bad_multiplication_gives_0),
        dropin_test(bad_download_leaves_the_buffer),
        dropin_test(unknown_id_is_harmless),
        dropin_test(threads_use_ids_at_once),
    };
    int status = device_open(DEVICE_ANY);

    operand_fill(a, ROWS * INNER, OPERAND_SIGNED, 1);
    operand_fill(b, INNER * COLS, OPERAND_SIGNED, 2);
    return status != 0 ? status : cmocka_run_group_tests(tests, warm_up, NULL) != 0;
}
