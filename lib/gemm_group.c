/* SPDX-License-Identifier: MIT */
/* gemm_group.c: many small float32 products in one launch, on CUDA cores.
 *
 * What lies at equal distances is told by strides; anything else by a table in work memory. */
#include "gemm_group.h"

#include <stdlib.h>

#include "gemm_simt.h"
#include "select.h"
#include "workspace.h"

static void count_in(struct im_group_size *size, const struct im_product *product, int64_t times)
{
    size->m = product->m > size->m ? product->m : size->m;
    size->n = product->n > size->n ? product->n : size->n;
    for (int i = 0; i < IM_GROUP_TILES; i++) {
        const struct im_kernel_row *row = &im_kernels[im_group_tile(size, i)];
        int64_t blocks = times * ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n);
        size->blocks[i] += blocks;
        size->steps[i] += (double)blocks * (double)product->k;
    }
}

static struct im_group_size size_of(const struct im_product *product, const struct im_context *context)
{
    return (struct im_group_size){
        .op_a = product->op_a,
        .op_b = product->op_b,
        .multiprocessors = context->limits.multiprocessors,
        .capability = context->limits.capability,
    };
}

static struct isomat_gemm_args arguments_of(const struct im_product *product)
{
    struct isomat_gemm_args arguments = im_gemm_simt_arguments(product);
    if (product->alpha == 0) /* then A and B are not read */
        arguments.k = 0;
    return arguments;
}

static int64_t tiles_of(const struct im_product *product, enum im_kernel_id id)
{
    return ISOMAT_GEMM_GRID(product->m, product->n, im_kernels[id].tile_m, im_kernels[id].tile_n);
}

static int64_t tiny_blocks(int64_t count)
{
    return (count + ISOMAT_TINY_WARPS - 1) / ISOMAT_TINY_WARPS;
}

int32_t im_gemm_group_launch_strided(const struct im_product *first, const struct im_strides *strides,
                                     int64_t count, struct im_stream *stream)
{
    struct im_group_size size = size_of(first, stream->context);
    struct isomat_group_args arguments = {
        .gemm = arguments_of(first),
        .stride_a = strides->a,
        .stride_b = strides->b,
        .stride_c = strides->c,
        .count = (int32_t)count,
    };
    count_in(&size, first, count);
    enum im_kernel_id id = im_select_group(&size);
    arguments.gemm.flags &= (strides->a % IM_VECTOR_ELEMENTS ? ~ISOMAT_VECTOR_A : ~0u) &
                            (strides->b % IM_VECTOR_ELEMENTS ? ~ISOMAT_VECTOR_B : ~0u) &
                            (strides->c % IM_VECTOR_ELEMENTS ? ~ISOMAT_VECTOR_C : ~0u);
    if (im_is_tiny(id))
        return im_launch_own(stream, id, tiny_blocks(count), &arguments);
    arguments.tiles = (int32_t)tiles_of(first, id);
    return im_launch_own(stream, id, count * arguments.tiles, &arguments);
}

/* ------------------------------------------------------------------- table */

/* What is told of products with a table: its entries, and the launch. */
struct table {
    struct isomat_group_entry *entries;
    int64_t count, blocks;
    enum im_kernel_id id;
};

static int32_t make_table(struct table *table, const struct im_product *products, int64_t count,
                          const struct im_context *context)
{
    struct im_group_size size = size_of(products, context);
    *table = (struct table){.entries = malloc((size_t)count * sizeof *table->entries)};
    if (!table->entries)
        return IM_OUT_OF_HOST_MEMORY("a table of products");
    for (int64_t i = 0; i < count; i++)
        if (products[i].m > 0 && products[i].n > 0)
            count_in(&size, &products[i], 1);
    table->id = im_select_group(&size);
    for (int64_t i = 0; i < count; i++) {
        if (products[i].m == 0 || products[i].n == 0)
            continue;
        table->entries[table->count++] = (struct isomat_group_entry){
            .gemm = arguments_of(&products[i]),
            .first_block = table->blocks,
        };
        table->blocks += tiles_of(&products[i], table->id);
    }
    if (im_is_tiny(table->id))
        table->blocks = tiny_blocks(table->count);
    return ISOMAT_OK;
}

static int32_t launch_table(const struct table *table, struct im_workspace *workspace,
                            struct im_stream *stream, bool *submitted)
{
    struct isomat_group_args arguments = {.gemm = table->entries[0].gemm, .count = (int32_t)table->count};
    int64_t bytes = table->count * (int64_t)sizeof *table->entries;
    CUdeviceptr place;
    int32_t status = im_workspace_reserve(&place, workspace, IM_WORK_TABLE, bytes, 0, stream);
    if (status != ISOMAT_OK)
        return status;
    *submitted = true;
    arguments.table = place;
    status = im_workspace_fill_table(workspace, table->entries, bytes, stream);
    return status == ISOMAT_OK ? im_launch_own(stream, table->id, table->blocks, &arguments) : status;
}

int32_t im_gemm_group_launch(const struct im_product *products, int64_t count, struct im_stream *stream,
                             bool *submitted)
{
    struct im_workspace *workspace;
    struct table table;
    *submitted = false;
    int32_t status = make_table(&table, products, count, stream->context);
    if (status == ISOMAT_OK && table.count > 0) {
        status = im_workspace_begin(&workspace, stream);
        if (status == ISOMAT_OK)
            status = im_workspace_end(workspace, launch_table(&table, workspace, stream, submitted), stream);
    }
    free(table.entries);
    return status;
}
