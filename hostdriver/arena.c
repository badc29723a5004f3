/* SPDX-License-Identifier: MIT */
/* arena.c: memory that lives as long as one module, and tables of names. */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t used, capacity;
    _Alignas(16) unsigned char bytes[];
};

/* Fuzzers are built with 1: then each piece is a block, with AddressSanitizer's zones around it. */
#ifndef ARENA_BLOCK
#define ARENA_BLOCK (64 * 1024)
#endif

void *arena_alloc(struct arena *arena, size_t bytes)
{
    struct arena_block *block = arena->blocks;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (block == NULL || block->capacity - block->used < bytes) {
        size_t capacity = bytes > ARENA_BLOCK / 4 ? bytes : ARENA_BLOCK;
        block = calloc(1, sizeof *block + capacity);
        if (block == NULL)
            return NULL;
        block->capacity = capacity;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *memory = block->bytes + block->used;
    block->used += bytes;
    return memory;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks != NULL) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

static size_t names_hash(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)(hash ^ (hash >> 29));
}

static struct names_entry *names_slot(const struct names *names, const char *text, size_t length)
{
    size_t i = names_hash(text, length) & (names->capacity - 1);

    for (;; i = (i + 1) & (names->capacity - 1)) {
        struct names_entry *entry = &names->entries[i];
        if (entry->text == NULL || (entry->length == length && memcmp(entry->text, text, length) == 0))
            return entry;
    }
}

void *names_find(const struct names *names, const char *text, size_t length)
{
    return names->count == 0 ? NULL : names_slot(names, text, length)->value;
}

static bool names_grow(struct names *names)
{
    struct names larger = {NULL, names->capacity == 0 ? 16 : names->capacity * 2, names->count};

    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (larger.entries == NULL)
        return false;
    for (size_t i = 0; i < names->capacity; i++) {
        struct names_entry *entry = &names->entries[i];
        if (entry->text != NULL)
            *names_slot(&larger, entry->text, entry->length) = *entry;
    }
    free(names->entries);
    *names = larger;
    return true;
}

bool names_add(struct names *names, const char *text, size_t length, void *value)
{
    if (names->count * 4 >= names->capacity * 3 && !names_grow(names))
        return false;
    struct names_entry *entry = names_slot(names, text, length);
    if (entry->text == NULL)
        names->count++;
    *entry = (struct names_entry){text, length, value};
    return true;
}

void names_free(struct names *names)
{
    free(names->entries);
    *names = (struct names){NULL, 0, 0};
}
