/* SPDX-License-Identifier: MIT */
/* test_forms.c: instructions that are no plain function of their operands: memory orders, barriers, the
 * stack, matrices. */
#include "hostdriver.h"

#include "half_reference.h"

typedef uint32_t u32;

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(body)                                                                                         \
    HEADER ".visible .entry k(.param .u64 q) {\n.reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>;\n"      \
           ".reg .f32 %f<9>; .reg .pred %p<5>; .shared .align 16 .b8 s[1024];\n"                             \
           "ld.param.u64 %d1, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d1, "        \
           "%d2; mov.u32 %r30, s;\n" body "\n}\n"

static void run(const char *ptx, unsigned threads, void *data, size_t bytes)
{
    CUmodule module = hostdriver_load(ptx);
    CUdeviceptr pointer = hostdriver_copy(data, bytes);

    hostdriver_launch(hostdriver_function(module, "k"), 1, threads, (void *[]){&pointer});
    assert_ok(CALL(cuCtxSynchronize)());
    assert_ok(CALL(cuMemcpyDtoH_v2)(data, pointer, bytes));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_ok(CALL(cuModuleUnload)(module));
}

static void test_orders(void **state)
{
    u32 data[32];

    (void)state;
    for (u32 i = 0; i < 32; i++)
        data[i] = i;
    run(KERNEL("ld.relaxed.gpu.global.u32 %r2, [%d2]; ldu.global.u32 %r3, [%d2]; add.s32 %r2, %r2, %r3;\n"
               "prefetch.global.L1 [%d2]; fence.sc.gpu; nanosleep.u32 10; pmevent 1; bar.warp.sync -1;\n"
               "st.release.gpu.global.u32 [%d2], %r2; setp.gt.u32 %p1, %r1, 99; @%p1 brkpt; exit;"),
        32, data, sizeof data);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(data[i], 2 * i);
}

static void test_atomics(void **state)
{
    u32 data[8] = {0, 0, 7, 0, 0, 0, 0, 0};

    (void)state;
    run(KERNEL("mov.b32 %r2, 0x3C003C00; atom.global.add.noftz.f16x2 %r3, [%d1], %r2;\n"
               "atom.add.acquire.gpu.global.u32 %r3, [%d1+4], 3; mov.b16 %h1, 7; cvt.u16.u32 %h2, %r1;\n"
               "atom.global.cas.b16 %h3, [%d1+8], %h1, %h2; atom.add.relaxed.gpu.global.f32 %f1, [%d1+12], "
               "0f3F000000;\n"
               "shl.b32 %r4, 1, %r1; atom.or.relaxed.gpu.global.b32 %r3, [%d1+16], %r4;\n"
               "atom.exch.acq_rel.gpu.global.b32 %r3, [%d1+20], 9; ret;"),
        32, data, sizeof data);
    assert_int_equal(data[0], 0x50005000);
    assert_int_equal(data[1], 96);
    assert_int_equal(data[2], 0);
    assert_int_equal(data[3], 0x41800000);
    assert_int_equal(data[4], ~0u);
    assert_int_equal(data[5], 9);
}

static void test_stack(void **state)
{
    u32 data[64];

    (void)state;
    run(KERNEL("stacksave.u64 %d3; alloca.u64 %d4, 16; st.local.u32 [%d4+4], %r1; alloca.u64 %d5, 16;\n"
               "st.local.u32 [%d5+4], 1; ld.local.u32 %r2, [%d4+4]; ld.local.u32 %r3, [%d5+4];\n"
               "add.s32 %r2, %r2, %r3; stackrestore.u64 %d3; st.global.u32 [%d2], %r2; ret;"),
        64, data, sizeof data);
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(data[i], i + 1);
}

static void test_branches(void **state)
{
    u32 data[32];

    (void)state;
    run(KERNEL("and.b32 %r2, %r1, 1;\nT: .branchtargets A, B; brx.idx %r2, T;\n"
               "A: mov.u32 %r3, 10; bra E;\nB: mov.u32 %r3, 20;\nE: st.global.u32 [%d2], %r3; ret;"),
        32, data, sizeof data);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(data[i], i % 2 == 0 ? 10 : 20);
}

