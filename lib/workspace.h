/* SPDX-License-Identifier: MIT */
/* workspace.h: device memory that products need while they run, kept by the context.
 *
 * One product after another uses it; one on another stream waits for the one before.  Buffers
 * grow on demand and go back under memory pressure. */
#ifndef ISOMAT_WORKSPACE_H
#define ISOMAT_WORKSPACE_H

#include "context.h"

/* Each use has a buffer of its own, so that what one leaves zero stays so. */
enum im_work_buffer {
    IM_WORK_SPLIT_A, /* split forms of the operands */
    IM_WORK_SPLIT_B,
    IM_WORK_PACK_A, /* operands with rows that tensor copies take */
    IM_WORK_PACK_B,
    IM_WORK_SM90,    /* words by which blocks of the Hopper kernels meet */
    IM_WORK_PARTIAL, /* sums over parts of k */
    IM_WORK_TABLE,   /* of products in one launch */
    IM_WORK_BUFFERS
};

struct im_workspace;

/* Locks the stream's context's workspace, or the captured sequence's own, and orders the stream behind
 * its last user; the context is current.  On success im_workspace_end must follow. */
int32_t im_workspace_begin(struct im_workspace **workspace, struct im_stream *stream);

/* Makes a buffer hold so many bytes; when it is new the first zero_bytes are zero.  What it held
 * may be lost.  OUT_OF_DEVICE_MEMORY if there is no room even without kept memory. */
int32_t im_workspace_reserve(CUdeviceptr *pointer, struct im_workspace *workspace, enum im_work_buffer buffer,
                             int64_t bytes, int64_t zero_bytes, struct im_stream *stream);

/* Fills IM_WORK_TABLE, reserved before, from the host's memory, which is free again afterwards; in a
 * captured sequence once and for all. */
int32_t im_workspace_fill_table(struct im_workspace *workspace, const void *table, int64_t bytes,
                                struct im_stream *stream);

/* Marks the end of what uses it, also where that failed half-way, and unlocks it.  Returns status, or
 * the driver's failure. */
int32_t im_workspace_end(struct im_workspace *workspace, int32_t status, struct im_stream *stream);

/* A captured sequence has a workspace of its own, whose memory stays where it is.  What it needs once
 * is done on the context's default stream. */
int32_t im_workspace_create(struct im_workspace **workspace, struct im_context *context);

/* Frees its memory behind its last use, if the context is current. */
void im_workspace_destroy(struct im_workspace *workspace, bool reachable);

/* As im_workspace_begin for one that is known. */
int32_t im_workspace_enter(struct im_workspace *workspace, struct im_stream *stream);

/* Memory of a captured sequence, beside its buffers; locked, as between begin and end. */
int32_t im_workspace_pin(CUdeviceptr *pointer, struct im_workspace *workspace, int64_t bytes,
                         int64_t zero_bytes);

/* Bytes of all its memory. */
int64_t im_workspace_bytes(struct im_workspace *workspace);

#endif /* ISOMAT_WORKSPACE_H */
