/* SPDX-License-Identifier: MIT */
/* accuracy.c: errors of each compute mode, and of cuBLAS's like mode, against float64.
 *
 *   accuracy [--tiny] [--all] [--compute MODE]... [--data NAME]... [--csv FILE]
 *
 * Multiplies matrices of every distribution, with sizes of k from 1 to 131072, square and thin, in
 * each mode on operands rounded to its type, C in float32.  Prints the worst of each mode and
 * distribution, or with --all each product; --csv writes each product.  --tiny takes small sizes;
 * it is the default on the host driver.
 *
 * Exit status: 0; 1 if an error is above the mode's bound, or something failed; 2 on wrong usage. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_data.h"
#include "accuracy_reference.h"
#include "accuracy_results.h"
#include "compute.h"
#include "message.h"
#include "progress.h"

enum { MODES = 5, SHAPES = 3 };

/* Sizes for one k: square x square, thin x long and long x thin. */
struct sizes {
    int64_t k, square, length;
};

static const struct sizes gpu_sizes[] = {
    {1, 1024, 2048},   {7, 1024, 2048},    {16, 1024, 2048},   {64, 1024, 2048},  {255, 1024, 2048},
    {256, 1024, 2048}, {1024, 1024, 2048}, {4096, 1024, 2048}, {32768, 512, 256}, {131072, 256, 128},
};
static const struct sizes tiny_sizes[] = {{1, 24, 40}, {7, 24, 40}, {64, 33, 40}};
enum { THIN = 8 };

static const char *const shape_names[SHAPES] = {"square", "tall", "wide"};

struct request {
    bool tiny, all;
    bool modes[MODES]; /* by ISOMAT_COMPUTE_... */
    bool *kinds;
    const char *csv;
};

struct bench {
    struct session session;
    struct cublas cublas;
    isomat_stream stream;
    struct reference reference;
    struct request request;
    const struct sizes *sizes;
    int size_count;
    float *a, *b, *c;
    bool refused[MODES]; /* by cuBLAS, which was said */
    struct results results;
};

/* One product in one mode, its operands on the device. */
struct product {
    struct data data;
    const char *shape;
    isomat_matrix a, b, c;
};

/* ------------------------------------------------------------------- a product */

static int upload(isomat_matrix *matrix, const struct bench *bench, const float *values, int64_t rows,
                  int64_t cols, int32_t type)
{
    isomat_matrix source;
    if (isomat_matrix_from_host(&source, bench->session.context, values, rows, cols, cols, ISOMAT_TYPE_F32,
                                bench->stream) != ISOMAT_OK)
        return fail_library();
    if (type == ISOMAT_TYPE_F32) {
        *matrix = source;
        return STATUS_OK;
    }
    int32_t status = isomat_matrix_create(matrix, bench->session.context, rows, cols, type, bench->stream);
    if (status == ISOMAT_OK)
        status = isomat_matrix_copy(*matrix, source, bench->stream);
    if (status != ISOMAT_OK)
        fail_library();
    isomat_matrix_destroy(source);
    return status == ISOMAT_OK ? STATUS_OK : STATUS_FAILED;
}

static int multiply_by_isomat(struct product *product, const struct bench *bench)
{
    return isomat_gemm(&product->c, 1.0, product->a, ISOMAT_OP_N, product->b, ISOMAT_OP_N, 0.0,
                       product->data.compute, bench->stream) == ISOMAT_OK
               ? STATUS_OK
               : fail_library();
}

/* What it refuses is said once; the products go on without it. */
static int multiply_by_cublas(struct product *product, struct bench *bench)
{
    const struct data *x = &product->data;
    struct cublas_product peer = {
        .m = x->m, .n = x->n, .k = x->k, .compute = x->compute, .c_type = ISOMAT_TYPE_F32};

    if (isomat_matrix_get_pointer(&peer.a, product->a) != ISOMAT_OK ||
        isomat_matrix_get_pointer(&peer.b, product->b) != ISOMAT_OK ||
        isomat_matrix_get_pointer(&peer.c, product->c) != ISOMAT_OK)
        return fail_library();
    int status = cublas_multiply(&bench->cublas, &peer);
    if (status != 0 && !bench->refused[x->compute])
        note("%s not compared with cuBLAS: %s fails with status %d", compute_name(x->compute),
             cublas_function(x->compute, 1), status);
    bench->refused[x->compute] |= status != 0;
    return STATUS_OK;
}

/* Multiplies, and brings C to the host. */
static int multiply(struct bench *bench, struct product *product, bool by_cublas)
{
    /* an element that is left out must not pass by what was there before */
    if (isomat_matrix_fill(product->c, NAN, bench->stream) != ISOMAT_OK)
        return fail_library();
    int status = by_cublas ? multiply_by_cublas(product, bench) : multiply_by_isomat(product, bench);
    if (status == STATUS_OK &&
        isomat_matrix_to_host(bench->c, product->data.n, product->c, bench->stream) != ISOMAT_OK)
        status = fail_library();
    return status;
}

