/* SPDX-License-Identifier: MIT */
/*
 * What is done with a product's sums on their way to C: isomat_finish of abi.h.
 *
 * Kernels whose sums pass through shared memory or single registers call finish() on
 * them. The others store theirs as ever, in C itself or in work memory, and call
 * finish_tile(), which reads them back from the caches: the code is short, and costs
 * the loop over k no register.
 *
 * Numbers   each step below is rounded to the type of the sums (float32, or float64),
 *           the result once more to C's. GELU and SiLU are written so that they keep
 *           their relative accuracy where they go to zero:
 *             x * Phi(x)       = x / 2 * erfc(-x / sqrt(2))
 *             its tanh form    = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3)
 *           (D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units", 2016).
 */
#ifndef ISOMAT_KERNELS_FINISH_CUH
#define ISOMAT_KERNELS_FINISH_CUH

#include "abi.h"
#include "element.cuh"
#include "ptx.cuh"

namespace isomat
{

/* For kernels that store their sums and no more. */
struct NoFinish {
};

/* N neighbours of any type, of which the first `count` exist; the rest are zero. */
template <class Element, class Real, int N>
__device__ __forceinline__ void read_as(Real (&to)[N], uint64_t base, int64_t at, int count, bool vector)
{
    const Element *p = reinterpret_cast<const Element *>(base) + at;
    if (N == VECTOR && vector && count >= VECTOR) {
        const Quad<Element> quad = *reinterpret_cast<const Quad<Element> *>(p);
#pragma unroll
        for (int i = 0; i < N; i++)
            to[i] = static_cast<Real>(widen(quad.at[i]));
    } else {
#pragma unroll
        for (int i = 0; i < N; i++)
            to[i] = i < count ? static_cast<Real>(widen(p[i])) : Real(0);
    }
}

template <class Real, int N>
__device__ __forceinline__ void read_any(Real (&to)[N], int type, uint64_t base, int64_t at, int count,
                                         bool vector)
{
    if (type == ISOMAT_ELEMENT_F32)
        read_as<f32>(to, base, at, count, vector);
    else if (type == ISOMAT_ELEMENT_F16)
        read_as<f16>(to, base, at, count, vector);
    else if (type == ISOMAT_ELEMENT_BF16)
        read_as<bf16>(to, base, at, count, vector);
    else
        read_as<f64>(to, base, at, count, vector);
}

template <class Element, class Real, int N>
__device__ __forceinline__ void write_as(const Real (&from)[N], uint64_t base, int64_t at, int count,
                                         bool vector)
{
    Element *p = reinterpret_cast<Element *>(base) + at;
    if (N == VECTOR && vector && count >= VECTOR) {
        Quad<Element> quad;
#pragma unroll
        for (int i = 0; i < N; i++)
            narrow(quad.at[i], from[i]);
        *reinterpret_cast<Quad<Element> *>(p) = quad;
    } else {
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i < count)
                narrow(p[i], from[i]);
    }
}

template <class Real, int N>
__device__ __forceinline__ void write_any(const Real (&from)[N], int type, uint64_t base, int64_t at,
                                          int count, bool vector)
{
    if (type == ISOMAT_ELEMENT_F32)
        write_as<f32>(from, base, at, count, vector);
    else if (type == ISOMAT_ELEMENT_F16)
        write_as<f16>(from, base, at, count, vector);
    else if (type == ISOMAT_ELEMENT_BF16)
        write_as<bf16>(from, base, at, count, vector);
    else
        write_as<f64>(from, base, at, count, vector);
}

template <class Real> __device__ __forceinline__ Real activate(Real x, int activation)
{
    constexpr Real HALF_ROOT = Real(0.70710678118654752440); /* sqrt(1 / 2) */
    constexpr Real SLOPE = Real(1.59576912160573071176);     /* 2 sqrt(2 / pi) */
    constexpr Real CUBE = Real(0.044715);
    switch (activation) {
    case ISOMAT_FINISH_RELU:
        return x < Real(0) ? Real(0) : x; /* NaN stays */
    case ISOMAT_FINISH_GELU:
        return Real(0.5) * x * erfc(-HALF_ROOT * x);
    case ISOMAT_FINISH_GELU_TANH:
        return x / (Real(1) + exp(-SLOPE * (x + CUBE * x * x * x)));
    case ISOMAT_FINISH_SILU:
        return x / (Real(1) + exp(-x));
    default:
        return x;
    }
}

