/* SPDX-License-Identifier: MIT */
/* memory.c: device memory, page-locked host memory, copies and fills. */
#include "memory.h"

#include <stdlib.h>

/* The most that one pitched copy takes as a pitch. */
#define MAX_PITCH_BYTES INT32_MAX

/* -------------------------------------------------------------- allocation */

static int32_t allocate_once(CUdeviceptr *pointer, size_t bytes, struct im_stream *stream)
{
    struct im_context *context = stream->context;
    if (context->pool)
        return IM_CALL(cuMemAllocFromPoolAsync, pointer, bytes, context->pool, stream->cu);
    return IM_CALL(cuMemAlloc, pointer, bytes);
}

static int32_t fail_out_of_memory(int64_t bytes)
{
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    IM_CALL_QUIETLY(cuMemGetInfo, &free_bytes, &total_bytes);
    return im_fail_cuda(ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY, CUDA_ERROR_OUT_OF_MEMORY,
                        "no room for %lld bytes of device memory: %zu of %zu bytes are free",
                        (long long)bytes, free_bytes, total_bytes);
}

int32_t im_memory_allocate(CUdeviceptr *pointer, int64_t bytes, struct im_stream *stream)
{
    if (stream->recording)
        return im_stream_fail_captured("an allocation");
    int32_t status = allocate_once(pointer, (size_t)bytes, stream);
    /* Pending frees may make room, and so may what the context holds back; not while a stream is captured. */
    if (status == ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY && stream->context->captures == 0) {
        status = im_context_trim(stream->context, 0);
        if (status == ISOMAT_OK)
            status = allocate_once(pointer, (size_t)bytes, stream);
    }
    return status == ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY ? fail_out_of_memory(bytes) : status;
}

bool im_memory_try_allocate(CUdeviceptr *pointer, int64_t bytes, struct im_stream *stream)
{
    struct im_context *context = stream->context;
    if (context->pool)
        return im_cu.cuMemAllocFromPoolAsync(pointer, (size_t)bytes, context->pool, stream->cu) ==
               CUDA_SUCCESS;
    return im_cu.cuMemAlloc(pointer, (size_t)bytes) == CUDA_SUCCESS;
}

int32_t im_memory_free(CUdeviceptr pointer, struct im_stream *stream)
{
    if (!stream->context->pool)
        return IM_CALL(cuMemFree, pointer);
    return IM_CALL(cuMemFreeAsync, pointer, stream->cu);
}

/* ------------------------------------------------------------------ copies */

static int32_t copy_line(uint64_t destination, uint64_t source, size_t bytes, int32_t direction,
                         CUstream stream)
{
    switch (direction) {
    case ISOMAT_COPY_TO_DEVICE:
        return IM_CALL(cuMemcpyHtoDAsync, destination, (const void *)(uintptr_t)source, bytes, stream);
    case ISOMAT_COPY_TO_HOST:
        return IM_CALL(cuMemcpyDtoHAsync, (void *)(uintptr_t)destination, source, bytes, stream);
    default:
        return IM_CALL(cuMemcpyDtoDAsync, destination, source, bytes, stream);
    }
}

static int32_t copy_rectangle(const struct im_copy_2d *copy, CUstream stream)
{
    CUDA_MEMCPY2D rectangle = {
        .srcMemoryType = copy->direction == ISOMAT_COPY_TO_DEVICE ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
        .srcHost = (const void *)(uintptr_t)copy->source,
        .srcDevice = copy->source,
        .srcPitch = (size_t)copy->source_pitch_bytes,
        .dstMemoryType = copy->direction == ISOMAT_COPY_TO_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
        .dstHost = (void *)(uintptr_t)copy->destination,
        .dstDevice = copy->destination,
        .dstPitch = (size_t)copy->destination_pitch_bytes,
        .WidthInBytes = (size_t)copy->width_bytes,
        .Height = (size_t)copy->rows,
    };
    return IM_CALL(cuMemcpy2DAsync, &rectangle, stream);
}

