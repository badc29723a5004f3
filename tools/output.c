/* SPDX-License-Identifier: MIT */
/* output.c: result files that appear whole or not at all. */
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output.h"

/* The one temporary file of this process, for the signal handler. */
static char *volatile pending;
static const int fatal_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

static void remove_pending(int signal_number)
{
    if (pending)
        unlink(pending);
    raise(signal_number); /* SA_RESETHAND: now it ends the process, as it should */
}

static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = remove_pending, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++) {
        struct sigaction before;
        if (sigaction(fatal_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(fatal_signals[i], &action, NULL);
    }
}

/* The template ".name.XXXXXX" in the folder of path. */
static char *temporary_name(const char *path)
{
    char *folder_copy = strdup(path), *name_copy = strdup(path), *name = NULL;
    if (folder_copy && name_copy &&
        asprintf(&name, "%s/.%s.XXXXXX", dirname(folder_copy), basename(name_copy)) < 0)
        name = NULL;
    free(folder_copy);
    free(name_copy);
    return name;
}

/* The permissions that a plain fopen would have left. */
static mode_t wanted_mode(const struct stat *existing)
{
    if (existing)
        return existing->st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_temporary(struct output *output, const struct stat *existing)
{
    output->temporary = temporary_name(output->path);
    if (!output->temporary)
        return errno = ENOMEM, -1;
    watch_signals();
    int descriptor = mkostemp(output->temporary, 0);
    if (descriptor < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return -1;
    }
    pending = output->temporary;
    output->file = fdopen(descriptor, "wb");
    if (!output->file) {
        close(descriptor);
        return -1;
    }
    return fchmod(descriptor, wanted_mode(existing));
}

int output_open(struct output *output, const char *path)
{
    struct stat existing;
    bool exists = stat(path, &existing) == 0;
    *output = (struct output){0};
    /* a link stays a link: it is its target that is replaced */
    output->path = exists ? realpath(path, NULL) : strdup(path);
    if (!output->path)
        goto failed;
    if (!*path || (exists && S_ISDIR(existing.st_mode))) {
        errno = *path ? EISDIR : ENOENT;
        goto failed;
    }
    if (exists && !S_ISREG(existing.st_mode)) {
        output->file = fopen(path, "wb"); /* /dev/null must not be renamed over */
        if (!output->file)
            goto failed;
        return STATUS_OK;
    }
    if (exists && access(path, W_OK) != 0)
        goto failed; /* rename would not ask */
    if (open_temporary(output, exists ? &existing : NULL) != 0)
        goto failed;
    return STATUS_OK;
failed:
    fail("cannot write %s: %s", path, strerror(errno));
    output_discard(output);
    return STATUS_FAILED;
}

int output_commit(struct output *output)
{
    bool good = !ferror(output->file) && fflush(output->file) == 0;
    if (good && output->temporary)
        good = fsync(fileno(output->file)) == 0;
    int reason = good ? 0 : errno;
    if (fclose(output->file) != 0 && !reason)
        reason = errno;
    output->file = NULL;
    if (!reason && output->temporary && rename(output->temporary, output->path) != 0)
        reason = errno;
    if (reason)
        return fail("cannot write %s: %s", output->path, strerror(reason));
    pending = NULL;
    free(output->temporary);
    output->temporary = NULL;
    return STATUS_OK;
}

void output_discard(struct output *output)
{
    if (output->file)
        fclose(output->file);
    if (output->temporary) {
        unlink(output->temporary);
        pending = NULL;
    }
    free(output->temporary);
    free(output->path);
    *output = (struct output){0};
}
