/* SPDX-License-Identifier: MIT */
/* lower_check.c: ISOMAT_HOST_CHECK=init for registers.
 *
 * A register that some path may read before it is written is watched: a
 * predicate beside it says in which lanes it holds a value.  Compilers move and
 * compute what is then selected away, so arithmetic hands that on; addresses,
 * conditions, what is stored and what lanes exchange stand behind an
 * OP_defined.  Other kernels stay as they are.
 */
#include "execute.h"
#include "lower.h"

struct watch {
    struct lower *l;
    uint32_t *beside; /* of each register: its predicate, or NO_REG */
    uint32_t count;   /* of registers before there were predicates */
    const struct ir *old;
    uint32_t old_count;
};

/* Executors without an effect but on their result. */
static const bool computes[OP_COUNT] = {
#define UNARY(name, pattern, D, A, expression) [OP_##name] = true,
#define BINARY(name, pattern, D, A, B, expression) [OP_##name] = true,
#define TERNARY(name, pattern, D, A, B, C, expression) [OP_##name] = true,
#define FUSED TERNARY
#define DIRECTED TERNARY
#define COMPARE(name, pattern, A, expression) [OP_##name] = true,
#define FORM(pattern, function)
#define MICRO(name)
#include "instructions.h"
    [OP_half] = true,         [OP_half2] = true,        [OP_lop3] = true,         [OP_bfi_32] = true,
    [OP_bfi_64] = true,       [OP_carry_add_32] = true, [OP_carry_add_64] = true, [OP_carry_sub_32] = true,
    [OP_carry_sub_64] = true, [OP_select_16] = true,    [OP_select_32] = true,    [OP_select_64] = true,
    [OP_pred_copy] = true,    [OP_pred_not] = true,     [OP_pred_and] = true,     [OP_pred_andn] = true,
    [OP_pred_or] = true,      [OP_pred_xor] = true,
};

static bool selects(uint16_t op)
{
    return op == OP_select_16 || op == OP_select_32 || op == OP_select_64;
}

/* Has the result a value if one of the operands has?  The other may not matter. */
static bool merges(uint16_t op)
{
    return op == OP_pack16_32 || op == OP_pack32_64 || op == OP_pred_and || op == OP_pred_andn ||
           op == OP_pred_or;
}

/* May this operand be without a value?  A byte that is stored may be an empty
 * struct, elements of a vector may be padding, and of what is shuffled only the
 * part that is taken counts. */
static bool exempt(const struct insn *in, uint32_t operand)
{
    bool vector = in->aux >> MEM_VECTOR_SHIFT & 3, byte = (in->aux >> MEM_SIZE_SHIFT & 3) == 0;

    return computes[in->op] || (in->op == OP_shfl && operand == 2) ||
           (in->op == OP_store && operand > 0 && (vector || byte));
}

/* The registers that may be read first, and those that theirs move to. */
static bool find_watched(struct watch *w)
{
    struct lower *l = w->l;
    bool *found = registers_read_first(l), any = false;

    for (uint32_t i = 0; i < l->vreg_count; i++)
        any |= found[i];
    for (bool changed = any; changed;) {
        changed = false;
        for (uint32_t i = 0; i < l->ir_count; i++) {
            const struct ir *ir = &l->ir[i];
            bool without = false;
            for (uint32_t j = ir->defs; j < ir->operands && !ir->removed && computes[ir->in.op]; j++)
                without |= (ir->in.o[j] & FIXED) == 0 && found[ir->in.o[j]];
            for (uint32_t j = 0; j < ir->defs && without; j++)
                if ((ir->in.o[j] & FIXED) == 0 && !found[ir->in.o[j]])
                    found[ir->in.o[j]] = changed = true;
        }
    }
    w->count = l->vreg_count;
    w->beside = loader_alloc(l->loader, w->count, sizeof *w->beside);
    for (uint32_t i = 0; i < w->count; i++)
        w->beside[i] = found[i] ? new_vreg(l, CLASS_P) : NO_REG;
    return any;
}

static bool watched(const struct watch *w, uint32_t reg)
{
    return (reg & FIXED) == 0 && reg < w->count && w->beside[reg] != NO_REG;
}

static uint32_t has_value(struct watch *w, uint32_t reg)
{
    return watched(w, reg) ? w->beside[reg] : fixed_value(w->l, CLASS_P, ~0u);
}

static void check_reads(struct watch *w, const struct ir *ir)
{
    for (uint32_t j = ir->defs; j < ir->operands; j++)
        if (watched(w, ir->in.o[j]) && !exempt(&ir->in, j))
            emit(w->l, OP_defined, "p", w->beside[ir->in.o[j]]);
}

