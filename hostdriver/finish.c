/* SPDX-License-Identifier: MIT */
/* finish.c: small improvements around register allocation, and the layout. */
#include <string.h>

#include "lower.h"

static bool is_copy(uint16_t op)
{
    return op == OP_copy_16 || op == OP_copy_32 || op == OP_copy_64 || op == OP_pred_copy;
}

static uint32_t *count_definitions(struct lower *l, bool uses)
{
    uint32_t *counts = loader_alloc(l->loader, l->vreg_count, sizeof *counts);

    for (uint32_t i = 0; i < l->ir_count; i++) {
        const struct ir *ir = &l->ir[i];
        for (uint32_t j = uses ? ir->defs : 0; !ir->removed && j < (uses ? ir->operands : ir->defs); j++)
            if ((ir->in.o[j] & FIXED) == 0)
                counts[ir->in.o[j]]++;
    }
    return counts;
}

static bool is_constant(const struct lower *l, uint32_t reg)
{
    return (reg & FIXED) != 0 && l->fixed[reg & ~FIXED].kind < FIXED_TRANSFER;
}

/* op temp; copy d, temp  becomes  op d. */
static void merge_copies(struct lower *l)
{
    uint32_t *uses = count_definitions(l, true);

    for (uint32_t i = 1; i < l->ir_count; i++) {
        struct ir *copy = &l->ir[i];
        if (copy->removed || !is_copy(copy->in.op))
            continue;
        uint32_t step = copy->guarded ? 2 : 1, from = copy->in.o[1];
        if (i < step || from & FIXED || !l->vregs[from].temporary ||
            uses[from] != (copy->in.op == OP_pred_copy ? 2u : 1u))
            continue;
        struct ir *before = &l->ir[i - step];
        if (before->removed || before->defs == 0 || before->in.o[0] != from ||
            before->guarded != copy->guarded)
            continue;
        before->in.o[0] = copy->in.o[0];
        copy->removed = true;
        if (copy->guarded)
            l->ir[i - 1].removed = true;
    }
}

/* @p bra A; bra B; A:  becomes  @!p bra B; A: */
static void merge_branches(struct lower *l)
{
    for (uint32_t i = 0; i + 2 < l->ir_count; i++) {
        struct ir *first = &l->ir[i], *second = &l->ir[i + 1];
        if (first->in.op != OP_bra || second->in.op != OP_bra || first->removed || second->removed)
            continue;
        if ((first->in.aux & BRANCH_GUARDED) == 0 || (second->in.aux & BRANCH_GUARDED) != 0 ||
            l->labels[first->in.imm] != i + 2)
            continue;
        first->in.aux ^= BRANCH_NEGATED;
        first->in.imm = second->in.imm;
        second->removed = true;
    }
}

/* A register with one definition, a constant, is that constant. */
void forward_constants(struct lower *l)
{
    uint32_t *alias = loader_alloc(l->loader, l->vreg_count, sizeof *alias);

    merge_copies(l);
    merge_branches(l);
    uint32_t *definitions = count_definitions(l, false);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < l->ir_count; i++) {
            struct ir *ir = &l->ir[i];
            if (ir->removed)
                continue;
            for (uint32_t j = ir->defs; j < ir->operands; j++) {
                uint32_t reg = ir->in.o[j];
                if ((reg & FIXED) == 0 && alias[reg] != 0) {
                    ir->in.o[j] = alias[reg];
                    changed = true;
                }
            }
            if (is_copy(ir->in.op) && !ir->guarded && is_constant(l, ir->in.o[1]) &&
                (ir->in.o[0] & FIXED) == 0 && definitions[ir->in.o[0]] == 1) {
                alias[ir->in.o[0]] = ir->in.o[1];
                ir->removed = true;
                changed = true;
            }
        }
    }
}

/* Lanes wait at a label only if a branch comes from before it, and others can
 * run past it only if the code above falls through. */
static void drop_joins(struct lower *l)
{
    bool *forward = loader_alloc(l->loader, l->ir_count, 1);

    for (uint32_t i = 0; i < l->ir_count; i++) {
        const struct ir *ir = &l->ir[i];
        if (ir->removed)
            continue;
        if (ir->in.op == OP_bra && l->labels[ir->in.imm] > i)
            forward[l->labels[ir->in.imm]] = true;
        for (uint32_t j = 0; ir->in.op == OP_brx && j < ir->in.o[1]; j++)
            forward[l->labels[l->targets[(uint32_t)ir->in.imm + j]]] = true;
    }
    bool falls = true;
    for (uint32_t i = 0; i < l->ir_count; i++) {
        struct ir *ir = &l->ir[i];
        if (ir->removed)
            continue;
        if (ir->in.op == OP_join) {
            ir->removed = !forward[i] || !falls;
            falls = true;
        } else {
            bool leaves = ir->in.op == OP_bra || ir->in.op == OP_exit;
            falls = !(leaves && (ir->in.aux & BRANCH_GUARDED) == 0) && ir->in.op != OP_trap &&
                    ir->in.op != OP_brx && ir->in.op != OP_return;
        }
    }
}

static void mark_runs(struct program *program, const bool *guarded)
{
    for (uint32_t i = program->length; i-- > 0;) {
        struct insn *in = &program->code[i];
        if (in->op != OP_fma_f32)
            continue;
        bool more = i + 1 < program->length && in[1].op == OP_fma_f32 && !guarded[i] && in[1].aux < 60000;
        in->aux = (uint16_t)(more ? in[1].aux + 1 : 1);
    }
}

void finish_program(struct lower *l)
{
    struct program *program = l->program;
    uint32_t *map = loader_alloc(l->loader, l->ir_count + 1, sizeof *map);
    bool *guarded = loader_alloc(l->loader, l->ir_count, 1);

    drop_joins(l);
    for (uint32_t i = 0; i < l->ir_count; i++)
        map[i + 1] = map[i] + !l->ir[i].removed;
    program->length = map[l->ir_count];
    program->code = loader_alloc(l->loader, program->length, sizeof *program->code);
    program->lines = loader_alloc(l->loader, program->length, sizeof *program->lines);
    for (uint32_t i = 0; i < l->ir_count; i++) {
        struct ir *ir = &l->ir[i];
        if (ir->removed)
            continue;
        if (ir->in.op == OP_bra)
            ir->in.imm = map[l->labels[ir->in.imm]];
        program->code[map[i]] = ir->in;
        program->lines[map[i]] = ir->line;
        guarded[map[i]] = ir->guarded;
    }
    for (uint32_t i = 0; i < l->target_count; i++)
        l->targets[i] = map[l->labels[l->targets[i]]];
    for (uint32_t i = 0; i < program->frame_count; i++)
        program->frames[i].entry = map[program->frames[i].entry];
    program->targets = l->targets;
    program->fixed = l->fixed;
    program->fixed_count = l->fixed_count;
    mark_runs(program, guarded);
}
