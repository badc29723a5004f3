/* SPDX-License-Identifier: MIT */
/* handle.h: 64-bit handles for objects that hosts may free twice or late.
 *
 * A handle is kind (8 bits), generation (24 bits) and slot (32 bits).  A slot
 * is used again with the next generation, so an old handle is recognised.  An
 * object lives while its handle does, or while anything refers to it. */
#ifndef ISOMAT_HANDLE_H
#define ISOMAT_HANDLE_H

#include <stdint.h>

enum im_kind {
    IM_KIND_CONTEXT = 1,
    IM_KIND_STREAM,
    IM_KIND_EVENT,
    IM_KIND_MODULE,
    IM_KIND_KERNEL,
    IM_KIND_MATRIX,
    IM_KIND_GRAPH,
};

/* The first member of every object. */
struct im_object {
    uint32_t slot;
    void (*finalise)(struct im_object *object); /* frees it; runs once, when nothing refers to it */
};

/* Gives an object a handle, and the handle a reference to it. */
int32_t im_handle_create(uint64_t *handle, struct im_object *object, enum im_kind kind);

/* Looks an object up and takes a reference.  Fails in a forked child. */
int32_t im_handle_get(void *object_pointer, uint64_t handle, enum im_kind kind);

/* Ends a handle and drops its reference; 0 is nothing to do. */
int32_t im_handle_destroy(uint64_t handle, enum im_kind kind);

/* Take and drop a reference of an object that is known to live. */
void im_object_ref(struct im_object *object);
void im_object_unref(struct im_object *object);

#endif /* ISOMAT_HANDLE_H */