static void test_barriers(void **state)
{
    u32 data[64];

    (void)state;
    run(KERNEL("setp.lt.u32 %p1, %r1, 32; shl.b32 %r2, %r1, 2; add.s32 %r3, %r30, %r2; @!%p1 bra W;\n"
               "st.shared.u32 [%r3], %r1; bar.arrive 1, 64; mov.u32 %r4, 0; bra J;\n"
               "W: bar.sync 1, 64; ld.shared.u32 %r4, [%r3+-128];\n"
               "J: setp.lt.u32 %p2, %r1, 64; bar.red.and.pred %p3, 0, %p2; selp.b32 %r5, 100, 0, %p3;\n"
               "add.s32 %r4, %r4, %r5; redux.sync.or.b32 %r6, %r1, -1; mad.lo.s32 %r4, %r6, 1000, %r4;\n"
               "st.global.u32 [%d2], %r4; ret;"),
        64, data, sizeof data);
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(data[i], (i < 32 ? 31000 : 63000) + 100 + (i < 32 ? 0 : i - 32));
}

static void test_shared_barriers(void **state)
{
    u32 data[64];

    (void)state;
    run(KERNEL("setp.ne.u32 %p1, %r1, 0; @%p1 bra S; mbarrier.init.shared.b64 [%r30], 64;\n"
               "mbarrier.init.shared.b64 [%r30+8], 64;\nS: bar.sync 0; shl.b32 %r2, %r1, 2; add.s32 %r3, "
               "%r30, %r2;\n"
               "st.shared.u32 [%r3+64], %r1; mbarrier.arrive.shared.b64 %d3, [%r30];\n"
               "L: mbarrier.test_wait.shared.b64 %p2, [%r30], %d3; @!%p2 bra L;\n"
               "xor.b32 %r4, %r2, 252; add.s32 %r4, %r4, %r30; ld.shared.u32 %r5, [%r4+64];\n"
               "cp.async.mbarrier.arrive.shared.b64 [%r30+8]; cp.async.mbarrier.arrive.noinc.shared.b64 "
               "[%r30+8];\n"
               "M: mbarrier.try_wait.parity.shared.b64 %p2, [%r30+8], 0; @!%p2 bra M; bar.sync 0;\n"
               "@!%p1 mbarrier.inval.shared.b64 [%r30]; st.global.u32 [%d2], %r5; ret;"),
        64, data, sizeof data);
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(data[i], 63 - i);
}

static void test_stmatrix(void **state)
{
    u32 data[32];

    (void)state;
    /* Row i of the matrix is at the address lane i gives; transposed, it is column i. */
    run(KERNEL(
            "and.b32 %r2, %r1, 7; shl.b32 %r2, %r2, 4; add.s32 %r2, %r2, %r30; add.s32 %r3, %r1, 256;\n"
            "prmt.b32 %r3, %r1, %r3, 0x5410; stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r2], {%r3};\n"
            "bar.sync 0; ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r4}, [%r2];\n"
            "st.global.u32 [%d2], %r4; ret;"),
        32, data, sizeof data);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(data[i], i | (i + 256) << 16);
}

static void test_fp8(void **state)
{
    u32 data[32] = {0};

    (void)state;
    run(KERNEL("cvt.rn.f32.u32 %f1, %r1; neg.f32 %f2, %f1; cvt.rn.satfinite.e4m3x2.f32 %h1, %f2, %f1;\n"
               "cvt.rn.f16x2.e4m3x2 %r2, %h1; st.global.u32 [%d2], %r2; ret;"),
        32, data, sizeof data);
    for (u32 i = 0; i < 32; i++) {
        /* Four significant bits: 17 goes to 16, 19 to 20, 21 to 20. */
        double kept = i < 16 ? i : 2 * nearbyint(i / 2.0);
        assert_true(value_of((uint16_t)data[i], false) == kept);
        assert_true(value_of((uint16_t)(data[i] >> 16), false) == -kept);
    }
}

