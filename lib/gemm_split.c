/* SPDX-License-Identifier: MIT */
/* gemm_split.c: float32 multiplication by split products on Hopper's tensor cores.
 *
 * Three launches, as kernels/abi_sm90.h tells: split the operands, multiply, and
 * a strict kernel that does the work only where the second left it alone.  No
 * result of theirs comes back to the host.
 *
 * The split forms lie in work memory that the context keeps.  It is used by one
 * product after another; one on another stream waits for the one before. */
#include "gemm_split.h"

#include <stdlib.h>

#include "gemm_simt.h"
#include "kernels/abi_sm90.h"
#include "memory.h"

#define GATE_BYTES 256
#define PLANES 2 /* hi and lo */
#define HALF_BYTES 2

_Static_assert(sizeof(struct isomat_tensor_map) == sizeof(CUtensorMap), "the kernels take the driver's maps");

/* Memory that grows, the first bytes of which are zero when it is new. */
struct buffer {
    CUdeviceptr pointer;
    int64_t bytes;
};

struct im_workspace {
    struct im_attachment attachment;
    struct im_context *context;
    pthread_mutex_t lock;
    CUevent done; /* behind the last product that used it */
    struct buffer a, b;
    struct buffer flags; /* gate and flags of the kernel */
};

bool im_gemm_split_possible(const struct im_context *context)
{
    const struct im_embedded *module = &im_embedded_modules[IM_EMBEDDED_GEMM_F32_SM90];
    return context->limits.capability == 90 && im_cu.kind == ISOMAT_DRIVER_KIND_NVIDIA &&
           im_cu.hopper_launches && module->end > module->begin;
}

/* --------------------------------------------------------------- workspace */

static void free_buffers(struct im_workspace *workspace)
{
    struct buffer *buffers[] = {&workspace->a, &workspace->b, &workspace->flags};
    for (int i = 0; i < 3; i++) {
        if (buffers[i]->pointer)
            im_memory_free(buffers[i]->pointer, &workspace->context->default_stream);
        *buffers[i] = (struct buffer){0};
    }
}

/* The context is synchronised; memory in use at this moment is left alone. */
static void trim(struct im_attachment *attachment)
{
    struct im_workspace *workspace = (struct im_workspace *)attachment;
    if (pthread_mutex_trylock(&workspace->lock) != 0)
        return;
    free_buffers(workspace);
    pthread_mutex_unlock(&workspace->lock);
}

static void detach(struct im_attachment *attachment, bool reachable)
{
    struct im_workspace *workspace = (struct im_workspace *)attachment;
    if (reachable) {
        free_buffers(workspace);
        IM_CALL_QUIETLY(cuEventDestroy, workspace->done);
    }
    pthread_mutex_destroy(&workspace->lock);
    free(workspace);
}

/* The context's workspace, created when first asked for. */
static int32_t get_workspace(struct im_workspace **workspace, struct im_context *context)
{
    int32_t status = ISOMAT_OK;
    *workspace = context->workspace;
    if (*workspace)
        return ISOMAT_OK;
    pthread_mutex_lock(&context->load_lock);
    *workspace = context->workspace;
    if (!*workspace) {
        struct im_workspace *created = calloc(1, sizeof *created);
        status = created ? IM_CALL(cuEventCreate, &created->done, CU_EVENT_DISABLE_TIMING)
                         : IM_OUT_OF_HOST_MEMORY("a workspace");
        if (status == ISOMAT_OK) {
            created->attachment = (struct im_attachment){context->attachments, detach, trim};
            created->context = context;
            pthread_mutex_init(&created->lock, NULL);
            context->attachments = &created->attachment;
            context->workspace = *workspace = created;
        } else {
            free(created);
        }
    }
    pthread_mutex_unlock(&context->load_lock);
    return status;
}

/* Makes a buffer hold so many bytes, of which the first are zero when it is new. */
static int32_t reserve(struct buffer *buffer, int64_t bytes, int64_t zero_bytes, struct im_stream *stream)
{
    if (buffer->bytes >= bytes)
        return ISOMAT_OK;
    struct buffer larger = {.bytes = bytes};
    int32_t status = im_memory_allocate(&larger.pointer, bytes, stream);
    if (status != ISOMAT_OK)
        return status;
    status = IM_CALL(cuMemsetD8Async, larger.pointer, 0, (size_t)zero_bytes, stream->cu);
    if (status == ISOMAT_OK && buffer->pointer)
        status = im_memory_free(buffer->pointer, stream);
    if (status != ISOMAT_OK) {
        im_memory_free(larger.pointer, stream);
        return status;
    }
    *buffer = larger;
    return ISOMAT_OK;
}

