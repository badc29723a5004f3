/* SPDX-License-Identifier: MIT */
/* test_ptx.c: one instruction at a time, against the same computed in C. */
#include "hostdriver.h"

#include "instruction_rows.h"
#include "more_rows.h"

enum { THREADS = 1024, TEXT_BYTES = 1 << 20, CANONICAL_NAN = 0x7fffffff };

#define X(name, operands, comparison, ptx, result)                                                           \
    static u64 reference_##name(u64 A, u64 B, u64 C)                                                         \
    {                                                                                                        \
        u32 a = (u32)A, b = (u32)B, c = (u32)C;                                                              \
        f32 fa = AS(f32, a), fb = AS(f32, b), fc = AS(f32, c);                                               \
        f64 da = AS(f64, A), db = AS(f64, B), dc = AS(f64, C);                                               \
        (void)a, (void)b, (void)c, (void)fa, (void)fb, (void)fc, (void)da, (void)db, (void)dc;               \
        return (u64)(result);                                                                                \
    }
ROWS(X)
MORE_ROWS(X)
#undef X

static const struct row {
    const char *name, *ptx;
    int operands, comparison;
    u64 (*reference)(u64, u64, u64);
} rows[] = {
#define X(name, operands, comparison, ptx, result) {#name, ptx, operands, comparison, reference_##name},
    ROWS(X) MORE_ROWS(X)
#undef X
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

static CUmodule instructions_module(void)
{
    char *text = malloc(TEXT_BYTES);
    size_t used = 0;

    assert_non_null(text);
    used += (size_t)sprintf(text, HEADER);
    for (int i = 0; i < ROW_COUNT; i++)
        used += (size_t)sprintf(
            text + used,
            ".visible .entry k_%s(.param .u64 in, .param .u64 out) {\n"
            ".reg .b32 a, b, c, d, t; .reg .b64 A, B, C, D, i, o;\n"
            "ld.param.u64 i, [in]; ld.param.u64 o, [out];\n"
            "mov.u32 t, %%tid.x; mul.wide.u32 D, t, 8; add.s64 o, o, D; mul.wide.u32 D, t, 24; add.s64 i, i, "
            "D;\n"
            "ld.global.u64 A, [i]; ld.global.u64 B, [i+8]; ld.global.u64 C, [i+16];\n"
            "cvt.u32.u64 a, A; cvt.u32.u64 b, B; cvt.u32.u64 c, C; mov.b32 d, 0; mov.b64 D, 0;\n"
            "%s\n"
            "{ .reg .b64 e; cvt.u64.u32 e, d; or.b64 D, D, e; st.global.u64 [o], D; }\nret;\n}\n",
            rows[i].name, rows[i].ptx);
    CUmodule module = hostdriver_load(text);
    free(text);
    return module;
}

static u64 random_bits(void)
{
    static u64 state = 0x9e3779b97f4a7c15;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static u64 random_operand(int operands)
{
    static const u64 integers[] = {0,
                                   1,
                                   2,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   255,
                                   32767,
                                   32768,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000000,
                                   INT64_MAX,
                                   (u64)INT64_MIN,
                                   UINT64_MAX};
    static const f64 numbers[] = {0.0,       -0.0,         0.5,           -0.5,         1,     -1,
                                  1.5,       2.5,          1e-40,         -1e-40,       1e-45, 1.17549435e-38,
                                  3.4e38,    2147483520.0, -2147483648.0, 4294967040.0, 255.5, INFINITY,
                                  -INFINITY, NAN,          1e300,         5e-324};
    u64 pick = random_bits();

    if (operands == INTEGERS)
        return pick % 3 == 0 ? integers[pick / 3 % (sizeof integers / sizeof *integers)]
                             : random_bits() >> pick % 64;
    f64 number = numbers[pick / 4 % (sizeof numbers / sizeof *numbers)];
    if (pick % 4 != 0)
        number = ((f64)(s64)random_bits() * 0x1p-63) * exp2((f64)(pick / 4 % 80) - 40);
    if (operands == DOUBLES)
        return pick % 16 == 1 ? random_bits() : RESULT64(number);
    return pick % 16 == 1 ? (u32)random_bits() : RESULT((f32)number);
}

static bool agrees(int comparison, int operands, u64 got, u64 wanted)
{
    if (got == wanted)
        return true;
    f32 x = AS(f32, got), y = AS(f32, wanted);
    f64 wide_x = AS(f64, got), wide_y = AS(f64, wanted);
    if (operands == FLOATS && got <= UINT32_MAX && wanted <= UINT32_MAX) {
        if (isnan(x) && isnan(y))
            return got == CANONICAL_NAN;
        if (comparison == NEAR_F32)
            return fabsf(x - y) <= 2e-6f;
        return comparison == CLOSE_F32 && fabsf(x - y) <= 4e-7f * fabsf(y);
    }
    if (got <= UINT32_MAX && wanted <= UINT32_MAX && isnan(y))
        return got == CANONICAL_NAN;
    return operands != INTEGERS && isnan(wide_x) && isnan(wide_y);
}

static void test_instructions(void **state)
{
    CUmodule module = instructions_module();
    u64 *in = malloc(THREADS * 24), *out = malloc(THREADS * 8);
    int failures = 0;

    (void)state;
    for (int i = 0; i < ROW_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "k_%s", rows[i].name);
        for (int j = 0; j < THREADS * 3; j++)
            in[j] = random_operand(rows[i].operands);
        CUdeviceptr from = hostdriver_copy(in, THREADS * 24), to = hostdriver_copy(NULL, THREADS * 8);
        hostdriver_launch(hostdriver_function(module, name), 1, THREADS, (void *[]){&from, &to});
        assert_ok(CALL(cuMemcpyDtoH_v2)(out, to, THREADS * 8));
        for (int j = 0; j < THREADS; j++) {
            u64 wanted = rows[i].reference(in[3 * j], in[3 * j + 1], in[3 * j + 2]);
            if (agrees(rows[i].comparison, rows[i].operands, out[j], wanted))
                continue;
            print_error("%s: a %llx b %llx c %llx: %llx, expected %llx\n", rows[i].name,
                        (unsigned long long)in[3 * j], (unsigned long long)in[3 * j + 1],
                        (unsigned long long)in[3 * j + 2], (unsigned long long)out[j],
                        (unsigned long long)wanted);
            failures++;
            break;
        }
        assert_ok(CALL(cuMemFree_v2)(from));
        assert_ok(CALL(cuMemFree_v2)(to));
    }
    free(in);
    free(out);
    assert_int_equal(failures, 0);
}

/* Runs kernel k of the PTX on threads in one block; data goes in and out. */
static void run(const char *ptx, unsigned blocks, unsigned threads, u32 *data, size_t words)
{
    CUmodule module = hostdriver_load(ptx);
    CUdeviceptr pointer = hostdriver_copy(data, words * 4);

    hostdriver_launch(hostdriver_function(module, "k"), blocks, threads, (void *[]){&pointer});
    assert_ok(CALL(cuCtxSynchronize)());
    assert_ok(CALL(cuMemcpyDtoH_v2)(data, pointer, words * 4));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_ok(CALL(cuModuleUnload)(module));
}

#define KERNEL(body)                                                                                         \
    HEADER ".visible .entry k(.param .u64 q) {\n.reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<5>;\n"      \
           "ld.param.u64 %d1, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d1, "        \
           "%d2;\n" body "\n}\n"

static void test_shuffle(void **state)
{
    u32 data[32];

    (void)state;
    for (u32 i = 0; i < 32; i++)
        data[i] = i * 10;
    run(KERNEL("ld.global.u32 %r2, [%d2]; shfl.sync.bfly.b32 %r3, %r2, 5, 31, -1; shfl.sync.down.b32 "
               "%r4|%p1, %r2, 3, 0x181f, -1;"
               "shfl.sync.up.b32 %r5, %r2, 2, 0, -1; mov.u32 %r9, 7; shfl.sync.idx.b32 %r6, %r2, %r9, 31, -1;"
               "add.s32 %r3, %r3, %r4; add.s32 %r3, %r3, %r5; add.s32 %r3, %r3, %r6; @%p1 add.s32 %r3, %r3, "
               "1; st.global.u32 [%d2], %r3; ret;"),
        1, 32, data, 32);
    for (u32 i = 0; i < 32; i++) {
        bool inside = (i & 7) + 3 < 8; /* segments of 8 lanes */
        u32 wanted = (i ^ 5) * 10 + (inside ? i + 3 : i) * 10 + (i >= 2 ? i - 2 : i) * 10 + 70 + inside;
        assert_int_equal(data[i], wanted);
    }
}

static void test_votes(void **state)
{
    u32 data[32];

    (void)state;
    for (u32 i = 0; i < 32; i++)
        data[i] = i % 5;
    run(KERNEL("ld.global.u32 %r2, [%d2]; setp.eq.s32 %p1, %r2, 3; vote.sync.ballot.b32 %r3, %p1, -1; "
               "vote.sync.any.pred %p2, %p1, -1;"
               "vote.sync.all.pred %p3, !%p1, -1; match.any.sync.b32 %r4, %r2, -1; redux.sync.add.s32 %r5, "
               "%r2, -1; activemask.b32 %r6;"
               "xor.b32 %r3, %r3, %r4; add.s32 %r3, %r3, %r5; xor.b32 %r3, %r3, %r6; @%p2 add.s32 %r3, %r3, "
               "1; @%p3 add.s32 %r3, %r3, 100;"
               "st.global.u32 [%d2], %r3; ret;"),
        1, 32, data, 32);
    for (u32 i = 0; i < 32; i++) {
        u32 ballot = 0, same = 0, sum = 0;
        for (u32 j = 0; j < 32; j++) {
            ballot |= (u32)(j % 5 == 3) << j;
            same |= (u32)(j % 5 == i % 5) << j;
            sum += j % 5;
        }
        assert_int_equal(data[i], (((ballot ^ same) + sum) ^ ~0u) + 1);
    }
}

static void test_divergence(void **state)
{
    u32 data[96];

    /* A loop of as many turns as the thread's number, then all meet again. */
    (void)state;
    memset(data, 0, sizeof data);
    run(KERNEL("mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
               "L: setp.ge.u32 %p1, %r2, %r1; @%p1 bra E; and.b32 %r4, %r2, 1; setp.eq.u32 %p2, %r4, 0; @%p2 "
               "bra V; add.s32 %r3, %r3, 100; bra.uni N;\n"
               "V: add.s32 %r3, %r3, 1;\nN: add.s32 %r2, %r2, 1; bra.uni L;\n"
               "E: activemask.b32 %r5; popc.b32 %r5, %r5; shl.b32 %r5, %r5, 16; or.b32 %r3, %r3, %r5; "
               "st.global.u32 [%d2], %r3; ret;"),
        1, 70, data, 96);
    for (u32 i = 0; i < 96; i++)
        assert_int_equal(data[i], i < 70 ? (i / 2 * 101 + i % 2) | (i < 64 ? 32u : 6u) << 16 : 0);
}

static void test_branch_table(void **state)
{
    u32 data[64];

    (void)state;
    for (u32 i = 0; i < 64; i++)
        data[i] = i * 7 % 3;
    run(KERNEL(
            "ld.global.u32 %r2, [%d2];\nT: .branchtargets X, Y, Z;\nbrx.idx %r2, T;\n"
            "X: mov.u32 %r3, 11; bra.uni E;\nY: mov.u32 %r3, 22; bra.uni E;\nZ: mov.u32 %r3, 33;\nE: "
            "activemask.b32 %r4; popc.b32 %r4, %r4; add.s32 %r3, %r3, %r4; st.global.u32 [%d2], %r3; ret;"),
        1, 64, data, 64);
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(data[i], (i * 7 % 3 + 1) * 11 + 32);
}

static void test_barrier_and_shared(void **state)
{
    u32 data[256];

    (void)state;
    for (u32 i = 0; i < 256; i++)
        data[i] = i + 1;
    run(HEADER ".visible .entry k(.param .u64 q) {\n.reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<5>; "
               ".shared .align 16 .b8 s[1024];\n"
               "ld.param.u64 %d1, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d1, %d2; "
               "shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.s32 %r4, %r3, %r2;\n"
               "ld.global.u32 %r5, [%d2]; st.shared.u32 [%r4], %r5; bar.sync 0;\n"
               "sub.s32 %r6, 1020, %r2; add.s32 %r6, %r6, %r3; ld.shared.u32 %r7, [%r6]; setp.gt.u32 %p1, "
               "%r7, 200; bar.red.popc.u32 %r8, 0, %p1; mad.lo.s32 %r7, %r8, 1000, %r7;\n"
               "cvta.shared.u64 %d3, 0; cvt.u64.u32 %d4, %r4; add.s64 %d3, %d3, %d4; ld.u32 %r9, [%d3]; "
               "add.s32 %r7, %r7, %r9; st.global.u32 [%d2], %r7; ret;\n}\n",
        1, 256, data, 256);
    for (u32 i = 0; i < 256; i++)
        assert_int_equal(data[i], 256 - i + 56000 + i + 1);
}

static void test_atomics(void **state)
{
    u32 data[16] = {0, 0, 0, ~0u, 0, 0x7fffffff, 0, 0, 0, 0};

    (void)state;
    run(KERNEL("atom.global.add.u32 %r2, [%d1], 1; red.global.max.u32 [%d1+4], %r1; red.global.or.b32 "
               "[%d1+8], %r1; red.global.and.b32 [%d1+12], -2;"
               "red.global.add.f32 [%d1+16], 0f3F000000; red.global.min.s32 [%d1+20], %r1; "
               "atom.global.inc.u32 %r3, [%d1+24], 6;"
               "cvt.u64.u32 %d3, %r1; red.global.add.u64 [%d1+32], %d3; ret;"),
        4, 256, data, 16);
    assert_int_equal(data[0], 1024);
    assert_int_equal(data[1], 255);
    assert_int_equal(data[2], 255);
    assert_int_equal(data[3], ~1u);
    assert_int_equal(data[4], RESULT(512.0f));
    assert_int_equal(data[5], 0);
    assert_int_equal(data[6], 1024 % 7);
    assert_int_equal(data[8], 4 * 255 * 256 / 2);
}

/* Each thread of each warp takes one lock: ends only if all make progress. */
static void test_spin_lock(void **state)
{
    u32 data[4] = {0};

    (void)state;
    run(KERNEL("L: atom.global.cas.b32 %r2, [%d1], 0, 1; setp.ne.s32 %p1, %r2, 0; @%p1 bra L;\n"
               "ld.volatile.global.u32 %r3, [%d1+4]; add.s32 %r3, %r3, 1; st.volatile.global.u32 [%d1+4], "
               "%r3; membar.gl; atom.global.exch.b32 %r4, [%d1], 0; ret;"),
        4, 128, data, 4);
    assert_int_equal(data[1], 512);
}

static void test_copy_async(void **state)
{
    u32 data[128];

    (void)state;
    for (u32 i = 0; i < 128; i++)
        data[i] = i + 1000;
    run(HEADER ".visible .entry k(.param .u64 q) {\n.reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<5>; "
               ".shared .align 16 .b8 s[512];\n"
               "ld.param.u64 %d1, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 16; add.s64 %d2, %d1, "
               "%d2; shl.b32 %r2, %r1, 4; mov.u32 %r3, s; add.s32 %r4, %r3, %r2;\n"
               "and.b32 %r5, %r1, 1; shl.b32 %r5, %r5, 2; sub.s32 %r5, 16, %r5; cp.async.cg.shared.global "
               "[%r4], [%d2], 16, %r5; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n"
               "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r4]; st.global.v4.u32 [%d2], {%r9, %r8, %r7, %r6}; "
               "ret;\n}\n",
        1, 32, data, 128);
    for (u32 i = 0; i < 32; i++)
        for (u32 j = 0; j < 4; j++)
            assert_int_equal(data[4 * i + j], j == 0 && i % 2 == 1 ? 0 : 1000 + 4 * i + 3 - j);
}

/* The last of 8 threads copies the 12 bytes that are left of the allocation. */
static void test_copy_async_at_the_end(void **state)
{
    u32 data[31];

    (void)state;
    for (u32 i = 0; i < 31; i++)
        data[i] = i + 1000;
    run(HEADER ".visible .entry k(.param .u64 q) {\n.reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<5>; "
               ".shared .align 16 .b8 s[128];\n"
               "ld.param.u64 %d1, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 16; add.s64 %d2, %d1, "
               "%d2; shl.b32 %r2, %r1, 4; mov.u32 %r3, s; add.s32 %r4, %r3, %r2; sub.s32 %r5, 124, %r2;\n"
               "min.s32 %r5, %r5, 16; cp.async.cg.shared.global [%r4], [%d2], 16, %r5; cp.async.wait_all;\n"
               "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r4]; add.s32 %r9, %r9, %r8; st.global.u32 [%d2], "
               "%r9; ret;\n}\n",
        1, 8, data, 31);
    for (u32 i = 0; i < 8; i++)
        assert_int_equal(data[4 * i], i < 7 ? 2005 + 8 * i : 1030);
}

/* A sum that float32 cannot hold is an infinity, though the tensor core truncates. */
static void test_mma_overflow(void **state)
{
    u32 data[32];

    (void)state;
    run(KERNEL("mov.b32 %r2, 0x71800000; mov.b32 %r3, 0xf1800000; mov.b32 %r4, 0; mov.b32 %r5, 0;\n"
               "mov.b32 %r6, 0; mov.b32 %r7, 0;\n"
               "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r4,%r5,%r6,%r7}, {%r2,%r2,%r2,%r2}, "
               "{%r3,%r3}, {%r4,%r5,%r6,%r7}; st.global.b32 [%d2], %r7; ret;"),
        1, 32, data, 32);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(data[i], 0xff800000);
}

static void test_calls_and_local(void **state)
{
    u32 data[32];

    (void)state;
    for (u32 i = 0; i < 32; i++)
        data[i] = i;
    run(HEADER
        ".func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 s[16]);\n"
        ".global .align 4 .u32 bias = 5;\n.const .align 4 .b32 table[4] = {10, 20, 30, 40};\n"
        ".visible .entry k(.param .u64 q) {\n.local .align 8 .b8 depot[32]; .reg .b32 %r<20>; .reg .b64 "
        "%d<9>; .reg .pred %p<5>;\n"
        "ld.param.u64 %d1, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d1, %d2; "
        "ld.global.u32 %r2, [%d2];\n"
        "mov.u64 %d3, depot; and.b32 %r3, %r1, 7; mul.wide.u32 %d4, %r3, 4; add.s64 %d4, %d3, %d4; "
        "st.local.u32 [%d4], %r2; ld.local.u32 %r4, [%d4];\n"
        "setp.gt.u32 %p1, %r1, 9; @%p1 bra S;\n"
        "{ .param .b32 p0; st.param.b32 [p0+0], %r4; .param .align 8 .b8 p1[16]; st.param.b64 [p1+0], %d2; "
        "st.param.b32 [p1+8], %r2; .param .b32 v; call.uni (v), f, (p0, p1); ld.param.b32 %r4, [v+0]; }\n"
        "S: st.global.u32 [%d2], %r4; ret;\n}\n"
        ".func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 s[16]) {\n.reg .b32 %r<9>; .reg .b64 "
        "%d<5>; .reg .pred %p<3>;\n"
        "ld.param.b32 %r1, [x]; ld.param.b32 %r2, [s+8]; setp.eq.u32 %p1, %r1, 3; @%p1 bra R; add.s32 %r1, "
        "%r1, %r2; ld.global.u32 %r3, [bias]; add.s32 %r1, %r1, %r3;\n"
        "and.b32 %r4, %r2, 3; mul.wide.u32 %d1, %r4, 4; mov.u64 %d2, table; add.s64 %d1, %d1, %d2; "
        "ld.const.u32 %r5, [%d1]; add.s32 %r1, %r1, %r5;\n"
        "R: st.param.b32 [r+0], %r1; ret;\n}\n",
        1, 32, data, 32);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(data[i], i > 9 || i == 3 ? i : 2 * i + 5 + 10 * (i % 4 + 1));
}

static void test_narrow_accesses(void **state)
{
    u32 data[32];

    (void)state;
    for (u32 i = 0; i < 32; i++)
        data[i] = 0x80f0a5c3u + i;
    run(KERNEL("ld.global.s8 %r2, [%d2]; ld.global.u8 %r3, [%d2+3]; ld.global.s16 %r4, [%d2+2]; add.s32 %r2, "
               "%r2, %r3; add.s32 %r2, %r2, %r4; st.global.u16 [%d2+2], %r2; st.global.u8 [%d2], %r3; ret;"),
        1, 32, data, 32);
    for (u32 i = 0; i < 32; i++) {
        u32 word = 0x80f0a5c3u + i, sum = (u32)(s8)word + (word >> 24) + (u32)(s16)(word >> 16);
        assert_int_equal(data[i], (word & 0xff00) | sum << 16 | 0x80);
    }
}

/* A fault: the error, and what describe() tells of it. */
static void faulty(const char *ptx, unsigned threads, CUresult expected, const char *detail)
{
    CUcontext context = hostdriver_context();
    CUmodule module = hostdriver_load(ptx);
    CUdeviceptr pointer = hostdriver_copy(NULL, 128);
    char text[2048];

    hostdriver_launch(hostdriver_function(module, "k"), 1, threads, (void *[]){&pointer});
    assert_result(CALL(cuCtxSynchronize)(), expected);
    assert_result(CALL(cuMemFree_v2)(pointer), expected);
    CALL(isomat_hostdriver_describe)(text, sizeof text);
    if (strstr(text, detail) == NULL)
        print_error("expected %s in: %s\n", detail, text);
    assert_non_null(strstr(text, detail));
    assert_ok(CALL(cuCtxDestroy_v2)(context));
}

static void test_faults(void **state)
{
    (void)state;
    faulty(KERNEL("ld.global.u32 %r2, [%d2]; ret;"), 33, CUDA_ERROR_ILLEGAL_ADDRESS, "thread (32,0,0)");
    faulty(KERNEL("st.global.u32 [%d2+4], %r1; ret;"), 32, CUDA_ERROR_ILLEGAL_ADDRESS,
           "write of 4 bytes at global address");
    faulty(KERNEL("ld.global.u32 %r2, [%d1+2]; ret;"), 1, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned");
    faulty(KERNEL("ld.shared.u32 %r2, [%r1]; ret;"), 1, CUDA_ERROR_ILLEGAL_ADDRESS, "shared");
    faulty(HEADER
           ".func g() { call.uni g, (); ret; }\n.visible .entry k(.param .u64 q) { call.uni g, (); ret; }",
           32, CUDA_ERROR_LAUNCH_FAILED, "stack overflow");
    faulty(KERNEL("prototype_0: .callprototype ()_ (); call %d2, (), prototype_0; ret;"), 1,
           CUDA_ERROR_LAUNCH_FAILED, "call of an address that is no function");
    faulty(KERNEL("trap;"), 1, CUDA_ERROR_ILLEGAL_INSTRUCTION, "trap");
    faulty(KERNEL("setp.gt.u32 %p1, %r1, 31; @%p1 bra L; bar.sync 0; ret;\nL: bar.sync 1; ret;"), 64,
           CUDA_ERROR_LAUNCH_FAILED, "barrier");
}

static void refused(const char *ptx, CUresult expected, const char *message)
{
    CUmodule module;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};

    assert_result(CALL(cuModuleLoadDataEx)(&module, ptx, 2, options, values), expected);
    if (strstr(log, message) == NULL)
        print_error("expected %s in: %s\n", message, log);
    assert_non_null(strstr(log, message));
    assert_int_equal((uintptr_t)values[1], strlen(log) + 1);
}

static void test_refused_text(void **state)
{
    (void)state;
    refused(KERNEL("wgmma.fence.sync.aligned; ret;"), CUDA_ERROR_INVALID_PTX,
            "line 7, kernel k: the instruction wgmma.fence.sync.aligned is not supported");
    refused(KERNEL("add.s32 %r1, %r2; ret;"), CUDA_ERROR_INVALID_PTX, "expected 3 operands, found 2");
    refused(KERNEL("add.s32 %r1, %r2, %d1; ret;"), CUDA_ERROR_INVALID_PTX,
            "expected a 32-bit register, found a 64-bit register");
    refused(KERNEL("bra nowhere; ret;"), CUDA_ERROR_INVALID_PTX, "label nowhere is not defined");
    refused(KERNEL("add.s32 %r1 %r2, 3; ret;"), CUDA_ERROR_INVALID_PTX,
            "line 7, column 13: expected ',', found '%'");
    refused(HEADER ".visible .entry k() { ret;", CUDA_ERROR_INVALID_PTX, "found the end");
    refused(HEADER ".nonsense 3", CUDA_ERROR_INVALID_PTX, "line 4, column 10: unknown directive .nonsense");
    refused(".version 17.3\n.target sm_80\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "17.3");
    refused(".version 8.0\n.target sm_90\n.address_size 64\n", CUDA_ERROR_NO_BINARY_FOR_GPU, "sm_90");
    refused("hello", CUDA_ERROR_INVALID_PTX, "expected .version");
    refused(HEADER ".extern .func g();\n.visible .entry k() { call.uni g, (); ret; }", CUDA_ERROR_INVALID_PTX,
            "g has no body");
    refused(HEADER
            ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2();\n"
            ".visible .entry k() { .param .b64 v; call.uni (v), __cudaCDP2GetParameterBufferV2, (); ret; }",
            CUDA_ERROR_INVALID_PTX, "__cudaCDP2GetParameterBufferV2: dynamic parallelism is not supported");
    refused(KERNEL("tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%d1, {%r5, %r6}]; ret;"), CUDA_ERROR_INVALID_PTX,
            "the instruction tex.2d.v4.f32.f32 is not supported");
}

static int with_context(void **state)
{
    *state = hostdriver_context();
    return 0;
}

static int without_context(void **state)
{
    return CALL(cuCtxDestroy_v2)(*state) == CUDA_SUCCESS && CALL(isomat_hostdriver_live_objects)() == 0 ? 0
                                                                                                        : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, with_context, without_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_instructions),    TEST(test_shuffle),
        TEST(test_votes),           TEST(test_divergence),
        TEST(test_branch_table),    TEST(test_barrier_and_shared),
        TEST(test_atomics),         TEST(test_spin_lock),
        TEST(test_copy_async),      TEST(test_copy_async_at_the_end),
        TEST(test_mma_overflow),    TEST(test_calls_and_local),
        TEST(test_narrow_accesses), cmocka_unit_test(test_faults),
        TEST(test_refused_text),
    };

    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
