/* SPDX-License-Identifier: MIT */
/* recording.h: what a captured sequence of operations needs, now and at each launch. */
#ifndef ISOMAT_RECORDING_H
#define ISOMAT_RECORDING_H

#include <pthread.h>
#include <stdbool.h>

#include "handle.h"

struct im_workspace;
struct im_kept;

enum im_recorded_use {
    IM_RECORDED_HELD, /* to be kept alive */
    IM_RECORDED_READ, /* a matrix, never a view */
    IM_RECORDED_WRITTEN,
};

struct im_recorded {
    struct im_object *object; /* with a reference */
    enum im_recorded_use use;
};

struct im_recording {
    pthread_mutex_t lock; /* of all but the workspace, which has its own */
    bool closed;          /* nothing is added any more */
    struct im_recorded *objects;
    int64_t count, capacity;
    struct im_workspace *workspace; /* see workspace.h */
    struct im_kept *forms;          /* see kept.h */
};

void im_recording_begin(struct im_recording *recording);

/* Remembers an object, and keeps it. */
int32_t im_recording_add(struct im_recording *recording, struct im_object *object, enum im_recorded_use use);

/* No more is added; each object stands once in the list, with all that is done to it. */
void im_recording_close(struct im_recording *recording);

/* Lets go of all objects. */
void im_recording_end(struct im_recording *recording);

#endif /* ISOMAT_RECORDING_H */
