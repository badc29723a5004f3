/* SPDX-License-Identifier: MIT */
/* progress.h: a line on the terminal while something takes long. */
#ifndef ISOMAT_TOOLS_PROGRESS_H
#define ISOMAT_TOOLS_PROGRESS_H

#include <stdint.h>

/* Seconds on the monotonic clock. */
double now_seconds(void);

/* Shows "what: done of total".  Nothing is shown in the first second after the first call, nor
 * where standard error is no terminal; at most ten times a second. */
void progress_show(const char *what, int64_t done, int64_t total);

/* Takes the line away, before anything else is printed. */
void progress_clear(void);

#endif /* ISOMAT_TOOLS_PROGRESS_H */
