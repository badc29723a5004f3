/* SPDX-License-Identifier: MIT */
/* dl.h: opening shared libraries; the only user of dlopen. */
#ifndef ISOMAT_DL_H
#define ISOMAT_DL_H

#include <stddef.h>

/* Opens a library for good: a driver is never closed, since it may still run
 * threads.  On failure returns NULL and writes the reason. */
void *im_dl_open(const char *name, char *reason, size_t capacity);

/* The address of a symbol, NULL if there is none. */
void *im_dl_symbol(void *library, const char *name);

/* Writes the path of the file that an address belongs to; "" if unknown. */
void im_dl_path_of(const void *address, char *path, size_t capacity);

#endif /* ISOMAT_DL_H */
