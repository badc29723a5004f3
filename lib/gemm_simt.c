/* SPDX-License-Identifier: MIT */
/* gemm_simt.c: multiplication on CUDA cores.
 *
 * Where tiles are few and k is long, k is cut into parts that are multiplied side by side into
 * work memory, and a second kernel adds them up in a fixed order. */
#include "gemm_simt.h"

#include "finish.h"
#include "module.h"
#include "recall.h"
#include "workspace.h"

struct isomat_gemm_args im_gemm_simt_arguments(const struct im_product *product)
{
    return (struct isomat_gemm_args){
        .a = product->a->pointer,
        .b = product->b->pointer,
        .c = product->c->pointer,
        .lda = product->a->ld,
        .ldb = product->b->ld,
        .ldc = product->c->ld,
        .m = (int32_t)product->m,
        .n = (int32_t)product->n,
        .k = (int32_t)product->k,
        .flags = (im_matrix_vector(product->a) ? ISOMAT_VECTOR_A : 0) |
                 (im_matrix_vector(product->b) ? ISOMAT_VECTOR_B : 0) |
                 (im_matrix_vector(product->c) ? ISOMAT_VECTOR_C : 0),
        .alpha = (float)product->alpha,
        .beta = (float)product->beta,
    };
}

static int32_t launch_tiled(const struct im_product *product, enum im_kernel_id id, const struct im_cut *cut,
                            struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    struct isomat_gemm_parts_args arguments = {.gemm = im_gemm_simt_arguments(product), .parts = cut->parts};
    int64_t blocks = ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n);
    if (cut->parts > 1) {
        arguments.gemm.c = cut->work;
        arguments.gemm.ldc = cut->ld;
        arguments.gemm.flags |= ISOMAT_VECTOR_C;
        arguments.gemm.alpha = 1;
        arguments.gemm.beta = 0;
        arguments.c_part = cut->part;
    } else {
        arguments.finish = product->finish;
    }
    return im_launch_own(stream, id, blocks * cut->parts, &arguments);
}

/* The large operand is X and the thin one Y: for a thin N they are op(A) and
 * op(B), for a thin M their transposes, and the result likewise (abi.h). */
static int32_t launch_skinny(const struct im_product *product, enum im_kernel_id id, const struct im_cut *cut,
                             struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    bool thin_n = im_is_thin_n(product->m, product->n);
    bool whole = cut->parts == 1;
    const struct im_matrix *x = thin_n ? product->a : product->b;
    const struct im_matrix *y = thin_n ? product->b : product->a;
    bool y_k_is_rows = thin_n ? !product->op_b : product->op_a; /* k runs down Y's stored rows */
    int64_t z_ld = whole ? product->c->ld : cut->ld;
    struct isomat_skinny_args arguments = {
        .x = x->pointer,
        .y = y->pointer,
        .z = whole ? product->c->pointer : cut->work,
        .ldx = x->ld,
        .y_k = y_k_is_rows ? y->ld : 1,
        .y_s = y_k_is_rows ? 1 : y->ld,
        .z_r = thin_n ? z_ld : 1,
        .z_s = thin_n ? 1 : z_ld,
        .r = (int32_t)(thin_n ? product->m : product->n),
        .s = (int32_t)(thin_n ? product->n : product->m),
        .k = (int32_t)product->k,
        .flags = im_matrix_vector(x) ? ISOMAT_VECTOR_A : 0,
        .alpha = whole ? (float)product->alpha : 1,
        .beta = whole ? (float)product->beta : 0,
        .z_part = cut->part,
        .parts = cut->parts,
        .transposed = !thin_n,
    };
    if (whole)
        arguments.finish = product->finish;
    int64_t blocks = ISOMAT_SKINNY_GRID(arguments.r, row->rows_per_block);
    return im_launch_own(stream, id, blocks * cut->parts, &arguments);
}

static int32_t launch(const struct im_product *product, enum im_kernel_id id, const struct im_cut *cut,
                      struct im_stream *stream)
{
    return im_is_skinny(id) ? launch_skinny(product, id, cut, stream)
                            : launch_tiled(product, id, cut, stream);
}

/* ---------------------------------------------------------- k in parts */

/* Whether the sum may begin before the parts end: whether its image knows how to wait for them. */
static int32_t find_dependent(bool *dependent, enum im_kernel_id reduce, struct im_context *context)
{
    CUfunction function;
    int32_t status = im_module_own_kernel(&function, context, reduce);
    *dependent = status == ISOMAT_OK && context->limits.capability >= 90 && im_cu.hopper_launches &&
                 context->embedded[im_kernels[reduce].module]->info.image_arch >= 90;
    return status;
}