/* One mode on operands that are on the device, against the reference. */
static int run_mode(struct bench *bench, struct product *product)
{
    const struct data *x = &product->data;
    double bound = compute_bound(x->compute, x->k);
    struct error errors[2];

    for (int engine = 0; engine < (bench->cublas.handle ? 2 : 1); engine++) {
        if (multiply(bench, product, engine == 1) != STATUS_OK)
            return STATUS_FAILED;
        errors[engine] = reference_compare(&bench->reference, bench->c, bound, x->k);
    }
    bool compared = bench->cublas.handle && !bench->refused[x->compute];
    return results_add(&bench->results, &(struct result){.session = &bench->session,
                                                         .data = x,
                                                         .shape = product->shape,
                                                         .isomat = &errors[0],
                                                         .cublas = compared ? &errors[1] : NULL,
                                                         .bound = bound});
}

/* All modes asked for whose operands are those of the given mode: both of float32 take the same. */
static int run_operands(struct bench *bench, struct product *product)
{
    static const int32_t groups[MODES][2] = {
        {ISOMAT_COMPUTE_F32, ISOMAT_COMPUTE_F32_STRICT},
        {-1, -1},
        {ISOMAT_COMPUTE_TF32, -1},
        {ISOMAT_COMPUTE_F16, -1},
        {ISOMAT_COMPUTE_BF16, -1},
    };
    struct data *x = &product->data;
    const int32_t *group = groups[x->compute];
    int32_t type = compute_type(x->compute);
    int status;

    if (!data_fill(bench->a, bench->b, x))
        return STATUS_OK; /* the type cannot hold them */
    status = reference_multiply(&bench->reference, bench->a, bench->b, x->m, x->n, x->k);
    if (status == STATUS_OK)
        status = upload(&product->a, bench, bench->a, x->m, x->k, type);
    if (status == STATUS_OK)
        status = upload(&product->b, bench, bench->b, x->k, x->n, type);
    if (status == STATUS_OK && isomat_matrix_create(&product->c, bench->session.context, x->m, x->n,
                                                    ISOMAT_TYPE_F32, bench->stream) != ISOMAT_OK)
        status = fail_library();
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        if (group[i] >= 0 && bench->request.modes[group[i]]) {
            x->compute = group[i];
            status = run_mode(bench, product);
        }
    isomat_matrix_destroy(product->c);
    isomat_matrix_destroy(product->b);
    isomat_matrix_destroy(product->a);
    return status;
}

/* ------------------------------------------------------------------------ all */

static struct data shape_of(const struct sizes *sizes, int shape)
{
    return (struct data){
        .m = shape == 0   ? sizes->square
             : shape == 1 ? sizes->length
                          : THIN,
        .n = shape == 0   ? sizes->square
             : shape == 1 ? THIN
                          : sizes->length,
        .k = sizes->k,
    };
}

