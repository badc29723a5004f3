/* SPDX-License-Identifier: MIT */
/* hostdriver.h: the host driver opened by path, for its own tests.
 *
 * The environment variable ISOMAT_HOSTDRIVER names the shared object.
 */
#ifndef TEST_HOSTDRIVER_H
#define TEST_HOSTDRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../hostdriver/functions.h"

static void *hostdriver_library;

/* NAME(arguments) calls the driver's function of that name. */
#define CALL(name) ((__typeof__(&name))hostdriver_symbol(#name))

static inline void *hostdriver_symbol(const char *name)
{
    void *symbol = dlsym(hostdriver_library, name);

    if (symbol == NULL) {
        fprintf(stderr, "%s is not exported\n", name);
        exit(99);
    }
    return symbol;
}

static inline void hostdriver_open(void)
{
    const char *path = getenv("ISOMAT_HOSTDRIVER");

    if (path == NULL) {
        fprintf(stderr, "ISOMAT_HOSTDRIVER is not set\n");
        exit(99);
    }
    hostdriver_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (hostdriver_library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(99);
    }
}

#define assert_result(call, expected) assert_int_equal((int)(call), (int)(expected))
#define assert_ok(call) assert_result(call, CUDA_SUCCESS)

static inline CUcontext hostdriver_context(void)
{
    CUcontext context;

    assert_ok(CALL(cuInit)(0));
    assert_ok(CALL(cuCtxCreate_v2)(&context, 0, 0));
    return context;
}

/* Loads PTX text, printing the log where it fails. */
static inline CUmodule hostdriver_load(const void *image)
{
    CUmodule module = NULL;
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUresult result = CALL(cuModuleLoadDataEx)(&module, image, 2, options, values);

    if (result != CUDA_SUCCESS)
        print_error("load: %u: %s\n", result, log);
    assert_ok(result);
    return module;
}

static inline CUfunction hostdriver_function(CUmodule module, const char *name)
{
    CUfunction function = NULL;

    assert_ok(CALL(cuModuleGetFunction)(&function, module, name));
    return function;
}

static inline CUdeviceptr hostdriver_copy(const void *data, size_t bytes)
{
    CUdeviceptr pointer = 0;

    assert_ok(CALL(cuMemAlloc_v2)(&pointer, bytes));
    if (data != NULL)
        assert_ok(CALL(cuMemcpyHtoD_v2)(pointer, data, bytes));
    return pointer;
}

static inline void hostdriver_launch(CUfunction function, unsigned blocks, unsigned threads,
                                     void **parameters)
{
    assert_ok(CALL(cuLaunchKernel)(function, blocks, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL));
}

#endif
