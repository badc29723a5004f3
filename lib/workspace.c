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

static int32_t create(struct im_workspace **workspace, struct im_context *context)
{
    struct im_workspace *created = calloc(1, sizeof *created);
    if (!created)
        return IM_OUT_OF_HOST_MEMORY("a workspace");
    int32_t status = IM_CALL(cuEventCreate, &created->done, CU_EVENT_DISABLE_TIMING);
    if (status != ISOMAT_OK) {
        free(created);
        return status;
    }
    created->attachment = (struct im_attachment){context->attachments, detach, trim};
    created->context = context;
    pthread_mutex_init(&created->lock, NULL);
    context->attachments = &created->attachment;
    context->workspace = *workspace = created;
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
        status = create(workspace, context);
    pthread_mutex_unlock(&context->load_lock);
    return status;
}

int32_t im_workspace_begin(struct im_workspace **workspace, struct im_stream *stream)
{
    int32_t status = get(workspace, stream->context);
    if (status != ISOMAT_OK)
        return status;
    struct im_workspace *mine = *workspace;
    pthread_mutex_lock(&mine->lock);
    if (im_stream_follows(stream, mine->last))
        return ISOMAT_OK;
    status = mine->last == 0 ? im_stream_wait_for(stream, &stream->context->default_stream)
                             : IM_CALL(cuStreamWaitEvent, stream->cu, mine->done, 0);
    if (status != ISOMAT_OK)
        pthread_mutex_unlock(&mine->lock);
    return status;
}

int32_t im_workspace_reserve(CUdeviceptr *pointer, struct im_workspace *workspace, enum im_work_buffer buffer,
                             int64_t bytes, int64_t zero_bytes, struct im_stream *stream)
{
    CUdeviceptr larger = 0;
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

int32_t im_workspace_end(struct im_workspace *workspace, int32_t status, struct im_stream *stream)
{
    /* The default stream is there as long as the workspace, and can be asked later. */
    int32_t recorded = stream->serial == 0 ? ISOMAT_OK : IM_CALL(cuEventRecord, workspace->done, stream->cu);
    workspace->last = stream->serial;
    pthread_mutex_unlock(&workspace->lock);
    return status == ISOMAT_OK ? recorded : status;
}
