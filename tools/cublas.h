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
    int (*sgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *a,
                 int lda, const float *b, int ldb, const float *beta, float *c, int ldc);
    int (*destroy)(void *handle);
};

/* Opens libcublas (that of ISOMAT_CUBLAS if set) on the session's context and the given CUstream,
 * in its default float32 mode.  On failure one line is left in reason. */
bool cublas_open(struct cublas *cublas, const struct session *session, uint64_t cu_stream, char *reason,
                 size_t capacity);
void cublas_close(struct cublas *cublas);

/* C = op(A) * op(B), row-major and dense: op(A) of m x k, op(B) of k x n. */
struct cublas_product {
    uint64_t c, a, b; /* device addresses */
    int64_t m, n, k;
    int32_t op_a, op_b; /* ISOMAT_OP_... */
};

/* Returns 0, or the cublasStatus_t. */
int cublas_multiply(const struct cublas *cublas, const struct cublas_product *product);

#endif /* ISOMAT_TOOLS_CUBLAS_H */
