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

__device__ __forceinline__ float quotient(float x, float y)
{
    return __fdividef(x, y); /* within 2 units; 0 where y is 2^126 and more */
}
__device__ __forceinline__ double quotient(double x, double y)
{
    return x / y;
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
        return quotient(x, Real(1) + exp(-SLOPE * (x + CUBE * x * x * x)));
    case ISOMAT_FINISH_SILU:
        return quotient(x, Real(1) + exp(-x));
    default:
        return x;
    }
}

template <class Real, int N> struct Sums {
    Real at[N];
};

/* One copy of an activation's long code, through which the values turn. */
template <int N> __device__ __forceinline__ void activate_all(double (&v)[N], int activation)
{
#pragma unroll 1
    for (int i = 0; i < N; i++) {
        const double x = activate(v[0], activation);
#pragma unroll
        for (int j = 0; j + 1 < N; j++)
            v[j] = v[j + 1];
        v[N - 1] = x;
    }
}

template <int ACTIVATION, int N> __device__ __forceinline__ void activate_each(float (&v)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = activate(v[i], ACTIVATION);
}

/* Side by side, so that they need not wait for each other. */
template <int N> __device__ __forceinline__ void activate_all(float (&v)[N], int activation)
{
    if (activation == ISOMAT_FINISH_RELU)
        activate_each<ISOMAT_FINISH_RELU>(v);
    else if (activation == ISOMAT_FINISH_GELU)
        activate_each<ISOMAT_FINISH_GELU>(v);
    else if (activation == ISOMAT_FINISH_GELU_TANH)
        activate_each<ISOMAT_FINISH_GELU_TANH>(v);
    else
        activate_each<ISOMAT_FINISH_SILU>(v);
}

/* What meets the sums of N neighbours in a row. */
template <class Real, int N> struct Beside {
    Real c[N], bias[N], residual[N];

    __device__ __forceinline__ void read(const isomat_finish &f, int row, int col, int count, Real beta)
    {
        if (beta != Real(0))
            read_any(c, f.c_type, f.c, int64_t{row} * f.ldc + col, count, f.flags & ISOMAT_VECTOR_C);
        if (f.bias) {
            const bool of_row = f.bias_ld != 0;
            read_any(bias, f.bias_type, f.bias, of_row ? row * f.bias_ld : col,
                     of_row ? min(count, 1) : count, f.flags & ISOMAT_VECTOR_B);
        }
        if (f.residual)
            read_any(residual, f.residual_type, f.residual, row * f.ld_residual + col, count,
                     f.flags & ISOMAT_VECTOR_A);
    }
};

template <class Real, int N>
__device__ __forceinline__ void apply(const isomat_finish &f, Real (&v)[N], const Beside<Real, N> &beside,
                                      Real beta)
{
    if (beta != Real(0)) {
#pragma unroll
        for (int i = 0; i < N; i++)
            v[i] = fma(beta, beside.c[i], v[i]);
    }
    if (f.bias) {
#pragma unroll
        for (int i = 0; i < N; i++) /* not bias[... ? 0 : i], which is no register */
            v[i] += f.bias_ld ? beside.bias[0] : beside.bias[i];
    }
    if (f.activation)
        activate_all(v, f.activation);
    const Real scale = static_cast<Real>(f.scale);
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = f.residual ? fma(scale, v[i], beside.residual[i]) : scale * v[i];
}

/* From the sums of N neighbours in a row, alpha included, to C: from (row, col) on, of
 * which the first `count` exist. */
template <class Real, int N>
__device__ __forceinline__ void finish(const isomat_finish &f, Real (&v)[N], int row, int col, int count,
                                       Real beta)
{
    Beside<Real, N> beside = {};
    beside.read(f, row, col, count, beta);
    apply(f, v, beside, beta);
    write_any(v, f.c_type, f.c, int64_t{row} * f.ldc + col, count, f.flags & ISOMAT_VECTOR_C);
}

/* The same as a function that is called: some kernels are better off without its code in theirs. */
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

struct Spot {
    int row, col, count; /* none exist: 0 or less */
};

/* Finishes quads one after the other: the i-th, for i < COUNT, is at spot(i), its sums
 * are sums(v, i). What is read for one is on its way while the one before is worked on;
 * its sums too if they are FAR. */
template <int COUNT, bool FAR, class Real, class ToSpot, class ToSums>
__device__ __forceinline__ void finish_quads(const isomat_finish &f, Real beta, ToSpot spot, ToSums sums)
{
    Sums<Real, VECTOR> coming = {};
    Beside<Real, VECTOR> coming_beside = {};
    const auto fetch = [&](int i) {
        const Spot at = spot(i);
        if (FAR)
            sums(coming.at, i);
        if (at.count > 0)
            coming_beside.read(f, at.row, at.col, at.count, beta);
    };
    fetch(0);
#pragma unroll 1
    for (int i = 0; i < COUNT; i++) {
        Sums<Real, VECTOR> now = coming;
        const Beside<Real, VECTOR> beside = coming_beside;
        if (!FAR)
            sums(now.at, i);
        if (i + 1 < COUNT)
            fetch(i + 1);
        const Spot at = spot(i);
        apply(f, now.at, beside, beta);
        if (at.count > 0)
            write_any(now.at, f.c_type, f.c, int64_t{at.row} * f.ldc + at.col, at.count,
                      f.flags & ISOMAT_VECTOR_C);
    }
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
    constexpr int QUADS = COLS / VECTOR, COUNT = (ROWS * QUADS + THREADS - 1) / THREADS;
    const bool vector = f.flags & ISOMAT_FINISH_VECTOR_W;
    thread = opaque(thread); /* addresses are worked out here, no earlier */
    row = opaque(row);
    const auto spot = [&](int i) {
        const int quad = thread + i * THREADS, r = row + quad / QUADS, c = col + quad % QUADS * VECTOR;
        return Spot{r, c, quad < ROWS * QUADS && r < m ? min(n - c, VECTOR) : 0};
    };
    const auto sums = [&](Real(&v)[VECTOR], int i) {
        const Spot at = spot(i);
        read_as<Real>(v, w, at.row * ldw + at.col, at.count, vector);
    };
    finish_quads<COUNT, true>(f, w == f.c ? Real(0) : finish_beta<Real>(f), spot, sums);
}

} // namespace isomat

#endif
