/* SPDX-License-Identifier: MIT */
/* select.c: which kernel multiplies matrices of these sizes.
 *
 * A thin product is bound by memory and has kernels of its own.  Otherwise the
 * tile, and the number of parts of k, with the least estimated time: the number of
 * waves of blocks over the multiprocessors, times what a block takes, and the sum
 * of the parts. */
#include "select.h"

#include <stdbool.h>

#include "isomat.h"
#include "kernels/abi_sm90.h"

/* Fitted to times on an H200 by bench/fit (bench/README.md). */
const struct im_simt_model im_simt_model = {
    .tiles = {{430, 393}, {476, 308}, {500, 207}, {314, 246}, {291, 163}},
    .begin = 2.33,
    .block_k = 23.6,
    .chunk = {0.79, 1.31},
    .tall = {0.7, 0.5},
    .thin_block = 1,
    .read = 31.1,
    .reduce = 1.95,
    .reduce_part = 0.0063,
    .reduce_rate = 85.2,
};

#define PART_K_MIN 32 /* of a tile; shorter, the first copies are not even hidden */

static int64_t ceiling(int64_t value, int64_t divisor)
{
    return (value + divisor - 1) / divisor;
}

/* Blocks that live on a multiprocessor.  Of tiles the architectures with much shared
 * memory hold twice as many as the others (kernels/gemm_f32.cu). */
static int64_t resident(const struct im_kernel_row *row, int capability)
{
    bool large = capability == 80 || capability == 90 || capability == 100;
    return large || row->thin > 0 ? row->blocks_per_sm : (row->blocks_per_sm + 1) / 2;
}

static int64_t blocks_of(const struct im_gemm_problem *problem, enum im_kernel_id id)
{
    const struct im_kernel_row *row = &im_kernels[id];
    if (im_is_skinny(id))
        return ceiling(im_is_thin_n(problem->m, problem->n) ? problem->m : problem->n, row->rows_per_block);
    return ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
}

/* The rate of a multiprocessor with so many blocks: the more, the better they hide each other's waiting. */
static double rate_with(double full, double single, double blocks)
{
    return full * single * blocks / (full + single * (blocks - 1));
}

/* The busiest multiprocessor works through its blocks, as many at a time as live there. */
static double tile_time(const struct im_simt_model *model, const struct im_gemm_problem *problem,
                        enum im_kernel_id id, int64_t blocks, int64_t part_k)
{
    const struct im_kernel_row *row = &im_kernels[id];
    int tile = (int)id % IM_GEMM_TILES;
    double full = model->tiles[tile].full;
    double single = model->tiles[tile].single;
    int64_t busiest = ceiling(blocks, problem->multiprocessors);
    int64_t together = resident(row, problem->capability);
    int64_t last = busiest % together;
    double work = 2e-3 * row->tile_m * row->tile_n * ((double)part_k + model->block_k);
    double time = (double)(busiest - last) * work / rate_with(full, single, (double)together);
    if (last > 0)
        time += (double)last * work / rate_with(full, single, (double)last);
    return time;
}

/* Bound by the time of one read after another in each block, or by memory. */
static double skinny_time(const struct im_simt_model *model, const struct im_gemm_problem *problem,
                          enum im_kernel_id id, int64_t blocks, int64_t steps)
{
    const struct im_kernel_row *row = &im_kernels[id];
    bool cols = !im_reads_rows(id);
    int64_t large = problem->m > problem->n ? problem->m : problem->n;
    int64_t waves = ceiling(blocks, problem->multiprocessors * row->blocks_per_sm);
    double chunk = im_is_tall(id) ? model->tall[cols] : model->chunk[cols];
    double reads = (double)waves * ((double)steps * chunk + model->thin_block);
    double bytes = 4e-3 * (double)large * (double)problem->k;
    double memory = bytes / (model->read * problem->multiprocessors);
    return reads > memory ? reads : memory;
}

