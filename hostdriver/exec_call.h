/* SPDX-License-Identifier: MIT */
/* exec_call.h: calls that were not expanded, the stack, what lanes print. */

static inline u8 *frame_tail(struct warp *warp, u32 lane, const struct frame *frame, u32 base)
{
    return warp->local + (u64)lane * warp->block->program->local_bytes + base + frame->local_bytes;
}

/* Copies the lane's part of the function's registers to or from its frame. */
static void frame_registers(struct warp *warp, const struct frame *frame, u32 lane, u8 *at, bool save)
{
    static const u32 slot_bytes[] = {4, 64, 128, 256}, lane_bytes[] = {0, 2, 4, 8};

    for (u32 i = 0; i < frame->count[0]; i++, at += 4) {
        u32 *bits = &PRED(frame->first[0] + i * 4), bit = *bits >> lane & 1;
        if (save) {
            memcpy(at, &bit, 4);
        } else {
            memcpy(&bit, at, 4);
            *bits = (*bits & ~lane_bit[lane]) | (bit ? lane_bit[lane] : 0);
        }
    }
    for (int class = 1; class < 4; class ++) {
        u32 bytes = lane_bytes[class];
        for (u32 i = 0; i < frame->count[class]; i++, at += bytes) {
            u8 *slot = warp->r + frame->first[class] + i * slot_bytes[class] + lane * bytes;
            memcpy(save ? at : slot, save ? slot : at, bytes);
        }
    }
}

static bool frame_push(struct warp *warp, u32 lane, const struct frame *frame, u32 return_pc)
{
    const struct program *program = warp->block->program;
    u32 *sp = &SLOT(u32, program->stack_slot)[lane], base = (*sp + 15) & ~15u;

    if (base + (u64)frame->bytes > program->local_bytes)
        return false;
    u8 *at = frame_tail(warp, lane, frame, base);
    memcpy(at, &return_pc, 4);
    memcpy(at + 4, sp, 4);
    frame_registers(warp, frame, lane, at + FRAME_HEAD, true);
    *sp = base + frame->bytes;
    SLOT(u32, program->frame_slot)[lane] = base;
    return true;
}

/* Lanes go on at different places: together if they are one. */
static const struct insn *go_to(struct warp *warp, const u32 *pc)
{
    u32 rest = warp->mask, first = (u32)__builtin_ctz(rest), same;

    for (same = 0; rest != 0; rest &= rest - 1)
        same |= pc[__builtin_ctz(rest)] == pc[first] ? rest & (0 - rest) : 0;
    if (same == warp->mask)
        return arrive(warp, pc[first]);
    for (rest = warp->mask; rest != 0; rest &= ~same) {
        first = (u32)__builtin_ctz(rest);
        same = 0;
        for (u32 lanes = rest; lanes != 0; lanes &= lanes - 1)
            same |= pc[__builtin_ctz(lanes)] == pc[first] ? lanes & (0 - lanes) : 0;
        park(warp, pc[first], same, GROUP_READY, 0);
    }
    warp->rotated = 0;
    return reschedule(warp);
}

/* imm: the frame */
EXECUTOR(exec_call)
{
    const struct frame *frame = &warp->block->program->frames[in->imm];

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1)
        if (!frame_push(warp, (u32)__builtin_ctz(lanes), frame, (u32)(in - warp->code) + 1))
            return fault(warp, in, FAULT_STACK, (u32)__builtin_ctz(lanes));
    return arrive(warp, frame->entry);
}

/* o: the function's address */
EXECUTOR(exec_call_reg)
{
    const struct program *program = warp->block->program;
    const u64 *target = SLOT(u64, in->o[0]);
    u64 base = memory_base() + WINDOW_CODE;
    u32 pc[LANES];

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u64 number = (target[lane] - base) / FUNCTION_BYTES;
        if (number >= program->function_count || (target[lane] - base) % FUNCTION_BYTES != 0 ||
            program->frame_of[number] == 0)
            return fault(warp, in, FAULT_CALL, lane);
        const struct frame *frame = &program->frames[program->frame_of[number] - 1];
        pc[lane] = frame->entry;
        if (!frame_push(warp, lane, frame, (u32)(in - warp->code) + 1))
            return fault(warp, in, FAULT_STACK, lane);
    }
    return go_to(warp, pc);
}

/* o: the frame's base; imm: the frame */
EXECUTOR(exec_return)
{
    const struct program *program = warp->block->program;
    const struct frame *frame = &program->frames[in->imm];
    u32 pc[LANES];

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u8 *at = frame_tail(warp, lane, frame, SLOT(u32, in->o[0])[lane]);
        memcpy(&pc[lane], at, 4);
        memcpy(&SLOT(u32, program->stack_slot)[lane], at + 4, 4);
        frame_registers(warp, frame, lane, at + FRAME_HEAD, false);
    }
    return go_to(warp, pc);
}

/* o: result, stack pointer, bytes; aux: alignment, the top bit for 64 bits */
EXECUTOR(exec_alloca)
{
    u32 align = in->aux & 0x7fff, limit = warp->block->program->local_bytes;
    u32 *sp = SLOT(u32, in->o[1]);
    bool wide = in->aux & 0x8000;

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u64 bytes = wide ? SLOT(u64, in->o[2])[lane] : SLOT(u32, in->o[2])[lane];
        u32 base = (sp[lane] + align - 1) & ~(align - 1);
        if (bytes > limit || base + bytes > limit)
            return fault(warp, in, FAULT_STACK, lane);
        sp[lane] = base + (u32)bytes;
        if (wide)
            SLOT(u64, in->o[0])[lane] = base;
        else
            SLOT(u32, in->o[0])[lane] = base;
    }
    return in + 1;
}

static bool read_lane(struct warp *warp, u32 lane, u64 address, void *out, u32 bytes)
{
    const u8 *at = resolve_lane(warp, warp->block->program->cache_count, SPACE_GENERIC, lane, address, bytes);

    if (at != NULL)
        memcpy(out, at, bytes);
    return at != NULL;
}

/* o: result, format, values */
EXECUTOR(exec_print)
{
    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        SLOT(u32, in->o[0])
        [lane] = (u32)lane_print(warp, lane, SLOT(u64, in->o[1])[lane], SLOT(u64, in->o[2])[lane], read_lane);
    }
    return in + 1;
}

/* o: message, file, function, line */
EXECUTOR(exec_assert)
{
    u32 lane = (u32)__builtin_ctz(warp->mask);
    u64 what[3] = {SLOT(u64, in->o[0])[lane], SLOT(u64, in->o[1])[lane], SLOT(u64, in->o[2])[lane]};

    lane_assert(warp, lane, what, SLOT(u32, in->o[3])[lane], read_lane);
    return fault(warp, in, FAULT_ASSERT, lane);
}
