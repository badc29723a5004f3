/* SPDX-License-Identifier: MIT */
/* memory.h: device memory and copies, with a context made current. */
#ifndef ISOMAT_MEMORY_H
#define ISOMAT_MEMORY_H

#include "context.h"

/* A rectangle to copy; host addresses are numbers too. */
struct im_copy_2d {
    uint64_t destination;
    int64_t destination_pitch_bytes;
    uint64_t source;
    int64_t source_pitch_bytes;
    int64_t width_bytes;
    int64_t rows;
    int32_t direction; /* ISOMAT_COPY_... */
};

/* Allocates from the context's pool, in the order of the stream. */
int32_t im_memory_allocate(CUdeviceptr *pointer, int64_t bytes, struct im_stream *stream);

/* The same for memory that can be done without: no message, nothing given back for it. */
bool im_memory_try_allocate(CUdeviceptr *pointer, int64_t bytes, struct im_stream *stream);

int32_t im_memory_free(CUdeviceptr pointer, struct im_stream *stream);

int32_t im_memory_copy(const struct im_copy_2d *copy, struct im_stream *stream);

#endif /* ISOMAT_MEMORY_H */
