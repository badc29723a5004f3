/* SPDX-License-Identifier: MIT */
/* bytes.h: spans of bytes that may hold anything, read within their bounds. */
#ifndef ISOMAT_INSPECT_BYTES_H
#define ISOMAT_INSPECT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct insp_span {
    const unsigned char *bytes;
    size_t size;
};

static inline bool insp_inside(struct insp_span span, uint64_t offset, uint64_t size)
{
    return offset <= span.size && size <= span.size - offset;
}

/* A part of the span; empty if it is not wholly inside. */
static inline struct insp_span insp_slice(struct insp_span span, uint64_t offset, uint64_t size)
{
    if (size == 0 || !insp_inside(span, offset, size))
        return (struct insp_span){NULL, 0};
    return (struct insp_span){span.bytes + offset, (size_t)size};
}

/* Numbers are little-endian, as is every host that these files are read on; 0 outside the span. */
static inline uint64_t insp_number(struct insp_span span, uint64_t offset, size_t size)
{
    uint64_t number = 0;
    if (insp_inside(span, offset, size))
        memcpy(&number, span.bytes + offset, size);
    return number;
}

static inline uint8_t insp_u8(struct insp_span span, uint64_t offset)
{
    return (uint8_t)insp_number(span, offset, 1);
}

static inline uint16_t insp_u16(struct insp_span span, uint64_t offset)
{
    return (uint16_t)insp_number(span, offset, 2);
}

static inline uint32_t insp_u32(struct insp_span span, uint64_t offset)
{
    return (uint32_t)insp_number(span, offset, 4);
}

static inline uint64_t insp_u64(struct insp_span span, uint64_t offset)
{
    return insp_number(span, offset, 8);
}

/* Where needle begins, or -1. */
static inline int64_t insp_find(struct insp_span span, uint64_t from, const void *needle, size_t size)
{
    if (from >= span.size)
        return -1;
    const unsigned char *found = memmem(span.bytes + from, span.size - (size_t)from, needle, size);
    return found ? found - span.bytes : -1;
}

#endif /* ISOMAT_INSPECT_BYTES_H */
