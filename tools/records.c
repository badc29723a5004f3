/* SPDX-License-Identifier: MIT */
/* records.c: rows of results, written as a table, as CSV or as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"

struct cell *records_add(struct records *records)
{
    size_t width = records->column_count;
    if (records->rows == records->capacity) {
        size_t capacity = records->capacity ? 2 * records->capacity : 16;
        struct cell *cells = realloc(records->cells, capacity * width * sizeof *cells);
        if (!cells)
            return NULL;
        records->cells = cells;
        records->capacity = capacity;
    }
    struct cell *row = records->cells + records->rows++ * width;
    for (size_t i = 0; i < width; i++)
        row[i] = (struct cell){.number = NAN};
    return row;
}

void records_free(struct records *records)
{
    free(records->cells);
    records->cells = NULL;
    records->rows = records->capacity = 0;
}

void cell_set_text(struct cell *cell, const char *text)
{
    snprintf(cell->text, sizeof cell->text, "%s", text);
    cell->has_text = true;
}

static const struct cell *cell_at(const struct records *records, size_t row, size_t column)
{
    return &records->cells[row * records->column_count + column];
}

static bool is_absent(const struct column *column, const struct cell *cell)
{
    return column->format == COLUMN_TEXT ? !cell->has_text : !isfinite(cell->number);
}

/* Four significant digits without an exponent, whatever the size. */
static int decimals(double value)
{
    double size = fabs(value);
    if (size < 1e-4)
        return 7;
    int magnitude = (int)floor(log10(size));
    return magnitude >= 3 ? 0 : 3 - magnitude;
}

static void format_cell(char *text, size_t capacity, const struct column *column, const struct cell *cell)
{
    if (is_absent(column, cell))
        snprintf(text, capacity, "-");
    else if (column->format == COLUMN_TEXT)
        snprintf(text, capacity, "%s", cell->text);
    else if (column->format == COLUMN_INTEGER)
        snprintf(text, capacity, "%.0f", cell->number);
    else if (column->format == COLUMN_PERCENT)
        snprintf(text, capacity, "%.1f%%", 100.0 * cell->number);
    else if (column->format == COLUMN_ERROR)
        snprintf(text, capacity, "%.1e", cell->number);
    else
        snprintf(text, capacity, "%.*f", decimals(cell->number), cell->number);
}

/* The width of a column in the table, 0 if it is left out. */
static int table_width(const struct records *records, size_t index)
{
    const struct column *column = &records->columns[index];
    bool any = false;
    if (!column->title)
        return 0;
    size_t width = strlen(column->title);
    for (size_t row = 0; row < records->rows; row++) {
        char text[128];
        const struct cell *cell = cell_at(records, row, index);
        format_cell(text, sizeof text, column, cell);
        any = any || !is_absent(column, cell);
        if (strlen(text) > width)
            width = strlen(text);
    }
    return any ? (int)width : 0;
}

static void put_table_line(const struct records *records, const int *widths, const struct cell *row,
                           FILE *file)
{
    const char *gap = "";
    size_t last = records->column_count - 1;
    while (last > 0 && widths[last] == 0)
        last--;
    for (size_t i = 0; i < records->column_count; i++) {
        const struct column *column = &records->columns[i];
        char text[128];
        if (widths[i] == 0)
            continue;
        if (row)
            format_cell(text, sizeof text, column, &row[i]);
        else
            snprintf(text, sizeof text, "%s", column->title);
        int width = column->format == COLUMN_TEXT && i == last ? 0 : widths[i]; /* no blanks at the end */
        fprintf(file, column->format == COLUMN_TEXT ? "%s%-*s" : "%s%*s", gap, width, text);
        gap = "  ";
    }
    fputc('\n', file);
}

void records_write_table(const struct records *records, FILE *file)
{
    int *widths = calloc(records->column_count + 1, sizeof *widths);
    if (!widths)
        return;
    for (size_t i = 0; i < records->column_count; i++)
        widths[i] = table_width(records, i);
    put_table_line(records, widths, NULL, file);
    for (size_t row = 0; row < records->rows; row++)
        put_table_line(records, widths, cell_at(records, row, 0), file);
    free(widths);
}

static void put_csv_text(const char *text, FILE *file)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/* One line: the cells of a row, or the keys when row is NULL. */
static void put_csv_line(const struct records *records, const struct cell *row, FILE *file)
{
    const char *separator = "";
    for (size_t i = 0; i < records->column_count; i++) {
        const struct column *column = &records->columns[i];
        if (!column->key)
            continue;
        fputs(separator, file);
        separator = ",";
        if (!row)
            fputs(column->key, file);
        else if (is_absent(column, &row[i]))
            continue;
        else if (column->format == COLUMN_TEXT)
            put_csv_text(row[i].text, file);
        else
            fprintf(file, "%.10g", row[i].number);
    }
    fputc('\n', file);
}

void records_write_csv(const struct records *records, FILE *file)
{
    put_csv_line(records, NULL, file);
    for (size_t row = 0; row < records->rows; row++)
        put_csv_line(records, cell_at(records, row, 0), file);
}

void records_write_json(const struct records *records, struct json *json, const char *key)
{
    json_begin_array(json, key);
    for (size_t row = 0; row < records->rows; row++) {
        json_begin_line(json, NULL);
        for (size_t i = 0; i < records->column_count; i++) {
            const struct column *column = &records->columns[i];
            const struct cell *cell = cell_at(records, row, i);
            if (!column->key)
                continue;
            if (column->format == COLUMN_TEXT)
                json_text(json, column->key, cell->has_text ? cell->text : NULL);
            else if (column->format == COLUMN_INTEGER && isfinite(cell->number))
                json_integer(json, column->key, (int64_t)cell->number);
            else
                json_number(json, column->key, cell->number);
        }
        json_end(json);
    }
    json_end(json);
}
