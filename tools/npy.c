/* SPDX-License-Identifier: MIT */
/* npy.c: reads and writes NumPy's .npy files: arrays, and matrices of float32 or float64.
 *
 * A file is the magic "\x93NUMPY", two version bytes, the header's length (2 bytes little-endian
 * in version 1.0, else 4), the header, and the elements.  Elements are read as they stand: every
 * machine with a CUDA driver is little-endian. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

static const char magic[] = "\x93NUMPY";

enum { MAGIC_BYTES = 6, HEADER_LIMIT = 65535, HEADER_ALIGNMENT = 64, FIRST_READ = 16 << 20 };

__attribute__((format(printf, 2, 3))) static bool refuse(struct npy_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

/* Says why fewer bytes came than were wanted. */
static bool refuse_short(FILE *file, struct npy_error *error, const char *where)
{
    if (ferror(file))
        return refuse(error, "%s", strerror(errno));
    return refuse(error, "the file ends within its %s", where);
}

/* Reads the header's text, HEADER_LIMIT bytes of room. */
static bool read_header(char *text, uint32_t *length, FILE *file, struct npy_error *error)
{
    unsigned char start[8], digits[4] = {0};

    size_t got = fread(start, 1, sizeof start, file);
    if (got < MAGIC_BYTES && ferror(file))
        return refuse(error, "%s", strerror(errno));
    if (got < MAGIC_BYTES || memcmp(start, magic, MAGIC_BYTES) != 0)
        return refuse(error, "not a .npy file: it does not begin with \\x93NUMPY");
    if (got < sizeof start)
        return refuse_short(file, error, "header");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return refuse(error, ".npy version %d.%d is not one of 1.0, 2.0, 3.0", start[6], start[7]);

    size_t width = start[6] == 1 ? 2 : 4;
    if (fread(digits, 1, width, file) != width)
        return refuse_short(file, error, "header");
    *length = digits[0] | (uint32_t)digits[1] << 8 | (uint32_t)digits[2] << 16 | (uint32_t)digits[3] << 24;
    if (*length > HEADER_LIMIT)
        return refuse(error, "the header of %" PRIu32 " bytes is above the limit of %d", *length,
                      HEADER_LIMIT);
    if (fread(text, 1, *length, file) != *length)
        return refuse_short(file, error, "header");
    return true;
}

/* Reads in growing steps, so that a header that promises too much costs nothing. */
static bool read_elements(void **elements, int64_t wanted, FILE *file, struct npy_error *error)
{
    int64_t have = 0, capacity = 0;

    while (have < wanted) {
        if (have == capacity) {
            capacity = capacity ? (capacity > wanted / 2 ? wanted : 2 * capacity) : FIRST_READ;
            if (capacity > wanted)
                capacity = wanted;
            void *data = realloc(*elements, (size_t)capacity);
            if (!data)
                return refuse(error, "no memory for %" PRId64 " bytes", capacity);
            *elements = data;
        }
        size_t got = fread((char *)*elements + have, 1, (size_t)(capacity - have), file);
        have += (int64_t)got;
        if (have == capacity)
            continue;
        if (ferror(file))
            return refuse(error, "%s", strerror(errno));
        return refuse(error, "the file is truncated: %" PRId64 " of %" PRId64 " bytes of elements", have,
                      wanted);
    }
    return true;
}

bool npy_read(struct npy_matrix *matrix, FILE *file, struct npy_error *error)
{
    char text[HEADER_LIMIT];
    uint32_t length;
    void *data = NULL;

    *matrix = (struct npy_matrix){0};
    if (read_header(text, &length, file, error) && npy_parse_header(&matrix->header, text, length, error) &&
        read_elements(&data, matrix->header.rows * matrix->header.cols * matrix->header.element_bytes, file,
                      error)) {
        matrix->data = data;
        return true;
    }
    free(data);
    *matrix = (struct npy_matrix){0};
    return false;
}

bool npy_read_array(struct npy_array *array, FILE *file, int (*element_bytes)(const char *dtype),
                    struct npy_error *error)
{
    char text[HEADER_LIMIT];
    uint32_t length;
    int64_t bytes;

    *array = (struct npy_array){0};
    if (!read_header(text, &length, file, error) ||
        !npy_parse_array_header(&array->header, text, length, error))
        return false;
    int each = element_bytes(array->header.dtype);
    if (each == 0)
        return refuse(error, "elements of the dtype '%s' are not read", array->header.dtype);
    if (__builtin_mul_overflow(array->header.count, each, &bytes))
        return refuse(error, "the product of the sizes overflows 64 bits");
    if (read_elements(&array->data, bytes, file, error))
        return true;
    free(array->data);
    array->data = NULL;
    return false;
}

bool npy_read_file(struct npy_matrix *matrix, const char *path, struct npy_error *error)
{
    FILE *file = fopen(path, "rb");
    *matrix = (struct npy_matrix){0};
    if (!file)
        return refuse(error, "%s", strerror(errno));
    bool good = npy_read(matrix, file, error);
    fclose(file);
    return good;
}

/* The shape as Python writes it: (), (3,), (3, 4) */
static void print_shape(char *text, size_t capacity, int dimensions, const int64_t *sizes)
{
    size_t used = (size_t)snprintf(text, capacity, "(");
    for (int i = 0; i < dimensions; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, i ? ", " : "", sizes[i]);
    snprintf(text + used, capacity - used, dimensions == 1 ? ",)" : ")");
}

bool npy_write_array(FILE *file, const void *data, const char *dtype, int element_bytes, int dimensions,
                     const int64_t *sizes)
{
    char shape[24 * NPY_DIMENSIONS], text[sizeof shape + 2 * HEADER_ALIGNMENT];
    unsigned char start[10] = {0};
    size_t count = 1;

    print_shape(shape, sizeof shape, dimensions, sizes);
    for (int i = 0; i < dimensions; i++)
        count *= (size_t)sizes[i];
    /* the header is padded so that the elements begin at a multiple of 64 */
    int length = snprintf(text, sizeof text - HEADER_ALIGNMENT,
                          "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", dtype, shape);
    int total = (int)sizeof start + length + 1;
    int padded = (total + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT - (int)sizeof start;
    memset(text + length, ' ', (size_t)(padded - length));
    text[padded - 1] = '\n';

    memcpy(start, magic, MAGIC_BYTES);
    start[6] = 1;
    start[8] = (unsigned char)(padded & 0xff);
    start[9] = (unsigned char)(padded >> 8);
    return fwrite(start, 1, sizeof start, file) == sizeof start &&
           fwrite(text, 1, (size_t)padded, file) == (size_t)padded &&
           (count == 0 || fwrite(data, (size_t)element_bytes, count, file) == count);
}

bool npy_write(FILE *file, const void *data, int element_bytes, int64_t rows, int64_t cols)
{
    return npy_write_array(file, data, element_bytes == 8 ? "<f8" : "<f4", element_bytes, 2,
                           (const int64_t[]){rows, cols});
}
