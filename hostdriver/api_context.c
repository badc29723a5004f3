/* SPDX-License-Identifier: MIT */
/* api_context.c: contexts. */
#include <stdlib.h>

#include "work.h"

enum { CONTEXT_FLAGS = 0xff, SHARED_CONFIG_FOUR_BYTES = 1, SHARED_CONFIG_MOST = 2 };

static CUresult create(CUcontext *context, unsigned int flags, CUdevice device)
{
    if (context == NULL || (flags & ~(unsigned int)CONTEXT_FLAGS) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    struct CUctx_st *new = calloc(1, sizeof *new);
    if (new == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context_init(new, device, flags, false);
    new->alive = true;
    if (!context_push(new)) {
        object_remove(&new->object);
        free(new);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *context = new;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    API(cuCtxCreate_v2, NEEDS_INIT);
    return create(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned int flags,
                        CUdevice device)
{
    API(cuCtxCreate_v3, NEEDS_INIT);
    return affinity != NULL && count > 0 ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
                                         : create(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags,
                        CUdevice device)
{
    API(cuCtxCreate_v4, NEEDS_INIT);
    return parameters != NULL && (parameters->numExecAffinityParams > 0 || parameters->cigParams != NULL)
               ? CUDA_ERROR_NOT_SUPPORTED
               : create(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    API(cuCtxDestroy_v2, NEEDS_INIT);
    if (!object_valid(context, OBJECT_CONTEXT) || context->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    objects_release(context);
    context->alive = false;
    context_forget(context);
    return CUDA_SUCCESS;
}

/* A context that was passed, or the current one for NULL. */
static CUresult context_of(CUcontext *context)
{
    if (*context == NULL)
        *context = context_current();
    if (!object_valid(*context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    return context_check(*context);
}

/* Even of a context that has failed. */
static CUresult get_device(CUdevice *device, CUcontext context)
{
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *device = context->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    API(cuCtxGetDevice, NEEDS_INIT);
    return get_device(device, context_current());
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    API(cuCtxGetDevice_v2, NEEDS_INIT);
    return get_device(device, context != NULL ? context : context_current());
}

static CUresult synchronize(CUcontext context)
{
    CUresult result = capture_refuses_unsafe();

    if (result == CUDA_SUCCESS)
        result = context_wait(context);
    if (result == CUDA_SUCCESS)
        pools_synchronize(context->device);
    return result;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    API(cuCtxGetFlags, NEEDS_CONTEXT);
    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = context_current()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    API(cuCtxSynchronize, NEEDS_CONTEXT);
    return synchronize(context_current());
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
    API(cuCtxSynchronize_v2, NEEDS_INIT);
    CUresult result = context_of(&context);
    return result != CUDA_SUCCESS ? result : synchronize(context);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    API(cuCtxGetApiVersion, NEEDS_INIT);
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == NULL)
        context = context_current();
    if (!object_valid(context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    API(cuCtxSetFlags, NEEDS_CONTEXT);
    if ((flags & ~(unsigned int)CONTEXT_FLAGS) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    context_current()->flags = flags;
    return CUDA_SUCCESS;
}

/* Another holder of the context, who lets go of it with cuCtxDetach. */
CUresult cuCtxAttach(CUcontext *context, unsigned int flags)
{
    API(cuCtxAttach, NEEDS_CONTEXT);
    if (context == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *context = context_current();
    (*context)->attached++;
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context)
{
    API(cuCtxDetach, NEEDS_INIT);
    if (!object_valid(context, OBJECT_CONTEXT) || context != context_current() || context->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context->attached > 0) {
        context->attached--;
        return CUDA_SUCCESS;
    }
    objects_release(context);
    context->alive = false;
    context_forget(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(uint32_t *configuration)
{
    API(cuCtxGetSharedMemConfig, NEEDS_CONTEXT);
    if (configuration == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *configuration = SHARED_CONFIG_FOUR_BYTES;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(uint32_t configuration)
{
    API(cuCtxSetSharedMemConfig, NEEDS_CONTEXT);
    return configuration <= SHARED_CONFIG_MOST ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    API(cuCtxResetPersistingL2Cache, NEEDS_CONTEXT);
    return CUDA_SUCCESS;
}
