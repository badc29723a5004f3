/* SPDX-License-Identifier: MIT */
/* test_loader.c: each state in which the driver can be found, each in a process of its own.
 *
 * This process never opens a driver, so that its children, one per state,
 * begin without one.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cuda_abi.h"
#include "lib/driver_symbols.h"
#include "tests/support/device.h"
#include "tests/support/scenario.h"

/* Runs body in a child; it returns 0 if all is well, after a line on stderr if not. */
static int in_child(int (*body)(const void *), const void *argument)
{
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(body(argument));
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct loader_case {
    const char *name;
    const char *driver;      /* ISOMAT_DRIVER; NULL leaves it unset */
    const char *variable[2]; /* another variable and its value */
    int32_t status;
    const char *words[4]; /* in the message */
};

static void set(const char *variable, const char *value)
{
    if (value == NULL)
        unsetenv(variable);
    else
        setenv(variable, value, 1);
}

static int complain(const struct loader_case *c, int32_t status)
{
    fprintf(stderr, "%s: %s, wanted %s; message \"%s\"\n", c->name, isomat_status_name(status),
            isomat_status_name(c->status), isomat_error_message());
    return 1;
}

/* Every call that needs the driver tells the same; then, with a driver there, all works. */
static int body(const void *argument)
{
    const struct loader_case *c = (const struct loader_case *)argument;
    isomat_driver_info info = {.struct_size = sizeof(info)};
    isomat_context context = 1;
    int32_t status, count;

    set("ISOMAT_DRIVER", c->driver);
    if (c->variable[0] != NULL)
        set(c->variable[0], c->variable[1]);
    status = isomat_driver_open();
    if (status != c->status)
        return complain(c, status);
    if (status == ISOMAT_OK)
        return 0;
    for (int i = 0; i < 4 && c->words[i] != NULL; i++)
        if (strstr(isomat_error_message(), c->words[i]) == NULL || !test_is_one_line(isomat_error_message()))
            return complain(c, status);
    if ((status = isomat_driver_get_info(&info)) != c->status ||
        (status = isomat_device_count(&count)) != c->status ||
        (status = isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY)) != c->status)
        return complain(c, status);
    if (context != ISOMAT_NONE || isomat_live_objects() != 0)
        return complain(c, status);
    if (c->variable[0] != NULL && strncmp(c->variable[0], "ISOMAT_HOST_", 12) == 0)
        return 0; /* a loaded host driver stays what it is */
    set("ISOMAT_DRIVER", "host");
    set("ISOMAT_HOSTDRIVER", getenv("TEST_HOSTDRIVER"));
    status = scenarios[SCENARIO_COUNT - 1].run();
    if (status != ISOMAT_OK)
        fprintf(stderr, "%s: the retry gave %s: %s\n", c->name, isomat_status_name(status),
                isomat_error_message());
    return status != ISOMAT_OK || isomat_live_objects() != 0;
}

static const struct loader_case cases[] = {
    {"no such file",
     "/nonexistent/libcuda.so.1",
     {NULL, NULL},
     ISOMAT_ERROR_NO_DRIVER,
     {"/nonexistent/libcuda.so.1"}},
    {"not a library", "/etc/passwd", {NULL, NULL}, ISOMAT_ERROR_NO_DRIVER, {"/etc/passwd"}},
    {"unknown word", "cpu", {NULL, NULL}, ISOMAT_ERROR_NO_DRIVER, {"cpu"}},
    {"relative path", "./libcuda.so.1", {NULL, NULL}, ISOMAT_ERROR_NO_DRIVER, {"./libcuda.so.1"}},
    {"host driver missing",
     "host",
     {"ISOMAT_HOSTDRIVER", "/nonexistent/host.so"},
     ISOMAT_ERROR_NO_DRIVER,
     {"/nonexistent/host.so"}},
    {"stub", TEST_STUB_DRIVER, {NULL, NULL}, ISOMAT_ERROR_STUB_DRIVER, {"stub"}},
    {"driver of 10.2", TEST_OLD_DRIVER, {NULL, NULL}, ISOMAT_ERROR_DRIVER_TOO_OLD, {"10.2", "11.4"}},
    {"host driver as 10.0",
     "host",
     {"ISOMAT_HOST_DRIVER_VERSION", "10000"},
     ISOMAT_ERROR_DRIVER_TOO_OLD,
     {"10.0", "11.4"}},
    {"host driver as 11.3",
     "host",
     {"ISOMAT_HOST_DRIVER_VERSION", "11030"},
     ISOMAT_ERROR_DRIVER_TOO_OLD,
     {"11.3", "11.4"}},
    {"host driver as 11.4", "host", {"ISOMAT_HOST_DRIVER_VERSION", "11040"}, ISOMAT_OK, {NULL}},
    {"no device", "host", {"ISOMAT_HOST_DEVICES", "0"}, ISOMAT_ERROR_NO_DEVICE, {NULL}},
    {"missing function",
     "host",
     {"ISOMAT_HOST_HIDE", "cuLaunchKernel"},
     ISOMAT_ERROR_DRIVER_TOO_OLD,
     {"cuLaunchKernel"}},
    {"host", "host", {NULL, NULL}, ISOMAT_OK, {NULL}},
};

static void state_is_told_and_can_be_left(void **state)
{
    assert_int_equal(in_child(body, *state), 0);
}

struct hidden {
    const char *name;
    int required;
};

#define REQUIRED 1
#define OPTIONAL 0
#define ROW(need, name, version, parameters) {#name, need},

static const struct hidden hidden[] = {DRIVER_SYMBOLS(ROW)};

