/* SPDX-License-Identifier: MIT */
/* test_checks.c: what ISOMAT_HOST_CHECK finds, what it lets pass, and that reports name the source's line. */
#include "hostdriver.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"some/kernel.cu\"\n"
#define KERNEL(body)                                                                                         \
    HEADER                                                                                                   \
    ".visible .entry k(.param .u64 q) {\n.reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<5>; .shared "       \
    ".align 16 .b8 s[512];\n"                                                                                \
    "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.s32 %r4, %r3, %r2; xor.b32 %r5, "         \
    "%r2, 128; add.s32 %r5, %r5, %r3;\n" body "\n}\n"

static unsigned blocks = 1;

static CUresult run(const char *ptx, char *text, size_t capacity)
{
    CUcontext context = hostdriver_context();
    CUmodule module = hostdriver_load(ptx);
    CUdeviceptr pointer = hostdriver_copy(NULL, 512);
    assert_ok(CALL(cuMemsetD32_v2)(pointer, 0, 128));

    hostdriver_launch(hostdriver_function(module, "k"), blocks, 64, (void *[]){&pointer});
    CUresult result = CALL(cuCtxSynchronize)();
    CALL(isomat_hostdriver_describe)(text, capacity);
    assert_ok(CALL(cuCtxDestroy_v2)(context));
    return result;
}

static void finds_as(CUresult result, const char *ptx, const char *detail)
{
    char text[4096];

    CUresult found = run(ptx, text, sizeof text);
    if (found != result)
        print_error("expected %s in: %s\n", detail, ptx);
    assert_result(found, result);
    if (strstr(text, detail) == NULL)
        print_error("expected %s in: %s\n", detail, text);
    assert_non_null(strstr(text, detail));
}

static void finds(const char *ptx, const char *detail)
{
    finds_as(CUDA_ERROR_LAUNCH_FAILED, ptx, detail);
}

static void passes(const char *ptx)
{
    char text[4096] = "";
    CUresult result = run(ptx, text, sizeof text);

    if (result != CUDA_SUCCESS)
        print_error("%s\n", text);
    assert_ok(result);
}

static void test_race(void **state)
{
    (void)state;
    /* The second warp, which goes on first, reads what the first then writes. */
    finds(KERNEL("st.shared.u32 [%r4], 0; bar.sync 0;\n.loc 1 12 5\nst.shared.u32 [%r4], %r1;\n.loc 1 13 5\n"
                 "ld.shared.u32 %r6, [%r5]; ret;"),
          "race in shared memory in kernel k, PTX line 10, block (0,0,0), thread (0,0,0), "
          "some/kernel.cu:12, with "
          "thread number 32 at PTX line 12 (some/kernel.cu:13)");
    finds(KERNEL("st.shared.u32 [%r3], %r1; ret;"), "race in shared memory");
    finds(
        KERNEL("st.shared.u32 [%r4], 0; bar.sync 0; ld.shared.u32 %r6, [%r5]; st.shared.u32 [%r4], 1; ret;"),
        "race in shared memory");
}

#define GLOBAL "ld.param.u64 %d1, [q]; mov.u32 %r6, %ctaid.x;\n"
#define WAIT "L: ld.volatile.global.u32 %r7, [%d1+4]; setp.eq.u32 %p2, %r7, 0; @%p2 bra L;\n"

