/* SPDX-License-Identifier: MIT */
/* api_copy.c: copies and fills, linear and of boxes. */
#include <stdlib.h>
#include <string.h>

#include "work.h"

/* Host address of bytes at an address of either side; NULL where the device
 * has nothing.  An address outside the device's range is the host's own. */
static void *reach(uint64_t address, uint64_t bytes)
{
    const struct allocation *found = memory_find(address);

    if (found == NULL && address - memory_base() >= memory_total() + WINDOW_BYTES * (uint64_t)4 &&
        !memory_reserved(address))
        return (void *)(uintptr_t)address;
    return memory_translate(address, bytes);
}

#define HOST(pointer) ((uint64_t)(uintptr_t)(pointer))

/* One side of a copy. */
struct side {
    CUmemorytype type;
    uint64_t base;
    size_t x, y, z, pitch, height;
};

static CUresult place(const struct side *side, const CUDA_MEMCPY3D *area, uint8_t **start, size_t *row,
                      size_t *slice)
{
    size_t width = area->WidthInBytes;

    if (side->type != CU_MEMORYTYPE_HOST && side->type != CU_MEMORYTYPE_DEVICE &&
        side->type != CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    *row = side->pitch != 0 ? side->pitch : side->x + width;
    size_t rows = side->height != 0 ? side->height : side->y + area->Height;
    if (side->x + width < width || *row < side->x + width || rows < side->y + area->Height ||
        rows < area->Height || rows > SIZE_MAX / 2 / *row)
        return CUDA_ERROR_INVALID_VALUE;
    *slice = rows * *row;
    if (side->z + area->Depth < area->Depth || side->z + area->Depth > SIZE_MAX / 2 / *slice)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t first = side->base + side->z * *slice + side->y * *row + side->x;
    uint64_t bytes = (area->Depth - 1) * *slice + (area->Height - 1) * *row + width;
    *start = side->type == CU_MEMORYTYPE_DEVICE ? memory_translate(first, bytes) : reach(first, bytes);
    return *start != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult copy_check(struct copy_work *work)
{
    const CUDA_MEMCPY3D *area = &work->area;
    struct side from = {area->srcMemoryType,
                        area->srcMemoryType == CU_MEMORYTYPE_HOST ? HOST(area->srcHost) : area->srcDevice,
                        area->srcXInBytes,
                        area->srcY,
                        area->srcZ,
                        area->srcPitch,
                        area->srcHeight};
    struct side to = {area->dstMemoryType,
                      area->dstMemoryType == CU_MEMORYTYPE_HOST ? HOST(area->dstHost) : area->dstDevice,
                      area->dstXInBytes,
                      area->dstY,
                      area->dstZ,
                      area->dstPitch,
                      area->dstHeight};
    uint8_t *start;

    if (copy_bytes(work) == 0)
        return CUDA_SUCCESS;
    CUresult result = place(&from, area, &start, &work->from_row, &work->from_slice);
    work->from = start;
    return result != CUDA_SUCCESS ? result : place(&to, area, &work->to, &work->to_row, &work->to_slice);
}

uint64_t copy_bytes(const struct copy_work *work)
{
    return (uint64_t)work->area.WidthInBytes * work->area.Height * work->area.Depth;
}

void copy_run(const struct copy_work *work)
{
    if (copy_bytes(work) == 0)
        return;
    for (size_t z = 0; z < work->area.Depth; z++)
        for (size_t y = 0; y < work->area.Height; y++)
            memmove(work->to + z * work->to_slice + y * work->to_row,
                    work->from + z * work->from_slice + y * work->from_row, work->area.WidthInBytes);
}

static bool is_pageable(CUmemorytype type, const void *pointer)
{
    return type != CU_MEMORYTYPE_DEVICE && pointer != NULL && memory_find(HOST(pointer)) == NULL;
}

/* With a GPU too: pageable memory is copied from or to before the call returns. */
bool copy_is_waited_for(const struct copy_work *work)
{
    const CUDA_MEMCPY3D *area = &work->area;
    bool from_host = area->srcMemoryType == CU_MEMORYTYPE_HOST,
         to_host = area->dstMemoryType == CU_MEMORYTYPE_HOST;

    return is_pageable(area->srcMemoryType, from_host ? area->srcHost : (void *)(uintptr_t)area->srcDevice) ||
           is_pageable(area->dstMemoryType, to_host ? area->dstHost : (void *)(uintptr_t)area->dstDevice);
}

enum { STAGED_MOST = 64 << 10 };

/* A little memory that is only read is copied, instead of waited for. */
bool copy_stage(struct copy_work *work)
{
    const CUDA_MEMCPY3D *area = &work->area;
    size_t bytes = area->WidthInBytes;

    if (area->Height != 1 || area->Depth != 1 || bytes > STAGED_MOST || bytes == 0 ||
        area->dstMemoryType != CU_MEMORYTYPE_DEVICE)
        return false;
    work->staged = malloc(bytes);
    if (work->staged == NULL)
        return false;
    memcpy(work->staged, work->from, bytes);
    work->from = work->staged;
    return true;
}

/* Of a copy or fill that is done when its call returns. */
static CUresult finish(CUresult result)
{
    struct CUstream_st *stream;

    if (result == CUDA_SUCCESS)
        result = stream_find(NULL, &stream);
    return result == CUDA_SUCCESS ? stream_wait(stream) : result;
}

static struct operation linear(CUmemorytype to_type, uint64_t to, CUmemorytype from_type, uint64_t from,
                               size_t bytes)
{
    struct operation operation = {.kind = WORK_COPY};
    CUDA_MEMCPY3D *area = &operation.copy.area;

    area->srcMemoryType = from_type;
    area->dstMemoryType = to_type;
    area->srcHost = from_type == CU_MEMORYTYPE_HOST ? (const void *)(uintptr_t)from : NULL;
    area->dstHost = to_type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)to : NULL;
    area->srcDevice = from_type != CU_MEMORYTYPE_HOST ? from : 0;
    area->dstDevice = to_type != CU_MEMORYTYPE_HOST ? to : 0;
    area->WidthInBytes = bytes;
    area->Height = area->Depth = 1;
    return operation;
}

/* Calls that a capture forbids are those that wait. */
static CUresult copy_now(struct operation operation)
{
    CUresult result = capture_refuses_unsafe();

    return result != CUDA_SUCCESS ? result : finish(work_submit(NULL, &operation));
}

static CUresult copy_in(CUstream stream, struct operation operation)
{
    return work_submit(stream, &operation);
}

/* A copy in two forms: at once, and in a stream. */
#define COPY(symbol, async_symbol, to_type, to_side, to, from_type, from_side, from)                         \
    CUresult symbol(to_type destination, from_type source, size_t bytes)                                     \
    {                                                                                                        \
        API(symbol, NEEDS_CONTEXT);                                                                          \
        return copy_now(linear(to_side, to, from_side, from, bytes));                                        \
    }                                                                                                        \
    CUresult async_symbol(to_type destination, from_type source, size_t bytes, CUstream stream)              \
    {                                                                                                        \
        API(async_symbol, NEEDS_INIT);                                                                       \
        return copy_in(stream, linear(to_side, to, from_side, from, bytes));                                 \
    }

#define ANY CU_MEMORYTYPE_UNIFIED
#define DEVICE CU_MEMORYTYPE_DEVICE
/* clang-format off */
COPY(cuMemcpy, cuMemcpyAsync, CUdeviceptr, ANY, destination, CUdeviceptr, ANY, source)
COPY(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, CUdeviceptr, DEVICE, destination, const void *, CU_MEMORYTYPE_HOST, HOST(source))
COPY(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, void *, CU_MEMORYTYPE_HOST, HOST(destination), CUdeviceptr, DEVICE, source)
COPY(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, CUdeviceptr, DEVICE, destination, CUdeviceptr, DEVICE, source)
/* clang-format on */

CUresult cuMemcpyPeer(CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, size_t bytes)
{
    API(cuMemcpyPeer, NEEDS_CONTEXT);
    if (!object_valid(to, OBJECT_CONTEXT) || !object_valid(from, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    return copy_now(linear(DEVICE, destination, DEVICE, source, bytes));
}

CUresult cuMemcpyPeerAsync(CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from,
                           size_t bytes, CUstream stream)
{
    API(cuMemcpyPeerAsync, NEEDS_INIT);
    if (!object_valid(to, OBJECT_CONTEXT) || !object_valid(from, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    return copy_in(stream, linear(DEVICE, destination, DEVICE, source, bytes));
}

static struct operation flat(const CUDA_MEMCPY2D *area)
{
    struct operation operation = {.kind = WORK_COPY};

    operation.copy.area = (CUDA_MEMCPY3D){.srcXInBytes = area->srcXInBytes,
                                          .srcY = area->srcY,
                                          .srcMemoryType = area->srcMemoryType,
                                          .srcHost = area->srcHost,
                                          .srcDevice = area->srcDevice,
                                          .srcPitch = area->srcPitch,
                                          .dstXInBytes = area->dstXInBytes,
                                          .dstY = area->dstY,
                                          .dstMemoryType = area->dstMemoryType,
                                          .dstHost = area->dstHost,
                                          .dstDevice = area->dstDevice,
                                          .dstPitch = area->dstPitch,
                                          .WidthInBytes = area->WidthInBytes,
                                          .Height = area->Height,
                                          .Depth = 1};
    return operation;
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *area)
{
    API(cuMemcpy2D_v2, NEEDS_CONTEXT);
    return area == NULL ? CUDA_ERROR_INVALID_VALUE : copy_now(flat(area));
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *area)
{
    API(cuMemcpy2DUnaligned_v2, NEEDS_CONTEXT);
    return area == NULL ? CUDA_ERROR_INVALID_VALUE : copy_now(flat(area));
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *area, CUstream stream)
{
    API(cuMemcpy2DAsync_v2, NEEDS_INIT);
    return area == NULL ? CUDA_ERROR_INVALID_VALUE : copy_in(stream, flat(area));
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *area)
{
    API(cuMemcpy3D_v2, NEEDS_CONTEXT);
    return area == NULL ? CUDA_ERROR_INVALID_VALUE
                        : copy_now((struct operation){.kind = WORK_COPY, .copy.area = *area});
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *area, CUstream stream)
{
    API(cuMemcpy3DAsync_v2, NEEDS_INIT);
    return area == NULL ? CUDA_ERROR_INVALID_VALUE
                        : copy_in(stream, (struct operation){.kind = WORK_COPY, .copy.area = *area});
}

uint64_t fill_bytes(const struct fill_work *work)
{
    return (uint64_t)work->area.elementSize * work->area.width * work->area.height;
}

/* Elements of 1, 2 or 4 bytes, in rows pitch apart. */
CUresult fill_check(struct fill_work *work)
{
    const CUDA_MEMSET_NODE_PARAMS *area = &work->area;
    size_t element = area->elementSize;

    if (element != 1 && element != 2 && element != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (area->width == 0 || area->height == 0)
        return CUDA_SUCCESS;
    if (area->dst % element != 0 || area->width > SIZE_MAX / 8 ||
        (area->height > 1 &&
         (area->pitch < area->width * element || area->height > SIZE_MAX / 2 / area->pitch)))
        return CUDA_ERROR_INVALID_VALUE;
    work->to = memory_translate(area->dst, (area->height > 1 ? (area->height - 1) * area->pitch : 0) +
                                               area->width * element);
    return work->to != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void fill_run(const struct fill_work *work)
{
    const CUDA_MEMSET_NODE_PARAMS *area = &work->area;

    for (size_t row = 0; row < area->height && area->width > 0; row++) {
        uint8_t *at = work->to + row * area->pitch;
        if (area->elementSize == 1) {
            memset(at, (int)area->value, area->width);
            continue;
        }
        for (size_t i = 0; i < area->width; i++)
            memcpy(at + i * area->elementSize, &area->value, area->elementSize);
    }
}

static CUresult fill(CUstream stream, CUDA_MEMSET_NODE_PARAMS area)
{
    return work_submit(stream, &(struct operation){.kind = WORK_FILL, .fill.area = area});
}

/* Without a stream a fill is in the legacy one, and need not be done either. */
#define FILL(bits, type)                                                                                     \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr destination, type value, size_t count)                         \
    {                                                                                                        \
        API(cuMemsetD##bits##_v2, NEEDS_CONTEXT);                                                            \
        return fill(NULL, (CUDA_MEMSET_NODE_PARAMS){destination, 0, value, bits / 8, count, 1});             \
    }                                                                                                        \
    CUresult cuMemsetD##bits##Async(CUdeviceptr destination, type value, size_t count, CUstream stream)      \
    {                                                                                                        \
        API(cuMemsetD##bits##Async, NEEDS_INIT);                                                             \
        return fill(stream, (CUDA_MEMSET_NODE_PARAMS){destination, 0, value, bits / 8, count, 1});           \
    }                                                                                                        \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr destination, size_t pitch, type value, size_t width,         \
                                    size_t height)                                                           \
    {                                                                                                        \
        API(cuMemsetD2D##bits##_v2, NEEDS_CONTEXT);                                                          \
        return fill(NULL, (CUDA_MEMSET_NODE_PARAMS){destination, pitch, value, bits / 8, width, height});    \
    }                                                                                                        \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr destination, size_t pitch, type value, size_t width,       \
                                      size_t height, CUstream stream)                                        \
    {                                                                                                        \
        API(cuMemsetD2D##bits##Async, NEEDS_INIT);                                                           \
        return fill(stream, (CUDA_MEMSET_NODE_PARAMS){destination, pitch, value, bits / 8, width, height});  \
    }

FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned int)