static void test_approximate_doubles(void **state)
{
    double data[96];

    (void)state;
    for (int i = 0; i < 32; i++)
        data[i] = 1 + i * 0.37;
    run(KERNEL(".reg .f64 %x<9>; add.s64 %d2, %d2, %d2; sub.s64 %d2, %d2, %d1; ld.global.f64 %x1, [%d2];\n"
               "rcp.approx.ftz.f64 %x2, %x1; rsqrt.approx.f64 %x3, %x1; rsqrt.approx.ftz.f64 %x4, %x1;\n"
               "st.global.f64 [%d2], %x2; st.global.f64 [%d2+256], %x3; st.global.f64 [%d2+512], %x4; ret;"),
        32, data, sizeof data);
    for (int i = 0; i < 32; i++) {
        double x = 1 + i * 0.37;
        assert_true(fabs(data[i] * x - 1) < 0x1p-19);
        assert_true(fabs(data[32 + i] * sqrt(x) - 1) < 0x1p-40);
        assert_true(fabs(data[64 + i] * sqrt(x) - 1) < 0x1p-19);
    }
}

/* One product of small integers, in which every way of rounding agrees. */
struct product {
    const char *ptx, *a_type;
    int m, n, k, a_bytes, c_bytes;
};

/* The 8-bit float of a value that has one, by the definition of the formats. */
static unsigned char small_float(int value, bool e5m2)
{
    int width = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;

    for (int bits = 0; bits < 127; bits++) {
        int exponent = bits >> width, fraction = bits & ((1 << width) - 1);
        double size = exponent == 0 ? ldexp(fraction, 1 - bias - width)
                                    : ldexp(fraction + (1 << width), exponent - bias - width);
        if (size == abs(value))
            return (unsigned char)(bits | (value < 0 ? 128 : 0));
    }
    fail_msg("%d is no 8-bit float", value);
    return 0;
}

static void put(void *to, const char *type, int value)
{
    float single = (float)value;
    double wide = value;
    u32 bits;
    memcpy(&bits, &single, 4);
    uint16_t half = type[0] == 'b' ? (uint16_t)(bits >> 16) : nearest(value, false);

    if (strcmp(type, "f64") == 0)
        memcpy(to, &wide, 8);
    else if (strcmp(type, "tf32") == 0)
        memcpy(to, &single, 4);
    else if (strcmp(type, "s8") == 0)
        *(signed char *)to = (signed char)value;
    else if (type[0] == 'e')
        *(unsigned char *)to = small_float(value, strcmp(type, "e5m2") == 0);
    else
        memcpy(to, &half, 2);
}

/* A is row-major at 0, B by columns at 1024, C and D row-major at 2048. */
static void multiply(const struct product *p)
{
    static unsigned char data[4096];
    int a[512], b[512];

    memset(data, 0, sizeof data);
    for (int i = 0; i < p->m * p->k; i++)
        put(data + i * p->a_bytes, p->a_type, a[i] = i * 7 % 11 - 5);
    for (int i = 0; i < p->k * p->n; i++)
        put(data + 1024 + i * p->a_bytes, p->a_type, b[i] = i * 5 % 13 - 6);
    for (int i = 0; i < p->m * p->n; i++) {
        int value = i % 9;
        if (p->c_bytes == 8)
            put(data + 2048 + i * 8, "f64", value);
        else if (strcmp(p->a_type, "s8") == 0)
            memcpy(data + 2048 + i * 4, &value, 4);
        else
            put(data + 2048 + i * 4, "tf32", value);
    }
    run(p->ptx, 32, data, sizeof data);
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++) {
            int at = i * p->n + j, sum = at % 9, whole;
            float single;
            double got;
            for (int k = 0; k < p->k; k++)
                sum += a[i * p->k + k] * b[j * p->k + k];
            memcpy(&whole, data + 2048 + at * 4, 4);
            memcpy(&single, data + 2048 + at * 4, 4);
            got = strcmp(p->a_type, "s8") == 0 ? whole : single;
            if (p->c_bytes == 8)
                memcpy(&got, data + 2048 + at * 8, 8);
            if (got != sum)
                print_error("%s row %d col %d: %g, expected %d\n", p->a_type, i, j, got, sum);
            assert_true(got == sum);
        }
}

#define R4(x, y, z, w) "{%r" #x ",%r" #y ",%r" #z ",%r" #w "}"
#define R8 "{%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}"

