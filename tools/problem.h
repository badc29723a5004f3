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
    int64_t m, n, k;
    int32_t op_a, op_b; /* ISOMAT_OP_T: stored as k x m, or n x k */
    int32_t compute;
    isomat_matrix a, b, c;
    uint64_t pointers[3]; /* of a, b, c, for cuBLAS */
};

/* Makes A and B uniform in (-0.5, 0.5), the same for the same shape, and C undefined.  session,
 * cublas, stream and the sizes are set before.  A failure is said; returns an exit status. */
int problem_create(struct problem *problem);
void problem_destroy(struct problem *problem);

/* Submits one multiplication to the stream. */
int problem_submit(struct problem *problem, enum engine engine);

/* Multiplies once, and compares some elements of C with float64.  *error is the largest
 * |c - c64| / sum |a||b| among them, NaN if one is not finite. */
int problem_verify(double *error, struct problem *problem, enum engine engine);

/* What *error must not be above for the problem's compute mode. */
double problem_error_bound(const struct problem *problem);

#endif /* ISOMAT_TOOLS_PROBLEM_H */
