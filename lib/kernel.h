/* SPDX-License-Identifier: MIT */
/* kernel.h: a user's kernels: attributes, parameters, launches. */
#ifndef ISOMAT_KERNEL_H
#define ISOMAT_KERNEL_H

#include "module.h"

struct im_parameter {
    size_t offset_bytes;
    size_t size_bytes;
};

struct im_kernel {
    struct im_object object;
    struct im_module *module;
    struct im_context *context; /* the module's */
    CUfunction function;
    const char *name; /* interned: outlives the kernel */
    int32_t max_threads;
    int32_t static_shared_bytes;
    int32_t parameter_count; /* -1: the driver cannot tell */
    size_t parameter_bytes;
    struct im_parameter *parameters;
    _Atomic int32_t dynamic_shared_bytes; /* the most that the driver has been told to allow */
};

#endif /* ISOMAT_KERNEL_H */
