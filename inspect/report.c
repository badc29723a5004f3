/* SPDX-License-Identifier: MIT */
/* report.c: what was found in one file, as it grows. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A report stays within memory whatever the file says. */
enum { MAX_IMAGES = 1 << 20, MAX_KERNELS = 1 << 20, MAX_OBJECTS = 1 << 20, MAX_PROBLEMS = 20 };

struct insp_image *insp_add_image(struct insp_reader *reader)
{
    struct insp_report *report = reader->report;
    if (report->image_count == MAX_IMAGES) {
        report->dropped++;
        return NULL;
    }
    struct insp_image *images =
        insp_grow(&report->arena, report->images, report->image_count, sizeof *images);
    if (!images)
        return NULL;
    report->images = images;
    struct insp_image *image = &images[report->image_count++];
    *image = (struct insp_image){
        .object = reader->object, .container = -1, .first_kernel = report->kernel_count, .place = ""};
    return image;
}

struct insp_kernel *insp_add_kernel(struct insp_reader *reader)
{
    struct insp_report *report = reader->report;
    if (report->kernel_count == MAX_KERNELS || report->image_count == 0)
        return NULL;
    struct insp_kernel *kernels =
        insp_grow(&report->arena, report->kernels, report->kernel_count, sizeof *kernels);
    if (!kernels)
        return NULL;
    report->kernels = kernels;
    struct insp_kernel *kernel = &kernels[report->kernel_count++];
    *kernel = (struct insp_kernel){
        .name = "",
        .image = report->image_count - 1,
        .registers = INSP_UNKNOWN,
        .stack_bytes = INSP_UNKNOWN,
        .spill_store_bytes = INSP_UNKNOWN,
        .spill_load_bytes = INSP_UNKNOWN,
        .shared_bytes = INSP_UNKNOWN,
        .barriers = INSP_UNKNOWN,
        .constant_bytes = INSP_UNKNOWN,
        .parameter_bytes = INSP_UNKNOWN,
        .code_bytes = INSP_UNKNOWN,
    };
    report->images[report->image_count - 1].kernel_count++;
    return kernel;
}

bool insp_add_object(struct insp_reader *reader, const char *member, const char *kind, uint64_t offset)
{
    struct insp_report *report = reader->report;
    if (report->object_count == MAX_OBJECTS)
        return false;
    struct insp_object *objects =
        insp_grow(&report->arena, report->objects, report->object_count, sizeof *objects);
    if (!objects)
        return false;
    report->objects = objects;
    reader->object = report->object_count++;
    objects[reader->object] = (struct insp_object){.member = member, .kind = kind, .offset = offset};
    return true;
}

void insp_damaged(struct insp_reader *reader, uint64_t offset, const char *format, ...)
{
    struct insp_report *report = reader->report;
    char text[512];
    va_list arguments;
    if (report->problem_count == MAX_PROBLEMS)
        return;
    struct insp_problem *problems =
        insp_grow(&report->arena, report->problems, report->problem_count, sizeof *problems);
    if (!problems)
        return;
    report->problems = problems;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *member =
        reader->object < report->object_count ? report->objects[reader->object].member : NULL;
    problems[report->problem_count++].text =
        member ? insp_arena_print(&report->arena, "%s at byte %llu of member %s", text,
                                  (unsigned long long)offset, member)
               : insp_arena_print(&report->arena, "%s at byte %llu", text, (unsigned long long)offset);
}
