/* SPDX-License-Identifier: MIT */
/* test_inspect_damage.c: every beginning of each sample, and each sample with every byte changed: a
 * result or a problem, and no crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/inspect.h"
#include "inspect/verdict.h"
#include "sample.h"

static const char *const names[] = {"zstd.fatbin",  "lz4.fatbin",  "debug.fatbin",
                                    "spill.fatbin", "sm90a.cubin", "plain.ptx"};

enum { NAME_COUNT = sizeof names / sizeof *names };

/* Reads a copy of exactly that size, so that a sanitizer sees a byte too many; returns the problems. */
static uint32_t read_copy(const unsigned char *bytes, size_t size)
{
    static const struct insp_target target = {.arch = 90, .driver = 130, .from = "test"};
    struct insp_verdicts verdicts;
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    struct insp_report *report = insp_read_memory("sample", copy, size);
    assert_non_null(report);
    uint32_t problems = report->problem_count;
    for (uint32_t i = 0; i < report->image_count; i++)
        assert_true(report->images[i].first_kernel + report->images[i].kernel_count <= report->kernel_count);
    insp_judge(&verdicts, report, &target);
    insp_report_free(report);
    free(copy);
    return problems;
}

/* A step of 1 for small files; for larger ones the tests must still end soon. */
static size_t step_for(const struct sample *sample)
{
    return sample->size > 4000 ? 3 : 1;
}

static void check_prefixes(const struct sample *sample, bool damage_is_told)
{
    for (size_t size = 0; size < sample->size; size += step_for(sample)) {
        uint32_t problems = read_copy(sample->bytes, size);
        if (damage_is_told && size >= 4 && problems == 0)
            fail_msg("the first %zu of %zu bytes are taken for a whole file", size, sample->size);
    }
}

static void check_changes(const struct sample *sample)
{
    static const unsigned char changes[] = {0xff, 0x01, 0x80};
    for (size_t i = 0; i < sample->size; i += step_for(sample)) {
        unsigned char kept = sample->bytes[i];
        for (size_t j = 0; j < sizeof changes; j++) {
            sample->bytes[i] = kept ^ changes[j];
            read_copy(sample->bytes, sample->size);
        }
        sample->bytes[i] = kept;
    }
}

static void truncated_samples(void **state)
{
    (void)state;
    for (int i = 0; i < NAME_COUNT; i++) {
        struct sample sample = sample_load(names[i]);
        check_prefixes(&sample, strstr(names[i], ".fatbin") != NULL);
        sample_free(&sample);
    }
}

static void changed_samples(void **state)
{
    (void)state;
    for (int i = 0; i < NAME_COUNT; i++) {
        struct sample sample = sample_load(names[i]);
        check_changes(&sample);
        sample_free(&sample);
    }
}

static void damaged_elf_and_archive(void **state)
{
    (void)state;
    struct sample inner = sample_load("zstd.fatbin");
    struct sample file = sample_in_elf(&inner, ".nv_fatbin");
    struct sample archive = sample_in_archive(&file, "kernels.o");
    check_prefixes(&file, false);
    check_changes(&file);
    check_prefixes(&archive, false);
    check_changes(&archive);
    sample_free(&archive);
    sample_free(&file);
    sample_free(&inner);
}

/* An entry that claims a terabyte, or 256 MiB of a few bytes, is refused before any memory is asked for. */
static void bombs_are_refused(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {(uint64_t)1 << 40, (uint64_t)1 << 28, UINT64_MAX, 0};
    struct sample sample = sample_load("zstd.fatbin");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memcpy(sample.bytes + 16 + 0x38, &sizes[i], sizeof sizes[i]);
        assert_int_not_equal(read_copy(sample.bytes, sample.size), 0);
    }
    sample_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_samples),
        cmocka_unit_test(changed_samples),
        cmocka_unit_test(damaged_elf_and_archive),
        cmocka_unit_test(bombs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
