/* SPDX-License-Identifier: MIT */
/* fatbin.c: the containers that nvcc embeds: a header of 16 bytes, and entries of a header of 64
 * bytes or more and a payload each. */
#include "fatbin.h"

#include <ctype.h>
#include <string.h>

#include "cubin.h"
#include "decompress.h"
#include "ptx.h"

/* Offsets in an entry's header. */
enum {
    ENTRY_KIND = 0x00,
    ENTRY_HEADER_BYTES = 0x04,
    ENTRY_PAYLOAD_BYTES = 0x08,
    ENTRY_PACKED_BYTES = 0x10,
    ENTRY_OPTIONS = 0x14,
    ENTRY_MINOR = 0x18,
    ENTRY_MAJOR = 0x1a,
    ENTRY_ARCH = 0x1c,
    ENTRY_NAME = 0x20,
    ENTRY_NAME_BYTES = 0x24,
    ENTRY_FLAGS = 0x28,
    ENTRY_FULL_BYTES = 0x38,
    ENTRY_BYTES = 0x40,
};

enum {
    FLAG_DEBUG = 0x2,
    FLAG_OLD_PACKING = 0x1000,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ARCH_SPECIFIC = 0x100000,
    FLAG_FAMILY = 0x200000,
};

uint64_t insp_fatbin_end(struct insp_span span, uint64_t offset)
{
    uint64_t bytes = insp_u64(span, offset + 8);
    if (!insp_inside(span, offset, INSP_FATBIN_HEADER) || insp_u16(span, offset + 4) != 1 ||
        insp_u16(span, offset + 6) != INSP_FATBIN_HEADER)
        return 0;
    if (!insp_inside(span, offset + INSP_FATBIN_HEADER, bytes))
        return 0;
    return offset + INSP_FATBIN_HEADER + bytes;
}

/* Text inside an entry's header, without blanks around it; NULL if it is empty or no text. */
static const char *header_text(struct insp_reader *reader, struct insp_span header, uint64_t offset,
                               uint64_t bytes)
{
    struct insp_span text = insp_slice(header, offset, bytes);
    if (offset < ENTRY_BYTES)
        return NULL;
    while (text.size > 0 && (text.bytes[text.size - 1] == 0 || isspace(text.bytes[text.size - 1])))
        text.size--;
    while (text.size > 0 && isspace(*text.bytes)) {
        text.bytes++;
        text.size--;
    }
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < ' ' || text.bytes[i] == 0x7f)
            return NULL; /* of a cubin for sm_100 and later these are attributes */
    return text.size ? insp_arena_copy(&reader->report->arena, text.bytes, text.size) : NULL;
}

static void read_header(struct insp_reader *reader, struct insp_image *image, struct insp_span header)
{
    uint64_t flags = insp_u64(header, ENTRY_FLAGS);
    uint32_t options = insp_u32(header, ENTRY_OPTIONS);
    image->kind = insp_u16(header, ENTRY_KIND);
    image->arch = (int32_t)(insp_u32(header, ENTRY_ARCH) & 0xffff);
    image->suffix = flags & FLAG_ARCH_SPECIFIC ? 'a' : flags & FLAG_FAMILY ? 'f' : 0;
    image->debug = flags & FLAG_DEBUG ? INSP_DEBUG_FLAG : 0;
    image->packing = flags & FLAG_ZSTD          ? INSP_ZSTD
                     : flags & FLAG_LZ4         ? INSP_LZ4
                     : flags & FLAG_OLD_PACKING ? INSP_OLD_PACKING
                                                : INSP_STORED;
    image->source =
        header_text(reader, header, insp_u32(header, ENTRY_NAME), insp_u32(header, ENTRY_NAME_BYTES));
    if (options && image->kind != INSP_CUBIN)
        image->command =
            header_text(reader, header, insp_u32(header, options), insp_u32(header, (uint64_t)options + 4));
    if (image->kind == INSP_PTX)
        image->ptx_version = insp_u16(header, ENTRY_MAJOR) * 10 + insp_u16(header, ENTRY_MINOR);
}

