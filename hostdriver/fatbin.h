/* SPDX-License-Identifier: MIT */
/* fatbin.h: the PTX inside an image given to cuModuleLoadData. */
#ifndef HOSTDRIVER_FATBIN_H
#define HOSTDRIVER_FATBIN_H

#include "loader.h"

struct ptx_image {
    const char *text; /* of length bytes; not always NUL-terminated */
    size_t length;
    uint32_t target; /* compute_XX of the container's entry; 0 for bare text */
};

/* Finds the best PTX for a device of the given capability (80 for 8.0).
 * available: bytes that may be read, SIZE_MAX if unknown: then the image's own
 * sizes are believed.  Fails through the loader. */
struct ptx_image fatbin_find_ptx(struct loader *loader, const void *image, size_t available,
                                 uint32_t capability);

#endif
