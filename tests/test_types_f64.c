/* SPDX-License-Identifier: MIT */
/* test_types_f64.c: matrices of float64: host copies, views, adoption, fill, scale, and conversion to the
 * bit. */
#include <float.h>
#include <math.h>

#include "tests/support/device.h"
#include "tests/support/matrix.h"
#include "tests/support/operand.h"
#include "tests/support/typed.h"

#define F64 ISOMAT_TYPE_F64

static uint64_t sequence;

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* Any bits, half of them of a size that float16 has, some special or halfway between shorter numbers. */
static double any_number(int64_t i)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     INFINITY,
                                     -INFINITY,
                                     DBL_MAX,
                                     DBL_TRUE_MIN,
                                     FLT_MAX,
                                     0x1.ffffffp127,         /* to float32's infinity */
                                     0x1.fffffefffffffp127,  /* just not */
                                     0x1p-150,               /* half of float32's least */
                                     0x1.0000000000001p-150, /* just more */
                                     65519.999999,           /* float16: 65504 */
                                     65520,                  /* infinity */
                                     1 + 0x1p-11,            /* halfway in float16: 1 */
                                     1 + 0x1p-11 + 0x1p-40,  /* just more; halfway in float32 first */
                                     1 + 0x1p-8 + 0x1p-40,   /* the same of bfloat16 */
                                     1 + 0x1p-24 + 0x1p-50,  /* of float32 */
                                     0x1p-25 + 0x1p-60,      /* float16's least, just */
                                     -(1 + 0x1p-11 + 0x1p-40)};
    uint64_t bits = operand_random(&sequence, 1ULL << 62) << 2 | operand_random(&sequence, 4);
    double x;

    if (i < (int64_t)TEST_COUNT(special))
        return special[i];
    if (i % 2)
        bits = (bits & 0x800fffffffffffff) | (1000 + (bits >> 52) % 40) << 52;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static isomat_matrix matrix_of(isomat_context context, const double *data, int64_t rows, int64_t cols,
                               int64_t ld)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_from_host(&matrix, context, data, rows, cols, ld, F64, ISOMAT_NONE));
    return matrix;
}

static void data_goes_there_and_back(void **state)
{
    enum { ROWS = 7, LD = 40 };
    double sent[ROWS * LD], got[ROWS * LD];

    for (int64_t cols = 1; cols < LD; cols += 6) {
        for (int i = 0; i < ROWS * LD; i++)
            sent[i] = any_number(i);
        isomat_matrix matrix = matrix_of(device_context(state), sent, ROWS, cols, LD), again, view;
        const isomat_matrix_info info = matrix_info(matrix);
        assert_int_equal(info.type, F64);
        assert_int_equal(info.cols, cols);
        assert_ok(isomat_matrix_create(&again, device_context(state), ROWS, cols, F64, ISOMAT_NONE));
        assert_ok(isomat_matrix_upload(again, sent, LD, ISOMAT_NONE));
        assert_ok(isomat_matrix_view(&view, again, 2, cols / 2, 3, cols - cols / 2));
        assert_ok(isomat_matrix_fill(view, 0.1, ISOMAT_NONE)); /* not float32's 0.1 */
        memset(got, 0x55, sizeof(got));
        assert_ok(isomat_matrix_to_host(got, LD, again, ISOMAT_NONE));
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < LD; j++) {
                const int filled = i >= 2 && i < 5 && j >= cols / 2;
                const double wanted = filled ? 0.1 : sent[i * LD + j];
                assert_true(j < cols ? bits_of(got[i * LD + j]) == bits_of(wanted)
                                     : bits_of(got[i * LD + j]) == 0x5555555555555555);
            }
        assert_ok(isomat_matrix_copy(again, matrix, ISOMAT_NONE));
        assert_ok(isomat_matrix_to_host(got, LD, again, ISOMAT_NONE));
        for (int64_t i = 0; i < ROWS; i++)
            assert_memory_equal(got + i * LD, sent + i * LD, (size_t)cols * 8);
        assert_ok(isomat_matrix_destroy(view));
        assert_ok(isomat_matrix_destroy(again));
        assert_ok(isomat_matrix_destroy(matrix));
    }
}

