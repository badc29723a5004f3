/* SPDX-License-Identifier: MIT */
/* typed.c: poisoned matrices of any element type. */
#include "tests/support/typed.h"

#include <math.h>

#define GUARD 67 /* elements behind the last row */

/* Bits of exponent and fraction. */
struct format {
    int exponent, fraction;
};

static struct format format_of(int32_t type)
{
    static const struct format formats[] = {{8, 23}, {5, 10}, {8, 7}};

    assert_in_range(type, ISOMAT_TYPE_F32, ISOMAT_TYPE_BF16);
    return formats[type - ISOMAT_TYPE_F32];
}

int64_t typed_element_bytes(int32_t type)
{
    return type == ISOMAT_TYPE_F32 ? 4 : 2;
}

uint32_t typed_encode(int32_t type, double value)
{
    const struct format f = format_of(type);
    const int bias = (1 << (f.exponent - 1)) - 1;
    const uint32_t sign = signbit(value) ? 1u << (f.exponent + f.fraction) : 0;
    const uint32_t infinity = ((1u << f.exponent) - 1) << f.fraction;
    const float single = (float)value; /* for speed; as the lines below would have it */
    uint32_t bits_of_single;
    int exponent;

    memcpy(&bits_of_single, &single, sizeof(single));
    if (type == ISOMAT_TYPE_F32)
        return bits_of_single;
    if (isnan(value))
        return sign | infinity | 1u << (f.fraction - 1);
    if (value == 0)
        return sign;
    if (isinf(value))
        return sign | infinity;
    frexp(value, &exponent); /* value = m * 2^exponent, 1/2 <= m < 1 */
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    /* In units of the last place; a carry moves on into the exponent by itself. */
    const double places = nearbyint(ldexp(fabs(value), f.fraction - exponent));
    const double bits = places + ldexp(exponent + bias - 1, f.fraction);
    return sign | (bits >= infinity ? infinity : (uint32_t)bits);
}

double typed_decode(int32_t type, uint32_t bits)
{
    const struct format f = format_of(type);
    const int bias = (1 << (f.exponent - 1)) - 1;
    const uint32_t fraction = bits & ((1u << f.fraction) - 1);
    const int exponent = (int)(bits >> f.fraction & ((1u << f.exponent) - 1));
    const double sign = bits >> (f.exponent + f.fraction) & 1 ? -1 : 1;

    if (exponent == (1 << f.exponent) - 1)
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - f.fraction);
    return sign * ldexp(fraction + (double)(1u << f.fraction), exponent - bias - f.fraction);
}

static void put(const struct typed *x, int64_t position, uint32_t bits)
{
    const uint16_t half = (uint16_t)bits;

    if (x->type == ISOMAT_TYPE_F32)
        memcpy(x->host + position * 4, &bits, 4);
    else
        memcpy(x->host + position * 2, &half, 2);
}

static uint32_t get(const struct typed *x, const uint8_t *data, int64_t position)
{
    uint32_t bits;
    uint16_t half;

    memcpy(&half, data + position * 2, 2);
    if (x->type == ISOMAT_TYPE_F32)
        memcpy(&bits, data + position * 4, 4);
    else
        bits = half;
    return bits;
}

static void place(struct typed *x, enum typed_layout layout)
{
    x->ld = x->cols;
    if (layout == TYPED_ALIGNED || layout == TYPED_SHIFTED)
        x->ld = (x->cols + 15) / 8 * 8;
    if (layout == TYPED_EVEN)
        x->ld = (x->cols + 5) / 4 * 4 + 2;
    if (layout == TYPED_ODD)
        x->ld = (x->cols + 3) / 2 * 2 + 1;
    x->ld += x->ld == 0;
    x->offset = layout == TYPED_EVEN ? 2 : layout == TYPED_ODD || layout == TYPED_SHIFTED ? 1 : 0;
    x->total = x->offset + x->rows * x->ld + GUARD;
    x->bytes = x->total * typed_element_bytes(x->type);
}

void typed_create(struct typed *x, isomat_context context, int32_t type, int64_t rows, int64_t cols,
                  enum typed_layout layout, typed_value value, void *value_context)
{
    const uint32_t poison = typed_encode(type, (double)NAN) | 0x15;

    *x = (struct typed){.context = context, .type = type, .rows = rows, .cols = cols};
    place(x, layout);
    x->host = malloc((size_t)x->bytes);
    assert_non_null(x->host);
    for (int64_t p = 0; p < x->total; p++)
        put(x, p, poison);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            put(x, x->offset + i * x->ld + j, typed_encode(type, value(i, j, value_context)));
    assert_ok(isomat_memory_allocate(&x->memory, x->bytes, context, ISOMAT_NONE));
    typed_reset(x);
}

void typed_destroy(struct typed *x)
{
    assert_ok(isomat_memory_free(x->memory, x->context, ISOMAT_NONE));
    free(x->host);
    *x = (struct typed){0};
}

void typed_reset(const struct typed *x)
{
    assert_ok(isomat_memory_copy_to_device(x->memory, x->host, x->bytes, x->context, ISOMAT_NONE));
}

uint64_t typed_address(const struct typed *x)
{
    return x->memory + (uint64_t)(x->offset * typed_element_bytes(x->type));
}

isomat_matrix typed_adopt(const struct typed *x)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_adopt(&matrix, x->context, typed_address(x), x->rows, x->cols, x->ld, x->type,
                                  ISOMAT_ADOPT_BORROW));
    return matrix;
}

uint32_t typed_bits(const struct typed *x, const uint8_t *data, int64_t i, int64_t j)
{
    return get(x, data, x->offset + i * x->ld + j);
}

void typed_put(struct typed *x, int64_t i, int64_t j, uint32_t bits)
{
    put(x, x->offset + i * x->ld + j, bits);
}

double typed_get(const struct typed *x, const uint8_t *data, int64_t i, int64_t j)
{
    return typed_decode(x->type, get(x, data, x->offset + i * x->ld + j));
}

uint8_t *typed_download(const struct typed *x)
{
    uint8_t *data = malloc((size_t)x->bytes);

    assert_non_null(data);
    assert_ok(isomat_memory_copy_to_host(data, x->memory, x->bytes, x->context, ISOMAT_NONE));
    return data;
}

int typed_intact(const struct typed *x, const uint8_t *now, int but_elements)
{
    for (int64_t p = 0; p < x->total; p++) {
        const int64_t inside = p - x->offset;
        const int is_element = inside >= 0 && inside / x->ld < x->rows && inside % x->ld < x->cols;
        if ((is_element && but_elements) || get(x, now, p) == get(x, x->host, p))
            continue;
        print_error(
            "element %lld past the start of the %lld x %lld matrix (ld %lld, type %d) was overwritten\n",
            (long long)inside, (long long)x->rows, (long long)x->cols, (long long)x->ld, (int)x->type);
        return 0;
    }
    return 1;
}
