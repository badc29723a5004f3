/* SPDX-License-Identifier: MIT */
/* test_rounding.c: arithmetic and conversions in every rounding mode, with .ftz, .sat and .relu, against
 * MPFR.
 *
 * ISOMAT_HOSTDRIVER=libcuda.so.1 asks a GPU of compute capability 9.0 the same.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#ifdef HAVE_MPFR
#include "hostdriver.h"
#include <mpfr.h>

#include "half_reference.h"

enum { COUNT = 2048, THREADS = 256, OPERANDS = 3 };

/* A type of PTX.  Floats have a precision and MPFR's exponents of the least subnormal and of the largest. */
struct type {
    const char *name;
    int bits, precision;
    mpfr_exp_t least, most;
    bool is_signed;
};

static const struct type f64 = {"f64", 64, 53, -1073, 1024, true}, f32 = {"f32", 32, 24, -148, 128, true},
                         tf32 = {"tf32", 32, 11, -135, 128, true}, f16 = {"f16", 16, 11, -23, 16, true},
                         bf16 = {"bf16", 16, 8, -132, 128, true};
static const struct type integers[] = {{"s8", 8, 0, 0, 0, true},   {"u8", 8, 0, 0, 0, false},
                                       {"s16", 16, 0, 0, 0, true}, {"u16", 16, 0, 0, 0, false},
                                       {"s32", 32, 0, 0, 0, true}, {"u32", 32, 0, 0, 0, false},
                                       {"s64", 64, 0, 0, 0, true}, {"u64", 64, 0, 0, 0, false}};

static const struct mode {
    const char *name, *to_integer;
    mpfr_rnd_t round;
} modes[] = {
    {".rn", ".rni", MPFR_RNDN},
    {".rz", ".rzi", MPFR_RNDZ},
    {".rm", ".rmi", MPFR_RNDD},
    {".rp", ".rpi", MPFR_RNDU},
};

static const struct operation {
    const char *name;
    int operands;
} operations[] = {{"add", 2}, {"sub", 2}, {"mul", 2}, {"fma", 3}, {"div", 2}, {"sqrt", 1}, {"rcp", 1}};

/* One instruction: what it is called, what it computes. */
struct form {
    const struct operation *operation; /* NULL: a conversion */
    const struct type *from, *to;
    mpfr_rnd_t round;
    bool ftz, sat, relu, pair;
    char opcode[64];
};

static int failures, forms;
static mpfr_t operand[OPERANDS], result;

static uint64_t random_bits(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 32 | state << 32) ^ state >> 13;
}

