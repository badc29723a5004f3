/* SPDX-License-Identifier: MIT */
/* cmd_inspect_text.c: isomat inspect for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd_inspect.h"

enum { MAX_IMAGES_LISTED = 16, MAX_KERNELS_LISTED = 40, MAX_GROUPS = 128 };

static const char *packing_name(enum insp_packing packing)
{
    static const char *const names[] = {"stored", "LZ4", "zstd", "packed"};
    return names[packing];
}

static void print_size(char buffer[24], uint64_t bytes)
{
    if (bytes < 10 << 10)
        snprintf(buffer, 24, "%" PRIu64 " B", bytes);
    else if (bytes < 10 << 20)
        snprintf(buffer, 24, "%.1f KiB", (double)bytes / 1024);
    else
        snprintf(buffer, 24, "%.1f MiB", (double)bytes / (1 << 20));
}

static void print_verdicts(const struct insp_verdicts *verdicts)
{
    for (int i = 0; i < verdicts->count; i++) {
        const struct insp_verdict *verdict = &verdicts->list[i];
        printf("  %s: %s [%s]\n", insp_severity_name(verdict->severity), verdict->text,
               insp_verdict_name(verdict->code));
        printf("    seen:   %s\n", verdict->evidence);
        printf("    remedy: %s\n", verdict->remedy);
    }
}

/* ---------------------------------------------------------------------- images */

static void describe_maker(char buffer[64], const struct insp_image *image)
{
    *buffer = '\0';
    if (image->kind == INSP_PTX)
        snprintf(buffer, 64, "PTX %d.%d", image->ptx_version / 10, image->ptx_version % 10);
    else if (image->toolkit)
        snprintf(buffer, 64, "CUDA %d.%d", image->toolkit / 10, image->toolkit % 10);
}

static void print_image_line(const struct insp_image *image, uint32_t count, uint64_t stored, uint64_t full,
                             const char *where)
{
    char name[32], maker[64], stored_text[24], full_text[24];
    describe_maker(maker, image);
    print_size(stored_text, stored);
    print_size(full_text, full);
    printf("    %-12s %-10s %-6s %11s", insp_image_name(name, image), maker, packing_name(image->packing),
           stored_text);
    if (image->packing != INSP_STORED)
        printf(" of %-11s", full_text);
    else
        printf("    %-11s", "");
    if (count > 1)
        printf("  %u images", count);
    if (image->debug)
        printf("  -G");
    else if (image->lineinfo)
        printf("  -lineinfo");
    if (image->relocatable)
        printf("  relocatable");
    printf("  %s\n", where);
}

static void print_each_image(const struct insp_report *report)
{
    for (uint32_t i = 0; i < report->image_count; i++) {
        const struct insp_image *image = &report->images[i];
        const char *member = report->objects[image->object].member;
        char where[256];
        snprintf(where, sizeof where, "%s%s%s at 0x%" PRIx64 "%s%s%s%s", member ? member : "",
                 member ? ", " : "", image->place, image->offset, image->source ? ", from " : "",
                 image->source ? image->source : "", image->problem ? ", NOT READ: " : "",
                 image->problem ? image->problem : "");
        print_image_line(image, 1, image->stored_bytes, image->full_bytes, where);
    }
}

static bool same_sort(const struct insp_image *a, const struct insp_image *b)
{
    return a->kind == b->kind && a->arch == b->arch && a->suffix == b->suffix && a->toolkit == b->toolkit &&
           a->ptx_version == b->ptx_version && a->packing == b->packing && a->debug == b->debug &&
           a->lineinfo == b->lineinfo && a->relocatable == b->relocatable;
}

static void print_image_groups(const struct insp_report *report)
{
    struct {
        const struct insp_image *first;
        uint32_t count;
        uint64_t stored, full;
    } groups[MAX_GROUPS];
    int group_count = 0;
    for (uint32_t i = 0; i < report->image_count; i++) {
        const struct insp_image *image = &report->images[i];
        int group = 0;
        while (group < group_count && !same_sort(groups[group].first, image))
            group++;
        if (group == MAX_GROUPS)
            continue;
        if (group == group_count) {
            memset(&groups[group_count], 0, sizeof groups[0]);
            groups[group_count++].first = image;
        }
        groups[group].count++;
        groups[group].stored += image->stored_bytes;
        groups[group].full += image->full_bytes;
    }
    for (int i = 0; i < group_count; i++)
        print_image_line(groups[i].first, groups[i].count, groups[i].stored, groups[i].full, "");
}

