/* SPDX-License-Identifier: MIT */
/* lower_compare.c: comparison, selection, predicates, float modifiers. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lower.h"

static const struct row *row_named(struct lower *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const struct row *row_named(struct lower *l, const char *format, ...)
{
    char opcode[64];
    struct parts parts;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(opcode, sizeof opcode, format, arguments);
    va_end(arguments);
    const struct row *row = parts_split(opcode, &parts) ? row_match(&parts) : NULL;
    if (row == NULL || row->kind == ROW_FORM)
        lower_fail(l, "not supported by the host driver (as %s)", opcode);
    return row;
}

static uint32_t flushed(struct lower *l, uint32_t reg)
{
    uint32_t temp = new_temp(l, CLASS_W);

    emit(l, OP_flush_f32, "Ww", temp, reg);
    return temp;
}

/* The instruction without .ftz and .sat, its inputs flushed before and its
 * result flushed and clamped after. */
void lower_float(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const directed[] = {"rz", "rm", "rp"};
    char opcode[64] = "";
    bool ftz = parts_has(parts, "ftz"), sat = parts_has(parts, "sat");
    uint32_t input[3] = {0}, count = in->operand_count;
    size_t used = 0;

    for (uint32_t i = 0; i < parts->count; i++) {
        const struct word_part *part = &parts->part[i];
        if ((part->length == 3 && (memcmp(part->text, "ftz", 3) == 0 || memcmp(part->text, "sat", 3) == 0)))
            continue;
        used += (size_t)snprintf(opcode + used, sizeof opcode - used, "%s%.*s", i > 0 ? "." : "",
                                 (int)part->length, part->text);
    }
    const struct row *row = row_named(l, "%s", opcode);
    if (count < 2 || count > 4)
        lower_fail(l, "expected 2 to 4 operands, found %u", count);
    for (uint32_t i = 1; i < count; i++) {
        input[i - 1] = use(l, &in->operands[i], CLASS_W, TYPE_f32);
        if (ftz)
            input[i - 1] = flushed(l, input[i - 1]);
    }
    uint32_t to = define(l, &in->operands[0], CLASS_W), result = to;
    if (ftz || sat)
        result = new_temp(l, CLASS_W);
    lower_row(l, row, in->operands, count, (unsigned)(parts_which(parts, directed, 3) + 1), input, result);
    if (ftz && sat)
        result = flushed(l, result);
    if (ftz || sat)
        emit(l, sat ? OP_sat_f32 : OP_flush_f32, "Ww", to, result);
}

/* p|q = compare(a, b), each combined with c by the boolean operator. */
static void compare(struct lower *l, const struct row *row, const struct ptx_instruction *in,
                    const struct parts *parts, uint32_t p, uint32_t q)
{
    static const char *const booleans[] = {"and", "or", "xor"};
    static const enum opcode operation[] = {OP_pred_and, OP_pred_or, OP_pred_xor};
    int boolean = parts_which(parts, booleans, 3);
    enum ptx_type type = (enum ptx_type)row->type[1];
    enum reg_class class = ptx_type_class(type);
    uint32_t wanted = boolean >= 0 ? 4 : 3;

    if (in->operand_count != wanted)
        lower_fail(l, "expected %u operands, found %u", wanted, in->operand_count);
    uint32_t a = use(l, &in->operands[1], class, type), b = use(l, &in->operands[2], class, type);
    if (parts_has(parts, "ftz") && type == TYPE_f32) {
        a = flushed(l, a);
        b = flushed(l, b);
    }
    const char *signature = class == CLASS_H ? "Phh" : class == CLASS_W ? "Pww" : "Pxx";
    if (boolean < 0 && q == NO_REG) {
        emit(l, (enum opcode)row->op, signature, p, a, b);
        return;
    }
    uint32_t result = new_temp(l, CLASS_P);
    emit(l, (enum opcode)row->op, signature, result, a, b);
    uint32_t c = boolean < 0 ? 0 : use(l, &in->operands[3], CLASS_P, TYPE_pred);
    uint32_t inverse = NO_REG;
    if (q != NO_REG) {
        inverse = new_temp(l, CLASS_P);
        emit(l, OP_pred_not, "Ppp", inverse, result, result);
    }
    /* c may be the register that is written: q goes through a temporary. */
    uint32_t second = q != NO_REG ? new_temp(l, CLASS_P) : NO_REG;
    if (second != NO_REG && boolean >= 0)
        emit(l, operation[boolean], "Ppp", second, inverse, c);
    if (boolean >= 0)
        emit(l, operation[boolean], "Ppp", p, result, c);
    else
        copy_to(l, p, result);
    if (q != NO_REG)
        copy_to(l, q, boolean >= 0 ? second : inverse);
}

