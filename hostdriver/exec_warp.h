/* SPDX-License-Identifier: MIT */
/* exec_warp.h: warp-wide instructions, predicates, and odd register moves. */

/* All living lanes that the instruction names must be here.  If some are not
 * yet, these wait for them: *next says where to go on. */
static bool lanes_gathered(struct warp *warp, const struct insn *in, u32 operand, const struct insn **next)
{
    u32 pc = (u32)(in - warp->code), named = 0, mask = warp->mask, others = 0;
    const u32 *members = SLOT(u32, operand);

    EACH_LANE named |= mask & lane_bit[lane] ? members[lane] : 0;
    named &= warp->alive;
    if ((named & ~mask) == 0)
        return true;
    for (u32 i = 0; i < warp->group_count; i++)
        if (warp->group[i].pc == pc && warp->group[i].state != GROUP_BARRIER)
            others |= warp->group[i].mask;
    if ((named & ~(mask | others)) == 0) {
        set_mask(warp, mask | take_groups(warp, pc));
        warp->next_pc = lowest_ready(warp, false);
        return true;
    }
    park(warp, pc, mask, GROUP_SYNC, 0);
    warp->rotated = 0;
    *next = reschedule(warp);
    return false;
}

/* ISOMAT_HOST_CHECK=sync: each lane is in the mask it gives, and all in one mask give the same. */
static bool members_agree(struct warp *warp, const struct insn *in, u32 operand)
{
    const u32 *members = SLOT(u32, operand);

    if ((warp->block->launch->checks & CHECK_SYNC) == 0)
        return true;
    for (u32 rest = warp->mask; rest != 0; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctz(rest), named = members[lane];
        bool good = named & lane_bit[lane];
        for (u32 others = named & warp->mask; others != 0; others &= others - 1)
            good &= members[__builtin_ctz(others)] == named;
        if (!good) {
            fault(warp, in, FAULT_MEMBERS, lane);
            return false;
        }
    }
    return true;
}

#define GATHER(operand)                                                                                      \
    const struct insn *next;                                                                                 \
    if (!lanes_gathered(warp, in, (operand), &next))                                                         \
        return next;                                                                                         \
    if (!members_agree(warp, in, (operand)))                                                                 \
    return NULL

/* Those of the lanes whose masks are that of the first. */
static u32 one_set(const u32 *members, u32 lanes)
{
    u32 wanted = members[__builtin_ctz(lanes)], set = 0;

    EACH_LANE set |= members[lane] == wanted ? lane_bit[lane] : 0;
    return set & lanes;
}

/* Lanes that run together may have come in several sets, tiles of a warp say: each by itself. */
#define EACH_SET(set, members)                                                                               \
    for (u32 rest_ = warp->mask, set; rest_ != 0 && (set = one_set((members), rest_)) != 0; rest_ &= ~set)

EXECUTOR(exec_warp_sync)
{
    GATHER(in->o[0]);
    return in + 1;
}

/* o: result, in-range predicate, value, b, c, members; aux: mode */
EXECUTOR(exec_shfl)
{
    GATHER(in->o[5]);
    u32 *d = SLOT(u32, in->o[0]), *p = &PRED(in->o[1]), mask = warp->mask, inside = 0;
    const u32 *b = SLOT(u32, in->o[3]), *c = SLOT(u32, in->o[4]), *members = SLOT(u32, in->o[5]);
    bool checked = warp->block->launch->checks & CHECK_SYNC;
    u32 a[LANES];

    memcpy(a, SLOT(u32, in->o[2]), sizeof a);
    for (u32 lane = 0; lane < LANES; lane++) {
        u32 clamp = c[lane] & 31, segment = c[lane] >> 8 & 31, offset = b[lane] & 31;
        u32 first = lane & segment, last = first | (clamp & ~segment), from;
        bool in_range;
        switch (in->aux) {
        case SHFL_UP:
            from = lane - offset;
            in_range = (s32)from >= (s32)last;
            break;
        case SHFL_DOWN:
            from = lane + offset;
            in_range = from <= last;
            break;
        case SHFL_BFLY:
            from = lane ^ offset;
            in_range = from <= last;
            break;
        default:
            from = first | (offset & ~segment);
            in_range = from <= last;
            break;
        }
        inside |= in_range ? lane_bit[lane] : 0;
        if (checked && in_range && (mask & lane_bit[lane]) != 0 &&
            (members[lane] & mask & lane_bit[from & 31]) == 0)
            return fault(warp, in, FAULT_SOURCE, lane);
        u32 value = a[in_range ? from & 31 : lane];
        d[lane] = mask & lane_bit[lane] ? value : d[lane];
    }
    *p = (*p & ~mask) | (inside & mask);
    return in + 1;
}

