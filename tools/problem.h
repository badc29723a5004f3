/* SPDX-License-Identifier: MIT */
/* problem.h: one multiplication to be measured, with its random matrices on the device. */
#ifndef ISOMAT_TOOLS_PROBLEM_H
#define ISOMAT_TOOLS_PROBLEM_H

#include "cublas.h"
#include "session.h"

enum engine { ENGINE_ISOMAT, ENGINE_CUBLAS, ENGINE_COUNT };

struct problem {
    const struct session *session;
    const struct cublas *cublas; /* NULL: isomat alone */
    isomat_stream stream;
    int64_t m, n, k, products;    /* products of these sizes, stacked in A, B and C */
    int32_t op_a, op_b;           /* ISOMAT_OP_T: stored as k x m, or n x k */
    int32_t peer_op_a, peer_op_b; /* as cuBLAS takes the same memory */
    bool keep;                    /* what isomat makes of the operands is made once */
    bool f32_output;              /* C is float32 in every mode */
    int32_t compute, c_type;
    isomat_matrix sources[2]; /* A and B as float32 */
    isomat_matrix typed[2];   /* A and B of the mode's type, if that is another */
    isomat_matrix a, b, c;    /* a and b are among the above */
    isomat_matrix firsts[3];  /* views of those of the first of several products */
    uint64_t pointers[3];     /* of a, b, c, for cuBLAS */
};

/* Makes A and B uniform in (-0.5, 0.5), the same for the same shape.  session, cublas, stream,
 * sizes and flags are set before.  A failure is said; returns an exit status. */
int problem_create(struct problem *problem);
void problem_destroy(struct problem *problem);

/* Chooses the mode: operands become those rounded to its type, C is undefined, cuBLAS takes the
 * layout that isomat does. */
int problem_set_compute(struct problem *problem, int32_t compute);

/* Submits one multiplication to the stream. */
int problem_submit(struct problem *problem, enum engine engine);

/* The same for cuBLAS, but returns its status and says nothing. */
int problem_try_cublas(const struct problem *problem);

/* Multiplies once, and compares some elements of C with float64.  *error is the largest
 * |c - c64| / sum |a||b| among them, what C's type costs set aside; NaN if one is not finite.
 * cuBLAS takes isomat's layout. */
int problem_verify(double *error, struct problem *problem, enum engine engine);

/* What *error must not be above for the problem's compute mode. */
double problem_error_bound(const struct problem *problem);

#endif /* ISOMAT_TOOLS_PROBLEM_H */
