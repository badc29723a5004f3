/* SPDX-License-Identifier: MIT */
/* verdict_image.c: verdicts about how the images of a file were built. */
#include <stdio.h>

#include "verdict.h"

enum { NAMED = 4 };

/* Names of the first few sources of the images for which debug is as wanted, "a.cu, b.cu". */
static const char *name_sources(struct insp_report *report, bool debug)
{
    char text[256] = "";
    size_t used = 0;
    const char *last = "";
    int named = 0;
    for (uint32_t i = 0; i < report->image_count && named < NAMED; i++) {
        const struct insp_image *image = &report->images[i];
        const char *member = report->objects[image->object].member;
        const char *name = image->source ? image->source : member;
        if ((image->debug != 0) != debug || !name || strcmp(name, last) == 0)
            continue;
        int length = snprintf(text + used, sizeof text - used, "%s%.50s", used ? ", " : "", name);
        used += length > 0 && (size_t)length < sizeof text - used ? (size_t)length : 0;
        last = name;
        named++;
    }
    return insp_arena_copy(&report->arena, text, used);
}

static const char *debug_evidence(struct insp_report *report, uint32_t count, unsigned marks)
{
    const char *sources = name_sources(report, true);
    return insp_arena_print(&report->arena, "%u of %u images%s%s%s%s%s%s", count, report->image_count,
                            marks & INSP_DEBUG_FLAG ? "; flag 0x2 in the fatbin" : "",
                            marks & INSP_DEBUG_SECTION ? "; section .debug_info" : "",
                            marks & INSP_DEBUG_COMMAND ? "; ptxas was run with -g" : "",
                            marks & INSP_DEBUG_TARGET ? "; .target ..., debug" : "",
                            *sources ? "; from " : "", sources);
}

static void judge_debug(struct insp_verdicts *verdicts, struct insp_report *report)
{
    uint32_t count = 0, optimised = 0;
    unsigned marks = 0;
    for (uint32_t i = 0; i < report->image_count; i++) {
        marks |= report->images[i].debug;
        count += report->images[i].debug != 0;
        optimised += report->images[i].debug == 0 && report->images[i].kernel_count > 0;
    }
    if (!count)
        return;
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_DEBUG, count);
    verdict->text = "built with -G: device optimisation is off; expect 10 to 100 times slower";
    verdict->evidence = debug_evidence(report, count, marks);
    verdict->remedy = insp_build_without_debug(verdicts->build);
    if (!optimised)
        return;
    const char *sources = name_sources(report, false);
    verdict = insp_add_verdict(verdicts, INSP_IS_MIXED, count);
    verdict->text = "some units are built with -G and others are optimised";
    verdict->evidence = insp_arena_print(&report->arena, "%u images with -G, %u optimised%s%s", count,
                                         optimised, *sources ? ", of them " : "", sources);
    verdict->remedy = "give all units the same options";
}

static void judge_cudart(struct insp_verdicts *verdicts, struct insp_report *report)
{
    const struct insp_object *both = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->object_count; i++)
        if (report->objects[i].static_cudart && report->objects[i].needed_cudart) {
            both = both ? both : &report->objects[i];
            count++;
        }
    if (!both)
        return;
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_CUDART, count);
    verdict->text =
        "two copies of the CUDA runtime: one linked in, one loaded; state of one is unknown to the other";
    verdict->evidence =
        insp_arena_print(&report->arena, "%s%sdefines cudart's functions and needs %s",
                         both->member ? both->member : "", both->member ? " " : "", both->needed_cudart);
    verdict->remedy =
        verdicts->build == INSP_BUILD_CARGO
            ? "choose one: .cudart(\"shared\") on cc::Build, or no rustc-link-lib=dylib=cudart in the build "
              "script"
            : "choose one: nvcc -cudart shared and -lcudart, or nvcc -cudart static without -lcudart";
}

/* A hint only where there is something to profile, and nothing worse to say of the build. */
static void judge_lineinfo(struct insp_verdicts *verdicts, struct insp_report *report)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->image_count; i++) {
        const struct insp_image *image = &report->images[i];
        if (image->debug || image->lineinfo)
            return;
        count += image->kind == INSP_CUBIN && image->kernel_count > 0;
    }
    if (!count)
        return;
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_LINEINFO, count);
    verdict->text = "no line numbers: a profiler cannot show the source";
    verdict->evidence = insp_arena_print(&report->arena, "%u images without .debug_line", count);
    verdict->remedy = "for profiling add -lineinfo; it does not slow the code";
}

static void judge_specific(struct insp_verdicts *verdicts, struct insp_report *report)
{
    char name[32];
    const struct insp_image *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->image_count; i++) {
        const struct insp_image *image = &report->images[i];
        if ((image->kind != INSP_PTX && image->kind != INSP_CUBIN) || image->kernel_count == 0)
            continue;
        if (image->suffix != 'a')
            return; /* another image may serve other devices */
        first = first ? first : image;
        count++;
    }
    if (!first)
        return;
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_ARCH_SPECIFIC, count);
    verdict->text =
        "every image fits exactly one architecture; no other device, older or newer, can run the file";
    verdict->evidence =
        insp_arena_print(&report->arena, "%u images, the first for %s", count, insp_image_name(name, first));
    verdict->remedy = "add an image without the suffix a, and PTX, for other devices";
}

void insp_judge_images(struct insp_verdicts *verdicts, struct insp_report *report,
                       const struct insp_target *target)
{
    (void)target;
    judge_debug(verdicts, report);
    judge_cudart(verdicts, report);
    judge_specific(verdicts, report);
    judge_lineinfo(verdicts, report);
}
