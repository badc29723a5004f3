/* SPDX-License-Identifier: MIT */
/* more_abi.h: the part of the driver's binary interface that only the host driver needs.
 *
 * tests/hostdriver/test_abi.c holds it against cuda.h, as test_cuda_abi.c does
 * with lib/cuda_abi.h; the macros that rename are explained there.
 */
#ifndef HOSTDRIVER_MORE_ABI_H
#define HOSTDRIVER_MORE_ABI_H

#include "../lib/cuda_abi.h"

#ifndef CUDA_ABI_LISTS_ONLY
typedef struct CUmod_st *CUlibrary;
typedef struct CUfunc_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCigParam_st CUctxCigParam;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef void (*CUhostFn)(void *);
typedef void (*CUstreamCallback)(CUstream, CUresult, void *);
typedef size_t (*CUoccupancyB2DSize)(int);
#endif

typedef struct CUDA_ABI_STRUCT(CUctxCreateParams_st) {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    CUctxCigParam *cigParams;
} CUDA_ABI_STRUCT(CUctxCreateParams);

typedef struct CUDA_ABI_STRUCT(CUdevprop_st) {
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int sharedMemPerBlock;
    int totalConstantMemory;
    int SIMDWidth;
    int memPitch;
    int regsPerBlock;
    int clockRate;
    int textureAlign;
} CUDA_ABI_STRUCT(CUdevprop);

typedef struct CUDA_ABI_STRUCT(CUDA_MEMCPY3D_st) {
    size_t srcXInBytes;
    size_t srcY;
    size_t srcZ;
    size_t srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch;
    size_t srcHeight;
    size_t dstXInBytes;
    size_t dstY;
    size_t dstZ;
    size_t dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch;
    size_t dstHeight;
    size_t WidthInBytes;
    size_t Height;
    size_t Depth;
} CUDA_ABI_STRUCT(CUDA_MEMCPY3D);

typedef struct CUDA_ABI_STRUCT(CUmemAccessDesc_st) {
    CUDA_ABI_STRUCT(CUmemLocation) location;
    uint32_t flags;
} CUDA_ABI_STRUCT(CUmemAccessDesc);

typedef struct CUDA_ABI_STRUCT(CUmemAllocationProp_st) {
    uint32_t type;
    uint32_t requestedHandleTypes;
    CUDA_ABI_STRUCT(CUmemLocation) location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType;
        unsigned char gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUDA_ABI_STRUCT(CUmemAllocationProp);

typedef struct CUDA_ABI_STRUCT(CUDA_KERNEL_NODE_PARAMS_v1_st) {
    CUfunction func;
    unsigned int gridDimX, gridDimY, gridDimZ;
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
} CUDA_ABI_STRUCT(CUDA_KERNEL_NODE_PARAMS_v1);

/* From CUDA 12 on. */
typedef struct CUDA_ABI_STRUCT(CUDA_KERNEL_NODE_PARAMS_st) {
    CUfunction func;
    unsigned int gridDimX, gridDimY, gridDimZ;
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
    CUkernel kern;
    CUcontext ctx;
} CUDA_ABI_STRUCT(CUDA_KERNEL_NODE_PARAMS);

/* The functions for memset nodes know all but the last member. */
typedef struct CUDA_ABI_STRUCT(CUDA_MEMSET_NODE_PARAMS_v2_st) {
    CUdeviceptr dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
    CUcontext ctx;
} CUDA_ABI_STRUCT(CUDA_MEMSET_NODE_PARAMS_v2);

typedef struct CUDA_ABI_STRUCT(CUDA_MEMSET_NODE_PARAMS_st) {
    CUdeviceptr dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
} CUDA_ABI_STRUCT(CUDA_MEMSET_NODE_PARAMS);

typedef struct CUDA_ABI_STRUCT(CUDA_HOST_NODE_PARAMS_st) {
    CUhostFn fn;
    void *userData;
} CUDA_ABI_STRUCT(CUDA_HOST_NODE_PARAMS);

typedef struct CUDA_ABI_STRUCT(CUDA_MEM_ALLOC_NODE_PARAMS_st) {
    CUDA_ABI_STRUCT(CUmemPoolProps) poolProps;
    const CUDA_ABI_STRUCT(CUmemAccessDesc) * accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    CUdeviceptr dptr;
} CUDA_ABI_STRUCT(CUDA_MEM_ALLOC_NODE_PARAMS);

typedef struct CUDA_ABI_STRUCT(CUDA_MEMCPY_NODE_PARAMS_st) {
    int flags;
    int reserved;
    CUcontext copyCtx;
    CUDA_ABI_STRUCT(CUDA_MEMCPY3D) copyParams;
} CUDA_ABI_STRUCT(CUDA_MEMCPY_NODE_PARAMS);

typedef struct CUDA_ABI_STRUCT(CUgraphNodeParams_st) {
    uint32_t type;
    int reserved0[3];
    union {
        long long reserved1[29];
        CUDA_ABI_STRUCT(CUDA_KERNEL_NODE_PARAMS) kernel;
        CUDA_ABI_STRUCT(CUDA_MEMCPY_NODE_PARAMS) memcpy;
        CUDA_ABI_STRUCT(CUDA_MEMSET_NODE_PARAMS_v2) memset;
        CUDA_ABI_STRUCT(CUDA_HOST_NODE_PARAMS) host;
        struct {
            CUgraph graph;
            uint32_t ownership;
        } graph;
        struct {
            CUevent event;
        } eventWait, eventRecord;
        CUDA_ABI_STRUCT(CUDA_MEM_ALLOC_NODE_PARAMS) alloc;
        struct {
            CUdeviceptr dptr;
        } free;
    };
    long long reserved2;
} CUDA_ABI_STRUCT(CUgraphNodeParams);

typedef struct CUDA_ABI_STRUCT(CUgraphEdgeData_st) {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
} CUDA_ABI_STRUCT(CUgraphEdgeData);

typedef struct CUDA_ABI_STRUCT(CUDA_GRAPH_INSTANTIATE_PARAMS_st) {
    cuuint64_t flags;
    CUstream hUploadStream;
    CUgraphNode hErrNode_out;
    uint32_t result_out;
} CUDA_ABI_STRUCT(CUDA_GRAPH_INSTANTIATE_PARAMS);

typedef struct CUDA_ABI_STRUCT(CUgraphExecUpdateResultInfo_st) {
    uint32_t result;
    CUgraphNode errorNode;
    CUgraphNode errorFromNode;
} CUDA_ABI_STRUCT(CUgraphExecUpdateResultInfo);

#endif
