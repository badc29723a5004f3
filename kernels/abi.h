/* SPDX-License-Identifier: MIT */
/*
 * The contract between host and device: the one argument of each kernel.
 *
 * Read by the host (C11 or C++) and by device code (CUDA C++), so it holds
 * fixed-width scalars only. Every kernel of isomat takes exactly one parameter,
 * one of these structs by value. Device addresses travel as uint64_t: the
 * layout is then the same for every compiler and every host language.
 *
 * Matrices are row-major: element (i, j) is at base + i*ld + j, ld in elements,
 * ld >= columns of the matrix as it is stored.
 */
#ifndef ISOMAT_KERNELS_ABI_H
#define ISOMAT_KERNELS_ABI_H

#include <stdint.h>

/* The largest m, n, k, r that a kernel takes: indices past an edge must not
 * overflow an int32_t. */
#define ISOMAT_EXTENT_MAX 0x7fff0000

/*
 * Bits of `flags`. The caller sets ISOMAT_VECTOR_x only when matrix x may be
 * moved by 16-byte vectors along its rows, that is when all three hold:
 *   its base address is a multiple of 16;
 *   its leading dimension is a multiple of 4 elements (or it has one row);
 *   its number of columns, as stored, is a multiple of 4.
 * A clear bit is always right and only slower. The result has the same bits
 * either way.
 */
#define ISOMAT_VECTOR_A 0x1u
#define ISOMAT_VECTOR_B 0x2u
#define ISOMAT_VECTOR_C 0x4u

/*
 * C = alpha * op(A) * op(B) + beta * C,  op(A) is m x k, op(B) is k x n.
 * Used by isomat_gemm_f32_<layout>_<tile>; the layout says what is stored:
 *   A  n: m x k   t: k x m        B  n: k x n   t: n x k
 * beta == 0 never reads C. k == 0 is allowed and gives C = beta * C.
 * Grid: 1-D, ISOMAT_GEMM_GRID of gemm_tiles.h.
 */
struct isomat_gemm_args {
    uint64_t a, b, c; /* float * on the device */
    int64_t lda, ldb, ldc;
    int32_t m, n, k; /* m, n >= 1; k >= 0; <= ISOMAT_EXTENT_MAX */
    uint32_t flags;  /* ISOMAT_VECTOR_A | _B | _C */
    float alpha, beta;
};

/*
 * isomat_gemm_f32_gated_<layout>: the same product, if the word at `gate` is not 0;
 * else C is left alone. Any grid is right, blocks stride over the tiles; few of
 * them make a closed gate cheap.
 */
struct isomat_gated_gemm_args {
    struct isomat_gemm_args gemm;
    uint64_t gate; /* const uint32_t * */
};

/*
 * The same product when one side of C is at most 8 long: a large matrix X
 * (r x k) times a thin Y (k x s), s <= 8, into Z (r x s):
 *   Z(i, j) = alpha * sum_p X(i, p) * Y(p, j) + beta * Z(i, j)
 * X is stored one of two ways, and the kernel's name says which:
 *   isomat_gemm_f32_rows_<s>: X(i, p) at x[i * ldx + p]  (r rows of k)
 *   isomat_gemm_f32_cols_<s>: X(i, p) at x[p * ldx + i]  (k rows of r)
 * Y and Z have free strides, so n <= 8 and m <= 8 are one kernel:
 *   n <= 8: X = op(A), Y = op(B), Z = C;  rows if A is n, cols if A is t
 *   m <= 8: X = op(B)^T, Y = op(A)^T, Z = C^T;  rows if B is t, cols if B is n
 * Grid: 1-D, ISOMAT_SKINNY_GRID of gemm_tiles.h. ISOMAT_VECTOR_A speaks of X;
 * the other bits are ignored.
 */
struct isomat_skinny_args {
    uint64_t x, y, z; /* float * on the device */
    int64_t ldx;
    int64_t y_k, y_s; /* Y(p, j) at y[p * y_k + j * y_s] */
    int64_t z_r, z_s; /* Z(i, j) at z[i * z_r + j * z_s] */
    int32_t r, s, k;  /* r >= 1; 1 <= s <= the kernel's s; k >= 0; r, k <= ISOMAT_EXTENT_MAX */
    uint32_t flags;   /* ISOMAT_VECTOR_A */
    float alpha, beta;
};

/*
 * Element-wise work on a rectangle of rows x cols.
 *   isomat_fill_f32:   dst(i, j) = value
 *   isomat_scale_f32:  dst(i, j) = value * dst(i, j); value == 0 writes zeros
 *                      without reading, so NaN and infinity vanish
 *   isomat_copy_f32:   dst(i, j) = src(i, j); no overlap
 * Any 1-D grid is right: blocks stride over the rectangle. One for each
 * ISOMAT_RECT_ELEMENTS_PER_BLOCK (gemm_tiles.h) is a good one. A caller that has contiguous matrices
 * (ld == cols) may pass them as one row of rows * cols.
 * Flags: ISOMAT_VECTOR_C speaks of dst, ISOMAT_VECTOR_A of src; the copy uses
 * vectors when both are set.
 */
struct isomat_rect_args {
    uint64_t dst, src; /* float * on the device; src: copy only */
    int64_t ld_dst, ld_src;
    int64_t rows, cols; /* >= 1 */
    float value;
    uint32_t flags; /* ISOMAT_VECTOR_C | ISOMAT_VECTOR_A */
};

#if defined(__cplusplus)
#define ISOMAT_ABI_ASSERT(condition, message) static_assert(condition, message)
#else
#define ISOMAT_ABI_ASSERT(condition, message) _Static_assert(condition, message)
#endif

ISOMAT_ABI_ASSERT(sizeof(struct isomat_gemm_args) == 72,
                  "host and device must agree on the size of isomat_gemm_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_skinny_args) == 88,
                  "host and device must agree on the size of isomat_skinny_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_rect_args) == 56,
                  "host and device must agree on the size of isomat_rect_args");

#endif
