/* SPDX-License-Identifier: MIT */
/* recall.h: the answers of select.h, remembered.
 *
 * The same products come again and again, and to estimate the times of all kernels takes longer than
 * the rest of a call.  Each thread remembers its last answers. */
#ifndef ISOMAT_RECALL_H
#define ISOMAT_RECALL_H

#include "select.h"

/* As im_select_gemm, im_select_mma, im_select_16, im_f32x3_gains and im_select_parts. */
enum im_kernel_id im_recall_gemm(const struct im_gemm_problem *problem);
enum im_kernel_id im_recall_mma(const struct im_gemm_problem *problem, enum im_mma_mode mode);
enum im_kernel_id im_recall_16(const struct im_gemm_problem *problem, int32_t type);
int im_recall_f32x3_gains(const struct im_gemm_problem *problem);
int32_t im_recall_parts(const struct im_gemm_problem *problem, enum im_kernel_id id);

/* As im_select_f64; parts may be NULL. */
enum im_kernel_id im_recall_f64(const struct im_gemm_problem *problem, int32_t *parts);

#endif /* ISOMAT_RECALL_H */
