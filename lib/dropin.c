/* SPDX-License-Identifier: MIT */
/* dropin.c: the id-based matrix library, on top of isomat.h alone.
 *
 * Callers exist that hold an id in an int or unregister it twice, so ids are
 * small numbers, and one that was freed is given out again only when all that
 * were freed before it have been. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "isomat.h"
#include "isomat_cuda_kernels.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static isomat_context context;

/* Entry i is for id i + 1; a free one is in the queue of free ids. */
static struct entry {
    isomat_matrix matrix; /* ISOMAT_NONE if free */
    size_t next_free;     /* id, 0 at the end */
} * entries;
static size_t entry_count;
static size_t entry_room;
static size_t first_free;
static size_t last_free;

#define MESSAGE_BYTES 256
#define FAIL(status, ...)                                                                                    \
    do {                                                                                                     \
        char message[MESSAGE_BYTES];                                                                         \
        snprintf(message, sizeof message, __VA_ARGS__);                                                      \
        isomat_error_set(status, message);                                                                   \
    } while (0)

/* ---------------------------------------------------------------- the table */

/* Gives a matrix an id, 0 if there is no memory. */
static size_t insert(isomat_matrix matrix)
{
    pthread_mutex_lock(&lock);
    size_t id = first_free;
    if (id) {
        first_free = entries[id - 1].next_free;
        if (!first_free)
            last_free = 0;
    } else if (entry_count < entry_room) {
        id = ++entry_count;
    } else {
        size_t room = entry_room ? entry_room * 2 : 16;
        struct entry *larger = realloc(entries, room * sizeof *entries);
        if (larger) {
            entries = larger;
            entry_room = room;
            id = ++entry_count;
        }
    }
    if (id)
        entries[id - 1] = (struct entry){matrix, 0};
    pthread_mutex_unlock(&lock);
    if (!id)
        isomat_error_set(ISOMAT_ERROR_OUT_OF_HOST_MEMORY, "no host memory left for a matrix id");
    return id;
}

/* The matrix of an id; ISOMAT_NONE with a message if there is none.  take also
 * frees the id. */
static isomat_matrix find(size_t id, int take)
{
    isomat_matrix matrix = ISOMAT_NONE;
    pthread_mutex_lock(&lock);
    if (id >= 1 && id <= entry_count)
        matrix = entries[id - 1].matrix;
    if (take && matrix != ISOMAT_NONE) {
        entries[id - 1] = (struct entry){ISOMAT_NONE, 0};
        if (last_free)
            entries[last_free - 1].next_free = id;
        else
            first_free = id;
        last_free = id;
    }
    pthread_mutex_unlock(&lock);
    if (matrix == ISOMAT_NONE)
        FAIL(ISOMAT_ERROR_INVALID_HANDLE, "there is no matrix with the id %zu", id);
    return matrix;
}

/* As find, and checks the sizes that the caller believes it to have. */
static isomat_matrix find_sized(size_t id, size_t rows, size_t cols)
{
    isomat_matrix_info info = {.struct_size = sizeof info};
    isomat_matrix matrix = find(id, 0);
    if (matrix == ISOMAT_NONE || isomat_matrix_get_info(&info, matrix) != ISOMAT_OK)
        return ISOMAT_NONE;
    if ((size_t)info.rows == rows && (size_t)info.cols == cols)
        return matrix;
    FAIL(ISOMAT_ERROR_SHAPE_MISMATCH, "matrix %zu is %lld x %lld, not %zu x %zu", id, (long long)info.rows,
         (long long)info.cols, rows, cols);
    return ISOMAT_NONE;
}

/* The one context, created when first needed; ISOMAT_NONE if that fails. */
static isomat_context get_context(void)
{
    pthread_mutex_lock(&lock);
    if (context == ISOMAT_NONE)
        isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY);
    pthread_mutex_unlock(&lock);
    return context;
}

/* ------------------------------------------------------------- the functions */

void cuda_synchronize(void)
{
    if (get_context() != ISOMAT_NONE)
        isomat_context_synchronize(context);
}

size_t register_matrix(float *data, size_t rows, size_t cols)
{
    isomat_matrix matrix;
    if (rows > INT64_MAX || cols > INT64_MAX) {
        FAIL(ISOMAT_ERROR_INVALID_ARGUMENT, "a matrix of %zu x %zu is too large", rows, cols);
        return 0;
    }
    if (get_context() == ISOMAT_NONE ||
        isomat_matrix_from_host(&matrix, context, data, (int64_t)rows, (int64_t)cols, (int64_t)cols,
                                ISOMAT_TYPE_F32, ISOMAT_NONE) != ISOMAT_OK)
        return 0;
    size_t id = insert(matrix);
    if (!id)
        isomat_matrix_destroy(matrix);
    return id;
}

void unregister_matrix(size_t mat_id)
{
    isomat_matrix matrix = find(mat_id, 1);
    if (matrix != ISOMAT_NONE)
        isomat_matrix_destroy(matrix);
}

void get_matrix_data(size_t mat_id, int rows, int cols, float *data_buffer)
{
    if (rows < 0 || cols < 0) {
        FAIL(ISOMAT_ERROR_INVALID_ARGUMENT, "a matrix of %d x %d: a size is negative", rows, cols);
        return;
    }
    isomat_matrix matrix = find_sized(mat_id, (size_t)rows, (size_t)cols);
    if (matrix != ISOMAT_NONE)
        isomat_matrix_to_host(data_buffer, cols, matrix, ISOMAT_NONE);
}

size_t cuda_matrix_multiply(size_t mat1_id, size_t mat1_rows, size_t mat1_cols, size_t mat2_id,
                            size_t mat2_rows, size_t mat2_cols)
{
    isomat_matrix product = ISOMAT_NONE;
    isomat_matrix a = find_sized(mat1_id, mat1_rows, mat1_cols);
    isomat_matrix b = a == ISOMAT_NONE ? ISOMAT_NONE : find_sized(mat2_id, mat2_rows, mat2_cols);
    if (b == ISOMAT_NONE || isomat_gemm(&product, 1.0, a, ISOMAT_OP_N, b, ISOMAT_OP_N, 0.0,
                                        ISOMAT_COMPUTE_F32, ISOMAT_NONE) != ISOMAT_OK)
        return 0;
    size_t id = insert(product);
    if (!id)
        isomat_matrix_destroy(product);
    return id;
}