static uint64_t mask(int bits)
{
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static uint64_t random_operand(const struct type *type)
{
    uint64_t bits = random_bits(), pick = random_bits();
    int cut = (int)(pick >> 8) & 63;

    if (type->precision == 0) {
        if (pick % 8 == 0)
            return 0 - (bits & 1);
        static const int kept[] = {8, 11, 24, 53}; /* as many bits as a float has */
        int shift = (int)((pick >> 32) % (unsigned)type->bits), width = type->bits - shift,
            keep = kept[cut % 4];
        bits = (bits & mask(type->bits)) >> shift;
        cut = width > keep ? width - keep : 0;
    } else {
        int width = type->precision - 1, exponents = type->bits - 1 - width;
        uint64_t most = mask(exponents), bias = most / 2, near = pick >> 16 & 7,
                 exponent = bits >> width & most;
        switch (pick % 8) {
        case 0:
            exponent = bias - 3 + near;
            break;
        case 1:
            exponent = bias + near * near / 2;
            break;
        case 2:
            exponent = near / 3;
            break;
        case 3:
            exponent = most - near / 3;
            break;
        case 4:
            exponent = bias / 2 - 3 + near;
            break;
        default:
            break;
        }
        bits = (bits & ~(most << width)) | exponent << width;
        cut %= width + 1;
        if (exponent == most && pick >> 24 & 3)
            cut = width, pick = (pick & ~(uint64_t)(7 << 5)) | 4 << 5;
    }
    /* The last bits decide a tie. */
    uint64_t low = mask(cut), half = cut > 0 ? (uint64_t)1 << (cut - 1) : 0;
    switch (pick >> 5 & 7) {
    case 0:
        bits = (bits & ~low) | half;
        break;
    case 1:
        bits = (bits & ~low) | half | 1;
        break;
    case 2:
        bits = (bits & ~low) | (half > 0 ? half - 1 : 0);
        break;
    case 3:
        bits |= low;
        break;
    case 4:
        bits &= ~low;
        break;
    default:
        break;
    }
    return bits & mask(type->bits);
}

/* .ftz is of float32, and of float16 in arithmetic, and means nothing between the two; zeros keep the sign.
 */
static void flush(mpfr_t value, const struct form *form, const struct type *type)
{
    bool flushes = form->ftz && (form->operation != NULL || (type == &f32 && form->to != &f16));

    if (flushes && mpfr_regular_p(value) && mpfr_get_exp(value) < type->least + type->precision - 1)
        mpfr_set_zero(value, mpfr_signbit(value) ? -1 : 1);
}

/* The value that the bits stand for. */
static void decode(mpfr_t value, const struct type *type, uint64_t bits)
{
    double wide;
    float single;

    if (type->precision == 0 && type->is_signed) {
        mpfr_set_sj(value, (int64_t)(bits << (64 - type->bits)) >> (64 - type->bits), MPFR_RNDN);
        return;
    }
    if (type->precision == 0) {
        mpfr_set_uj(value, bits, MPFR_RNDN);
        return;
    }
    memcpy(&wide, &bits, 8);
    memcpy(&single, &bits, 4);
    if (type->bits == 32)
        wide = single;
    if (type->bits == 16)
        wide = value_of((uint16_t)bits, type == &bf16);
    mpfr_set_d(value, wide, MPFR_RNDN);
}

static uint64_t encode(const struct type *type, mpfr_t value)
{
    double wide = mpfr_get_d(value, MPFR_RNDN);
    float single = mpfr_get_flt(value, MPFR_RNDN);
    uint64_t bits = 0;

    if (mpfr_nan_p(value))
        return type == &f64 ? UINT64_MAX : type->bits == 32 ? 0x7fffffff : 0x7fff;
    if (type == &f64)
        memcpy(&bits, &wide, 8);
    else if (type == &f16)
        bits = nearest(wide, false);
    else
        memcpy(&bits, &single, 4);
    return type == &bf16 ? bits >> 16 : bits;
}

/* Rounds to an integer and clamps; what a NaN gives depends on the widths. */
static uint64_t to_integer(const struct form *form)
{
    const struct type *to = form->to;
    uint64_t low = to->is_signed ? UINT64_MAX << (to->bits - 1) : 0;
    uint64_t high = to->is_signed ? mask(to->bits - 1) : mask(to->bits), bits;

    if (mpfr_nan_p(operand[0]) && form->from != &f64 && to->bits < 64)
        return 0;
    if (mpfr_nan_p(operand[0]))
        return to->is_signed && to->bits == 8 ? 0xffffff80 : (uint64_t)1 << (to->bits - 1);
    mpfr_set_prec(result, 64);
    mpfr_rint(result, operand[0], form->round);
    if (to->is_signed)
        bits = mpfr_cmp_si(result, (long)low) <= 0    ? low
               : mpfr_cmp_si(result, (long)high) >= 0 ? high
                                                      : (uint64_t)mpfr_get_sj(result, MPFR_RNDN);
    else
        bits = mpfr_sgn(result) <= 0            ? 0
               : mpfr_cmp_ui(result, high) >= 0 ? high
                                                : mpfr_get_uj(result, MPFR_RNDN);
    return bits & (to->bits == 64 ? UINT64_MAX : to->bits == 16 ? 0xffff : UINT32_MAX);
}

static int compute(const struct form *form)
{
    const char *name = form->operation == NULL ? "" : form->operation->name;
    mpfr_t *x = operand;

    if (strcmp(name, "add") == 0)
        return mpfr_add(result, x[0], x[1], form->round);
    if (strcmp(name, "sub") == 0)
        return mpfr_sub(result, x[0], x[1], form->round);
    if (strcmp(name, "mul") == 0)
        return mpfr_mul(result, x[0], x[1], form->round);
    if (strcmp(name, "fma") == 0)
        return mpfr_fma(result, x[0], x[1], x[2], form->round);
    if (strcmp(name, "div") == 0)
        return mpfr_div(result, x[0], x[1], form->round);
    if (strcmp(name, "sqrt") == 0)
        return mpfr_sqrt(result, x[0], form->round);
    if (strcmp(name, "rcp") == 0)
        return mpfr_ui_div(result, 1, x[0], form->round);
    return mpfr_set(result, x[0], form->round);
}

static uint64_t expected(const struct form *form, const uint64_t *in)
{
    const struct type *to = form->to;
    mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();

    for (int i = 0; i < OPERANDS; i++) {
        decode(operand[i], form->from, in[i]);
        flush(operand[i], form, form->from);
    }
    if (to->precision == 0)
        return to_integer(form);
    mpfr_set_prec(result, to->precision);
    int inexact = compute(form);
    /* Into the type's range of exponents, subnormals included, rounded once. */
    mpfr_set_emin(to->least);
    mpfr_set_emax(to->most);
    inexact = mpfr_check_range(result, inexact, form->round);
    mpfr_subnormalize(result, inexact, form->round);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    flush(result, form, to);
    if (form->sat && (mpfr_nan_p(result) || mpfr_sgn(result) <= 0))
        mpfr_set_zero(result, 1);
    else if (form->sat && mpfr_cmp_ui(result, 1) > 0)
        mpfr_set_ui(result, 1, MPFR_RNDN);
    else if (form->relu && !mpfr_nan_p(result) && mpfr_sgn(result) <= 0)
        mpfr_set_zero(result, 1);
    return encode(to, result);
}

/* What float64 makes of a NaN differs from GPU to CPU, and a smaller float's bits of one are the wider's top
 * bits with the quiet one set. */
static bool agrees(const struct form *form, const uint64_t *in, uint64_t got, uint64_t wanted)
{
    const struct type *to = form->to;
    int lost = 53 - to->precision;
    double number;

    memcpy(&number, form->operation != NULL ? &got : in, 8);
    if (form->from == &f64 && to->precision != 0 && number != number && !form->sat)
        return to == &f64 || got == ((in[0] >> 63 << (to->bits - 1)) | (in[0] >> lost & mask(to->bits - 1)) |
                                     mask(to->bits - to->precision) << (to->precision - 1) |
                                     (uint64_t)1 << (to->precision - 2));
    return got == wanted || (to == &tf32 && wanted == 0x7fffffff && got == 0x7fffe000);
}

static void check(const struct form *form)
{
    static uint64_t in[COUNT][OPERANDS], out[COUNT];
    char text[2048];
    int from = form->from->bits << form->pair, to = form->to->bits << form->pair;
    int operands = form->operation == NULL ? 1 : form->operation->operands;
    CUmodule module;

    forms++;
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
             "out) {\n"
             ".reg .b%d a, b, c; .reg .b%d d; .reg .b32 t, u; .reg .b64 i, o, e;\nld.param.u64 i, [in]; "
             "ld.param.u64 o, [out];\nmov.u32 t, %%ctaid.x; mov.u32 u, %%tid.x; mad.lo.u32 t, t, %d, u;\n"
             "mul.wide.u32 e, t, 24; add.s64 i, i, e; mul.wide.u32 e, t, 8; add.s64 o, o, e;\n"
             "ld.global.%s%d a, [i]; ld.global.%s%d b, [i+8]; ld.global.%s%d c, [i+16];\n%s d, a%s%s;\n"
             "st.global.b%d [o], d; ret;\n}\n",
             from < 16 ? 32 : from, to < 16 ? 32 : to, THREADS, from < 16 ? "u" : "b", from,
             from < 16 ? "u" : "b", from, from < 16 ? "u" : "b", from, form->opcode,
             operands > 1 ? ", b" : "", operands > 2 ? ", c" : "", to < 16 ? 32 : to);
    CUresult loaded = CALL(cuModuleLoadData)(&module, text);
    if (loaded != CUDA_SUCCESS) {
        print_error("%s: refused, error %u\n", form->opcode, loaded);
        failures++;
        return;
    }
    uint64_t *at = in[0];
    for (int i = 0; i < COUNT * OPERANDS; i++)
        for (int half = 0; half <= form->pair; half++)
            at[i] = (half ? at[i] : 0) | random_operand(form->from) << (half ? form->from->bits : 0);
    memset(out, 0, sizeof out);
    CUdeviceptr a = hostdriver_copy(in, sizeof in), b = hostdriver_copy(out, sizeof out);
    hostdriver_launch(hostdriver_function(module, "k"), COUNT / THREADS, THREADS, (void *[]){&a, &b});
    assert_ok(CALL(cuMemcpyDtoH_v2)(out, b, sizeof out));
    for (int i = 0; i < COUNT; i++)
        for (int half = 0; half <= form->pair; half++) {
            uint64_t part[OPERANDS], got = out[i] >> (half ? form->to->bits : 0);
            for (int j = 0; j < OPERANDS; j++)
                part[j] = in[i][j] >> (half ? form->from->bits : 0) & mask(form->from->bits);
            if (form->pair)
                got &= mask(form->to->bits);
            uint64_t wanted = expected(form, part);
            if (agrees(form, part, got, wanted))
                continue;
            print_error("%s: %llx %llx %llx: %llx, expected %llx\n", form->opcode,
                        (unsigned long long)part[0], (unsigned long long)part[1], (unsigned long long)part[2],
                        (unsigned long long)got, (unsigned long long)wanted);
            failures++;
            i = COUNT;
            break;
        }
    assert_ok(CALL(cuMemFree_v2)(a));
    assert_ok(CALL(cuMemFree_v2)(b));
    assert_ok(CALL(cuModuleUnload)(module));
}

