/* SPDX-License-Identifier: MIT */
/* image.h: what is inside a fatbin, cubin or PTX text, and which image fits a
 * device.  Reads bytes only: no driver, no context. */
#ifndef ISOMAT_IMAGE_H
#define ISOMAT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct im_image {
    int32_t kind; /* ISOMAT_IMAGE_CUBIN, _PTX, or 0 for a kind that no driver loads as it is */
    int32_t arch; /* 90 for sm_90 or compute_90 */
    char suffix;  /* 'a': this architecture alone, 'f': its family, 0: none */
    bool debug;   /* built with -G */
    int32_t ptx_major, ptx_minor; /* PTX ISA version; 0 for a cubin */
    const unsigned char *data;    /* entry of the fatbin, or the whole container */
    size_t bytes;
};

struct im_image_list {
    int32_t container; /* ISOMAT_IMAGE_... */
    struct im_image *images;
    int32_t count;
};

/* The device that an image is to run on. */
struct im_target {
    int capability; /* 90 for 9.0 */
    bool ptx_only;  /* the host driver runs PTX alone */
};

/* Lists the images.  The list points into the bytes.
 * INVALID_IMAGE if they are none of the three kinds, or damaged. */
int32_t im_image_list_read(struct im_image_list *list, const void *bytes, size_t size);
void im_image_list_free(struct im_image_list *list);

/* The image to load, or -1: exactly this architecture with suffix a, exactly
 * this one, the same major version with the highest lower minor, the highest
 * PTX not above the device. */
int32_t im_image_choose(const struct im_image_list *list, struct im_target target);

/* A line per image, in memory to be freed; NULL if there is no memory. */
char *im_image_report(const struct im_image_list *list, struct im_target target, char separator);

/* What the driver is to be given for an image: a fatbin of that one entry, a
 * cubin, or terminated PTX text; to be freed.  NULL if there is no memory. */
void *im_image_extract(const struct im_image_list *list, int32_t index);

#endif /* ISOMAT_IMAGE_H */
