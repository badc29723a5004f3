/* SPDX-License-Identifier: MIT */
/* test_kernel.c: what a kernel tells about itself, its arguments, and launches that work. */
#include "tests/kernels/images.h"
#include "tests/support/work.h"

struct kernels {
    isomat_module module;
    isomat_kernel ramp, empty, mixed, reverse, geometry;
    uint64_t out;
};

static void load(struct kernels *k, isomat_context context)
{
    assert_ok(isomat_module_load_data(&k->module, context, launch_ptx, sizeof(launch_ptx)));
    assert_ok(isomat_kernel_get(&k->ramp, k->module, "isomat_test_ramp"));
    assert_ok(isomat_kernel_get(&k->empty, k->module, "isomat_test_empty"));
    assert_ok(isomat_kernel_get(&k->mixed, k->module, "isomat_test_mixed"));
    assert_ok(isomat_kernel_get(&k->reverse, k->module, "isomat_test_reverse"));
    assert_ok(isomat_kernel_get(&k->geometry, k->module, "isomat_test_geometry"));
    assert_ok(isomat_memory_allocate(&k->out, 1 << 16, context, ISOMAT_NONE));
    assert_ok(isomat_memory_fill(k->out, 0, 4, 1 << 14, context, ISOMAT_NONE));
}

static void unload(struct kernels *k, isomat_context context)
{
    assert_ok(isomat_memory_free(k->out, context, ISOMAT_NONE));
    assert_ok(isomat_kernel_destroy(k->ramp));
    assert_ok(isomat_kernel_destroy(k->empty));
    assert_ok(isomat_kernel_destroy(k->mixed));
    assert_ok(isomat_kernel_destroy(k->reverse));
    assert_ok(isomat_kernel_destroy(k->geometry));
    assert_ok(isomat_module_destroy(k->module));
}

static void download(void *data, const struct kernels *k, int64_t bytes, isomat_context context)
{
    assert_ok(isomat_memory_copy_to_host(data, k->out, bytes, context, ISOMAT_NONE));
}

static int tells_parameters(isomat_kernel kernel)
{
    isomat_kernel_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_kernel_get_info(&info, kernel));
    return info.parameter_count >= 0;
}

static void info_tells_the_attributes(void **state)
{
    isomat_kernel_info info = {.struct_size = sizeof(info)};
    struct kernels k;

    load(&k, device_context(state));
    assert_ok(isomat_kernel_get_info(&info, k.ramp));
    assert_true(info.registers >= 1 && info.registers <= 255);
    assert_in_range(info.max_threads_per_block, 32, 1024);
    assert_true(info.binary_version >= 75);
    assert_int_equal(info.ptx_version, 75);
    assert_int_equal(info.shared_bytes, 0);
    assert_int_equal(info.local_bytes, 0);
    assert_true(info.const_bytes >= 0);
    if (tells_parameters(k.ramp)) {
        assert_int_equal(info.parameter_count, 3);
        assert_int_equal(info.parameter_bytes, 16);
        assert_ok(isomat_kernel_get_info(&info, k.empty));
        assert_int_equal(info.parameter_count, 0);
        assert_int_equal(info.parameter_bytes, 0);
    }
    info.struct_size = 12;
    assert_status(isomat_kernel_get_info(&info, k.ramp), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_get_info(NULL, k.ramp), ISOMAT_ERROR_INVALID_ARGUMENT);
    unload(&k, device_context(state));
}

static isomat_kernel_info info_of(isomat_module module, const char *name)
{
    isomat_kernel_info info = {.struct_size = sizeof(info)};
    isomat_kernel kernel;

    assert_ok(isomat_kernel_get(&kernel, module, name));
    assert_ok(isomat_kernel_get_info(&info, kernel));
    assert_ok(isomat_kernel_destroy(kernel));
    return info;
}

/* out[i] = i + 1 by way of a local array, whose index no compiler knows. */
static const char array_ptx[] = ".version 6.4\n.target sm_75\n.address_size 64\n"
                                ".visible .entry isomat_test_array(.param .u64 out)\n{\n"
                                ".local .align 4 .b8 array[256];\n.reg .b32 %r<4>;\n.reg .b64 %rd<6>;\n"
                                "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd2, %rd1;\n"
                                "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nmul.wide.u32 %rd3, %r1, 4;\n"
                                "mov.u64 %rd4, array;\nadd.u64 %rd4, %rd4, %rd3;\n"
                                "st.local.u32 [%rd4], %r2;\nld.local.u32 %r3, [%rd4];\n"
                                "add.u64 %rd5, %rd2, %rd3;\nst.global.u32 [%rd5], %r3;\nret;\n}\n";

