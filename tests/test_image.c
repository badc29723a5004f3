/* SPDX-License-Identifier: MIT */
/* test_image.c: module images and files that are empty, cut short, damaged, or no images at all. */
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernels/images.h"
#include "tests/support/device.h"
#include "tests/support/operand.h"

static void load_refuses_bad_arguments(void **state)
{
    isomat_context context = device_context(state);
    isomat_module module;

    assert_no_handle(module, isomat_module_load_data(&module, context, NULL, 100),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(module, isomat_module_load_data(&module, context, ramp_ptx, 0),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(module, isomat_module_load_data(&module, context, ramp_ptx, -1),
                     ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_module_load_data(NULL, context, ramp_ptx, sizeof(ramp_ptx)),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_no_handle(module, isomat_module_load_data(&module, ISOMAT_NONE, ramp_ptx, sizeof(ramp_ptx)),
                     ISOMAT_ERROR_INVALID_HANDLE);
    assert_no_handle(module, isomat_module_load_file(&module, context, NULL), ISOMAT_ERROR_INVALID_ARGUMENT);
}

static void text_and_noise_are_no_images(void **state)
{
    static const char *const texts[] = {
        "hello",   "\n\n\n",           " ",      "#include <stdio.h>\nint main(void) {}\n",
        "\177ELF", "{\"json\": true}", ".versio"};
    isomat_context context = device_context(state);
    uint64_t sequence = operand_seed();
    unsigned char noise[300];
    isomat_module module;

    for (size_t i = 0; i < TEST_COUNT(texts); i++)
        assert_no_handle(module,
                         isomat_module_load_data(&module, context, texts[i], (int64_t)strlen(texts[i])),
                         ISOMAT_ERROR_INVALID_IMAGE);
    memset(noise, 0, sizeof(noise));
    assert_no_handle(module, isomat_module_load_data(&module, context, noise, sizeof(noise)),
                     ISOMAT_ERROR_INVALID_IMAGE);
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof(noise); i++)
            noise[i] = (unsigned char)operand_random(&sequence, 256);
        assert_no_handle(module, isomat_module_load_data(&module, context, noise, sizeof(noise)),
                         ISOMAT_ERROR_INVALID_IMAGE);
    }
}

/* Loads the first bytes of an image, copied to the end of its own block so that a sanitizer sees a read past
 * it. */
static int32_t load_start(isomat_module *module, isomat_context context, const void *image, size_t bytes)
{
    void *copy = malloc(bytes);
    int32_t status;

    memcpy(copy, image, bytes);
    status = isomat_module_load_data(module, context, copy, (int64_t)bytes);
    free(copy);
    return status;
}

static void truncated_fatbin_is_refused_at_every_length(void **state)
{
    isomat_context context = device_context(state);
    isomat_module module;

    for (size_t bytes = 1; bytes < sizeof(ramp_fatbin); bytes++)
        assert_no_handle(module, load_start(&module, context, ramp_fatbin, bytes),
                         ISOMAT_ERROR_INVALID_IMAGE);
}

static void truncated_cubin_is_refused_at_every_length(void **state)
{
    isomat_context context = device_context(state);
    isomat_module module;

    for (size_t bytes = 1; bytes < sizeof(ramp_90_cubin); bytes++)
        assert_no_handle(module, load_start(&module, context, ramp_90_cubin, bytes),
                         ISOMAT_ERROR_INVALID_IMAGE);
}

/* Any byte of the file may be wrong: an error or a working module, never a crash or a leak. */
static void damaged_fatbin_never_crashes(void **state)
{
    isomat_context context = device_context(state);
    unsigned char *image = malloc(sizeof(ramp_fatbin));
    uint64_t sequence = operand_seed();
    isomat_module module;

    if (!device_is_host()) {
        free(image);
        skip(); /* a real driver is not ours to try */
    }
    for (int round = 0; round < 1500; round++) {
        size_t changes = 1 + (size_t)operand_random(&sequence, 4);
        memcpy(image, ramp_fatbin, sizeof(ramp_fatbin));
        while (changes-- > 0) {
            size_t where = (size_t)operand_random(&sequence, round % 2 ? sizeof(ramp_fatbin) : 200);
            image[where] = (unsigned char)operand_random(&sequence, 256);
        }
        if (load_start(&module, context, image, sizeof(ramp_fatbin)) == ISOMAT_OK)
            assert_ok(isomat_module_destroy(module));
        else
            assert_int_equal(module, ISOMAT_NONE);
    }
    free(image);
}

static void damaged_ptx_never_crashes(void **state)
{
    isomat_context context = device_context(state);
    uint64_t sequence = operand_seed();
    char image[sizeof(launch_ptx)];
    isomat_module module;

    if (!device_is_host())
        skip();
    for (int round = 0; round < 1500; round++) {
        memcpy(image, launch_ptx, sizeof(image));
        image[operand_random(&sequence, sizeof(image) - 1)] = (char)operand_random(&sequence, 256);
        if (load_start(&module, context, image, sizeof(image)) == ISOMAT_OK)
            assert_ok(isomat_module_destroy(module));
    }
    for (size_t bytes = 1; bytes < sizeof(image) - 3; bytes += 5)
        if (load_start(&module, context, launch_ptx, bytes) == ISOMAT_OK)
            assert_ok(isomat_module_destroy(module));
}

static void ptx_that_does_not_compile_leaves_a_log(void **state)
{
    static const char *const lines[] = {"frobnicate.u32 %r1, %r2;", "mov.u32 %r1, %r999;", "bra $L_nowhere;"};
    char image[512], log[2048], cut[8];
    isomat_module module;
    int64_t length;

    for (size_t i = 0; i < TEST_COUNT(lines); i++) {
        snprintf(
            image, sizeof(image),
            ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry broken()\n{\n.reg .b32 %%r<3>;\n"
            "%s\nret;\n}\n",
            lines[i]);
        assert_no_handle(
            module, isomat_module_load_data(&module, device_context(state), image, (int64_t)strlen(image)),
            ISOMAT_ERROR_JIT_FAILED);
        length = isomat_error_log_copy(log, sizeof(log));
        assert_true(length > 0);
        assert_int_equal(length, strlen(log));
        assert_int_equal(isomat_error_log_copy(cut, sizeof(cut)), length);
        assert_int_equal(strlen(cut), sizeof(cut) - 1);
        if (i == 0)
            assert_non_null(strstr(log, "frobnicate"));
    }
}

static void ptx_above_the_device_is_refused(void **state)
{
    static const char image[] =
        ".version 9.0\n.target sm_121\n.address_size 64\n.visible .entry later()\n{\nret;\n}\n";
    isomat_module module;

    if (device_capability() >= 121)
        skip();
    assert_no_handle(module, isomat_module_load_data(&module, device_context(state), image, sizeof(image)),
                     ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE);
    assert_message_contains("compute_121");
}

static void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void files_are_loaded_or_refused_by_name(void **state)
{
    isomat_context context = device_context(state);
    char path[] = "/tmp/isomat-test-XXXXXX";
    isomat_module module;
    int file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    assert_no_handle(module, isomat_module_load_file(&module, context, path),
                     ISOMAT_ERROR_INVALID_IMAGE); /* empty */
    write_file(path, ramp_ptx, strlen(ramp_ptx));
    assert_ok(isomat_module_load_file(&module, context, path));
    assert_ok(isomat_module_destroy(module));
    write_file(path, ramp_fatbin, sizeof(ramp_fatbin));
    assert_ok(isomat_module_load_file(&module, context, path));
    assert_ok(isomat_module_destroy(module));
    write_file(path, ramp_fatbin, sizeof(ramp_fatbin) / 2);
    assert_no_handle(module, isomat_module_load_file(&module, context, path), ISOMAT_ERROR_INVALID_IMAGE);
    assert_message_contains(path);
    write_file(path, "plain text\n", 11);
    assert_no_handle(module, isomat_module_load_file(&module, context, path), ISOMAT_ERROR_INVALID_IMAGE);
    write_file(path, foreign_fatbin, sizeof(foreign_fatbin));
    if (device_capability() < 120)
        assert_no_handle(module, isomat_module_load_file(&module, context, path),
                         ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE);
    unlink(path);
    assert_no_handle(module, isomat_module_load_file(&module, context, path), ISOMAT_ERROR_FILE);
    assert_message_contains(path, "No such file");
    assert_no_handle(module, isomat_module_load_file(&module, context, "/tmp"), ISOMAT_ERROR_FILE);
    assert_message_contains("/tmp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(load_refuses_bad_arguments),
        device_test(text_and_noise_are_no_images),
        device_test(truncated_fatbin_is_refused_at_every_length),
        device_test(truncated_cubin_is_refused_at_every_length),
        device_test(damaged_fatbin_never_crashes),
        device_test(damaged_ptx_never_crashes),
        device_test(ptx_that_does_not_compile_leaves_a_log),
        device_test(ptx_above_the_device_is_refused),
        device_test(files_are_loaded_or_refused_by_name),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
