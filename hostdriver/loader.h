/* SPDX-License-Identifier: MIT */
/* loader.h: what parsing and lowering of one module share: memory and failure.
 *
 * A failure anywhere in the load leaves by longjmp to module_load(), which
 * frees the arena.  Code between may therefore hold memory of the arena only.
 */
#ifndef HOSTDRIVER_LOADER_H
#define HOSTDRIVER_LOADER_H

#include <setjmp.h>

#include "arena.h"

struct loader {
    struct arena *arena;
    jmp_buf failed;
    uint32_t result;              /* the CUresult of the failure */
    char message[512];            /* one line for the JIT log */
    struct opcode_cache *opcodes; /* of match.c */
    uint32_t checks;              /* CHECK_* */
};

void *loader_alloc(struct loader *loader, size_t count, size_t size);
char *loader_text(struct loader *loader, const char *text, size_t length);

_Noreturn void loader_fail(struct loader *loader, uint32_t result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends one zeroed element to an array that doubles as it grows. */
void *loader_append(struct loader *loader, void *array, uint32_t *count, size_t size);
#define LOADER_APPEND(loader, array, count)                                                                  \
    ((array) = loader_append((loader), (array), &(count), sizeof *(array)), &(array)[(count)-1])

#endif
