/* SPDX-License-Identifier: MIT */
/* driver.h: the driver's objects, and the way into every API function. */
#ifndef HOSTDRIVER_DRIVER_H
#define HOSTDRIVER_DRIVER_H

#include <stdbool.h>

#include "../lib/cuda_abi.h"
#include "arena.h"
#include "execute.h"
#include "functions.h"
#include "ptx.h"

enum { DEVICES_MAX = 16, STACK_MAX = 128, VERSION = 13000, STREAM_NON_BLOCKING = 1 };

#define STREAM_LEGACY ((CUstream)(uintptr_t)1)
#define STREAM_PER_THREAD ((CUstream)(uintptr_t)2)

enum object_kind { OBJECT_CONTEXT, OBJECT_MODULE, OBJECT_FUNCTION, OBJECT_STREAM, OBJECT_EVENT, OBJECT_POOL };

/* The first member of each object.  A handle is looked up before it is
 * followed, so a stale one is an error and not a crash. */
struct object {
    enum object_kind kind;
    struct CUctx_st *context;
    struct object *next;
    uint64_t number;
};

struct CUctx_st {
    struct object object;
    CUdevice device;
    unsigned int flags;
    bool primary, alive;
    uint32_t retained; /* primary */
    CUresult sticky;   /* error that stays, of a kernel */
    /* Launches that run now, in all, in blocking streams, in the legacy one. */
    uint32_t running, blocking_running;
    bool legacy_running;
};

struct CUfunc_st {
    struct object object;
    struct CUmod_st *module;
    const struct program *program;
    uint32_t max_dynamic_shared;
    int carveout;
};

struct CUmod_st {
    struct object object;
    struct arena arena;
    struct ptx_module *ptx;
    struct CUfunc_st *functions;
    uint32_t function_count;
};

struct CUstream_st {
    struct object object;
    unsigned int flags;
    int priority;
    bool running;
};

struct CUevent_st {
    struct object object;
    unsigned int flags;
    bool recorded;
    uint64_t nanoseconds;
};

struct CUmemPoolHandle_st {
    struct object object;
    CUdevice device;
    bool is_default;
    uint64_t threshold, used, used_high, reserved, reserved_high;
    int reuse[3];
};

/* What is asked of the environment, once. */
struct configuration {
    uint32_t capability; /* 80 for 8.0 */
    int version, devices;
    uint64_t memory_bytes;
    uint32_t checks;        /* CHECK_* */
    double timeout_seconds; /* 0: a kernel may run for ever */
};

struct driver {
    bool configured, initialised;
    int pid;
    struct configuration configuration;
    struct object *objects;
    uint64_t created, grids;
    struct CUctx_st *primary[DEVICES_MAX];
    struct CUmemPoolHandle_st *default_pool[DEVICES_MAX], *current_pool[DEVICES_MAX];
    char fault_text[1024];
};

extern struct driver driver;

/* Every exported function begins with API(name, needs): it counts the call,
 * injects a fault, checks that the driver is initialised and has not been
 * carried over a fork, and holds the driver's lock until it returns. */
enum api_needs {
    NEEDS_NOTHING,
    NEEDS_INIT,
    NEEDS_CONTEXT, /* a living current context without a sticky error */
};

struct api_scope {
    CUresult result;
    bool locked;
};

struct api_scope api_enter(const char *name, enum api_needs needs);
void api_leave(struct api_scope *scope);
void api_lock(void);
void api_unlock(void);
/* Lets others in until some work ends; what was looked up before may be gone. */
void api_wait(void);
void api_wake(void);

#define API(name, needs)                                                                                     \
    struct api_scope scope __attribute__((cleanup(api_leave))) = api_enter(#name, needs);                    \
    if (scope.result != CUDA_SUCCESS)                                                                        \
    return scope.result

/* faults.c */
CUresult fault_injected(const char *name);
bool fault_hidden(const char *name);
void faults_configure(void);

/* objects.c */
void object_add(struct object *object, enum object_kind kind, struct CUctx_st *context);
void object_remove(struct object *object);
bool object_valid(const void *handle, enum object_kind kind);
/* Frees all that belongs to the context. */
void objects_release(struct CUctx_st *context);
struct CUctx_st *context_current(void);
bool context_push(struct CUctx_st *context);
void context_forget(struct CUctx_st *context);
CUresult context_check(const struct CUctx_st *context);
/* The context of a stream handle, the special ones included. */
CUresult stream_context(CUstream stream, struct CUctx_st **context);
/* order.c: the same once the stream's work, or all the context's, has ended. */
CUresult stream_enter(CUstream stream, struct CUctx_st **context);
CUresult context_enter(const struct CUctx_st *context);
bool stream_busy(CUstream stream, const struct CUctx_st *context);
/* Between these the driver's lock is not held. */
void work_begin(CUstream stream, struct CUctx_st *context);
void work_end(CUstream stream, struct CUctx_st *context);
/* What the pools of a device hold beyond their threshold goes back. */
void pools_synchronize(CUdevice device);
void module_release(struct CUmod_st *module);

uint64_t clock_nanoseconds(void);
int32_t shared_limit(bool opt_in);
/* How many blocks of the kernel are at home on one host thread. */
int blocks_per_multiprocessor(CUfunction function, uint64_t threads, uint64_t dynamic_shared);
int32_t device_attribute(CUdevice_attribute attribute, CUdevice device, bool *known);

#endif
