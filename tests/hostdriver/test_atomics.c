/* SPDX-License-Identifier: MIT */
/* test_atomics.c: every atomic operation in every width: what it leaves in memory and what it gives back. */
#include "hostdriver.h"

#include "half_reference.h"

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;
typedef int32_t s32;

enum { STEPS = 64 };

static float single(u64 bits)
{
    float value;

    memcpy(&value, &bits, 4);
    return value;
}

static double wide(u64 bits)
{
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

static u64 bits_of(double value, int bits)
{
    float narrow = (float)value;
    u64 result = 0;

    memcpy(&result, bits == 64 ? (void *)&value : (void *)&narrow, (size_t)bits / 8);
    return result;
}

static u64 add_halves(u64 a, u64 b, int count, bool is_bf16)
{
    u64 sum = 0;

    for (int i = 0; i < 16 * count; i += 16)
        sum |= (u64)nearest((__float128)value_of((uint16_t)(a >> i), is_bf16) +
                                value_of((uint16_t)(b >> i), is_bf16),
                            is_bf16)
               << i;
    return sum;
}

/* X(opcode after "atom.SPACE.", bits, has red, what becomes of a with b and c), a and b cut to the width */
#define ATOMICS(X)                                                                                           \
    X("add.u32", 32, 1, a + b)                                                                               \
    X("add.s32", 32, 1, a + b)                                                                               \
    X("add.u64", 64, 1, a + b)                                                                               \
    X("min.u32", 32, 1, a < b ? a : b)                                                                       \
    X("max.u32", 32, 1, a > b ? a : b)                                                                       \
    X("min.s32", 32, 1, (s32)a < (s32)b ? a : b)                                                             \
    X("max.s32", 32, 1, (s32)a > (s32)b ? a : b)                                                             \
    X("min.u64", 64, 1, a < b ? a : b)                                                                       \
    X("max.u64", 64, 1, a > b ? a : b)                                                                       \
    X("min.s64", 64, 1, (s64)a < (s64)b ? a : b)                                                             \
    X("max.s64", 64, 1, (s64)a > (s64)b ? a : b)                                                             \
    X("and.b32", 32, 1, a &b)                                                                                \
    X("or.b32", 32, 1, a | b)                                                                                \
    X("xor.b32", 32, 1, a ^ b)                                                                               \
    X("and.b64", 64, 1, a &b)                                                                                \
    X("or.b64", 64, 1, a | b)                                                                                \
    X("xor.b64", 64, 1, a ^ b)                                                                               \
    X("inc.u32", 32, 1, a >= b ? 0 : a + 1)                                                                  \
    X("dec.u32", 32, 1, a == 0 || a > b ? b : a - 1)                                                         \
    X("exch.b32", 32, 0, b)                                                                                  \
    X("exch.b64", 64, 0, b)                                                                                  \
    X("cas.b16", 16, 0, a == b ? c : a)                                                                      \
    X("cas.b32", 32, 0, a == b ? c : a)                                                                      \
    X("cas.b64", 64, 0, a == b ? c : a)                                                                      \
    X("add.f32", 32, 1, bits_of(single(a) + single(b), 32))                                                  \
    X("add.f64", 64, 1, bits_of(wide(a) + wide(b), 64))                                                      \
    X("add.noftz.f16", 16, 1, add_halves(a, b, 1, false))                                                    \
    X("add.noftz.f16x2", 32, 1, add_halves(a, b, 2, false))                                                  \
    X("add.noftz.bf16", 16, 1, add_halves(a, b, 1, true))                                                    \
    X("add.noftz.bf16x2", 32, 1, add_halves(a, b, 2, true))

static const struct atomic {
    const char *name;
    int bits, has_red;
} atomics[] = {
#define X(name, bits, has_red, expression) {name, bits, has_red},
    ATOMICS(X)
#undef X
};

enum { ATOMIC_COUNT = sizeof atomics / sizeof *atomics };

static u64 applied(int which, u64 a, u64 b, u64 c)
{
    int i = 0;
    u64 result = 0;

    (void)c;
#define X(name, bits, has_red, expression)                                                                   \
    if (i++ == which)                                                                                        \
        result = (u64)(expression);
    ATOMICS(X)
#undef X
    return atomics[which].bits == 64 ? result : result & (((u64)1 << atomics[which].bits) - 1);
}

/* Small integers of both signs, or small numbers: so that each way of a comparison is taken. */
static u64 operand(const struct atomic *atomic)
{
    static u64 state = 0x9e3779b97f4a7c15;
    state = state * 6364136223846793005u + 1442695040888963407u;
    s64 value = (s64)(state >> 60) - 6;
    double number = (double)((s64)state >> 40) / 1024;

    if (strstr(atomic->name, "bf16") != NULL)
        return nearest(number, true) * (u64)0x10001 & (((u64)1 << atomic->bits) - 1);
    if (strstr(atomic->name, "f16") != NULL)
        return nearest(number / 64, false) * (u64)0x10001 & (((u64)1 << atomic->bits) - 1);
    if (strstr(atomic->name, ".f") != NULL)
        return bits_of(number, atomic->bits);
    return atomic->bits == 64 ? (u64)value : (u64)value & (((u64)1 << atomic->bits) - 1);
}

/* One thread does the steps one after the other: in is b and c of each, out what came back, then the word. */
static void check(int which, const char *space, bool is_red, const char *order)
{
    static u64 in[2 * STEPS], out[STEPS + 1];
    const struct atomic *atomic = &atomics[which];
    bool shared = strcmp(space, ".shared") == 0, is_cas = strncmp(atomic->name, "cas", 3) == 0;
    char text[2048], opcode[64];
    u64 value = operand(atomic);

    snprintf(opcode, sizeof opcode, "%s%s%s.%s", is_red ? "red" : "atom", order, space, atomic->name);
    snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
        ".reg .b%d b, c, d; .reg .b64 i, o, w, v; .reg .b32 n, s; .reg .pred p; .shared .align 8 .b64 m;\n"
        "ld.param.u64 i, [in]; ld.param.u64 o, [out]; add.s64 w, o, %d; mov.u32 n, 0; mov.u32 s, m;\n"
        "ld.global.u64 v, [w]; st.shared.u64 [s], v; mov.b%d d, 0;\n"
        "L: ld.global.b%d b, [i]; ld.global.b%d c, [i+8];\n%s %s[%s], b%s;\nst.global.b%d [o], d;\n"
        "add.s64 i, i, 16; add.s64 o, o, 8; add.u32 n, n, 1; setp.lt.u32 p, n, %d; @p bra L;\n"
        "%s ret;\n}\n",
        atomic->bits, 8 * STEPS, atomic->bits, atomic->bits, atomic->bits, opcode, is_red ? "" : "d, ",
        shared ? "s" : "w", is_cas ? ", c" : "", atomic->bits, STEPS,
        shared ? "ld.shared.u64 v, [s]; st.global.u64 [w], v;" : "");
    for (int i = 0; i < 2 * STEPS; i++)
        in[i] = operand(atomic);
    memset(out, 0, sizeof out);
    out[STEPS] = value;
    CUmodule module = hostdriver_load(text);
    CUdeviceptr from = hostdriver_copy(in, sizeof in), to = hostdriver_copy(out, sizeof out);
    hostdriver_launch(hostdriver_function(module, "k"), 1, 1, (void *[]){&from, &to});
    assert_ok(CALL(cuMemcpyDtoH_v2)(out, to, sizeof out));
    for (int i = 0; i < STEPS; i++) {
        if (out[i] != (is_red ? 0 : value))
            fail_msg("%s, step %d: %llx, expected %llx", opcode, i, (unsigned long long)out[i],
                     (unsigned long long)(is_red ? 0 : value));
        value = applied(which, value, in[2 * i], in[2 * i + 1]);
    }
    if (out[STEPS] != value)
        fail_msg("%s: %llx at the end, expected %llx", opcode, (unsigned long long)out[STEPS],
                 (unsigned long long)value);
    assert_ok(CALL(cuMemFree_v2)(from));
    assert_ok(CALL(cuMemFree_v2)(to));
    assert_ok(CALL(cuModuleUnload)(module));
}

