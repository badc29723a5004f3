/* SPDX-License-Identifier: MIT */
/* buildsystem.c: what built a file, as far as it can be told, and how it is told to do otherwise. */
#include "buildsystem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_FOLDERS = 8 };

static const struct {
    const char *name, *without_debug, *add_arch;
} builds[] = {
    [INSP_BUILD_UNKNOWN] =
        {NULL, "take -G out of nvcc's options (-lineinfo is enough for profiling), or add -dopt=on",
         "give nvcc -gencode arch=compute_%s,code=sm_%s"},
    [INSP_BUILD_CARGO] =
        {"Cargo",
         "the cc crate passes -G to nvcc whenever the profile has debug info: set debug = false for "
         "the package with the build script ([profile.dev.package.NAME] in Cargo.toml), or call "
         ".debug(false) or .flag(\"-dopt=on\") on cc::Build, or build with --release",
         "call .flag(\"-gencode\").flag(\"arch=compute_%s,code=sm_%s\") on cc::Build"},
    [INSP_BUILD_CMAKE] =
        {"CMake",
         "CMake adds no -G by itself: take it out of CMAKE_CUDA_FLAGS, CMAKE_CUDA_FLAGS_DEBUG and "
         "target_compile_options, or build with CMAKE_BUILD_TYPE=Release",
         "add %s to CMAKE_CUDA_ARCHITECTURES or the target's CUDA_ARCHITECTURES (sm_%s)"},
    [INSP_BUILD_MESON] = {"Meson",
                          "Meson passes -G in debug builds: meson configure -Dbuildtype=release, or add "
                          "cuda_args : ['-dopt=on'] to the target",
                          "add '-gencode=arch=compute_%s,code=sm_%s' to cuda_args"},
    [INSP_BUILD_PYTHON] =
        {"Python setuptools",
         "take -G out of extra_compile_args['nvcc'] in setup.py, and out of NVCC_APPEND_FLAGS",
         "add -gencode=arch=compute_%s,code=sm_%s to extra_compile_args['nvcc'], or set "
         "TORCH_CUDA_ARCH_LIST"},
};

static bool exists(const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static enum insp_build build_in(const char *folder)
{
    if (exists(folder, "CMakeCache.txt"))
        return INSP_BUILD_CMAKE;
    if (exists(folder, "meson-info"))
        return INSP_BUILD_MESON;
    if (exists(folder, "Cargo.toml") || exists(folder, ".cargo-lock"))
        return INSP_BUILD_CARGO;
    if (exists(folder, "setup.py"))
        return INSP_BUILD_PYTHON;
    return INSP_BUILD_UNKNOWN;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

enum insp_build insp_find_build(const struct insp_report *report)
{
    char path[PATH_MAX];
    for (uint32_t i = 0; i < report->object_count; i++)
        if (report->objects[i].rust)
            return INSP_BUILD_CARGO;
    if (ends_with(report->path, ".rlib"))
        return INSP_BUILD_CARGO;
    if (!realpath(report->path, path))
        return INSP_BUILD_UNKNOWN;
    for (int i = 0; i < MAX_FOLDERS; i++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            break;
        *slash = '\0';
        enum insp_build build = build_in(path);
        if (build != INSP_BUILD_UNKNOWN)
            return build;
    }
    return INSP_BUILD_UNKNOWN;
}

const char *insp_build_name(enum insp_build build)
{
    return builds[build].name;
}

const char *insp_build_without_debug(enum insp_build build)
{
    return builds[build].without_debug;
}

const char *insp_build_add_arch(struct insp_arena *arena, enum insp_build build, const char *arch)
{
    char text[512];
    const char *format = builds[build].add_arch;
    size_t used = 0;
    for (; *format && used + 16 < sizeof text; format++) {
        if (format[0] == '%' && format[1] == 's') {
            used += (size_t)snprintf(text + used, 16, "%.8s", arch);
            format++;
        } else {
            text[used++] = *format;
        }
    }
    return insp_arena_copy(arena, text, used);
}
