/* SPDX-License-Identifier: MIT */
/* test_npy.c: the .npy reader and writer, hostile files included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "npy.h"

#define F4 "'descr': '<f4'"
#define C_ORDER "'fortran_order': False"

static void assert_header_refused(const char *text, const char *reason)
{
    struct npy_header header;
    struct npy_error error = {{0}};
    if (npy_parse_header(&header, text, strlen(text), &error))
        fail_msg("accepted: %s", text);
    if (!strstr(error.text, reason))
        fail_msg("%s: \"%s\" lacks \"%s\"", text, error.text, reason);
    assert_null(strchr(error.text, '\n'));
}

static void assert_header_read(const char *text, int64_t rows, int64_t cols, bool fortran)
{
    struct npy_header header;
    struct npy_error error = {{0}};
    if (!npy_parse_header(&header, text, strlen(text), &error))
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(header.rows, rows);
    assert_int_equal(header.cols, cols);
    assert_int_equal(header.fortran, fortran);
}

static void header_valid_is_read(void **state)
{
    (void)state;
    assert_header_read("{" F4 ", " C_ORDER ", 'shape': (3, 4), }  \n", 3, 4, false);
    assert_header_read("{" F4 ", 'fortran_order': True, 'shape': (3, 4), }\n", 3, 4, true);
    assert_header_read("{\"shape\":(0,7),\"fortran_order\":False,\"descr\":\"<f4\"}", 0, 7, false);
    assert_header_read(" { " F4 " , " C_ORDER " , 'shape' : ( 3L , 4L , ) } ", 3, 4, false);
    assert_header_read("{'descr': '<f8', " C_ORDER ", 'shape': (3, 4), }", 3, 4, false);
    assert_header_read("{" F4 ", " C_ORDER ", 'shape': (0, 9223372036854775807), }", 0, INT64_MAX, false);
}

static void header_other_array_is_refused(void **state)
{
    (void)state;
    assert_header_refused("{'descr': '<f2', " C_ORDER ", 'shape': (3, 4), }", "'<f2'");
    assert_header_refused("{'descr': '>f4', " C_ORDER ", 'shape': (3, 4), }", "'>f4'");
    assert_header_refused("{'descr': [('x', '<f4')], " C_ORDER ", 'shape': (3, 4), }", "structure");
    assert_header_refused("{'descr': 4, " C_ORDER ", 'shape': (3, 4), }", "no string");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (), }", "0 dimensions");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (3,), }", "1 dimension,");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (3, 4, 5), }", "3 dimensions");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (3, -4), }", "negative");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (3, 99999999999999999999), }", "overflows");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (4294967296, 4294967296), }", "overflows");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (2147483648, 2147483648), }", "overflows");
}

static void array_header_is_read(void **state)
{
    struct npy_array_header header;
    struct npy_error error;
    (void)state;
#define READ(text) npy_parse_array_header(&header, text, sizeof(text) - 1, &error)
    assert_true(READ("{'descr': '|u1', " C_ORDER ", 'shape': (2, 3, 4), }"));
    assert_string_equal(header.dtype, "|u1");
    assert_int_equal(header.dimensions, 3);
    assert_int_equal(header.sizes[0] * 100 + header.sizes[1] * 10 + header.sizes[2], 234);
    assert_int_equal(header.count, 24);
    assert_true(READ("{'descr': '>f8', 'fortran_order': True, 'shape': (), }"));
    assert_int_equal(header.dimensions, 0);
    assert_int_equal(header.count, 1);
    assert_true(header.fortran);
    assert_true(READ("{" F4 ", " C_ORDER ", 'shape': (4294967296, 4294967296, 0), }"));
    assert_int_equal(header.count, 0);
    assert_true(READ("{" F4 ", " C_ORDER ", 'shape': (1, 1, 1, 1, 1, 1, 1, 2), }"));
    assert_false(READ("{" F4 ", " C_ORDER ", 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }"));
    assert_false(READ("{" F4 ", " C_ORDER ", 'shape': (4294967296, 4294967296), }"));
    assert_false(READ("{'descr': 'float32', " C_ORDER ", 'shape': (3,), }"));
#undef READ
}

static void header_malformed_is_refused(void **state)
{
    (void)state;
    assert_header_refused("", "no dictionary");
    assert_header_refused("{", "no dictionary");
    assert_header_refused("{}", "lacks");
    assert_header_refused("[1, 2]", "no dictionary");
    assert_header_refused("{'descr", "no dictionary");
    assert_header_refused("{'descr'", "no dictionary");
    assert_header_refused("{'descr': ", "no string");
    assert_header_refused("{'descr': '<f4", "no string");
    assert_header_refused("{" F4 " " C_ORDER "}", "no dictionary");
    assert_header_refused("{" F4 ", 'fortran_order': 1, 'shape': (3, 4)}", "neither True nor False");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (3 4)}", "no tuple");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (3, 4", "no tuple");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (3, x)}", "whole numbers");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': 3}", "no tuple");
    assert_header_refused("{" F4 ", " C_ORDER "}", "lacks");
    assert_header_refused("{" F4 ", " F4 ", 'shape': (3, 4)}", "twice");
    assert_header_refused("{" F4 ", 'evil': 1}", "'evil'");
    assert_header_refused("{" F4 ", " C_ORDER ", 'shape': (3, 4)} + x", "goes on");
}

static void header_with_zero_bytes_is_refused(void **state)
{
    static const char text[] = "{" F4 ", " C_ORDER ", 'shape': (3, 4)\0}";
    struct npy_header header;
    struct npy_error error;
    (void)state;
    assert_false(npy_parse_header(&header, text, sizeof text - 1, &error));
    assert_false(npy_parse_header(&header, text, sizeof text - 2, &error));
    assert_false(npy_parse_header(&header, text, 0, &error));
}

/* Every prefix of a header, and every single byte changed: an answer, whatever it is. */
static void header_any_bytes_are_safe(void **state)
{
    static const char text[] = "{" F4 ", " C_ORDER ", 'shape': (3, 4), }";
    struct npy_header header;
    struct npy_error error;
    (void)state;
    for (size_t length = 0; length < sizeof text; length++)
        for (size_t at = 0; at < length; at++)
            for (int value = 0; value < 256; value += 3) {
                char *copy = malloc(length); /* exact, for AddressSanitizer */
                assert_non_null(copy);
                memcpy(copy, text, length);
                copy[at] = (char)value;
                npy_parse_header(&header, copy, length, &error);
                free(copy);
            }
}

