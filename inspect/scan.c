/* SPDX-License-Identifier: MIT */
/* scan.c: finds GPU code in a range of bytes. */
#include "scan.h"

#include <elf.h>
#include <sys/mman.h>

#include "elf64.h"
#include "fatbin.h"
#include "ptx.h"

enum { STEP = 8 << 20, PAGE = 4096, MAX_PTX_BYTES = 64 << 20, MAX_FALSE_CUBINS = 1000 };

/* What was read stays in the system's cache, but needs not count as this process's memory. */
static void let_go(struct insp_reader *reader, uint64_t from, uint64_t to)
{
    uintptr_t start = ((uintptr_t)reader->whole.bytes + from + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = ((uintptr_t)reader->whole.bytes + to) & ~(uintptr_t)(PAGE - 1);
    if (reader->mapped && end > start)
        madvise((void *)start, end - start, MADV_DONTNEED);
}

static void show_progress(struct insp_reader *reader, uint64_t done)
{
    if (reader->progress)
        reader->progress(reader->payload, reader->report->path, done, reader->whole.size);
}

void insp_scan_fatbins(struct insp_reader *reader, uint64_t offset, uint64_t size, const char *place)
{
    struct insp_span range = insp_slice(reader->whole, 0, offset + size);
    uint64_t at = offset, kept = offset;
    while (at < range.size) {
        int64_t found = insp_find(range, at, INSP_FATBIN_MAGIC, 4);
        if (found < 0)
            break;
        at = insp_fatbin_read(reader, range, (uint64_t)found, 0, place);
        if (at - kept > STEP) {
            let_go(reader, kept, at);
            kept = at;
            show_progress(reader, at);
        }
    }
    let_go(reader, kept, range.size);
}

/* ---------------------------------------------------------- among other bytes */

/* A container by scan must be whole and begin with an entry that is inside it. */
static uint64_t try_fatbin(struct insp_reader *reader, struct insp_span range, uint64_t at, const char *place)
{
    uint64_t end = insp_fatbin_end(range, at);
    uint64_t entry = at + INSP_FATBIN_HEADER;
    uint32_t header_bytes = insp_u32(range, entry + 4);
    if (!end || end < entry + 64 || header_bytes < 64 || header_bytes > end - entry ||
        insp_u64(range, entry + 8) > end - entry - header_bytes)
        return 0;
    return insp_fatbin_read(reader, range, at, 0, place);
}

static uint64_t try_cubin(struct insp_reader *reader, struct insp_span range, uint64_t at, const char *place)
{
    struct insp_span rest = insp_slice(range, at, range.size - at);
    if (!insp_elf_is_cubin(rest) || reader->false_cubins == MAX_FALSE_CUBINS)
        return 0;
    uint64_t extent = insp_elf_extent(rest);
    struct insp_image *image = extent ? insp_add_image(reader) : NULL;
    if (!image) {
        reader->false_cubins++;
        return 0;
    }
    image->place = place;
    image->offset = at;
    image->kind = INSP_CUBIN;
    image->stored_bytes = image->full_bytes = extent;
    insp_image_read(reader, image, insp_slice(rest, 0, extent));
    return at + extent;
}

/* How much of the bytes is text. */
static uint64_t text_length(struct insp_span bytes)
{
    uint64_t length = 0;
    while (length < bytes.size && length < MAX_PTX_BYTES) {
        unsigned char c = bytes.bytes[length];
        if (c < ' ' && c != '\n' && c != '\r' && c != '\t')
            break;
        length++;
    }
    return length;
}

/* Text that goes on to its terminator, and has .target sm_ soon after .version, and an entry. */
static uint64_t try_ptx(struct insp_reader *reader, struct insp_span range, uint64_t at, const char *place)
{
    struct insp_span rest = insp_slice(range, at, range.size - at);
    uint8_t digit = insp_u8(rest, 9);
    if (digit < '1' || digit > '9' ||
        insp_find(insp_slice(rest, 0, rest.size < 200 ? rest.size : 200), 0, ".target sm_", 11) < 0)
        return 0;
    struct insp_span text = insp_slice(rest, 0, text_length(rest));
    if (insp_find(text, 0, ".entry", 6) < 0)
        return at + text.size; /* a template of a compiler, say */
    struct insp_image *image = insp_add_image(reader);
    if (!image)
        return 0;
    image->place = place;
    image->offset = at;
    image->kind = INSP_PTX;
    image->stored_bytes = image->full_bytes = text.size;
    insp_image_read(reader, image, text);
    return at + text.size;
}

typedef uint64_t try_function(struct insp_reader *reader, struct insp_span range, uint64_t at,
                              const char *place);

static const struct {
    const char *mark;
    size_t bytes;
    try_function *try;
} marks[] = {
    {INSP_FATBIN_MAGIC, 4, try_fatbin},
    {ELFMAG, SELFMAG, try_cubin},
    {".version ", 9, try_ptx},
};

enum { MARK_COUNT = sizeof marks / sizeof *marks };

/* The next mark at or after at; next[] remembers what is known.  Returns its number, or -1. */
static int next_mark(int64_t next[MARK_COUNT], struct insp_span window, uint64_t at)
{
    int first = -1;
    for (int i = 0; i < MARK_COUNT; i++) {
        if (next[i] < (int64_t)at) {
            int64_t found = insp_find(window, at, marks[i].mark, marks[i].bytes);
            next[i] = found < 0 ? INT64_MAX : found;
        }
        if (next[i] != INT64_MAX && (first < 0 || next[i] < next[first]))
            first = i;
    }
    return first;
}

void insp_scan_bytes(struct insp_reader *reader, uint64_t offset, uint64_t size, const char *place)
{
    struct insp_span range = insp_slice(reader->whole, 0, offset + size);
    for (uint64_t at = offset; at < range.size;) {
        /* a window at a time: no mark is looked for far beyond what is read next */
        uint64_t begin = at, window_end = at + STEP < range.size ? at + STEP : range.size;
        struct insp_span window =
            insp_slice(range, 0, window_end + 8 < range.size ? window_end + 8 : range.size);
        int64_t next[MARK_COUNT];
        int mark;
        for (int i = 0; i < MARK_COUNT; i++)
            next[i] = -1;
        while (at < window_end && (mark = next_mark(next, window, at)) >= 0) {
            uint64_t end = marks[mark].try(reader, range, (uint64_t)next[mark], place);
            at = end ? end : (uint64_t)next[mark] + 1;
        }
        if (at < window_end)
            at = window_end;
        let_go(reader, begin, at);
        show_progress(reader, at);
    }
}
