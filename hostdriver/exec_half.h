/* SPDX-License-Identifier: MIT */
/* exec_half.h: float16, bfloat16, tf32 and the 8-bit formats. */

static inline f64 half_value(u32 bits, bool is_bf16)
{
    u32 sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;

    if (is_bf16)
        return from_bits_f32(bits << 16);
    if (exponent == 31)
        return from_bits_f32(sign | 0x7f800000 | fraction << 13);
    /* Its exponent read as float32's is 112 too small; that makes subnormals right as well. */
    return (f64)from_bits_f32(sign | exponent << 23 | fraction << 13) * 0x1p112;
}

static inline f32 f16_value(u16 bits)
{
    return (f32)half_value(bits, false);
}

static inline f32 bf16_value(u16 bits)
{
    return from_bits_f32((u32)bits << 16);
}

struct small_format {
    u32 exponent_bits, fraction_bits, largest, infinity, nan;
};

static const struct small_format small_formats[] = {
    {5, 10, 0x7bff, 0x7c00, 0x7fff},    /* f16 */
    {8, 7, 0x7f7f, 0x7f80, 0x7fff},     /* bf16 */
    {4, 3, 0x7e, 0x7f, 0x7f},           /* e4m3: no infinity */
    {5, 2, 0x7b, 0x7c, 0x7f},           /* e5m2 */
    {8, 10, 0x3fbff, 0x3fc00, 0x3ffff}, /* tf32, without its 13 low zeros */
};

/* Rounds to a small format, once, whatever lies between. aux: NARROW_*. */
static inline u32 narrow(f64 a, u32 aux)
{
    const struct small_format *format = &small_formats[aux & NARROW_FORMAT];
    u64 bits = bits_f64(a), magnitude = bits & INT64_MAX, fraction = magnitude & 0xfffffffffffff;
    u32 sign = (u32)(bits >> 63), mode = aux >> NARROW_ROUND_SHIFT & 7;
    s32 exponent = (s32)(magnitude >> 52) - 1023, least = 2 - (1 << (format->exponent_bits - 1));
    u32 top = sign << (format->exponent_bits + format->fraction_bits), shift = 52 - format->fraction_bits;

    if (magnitude > 0x7ff0000000000000 && (aux & NARROW_PAYLOAD))
        return top | format->infinity | (u32)(fraction >> shift) | 1u << (format->fraction_bits - 1);
    if (magnitude > 0x7ff0000000000000)
        return format->nan;
    if (sign && (aux & NARROW_RELU))
        return 0;
    if (exponent == -1023)
        exponent = -1022;
    else
        fraction |= (u64)1 << 52;
    if (exponent < least) {
        shift = least - exponent + (s32)shift > 63 ? 63 : shift + (u32)(least - exponent);
        exponent = least;
    }
    u64 kept = fraction >> shift, rest = fraction & (((u64)1 << shift) - 1), tie = (u64)1 << (shift - 1);
    bool up = mode == ROUND_RN    ? rest > tie || (rest == tie && (kept & 1))
              : mode == ROUND_RNA ? rest >= tie
              : mode == ROUND_RM  ? sign && rest
              : mode == ROUND_RP  ? !sign && rest
                                  : false;
    u64 encoded = ((u64)(u32)(exponent - least) << format->fraction_bits) + kept + up;
    if (encoded <= format->largest)
        return top | (u32)encoded;
    bool infinite = magnitude == 0x7ff0000000000000;
    bool stays = mode == ROUND_RZ || (mode == ROUND_RM && !sign) || (mode == ROUND_RP && sign);
    return top | ((aux & NARROW_FINITE) || (stays && !infinite) ? format->largest : format->infinity);
}

static inline u32 narrow_tf32(f32 a, u32 aux)
{
    if (a != a)
        return (aux >> NARROW_ROUND_SHIFT & 7) == ROUND_RNA ? 0x7fffffff : 0x7fffe000;
    return narrow(a, aux) << 13;
}

