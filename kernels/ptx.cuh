/* SPDX-License-Identifier: MIT */
/*
 * Every inline PTX instruction of isomat's kernels, once each, named after it.
 *
 * cp.async copies from global to shared memory without passing a register and
 * needs sm_80. `read` false copies nothing and writes zeros instead; the source
 * is then not touched and may be any address.
 */
#ifndef ISOMAT_KERNELS_PTX_CUH
#define ISOMAT_KERNELS_PTX_CUH

#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define ISOMAT_HAS_CP_ASYNC 1
#else
#define ISOMAT_HAS_CP_ASYNC 0
#endif

namespace isomat
{

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

/* The order of these among themselves and the barriers is kept (volatile); no
 * memory clobber, so that arithmetic and shared reads may move across them.
 * That is sound because a slab is read only behind wait_group and a barrier. */

/* Copies `bytes` of 4 from from[FROM] to *to, the rest is zeros; the displacement is
 * part of the instruction, so that neighbours share one address register. */
template <int FROM> __device__ __forceinline__ void cp_async_4(void *to, const float *from, int bytes)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1 + %3], 4, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(bytes), "n"(FROM * sizeof(float)));
}

template <int FROM> __device__ __forceinline__ void cp_async_4(float *to, const float *from, bool read)
{
    cp_async_4<FROM>(static_cast<void *>(to), from, read ? 4 : 0);
}

/* Likewise `bytes` of 8, none or all, from the FROM-th 8 on. Without cp.async the copy is done at once. */
template <int FROM> __device__ __forceinline__ void cp_async_8(void *to, const void *from, int bytes)
{
#if ISOMAT_HAS_CP_ASYNC
    asm volatile("cp.async.ca.shared.global [%0], [%1 + %3], 8, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(bytes), "n"(FROM * 8));
#else
    *static_cast<uint2 *>(to) = bytes ? static_cast<const uint2 *>(from)[FROM] : make_uint2(0, 0);
#endif
}

/* Likewise `bytes` of 16; without cp.async a multiple of 8. */
__device__ __forceinline__ void cp_async_16(void *to, const void *from, int bytes)
{
#if ISOMAT_HAS_CP_ASYNC
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(bytes));
#else
    cp_async_8<0>(to, from, bytes);
    cp_async_8<1>(static_cast<char *>(to) + 8, from, max(bytes - 8, 0));
#endif
}

__device__ __forceinline__ void cp_async_16(float *to, const float *from, bool read)
{
    cp_async_16(static_cast<void *>(to), static_cast<const void *>(from), read ? 16 : 0);
}

__device__ __forceinline__ void cp_async_commit_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int PENDING> __device__ __forceinline__ void cp_async_wait_group()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* ---- tensor cores, from sm_80 on ---- */

/* Four 8 x 8 matrices of 16-bit elements: lane l gives the address of row l % 8 of
 * matrix l / 8, and gets elements 2 (l % 4) and the next of row l / 4 of each. */
__device__ __forceinline__ void ldmatrix_x4(uint32_t (&to)[4], const void *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(from)));
}

/* Likewise, of the matrices' transposes. */
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t (&to)[4], const void *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(from)));
}

/* d += a b for a 16 x 8 tile of d. */
__device__ __forceinline__ void mma_m16n8k16_f16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                                 uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_m16n8k16_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                                  uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_m16n8k8_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                                 uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* d += a b for a 16 x 8 tile of float64 and k = 8. Of lane l, d is rows l / 4 and l / 4 + 8, columns
 * 2 (l % 4) and the next; a those two rows by k = l % 4, then by k + 4; b column l / 4 by the same.
 * Each product and sum is one IEEE fused multiply-add. */
__device__ __forceinline__ void mma_m16n8k8_f64(double (&d)[4], const double (&a)[4], const double (&b)[2])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else /* in the pieces that sm_80 has; on sm_90 they run at half the rate */
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int high = 0; high < 2; high++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(d[high * 2]), "+d"(d[high * 2 + 1])
                : "d"(a[k * 2 + high]), "d"(b[k]));
#endif
}

/* x as TF32, rounded to nearest, ties away from zero. */
__device__ __forceinline__ uint32_t cvt_rna_tf32(float x)
{
    uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
    return rounded;
}

/* blockIdx.x, read anew each time: no register holds it. */
__device__ __forceinline__ int block_index()
{
    int index;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(index));
    return index;
}

/* The same number, but what follows from it is worked out here and not before:
 * where registers are short, early results would be spilled. */
__device__ __forceinline__ int opaque(int x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* Programmatic dependent launch, which older architectures do not have: the kernel behind may begin;
 * wait for all that the kernel ahead has written. No effect unless the launch asked for it. */
__device__ __forceinline__ void griddepcontrol_launch_dependents()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void griddepcontrol_wait()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

} // namespace isomat

#endif
