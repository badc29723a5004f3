/* SPDX-License-Identifier: MIT */
/* test_faults.c: each driver call of each scenario fails once.
 *
 * Then the scenario must report it in one line, leave nothing behind, restore
 * the caller's context, and work the next time.
 */
#include "lib/cuda_abi.h"
#include "lib/driver_symbols.h"
#include "tests/support/device.h"
#include "tests/support/scenario.h"

#define REQUIRED 1
#define OPTIONAL 0
#define ROW(need, name, version, parameters) {#name, need},

struct function {
    const char *name;
    int required;
};

static const struct function functions[] = {DRIVER_SYMBOLS(ROW)};

/* When these fail the object stays with the driver, which may be told or not. */
static const char *const destroying[] = {
    "cuStreamDestroy", "cuEventDestroy", "cuModuleUnload", "cuMemPoolDestroy", "cuCtxDestroy",
    "cuMemFree",       "cuMemFreeAsync", "cuMemFreeHost",  "cuCtxPopCurrent",  "cuDevicePrimaryCtxRelease",
    "cuGraphDestroy",
};

/* isomat can do without the answer of these. */
static const char *const advisory[] = {
    "cuGetErrorName", "cuGetErrorString", "cuMemGetInfo", "cuPointerGetAttribute", "cuDeviceGetAttribute",
};

static int is_in(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return 1;
    return 0;
}

/* One call that fails. */
struct fault {
    const struct scenario *scenario;
    const struct function *function;
    int64_t n;
    int clean_up; /* it is made while the scenario destroys its objects */
};

static int destroys(const struct fault *fault)
{
    return fault->clean_up || is_in(fault->function->name, destroying, TEST_COUNT(destroying));
}

/* Without work memory, which comes with an event, k stays whole. */
static int takes_another_way(const struct fault *fault)
{
    return strcmp(fault->scenario->name, "a product in parts") == 0 &&
           strcmp(fault->function->name, "cuEventCreate") == 0;
}

static int must_be_reported(const struct fault *fault)
{
    return fault->function->required && !destroys(fault) && !takes_another_way(fault) &&
           !is_in(fault->function->name, advisory, TEST_COUNT(advisory));
}

static void wrong(const struct fault *fault, const char *what)
{
    print_error("scenario %s, call %lld of %s failed: %s\n", fault->scenario->name, (long long)fault->n,
                fault->function->name, what);
    print_error("    last message: \"%s\"\n", isomat_error_message());
    fail();
}

static void check_left(const struct fault *fault, int64_t objects, int64_t host_objects)
{
    if (isomat_live_objects() != objects)
        wrong(fault, "objects of isomat were left behind");
    if (device_host_objects() != host_objects && !destroys(fault))
        wrong(fault, "objects of the driver were left behind");
    if (device_current_context() != 0 && !destroys(fault))
        wrong(fault, "the current context is not the caller's");
    while (device_current_context() != 0) /* a pop that failed */
        device_pop_context();
}

/* The call fails; then the scenario once more, undisturbed. */
static void fail_once(const struct fault *fault, const char *result)
{
    const int64_t objects = isomat_live_objects(), host_objects = device_host_objects();
    char text[80];
    int32_t status;

    snprintf(text, sizeof(text), "%s:%lld=%s", fault->function->name, (long long)fault->n, result);
    device_host_fault(text);
    status = fault->scenario->run();
    device_host_fault(NULL);
    if (status == SCENARIO_WRONG)
        wrong(fault, "success with a wrong result");
    if (status == ISOMAT_OK && must_be_reported(fault))
        wrong(fault, "it was not reported");
    if (status != ISOMAT_OK && !test_is_one_line(isomat_error_message()))
        wrong(fault, "there is no message of one line");
    check_left(fault, objects, host_objects);
    if (fault->scenario->run() != ISOMAT_OK)
        wrong(fault, "the next try failed too");
}

/* The calls of one function when the scenario began to destroy its objects. */
static const char *counted;
static int64_t calls_before_clean_up;

static void clean_up_begins(void)
{
    if (calls_before_clean_up < 0)
        calls_before_clean_up = device_host_calls(counted);
}

static void sweep_function(const struct scenario *scenario, const struct function *function)
{
    const int64_t before = device_host_calls(function->name);
    int64_t calls;

    counted = function->name;
    calls_before_clean_up = -1;
    scenario_before_clean_up = clean_up_begins;
    assert_int_equal(scenario->run(), ISOMAT_OK);
    scenario_before_clean_up = NULL;
    calls = device_host_calls(function->name) - before;
    for (int64_t n = 1; n <= calls; n++) {
        const struct fault fault = {scenario, function, n, n > calls_before_clean_up - before};
        fail_once(&fault, n % 2 ? "OUT_OF_MEMORY" : "UNKNOWN");
    }
}

static void sweep(void **state)
{
    const struct scenario *scenario = *state;

    assert_int_equal(scenario->run(), ISOMAT_OK);
    for (size_t f = 0; f < TEST_COUNT(functions); f++)
        sweep_function(scenario, &functions[f]);
}

/* Without memory pools the status of a full device is the same. */
static void full_device_is_told_as_such(void **state)
{
    static const char *const faults[] = {"cuMemAllocFromPoolAsync:1=OUT_OF_MEMORY",
                                         "cuMemAlloc:1=OUT_OF_MEMORY"};
    isomat_context context;
    uint64_t pointer;

    (void)state;
    assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    for (size_t i = 0; i < TEST_COUNT(faults); i++) {
        device_host_fault(faults[i]);
        if (isomat_memory_allocate(&pointer, 1000, context, ISOMAT_NONE) == ISOMAT_OK) {
            device_host_fault(NULL);
            assert_ok(
                isomat_memory_free(pointer, context, ISOMAT_NONE)); /* this device takes the other way */
            continue;
        }
        device_host_fault(NULL);
        assert_int_equal(isomat_error_cuda_result(), 2);
        assert_message_contains("1000", "free");
    }
    assert_ok(isomat_context_destroy(context));
}

/* A result without a status of its own: the message has the call and the CUresult. */
static void other_failures_name_the_call(void **state)
{
    isomat_context context;

    (void)state;
    assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
    device_host_fault("cuCtxSynchronize:1=UNKNOWN");
    assert_status(isomat_context_synchronize(context), ISOMAT_ERROR_DRIVER);
    device_host_fault(NULL);
    assert_message_contains("cuCtxSynchronize", "CUDA_ERROR_UNKNOWN");
    assert_int_equal(isomat_error_cuda_result(), 999);
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_context_destroy(context));
}

int main(void)
{
    struct CMUnitTest tests[SCENARIO_COUNT + 2] = {
        cmocka_unit_test(full_device_is_told_as_such),
        cmocka_unit_test(other_failures_name_the_call),
    };
    int status = device_open(DEVICE_HOST);

    for (size_t i = 0; i < SCENARIO_COUNT; i++) {
        struct scenario *scenario = (struct scenario *)&scenarios[i]; /* cmocka's state is not const */
        tests[i + 2] = (struct CMUnitTest){scenario->name, sweep, NULL, NULL, scenario};
    }
    return status != 0 ? status : cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
