/* SPDX-License-Identifier: MIT */
/* report.c: the live objects in words, and what a context leaves behind. */
#include <stdarg.h>
#include <stdio.h>

#include "driver.h"

static const char *const kind_names[] = {"context", "module",      "function", "stream",
                                         "event",   "memory pool", "graph",    "executable graph"};
static const char *const owner_names[] = {
    "device memory",  "module memory", "host memory", "registered host memory",
    "managed memory", "mapped memory", "graph memory"};

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

static void say_site(struct text *text, const struct site *site)
{
    char words[1024];

    site_print(words, sizeof words, site);
    say(text, "%s\n", words);
}

static void say_object(struct text *text, const struct object *object)
{
    const struct CUctx_st *context = (const struct CUctx_st *)(const void *)object;
    const struct CUmod_st *module = (const struct CUmod_st *)(const void *)object;

    say(text, "%s %p, number %llu", kind_names[object->kind], (const void *)object,
        (unsigned long long)object->number);
    if (object->kind == OBJECT_CONTEXT && context->primary)
        say(text, ", primary of device %d, retained %u times", context->device, context->retained);
    if (object->kind == OBJECT_MODULE && module->function_count > 0)
        say(text, ", with kernel %s", module->functions[0].program->name);
    say_site(text, &object->site);
}

static void say_memory(struct text *text, const struct allocation *allocation)
{
    say(text, "%s 0x%llx, %llu bytes, number %llu", owner_names[allocation->owner],
        (unsigned long long)allocation->region.low, (unsigned long long)allocation->region.bytes,
        (unsigned long long)allocation->number);
    say_site(text, &allocation->site);
}

/* Like snprintf: the length of the whole text, whatever the capacity. */
int isomat_hostdriver_describe(char *buffer, size_t capacity)
{
    struct text text = {buffer, buffer != NULL ? capacity : 0, 0};

    if (text.capacity > 0)
        buffer[0] = 0;
    API(isomat_hostdriver_describe, NEEDS_NOTHING);
    for (const struct object *object = driver.objects; object != NULL; object = object->next)
        if (object_holds(object) > 0)
            say_object(&text, object);
    for (size_t i = 0; i < memory_count(); i++)
        if (memory_is_user(memory_at(i)))
            say_memory(&text, memory_at(i));
    if (driver.fault_text[0] != 0)
        say(&text, "last fault: %s\n", driver.fault_text);
    return (int)text.length;
}

void leaks_report(const struct CUctx_st *context)
{
    static const char head[] = "isomat host driver: not destroyed before its context: ";
    char line[2048];

    for (const struct object *object = driver.objects; object != NULL; object = object->next) {
        struct text text = {line, sizeof line, 0};
        if (object->context != context || object->kind == OBJECT_CONTEXT)
            continue;
        say_object(&text, object);
        fprintf(stderr, "%s%s", head, line);
    }
    for (size_t i = 0; i < memory_count(); i++) {
        struct text text = {line, sizeof line, 0};
        if (memory_at(i)->context != context || !memory_is_user(memory_at(i)))
            continue;
        say_memory(&text, memory_at(i));
        fprintf(stderr, "%s%s", head, line);
    }
}
