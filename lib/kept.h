/* SPDX-License-Identifier: MIT */
/* kept.h: what multiplication made of a matrix, kept for the next time.
 *
 * A form is device memory derived from a rectangle of a root's elements.  A matrix that is used
 * again the same way gets one; it goes when the library writes the matrix, when the caller says
 * that somebody else did, under memory pressure, or when the context's limit needs the room, the
 * one not used for longest first.  Where others know the address and may write unseen, only forms
 * that the caller asked for are kept.
 *
 * A captured sequence uses none of these: they may be gone, or be of other elements, when it runs.  It
 * makes its own, each time that it runs, and keeps them from one of its products to the next. */
#ifndef ISOMAT_KEPT_H
#define ISOMAT_KEPT_H

#include "context.h"

struct im_matrix;

/* What a form is made of, and how. */
struct im_kept_key {
    CUdeviceptr pointer; /* of the rectangle's first element */
    int64_t rows, cols, ld;
    uint32_t kind; /* the maker's */
};

struct im_kept {
    struct im_kept *next_of_root;
    struct im_kept *next, **link; /* of all that have memory, the one used last first */
    struct im_matrix *root;
    struct im_kept_key key;
    CUdeviceptr pointer; /* 0: so far only seen, not kept */
    int64_t bytes;
    CUevent made;     /* behind the work that made it */
    uint64_t maker;   /* serial of the stream that the work is on */
    pthread_t thread; /* that makes it; others wait until it is ready */
    bool ready;
    int pins;
    bool prepared; /* the caller asked for it */
    bool dropped;  /* to be freed with the last pin */
    bool recorded; /* of a captured sequence, which has the memory */
};

enum im_kept_policy {
    IM_KEPT_FIND,     /* one that is there */
    IM_KEPT_IF_AGAIN, /* also a new one, if the same was asked for before */
    IM_KEPT_PREPARE,  /* also a new one; it is an error if there is no room */
};

/* Looks up a form of a matrix, or makes room for one, and pins it; *kept is NULL if there is none.
 * With *fresh the memory is new, its first zero_bytes zero: the caller makes the form on the
 * stream and calls im_kept_made; threads that ask for it meanwhile wait for that.  Otherwise the
 * stream has been ordered behind its maker.  The
 * context is current.  Fails only for IM_KEPT_PREPARE, or if the driver does. */
int32_t im_kept_get(struct im_kept **kept, bool *fresh, const struct im_matrix *matrix, uint32_t kind,
                    int64_t bytes, int64_t zero_bytes, enum im_kept_policy policy, struct im_stream *stream);

/* The work that makes a fresh form has been submitted. */
int32_t im_kept_made(struct im_kept *kept, struct im_stream *stream);

/* Gives the pin back; made is false if a fresh form was not made after all.  NULL is none. */
void im_kept_put(struct im_kept *kept, bool made);

/* Drops all forms of a root behind the work that uses them; the context is current. */
int32_t im_kept_drop(struct im_matrix *root);

/* The same at the end of a root's life; reachable tells whether the context is current. */
void im_kept_end(struct im_matrix *root, bool reachable);

/* Frees the forms of a context that are not in use; the context is current. */
void im_kept_drop_all(struct im_context *context);

/* What was captured so far goes on using a root's forms; what follows does not, for the root will have
 * been written. */
void im_kept_drop_recorded(struct im_recording *recording, const struct im_matrix *root);

/* Forgets all forms of a captured sequence. */
void im_kept_end_recorded(struct im_recording *recording);

#endif /* ISOMAT_KEPT_H */
