/* SPDX-License-Identifier: MIT */
/* test_graph.c: captured sequences against the same calls made directly, bit for bit. */
#include <pthread.h>

#include "tests/kernels/images.h"
#include "tests/support/device.h"
#include "tests/support/modes.h"
#include "tests/support/work.h"

#define N ISOMAT_OP_N
#define T ISOMAT_OP_T
#define F32 ISOMAT_TYPE_F32
#define REPLAYS 100
#define BATCH 6

/* Matrices of one mode: D = A * B + D / 2, then E = D * B. */
struct chain {
    isomat_context context;
    int32_t compute, op_a, op_b, type;
    int64_t m, k; /* A is m x k, B k x k, D and E m x k */
    isomat_matrix a, b, d, e;
};

static uint64_t sequence = 7;

static isomat_matrix filled(isomat_context context, int64_t rows, int64_t cols, int32_t type)
{
    double *values = malloc((size_t)(rows * cols) * sizeof(*values));
    isomat_matrix wide, matrix;

    sequence++;
    for (int64_t i = 0; i < rows * cols; i++)
        values[i] = 2 * mode_uniform(i, 0, sequence) - 1;
    assert_ok(
        isomat_matrix_from_host(&wide, context, values, rows, cols, cols, ISOMAT_TYPE_F64, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&matrix, context, rows, cols, type, ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(matrix, wide, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_matrix_destroy(wide));
    free(values);
    return matrix;
}

static int64_t element_bytes(int32_t type)
{
    return type == ISOMAT_TYPE_F64 ? 8 : typed_element_bytes(type);
}

/* The elements; the caller frees them. */
static void *bytes_of(isomat_matrix matrix, size_t *bytes)
{
    isomat_matrix_info info = {.struct_size = sizeof(info)};
    void *data;

    assert_ok(isomat_matrix_get_info(&info, matrix));
    *bytes = (size_t)(info.rows * info.cols * element_bytes(info.type));
    data = malloc(*bytes + 1);
    assert_ok(isomat_matrix_to_host(data, info.cols, matrix, ISOMAT_NONE));
    return data;
}

static void assert_same(isomat_matrix matrix, const void *expected)
{
    size_t bytes;
    void *data = bytes_of(matrix, &bytes);

    assert_memory_equal(data, expected, bytes);
    free(data);
}

static void chain_create(struct chain *chain, isomat_context context, int32_t compute, int64_t m, int64_t k,
                         int32_t ops)
{
    int32_t type = compute == ISOMAT_COMPUTE_F16    ? ISOMAT_TYPE_F16
                   : compute == ISOMAT_COMPUTE_BF16 ? ISOMAT_TYPE_BF16
                   : compute == ISOMAT_COMPUTE_F64  ? ISOMAT_TYPE_F64
                                                    : F32;

    *chain = (struct chain){context, compute, ops / 2, ops % 2, type, m, k, 0, 0, 0, 0};
    chain->a = chain->op_a == N ? filled(context, m, k, type) : filled(context, k, m, type);
    chain->b = filled(context, k, k, type);
    chain->d = filled(context, m, k, type);
    chain->e = filled(context, m, k, type);
}

static void chain_destroy(const struct chain *chain)
{
    assert_ok(isomat_matrix_destroy(chain->e));
    assert_ok(isomat_matrix_destroy(chain->d));
    assert_ok(isomat_matrix_destroy(chain->b));
    assert_ok(isomat_matrix_destroy(chain->a));
}

/* Submits the chain, its own D first made the same. */
static void chain_submit(const struct chain *chain, isomat_stream stream)
{
    isomat_matrix d = chain->d, e = chain->e;

    assert_ok(isomat_matrix_fill(d, 0.75, stream));
    assert_ok(
        isomat_gemm(&d, 1.0, chain->a, chain->op_a, chain->b, chain->op_b, 0.5, chain->compute, stream));
    assert_ok(isomat_gemm(&e, -1.25, d, N, chain->b, chain->op_b, 0.0, chain->compute, stream));
}

static isomat_graph chain_capture(const struct chain *chain, isomat_stream stream)
{
    isomat_graph graph;

    assert_ok(isomat_graph_begin(chain->context, stream));
    chain_submit(chain, stream);
    assert_ok(isomat_graph_end(&graph, chain->context, stream));
    return graph;
}

static isomat_stream new_stream(isomat_context context)
{
    isomat_stream stream;

    assert_ok(isomat_stream_create(&stream, context, 0));
    return stream;
}

static int32_t nodes_of(isomat_graph graph)
{
    isomat_graph_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_graph_get_info(&info, graph));
    return info.nodes;
}

/* ------------------------------------------------------------------ results */

static void check_chain(isomat_context context, int32_t compute, int64_t m, int64_t k, int32_t ops)
{
    struct chain chain;
    size_t bytes;

    chain_create(&chain, context, compute, m, k, ops);
    isomat_graph graph = chain_capture(&chain, ISOMAT_NONE);
    chain_submit(&chain, ISOMAT_NONE);
    void *direct = bytes_of(chain.e, &bytes);
    assert_ok(isomat_matrix_fill(chain.e, 3, ISOMAT_NONE));
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    assert_same(chain.e, direct);
    free(direct);

    /* It works on the elements of that time. */
    isomat_matrix other = filled(context, k, k, chain.type);
    assert_ok(isomat_matrix_copy(chain.b, other, ISOMAT_NONE));
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    void *launched = bytes_of(chain.e, &bytes);
    chain_submit(&chain, ISOMAT_NONE);
    assert_same(chain.e, launched);
    free(launched);
    assert_ok(isomat_matrix_destroy(other));
    assert_ok(isomat_graph_destroy(graph));
    chain_destroy(&chain);
}

static void launch_equals_calls_in_every_mode(void **state)
{
    static const struct {
        int64_t m, k;
    } sizes[] = {{64, 64}, {37, 45}, {1, 130}, {3, 600}};
    int32_t last = device_capability() >= 80 ? ISOMAT_COMPUTE_F64 : ISOMAT_COMPUTE_F32_STRICT;

    for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= last; compute++)
        for (size_t i = 0; i < TEST_COUNT(sizes); i++)
            check_chain(device_context(state), compute, sizes[i].m, sizes[i].k, (int32_t)i);
}

