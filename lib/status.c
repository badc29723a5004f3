/* SPDX-License-Identifier: MIT */
/* status.c: status names and the per-thread record of the last failure. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Fixed buffers: the path of an error allocates nothing, and a thread that
 * ends leaves nothing behind. */
static _Thread_local struct {
    int32_t cuda_result;
    char message[IM_MESSAGE_BYTES];
    char log[IM_LOG_BYTES];
} last;

static int32_t record(int32_t status, int32_t cuda_result, const char *format, va_list arguments)
{
    vsnprintf(last.message, sizeof last.message, format, arguments);
    last.cuda_result = cuda_result;
    last.log[0] = '\0';
    return status;
}

int32_t im_fail(int32_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(status, 0, format, arguments);
    va_end(arguments);
    return status;
}

int32_t im_fail_cuda(int32_t status, int32_t cuda_result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(status, cuda_result, format, arguments);
    va_end(arguments);
    return status;
}

void im_fail_append(const char *format, ...)
{
    size_t used = strlen(last.message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last.message + used, sizeof last.message - used, format, arguments);
    va_end(arguments);
}

void im_fail_log(const char *log)
{
    snprintf(last.log, sizeof last.log, "%s", log);
}

int64_t im_copy_text(char *buffer, int64_t capacity, const char *text)
{
    size_t length = strlen(text);
    if (buffer && capacity > 0) {
        size_t copied = length < (size_t)capacity ? length : (size_t)capacity - 1;
        memcpy(buffer, text, copied);
        buffer[copied] = '\0';
    }
    return (int64_t)length;
}

const char *isomat_error_message(void)
{
    return last.message;
}

int64_t isomat_error_copy(char *buffer, int64_t capacity)
{
    return im_copy_text(buffer, capacity, last.message);
}

int32_t isomat_error_cuda_result(void)
{
    return last.cuda_result;
}

int64_t isomat_error_log_copy(char *buffer, int64_t capacity)
{
    return im_copy_text(buffer, capacity, last.log);
}

int32_t isomat_error_set(int32_t status, const char *message)
{
    return im_fail(status, "%s", message ? message : "");
}

const char *isomat_status_name(int32_t status)
{
#define NAME(code)                                                                                           \
    case code:                                                                                               \
        return #code;
    switch (status) {
        NAME(ISOMAT_OK)
        NAME(ISOMAT_ERROR_INVALID_ARGUMENT)
        NAME(ISOMAT_ERROR_INVALID_HANDLE)
        NAME(ISOMAT_ERROR_STALE_HANDLE)
        NAME(ISOMAT_ERROR_WRONG_KIND)
        NAME(ISOMAT_ERROR_OUT_OF_HOST_MEMORY)
        NAME(ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY)
        NAME(ISOMAT_ERROR_SHAPE_MISMATCH)
        NAME(ISOMAT_ERROR_ALIAS)
        NAME(ISOMAT_ERROR_CONTEXT_MISMATCH)
        NAME(ISOMAT_ERROR_UNSUPPORTED)
        NAME(ISOMAT_ERROR_TYPE_MISMATCH)
        NAME(ISOMAT_ERROR_NO_DRIVER)
        NAME(ISOMAT_ERROR_STUB_DRIVER)
        NAME(ISOMAT_ERROR_DRIVER_TOO_OLD)
        NAME(ISOMAT_ERROR_NO_DEVICE)
        NAME(ISOMAT_ERROR_DRIVER)
        NAME(ISOMAT_ERROR_FORKED)
        NAME(ISOMAT_ERROR_CONTEXT_LOST)
        NAME(ISOMAT_ERROR_FILE)
        NAME(ISOMAT_ERROR_INVALID_IMAGE)
        NAME(ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE)
        NAME(ISOMAT_ERROR_JIT_FAILED)
        NAME(ISOMAT_ERROR_NOT_FOUND)
        NAME(ISOMAT_ERROR_ARGUMENT_COUNT)
        NAME(ISOMAT_ERROR_ARGUMENT_SIZE)
        NAME(ISOMAT_ERROR_INVALID_LAUNCH)
        NAME(ISOMAT_ERROR_LAUNCH_FAILED)
        NAME(ISOMAT_ERROR_NOT_READY)
        NAME(ISOMAT_ERROR_CAPTURE)
    }
#undef NAME
    return "unknown status";
}
