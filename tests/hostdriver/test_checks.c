/* SPDX-License-Identifier: MIT */
/* test_checks.c: ISOMAT_HOST_CHECK finds races and unwritten shared memory, and names the source's line. */
#include "hostdriver.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"some/kernel.cu\"\n"
#define KERNEL(body)                                                                                         \
    HEADER                                                                                                   \
    ".visible .entry k(.param .u64 q) {\n.reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<5>; .shared "       \
    ".align 16 .b8 s[512];\n"                                                                                \
    "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.s32 %r4, %r3, %r2; xor.b32 %r5, "         \
    "%r2, 128; add.s32 %r5, %r5, %r3;\n" body "\n}\n"

static CUresult run(const char *ptx, char *text, size_t capacity)
{
    CUcontext context = hostdriver_context();
    CUmodule module = hostdriver_load(ptx);
    CUdeviceptr pointer = hostdriver_copy(NULL, 512);

    hostdriver_launch(hostdriver_function(module, "k"), 2, 64, (void *[]){&pointer});
    CUresult result = CALL(cuCtxSynchronize)();
    CALL(isomat_hostdriver_describe)(text, capacity);
    assert_ok(CALL(cuCtxDestroy_v2)(context));
    return result;
}

static void finds(const char *ptx, const char *detail)
{
    char text[4096];

    assert_result(run(ptx, text, sizeof text), CUDA_ERROR_LAUNCH_FAILED);
    if (strstr(text, detail) == NULL)
        print_error("expected %s in: %s\n", detail, text);
    assert_non_null(strstr(text, detail));
}

static void test_race(void **state)
{
    (void)state;
    /* The second warp, which goes on first, reads what the first then writes. */
    finds(KERNEL("st.shared.u32 [%r4], 0; bar.sync 0;\n.loc 1 12 5\nst.shared.u32 [%r4], %r1;\n.loc 1 13 5\n"
                 "ld.shared.u32 %r6, [%r5]; ret;"),
          "race in shared memory in kernel k, PTX line 10, block (0,0,0), thread (0,0,0), "
          "some/kernel.cu:12, with "
          "thread number 32 at PTX line 12");
    finds(KERNEL("st.shared.u32 [%r3], %r1; ret;"), "race in shared memory");
    finds(
        KERNEL("st.shared.u32 [%r4], 0; bar.sync 0; ld.shared.u32 %r6, [%r5]; st.shared.u32 [%r4], 1; ret;"),
        "race in shared memory");
}

static void test_unwritten(void **state)
{
    (void)state;
    finds(KERNEL("ld.shared.u32 %r6, [%r4]; ret;"), "read of shared memory that was never written");
}

static void test_clean(void **state)
{
    char text[4096];

    (void)state;
    assert_ok(run(
        KERNEL("st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r6, [%r5]; bar.sync 0;\n"
               "st.shared.u32 [%r5], %r6; setp.ne.u32 %p1, %r1, 0; @%p1 bra J; st.shared.u32 [%r3+256], 0;\n"
               "J: bar.sync 0; atom.shared.add.u32 %r7, [%r3+256], 1; ret;"),
        text, sizeof text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_clean),
    };

    setenv("ISOMAT_HOST_CHECK", "race,init", 1);
    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
