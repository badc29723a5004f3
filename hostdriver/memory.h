/* SPDX-License-Identifier: MIT */
/* memory.h: the device's address space.
 *
 * Device addresses lie in a range reserved without access, and their contents
 * at a constant distance from it: a host that follows a device pointer faults,
 * as it does with a GPU, and translation is one addition.
 */
#ifndef HOSTDRIVER_MEMORY_H
#define HOSTDRIVER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "site.h"

/* A piece of memory that kernels may touch. */
struct region {
    uint64_t low, bytes;
    int64_t delta; /* host address minus device address */
};

enum region_owner {
    OWNER_USER,
    OWNER_MODULE,
    OWNER_HOST,
    OWNER_REGISTERED,
    OWNER_MANAGED, /* of both sides, at one address */
    OWNER_MAPPED,  /* a reserved range with memory mapped to it */
    OWNER_GRAPH    /* of an allocation node */
};

struct allocation {
    struct region region;
    enum region_owner owner;
    void *context;
    void *pool;      /* NULL: not from a pool */
    uint64_t number; /* of creation, for reports */
    bool freed;      /* in the order of a stream that has not come to it */
    struct site site;
};

/* Reserves the range: false if the host cannot. */
bool memory_init(uint64_t bytes);
uint64_t memory_total(void);
uint64_t memory_used(void);
/* Memory of the device that is elsewhere: more or less of it. */
void memory_use(int64_t bytes);
/* Start of the reserved range, where the windows are. */
uint64_t memory_base(void);

/* 0 when there is no room. Addresses are multiples of 256. */
uint64_t memory_alloc(uint64_t bytes, enum region_owner owner, void *context, void *pool);
bool memory_add_host(void *pointer, uint64_t bytes, enum region_owner owner, void *context);
/* A region that is somewhere else. */
bool memory_add(struct region region, enum region_owner owner, void *context);
/* Forgets the allocation that begins at address; false if none does. */
bool memory_free(uint64_t address);

/* ISOMAT_HOST_CHECK=memory: from now on freed memory is given out again as late as can be, and remembered. */
void memory_keep_freed(void);
/* What was freed and held address, or NULL. */
const struct region *memory_freed(uint64_t address);

/* For kernels, which run beside changes: the region that holds address. */
bool memory_region(uint64_t address, struct region *region);

/* The allocation that holds address, or NULL. Valid until the next change; the
 * driver's lock keeps changes away. */
struct allocation *memory_find(uint64_t address);
struct allocation *memory_at(size_t index);
size_t memory_count(void);

/* Host address of bytes at a device address, NULL if they are not all in one
 * allocation, or in neighbours that are neighbours in host memory too. */
void *memory_translate(uint64_t address, uint64_t bytes);

#endif
