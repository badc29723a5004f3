/* SPDX-License-Identifier: MIT */
/* functions.h: every driver function that the host driver exports.
 *
 *   X(name, symbol, version, (parameters))
 *
 * name is what cuGetProcAddress is asked for, symbol what is exported, version
 * the CUDA version from which on the name means this symbol.
 */
#ifndef HOSTDRIVER_FUNCTIONS_H
#define HOSTDRIVER_FUNCTIONS_H

/* tests/hostdriver/test_abi.c takes the list alone. */
#ifndef HOSTDRIVER_SIGNATURES_ONLY
#include "more_abi.h"
#endif

/* clang-format off */
#define API_FUNCTIONS(X) \
    X(cuInit, cuInit, 2000, (unsigned int flags)) \
    X(cuDriverGetVersion, cuDriverGetVersion, 2020, (int *version)) \
    X(cuGetProcAddress, cuGetProcAddress, 11030, (const char *symbol, void **function, int version, cuuint64_t flags)) \
    X(cuGetProcAddress, cuGetProcAddress_v2, 12000, (const char *symbol, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status)) \
    X(cuGetErrorName, cuGetErrorName, 6000, (CUresult error, const char **name)) \
    X(cuGetErrorString, cuGetErrorString, 6000, (CUresult error, const char **text)) \
    X(cuDeviceGet, cuDeviceGet, 2000, (CUdevice *device, int ordinal)) \
    X(cuDeviceGetCount, cuDeviceGetCount, 2000, (int *count)) \
    X(cuDeviceGetName, cuDeviceGetName, 2000, (char *name, int capacity, CUdevice device)) \
    X(cuDeviceGetUuid, cuDeviceGetUuid, 9020, (CUuuid *uuid, CUdevice device)) \
    X(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, (CUuuid *uuid, CUdevice device)) \
    X(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020, (size_t *bytes, CUdevice device)) \
    X(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000, (int *value, CUdevice_attribute attribute, CUdevice device)) \
    X(cuDeviceComputeCapability, cuDeviceComputeCapability, 2000, (int *major, int *minor, CUdevice device)) \
    X(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020, (CUmemoryPool *pool, CUdevice device)) \
    X(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, (CUmemoryPool *pool, CUdevice device)) \
    X(cuDeviceSetMemPool, cuDeviceSetMemPool, 11020, (CUdevice device, CUmemoryPool pool)) \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, (CUcontext *context, CUdevice device)) \
    X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 7000, (CUdevice device)) \
    X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000, (CUdevice device)) \
    X(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags, 7000, (CUdevice device, unsigned int flags)) \
    X(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000, (CUdevice device, unsigned int flags)) \
    X(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000, (CUdevice device, unsigned int *flags, int *active)) \
    X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 7000, (CUdevice device)) \
    X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000, (CUdevice device)) \
    X(cuCtxCreate, cuCtxCreate_v2, 3020, (CUcontext *context, unsigned int flags, CUdevice device)) \
    X(cuCtxDestroy, cuCtxDestroy_v2, 4000, (CUcontext context)) \
    X(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, (CUcontext context)) \
    X(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, (CUcontext *context)) \
    X(cuCtxSetCurrent, cuCtxSetCurrent, 4000, (CUcontext context)) \
    X(cuCtxGetCurrent, cuCtxGetCurrent, 4000, (CUcontext *context)) \
    X(cuCtxGetDevice, cuCtxGetDevice, 2000, (CUdevice *device)) \
    X(cuCtxGetFlags, cuCtxGetFlags, 7000, (unsigned int *flags)) \
    X(cuCtxSynchronize, cuCtxSynchronize, 2000, (void)) \
    X(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, (CUcontext context, unsigned int *version)) \
    X(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050, (int *least, int *greatest)) \
    X(cuStreamCreate, cuStreamCreate, 2000, (CUstream *stream, unsigned int flags)) \
    X(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050, (CUstream *stream, unsigned int flags, int priority)) \
    X(cuStreamDestroy, cuStreamDestroy_v2, 4000, (CUstream stream)) \
    X(cuStreamSynchronize, cuStreamSynchronize, 2000, (CUstream stream)) \
    X(cuStreamQuery, cuStreamQuery, 2000, (CUstream stream)) \
    X(cuStreamWaitEvent, cuStreamWaitEvent, 3020, (CUstream stream, CUevent event, unsigned int flags)) \
    X(cuStreamGetCtx, cuStreamGetCtx, 9020, (CUstream stream, CUcontext *context)) \
    X(cuStreamGetFlags, cuStreamGetFlags, 5050, (CUstream stream, unsigned int *flags)) \
    X(cuStreamGetPriority, cuStreamGetPriority, 5050, (CUstream stream, int *priority)) \
    X(cuEventCreate, cuEventCreate, 2000, (CUevent *event, unsigned int flags)) \
    X(cuEventDestroy, cuEventDestroy_v2, 4000, (CUevent event)) \
    X(cuEventRecord, cuEventRecord, 2000, (CUevent event, CUstream stream)) \
    X(cuEventSynchronize, cuEventSynchronize, 2000, (CUevent event)) \
    X(cuEventQuery, cuEventQuery, 2000, (CUevent event)) \
    X(cuEventElapsedTime, cuEventElapsedTime, 2000, (float *milliseconds, CUevent start, CUevent end)) \
    X(cuEventElapsedTime, cuEventElapsedTime_v2, 12080, (float *milliseconds, CUevent start, CUevent end)) \
    X(cuMemAlloc, cuMemAlloc_v2, 3020, (CUdeviceptr *pointer, size_t bytes)) \
    X(cuMemAllocPitch, cuMemAllocPitch_v2, 3020, (CUdeviceptr *pointer, size_t *pitch, size_t width_bytes, size_t height, unsigned int element_bytes)) \
    X(cuMemFree, cuMemFree_v2, 3020, (CUdeviceptr pointer)) \
    X(cuMemGetInfo, cuMemGetInfo_v2, 3020, (size_t *free_bytes, size_t *total_bytes)) \
    X(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020, (CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer)) \
    X(cuMemAllocAsync, cuMemAllocAsync, 11020, (CUdeviceptr *pointer, size_t bytes, CUstream stream)) \
    X(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020, (CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream stream)) \
    X(cuMemFreeAsync, cuMemFreeAsync, 11020, (CUdeviceptr pointer, CUstream stream)) \
    X(cuMemPoolCreate, cuMemPoolCreate, 11020, (CUmemoryPool *pool, const CUmemPoolProps *properties)) \
    X(cuMemPoolDestroy, cuMemPoolDestroy, 11020, (CUmemoryPool pool)) \
    X(cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value)) \
    X(cuMemPoolGetAttribute, cuMemPoolGetAttribute, 11020, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value)) \
    X(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, (CUmemoryPool pool, size_t keep_bytes)) \
    X(cuMemHostAlloc, cuMemHostAlloc, 2020, (void **pointer, size_t bytes, unsigned int flags)) \
    X(cuMemAllocHost, cuMemAllocHost_v2, 3020, (void **pointer, size_t bytes)) \
    X(cuMemFreeHost, cuMemFreeHost, 2000, (void *pointer)) \
    X(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020, (CUdeviceptr *device_pointer, void *pointer, unsigned int flags)) \
    X(cuMemHostGetFlags, cuMemHostGetFlags, 2030, (unsigned int *flags, void *pointer)) \
    X(cuMemHostRegister, cuMemHostRegister_v2, 6050, (void *pointer, size_t bytes, unsigned int flags)) \
    X(cuMemHostUnregister, cuMemHostUnregister, 4000, (void *pointer)) \
    X(cuPointerGetAttribute, cuPointerGetAttribute, 4000, (void *data, CUpointer_attribute attribute, CUdeviceptr pointer)) \
    X(cuPointerGetAttributes, cuPointerGetAttributes, 7000, (unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer)) \
    X(cuMemcpy, cuMemcpy, 4000, (CUdeviceptr destination, CUdeviceptr source, size_t bytes)) \
    X(cuMemcpyAsync, cuMemcpyAsync, 4000, (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream)) \
    X(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, (CUdeviceptr destination, const void *source, size_t bytes)) \
    X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020, (CUdeviceptr destination, const void *source, size_t bytes, CUstream stream)) \
    X(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, (void *destination, CUdeviceptr source, size_t bytes)) \
    X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020, (void *destination, CUdeviceptr source, size_t bytes, CUstream stream)) \
    X(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, (CUdeviceptr destination, CUdeviceptr source, size_t bytes)) \
    X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020, (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream)) \
    X(cuMemcpy2D, cuMemcpy2D_v2, 3020, (const CUDA_MEMCPY2D *copy)) \
    X(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2, 3020, (const CUDA_MEMCPY2D *copy)) \
    X(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, 3020, (const CUDA_MEMCPY2D *copy, CUstream stream)) \
    X(cuMemsetD8, cuMemsetD8_v2, 3020, (CUdeviceptr destination, unsigned char value, size_t count)) \
    X(cuMemsetD16, cuMemsetD16_v2, 3020, (CUdeviceptr destination, unsigned short value, size_t count)) \
    X(cuMemsetD32, cuMemsetD32_v2, 3020, (CUdeviceptr destination, unsigned int value, size_t count)) \
    X(cuMemsetD8Async, cuMemsetD8Async, 3020, (CUdeviceptr destination, unsigned char value, size_t count, CUstream stream)) \
    X(cuMemsetD16Async, cuMemsetD16Async, 3020, (CUdeviceptr destination, unsigned short value, size_t count, CUstream stream)) \
    X(cuMemsetD32Async, cuMemsetD32Async, 3020, (CUdeviceptr destination, unsigned int value, size_t count, CUstream stream)) \
    X(cuMemsetD2D8, cuMemsetD2D8_v2, 3020, (CUdeviceptr destination, size_t pitch, unsigned char value, size_t width, size_t height)) \
    X(cuMemsetD2D16, cuMemsetD2D16_v2, 3020, (CUdeviceptr destination, size_t pitch, unsigned short value, size_t width, size_t height)) \
    X(cuMemsetD2D32, cuMemsetD2D32_v2, 3020, (CUdeviceptr destination, size_t pitch, unsigned int value, size_t width, size_t height)) \
    X(cuMemsetD2D8Async, cuMemsetD2D8Async, 3020, (CUdeviceptr destination, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream)) \
    X(cuMemsetD2D16Async, cuMemsetD2D16Async, 3020, (CUdeviceptr destination, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream)) \
    X(cuMemsetD2D32Async, cuMemsetD2D32Async, 3020, (CUdeviceptr destination, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream)) \
    X(cuModuleLoad, cuModuleLoad, 2000, (CUmodule *module, const char *path)) \
    X(cuModuleLoadData, cuModuleLoadData, 2000, (CUmodule *module, const void *image)) \
    X(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, (CUmodule *module, const void *image, unsigned int option_count, CUjit_option *options, void **values)) \
    X(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000, (CUmodule *module, const void *image)) \
    X(cuModuleUnload, cuModuleUnload, 2000, (CUmodule module)) \
    X(cuModuleGetLoadingMode, cuModuleGetLoadingMode, 11070, (uint32_t *mode)) \
    X(cuModuleGetFunction, cuModuleGetFunction, 2000, (CUfunction *function, CUmodule module, const char *name)) \
    X(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 12040, (unsigned int *count, CUmodule module)) \
    X(cuModuleGetGlobal, cuModuleGetGlobal_v2, 3020, (CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name)) \
    X(cuFuncGetAttribute, cuFuncGetAttribute, 2020, (int *value, CUfunction_attribute attribute, CUfunction function)) \
    X(cuFuncSetAttribute, cuFuncSetAttribute, 9000, (CUfunction function, CUfunction_attribute attribute, int value)) \
    X(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000, (CUfunction function, uint32_t configuration)) \
    X(cuFuncGetModule, cuFuncGetModule, 11000, (CUmodule *module, CUfunction function)) \
    X(cuFuncGetName, cuFuncGetName, 12030, (const char **name, CUfunction function)) \
    X(cuFuncGetParamInfo, cuFuncGetParamInfo, 12040, (CUfunction function, size_t index, size_t *offset_bytes, size_t *size_bytes)) \
    X(cuFuncLoad, cuFuncLoad, 12040, (CUfunction function)) \
    X(cuFuncIsLoaded, cuFuncIsLoaded, 12040, (uint32_t *state, CUfunction function)) \
    X(cuLaunchKernel, cuLaunchKernel, 4000, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **parameters, void **extra)) \
    X(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **parameters)) \
    X(cuLaunchKernelEx, cuLaunchKernelEx, 11060, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)) \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, (int *blocks, CUfunction function, int block_threads, size_t dynamic_shared_bytes)) \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, (int *blocks, CUfunction function, int block_threads, size_t dynamic_shared_bytes, unsigned int flags)) \
    X(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 6050, (int *min_grid, int *block, CUfunction function, size_t (*shared_of_block)(int), size_t dynamic_shared_bytes, int limit)) \
    X(cuLibraryLoadData, cuLibraryLoadData, 12000, (CUlibrary *library, const void *code, CUjit_option *jit_options, void **jit_values, unsigned int jit_count, uint32_t *library_options, void **library_values, unsigned int library_count)) \
    X(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000, (CUlibrary *library, const char *path, CUjit_option *jit_options, void **jit_values, unsigned int jit_count, uint32_t *library_options, void **library_values, unsigned int library_count)) \
    X(cuLibraryUnload, cuLibraryUnload, 12000, (CUlibrary library)) \
    X(cuLibraryGetKernel, cuLibraryGetKernel, 12000, (CUkernel *kernel, CUlibrary library, const char *name)) \
    X(cuLibraryGetKernelCount, cuLibraryGetKernelCount, 12040, (unsigned int *count, CUlibrary library)) \
    X(cuLibraryGetModule, cuLibraryGetModule, 12000, (CUmodule *module, CUlibrary library)) \
    X(cuLibraryGetGlobal, cuLibraryGetGlobal, 12000, (CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name)) \
    X(cuKernelGetFunction, cuKernelGetFunction, 12000, (CUfunction *function, CUkernel kernel)) \
    X(cuKernelGetLibrary, cuKernelGetLibrary, 12050, (CUlibrary *library, CUkernel kernel)) \
    X(cuKernelGetName, cuKernelGetName, 12030, (const char **name, CUkernel kernel)) \
    X(cuKernelGetParamInfo, cuKernelGetParamInfo, 12040, (CUkernel kernel, size_t index, size_t *offset_bytes, size_t *size_bytes)) \
    X(cuKernelGetAttribute, cuKernelGetAttribute, 12000, (int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)) \
    X(cuKernelSetAttribute, cuKernelSetAttribute, 12000, (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)) \
    X(cuKernelSetCacheConfig, cuKernelSetCacheConfig, 12000, (CUkernel kernel, uint32_t configuration, CUdevice device)) \
    X(cuLinkCreate, cuLinkCreate_v2, 6050, (unsigned int count, CUjit_option *options, void **values, CUlinkState *state)) \
    X(cuLinkAddData, cuLinkAddData_v2, 6050, (CUlinkState state, uint32_t type, void *data, size_t bytes, const char *name, unsigned int count, CUjit_option *options, void **values)) \
    X(cuLinkAddFile, cuLinkAddFile_v2, 6050, (CUlinkState state, uint32_t type, const char *path, unsigned int count, CUjit_option *options, void **values)) \
    X(cuLinkComplete, cuLinkComplete, 5050, (CUlinkState state, void **image, size_t *bytes)) \
    X(cuLinkDestroy, cuLinkDestroy, 5050, (CUlinkState state)) \
    X(cuCtxGetLimit, cuCtxGetLimit, 3010, (size_t *value, uint32_t limit)) \
    X(cuCtxSetLimit, cuCtxSetLimit, 3010, (uint32_t limit, size_t value)) \
    X(cuCtxGetCacheConfig, cuCtxGetCacheConfig, 3020, (uint32_t *configuration)) \
    X(cuCtxSetCacheConfig, cuCtxSetCacheConfig, 3020, (uint32_t configuration)) \
    X(cuCtxGetId, cuCtxGetId, 12000, (CUcontext context, unsigned long long *id)) \
    X(cuCtxCreate, cuCtxCreate_v3, 11040, (CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned int flags, CUdevice device)) \
    X(cuCtxCreate, cuCtxCreate_v4, 12050, (CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device)) \
    X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, (char *text, int capacity, CUdevice device)) \
    X(cuDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, 4010, (CUdevice *device, const char *text)) \
    X(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, (int *can, CUdevice device, CUdevice peer)) \
    X(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, (CUcontext peer, unsigned int flags)) \
    X(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, (CUcontext peer)) \
    X(cuMemcpyPeer, cuMemcpyPeer, 4000, (CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, size_t bytes)) \
    X(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, (CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, size_t bytes, CUstream stream)) \
    X(cuMemAdvise, cuMemAdvise, 8000, (CUdeviceptr pointer, size_t bytes, uint32_t advice, CUdevice device)) \
    X(cuMemPrefetchAsync, cuMemPrefetchAsync, 8000, (CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream)) \
    X(cuLaunchHostFunc, cuLaunchHostFunc, 10000, (CUstream stream, CUhostFn function, void *data)) \
    X(cuStreamAddCallback, cuStreamAddCallback, 5000, (CUstream stream, CUstreamCallback function, void *data, unsigned int flags)) \
    X(cuStreamGetId, cuStreamGetId, 12000, (CUstream stream, unsigned long long *id)) \
    X(cuStreamIsCapturing, cuStreamIsCapturing, 10000, (CUstream stream, uint32_t *status)) \
    X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010, (uint32_t *mode)) \
    X(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010, (CUevent event, CUstream stream, unsigned int flags)) \
    X(cuProfilerStart, cuProfilerStart, 4000, (void)) \
    X(cuProfilerStop, cuProfilerStop, 4000, (void)) \
    X(cuCtxGetDevice, cuCtxGetDevice_v2, 13000, (CUdevice *device, CUcontext context)) \
    X(cuCtxSynchronize, cuCtxSynchronize_v2, 13000, (CUcontext context)) \
    X(cuCtxSetFlags, cuCtxSetFlags, 12010, (unsigned int flags)) \
    X(cuCtxAttach, cuCtxAttach, 2000, (CUcontext *context, unsigned int flags)) \
    X(cuCtxDetach, cuCtxDetach, 2000, (CUcontext context)) \
    X(cuCtxGetSharedMemConfig, cuCtxGetSharedMemConfig, 4020, (uint32_t *configuration)) \
    X(cuCtxSetSharedMemConfig, cuCtxSetSharedMemConfig, 4020, (uint32_t configuration)) \
    X(cuCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, 11000, (void)) \
    X(cuMemcpy3D, cuMemcpy3D_v2, 3020, (const CUDA_MEMCPY3D *area)) \
    X(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, 3020, (const CUDA_MEMCPY3D *area, CUstream stream)) \
    X(cuDeviceGetProperties, cuDeviceGetProperties, 2000, (CUdevprop *properties, CUdevice device)) \
    X(cuOccupancyMaxPotentialBlockSizeWithFlags, cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, (int *min_grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of_block, size_t dynamic_shared_bytes, int limit, unsigned int flags)) \
    X(cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock, 10020, (size_t *bytes, CUfunction function, int blocks, int block_threads)) \
    X(cuFuncSetSharedMemConfig, cuFuncSetSharedMemConfig, 4020, (CUfunction function, uint32_t configuration)) \
    X(cuGraphCreate, cuGraphCreate, 10000, (CUgraph *graph, unsigned int flags)) \
    X(cuGraphDestroy, cuGraphDestroy, 10000, (CUgraph graph)) \
    X(cuGraphClone, cuGraphClone, 10000, (CUgraph *clone, CUgraph graph)) \
    X(cuGraphNodeFindInClone, cuGraphNodeFindInClone, 10000, (CUgraphNode *node, CUgraphNode original, CUgraph clone)) \
    X(cuGraphAddNode, cuGraphAddNode, 12020, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, CUgraphNodeParams *params)) \
    X(cuGraphAddNode, cuGraphAddNode_v2, 12030, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params)) \
    X(cuGraphAddKernelNode, cuGraphAddKernelNode, 10000, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *params)) \
    X(cuGraphAddKernelNode, cuGraphAddKernelNode_v2, 12000, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, const CUDA_KERNEL_NODE_PARAMS *params)) \
    X(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, const CUDA_MEMCPY3D *params, CUcontext context)) \
    X(cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)) \
    X(cuGraphAddHostNode, cuGraphAddHostNode, 10000, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, const CUDA_HOST_NODE_PARAMS *params)) \
    X(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode, 11040, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params)) \
    X(cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count)) \
    X(cuGraphDestroyNode, cuGraphDestroyNode, 10000, (CUgraphNode node)) \
    X(cuGraphAddDependencies, cuGraphAddDependencies, 10000, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)) \
    X(cuGraphAddDependencies, cuGraphAddDependencies_v2, 12030, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges, size_t count)) \
    X(cuGraphRemoveDependencies, cuGraphRemoveDependencies, 10000, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)) \
    X(cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2, 12030, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges, size_t count)) \
    X(cuGraphInstantiate, cuGraphInstantiate, 10000, (CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t capacity)) \
    X(cuGraphInstantiate, cuGraphInstantiate_v2, 11000, (CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t capacity)) \
    X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040, (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
    X(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000, (CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)) \
    X(cuGraphExecGetFlags, cuGraphExecGetFlags, 12000, (CUgraphExec exec, cuuint64_t *flags)) \
    X(cuGraphExecDestroy, cuGraphExecDestroy, 10000, (CUgraphExec exec)) \
    X(cuGraphLaunch, cuGraphLaunch, 10000, (CUgraphExec exec, CUstream handle)) \
    X(cuGraphUpload, cuGraphUpload, 11010, (CUgraphExec exec, CUstream stream)) \
    X(cuGraphExecUpdate, cuGraphExecUpdate, 10020, (CUgraphExec exec, CUgraph graph, CUgraphNode *error_node, uint32_t *result_out)) \
    X(cuGraphExecUpdate, cuGraphExecUpdate_v2, 12000, (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)) \
    X(cuGraphGetNodes, cuGraphGetNodes, 10000, (CUgraph graph, CUgraphNode *nodes, size_t *count)) \
    X(cuGraphGetRootNodes, cuGraphGetRootNodes, 10000, (CUgraph graph, CUgraphNode *nodes, size_t *count)) \
    X(cuGraphGetEdges, cuGraphGetEdges, 10000, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)) \
    X(cuGraphGetEdges, cuGraphGetEdges_v2, 12030, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *count)) \
    X(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000, (CUgraphNode node, CUgraphNode *nodes, size_t *count)) \
    X(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies_v2, 12030, (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)) \
    X(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes, 10000, (CUgraphNode node, CUgraphNode *nodes, size_t *count)) \
    X(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2, 12030, (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)) \
    X(cuGraphNodeGetType, cuGraphNodeGetType, 10000, (CUgraphNode node, uint32_t *type)) \
    X(cuGraphNodeSetParams, cuGraphNodeSetParams, 12020, (CUgraphNode node, CUgraphNodeParams *params)) \
    X(cuGraphExecNodeSetParams, cuGraphExecNodeSetParams, 12020, (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)) \
    X(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams, 10000, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)) \
    X(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, 12000, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)) \
    X(cuGraphMemcpyNodeSetParams, cuGraphMemcpyNodeSetParams, 10000, (CUgraphNode node, const CUDA_MEMCPY3D *params)) \
    X(cuGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams, 10000, (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)) \
    X(cuGraphHostNodeSetParams, cuGraphHostNodeSetParams, 10000, (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)) \
    X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams, 10010, (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)) \
    X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2, 12000, (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)) \
    X(cuGraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, 10020, (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params, CUcontext context)) \
    X(cuGraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams, 10020, (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)) \
    X(cuGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams, 10020, (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)) \
    X(cuGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent, 11010, (CUgraphNode node, CUevent event)) \
    X(cuGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, 11010, (CUgraphNode node, CUevent event)) \
    X(cuGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, 11010, (CUgraphExec exec, CUgraphNode node, CUevent event)) \
    X(cuGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, 11010, (CUgraphExec exec, CUgraphNode node, CUevent event)) \
    X(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams, 10000, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params)) \
    X(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2, 12000, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)) \
    X(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, 11060, (CUgraphExec exec, CUgraphNode node, unsigned int enabled)) \
    X(cuGraphNodeGetEnabled, cuGraphNodeGetEnabled, 11060, (CUgraphExec exec, CUgraphNode node, unsigned int *enabled)) \
    X(cuMemAllocManaged, cuMemAllocManaged, 6000, (CUdeviceptr *pointer, size_t bytes, unsigned int flags)) \
    X(cuMemAdvise, cuMemAdvise_v2, 12020, (CUdeviceptr pointer, size_t bytes, uint32_t advice, CUmemLocation location)) \
    X(cuMemPrefetchAsync, cuMemPrefetchAsync_v2, 12020, (CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned int flags, CUstream stream)) \
    X(cuStreamAttachMemAsync, cuStreamAttachMemAsync, 6000, (CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned int flags)) \
    X(cuMemRangeGetAttribute, cuMemRangeGetAttribute, 8000, (void *data, size_t data_bytes, uint32_t attribute, CUdeviceptr pointer, size_t bytes)) \
    X(cuMemRangeGetAttributes, cuMemRangeGetAttributes, 8000, (void **data, size_t *data_bytes, uint32_t *attributes, size_t count, CUdeviceptr pointer, size_t bytes)) \
    X(cuMemHostRegister, cuMemHostRegister, 4000, (void *pointer, size_t bytes, unsigned int flags)) \
    X(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 12040, (CUfunction *functions, unsigned int room, CUmodule module)) \
    X(cuLibraryEnumerateKernels, cuLibraryEnumerateKernels, 12040, (CUkernel *kernels, unsigned int room, CUlibrary library)) \
    X(cuFuncSetBlockShape, cuFuncSetBlockShape, 2000, (CUfunction function, int x, int y, int z)) \
    X(cuFuncSetSharedSize, cuFuncSetSharedSize, 2000, (CUfunction function, unsigned int bytes)) \
    X(cuParamSetv, cuParamSetv, 2000, (CUfunction function, int offset, void *data, unsigned int bytes)) \
    X(cuParamSeti, cuParamSeti, 2000, (CUfunction function, int offset, unsigned int value)) \
    X(cuParamSetf, cuParamSetf, 2000, (CUfunction function, int offset, float value)) \
    X(cuParamSetSize, cuParamSetSize, 2000, (CUfunction function, unsigned int bytes)) \
    X(cuLaunch, cuLaunch, 2000, (CUfunction function)) \
    X(cuLaunchGrid, cuLaunchGrid, 2000, (CUfunction function, int width, int height)) \
    X(cuLaunchGridAsync, cuLaunchGridAsync, 2000, (CUfunction function, int width, int height, CUstream stream)) \
    X(cuDeviceGetP2PAttribute, cuDeviceGetP2PAttribute, 8000, (int *value, uint32_t attribute, CUdevice device, CUdevice peer)) \
    X(cuPointerSetAttribute, cuPointerSetAttribute, 6000, (const void *value, CUpointer_attribute which, CUdeviceptr pointer)) \
    X(cuMemPoolSetAccess, cuMemPoolSetAccess, 11020, (CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)) \
    X(cuMemPoolGetAccess, cuMemPoolGetAccess, 11020, (uint32_t *flags, CUmemoryPool pool, CUmemLocation *location)) \
    X(cuStreamGetCtx, cuStreamGetCtx_v2, 12050, (CUstream stream, CUcontext *context, CUgreenCtx *green)) \
    X(cuStreamGetDevice, cuStreamGetDevice, 12080, (CUstream stream, CUdevice *device)) \
    X(cuMemAddressReserve, cuMemAddressReserve, 10020, (CUdeviceptr *pointer, size_t bytes, size_t alignment, CUdeviceptr wanted, unsigned long long flags)) \
    X(cuMemAddressFree, cuMemAddressFree, 10020, (CUdeviceptr pointer, size_t bytes)) \
    X(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020, (size_t *granularity, const CUmemAllocationProp *properties, uint32_t option)) \
    X(cuMemCreate, cuMemCreate, 10020, (CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties, unsigned long long flags)) \
    X(cuMemRelease, cuMemRelease, 10020, (CUmemGenericAllocationHandle handle)) \
    X(cuMemMap, cuMemMap, 10020, (CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags)) \
    X(cuMemUnmap, cuMemUnmap, 10020, (CUdeviceptr pointer, size_t bytes)) \
    X(cuMemSetAccess, cuMemSetAccess, 10020, (CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc *access, size_t count)) \
    X(cuMemGetAccess, cuMemGetAccess, 10020, (unsigned long long *flags, const CUmemLocation *location, CUdeviceptr pointer)) \
    X(cuMemGetAllocationPropertiesFromHandle, cuMemGetAllocationPropertiesFromHandle, 10020, (CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle)) \
    X(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000, (CUmemGenericAllocationHandle *handle, void *address)) \
    X(cuStreamBeginCapture, cuStreamBeginCapture, 10000, (CUstream stream)) \
    X(cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010, (CUstream stream, uint32_t mode)) \
    X(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030, (CUstream stream, CUgraph graph, const CUgraphNode *behind, const CUgraphEdgeData *edges, size_t count, uint32_t mode)) \
    X(cuStreamEndCapture, cuStreamEndCapture, 10000, (CUstream handle, CUgraph *graph)) \
    X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010, (CUstream stream, uint32_t *status, cuuint64_t *id)) \
    X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030, (CUstream stream, uint32_t *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **heads, size_t *count)) \
    X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030, (CUstream stream, uint32_t *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **heads, const CUgraphEdgeData **edges, size_t *count)) \
    X(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies, 11030, (CUstream stream, CUgraphNode *behind, size_t count, unsigned int flags)) \
    X(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2, 12030, (CUstream stream, CUgraphNode *behind, const CUgraphEdgeData *edges, size_t count, unsigned int flags)) \
    X(cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams, 10000, (CUgraphNode node, CUDA_MEMCPY3D *params)) \
    X(cuGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams, 10000, (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)) \
    X(cuGraphHostNodeGetParams, cuGraphHostNodeGetParams, 10000, (CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)) \
    X(cuGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, 10000, (CUgraphNode node, CUgraph *params)) \
    X(cuGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, 11010, (CUgraphNode node, CUevent *params)) \
    X(cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, 11010, (CUgraphNode node, CUevent *params)) \
    X(cuGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams, 11040, (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params)) \
    X(cuGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams, 11040, (CUgraphNode node, CUdeviceptr *params)) \
    X(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, 10000, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, CUgraph value)) \
    X(cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, 11010, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, CUevent value)) \
    X(cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, 11010, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, CUevent value)) \
    X(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040, (CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count, CUdeviceptr value))
