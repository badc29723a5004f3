/* SPDX-License-Identifier: MIT */
/* npy.h: reads and writes NumPy's .npy files of float32 matrices. */
#ifndef ISOMAT_TOOLS_NPY_H
#define ISOMAT_TOOLS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct npy_header {
    int64_t rows, cols;
    bool fortran; /* element (i, j) is at j * rows + i, else at i * cols + j */
};

struct npy_matrix {
    struct npy_header header;
    float *data; /* to be freed; NULL only if the matrix is empty */
};

struct npy_error {
    char text[192]; /* one line, without the file's name */
};

/* Reads the text of a header, a Python dictionary.  Any bytes are safe. */
bool npy_parse_header(struct npy_header *header, const char *text, size_t length, struct npy_error *error);

/* Reads a file: versions 1.0 to 3.0, dtype '<f4', two dimensions.  Memory stays within twice what
 * the file really holds.  On failure *matrix is zeroed. */
bool npy_read(struct npy_matrix *matrix, FILE *file, struct npy_error *error);
bool npy_read_file(struct npy_matrix *matrix, const char *path, struct npy_error *error);

/* Writes rows x cols elements, row by row; false on a write error, with errno set. */
bool npy_write(FILE *file, const float *data, int64_t rows, int64_t cols);

#endif /* ISOMAT_TOOLS_NPY_H */
