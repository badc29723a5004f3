/* SPDX-License-Identifier: MIT */
/* walk.c: the files of a folder that may hold GPU code. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <sys/stat.h>
#include <unistd.h>

#include "detect.h"
#include "inspect.h"

static bool is_candidate(const char *path)
{
    unsigned char head[16] = {0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return true; /* to be complained about */
    ssize_t length = read(descriptor, head, sizeof head);
    close(descriptor);
    return insp_is_candidate((struct insp_span){head, length > 0 ? (size_t)length : 0}, path);
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

const char *insp_walk(const char *path, bool (*visit)(void *payload, const char *path), void *payload)
{
    struct stat stat_of_path;
    char *paths[] = {(char *)path, NULL};
    if (stat(path, &stat_of_path) != 0)
        return strerror(errno);
    if (!S_ISDIR(stat_of_path.st_mode)) {
        visit(payload, path);
        return NULL;
    }
    /* links inside are not followed: no cycles, no file twice */
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (!tree)
        return strerror(errno);
    const char *wrong = NULL;
    bool go_on = true;
    while (go_on) {
        errno = 0;
        FTSENT *entry = fts_read(tree);
        if (!entry) {
            wrong = errno ? strerror(errno) : NULL;
            break;
        }
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
            go_on = visit(payload, entry->fts_path);
        else if (entry->fts_info == FTS_F && is_candidate(entry->fts_path))
            go_on = visit(payload, entry->fts_path);
    }
    fts_close(tree);
    return wrong;
}
