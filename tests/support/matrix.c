/* SPDX-License-Identifier: MIT */
/* matrix.c: small matrices whose elements tests look at one by one. */
#include "tests/support/matrix.h"

#include <math.h>

isomat_matrix matrix_numbered(isomat_context context, int64_t rows, int64_t cols)
{
    float *data = malloc((size_t)(rows * cols) * sizeof(*data));
    isomat_matrix matrix;

    assert_non_null(data);
    for (int64_t i = 0; i < rows * cols; i++)
        data[i] = (float)(100 * (i / cols) + i % cols);
    assert_ok(
        isomat_matrix_from_host(&matrix, context, data, rows, cols, cols, ISOMAT_TYPE_F32, ISOMAT_NONE));
    free(data);
    return matrix;
}

float matrix_at(isomat_matrix matrix, int64_t i, int64_t j)
{
    isomat_matrix view;
    float value = NAN;

    assert_ok(isomat_matrix_view(&view, matrix, i, j, 1, 1));
    assert_ok(isomat_matrix_to_host(&value, 1, view, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(view));
    return value;
}

isomat_matrix_info matrix_info(isomat_matrix matrix)
{
    isomat_matrix_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_matrix_get_info(&info, matrix));
    return info;
}

uint64_t matrix_pointer(isomat_matrix matrix)
{
    uint64_t pointer = 1;

    assert_ok(isomat_matrix_get_pointer(&pointer, matrix));
    return pointer;
}