/* What a test of a host asserts, to know that its kernel is an optimised one. */
static void info_tells_how_the_kernel_was_built(void **state)
{
    isomat_context context = device_context(state);
    isomat_module module;
    isomat_kernel_info info;

    assert_ok(isomat_module_load_embedded(&module, context, "gemm_f32"));
    info = info_of(module, "isomat_gemm_f32_nn_64x64x16");
    assert_int_equal(info.debug, 0);
    assert_int_equal(info.jit, device_is_host());
    assert_int_equal(info.spills, 0);
    assert_ok(isomat_module_destroy(module));

    assert_ok(isomat_module_load_data(&module, context, debug_ptx, sizeof(debug_ptx)));
    info = info_of(module, "isomat_test_ramp");
    assert_int_equal(info.debug, 1);
    assert_int_equal(info.jit, 1);
    assert_ok(isomat_module_destroy(module));

    assert_ok(isomat_module_load_data(&module, context, array_ptx, sizeof(array_ptx)));
    info = info_of(module, "isomat_test_array");
    assert_int_equal(info.debug, 0);
    assert_true(info.local_bytes > 0);
    assert_int_equal(info.spills, -1);
    assert_ok(isomat_module_destroy(module));
}

static void parameters_have_offsets_and_sizes(void **state)
{
    static const int64_t offsets[] = {0, 8, 10, 12, 16, 24, 32}, sizes[] = {8, 1, 2, 4, 8, 4, 16};
    int64_t offset, size;
    struct kernels k;

    load(&k, device_context(state));
    if (tells_parameters(k.mixed)) {
        for (int32_t i = 0; i < 7; i++) {
            assert_ok(isomat_kernel_get_parameter(&offset, &size, k.mixed, i));
            assert_int_equal(offset, offsets[i]);
            assert_int_equal(size, sizes[i]);
        }
        assert_status(isomat_kernel_get_parameter(&offset, &size, k.mixed, 7), ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_message_contains("7");
        assert_status(isomat_kernel_get_parameter(&offset, &size, k.mixed, -1),
                      ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_status(isomat_kernel_get_parameter(&offset, &size, k.empty, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    } else {
        assert_status(isomat_kernel_get_parameter(&offset, &size, k.mixed, 0), ISOMAT_ERROR_UNSUPPORTED);
    }
    unload(&k, device_context(state));
}

static void kernel_of_an_unknown_name_is_not_found(void **state)
{
    isomat_kernel kernel;
    struct kernels k;

    load(&k, device_context(state));
    assert_no_handle(kernel, isomat_kernel_get(&kernel, k.module, "isomat_test_rump"),
                     ISOMAT_ERROR_NOT_FOUND);
    assert_message_contains("isomat_test_rump");
    assert_int_not_equal(isomat_kernel_get(&kernel, k.module, ""), ISOMAT_OK);
    assert_no_handle(kernel, isomat_kernel_get(&kernel, k.module, NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_get(NULL, k.module, "isomat_test_ramp"), ISOMAT_ERROR_INVALID_ARGUMENT);
    unload(&k, device_context(state));
}

static void occupancy_is_told(void **state)
{
    int32_t blocks = -1;
    struct kernels k;

    load(&k, device_context(state));
    assert_ok(isomat_kernel_get_occupancy(&blocks, k.ramp, 256, 0));
    assert_in_range(blocks, 1, 64);
    assert_ok(isomat_kernel_get_occupancy(&blocks, k.reverse, 256, 40 << 10));
    assert_in_range(blocks, 1, 6);
    assert_status(isomat_kernel_get_occupancy(NULL, k.ramp, 256, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_get_occupancy(&blocks, k.ramp, 0, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_get_occupancy(&blocks, k.ramp, -256, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_kernel_get_occupancy(&blocks, k.ramp, 256, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
    unload(&k, device_context(state));
}

struct mixed {
    uint64_t out;
    int8_t a;
    int16_t b;
    int32_t c;
    int64_t d;
    float e;
    struct {
        int32_t first;
        int64_t second;
    } f;
};

static const struct mixed mixed_values = {0, -5, -1234, 123456789, -9000000000, 1.5f, {77, 1LL << 60}};

static void assert_mixed(const struct kernels *k, isomat_context context)
{
    unsigned char got[56];

    download(got, k, sizeof(got), context);
    assert_memory_equal(got + 0, &mixed_values.a, 1);
    assert_memory_equal(got + 8, &mixed_values.b, 2);
    assert_memory_equal(got + 16, &mixed_values.c, 4);
    assert_memory_equal(got + 24, &mixed_values.d, 8);
    assert_memory_equal(got + 32, &mixed_values.e, 4);
    assert_memory_equal(got + 40, &mixed_values.f.first, 4);
    assert_memory_equal(got + 48, &mixed_values.f.second, 8);
}

static void arguments_of_every_size_arrive(void **state)
{
    static const int64_t sizes[] = {8, 1, 2, 4, 8, 4, 16};
    isomat_launch launch = work_launch(1, 1, ISOMAT_NONE);
    struct mixed values = mixed_values;
    const void *arguments[] = {&values.out, &values.a, &values.b, &values.c, &values.d, &values.e, &values.f};
    struct kernels k;

    load(&k, device_context(state));
    values.out = k.out;
    assert_ok(isomat_kernel_launch(k.mixed, &launch, arguments, 7, sizes));
    memset(&values, 0, sizeof(values)); /* they were copied */
    assert_mixed(&k, device_context(state));
    unload(&k, device_context(state));
}

/* struct mixed has the layout of the parameters. */
static void packed_arguments_arrive(void **state)
{
    isomat_launch launch = work_launch(1, 1, ISOMAT_NONE);
    struct mixed values = mixed_values;
    struct kernels k;

    load(&k, device_context(state));
    values.out = k.out;
    assert_ok(isomat_kernel_launch_packed(k.mixed, &launch, &values, sizeof(values)));
    assert_mixed(&k, device_context(state));
    assert_ok(isomat_kernel_launch_packed(k.empty, &launch, NULL, 0));
    unload(&k, device_context(state));
}

static void empty_kernel_takes_no_arguments(void **state)
{
    isomat_launch launch = work_launch(3, 64, ISOMAT_NONE);
    struct kernels k;

    load(&k, device_context(state));
    assert_ok(isomat_kernel_launch(k.empty, &launch, NULL, 0, NULL));
    assert_ok(isomat_context_synchronize(device_context(state)));
    unload(&k, device_context(state));
}

static void grid_and_block_have_three_dimensions(void **state)
{
    isomat_launch launch = work_launch(2, 3, ISOMAT_NONE);
    int32_t got[2 * 3 * 4 * 3 * 5 * 2];
    struct kernels k;
    const void *arguments[] = {&k.out};

    load(&k, device_context(state));
    launch.grid_y = 3;
    launch.grid_z = 4;
    launch.block_y = 5;
    launch.block_z = 2;
    assert_ok(isomat_kernel_launch(k.geometry, &launch, arguments, 1, NULL));
    download(got, &k, sizeof(got), device_context(state));
    for (int i = 0; i < (int)TEST_COUNT(got); i++)
        assert_int_equal(got[i], i / 30 * 1000 + i % 30);
    unload(&k, device_context(state));
}

/* Every block reverses its threads' numbers; pad words of shared memory lie before them. */
static void run_reverse(struct kernels *k, uint32_t shared_bytes, isomat_context context)
{
    isomat_launch launch = work_launch(3, 96, ISOMAT_NONE);
    const int32_t pad = (int32_t)(shared_bytes / 4) - 96;
    const void *arguments[] = {&k->out, &pad};
    int32_t got[3 * 96];

    assert_ok(isomat_memory_fill(k->out, 0, 4, 3 * 96, context, ISOMAT_NONE));
    launch.shared_bytes = shared_bytes;
    assert_ok(isomat_kernel_launch(k->reverse, &launch, arguments, 2, NULL));
    download(got, k, sizeof(got), context);
    for (int i = 0; i < 3 * 96; i++)
        assert_int_equal(got[i], 95 - i % 96);
}

static void dynamic_shared_memory_may_exceed_48_KiB(void **state)
{
    isomat_device_info device = {.struct_size = sizeof(device)};
    struct kernels k;

    load(&k, device_context(state));
    assert_ok(isomat_device_get_info(&device, 0));
    run_reverse(&k, 96 * 4, device_context(state));
    run_reverse(&k, 48 << 10, device_context(state));
    run_reverse(&k, (48 << 10) + 4, device_context(state));
    run_reverse(&k, (uint32_t)device.shared_per_block_optin_bytes, device_context(state));
    run_reverse(&k, 400, device_context(state));
    unload(&k, device_context(state));
}

static void launch_goes_to_its_stream(void **state)
{
    isomat_context context = device_context(state);
    const int32_t value = 3, count = 4;
    isomat_stream stream;
    int32_t got[4] = {0};
    struct kernels k;
    const void *arguments[] = {&k.out, &value, &count};
    isomat_launch launch;

    load(&k, context);
    assert_ok(isomat_context_synchronize(context));
    assert_ok(isomat_stream_create(&stream, context, 0));
    launch = work_launch(1, 32, stream);
    assert_ok(isomat_kernel_launch(k.ramp, &launch, arguments, 3, NULL));
    assert_ok(isomat_memory_copy_to_host(got, k.out, sizeof(got), context, stream));
    assert_int_equal(got[3], 6);
    assert_ok(isomat_stream_destroy(stream));
    unload(&k, context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(info_tells_the_attributes),
        device_test(info_tells_how_the_kernel_was_built),
        device_test(parameters_have_offsets_and_sizes),
        device_test(kernel_of_an_unknown_name_is_not_found),
        device_test(occupancy_is_told),
        device_test(arguments_of_every_size_arrive),
        device_test(packed_arguments_arrive),
        device_test(empty_kernel_takes_no_arguments),
        device_test(grid_and_block_have_three_dimensions),
        device_test(dynamic_shared_memory_may_exceed_48_KiB),
        device_test(launch_goes_to_its_stream),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
