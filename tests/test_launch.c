/* SPDX-License-Identifier: MIT */
/* test_launch.c: launches that cannot run, and those that need a device feature. */
#include "tests/kernels/images.h"
#include "tests/support/work.h"

static isomat_module module;
static isomat_kernel ramp, empty;
static uint64_t out;
static const int32_t value = 1, count = 0; /* the kernel then writes nothing */
static const void *const arguments[] = {&out, &value, &count, &count};

static void load(isomat_context context)
{
    assert_ok(isomat_module_load_data(&module, context, launch_ptx, sizeof(launch_ptx)));
    assert_ok(isomat_kernel_get(&ramp, module, "isomat_test_ramp"));
    assert_ok(isomat_kernel_get(&empty, module, "isomat_test_empty"));
    out = 0;
}

/* After a refused launch, the same kernel still runs. */
static void unload(isomat_context context)
{
    isomat_launch launch = work_launch(1, 32, ISOMAT_NONE);

    assert_ok(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL));
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_kernel_destroy(ramp));
    assert_ok(isomat_kernel_destroy(empty));
    assert_ok(isomat_module_destroy(module));
}

static int tells_parameters(void)
{
    isomat_kernel_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_kernel_get_info(&info, ramp));
    return info.parameter_count >= 0;
}

static void bad_arguments_are_refused(void **state)
{
    isomat_launch launch = work_launch(1, 1, ISOMAT_NONE);
    const void *holed[] = {&out, NULL, &count};

    load(device_context(state));
    assert_status(isomat_kernel_launch(ramp, NULL, arguments, 3, NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_launch(ramp, &launch, NULL, 3, NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_launch(ramp, &launch, holed, 3, NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, -1, NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_launch_packed(ramp, NULL, &out, 16), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_launch_packed(ramp, &launch, NULL, 16), ISOMAT_ERROR_INVALID_ARGUMENT);
    launch.struct_size = 8;
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_launch_packed(empty, &launch, NULL, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    unload(device_context(state));
}

static void wrong_number_of_arguments_is_refused(void **state)
{
    isomat_launch launch = work_launch(1, 1, ISOMAT_NONE);

    load(device_context(state));
    if (tells_parameters()) {
        assert_status(isomat_kernel_launch(ramp, &launch, arguments, 2, NULL), ISOMAT_ERROR_ARGUMENT_COUNT);
        assert_message_contains("isomat_test_ramp", "3", "2");
        assert_status(isomat_kernel_launch(ramp, &launch, arguments, 4, NULL), ISOMAT_ERROR_ARGUMENT_COUNT);
        assert_message_contains("3", "4");
        assert_status(isomat_kernel_launch(ramp, &launch, NULL, 0, NULL), ISOMAT_ERROR_ARGUMENT_COUNT);
        assert_status(isomat_kernel_launch(empty, &launch, arguments, 1, NULL), ISOMAT_ERROR_ARGUMENT_COUNT);
    }
    unload(device_context(state));
}

static void wrong_size_of_an_argument_is_refused(void **state)
{
    static const int64_t right[] = {8, 4, 4}, wrong[] = {8, 4, 8};
    isomat_launch launch = work_launch(1, 1, ISOMAT_NONE);
    unsigned char buffer[32] = {0};

    load(device_context(state));
    assert_ok(isomat_kernel_launch(ramp, &launch, arguments, 3, right));
    if (tells_parameters()) {
        assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, wrong), ISOMAT_ERROR_ARGUMENT_SIZE);
        assert_message_contains("isomat_test_ramp", "2", "8", "4");
        assert_status(isomat_kernel_launch_packed(ramp, &launch, buffer, 15), ISOMAT_ERROR_ARGUMENT_SIZE);
        assert_message_contains("15", "16");
        assert_status(isomat_kernel_launch_packed(ramp, &launch, buffer, 17), ISOMAT_ERROR_ARGUMENT_SIZE);
        assert_status(isomat_kernel_launch_packed(ramp, &launch, buffer, 0), ISOMAT_ERROR_ARGUMENT_SIZE);
    }
    assert_ok(isomat_kernel_launch_packed(ramp, &launch, buffer, 16));
    unload(device_context(state));
}

static void dimension_of_0_is_refused(void **state)
{
    load(device_context(state));
    for (int i = 0; i < 6; i++) {
        isomat_launch launch = work_launch(1, 1, ISOMAT_NONE);
        uint32_t *dimensions[] = {&launch.grid_x,  &launch.grid_y,  &launch.grid_z,
                                  &launch.block_x, &launch.block_y, &launch.block_z};
        *dimensions[i] = 0;
        assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
        assert_message_contains("0");
        assert_status(isomat_kernel_launch_packed(empty, &launch, NULL, 0), ISOMAT_ERROR_INVALID_LAUNCH);
    }
    unload(device_context(state));
}

static void too_large_launch_is_refused(void **state)
{
    isomat_device_info device = {.struct_size = sizeof(device)};
    isomat_launch launch;

    load(device_context(state));
    assert_ok(isomat_device_get_info(&device, 0));
    launch = work_launch(1, 2048, ISOMAT_NONE);
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    assert_message_contains("2048", "1024");
    launch = work_launch(1, 32, ISOMAT_NONE);
    launch.block_y = 64;
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    launch = work_launch(1, 1, ISOMAT_NONE);
    launch.block_z = 128; /* at most 64 */
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    launch = work_launch(1, 1, ISOMAT_NONE);
    launch.block_x = launch.block_y = launch.block_z = 1u << 24; /* a product that wraps to 0 */
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    launch = work_launch(0x80000000u, 1, ISOMAT_NONE);
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    launch = work_launch(1, 1, ISOMAT_NONE);
    launch.grid_y = 65536;
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    launch = work_launch(1, 1, ISOMAT_NONE);
    launch.shared_bytes = (uint32_t)device.shared_per_block_optin_bytes + 1024;
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    launch.shared_bytes = UINT32_MAX;
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    unload(device_context(state));
}

static void cooperative_grid_must_fit(void **state)
{
    isomat_device_info device = {.struct_size = sizeof(device)};
    isomat_launch launch = work_launch(1, 64, ISOMAT_NONE);

    load(device_context(state));
    assert_ok(isomat_device_get_info(&device, 0));
    launch.cooperative = 1;
    if (device.cooperative_launch) {
        assert_ok(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL));
        assert_ok(isomat_kernel_launch_packed(empty, &launch, NULL, 0));
        launch.grid_x = (uint32_t)device.multiprocessors * 64 + 1;
        assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
    } else {
        assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_UNSUPPORTED);
    }
    unload(device_context(state));
}

