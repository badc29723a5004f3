/* SPDX-License-Identifier: MIT */
/* order.c: which work may run beside which.
 *
 * A launch runs in the thread that made it, with the driver's lock released.
 * Until it ends, whoever comes to the same stream waits, and the legacy
 * stream and the blocking streams wait for each other.
 */
#include "driver.h"

static bool is_legacy(CUstream stream)
{
    return stream == NULL || stream == STREAM_LEGACY;
}

static bool is_special(CUstream stream)
{
    return is_legacy(stream) || stream == STREAM_PER_THREAD;
}

static bool is_blocking(CUstream stream)
{
    return !is_legacy(stream) && (is_special(stream) || (stream->flags & STREAM_NON_BLOCKING) == 0);
}

bool stream_busy(CUstream stream, const struct CUctx_st *context)
{
    if (is_legacy(stream))
        return context->legacy_running || context->blocking_running > 0;
    if (!is_special(stream) && stream->running)
        return true;
    return is_blocking(stream) && context->legacy_running;
}

CUresult stream_enter(CUstream stream, struct CUctx_st **context)
{
    for (;;) {
        CUresult result = stream_context(stream, context);
        if (result != CUDA_SUCCESS || !stream_busy(stream, *context))
            return result;
        api_wait();
    }
}

/* Contexts are never freed: this one may be followed after the wait. */
CUresult context_enter(const struct CUctx_st *context)
{
    while (context != NULL && context->running > 0)
        api_wait();
    return context_check(context);
}

void work_begin(CUstream stream, struct CUctx_st *context)
{
    context->running++;
    if (is_legacy(stream))
        context->legacy_running = true;
    if (is_blocking(stream))
        context->blocking_running++;
    if (!is_special(stream))
        stream->running = true;
    api_unlock();
}

void work_end(CUstream stream, struct CUctx_st *context)
{
    api_lock();
    context->running--;
    if (is_legacy(stream))
        context->legacy_running = false;
    if (is_blocking(stream))
        context->blocking_running--;
    if (!is_special(stream))
        stream->running = false;
    api_wake();
}
