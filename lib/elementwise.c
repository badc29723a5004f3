/* SPDX-License-Identifier: MIT */
/* elementwise.c: moving matrices and filling them. */
#include "elementwise.h"

#include <string.h>

#include "kernels/abi.h"
#include "launch.h"
#include "memory.h"

/* ----------------------------------------------------------------- kernels */

static int32_t launch_rectangle(int id, struct im_matrix *destination, const struct im_matrix *source,
                                double value, struct im_stream *stream)
{
    struct isomat_rect_args arguments = {
        .dst = destination->pointer,
        .src = source ? source->pointer : 0,
        .ld_dst = destination->ld,
        .ld_src = source ? source->ld : 0,
        .rows = destination->rows,
        .cols = destination->cols,
        .value = value,
        .flags = (im_matrix_aligned(destination) ? ISOMAT_VECTOR_C : 0) |
                 (source && im_matrix_aligned(source) ? ISOMAT_VECTOR_A : 0),
    };
    int64_t elements = arguments.rows * arguments.cols;
    int64_t blocks = (elements + ISOMAT_RECT_ELEMENTS_PER_BLOCK - 1) / ISOMAT_RECT_ELEMENTS_PER_BLOCK;
    /* Blocks stride over the rectangle, so that a few for each multiprocessor do. */
    int64_t most = (int64_t)stream->context->limits.multiprocessors * 64;
    if (elements == 0)
        return ISOMAT_OK;
    return im_launch_own(stream, (enum im_kernel_id)id, blocks < most ? blocks : most, &arguments);
}

int32_t im_scale_launch(struct im_matrix *matrix, double value, struct im_stream *stream)
{
    return launch_rectangle(IM_KERNEL_SCALE_f32 + matrix->type - 1, matrix, NULL, value, stream);
}

int32_t im_copy_launch(struct im_matrix *to, const struct im_matrix *from, struct im_stream *stream)
{
    int pair = (to->type - 1) * IM_ELEMENT_TYPES + from->type - 1;
    return launch_rectangle(IM_KERNEL_COPY_f32_f32 + pair, to, from, 0, stream);
}

/* The float32 from which rounding to a shorter type gives the same as from the
 * double itself: cut off, with the last bit set if anything was (round to odd; Boldo
 * and Melquiond, "When double rounding is odd", 2005). */
static float round_to_odd(double value)
{
    float nearest = (float)value;
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    if ((double)nearest == value || value != value)
        return nearest;
    if ((nearest < 0 ? -(double)nearest : (double)nearest) > (value < 0 ? -value : value))
        bits--; /* nearest was further from zero */
    bits |= 1;
    memcpy(&nearest, &bits, sizeof bits);
    return nearest;
}

/* ------------------------------------------------------------------ public */

/* A matrix, and the stream that an operation on it runs on. */
struct operation {
    struct im_matrix *matrix;
    struct im_stream *stream;
    struct im_scope scope;
};

static int32_t begin(struct operation *operation, isomat_matrix matrix, bool writes, isomat_stream stream)
{
    int32_t status = im_matrix_get(&operation->matrix, matrix);
    if (status != ISOMAT_OK)
        return status;
    struct im_context *context = operation->matrix->context;
    status = im_stream_get(&operation->stream, stream, context);
    if (status == ISOMAT_OK) {
        status = im_scope_enter(&operation->scope, context);
        if (status == ISOMAT_OK) {
            status = (writes ? im_matrix_use_to_write : im_matrix_use)(operation->matrix, operation->stream);
            if (status != ISOMAT_OK)
                status = im_scope_leave(&operation->scope, status);
        }
        if (status != ISOMAT_OK)
            im_stream_release(operation->stream);
    }
    if (status != ISOMAT_OK)
        im_matrix_release(operation->matrix);
    return status;
}

static int32_t end(struct operation *operation, int32_t status)
{
    status = im_scope_leave(&operation->scope, status);
    im_stream_release(operation->stream);
    im_matrix_release(operation->matrix);
    return status;
}

static int32_t check_host(const struct im_matrix *matrix, const void *data, int64_t ld)
{
    int64_t elements;
    if (ld < matrix->cols)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "leading dimension %lld for rows of %lld",
                       (long long)ld, (long long)matrix->cols);
    if (!data && matrix->rows > 0 && matrix->cols > 0)
        return IM_NULL_ARGUMENT("data");
    if (__builtin_mul_overflow(ld, matrix->rows, &elements) ||
        elements > INT64_MAX / im_element_bytes(matrix->type))
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "leading dimension %lld is too large", (long long)ld);
    return ISOMAT_OK;
}