static void assert_file_refused(const char *bytes, size_t length, const char *reason)
{
    struct npy_matrix matrix;
    struct npy_error error = {{0}};
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    rewind(file);
    assert_false(npy_read(&matrix, file, &error));
    assert_null(matrix.data);
    if (!strstr(error.text, reason))
        fail_msg("\"%s\" lacks \"%s\"", error.text, reason);
    fclose(file);
}

#define REFUSED(bytes, reason) assert_file_refused(bytes, sizeof(bytes) - 1, reason)

static void file_wrong_start_is_refused(void **state)
{
    (void)state;
    REFUSED("", "not a .npy file");
    REFUSED("\x93NUM", "not a .npy file");
    REFUSED("PK\x03\x04 a zip archive", "not a .npy file");
    REFUSED("\x93NUMPY", "ends within its header");
    REFUSED("\x93NUMPY\x01\x00\x10", "ends within its header");
    REFUSED("\x93NUMPY\x01\x00\x10\x00{", "ends within its header");
    REFUSED("\x93NUMPY\x04\x00\x10\x00{", "version 4.0");
    REFUSED("\x93NUMPY\x01\x07\x10\x00{", "version 1.7");
    REFUSED("\x93NUMPY\x02\x00\xff\xff\xff\xff{", "4294967295 bytes is above the limit");
}

static void file_truncated_is_refused(void **state)
{
    char bytes[256];
    const char *header = "{" F4 ", " C_ORDER ", 'shape': (3, 4), }";
    (void)state;
    int start = snprintf(bytes, sizeof bytes, "\x93NUMPY\x01%c%c%c%s", 0, (int)strlen(header), 0, header);
    memset(bytes + start, 0, 48);
    assert_file_refused(bytes, (size_t)start, "truncated: 0 of 48");
    assert_file_refused(bytes, (size_t)start + 47, "truncated: 47 of 48");

    /* exabytes promised: refused for what is there, without the memory */
    header = "{" F4 ", " C_ORDER ", 'shape': (1000000000, 1000000000), }";
    start = snprintf(bytes, sizeof bytes, "\x93NUMPY\x01%c%c%c%s", 0, (int)strlen(header), 0, header);
    assert_file_refused(bytes, (size_t)start, "truncated: 0 of 4000000000000000000");
}

static void file_unreadable_is_refused(void **state)
{
    struct npy_matrix matrix;
    struct npy_error error;
    (void)state;
    assert_false(npy_read_file(&matrix, "/nonexistent/a.npy", &error));
    assert_string_equal(error.text, "No such file or directory");
    assert_false(npy_read_file(&matrix, "/", &error));
    assert_string_equal(error.text, "Is a directory");
}

static void check_read_back(int64_t rows, int64_t cols, int element_bytes)
{
    int64_t bytes = rows * cols * element_bytes;
    struct npy_matrix matrix;
    struct npy_error error;
    unsigned char *data = malloc((size_t)bytes + 1);
    FILE *file = tmpfile();

    assert_non_null(data);
    assert_non_null(file);
    for (int64_t j = 0; j < bytes; j++)
        data[j] = (unsigned char)(j * 7 + j / 256);
    assert_true(npy_write(file, data, element_bytes, rows, cols));
    assert_int_equal((ftell(file) - bytes) % 64, 0);
    rewind(file);
    assert_true(npy_read(&matrix, file, &error));
    assert_int_equal(matrix.header.rows, rows);
    assert_int_equal(matrix.header.cols, cols);
    assert_int_equal(matrix.header.element_bytes, element_bytes);
    assert_false(matrix.header.fortran);
    if (bytes)
        assert_memory_equal(matrix.data, data, (size_t)bytes);
    free(matrix.data);
    free(data);
    fclose(file);
}

static void file_written_is_read_back(void **state)
{
    static const int64_t shapes[][2] = {{3, 4}, {1, 1}, {0, 5}, {5, 0}, {0, 0}, {200, 257}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int element_bytes = 4; element_bytes <= 8; element_bytes += 4)
            check_read_back(shapes[i][0], shapes[i][1], element_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_valid_is_read),        cmocka_unit_test(header_other_array_is_refused),
        cmocka_unit_test(header_malformed_is_refused), cmocka_unit_test(header_with_zero_bytes_is_refused),
        cmocka_unit_test(header_any_bytes_are_safe),   cmocka_unit_test(file_wrong_start_is_refused),
        cmocka_unit_test(file_truncated_is_refused),   cmocka_unit_test(file_unreadable_is_refused),
        cmocka_unit_test(file_written_is_read_back),   cmocka_unit_test(array_header_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
