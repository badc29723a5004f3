/* SPDX-License-Identifier: MIT */
/* context.h: contexts, and what each of them keeps. */
#ifndef ISOMAT_CONTEXT_H
#define ISOMAT_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "device.h"
#include "driver.h"
#include "handle.h"
#include "nvtx.h"
#include "recording.h"
#include "modules/table.h"

enum im_context_owner {
    IM_CONTEXT_PRIMARY, /* retained, to be released */
    IM_CONTEXT_OWN,     /* created or given away to us, to be destroyed */
    IM_CONTEXT_BORROWED,
};

#define IM_IN_FLIGHT 8

struct im_context;

/* Something of a layer above that ends with the context. */
struct im_attachment {
    struct im_attachment *next;
    /* Frees it; reachable tells whether the context is current, else the driver has let go of it. */
    void (*detach)(struct im_attachment *attachment, bool reachable);
    /* Gives back device memory that it can do without; the context is current and idle.  May be NULL. */
    void (*trim)(struct im_attachment *attachment);
};

struct im_stream {
    struct im_object object; /* unused in a context's default stream, which lives with the context */
    struct im_context *context;
    CUstream cu;
    bool owned;
    uint64_t serial;                    /* no other stream ever has the same; 0: a context's default stream */
    struct im_stream *_Atomic recorder; /* takes what is submitted here while it is captured, see graph.c */
    struct im_recording *recording;     /* of a recorder: what the captured work needs */
};

struct im_context {
    struct im_object object;
    CUdevice device;
    CUcontext cu;
    enum im_context_owner owner;
    struct im_device_limits limits;
    struct im_stream default_stream;
    CUmemoryPool pool; /* NULL where the device has none */

    /* Embedded modules and kernels, loaded when first used. */
    pthread_mutex_t load_lock; /* also of attachments */
    struct im_attachment *attachments;
    struct im_workspace *_Atomic workspace; /* one of them, see workspace.c */
    struct im_kept_store *_Atomic kept;     /* another, see kept.c */
    struct im_tuning *_Atomic tuning;       /* another, see tuning.c */
    struct im_loaded_module *_Atomic embedded[IM_EMBEDDED_COUNT];
    CUfunction _Atomic kernels[IM_KERNEL_COUNT];

    /* Streams that the driver captures; it must not be asked to wait for the context meanwhile. */
    _Atomic int32_t captures;

    /* Once a kernel has failed, nothing in the context works any more. */
    _Atomic bool lost;
    char lost_message[512]; /* written before lost is set */
    pthread_mutex_t lost_lock;
    const char *_Atomic in_flight[IM_IN_FLIGHT]; /* kernels since the last synchronisation, a ring */
    _Atomic uint32_t launches;
};

/* Waits for the context and gives back what device memory it can do without, all but
 * keep_bytes of the pool; the context is current. */
int32_t im_context_trim(struct im_context *context, size_t keep_bytes);

/* The caller's current context, put aside while one of ours is current. */
struct im_scope {
    struct im_context *context;
    bool pushed;
};

/* Makes a context current.  Fails if the context is lost. */
int32_t im_scope_enter(struct im_scope *scope, struct im_context *context);

/* Restores the caller's current context and returns status; if that is the
 * failure of a kernel, the context is lost from now on. */
int32_t im_scope_leave(struct im_scope *scope, int32_t status);

/* As im_scope_enter and _leave for clean-up: nothing fails, a lost context may
 * still be entered. */
bool im_scope_enter_quietly(struct im_scope *scope, struct im_context *context);
void im_scope_leave_quietly(struct im_scope *scope);

/* Remembers a kernel (a string that stays) for the message of a lost context. */
void im_context_note_launch(struct im_context *context, const char *kernel);

/* Looks up the stream of a context to submit work to, its recorder while it is captured; ISOMAT_NONE
 * is the default stream.  CONTEXT_MISMATCH if it is of another one.  Release with im_stream_release. */
int32_t im_stream_get(struct im_stream **stream, uint64_t handle, struct im_context *context);

/* The same for the stream itself. */
int32_t im_stream_find(struct im_stream **stream, uint64_t handle, struct im_context *context);

/* Gives a stream a recorder, whose reference it takes over; false if it has one. */
bool im_stream_set_recorder(struct im_stream *stream, struct im_stream *recorder);

/* Takes it away with the reference; NULL if there is none. */
struct im_stream *im_stream_take_recorder(struct im_stream *stream);

/* For what cannot be part of a captured sequence. */
int32_t im_stream_fail_captured(const char *what);

/* Where to do at once what a captured sequence needs once; else the stream itself. */
static inline struct im_stream *im_stream_now(struct im_stream *stream)
{
    return stream->recording ? &stream->context->default_stream : stream;
}

void im_stream_ref(struct im_stream *stream);
void im_stream_release(struct im_stream *stream);

/* Whether work on a stream comes after what was submitted on the stream of that serial without more
 * ado.  Not on one that was adopted: the driver's per-thread default stream is many. */
static inline bool im_stream_follows(const struct im_stream *stream, uint64_t serial)
{
    return stream->serial == serial && (stream->owned || serial == 0);
}

/* Makes stream wait for what was submitted to another one so far.  A context
 * must be current. */
int32_t im_stream_wait_for(struct im_stream *stream, const struct im_stream *other);

static inline int32_t im_context_get(struct im_context **context, uint64_t handle)
{
    return im_handle_get(context, handle, IM_KIND_CONTEXT);
}

static inline void im_context_release(struct im_context *context)
{
    im_object_unref(&context->object);
}

#endif /* ISOMAT_CONTEXT_H */
