/* SPDX-License-Identifier: MIT */
/*
 * Element-wise work on a rows x cols rectangle, row-major with any leading
 * dimension and any base address that is a multiple of the element; for each
 * type t and u of ISOMAT_ELEMENT_TYPES:
 *
 *   isomat_fill_<t>         dst = value, rounded to nearest
 *   isomat_scale_<t>        dst = value * dst in float32 or, of f64, in float64,
 *                         rounded to nearest; zero
 *                           when value == 0, whatever dst holds
 *   isomat_copy_<t>_<u>     dst of type t = src of type u, rounded to nearest; bits
 *                           unchanged where the types are the same
 *
 * grid      any; blocks stride over the rectangle
 * block     ISOMAT_RECT_THREADS threads, as many side by side as a row has work
 *           for, the others on the rows below
 * thread    STEPS times 4 neighbours, to the right if rows are long and down
 *           if they are short; all reads are under way before the first write
 * Limit     memory.
 */
#include "abi.h"
#include "element.cuh"
#include "gemm_tiles.h"

namespace isomat
{

enum Operation { FILL, SCALE, COPY };

constexpr int STEPS = 4;
static_assert(ISOMAT_RECT_ELEMENTS_PER_BLOCK == ISOMAT_RECT_THREADS * STEPS * VECTOR,
              "the host's grid gives each block one round of work");

template <class To, class From> __device__ __forceinline__ void convert(To &to, From from)
{
    narrow(to, widen(from));
}
/* not through float32, which makes every NaN a quiet one */
__device__ __forceinline__ void convert(f16 &to, f16 from)
{
    to = from;
}
__device__ __forceinline__ void convert(bf16 &to, bf16 from)
{
    to = from;
}

template <Operation OP, class To, class From>
__device__ __forceinline__ void rectangle(const isomat_rect_args &g, unsigned block, unsigned blocks,
                                          int thread)
{
    constexpr int THREADS = ISOMAT_RECT_THREADS;
    To *const dst = reinterpret_cast<To *>(g.dst);
    const From *const src = reinterpret_cast<const From *>(OP == COPY ? g.src : g.dst);
    const int64_t ld_src = OP == COPY ? g.ld_src : g.ld_dst;
    using Wide = decltype(widen(To{}));
    const Wide value = static_cast<Wide>(g.value);
    const bool reads = OP == COPY || (OP == SCALE && value != 0);
    const bool write_vector = g.flags & ISOMAT_VECTOR_C;
    const bool read_vector = OP == COPY ? g.flags & ISOMAT_VECTOR_A : write_vector;

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
        Quad<From> from[STEPS];
        int count[STEPS];
#pragma unroll
        for (int n = 0; n < STEPS; n++) {
            const int64_t r = row + n * step_rows, c = (quad + n * step_quads) * VECTOR;
            const int64_t left = r < g.rows ? g.cols - c : 0;
            count[n] = static_cast<int>(left < VECTOR ? (left > 0 ? left : 0) : VECTOR);
            if (reads)
                from[n] = read(src + r * ld_src + c, count[n], read_vector);
        }
#pragma unroll
        for (int n = 0; n < STEPS; n++) {
            const int64_t r = row + n * step_rows, c = (quad + n * step_quads) * VECTOR;
            Quad<To> to;
#pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                if (!reads)
                    narrow(to.at[i], value);
                else if (OP == SCALE)
                    narrow(to.at[i], value * widen(from[n].at[i]));
                else
                    convert(to.at[i], from[n].at[i]);
            }
            write(dst + r * g.ld_dst + c, to, count[n], write_vector);
        }
    }
}

} // namespace isomat

#define ENTRY(name, operation, to, from)                                                                     \
    extern "C" __global__ void __launch_bounds__(ISOMAT_RECT_THREADS)                                        \
        name(const __grid_constant__ isomat_rect_args args)                                                  \
    {                                                                                                        \
        isomat::rectangle<isomat::operation, isomat::to, isomat::from>(args, blockIdx.x, gridDim.x,          \
                                                                       threadIdx.x);                         \
    }

#define FILL_ENTRY(t) ENTRY(isomat_fill_##t, FILL, t, t)
#define SCALE_ENTRY(t) ENTRY(isomat_scale_##t, SCALE, t, t)
#define COPY_ENTRY(t, u) ENTRY(isomat_copy_##t##_##u, COPY, t, u)

ISOMAT_ELEMENT_TYPES(FILL_ENTRY)
ISOMAT_ELEMENT_TYPES(SCALE_ENTRY)
ISOMAT_ELEMENT_TYPE_PAIRS(COPY_ENTRY)
