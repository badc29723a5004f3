/* SPDX-License-Identifier: MIT */
/* gemm_16.c: multiplication of 16-bit numbers on Hopper's tensor cores.
 *
 * float16 and bfloat16 matrices are read where they are if the tensor copies (TMA) can: an address
 * and rows on multiples of 16 bytes.  Others are copied first.  TF32 multiplies the float16 planes
 * of split forms (kernels/abi_sm90.h). */
#include "gemm_16.h"

#include "elementwise.h"
#include "finish.h"
#include "gemm_simt.h"
#include "kernels/abi_sm90.h"
#include "launch.h"
#include "split.h"
#include "tensor_map.h"

#define OUTCOME_BYTES 256
#define CLUSTER_MAX 2 /* blocks of a tile, each on a multiprocessor */
#define TENSOR_ALIGNMENT 16
#define TENSOR_PITCH_MAX ((int64_t)1 << 40)
#define KIND_PACKED 0x100u /* of kept forms; split.c has the others */

bool im_gemm_16_possible(const struct im_context *context)
{
    const struct im_embedded *module = &im_embedded_modules[IM_EMBEDDED_GEMM_F16_SM90];
    return context->limits.capability == 90 && im_cu.kind == ISOMAT_DRIVER_KIND_NVIDIA &&
           im_cu.hopper_launches && module->end > module->begin &&
           context->limits.multiprocessors >= CLUSTER_MAX;
}

/* --------------------------------------------------------------- operands */

/* An operand as the tensor copies see it, and what of it lies elsewhere. */
struct operand {
    struct im_matrix seen; /* 16 bits an element; only its place and shape are used */
    struct im_kept *kept;
    bool fresh;
};

static int64_t pitch_bytes(const struct im_matrix *matrix)
{
    return matrix->ld * im_element_bytes(matrix->type);
}

/* Whether tensor copies take a matrix where it is; the distance of one row does not matter. */
static bool is_tensor(const struct im_matrix *matrix)
{
    int64_t pitch = pitch_bytes(matrix);
    return matrix->pointer % TENSOR_ALIGNMENT == 0 &&
           (matrix->rows == 1 || (pitch % TENSOR_ALIGNMENT == 0 && pitch < TENSOR_PITCH_MAX));
}

/* The place and shape of a copy whose rows tensor copies take. */
static struct im_matrix packed(const struct im_matrix *matrix, CUdeviceptr pointer)
{
    int64_t elements = TENSOR_ALIGNMENT / im_element_bytes(matrix->type);
    int64_t ld = (matrix->cols + elements - 1) / elements * elements;
    return (struct im_matrix){
        .rows = matrix->rows, .cols = matrix->cols, .ld = ld, .type = matrix->type, .pointer = pointer};
}

static int64_t packed_bytes(const struct im_matrix *matrix)
{
    struct im_matrix copy = packed(matrix, 0);
    return copy.rows * pitch_bytes(&copy);
}

/* Finds a kept copy, or makes room for one in the workspace, and fills it. */
static int32_t pack(struct operand *operand, const struct im_matrix *matrix, enum im_kept_policy policy,
                    struct im_workspace *workspace, enum im_work_buffer buffer, struct im_stream *stream)
{
    CUdeviceptr pointer = 0;
    int64_t bytes = packed_bytes(matrix);
    int32_t status =
        im_kept_get(&operand->kept, &operand->fresh, matrix, KIND_PACKED, bytes, 0, policy, stream);
    if (status != ISOMAT_OK)
        return status;
    if (operand->kept) {
        pointer = operand->kept->pointer;
    } else {
        operand->fresh = true;
        status = im_workspace_reserve(&pointer, workspace, buffer, bytes, 0, stream);
        if (status != ISOMAT_OK)
            return status;
    }
    operand->seen = packed(matrix, pointer);
    if (operand->fresh)
        status = im_copy_launch(&operand->seen, matrix, stream);
    if (status == ISOMAT_OK && operand->fresh && operand->kept)
        status = im_kept_made(operand->kept, stream);
    return status;
}

static int32_t find_operand(struct operand *operand, const struct im_matrix *matrix,
                            struct im_workspace *workspace, enum im_work_buffer buffer,
                            struct im_stream *stream)
{
    *operand = (struct operand){.seen = *matrix};
    if (is_tensor(matrix))
        return ISOMAT_OK;
    return pack(operand, matrix, IM_KEPT_IF_AGAIN, workspace, buffer, stream);
}