static inline u32 widen_fp8(u32 byte, bool e5m2)
{
    if (e5m2)
        return (byte & 0x7f) > 0x7c ? 0x7fff : byte << 8;
    u32 sign = (byte & 128) << 8, exponent = byte >> 3 & 15, fraction = byte & 7;
    if ((byte & 0x7f) == 0x7f)
        return 0x7fff;
    if (exponent == 0)
        return sign | narrow((f64)fraction * 0x1p-9, 0);
    return sign | (exponent + 8) << 10 | fraction << 7;
}

static inline u32 fp8_pair(u32 bytes, u32 aux)
{
    u32 low = widen_fp8(bytes & 255, aux & 1), high = widen_fp8(bytes >> 8, aux & 1);

    if (aux & 2) {
        low = low & 0x8000 ? 0 : low;
        high = high & 0x8000 ? 0 : high;
    }
    return low | high << 16;
}

/* a + b to 53 bits, the last of them odd where the sum is not exact: rounding
 * it again, to less than 52 bits, gives what rounding once would. */
static inline f64 add_odd(f64 a, f64 b)
{
    f64 sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
    u64 bits = bits_f64(sum);

    if (error == 0 || error != error || (bits & 1))
        return sum;
    return from_bits_f64((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

static inline u32 half_minmax(u32 a, u32 b, u32 aux)
{
    bool is_bf16 = aux & HALF_BF16, max = (aux & HALF_OPERATION) == HALF_MAX;
    f32 x = (f32)half_value(a, is_bf16), y = (f32)half_value(b, is_bf16);

    if (x != x || y != y) {
        if (aux & HALF_NAN || (x != x && y != y))
            return 0x7fff;
        return x != x ? b : a;
    }
    if (x == y)
        return max ? a & b : a | b;
    return (x < y) == max ? b : a;
}

static inline u32 half_flush(u32 a, u32 aux)
{
    return (aux & HALF_FTZ) && (a & 0x7c00) == 0 ? a & 0x8000 : a;
}

static u32 half_compute(u32 a, u32 b, u32 c, u32 aux)
{
    bool is_bf16 = aux & HALF_BF16;
    f64 x = half_value(a = half_flush(a, aux), is_bf16), y = half_value(b = half_flush(b, aux), is_bf16),
        z = half_value(c = half_flush(c, aux), is_bf16);
    f64 result = 0;

    switch (aux & HALF_OPERATION) {
    case HALF_ADD:
        result = add_odd(x, y);
        break;
    case HALF_SUB:
        result = add_odd(x, -y);
        break;
    case HALF_MUL:
        result = x * y;
        break;
    case HALF_FMA:
        result = add_odd(x * y, z);
        break;
    case HALF_NEG:
        return a ^ 0x8000;
    case HALF_ABS:
        return a & 0x7fff;
    case HALF_MIN:
    case HALF_MAX:
        return half_minmax(a, b, aux);
    case HALF_EX2:
        result = exp2(x);
        break;
    case HALF_TANH:
        result = tanh(x);
        break;
    }
    if (aux & HALF_SAT)
        result = result > 0 ? (result < 1 ? result : 1) : 0;
    return half_flush(
        narrow(result, (is_bf16 ? NARROW_BF16 : NARROW_F16) | (aux & HALF_RELU ? NARROW_RELU : 0)), aux);
}

/* o: result, a, b, c; aux: HALF_* */
EXECUTOR(exec_half)
{
    u16 *d = SLOT(u16, in->o[0]);
    const u16 *a = SLOT(u16, in->o[1]), *b = SLOT(u16, in->o[2]), *c = SLOT(u16, in->o[3]);

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        d[lane] = (u16)half_compute(a[lane], b[lane], c[lane], in->aux);
    }
    return in + 1;
}

EXECUTOR(exec_half2)
{
    u32 *d = SLOT(u32, in->o[0]);
    const u32 *a = SLOT(u32, in->o[1]), *b = SLOT(u32, in->o[2]), *c = SLOT(u32, in->o[3]);

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u32 low = half_compute(a[lane] & 0xffff, b[lane] & 0xffff, c[lane] & 0xffff, in->aux);
        d[lane] = low | half_compute(a[lane] >> 16, b[lane] >> 16, c[lane] >> 16, in->aux) << 16;
    }
    return in + 1;
}