/* ------------------------------------------------------------- split forms */

/* One operand: the matrix, and how its split form lies. */
struct operand {
    const struct im_matrix *matrix;
    int64_t extent; /* rows of op(A), columns of op(B) */
    bool by_column; /* one scale for each stored column */
    int64_t tile;   /* rows or columns of a block's tile that one copy brings */
    struct buffer *split;
};

static int64_t split_bytes(const struct operand *operand)
{
    return ISOMAT_SPLIT_BYTES(operand->extent, operand->matrix->rows, operand->matrix->cols);
}

static struct isomat_split_operand split_argument(const struct operand *operand)
{
    const struct im_matrix *matrix = operand->matrix;
    bool vector = matrix->pointer % 16 == 0 && matrix->ld % 4 == 0;
    return (struct isomat_split_operand){
        .source = matrix->pointer,
        .ld = matrix->ld,
        .split = operand->split->pointer,
        .rows = (int32_t)matrix->rows,
        .cols = (int32_t)matrix->cols,
        .flags = (operand->by_column ? ISOMAT_SPLIT_BY_COLUMN : 0) | (vector ? ISOMAT_SPLIT_VECTOR : 0),
        .blocks = (uint32_t)ISOMAT_SPLIT_BLOCKS(matrix->rows, matrix->cols, operand->by_column),
    };
}

/* Splits both; the one split by columns takes longer and goes first. */
static int32_t launch_split(const struct operand *a, const struct operand *b, struct im_stream *stream)
{
    const struct operand *first = a->by_column ? a : b;
    const struct operand *second = first == a ? b : a;
    struct isomat_split_args arguments = {{split_argument(first), split_argument(second)}};
    int64_t vectors_a = ISOMAT_SPLIT_VECTORS(a->matrix->rows, a->matrix->cols, a->by_column);
    int64_t vectors_b = ISOMAT_SPLIT_VECTORS(b->matrix->rows, b->matrix->cols, b->by_column);
    int64_t vectors = vectors_a > vectors_b ? vectors_a : vectors_b;
    const struct im_own_launch launch = {
        .blocks = (int64_t)arguments.operand[0].blocks + arguments.operand[1].blocks,
        .shared_bytes = (uint32_t)ISOMAT_SPLIT_SHARED_BYTES(vectors),
    };
    return im_launch_own_as(stream, IM_KERNEL_SPLIT, &launch, &arguments);
}

