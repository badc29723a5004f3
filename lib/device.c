/* SPDX-License-Identifier: MIT */
/* device.c: the driver and its devices, as a host sees them. */
#include "device.h"

#include <stdio.h>
#include <string.h>

int32_t isomat_driver_open(void)
{
    return im_driver_open();
}

int32_t isomat_driver_get_info(isomat_driver_info *info)
{
    int32_t status = IM_CHECK_STRUCT(info, "driver info");
    if (status == ISOMAT_OK)
        status = im_driver_open();
    if (status != ISOMAT_OK)
        return status;
    info->kind = im_cu.kind;
    info->version = im_cu.version;
    info->device_count = im_cu.device_count;
    snprintf(info->path, sizeof info->path, "%s", im_cu.path);
    return ISOMAT_OK;
}

int32_t isomat_device_count(int32_t *count)
{
    if (!count)
        return IM_NULL_ARGUMENT("count");
    *count = 0;
    int32_t status = im_driver_open();
    if (status == ISOMAT_OK)
        *count = im_cu.device_count;
    return status;
}

int32_t im_device_get(CUdevice *device, int32_t ordinal)
{
    int32_t status = im_driver_open();
    if (status != ISOMAT_OK)
        return status;
    if (ordinal < 0 || ordinal >= im_cu.device_count)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "there is no device %d: the driver sees %d", ordinal,
                       im_cu.device_count);
    return IM_CALL(cuDeviceGet, device, ordinal);
}

/* A row per attribute: its number and where its value goes. */
struct attribute {
    CUdevice_attribute number;
    int *value;
};

static int32_t read_attributes(CUdevice device, const struct attribute *attributes, size_t count)
{
    int32_t status = ISOMAT_OK;
    for (size_t i = 0; i < count && status == ISOMAT_OK; i++)
        status = IM_CALL(cuDeviceGetAttribute, attributes[i].value, attributes[i].number, device);
    return status;
}

int32_t im_device_read_limits(struct im_device_limits *limits, CUdevice device)
{
    int major = 0;
    int minor = 0;
    const struct attribute attributes[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &limits->multiprocessors},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &limits->max_threads_per_block},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &limits->max_block[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &limits->max_block[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &limits->max_block[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &limits->max_grid[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &limits->max_grid[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &limits->max_grid[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &limits->shared_per_block},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &limits->shared_per_block_optin},
        {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &limits->memory_pools},
        {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, &limits->cooperative_launch},
    };
    int32_t status = read_attributes(device, attributes, sizeof attributes / sizeof *attributes);
    limits->capability = major * 10 + minor;
    /* Drivers before 11.8 do not know this attribute; their devices lack it. */
    if (status == ISOMAT_OK &&
        im_cu.cuDeviceGetAttribute(&limits->cluster_launch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, device))
        limits->cluster_launch = 0;
    return status;
}

int32_t isomat_device_get_info(isomat_device_info *info, int32_t ordinal)
{
    CUdevice device;
    int l2 = 0;
    int shared_per_multiprocessor = 0;
    size_t memory = 0;
    CUuuid uuid = {{0}};
    struct im_device_limits limits;
    int32_t status = IM_CHECK_STRUCT(info, "device info");
    if (status == ISOMAT_OK)
        status = im_device_get(&device, ordinal);
    if (status != ISOMAT_OK)
        return status;
    isomat_device_info filled = {.struct_size = info->struct_size};
    const struct attribute attributes[] = {
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &filled.clock_khz},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &filled.memory_clock_khz},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &filled.memory_bus_bits},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &filled.max_threads_per_multiprocessor},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &filled.registers_per_multiprocessor},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &shared_per_multiprocessor},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2},
        {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &filled.ecc},
    };
    status = im_device_read_limits(&limits, device);
    if (status == ISOMAT_OK)
        status = read_attributes(device, attributes, sizeof attributes / sizeof *attributes);
    if (status == ISOMAT_OK)
        status = IM_CALL(cuDeviceTotalMem, &memory, device);
    if (status == ISOMAT_OK)
        status = IM_CALL(cuDeviceGetName, filled.name, (int)sizeof filled.name, device);
    if (status != ISOMAT_OK)
        return status;
    if (im_cu.cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS)
        memcpy(filled.uuid, uuid.bytes, sizeof filled.uuid);
    filled.capability_major = limits.capability / 10;
    filled.capability_minor = limits.capability % 10;
    filled.multiprocessors = limits.multiprocessors;
    filled.max_threads_per_block = limits.max_threads_per_block;
    filled.memory_bytes = (int64_t)memory;
    filled.l2_bytes = l2;
    filled.shared_per_block_bytes = limits.shared_per_block;
    filled.shared_per_block_optin_bytes = limits.shared_per_block_optin;
    filled.shared_per_multiprocessor_bytes = shared_per_multiprocessor;
    filled.memory_pools = limits.memory_pools;
    filled.cluster_launch = limits.cluster_launch;
    filled.cooperative_launch = limits.cooperative_launch;
    *info = filled;
    return ISOMAT_OK;
}