static void test_atomics(void **state)
{
    static const char *const spaces[] = {".global", ".shared", ""};

    (void)state;
    for (int which = 0; which < ATOMIC_COUNT; which++)
        for (int red = 0; red <= atomics[which].has_red; red++)
            for (int space = 0; space < 3; space++) {
                check(which, spaces[space], red, "");
                check(which, spaces[space], red, red ? ".release.gpu" : ".acq_rel.gpu");
            }
}

/* The threads of four blocks at once: nothing is lost. */
static void test_crowd(void **state)
{
    enum { BLOCKS = 4, THREADS = 256 };
    u64 out[6] = {0};

    (void)state;
    CUmodule module = hostdriver_load(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
        ".reg .b64 o; .reg .b32 t, b, d, x; .reg .f32 f; .reg .f64 g;\nld.param.u64 o, [out]; mov.u32 t, "
        "%tid.x;\n"
        "mov.u32 b, %ctaid.x; mad.lo.u32 x, b, 256, t; red.global.add.u32 [o], x; atom.global.max.u32 d, "
        "[o+8], x;\n"
        "atom.global.inc.u32 d, [o+16], 99; mov.f32 f, 0f3F000000; atom.global.add.f32 f, [o+24], f;\n"
        "mov.f64 g, 0d3FE0000000000000; red.global.add.f64 [o+32], g; mov.u32 d, 1; shl.b32 d, d, t;\n"
        "red.global.xor.b32 [o+40], d; ret;\n}\n");
    CUdeviceptr to = hostdriver_copy(out, sizeof out);
    hostdriver_launch(hostdriver_function(module, "k"), BLOCKS, THREADS, (void *[]){&to});
    assert_ok(CALL(cuMemcpyDtoH_v2)(out, to, sizeof out));
    assert_int_equal(out[0], 1024 * 1023 / 2);
    assert_int_equal(out[1], 1023);
    assert_int_equal(out[2], 1024 % 100);
    assert_true(single(out[3]) == 512);
    assert_true(wide(out[4]) == 512);
    assert_int_equal(out[5], 0);
    assert_ok(CALL(cuMemFree_v2)(to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_atomics), cmocka_unit_test(test_crowd)};

    setenv("ISOMAT_HOST_CAPABILITY", "90", 1);
    hostdriver_open();
    hostdriver_context();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
