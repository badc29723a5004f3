/* SPDX-License-Identifier: MIT */
/* lower_convert.c: mov and cvt. */
#include <string.h>

#include "lower.h"

static uint32_t unary(struct lower *l, enum opcode op, enum reg_class to, uint32_t from)
{
    uint32_t temp = new_temp(l, to);
    char signature[3] = {"PHWX"[to], "phwx"[class_of(l, from)], 0};

    emit(l, op, signature, temp, from);
    return temp;
}

/* The value in the low bits of a register of another size. */
uint32_t resized(struct lower *l, uint32_t reg, enum reg_class to, bool is_signed)
{
    static const enum opcode op[2][3][3] = {
        {{OP_copy_16, OP_zx16_32, OP_zx16_64},
         {OP_low32_16, OP_copy_32, OP_zx32_64},
         {OP_low64_16, OP_low64_32, OP_copy_64}},
        {{OP_copy_16, OP_sx16_32, OP_sx16_64},
         {OP_low32_16, OP_copy_32, OP_sx32_64},
         {OP_low64_16, OP_low64_32, OP_copy_64}},
    };
    enum reg_class from = class_of(l, reg);

    return from == to ? reg : unary(l, op[is_signed][from - CLASS_H][to - CLASS_H], to, reg);
}

static void mov_pack(struct lower *l, const struct ptx_instruction *in, enum reg_class class)
{
    const struct ptx_operand *from = &in->operands[1];
    uint32_t to = define(l, &in->operands[0], class), part[4];
    enum reg_class piece = from->element_count == 4 || class == CLASS_W ? CLASS_H : CLASS_W;

    if (from->element_count != 2 && !(from->element_count == 4 && class == CLASS_X))
        lower_fail(l, "expected 2 or 4 elements that fill the register");
    for (uint32_t i = 0; i < from->element_count; i++)
        part[i] = use(l, &from->elements[i], piece, piece == CLASS_H ? TYPE_b16 : TYPE_b32);
    if (class == CLASS_W) {
        emit(l, OP_pack16_32, "Whh", to, part[0], part[1]);
        return;
    }
    if (from->element_count == 4) {
        for (int i = 0; i < 2; i++) {
            uint32_t half = new_temp(l, CLASS_W);
            emit(l, OP_pack16_32, "Whh", half, part[2 * i], part[2 * i + 1]);
            part[i] = half;
        }
    }
    emit(l, OP_pack32_64, "Xww", to, part[0], part[1]);
}

static void mov_unpack(struct lower *l, const struct ptx_instruction *in, enum reg_class class,
                       enum ptx_type type)
{
    const struct ptx_operand *to = &in->operands[0];
    uint32_t from = use(l, &in->operands[1], class, type);

    if (to->element_count == 2 && class == CLASS_W) {
        uint32_t low = unary(l, OP_low32_16, CLASS_H, from), high = unary(l, OP_high32_16, CLASS_H, from);
        copy_to(l, define(l, &to->elements[0], CLASS_H), low);
        copy_to(l, define(l, &to->elements[1], CLASS_H), high);
        return;
    }
    if (class != CLASS_X || (to->element_count != 2 && to->element_count != 4))
        lower_fail(l, "expected 2 or 4 elements that fill the register");
    /* The source may be one of the destinations' registers: read it first. */
    uint32_t half[2] = {unary(l, OP_low64_32, CLASS_W, from), unary(l, OP_high64_32, CLASS_W, from)};
    for (uint32_t i = 0; i < to->element_count; i++) {
        if (to->element_count == 2)
            copy_to(l, define(l, &to->elements[i], CLASS_W), half[i]);
        else
            copy_to(l, define(l, &to->elements[i], CLASS_H),
                    unary(l, i & 1 ? OP_high32_16 : OP_low32_16, CLASS_H, half[i / 2]));
    }
}

void lower_mov(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_type type = parts_type(parts, 0);
    enum reg_class class = ptx_type_class(type);
    const struct ptx_operand *to = operand_at(l, in, 0), *from = operand_at(l, in, 1);

    if (in->operand_count != 2)
        lower_fail(l, "expected 2 operands, found %u", in->operand_count);
    if (from->kind == OPERAND_VECTOR)
        mov_pack(l, in, class);
    else if (to->kind == OPERAND_VECTOR)
        mov_unpack(l, in, class, type);
    else
        copy_to(l, define(l, to, class), use(l, from, class, type));
}

