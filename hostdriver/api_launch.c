/* SPDX-License-Identifier: MIT */
/* api_launch.c: launches, and what becomes of their faults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

enum { PARAM_BUFFER_END = 0, PARAM_BUFFER_POINTER = 1, PARAM_BUFFER_SIZE = 2, WORKSPACE_BYTES = 64 };

static CUresult check_shape(const struct kernel_work *work)
{
    static const uint32_t grid_most[] = {INT32_MAX, 65535, 65535}, block_most[] = {1024, 1024, 64};
    const struct program *program = work->function->program;
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++) {
        if (work->grid[i] == 0 || work->grid[i] > grid_most[i] || work->block[i] == 0 ||
            work->block[i] > block_most[i])
            return CUDA_ERROR_INVALID_VALUE;
        if (program->required_threads[0] != 0 && work->block[i] != program->required_threads[i])
            return CUDA_ERROR_INVALID_VALUE;
        threads *= work->block[i];
    }
    if (threads > program->max_threads || work->shared_bytes > work->function->max_dynamic_shared)
        return CUDA_ERROR_INVALID_VALUE;
    if (!work->cooperative)
        return CUDA_SUCCESS;
    uint64_t blocks = (uint64_t)work->grid[0] * work->grid[1] * work->grid[2];
    uint64_t room =
        (uint64_t)blocks_per_multiprocessor(work->function, threads, work->shared_bytes) * host_threads();
    return blocks > room ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

CUresult kernel_check(const struct kernel_work *work, const struct CUctx_st *context)
{
    if (!object_valid(work->function, OBJECT_FUNCTION) || context != work->function->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    return check_shape(work);
}

/* Gathers the parameters into one block laid out as the kernel has them. */
static CUresult gather(uint8_t *out, const struct program *program, void **parameters, void **extra)
{
    const void *buffer = NULL;
    size_t bytes = 0;

    if (parameters != NULL && extra != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters != NULL) {
        for (uint32_t i = 0; i < program->param_count; i++) {
            if (parameters[i] == NULL)
                return CUDA_ERROR_INVALID_VALUE;
            memcpy(out + program->param_offset[i], parameters[i], program->param_size[i]);
        }
        return CUDA_SUCCESS;
    }
    for (void **at = extra; at != NULL && *at != (void *)PARAM_BUFFER_END; at += 2) {
        if (*at == (void *)(uintptr_t)PARAM_BUFFER_POINTER)
            buffer = at[1];
        else if (*at == (void *)(uintptr_t)PARAM_BUFFER_SIZE && at[1] != NULL)
            bytes = *(const size_t *)at[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (program->param_bytes == 0)
        return CUDA_SUCCESS;
    if (buffer == NULL || bytes < program->param_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(out, buffer, program->param_bytes);
    return CUDA_SUCCESS;
}

CUresult kernel_gather(struct kernel_work *work, void **parameters, void **extra)
{
    work->params = NULL;
    if (!object_valid(work->function, OBJECT_FUNCTION))
        return CUDA_ERROR_INVALID_HANDLE;
    const struct program *program = work->function->program;
    work->params = calloc(1, program->param_bytes + 16);
    if (work->params == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return gather(work->params, program, parameters, extra);
}

static CUresult result_of(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE:
        return CUDA_SUCCESS;
    case FAULT_ADDRESS:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case FAULT_MISALIGNED:
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    case FAULT_TRAP:
        return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case FAULT_TIMEOUT:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    case FAULT_ASSERT:
        return CUDA_ERROR_ASSERT;
    case FAULT_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return CUDA_ERROR_LAUNCH_FAILED;
    }
}

static void describe_fault(const struct fault *fault, const char *kernel, const struct ptx_module *module)
{
    static const char *const what[] = {
        "",
        "illegal address",
        "misaligned address",
        "trap",
        "a barrier that not all threads reach",
        "lanes named by a warp-wide instruction never come",
        "the host ran out of memory",
        "brx.idx beyond its targets",
        "still running at the end of ISOMAT_HOST_TIMEOUT",
        "assertion failed",
        "call of an address that is no function",
        "stack overflow",
        "race in shared memory",
        "read of shared memory that was never written",
        "read of a register that was never written",
        "lanes of one warp at different barriers",
        "masks that do not agree in a warp-wide instruction",
        "shfl from a lane that its mask leaves out or that has ended",
    };
    int n = snprintf(driver.fault_text, sizeof driver.fault_text,
                     "%s in kernel %s, PTX line %u, block (%u,%u,%u), thread (%u,%u,%u)",
                     fault->other_block != 0 ? "race in global memory" : what[fault->kind], kernel,
                     fault->line, fault->block[0], fault->block[1], fault->block[2], fault->thread[0],
                     fault->thread[1], fault->thread[2]);

    uint32_t line = 0;
    const char *file = ptx_source_find(module, fault->line, &line);
    if (file != NULL && n > 0 && (size_t)n < sizeof driver.fault_text)
        n += snprintf(driver.fault_text + n, sizeof driver.fault_text - (size_t)n, ", %s:%u", file, line);
    if (fault->space == NULL || n < 0 || (size_t)n >= sizeof driver.fault_text)
        return;
    if (fault->kind == FAULT_RACE && (size_t)n < sizeof driver.fault_text)
        n += snprintf(driver.fault_text + n, sizeof driver.fault_text - (size_t)n,
                      ", with thread number %u at PTX line %u", fault->other_thread, fault->other_line);
    if (fault->other_block != 0 && (size_t)n < sizeof driver.fault_text)
        n += snprintf(driver.fault_text + n, sizeof driver.fault_text - (size_t)n, " of block number %llu",
                      (unsigned long long)fault->other_block - 1);
    if ((size_t)n >= sizeof driver.fault_text)
        return;
    file = fault->kind == FAULT_RACE ? ptx_source_find(module, fault->other_line, &line) : NULL;
    if (file != NULL && (size_t)n < sizeof driver.fault_text)
        n += snprintf(driver.fault_text + n, sizeof driver.fault_text - (size_t)n, " (%s:%u)", file, line);
    if ((size_t)n >= sizeof driver.fault_text)
        return;
    const struct allocation *near = memory_find(fault->address);
    char *at = driver.fault_text + n;
    size_t room = sizeof driver.fault_text - (size_t)n;
    n = snprintf(at, room, ": %s of %u bytes at %s address 0x%llx", fault->write ? "write" : "read",
                 fault->bytes, fault->space, (unsigned long long)fault->address);
    const struct region *freed = near == NULL ? memory_freed(fault->address) : NULL;
    if (freed != NULL && n > 0 && (size_t)n < room) {
        snprintf(at + n, room - (size_t)n,
                 ", %lld bytes past the start of an allocation of %llu that was freed",
                 (long long)(fault->address - freed->low), (unsigned long long)freed->bytes);
        return;
    }
    for (size_t i = 0; near == NULL && i < memory_count(); i++) {
        const struct allocation *candidate = memory_at(i);
        if (candidate->region.low <= fault->address &&
            fault->address - candidate->region.low < candidate->region.bytes + 4096)
            near = candidate;
    }
    if (near != NULL && n > 0 && (size_t)n < room)
        snprintf(at + n, room - (size_t)n, ", %lld bytes past the start of an allocation of %llu",
                 (long long)(fault->address - near->region.low), (unsigned long long)near->region.bytes);
}

struct fault kernel_run(const struct kernel_work *work)
{
    struct launch run = {.program = work->function->program,
                         .dynamic_shared_bytes = work->shared_bytes,
                         .capability = driver.configuration.capability,
                         .checks = driver.configuration.checks,
                         .params = work->params,
                         .cooperative = work->cooperative,
                         .grid_id = __atomic_add_fetch(&driver.grids, 1, __ATOMIC_RELAXED)};

    memcpy(run.grid, work->grid, sizeof run.grid);
    memcpy(run.threads, work->block, sizeof run.threads);
    if (driver.configuration.timeout_seconds > 0)
        run.deadline = clock_nanoseconds() + (uint64_t)(driver.configuration.timeout_seconds * 1e9);
    if (work->cooperative) {
        api_lock();
        run.workspace = memory_alloc(WORKSPACE_BYTES, OWNER_MODULE, NULL, NULL);
        if (run.workspace != 0)
            memset(memory_translate(run.workspace, WORKSPACE_BYTES), 0, WORKSPACE_BYTES);
        api_unlock();
        if (run.workspace == 0)
            return (struct fault){.kind = FAULT_MEMORY};
    }
    launch_run(&run);
    if (work->cooperative) {
        api_lock();
        memory_free(run.workspace);
        api_unlock();
    }
    return run.fault;
}

/* As with a GPU, the launch has succeeded: the next synchronisation and every
 * later call in the context report what happened. */
void kernel_failed(const struct kernel_work *work, struct CUctx_st *context, const struct fault *fault)
{
    describe_fault(fault, work->function->program->name, work->function->module->ptx);
    context->sticky = result_of(fault->kind);
    if (fault->kind >= FAULT_RACE)
        fprintf(stderr, "isomat host driver: %s\n", driver.fault_text);
}

static CUresult launch(struct kernel_work work, CUstream stream, void **parameters, void **extra)
{
    CUresult result = kernel_gather(&work, parameters, extra);

    if (result == CUDA_SUCCESS)
        return work_submit(stream, &(struct operation){.kind = WORK_KERNEL, .kernel = work});
    free(work.params);
    return result;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared_bytes, CUstream stream, void **parameters, void **extra)
{
    API(cuLaunchKernel, NEEDS_CONTEXT);
    return launch((struct kernel_work){.function = function,
                                       .grid = {grid_x, grid_y, grid_z},
                                       .block = {block_x, block_y, block_z},
                                       .shared_bytes = shared_bytes},
                  stream, parameters, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void **parameters)
{
    API(cuLaunchCooperativeKernel, NEEDS_CONTEXT);
    return launch((struct kernel_work){.function = function,
                                       .grid = {grid_x, grid_y, grid_z},
                                       .block = {block_x, block_y, block_z},
                                       .shared_bytes = shared_bytes,
                                       .cooperative = true},
                  stream, parameters, NULL);
}

/* Attributes that change nothing here are accepted: priorities, cache hints. */
static CUresult read_attributes(const CUlaunchConfig *config, bool *cooperative)
{
    enum {
        IGNORE = 0,
        WINDOW = 1,
        SYNC_POLICY = 3,
        CLUSTER_POLICY = 5,
        PRIORITY = 8,
        SYNC_DOMAIN_MAP = 9,
        SYNC_DOMAIN = 10,
        CARVEOUT = 14
    };

    if (config->numAttrs > 0 && config->attrs == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned int i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *attribute = &config->attrs[i];
        switch (attribute->id) {
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            *cooperative = attribute->value.cooperative != 0;
            break;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            if (attribute->value.clusterDim.x != 1 || attribute->value.clusterDim.y != 1 ||
                attribute->value.clusterDim.z != 1)
                return CUDA_ERROR_INVALID_CLUSTER_SIZE;
            break;
        case IGNORE:
        case WINDOW:
        case SYNC_POLICY:
        case CLUSTER_POLICY:
        case PRIORITY:
        case SYNC_DOMAIN_MAP:
        case SYNC_DOMAIN:
        case CARVEOUT:
            break;
        default:
            return CUDA_ERROR_NOT_SUPPORTED;
        }
    }
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    API(cuLaunchKernelEx, NEEDS_CONTEXT);
    bool cooperative = false;
    if (config == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = read_attributes(config, &cooperative);
    if (result != CUDA_SUCCESS)
        return result;
    return launch((struct kernel_work){.function = function,
                                       .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                       .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                       .shared_bytes = config->sharedMemBytes,
                                       .cooperative = cooperative},
                  config->hStream, parameters, extra);
}
