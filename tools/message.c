/* SPDX-License-Identifier: MIT */
/* message.c: one-line messages on standard error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <isomat.h>

#include "message.h"
#include "progress.h"

static void print_line(const char *prefix, const char *suffix, const char *format, va_list arguments)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    /* a file name may hold anything; the message stays one line and leaves the terminal alone */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = *c == '\n' || *c == '\t' ? ' ' : '?';
    progress_clear();
    fprintf(stderr, "isomat: %s%s%s\n", prefix, text, suffix);
}

void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", "", format, arguments);
    va_end(arguments);
}

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", "", format, arguments);
    va_end(arguments);
    return STATUS_FAILED;
}

int fail_library(void)
{
    return fail("%s", isomat_error_message());
}

int fail_usage(const char *verb, const char *format, ...)
{
    char prefix[64] = "", suffix[96];
    if (*verb)
        snprintf(prefix, sizeof prefix, "%s: ", verb);
    snprintf(suffix, sizeof suffix, " (see isomat %s%s--help)", verb, *verb ? " " : "");
    va_list arguments;
    va_start(arguments, format);
    print_line(prefix, suffix, format, arguments);
    va_end(arguments);
    return STATUS_USAGE;
}

int finish_output(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return fail("cannot write standard output: %s", errno ? strerror(errno) : "an earlier write failed");
}
