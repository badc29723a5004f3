/* SPDX-License-Identifier: MIT */
/* site.c: which call made an object, and from where it was called. */
#include "driver.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

/* The outermost function of the driver that this thread is in. */
static _Thread_local const char *entered;

void site_enter(const char *function)
{
    entered = function;
}

/* Frames of the driver itself say nothing. */
static bool is_own(void *address)
{
    Dl_info info, own;

    return dladdr(address, &info) != 0 && dladdr(&driver, &own) != 0 && info.dli_fbase == own.dli_fbase;
}

void site_take(struct site *site)
{
    void *frames[SITE_FRAMES + 8];

    *site = (struct site){.function = entered};
    if (!driver.configuration.leaks)
        return;
    int count = backtrace(frames, SITE_FRAMES + 8), first = 0;
    while (first < count && is_own(frames[first]))
        first++;
    for (int i = first; i < count && site->frame_count < SITE_FRAMES; i++)
        site->frames[site->frame_count++] = frames[i];
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

int site_print(char *buffer, size_t capacity, const struct site *site)
{
    int length =
        snprintf(buffer, capacity, ", by %s", site->function != NULL ? site->function : "the driver");

    for (int i = 0; i < site->frame_count && (size_t)length < capacity; i++) {
        Dl_info info;
        bool known = dladdr(site->frames[i], &info) != 0;
        char *at = buffer + length;
        size_t room = capacity - (size_t)length;
        if (known && info.dli_sname != NULL)
            length += snprintf(at, room, "%s %s", i == 0 ? " from" : ",", info.dli_sname);
        else if (known)
            length += snprintf(at, room, "%s %s+0x%lx", i == 0 ? " from" : ",", base_name(info.dli_fname),
                               (unsigned long)((char *)site->frames[i] - (char *)info.dli_fbase));
    }
    return length;
}
