/* SPDX-License-Identifier: MIT */
/* device.h: devices and their limits. */
#ifndef ISOMAT_DEVICE_H
#define ISOMAT_DEVICE_H

#include "driver.h"

/* What the library asks of a device again and again. */
struct im_device_limits {
    int capability; /* 90 for 9.0 */
    int multiprocessors;
    int max_threads_per_block;
    int max_block[3];
    int max_grid[3];
    int shared_per_block;       /* without opting in */
    int shared_per_block_optin; /* the most */
    int memory_pools;
    int cluster_launch;
    int cooperative_launch;
};

/* Opens the driver and finds a device by its number. */
int32_t im_device_get(CUdevice *device, int32_t ordinal);

int32_t im_device_read_limits(struct im_device_limits *limits, CUdevice device);

#endif /* ISOMAT_DEVICE_H */
