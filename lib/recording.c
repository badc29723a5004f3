/* SPDX-License-Identifier: MIT */
/* recording.c: the objects that a captured sequence of operations needs. */
#include "recording.h"

#include <stdlib.h>

#include "status.h"

#define LOOK_BACK 16 /* a sequence often comes back to the same few objects */

void im_recording_begin(struct im_recording *recording)
{
    pthread_mutex_init(&recording->lock, NULL);
}

static struct im_recorded *find_recent(struct im_recording *recording, const struct im_object *object)
{
    for (int64_t i = recording->count; i > 0 && i > recording->count - LOOK_BACK; i--)
        if (recording->objects[i - 1].object == object)
            return &recording->objects[i - 1];
    return NULL;
}

static int32_t add(struct im_recording *recording, struct im_object *object, enum im_recorded_use use)
{
    struct im_recorded *found = find_recent(recording, object);
    if (found) {
        found->use = use > found->use ? use : found->use;
        return ISOMAT_OK;
    }
    if (recording->count == recording->capacity) {
        int64_t capacity = recording->capacity ? 2 * recording->capacity : 64;
        struct im_recorded *more = realloc(recording->objects, (size_t)capacity * sizeof *more);
        if (!more)
            return IM_OUT_OF_HOST_MEMORY("a captured sequence");
        recording->objects = more;
        recording->capacity = capacity;
    }
    im_object_ref(object);
    recording->objects[recording->count++] = (struct im_recorded){object, use};
    return ISOMAT_OK;
}

int32_t im_recording_add(struct im_recording *recording, struct im_object *object, enum im_recorded_use use)
{
    pthread_mutex_lock(&recording->lock);
    int32_t status = recording->closed ? im_fail(ISOMAT_ERROR_CAPTURE, "the capture was ended meanwhile")
                                       : add(recording, object, use);
    pthread_mutex_unlock(&recording->lock);
    return status;
}

/* Of one object the strongest use first. */
static int compare(const void *left, const void *right)
{
    const struct im_recorded *a = left;
    const struct im_recorded *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return (int)b->use - (int)a->use;
}

void im_recording_close(struct im_recording *recording)
{
    int64_t kept = 0;
    pthread_mutex_lock(&recording->lock);
    recording->closed = true;
    if (recording->count > 0)
        qsort(recording->objects, (size_t)recording->count, sizeof *recording->objects, compare);
    for (int64_t i = 0; i < recording->count; i++) {
        if (kept > 0 && recording->objects[kept - 1].object == recording->objects[i].object)
            im_object_unref(recording->objects[i].object);
        else
            recording->objects[kept++] = recording->objects[i];
    }
    recording->count = kept;
    pthread_mutex_unlock(&recording->lock);
}

void im_recording_end(struct im_recording *recording)
{
    for (int64_t i = 0; i < recording->count; i++)
        im_object_unref(recording->objects[i].object);
    free(recording->objects);
    pthread_mutex_destroy(&recording->lock);
}