/* Large enough for the split, the strict and the cut kernels of a GPU. */
static void launch_equals_calls_for_large_products(void **state)
{
    int64_t size = device_is_host() ? 160 : 2050;
    int32_t last = device_capability() >= 80 ? ISOMAT_COMPUTE_F64 : ISOMAT_COMPUTE_F32_STRICT;

    for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= last; compute++)
        check_chain(device_context(state), compute, size - compute, size, 1 + compute % 3);
}

/* A product whose k is cut uses work memory; so does a larger one behind it. */
static void launch_with_work_memory_equals_calls(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix a = filled(context, 70, 30000, F32);
    isomat_matrix b = filled(context, 30000, 40, F32);
    isomat_matrix few = filled(context, 24, 30000, F32);
    isomat_matrix small = filled(context, 24, 40, F32);
    isomat_matrix large = filled(context, 70, 40, F32);
    isomat_graph_info info = {.struct_size = sizeof(info)};
    isomat_graph graph;
    size_t bytes;

    for (int captured = 0; captured < 2; captured++) {
        if (captured)
            assert_ok(isomat_graph_begin(context, ISOMAT_NONE));
        assert_ok(isomat_gemm(&small, 1.0, few, N, b, N, 0.0, ISOMAT_COMPUTE_F32_STRICT, ISOMAT_NONE));
        assert_ok(isomat_gemm(&large, 1.0, a, N, b, N, 0.0, ISOMAT_COMPUTE_F32_STRICT, ISOMAT_NONE));
        if (captured)
            assert_ok(isomat_graph_end(&graph, context, ISOMAT_NONE));
    }
    assert_ok(isomat_graph_get_info(&info, graph));
    assert_true(info.memory_bytes > 0);
    assert_int_equal(info.nodes, 4); /* the parts, and their sum */
    void *direct_small = bytes_of(small, &bytes);
    void *direct_large = bytes_of(large, &bytes);

    /* Others may use the context's work memory meanwhile, or it may go: the graph's is its own. */
    for (int i = 0; i < 3; i++) {
        assert_ok(isomat_matrix_fill(small, 1, ISOMAT_NONE));
        assert_ok(isomat_matrix_fill(large, 1, ISOMAT_NONE));
        assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
        assert_same(small, direct_small);
        assert_same(large, direct_large);
        if (i == 0)
            assert_ok(isomat_context_trim(context, 0));
        if (i == 1)
            assert_ok(isomat_gemm(&large, 2.0, a, N, b, N, 1.0, ISOMAT_COMPUTE_F32_STRICT, ISOMAT_NONE));
    }
    free(direct_small);
    free(direct_large);
    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_matrix_destroy(large));
    assert_ok(isomat_matrix_destroy(small));
    assert_ok(isomat_matrix_destroy(few));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(a));
}

/* ------------------------------------------------------------------ batched */