static void put_operand(struct operand *operand, int32_t status)
{
    im_kept_put(operand->kept, status == ISOMAT_OK || !operand->fresh);
}

int32_t im_gemm_16_prepare(const struct im_matrix *matrix, struct im_stream *stream)
{
    struct operand operand = {0};
    if (is_tensor(matrix))
        return ISOMAT_OK;
    int32_t status = pack(&operand, matrix, IM_KEPT_PREPARE, NULL, IM_WORK_PACK_A, stream);
    put_operand(&operand, status);
    return status;
}

/* The plane of hi of a split form. */
static struct im_matrix split_plane(const struct im_split_operand *operand, const struct im_split_form *form)
{
    return (struct im_matrix){
        .rows = operand->matrix->rows,
        .cols = operand->matrix->cols,
        .ld = ISOMAT_SPLIT_LD(operand->matrix->cols),
        .type = ISOMAT_TYPE_F16,
        .pointer = form->pointer + (uint64_t)ISOMAT_SPLIT_PLANES_OFFSET(operand->extent),
    };
}

/* ------------------------------------------------------------------- maps */

static int32_t encode_map(struct isomat_tensor_map *map, const struct im_matrix *matrix, int64_t box_cols,
                          int64_t box_rows)
{
    static const CUtensorMapDataType types[] = {
        [ISOMAT_TYPE_F16] = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        [ISOMAT_TYPE_BF16] = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    };
    struct im_matrix one_row = packed(matrix, matrix->pointer);
    int64_t pitch = pitch_bytes(matrix->rows == 1 ? &one_row : matrix);
    const struct im_tensor tensor = {
        .address = matrix->pointer,
        .dims = {(uint64_t)matrix->cols, (uint64_t)matrix->rows},
        .strides_bytes = {(uint64_t)pitch},
        .box = {(uint32_t)box_cols, (uint32_t)box_rows},
        .rank = 2,
        .type = types[matrix->type],
        .swizzle = CU_TENSOR_MAP_SWIZZLE_128B,
    };
    return im_tensor_map(map, &tensor);
}

/* ------------------------------------------------------------------ launch */

/* What a launch needs besides the product. */
struct plan {
    const struct im_kernel_row *row;
    int64_t work, grid; /* what clusters compute at a time; blocks */
    int32_t help_slabs;
};

static struct plan plan_of(const struct im_product *product, enum im_kernel_id id,
                           const struct im_context *context)
{
    const struct im_kernel_row *row = &im_kernels[id];
    int64_t multiprocessors = context->limits.multiprocessors;
    int64_t slabs = ISOMAT_SPLIT_BOXES(product->k);
    struct plan plan = {.row = row};
    plan.work = ISOMAT_GEMM_16_SM90_WORK(product->m, product->n, row->tile_m, row->tile_n, row->cluster);
    plan.help_slabs =
        (int32_t)ISOMAT_GEMM_16_SM90_HELP_SLABS(plan.work, multiprocessors, row->cluster, slabs);
    plan.grid = ISOMAT_GEMM_16_SM90_GRID(plan.work, multiprocessors, row->cluster, plan.help_slabs);
    return plan;
}

/* Words and scratch that blocks meet by, if they do. */
static int32_t reserve(struct isomat_gemm_16_sm90_args *arguments, const struct plan *plan,
                       struct im_workspace *workspace, struct im_stream *stream)
{
    int64_t multiprocessors = stream->context->limits.multiprocessors;
    int64_t bytes = OUTCOME_BYTES + ISOMAT_GEMM_16_SM90_FLAGS_BYTES(multiprocessors);
    CUdeviceptr words = 0, scratch = 0;
    if (!workspace)
        return ISOMAT_OK;
    int32_t status = im_workspace_reserve(&words, workspace, IM_WORK_SM90, bytes, bytes, stream);
    if (status == ISOMAT_OK && plan->help_slabs > 0)
        status = im_workspace_reserve(
            &scratch, workspace, IM_WORK_PARTIAL,
            ISOMAT_GEMM_16_SM90_SCRATCH_BYTES(plan->row->tile_m, plan->row->tile_n, multiprocessors), 0,
            stream);
    arguments->outcome = words;
    arguments->flags = words + OUTCOME_BYTES;
    arguments->scratch = scratch;
    return status;
}

