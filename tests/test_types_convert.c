/* SPDX-License-Identifier: MIT */
/* test_types_convert.c: isomat_matrix_copy between all element types and isomat_matrix_fill, to the bit.
 *
 * The expected bits come from integer arithmetic on the bits given: to nearest, ties to even, subnormal
 * numbers and infinity included.  A NaN stays a NaN; its payload is kept only where the type stays.
 */
#include <math.h>

#include "tests/support/device.h"
#include "tests/support/operand.h"
#include "tests/support/typed.h"

#define F32 ISOMAT_TYPE_F32
#define F16 ISOMAT_TYPE_F16
#define BF16 ISOMAT_TYPE_BF16
#define SIXTEEN_BITS 65536

/* ---------------------------------------------------------------- reference */

/* Cuts off so many low bits, to nearest, ties to even. */
static uint32_t shift_to_even(uint32_t bits, int shift)
{
    if (shift > 31)
        return 0;
    const uint32_t kept = bits >> shift, rest = bits & ((1u << shift) - 1), half = 1u << (shift - 1);

    return kept + (rest > half || (rest == half && kept % 2 == 1));
}

static uint32_t float_to_bf16(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : shift_to_even(bits, 16);
}

static uint32_t float_to_f16(uint32_t bits)
{
    const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    const int exponent = (int)(magnitude >> 23) - 127;

    if (magnitude > 0x7f800000)
        return sign | 0x7e00;
    if (exponent > 15)
        return sign | 0x7c00;
    if (exponent >= -14) /* a carry moves into the exponent, at last to infinity */
        return sign | shift_to_even(magnitude - ((127 - 15) << 23), 13);
    return sign | shift_to_even((magnitude & 0x7fffff) | 0x800000, 13 + -14 - exponent);
}

static uint32_t f16_to_float(uint32_t bits)
{
    const uint32_t sign = (bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;

    if (exponent == 31)
        return sign | 0x7f800000 | fraction << 13;
    if (exponent != 0)
        return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0)
        return sign;
    for (exponent = 113; (fraction & 0x400) == 0; exponent--)
        fraction <<= 1;
    return sign | exponent << 23 | (fraction & 0x3ff) << 13;
}

static uint32_t converted(int32_t to, int32_t from, uint32_t bits)
{
    if (to == from)
        return bits;
    const uint32_t wide = from == F32 ? bits : from == F16 ? f16_to_float(bits) : bits << 16;
    return to == F32 ? wide : to == F16 ? float_to_f16(wide) : float_to_bf16(wide);
}

static int same(int32_t to, int32_t from, uint32_t got, uint32_t wanted)
{
    if (got == wanted)
        return 1;
    return to != from && isnan(typed_decode(to, got)) && isnan(typed_decode(to, wanted));
}

/* The integers above and the doubles of typed.c are two ways to the same. */
static void references_agree(void **state)
{
    uint64_t sequence = operand_seed();

    (void)state;
    for (int i = 0; i < 300000; i++) {
        const uint32_t bits = (uint32_t)operand_random(&sequence, 1ULL << 32);
        const uint32_t high = bits & 0xffff;
        const double value = typed_decode(F32, bits);
        assert_true(same(F16, F32, typed_encode(F16, value), float_to_f16(bits)));
        assert_true(same(BF16, F32, typed_encode(BF16, value), float_to_bf16(bits)));
        assert_true(same(F32, F16, typed_encode(F32, typed_decode(F16, high)), f16_to_float(high)));
    }
}

/* --------------------------------------------------------------------- copy */

static double nothing(int64_t i, int64_t j, void *context)
{
    (void)i, (void)j, (void)context;
    return (double)NAN;
}

/* Any bits, half of them of a size that float16 has, some special. */
static uint32_t any_bits(int32_t type, uint64_t *sequence)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7f800001,
                                       0xffc12345, 0x00000001, 0x807fffff, 0x7f7fffff, 0x477fefff,
                                       0x477ff000, 0x33000000, 0x33000001, 0xb8801000, 0x3f801000,
                                       0x3f803000, 0x3f808000, 0x3f818000};
    const uint32_t bits = (uint32_t)operand_random(sequence, 1ULL << 32);

    if (type != F32)
        return bits & 0xffff;
    if (bits % 8 == 0)
        return special[operand_random(sequence, TEST_COUNT(special))];
    return bits % 2 == 0 ? bits : (bits & 0x807fffff) | (100 + (bits >> 23) % 45) << 23;
}

