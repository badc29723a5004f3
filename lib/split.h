/* SPDX-License-Identifier: MIT */
/* split.h: the split forms of float32 matrices (kernels/abi_sm90.h). */
#ifndef ISOMAT_SPLIT_H
#define ISOMAT_SPLIT_H

#include "kept.h"
#include "product.h"
#include "workspace.h"

/* One operand: the matrix, and how it is split. */
struct im_split_operand {
    const struct im_matrix *matrix;
    int64_t extent; /* rows of op(A), columns of op(B) */
    bool by_column; /* one scale for each stored column */
};

struct im_split_operand im_split_operand_a(const struct im_product *product);
struct im_split_operand im_split_operand_b(const struct im_product *product);

#define IM_SPLIT_HI 1    /* planes of a form: hi alone */
#define IM_SPLIT_HI_LO 2 /* hi and lo */

/* Where an operand's form is. */
struct im_split_form {
    CUdeviceptr pointer;
    struct im_kept *kept; /* NULL: in the workspace */
    bool fresh;           /* still to be made */
};

/* Finds the forms of two operands, kept ones if there are, and submits what makes those that are
 * not there; the context is current.  *submitted tells whether anything was.  im_split_put must
 * follow, also after a failure. */
int32_t im_split_get(struct im_split_form forms[2], const struct im_split_operand operands[2], int planes,
                     struct im_workspace *workspace, struct im_stream *stream, bool *submitted);

/* The product has been submitted, or status says why not. */
void im_split_put(struct im_split_form forms[2], int32_t status);

/* Makes and keeps the form of one operand because the caller asked for it. */
int32_t im_split_prepare(const struct im_split_operand *operand, int planes, struct im_stream *stream);

/* The map by which tensor copies bring hi and lo of `tile` rows or columns of an operand. */
int32_t im_split_map(struct isomat_tensor_map *map, const struct im_split_operand *operand,
                     const struct im_split_form *form, int64_t tile);

#endif /* ISOMAT_SPLIT_H */
