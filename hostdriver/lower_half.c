/* SPDX-License-Identifier: MIT */
/* lower_half.c: instructions on float16, bfloat16, tf32 and the 8-bit formats. */
#include <string.h>

#include "lower.h"

static bool is_bf16(enum ptx_type type)
{
    return type == TYPE_bf16 || type == TYPE_bf16x2;
}

uint32_t half_widened(struct lower *l, uint32_t reg, enum ptx_type type)
{
    uint32_t temp = new_temp(l, CLASS_W);

    emit(l, is_bf16(type) ? OP_bf16_f32 : OP_f16_f32, "Wh", temp, reg);
    return temp;
}

void half_parts(struct lower *l, uint32_t reg, uint32_t part[2])
{
    for (int i = 0; i < 2; i++) {
        part[i] = new_temp(l, CLASS_H);
        emit(l, i == 0 ? OP_low32_16 : OP_high32_16, "Hw", part[i], reg);
    }
}

/* A constant of a half type may be written as a number. */
static uint32_t use_half(struct lower *l, const struct ptx_operand *operand, enum reg_class class)
{
    return use(l, operand, class, class == CLASS_H ? TYPE_b16 : TYPE_b32);
}

void lower_half(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"add", "sub", "mul", "fma", "neg",
                                        "abs", "min", "max", "ex2", "tanh"};
    static const uint8_t inputs[] = {2, 2, 2, 3, 1, 1, 2, 2, 1, 1};
    enum ptx_type type = parts_type(parts, 0);
    enum reg_class class = ptx_type_class(type);
    int operation = parts_which(parts, names, 10);
    uint32_t reg[3] = {0};

    if (in->operand_count != inputs[operation] + 1u)
        lower_fail(l, "expected %u operands, found %u", inputs[operation] + 1u, in->operand_count);
    for (uint32_t i = 0; i < 3; i++)
        reg[i] = i < inputs[operation] ? use_half(l, &in->operands[i + 1], class) : reg[0];
    struct ir *ir = emit(l, class == CLASS_W ? OP_half2 : OP_half, class == CLASS_W ? "Wwww" : "Hhhh",
                         define(l, &in->operands[0], class), reg[0], reg[1], reg[2]);
    ir->in.aux =
        (uint16_t)((unsigned)operation | (is_bf16(type) ? HALF_BF16 : 0) |
                   (parts_has(parts, "ftz") && !is_bf16(type) ? HALF_FTZ : 0) |
                   (parts_has(parts, "sat") ? HALF_SAT : 0) | (parts_has(parts, "relu") ? HALF_RELU : 0) |
                   (parts_has(parts, "NaN") ? HALF_NAN : 0));
}

static unsigned narrow_aux(const struct parts *parts, unsigned format)
{
    static const char *const modes[] = {"rz", "rm", "rp", "rna"};
    int mode = parts_which(parts, modes, 4);

    return format | (unsigned)(mode + 1) << NARROW_ROUND_SHIFT |
           (parts_has(parts, "relu") ? NARROW_RELU : 0) | (parts_has(parts, "satfinite") ? NARROW_FINITE : 0);
}

static uint32_t narrowed(struct lower *l, uint32_t reg, unsigned aux)
{
    uint32_t wide = reg, temp = new_temp(l, CLASS_H);

    if (class_of(l, reg) == CLASS_W) {
        wide = new_temp(l, CLASS_X);
        emit(l, OP_f32_f64, "Xw", wide, reg);
    }
    emit(l, OP_narrow, "Hx", temp, wide)->in.aux = (uint16_t)aux;
    return temp;
}

uint32_t half_narrowed(struct lower *l, uint32_t reg, enum ptx_type type, const struct parts *parts)
{
    unsigned payload = parts_type(parts, 0) == TYPE_f64 ? NARROW_PAYLOAD : 0;

    return narrowed(l, reg, narrow_aux(parts, is_bf16(type) ? NARROW_BF16 : NARROW_F16) | payload);
}

/* cvt of two float32 to one register of two halves, the first on top. */
void lower_cvt_pair(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    uint32_t half[2];

    for (uint32_t i = 0; i < 2; i++)
        half[i] = half_narrowed(l, use(l, operand_at(l, in, 2 - i), CLASS_W, TYPE_f32), parts_type(parts, 1),
                                parts);
    emit(l, OP_pack16_32, "Whh", define(l, &in->operands[0], CLASS_W), half[0], half[1]);
}

static void pack_bytes(struct lower *l, const struct ptx_operand *to, const uint32_t half[2])
{
    uint32_t high = new_temp(l, CLASS_H);

    emit(l, OP_shl_16, "Hhw", high, half[1], fixed_value(l, CLASS_W, 8));
    emit(l, OP_or_16, "Hhh", define(l, to, CLASS_H), high, half[0]);
}

void lower_cvt_fp8(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"e4m3x2", "e5m2x2"};
    int format = parts_which(parts, names, 2);
    unsigned aux = narrow_aux(parts, format == 0 ? NARROW_E4M3 : NARROW_E5M2) | NARROW_FINITE;
    uint32_t half[2];

    if (parts_type(parts, 0) == TYPE_f32) {
        for (uint32_t i = 0; i < 2; i++)
            half[i] = narrowed(l, use(l, operand_at(l, in, 2 - i), CLASS_W, TYPE_f32), aux);
        pack_bytes(l, &in->operands[0], half);
        return;
    }
    bool from_fp8 = parts->part[parts->count - 1].text[0] == 'e';
    if (!from_fp8) {
        half_parts(l, use(l, operand_at(l, in, 1), CLASS_W, TYPE_b32), half);
        for (int i = 0; i < 2; i++)
            half[i] = narrowed(l, half_widened(l, half[i], parts_type(parts, 0)), aux);
        pack_bytes(l, &in->operands[0], half);
        return;
    }
    uint32_t from = use(l, operand_at(l, in, 1), CLASS_H, TYPE_b16);
    emit(l, OP_widen_fp8, "Wh", define(l, &in->operands[0], CLASS_W), from)->in.aux =
        (uint16_t)(format | (parts_has(parts, "relu") ? 2 : 0));
}

void lower_cvt_tf32(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    uint32_t from = use(l, operand_at(l, in, 1), CLASS_W, TYPE_f32);

    emit(l, OP_narrow_tf32, "Ww", define(l, &in->operands[0], CLASS_W), from)->in.aux =
        (uint16_t)narrow_aux(parts, NARROW_TF32);
}
