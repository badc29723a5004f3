/* SPDX-License-Identifier: MIT */
/* print.c: printf and failed assertions of kernels. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "execute.h"

enum { TEXT_BYTES = 1024, SPEC_BYTES = 32 };

static bool read_text(struct warp *warp, uint32_t lane, uint64_t address, char *out, lane_reader read)
{
    for (uint32_t i = 0; i < TEXT_BYTES; i++) {
        if (!read(warp, lane, address + i, &out[i], 1))
            return false;
        if (out[i] == 0)
            return true;
    }
    out[TEXT_BYTES - 1] = 0;
    return true;
}

struct printing {
    struct warp *warp;
    uint32_t lane;
    uint64_t values;
    lane_reader read;
    char text[4 * TEXT_BYTES];
    size_t length;
    int32_t count;
};

static void put(struct printing *p, const char *text, size_t length)
{
    size_t room = sizeof p->text - 1 - p->length;

    length = length < room ? length : room;
    memcpy(p->text + p->length, text, length);
    p->length += length;
}

/* The next value: each begins at a multiple of its size. */
static uint64_t value(struct printing *p, uint32_t bytes)
{
    uint64_t bits = 0;

    p->values = (p->values + bytes - 1) & ~(uint64_t)(bytes - 1);
    p->read(p->warp, p->lane, p->values, &bits, bytes);
    p->values += bytes;
    return bits;
}

/* Prints one conversion; the specification is cleaned of lengths first. */
static void convert(struct printing *p, char *spec, size_t length, bool wide)
{
    char out[TEXT_BYTES * 2], text[TEXT_BYTES] = "", kind = spec[length - 1];
    int n = 0;

    memcpy(spec + length - 1, (char[]){'l', 'l', kind, 0}, 4);
    if (strchr("di", kind) != NULL) {
        uint64_t bits = value(p, wide ? 8 : 4);
        n = snprintf(out, sizeof out, spec, wide ? (long long)bits : (long long)(int32_t)bits);
    } else if (strchr("uoxX", kind) != NULL) {
        n = snprintf(out, sizeof out, spec, (unsigned long long)value(p, wide ? 8 : 4));
    } else {
        spec[length - 1] = kind;
        spec[length] = 0;
        if (strchr("fFeEgGaA", kind) != NULL) {
            uint64_t bits = value(p, 8);
            double number;
            memcpy(&number, &bits, sizeof number);
            n = snprintf(out, sizeof out, spec, number);
        } else if (kind == 'c') {
            n = snprintf(out, sizeof out, spec, (int)value(p, 4));
        } else if (kind == 'p') {
            n = snprintf(out, sizeof out, "0x%llx", (unsigned long long)value(p, 8));
        } else if (kind == 's') {
            if (!read_text(p->warp, p->lane, value(p, 8), text, p->read))
                snprintf(text, sizeof text, "(bad address)");
            n = snprintf(out, sizeof out, spec, text);
        }
    }
    p->count++;
    put(p, out, n < 0 ? 0 : (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
}

static const char *conversion(struct printing *p, const char *at)
{
    char spec[SPEC_BYTES + 8] = "%";
    size_t length = 1;
    bool wide = false;

    for (; *at != 0 && strchr("-+ #0123456789.*lhjzt", *at) != NULL; at++) {
        if (*at == '*' && length < SPEC_BYTES - 12)
            length += (size_t)snprintf(spec + length, 12, "%d", (int32_t)value(p, 4));
        else if (strchr("lhjzt", *at) != NULL)
            wide |= *at != 'h';
        else if (length < SPEC_BYTES - 12)
            spec[length++] = *at;
    }
    if (*at == 0)
        return at;
    spec[length++] = *at;
    if (*at == '%')
        put(p, "%", 1);
    else
        convert(p, spec, length, wide);
    return at + 1;
}

int32_t lane_print(struct warp *warp, uint32_t lane, uint64_t format, uint64_t values, lane_reader read)
{
    struct printing p = {.warp = warp, .lane = lane, .values = values, .read = read};
    char text[TEXT_BYTES];

    if (!read_text(warp, lane, format, text, read))
        return -1;
    for (const char *at = text; *at != 0;) {
        size_t plain = strcspn(at, "%");
        put(&p, at, plain);
        at += plain;
        if (*at == '%')
            at = conversion(&p, at + 1);
    }
    /* One write: lines of different threads stay whole. */
    fwrite(p.text, 1, p.length, stdout);
    fflush(stdout);
    return p.count;
}

void lane_assert(struct warp *warp, uint32_t lane, const uint64_t what[3], uint32_t line, lane_reader read)
{
    const struct block *block = warp->block;
    const uint32_t *size = block->launch->threads;
    uint32_t thread = warp->index * 32u + lane;
    char text[3][TEXT_BYTES];

    for (int i = 0; i < 3; i++)
        if (!read_text(warp, lane, what[i], text[i], read))
            strcpy(text[i], "?");
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", text[1],
            line, text[2], block->id[0], block->id[1], block->id[2], thread % size[0],
            thread / size[0] % size[1], thread / size[0] / size[1], text[0]);
}