/* Products of different sizes, told by a table. */
static void submit_batch(isomat_context context, isomat_stream stream, const isomat_matrix *c,
                         const isomat_matrix *a, const isomat_matrix *b)
{
    (void)context;
    assert_ok(isomat_gemm_batched(c, 1.5, a, N, b, N, 0.0, BATCH, ISOMAT_COMPUTE_F32_STRICT, stream));
}

static void launch_equals_batched_calls(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix a[2][BATCH], b[2][BATCH], c[2][BATCH];
    void *direct[2][BATCH];
    isomat_graph graph;
    size_t bytes;

    for (int set = 0; set < 2; set++) {
        for (int p = 0; p < BATCH; p++) {
            a[set][p] = filled(context, 9 + p, 20 + set, F32);
            b[set][p] = filled(context, 20 + set, 13 + 2 * p, F32);
            c[set][p] = filled(context, 9 + p, 13 + 2 * p, F32);
        }
    }
    for (int captured = 0; captured < 2; captured++) {
        if (captured)
            assert_ok(isomat_graph_begin(context, ISOMAT_NONE));
        for (int set = 0; set < 2; set++) /* the second must not take the first one's table */
            submit_batch(context, ISOMAT_NONE, c[set], a[set], b[set]);
        if (captured)
            assert_ok(isomat_graph_end(&graph, context, ISOMAT_NONE));
    }
    assert_int_equal(nodes_of(graph), 2);
    for (int set = 0; set < 2; set++) {
        for (int p = 0; p < BATCH; p++) {
            direct[set][p] = bytes_of(c[set][p], &bytes);
            assert_ok(isomat_matrix_fill(c[set][p], -1, ISOMAT_NONE));
        }
    }
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    for (int set = 0; set < 2; set++) {
        for (int p = 0; p < BATCH; p++) {
            assert_same(c[set][p], direct[set][p]);
            free(direct[set][p]);
            assert_ok(isomat_matrix_destroy(c[set][p]));
            assert_ok(isomat_matrix_destroy(b[set][p]));
            assert_ok(isomat_matrix_destroy(a[set][p]));
        }
    }
    assert_ok(isomat_graph_destroy(graph));
}

static void launch_equals_strided_calls(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix all_a = filled(context, 5 * 32, 32, F32);
    isomat_matrix all_c = filled(context, 5 * 32, 32, F32);
    isomat_matrix a, b = filled(context, 32, 32, F32), c;
    isomat_graph graph;
    size_t bytes;

    assert_ok(isomat_matrix_view(&a, all_a, 0, 0, 32, 32));
    assert_ok(isomat_matrix_view(&c, all_c, 0, 0, 32, 32));
    for (int captured = 0; captured < 2; captured++) {
        if (captured)
            assert_ok(isomat_graph_begin(context, ISOMAT_NONE));
        assert_ok(isomat_gemm_strided_batched(c, 1024, 1.0, a, N, 1024, b, T, 0, 0.0, 5, ISOMAT_COMPUTE_F32,
                                              ISOMAT_NONE));
        if (captured)
            assert_ok(isomat_graph_end(&graph, context, ISOMAT_NONE));
    }
    void *direct = bytes_of(all_c, &bytes);
    assert_ok(isomat_matrix_fill(all_c, -1, ISOMAT_NONE));
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    assert_same(all_c, direct);
    free(direct);
    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_matrix_destroy(c));
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(all_c));
    assert_ok(isomat_matrix_destroy(all_a));
}

/* ---------------------------------------------------------- other operations */

static isomat_kernel ramp_kernel(isomat_context context)
{
    isomat_module module;
    isomat_kernel kernel;

    assert_ok(isomat_module_load_data(&module, context, ramp_ptx, sizeof(ramp_ptx)));
    assert_ok(isomat_kernel_get(&kernel, module, "isomat_test_ramp"));
    assert_ok(isomat_module_destroy(module));
    return kernel;
}

static void launch_ramp(isomat_kernel kernel, uint64_t out, int32_t value, isomat_stream stream)
{
    const int32_t count = 16;
    const void *arguments[] = {&out, &value, &count};
    const isomat_launch launch = {.struct_size = sizeof(launch),
                                  .grid_x = 1,
                                  .grid_y = 1,
                                  .grid_z = 1,
                                  .block_x = 16,
                                  .block_y = 1,
                                  .block_z = 1,
                                  .stream = stream};

    assert_ok(isomat_kernel_launch(kernel, &launch, arguments, 3, NULL));
}

