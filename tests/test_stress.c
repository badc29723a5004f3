/* SPDX-License-Identifier: MIT */
/* test_stress.c: threads create, use and destroy each other's objects at random, ISOMAT_STRESS_SECONDS long.
 *
 * A handle may go at any time, so most statuses are allowed.  What is not: a
 * failure of the driver or of a kernel, a failure without a line of text, a
 * wrong product where every call succeeded, an object left at the end.
 *
 * Matrices that all threads know are used on the default stream alone: on two
 * streams without an event between them their elements would be a race, and
 * the caller's mistake.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/kernels/images.h"
#include "tests/support/device.h"
#include "tests/support/operand.h"

#define WORKERS 16
#define SLOTS 12 /* of each kind */
#define LARGEST 24

enum kind { CONTEXT, STREAM, EVENT, MODULE, KERNEL, MATRIX, KINDS };

/* What every thread takes objects from, and puts its own in. */
static _Atomic uint64_t slots[KINDS][SLOTS];
static isomat_context base; /* never destroyed, so that there is always work */
static _Atomic int stop;

struct worker {
    pthread_t thread;
    uint64_t sequence;
    int64_t calls, successes, products;
    int failures;
};

static uint64_t random_below(struct worker *worker, uint64_t bound)
{
    return operand_random(&worker->sequence, bound);
}

static void complain(struct worker *worker, const char *what, int32_t status)
{
    if (worker->failures++ < 3)
        fprintf(stderr, "%s: %s, message \"%s\"\n", what, isomat_status_name(status),
                status < 0 ? isomat_error_message() : "");
}

/* Counts a call whose handles others may destroy.  Returns true if it succeeded. */
static int try(struct worker *worker, const char *call, int32_t status)
{
    worker->calls++;
    switch (status) {
    case ISOMAT_OK:
        worker->successes++;
        return 1;
    case ISOMAT_ERROR_INVALID_ARGUMENT:
    case ISOMAT_ERROR_INVALID_HANDLE:
    case ISOMAT_ERROR_STALE_HANDLE:
    case ISOMAT_ERROR_WRONG_KIND:
    case ISOMAT_ERROR_SHAPE_MISMATCH:
    case ISOMAT_ERROR_ALIAS:
    case ISOMAT_ERROR_CONTEXT_MISMATCH:
    case ISOMAT_ERROR_TYPE_MISMATCH:
    case ISOMAT_ERROR_NOT_READY:
        if (!test_is_one_line(isomat_error_message()))
            complain(worker, call, status);
        return 0;
    default:
        complain(worker, call, status);
        return 0;
    }
}
#define TRY(worker, call) try(worker, #call, call)

static int32_t destroy(enum kind kind, uint64_t handle)
{
    static int32_t (*const destroyers[KINDS])(uint64_t) = {
        isomat_context_destroy, isomat_stream_destroy, isomat_event_destroy,
        isomat_module_destroy,  isomat_kernel_destroy, isomat_matrix_destroy,
    };

    return destroyers[kind](handle);
}

/* A handle of that kind; seldom another one, none, or a number that is no handle. */
static uint64_t pick(struct worker *worker, enum kind kind)
{
    switch (random_below(worker, 32)) {
    case 0:
        kind = (enum kind)random_below(worker, KINDS);
        break;
    case 1:
        return random_below(worker, UINT64_MAX);
    default:
        break;
    }
    return slots[kind][random_below(worker, SLOTS)];
}

static isomat_context pick_context(struct worker *worker)
{
    return random_below(worker, 4) ? base : pick(worker, CONTEXT);
}

/* Others may use the object from now on; the one that it drives out is destroyed. */
static void publish(struct worker *worker, enum kind kind, uint64_t handle)
{
    uint64_t old = atomic_exchange(&slots[kind][random_below(worker, SLOTS)], handle);

    try(worker, "destroying a replaced object", destroy(kind, old));
}

static int64_t pick_size(struct worker *worker)
{
    return (int64_t)(random_below(worker, 3) ? 8 : random_below(worker, LARGEST + 1));
}

static int32_t pick_type(struct worker *worker)
{
    return random_below(worker, 4) ? ISOMAT_TYPE_F32 : (int32_t)(ISOMAT_TYPE_F16 + random_below(worker, 2));
}

