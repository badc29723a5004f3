/* SPDX-License-Identifier: MIT */
/* records.h: rows of results, written as a table, as CSV or as JSON. */
#ifndef ISOMAT_TOOLS_RECORDS_H
#define ISOMAT_TOOLS_RECORDS_H

#include <stddef.h>
#include <stdio.h>

#include "json.h"

enum column_format {
    COLUMN_TEXT,
    COLUMN_INTEGER,
    COLUMN_NUMBER,  /* four significant digits in the table */
    COLUMN_PERCENT, /* a fraction; in the table as a percentage */
    COLUMN_ERROR,   /* two digits and an exponent in the table */
};

struct column {
    const char *key;   /* in CSV and JSON; NULL: only in the table */
    const char *title; /* in the table; NULL: only in CSV and JSON */
    enum column_format format;
};

struct cell {
    double number; /* NaN: absent */
    char text[96];
    bool has_text;
};

struct records {
    const struct column *columns;
    size_t column_count;
    struct cell *cells;
    size_t rows, capacity;
};

/* Appends a row whose cells are all absent; NULL when there is no memory. */
struct cell *records_add(struct records *records);
void records_free(struct records *records);

void cell_set_text(struct cell *cell, const char *text);

/* A column without any value is left out of the table. */
void records_write_table(const struct records *records, FILE *file);

/* RFC 4180, with a header line; absent values are empty. */
void records_write_csv(const struct records *records, FILE *file);

/* An array of objects; absent values are null. */
void records_write_json(const struct records *records, struct json *json, const char *key);

#endif /* ISOMAT_TOOLS_RECORDS_H */
