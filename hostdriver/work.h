/* SPDX-License-Identifier: MIT */
/* work.h: one operation of a stream, or of a graph's node. */
#ifndef HOSTDRIVER_WORK_H
#define HOSTDRIVER_WORK_H

#include "driver.h"

/* Reached when the operation of a record is done; shared by its event and by
 * those that wait for it. */
struct marker {
    uint32_t references;
    bool done;
    const struct CUstream_st *stream;
    uint64_t nanoseconds;
};

enum operation_kind {
    WORK_NOTHING,
    WORK_KERNEL,
    WORK_COPY,
    WORK_FILL,
    WORK_HOST,
    WORK_RECORD,
    WORK_WAIT,
    WORK_FREE
};

struct kernel_work {
    CUfunction function;
    uint32_t grid[3], block[3], shared_bytes;
    bool cooperative;
    uint8_t *params; /* as the kernel has them; owned */
};

/* What is asked for, and, once it was checked, where that is in host memory. */
struct copy_work {
    CUDA_MEMCPY3D area;
    uint8_t *to;
    const uint8_t *from;
    size_t to_row, to_slice, from_row, from_slice;
    void *staged; /* owned copy of pageable memory, or NULL */
};

struct fill_work {
    CUDA_MEMSET_NODE_PARAMS area;
    uint8_t *to;
};

struct host_work {
    CUhostFn function;
    void (*callback)(CUstream, CUresult, void *); /* cuStreamAddCallback */
    CUstream stream;                              /* its argument */
    void *data;
};

struct operation {
    enum operation_kind kind;
    bool of_graph; /* reads pageable memory when it runs */
    uint64_t ticket;
    struct operation *next;
    union {
        struct kernel_work kernel;
        struct copy_work copy;
        struct fill_work fill;
        struct host_work host;
        CUevent event;      /* WORK_RECORD, WORK_WAIT: in a node */
        CUdeviceptr memory; /* WORK_FREE */
    };
    struct marker *marker; /* WORK_RECORD, WORK_WAIT: in a stream; a reference */
};

/* What belongs to an operation goes; it itself does not. */
void operation_release(struct operation *operation);
/* A copy that owns its own. */
bool operation_copy(struct operation *to, const struct operation *from);

/* Can it be done, now, in that context? */
CUresult operation_check(struct operation *operation, const struct CUctx_st *context);

/* order.c: checks the operation, then captures, runs or queues it. Whatever
 * comes of it, what belongs to the operation is taken. */
CUresult work_submit(CUstream handle, struct operation *operation);
/* The same for a stream that does not capture. */
CUresult work_queue(struct CUstream_st *stream, struct operation *operation);
void marker_release(struct marker *marker);
/* Waits until the marker is reached. */
void marker_wait(struct marker *marker);

/* api_launch.c, api_copy.c: before an operation is queued, and when it runs. */
/* Copies the parameters; what it took is the caller's to free, whatever comes of it. */
CUresult kernel_gather(struct kernel_work *work, void **parameters, void **extra);
CUresult kernel_check(const struct kernel_work *work, const struct CUctx_st *context);
struct fault kernel_run(const struct kernel_work *work);
void kernel_failed(const struct kernel_work *work, struct CUctx_st *context, const struct fault *fault);
CUresult copy_check(struct copy_work *work);
void copy_run(const struct copy_work *work);
/* Is it done when its call returns? Pageable memory is not kept waiting. */
bool copy_is_waited_for(const struct copy_work *work);
bool copy_stage(struct copy_work *work);
CUresult fill_check(struct fill_work *work);
void fill_run(const struct fill_work *work);
uint64_t copy_bytes(const struct copy_work *work);
uint64_t fill_bytes(const struct fill_work *work);
/* api_memory.c: the end of stream-ordered memory. */
CUresult memory_check_free(CUdeviceptr pointer);
void memory_begin_free(CUdeviceptr pointer);
void memory_run_free(CUdeviceptr pointer);

/* capture.c */
/* Adds a node behind what the stream has captured; the operation is taken. */
CUresult capture_add(struct CUstream_st *stream, struct operation *operation);
/* Refuses, and spoils the capture, where the call may not be made now. */
CUresult capture_refuses_stream(struct CUstream_st *stream);
CUresult capture_refuses_legacy(struct CUctx_st *context);
/* For calls that a capture, here or elsewhere, does not allow. */
CUresult capture_refuses_unsafe(void);
CUresult capture_record(CUevent event, struct CUstream_st *stream);
CUresult capture_wait(struct CUstream_st *stream, CUevent event);
void capture_forget_stream(struct CUstream_st *stream);
void capture_forget_event(CUevent event);
/* Memory of a graph that is being captured. */
CUresult capture_alloc(struct CUstream_st *stream, CUdeviceptr *pointer, size_t bytes);

#endif
