/* SPDX-License-Identifier: MIT */
/* fuzz_inspect.c: libFuzzer's entry to the reader; fuzz.sh builds and runs it. */
#include <stddef.h>
#include <stdint.h>

#include "inspect/inspect.h"
#include "inspect/verdict.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct insp_target target = {.arch = 90, .driver = 130, .from = "fuzzer"};
    struct insp_verdicts verdicts;
    struct insp_report *report = insp_read_memory("fuzzer", bytes, size);
    if (report)
        insp_judge(&verdicts, report, &target);
    insp_report_free(report);
    return 0;
}
