/* SPDX-License-Identifier: MIT */
/* gemm_mma.c: multiplication on tensor cores by mma.sync. */
#include "gemm_mma.h"

#include "launch.h"

_Static_assert(ISOMAT_ELEMENT_F32 == ISOMAT_TYPE_F32 && ISOMAT_ELEMENT_F16 == ISOMAT_TYPE_F16 &&
                   ISOMAT_ELEMENT_BF16 == ISOMAT_TYPE_BF16,
               "kernels and callers number the element types alike");

/* How the rows of an operand may be moved, see kernels/abi.h. */
static uint32_t access_bits(const struct im_matrix *x, uint32_t vector, uint32_t word)
{
    int64_t step = x->rows == 1 ? 0 : x->ld * im_element_bytes(x->type);
    uint64_t places = (uint64_t)x->pointer | (uint64_t)step;
    return (places % 16 == 0 ? vector : 0) | (places % 4 == 0 ? word : 0);
}

int32_t im_gemm_mma_launch(const struct im_product *product, enum im_kernel_id id, struct im_stream *stream)
{
    const struct im_kernel_row *row = &im_kernels[id];
    struct isomat_gemm_mma_args arguments = {
        .a = product->a->pointer,
        .b = product->b->pointer,
        .c = product->c->pointer,
        .lda = product->a->ld,
        .ldb = product->b->ld,
        .ldc = product->c->ld,
        .m = (int32_t)product->m,
        .n = (int32_t)product->n,
        .k = (int32_t)product->k,
        .flags = access_bits(product->a, ISOMAT_VECTOR_A, ISOMAT_WORD_A) |
                 access_bits(product->b, ISOMAT_VECTOR_B, ISOMAT_WORD_B) |
                 (im_matrix_vector(product->c) ? ISOMAT_VECTOR_C : 0),
        .alpha = (float)product->alpha,
        .beta = (float)product->beta,
        .c_type = product->c->type,
        .finish = product->finish,
    };
    return im_launch_own(stream, id, ISOMAT_GEMM_GRID(product->m, product->n, row->tile_m, row->tile_n),
                         &arguments);
}
