/* SPDX-License-Identifier: MIT */
/* gemm_simt.c: multiplication on CUDA cores. */
#include "gemm_simt.h"

#include "select.h"

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
        .alpha = product->alpha,
        .beta = product->beta,
    };
}

static int32_t launch_tiled(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    struct isomat_gemm_args arguments = im_gemm_simt_arguments(product);
    return im_launch_own(stream, id, ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n),
                         &arguments);
}

/* The large operand is X and the thin one Y: for a thin N they are op(A) and
 * op(B), for a thin M their transposes, and the result likewise (abi.h). */
static int32_t launch_skinny(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    bool thin_n = im_is_thin_n(product->m, product->n);
    const struct im_matrix *x = thin_n ? product->a : product->b;
    const struct im_matrix *y = thin_n ? product->b : product->a;
    bool y_k_is_rows = thin_n ? !product->op_b : product->op_a; /* k runs down Y's stored rows */
    struct isomat_skinny_args arguments = {
        .x = x->pointer,
        .y = y->pointer,
        .z = product->c->pointer,
        .ldx = x->ld,
        .y_k = y_k_is_rows ? y->ld : 1,
        .y_s = y_k_is_rows ? 1 : y->ld,
        .z_r = thin_n ? product->c->ld : 1,
        .z_s = thin_n ? 1 : product->c->ld,
        .r = (int32_t)(thin_n ? product->m : product->n),
        .s = (int32_t)(thin_n ? product->n : product->m),
        .k = (int32_t)product->k,
        .flags = im_matrix_vector(x) ? ISOMAT_VECTOR_A : 0,
        .alpha = product->alpha,
        .beta = product->beta,
    };
    return im_launch_own(stream, id, ISOMAT_SKINNY_GRID(arguments.r, row->rows_per_block), &arguments);
}

int32_t im_gemm_simt_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream)
{
    return im_is_skinny(id) ? launch_skinny(product, id, stream) : launch_tiled(product, id, stream);
}
