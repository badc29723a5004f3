/* SPDX-License-Identifier: MIT */
/* block.c: the warps of one block, its barriers, and its faults. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "execute.h"
#include "ptx.h"

void warp_fault(struct warp *warp, uint32_t pc, enum fault_kind kind, uint32_t lane)
{
    struct block *block = warp->block;
    struct fault *fault = &block->fault;
    const uint32_t *size = block->launch->threads;
    uint32_t thread = warp->index * 32u + lane;

    warp->status = WARP_FAULT;
    if (fault->kind != FAULT_NONE)
        return;
    *fault = (struct fault){.kind = kind, .line = block->program->lines[pc]};
    memcpy(fault->block, block->id, sizeof fault->block);
    fault->thread[0] = thread % size[0];
    fault->thread[1] = thread / size[0] % size[1];
    fault->thread[2] = thread / size[0] / size[1];
}

void warp_fault_memory(struct warp *warp, uint32_t pc, enum fault_kind kind, uint32_t lane, int space,
                       uint64_t address, uint32_t bytes, bool write)
{
    static const char *const names[] = {"generic", "global", "shared", "local", "constant", "parameter"};
    struct fault *fault = &warp->block->fault;
    bool first = fault->kind == FAULT_NONE;

    warp_fault(warp, pc, kind, lane);
    if (!first)
        return;
    fault->address = address;
    fault->bytes = bytes;
    fault->write = write;
    fault->space = names[space];
}

static void release(struct block *block, uint32_t number)
{
    struct barrier *barrier = &block->barrier[number];

    block->epoch++;
    barrier->result_count = barrier->pred_count;
    barrier->result_lanes = barrier->lane_count;
    barrier->arrived = barrier->expected = barrier->pred_count = barrier->lane_count = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        for (uint32_t j = 0; j < warp->group_count; j++) {
            struct group *group = &warp->group[j];
            if (group->state != GROUP_BARRIER || group->barrier != number)
                continue;
            group->state = GROUP_READY;
            if (group->pc < warp->next_pc)
                warp->next_pc = group->pc;
        }
        if (warp->status == WARP_BLOCKED)
            warp->status = WARP_YIELDED;
    }
}

static bool complete(const struct block *block, const struct barrier *barrier)
{
    uint32_t wanted = barrier->expected != 0 ? barrier->expected : block->alive_threads;

    return barrier->arrived != 0 && barrier->arrived >= wanted;
}

bool barrier_arrive(struct warp *warp, uint32_t number, uint32_t expected, uint32_t bits)
{
    struct block *block = warp->block;
    struct barrier *barrier = &block->barrier[number];
    uint32_t lanes = (uint32_t)__builtin_popcount(warp->mask);

    if (barrier->arrived != 0 && barrier->expected != expected)
        return false;
    barrier->expected = expected;
    /* A counted barrier counts warps, 32 threads each. */
    barrier->arrived += expected != 0 && warp->mask == warp->alive ? 32 : lanes;
    barrier->pred_count += (uint32_t)__builtin_popcount(bits & warp->mask);
    barrier->lane_count += lanes;
    if (complete(block, barrier))
        release(block, number);
    return true;
}

uint64_t special_read(enum special which)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t value = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    bool high = which == SPECIAL_CLOCK_HI || which == SPECIAL_GLOBALTIMER_HI;
    return high ? value >> 32 : value;
}

/* All warps wait: for barriers that the threads still alive cannot fill. */
static enum block_status stuck(struct block *block)
{
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        if (warp->group_count == 0)
            continue;
        const struct group *group = &warp->group[0];
        uint32_t pc = group->state == GROUP_BARRIER && group->pc > 0 ? group->pc - 1 : group->pc;
        warp_fault(warp, pc, group->state == GROUP_BARRIER ? FAULT_BARRIER : FAULT_DEADLOCK,
                   (uint32_t)__builtin_ctz(group->mask));
        break;
    }
    return BLOCK_FAULT;
}

static bool late(const struct block *block)
{
    struct timespec now;

    if (block->launch->deadline == 0)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec > block->launch->deadline;
}

/* Where the first unfinished warp is when the time is over. */
static enum block_status out_of_time(struct block *block)
{
    struct warp *warp = block->warps;

    while (warp->group_count == 0)
        warp++;
    warp_fault(warp, warp->group[0].pc, FAULT_TIMEOUT, (uint32_t)__builtin_ctz(warp->group[0].mask));
    return BLOCK_FAULT;
}