/* From the sums of N neighbours in a row, alpha included, to C: from (row, col) on, of
 * which the first `count` exist. */
template <class Real, int N>
__device__ __forceinline__ void finish(const isomat_finish &f, Real (&v)[N], int row, int col, int count,
                                       Real beta)
{
    const bool vector = f.flags & ISOMAT_VECTOR_C;
    const int64_t at = int64_t{row} * f.ldc + col;
    Real other[N];
    if (beta != Real(0)) {
        read_any(other, f.c_type, f.c, at, count, vector);
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = fma(beta, other[i], v[i]);
    }
    if (f.bias) {
        const bool of_row = f.bias_ld != 0;
        read_any(other, f.bias_type, f.bias, of_row ? row * f.bias_ld : col, of_row ? 1 : count,
                 f.flags & ISOMAT_VECTOR_B);
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] += of_row ? other[0] : other[i]; /* not other[of_row ? 0 : i], which is no register */
    }
    if (f.activation) {
#pragma unroll 1
        for (int i = 0; i < N; i++) { /* one copy of its code; the places turn round */
            const Real x = activate(v[0], f.activation);
#pragma unroll
            for (int j = 0; j + 1 < N; j++)
                v[j] = v[j + 1];
            v[N - 1] = x;
        }
    }
    const Real scale = static_cast<Real>(f.scale);
    if (f.residual) {
        read_any(other, f.residual_type, f.residual, row * f.ld_residual + col, count,
                 f.flags & ISOMAT_VECTOR_A);
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = fma(scale, v[i], other[i]);
    } else {
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] *= scale;
    }
    write_any(v, f.c_type, f.c, at, count, vector);
}

/* The same as a function that is called: some kernels are better off without its code in theirs. */
template <class Real, int N> struct Sums {
    Real at[N];
};
template <class Real, int N>
static __device__ __noinline__ void finish_apart(const isomat_finish *f, Sums<Real, N> sums, int row, int col,
                                                 int count, Real beta)
{
    finish(*f, sums.at, row, col, count, beta);
}

/* What finish() is to be told where nothing of C is in the sums yet. */
template <class Real> __device__ __forceinline__ Real finish_beta(const isomat_finish &f)
{
    return static_cast<Real>(f.beta);
}

/*
 * The same for a tile of ROWS x COLS from (row, col) on of m x n, whose sums stand in
 * w, by THREADS threads, all of which see them: a barrier has been since they were
 * stored. Where w is C, beta * C is in the sums.
 */
template <int ROWS, int COLS, int THREADS, class Real>
__device__ __forceinline__ void finish_tile(const isomat_finish &f, uint64_t w, int64_t ldw, int m, int n,
                                            int row, int col, int thread)
{
    thread = opaque(thread);
    row = opaque(row);
    constexpr int QUADS = COLS / VECTOR, AHEAD = 3; /* reads on their way */
    const Real beta = w == f.c ? Real(0) : finish_beta<Real>(f);
    const bool vector = f.flags & ISOMAT_FINISH_VECTOR_W;
    Sums<Real, VECTOR> coming[AHEAD];
    const auto fetch = [&](Sums<Real, VECTOR> &quad, int i) {
        const int r = row + i / QUADS, c = col + i % QUADS * VECTOR;
        read_as<Real>(quad.at, w, r * ldw + c, i < ROWS * QUADS && r < m ? n - c : 0, vector);
    };
#pragma unroll
    for (int a = 0; a < AHEAD; a++)
        fetch(coming[a], thread + a * THREADS);
#pragma unroll 1
    for (int i = thread; i < ROWS * QUADS; i += THREADS) {
        Sums<Real, VECTOR> now = coming[0];
#pragma unroll
        for (int a = 0; a + 1 < AHEAD; a++)
            coming[a] = coming[a + 1];
        fetch(coming[AHEAD - 1], i + AHEAD * THREADS);
        const int r = row + i / QUADS, c = col + i % QUADS * VECTOR;
        if (r < m && c < n)
            finish(f, now.at, r, c, min(n - c, VECTOR), beta);
    }
}

} // namespace isomat

#endif
