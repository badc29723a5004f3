/* SPDX-License-Identifier: MIT */
/* allocate.c: virtual registers to slots of the register file.
 *
 * PTX names a register per value; few live at once.  Liveness is found per
 * thread: lanes of a warp that took another path keep their own columns of a
 * slot, so divergence needs no care.  Then a linear scan gives out slots, each
 * size class from its own pool.
 */
#include <string.h>

#include "lower.h"

struct block {
    uint32_t first, last;           /* positions in ir */
    uint32_t next, taken;           /* successors, UINT32_MAX: none */
    uint32_t targets, target_count; /* of brx */
    uint64_t *in, *out, *use, *def;
};

struct interval {
    uint32_t start, end, vreg;
};

struct allocator {
    struct lower *l;
    struct block *blocks;
    uint32_t block_count;
    uint32_t *block_at; /* block of each position */
    uint32_t *dense;    /* of each vreg: its bit, UINT32_MAX: local to a block */
    uint32_t *sparse;   /* the register of each bit */
    uint32_t dense_count, words;
    struct interval *intervals;
};

static bool ends_block(uint16_t op)
{
    return op == OP_bra || op == OP_brx || op == OP_exit || op == OP_trap || op == OP_return;
}

static void find_blocks(struct allocator *a)
{
    struct lower *l = a->l;
    bool *leader = loader_alloc(l->loader, l->ir_count + 1, 1);

    leader[0] = true;
    for (uint32_t i = 0; i < l->label_count; i++)
        if (l->labels[i] != UINT32_MAX)
            leader[l->labels[i]] = true;
    for (uint32_t i = 0; i < l->ir_count; i++)
        if (!l->ir[i].removed && ends_block(l->ir[i].in.op))
            leader[i + 1] = true;
    a->block_at = loader_alloc(l->loader, l->ir_count, sizeof *a->block_at);
    for (uint32_t i = 0; i < l->ir_count; i++) {
        if (leader[i])
            LOADER_APPEND(l->loader, a->blocks, a->block_count)->first = i;
        a->block_at[i] = a->block_count - 1;
        a->blocks[a->block_count - 1].last = i;
    }
}

static void find_successors(struct allocator *a)
{
    struct lower *l = a->l;

    for (uint32_t i = 0; i < a->block_count; i++) {
        struct block *block = &a->blocks[i];
        uint32_t last = block->last;
        while (last > block->first && l->ir[last].removed)
            last--;
        const struct insn *in = &l->ir[last].in;
        bool removed = l->ir[last].removed, guarded = in->aux & BRANCH_GUARDED;
        block->taken = UINT32_MAX;
        block->next = i + 1 < a->block_count ? i + 1 : UINT32_MAX;
        if (removed || !ends_block(in->op))
            continue;
        if (in->op == OP_bra)
            block->taken = a->block_at[l->labels[in->imm]];
        if (in->op == OP_brx) {
            block->targets = (uint32_t)in->imm;
            block->target_count = in->o[1];
        }
        if (in->op == OP_brx || in->op == OP_trap || in->op == OP_return || !guarded)
            block->next = UINT32_MAX;
    }
}

/* Registers seen in one block only, and written there before anything else,
 * need no bit. */
static void number_globals(struct allocator *a)
{
    struct lower *l = a->l;
    uint32_t *seen = loader_alloc(l->loader, l->vreg_count, sizeof *seen);

    a->dense = loader_alloc(l->loader, l->vreg_count, sizeof *a->dense);
    memset(a->dense, 0xff, l->vreg_count * sizeof *a->dense);
    for (uint32_t i = 0; i < l->ir_count; i++) {
        const struct ir *ir = &l->ir[i];
        for (uint32_t j = 0; !ir->removed && j < ir->operands; j++) {
            /* What is read comes first: a += b reads a before it is written. */
            uint32_t k = j + ir->defs < ir->operands ? j + ir->defs : j + ir->defs - ir->operands;
            uint32_t reg = ir->in.o[k], block = a->block_at[i] + 1;
            if (reg & FIXED || a->dense[reg] != UINT32_MAX || l->vregs[reg].temporary)
                continue;
            bool writes = k < ir->defs && !ir->guarded;
            if (seen[reg] == 0 ? !writes : seen[reg] != block)
                *LOADER_APPEND(l->loader, a->sparse, a->dense_count) = reg,
                                                     a->dense[reg] = a->dense_count - 1;
            seen[reg] = block;
        }
    }
    a->words = (a->dense_count + 63) / 64;
}

