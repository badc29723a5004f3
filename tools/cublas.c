/* SPDX-License-Identifier: MIT */
/* cublas.c: the installed cuBLAS, opened at run time.
 *
 * Nothing of CUDA is needed to build this: the few functions are declared here. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute.h"
#include "cublas.h"

enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_GEMM_DEFAULT = -1 };
enum { WORKSPACE_BYTES = 128 << 20 }; /* more than cuBLAS would take by itself */

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
    int (*set_workspace)(void *handle, void *workspace, size_t bytes);
    int (*set_math_mode)(void *handle, int mode);
};

static bool find_all(struct cublas *cublas, struct functions *functions, void *library)
{
    return find_function(library, "cublasCreate_v2", &functions->create) &&
           find_function(library, "cublasDestroy_v2", &cublas->destroy) &&
           find_function(library, "cublasGetVersion_v2", &functions->get_version) &&
           find_function(library, "cublasSetStream_v2", &functions->set_stream) &&
           find_function(library, "cublasSetWorkspace_v2", &functions->set_workspace) &&
           find_function(library, "cublasSetMathMode", &functions->set_math_mode) &&
           find_function(library, "cublasSgemm_v2", &cublas->sgemm) &&
           find_function(library, "cublasDgemm_v2", &cublas->dgemm) &&
           find_function(library, "cublasGemmEx", &cublas->gemm_ex) &&
           find_function(library, "cublasGemmStridedBatchedEx", &cublas->gemm_strided_batched_ex);
}

/* Setting the stream takes the workspace away, so that comes after it. */
static int set_up(const struct cublas *cublas, const struct functions *functions, uint64_t cu_stream)
{
    int status = functions->set_stream(cublas->handle, (void *)(uintptr_t)cu_stream);
    if (status == 0)
        status =
            functions->set_workspace(cublas->handle, (void *)(uintptr_t)cublas->workspace, WORKSPACE_BYTES);
    if (status == 0)
        status = functions->set_math_mode(cublas->handle, CUBLAS_DEFAULT_MATH);
    return status;
}

static bool use_library(struct cublas *cublas, void *library, uint64_t cu_stream, char *reason,
                        size_t capacity)
{
    struct functions functions;
    int status;

    if (!find_all(cublas, &functions, library)) {
        snprintf(reason, capacity, "it lacks a function");
        return false;
    }
    if (isomat_memory_allocate(&cublas->workspace, WORKSPACE_BYTES, cublas->context, ISOMAT_NONE) !=
            ISOMAT_OK ||
        isomat_context_synchronize(cublas->context) != ISOMAT_OK) {
        snprintf(reason, capacity, "its workspace: %s", isomat_error_message());
        cublas_close(cublas);
        return false;
    }
    status = functions.create(&cublas->handle);
    if (status != 0) {
        cublas->handle = NULL;
        snprintf(reason, capacity, "cublasCreate fails with status %d", status);
        cublas_close(cublas);
        return false;
    }
    functions.get_version(cublas->handle, &cublas->version);
    status = set_up(cublas, &functions, cu_stream);
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
    const char *wanted = getenv("ISOMAT_CUBLAS");

    *cublas = (struct cublas){.context = session->context};
    if (is_host_driver(&session->driver)) {
        snprintf(reason, capacity, "it needs an NVIDIA driver");
        return false;
    }
    if (!session_make_current(session)) {
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
    if (cublas->workspace)
        isomat_memory_free(cublas->workspace, cublas->context, ISOMAT_NONE);
    cublas->workspace = 0;
}

/* Column-major cuBLAS sees the transposes: C^T = op(B)^T * op(A)^T; its T is isomat's (1). */
struct column_major {
    int m, n, k, lda, ldb;
    const void *a, *b;
    void *c;
};

static struct column_major column_major_of(const struct cublas_product *product)
{
    int m = (int)product->m, n = (int)product->n, k = (int)product->k;
    return (struct column_major){
        .m = n,
        .n = m,
        .k = k,
        .lda = product->op_b ? k : n,
        .ldb = product->op_a ? m : k,
        .a = (const void *)(uintptr_t)product->b,
        .b = (const void *)(uintptr_t)product->a,
        .c = (void *)(uintptr_t)product->c,
    };
}

static bool takes_sgemm(int32_t compute)
{
    return compute == ISOMAT_COMPUTE_F32 || compute == ISOMAT_COMPUTE_F32_STRICT;
}

const char *cublas_function(int32_t compute, int64_t products)
{
    if (products > 1)
        return "cublasGemmStridedBatchedEx";
    return compute == ISOMAT_COMPUTE_F64 ? "cublasDgemm"
           : takes_sgemm(compute)        ? "cublasSgemm"
                                         : "cublasGemmEx";
}

int cublas_multiply(const struct cublas *cublas, const struct cublas_product *product)
{
    static const float one = 1.0f, zero = 0.0f;
    struct column_major x = column_major_of(product);
    struct compute_in_cublas in_cublas = compute_in_cublas(product->compute);
    int type_c = product->c_type == ISOMAT_TYPE_F32 ? 0 : in_cublas.type; /* CUDA_R_32F is 0 */

    if (product->products > 1) {
        static const double one_f64 = 1.0, zero_f64 = 0.0;
        bool f64 = product->compute == ISOMAT_COMPUTE_F64;
        return cublas->gemm_strided_batched_ex(
            cublas->handle, product->op_b, product->op_a, x.m, x.n, x.k, f64 ? (const void *)&one_f64 : &one,
            x.a, in_cublas.type, x.lda, product->k * product->n, x.b, in_cublas.type, x.ldb,
            product->m * product->k, f64 ? (const void *)&zero_f64 : &zero, x.c, type_c, x.m,
            product->m * product->n, (int)product->products, in_cublas.compute, CUBLAS_GEMM_DEFAULT);
    }
    if (product->compute == ISOMAT_COMPUTE_F64)
        return cublas_multiply_f64(cublas, product);
    if (takes_sgemm(product->compute))
        return cublas->sgemm(cublas->handle, product->op_b, product->op_a, x.m, x.n, x.k, &one, x.a, x.lda,
                             x.b, x.ldb, &zero, x.c, x.m);
    return cublas->gemm_ex(cublas->handle, product->op_b, product->op_a, x.m, x.n, x.k, &one, x.a,
                           in_cublas.type, x.lda, x.b, in_cublas.type, x.ldb, &zero, x.c, type_c, x.m,
                           in_cublas.compute, CUBLAS_GEMM_DEFAULT);
}

int cublas_multiply_f64(const struct cublas *cublas, const struct cublas_product *product)
{
    static const double one = 1.0, zero = 0.0;
    struct column_major x = column_major_of(product);
    return cublas->dgemm(cublas->handle, product->op_b, product->op_a, x.m, x.n, x.k, &one, x.a, x.lda, x.b,
                         x.ldb, &zero, x.c, x.m);
}