/* Two registers of 64 bits, or one of 128. */
static const struct ptx_operand *two_halves(struct lower *l, const struct ptx_operand *operand,
                                            struct ptx_operand half[2])
{
    if (operand->kind == OPERAND_VECTOR && operand->element_count == 2)
        return operand->elements;
    register_halves(l, operand, half);
    return half;
}

void lower_mov_128(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    struct ptx_operand half[4];
    const struct ptx_operand *to = two_halves(l, operand_at(l, in, 0), half),
                             *from = two_halves(l, operand_at(l, in, 1), half + 2);
    uint32_t value[2];

    (void)parts;
    for (int i = 0; i < 2; i++)
        copy_to(l, value[i] = new_temp(l, CLASS_X), use(l, &from[i], CLASS_X, TYPE_b64));
    for (int i = 0; i < 2; i++)
        copy_to(l, define(l, &to[i], CLASS_X), value[i]);
}

static bool is_half(enum ptx_type type)
{
    return type == TYPE_f16 || type == TYPE_bf16;
}

uint32_t extended(struct lower *l, uint32_t reg, enum ptx_type type, enum reg_class class)
{
    bool is_signed = ptx_type_kind(type) == KIND_SIGNED;
    uint32_t narrow = resized(l, reg, ptx_type_class(type), is_signed);

    if (ptx_type_bytes(type) == 1)
        narrow = unary(l, is_signed ? OP_sx8_16 : OP_zx8_16, CLASS_H, narrow);
    return resized(l, narrow, class, is_signed);
}

/* A cvt operand may be a register wider than its type; halves are read as
 * float32. */
static uint32_t source(struct lower *l, const struct ptx_operand *operand, enum ptx_type type)
{
    unsigned bytes = ptx_type_bytes(type);
    enum reg_class class = ptx_type_class(type), found = operand_class(l, operand);
    bool is_signed = ptx_type_kind(type) == KIND_SIGNED;

    if (found == CLASS_P)
        lower_fail(l, "a predicate cannot be converted");
    uint32_t reg = use(l, operand, found != CLASS_NONE && found > class ? found : class, type);
    reg = resized(l, reg, class, is_signed);
    if (bytes == 1)
        reg = unary(l, is_signed ? OP_sx8_16 : OP_zx8_16, CLASS_H, reg);
    if (is_half(type))
        reg = half_widened(l, reg, type);
    return reg;
}

/* Writes the value, which has the class of type, to a register at least as
 * wide. */
static void sink(struct lower *l, const struct ptx_operand *operand, enum ptx_type type, uint32_t reg)
{
    enum reg_class class = ptx_type_class(type), found = operand_class(l, operand);
    bool is_signed = ptx_type_kind(type) == KIND_SIGNED;

    if (ptx_type_bytes(type) == 1)
        reg = unary(l, is_signed ? OP_sx8_16 : OP_zx8_16, CLASS_H, reg);
    if (found != CLASS_NONE && found != CLASS_P && found > class) {
        reg = resized(l, reg, found, is_signed);
        class = found;
    }
    copy_to(l, define(l, operand, class), reg);
}

static uint32_t clamped(struct lower *l, uint32_t reg, bool from_signed, enum ptx_type to)
{
    unsigned bits = ptx_type_bytes(to) * 8;
    bool to_signed = ptx_type_kind(to) == KIND_SIGNED;
    uint64_t high = to_signed    ? ((uint64_t)1 << (bits - 1)) - 1
                    : bits == 64 ? UINT64_MAX
                                 : ((uint64_t)1 << bits) - 1;
    uint64_t low = to_signed ? 0 - high - 1 : 0;
    uint32_t wide = resized(l, reg, CLASS_X, from_signed), temp;

    if (from_signed) {
        temp = new_temp(l, CLASS_X);
        emit(l, OP_max_s64, "Xxx", temp, wide, fixed_value(l, CLASS_X, low));
        wide = temp;
    }
    if (!(bits == 64 && (from_signed || !to_signed))) {
        temp = new_temp(l, CLASS_X);
        emit(l, from_signed ? OP_min_s64 : OP_min_u64, "Xxx", temp, wide, fixed_value(l, CLASS_X, high));
        wide = temp;
    }
    return wide;
}