static void check_copied(const struct typed *to, const struct typed *from)
{
    uint8_t *got = typed_download(to), *source = typed_download(from);

    assert_true(typed_intact(to, got, 1));
    assert_true(typed_intact(from, source, 0));
    for (int64_t i = 0; i < to->rows; i++)
        for (int64_t j = 0; j < to->cols; j++) {
            const uint32_t given = typed_bits(from, from->host, i, j), value = typed_bits(to, got, i, j);
            const uint32_t wanted = converted(to->type, from->type, given);
            if (same(to->type, from->type, value, wanted))
                continue;
            print_error("(%lld, %lld): 0x%x of type %d became 0x%x of type %d, should be 0x%x; ld %lld and "
                        "%lld, offset %lld and %lld\n",
                        (long long)i, (long long)j, given, (int)from->type, value, (int)to->type, wanted,
                        (long long)to->ld, (long long)from->ld, (long long)to->offset,
                        (long long)from->offset);
            fail();
        }
    free(got);
    free(source);
}

static void copy_and_check(struct typed *to, const struct typed *from, isomat_stream stream)
{
    isomat_matrix destination, source;

    typed_reset(from);
    destination = typed_adopt(to);
    source = typed_adopt(from);
    assert_ok(isomat_context_synchronize(to->context));
    assert_ok(isomat_matrix_copy(destination, source, stream));
    assert_ok(isomat_context_synchronize(to->context));
    check_copied(to, from);
    assert_ok(isomat_matrix_destroy(destination));
    assert_ok(isomat_matrix_destroy(source));
}

static void check_copy(isomat_context context, int pair, int layouts, int64_t rows, int64_t cols)
{
    static uint64_t sequence;
    struct typed to, from;

    sequence += operand_seed();
    typed_create(&to, context, F32 + pair / 3, rows, cols, (enum typed_layout)(layouts / TYPED_LAYOUTS),
                 nothing, NULL);
    typed_create(&from, context, F32 + pair % 3, rows, cols, (enum typed_layout)(layouts % TYPED_LAYOUTS),
                 nothing, NULL);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            typed_put(&from, i, j, any_bits(from.type, &sequence));
    copy_and_check(&to, &from, ISOMAT_NONE);
    typed_destroy(&to);
    typed_destroy(&from);
}

/* All pairs of types, all pairs of layouts; widths around vectors and around what one block has. */
static void copy_rounds_in_every_layout(void **state)
{
    static const int64_t sizes[][2] = {{1, 1},  {3, 2},   {5, 3},  {4, 4},    {17, 36},  {9, 37}, {33, 5},
                                       {1, 63}, {2, 255}, {70, 1}, {3, 1030}, {2, 4100}, {300, 6}};

    for (int pair = 0; pair < 9; pair++)
        for (int layouts = 0; layouts < TYPED_LAYOUTS * TYPED_LAYOUTS; layouts++)
            for (size_t s = 0; s < TEST_COUNT(sizes); s++)
                check_copy(device_context(state), pair, layouts, sizes[s][0], sizes[s][1]);
}

/* More elements than the blocks of one grid have, both ways round. */
static void copy_of_many_elements(void **state)
{
    const int64_t large = device_is_host() ? 300000 : 3000000;

    for (int pair = 0; pair < 9; pair++) {
        check_copy(device_context(state), pair, pair, large / 1001, 1001);
        check_copy(device_context(state), pair, pair + 4, large / 5, 5);
    }
}

/* Every 16-bit number to every type. */
static void all_sixteen_bit_numbers(void **state)
{
    struct typed to, from;

    for (int pair = 0; pair < 9; pair++) {
        if (pair % 3 == 0)
            continue;
        typed_create(&to, device_context(state), F32 + pair / 3, 256, 256, TYPED_DENSE, nothing, NULL);
        typed_create(&from, device_context(state), F32 + pair % 3, 256, 256, TYPED_ODD, nothing, NULL);
        for (int64_t i = 0; i < SIXTEEN_BITS; i++)
            typed_put(&from, i / 256, i % 256, (uint32_t)i);
        copy_and_check(&to, &from, ISOMAT_NONE);
        typed_destroy(&to);
        typed_destroy(&from);
    }
}

