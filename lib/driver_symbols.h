/* SPDX-License-Identifier: MIT */
/* driver_symbols.h: every driver function that isomat calls, one row each.
 *
 *   X(need, name, version, (parameters))
 *
 * need     REQUIRED: without it the driver is too old for isomat.
 *          OPTIONAL: a call without it gives CUDA_ERROR_NOT_SUPPORTED.
 * version  the CUDA version whose signature is declared here; cuGetProcAddress
 *          is asked for exactly that one, since a newer one may differ.
 *
 * The rows give the table of pointers (driver.h), the loader (driver.c) and a
 * comparison of each signature with cudaTypedefs.h (tests/test_cuda_abi.c).
 */
#ifndef ISOMAT_DRIVER_SYMBOLS_H
#define ISOMAT_DRIVER_SYMBOLS_H

/* clang-format off */
#define DRIVER_SYMBOLS(X) \
    X(REQUIRED, cuInit, 2000, (unsigned int flags)) \
    X(REQUIRED, cuDriverGetVersion, 2020, (int *version)) \
    X(REQUIRED, cuGetErrorName, 6000, (CUresult error, const char **name)) \
    X(REQUIRED, cuGetErrorString, 6000, (CUresult error, const char **text)) \
    X(REQUIRED, cuDeviceGet, 2000, (CUdevice *device, int ordinal)) \
    X(REQUIRED, cuDeviceGetCount, 2000, (int *count)) \
    X(REQUIRED, cuDeviceGetName, 2000, (char *name, int capacity, CUdevice device)) \
    X(REQUIRED, cuDeviceGetAttribute, 2000, (int *value, CUdevice_attribute attribute, CUdevice device)) \
    X(REQUIRED, cuDeviceTotalMem, 3020, (size_t *bytes, CUdevice device)) \
    X(OPTIONAL, cuDeviceGetUuid, 11040, (CUuuid *uuid, CUdevice device)) \
    X(REQUIRED, cuDevicePrimaryCtxRetain, 7000, (CUcontext *context, CUdevice device)) \
    X(REQUIRED, cuDevicePrimaryCtxRelease, 11000, (CUdevice device)) \
    X(REQUIRED, cuCtxCreate, 3020, (CUcontext *context, unsigned int flags, CUdevice device)) \
    X(REQUIRED, cuCtxDestroy, 4000, (CUcontext context)) \
    X(REQUIRED, cuCtxPushCurrent, 4000, (CUcontext context)) \
    X(REQUIRED, cuCtxPopCurrent, 4000, (CUcontext *context)) \
    X(REQUIRED, cuCtxGetCurrent, 4000, (CUcontext *context)) \
    X(REQUIRED, cuCtxGetDevice, 2000, (CUdevice *device)) \
    X(REQUIRED, cuCtxSynchronize, 2000, (void)) \
    X(REQUIRED, cuStreamCreateWithPriority, 5050, (CUstream *stream, unsigned int flags, int priority)) \
    X(REQUIRED, cuStreamDestroy, 4000, (CUstream stream)) \
    X(REQUIRED, cuStreamSynchronize, 2000, (CUstream stream)) \
    X(REQUIRED, cuStreamQuery, 2000, (CUstream stream)) \
    X(REQUIRED, cuStreamWaitEvent, 3020, (CUstream stream, CUevent event, unsigned int flags)) \
    X(OPTIONAL, cuStreamGetCtx, 9020, (CUstream stream, CUcontext *context)) \
    X(REQUIRED, cuEventCreate, 2000, (CUevent *event, unsigned int flags)) \
    X(REQUIRED, cuEventDestroy, 4000, (CUevent event)) \
    X(REQUIRED, cuEventRecord, 2000, (CUevent event, CUstream stream)) \
    X(REQUIRED, cuEventSynchronize, 2000, (CUevent event)) \
    X(REQUIRED, cuEventQuery, 2000, (CUevent event)) \
    X(REQUIRED, cuEventElapsedTime, 2000, (float *milliseconds, CUevent start, CUevent end)) \
    X(REQUIRED, cuMemAlloc, 3020, (CUdeviceptr *pointer, size_t bytes)) \
    X(REQUIRED, cuMemFree, 3020, (CUdeviceptr pointer)) \
    X(REQUIRED, cuMemGetInfo, 3020, (size_t *free_bytes, size_t *total_bytes)) \
    X(OPTIONAL, cuMemAllocFromPoolAsync, 11020, (CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream stream)) \
    X(OPTIONAL, cuMemFreeAsync, 11020, (CUdeviceptr pointer, CUstream stream)) \
    X(OPTIONAL, cuMemPoolCreate, 11020, (CUmemoryPool *pool, const CUmemPoolProps *properties)) \
    X(OPTIONAL, cuMemPoolDestroy, 11020, (CUmemoryPool pool)) \
    X(OPTIONAL, cuMemPoolSetAttribute, 11020, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value)) \
    X(OPTIONAL, cuMemPoolGetAttribute, 11020, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value)) \
    X(OPTIONAL, cuMemPoolTrimTo, 11020, (CUmemoryPool pool, size_t keep_bytes)) \
    X(REQUIRED, cuMemHostAlloc, 2020, (void **pointer, size_t bytes, unsigned int flags)) \
    X(REQUIRED, cuMemFreeHost, 2000, (void *pointer)) \
    X(REQUIRED, cuMemcpyHtoDAsync, 3020, (CUdeviceptr destination, const void *source, size_t bytes, CUstream stream)) \
    X(REQUIRED, cuMemcpyDtoHAsync, 3020, (void *destination, CUdeviceptr source, size_t bytes, CUstream stream)) \
    X(REQUIRED, cuMemcpyDtoDAsync, 3020, (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream)) \
    X(REQUIRED, cuMemcpy2DAsync, 3020, (const CUDA_MEMCPY2D *copy, CUstream stream)) \
    X(REQUIRED, cuMemsetD8Async, 3020, (CUdeviceptr destination, unsigned char value, size_t count, CUstream stream)) \
    X(REQUIRED, cuMemsetD16Async, 3020, (CUdeviceptr destination, unsigned short value, size_t count, CUstream stream)) \
    X(REQUIRED, cuMemsetD32Async, 3020, (CUdeviceptr destination, unsigned int value, size_t count, CUstream stream)) \
    X(REQUIRED, cuPointerGetAttribute, 4000, (void *data, CUpointer_attribute attribute, CUdeviceptr pointer)) \
    X(REQUIRED, cuModuleLoadDataEx, 2010, (CUmodule *module, const void *image, unsigned int option_count, CUjit_option *options, void **values)) \
    X(REQUIRED, cuModuleUnload, 2000, (CUmodule module)) \
    X(REQUIRED, cuModuleGetFunction, 2000, (CUfunction *function, CUmodule module, const char *name)) \
    X(REQUIRED, cuModuleGetGlobal, 3020, (CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name)) \
    X(REQUIRED, cuFuncGetAttribute, 2020, (int *value, CUfunction_attribute attribute, CUfunction function)) \
    X(REQUIRED, cuFuncSetAttribute, 9000, (CUfunction function, CUfunction_attribute attribute, int value)) \
    X(OPTIONAL, cuFuncGetParamInfo, 12040, (CUfunction function, size_t index, size_t *offset_bytes, size_t *size_bytes)) \
    X(OPTIONAL, cuFuncLoad, 12040, (CUfunction function)) \
    X(REQUIRED, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, (int *blocks, CUfunction function, int block_threads, size_t dynamic_shared_bytes)) \
    X(REQUIRED, cuLaunchKernel, 4000, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **parameters, void **extra)) \
    X(OPTIONAL, cuStreamBeginCapture, 10010, (CUstream stream, CUstreamCaptureMode mode)) \
    X(OPTIONAL, cuStreamEndCapture, 10000, (CUstream stream, CUgraph *graph)) \
    X(OPTIONAL, cuGraphGetNodes, 10000, (CUgraph graph, CUgraphNode *nodes, size_t *count)) \
    X(OPTIONAL, cuGraphDestroy, 10000, (CUgraph graph)) \
    X(OPTIONAL, cuGraphInstantiateWithFlags, 11040, (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
    X(OPTIONAL, cuGraphLaunch, 10000, (CUgraphExec exec, CUstream stream)) \
    X(OPTIONAL, cuGraphExecDestroy, 10000, (CUgraphExec exec)) \
    X(OPTIONAL, cuProfilerStart, 4000, (void)) \
    X(OPTIONAL, cuProfilerStop, 4000, (void)) \
    X(OPTIONAL, cuTensorMapEncodeTiled, 12000, (CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dims, const cuuint64_t *strides_bytes, const cuuint32_t *box, const cuuint32_t *element_strides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)) \
    X(OPTIONAL, cuLaunchKernelEx, 11060, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))
/* clang-format on */

#endif /* ISOMAT_DRIVER_SYMBOLS_H */
