/* SPDX-License-Identifier: MIT */
/* kernel.c: looking kernels up and telling about them. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* Names stay when their kernel is gone, since a lost context names the work
 * that was in flight; each different name is kept once. */
static const char *intern(const char *name)
{
    static struct interned {
        struct interned *next;
        char text[];
    } * first;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct interned *entry;
    pthread_mutex_lock(&lock);
    for (entry = first; entry && strcmp(entry->text, name) != 0; entry = entry->next)
        ;
    if (!entry) {
        entry = malloc(sizeof *entry + strlen(name) + 1);
        if (entry) {
            strcpy(entry->text, name);
            entry->next = first;
            first = entry;
        }
    }
    pthread_mutex_unlock(&lock);
    return entry ? entry->text : NULL;
}

static void finalise(struct im_object *object)
{
    struct im_kernel *kernel = (struct im_kernel *)object;
    im_object_unref(&kernel->module->object);
    free(kernel->parameters);
    free(kernel);
}

/* Asks the driver for each parameter until there is none. */
static int32_t read_parameters(struct im_kernel *kernel)
{
    for (size_t index = 0;; index++) {
        struct im_parameter parameter;
        int32_t status = IM_CALL(cuFuncGetParamInfo, kernel->function, index, &parameter.offset_bytes,
                                 &parameter.size_bytes);
        if (status == ISOMAT_ERROR_UNSUPPORTED)
            kernel->parameter_count = -1;
        if (status == ISOMAT_ERROR_UNSUPPORTED || status == ISOMAT_ERROR_INVALID_ARGUMENT)
            return ISOMAT_OK;
        if (status != ISOMAT_OK)
            return status;
        struct im_parameter *parameters = realloc(kernel->parameters, (index + 1) * sizeof *parameters);
        if (!parameters)
            return IM_OUT_OF_HOST_MEMORY("a kernel");
        kernel->parameters = parameters;
        parameters[index] = parameter;
        kernel->parameter_count = (int32_t)index + 1;
        kernel->parameter_bytes = parameter.offset_bytes + parameter.size_bytes;
    }
}

static int32_t look_up(struct im_kernel *kernel, const char *name)
{
    int32_t status = IM_CALL(cuModuleGetFunction, &kernel->function, kernel->module->loaded->cu, name);
    if (status == ISOMAT_ERROR_NOT_FOUND)
        return im_fail_cuda(status, isomat_error_cuda_result(), "the module has no kernel \"%.128s\"", name);
    if (status == ISOMAT_OK)
        status = IM_CALL(cuFuncGetAttribute, &kernel->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                         kernel->function);
    if (status == ISOMAT_OK)
        status = IM_CALL(cuFuncGetAttribute, &kernel->static_shared_bytes,
                         CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->function);
    if (status == ISOMAT_OK)
        status = read_parameters(kernel);
    kernel->dynamic_shared_bytes = kernel->context->limits.shared_per_block - kernel->static_shared_bytes;
    return status;
}

/* Creates a kernel of a module whose reference it takes over on success. */
static int32_t create(isomat_kernel *handle, struct im_module *module, const char *name)
{
    struct im_scope scope;
    struct im_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return IM_OUT_OF_HOST_MEMORY("a kernel");
    kernel->object.finalise = finalise;
    kernel->module = module;
    kernel->context = module->context;
    kernel->name = intern(name);
    int32_t status = kernel->name ? im_scope_enter(&scope, module->context) : IM_OUT_OF_HOST_MEMORY("a name");
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, look_up(kernel, name));
    if (status == ISOMAT_OK)
        status = im_handle_create(handle, &kernel->object, IM_KIND_KERNEL);
    if (status != ISOMAT_OK) {
        free(kernel->parameters);
        free(kernel);
    }
    return status;
}

int32_t isomat_kernel_get(isomat_kernel *handle, isomat_module module_handle, const char *name)
{
    struct im_module *module;
    if (!handle)
        return IM_NULL_ARGUMENT("kernel");
    *handle = ISOMAT_NONE;
    if (!name)
        return IM_NULL_ARGUMENT("name");
    int32_t status = im_handle_get(&module, module_handle, IM_KIND_MODULE);
    if (status != ISOMAT_OK)
        return status;
    status = create(handle, module, name);
    if (status != ISOMAT_OK)
        im_object_unref(&module->object);
    return status;
}

