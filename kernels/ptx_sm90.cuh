/* SPDX-License-Identifier: MIT */
/*
 * Inline PTX that only sm_90 and sm_90a have, once each, named after the
 * instruction: mbarrier, TMA, stmatrix, wgmma, setmaxnreg, clusters.
 */
#ifndef ISOMAT_KERNELS_PTX_SM90_CUH
#define ISOMAT_KERNELS_PTX_SM90_CUH

#include <stdint.h>

namespace isomat
{
namespace ptx
{

/* Dynamic shared memory of this launch, in bytes. */
__device__ __forceinline__ int dynamic_smem_size()
{
    int bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

/* ---- mbarrier: addresses are of shared memory ---- */

__device__ __forceinline__ void mbarrier_init(uint32_t barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Makes initialised barriers visible to TMA, which is another proxy. */
__device__ __forceinline__ void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* At the barrier of any block of the cluster: an address by mapa. */
__device__ __forceinline__ void mbarrier_arrive_cluster(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void mbarrier_arrive_expect_tx(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* Waits until the phase of that parity has ended. */
__device__ __forceinline__ void mbarrier_wait(uint32_t barrier, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra over;\n"
                 "bra again;\n"
                 "over:\n"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* ---- TMA ---- */

__device__ __forceinline__ void prefetch_tensormap(const void *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__device__ __forceinline__ void cp_async_bulk_tensor_4d(uint32_t to, const void *map, uint32_t barrier, int x,
                                                        int y, int z, int w)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
}

__device__ __forceinline__ void cp_async_bulk_tensor_2d(uint32_t to, const void *map, uint32_t barrier, int x,
                                                        int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

/* To the same place in each block of the cluster that has its bit in `blocks`, and
 * to its barrier. */
__device__ __forceinline__ void cp_async_bulk_tensor_2d_multicast(uint32_t to, const void *map,
                                                                  uint32_t barrier, int x, int y,
                                                                  uint16_t blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y), "h"(blocks)
                 : "memory");
}

/* Four 8 x 8 matrices of 16 bits, in wgmma's layout of results; lanes 8i .. 8i + 7
 * give the addresses of the rows of matrix i. */
__device__ __forceinline__ void stmatrix_x4(uint32_t row, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(a),
                 "r"(b), "r"(c), "r"(d)
                 : "memory");
}

__device__ __forceinline__ void st_shared_v2(uint32_t address, float2 v)
{
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(v.x), "f"(v.y) : "memory");
}

__device__ __forceinline__ void st_shared(uint32_t address, float v)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(v) : "memory");
}

__device__ __forceinline__ uint32_t ld_shared(uint32_t address)
{
    uint32_t v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
    return v;
}

__device__ __forceinline__ uint16_t ld_shared_u16(uint32_t address)
{
    uint16_t v;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(address) : "memory");
    return v;
}

__device__ __forceinline__ float2 ld_shared_v2(uint32_t address)
{
    float2 v;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(address) : "memory");
    return v;
}

__device__ __forceinline__ uint4 ld_shared_v4(uint32_t address)
{
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address)
                 : "memory");
    return v;
}

/* ---- wgmma ---- */

__device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit_group()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int PENDING> __device__ __forceinline__ void wgmma_wait_group()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* Keeps ptxas and nvcc from moving a use of these registers across this point:
 * they do not see that an asynchronous instruction writes them. */
