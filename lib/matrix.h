/* SPDX-License-Identifier: MIT */
/* matrix.h: matrices in device memory. */
#ifndef ISOMAT_MATRIX_H
#define ISOMAT_MATRIX_H

#include "context.h"

#define IM_FOREIGN_STREAMS 4
#define IM_VECTOR_ELEMENTS 4 /* that kernels move at once where alignment allows */

/* Bytes of an element; 0 for a type that there is not. */
static inline int64_t im_element_bytes(int32_t type)
{
    switch (type) {
    case ISOMAT_TYPE_F64:
        return 8;
    case ISOMAT_TYPE_F32:
        return 4;
    case ISOMAT_TYPE_F16:
    case ISOMAT_TYPE_BF16:
        return 2;
    default:
        return 0;
    }
}

/* "f16", as kernels are named. */
const char *im_type_name(int32_t type);

/* A matrix is either a root, which has the storage, or a view of one. */
struct im_matrix {
    struct im_object object;
    struct im_context *context;
    struct im_matrix *root; /* itself, or the one whose storage a view shares */
    int64_t rows, cols, ld;
    int32_t type;
    CUdeviceptr pointer; /* element (0, 0); 0 if empty */

    /* Of roots alone: */
    bool owned;
    _Atomic bool exposed;     /* others know the address and may write there unseen */
    struct im_stream *stream; /* allocated and freed in its order */
    pthread_mutex_t lock;
    struct im_stream *foreign[IM_FOREIGN_STREAMS]; /* others that have used it */
    struct im_kept *_Atomic kept;                  /* forms made of it for multiplication, see kept.h */
};

/* What a new matrix is to be; pointer is 0 for one that is to be allocated. */
struct im_matrix_shape {
    int64_t rows, cols, ld;
    int32_t type;
};

/* Creates a matrix on a stream; the context is current. */
int32_t im_matrix_create(isomat_matrix *handle, struct im_matrix **matrix,
                         const struct im_matrix_shape *shape, struct im_stream *stream);

static inline int32_t im_matrix_get(struct im_matrix **matrix, uint64_t handle)
{
    return im_handle_get(matrix, handle, IM_KIND_MATRIX);
}

static inline void im_matrix_release(struct im_matrix *matrix)
{
    im_object_unref(&matrix->object);
}

/* Orders a stream behind the matrix's own when it uses the matrix for the
 * first time, and remembers it until the memory is freed; the context is
 * current. */
int32_t im_matrix_use(struct im_matrix *matrix, struct im_stream *stream);

/* As im_matrix_use, for a matrix that is about to be written: what was made of its
 * elements is dropped. */
int32_t im_matrix_use_to_write(struct im_matrix *matrix, struct im_stream *stream);

/* Makes a stream wait for all that have used a root so far, its own included; the
 * context is current. */
int32_t im_matrix_await_users(struct im_matrix *root, struct im_stream *stream);

/* Bytes from the first element to the end of the last, what lies between rows included. */
int64_t im_matrix_extent_bytes(const struct im_matrix *matrix);

/* Whether two matrices have an element in common. */
bool im_matrix_overlap(const struct im_matrix *a, const struct im_matrix *b);

/* Whether each row begins where vectors of 4 elements may. */
bool im_matrix_aligned(const struct im_matrix *matrix);

/* The same, and whether rows are whole vectors. */
bool im_matrix_vector(const struct im_matrix *matrix);

#endif /* ISOMAT_MATRIX_H */
