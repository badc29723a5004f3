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

#include "../lib/cuda_abi.h"

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
    X(cuCtxCreate, cuCtxCreate_v3, 11040, (CUcontext *context, void *parameters, int count, unsigned int flags, CUdevice device)) \
    X(cuCtxCreate, cuCtxCreate_v4, 12050, (CUcontext *context, void *parameters, unsigned int flags, CUdevice device)) \
    X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, (char *text, int capacity, CUdevice device)) \
    X(cuDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, 4010, (CUdevice *device, const char *text)) \
    X(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, (int *can, CUdevice device, CUdevice peer)) \
    X(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, (CUcontext peer, unsigned int flags)) \
    X(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, (CUcontext peer)) \
    X(cuMemcpyPeer, cuMemcpyPeer, 4000, (CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, size_t bytes)) \
    X(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, (CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, size_t bytes, CUstream stream)) \
    X(cuMemAdvise, cuMemAdvise, 8000, (CUdeviceptr pointer, size_t bytes, uint32_t advice, CUdevice device)) \
    X(cuMemPrefetchAsync, cuMemPrefetchAsync, 8000, (CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream)) \
    X(cuLaunchHostFunc, cuLaunchHostFunc, 10000, (CUstream stream, void (*function)(void *), void *data)) \
    X(cuStreamAddCallback, cuStreamAddCallback, 5000, (CUstream stream, void (*function)(CUstream, CUresult, void *), void *data, unsigned int flags)) \
    X(cuStreamGetId, cuStreamGetId, 12000, (CUstream stream, unsigned long long *id)) \
    X(cuStreamIsCapturing, cuStreamIsCapturing, 10000, (CUstream stream, uint32_t *status)) \
    X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010, (uint32_t *mode)) \
    X(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010, (CUevent event, CUstream stream, unsigned int flags)) \
    X(cuProfilerStart, cuProfilerStart, 4000, (void)) \
    X(cuProfilerStop, cuProfilerStop, 4000, (void))
/* Those that programs look for and that only say that they are not there:
 * X(name, symbol). */
#define API_UNSUPPORTED(X) \
    X(cuGraphCreate, cuGraphCreate) X(cuGraphDestroy, cuGraphDestroy) X(cuGraphLaunch, cuGraphLaunch) \
    X(cuGraphInstantiate, cuGraphInstantiate_v2) X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags) \
    X(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams) X(cuGraphExecDestroy, cuGraphExecDestroy) \
    X(cuGraphAddKernelNode, cuGraphAddKernelNode_v2) X(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode) \
    X(cuGraphAddMemsetNode, cuGraphAddMemsetNode) X(cuGraphAddHostNode, cuGraphAddHostNode) \
    X(cuGraphAddEmptyNode, cuGraphAddEmptyNode) X(cuGraphAddNode, cuGraphAddNode_v2) \
    X(cuGraphGetNodes, cuGraphGetNodes) X(cuGraphExecUpdate, cuGraphExecUpdate_v2) \
    X(cuStreamBeginCapture, cuStreamBeginCapture_v2) X(cuStreamEndCapture, cuStreamEndCapture) \
    X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2) X(cuStreamAttachMemAsync, cuStreamAttachMemAsync) \
    X(cuStreamWaitValue32, cuStreamWaitValue32_v2) X(cuStreamWriteValue32, cuStreamWriteValue32_v2) \
    X(cuStreamWaitValue64, cuStreamWaitValue64_v2) X(cuStreamWriteValue64, cuStreamWriteValue64_v2) \
    X(cuStreamBatchMemOp, cuStreamBatchMemOp_v2) X(cuStreamGetAttribute, cuStreamGetAttribute) \
    X(cuStreamSetAttribute, cuStreamSetAttribute) X(cuStreamCopyAttributes, cuStreamCopyAttributes) \
    X(cuMemAllocManaged, cuMemAllocManaged) X(cuMemAddressReserve, cuMemAddressReserve) \
    X(cuMemAddressFree, cuMemAddressFree) X(cuMemCreate, cuMemCreate) X(cuMemRelease, cuMemRelease) \
    X(cuMemMap, cuMemMap) X(cuMemUnmap, cuMemUnmap) X(cuMemSetAccess, cuMemSetAccess) \
    X(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity) \
    X(cuMemExportToShareableHandle, cuMemExportToShareableHandle) \
    X(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle) \
    X(cuMemPoolSetAccess, cuMemPoolSetAccess) X(cuMemPoolGetAccess, cuMemPoolGetAccess) \
    X(cuMemPoolExportToShareableHandle, cuMemPoolExportToShareableHandle) \
    X(cuIpcGetMemHandle, cuIpcGetMemHandle) X(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2) \
    X(cuIpcCloseMemHandle, cuIpcCloseMemHandle) X(cuIpcGetEventHandle, cuIpcGetEventHandle) \
    X(cuIpcOpenEventHandle, cuIpcOpenEventHandle) X(cuMemcpy3D, cuMemcpy3D_v2) \
    X(cuMemcpy3DAsync, cuMemcpy3DAsync_v2) X(cuMemcpyDtoA, cuMemcpyDtoA_v2) X(cuMemcpyAtoD, cuMemcpyAtoD_v2) \
    X(cuMemcpyHtoA, cuMemcpyHtoA_v2) X(cuMemcpyAtoH, cuMemcpyAtoH_v2) X(cuMemRangeGetAttribute, cuMemRangeGetAttribute) \
    X(cuArrayCreate, cuArrayCreate_v2) X(cuArrayDestroy, cuArrayDestroy) X(cuArray3DCreate, cuArray3DCreate_v2) \
    X(cuTexObjectCreate, cuTexObjectCreate) X(cuTexObjectDestroy, cuTexObjectDestroy) \
    X(cuSurfObjectCreate, cuSurfObjectCreate) X(cuSurfObjectDestroy, cuSurfObjectDestroy) \
    X(cuModuleGetTexRef, cuModuleGetTexRef) X(cuModuleGetSurfRef, cuModuleGetSurfRef) \
    X(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled) X(cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2col) \
    X(cuLaunchCooperativeKernelMultiDevice, cuLaunchCooperativeKernelMultiDevice) \
    X(cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters) \
    X(cuOccupancyMaxPotentialClusterSize, cuOccupancyMaxPotentialClusterSize) \
    X(cuImportExternalMemory, cuImportExternalMemory) X(cuImportExternalSemaphore, cuImportExternalSemaphore) \
    X(cuGetExportTable, cuGetExportTable) X(cuCoredumpGetAttribute, cuCoredumpGetAttribute) \
    X(cuGreenCtxCreate, cuGreenCtxCreate) X(cuMulticastCreate, cuMulticastCreate)

/* clang-format on */

typedef struct CUmod_st *CUlibrary;
typedef struct CUfunc_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;

#pragma GCC visibility push(default)

#define API_PROTOTYPE(name, symbol, version, parameters) CUresult symbol parameters;
API_FUNCTIONS(API_PROTOTYPE)
#undef API_PROTOTYPE
#define API_PROTOTYPE(name, symbol) CUresult symbol(void);
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