template <int COUNT> __device__ __forceinline__ void pin(float (&d)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

/* clang-format off */
#define ISOMAT_D4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define ISOMAT_D16(d, i) ISOMAT_D4(d, i), ISOMAT_D4(d, i + 4), ISOMAT_D4(d, i + 8), ISOMAT_D4(d, i + 12)
#define ISOMAT_D32(d, i) ISOMAT_D16(d, i), ISOMAT_D16(d, i + 16)
#define ISOMAT_D64(d, i) ISOMAT_D32(d, i), ISOMAT_D32(d, i + 32)
#define ISOMAT_D128(d, i) ISOMAT_D64(d, i), ISOMAT_D64(d, i + 64)
#define ISOMAT_R32 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define ISOMAT_R64 ISOMAT_R32 ", " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define ISOMAT_R128 ISOMAT_R64 ", " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

struct F16 {};
struct BF16 {};

/* n columns; the results are %0 .. %(n/2 - 1), %A and %B the descriptors, %P
 * whether to accumulate, %TA and %TB whether k runs along the rows. */
#define ISOMAT_WGMMA(n, type, results, A, B, P, TA, TB) \
    "{\n.reg .pred p;\nsetp.ne.b32 p, %" #P ", 0;\n" \
    "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." #type "." #type " {" results "}, " \
    "%" #A ", %" #B ", p, 1, 1, %" #TA ", %" #TB ";\n}"
#define ISOMAT_WGMMA_ENTRY(Type, type, n, sums, A, B, P, TA, TB) \
    template <int MN_A, int MN_B> \
    __device__ __forceinline__ void wgmma_m64k16(Type, float (&d)[sums], uint64_t a, uint64_t b, int accumulate) \
    { \
        asm volatile(ISOMAT_WGMMA(n, type, ISOMAT_R##sums, A, B, P, TA, TB) \
                     : ISOMAT_D##sums(d, 0) : "l"(a), "l"(b), "r"(accumulate), "n"(MN_A), "n"(MN_B)); \
    }
#define ISOMAT_WGMMA_ENTRIES(Type, type) \
    ISOMAT_WGMMA_ENTRY(Type, type, 64, 32, 32, 33, 34, 35, 36) \
    ISOMAT_WGMMA_ENTRY(Type, type, 128, 64, 64, 65, 66, 67, 68) \
    ISOMAT_WGMMA_ENTRY(Type, type, 256, 128, 128, 129, 130, 131, 132)

/*
 * d (+)= a * b, 64 x n x 16, 16 bits in and float32 out. A thread holds, for each
 * 8 columns j, d[4j], d[4j+1] of row lane / 4 and d[4j+2], d[4j+3] of row
 * lane / 4 + 8 of its warp's 16, columns 2 * (lane % 4) and the next.
 *   accumulate  0 overwrites d
 *   MN_A, MN_B  1 if the operand lies in memory with k along the rows
 */
ISOMAT_WGMMA_ENTRIES(F16, f16)
ISOMAT_WGMMA_ENTRIES(BF16, bf16)
/* clang-format on */

/* ---- between the warps of a group, and between blocks ---- */

/* Barrier `id`, 1 .. 15, of `threads` threads; 0 is that of __syncthreads. */
__device__ __forceinline__ void bar_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ __forceinline__ uint32_t ld_acquire_gpu(const uint32_t *p)
{
    uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

__device__ __forceinline__ void st_release_gpu(uint32_t *p, uint32_t value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

/* ---- registers of a warp group ---- */

template <int REGISTERS> __device__ __forceinline__ void setmaxnreg_inc()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

template <int REGISTERS> __device__ __forceinline__ void setmaxnreg_dec()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/* ---- clusters ---- */

__device__ __forceinline__ uint32_t cluster_ctarank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void barrier_cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/* Orders no memory accesses. */
__device__ __forceinline__ void barrier_cluster_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

__device__ __forceinline__ void barrier_cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* The same variable in the shared memory of another block of the cluster. */
__device__ __forceinline__ uint32_t mapa(uint32_t address, uint32_t rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ __forceinline__ void red_shared_cluster_max(uint32_t address, uint32_t value)
{
    asm volatile("red.relaxed.cluster.shared::cluster.max.u32 [%0], %1;" ::"r"(address), "r"(value)
                 : "memory");
}

__device__ __forceinline__ void red_shared_cluster_add(uint32_t address, uint32_t value)
{
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(address), "r"(value)
                 : "memory");
}

} // namespace ptx
} // namespace isomat

#endif
