/* SPDX-License-Identifier: MIT */
/* exec_math.h: what the expressions of the instruction table call. */

static inline s64 divide_signed(s64 a, s64 b)
{
    return b == 0 ? -1 : b == -1 ? (s64)(0 - (u64)a) : a / b;
}

static inline s64 remainder_signed(s64 a, s64 b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static inline s32 saturate_s32(s64 a)
{
    return a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : (s32)a;
}

static inline u32 reverse_u32(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

static inline u32 find_u64(u64 a)
{
    return a == 0 ? ~0u : 63 - (u32)__builtin_clzll(a | 1);
}

static inline u64 extract_u64(u64 a, u32 position, u32 length, u32 bits)
{
    u64 field = position >= bits ? 0 : a >> (position & 63);
    return length >= 64 ? field : field & (((u64)1 << (length & 63)) - 1);
}

/* The sign is bit min(position + length - 1, bits - 1), and is also what lies
 * beyond the value. */
static inline s64 extract_s64(s64 a, u32 position, u32 length, u32 bits)
{
    if (length == 0)
        return 0;
    u32 top = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    u64 sign = (u64)a >> top & 1;
    if (position >= bits)
        return -(s64)sign;
    u32 width = top - position + 1;
    u64 field = (u64)a >> position;
    if (width >= 64)
        return (s64)field;
    u64 low = ((u64)1 << width) - 1;
    return (s64)(sign ? field | ~low : field & low);
}

static inline u32 permute(u32 a, u32 b, u32 control)
{
    u64 bytes = (u64)b << 32 | a;
    u32 result = 0;

    for (int i = 0; i < 4; i++) {
        u32 choice = control >> (4 * i) & 15;
        u32 byte = (u32)(bytes >> (8 * (choice & 7))) & 255;
        if (choice & 8)
            byte = byte & 128 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}

enum { PERMUTE_F4E, PERMUTE_B4E, PERMUTE_RC8, PERMUTE_ECL, PERMUTE_ECR, PERMUTE_RC16 };

static inline u32 permute_mode(u32 a, u32 b, u32 c, u32 mode)
{
    static const u16 control[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
        {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},
    };
    return permute(a, b, control[mode][c & 3]);
}

static inline u32 bit_mask(u32 position, u32 length)
{
    u64 ones = length >= 32 ? 0xffffffffu : ((u64)1 << length) - 1;
    return position >= 32 ? 0 : (u32)(ones << position);
}

static inline s32 element(u32 a, u32 at, u32 bits, bool is_signed)
{
    u32 value = a >> at * bits & ((1u << bits) - 1);

    return is_signed && (value >> (bits - 1)) != 0 ? (s32)value - (1 << bits) : (s32)value;
}

/* aux: 1: a signed, 2: b signed, 4: b's upper half */
static inline u32 dot2(u32 a, u32 b, u32 aux)
{
    u32 at = aux & 4 ? 2 : 0;

    return (u32)(element(a, 0, 16, aux & 1) * element(b, at, 8, aux & 2)) +
           (u32)(element(a, 1, 16, aux & 1) * element(b, at + 1, 8, aux & 2));
}

/* which: 1: the larger of each, 2: signed */
static inline u32 both_halves(u32 a, u32 b, u32 which)
{
    u32 result = 0;

    for (u32 i = 0; i < 2; i++) {
        s32 x = element(a, i, 16, which & 2), y = element(b, i, 16, which & 2);
        result |= ((u32)((x > y) == (which & 1) ? x : y) & 0xffff) << 16 * i;
    }
    return result;
}

static inline u32 dot4(u32 a, u32 b, int a_signed, int b_signed)
{
    u32 sum = 0;

    for (int i = 0; i < 32; i += 8) {
        s32 x = a_signed ? (s8)(a >> i) : (s32)(u8)(a >> i);
        s32 y = b_signed ? (s8)(b >> i) : (s32)(u8)(b >> i);
        sum += (u32)(x * y);
    }
    return sum;
}

static inline u32 bits_f32(f32 a)
{
    u32 bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline f32 from_bits_f32(u32 bits)
{
    f32 a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static inline u64 bits_f64(f64 a)
{
    u64 bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static inline f64 from_bits_f64(u64 bits)
{
    f64 a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* A float32 result that is a NaN has one form. */
static inline f32 canonical(f32 a)
{
    return a != a ? from_bits_f32(0x7fffffff) : a;
}

/* .ftz: a subnormal becomes zero of its sign. */
static inline f32 flush(f32 a)
{
    u32 bits = bits_f32(a);
    return from_bits_f32((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

static inline f64 flush64(f64 a)
{
    u64 bits = bits_f64(a);
    return from_bits_f64((bits & 0x7ff0000000000000) == 0 ? bits & 0x8000000000000000 : bits);
}

/* rcp.approx.ftz.f64 and its like give the upper 32 bits only. */
static inline f64 high_word(f64 a)
{
    return flush64(from_bits_f64(bits_f64(a) & 0xffffffff00000000));
}

/* -0 is less than +0, and a NaN loses. */
static inline f32 min_f32(f32 a, f32 b)
{
    f32 lower = a < b ? a : b;
    lower = a == b ? from_bits_f32(bits_f32(a) | bits_f32(b)) : lower;
    lower = b != b ? a : lower;
    return a != a ? (b != b ? from_bits_f32(0x7fffffff) : b) : lower;
}

static inline f32 max_f32(f32 a, f32 b)
{
    f32 upper = a > b ? a : b;
    upper = a == b ? from_bits_f32(bits_f32(a) & bits_f32(b)) : upper;
    upper = b != b ? a : upper;
    return a != a ? (b != b ? from_bits_f32(0x7fffffff) : b) : upper;
}

static inline f64 min_f64(f64 a, f64 b)
{
    f64 lower = a < b ? a : b;
    lower = a == b ? from_bits_f64(bits_f64(a) | bits_f64(b)) : lower;
    return a != a ? b : b != b ? a : lower;
}

static inline f64 max_f64(f64 a, f64 b)
{
    f64 upper = a > b ? a : b;
    upper = a == b ? from_bits_f64(bits_f64(a) & bits_f64(b)) : upper;
    return a != a ? b : b != b ? a : upper;
}

/* The value is integral already.  NaN gives 0 from float32 to 32 bits, else
 * the integer with only the top bit set, of the type that was asked for. */
static inline s32 to_s32(f64 a, int wide)
{
    if (a != a)
        return wide ? INT32_MIN : 0;
    return a >= 2147483647.0 ? INT32_MAX : a <= -2147483648.0 ? INT32_MIN : (s32)a;
}

static inline u32 to_u32(f64 a, u32 nan)
{
    if (a != a)
        return nan;
    return a >= 4294967295.0 ? UINT32_MAX : a <= 0 ? 0 : (u32)(s64)a;
}

static inline s64 to_s64(f64 a)
{
    if (a != a)
        return INT64_MIN;
    return a >= 9223372036854775808.0 ? INT64_MAX : a < -9223372036854775808.0 ? INT64_MIN : (s64)a;
}

static inline u64 to_u64(f64 a)
{
    if (a != a)
        return (u64)1 << 63;
    return a >= 18446744073709551616.0 ? UINT64_MAX : a <= 0 ? 0 : (u64)a;
}

/* An integer that float64 holds, and that rounds to fewer bits as a does: what is lost stays as one bit. */
static inline u64 sticky(u64 a, u64 magnitude)
{
    return magnitude >> 53 == 0 ? a : (a & ~(u64)0x7ff) | (u64)((a & 0x7ff) != 0) << 11;
}

static const int host_rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
