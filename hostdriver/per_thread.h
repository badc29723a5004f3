/* SPDX-License-Identifier: MIT */
/* per_thread.h: the forms of functions for which no stream means the calling thread's own.
 *
 *   X(symbol, function, (parameters), (arguments))
 *
 * cuGetProcAddress gives symbol instead of function where it is asked for them.
 */
#ifndef HOSTDRIVER_PER_THREAD_H
#define HOSTDRIVER_PER_THREAD_H

#include "functions.h"

/* clang-format off */
#define API_PER_THREAD(X) \
    X(cuStreamSynchronize_ptsz, cuStreamSynchronize, (CUstream stream), (stream)) \
    X(cuStreamQuery_ptsz, cuStreamQuery, (CUstream stream), (stream)) \
    X(cuStreamWaitEvent_ptsz, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags), (stream, event, flags)) \
    X(cuStreamGetCtx_ptsz, cuStreamGetCtx, (CUstream stream, CUcontext *context), (stream, context)) \
    X(cuStreamGetFlags_ptsz, cuStreamGetFlags, (CUstream stream, unsigned int *flags), (stream, flags)) \
    X(cuStreamGetPriority_ptsz, cuStreamGetPriority, (CUstream stream, int *priority), (stream, priority)) \
    X(cuEventRecord_ptsz, cuEventRecord, (CUevent event, CUstream stream), (event, stream)) \
    X(cuMemAllocAsync_ptsz, cuMemAllocAsync, (CUdeviceptr *pointer, size_t bytes, CUstream stream), (pointer, bytes, stream)) \
    X(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync, (CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream stream), (pointer, bytes, pool, stream)) \
    X(cuMemFreeAsync_ptsz, cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream), (pointer, stream)) \
    X(cuMemcpy_ptds, cuMemcpy, (CUdeviceptr destination, CUdeviceptr source, size_t bytes), (destination, source, bytes)) \
    X(cuMemcpyAsync_ptsz, cuMemcpyAsync, (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream), (destination, source, bytes, stream)) \
    X(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2, (CUdeviceptr destination, const void *source, size_t bytes), (destination, source, bytes)) \
    X(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2, (CUdeviceptr destination, const void *source, size_t bytes, CUstream stream), (destination, source, bytes, stream)) \
    X(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2, (void *destination, CUdeviceptr source, size_t bytes), (destination, source, bytes)) \
    X(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2, (void *destination, CUdeviceptr source, size_t bytes, CUstream stream), (destination, source, bytes, stream)) \
    X(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2, (CUdeviceptr destination, CUdeviceptr source, size_t bytes), (destination, source, bytes)) \
    X(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2, (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream), (destination, source, bytes, stream)) \
    X(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copy), (copy)) \
    X(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *copy), (copy)) \
    X(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream)) \
    X(cuMemsetD8_v2_ptds, cuMemsetD8_v2, (CUdeviceptr destination, unsigned char value, size_t count), (destination, value, count)) \
    X(cuMemsetD16_v2_ptds, cuMemsetD16_v2, (CUdeviceptr destination, unsigned short value, size_t count), (destination, value, count)) \
    X(cuMemsetD32_v2_ptds, cuMemsetD32_v2, (CUdeviceptr destination, unsigned int value, size_t count), (destination, value, count)) \
    X(cuMemsetD8Async_ptsz, cuMemsetD8Async, (CUdeviceptr destination, unsigned char value, size_t count, CUstream stream), (destination, value, count, stream)) \
    X(cuMemsetD16Async_ptsz, cuMemsetD16Async, (CUdeviceptr destination, unsigned short value, size_t count, CUstream stream), (destination, value, count, stream)) \
    X(cuMemsetD32Async_ptsz, cuMemsetD32Async, (CUdeviceptr destination, unsigned int value, size_t count, CUstream stream), (destination, value, count, stream)) \
    X(cuMemsetD2D8_v2_ptds, cuMemsetD2D8_v2, (CUdeviceptr destination, size_t pitch, unsigned char value, size_t width, size_t height), (destination, pitch, value, width, height)) \
    X(cuMemsetD2D16_v2_ptds, cuMemsetD2D16_v2, (CUdeviceptr destination, size_t pitch, unsigned short value, size_t width, size_t height), (destination, pitch, value, width, height)) \
    X(cuMemsetD2D32_v2_ptds, cuMemsetD2D32_v2, (CUdeviceptr destination, size_t pitch, unsigned int value, size_t width, size_t height), (destination, pitch, value, width, height)) \
    X(cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async, (CUdeviceptr destination, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream), (destination, pitch, value, width, height, stream)) \
    X(cuMemsetD2D16Async_ptsz, cuMemsetD2D16Async, (CUdeviceptr destination, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream), (destination, pitch, value, width, height, stream)) \
    X(cuMemsetD2D32Async_ptsz, cuMemsetD2D32Async, (CUdeviceptr destination, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream), (destination, pitch, value, width, height, stream)) \
    X(cuLaunchKernel_ptsz, cuLaunchKernel, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **parameters, void **extra), (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra)) \
    X(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **parameters), (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters)) \
    X(cuLaunchKernelEx_ptsz, cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra), (config, function, parameters, extra)) \
    X(cuMemcpyPeer_ptds, cuMemcpyPeer, (CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, size_t bytes), (destination, to, source, from, bytes)) \
    X(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync, (CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, size_t bytes, CUstream stream), (destination, to, source, from, bytes, stream)) \
    X(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync, (CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream), (pointer, bytes, device, stream)) \
    X(cuLaunchHostFunc_ptsz, cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data), (stream, function, data)) \
    X(cuStreamAddCallback_ptsz, cuStreamAddCallback, (CUstream stream, CUstreamCallback function, void *data, unsigned int flags), (stream, function, data, flags)) \
    X(cuStreamGetId_ptsz, cuStreamGetId, (CUstream stream, unsigned long long *id), (stream, id)) \
    X(cuStreamIsCapturing_ptsz, cuStreamIsCapturing, (CUstream stream, uint32_t *status), (stream, status)) \
    X(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned int flags), (event, stream, flags)) \
    X(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2, (const CUDA_MEMCPY3D *area), (area)) \
    X(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *area, CUstream stream), (area, stream)) \
    X(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams, (CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params), (exec, graph, params)) \
    X(cuGraphLaunch_ptsz, cuGraphLaunch, (CUgraphExec exec, CUstream handle), (exec, handle)) \
    X(cuGraphUpload_ptsz, cuGraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream)) \
    X(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2, (CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned int flags, CUstream stream), (pointer, bytes, location, flags, stream)) \
    X(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync, (CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned int flags), (stream, pointer, bytes, flags)) \
    X(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2, (CUstream stream, CUcontext *context, CUgreenCtx *green), (stream, context, green)) \
    X(cuStreamGetDevice_ptsz, cuStreamGetDevice, (CUstream stream, CUdevice *device), (stream, device)) \
    X(cuStreamBeginCapture_ptsz, cuStreamBeginCapture, (CUstream stream), (stream)) \
    X(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2, (CUstream stream, uint32_t mode), (stream, mode)) \
    X(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph, (CUstream stream, CUgraph graph, const CUgraphNode *behind, const CUgraphEdgeData *edges, size_t count, uint32_t mode), (stream, graph, behind, edges, count, mode)) \
    X(cuStreamEndCapture_ptsz, cuStreamEndCapture, (CUstream handle, CUgraph *graph), (handle, graph)) \
    X(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo, (CUstream stream, uint32_t *status, cuuint64_t *id), (stream, status, id)) \
    X(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2, (CUstream stream, uint32_t *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **heads, size_t *count), (stream, status, id, graph, heads, count)) \
    X(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3, (CUstream stream, uint32_t *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **heads, const CUgraphEdgeData **edges, size_t *count), (stream, status, id, graph, heads, edges, count)) \
    X(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies, (CUstream stream, CUgraphNode *behind, size_t count, unsigned int flags), (stream, behind, count, flags)) \
    X(cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamUpdateCaptureDependencies_v2, (CUstream stream, CUgraphNode *behind, const CUgraphEdgeData *edges, size_t count, unsigned int flags), (stream, behind, edges, count, flags))
/* clang-format on */

#pragma GCC visibility push(default)
#define X(symbol, function, parameters, arguments) CUresult symbol parameters;
API_PER_THREAD(X)
#undef X
#pragma GCC visibility pop

#endif
