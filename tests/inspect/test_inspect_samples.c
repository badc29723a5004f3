/* SPDX-License-Identifier: MIT */
/* test_inspect_samples.c: what inspect reads out of the samples, bare and inside other files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/inspect.h"
#include "sample.h"

static struct insp_report *read_sample(const struct sample *sample)
{
    struct insp_report *report = insp_read_memory("sample", sample->bytes, sample->size);
    assert_non_null(report);
    return report;
}

static const struct insp_kernel *find(const struct insp_report *report, const char *name, int32_t kind)
{
    for (uint32_t i = 0; i < report->kernel_count; i++)
        if (strcmp(report->kernels[i].name, name) == 0 &&
            report->images[report->kernels[i].image].kind == kind)
            return &report->kernels[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

/* saxpy for sm_80 and its PTX, as every sample of one kernel has it. */
static void check_saxpy(const struct insp_report *report)
{
    assert_int_equal(report->problem_count, 0);
    assert_int_equal(report->image_count, 2);
    assert_int_equal(report->kernel_count, 2);
    assert_int_equal(report->images[0].kind, INSP_CUBIN);
    assert_int_equal(report->images[0].arch, 80);
    assert_int_equal(report->images[0].toolkit, 130);
    assert_int_equal(report->images[1].kind, INSP_PTX);
    assert_int_equal(report->images[1].arch, 80);
    assert_int_equal(report->images[1].ptx_version, 90);
    const struct insp_kernel *kernel = find(report, "saxpy", INSP_CUBIN);
    assert_int_equal(kernel->registers, report->images[0].debug ? 14 : 10);
    assert_int_equal(kernel->shared_bytes, 0);
    assert_int_equal(kernel->constant_bytes, 0x160 + 28);
    assert_int_equal(kernel->parameter_bytes, 28);
    assert_int_equal(kernel->parameter_count, 4);
    static const struct insp_parameter wanted[] = {{0, 4}, {8, 8}, {16, 8}, {24, 4}};
    assert_memory_equal(kernel->parameters, wanted, sizeof wanted);
    kernel = find(report, "saxpy", INSP_PTX);
    assert_int_equal(kernel->registers, INSP_UNKNOWN);
    assert_int_equal(kernel->parameter_count, 4);
    assert_memory_equal(kernel->parameters, wanted, sizeof wanted);
}

static void zstd_is_read(void **state)
{
    (void)state;
    struct sample sample = sample_load("zstd.fatbin");
    struct insp_report *report = read_sample(&sample);
    check_saxpy(report);
    assert_int_equal(report->images[0].packing, INSP_ZSTD);
    assert_int_equal(report->images[0].full_bytes, 3240);
    assert_int_equal(report->images[0].debug, 0);
    assert_int_equal(report->kernels[0].code.fma32, 1);
    assert_int_equal(report->kernels[0].code.global, 3);
    insp_report_free(report);
    sample_free(&sample);
}

static void lz4_is_read(void **state)
{
    (void)state;
    struct sample sample = sample_load("lz4.fatbin");
    struct insp_report *report = read_sample(&sample);
    check_saxpy(report);
    assert_int_equal(report->images[0].packing, INSP_LZ4);
    insp_report_free(report);
    sample_free(&sample);
}

static void debug_is_seen(void **state)
{
    (void)state;
    struct sample sample = sample_load("debug.fatbin");
    struct insp_report *report = read_sample(&sample);
    check_saxpy(report);
    assert_int_equal(report->images[0].debug, INSP_DEBUG_FLAG | INSP_DEBUG_SECTION | INSP_DEBUG_COMMAND);
    assert_int_equal(report->images[1].debug, INSP_DEBUG_FLAG | INSP_DEBUG_TARGET);
    assert_string_equal(report->images[0].source, "samples.cu");
    assert_int_equal(report->kernels[0].code.fma32, 0);
    insp_report_free(report);
    sample_free(&sample);
}

static void spills_are_counted(void **state)
{
    (void)state;
    struct sample sample = sample_load("spill.fatbin");
    struct insp_report *report = read_sample(&sample);
    assert_int_equal(report->problem_count, 0);
    const struct insp_kernel *kernel = find(report, "spill", INSP_CUBIN);
    assert_int_equal(kernel->registers, 32); /* as ptxas -v said when the sample was made */
    assert_int_equal(kernel->stack_bytes, 376);
    assert_int_equal(kernel->spill_store_bytes, 772);
    assert_int_equal(kernel->spill_load_bytes, 808);
    assert_int_equal(find(report, "saxpy", INSP_CUBIN)->spill_store_bytes, 0);
    insp_report_free(report);
    sample_free(&sample);
}