enum block_status block_run(struct block *block, warp_runner run)
{
    for (;;) {
        bool advanced = false, yielded = false;
        for (uint32_t i = 0; i < block->warp_count; i++) {
            struct warp *warp = &block->warps[i];
            if (warp->status == WARP_DONE || warp->status == WARP_BLOCKED)
                continue;
            uint32_t alive = warp->alive;
            run(warp);
            switch (warp->status) {
            case WARP_FAULT:
                return BLOCK_FAULT;
            case WARP_DONE:
                block->done_count++;
                advanced = true;
                break;
            case WARP_YIELDED:
                yielded = true;
                break;
            default:
                advanced = true;
                break;
            }
            /* Threads that left no longer count at barriers. */
            for (uint32_t j = 0; alive != warp->alive && j < BARRIERS; j++)
                if (block->barrier[j].expected == 0 && complete(block, &block->barrier[j]))
                    release(block, j);
        }
        if (block->done_count == block->warp_count)
            return BLOCK_DONE;
        if (yielded && late(block))
            return out_of_time(block);
        if (yielded && !advanced)
            return BLOCK_YIELDED;
        if (!yielded && !advanced)
            return stuck(block);
    }
}

static uint64_t special_value(const struct block *block, const struct warp *warp, uint32_t lane,
                              enum fixed_special which)
{
    const struct launch *launch = block->launch;
    const uint32_t *size = launch->threads;
    uint32_t thread = warp->index * 32u + lane;

    switch (which) {
    case SPECIAL_TID_X:
        return thread % size[0];
    case SPECIAL_TID_Y:
        return thread / size[0] % size[1];
    case SPECIAL_TID_Z:
        return thread / size[0] / size[1];
    case SPECIAL_LANEID:
        return lane;
    case SPECIAL_WARPID:
        return warp->index;
    case SPECIAL_NTID_X:
        return size[0];
    case SPECIAL_NTID_Y:
        return size[1];
    case SPECIAL_NTID_Z:
        return size[2];
    case SPECIAL_NCTAID_X:
        return launch->grid[0];
    case SPECIAL_NCTAID_Y:
        return launch->grid[1];
    case SPECIAL_NCTAID_Z:
        return launch->grid[2];
    case SPECIAL_NWARPID:
        return 32;
    case SPECIAL_SMID:
        return block->worker;
    case SPECIAL_NSMID:
        return host_threads();
    case SPECIAL_GRIDID:
        return launch->grid_id;
    case SPECIAL_LANEMASK_EQ:
        return 1u << lane;
    case SPECIAL_LANEMASK_LT:
        return (1u << lane) - 1;
    case SPECIAL_LANEMASK_LE:
        return (1u << lane) - 1 + (1u << lane);
    case SPECIAL_LANEMASK_GT:
        return ~((1u << lane) - 1 + (1u << lane));
    case SPECIAL_LANEMASK_GE:
        return ~((1u << lane) - 1);
    case SPECIAL_DYNAMIC_SMEM_SIZE:
        return launch->dynamic_shared_bytes;
    case SPECIAL_TOTAL_SMEM_SIZE:
        return block->shared_bytes;
    case SPECIAL_WORKSPACE_HIGH:
        return launch->workspace >> 32;
    case SPECIAL_WORKSPACE_LOW:
        return (uint32_t)launch->workspace;
    case SPECIAL_CTAID_X:
        return block->id[0];
    case SPECIAL_CTAID_Y:
        return block->id[1];
    case SPECIAL_CTAID_Z:
        return block->id[2];
    }
    return 0;
}

static uint64_t param_value(const struct block *block, const struct fixed *fixed)
{
    const uint8_t *at = block->params + fixed->value;
    uint64_t value = 0;

    memcpy(&value, at, fixed->load_bytes);
    unsigned spare = 64 - fixed->load_bytes * 8u;
    return fixed->load_signed ? (uint64_t)((int64_t)(value << spare) >> spare) : value;
}

static void fill_fixed(struct block *block, struct warp *warp, const struct fixed *fixed)
{
    uint8_t *slot = warp->r + fixed->offset;
    uint64_t value = fixed->kind == FIXED_PARAM ? param_value(block, fixed) : fixed->value;

    if (fixed->kind == FIXED_STACK)
        value = block->program->stack_start;
    if (fixed->bytes == 0) {
        memcpy(slot, &value, 4);
        return;
    }
    bool by_lane = fixed->kind == FIXED_SPECIAL && fixed->value < SPECIAL_WORKSPACE_HIGH;
    if (fixed->kind == FIXED_SPECIAL && !by_lane)
        value = special_value(block, warp, 0, (enum fixed_special)fixed->value);
    if (!by_lane && fixed->bytes == 4) {
        for (uint32_t lane = 0; lane < LANES; lane++)
            ((uint32_t *)(void *)slot)[lane] = (uint32_t)value;
        return;
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (by_lane)
            value = special_value(block, warp, lane, (enum fixed_special)fixed->value);
        memcpy(slot + (size_t)lane * fixed->bytes, &value, fixed->bytes);
    }
}

