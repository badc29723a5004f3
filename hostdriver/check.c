/* SPDX-License-Identifier: MIT */
/* check.c: ISOMAT_HOST_CHECK: races and unwritten bytes in shared memory.
 *
 * Two accesses race if they are to one byte, by different warps, one of them
 * writes, not both are atomic, and no barrier of the block lies between.
 */
#include "execute.h"
#include "ptx.h"

static bool report(struct warp *warp, uint32_t pc, uint32_t lane, uint64_t offset, uint32_t bytes, int access,
                   enum fault_kind kind, uint32_t other_thread, uint32_t other_line)
{
    struct fault *fault = &warp->block->fault;

    if (fault->kind != FAULT_NONE)
        return false;
    warp_fault_memory(warp, pc, kind, lane, SPACE_SHARED, offset, bytes, access != ACCESS_READ);
    fault->other_thread = other_thread;
    fault->other_line = other_line;
    return false;
}

/* One access to one byte, or to four that were never told apart; false after a fault. */
static bool check_one(struct warp *warp, uint32_t pc, uint32_t lane, struct shadow *s, uint64_t offset,
                      uint32_t bytes, int access)
{
    struct block *block = warp->block;
    uint32_t line = block->program->lines[pc], checks = block->launch->checks;
    uint16_t thread = (uint16_t)(warp->index * 32u + lane);
    bool wrote = s->write_epoch == block->epoch && s->writer / 32 != warp->index;
    bool read = s->read_epoch == block->epoch && (s->several_readers || s->reader / 32 != warp->index);

    if ((checks & CHECK_INIT) && access != ACCESS_WRITE && !s->written)
        return report(warp, pc, lane, offset, bytes, access, FAULT_UNWRITTEN, 0, 0);
    if ((checks & CHECK_RACE) && wrote && !(access == ACCESS_ATOMIC && s->by_atomic))
        return report(warp, pc, lane, offset, bytes, access, FAULT_RACE, s->writer, s->write_line);
    if ((checks & CHECK_RACE) && read && access != ACCESS_READ)
        return report(warp, pc, lane, offset, bytes, access, FAULT_RACE, s->reader, s->read_line);
    if (access == ACCESS_READ) {
        s->several_readers = read;
        s->read_epoch = block->epoch;
        s->reader = thread;
        s->read_line = line;
        return true;
    }
    s->written = true;
    s->by_atomic = access == ACCESS_ATOMIC;
    s->write_epoch = block->epoch;
    s->writer = thread;
    s->write_line = line;
    return true;
}

/* The first byte stands for its word until one byte is accessed without the others.  False after a fault. */
bool warp_check(struct warp *warp, uint32_t pc, uint32_t lane, uint64_t offset, uint32_t bytes, int access)
{
    struct block *block = warp->block;
    uint64_t end = offset + bytes < block->shared_bytes ? offset + bytes : block->shared_bytes;

    for (uint64_t i = offset, step; i < end; i += step) {
        struct shadow *word = &block->shadow[i & ~(uint64_t)3];
        step = i % 4 == 0 && end - i >= 4 && !word->split ? 4 : 1;
        if (step == 1 && !word->split) {
            word->split = true;
            word[1] = word[2] = word[3] = word[0];
        }
        if (!check_one(warp, pc, lane, &block->shadow[i], offset, bytes, access))
            return false;
    }
    return true;
}
