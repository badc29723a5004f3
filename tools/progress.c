/* SPDX-License-Identifier: MIT */
/* progress.c: a line on the terminal while something takes long. */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

static const char erase[] = "\r\033[K";
static char line[160];
static volatile sig_atomic_t line_length, visible;
static bool started;
static double first_call, last_shown;

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Safe in a signal handler. */
static void put_line(void)
{
    ssize_t written = write(STDERR_FILENO, line, (size_t)line_length);
    visible = written > 0;
}

/* One call may take long (a large matrix on the CPU), so a timer shows the first line. */
static void show_first(int signal_number)
{
    (void)signal_number;
    if (line_length > 0 && !visible)
        put_line();
}

static void start(void)
{
    struct sigaction action = {.sa_handler = show_first, .sa_flags = SA_RESTART};
    struct itimerval second = {.it_value.tv_sec = 1};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &second, NULL);
    first_call = now_seconds();
    started = true;
}

void progress_show(const char *what, int64_t done, int64_t total)
{
    if (!isatty(STDERR_FILENO))
        return;
    if (!started)
        start();
    double now = now_seconds();
    line_length = 0; /* keeps the timer away from a half-made line */
    int length = total > 0
                     ? snprintf(line, sizeof line, "%s%s: %" PRId64 " of %" PRId64, erase, what, done, total)
                     : snprintf(line, sizeof line, "%s%s", erase, what);
    line_length = length < (int)sizeof line ? length : (int)sizeof line - 1;
    if (now - first_call < 1.0 || now - last_shown < 0.1)
        return;
    put_line();
    last_shown = now;
}

void progress_clear(void)
{
    line_length = 0;
    if (!visible)
        return;
    fputs(erase, stderr);
    fflush(stderr);
    visible = 0;
}
