/* SPDX-License-Identifier: MIT */
/* verdict_partial.c: kernels that a device cannot run although it can run others of the file. */
#include <stdio.h>
#include <stdlib.h>

#include "verdict.h"

enum { NAMED = 3 };

static int by_name(const void *left, const void *right)
{
    const struct insp_kernel *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static const struct insp_kernel **sorted_kernels(const struct insp_report *report)
{
    const struct insp_kernel **kernels = malloc((size_t)report->kernel_count * sizeof *kernels);
    if (!kernels)
        return NULL;
    for (uint32_t i = 0; i < report->kernel_count; i++)
        kernels[i] = &report->kernels[i];
    qsort(kernels, report->kernel_count, sizeof *kernels, by_name);
    return kernels;
}

void insp_judge_partial(struct insp_verdicts *verdicts, struct insp_report *report,
                        const struct insp_target *target)
{
    const struct insp_kernel **kernels = report->kernel_count ? sorted_kernels(report) : NULL;
    char names[512] = "";
    uint32_t names_seen = 0, missing = 0;
    for (uint32_t i = 0, end; kernels && i < report->kernel_count; i = end) {
        bool fits = false;
        for (end = i; end < report->kernel_count && strcmp(kernels[end]->name, kernels[i]->name) == 0; end++)
            fits |= insp_image_fit(&report->images[kernels[end]->image], target) != INSP_NO_FIT;
        names_seen++;
        if (fits)
            continue;
        if (missing++ < NAMED)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.100s", *names ? ", " : "",
                     kernels[i]->name);
    }
    free(kernels);
    if (missing == 0 || missing == names_seen)
        return; /* all: the verdict no-code says it */
    struct insp_verdict *verdict = insp_add_verdict(verdicts, INSP_IS_PARTIAL, missing);
    verdict->text =
        insp_arena_print(&report->arena, "some kernels have no code for sm_%d (%s), and others have",
                         target->arch, target->from);
    verdict->evidence = insp_arena_print(&report->arena, "%u of %u kernels: %s%s", missing, names_seen, names,
                                         missing > NAMED ? ", ..." : "");
    verdict->remedy =
        "meant in libraries that choose kernels by device; if not, give all units the same -gencode "
        "options";
}