static void find_uses(struct allocator *a)
{
    struct lower *l = a->l;

    for (uint32_t b = 0; b < a->block_count; b++) {
        struct block *block = &a->blocks[b];
        uint64_t *sets = loader_alloc(l->loader, (size_t)a->words * 4, sizeof *sets);
        block->in = sets;
        block->out = sets + a->words;
        block->use = sets + 2 * (size_t)a->words;
        block->def = sets + 3 * (size_t)a->words;
        for (uint32_t i = block->first; i <= block->last; i++) {
            const struct ir *ir = &l->ir[i];
            for (uint32_t j = ir->removed ? ir->operands : ir->defs; j < ir->operands; j++) {
                uint32_t bit = ir->in.o[j] & FIXED ? UINT32_MAX : a->dense[ir->in.o[j]];
                if (bit != UINT32_MAX && (block->def[bit / 64] >> bit % 64 & 1) == 0)
                    block->use[bit / 64] |= (uint64_t)1 << bit % 64;
            }
            for (uint32_t j = 0; !ir->removed && !ir->guarded && j < ir->defs; j++) {
                uint32_t bit = ir->in.o[j] & FIXED ? UINT32_MAX : a->dense[ir->in.o[j]];
                if (bit != UINT32_MAX)
                    block->def[bit / 64] |= (uint64_t)1 << bit % 64;
            }
        }
    }
}

static void add_successor(struct allocator *a, struct block *block, uint32_t successor)
{
    for (uint32_t i = 0; successor != UINT32_MAX && i < a->words; i++)
        block->out[i] |= a->blocks[successor].in[i];
}

static void find_liveness(struct allocator *a)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = a->block_count; b-- > 0;) {
            struct block *block = &a->blocks[b];
            add_successor(a, block, block->next);
            add_successor(a, block, block->taken);
            for (uint32_t i = 0; i < block->target_count; i++)
                add_successor(a, block, a->block_at[a->l->labels[a->l->targets[block->targets + i]]]);
            for (uint32_t i = 0; i < a->words; i++) {
                uint64_t in = block->use[i] | (block->out[i] & ~block->def[i]);
                changed |= in != block->in[i];
                block->in[i] = in;
            }
        }
    }
}

static void extend(struct interval *interval, uint32_t position)
{
    if (position < interval->start)
        interval->start = position;
    if (position > interval->end || interval->end == UINT32_MAX)
        interval->end = position;
}

static void extend_all(struct allocator *a, const uint64_t *set, uint32_t position)
{
    for (uint32_t i = 0; i < a->words; i++)
        for (uint64_t bits = set[i]; bits != 0; bits &= bits - 1)
            extend(&a->intervals[a->sparse[i * 64 + (uint32_t)__builtin_ctzll(bits)]], position);
}

static void find_intervals(struct allocator *a)
{
    struct lower *l = a->l;

    a->intervals = loader_alloc(l->loader, l->vreg_count, sizeof *a->intervals);
    for (uint32_t i = 0; i < l->vreg_count; i++)
        a->intervals[i] = (struct interval){UINT32_MAX, UINT32_MAX, i};
    for (uint32_t i = 0; i < l->ir_count; i++)
        for (uint32_t j = 0; !l->ir[i].removed && j < l->ir[i].operands; j++)
            if ((l->ir[i].in.o[j] & FIXED) == 0)
                extend(&a->intervals[l->ir[i].in.o[j]], i);
    for (uint32_t b = 0; b < a->block_count; b++) {
        extend_all(a, a->blocks[b].in, a->blocks[b].first);
        extend_all(a, a->blocks[b].out, a->blocks[b].last);
    }
}

/* Order by start: a counting sort over positions. */
static uint32_t *sorted(struct allocator *a, uint32_t *count)
{
    struct lower *l = a->l;
    uint32_t *at = loader_alloc(l->loader, l->ir_count + 1, sizeof *at);
    uint32_t *order = loader_alloc(l->loader, l->vreg_count, sizeof *order);

    for (uint32_t i = 0; i < l->vreg_count; i++)
        if (a->intervals[i].start != UINT32_MAX)
            at[a->intervals[i].start + 1]++;
    for (uint32_t i = 0; i < l->ir_count; i++)
        at[i + 1] += at[i];
    *count = at[l->ir_count];
    for (uint32_t i = 0; i < l->vreg_count; i++)
        if (a->intervals[i].start != UINT32_MAX)
            order[at[a->intervals[i].start]++] = i;
    return order;
}

struct pool {
    uint32_t *free; /* stack of free slots */
    uint32_t free_count, slots;
};

/* A function that is called has slots of its own. */
static void begin_outlines(struct lower *l, struct pool *pools, uint32_t position, uint32_t *outline)
{
    for (; *outline < l->outline_count && l->outlines[*outline].first_ir <= position; ++*outline) {
        for (int class = 0; class < CLASS_COUNT; class ++) {
            l->outlines[*outline].slots[class] = pools[class].slots;
            pools[class].free_count = 0;
        }
    }
}

/* Gives slot numbers; what ends where another begins shares its slot, since
 * executors read a lane before they write it. */
