/* SPDX-License-Identifier: MIT */
/* verdict.h: what is wrong with the code in a file, worst first. */
#ifndef ISOMAT_INSPECT_VERDICT_H
#define ISOMAT_INSPECT_VERDICT_H

#include "arch.h"
#include "buildsystem.h"
#include "report.h"

/* Worst first. */
enum insp_code_of_verdict {
    INSP_IS_DEBUG,
    INSP_IS_NO_CODE,
    INSP_IS_PTX_TOO_NEW,
    INSP_IS_MIXED,
    INSP_IS_CUDART,
    INSP_IS_TOOLKIT,
    INSP_IS_PTX_ONLY,
    INSP_IS_SPILL,
    INSP_IS_OCCUPANCY,
    INSP_IS_REGISTERS,
    INSP_IS_STACK,
    INSP_IS_PARTIAL,
    INSP_IS_ARCH_SPECIFIC,
    INSP_IS_F64,
    INSP_IS_FMA,
    INSP_IS_SCALAR,
    INSP_IS_LAUNCH_BOUNDS,
    INSP_IS_LINEINFO,
    INSP_VERDICT_COUNT,
};

enum insp_severity { INSP_ERROR, INSP_WARNING, INSP_HINT };

struct insp_verdict {
    enum insp_code_of_verdict code;
    enum insp_severity severity;
    uint32_t count;       /* kernels, images or objects that it is about */
    const char *text;     /* what is wrong and what it costs */
    const char *evidence; /* where it was seen */
    const char *remedy;
};

struct insp_verdicts {
    struct insp_verdict list[INSP_VERDICT_COUNT];
    int count;
    enum insp_build build;
};

/* The name that --fail-on and the JSON use, "no-code"; NULL behind the last. */
const char *insp_verdict_name(enum insp_code_of_verdict code);
enum insp_severity insp_verdict_severity(enum insp_code_of_verdict code);
const char *insp_severity_name(enum insp_severity severity);

/* The texts live as long as the report. */
void insp_judge(struct insp_verdicts *verdicts, struct insp_report *report, const struct insp_target *target);

/* "sm_90a", "compute_80", "lto_90", in a buffer of 32 bytes. */
const char *insp_image_name(char buffer[32], const struct insp_image *image);

/* For the files verdict_*.c. */
struct insp_verdict *insp_add_verdict(struct insp_verdicts *verdicts, enum insp_code_of_verdict code,
                                      uint32_t count);
void insp_judge_images(struct insp_verdicts *verdicts, struct insp_report *report,
                       const struct insp_target *target);
void insp_judge_target(struct insp_verdicts *verdicts, struct insp_report *report,
                       const struct insp_target *target);
void insp_judge_partial(struct insp_verdicts *verdicts, struct insp_report *report,
                        const struct insp_target *target);
void insp_judge_kernels(struct insp_verdicts *verdicts, struct insp_report *report);

#endif /* ISOMAT_INSPECT_VERDICT_H */
