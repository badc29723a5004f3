/* SPDX-License-Identifier: MIT */
/*
 * Element types, and four neighbours of one type.
 */
#ifndef ISOMAT_KERNELS_ELEMENT_CUH
#define ISOMAT_KERNELS_ELEMENT_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tile.cuh"

namespace isomat
{

/* Named as in the entry points. */
using f32 = float;
using f16 = __half;
using bf16 = __nv_bfloat16;
using f64 = double;

__device__ __forceinline__ float widen(f32 x)
{
    return x;
}
__device__ __forceinline__ float widen(f16 x)
{
    return __half2float(x);
}
__device__ __forceinline__ float widen(bf16 x)
{
    return __bfloat162float(x);
}
__device__ __forceinline__ double widen(f64 x)
{
    return x;
}
__device__ __forceinline__ void narrow(f32 &to, float x)
{
    to = x;
}
__device__ __forceinline__ void narrow(f16 &to, float x)
{
    to = __float2half_rn(x);
}
__device__ __forceinline__ void narrow(bf16 &to, float x)
{
    to = __float2bfloat16_rn(x);
}
__device__ __forceinline__ void narrow(f64 &to, float x)
{
    to = x;
}
/* rounded once */
__device__ __forceinline__ void narrow(f32 &to, double x)
{
    to = static_cast<float>(x);
}
__device__ __forceinline__ void narrow(f16 &to, double x)
{
    to = __double2half(x);
}
__device__ __forceinline__ void narrow(bf16 &to, double x)
{
    to = __double2bfloat16(x);
}
__device__ __forceinline__ void narrow(f64 &to, double x)
{
    to = x;
}

/* Moved at once where they lie on a multiple of their size. */
template <class T> struct alignas(VECTOR * sizeof(T)) Quad {
    T at[VECTOR];
};

/* Four elements at p, of which the first `count` exist; the rest are undefined. */
template <class T> __device__ __forceinline__ Quad<T> read(const T *p, int count, bool vector)
{
    Quad<T> quad;
    if (vector && count == VECTOR)
        return *reinterpret_cast<const Quad<T> *>(p);
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        if (i < count)
            quad.at[i] = p[i];
    return quad;
}

/* Writes the first `count`. */
template <class T> __device__ __forceinline__ void write(T *p, const Quad<T> &quad, int count, bool vector)
{
    if (vector && count == VECTOR) {
        *reinterpret_cast<Quad<T> *>(p) = quad;
        return;
    }
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        if (i < count)
            p[i] = quad.at[i];
}

} // namespace isomat

#endif
