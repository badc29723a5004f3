/* SPDX-License-Identifier: MIT */
/* gemm_check.h: what isomat_gemm takes, and what it says of the rest. */
#ifndef ISOMAT_GEMM_CHECK_H
#define ISOMAT_GEMM_CHECK_H

#include "product.h"

int32_t im_gemm_check_modes(int32_t op_a, int32_t op_b, int32_t compute);

/* The element type of A and B in a compute mode that im_gemm_check_modes has passed. */
int32_t im_gemm_operand_type(int32_t compute);

int32_t im_gemm_check_device(int32_t compute, const struct im_context *context);
int32_t im_gemm_check_type(const char *name, const struct im_matrix *matrix, int32_t compute);
int32_t im_gemm_check_sizes(int64_t m, int64_t n, int64_t k);

/* Checks A and B against each other and the mode, and sets m, n and k. */
int32_t im_gemm_check_operands(struct im_product *product);

/* Checks C against them. */
int32_t im_gemm_check_result(const struct im_product *product);

#endif /* ISOMAT_GEMM_CHECK_H */