void lower_setp(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    const struct ptx_operand *to = operand_at(l, in, 0);
    uint32_t p = define(l, to, CLASS_P), q = NO_REG;

    if (to->second != NO_REG && (to->kind == OPERAND_REG || to->kind == OPERAND_SINK)) {
        q = vreg_of(l, to->second);
        if (class_of(l, q) != CLASS_P)
            lower_fail(l, "expected a predicate after '|'");
    }
    compare(l, row_find(l->loader, in->opcode, &parts), in, parts, p, q);
}

void lower_set(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    const struct word_part *cmp = &parts->part[1], *type = &parts->part[parts->count - 1];
    const struct row *row =
        row_named(l, "setp.%.*s.%.*s", (int)cmp->length, cmp->text, (int)type->length, type->text);
    bool is_float = parts_type(parts, 1) == TYPE_f32;
    uint32_t p = new_temp(l, CLASS_P);

    compare(l, row, in, parts, p, NO_REG);
    emit(l, OP_select_32, "Wwwp", define(l, operand_at(l, in, 0), CLASS_W),
         fixed_value(l, CLASS_W, is_float ? 0x3f800000 : 0xffffffff), fixed_value(l, CLASS_W, 0), p);
}

void lower_testp(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    static const enum opcode narrow[] = {OP_finite_f32, OP_infinite_f32, OP_num_f32,
                                         OP_nan_f32,    OP_normal_f32,   OP_subnormal_f32};
    static const enum opcode wide[] = {OP_finite_f64, OP_infinite_f64, OP_num_f64,
                                       OP_nan_f64,    OP_normal_f64,   OP_subnormal_f64};
    int which = parts_which(parts, names, 6);
    bool is_wide = parts_type(parts, 0) == TYPE_f64;
    uint32_t p = define(l, operand_at(l, in, 0), CLASS_P);
    uint32_t a = use(l, operand_at(l, in, 1), is_wide ? CLASS_X : CLASS_W, parts_type(parts, 0));

    emit(l, is_wide ? wide[which] : narrow[which], is_wide ? "Pxx" : "Pww", p, a, a);
}

void lower_selp(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const enum opcode op[] = {OP_COUNT, OP_select_16, OP_select_32, OP_select_64};
    static const char *const signature[] = {"", "Hhhp", "Wwwp", "Xxxp"};
    enum ptx_type type = parts_type(parts, 0);
    enum reg_class class = ptx_type_class(type);
    const struct ptx_operand *condition = operand_at(l, in, 3);
    uint32_t a = use(l, &in->operands[1], class, type), b = use(l, &in->operands[2], class, type);

    if (condition->negate) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    struct ptx_operand plain = *condition;
    plain.negate = false;
    emit(l, op[class], signature[class], define(l, &in->operands[0], class), a, b,
         use(l, &plain, CLASS_P, TYPE_pred));
}

void lower_pred_logic(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"and", "or", "xor", "not"};
    static const enum opcode op[] = {OP_pred_and, OP_pred_or, OP_pred_xor, OP_pred_not};
    int which = parts_which(parts, names, 4);
    uint32_t a = use(l, operand_at(l, in, 1), CLASS_P, TYPE_pred);
    uint32_t b = which == 3 ? a : use(l, operand_at(l, in, 2), CLASS_P, TYPE_pred);

    emit(l, op[which], "Ppp", define(l, &in->operands[0], CLASS_P), a, b);
}

