/* SPDX-License-Identifier: MIT */
/* launch.c: the blocks of a grid over the threads of the host. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "execute.h"

enum {
    THREADS_MAX = 256,
    RESIDENT_MAX = 64,         /* blocks that one host thread keeps, if some wait for others */
    HELP_NANOSECONDS = 100000, /* work shorter than this is done alone */
};

struct grid {
    struct launch *launch;
    warp_runner run;
    uint64_t next, total; /* blocks not yet begun */
    uint64_t done;
    int stop;
    pthread_mutex_t mutex;
};

struct worker {
    struct grid *grid;
    uint32_t number, resident_count;
    struct block *resident[RESIDENT_MAX];
    struct block *spare; /* finished, to be used again */
};

uint32_t host_threads(void)
{
    static uint32_t threads;
    uint32_t known = __atomic_load_n(&threads, __ATOMIC_RELAXED);

    if (known != 0)
        return known;
    const char *text = getenv("ISOMAT_HOST_THREADS");
    long wanted = text != NULL ? strtol(text, NULL, 10) : 0;
    if (wanted < 1) {
        cpu_set_t cpus;
        wanted = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    }
    known = (uint32_t)(wanted > THREADS_MAX ? THREADS_MAX : wanted);
    __atomic_store_n(&threads, known, __ATOMIC_RELAXED);
    return known;
}

warp_runner warp_runner_choose(void)
{
    const char *wanted = getenv("ISOMAT_HOST_ISA");
    bool any = wanted == NULL;

    __builtin_cpu_init();
    /* Only when asked for: no CPU that this was developed on has it. */
    if (!any && strcmp(wanted, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return warp_run_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        (any || strcmp(wanted, "baseline") != 0))
        return warp_run_avx2;
    return warp_run_baseline;
}

static void stop(struct grid *grid, const struct fault *fault)
{
    pthread_mutex_lock(&grid->mutex);
    if (grid->launch->fault.kind == FAULT_NONE)
        grid->launch->fault = *fault;
    pthread_mutex_unlock(&grid->mutex);
    __atomic_store_n(&grid->stop, 1, __ATOMIC_RELAXED);
}

/* Another block for this worker, or NULL if none is left. */
static struct block *begin(struct worker *worker)
{
    struct grid *grid = worker->grid;

    if (__atomic_load_n(&grid->next, __ATOMIC_RELAXED) >= grid->total)
        return NULL;
    uint64_t number = __atomic_fetch_add(&grid->next, 1, __ATOMIC_RELAXED);
    if (number >= grid->total)
        return NULL;
    struct block *block = worker->spare;
    worker->spare = NULL;
    if (block == NULL)
        block = block_create(grid->launch, worker->number);
    if (block == NULL) {
        stop(grid, &(struct fault){.kind = FAULT_MEMORY});
        return NULL;
    }
    block_start(block, number);
    return block;
}

static bool finish(struct worker *worker, uint32_t at, enum block_status status)
{
    struct block *block = worker->resident[at];

    if (status == BLOCK_FAULT)
        stop(worker->grid, &block->fault);
    else
        __atomic_add_fetch(&worker->grid->done, 1, __ATOMIC_RELAXED);
    if (worker->spare == NULL)
        worker->spare = block;
    else
        block_destroy(block);
    worker->resident[at] = worker->resident[--worker->resident_count];
    return status == BLOCK_DONE;
}

/* One turn: each resident block runs until it ends or waits. A block that
 * waits may need one that has not begun, so another joins it. */
static bool turn(struct worker *worker)
{
    bool yielded = worker->resident_count == 0;

    for (uint32_t i = 0; i < worker->resident_count;) {
        enum block_status status = block_run(worker->resident[i], worker->grid->run);
        if (__atomic_load_n(&worker->grid->stop, __ATOMIC_RELAXED))
            return false;
        if (status == BLOCK_YIELDED) {
            yielded = true;
            i++;
        } else if (!finish(worker, i, status)) {
            return false;
        }
    }
    if ((yielded || worker->resident_count == 0) && worker->resident_count < RESIDENT_MAX) {
        struct block *block = begin(worker);
        if (block != NULL)
            worker->resident[worker->resident_count++] = block;
    }
    return worker->resident_count > 0 && !__atomic_load_n(&worker->grid->stop, __ATOMIC_RELAXED);
}

static void work_end(struct worker *worker)
{
    while (worker->resident_count > 0)
        block_destroy(worker->resident[--worker->resident_count]);
    if (worker->spare != NULL)
        block_destroy(worker->spare);
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    while (turn(worker))
        ;
    work_end(worker);
    return NULL;
}

static uint64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

enum fault_kind launch_run(struct launch *launch)
{
    struct grid grid = {.launch = launch,
                        .run = warp_runner_choose(),
                        .total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]};
    uint32_t wanted = host_threads(), helpers = 0;
    struct worker *workers = calloc(wanted, sizeof *workers);
    pthread_t *threads = calloc(wanted, sizeof *threads);

    launch->fault = (struct fault){0};
    bool watches = launch->checks & CHECK_RACE && grid.total > 1;
    launch->global_check = watches ? global_check_create() : NULL;
    if (workers == NULL || threads == NULL || (watches && launch->global_check == NULL)) {
        global_check_destroy(launch->global_check);
        free(workers);
        free(threads);
        return launch->fault.kind = FAULT_MEMORY;
    }
    pthread_mutex_init(&grid.mutex, NULL);
    workers[0].grid = &grid;
    uint64_t started = nanoseconds();
    bool alone = true;
    while (turn(&workers[0])) {
        if (!alone || nanoseconds() - started < HELP_NANOSECONDS)
            continue;
        alone = false;
        uint64_t left = grid.total - __atomic_load_n(&grid.next, __ATOMIC_RELAXED);
        for (uint32_t i = 1; i < wanted && i <= left && (int64_t)left > 0; i++) {
            workers[i] = (struct worker){.grid = &grid, .number = i};
            if (pthread_create(&threads[helpers], NULL, work, &workers[i]) != 0)
                break;
            helpers++;
        }
    }
    work_end(&workers[0]);
    while (helpers > 0)
        pthread_join(threads[--helpers], NULL);
    pthread_mutex_destroy(&grid.mutex);
    free(workers);
    free(threads);
    global_check_destroy(launch->global_check);
    return launch->fault.kind;
}