static void scan(struct allocator *a, struct pool *pools, uint32_t *slot)
{
    struct lower *l = a->l;
    uint32_t count, *order = sorted(a, &count);
    uint32_t *ending = loader_alloc(l->loader, l->ir_count + 1, sizeof *ending); /* list heads */
    uint32_t *next = loader_alloc(l->loader, l->vreg_count, sizeof *next);
    uint32_t done = 0, outline = 0;

    for (int class = 0; class < CLASS_COUNT; class ++)
        pools[class].free = loader_alloc(l->loader, l->vreg_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t reg = order[i];
        const struct interval *interval = &a->intervals[reg];
        for (; done <= interval->start; done++) {
            for (uint32_t entry = ending[done]; entry != 0; entry = next[entry - 1]) {
                struct pool *pool = &pools[l->vregs[entry - 1].class];
                pool->free[pool->free_count++] = slot[entry - 1];
            }
            begin_outlines(l, pools, done, &outline);
        }
        struct pool *pool = &pools[l->vregs[reg].class];
        slot[reg] = pool->free_count > 0 ? pool->free[--pool->free_count] : pool->slots++;
        /* A value that is never read must outlive its own instruction. */
        uint32_t end = interval->end > interval->start ? interval->end : interval->end + 1;
        next[reg] = ending[end];
        ending[end] = reg + 1;
    }
    begin_outlines(l, pools, UINT32_MAX, &outline);
}

static const uint32_t slot_bytes[] = {4, 64, 128, 256};

/* The frames of the functions that are called, now that slots are known. */
static void place_frames(struct lower *l, const struct pool *pools, const uint32_t *base)
{
    static const uint32_t lane_bytes[] = {4, 2, 4, 8};
    struct program *program = l->program;

    program->frames = loader_alloc(l->loader, l->outline_count, sizeof *program->frames);
    program->frame_count = l->outline_count;
    for (uint32_t i = 0; i < l->outline_count; i++) {
        struct outline *outline = &l->outlines[i];
        struct frame *frame = &outline->frame;
        frame->name = outline->function->name;
        frame->entry = l->labels[outline->entry_label];
        frame->local_bytes = (frame->local_bytes + 7) & ~7u;
        frame->bytes = frame->local_bytes + FRAME_HEAD;
        for (int class = 0; class < CLASS_COUNT; class ++) {
            uint32_t end = i + 1 < l->outline_count ? outline[1].slots[class] : pools[class].slots;
            frame->first[class] = base[class] + outline->slots[class] * slot_bytes[class];
            frame->count[class] = end - outline->slots[class];
            frame->bytes += frame->count[class] * lane_bytes[class];
        }
        frame->bytes = (frame->bytes + 15) & ~15u;
        program->frames[i] = *frame;
    }
}

static uint32_t align64(uint32_t bytes)
{
    return (bytes + 63) & ~63u;
}

static struct allocator *liveness(struct lower *l)
{
    struct allocator *a = loader_alloc(l->loader, 1, sizeof *a);

    a->l = l;
    find_blocks(a);
    find_successors(a);
    number_globals(a);
    find_uses(a);
    find_liveness(a);
    return a;
}

bool *registers_read_first(struct lower *l)
{
    const struct allocator *a = liveness(l);
    bool *found = loader_alloc(l->loader, l->vreg_count, sizeof *found);

    for (uint32_t entry = 0; entry <= l->outline_count; entry++) {
        uint32_t at = entry == 0 ? 0 : l->labels[l->outlines[entry - 1].entry_label];
        const struct block *block = &a->blocks[a->block_at[at]];
        for (uint32_t i = 0; i < a->dense_count; i++)
            if (block->in[i / 64] >> i % 64 & 1)
                found[a->sparse[i]] = true;
    }
    return found;
}

void allocate_registers(struct lower *l)
{
    struct allocator *a = liveness(l);
    struct pool pools[CLASS_COUNT] = {0};
    uint32_t *slot = loader_alloc(l->loader, l->vreg_count, sizeof *slot), base[CLASS_COUNT], bytes = 0;

    find_intervals(a);
    scan(a, pools, slot);
    for (int class = 0; class < CLASS_COUNT; class ++) {
        base[class] = bytes;
        bytes = align64(bytes + pools[class].slots * slot_bytes[class]);
    }
    for (uint32_t i = 0; i < l->fixed_count; i++) {
        l->fixed[i].offset = bytes;
        if (l->fixed[i].kind == FIXED_STACK)
            l->program->stack_slot = bytes;
        if (l->fixed[i].kind == FIXED_TRANSFER && l->fixed[i].value == TRANSFER_FRAME)
            l->program->frame_slot = bytes;
        bytes = align64(bytes + l->fixed[i].bytes * LANES + (l->fixed[i].bytes == 0 ? 4 : 0));
    }
    for (uint32_t i = 0; i < l->ir_count; i++) {
        struct ir *ir = &l->ir[i];
        for (uint32_t j = 0; !ir->removed && j < ir->operands; j++) {
            uint32_t reg = ir->in.o[j];
            uint32_t class = reg & FIXED ? 0 : l->vregs[reg].class;
            ir->in.o[j] =
                reg & FIXED ? l->fixed[reg & ~FIXED].offset : base[class] + slot[reg] * slot_bytes[class];
        }
    }
    place_frames(l, pools, base);
    /* Unused operands are at offset 0, where some executors look. */
    l->program->file_bytes = bytes < 256 ? 256 : bytes;
    l->program->registers = pools[CLASS_W].slots + 2 * pools[CLASS_X].slots + pools[CLASS_H].slots;
}
