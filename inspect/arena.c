/* SPDX-License-Identifier: MIT */
/* arena.c: memory that is freed at once: the strings and tables of one report. */
#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hostile file must not name the same long text a million times. */
#define MAX_TOTAL ((size_t)400 << 20)

enum { CHUNK_BYTES = 64 << 10, MAX_COPY = 4096 };

struct insp_chunk {
    struct insp_chunk *next;
    max_align_t memory[];
};

void *insp_arena_get(struct insp_arena *arena, size_t bytes)
{
    bytes = (bytes + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    if (arena->room - arena->used < bytes) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        struct insp_chunk *chunk = room <= MAX_TOTAL - arena->total ? calloc(1, sizeof *chunk + room) : NULL;
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->used = 0;
        arena->room = room;
        arena->total += room;
    }
    void *memory = (char *)arena->chunks->memory + arena->used;
    arena->used += bytes;
    return memory;
}

const char *insp_arena_copy(struct insp_arena *arena, const void *text, size_t length)
{
    if (length > MAX_COPY)
        length = MAX_COPY;
    char *copy = insp_arena_get(arena, length + 1);
    if (!copy)
        return "";
    memcpy(copy, text, length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f)
            copy[i] = '?';
    return copy;
}

const char *insp_arena_print(struct insp_arena *arena, const char *format, ...)
{
    char text[MAX_COPY];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return "";
    return insp_arena_copy(arena, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void insp_arena_free(struct insp_arena *arena)
{
    while (arena->chunks) {
        struct insp_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        free(chunk);
    }
    *arena = (struct insp_arena){0};
}

void *insp_grow(struct insp_arena *arena, void *array, size_t count, size_t element_bytes)
{
    /* Room grows by doubling: 1, 2, 4, ... */
    if ((count & (count - 1)) != 0)
        return array;
    size_t room = count ? count * 2 : 1;
    void *grown = room <= SIZE_MAX / element_bytes ? realloc(array, room * element_bytes) : NULL;
    if (!grown)
        arena->failed = true;
    return grown;
}
