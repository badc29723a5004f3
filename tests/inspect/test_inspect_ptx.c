/* SPDX-License-Identifier: MIT */
/* test_inspect_ptx.c: what inspect reads out of PTX text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "inspect/inspect.h"

#define HEAD ".version 8.4\n.target sm_90a\n.address_size 64\n"

static struct insp_report *read_text(const char *text)
{
    struct insp_report *report = insp_read_memory("text", text, strlen(text));
    assert_non_null(report);
    return report;
}

static void header_is_read(void **state)
{
    (void)state;
    struct insp_report *report = read_text("// made by hand\n/* .version 1.0 */ .version 8.4\n"
                                           ".target sm_120f, texmode_independent, debug\n.address_size 64\n");
    assert_int_equal(report->problem_count, 0);
    assert_int_equal(report->images[0].ptx_version, 84);
    assert_int_equal(report->images[0].arch, 120);
    assert_int_equal(report->images[0].suffix, 'f');
    assert_int_equal(report->images[0].debug, INSP_DEBUG_TARGET);
    assert_int_equal(report->kernel_count, 0);
    insp_report_free(report);
}

static void entry_is_read(void **state)
{
    (void)state;
    struct insp_report *report =
        read_text(HEAD ".extern .func helper;\n.visible .func (.param .b32 r) f(.param .b32 a) { ret; }\n"
                       ".entry early(.param .u64 p);\n"
                       ".visible .entry early(\n  .param .u8 a,\n  .param .align 16 .b8 b[48],\n"
                       "  .param .u64 .ptr .global .align 4 c, .param .f32 d)\n"
                       ".reqntid 64, 2\n.maxnreg 40\n.reqnctapercluster 2, 1, 1\n"
                       "{ .pragma \"nounroll; }\"; ret; }\n.entry bare { }");
    assert_int_equal(report->problem_count, 0);
    assert_int_equal(report->kernel_count, 2);
    const struct insp_kernel *kernel = &report->kernels[0];
    static const struct insp_parameter wanted[] = {{0, 1}, {16, 48}, {64, 8}, {72, 4}};
    assert_string_equal(kernel->name, "early");
    assert_int_equal(kernel->parameter_count, 4);
    assert_memory_equal(kernel->parameters, wanted, sizeof wanted);
    assert_int_equal(kernel->parameter_bytes, 76);
    assert_int_equal(kernel->required_threads[0], 64);
    assert_int_equal(kernel->required_threads[1], 2);
    assert_int_equal(kernel->required_threads[2], 1);
    assert_int_equal(kernel->max_registers, 40);
    assert_int_equal(kernel->cluster[0], 2);
    assert_string_equal(report->kernels[1].name, "bare");
    assert_int_equal(report->kernels[1].parameter_bytes, INSP_UNKNOWN);
    insp_report_free(report);
}

static struct insp_code read_body(const char *body)
{
    char text[2048];
    strcpy(text, HEAD ".entry k()\n{\n");
    strcat(text, body);
    strcat(text, "\nret;\n}\n");
    struct insp_report *report = read_text(text);
    assert_int_equal(report->problem_count, 0);
    assert_int_equal(report->kernel_count, 1);
    struct insp_code code = report->kernels[0].code;
    insp_report_free(report);
    return code;
}

static void arithmetic_is_counted(void **state)
{
    (void)state;
    struct insp_code code =
        read_body(".reg .f32 %f<9>;\nfma.rn.f32 %f1, %f2, %f3, %f4;\n@%p1 add.f32 %f1, %f1, %f2;\n"
                  "$L1:\n@!%p2 mul.f64 %fd1, %fd2, %fd3; add.s32 %r1, %r1, 1;");
    assert_int_equal(code.f32, 2);
    assert_int_equal(code.fma32, 1);
    assert_int_equal(code.f64, 1);
    assert_int_equal(code.instructions, 5);
    code =
        read_body("cvt.f64.f32 %fd1, %f1; mul.f64 %fd2, %fd1, 0d400A666666666666; cvt.rn.f32.f64 %f2, %fd2;");
    assert_int_equal(code.widen, 1);
    assert_int_equal(code.narrow, 1);
}

static void unfused_products_are_counted(void **state)
{
    (void)state;
    assert_int_equal(read_body("mul.rn.f32 %f3, %f1, %f2; add.rn.f32 %f4, %f5, %f3;").mul_add32, 1);
    /* ptxas fuses these */
    assert_int_equal(read_body("mul.f32 %f3, %f1, %f2; add.f32 %f4, %f5, %f3;").mul_add32, 0);
    /* no product any more */
    assert_int_equal(
        read_body("mul.rn.f32 %f3, %f1, %f2; fma.rn.f32 %f3, %f1, %f1, %f1; add.rn.f32 %f4, %f5, %f3;")
            .mul_add32,
        0);
}

static void accesses_are_counted(void **state)
{
    (void)state;
    struct insp_code code =
        read_body("ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];\n"
                  "ld.global.f32 %f3, [%rd1+8]; ld.global.f32 %f4, [%rd1+12];\n"
                  "st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4}; st.local.u32 [%rd3], %r1;");
    assert_int_equal(code.global, 5);
    assert_int_equal(code.global_vector, 1);
    assert_int_equal(code.neighbours, 1);
    assert_int_equal(code.local, 1);
    code = read_body("ld.global.f32 %f1, [%rd1+-8]; ld.global.f32 %f2, [%rd1+-4];\n"
                     "ld.global.f32 %f3, [%rd1+4]; ld.global.f32 %f4, [%rd1+64];");
    assert_int_equal(code.neighbours, 0);
}

static void broken_text_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {".version 8.4\n", ".version x\n.target sm_90\n",
                                        ".version 8.4\n.target 90\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct insp_report *report = read_text(texts[i]);
        assert_int_equal(report->problem_count, 1);
        insp_report_free(report);
    }
}

/* The text ends where the memory does: a byte read beyond it ends the test. */
static void text_may_end_anywhere(void **state)
{
    static const char text[] =
        ".version 8.4\n.target sm_90\n.visible .entry f()\n{\nadd.f32 %f1, %f2, %f3;\n\"";
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    for (size_t length = 1; length < sizeof text; length++) {
        char *at = memory + page - length;
        memcpy(at, text, length);
        insp_report_free(insp_read_memory("text", at, length));
    }
    munmap(memory, 2 * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_is_read),        cmocka_unit_test(entry_is_read),
        cmocka_unit_test(arithmetic_is_counted), cmocka_unit_test(unfused_products_are_counted),
        cmocka_unit_test(accesses_are_counted),  cmocka_unit_test(broken_text_is_refused),
        cmocka_unit_test(text_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
