/* SPDX-License-Identifier: MIT */
/* objects.c: the live objects, and the current contexts of each thread. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "work.h"

struct stack {
    struct CUctx_st *context[STACK_MAX];
    uint32_t depth;
};

void object_add(struct object *object, enum object_kind kind, struct CUctx_st *context)
{
    object->kind = kind;
    object->context = context;
    object->number = ++driver.created;
    site_take(&object->site);
    object->next = driver.objects;
    driver.objects = object;
}

void object_remove(struct object *object)
{
    for (struct object **at = &driver.objects; *at != NULL; at = &(*at)->next) {
        if (*at == object) {
            *at = object->next;
            return;
        }
    }
}

bool object_valid(const void *handle, enum object_kind kind)
{
    for (const struct object *object = driver.objects; object != NULL; object = object->next) {
        if (object == handle)
            return object->kind == kind;
        if (object->kind != OBJECT_MODULE || kind != OBJECT_FUNCTION)
            continue;
        const struct CUmod_st *module = (const struct CUmod_st *)(const void *)object;
        const struct CUfunc_st *function = handle;
        if (function >= module->functions && function < module->functions + module->function_count)
            return ((uintptr_t)function - (uintptr_t)module->functions) % sizeof *function == 0;
    }
    return false;
}

static void free_allocations(const struct CUctx_st *context, const void *module)
{
    for (size_t i = memory_count(); i-- > 0;) {
        struct allocation *allocation = memory_at(i);
        bool owned = module != NULL ? allocation->pool == module : allocation->context == context;
        if (!owned)
            continue;
        void *host = allocation->owner == OWNER_HOST || allocation->owner == OWNER_MANAGED
                         ? (void *)(uintptr_t)allocation->region.low
                         : NULL;
        memory_free(allocation->region.low);
        free(host);
    }
}

/* A module's globals have the module in place of a pool. */
void module_release(struct CUmod_st *module)
{
    free_allocations(NULL, module);
    object_remove(&module->object);
    struct arena arena = module->arena;
    arena_free(&arena);
    free(module);
}

static void release(struct object *object)
{
    void *whole = object;

    switch (object->kind) {
    case OBJECT_MODULE:
        module_release(whole);
        break;
    case OBJECT_STREAM:
        stream_release(whole);
        break;
    case OBJECT_EVENT:
        event_release(whole);
        break;
    default:
        object_remove(object);
        free(whole);
        break;
    }
}

void objects_release(struct CUctx_st *context)
{
    context_wait(context);
    if (driver.configuration.leaks)
        leaks_report(context);
    for (struct object *object = driver.objects, *next; object != NULL; object = next) {
        next = object->next;
        if (object->context == context && object->kind != OBJECT_CONTEXT)
            release(object);
    }
    capture_forget_stream(&context->legacy);
    for (struct CUstream_st *stream = context->of_threads, *next; stream != NULL; stream = next) {
        next = stream->next_thread;
        capture_forget_stream(stream);
        free(stream);
    }
    context->of_threads = NULL;
    free_allocations(context, NULL);
}

void context_init(struct CUctx_st *context, CUdevice device, unsigned int flags, bool primary)
{
    context->device = device;
    context->flags = flags;
    context->primary = primary;
    context->legacy.object = (struct object){.kind = OBJECT_STREAM, .context = context};
    object_add(&context->object, OBJECT_CONTEXT, context);
}

struct CUstream_st *context_thread_stream(struct CUctx_st *context)
{
    /* Its address tells the living threads apart; an ended one's stream goes to who has the address next. */
    static _Thread_local char here;
    struct CUstream_st *stream = context->of_threads;

    while (stream != NULL && stream->thread != &here)
        stream = stream->next_thread;
    if (stream != NULL)
        return stream;
    stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->object = (struct object){.kind = OBJECT_STREAM, .context = context, .number = ++driver.created};
    stream->thread = &here;
    stream->next_thread = context->of_threads;
    context->of_threads = stream;
    return stream;
}

/* Neither a module's nor freed in the order of a stream. */
bool memory_is_user(const struct allocation *allocation)
{
    return allocation->owner != OWNER_MODULE && allocation->owner != OWNER_GRAPH && !allocation->freed;
}

/* How often the program holds it: not what the driver keeps for itself. */
uint32_t object_holds(const struct object *object)
{
    const void *whole = object;
    const struct CUctx_st *context = whole;
    const struct CUmemPoolHandle_st *pool = whole;
    const struct CUgraph_st *graph = whole;

    switch (object->kind) {
    case OBJECT_CONTEXT:
        return context->primary ? context->retained : context->alive;
    case OBJECT_POOL:
        return !pool->is_default;
    case OBJECT_GRAPH:
        return !graph->is_child && !graph->is_executable;
    default:
        return 1;
    }
}

static int64_t user_objects(void)
{
    int64_t count = 0;

    for (const struct object *object = driver.objects; object != NULL; object = object->next)
        count += object_holds(object);
    for (size_t i = 0; i < memory_count(); i++)
        count += memory_is_user(memory_at(i));
    return count + virtual_objects();
}

int64_t isomat_hostdriver_live_objects(void)
{
    API(isomat_hostdriver_live_objects, NEEDS_NOTHING);
    return user_objects();
}

static struct stack *stack(void)
{
    static _Thread_local struct stack stack;

    return &stack;
}

struct CUctx_st *context_current(void)
{
    struct stack *s = stack();

    return s->depth > 0 ? s->context[s->depth - 1] : NULL;
}

/* Contexts are never freed, only marked, so that a stale handle in another
 * thread's stack can be told. */
CUresult context_check(const struct CUctx_st *context)
{
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return context->sticky;
}

bool context_push(struct CUctx_st *context)
{
    struct stack *s = stack();

    if (s->depth == STACK_MAX)
        return false;
    s->context[s->depth++] = context;
    return true;
}

void context_forget(struct CUctx_st *context)
{
    struct stack *s = stack();

    if (s->depth > 0 && s->context[s->depth - 1] == context)
        s->depth--;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    API(cuCtxPushCurrent_v2, NEEDS_INIT);
    if (!object_valid(context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return context_push(context) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    API(cuCtxPopCurrent_v2, NEEDS_INIT);
    struct stack *s = stack();
    if (s->depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    s->depth--;
    if (context != NULL)
        *context = s->context[s->depth];
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    API(cuCtxSetCurrent, NEEDS_INIT);
    struct stack *s = stack();
    if (context != NULL && !object_valid(context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context != NULL && !context->alive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (s->depth > 0)
        s->depth--;
    if (context != NULL)
        s->context[s->depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    API(cuCtxGetCurrent, NEEDS_INIT);
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *context = context_current();
    return CUDA_SUCCESS;
}