static void test_wmma(void **state)
{
    static const struct product products[] = {
        {KERNEL(
             "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, [%d1], "
             "16;\n"
             "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%r21,%r22,%r23,%r24,%r25,%r26,%r27,%r28}, "
             "[%d1+1024], 16;\n"
             "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " R8 ", [%d1+2048], 16;\n"
             "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " R8
             ", {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9}, {%r21,%r22,%r23,%r24,%r25,%r26,%r27,%r28}, " R8 ";\n"
             "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1+2048], " R8 ", 16; ret;"),
         "f16", 16, 16, 16, 2, 4},
        {KERNEL("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 " R4(
             2, 3, 4, 5) ", [%d1], 16;\n"
                         "wmma.load.b.sync.aligned.col.m16n16k16.global.bf16 " R4(
                             6, 7, 8,
                             9) ", [%d1+1024], 16;\n"
                                "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " R8 ", [%d1+2048], 16;\n"
                                "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 " R8
                                ", " R4(2, 3, 4, 5) ", " R4(
                                    6, 7, 8,
                                    9) ", " R8 ";\n"
                                       "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1+2048], " R8
                                       ", 16; ret;"),
         "bf16", 16, 16, 16, 2, 4},
        {KERNEL("wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 " R4(
             2, 3, 4, 5) ", [%d1], 8;\n"
                         "wmma.load.b.sync.aligned.col.m16n16k8.global.tf32 " R4(
                             6, 7, 8,
                             9) ", [%d1+1024], 8;\n"
                                "wmma.load.c.sync.aligned.row.m16n16k8.global.f32 " R8 ", [%d1+2048], 16;\n"
                                "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 " R8
                                ", " R4(2, 3, 4, 5) ", " R4(
                                    6, 7, 8,
                                    9) ", " R8 ";\n"
                                       "wmma.store.d.sync.aligned.row.m16n16k8.global.f32 [%d1+2048], " R8
                                       ", 16; ret;"),
         "tf32", 16, 16, 8, 4, 4},
        {KERNEL("wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r2,%r3}, [%d1], 16;\n"
                "wmma.load.b.sync.aligned.col.m16n16k16.global.s8 {%r6,%r7}, [%d1+1024], 16;\n"
                "wmma.load.c.sync.aligned.row.m16n16k16.global.s32 " R8 ", [%d1+2048], 16;\n"
                "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 " R8 ", {%r2,%r3}, {%r6,%r7}, " R8
                ";\n"
                "wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%d1+2048], " R8 ", 16; ret;"),
         "s8", 16, 16, 16, 1, 4},
        {KERNEL("wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%d3}, [%d1], 4;\n"
                "wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {%d4}, [%d1+1024], 4;\n"
                "wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {%d5,%d6}, [%d1+2048], 8;\n"
                "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%d5,%d6}, {%d3}, {%d4}, {%d5,%d6};\n"
                "wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%d1+2048], {%d5,%d6}, 8; ret;"),
         "f64", 8, 8, 4, 8, 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        multiply(&products[i]);
}

/* Fragments by the layout that the PTX manual gives: group is lane / 4, thread lane % 4. */
#define PLACES                                                                                               \
    "shr.u32 %r20, %r1, 2; and.b32 %r21, %r1, 3; mul.wide.u32 %d5, %r20, 32; mul.wide.u32 %d6, %r21, 4;\n"   \
    "add.s64 %d3, %d1, %d5; add.s64 %d3, %d3, %d6; mul.wide.u32 %d7, %r21, 8; add.s64 %d4, %d1, %d5;\n"      \
    "add.s64 %d4, %d4, %d7; ld.global.v2.u32 {%r8,%r9}, [%d4+2048]; ld.global.v2.u32 {%r10,%r11}, "          \
    "[%d4+2304];\n"                                                                                          \
    "ld.global.u32 %r2, [%d3]; ld.global.u32 %r3, [%d3+256]; ld.global.u32 %r4, [%d3+16]; ld.global.u32 "    \
    "%r5, [%d3+272]; ld.global.u32 %r6, [%d3+1024]; ld.global.u32 %r7, [%d3+1040];\n"
#define STORE "st.global.v2.u32 [%d4+2048], {%r8,%r9}; st.global.v2.u32 [%d4+2304], {%r10,%r11}; ret;"

static void test_mma(void **state)
{
    static const struct product products[] = {
        {KERNEL(PLACES "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " R4(8, 9, 10, 11) ", " R4(
             2, 3, 4, 5) ", {%r6,%r7}, " R4(8, 9, 10, 11) ";\n" STORE),
         "bf16", 16, 8, 16, 2, 4},
        {KERNEL(PLACES "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " R4(8, 9, 10, 11) ", " R4(
             2, 3, 4, 5) ", {%r6,%r7}, " R4(8, 9, 10, 11) ";\n" STORE),
         "tf32", 16, 8, 8, 4, 4},
        {KERNEL(PLACES "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 " R4(8, 9, 10, 11) ", " R4(
             2, 3, 4, 5) ", {%r6,%r7}, " R4(8, 9, 10, 11) ";\n" STORE),
         "e4m3", 16, 8, 32, 1, 4},
        {KERNEL(PLACES "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 " R4(8, 9, 10, 11) ", " R4(
             2, 3, 4, 5) ", {%r6,%r7}, " R4(8, 9, 10, 11) ";\n" STORE),
         "e5m2", 16, 8, 32, 1, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        multiply(&products[i]);
}

/* Sizes in which float16 has every integer: A of four products at each lane's first words, B, then C. */
static void multiply_quads(bool a_by_cols, bool b_by_rows, bool wide_c, bool wide_d)
{
    static u32 data[32 * 16];
    float a[4][8][4], b[4][4][8], c[4][8][8];
    char ptx[2048], list[2][64];
    static const char *const four[] = {"{%r9,%r10,%r11,%r12}", "{%r21,%r22,%r23,%r24}"};
    static const char *const eight[] = {"{%r9,%r10,%r11,%r12,%r13,%r14,%r15,%r16}",
                                        "{%r21,%r22,%r23,%r24,%r25,%r26,%r27,%r28}"};

    for (u32 lane = 0; lane < 32; lane++) {
        u32 quad = lane % 16 / 4, low = lane % 4, high = lane < 16 ? 0 : 4, *at = data + lane * 16;
        memset(at, 0, 64);
        for (u32 i = 0; i < 4; i++) {
            int x = (int)(lane * 7 + i * 3) % 11 - 5, y = (int)(lane * 5 + i) % 13 - 6;
            at[i / 2] |= (u32)nearest(x, false) << i % 2 * 16;
            at[2 + i / 2] |= (u32)nearest(y, false) << i % 2 * 16;
            a[quad][a_by_cols ? i + high : low + high][a_by_cols ? low : i] = (float)x;
            b[quad][b_by_rows ? low : i][b_by_rows ? i + high : low + high] = (float)y;
        }
        for (u32 i = 0; i < 8; i++) {
            float z = (float)((int)(lane + 3 * i) % 9 - 4);
            if (wide_c)
                memcpy(&at[4 + i], &z, 4);
            else
                at[4 + i / 2] |= (u32)nearest(z, false) << i % 2 * 16;
            c[quad][wide_c ? (lane & 1) + (i & 2) + high : low + high]
             [wide_c ? (i & 4) + (lane & 2) + (i & 1) : i] = z;
        }
    }
    snprintf(list[0], sizeof list[0], "%s", wide_c ? eight[0] : four[0]);
    snprintf(list[1], sizeof list[1], "%s", wide_d ? eight[1] : four[1]);
    snprintf(
        ptx, sizeof ptx,
        "%s.visible .entry k(.param .u64 q) { .reg .b32 %%r<40>; .reg .b64 %%d<4>;\nld.param.u64 %%d1, [q]; "
        "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, 64; add.s64 %%d1, %%d1, %%d2;\n"
        "ld.global.v2.u32 {%%r5,%%r6}, [%%d1]; ld.global.v2.u32 {%%r7,%%r8}, [%%d1+8];\n"
        "ld.global.v4.u32 {%%r9,%%r10,%%r11,%%r12}, [%%d1+16]; ld.global.v4.u32 {%%r13,%%r14,%%r15,%%r16}, "
        "[%%d1+32];\nmma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s %s, {%%r5,%%r6}, {%%r7,%%r8}, %s;\n"
        "st.global.v4.u32 [%%d1], {%%r21,%%r22,%%r23,%%r24}; st.global.v4.u32 [%%d1+16], "
        "{%%r25,%%r26,%%r27,%%r28}; ret; }\n",
        HEADER, a_by_cols ? "col" : "row", b_by_rows ? "row" : "col", wide_d ? "f32" : "f16",
        wide_c ? "f32" : "f16", list[1], list[0]);
    run(ptx, 32, data, sizeof data);
    for (u32 lane = 0; lane < 32; lane++)
        for (u32 i = 0; i < 8; i++) {
            u32 quad = lane % 16 / 4, high = lane < 16 ? 0 : 4;
            u32 row = wide_d ? (lane & 1) + (i & 2) + high : lane % 4 + high,
                col = wide_d ? (i & 4) + (lane & 2) + (i & 1) : i;
            float sum = c[quad][row][col], got;
            for (u32 k = 0; k < 4; k++)
                sum += a[quad][row][k] * b[quad][k][col];
            if (wide_d)
                memcpy(&got, &data[lane * 16 + i], 4);
            else
                got = (float)value_of((uint16_t)(data[lane * 16 + i / 2] >> i % 2 * 16), false);
            assert_true(got == sum);
        }
}

/* mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32, with each layout and type. */
static void test_mma_quads(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        multiply_quads(i & 1, i & 2, true, true);
        multiply_quads(i & 1, i & 2, false, true);
        multiply_quads(i & 1, i & 2, false, false);
    }
}

static void test_movmatrix(void **state)
{
    u32 data[32];

    (void)state;
    /* Element (row, col) is 8 row + col; lane 4 row + col / 2 holds two of them. */
    run(KERNEL("shl.b32 %r2, %r1, 1; add.s32 %r3, %r2, 1; prmt.b32 %r2, %r2, %r3, 0x5410;\n"
               "movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r2; st.global.u32 [%d2], %r4; ret;"),
        32, data, sizeof data);
    for (u32 i = 0; i < 32; i++) {
        u32 row = i / 4, col = i % 4 * 2;
        assert_int_equal(data[i], (8 * col + row) | (8 * (col + 1) + row) << 16);
    }
}

/* Registers of 128 bits: taken apart, put together the other way round, exchanged, compared. */
static void test_128(void **state)
{
    uint64_t data[2 * 32 + 2 * 32 + 4] = {0};

    (void)state;
    for (u32 i = 0; i < 64; i++)
        data[i] = i * 0x100000001u;
    data[128] = data[129] = 77;
    run(KERNEL(".reg .b128 %q<4>, %single;\nmul.wide.u32 %d2, %r1, 16; add.s64 %d2, %d1, %d2; ld.global.b128 "
               "%q1, "
               "[%d2];\nmov.b128 {%d3, %d4}, %q1; mov.b128 %q2, {%d4, %d3}; mov.b128 %single, %q2;\n"
               "st.global.b128 [%d2], %single; atom.relaxed.gpu.global.exch.b128 %q3, [%d1+1024], %q1;\n"
               "st.weak.global.b128 [%d2+512], %q3; setp.ne.u32 %p1, %r1, 31; @%p1 exit;\n"
               "atom.cas.b128 %q2, [%d1+1024], %q3, %q2; atom.cas.b128 %q2, [%d1+1024], %q1, %q2;\n"
               "atom.cas.b128 %q2, [%d1+1040], %q1, %q2; ret;"),
        32, data, sizeof data);
    for (u32 i = 0; i < 32; i++) {
        assert_true(data[2 * i] == (2 * i + 1) * 0x100000001u && data[2 * i + 1] == 2 * i * 0x100000001u);
        assert_true(data[64 + 2 * i] == (i == 0 ? 77 : (2 * i - 2) * 0x100000001u));
        assert_true(data[65 + 2 * i] == (i == 0 ? 77 : (2 * i - 1) * 0x100000001u));
    }
    /* The first comparison fails, and hands over what is there: %q1 of the last lane. */
    assert_true(data[128] == 62 * 0x100000001u && data[129] == 63 * 0x100000001u);
    assert_true(data[130] == 0 && data[131] == 0);
}

/* Two tiles of 16 lanes, each with its own mask, at one instruction. */
static void test_tiles(void **state)
{
    u32 data[32 * 6];

    (void)state;
    run(KERNEL(
            "and.b32 %r2, %r1, 16; shl.b32 %r3, 0xffff, %r2; setp.lt.u32 %p1, %r1, 16; and.b32 %r4, %r1, 3;\n"
            "mul.wide.u32 %d2, %r1, 24; add.s64 %d2, %d2, %d1; vote.sync.ballot.b32 %r5, %p1, %r3;\n"
            "st.global.u32 [%d2], %r5; vote.sync.all.pred %p2, %p1, %r3; vote.sync.any.pred %p3, %p1, %r3;\n"
            "selp.u32 %r6, 2, 0, %p2; selp.u32 %r7, 1, 0, %p3; add.s32 %r6, %r6, %r7; st.global.u32 [%d2+4], "
            "%r6;\n"
            "match.any.sync.b32 %r8, %r4, %r3; st.global.u32 [%d2+8], %r8; match.all.sync.b32 %r9|%p4, %r2, "
            "%r3;\n"
            "st.global.u32 [%d2+12], %r9; redux.sync.add.u32 %r10, %r1, %r3; st.global.u32 [%d2+16], %r10;\n"
            "elect.sync %r11|%p3, %r3; selp.u32 %r12, 100, 0, %p3; add.s32 %r11, %r11, %r12;\n"
            "st.global.u32 [%d2+20], %r11; ret;"),
        32, data, sizeof data);
    for (u32 i = 0; i < 32; i++) {
        const u32 *got = data + i * 6;
        u32 tile = i & 16;
        assert_int_equal(got[0], i < 16 ? 0xffff : 0);
        assert_int_equal(got[1], i < 16 ? 3 : 0);
        assert_int_equal(got[2], 0x1111u << (i & 3) << tile);
        assert_int_equal(got[3], 0xffffu << tile);
        assert_int_equal(got[4], i < 16 ? 120 : 376);
        assert_int_equal(got[5], tile + (i % 16 == 0 ? 100 : 0));
    }
}

/* Hints change nothing; a thread that drops out is no longer waited for. */
static void test_hints_and_drops(void **state)
{
    u32 data[32];

    (void)state;
    for (u32 i = 0; i < 32; i++)
        data[i] = i;
    run(KERNEL(
            "griddepcontrol.wait; createpolicy.fractional.L2::evict_last.b64 %d3, 0f3F800000;\n"
            "ld.global.L2::cache_hint.u32 %r2, [%d2], %d3; ld.mmio.relaxed.sys.global.u32 %r3, [%d2]; "
            "add.s32 %r2, %r2, %r3;\nst.global.L2::cache_hint.u32 [%d2], %r2, %d3; bar.sync 0; "
            "ld.weak.global.u32 %r2, [%d2]; setp.eq.u32 %p1, %r1, 0;\n"
            "@%p1 mbarrier.init.shared.b64 [%r30], 32; bar.sync 0; setp.gt.u32 %p2, %r1, 15; @%p2 bra D;\n"
            "mbarrier.arrive.relaxed.cta.shared.b64 %d4, [%r30]; bra W;\n"
            "D: mbarrier.arrive_drop.shared.b64 %d4, [%r30];\n"
            "W: mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p3, [%r30], 0; @!%p3 bra W; bar.sync 0;\n"
            "@%p2 bra E; mbarrier.arrive.shared.b64 %d4, [%r30]; mbarrier.pending_count.b64 %r4, %d4; "
            "add.s32 %r2, "
            "%r2, %r4;\nV: mbarrier.test_wait.parity.shared.b64 %p3, [%r30], 1; @!%p3 bra V;\n"
            "E: st.global.u32 [%d2], %r2; griddepcontrol.launch_dependents; ret;"),
        32, data, sizeof data);
    /* In the second phase 16 are expected; each saw one fewer to come. */
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(data[i], 2 * i + (i < 16 ? 16 - i : 0));
}

static int with_context(void **state)
{
    *state = hostdriver_context();
    return 0;
}

static int without_context(void **state)
{
    return CALL(cuCtxDestroy_v2)(*state) == CUDA_SUCCESS ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, with_context, without_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_orders),
        TEST(test_atomics),
        TEST(test_stack),
        TEST(test_branches),
        TEST(test_barriers),
        TEST(test_shared_barriers),
        TEST(test_stmatrix),
        TEST(test_fp8),
        TEST(test_approximate_doubles),
        TEST(test_wmma),
        TEST(test_mma),
        TEST(test_mma_quads),
        TEST(test_movmatrix),
        TEST(test_128),
        TEST(test_tiles),
        TEST(test_hints_and_drops),
    };

    setenv("ISOMAT_HOST_TIMEOUT", "20", 1); /* a barrier that never completes is a failure */
    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
