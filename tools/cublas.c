/* SPDX-License-Identifier: MIT */
/* cublas.c: the installed cuBLAS, opened at run time.
 *
 * Nothing of CUDA is needed to build this: the few functions are declared here. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cublas.h"

enum { CUBLAS_DEFAULT_MATH = 0 };

static const char *const library_names[] = {
    "libcublas.so.13",
    "libcublas.so.12",
    "libcublas.so.11",
    "/usr/local/cuda/lib64/libcublas.so",
};

struct functions {
    int (*create)(void **handle);
    int (*get_version)(void *handle, int *version);
    int (*set_stream)(void *handle, void *stream);
    int (*set_math_mode)(void *handle, int mode);
};

/* ISO C has no conversion from void * to a function pointer. */
static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* cuBLAS takes the thread's current context, and isomat leaves none behind. */
static bool make_context_current(const struct session *session, const isomat_context_info *info)
{
    int (*set_current)(void *context);
    void *driver = dlopen(session->driver.path, RTLD_LAZY | RTLD_NOLOAD);
    return driver && find(driver, "cuCtxSetCurrent", &set_current) &&
           set_current((void *)(uintptr_t)info->cu_context) == 0;
}

static bool use_library(struct cublas *cublas, void *library, uint64_t cu_stream, char *reason,
                        size_t capacity)
{
    struct functions functions;
    int status;

    if (!find(library, "cublasCreate_v2", &functions.create) ||
        !find(library, "cublasDestroy_v2", &cublas->destroy) ||
        !find(library, "cublasGetVersion_v2", &functions.get_version) ||
        !find(library, "cublasSetStream_v2", &functions.set_stream) ||
        !find(library, "cublasSetMathMode", &functions.set_math_mode) ||
        !find(library, "cublasSgemm_v2", &cublas->sgemm)) {
        snprintf(reason, capacity, "it lacks a function");
        return false;
    }
    status = functions.create(&cublas->handle);
    if (status != 0) {
        cublas->handle = NULL;
        snprintf(reason, capacity, "cublasCreate fails with status %d", status);
        return false;
    }
    functions.get_version(cublas->handle, &cublas->version);
    status = functions.set_stream(cublas->handle, (void *)(uintptr_t)cu_stream);
    if (status == 0)
        status = functions.set_math_mode(cublas->handle, CUBLAS_DEFAULT_MATH);
    if (status != 0) {
        snprintf(reason, capacity, "it cannot be set up, status %d", status);
        cublas_close(cublas);
        return false;
    }
    return true;
}

bool cublas_open(struct cublas *cublas, const struct session *session, uint64_t cu_stream, char *reason,
                 size_t capacity)
{
    isomat_context_info info = {.struct_size = sizeof info};
    const char *wanted = getenv("ISOMAT_CUBLAS");

    *cublas = (struct cublas){0};
    if (is_host_driver(&session->driver)) {
        snprintf(reason, capacity, "it needs an NVIDIA driver");
        return false;
    }
    if (isomat_context_get_info(&info, session->context) != ISOMAT_OK ||
        !make_context_current(session, &info)) {
        snprintf(reason, capacity, "the context cannot be made current");
        return false;
    }
    snprintf(reason, capacity, "none of libcublas.so.13, .12, .11 is found; ISOMAT_CUBLAS may give a path");
    const char *const *names = wanted ? &wanted : library_names;
    size_t count = wanted ? 1 : sizeof library_names / sizeof *library_names;
    for (size_t i = 0; i < count; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL); /* never closed: it has threads */
        if (library && use_library(cublas, library, cu_stream, reason, capacity))
            return true;
        if (!library && wanted)
            snprintf(reason, capacity, "%s", dlerror());
    }
    return false;
}

void cublas_close(struct cublas *cublas)
{
    if (cublas->handle)
        cublas->destroy(cublas->handle);
    cublas->handle = NULL;
}

int cublas_multiply(const struct cublas *cublas, const struct cublas_product *product)
{
    static const float one = 1.0f, zero = 0.0f;
    int m = (int)product->m, n = (int)product->n, k = (int)product->k;
    /* column-major cuBLAS sees the transposes: C^T = op(B)^T * op(A)^T; its T is isomat's (1) */
    return cublas->sgemm(cublas->handle, product->op_b, product->op_a, n, m, k, &one,
                         (const float *)(uintptr_t)product->b, product->op_b ? k : n,
                         (const float *)(uintptr_t)product->a, product->op_a ? m : k, &zero,
                         (float *)(uintptr_t)product->c, n);
}
