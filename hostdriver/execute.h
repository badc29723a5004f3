/* SPDX-License-Identifier: MIT */
/* execute.h: warps and blocks as resumable state machines. */
#ifndef HOSTDRIVER_EXECUTE_H
#define HOSTDRIVER_EXECUTE_H

#include "memory.h"
#include "program.h"

/* Where the generic address space shows shared, local and parameter memory. */
enum {
    WINDOW_SHARED = 0x01000000,
    WINDOW_LOCAL = 0x02000000,
    WINDOW_PARAM = 0x03000000,
    WINDOW_BYTES = 0x01000000,
    WINDOW_CODE = 0x00010000, /* addresses of functions, FUNCTION_BYTES apart */
    FUNCTION_BYTES = 16,
};

enum fault_kind {
    FAULT_NONE,
    FAULT_ADDRESS,
    FAULT_MISALIGNED,
    FAULT_TRAP,
    FAULT_BARRIER,
    FAULT_DEADLOCK,
    FAULT_MEMORY, /* the host ran out of it */
    FAULT_INDEX,  /* brx.idx */
    FAULT_TIMEOUT,
    FAULT_ASSERT,
    FAULT_CALL,  /* of what is no function */
    FAULT_STACK, /* calls too deep */
    /* Those that only ISOMAT_HOST_CHECK looks for. */
    FAULT_RACE,
    FAULT_UNWRITTEN, /* a read of shared memory that nothing was written to */
    FAULT_UNDEFINED, /* a read of a register likewise */
    FAULT_DIVERGENT, /* lanes of a warp at different barriers */
    FAULT_MEMBERS,   /* masks of a warp-wide instruction that do not agree */
    FAULT_SOURCE,    /* shfl from a lane outside the mask */
};

struct fault {
    enum fault_kind kind;
    uint32_t line;
    uint32_t block[3], thread[3];
    uint32_t other_thread, other_line; /* FAULT_RACE */
    uint64_t other_block;              /* in global memory: its number and 1 */
    uint64_t address;
    uint32_t bytes;
    bool write;
    const char *space;
};

struct warp;
struct block;

typedef const struct insn *(*executor)(struct warp *warp, const struct insn *in);

/* Lanes that are not running now: waiting for their turn, for a barrier or for
 * the other lanes of a warp-wide instruction. */
enum group_state { GROUP_READY, GROUP_BARRIER, GROUP_SYNC };

struct group {
    uint32_t pc, mask;
    uint8_t state, barrier;
};

enum warp_status {
    WARP_RUNNING,
    WARP_BLOCKED, /* all its lanes wait at barriers */
    WARP_YIELDED, /* used up its share of backward branches */
    WARP_DONE,
    WARP_FAULT,
};

struct warp {
    uint8_t *r;            /* register file */
    const executor *table; /* whole-warp or masked executors */
    const struct insn *code;
    struct block *block;
    uint32_t mask;    /* lanes running */
    uint32_t alive;   /* lanes that have not exited */
    uint32_t next_pc; /* lowest pc of the other ready groups */
    uint32_t group_count;
    int32_t budget;  /* backward branches before another group's turn */
    uint8_t rotated; /* the running group jumped the queue */
    uint8_t status;  /* enum warp_status */
    uint16_t index;  /* in the block */
    uint8_t *local;  /* local memory of lane 0 */
    struct group group[LANES];
};

struct barrier {
    uint32_t arrived, expected; /* threads; expected 0: all that are alive */
    uint32_t pred_count, lane_count;
    uint32_t result_count, result_lanes;
};

struct launch;

/* What is known of a byte of shared memory, for ISOMAT_HOST_CHECK. */
struct shadow {
    uint32_t write_epoch, read_epoch, write_line, read_line;
    uint16_t writer, reader;
    bool written, by_atomic, several_readers;
    bool split; /* of the first of four: the others count for themselves */
};

struct block {
    const struct program *program;
    struct launch *launch;
    void *scratch;        /* of matrix instructions */
    struct region *cache; /* last allocation seen, per memory instruction */
    uint8_t *shared;
    struct shadow *shadow; /* a byte each, or NULL */
    uint32_t epoch;        /* barriers passed */
    uint64_t number;       /* in the grid */
    bool fence_due;        /* after the access that is going on: check_global.c */
    uint32_t shared_bytes;
    const uint8_t *params;
    uint32_t id[3];
    uint32_t warp_count, done_count, alive_threads;
    uint32_t worker;
    struct warp *warps;
    struct fault fault;
    struct barrier barrier[BARRIERS];
    uint8_t *memory; /* all of the above in one piece */
    size_t memory_bytes;
};

/* Runs until the warp blocks, yields, ends or faults. */
typedef void (*warp_runner)(struct warp *warp);
void warp_run_baseline(struct warp *warp);
void warp_run_avx2(struct warp *warp);
void warp_run_avx512(struct warp *warp);
warp_runner warp_runner_choose(void);

/* What executors ask of block.c.  pc is the instruction's index. */
void warp_fault(struct warp *warp, uint32_t pc, enum fault_kind kind, uint32_t lane);
void warp_fault_memory(struct warp *warp, uint32_t pc, enum fault_kind kind, uint32_t lane, int space,
                       uint64_t address, uint32_t bytes, bool write);
bool barrier_arrive(struct warp *warp, uint32_t number, uint32_t expected, uint32_t bits);
bool warp_check(struct warp *warp, uint32_t pc, uint32_t lane, uint64_t offset, uint32_t bytes, int access);

/* check_global.c */
struct global_check;
struct global_check *global_check_create(void);
void global_check_destroy(struct global_check *check);
void global_check_fence(struct block *block);
bool global_check_access(struct warp *warp, uint32_t pc, uint32_t lane, uint64_t address, uint32_t bytes,
                         int access);
uint64_t special_read(enum special which);

/* print.c: what a lane prints. Reads its memory, byte by byte. */
typedef bool (*lane_reader)(struct warp *warp, uint32_t lane, uint64_t address, void *out, uint32_t bytes);
/* The number of values printed, or -1. */
int32_t lane_print(struct warp *warp, uint32_t lane, uint64_t format, uint64_t values, lane_reader read);
void lane_assert(struct warp *warp, uint32_t lane, const uint64_t what[3], uint32_t line, lane_reader read);

enum { SCRATCH_BYTES = 4 * (512 * 16 + 8) };

enum block_status { BLOCK_DONE, BLOCK_YIELDED, BLOCK_FAULT };
enum block_status block_run(struct block *block, warp_runner run);

struct block *block_create(struct launch *launch, uint32_t worker);
void block_start(struct block *block, uint64_t number);
void block_destroy(struct block *block);

/* One launch, from the driver's side. */
struct launch {
    const struct program *program;
    uint32_t grid[3], threads[3];
    uint32_t dynamic_shared_bytes;
    uint32_t capability; /* of the device */
    uint32_t checks;     /* CHECK_* */
    const uint8_t *params;
    bool cooperative;
    uint64_t workspace; /* where the blocks of a cooperative launch meet */
    uint64_t grid_id;
    uint64_t deadline;  /* on the monotonic clock; 0: none */
    struct fault fault; /* out: the first one */
    struct global_check *global_check;
};

/* Runs the grid to its end: FAULT_NONE or the kind of the fault. */
enum fault_kind launch_run(struct launch *launch);
uint32_t host_threads(void);

#endif
