/* SPDX-License-Identifier: MIT */
/* api_copy.c: copies and fills, linear and of rectangles. */
#include <string.h>

#include "driver.h"

/* Host address of bytes at an address of either side; NULL where the device
 * has nothing.  An address outside the device's range is the host's own. */
static void *reach(uint64_t address, uint64_t bytes)
{
    const struct allocation *found = memory_find(address);

    if (found == NULL && address - memory_base() >= memory_total() + WINDOW_BYTES * (uint64_t)4)
        return (void *)(uintptr_t)address;
    return memory_translate(address, bytes);
}

/* A copy or fill without a stream is in the legacy one. */
static CUresult legacy_enter(void)
{
    struct CUctx_st *context;

    return stream_enter(NULL, &context);
}

/* Must the address be known to the driver? */
enum side { SIDE_ANY, SIDE_DEVICE };

static CUresult copy(uint64_t destination, enum side to_side, uint64_t source, enum side from_side,
                     size_t bytes)
{
    if (bytes == 0)
        return CUDA_SUCCESS;
    void *to = to_side == SIDE_DEVICE ? memory_translate(destination, bytes) : reach(destination, bytes);
    const void *from = from_side == SIDE_DEVICE ? memory_translate(source, bytes) : reach(source, bytes);
    if (to == NULL || from == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    memmove(to, from, bytes);
    return CUDA_SUCCESS;
}

#define HOST(pointer) ((uint64_t)(uintptr_t)(pointer))

/* A copy in two forms: at once, and in a stream. */
#define COPY(symbol, async_symbol, to_type, to_side, to, from_type, from_side, from)                         \
    CUresult symbol(to_type destination, from_type source, size_t bytes)                                     \
    {                                                                                                        \
        API(symbol, NEEDS_CONTEXT);                                                                          \
        CUresult result = legacy_enter();                                                                    \
        return result != CUDA_SUCCESS ? result : copy(to, to_side, from, from_side, bytes);                  \
    }                                                                                                        \
    CUresult async_symbol(to_type destination, from_type source, size_t bytes, CUstream stream)              \
    {                                                                                                        \
        API(async_symbol, NEEDS_INIT);                                                                       \
        struct CUctx_st *context;                                                                            \
        CUresult result = stream_enter(stream, &context);                                                    \
        return result != CUDA_SUCCESS ? result : copy(to, to_side, from, from_side, bytes);                  \
    }

/* clang-format off */
COPY(cuMemcpy, cuMemcpyAsync, CUdeviceptr, SIDE_ANY, destination, CUdeviceptr, SIDE_ANY, source)
COPY(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, CUdeviceptr, SIDE_DEVICE, destination, const void *, SIDE_ANY, HOST(source))
COPY(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, void *, SIDE_ANY, HOST(destination), CUdeviceptr, SIDE_DEVICE, source)
COPY(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, CUdeviceptr, SIDE_DEVICE, destination, CUdeviceptr, SIDE_DEVICE, source)
/* clang-format on */

/* Where a rectangle starts in host memory, and whether all of it is there. */
static CUresult rectangle(CUmemorytype type, const void *host, CUdeviceptr device, size_t x, size_t y,
                          size_t pitch, const CUDA_MEMCPY2D *area, uint8_t **start)
{
    uint64_t base = type == CU_MEMORYTYPE_HOST ? HOST(host) : device;
    size_t row = pitch != 0 ? pitch : x + area->WidthInBytes;

    if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    if (x + area->WidthInBytes < x || row < x + area->WidthInBytes ||
        (area->Height > 0 && (y + area->Height) > SIZE_MAX / 2 / row))
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t first = base + y * row + x, bytes = (area->Height - 1) * row + area->WidthInBytes;
    *start = type == CU_MEMORYTYPE_DEVICE ? memory_translate(first, bytes) : reach(first, bytes);
    return *start != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult copy2d(const CUDA_MEMCPY2D *area)
{
    uint8_t *to, *from;

    if (area == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (area->WidthInBytes == 0 || area->Height == 0)
        return CUDA_SUCCESS;
    CUresult result = rectangle(area->srcMemoryType, area->srcHost, area->srcDevice, area->srcXInBytes,
                                area->srcY, area->srcPitch, area, &from);
    if (result == CUDA_SUCCESS)
        result = rectangle(area->dstMemoryType, area->dstHost, area->dstDevice, area->dstXInBytes, area->dstY,
                           area->dstPitch, area, &to);
    if (result != CUDA_SUCCESS)
        return result;
    size_t to_row = area->dstPitch != 0 ? area->dstPitch : area->dstXInBytes + area->WidthInBytes;
    size_t from_row = area->srcPitch != 0 ? area->srcPitch : area->srcXInBytes + area->WidthInBytes;
    for (size_t i = 0; i < area->Height; i++)
        memmove(to + i * to_row, from + i * from_row, area->WidthInBytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *area)
{
    API(cuMemcpy2D_v2, NEEDS_CONTEXT);
    CUresult result = legacy_enter();
    return result != CUDA_SUCCESS ? result : copy2d(area);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *area)
{
    API(cuMemcpy2DUnaligned_v2, NEEDS_CONTEXT);
    CUresult result = legacy_enter();
    return result != CUDA_SUCCESS ? result : copy2d(area);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *area, CUstream stream)
{
    API(cuMemcpy2DAsync_v2, NEEDS_INIT);
    struct CUctx_st *context;
    CUresult result = stream_enter(stream, &context);
    return result != CUDA_SUCCESS ? result : copy2d(area);
}

/* Elements of 1, 2 or 4 bytes, in rows pitch apart. */
static CUresult fill(uint64_t destination, size_t pitch, uint32_t value, unsigned element, size_t width,
                     size_t height)
{
    if (width == 0 || height == 0)
        return CUDA_SUCCESS;
    if (destination % element != 0 || width > SIZE_MAX / 8 || (height > 1 && pitch < width * element) ||
        (height > 1 && height > SIZE_MAX / 2 / pitch))
        return CUDA_ERROR_INVALID_VALUE;
    uint8_t *to = memory_translate(destination, (height > 1 ? (height - 1) * pitch : 0) + width * element);
    if (to == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t row = 0; row < height; row++) {
        uint8_t *at = to + row * pitch;
        if (element == 1) {
            memset(at, (int)value, width);
            continue;
        }
        for (size_t i = 0; i < width; i++)
            memcpy(at + i * element, &value, element);
    }
    return CUDA_SUCCESS;
}

#define FILL(bits, type)                                                                                     \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr destination, type value, size_t count)                         \
    {                                                                                                        \
        API(cuMemsetD##bits##_v2, NEEDS_CONTEXT);                                                            \
        CUresult result = legacy_enter();                                                                    \
        return result != CUDA_SUCCESS ? result : fill(destination, 0, value, bits / 8, count, 1);            \
    }                                                                                                        \
    CUresult cuMemsetD##bits##Async(CUdeviceptr destination, type value, size_t count, CUstream stream)      \
    {                                                                                                        \
        API(cuMemsetD##bits##Async, NEEDS_INIT);                                                             \
        struct CUctx_st *context;                                                                            \
        CUresult result = stream_enter(stream, &context);                                                    \
        return result != CUDA_SUCCESS ? result : fill(destination, 0, value, bits / 8, count, 1);            \
    }                                                                                                        \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr destination, size_t pitch, type value, size_t width,         \
                                    size_t height)                                                           \
    {                                                                                                        \
        API(cuMemsetD2D##bits##_v2, NEEDS_CONTEXT);                                                          \
        CUresult result = legacy_enter();                                                                    \
        return result != CUDA_SUCCESS ? result : fill(destination, pitch, value, bits / 8, width, height);   \
    }                                                                                                        \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr destination, size_t pitch, type value, size_t width,       \
                                      size_t height, CUstream stream)                                        \
    {                                                                                                        \
        API(cuMemsetD2D##bits##Async, NEEDS_INIT);                                                           \
        struct CUctx_st *context;                                                                            \
        CUresult result = stream_enter(stream, &context);                                                    \
        return result != CUDA_SUCCESS ? result : fill(destination, pitch, value, bits / 8, width, height);   \
    }

FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned int)