/* o: result, source predicate, members; aux: mode, VOTE_NEGATED */
EXECUTOR(exec_vote)
{
    GATHER(in->o[2]);
    u32 source = PRED(in->o[1]), *d = &PRED(in->o[0]), result = 0;

    source = in->aux & VOTE_NEGATED ? ~source : source;
    EACH_SET(set, SLOT(u32, in->o[2]))
    {
        u32 bits = source & set, mode = in->aux & ~VOTE_NEGATED;
        bool all = bits == set, value = mode == VOTE_ALL   ? all
                                        : mode == VOTE_ANY ? bits != 0
                                                           : all || bits == 0;
        result |= value ? set : 0;
    }
    *d = (*d & ~warp->mask) | result;
    return in + 1;
}

static inline void broadcast(struct warp *warp, u32 operand, u32 value, u32 mask)
{
    u32 *d = SLOT(u32, operand);

    EACH_LANE d[lane] = mask & lane_bit[lane] ? value : d[lane];
}

EXECUTOR(exec_ballot)
{
    GATHER(in->o[2]);
    u32 bits = PRED(in->o[1]), members[LANES];

    /* The result may take the place of the masks. */
    memcpy(members, SLOT(u32, in->o[2]), sizeof members);
    bits = (in->aux & VOTE_NEGATED ? ~bits : bits) & warp->mask;
    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        SLOT(u32, in->o[0])[lane] = bits & members[lane];
    }
    return in + 1;
}

EXECUTOR(exec_activemask)
{
    broadcast(warp, in->o[0], warp->mask, warp->mask);
    return in + 1;
}

/* The lanes of the set with the lane's value. */
static u32 matching(struct warp *warp, u32 operand, u32 log_class, u32 lane, u32 set)
{
    u64 value = read_slot(warp, operand, log_class, lane);
    u32 same = 0;

    for (u32 lanes = set; lanes != 0; lanes &= lanes - 1)
        if (read_slot(warp, operand, log_class, (u32)__builtin_ctz(lanes)) == value)
            same |= lanes & (0 - lanes);
    return same;
}

/* o: result, value, members; aux: log2 of the value's bytes */
EXECUTOR(exec_match_any)
{
    GATHER(in->o[2]);
    u32 result[LANES];

    EACH_SET(set, SLOT(u32, in->o[2]))
    for (u32 lanes = set; lanes != 0; lanes &= lanes - 1)
        result[__builtin_ctz(lanes)] = matching(warp, in->o[1], in->aux, (u32)__builtin_ctz(lanes), set);
    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1)
        SLOT(u32, in->o[0])[__builtin_ctz(lanes)] = result[__builtin_ctz(lanes)];
    return in + 1;
}

/* o: result, predicate, value, members */
EXECUTOR(exec_match_all)
{
    GATHER(in->o[3]);
    u32 *p = &PRED(in->o[1]), agree = 0, result[LANES];

    EACH_SET(set, SLOT(u32, in->o[3]))
    {
        bool all = matching(warp, in->o[2], in->aux, (u32)__builtin_ctz(set), set) == set;
        agree |= all ? set : 0;
        for (u32 lanes = set; lanes != 0; lanes &= lanes - 1)
            result[__builtin_ctz(lanes)] = all ? set : 0;
    }
    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1)
        SLOT(u32, in->o[0])[__builtin_ctz(lanes)] = result[__builtin_ctz(lanes)];
    *p = (*p & ~warp->mask) | agree;
    return in + 1;
}

/* o: result, predicate, members */
EXECUTOR(exec_elect)
{
    GATHER(in->o[2]);
    u32 *p = &PRED(in->o[1]), chosen = 0, members[LANES];

    memcpy(members, SLOT(u32, in->o[2]), sizeof members);
    EACH_SET(set, members)
    {
        chosen |= set & (0 - set);
        broadcast(warp, in->o[0], (u32)__builtin_ctz(set), set);
    }
    *p = (*p & ~warp->mask) | chosen;
    return in + 1;
}

static u32 reduced(const u32 *a, u32 lanes, enum atomic_operation operation)
{
    bool is_signed = operation == ATOM_MIN_S || operation == ATOM_MAX_S;
    u32 result = a[__builtin_ctz(lanes)];

    while ((lanes &= lanes - 1) != 0) {
        u32 value = a[__builtin_ctz(lanes)];
        result = is_signed ? (u32)atomic_result(operation, (u64)(s32)result, (u64)(s32)value)
                           : (u32)atomic_result(operation, result, value);
    }
    return result;
}

/* o: result, value, members; aux: enum atomic_operation */
EXECUTOR(exec_redux)
{
    GATHER(in->o[2]);
    u32 a[LANES], members[LANES];

    memcpy(a, SLOT(u32, in->o[1]), sizeof a);
    memcpy(members, SLOT(u32, in->o[2]), sizeof members);
    EACH_SET(set, members)
    broadcast(warp, in->o[0], reduced(a, set, (enum atomic_operation)in->aux), set);
    return in + 1;
}

