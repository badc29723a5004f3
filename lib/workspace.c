/* SPDX-License-Identifier: MIT */
/* workspace.c: device memory that products need while they run, kept by the context. */
#include "workspace.h"

#include <stdlib.h>

#include "memory.h"

struct im_workspace {
    struct im_attachment attachment;
    struct im_context *context;
    pthread_mutex_t lock;
    uint64_t last; /* serial of the stream that used it last; at first the default stream's */
    CUevent done;  /* behind that use, unless it was on the default stream */
    struct {
        CUdeviceptr pointer;
        int64_t bytes;
    } buffers[IM_WORK_BUFFERS];
    struct pinned *pinned; /* of a captured sequence: all its memory, the buffers' included */
};

struct pinned {
    struct pinned *next;
    CUdeviceptr pointer;
    int64_t bytes;
};

static void free_buffers(struct im_workspace *workspace)
{
    for (int i = 0; i < IM_WORK_BUFFERS; i++) {
        if (workspace->buffers[i].pointer)
            im_memory_free(workspace->buffers[i].pointer, &workspace->context->default_stream);
        workspace->buffers[i].pointer = 0;
        workspace->buffers[i].bytes = 0;
    }
}

/* The context is synchronised; memory in use at this moment is left alone. */
static void trim(struct im_attachment *attachment)
{
    struct im_workspace *workspace = (struct im_workspace *)attachment;
    if (pthread_mutex_trylock(&workspace->lock) != 0)
        return;
    free_buffers(workspace);
    pthread_mutex_unlock(&workspace->lock);
}

static void detach(struct im_attachment *attachment, bool reachable)
{
    struct im_workspace *workspace = (struct im_workspace *)attachment;
    if (reachable) {
        free_buffers(workspace);
        IM_CALL_QUIETLY(cuEventDestroy, workspace->done);
    }
    pthread_mutex_destroy(&workspace->lock);
    free(workspace);
}

int32_t im_workspace_create(struct im_workspace **workspace, struct im_context *context)
{
    struct im_workspace *created = calloc(1, sizeof *created);
    if (!created)
        return IM_OUT_OF_HOST_MEMORY("a workspace");
    int32_t status = IM_CALL(cuEventCreate, &created->done, CU_EVENT_DISABLE_TIMING);
    if (status != ISOMAT_OK) {
        free(created);
        return status;
    }
    created->context = context;
    pthread_mutex_init(&created->lock, NULL);
    *workspace = created;
    return ISOMAT_OK;
}

static int32_t create_shared(struct im_workspace **workspace, struct im_context *context)
{
    int32_t status = im_workspace_create(workspace, context);
    if (status != ISOMAT_OK)
        return status;
    (*workspace)->attachment = (struct im_attachment){context->attachments, detach, trim};
    context->attachments = &(*workspace)->attachment;
    context->workspace = *workspace;
    return ISOMAT_OK;
}

/* The context's workspace, created when first asked for. */
static int32_t get(struct im_workspace **workspace, struct im_context *context)
{
    int32_t status = ISOMAT_OK;
    *workspace = context->workspace;
    if (*workspace)
        return ISOMAT_OK;
    pthread_mutex_lock(&context->load_lock);
    *workspace = context->workspace;
    if (!*workspace)
        status = create_shared(workspace, context);
    pthread_mutex_unlock(&context->load_lock);
    return status;
}

/* Orders a stream behind the last user. */
static int32_t follow(struct im_workspace *workspace, struct im_stream *stream)
{
    if (im_stream_follows(stream, workspace->last))
        return ISOMAT_OK;
    return workspace->last == 0 ? im_stream_wait_for(stream, &stream->context->default_stream)
                                : IM_CALL(cuStreamWaitEvent, stream->cu, workspace->done, 0);
}

int32_t im_workspace_enter(struct im_workspace *workspace, struct im_stream *stream)
{
    pthread_mutex_lock(&workspace->lock);
    int32_t status = follow(workspace, stream);
    if (status != ISOMAT_OK)
        pthread_mutex_unlock(&workspace->lock);
    return status;
}

int32_t im_workspace_begin(struct im_workspace **workspace, struct im_stream *stream)
{
    if (stream->recording) { /* its work runs in order */
        *workspace = stream->recording->workspace;
        pthread_mutex_lock(&(*workspace)->lock);
        return ISOMAT_OK;
    }
    int32_t status = get(workspace, stream->context);
    return status == ISOMAT_OK ? im_workspace_enter(*workspace, stream) : status;
}

/* ---------------------------------------------------------------- captured */

