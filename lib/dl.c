/* SPDX-License-Identifier: MIT */
/* dl.c: opening shared libraries; the only user of dlopen. */
#include "dl.h"

#include <dlfcn.h>
#include <stdio.h>

void *im_dl_open(const char *name, char *reason, size_t capacity)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *text = dlerror();
        snprintf(reason, capacity, "%s", text ? text : "unknown reason");
    }
    return library;
}

void *im_dl_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

void im_dl_path_of(const void *address, char *path, size_t capacity)
{
    Dl_info info;
    path[0] = '\0';
    if (dladdr(address, &info) && info.dli_fname)
        snprintf(path, capacity, "%s", info.dli_fname);
}
