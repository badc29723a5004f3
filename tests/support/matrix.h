/* SPDX-License-Identifier: MIT */
/* matrix.h: float32 matrices of known elements, and a look at one of them. */
#ifndef ISOMAT_TEST_MATRIX_H
#define ISOMAT_TEST_MATRIX_H

#include "tests/support/test.h"

/* A matrix whose element (i, j) is 100 * i + j. */
isomat_matrix matrix_numbered(isomat_context context, int64_t rows, int64_t cols);

/* Element (i, j) of a float32 matrix. */
float matrix_at(isomat_matrix matrix, int64_t i, int64_t j);

isomat_matrix_info matrix_info(isomat_matrix matrix);

/* Its address; from then on nothing made of the matrix is kept. */
uint64_t matrix_pointer(isomat_matrix matrix);

#endif
