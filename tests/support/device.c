/* SPDX-License-Identifier: MIT */
/* device.c: choosing and opening the driver under test, and the leak check. */
#include "tests/support/device.h"

static int64_t objects_at_start;
static int64_t host_objects_at_start;

static int wants_nvidia(void)
{
    const char *driver = getenv("ISOMAT_TEST_DRIVER");

    return driver != NULL && strcmp(driver, "nvidia") == 0;
}

int device_choose(enum device_need need)
{
    const char *driver = getenv("ISOMAT_TEST_DRIVER");

    if (driver != NULL && strcmp(driver, "nvidia") != 0 && strcmp(driver, "host") != 0) {
        fprintf(stderr, "ISOMAT_TEST_DRIVER is \"%s\": it must be host or nvidia\n", driver);
        return TEST_ERROR;
    }
    if (wants_nvidia() && need == DEVICE_HOST) {
        fprintf(stderr, "skipped: needs the host driver\n");
        return TEST_SKIP;
    }
    setenv("ISOMAT_DRIVER", wants_nvidia() ? "nvidia" : "host", 1);
    return 0;
}

int device_open(enum device_need need)
{
    isomat_driver_info info = {.struct_size = sizeof(info)};
    int status = device_choose(need);

    if (status != 0)
        return status;
    if (isomat_driver_get_info(&info) != ISOMAT_OK) {
        fprintf(stderr, "the driver that the test needs does not open: %s\n", isomat_error_message());
        return TEST_ERROR;
    }
    if (info.kind != (wants_nvidia() ? ISOMAT_DRIVER_KIND_NVIDIA : ISOMAT_DRIVER_KIND_HOST)) {
        fprintf(stderr, "another kind of driver than the one asked for was opened: %s\n", info.path);
        return TEST_ERROR;
    }
    objects_at_start = isomat_live_objects();
    host_objects_at_start = device_is_host() ? device_host_objects() : 0;
    return 0;
}

int64_t device_leaked(void)
{
    int64_t objects = isomat_live_objects() - objects_at_start;
    int64_t host = device_is_host() ? device_host_objects() - host_objects_at_start : 0;

    if (objects != 0)
        print_error("%lld objects of isomat were left behind\n", (long long)objects);
    if (host != 0)
        print_error("%lld objects of the host driver were left behind\n", (long long)host);
    return objects != 0 ? objects : host;
}

int device_close(int failed)
{
    return failed != 0 || device_leaked() != 0;
}

int device_is_host(void)
{
    return !wants_nvidia();
}

int device_capability(void)
{
    isomat_device_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_device_get_info(&info, 0));
    return info.capability_major * 10 + info.capability_minor;
}

int device_setup(void **state)
{
    struct device_fixture *fixture = calloc(1, sizeof(*fixture));

    if (fixture == NULL)
        return -1;
    *state = fixture;
    fixture->live = isomat_live_objects();
    if (isomat_context_create(&fixture->context, 0, ISOMAT_CONTEXT_PRIMARY) == ISOMAT_OK)
        return 0;
    print_error("isomat_context_create: %s\n", isomat_error_message());
    return -1;
}

int device_teardown(void **state)
{
    struct device_fixture *fixture = *state;
    int32_t status = isomat_context_destroy(fixture->context);
    int64_t left = isomat_live_objects() - fixture->live;

    free(fixture);
    if (status == ISOMAT_OK && left == 0)
        return 0;
    print_error("after the test: destroying its context gave %s, %lld objects were left behind\n",
                isomat_status_name(status), (long long)left);
    return -1;
}

isomat_context device_context(void **state)
{
    return ((struct device_fixture *)*state)->context;
}
