/* SPDX-License-Identifier: MIT */
/* more_rows.h: more of what instruction_rows.h begins: a row for each row of the table. */
#ifndef TEST_MORE_ROWS_H
#define TEST_MORE_ROWS_H

#include <stdlib.h>

#include "half_reference.h"

static f64 op_mulf(f64 a, f64 b, f64 c)
{
    (void)c;
    volatile f32 x = (f32)a, y = (f32)b;
    return x * y;
}
static f64 op_divf(f64 a, f64 b, f64 c)
{
    (void)c;
    volatile f32 x = (f32)a, y = (f32)b;
    return x / y;
}
static f64 op_sqrtf(f64 a, f64 b, f64 c)
{
    (void)b, (void)c;
    volatile f32 x = (f32)a;
    return sqrtf(x);
}
static f64 op_sqrt(f64 a, f64 b, f64 c)
{
    (void)b, (void)c;
    return sqrt(a);
}

/* clang-format off */
#define MORE_ROWS(X) \
    X(sub_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; sub.s16 z, x, y; cvt.u32.u16 d, z; }", (u16)(a - b)) \
    X(mad_lo_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; mad.lo.u16 z, x, y, w; cvt.u32.u16 d, z; }", (u16)(a * b + c)) \
    X(div_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; or.b16 y, y, 1; div.s16 z, x, y; cvt.u32.u16 d, z; }", (u16)((s16)a / (s16)(b | 1))) \
    X(div_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; or.b16 y, y, 1; div.u16 z, x, y; cvt.u32.u16 d, z; }", (u16)((u16)a / (u16)(b | 1))) \
    X(rem_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; or.b16 y, y, 1; rem.s16 z, x, y; cvt.u32.u16 d, z; }", (u16)((s16)a % (s16)(b | 1))) \
    X(rem_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; or.b16 y, y, 1; rem.u16 z, x, y; cvt.u32.u16 d, z; }", (u16)((u16)a % (u16)(b | 1))) \
    X(min_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; min.s16 z, x, y; cvt.u32.u16 d, z; }", (u16)((s16)a < (s16)b ? a : b)) \
    X(min_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; min.u16 z, x, y; cvt.u32.u16 d, z; }", (u16)((u16)a < (u16)b ? a : b)) \
    X(max_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; max.u16 z, x, y; cvt.u32.u16 d, z; }", (u16)((u16)a > (u16)b ? a : b)) \
    X(neg_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; neg.s16 z, x; cvt.u32.u16 d, z; }", (u16)(0 - a)) \
    X(abs_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; abs.s16 z, x; cvt.u32.u16 d, z; }", (u16)((s16)a < 0 ? 0 - a : a)) \
    X(sad_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; sad.s16 z, x, y, w; cvt.u32.u16 d, z; }", (u16)(c + (u32)abs((s16)a - (s16)b))) \
    X(sad_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; sad.u16 z, x, y, w; cvt.u32.u16 d, z; }", (u16)(c + (u32)abs((u16)a - (u16)b))) \
    X(and_b16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; and.b16 z, x, y; cvt.u32.u16 d, z; }", (u16)(a & b)) \
    X(xor_b16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; xor.b16 z, x, y; cvt.u32.u16 d, z; }", (u16)(a ^ b)) \
    X(not_b16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; not.b16 z, x; cvt.u32.u16 d, z; }", (u16)(~a)) \
    X(cnot_b16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; cnot.b16 z, x; cvt.u32.u16 d, z; }", (u16)((u16)a == 0)) \
    X(shl_b16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; and.b32 c, c, 31; shl.b16 z, x, c; cvt.u32.u16 d, z; }", (u16)((c & 31) > 15 ? 0 : a << (c & 31))) \
    X(shr_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; and.b32 c, c, 31; shr.u16 z, x, c; cvt.u32.u16 d, z; }", (u16)((c & 31) > 15 ? 0 : (u16)a >> (c & 31))) \
    X(shr_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; and.b32 c, c, 31; shr.s16 z, x, c; cvt.u32.u16 d, z; }", (u16)((s16)a >> ((c & 31) > 15 ? 15 : (c & 31)))) \
    X(mul_hi_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; mul.hi.s16 z, x, y; cvt.u32.u16 d, z; }", (u16)(((s16)a * (s16)b) >> 16)) \
    X(mul_hi_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; mul.hi.u16 z, x, y; cvt.u32.u16 d, z; }", (u16)(((u32)(u16)a * (u16)b) >> 16)) \
    X(dp2a_lo_s32_s32, INTEGERS, EXACT, "dp2a.lo.s32.s32 d, a, b, c;", c + (u32)((s16)a * (s8)(b >> 0)) + (u32)((s16)(a >> 16) * (s8)(b >> 8))) \
    X(dp2a_lo_s32_u32, INTEGERS, EXACT, "dp2a.lo.s32.u32 d, a, b, c;", c + (u32)((s16)a * (u8)(b >> 0)) + (u32)((s16)(a >> 16) * (u8)(b >> 8))) \
    X(dp2a_lo_u32_s32, INTEGERS, EXACT, "dp2a.lo.u32.s32 d, a, b, c;", c + (u32)((u16)a * (s8)(b >> 0)) + (u32)((u16)(a >> 16) * (s8)(b >> 8))) \
    X(dp2a_lo_u32_u32, INTEGERS, EXACT, "dp2a.lo.u32.u32 d, a, b, c;", c + (u32)((u16)a * (u8)(b >> 0)) + (u32)((u16)(a >> 16) * (u8)(b >> 8))) \
    X(dp2a_hi_s32_s32, INTEGERS, EXACT, "dp2a.hi.s32.s32 d, a, b, c;", c + (u32)((s16)a * (s8)(b >> 16)) + (u32)((s16)(a >> 16) * (s8)(b >> 24))) \
    X(dp2a_hi_s32_u32, INTEGERS, EXACT, "dp2a.hi.s32.u32 d, a, b, c;", c + (u32)((s16)a * (u8)(b >> 16)) + (u32)((s16)(a >> 16) * (u8)(b >> 24))) \
    X(dp2a_hi_u32_s32, INTEGERS, EXACT, "dp2a.hi.u32.s32 d, a, b, c;", c + (u32)((u16)a * (s8)(b >> 16)) + (u32)((u16)(a >> 16) * (s8)(b >> 24))) \
    X(dp2a_hi_u32_u32, INTEGERS, EXACT, "dp2a.hi.u32.u32 d, a, b, c;", c + (u32)((u16)a * (u8)(b >> 16)) + (u32)((u16)(a >> 16) * (u8)(b >> 24))) \
    X(add_u16x2, INTEGERS, EXACT, "add.u16x2 d, a, b;", (u32)(u16)(a + b) | (u32)(u16)((a >> 16) + (b >> 16)) << 16) \
    X(min_u16x2, INTEGERS, EXACT, "min.u16x2 d, a, b;", (u32)(u16)((u16)(a >> 0) < (u16)(b >> 0) ? (u16)(a >> 0) : (u16)(b >> 0)) | (u32)(u16)((u16)(a >> 16) < (u16)(b >> 16) ? (u16)(a >> 16) : (u16)(b >> 16)) << 16) \
    X(min_s16x2, INTEGERS, EXACT, "min.s16x2 d, a, b;", (u32)(u16)((s16)(a >> 0) < (s16)(b >> 0) ? (s16)(a >> 0) : (s16)(b >> 0)) | (u32)(u16)((s16)(a >> 16) < (s16)(b >> 16) ? (s16)(a >> 16) : (s16)(b >> 16)) << 16) \
    X(min_s16x2_relu, INTEGERS, EXACT, "min.s16x2.relu d, a, b;", (u32)(u16)(((s16)(a >> 0) < (s16)(b >> 0) ? (s16)(a >> 0) : (s16)(b >> 0)) > 0 ? ((s16)(a >> 0) < (s16)(b >> 0) ? (s16)(a >> 0) : (s16)(b >> 0)) : 0) | (u32)(u16)(((s16)(a >> 16) < (s16)(b >> 16) ? (s16)(a >> 16) : (s16)(b >> 16)) > 0 ? ((s16)(a >> 16) < (s16)(b >> 16) ? (s16)(a >> 16) : (s16)(b >> 16)) : 0) << 16) \
    X(min_s32_relu, INTEGERS, EXACT, "min.s32.relu d, a, b;", (s32)a < (s32)b ? ((s32)a > 0 ? a : 0) : ((s32)b > 0 ? b : 0)) \
    X(max_u16x2, INTEGERS, EXACT, "max.u16x2 d, a, b;", (u32)(u16)((u16)(a >> 0) > (u16)(b >> 0) ? (u16)(a >> 0) : (u16)(b >> 0)) | (u32)(u16)((u16)(a >> 16) > (u16)(b >> 16) ? (u16)(a >> 16) : (u16)(b >> 16)) << 16) \
    X(max_s16x2, INTEGERS, EXACT, "max.s16x2 d, a, b;", (u32)(u16)((s16)(a >> 0) > (s16)(b >> 0) ? (s16)(a >> 0) : (s16)(b >> 0)) | (u32)(u16)((s16)(a >> 16) > (s16)(b >> 16) ? (s16)(a >> 16) : (s16)(b >> 16)) << 16) \
    X(max_s16x2_relu, INTEGERS, EXACT, "max.s16x2.relu d, a, b;", (u32)(u16)(((s16)(a >> 0) > (s16)(b >> 0) ? (s16)(a >> 0) : (s16)(b >> 0)) > 0 ? ((s16)(a >> 0) > (s16)(b >> 0) ? (s16)(a >> 0) : (s16)(b >> 0)) : 0) | (u32)(u16)(((s16)(a >> 16) > (s16)(b >> 16) ? (s16)(a >> 16) : (s16)(b >> 16)) > 0 ? ((s16)(a >> 16) > (s16)(b >> 16) ? (s16)(a >> 16) : (s16)(b >> 16)) : 0) << 16) \
    X(max_s32_relu, INTEGERS, EXACT, "max.s32.relu d, a, b;", (s32)a > (s32)b ? ((s32)a > 0 ? a : 0) : ((s32)b > 0 ? b : 0)) \
    X(rem_u32_r, INTEGERS, EXACT, "or.b32 b, b, 1; rem.u32 d, a, b;", a % (b | 1)) \
    X(min_u32_r, INTEGERS, EXACT, "min.u32 d, a, b;", a < b ? a : b) \
    X(max_s32_r, INTEGERS, EXACT, "max.s32 d, a, b;", (s32)a > (s32)b ? a : b) \
    X(neg_s32_r, INTEGERS, EXACT, "neg.s32 d, a;", 0 - a) \
    X(sad_s32_r, INTEGERS, EXACT, "sad.s32 d, a, b, c;", c + ((s32)a > (s32)b ? a - b : b - a)) \
    X(mad_lo_s64_r, INTEGERS, EXACT, "mad.lo.s64 D, A, B, C;", A * B + C) \
    X(div_s64_r, INTEGERS, EXACT, "or.b64 B, B, 1; div.s64 D, A, B;", (b | 1) == ~0u && (B | 1) == UINT64_MAX ? 0 - A : (u64)((s64)A / (s64)(B | 1))) \
    X(rem_s64_r, INTEGERS, EXACT, "or.b64 B, B, 1; rem.s64 D, A, B;", (B | 1) == UINT64_MAX ? 0 : (u64)((s64)A % (s64)(B | 1))) \
    X(min_s64_r, INTEGERS, EXACT, "min.s64 D, A, B;", (s64)A < (s64)B ? A : B) \
    X(min_u64_r, INTEGERS, EXACT, "min.u64 D, A, B;", A < B ? A : B) \
    X(max_u64_r, INTEGERS, EXACT, "max.u64 D, A, B;", A > B ? A : B) \
    X(abs_s64_r, INTEGERS, EXACT, "abs.s64 D, A;", (s64)A < 0 ? 0 - A : A) \
    X(sad_s64_r, INTEGERS, EXACT, "sad.s64 D, A, B, C;", C + ((s64)A > (s64)B ? A - B : B - A)) \
    X(sad_u64_r, INTEGERS, EXACT, "sad.u64 D, A, B, C;", C + (A > B ? A - B : B - A)) \
    X(and_b64_r, INTEGERS, EXACT, "and.b64 D, A, B;", A & B) \
    X(xor_b64_r, INTEGERS, EXACT, "xor.b64 D, A, B;", A ^ B) \
    X(not_b64_r, INTEGERS, EXACT, "not.b64 D, A;", ~A) \
    X(cnot_b64_r, INTEGERS, EXACT, "cnot.b64 D, A;", A == 0) \
    X(shr_u64_r, INTEGERS, EXACT, "and.b32 b, b, 127; shr.u64 D, A, b;", (b & 127) > 63 ? 0 : A >> (b & 63)) \
    X(sub_sat_s32_r, INTEGERS, EXACT, "sub.sat.s32 d, a, b;", ({ s64 s = (s64)(s32)a - (s32)b; (u32)(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s); })) \
    X(mad_hi_s32_r, INTEGERS, EXACT, "mad.hi.s32 d, a, b, c;", (u32)((s64)(s32)a * (s32)b >> 32) + c) \
    X(mad_hi_s64_r, INTEGERS, EXACT, "mad.hi.s64 D, A, B, C;", (u64)((__int128)(s64)A * (s64)B >> 64) + C) \
    X(mad_hi_u64_r, INTEGERS, EXACT, "mad.hi.u64 D, A, B, C;", (u64)((unsigned __int128)A * B >> 64) + C) \
    X(mul_wide_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mul.wide.s16 d, x, y; }", (u32)((s16)a * (s16)b)) \
    X(mul_wide_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mul.wide.u16 d, x, y; }", (u32)(u16)a * (u16)b) \
    X(mad_wide_s16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mad.wide.s16 d, x, y, c; }", (u32)((s16)a * (s16)b) + c) \
    X(mad_wide_u16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mad.wide.u16 d, x, y, c; }", (u32)(u16)a * (u16)b + c) \
    X(mad_wide_u32_r, INTEGERS, EXACT, "mad.wide.u32 D, a, b, C;", (u64)a * b + C) \
    X(mul24_lo_s32_r, INTEGERS, EXACT, "mul24.lo.s32 d, a, b;", (u32)((s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8))) \
    X(mul24_lo_u32_r, INTEGERS, EXACT, "mul24.lo.u32 d, a, b;", (a & 0xffffff) * (b & 0xffffff)) \
    X(clz_b64_r, INTEGERS, EXACT, "clz.b64 d, A;", A == 0 ? 64 : 63 - slow_bfind(A)) \
    X(brev_b64_r, INTEGERS, EXACT, "brev.b64 D, A;", ({ u64 r = 0; for (int i = 0; i < 64; i++) r |= (A >> i & 1) << (63 - i); r; })) \
    X(bfind_s32_r, INTEGERS, EXACT, "bfind.s32 d, a;", slow_bfind((s32)a < 0 ? ~a : a)) \
    X(bfind_u64_r, INTEGERS, EXACT, "bfind.u64 d, A;", slow_bfind(A)) \
    X(bfind_shiftamt_s32_r, INTEGERS, EXACT, "bfind.shiftamt.s32 d, a;", ({ u32 n = slow_bfind((s32)a < 0 ? ~a : a); n == ~0u ? n : 31 - n; })) \
    X(bfind_shiftamt_u64_r, INTEGERS, EXACT, "bfind.shiftamt.u64 d, A;", ({ u32 n = slow_bfind(A); n == ~0u ? n : 63 - n; })) \
    X(bfind_shiftamt_s64_r, INTEGERS, EXACT, "bfind.shiftamt.s64 d, A;", ({ u32 n = slow_bfind((s64)A < 0 ? ~A : A); n == ~0u ? n : 63 - n; })) \
    X(bfe_u64_r, INTEGERS, EXACT, "and.b32 b, b, 127; and.b32 c, c, 127; bfe.u64 D, A, b, c;", ({ u32 p = b & 127, n = c & 127; u64 r = 0; for (u32 i = 0; i < n && i < 64; i++) r |= (p + i < 64 ? A >> (p + i) & 1 : 0) << i; r; })) \
    X(shf_r_wrap_b32_r, INTEGERS, EXACT, "shf.r.wrap.b32 d, a, b, c;", (u32)(((u64)b << 32 | a) >> (c & 31))) \
    X(shf_l_clamp_b32_r, INTEGERS, EXACT, "shf.l.clamp.b32 d, a, b, c;", c > 31 ? a : (u32)(((u64)b << 32 | a) << c >> 32)) \
    X(prmt_b32_f4e_r, INTEGERS, EXACT, "prmt.b32.f4e d, a, b, c;", (u32)(((u64)b << 32 | a) >> (8 * (c & 3)))) \
    X(prmt_b32_rc8_r, INTEGERS, EXACT, "prmt.b32.rc8 d, a, b, c;", (a >> (8 * (c & 3)) & 255) * 0x01010101u) \
    X(bmsk_clamp_b32_r, INTEGERS, EXACT, "bmsk.clamp.b32 d, a, b;", ({ u32 r = 0; for (u64 i = 0; i < 32; i++) r |= i >= a && i < (u64)a + b ? 1u << i : 0; r; })) \
    X(bmsk_wrap_b32_r, INTEGERS, EXACT, "bmsk.wrap.b32 d, a, b;", ({ u32 r = 0; for (u32 i = 0; i < 32; i++) r |= i >= (a & 31) && i < (a & 31) + (b & 31) ? 1u << i : 0; r; })) \
    X(dp4a_s32_s32_r, INTEGERS, EXACT, "dp4a.s32.s32 d, a, b, c;", ({ u32 s = c; for (int i = 0; i < 32; i += 8) s += (u32)((s8)(a >> i) * (s32)(s8)(b >> i)); s; })) \
    X(dp4a_u32_s32_r, INTEGERS, EXACT, "dp4a.u32.s32 d, a, b, c;", ({ u32 s = c; for (int i = 0; i < 32; i += 8) s += (u32)((u8)(a >> i) * (s32)(s8)(b >> i)); s; })) \
    X(dp4a_u32_u32_r, INTEGERS, EXACT, "dp4a.u32.u32 d, a, b, c;", ({ u32 s = c; for (int i = 0; i < 32; i += 8) s += (u32)((u8)(a >> i) * (s32)(u8)(b >> i)); s; })) \
    X(sub_f32_r, FLOATS, EXACT, "sub.f32 d, a, b;", RESULT(fa - fb)) \
    X(mad_rn_f32_r, FLOATS, EXACT, "mad.rn.f32 d, a, b, c;", RESULT(fmaf(fa, fb, fc))) \
    X(add_ftz_f32_r, FLOATS, EXACT, "add.ftz.f32 d, a, b;", RESULT(flush(flush(fa) + flush(fb)))) \
    X(sub_ftz_f32_r, FLOATS, EXACT, "sub.ftz.f32 d, a, b;", RESULT(flush(flush(fa) - flush(fb)))) \
    X(mul_ftz_f32_r, FLOATS, EXACT, "mul.ftz.f32 d, a, b;", RESULT(flush(flush(fa) * flush(fb)))) \
    X(sin_approx_r, FLOATS, NEAR_F32, "{ .reg .b32 m; mov.b32 m, 0f40490FDB; min.f32 a, a, m; neg.f32 m, m; max.f32 a, a, m; sin.approx.f32 d, a; }", RESULT((f32)sin(minimum(fmaxf(isnan(fa) ? 3.14159274f : fa, -3.14159274f), 3.14159274f)))) \
    X(cos_approx_r, FLOATS, NEAR_F32, "{ .reg .b32 m; mov.b32 m, 0f40490FDB; min.f32 a, a, m; neg.f32 m, m; max.f32 a, a, m; cos.approx.f32 d, a; }", RESULT((f32)cos(minimum(fmaxf(isnan(fa) ? 3.14159274f : fa, -3.14159274f), 3.14159274f)))) \
    X(tanh_approx_f32_r, FLOATS, CLOSE_F32, "tanh.approx.f32 d, a;", RESULT(tanhf(fa))) \
    X(min_NaN_f32_r, FLOATS, EXACT, "min.NaN.f32 d, a, b;", isnan(fa) || isnan(fb) ? RESULT(NAN) : RESULT(minimum(fa, fb))) \
    X(max_NaN_f32_r, FLOATS, EXACT, "max.NaN.f32 d, a, b;", isnan(fa) || isnan(fb) ? RESULT(NAN) : RESULT(-minimum(-fa, -fb))) \
    X(sub_f64_r, DOUBLES, EXACT, "sub.f64 D, A, B;", RESULT64(da - db)) \
    X(mul_f64_r, DOUBLES, EXACT, "mul.f64 D, A, B;", RESULT64(da * db)) \
    X(mad_rn_f64_r, DOUBLES, EXACT, "mad.rn.f64 D, A, B, C;", RESULT64(fma(da, db, dc))) \
    X(rcp_rn_f64_r, DOUBLES, EXACT, "rcp.rn.f64 D, A;", RESULT64(1.0 / da)) \
    X(neg_f64_r, DOUBLES, EXACT, "neg.f64 D, A;", A ^ (u64)1 << 63) \
    X(abs_f64_r, DOUBLES, EXACT, "abs.f64 D, A;", A & INT64_MAX) \
    X(copysign_f64_r, DOUBLES, EXACT, "copysign.f64 D, A, B;", (A & (u64)1 << 63) | (B & INT64_MAX)) \
    X(min_f64_r, DOUBLES, EXACT, "min.f64 D, A, B;", RESULT64(isnan(da) ? db : isnan(db) ? da : da < db || (da == db && signbit(da)) ? da : db)) \
    X(sub_rm_f32_r, FLOATS, EXACT, "sub.rm.f32 d, a, b;", RESULT((f32)rounded(FE_DOWNWARD, op_addf, fa, -fb, 0))) \
    X(mul_rz_f32_r, FLOATS, EXACT, "mul.rz.f32 d, a, b;", RESULT((f32)rounded(FE_TOWARDZERO, op_mulf, fa, fb, 0))) \
    X(div_rp_f32_r, FLOATS, EXACT, "div.rp.f32 d, a, b;", RESULT((f32)rounded(FE_UPWARD, op_divf, fa, fb, 0))) \
    X(sqrt_rm_f32_r, FLOATS, EXACT, "sqrt.rm.f32 d, a;", RESULT((f32)rounded(FE_DOWNWARD, op_sqrtf, fa, 0, 0))) \
    X(rcp_rz_f32_r, FLOATS, EXACT, "rcp.rz.f32 d, a;", RESULT((f32)rounded(FE_TOWARDZERO, op_divf, 1, fa, 0))) \
    X(sub_rp_f64_r, DOUBLES, EXACT, "sub.rp.f64 D, A, B;", RESULT64(rounded(FE_UPWARD, op_add, da, -db, 0))) \
    X(sqrt_rz_f64_r, DOUBLES, EXACT, "sqrt.rz.f64 D, A;", RESULT64(rounded(FE_TOWARDZERO, op_sqrt, da, 0, 0))) \
    X(rcp_rm_f64_r, DOUBLES, EXACT, "rcp.rm.f64 D, A;", RESULT64(rounded(FE_DOWNWARD, op_div, 1, da, 0))) \
    X(min_ftz_f32_r, FLOATS, EXACT, "min.ftz.f32 d, a, b;", RESULT(minimum(flush(fa), flush(fb)))) \
    X(setp_eq_u16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.eq.u16 p, x, y; selp.b32 d, 1, 0, p; }", (u16)a == (u16)b) \
    X(setp_ne_u16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.ne.u16 p, x, y; selp.b32 d, 1, 0, p; }", (u16)a != (u16)b) \
    X(setp_lt_u16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.lt.u16 p, x, y; selp.b32 d, 1, 0, p; }", (u16)a < (u16)b) \
    X(setp_le_u16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.le.u16 p, x, y; selp.b32 d, 1, 0, p; }", (u16)a <= (u16)b) \
    X(setp_gt_u16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.gt.u16 p, x, y; selp.b32 d, 1, 0, p; }", (u16)a > (u16)b) \
    X(setp_ge_u16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.ge.u16 p, x, y; selp.b32 d, 1, 0, p; }", (u16)a >= (u16)b) \
    X(setp_eq_s16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.eq.s16 p, x, y; selp.b32 d, 1, 0, p; }", (s16)a == (s16)b) \
    X(setp_ne_s16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.ne.s16 p, x, y; selp.b32 d, 1, 0, p; }", (s16)a != (s16)b) \
    X(setp_lt_s16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.lt.s16 p, x, y; selp.b32 d, 1, 0, p; }", (s16)a < (s16)b) \
    X(setp_le_s16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.le.s16 p, x, y; selp.b32 d, 1, 0, p; }", (s16)a <= (s16)b) \
    X(setp_gt_s16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.gt.s16 p, x, y; selp.b32 d, 1, 0, p; }", (s16)a > (s16)b) \
    X(setp_ge_s16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.ge.s16 p, x, y; selp.b32 d, 1, 0, p; }", (s16)a >= (s16)b) \
    X(setp_eq_u32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.eq.u32 p, a, b; selp.b32 d, 1, 0, p; }", (u32)a == (u32)b) \
    X(setp_ne_u32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.ne.u32 p, a, b; selp.b32 d, 1, 0, p; }", (u32)a != (u32)b) \
    X(setp_lt_u32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.lt.u32 p, a, b; selp.b32 d, 1, 0, p; }", (u32)a < (u32)b) \
    X(setp_le_u32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.le.u32 p, a, b; selp.b32 d, 1, 0, p; }", (u32)a <= (u32)b) \
    X(setp_gt_u32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.gt.u32 p, a, b; selp.b32 d, 1, 0, p; }", (u32)a > (u32)b) \
    X(setp_ge_u32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.ge.u32 p, a, b; selp.b32 d, 1, 0, p; }", (u32)a >= (u32)b) \
    X(setp_eq_s32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.eq.s32 p, a, b; selp.b32 d, 1, 0, p; }", (s32)a == (s32)b) \
    X(setp_ne_s32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.ne.s32 p, a, b; selp.b32 d, 1, 0, p; }", (s32)a != (s32)b) \
    X(setp_lt_s32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.lt.s32 p, a, b; selp.b32 d, 1, 0, p; }", (s32)a < (s32)b) \
    X(setp_le_s32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.le.s32 p, a, b; selp.b32 d, 1, 0, p; }", (s32)a <= (s32)b) \
    X(setp_gt_s32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.gt.s32 p, a, b; selp.b32 d, 1, 0, p; }", (s32)a > (s32)b) \
    X(setp_ge_s32_r, INTEGERS, EXACT, "{ .reg .pred p; setp.ge.s32 p, a, b; selp.b32 d, 1, 0, p; }", (s32)a >= (s32)b) \
    X(setp_eq_u64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.eq.u64 p, A, B; selp.b32 d, 1, 0, p; }", (u64)A == (u64)B) \
    X(setp_ne_u64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.ne.u64 p, A, B; selp.b32 d, 1, 0, p; }", (u64)A != (u64)B) \
    X(setp_lt_u64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.lt.u64 p, A, B; selp.b32 d, 1, 0, p; }", (u64)A < (u64)B) \
    X(setp_le_u64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.le.u64 p, A, B; selp.b32 d, 1, 0, p; }", (u64)A <= (u64)B) \
    X(setp_gt_u64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.gt.u64 p, A, B; selp.b32 d, 1, 0, p; }", (u64)A > (u64)B) \
    X(setp_ge_u64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.ge.u64 p, A, B; selp.b32 d, 1, 0, p; }", (u64)A >= (u64)B) \
    X(setp_eq_s64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.eq.s64 p, A, B; selp.b32 d, 1, 0, p; }", (s64)A == (s64)B) \
    X(setp_ne_s64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.ne.s64 p, A, B; selp.b32 d, 1, 0, p; }", (s64)A != (s64)B) \
    X(setp_lt_s64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.lt.s64 p, A, B; selp.b32 d, 1, 0, p; }", (s64)A < (s64)B) \
    X(setp_le_s64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.le.s64 p, A, B; selp.b32 d, 1, 0, p; }", (s64)A <= (s64)B) \
    X(setp_gt_s64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.gt.s64 p, A, B; selp.b32 d, 1, 0, p; }", (s64)A > (s64)B) \
    X(setp_ge_s64_r, INTEGERS, EXACT, "{ .reg .pred p; setp.ge.s64 p, A, B; selp.b32 d, 1, 0, p; }", (s64)A >= (s64)B) \
    X(setp_eq_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.eq.f32 p, a, b; selp.b32 d, 1, 0, p; }", !isnan(fa) && !isnan(fb) && fa == fb) \
    X(setp_equ_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.equ.f32 p, a, b; selp.b32 d, 1, 0, p; }", isnan(fa) || isnan(fb) || fa == fb) \
    X(setp_ne_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.ne.f32 p, a, b; selp.b32 d, 1, 0, p; }", !isnan(fa) && !isnan(fb) && fa != fb) \
    X(setp_neu_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.neu.f32 p, a, b; selp.b32 d, 1, 0, p; }", isnan(fa) || isnan(fb) || fa != fb) \
    X(setp_lt_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.lt.f32 p, a, b; selp.b32 d, 1, 0, p; }", !isnan(fa) && !isnan(fb) && fa < fb) \
    X(setp_ltu_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.ltu.f32 p, a, b; selp.b32 d, 1, 0, p; }", isnan(fa) || isnan(fb) || fa < fb) \
    X(setp_le_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.le.f32 p, a, b; selp.b32 d, 1, 0, p; }", !isnan(fa) && !isnan(fb) && fa <= fb) \
    X(setp_leu_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.leu.f32 p, a, b; selp.b32 d, 1, 0, p; }", isnan(fa) || isnan(fb) || fa <= fb) \
    X(setp_gt_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.gt.f32 p, a, b; selp.b32 d, 1, 0, p; }", !isnan(fa) && !isnan(fb) && fa > fb) \
    X(setp_gtu_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.gtu.f32 p, a, b; selp.b32 d, 1, 0, p; }", isnan(fa) || isnan(fb) || fa > fb) \
    X(setp_ge_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.ge.f32 p, a, b; selp.b32 d, 1, 0, p; }", !isnan(fa) && !isnan(fb) && fa >= fb) \
    X(setp_geu_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.geu.f32 p, a, b; selp.b32 d, 1, 0, p; }", isnan(fa) || isnan(fb) || fa >= fb) \
    X(setp_num_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.num.f32 p, a, b; selp.b32 d, 1, 0, p; }", !isnan(fa) && !isnan(fb)) \
    X(setp_nan_f32_r, FLOATS, EXACT, "{ .reg .pred p; setp.nan.f32 p, a, b; selp.b32 d, 1, 0, p; }", isnan(fa) || isnan(fb)) \
    X(setp_eq_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.eq.f64 p, A, B; selp.b32 d, 1, 0, p; }", !isnan(da) && !isnan(db) && da == db) \
    X(setp_equ_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.equ.f64 p, A, B; selp.b32 d, 1, 0, p; }", isnan(da) || isnan(db) || da == db) \
    X(setp_ne_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.ne.f64 p, A, B; selp.b32 d, 1, 0, p; }", !isnan(da) && !isnan(db) && da != db) \
    X(setp_neu_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.neu.f64 p, A, B; selp.b32 d, 1, 0, p; }", isnan(da) || isnan(db) || da != db) \
    X(setp_lt_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.lt.f64 p, A, B; selp.b32 d, 1, 0, p; }", !isnan(da) && !isnan(db) && da < db) \
    X(setp_ltu_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.ltu.f64 p, A, B; selp.b32 d, 1, 0, p; }", isnan(da) || isnan(db) || da < db) \
    X(setp_le_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.le.f64 p, A, B; selp.b32 d, 1, 0, p; }", !isnan(da) && !isnan(db) && da <= db) \
    X(setp_leu_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.leu.f64 p, A, B; selp.b32 d, 1, 0, p; }", isnan(da) || isnan(db) || da <= db) \
    X(setp_gt_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.gt.f64 p, A, B; selp.b32 d, 1, 0, p; }", !isnan(da) && !isnan(db) && da > db) \
    X(setp_gtu_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.gtu.f64 p, A, B; selp.b32 d, 1, 0, p; }", isnan(da) || isnan(db) || da > db) \
    X(setp_ge_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.ge.f64 p, A, B; selp.b32 d, 1, 0, p; }", !isnan(da) && !isnan(db) && da >= db) \
    X(setp_geu_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.geu.f64 p, A, B; selp.b32 d, 1, 0, p; }", isnan(da) || isnan(db) || da >= db) \
    X(setp_num_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.num.f64 p, A, B; selp.b32 d, 1, 0, p; }", !isnan(da) && !isnan(db)) \
    X(setp_nan_f64_r, DOUBLES, EXACT, "{ .reg .pred p; setp.nan.f64 p, A, B; selp.b32 d, 1, 0, p; }", isnan(da) || isnan(db)) \
    X(slct_b64_s32_r, INTEGERS, EXACT, "slct.b64.s32 D, A, B, c;", (s32)c >= 0 ? A : B) \
    X(slct_b32_f32_r, FLOATS, EXACT, "slct.b32.f32 d, a, b, c;", fc >= 0 ? a : b) \
    X(pred_logic_r, INTEGERS, EXACT, "{ .reg .pred p, q, r; setp.lt.u32 p, a, b; setp.lt.u32 q, b, c; and.pred r, p, q; not.pred p, p; xor.pred p, p, q; or.pred p, p, r; selp.b32 d, 1, 0, p; }", ((!(a < b)) ^ (b < c)) | ((a < b) & (b < c))) \
    X(add_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; add.f16 z, x, y; cvt.u32.u16 d, z; }", nearest((__float128)value_of((u16)a, false) + (__float128)value_of((u16)b, false), false)) \
    X(sub_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; sub.f16 z, x, y; cvt.u32.u16 d, z; }", nearest((__float128)value_of((u16)a, false) - (__float128)value_of((u16)b, false), false)) \
    X(mul_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; mul.f16 z, x, y; cvt.u32.u16 d, z; }", nearest((__float128)value_of((u16)a, false) * (__float128)value_of((u16)b, false), false)) \
    X(fma_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; fma.rn.f16 z, x, y, w; cvt.u32.u16 d, z; }", nearest((__float128)value_of((u16)a, false) * value_of((u16)b, false) + value_of((u16)c, false), false)) \
    X(neg_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; neg.f16 z, x; cvt.u32.u16 d, z; }", (u16)(a ^ 0x8000)) \
    X(abs_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; abs.f16 z, x; cvt.u32.u16 d, z; }", (u16)a & 0x7fff) \
    X(min_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; min.f16 z, x, y; cvt.u32.u16 d, z; }", isnan(value_of((u16)a, false)) ? (isnan(value_of((u16)b, false)) ? 0x7fff : (u16)b) : isnan(value_of((u16)b, false)) || value_of((u16)a, false) < value_of((u16)b, false) || (value_of((u16)a, false) == value_of((u16)b, false) && (a & 0x8000)) ? (u16)a : (u16)b) \
    X(setp_lt_f16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.lt.f16 p, x, y; selp.b32 d, 1, 0, p; }", value_of((u16)a, false) < value_of((u16)b, false)) \
    X(cvt_rn_f16_f32_r, FLOATS, EXACT, "{ .reg .b16 z; cvt.rn.f16.f32 z, a; cvt.u32.u16 d, z; }", nearest(fa, false)) \
    X(cvt_f16x2_f32_r, FLOATS, EXACT, "cvt.rn.f16x2.f32 d, a, b;", (u32)nearest(fa, false) << 16 | nearest(fb, false)) \
    X(cvt_f32_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, w; .reg .pred p; mov.b32 {x, w}, a; cvt.f32.f16 d, x; setp.nan.f32 p, d, d; selp.b32 d, 0, d, p; }", isnan(value_of((u16)a, false)) ? 0 : RESULT((f32)value_of((u16)a, false))) \
    X(add_bf16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; add.bf16 z, x, y; cvt.u32.u16 d, z; }", nearest((__float128)value_of((u16)a, true) + (__float128)value_of((u16)b, true), true)) \
    X(sub_bf16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; sub.bf16 z, x, y; cvt.u32.u16 d, z; }", nearest((__float128)value_of((u16)a, true) - (__float128)value_of((u16)b, true), true)) \
    X(mul_bf16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; mul.bf16 z, x, y; cvt.u32.u16 d, z; }", nearest((__float128)value_of((u16)a, true) * (__float128)value_of((u16)b, true), true)) \
    X(fma_bf16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; or.b16 w, w, 0x2000; fma.rn.bf16 z, x, y, w; cvt.u32.u16 d, z; }", nearest(sum_near((__float128)value_of((u16)a, true) * value_of((u16)b, true), value_of((u16)(c | 0x2000), true)), true)) \
    X(neg_bf16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; neg.bf16 z, x; cvt.u32.u16 d, z; }", (u16)(a ^ 0x8000)) \
    X(abs_bf16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; abs.bf16 z, x; cvt.u32.u16 d, z; }", (u16)a & 0x7fff) \
    X(min_bf16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; min.bf16 z, x, y; cvt.u32.u16 d, z; }", isnan(value_of((u16)a, true)) ? (isnan(value_of((u16)b, true)) ? 0x7fff : (u16)b) : isnan(value_of((u16)b, true)) || value_of((u16)a, true) < value_of((u16)b, true) || (value_of((u16)a, true) == value_of((u16)b, true) && (a & 0x8000)) ? (u16)a : (u16)b) \
    X(setp_lt_bf16_r, INTEGERS, EXACT, "{ .reg .pred p; .reg .b16 x, y, z; mov.b32 {x, z}, a; mov.b32 {y, z}, b; setp.lt.bf16 p, x, y; selp.b32 d, 1, 0, p; }", value_of((u16)a, true) < value_of((u16)b, true)) \
    X(cvt_rn_bf16_f32_r, FLOATS, EXACT, "{ .reg .b16 z; cvt.rn.bf16.f32 z, a; cvt.u32.u16 d, z; }", nearest(fa, true)) \
    X(cvt_bf16x2_f32_r, FLOATS, EXACT, "cvt.rn.bf16x2.f32 d, a, b;", (u32)nearest(fa, true) << 16 | nearest(fb, true)) \
    X(cvt_f32_bf16_r, INTEGERS, EXACT, "{ .reg .b16 x, w; .reg .pred p; mov.b32 {x, w}, a; cvt.f32.bf16 d, x; setp.nan.f32 p, d, d; selp.b32 d, 0, d, p; }", isnan(value_of((u16)a, true)) ? 0 : RESULT((f32)value_of((u16)a, true))) \
    X(fma_f16x2_r, INTEGERS, EXACT, "fma.rn.f16x2 d, a, b, c;", nearest((__float128)value_of((u16)a, false) * value_of((u16)b, false) + value_of((u16)c, false), false) | (u32)nearest((__float128)value_of((u16)(a >> 16), false) * value_of((u16)(b >> 16), false) + value_of((u16)(c >> 16), false), false) << 16) \
    X(set_gt_f16x2_r, INTEGERS, EXACT, "set.gt.f16x2.f16x2 d, a, b;", (value_of((u16)a, false) > value_of((u16)b, false) ? 0x3c00u : 0) | (value_of((u16)(a >> 16), false) > value_of((u16)(b >> 16), false) ? 0x3c000000u : 0)) \
    X(tanh_f16_r, INTEGERS, EXACT, "{ .reg .b16 x, y, z, w; mov.b32 {x, w}, a; mov.b32 {y, w}, b; mov.b32 {w, z}, c; mov.b16 w, z; mov.b32 {w, z}, c; tanh.approx.f16 z, x; cvt.u32.u16 d, z; }", nearest(tanh(value_of((u16)a, false)), false)) \
    X(cvt_rna_tf32_r, FLOATS, EXACT, "cvt.rna.tf32.f32 d, a;", isnan(fa) ? RESULT(NAN) : isinf(fa) ? a : (a + 0x1000) & 0xffffe000) \
    X(cvt_rz_f16_r, FLOATS, EXACT, "{ .reg .b16 z; cvt.rz.f16.f32 z, a; cvt.u32.u16 d, z; }", ({ u16 h = nearest(fa, false); !isnan(fa) && !isinf(fa) && fabs(value_of(h, false)) > fabs(fa) ? (u16)(h - 1) : h; }))
/* clang-format on */

#endif
