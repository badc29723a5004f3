/* SPDX-License-Identifier: MIT */
/* launch.h: submitting kernels. */
#ifndef ISOMAT_LAUNCH_H
#define ISOMAT_LAUNCH_H

#include "context.h"

/* Submits a kernel of isomat's own over a 1-D grid, with its one argument; the
 * context is current. */
int32_t im_launch_own(struct im_stream *stream, enum im_kernel_id id, int64_t blocks, const void *arguments);

/* How a kernel of isomat's own is launched, other than by its row of the table. */
struct im_own_launch {
    int64_t blocks;
    uint32_t shared_bytes;
    bool dependent; /* it may begin before the kernel ahead of it in the stream ends, and waits itself */
};

int32_t im_launch_own_as(struct im_stream *stream, enum im_kernel_id id, const struct im_own_launch *launch,
                         const void *arguments);

#endif /* ISOMAT_LAUNCH_H */
