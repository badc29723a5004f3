/* SPDX-License-Identifier: MIT */
/* check_global.c: ISOMAT_HOST_CHECK=race in global memory.
 *
 * Two accesses race if they are to one byte, by different blocks of a launch, one of them writes, not both
 * are atomic or volatile, and no fences lie between: both blocks passed one after the first access.  So what
 * is ordered is never reported, and what merely has fences nearby is not either.  Of each word the last write
 * and the last read are known, as long as no other word takes their place.
 */
#include <stdlib.h>
#include <string.h>

#include "execute.h"
#include "ptx.h"

enum { WORDS = 1 << 18, BLOCKS = 1 << 14 };

struct access {
    uint64_t block;  /* its number and 1; 0: none */
    uint64_t fences; /* passed by all blocks until then */
    uint32_t line, thread;
    uint8_t bytes; /* a bit each */
    bool atomic;
};

struct word {
    uint64_t address;
    struct access write, read;
    char lock;
};

struct global_check {
    uint64_t fences;         /* passed by all blocks */
    uint64_t passed[BLOCKS]; /* how many there were when a block last passed one */
    struct word words[WORDS];
};

struct global_check *global_check_create(void)
{
    return calloc(1, sizeof(struct global_check));
}

void global_check_destroy(struct global_check *check)
{
    free(check);
}

void global_check_fence(struct block *block)
{
    struct global_check *check = block->launch->global_check;

    block->fence_due = false;
    if (check != NULL)
        __atomic_store_n(&check->passed[block->number % BLOCKS],
                         __atomic_add_fetch(&check->fences, 1, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
}

static bool fenced_since(const struct global_check *check, uint64_t block, uint64_t fences)
{
    return __atomic_load_n(&check->passed[block % BLOCKS], __ATOMIC_SEQ_CST) > fences;
}

static bool races(const struct global_check *check, const struct access *before, const struct access *now)
{
    return before->block != 0 && before->block != now->block && (before->bytes & now->bytes) != 0 &&
           !(before->atomic && now->atomic) &&
           !(fenced_since(check, before->block - 1, before->fences) &&
             fenced_since(check, now->block - 1, before->fences));
}

/* False after a fault. */
bool global_check_access(struct warp *warp, uint32_t pc, uint32_t lane, uint64_t address, uint32_t bytes,
                         int access)
{
    struct block *block = warp->block;
    struct global_check *check = block->launch->global_check;

    if (check == NULL)
        return true;
    if (block->fence_due)
        global_check_fence(block);
    for (uint64_t at = address & ~(uint64_t)3; at < address + bytes; at += 4) {
        uint64_t first = at < address ? address - at : 0, end = address + bytes - at;
        struct access now = {.block = block->number + 1,
                             .fences = __atomic_load_n(&check->fences, __ATOMIC_SEQ_CST),
                             .line = block->program->lines[pc],
                             .thread = warp->index * 32u + lane,
                             .bytes = (uint8_t)((end < 4 ? (1u << end) - 1 : 15u) & ~((1u << first) - 1)),
                             .atomic = access >= ACCESS_ATOMIC};
        struct word *word = &check->words[at / 4 % WORDS];
        bool writes = access == ACCESS_WRITE || access == ACCESS_ATOMIC;
        while (__atomic_test_and_set(&word->lock, __ATOMIC_ACQUIRE))
            ;
        if (word->address != at)
            *word = (struct word){.address = at, .lock = word->lock};
        struct access other = races(check, &word->write, &now)            ? word->write
                              : writes && races(check, &word->read, &now) ? word->read
                                                                          : (struct access){.block = 0};
        *(writes ? &word->write : &word->read) = now;
        __atomic_clear(&word->lock, __ATOMIC_RELEASE);
        if (other.block == 0)
            continue;
        if (block->fault.kind == FAULT_NONE) {
            warp_fault_memory(warp, pc, FAULT_RACE, lane, SPACE_GLOBAL, address, bytes, writes);
            block->fault.other_thread = other.thread;
            block->fault.other_line = other.line;
            block->fault.other_block = other.block;
        }
        return false;
    }
    return true;
}
