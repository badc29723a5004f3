/* SPDX-License-Identifier: MIT */
/* loader.c: memory and failure of one module's load. */
#include "loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../lib/cuda_abi.h"

void *loader_alloc(struct loader *loader, size_t count, size_t size)
{
    void *memory = NULL;

    if (size == 0 || count <= SIZE_MAX / 4 / size)
        memory = arena_alloc(loader->arena, count * size + 1);
    if (memory == NULL)
        loader_fail(loader, CUDA_ERROR_OUT_OF_MEMORY, "out of memory");
    return memory;
}

char *loader_text(struct loader *loader, const char *text, size_t length)
{
    char *copy = loader_alloc(loader, length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

void loader_fail(struct loader *loader, uint32_t result, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(loader->message, sizeof loader->message, format, arguments);
    va_end(arguments);
    loader->result = result;
    longjmp(loader->failed, 1);
}

void *loader_append(struct loader *loader, void *array, uint32_t *count, size_t size)
{
    uint32_t n = *count;

    /* Arrays grow at 0, 8, 16, 32 ... elements, so capacity needs no field. */
    if (n == 0 || (n >= 8 && (n & (n - 1)) == 0)) {
        void *larger = loader_alloc(loader, n < 8 ? 8 : (size_t)n * 2, size);
        if (n > 0)
            memcpy(larger, array, n * size);
        array = larger;
    }
    *count = n + 1;
    return array;
}
