/* SPDX-License-Identifier: MIT */
/* test_copy2d.c: pitched copies in each direction, and fills of each width. */
#include "tests/support/device.h"

#define ROWS 5
#define WIDTH 11
#define PITCH_FROM 16
#define PITCH_TO 13
#define FROM_BYTES (ROWS * PITCH_FROM)
#define TO_BYTES (ROWS * PITCH_TO)

static void pattern(unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i + 1);
}

/* The rectangle was copied and nothing else of the destination was touched. */
static void assert_rectangle(const unsigned char *to, const unsigned char *from)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < PITCH_TO; j++) {
            if (j < WIDTH)
                assert_int_equal(to[i * PITCH_TO + j], from[i * PITCH_FROM + j]);
            else
                assert_int_equal(to[i * PITCH_TO + j], 0xee);
        }
    }
}

static void rectangle_is_copied_in_each_direction(void **state)
{
    isomat_context context = device_context(state);
    unsigned char from[FROM_BYTES], to[TO_BYTES];
    uint64_t device_from, device_to;

    pattern(from, sizeof(from));
    assert_ok(isomat_memory_allocate(&device_from, FROM_BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_allocate(&device_to, TO_BYTES, context, ISOMAT_NONE));

    assert_ok(isomat_memory_fill(device_to, 0xee, 1, TO_BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_2d(device_to, PITCH_TO, (uintptr_t)from, PITCH_FROM, WIDTH, ROWS,
                                    ISOMAT_COPY_TO_DEVICE, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_host(to, device_to, TO_BYTES, context, ISOMAT_NONE));
    assert_rectangle(to, from);

    memset(to, 0xee, sizeof(to));
    assert_ok(isomat_memory_copy_to_device(device_from, from, FROM_BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_2d((uintptr_t)to, PITCH_TO, device_from, PITCH_FROM, WIDTH, ROWS,
                                    ISOMAT_COPY_TO_HOST, context, ISOMAT_NONE));
    assert_rectangle(to, from);

    assert_ok(isomat_memory_fill(device_to, 0xee, 1, TO_BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_2d(device_to, PITCH_TO, device_from, PITCH_FROM, WIDTH, ROWS,
                                    ISOMAT_COPY_DEVICE, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_host(to, device_to, TO_BYTES, context, ISOMAT_NONE));
    assert_rectangle(to, from);

    assert_ok(isomat_memory_free(device_from, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free(device_to, context, ISOMAT_NONE));
}

/* One argument list away from a copy that works. */
struct bad_copy {
    int64_t pitch_to, pitch_from, width, rows;
    int32_t direction;
    int null_to, null_from;
};

static void copy_2d_refuses_bad_arguments(void **state)
{
    static const struct bad_copy bad[] = {
        {PITCH_TO, PITCH_FROM, WIDTH, ROWS, 3, 0, 0},
        {PITCH_TO, PITCH_FROM, WIDTH, ROWS, -1, 0, 0},
        {PITCH_TO, PITCH_FROM, WIDTH, ROWS, ISOMAT_COPY_DEVICE, 1, 0},
        {PITCH_TO, PITCH_FROM, WIDTH, ROWS, ISOMAT_COPY_DEVICE, 0, 1},
        {PITCH_TO, PITCH_FROM, -1, ROWS, ISOMAT_COPY_DEVICE, 0, 0},
        {PITCH_TO, PITCH_FROM, WIDTH, -1, ISOMAT_COPY_DEVICE, 0, 0},
        {WIDTH - 1, PITCH_FROM, WIDTH, ROWS, ISOMAT_COPY_DEVICE, 0, 0},
        {PITCH_TO, WIDTH - 1, WIDTH, ROWS, ISOMAT_COPY_DEVICE, 0, 0},
        {-PITCH_TO, PITCH_FROM, WIDTH, ROWS, ISOMAT_COPY_DEVICE, 0, 0},
    };
    isomat_context context = device_context(state);
    uint64_t from, to;

    assert_ok(isomat_memory_allocate(&from, FROM_BYTES, context, ISOMAT_NONE));
    assert_ok(isomat_memory_allocate(&to, TO_BYTES, context, ISOMAT_NONE));
    for (size_t i = 0; i < TEST_COUNT(bad); i++)
        assert_status(isomat_memory_copy_2d(bad[i].null_to ? 0 : to, bad[i].pitch_to,
                                            bad[i].null_from ? 0 : from, bad[i].pitch_from, bad[i].width,
                                            bad[i].rows, bad[i].direction, context, ISOMAT_NONE),
                      ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_memory_copy_2d(to, PITCH_TO, from, PITCH_FROM, 0, ROWS, ISOMAT_COPY_DEVICE, context,
                                    ISOMAT_NONE));
    assert_ok(isomat_memory_copy_2d(to, PITCH_TO, from, PITCH_FROM, WIDTH, 0, ISOMAT_COPY_DEVICE, context,
                                    ISOMAT_NONE));
    assert_ok(isomat_memory_free(from, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free(to, context, ISOMAT_NONE));
}

static void fill_sets_each_width_and_no_more(void **state)
{
    isomat_context context = device_context(state);
    const uint32_t value = 0xa1b2c3d4;
    unsigned char got[64];
    uint64_t pointer;

    assert_ok(isomat_memory_allocate(&pointer, sizeof(got), context, ISOMAT_NONE));
    for (int32_t width = 1; width <= 4; width *= 2) {
        const uint32_t mask = width == 4 ? 0xffffffff : (1u << (8 * width)) - 1;
        assert_ok(isomat_memory_fill(pointer, 0, 1, sizeof(got), context, ISOMAT_NONE));
        assert_ok(isomat_memory_fill(pointer + 8, value & mask, width, 7, context, ISOMAT_NONE));
        assert_ok(isomat_memory_copy_to_host(got, pointer, sizeof(got), context, ISOMAT_NONE));
        for (int i = 0; i < 64; i++) {
            int inside = i >= 8 && i < 8 + 7 * width;
            assert_int_equal(got[i], inside ? (value >> (8 * ((i - 8) % width))) & 0xff : 0);
        }
    }
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

static void fill_refuses_bad_arguments(void **state)
{
    static const int32_t widths[] = {0, 3, 8, -1, -4};
    isomat_context context = device_context(state);
    uint64_t pointer;

    assert_ok(isomat_memory_allocate(&pointer, 64, context, ISOMAT_NONE));
    for (size_t i = 0; i < TEST_COUNT(widths); i++)
        assert_status(isomat_memory_fill(pointer, 0, widths[i], 1, context, ISOMAT_NONE),
                      ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_fill(0, 0, 4, 1, context, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_fill(pointer, 0, 4, -1, context, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_fill(pointer + 1, 0, 2, 1, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_memory_fill(pointer + 2, 0, 4, 1, context, ISOMAT_NONE),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(isomat_memory_fill(pointer + 1, 0, 1, 1, context, ISOMAT_NONE));
    assert_ok(isomat_memory_fill(pointer, 0, 4, 0, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(rectangle_is_copied_in_each_direction),
        device_test(copy_2d_refuses_bad_arguments),
        device_test(fill_sets_each_width_and_no_more),
        device_test(fill_refuses_bad_arguments),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