void lower_isspacep(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"global", "shared", "local", "const", "param"};
    static const enum ptx_space spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST,
                                            SPACE_PARAM};
    uint32_t a = use(l, operand_at(l, in, 1), CLASS_X, TYPE_u64);

    emit(l, OP_isspacep, "Px", define(l, &in->operands[0], CLASS_P), a)->in.aux =
        (uint16_t)spaces[parts_which(parts, names, 5)];
}

static const struct row *comparison(struct lower *l, const struct parts *parts)
{
    const struct word_part *cmp = &parts->part[1];

    return row_named(l, "setp.%.*s.f32", (int)cmp->length, cmp->text);
}

static void half_bit(struct lower *l, const struct row *row, uint32_t p, const uint32_t half[2],
                     enum ptx_type type)
{
    emit(l, (enum opcode)row->op, "Pww", p, half_widened(l, half[0], type), half_widened(l, half[1], type));
}

/* The comparisons of an instruction on halves: one, or two where they are
 * packed. */
static uint32_t half_bits(struct lower *l, const struct ptx_instruction *in, const struct parts *parts,
                          uint32_t bit[2])
{
    enum ptx_type type = parts_type(parts, 0);
    enum reg_class class = ptx_type_class(type);
    const struct row *row = comparison(l, parts);
    uint32_t a = use(l, operand_at(l, in, 1), class, TYPE_b32),
             b = use(l, operand_at(l, in, 2), class, TYPE_b32);
    uint32_t x[2] = {a}, y[2] = {b}, count = class == CLASS_W ? 2 : 1;

    if (count == 2) {
        half_parts(l, a, x);
        half_parts(l, b, y);
    }
    for (uint32_t i = 0; i < count; i++) {
        bit[i] = new_temp(l, CLASS_P);
        half_bit(l, row, bit[i], (uint32_t[]){x[i], y[i]}, type);
    }
    return count;
}

void lower_setp_half(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const booleans[] = {"and", "or", "xor"};
    static const enum opcode operation[] = {OP_pred_and, OP_pred_or, OP_pred_xor};
    const struct ptx_operand *to = operand_at(l, in, 0);
    int boolean = parts_which(parts, booleans, 3);
    uint32_t bit[2], count = half_bits(l, in, parts, bit);

    if (count == 1) {
        bit[1] = new_temp(l, CLASS_P);
        emit(l, OP_pred_not, "Ppp", bit[1], bit[0], bit[0]);
    }
    for (int i = 0; boolean >= 0 && i < 2; i++) {
        uint32_t c = use(l, operand_at(l, in, 3), CLASS_P, TYPE_pred), result = new_temp(l, CLASS_P);
        emit(l, operation[boolean], "Ppp", result, bit[i], c);
        bit[i] = result;
    }
    copy_to(l, define(l, to, CLASS_P), bit[0]);
    if (to->second != NO_REG && (to->kind == OPERAND_REG || to->kind == OPERAND_SINK))
        copy_to(l, vreg_of(l, to->second), bit[1]);
}

void lower_set_half(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_type type = parts_type(parts, 1);
    enum reg_class class = ptx_type_class(type);
    bool is_float = ptx_type_kind(type) == KIND_FLOAT, is_bf16 = type == TYPE_bf16 || type == TYPE_bf16x2;
    uint32_t bit[2], half[2], count = half_bits(l, in, parts, bit);
    uint64_t yes = !is_float ? 0xffffffff : is_bf16 ? 0x3f80 : 0x3c00;

    if (count == 1) {
        emit(l, class == CLASS_W ? OP_select_32 : OP_select_16, class == CLASS_W ? "Wwwp" : "Hhhp",
             define(l, &in->operands[0], class), fixed_value(l, class, yes), fixed_value(l, class, 0),
             bit[0]);
        return;
    }
    for (int i = 0; i < 2; i++) {
        half[i] = new_temp(l, CLASS_H);
        emit(l, OP_select_16, "Hhhp", half[i], fixed_value(l, CLASS_H, yes), fixed_value(l, CLASS_H, 0),
             bit[i]);
    }
    emit(l, OP_pack16_32, "Whh", define(l, &in->operands[0], CLASS_W), half[0], half[1]);
}
