/* SPDX-License-Identifier: MIT */
/* npy_header.c: reads the Python dictionary at the head of a .npy file. */
#include <string.h>

#include "npy.h"

/* A place in the text.  Reading at the end gives 0, which no token accepts. */
struct cursor {
    const char *at, *end;
    struct npy_error *error;
};

static bool refuse(struct cursor *cursor, const char *what)
{
    snprintf(cursor->error->text, sizeof cursor->error->text, "%s", what);
    return false;
}

static char peek(struct cursor *cursor)
{
    while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) && *cursor->at)
        cursor->at++;
    return cursor->at < cursor->end ? *cursor->at : 0;
}

static bool accept(struct cursor *cursor, char token)
{
    if (peek(cursor) != token)
        return false;
    cursor->at++;
    return true;
}

static bool accept_word(struct cursor *cursor, const char *word)
{
    size_t length = strlen(word);
    peek(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

/* A quoted string without escapes, shortened to fit. */
static bool parse_string(struct cursor *cursor, char *text, size_t capacity)
{
    char quote = peek(cursor);
    if (quote != '\'' && quote != '"')
        return false;
    const char *start = ++cursor->at;
    const char *stop = memchr(start, quote, (size_t)(cursor->end - start));
    if (!stop)
        return false;
    size_t length = (size_t)(stop - start);
    if (length >= capacity)
        length = capacity - 1;
    memcpy(text, start, length);
    text[length] = 0;
    cursor->at = stop + 1;
    return true;
}

static bool parse_size(struct cursor *cursor, int64_t *size)
{
    char c = peek(cursor);
    if (c == '-')
        return refuse(cursor, "the shape has a negative size");
    if (c < '0' || c > '9')
        return refuse(cursor, "the shape in the header is no tuple of whole numbers");
    *size = 0;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9') {
        int digit = *cursor->at++ - '0';
        if (__builtin_mul_overflow(*size, 10, size) || __builtin_add_overflow(*size, digit, size))
            return refuse(cursor, "a size in the shape overflows 64 bits");
    }
    if (cursor->at < cursor->end && *cursor->at == 'L')
        cursor->at++; /* Python 2 wrote long integers so */
    return true;
}

static bool parse_shape(struct cursor *cursor, struct npy_array_header *header)
{
    int64_t size;
    bool comma = true;

    header->dimensions = 0;
    if (!accept(cursor, '('))
        return refuse(cursor, "the shape in the header is no tuple");
    while (!accept(cursor, ')')) {
        if (!comma)
            return refuse(cursor, "the shape in the header is no tuple");
        if (!parse_size(cursor, &size))
            return false;
        if (header->dimensions == NPY_DIMENSIONS)
            return refuse(cursor, "the array has more than 8 dimensions");
        header->sizes[header->dimensions++] = size;
        comma = accept(cursor, ',');
    }
    return true;
}

static bool parse_dtype(struct cursor *cursor, struct npy_array_header *header)
{
    if (peek(cursor) == '[')
        return refuse(cursor, "the dtype is a structure, not a number");
    if (!parse_string(cursor, header->dtype, sizeof header->dtype))
        return refuse(cursor, "the dtype in the header is no string");
    const char *dtype = header->dtype;
    if (*dtype && strchr("<>|=", *dtype) &&
        strspn(dtype + 1, "abcdefghijklmnopqrstuvwxyzOSUVM0123456789") > 1)
        return true;
    snprintf(cursor->error->text, sizeof cursor->error->text, "the dtype is '%s', which is none of NumPy's",
             dtype);
    return false;
}

enum { KEY_DTYPE = 1, KEY_ORDER = 2, KEY_SHAPE = 4, ALL_KEYS = 7 };

/* One "key: value"; marks the key in *seen. */
static bool parse_item(struct cursor *cursor, struct npy_array_header *header, int *seen)
{
    char key[32];
    int bit;
    bool good;

    if (!parse_string(cursor, key, sizeof key) || !accept(cursor, ':'))
        return refuse(cursor, "the header is no dictionary");
    if (strcmp(key, "descr") == 0) {
        bit = KEY_DTYPE;
        good = parse_dtype(cursor, header);
    } else if (strcmp(key, "fortran_order") == 0) {
        bit = KEY_ORDER;
        header->fortran = accept_word(cursor, "True");
        good = header->fortran || accept_word(cursor, "False") ||
               refuse(cursor, "fortran_order in the header is neither True nor False");
    } else if (strcmp(key, "shape") == 0) {
        bit = KEY_SHAPE;
        good = parse_shape(cursor, header);
    } else {
        snprintf(cursor->error->text, sizeof cursor->error->text, "the header has the unknown key '%s'", key);
        return false;
    }
    if (good && (*seen & bit))
        return refuse(cursor, "the header gives a key twice");
    *seen |= bit;
    return good;
}

static bool count_elements(struct cursor *cursor, struct npy_array_header *header)
{
    bool empty = false;
    header->count = 1;
    for (int i = 0; i < header->dimensions; i++)
        empty |= header->sizes[i] == 0;
    for (int i = 0; i < header->dimensions && !empty; i++)
        if (__builtin_mul_overflow(header->count, header->sizes[i], &header->count))
            return refuse(cursor, "the product of the sizes overflows 64 bits");
    if (empty)
        header->count = 0;
    return true;
}

bool npy_parse_array_header(struct npy_array_header *header, const char *text, size_t length,
                            struct npy_error *error)
{
    struct cursor cursor = {text, text + length, error};
    struct npy_array_header result = {0};
    int seen = 0;
    bool comma = true;

    if (!accept(&cursor, '{'))
        return refuse(&cursor, "the header is no dictionary");
    while (!accept(&cursor, '}')) {
        if (!comma)
            return refuse(&cursor, "the header is no dictionary");
        if (!parse_item(&cursor, &result, &seen))
            return false;
        comma = accept(&cursor, ',');
    }
    if (peek(&cursor) || cursor.at != cursor.end)
        return refuse(&cursor, "the header goes on after its dictionary");
    if (seen != ALL_KEYS)
        return refuse(&cursor, "the header lacks one of descr, fortran_order, shape");
    if (!count_elements(&cursor, &result))
        return false;
    *header = result;
    return true;
}

bool npy_parse_header(struct npy_header *header, const char *text, size_t length, struct npy_error *error)
{
    struct cursor cursor = {text, text + length, error};
    struct npy_array_header array;
    int64_t bytes;

    if (!npy_parse_array_header(&array, text, length, error))
        return false;
    int element_bytes = strcmp(array.dtype, "<f4") == 0 ? 4 : strcmp(array.dtype, "<f8") == 0 ? 8 : 0;
    if (element_bytes == 0) {
        snprintf(error->text, sizeof error->text,
                 "the dtype is '%s', only '<f4' (float32) and '<f8' (float64) are read", array.dtype);
        return false;
    }
    if (array.dimensions != 2) {
        snprintf(error->text, sizeof error->text, "the array has %d dimension%s, a matrix has 2",
                 array.dimensions, array.dimensions == 1 ? "" : "s");
        return false;
    }
    if (__builtin_mul_overflow(array.count, element_bytes, &bytes))
        return refuse(&cursor, "rows times columns overflows 64 bits");
    *header = (struct npy_header){array.sizes[0], array.sizes[1], array.fortran, element_bytes};
    return true;
}
