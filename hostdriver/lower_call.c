/* SPDX-License-Identifier: MIT */
/* lower_call.c: calls.
 *
 * A call is expanded in place where it can be.  A function that calls itself,
 * that allocates on the stack, or that is reached through a pointer is made
 * once, after the kernel, and called: its arguments and results pass through
 * transfer registers, arrays by their address in local memory.
 */
#include <string.h>

#include "execute.h"
#include "lower.h"

enum { TRANSFERS = 64, TRANSFER_RESULT = 256, LARGE = 20, LARGE_KERNEL = 30000 };

uint32_t transfer(struct lower *l, uint32_t index, enum reg_class class)
{
    static const uint8_t bytes[] = {0, 2, 4, 8};

    if (index != TRANSFER_FRAME && (index & (TRANSFER_RESULT - 1)) >= TRANSFERS)
        lower_fail(l, "more than %d parameters", TRANSFERS);
    return fixed_slot(l, &(struct fixed){.kind = FIXED_TRANSFER, .bytes = bytes[class], .value = index});
}

static uint32_t stack_pointer(struct lower *l)
{
    l->has_stack = true;
    transfer(l, TRANSFER_FRAME, CLASS_W);
    return fixed_slot(l, &(struct fixed){.kind = FIXED_STACK, .bytes = 4});
}

uint32_t frame_base(struct lower *l)
{
    return l->outline < 0 ? NO_REG : l->outlines[l->outline].fp;
}

uint64_t function_address(struct lower *l, const char *name)
{
    return memory_base() + WINDOW_CODE + (uint64_t)ptx_function_number(l->module, name) * FUNCTION_BYTES;
}

