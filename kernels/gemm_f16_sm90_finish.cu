/* SPDX-License-Identifier: MIT */
/*
 * The kernels of gemm_f16_sm90.cu, for products whose sums are finished (isomat_finish of
 * abi.h): isomat_gemm_f16_sm90_finish_<layout>_<bm>x<bn>. Apart, for the code that finishes
 * would slow down the others.
 */
#define ISOMAT_FINISHES true
#define ISOMAT_FAMILY isomat_gemm_f16_sm90_finish
#include "gemm_f16_sm90.cu"
