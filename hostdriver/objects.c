/* SPDX-License-Identifier: MIT */
/* objects.c: the live objects, the current contexts, and the report of both. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static const char *const kind_names[] = {"context", "module", "function", "stream", "event", "memory pool"};

struct stack {
    struct CUctx_st *context[STACK_MAX];
    uint32_t depth;
};

void object_add(struct object *object, enum object_kind kind, struct CUctx_st *context)
{
    object->kind = kind;
    object->context = context;
    object->number = ++driver.created;
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
        void *host = allocation->owner == OWNER_HOST ? (void *)(uintptr_t)allocation->region.low : NULL;
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

void objects_release(struct CUctx_st *context)
{
    context_enter(context);
    for (struct object *object = driver.objects, *next; object != NULL; object = next) {
        next = object->next;
        if (object->context != context || object->kind == OBJECT_CONTEXT)
            continue;
        if (object->kind == OBJECT_MODULE) {
            module_release((struct CUmod_st *)(void *)object);
        } else {
            object_remove(object);
            free(object);
        }
    }
    free_allocations(context, NULL);
}

static int64_t user_objects(void)
{
    int64_t count = 0;

    for (const struct object *object = driver.objects; object != NULL; object = object->next) {
        const struct CUctx_st *context = (const struct CUctx_st *)(const void *)object;
        if (object->kind == OBJECT_CONTEXT && context->primary)
            count += context->retained;
        else if (object->kind == OBJECT_CONTEXT)
            count += context->alive;
        else if (object->kind != OBJECT_POOL ||
                 !((const struct CUmemPoolHandle_st *)(const void *)object)->is_default)
            count++;
    }
    for (size_t i = 0; i < memory_count(); i++)
        count += memory_at(i)->owner != OWNER_MODULE;
    return count;
}

int64_t isomat_hostdriver_live_objects(void)
{
    API(isomat_hostdriver_live_objects, NEEDS_NOTHING);
    return user_objects();
}

struct text {
    char *buffer;
    size_t capacity, length;
};

static void say(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    size_t room = text->capacity > text->length ? text->capacity - text->length : 0;
    int n = vsnprintf(room > 0 ? text->buffer + text->length : NULL, room, format, arguments);
    va_end(arguments);
    text->length += n > 0 ? (size_t)n : 0;
}

static void say_object(struct text *text, const struct object *object)
{
    const struct CUctx_st *context = (const struct CUctx_st *)(const void *)object;
    const struct CUmod_st *module = (const struct CUmod_st *)(const void *)object;

    if (object->kind == OBJECT_CONTEXT && (context->primary ? context->retained == 0 : !context->alive))
        return;
    if (object->kind == OBJECT_POOL && ((const struct CUmemPoolHandle_st *)(const void *)object)->is_default)
        return;
    say(text, "%s %p, number %llu", kind_names[object->kind], (const void *)object,
        (unsigned long long)object->number);
    if (object->kind == OBJECT_CONTEXT && context->primary)
        say(text, ", primary of device %d, retained %u times", context->device, context->retained);
    if (object->kind == OBJECT_MODULE && module->function_count > 0)
        say(text, ", with kernel %s", module->functions[0].program->name);
    say(text, "\n");
}

/* Like snprintf: the length of the whole text, whatever the capacity. */
int isomat_hostdriver_describe(char *buffer, size_t capacity)
{
    static const char *const owners[] = {"device memory", "module memory", "host memory",
                                         "registered host memory"};
    struct text text = {buffer, buffer != NULL ? capacity : 0, 0};

    if (text.capacity > 0)
        buffer[0] = 0;
    API(isomat_hostdriver_describe, NEEDS_NOTHING);
    for (const struct object *object = driver.objects; object != NULL; object = object->next)
        say_object(&text, object);
    for (size_t i = 0; i < memory_count(); i++) {
        const struct allocation *allocation = memory_at(i);
        if (allocation->owner == OWNER_MODULE)
            continue;
        say(&text, "%s 0x%llx, %llu bytes, number %llu\n", owners[allocation->owner],
            (unsigned long long)allocation->region.low, (unsigned long long)allocation->region.bytes,
            (unsigned long long)allocation->number);
    }
    if (driver.fault_text[0] != 0)
        say(&text, "last fault: %s\n", driver.fault_text);
    return (int)text.length;
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
