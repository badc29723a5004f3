/* SPDX-License-Identifier: MIT */
/* context.c: contexts: primary, own and adopted ones; making them current. */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- scope */

static int32_t fail_lost(struct im_context *context)
{
    return im_fail(ISOMAT_ERROR_CONTEXT_LOST, "the context is lost since an earlier failure: %s",
                   context->lost_message);
}

int32_t im_scope_enter(struct im_scope *scope, struct im_context *context)
{
    CUcontext current = NULL;
    scope->context = context;
    scope->pushed = false;
    if (__builtin_expect(context->lost, 0))
        return fail_lost(context);
    int32_t status = IM_CALL(cuCtxGetCurrent, &current);
    if (status == ISOMAT_OK && current != context->cu) {
        status = IM_CALL(cuCtxPushCurrent, context->cu);
        scope->pushed = status == ISOMAT_OK;
    }
    return status;
}

/* The kernels since the last synchronisation, the newest last. */
static void describe_in_flight(struct im_context *context)
{
    uint32_t launches = context->launches;
    uint32_t shown = launches < IM_IN_FLIGHT ? launches : IM_IN_FLIGHT;
    if (shown == 0)
        return;
    im_fail_append("; in flight: ");
    for (uint32_t i = launches - shown; i != launches; i++) {
        const char *name = context->in_flight[i % IM_IN_FLIGHT];
        im_fail_append("%s%s", i == launches - shown ? "" : ", ", name ? name : "?");
    }
}

static void lose(struct im_context *context)
{
    pthread_mutex_lock(&context->lost_lock);
    if (!context->lost) {
        describe_in_flight(context);
        snprintf(context->lost_message, sizeof context->lost_message, "%s", isomat_error_message());
        context->lost = true;
    }
    pthread_mutex_unlock(&context->lost_lock);
}

int32_t im_scope_leave(struct im_scope *scope, int32_t status)
{
    if (__builtin_expect(status == ISOMAT_ERROR_LAUNCH_FAILED && im_driver_failure_is_sticky(), 0))
        lose(scope->context);
    im_scope_leave_quietly(scope);
    return status;
}

bool im_scope_enter_quietly(struct im_scope *scope, struct im_context *context)
{
    CUcontext current = NULL;
    scope->context = context;
    scope->pushed = false;
    if (im_driver_forked() || im_cu.cuCtxGetCurrent(&current) != CUDA_SUCCESS)
        return false;
    if (current != context->cu)
        scope->pushed = im_cu.cuCtxPushCurrent(context->cu) == CUDA_SUCCESS;
    return scope->pushed || current == context->cu;
}

void im_scope_leave_quietly(struct im_scope *scope)
{
    CUcontext popped;
    if (scope->pushed)
        IM_CALL_QUIETLY(cuCtxPopCurrent, &popped);
}

void im_context_note_launch(struct im_context *context, const char *kernel)
{
    uint32_t place = atomic_fetch_add_explicit(&context->launches, 1, memory_order_relaxed);
    atomic_store_explicit(&context->in_flight[place % IM_IN_FLIGHT], kernel, memory_order_relaxed);
}

/* --------------------------------------------------------- creation and end */

/* Each context has a pool of its own that keeps what is freed, so that a
 * matrix freed and allocated in a loop does not go back to the device. */
static int32_t create_pool(struct im_context *context)
{
    cuuint64_t keep_all = UINT64_MAX;
    const CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = context->device},
    };
    if (!context->limits.memory_pools || !im_cu.memory_pools)
        return ISOMAT_OK;
    int32_t status = IM_CALL(cuMemPoolCreate, &context->pool, &properties);
    if (status == ISOMAT_OK) {
        status = IM_CALL(cuMemPoolSetAttribute, context->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep_all);
        if (status != ISOMAT_OK)
            IM_CALL_QUIETLY(cuMemPoolDestroy, context->pool);
    }
    return status;
}

/* The parts of a context that need it to be current. */
static int32_t create_parts(struct im_context *context)
{
    struct im_scope scope;
    int32_t status = im_scope_enter(&scope, context);
    if (status != ISOMAT_OK)
        return status;
    context->default_stream.context = context;
    status = IM_CALL(cuStreamCreateWithPriority, &context->default_stream.cu, CU_STREAM_NON_BLOCKING, 0);
    if (status == ISOMAT_OK) {
        status = create_pool(context);
        if (status != ISOMAT_OK)
            IM_CALL_QUIETLY(cuStreamDestroy, context->default_stream.cu);
    }
    return im_scope_leave(&scope, status);
}

