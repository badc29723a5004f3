/* SPDX-License-Identifier: MIT */
/* buildsystem.h: what built a file, as far as it can be told, and how it is told to do otherwise. */
#ifndef ISOMAT_INSPECT_BUILDSYSTEM_H
#define ISOMAT_INSPECT_BUILDSYSTEM_H

#include "report.h"

enum insp_build {
    INSP_BUILD_UNKNOWN,
    INSP_BUILD_CARGO,
    INSP_BUILD_CMAKE,
    INSP_BUILD_MESON,
    INSP_BUILD_PYTHON
};

/* Looks at the file's name, what compiled it, and the folders above it. */
enum insp_build insp_find_build(const struct insp_report *report);
const char *insp_build_name(enum insp_build build);

/* How to build without -G. */
const char *insp_build_without_debug(enum insp_build build);

/* How to add code for an architecture; arch is "90" or "90a". */
const char *insp_build_add_arch(struct insp_arena *arena, enum insp_build build, const char *arch);

#endif /* ISOMAT_INSPECT_BUILDSYSTEM_H */
