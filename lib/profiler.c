/* SPDX-License-Identifier: MIT */
/* profiler.c: tells a profiler when to look. */
#include "context.h"

static int32_t tell(isomat_context handle, bool start)
{
    struct im_context *context;
    struct im_scope scope;
    int32_t status = im_context_get(&context, handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, start ? IM_CALL(cuProfilerStart) : IM_CALL(cuProfilerStop));
    im_context_release(context);
    return status;
}

int32_t isomat_profiler_start(isomat_context context)
{
    return tell(context, true);
}

int32_t isomat_profiler_stop(isomat_context context)
{
    return tell(context, false);
}
