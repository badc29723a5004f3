/* SPDX-License-Identifier: MIT */
/* accuracy_reference.c: AB and |A||B| in float64, and what a result's errors against them are.
 *
 * On a GPU with cuBLAS all elements, by cublasDgemm; its own error is 2^-29 of float32's.  Else a
 * sample of them, on the CPU. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "accuracy_reference.h"
#include "message.h"
#include "parallel.h"
#include "random.h"

enum { SAMPLES = 2048, SEED_SAMPLE = 21 };

static int allocate_device(struct reference *reference, int64_t operand_elements, int64_t result_elements)
{
    void *staging;
    if (isomat_memory_allocate(&reference->device_a, operand_elements * 8, reference->context,
                               reference->stream) != ISOMAT_OK ||
        isomat_memory_allocate(&reference->device_b, operand_elements * 8, reference->context,
                               reference->stream) != ISOMAT_OK ||
        isomat_memory_allocate(&reference->device_c, result_elements * 8, reference->context,
                               reference->stream) != ISOMAT_OK ||
        isomat_memory_allocate_host(&staging, operand_elements * 8, reference->context) != ISOMAT_OK)
        return fail_library();
    reference->staging = staging;
    return STATUS_OK;
}

int reference_create(struct reference *reference, int64_t operand_elements, int64_t result_elements)
{
    bool sampled = !reference->cublas;
    if (sampled && result_elements > SAMPLES)
        result_elements = SAMPLES;
    reference->exact = malloc((size_t)result_elements * sizeof *reference->exact);
    reference->size = malloc((size_t)result_elements * sizeof *reference->size);
    if (sampled)
        reference->index = malloc((size_t)result_elements * sizeof *reference->index);
    if (!reference->exact || !reference->size || (sampled && !reference->index))
        return fail("no memory for the reference");
    return sampled ? STATUS_OK : allocate_device(reference, operand_elements, result_elements);
}

void reference_destroy(struct reference *reference)
{
    if (reference->staging)
        isomat_memory_free_host(reference->staging, reference->context);
    const uint64_t pointers[] = {reference->device_a, reference->device_b, reference->device_c};
    for (int i = 0; i < 3; i++)
        if (pointers[i])
            isomat_memory_free(pointers[i], reference->context, reference->stream);
    free(reference->index);
    free(reference->size);
    free(reference->exact);
}

/* ------------------------------------------------------------------ on the GPU */

struct widening {
    double *target;
    const float *source;
    bool magnitude;
};

static void widen(int64_t begin, int64_t end, void *context)
{
    const struct widening *widening = context;
    if (widening->magnitude)
        for (int64_t i = begin; i < end; i++)
            widening->target[i] = fabs((double)widening->source[i]);
    else
        for (int64_t i = begin; i < end; i++)
            widening->target[i] = widening->source[i];
}

static int upload(uint64_t target, struct reference *reference, const float *source, int64_t count,
                  bool magnitude)
{
    struct widening widening = {reference->staging, source, magnitude};
    parallel_for(count, widen, &widening);
    if (isomat_memory_copy_to_device(target, reference->staging, count * 8, reference->context,
                                     reference->stream) != ISOMAT_OK ||
        isomat_stream_synchronize(reference->stream) != ISOMAT_OK)
        return fail_library();
    return STATUS_OK;
}

static int multiply_on_device(double *result, struct reference *reference, const float *a, const float *b,
                              const struct cublas_product *product, bool magnitude)
{
    if (upload(product->a, reference, a, product->m * product->k, magnitude) != STATUS_OK ||
        upload(product->b, reference, b, product->k * product->n, magnitude) != STATUS_OK)
        return STATUS_FAILED;
    int status = cublas_multiply_f64(reference->cublas, product);
    if (status != 0)
        return fail("cublasDgemm fails with status %d", status);
    if (isomat_memory_copy_to_host(result, product->c, product->m * product->n * 8, reference->context,
                                   reference->stream) != ISOMAT_OK ||
        isomat_stream_synchronize(reference->stream) != ISOMAT_OK)
        return fail_library();
    return STATUS_OK;
}

/* ------------------------------------------------------------------ on the CPU */

struct sampling {
    struct reference *reference;
    const float *a, *b;
    int64_t n, k;
};

static void multiply_samples(int64_t begin, int64_t end, void *context)
{
    const struct sampling *x = context;
    for (int64_t s = begin; s < end; s++) {
        int64_t at = x->reference->index[s];
        const float *a = x->a + at / x->n * x->k, *b = x->b + at % x->n;
        double sum = 0.0, size = 0.0;
        for (int64_t k = 0; k < x->k; k++) {
            double term = (double)a[k] * (double)b[k * x->n];
            sum += term;
            size += fabs(term);
        }
        x->reference->exact[s] = sum;
        x->reference->size[s] = size;
    }
}

static void choose_samples(struct reference *reference, int64_t elements)
{
    reference->count = elements < SAMPLES ? elements : SAMPLES;
    for (int64_t i = 0; i < reference->count; i++)
        reference->index[i] =
            elements <= SAMPLES ? i : (int64_t)(random_bits(SEED_SAMPLE, (uint64_t)i) % (uint64_t)elements);
}

/* ---------------------------------------------------------------------- either */

int reference_multiply(struct reference *reference, const float *a, const float *b, int64_t m, int64_t n,
                       int64_t k)
{
    if (!reference->cublas) {
        struct sampling sampling = {reference, a, b, n, k};
        choose_samples(reference, m * n);
        parallel_for(reference->count, multiply_samples, &sampling);
        return STATUS_OK;
    }
    const struct cublas_product product = {
        .c = reference->device_c,
        .a = reference->device_a,
        .b = reference->device_b,
        .m = m,
        .n = n,
        .k = k,
    };
    reference->count = m * n;
    if (multiply_on_device(reference->exact, reference, a, b, &product, false) != STATUS_OK)
        return STATUS_FAILED;
    return multiply_on_device(reference->size, reference, a, b, &product, true);
}

struct error reference_compare(const struct reference *reference, const float *c, double bound, int64_t k)
{
    struct error error = {.kept = true};
    double room = (double)(k + 1) * 0x1p-149; /* each product and sum may underflow */
    double squares = 0.0, exact_squares = 0.0;

    for (int64_t i = 0; i < reference->count; i++) {
        double exact = reference->exact[i], size = reference->size[i];
        double difference = fabs((double)c[reference->index ? reference->index[i] : i] - exact);
        if (!isfinite(difference)) {
            if (size > FLT_MAX) /* may overflow */
                continue;
            return (struct error){INFINITY, INFINITY, false};
        }
        error.kept = error.kept && difference <= bound * size + room;
        squares += difference * difference;
        exact_squares += exact * exact;
        difference -= room;
        if (difference > error.componentwise * size)
            error.componentwise = size > 0.0 ? difference / size : INFINITY;
    }
    error.normwise = squares == 0.0 ? 0.0 : sqrt(squares / exact_squares);
    return error;
}
