/* SPDX-License-Identifier: MIT */
/* epilogue.c: what an epilogue costs: a product alone, with a bias, with ReLU or GELU besides, and with a
 * residual besides.
 *
 *     epilogue [SIZE...]
 *
 * Each line: mode, size, microseconds of the product, the median of interleaved rounds, and how many times
 * as long it takes with each epilogue. */
#include <stdio.h>
#include <stdlib.h>

#include <isomat.h>

#define ROUNDS 21
#define LAUNCHES 8
#define CASES 5

static void must(int32_t status, int line)
{
    if (status == ISOMAT_OK)
        return;
    fprintf(stderr, "epilogue: line %d: %s\n", line, isomat_error_message());
    exit(1);
}
#define MUST(call) must(call, __LINE__)

static const struct mode {
    const char *name;
    int32_t compute, type;
} modes[] = {
    {"f32", ISOMAT_COMPUTE_F32, ISOMAT_TYPE_F32},
    {"f32-strict", ISOMAT_COMPUTE_F32_STRICT, ISOMAT_TYPE_F32},
    {"tf32", ISOMAT_COMPUTE_TF32, ISOMAT_TYPE_F32},
    {"f16", ISOMAT_COMPUTE_F16, ISOMAT_TYPE_F16},
    {"bf16", ISOMAT_COMPUTE_BF16, ISOMAT_TYPE_BF16},
    {"f64", ISOMAT_COMPUTE_F64, ISOMAT_TYPE_F64},
};

struct work {
    isomat_context context;
    isomat_matrix a, b, c;
    isomat_event begin, end;
    int32_t compute;
};

/* epilogue: NULL for none. */
static double microseconds(struct work *work, const isomat_epilogue *epilogue)
{
    double milliseconds;

    MUST(isomat_event_record(work->begin, ISOMAT_NONE));
    for (int i = 0; i < LAUNCHES; i++)
        if (epilogue)
            MUST(isomat_gemm_epilogue(&work->c, 1, work->a, 0, work->b, 0, 0, epilogue, work->compute,
                                      ISOMAT_NONE));
        else
            MUST(isomat_gemm(&work->c, 1, work->a, 0, work->b, 0, 0, work->compute, ISOMAT_NONE));
    MUST(isomat_event_record(work->end, ISOMAT_NONE));
    MUST(isomat_event_synchronize(work->end));
    MUST(isomat_event_elapsed(&milliseconds, work->begin, work->end));
    return milliseconds * 1e3 / LAUNCHES;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static isomat_matrix random_matrix(isomat_context context, int64_t rows, int64_t cols, int32_t type)
{
    float *data = malloc((size_t)(rows * cols) * sizeof(float));
    isomat_matrix floats, matrix;

    if (!data)
        exit(1);
    for (int64_t i = 0; i < rows * cols; i++)
        data[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    MUST(isomat_matrix_from_host(&floats, context, data, rows, cols, cols, ISOMAT_TYPE_F32, ISOMAT_NONE));
    MUST(isomat_matrix_create(&matrix, context, rows, cols, type, ISOMAT_NONE));
    MUST(isomat_matrix_copy(matrix, floats, ISOMAT_NONE));
    MUST(isomat_matrix_destroy(floats));
    free(data);
    return matrix;
}

static void measure(isomat_context context, const struct mode *mode, int64_t size)
{
    struct work work = {.context = context, .compute = mode->compute};
    isomat_matrix bias = random_matrix(context, 1, size, mode->type),
                  residual = random_matrix(context, size, size, mode->type);
    const isomat_epilogue epilogues[CASES] = {
        {0},
        {.struct_size = sizeof(*epilogues), .bias = bias, .scale = 1},
        {.struct_size = sizeof(*epilogues), .bias = bias, .scale = 1, .activation = ISOMAT_ACTIVATION_RELU},
        {.struct_size = sizeof(*epilogues), .bias = bias, .scale = 1, .activation = ISOMAT_ACTIVATION_GELU},
        {.struct_size = sizeof(*epilogues),
         .bias = bias,
         .scale = 0.5,
         .activation = ISOMAT_ACTIVATION_GELU,
         .residual = residual},
    };
    double times[CASES][ROUNDS];

    work.a = random_matrix(context, size, size, mode->type);
    work.b = random_matrix(context, size, size, mode->type);
    MUST(isomat_matrix_create(&work.c, context, size, size, mode->type, ISOMAT_NONE));
    MUST(isomat_event_create(&work.begin, context, 1));
    MUST(isomat_event_create(&work.end, context, 1));
    for (int round = -2; round < ROUNDS; round++) /* two to warm up */
        for (int i = 0; i < CASES; i++) {
            const double time = microseconds(&work, i ? &epilogues[i] : NULL);
            if (round >= 0)
                times[i][round] = time;
        }
    for (int i = 0; i < CASES; i++)
        qsort(times[i], ROUNDS, sizeof(double), by_value);
    const double plain = times[0][ROUNDS / 2];
    printf("%-10s %6lld %10.1f", mode->name, (long long)size, plain);
    for (int i = 1; i < CASES; i++)
        printf(" %9.3f", times[i][ROUNDS / 2] / plain);
    printf("\n");
    fflush(stdout);
    MUST(isomat_event_destroy(work.begin));
    MUST(isomat_event_destroy(work.end));
    const isomat_matrix all[] = {work.a, work.b, work.c, bias, residual};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        MUST(isomat_matrix_destroy(all[i]));
}

int main(int argc, char **argv)
{
    static const int64_t usual[] = {1024, 2048, 4096};
    isomat_context context;

    MUST(isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY));
    MUST(isomat_context_set_keep_limit(context, 0));
    printf("%-10s %6s %10s %9s %9s %9s %9s\n", "mode", "size", "product us", "bias", "ReLU", "GELU",
           "residual");
    for (size_t m = 0; m < sizeof(modes) / sizeof(*modes); m++)
        for (int i = 0; i < (argc > 1 ? argc - 1 : (int)(sizeof(usual) / sizeof(*usual))); i++) {
            const int64_t size = argc > 1 ? strtoll(argv[i + 1], NULL, 10) : usual[i];
            if (size < 1 || size > 65536) {
                fprintf(stderr, "epilogue: %s is not a size of 1 to 65536\n", argv[i + 1]);
                return 2;
            }
            measure(context, &modes[m], size);
        }
    MUST(isomat_context_destroy(context));
    return 0;
}
