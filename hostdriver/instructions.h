/* SPDX-License-Identifier: MIT */
/* instructions.h: the one table of instructions.
 *
 * A pattern describes the spellings of an opcode: parts between dots, '|'
 * between alternatives, a trailing '?' on a part that may be absent.  The first
 * row that fits is taken; an opcode that fits none is refused when its module
 * is loaded.
 *
 *   UNARY   (name, pattern, D, A, expression of a)
 *   BINARY  (name, pattern, D, A, B, expression of a, b)
 *   TERNARY (name, pattern, D, A, B, C, expression of a, b, c)
 *       compute one lane; D, A.. are the C types of the registers.  The operand
 *       order is PTX's.  In an expression, aux is the instruction's modifier.
 *   FUSED   (...)
 *       a TERNARY of which a run is one step: aux is its length.
 *   DIRECTED(name, pattern, D, A, B, C, expression)
 *       the same, rounding as .rz .rm or .rp says; unused operands are none.
 *   COMPARE (name, pattern, A, expression of a, b): one bit per lane
 *   FORM    (pattern, function): instructions made of the micro-operations below
 *   MICRO   (name): executors written by hand (exec_*.h)
 */

/* clang-format off */

/* Integer arithmetic */
#define INTEGER_ROWS(S, U, bits) \
    BINARY(add_##bits,  "add.u" #bits "|s" #bits, U, U, U, a + b) \
    BINARY(sub_##bits,  "sub.u" #bits "|s" #bits, U, U, U, a - b) \
    BINARY(mul_##bits,  "mul.lo.u" #bits "|s" #bits, U, U, U, (U)((uint64_t)a * b)) \
    TERNARY(mad_##bits, "mad.lo.u" #bits "|s" #bits, U, U, U, U, (U)((uint64_t)a * b + c)) \
    BINARY(div_s##bits, "div.s" #bits, S, S, S, (S)divide_signed(a, b)) \
    BINARY(div_u##bits, "div.u" #bits, U, U, U, b == 0 ? (U)-1 : a / (b + (b == 0))) \
    BINARY(rem_s##bits, "rem.s" #bits, S, S, S, (S)remainder_signed(a, b)) \
    BINARY(rem_u##bits, "rem.u" #bits, U, U, U, b == 0 ? a : a % (b + (b == 0))) \
    BINARY(min_s##bits, "min.s" #bits, S, S, S, a < b ? a : b) \
    BINARY(min_u##bits, "min.u" #bits, U, U, U, a < b ? a : b) \
    BINARY(max_s##bits, "max.s" #bits, S, S, S, a > b ? a : b) \
    BINARY(max_u##bits, "max.u" #bits, U, U, U, a > b ? a : b) \
    UNARY(neg_##bits,   "neg.s" #bits, U, U, (U)(0 - a)) \
    UNARY(abs_##bits,   "abs.s" #bits, U, U, (U)((S)a < 0 ? 0 - a : a)) \
    TERNARY(sad_s##bits, "sad.s" #bits, U, S, S, U, c + (a < b ? (U)b - (U)a : (U)a - (U)b)) \
    TERNARY(sad_u##bits, "sad.u" #bits, U, U, U, U, c + (a < b ? b - a : a - b)) \
    BINARY(and_##bits,  "and.b" #bits, U, U, U, a & b) \
    BINARY(or_##bits,   "or.b" #bits, U, U, U, a | b) \
    BINARY(xor_##bits,  "xor.b" #bits, U, U, U, a ^ b) \
    UNARY(not_##bits,   "not.b" #bits, U, U, (U)~a) \
    UNARY(cnot_##bits,  "cnot.b" #bits, U, U, (U)(a == 0)) \
    BINARY(shl_##bits,  "shl.b" #bits, U, U, u32, b >= bits ? 0 : (U)(a << (b & (bits - 1)))) \
    BINARY(shr_##bits,  "shr.u" #bits "|b" #bits, U, U, u32, b >= bits ? 0 : (U)(a >> (b & (bits - 1)))) \
    BINARY(shr_s##bits, "shr.s" #bits, S, S, u32, (S)(a >> (b >= bits ? bits - 1 : b)))

INTEGER_ROWS(s16, u16, 16)
INTEGER_ROWS(s32, u32, 32)
INTEGER_ROWS(s64, u64, 64)

BINARY(add_sat,     "add.sat.s32", s32, s32, s32, saturate_s32((s64)a + b))
BINARY(sub_sat,     "sub.sat.s32", s32, s32, s32, saturate_s32((s64)a - b))
BINARY(mulhi_s16,   "mul.hi.s16", s16, s16, s16, (s16)(((s32)a * b) >> 16))
BINARY(mulhi_u16,   "mul.hi.u16", u16, u16, u16, (u16)(((u32)a * b) >> 16))
BINARY(mulhi_s32,   "mul.hi.s32", s32, s32, s32, (s32)(((s64)a * b) >> 32))
BINARY(mulhi_u32,   "mul.hi.u32", u32, u32, u32, (u32)(((u64)a * b) >> 32))
BINARY(mulhi_s64,   "mul.hi.s64", s64, s64, s64, (s64)(((__int128)a * b) >> 64))
BINARY(mulhi_u64,   "mul.hi.u64", u64, u64, u64, (u64)(((unsigned __int128)a * b) >> 64))
TERNARY(madhi_s32,  "mad.hi.s32", u32, s32, s32, u32, (u32)(((s64)a * b) >> 32) + c)
TERNARY(madhi_u32,  "mad.hi.u32", u32, u32, u32, u32, (u32)(((u64)a * b) >> 32) + c)
TERNARY(madhi_s64,  "mad.hi.s64", u64, s64, s64, u64, (u64)(((__int128)a * b) >> 64) + c)
TERNARY(madhi_u64,  "mad.hi.u64", u64, u64, u64, u64, (u64)(((unsigned __int128)a * b) >> 64) + c)
BINARY(mulwide_s16, "mul.wide.s16", s32, s16, s16, (s32)a * b)
BINARY(mulwide_u16, "mul.wide.u16", u32, u16, u16, (u32)a * b)
BINARY(mulwide_s32, "mul.wide.s32", s64, s32, s32, (s64)a * b)
BINARY(mulwide_u32, "mul.wide.u32", u64, u32, u32, (u64)a * b)
TERNARY(madwide_s16, "mad.wide.s16", u32, s16, s16, u32, (u32)((s32)a * b) + c)
TERNARY(madwide_u16, "mad.wide.u16", u32, u16, u16, u32, (u32)a * b + c)
TERNARY(madwide_s32, "mad.wide.s32", u64, s32, s32, u64, (u64)((s64)a * b) + c)
TERNARY(madwide_u32, "mad.wide.u32", u64, u32, u32, u64, (u64)a * b + c)
BINARY(mul24_s32,   "mul24.lo.s32", u32, u32, u32, (u32)(((s32)(a << 8) >> 8) * (s64)((s32)(b << 8) >> 8)))
BINARY(mul24_u32,   "mul24.lo.u32", u32, u32, u32, (a & 0xffffff) * (b & 0xffffff))

/* Bits */
UNARY(popc_32,      "popc.b32", u32, u32, (u32)__builtin_popcount(a))
UNARY(popc_64,      "popc.b64", u32, u64, (u32)__builtin_popcountll(a))
UNARY(clz_32,       "clz.b32", u32, u32, a == 0 ? 32 : (u32)__builtin_clz(a | 1))
UNARY(clz_64,       "clz.b64", u32, u64, a == 0 ? 64 : (u32)__builtin_clzll(a | 1))
UNARY(brev_32,      "brev.b32", u32, u32, reverse_u32(a))
UNARY(brev_64,      "brev.b64", u64, u64, (u64)reverse_u32((u32)a) << 32 | reverse_u32((u32)(a >> 32)))
UNARY(bfind_u32,    "bfind.u32", u32, u32, find_u64(a))
UNARY(bfind_s32,    "bfind.s32", u32, s32, find_u64((u32)(a < 0 ? ~a : a)))
UNARY(bfind_u64,    "bfind.u64", u32, u64, find_u64(a))
UNARY(bfind_s64,    "bfind.s64", u32, s64, find_u64((u64)(a < 0 ? ~a : a)))
UNARY(bfinds_u32,   "bfind.shiftamt.u32", u32, u32, a == 0 ? ~0u : 31 - find_u64(a))
UNARY(bfinds_s32,   "bfind.shiftamt.s32", u32, s32, (a < 0 ? ~a : a) == 0 ? ~0u : 31 - find_u64((u32)(a < 0 ? ~a : a)))
UNARY(bfinds_u64,   "bfind.shiftamt.u64", u32, u64, a == 0 ? ~0u : 63 - find_u64(a))
UNARY(bfinds_s64,   "bfind.shiftamt.s64", u32, s64, (a < 0 ? ~a : a) == 0 ? ~0u : 63 - find_u64((u64)(a < 0 ? ~a : a)))
TERNARY(bfe_u32,    "bfe.u32", u32, u32, u32, u32, (u32)extract_u64(a, b & 255, c & 255, 32))
TERNARY(bfe_s32,    "bfe.s32", s32, s32, u32, u32, (s32)extract_s64(a, b & 255, c & 255, 32))
TERNARY(bfe_u64,    "bfe.u64", u64, u64, u32, u32, extract_u64(a, b & 255, c & 255, 64))
TERNARY(bfe_s64,    "bfe.s64", s64, s64, u32, u32, extract_s64(a, b & 255, c & 255, 64))
TERNARY(funnel_lw,  "shf.l.wrap.b32", u32, u32, u32, u32, (u32)(((u64)b << 32 | a) << (c & 31) >> 32))
TERNARY(funnel_rw,  "shf.r.wrap.b32", u32, u32, u32, u32, (u32)(((u64)b << 32 | a) >> (c & 31)))
TERNARY(funnel_lc,  "shf.l.clamp.b32", u32, u32, u32, u32, c >= 32 ? a : (u32)(((u64)b << 32 | a) << (c & 31) >> 32))
TERNARY(funnel_rc,  "shf.r.clamp.b32", u32, u32, u32, u32, c >= 32 ? b : (u32)(((u64)b << 32 | a) >> (c & 31)))
TERNARY(prmt,       "prmt.b32", u32, u32, u32, u32, permute(a, b, c))
TERNARY(prmt_mode,  "", u32, u32, u32, u32, permute_mode(a, b, c, aux))
FORM("prmt.b32.f4e|b4e|rc8|ecl|ecr|rc16", lower_prmt)
BINARY(bmsk_clamp,  "bmsk.clamp.b32", u32, u32, u32, bit_mask(a, b))
BINARY(bmsk_wrap,   "bmsk.wrap.b32", u32, u32, u32, bit_mask(a & 31, b & 31))
TERNARY(dp4a_ss,    "dp4a.s32.s32", u32, u32, u32, u32, dot4(a, b, 1, 1) + c)
TERNARY(dp4a_su,    "dp4a.s32.u32", u32, u32, u32, u32, dot4(a, b, 1, 0) + c)
TERNARY(dp4a_us,    "dp4a.u32.s32", u32, u32, u32, u32, dot4(a, b, 0, 1) + c)
TERNARY(dp4a_uu,    "dp4a.u32.u32", u32, u32, u32, u32, dot4(a, b, 0, 0) + c)
TERNARY(dp2a,       "", u32, u32, u32, u32, dot2(a, b, aux) + c)
FORM("dp2a.lo|hi.s32|u32.s32|u32", lower_dp2a)
BINARY(add_16x2,    "add.u16x2|s16x2", u32, u32, u32, ((a + (b & 0xffff0000u)) & 0xffff0000u) | ((a + b) & 0xffffu))
BINARY(min_u16x2,   "min.u16x2", u32, u32, u32, both_halves(a, b, 0))
BINARY(max_u16x2,   "max.u16x2", u32, u32, u32, both_halves(a, b, 1))
BINARY(min_s16x2,   "min.s16x2", u32, u32, u32, both_halves(a, b, 2))
BINARY(max_s16x2,   "max.s16x2", u32, u32, u32, both_halves(a, b, 3))
BINARY(minr_s16x2,  "min.s16x2.relu", u32, u32, u32, both_halves(both_halves(a, b, 2), 0, 3))
BINARY(maxr_s16x2,  "max.s16x2.relu", u32, u32, u32, both_halves(both_halves(a, b, 3), 0, 3))
BINARY(minr_s32,    "min.s32.relu", s32, s32, s32, (a < b ? a : b) > 0 ? (a < b ? a : b) : 0)
BINARY(maxr_s32,    "max.s32.relu", s32, s32, s32, (a > b ? a : b) > 0 ? (a > b ? a : b) : 0)

/* float32 and float64 arithmetic */
BINARY(add_f32,     "add.rn?.f32", f32, f32, f32, canonical(a + b))
BINARY(sub_f32,     "sub.rn?.f32", f32, f32, f32, canonical(a - b))
BINARY(mul_f32,     "mul.rn?.f32", f32, f32, f32, canonical(a * b))
FUSED(fma_f32,      "fma.rn.f32", f32, f32, f32, f32, fmaf(a, b, c))
TERNARY(mad_f32,    "mad.rn?.f32", f32, f32, f32, f32, canonical(fmaf(a, b, c)))
BINARY(add_ftz,     "add.rn?.ftz.f32", f32, f32, f32, canonical(flush(flush(a) + flush(b))))
BINARY(sub_ftz,     "sub.rn?.ftz.f32", f32, f32, f32, canonical(flush(flush(a) - flush(b))))
BINARY(mul_ftz,     "mul.rn?.ftz.f32", f32, f32, f32, canonical(flush(flush(a) * flush(b))))
TERNARY(fma_ftz,    "fma.rn.ftz.f32", f32, f32, f32, f32, canonical(flush(fmaf(flush(a), flush(b), flush(c)))))
BINARY(div_f32,     "div.rn|approx|full.f32", f32, f32, f32, canonical(a / b))
UNARY(sqrt_f32,     "sqrt.rn|approx.f32", f32, f32, canonical(sqrtf(a)))
UNARY(rcp_f32,      "rcp.rn|approx.f32", f32, f32, canonical(1.0f / a))
UNARY(rsqrt_f32,    "rsqrt.approx.f32", f32, f32, canonical((f32)(1.0 / sqrt((f64)a))))
UNARY(ex2_f32,      "ex2.approx.f32", f32, f32, canonical(exp2f(a)))
UNARY(lg2_f32,      "lg2.approx.f32", f32, f32, canonical(log2f(a)))
UNARY(sin_f32,      "sin.approx.f32", f32, f32, canonical(sinf(a)))
UNARY(cos_f32,      "cos.approx.f32", f32, f32, canonical(cosf(a)))
UNARY(tanh_f32,     "tanh.approx.f32", f32, f32, canonical(tanhf(a)))
UNARY(neg_f32,      "neg.f32", u32, u32, a ^ 0x80000000u)
UNARY(abs_f32,      "abs.f32", u32, u32, a & 0x7fffffffu)
BINARY(copysign_f32, "copysign.f32", u32, u32, u32, (a & 0x80000000u) | (b & 0x7fffffffu))
BINARY(min_f32,     "min.f32", f32, f32, f32, min_f32(a, b))
BINARY(max_f32,     "max.f32", f32, f32, f32, max_f32(a, b))
BINARY(minnan_f32,  "min.NaN.f32", f32, f32, f32, a != a || b != b ? canonical(NAN) : min_f32(a, b))
BINARY(maxnan_f32,  "max.NaN.f32", f32, f32, f32, a != a || b != b ? canonical(NAN) : max_f32(a, b))
UNARY(flush_f32,    "", f32, f32, flush(a))
UNARY(sat_f32,      "", f32, f32, a > 0 ? (a < 1 ? a : 1.0f) : 0.0f)
BINARY(add_f64,     "add.rn?.f64", f64, f64, f64, a + b)
BINARY(sub_f64,     "sub.rn?.f64", f64, f64, f64, a - b)
BINARY(mul_f64,     "mul.rn?.f64", f64, f64, f64, a * b)
TERNARY(fma_f64,    "fma.rn.f64", f64, f64, f64, f64, fma(a, b, c))
TERNARY(mad_f64,    "mad.rn.f64", f64, f64, f64, f64, fma(a, b, c))
BINARY(div_f64,     "div.rn.f64", f64, f64, f64, a / b)
UNARY(sqrt_f64,     "sqrt.rn.f64", f64, f64, sqrt(a))
UNARY(rcp_f64,      "rcp.rn.f64", f64, f64, 1.0 / a)
UNARY(rcpa_f64,     "rcp.approx.ftz.f64", f64, f64, high_word(1.0 / flush64(a)))
UNARY(rsqrt_f64,    "rsqrt.approx.f64", f64, f64, 1.0 / sqrt(a))
UNARY(rsqrta_f64,   "rsqrt.approx.ftz.f64", f64, f64, high_word(1.0 / sqrt(flush64(a))))
UNARY(neg_f64,      "neg.f64", u64, u64, a ^ (u64)INT64_MIN)
UNARY(abs_f64,      "abs.f64", u64, u64, a & (u64)INT64_MAX)
BINARY(copysign_f64, "copysign.f64", u64, u64, u64, (a & (u64)INT64_MIN) | (b & (u64)INT64_MAX))
BINARY(min_f64,     "min.f64", f64, f64, f64, min_f64(a, b))
BINARY(max_f64,     "max.f64", f64, f64, f64, max_f64(a, b))
UNARY(sat_f64,      "", f64, f64, a > 0 ? (a < 1 ? a : 1.0) : 0.0)

DIRECTED(addr_f32,  "add.rz|rm|rp.f32", f32, f32, f32, none, canonical(a + b))
DIRECTED(subr_f32,  "sub.rz|rm|rp.f32", f32, f32, f32, none, canonical(a - b))
DIRECTED(mulr_f32,  "mul.rz|rm|rp.f32", f32, f32, f32, none, canonical(a * b))
DIRECTED(fmar_f32,  "fma|mad.rz|rm|rp.f32", f32, f32, f32, f32, canonical(fmaf(a, b, c)))
DIRECTED(divr_f32,  "div.rz|rm|rp.f32", f32, f32, f32, none, canonical(a / b))
DIRECTED(sqrtr_f32, "sqrt.rz|rm|rp.f32", f32, f32, none, none, canonical(sqrtf(a)))
DIRECTED(rcpr_f32,  "rcp.rz|rm|rp.f32", f32, f32, none, none, canonical(1.0f / a))
DIRECTED(addr_f64,  "add.rz|rm|rp.f64", f64, f64, f64, none, a + b)
DIRECTED(subr_f64,  "sub.rz|rm|rp.f64", f64, f64, f64, none, a - b)
DIRECTED(mulr_f64,  "mul.rz|rm|rp.f64", f64, f64, f64, none, a * b)
DIRECTED(fmar_f64,  "fma|mad.rz|rm|rp.f64", f64, f64, f64, f64, fma(a, b, c))
DIRECTED(divr_f64,  "div.rz|rm|rp.f64", f64, f64, f64, none, a / b)
DIRECTED(sqrtr_f64, "sqrt.rz|rm|rp.f64", f64, f64, none, none, sqrt(a))
DIRECTED(rcpr_f64,  "rcp.rz|rm|rp.f64", f64, f64, none, none, 1.0 / a)

/* Every other .ftz or .sat form: inputs flushed, row above, result flushed or
 * clamped. */
FORM("add|sub|mul|fma|mad.rn|rz|rm|rp?.ftz?.sat?.f32", lower_float)
FORM("div|sqrt|rcp|rsqrt|ex2|lg2|sin|cos.rn|rz|rm|rp|approx|full.ftz.f32", lower_float)
FORM("neg|abs|min|max.ftz.NaN?.f32", lower_float)

/* Comparison and selection */
#define COMPARE_ROWS(T, types) \
    COMPARE(eq_##T, "setp.eq.and|or|xor?." types, T, a == b) \
    COMPARE(ne_##T, "setp.ne.and|or|xor?." types, T, a != b)
#define COMPARE_ORDERED(T, types) \
    COMPARE(lt_##T, "setp.lt|lo.and|or|xor?." types, T, a < b) \
    COMPARE(le_##T, "setp.le|ls.and|or|xor?." types, T, a <= b) \
    COMPARE(gt_##T, "setp.gt|hi.and|or|xor?." types, T, a > b) \
    COMPARE(ge_##T, "setp.ge|hs.and|or|xor?." types, T, a >= b)
#define COMPARE_FLOAT(T) \
    COMPARE(eq_##T, "setp.eq.and|or|xor?.ftz?." #T, T, a == b) \
    COMPARE(ne_##T, "setp.ne.and|or|xor?.ftz?." #T, T, a < b || a > b) \
    COMPARE(lt_##T, "setp.lt.and|or|xor?.ftz?." #T, T, a < b) \
    COMPARE(le_##T, "setp.le.and|or|xor?.ftz?." #T, T, a <= b) \
    COMPARE(gt_##T, "setp.gt.and|or|xor?.ftz?." #T, T, a > b) \
    COMPARE(ge_##T, "setp.ge.and|or|xor?.ftz?." #T, T, a >= b) \
    COMPARE(equ_##T, "setp.equ.and|or|xor?.ftz?." #T, T, !(a < b || a > b)) \
    COMPARE(neu_##T, "setp.neu.and|or|xor?.ftz?." #T, T, a != b) \
    COMPARE(ltu_##T, "setp.ltu.and|or|xor?.ftz?." #T, T, !(a >= b)) \
    COMPARE(leu_##T, "setp.leu.and|or|xor?.ftz?." #T, T, !(a > b)) \
    COMPARE(gtu_##T, "setp.gtu.and|or|xor?.ftz?." #T, T, !(a <= b)) \
    COMPARE(geu_##T, "setp.geu.and|or|xor?.ftz?." #T, T, !(a < b)) \
    COMPARE(num_##T, "setp.num.and|or|xor?.ftz?." #T, T, a == a && b == b) \
    COMPARE(nan_##T, "setp.nan.and|or|xor?.ftz?." #T, T, a != a || b != b)
COMPARE_ROWS(u16, "u16|s16|b16")
COMPARE_ROWS(u32, "u32|s32|b32")
COMPARE_ROWS(u64, "u64|s64|b64")
COMPARE_ORDERED(u16, "u16")
COMPARE_ORDERED(s16, "s16")
COMPARE_ORDERED(u32, "u32")
COMPARE_ORDERED(s32, "s32")
COMPARE_ORDERED(u64, "u64")
COMPARE_ORDERED(s64, "s64")
COMPARE_FLOAT(f32)
COMPARE_FLOAT(f64)
FORM("set.eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan.and|or|xor?.ftz?.u32|s32|f32.b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64", lower_set)
FORM("testp.finite|infinite|number|notanumber|normal|subnormal.f32|f64", lower_testp)
FORM("isspacep.global|shared|local|const|param", lower_isspacep)
FORM("selp.b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", lower_selp)
TERNARY(slct_32,    "slct.b32|u32|s32|f32.s32", u32, u32, u32, s32, c >= 0 ? a : b)
TERNARY(slct_64,    "slct.b64|u64|s64|f64.s32", u64, u64, u64, s32, c >= 0 ? a : b)
TERNARY(slctf_32,   "slct.b32|u32|s32|f32.f32", u32, u32, u32, f32, c >= 0 ? a : b)
FORM("and|or|xor|not.pred", lower_pred_logic)

/* float16 and bfloat16 */
FORM("add|sub|mul.rn?.ftz?.sat?.f16|f16x2|bf16|bf16x2", lower_half)
FORM("fma.rn.ftz?.sat|relu?.f16|f16x2|bf16|bf16x2", lower_half)
FORM("neg|abs.ftz?.f16|f16x2|bf16|bf16x2", lower_half)
FORM("min|max.ftz?.NaN?.f16|f16x2|bf16|bf16x2", lower_half)
FORM("ex2|tanh.approx.ftz?.f16|f16x2|bf16|bf16x2", lower_half)
FORM("setp.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.and|or|xor?.ftz?.f16|f16x2|bf16|bf16x2", lower_setp_half)
FORM("set.eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan.ftz?.u16|u32|f16|bf16|f16x2|bf16x2.f16|bf16|f16x2|bf16x2", lower_set_half)
MICRO(half) MICRO(half2)
UNARY(f16_f32,      "", f32, u16, f16_value(a))
UNARY(bf16_f32,     "", f32, u16, bf16_value(a))
UNARY(narrow,       "", u16, f64, narrow(a, aux))
UNARY(narrow_tf32,  "", u32, f32, narrow_tf32(a, aux))
UNARY(widen_fp8,    "", u32, u16, fp8_pair(a, aux))

/* Carries live in a predicate of the thread. */
FORM("add|sub.cc.u32|s32|u64|s64", lower_carry)
FORM("addc|subc.cc?.u32|s32|u64|s64", lower_carry)
FORM("mad|madc.lo|hi.cc?.u32|s32|u64|s64", lower_carry)
FORM("lop3.b32", lower_lop3)
FORM("bfi.b32|b64", lower_bfi)

/* Moves and conversions */
FORM("mov.b128", lower_mov_128)
FORM("mov.pred|b16|u16|s16|f16|bf16|b32|u32|s32|f32|f16x2|bf16x2|b64|u64|s64|f64", lower_mov)
FORM("cvta.to?.global|shared|local|const|param?.u64", lower_cvta)
FORM("cvt.rn|rz|rm|rp|rni|rzi|rmi|rpi?.ftz?.relu?.satfinite?.sat?.u8|s8|u16|s16|u32|s32|u64|s64|f16|bf16|f32|f64.u8|s8|u16|s16|u32|s32|u64|s64|f16|bf16|f32|f64", lower_cvt)
FORM("cvt.rn|rz.relu?.satfinite?.f16x2|bf16x2.f32", lower_cvt_pair)
FORM("cvt.rn.satfinite.relu?.e4m3x2|e5m2x2.f32|f16x2", lower_cvt_fp8)
FORM("cvt.rn.relu?.f16x2.e4m3x2|e5m2x2", lower_cvt_fp8)
FORM("cvt.rna|rn|rz.relu?.satfinite?.tf32.f32", lower_cvt_tf32)
UNARY(copy_16,      "", u16, u16, a)
UNARY(copy_32,      "", u32, u32, a)
UNARY(copy_64,      "", u64, u64, a)
UNARY(sx8_16,       "", s16, s16, (s8)a)
UNARY(zx8_16,       "", u16, u16, (u8)a)
UNARY(sx16_32,      "", s32, s16, a)
UNARY(zx16_32,      "", u32, u16, a)
UNARY(sx16_64,      "", s64, s16, a)
UNARY(zx16_64,      "", u64, u16, a)
UNARY(sx32_64,      "", s64, s32, a)
UNARY(zx32_64,      "", u64, u32, a)
UNARY(low32_16,     "", u16, u32, (u16)a)
UNARY(low64_16,     "", u16, u64, (u16)a)
UNARY(low64_32,     "", u32, u64, (u32)a)
UNARY(high32_16,    "", u16, u32, (u16)(a >> 16))
UNARY(high64_32,    "", u32, u64, (u32)(a >> 32))
BINARY(pack16_32,   "", u32, u16, u16, a | (u32)b << 16)
BINARY(pack32_64,   "", u64, u32, u32, a | (u64)b << 32)
UNARY(rint_f32,     "", f32, f32, rintf(a))
UNARY(trunc_f32,    "", f32, f32, truncf(a))
UNARY(floor_f32,    "", f32, f32, floorf(a))
UNARY(ceil_f32,     "", f32, f32, ceilf(a))
UNARY(rint_f64,     "", f64, f64, rint(a))
UNARY(trunc_f64,    "", f64, f64, trunc(a))
UNARY(floor_f64,    "", f64, f64, floor(a))
UNARY(ceil_f64,     "", f64, f64, ceil(a))
UNARY(f32_s32,      "", s32, f32, to_s32(a, 0))
UNARY(f32_u32,      "", u32, f32, to_u32(a, 0))
UNARY(f32_s64,      "", s64, f32, to_s64(a))
UNARY(f32_u64,      "", u64, f32, to_u64(a))
UNARY(f64_s32,      "", s32, f64, to_s32(a, 1))
UNARY(f64_u32,      "", u32, f64, to_u32(a, aux != 0 ? aux : 1u << 31))
UNARY(f64_s64,      "", s64, f64, to_s64(a))
UNARY(f64_u64,      "", u64, f64, to_u64(a))
UNARY(f32_f64,      "", f64, f32, (f64)a)
UNARY(f64_f32,      "", f32, f64, (f32)a)
UNARY(s32_f32,      "", f32, s32, (f32)a)
UNARY(u32_f32,      "", f32, u32, (f32)a)
UNARY(s64_f32,      "", f32, s64, (f32)a)
UNARY(u64_f32,      "", f32, u64, (f32)a)
UNARY(s32_f64,      "", f64, s32, (f64)a)
UNARY(u32_f64,      "", f64, u32, (f64)a)
UNARY(s64_f64,      "", f64, s64, (f64)a)
UNARY(u64_f64,      "", f64, u64, (f64)a)
UNARY(sticky_s64,   "", s64, s64, (s64)sticky((u64)a, a < 0 ? 0 - (u64)a : (u64)a))
UNARY(sticky_u64,   "", u64, u64, sticky(a, a))
DIRECTED(f64r_f32,  "", f32, f64, none, none, (f32)a)
DIRECTED(s32r_f32,  "", f32, s32, none, none, (f32)a)
DIRECTED(u32r_f32,  "", f32, u32, none, none, (f32)a)
DIRECTED(s64r_f32,  "", f32, s64, none, none, (f32)a)
DIRECTED(u64r_f32,  "", f32, u64, none, none, (f32)a)
DIRECTED(s64r_f64,  "", f64, s64, none, none, (f64)a)
DIRECTED(u64r_f64,  "", f64, u64, none, none, (f64)a)
COMPARE(finite_f32, "", f32, a - a == 0)
COMPARE(infinite_f32, "", f32, a == INFINITY || a == -INFINITY)
COMPARE(normal_f32, "", u32, (a >> 23 & 255) - 1 < 254)
COMPARE(subnormal_f32, "", u32, (a >> 23 & 255) == 0 && (a & 0x7fffff) != 0)
COMPARE(finite_f64, "", f64, a - a == 0)
COMPARE(infinite_f64, "", f64, a == INFINITY || a == -INFINITY)
COMPARE(normal_f64, "", u64, (a >> 52 & 2047) - 1 < 2046)
COMPARE(subnormal_f64, "", u64, (a >> 52 & 2047) == 0 && (a & 0xfffffffffffffu) != 0)

/* Memory */
FORM("ld.mmio?.relaxed|acquire.cta|gpu|sys?.global|shared|local?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?.L2::cache_hint?.L2::64B|L2::128B|L2::256B?.v2|v4?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", lower_load)
FORM("ld.weak|volatile?.global|shared|local|const|param|param::entry|param::func|shared::cta?.ca|cg|cs|lu|cv?.nc?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?.L2::cache_hint?.L2::64B|L2::128B|L2::256B?.v2|v4?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", lower_load)
FORM("createpolicy.fractional.L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged.b64", lower_policy)
FORM("ld.relaxed|acquire|weak|volatile?.cta|gpu|sys?.global|shared|shared::cta|local?.nc?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?.L2::cache_hint?.L2::64B|L2::128B|L2::256B?.b128", lower_load)
FORM("st.relaxed|release|weak|volatile?.cta|gpu|sys?.global|shared|shared::cta|local?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?.L2::cache_hint?.b128", lower_store)
FORM("atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared|shared::cta?.exch|cas.b128", lower_atom_128)
FORM("ldu.global?.v2|v4?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", lower_load)
FORM("st.mmio?.relaxed|release.cta|gpu|sys?.global|shared|local?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?.L2::cache_hint?.v2|v4?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", lower_store)
FORM("st.weak|volatile?.global|shared|local|param|param::func|shared::cta?.wb|cg|cs|wt?.L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?.L2::cache_hint?.v2|v4?.b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", lower_store)
FORM("atom|red.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared|shared::cta?.add.u32|s32|u64|s64|f32|f64", lower_atom)
FORM("red.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared|shared::cta?.and|or|xor.b32|b64", lower_atom)
FORM("atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared|shared::cta?.and|or|xor|exch|cas.b32|b64", lower_atom)
FORM("atom|red.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared|shared::cta?.min|max.u32|s32|u64|s64", lower_atom)
FORM("atom|red.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared|shared::cta?.inc|dec.u32", lower_atom)
FORM("atom|red.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared|shared::cta?.add.noftz.f16|f16x2|bf16|bf16x2", lower_atom)
FORM("atom.relaxed|acquire|release|acq_rel?.cta|gpu|sys?.global|shared|shared::cta?.cas.b16", lower_atom)
/* libcu++ writes the order after the operation. */
FORM("atom|red.add|min|max.relaxed|acquire|release|acq_rel?.cta|gpu|sys.global|shared?.u32|s32|u64|s64", lower_atom)
FORM("atom|red.add.relaxed|acquire|release|acq_rel?.cta|gpu|sys.global|shared?.f32|f64", lower_atom)
FORM("atom|red.and|or|xor.relaxed|acquire|release|acq_rel?.cta|gpu|sys.global|shared?.b32|b64", lower_atom)
FORM("atom.exch|cas.relaxed|acquire|release|acq_rel?.cta|gpu|sys.global|shared?.b16|b32|b64", lower_atom)
FORM("cp.async.ca|cg.shared|shared::cta.global.L2::64B|L2::128B|L2::256B?", lower_cp_async)
FORM("cp.async.commit_group|wait_all", lower_nothing)
FORM("cp.async.wait_group", lower_nothing)
FORM("prefetch|prefetchu.global|local?.L1|L2|L2::evict_last|L2::evict_normal", lower_nothing)
FORM("membar.cta|gl|sys", lower_fence)
FORM("fence.sc|acq_rel?.cta|gpu|sys", lower_fence)
MICRO(check) MICRO(defined) MICRO(load) MICRO(load_global_32) MICRO(load_shared_32) MICRO(load_shared_32x4)
MICRO(store) MICRO(store_global_32) MICRO(store_shared_32)
MICRO(atom) MICRO(atom_128) MICRO(cp_async) MICRO(fence)

/* Control */
FORM("bra.uni?", lower_bra)
FORM("brx.idx.uni?", lower_brx)
FORM("call.uni?", lower_call)
FORM("ret.uni?", lower_ret)
FORM("alloca.u32|u64", lower_alloca)
FORM("stacksave|stackrestore.u32|u64", lower_stack)
FORM("exit", lower_exit)
FORM("trap", lower_trap)
FORM("brkpt", lower_trap)
FORM("nanosleep.u32", lower_nanosleep)
FORM("pmevent", lower_nothing)
/* What went before in the stream has ended. */
FORM("griddepcontrol.wait|launch_dependents", lower_nothing)
FORM("bar|barrier.cta?.sync.aligned?", lower_bar)
FORM("bar|barrier.cta?.arrive.aligned?", lower_bar)
FORM("bar|barrier.cta?.red.popc.aligned?.u32", lower_bar)
FORM("bar|barrier.cta?.red.and|or.aligned?.pred", lower_bar)
FORM("bar.warp.sync", lower_warp_sync)
MICRO(call) MICRO(call_reg) MICRO(return) MICRO(alloca) MICRO(print) MICRO(assert)
MICRO(bra) MICRO(join) MICRO(brx) MICRO(exit) MICRO(trap) MICRO(guard) MICRO(yield)
MICRO(bar) MICRO(bar_count) MICRO(bar_and) MICRO(bar_or) MICRO(special)

/* Warp-wide */
FORM("shfl.sync.up|down|bfly|idx.b32", lower_shfl)
FORM("vote.sync.all|any|uni.pred", lower_vote)
FORM("vote.sync.ballot.b32", lower_vote)
FORM("match.any|all.sync.b32|b64", lower_match)
FORM("redux.sync.add|min|max.u32|s32", lower_redux)
FORM("redux.sync.and|or|xor.b32", lower_redux)
FORM("activemask.b32", lower_activemask)
FORM("elect.sync", lower_elect)
MICRO(warp_sync) MICRO(shfl) MICRO(vote) MICRO(ballot) MICRO(match_any) MICRO(match_all)
MICRO(redux) MICRO(activemask) MICRO(elect)

/* Matrices */
FORM("ldmatrix.sync.aligned.m8n8.x1|x2|x4.trans?.shared|shared::cta.b16", lower_ldmatrix)
FORM("stmatrix.sync.aligned.m8n8.x1|x2|x4.trans?.shared|shared::cta.b16", lower_ldmatrix)
FORM("movmatrix.sync.aligned.m8n8.trans.b16", lower_movmatrix)
FORM("mma.sync.aligned.m8n8k4.row|col.row|col.f16|f32.f16.f16.f16|f32", lower_mma_quads)
FORM("mma.sync.aligned.m16n8k8|m16n8k16.row.col.f16|f32.f16.f16.f16|f32", lower_mma)
FORM("mma.sync.aligned.m16n8k16|m16n8k32.row.col.f16|f32.e4m3|e5m2.e4m3|e5m2.f16|f32", lower_mma)
FORM("mma.sync.aligned.m16n8k8|m16n8k16.row.col.f32.bf16.bf16.f32", lower_mma)
FORM("mma.sync.aligned.m16n8k4|m16n8k8.row.col.f32.tf32.tf32.f32", lower_mma)
FORM("mma.sync.aligned.m8n8k16|m16n8k16|m16n8k32.row.col.satfinite?.s32.s8|u8.s8|u8.s32", lower_mma)
FORM("mma.sync.aligned.m8n8k4|m16n8k4|m16n8k8|m16n8k16.row.col.f64.f64.f64.f64", lower_mma)
FORM("wmma.load.a|b.sync.aligned.row|col.m16n16k16|m32n8k16|m8n32k16.global|shared|shared::cta?.f16|bf16|s8|u8", lower_wmma_move)
FORM("wmma.load.a|b.sync.aligned.row|col.m16n16k8.global|shared|shared::cta?.tf32", lower_wmma_move)
FORM("wmma.load.a|b|c.sync.aligned.row|col.m8n8k4.global|shared|shared::cta?.f64", lower_wmma_move)
FORM("wmma.load.c.sync.aligned.row|col.m16n16k16|m32n8k16|m8n32k16|m16n16k8.global|shared|shared::cta?.f16|f32|s32", lower_wmma_move)
FORM("wmma.store.d.sync.aligned.row|col.m16n16k16|m32n8k16|m8n32k16|m16n16k8.global|shared|shared::cta?.f16|f32|s32", lower_wmma_move)
FORM("wmma.store.d.sync.aligned.row|col.m8n8k4.global|shared|shared::cta?.f64", lower_wmma_move)
FORM("wmma.mma.sync.aligned.row|col.row|col.m16n16k16|m32n8k16|m8n32k16.f16|f32.f16|f32", lower_wmma_mma)
FORM("wmma.mma.sync.aligned.row|col.row|col.m16n16k16|m32n8k16|m8n32k16.f32.bf16.bf16.f32", lower_wmma_mma)
FORM("wmma.mma.sync.aligned.row|col.row|col.m16n16k8.f32.tf32.tf32.f32", lower_wmma_mma)
FORM("wmma.mma.sync.aligned.row|col.row|col.m16n16k16|m32n8k16|m8n32k16.s32.s8|u8.s8|u8.s32.satfinite?", lower_wmma_mma)
FORM("wmma.mma.sync.aligned.row|col.row|col.m8n8k4.rn?.f64.f64.f64.f64", lower_wmma_mma)
MICRO(args) MICRO(matrix) MICRO(matrix_quads) MICRO(movmatrix) MICRO(wmma_load) MICRO(wmma_store) MICRO(ldmatrix) MICRO(stmatrix)

/* Barriers in shared memory */
FORM("mbarrier.inval.shared|shared::cta?.b64", lower_nothing)
FORM("mbarrier.init.shared|shared::cta?.b64", lower_mbarrier)
FORM("mbarrier.arrive|arrive_drop.noComplete?.release|relaxed?.cta?.shared|shared::cta?.b64", lower_mbarrier)
FORM("mbarrier.pending_count.b64", lower_pending_count)
FORM("mbarrier.test_wait|try_wait.parity?.acquire|relaxed?.cta?.shared|shared::cta?.b64", lower_mbarrier)
FORM("cp.async.mbarrier.arrive.noinc.shared|shared::cta?.b64", lower_mbarrier)
FORM("cp.async.mbarrier.arrive.shared|shared::cta?.b64", lower_nothing)
MICRO(mbarrier)

/* What the forms above are made of */
MICRO(select_16) MICRO(select_32) MICRO(select_64)
MICRO(pred_and) MICRO(pred_or) MICRO(pred_xor) MICRO(pred_not) MICRO(pred_copy) MICRO(pred_andn)
MICRO(carry_add_32) MICRO(carry_add_64) MICRO(carry_sub_32) MICRO(carry_sub_64)
MICRO(lop3) MICRO(bfi_32) MICRO(bfi_64) MICRO(isspacep)

/* clang-format on */

#undef INTEGER_ROWS
#undef COMPARE_ROWS
#undef COMPARE_ORDERED
#undef COMPARE_FLOAT
#undef UNARY
#undef BINARY
#undef TERNARY
#undef FUSED
#undef DIRECTED
#undef COMPARE
#undef FORM
#undef MICRO
