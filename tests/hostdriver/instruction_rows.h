/* SPDX-License-Identifier: MIT */
/* instruction_rows.h: instructions, and the same computed plainly in C. */
#ifndef TEST_INSTRUCTION_ROWS_H
#define TEST_INSTRUCTION_ROWS_H

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint8_t u8;
typedef int8_t s8;
typedef float f32;
typedef double f64;

/* Which operands are worth trying, and how results are compared. */
enum { INTEGERS, FLOATS, DOUBLES };
enum { EXACT, CLOSE_F32, NEAR_F32 };

#define AS(type, bits)                                                                                       \
    ({                                                                                                       \
        type value_;                                                                                         \
        u64 bits_ = (bits);                                                                                  \
        memcpy(&value_, &bits_, sizeof value_);                                                              \
        value_;                                                                                              \
    })

static f32 flush(f32 x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

static f64 rounded(int mode, f64 (*operation)(f64, f64, f64), f64 a, f64 b, f64 c)
{
    volatile f64 x = a, y = b, z = c, result;

    fesetround(mode);
    result = operation(x, y, z);
    fesetround(FE_TONEAREST);
    return result;
}

static f64 op_add(f64 a, f64 b, f64 c)
{
    (void)c;
    return a + b;
}
static f64 op_mul(f64 a, f64 b, f64 c)
{
    (void)c;
    return a * b;
}
static f64 op_div(f64 a, f64 b, f64 c)
{
    (void)c;
    return a / b;
}
static f64 op_fma(f64 a, f64 b, f64 c)
{
    return fma(a, b, c);
}
static f64 op_fmaf(f64 a, f64 b, f64 c)
{
    return fmaf((f32)a, (f32)b, (f32)c);
}
static f64 op_addf(f64 a, f64 b, f64 c)
{
    (void)c;
    volatile f32 x = (f32)a, y = (f32)b;
    return x + y;
}
static f64 op_narrow(f64 a, f64 b, f64 c)
{
    (void)b, (void)c;
    volatile f32 x = (f32)a;
    return x;
}

static f32 minimum(f32 a, f32 b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static u32 slow_bfind(u64 a)
{
    for (int i = 63; i >= 0; i--)
        if (a >> i & 1)
            return (u32)i;
    return ~0u;
}

static s64 slow_bfe(s64 a, u32 position, u32 length, u32 bits)
{
    u32 top = position + length - 1 > bits - 1 ? bits - 1 : position + length - 1;
    u64 sign = length == 0 ? 0 : (u64)a >> top & 1, result = 0;

    for (u32 i = 0; i < bits; i++) {
        u64 bit = i < length && position + i < bits ? (u64)a >> (position + i) & 1 : sign;
        result |= bit << i;
    }
    return (s64)result;
}

static u32 slow_bfi(u32 a, u32 b, u32 position, u32 length)
{
    for (u32 i = 0; i < length && position + i < 32; i++) {
        b &= ~(1u << (position + i));
        b |= (a >> i & 1) << (position + i);
    }
    return b;
}

static u32 slow_prmt(u32 a, u32 b, u32 c)
{
    u8 bytes[8];
    u32 result = 0;

    memcpy(bytes, &a, 4);
    memcpy(bytes + 4, &b, 4);
    for (int i = 0; i < 4; i++) {
        u32 n = c >> (4 * i) & 15;
        u8 byte = bytes[n & 7];
        result |= (u32)(n & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << (8 * i);
    }
    return result;
}

static u32 slow_lop3(u32 a, u32 b, u32 c, u32 table)
{
    u32 result = 0;

    for (int i = 0; i < 32; i++)
        result |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
    return result;
}

static s64 to_integer(f64 a, f64 low, f64 high, s64 least, s64 most, s64 nan)
{
    return isnan(a) ? nan : a <= low ? least : a >= high ? most : (s64)a;
}

/* clang-format off */
/* X(name, operands, comparison, "PTX from a b c to d, or A B C to D", result)
 * In the result a b c are u32, A B C u64, fa.. float, da.. double. */
#define ROWS(X) \
    X(add_s32, INTEGERS, EXACT, "add.s32 d, a, b;", a + b) \
    X(sub_s32, INTEGERS, EXACT, "sub.s32 d, a, b;", a - b) \
    X(add_u64, INTEGERS, EXACT, "add.u64 D, A, B;", A + B) \
    X(sub_u64, INTEGERS, EXACT, "sub.u64 D, A, B;", A - B) \
    X(mul_lo, INTEGERS, EXACT, "mul.lo.s32 d, a, b;", a * b) \
    X(mul_lo64, INTEGERS, EXACT, "mul.lo.s64 D, A, B;", A * B) \
    X(mul_hi_s32, INTEGERS, EXACT, "mul.hi.s32 d, a, b;", (u32)((s64)(s32)a * (s32)b >> 32)) \
    X(mul_hi_u32, INTEGERS, EXACT, "mul.hi.u32 d, a, b;", (u32)((u64)a * b >> 32)) \
    X(mul_hi_u64, INTEGERS, EXACT, "mul.hi.u64 D, A, B;", (u64)((unsigned __int128)A * B >> 64)) \
    X(mul_hi_s64, INTEGERS, EXACT, "mul.hi.s64 D, A, B;", (u64)((__int128)(s64)A * (s64)B >> 64)) \
    X(mul_wide_s32, INTEGERS, EXACT, "mul.wide.s32 D, a, b;", (u64)((s64)(s32)a * (s32)b)) \
    X(mul_wide_u32, INTEGERS, EXACT, "mul.wide.u32 D, a, b;", (u64)a * b) \
    X(mad_lo, INTEGERS, EXACT, "mad.lo.s32 d, a, b, c;", a * b + c) \
    X(mad_wide, INTEGERS, EXACT, "mad.wide.s32 D, a, b, C;", (u64)((s64)(s32)a * (s32)b) + C) \
    X(mad_hi, INTEGERS, EXACT, "mad.hi.u32 d, a, b, c;", (u32)((u64)a * b >> 32) + c) \
    X(div_s32, INTEGERS, EXACT, "or.b32 b, b, 1; div.s32 d, a, b;", (u32)((s64)(s32)a / (s32)(b | 1))) \
    X(div_u32, INTEGERS, EXACT, "or.b32 b, b, 1; div.u32 d, a, b;", a / (b | 1)) \
    X(div_u64, INTEGERS, EXACT, "or.b64 B, B, 1; div.u64 D, A, B;", A / (B | 1)) \
    X(rem_s32, INTEGERS, EXACT, "or.b32 b, b, 1; rem.s32 d, a, b;", (u32)((s64)(s32)a % (s32)(b | 1))) \
    X(rem_u64, INTEGERS, EXACT, "or.b64 B, B, 1; rem.u64 D, A, B;", A % (B | 1)) \
    X(min_s32, INTEGERS, EXACT, "min.s32 d, a, b;", (s32)a < (s32)b ? a : b) \
    X(max_u32, INTEGERS, EXACT, "max.u32 d, a, b;", a > b ? a : b) \
    X(max_s64, INTEGERS, EXACT, "max.s64 D, A, B;", (s64)A > (s64)B ? A : B) \
    X(abs_s32, INTEGERS, EXACT, "abs.s32 d, a;", (s32)a < 0 ? 0 - a : a) \
    X(neg_s64, INTEGERS, EXACT, "neg.s64 D, A;", 0 - A) \
    X(sad_u32, INTEGERS, EXACT, "sad.u32 d, a, b, c;", c + (a > b ? a - b : b - a)) \
    X(add_sat, INTEGERS, EXACT, "add.sat.s32 d, a, b;", ({ s64 s = (s64)(s32)a + (s32)b; (u32)(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s); })) \
    X(logic, INTEGERS, EXACT, "and.b32 d, a, b; or.b32 d, d, c; not.b32 d, d; xor.b32 d, d, a;", ~((a & b) | c) ^ a) \
    X(cnot, INTEGERS, EXACT, "cnot.b32 d, a;", a == 0) \
    X(shl, INTEGERS, EXACT, "and.b32 b, b, 63; shl.b32 d, a, b;", (b & 63) > 31 ? 0 : a << (b & 31)) \
    X(shr_u, INTEGERS, EXACT, "and.b32 b, b, 63; shr.u32 d, a, b;", (b & 63) > 31 ? 0 : a >> (b & 31)) \
    X(shr_s, INTEGERS, EXACT, "and.b32 b, b, 63; shr.s32 d, a, b;", (u32)((s32)a >> ((b & 63) > 31 ? 31 : b & 63))) \
    X(shl64, INTEGERS, EXACT, "and.b32 b, b, 127; shl.b64 D, A, b;", (b & 127) > 63 ? 0 : A << (b & 63)) \
    X(shr64, INTEGERS, EXACT, "and.b32 b, b, 127; shr.s64 D, A, b;", (u64)((s64)A >> ((b & 127) > 63 ? 63 : b & 127))) \
    X(shf_l, INTEGERS, EXACT, "shf.l.wrap.b32 d, a, b, c;", (u32)(((u64)b << 32 | a) << (c & 31) >> 32)) \
    X(shf_r, INTEGERS, EXACT, "shf.r.clamp.b32 d, a, b, c;", c > 31 ? b : (u32)(((u64)b << 32 | a) >> c)) \
    X(lop3, INTEGERS, EXACT, "lop3.b32 d, a, b, c, 0x5a; lop3.b32 d, d, b, c, 0xe8;", slow_lop3(slow_lop3(a, b, c, 0x5a), b, c, 0xe8)) \
    X(prmt, INTEGERS, EXACT, "prmt.b32 d, a, b, c;", slow_prmt(a, b, c)) \
    X(bfe_u32, INTEGERS, EXACT, "and.b32 b, b, 63; and.b32 c, c, 63; bfe.u32 d, a, b, c;", ({ u32 p = b & 63, n = c & 63, r = 0; for (u32 i = 0; i < n && i < 32; i++) r |= (p + i < 32 ? a >> (p + i) & 1 : 0) << i; r; })) \
    X(bfe_s32, INTEGERS, EXACT, "and.b32 b, b, 63; and.b32 c, c, 63; bfe.s32 d, a, b, c;", (u32)slow_bfe((s32)a, b & 63, c & 63, 32)) \
    X(bfe_s64, INTEGERS, EXACT, "and.b32 b, b, 127; and.b32 c, c, 127; bfe.s64 D, A, b, c;", (u64)slow_bfe((s64)A, b & 127, c & 127, 64)) \
    X(bfi, INTEGERS, EXACT, "and.b32 c, c, 63; bfi.b32 d, a, b, c, 9;", slow_bfi(a, b, c & 63, 9)) \
    X(bfind, INTEGERS, EXACT, "bfind.u32 d, a;", slow_bfind(a)) \
    X(bfind_s, INTEGERS, EXACT, "bfind.s64 d, A;", slow_bfind((s64)A < 0 ? ~A : A)) \
    X(bfind_shift, INTEGERS, EXACT, "bfind.shiftamt.u32 d, a;", a == 0 ? ~0u : 31 - slow_bfind(a)) \
    X(brev, INTEGERS, EXACT, "brev.b32 d, a;", ({ u32 r = 0; for (int i = 0; i < 32; i++) r |= (a >> i & 1) << (31 - i); r; })) \
    X(popc, INTEGERS, EXACT, "popc.b64 d, A;", ({ u32 n = 0; for (u64 x = A; x != 0; x &= x - 1) n++; n; })) \
    X(popc32, INTEGERS, EXACT, "popc.b32 d, a;", ({ u32 n = 0; for (u32 x = a; x != 0; x &= x - 1) n++; n; })) \
    X(clz, INTEGERS, EXACT, "clz.b32 d, a;", a == 0 ? 32 : 31 - slow_bfind(a)) \
    X(dp4a, INTEGERS, EXACT, "dp4a.s32.u32 d, a, b, c;", ({ u32 s = c; for (int i = 0; i < 32; i += 8) s += (u32)((s8)(a >> i) * (s32)(u8)(b >> i)); s; })) \
    X(carry, INTEGERS, EXACT, "{ .reg .b32 l, h, m, n; mov.b64 {l, h}, A; mov.b64 {m, n}, B; add.cc.u32 l, l, m; addc.u32 h, h, n; mov.b64 D, {l, h}; }", A + B) \
    X(borrow, INTEGERS, EXACT, "{ .reg .b32 l, h, m, n; mov.b64 {l, h}, A; mov.b64 {m, n}, B; sub.cc.u32 l, l, m; subc.u32 h, h, n; mov.b64 D, {l, h}; }", A - B) \
    X(madc, INTEGERS, EXACT, "{ .reg .b32 l, h; mad.lo.cc.u32 l, a, b, c; madc.hi.u32 h, a, b, 0; mov.b64 D, {l, h}; }", (u64)a * b + c) \
    X(setp_s, INTEGERS, EXACT, "{ .reg .pred p, q; setp.lt.s32 p|q, a, b; selp.b32 d, 1, 0, p; @q add.s32 d, d, 2; }", (s32)a < (s32)b ? 1u : 2u) \
    X(setp_bool, INTEGERS, EXACT, "{ .reg .pred p, q, r; setp.hi.u32 r, a, c; setp.ge.or.s32 p|q, a, b, !r; selp.b32 d, 1, 0, p; @q add.s32 d, d, 2; }", ({ int r = !(a > c), k = (s32)a >= (s32)b; (u32)((k || r) + 2 * (!k || r)); })) \
    X(set, INTEGERS, EXACT, "set.eq.u32.u32 d, a, b;", a == b ? ~0u : 0) \
    X(slct, INTEGERS, EXACT, "slct.b32.s32 d, a, b, c;", (s32)c >= 0 ? a : b) \
    X(cvt_s64_s32, INTEGERS, EXACT, "cvt.s64.s32 D, a;", (u64)(s64)(s32)a) \
    X(cvt_u8, INTEGERS, EXACT, "cvt.u32.u8 d, a;", a & 255) \
    X(cvt_s8, INTEGERS, EXACT, "cvt.s32.s8 d, a;", (u32)(s8)a) \
    X(cvt_s16, INTEGERS, EXACT, "cvt.s32.s16 d, a;", (u32)(s16)a) \
    X(cvt_u16, INTEGERS, EXACT, "{ .reg .b16 h; cvt.u16.u32 h, a; cvt.s64.s16 D, h; }", (u64)(s16)a) \
    X(cvt_sat_u8, INTEGERS, EXACT, "cvt.sat.u8.s32 d, a;", (s32)a < 0 ? 0 : a > 255 ? 255 : a) \
    X(cvt_sat_s16, INTEGERS, EXACT, "cvt.sat.s16.s64 d, A;", (u32)((s64)A < -32768 ? -32768 : (s64)A > 32767 ? 32767 : (s64)A)) \
    X(cvt_sat_u32, INTEGERS, EXACT, "cvt.sat.u32.s64 d, A;", (s64)A < 0 ? 0 : (s64)A > UINT32_MAX ? ~0u : (u32)A) \
    X(cvt_f32_s32, INTEGERS, EXACT, "cvt.rn.f32.s32 d, a;", RESULT((f32)(s32)a)) \
    X(cvt_f64_u64, INTEGERS, EXACT, "cvt.rn.f64.u64 D, A;", RESULT64((f64)A)) \
    X(cvt_rz_f32_u32, INTEGERS, EXACT, "cvt.rz.f32.u32 d, a;", RESULT(({ f32 x = (f32)a; if ((f64)x > (f64)a) x = nextafterf(x, 0); x; }))) \
    X(word16, INTEGERS, EXACT, "{ .reg .b16 x, y; mov.b32 {x, y}, a; add.s16 x, x, y; mul.lo.u16 y, x, y; max.s16 x, x, y; mov.b32 d, {x, y}; }", ({ u16 x = (u16)a, y = (u16)(a >> 16); x = (u16)(x + y); y = (u16)(x * y); x = (u16)((s16)x > (s16)y ? x : y); (u32)x | (u32)y << 16; })) \
    X(isspacep, INTEGERS, EXACT, "{ .reg .pred p; .reg .b64 g; .shared .b32 s; cvta.shared.u64 g, 0; isspacep.shared p, g; selp.b32 d, 7, 9, p; }", 7) \
    X(add_f32, FLOATS, EXACT, "add.f32 d, a, b;", RESULT(fa + fb)) \
    X(mul_f32, FLOATS, EXACT, "mul.rn.f32 d, a, b;", RESULT(fa * fb)) \
    X(fma_f32, FLOATS, EXACT, "fma.rn.f32 d, a, b, c;", RESULT(fmaf(fa, fb, fc))) \
    X(div_f32, FLOATS, EXACT, "div.rn.f32 d, a, b;", RESULT(fa / fb)) \
    X(sqrt_f32, FLOATS, EXACT, "sqrt.rn.f32 d, a;", RESULT(sqrtf(fa))) \
    X(rcp_f32, FLOATS, EXACT, "rcp.rn.f32 d, a;", RESULT(1.0f / fa)) \
    X(fma_rz, FLOATS, EXACT, "fma.rz.f32 d, a, b, c;", RESULT((f32)rounded(FE_TOWARDZERO, op_fmaf, fa, fb, fc))) \
    X(fma_rm, FLOATS, EXACT, "fma.rm.f32 d, a, b, c;", RESULT((f32)rounded(FE_DOWNWARD, op_fmaf, fa, fb, fc))) \
    X(add_rp, FLOATS, EXACT, "add.rp.f32 d, a, b;", RESULT((f32)rounded(FE_UPWARD, op_addf, fa, fb, 0))) \
    X(fma_ftz, FLOATS, EXACT, "fma.rn.ftz.f32 d, a, b, c;", RESULT(flush(fmaf(flush(fa), flush(fb), flush(fc))))) \
    X(mul_ftz_sat, FLOATS, EXACT, "mul.ftz.sat.f32 d, a, b;", RESULT(({ f32 x = flush(flush(fa) * flush(fb)); x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }))) \
    X(add_sat_f32, FLOATS, EXACT, "add.sat.f32 d, a, b;", RESULT(({ f32 x = fa + fb; x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }))) \
    X(min_f32, FLOATS, EXACT, "min.f32 d, a, b;", RESULT(minimum(fa, fb))) \
    X(max_f32, FLOATS, EXACT, "max.f32 d, a, b;", RESULT(-minimum(-fa, -fb))) \
    X(neg_f32, FLOATS, EXACT, "neg.f32 d, a;", RESULT(-fa)) \
    X(abs_f32, FLOATS, EXACT, "abs.f32 d, a;", RESULT(fabsf(fa))) \
    X(copysign, FLOATS, EXACT, "copysign.f32 d, a, b;", RESULT(copysignf(fb, fa))) \
    X(setp_ltu, FLOATS, EXACT, "{ .reg .pred p; setp.ltu.f32 p, a, b; selp.b32 d, 1, 0, p; }", !(fa >= fb)) \
    X(setp_ne, FLOATS, EXACT, "{ .reg .pred p; setp.ne.f32 p, a, b; selp.b32 d, 1, 0, p; }", !isnan(fa) && !isnan(fb) && fa != fb) \
    X(setp_nan, FLOATS, EXACT, "{ .reg .pred p; setp.nan.f32 p, a, b; selp.b32 d, 1, 0, p; }", isnan(fa) || isnan(fb)) \
    X(set_f32, FLOATS, EXACT, "set.gt.f32.f32 d, a, b;", RESULT(fa > fb ? 1.0f : 0.0f)) \
    X(testp, FLOATS, EXACT, "{ .reg .pred p; testp.subnormal.f32 p, a; selp.b32 d, 1, 0, p; testp.finite.f32 p, a; @p add.s32 d, d, 2; testp.normal.f32 p, a; @p add.s32 d, d, 4; }", (u32)((fpclassify(fa) == FP_SUBNORMAL) + 2 * !!isfinite(fa) + 4 * !!isnormal(fa))) \
    X(cvt_rzi, FLOATS, EXACT, "cvt.rzi.s32.f32 d, a;", (u32)to_integer(trunc(fa), -2147483648.0, 2147483647.0, INT32_MIN, INT32_MAX, 0)) \
    X(cvt_rni, FLOATS, EXACT, "cvt.rni.s32.f32 d, a;", (u32)to_integer(rint(fa), -2147483648.0, 2147483647.0, INT32_MIN, INT32_MAX, 0)) \
    X(cvt_rmi_u32, FLOATS, EXACT, "cvt.rmi.u32.f32 d, a;", (u32)to_integer(floor(fa), 0, 4294967295.0, 0, UINT32_MAX, 0)) \
    X(cvt_rpi_s64, FLOATS, EXACT, "cvt.rpi.s64.f32 D, a;", (u64)to_integer(ceil(fa), -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)) \
    X(cvt_rzi_u8, FLOATS, EXACT, "cvt.rzi.u8.f32 d, a;", (u32)to_integer(trunc(fa), 0, 255, 0, 255, 0)) \
    X(cvt_rni_f32, FLOATS, EXACT, "cvt.rni.f32.f32 d, a;", RESULT(rintf(fa))) \
    X(cvt_f64_f32, FLOATS, EXACT, "cvt.f64.f32 D, a;", RESULT64((f64)fa)) \
    X(ex2, FLOATS, CLOSE_F32, "ex2.approx.f32 d, a;", RESULT(exp2f(fa))) \
    X(lg2, FLOATS, CLOSE_F32, "lg2.approx.f32 d, a;", RESULT(log2f(fa))) \
    X(rsqrt, FLOATS, CLOSE_F32, "rsqrt.approx.f32 d, a;", RESULT(1.0f / sqrtf(fa))) \
    X(rcp_ftz, FLOATS, CLOSE_F32, "rcp.approx.ftz.f32 d, a;", RESULT(flush(1.0f / flush(fa)))) \
    X(add_f64, DOUBLES, EXACT, "add.f64 D, A, B;", RESULT64(da + db)) \
    X(fma_f64, DOUBLES, EXACT, "fma.rn.f64 D, A, B, C;", RESULT64(fma(da, db, dc))) \
    X(fma_rp64, DOUBLES, EXACT, "fma.rp.f64 D, A, B, C;", RESULT64(rounded(FE_UPWARD, op_fma, da, db, dc))) \
    X(add_rz64, DOUBLES, EXACT, "add.rz.f64 D, A, B;", RESULT64(rounded(FE_TOWARDZERO, op_add, da, db, 0))) \
    X(mul_rm64, DOUBLES, EXACT, "mul.rm.f64 D, A, B;", RESULT64(rounded(FE_DOWNWARD, op_mul, da, db, 0))) \
    X(div_f64, DOUBLES, EXACT, "div.rn.f64 D, A, B;", RESULT64(da / db)) \
    X(div_rz64, DOUBLES, EXACT, "div.rz.f64 D, A, B;", RESULT64(rounded(FE_TOWARDZERO, op_div, da, db, 0))) \
    X(sqrt_f64, DOUBLES, EXACT, "sqrt.rn.f64 D, A;", RESULT64(sqrt(da))) \
    X(max_f64, DOUBLES, EXACT, "max.f64 D, A, B;", RESULT64(isnan(da) ? db : isnan(db) ? da : da > db || (da == db && !signbit(da)) ? da : db)) \
    X(setp_f64, DOUBLES, EXACT, "{ .reg .pred p; setp.geu.f64 p, A, B; selp.b32 d, 1, 0, p; }", !(da < db)) \
    X(cvt_f32_f64, DOUBLES, EXACT, "cvt.rn.f32.f64 d, A;", RESULT((f32)da)) \
    X(cvt_rm_f32_f64, DOUBLES, EXACT, "cvt.rm.f32.f64 d, A;", RESULT((f32)rounded(FE_DOWNWARD, op_narrow, da, 0, 0))) \
    X(cvt_rzi_u64, DOUBLES, EXACT, "cvt.rzi.u64.f64 D, A;", isnan(da) ? (u64)1 << 63 : da <= 0 ? 0 : da >= 0x1p64 ? UINT64_MAX : (u64)da) \
    X(cvt_rzi_s32_f64, DOUBLES, EXACT, "cvt.rzi.s32.f64 d, A;", (u32)to_integer(trunc(da), -2147483648.0, 2147483647.0, INT32_MIN, INT32_MAX, INT32_MIN))

/* clang-format on */

#define RESULT(x)                                                                                            \
    ({                                                                                                       \
        f32 x_ = (x);                                                                                        \
        u32 bits_;                                                                                           \
        memcpy(&bits_, &x_, 4);                                                                              \
        bits_;                                                                                               \
    })
#define RESULT64(x)                                                                                          \
    ({                                                                                                       \
        f64 x_ = (x);                                                                                        \
        u64 bits_;                                                                                           \
        memcpy(&bits_, &x_, 8);                                                                              \
        bits_;                                                                                               \
    })

#endif
