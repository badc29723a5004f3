/* SPDX-License-Identifier: MIT */
/* fuzz_module.c: libFuzzer's entry to the host driver's loading of modules: PTX as text, parsed, its globals
 * placed, its kernels lowered; fuzz.sh builds and runs it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hostdriver/driver.h"
#include "hostdriver/execute.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Nothing is launched. */
void warp_run_baseline(struct warp *warp)
{
    (void)warp;
}
void warp_run_avx2(struct warp *warp)
{
    (void)warp;
}
void warp_run_avx512(struct warp *warp)
{
    (void)warp;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static CUcontext context;
    CUmodule module;
    uint32_t magic = 0;

    if (context == NULL) {
        setenv("ISOMAT_HOST_CAPABILITY", "90", 1);
        setenv("ISOMAT_HOST_CHECK", "all", 1);
        setenv("ISOMAT_HOST_MEMORY", "64M", 1);
        if (cuInit(0) != CUDA_SUCCESS || cuCtxCreate_v2(&context, 0, 0) != CUDA_SUCCESS)
            abort();
    }
    memcpy(&magic, bytes, size < sizeof magic ? size : sizeof magic);
    if (magic == 0xba55ed50u || magic == 0x466243b1u || magic == 0x464c457fu)
        return -1; /* a binary image in memory is believed to be whole: fuzz_fatbin reads those */
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, bytes, size);
    text[size] = 0;
    if (cuModuleLoadData(&module, text) == CUDA_SUCCESS)
        cuModuleUnload(module);
    free(text);
    return 0;
}
