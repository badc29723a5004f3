/* SPDX-License-Identifier: MIT */
/* select_group.c: which kernel multiplies many matrices at once. */
#include "select.h"

#include "isomat.h"

static int layout_of(const struct im_group_size *size)
{
    return 2 * (size->op_a == ISOMAT_OP_T) + (size->op_b == ISOMAT_OP_T);
}

enum im_kernel_id im_group_tile(const struct im_group_size *size, int tile)
{
    return (enum im_kernel_id)(IM_KERNEL_GROUP_nn_128x128x16 + layout_of(size) * IM_GROUP_TILES + tile);
}

/* As for a single product (select.c): the busiest multiprocessor's blocks, one with the mean of all k. */
static double estimate(const struct im_group_size *size, int tile)
{
    static const int same[IM_GROUP_TILES] = {0, 2, 4}; /* tiles of im_simt_model */
    const struct im_kernel_row *row = &im_kernels[im_group_tile(size, tile)];
    const struct im_simt_model *model = &im_simt_model;
    double blocks = (double)size->blocks[tile];
    double busiest = (double)((size->blocks[tile] + size->multiprocessors - 1) / size->multiprocessors);
    double rate =
        busiest < row->blocks_per_sm ? model->tiles[same[tile]].single : model->tiles[same[tile]].full;
    return busiest * row->tile_m * row->tile_n * (size->steps[tile] / blocks + model->block_k) / rate;
}

enum im_kernel_id im_select_group(const struct im_group_size *size)
{
    int best = 0;
    int64_t larger = size->m > size->n ? size->m : size->n;
    if (larger <= ISOMAT_TINY_MAX)
        return (enum im_kernel_id)(IM_KERNEL_TINY_nn_16 + 2 * layout_of(size) +
                                   (larger > im_kernels[IM_KERNEL_TINY_nn_16].tile_m));
    for (int i = 1; i < IM_GROUP_TILES; i++)
        if (estimate(size, i) < estimate(size, best))
            best = i;
    return im_group_tile(size, best);
}
