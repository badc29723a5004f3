/* SPDX-License-Identifier: MIT */
/* arena.h: memory that is freed at once: the strings and tables of one report. */
#ifndef ISOMAT_INSPECT_ARENA_H
#define ISOMAT_INSPECT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct insp_chunk;

struct insp_arena {
    struct insp_chunk *chunks;
    size_t used, room; /* of the newest chunk */
    size_t total;      /* of all chunks */
    bool failed;       /* an allocation has failed */
};

/* Zeroed memory; NULL if there is none, and then failed is set. */
void *insp_arena_get(struct insp_arena *arena, size_t bytes);

/* A terminated copy; "" if there is no memory.  Control characters become '?'. */
const char *insp_arena_copy(struct insp_arena *arena, const void *text, size_t length);

/* printf into the arena; "" if there is no memory. */
const char *insp_arena_print(struct insp_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void insp_arena_free(struct insp_arena *arena);

/* Room for one more element of a malloc'ed array that doubles; NULL and failed if there is none. */
void *insp_grow(struct insp_arena *arena, void *array, size_t count, size_t element_bytes);

#endif /* ISOMAT_INSPECT_ARENA_H */