int32_t im_memory_copy(const struct im_copy_2d *copy, struct im_stream *stream)
{
    int64_t width = copy->width_bytes;
    if (width == 0 || copy->rows == 0)
        return ISOMAT_OK;
    if (stream->recording && copy->direction != ISOMAT_COPY_DEVICE)
        return im_stream_fail_captured("a copy between host and device");
    if (copy->rows == 1 || (copy->destination_pitch_bytes == width && copy->source_pitch_bytes == width))
        return copy_line(copy->destination, copy->source, (size_t)(width * copy->rows), copy->direction,
                         stream->cu);
    if (copy->destination_pitch_bytes <= MAX_PITCH_BYTES && copy->source_pitch_bytes <= MAX_PITCH_BYTES)
        return copy_rectangle(copy, stream->cu);
    int32_t status = ISOMAT_OK;
    for (int64_t row = 0; row < copy->rows && status == ISOMAT_OK; row++)
        status = copy_line(copy->destination + (uint64_t)(row * copy->destination_pitch_bytes),
                           copy->source + (uint64_t)(row * copy->source_pitch_bytes), (size_t)width,
                           copy->direction, stream->cu);
    return status;
}

/* ------------------------------------------------------------------ public */

/* The context and stream that an operation runs in. */
struct place {
    struct im_context *context;
    struct im_stream *stream;
    struct im_scope scope;
};

static int32_t enter(struct place *place, isomat_context context, isomat_stream stream)
{
    int32_t status = im_context_get(&place->context, context);
    if (status != ISOMAT_OK)
        return status;
    status = im_stream_get(&place->stream, stream, place->context);
    if (status == ISOMAT_OK) {
        status = im_scope_enter(&place->scope, place->context);
        if (status != ISOMAT_OK)
            im_stream_release(place->stream);
    }
    if (status != ISOMAT_OK)
        im_context_release(place->context);
    return status;
}

static int32_t leave(struct place *place, int32_t status)
{
    status = im_scope_leave(&place->scope, status);
    im_stream_release(place->stream);
    im_context_release(place->context);
    return status;
}

int32_t isomat_memory_allocate(uint64_t *pointer, int64_t bytes, isomat_context context, isomat_stream stream)
{
    IM_RANGE();
    struct place place;
    CUdeviceptr allocated = 0;
    if (!pointer)
        return IM_NULL_ARGUMENT("pointer");
    *pointer = 0;
    if (bytes <= 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "cannot allocate %lld bytes", (long long)bytes);
    int32_t status = enter(&place, context, stream);
    if (status != ISOMAT_OK)
        return status;
    status = leave(&place, im_memory_allocate(&allocated, bytes, place.stream));
    if (status == ISOMAT_OK)
        *pointer = allocated;
    return status;
}

int32_t isomat_memory_free(uint64_t pointer, isomat_context context, isomat_stream stream)
{
    IM_RANGE();
    struct place place;
    int32_t status = enter(&place, context, stream);
    if (status != ISOMAT_OK)
        return status;
    if (pointer && place.stream->recording)
        status = im_stream_fail_captured("freeing memory");
    else if (pointer)
        status = im_memory_free(pointer, place.stream);
    if (status == ISOMAT_ERROR_INVALID_ARGUMENT)
        status = im_fail_cuda(status, isomat_error_cuda_result(),
                              "0x%llx is not the address of an allocation", (unsigned long long)pointer);
    return leave(&place, status);
}

int32_t isomat_memory_allocate_host(void **pointer, int64_t bytes, isomat_context context)
{
    struct place place;
    if (!pointer)
        return IM_NULL_ARGUMENT("pointer");
    *pointer = NULL;
    if (bytes <= 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "cannot allocate %lld bytes", (long long)bytes);
    int32_t status = enter(&place, context, ISOMAT_NONE);
    if (status != ISOMAT_OK)
        return status;
    status = IM_CALL(cuMemHostAlloc, pointer, (size_t)bytes, 0);
    if (status == ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY)
        status = im_fail_cuda(ISOMAT_ERROR_OUT_OF_HOST_MEMORY, CUDA_ERROR_OUT_OF_MEMORY,
                              "no room for %lld bytes of page-locked host memory", (long long)bytes);
    if (status != ISOMAT_OK)
        *pointer = NULL;
    return leave(&place, status);
}

int32_t isomat_memory_free_host(void *pointer, isomat_context context)
{
    struct place place;
    int32_t status = enter(&place, context, ISOMAT_NONE);
    if (status != ISOMAT_OK)
        return status;
    status = pointer ? IM_CALL(cuMemFreeHost, pointer) : ISOMAT_OK;
    if (status == ISOMAT_ERROR_INVALID_ARGUMENT)
        status = im_fail_cuda(status, isomat_error_cuda_result(), "%p is not the address of an allocation",
                              pointer);
    return leave(&place, status);
}

