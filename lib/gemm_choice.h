/* SPDX-License-Identifier: MIT */
/* gemm_choice.h: which kernel does a product on this device, and its launch. */
#ifndef ISOMAT_GEMM_CHOICE_H
#define ISOMAT_GEMM_CHOICE_H

#include "product.h"
#include "select.h"

/* Orders the stream behind those of the operands; the context is current. */
int32_t im_gemm_use_operands(const struct im_product *product, struct im_stream *stream);

/* Submits a product whose arguments were checked; the context is current. */
int32_t im_gemm_launch(const struct im_product *product, struct im_stream *stream);

/* Whether CUDA cores would multiply it, so that it can share a launch with others (gemm_group.h). */
bool im_gemm_groups(const struct im_product *product, const struct im_context *context);

/* The name of the kernel for aligned and dense operands; "" if it needs none. */
const char *im_gemm_kernel_name(int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b, int32_t compute,
                                struct im_context *context);

/* The kernel and the parts of k that select says, whatever was tuned. */
struct im_choice im_gemm_choose(const struct im_gemm_problem *problem, int32_t compute,
                                const struct im_context *context);

#endif /* ISOMAT_GEMM_CHOICE_H */
