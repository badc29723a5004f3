/* SPDX-License-Identifier: MIT */
/* test_module.c: embedded, given and damaged images; what was taken, and why the others were not. */
#include "tests/kernels/images.h"
#include "tests/support/operand.h"
#include "tests/support/work.h"

static isomat_module_info info_of(isomat_module module)
{
    isomat_module_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_module_get_info(&info, module));
    return info;
}

/* The module's ramp kernel runs. */
static void assert_ramp_works(isomat_context context, isomat_module module)
{
    isomat_launch launch = work_launch(2, 32, ISOMAT_NONE);
    const int32_t value = 100, count = 50;
    int32_t got[64];
    uint64_t out;
    const void *arguments[] = {&out, &value, &count};
    isomat_kernel kernel;

    assert_ok(isomat_memory_allocate(&out, sizeof(got), context, ISOMAT_NONE));
    assert_ok(isomat_memory_fill(out, 0, 4, 64, context, ISOMAT_NONE));
    assert_ok(isomat_kernel_get(&kernel, module, "isomat_test_ramp"));
    assert_ok(isomat_kernel_launch(kernel, &launch, arguments, 3, NULL));
    assert_ok(isomat_memory_copy_to_host(got, out, sizeof(got), context, ISOMAT_NONE));
    for (int i = 0; i < 64; i++)
        assert_int_equal(got[i], i < 50 ? 100 + i : 0);
    assert_ok(isomat_kernel_destroy(kernel));
    assert_ok(isomat_memory_free(out, context, ISOMAT_NONE));
}

static void embedded_module_is_loaded(void **state)
{
    isomat_context context = device_context(state);
    isomat_module first, second;
    isomat_kernel kernel;
    isomat_module_info info;

    assert_ok(isomat_module_load_embedded(&first, context, "gemm_f32"));
    assert_ok(isomat_module_load_embedded(&second, context, "gemm_f32"));
    info = info_of(first);
    assert_int_equal(info.container, ISOMAT_IMAGE_FATBIN);
    assert_int_equal(info.image, device_is_host() ? ISOMAT_IMAGE_PTX : ISOMAT_IMAGE_CUBIN);
    assert_int_equal(info.jit, device_is_host());
    assert_int_equal(info.debug, 0);
    assert_true(info.image_arch >= 75 && info.image_arch <= device_capability());
    assert_true(info.image_count >= 1);
    assert_true(info.load_ms >= 0);
    assert_ok(isomat_kernel_get(&kernel, second, "isomat_gemm_f32_nn_64x64x16"));
    assert_ok(isomat_kernel_destroy(kernel));
    assert_ok(isomat_module_destroy(first));
    assert_ok(isomat_module_destroy(second));
}

