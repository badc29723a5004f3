/* SPDX-License-Identifier: MIT */
/* select_f64.c: which kernel multiplies float64 matrices of these sizes, and in how many parts.
 *
 * As in select.c, the tile and the number of parts of k with the least estimated time. */
#include "select.h"

#include <stddef.h>

#include "isomat.h"

/* GFLOP/s of a multiprocessor of an H200 with as many blocks as live there, and with one; tiles from
 * the largest.  Two small blocks nearly have the rate of all. */
static const struct rate {
    double full, single;
} rates[IM_F64_TILES] = {{455, 455}, {445, 445}, {437, 308}, {315, 199}};

#define BEGIN_US 2.5
#define BLOCK_K 36.0 /* what a block costs besides its own k, in k */
#define PART_K_MIN 64

static int64_t ceiling(int64_t value, int64_t divisor)
{
    return (value + divisor - 1) / divisor;
}

/* The most shared memory of a block, in bytes. */
static uint32_t shared_limit(int capability)
{
    if (capability < 80)
        return 64 << 10;
    if (capability == 80 || capability == 87)
        return 163 << 10;
    return capability >= 90 && capability < 120 ? 227 << 10 : 99 << 10;
}

/* The busiest multiprocessor works through its blocks, as many at a time as live there. */
static double blocks_us(const struct rate *rate, const struct im_kernel_row *row, int64_t busiest,
                        int64_t part_k)
{
    int64_t last = busiest % row->blocks_per_sm;
    double work = 2e-3 * row->tile_m * row->tile_n * ((double)part_k + BLOCK_K);
    double with_last = rate->single * (double)last;
    double time = (double)(busiest - last) * work / rate->full;
    if (last > 0)
        time += (double)last * work / (with_last < rate->full ? with_last : rate->full);
    return time;
}

static double estimate(const struct im_gemm_problem *problem, const struct rate *rate,
                       const struct im_kernel_row *row, int64_t parts)
{
    const struct im_simt_model *sum = &im_simt_model;
    int64_t tiles = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    int64_t part_k = ceiling(ceiling(problem->k, row->step_k), parts) * row->step_k;
    double time = BEGIN_US + blocks_us(rate, row, ceiling(tiles * parts, problem->multiprocessors), part_k);
    if (parts > 1) /* written once, read once, 8 bytes each */
        time += sum->reduce + sum->reduce_part * (double)parts +
                16e-3 * (double)problem->m * (double)problem->n * (double)parts /
                    (sum->reduce_rate * problem->multiprocessors);
    return time;
}

/* The most parts that the kernel's grid, the sum's and the shortest part allow. */
static int64_t most_parts(const struct im_gemm_problem *problem, const struct im_kernel_row *row)
{
    int64_t tiles = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    int64_t most = problem->k / PART_K_MIN;
    most = most < ISOMAT_PARTS_MAX ? most : ISOMAT_PARTS_MAX;
    if (ISOMAT_REDUCE_QUADS(problem->m, problem->n) > INT32_MAX / ISOMAT_PARTS_MAX)
        return 1;
    most = most < INT32_MAX / tiles ? most : INT32_MAX / tiles;
    return most > 1 ? most : 1;
}

int im_f64_fits(const struct im_gemm_problem *problem, enum im_kernel_id id)
{
    int layout = 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
    int tile = (int)id - (IM_KERNEL_F64_FIRST + layout * IM_F64_TILES);
    return tile >= 0 && tile < IM_F64_TILES &&
           im_kernels[id].shared_bytes <= shared_limit(problem->capability);
}

int32_t im_f64_parts_at(const struct im_gemm_problem *problem, enum im_kernel_id id, int fill)
{
    const struct im_kernel_row *row = &im_kernels[id];
    int64_t tiles = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    int64_t most = most_parts(problem, row);
    int64_t parts = problem->multiprocessors * (int64_t)fill / tiles;
    if (fill > 2 * row->blocks_per_sm)
        return 0;
    parts = parts < most ? parts : most;
    return parts > 1 ? (int32_t)parts : 1;
}

enum im_kernel_id im_select_f64(const struct im_gemm_problem *problem, int32_t *parts)
{
    int layout = 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
    int first = IM_KERNEL_F64_FIRST + layout * IM_F64_TILES;
    int best = first + IM_F64_TILES - 1;
    int64_t best_parts = 1;
    double best_us = -1;
    for (int tile = 0; tile < IM_F64_TILES; tile++) {
        const struct im_kernel_row *row = &im_kernels[first + tile];
        if (row->shared_bytes > shared_limit(problem->capability))
            continue;
        int64_t tiles = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
        int64_t most = most_parts(problem, row);
        int64_t wanted = 0;
        for (int64_t fill = 0; fill <= 2 * row->blocks_per_sm && wanted < most; fill++) {
            int64_t next = problem->multiprocessors * fill / tiles;
            next = next > most ? most : next < 1 ? 1 : next;
            if (next == wanted)
                continue;
            wanted = next;
            double us = estimate(problem, &rates[tile], row, wanted);
            if (best_us < 0 || us < best_us) {
                best_us = us;
                best = first + tile;
                best_parts = wanted;
            }
        }
    }
    if (parts)
        *parts = (int32_t)best_parts;
    return (enum im_kernel_id)best;
}