/* Everything else that can be captured, and nothing runs before the launch. */
static void kernels_fills_and_copies_are_captured(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream stream = new_stream(context);
    isomat_kernel kernel = ramp_kernel(context);
    isomat_matrix one, two, short_one;
    isomat_graph graph;
    uint64_t memory;
    int32_t now[32];
    float elements[4];

    assert_ok(isomat_memory_allocate(&memory, sizeof(now), context, ISOMAT_NONE));
    assert_ok(isomat_memory_fill(memory, 7, 4, 32, context, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&one, context, 2, 2, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&two, context, 2, 2, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&short_one, context, 2, 2, ISOMAT_TYPE_F16, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(two, -1, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(context));

    assert_ok(isomat_graph_begin(context, stream));
    launch_ramp(kernel, memory, 100, stream);
    assert_ok(isomat_memory_copy_device(memory + 64, memory, 32, context, stream));
    assert_ok(isomat_memory_fill(memory + 96, 5, 4, 8, context, stream));
    assert_ok(isomat_matrix_fill(one, 1 + 0x1p-14, stream));
    assert_ok(isomat_matrix_copy(short_one, one, stream)); /* rounded to 1 */
    assert_ok(isomat_matrix_copy(two, short_one, stream));
    assert_ok(isomat_graph_end(&graph, context, stream));
    assert_int_equal(nodes_of(graph), 6);

    assert_ok(isomat_memory_copy_to_host(now, memory, sizeof(now), context, ISOMAT_NONE));
    for (int i = 0; i < 32; i++)
        assert_int_equal(now[i], 7);
    assert_ok(isomat_matrix_to_host(elements, 2, two, ISOMAT_NONE));
    assert_true(elements[3] == -1);

    /* The graph keeps the kernel and the matrices. */
    assert_ok(isomat_kernel_destroy(kernel));
    assert_ok(isomat_matrix_destroy(short_one));
    assert_ok(isomat_graph_launch(graph, stream));
    assert_ok(isomat_stream_synchronize(stream));
    assert_ok(isomat_memory_copy_to_host(now, memory, sizeof(now), context, ISOMAT_NONE));
    for (int i = 0; i < 32; i++)
        assert_int_equal(now[i], i < 16 ? 100 + i : i < 24 ? 100 + i - 16 : 5);
    assert_ok(isomat_matrix_to_host(elements, 2, two, stream));
    for (int i = 0; i < 4; i++)
        assert_true(elements[i] == 1);

    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_matrix_destroy(two));
    assert_ok(isomat_matrix_destroy(one));
    assert_ok(isomat_memory_free(memory, context, ISOMAT_NONE));
    assert_ok(isomat_stream_destroy(stream));
}

static void empty_graph_does_nothing(void **state)
{
    isomat_graph graph;

    assert_ok(isomat_graph_begin(device_context(state), ISOMAT_NONE));
    assert_ok(isomat_graph_end(&graph, device_context(state), ISOMAT_NONE));
    assert_int_equal(nodes_of(graph), 0);
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(device_context(state)));
    assert_ok(isomat_graph_destroy(graph));
}

/* ---------------------------------------------------------------- lifetimes */

static void graph_outlives_all_handles(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream stream = new_stream(context);
    struct chain chain;
    isomat_matrix view;
    size_t bytes;

    chain_create(&chain, context, ISOMAT_COMPUTE_F32, 64, 64, 0);
    chain_submit(&chain, ISOMAT_NONE);
    void *direct = bytes_of(chain.e, &bytes);
    assert_ok(isomat_matrix_view(&view, chain.e, 0, 0, 64, 64));
    isomat_graph graph = chain_capture(&chain, stream);
    assert_ok(isomat_stream_destroy(stream));
    chain_destroy(&chain);
    /* What was freed would be found here. */
    isomat_matrix others[4];
    for (int i = 0; i < 4; i++) {
        others[i] = filled(context, 64, 64, F32);
        assert_ok(isomat_matrix_fill(others[i], 9, ISOMAT_NONE));
    }
    assert_ok(isomat_matrix_fill(view, -1, ISOMAT_NONE));
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    assert_same(view, direct);
    free(direct);
    for (int i = 0; i < 4; i++)
        assert_ok(isomat_matrix_destroy(others[i]));
    /* A launch that was submitted runs, though the graph goes. */
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    assert_ok(isomat_graph_destroy(graph));
    assert_status(isomat_graph_launch(graph, ISOMAT_NONE), ISOMAT_ERROR_STALE_HANDLE);
    assert_ok(isomat_matrix_destroy(view));
}

