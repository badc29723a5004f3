/* SPDX-License-Identifier: MIT */
/* api_library.c: libraries and kernels, and the linker.
 *
 * A library is a module of the context that is current when it is loaded, a
 * kernel its function.  Linking PTX joins the texts; what comes out is PTX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

/* The call counts, and may be made to fail, before it becomes the other. */
#define FORWARD(name, needs, call)                                                                           \
    {                                                                                                        \
        {                                                                                                    \
            API(name, needs);                                                                                \
        }                                                                                                    \
        return call;                                                                                         \
    }

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options, void **jit_values,
                           unsigned int jit_count, uint32_t *library_options, void **library_values,
                           unsigned int library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    FORWARD(cuLibraryLoadData, NEEDS_CONTEXT,
            cuModuleLoadDataEx(library, code, jit_count, jit_options, jit_values))
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
                               void **jit_values, unsigned int jit_count, uint32_t *library_options,
                               void **library_values, unsigned int library_count)
{
    (void)jit_options, (void)jit_values, (void)jit_count;
    (void)library_options, (void)library_values, (void)library_count;
    FORWARD(cuLibraryLoadFromFile, NEEDS_CONTEXT, cuModuleLoad(library, path))
}

CUresult cuLibraryUnload(CUlibrary library){FORWARD(cuLibraryUnload, NEEDS_INIT, cuModuleUnload(library))}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name){
    FORWARD(cuLibraryGetKernel, NEEDS_INIT, cuModuleGetFunction(kernel, library, name))}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library){
    FORWARD(cuLibraryGetKernelCount, NEEDS_INIT, cuModuleGetFunctionCount(count, library))}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    API(cuLibraryGetModule, NEEDS_INIT);
    if (module == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(library, OBJECT_MODULE))
        return CUDA_ERROR_INVALID_HANDLE;
    *module = library;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name){
    FORWARD(cuLibraryGetGlobal, NEEDS_INIT, cuModuleGetGlobal_v2(pointer, bytes, library, name))}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    API(cuKernelGetFunction, NEEDS_INIT);
    if (function == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_valid(kernel, OBJECT_FUNCTION))
        return CUDA_ERROR_INVALID_HANDLE;
    *function = kernel;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel){
    FORWARD(cuKernelGetLibrary, NEEDS_INIT, cuFuncGetModule(library, kernel))}

CUresult cuKernelGetName(const char **name,
                         CUkernel kernel){FORWARD(cuKernelGetName, NEEDS_INIT, cuFuncGetName(name, kernel))}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset_bytes, size_t *size_bytes){
    FORWARD(cuKernelGetParamInfo, NEEDS_INIT, cuFuncGetParamInfo(kernel, index, offset_bytes, size_bytes))}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
    (void)device;
    FORWARD(cuKernelGetAttribute, NEEDS_INIT, cuFuncGetAttribute(value, attribute, kernel))
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
    (void)device;
    FORWARD(cuKernelSetAttribute, NEEDS_INIT, cuFuncSetAttribute(kernel, attribute, value))
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, uint32_t configuration, CUdevice device)
{
    (void)device;
    FORWARD(cuKernelSetCacheConfig, NEEDS_INIT, cuFuncSetCacheConfig(kernel, configuration))
}

enum { INPUT_PTX = 1, LINK_FILE_MOST = 256 << 20 };

struct CUlinkState_st {
    char *text;
    size_t bytes;
};

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option *options, void **values, CUlinkState *state)
{
    API(cuLinkCreate_v2, NEEDS_CONTEXT);
    (void)count, (void)options, (void)values;
    if (state == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *state = calloc(1, sizeof **state);
    return *state != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* One .version stands at the head of the whole. */
static CUresult append(CUlinkState state, const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes);
    char *larger = realloc(state->text, state->bytes + length + 2);

    if (larger == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    state->text = larger;
    char *at = larger + state->bytes;
    memcpy(at, text, length);
    memcpy(at + length, "\n", 2);
    char *version = state->bytes > 0 ? strstr(at, ".version") : NULL;
    for (; version != NULL && *version != 0 && *version != '\n'; version++)
        *version = ' ';
    state->bytes += length + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, uint32_t type, void *data, size_t bytes, const char *name,
                          unsigned int count, CUjit_option *options, void **values)
{
    API(cuLinkAddData_v2, NEEDS_CONTEXT);
    (void)name, (void)count, (void)options, (void)values;
    if (state == NULL || data == NULL || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return type == INPUT_PTX ? append(state, data, bytes) : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult cuLinkAddFile_v2(CUlinkState state, uint32_t type, const char *path, unsigned int count,
                          CUjit_option *options, void **values)
{
    API(cuLinkAddFile_v2, NEEDS_CONTEXT);
    (void)count, (void)options, (void)values;
    if (state == NULL || path == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (type != INPUT_PTX)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return CUDA_ERROR_FILE_NOT_FOUND;
    long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = bytes > 0 && bytes < LINK_FILE_MOST ? malloc((size_t)bytes) : NULL;
    rewind(file);
    CUresult result = text == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_OPERATING_SYSTEM;
    if (text != NULL && fread(text, 1, (size_t)bytes, file) == (size_t)bytes)
        result = append(state, text, (size_t)bytes);
    free(text);
    fclose(file);
    return result;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    API(cuLinkComplete, NEEDS_CONTEXT);
    if (state == NULL || image == NULL || state->bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    *image = state->text;
    if (bytes != NULL)
        *bytes = state->bytes + 1;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    API(cuLinkDestroy, NEEDS_INIT);
    if (state == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    free(state->text);
    free(state);
    return CUDA_SUCCESS;
}
