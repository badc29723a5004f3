/* SPDX-License-Identifier: MIT */
/* npy.h: reads and writes NumPy's .npy files: arrays, and matrices of float32 or float64. */
#ifndef ISOMAT_TOOLS_NPY_H
#define ISOMAT_TOOLS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NPY_DIMENSIONS = 8 };

struct npy_array_header {
    char dtype[16]; /* "<f4" */
    int dimensions;
    int64_t sizes[NPY_DIMENSIONS];
    int64_t count; /* of elements */
    bool fortran;  /* the first index varies fastest, else the last */
};

struct npy_array {
    struct npy_array_header header;
    void *data; /* to be freed; NULL only if the array is empty */
};

struct npy_header {
    int64_t rows, cols;
    bool fortran;      /* element (i, j) is at j * rows + i, else at i * cols + j */
    int element_bytes; /* 4: float32, 8: float64 */
};

struct npy_matrix {
    struct npy_header header;
    void *data; /* to be freed; NULL only if the matrix is empty */
};

struct npy_error {
    char text[192]; /* one line, without the file's name */
};

/* Reads the text of a header, a Python dictionary.  Any bytes are safe.  The first takes any array,
 * the second a matrix of '<f4' or '<f8'. */
bool npy_parse_array_header(struct npy_array_header *header, const char *text, size_t length,
                            struct npy_error *error);
bool npy_parse_header(struct npy_header *header, const char *text, size_t length, struct npy_error *error);

/* Reads a file: versions 1.0 to 3.0, dtype '<f4' or '<f8', two dimensions.  Memory stays within twice what
 * the file really holds.  On failure *matrix is zeroed. */
bool npy_read(struct npy_matrix *matrix, FILE *file, struct npy_error *error);
bool npy_read_file(struct npy_matrix *matrix, const char *path, struct npy_error *error);

/* The same for an array.  element_bytes gives the size of an element from its dtype, 0 for one that
 * is not to be read. */
bool npy_read_array(struct npy_array *array, FILE *file, int (*element_bytes)(const char *dtype),
                    struct npy_error *error);

/* Writes rows x cols elements, row by row; false on a write error, with errno set. */
bool npy_write(FILE *file, const void *data, int element_bytes, int64_t rows, int64_t cols);

/* Writes an array whose last index varies fastest. */
bool npy_write_array(FILE *file, const void *data, const char *dtype, int element_bytes, int dimensions,
                     const int64_t *sizes);

#endif /* ISOMAT_TOOLS_NPY_H */
