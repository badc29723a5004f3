/* SPDX-License-Identifier: MIT */
/* accuracy_reference.h: AB and |A||B| in float64, and what a result's errors against them are. */
#ifndef ISOMAT_BENCH_ACCURACY_REFERENCE_H
#define ISOMAT_BENCH_ACCURACY_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cublas.h"

/* Memory for products of up to these sizes, used again for each. */
struct reference {
    isomat_context context;
    isomat_stream stream;
    const struct cublas *cublas; /* NULL: a sample of elements, on the CPU */
    uint64_t device_a, device_b, device_c;
    double *staging; /* page-locked */
    double *exact;   /* elements of AB */
    double *size;    /* of |A||B| */
    int64_t *index;  /* which elements; NULL: all */
    int64_t count;
};

/* The largest numbers of elements that will be asked for.  A failure is said; returns an exit status. */
int reference_create(struct reference *reference, int64_t operand_elements, int64_t result_elements);
void reference_destroy(struct reference *reference);

/* A is m x k, B k x n, row-major. */
int reference_multiply(struct reference *reference, const float *a, const float *b, int64_t m, int64_t n,
                       int64_t k);

struct error {
    double componentwise; /* largest |c - r| / (|A||B|), what underflow may cost set aside; infinite if
                           * c is not finite where it should be */
    double normwise;      /* ||C - R|| / ||R||, Frobenius */
    bool kept;            /* componentwise is not above the bound */
};

/* c has all m x n elements. */
struct error reference_compare(const struct reference *reference, const float *c, double bound, int64_t k);

#endif /* ISOMAT_BENCH_ACCURACY_REFERENCE_H */