static void create_something(struct worker *worker)
{
    uint64_t handle = ISOMAT_NONE;

    switch (random_below(worker, 8)) {
    case 0:
        if (random_below(worker, 32) == 0 &&
            TRY(worker, isomat_context_create(&handle, 0, ISOMAT_CONTEXT_OWN)))
            publish(worker, CONTEXT, handle);
        return;
    case 1:
        if (TRY(worker, isomat_stream_create(&handle, pick_context(worker), 0)))
            publish(worker, STREAM, handle);
        return;
    case 2:
        if (TRY(worker, isomat_event_create(&handle, pick_context(worker), (int32_t)random_below(worker, 2))))
            publish(worker, EVENT, handle);
        return;
    case 3:
        if (TRY(worker, isomat_module_load_data(&handle, pick_context(worker), ramp_ptx, sizeof(ramp_ptx))))
            publish(worker, MODULE, handle);
        return;
    case 4:
        if (TRY(worker, isomat_kernel_get(&handle, pick(worker, MODULE), "isomat_test_ramp")))
            publish(worker, KERNEL, handle);
        return;
    case 5:
        if (TRY(worker, isomat_matrix_view(&handle, pick(worker, MATRIX), 1, 2, 5, 4)))
            publish(worker, MATRIX, handle);
        return;
    default:
        if (TRY(worker, isomat_matrix_create(&handle, pick_context(worker), pick_size(worker),
                                             pick_size(worker), pick_type(worker), ISOMAT_NONE)) &&
            TRY(worker, isomat_matrix_fill(handle, 1, ISOMAT_NONE)))
            publish(worker, MATRIX, handle);
    }
}