static size_t align_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

struct block *block_create(struct launch *launch, uint32_t worker)
{
    const struct program *program = launch->program;
    uint32_t threads = launch->threads[0] * launch->threads[1] * launch->threads[2];
    uint32_t warps = (threads + 31) / 32, shared = program->shared_bytes + launch->dynamic_shared_bytes;
    size_t local = align_up((size_t)program->local_bytes * LANES), file = align_up(program->file_bytes);
    bool watches_shared = launch->checks & (CHECK_RACE | CHECK_INIT);
    size_t at_warps = align_up(sizeof(struct block)),
           at_cache = at_warps + align_up(warps * sizeof(struct warp));
    size_t at_shared = at_cache + align_up((program->cache_count + 1) * sizeof(struct region));
    /* Vector executors may look at a whole slot past a small file's end. */
    size_t at_files = at_shared + align_up(shared), at_local = at_files + file * warps;
    size_t at_scratch = at_local + align_up(local * warps), at_shadow = at_scratch + align_up(SCRATCH_BYTES);
    size_t bytes = at_shadow + (watches_shared ? (shared + 3) / 4 * 4 * sizeof(struct shadow) : 0) + 256;
    uint8_t *memory = aligned_alloc(64, align_up(bytes));

    if (memory == NULL)
        return NULL;
    memset(memory, 0, at_files);
    struct block *block = (struct block *)memory;
    *block = (struct block){.program = program,
                            .launch = launch,
                            .cache = (struct region *)(memory + at_cache),
                            .shared = memory + at_shared,
                            .shared_bytes = shared,
                            .params = launch->params,
                            .scratch = memory + at_scratch,
                            .shadow = watches_shared ? (struct shadow *)(memory + at_shadow) : NULL,
                            .warp_count = warps,
                            .worker = worker,
                            .warps = (struct warp *)(memory + at_warps)};
    for (uint32_t i = 0; i < warps; i++) {
        struct warp *warp = &block->warps[i];
        *warp = (struct warp){.r = memory + at_files + file * i,
                              .code = program->code,
                              .block = block,
                              .index = (uint16_t)i,
                              .local = memory + at_local + local * i};
        memset(warp->r, 0, file);
        memset(warp->local, 0, program->frame_count > 0 ? 0 : local);
        for (uint32_t j = 0; j < program->fixed_count; j++)
            fill_fixed(block, warp, &program->fixed[j]);
    }
    return block;
}

void block_start(struct block *block, uint64_t number)
{
    const struct launch *launch = block->launch;
    uint32_t threads = launch->threads[0] * launch->threads[1] * launch->threads[2];

    block->id[0] = (uint32_t)(number % launch->grid[0]);
    block->id[1] = (uint32_t)(number / launch->grid[0] % launch->grid[1]);
    block->id[2] = (uint32_t)(number / launch->grid[0] / launch->grid[1]);
    block->done_count = 0;
    block->alive_threads = threads;
    memset(block->barrier, 0, sizeof block->barrier);
    block->epoch = 1;
    block->number = number;
    block->fence_due = false;
    if (block->shadow != NULL)
        memset(block->shadow, 0, (block->shared_bytes + 3) / 4 * 4 * sizeof *block->shadow);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        uint32_t lanes = threads - i * 32 < 32 ? threads - i * 32 : 32;
        warp->alive = lanes == 32 ? ~0u : (1u << lanes) - 1;
        warp->status = WARP_YIELDED;
        warp->rotated = 0;
        warp->group_count = 1;
        warp->group[0] = (struct group){0, warp->alive, GROUP_READY, 0};
        for (uint32_t j = 0; j < block->program->fixed_count; j++)
            if (block->program->fixed[j].kind == FIXED_STACK ||
                (block->program->fixed[j].kind == FIXED_SPECIAL &&
                 block->program->fixed[j].value >= SPECIAL_CTAID_X))
                fill_fixed(block, warp, &block->program->fixed[j]);
    }
}

void block_destroy(struct block *block)
{
    free(block);
}
