/* SPDX-License-Identifier: MIT */
/* gemm_group.h: many small float32 products in one launch. */
#ifndef ISOMAT_GEMM_GROUP_H
#define ISOMAT_GEMM_GROUP_H

#include "launch.h"
#include "product.h"

/* Elements from one product's matrix to the next's. */
struct im_strides {
    int64_t a, b, c;
};

/* Submits `count` products of the sizes of the first; m, n and count are not 0. */
int32_t im_gemm_group_launch_strided(const struct im_product *first, const struct im_strides *strides,
                                     int64_t count, struct im_stream *stream);

/* Submits products of any sizes, with the same ops, alpha and beta; empty ones are left out.  If there
 * is no room for the table of them, OUT_OF_DEVICE_MEMORY and *submitted is false. */
int32_t im_gemm_group_launch(const struct im_product *products, int64_t count, struct im_stream *stream,
                             bool *submitted);

#endif /* ISOMAT_GEMM_GROUP_H */