void insp_image_read(struct insp_reader *reader, struct insp_image *image, struct insp_span plain)
{
    switch (image->kind) {
    case INSP_PTX:
        image->problem = insp_ptx_read(reader, image, plain);
        break;
    case INSP_CUBIN:
        image->problem = insp_cubin_read(reader, image, plain);
        break;
    default:
        break; /* LTO-IR and kinds to come: listed, not read */
    }
}

/* The payload, decompressed and read.  Returns NULL, or what is wrong. */
static const char *read_payload(struct insp_reader *reader, struct insp_image *image,
                                struct insp_span payload, uint32_t packed_bytes, uint64_t full_bytes)
{
    struct insp_span plain;
    image->full_bytes = image->stored_bytes = payload.size;
    if (image->packing != INSP_STORED) {
        if (packed_bytes > payload.size)
            return image->problem = "an entry's compressed size is above its size";
        payload.size = image->stored_bytes = packed_bytes;
        image->full_bytes = full_bytes;
    }
    if (image->kind != INSP_PTX && image->kind != INSP_CUBIN)
        return NULL;
    image->problem = insp_unpack(reader->unpack, &plain, payload, image->packing, full_bytes);
    if (image->packing == INSP_OLD_PACKING)
        return NULL;
    if (!image->problem)
        insp_image_read(reader, image, plain);
    return image->problem;
}

static const char *read_entry(struct insp_reader *reader, struct insp_span entry, uint64_t place_offset,
                              const char *place, uint64_t *entry_bytes)
{
    uint32_t header_bytes = insp_u32(entry, ENTRY_HEADER_BYTES);
    uint64_t payload_bytes = insp_u64(entry, ENTRY_PAYLOAD_BYTES);
    if (entry.size < ENTRY_BYTES)
        return "an entry of the fatbin is cut off";
    if (header_bytes < ENTRY_BYTES || !insp_inside(entry, header_bytes, payload_bytes))
        return "an entry of the fatbin is longer than the fatbin";
    *entry_bytes = header_bytes + payload_bytes;
    struct insp_image *image = insp_add_image(reader);
    if (!image)
        return NULL; /* counted as dropped */
    image->place = place;
    image->offset = place_offset;
    image->container = reader->report->container_count - 1;
    read_header(reader, image, insp_slice(entry, 0, header_bytes));
    return read_payload(reader, image, insp_slice(entry, header_bytes, payload_bytes),
                        insp_u32(entry, ENTRY_PACKED_BYTES), insp_u64(entry, ENTRY_FULL_BYTES));
}

uint64_t insp_fatbin_read(struct insp_reader *reader, struct insp_span span, uint64_t offset, uint64_t base,
                          const char *place)
{
    uint64_t end = insp_fatbin_end(span, offset);
    if (!end) {
        uint64_t bytes = insp_u64(span, offset + 8);
        bool whole = insp_inside(span, offset, INSP_FATBIN_HEADER);
        if (whole && (insp_u16(span, offset + 4) != 1 || insp_u16(span, offset + 6) != INSP_FATBIN_HEADER)) {
            insp_damaged(reader, base + offset, "a fatbin of unknown version %u", insp_u16(span, offset + 4));
            return offset + 4;
        }
        insp_damaged(reader, base + offset, "a fatbin of %llu bytes is cut off after %llu",
                     whole ? (unsigned long long)bytes : 16ULL, (unsigned long long)(span.size - offset));
        end = span.size;
    }
    reader->report->container_count++;
    uint64_t at = offset + INSP_FATBIN_HEADER;
    while (at < end) {
        uint64_t entry_bytes = 0;
        const char *wrong =
            read_entry(reader, insp_slice(span, at, end - at), base + at, place, &entry_bytes);
        if (wrong)
            insp_damaged(reader, base + at, "%s", wrong);
        if (!entry_bytes)
            break;
        at += entry_bytes;
    }
    return end;
}
