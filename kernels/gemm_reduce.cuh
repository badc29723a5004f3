/* SPDX-License-Identifier: MIT */
/*
 * C = alpha * (W_0 + W_1 + ... ) + beta * C: adds up the parts of a product whose
 * k was cut (isomat_reduce_args and isomat_reduce_f64_args in abi.h).
 *
 * Numbers   `ways` lanes share the parts of four neighbours in C, each a run of
 *           them in order; then the lanes' sums are added in pairs. The sizes
 *           alone decide the order: equal inputs give equal bits.
 * Limit     the L2 cache, where the parts still are; for a small C the time of
 *           one read, so each lane has 8 of them, of float64 4, on their way.
 *
 * warp      lanes by way and by quad of C, here for 4 ways:
 *
 *             lanes  0..7    8..15   16..23   24..31
 *             quads  0..7    0..7     0..7     0..7
 *             parts  first   second   third    last quarter
 */
#ifndef ISOMAT_KERNELS_GEMM_REDUCE_CUH
#define ISOMAT_KERNELS_GEMM_REDUCE_CUH

#include "abi.h"
#include "finish.cuh"
#include "gemm_tiles.h"
#include "ptx.cuh"
#include "tile.cuh"

namespace isomat
{

/* Four neighbours. */
template <class Element> struct alignas(16) Four {
    Element x, y, z, w;
};

template <class Element> __device__ __forceinline__ void add(Four<Element> &sum, const Four<Element> &v)
{
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
}

template <class Element> __device__ __forceinline__ void add_lane(Four<Element> &sum, int apart)
{
    add(sum, Four<Element>{__shfl_xor_sync(~0u, sum.x, apart), __shfl_xor_sync(~0u, sum.y, apart),
                           __shfl_xor_sync(~0u, sum.z, apart), __shfl_xor_sync(~0u, sum.w, apart)});
}

/* Parts [first, last) in order. Reads past the last one repeat it: reads without a condition are all
 * under way together. */
template <class Element>
__device__ __forceinline__ Four<Element> add_parts(const Element *w, int64_t w_part, int first, int last)
{
    constexpr int READS = 32 / sizeof(Element);
    Four<Element> sum = {};
#pragma unroll 1
    for (int p = first; p < last; p += READS) {
        Four<Element> v[READS];
#pragma unroll
        for (int d = 0; d < READS; d++)
            v[d] = *reinterpret_cast<const Four<Element> *>(w + min(p + d, last - 1) * w_part);
#pragma unroll
        for (int d = 0; d < READS; d++)
            if (p + d < last)
                add(sum, v[d]);
    }
    return sum;
}

template <class Element, class Args>
__device__ __forceinline__ void gemm_reduce(const Args &g, uint32_t thread)
{
    const int ways_of_quad = ISOMAT_REDUCE_WAYS(ISOMAT_REDUCE_QUADS(g.m, g.n), g.parts);
    const uint32_t ways = ways_of_quad, quads_of_warp = WARP / ways;
    const uint32_t lane = thread % WARP, way = lane / quads_of_warp;
    const uint32_t quad = thread / WARP * quads_of_warp + lane % quads_of_warp;
    const uint32_t quads_of_row = (static_cast<uint32_t>(g.n) + VECTOR - 1) / VECTOR;
    const uint32_t row = quad / quads_of_row;
    const int col = static_cast<int>(quad - row * quads_of_row) * VECTOR;
    const bool exists = row < static_cast<uint32_t>(g.m);

    const int first = static_cast<int>(way * g.parts / ways);
    const int last = exists ? static_cast<int>((way + 1) * g.parts / ways) : 0;
    griddepcontrol_wait();
    const Element *const w = reinterpret_cast<const Element *>(g.w) + row * g.w_ld + col;
    Four<Element> sum = add_parts(w, g.w_part, first, last);
#pragma unroll 1
    for (int apart = WARP / 2; apart >= static_cast<int>(quads_of_warp); apart /= 2)
        add_lane(sum, apart);
    if (!exists || way != 0)
        return;
    if (g.finish.c == 0) {
        store_4(reinterpret_cast<Element *>(g.c) + row * g.ldc + col, &sum.x, g.n - col,
                g.flags & ISOMAT_VECTOR_C, g.alpha, g.beta);
    } else {
        finish_apart(
            &g.finish,
            Sums<Element, VECTOR>{{g.alpha * sum.x, g.alpha * sum.y, g.alpha * sum.z, g.alpha * sum.w}},
            static_cast<int>(row), col, min(g.n - col, VECTOR), finish_beta<Element>(g.finish));
    }
}

} // namespace isomat

#endif
