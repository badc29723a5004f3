/* SPDX-License-Identifier: MIT */
/* test_inspect_verdicts.c: verdicts, and occupancy, on reports made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/verdict.h"

static struct insp_object object;
static struct insp_image images[2];
static struct insp_kernel kernels[2];
static struct insp_report report;
static struct insp_target target;
static struct insp_verdicts verdicts;

/* A clean cubin for sm_90 and a clean kernel in it. */
static int set_up(void **state)
{
    (void)state;
    object = (struct insp_object){.kind = "ELF executable"};
    images[0] = (struct insp_image){.place = "",
                                    .kind = INSP_CUBIN,
                                    .arch = 90,
                                    .toolkit = 130,
                                    .lineinfo = true,
                                    .full_bytes = 1000,
                                    .kernel_count = 1};
    images[1] = (struct insp_image){.place = "",
                                    .kind = INSP_PTX,
                                    .arch = 80,
                                    .ptx_version = 90,
                                    .full_bytes = 1000,
                                    .lineinfo = true,
                                    .kernel_count = 1};
    kernels[0] =
        (struct insp_kernel){.name = "k", .registers = 40, .max_threads = {256, 1, 1}, .barriers = 1};
    kernels[1] = kernels[0];
    report = (struct insp_report){.path = "/nonexistent/file",
                                  .kind = "file",
                                  .objects = &object,
                                  .object_count = 1,
                                  .images = images,
                                  .image_count = 1,
                                  .kernels = kernels,
                                  .kernel_count = 1};
    target = (struct insp_target){.from = "--arch"};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    insp_arena_free(&report.arena);
    return 0;
}

static bool judged(enum insp_code_of_verdict code)
{
    insp_judge(&verdicts, &report, &target);
    for (int i = 0; i < verdicts.count; i++) {
        const struct insp_verdict *verdict = &verdicts.list[i];
        assert_true(*verdict->text && *verdict->evidence && *verdict->remedy && verdict->count > 0);
        assert_true(i == 0 || verdicts.list[i - 1].severity <= verdict->severity);
    }
    for (int i = 0; i < verdicts.count; i++)
        if (verdicts.list[i].code == code)
            return true;
    return false;
}

static void clean_file_has_no_verdict(void **state)
{
    (void)state;
    assert_false(judged(INSP_VERDICT_COUNT));
    assert_int_equal(verdicts.count, 0);
    report.image_count = report.kernel_count = 0;
    assert_false(judged(INSP_VERDICT_COUNT));
    assert_int_equal(verdicts.count, 0);
}

static void debug_comes_first(void **state)
{
    (void)state;
    images[0].debug = INSP_DEBUG_FLAG;
    kernels[0].spill_store_bytes = kernels[0].spill_load_bytes = 8;
    kernels[0].stack_bytes = 336;
    assert_true(judged(INSP_IS_DEBUG));
    assert_int_equal(verdicts.list[0].code, INSP_IS_DEBUG);
    assert_int_equal(verdicts.count, 1); /* what -G causes is not said again */
    report.image_count = 2;
    assert_true(judged(INSP_IS_MIXED));
}

static void rust_gets_cargo_remedy(void **state)
{
    (void)state;
    images[0].debug = INSP_DEBUG_FLAG;
    object.rust = true;
    assert_true(judged(INSP_IS_DEBUG));
    assert_int_equal(verdicts.build, INSP_BUILD_CARGO);
    assert_non_null(strstr(verdicts.list[0].remedy, "debug = false"));
}

static void device_without_code(void **state)
{
    (void)state;
    target.arch = 80;
    assert_true(judged(INSP_IS_NO_CODE));
    target.arch = 90;
    assert_false(judged(INSP_IS_NO_CODE));
    images[0].arch = 100;
    target.arch = 103; /* same major version */
    assert_false(judged(INSP_IS_NO_CODE));
    images[0].suffix = 'a';
    assert_true(judged(INSP_IS_NO_CODE));
    images[0].suffix = 'f';
    assert_false(judged(INSP_IS_NO_CODE));
    target.arch = 120;
    assert_true(judged(INSP_IS_NO_CODE));
}

/* An image without kernels, as nvcc links it for a unit that has none, says nothing of the file. */
static void empty_image_has_no_verdict(void **state)
{
    (void)state;
    images[0].kernel_count = report.kernel_count = 0;
    target.arch = 80;
    assert_false(judged(INSP_VERDICT_COUNT));
    assert_int_equal(verdicts.count, 0);
}

static void ptx_for_device(void **state)
{
    (void)state;
    report.image_count = 2;
    target.arch = 120;
    assert_true(judged(INSP_IS_PTX_ONLY));
    assert_false(judged(INSP_IS_NO_CODE));
    target.driver = 124;
    assert_true(judged(INSP_IS_PTX_TOO_NEW));
    assert_false(judged(INSP_IS_PTX_ONLY));
    target.driver = 130;
    assert_false(judged(INSP_IS_PTX_TOO_NEW));
    target.arch = 75;
    assert_true(judged(INSP_IS_NO_CODE)); /* PTX for a newer device */
    images[0] = images[1];
    target.arch = 0;
    assert_true(judged(INSP_IS_PTX_ONLY));
}

static void old_toolkit(void **state)
{
    (void)state;
    images[0].toolkit = 118;
    target.arch = 120;
    assert_true(judged(INSP_IS_TOOLKIT));
    target.arch = 90;
    assert_false(judged(INSP_IS_TOOLKIT));
}

