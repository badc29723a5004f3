/* SPDX-License-Identifier: MIT */
/* select.c: which kernel multiplies matrices of these sizes.
 *
 * A thin product is bound by memory and has kernels of its own.  Otherwise the
 * tile with the least estimated time: the number of waves of blocks over the
 * multiprocessors, times what a block takes. */
#include "select.h"

#include <stdbool.h>

#include "isomat.h"

/* What tiles reach, in TFLOP/s on an H200 at 1980 MHz: with all the blocks that
 * live on a multiprocessor at once, and with a single one.  Only the ratios
 * matter here.  docs/PERFORMANCE.md tells how they were measured. */
static const struct rate {
    double full, single;
} rates[IM_GEMM_TILES] = {
    {52.5, 51.5}, /* 128 x 128 */
    {49.0, 44.0}, /*  64 x 128 */
    {48.5, 23.0}, /*  64 x  64 */
    {38.5, 32.0}, /*  32 x  64 */
    {32.0, 16.5}, /*  32 x  32 */
};

/* A block costs this many steps of k besides its own: its first copies and its
 * last stores. */
#define BLOCK_OVERHEAD_K 8

static int64_t ceiling(int64_t value, int64_t divisor)
{
    return (value + divisor - 1) / divisor;
}

/* Blocks that live on a multiprocessor: the architectures with much shared
 * memory hold twice as many as the others (kernels/gemm_f32.cu). */
static int64_t resident(const struct im_kernel_row *row, int capability)
{
    bool large = capability == 80 || capability == 90 || capability == 100;
    return large ? row->blocks_per_sm : (row->blocks_per_sm + 1) / 2;
}

/* The rate with a number of blocks on each multiprocessor. */
static double rate_with(const struct rate *rate, int64_t blocks)
{
    double sum = rate->single * (double)blocks;
    return sum < rate->full ? sum : rate->full;
}

/* Time of the busiest multiprocessor, in units that are the same for all tiles. */
static double estimate(const struct im_gemm_problem *problem, const struct im_kernel_row *row,
                       const struct rate *rate)
{
    int64_t blocks = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    int64_t busiest = ceiling(blocks, problem->multiprocessors);
    int64_t together = resident(row, problem->capability);
    int64_t last = busiest % together;
    double work = (double)row->tile_m * (double)row->tile_n * (double)(problem->k + BLOCK_OVERHEAD_K);
    double time = (double)(busiest - last) * work / rate_with(rate, together);
    if (last > 0)
        time += (double)last * work / rate_with(rate, last);
    return time;
}

static enum im_kernel_id select_tile(const struct im_gemm_problem *problem)
{
    int layout = 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
    int best = 0;
    double best_time = 0;
    for (int i = 0; i < IM_GEMM_TILES; i++) {
        double time = estimate(problem, &im_kernels[layout * IM_GEMM_TILES + i], &rates[i]);
        if (i == 0 || time < best_time) {
            best = i;
            best_time = time;
        }
    }
    return (enum im_kernel_id)(layout * IM_GEMM_TILES + best);
}

static enum im_kernel_id select_skinny(int64_t thin, int rows_form)
{
    int id = rows_form ? IM_KERNEL_SKINNY_rows_1 : IM_KERNEL_SKINNY_cols_1;
    while (im_kernels[id].thin < thin)
        id++;
    return (enum im_kernel_id)id;
}

/* The least work for which tensor cores pay off the split pass; measured on an H200. */
#define SPLIT_LEAST_WORK 5e8

/* What the tiles of split products reach, largest first, as `rates`. */
static const double split_rates[IM_SM90_TILES] = {255, 235, 150};

/* Split products: the tile with the least time for the rounds that the tiles of C take. */
static enum im_kernel_id select_split(const struct im_gemm_problem *problem)
{
    int layout = 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
    int first = IM_KERNEL_SM90_nn_128x256 + layout * IM_SM90_TILES;
    int best = 0;
    double best_time = 0;
    for (int i = 0; i < IM_SM90_TILES; i++) {
        const struct im_kernel_row *row = &im_kernels[first + i];
        int64_t blocks = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
        double rounds = (double)ceiling(blocks, problem->multiprocessors);
        double time = rounds * (double)row->tile_m * (double)row->tile_n / split_rates[i];
        if (i == 0 || time < best_time) {
            best = i;
            best_time = time;
        }
    }
    return (enum im_kernel_id)(first + best);
}

static bool split_pays(const struct im_gemm_problem *problem)
{
    return problem->split && problem->k >= ISOMAT_GEMM_F32_SM90_K_MIN && problem->k <= ISOMAT_SPLIT_K_MAX &&
           (double)problem->m * (double)problem->n * (double)problem->k >= SPLIT_LEAST_WORK;
}

enum im_kernel_id im_select_gemm(const struct im_gemm_problem *problem)
{
    if (im_is_thin_n(problem->m, problem->n))
        return select_skinny(problem->n, problem->op_a == ISOMAT_OP_N);
    if (problem->m <= ISOMAT_SKINNY_MAX)
        return select_skinny(problem->m, problem->op_b == ISOMAT_OP_T);
    return split_pays(problem) ? select_split(problem) : select_tile(problem);
}
