/* SPDX-License-Identifier: MIT */
/* fit.c: measures and fits what lib/select.c rests its choice among kernels of CUDA cores on.
 *
 *     fit measure > times.csv     times every candidate, kernel and number of parts of k, for a list of
 *                                 shapes, as the library submits it, back to back
 *     fit constants times.csv     fits im_simt_model to such times, prints it, and what the choice loses
 *
 * Unlike other programs this one is linked with the inside of the library: what it fits is the
 * library's own function, and what it times are the library's own launches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gemm_simt.h"
#include "lib/select.h"

enum { ROUNDS = 3, BATCH_MAX = 50 };

struct shape {
    int64_t m, n, k;
    int32_t op_a, op_b;
};

static const struct shape shapes[] = {
    /* few tiles, long k */
    {128, 128, 8192, 0, 0},
    {128, 128, 1024, 0, 0},
    {256, 256, 16384, 0, 1},
    {512, 512, 8192, 0, 0},
    {512, 512, 2048, 0, 0},
    {384, 640, 4096, 0, 0},
    {64, 64, 65536, 0, 0},
    {32, 32, 100000, 1, 0},
    {16, 16, 4096, 0, 0},
    {64, 64, 1024, 0, 0},
    {100, 100, 1000, 0, 0},
    {16, 4096, 16384, 0, 0},
    /* thin, but no vector */
    {4096, 64, 4096, 0, 0},
    {4096, 16, 4096, 0, 0},
    {16, 4096, 4096, 0, 1},
    {4096, 32, 1024, 0, 0},
    {10, 50257, 768, 0, 1},
    {128, 4096, 4096, 0, 1},
    {32, 4096, 4096, 0, 1},
    {256, 1024, 1024, 0, 0},
    /* square */
    {128, 128, 128, 0, 0},
    {192, 192, 192, 0, 0},
    {256, 256, 256, 0, 0},
    {384, 384, 384, 0, 0},
    {512, 512, 512, 0, 0},
    {640, 640, 640, 0, 0},
    {768, 768, 768, 0, 0},
    {1024, 1024, 1024, 0, 0},
    {1280, 1280, 1280, 0, 0},
    {1536, 1536, 1536, 0, 0},
    {2048, 2048, 2048, 0, 0},
    {2500, 2500, 2500, 0, 0},
    {4096, 4096, 4096, 0, 0},
    /* flat */
    {4096, 4096, 64, 0, 0},
    {2048, 1024, 256, 0, 0},
    {1024, 512, 4096, 1, 1},
    {1100, 1100, 4000, 0, 0},
    {2048, 512, 2048, 1, 0},
    /* skinny, by rows and by columns */
    {16384, 1, 16384, 0, 0},
    {4096, 1, 4096, 0, 0},
    {256, 1, 65536, 0, 0},
    {64, 1, 100000, 0, 0},
    {1, 1, 1000000, 0, 0},
    {8, 8, 1000000, 0, 0},
    {1024, 4, 4096, 0, 0},
    {1024, 8, 16384, 0, 0},
    {500, 2, 2000, 0, 0},
    {16384, 1, 16384, 1, 0},
    {4096, 1, 4096, 1, 0},
    {512, 1, 65536, 1, 0},
    {64, 1, 100000, 1, 0},
    {8, 8, 1000000, 1, 0},
    {1024, 4, 4096, 1, 0},
    {4096, 8, 4096, 1, 0},
    {500, 2, 2000, 1, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int fail(const char *what)
{
    fprintf(stderr, "fit: %s: %s\n", what, isomat_error_message());
    return 1;
}

static struct im_gemm_problem problem_of(const struct shape *shape, int multiprocessors, int capability)
{
    return (struct im_gemm_problem){
        .m = shape->m,
        .n = shape->n,
        .k = shape->k,
        .op_a = shape->op_a,
        .op_b = shape->op_b,
        .multiprocessors = multiprocessors,
        .capability = capability,
    };
}

/* ----------------------------------------------------------------- measure */

struct bench {
    isomat_context context;
    isomat_event begin, end;
    uint64_t data; /* random numbers, which both operands are */
    int64_t elements;
    struct im_context *inside;
};

static int64_t largest_operand(void)
{
    int64_t most = 0;
    for (int i = 0; i < SHAPES; i++) {
        int64_t a = shapes[i].m * shapes[i].k;
        int64_t b = shapes[i].n * shapes[i].k;
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    return most;
}

static int open_bench(struct bench *bench)
{
    int64_t count = largest_operand();
    float *random = malloc((size_t)count * sizeof *random);
    uint32_t state = 1;
    int status = 1;
    if (!random)
        return 1;
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        random[i] = (float)(state >> 8) * 0x1p-24f - 0.5f;
    }
    bench->elements = count;
    if (isomat_context_create(&bench->context, 0, ISOMAT_CONTEXT_PRIMARY) != ISOMAT_OK ||
        isomat_event_create(&bench->begin, bench->context, 1) != ISOMAT_OK ||
        isomat_event_create(&bench->end, bench->context, 1) != ISOMAT_OK ||
        isomat_memory_allocate(&bench->data, count * 4, bench->context, ISOMAT_NONE) != ISOMAT_OK ||
        isomat_memory_copy_to_device(bench->data, random, count * 4, bench->context, ISOMAT_NONE) !=
            ISOMAT_OK)
        fail("cannot begin");
    else
        status = im_context_get(&bench->inside, bench->context) == ISOMAT_OK ? 0 : 1;
    free(random);
    return status;
}

/* Submits a product count times, between the two events. */
static int32_t submit(struct bench *bench, const struct im_product *product, enum im_kernel_id id,
                      int32_t parts, int count)
{
    struct im_scope scope;
    int32_t status = isomat_event_record(bench->begin, ISOMAT_NONE);
    if (status == ISOMAT_OK)
        status = im_scope_enter(&scope, bench->inside);
    if (status != ISOMAT_OK)
        return status;
    for (int i = 0; i < count && status == ISOMAT_OK; i++)
        status = im_gemm_simt_launch_in(product, id, parts, &bench->inside->default_stream);
    status = im_scope_leave(&scope, status);
    return status == ISOMAT_OK ? isomat_event_record(bench->end, ISOMAT_NONE) : status;
}

/* Microseconds of a product in a batch of count. */
static int32_t time_batch(double *us, struct bench *bench, const struct im_product *product,
                          enum im_kernel_id id, int32_t parts, int count)
{
    double ms = 0;
    int32_t status = submit(bench, product, id, parts, count);
    if (status == ISOMAT_OK)
        status = isomat_event_synchronize(bench->end);
    if (status == ISOMAT_OK)
        status = isomat_event_elapsed(&ms, bench->begin, bench->end);
    *us = 1e3 * ms / count;
    return status;
}

/* The least of a few batches of about a millisecond. */
static int measure(struct bench *bench, const struct shape *shape, const struct im_product *product,
                   enum im_kernel_id id, int32_t parts)
{
    double first;
    double least = INFINITY;
    int32_t status = time_batch(&first, bench, product, id, parts, 2);
    int count = first > 0 ? (int)(1e3 / first) : 1;
    count = count < 1 ? 1 : count > BATCH_MAX ? BATCH_MAX : count;
    for (int round = 0; round < ROUNDS && status == ISOMAT_OK; round++) {
        double us;
        status = time_batch(&us, bench, product, id, parts, count);
        least = us < least ? us : least;
    }
    if (status != ISOMAT_OK)
        return fail(im_kernels[id].name);
    printf("%lld,%lld,%lld,%d,%d,%s,%d,%.3f\n", (long long)shape->m, (long long)shape->n, (long long)shape->k,
           shape->op_a, shape->op_b, im_kernels[id].name, parts, least);
    fflush(stdout);
    return 0;
}

/* Numbers of parts worth timing: 1, and those that give each multiprocessor some blocks. */
static int measure_parts(struct bench *bench, const struct shape *shape, const struct im_product *product,
                         enum im_kernel_id id)
{
    static const double fills[] = {0.5, 1, 1.5, 2, 3, 4, 6, 8, 16};
    const struct im_kernel_row *row = &im_kernels[id];
    int64_t blocks = row->thin ? ISOMAT_SKINNY_GRID(im_is_thin_n(shape->m, shape->n) ? shape->m : shape->n,
                                                    row->rows_per_block)
                               : ISOMAT_GEMM_GRID(shape->m, shape->n, row->tile_m, row->tile_n);
    int64_t most = shape->k / row->step_k;
    int64_t room = ((int64_t)64 << 20) / (4 * shape->m * (shape->n + 3));
    int32_t last = 1;
    int status = measure(bench, shape, product, id, 1);
    most = most < room ? most : room;
    most = most < ISOMAT_PARTS_MAX ? most : ISOMAT_PARTS_MAX;
    for (size_t i = 0; i < sizeof fills / sizeof *fills && status == 0; i++) {
        double wanted = fills[i] * bench->inside->limits.multiprocessors / (double)blocks;
        int32_t parts = (int32_t)(wanted < (double)most ? wanted : (double)most);
        if (parts > last && fills[i] <= 2 * row->blocks_per_sm)
            status = measure(bench, shape, product, id, last = parts);
    }
    return status;
}

static int measure_kernels(struct bench *bench, const struct shape *shape, const struct im_product *product)
{
    struct im_gemm_problem problem =
        problem_of(shape, bench->inside->limits.multiprocessors, bench->inside->limits.capability);
    enum im_kernel_id chosen = im_select_gemm(&problem);
    int status = 0;
    if (im_is_skinny(chosen))
        return measure_parts(bench, shape, product, chosen);
    for (int i = 0; i < IM_GEMM_TILES && status == 0; i++) {
        int id = (2 * shape->op_a + shape->op_b) * IM_GEMM_TILES + i;
        int64_t tiles = ISOMAT_GEMM_GRID(shape->m, shape->n, im_kernels[id].tile_m, im_kernels[id].tile_n);
        if (tiles <= 32 * (int64_t)problem.multiprocessors || id == (int)chosen) /* else never the best */
            status = measure_parts(bench, shape, product, (enum im_kernel_id)id);
    }
    return status;
}

static int32_t adopt(struct im_matrix **matrix, isomat_matrix *handle, const struct bench *bench,
                     int64_t rows, int64_t cols)
{
    int32_t status = isomat_matrix_adopt(handle, bench->context, bench->data, rows, cols, cols,
                                         ISOMAT_TYPE_F32, ISOMAT_ADOPT_BORROW);
    return status == ISOMAT_OK ? im_matrix_get(matrix, *handle) : status;
}

static int measure_shape(struct bench *bench, const struct shape *shape)
{
    struct im_product product = {
        .op_a = shape->op_a,
        .op_b = shape->op_b,
        .compute = ISOMAT_COMPUTE_F32_STRICT,
        .alpha = 1,
        .m = shape->m,
        .n = shape->n,
        .k = shape->k,
    };
    isomat_matrix a, b, c;
    if (adopt(&product.a, &a, bench, shape->op_a ? shape->k : shape->m, shape->op_a ? shape->m : shape->k) !=
            ISOMAT_OK ||
        adopt(&product.b, &b, bench, shape->op_b ? shape->n : shape->k, shape->op_b ? shape->k : shape->n) !=
            ISOMAT_OK ||
        isomat_matrix_create(&c, bench->context, shape->m, shape->n, ISOMAT_TYPE_F32, ISOMAT_NONE) !=
            ISOMAT_OK ||
        im_matrix_get(&product.c, c) != ISOMAT_OK)
        return fail("cannot make matrices");
    int status = measure_kernels(bench, shape, &product);
    im_matrix_release(product.a);
    im_matrix_release(product.b);
    im_matrix_release(product.c);
    isomat_matrix_destroy(a);
    isomat_matrix_destroy(b);
    isomat_matrix_destroy(c);
    return status;
}

static int measure_all(void)
{
    struct bench bench = {0};
    int status = open_bench(&bench);
    if (status != 0)
        return status;
    printf("# multiprocessors %d capability %d\n", bench.inside->limits.multiprocessors,
           bench.inside->limits.capability);
    printf("m,n,k,op_a,op_b,kernel,parts,us\n");
    for (int i = 0; i < SHAPES && status == 0; i++)
        status = measure_shape(&bench, &shapes[i]);
    im_context_release(bench.inside);
    isomat_memory_free(bench.data, bench.context, ISOMAT_NONE);
    isomat_context_destroy(bench.context);
    return status;
}

/* --------------------------------------------------------------------- fit */

#define LOSS_WEIGHT 5 /* a choice that loses a tenth counts as a time that is off by more than two */

enum { ROWS_MAX = 20000, CONSTANTS = sizeof(struct im_simt_model) / sizeof(double) };

struct row {
    struct im_gemm_problem problem;
    enum im_kernel_id id;
    int32_t parts;
    double us, weight;
};

struct table {
    struct row rows[ROWS_MAX];
    int count;
};

static int same_shape(const struct row *x, const struct row *y)
{
    return x->problem.m == y->problem.m && x->problem.n == y->problem.n && x->problem.k == y->problem.k &&
           x->problem.op_a == y->problem.op_a && x->problem.op_b == y->problem.op_b;
}

static int find_kernel(const char *name)
{
    int id = 0;
    while (id < IM_KERNEL_COUNT && strcmp(im_kernels[id].name, name) != 0)
        id++;
    return id;
}

static int read_row(struct row *row, const char *line, int multiprocessors, int capability)
{
    struct shape shape;
    long long m, n, k;
    char name[128];
    if (sscanf(line, "%lld,%lld,%lld,%d,%d,%127[^,],%d,%lf", &m, &n, &k, &shape.op_a, &shape.op_b, name,
               &row->parts, &row->us) != 8)
        return 0;
    shape.m = m;
    shape.n = n;
    shape.k = k;
    row->problem = problem_of(&shape, multiprocessors, capability);
    row->id = (enum im_kernel_id)find_kernel(name);
    return row->id < IM_KERNEL_COUNT;
}

static int read_table(struct table *table, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    int multiprocessors = 132, capability = 90;
    if (!file) {
        perror(path);
        return 1;
    }
    while (table->count < ROWS_MAX && fgets(line, sizeof line, file)) {
        if (sscanf(line, "# multiprocessors %d capability %d", &multiprocessors, &capability) == 2)
            continue;
        table->count += read_row(&table->rows[table->count], line, multiprocessors, capability);
    }
    fclose(file);
    return table->count > 0 ? 0 : 1;
}

/* Rows of one shape follow each other: the end of those that begin at i. */
static int end_of_shape(const struct table *table, int i)
{
    int end = i + 1;
    while (end < table->count && same_shape(&table->rows[i], &table->rows[end]))
        end++;
    return end;
}

/* The best of rows [i, end), by time measured or by the model's. */
static const struct row *best_of(const struct table *table, int i, int end, const struct im_simt_model *model)
{
    const struct row *best = NULL;
    double least = INFINITY;
    for (; i < end; i++) {
        const struct row *row = &table->rows[i];
        double time = model ? im_simt_time(model, &row->problem, row->id, row->parts) : row->us;
        if (time < least) {
            least = time;
            best = row;
        }
    }
    return best;
}

/* What is far from the best need not be told well. */
static void weigh(struct table *table)
{
    for (int i = 0, end; i < table->count; i = end) {
        end = end_of_shape(table, i);
        double least = best_of(table, i, end, NULL)->us;
        for (int r = i; r < end; r++)
            table->rows[r].weight = pow(least / table->rows[r].us, 4);
    }
}

/* How far the model is from the times, and what its choices lose. */
static double error_of(const struct im_simt_model *model, const struct table *table)
{
    double sum = 0;
    for (int i = 0, end; i < table->count; i = end) {
        double off = 0, weight = 0;
        end = end_of_shape(table, i);
        for (int r = i; r < end; r++) {
            const struct row *row = &table->rows[r];
            double ratio = log(im_simt_time(model, &row->problem, row->id, row->parts) / row->us);
            off += row->weight * ratio * ratio;
            weight += row->weight;
        }
        double loss = log(best_of(table, i, end, model)->us / best_of(table, i, end, NULL)->us);
        sum += off / weight + LOSS_WEIGHT * loss * loss;
    }
    return sum;
}

/* One constant at a time, up or down, by ever smaller steps. */
static void fit(struct im_simt_model *model, const struct table *table)
{
    double *constants = (double *)model;
    double error = error_of(model, table);
    for (double step = 0.2; step > 0.002; step *= 0.7)
        for (int pass = 0; pass < 10; pass++)
            for (int i = 0; i < 2 * CONSTANTS; i++) {
                double old = constants[i / 2];
                constants[i / 2] *= i % 2 ? 1 + step : 1 / (1 + step);
                double now = error_of(model, table);
                if (now < error)
                    error = now;
                else
                    constants[i / 2] = old;
            }
}

static void print_model(const struct im_simt_model *model)
{
    printf("    .tiles = {");
    for (int i = 0; i < IM_GEMM_TILES; i++)
        printf("%s{%.4g, %.4g}", i ? ", " : "", model->tiles[i].full, model->tiles[i].single);
    printf("},\n    .begin = %.4g,\n    .block_k = %.4g,\n    .chunk = {%.4g, %.4g},\n"
           "    .tall = {%.4g, %.4g},\n    .thin_block = %.4g,\n"
           "    .read = %.4g,\n    .reduce = %.4g,\n    .reduce_part = %.4g,\n"
           "    .reduce_rate = %.4g,\n",
           model->begin, model->block_k, model->chunk[0], model->chunk[1], model->tall[0], model->tall[1],
           model->thin_block, model->read, model->reduce, model->reduce_part, model->reduce_rate);
}

static void print_choices(const struct im_simt_model *model, const struct table *table)
{
    double sum = 0;
    int shapes_seen = 0;
    for (int i = 0, end; i < table->count; i = end) {
        end = end_of_shape(table, i);
        const struct row *row = &table->rows[i];
        const struct row *best = best_of(table, i, end, NULL);
        const struct row *chosen = best_of(table, i, end, model);
        double share = best->us / chosen->us;
        printf("%6lld %6lld %7lld %c%c  best %-28s /%-3d %9.2f  chosen %-28s /%-3d %9.2f  share %.3f\n",
               (long long)row->problem.m, (long long)row->problem.n, (long long)row->problem.k,
               "NT"[row->problem.op_a], "NT"[row->problem.op_b], im_kernels[best->id].name + 7, best->parts,
               best->us, im_kernels[chosen->id].name + 7, chosen->parts, chosen->us, share);
        sum += log(share);
        shapes_seen++;
    }
    printf("geometric mean of the share %.4f\n", exp(sum / shapes_seen));
}

static int fit_constants(const char *path)
{
    static struct table table;
    struct im_simt_model model = im_simt_model;
    if (read_table(&table, path) != 0)
        return 1;
    weigh(&table);
    printf("with the library's constants, error %.4f\n", error_of(&model, &table));
    print_choices(&model, &table);
    fit(&model, &table);
    printf("fitted, error %.4f\n", error_of(&model, &table));
    print_choices(&model, &table);
    print_model(&model);
    return 0;
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "measure") == 0)
        return measure_all();
    if (count == 3 && strcmp(arguments[1], "constants") == 0)
        return fit_constants(arguments[2]);
    fprintf(stderr, "usage: fit measure | fit constants TIMES.csv\n");
    return 2;
}