enum { FTZ = 1, SAT = 2, RELU = 4 };

static void arithmetic(const struct operation *operation, const struct type *type, const struct mode *mode,
                       int flags, bool pair)
{
    struct form form = {operation, type, type, mode->round, flags & FTZ, flags & SAT, flags & RELU, pair, ""};

    snprintf(form.opcode, sizeof form.opcode, "%s%s%s%s%s.%s%s", operation->name, mode->name,
             flags & FTZ ? ".ftz" : "", flags & SAT ? ".sat" : "", flags & RELU ? ".relu" : "", type->name,
             pair ? "x2" : "");
    check(&form);
}

static void conversion(const struct type *to, const struct type *from, const char *mode, mpfr_rnd_t round,
                       int flags)
{
    struct form form = {NULL, from, to, round, flags & FTZ, flags & SAT, flags & RELU, false, ""};

    snprintf(form.opcode, sizeof form.opcode, "cvt%s%s%s%s.%s.%s", mode, flags & FTZ ? ".ftz" : "",
             flags & RELU ? ".relu" : "", flags & SAT ? ".sat" : "", to->name, from->name);
    check(&form);
}

static void test_arithmetic(void **state)
{
    (void)state;
    failures = 0;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            arithmetic(&operations[i], &f64, &modes[m], 0, false);
            for (int flags = 0; flags <= (i < 4 ? FTZ | SAT : FTZ); flags++)
                arithmetic(&operations[i], &f32, &modes[m], flags, false);
        }
    for (size_t i = 0; i < 4; i++)
        for (int pair = 0; pair < 2; pair++) {
            for (int flags = 0; flags <= (FTZ | SAT); flags++)
                arithmetic(&operations[i], &f16, &modes[0], flags, pair);
            arithmetic(&operations[i], &bf16, &modes[0], 0, pair);
            if (operations[i].operands == 3) {
                arithmetic(&operations[i], &f16, &modes[0], RELU, pair);
                arithmetic(&operations[i], &f16, &modes[0], FTZ | RELU, pair);
                arithmetic(&operations[i], &bf16, &modes[0], RELU, pair);
            }
        }
    assert_int_equal(failures, 0);
}

