/* SPDX-License-Identifier: MIT */
/* api_old_launch.c: launches as before cuLaunchKernel, of a state that the function keeps. */
#include <stdlib.h>
#include <string.h>

#include "work.h"

static CUresult check(CUfunction function)
{
    if (!object_valid(function, OBJECT_FUNCTION))
        return CUDA_ERROR_INVALID_HANDLE;
    return context_check(function->object.context);
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    API(cuFuncSetBlockShape, NEEDS_INIT);
    CUresult result = check(function);
    if (result != CUDA_SUCCESS)
        return result;
    if (x <= 0 || y <= 0 || z <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    function->old_block[0] = (uint32_t)x;
    function->old_block[1] = (uint32_t)y;
    function->old_block[2] = (uint32_t)z;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes)
{
    API(cuFuncSetSharedSize, NEEDS_INIT);
    CUresult result = check(function);
    if (result == CUDA_SUCCESS)
        function->old_shared_bytes = bytes;
    return result;
}

static CUresult set(CUfunction function, int offset, const void *data, size_t bytes)
{
    CUresult result = check(function);

    if (result != CUDA_SUCCESS)
        return result;
    size_t room = function->program->param_bytes;
    if (data == NULL || offset < 0 || (size_t)offset > room || bytes > room - (size_t)offset)
        return CUDA_ERROR_INVALID_VALUE;
    if (function->old_params == NULL)
        function->old_params = arena_alloc(&function->module->arena, room);
    if (function->old_params == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(function->old_params + offset, data, bytes);
    return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction function, int offset, void *data, unsigned int bytes)
{
    API(cuParamSetv, NEEDS_INIT);
    return set(function, offset, data, bytes);
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned int value)
{
    API(cuParamSeti, NEEDS_INIT);
    return set(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    API(cuParamSetf, NEEDS_INIT);
    return set(function, offset, &value, sizeof value);
}

CUresult cuParamSetSize(CUfunction function, unsigned int bytes)
{
    API(cuParamSetSize, NEEDS_INIT);
    CUresult result = check(function);
    return result == CUDA_SUCCESS && bytes < function->program->param_bytes ? CUDA_ERROR_INVALID_VALUE
                                                                            : result;
}

static CUresult launch(CUfunction function, int width, int height, CUstream stream)
{
    CUresult result = check(function);

    if (result != CUDA_SUCCESS)
        return result;
    if (width <= 0 || height <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct kernel_work work = {
        .function = function,
        .grid = {(uint32_t)width, (uint32_t)height, 1},
        .block = {function->old_block[0], function->old_block[1], function->old_block[2]},
        .shared_bytes = function->old_shared_bytes};
    size_t bytes = function->program->param_bytes;
    void *extra[] = {(void *)1, function->old_params, (void *)2, &bytes, NULL};
    result = kernel_gather(&work, NULL, extra);
    if (result == CUDA_SUCCESS)
        return work_submit(stream, &(struct operation){.kind = WORK_KERNEL, .kernel = work});
    free(work.params);
    return result;
}

CUresult cuLaunch(CUfunction function)
{
    API(cuLaunch, NEEDS_CONTEXT);
    return launch(function, 1, 1, NULL);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    API(cuLaunchGrid, NEEDS_CONTEXT);
    return launch(function, width, height, NULL);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    API(cuLaunchGridAsync, NEEDS_CONTEXT);
    return launch(function, width, height, stream);
}
