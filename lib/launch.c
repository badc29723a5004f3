/* SPDX-License-Identifier: MIT */
/* launch.c: submitting kernels, with what can be checked checked before. */
#include "launch.h"

#include "kernel.h"

/* The driver's marks for arguments that lie in one buffer. */
#define PACKED_END ((void *)0x00)
#define PACKED_POINTER ((void *)0x01)
#define PACKED_SIZE ((void *)0x02)

/* The first driver that captures dependent launches. */
#define DEPENDENT_IN_GRAPHS 12030

/* A dependent launch, by the call that takes attributes. */
static int32_t launch_dependent(CUfunction function, uint32_t threads, const struct im_own_launch *launch,
                                CUstream stream, void **parameters)
{
    CUlaunchAttribute attribute = {
        .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        .value.programmaticStreamSerializationAllowed = 1,
    };
    CUlaunchConfig config = {
        .gridDimX = (unsigned)launch->blocks,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = threads,
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = launch->shared_bytes,
        .hStream = stream,
        .attrs = &attribute,
        .numAttrs = 1,
    };
    return IM_CALL(cuLaunchKernelEx, &config, function, parameters, NULL);
}

int32_t im_launch_own_as(struct im_stream *stream, enum im_kernel_id id, const struct im_own_launch *launch,
                         const void *arguments)
{
    const struct im_kernel_row *row = &im_kernels[id];
    struct im_context *context = stream->context;
    CUfunction function;
    void *parameters[] = {(void *)(uintptr_t)arguments};
    if (launch->blocks > context->limits.max_grid[0])
        return im_fail(ISOMAT_ERROR_UNSUPPORTED, "%s would need %lld blocks, and a grid has at most %d",
                       row->name, (long long)launch->blocks, context->limits.max_grid[0]);
    int32_t status = im_module_own_kernel(&function, context, id);
    if (status != ISOMAT_OK)
        return status;
    IM_RANGE_NAMED(row->name);
    im_context_note_launch(context, row->name);
    if (launch->dependent && !(stream->recording && im_cu.version < DEPENDENT_IN_GRAPHS))
        return launch_dependent(function, row->threads, launch, stream->cu, parameters);
    return IM_CALL(cuLaunchKernel, function, (unsigned)launch->blocks, 1, 1, row->threads, 1, 1,
                   launch->shared_bytes, stream->cu, parameters, NULL);
}

int32_t im_launch_own(struct im_stream *stream, enum im_kernel_id id, int64_t blocks, const void *arguments)
{
    const struct im_own_launch launch = {blocks, im_kernels[id].shared_bytes, false};
    return im_launch_own_as(stream, id, &launch, arguments);
}

/* ------------------------------------------------------------------ checks */

static int32_t check_shape(const struct im_kernel *kernel, const isomat_launch *launch)
{
    const struct im_device_limits *limits = &kernel->context->limits;
    const uint32_t grid[3] = {launch->grid_x, launch->grid_y, launch->grid_z};
    const uint32_t block[3] = {launch->block_x, launch->block_y, launch->block_z};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (grid[i] < 1 || grid[i] > (uint32_t)limits->max_grid[i])
            return im_fail(ISOMAT_ERROR_INVALID_LAUNCH, "%s: grid_%c is %u, not 1 to %d", kernel->name,
                           'x' + i, grid[i], limits->max_grid[i]);
        if (block[i] < 1 || block[i] > (uint32_t)limits->max_block[i])
            return im_fail(ISOMAT_ERROR_INVALID_LAUNCH, "%s: block_%c is %u, not 1 to %d", kernel->name,
                           'x' + i, block[i], limits->max_block[i]);
        threads *= block[i];
    }
    if (threads > (uint64_t)kernel->max_threads)
        return im_fail(ISOMAT_ERROR_INVALID_LAUNCH,
                       "%s: a block of %u x %u x %u is %llu threads, and this kernel runs with at most %d",
                       kernel->name, block[0], block[1], block[2], (unsigned long long)threads,
                       kernel->max_threads);
    int64_t shared = (int64_t)launch->shared_bytes + kernel->static_shared_bytes;
    if (shared > limits->shared_per_block_optin)
        return im_fail(ISOMAT_ERROR_INVALID_LAUNCH,
                       "%s: %u bytes of dynamic and %d of static shared memory, and a block has at most %d",
                       kernel->name, launch->shared_bytes, kernel->static_shared_bytes,
                       limits->shared_per_block_optin);
    return ISOMAT_OK;
}