static int32_t check_copy(const struct im_copy_2d *copy)
{
    if (copy->width_bytes < 0 || copy->rows < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "cannot copy %lld rows of %lld bytes",
                       (long long)copy->rows, (long long)copy->width_bytes);
    if (copy->direction < ISOMAT_COPY_TO_DEVICE || copy->direction > ISOMAT_COPY_DEVICE)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "unknown direction %d", copy->direction);
    if (copy->width_bytes == 0 || copy->rows == 0)
        return ISOMAT_OK;
    if (!copy->destination || !copy->source)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "the %s of the copy is NULL",
                       copy->destination ? "source" : "destination");
    if (copy->destination_pitch_bytes < copy->width_bytes || copy->source_pitch_bytes < copy->width_bytes)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "pitches of %lld and %lld bytes for rows of %lld bytes",
                       (long long)copy->destination_pitch_bytes, (long long)copy->source_pitch_bytes,
                       (long long)copy->width_bytes);
    int64_t product;
    if (__builtin_mul_overflow(copy->destination_pitch_bytes, copy->rows, &product) ||
        __builtin_mul_overflow(copy->source_pitch_bytes, copy->rows, &product))
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "a copy of %lld rows is too large",
                       (long long)copy->rows);
    return ISOMAT_OK;
}

static int32_t copy(const struct im_copy_2d *copy, isomat_context context, isomat_stream stream)
{
    struct place place;
    int32_t status = check_copy(copy);
    if (status == ISOMAT_OK)
        status = enter(&place, context, stream);
    return status == ISOMAT_OK ? leave(&place, im_memory_copy(copy, place.stream)) : status;
}

int32_t isomat_memory_copy_to_device(uint64_t destination, const void *source, int64_t bytes,
                                     isomat_context context, isomat_stream stream)
{
    IM_RANGE();
    struct im_copy_2d line = {destination, bytes, (uintptr_t)source, bytes, bytes, 1, ISOMAT_COPY_TO_DEVICE};
    return copy(&line, context, stream);
}

int32_t isomat_memory_copy_to_host(void *destination, uint64_t source, int64_t bytes, isomat_context context,
                                   isomat_stream stream)
{
    IM_RANGE();
    struct im_copy_2d line = {(uintptr_t)destination, bytes, source, bytes, bytes, 1, ISOMAT_COPY_TO_HOST};
    return copy(&line, context, stream);
}

int32_t isomat_memory_copy_device(uint64_t destination, uint64_t source, int64_t bytes,
                                  isomat_context context, isomat_stream stream)
{
    IM_RANGE();
    struct im_copy_2d line = {destination, bytes, source, bytes, bytes, 1, ISOMAT_COPY_DEVICE};
    return copy(&line, context, stream);
}

int32_t isomat_memory_copy_2d(uint64_t destination, int64_t destination_pitch_bytes, uint64_t source,
                              int64_t source_pitch_bytes, int64_t width_bytes, int64_t rows,
                              int32_t direction, isomat_context context, isomat_stream stream)
{
    IM_RANGE();
    struct im_copy_2d rectangle = {
        destination, destination_pitch_bytes, source, source_pitch_bytes, width_bytes, rows, direction};
    return copy(&rectangle, context, stream);
}

int32_t isomat_memory_fill(uint64_t destination, uint32_t value, int32_t value_bytes, int64_t count,
                           isomat_context context, isomat_stream stream)
{
    IM_RANGE();
    struct place place;
    if (value_bytes != 1 && value_bytes != 2 && value_bytes != 4)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "values of %d bytes: only 1, 2 and 4 can be filled",
                       value_bytes);
    if (count < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "cannot fill %lld values", (long long)count);
    if (count > 0 && (!destination || destination % (uint64_t)value_bytes))
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "0x%llx is no address of values of %d bytes",
                       (unsigned long long)destination, value_bytes);
    int32_t status = enter(&place, context, stream);
    if (status != ISOMAT_OK)
        return status;
    if (count > 0 && value_bytes == 1)
        status = IM_CALL(cuMemsetD8Async, destination, (unsigned char)value, (size_t)count, place.stream->cu);
    else if (count > 0 && value_bytes == 2)
        status =
            IM_CALL(cuMemsetD16Async, destination, (unsigned short)value, (size_t)count, place.stream->cu);
    else if (count > 0)
        status = IM_CALL(cuMemsetD32Async, destination, value, (size_t)count, place.stream->cu);
    return leave(&place, status);
}
