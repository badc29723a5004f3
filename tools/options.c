/* SPDX-License-Identifier: MIT */
/* options.c: one option parser for all verbs, on top of getopt_long. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options.h"

enum { MAX_ROWS = 48, LONG_CODE = 256 };

bool parse_integer(int64_t *number, const char *text, int64_t minimum, int64_t maximum)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || value < minimum || value > maximum)
        return false;
    *number = value;
    return true;
}

static void print_help(const struct option_set *set)
{
    printf("Usage: isomat %s [options]%s%s\n\n%s\n\nOptions:\n", set->verb, *set->operands ? " " : "",
           set->operands, set->description);
    for (const struct option_row *row = set->rows; row->name; row++) {
        char left[64], letter[8] = "    ";
        if (row->letter)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->value ? " " : "",
                 row->value ? row->value : "");
        printf("  %-30s %s\n", left, row->help);
    }
    printf("  %-30s %s\n", "-h, --help", "show this help");
}

/* Stores one value; returns false after saying what is wrong with it. */
static bool store(const struct option_set *set, const struct option_row *row, const char *text)
{
    char *end;
    double number;
    const char *reason;

    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->target = true;
        return true;
    case OPTION_TEXT:
        *(const char **)row->target = text;
        return true;
    case OPTION_INTEGER:
        if (parse_integer(row->target, text, row->minimum, row->maximum))
            return true;
        fail_usage(set->verb, "--%s %s: not a whole number from %" PRId64 " to %" PRId64, row->name, text,
                   row->minimum, row->maximum);
        return false;
    case OPTION_NUMBER:
        number = strtod(text, &end);
        if (end != text && !*end && isfinite(number)) {
            *(double *)row->target = number;
            return true;
        }
        fail_usage(set->verb, "--%s %s: not a finite number", row->name, text);
        return false;
    case OPTION_CUSTOM:
        reason = row->parse(row->target, text);
        if (!reason)
            return true;
        fail_usage(set->verb, "--%s %s: %s", row->name, text, reason);
        return false;
    }
    return false;
}

/* Fills what getopt_long wants from the rows; returns the number of rows. */
static int make_tables(const struct option_set *set, struct option *longs, char *shorts)
{
    int count = 0;
    *shorts++ = ':'; /* tell a missing value from an unknown option */
    *shorts++ = 'h';
    for (const struct option_row *row = set->rows; row->name && count < MAX_ROWS; row++, count++) {
        int has_value = row->kind != OPTION_FLAG;
        longs[count] = (struct option){row->name, has_value, NULL, LONG_CODE + count};
        if (row->letter) {
            *shorts++ = row->letter;
            if (has_value)
                *shorts++ = ':';
        }
    }
    longs[count] = (struct option){"help", no_argument, NULL, 'h'};
    *shorts = 0;
    return count;
}

static const struct option_row *find_row(const struct option_set *set, int code, int count)
{
    if (code >= LONG_CODE && code < LONG_CODE + count)
        return &set->rows[code - LONG_CODE];
    for (int i = 0; i < count; i++)
        if (set->rows[i].letter && set->rows[i].letter == code)
            return &set->rows[i];
    return NULL;
}

bool options_parse(const struct option_set *set, int argc, char **argv, int *first, int *status)
{
    struct option longs[MAX_ROWS + 2] = {{0}};
    char shorts[2 * MAX_ROWS + 4];
    int count = make_tables(set, longs, shorts);
    int code;

    *status = STATUS_USAGE;
    opterr = 0;
    optind = 0; /* glibc: begin anew */
    while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (code == 'h') {
            print_help(set);
            *status = finish_output();
            return false;
        }
        if (code == ':') {
            fail_usage(set->verb, "%s needs a value", argv[optind - 1]);
            return false;
        }
        const struct option_row *row = find_row(set, code, count);
        if (!row) {
            if (optopt > 0 && optopt < LONG_CODE)
                fail_usage(set->verb, "unknown option -%c", optopt);
            else
                fail_usage(set->verb, "%s %s", optopt ? "no value is taken by" : "unknown option",
                           argv[optind - 1]);
            return false;
        }
        if (!store(set, row, optarg))
            return false;
    }
    *first = optind;
    int operands = argc - optind;
    if (set->max_operands == 0 && operands > 0)
        fail_usage(set->verb, "unexpected operand %s", argv[optind]);
    else if (operands < set->min_operands || (set->max_operands >= 0 && operands > set->max_operands))
        fail_usage(set->verb, "%d operands given where %s is wanted", operands, set->operands);
    else
        *status = STATUS_OK;
    return *status == STATUS_OK;
}
