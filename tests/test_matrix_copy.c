/* SPDX-License-Identifier: MIT */
/* test_matrix_copy.c: copying and filling matrices. */
#include <math.h>

#include "tests/support/device.h"
#include "tests/support/matrix.h"
#include "tests/support/operand.h"

#define F32 ISOMAT_TYPE_F32

static void copy_takes_each_leading_dimension(void **state)
{
    struct operand from, to;

    for (int layout_from = 0; layout_from < OPERAND_LAYOUTS; layout_from++) {
        for (int layout_to = 0; layout_to < OPERAND_LAYOUTS; layout_to++) {
            float *got;
            operand_create(&from, device_context(state), 17, 36, (enum operand_layout)layout_from,
                           OPERAND_SIGNED);
            operand_create(&to, device_context(state), 17, 36, (enum operand_layout)layout_to, OPERAND_NAN);
            assert_ok(isomat_matrix_copy(to.matrix, from.matrix, ISOMAT_NONE));
            got = operand_download(&to);
            assert_true(operand_guarded(&to, got));
            for (int i = 0; i < 17; i++)
                assert_memory_equal(operand_at(&to, got, i, 0), operand_at(&from, from.host, i, 0),
                                    36 * sizeof(float));
            free(got);
            operand_destroy(&from);
            operand_destroy(&to);
        }
    }
}

static void copy_onto_itself_does_nothing(void **state)
{
    isomat_matrix matrix = matrix_numbered(device_context(state), 3, 3);
    isomat_matrix first, second;

    assert_ok(isomat_matrix_copy(matrix, matrix, ISOMAT_NONE));
    assert_ok(isomat_matrix_view(&first, matrix, 1, 0, 2, 2));
    assert_ok(isomat_matrix_view(&second, matrix, 1, 0, 2, 2));
    assert_ok(isomat_matrix_copy(first, second, ISOMAT_NONE));
    assert_true(matrix_at(matrix, 2, 1) == 201);
    assert_ok(isomat_matrix_destroy(first));
    assert_ok(isomat_matrix_destroy(second));
    assert_ok(isomat_matrix_destroy(matrix));
}

/* Rectangles side by side share rows of memory but no element. */
static void copy_between_disjoint_parts_of_one_matrix(void **state)
{
    isomat_matrix matrix = matrix_numbered(device_context(state), 6, 6);
    isomat_matrix left, right;

    assert_ok(isomat_matrix_view(&left, matrix, 0, 0, 6, 3));
    assert_ok(isomat_matrix_view(&right, matrix, 0, 3, 6, 3));
    assert_ok(isomat_matrix_copy(right, left, ISOMAT_NONE));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            assert_true(matrix_at(matrix, i, j) == (float)(100 * i + j % 3));
    assert_ok(isomat_matrix_destroy(left));
    assert_ok(isomat_matrix_destroy(right));
    assert_ok(isomat_matrix_destroy(matrix));
}

static void fill_rounds_to_the_type(void **state)
{
    static const double values[] = {0, -0.0, 1, 0.1, 1e-40, 1e300, -1e300, INFINITY, NAN, 16777217};
    struct operand operand;

    for (size_t i = 0; i < TEST_COUNT(values); i++) {
        const float wanted = (float)values[i];
        float *got;
        operand_create(&operand, device_context(state), 5, 9, (enum operand_layout)(i % OPERAND_LAYOUTS),
                       OPERAND_SIGNED);
        assert_ok(isomat_matrix_fill(operand.matrix, values[i], ISOMAT_NONE));
        got = operand_download(&operand);
        assert_true(operand_guarded(&operand, got));
        for (int j = 0; j < 45; j++) {
            float value = *operand_at(&operand, got, j / 9, j % 9);
            assert_true(memcmp(&value, &wanted, sizeof(value)) == 0 || (isnan(value) && isnan(wanted)));
        }
        free(got);
        operand_destroy(&operand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(copy_takes_each_leading_dimension),
        device_test(copy_onto_itself_does_nothing),
        device_test(copy_between_disjoint_parts_of_one_matrix),
        device_test(fill_rounds_to_the_type),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
