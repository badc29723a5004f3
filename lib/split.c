/* SPDX-License-Identifier: MIT */
/* split.c: the split forms of float32 matrices. */
#include "split.h"

#include "kernels/abi_sm90.h"
#include "launch.h"
#include "tensor_map.h"

#define HALF_BYTES 2

/* Kinds of forms, for the records of those that are kept. */
#define KIND(by_column, planes) ((uint32_t)((by_column) ? 1 : 0) | (uint32_t)(planes) << 1)

struct im_split_operand im_split_operand_a(const struct im_product *product)
{
    return (struct im_split_operand){product->a, product->m, product->op_a == ISOMAT_OP_T};
}

struct im_split_operand im_split_operand_b(const struct im_product *product)
{
    return (struct im_split_operand){product->b, product->n, product->op_b == ISOMAT_OP_N};
}

/* ------------------------------------------------------------------ places */

static int64_t form_bytes(const struct im_split_operand *operand, int planes)
{
    return ISOMAT_SPLIT_BYTES(operand->extent, operand->matrix->rows, operand->matrix->cols, planes);
}

static int32_t find_kept(struct im_split_form *form, const struct im_split_operand *operand, int planes,
                         enum im_kept_policy policy, struct im_stream *stream)
{
    int32_t status = im_kept_get(&form->kept, &form->fresh, operand->matrix, KIND(operand->by_column, planes),
                                 form_bytes(operand, planes), ISOMAT_SPLIT_HEAD_BYTES, policy, stream);
    if (form->kept)
        form->pointer = form->kept->pointer;
    return status;
}

/* ------------------------------------------------------------------ making */

static struct isomat_split_operand split_argument(const struct im_split_operand *operand,
                                                  const struct im_split_form *form, int planes)
{
    const struct im_matrix *matrix = operand->matrix;
    bool vector = matrix->pointer % 16 == 0 && matrix->ld % 4 == 0;
    return (struct isomat_split_operand){
        .source = matrix->pointer,
        .ld = matrix->ld,
        .split = form->pointer,
        .rows = (int32_t)matrix->rows,
        .cols = (int32_t)matrix->cols,
        .flags = (operand->by_column ? ISOMAT_SPLIT_BY_COLUMN : 0) | (vector ? ISOMAT_SPLIT_VECTOR : 0) |
                 (planes == IM_SPLIT_HI ? ISOMAT_SPLIT_HI_ONLY : 0),
        .blocks = (uint32_t)ISOMAT_SPLIT_BLOCKS(matrix->rows, matrix->cols, operand->by_column),
    };
}

/* Makes the fresh ones; one split by columns takes longer and goes first. */
static int32_t launch(const struct im_split_form forms[2], const struct im_split_operand operands[2],
                      int planes, struct im_stream *stream)
{
    struct isomat_split_args arguments = {0};
    struct im_own_launch launch = {0};
    int64_t vectors = 1;
    int place = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2; i++) {
            const struct im_matrix *matrix = operands[i].matrix;
            if (!forms[i].fresh || operands[i].by_column != (pass == 0))
                continue;
            arguments.operand[place] = split_argument(&operands[i], &forms[i], planes);
            launch.blocks += arguments.operand[place++].blocks;
            int64_t needed = ISOMAT_SPLIT_VECTORS(matrix->rows, matrix->cols, operands[i].by_column);
            vectors = needed > vectors ? needed : vectors;
        }
    }
    launch.shared_bytes = (uint32_t)ISOMAT_SPLIT_SHARED_BYTES(vectors);
    return im_launch_own_as(stream, IM_KERNEL_SPLIT, &launch, &arguments);
}

int32_t im_split_get(struct im_split_form forms[2], const struct im_split_operand operands[2], int planes,
                     struct im_workspace *workspace, struct im_stream *stream, bool *submitted)
{
    int32_t status = ISOMAT_OK;
    *submitted = false;
    for (int i = 0; i < 2; i++)
        forms[i] = (struct im_split_form){0};
    for (int i = 0; i < 2 && status == ISOMAT_OK; i++) {
        status = find_kept(&forms[i], &operands[i], planes, IM_KEPT_IF_AGAIN, stream);
        if (status != ISOMAT_OK || forms[i].kept)
            continue;
        forms[i].fresh = true;
        status = im_workspace_reserve(&forms[i].pointer, workspace, i ? IM_WORK_SPLIT_B : IM_WORK_SPLIT_A,
                                      form_bytes(&operands[i], planes), ISOMAT_SPLIT_HEAD_BYTES, stream);
    }
    if (status != ISOMAT_OK || (!forms[0].fresh && !forms[1].fresh))
        return status;
    *submitted = true;
    status = launch(forms, operands, planes, stream);
    for (int i = 0; i < 2 && status == ISOMAT_OK; i++)
        if (forms[i].fresh && forms[i].kept)
            status = im_kept_made(forms[i].kept, stream);
    return status;
}

void im_split_put(struct im_split_form forms[2], int32_t status)
{
    for (int i = 0; i < 2; i++)
        im_kept_put(forms[i].kept, status == ISOMAT_OK || !forms[i].fresh);
}

int32_t im_split_prepare(const struct im_split_operand *operand, int planes, struct im_stream *stream)
{
    struct im_split_form forms[2] = {{0}};
    const struct im_split_operand operands[2] = {*operand, *operand};
    int32_t status = find_kept(&forms[0], operand, planes, IM_KEPT_PREPARE, stream);
    if (status == ISOMAT_OK && forms[0].fresh) {
        status = launch(forms, operands, planes, stream);
        if (status == ISOMAT_OK)
            status = im_kept_made(forms[0].kept, stream);
    }
    im_split_put(forms, status);
    return status;
}

/* --------------------------------------------------------------------- map */

int32_t im_split_map(struct isomat_tensor_map *map, const struct im_split_operand *operand,
                     const struct im_split_form *form, int64_t tile)
{
    const struct im_matrix *matrix = operand->matrix;
    uint64_t boxes = (uint64_t)ISOMAT_SPLIT_BOXES(matrix->cols);
    uint64_t rows = (uint64_t)matrix->rows;
    uint32_t width = (uint32_t)tile;
    struct im_tensor tensor = {
        .address = form->pointer + (uint64_t)ISOMAT_SPLIT_PLANES_OFFSET(operand->extent),
        .dims = {ISOMAT_SPLIT_BOX, rows, boxes, IM_SPLIT_HI_LO},
        .strides_bytes = {(uint64_t)ISOMAT_SPLIT_LD(matrix->cols) * HALF_BYTES, ISOMAT_SPLIT_BOX * HALF_BYTES,
                          (uint64_t)ISOMAT_SPLIT_PLANE_BYTES(matrix->rows, matrix->cols)},
        .box = {ISOMAT_SPLIT_BOX, width, 1, IM_SPLIT_HI_LO},
        .rank = 4,
        .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        .swizzle = CU_TENSOR_MAP_SWIZZLE_128B,
    };
    if (operand->by_column) {
        tensor.box[1] = ISOMAT_SPLIT_BOX;
        tensor.box[2] = width / ISOMAT_SPLIT_BOX;
    }
    return im_tensor_map(map, &tensor);
}
