/* SPDX-License-Identifier: MIT */
/* test_matrix.c: making, viewing and adopting matrices. */
#include "tests/support/device.h"
#include "tests/support/matrix.h"
#include "tests/support/operand.h"

#define F32 ISOMAT_TYPE_F32

static void created_matrix_has_its_size(void **state)
{
    static const int64_t sizes[][2] = {{1, 1}, {3, 5}, {1, 1000}, {1000, 1}, {33, 129}};
    isomat_matrix_info info;
    isomat_matrix matrix;

    for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
        assert_ok(
            isomat_matrix_create(&matrix, device_context(state), sizes[i][0], sizes[i][1], F32, ISOMAT_NONE));
        info = matrix_info(matrix);
        assert_int_equal(info.type, F32);
        assert_int_equal(info.rows, sizes[i][0]);
        assert_int_equal(info.cols, sizes[i][1]);
        assert_true(info.ld >= info.cols);
        assert_int_not_equal(matrix_pointer(matrix), 0);
        assert_int_equal(matrix_pointer(matrix) % 256, 0);
        assert_ok(isomat_matrix_destroy(matrix));
    }
}

static void empty_matrix_is_allowed_everywhere(void **state)
{
    static const int64_t sizes[][2] = {{0, 0}, {0, 7}, {7, 0}, {0, INT64_MAX}, {INT64_MAX, 0}};
    isomat_context context = device_context(state);
    isomat_matrix matrix, other, view;

    for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
        int64_t rows = sizes[i][0], cols = sizes[i][1];
        assert_ok(isomat_matrix_create(&matrix, context, rows, cols, F32, ISOMAT_NONE));
        assert_ok(isomat_matrix_from_host(&other, context, NULL, rows, cols, cols, F32, ISOMAT_NONE));
        assert_int_equal(matrix_info(matrix).rows, rows);
        assert_int_equal(matrix_info(matrix).cols, cols);
        assert_int_equal(matrix_pointer(matrix), 0);
        assert_ok(isomat_matrix_fill(matrix, 1, ISOMAT_NONE));
        assert_ok(isomat_matrix_copy(matrix, other, ISOMAT_NONE));
        assert_ok(isomat_matrix_upload(matrix, NULL, cols, ISOMAT_NONE));
        assert_ok(isomat_matrix_to_host(NULL, cols, matrix, ISOMAT_NONE));
        assert_ok(isomat_matrix_view(&view, matrix, 0, 0, rows, cols));
        assert_ok(isomat_matrix_destroy(matrix));
        assert_ok(isomat_matrix_destroy(other));
        assert_ok(isomat_matrix_destroy(view));
    }
}

/* Down and up again with leading dimensions of their own; the padding on the host stays. */
static void data_goes_there_and_back(void **state)
{
    enum { ROWS = 7, COLS = 13, LD_UP = 16, LD_DOWN = 15 };
    float sent[ROWS * LD_UP], got[ROWS * LD_DOWN];
    isomat_matrix matrix;

    operand_fill(sent, ROWS * LD_UP, OPERAND_WIDE, 1);
    for (int upload = 0; upload < 2; upload++) {
        for (int i = 0; i < ROWS * LD_DOWN; i++)
            got[i] = -1;
        if (upload) {
            assert_ok(isomat_matrix_create(&matrix, device_context(state), ROWS, COLS, F32, ISOMAT_NONE));
            assert_ok(isomat_matrix_upload(matrix, sent, LD_UP, ISOMAT_NONE));
        } else {
            assert_ok(isomat_matrix_from_host(&matrix, device_context(state), sent, ROWS, COLS, LD_UP, F32,
                                              ISOMAT_NONE));
        }
        assert_ok(isomat_matrix_to_host(got, LD_DOWN, matrix, ISOMAT_NONE));
        for (int i = 0; i < ROWS; i++) {
            assert_memory_equal(&got[i * LD_DOWN], &sent[i * LD_UP], COLS * sizeof(float));
            assert_true(got[i * LD_DOWN + COLS] == -1 && got[i * LD_DOWN + COLS + 1] == -1);
        }
        assert_ok(isomat_matrix_destroy(matrix));
    }
}

