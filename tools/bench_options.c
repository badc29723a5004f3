/* SPDX-License-Identifier: MIT */
/* bench_options.c: what isomat bench was asked to measure. */
#include <stdio.h>
#include <string.h>

#include "bench_options.h"
#include "compute.h"
#include "options.h"

/* 2^31 - 65536: what isomat_gemm takes. */
#define LARGEST_SIZE 2147418112

static const char *add_shape(struct shapes *shapes, struct shape shape)
{
    if (shapes->count == MAX_SHAPES)
        return "too many shapes";
    shapes->list[shapes->count++] = shape;
    return NULL;
}

static const char *parse_size(void *target, const char *text)
{
    int64_t size;
    if (!parse_integer(&size, text, 1, LARGEST_SIZE))
        return "not a whole number from 1 to 2147418112";
    return add_shape(target, (struct shape){size, size, size});
}

static const char *parse_shape(void *target, const char *text)
{
    char copy[96], *rest = copy;
    int64_t sizes[3];
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return "not M,N,K";
    for (int i = 0; i < 3; i++) {
        char *word = strsep(&rest, ",");
        if (!word || (i == 2 && rest))
            return "not M,N,K";
        if (!parse_integer(&sizes[i], word, 1, LARGEST_SIZE))
            return "not three whole numbers from 1 to 2147418112";
    }
    return add_shape(target, (struct shape){sizes[0], sizes[1], sizes[2]});
}

static const char *parse_computes(void *target, const char *text)
{
    struct computes *computes = target;
    if (computes->count == MAX_COMPUTES)
        return "too many compute modes";
    const char *reason = parse_compute(&computes->list[computes->count], text);
    computes->count += !reason;
    return reason;
}

static const char *parse_compare(void *target, const char *text)
{
    if (strcmp(text, "cublas") != 0)
        return "unknown library, not cublas";
    *(bool *)target = true;
    return NULL;
}

static const char *parse_output(void *target, const char *text)
{
    if (strcmp(text, "f32") != 0)
        return "unknown type of the result, not f32";
    *(bool *)target = true;
    return NULL;
}

const char *const protocol_names[] = {
    [PROTOCOL_BACK_TO_BACK] = "back-to-back",
    [PROTOCOL_SPACED] = "spaced",
    [PROTOCOL_LOOP] = "loop",
};

static const char *parse_protocol(void *target, const char *text)
{
    for (int i = PROTOCOL_BACK_TO_BACK; i <= PROTOCOL_LOOP; i++)
        if (strcmp(text, protocol_names[i]) == 0) {
            *(enum protocol *)target = (enum protocol)i;
            return NULL;
        }
    return "unknown protocol, not one of back-to-back|spaced|loop";
}

static const char *parse_format(void *target, const char *text)
{
    static const char *const names[] = {"table", "csv", "json"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *(enum format *)target = (enum format)i;
            return NULL;
        }
    return "unknown format, not one of table|csv|json";
}

bool bench_parse(struct bench_request *request, int argc, char **argv, int *status)
{
    const struct option_row rows[] = {
        {"size", 0, OPTION_CUSTOM, &request->shapes, "N", "multiply NxN by NxN; repeatable", 0, 0,
         parse_size},
        {"shape", 0, OPTION_CUSTOM, &request->shapes, "M,N,K", "multiply MxK by KxN; repeatable", 0, 0,
         parse_shape},
        {"transpose-a", 0, OPTION_FLAG, &request->transpose_a, NULL, "A is stored as its transpose", 0, 0,
         NULL},
        {"transpose-b", 0, OPTION_FLAG, &request->transpose_b, NULL, "B is stored as its transpose", 0, 0,
         NULL},
        {"products", 0, OPTION_INTEGER, &request->products, "P",
         "multiply P matrices of each shape in one call (1)", 1, INT32_MAX, NULL},
        {"iterations", 0, OPTION_INTEGER, &request->measure.rounds, "I",
         "measurements per shape (100; fewer on the CPU)", 1, 1000000, NULL},
        {"compute", 0, OPTION_CUSTOM, &request->computes, "MODE", COMPUTE_HELP " (f32); repeatable", 0, 0,
         parse_computes},
        {"compare", 0, OPTION_CUSTOM, &request->compare, "cublas", "measure cuBLAS too, in turns", 0, 0,
         parse_compare},
        {"best-layout", 0, OPTION_FLAG, &request->measure.best_layout, NULL,
         "take cuBLAS in the fastest of its four layouts", 0, 0, NULL},
        {"protocol", 0, OPTION_CUSTOM, &request->measure.protocol, "NAME",
         "back-to-back|spaced|loop (back-to-back)", 0, 0, parse_protocol},
        {"keep", 0, OPTION_FLAG, &request->keep, NULL, "prepare the operands once and keep that", 0, 0, NULL},
        {"output", 0, OPTION_CUSTOM, &request->f32_output, "f32", "write float32 in the 16-bit modes too", 0,
         0, parse_output},
        {"verify", 0, OPTION_FLAG, &request->verify, NULL, "compare a sample of the results with float64", 0,
         0, NULL},
        {"format", 0, OPTION_CUSTOM, &request->format, "table|csv|json", "how to print (table)", 0, 0,
         parse_format},
        {"device", 0, OPTION_INTEGER, &request->device, "D", "the device to use (0)", 0, INT32_MAX, NULL},
        {0},
    };
    const struct option_set set = {
        .verb = "bench",
        .operands = "",
        .description =
            "Multiplies random matrices, and prints the median time of the kernel (by events on the\n"
            "device) and of the whole call, the rate, its share of the device's float32 fma peak,\n"
            "and the ratio to cuBLAS (above 1: isomat is faster).",
        .rows = rows,
    };
    int first;
    return options_parse(&set, argc, argv, &first, status);
}

void bench_set_defaults(struct bench_request *request, const struct session *session)
{
    static const int64_t gpu_sizes[] = {256, 512, 1024, 2048, 4096, 8192}, host_sizes[] = {64, 128, 256, 512};
    bool host = is_host_driver(&session->driver);
    const int64_t *sizes = host ? host_sizes : gpu_sizes;
    if (request->computes.count == 0)
        request->computes.list[request->computes.count++] = ISOMAT_COMPUTE_F32;
    if (request->shapes.count == 0)
        for (int i = 0; i < (host ? 4 : 6); i++)
            add_shape(&request->shapes, (struct shape){sizes[i], sizes[i], sizes[i]});
}