/* To float32 and back every 16-bit number is what it was, a NaN some NaN. */
static void widening_loses_nothing(void **state)
{
    isomat_context context = device_context(state);
    uint16_t *sent = malloc(SIXTEEN_BITS * sizeof(*sent)), *got = malloc(SIXTEEN_BITS * sizeof(*got));
    isomat_matrix narrow, wide, again;

    assert_true(sent != NULL && got != NULL);
    for (int i = 0; i < SIXTEEN_BITS; i++)
        sent[i] = (uint16_t)i;
    for (int32_t type = F16; type <= BF16; type++) {
        assert_ok(isomat_matrix_from_host(&narrow, context, sent, 128, 512, 512, type, ISOMAT_NONE));
        assert_ok(isomat_matrix_create(&wide, context, 128, 512, F32, ISOMAT_NONE));
        assert_ok(isomat_matrix_create(&again, context, 128, 512, type, ISOMAT_NONE));
        assert_ok(isomat_matrix_copy(wide, narrow, ISOMAT_NONE));
        assert_ok(isomat_matrix_copy(again, wide, ISOMAT_NONE));
        assert_ok(isomat_matrix_to_host(got, 512, again, ISOMAT_NONE));
        for (int i = 0; i < SIXTEEN_BITS; i++)
            assert_true(got[i] == sent[i] ||
                        (isnan(typed_decode(type, sent[i])) && isnan(typed_decode(type, got[i]))));
        assert_ok(isomat_matrix_destroy(narrow));
        assert_ok(isomat_matrix_destroy(wide));
        assert_ok(isomat_matrix_destroy(again));
    }
    free(sent);
    free(got);
}

/* The float32 numbers half way between two neighbours of a 16-bit type, and their own neighbours:
 * every tie, every rounding to a subnormal number and to infinity. */
static void every_tie_is_rounded_to_even(void **state)
{
    for (int32_t type = F16; type <= BF16; type++)
        for (int step = -1; step <= 1; step++) {
            struct typed to, from;
            typed_create(&to, device_context(state), type, 256, 256, TYPED_EVEN, nothing, NULL);
            typed_create(&from, device_context(state), F32, 256, 256, TYPED_DENSE, nothing, NULL);
            for (int64_t i = 0; i < SIXTEEN_BITS; i++) {
                const double lower = typed_decode(type, (uint32_t)i),
                             next = typed_decode(type, (uint32_t)i + 1);
                const double below = typed_decode(type, (uint32_t)i - 1);
                const double middle =
                    isinf(next) && !isinf(lower) ? lower + (lower - below) / 2 : (lower + next) / 2;
                typed_put(&from, i / 256, i % 256, typed_encode(F32, middle) + (uint32_t)step);
            }
            copy_and_check(&to, &from, ISOMAT_NONE);
            typed_destroy(&to);
            typed_destroy(&from);
        }
}

static void copy_on_another_stream(void **state)
{
    isomat_stream stream;
    struct typed to, from;

    assert_ok(isomat_stream_create(&stream, device_context(state), 0));
    typed_create(&to, device_context(state), BF16, 60, 70, TYPED_DENSE, nothing, NULL);
    typed_create(&from, device_context(state), F32, 60, 70, TYPED_DENSE, nothing, NULL);
    for (int64_t i = 0; i < 60 * 70; i++)
        typed_put(&from, i / 70, i % 70, typed_encode(F32, sqrt((double)i)));
    copy_and_check(&to, &from, stream);
    typed_destroy(&to);
    typed_destroy(&from);
    assert_ok(isomat_stream_destroy(stream));
}

/* --------------------------------------------------------------------- fill */

