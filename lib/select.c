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

/* Multiply-adds of the busiest multiprocessor over its rate: see select_tile for the unit. */
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

/* Tiles of one layout stand together in the table. */
static int layout_of(const struct im_gemm_problem *problem)
{
    return 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
}

/* The best tile, and the time of a whole product with it. */
static enum im_kernel_id select_tile(const struct im_gemm_problem *problem, double *time_us)
{
    int layout = layout_of(problem);
    int best = 0;
    double best_time = 0;
    for (int i = 0; i < IM_GEMM_TILES; i++) {
        double time = estimate(problem, &im_kernels[layout * IM_GEMM_TILES + i], &rates[i]);
        if (i == 0 || time < best_time) {
            best = i;
            best_time = time;
        }
    }
    *time_us = best_time * 2 * problem->multiprocessors * 1e-6;
    return (enum im_kernel_id)(layout * IM_GEMM_TILES + best);
}

static enum im_kernel_id select_skinny(int64_t thin, int rows_form)
{
    int id = rows_form ? IM_KERNEL_SKINNY_rows_1 : IM_KERNEL_SKINNY_cols_1;
    while (im_kernels[id].thin < thin)
        id++;
    return (enum im_kernel_id)id;
}

/* ---------------------------------------------------------- split products */

/* Times on an H200 in microseconds: of a slab of 64 of k on one multiprocessor, for each
 * tile, the largest first; of the launches; and of a byte that the split pass moves. */
static const double slab_us[IM_SM90_TILES] = {2.03, 1.07, 0.66};
#define SPLIT_LAUNCH_US 8.0
#define SPLIT_BYTE_US (1 / 3.4e6)
#define SPLIT_BYTES_PER_ELEMENT 8 /* float32 read, two float16 written */

static double split_tile_us(const struct im_gemm_problem *problem, const struct im_kernel_row *row,
                            double slab)
{
    int64_t multiprocessors = problem->multiprocessors;
    int64_t tiles = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    int64_t slabs = ISOMAT_SPLIT_BOXES(problem->k);
    int64_t help = ISOMAT_GEMM_F32_SM90_HELP_SLABS(tiles, multiprocessors, slabs);
    return (double)(ceiling(tiles, multiprocessors) * slabs - help) * slab;
}

/* The best tile, and the time of a whole product with it. */
static enum im_kernel_id select_split(const struct im_gemm_problem *problem, double *time_us)
{
    int first = IM_KERNEL_SM90_nn_128x256 + layout_of(problem) * IM_SM90_TILES;
    int best = 0;
    double best_us = 0;
    for (int i = 0; i < IM_SM90_TILES; i++) {
        double us = split_tile_us(problem, &im_kernels[first + i], slab_us[i]);
        if (i == 0 || us < best_us) {
            best = i;
            best_us = us;
        }
    }
    double elements = (double)problem->k * ((double)problem->m + (double)problem->n);
    *time_us = best_us + SPLIT_LAUNCH_US + elements * SPLIT_BYTES_PER_ELEMENT * SPLIT_BYTE_US;
    return (enum im_kernel_id)(first + best);
}

static bool can_split(const struct im_gemm_problem *problem)
{
    return problem->split && problem->k >= ISOMAT_GEMM_F32_SM90_K_MIN && problem->k <= ISOMAT_SPLIT_K_MAX;
}

enum im_kernel_id im_select_gemm(const struct im_gemm_problem *problem)
{
    if (im_is_thin_n(problem->m, problem->n))
        return select_skinny(problem->n, problem->op_a == ISOMAT_OP_N);
    if (problem->m <= ISOMAT_SKINNY_MAX)
        return select_skinny(problem->m, problem->op_b == ISOMAT_OP_T);
    double tile_us;
    double split_us;
    enum im_kernel_id tile = select_tile(problem, &tile_us);
    if (!can_split(problem))
        return tile;
    enum im_kernel_id split = select_split(problem, &split_us);
    return split_us < tile_us ? split : tile;
}
