/* SPDX-License-Identifier: MIT */
/* select_16.c: which Hopper kernel multiplies 16-bit matrices of these sizes.
 *
 * The tile with the least estimated time: the slabs of 64 of k that the busiest
 * cluster takes, times what one takes. */
#include "select.h"

#include "isomat.h"

/* Microseconds on an H200 of a slab on one multiprocessor, for each tile, the largest
 * first, and of a tile's first copies and last stores; to take scales off as well
 * doubles the latter, and to hand sums over to another block is EXCHANGE of it.  The
 * smaller tiles are bound by L2. */
static const struct cost {
    double slab_us, tile_us;
} costs[IM_SM90_16_TILES] = {{0.66, 3.0}, {0.42, 1.0}, {0.30, 0.8}};

#define EXCHANGE 2.5

static int64_t ceiling(int64_t value, int64_t divisor)
{
    return (value + divisor - 1) / divisor;
}

static double estimate(const struct im_gemm_problem *problem, const struct im_kernel_row *row,
                       const struct cost *cost, int scaled)
{
    int64_t clusters = problem->multiprocessors / row->cluster;
    int64_t slabs = ISOMAT_SPLIT_BOXES(problem->k);
    int64_t work = ISOMAT_GEMM_16_SM90_WORK(problem->m, problem->n, row->tile_m, row->tile_n, row->cluster);
    int64_t help = ISOMAT_GEMM_16_SM90_HELP_SLABS(work, problem->multiprocessors, row->cluster, slabs);
    int64_t rounds = ceiling(work, clusters);
    return ((double)rounds * (double)slabs - (double)help) * cost->slab_us +
           (double)rounds * cost->tile_us * (scaled ? 2 : 1) + (help > 0 ? EXCHANGE * cost->tile_us : 0);
}

enum im_kernel_id im_select_16(const struct im_gemm_problem *problem, int32_t type)
{
    int layout = 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
    int first = (type == ISOMAT_TYPE_BF16 ? IM_KERNEL_SM90_BF16_nn_128x256 : IM_KERNEL_SM90_F16_nn_128x256) +
                layout * IM_SM90_16_TILES;
    int best = 0;
    double best_us = 0;
    for (int i = 0; i < IM_SM90_16_TILES; i++) {
        double us = estimate(problem, &im_kernels[first + i], &costs[i], type == ISOMAT_TYPE_F32);
        if (i == 0 || us < best_us) {
            best = i;
            best_us = us;
        }
    }
    return (enum im_kernel_id)(first + best);
}
