/* SPDX-License-Identifier: MIT */
/* test_fatbin.c: containers of every kind, whole, cut off and damaged. */
#include "hostdriver.h"

#include <unistd.h>

#include <lz4.h>
#include <unistd.h>
#include <zstd.h>

enum { STORED, LZ4, ZSTD, IMAGE_MAX = 16384, HEADER = 16, ENTRY = 64 };

static const char ptx[] = ".version 8.0\n.target sm_%u\n.address_size 64\n"
                          ".visible .entry k(.param .u64 q) { .reg .b64 %%d; .reg .b32 %%r; ld.param.u64 "
                          "%%d, [q]; mov.u32 %%r, %u; st.global.u32 [%%d], %%r; ret; }\n";

struct image {
    _Alignas(16) uint8_t bytes[IMAGE_MAX];
    size_t length;
};

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    memcpy(at, &value, bytes);
}

static void image_begin(struct image *image)
{
    memset(image, 0, sizeof *image);
    put(image->bytes, 0xba55ed50, 4);
    put(image->bytes + 4, 1, 2);
    put(image->bytes + 6, HEADER, 2);
    image->length = HEADER;
}

static void image_add(struct image *image, unsigned kind, unsigned target, const char *text, size_t length,
                      int packing)
{
    uint8_t *entry = image->bytes + image->length, *payload = entry + ENTRY;
    size_t room = IMAGE_MAX - image->length - ENTRY, packed = length;

    if (packing == STORED)
        memcpy(payload, text, length);
    else if (packing == LZ4)
        packed = (size_t)LZ4_compress_default(text, (char *)payload, (int)length, (int)room);
    else
        packed = ZSTD_compress(payload, room, text, length, 19);
    size_t padded = (packed + 7) & ~(size_t)7;
    put(entry, kind, 2);
    put(entry + 2, 0x0101, 2);
    put(entry + 4, ENTRY, 4);
    put(entry + 8, padded, 8);
    put(entry + 0x10, packing == STORED ? 0 : packed, 4);
    put(entry + 0x1c, target, 4);
    put(entry + 0x28, packing == STORED ? 0x11 : packing == LZ4 ? 0x2011 : 0x8011, 8);
    put(entry + 0x38, packing == STORED ? 0 : length, 8);
    image->length += ENTRY + padded;
    put(image->bytes + 8, image->length - HEADER, 8);
}

static void image_add_ptx(struct image *image, unsigned target, unsigned answer, int packing)
{
    char text[1024];
    int n = snprintf(text, sizeof text, ptx, target, answer);

    image_add(image, 1, target, text, (size_t)n + 1, packing);
}

/* What the kernel of the image writes. */
static uint32_t answer(const void *image)
{
    uint32_t value = 0;
    CUmodule module = hostdriver_load(image);
    CUdeviceptr pointer = hostdriver_copy(&value, 4);

    hostdriver_launch(hostdriver_function(module, "k"), 1, 1, (void *[]){&pointer});
    assert_ok(CALL(cuMemcpyDtoH_v2)(&value, pointer, 4));
    assert_ok(CALL(cuMemFree_v2)(pointer));
    assert_ok(CALL(cuModuleUnload)(module));
    return value;
}

static void test_packings(void **state)
{
    static struct image image;

    (void)state;
    for (int packing = STORED; packing <= ZSTD; packing++) {
        image_begin(&image);
        image_add_ptx(&image, 75, 7, packing);
        assert_int_equal(answer(image.bytes), 7);
    }
}

static void test_highest_ptx_not_above_the_device_is_chosen(void **state)
{
    static struct image image;

    (void)state;
    image_begin(&image);
    image_add_ptx(&image, 75, 75, ZSTD);
    image_add(&image, 2, 80, "\177ELF", 4, STORED);
    image_add_ptx(&image, 80, 80, LZ4);
    image_add_ptx(&image, 90, 90, STORED);
    image_add_ptx(&image, 70, 70, STORED);
    assert_int_equal(answer(image.bytes), 80);
}

/* Texts shorter than a magic number, and a file that holds a wrapper. */
static void test_hostile(void **state)
{
    static const char *const texts[] = {"", "P", "\x50\xed",
                                        "\x7f"
                                        "EL"};
    struct {
        uint32_t magic, version;
        const void *container;
        void *unused;
    } wrapper = {0x466243b1, 1, (const void *)16, NULL};
    char path[] = "/tmp/isomat-wrapper-XXXXXX";
    CUmodule module;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *alone = strdup(texts[i]);
        assert_result(CALL(cuModuleLoadData)(&module, alone), CUDA_ERROR_INVALID_PTX);
        free(alone);
    }
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, &wrapper, sizeof wrapper), sizeof wrapper);
    close(file);
    assert_result(CALL(cuModuleLoad)(&module, path), CUDA_ERROR_INVALID_IMAGE);
    unlink(path);
}

static void test_wrapper_is_followed(void **state)
{
    static struct image image;
    struct {
        uint32_t magic, version;
        const void *container, *unused;
    } wrapper = {0x466243b1, 1, image.bytes, NULL};

    (void)state;
    image_begin(&image);
    image_add_ptx(&image, 80, 3, STORED);
    assert_int_equal(answer(&wrapper), 3);
    wrapper.container = ptx;
    CUmodule module;
    assert_result(CALL(cuModuleLoadData)(&module, &wrapper), CUDA_ERROR_INVALID_IMAGE);
}