static int32_t launch_reduce(const struct im_product *product, const struct im_cut *cut, bool dependent,
                             struct im_stream *stream)
{
    const struct isomat_reduce_f64_args in_f64 = {
        .c = product->c->pointer,
        .w = cut->work,
        .ldc = product->c->ld,
        .w_ld = cut->ld,
        .w_part = cut->part,
        .m = (int32_t)product->m,
        .n = (int32_t)product->n,
        .parts = cut->parts,
        .flags = im_matrix_vector(product->c) ? ISOMAT_VECTOR_C : 0,
        .alpha = product->alpha,
        .beta = product->beta,
        .finish = product->finish,
    };
    const struct isomat_reduce_args in_f32 = {
        .c = in_f64.c,
        .w = in_f64.w,
        .ldc = in_f64.ldc,
        .w_ld = in_f64.w_ld,
        .w_part = in_f64.w_part,
        .m = in_f64.m,
        .n = in_f64.n,
        .parts = in_f64.parts,
        .flags = in_f64.flags,
        .alpha = (float)in_f64.alpha,
        .beta = (float)in_f64.beta,
        .finish = in_f64.finish,
    };
    const struct im_own_launch reduce = {
        .blocks = ISOMAT_REDUCE_GRID(product->m, product->n, cut->parts),
        .dependent = dependent,
    };
    if (product->compute == ISOMAT_COMPUTE_F64)
        return im_launch_own_as(stream, IM_KERNEL_REDUCE_F64, &reduce, &in_f64);
    return im_launch_own_as(stream, IM_KERNEL_REDUCE, &reduce, &in_f32);
}

int32_t im_gemm_launch_no_parts(const struct im_product *product, struct im_stream *stream)
{
    const struct im_cut none = {0};
    struct im_product sums = *product;
    if (ISOMAT_REDUCE_QUADS(product->m, product->n) > INT32_MAX)
        return im_fail(ISOMAT_ERROR_UNSUPPORTED,
                       "gemm: an epilogue of nothing for %lld x %lld elements: more than 2^33",
                       (long long)product->m, (long long)product->n);
    sums.finish = im_finish_of(product);
    return launch_reduce(&sums, &none, false, stream);
}

/* If there is no room for the parts, OUT_OF_DEVICE_MEMORY and *submitted is false. */
static int32_t launch_parts(const struct im_product *product, enum im_kernel_id id, int32_t parts,
                            im_cut_launch *launch_cut, struct im_stream *stream, bool *submitted)
{
    enum im_kernel_id reduce =
        product->compute == ISOMAT_COMPUTE_F64 ? IM_KERNEL_REDUCE_F64 : IM_KERNEL_REDUCE;
    struct im_workspace *workspace;
    struct im_cut cut = {.parts = parts, .ld = (product->n + 3) / 4 * 4};
    bool dependent;
    *submitted = false;
    cut.part = product->m * cut.ld;
    int32_t status = find_dependent(&dependent, reduce, stream->context);
    if (status == ISOMAT_OK)
        status = im_workspace_begin(&workspace, stream);
    if (status != ISOMAT_OK)
        return status;
    status = im_workspace_reserve(&cut.work, workspace, IM_WORK_PARTIAL,
                                  parts * cut.part * im_element_bytes(product->c->type), 0, stream);
    if (status == ISOMAT_OK) {
        *submitted = true;
        status = launch_cut(product, id, &cut, stream);
    }
    if (status == ISOMAT_OK)
        status = launch_reduce(product, &cut, dependent, stream);
    return im_workspace_end(workspace, status, stream);
}

static int32_t parts_for(const struct im_product *product, enum im_kernel_id id,
                         const struct im_context *context)
{
    const struct im_gemm_problem problem = {
        .m = product->m,
        .n = product->n,
        .k = product->k,
        .op_a = product->op_a,
        .op_b = product->op_b,
        .multiprocessors = context->limits.multiprocessors,
        .capability = context->limits.capability,
    };
    return im_recall_parts(&problem, id);
}

int32_t im_gemm_launch_cut(const struct im_product *product, enum im_kernel_id id, int32_t parts,
                           im_cut_launch *launch_cut, struct im_stream *stream)
{
    const struct im_cut whole = {.parts = 1};
    if (parts > 1) {
        bool submitted;
        int32_t status = launch_parts(product, id, parts, launch_cut, stream, &submitted);
        if (status != ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY || submitted)
            return status;
    }
    return launch_cut(product, id, &whole, stream);
}

int32_t im_gemm_simt_launch_in(const struct im_product *product, enum im_kernel_id id, int32_t parts,
                               struct im_stream *stream)
{
    return im_gemm_launch_cut(product, id, parts, launch, stream);
}

int32_t im_gemm_simt_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream)
{
    return im_gemm_simt_launch_in(product, id, parts_for(product, id, stream->context), stream);
}