double im_simt_time(const struct im_simt_model *model, const struct im_gemm_problem *problem,
                    enum im_kernel_id id, int32_t parts)
{
    int64_t step = im_kernels[id].step_k;
    int64_t steps = ceiling(ceiling(problem->k, step), parts);
    int64_t blocks = blocks_of(problem, id) * parts;
    double time = im_is_skinny(id) ? skinny_time(model, problem, id, blocks, steps)
                                   : tile_time(model, problem, id, blocks, steps * step);
    time += model->begin;
    if (parts > 1) /* written once, read once */
        time += model->reduce + model->reduce_part * parts +
                8e-3 * (double)problem->m * (double)problem->n * parts /
                    (model->reduce_rate * problem->multiprocessors);
    return time;
}

static int64_t most_parts(const struct im_gemm_problem *problem, enum im_kernel_id id)
{
    int64_t most = problem->k / (im_is_skinny(id) ? im_kernels[id].step_k : PART_K_MIN);
    return most < ISOMAT_PARTS_MAX ? most : ISOMAT_PARTS_MAX;
}

/* The number of parts with the least time.  Candidates fill the multiprocessors a whole number of times,
 * up to twice what lives there, which also bounds the memory for their results. */
static int32_t best_parts(const struct im_gemm_problem *problem, enum im_kernel_id id, double *time)
{
    const struct im_kernel_row *row = &im_kernels[id];
    int64_t blocks = blocks_of(problem, id);
    int64_t together = resident(row, problem->capability);
    int64_t most = most_parts(problem, id);
    int64_t best = 1;
    int64_t last = 1;
    *time = im_simt_time(&im_simt_model, problem, id, 1);
    for (int64_t fill = 1; fill <= 2 * together && last < most; fill++) {
        int64_t parts = problem->multiprocessors * fill / blocks;
        parts = parts < most ? parts : most;
        if (parts <= last)
            continue;
        last = parts;
        double with = im_simt_time(&im_simt_model, problem, id, (int32_t)parts);
        if (with < *time) {
            best = parts;
            *time = with;
        }
    }
    return (int32_t)best;
}

int32_t im_simt_parts_at(const struct im_gemm_problem *problem, enum im_kernel_id id, int fill)
{
    int64_t most = most_parts(problem, id);
    int64_t parts = problem->multiprocessors * (int64_t)fill / blocks_of(problem, id);
    if (fill > 2 * resident(&im_kernels[id], problem->capability))
        return 0;
    parts = parts < most ? parts : most;
    return parts > 1 ? (int32_t)parts : 1;
}

int32_t im_select_parts(const struct im_gemm_problem *problem, enum im_kernel_id id)
{
    double time;
    return best_parts(problem, id, &time);
}

/* Tiles of one layout stand together in the table. */
static int layout_of(const struct im_gemm_problem *problem)
{
    return 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
}

/* The best tile, and the time of a whole product with it. */
static enum im_kernel_id select_tile(const struct im_gemm_problem *problem, double *time_us)
{
    int first = layout_of(problem) * IM_GEMM_TILES;
    int best = 0;
    for (int i = 0; i < IM_GEMM_TILES; i++) {
        double time;
        best_parts(problem, (enum im_kernel_id)(first + i), &time);
        if (i == 0 || time < *time_us) {
            best = i;
            *time_us = time;
        }
    }
    return (enum im_kernel_id)(first + best);
}

/* The first of kernels that stand together, the thinnest first, that holds the thin side. */
static enum im_kernel_id holding(enum im_kernel_id first, int64_t thin)
{
    int id = first;
    while (im_kernels[id].thin < thin)
        id++;
    return (enum im_kernel_id)id;
}

/* The best kernel for a thin product, of at most ISOMAT_TALL_MAX, and its time. */
static enum im_kernel_id select_thin(const struct im_gemm_problem *problem, double *time_us)
{
    bool thin_n = im_is_thin_n(problem->m, problem->n);
    bool by_rows = thin_n ? problem->op_a == ISOMAT_OP_N : problem->op_b == ISOMAT_OP_T;
    int64_t thin = thin_n ? problem->n : problem->m;
    enum im_kernel_id tall =
        holding(by_rows ? IM_KERNEL_SKINNY_tall_rows_1 : IM_KERNEL_SKINNY_tall_cols_1, thin);
    best_parts(problem, tall, time_us);
    if (thin > ISOMAT_SKINNY_MAX)
        return tall;
    double skinny_us;
    enum im_kernel_id skinny = holding(by_rows ? IM_KERNEL_SKINNY_rows_1 : IM_KERNEL_SKINNY_cols_1, thin);
    best_parts(problem, skinny, &skinny_us);
    if (*time_us < skinny_us)
        return tall;
    *time_us = skinny_us;
    return skinny;
}

