/* SPDX-License-Identifier: MIT */
/* api_module.c: modules, their functions and globals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "fatbin.h"
#include "lower.h"

enum { FILE_BYTES_MAX = 512 << 20, LOADING_EAGER = 1 };

struct jit_log {
    char *info, *error;
    size_t info_bytes, error_bytes;
    int info_size_at, error_size_at, wall_time_at; /* index in values, -1: none */
};

/* Values are passed in the pointers themselves, as the driver API has it. */
static CUresult read_options(struct jit_log *log, unsigned int count, const CUjit_option *options,
                             void **values)
{
    *log = (struct jit_log){.info_size_at = -1, .error_size_at = -1, .wall_time_at = -1};
    if (count > 0 && (options == NULL || values == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned int i = 0; i < count; i++) {
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            log->info = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            log->error = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            log->info_size_at = (int)i;
            log->info_bytes = (uint32_t)(uintptr_t)values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            log->error_size_at = (int)i;
            log->error_bytes = (uint32_t)(uintptr_t)values[i];
            break;
        case CU_JIT_WALL_TIME:
            log->wall_time_at = (int)i;
            break;
        default:
            break; /* tuning, without meaning here */
        }
    }
    return CUDA_SUCCESS;
}

static void write_log(char *buffer, size_t capacity, int size_at, void **values, const char *text)
{
    size_t length = strlen(text);

    if (buffer != NULL && capacity > 0) {
        length = length < capacity - 1 ? length : capacity - 1;
        memcpy(buffer, text, length);
        buffer[length] = 0;
    } else {
        length = 0;
    }
    if (size_at >= 0)
        values[size_at] = (void *)(uintptr_t)(length > 0 ? length + 1 : 0);
}

static void place_globals(struct loader *loader, struct CUmod_st *module)
{
    struct ptx_module *ptx = module->ptx;

    for (uint32_t i = 0; i < ptx->variable_count; i++) {
        struct ptx_variable *variable = ptx->variables[i];
        if ((variable->space != SPACE_GLOBAL && variable->space != SPACE_CONST) || variable->is_extern)
            continue;
        uint64_t bytes = variable->bytes != 0 ? variable->bytes : 1;
        variable->address = memory_alloc(bytes, OWNER_MODULE, module->object.context, module);
        if (variable->address == 0)
            loader_fail(loader, CUDA_ERROR_OUT_OF_MEMORY, "no room for %s", variable->name);
        void *host = memory_translate(variable->address, bytes);
        if (variable->initial != NULL)
            memcpy(host, variable->initial, variable->bytes);
        else
            memset(host, 0, bytes);
    }
    for (uint32_t i = 0; i < ptx->variable_count; i++) {
        const struct ptx_variable *variable = ptx->variables[i];
        for (uint32_t j = 0; j < variable->relocation_count; j++) {
            const struct ptx_relocation *relocation = &variable->relocations[j];
            const struct ptx_variable *target = ptx_variable_find(ptx, relocation->name);
            uint32_t function = ptx_function_number(ptx, relocation->name);
            if (target == NULL && function != UINT32_MAX && variable->address != 0) {
                uint64_t pointer = memory_base() + WINDOW_CODE + (uint64_t)function * FUNCTION_BYTES;
                ptx->functions[function]->address_taken = true;
                memcpy(memory_translate(variable->address + relocation->offset, 8), &pointer, 8);
                continue;
            }
            if (target == NULL || target->address == 0 || variable->address == 0)
                loader_fail(loader, CUDA_ERROR_INVALID_PTX, "line %u: the address of %s is not known here",
                            variable->line, relocation->name);
            uint64_t value = target->address + (uint64_t)relocation->addend;
            memcpy(memory_translate(variable->address + relocation->offset, 8), &value, 8);
        }
    }
}

static void build(struct loader *loader, struct CUmod_st *module, const void *image, size_t available)
{
    uint32_t capability = driver.configuration.capability, entries = 0;
    struct ptx_image ptx = fatbin_find_ptx(loader, image, available, capability);

    module->ptx = ptx_parse(loader, ptx.text, ptx.length);
    if (module->ptx->target > capability)
        loader_fail(loader, CUDA_ERROR_NO_BINARY_FOR_GPU, "PTX for sm_%u, the device has capability %u.%u",
                    module->ptx->target, capability / 10, capability % 10);
    functions_mark(module->ptx);
    place_globals(loader, module);
    for (uint32_t i = 0; i < module->ptx->function_count; i++)
        entries += module->ptx->functions[i]->is_entry && module->ptx->functions[i]->has_body;
    module->functions = loader_alloc(loader, entries, sizeof *module->functions);
    for (uint32_t i = 0; i < module->ptx->function_count; i++) {
        struct ptx_function *kernel = module->ptx->functions[i];
        if (!kernel->is_entry || !kernel->has_body)
            continue;
        struct CUfunc_st *function = &module->functions[module->function_count];
        function->object = (struct object){.kind = OBJECT_FUNCTION, .context = module->object.context};
        function->module = module;
        function->program = program_lower(loader, module->ptx, kernel);
        int32_t room = shared_limit(false) - (int32_t)function->program->shared_bytes;
        if (room < 0)
            loader_fail(loader, CUDA_ERROR_INVALID_PTX,
                        "kernel %s uses %u bytes of static shared memory, %d are allowed", kernel->name,
                        function->program->shared_bytes, shared_limit(false));
        function->max_dynamic_shared = (uint32_t)room;
        function->carveout = -1;
        module->function_count++;
    }
}

