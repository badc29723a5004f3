/* SPDX-License-Identifier: MIT */
/* npy.c: reads and writes NumPy's .npy files of float32 matrices.
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

static bool read_header(struct npy_header *header, FILE *file, struct npy_error *error)
{
    unsigned char start[8], digits[4] = {0};
    char text[HEADER_LIMIT];

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
    uint32_t length =
        digits[0] | (uint32_t)digits[1] << 8 | (uint32_t)digits[2] << 16 | (uint32_t)digits[3] << 24;
    if (length > HEADER_LIMIT)
        return refuse(error, "the header of %" PRIu32 " bytes is above the limit of %d", length,
                      HEADER_LIMIT);
    if (fread(text, 1, length, file) != length)
        return refuse_short(file, error, "header");
    return npy_parse_header(header, text, length, error);
}

/* Reads in growing steps, so that a header that promises too much costs nothing. */
static bool read_elements(struct npy_matrix *matrix, FILE *file, struct npy_error *error)
{
    int64_t wanted = matrix->header.rows * matrix->header.cols * (int64_t)sizeof(float);
    int64_t have = 0, capacity = 0;

    while (have < wanted) {
        if (have == capacity) {
            capacity = capacity ? (capacity > wanted / 2 ? wanted : 2 * capacity) : FIRST_READ;
            if (capacity > wanted)
                capacity = wanted;
            float *data = realloc(matrix->data, (size_t)capacity);
            if (!data)
                return refuse(error, "no memory for %" PRId64 " bytes", capacity);
            matrix->data = data;
        }
        size_t got = fread((char *)matrix->data + have, 1, (size_t)(capacity - have), file);
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
    *matrix = (struct npy_matrix){0};
    if (read_header(&matrix->header, file, error) && read_elements(matrix, file, error))
        return true;
    free(matrix->data);
    *matrix = (struct npy_matrix){0};
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

bool npy_write(FILE *file, const float *data, int64_t rows, int64_t cols)
{
    char text[2 * HEADER_ALIGNMENT];
    unsigned char start[10] = {0};

    /* the header is padded so that the elements begin at a multiple of 64 */
    int length = snprintf(text, sizeof text,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64 "), }",
                          rows, cols);
    int total = (int)sizeof start + length + 1;
    int padded = (total + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT - (int)sizeof start;
    memset(text + length, ' ', (size_t)(padded - length));
    text[padded - 1] = '\n';

    memcpy(start, magic, MAGIC_BYTES);
    start[6] = 1;
    start[8] = (unsigned char)padded;
    size_t count = (size_t)(rows * cols);
    return fwrite(start, 1, sizeof start, file) == sizeof start &&
           fwrite(text, 1, (size_t)padded, file) == (size_t)padded &&
           (count == 0 || fwrite(data, sizeof *data, count, file) == count);
}
