/* SPDX-License-Identifier: MIT */
/* test_stats.c: median and quartiles of few values, of an even and an odd number of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats.h"

static void stats_of_none_are_nan(void **state)
{
    (void)state;
    struct stats stats = stats_of(NULL, 0);
    assert_true(isnan(stats.median) && isnan(stats.q1) && isnan(stats.q3));
}

static void stats_of_one_are_it(void **state)
{
    (void)state;
    double values[] = {7.5};
    struct stats stats = stats_of(values, 1);
    assert_true(stats.median == 7.5 && stats.q1 == 7.5 && stats.q3 == 7.5);
}

static void stats_of_odd_number_take_the_middle(void **state)
{
    (void)state;
    double values[] = {9.0, 1.0, 5.0, 3.0, 7.0};
    struct stats stats = stats_of(values, 5);
    assert_true(stats.median == 5.0 && stats.q1 == 3.0 && stats.q3 == 7.0);
}

static void stats_of_even_number_interpolate(void **state)
{
    (void)state;
    double values[] = {4.0, 1.0, 3.0, 2.0};
    struct stats stats = stats_of(values, 4);
    assert_true(stats.median == 2.5 && stats.q1 == 1.75 && stats.q3 == 3.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats_of_none_are_nan),
        cmocka_unit_test(stats_of_one_are_it),
        cmocka_unit_test(stats_of_odd_number_take_the_middle),
        cmocka_unit_test(stats_of_even_number_interpolate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