static void test_conversions(void **state)
{
    const struct type *const floats[] = {&f64, &f32, &f16, &bf16};

    (void)state;
    failures = 0;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        const char *name = modes[m].name, *integral = modes[m].to_integer;
        mpfr_rnd_t round = modes[m].round;
        for (int flags = 0; flags <= (FTZ | SAT); flags++) {
            conversion(&f32, &f64, name, round, flags);
            conversion(&f16, &f32, name, round, flags);
        }
        conversion(&f16, &f64, name, round, 0);
        conversion(&bf16, &f32, name, round, 0);
        conversion(&bf16, &f64, name, round, 0);
        conversion(&bf16, &f16, name, round, 0);
        conversion(&f16, &bf16, name, round, 0);
        if (m < 2) {
            conversion(&f16, &f32, name, round, RELU);
            conversion(&bf16, &f32, name, round, RELU);
            conversion(&tf32, &f32, name, round, 0);
            conversion(&tf32, &f32, name, round, RELU);
        }
        for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
            for (size_t j = 0; j < sizeof floats / sizeof *floats; j++) {
                if (floats[j] == &bf16 && integers[i].bits == 8)
                    continue; /* no such instruction */
                conversion(floats[j], &integers[i], name, round, 0);
                conversion(&integers[i], floats[j], integral, round, 0);
            }
        conversion(&integers[4], &f32, integral, round, FTZ);
        conversion(&integers[7], &f32, integral, round, FTZ);
    }
    assert_int_equal(failures, 0);
}

static int with_context(void **state)
{
    *state = hostdriver_context();
    for (int i = 0; i < OPERANDS; i++)
        mpfr_init2(operand[i], 64);
    mpfr_init2(result, 64);
    return 0;
}

static int without_context(void **state)
{
    for (int i = 0; i < OPERANDS; i++)
        mpfr_clear(operand[i]);
    mpfr_clear(result);
    mpfr_free_cache();
    return CALL(cuCtxDestroy_v2)(*state) == CUDA_SUCCESS ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_conversions)};

    setenv("ISOMAT_HOST_CAPABILITY", "90", 1);
    hostdriver_open();
    int failed = cmocka_run_group_tests(tests, with_context, without_context);
    print_message("# %d instructions, %d operands each\n", forms, COUNT);
    return failed;
}

#else

int main(void)
{
    fprintf(stderr, "MPFR is missing\n");
    return 77;
}

#endif