/* Two blocks of one launch. */
static void test_global_race(void **state)
{
    (void)state;
    blocks = 2;
    finds(KERNEL(GLOBAL "setp.ne.u32 %p1, %r1, 0; @%p1 exit;\n.loc 1 12 5\nst.global.u32 [%d1], %r6; ret;"),
          "race in global memory in kernel k, PTX line 11, block (");
    finds(KERNEL(GLOBAL "setp.eq.u32 %p1, %r6, 0; @%p1 bra W; ld.global.u32 %r7, [%d1]; ret;\n"
                        "W: st.global.u8 [%d1+1], 1; ret;"),
          "race in global memory");
    finds(KERNEL(GLOBAL
                 "setp.eq.u32 %p1, %r6, 0; @%p1 st.global.u32 [%d1], 1; @!%p1 atom.global.add.u32 %r7, "
                 "[%d1], 1; ret;"),
          "of block number ");
    finds(KERNEL(
              GLOBAL
              "setp.eq.u32 %p1, %r6, 0; mov.u64 %d2, %d1; @%p1 st.u32 [%d2], 1; @!%p1 st.u32 [%d2], 2; ret;"),
          "race in global memory");
    /* Bytes of their own, atomics, and the threads of one block. */
    passes(KERNEL(GLOBAL "cvt.u64.u32 %d2, %r6; add.u64 %d1, %d1, %d2; st.global.u8 [%d1], 1; "
                         "st.global.u8 [%d1+2], 1; ret;"));
    passes(KERNEL(GLOBAL "red.global.add.u32 [%d1], 1; atom.global.max.u32 %r7, [%d1], 3; ret;"));
    passes(KERNEL(GLOBAL "st.volatile.global.u32 [%d1], 1; ld.relaxed.gpu.global.u32 %r7, [%d1]; ret;"));
    /* Handed over behind fences, by a flag, which a release and an acquire do as well. */
    passes(KERNEL(GLOBAL "setp.eq.u32 %p1, %r6, 1; @%p1 bra L;\nst.global.u32 [%d1+8], 1; membar.gl; "
                         "st.volatile.global.u32 [%d1+4], 1; ret;\n" WAIT
                         "membar.gl; ld.global.u32 %r7, [%d1+8]; ret;"));
    passes(KERNEL(GLOBAL "setp.eq.u32 %p1, %r6, 1; @%p1 bra L;\nst.global.u32 [%d1+8], 1;\n"
                         "atom.release.gpu.global.exch.b32 %r7, [%d1+4], 1; ret;\n"
                         "L: ld.acquire.gpu.global.u32 %r7, [%d1+4]; setp.eq.u32 %p2, %r7, 0; @%p2 bra L;\n"
                         "ld.global.u32 %r7, [%d1+8]; ret;"));
    blocks = 1;
}

static void test_unwritten(void **state)
{
    (void)state;
    finds(KERNEL("ld.shared.u32 %r6, [%r4]; ret;"), "read of shared memory that was never written");
}

#define ROWS "and.b32 %r6, %r1, 15; shl.b32 %r6, %r6, 4; add.s32 %r6, %r3, %r6;\n"
#define A8 "{%r7}, [%r6]"

static void test_matrices(void **state)
{
    (void)state;
    finds(KERNEL(ROWS "ldmatrix.sync.aligned.m8n8.x1.shared.b16 " A8 "; ret;"),
          "read of shared memory that was never written");
    /* Each warp stores all of it. */
    finds(KERNEL(ROWS "mov.u32 %r7, 0; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r7}; ret;"),
          "race in shared memory");
    finds(KERNEL("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r4, %r5, %r6, %r7, %r8, "
                 "%r0}, [%r3], "
                 "16; ret;"),
          "read of shared memory that was never written");
    passes(KERNEL(
        "st.shared.u32 [%r4], 0; bar.sync 0;" ROWS "ldmatrix.sync.aligned.m8n8.x1.shared.b16 " A8
        "; bar.sync 0;\nsetp.gt.u32 %p1, %r1, 31; @%p1 bra J; stmatrix.sync.aligned.m8n8.x1.shared.b16 "
        "[%r6], {%r7};\nJ: ret;"));
}

#define STORE(register) "ld.param.u64 %d3, [q]; st.global.u32 [%d3], " register "; ret;"

