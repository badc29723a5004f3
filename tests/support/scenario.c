/* SPDX-License-Identifier: MIT */
/* scenario.c: contexts, streams and events, memory, modules, matrices. */
#include "tests/support/scenario.h"

#include "tests/kernels/images.h"

/* Goes on only as long as nothing failed. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if (status == ISOMAT_OK)                                                                             \
            status = (call);                                                                                 \
    } while (0)

/* Always done.  What could not be destroyed is tried once more, as a careful caller would. */
#define CLEAN(call)                                                                                          \
    do {                                                                                                     \
        int32_t cleaned_;                                                                                    \
        if (scenario_before_clean_up != NULL)                                                                \
            scenario_before_clean_up();                                                                      \
        cleaned_ = (call);                                                                                   \
        if (status == ISOMAT_OK)                                                                             \
            status = cleaned_;                                                                               \
        if (cleaned_ != ISOMAT_OK)                                                                           \
            (void)(call);                                                                                    \
    } while (0)

void (*scenario_before_clean_up)(void);

static int32_t use_context(int32_t kind)
{
    isomat_context_info info = {.struct_size = sizeof(info)};
    isomat_context context = ISOMAT_NONE;
    int32_t status = ISOMAT_OK;

    TRY(isomat_context_create(&context, 0, kind));
    TRY(isomat_context_get_info(&info, context));
    TRY(isomat_context_trim(context, 0));
    TRY(isomat_context_synchronize(context));
    CLEAN(isomat_context_destroy(context));
    return status;
}

static int32_t primary_context(void)
{
    return use_context(ISOMAT_CONTEXT_PRIMARY);
}

static int32_t own_context(void)
{
    return use_context(ISOMAT_CONTEXT_OWN);
}

