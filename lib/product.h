/* SPDX-License-Identifier: MIT */
/* product.h: one multiplication, its arguments checked. */
#ifndef ISOMAT_PRODUCT_H
#define ISOMAT_PRODUCT_H

#include "kernels/abi.h"
#include "matrix.h"

/* What an isomat_epilogue asks for; NULL for what it does not. */
struct im_epilogue {
    struct im_matrix *bias, *residual;
    int32_t activation;
    double scale;
};

/* C = alpha * op(A) * op(B) + beta * C, with op(A) of m x k and op(B) of k x n. */
struct im_product {
    struct im_matrix *a, *b, *c;
    int32_t op_a, op_b;
    int32_t compute;
    double alpha, beta; /* float32 numbers unless the mode is F64 */
    int64_t m, n, k;
    const struct im_epilogue *epilogue; /* NULL for none */
    struct isomat_finish finish;        /* what kernels are told of it, see finish.h */
};

/* alpha or beta as a compute mode takes it. */
static inline double im_factor(double value, int32_t compute)
{
    return compute == ISOMAT_COMPUTE_F64 ? value : (double)(float)value;
}

#endif /* ISOMAT_PRODUCT_H */
