/* SPDX-License-Identifier: MIT */
/* select.c: which kernel multiplies matrices of these sizes.
 *
 * A thin product is bound by memory and has kernels of its own.  Otherwise the
 * tile with the least estimated time: the number of waves of blocks over the
 * multiprocessors, times what a block takes. */
#include "select.h"

#include "isomat.h"

/* Share of the multiply-add units' peak that a multiprocessor reaches with its
 * full number of blocks of each tile, largest tile first; see
 * docs/PERFORMANCE.md for the measurement. */
static const double full_share[IM_GEMM_TILES] = {0.78, 0.76, 0.70, 0.64, 0.45};

/* A block costs this many steps of k besides its own: its first copies and its
 * last stores. */
#define BLOCK_OVERHEAD_K 48.0

static int64_t ceiling(int64_t value, int64_t divisor)
{
    return (value + divisor - 1) / divisor;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Time in units that are the same for all tiles. */
static double estimate(const struct im_gemm_problem *problem, const struct im_kernel_row *row, double share)
{
    int64_t blocks = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    int64_t busiest = ceiling(blocks, problem->multiprocessors); /* blocks on one multiprocessor */
    int64_t rounds = ceiling(busiest, row->blocks_per_sm);
    double work = (double)row->tile_m * (double)row->tile_n * ((double)problem->k + BLOCK_OVERHEAD_K);
    /* The last round may be thinner than the others, and then hides less latency. */
    double last = (double)(busiest - (rounds - 1) * row->blocks_per_sm) / row->blocks_per_sm;
    double last_share = share * least(1.0, 0.35 + 0.65 * last);
    double in_last = last * row->blocks_per_sm;
    return work * ((double)(busiest - (int64_t)in_last) / share + in_last / last_share);
}

static enum im_kernel_id select_tile(const struct im_gemm_problem *problem)
{
    int layout = 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
    int best = 0;
    double best_time = 0;
    for (int i = 0; i < IM_GEMM_TILES; i++) {
        double time = estimate(problem, &im_kernels[layout * IM_GEMM_TILES + i], full_share[i]);
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

enum im_kernel_id im_select_gemm(const struct im_gemm_problem *problem)
{
    if (problem->n <= ISOMAT_SKINNY_MAX && problem->n <= problem->m)
        return select_skinny(problem->n, problem->op_a == ISOMAT_OP_N);
    if (problem->m <= ISOMAT_SKINNY_MAX)
        return select_skinny(problem->m, problem->op_b == ISOMAT_OP_T);
    return select_tile(problem);
}
