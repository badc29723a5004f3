/* SPDX-License-Identifier: MIT */
/* verdict_target.c: verdicts about which devices the images of a file serve. */
#include <stdio.h>

#include "verdict.h"

/* ptxas took 2 to 3 s per MB of PTX on one core of a server. */
#define JIT_SECONDS_PER_BYTE 2.5e-6
#define JIT_SECONDS_AT_LEAST 0.02

enum { NAMED = 8 };

struct fits {
    uint32_t images[3]; /* by insp_fit */
    uint32_t too_new;   /* PTX that would fit with a newer driver */
    const struct insp_image *newest_ptx;
    uint64_t jit_bytes;     /* of the PTX to be compiled */
    int32_t newest_toolkit; /* that made an image */
    uint32_t code, ptx;     /* images of either kind */
};

static void count_image(struct fits *fits, const struct insp_image *image, const struct insp_target *target)
{
    if ((image->kind != INSP_PTX && image->kind != INSP_CUBIN) || image->kernel_count == 0)
        return; /* what nvcc links for a unit without kernels matters to none */
    int32_t toolkit = image->kind == INSP_PTX ? insp_ptx_toolkit(image->ptx_version) : image->toolkit;
    struct insp_target any_driver = *target;
    any_driver.driver = 0;
    if (toolkit > fits->newest_toolkit)
        fits->newest_toolkit = toolkit;
    fits->code += image->kind == INSP_CUBIN;
    fits->ptx += image->kind == INSP_PTX;
    if (!target->arch)
        return;
    enum insp_fit fit = insp_image_fit(image, target);
    fits->images[fit]++;
    if (fit == INSP_FIT_JIT)
        fits->jit_bytes += image->full_bytes;
    if (fit == INSP_NO_FIT && insp_image_fit(image, &any_driver) == INSP_FIT_JIT) {
        fits->too_new++;
        fits->newest_ptx = image;
    }
}

/* "sm_80, sm_90a, compute_90", each once. */
static const char *list_images(struct insp_report *report)
{
    char seen[NAMED][32], name[32], text[NAMED * 34] = "";
    int count = 0;
    for (uint32_t i = 0; i < report->image_count && count < NAMED; i++) {
        int known = 0;
        insp_image_name(name, &report->images[i]);
        while (known < count && strcmp(seen[known], name) != 0)
            known++;
        if (known < count || report->images[i].arch == 0)
            continue;
        memcpy(seen[count++], name, sizeof name);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", name);
    }
    return insp_arena_copy(&report->arena, text, strlen(text));
}

static const char *target_name(struct insp_report *report, const struct insp_target *target)
{
    char suffix[2] = {target->suffix, '\0'};
    return insp_arena_print(&report->arena, "%d%s", target->arch, suffix);
}

static void judge_toolkit(struct insp_verdicts *verdicts, struct insp_report *report, const struct fits *fits,
                          const struct insp_target *target)
{
    const struct insp_arch *arch = insp_arch_find(target->arch);
    if (!arch || !fits->newest_toolkit || fits->newest_toolkit >= arch->toolkit || fits->images[INSP_FIT])
        return;
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_TOOLKIT, fits->code + fits->ptx);
    verdict->text = insp_arena_print(
        &report->arena, "the toolkit is older than sm_%d and cannot make code for it", target->arch);
    verdict->evidence = insp_arena_print(
        &report->arena, "the newest image is of CUDA %d.%d; sm_%d needs %d.%d", fits->newest_toolkit / 10,
        fits->newest_toolkit % 10, target->arch, arch->toolkit / 10, arch->toolkit % 10);
    verdict->remedy = insp_arena_print(&report->arena, "build with CUDA %d.%d or later", arch->toolkit / 10,
                                       arch->toolkit % 10);
}

static void judge_no_code(struct insp_verdicts *verdicts, struct insp_report *report, const struct fits *fits,
                          const struct insp_target *target)
{
    if (fits->images[INSP_FIT] || fits->images[INSP_FIT_JIT] || fits->too_new || fits->code + fits->ptx == 0)
        return;
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_NO_CODE, fits->code + fits->ptx);
    verdict->text =
        insp_arena_print(&report->arena, "no code for sm_%s (%s): nothing in the file can run there",
                         target_name(report, target), target->from);
    verdict->evidence = insp_arena_print(&report->arena, "the file has %s", list_images(report));
    verdict->remedy = insp_build_add_arch(&report->arena, verdicts->build, target_name(report, target));
}

static void judge_too_new(struct insp_verdicts *verdicts, struct insp_report *report, const struct fits *fits,
                          const struct insp_target *target)
{
    if (!fits->too_new || fits->images[INSP_FIT] || fits->images[INSP_FIT_JIT])
        return;
    int32_t version = fits->newest_ptx->ptx_version, needed = insp_ptx_toolkit(version);
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_PTX_TOO_NEW, fits->too_new);
    verdict->text = insp_arena_print(&report->arena,
                                     "the PTX is newer than the driver accepts, and there is no "
                                     "machine code for sm_%s",
                                     target_name(report, target));
    verdict->evidence = insp_arena_print(
        &report->arena, "PTX %d.%d needs a driver for CUDA %d.%d; this one is for %d.%d", version / 10,
        version % 10, needed / 10, needed % 10, target->driver / 10, target->driver % 10);
    verdict->remedy =
        insp_arena_print(&report->arena, "update the driver, or add machine code: %s",
                         insp_build_add_arch(&report->arena, verdicts->build, target_name(report, target)));
}

/* With a target: PTX is what would run there.  Without: the file has nothing else. */
static void judge_ptx_only(struct insp_verdicts *verdicts, struct insp_report *report,
                           const struct fits *fits, const struct insp_target *target)
{
    uint64_t bytes = fits->jit_bytes;
    uint32_t count = fits->images[INSP_FIT_JIT];
    if (fits->images[INSP_FIT] || fits->code + fits->ptx == 0 || (target->arch ? count == 0 : fits->code > 0))
        return;
    for (uint32_t i = 0; !target->arch && i < report->image_count; i++) {
        bool ptx = report->images[i].kind == INSP_PTX && report->images[i].kernel_count > 0;
        bytes += ptx ? report->images[i].full_bytes : 0;
        count += ptx;
    }
    double seconds = JIT_SECONDS_AT_LEAST + JIT_SECONDS_PER_BYTE * (double)bytes;
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_PTX_ONLY, count);
    verdict->text =
        insp_arena_print(&report->arena,
                         "PTX only%s%s: the driver compiles it at first use, and again wherever its "
                         "cache is absent",
                         target->arch ? " for sm_" : "", target->arch ? target_name(report, target) : "");
    verdict->evidence = insp_arena_print(
        &report->arena, "%u PTX images of %llu bytes, about %.2g s to compile all; the file has %s", count,
        (unsigned long long)bytes, seconds, list_images(report));
    verdict->remedy = insp_build_add_arch(&report->arena, verdicts->build,
                                          target->arch ? target_name(report, target) : "90");
}

void insp_judge_target(struct insp_verdicts *verdicts, struct insp_report *report,
                       const struct insp_target *target)
{
    struct fits fits = {.newest_ptx = NULL};
    for (uint32_t i = 0; i < report->image_count; i++)
        count_image(&fits, &report->images[i], target);
    judge_ptx_only(verdicts, report, &fits, target);
    if (!target->arch)
        return;
    judge_no_code(verdicts, report, &fits, target);
    judge_too_new(verdicts, report, &fits, target);
    judge_toolkit(verdicts, report, &fits, target);
    insp_judge_partial(verdicts, report, target);
}
