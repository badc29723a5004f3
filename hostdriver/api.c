/* SPDX-License-Identifier: MIT */
/* api.c: the way into every API function, initialisation, symbols, errors. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "per_thread.h"

enum { PER_THREAD = 2 }; /* a flag of cuGetProcAddress */

struct driver driver;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

/* In a function of the program that a stream calls. */
static _Thread_local bool forbidden;

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    char *end;

    if (text == NULL || *text == 0)
        return otherwise;
    uint64_t value = strtoull(text, &end, 0);
    switch (*end) {
    case 'K':
    case 'k':
        return value << 10;
    case 'M':
    case 'm':
        return value << 20;
    case 'G':
    case 'g':
        return value << 30;
    default:
        return end == text ? otherwise : value;
    }
}

/* "7.5", "75" or "sm_75" */
static uint32_t capability(void)
{
    const char *text = getenv("ISOMAT_HOST_CAPABILITY");
    uint32_t digits = 0;

    for (; text != NULL && *text != 0; text++)
        if (*text >= '0' && *text <= '9' && digits < 1000)
            digits = digits * 10 + (uint32_t)(*text - '0');
    return digits >= 50 && digits <= 130 ? digits : 80;
}

/* Much of memory and sync is always checked. */
static uint32_t checks(const char *text)
{
    uint32_t found = 0;

    if (text == NULL)
        return 0;
    if (strstr(text, "race") != NULL || strstr(text, "all") != NULL)
        found |= CHECK_RACE;
    if (strstr(text, "init") != NULL || strstr(text, "all") != NULL)
        found |= CHECK_INIT;
    if (strstr(text, "memory") != NULL || strstr(text, "all") != NULL)
        found |= CHECK_MEMORY;
    if (strstr(text, "sync") != NULL || strstr(text, "all") != NULL)
        found |= CHECK_SYNC;
    return found;
}

static void forget_lock(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&changed, NULL);
    pthread_cond_init(&work, NULL);
}

static void configure(void)
{
    struct configuration *to = &driver.configuration;

    driver.configured = true;
    to->capability = capability();
    to->version = (int)number_of("ISOMAT_HOST_DRIVER_VERSION", VERSION);
    uint64_t devices = number_of("ISOMAT_HOST_DEVICES", 1);
    to->devices = devices > DEVICES_MAX ? DEVICES_MAX : (int)devices;
    to->memory_bytes = number_of("ISOMAT_HOST_MEMORY", (uint64_t)8 << 30);
    const char *check = getenv("ISOMAT_HOST_CHECK");
    to->checks = checks(check);
    to->leaks = check != NULL && (strstr(check, "leak") != NULL || strstr(check, "all") != NULL);
    const char *timeout = getenv("ISOMAT_HOST_TIMEOUT");
    to->timeout_seconds = timeout != NULL ? strtod(timeout, NULL) : 0;
    /* A child may call before the parent has initialised the driver: it must
     * not find the lock as another thread happened to hold it. */
    pthread_atfork(NULL, NULL, forget_lock);
    faults_configure();
}

struct api_scope api_enter(const char *name, enum api_needs needs)
{
    struct api_scope scope = {CUDA_SUCCESS, CUDA_SUCCESS, false};
    enum fault_when when = FAULT_NOW;

    /* A child has neither the threads nor a lock in a known state. */
    if (__atomic_load_n(&driver.initialised, __ATOMIC_ACQUIRE) && driver.pid != (int)getpid()) {
        if (needs != NEEDS_NOTHING)
            scope.result = CUDA_ERROR_NOT_INITIALIZED;
        return scope;
    }
    if (forbidden && needs != NEEDS_NOTHING) {
        scope.result = CUDA_ERROR_NOT_PERMITTED;
        return scope;
    }
    pthread_mutex_lock(&mutex);
    scope.locked = true;
    if (!driver.configured)
        configure();
    site_enter(name);
    CUresult fault = fault_injected(name, &when);
    scope.later = when == FAULT_LATER ? fault : CUDA_SUCCESS;
    if (when == FAULT_LOST)
        driver.lost = fault;
    scope.result = when == FAULT_NOW ? fault : CUDA_SUCCESS;
    if (scope.result == CUDA_SUCCESS && needs != NEEDS_NOTHING)
        scope.result = driver.lost;
    if (scope.result == CUDA_SUCCESS && needs != NEEDS_NOTHING && !driver.initialised)
        scope.result = CUDA_ERROR_NOT_INITIALIZED;
    if (scope.result == CUDA_SUCCESS && needs == NEEDS_CONTEXT)
        scope.result = context_check(context_current());
    return scope;
}

void api_leave(struct api_scope *scope)
{
    struct CUctx_st *context = scope->later != CUDA_SUCCESS ? context_current() : NULL;

    if (context != NULL && context->sticky == CUDA_SUCCESS)
        context->sticky = scope->later;
    if (scope->locked)
        pthread_mutex_unlock(&mutex);
}

void api_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void api_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

void api_wait(void)
{
    pthread_cond_wait(&changed, &mutex);
}

void api_wake(void)
{
    pthread_cond_broadcast(&changed);
}

void api_wait_for_work(void)
{
    pthread_cond_wait(&work, &mutex);
}

void api_call_server(void)
{
    pthread_cond_signal(&work);
}

void api_forbid(bool now)
{
    forbidden = now;
}

uint64_t clock_nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

