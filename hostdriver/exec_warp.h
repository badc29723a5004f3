/* SPDX-License-Identifier: MIT */
/* exec_warp.h: warp-wide instructions, predicates, and odd register moves. */

/* All living lanes that the instruction names must be here.  If some are not
 * yet, these wait for them: *next says where to go on. */
static bool lanes_gathered(struct warp *warp, const struct insn *in, u32 operand, const struct insn **next)
{
    u32 pc = (u32)(in - warp->code);
    u32 named = SLOT(u32, operand)[__builtin_ctz(warp->mask)] & warp->alive;

    if ((named & ~warp->mask) == 0)
        return true;
    u32 others = 0;
    for (u32 i = 0; i < warp->group_count; i++)
        if (warp->group[i].pc == pc && warp->group[i].state != GROUP_BARRIER)
            others |= warp->group[i].mask;
    if ((named & ~(warp->mask | others)) == 0) {
        set_mask(warp, warp->mask | take_groups(warp, pc));
        warp->next_pc = lowest_ready(warp, false);
        return true;
    }
    park(warp, pc, warp->mask, GROUP_SYNC, 0);
    warp->rotated = 0;
    *next = reschedule(warp);
    return false;
}

#define GATHER(operand)                                                                                      \
    const struct insn *next;                                                                                 \
    if (!lanes_gathered(warp, in, (operand), &next))                                                         \
    return next

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
    const u32 *b = SLOT(u32, in->o[3]), *c = SLOT(u32, in->o[4]);
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
    u32 bits = PRED(in->o[1]), *d = &PRED(in->o[0]), mask = warp->mask;
    bool value;

    bits = (in->aux & VOTE_NEGATED ? ~bits : bits) & mask;
    switch (in->aux & ~VOTE_NEGATED) {
    case VOTE_ALL:
        value = bits == mask;
        break;
    case VOTE_ANY:
        value = bits != 0;
        break;
    default:
        value = bits == mask || bits == 0;
        break;
    }
    *d = value ? *d | mask : *d & ~mask;
    return in + 1;
}

static inline void broadcast(struct warp *warp, u32 operand, u32 value)
{
    u32 *d = SLOT(u32, operand), mask = warp->mask;

    EACH_LANE d[lane] = mask & lane_bit[lane] ? value : d[lane];
}

EXECUTOR(exec_ballot)
{
    GATHER(in->o[2]);
    u32 bits = PRED(in->o[1]);

    broadcast(warp, in->o[0], (in->aux & VOTE_NEGATED ? ~bits : bits) & warp->mask);
    return in + 1;
}

EXECUTOR(exec_activemask)
{
    broadcast(warp, in->o[0], warp->mask);
    return in + 1;
}

static u32 matching(struct warp *warp, u32 operand, u32 log_class, u32 lane)
{
    u64 value = read_slot(warp, operand, log_class, lane);
    u32 same = 0;

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1)
        if (read_slot(warp, operand, log_class, (u32)__builtin_ctz(lanes)) == value)
            same |= lanes & (0 - lanes);
    return same;
}

/* o: result, value, members; aux: log2 of the value's bytes */
EXECUTOR(exec_match_any)
{
    GATHER(in->o[2]);
    u32 result[LANES];

    for (u32 lane = 0; lane < LANES; lane++)
        result[lane] = matching(warp, in->o[1], in->aux, lane);
    for (u32 lane = 0; lane < LANES; lane++)
        if (warp->mask & lane_bit[lane])
            SLOT(u32, in->o[0])[lane] = result[lane];
    return in + 1;
}

/* o: result, predicate, value, members */
EXECUTOR(exec_match_all)
{
    GATHER(in->o[3]);
    u32 mask = warp->mask, *p = &PRED(in->o[1]);
    bool all = matching(warp, in->o[2], in->aux, (u32)__builtin_ctz(mask)) == mask;

    broadcast(warp, in->o[0], all ? mask : 0);
    *p = all ? *p | mask : *p & ~mask;
    return in + 1;
}

/* o: result, value, members; aux: enum atomic_operation */
EXECUTOR(exec_redux)
{
    GATHER(in->o[2]);
    const u32 *a = SLOT(u32, in->o[1]);
    enum atomic_operation operation = (enum atomic_operation)in->aux;
    bool is_signed = operation == ATOM_MIN_S || operation == ATOM_MAX_S;
    u32 lanes = warp->mask, result = a[__builtin_ctz(lanes)];

    while ((lanes &= lanes - 1) != 0) {
        u32 value = a[__builtin_ctz(lanes)];
        result = is_signed ? (u32)atomic_result(operation, (u64)(s32)result, (u64)(s32)value)
                           : (u32)atomic_result(operation, result, value);
    }
    broadcast(warp, in->o[0], result);
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