static CUresult load(CUmodule *out, const void *image, size_t available, struct jit_log *log, void **values)
{
    struct CUmod_st *module = calloc(1, sizeof *module);
    struct loader *loader = calloc(1, sizeof *loader);
    uint64_t started = clock_nanoseconds();

    if (module == NULL || loader == NULL) {
        free(module);
        free(loader);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    loader->arena = &module->arena;
    loader->checks = driver.configuration.checks;
    object_add(&module->object, OBJECT_MODULE, context_current());
    if (setjmp(loader->failed) == 0)
        build(loader, module, image, available);
    CUresult result = loader->result;
    if (log->wall_time_at >= 0) {
        float milliseconds = (float)((double)(clock_nanoseconds() - started) * 1e-6);
        memcpy(&values[log->wall_time_at], &milliseconds, sizeof milliseconds);
    }
    write_log(log->info, log->info_bytes, log->info_size_at, values, "");
    write_log(log->error, log->error_bytes, log->error_size_at, values,
              result != CUDA_SUCCESS ? loader->message : "");
    if (result == CUDA_SUCCESS)
        *out = module;
    else
        module_release(module);
    free(loader);
    return result;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int option_count,
                            CUjit_option *options, void **values)
{
    API(cuModuleLoadDataEx, NEEDS_CONTEXT);
    struct jit_log log;
    CUresult result = read_options(&log, option_count, options, values);
    if (result != CUDA_SUCCESS)
        return result;
    if (module == NULL || image == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return load(module, image, SIZE_MAX, &log, values);
}

static CUresult load_plain(CUmodule *module, const void *image, size_t available)
{
    struct jit_log log;

    if (module == NULL || image == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    read_options(&log, 0, NULL, NULL);
    return load(module, image, available, &log, NULL);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    API(cuModuleLoadData, NEEDS_CONTEXT);
    return load_plain(module, image, SIZE_MAX);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    API(cuModuleLoadFatBinary, NEEDS_CONTEXT);
    return load_plain(module, image, SIZE_MAX);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    API(cuModuleLoad, NEEDS_CONTEXT);
    if (module == NULL || path == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return CUDA_ERROR_FILE_NOT_FOUND;
    long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *image = bytes >= 0 && bytes < FILE_BYTES_MAX ? malloc((size_t)bytes + 1) : NULL;
    rewind(file);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    if (image != NULL) {
        bool whole = fread(image, 1, (size_t)bytes, file) == (size_t)bytes;
        image[bytes] = 0;
        result = whole ? load_plain(module, image, (size_t)bytes) : CUDA_ERROR_OPERATING_SYSTEM;
    }
    free(image);
    fclose(file);
    return result;
}

CUresult cuModuleUnload(CUmodule module)
{
    API(cuModuleUnload, NEEDS_INIT);
    if (!object_valid(module, OBJECT_MODULE))
        return CUDA_ERROR_INVALID_HANDLE;
    struct CUctx_st *context = module->object.context;
    CUresult result = context_check(context);
    if (result != CUDA_SUCCESS)
        return result;
    result = context_wait(context);
    if (!object_valid(module, OBJECT_MODULE))
        return CUDA_ERROR_INVALID_HANDLE;
    module_release(module);
    return result;
}

CUresult cuModuleGetLoadingMode(uint32_t *mode)
{
    API(cuModuleGetLoadingMode, NEEDS_INIT);
    if (mode == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = LOADING_EAGER;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    API(cuModuleGetFunction, NEEDS_INIT);
    if (function == NULL || name == NULL || *name == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(module, OBJECT_MODULE))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = context_check(module->object.context);
    if (result != CUDA_SUCCESS)
        return result;
    for (uint32_t i = 0; i < module->function_count; i++) {
        if (strcmp(module->functions[i].program->name, name) == 0) {
            *function = &module->functions[i];
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    API(cuModuleGetFunctionCount, NEEDS_INIT);
    if (count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(module, OBJECT_MODULE))
        return CUDA_ERROR_INVALID_HANDLE;
    *count = module->function_count;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name)
{
    API(cuModuleGetGlobal_v2, NEEDS_INIT);
    if (name == NULL || (pointer == NULL && bytes == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(module, OBJECT_MODULE))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = context_check(module->object.context);
    if (result != CUDA_SUCCESS)
        return result;
    const struct ptx_variable *variable = ptx_variable_find(module->ptx, name);
    if (variable == NULL || variable->address == 0)
        return CUDA_ERROR_NOT_FOUND;
    if (pointer != NULL)
        *pointer = variable->address;
    if (bytes != NULL)
        *bytes = variable->bytes;
    return CUDA_SUCCESS;
}

/* As many as there is room for. */
static CUresult enumerate(CUfunction *functions, unsigned int room, CUmodule module)
{
    if (functions == NULL || room == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(module, OBJECT_MODULE))
        return CUDA_ERROR_INVALID_HANDLE;
    for (uint32_t i = 0; i < room && i < module->function_count; i++)
        functions[i] = &module->functions[i];
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int room, CUmodule module)
{
    API(cuModuleEnumerateFunctions, NEEDS_INIT);
    return enumerate(functions, room, module);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int room, CUlibrary library)
{
    API(cuLibraryEnumerateKernels, NEEDS_INIT);
    return enumerate(kernels, room, library);
}
