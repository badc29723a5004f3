/* SPDX-License-Identifier: MIT */
/* isomat_cuda_kernels.h: an id-based matrix library on top of isomat.
 *
 * For programs written against a library of these five functions; link or open
 * libcuda_kernels.so.  New programs use isomat.h.
 *
 * Matrices are float32, row-major, on device 0.  An id is a small number from
 * 1 on; 0 is no matrix.  A call that fails changes nothing, returns 0 where it
 * returns an id, and leaves one line in isomat_error_message() (isomat.h).
 * Every function may be called from any thread.
 */
#ifndef ISOMAT_CUDA_KERNELS_H
#define ISOMAT_CUDA_KERNELS_H

#include <stddef.h>

#ifndef ISOMAT_API
#if defined(__GNUC__)
#define ISOMAT_API __attribute__((visibility("default")))
#else
#define ISOMAT_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Waits until all multiplications are done. */
ISOMAT_API void cuda_synchronize(void);

/* Copies a matrix of rows x cols to the device and returns its id.  data may be
 * reused when the call returns. */
ISOMAT_API size_t register_matrix(float *data, size_t rows, size_t cols);

/* Frees a matrix, after the work that uses it.  An unknown id does nothing but
 * leave a message. */
ISOMAT_API void unregister_matrix(size_t mat_id);

/* Waits for a matrix and copies it to data_buffer, which has room for
 * rows * cols values.  Both must be the matrix's own sizes. */
ISOMAT_API void get_matrix_data(size_t mat_id, int rows, int cols, float *data_buffer);

/* Submits the product of two matrices and returns the id of the result, to be
 * unregistered like any other.  The sizes must be the matrices' own. */
ISOMAT_API size_t cuda_matrix_multiply(size_t mat1_id, size_t mat1_rows, size_t mat1_cols, size_t mat2_id,
                                       size_t mat2_rows, size_t mat2_cols);

#ifdef __cplusplus
}
#endif

#endif /* ISOMAT_CUDA_KERNELS_H */
