/* SPDX-License-Identifier: MIT */
/* half_reference.h: float16 and bfloat16 by their definitions. */
#ifndef TEST_HALF_REFERENCE_H
#define TEST_HALF_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline double value_of(uint16_t bits, bool is_bf16)
{
    int width = is_bf16 ? 7 : 10, bias = is_bf16 ? 127 : 15;
    int exponent = (bits & 0x7fff) >> width, fraction = bits & ((1 << width) - 1);
    double sign = bits & 0x8000 ? -1 : 1;

    if (exponent == 2 * bias + 1)
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - width);
    return sign * ldexp(fraction + (1 << width), exponent - bias - width);
}

/* a + b, or a value on the same side of every half: bfloat16's range is wider than 113 bits, and what is lost
 * may decide a tie. */
static inline __float128 sum_near(__float128 a, __float128 b)
{
    __float128 sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part);

    if (lost == 0 || lost != lost)
        return sum;
    return sum + (lost > 0 ? 0x1p-111 : -0x1p-111) * (sum < 0 ? -sum : sum);
}

/* The nearest half to an exact value: a search among all of one sign. */
static inline uint16_t nearest(__float128 exact, bool is_bf16)
{
    uint16_t low = 0, high = is_bf16 ? 0x7f80 : 0x7c00;
    bool negative = exact < 0 || (exact == 0 && signbit((double)exact));
    __float128 size = exact < 0 ? -exact : exact;

    if (size != size)
        return 0x7fff;
    while (high - low > 1) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        if (value_of(middle, is_bf16) <= size)
            low = middle;
        else
            high = middle;
    }
    __float128 below = value_of(low, is_bf16);
    __float128 above = value_of(high, is_bf16);
    if (high == (is_bf16 ? 0x7f80 : 0x7c00))
        above = is_bf16 ? ldexp(1, 128) : 65536;
    __float128 down = size - below, up = above - size;
    uint16_t found = down < up || (down == up && low % 2 == 0) ? low : high;
    return (uint16_t)(found | (negative ? 0x8000 : 0));
}

#endif