CUresult cuInit(unsigned int flags)
{
    if (__atomic_load_n(&driver.initialised, __ATOMIC_ACQUIRE) && driver.pid != (int)getpid())
        return CUDA_ERROR_NOT_INITIALIZED;
    API(cuInit, NEEDS_NOTHING);
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (driver.initialised)
        return CUDA_SUCCESS;
    if (driver.configuration.devices == 0)
        return CUDA_ERROR_NO_DEVICE;
    if (!memory_init(driver.configuration.memory_bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (driver.configuration.checks & CHECK_MEMORY)
        memory_keep_freed();
    driver.pid = (int)getpid();
    __atomic_store_n(&driver.initialised, true, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    API(cuDriverGetVersion, NEEDS_NOTHING);
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *version = driver.configuration.version;
    return CUDA_SUCCESS;
}

static const struct exported {
    const char *name, *symbol;
    int version;
    void (*function)(void);
} exported[] = {
#define X(name, symbol, version, parameters) {#name, #symbol, version, (void (*)(void))symbol},
    API_FUNCTIONS(X)
#undef X
#define X(name, symbol, version) {#name, #symbol, version, (void (*)(void))symbol},
        API_UNSUPPORTED(X)
#undef X
};

static const struct {
    void (*of)(void), (*function)(void);
} per_thread[] = {
#define X(symbol, function, parameters, arguments) {(void (*)(void))function, (void (*)(void))symbol},
    API_PER_THREAD(X)
#undef X
};

/* The newest form of the name that the asked version and the driver know. */
static CUresult find(const char *name, void **function, int version, cuuint64_t flags,
                     CUdriverProcAddressQueryResult *status)
{
    const struct exported *best = NULL;
    bool known = false;

    for (size_t i = 0; i < sizeof exported / sizeof *exported; i++) {
        const struct exported *entry = &exported[i];
        if (strcmp(entry->name, name) != 0 || entry->version > driver.configuration.version ||
            fault_hidden(entry->name) || fault_hidden(entry->symbol))
            continue;
        known = true;
        if (entry->version <= version && (best == NULL || entry->version > best->version))
            best = entry;
    }
    if (status != NULL)
        *status = best != NULL ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known      ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                               : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    *function = NULL;
    if (best != NULL)
        memcpy(function, &best->function, sizeof *function);
    for (size_t i = 0; best != NULL && flags == PER_THREAD && i < sizeof per_thread / sizeof *per_thread; i++)
        if (per_thread[i].of == best->function)
            memcpy(function, &per_thread[i].function, sizeof *function);
    return best != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags)
{
    API(cuGetProcAddress, NEEDS_NOTHING);
    if (symbol == NULL || *symbol == 0 || function == NULL || flags > PER_THREAD)
        return CUDA_ERROR_INVALID_VALUE;
    return find(symbol, function, version, flags, NULL);
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    API(cuGetProcAddress_v2, NEEDS_NOTHING);
    if (symbol == NULL || *symbol == 0 || function == NULL || flags > PER_THREAD)
        return CUDA_ERROR_INVALID_VALUE;
    CUdriverProcAddressQueryResult found;
    CUresult result = find(symbol, function, version, flags, &found);
    if (status == NULL)
        return result;
    /* With a status the call itself succeeds. */
    *status = found;
    return CUDA_SUCCESS;
}

static const struct {
    CUresult result;
    const char *name;
} results[] = {
#define X(name, value) {value, #name},
    CUDA_ABI_RESULTS(X)
#undef X
};

CUresult cuGetErrorName(CUresult error, const char **name)
{
    API(cuGetErrorName, NEEDS_NOTHING);
    if (name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].result == error)
            *name = results[i].name;
    return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Our own words for the errors that users meet; the name in words otherwise. */
static const struct {
    CUresult result;
    const char *text;
} texts[] = {
    {CUDA_SUCCESS, "no error"},
    {CUDA_ERROR_INVALID_VALUE, "an argument is out of range"},
    {CUDA_ERROR_OUT_OF_MEMORY, "out of device memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called in this process"},
    {CUDA_ERROR_NO_DEVICE, "no device"},
    {CUDA_ERROR_INVALID_DEVICE, "no such device"},
    {CUDA_ERROR_INVALID_IMAGE, "the module's image is damaged"},
    {CUDA_ERROR_INVALID_CONTEXT, "no context is current, or it is not valid"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "the module holds no code for this device"},
    {CUDA_ERROR_INVALID_PTX, "the PTX could not be compiled"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the PTX is newer than the driver"},
    {CUDA_ERROR_INVALID_HANDLE, "a handle is not valid"},
    {CUDA_ERROR_NOT_FOUND, "the name was not found"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel touched memory that is not allocated"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the launch needs more than the device has"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context has been destroyed"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "a kernel executed an illegal instruction"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "a kernel used a misaligned address"},
    {CUDA_ERROR_LAUNCH_FAILED, "a kernel failed"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "a kernel ran longer than ISOMAT_HOST_TIMEOUT allows"},
    {CUDA_ERROR_ASSERT, "an assertion in a kernel failed"},
    {CUDA_ERROR_NOT_SUPPORTED, "not supported"},
};

CUresult cuGetErrorString(CUresult error, const char **text)
{
    API(cuGetErrorString, NEEDS_NOTHING);
    if (text == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].result == error)
            *text = results[i].name;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].result == error)
            *text = texts[i].text;
    return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuProfilerStart(void)
{
    API(cuProfilerStart, NEEDS_CONTEXT);
    return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
    API(cuProfilerStop, NEEDS_CONTEXT);
    return CUDA_SUCCESS;
}

uint32_t isomat_hostdriver_version(void)
{
    return 1;
}
