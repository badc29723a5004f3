/* SPDX-License-Identifier: MIT */
/* inspect.h: reads the GPU code in a file. */
#ifndef ISOMAT_INSPECT_INSPECT_H
#define ISOMAT_INSPECT_INSPECT_H

#include "report.h"

/* Reads a file.  Returns NULL only without memory; what cannot be read is among the report's
 * problems. */
struct insp_report *insp_read_file(const char *path, insp_progress *progress, void *payload);

/* The same for bytes in memory. */
struct insp_report *insp_read_memory(const char *path, const void *bytes, size_t size);

void insp_report_free(struct insp_report *report);

/* Calls visit for a file, or for each file of a folder, and of the folders in it, that may hold GPU
 * code, until it returns false.  Returns NULL, or why path cannot be gone through. */
const char *insp_walk(const char *path, bool (*visit)(void *payload, const char *path), void *payload);

#endif /* ISOMAT_INSPECT_INSPECT_H */
