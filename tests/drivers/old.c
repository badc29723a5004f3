/* SPDX-License-Identifier: MIT */
/* old.c: a driver of CUDA 10.2, from before cuGetProcAddress; it has only the beginnings. */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT uint32_t cuInit(unsigned int flags);
EXPORT uint32_t cuDriverGetVersion(int *version);
EXPORT uint32_t cuDeviceGetCount(int *count);
EXPORT uint32_t cuGetErrorName(uint32_t result, const char **name);
EXPORT uint32_t cuGetErrorString(uint32_t result, const char **text);

uint32_t cuInit(unsigned int flags)
{
    return flags == 0 ? 0 : 1;
}

uint32_t cuDriverGetVersion(int *version)
{
    *version = 10020;
    return 0;
}

uint32_t cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}

uint32_t cuGetErrorName(uint32_t result, const char **name)
{
    *name = result == 0 ? "CUDA_SUCCESS" : "CUDA_ERROR_UNKNOWN";
    return 0;
}

uint32_t cuGetErrorString(uint32_t result, const char **text)
{
    return cuGetErrorName(result, text);
}
