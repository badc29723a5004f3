/* SPDX-License-Identifier: MIT */
/* memory.c: the device's address space. */
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GRANULE = 256, WINDOWS = 0x04000000, RETURN_BYTES = 1 << 20, FREED_MOST = 1024 };

static struct {
    uint64_t base, total, used, created;
    uint64_t cursor;                 /* where the search for room begins, or 0: in front */
    struct region freed[FREED_MOST]; /* the last ones, if they are kept */
    size_t freed_count;
    bool keeps_freed;
    int64_t delta;
    struct allocation *list; /* by address */
    size_t count, capacity;
} space;

bool memory_init(uint64_t bytes)
{
    if (space.base != 0)
        return true;
    bytes = (bytes + 0x1fffff) & ~(uint64_t)0x1fffff;
    void *front = mmap(NULL, WINDOWS + bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *back =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (front == MAP_FAILED || back == MAP_FAILED) {
        if (front != MAP_FAILED)
            munmap(front, WINDOWS + bytes);
        if (back != MAP_FAILED)
            munmap(back, bytes);
        return false;
    }
    /* Core files and children need no copy of it. */
    madvise(back, bytes, MADV_DONTDUMP);
    space.base = (uint64_t)(uintptr_t)front;
    space.total = bytes;
    space.delta = (int64_t)((uintptr_t)back - (uintptr_t)front - WINDOWS);
    return true;
}

/* Held by those who change the list, and by kernels that read it. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

uint64_t memory_total(void)
{
    return space.total;
}
uint64_t memory_used(void)
{
    return space.used;
}
void memory_use(int64_t bytes)
{
    space.used += (uint64_t)bytes;
}
uint64_t memory_base(void)
{
    return space.base;
}
size_t memory_count(void)
{
    return space.count;
}
struct allocation *memory_at(size_t index)
{
    return &space.list[index];
}

/* Index of the first allocation that begins after address. */
static size_t upper(uint64_t address)
{
    size_t low = 0, high = space.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (space.list[middle].region.low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *memory_find(uint64_t address)
{
    size_t i = upper(address);

    if (i == 0)
        return NULL;
    struct allocation *found = &space.list[i - 1];
    return address - found->region.low < found->region.bytes ? found : NULL;
}

bool memory_region(uint64_t address, struct region *region)
{
    pthread_rwlock_rdlock(&lock);
    const struct allocation *found = memory_find(address);
    if (found != NULL)
        *region = found->region;
    pthread_rwlock_unlock(&lock);
    return found != NULL;
}

static bool insert_locked(size_t at, struct allocation allocation)
{
    if (space.count == space.capacity) {
        size_t capacity = space.capacity == 0 ? 64 : space.capacity * 2;
        struct allocation *list = realloc(space.list, capacity * sizeof *list);
        if (list == NULL)
            return false;
        space.list = list;
        space.capacity = capacity;
    }
    memmove(&space.list[at + 1], &space.list[at], (space.count - at) * sizeof *space.list);
    allocation.number = ++space.created;
    site_take(&allocation.site);
    space.list[at] = allocation;
    space.count++;
    return true;
}

static bool insert(size_t at, struct allocation allocation)
{
    pthread_rwlock_wrlock(&lock);
    bool inserted = insert_locked(at, allocation);
    pthread_rwlock_unlock(&lock);
    return inserted;
}

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + GRANULE - 1) & ~(uint64_t)(GRANULE - 1);
}

/* The first gap from start on: its address, or 0, and the index of what follows. */
static uint64_t find_room(uint64_t start, uint64_t bytes, size_t *index)
{
    uint64_t high = space.base + WINDOWS + space.total, at = start;
    size_t i = upper(start);

    if (i > 0 && space.list[i - 1].region.low + rounded(space.list[i - 1].region.bytes + 1) > start)
        at = space.list[i - 1].region.low + rounded(space.list[i - 1].region.bytes + 1);
    /* A granule more keeps one past the end out of the next allocation. */
    for (; i < space.count && space.list[i].region.low < high; i++) {
        if (space.list[i].region.low >= at && space.list[i].region.low - at >= rounded(bytes + 1))
            break;
        at = space.list[i].region.low + rounded(space.list[i].region.bytes + 1);
    }
    *index = i;
    return at < high && high - at >= rounded(bytes) ? at : 0;
}

uint64_t memory_alloc(uint64_t bytes, enum region_owner owner, void *context, void *pool)
{
    uint64_t low = space.base + WINDOWS, at = 0;
    size_t i = 0;

    if (bytes == 0 || bytes > space.total || space.used > space.total - bytes)
        return 0;
    if (space.cursor != 0)
        at = find_room(space.cursor, bytes, &i);
    if (at == 0)
        at = find_room(low, bytes, &i);
    struct allocation allocation = {
        .region = {at, bytes, space.delta}, .owner = owner, .context = context, .pool = pool};
    if (at == 0 || !insert(i, allocation))
        return 0;
    if (space.keeps_freed)
        space.cursor = at + rounded(bytes + 1);
    space.used += rounded(bytes);
    return at;
}

bool memory_add(struct region region, enum region_owner owner, void *context)
{
    size_t at = upper(region.low);

    if (at > 0 && region.low - space.list[at - 1].region.low < space.list[at - 1].region.bytes)
        return false;
    if (at < space.count && space.list[at].region.low - region.low < region.bytes)
        return false;
    return insert(at, (struct allocation){.region = region, .owner = owner, .context = context});
}

void memory_keep_freed(void)
{
    space.keeps_freed = true;
}

const struct region *memory_freed(uint64_t address)
{
    for (size_t i = space.freed_count; i-- > 0 && i + FREED_MOST >= space.freed_count;) {
        const struct region *region = &space.freed[i % FREED_MOST];
        if (address - region->low < region->bytes)
            return region;
    }
    return NULL;
}

bool memory_add_host(void *pointer, uint64_t bytes, enum region_owner owner, void *context)
{
    return memory_add((struct region){(uint64_t)(uintptr_t)pointer, bytes, 0}, owner, context);
}

bool memory_free(uint64_t address)
{
    size_t i = upper(address);

    if (i == 0 || space.list[i - 1].region.low != address)
        return false;
    struct region region = space.list[--i].region;
    if (region.delta == space.delta) {
        space.used -= rounded(region.bytes);
        /* Give whole pages back to the host. */
        uintptr_t from = (uintptr_t)(region.low + (uint64_t)region.delta), to = from + region.bytes;
        from = (from + 4095) & ~(uintptr_t)4095;
        to &= ~(uintptr_t)4095;
        if (to > from && to - from >= RETURN_BYTES)
            madvise((void *)from, to - from, MADV_DONTNEED);
    }
    if (space.keeps_freed)
        space.freed[space.freed_count++ % FREED_MOST] = region;
    pthread_rwlock_wrlock(&lock);
    memmove(&space.list[i], &space.list[i + 1], (--space.count - i) * sizeof *space.list);
    pthread_rwlock_unlock(&lock);
    return true;
}

void *memory_translate(uint64_t address, uint64_t bytes)
{
    const struct allocation *found = memory_find(address), *end = space.list + space.count;

    if (found == NULL)
        return NULL;
    void *host = (void *)(uintptr_t)(address + (uint64_t)found->region.delta);
    uint64_t room = found->region.bytes - (address - found->region.low);
    while (bytes > room) {
        const struct allocation *next = found + 1;
        if (next == end || found->owner != OWNER_MAPPED || next->owner != OWNER_MAPPED ||
            next->region.low != found->region.low + found->region.bytes ||
            next->region.delta != found->region.delta)
            return NULL;
        found = next;
        room += found->region.bytes;
    }
    return host;
}
