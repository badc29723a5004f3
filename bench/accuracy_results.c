/* SPDX-License-Identifier: MIT */
/* accuracy_results.c: the errors of all products, printed and written. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_results.h"
#include "compute.h"
#include "message.h"
#include "progress.h"

enum {
    COL_COMPUTE,
    COL_DATA,
    COL_SHAPE,
    COL_M,
    COL_N,
    COL_K,
    COL_KERNEL,
    COL_ERROR,
    COL_CUBLAS_ERROR,
    COL_RATIO,
    COL_NOT_LARGER,
    COL_NORM,
    COL_CUBLAS_NORM,
    COL_BOUND,
    COL_KEPT,
    COL_CASES,
    COL_LARGER,
    COL_COUNT
};
_Static_assert((int)COL_COUNT == (int)RESULT_COLUMNS, "each column has its number");

const struct column result_columns[] = {
    [COL_COMPUTE] = {"compute", "compute", COLUMN_TEXT},
    [COL_DATA] = {"data", "data", COLUMN_TEXT},
    [COL_SHAPE] = {"shape", "shape", COLUMN_TEXT},
    [COL_M] = {"m", "m", COLUMN_INTEGER},
    [COL_N] = {"n", "n", COLUMN_INTEGER},
    [COL_K] = {"k", "k", COLUMN_INTEGER},
    [COL_KERNEL] = {"kernel", NULL, COLUMN_TEXT},
    [COL_ERROR] = {"error", "error", COLUMN_ERROR},
    [COL_CUBLAS_ERROR] = {"cublas_error", "cuBLAS's", COLUMN_ERROR},
    [COL_RATIO] = {"ratio", "ratio", COLUMN_NUMBER},
    [COL_NOT_LARGER] = {"not_larger", "<=", COLUMN_TEXT},
    [COL_NORM] = {"error_norm", "in norm", COLUMN_ERROR},
    [COL_CUBLAS_NORM] = {"cublas_error_norm", "cuBLAS's", COLUMN_ERROR},
    [COL_BOUND] = {"bound", "bound", COLUMN_ERROR},
    [COL_KEPT] = {"bound_kept", "kept", COLUMN_TEXT},
    [COL_CASES] = {NULL, "products", COLUMN_INTEGER},
    [COL_LARGER] = {NULL, "larger", COLUMN_INTEGER},
};

static void fill_row(struct cell *row, const struct result *result)
{
    const struct data *x = result->data;
    char kernel[sizeof row->text];

    cell_set_text(&row[COL_COMPUTE], compute_name(x->compute));
    cell_set_text(&row[COL_DATA], data_name(x->kind));
    cell_set_text(&row[COL_SHAPE], result->shape);
    if (isomat_gemm_get_kernel(kernel, sizeof kernel, NULL, result->session->context, x->m, x->n, x->k,
                               ISOMAT_OP_N, ISOMAT_OP_N, x->compute) == ISOMAT_OK)
        cell_set_text(&row[COL_KERNEL], kernel);
    row[COL_M].number = (double)x->m;
    row[COL_N].number = (double)x->n;
    row[COL_K].number = (double)x->k;
    row[COL_ERROR].number = result->isomat->componentwise;
    row[COL_NORM].number = result->isomat->normwise;
    row[COL_BOUND].number = result->bound;
    cell_set_text(&row[COL_KEPT], result->isomat->kept ? "yes" : "NO");
    if (!result->cublas)
        return;
    row[COL_CUBLAS_ERROR].number = result->cublas->componentwise;
    row[COL_CUBLAS_NORM].number = result->cublas->normwise;
    row[COL_RATIO].number = result->isomat->componentwise == 0.0
                                ? 0.0
                                : result->isomat->componentwise / result->cublas->componentwise;
    cell_set_text(&row[COL_NOT_LARGER],
                  result->isomat->componentwise <= result->cublas->componentwise ? "yes" : "no");
}

int results_add(struct results *results, const struct result *result)
{
    struct cell *row = records_add(&results->records);
    if (!row)
        return fail("no memory for the results");
    fill_row(row, result);
    results->broken += !result->isomat->kept;
    return STATUS_OK;
}

void results_free(struct results *results)
{
    records_free(&results->records);
}

static bool same_text(const struct cell *left, const struct cell *right, int column)
{
    return strcmp(left[column].text, right[column].text) == 0;
}

/* What makes one product worse than another: the ratio to cuBLAS, else the share of the bound. */
static double badness(const struct cell *row)
{
    double ratio = row[COL_RATIO].number;
    return isnan(ratio) ? row[COL_ERROR].number / row[COL_BOUND].number : ratio;
}

/* The worst product of each mode and distribution, in the order of the first. */
static int summarise(struct records *worst, const struct records *all)
{
    for (size_t i = 0; i < all->rows; i++) {
        const struct cell *row = all->cells + i * COL_COUNT;
        struct cell *target = NULL;
        for (size_t j = 0; j < worst->rows && !target; j++) {
            struct cell *other = worst->cells + j * COL_COUNT;
            if (same_text(row, other, COL_COMPUTE) && same_text(row, other, COL_DATA))
                target = other;
        }
        bool is_new = !target;
        if (is_new)
            target = records_add(worst);
        if (!target)
            return fail("no memory for the results");
        double cases = is_new ? 0.0 : target[COL_CASES].number;
        double larger = is_new ? 0.0 : target[COL_LARGER].number;
        if (is_new || badness(row) > badness(target))
            memcpy(target, row, COL_COUNT * sizeof *row);
        target[COL_CASES].number = cases + 1.0;
        target[COL_LARGER].number = larger + (row[COL_NOT_LARGER].text[0] == 'n');
    }
    return STATUS_OK;
}

int results_write_csv(const struct results *results, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return fail("cannot write %s: %s", path, strerror(errno));
    records_write_csv(&results->records, file);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    return good ? STATUS_OK : fail("cannot write %s", path);
}

static void print_count(const struct records *records, int32_t compute)
{
    size_t products = 0, compared = 0, larger = 0;
    for (size_t i = 0; i < records->rows; i++) {
        const struct cell *row = records->cells + i * COL_COUNT;
        if (strcmp(row[COL_COMPUTE].text, compute_name(compute)) != 0)
            continue;
        products++;
        compared += row[COL_NOT_LARGER].has_text;
        larger += row[COL_NOT_LARGER].text[0] == 'n';
    }
    if (compared > 0)
        printf("%s: error larger than cuBLAS's in %zu of %zu products\n", compute_name(compute), larger,
               compared);
}

int results_print(const struct results *results, const struct session *session, bool all)
{
    const struct records *records = &results->records;
    struct records worst = {.columns = result_columns, .column_count = COL_COUNT};
    int version = session->driver.version, status = summarise(&worst, records);

    progress_clear();
    if (status == STATUS_OK && records->rows > 0) {
        printf("%s, driver %s %d.%d\n", session->device.name,
               is_host_driver(&session->driver) ? "host" : "nvidia", version / 1000, version % 1000 / 10);
        records_write_table(all ? records : &worst, stdout);
        for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= ISOMAT_COMPUTE_BF16; compute++)
            print_count(records, compute);
        printf("%zu products, %" PRId64 " above the mode's bound\n", records->rows, results->broken);
        status = finish_output();
    }
    records_free(&worst);
    return status;
}
