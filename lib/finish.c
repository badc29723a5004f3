/* SPDX-License-Identifier: MIT */
/* finish.c: what is done with a product's sums on their way to C: bias, activation, scale, residual,
 * and another type than the sums have.
 *
 * Kernels of 16-bit operands finish their sums before they store them.  The others store sums of
 * the mode's own type, and finish each tile when it is complete.  C is where the sums wait for that
 * if it is of that type and nothing else of it is needed; otherwise work memory is. */
#include "finish.h"

#include "matrix.h"

_Static_assert(ISOMAT_FINISH_RELU == ISOMAT_ACTIVATION_RELU && ISOMAT_FINISH_GELU == ISOMAT_ACTIVATION_GELU &&
                   ISOMAT_FINISH_GELU_TANH == ISOMAT_ACTIVATION_GELU_TANH &&
                   ISOMAT_FINISH_SILU == ISOMAT_ACTIVATION_SILU,
               "kernels and callers number the activations alike");

int32_t im_epilogue_get(struct im_epilogue *epilogue, const isomat_epilogue *given)
{
    *epilogue = (struct im_epilogue){0};
    int32_t status = IM_CHECK_STRUCT(given, "epilogue");
    if (status != ISOMAT_OK)
        return status;
    if (given->activation < ISOMAT_ACTIVATION_NONE || given->activation > ISOMAT_ACTIVATION_SILU)
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT, "epilogue: unknown activation %d", given->activation);
    epilogue->activation = given->activation;
    epilogue->scale = given->scale;
    if (given->bias != ISOMAT_NONE)
        status = im_matrix_get(&epilogue->bias, given->bias);
    if (status == ISOMAT_OK && given->residual != ISOMAT_NONE)
        status = im_matrix_get(&epilogue->residual, given->residual);
    if (status != ISOMAT_OK)
        im_epilogue_put(epilogue);
    return status;
}

void im_epilogue_put(struct im_epilogue *epilogue)
{
    if (epilogue->bias)
        im_matrix_release(epilogue->bias);
    if (epilogue->residual)
        im_matrix_release(epilogue->residual);
    *epilogue = (struct im_epilogue){0};
}

/* ------------------------------------------------------------------ checks */

/* The type in which a mode adds up. */
static int32_t sum_type(int32_t compute)
{
    return compute == ISOMAT_COMPUTE_F64 ? ISOMAT_TYPE_F64 : ISOMAT_TYPE_F32;
}

static bool has_16_bit_operands(const struct im_product *product)
{
    return product->compute == ISOMAT_COMPUTE_F16 || product->compute == ISOMAT_COMPUTE_BF16;
}

static bool same_rectangle(const struct im_matrix *a, const struct im_matrix *b)
{
    return a->pointer == b->pointer && a->type == b->type && a->rows == b->rows && a->cols == b->cols &&
           (a->ld == b->ld || a->rows == 1);
}

static int32_t check_bias(const struct im_product *product, const struct im_matrix *bias)
{
    if ((bias->rows == 1 && bias->cols == product->n) || (bias->rows == product->m && bias->cols == 1))
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_SHAPE_MISMATCH,
                   "epilogue: the bias is %lld x %lld, C is %lld x %lld: 1 x %lld or %lld x 1 is needed",
                   (long long)bias->rows, (long long)bias->cols, (long long)product->m, (long long)product->n,
                   (long long)product->n, (long long)product->m);
}

static int32_t check_residual(const struct im_product *product, const struct im_matrix *residual)
{
    if (residual->rows == product->m && residual->cols == product->n)
        return ISOMAT_OK;
    return im_fail(ISOMAT_ERROR_SHAPE_MISMATCH, "epilogue: the residual is %lld x %lld, C is %lld x %lld",
                   (long long)residual->rows, (long long)residual->cols, (long long)product->m,
                   (long long)product->n);
}

/* What holds for the bias and for the residual. */
static int32_t check_matrix(const struct im_product *product, const struct im_matrix *matrix,
                            const char *name, bool may_be_c)
{
    if (matrix->context != product->a->context)
        return im_fail(ISOMAT_ERROR_CONTEXT_MISMATCH, "epilogue: the %s is of another context than A and B",
                       name);
    if (matrix->type == ISOMAT_TYPE_F64 && product->compute != ISOMAT_COMPUTE_F64)
        return im_fail(ISOMAT_ERROR_TYPE_MISMATCH,
                       "epilogue: the %s is f64, which compute mode F64 alone takes", name);
    if (product->c && im_matrix_overlap(product->c, matrix) &&
        !(may_be_c && same_rectangle(product->c, matrix)))
        return im_fail(ISOMAT_ERROR_ALIAS, "epilogue: C overlaps the %s", name);
    return ISOMAT_OK;
}

