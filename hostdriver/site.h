/* SPDX-License-Identifier: MIT */
/* site.h: where an object was made. */
#ifndef HOSTDRIVER_SITE_H
#define HOSTDRIVER_SITE_H

#include <stddef.h>

enum { SITE_FRAMES = 6 };

struct site {
    const char *function; /* of the driver */
    int frame_count;      /* 0 unless leaks are reported */
    void *frames[SITE_FRAMES];
};

/* The call that this thread is in. */
void site_enter(const char *function);
void site_take(struct site *site);
/* ", by FUNCTION from ...", as snprintf has it. */
int site_print(char *buffer, size_t capacity, const struct site *site);

#endif