static void destroy_parts(struct im_context *context)
{
    struct im_scope scope;
    bool reachable = im_scope_enter_quietly(&scope, context);
    if (reachable) /* work on streams that are destroyed may still run */
        IM_CALL_QUIETLY(cuCtxSynchronize);
    while (context->attachments) {
        struct im_attachment *attachment = context->attachments;
        context->attachments = attachment->next;
        attachment->detach(attachment, reachable);
    }
    if (!reachable)
        return;
    if (context->pool)
        IM_CALL_QUIETLY(cuMemPoolDestroy, context->pool);
    IM_CALL_QUIETLY(cuStreamDestroy, context->default_stream.cu);
    im_scope_leave_quietly(&scope);
}

/* Gives the CUcontext back to whoever it belongs to. */
static void let_go(struct im_context *context)
{
    if (im_driver_forked())
        return;
    if (context->owner == IM_CONTEXT_PRIMARY)
        IM_CALL_QUIETLY(cuDevicePrimaryCtxRelease, context->device);
    else if (context->owner == IM_CONTEXT_OWN)
        IM_CALL_QUIETLY(cuCtxDestroy, context->cu);
}

static void finalise(struct im_object *object)
{
    struct im_context *context = (struct im_context *)object;
    destroy_parts(context);
    let_go(context);
    pthread_mutex_destroy(&context->load_lock);
    pthread_mutex_destroy(&context->lost_lock);
    free(context);
}

/* Completes a context whose cu, device and owner are set.  On failure the
 * struct is freed; the CUcontext is the caller's to let go. */
static int32_t complete(isomat_context *handle, struct im_context *context)
{
    pthread_mutex_init(&context->load_lock, NULL);
    pthread_mutex_init(&context->lost_lock, NULL);
    context->object.finalise = finalise;
    int32_t status = im_device_read_limits(&context->limits, context->device);
    if (status == ISOMAT_OK)
        status = create_parts(context);
    if (status == ISOMAT_OK) {
        status = im_handle_create(handle, &context->object, IM_KIND_CONTEXT);
        if (status != ISOMAT_OK)
            destroy_parts(context);
    }
    return status;
}

/* Retains or creates the CUcontext.  cuCtxCreate also pushes it: take it off,
 * so that the caller's current context stays. */
static int32_t acquire(struct im_context *context)
{
    CUcontext popped;
    if (context->owner == IM_CONTEXT_PRIMARY)
        return IM_CALL(cuDevicePrimaryCtxRetain, &context->cu, context->device);
    int32_t status = IM_CALL(cuCtxCreate, &context->cu, CU_CTX_SCHED_AUTO, context->device);
    if (status == ISOMAT_OK)
        IM_CALL_QUIETLY(cuCtxPopCurrent, &popped);
    return status;
}

int32_t isomat_context_create(isomat_context *handle, int32_t ordinal, int32_t kind)
{
    IM_RANGE();
    CUdevice device;
    if (!handle)
        return IM_NULL_ARGUMENT("context");
    *handle = ISOMAT_NONE;
    if (kind != ISOMAT_CONTEXT_PRIMARY && kind != ISOMAT_CONTEXT_OWN)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "unknown kind of context %d", kind);
    int32_t status = im_device_get(&device, ordinal);
    if (status != ISOMAT_OK)
        return status;
    struct im_context *context = calloc(1, sizeof *context);
    if (!context)
        return IM_OUT_OF_HOST_MEMORY("a context");
    context->device = device;
    context->owner = kind == ISOMAT_CONTEXT_OWN ? IM_CONTEXT_OWN : IM_CONTEXT_PRIMARY;
    status = acquire(context);
    if (status == ISOMAT_OK) {
        status = complete(handle, context);
        if (status != ISOMAT_OK)
            let_go(context);
    }
    if (status != ISOMAT_OK)
        free(context);
    return status;
}

/* The device of a CUcontext, which also shows that it is one. */
static int32_t find_device(CUdevice *device, CUcontext cu)
{
    CUcontext popped;
    int32_t status = IM_CALL(cuCtxPushCurrent, cu);
    if (status != ISOMAT_OK)
        return im_fail_cuda(ISOMAT_ERROR_INVALID_ARGUMENT, isomat_error_cuda_result(),
                            "0x%llx is no CUcontext that can be made current",
                            (unsigned long long)(uintptr_t)cu);
    status = IM_CALL(cuCtxGetDevice, device);
    IM_CALL_QUIETLY(cuCtxPopCurrent, &popped);
    return status;
}

int32_t isomat_context_adopt(isomat_context *handle, uint64_t cu_context, int32_t ownership)
{
    CUcontext cu = (CUcontext)(uintptr_t)cu_context;
    CUdevice device;
    if (!handle)
        return IM_NULL_ARGUMENT("context");
    *handle = ISOMAT_NONE;
    if (ownership != ISOMAT_ADOPT_BORROW && ownership != ISOMAT_ADOPT_OWN)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "unknown ownership %d", ownership);
    if (!cu)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "the CUcontext to adopt is 0");
    int32_t status = im_driver_open();
    if (status == ISOMAT_OK)
        status = find_device(&device, cu);
    if (status != ISOMAT_OK)
        return status;
    struct im_context *context = calloc(1, sizeof *context);
    if (!context)
        return IM_OUT_OF_HOST_MEMORY("a context");
    context->device = device;
    context->cu = cu;
    context->owner = ownership == ISOMAT_ADOPT_OWN ? IM_CONTEXT_OWN : IM_CONTEXT_BORROWED;
    status = complete(handle, context);
    if (status != ISOMAT_OK)
        free(context);
    return status;
}

