/* SPDX-License-Identifier: MIT */
/* tensor_map.h: descriptions of matrices for tensor copies (TMA), made by the driver.
 *
 * A map follows from its description alone, not from what the memory holds, so that one that was
 * encoded before serves again: each thread remembers its last ones. */
#ifndef ISOMAT_TENSOR_MAP_H
#define ISOMAT_TENSOR_MAP_H

#include "driver.h"
#include "kernels/abi_sm90.h"

#define IM_TENSOR_RANK_MAX 4

/* No padding: descriptions are compared byte by byte. */
struct im_tensor {
    CUdeviceptr address;
    cuuint64_t dims[IM_TENSOR_RANK_MAX];
    cuuint64_t strides_bytes[IM_TENSOR_RANK_MAX - 1]; /* of all dimensions but the first */
    cuuint32_t box[IM_TENSOR_RANK_MAX];
    cuuint32_t rank;
    CUtensorMapDataType type;
    CUtensorMapSwizzle swizzle;
    uint32_t unused;
};

int32_t im_tensor_map(struct isomat_tensor_map *map, const struct im_tensor *tensor);

#endif /* ISOMAT_TENSOR_MAP_H */