static void refused(const void *image, CUresult expected, const char *message)
{
    CUmodule module;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};

    assert_result(CALL(cuModuleLoadDataEx)(&module, image, 2, options, values), expected);
    if (strstr(log, message) == NULL)
        print_error("expected %s in: %s\n", message, log);
    assert_non_null(strstr(log, message));
}

static void test_no_ptx(void **state)
{
    static struct image image;

    (void)state;
    refused("\177ELF\2\1\1", CUDA_ERROR_NO_BINARY_FOR_GPU, "a cubin: machine code only");
    image_begin(&image);
    refused(image.bytes, CUDA_ERROR_NO_BINARY_FOR_GPU, "holds nothing");
    image_add(&image, 2, 80, "\177ELF", 4, STORED);
    image_add_ptx(&image, 90, 0, STORED);
    refused(image.bytes, CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code for sm_80, PTX for compute_90");
}

/* Every length that is too short, told honestly in the header or not. */
static void test_cut_off(void **state)
{
    static struct image whole, image;

    (void)state;
    for (int packing = STORED; packing <= ZSTD; packing++) {
        image_begin(&whole);
        image_add_ptx(&whole, 80, 1, packing);
        for (size_t length = 1; length < whole.length - HEADER; length++) {
            CUmodule module;
            image = whole;
            put(image.bytes + 8, length, 8);
            memset(image.bytes + HEADER + length, 0xa5, IMAGE_MAX - HEADER - length);
            assert_int_not_equal(CALL(cuModuleLoadData)(&module, image.bytes), CUDA_SUCCESS);
        }
    }
    image_begin(&image);
    image_add_ptx(&image, 80, 1, STORED);
    put(image.bytes + HEADER + 8, UINT64_MAX - 8, 8);
    refused(image.bytes, CUDA_ERROR_INVALID_IMAGE, "an entry is larger than its container");
    image_begin(&image);
    image_add_ptx(&image, 80, 1, STORED);
    put(image.bytes + HEADER + 4, 8, 4);
    refused(image.bytes, CUDA_ERROR_INVALID_IMAGE, "an entry is larger than its container");
    image_begin(&image);
    put(image.bytes + 4, 9, 2);
    refused(image.bytes, CUDA_ERROR_INVALID_IMAGE, "unknown version");
}

static void test_damaged(void **state)
{
    static struct image whole, image;
    int loaded = 0, refused_count = 0;

    (void)state;
    for (int packing = STORED; packing <= ZSTD; packing++) {
        image_begin(&whole);
        image_add_ptx(&whole, 80, 1, packing);
        /* From the entry on: what the container's header says is believed. */
        for (size_t at = HEADER; at < whole.length; at++) {
            for (int bit = 0; bit < 8; bit += 3) {
                CUmodule module;
                image = whole;
                image.bytes[at] ^= (uint8_t)(1 << bit);
                if (CALL(cuModuleLoadData)(&module, image.bytes) == CUDA_SUCCESS) {
                    assert_ok(CALL(cuModuleUnload)(module));
                    loaded++;
                } else {
                    refused_count++;
                }
            }
        }
    }
    assert_true(loaded > 0 && refused_count > 100);
    image_begin(&image);
    image_add_ptx(&image, 80, 1, ZSTD);
    memset(image.bytes + HEADER + ENTRY + 8, 0x5a, 40);
    refused(image.bytes, CUDA_ERROR_INVALID_IMAGE, "damaged zstd data");
    image_begin(&image);
    image_add_ptx(&image, 80, 1, LZ4);
    put(image.bytes + HEADER + 0x38, 99999, 8);
    refused(image.bytes, CUDA_ERROR_INVALID_IMAGE, "damaged LZ4 data");
    put(image.bytes + HEADER + 0x38, (uint64_t)1 << 40, 8);
    refused(image.bytes, CUDA_ERROR_INVALID_IMAGE, "impossible size");
}

static void test_file(void **state)
{
    static struct image image;
    char path[] = "/tmp/test_fatbin_XXXXXX";
    int handle = mkstemp(path);
    CUmodule module;

    (void)state;
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "wb");
    assert_non_null(file);
    image_begin(&image);
    image_add_ptx(&image, 80, 1, ZSTD);
    assert_int_equal(fwrite(image.bytes, 1, image.length, file), image.length);
    fclose(file);
    assert_ok(CALL(cuModuleLoad)(&module, path));
    assert_ok(CALL(cuModuleUnload)(module));
    assert_int_equal(truncate(path, (off_t)image.length - 1), 0);
    assert_result(CALL(cuModuleLoad)(&module, path), CUDA_ERROR_INVALID_IMAGE);
    remove(path);
    assert_result(CALL(cuModuleLoad)(&module, path), CUDA_ERROR_FILE_NOT_FOUND);
}

static int with_context(void **state)
{
    *state = hostdriver_context();
    return 0;
}

static int without_context(void **state)
{
    int64_t left = CALL(isomat_hostdriver_live_objects)();
    return CALL(cuCtxDestroy_v2)(*state) == CUDA_SUCCESS && left == 1 ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, with_context, without_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_packings), TEST(test_highest_ptx_not_above_the_device_is_chosen),
        TEST(test_hostile),  TEST(test_wrapper_is_followed),
        TEST(test_no_ptx),   TEST(test_cut_off),
        TEST(test_damaged),  TEST(test_file),
    };

    hostdriver_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
