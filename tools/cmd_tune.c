/* SPDX-License-Identifier: MIT */
/* cmd_tune.c: isomat tune: measures which kernel does a product fastest, and keeps it in a tuning file. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compute.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "records.h"
#include "tune.h"
#include "verbs.h"

enum {
    COL_M,
    COL_N,
    COL_K,
    COL_OPS,
    COL_COMPUTE,
    COL_DEFAULT,
    COL_DEFAULT_PARTS,
    COL_DEFAULT_MS,
    COL_BEST,
    COL_BEST_PARTS,
    COL_BEST_MS,
    COL_GAIN,
    COL_COUNT
};

static const struct column columns[COL_COUNT] = {
    [COL_M] = {"m", "m", COLUMN_INTEGER},
    [COL_N] = {"n", "n", COLUMN_INTEGER},
    [COL_K] = {"k", "k", COLUMN_INTEGER},
    [COL_OPS] = {"ops", "ops", COLUMN_TEXT},
    [COL_COMPUTE] = {"compute", "compute", COLUMN_TEXT},
    [COL_DEFAULT] = {"default", "default", COLUMN_TEXT},
    [COL_DEFAULT_PARTS] = {"default_parts", "parts", COLUMN_INTEGER},
    [COL_DEFAULT_MS] = {"default_ms", "ms", COLUMN_NUMBER},
    [COL_BEST] = {"best", "best", COLUMN_TEXT},
    [COL_BEST_PARTS] = {"best_parts", "parts", COLUMN_INTEGER},
    [COL_BEST_MS] = {"best_ms", "ms", COLUMN_NUMBER},
    [COL_GAIN] = {"gain", "gain", COLUMN_PERCENT},
};

/* Where the table goes, and what came of it. */
struct tuning {
    struct session *session;
    isomat_tuning_info info;
    bool found;   /* the file is there */
    bool changed; /* the table is no longer what the file has */
    int products, gains;
};

/* ---------------------------------------------------------------------- file */

/* A file that is ignored will be replaced; one that is none of ours will not. */
static int check_file(struct tuning *tuning)
{
    const isomat_tuning_info *info = &tuning->info;
    char head[16] = "";
    if (!*info->path)
        return fail("no place for the tuning file: ISOMAT_TUNING is empty, or HOME is not set; give -o FILE");
    FILE *file = fopen(info->path, "rb");
    tuning->found = file != NULL;
    if (!file && errno != ENOENT && errno != ENOTDIR)
        return fail("%s: %s", info->path, strerror(errno));
    if (!file)
        return STATUS_OK;
    size_t size = fread(head, 1, sizeof head - 1, file);
    int error = ferror(file) ? errno : 0; /* a folder opens, and cannot be read */
    fclose(file);
    if (error)
        return fail("%s: %s", info->path, strerror(error));
    if (info->state != ISOMAT_TUNING_IGNORED || size == 0)
        return STATUS_OK;
    if (strncmp(head, "isomat-tuning ", 14) != 0)
        return fail("%s is no tuning file, and is left as it is", info->path);
    note("%s will be replaced: %s", info->path, info->reason);
    return STATUS_OK;
}

/* The folders of a path that are not there yet. */
static int make_folders(const char *path)
{
    char copy[sizeof((isomat_tuning_info *)0)->path];
    snprintf(copy, sizeof copy, "%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            return fail("cannot make the folder %s: %s", copy, strerror(errno));
        *slash = '/';
    }
    return STATUS_OK;
}

static char *get_text(isomat_context context)
{
    int64_t length;
    if (isomat_context_get_tuning_text(NULL, 0, &length, context) != ISOMAT_OK)
        return NULL;
    char *text = malloc((size_t)length + 1);
    if (text && isomat_context_get_tuning_text(text, length + 1, NULL, context) != ISOMAT_OK) {
        free(text);
        return NULL;
    }
    return text;
}

/* Writes the table; what was measured before an interruption is then not lost. */
static int save(struct tuning *tuning, const struct tune_request *request)
{
    struct output output = {0};
    char *text = get_text(tuning->session->context);
    int status = text ? STATUS_OK : fail("no memory for the table");
    if (status == STATUS_OK && !request->output)
        status = make_folders(tuning->info.path);
    if (status == STATUS_OK)
        status = output_open(&output, tuning->info.path);
    if (status == STATUS_OK) {
        fputs(text, output.file);
        status = output_commit(&output);
    }
    output_discard(&output);
    free(text);
    return status;
}

/* ------------------------------------------------------------------ products */

static void fill_row(struct cell *row, const struct problem *problem, const struct tune_result *result)
{
    const struct tune_candidate *own = &result->list[0], *best = &result->list[result->best];
    const char ops[] = {problem->op_a ? 't' : 'n', problem->op_b ? 't' : 'n', 0};
    row[COL_M].number = (double)problem->m;
    row[COL_N].number = (double)problem->n;
    row[COL_K].number = (double)problem->k;
    cell_set_text(&row[COL_OPS], ops);
    cell_set_text(&row[COL_COMPUTE], compute_name(problem->compute));
    cell_set_text(&row[COL_DEFAULT], own->name);
    row[COL_DEFAULT_PARTS].number = own->parts;
    row[COL_DEFAULT_MS].number = own->ms;
    cell_set_text(&row[COL_BEST], result->best ? best->name : "the default");
    row[COL_BEST_PARTS].number = best->parts;
    row[COL_BEST_MS].number = best->ms;
    row[COL_GAIN].number = own->ms / best->ms - 1;
}

