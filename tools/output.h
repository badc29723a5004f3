/* SPDX-License-Identifier: MIT */
/* output.h: result files that appear whole or not at all. */
#ifndef ISOMAT_TOOLS_OUTPUT_H
#define ISOMAT_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output {
    FILE *file;      /* write here */
    char *path;      /* what it will be called */
    char *temporary; /* what it is called until then; NULL when path is a device or a pipe */
};

/* Opens a temporary file in the folder of path.  A failure is said; returns an exit status. */
int output_open(struct output *output, const char *path);

/* Writes out, syncs and renames to path.  A failure is said; the temporary file is then gone and
 * what path was before is untouched.  Call output_discard afterwards in any case. */
int output_commit(struct output *output);

/* Removes what was not committed.  Harmless on a zeroed or finished output. */
void output_discard(struct output *output);

#endif /* ISOMAT_TOOLS_OUTPUT_H */
