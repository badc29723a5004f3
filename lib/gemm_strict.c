/* SPDX-License-Identifier: MIT */
/* gemm_strict.c: large float32 multiplication on Hopper's CUDA cores.
 *
 * The kernel takes op(A)^T and op(B), k along the rows, on addresses and rows that tensor copies
 * (TMA) take.  An operand that is stored so is read where it is; of any other a copy is made, a
 * transposed one if need be, and kept for the next time. */
#include "gemm_strict.h"

#include "elementwise.h"
#include "finish.h"
#include "gemm_simt.h"
#include "kept.h"
#include "kernels/abi_sm90.h"
#include "launch.h"
#include "tensor_map.h"
#include "workspace.h"

#define OUTCOME_BYTES 256 /* of the words that all Hopper kernels share */
#define TENSOR_ALIGNMENT 16
#define TENSOR_PITCH_MAX ((int64_t)1 << 40)
#define KIND_COPY 0x200u /* of kept forms; split.c and gemm_16.c have the others */
#define KIND_TRANSPOSED 0x201u

bool im_gemm_strict_possible(const struct im_context *context)
{
    const struct im_embedded *module = &im_embedded_modules[IM_EMBEDDED_GEMM_F32_STRICT_SM90];
    return context->limits.capability == 90 && im_cu.kind == ISOMAT_DRIVER_KIND_NVIDIA &&
           im_cu.hopper_launches && module->end > module->begin;
}

/* --------------------------------------------------------------- operands */

/* An operand as the kernel sees it, and what of it lies elsewhere. */
struct operand {
    struct im_matrix seen; /* k rows; only its place and shape are used */
    struct im_kept *kept;
    bool fresh;
};

static int64_t pitch_bytes(const struct im_matrix *matrix)
{
    return matrix->ld * (int64_t)sizeof(float);
}

static bool is_tensor(const struct im_matrix *matrix)
{
    int64_t pitch = pitch_bytes(matrix);
    return matrix->pointer % TENSOR_ALIGNMENT == 0 && pitch % TENSOR_ALIGNMENT == 0 &&
           pitch < TENSOR_PITCH_MAX;
}

static struct im_matrix copy_of(const struct im_matrix *matrix, bool transposed, CUdeviceptr pointer)
{
    int64_t cols = transposed ? matrix->rows : matrix->cols;
    return (struct im_matrix){
        .rows = transposed ? matrix->cols : matrix->rows,
        .cols = cols,
        .ld = (cols + IM_VECTOR_ELEMENTS - 1) / IM_VECTOR_ELEMENTS * IM_VECTOR_ELEMENTS,
        .type = matrix->type,
        .pointer = pointer,
    };
}

static int32_t transpose(const struct im_matrix *to, const struct im_matrix *from, struct im_stream *stream)
{
    const struct isomat_transpose_args arguments = {
        .dst = to->pointer,
        .src = from->pointer,
        .ld_dst = to->ld,
        .ld_src = from->ld,
        .rows = (int32_t)from->rows,
        .cols = (int32_t)from->cols,
        .flags = im_matrix_vector(from) ? ISOMAT_VECTOR_A : 0,
    };
    const struct im_own_launch launch = {
        .blocks = ISOMAT_TRANSPOSE_GRID(from->rows, from->cols),
        .dependent = true,
    };
    return im_launch_own_as(stream, IM_KERNEL_TRANSPOSE, &launch, &arguments);
}

/* Finds a kept copy, or makes room for one in the workspace, and fills it. */
static int32_t find_copy(struct operand *operand, struct im_matrix *matrix, bool transposed,
                         struct im_workspace *workspace, enum im_work_buffer buffer, struct im_stream *stream)
{
    struct im_matrix copy = copy_of(matrix, transposed, 0);
    int64_t bytes = copy.rows * pitch_bytes(&copy);
    int32_t status =
        im_kept_get(&operand->kept, &operand->fresh, matrix, transposed ? KIND_TRANSPOSED : KIND_COPY, bytes,
                    0, IM_KEPT_IF_AGAIN, stream);
    if (status != ISOMAT_OK)
        return status;
    if (operand->kept) {
        copy.pointer = operand->kept->pointer;
    } else {
        operand->fresh = true;
        status = im_workspace_reserve(&copy.pointer, workspace, buffer, bytes, 0, stream);
        if (status != ISOMAT_OK)
            return status;
    }
    operand->seen = copy;
    if (!operand->fresh)
        return ISOMAT_OK;
    status = transposed ? transpose(&copy, matrix, stream) : im_copy_launch(&operand->seen, matrix, stream);
    return status == ISOMAT_OK && operand->kept ? im_kept_made(operand->kept, stream) : status;
}

