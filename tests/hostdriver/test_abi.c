/* SPDX-License-Identifier: MIT */
/* test_abi.c: holds the host driver's functions and structures against the toolkit's headers.
 *
 * All of it is done by the compiler: that this program exists is the result.
 */
#if HAVE_CUDA_H
#define __CUDA_API_VERSION_INTERNAL 1 /* the old signatures too */
#include <cuda.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if HAVE_CUDA_H && CUDA_VERSION >= 13000

#define CUDA_ABI_LISTS_ONLY
#define CUDA_ABI_STRUCT(name) ours_##name
#include "hostdriver/more_abi.h"

#define STRUCT(name)                                                                                         \
    _Static_assert(sizeof(name) == sizeof(ours_##name), #name " has another size in cuda.h");                \
    _Static_assert(_Alignof(name) == _Alignof(ours_##name), #name " is aligned otherwise in cuda.h");
#define FIELD(name, field)                                                                                   \
    _Static_assert(offsetof(name, field) == offsetof(ours_##name, field),                                    \
                   #name "." #field " is elsewhere in cuda.h");                                              \
    _Static_assert(sizeof(((name *)0)->field) == sizeof(((ours_##name *)0)->field),                          \
                   #name "." #field " has another size in cuda.h");

STRUCT(CUctxCreateParams)
FIELD(CUctxCreateParams, cigParams)
STRUCT(CUdevprop)
FIELD(CUdevprop, textureAlign)
STRUCT(CUDA_MEMCPY3D)
FIELD(CUDA_MEMCPY3D, srcHost)
FIELD(CUDA_MEMCPY3D, srcPitch)
FIELD(CUDA_MEMCPY3D, dstXInBytes)
FIELD(CUDA_MEMCPY3D, dstDevice)
FIELD(CUDA_MEMCPY3D, dstHeight)
FIELD(CUDA_MEMCPY3D, Depth)
STRUCT(CUmemAccessDesc)
FIELD(CUmemAccessDesc, flags)
STRUCT(CUmemAllocationProp)
FIELD(CUmemAllocationProp, location)
FIELD(CUmemAllocationProp, allocFlags)
STRUCT(CUDA_KERNEL_NODE_PARAMS_v1)
FIELD(CUDA_KERNEL_NODE_PARAMS_v1, extra)
STRUCT(CUDA_KERNEL_NODE_PARAMS)
FIELD(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes)
FIELD(CUDA_KERNEL_NODE_PARAMS, kernelParams)
FIELD(CUDA_KERNEL_NODE_PARAMS, ctx)
STRUCT(CUDA_MEMSET_NODE_PARAMS)
FIELD(CUDA_MEMSET_NODE_PARAMS, elementSize)
FIELD(CUDA_MEMSET_NODE_PARAMS, height)
STRUCT(CUDA_MEMSET_NODE_PARAMS_v2)
FIELD(CUDA_MEMSET_NODE_PARAMS_v2, ctx)
STRUCT(CUDA_HOST_NODE_PARAMS)
FIELD(CUDA_HOST_NODE_PARAMS, userData)
STRUCT(CUDA_MEM_ALLOC_NODE_PARAMS)
FIELD(CUDA_MEM_ALLOC_NODE_PARAMS, bytesize)
FIELD(CUDA_MEM_ALLOC_NODE_PARAMS, dptr)
STRUCT(CUDA_MEMCPY_NODE_PARAMS)
FIELD(CUDA_MEMCPY_NODE_PARAMS, copyParams)
STRUCT(CUgraphNodeParams)
FIELD(CUgraphNodeParams, kernel.ctx)
FIELD(CUgraphNodeParams, memcpy.copyParams)
FIELD(CUgraphNodeParams, memset.dst)
FIELD(CUgraphNodeParams, graph.graph)
FIELD(CUgraphNodeParams, eventWait.event)
FIELD(CUgraphNodeParams, alloc.dptr)
STRUCT(CUgraphEdgeData)
STRUCT(CUDA_GRAPH_INSTANTIATE_PARAMS)
FIELD(CUDA_GRAPH_INSTANTIATE_PARAMS, result_out)
STRUCT(CUgraphExecUpdateResultInfo)
FIELD(CUgraphExecUpdateResultInfo, errorFromNode)

/* The names in functions.h now mean cuda.h's types. */
#define HOSTDRIVER_SIGNATURES_ONLY
#include "hostdriver/functions.h"

#define X(name, symbol, version, parameters)                                                                 \
    _Static_assert(__builtin_types_compatible_p(CUresult(*) parameters, PFN_##name##_v##version),            \
                   #symbol " has another signature in cudaTypedefs.h");
API_FUNCTIONS(X)

int main(void)
{
    return 0;
}

#else

int main(void)
{
    fprintf(stderr, "skipped: no cuda.h of CUDA 13.0 or later was found\n");
    return 77;
}

#endif
