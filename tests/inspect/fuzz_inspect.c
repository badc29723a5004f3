/* SPDX-License-Identifier: MIT */
/* fuzz_inspect.c: libFuzzer's entry to the reader.  Built by hand, and begun with the samples:
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. -Iinclude \
 *       tests/inspect/fuzz_inspect.c $(find inspect -name '*.c') \
 *       -lelf -llz4 -lzstd -o fuzz_inspect
 *   mkdir -p corpus && ./fuzz_inspect -max_len=65536 -timeout=10 corpus tests/inspect/samples
 */
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