static void unknown_embedded_module_lists_those_that_exist(void **state)
{
    isomat_module module;

    assert_no_handle(module, isomat_module_load_embedded(&module, device_context(state), "gemm_f33"),
                     ISOMAT_ERROR_NOT_FOUND);
    assert_message_contains("gemm_f33", "gemm_f32");
    assert_no_handle(module, isomat_module_load_embedded(&module, device_context(state), NULL),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_module_load_embedded(NULL, device_context(state), "gemm_f32"),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
}

/* The text ends at the byte count, not at a zero byte. */
static void ptx_is_loaded_with_and_without_its_zero_byte(void **state)
{
    isomat_context context = device_context(state);
    size_t length = strlen(ramp_ptx);
    char *image = malloc(length + 8);
    isomat_module module;

    memset(image, '{', length + 8); /* junk behind the text */
    memcpy(image, ramp_ptx, length);
    assert_ok(isomat_module_load_data(&module, context, image, (int64_t)length));
    memset(image, '#', length); /* not needed any more */
    free(image);
    assert_int_equal(info_of(module).container, ISOMAT_IMAGE_PTX);
    assert_int_equal(info_of(module).image, ISOMAT_IMAGE_PTX);
    assert_int_equal(info_of(module).image_arch, 75);
    assert_int_equal(info_of(module).image_count, 1);
    assert_int_equal(info_of(module).jit, 1);
    assert_int_equal(info_of(module).debug, 0);
    assert_ramp_works(context, module);
    assert_ok(isomat_module_destroy(module));

    assert_ok(isomat_module_load_data(&module, context, ramp_ptx, (int64_t)sizeof(ramp_ptx)));
    assert_ramp_works(context, module);
    assert_ok(isomat_module_destroy(module));
}

static void fatbin_gives_the_image_for_the_device(void **state)
{
    isomat_context context = device_context(state);
    const int takes_cubin = device_capability() / 10 == 9 || device_capability() / 10 == 7;
    isomat_module module;
    char report[2048];
    int64_t length = -1;

    assert_ok(isomat_module_load_data(&module, context, ramp_fatbin, sizeof(ramp_fatbin)));
    assert_int_equal(info_of(module).container, ISOMAT_IMAGE_FATBIN);
    assert_int_equal(info_of(module).image_count, 3);
    if (device_is_host() || !takes_cubin) {
        assert_int_equal(info_of(module).image, ISOMAT_IMAGE_PTX);
        assert_int_equal(info_of(module).image_arch, 75);
        assert_int_equal(info_of(module).jit, 1);
    } else {
        assert_int_equal(info_of(module).image, ISOMAT_IMAGE_CUBIN);
        assert_int_equal(info_of(module).jit, 0);
    }
    assert_ok(isomat_module_get_report(report, sizeof(report), &length, module));
    assert_int_equal(length, strlen(report));
    assert_non_null(strstr(report, "sm_75"));
    assert_non_null(strstr(report, "sm_90"));
    assert_non_null(strstr(report, "compute_75"));
    assert_non_null(strstr(report, "taken"));
    assert_ramp_works(context, module);
    assert_ok(isomat_module_destroy(module));
}

static void report_and_log_are_cut_to_the_buffer(void **state)
{
    char whole[2048], cut[10];
    isomat_module module;
    int64_t length, again;

    assert_ok(isomat_module_load_data(&module, device_context(state), ramp_fatbin, sizeof(ramp_fatbin)));
    assert_ok(isomat_module_get_report(whole, sizeof(whole), &length, module));
    assert_ok(isomat_module_get_report(cut, sizeof(cut), &again, module));
    assert_int_equal(again, length);
    assert_int_equal(strlen(cut), sizeof(cut) - 1);
    assert_memory_equal(cut, whole, sizeof(cut) - 1);
    assert_ok(isomat_module_get_report(NULL, 0, &again, module));
    assert_int_equal(again, length);
    assert_ok(isomat_module_get_report(whole, sizeof(whole), NULL, module));
    assert_ok(isomat_module_get_log(whole, sizeof(whole), &length, module));
    assert_int_equal(length, strlen(whole));
    assert_ok(isomat_module_get_log(NULL, 0, &again, module));
    assert_int_equal(again, length);
    assert_ok(isomat_module_destroy(module));
}

static void cubin_is_taken_only_by_its_own_architecture(void **state)
{
    isomat_context context = device_context(state);
    isomat_module module;

    if (!device_is_host() && device_capability() / 10 == 9) {
        assert_ok(isomat_module_load_data(&module, context, ramp_90_cubin, sizeof(ramp_90_cubin)));
        assert_int_equal(info_of(module).container, ISOMAT_IMAGE_CUBIN);
        assert_int_equal(info_of(module).image, ISOMAT_IMAGE_CUBIN);
        assert_int_equal(info_of(module).image_arch, 90);
        assert_int_equal(info_of(module).jit, 0);
        assert_ramp_works(context, module);
        assert_ok(isomat_module_destroy(module));
    } else {
        assert_no_handle(module,
                         isomat_module_load_data(&module, context, ramp_90_cubin, sizeof(ramp_90_cubin)),
                         ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE);
        assert_message_contains("sm_90");
    }
    if (device_is_host() || device_capability() / 10 != 7) {
        assert_no_handle(module,
                         isomat_module_load_data(&module, context, ramp_75_cubin, sizeof(ramp_75_cubin)),
                         ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE);
        assert_message_contains("sm_75");
    }
}

static void fatbin_for_other_devices_is_refused_with_each_image(void **state)
{
    char device[16];
    isomat_module module;

    if (device_capability() >= 120)
        skip();
    assert_no_handle(
        module,
        isomat_module_load_data(&module, device_context(state), foreign_fatbin, sizeof(foreign_fatbin)),
        ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE);
    assert_message_contains("sm_75", "sm_120", "compute_121");
    snprintf(device, sizeof(device), "sm_%d", device_capability());
    assert_message_contains(device);
}

static void debug_image_is_reported(void **state)
{
    isomat_module module;

    assert_ok(isomat_module_load_data(&module, device_context(state), debug_ptx, sizeof(debug_ptx)));
    assert_int_equal(info_of(module).debug, 1);
    assert_ramp_works(device_context(state), module);
    assert_ok(isomat_module_destroy(module));
}

static void globals_have_address_and_size(void **state)
{
    isomat_context context = device_context(state);
    isomat_launch launch = work_launch(1, 8, ISOMAT_NONE);
    const float table[4] = {10, 20, 30, 40};
    uint64_t counter, constants, out;
    const void *arguments[] = {&out};
    int64_t bytes;
    isomat_module module;
    isomat_kernel kernel;
    int32_t value = 0;
    float got[8];

    assert_ok(isomat_module_load_data(&module, context, state_ptx, sizeof(state_ptx)));
    assert_ok(isomat_module_get_global(&counter, &bytes, module, "isomat_test_counter"));
    assert_int_equal(bytes, 4);
    assert_ok(isomat_module_get_global(&constants, NULL, module, "isomat_test_table"));
    assert_ok(isomat_module_get_global(NULL, &bytes, module, "isomat_test_table"));
    assert_int_equal(bytes, 16);
    assert_ok(isomat_memory_copy_to_host(&value, counter, 4, context, ISOMAT_NONE));
    assert_int_equal(value, 17);

    assert_ok(isomat_memory_allocate(&out, sizeof(got), context, ISOMAT_NONE));
    assert_ok(isomat_kernel_get(&kernel, module, "isomat_test_globals"));
    assert_ok(isomat_kernel_launch(kernel, &launch, arguments, 1, NULL));
    assert_ok(isomat_memory_copy_to_host(got, out, sizeof(got), context, ISOMAT_NONE));
    for (int i = 0; i < 8; i++)
        assert_true(got[i] == (float)(17 + i % 4 + 1));
    assert_ok(isomat_memory_fill(counter, 1000, 4, 1, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_device(constants, table, sizeof(table), context, ISOMAT_NONE));
    assert_ok(isomat_kernel_launch(kernel, &launch, arguments, 1, NULL));
    assert_ok(isomat_memory_copy_to_host(got, out, sizeof(got), context, ISOMAT_NONE));
    for (int i = 0; i < 8; i++)
        assert_true(got[i] == 1000 + table[i % 4]);

    assert_status(isomat_module_get_global(&counter, &bytes, module, "isomat_test_nothing"),
                  ISOMAT_ERROR_NOT_FOUND);
    assert_message_contains("isomat_test_nothing");
    assert_status(isomat_module_get_global(&counter, &bytes, module, NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_kernel_destroy(kernel));
    assert_ok(isomat_memory_free(out, context, ISOMAT_NONE));
    assert_ok(isomat_module_destroy(module));
}

static void info_refuses_bad_structs(void **state)
{
    isomat_module_info info = {.struct_size = 4};
    isomat_module module;

    assert_ok(isomat_module_load_data(&module, device_context(state), ramp_ptx, sizeof(ramp_ptx)));
    assert_status(isomat_module_get_info(&info, module), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_module_get_info(NULL, module), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_module_destroy(module));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(embedded_module_is_loaded),
        device_test(unknown_embedded_module_lists_those_that_exist),
        device_test(ptx_is_loaded_with_and_without_its_zero_byte),
        device_test(fatbin_gives_the_image_for_the_device),
        device_test(report_and_log_are_cut_to_the_buffer),
        device_test(cubin_is_taken_only_by_its_own_architecture),
        device_test(fatbin_for_other_devices_is_refused_with_each_image),
        device_test(debug_image_is_reported),
        device_test(globals_have_address_and_size),
        device_test(info_refuses_bad_structs),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