static void cvt_integers(struct lower *l, const struct ptx_instruction *in, enum ptx_type to,
                         enum ptx_type from, bool saturates)
{
    bool from_signed = ptx_type_kind(from) == KIND_SIGNED;
    uint32_t reg = source(l, &in->operands[1], from);

    if (saturates)
        reg = clamped(l, reg, from_signed, to);
    sink(l, &in->operands[0], to, resized(l, reg, ptx_type_class(to), from_signed));
}

static uint32_t integral(struct lower *l, uint32_t reg, const struct parts *parts)
{
    static const char *const names[] = {"rni", "rzi", "rmi", "rpi"};
    static const enum opcode op[2][4] = {{OP_rint_f32, OP_trunc_f32, OP_floor_f32, OP_ceil_f32},
                                         {OP_rint_f64, OP_trunc_f64, OP_floor_f64, OP_ceil_f64}};
    int mode = parts_which(parts, names, 4);
    enum reg_class class = class_of(l, reg);

    return mode < 0 ? reg : unary(l, op[class == CLASS_X][mode], class, reg);
}

static void cvt_to_integer(struct lower *l, const struct ptx_instruction *in, const struct parts *parts,
                           enum ptx_type to, enum ptx_type from)
{
    static const enum opcode op[2][4] = {{OP_f32_s32, OP_f32_u32, OP_f32_s64, OP_f32_u64},
                                         {OP_f64_s32, OP_f64_u32, OP_f64_s64, OP_f64_u64}};
    static const char *const names[] = {"rni", "rzi", "rmi", "rpi"};
    bool to_signed = ptx_type_kind(to) == KIND_SIGNED, wide = ptx_type_bytes(to) == 8;
    uint32_t reg = source(l, &in->operands[1], from);

    if (parts_which(parts, names, 4) < 0)
        lower_fail(l, "expected .rni, .rzi, .rmi or .rpi");
    if (parts_has(parts, "ftz") && from == TYPE_f32)
        reg = unary(l, OP_flush_f32, CLASS_W, reg);
    reg = integral(l, reg, parts);
    unsigned bytes = ptx_type_bytes(to);
    enum reg_class class = wide ? CLASS_X : CLASS_W;
    uint32_t whole = new_temp(l, class);
    char signature[3] = {"PHWX"[class], "phwx"[class_of(l, reg)], 0};
    emit(l, op[from == TYPE_f64][wide * 2 + !to_signed], signature, whole, reg)->in.aux =
        (uint16_t)(bytes < 4 ? 1u << (8 * bytes - 1) : 0);
    reg = bytes < 4 ? clamped(l, whole, to_signed, to) : whole;
    sink(l, &in->operands[0], to, resized(l, reg, ptx_type_class(to), to_signed));
}

static unsigned directed(const struct parts *parts)
{
    static const char *const names[] = {"rz", "rm", "rp"};

    return (unsigned)(parts_which(parts, names, 3) + 1);
}

static void cvt_from_integer(struct lower *l, const struct ptx_instruction *in, const struct parts *parts,
                             enum ptx_type to, enum ptx_type from)
{
    static const enum opcode op[2][2][4] = {
        {{OP_s32_f32, OP_u32_f32, OP_s64_f32, OP_u64_f32}, {OP_s32_f64, OP_u32_f64, OP_s64_f64, OP_u64_f64}},
        {{OP_s32r_f32, OP_u32r_f32, OP_s64r_f32, OP_u64r_f32},
         {OP_s32_f64, OP_u32_f64, OP_s64r_f64, OP_u64r_f64}},
    };
    bool is_signed = ptx_type_kind(from) == KIND_SIGNED, wide = ptx_type_bytes(from) == 8;
    uint32_t reg = source(l, &in->operands[1], from);