static void some_kernels_without_code(void **state)
{
    (void)state;
    report.image_count = report.kernel_count = 2;
    images[1] = images[0];
    images[1].arch = 80;
    images[1].first_kernel = 1;
    kernels[1].name = "other";
    kernels[1].image = 1;
    target.arch = 90;
    assert_true(judged(INSP_IS_PARTIAL));
    kernels[1].name = "k";
    assert_false(judged(INSP_IS_PARTIAL));
}

static void two_cudarts(void **state)
{
    (void)state;
    object.static_cudart = true;
    assert_false(judged(INSP_IS_CUDART));
    object.needed_cudart = "libcudart.so.13";
    assert_true(judged(INSP_IS_CUDART));
}

static void kernels_are_judged(void **state)
{
    (void)state;
    static const struct {
        enum insp_code_of_verdict code;
        struct insp_kernel kernel;
    } rows[] = {
        {INSP_IS_SPILL, {.registers = 40, .spill_store_bytes = 4, .spill_load_bytes = 8}},
        {INSP_IS_STACK, {.registers = 40, .stack_bytes = 256}},
        {INSP_IS_REGISTERS, {.registers = 255, .max_threads = {128}}},
        {INSP_IS_OCCUPANCY, {.registers = 40, .max_threads = {128}, .shared_bytes = 200 << 10}},
        {INSP_IS_LAUNCH_BOUNDS, {.registers = 80}},
        {INSP_IS_F64, {.registers = 40, .code = {.f64 = 2, .widen = 1, .narrow = 1}}},
        {INSP_IS_FMA, {.registers = 40, .code = {.f32 = 2, .mul_add32 = 1}}},
        {INSP_IS_SCALAR, {.registers = 40, .code = {.global = 8, .neighbours = 2}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernels[0] = rows[i].kernel;
        kernels[0].name = "k";
        assert_true(judged(rows[i].code));
        assert_int_equal(verdicts.count, 1);
    }
}

static void no_false_verdicts(void **state)
{
    (void)state;
    kernels[0].code = (struct insp_code){
        .f32 = 9, .fma32 = 4, .mul_add32 = 1, .global = 9, .global_vector = 1, .neighbours = 2};
    kernels[0].registers = 64;
    kernels[0].max_threads[0] = 0;
    assert_false(judged(INSP_VERDICT_COUNT));
    assert_int_equal(verdicts.count, 0);
    kernels[0].code = (struct insp_code){.f64 = 100, .narrow = 1};
    kernels[0].spill_store_bytes = kernels[0].spill_load_bytes = kernels[0].stack_bytes = INSP_UNKNOWN;
    judged(INSP_VERDICT_COUNT);
    assert_int_equal(verdicts.count, 0);
}

/* As NVIDIA's cuda_occupancy.h says. */
static void occupancy_is_reckoned(void **state)
{
    (void)state;
    static const struct {
        int32_t arch, registers, threads, shared, blocks;
        enum insp_limiter limiter;
    } rows[] = {
        {75, 32, 1024, 0, 1, INSP_BY_THREADS},      {75, 64, 256, 0, 4, INSP_BY_THREADS},
        {80, 32, 1024, 0, 2, INSP_BY_THREADS},      {80, 32, 32, 0, 32, INSP_BY_BLOCKS},
        {80, 40, 256, 0, 6, INSP_BY_REGISTERS},     {80, 255, 256, 0, 1, INSP_BY_REGISTERS},
        {80, 32, 128, 48 << 10, 3, INSP_BY_SHARED}, {86, 32, 128, 48 << 10, 2, INSP_BY_SHARED},
        {60, 37, 64, 0, 25, INSP_BY_REGISTERS},     {89, 40, 128, 0, 12, INSP_BY_THREADS},
        {90, 168, 384, 0, 1, INSP_BY_REGISTERS},    {90, 32, 128, 100 << 10, 2, INSP_BY_SHARED},
        {120, 128, 256, 0, 2, INSP_BY_REGISTERS},   {90, 32, 128, 228 << 10, 0, INSP_BY_SHARED},
        {80, 128, 1024, 0, 0, INSP_BY_REGISTERS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct insp_occupancy occupancy;
        struct insp_kernel kernel = {.registers = rows[i].registers,
                                     .shared_bytes = rows[i].shared,
                                     .max_threads = {(uint32_t)rows[i].threads, 1, 1}};
        assert_true(insp_occupancy(&occupancy, &kernel, rows[i].arch));
        if (occupancy.blocks != rows[i].blocks || occupancy.limiter != rows[i].limiter)
            fail_msg("row %zu: %d blocks by %s", i, occupancy.blocks, insp_limiter_name(occupancy.limiter));
        assert_int_equal(occupancy.warps, occupancy.blocks * rows[i].threads / 32);
    }
    struct insp_occupancy occupancy;
    assert_false(insp_occupancy(&occupancy, &kernels[0], 999));
    kernels[0].registers = INSP_UNKNOWN;
    assert_false(insp_occupancy(&occupancy, &kernels[0], 90));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(clean_file_has_no_verdict),
        TEST(debug_comes_first),
        TEST(rust_gets_cargo_remedy),
        TEST(device_without_code),
        TEST(empty_image_has_no_verdict),
        TEST(ptx_for_device),
        TEST(old_toolkit),
        TEST(some_kernels_without_code),
        TEST(two_cudarts),
        TEST(kernels_are_judged),
        TEST(no_false_verdicts),
        TEST(occupancy_is_reckoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
