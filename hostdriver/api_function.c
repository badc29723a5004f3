/* SPDX-License-Identifier: MIT */
/* api_function.c: what can be asked of a kernel. */
#include <string.h>

#include "driver.h"

enum {
    CARVEOUT_MAX = 100,
    REGISTERS_MAX = 255,
    CACHE_CONFIGS = 4,
    STATE_LOADED = 1,
    OCCUPANCY_FLAGS = 1,
    SHARED_CONFIG_MOST = 2
};

static CUresult function_check(CUfunction function)
{
    if (function == NULL || !object_valid(function, OBJECT_FUNCTION))
        return CUDA_ERROR_INVALID_HANDLE;
    return context_check(function->object.context);
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    API(cuFuncGetAttribute, NEEDS_INIT);
    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = function_check(function);
    if (result != CUDA_SUCCESS)
        return result;
    const struct program *program = function->program;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)program->max_threads;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)program->shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)program->local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = program->registers < REGISTERS_MAX ? (int)program->registers : REGISTERS_MAX;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ? (int)program->target
                                                            : (int)driver.configuration.capability;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = (int)function->max_dynamic_shared;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = function->carveout;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = 0;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    API(cuFuncSetAttribute, NEEDS_INIT);
    CUresult result = function_check(function);
    if (result != CUDA_SUCCESS)
        return result;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || value > shared_limit(true) - (int)function->program->shared_bytes)
            return CUDA_ERROR_INVALID_VALUE;
        function->max_dynamic_shared = (uint32_t)value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > CARVEOUT_MAX)
            return CUDA_ERROR_INVALID_VALUE;
        function->carveout = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuFuncSetCacheConfig(CUfunction function, uint32_t configuration)
{
    API(cuFuncSetCacheConfig, NEEDS_INIT);
    CUresult result = function_check(function);
    return result != CUDA_SUCCESS          ? result
           : configuration < CACHE_CONFIGS ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    API(cuFuncGetModule, NEEDS_INIT);
    CUresult result = module == NULL ? CUDA_ERROR_INVALID_VALUE : function_check(function);
    if (result == CUDA_SUCCESS)
        *module = function->module;
    return result;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    API(cuFuncGetName, NEEDS_INIT);
    CUresult result = name == NULL ? CUDA_ERROR_INVALID_VALUE : function_check(function);
    if (result == CUDA_SUCCESS)
        *name = function->program->name;
    return result;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset_bytes, size_t *size_bytes)
{
    API(cuFuncGetParamInfo, NEEDS_INIT);
    CUresult result = offset_bytes == NULL ? CUDA_ERROR_INVALID_VALUE : function_check(function);
    if (result != CUDA_SUCCESS)
        return result;
    if (index >= function->program->param_count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset_bytes = function->program->param_offset[index];
    if (size_bytes != NULL)
        *size_bytes = function->program->param_size[index];
    return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function)
{
    API(cuFuncLoad, NEEDS_INIT);
    return function_check(function);
}

CUresult cuFuncIsLoaded(uint32_t *state, CUfunction function)
{
    API(cuFuncIsLoaded, NEEDS_INIT);
    CUresult result = state == NULL ? CUDA_ERROR_INVALID_VALUE : function_check(function);
    if (result == CUDA_SUCCESS)
        *state = STATE_LOADED;
    return result;
}

int blocks_per_multiprocessor(CUfunction function, uint64_t threads, uint64_t dynamic_shared)
{
    bool known;
    uint64_t shared = function->program->shared_bytes + dynamic_shared;
    uint64_t most = (uint64_t)device_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0, &known);
    uint64_t room =
        (uint64_t)device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0, &known);
    uint64_t reserved =
        (uint64_t)device_attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 0, &known);
    uint64_t blocks =
        (uint64_t)device_attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 0, &known);

    if (threads == 0 || threads > function->program->max_threads ||
        dynamic_shared > function->max_dynamic_shared)
        return 0;
    uint64_t by_threads = most / ((threads + 31) / 32 * 32),
             by_shared = shared + reserved > 0 ? room / (shared + reserved) : blocks;
    blocks = by_threads < blocks ? by_threads : blocks;
    return (int)(by_shared < blocks ? by_shared : blocks);
}

static CUresult occupancy(int *blocks, CUfunction function, int block_threads, size_t dynamic_shared_bytes,
                          unsigned int flags)
{
    if (blocks == NULL || block_threads <= 0 || flags > OCCUPANCY_FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = function_check(function);
    if (result == CUDA_SUCCESS)
        *blocks = blocks_per_multiprocessor(function, (uint64_t)block_threads, dynamic_shared_bytes);
    return result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_threads,
                                                     size_t dynamic_shared_bytes)
{
    API(cuOccupancyMaxActiveBlocksPerMultiprocessor, NEEDS_INIT);
    return occupancy(blocks, function, block_threads, dynamic_shared_bytes, 0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int block_threads, size_t dynamic_shared_bytes,
                                                              unsigned int flags)
{
    API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, NEEDS_INIT);
    return occupancy(blocks, function, block_threads, dynamic_shared_bytes, flags);
}

static CUresult best_block(int *min_grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of_block,
                           size_t dynamic_shared_bytes, int limit)
{
    if (min_grid == NULL || block == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = function_check(function);
    if (result != CUDA_SUCCESS)
        return result;
    int most = (int)function->program->max_threads, best = 0, best_blocks = 0;
    most = limit > 0 && limit < most ? limit : most;
    for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
        size_t shared = shared_of_block != NULL ? shared_of_block(threads) : dynamic_shared_bytes;
        int blocks = blocks_per_multiprocessor(function, (uint64_t)threads, shared);
        if (blocks * threads > best_blocks * best) {
            best = threads;
            best_blocks = blocks;
        }
    }
    *block = best;
    *min_grid = best_blocks * (int)host_threads();
    return best > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_of_block, size_t dynamic_shared_bytes,
                                          int limit)
{
    API(cuOccupancyMaxPotentialBlockSize, NEEDS_INIT);
    return best_block(min_grid, block, function, shared_of_block, dynamic_shared_bytes, limit);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of_block,
                                                   size_t dynamic_shared_bytes, int limit, unsigned int flags)
{
    API(cuOccupancyMaxPotentialBlockSizeWithFlags, NEEDS_INIT);
    return flags > OCCUPANCY_FLAGS
               ? CUDA_ERROR_INVALID_VALUE
               : best_block(min_grid, block, function, shared_of_block, dynamic_shared_bytes, limit);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks,
                                                 int block_threads)
{
    API(cuOccupancyAvailableDynamicSMemPerBlock, NEEDS_INIT);
    if (bytes == NULL || blocks <= 0 || block_threads <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = function_check(function);
    if (result != CUDA_SUCCESS)
        return result;
    int32_t reserved = driver.configuration.capability >= 80 ? 1024 : 0;
    int32_t room = (shared_limit(true) + reserved) / blocks - reserved;
    int32_t most = room < shared_limit(true) ? room : shared_limit(true);
    most -= (int32_t)function->program->shared_bytes;
    *bytes = most > 0 ? (size_t)most : 0;
    return CUDA_SUCCESS;
}

/* Banks have one width. */
CUresult cuFuncSetSharedMemConfig(CUfunction function, uint32_t configuration)
{
    API(cuFuncSetSharedMemConfig, NEEDS_INIT);
    return configuration > SHARED_CONFIG_MOST ? CUDA_ERROR_INVALID_VALUE : function_check(function);
}