/* Without a required function the message names it; without an optional one everything still works. */
static int without_function(const void *argument)
{
    const struct hidden *function = (const struct hidden *)argument;
    int32_t status;

    set("ISOMAT_DRIVER", "host");
    set("ISOMAT_HOST_HIDE", function->name);
    status = isomat_driver_open();
    if (function->required) {
        if (status == ISOMAT_ERROR_DRIVER_TOO_OLD && strstr(isomat_error_message(), function->name) != NULL)
            return 0;
        fprintf(stderr, "without %s: %s, \"%s\"\n", function->name, isomat_status_name(status),
                isomat_error_message());
        return 1;
    }
    for (int i = 0; i < SCENARIO_COUNT && status == ISOMAT_OK; i++)
        status = scenarios[i].run();
    if (status == ISOMAT_OK && isomat_live_objects() == 0)
        return 0;
    fprintf(stderr, "without %s: %s, \"%s\", %lld objects left\n", function->name, isomat_status_name(status),
            isomat_error_message(), (long long)isomat_live_objects());
    return 1;
}

static void missing_function_is_named_or_done_without(void **state)
{
    int failures = 0;

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(hidden); i++)
        failures += in_child(without_function, &hidden[i]) != 0;
    assert_int_equal(failures, 0);
}

/* All optional ones at once, as on the oldest driver. */
static void oldest_driver_is_enough(void **state)
{
    char names[2048] = "";
    struct hidden all = {names, 0};

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(hidden); i++)
        if (!hidden[i].required)
            snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
                     names[0] != '\0' ? "," : "", hidden[i].name);
    assert_int_equal(in_child(without_function, &all), 0);
}

struct init_fault {
    const char *fault;
    int32_t status;
};

static int with_fault(const void *argument)
{
    const struct init_fault *f = (const struct init_fault *)argument;
    int32_t status;

    set("ISOMAT_DRIVER", "host");
    if (device_load_host() != 0)
        return 1;
    device_host_fault(f->fault);
    status = isomat_driver_open();
    device_host_fault(NULL);
    if (status != f->status || !test_is_one_line(isomat_error_message())) {
        fprintf(stderr, "%s: %s, \"%s\"\n", f->fault, isomat_status_name(status), isomat_error_message());
        return 1;
    }
    return isomat_driver_open() != ISOMAT_OK;
}

static void failing_initialisation_is_told_and_tried_again(void **state)
{
    static const struct init_fault faults[] = {
        {"cuInit:1=NO_DEVICE", ISOMAT_ERROR_NO_DEVICE},
        {"cuInit:1=STUB_LIBRARY", ISOMAT_ERROR_STUB_DRIVER},
        {"cuInit:1=SYSTEM_DRIVER_MISMATCH", ISOMAT_ERROR_DRIVER},
        {"cuInit:1=UNKNOWN", ISOMAT_ERROR_DRIVER},
        {"cuDeviceGetCount:1=UNKNOWN", ISOMAT_ERROR_DRIVER},
    };
    int failures = 0;

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(faults); i++)
        failures += in_child(with_fault, &faults[i]) != 0;
    assert_int_equal(failures, 0);
}

/* Unset means nvidia: the real driver, or NO_DRIVER with the name that was tried; never the host driver. */
static int default_choice(const void *argument)
{
    isomat_driver_info info = {.struct_size = sizeof(info)};
    int32_t status;

    set("ISOMAT_DRIVER", argument);
    status = isomat_driver_get_info(&info);
    if (status == ISOMAT_OK)
        return info.kind != ISOMAT_DRIVER_KIND_NVIDIA;
    return strstr(isomat_error_message(), "libcuda.so.1") == NULL;
}

static int auto_choice(const void *argument)
{
    isomat_driver_info info = {.struct_size = sizeof(info)};

    (void)argument;
    set("ISOMAT_DRIVER", "auto");
    return isomat_driver_get_info(&info) != ISOMAT_OK || scenarios[SCENARIO_COUNT - 1].run() != ISOMAT_OK;
}

/* A path may name the host driver too; it is then known as what it is. */
static int path_choice(const void *argument)
{
    isomat_driver_info info = {.struct_size = sizeof(info)};

    (void)argument;
    set("ISOMAT_DRIVER", getenv("TEST_HOSTDRIVER"));
    return isomat_driver_get_info(&info) != ISOMAT_OK || info.kind != ISOMAT_DRIVER_KIND_HOST;
}

static void driver_is_chosen_by_the_environment(void **state)
{
    (void)state;
    assert_int_equal(in_child(default_choice, NULL), 0);
    assert_int_equal(in_child(default_choice, "nvidia"), 0);
    assert_int_equal(in_child(auto_choice, NULL), 0);
    assert_int_equal(in_child(path_choice, NULL), 0);
}

int main(void)
{
    struct CMUnitTest tests[TEST_COUNT(cases) + 4] = {
        cmocka_unit_test(missing_function_is_named_or_done_without),
        cmocka_unit_test(oldest_driver_is_enough),
        cmocka_unit_test(failing_initialisation_is_told_and_tried_again),
        cmocka_unit_test(driver_is_chosen_by_the_environment),
    };
    const char *host = getenv("ISOMAT_HOSTDRIVER");
    int status = device_choose(DEVICE_HOST);

    if (status != 0)
        return status;
    if (host == NULL) {
        fprintf(stderr, "ISOMAT_HOSTDRIVER is not set\n");
        return TEST_ERROR;
    }
    setenv("TEST_HOSTDRIVER", host, 1);
    for (size_t i = 0; i < TEST_COUNT(cases); i++) {
        void *parameter = (void *)(uintptr_t)&cases[i]; /* cmocka's state is not const */
        tests[i + 4] =
            (struct CMUnitTest){cases[i].name, state_is_told_and_can_be_left, NULL, NULL, parameter};
    }
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