static void test_registers(void **state)
{
    static const char text[] =
        "read of a register that was never written in kernel k, PTX line 8, block (0,0,0), "
        "thread (3,0,0)";

    (void)state;
    /* Only thread 3 finds no value: to store, as an address, as a condition, selected. */
    finds(KERNEL("setp.eq.u32 %p1, %r1, 3; @!%p1 mov.u32 %r6, 1; add.s32 %r7, %r6, 1; " STORE("%r7")), text);
    finds(KERNEL("setp.eq.u32 %p1, %r1, 3; @!%p1 ld.param.u64 %d1, [q]; mov.u64 %d2, %d1; ld.global.u32 %r6, "
                 "[%d2]; ret;"),
          text);
    finds(
        KERNEL("setp.ne.u32 %p1, %r1, 3; @%p1 setp.eq.u32 %p2, %r1, 1; @%p2 bra J; mov.u32 %r6, 1; J: ret;"),
        text);
    finds(KERNEL("setp.eq.u32 %p1, %r1, 3; selp.b32 %r6, %r7, 1, %p1; " STORE("%r6")), text);
    finds(KERNEL("setp.eq.u32 %p1, %r1, 3; @%p1 bra J; mov.u32 %r6, 1;\nJ: ld.param.u64 %d1, [q]; @%p1 "
                 "st.global.u32 [%d1], %r6; ret;"),
          "read of a register that was never written in kernel k, PTX line 9, block (0,0,0), thread (3,0,0)");
    finds(KERNEL("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r7, %r5}; ret;"),
          "read of a register that was never written");
    /* Computed and selected away, padding, or read where there is a value. */
    passes(KERNEL("mul.lo.u32 %r7, %r6, 3; setp.eq.u32 %p1, %r1, 99; selp.b32 %r8, %r7, %r1, %p1; add.s32 "
                  "%r8, %r8, 1;\n"
                  "mov.b64 %d1, {%r8, %r7}; ld.param.u64 %d2, [q]; st.global.v2.u32 [%d2], {%r8, %r7};\n"
                  "st.global.u64 [%d2], %d1; setp.gt.u32 %p2, %r1, 99; @%p2 add.s32 %r0, %r6, 1; ret;"));
    passes(KERNEL(
        "mov.u32 %r8, 0;\nL: setp.eq.u32 %p1, %r8, 0; @!%p1 add.s32 %r6, %r6, 1; @%p1 mov.u32 %r6, 0;\n"
        "add.s32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 5; @%p2 bra L; " STORE("%r6")));
}

/* A function that is called, not expanded: its registers begin without values at each call. */
static void test_registers_of_functions(void **state)
{
    (void)state;
    /* Recursive, so that it stays a function: what the first call left is not seen by the second. */
    finds(
        HEADER
        ".func (.param .b32 o) f(.param .b32 i)\n{\n.reg .b32 %a, %b; .reg .pred %p;\n"
        "ld.param.u32 %b, [i]; setp.eq.u32 %p, %b, 0; @%p bra Z; mov.u32 %a, 7; sub.s32 %b, %b, 1;\n"
        "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %b; call (y), f, (x); ld.param.b32 %b, [y]; }\n"
        "add.s32 %b, %a, %b; st.param.b32 [o], %b; ret;\n"
        "Z: setp.eq.u32 %p, %a, 7; @%p mov.u32 %b, 1; st.param.b32 [o], %b; ret;\n}\n"
        ".visible .entry k(.param .u64 q) {\n.reg .b32 %r<9>; mov.u32 %r1, 2;\n"
        "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), f, (x); ld.param.b32 %r2, [y]; }\n"
        "ret;\n}\n",
        "read of a register that was never written in kernel k, PTX line 11");
}

static void test_barriers(void **state)
{
    (void)state;
    finds(KERNEL("and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra E; bar.sync 0; bra J;\nE: bar.sync "
                 "0;\nJ: "
                 "ret;"),
          "lanes of one warp at different barriers in kernel k, PTX line 9");
    /* Without .aligned it is allowed, and so is a thread that ends before. */
    passes(KERNEL(
        "and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra E; barrier.sync 0; bra J;\nE: barrier.sync "
        "0;\nJ: ret;"));
    passes(KERNEL("setp.gt.u32 %p1, %r1, 40; @%p1 exit; bar.sync 0; ret;"));
}

