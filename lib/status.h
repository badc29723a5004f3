/* SPDX-License-Identifier: MIT */
/* status.h: the per-thread record of the last failure.
 *
 * The function that decides that something failed writes the message, once;
 * its callers hand the status on unchanged. */
#ifndef ISOMAT_STATUS_H
#define ISOMAT_STATUS_H

#include <stdint.h>

#include "isomat.h"

#define IM_MESSAGE_BYTES 1024
#define IM_LOG_BYTES 4096

/* Records a one-line message and returns status. */
int32_t im_fail(int32_t status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The same, with the driver's result behind the failure. */
int32_t im_fail_cuda(int32_t status, int32_t cuda_result, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Adds to the message of the failure that is being handed on. */
void im_fail_append(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* Keeps the JIT log of the failure that is being handed on. */
void im_fail_log(const char *log);

/* Copies text to a caller's buffer and returns its whole length. */
int64_t im_copy_text(char *buffer, int64_t capacity, const char *text);

#define IM_OUT_OF_HOST_MEMORY(what)                                                                          \
    im_fail(ISOMAT_ERROR_OUT_OF_HOST_MEMORY, "no host memory left for %s", what)

#define IM_NULL_ARGUMENT(name) im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "%s is NULL", name)

/* Checks an info struct's struct_size before it is filled. */
#define IM_CHECK_STRUCT(pointer, name)                                                                       \
    (!(pointer) ? IM_NULL_ARGUMENT(name)                                                                     \
     : (pointer)->struct_size < sizeof *(pointer)                                                            \
         ? im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "%s: struct_size is %u, not %zu", name,                    \
                   (pointer)->struct_size, sizeof *(pointer))                                                \
         : ISOMAT_OK)

#endif /* ISOMAT_STATUS_H */
