/* SPDX-License-Identifier: MIT */
/* api_virtual.c: reserved addresses, memory by handle, and what is mapped where.
 *
 * A reserved range has a shadow of the same size in host memory.  Memory is an
 * anonymous file: mapping it maps the file into the shadow, so that two
 * mappings of one handle share their contents and neighbours stay neighbours.
 * Kernels may touch a mapping once access was set; the devices do not differ.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"

enum { PAGE = 2 << 20, TYPE_PINNED = 1, ACCESS_NONE = 0, ACCESS_READ_WRITE = 3 };

/* Of cuMemCreate; the handle is its address. */
struct physical {
    struct physical *next;
    CUmemAllocationProp properties;
    size_t bytes;
    uint32_t references, handles; /* mappings and handles; handles */
    int file;
};

struct mapping {
    struct mapping *next;
    uint64_t low;
    size_t bytes;
    struct physical *physical;
    bool accessible;
};

struct reservation {
    struct reservation *next;
    uint64_t low;
    size_t bytes;
    uint8_t *shadow;
    struct mapping *mappings;
};

static struct reservation *reservations;
static struct physical *physicals;

static struct reservation *find_range(uint64_t low, size_t bytes)
{
    struct reservation *range = reservations;

    while (range != NULL && (low < range->low || low - range->low >= range->bytes ||
                             bytes > range->bytes - (low - range->low)))
        range = range->next;
    return range;
}

bool memory_reserved(uint64_t address)
{
    return find_range(address, 1) != NULL;
}

static struct physical *find_physical(CUmemGenericAllocationHandle handle)
{
    struct physical *physical = physicals;

    while (physical != NULL && (uint64_t)(uintptr_t)physical != handle)
        physical = physical->next;
    return physical != NULL && physical->handles > 0 ? physical : NULL;
}

static void drop(struct physical *physical)
{
    struct physical **at = &physicals;

    if (--physical->references > 0)
        return;
    while (*at != physical)
        at = &(*at)->next;
    *at = physical->next;
    memory_use(-(int64_t)physical->bytes);
    close(physical->file);
    free(physical);
}

CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags)
{
    API(cuMemAddressReserve, NEEDS_INIT);
    (void)wanted; /* a hint */
    if (pointer == NULL || bytes == 0 || bytes % PAGE != 0 || flags != 0 ||
        (alignment & (alignment - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    alignment = alignment > PAGE ? alignment : PAGE;
    struct reservation *range = calloc(1, sizeof *range);
    /* Enough to cut an aligned piece out of. */
    uint8_t *front =
        bytes < SIZE_MAX / 2 - alignment
            ? mmap(NULL, bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            : MAP_FAILED;
    uint8_t *shadow = front != MAP_FAILED
                          ? mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                          : MAP_FAILED;
    if (range == NULL || shadow == MAP_FAILED) {
        if (shadow != MAP_FAILED)
            munmap(shadow, bytes);
        if (front != MAP_FAILED)
            munmap(front, bytes + alignment);
        free(range);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    uint8_t *low = front + (alignment - (uintptr_t)front % alignment) % alignment;
    if (low > front)
        munmap(front, (size_t)(low - front));
    if (low + bytes < front + bytes + alignment)
        munmap(low + bytes, (size_t)(front + alignment - low));
    *range = (struct reservation){reservations, (uint64_t)(uintptr_t)low, bytes, shadow, NULL};
    reservations = range;
    *pointer = range->low;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes)
{
    API(cuMemAddressFree, NEEDS_INIT);
    struct reservation **at = &reservations, *range = find_range(pointer, bytes);
    if (range == NULL || range->low != pointer || range->bytes != bytes || range->mappings != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    while (*at != range)
        at = &(*at)->next;
    *at = range->next;
    munmap((void *)(uintptr_t)range->low, bytes);
    munmap(range->shadow, bytes);
    free(range);
    return CUDA_SUCCESS;
}

static CUresult check_properties(const CUmemAllocationProp *properties)
{
    if (properties == NULL || properties->type != TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    return device_valid(properties->location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       uint32_t option)
{
    API(cuMemGetAllocationGranularity, NEEDS_INIT);
    if (granularity == NULL || option > 1)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_properties(properties);
    if (result == CUDA_SUCCESS)
        *granularity = PAGE;
    return result;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags)
{
    API(cuMemCreate, NEEDS_INIT);
    if (handle == NULL || bytes == 0 || bytes % PAGE != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_properties(properties);
    if (result == CUDA_SUCCESS && properties->requestedHandleTypes != 0)
        result = CUDA_ERROR_NOT_SUPPORTED;
    if (result != CUDA_SUCCESS)
        return result;
    if (bytes > memory_total() - memory_used())
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct physical *physical = calloc(1, sizeof *physical);
    int file = memfd_create("isomat-hostdriver", MFD_CLOEXEC);
    if (physical == NULL || file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        if (file >= 0)
            close(file);
        free(physical);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *physical = (struct physical){physicals, *properties, bytes, 1, 1, file};
    physicals = physical;
    memory_use((int64_t)bytes);
    *handle = (uint64_t)(uintptr_t)physical;
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    API(cuMemRelease, NEEDS_INIT);
    struct physical *physical = find_physical(handle);
    if (physical == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    physical->handles--;
    drop(physical);
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    API(cuMemMap, NEEDS_INIT);
    struct reservation *range = find_range(pointer, bytes);
    struct physical *physical = find_physical(handle);
    if (range == NULL || physical == NULL || flags != 0 || offset != 0 || bytes != physical->bytes ||
        pointer % PAGE != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (const struct mapping *other = range->mappings; other != NULL; other = other->next)
        if (pointer < other->low + other->bytes && other->low < pointer + bytes)
            return CUDA_ERROR_INVALID_VALUE;
    struct mapping *mapping = calloc(1, sizeof *mapping);
    if (mapping == NULL || mmap(range->shadow + (pointer - range->low), bytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_FIXED, physical->file, 0) == MAP_FAILED) {
        free(mapping);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *mapping = (struct mapping){range->mappings, pointer, bytes, physical, false};
    range->mappings = mapping;
    physical->references++;
    return CUDA_SUCCESS;
}

/* The mappings of a range are those that lie wholly in it: bytes that they make up. */
static size_t mapped_bytes(const struct reservation *range, uint64_t low, size_t bytes)
{
    size_t sum = 0;

    for (const struct mapping *mapping = range->mappings; mapping != NULL; mapping = mapping->next)
        if (mapping->low >= low && mapping->low + mapping->bytes <= low + bytes)
            sum += mapping->bytes;
    return sum;
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes)
{
    API(cuMemUnmap, NEEDS_INIT);
    struct reservation *range = find_range(pointer, bytes);
    if (range == NULL || bytes == 0 || mapped_bytes(range, pointer, bytes) != bytes)
        return CUDA_ERROR_INVALID_VALUE;
    contexts_wait();
    for (struct mapping **at = &range->mappings, *mapping; (mapping = *at) != NULL;) {
        if (mapping->low < pointer || mapping->low + mapping->bytes > pointer + bytes) {
            at = &mapping->next;
            continue;
        }
        *at = mapping->next;
        if (mapping->accessible)
            memory_free(mapping->low);
        mmap(range->shadow + (mapping->low - range->low), mapping->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        drop(mapping->physical);
        free(mapping);
    }
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
    API(cuMemSetAccess, NEEDS_INIT);
    struct reservation *range = find_range(pointer, bytes);
    bool accessible = false;
    if (range == NULL || access == NULL || count == 0 || bytes == 0 ||
        mapped_bytes(range, pointer, bytes) != bytes)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device_valid(access[i].location.id) ||
            access[i].flags > ACCESS_READ_WRITE)
            return CUDA_ERROR_INVALID_VALUE;
        accessible = accessible || access[i].flags != ACCESS_NONE;
    }
    for (struct mapping *mapping = range->mappings; mapping != NULL; mapping = mapping->next) {
        if (mapping->low < pointer || mapping->low + mapping->bytes > pointer + bytes ||
            mapping->accessible == accessible)
            continue;
        int64_t delta = (int64_t)((uint64_t)(uintptr_t)range->shadow - range->low);
        if (!accessible)
            memory_free(mapping->low);
        else if (!memory_add((struct region){mapping->low, mapping->bytes, delta}, OWNER_MAPPED, NULL))
            return CUDA_ERROR_OUT_OF_MEMORY;
        mapping->accessible = accessible;
    }
    return CUDA_SUCCESS;
}

static struct mapping *find_mapping(uint64_t address)
{
    struct reservation *range = find_range(address, 1);
    struct mapping *mapping = range != NULL ? range->mappings : NULL;

    while (mapping != NULL && address - mapping->low >= mapping->bytes)
        mapping = mapping->next;
    return mapping;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr pointer)
{
    API(cuMemGetAccess, NEEDS_INIT);
    const struct mapping *mapping = find_mapping(pointer);
    if (flags == NULL || location == NULL || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !device_valid(location->id) || mapping == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = mapping->accessible ? ACCESS_READ_WRITE : ACCESS_NONE;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle handle)
{
    API(cuMemGetAllocationPropertiesFromHandle, NEEDS_INIT);
    const struct physical *physical = find_physical(handle);
    if (properties == NULL || physical == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *properties = physical->properties;
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    API(cuMemRetainAllocationHandle, NEEDS_INIT);
    const struct mapping *mapping = find_mapping((uint64_t)(uintptr_t)address);
    if (handle == NULL || mapping == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    mapping->physical->references++;
    mapping->physical->handles++;
    *handle = (uint64_t)(uintptr_t)mapping->physical;
    return CUDA_SUCCESS;
}

int64_t virtual_objects(void)
{
    int64_t count = 0;

    for (const struct physical *physical = physicals; physical != NULL; physical = physical->next)
        count += physical->handles;
    for (const struct reservation *range = reservations; range != NULL; range = range->next)
        count++;
    return count;
}
