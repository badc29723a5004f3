/* SPDX-License-Identifier: MIT */
/* test_types.c: the life of matrices of each element type: sizes, host copies, views, adoption, overlap. */
#include "tests/support/device.h"
#include "tests/support/matrix.h"
#include "tests/support/operand.h"
#include "tests/support/typed.h"

#define F32 ISOMAT_TYPE_F32
#define F16 ISOMAT_TYPE_F16
#define BF16 ISOMAT_TYPE_BF16

/* Bits that are no NaN in any type, all different in a small matrix. */
static uint16_t number(int64_t i, int64_t j)
{
    return (uint16_t)(0x1000 + 64 * i + j);
}

/* Host data of that type, ld elements a row; what is not an element is 0xff. */
static uint8_t *host_data(int32_t type, int64_t rows, int64_t cols, int64_t ld)
{
    const size_t element = (size_t)typed_element_bytes(type), bytes = (size_t)(rows * ld) * element;
    uint8_t *data = malloc(bytes + 1);

    assert_non_null(data);
    memset(data, 0xff, bytes);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            const uint16_t bits = number(i, j);
            uint8_t *at = data + (size_t)(i * ld + j) * element;
            memset(at, 0, element);
            memcpy(at + element - 2, &bits, 2);
        }
    return data;
}

static isomat_matrix matrix_of(isomat_context context, int32_t type, int64_t rows, int64_t cols)
{
    uint8_t *data = host_data(type, rows, cols, cols);
    isomat_matrix matrix;

    assert_ok(isomat_matrix_from_host(&matrix, context, data, rows, cols, cols, type, ISOMAT_NONE));
    free(data);
    return matrix;
}