void im_workspace_destroy(struct im_workspace *workspace, bool reachable)
{
    struct im_stream *stream = &workspace->context->default_stream;
    if (reachable && workspace->pinned && follow(workspace, stream) != ISOMAT_OK)
        IM_CALL_QUIETLY(cuCtxSynchronize);
    while (workspace->pinned) {
        struct pinned *pinned = workspace->pinned;
        workspace->pinned = pinned->next;
        if (reachable)
            im_memory_free(pinned->pointer, stream);
        free(pinned);
    }
    if (reachable)
        IM_CALL_QUIETLY(cuEventDestroy, workspace->done);
    pthread_mutex_destroy(&workspace->lock);
    free(workspace);
}

int32_t im_workspace_pin(CUdeviceptr *pointer, struct im_workspace *workspace, int64_t bytes,
                         int64_t zero_bytes)
{
    struct im_stream *stream = &workspace->context->default_stream;
    struct pinned *pinned = calloc(1, sizeof *pinned);
    if (!pinned)
        return IM_OUT_OF_HOST_MEMORY("a captured sequence");
    int32_t status = im_memory_allocate(&pinned->pointer, bytes, stream);
    if (status == ISOMAT_OK && zero_bytes > 0) {
        status = IM_CALL(cuMemsetD8Async, pinned->pointer, 0, (size_t)zero_bytes, stream->cu);
        if (status != ISOMAT_OK)
            im_memory_free(pinned->pointer, stream);
    }
    if (status != ISOMAT_OK) {
        free(pinned);
        return status;
    }
    pinned->bytes = bytes;
    pinned->next = workspace->pinned;
    workspace->pinned = pinned;
    *pointer = pinned->pointer;
    return ISOMAT_OK;
}

int64_t im_workspace_bytes(struct im_workspace *workspace)
{
    int64_t bytes = 0;
    pthread_mutex_lock(&workspace->lock);
    for (const struct pinned *each = workspace->pinned; each; each = each->next)
        bytes += each->bytes;
    pthread_mutex_unlock(&workspace->lock);
    return bytes;
}

/* What was captured goes on using the memory that a buffer had; a table is filled once. */
static int32_t reserve_captured(CUdeviceptr *pointer, struct im_workspace *workspace,
                                enum im_work_buffer buffer, int64_t bytes, int64_t zero_bytes)
{
    *pointer = workspace->buffers[buffer].pointer;
    if (workspace->buffers[buffer].bytes >= bytes && buffer != IM_WORK_TABLE)
        return ISOMAT_OK;
    int32_t status = im_workspace_pin(pointer, workspace, bytes, zero_bytes);
    if (status != ISOMAT_OK)
        return status;
    workspace->buffers[buffer].pointer = *pointer;
    workspace->buffers[buffer].bytes = bytes;
    return ISOMAT_OK;
}

/* ------------------------------------------------------------------ buffers */

int32_t im_workspace_reserve(CUdeviceptr *pointer, struct im_workspace *workspace, enum im_work_buffer buffer,
                             int64_t bytes, int64_t zero_bytes, struct im_stream *stream)
{
    CUdeviceptr larger = 0;
    if (stream->recording)
        return reserve_captured(pointer, workspace, buffer, bytes, zero_bytes);
    *pointer = workspace->buffers[buffer].pointer;
    if (workspace->buffers[buffer].bytes >= bytes)
        return ISOMAT_OK;
    int32_t status = im_memory_allocate(&larger, bytes, stream);
    if (status != ISOMAT_OK)
        return status;
    if (zero_bytes > 0)
        status = IM_CALL(cuMemsetD8Async, larger, 0, (size_t)zero_bytes, stream->cu);
    if (status == ISOMAT_OK && *pointer)
        status = im_memory_free(*pointer, stream);
    if (status != ISOMAT_OK) {
        im_memory_free(larger, stream);
        return status;
    }
    workspace->buffers[buffer].pointer = *pointer = larger;
    workspace->buffers[buffer].bytes = bytes;
    return ISOMAT_OK;
}

int32_t im_workspace_fill_table(struct im_workspace *workspace, const void *table, int64_t bytes,
                                struct im_stream *stream)
{
    const struct im_copy_2d copy = {
        .destination = workspace->buffers[IM_WORK_TABLE].pointer,
        .destination_pitch_bytes = bytes,
        .source = (uint64_t)(uintptr_t)table,
        .source_pitch_bytes = bytes,
        .width_bytes = bytes,
        .rows = 1,
        .direction = ISOMAT_COPY_TO_DEVICE,
    };
    return im_memory_copy(&copy, im_stream_now(stream));
}

int32_t im_workspace_end(struct im_workspace *workspace, int32_t status, struct im_stream *stream)
{
    if (stream->recording) {
        pthread_mutex_unlock(&workspace->lock);
        return status;
    }
    /* The default stream is there as long as the workspace, and can be asked later. */
    int32_t recorded = stream->serial == 0 ? ISOMAT_OK : IM_CALL(cuEventRecord, workspace->done, stream->cu);
    workspace->last = stream->serial;
    pthread_mutex_unlock(&workspace->lock);
    return status == ISOMAT_OK ? recorded : status;
}
