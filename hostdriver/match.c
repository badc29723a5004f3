/* SPDX-License-Identifier: MIT */
/* match.c: an opcode's row in the instruction table. */
#include <string.h>

#include "lower.h"

enum { TYPE_none = TYPE_NONE };

static const struct row rows[] = {
#define UNARY(name, pattern, D, A, expression)                                                               \
    {pattern, ROW_REGULAR, OP_##name, {TYPE_##D, TYPE_##A, 0, 0}, NULL},
#define BINARY(name, pattern, D, A, B, expression)                                                           \
    {pattern, ROW_REGULAR, OP_##name, {TYPE_##D, TYPE_##A, TYPE_##B, 0}, NULL},
#define TERNARY(name, pattern, D, A, B, C, expression)                                                       \
    {pattern, ROW_REGULAR, OP_##name, {TYPE_##D, TYPE_##A, TYPE_##B, TYPE_##C}, NULL},
#define FUSED TERNARY
#define DIRECTED(name, pattern, D, A, B, C, expression)                                                      \
    {pattern, ROW_DIRECTED, OP_##name, {TYPE_##D, TYPE_##A, TYPE_##B, TYPE_##C}, NULL},
#define COMPARE(name, pattern, A, expression)                                                                \
    {pattern, ROW_COMPARE, OP_##name, {TYPE_pred, TYPE_##A, TYPE_##A, 0}, lower_setp},
#define FORM(pattern, function) {pattern, ROW_FORM, OP_COUNT, {0}, function},
#define MICRO(name)
#include "instructions.h"
};

bool parts_split(const char *opcode, struct parts *parts)
{
    parts->count = 0;
    for (;;) {
        size_t length = strcspn(opcode, ".");
        if (parts->count == PARTS_MAX)
            return false;
        parts->part[parts->count++] = (struct word_part){opcode, (uint32_t)length};
        if (opcode[length] == 0)
            return true;
        opcode += length + 1;
    }
}

static bool part_is(const struct word_part *part, const char *text, size_t length)
{
    return part->length == length && memcmp(part->text, text, length) == 0;
}

bool parts_has(const struct parts *parts, const char *text)
{
    for (uint32_t i = 1; i < parts->count; i++)
        if (part_is(&parts->part[i], text, strlen(text)))
            return true;
    return false;
}

int parts_which(const struct parts *parts, const char *const *names, int count)
{
    for (uint32_t i = 0; i < parts->count; i++)
        for (int name = 0; name < count; name++)
            if (part_is(&parts->part[i], names[name], strlen(names[name])))
                return name;
    return -1;
}

enum ptx_type parts_type(const struct parts *parts, uint32_t from_end)
{
    for (uint32_t i = parts->count; i-- > 1;) {
        enum ptx_type type = ptx_type_find(parts->part[i].text, parts->part[i].length);
        if (type != TYPE_NONE && from_end-- == 0)
            return type;
    }
    return TYPE_NONE;
}

/* Does one part fit one of the alternatives in pattern[0..length)? */
static bool alternative(const struct word_part *part, const char *pattern, size_t length)
{
    while (length > 0) {
        const char *bar = memchr(pattern, '|', length);
        size_t n = bar != NULL ? (size_t)(bar - pattern) : length;
        if (part_is(part, pattern, n))
            return true;
        if (bar == NULL)
            return false;
        pattern += n + 1;
        length -= n + 1;
    }
    return false;
}

static bool fits(const struct parts *parts, uint32_t at, const char *pattern)
{
    if (*pattern == 0)
        return at == parts->count;
    size_t length = strcspn(pattern, ".");
    const char *rest = pattern[length] == '.' ? pattern + length + 1 : pattern + length;
    bool optional = pattern[length - 1] == '?';

    if (at < parts->count && alternative(&parts->part[at], pattern, length - optional) &&
        fits(parts, at + 1, rest))
        return true;
    return optional && fits(parts, at, rest);
}

const struct row *row_match(const struct parts *parts)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].pattern[0] != 0 && fits(parts, 0, rows[i].pattern))
            return &rows[i];
    return NULL;
}

enum { CACHE_ENTRIES = 1024 };

struct opcode_cache {
    struct cached {
        const char *opcode;
        const struct row *row;
        struct parts parts;
    } entry[CACHE_ENTRIES];
};

const struct row *row_find(struct loader *loader, const char *opcode, const struct parts **parts)
{
    if (loader->opcodes == NULL)
        loader->opcodes = loader_alloc(loader, 1, sizeof *loader->opcodes);
    uintptr_t address = (uintptr_t)opcode / 16;
    struct cached *cached = &loader->opcodes->entry[(address ^ address >> 10) % CACHE_ENTRIES];
    if (cached->opcode != opcode) {
        cached->opcode = opcode;
        cached->row = parts_split(opcode, &cached->parts) ? row_match(&cached->parts) : NULL;
    }
    *parts = &cached->parts;
    return cached->row;
}
