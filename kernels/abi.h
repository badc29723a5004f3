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
 * moved by vectors of 4 elements along its rows, that is when all three hold:
 *   its base address is a multiple of 4 elements' size (16 bytes for float32);
 *   its leading dimension is a multiple of 4 elements (or it has one row);
 *   its number of columns, as stored, is a multiple of 4.
 * A clear bit is always right and only slower. The result has the same bits
 * either way.
 */
#define ISOMAT_VECTOR_A 0x1u
#define ISOMAT_VECTOR_B 0x2u
#define ISOMAT_VECTOR_C 0x4u

/* Element types in arguments: the numbers of ISOMAT_TYPE_... of isomat.h. */
#define ISOMAT_ELEMENT_F32 1
#define ISOMAT_ELEMENT_F16 2
#define ISOMAT_ELEMENT_BF16 3
#define ISOMAT_ELEMENT_F64 4

/*
 * What is done with a product's sums s = alpha * op(A) * op(B) on their way to C, m x n:
 *   C(i, j) = scale * activation(s(i, j) + beta * C(i, j) + bias(i, j)) + residual(i, j)
 * If c is 0, nothing is: the sums go to the product's own c, with its beta.
 * Otherwise that c is where sums may be put before, `w` below: C itself if they are of
 * C's type (then the product's beta is this one's, and no residual may be C), or m x n of
 * float32, of float64 products float64, with the product's beta 0. Kernels of 16-bit
 * operands need none and do not look at it.
 */
struct isomat_finish {
    uint64_t c;                               /* of c_type */
    uint64_t bias, residual;                  /* 0: none */
    int64_t ldc, ld_residual;                 /* elements */
    int64_t bias_ld;                          /* bias(i, j) at bias[i * bias_ld]; at bias[j] if it is 0 */
    double beta, scale;                       /* float32 numbers, but for float64 products */
    int32_t c_type, bias_type, residual_type; /* ISOMAT_ELEMENT_... */
    int32_t activation;                       /* ISOMAT_FINISH_... */
    uint32_t flags; /* ISOMAT_VECTOR_C: c, _B: bias, _A: residual, ISOMAT_FINISH_VECTOR_W: w */
    uint32_t zero[3];
};

#define ISOMAT_FINISH_RELU 1 /* the numbers of ISOMAT_ACTIVATION_... of isomat.h */
#define ISOMAT_FINISH_GELU 2
#define ISOMAT_FINISH_GELU_TANH 3
#define ISOMAT_FINISH_SILU 4
#define ISOMAT_FINISH_VECTOR_W 0x20u

/*
 * C = alpha * op(A) * op(B) + beta * C,  op(A) is m x k, op(B) is k x n.
 * Used by isomat_gemm_f32_<layout>_<tile>; the layout says what is stored:
 *   A  n: m x k   t: k x m        B  n: k x n   t: n x k
 * beta == 0 never reads C. k == 0 is allowed and gives C = beta * C.
 * Grid: 1-D, ISOMAT_GEMM_GRID of gemm_tiles.h, times `parts`.
 *
 * With parts > 1, k is cut into that many parts of whole slabs, and part p goes
 * by the same formula to c + p * c_part; isomat_gemm_f32_reduce adds them up.
 */
struct isomat_gemm_args {
    uint64_t a, b, c; /* float * on the device */
    int64_t lda, ldb, ldc;
    int32_t m, n, k; /* m, n >= 1; k >= 0; <= ISOMAT_EXTENT_MAX */
    uint32_t flags;  /* ISOMAT_VECTOR_A | _B | _C */
    float alpha, beta;
};