    if (ptx_type_bytes(from) < 4)
        reg = resized(l, reg, CLASS_W, is_signed);
    unsigned mode = directed(parts);
    enum reg_class class = ptx_type_class(to);
    uint32_t temp = new_temp(l, class);
    char signature[3] = {"PHWX"[class], "phwx"[class_of(l, reg)], 0};
    emit(l, op[mode != 0][to == TYPE_f64][wide * 2 + !is_signed], signature, temp, reg)->in.aux =
        (uint16_t)mode;
    if (parts_has(parts, "sat"))
        temp = unary(l, class == CLASS_X ? OP_sat_f64 : OP_sat_f32, class, temp);
    copy_to(l, define(l, &in->operands[0], class), temp);
}

static void cvt_floats(struct lower *l, const struct ptx_instruction *in, const struct parts *parts,
                       enum ptx_type to, enum ptx_type from)
{
    bool ftz = parts_has(parts, "ftz");
    enum reg_class class = ptx_type_class(to);
    uint32_t reg = source(l, &in->operands[1], from);

    if (ftz && from == TYPE_f32)
        reg = unary(l, OP_flush_f32, CLASS_W, reg);
    if (is_half(from) && to == TYPE_f32) {
        /* read as it already */
    } else if (from == to) {
        reg = integral(l, reg, parts);
    } else if (to == TYPE_f64) {
        reg = unary(l, OP_f32_f64, CLASS_X, reg);
    } else {
        unsigned mode = directed(parts);
        uint32_t temp = new_temp(l, CLASS_W);
        emit(l, mode != 0 ? OP_f64r_f32 : OP_f64_f32, "Wx", temp, reg)->in.aux = (uint16_t)mode;
        reg = temp;
        if (ftz)
            reg = unary(l, OP_flush_f32, CLASS_W, reg);
    }
    if (parts_has(parts, "sat"))
        reg = unary(l, class == CLASS_X ? OP_sat_f64 : OP_sat_f32, class, reg);
    copy_to(l, define(l, &in->operands[0], class), reg);
}

static void cvt_to_half(struct lower *l, const struct ptx_instruction *in, const struct parts *parts,
                        enum ptx_type to, enum ptx_type from)
{
    static const enum opcode op[] = {OP_s32_f64, OP_u32_f64, OP_s64_f64, OP_u64_f64};
    bool is_signed = ptx_type_kind(from) == KIND_SIGNED, wide = ptx_type_bytes(from) == 8;
    uint32_t reg = source(l, &in->operands[1], from);

    if (ptx_type_kind(from) != KIND_FLOAT) {
        if (ptx_type_bytes(from) < 4)
            reg = resized(l, reg, CLASS_W, is_signed);
        if (wide)
            reg = unary(l, is_signed ? OP_sticky_s64 : OP_sticky_u64, CLASS_X, reg);
        reg = unary(l, op[wide * 2 + !is_signed], CLASS_X, reg);
    }
    /* As on a GPU, .ftz leaves a float32 as it is here. */
    if (class_of(l, reg) == CLASS_W)
        reg = unary(l, OP_f32_f64, CLASS_X, reg);
    reg = integral(l, reg, parts);
    if (parts_has(parts, "sat"))
        reg = unary(l, OP_sat_f64, CLASS_X, reg);
    copy_to(l, define(l, &in->operands[0], CLASS_H), half_narrowed(l, reg, to, parts));
}

void lower_cvt(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_type from = parts_type(parts, 0), to = parts_type(parts, 1);
    bool from_float = ptx_type_kind(from) == KIND_FLOAT, to_float = ptx_type_kind(to) == KIND_FLOAT;

    if (in->operand_count != 2)
        lower_fail(l, "expected 2 operands, found %u", in->operand_count);
    if (is_half(to))
        cvt_to_half(l, in, parts, to, from);
    else if (!from_float && !to_float)
        cvt_integers(l, in, to, from, parts_has(parts, "sat"));
    else if (!to_float)
        cvt_to_integer(l, in, parts, to, from);
    else if (!from_float)
        cvt_from_integer(l, in, parts, to, from);
    else
        cvt_floats(l, in, parts, to, from);
}