/* Where what the instruction computes has a value. */
static uint32_t result_has_value(struct watch *w, const struct ir *ir)
{
    struct lower *l = w->l;
    const uint32_t *o = ir->in.o;
    uint32_t result = fixed_value(l, CLASS_P, ~0u), first = ir->defs;

    if (selects(ir->in.op)) {
        uint32_t a = new_temp(l, CLASS_P), b = new_temp(l, CLASS_P);
        emit(l, OP_pred_and, "Ppp", a, o[3], has_value(w, o[1]));
        emit(l, OP_pred_andn, "Ppp", b, o[3], has_value(w, o[2]));
        result = new_temp(l, CLASS_P);
        emit(l, OP_pred_or, "Ppp", result, a, b);
        first = 3;
    }
    for (uint32_t j = first; j < ir->operands && computes[ir->in.op]; j++) {
        uint32_t one = has_value(w, o[j]), both = new_temp(l, CLASS_P);
        bool either = merges(ir->in.op) && j > first;
        emit(l, either ? OP_pred_or : OP_pred_and, "Ppp", both, result, one);
        result = both;
    }
    return result;
}

static void note_writes(struct watch *w, const struct ir *ir)
{
    uint32_t result = NO_REG;

    for (uint32_t j = 0; j < ir->defs; j++) {
        if (!watched(w, ir->in.o[j]))
            continue;
        if (result == NO_REG)
            result = result_has_value(w, ir);
        emit(w->l, OP_pred_copy, "Ppp", w->beside[ir->in.o[j]], result, result);
    }
}

/* At the beginning of the kernel (0) or of a function that is called, none of its registers has a value. */
static void clear(struct watch *w, uint32_t first, uint32_t end)
{
    struct lower *l = w->l;
    uint32_t none = fixed_value(l, CLASS_P, 0);
    bool *seen = loader_alloc(l->loader, w->count, 1);

    for (uint32_t i = first; i < end; i++)
        for (uint32_t j = 0; !w->old[i].removed && j < w->old[i].operands; j++) {
            uint32_t reg = w->old[i].in.o[j];
            if (!watched(w, reg) || seen[reg])
                continue;
            seen[reg] = true;
            emit(l, OP_pred_copy, "Ppp", w->beside[reg], none, none);
        }
}

/* Instructions that must stay together: one with its guard or its lists. */
static uint32_t unit_end(const struct watch *w, uint32_t at)
{
    if (w->old[at].in.op == OP_guard)
        return at + 2;
    while (w->old[at].in.op == OP_args)
        at++;
    uint16_t op = w->old[at++].in.op;
    if (op == OP_matrix || op == OP_matrix_quads || op == OP_wmma_load)
        while (at < w->old_count && w->old[at].in.op == OP_args)
            at++;
    return at;
}

static void rewrite_unit(struct watch *w, uint32_t first, uint32_t end)
{
    struct lower *l = w->l;
    uint32_t begin = l->ir_count;
    bool guarded = w->old[first].in.op == OP_guard;

    if (guarded) {
        check_reads(w, &w->old[first]);
        l->guard = w->old[first].in.o[0];
        l->guard_negated = w->old[first].in.aux & BRANCH_NEGATED;
    }
    for (uint32_t i = first + guarded; i < end; i++)
        check_reads(w, &w->old[i]);
    for (uint32_t i = first; i < end; i++)
        *LOADER_APPEND(l->loader, l->ir, l->ir_count) = w->old[i];
    for (uint32_t i = first + guarded; i < end; i++)
        note_writes(w, &w->old[i]);
    l->guard = NO_REG;
    for (uint32_t i = begin; i < l->ir_count; i++)
        l->ir[i].line = w->old[first].line;
}

void watch_registers(struct lower *l)
{
    struct watch w = {.l = l};

    if ((l->loader->checks & CHECK_INIT) == 0 || !find_watched(&w))
        return;
    uint32_t *map = loader_alloc(l->loader, l->ir_count, sizeof *map), outline = 0;
    w.old = l->ir;
    w.old_count = l->ir_count;
    l->ir = NULL;
    l->ir_count = 0;
    clear(&w, 0, l->outline_count > 0 ? l->outlines[0].first_ir : w.old_count);
    for (uint32_t i = 0, end; i < w.old_count; i = end) {
        end = i + 1;
        map[i] = l->ir_count;
        if (w.old[i].removed)
            continue;
        end = unit_end(&w, i);
        rewrite_unit(&w, i, end);
        if (outline < l->outline_count && l->outlines[outline].first_ir == i) {
            outline++;
            clear(&w, i, outline < l->outline_count ? l->outlines[outline].first_ir : w.old_count);
        }
    }
    for (uint32_t i = 0; i < l->label_count; i++)
        l->labels[i] = l->labels[i] != UINT32_MAX ? map[l->labels[i]] : UINT32_MAX;
    for (uint32_t i = 0; i < l->outline_count; i++)
        l->outlines[i].first_ir = map[l->outlines[i].first_ir];
}
