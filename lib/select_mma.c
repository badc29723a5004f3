/* SPDX-License-Identifier: MIT */
/* select_mma.c: which mma.sync kernel multiplies matrices of these sizes.
 *
 * As in select.c, the tile with the least estimated time: waves of blocks over the
 * multiprocessors, times what a block takes.  What it takes is not measured, for want
 * of the devices, but derived from published peaks: of the tensor cores and of shared
 * memory, whichever is the longer. */
#include "select.h"

#include <stdbool.h>

#include "isomat.h"

/* Multiply-adds of float16 a clock on one multiprocessor, dense, with float32 sums, by
 * NVIDIA's architecture white papers; TF32 has half.  8.6 to 8.9 and 12.0 are given as
 * GeForce has it, of which professional cards have twice.  mma.sync reaches about 0.6
 * of Hopper's peak; newer data-centre parts are taken for the same. */
static double f16_rate(int capability)
{
    if (capability == 80)
        return 1024;
    if (capability >= 90 && capability < 120)
        return 0.6 * 2048;
    return 256;
}

#define SHARED_BYTES_PER_CLOCK 128.0

/* A single block on a multiprocessor waits for its own copies and barriers. */
#define SINGLE_BLOCK_SHARE 0.6

/* Steps of k that the first copies and the last stores of a block cost. */
#define BLOCK_OVERHEAD_STEPS 8

static int64_t ceiling(int64_t value, int64_t divisor)
{
    return (value + divisor - 1) / divisor;
}

/* k of one step: 32 bytes. */
static int64_t step_k(enum im_mma_mode mode)
{
    return mode == IM_MMA_F16 || mode == IM_MMA_BF16 ? 16 : 8;
}

/* Clocks of one step of one block, with others beside it. */
static double step_clocks(const struct im_kernel_row *row, enum im_mma_mode mode, int capability)
{
    /* A step of TF32 has half the multiply-adds at half the rate; F32X3 multiplies three times. */
    double products = mode == IM_MMA_F32X3 ? 3 : 1;
    double multiply = (double)row->tile_m * row->tile_n * 16 * products / f16_rate(capability);
    /* Each warp reads 32 bytes for each of its rows and columns, and each of the block's is copied once. */
    double warps = row->threads / 32.0;
    double moved = 32.0 * (warps * (row->warp_m + row->warp_n) + row->tile_m + row->tile_n);
    double share = moved / SHARED_BYTES_PER_CLOCK;
    return multiply > share ? multiply : share;
}

/* Clocks of the busiest multiprocessor. */
static double estimate(const struct im_gemm_problem *problem, const struct im_kernel_row *row,
                       enum im_mma_mode mode)
{
    int64_t blocks = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    int64_t busiest = ceiling(blocks, problem->multiprocessors);
    bool last_is_single = busiest % row->blocks_per_sm == 1;
    double blocks_each = (double)busiest + (last_is_single ? 1 / SINGLE_BLOCK_SHARE - 1 : 0);
    double steps = (double)(ceiling(problem->k, step_k(mode)) + BLOCK_OVERHEAD_STEPS);
    return blocks_each * steps * step_clocks(row, mode, problem->capability);
}

enum im_kernel_id im_select_mma(const struct im_gemm_problem *problem, enum im_mma_mode mode)
{
    int layout = 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
    int first = IM_KERNEL_MMA_FIRST + ((int)mode * ISOMAT_GEMM_F32_LAYOUTS + layout) * ISOMAT_GEMM_MMA_TILES;
    int best = first;
    for (int id = first + 1; id < first + ISOMAT_GEMM_MMA_TILES; id++)
        if (estimate(problem, &im_kernels[id], mode) < estimate(problem, &im_kernels[best], mode))
            best = id;
    return (enum im_kernel_id)best;
}

/* Three products of TF32 against one on CUDA cores: by published peaks 156 / 3 to 19.5
 * TFLOP/s on compute capability 8.0; elsewhere TF32 has at most twice the rate of float32,
 * or wgmma serves.  With fewer tiles than this share of the multiprocessors the smaller
 * tiles of the CUDA cores catch up. */
#define F32X3_LEAST_BUSY_SHARE 0.25

int im_f32x3_gains(const struct im_gemm_problem *problem)
{
    const struct im_kernel_row *least = &im_kernels[IM_KERNEL_MMA_f32x3_nn_64x64x16];
    double tiles = (double)ceiling(problem->m, least->tile_m) * (double)ceiling(problem->n, least->tile_n);
    return problem->capability == 80 && problem->k >= ISOMAT_GEMM_F32X3_K_MIN &&
           tiles >= F32X3_LEAST_BUSY_SHARE * problem->multiprocessors;
}
