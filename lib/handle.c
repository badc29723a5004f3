/* SPDX-License-Identifier: MIT */
/* handle.c: the table of handles.
 *
 * A slot's state is one atomic word: references, whether the handle was
 * destroyed, generation and kind.  Looking a handle up is one compare and
 * exchange; only creation and the last release take a lock. */
#include "handle.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "driver.h"
#include "status.h"

#define CHUNK_SLOTS 4096u
#define CHUNK_COUNT 16384u
#define NO_SLOT UINT32_MAX

#define REFERENCES UINT64_C(0x7fffffff)
#define DESTROYED UINT64_C(0x80000000)
#define GENERATION_MAX UINT64_C(0xffffff)

struct slot {
    _Atomic uint64_t state; /* 0-30 references, 31 destroyed, 32-55 generation, 56-63 kind */
    struct im_object *object;
    uint32_t next_free;
};

static struct slot *_Atomic chunks[CHUNK_COUNT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t used_slots; /* slots ever given out */
static uint32_t first_free = NO_SLOT;
static _Atomic int64_t live;

static uint64_t generation_of(uint64_t word)
{
    return word >> 32 & GENERATION_MAX;
}

static uint64_t kind_of(uint64_t word)
{
    return word >> 56;
}

static struct slot *slot_at(uint32_t index)
{
    if (index / CHUNK_SLOTS >= CHUNK_COUNT)
        return NULL;
    struct slot *chunk = atomic_load_explicit(&chunks[index / CHUNK_SLOTS], memory_order_acquire);
    return chunk ? &chunk[index % CHUNK_SLOTS] : NULL;
}

/* Takes a free slot; the lock is held. */
static uint32_t take_slot(void)
{
    uint32_t index = first_free;
    if (index != NO_SLOT) {
        first_free = slot_at(index)->next_free;
        return index;
    }
    if (used_slots == CHUNK_SLOTS * CHUNK_COUNT)
        return NO_SLOT;
    if (used_slots % CHUNK_SLOTS == 0) {
        struct slot *chunk = calloc(CHUNK_SLOTS, sizeof *chunk);
        if (!chunk)
            return NO_SLOT;
        atomic_store_explicit(&chunks[used_slots / CHUNK_SLOTS], chunk, memory_order_release);
    }
    return used_slots++;
}

int32_t im_handle_create(uint64_t *handle, struct im_object *object, enum im_kind kind)
{
    pthread_mutex_lock(&lock);
    uint32_t index = take_slot();
    pthread_mutex_unlock(&lock);
    if (index == NO_SLOT)
        return IM_OUT_OF_HOST_MEMORY("a handle");

    struct slot *slot = slot_at(index);
    uint64_t generation = generation_of(atomic_load(&slot->state)) + 1;
    uint64_t identity = (uint64_t)kind << 56 | generation << 32;
    object->slot = index;
    slot->object = object;
    atomic_store_explicit(&slot->state, identity | 1, memory_order_release);
    atomic_fetch_add(&live, 1);
    *handle = identity | index;
    return ISOMAT_OK;
}

static const char *kind_name(uint64_t kind)
{
    static const char *const names[] = {"unknown", "context", "stream", "event",
                                        "module",  "kernel",  "matrix", "graph"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

static int32_t refuse(uint64_t handle, uint64_t state, enum im_kind kind)
{
    const char *wanted = kind_name(kind);
    if (handle == 0)
        return im_fail(ISOMAT_ERROR_INVALID_HANDLE, "the %s handle is 0", wanted);
    bool known = kind_of(handle) >= IM_KIND_CONTEXT && kind_of(handle) <= IM_KIND_GRAPH &&
                 generation_of(handle) >= 1 && generation_of(handle) <= generation_of(state);
    if (!known)
        return im_fail(ISOMAT_ERROR_INVALID_HANDLE, "0x%" PRIx64 " is no handle of isomat's", handle);
    if (kind_of(handle) != (uint64_t)kind)
        return im_fail(ISOMAT_ERROR_WRONG_KIND, "handle 0x%" PRIx64 " is a %s, not a %s", handle,
                       kind_name(kind_of(handle)), wanted);
    return im_fail(ISOMAT_ERROR_STALE_HANDLE, "%s 0x%" PRIx64 " has been destroyed", wanted, handle);
}

/* Whether a state belongs to this handle, and the handle is not destroyed. */
static bool matches(uint64_t handle, uint64_t state, enum im_kind kind)
{
    return kind_of(handle) == (uint64_t)kind && state >> 32 == handle >> 32 && !(state & DESTROYED) &&
           (state & REFERENCES) != 0;
}

int32_t im_handle_get(void *object_pointer, uint64_t handle, enum im_kind kind)
{
    if (im_driver_forked())
        return im_driver_fail_forked();
    struct slot *slot = slot_at((uint32_t)handle);
    if (!slot)
        return refuse(handle, 0, kind);
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
    do {
        if (!matches(handle, state, kind))
            return refuse(handle, state, kind);
    } while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1, memory_order_acq_rel,
                                                    memory_order_acquire));
    *(struct im_object **)object_pointer = slot->object;
    return ISOMAT_OK;
}

int32_t im_handle_destroy(uint64_t handle, enum im_kind kind)
{
    if (handle == 0)
        return ISOMAT_OK;
    struct slot *slot = slot_at((uint32_t)handle);
    if (!slot)
        return refuse(handle, 0, kind);
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
    do {
        if (!matches(handle, state, kind))
            return refuse(handle, state, kind);
    } while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state | DESTROYED,
                                                    memory_order_acq_rel, memory_order_acquire));
    im_object_unref(slot->object);
    return ISOMAT_OK;
}

void im_object_ref(struct im_object *object)
{
    atomic_fetch_add_explicit(&slot_at(object->slot)->state, 1, memory_order_relaxed);
}

void im_object_unref(struct im_object *object)
{
    uint32_t index = object->slot;
    struct slot *slot = slot_at(index);
    uint64_t state = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel) - 1;
    if ((state & REFERENCES) != 0)
        return;
    object->finalise(object);
    atomic_fetch_sub(&live, 1);
    /* A slot whose generations are used up is not used again. */
    if (generation_of(state) == GENERATION_MAX)
        return;
    pthread_mutex_lock(&lock);
    slot->next_free = first_free;
    first_free = index;
    pthread_mutex_unlock(&lock);
}

int64_t isomat_live_objects(void)
{
    return atomic_load(&live);
}