int32_t isomat_kernel_destroy(isomat_kernel handle)
{
    return im_handle_destroy(handle, IM_KIND_KERNEL);
}

static int32_t read_info(isomat_kernel_info *info, const struct im_kernel *kernel)
{
    int local = 0;
    int constant = 0;
    const struct {
        CUfunction_attribute number;
        int *value;
    } attributes[] = {
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &info->registers},
        {CU_FUNC_ATTRIBUTE_BINARY_VERSION, &info->binary_version},
        {CU_FUNC_ATTRIBUTE_PTX_VERSION, &info->ptx_version},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &constant},
    };
    int32_t status = ISOMAT_OK;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && status == ISOMAT_OK; i++)
        status = IM_CALL(cuFuncGetAttribute, attributes[i].value, attributes[i].number, kernel->function);
    info->max_threads_per_block = kernel->max_threads;
    info->parameter_count = kernel->parameter_count;
    info->parameter_bytes = kernel->parameter_count < 0 ? -1 : (int64_t)kernel->parameter_bytes;
    info->shared_bytes = kernel->static_shared_bytes;
    info->local_bytes = local;
    info->const_bytes = constant;
    info->jit = kernel->module->loaded->info.jit;
    info->debug = kernel->module->loaded->info.debug;
    info->spills = local > 0 ? -1 : 0;
    return status;
}

int32_t isomat_kernel_get_info(isomat_kernel_info *info, isomat_kernel handle)
{
    struct im_kernel *kernel;
    struct im_scope scope;
    int32_t status = IM_CHECK_STRUCT(info, "kernel info");
    if (status == ISOMAT_OK)
        status = im_handle_get(&kernel, handle, IM_KIND_KERNEL);
    if (status != ISOMAT_OK)
        return status;
    isomat_kernel_info filled = {.struct_size = info->struct_size};
    status = im_scope_enter(&scope, kernel->context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, read_info(&filled, kernel));
    if (status == ISOMAT_OK)
        *info = filled;
    im_object_unref(&kernel->object);
    return status;
}

int32_t isomat_kernel_get_parameter(int64_t *offset_bytes, int64_t *size_bytes, isomat_kernel handle,
                                    int32_t index)
{
    struct im_kernel *kernel;
    if (!offset_bytes || !size_bytes)
        return IM_NULL_ARGUMENT("offset_bytes or size_bytes");
    int32_t status = im_handle_get(&kernel, handle, IM_KIND_KERNEL);
    if (status != ISOMAT_OK)
        return status;
    if (kernel->parameter_count < 0) {
        status = im_fail(ISOMAT_ERROR_UNSUPPORTED,
                         "a driver of CUDA %d.%d cannot tell parameters: 12.4 or later can",
                         im_cu.version / 1000, im_cu.version % 1000 / 10);
    } else if (index < 0 || index >= kernel->parameter_count) {
        status = im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "%s has %d parameters, no number %d", kernel->name,
                         kernel->parameter_count, index);
    } else {
        *offset_bytes = (int64_t)kernel->parameters[index].offset_bytes;
        *size_bytes = (int64_t)kernel->parameters[index].size_bytes;
    }
    im_object_unref(&kernel->object);
    return status;
}

int32_t isomat_kernel_get_occupancy(int32_t *blocks, isomat_kernel handle, int32_t block_threads,
                                    int64_t shared_bytes)
{
    struct im_kernel *kernel;
    struct im_scope scope;
    if (!blocks)
        return IM_NULL_ARGUMENT("blocks");
    *blocks = 0;
    if (block_threads < 1 || shared_bytes < 0)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "occupancy of a block of %d threads and %lld bytes",
                       block_threads, (long long)shared_bytes);
    int32_t status = im_handle_get(&kernel, handle, IM_KIND_KERNEL);
    if (status != ISOMAT_OK)
        return status;
    status = im_scope_enter(&scope, kernel->context);
    if (status == ISOMAT_OK)
        status = im_scope_leave(&scope, IM_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, blocks,
                                                kernel->function, block_threads, (size_t)shared_bytes));
    im_object_unref(&kernel->object);
    return status;
}
