/* SPDX-License-Identifier: MIT */
/* test_cuda_abi.c: holds lib/cuda_abi.h and lib/driver_symbols.h against the toolkit's headers.
 *
 * All of it is done by the compiler: that this program exists is the result.
 */
#if HAVE_CUDA_H
#include <cuda.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Older headers lack some of the names; what they have was not renumbered since. */
#if HAVE_CUDA_H && CUDA_VERSION >= 13000

#define CUDA_ABI_LISTS_ONLY
#define CUDA_ABI_STRUCT(name) ours_##name
#include "lib/cuda_abi.h"
#include "lib/driver_symbols.h"

#define CONSTANT(name, value)                                                                                \
    _Static_assert((long long)(name) == (value), #name " has another value in cuda.h");

CUDA_ABI_RESULTS(CONSTANT)
CUDA_ABI_DEVICE_ATTRIBUTES(CONSTANT)
CUDA_ABI_FUNCTION_ATTRIBUTES(CONSTANT)
CUDA_ABI_CONSTANTS(CONSTANT)

/* The types that cuda_abi.h declares as integers or pointers of its own. */
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type " has another size in cuda.h");

SIZE(CUresult, 4)
SIZE(CUdevice_attribute, 4)
SIZE(CUfunction_attribute, 4)
SIZE(CUpointer_attribute, 4)
SIZE(CUmemPool_attribute, 4)
SIZE(CUmemorytype, 4)
SIZE(CUjit_option, 4)
SIZE(CUdriverProcAddressQueryResult, 4)
SIZE(CUlaunchAttributeID, 4)
SIZE(cuuint64_t, 8)
SIZE(CUdevice, sizeof(int))
SIZE(CUcontext, sizeof(void *))
SIZE(CUmodule, sizeof(void *))
SIZE(CUfunction, sizeof(void *))
SIZE(CUstream, sizeof(void *))
SIZE(CUevent, sizeof(void *))
SIZE(CUmemoryPool, sizeof(void *))
SIZE(CUarray, sizeof(void *))
_Static_assert(__builtin_types_compatible_p(CUdeviceptr, unsigned long long), "CUdeviceptr is another type");
_Static_assert(__builtin_types_compatible_p(CUdevice, int), "CUdevice is another type");

#define STRUCT(name)                                                                                         \
    _Static_assert(sizeof(name) == sizeof(ours_##name), #name " has another size in cuda.h");                \
    _Static_assert(_Alignof(name) == _Alignof(ours_##name), #name " is aligned otherwise in cuda.h");
#define FIELD(name, field)                                                                                   \
    _Static_assert(offsetof(name, field) == offsetof(ours_##name, field),                                    \
                   #name "." #field " is elsewhere in cuda.h");                                              \
    _Static_assert(sizeof(((name *)0)->field) == sizeof(((ours_##name *)0)->field),                          \
                   #name "." #field " has another size in cuda.h");

STRUCT(CUuuid)
FIELD(CUuuid, bytes)

STRUCT(CUDA_MEMCPY2D)
FIELD(CUDA_MEMCPY2D, srcXInBytes)
FIELD(CUDA_MEMCPY2D, srcY)
FIELD(CUDA_MEMCPY2D, srcMemoryType)
FIELD(CUDA_MEMCPY2D, srcHost)
FIELD(CUDA_MEMCPY2D, srcDevice)
FIELD(CUDA_MEMCPY2D, srcArray)
FIELD(CUDA_MEMCPY2D, srcPitch)
FIELD(CUDA_MEMCPY2D, dstXInBytes)
FIELD(CUDA_MEMCPY2D, dstY)
FIELD(CUDA_MEMCPY2D, dstMemoryType)
FIELD(CUDA_MEMCPY2D, dstHost)
FIELD(CUDA_MEMCPY2D, dstDevice)
FIELD(CUDA_MEMCPY2D, dstArray)
FIELD(CUDA_MEMCPY2D, dstPitch)
FIELD(CUDA_MEMCPY2D, WidthInBytes)
FIELD(CUDA_MEMCPY2D, Height)

STRUCT(CUmemLocation)
FIELD(CUmemLocation, type)
FIELD(CUmemLocation, id)

STRUCT(CUmemPoolProps)
FIELD(CUmemPoolProps, allocType)
FIELD(CUmemPoolProps, handleTypes)
FIELD(CUmemPoolProps, location)
FIELD(CUmemPoolProps, win32SecurityAttributes)
FIELD(CUmemPoolProps, maxSize)
FIELD(CUmemPoolProps, usage)
FIELD(CUmemPoolProps, reserved)

STRUCT(CUlaunchAttributeValue)
FIELD(CUlaunchAttributeValue, clusterDim)
FIELD(CUlaunchAttributeValue, cooperative)

STRUCT(CUlaunchAttribute)
FIELD(CUlaunchAttribute, id)
FIELD(CUlaunchAttribute, value)

STRUCT(CUlaunchConfig)
FIELD(CUlaunchConfig, gridDimX)
FIELD(CUlaunchConfig, gridDimY)
FIELD(CUlaunchConfig, gridDimZ)
FIELD(CUlaunchConfig, blockDimX)
FIELD(CUlaunchConfig, blockDimY)
FIELD(CUlaunchConfig, blockDimZ)
FIELD(CUlaunchConfig, sharedMemBytes)
FIELD(CUlaunchConfig, hStream)
FIELD(CUlaunchConfig, attrs)
FIELD(CUlaunchConfig, numAttrs)

#define SIGNATURE(need, name, version, parameters)                                                           \
    _Static_assert(__builtin_types_compatible_p(CUresult(*) parameters, PFN_##name##_v##version),            \
                   #name " has another signature in cudaTypedefs.h");

DRIVER_SYMBOLS(SIGNATURE)

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
