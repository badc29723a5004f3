/* SPDX-License-Identifier: MIT */
/* message.h: what the command says on standard error, and its exit statuses. */
#ifndef ISOMAT_TOOLS_MESSAGE_H
#define ISOMAT_TOOLS_MESSAGE_H

enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* Prints "isomat: ..." as one line, whatever bytes the arguments hold. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same; returns STATUS_FAILED, so that a caller can write return fail(...). */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what the library's last failing call said; returns STATUS_FAILED. */
int fail_library(void);

/* Prints "isomat: verb: ... (see isomat verb --help)"; returns STATUS_USAGE. */
int fail_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes standard output; a failure to write it, now or before, is said and returned. */
int finish_output(void);

#endif /* ISOMAT_TOOLS_MESSAGE_H */
