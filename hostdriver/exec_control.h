/* SPDX-License-Identifier: MIT */
/* exec_control.h: branches, divergence, barriers, exit.
 *
 * The lanes of a warp that are at one place run together.  After a branch that
 * splits them the lowest pc runs first, so that lanes meet again where their
 * paths join; the others wait in warp->group.  A group that branches backward
 * BUDGET times while others wait gives way, or a spin lock would never end; a
 * loop that asks memory others may change (an atomic, a volatile load) is more
 * likely to spin, and gives way sooner.
 */
enum { BUDGET = 1024, SPIN_COST = 64 };

static const executor full_table[OP_COUNT];
static const executor part_table[OP_COUNT];

static inline void set_mask(struct warp *warp, u32 mask)
{
    warp->mask = mask;
    warp->table = mask == warp->alive ? full_table : part_table;
}

static const struct insn *fault(struct warp *warp, const struct insn *in, enum fault_kind kind, u32 lane)
{
    warp_fault(warp, (u32)(in - warp->code), kind, lane);
    return NULL;
}

static void park(struct warp *warp, u32 pc, u32 mask, enum group_state state, u32 barrier)
{
    struct group *group = &warp->group[warp->group_count++];

    *group = (struct group){pc, mask, (uint8_t)state, (uint8_t)barrier};
}

static inline void may_spin(struct warp *warp)
{
    warp->budget -= SPIN_COST;
}

/* Takes all groups that wait at pc out of the list. */
static u32 take_groups(struct warp *warp, u32 pc)
{
    u32 kept = 0, mask = 0;

    for (u32 i = 0; i < warp->group_count; i++) {
        struct group *group = &warp->group[i];
        if (group->pc == pc && group->state != GROUP_BARRIER)
            mask |= group->mask;
        else
            warp->group[kept++] = *group;
    }
    warp->group_count = kept;
    return mask;
}

static u32 lowest_ready(const struct warp *warp, bool first)
{
    u32 lowest = UINT32_MAX;

    for (u32 i = 0; i < warp->group_count; i++) {
        const struct group *group = &warp->group[i];
        if (group->state != GROUP_READY)
            continue;
        if (first)
            return group->pc;
        if (group->pc < lowest)
            lowest = group->pc;
    }
    return lowest;
}

/* No lanes run: chooses those that run now. */
static const struct insn *reschedule(struct warp *warp)
{
    u32 pc = lowest_ready(warp, warp->rotated);

    if (pc == UINT32_MAX) {
        warp->status = warp->group_count == 0 ? WARP_DONE : WARP_BLOCKED;
        return NULL;
    }
    set_mask(warp, take_groups(warp, pc));
    warp->next_pc = lowest_ready(warp, false);
    warp->budget = BUDGET;
    return warp->code + pc;
}

/* The running lanes come to pc: others may wait there, or should go first. */
static const struct insn *arrive_slow(struct warp *warp, u32 pc)
{
    if (warp->rotated) {
        u32 before = warp->group_count, mask = take_groups(warp, pc);
        if (warp->group_count != before) {
            warp->rotated = 0;
            park(warp, pc, warp->mask | mask, GROUP_READY, 0);
            return reschedule(warp);
        }
        return warp->code + pc;
    }
    if (pc < warp->next_pc)
        return warp->code + pc;
    park(warp, pc, warp->mask, GROUP_READY, 0);
    return reschedule(warp);
}

static inline const struct insn *arrive(struct warp *warp, u32 pc)
{
    return warp->group_count == 0 ? warp->code + pc : arrive_slow(warp, pc);
}

static const struct insn *yield_at(struct warp *warp, u32 pc)
{
    /* Groups are served in turn: the running one goes to the end. */
    warp->rotated = lowest_ready(warp, false) != UINT32_MAX;
    park(warp, pc, warp->mask, GROUP_READY, 0);
    warp->status = WARP_YIELDED;
    return NULL;
}

EXECUTOR(exec_bra)
{
    u32 mask = warp->mask, taken = mask, pc = (u32)(in - warp->code), target = (u32)in->imm;

    if (in->aux & BRANCH_GUARDED) {
        u32 bits = PRED(in->o[0]);
        taken &= in->aux & BRANCH_NEGATED ? ~bits : bits;
    }
    if (taken == 0)
        return arrive(warp, pc + 1);
    if (target <= pc && --warp->budget < 0) {
        if (taken != mask)
            park(warp, pc + 1, mask & ~taken, GROUP_READY, 0);
        warp->mask = taken;
        return yield_at(warp, target);
    }
    if (taken == mask)
        return arrive(warp, target);
    u32 low = target < pc + 1 ? taken : mask & ~taken;
    u32 low_pc = target < pc + 1 ? target : pc + 1, high_pc = target < pc + 1 ? pc + 1 : target;
    if (low_pc == high_pc)
        return arrive(warp, low_pc);
    park(warp, high_pc, mask & ~low, GROUP_READY, 0);
    if (high_pc < warp->next_pc)
        warp->next_pc = high_pc;
    set_mask(warp, low);
    return arrive_slow(warp, low_pc);
}

EXECUTOR(exec_join)
{
    /* arrive() may choose this very instruction: then step over it. */
    u32 pc = (u32)(in - warp->code);
    const struct insn *next = arrive(warp, pc);

    return next == in ? in + 1 : next;
}

