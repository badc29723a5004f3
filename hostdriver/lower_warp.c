/* SPDX-License-Identifier: MIT */
/* lower_warp.c: instructions in which the lanes of a warp meet. */
#include "lower.h"

static uint32_t second_of(struct lower *l, const struct ptx_operand *to)
{
    if (to->second == NO_REG)
        return new_temp(l, CLASS_P);
    uint32_t reg = vreg_of(l, to->second);
    if (class_of(l, reg) != CLASS_P)
        lower_fail(l, "expected a predicate after '|'");
    return reg;
}

static uint32_t members(struct lower *l, const struct ptx_instruction *in, uint32_t i)
{
    if (in->operand_count != i + 1)
        lower_fail(l, "expected %u operands, found %u", i + 1, in->operand_count);
    return use(l, &in->operands[i], CLASS_W, TYPE_b32);
}

void lower_warp_sync(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)parts;
    guard_by_branch(l);
    emit(l, OP_warp_sync, "w", members(l, in, 0));
}

void lower_shfl(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"up", "down", "bfly", "idx"};

    guard_by_branch(l);
    uint32_t mask = members(l, in, 4);
    uint32_t a = use(l, &in->operands[1], CLASS_W, TYPE_b32), b = use(l, &in->operands[2], CLASS_W, TYPE_u32);
    uint32_t c = use(l, &in->operands[3], CLASS_W, TYPE_u32);
    uint32_t to = define(l, &in->operands[0], CLASS_W), inside = second_of(l, &in->operands[0]);
    emit(l, OP_shfl, "WPwwww", to, inside, a, b, c, mask)->in.aux = (uint16_t)parts_which(parts, names, 4);
}

void lower_vote(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"all", "any", "uni", "ballot"};
    int mode = parts_which(parts, names, 4);

    guard_by_branch(l);
    uint32_t mask = members(l, in, 2);
    struct ptx_operand source = in->operands[1];
    uint16_t negated = source.negate ? VOTE_NEGATED : 0;
    source.negate = false;
    uint32_t pred = use(l, &source, CLASS_P, TYPE_pred);
    if (mode == 3)
        emit(l, OP_ballot, "Wpw", define(l, &in->operands[0], CLASS_W), pred, mask)->in.aux = negated;
    else
        emit(l, OP_vote, "Ppw", define(l, &in->operands[0], CLASS_P), pred, mask)->in.aux =
            (uint16_t)(negated | (uint16_t)mode);
}

void lower_match(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool wide = parts_type(parts, 0) == TYPE_b64;
    enum reg_class class = wide ? CLASS_X : CLASS_W;

    guard_by_branch(l);
    uint32_t mask = members(l, in, 2), a = use(l, &in->operands[1], class, parts_type(parts, 0));
    uint32_t to = define(l, &in->operands[0], CLASS_W);
    struct ir *ir = parts_has(parts, "all") ? emit(l, OP_match_all, wide ? "WPxw" : "WPww", to,
                                                   second_of(l, &in->operands[0]), a, mask)
                                            : emit(l, OP_match_any, wide ? "Wxw" : "Www", to, a, mask);
    ir->in.aux = wide ? 3 : 2;
}

void lower_redux(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
    bool is_signed = parts_type(parts, 0) == TYPE_s32;
    enum atomic_operation operation[] = {
        ATOM_ADD, is_signed ? ATOM_MIN_S : ATOM_MIN_U, is_signed ? ATOM_MAX_S : ATOM_MAX_U, ATOM_AND, ATOM_OR,
        ATOM_XOR};

    guard_by_branch(l);
    uint32_t mask = members(l, in, 2), a = use(l, &in->operands[1], CLASS_W, TYPE_b32);
    emit(l, OP_redux, "Www", define(l, &in->operands[0], CLASS_W), a, mask)->in.aux =
        (uint16_t)operation[parts_which(parts, names, 6)];
}

void lower_activemask(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)parts;
    emit(l, OP_activemask, "W", define(l, operand_at(l, in, 0), CLASS_W));
}

void lower_elect(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)parts;
    guard_by_branch(l);
    uint32_t mask = members(l, in, 1), to = define(l, &in->operands[0], CLASS_W);
    emit(l, OP_elect, "WPw", to, second_of(l, &in->operands[0]), mask);
}
