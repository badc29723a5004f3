/* SPDX-License-Identifier: MIT */
/* test_compute.c: what the compute modes make of a number, and the values of 16-bit elements. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute.h"

static void values_of_halves(void **state)
{
    static const struct {
        uint16_t bits;
        float f16, bf16;
    } rows[] = {
        {0x0000, 0.0f, 0.0f},
        {0x3c00, 1.0f, 0x1p-7f},
        {0xc000, -2.0f, -2.0f},
        {0x0001, 0x1p-24f, 0x1p-133f},
        {0x83ff, -1023 * 0x1p-24f, -0x1.fep-120f},
        {0x7bff, 65504.0f, 0x1.fep120f},
        {0x3f80, 1.875f, 1.0f},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(type_get(ISOMAT_TYPE_F16, &rows[i].bits, 0) == rows[i].f16);
        assert_true(type_get(ISOMAT_TYPE_BF16, &rows[i].bits, 0) == rows[i].bf16);
    }
    const uint16_t infinite[] = {0x7c00, 0xff80, 0x7e00};
    assert_true(isinf(type_get(ISOMAT_TYPE_F16, infinite, 0)));
    assert_true(type_get(ISOMAT_TYPE_BF16, infinite, 1) < 0 &&
                isinf(type_get(ISOMAT_TYPE_BF16, infinite, 1)));
    assert_true(isnan(type_get(ISOMAT_TYPE_F16, infinite, 2)));
}

/* Each 16-bit number is kept; halfway to its neighbour, the even one is taken. */
static void rounding_to_halves(void **state)
{
    static const int32_t modes[] = {ISOMAT_COMPUTE_F16, ISOMAT_COMPUTE_BF16};
    (void)state;
    for (int mode = 0; mode < 2; mode++)
        for (uint32_t bits = 0; bits < 0xffff; bits++) {
            const uint16_t pair[] = {(uint16_t)bits, (uint16_t)(bits + 1)};
            float low = type_get(compute_type(modes[mode]), pair, 0);
            float high = type_get(compute_type(modes[mode]), pair, 1);
            if (!isfinite(low))
                continue;
            assert_true(compute_round(modes[mode], low) == low);
            if (!isfinite(high) || signbit(low) != signbit(high))
                continue;
            float middle = low + (high - low) / 2;
            assert_true(compute_round(modes[mode], middle) == (bits % 2 ? high : low));
            assert_true(compute_round(modes[mode], nextafterf(middle, low)) == low);
            assert_true(compute_round(modes[mode], nextafterf(middle, high)) == high);
        }
}

static void rounding_of_others(void **state)
{
    (void)state;
    assert_true(compute_round(ISOMAT_COMPUTE_F32, 0x1.fffffep0f) == 0x1.fffffep0f);
    assert_true(compute_round(ISOMAT_COMPUTE_F32_STRICT, 0x1p-149f) == 0x1p-149f);
    assert_true(compute_round(ISOMAT_COMPUTE_TF32, 0x1.001p0f) == 1.0f);
    assert_true(compute_round(ISOMAT_COMPUTE_TF32, 0x1.002p0f) == 1.0f);
    assert_true(compute_round(ISOMAT_COMPUTE_TF32, 0x1.006p0f) == 0x1.008p0f);
    assert_true(compute_round(ISOMAT_COMPUTE_TF32, -0x1.0022p0f) == -0x1.004p0f);
    assert_true(isinf(compute_round(ISOMAT_COMPUTE_F16, 65520.0f)));
    assert_true(compute_round(ISOMAT_COMPUTE_F16, 65519.0f) == 65504.0f);
    assert_true(isinf(compute_round(ISOMAT_COMPUTE_BF16, 0x1.fffffep127f)));
    assert_true(isnan(compute_round(ISOMAT_COMPUTE_BF16, NAN)));
    assert_true(compute_round(ISOMAT_COMPUTE_F64, 0x1.fffffep0f) == 0x1.fffffep0f);
    assert_true(compute_bound(ISOMAT_COMPUTE_F64, 7) == 0x1p-50);
    assert_true(type_rounding(ISOMAT_TYPE_F32, 3.0) == 0.0);
    assert_true(type_rounding(ISOMAT_TYPE_F64, 3.0) == 0.0);
    assert_true(type_rounding(ISOMAT_TYPE_F16, -2.0) == 0x1p-10);
    assert_true(type_rounding(ISOMAT_TYPE_F16, 0x1p-20) == 0x1p-25);
    assert_true(type_rounding(ISOMAT_TYPE_BF16, 2.0) == 0x1p-7);
}

static void names(void **state)
{
    int32_t compute = -1;
    (void)state;
    for (int32_t mode = ISOMAT_COMPUTE_F32; mode <= ISOMAT_COMPUTE_F64; mode++) {
        assert_null(parse_compute(&compute, compute_name(mode)));
        assert_int_equal(compute, mode);
        const char *reason = parse_file_compute(&compute, compute_name(mode));
        assert_int_equal(reason == NULL, type_bytes(compute_type(mode)) > 2);
    }
    assert_non_null(parse_compute(&compute, "f128"));
    assert_non_null(parse_compute(&compute, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_halves),
        cmocka_unit_test(rounding_to_halves),
        cmocka_unit_test(rounding_of_others),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
