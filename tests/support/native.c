/* SPDX-License-Identifier: MIT */
/* native.c: the driver under test itself, past isomat: native objects, and the host driver's controls. */
#include <dlfcn.h>

#include "tests/support/device.h"

typedef uint32_t (*proc_address_function)(const char *name, void **function, int version, uint64_t flags,
                                          uint32_t *status);

#define LEGACY_STREAM 1 /* CU_GET_PROC_ADDRESS_LEGACY_STREAM */

/* The library that isomat opened; it is never closed, so the handle may be kept. */
static void *opened_library(void)
{
    static void *library;
    isomat_driver_info info = {.struct_size = sizeof(info)};

    if (library != NULL)
        return library;
    if (isomat_driver_get_info(&info) != ISOMAT_OK)
        return NULL;
    library = dlopen(info.path, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

static void missing(const char *name)
{
    fprintf(stderr, "the driver under test has no %s\n", name);
    exit(TEST_ERROR);
}

void *device_function(const char *name, int version)
{
    void *library = opened_library();
    void *function = NULL;
    uint32_t status = 0;
    proc_address_function get = NULL;

    if (library != NULL)
        *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
    if (get == NULL || get(name, &function, version, LEGACY_STREAM, &status) != 0 || function == NULL)
        missing(name);
    return function;
}

static void must(uint32_t result, const char *call)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s failed with CUresult %u\n", call, (unsigned)result);
    exit(TEST_ERROR);
}

uint64_t device_current_context(void)
{
    uint32_t (*get)(void **);
    void *context = NULL;

    *(void **)&get = device_function("cuCtxGetCurrent", 4000);
    must(get(&context), "cuCtxGetCurrent");
    return (uint64_t)(uintptr_t)context;
}

void device_push_context(uint64_t cu_context)
{
    uint32_t (*push)(void *);

    *(void **)&push = device_function("cuCtxPushCurrent", 4000);
    must(push((void *)(uintptr_t)cu_context), "cuCtxPushCurrent");
}

uint64_t device_pop_context(void)
{
    uint32_t (*pop)(void **);
    void *context = NULL;

    *(void **)&pop = device_function("cuCtxPopCurrent", 4000);
    must(pop(&context), "cuCtxPopCurrent");
    return (uint64_t)(uintptr_t)context;
}

uint64_t device_create_native_context(void)
{
    uint32_t (*create)(void **, unsigned int, int);
    void *context = NULL;

    *(void **)&create = device_function("cuCtxCreate", 3020);
    must(create(&context, 0, 0), "cuCtxCreate");
    return (uint64_t)(uintptr_t)context;
}

/* A function of one handle. */
static void destroy(const char *name, uint64_t handle)
{
    uint32_t (*function)(void *);

    *(void **)&function = device_function(name, 4000);
    must(function((void *)(uintptr_t)handle), name);
}

void device_destroy_native_context(uint64_t cu_context)
{
    destroy("cuCtxDestroy", cu_context);
}

uint64_t device_create_native_stream(void)
{
    uint32_t (*create)(void **, unsigned int, int);
    void *stream = NULL;

    *(void **)&create = device_function("cuStreamCreateWithPriority", 5050);
    must(create(&stream, 1, 0), "cuStreamCreateWithPriority");
    return (uint64_t)(uintptr_t)stream;
}

void device_destroy_native_stream(uint64_t cu_stream)
{
    destroy("cuStreamDestroy", cu_stream);
}

uint64_t device_allocate_native(size_t bytes)
{
    uint32_t (*allocate)(uint64_t *, size_t);
    uint64_t pointer = 0;

    *(void **)&allocate = device_function("cuMemAlloc", 3020);
    must(allocate(&pointer, bytes), "cuMemAlloc");
    return pointer;
}

void device_free_native(uint64_t pointer)
{
    uint32_t (*release)(uint64_t);

    *(void **)&release = device_function("cuMemFree", 3020);
    must(release(pointer), "cuMemFree");
}

uint64_t device_create_native_event(void)
{
    uint32_t (*create)(void **, unsigned int);
    void *event = NULL;

    *(void **)&create = device_function("cuEventCreate", 2000);
    must(create(&event, 0), "cuEventCreate");
    return (uint64_t)(uintptr_t)event;
}

void device_destroy_native_event(uint64_t cu_event)
{
    destroy("cuEventDestroy", cu_event);
}

/* ------------------------------------------------- the host driver's controls */

static void *host_library;

int device_load_host(void)
{
    const char *path = getenv("ISOMAT_HOSTDRIVER");

    if (path != NULL)
        host_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (host_library != NULL)
        return 0;
    fprintf(stderr, "ISOMAT_HOSTDRIVER does not name the host driver: %s\n",
            path != NULL ? path : "(not set)");
    return TEST_ERROR;
}

static void *control(const char *name)
{
    void *function;

    if (host_library == NULL)
        host_library = opened_library();
    function = host_library != NULL ? dlsym(host_library, name) : NULL;
    if (function == NULL)
        missing(name);
    return function;
}

int64_t device_host_objects(void)
{
    int64_t (*count)(void);

    *(void **)&count = control("isomat_hostdriver_live_objects");
    return count();
}

int64_t device_host_calls(const char *function)
{
    int64_t (*count)(const char *);

    *(void **)&count = control("isomat_hostdriver_call_count");
    return count(function);
}

void device_host_fault(const char *fault)
{
    int (*set)(const char *);

    *(void **)&set = control("isomat_hostdriver_set_fault");
    if (set(fault) != 0) {
        fprintf(stderr, "the host driver does not understand the fault %s\n", fault);
        exit(TEST_ERROR);
    }
}
