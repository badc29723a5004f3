/* SPDX-License-Identifier: MIT */
/* api_launch.c: launches, and what becomes of their faults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum {
    PARAM_BUFFER_END = 0,
    PARAM_BUFFER_POINTER = 1,
    PARAM_BUFFER_SIZE = 2,
    PARAM_BYTES_MAX = 32764,
    WORKSPACE_BYTES = 64
};

struct request {
    CUfunction function;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    CUstream stream;
    void **parameters, **extra;
    bool cooperative;
};

static CUresult check_shape(const struct request *request)
{
    static const uint32_t grid_most[] = {INT32_MAX, 65535, 65535}, block_most[] = {1024, 1024, 64};
    const struct CUfunc_st *function = request->function;
    const struct program *program = function->program;
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++) {
        if (request->grid[i] == 0 || request->grid[i] > grid_most[i] || request->block[i] == 0 ||
            request->block[i] > block_most[i])
            return CUDA_ERROR_INVALID_VALUE;
        if (program->required_threads[0] != 0 && request->block[i] != program->required_threads[i])
            return CUDA_ERROR_INVALID_VALUE;
        threads *= request->block[i];
    }
    if (threads > program->max_threads || request->shared_bytes > function->max_dynamic_shared)
        return CUDA_ERROR_INVALID_VALUE;
    if (!request->cooperative)
        return CUDA_SUCCESS;
    uint64_t blocks = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2];
    uint64_t room = (uint64_t)blocks_per_multiprocessor(request->function, threads, request->shared_bytes) *
                    host_threads();
    return blocks > room ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

/* Gathers the parameters into one block laid out as the kernel has them. */
static CUresult gather(const struct request *request, uint8_t *out)
{
    const struct program *program = request->function->program;
    const void *buffer = NULL;
    size_t bytes = 0;

    if (request->parameters != NULL && request->extra != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (request->parameters != NULL) {
        for (uint32_t i = 0; i < program->param_count; i++) {
            if (request->parameters[i] == NULL)
                return CUDA_ERROR_INVALID_VALUE;
            memcpy(out + program->param_offset[i], request->parameters[i], program->param_size[i]);
        }
        return CUDA_SUCCESS;
    }
    for (void **at = request->extra; at != NULL && *at != (void *)PARAM_BUFFER_END; at += 2) {
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
                     "%s in kernel %s, PTX line %u, block (%u,%u,%u), thread (%u,%u,%u)", what[fault->kind],
                     kernel, fault->line, fault->block[0], fault->block[1], fault->block[2], fault->thread[0],
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

static CUresult launch(const struct request *request)
{
    struct CUctx_st *context;
    _Alignas(16) uint8_t params[PARAM_BYTES_MAX + 16];

    if (request->function == NULL || !object_valid(request->function, OBJECT_FUNCTION))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = stream_enter(request->stream, &context);
    if (result != CUDA_SUCCESS)
        return result;
    /* Again: it may have gone while the stream was busy. */
    if (!object_valid(request->function, OBJECT_FUNCTION) || context != request->function->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    result = check_shape(request);
    if (result == CUDA_SUCCESS)
        result = gather(request, params);
    if (result != CUDA_SUCCESS)
        return result;
    struct launch run = {.program = request->function->program,
                         .dynamic_shared_bytes = request->shared_bytes,
                         .capability = driver.configuration.capability,
                         .checks = driver.configuration.checks,
                         .params = params,
                         .cooperative = request->cooperative,
                         .grid_id = ++driver.grids};
    memcpy(run.grid, request->grid, sizeof run.grid);
    memcpy(run.threads, request->block, sizeof run.threads);
    if (driver.configuration.timeout_seconds > 0)
        run.deadline = clock_nanoseconds() + (uint64_t)(driver.configuration.timeout_seconds * 1e9);
    if (request->cooperative) {
        run.workspace = memory_alloc(WORKSPACE_BYTES, OWNER_MODULE, NULL, NULL);
        if (run.workspace == 0)
            return CUDA_ERROR_OUT_OF_MEMORY;
        memset(memory_translate(run.workspace, WORKSPACE_BYTES), 0, WORKSPACE_BYTES);
    }
    work_begin(request->stream, context);
    enum fault_kind fault = launch_run(&run);
    work_end(request->stream, context);
    if (request->cooperative)
        memory_free(run.workspace);
    if (fault != FAULT_NONE && context->sticky == CUDA_SUCCESS) {
        /* As with a GPU, the launch succeeds: the next synchronisation and
         * every later call in the context report what happened. */
        describe_fault(&run.fault, run.program->name, request->function->module->ptx);
        context->sticky = result_of(fault);
        if (fault >= FAULT_RACE)
            fprintf(stderr, "isomat host driver: %s\n", driver.fault_text);
    }
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared_bytes, CUstream stream, void **parameters, void **extra)
{
    API(cuLaunchKernel, NEEDS_CONTEXT);
    return launch(&(struct request){function,
                                    {grid_x, grid_y, grid_z},
                                    {block_x, block_y, block_z},
                                    shared_bytes,
                                    stream,
                                    parameters,
                                    extra,
                                    false});
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void **parameters)
{
    API(cuLaunchCooperativeKernel, NEEDS_CONTEXT);
    return launch(&(struct request){function,
                                    {grid_x, grid_y, grid_z},
                                    {block_x, block_y, block_z},
                                    shared_bytes,
                                    stream,
                                    parameters,
                                    NULL,
                                    true});
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
    return launch(&(struct request){function,
                                    {config->gridDimX, config->gridDimY, config->gridDimZ},
                                    {config->blockDimX, config->blockDimY, config->blockDimZ},
                                    config->sharedMemBytes,
                                    config->hStream,
                                    parameters,
                                    extra,
                                    cooperative});
}