static int run_kind(struct bench *bench, int kind)
{
    const bool *modes = bench->request.modes;
    for (int i = 0; i < bench->size_count * SHAPES; i++) {
        progress_show(data_name(kind), i, bench->size_count * SHAPES);
        for (int32_t compute = 0; compute < MODES; compute++) {
            struct product product = {.shape = shape_names[i % SHAPES]};
            bool wanted =
                compute == ISOMAT_COMPUTE_F32 ? modes[0] || modes[ISOMAT_COMPUTE_F32_STRICT] : modes[compute];
            if (!wanted || compute == ISOMAT_COMPUTE_F32_STRICT)
                continue;
            product.data = shape_of(&bench->sizes[i / SHAPES], i % SHAPES);
            product.data.kind = kind;
            product.data.compute = compute;
            if (run_operands(bench, &product) != STATUS_OK)
                return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

static int allocate(struct bench *bench)
{
    int64_t operand = 0, result = 0;
    for (int i = 0; i < bench->size_count * SHAPES; i++) {
        struct data x = shape_of(&bench->sizes[i / SHAPES], i % SHAPES);
        int64_t longer = x.m > x.n ? x.m : x.n;
        operand = operand > longer * x.k ? operand : longer * x.k;
        result = result > x.m * x.n ? result : x.m * x.n;
    }
    bench->a = malloc((size_t)operand * sizeof *bench->a);
    bench->b = malloc((size_t)operand * sizeof *bench->b);
    bench->c = malloc((size_t)result * sizeof *bench->c);
    if (!bench->a || !bench->b || !bench->c)
        return fail("no memory for the matrices");
    bench->reference.context = bench->session.context;
    bench->reference.stream = bench->stream;
    bench->reference.cublas = bench->cublas.handle ? &bench->cublas : NULL;
    return reference_create(&bench->reference, operand, result);
}

static int run_all(struct bench *bench)
{
    int status = allocate(bench);
    for (int kind = 0; kind < data_kinds() && status == STATUS_OK; kind++)
        if (bench->request.kinds[kind])
            status = run_kind(bench, kind);
    reference_destroy(&bench->reference);
    free(bench->c);
    free(bench->b);
    free(bench->a);
    return status;
}

/* ------------------------------------------------------------------------ main */

static int usage(const char *problem, const char *word)
{
    fprintf(stderr,
            "accuracy: %s%s\n"
            "usage: accuracy [--tiny] [--all] [--compute %s]... [--data NAME]... [--csv FILE]\n"
            "names:",
            problem, word, "f32|f32-strict|tf32|f16|bf16");
    for (int kind = 0; kind < data_kinds(); kind++)
        fprintf(stderr, " '%s'", data_name(kind));
    fputc('\n', stderr);
    return STATUS_USAGE;
}

static bool choose_kind(bool *kinds, const char *name)
{
    for (int kind = 0; kind < data_kinds(); kind++)
        if (strcmp(name, data_name(kind)) == 0) {
            kinds[kind] = true;
            return true;
        }
    return false;
}

static void all_if_none(bool *chosen, int count)
{
    for (int i = 0; i < count; i++)
        if (chosen[i])
            return;
    memset(chosen, true, (size_t)count * sizeof *chosen);
}

static int parse(struct request *request, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        int32_t compute;
        if (strcmp(word, "--tiny") == 0)
            request->tiny = true;
        else if (strcmp(word, "--all") == 0)
            request->all = true;
        else if (i + 1 == argc)
            return usage("unknown option, or no value after it: ", word);
        else if (strcmp(word, "--csv") == 0)
            request->csv = argv[++i];
        else if (strcmp(word, "--compute") == 0 && parse_compute(&compute, argv[++i]) == NULL &&
                 compute != ISOMAT_COMPUTE_F64) /* the references are no better */
            request->modes[compute] = true;
        else if (strcmp(word, "--data") == 0 && choose_kind(request->kinds, argv[++i]))
            continue;
        else
            return usage("unknown: ", argv[i]);
    }
    all_if_none(request->modes, MODES);
    all_if_none(request->kinds, data_kinds());
    return STATUS_OK;
}

static void drop_missing_modes(struct bench *bench)
{
    char kernel[8];
    for (int32_t mode = 0; mode < MODES; mode++)
        if (bench->request.modes[mode] &&
            isomat_gemm_get_kernel(kernel, sizeof kernel, NULL, bench->session.context, 1, 1, 1, ISOMAT_OP_N,
                                   ISOMAT_OP_N, mode) != ISOMAT_OK) {
            note("left out: %s", isomat_error_message());
            bench->request.modes[mode] = false;
        }
}

static int open_device(struct bench *bench)
{
    char reason[256] = "the stream cannot be shared";
    uint64_t cu_stream;
    int status = session_open(&bench->session, 0);

    if (status != STATUS_OK)
        return status;
    if (isomat_stream_create(&bench->stream, bench->session.context, 0) != ISOMAT_OK)
        return fail_library();
    if (isomat_stream_get_native(&cu_stream, bench->stream) != ISOMAT_OK ||
        !cublas_open(&bench->cublas, &bench->session, cu_stream, reason, sizeof reason))
        note("not compared with cuBLAS: %s", reason);
    bool tiny = bench->request.tiny || is_host_driver(&bench->session.driver);
    bench->sizes = tiny ? tiny_sizes : gpu_sizes;
    bench->size_count = tiny ? sizeof tiny_sizes / sizeof *tiny_sizes : sizeof gpu_sizes / sizeof *gpu_sizes;
    drop_missing_modes(bench);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct bench bench = {.results = RESULTS_NONE};

    setenv("ISOMAT_DRIVER", "auto", 0);
    bench.request.kinds = calloc((size_t)data_kinds(), sizeof *bench.request.kinds);
    if (!bench.request.kinds)
        return fail("no memory");
    int status = parse(&bench.request, argc, argv);
    if (status == STATUS_OK)
        status = open_device(&bench);
    if (status == STATUS_OK)
        status = run_all(&bench);
    /* after a failure, what was measured before it is still worth having */
    if (results_print(&bench.results, &bench.session, bench.request.all) != STATUS_OK)
        status = STATUS_FAILED;
    if (bench.request.csv && results_write_csv(&bench.results, bench.request.csv) != STATUS_OK)
        status = STATUS_FAILED;
    if (bench.results.broken > 0)
        status = STATUS_FAILED;
    results_free(&bench.results);
    cublas_close(&bench.cublas);
    isomat_stream_destroy(bench.stream);
    session_close(&bench.session);
    free(bench.request.kinds);
    return status;
}