/* All others of the driver's, which only say that they are not there:
 * X(name, symbol, version). Without those for 32-bit addresses, of before 4.0. */
#define API_UNSUPPORTED(X) \
    X(cuArray3DCreate, cuArray3DCreate_v2, 3020) X(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2, 3020) \
    X(cuArrayCreate, cuArrayCreate_v2, 3020) X(cuArrayDestroy, cuArrayDestroy, 2000) \
    X(cuArrayGetDescriptor, cuArrayGetDescriptor_v2, 3020) \
    X(cuArrayGetMemoryRequirements, cuArrayGetMemoryRequirements, 11060) X(cuArrayGetPlane, cuArrayGetPlane, 11020) \
    X(cuArrayGetSparseProperties, cuArrayGetSparseProperties, 11010) \
    X(cuCheckpointProcessCheckpoint, cuCheckpointProcessCheckpoint, 12080) \
    X(cuCheckpointProcessGetRestoreThreadId, cuCheckpointProcessGetRestoreThreadId, 12080) \
    X(cuCheckpointProcessGetState, cuCheckpointProcessGetState, 12080) \
    X(cuCheckpointProcessLock, cuCheckpointProcessLock, 12080) \
    X(cuCheckpointProcessRestore, cuCheckpointProcessRestore, 12080) \
    X(cuCheckpointProcessUnlock, cuCheckpointProcessUnlock, 12080) \
    X(cuCoredumpGetAttribute, cuCoredumpGetAttribute, 12010) \
    X(cuCoredumpGetAttributeGlobal, cuCoredumpGetAttributeGlobal, 12010) \
    X(cuCoredumpSetAttribute, cuCoredumpSetAttribute, 12010) \
    X(cuCoredumpSetAttributeGlobal, cuCoredumpSetAttributeGlobal, 12010) \
    X(cuCtxFromGreenCtx, cuCtxFromGreenCtx, 12040) X(cuCtxGetDevResource, cuCtxGetDevResource, 12040) \
    X(cuCtxGetExecAffinity, cuCtxGetExecAffinity, 11040) X(cuCtxRecordEvent, cuCtxRecordEvent, 12050) \
    X(cuCtxWaitEvent, cuCtxWaitEvent, 12050) X(cuDestroyExternalMemory, cuDestroyExternalMemory, 10000) \
    X(cuDestroyExternalSemaphore, cuDestroyExternalSemaphore, 10000) \
    X(cuDevResourceGenerateDesc, cuDevResourceGenerateDesc, 12040) \
    X(cuDevSmResourceSplitByCount, cuDevSmResourceSplitByCount, 12040) \
    X(cuDeviceGetDevResource, cuDeviceGetDevResource, 12040) \
    X(cuDeviceGetExecAffinitySupport, cuDeviceGetExecAffinitySupport, 11040) \
    X(cuDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute, 11040) \
    X(cuDeviceGetHostAtomicCapabilities, cuDeviceGetHostAtomicCapabilities, 13000) \
    X(cuDeviceGetLuid, cuDeviceGetLuid, 10000) \
    X(cuDeviceGetNvSciSyncAttributes, cuDeviceGetNvSciSyncAttributes, 10020) \
    X(cuDeviceGetP2PAtomicCapabilities, cuDeviceGetP2PAtomicCapabilities, 13000) \
    X(cuDeviceGetTexture1DLinearMaxWidth, cuDeviceGetTexture1DLinearMaxWidth, 11010) \
    X(cuDeviceGraphMemTrim, cuDeviceGraphMemTrim, 11040) \
    X(cuDeviceRegisterAsyncNotification, cuDeviceRegisterAsyncNotification, 12040) \
    X(cuDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute, 11040) \
    X(cuDeviceUnregisterAsyncNotification, cuDeviceUnregisterAsyncNotification, 12040) \
    X(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer, 10000) \
    X(cuExternalMemoryGetMappedMipmappedArray, cuExternalMemoryGetMappedMipmappedArray, 10000) \
    X(cuFlushGPUDirectRDMAWrites, cuFlushGPUDirectRDMAWrites, 11030) X(cuGetExportTable, cuGetExportTable, 3000) \
    X(cuGraphAddBatchMemOpNode, cuGraphAddBatchMemOpNode, 11070) \
    X(cuGraphAddExternalSemaphoresSignalNode, cuGraphAddExternalSemaphoresSignalNode, 11020) \
    X(cuGraphAddExternalSemaphoresWaitNode, cuGraphAddExternalSemaphoresWaitNode, 11020) \
    X(cuGraphBatchMemOpNodeGetParams, cuGraphBatchMemOpNodeGetParams, 11070) \
    X(cuGraphBatchMemOpNodeSetParams, cuGraphBatchMemOpNodeSetParams, 11070) \
    X(cuGraphConditionalHandleCreate, cuGraphConditionalHandleCreate, 12030) \
    X(cuGraphDebugDotPrint, cuGraphDebugDotPrint, 11030) \
    X(cuGraphExecBatchMemOpNodeSetParams, cuGraphExecBatchMemOpNodeSetParams, 11070) \
    X(cuGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams, 11010) \
    X(cuGraphExecExternalSemaphoresSignalNodeSetParams, cuGraphExecExternalSemaphoresSignalNodeSetParams, 11020) \
    X(cuGraphExecExternalSemaphoresWaitNodeSetParams, cuGraphExecExternalSemaphoresWaitNodeSetParams, 11020) \
    X(cuGraphExternalSemaphoresSignalNodeGetParams, cuGraphExternalSemaphoresSignalNodeGetParams, 11020) \
    X(cuGraphExternalSemaphoresSignalNodeSetParams, cuGraphExternalSemaphoresSignalNodeSetParams, 11020) \
    X(cuGraphExternalSemaphoresWaitNodeGetParams, cuGraphExternalSemaphoresWaitNodeGetParams, 11020) \
    X(cuGraphExternalSemaphoresWaitNodeSetParams, cuGraphExternalSemaphoresWaitNodeSetParams, 11020) \
    X(cuGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes, 11000) \
    X(cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute, 11000) \
    X(cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute, 11000) \
    X(cuGraphReleaseUserObject, cuGraphReleaseUserObject, 11030) \
    X(cuGraphRetainUserObject, cuGraphRetainUserObject, 11030) X(cuGraphicsMapResources, cuGraphicsMapResources, 3000) \
    X(cuGraphicsResourceGetMappedMipmappedArray, cuGraphicsResourceGetMappedMipmappedArray, 5000) \
    X(cuGraphicsResourceGetMappedPointer, cuGraphicsResourceGetMappedPointer_v2, 3020) \
    X(cuGraphicsResourceSetMapFlags, cuGraphicsResourceSetMapFlags_v2, 6050) \
    X(cuGraphicsSubResourceGetMappedArray, cuGraphicsSubResourceGetMappedArray, 3000) \
    X(cuGraphicsUnmapResources, cuGraphicsUnmapResources, 3000) \
    X(cuGraphicsUnregisterResource, cuGraphicsUnregisterResource, 3000) X(cuGreenCtxCreate, cuGreenCtxCreate, 12040) \
    X(cuGreenCtxDestroy, cuGreenCtxDestroy, 12040) X(cuGreenCtxGetDevResource, cuGreenCtxGetDevResource, 12040) \
    X(cuGreenCtxGetId, cuGreenCtxGetId, 12090) X(cuGreenCtxRecordEvent, cuGreenCtxRecordEvent, 12040) \
    X(cuGreenCtxStreamCreate, cuGreenCtxStreamCreate, 12050) X(cuGreenCtxWaitEvent, cuGreenCtxWaitEvent, 12040) \
    X(cuImportExternalMemory, cuImportExternalMemory, 10000) \
    X(cuImportExternalSemaphore, cuImportExternalSemaphore, 10000) X(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010) \
    X(cuIpcGetEventHandle, cuIpcGetEventHandle, 4010) X(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010) \
    X(cuIpcOpenEventHandle, cuIpcOpenEventHandle, 4010) X(cuIpcOpenMemHandle, cuIpcOpenMemHandle, 4010) \
    X(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, 11000) \
    X(cuLaunchCooperativeKernelMultiDevice, cuLaunchCooperativeKernelMultiDevice, 9000) \
    X(cuLibraryGetManaged, cuLibraryGetManaged, 12000) \
    X(cuLibraryGetUnifiedFunction, cuLibraryGetUnifiedFunction, 12000) X(cuLinkAddData, cuLinkAddData, 5050) \
    X(cuLinkAddFile, cuLinkAddFile, 5050) X(cuLinkCreate, cuLinkCreate, 5050) X(cuLogsCurrent, cuLogsCurrent, 12090) \
    X(cuLogsDumpToFile, cuLogsDumpToFile, 12090) X(cuLogsDumpToMemory, cuLogsDumpToMemory, 12090) \
    X(cuLogsRegisterCallback, cuLogsRegisterCallback, 12090) \
    X(cuLogsUnregisterCallback, cuLogsUnregisterCallback, 12090) \
    X(cuMemBatchDecompressAsync, cuMemBatchDecompressAsync, 12060) \
    X(cuMemDiscardAndPrefetchBatchAsync, cuMemDiscardAndPrefetchBatchAsync, 13000) \
    X(cuMemDiscardBatchAsync, cuMemDiscardBatchAsync, 13000) \
    X(cuMemExportToShareableHandle, cuMemExportToShareableHandle, 10020) \
    X(cuMemGetDefaultMemPool, cuMemGetDefaultMemPool, 13000) \
    X(cuMemGetHandleForAddressRange, cuMemGetHandleForAddressRange, 11070) X(cuMemGetMemPool, cuMemGetMemPool, 13000) \
    X(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle, 10020) \
    X(cuMemMapArrayAsync, cuMemMapArrayAsync, 11010) X(cuMemPoolExportPointer, cuMemPoolExportPointer, 11020) \
    X(cuMemPoolExportToShareableHandle, cuMemPoolExportToShareableHandle, 11020) \
    X(cuMemPoolImportFromShareableHandle, cuMemPoolImportFromShareableHandle, 11020) \
    X(cuMemPoolImportPointer, cuMemPoolImportPointer, 11020) \
    X(cuMemPrefetchBatchAsync, cuMemPrefetchBatchAsync, 13000) X(cuMemSetMemPool, cuMemSetMemPool, 13000) \
    X(cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync, 12080) X(cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_v2, 13000) \
    X(cuMemcpy3DPeer, cuMemcpy3DPeer, 4000) X(cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync, 4000) \
    X(cuMemcpyAtoA, cuMemcpyAtoA_v2, 3020) X(cuMemcpyAtoD, cuMemcpyAtoD_v2, 3020) \
    X(cuMemcpyAtoHAsync, cuMemcpyAtoHAsync_v2, 3020) X(cuMemcpyAtoH, cuMemcpyAtoH_v2, 3020) \
    X(cuMemcpyBatchAsync, cuMemcpyBatchAsync, 12080) X(cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2, 13000) \
    X(cuMemcpyDtoA, cuMemcpyDtoA_v2, 3020) X(cuMemcpyHtoAAsync, cuMemcpyHtoAAsync_v2, 3020) \
    X(cuMemcpyHtoA, cuMemcpyHtoA_v2, 3020) X(cuMipmappedArrayCreate, cuMipmappedArrayCreate, 5000) \
    X(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, 5000) \
    X(cuMipmappedArrayGetLevel, cuMipmappedArrayGetLevel, 5000) \
    X(cuMipmappedArrayGetMemoryRequirements, cuMipmappedArrayGetMemoryRequirements, 11060) \
    X(cuMipmappedArrayGetSparseProperties, cuMipmappedArrayGetSparseProperties, 11010) \
    X(cuModuleGetSurfRef, cuModuleGetSurfRef, 3000) X(cuModuleGetTexRef, cuModuleGetTexRef, 2000) \
    X(cuMulticastAddDevice, cuMulticastAddDevice, 12010) X(cuMulticastBindAddr, cuMulticastBindAddr, 12010) \
    X(cuMulticastBindMem, cuMulticastBindMem, 12010) X(cuMulticastCreate, cuMulticastCreate, 12010) \
    X(cuMulticastGetGranularity, cuMulticastGetGranularity, 12010) X(cuMulticastUnbind, cuMulticastUnbind, 12010) \
    X(cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters, 11070) \
    X(cuOccupancyMaxPotentialClusterSize, cuOccupancyMaxPotentialClusterSize, 11070) \
    X(cuParamSetTexRef, cuParamSetTexRef, 2000) X(cuProfilerInitialize, cuProfilerInitialize, 4000) \
    X(cuSignalExternalSemaphoresAsync, cuSignalExternalSemaphoresAsync, 10000) \
    X(cuStreamBatchMemOp, cuStreamBatchMemOp, 8000) X(cuStreamBatchMemOp, cuStreamBatchMemOp_v2, 11070) \
    X(cuStreamCopyAttributes, cuStreamCopyAttributes, 11000) X(cuStreamGetAttribute, cuStreamGetAttribute, 11000) \
    X(cuStreamGetGreenCtx, cuStreamGetGreenCtx, 12040) X(cuStreamSetAttribute, cuStreamSetAttribute, 11000) \
    X(cuStreamWaitValue32, cuStreamWaitValue32, 8000) X(cuStreamWaitValue32, cuStreamWaitValue32_v2, 11070) \
    X(cuStreamWaitValue64, cuStreamWaitValue64, 9000) X(cuStreamWaitValue64, cuStreamWaitValue64_v2, 11070) \
    X(cuStreamWriteValue32, cuStreamWriteValue32, 8000) X(cuStreamWriteValue32, cuStreamWriteValue32_v2, 11070) \
    X(cuStreamWriteValue64, cuStreamWriteValue64, 9000) X(cuStreamWriteValue64, cuStreamWriteValue64_v2, 11070) \
    X(cuSurfObjectCreate, cuSurfObjectCreate, 5000) X(cuSurfObjectDestroy, cuSurfObjectDestroy, 5000) \
    X(cuSurfObjectGetResourceDesc, cuSurfObjectGetResourceDesc, 5000) X(cuSurfRefGetArray, cuSurfRefGetArray, 3000) \
    X(cuSurfRefSetArray, cuSurfRefSetArray, 3000) X(cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2col, 12000) \
    X(cuTensorMapEncodeIm2colWide, cuTensorMapEncodeIm2colWide, 12080) \
    X(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled, 12000) \
    X(cuTensorMapReplaceAddress, cuTensorMapReplaceAddress, 12000) X(cuTexObjectCreate, cuTexObjectCreate, 5000) \
    X(cuTexObjectDestroy, cuTexObjectDestroy, 5000) X(cuTexObjectGetResourceDesc, cuTexObjectGetResourceDesc, 5000) \
    X(cuTexObjectGetResourceViewDesc, cuTexObjectGetResourceViewDesc, 5000) \
    X(cuTexObjectGetTextureDesc, cuTexObjectGetTextureDesc, 5000) X(cuTexRefCreate, cuTexRefCreate, 2000) \
    X(cuTexRefDestroy, cuTexRefDestroy, 2000) X(cuTexRefGetAddressMode, cuTexRefGetAddressMode, 2000) \
    X(cuTexRefGetAddress, cuTexRefGetAddress_v2, 3020) X(cuTexRefGetArray, cuTexRefGetArray, 2000) \
    X(cuTexRefGetBorderColor, cuTexRefGetBorderColor, 8000) X(cuTexRefGetFilterMode, cuTexRefGetFilterMode, 2000) \
    X(cuTexRefGetFlags, cuTexRefGetFlags, 2000) X(cuTexRefGetFormat, cuTexRefGetFormat, 2000) \
    X(cuTexRefGetMaxAnisotropy, cuTexRefGetMaxAnisotropy, 5000) \
    X(cuTexRefGetMipmapFilterMode, cuTexRefGetMipmapFilterMode, 5000) \
    X(cuTexRefGetMipmapLevelBias, cuTexRefGetMipmapLevelBias, 5000) \
    X(cuTexRefGetMipmapLevelClamp, cuTexRefGetMipmapLevelClamp, 5000) \
    X(cuTexRefGetMipmappedArray, cuTexRefGetMipmappedArray, 5000) \
    X(cuTexRefSetAddress2D, cuTexRefSetAddress2D_v2, 3020) X(cuTexRefSetAddress2D, cuTexRefSetAddress2D_v3, 4010) \
    X(cuTexRefSetAddressMode, cuTexRefSetAddressMode, 2000) X(cuTexRefSetAddress, cuTexRefSetAddress_v2, 3020) \
    X(cuTexRefSetArray, cuTexRefSetArray, 2000) X(cuTexRefSetBorderColor, cuTexRefSetBorderColor, 8000) \
    X(cuTexRefSetFilterMode, cuTexRefSetFilterMode, 2000) X(cuTexRefSetFlags, cuTexRefSetFlags, 2000) \
    X(cuTexRefSetFormat, cuTexRefSetFormat, 2000) X(cuTexRefSetMaxAnisotropy, cuTexRefSetMaxAnisotropy, 5000) \
    X(cuTexRefSetMipmapFilterMode, cuTexRefSetMipmapFilterMode, 5000) \
    X(cuTexRefSetMipmapLevelBias, cuTexRefSetMipmapLevelBias, 5000) \
    X(cuTexRefSetMipmapLevelClamp, cuTexRefSetMipmapLevelClamp, 5000) \
    X(cuTexRefSetMipmappedArray, cuTexRefSetMipmappedArray, 5000) X(cuUserObjectCreate, cuUserObjectCreate, 11030) \
    X(cuUserObjectRelease, cuUserObjectRelease, 11030) X(cuUserObjectRetain, cuUserObjectRetain, 11030) \
    X(cuWaitExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync, 10000)

/* clang-format on */

#ifndef HOSTDRIVER_SIGNATURES_ONLY
#pragma GCC visibility push(default)

#define API_PROTOTYPE(name, symbol, version, parameters) CUresult symbol parameters;
API_FUNCTIONS(API_PROTOTYPE)
#undef API_PROTOTYPE
#define API_PROTOTYPE(name, symbol, version) CUresult symbol(void);
API_UNSUPPORTED(API_PROTOTYPE)
#undef API_PROTOTYPE

/* For tests: what the host driver is, and what goes wrong on demand. */
uint32_t isomat_hostdriver_version(void);
int64_t isomat_hostdriver_live_objects(void);
int isomat_hostdriver_describe(char *buffer, size_t capacity);
int64_t isomat_hostdriver_call_count(const char *function);
int isomat_hostdriver_set_fault(const char *spec);

#pragma GCC visibility pop
#endif

#endif