static int32_t find_operand(struct operand *operand, struct im_matrix *matrix, bool transposed,
                            struct im_workspace *workspace, enum im_work_buffer buffer,
                            struct im_stream *stream)
{
    operand->seen = *matrix;
    if (!transposed && is_tensor(matrix))
        return ISOMAT_OK;
    return find_copy(operand, matrix, transposed, workspace, buffer, stream);
}

static void put_operand(struct operand *operand, int32_t status)
{
    im_kept_put(operand->kept, status == ISOMAT_OK || !operand->fresh);
}

/* ------------------------------------------------------------------ launch */

static int32_t encode_map(struct isomat_tensor_map *map, const struct im_matrix *matrix, uint32_t box_cols)
{
    const struct im_tensor tensor = {
        .address = matrix->pointer,
        .dims = {(uint64_t)matrix->cols, (uint64_t)matrix->rows},
        .strides_bytes = {(uint64_t)pitch_bytes(matrix)},
        .box = {box_cols, ISOMAT_GEMM_F32_STRICT_SM90_SLAB},
        .rank = 2,
        .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        .swizzle = CU_TENSOR_MAP_SWIZZLE_NONE,
    };
    return im_tensor_map(map, &tensor);
}

static int32_t launch_multiply(const struct im_product *product, const struct im_matrix *a,
                               const struct im_matrix *b, CUdeviceptr words, struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[IM_KERNEL_STRICT_SM90];
    int64_t multiprocessors = stream->context->limits.multiprocessors;
    int64_t tiles = ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n);
    int64_t slabs = (product->k + row->step_k - 1) / row->step_k;
    struct isomat_gemm_f32_strict_sm90_args arguments = {
        .gemm = im_gemm_simt_arguments(product),
        .finish = product->finish,
        .flags = words + OUTCOME_BYTES,
        .cut = ISOMAT_GEMM_F32_STRICT_SM90_CUT(tiles, multiprocessors, slabs),
    };
    const struct im_own_launch launch = {
        .blocks = arguments.cut || tiles > multiprocessors ? multiprocessors : tiles,
        .shared_bytes = row->shared_bytes,
        .dependent = true,
    };
    int32_t status = encode_map(&arguments.a_map, a, ISOMAT_GEMM_F32_STRICT_SM90_BM);
    if (status == ISOMAT_OK)
        status = encode_map(&arguments.b_map, b, ISOMAT_GEMM_F32_STRICT_SM90_BN);
    return status == ISOMAT_OK ? im_launch_own_as(stream, im_finish_kernel(product, IM_KERNEL_STRICT_SM90),
                                                  &launch, &arguments)
                               : status;
}

static int32_t launch_all(const struct im_product *product, struct im_workspace *workspace,
                          struct im_stream *stream, bool *submitted)
{
    int64_t bytes =
        OUTCOME_BYTES + ISOMAT_GEMM_F32_STRICT_SM90_FLAGS_BYTES(stream->context->limits.multiprocessors);
    struct operand a = {0}, b = {0};
    CUdeviceptr words;
    int32_t status = im_workspace_reserve(&words, workspace, IM_WORK_SM90, bytes, bytes, stream);
    if (status == ISOMAT_OK)
        status =
            find_operand(&a, product->a, product->op_a == ISOMAT_OP_N, workspace, IM_WORK_PACK_A, stream);
    if (status == ISOMAT_OK)
        status =
            find_operand(&b, product->b, product->op_b == ISOMAT_OP_T, workspace, IM_WORK_PACK_B, stream);
    if (status == ISOMAT_OK) {
        *submitted = true;
        status = launch_multiply(product, &a.seen, &b.seen, words, stream);
    }
    put_operand(&a, status);
    put_operand(&b, status);
    return status;
}

int32_t im_gemm_strict_launch(const struct im_product *product, struct im_stream *stream, bool *submitted)
{
    struct im_workspace *workspace;
    *submitted = false;
    int32_t status = im_workspace_begin(&workspace, stream);
    if (status != ISOMAT_OK)
        return status;
    status = launch_all(product, workspace, stream, submitted);
    return im_workspace_end(workspace, status, stream);
}