int32_t isomat_context_destroy(isomat_context handle)
{
    struct im_context *context;
    /* A capture that nobody can end any more keeps matrices, and they the context. */
    if (handle != ISOMAT_NONE && im_context_get(&context, handle) == ISOMAT_OK) {
        struct im_stream *recorder = im_stream_take_recorder(&context->default_stream);
        if (recorder)
            im_stream_release(recorder);
        im_context_release(context);
    }
    return im_handle_destroy(handle, IM_KIND_CONTEXT);
}

/* The driver would refuse, and spoil the captures. */
static int32_t check_no_capture(const struct im_context *context, const char *what)
{
    if (context->captures == 0)
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_CAPTURE,
                   "%s while a stream of the context is captured: end the capture first", what);
}

/* -------------------------------------------------------------------- use */

int32_t isomat_context_synchronize(isomat_context handle)
{
    IM_RANGE();
    struct im_context *context;
    struct im_scope scope;
    int32_t status = im_context_get(&context, handle);
    if (status != ISOMAT_OK)
        return status;
    status = check_no_capture(context, "cannot wait for the context");
    if (status == ISOMAT_OK)
        status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK) {
        uint32_t launches = context->launches;
        status = im_scope_leave(&scope, IM_CALL(cuCtxSynchronize));
        if (status == ISOMAT_OK) /* unless another thread has launched since */
            atomic_compare_exchange_strong(&context->launches, &launches, 0);
    }
    im_context_release(context);
    return status;
}

static int32_t read_pool(isomat_context_info *info, struct im_context *context)
{
    cuuint64_t reserved = 0;
    cuuint64_t used = 0;
    if (!context->pool)
        return ISOMAT_OK;
    int32_t status =
        IM_CALL(cuMemPoolGetAttribute, context->pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
    if (status == ISOMAT_OK)
        status = IM_CALL(cuMemPoolGetAttribute, context->pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
    info->pool_reserved_bytes = (int64_t)reserved;
    info->pool_used_bytes = (int64_t)used;
    return status;
}

int32_t isomat_context_get_info(isomat_context_info *info, isomat_context handle)
{
    struct im_context *context;
    struct im_scope scope;
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    int32_t status = IM_CHECK_STRUCT(info, "context info");
    if (status == ISOMAT_OK)
        status = im_context_get(&context, handle);
    if (status != ISOMAT_OK)
        return status;
    isomat_context_info filled = {
        .struct_size = info->struct_size,
        .device = context->device,
        .cu_context = (uint64_t)(uintptr_t)context->cu,
        .cu_stream = (uint64_t)(uintptr_t)context->default_stream.cu,
    };
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK) {
        status = IM_CALL(cuMemGetInfo, &free_bytes, &total_bytes);
        if (status == ISOMAT_OK)
            status = read_pool(&filled, context);
        status = im_scope_leave(&scope, status);
    }
    filled.memory_free_bytes = (int64_t)free_bytes;
    filled.memory_total_bytes = (int64_t)total_bytes;
    if (status == ISOMAT_OK)
        *info = filled;
    im_context_release(context);
    return status;
}

int32_t im_context_trim(struct im_context *context, size_t keep_bytes)
{
    int32_t status = check_no_capture(context, "cannot give memory back");
    /* The pool gives back only what no pending work still holds. */
    if (status == ISOMAT_OK)
        status = IM_CALL(cuCtxSynchronize);
    if (status != ISOMAT_OK)
        return status;
    pthread_mutex_lock(&context->load_lock);
    for (struct im_attachment *each = context->attachments; each; each = each->next)
        if (each->trim)
            each->trim(each);
    pthread_mutex_unlock(&context->load_lock);
    if (!context->pool)
        return ISOMAT_OK;
    status = IM_CALL(cuStreamSynchronize, context->default_stream.cu);
    return status == ISOMAT_OK ? IM_CALL(cuMemPoolTrimTo, context->pool, keep_bytes) : status;
}

int32_t isomat_context_trim(isomat_context handle, int64_t keep_bytes)
{
    struct im_context *context;
    struct im_scope scope;
    if (keep_bytes < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "keep_bytes is %lld", (long long)keep_bytes);
    int32_t status = im_context_get(&context, handle);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, im_context_trim(context, (size_t)keep_bytes));
    im_context_release(context);
    return status;
}