/* The callee's parameter is the caller's variable under another name. */
static void bind(struct lower *l, struct instance *callee, struct ptx_variable *formal,
                 const struct ptx_operand *actual)
{
    formal->base = NO_REG;
    if (actual->kind == OPERAND_VARIABLE && actual->variable->space == SPACE_PARAM) {
        struct ptx_variable *variable = actual->variable;
        place_variable(l, variable);
        if (variable->is_array != formal->is_array || variable->bytes < formal->bytes ||
            (!formal->is_array && class_of(l, variable->reg) != ptx_type_class(formal->type)))
            lower_fail(l, "%s and %s differ in size", variable->name, formal->name);
        formal->reg = variable->reg;
        formal->offset = variable->offset;
        formal->base = variable->base;
    } else if (formal->is_array) {
        lower_fail(l, "%s needs an array in .param", formal->name);
    } else {
        enum reg_class class = ptx_type_class(formal->type);
        uint32_t value = use(l, actual, class, formal->type);
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

struct call {
    const struct ptx_operand *target, *returns, *arguments;
};

static void expand(struct lower *l, const struct call *call, struct ptx_function *function)
{
    const struct ptx_operand *returns = call->returns;
    struct instance *callee = loader_alloc(l->loader, 1, sizeof *callee);

    callee->caller = l->instance;
    callee->function = function;
    bind_list(l, callee, function->params, function->param_count, call->arguments);
    if (returns != NULL && returns->element_count == 1 && returns->elements[0].kind == OPERAND_REG) {
        struct ptx_variable *formal = function->return_count == 1 ? function->returns[0] : NULL;
        if (formal == NULL || formal->is_array)
            lower_fail(l, "%s does not return a scalar", function->name);
        formal->reg = define(l, &returns->elements[0], ptx_type_class(formal->type));
        formal->owner = callee;
    } else if (returns != NULL) {
        bind_list(l, callee, function->returns, function->return_count, returns);
    }
    lower_body(l, callee);
}

static uint32_t outline_of(struct lower *l, struct ptx_function *function)
{
    for (uint32_t i = 0; i < l->outline_count; i++)
        if (l->outlines[i].function == function)
            return i;
    LOADER_APPEND(l->loader, l->outlines, l->outline_count)->function = function;
    return l->outline_count - 1;
}

/* Puts an argument where the callee looks for it. */
static void pass(struct lower *l, uint32_t index, const struct ptx_operand *actual,
                 const struct ptx_variable *formal)
{
    if (actual->kind == OPERAND_VARIABLE && actual->variable->space == SPACE_PARAM) {
        struct ptx_variable *variable = actual->variable;
        place_variable(l, variable);
        if (variable->is_array)
            copy_to(l, transfer(l, index, CLASS_W), variable_value(l, variable, CLASS_W, 0));
        else
            copy_to(l, transfer(l, index, class_of(l, variable->reg)), variable->reg);
        return;
    }
    enum reg_class class = operand_class(l, actual);
    if (class == CLASS_NONE)
        class = formal != NULL ? ptx_type_class(formal->type) : CLASS_W;
    copy_to(l, transfer(l, index, class), use(l, actual, class, formal != NULL ? formal->type : TYPE_b32));
}

static void take_result(struct lower *l, uint32_t index, const struct ptx_operand *to)
{
    if (to->kind == OPERAND_REG) {
        enum reg_class class = operand_class(l, to);
        copy_to(l, define(l, to, class), transfer(l, index, class));
    } else if (to->kind == OPERAND_VARIABLE && !to->variable->is_array) {
        place_variable(l, to->variable);
        copy_to(l, to->variable->reg, transfer(l, index, class_of(l, to->variable->reg)));
    }
}

/* A call that stays one: function is NULL where a register says which. */
static void call_frame(struct lower *l, const struct call *call, struct ptx_function *function)
{
    uint32_t pointer = function == NULL ? use(l, call->target, CLASS_X, TYPE_u64) : 0;

    stack_pointer(l);
    for (uint32_t i = 0; call->arguments != NULL && i < call->arguments->element_count; i++)
        pass(l, i, &call->arguments->elements[i],
             function != NULL && i < function->param_count ? function->params[i] : NULL);
    for (uint32_t i = 0; call->returns != NULL && i < call->returns->element_count; i++) {
        const struct ptx_operand *to = &call->returns->elements[i];
        if (to->kind == OPERAND_VARIABLE && to->variable->is_array)
            pass(l, TRANSFER_RESULT + i, to, NULL);
    }
    if (function != NULL) {
        uint32_t outline = outline_of(l, function);
        emit(l, OP_call, "")->in.imm = outline;
    } else {
        for (uint32_t i = 0; i < l->module->function_count; i++)
            if (l->module->functions[i]->address_taken && l->module->functions[i]->has_body)
                outline_of(l, l->module->functions[i]);
        emit(l, OP_call_reg, "x", pointer);
    }
    for (uint32_t i = 0; call->returns != NULL && i < call->returns->element_count; i++)
        take_result(l, TRANSFER_RESULT + i, &call->returns->elements[i]);
}

/* What a list's element holds, for the functions that have no body. */
static uint32_t value_of(struct lower *l, const struct call *call, uint32_t i, enum reg_class class)
{
    if (call->arguments == NULL || i >= call->arguments->element_count)
        lower_fail(l, "expected at least %u arguments", i + 1);
    const struct ptx_operand *actual = &call->arguments->elements[i];
    if (actual->kind != OPERAND_VARIABLE)
        return use(l, actual, class, class == CLASS_X ? TYPE_b64 : TYPE_b32);
    place_variable(l, actual->variable);
    if (actual->variable->is_array || class_of(l, actual->variable->reg) != class)
        lower_fail(l, "argument %u has the wrong size", i + 1);
    return actual->variable->reg;
}

static bool call_system(struct lower *l, const struct call *call, const char *name)
{
    if (strcmp(name, "vprintf") == 0) {
        uint32_t format = value_of(l, call, 0, CLASS_X), values = value_of(l, call, 1, CLASS_X);
        uint32_t printed = transfer(l, TRANSFER_RESULT, CLASS_W);
        emit(l, OP_print, "Wxx", printed, format, values);
        if (call->returns != NULL && call->returns->element_count == 1)
            take_result(l, TRANSFER_RESULT, &call->returns->elements[0]);
        return true;
    }
    if (strcmp(name, "__assertfail") == 0) {
        uint32_t message = value_of(l, call, 0, CLASS_X), file = value_of(l, call, 1, CLASS_X);
        uint32_t line = value_of(l, call, 2, CLASS_W), function = value_of(l, call, 3, CLASS_X);
        emit(l, OP_assert, "xxxw", message, file, function, line);
        return true;
    }
    return false;
}

static bool contains(const struct ptx_function *function, const char *opcode)
{
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (strncmp(function->instructions[i].opcode, opcode, strlen(opcode)) == 0)
            return true;
    return false;
}

static bool must_stay(struct lower *l, const struct ptx_function *function)
{
    for (const struct instance *i = l->instance; i != NULL; i = i->caller)
        if (i->function == function)
            return true;
    if (l->expanded > LARGE_KERNEL && function->instruction_count > LARGE)
        return true;
    return contains(function, "alloca");
}

void lower_call(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    struct call call = {0};
    uint32_t next = 0;

    (void)parts;
    if (operand_at(l, in, 0)->kind == OPERAND_LIST)
        call.returns = &in->operands[next++];
    call.target = operand_at(l, in, next++);
    if (next < in->operand_count && in->operands[next].kind == OPERAND_LIST)
        call.arguments = &in->operands[next++];
    guard_by_branch(l);
    uint32_t skip = l->skip_label;
    if (call.target->kind == OPERAND_REG) {
        call_frame(l, &call, NULL);
    } else {
        if (call.target->kind != OPERAND_NAME)
            lower_fail(l, "expected a function or a register");
        struct ptx_function *function = ptx_function_find(l->module, call.target->name);
        bool has_body = function != NULL && function->has_body;
        if (!has_body && !call_system(l, &call, call.target->name)) {
            /* What nvcc calls for a launch by a kernel. */
            if (strncmp(call.target->name, "__cudaCDP2", 10) == 0)
                lower_fail(l, "%s: dynamic parallelism is not supported", call.target->name);
            lower_fail(l, "function %s has no body in this module", call.target->name);
        }
        if (has_body && must_stay(l, function))
            call_frame(l, &call, function);
        else if (has_body)
            expand(l, &call, function);
    }
    l->current = in;
    l->guard = NO_REG;
    l->skip_label = skip;
}

static void take_parameters(struct lower *l, struct instance *instance, struct ptx_variable **formals,
                            uint32_t count, uint32_t first, bool results)
{
    for (uint32_t i = 0; i < count; i++) {
        struct ptx_variable *formal = formals[i];
        enum reg_class class = formal->is_array ? CLASS_W : ptx_type_class(formal->type);
        uint32_t reg = new_vreg(l, class);
        formal->owner = instance;
        formal->offset = 0;
        formal->base = formal->is_array ? reg : NO_REG;
        formal->reg = reg;
        if (formal->is_array || !results)
            copy_to(l, reg, transfer(l, first + i, class));
    }
}

static void make_outline(struct lower *l, uint32_t index)
{
    struct ptx_function *function = l->outlines[index].function;
    struct instance *instance = loader_alloc(l->loader, 1, sizeof *instance);

    l->outline = (int32_t)index;
    l->current = NULL;
    l->guard = NO_REG;
    instance->function = function;
    l->outlines[index].first_ir = l->ir_count;
    l->outlines[index].entry_label = new_label(l);
    l->outlines[index].fp = new_vreg(l, CLASS_W);
    place_label(l, l->outlines[index].entry_label);
    copy_to(l, l->outlines[index].fp, transfer(l, TRANSFER_FRAME, CLASS_W));
    take_parameters(l, instance, function->params, function->param_count, 0, false);
    take_parameters(l, instance, function->returns, function->return_count, TRANSFER_RESULT, true);
    lower_body(l, instance);
    l->current = NULL;
    l->guard = NO_REG;
    for (uint32_t i = 0; i < function->return_count; i++)
        if (!function->returns[i]->is_array)
            copy_to(l, transfer(l, TRANSFER_RESULT + i, ptx_type_class(function->returns[i]->type)),
                    function->returns[i]->reg);
    emit(l, OP_return, "w", l->outlines[index].fp)->in.imm = index;
}

void lower_outlines(struct lower *l)
{
    struct program *program = l->program;

    for (uint32_t i = 0; i < l->outline_count; i++)
        make_outline(l, i);
    program->function_count = l->module->function_count;
    program->frame_of = loader_alloc(l->loader, program->function_count, sizeof *program->frame_of);
    for (uint32_t i = 0; i < program->function_count; i++)
        for (uint32_t j = 0; j < l->outline_count; j++)
            if (l->outlines[j].function == l->module->functions[i])
                program->frame_of[i] = j + 1;
    if (!l->has_stack)
        return;
    program->stack_start = (program->local_bytes + 15) & ~15u;
    program->local_bytes = program->stack_start + STACK_BYTES;
}

void functions_mark(struct ptx_module *module)
{
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = module->functions[i];
        for (uint32_t j = 0; j < function->instruction_count; j++) {
            const struct ptx_instruction *in = &function->instructions[j];
            bool names = in->operand_count == 2 && in->operands[1].kind == OPERAND_NAME;
            if (!names || strncmp(in->opcode, "mov", 3) != 0)
                continue;
            uint32_t number = ptx_function_number(module, in->operands[1].name);
            if (number != UINT32_MAX)
                module->functions[number]->address_taken = true;
        }
    }
}

void lower_alloca(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum reg_class class = ptx_type_class(parts_type(parts, 0));
    uint32_t to = define(l, operand_at(l, in, 0), class);
    uint32_t bytes = use(l, operand_at(l, in, 1), class, parts_type(parts, 0));
    int64_t align = in->operand_count > 2 && in->operands[2].kind == OPERAND_INT ? in->operands[2].imm : 8;

    if (align < 1 || align > 4096 || (align & (align - 1)) != 0)
        lower_fail(l, "expected an alignment that is a power of two");
    uint32_t stack = stack_pointer(l);
    emit(l, OP_alloca, class == CLASS_X ? "XWxw" : "WWww", to, stack, bytes, stack)->in.aux =
        (uint16_t)(class == CLASS_X ? 0x8000u | (unsigned)align : (unsigned)align);
}

void lower_stack(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum reg_class class = ptx_type_class(parts_type(parts, 0));
    uint32_t stack = stack_pointer(l), value = stack;

    if (strncmp(parts->part[0].text, "stacksave", 9) == 0) {
        uint32_t to = define(l, operand_at(l, in, 0), class);
        emit(l, class == CLASS_X ? OP_zx32_64 : OP_copy_32, class == CLASS_X ? "Xw" : "Ww", to, stack);
        return;
    }
    value = use(l, operand_at(l, in, 0), class, parts_type(parts, 0));
    emit(l, class == CLASS_X ? OP_low64_32 : OP_copy_32, class == CLASS_X ? "Wx" : "Ww", stack, value);
}
