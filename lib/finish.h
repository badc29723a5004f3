/* SPDX-License-Identifier: MIT */
/* finish.h: what is done with a product's sums on their way to C. */
#ifndef ISOMAT_FINISH_H
#define ISOMAT_FINISH_H

#include "modules/table.h"
#include "product.h"

/* Looks up what an isomat_epilogue names, and pins it; im_epilogue_put ends that. */
int32_t im_epilogue_get(struct im_epilogue *epilogue, const isomat_epilogue *given);
void im_epilogue_put(struct im_epilogue *epilogue);

/* Whether a product's epilogue fits it; its operands and C, if there is one already, are checked. */
int32_t im_epilogue_check(const struct im_product *product);

/* As im_matrix_use, for what the epilogue reads; the context is current. */
int32_t im_epilogue_use(const struct im_product *product, struct im_stream *stream);

/* Whether more is done with the sums than every kernel does. */
bool im_finish_needed(const struct im_product *product);

/* Makes of a product the one that kernels are given: with its `finish` filled, and with C replaced by
 * work memory where the sums cannot wait in C itself.  im_finish_end frees that, in the order of the
 * stream; the context is current. */
int32_t im_finish_begin(struct im_product *sums, isomat_matrix *work, const struct im_product *product,
                        struct im_stream *stream);
void im_finish_end(isomat_matrix work);

/* Which kernel takes the product, of those for which one was chosen: Hopper's have one that finishes. */
static inline enum im_kernel_id im_finish_kernel(const struct im_product *product, enum im_kernel_id id)
{
    return product->finish.c ? (enum im_kernel_id)(id + IM_KERNEL_FINISH) : id;
}

/* What kernels are told of a product of which there is nothing to multiply. */
struct isomat_finish im_finish_of(const struct im_product *product);

#endif /* ISOMAT_FINISH_H */