static void test_members(void **state)
{
    static const char disagree[] = "masks that do not agree in a warp-wide instruction";

    (void)state;
    finds(KERNEL("shfl.sync.idx.b32 %r6, %r1, 0, 31, 0x0000ffff; ret;"),
          "masks that do not agree in a warp-wide instruction in kernel k, PTX line 8, block (0,0,0), thread "
          "(16,0,0)");
    finds(
        KERNEL(
            "setp.eq.u32 %p1, %r1, 5; selp.b32 %r6, 0x20, -1, %p1; vote.sync.ballot.b32 %r7, %p1, %r6; ret;"),
        disagree);
    finds(
        KERNEL(
            "and.b32 %r6, %r1, 16; shl.b32 %r7, 0xffff, %r6; shfl.sync.bfly.b32 %r8, %r1, 16, 31, %r7; ret;"),
        "shfl from a lane that its mask leaves out or that has ended");
    finds(KERNEL("and.b32 %r6, %r1, 31; setp.gt.u32 %p1, %r6, 20; @%p1 exit; shfl.sync.down.b32 %r8, %r1, 1, "
                 "31, -1; "
                 "ret;"),
          "shfl from a lane that its mask leaves out or that has ended in kernel k, PTX line 8, block "
          "(0,0,0), thread "
          "(20,0,0)");
    /* A lane that is named and goes elsewhere, for good. */
    finds(KERNEL("and.b32 %r6, %r1, 31; setp.eq.u32 %p1, %r6, 7; @%p1 bra W; shfl.sync.down.b32 %r8, %r1, 1, "
                 "31, -1; "
                 "bar.sync 0; ret;\nW: bar.sync 0; ret;"),
          "");
    passes(KERNEL(
        "and.b32 %r6, %r1, 16; shl.b32 %r7, 0xffff, %r6; shfl.sync.bfly.b32 %r8, %r1, 8, 31, %r7; ret;"));
}

static void test_freed(void **state)
{
    CUcontext context = hostdriver_context();
    CUmodule module = hostdriver_load(KERNEL("ld.param.u64 %d1, [q]; st.global.u32 [%d1+8], 1; ret;"));
    CUdeviceptr freed = hostdriver_copy(NULL, 512);
    char text[4096];

    (void)state;
    assert_ok(CALL(cuMemFree_v2)(freed));
    hostdriver_copy(NULL, 512); /* does not take its place */
    hostdriver_launch(hostdriver_function(module, "k"), 1, 32, (void *[]){&freed});
    assert_result(CALL(cuCtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CALL(isomat_hostdriver_describe)(text, sizeof text);
    assert_non_null(strstr(text, "8 bytes past the start of an allocation of 512 that was freed"));
    assert_ok(CALL(cuCtxDestroy_v2)(context));
}

/* One element past each kind of memory, and the byte between two allocations. */
static void test_bounds(void **state)
{
    static const char *const bodies[] = {
        "ld.param.u64 %d1, [q]; st.global.u32 [%d1+512], 1; ret;",
        "ld.param.u64 %d1, [q]; st.global.u32 [%d1+-4], 1; ret;",
        "st.shared.u32 [%r3+512], 1; ret;",
        ".local .b8 a[16]; mov.u64 %d1, a; ld.local.u32 %r6, [%d1+16]; ret;",
        ".local .b8 a[16]; mov.u64 %d1, a; cvta.local.u64 %d1, %d1; st.u32 [%d1+16], 1; ret;",
        "mov.u64 %d1, c; ld.const.u32 %r6, [%d1+8]; ret;",
        "mov.u64 %d1, q; ld.u32 %r6, [0]; ret;",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char ptx[4096];
        snprintf(ptx, sizeof ptx, "%s.const .b8 c[8];\n.const .b8 d[8];\n%s", HEADER,
                 strstr(KERNEL("BODY"), ".visible"));
        char *at = strstr(ptx, "BODY");
        memmove(at + strlen(bodies[i]), at + 4, strlen(at + 4) + 1);
        memcpy(at, bodies[i], strlen(bodies[i]));
        finds_as(CUDA_ERROR_ILLEGAL_ADDRESS, ptx, "illegal address in kernel k");
    }
    finds_as(CUDA_ERROR_MISALIGNED_ADDRESS, KERNEL("st.shared.u32 [%r3+2], 1; ret;"), "misaligned address");
    finds_as(CUDA_ERROR_MISALIGNED_ADDRESS,
             KERNEL("ld.param.u64 %d1, [q]; ld.global.v2.u32 {%r6, %r7}, [%d1+4]; ret;"),
             "misaligned address");
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
        cmocka_unit_test(test_global_race),
        cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_registers_of_functions),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_freed),
        cmocka_unit_test(test_bounds),
    };

    setenv("ISOMAT_HOST_CHECK", "all", 1);
    setenv("ISOMAT_HOST_THREADS", "1", 1); /* the first block is the one that is named */
    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
