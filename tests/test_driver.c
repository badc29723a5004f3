/* SPDX-License-Identifier: MIT */
/* test_driver.c: what isomat tells about the driver and its devices. */
#include <unistd.h>

#include "tests/support/device.h"

static void opening_again_does_nothing(void **state)
{
    int64_t live = isomat_live_objects();

    (void)state;
    for (int i = 0; i < 10; i++)
        assert_ok(isomat_driver_open());
    assert_int_equal(isomat_live_objects(), live);
}

static void info_tells_the_driver(void **state)
{
    isomat_driver_info info = {.struct_size = sizeof(info)};
    int32_t count = -1;

    (void)state;
    assert_ok(isomat_driver_get_info(&info));
    assert_int_equal(info.struct_size, sizeof(info));
    assert_int_equal(info.kind, device_is_host() ? ISOMAT_DRIVER_KIND_HOST : ISOMAT_DRIVER_KIND_NVIDIA);
    assert_true(info.version >= 11040 && info.version < 100000);
    assert_true(info.device_count >= 1);
    assert_ok(isomat_device_count(&count));
    assert_int_equal(count, info.device_count);
    assert_int_equal(info.path[0], '/');
    assert_int_equal(access(info.path, R_OK), 0);
}

static void host_driver_is_the_one_that_was_built(void **state)
{
    isomat_driver_info info = {.struct_size = sizeof(info)};
    const char *built = getenv("ISOMAT_HOSTDRIVER");
    char *mine, *theirs;

    (void)state;
    if (!device_is_host() || built == NULL)
        skip();
    assert_ok(isomat_driver_get_info(&info));
    mine = realpath(built, NULL);
    theirs = realpath(info.path, NULL);
    assert_non_null(mine);
    assert_non_null(theirs);
    assert_string_equal(theirs, mine);
    free(mine);
    free(theirs);
}

static void info_refuses_bad_structs(void **state)
{
    isomat_driver_info info = {.struct_size = 0};
    isomat_device_info device = {.struct_size = 4};

    (void)state;
    assert_status(isomat_driver_get_info(NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_driver_get_info(&info), ISOMAT_ERROR_INVALID_ARGUMENT);
    info.struct_size = sizeof(info) - 1;
    assert_status(isomat_driver_get_info(&info), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_device_count(NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_device_get_info(NULL, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_device_get_info(&device, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
}

/* A caller built against a later header: what this version does not know stays as it was. */
static void larger_struct_is_accepted(void **state)
{
    struct {
        isomat_driver_info info;
        unsigned char later[64];
    } caller;

    (void)state;
    memset(&caller, 0xa5, sizeof(caller));
    caller.info.struct_size = sizeof(caller);
    assert_ok(isomat_driver_get_info(&caller.info));
    assert_int_equal(caller.info.struct_size, sizeof(caller));
    assert_true(caller.info.device_count >= 1);
    for (size_t i = 0; i < sizeof(caller.later); i++)
        assert_true(caller.later[i] == 0xa5 || caller.later[i] == 0);
}

static void device_info_is_plausible(void **state)
{
    isomat_device_info info = {.struct_size = sizeof(info)};
    int32_t count;

    (void)state;
    assert_ok(isomat_device_count(&count));
    for (int32_t device = 0; device < count; device++) {
        assert_ok(isomat_device_get_info(&info, device));
        assert_in_range(info.capability_major, 5, 30);
        assert_in_range(info.capability_minor, 0, 9);
        assert_true(info.multiprocessors >= 1);
        assert_true(info.max_threads_per_block >= 1024);
        assert_true(info.max_threads_per_multiprocessor >= info.max_threads_per_block);
        assert_true(info.registers_per_multiprocessor >= 32768);
        assert_true(info.memory_bytes >= 1 << 28);
        assert_true(info.shared_per_block_bytes >= 48 << 10);
        assert_true(info.shared_per_block_optin_bytes >= info.shared_per_block_bytes);
        assert_true(info.shared_per_multiprocessor_bytes >= info.shared_per_block_optin_bytes);
        assert_in_range(info.memory_pools, 0, 1);
        assert_in_range(info.cluster_launch, 0, 1);
        assert_in_range(info.cooperative_launch, 0, 1);
        assert_in_range(info.ecc, 0, 1);
        assert_true(info.clock_khz >= 0 && info.memory_clock_khz >= 0 && info.memory_bus_bits >= 0);
        assert_true(info.l2_bytes >= 0);
        assert_true(strlen(info.name) > 0 && strlen(info.name) < sizeof(info.name));
        if (device_is_host())
            assert_non_null(strstr(info.name, "isomat host driver"));
    }
}

static void device_out_of_range_is_refused(void **state)
{
    isomat_device_info info = {.struct_size = sizeof(info)};
    char number[16];
    int32_t count;

    (void)state;
    assert_ok(isomat_device_count(&count));
    assert_status(isomat_device_get_info(&info, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("-1");
    assert_status(isomat_device_get_info(&info, INT32_MIN), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_device_get_info(&info, INT32_MAX), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_device_get_info(&info, count), ISOMAT_ERROR_INVALID_ARGUMENT);
    snprintf(number, sizeof(number), "%d", (int)count);
    assert_message_contains(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_again_does_nothing),
        cmocka_unit_test(info_tells_the_driver),
        cmocka_unit_test(host_driver_is_the_one_that_was_built),
        cmocka_unit_test(info_refuses_bad_structs),
        cmocka_unit_test(larger_struct_is_accepted),
        cmocka_unit_test(device_info_is_plausible),
        cmocka_unit_test(device_out_of_range_is_refused),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