/* ---------------------------------------- large products on Hopper's CUDA cores */

/* Times on an H200 in microseconds: of a slab of a tile on one multiprocessor, of what a tile costs
 * besides, in slabs, of the launch, and of a transposed operand: its launch and each byte moved. */
#define STRICT_SLAB_US 2.44
#define STRICT_TILE_SLABS 2
#define STRICT_LAUNCH_US 5.0
#define TRANSPOSE_US 2.0
#define TRANSPOSE_BYTE_US (1 / 3.7e6)
/* Where every multiprocessor is busy for long, the other kernels take so much longer than their model,
 * which was fitted to all sizes, says: 2048, 4096, 8192 cubed. */
#define TILE_MODEL_ERROR 1.06

static double transpose_us(int64_t rows, int64_t cols)
{
    return TRANSPOSE_US + 8 * (double)rows * (double)cols * TRANSPOSE_BYTE_US; /* read and written */
}

/* Whether there are tiles enough: of fewer, k would be cut into many parts, which wait for each other. */
int im_can_be_strict(const struct im_gemm_problem *problem)
{
    const struct im_kernel_row *row = &im_kernels[IM_KERNEL_STRICT_SM90];
    int64_t tiles = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    return problem->strict && 2 * tiles >= problem->multiprocessors;
}

static double strict_us(const struct im_gemm_problem *problem)
{
    const struct im_kernel_row *row = &im_kernels[IM_KERNEL_STRICT_SM90];
    int64_t multiprocessors = problem->multiprocessors;
    int64_t tiles = ceiling(problem->m, row->tile_m) * ceiling(problem->n, row->tile_n);
    int64_t slabs = ceiling(problem->k, row->step_k);
    int64_t rounds = ceiling(tiles, multiprocessors);
    double busiest = (double)rounds * (double)(slabs + STRICT_TILE_SLABS);
    if (ISOMAT_GEMM_F32_STRICT_SM90_CUT(tiles, multiprocessors, slabs)) {
        double idle = (double)(rounds * multiprocessors - tiles) / (double)multiprocessors;
        busiest += ISOMAT_GEMM_F32_STRICT_SM90_CUT_COST - idle * (double)slabs;
    }
    double time = STRICT_LAUNCH_US + busiest * STRICT_SLAB_US;
    if (problem->op_a == ISOMAT_OP_N)
        time += transpose_us(problem->m, problem->k);
    if (problem->op_b == ISOMAT_OP_T)
        time += transpose_us(problem->n, problem->k);
    return time;
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

int im_can_split(const struct im_gemm_problem *problem)
{
    return problem->split && problem->k >= ISOMAT_GEMM_F32_SM90_K_MIN && problem->k <= ISOMAT_SPLIT_K_MAX;
}

enum im_kernel_id im_select_gemm(const struct im_gemm_problem *problem)
{
    int64_t thin = problem->m < problem->n ? problem->m : problem->n;
    double thin_us;
    double tile_us;
    double split_us;
    enum im_kernel_id narrow = IM_KERNEL_COUNT;
    if (thin <= ISOMAT_TALL_MAX)
        narrow = select_thin(problem, &thin_us);
    if (thin <= ISOMAT_SKINNY_MAX)
        return narrow;
    enum im_kernel_id tile = select_tile(problem, &tile_us);
    if (thin <= ISOMAT_TALL_MAX && thin_us < tile_us) {
        tile = narrow;
        tile_us = thin_us;
    }
    if (im_can_be_strict(problem) && strict_us(problem) < tile_us * TILE_MODEL_ERROR) {
        tile = IM_KERNEL_STRICT_SM90;
        tile_us = strict_us(problem);
    }
    if (!im_can_split(problem))
        return tile;
    enum im_kernel_id split = select_split(problem, &split_us);
    return split_us < tile_us ? split : tile;
}