static void check_sm90a(const struct insp_report *report)
{
    assert_int_equal(report->problem_count, 0);
    assert_int_equal(report->image_count, 1);
    assert_int_equal(report->images[0].arch, 90);
    assert_int_equal(report->images[0].suffix, 'a');
    const struct insp_kernel *kernel = find(report, "reverse", INSP_CUBIN);
    assert_int_equal(kernel->registers, 14);
    assert_int_equal(kernel->shared_bytes, 512); /* without the reserved KiB */
    assert_int_equal(kernel->barriers, 1);
    assert_int_equal(kernel->max_threads[0], 128);
    kernel = find(report, "literal", INSP_CUBIN);
    assert_int_equal(kernel->code.widen, 1);
    assert_int_equal(kernel->code.narrow, 1);
    assert_int_equal(kernel->code.f64, 1);
    assert_int_equal(kernel->max_threads[0], 0);
}

static void cubin_is_read(void **state)
{
    (void)state;
    struct sample sample = sample_load("sm90a.cubin");
    struct insp_report *report = read_sample(&sample);
    assert_string_equal(report->kind, "cubin");
    check_sm90a(report);
    insp_report_free(report);
    sample_free(&sample);
}

static void ptx_is_read(void **state)
{
    (void)state;
    struct sample sample = sample_load("plain.ptx");
    struct insp_report *report = read_sample(&sample);
    assert_string_equal(report->kind, "PTX");
    assert_int_equal(report->images[0].arch, 75);
    assert_int_equal(report->images[0].ptx_version, 90);
    assert_int_equal(report->kernel_count, 3);
    assert_int_equal(find(report, "reverse", INSP_PTX)->max_threads[0], 128);
    assert_int_equal(find(report, "literal", INSP_PTX)->code.widen, 1);
    assert_int_equal(find(report, "saxpy", INSP_PTX)->code.fma32, 1);
    insp_report_free(report);
    sample_free(&sample);
}

static void elf_section_is_read(void **state)
{
    (void)state;
    static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin", ".rodata"};
    struct sample inner = sample_load("zstd.fatbin");
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        struct sample file = sample_in_elf(&inner, sections[i]);
        struct insp_report *report = read_sample(&file);
        check_saxpy(report);
        assert_string_equal(report->images[0].place, sections[i]);
        insp_report_free(report);
        sample_free(&file);
    }
    sample_free(&inner);
}

static void archive_member_is_read(void **state)
{
    (void)state;
    struct sample inner = sample_load("lz4.fatbin");
    struct sample object = sample_in_elf(&inner, ".nv_fatbin");
    struct sample archive = sample_in_archive(&object, "kernels.o");
    struct insp_report *report = read_sample(&archive);
    check_saxpy(report);
    assert_string_equal(report->kind, "archive");
    assert_string_equal(report->objects[report->images[0].object].member, "kernels.o");
    insp_report_free(report);
    sample_free(&archive);
    sample_free(&object);
    sample_free(&inner);
}

static void scan_finds_each_kind(void **state)
{
    (void)state;
    static const char *const names[] = {"zstd.fatbin", "sm90a.cubin", "plain.ptx"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sample inner = sample_load(names[i]);
        struct sample file = sample_in_junk(&inner);
        struct insp_report *report = read_sample(&file), *bare = read_sample(&inner);
        assert_int_equal(report->problem_count, 0);
        assert_int_equal(report->image_count, bare->image_count);
        assert_int_equal(report->kernel_count, bare->kernel_count);
        insp_report_free(report);
        insp_report_free(bare);
        sample_free(&file);
        sample_free(&inner);
    }
}

static void no_code_is_no_problem(void **state)
{
    (void)state;
    struct sample text = {(unsigned char *)"Nothing here.\n", 14}, empty = {(unsigned char *)"", 0};
    struct insp_report *report = read_sample(&text);
    assert_int_equal(report->image_count + report->problem_count, 0);
    insp_report_free(report);
    report = read_sample(&empty);
    assert_int_equal(report->image_count + report->problem_count, 0);
    assert_string_equal(report->kind, "empty file");
    insp_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zstd_is_read),         cmocka_unit_test(lz4_is_read),
        cmocka_unit_test(debug_is_seen),        cmocka_unit_test(spills_are_counted),
        cmocka_unit_test(cubin_is_read),        cmocka_unit_test(ptx_is_read),
        cmocka_unit_test(elf_section_is_read),  cmocka_unit_test(archive_member_is_read),
        cmocka_unit_test(scan_finds_each_kind), cmocka_unit_test(no_code_is_no_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