/* Takes the best kernel up, if its product is right. */
static int adopt(struct problem *problem, const struct tune_candidate *best)
{
    double error, bound = problem_error_bound(problem);
    if (tune_set(problem, best) != ISOMAT_OK)
        return fail_library();
    int status = problem_verify(&error, problem, ENGINE_ISOMAT);
    if (status == STATUS_OK && !(error <= bound))
        status = fail("%s is wrong: error %.3g, bound %.3g", best->name, error, bound);
    if (status != STATUS_OK)
        tune_set(problem, NULL);
    return status;
}

static int64_t entries_of(isomat_context context)
{
    isomat_tuning_info info = {.struct_size = sizeof info};
    return isomat_context_get_tuning(&info, context) == ISOMAT_OK ? info.entries : 0;
}

static int tune_mode(struct tuning *tuning, struct records *records, struct problem *problem, int32_t compute)
{
    struct tune_result result;
    isomat_context context = problem->session->context;
    int64_t before = entries_of(context);
    int status = problem_set_compute(problem, compute);
    if (status == STATUS_OK)
        status = tune_measure(&result, problem);
    if (status != STATUS_OK)
        return status;
    tuning->changed |= entries_of(context) != before; /* an earlier entry is out now */
    if (result.best > 0) {
        status = adopt(problem, &result.list[result.best]);
        tuning->changed |= status == STATUS_OK;
        tuning->gains += status == STATUS_OK;
    }
    tuning->products++;
    struct cell *row = status == STATUS_OK ? records_add(records) : NULL;
    if (row)
        fill_row(row, problem, &result);
    return row || status != STATUS_OK ? status : fail("no memory for the results");
}

/* One shape in its modes.  A mode that fails is said, and the others are measured all the same. */
static int tune_shape(struct tuning *tuning, struct records *records, struct problem *problem,
                      const struct tune_shape *shape, const struct computes *computes)
{
    const struct computes one = {.list = {shape->compute}, .count = 1};
    problem->m = shape->m;
    problem->n = shape->n;
    problem->k = shape->k;
    problem->op_a = shape->op_a;
    problem->op_b = shape->op_b;
    if (shape->compute >= 0)
        computes = &one;
    int status = problem_create(problem);
    bool created = status == STATUS_OK;
    for (int i = 0; i < computes->count && created; i++)
        if (tune_mode(tuning, records, problem, computes->list[i]) != STATUS_OK)
            status = STATUS_FAILED;
    problem_destroy(problem);
    return status;
}

static int tune_all(struct tuning *tuning, struct records *records, struct problem *problem,
                    const struct tune_request *request)
{
    int status = STATUS_OK;
    for (int i = 0; i < request->shape_count; i++) {
        const struct tune_shape *shape = &request->shapes[i];
        char title[96];
        snprintf(title, sizeof title, "%" PRId64 "x%" PRId64 "x%" PRId64, shape->m, shape->n, shape->k);
        progress_show(title, i + 1, request->shape_count);
        if (tune_shape(tuning, records, problem, shape, &request->computes) != STATUS_OK)
            status = STATUS_FAILED;
        if (!tuning->changed)
            continue;
        if (save(tuning, request) != STATUS_OK)
            return STATUS_FAILED;
        tuning->changed = false;
        tuning->found = true;
    }
    return status;
}

static int print_results(const struct tuning *tuning, const struct records *records)
{
    progress_clear();
    printf("%s, library %s\n", tuning->session->device.name, isomat_version_string());
    records_write_table(records, stdout);
    printf("%d of %d gain; %s%s: %" PRId64 " in all\n", tuning->gains, tuning->products,
           tuning->found ? "" : "not written: ", tuning->info.path, entries_of(tuning->session->context));
    return finish_output();
}

static int tune(struct tune_request *request, struct session *session)
{
    struct tuning tuning = {.session = session, .info = {.struct_size = sizeof tuning.info}};
    struct records records = {.columns = columns, .column_count = COL_COUNT};
    struct problem problem = {.session = session, .products = 1};
    int status;
    if (isomat_context_get_tuning(&tuning.info, session->context) != ISOMAT_OK)
        return fail_library();
    status = check_file(&tuning);
    if (status != STATUS_OK)
        return status;
    if (isomat_stream_create(&problem.stream, session->context, 0) != ISOMAT_OK)
        return fail_library();
    status = tune_all(&tuning, &records, &problem, request);
    if (tuning.products > 0 && print_results(&tuning, &records) != STATUS_OK)
        status = STATUS_FAILED;
    records_free(&records);
    isomat_stream_destroy(problem.stream);
    return status;
}

int cmd_tune(int argc, char **argv)
{
    struct tune_request request = {.shape_count = 0};
    struct session session = {0};
    int status;
    if (tune_parse(&request, argc, argv, &status)) {
        if (request.output) /* so that the library begins with what this file has */
            setenv("ISOMAT_TUNING", request.output, 1);
        status = session_open(&session, (int32_t)request.device);
        if (status == STATUS_OK)
            status = tune(&request, &session);
    }
    session_close(&session);
    free(request.shapes);
    return status;
}