/* The host array need not reach beyond the last element. */
static void last_row_needs_no_padding(void **state)
{
    const size_t count = 2 * 10 + 3;
    float *data = malloc(count * sizeof(*data));
    isomat_matrix matrix;

    for (size_t i = 0; i < count; i++)
        data[i] = (float)i;
    assert_ok(isomat_matrix_from_host(&matrix, device_context(state), data, 3, 3, 10, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(data, 10, matrix, ISOMAT_NONE));
    assert_true(data[22] == 22 && data[3] == 3);
    assert_ok(isomat_matrix_destroy(matrix));
    free(data);
}

static void view_shares_the_elements(void **state)
{
    isomat_matrix matrix = matrix_numbered(device_context(state), 9, 11);
    isomat_matrix view, inner;

    assert_ok(isomat_matrix_view(&view, matrix, 2, 3, 5, 7));
    assert_int_equal(matrix_info(view).rows, 5);
    assert_int_equal(matrix_info(view).cols, 7);
    assert_int_equal(matrix_info(view).ld, matrix_info(matrix).ld);
    assert_int_equal(matrix_pointer(view),
                     matrix_pointer(matrix) + 4 * (uint64_t)(2 * matrix_info(matrix).ld + 3));
    assert_ok(isomat_matrix_view(&inner, view, 1, 2, 3, 3));
    assert_true(matrix_at(inner, 0, 0) == 305 && matrix_at(inner, 2, 2) == 507);
    assert_ok(isomat_matrix_destroy(view));
    assert_ok(isomat_matrix_fill(inner, -1, ISOMAT_NONE));
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 11; j++) {
            int inside = i >= 3 && i < 6 && j >= 5 && j < 8;
            assert_true(matrix_at(matrix, i, j) == (inside ? -1.0f : (float)(100 * i + j)));
        }
    assert_ok(isomat_matrix_destroy(matrix));
    assert_true(matrix_at(inner, 0, 0) == -1); /* it keeps the storage */
    assert_ok(isomat_matrix_destroy(inner));
}

static void view_of_nothing_is_a_matrix_without_elements(void **state)
{
    isomat_matrix matrix = matrix_numbered(device_context(state), 4, 4);
    isomat_matrix view;

    assert_ok(isomat_matrix_view(&view, matrix, 4, 4, 0, 0));
    assert_int_equal(matrix_pointer(view), 0);
    assert_ok(isomat_matrix_destroy(view));
    assert_ok(isomat_matrix_view(&view, matrix, 1, 1, 3, 0));
    assert_int_equal(matrix_info(view).rows, 3);
    assert_ok(isomat_matrix_destroy(view));
    assert_ok(isomat_matrix_destroy(matrix));
}

static void adopted_memory_is_borrowed_or_owned(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix matrix;
    uint64_t pointer;

    for (int32_t ownership = ISOMAT_ADOPT_BORROW; ownership <= ISOMAT_ADOPT_OWN; ownership++) {
        for (uint64_t shift = 0; shift < 2; shift++) {
            if (ownership == ISOMAT_ADOPT_OWN && shift != 0)
                continue;
            assert_ok(isomat_memory_allocate(&pointer, 200, context, ISOMAT_NONE));
            assert_ok(isomat_memory_fill(pointer, 0, 4, 50, context, ISOMAT_NONE));
            assert_ok(isomat_context_synchronize(context));
            assert_ok(isomat_matrix_adopt(&matrix, context, pointer + 4 * shift, 6, 5, 7, F32, ownership));
            assert_int_equal(matrix_pointer(matrix), pointer + 4 * shift);
            assert_int_equal(matrix_info(matrix).ld, 7);
            assert_ok(isomat_matrix_fill(matrix, 2, ISOMAT_NONE));
            assert_true(matrix_at(matrix, 5, 4) == 2);
            assert_ok(isomat_matrix_destroy(matrix));
            if (ownership == ISOMAT_ADOPT_BORROW)
                assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
        }
    }
}

/* Matrices of a quarter of the memory, one after the other, many times what there is. */
static void destroyed_matrix_gives_its_memory_back(void **state)
{
    isomat_context_info info = {.struct_size = sizeof(info)};
    isomat_context context = device_context(state);
    int64_t objects = device_is_host() ? device_host_objects() : 0;
    isomat_matrix matrix, view;
    int64_t rows;

    assert_ok(isomat_context_get_info(&info, context));
    rows = device_is_host() ? 1000 : info.memory_free_bytes / 4 / 4096;
    for (int i = 0; i < 12; i++) {
        assert_ok(isomat_matrix_create(&matrix, context, rows, 1024, F32, ISOMAT_NONE));
        assert_ok(isomat_matrix_view(&view, matrix, 0, 0, 1, 1));
        assert_ok(isomat_matrix_destroy(matrix));
        assert_ok(isomat_matrix_destroy(view));
    }
    assert_ok(isomat_context_synchronize(context));
    if (device_is_host())
        assert_int_equal(device_host_objects(), objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(created_matrix_has_its_size),
        device_test(empty_matrix_is_allowed_everywhere),
        device_test(data_goes_there_and_back),
        device_test(last_row_needs_no_padding),
        device_test(view_shares_the_elements),
        device_test(view_of_nothing_is_a_matrix_without_elements),
        device_test(adopted_memory_is_borrowed_or_owned),
        device_test(destroyed_matrix_gives_its_memory_back),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
