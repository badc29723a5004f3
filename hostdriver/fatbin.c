/* SPDX-License-Identifier: MIT */
/* fatbin.c: containers of images as nvcc and fatbinary write them. */
#include "fatbin.h"

#include <lz4.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "../lib/cuda_abi.h"

enum {
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 64,
    KIND_PTX = 1,
    KIND_ELF = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    TEXT_MAX = 256 << 20,
};

#define CONTAINER_MAGIC 0xba55ed50u
#define WRAPPER_MAGIC 0x466243b1u
#define ELF_MAGIC 0x464c457fu

struct entry {
    uint32_t kind, target;
    uint64_t flags, compressed, plain;
    const uint8_t *payload;
    size_t payload_bytes;
};

static uint16_t read16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t read32(const uint8_t *at)
{
    return read16(at) | (uint32_t)read16(at + 2) << 16;
}

static uint64_t read64(const uint8_t *at)
{
    return read32(at) | (uint64_t)read32(at + 4) << 32;
}

static _Noreturn void invalid(struct loader *loader, const char *why)
{
    loader_fail(loader, CUDA_ERROR_INVALID_IMAGE, "invalid fatbin: %s", why);
}

/* Steps to the next entry; false at the end. */
static bool next_entry(struct loader *loader, const uint8_t **at, size_t *left, struct entry *entry)
{
    if (*left == 0)
        return false;
    if (*left < ENTRY_HEADER)
        invalid(loader, "an entry is cut off");
    const uint8_t *header = *at;
    uint64_t header_bytes = read32(header + 4), payload = read64(header + 8);
    if (header_bytes < ENTRY_HEADER || header_bytes > *left || payload > *left - header_bytes)
        invalid(loader, "an entry is larger than its container");
    *entry = (struct entry){.kind = read16(header),
                            .target = read32(header + 0x1c),
                            .flags = read64(header + 0x28),
                            .compressed = read32(header + 0x10),
                            .plain = read64(header + 0x38),
                            .payload = header + header_bytes,
                            .payload_bytes = (size_t)payload};
    *at += header_bytes + payload;
    *left -= (size_t)(header_bytes + payload);
    return true;
}

static struct ptx_image unpack(struct loader *loader, const struct entry *entry)
{
    struct ptx_image image = {(const char *)entry->payload, entry->payload_bytes, entry->target};

    if ((entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0) {
        if (entry->plain > TEXT_MAX || entry->compressed > entry->payload_bytes || entry->plain == 0)
            invalid(loader, "impossible size of compressed PTX");
        char *text = loader_alloc(loader, (size_t)entry->plain, 1);
        bool good;
        if ((entry->flags & FLAG_ZSTD) != 0) {
            size_t n = ZSTD_decompress(text, (size_t)entry->plain, entry->payload, (size_t)entry->compressed);
            good = !ZSTD_isError(n) && n == entry->plain;
        } else {
            int n = LZ4_decompress_safe((const char *)entry->payload, text, (int)entry->compressed,
                                        (int)entry->plain);
            good = n >= 0 && (uint64_t)n == entry->plain;
        }
        if (!good)
            invalid(loader, (entry->flags & FLAG_ZSTD) != 0 ? "damaged zstd data" : "damaged LZ4 data");
        image.text = text;
        image.length = (size_t)entry->plain;
    }
    image.length = strnlen(image.text, image.length);
    return image;
}

static _Noreturn void no_ptx(struct loader *loader, const char *kinds, uint32_t capability)
{
    loader_fail(loader, CUDA_ERROR_NO_BINARY_FOR_GPU,
                "the host driver executes PTX and reports capability %u.%u; this image holds %s",
                capability / 10, capability % 10, kinds[0] != 0 ? kinds : "nothing");
}

static struct ptx_image container(struct loader *loader, const uint8_t *at, size_t left, uint32_t capability)
{
    struct entry entry, best = {0};
    char kinds[300] = "";
    size_t used = 0;

    while (next_entry(loader, &at, &left, &entry)) {
        if (entry.kind == KIND_PTX && entry.target <= capability && entry.target >= best.target)
            best = entry;
        const char *kind = entry.kind == KIND_PTX   ? "PTX for compute_"
                           : entry.kind == KIND_ELF ? "machine code for sm_"
                                                    : "other code for ";
        if (used + 40 < sizeof kinds)
            used += (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%s%u", used > 0 ? ", " : "", kind,
                                     entry.target);
    }
    if (best.kind != KIND_PTX)
        no_ptx(loader, kinds, capability);
    return unpack(loader, &best);
}

/* A text may be shorter than a magic number: no byte is read after one that differs. */
static bool begins(const uint8_t *at, size_t available, uint32_t magic)
{
    for (unsigned i = 0; i < 4; i++)
        if (i >= available || at[i] != (magic >> 8 * i & 0xff))
            return false;
    return true;
}

struct ptx_image fatbin_find_ptx(struct loader *loader, const void *image, size_t available,
                                 uint32_t capability)
{
    const uint8_t *at = image;

    if (begins(at, available, WRAPPER_MAGIC)) {
        /* struct { magic, version, const container *, unused } as in programs */
        if (available != SIZE_MAX)
            invalid(loader, "a file holds a wrapper, whose pointer leads out of it");
        at = (const uint8_t *)(uintptr_t)read64(at + 8);
        if (at == NULL || !begins(at, available, CONTAINER_MAGIC))
            invalid(loader, "the wrapper leads to no container");
    }
    if (begins(at, available, CONTAINER_MAGIC)) {
        if (available < CONTAINER_HEADER)
            invalid(loader, "the header is cut off");
        uint64_t bytes = read64(at + 8);
        if (read16(at + 4) != 1 || read16(at + 6) != CONTAINER_HEADER)
            invalid(loader, "unknown version of the container");
        if (bytes > available - CONTAINER_HEADER || bytes > (uint64_t)1 << 40)
            invalid(loader, "the container is cut off");
        return container(loader, at + CONTAINER_HEADER, (size_t)bytes, capability);
    }
    if (begins(at, available, ELF_MAGIC))
        no_ptx(loader, "a cubin: machine code only", capability);
    size_t length = strnlen(image, available < TEXT_MAX ? available : TEXT_MAX);
    if (length == TEXT_MAX)
        loader_fail(loader, CUDA_ERROR_INVALID_IMAGE, "the PTX text has no end");
    return (struct ptx_image){image, length, 0};
}