/* A matrix of the captured stream is freed as ever, also while it is captured. */
static void matrix_may_go_during_capture(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream stream = new_stream(context);
    isomat_matrix kept, gone;
    isomat_graph graph;
    float element;

    assert_ok(isomat_matrix_create(&kept, context, 1, 1, F32, stream));
    assert_ok(isomat_matrix_create(&gone, context, 1, 1, F32, stream));
    assert_ok(isomat_graph_begin(context, stream));
    assert_ok(isomat_matrix_fill(kept, 4, stream));
    assert_ok(isomat_matrix_destroy(gone));
    assert_ok(isomat_graph_end(&graph, context, stream));
    assert_ok(isomat_graph_launch(graph, stream));
    assert_ok(isomat_matrix_to_host(&element, 1, kept, stream));
    assert_true(element == 4);
    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_matrix_destroy(kept));
    assert_ok(isomat_stream_destroy(stream));
}

/* Left open, a capture ends with its stream; the tear-down finds what is left behind. */
static void unended_capture_goes_with_its_stream(void **state)
{
    isomat_context own, context = device_context(state);
    isomat_stream stream = new_stream(context);
    struct chain chain;

    chain_create(&chain, context, ISOMAT_COMPUTE_F32, 32, 32, 0);
    assert_ok(isomat_graph_begin(context, stream));
    chain_submit(&chain, stream);
    assert_ok(isomat_stream_destroy(stream));
    assert_ok(isomat_context_synchronize(context)); /* refused while a stream is captured */
    chain_destroy(&chain);

    assert_ok(isomat_context_create(&own, 0, ISOMAT_CONTEXT_PRIMARY));
    chain_create(&chain, own, ISOMAT_COMPUTE_F32, 32, 32, 0);
    assert_ok(isomat_graph_begin(own, ISOMAT_NONE));
    chain_submit(&chain, ISOMAT_NONE);
    chain_destroy(&chain);
    assert_ok(isomat_context_destroy(own));
}

/* ------------------------------------------------------------------ streams */

/* How often a stream was made to wait; on a GPU, a number that grows. */
static int64_t waits_so_far(void)
{
    static int64_t calls;

    return device_is_host() ? device_host_calls("cuStreamWaitEvent") : calls++;
}

static void launches_follow_each_other_on_all_streams(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream streams[] = {new_stream(context), new_stream(context), ISOMAT_NONE};
    isomat_matrix sum = filled(context, 1, 1, F32), one = filled(context, 1, 1, F32), c = sum;
    isomat_graph graph;
    float element;

    assert_ok(isomat_matrix_fill(sum, 0, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(one, 1, ISOMAT_NONE));
    assert_ok(isomat_graph_begin(context, streams[0]));
    assert_ok(isomat_gemm(&c, 1.0, one, N, one, N, 1.0, ISOMAT_COMPUTE_F32_STRICT, streams[0]));
    assert_ok(isomat_graph_end(&graph, context, streams[0]));
    assert_ok(isomat_graph_launch(graph, streams[0]));
    assert_ok(isomat_graph_launch(graph, streams[1])); /* now both know the matrices */
    for (int i = 2; i < REPLAYS; i++) {
        int64_t waits = waits_so_far();
        assert_ok(isomat_graph_launch(graph, streams[i % 3]));
        assert_true(waits_so_far() > waits);
    }
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_matrix_to_host(&element, 1, sum, ISOMAT_NONE));
    assert_true(element == REPLAYS);
    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_matrix_destroy(one));
    assert_ok(isomat_matrix_destroy(sum));
    assert_ok(isomat_stream_destroy(streams[1]));
    assert_ok(isomat_stream_destroy(streams[0]));
}

/* A matrix is of another stream, where it is still being made. */
static void launch_waits_for_the_matrices_stream(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream stream = new_stream(context), maker = new_stream(context);
    isomat_matrix from, to;
    isomat_graph graph;
    struct work work;
    float elements[3] = {0};

    work_load(&work, context);
    for (int i = 0; i < 20; i++) {
        assert_ok(isomat_matrix_create(&from, context, 1, 3, F32, maker));
        assert_ok(isomat_matrix_create(&to, context, 1, 3, F32, stream));
        assert_ok(isomat_graph_begin(context, stream));
        assert_ok(isomat_matrix_copy(to, from, stream));
        assert_ok(isomat_graph_end(&graph, context, stream));
        work_spin(&work, maker, 5);
        assert_ok(isomat_matrix_fill(from, (double)(49 + i), maker));
        int64_t waits = waits_so_far();
        assert_ok(isomat_graph_launch(graph, stream));
        /* The host driver may be done already: for the graph's memory, and for the matrix. */
        if (device_is_host())
            assert_true(waits_so_far() - waits >= 2);
        assert_ok(isomat_matrix_to_host(elements, 3, to, stream));
        assert_true(elements[2] == (float)(49 + i));
        assert_ok(isomat_graph_destroy(graph));
        assert_ok(isomat_matrix_destroy(to));
        assert_ok(isomat_matrix_destroy(from));
    }
    work_unload(&work);
    assert_ok(isomat_stream_destroy(maker));
    assert_ok(isomat_stream_destroy(stream));
}