static void use_matrices(struct worker *worker)
{
    static const int32_t modes[] = {ISOMAT_COMPUTE_F32, ISOMAT_COMPUTE_F32_STRICT, ISOMAT_COMPUTE_F16};
    float data[LARGEST * LARGEST] = {0};
    isomat_matrix_info info = {.struct_size = sizeof(info)};
    isomat_matrix a = pick(worker, MATRIX), b = pick(worker, MATRIX), c = ISOMAT_NONE;

    switch (random_below(worker, 7)) {
    case 0:
        TRY(worker, isomat_matrix_upload(a, data, LARGEST, ISOMAT_NONE));
        return;
    case 1:
        TRY(worker, isomat_matrix_to_host(data, LARGEST, a, ISOMAT_NONE));
        return;
    case 2:
        TRY(worker, isomat_matrix_copy(a, b, ISOMAT_NONE));
        return;
    case 3:
        TRY(worker, isomat_matrix_get_info(&info, a));
        return;
    case 4:
        if (TRY(worker,
                isomat_matrix_prepare(a, ISOMAT_OPERAND_A, ISOMAT_OP_T, ISOMAT_COMPUTE_F32, ISOMAT_NONE)))
            TRY(worker, isomat_matrix_modified(a));
        return;
    case 5:
        TRY(worker, isomat_gemm(&(isomat_matrix){pick(worker, MATRIX)}, 0.5, a, ISOMAT_OP_N, b, ISOMAT_OP_T,
                                0.5, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
        return;
    default:
        if (TRY(worker,
                isomat_gemm(&c, 0.5, a, (int32_t)random_below(worker, 2), b, (int32_t)random_below(worker, 2),
                            0, modes[random_below(worker, TEST_COUNT(modes))], ISOMAT_NONE)))
            publish(worker, MATRIX, c);
    }
}

static void use_streams(struct worker *worker)
{
    uint64_t stream = pick(worker, STREAM), event = pick(worker, EVENT);
    double milliseconds;

    switch (random_below(worker, 7)) {
    case 0:
        TRY(worker, isomat_stream_synchronize(stream));
        return;
    case 1:
        TRY(worker, isomat_stream_query(stream));
        return;
    case 2:
        TRY(worker, isomat_stream_wait(stream, event));
        return;
    case 3:
        TRY(worker, isomat_event_query(event));
        return;
    case 4:
        TRY(worker, isomat_event_elapsed(&milliseconds, event, pick(worker, EVENT)));
        return;
    case 5:
        if (random_below(worker, 16) == 0)
            TRY(worker, isomat_context_synchronize(pick_context(worker)));
        return;
    default:
        TRY(worker, isomat_event_record(event, stream));
    }
}

/* Its own memory, but a kernel and a stream that others may destroy. */
static void launch_kernel(struct worker *worker)
{
    uint64_t memory = 0;
    int32_t first = (int32_t)random_below(worker, 1000), count = 64, got[64] = {0};
    const void *arguments[] = {&memory, &first, &count};
    isomat_launch launch = {.struct_size = sizeof(launch), .grid_x = 2, .grid_y = 1, .grid_z = 1};
    isomat_module module = ISOMAT_NONE;
    isomat_kernel kernel = ISOMAT_NONE;

    launch.block_x = 32, launch.block_y = 1, launch.block_z = 1;
    if (!TRY(worker, isomat_memory_allocate(&memory, sizeof(got), base, ISOMAT_NONE)))
        return;
    if (TRY(worker, isomat_module_load_data(&module, base, ramp_ptx, sizeof(ramp_ptx)))) {
        publish(worker, MODULE, module);
        if (TRY(worker, isomat_kernel_get(&kernel, module, "isomat_test_ramp"))) {
            publish(worker, KERNEL, kernel);
            if (TRY(worker, isomat_kernel_launch(kernel, &launch, arguments, 3, NULL)) &&
                TRY(worker, isomat_memory_copy_to_host(got, memory, sizeof(got), base, ISOMAT_NONE)) &&
                !(got[0] == first && got[63] == first + 63))
                complain(worker, "the kernel's result is wrong", ISOMAT_OK);
        }
    }
    TRY(worker, isomat_memory_free(memory, base, ISOMAT_NONE));
}

/* A product on a stream of its own, which others may use and destroy meanwhile. */
static void multiply(struct worker *worker)
{
    int64_t n = 1 + pick_size(worker), k = 1 + pick_size(worker);
    float got[(LARGEST + 1) * (LARGEST + 1)];
    isomat_stream stream = ISOMAT_NONE;
    isomat_matrix a = ISOMAT_NONE, b = ISOMAT_NONE, c = ISOMAT_NONE;

    if (TRY(worker, isomat_stream_create(&stream, base, 0)) &&
        TRY(worker, isomat_matrix_create(&a, base, n, k, ISOMAT_TYPE_F32, stream)) &&
        TRY(worker, isomat_matrix_create(&b, base, k, n, ISOMAT_TYPE_F32, stream)) &&
        TRY(worker, isomat_matrix_fill(a, 2, stream)) && TRY(worker, isomat_matrix_fill(b, 3, stream))) {
        if (random_below(worker, 2))
            publish(worker, STREAM, stream);
        if (TRY(worker, isomat_gemm(&c, 1, a, ISOMAT_OP_N, b, ISOMAT_OP_N, 0, ISOMAT_COMPUTE_F32, stream))) {
            /* Destroyed before it is read: the copy waits for what the product needs. */
            TRY(worker, isomat_matrix_destroy(a));
            if (TRY(worker, isomat_matrix_to_host(got, n, c, stream))) {
                worker->products++;
                for (int64_t i = 0; i < n * n; i++)
                    if (got[i] != (float)(6 * k)) {
                        complain(worker, "the product is wrong", ISOMAT_OK);
                        break;
                    }
            }
        }
    }
    TRY(worker, isomat_matrix_destroy(a));
    TRY(worker, isomat_matrix_destroy(b));
    TRY(worker, isomat_matrix_destroy(c));
    TRY(worker, isomat_stream_destroy(stream));
}

static void destroy_something(struct worker *worker)
{
    enum kind kind = (enum kind)random_below(worker, KINDS);

    /* Contexts hold all the rest: seldom. */
    if (kind == CONTEXT && random_below(worker, 16))
        return;
    try(worker, "destroying a random object", destroy(kind, slots[kind][random_below(worker, SLOTS)]));
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    while (!stop) {
        switch (random_below(worker, 8)) {
        case 0:
        case 1:
            create_something(worker);
            break;
        case 2:
        case 3:
            use_matrices(worker);
            break;
        case 4:
            use_streams(worker);
            break;
        case 5:
            launch_kernel(worker);
            break;
        case 6:
            multiply(worker);
            break;
        default:
            destroy_something(worker);
        }
    }
    return NULL;
}

static double stress_seconds(void)
{
    const char *text = getenv("ISOMAT_STRESS_SECONDS");

    return text != NULL ? strtod(text, NULL) : 2;
}

static void random_calls_and_destructions(void **state)
{
    struct worker workers[WORKERS] = {0};
    struct timespec time = {.tv_sec = (time_t)stress_seconds()};
    int64_t calls = 0, successes = 0, products = 0;
    int failures = 0;

    base = device_context(state);
    for (int i = 0; i < WORKERS; i++) {
        workers[i].sequence = operand_seed() + (uint64_t)i * 1000003;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    time.tv_nsec = (long)((stress_seconds() - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
    stop = 1;
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        calls += workers[i].calls;
        successes += workers[i].successes;
        products += workers[i].products;
        failures += workers[i].failures;
    }
    for (int kind = KINDS - 1; kind >= 0; kind--)
        for (int i = 0; i < SLOTS; i++)
            destroy((enum kind)kind, slots[kind][i]);
    print_message("%lld calls, %lld of them successful, %lld products compared\n", (long long)calls,
                  (long long)successes, (long long)products);
    assert_int_equal(failures, 0);
    assert_true(calls > 0 && products > 0 && successes > calls / 4 && successes < calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(random_calls_and_destructions),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
