/* SPDX-License-Identifier: MIT */
/* driver.h: the CUDA driver, opened at run time.
 *
 * The only header that knows CUresult: other files call the driver through
 * IM_CALL and see a status of isomat's. */
#ifndef ISOMAT_DRIVER_H
#define ISOMAT_DRIVER_H

#include <stdbool.h>

#include "cuda_abi.h"
#include "driver_symbols.h"
#include "status.h"

struct im_driver {
#define IM_POINTER(need, name, version, parameters) CUresult(*name) parameters;
    DRIVER_SYMBOLS(IM_POINTER)
#undef IM_POINTER
    void *library;
    int32_t kind;    /* ISOMAT_DRIVER_KIND_... */
    int32_t version; /* 13000 is 13.0 */
    int32_t device_count;
    bool memory_pools;    /* it has every function for them */
    bool hopper_launches; /* it encodes tensor maps and takes launch attributes */
    bool graphs;          /* it has every function for them */
    char path[512];
};

/* Valid once im_driver_open has succeeded; a function that the driver lacks
 * returns CUDA_ERROR_NOT_SUPPORTED, no pointer is ever NULL. */
extern struct im_driver im_cu;

/* Opens the driver if it is not open: see isomat_driver_open. */
int32_t im_driver_open(void);

/* Whether this process is a fork of the one that opened the driver. */
bool im_driver_forked(void);
int32_t im_driver_fail_forked(void);

/* Whether the last failure in this thread leaves its context unusable. */
bool im_driver_failure_is_sticky(void);

/* Turns a failed call into a status with a message. */
int32_t im_driver_fail(CUresult result, const char *call) __attribute__((cold));

static inline int32_t im_driver_check(CUresult result, const char *call)
{
    return __builtin_expect(result == CUDA_SUCCESS, 1) ? ISOMAT_OK : im_driver_fail(result, call);
}

/* Calls a driver function and returns a status. */
#define IM_CALL(function, ...) im_driver_check(im_cu.function(__VA_ARGS__), #function)

/* Calls a driver function in clean-up, where no failure can be of use to the
 * caller: a driver that is already shut down, or a context already lost. */
#define IM_CALL_QUIETLY(function, ...) ((void)im_cu.function(__VA_ARGS__))

#endif /* ISOMAT_DRIVER_H */