static void two_captures_at_once(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream streams[2] = {new_stream(context), new_stream(context)};
    isomat_graph graphs[2];
    struct chain chains[2];
    void *direct[2];
    size_t bytes;

    for (int i = 0; i < 2; i++) {
        chain_create(&chains[i], context, ISOMAT_COMPUTE_F32, 50 + 10 * i, 64, i);
        chain_submit(&chains[i], ISOMAT_NONE);
        direct[i] = bytes_of(chains[i].e, &bytes);
        assert_ok(isomat_matrix_fill(chains[i].e, 0, ISOMAT_NONE));
    }
    for (int i = 0; i < 2; i++)
        assert_ok(isomat_graph_begin(context, streams[i]));
    for (int i = 0; i < 2; i++)
        chain_submit(&chains[i], streams[i]);
    for (int i = 1; i >= 0; i--)
        assert_ok(isomat_graph_end(&graphs[i], context, streams[i]));
    for (int i = 0; i < 2; i++)
        assert_int_equal(nodes_of(graphs[i]), nodes_of(graphs[0]));
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 2; i++)
            assert_ok(isomat_graph_launch(graphs[i], streams[i]));
    assert_ok(isomat_context_synchronize(context));
    for (int i = 0; i < 2; i++) {
        assert_same(chains[i].e, direct[i]);
        free(direct[i]);
        assert_ok(isomat_graph_destroy(graphs[i]));
        chain_destroy(&chains[i]);
        assert_ok(isomat_stream_destroy(streams[i]));
    }
}

static void replays_are_bit_equal_between_calls(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream stream = new_stream(context);
    struct chain chain;
    size_t bytes;

    chain_create(&chain, context, ISOMAT_COMPUTE_F32, 33, 700, 0);
    chain_submit(&chain, stream);
    assert_ok(isomat_stream_synchronize(stream));
    void *direct = bytes_of(chain.e, &bytes);
    isomat_graph graph = chain_capture(&chain, stream);
    for (int i = 0; i < REPLAYS; i++) {
        assert_ok(isomat_graph_launch(graph, stream));
        if (i % 10 == 0)
            chain_submit(&chain, stream);
        if (i % 7 == 0)
            assert_ok(isomat_matrix_fill(chain.e, i, stream));
        assert_ok(isomat_graph_launch(graph, stream));
        assert_ok(isomat_stream_synchronize(stream));
        assert_same(chain.e, direct);
    }
    free(direct);
    assert_ok(isomat_graph_destroy(graph));
    chain_destroy(&chain);
    assert_ok(isomat_stream_destroy(stream));
}

/* ------------------------------------------------------------------ threads */

#define THREADS 4

struct thread {
    isomat_context context;
    isomat_graph shared;
    int wrong;
};

static void *capture_and_launch(void *argument)
{
    struct thread *thread = argument;
    isomat_stream stream = ISOMAT_NONE;
    isomat_matrix a = ISOMAT_NONE, c = ISOMAT_NONE;
    isomat_graph graph;
    float elements[256];

    thread->wrong |= isomat_stream_create(&stream, thread->context, 0) != ISOMAT_OK;
    thread->wrong |= isomat_matrix_create(&a, thread->context, 16, 16, F32, stream) != ISOMAT_OK;
    thread->wrong |= isomat_matrix_create(&c, thread->context, 16, 16, F32, stream) != ISOMAT_OK;
    for (int i = 0; i < 20; i++) {
        thread->wrong |= isomat_graph_begin(thread->context, stream) != ISOMAT_OK;
        thread->wrong |= isomat_matrix_fill(a, i, stream) != ISOMAT_OK;
        thread->wrong |=
            isomat_gemm(&c, 1.0, a, N, a, N, 0.0, ISOMAT_COMPUTE_F32_STRICT, stream) != ISOMAT_OK;
        thread->wrong |= isomat_graph_end(&graph, thread->context, stream) != ISOMAT_OK;
        thread->wrong |= isomat_graph_launch(graph, stream) != ISOMAT_OK;
        thread->wrong |= isomat_matrix_to_host(elements, 16, c, stream) != ISOMAT_OK;
        thread->wrong |= elements[0] != (float)(16 * i * i) || elements[255] != elements[0];
        thread->wrong |= isomat_graph_destroy(graph) != ISOMAT_OK;
        thread->wrong |= isomat_graph_launch(thread->shared, i % 2 ? stream : ISOMAT_NONE) != ISOMAT_OK;
    }
    thread->wrong |= isomat_matrix_destroy(c) != ISOMAT_OK;
    thread->wrong |= isomat_matrix_destroy(a) != ISOMAT_OK;
    thread->wrong |= isomat_stream_destroy(stream) != ISOMAT_OK;
    return NULL;
}