static bool has_cluster(const isomat_launch *launch)
{
    return launch->cluster_x || launch->cluster_y || launch->cluster_z;
}

static int32_t check_features(const struct im_kernel *kernel, const isomat_launch *launch)
{
    const struct im_device_limits *limits = &kernel->context->limits;
    if (launch->cooperative && !limits->cooperative_launch)
        return im_fail(ISOMAT_ERROR_UNSUPPORTED, "%s: this device has no cooperative launch", kernel->name);
    if (!has_cluster(launch))
        return ISOMAT_OK;
    if (!limits->cluster_launch)
        return im_fail(ISOMAT_ERROR_UNSUPPORTED,
                       "%s: clusters need a device of capability 9.0, this one has %d.%d", kernel->name,
                       limits->capability / 10, limits->capability % 10);
    if (!launch->cluster_x || !launch->cluster_y || !launch->cluster_z ||
        launch->grid_x % launch->cluster_x || launch->grid_y % launch->cluster_y ||
        launch->grid_z % launch->cluster_z)
        return im_fail(ISOMAT_ERROR_INVALID_LAUNCH,
                       "%s: a grid of %u x %u x %u is no multiple of the cluster of %u x %u x %u",
                       kernel->name, launch->grid_x, launch->grid_y, launch->grid_z, launch->cluster_x,
                       launch->cluster_y, launch->cluster_z);
    return ISOMAT_OK;
}

static int32_t check_arguments(const struct im_kernel *kernel, int32_t count, const int64_t *sizes)
{
    if (kernel->parameter_count < 0)
        return ISOMAT_OK;
    if (count != kernel->parameter_count)
        return im_fail(ISOMAT_ERROR_ARGUMENT_COUNT, "%s takes %d arguments, %d were given", kernel->name,
                       kernel->parameter_count, count);
    for (int32_t i = 0; sizes && i < count; i++)
        if (sizes[i] != (int64_t)kernel->parameters[i].size_bytes)
            return im_fail(ISOMAT_ERROR_ARGUMENT_SIZE, "%s: argument %d has %zu bytes, %lld were given",
                           kernel->name, i, kernel->parameters[i].size_bytes, (long long)sizes[i]);
    return ISOMAT_OK;
}

/* ----------------------------------------------------------------- launch */