static void cluster_must_divide_the_grid(void **state)
{
    isomat_device_info device = {.struct_size = sizeof(device)};
    isomat_launch launch = work_launch(4, 64, ISOMAT_NONE);

    load(device_context(state));
    assert_ok(isomat_device_get_info(&device, 0));
    launch.cluster_x = 2;
    launch.cluster_y = launch.cluster_z = 1;
    if (device.cluster_launch) {
        assert_ok(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL));
        launch.grid_x = 5;
        assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_INVALID_LAUNCH);
        assert_message_contains("5", "2");
    } else {
        assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_UNSUPPORTED);
    }
    launch = work_launch(4, 64, ISOMAT_NONE);
    launch.cluster_x = 2; /* the other two are 0: neither a cluster nor none */
    assert_int_not_equal(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_OK);
    unload(device_context(state));
}

static void stream_of_another_context_is_refused(void **state)
{
    isomat_context other;
    isomat_stream stream;
    isomat_launch launch;

    load(device_context(state));
    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_stream_create(&stream, other, 0));
    launch = work_launch(1, 1, stream);
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_ok(isomat_stream_destroy(stream));
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_STALE_HANDLE);
    launch.stream = other;
    assert_status(isomat_kernel_launch(ramp, &launch, arguments, 3, NULL), ISOMAT_ERROR_WRONG_KIND);
    assert_ok(isomat_context_destroy(other));
    unload(device_context(state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(bad_arguments_are_refused),
        device_test(wrong_number_of_arguments_is_refused),
        device_test(wrong_size_of_an_argument_is_refused),
        device_test(dimension_of_0_is_refused),
        device_test(too_large_launch_is_refused),
        device_test(cooperative_grid_must_fit),
        device_test(cluster_must_divide_the_grid),
        device_test(stream_of_another_context_is_refused),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