static void threads_capture_and_launch(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix sum = filled(context, 1, 1, F32), one = filled(context, 1, 1, F32), c = sum;
    pthread_t threads[THREADS];
    struct thread arguments[THREADS];
    isomat_graph graph;
    float element;

    assert_ok(isomat_matrix_fill(sum, 0, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(one, 1, ISOMAT_NONE));
    assert_ok(isomat_graph_begin(context, ISOMAT_NONE));
    assert_ok(isomat_gemm(&c, 1.0, one, N, one, N, 1.0, ISOMAT_COMPUTE_F32_STRICT, ISOMAT_NONE));
    assert_ok(isomat_graph_end(&graph, context, ISOMAT_NONE));
    for (int i = 0; i < THREADS; i++) {
        arguments[i] = (struct thread){context, graph, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, capture_and_launch, &arguments[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(arguments[i].wrong, 0);
    }
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_matrix_to_host(&element, 1, sum, ISOMAT_NONE));
    assert_true(element == THREADS * 20);
    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_matrix_destroy(one));
    assert_ok(isomat_matrix_destroy(sum));
}

/* ---------------------------------------------------------------- wrong use */

static void begin_and_end_refuse_wrong_use(void **state)
{
    isomat_context other, context = device_context(state);
    isomat_stream stream = new_stream(context), foreign;
    isomat_graph graph;
    isomat_graph_info info = {.struct_size = 4};

    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_PRIMARY));
    assert_ok(isomat_stream_create(&foreign, other, 0));
    assert_no_handle(graph, isomat_graph_end(&graph, context, stream), ISOMAT_ERROR_CAPTURE);
    assert_message_contains("isomat_graph_begin");
    assert_status(isomat_graph_begin(context, foreign), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_graph_begin(ISOMAT_NONE, ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(isomat_graph_begin(context, context), ISOMAT_ERROR_WRONG_KIND);
    assert_ok(isomat_graph_begin(context, stream));
    assert_status(isomat_graph_begin(context, stream), ISOMAT_ERROR_CAPTURE);
    assert_message_contains("already");
    assert_status(isomat_graph_end(NULL, context, stream), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(graph, isomat_graph_end(&graph, context, ISOMAT_NONE), ISOMAT_ERROR_CAPTURE);
    assert_ok(isomat_graph_end(&graph, context, stream));
    assert_status(isomat_graph_launch(graph, foreign), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_graph_launch(context, ISOMAT_NONE), ISOMAT_ERROR_WRONG_KIND);
    assert_message_contains("graph");
    assert_status(isomat_graph_get_info(&info, graph), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_graph_get_info(NULL, graph), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_matrix_destroy(graph), ISOMAT_ERROR_WRONG_KIND);
    assert_message_contains("graph", "matrix");
    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_graph_destroy(ISOMAT_NONE));
    assert_status(isomat_graph_destroy(graph), ISOMAT_ERROR_STALE_HANDLE);
    assert_ok(isomat_stream_destroy(foreign));
    assert_ok(isomat_context_destroy(other));
    assert_ok(isomat_stream_destroy(stream));
}

/* What would wait, allocate or meet the host is refused, and the capture goes on. */
static void capture_refuses_what_it_cannot_hold(void **state)
{
    isomat_context context = device_context(state);
    isomat_stream stream = new_stream(context);
    isomat_matrix matrix, made = ISOMAT_NONE;
    isomat_event event;
    isomat_graph graph, inner;
    uint64_t pointer, memory;
    float element = 3;

    assert_ok(isomat_event_create(&event, context, 0));
    assert_ok(isomat_memory_allocate(&memory, 16, context, stream));
    matrix = filled(context, 1, 1, F32);
    assert_ok(isomat_graph_begin(context, stream));
    assert_ok(isomat_graph_end(&inner, context, stream));

    assert_ok(isomat_graph_begin(context, stream));
    assert_ok(isomat_matrix_fill(matrix, 6, stream));
    assert_status(isomat_matrix_to_host(&element, 1, matrix, stream), ISOMAT_ERROR_CAPTURE);
    assert_message_contains("between host and device", "captured");
    assert_status(isomat_matrix_upload(matrix, &element, 1, stream), ISOMAT_ERROR_CAPTURE);
    assert_no_handle(made, isomat_matrix_from_host(&made, context, &element, 1, 1, 1, F32, stream),
                     ISOMAT_ERROR_CAPTURE);
    assert_no_handle(made, isomat_matrix_create(&made, context, 0, 0, F32, stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_gemm(&made, 1.0, matrix, N, matrix, N, 0.0, ISOMAT_COMPUTE_F32, stream),
                  ISOMAT_ERROR_CAPTURE);
    assert_message_contains("new matrix");
    assert_status(isomat_memory_allocate(&pointer, 16, context, stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_memory_free(memory, context, stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_memory_copy_to_device(memory, &element, 4, context, stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_memory_copy_to_host(&element, memory, 4, context, stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_stream_synchronize(stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_stream_query(stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_stream_wait(stream, event), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_event_record(event, stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_graph_launch(inner, stream), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_context_synchronize(context), ISOMAT_ERROR_CAPTURE);
    assert_status(isomat_context_trim(context, 0), ISOMAT_ERROR_CAPTURE);
    /* Other streams go on. */
    assert_ok(isomat_graph_launch(inner, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(&element, 1, matrix, ISOMAT_NONE));
    assert_true(element != 6);
    assert_ok(isomat_graph_end(&graph, context, stream));
    assert_int_equal(nodes_of(graph), 1);
    assert_ok(isomat_graph_launch(graph, stream));
    assert_ok(isomat_matrix_to_host(&element, 1, matrix, stream));
    assert_true(element == 6);

    assert_ok(isomat_graph_destroy(graph));
    assert_ok(isomat_graph_destroy(inner));
    assert_ok(isomat_matrix_destroy(matrix));
    assert_ok(isomat_memory_free(memory, context, stream));
    assert_ok(isomat_event_destroy(event));
    assert_ok(isomat_stream_destroy(stream));
}

/* A call that fails in the driver, of each kind that graphs need; nothing is left behind. */
static void failures_of_the_driver_leave_nothing(void **state)
{
    static const struct {
        const char *fault;
        int32_t begin, end, launch;
    } cases[] = {
        {"cuStreamBeginCapture_v2:1=OUT_OF_MEMORY", ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY, ISOMAT_ERROR_CAPTURE,
         0},
        {"cuStreamEndCapture:1=STREAM_CAPTURE_INVALIDATED", ISOMAT_OK, ISOMAT_ERROR_CAPTURE, 0},
        {"cuGraphInstantiateWithFlags:1=OUT_OF_MEMORY", ISOMAT_OK, ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY, 0},
        {"cuGraphLaunch:1=INVALID_HANDLE", ISOMAT_OK, ISOMAT_OK, ISOMAT_ERROR_DRIVER},
    };
    isomat_context context = device_context(state);
    isomat_graph graph;

    if (!device_is_host())
        skip();
    for (size_t i = 0; i < TEST_COUNT(cases); i++) {
        device_host_fault(cases[i].fault);
        assert_status(isomat_graph_begin(context, ISOMAT_NONE), cases[i].begin);
        assert_status(isomat_graph_end(&graph, context, ISOMAT_NONE), cases[i].end);
        if (cases[i].end == ISOMAT_OK) {
            assert_status(isomat_graph_launch(graph, ISOMAT_NONE), cases[i].launch);
            assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
            assert_ok(isomat_graph_destroy(graph));
        }
        device_host_fault(NULL);
        assert_ok(isomat_context_synchronize(context));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(launch_equals_calls_in_every_mode),
        device_test(launch_equals_calls_for_large_products),
        device_test(launch_with_work_memory_equals_calls),
        device_test(launch_equals_batched_calls),
        device_test(launch_equals_strided_calls),
        device_test(kernels_fills_and_copies_are_captured),
        device_test(empty_graph_does_nothing),
        device_test(graph_outlives_all_handles),
        device_test(matrix_may_go_during_capture),
        device_test(unended_capture_goes_with_its_stream),
        device_test(launches_follow_each_other_on_all_streams),
        device_test(launch_waits_for_the_matrices_stream),
        device_test(two_captures_at_once),
        device_test(replays_are_bit_equal_between_calls),
        device_test(threads_capture_and_launch),
        device_test(begin_and_end_refuse_wrong_use),
        device_test(capture_refuses_what_it_cannot_hold),
        device_test(failures_of_the_driver_leave_nothing),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
