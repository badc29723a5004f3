/* SPDX-License-Identifier: MIT */
/* test_run.c: what isomat run reads: values of each type, and expressions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "element.h"
#include "expression.h"

static long double value_of(const char *type, const char *text)
{
    unsigned char value[ELEMENT_MAX_BYTES];
    const struct element *element = element_by_name(type, strlen(type));
    assert_non_null(element);
    assert_null(element_parse(value, element, text));
    return element_get(element, value, 0);
}

static void assert_refused(const char *type, const char *text)
{
    unsigned char value[ELEMENT_MAX_BYTES];
    if (!element_parse(value, element_by_name(type, strlen(type)), text))
        fail_msg("%s:%s was taken", type, text);
}

static void whole_numbers_are_exact(void **state)
{
    (void)state;
    assert_true(value_of("i64", "-9223372036854775808") == -0x1p63L);
    assert_true(value_of("i64", "9223372036854775807") == 0x1p63L - 1);
    assert_true(value_of("u64", "18446744073709551615") == 0x1p64L - 1);
    assert_true(value_of("i8", "-128") == -128 && value_of("i8", "0x7f") == 127);
    assert_true(value_of("i16", "-32768") == -32768 && value_of("u16", "65535") == 65535);
    assert_true(value_of("i32", "-2147483648") == -0x1p31L && value_of("u32", "4294967295") == 0x1p32L - 1);
    assert_refused("i64", "9223372036854775808");
    assert_refused("i64", "-9223372036854775809");
    assert_refused("u64", "18446744073709551616");
    assert_refused("u32", "4294967296");
    assert_refused("u8", "-0");
    assert_refused("i32", "");
    assert_refused("i32", "1 ");
}

static void halves_are_rounded_to_nearest_even(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1", 1},
        {"-0.25", -0.25},
        {"65504", 65504},
        {"65519", 65504},
        {"2049", 2048}, /* ties */
        {"2051", 2052},
        {"4095.9", 4096}, /* carries into the exponent */
        {"6.103515625e-05", 0x1p-14},
        {"5.9604644775390625e-08", 0x1p-24},
        {"2.98e-08", 0}, /* below half of the smallest */
        {"3e-08", 0x1p-24},
        {"6.1e-05", 0x1p-14 - 0x1p-24},
        {"-inf", -INFINITY},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (value_of("f16", rows[i].text) != rows[i].value)
            fail_msg("%s became %Lg", rows[i].text, value_of("f16", rows[i].text));
    assert_true(isnan(value_of("f16", "nan")));
    assert_refused("f16", "65520");
    assert_refused("f32", "1e39");
    assert_refused("f64", "1e309");
    assert_true(value_of("f32", "0.1") == 0.1f && value_of("f64", "0.1") == 0.1);
}

/* Every float16 comes back from its own text. */
static void halves_are_read_as_they_are_written(void **state)
{
    const struct element *element = element_by_name("f16", 3);
    (void)state;
    for (uint32_t bits = 0; bits < 0x7c00; bits++) {
        uint16_t half = (uint16_t)bits, again;
        char text[64];
        snprintf(text, sizeof text, "%.17Lg", element_get(element, &half, 0));
        assert_null(element_parse(&again, element, text));
        assert_int_equal(again, half);
    }
}

static void dtypes_are_known(void **state)
{
    (void)state;
    assert_string_equal(element_by_dtype("<f4")->name, "f32");
    assert_string_equal(element_by_dtype("|u1")->name, "u8");
    assert_string_equal(element_by_dtype("<i1")->name, "i8");
    assert_null(element_by_dtype(">f4"));
    assert_null(element_by_dtype("<c8"));
    assert_null(element_by_name("f3", 2));
    assert_null(element_by_name("f320", 4));
}

static bool find_name(double *value, void *payload, const char *name, size_t length)
{
    *value = *(double *)payload;
    return length == 1 && *name == 'n';
}

static void expressions_are_evaluated(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1", 1},           {" 2 * n ^ 3 ", 2000}, {"2+3*4", 14}, {"(2+3)*4", 20}, {"7-4-2", 1},
        {"24/4/2", 3},      {"2^3^2", 512},        {"-2^2", -4},  {"2^-1", 0.5},   {"--3", 3},
        {"1e3+.5", 1000.5}, {"((((n))))", 10},
    };
    double n = 10, value;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(expression_evaluate(&value, rows[i].text, find_name, &n));
        if (value != rows[i].value)
            fail_msg("%s is %g", rows[i].text, value);
    }
}

static void expressions_that_are_none_are_refused(void **state)
{
    static const char *const texts[] = {"",   " ",   "1+", "*1", "(1",   "1)",  "1 1",   "m",    "n n",
                                        "()", "1/0", "#",  ".",  "2**3", "0/0", "1e999", "9^9^9"};
    double n = 10, value;
    char deep[1001];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!expression_evaluate(&value, texts[i], find_name, &n))
            fail_msg("%s was taken for %g", texts[i], value);
    for (const char *open = "(-"; *open; open++) {
        memset(deep, *open, sizeof deep - 1);
        deep[sizeof deep - 1] = 0;
        assert_non_null(expression_evaluate(&value, deep, find_name, &n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(halves_are_rounded_to_nearest_even),
        cmocka_unit_test(halves_are_read_as_they_are_written),
        cmocka_unit_test(dtypes_are_known),
        cmocka_unit_test(expressions_are_evaluated),
        cmocka_unit_test(expressions_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
