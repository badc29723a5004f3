/* SPDX-License-Identifier: MIT */
/* lower.c: one kernel to a program. */
#include "lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../lib/cuda_abi.h"

enum { EXPANDED_MAX = 2000000 };

void lower_fail(struct lower *l, const char *format, ...)
{
    char what[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    loader_fail(l->loader, CUDA_ERROR_INVALID_PTX, "line %u, kernel %s: %s%s%s",
                l->current != NULL ? l->current->line : 0, l->program->name,
                l->current != NULL ? l->current->opcode : "", l->current != NULL ? ": " : "", what);
}

static struct ir *append(struct lower *l, enum opcode op)
{
    struct ir *ir = LOADER_APPEND(l->loader, l->ir, l->ir_count);

    ir->in.op = (uint16_t)op;
    ir->line = l->current != NULL ? l->current->line : 0;
    return ir;
}

struct ir *emit(struct lower *l, enum opcode op, const char *signature, ...)
{
    static const char letters[] = "phwx";
    va_list arguments;

    if (l->guard != NO_REG) {
        struct ir *guard = append(l, OP_guard);
        guard->in.o[0] = l->guard;
        guard->in.aux = l->guard_negated ? BRANCH_NEGATED : 0;
        guard->operands = 1;
    }
    struct ir *ir = append(l, op);
    ir->guarded = l->guard != NO_REG;
    va_start(arguments, signature);
    for (const char *letter = signature; *letter != 0; letter++) {
        uint32_t reg = va_arg(arguments, uint32_t);
        bool written = *letter < 'a';
        char wanted = (char)(*letter | 32);
        bool constant = (reg & FIXED) != 0 && l->fixed[reg & ~FIXED].kind < FIXED_TRANSFER;
        if (letters[class_of(l, reg)] != wanted || (written && constant))
            lower_fail(l, "operand %u has the wrong size", ir->operands + 1u);
        ir->in.o[ir->operands++] = reg;
        ir->defs = (uint8_t)(ir->defs + written);
    }
    va_end(arguments);
    return ir;
}

void guard_by_branch(struct lower *l)
{
    if (l->guard == NO_REG)
        return;
    uint32_t guard = l->guard;
    l->guard = NO_REG;
    l->skip_label = new_label(l);
    struct ir *ir = emit(l, OP_bra, "p", guard);
    ir->in.aux = (uint16_t)(BRANCH_GUARDED | (l->guard_negated ? 0 : BRANCH_NEGATED));
    ir->in.imm = l->skip_label;
}

static uint16_t rounding(const struct parts *parts)
{
    static const char *const names[] = {"rz", "rm", "rp"};

    return (uint16_t)(parts_which(parts, names, 3) + 1);
}

/* An instruction whose operands are the executor's, in order. inputs and
 * output, where given, replace the operands. */
void lower_row(struct lower *l, const struct row *row, const struct ptx_operand *operands, uint32_t count,
               unsigned aux, const uint32_t *inputs, uint32_t output)
{
    uint32_t inputs_wanted = (row->type[1] != 0) + (row->type[2] != 0) + (row->type[3] != 0);
    uint32_t reg[4] = {0};
    char signature[5] = {0};

    if (count != inputs_wanted + 1)
        lower_fail(l, "expected %u operands, found %u", inputs_wanted + 1, count);
    for (uint32_t i = 1; i <= inputs_wanted; i++) {
        enum ptx_type type = (enum ptx_type)row->type[i];
        reg[i] = inputs != NULL ? inputs[i - 1] : use(l, &operands[i], ptx_type_class(type), type);
        signature[i] = "phwx"[ptx_type_class(type)];
    }
    enum reg_class class = ptx_type_class((enum ptx_type)row->type[0]);
    reg[0] = output != NO_REG ? output : define(l, &operands[0], class);
    signature[0] = "PHWX"[class];
    emit(l, (enum opcode)row->op, signature, reg[0], reg[1], reg[2], reg[3])->in.aux = (uint16_t)aux;
}

void lower_instruction(struct lower *l, const struct ptx_instruction *in)
{
    const struct parts *parts;

    l->current = in;
    l->guard = in->guard == NO_REG ? NO_REG : vreg_of(l, in->guard);
    l->guard_negated = in->guard_negated;
    l->skip_label = NO_REG;
    if (++l->expanded > EXPANDED_MAX)
        lower_fail(l, "calls expand to more than %d instructions", EXPANDED_MAX);
    const struct row *row = row_find(l->loader, in->opcode, &parts);
    if (row == NULL)
        loader_fail(l->loader, CUDA_ERROR_INVALID_PTX,
                    "line %u, kernel %s: the instruction %s is not supported by the host driver", in->line,
                    l->program->name, in->opcode);
    if (row->lower != NULL)
        row->lower(l, in, parts);
    else
        lower_row(l, row, in->operands, in->operand_count, row->kind == ROW_DIRECTED ? rounding(parts) : 0,
                  NULL, NO_REG);
    if (l->skip_label != NO_REG) {
        l->guard = NO_REG;
        place_label(l, l->skip_label);
    }
}

void lower_body(struct lower *l, struct instance *instance)
{
    struct ptx_function *function = instance->function;
    uint32_t label = 0;

    instance->reg_base = l->vreg_count;
    for (uint32_t i = 0; i < function->reg_count; i++)
        new_vreg(l, (enum reg_class)function->reg_class[i]);
    instance->label_base = l->label_count;
    for (uint32_t i = 0; i < function->label_count; i++)
        new_label(l);
    instance->end_label = new_label(l);
    instance->carry = NO_REG;
    l->instance = instance;
    for (uint32_t i = 0; i <= function->instruction_count; i++) {
        for (; label < function->label_count && function->labels[label].position == i; label++)
            place_label(l, instance->label_base + label);
        if (i < function->instruction_count)
            lower_instruction(l, &function->instructions[i]);
    }
    place_label(l, instance->end_label);
    l->instance = instance->caller;
}

static void describe_parameters(struct lower *l, struct ptx_function *kernel)
{
    struct program *program = l->program;

    program->param_bytes = kernel->param_bytes;
    program->param_count = kernel->param_count;
    program->param_offset = loader_alloc(l->loader, kernel->param_count, sizeof(uint32_t));
    program->param_size = loader_alloc(l->loader, kernel->param_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        program->param_offset[i] = (uint32_t)kernel->params[i]->address;
        program->param_size[i] = (uint32_t)kernel->params[i]->bytes;
    }
}

struct program *program_lower(struct loader *loader, struct ptx_module *module, struct ptx_function *kernel)
{
    struct lower *l = loader_alloc(loader, 1, sizeof *l);
    struct program *program = loader_alloc(loader, 1, sizeof *program);
    struct instance instance = {.function = kernel};
    const uint32_t *limit = kernel->required_threads[0] != 0 ? kernel->required_threads : kernel->max_threads;
    uint64_t most = (uint64_t)limit[0] * limit[1] * limit[2];

    *l = (struct lower){
        .loader = loader, .module = module, .program = program, .guard = NO_REG, .outline = -1};
    program->name = kernel->name;
    program->ptx_version = module->version;
    program->target = module->target;
    memcpy(program->required_threads, kernel->required_threads, sizeof program->required_threads);
    program->max_threads = most == 0 || most > 1024 ? 1024 : (uint32_t)most;
    describe_parameters(l, kernel);
    place_shared(l, kernel);
    lower_body(l, &instance);
    l->current = NULL;
    l->guard = NO_REG;
    emit(l, OP_exit, "");
    lower_outlines(l);
    watch_registers(l);
    forward_constants(l);
    allocate_registers(l);
    finish_program(l);
    return program;
}