/* More than 48 KiB must be asked for once; the most asked for is kept. */
static int32_t allow_shared(struct im_kernel *kernel, uint32_t bytes)
{
    if ((int64_t)bytes <= kernel->dynamic_shared_bytes)
        return ISOMAT_OK;
    int32_t status = IM_CALL(cuFuncSetAttribute, kernel->function,
                             CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    if (status == ISOMAT_OK)
        kernel->dynamic_shared_bytes = (int32_t)bytes;
    return status;
}

static int32_t submit_extended(struct im_kernel *kernel, const isomat_launch *launch, CUstream stream,
                               void **parameters, void **extra)
{
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config = {
        .gridDimX = launch->grid_x,
        .gridDimY = launch->grid_y,
        .gridDimZ = launch->grid_z,
        .blockDimX = launch->block_x,
        .blockDimY = launch->block_y,
        .blockDimZ = launch->block_z,
        .sharedMemBytes = launch->shared_bytes,
        .hStream = stream,
        .attrs = attributes,
    };
    if (has_cluster(launch))
        attributes[config.numAttrs++] = (CUlaunchAttribute){
            .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
            .value.clusterDim = {launch->cluster_x, launch->cluster_y, launch->cluster_z},
        };
    if (launch->cooperative)
        attributes[config.numAttrs++] = (CUlaunchAttribute){
            .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
            .value.cooperative = 1,
        };
    return IM_CALL(cuLaunchKernelEx, &config, kernel->function, parameters, extra);
}

static int32_t submit(struct im_kernel *kernel, const isomat_launch *launch, CUstream stream,
                      void **parameters, void **extra)
{
    int32_t status = allow_shared(kernel, launch->shared_bytes);
    if (status != ISOMAT_OK)
        return status;
    im_context_note_launch(kernel->context, kernel->name);
    if (has_cluster(launch) || launch->cooperative)
        return submit_extended(kernel, launch, stream, parameters, extra);
    return IM_CALL(cuLaunchKernel, kernel->function, launch->grid_x, launch->grid_y, launch->grid_z,
                   launch->block_x, launch->block_y, launch->block_z, launch->shared_bytes, stream,
                   parameters, extra);
}

/* What a launch gives its kernel, in one of the two forms. */
struct arguments {
    const void *const *pointers;
    int32_t count;
    const int64_t *sizes;
    const void *buffer;
    int64_t bytes;
    bool packed;
};

static int32_t check_given(const struct im_kernel *kernel, const struct arguments *given)
{
    if (!given->packed)
        return check_arguments(kernel, given->count, given->sizes);
    if (kernel->parameter_count >= 0 && given->bytes != (int64_t)kernel->parameter_bytes)
        return im_fail(ISOMAT_ERROR_ARGUMENT_SIZE, "%s takes %zu bytes of arguments, %lld were given",
                       kernel->name, kernel->parameter_bytes, (long long)given->bytes);
    return ISOMAT_OK;
}

static int32_t launch_on(struct im_kernel *kernel, const isomat_launch *launch, struct im_stream *stream,
                         const struct arguments *given)
{
    IM_RANGE_NAMED(kernel->name);
    struct im_scope scope;
    size_t bytes = (size_t)given->bytes;
    void *extra[] = {PACKED_POINTER, (void *)(uintptr_t)given->buffer, PACKED_SIZE, &bytes, PACKED_END};
    void **parameters = given->packed ? NULL : (void **)(uintptr_t)given->pointers;
    int32_t status = ISOMAT_OK;
    if (stream->recording)
        status = im_recording_add(stream->recording, &kernel->object, IM_RECORDED_HELD);
    if (status == ISOMAT_OK)
        status = im_scope_enter(&scope, kernel->context);
    if (status != ISOMAT_OK)
        return status;
    status = submit(kernel, launch, stream->cu, parameters, given->packed && bytes > 0 ? extra : NULL);
    if (status == ISOMAT_ERROR_INVALID_ARGUMENT) /* the driver found what the checks did not */
        status = im_fail_cuda(ISOMAT_ERROR_INVALID_LAUNCH, isomat_error_cuda_result(),
                              "%s: the driver refuses this launch", kernel->name);
    return im_scope_leave(&scope, status);
}

static int32_t launch_checked(isomat_kernel handle, const isomat_launch *launch,
                              const struct arguments *given)
{
    struct im_kernel *kernel;
    struct im_stream *stream;
    int32_t status = IM_CHECK_STRUCT(launch, "launch");
    if (status == ISOMAT_OK)
        status = im_handle_get(&kernel, handle, IM_KIND_KERNEL);
    if (status != ISOMAT_OK)
        return status;
    status = check_shape(kernel, launch);
    if (status == ISOMAT_OK)
        status = check_features(kernel, launch);
    if (status == ISOMAT_OK)
        status = check_given(kernel, given);
    if (status == ISOMAT_OK)
        status = im_stream_get(&stream, launch->stream, kernel->context);
    if (status == ISOMAT_OK) {
        status = launch_on(kernel, launch, stream, given);
        im_stream_release(stream);
    }
    im_object_unref(&kernel->object);
    return status;
}

int32_t isomat_kernel_launch(isomat_kernel kernel, const isomat_launch *launch, const void *const *arguments,
                             int32_t argument_count, const int64_t *sizes)
{
    struct arguments given = {.pointers = arguments, .count = argument_count, .sizes = sizes};
    if (argument_count < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "argument_count is %d", argument_count);
    if (argument_count > 0 && !arguments)
        return IM_NULL_ARGUMENT("arguments");
    for (int32_t i = 0; i < argument_count; i++)
        if (!arguments[i])
            return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "the pointer to argument %d is NULL", i);
    return launch_checked(kernel, launch, &given);
}

int32_t isomat_kernel_launch_packed(isomat_kernel kernel, const isomat_launch *launch, const void *buffer,
                                    int64_t bytes)
{
    struct arguments given = {.packed = true, .buffer = buffer, .bytes = bytes};
    if (bytes < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "bytes is %lld", (long long)bytes);
    if (bytes > 0 && !buffer)
        return IM_NULL_ARGUMENT("buffer");
    return launch_checked(kernel, launch, &given);
}
