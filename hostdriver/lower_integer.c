/* SPDX-License-Identifier: MIT */
/* lower_integer.c: carries, bit fields, three-input logic. */
#include <string.h>

#include "lower.h"

/* The carry flag of the function being expanded. */
static uint32_t carry(struct lower *l)
{
    if (l->instance->carry == NO_REG)
        l->instance->carry = new_vreg(l, CLASS_P);
    return l->instance->carry;
}

void lower_carry(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"add", "addc", "sub", "subc", "mad", "madc"};
    int which = parts_which(parts, names, 6);
    bool takes = which & 1, gives = parts_has(parts, "cc"), is_mad = which >= 4;
    enum ptx_type type = parts_type(parts, 0);
    enum reg_class class = ptx_type_class(type);
    bool wide = class == CLASS_X, is_signed = ptx_type_kind(type) == KIND_SIGNED;
    uint32_t a = use(l, operand_at(l, in, 1), class, type), b = use(l, operand_at(l, in, 2), class, type);

    if (is_mad) {
        enum opcode product = parts_has(parts, "lo") ? (wide ? OP_mul_64 : OP_mul_32)
                              : wide                 ? (is_signed ? OP_mulhi_s64 : OP_mulhi_u64)
                                                     : (is_signed ? OP_mulhi_s32 : OP_mulhi_u32);
        uint32_t temp = new_temp(l, class);
        emit(l, product, wide ? "Xxx" : "Www", temp, a, b);
        a = temp;
        b = use(l, operand_at(l, in, 3), class, type);
    }
    bool subtracts = which == 2 || which == 3;
    enum opcode op =
        subtracts ? (wide ? OP_carry_sub_64 : OP_carry_sub_32) : (wide ? OP_carry_add_64 : OP_carry_add_32);
    uint32_t out = gives ? carry(l) : new_temp(l, CLASS_P);
    uint32_t flag = takes ? carry(l) : fixed_value(l, CLASS_P, 0);
    emit(l, op, wide ? "XPxxp" : "WPwwp", define(l, &in->operands[0], class), out, a, b, flag);
}

static uint16_t small_constant(struct lower *l, const struct ptx_operand *operand, int64_t most)
{
    if (operand->kind != OPERAND_INT || operand->imm < 0 || operand->imm > most)
        lower_fail(l, "expected a constant from 0 to %lld", (long long)most);
    return (uint16_t)operand->imm;
}

void lower_dp2a(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool a_signed = parts_type(parts, 1) == TYPE_s32, b_signed = parts_type(parts, 0) == TYPE_s32;
    uint32_t a = use(l, operand_at(l, in, 1), CLASS_W, TYPE_b32);
    uint32_t b = use(l, operand_at(l, in, 2), CLASS_W, TYPE_b32);
    uint32_t c = use(l, operand_at(l, in, 3), CLASS_W, TYPE_b32);

    emit(l, OP_dp2a, "Wwww", define(l, &in->operands[0], CLASS_W), a, b, c)->in.aux =
        (uint16_t)(a_signed | b_signed << 1 | parts_has(parts, "hi") << 2);
}

void lower_lop3(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    uint32_t a = use(l, operand_at(l, in, 1), CLASS_W, TYPE_b32);
    uint32_t b = use(l, operand_at(l, in, 2), CLASS_W, TYPE_b32);
    uint32_t c = use(l, operand_at(l, in, 3), CLASS_W, TYPE_b32);
    uint16_t table = small_constant(l, operand_at(l, in, 4), 255);

    (void)parts;
    emit(l, OP_lop3, "Wwww", define(l, &in->operands[0], CLASS_W), a, b, c)->in.aux = table;
}

void lower_prmt(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    uint32_t a = use(l, operand_at(l, in, 1), CLASS_W, TYPE_b32);
    uint32_t b = use(l, operand_at(l, in, 2), CLASS_W, TYPE_b32);
    uint32_t c = use(l, operand_at(l, in, 3), CLASS_W, TYPE_b32);

    emit(l, OP_prmt_mode, "Wwww", define(l, &in->operands[0], CLASS_W), a, b, c)->in.aux =
        (uint16_t)parts_which(parts, names, 6);
}

void lower_bfi(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool wide = parts_type(parts, 0) == TYPE_b64;
    enum reg_class class = wide ? CLASS_X : CLASS_W;
    uint32_t a = use(l, operand_at(l, in, 1), class, TYPE_b64);
    uint32_t b = use(l, operand_at(l, in, 2), class, TYPE_b64);
    uint32_t c = use(l, operand_at(l, in, 3), CLASS_W, TYPE_u32);
    uint32_t d = use(l, operand_at(l, in, 4), CLASS_W, TYPE_u32);

    emit(l, wide ? OP_bfi_64 : OP_bfi_32, wide ? "Xxxww" : "Wwwww", define(l, &in->operands[0], class), a, b,
         c, d);
}
