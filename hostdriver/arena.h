/* SPDX-License-Identifier: MIT */
/* arena.h: memory that lives as long as one module, and tables of names. */
#ifndef HOSTDRIVER_ARENA_H
#define HOSTDRIVER_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
};

/* Zeroed, 16-byte aligned memory; NULL when there is none. */
void *arena_alloc(struct arena *arena, size_t bytes);
void arena_free(struct arena *arena);

/* Names to pointers.  The texts are borrowed: they must outlive the table. */
struct names_entry {
    const char *text;
    size_t length;
    void *value;
};

struct names {
    struct names_entry *entries;
    size_t capacity, count;
};

void *names_find(const struct names *names, const char *text, size_t length);
/* False when memory is short.  A name that is there already is replaced. */
bool names_add(struct names *names, const char *text, size_t length, void *value);
void names_free(struct names *names);

#endif
