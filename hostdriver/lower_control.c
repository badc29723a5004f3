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
    if (l->instance->caller == NULL)
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

/* The callee's parameter is the caller's variable under another name. */
static void bind(struct lower *l, struct instance *callee, struct ptx_variable *formal,
                 const struct ptx_operand *actual)
{
    if (actual->kind == OPERAND_VARIABLE && actual->variable->space == SPACE_PARAM) {
        struct ptx_variable *variable = actual->variable;
        place_variable(l, variable);
        if (variable->is_array != formal->is_array || variable->bytes < formal->bytes ||
            (!formal->is_array && class_of(l, variable->reg) != ptx_type_class(formal->type)))
            lower_fail(l, "%s and %s differ in size", variable->name, formal->name);
        formal->reg = variable->reg;
        formal->offset = variable->offset;
    } else if (formal->is_array) {
        lower_fail(l, "%s needs an array in .param", formal->name);
    } else {
        enum reg_class class = ptx_type_class(formal->type);
        uint32_t value = actual->kind == OPERAND_REG ? use(l, actual, class, formal->type) : NO_REG;
        if (value == NO_REG)
            value = use(l, actual, class, formal->type);
        formal->reg = new_vreg(l, class);
        copy_to(l, formal->reg, value);
    }
    formal->owner = callee;
}

static void bind_list(struct lower *l, struct instance *callee, struct ptx_variable **formal, uint32_t count,
                      const struct ptx_operand *list)
{
    uint32_t given = list != NULL ? list->element_count : 0;

    if (given != count)
        lower_fail(l, "%s takes %u, found %u", callee->function->name, count, given);
    for (uint32_t i = 0; i < count; i++)
        bind(l, callee, formal[i], &list->elements[i]);
}

void lower_call(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    const struct ptx_operand *returns = NULL, *arguments = NULL;
    uint32_t next = 0;

    (void)parts;
    if (operand_at(l, in, 0)->kind == OPERAND_LIST)
        returns = &in->operands[next++];
    const struct ptx_operand *name = operand_at(l, in, next++);
    if (name->kind != OPERAND_NAME)
        lower_fail(l, "calls through a register are not supported by the host driver");
    if (next < in->operand_count && in->operands[next].kind == OPERAND_LIST)
        arguments = &in->operands[next++];
    struct ptx_function *function = ptx_function_find(l->module, name->name);
    if (function == NULL || !function->has_body)
        lower_fail(l, "function %s has no body in this module", name->name);
    for (struct instance *i = l->instance; i != NULL; i = i->caller)
        if (i->function == function)
            lower_fail(l, "recursion (of %s) is not supported by the host driver", name->name);
    guard_by_branch(l);
    uint32_t skip = l->skip_label;
    struct instance *callee = loader_alloc(l->loader, 1, sizeof *callee);
    callee->caller = l->instance;
    callee->function = function;
    bind_list(l, callee, function->params, function->param_count, arguments);
    if (returns != NULL && returns->element_count == 1 && returns->elements[0].kind == OPERAND_REG) {
        struct ptx_variable *formal = function->return_count == 1 ? function->returns[0] : NULL;
        if (formal == NULL || formal->is_array)
            lower_fail(l, "%s does not return a scalar", name->name);
        formal->reg = define(l, &returns->elements[0], ptx_type_class(formal->type));
        formal->owner = callee;
    } else if (returns != NULL) {
        bind_list(l, callee, function->returns, function->return_count, returns);
    }
    lower_body(l, callee);
    l->current = in;
    l->guard = NO_REG;
    l->skip_label = skip;
}

void lower_bar(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool arrives = parts_has(parts, "arrive"), reduces = parts_has(parts, "red"),
         counts = parts_has(parts, "popc");
    uint32_t at = reduces ? 1 : 0, last = in->operand_count;

    guard_by_branch(l);
    const struct ptx_operand *number = operand_at(l, in, at);
    uint32_t pred = fixed_value(l, CLASS_P, 0), expected = fixed_value(l, CLASS_W, 0);
    uint16_t aux = (uint16_t)((arrives ? BAR_ARRIVES : 0) | (reduces ? BAR_REDUCES : 0));
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