static int32_t launch_multiply(struct isomat_gemm_16_sm90_args *arguments, const struct im_product *product,
                               enum im_kernel_id id, const struct plan *plan, const struct im_matrix *a,
                               const struct im_matrix *b, struct im_stream *stream)
{
    const struct im_kernel_row *row = plan->row;
    int64_t b_width = row->tile_n / row->cluster;
    const struct im_own_launch launch = {
        .blocks = plan->grid,
        .shared_bytes = row->shared_bytes,
        .dependent = true,
    };
    arguments->gemm = im_gemm_simt_arguments(product);
    arguments->finish = product->finish;
    arguments->help_slabs = plan->help_slabs;
    arguments->c_type = (uint32_t)product->c->type;
    int32_t status = encode_map(&arguments->a_map, a, ISOMAT_SPLIT_BOX,
                                product->op_a == ISOMAT_OP_T ? ISOMAT_SPLIT_BOX : row->tile_m);
    if (status == ISOMAT_OK)
        status = encode_map(&arguments->b_map, b, ISOMAT_SPLIT_BOX,
                            product->op_b == ISOMAT_OP_N ? ISOMAT_SPLIT_BOX : b_width);
    return status == ISOMAT_OK ? im_launch_own_as(stream, im_finish_kernel(product, id), &launch, arguments)
                               : status;
}

static int32_t launch_plain(const struct im_product *product, enum im_kernel_id id, const struct plan *plan,
                            struct im_workspace *workspace, struct im_stream *stream, bool *submitted)
{
    struct isomat_gemm_16_sm90_args arguments = {0};
    struct operand a = {0}, b = {0};
    int32_t status = reserve(&arguments, plan, workspace, stream);
    if (status == ISOMAT_OK)
        status = find_operand(&a, product->a, workspace, IM_WORK_PACK_A, stream);
    if (status == ISOMAT_OK)
        status = find_operand(&b, product->b, workspace, IM_WORK_PACK_B, stream);
    if (status == ISOMAT_OK) {
        *submitted = true;
        status = launch_multiply(&arguments, product, id, plan, &a.seen, &b.seen, stream);
    }
    put_operand(&a, status);
    put_operand(&b, status);
    return status;
}

static int32_t launch_split(const struct im_product *product, enum im_kernel_id id, const struct plan *plan,
                            struct im_workspace *workspace, struct im_stream *stream, bool *submitted)
{
    const struct im_split_operand operands[2] = {im_split_operand_a(product), im_split_operand_b(product)};
    struct isomat_gemm_16_sm90_args arguments = {0};
    struct im_split_form forms[2] = {{0}};
    int32_t status = reserve(&arguments, plan, workspace, stream);
    if (status == ISOMAT_OK)
        status = im_split_get(forms, operands, IM_SPLIT_HI, workspace, stream, submitted);
    if (status == ISOMAT_OK) {
        struct im_matrix a = split_plane(&operands[0], &forms[0]);
        struct im_matrix b = split_plane(&operands[1], &forms[1]);
        *submitted = true;
        arguments.a_split = forms[0].pointer;
        arguments.b_split = forms[1].pointer;
        status = launch_multiply(&arguments, product, id, plan, &a, &b, stream);
    }
    im_split_put(forms, status);
    return status;
}

int32_t im_gemm_16_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream,
                          bool *submitted)
{
    struct im_workspace *workspace = NULL;
    struct plan plan = plan_of(product, id, stream->context);
    bool splits = product->compute == ISOMAT_COMPUTE_TF32;
    bool packs = !is_tensor(product->a) || !is_tensor(product->b);
    *submitted = false;
    if (!splits && !packs && plan.help_slabs == 0)
        return launch_plain(product, id, &plan, NULL, stream, submitted);
    int32_t status = im_workspace_begin(&workspace, stream);
    if (status != ISOMAT_OK)
        return status;
    status = splits ? launch_split(product, id, &plan, workspace, stream, submitted)
                    : launch_plain(product, id, &plan, workspace, stream, submitted);
    return im_workspace_end(workspace, status, stream);
}
