/* SPDX-License-Identifier: MIT */
/* element.c: the types of values that a kernel takes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "random.h"

static const struct element elements[] = {
    {"f16", "<f2", KIND_FLOAT, 2},    {"f32", "<f4", KIND_FLOAT, 4},    {"f64", "<f8", KIND_FLOAT, 8},
    {"i8", "|i1", KIND_SIGNED, 1},    {"i16", "<i2", KIND_SIGNED, 2},   {"i32", "<i4", KIND_SIGNED, 4},
    {"i64", "<i8", KIND_SIGNED, 8},   {"u8", "|u1", KIND_UNSIGNED, 1},  {"u16", "<u2", KIND_UNSIGNED, 2},
    {"u32", "<u4", KIND_UNSIGNED, 4}, {"u64", "<u8", KIND_UNSIGNED, 8},
};

enum { ELEMENT_COUNT = sizeof elements / sizeof *elements };

const struct element *element_by_name(const char *name, size_t length)
{
    for (int i = 0; i < ELEMENT_COUNT; i++)
        if (strlen(elements[i].name) == length && memcmp(elements[i].name, name, length) == 0)
            return &elements[i];
    return NULL;
}

/* The order of bytes of a single one is '|', and some write '<'. */
const struct element *element_by_dtype(const char *dtype)
{
    for (int i = 0; i < ELEMENT_COUNT; i++)
        if (strcmp(elements[i].dtype, dtype) == 0 ||
            (elements[i].bytes == 1 && *dtype == '<' && strcmp(elements[i].dtype + 1, dtype + 1) == 0))
            return &elements[i];
    return NULL;
}

/* ---------------------------------------------------------------- float16 */

static double half_to_double(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double size = exponent == 0    ? ldexp(fraction, -24)
                  : exponent == 31 ? (fraction ? NAN : INFINITY)
                                   : ldexp(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -size : size;
}

/* Rounds to nearest, ties to even; to infinity above the largest. */
static uint16_t half_from_double(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* 0.5 to 1 */
    if (isnan(value))
        return sign | 0x7e00;
    if (isinf(value) || exponent > 16)
        return sign | 0x7c00;
    if (fraction == 0 || exponent < -13) /* below the smallest normal number; 1024 becomes it */
        return sign | (uint16_t)rint(ldexp(fraction, exponent + 24));
    /* a fraction that rounds up to 2048 carries into the exponent, as it should */
    return sign | (uint16_t)(((exponent + 13) << 10) + (int)rint(ldexp(fraction, 11)));
}

/* ------------------------------------------------------------------ values */

long double element_get(const struct element *element, const void *data, int64_t index)
{
    const char *at = (const char *)data + index * element->bytes;
    union {
        uint64_t bits;
        float f32;
        double f64;
    } value = {0};
    memcpy(&value, at, (size_t)element->bytes); /* every machine with a CUDA driver is little-endian */
    if (element->kind == KIND_FLOAT)
        return element->bytes == 2   ? half_to_double((uint16_t)value.bits)
               : element->bytes == 4 ? (double)value.f32
                                     : value.f64;
    if (element->kind == KIND_UNSIGNED)
        return value.bits;
    int unused = 64 - 8 * element->bytes;
    return (int64_t)(value.bits << unused) >> unused;
}

static const char *parse_float(void *value, const struct element *element, const char *text)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end)
        return "the value is no number";
    uint16_t half = half_from_double(number);
    float single = (float)number;
    if (element->bytes == 2)
        memcpy(value, &half, sizeof half);
    else if (element->bytes == 4)
        memcpy(value, &single, sizeof single);
    else
        memcpy(value, &number, sizeof number);
    if (isinf(element_get(element, value, 0)) && !strpbrk(text, "iI"))
        return "the value is too large for its type";
    return NULL;
}

static const char *parse_whole(void *value, const struct element *element, const char *text)
{
    char *end;
    int unused = 64 - 8 * element->bytes;
    bool fits;
    uint64_t bits;
    errno = 0;
    if (element->kind == KIND_SIGNED) {
        int64_t number = strtoll(text, &end, 0);
        fits = number >= INT64_MIN >> unused && number <= INT64_MAX >> unused;
        bits = (uint64_t)number;
    } else {
        bits = strtoull(text, &end, 0);
        fits = bits <= UINT64_MAX >> unused && !strchr(text, '-');
    }
    if (end == text || *end)
        return "the value is no whole number";
    if (!fits || errno)
        return "the value is out of its type's range";
    memcpy(value, &bits, (size_t)element->bytes);
    return NULL;
}

const char *element_parse(void *value, const struct element *element, const char *text)
{
    return element->kind == KIND_FLOAT ? parse_float(value, element, text)
                                       : parse_whole(value, element, text);
}

void element_fill(const struct element *element, void *data, int64_t count, const void *value)
{
    size_t bytes = (size_t)element->bytes;
    for (int64_t i = 0; i < count; i++)
        memcpy((char *)data + (size_t)i * bytes, value, bytes);
}

void element_randomise(const struct element *element, void *data, int64_t count, uint64_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = random_bits(seed, (uint64_t)i);
        double number = (double)(bits >> 40) * 0x1p-24 - 0.5; /* exact in float32 */
        float single = (float)number;
        uint16_t half = half_from_double(number);
        const void *value = &bits;
        if (element->kind == KIND_FLOAT)
            value = element->bytes == 2 ? (void *)&half : element->bytes == 4 ? (void *)&single : &number;
        memcpy((char *)data + i * element->bytes, value, (size_t)element->bytes);
    }
}
