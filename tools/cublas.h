/* SPDX-License-Identifier: MIT */
/* cublas.h: the installed cuBLAS, if there is one, opened at run time to be measured. */
#ifndef ISOMAT_TOOLS_CUBLAS_H
#define ISOMAT_TOOLS_CUBLAS_H

#include <stdbool.h>
#include <stdint.h>

#include "session.h"

struct cublas {
    void *handle; /* cublasHandle_t; NULL: not open */
    int version;  /* 130100 is 13.1 */
    isomat_context context;
    uint64_t workspace; /* device memory, the handle's */
    int (*sgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *a,
                 int lda, const float *b, int ldb, const float *beta, float *c, int ldc);
    int (*dgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha, const double *a,
                 int lda, const double *b, int ldb, const double *beta, double *c, int ldc);
    int (*gemm_ex)(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                   int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,
                   int type_c, int ldc, int compute, int algorithm);
    int (*gemm_strided_batched_ex)(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                                   const void *a, int type_a, int lda, long long stride_a, const void *b,
                                   int type_b, int ldb, long long stride_b, const void *beta, void *c,
                                   int type_c, int ldc, long long stride_c, int count, int compute,
                                   int algorithm);
    int (*destroy)(void *handle);
};

/* Opens libcublas (that of ISOMAT_CUBLAS if set) on the session's context and the given CUstream,
 * in its default float32 mode, with a workspace of its own.  On failure one line is left in reason. */
bool cublas_open(struct cublas *cublas, const struct session *session, uint64_t cu_stream, char *reason,
                 size_t capacity);
void cublas_close(struct cublas *cublas);

/* C = op(A) * op(B), row-major and dense: op(A) of m x k, op(B) of k x n. */
struct cublas_product {
    uint64_t c, a, b; /* device addresses */
    int64_t m, n, k;
    int64_t products;   /* of these sizes, each behind the other */
    int32_t op_a, op_b; /* ISOMAT_OP_... */
    int32_t compute;    /* ISOMAT_COMPUTE_...: cublasSgemm for float32, else cublasGemmEx */
    int32_t c_type;     /* ISOMAT_TYPE_... */
};

/* Returns 0, or the cublasStatus_t. */
int cublas_multiply(const struct cublas *cublas, const struct cublas_product *product);

/* The same on float64 matrices; compute and c_type are not looked at. */
int cublas_multiply_f64(const struct cublas *cublas, const struct cublas_product *product);

/* What cublas_multiply calls. */
const char *cublas_function(int32_t compute, int64_t products);

#endif /* ISOMAT_TOOLS_CUBLAS_H */