/* What isomat_gemm_f32_<layout>_<tile> takes. */
struct isomat_gemm_parts_args {
    struct isomat_gemm_args gemm;
    int64_t c_part; /* elements from one part's result to the next */
    int32_t parts;  /* of k; 0 and 1 are the same */
    int32_t zero;
    struct isomat_finish finish; /* of whole products, parts <= 1 */
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
 * Grid: 1-D, ISOMAT_SKINNY_GRID of gemm_tiles.h, times `parts`, which is as above
 * but of whole chunks. ISOMAT_VECTOR_A speaks of X; the other bits are ignored.
 */
struct isomat_skinny_args {
    uint64_t x, y, z; /* float * on the device */
    int64_t ldx;
    int64_t y_k, y_s; /* Y(p, j) at y[p * y_k + j * y_s] */
    int64_t z_r, z_s; /* Z(i, j) at z[i * z_r + j * z_s] */
    int32_t r, s, k;  /* r >= 1; 1 <= s <= the kernel's s; k >= 0; r, k <= ISOMAT_EXTENT_MAX */
    uint32_t flags;   /* ISOMAT_VECTOR_A */
    float alpha, beta;
    int64_t z_part;
    int32_t parts;
    int32_t transposed;          /* Z = C^T, for finish */
    struct isomat_finish finish; /* of whole products, parts <= 1; does not look at z */
};

/*
 * isomat_gemm_f32_reduce: C = alpha * (W_0 + W_1 + ...) + beta * C, added in an
 * order that the sizes alone decide; of no parts the sum is 0. W_p is m x n at w + p * w_part, w_ld floats a
 * row; w, w_ld and w_part are multiples of 16 bytes, and the floats between n and
 * w_ld may be read. beta == 0 never reads C.
 * Grid: 1-D, ISOMAT_REDUCE_GRID of gemm_tiles.h, at most 2^31 / ISOMAT_REDUCE_THREADS.
 * The kernel waits for the one ahead of it, so it may be launched as its dependent
 * where the image is of sm_90 or later.
 */
struct isomat_reduce_args {
    uint64_t c, w; /* float * on the device */
    int64_t ldc, w_ld, w_part;
    int32_t m, n, parts;
    uint32_t flags; /* ISOMAT_VECTOR_C */
    float alpha, beta;
    struct isomat_finish finish; /* does not look at c, which then may be 0 */
};

/*
 * Many products C_p = alpha * op(A_p) * op(B_p) + beta * C_p in one launch.
 *   table == 0: A_p is at a + p * stride_a and so on; sizes as in gemm
 *   table != 0: entry p of it is product p; gemm is not read
 * isomat_gemm_f32_group_<layout>_<tile>: grid 1-D, the tiles of all products. `tiles`
 * is those of one, or 0 where sizes differ; then first_block of entry p is the sum of
 * the tiles before it, and no product is empty.
 * isomat_gemm_f32_tiny_<layout>_<size>: m, n <= size; grid 1-D, count / ISOMAT_TINY_WARPS,
 * rounded up.
 */
struct isomat_group_entry {
    struct isomat_gemm_args gemm;
    int64_t first_block;
};

struct isomat_group_args {
    struct isomat_gemm_args gemm;
    uint64_t table;                       /* const struct isomat_group_entry * on the device */
    int64_t stride_a, stride_b, stride_c; /* elements */
    int32_t count, tiles;
};

/*
 * Element-wise work on a rectangle of rows x cols, for each element type:
 *   isomat_fill_<t>:      dst(i, j) = value
 *   isomat_scale_<t>:     dst(i, j) = value * dst(i, j); value == 0 writes zeros
 *                         without reading, so NaN and infinity vanish
 *   isomat_copy_<t>_<u>:  dst(i, j) of type t = src(i, j) of type u; no overlap
 * Any 1-D grid is right: blocks stride over the rectangle. One for each
 * ISOMAT_RECT_ELEMENTS_PER_BLOCK (gemm_tiles.h) is a good one. A caller that has contiguous matrices
 * (ld == cols) may pass them as one row of rows * cols.
 * Flags: ISOMAT_VECTOR_C speaks of dst, ISOMAT_VECTOR_A of src; the number of
 * columns does not matter here.
 */
/* In the order of their numbers, ISOMAT_TYPE_... of isomat.h, from 1. */
/* clang-format off */
#define ISOMAT_ELEMENT_TYPES(X) X(f32) X(f16) X(bf16) X(f64)
#define ISOMAT_ELEMENT_TYPE_PAIRS(X) /* to, from */ \
    X(f32, f32) X(f32, f16) X(f32, bf16) X(f32, f64) \
    X(f16, f32) X(f16, f16) X(f16, bf16) X(f16, f64) \
    X(bf16, f32) X(bf16, f16) X(bf16, bf16) X(bf16, f64) \
    X(f64, f32) X(f64, f16) X(f64, bf16) X(f64, f64)
/* clang-format on */

struct isomat_rect_args {
    uint64_t dst, src; /* elements on the device; src: copy only */
    int64_t ld_dst, ld_src;
    int64_t rows, cols; /* >= 1 */
    double value;       /* a float32 unless the type is f64 */
    uint32_t flags;     /* ISOMAT_VECTOR_C | ISOMAT_VECTOR_A */
    uint32_t zero;
};

/* More bits of `flags`: rows of A, of B, may be moved by 4-byte words. */
#define ISOMAT_WORD_A 0x8u
#define ISOMAT_WORD_B 0x10u

/*
 * C = alpha * op(A) * op(B) + beta * C by mma.sync, as isomat_gemm_args has it. Used
 * by isomat_gemm_<mode>_<layout>_<tile> of mma_tiles.h. The mode says what A and B
 * hold: f16 and bf16 their type; tf32 and f32x3 float32.
 *
 * Here ISOMAT_VECTOR_A and _B ask for two things, and the number of columns is free:
 *   the base address is a multiple of 16;
 *   the leading dimension is a multiple of 16 bytes (or the matrix has one row).
 * ISOMAT_WORD_A and _B ask for the same with 4 instead of 16; float32 always has it.
 * ISOMAT_VECTOR_C means vectors of 4 elements of c_type, as above. Clear bits are
 * always right and only slower, with the same bits in C.
 */
struct isomat_gemm_mma_args {
    uint64_t a, b, c; /* elements on the device */
    int64_t lda, ldb, ldc;
    int32_t m, n, k; /* m, n >= 1; k >= 0; <= ISOMAT_EXTENT_MAX */
    uint32_t flags;  /* ISOMAT_VECTOR_A | _B | _C, ISOMAT_WORD_A | _B */
    float alpha, beta;
    int32_t c_type; /* ISOMAT_ELEMENT_...; of f32x3 F32 */
    int32_t unused;
    struct isomat_finish finish;
};

/*
 * The same product of float64: isomat_gemm_f64_<layout>_<tile> of f64_tiles.h.
 *
 * Here the three bits of `flags` ask for two things each, and the number of columns
 * is free:
 *   the base address is a multiple of 16;
 *   the leading dimension is even (or the matrix has one row).
 * With parts > 1, k is cut as isomat_gemm_parts_args has it, and
 * isomat_gemm_f64_reduce adds up.
 */
struct isomat_gemm_f64_args {
    uint64_t a, b, c; /* double * on the device */
    int64_t lda, ldb, ldc;
    int32_t m, n, k; /* m, n >= 1; k >= 0; <= ISOMAT_EXTENT_MAX */
    uint32_t flags;  /* ISOMAT_VECTOR_A | _B | _C */
    double alpha, beta;
    int64_t c_part; /* elements from one part's result to the next */
    int32_t parts;  /* of k; 0 and 1 are the same */
    int32_t zero;
    struct isomat_finish finish; /* of whole products, parts <= 1 */
};

/* isomat_gemm_f64_reduce: as isomat_reduce_args, in float64. */
struct isomat_reduce_f64_args {
    uint64_t c, w; /* double * on the device */
    int64_t ldc, w_ld, w_part;
    int32_t m, n, parts;
    uint32_t flags; /* ISOMAT_VECTOR_C */
    double alpha, beta;
    struct isomat_finish finish;
};

#if defined(__cplusplus)
#define ISOMAT_ABI_ASSERT(condition, message) static_assert(condition, message)
#else
#define ISOMAT_ABI_ASSERT(condition, message) _Static_assert(condition, message)
#endif

ISOMAT_ABI_ASSERT(sizeof(struct isomat_finish) == 96,
                  "host and device must agree on the size of isomat_finish");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_gemm_args) == 72,
                  "host and device must agree on the size of isomat_gemm_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_gemm_parts_args) == 184,
                  "host and device must agree on the size of isomat_gemm_parts_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_group_entry) == 80,
                  "host and device must agree on the size of isomat_group_entry");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_group_args) == 112,
                  "host and device must agree on the size of isomat_group_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_skinny_args) == 200,
                  "host and device must agree on the size of isomat_skinny_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_gemm_mma_args) == 176,
                  "host and device must agree on the size of isomat_gemm_mma_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_reduce_args) == 160,
                  "host and device must agree on the size of isomat_reduce_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_gemm_f64_args) == 192,
                  "host and device must agree on the size of isomat_gemm_f64_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_reduce_f64_args) == 168,
                  "host and device must agree on the size of isomat_reduce_f64_args");
ISOMAT_ABI_ASSERT(sizeof(struct isomat_rect_args) == 64,
                  "host and device must agree on the size of isomat_rect_args");

#endif