/* The map by which the tensor copies of one operand find its planes. */
static int32_t encode_map(struct isomat_tensor_map *map, const struct operand *operand)
{
    const struct im_matrix *matrix = operand->matrix;
    uint64_t boxes = (uint64_t)ISOMAT_SPLIT_BOXES(matrix->cols);
    uint64_t rows = (uint64_t)matrix->rows;
    uint64_t row_bytes = ISOMAT_SPLIT_BOX * HALF_BYTES;
    uint32_t width = (uint32_t)operand->tile;
    const cuuint64_t dims[] = {ISOMAT_SPLIT_BOX, rows, boxes, PLANES};
    const cuuint64_t strides[] = {row_bytes, rows * row_bytes, boxes * rows * row_bytes};
    const cuuint32_t along_cols[] = {ISOMAT_SPLIT_BOX, width, 1, PLANES};
    const cuuint32_t along_rows[] = {ISOMAT_SPLIT_BOX, ISOMAT_SPLIT_BOX, width / ISOMAT_SPLIT_BOX, PLANES};
    const cuuint32_t steps[] = {1, 1, 1, 1};
    CUdeviceptr planes = operand->split->pointer + (uint64_t)ISOMAT_SPLIT_PLANES_OFFSET(operand->extent);
    return IM_CALL(cuTensorMapEncodeTiled, (CUtensorMap *)map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4,
                   (void *)(uintptr_t)planes, dims, strides, operand->by_column ? along_rows : along_cols,
                   steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* ------------------------------------------------------------------ launch */

static int32_t launch_multiply(const struct im_product *product, enum im_kernel_id id,
                               const struct operand *a, const struct operand *b, CUdeviceptr gate,
                               struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    int64_t multiprocessors = stream->context->limits.multiprocessors;
    int64_t tiles = ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n);
    int64_t slabs = ISOMAT_SPLIT_BOXES(product->k);
    struct isomat_gemm_f32_sm90_args arguments = {
        .a_split = a->split->pointer,
        .b_split = b->split->pointer,
        .c = product->c->pointer,
        .gate = gate,
        .flags = gate + GATE_BYTES,
        .ldc = product->c->ld,
        .m = (int32_t)product->m,
        .n = (int32_t)product->n,
        .k = (int32_t)product->k,
        .part_slabs = ISOMAT_GEMM_F32_SM90_PART_SLABS,
        .help_slabs = (int32_t)ISOMAT_GEMM_F32_SM90_HELP_SLABS(tiles, multiprocessors, slabs),
        .alpha = product->alpha,
        .beta = product->beta,
    };
    const struct im_own_launch launch = {
        .blocks = arguments.help_slabs || tiles > multiprocessors ? multiprocessors : tiles,
        .shared_bytes = row->shared_bytes,
        .dependent = true,
    };
    int32_t status = encode_map(&arguments.a_map, a);
    if (status == ISOMAT_OK)
        status = encode_map(&arguments.b_map, b);
    return status == ISOMAT_OK ? im_launch_own_as(stream, id, &launch, &arguments) : status;
}

/* The exact way, for what the gate leaves to it. */
static int32_t launch_gated(const struct im_product *product, CUdeviceptr gate, struct im_stream *stream)
{
    enum im_kernel_id id = (enum im_kernel_id)(IM_KERNEL_GATED_nn + 2 * product->op_a + product->op_b);
    const struct im_kernel_row *row = &im_kernels[id];
    struct isomat_gated_gemm_args arguments = {im_gemm_simt_arguments(product), gate};
    int64_t tiles = ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n);
    int64_t resident = (int64_t)stream->context->limits.multiprocessors * row->blocks_per_sm;
    const struct im_own_launch launch = {
        .blocks = tiles < resident ? tiles : resident,
        .shared_bytes = row->shared_bytes,
        .dependent = true,
    };
    return im_launch_own_as(stream, id, &launch, &arguments);
}

static int32_t reserve_all(const struct operand *a, const struct operand *b, struct im_workspace *workspace,
                           struct im_stream *stream)
{
    int64_t flags_bytes =
        GATE_BYTES + ISOMAT_GEMM_F32_SM90_FLAGS_BYTES(stream->context->limits.multiprocessors);
    int32_t status = IM_CALL(cuStreamWaitEvent, stream->cu, workspace->done, 0);
    if (status == ISOMAT_OK)
        status = reserve(&workspace->a, split_bytes(a), ISOMAT_SPLIT_HEAD_BYTES, stream);
    if (status == ISOMAT_OK)
        status = reserve(&workspace->b, split_bytes(b), ISOMAT_SPLIT_HEAD_BYTES, stream);
    if (status == ISOMAT_OK)
        status = reserve(&workspace->flags, flags_bytes, flags_bytes, stream);
    return status;
}

static int32_t launch_all(const struct im_product *product, enum im_kernel_id id,
                          struct im_workspace *workspace, struct im_stream *stream, bool *submitted)
{
    const struct operand a = {product->a, product->m, product->op_a == ISOMAT_OP_T, im_kernels[id].tile_m,
                              &workspace->a};
    const struct operand b = {product->b, product->n, product->op_b == ISOMAT_OP_N, im_kernels[id].wgmma_n,
                              &workspace->b};
    int32_t status = reserve_all(&a, &b, workspace, stream);
    if (status == ISOMAT_OK) {
        *submitted = true;
        status = launch_split(&a, &b, stream);
    }
    if (status == ISOMAT_OK)
        status = launch_multiply(product, id, &a, &b, workspace->flags.pointer, stream);
    if (status == ISOMAT_OK)
        status = launch_gated(product, workspace->flags.pointer, stream);
    /* Also after a failure: what was submitted of it uses the workspace. */
    int32_t recorded = IM_CALL(cuEventRecord, workspace->done, stream->cu);
    return status == ISOMAT_OK ? recorded : status;
}

int32_t im_gemm_split_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream,
                             bool *submitted)
{
    struct im_workspace *workspace;
    *submitted = false;
    int32_t status = get_workspace(&workspace, stream->context);
    if (status != ISOMAT_OK)
        return status;
    pthread_mutex_lock(&workspace->lock);
    status = launch_all(product, id, workspace, stream, submitted);
    pthread_mutex_unlock(&workspace->lock);
    return status;
}
