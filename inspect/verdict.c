/* SPDX-License-Identifier: MIT */
/* verdict.c: what is wrong with the code in a file, worst first. */
#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    enum insp_severity severity;
} kinds[] = {
    [INSP_IS_DEBUG] = {"debug", INSP_ERROR},
    [INSP_IS_NO_CODE] = {"no-code", INSP_ERROR},
    [INSP_IS_PTX_TOO_NEW] = {"ptx-too-new", INSP_ERROR},
    [INSP_IS_MIXED] = {"mixed", INSP_WARNING},
    [INSP_IS_CUDART] = {"cudart", INSP_WARNING},
    [INSP_IS_TOOLKIT] = {"toolkit", INSP_WARNING},
    [INSP_IS_PTX_ONLY] = {"ptx-only", INSP_WARNING},
    [INSP_IS_SPILL] = {"spill", INSP_WARNING},
    [INSP_IS_OCCUPANCY] = {"occupancy", INSP_HINT},
    [INSP_IS_REGISTERS] = {"registers", INSP_HINT},
    [INSP_IS_STACK] = {"stack", INSP_HINT},
    [INSP_IS_PARTIAL] = {"partial", INSP_HINT},
    [INSP_IS_ARCH_SPECIFIC] = {"arch-specific", INSP_HINT},
    [INSP_IS_F64] = {"f64", INSP_HINT},
    [INSP_IS_FMA] = {"fma", INSP_HINT},
    [INSP_IS_SCALAR] = {"scalar", INSP_HINT},
    [INSP_IS_LAUNCH_BOUNDS] = {"launch-bounds", INSP_HINT},
    [INSP_IS_LINEINFO] = {"lineinfo", INSP_HINT},
};

const char *insp_verdict_name(enum insp_code_of_verdict code)
{
    return code < INSP_VERDICT_COUNT ? kinds[code].name : NULL;
}

enum insp_severity insp_verdict_severity(enum insp_code_of_verdict code)
{
    return kinds[code].severity;
}

const char *insp_severity_name(enum insp_severity severity)
{
    static const char *const names[] = {"error", "warning", "hint"};
    return names[severity];
}

const char *insp_image_name(char buffer[32], const struct insp_image *image)
{
    char suffix[2] = {image->suffix, '\0'};
    snprintf(buffer, 32, "%s%d%s",
             image->kind == INSP_PTX     ? "compute_"
             : image->kind == INSP_CUBIN ? "sm_"
             : image->kind == INSP_LTOIR ? "lto_"
                                         : "unknown_",
             image->arch, suffix);
    return buffer;
}

struct insp_verdict *insp_add_verdict(struct insp_verdicts *verdicts, enum insp_code_of_verdict code,
                                      uint32_t count)
{
    struct insp_verdict *verdict = &verdicts->list[verdicts->count++];
    *verdict = (struct insp_verdict){.code = code,
                                     .severity = kinds[code].severity,
                                     .count = count,
                                     .text = "",
                                     .evidence = "",
                                     .remedy = ""};
    return verdict;
}

static int worst_first(const void *left, const void *right)
{
    const struct insp_verdict *a = left, *b = right;
    return a->severity != b->severity ? (int)a->severity - (int)b->severity : (int)a->code - (int)b->code;
}

void insp_judge(struct insp_verdicts *verdicts, struct insp_report *report, const struct insp_target *target)
{
    *verdicts = (struct insp_verdicts){.count = 0};
    if (report->image_count == 0)
        return;
    verdicts->build = insp_find_build(report);
    insp_judge_images(verdicts, report, target);
    insp_judge_target(verdicts, report, target);
    insp_judge_kernels(verdicts, report);
    qsort(verdicts->list, (size_t)verdicts->count, sizeof *verdicts->list, worst_first);
}
