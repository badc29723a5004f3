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

#if ISOMAT_HAS_CP_ASYNC

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

/* The order of these among themselves and the barriers is kept (volatile); no
 * memory clobber, so that arithmetic and shared reads may move across them.
 * That is sound because a slab is read only behind wait_group and a barrier. */

/* Copies from[FROM] to *to; the displacement is part of the instruction, so
 * that neighbours share one address register. */
template <int FROM> __device__ __forceinline__ void cp_async_4(float *to, const float *from, bool read)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1 + %3], 4, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(read ? 4 : 0), "n"(FROM * sizeof(float)));
}

__device__ __forceinline__ void cp_async_16(float *to, const float *from, bool read)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(read ? 16 : 0));
}

__device__ __forceinline__ void cp_async_commit_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int PENDING> __device__ __forceinline__ void cp_async_wait_group()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

#endif

} // namespace isomat

#endif
