/* SPDX-License-Identifier: MIT */
/* nvtx.h: names stretches of time for a profiler, where one is attached. */
#ifndef ISOMAT_NVTX_H
#define ISOMAT_NVTX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Set while a profiler listens. */
extern atomic_bool im_nvtx_attached;

/* The variable in which a profiler names its library. */
#define IM_NVTX_VARIABLE (sizeof(void *) == 8 ? "NVTX_INJECTION64_PATH" : "NVTX_INJECTION32_PATH")

/* Lets the library that a profiler has named listen; nothing if there is none, or it cannot be
 * opened.  Called once. */
void im_nvtx_attach(const char *library);

void im_nvtx_push(const char *name) __attribute__((cold));
void im_nvtx_pop(void) __attribute__((cold));

static inline bool im_range_begin(const char *name)
{
    if (__builtin_expect(!atomic_load_explicit(&im_nvtx_attached, memory_order_acquire), 1))
        return false;
    im_nvtx_push(name);
    return true;
}

static inline void im_range_end(const bool *begun)
{
    if (__builtin_expect(*begun, 0))
        im_nvtx_pop();
}

/* A range from here to the end of the block, with the name of the function. */
#define IM_RANGE() IM_RANGE_NAMED(__func__)
#define IM_RANGE_NAMED(name)                                                                                 \
    __attribute__((cleanup(im_range_end), unused)) const bool im_range = im_range_begin(name)

#endif /* ISOMAT_NVTX_H */
