/* SPDX-License-Identifier: MIT */
/* lower_control.c: branches, calls, barriers, warp-wide instructions. */
#include <string.h>

#include "lower.h"

static bool scope_holds(const struct ptx_function *function, uint32_t outer, uint32_t inner)
{
    for (;; inner = function->scope_parent[inner]) {
        if (inner == outer)
            return true;
        if (inner == 0)
            return false;
    }
}

static const struct ptx_label *label_find(struct lower *l, const struct ptx_instruction *in, const char *name)
{
    const struct ptx_function *function = l->instance->function;
    const struct ptx_label *found = NULL;

    for (uint32_t i = 0; i < function->label_count; i++) {
        const struct ptx_label *label = &function->labels[i];
        if (label->name == name && scope_holds(function, label->scope, in->scope) &&
            (found == NULL || scope_holds(function, found->scope, label->scope)))
            found = label;
    }
    if (found == NULL)
        lower_fail(l, "label %s is not defined", name);
    return found;
}

static uint32_t label_number(struct lower *l, const struct ptx_label *label)
{
    return l->instance->label_base + (uint32_t)(label - l->instance->function->labels);
}

/* A branch carries the instruction's guard itself. */
static void branch(struct lower *l, enum opcode op, uint32_t label)
{
    uint32_t guard = l->guard;

    l->guard = NO_REG;
    struct ir *ir = guard == NO_REG ? emit(l, op, "") : emit(l, op, "p", guard);
    ir->in.imm = label;
    if (guard != NO_REG)
        ir->in.aux = (uint16_t)(BRANCH_GUARDED | (l->guard_negated ? BRANCH_NEGATED : 0));
}

void lower_bra(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    const struct ptx_operand *to = operand_at(l, in, 0);

    (void)parts;
    if (to->kind != OPERAND_NAME)
        lower_fail(l, "expected a label");
    branch(l, OP_bra, label_number(l, label_find(l, in, to->name)));
}

void lower_brx(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    const struct ptx_operand *list = operand_at(l, in, 1);

    (void)parts;
    if (list->kind != OPERAND_NAME)
        lower_fail(l, "expected the label of .branchtargets");
    const struct ptx_label *targets = label_find(l, in, list->name);
    guard_by_branch(l);
    uint32_t index = use(l, &in->operands[0], CLASS_W, TYPE_u32), first = l->target_count;
    for (uint32_t i = 0; i < targets->target_count; i++) {
        uint32_t number = label_number(l, label_find(l, in, targets->targets[i]));
        *LOADER_APPEND(l->loader, l->targets, l->target_count) = number;
    }
    struct ir *ir = emit(l, OP_brx, "w", index);
    ir->in.imm = first;
    ir->in.o[1] = targets->target_count;
}

void lower_ret(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)in, (void)parts;
    if (l->instance->caller == NULL && l->outline < 0)
        branch(l, OP_exit, 0);
    else
        branch(l, OP_bra, l->instance->end_label);
}

void lower_exit(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)in, (void)parts;
    branch(l, OP_exit, 0);
}

void lower_trap(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)in, (void)parts;
    guard_by_branch(l);
    emit(l, OP_trap, "");
}

void lower_nanosleep(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)in, (void)parts;
    guard_by_branch(l);
    emit(l, OP_yield, "");
}

void lower_bar(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool arrives = parts_has(parts, "arrive"), reduces = parts_has(parts, "red"),
         counts = parts_has(parts, "popc");
    uint32_t at = reduces ? 1 : 0, last = in->operand_count;

    bool aligned = parts->part[0].length == strlen("bar") || parts_has(parts, "aligned");

    guard_by_branch(l);
    const struct ptx_operand *number = operand_at(l, in, at);
    uint32_t pred = fixed_value(l, CLASS_P, 0), expected = fixed_value(l, CLASS_W, 0);
    uint16_t aux =
        (uint16_t)((arrives ? BAR_ARRIVES : 0) | (reduces ? BAR_REDUCES : 0) | (aligned ? BAR_ALIGNED : 0));
    if (reduces)
        pred = use(l, operand_at(l, in, --last), CLASS_P, TYPE_pred);
    if (last > at + 2 || (arrives && last != at + 2))
        lower_fail(l, "wrong number of operands");
    if (last == at + 2) {
        expected = use(l, &in->operands[at + 1], CLASS_W, TYPE_u32);
        aux |= BAR_COUNTED;
    }
    if (reduces && (number->kind != OPERAND_INT || number->imm < 0 || number->imm >= BARRIERS))
        lower_fail(l, "bar.red needs a constant barrier below 16");
    emit(l, OP_bar, "wwp", use(l, number, CLASS_W, TYPE_u32), expected, pred)->in.aux = aux;
    if (!reduces)
        return;
    enum opcode result = counts ? OP_bar_count : parts_has(parts, "and") ? OP_bar_and : OP_bar_or;
    uint32_t to = define(l, &in->operands[0], counts ? CLASS_W : CLASS_P);
    emit(l, result, counts ? "W" : "P", to)->in.aux = (uint16_t)number->imm;
}
