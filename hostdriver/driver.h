/* SPDX-License-Identifier: MIT */
/* driver.h: the driver's objects, and the way into every API function. */
#ifndef HOSTDRIVER_DRIVER_H
#define HOSTDRIVER_DRIVER_H

#include <stdbool.h>

#include "arena.h"
#include "execute.h"
#include "functions.h"
#include "site.h"
#include "ptx.h"

enum { DEVICES_MAX = 16, STACK_MAX = 128, VERSION = 13000, STREAM_NON_BLOCKING = 1 };

#define STREAM_LEGACY ((CUstream)(uintptr_t)1)
#define STREAM_PER_THREAD ((CUstream)(uintptr_t)2)

enum object_kind {
    OBJECT_CONTEXT,
    OBJECT_MODULE,
    OBJECT_FUNCTION,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_POOL,
    OBJECT_GRAPH,
    OBJECT_GRAPH_EXEC
};

/* The first member of each object.  A handle is looked up before it is
 * followed, so a stale one is an error and not a crash. */
struct object {
    enum object_kind kind;
    struct CUctx_st *context;
    struct object *next;
    uint64_t number;
    struct site site;
};

struct capture;
struct operation;
struct marker;
struct CUgraphNode_st;

struct CUstream_st {
    struct object object;
    unsigned int flags;
    int priority;
    /* order.c: what was submitted and is not done, the first running or next. */
    struct operation *first, *last;
    bool running, destroyed;
    struct CUstream_st *next_busy;
    /* objects.c: a thread's default stream. */
    struct CUstream_st *next_thread;
    const void *thread;
    /* capture.c: NULL, or what the stream records into, behind which nodes. */
    struct capture *capture;
    struct CUgraphNode_st **heads;
    size_t head_count;
};

struct CUctx_st {
    struct object object;
    CUdevice device;
    unsigned int flags;
    bool primary, alive;
    uint32_t retained;                      /* primary */
    uint32_t attached;                      /* own: cuCtxAttach */
    uint32_t peers;                         /* devices whose memory it was given access to */
    CUresult sticky;                        /* error that stays, of a kernel */
    struct CUstream_st legacy, *of_threads; /* the default streams */
};

struct CUfunc_st {
    struct object object;
    struct CUmod_st *module;
    const struct program *program;
    uint32_t max_dynamic_shared;
    int carveout;
    /* api_old_launch.c */
    uint32_t old_block[3], old_shared_bytes;
    uint8_t *old_params;
};

struct CUmod_st {
    struct object object;
    struct arena arena;
    struct ptx_module *ptx;
    struct CUfunc_st *functions;
    uint32_t function_count;
};

struct CUevent_st {
    struct object object;
    unsigned int flags;
    struct marker *marker; /* of the latest record; NULL: none yet */
    /* Recorded in a stream that is captured: these nodes. */
    struct capture *capture;
    struct CUgraphNode_st **heads;
    size_t head_count;
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
    bool leaks;             /* what a context leaves behind is reported */
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
    struct CUstream_st *busy; /* streams with work */
    uint64_t tickets;         /* operations submitted */
    CUresult lost;            /* the device, on demand */
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
    CUresult result, later; /* later: on demand, the context's error once the call is done */
    bool locked;
};

struct api_scope api_enter(const char *name, enum api_needs needs);
void api_leave(struct api_scope *scope);
void api_lock(void);
void api_unlock(void);
/* Lets others in until something is done; what was looked up before may be gone. */
void api_wait(void);
void api_wake(void);
/* The same for the threads that serve the streams. */
void api_wait_for_work(void);
void api_call_server(void);
/* What this thread runs now may not call the driver. */
void api_forbid(bool now);

#define API(name, needs)                                                                                     \
    struct api_scope scope __attribute__((cleanup(api_leave))) = api_enter(#name, needs);                    \
    if (scope.result != CUDA_SUCCESS)                                                                        \
    return scope.result

/* faults.c: whether and how this call is to fail. */
enum fault_when { FAULT_NOW, FAULT_LATER, FAULT_LOST };
CUresult fault_injected(const char *name, enum fault_when *when);
bool fault_hidden(const char *name);
void faults_configure(void);

/* objects.c */
void object_add(struct object *object, enum object_kind kind, struct CUctx_st *context);
void object_remove(struct object *object);
bool object_valid(const void *handle, enum object_kind kind);
/* Frees all that belongs to the context, once its work has ended. */
void objects_release(struct CUctx_st *context);
uint32_t object_holds(const struct object *object);
bool memory_is_user(const struct allocation *allocation);
/* api_virtual.c: is the address in a reserved range? */
bool memory_reserved(uint64_t address);
int64_t virtual_objects(void);
/* report.c: on standard error, what the context still has. */
void leaks_report(const struct CUctx_st *context);
uint64_t memory_alloc_waiting(uint64_t bytes, enum region_owner owner, struct CUctx_st *context, void *pool);
void context_init(struct CUctx_st *context, CUdevice device, unsigned int flags, bool primary);
struct CUctx_st *context_current(void);
/* The calling thread's default stream, made when it is first asked for; NULL: out of memory. */
struct CUstream_st *context_thread_stream(struct CUctx_st *context);
/* api_per_thread.c: is it what no stream means in this call? */
bool default_is_per_thread(void);
bool context_push(struct CUctx_st *context);
void context_forget(struct CUctx_st *context);
CUresult context_check(const struct CUctx_st *context);
bool device_valid(CUdevice device);

/* order.c */
/* The stream of a handle, the special ones included, if its context is well. */
CUresult stream_find(CUstream handle, struct CUstream_st **stream);
/* Waits for what has been submitted: to the stream, or to the context. */
CUresult stream_wait(struct CUstream_st *stream);
CUresult context_wait(struct CUctx_st *context);
void contexts_wait(void); /* for all of them */
bool stream_busy(const struct CUstream_st *stream);
bool stream_blocking(const struct CUstream_st *stream);
/* Once its work has ended. */
void stream_release(struct CUstream_st *stream);
void event_release(struct CUevent_st *event);

/* What the pools of a device hold beyond their threshold goes back. */
void pools_synchronize(CUdevice device);
void module_release(struct CUmod_st *module);

uint64_t clock_nanoseconds(void);
int32_t shared_limit(bool opt_in);
/* How many blocks of the kernel are at home on one host thread. */
int blocks_per_multiprocessor(CUfunction function, uint64_t threads, uint64_t dynamic_shared);
int32_t device_attribute(CUdevice_attribute attribute, CUdevice device, bool *known);

#endif