/* --------------------------------------------------------------------- kernels */

static void print_number(int64_t number, int width)
{
    if (number < 0)
        printf(" %*s", width, "-");
    else
        printf(" %*" PRId64, width, number);
}

static void describe_threads(char buffer[40], const struct insp_kernel *kernel)
{
    const uint32_t *numbers = kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads;
    if (numbers[0] == 0)
        snprintf(buffer, 40, "any");
    else
        snprintf(buffer, 40, "%s%" PRIu64, kernel->required_threads[0] ? "=" : "",
                 (uint64_t)numbers[0] * (numbers[1] ? numbers[1] : 1) * (numbers[2] ? numbers[2] : 1));
}

static void describe_occupancy(char buffer[64], const struct insp_kernel *kernel, int32_t arch)
{
    struct insp_occupancy occupancy;
    if (!insp_occupancy(&occupancy, kernel, arch))
        snprintf(buffer, 64, "-");
    else
        snprintf(buffer, 64, "%d/%d warps, by %s%s", occupancy.warps, occupancy.max_warps,
                 insp_limiter_name(occupancy.limiter), occupancy.assumed ? " at 256" : "");
}

static void print_kernel(const struct inspect_request *request, const struct insp_report *report,
                         const struct insp_kernel *kernel)
{
    const struct insp_image *image = &report->images[kernel->image];
    char name[32], threads[40], occupancy[64], spills[48] = "-";
    if (kernel->spill_store_bytes >= 0)
        snprintf(spills, sizeof spills, "%" PRId64 "/%" PRId64, kernel->spill_store_bytes,
                 kernel->spill_load_bytes);
    describe_threads(threads, kernel);
    describe_occupancy(occupancy, kernel, image->arch);
    printf("    %-11s", insp_image_name(name, image));
    print_number(kernel->registers, 5);
    printf(" %11s", spills);
    print_number(kernel->stack_bytes, 6);
    print_number(kernel->shared_bytes, 7);
    print_number(kernel->barriers, 4);
    printf(" %7s %3u (%" PRId64 " B)  %-36s %s\n", threads, kernel->parameter_count, kernel->parameter_bytes,
           occupancy, kernel->name);
    if (!request->all || kernel->parameter_count == 0)
        return;
    printf("      parameters, offset:bytes");
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        printf(" %u:%u", kernel->parameters[i].offset, kernel->parameters[i].bytes);
    putchar('\n');
}

static void print_kernels(const struct inspect_request *request, const struct insp_report *report)
{
    bool has_code = false;
    uint32_t listed = 0, wanted = 0;
    for (uint32_t i = 0; i < report->image_count; i++)
        has_code |= report->images[i].kind == INSP_CUBIN && report->images[i].kernel_count > 0;
    for (uint32_t i = 0; i < report->kernel_count; i++) {
        const struct insp_kernel *kernel = &report->kernels[i];
        if (!request->all && has_code && report->images[kernel->image].kind == INSP_PTX)
            continue;
        if (wanted++ >= MAX_KERNELS_LISTED && !request->all)
            continue;
        if (listed++ == 0)
            printf("    %-11s %5s %11s %6s %7s %4s %7s %-11s  %-36s %s\n", "code", "regs", "spill st/ld",
                   "stack", "shared", "bars", "threads", "parameters", "occupancy", "kernel");
        print_kernel(request, report, kernel);
    }
    if (wanted > listed)
        printf("    and %u more; --all shows them\n", wanted - listed);
}

void inspect_print_text(const struct inspect_request *request, const struct insp_report *report,
                        const struct insp_verdicts *verdicts)
{
    const char *build = insp_build_name(verdicts->build);
    printf("%s: %s, ", report->path, report->kind);
    if (report->image_count == 0) {
        printf("no GPU code\n");
        return;
    }
    printf("%u image%s, %u kernel%s%s%s\n", report->image_count, report->image_count == 1 ? "" : "s",
           report->kernel_count, report->kernel_count == 1 ? "" : "s", build ? ", built by " : "",
           build ? build : "");
    print_verdicts(verdicts);
    if (verdicts->count == 0)
        printf("  nothing to remark\n");
    printf("  images:\n");
    if (request->all || report->image_count <= MAX_IMAGES_LISTED)
        print_each_image(report);
    else
        print_image_groups(report);
    if (report->kernel_count > 0) {
        printf("  kernels:\n");
        print_kernels(request, report);
    }
}
