/* SPDX-License-Identifier: MIT */
/*
 * Element-wise work on a rows x cols rectangle of float32, row-major with any
 * leading dimension and any base address that is a multiple of 4:
 *
 *   isomat_fill_f32   dst = value
 *   isomat_scale_f32  dst = value * dst; zero when value == 0, whatever dst holds
 *   isomat_copy_f32   dst = src
 *
 * grid      any; blocks stride over the rectangle
 * block     ISOMAT_RECT_THREADS threads, as many side by side as a row has work
 *           for, the others on the rows below
 * thread    STEPS times 4 neighbours, to the right if rows are long and down
 *           if they are short; all reads are under way before the first write
 * Limit     memory.
 */
#include "abi.h"
#include "gemm_tiles.h"
#include "tile.cuh"

namespace isomat
{

enum Operation { FILL, SCALE, COPY };

constexpr int STEPS = 4;
static_assert(ISOMAT_RECT_ELEMENTS_PER_BLOCK == ISOMAT_RECT_THREADS * STEPS * VECTOR,
              "the host's grid gives each block one round of work");

template <Operation OP>
__device__ __forceinline__ void rectangle(const isomat_rect_args &g, unsigned block, unsigned blocks,
                                          int thread)
{
    constexpr int THREADS = ISOMAT_RECT_THREADS;
    float *const dst = device_pointer(g.dst);
    const float *const src = OP == COPY ? device_pointer(g.src) : dst;
    const int64_t ld_src = OP == COPY ? g.ld_src : g.ld_dst;
    const bool read = OP == COPY || (OP == SCALE && g.value != 0.f);
    const bool vector = g.flags & ISOMAT_VECTOR_C && (OP != COPY || g.flags & ISOMAT_VECTOR_A);

    /* a power of two of threads side by side */
    const int64_t quads = (g.cols + VECTOR - 1) / VECTOR;
    int across = 1;
    while (across < THREADS && across < quads)
        across *= 2;
    const bool wide = across < quads;
    const int64_t step_quads = wide ? across : 0;
    const int64_t step_rows = wide ? 0 : THREADS / across;
    const int64_t cell_quads = wide ? int64_t{across} * STEPS : across;
    const int64_t cell_rows = int64_t{THREADS / across} * (wide ? 1 : STEPS);
    const int64_t cells_across = (quads + cell_quads - 1) / cell_quads;
    const int64_t cells = (g.rows + cell_rows - 1) / cell_rows * cells_across;

#pragma unroll 1
    for (int64_t cell = block; cell < cells; cell += blocks) {
        const int64_t down = cell / cells_across;
        const int64_t row = down * cell_rows + thread / across;
        const int64_t quad = (cell - down * cells_across) * cell_quads + thread % across;
        float4 v[STEPS];
        int count[STEPS];
#pragma unroll
        for (int n = 0; n < STEPS; n++) {
            const int64_t r = row + n * step_rows, c = (quad + n * step_quads) * VECTOR;
            const int64_t left = r < g.rows ? g.cols - c : 0;
            count[n] = static_cast<int>(left < VECTOR ? (left > 0 ? left : 0) : VECTOR);
            v[n] = read ? read_up_to_4(src + r * ld_src + c, count[n], vector)
                        : make_float4(g.value, g.value, g.value, g.value);
        }
#pragma unroll
        for (int n = 0; n < STEPS; n++) {
            const int64_t r = row + n * step_rows, c = (quad + n * step_quads) * VECTOR;
            if (OP == SCALE && read) {
                v[n].x *= g.value;
                v[n].y *= g.value;
                v[n].z *= g.value;
                v[n].w *= g.value;
            }
            write_up_to_4(dst + r * g.ld_dst + c, v[n], count[n], vector);
        }
    }
}

} // namespace isomat

#define ENTRY(name, operation)                                                                               \
    extern "C" __global__ void __launch_bounds__(ISOMAT_RECT_THREADS)                                        \
        name(const __grid_constant__ isomat_rect_args args)                                                  \
    {                                                                                                        \
        isomat::rectangle<isomat::operation>(args, blockIdx.x, gridDim.x, threadIdx.x);                      \
    }

ENTRY(isomat_fill_f32, FILL)
ENTRY(isomat_scale_f32, SCALE)
ENTRY(isomat_copy_f32, COPY)
