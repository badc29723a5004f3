/* SPDX-License-Identifier: MIT */
/* gemm_f64.c: multiplication of float64. */
#include "gemm_f64.h"

#include "gemm_simt.h"
#include "recall.h"

_Static_assert(ISOMAT_ELEMENT_F64 == ISOMAT_TYPE_F64, "kernels and callers number the element types alike");

/* Whether every row begins at a multiple of 16 bytes. */
static bool is_paired(const struct im_matrix *x)
{
    return x->pointer % 16 == 0 && (x->ld % 2 == 0 || x->rows == 1);
}

static int32_t launch(const struct im_product *product, enum im_kernel_id id, const struct im_cut *cut,
                      struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    bool whole = cut->parts == 1;
    const struct isomat_gemm_f64_args arguments = {
        .a = product->a->pointer,
        .b = product->b->pointer,
        .c = whole ? product->c->pointer : cut->work,
        .lda = product->a->ld,
        .ldb = product->b->ld,
        .ldc = whole ? product->c->ld : cut->ld,
        .m = (int32_t)product->m,
        .n = (int32_t)product->n,
        .k = (int32_t)product->k,
        .flags = (is_paired(product->a) ? ISOMAT_VECTOR_A : 0) |
                 (is_paired(product->b) ? ISOMAT_VECTOR_B : 0) |
                 (!whole || is_paired(product->c) ? ISOMAT_VECTOR_C : 0),
        .alpha = whole ? product->alpha : 1,
        .beta = whole ? product->beta : 0,
        .c_part = cut->part,
        .parts = cut->parts,
        .finish = whole ? product->finish : (struct isomat_finish){0},
    };
    int64_t blocks = ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n);
    return im_launch_own(stream, id, blocks * cut->parts, &arguments);
}

int32_t im_gemm_f64_launch_in(const struct im_product *product, enum im_kernel_id id, int32_t parts,
                              struct im_stream *stream)
{
    return im_gemm_launch_cut(product, id, parts, launch, stream);
}

int32_t im_gemm_f64_launch(const struct im_product *product, struct im_stream *stream)
{
    const struct im_gemm_problem problem = {
        .m = product->m,
        .n = product->n,
        .k = product->k,
        .op_a = product->op_a,
        .op_b = product->op_b,
        .multiprocessors = stream->context->limits.multiprocessors,
        .capability = stream->context->limits.capability,
    };
    int32_t parts;
    enum im_kernel_id id = im_recall_f64(&problem, &parts);
    return im_gemm_launch_cut(product, id, parts, launch, stream);
}