#define DEFINE_SELECT(T, bits)                                                                               \
    EXECUTOR(exec_select_##bits)                                                                             \
    {                                                                                                        \
        T *d = SLOT(T, in->o[0]);                                                                            \
        const T *a = SLOT(T, in->o[1]), *b = SLOT(T, in->o[2]);                                              \
        u32 chosen = PRED(in->o[3]), mask = warp->mask;                                                      \
        if (mask == warp->alive)                                                                             \
            mask = ~0u;                                                                                      \
        EACH_LANE                                                                                            \
        {                                                                                                    \
            T value = IN_MASK(T, chosen, lane) ? a[lane] : b[lane];                                          \
            d[lane] = IN_MASK(T, mask, lane) ? value : d[lane];                                              \
        }                                                                                                    \
        return in + 1;                                                                                       \
    }
DEFINE_SELECT(u16, 16)
DEFINE_SELECT(u32, 32)
DEFINE_SELECT(u64, 64)

#define DEFINE_PRED(name, expression)                                                                        \
    EXECUTOR(exec_pred_##name)                                                                               \
    {                                                                                                        \
        u32 a = PRED(in->o[1]), b = PRED(in->o[2]), *d = &PRED(in->o[0]);                                    \
        (void)b;                                                                                             \
        *d = (*d & ~warp->mask) | ((expression)&warp->mask);                                                 \
        return in + 1;                                                                                       \
    }
DEFINE_PRED(and, a &b)
DEFINE_PRED(or, a | b)
DEFINE_PRED(xor, a ^ b)
DEFINE_PRED(not, ~a)
DEFINE_PRED(copy, a)
DEFINE_PRED(andn, b & ~a)

/* o: result, carry out, a, b, carry in.  A borrow is a carry. */
#define DEFINE_CARRY(T, name, sum, out)                                                                      \
    EXECUTOR(exec_carry_##name)                                                                              \
    {                                                                                                        \
        T *d = SLOT(T, in->o[0]);                                                                            \
        const T *pa = SLOT(T, in->o[2]), *pb = SLOT(T, in->o[3]);                                            \
        u32 carry = PRED(in->o[4]), bits = 0, mask = warp->mask;                                             \
        for (u32 lane = 0; lane < LANES; lane++) {                                                           \
            T a = pa[lane], b = pb[lane], c = carry >> lane & 1;                                             \
            T value = (sum);                                                                                 \
            bits |= (out) ? lane_bit[lane] : 0;                                                              \
            d[lane] = IN_MASK(T, mask, lane) ? value : d[lane];                                              \
        }                                                                                                    \
        PRED(in->o[1]) = (PRED(in->o[1]) & ~mask) | (bits & mask);                                           \
        return in + 1;                                                                                       \
    }
DEFINE_CARRY(u32, add_32, a + b + c, value < a || (c && value == a))
DEFINE_CARRY(u64, add_64, a + b + c, value < a || (c && value == a))
DEFINE_CARRY(u32, sub_32, a - b - c, a < b || (c && a == b))
DEFINE_CARRY(u64, sub_64, a - b - c, a < b || (c && a == b))

/* aux: the truth table */
EXECUTOR(exec_lop3)
{
    u32 *d = SLOT(u32, in->o[0]), mask = warp->mask, table = in->aux;
    const u32 *pa = SLOT(u32, in->o[1]), *pb = SLOT(u32, in->o[2]), *pc = SLOT(u32, in->o[3]);
    u32 m[8];

    for (u32 i = 0; i < 8; i++)
        m[i] = 0 - (table >> i & 1);
    EACH_LANE
    {
        u32 a = pa[lane], b = pb[lane], c = pc[lane];
        u32 value = (m[0] & ~a & ~b & ~c) | (m[1] & ~a & ~b & c) | (m[2] & ~a & b & ~c) |
                    (m[3] & ~a & b & c) | (m[4] & a & ~b & ~c) | (m[5] & a & ~b & c) | (m[6] & a & b & ~c) |
                    (m[7] & a & b & c);
        d[lane] = mask & lane_bit[lane] ? value : d[lane];
    }
    return in + 1;
}

/* o: result, field, base, position, length */
#define DEFINE_BFI(T, bits)                                                                                  \
    EXECUTOR(exec_bfi_##bits)                                                                                \
    {                                                                                                        \
        T *d = SLOT(T, in->o[0]);                                                                            \
        const T *a = SLOT(T, in->o[1]), *b = SLOT(T, in->o[2]);                                              \
        const u32 *c = SLOT(u32, in->o[3]), *e = SLOT(u32, in->o[4]);                                        \
        for (u32 lane = 0; lane < LANES; lane++) {                                                           \
            u32 position = c[lane] & 255, length = e[lane] & 255;                                            \
            T ones = length >= bits ? (T)-1 : (T)(((T)1 << (length & (bits - 1))) - 1);                      \
            T field = position >= bits ? 0 : (T)(ones << (position & (bits - 1)));                           \
            T moved = position >= bits ? 0 : (T)(a[lane] << (position & (bits - 1)));                        \
            if (warp->mask & lane_bit[lane])                                                                 \
                d[lane] = (b[lane] & ~field) | (moved & field);                                              \
        }                                                                                                    \
        return in + 1;                                                                                       \
    }
DEFINE_BFI(u32, 32)
DEFINE_BFI(u64, 64)
