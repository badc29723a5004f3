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

/* C = A * B, row-major and dense, of m x k, k x n, m x n, at these device addresses.
 * Returns 0, or the cublasStatus_t. */
int cublas_multiply(const struct cublas *cublas, uint64_t c, uint64_t a, uint64_t b, int64_t m, int64_t n,
                    int64_t k);

#endif /* ISOMAT_TOOLS_CUBLAS_H */