/* The upper half of element (i, j), which is all of a 16-bit one. */
static uint16_t upper_half(isomat_matrix matrix, int64_t i, int64_t j)
{
    isomat_matrix view;
    uint16_t bits[2] = {0, 0};

    assert_ok(isomat_matrix_view(&view, matrix, i, j, 1, 1));
    assert_ok(isomat_matrix_to_host(bits, 1, view, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(view));
    return bits[matrix_info(matrix).type == F32];
}

static void created_matrix_has_its_type(void **state)
{
    for (int32_t type = F32; type <= BF16; type++) {
        isomat_matrix matrix;
        assert_ok(isomat_matrix_create(&matrix, device_context(state), 5, 7, type, ISOMAT_NONE));
        const isomat_matrix_info info = matrix_info(matrix);
        assert_int_equal(info.type, type);
        assert_int_equal(info.rows, 5);
        assert_int_equal(info.cols, 7);
        assert_true(info.ld >= 7);
        assert_int_equal(matrix_pointer(matrix) % 256, 0);
        assert_ok(isomat_matrix_destroy(matrix));
    }
}

static void numbers_of_types_never_change(void **state)
{
    (void)state;
    assert_int_equal(ISOMAT_TYPE_F32, 1);
    assert_int_equal(ISOMAT_TYPE_F16, 2);
    assert_int_equal(ISOMAT_TYPE_BF16, 3);
    assert_int_equal(ISOMAT_TYPE_F64, 4);
}

static void unknown_types_are_refused(void **state)
{
    static const int32_t unknown[] = {0, 5, -1, INT32_MAX, INT32_MIN};
    isomat_context context = device_context(state);
    isomat_matrix matrix;
    uint64_t pointer;
    float value = 0;

    assert_ok(isomat_memory_allocate(&pointer, 256, context, ISOMAT_NONE));
    for (size_t i = 0; i < TEST_COUNT(unknown); i++) {
        const int32_t type = unknown[i];
        assert_no_handle(matrix, isomat_matrix_create(&matrix, context, 1, 1, type, ISOMAT_NONE),
                         ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_no_handle(matrix,
                         isomat_matrix_from_host(&matrix, context, &value, 1, 1, 1, type, ISOMAT_NONE),
                         ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_no_handle(matrix,
                         isomat_matrix_adopt(&matrix, context, pointer, 1, 1, 1, type, ISOMAT_ADOPT_BORROW),
                         ISOMAT_ERROR_INVALID_ARGUMENT);
    }
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

/* 2^62 elements are too many bytes for any type; 2^61 of two bytes are only too many for the device. */
static void limits_count_bytes(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix matrix;

    for (int32_t type = F32; type <= BF16; type++) {
        assert_no_handle(matrix, isomat_matrix_create(&matrix, context, 1LL << 62, 1, type, ISOMAT_NONE),
                         ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_no_handle(matrix, isomat_matrix_create(&matrix, context, 1LL << 61, 1, type, ISOMAT_NONE),
                         type == F32 ? ISOMAT_ERROR_INVALID_ARGUMENT : ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
    }
}

static void empty_matrices_of_two_types(void **state)
{
    static const int64_t sizes[][2] = {{0, 0}, {0, 7}, {7, 0}};
    isomat_matrix x, y;

    for (int pair = 0; pair < 9; pair++)
        for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
            const int64_t rows = sizes[i][0], cols = sizes[i][1];
            assert_ok(
                isomat_matrix_create(&x, device_context(state), rows, cols, F32 + pair / 3, ISOMAT_NONE));
            assert_ok(
                isomat_matrix_create(&y, device_context(state), rows, cols, F32 + pair % 3, ISOMAT_NONE));
            assert_ok(isomat_matrix_copy(x, y, ISOMAT_NONE));
            assert_ok(isomat_matrix_fill(x, 3, ISOMAT_NONE));
            assert_int_equal(matrix_pointer(x), 0);
            assert_ok(isomat_matrix_destroy(x));
            assert_ok(isomat_matrix_destroy(y));
        }
}

/* Up and down with leading dimensions of their own, from odd host addresses too; padding stays. */
static void check_there_and_back(isomat_context context, int32_t type, int64_t cols, int upload, int shift)
{
    enum { ROWS = 6 };
    const size_t element = (size_t)typed_element_bytes(type);
    const int64_t up = cols + 3, down = cols + 2;
    uint8_t *sent = host_data(type, ROWS, cols, up), *wanted = host_data(type, ROWS, cols, down);
    const size_t sent_bytes = (size_t)(ROWS * up) * element, got_bytes = (size_t)(ROWS * down) * element;
    uint8_t *from = malloc(sent_bytes + 1), *got = malloc(got_bytes + 1);
    isomat_matrix matrix;

    assert_true(from != NULL && got != NULL);
    memcpy(from + shift, sent, sent_bytes);
    memset(got, 0xff, got_bytes + 1);
    if (upload) {
        assert_ok(isomat_matrix_create(&matrix, context, ROWS, cols, type, ISOMAT_NONE));
        assert_ok(isomat_matrix_upload(matrix, from + shift, up, ISOMAT_NONE));
    } else {
        assert_ok(isomat_matrix_from_host(&matrix, context, from + shift, ROWS, cols, up, type, ISOMAT_NONE));
    }
    memset(from, 0, sent_bytes + 1); /* it may be reused at once */
    assert_ok(isomat_matrix_to_host(got + shift, down, matrix, ISOMAT_NONE));
    assert_memory_equal(got + shift, wanted, got_bytes);
    assert_ok(isomat_matrix_destroy(matrix));
    free(sent);
    free(wanted);
    free(from);
    free(got);
}

static void data_goes_there_and_back(void **state)
{
    for (int32_t type = F32; type <= BF16; type++)
        for (int64_t cols = 1; cols <= 33; cols += cols < 9 ? 1 : 12)
            for (int way = 0; way < 4; way++)
                check_there_and_back(device_context(state), type, cols, way / 2, way % 2);
}

static void leading_dimensions_are_checked(void **state)
{
    uint16_t data[64] = {0};

    for (int32_t type = F16; type <= BF16; type++) {
        isomat_matrix matrix = matrix_of(device_context(state), type, 3, 5), other;
        assert_status(isomat_matrix_upload(matrix, data, 4, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_message_contains("4", "5");
        assert_status(isomat_matrix_to_host(data, 4, matrix, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_status(isomat_matrix_to_host(NULL, 5, matrix, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_no_handle(
            other, isomat_matrix_from_host(&other, device_context(state), data, 3, 5, 4, type, ISOMAT_NONE),
            ISOMAT_ERROR_INVALID_ARGUMENT);
        assert_ok(isomat_matrix_destroy(matrix));
    }
}

/* Views begin at odd elements; a fill through one changes its rectangle alone. */
static void view_is_a_rectangle(void **state)
{
    for (int32_t type = F32; type <= BF16; type++) {
        isomat_matrix matrix = matrix_of(device_context(state), type, 9, 11), view, inner;
        const int64_t ld = matrix_info(matrix).ld;
        assert_ok(isomat_matrix_view(&view, matrix, 2, 3, 5, 7));
        assert_int_equal(matrix_info(view).type, type);
        assert_int_equal(matrix_info(view).ld, ld);
        assert_int_equal(matrix_pointer(view) - matrix_pointer(matrix),
                         (2 * ld + 3) * typed_element_bytes(type));
        assert_ok(isomat_matrix_view(&inner, view, 1, 2, 3, 3));
        assert_int_equal(upper_half(inner, 2, 2), number(5, 7));
        assert_ok(isomat_matrix_destroy(view));
        assert_ok(isomat_matrix_fill(inner, -1, ISOMAT_NONE));
        for (int64_t i = 0; i < 9; i++)
            for (int64_t j = 0; j < 11; j++) {
                const int inside = i >= 3 && i < 6 && j >= 5 && j < 8;
                const uint32_t one = typed_encode(type, -1) >> (type == F32 ? 16 : 0);
                assert_int_equal(upper_half(matrix, i, j), inside ? one : number(i, j));
            }
        assert_ok(isomat_matrix_destroy(matrix));
        assert_int_equal(upper_half(inner, 0, 0), typed_encode(type, -1) >> (type == F32 ? 16 : 0));
        assert_ok(isomat_matrix_destroy(inner));
    }
}

/* Every address that is a multiple of the element is taken, no other. */
static void adopted_memory_is_aligned_to_the_element(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix matrix;
    uint64_t pointer;

    assert_ok(isomat_memory_allocate(&pointer, 256, context, ISOMAT_NONE));
    for (int32_t type = F32; type <= BF16; type++)
        for (uint64_t shift = 0; shift < 16; shift++) {
            if (shift % (uint64_t)typed_element_bytes(type) != 0) {
                assert_no_handle(matrix,
                                 isomat_matrix_adopt(&matrix, context, pointer + shift, 3, 5, 7, type,
                                                     ISOMAT_ADOPT_BORROW),
                                 ISOMAT_ERROR_INVALID_ARGUMENT);
                continue;
            }
            assert_ok(isomat_memory_fill(pointer, 0, 1, 256, context, ISOMAT_NONE));
            assert_ok(
                isomat_matrix_adopt(&matrix, context, pointer + shift, 3, 5, 7, type, ISOMAT_ADOPT_BORROW));
            assert_int_equal(matrix_pointer(matrix), pointer + shift);
            assert_int_equal(matrix_info(matrix).ld, 7);
            assert_int_equal(matrix_info(matrix).type, type);
            assert_ok(isomat_matrix_fill(matrix, 1.5, ISOMAT_NONE));
            assert_int_equal(upper_half(matrix, 2, 4), typed_encode(type, 1.5) >> (type == F32 ? 16 : 0));
            assert_ok(isomat_matrix_destroy(matrix));
        }
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

static void owned_memory_is_freed(void **state)
{
    isomat_matrix matrix;
    uint64_t pointer;

    for (int32_t type = F32; type <= BF16; type++) {
        assert_ok(isomat_memory_allocate(&pointer, 64, device_context(state), ISOMAT_NONE));
        assert_ok(
            isomat_matrix_adopt(&matrix, device_context(state), pointer, 4, 4, 4, type, ISOMAT_ADOPT_OWN));
        assert_ok(isomat_matrix_destroy(matrix)); /* what stays is found at the end of the program */
    }
}

/* A float32 matrix of 4 x 4 in rows of 64 bytes, and a 16-bit one somewhere in the same memory. */
static const struct overlap {
    int64_t offset; /* bytes from the first element of one to that of the other */
    int64_t ld;     /* of the 16-bit one; 32 makes rows of 64 bytes too */
    int overlaps;
} overlaps[] = {
    {0, 32, 1},   /* the same place */
    {14, 32, 1},  /* the last half of each row */
    {16, 32, 0},  /* beside */
    {56, 32, 0},  /* at the end of the same rows */
    {58, 32, 1},  /* it reaches into the next rows */
    {190, 32, 1}, /* into the last row, from the one above */
    {208, 32, 0}, /* behind the last element */
    {206, 4, 1},  /* the last two bytes */
    {208, 4, 0},  /* dense, behind */
    {-32, 4, 0},  /* dense, ends where the other begins */
    {-30, 4, 1},  /* by two bytes */
    {-8, 32, 0},  /* before each row */
    {-6, 32, 1},  /* into each row */
};

static void check_overlap(isomat_context context, uint64_t pointer, int32_t type, const struct overlap *o)
{
    const int32_t expected = o->overlaps ? ISOMAT_ERROR_ALIAS : ISOMAT_OK;
    const int32_t mode = type == F16 ? ISOMAT_COMPUTE_F16 : ISOMAT_COMPUTE_BF16;
    isomat_matrix wide, narrow, other = matrix_of(context, type, 4, 4);

    assert_ok(isomat_matrix_adopt(&wide, context, pointer, 4, 4, 16, F32, ISOMAT_ADOPT_BORROW));
    assert_ok(isomat_matrix_adopt(&narrow, context, pointer + (uint64_t)o->offset, 4, 4, o->ld, type,
                                  ISOMAT_ADOPT_BORROW));
    assert_status(isomat_matrix_copy(wide, narrow, ISOMAT_NONE), expected);
    assert_status(isomat_matrix_copy(narrow, wide, ISOMAT_NONE), expected);
    if (device_capability() >= 80) {
        assert_status(isomat_gemm(&wide, 1, narrow, 0, other, 0, 0, mode, ISOMAT_NONE), expected);
        assert_status(isomat_gemm(&wide, 1, other, 0, narrow, 1, 0, mode, ISOMAT_NONE), expected);
    }
    assert_ok(isomat_matrix_destroy(wide));
    assert_ok(isomat_matrix_destroy(narrow));
    assert_ok(isomat_matrix_destroy(other));
}

static void overlap_is_counted_in_bytes(void **state)
{
    isomat_context context = device_context(state);
    uint64_t pointer;

    assert_ok(isomat_memory_allocate(&pointer, 1024, context, ISOMAT_NONE));
    assert_ok(isomat_memory_fill(pointer, 0, 4, 256, context, ISOMAT_NONE));
    for (int32_t type = F16; type <= BF16; type++)
        for (size_t i = 0; i < TEST_COUNT(overlaps); i++)
            check_overlap(context, pointer + 256, type, &overlaps[i]);
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

/* The same place as two 16-bit types is not the same rectangle. */
static void same_place_as_another_type_is_an_overlap(void **state)
{
    isomat_matrix half = matrix_of(device_context(state), F16, 4, 6), brain;

    assert_ok(isomat_matrix_adopt(&brain, device_context(state), matrix_pointer(half), 4, 6,
                                  matrix_info(half).ld, BF16, ISOMAT_ADOPT_BORROW));
    assert_status(isomat_matrix_copy(brain, half, ISOMAT_NONE), ISOMAT_ERROR_ALIAS);
    assert_ok(isomat_matrix_copy(half, half, ISOMAT_NONE));
    assert_int_equal(upper_half(half, 3, 5), number(3, 5));
    assert_ok(isomat_matrix_destroy(brain));
    assert_ok(isomat_matrix_destroy(half));
}

static void copy_between_types_checks_sizes(void **state)
{
    isomat_matrix x = matrix_of(device_context(state), F32, 4, 6),
                  y = matrix_of(device_context(state), F16, 6, 4);

    assert_status(isomat_matrix_copy(x, y, ISOMAT_NONE), ISOMAT_ERROR_SHAPE_MISMATCH);
    assert_message_contains("4", "6");
    assert_ok(isomat_matrix_destroy(x));
    assert_ok(isomat_matrix_destroy(y));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(created_matrix_has_its_type),
        device_test(numbers_of_types_never_change),
        device_test(unknown_types_are_refused),
        device_test(limits_count_bytes),
        device_test(empty_matrices_of_two_types),
        device_test(data_goes_there_and_back),
        device_test(leading_dimensions_are_checked),
        device_test(view_is_a_rectangle),
        device_test(adopted_memory_is_aligned_to_the_element),
        device_test(owned_memory_is_freed),
        device_test(overlap_is_counted_in_bytes),
        device_test(same_place_as_another_type_is_an_overlap),
        device_test(copy_between_types_checks_sizes),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
