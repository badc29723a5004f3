/* SPDX-License-Identifier: MIT */
/* gemm_split.c: float32 multiplication by split products on Hopper's tensor cores.
 *
 * Two launches, as kernels/abi_sm90.h tells: split the operands, unless their split forms were
 * kept, and multiply.  No result of theirs comes back to the host. */
#include "gemm_split.h"

#include "finish.h"
#include "gemm_simt.h"
#include "kernels/abi_sm90.h"
#include "launch.h"
#include "split.h"

#define OUTCOME_BYTES 256

bool im_gemm_split_possible(const struct im_context *context)
{
    const struct im_embedded *module = &im_embedded_modules[IM_EMBEDDED_GEMM_F32_SM90];
    return context->limits.capability == 90 && im_cu.kind == ISOMAT_DRIVER_KIND_NVIDIA &&
           im_cu.hopper_launches && module->end > module->begin;
}

static int32_t launch_multiply(const struct im_product *product, enum im_kernel_id id,
                               const struct im_split_operand operands[2], const struct im_split_form forms[2],
                               CUdeviceptr words, struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    int64_t multiprocessors = stream->context->limits.multiprocessors;
    int64_t tiles = ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n);
    int64_t slabs = ISOMAT_SPLIT_BOXES(product->k);
    struct isomat_gemm_f32_sm90_args arguments = {
        .gemm = im_gemm_simt_arguments(product),
        .finish = product->finish,
        .a_split = forms[0].pointer,
        .b_split = forms[1].pointer,
        .outcome = words,
        .flags = words + OUTCOME_BYTES,
        .part_slabs = ISOMAT_GEMM_F32_SM90_PART_SLABS,
        .help_slabs = (int32_t)ISOMAT_GEMM_F32_SM90_HELP_SLABS(tiles, multiprocessors, slabs),
    };
    const struct im_own_launch launch = {
        .blocks = arguments.help_slabs || tiles > multiprocessors ? multiprocessors : tiles,
        .shared_bytes = row->shared_bytes,
        .dependent = true,
    };
    int32_t status = im_split_map(&arguments.a_map, &operands[0], &forms[0], row->tile_m);
    if (status == ISOMAT_OK)
        status = im_split_map(&arguments.b_map, &operands[1], &forms[1], row->wgmma_n);
    return status == ISOMAT_OK ? im_launch_own_as(stream, im_finish_kernel(product, id), &launch, &arguments)
                               : status;
}

static int32_t launch_all(const struct im_product *product, enum im_kernel_id id,
                          struct im_workspace *workspace, struct im_stream *stream, bool *submitted)
{
    const struct im_split_operand operands[2] = {im_split_operand_a(product), im_split_operand_b(product)};
    int64_t bytes = OUTCOME_BYTES + ISOMAT_GEMM_F32_SM90_FLAGS_BYTES(stream->context->limits.multiprocessors);
    struct im_split_form forms[2];
    CUdeviceptr words;
    int32_t status = im_workspace_reserve(&words, workspace, IM_WORK_SM90, bytes, bytes, stream);
    if (status != ISOMAT_OK)
        return status;
    status = im_split_get(forms, operands, IM_SPLIT_HI_LO, workspace, stream, submitted);
    if (status == ISOMAT_OK) {
        *submitted = true;
        status = launch_multiply(product, id, operands, forms, words, stream);
    }
    im_split_put(forms, status);
    return status;
}

int32_t im_gemm_split_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream,
                             bool *submitted)
{
    struct im_workspace *workspace;
    *submitted = false;
    int32_t status = im_workspace_begin(&workspace, stream);
    if (status != ISOMAT_OK)
        return status;
    status = launch_all(product, id, workspace, stream, submitted);
    return im_workspace_end(workspace, status, stream);
}