static void adopted_memory_is_aligned_to_the_element(void **state)
{
    isomat_matrix matrix;
    uint64_t pointer;

    assert_ok(isomat_memory_allocate(&pointer, 256, device_context(state), ISOMAT_NONE));
    for (uint64_t shift = 0; shift < 32; shift++) {
        if (shift % 8) {
            assert_no_handle(matrix,
                             isomat_matrix_adopt(&matrix, device_context(state), pointer + shift, 3, 5, 7,
                                                 F64, ISOMAT_ADOPT_BORROW),
                             ISOMAT_ERROR_INVALID_ARGUMENT);
            continue;
        }
        assert_ok(isomat_matrix_adopt(&matrix, device_context(state), pointer + shift, 3, 5, 7, F64,
                                      ISOMAT_ADOPT_BORROW));
        assert_ok(isomat_matrix_fill(matrix, -1.1, ISOMAT_NONE));
        double got[15];
        assert_ok(isomat_matrix_to_host(got, 5, matrix, ISOMAT_NONE));
        for (int i = 0; i < 15; i++)
            assert_true(got[i] == -1.1);
        assert_ok(isomat_matrix_destroy(matrix));
    }
    assert_ok(isomat_memory_free(pointer, device_context(state), ISOMAT_NONE));
    assert_no_handle(matrix,
                     isomat_matrix_create(&matrix, device_context(state), 1LL << 60, 1, F64, ISOMAT_NONE),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
}

/* By isomat_gemm with alpha 0. */
static void scaling_is_in_float64(void **state)
{
    const double data[] = {1.1, (double)NAN, 3e300, -7, 0.3};
    double got[5];
    isomat_matrix c = matrix_of(device_context(state), data, 1, 5, 5),
                  a = matrix_of(device_context(state), data, 1, 1, 1),
                  b = matrix_of(device_context(state), data, 1, 5, 5);

    assert_ok(isomat_gemm(&c, 0, a, 0, b, 0, 0.1, ISOMAT_COMPUTE_F64, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, 5, c, ISOMAT_NONE));
    for (int i = 0; i < 5; i++)
        assert_true(i == 1 ? isnan(got[i]) : got[i] == 0.1 * data[i]);
    assert_ok(isomat_gemm(&c, 0, a, 0, b, 0, 0, ISOMAT_COMPUTE_F64, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(got, 5, c, ISOMAT_NONE));
    for (int i = 0; i < 5; i++)
        assert_true(got[i] == 0);
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(c));
}

static uint32_t element(int32_t type, const void *data, int i)
{
    uint32_t word = 0;
    const size_t bytes = (size_t)typed_element_bytes(type);

    memcpy(&word, (const char *)data + (size_t)i * bytes, bytes);
    return word;
}

/* Each shorter type from float64 is rounded once, and back it is exact. */
static void conversion_rounds_once(void **state)
{
    enum { ROWS = 40, COLS = 97, COUNT = ROWS * COLS };
    static double data[COUNT], back[COUNT];
    static uint32_t got[COUNT];

    for (int32_t type = ISOMAT_TYPE_F32; type <= ISOMAT_TYPE_BF16; type++) {
        for (int i = 0; i < COUNT; i++)
            data[i] = any_number(i);
        isomat_matrix wide = matrix_of(device_context(state), data, ROWS, COLS, COLS), narrow;
        assert_ok(isomat_matrix_create(&narrow, device_context(state), ROWS, COLS, type, ISOMAT_NONE));
        assert_ok(isomat_matrix_copy(narrow, wide, ISOMAT_NONE));
        assert_ok(isomat_matrix_to_host(got, COLS, narrow, ISOMAT_NONE));
        assert_ok(isomat_matrix_copy(wide, narrow, ISOMAT_NONE));
        assert_ok(isomat_matrix_to_host(back, COLS, wide, ISOMAT_NONE));
        for (int i = 0; i < COUNT; i++) {
            const uint32_t bits = element(type, got, i), wanted = typed_encode(type, data[i]);
            const double value = typed_decode(type, bits);
            const int same = isnan(data[i]) ? isnan(value) && isnan(back[i])
                                            : bits == wanted && bits_of(back[i]) == bits_of(value);
            if (!same) {
                print_error("%a became 0x%x of type %d, should be 0x%x; back %a\n", data[i], bits, (int)type,
                            wanted, back[i]);
                fail();
            }
        }
        assert_ok(isomat_matrix_destroy(narrow));
        assert_ok(isomat_matrix_destroy(wide));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(data_goes_there_and_back),
        device_test(adopted_memory_is_aligned_to_the_element),
        device_test(scaling_is_in_float64),
        device_test(conversion_rounds_once),
    };
    int status = device_open(DEVICE_ANY);

    sequence = operand_seed();
    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