static void check_fill(isomat_context context, int32_t type, double value)
{
    static unsigned turn;
    static const int64_t sizes[][2] = {{1, 1}, {5, 9}, {4, 8}, {3, 33}, {70, 2}};
    const int64_t rows = sizes[turn % 5][0], cols = sizes[turn % 5][1];
    const uint32_t wanted = typed_encode(type, value);
    struct typed x;

    typed_create(&x, context, type, rows, cols, (enum typed_layout)(turn++ / 5 % TYPED_LAYOUTS), nothing,
                 NULL);
    isomat_matrix matrix = typed_adopt(&x);
    assert_ok(isomat_matrix_fill(matrix, value, ISOMAT_NONE));
    uint8_t *got = typed_download(&x);
    assert_true(typed_intact(&x, got, 1));
    for (int64_t i = 0; i < rows * cols; i++) {
        const uint32_t bits = typed_bits(&x, got, i / cols, i % cols);
        if (bits == wanted || (isnan(value) && isnan(typed_decode(type, bits))))
            continue;
        print_error("%a as type %d: 0x%x, should be 0x%x\n", value, (int)type, bits, wanted);
        fail();
    }
    free(got);
    assert_ok(isomat_matrix_destroy(matrix));
    typed_destroy(&x);
}

/* Around the middle of two neighbours, nearer than float32 can tell: rounded twice they come out wrong. */
static void check_fill_near_tie(isomat_context context, int32_t type, double lower, double upper)
{
    const double middle = lower + (upper - lower) / 2;

    for (int sign = -1; sign <= 1; sign += 2) {
        check_fill(context, type, sign * middle);
        check_fill(context, type, sign * middle * (1 + 0x1p-40));
        check_fill(context, type, sign * middle * (1 - 0x1p-40));
        check_fill(context, type, sign * nextafter(middle, 0));
        check_fill(context, type, sign * nextafter(middle, (double)INFINITY));
        check_fill(context, type, sign * lower);
    }
}

static void fill_rounds_once(void **state)
{
    /* numbers of each type: around 1, odd and even, the ends of the subnormal range, the largest */
    static const uint32_t patterns[3][9] = {
        {0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x3f800001, 0x3fffffff, 0x47123457, 0x7f7ffffe},
        {0, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x3fff, 0x5a31, 0x7bfe},
        {0, 1, 0x7f, 0x80, 0x3f80, 0x3f81, 0x3fff, 0x4713, 0x7f7e}};
    static const double largest[] = {0x1.fffffep127, 65504, 0x1.fep127};
    static const double units[] = {0x1p104, 32, 0x1p120};
    isomat_context context = device_context(state);

    for (int32_t type = F32; type <= BF16; type++) {
        const int t = type - F32;
        for (size_t i = 0; i < TEST_COUNT(patterns[t]); i++)
            check_fill_near_tie(context, type, typed_decode(type, patterns[t][i]),
                                typed_decode(type, patterns[t][i] + 1));
        check_fill_near_tie(context, type, largest[t], largest[t] + units[t]);
    }
    check_fill(context, F16, 1 + 0x1p-11 + 0x1p-40);
    check_fill(context, BF16, 1 + 0x1p-8 + 0x1p-40);
}

static void fill_of_any_double(void **state)
{
    static const double values[] = {0,        -0.0,     1,         0.1,     -0.1,     1e300,    -1e300,
                                    1e-300,   -1e-300,  5e-324,    1e-40,   16777217, 65519.99, 65520,
                                    -65520.1, 0x1p-24,  0x1p-25,   0x1p-26, 1e38,     3.4e38,   3.5e38,
                                    0x1p-133, 0x1p-134, -0x1p-149, 0x1p-150};
    uint64_t sequence = operand_seed();

    for (int32_t type = F32; type <= BF16; type++) {
        for (size_t i = 0; i < TEST_COUNT(values); i++)
            check_fill(device_context(state), type, values[i]);
        check_fill(device_context(state), type, (double)NAN);
        check_fill(device_context(state), type, (double)INFINITY);
        check_fill(device_context(state), type, (double)-INFINITY);
        for (int i = 0; i < 100; i++)
            check_fill(device_context(state), type,
                       ldexp((double)operand_random(&sequence, 1ULL << 53),
                             (int)operand_random(&sequence, 40) - 70));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(references_agree),       device_test(copy_rounds_in_every_layout),
        device_test(copy_of_many_elements),  device_test(all_sixteen_bit_numbers),
        device_test(widening_loses_nothing), device_test(every_tie_is_rounded_to_even),
        device_test(copy_on_another_stream), device_test(fill_rounds_once),
        device_test(fill_of_any_double),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
