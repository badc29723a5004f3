/* SPDX-License-Identifier: MIT */
/* accuracy_results.h: the errors of all products, printed and written. */
#ifndef ISOMAT_BENCH_ACCURACY_RESULTS_H
#define ISOMAT_BENCH_ACCURACY_RESULTS_H

#include "accuracy_data.h"
#include "accuracy_reference.h"
#include "records.h"

struct results {
    struct records records;
    int64_t broken; /* products above their bound */
};

extern const struct column result_columns[];
enum { RESULT_COLUMNS = 17 };
#define RESULTS_NONE                                                                                         \
    {                                                                                                        \
        .records = {.columns = result_columns, .column_count = RESULT_COLUMNS }                              \
    }

/* One product in one mode. */
struct result {
    const struct session *session;
    const struct data *data;
    const char *shape;
    const struct error *isomat, *cublas; /* cublas NULL: not compared */
    double bound;
};

/* A failure of any of these is said; they return an exit status. */
int results_add(struct results *results, const struct result *result);
int results_write_csv(const struct results *results, const char *path);

/* Each product, or the worst of each mode and distribution; then how many were worse than cuBLAS. */
int results_print(const struct results *results, const struct session *session, bool all);

void results_free(struct results *results);

#endif /* ISOMAT_BENCH_ACCURACY_RESULTS_H */
