/* SPDX-License-Identifier: MIT */
/* cmd_on_host.c: isomat on-host: runs a program with the host driver in place of libcuda.so.1.
 *
 * A private folder holds links of that name to the host driver and comes first in LD_LIBRARY_PATH, so
 * the process tree finds them, and nothing else does.  The folder goes when the program ends.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"
#include "verbs.h"

#ifndef IM_PKGLIBDIR
#define IM_PKGLIBDIR "/usr/local/lib/isomat"
#endif

enum { STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127, STATUS_SIGNAL = 128 };

static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
enum { NAME_COUNT = sizeof names / sizeof *names };

static pid_t child;

static int print_help(void)
{
    puts("Usage: isomat on-host [--] PROGRAM [ARGUMENT]...\n"
         "\n"
         "Runs PROGRAM with the host driver in place of libcuda.so.1: what it does with the CUDA\n"
         "driver API happens on the CPU. Only this process and its children are affected.\n"
         "\n"
         "Environment:\n"
         "  ISOMAT_HOSTDRIVER       the host driver's file, if not the installed one\n"
         "  ISOMAT_HOST_THREADS     host threads that run blocks (all cores)\n"
         "  ISOMAT_HOST_CAPABILITY  compute capability to report (8.0)\n"
         "  ISOMAT_HOST_TIMEOUT     seconds after which a kernel fails (none)\n"
         "  ISOMAT_HOST_CHECK       race, init, leak or all: what to look for (nothing)\n"
         "  ISOMAT_HOST_FAULT       calls that fail on demand\n"
         "\n"
         "Exit status: that of PROGRAM; 126 or 127 if it could not be run.");
    return finish_output();
}

/* The host driver's path: as asked, beside this command in a build, in its installation, or as configured. */
static bool find_driver(char *path)
{
    char self[PATH_MAX] = "", candidate[PATH_MAX + 64];
    const char *asked = getenv("ISOMAT_HOSTDRIVER");

    if (asked != NULL)
        return realpath(asked, path) != NULL;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    const char *folder = dirname(self);
    static const char *const beside[] = {"", "/.libs", "/../lib/isomat"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(candidate, sizeof candidate, "%s%s/isomat-hostdriver.so", folder, beside[i]);
        if (realpath(candidate, path) != NULL)
            return true;
    }
    return realpath(IM_PKGLIBDIR "/isomat-hostdriver.so", path) != NULL;
}

static void remove_folder(const char *folder)
{
    char link[PATH_MAX];

    for (int i = 0; i < NAME_COUNT; i++) {
        snprintf(link, sizeof link, "%s/%s", folder, names[i]);
        unlink(link);
    }
    rmdir(folder);
}

static bool make_folder(char *folder, const char *driver)
{
    char link[PATH_MAX];

    if (mkdtemp(folder) == NULL)
        return false;
    for (int i = 0; i < NAME_COUNT; i++) {
        snprintf(link, sizeof link, "%s/%s", folder, names[i]);
        if (symlink(driver, link) != 0) {
            remove_folder(folder);
            return false;
        }
    }
    return true;
}

static bool set_path(const char *folder)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    size_t bytes = strlen(folder) + (before != NULL ? strlen(before) : 0) + 2;
    char *path = malloc(bytes);

    if (path == NULL)
        return false;
    snprintf(path, bytes, "%s%s%s", folder, before != NULL && *before != 0 ? ":" : "",
             before != NULL ? before : "");
    bool set = setenv("LD_LIBRARY_PATH", path, 1) == 0;
    free(path);
    return set;
}

static void pass_on(int number)
{
    if (child > 0)
        kill(child, number);
}

static int run(char **argv)
{
    int status = 0;

    signal(SIGTERM, pass_on);
    signal(SIGINT, SIG_IGN); /* the terminal sends it to both */
    child = fork();
    if (child < 0)
        return fail("on-host: cannot start a process: %s", strerror(errno));
    if (child == 0) {
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        execvp(argv[0], argv);
        note("on-host: %s: %s", argv[0], strerror(errno));
        _exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_SIGNAL + WTERMSIG(status);
}

int cmd_on_host(int argc, char **argv)
{
    char driver[PATH_MAX], folder[] = "/tmp/isomat-on-host-XXXXXX";
    int first = 1;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return print_help();
    if (argc > 1 && strcmp(argv[1], "--") == 0)
        first = 2;
    else if (argc > 1 && argv[1][0] == '-')
        return fail_usage("on-host", "unknown option %s", argv[1]);
    if (first >= argc)
        return fail_usage("on-host", "a program is missing");
    if (!find_driver(driver))
        return fail("on-host: the host driver is not installed; ISOMAT_HOSTDRIVER may name it");
    if (!make_folder(folder, driver))
        return fail("on-host: cannot make a folder in /tmp: %s", strerror(errno));
    note("on-host: %s runs on the host driver, %s", argv[first], driver);
    int status = set_path(folder) ? run(argv + first) : fail("on-host: out of memory");
    remove_folder(folder);
    return status;
}