static int32_t streams_and_events(void)
{
    isomat_context context = ISOMAT_NONE;
    isomat_stream stream = ISOMAT_NONE;
    isomat_event start = ISOMAT_NONE, end = ISOMAT_NONE;
    int32_t status = ISOMAT_OK;
    double milliseconds;

    TRY(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    TRY(isomat_stream_create(&stream, context, -1));
    TRY(isomat_event_create(&start, context, 1));
    TRY(isomat_event_create(&end, context, 1));
    TRY(isomat_event_record(start, stream));
    TRY(isomat_stream_wait(stream, start));
    TRY(isomat_event_record(end, stream));
    TRY(isomat_event_synchronize(end));
    TRY(isomat_event_query(end));
    TRY(isomat_event_elapsed(&milliseconds, start, end));
    TRY(isomat_stream_query(stream));
    TRY(isomat_stream_synchronize(stream));
    CLEAN(isomat_event_destroy(end));
    CLEAN(isomat_event_destroy(start));
    CLEAN(isomat_stream_destroy(stream));
    CLEAN(isomat_context_destroy(context));
    return status;
}

static int32_t memory(void)
{
    isomat_context context = ISOMAT_NONE;
    uint64_t first = 0, second = 0;
    int32_t status = ISOMAT_OK;
    void *host = NULL;
    uint32_t values[16] = {0};

    TRY(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    TRY(isomat_memory_allocate(&first, 64, context, ISOMAT_NONE));
    TRY(isomat_memory_allocate(&second, 64, context, ISOMAT_NONE));
    TRY(isomat_memory_allocate_host(&host, 64, context));
    TRY(isomat_memory_copy_to_device(first, values, 64, context, ISOMAT_NONE));
    TRY(isomat_memory_fill(first, 0x01010101, 4, 4, context, ISOMAT_NONE));
    TRY(isomat_memory_fill(first + 16, 0x0202, 2, 8, context, ISOMAT_NONE));
    TRY(isomat_memory_fill(first + 32, 3, 1, 16, context, ISOMAT_NONE));
    TRY(isomat_memory_copy_device(second, first, 64, context, ISOMAT_NONE));
    TRY(isomat_memory_copy_2d(second, 32, first, 32, 16, 2, ISOMAT_COPY_DEVICE, context, ISOMAT_NONE));
    TRY(isomat_memory_copy_to_host(values, second, 64, context, ISOMAT_NONE));
    TRY(isomat_context_synchronize(context));
    if (status == ISOMAT_OK &&
        (values[0] != 0x01010101 || values[4] != 0x02020202 || values[8] != 0x03030303))
        status = SCENARIO_WRONG;
    if (host != NULL)
        CLEAN(isomat_memory_free_host(host, context));
    if (second != 0)
        CLEAN(isomat_memory_free(second, context, ISOMAT_NONE));
    if (first != 0)
        CLEAN(isomat_memory_free(first, context, ISOMAT_NONE));
    CLEAN(isomat_context_destroy(context));
    return status;
}

static int32_t modules(void)
{
    isomat_launch launch = {sizeof(launch), 1, 1, 1, 8, 1, 1, 0, 0, 0, 60000, 0, ISOMAT_NONE};
    isomat_kernel_info info = {.struct_size = sizeof(info)};
    isomat_context context = ISOMAT_NONE;
    isomat_module module = ISOMAT_NONE;
    isomat_kernel kernel = ISOMAT_NONE;
    uint64_t out = 0, counter;
    const void *arguments[] = {&out};
    int32_t status = ISOMAT_OK, blocks;
    float values[8];
    int64_t bytes;

    TRY(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    TRY(isomat_module_load_data(&module, context, state_ptx, sizeof(state_ptx)));
    TRY(isomat_module_get_global(&counter, &bytes, module, "isomat_test_counter"));
    TRY(isomat_kernel_get(&kernel, module, "isomat_test_globals"));
    TRY(isomat_kernel_get_info(&info, kernel));
    TRY(isomat_kernel_get_occupancy(&blocks, kernel, 8, 0));
    TRY(isomat_memory_allocate(&out, sizeof(values), context, ISOMAT_NONE));
    TRY(isomat_kernel_launch(kernel, &launch, arguments, 1, NULL));
    TRY(isomat_memory_copy_to_host(values, out, sizeof(values), context, ISOMAT_NONE));
    if (status == ISOMAT_OK && (values[0] != 18 || values[7] != 21))
        status = SCENARIO_WRONG;
    if (out != 0)
        CLEAN(isomat_memory_free(out, context, ISOMAT_NONE));
    CLEAN(isomat_kernel_destroy(kernel));
    CLEAN(isomat_module_destroy(module));
    CLEAN(isomat_context_destroy(context));
    return status;
}

static int32_t matrices(void)
{
    static const float a_data[6] = {1, 2, 3, 4, 5, 6}, b_data[6] = {1, 0, 0, 1, 1, 1};
    static const float expected[4] = {4, 5, 10, 11};
    isomat_context context = ISOMAT_NONE;
    isomat_stream stream = ISOMAT_NONE;
    isomat_matrix a = ISOMAT_NONE, b = ISOMAT_NONE, c = ISOMAT_NONE, copy = ISOMAT_NONE, view = ISOMAT_NONE;
    int32_t status = ISOMAT_OK;
    float got[4] = {0};

    TRY(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    TRY(isomat_stream_create(&stream, context, 0));
    TRY(isomat_matrix_from_host(&a, context, a_data, 2, 3, 3, ISOMAT_TYPE_F32, ISOMAT_NONE));
    TRY(isomat_matrix_from_host(&b, context, b_data, 3, 2, 2, ISOMAT_TYPE_F32, stream));
    TRY(isomat_gemm(&c, 1, a, ISOMAT_OP_N, b, ISOMAT_OP_N, 0, ISOMAT_COMPUTE_F32, stream));
    TRY(isomat_matrix_create(&copy, context, 2, 2, ISOMAT_TYPE_F32, ISOMAT_NONE));
    TRY(isomat_matrix_fill(copy, 7, ISOMAT_NONE));
    TRY(isomat_matrix_copy(copy, c, stream));
    TRY(isomat_matrix_view(&view, copy, 0, 0, 2, 2));
    TRY(isomat_matrix_to_host(got, 2, view, stream));
    if (status == ISOMAT_OK && memcmp(got, expected, sizeof(got)) != 0)
        status = SCENARIO_WRONG;
    CLEAN(isomat_matrix_destroy(view));
    CLEAN(isomat_matrix_destroy(copy));
    CLEAN(isomat_matrix_destroy(c));
    CLEAN(isomat_matrix_destroy(b));
    CLEAN(isomat_matrix_destroy(a));
    CLEAN(isomat_stream_destroy(stream));
    CLEAN(isomat_context_destroy(context));
    return status;
}

/* m = n = 2: every element of the product of ones is k. */
static int32_t product(int32_t compute, int32_t type, int64_t k)
{
    isomat_context context = ISOMAT_NONE;
    isomat_matrix a = ISOMAT_NONE, b = ISOMAT_NONE, c = ISOMAT_NONE;
    float got[4] = {0};
    int32_t status = ISOMAT_OK;

    TRY(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    TRY(isomat_matrix_create(&a, context, 2, k, type, ISOMAT_NONE));
    TRY(isomat_matrix_create(&b, context, 2, k, type, ISOMAT_NONE));
    TRY(isomat_matrix_create(&c, context, 2, 2, ISOMAT_TYPE_F32, ISOMAT_NONE));
    TRY(isomat_matrix_fill(a, 1, ISOMAT_NONE));
    TRY(isomat_matrix_fill(b, 1, ISOMAT_NONE));
    TRY(isomat_matrix_fill(c, 1, ISOMAT_NONE));
    TRY(isomat_matrix_prepare(b, ISOMAT_OPERAND_B, ISOMAT_OP_T, compute, ISOMAT_NONE));
    TRY(isomat_gemm(&c, 2, a, ISOMAT_OP_N, b, ISOMAT_OP_T, 0, compute, ISOMAT_NONE));
    TRY(isomat_gemm(&c, 1, a, ISOMAT_OP_N, b, ISOMAT_OP_T, 1, compute, ISOMAT_NONE));
    TRY(isomat_matrix_to_host(got, 2, c, ISOMAT_NONE));
    if (status == ISOMAT_OK && (got[0] != (float)(3 * k) || got[3] != (float)(3 * k)))
        status = SCENARIO_WRONG;
    CLEAN(isomat_matrix_destroy(c));
    CLEAN(isomat_matrix_destroy(b));
    CLEAN(isomat_matrix_destroy(a));
    CLEAN(isomat_context_destroy(context));
    return status;
}

static int32_t product_in_parts(void)
{
    return product(ISOMAT_COMPUTE_F32_STRICT, ISOMAT_TYPE_F32, 4096);
}

/* Two products on work memory, captured on one stream and launched on another, and a capture left open. */
static int32_t captured_products(void)
{
    isomat_context context = ISOMAT_NONE;
    isomat_stream stream = ISOMAT_NONE;
    isomat_matrix a = ISOMAT_NONE, c = ISOMAT_NONE;
    isomat_graph graph = ISOMAT_NONE;
    float got[4] = {0};
    int32_t status = ISOMAT_OK;

    TRY(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    TRY(isomat_stream_create(&stream, context, 0));
    TRY(isomat_matrix_create(&a, context, 2, 4096, ISOMAT_TYPE_F32, ISOMAT_NONE));
    TRY(isomat_matrix_create(&c, context, 2, 2, ISOMAT_TYPE_F32, ISOMAT_NONE));
    TRY(isomat_graph_begin(context, stream));
    if (status == ISOMAT_ERROR_UNSUPPORTED) { /* a driver without them */
        status = ISOMAT_OK;
    } else {
        TRY(isomat_matrix_fill(a, 1, stream));
        TRY(isomat_gemm(&c, 1, a, ISOMAT_OP_N, a, ISOMAT_OP_T, 0, ISOMAT_COMPUTE_F32_STRICT, stream));
        TRY(isomat_gemm(&c, 1, a, ISOMAT_OP_N, a, ISOMAT_OP_T, 1, ISOMAT_COMPUTE_F32_STRICT, stream));
        TRY(isomat_graph_end(&graph, context, stream));
        TRY(isomat_graph_launch(graph, ISOMAT_NONE));
        TRY(isomat_graph_launch(graph, stream));
        TRY(isomat_matrix_to_host(got, 2, c, stream));
        TRY(isomat_graph_begin(context, stream));
        if (status == ISOMAT_OK && (got[0] != 8192 || got[3] != 8192))
            status = SCENARIO_WRONG;
    }
    CLEAN(isomat_stream_destroy(stream));
    CLEAN(isomat_graph_destroy(graph));
    CLEAN(isomat_matrix_destroy(c));
    CLEAN(isomat_matrix_destroy(a));
    CLEAN(isomat_context_destroy(context));
    return status;
}

static int32_t product_tf32(void)
{
    return product(ISOMAT_COMPUTE_TF32, ISOMAT_TYPE_F32, 64);
}

static int32_t product_f16(void)
{
    return product(ISOMAT_COMPUTE_F16, ISOMAT_TYPE_F16, 64);
}

static int32_t product_bf16(void)
{
    return product(ISOMAT_COMPUTE_BF16, ISOMAT_TYPE_BF16, 65);
}

const struct scenario scenarios[SCENARIO_COUNT] = {
    {"primary context", primary_context},
    {"own context", own_context},
    {"streams and events", streams_and_events},
    {"memory", memory},
    {"modules", modules},
    {"a product in parts", product_in_parts},
    {"a product in tf32", product_tf32},
    {"a product in float16", product_f16},
    {"a product in bfloat16", product_bf16},
    {"captured products", captured_products},
    {"matrices", matrices},
};
