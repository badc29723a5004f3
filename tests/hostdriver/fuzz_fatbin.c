/* SPDX-License-Identifier: MIT */
/* fuzz_fatbin.c: libFuzzer's entry to the host driver's reader of fatbins, with LZ4 and zstd; fuzz.sh builds
 * and runs it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "hostdriver/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = {0};
    struct loader *loader = calloc(1, sizeof *loader);

    if (loader == NULL)
        return 0;
    loader->arena = &arena;
    if (setjmp(loader->failed) == 0) {
        struct ptx_image image = fatbin_find_ptx(loader, bytes, size, 90);
        /* What was found can be read to its end. */
        for (size_t i = 0; i < image.length; i++)
            if (image.text[i] == 0)
                abort();
    }
    arena_free(&arena);
    free(loader);
    return 0;
}