int32_t im_epilogue_check(const struct im_product *product)
{
    const struct im_epilogue *epilogue = product->epilogue;
    int32_t status = ISOMAT_OK;
    if (epilogue && im_factor(epilogue->scale, product->compute) == 0) /* rounded to 0, too */
        return im_fail(ISOMAT_ERROR_INVALID_ARGUMENT,
                       "epilogue: scale is %g, 0 in this mode; 1 leaves the "
                       "result as it is",
                       epilogue->scale);
    if (epilogue && epilogue->bias) {
        status = check_matrix(product, epilogue->bias, "bias", false);
        if (status == ISOMAT_OK)
            status = check_bias(product, epilogue->bias);
    }
    if (status == ISOMAT_OK && epilogue && epilogue->residual) {
        status = check_matrix(product, epilogue->residual, "residual", true);
        if (status == ISOMAT_OK)
            status = check_residual(product, epilogue->residual);
    }
    return status;
}

int32_t im_epilogue_use(const struct im_product *product, struct im_stream *stream)
{
    const struct im_epilogue *epilogue = product->epilogue;
    int32_t status = ISOMAT_OK;
    if (epilogue && epilogue->bias)
        status = im_matrix_use(epilogue->bias, stream);
    if (status == ISOMAT_OK && epilogue && epilogue->residual)
        status = im_matrix_use(epilogue->residual, stream);
    return status;
}

/* ------------------------------------------------------------------ finish */

bool im_finish_needed(const struct im_product *product)
{
    const struct im_epilogue *epilogue = product->epilogue;
    if (epilogue && (epilogue->bias || epilogue->residual || epilogue->activation || epilogue->scale != 1))
        return true;
    return product->c->type != sum_type(product->compute) && !has_16_bit_operands(product);
}

struct isomat_finish im_finish_of(const struct im_product *product)
{
    static const struct im_epilogue none = {.scale = 1};
    const struct im_epilogue *epilogue = product->epilogue ? product->epilogue : &none;
    struct isomat_finish finish = {
        .c = product->c->pointer,
        .ldc = product->c->ld,
        .c_type = product->c->type,
        .beta = product->beta,
        .scale = im_factor(epilogue->scale, product->compute),
        .activation = epilogue->activation,
        .flags = im_matrix_aligned(product->c) ? ISOMAT_VECTOR_C : 0,
    };
    if (epilogue->bias) {
        finish.bias = epilogue->bias->pointer;
        finish.bias_type = epilogue->bias->type;
        finish.bias_ld =
            epilogue->bias->rows == 1 && epilogue->bias->cols == product->n ? 0 : epilogue->bias->ld;
        finish.flags |= im_matrix_aligned(epilogue->bias) ? ISOMAT_VECTOR_B : 0;
    }
    if (epilogue->residual) {
        finish.residual = epilogue->residual->pointer;
        finish.residual_type = epilogue->residual->type;
        finish.ld_residual = epilogue->residual->ld;
        finish.flags |= im_matrix_aligned(epilogue->residual) ? ISOMAT_VECTOR_A : 0;
    }
    return finish;
}

int32_t im_finish_begin(struct im_product *sums, isomat_matrix *work, const struct im_product *product,
                        struct im_stream *stream)
{
    const struct im_matrix *residual = product->epilogue ? product->epilogue->residual : NULL;
    struct im_matrix_shape shape = {
        .rows = product->m,
        .cols = product->n,
        .ld = (product->n + IM_VECTOR_ELEMENTS - 1) / IM_VECTOR_ELEMENTS * IM_VECTOR_ELEMENTS,
        .type = sum_type(product->compute),
    };
    bool c_serves = product->c->type == shape.type && !(residual && same_rectangle(product->c, residual));
    int32_t status = ISOMAT_OK;
    *sums = *product;
    *work = ISOMAT_NONE;
    sums->finish = im_finish_of(product);
    if (!c_serves && !has_16_bit_operands(product)) {
        if (stream->recording)
            return im_stream_fail_captured("an epilogue whose sums need room beside C");
        status = im_matrix_create(work, &sums->c, &shape, stream);
        sums->beta = 0;
    }
    if (status == ISOMAT_OK && im_matrix_aligned(sums->c))
        sums->finish.flags |= ISOMAT_FINISH_VECTOR_W;
    return status;
}

void im_finish_end(isomat_matrix work)
{
    if (work != ISOMAT_NONE)
        im_handle_destroy(work, IM_KIND_MATRIX);
}