EXECUTOR(exec_brx)
{
    const u32 *index = SLOT(u32, in->o[0]);
    const u32 *targets = warp->block->program->targets + in->imm;
    u32 rest = warp->mask;

    while (rest != 0) {
        u32 first = (u32)__builtin_ctz(rest), same = 0;
        if (index[first] >= in->o[1])
            return fault(warp, in, FAULT_INDEX, first);
        for (u32 lanes = rest; lanes != 0; lanes &= lanes - 1)
            if (index[__builtin_ctz(lanes)] == index[first])
                same |= lanes & (0 - lanes);
        park(warp, targets[index[first]], same, GROUP_READY, 0);
        rest &= ~same;
    }
    warp->rotated = 0;
    return reschedule(warp);
}

EXECUTOR(exec_exit)
{
    u32 leaving = warp->mask;

    if (in->aux & BRANCH_GUARDED) {
        u32 bits = PRED(in->o[0]);
        leaving &= in->aux & BRANCH_NEGATED ? ~bits : bits;
    }
    warp->alive &= ~leaving;
    warp->block->alive_threads -= (u32)__builtin_popcount(leaving);
    if (leaving != warp->mask) {
        set_mask(warp, warp->mask & ~leaving);
        return in + 1;
    }
    warp->rotated = 0;
    return reschedule(warp);
}

EXECUTOR(exec_trap)
{
    return fault(warp, in, FAULT_TRAP, (u32)__builtin_ctz(warp->mask));
}

/* Runs the next instruction in the lanes where the predicate holds. */
EXECUTOR(exec_guard)
{
    u32 bits = PRED(in->o[0]), mask = warp->mask;
    u32 lanes = mask & (in->aux & BRANCH_NEGATED ? ~bits : bits);

    if (lanes == 0)
        return in + 2;
    if (lanes == mask)
        return in + 1;
    const executor *table = warp->table;
    warp->mask = lanes;
    const struct insn *next = part_table[in[1].op](warp, in + 1);
    warp->mask = mask;
    warp->table = table;
    return next;
}

EXECUTOR(exec_yield)
{
    return yield_at(warp, (u32)(in - warp->code) + 1);
}

/* Do the lanes that wait at the barrier wait where these do? */
static bool meets(const struct warp *warp, u32 number, u32 pc)
{
    for (u32 i = 0; i < warp->group_count; i++)
        if (warp->group[i].state == GROUP_BARRIER && warp->group[i].barrier == number &&
            warp->group[i].pc != pc)
            return false;
    return true;
}

EXECUTOR(exec_bar)
{
    u32 first = (u32)__builtin_ctz(warp->mask), pc = (u32)(in - warp->code);
    u32 number = SLOT(u32, in->o[0])[first];
    u32 expected = in->aux & BAR_COUNTED ? SLOT(u32, in->o[1])[first] : 0;
    u32 bits = in->aux & BAR_REDUCES ? PRED(in->o[2]) : 0;

    if (number >= BARRIERS)
        return fault(warp, in, FAULT_BARRIER, first);
    if ((in->aux & BAR_ALIGNED) && (warp->block->launch->checks & CHECK_SYNC) && !meets(warp, number, pc + 1))
        return fault(warp, in, FAULT_DIVERGENT, first);
    if (!(in->aux & BAR_ARRIVES))
        park(warp, pc + 1, warp->mask, GROUP_BARRIER, number);
    if (!barrier_arrive(warp, number, expected, bits))
        return fault(warp, in, FAULT_BARRIER, first);
    if (in->aux & BAR_ARRIVES)
        return in + 1;
    warp->rotated = 0;
    return reschedule(warp);
}

EXECUTOR(exec_bar_count)
{
    u32 *d = SLOT(u32, in->o[0]), count = warp->block->barrier[in->aux & (BARRIERS - 1)].result_count;

    for (int lane = 0; lane < LANES; lane++)
        d[lane] = IN_MASK(u32, warp->mask, lane) ? count : d[lane];
    return in + 1;
}

static const struct insn *bar_pred(struct warp *warp, const struct insn *in, bool all)
{
    const struct barrier *barrier = &warp->block->barrier[in->aux & (BARRIERS - 1)];
    u32 *d = &PRED(in->o[0]);
    bool value = all ? barrier->result_count == barrier->result_lanes : barrier->result_count != 0;

    *d = value ? *d | warp->mask : *d & ~warp->mask;
    return in + 1;
}

EXECUTOR(exec_bar_and)
{
    return bar_pred(warp, in, true);
}

EXECUTOR(exec_bar_or)
{
    return bar_pred(warp, in, false);
}

/* Special registers that change while a warp runs. */
EXECUTOR(exec_special)
{
    u64 value = special_read((enum special)in->aux);

    if (in->o[1] == 0) {
        u32 *d = SLOT(u32, in->o[0]);
        for (int lane = 0; lane < LANES; lane++)
            d[lane] = IN_MASK(u32, warp->mask, lane) ? (u32)value : d[lane];
    } else {
        u64 *d = SLOT(u64, in->o[0]);
        for (int lane = 0; lane < LANES; lane++)
            d[lane] = IN_MASK(u64, warp->mask, lane) ? value : d[lane];
    }
    return in + 1;
}