int32_t isomat_matrix_upload(isomat_matrix matrix, const void *data, int64_t ld, isomat_stream stream)
{
    IM_RANGE();
    struct operation operation;
    int32_t status = begin(&operation, matrix, true, stream);
    if (status != ISOMAT_OK)
        return status;
    struct im_matrix *to = operation.matrix;
    status = check_host(to, data, ld);
    if (status == ISOMAT_OK && to->pointer) {
        int64_t element = im_element_bytes(to->type);
        struct im_copy_2d copy = {to->pointer,        to->ld * element, (uintptr_t)data,      ld * element,
                                  to->cols * element, to->rows,         ISOMAT_COPY_TO_DEVICE};
        status = im_memory_copy(&copy, operation.stream);
    }
    return end(&operation, status);
}

int32_t isomat_matrix_to_host(void *data, int64_t ld, isomat_matrix matrix, isomat_stream stream)
{
    IM_RANGE();
    struct operation operation;
    int32_t status = begin(&operation, matrix, false, stream);
    if (status != ISOMAT_OK)
        return status;
    const struct im_matrix *from = operation.matrix;
    status = check_host(from, data, ld);
    if (operation.stream->recording)
        status = im_stream_fail_captured("a copy between host and device");
    if (status == ISOMAT_OK && from->pointer) {
        int64_t element = im_element_bytes(from->type);
        struct im_copy_2d copy = {(uintptr_t)data,      ld * element, from->pointer,      from->ld * element,
                                  from->cols * element, from->rows,   ISOMAT_COPY_TO_HOST};
        status = im_memory_copy(&copy, operation.stream);
    }
    if (status == ISOMAT_OK)
        status = IM_CALL(cuStreamSynchronize, operation.stream->cu);
    return end(&operation, status);
}

static bool is_dense(const struct im_matrix *matrix)
{
    return matrix->ld == matrix->cols || matrix->rows == 1;
}

static int32_t copy(struct im_matrix *to, struct im_matrix *from, struct im_stream *stream)
{
    if (to->context != from->context)
        return im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "copy: the matrices are of two contexts");
    if (to->rows != from->rows || to->cols != from->cols)
        return im_fail(ISOMAT_ERROR_SHAPE_MISMATCH,
                       "copy: the destination is %lld x %lld, the source %lld x %lld", (long long)to->rows,
                       (long long)to->cols, (long long)from->rows, (long long)from->cols);
    if (to->pointer == from->pointer && to->ld == from->ld && to->type == from->type)
        return ISOMAT_OK;
    if (im_matrix_overlap(to, from))
        return im_fail(ISOMAT_ERROR_ALIAS, "copy: the destination overlaps the source");
    int32_t status = im_matrix_use(from, stream);
    if (status != ISOMAT_OK)
        return status;
    if (!is_dense(to) || !is_dense(from) || to->type != from->type)
        return im_copy_launch(to, from, stream);
    int64_t bytes = to->rows * to->cols * im_element_bytes(to->type);
    struct im_copy_2d line = {to->pointer, bytes, from->pointer, bytes, bytes, 1, ISOMAT_COPY_DEVICE};
    return im_memory_copy(&line, stream);
}

int32_t isomat_matrix_copy(isomat_matrix destination, isomat_matrix source, isomat_stream stream)
{
    IM_RANGE();
    struct operation operation;
    struct im_matrix *from;
    int32_t status = im_matrix_get(&from, source);
    if (status != ISOMAT_OK)
        return status;
    status = begin(&operation, destination, true, stream);
    if (status == ISOMAT_OK)
        status = end(&operation, copy(operation.matrix, from, operation.stream));
    im_matrix_release(from);
    return status;
}

int32_t isomat_matrix_fill(isomat_matrix matrix, double value, isomat_stream stream)
{
    IM_RANGE();
    struct operation operation;
    int32_t status = begin(&operation, matrix, true, stream);
    if (status != ISOMAT_OK)
        return status;
    struct im_matrix *to = operation.matrix;
    double rounded = to->type == ISOMAT_TYPE_F64   ? value
                     : to->type == ISOMAT_TYPE_F32 ? (float)value
                                                   : round_to_odd(value);
    status = launch_rectangle(IM_KERNEL_FILL_f32 + to->type - 1, to, NULL, rounded, operation.stream);
    return end(&operation, status);
}
