/* SPDX-License-Identifier: MIT */
/* npy_reference.c: makes random .npy files and checks products of them in higher precision.
 *
 * It shares no code with the command that it checks.
 *
 *     npy_reference random FILE ROWS COLS SEED c|fortran VERSION [f8]
 *     npy_reference compare C A B n|t n|t ALPHA BETA C0|-
 *
 * compare exits with 0 if every element of C is within the bound of a sum of its type, float32 or
 * float64, and the whole within 1e-5 of the largest element; with 1 if not, and with 2 if it cannot tell. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    long rows, cols;
    int fortran;
    int f8; /* float64, else float32 */
    void *data;
};

static void die(const char *what, const char *name)
{
    fprintf(stderr, "npy_reference: %s: %s\n", what, name);
    exit(2);
}

static double at(const struct matrix *matrix, char op, long i, long j)
{
    long row = op == 't' ? j : i, col = op == 't' ? i : j;
    long place = matrix->fortran ? col * matrix->rows + row : row * matrix->cols + col;
    return matrix->f8 ? ((const double *)matrix->data)[place] : (double)((const float *)matrix->data)[place];
}

static void read_matrix(struct matrix *matrix, const char *path)
{
    char head[4096] = {0};
    FILE *file = fopen(path, "rb");
    if (!file || fread(head, 1, 10, file) != 10 || memcmp(head, "\x93NUMPY", 6) != 0)
        die("cannot read", path);
    size_t length = (unsigned char)head[8] | (size_t)(unsigned char)head[9] << 8;
    if (head[6] != 1) /* the upper half of the length, 0 in these tests */
        length += (size_t)fgetc(file) + (size_t)fgetc(file);
    size_t before = head[6] == 1 ? 10 : 12;
    if (length >= sizeof head || (before + length) % 64 != 0 || fread(head, 1, length, file) != length)
        die("cannot read the header of", path);
    head[length] = 0;
    char *shape = strstr(head, "'shape': (");
    matrix->f8 = strstr(head, "'descr': '<f8'") != NULL;
    if (head[length - 1] != '\n' || !(matrix->f8 || strstr(head, "'descr': '<f4'")) || !shape ||
        sscanf(shape, "'shape': (%ld, %ld)", &matrix->rows, &matrix->cols) != 2)
        die("wrong header in", path);
    matrix->fortran = strstr(head, "'fortran_order': True") != NULL;
    size_t count = (size_t)matrix->rows * (size_t)matrix->cols;
    size_t each = matrix->f8 ? sizeof(double) : sizeof(float);
    matrix->data = malloc(count * each + 1);
    if (!matrix->data || fread(matrix->data, each, count, file) != count || fgetc(file) != EOF)
        die("wrong size of", path);
    fclose(file);
}

static int make_random(char **argv, int f8)
{
    long rows = atol(argv[1]), cols = atol(argv[2]);
    uint64_t state = strtoull(argv[3], NULL, 10) * 2654435761u + 1;
    int fortran = argv[4][0] == 'f', version = atoi(argv[5]);
    int before = version == 1 ? 10 : 12;
    char head[256];
    FILE *file = fopen(argv[0], "wb");
    if (!file)
        die("cannot write", argv[0]);

    int length = snprintf(head, sizeof head, "{'descr': '<f%d', 'fortran_order': %s, 'shape': (%ld, %ld), }",
                          f8 ? 8 : 4, fortran ? "True" : "False", rows, cols);
    while ((before + length + 1) % 64)
        head[length++] = ' ';
    head[length++] = '\n';
    fprintf(file, "\x93NUMPY%c%c%c%c", version, 0, length & 255, length >> 8);
    if (version != 1)
        fprintf(file, "%c%c", 0, 0);
    fwrite(head, 1, (size_t)length, file);
    for (long i = 0; i < rows * cols; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        float value = (float)(state >> 40) / 16777216.0f - 0.5f;
        double longer = (double)(state >> 11) * 0x1p-53 - 0.5;
        fwrite(f8 ? (void *)&longer : (void *)&value, f8 ? sizeof longer : sizeof value, 1, file);
    }
    if (fclose(file) != 0)
        die("cannot write", argv[0]);
    return 0;
}

static int compare(char **argv)
{
    struct matrix c, a, b, c0 = {0};
    char op_a = argv[3][0], op_b = argv[4][0];
    double alpha = atof(argv[5]), beta = atof(argv[6]), worst = 0.0, largest = 0.0, ratio = 0.0;

    read_matrix(&c, argv[0]);
    read_matrix(&a, argv[1]);
    read_matrix(&b, argv[2]);
    if (argv[7][0] != '-')
        read_matrix(&c0, argv[7]);
    long k = op_a == 't' ? a.rows : a.cols;
    if (c.fortran || c.rows != (op_a == 't' ? a.cols : a.rows) || c.cols != (op_b == 't' ? b.rows : b.cols))
        die("wrong shape or order of", argv[0]);
    for (long i = 0; i < c.rows; i++)
        for (long j = 0; j < c.cols; j++) {
            long double sum = 0.0, size = 0.0, old = c0.data ? (long double)beta * at(&c0, 'n', i, j) : 0.0L;
            for (long p = 0; p < k; p++) {
                long double product = (long double)at(&a, op_a, i, p) * at(&b, op_b, p, j);
                sum += product;
                size += fabsl(product);
            }
            long double exact = alpha * sum + old;
            double wanted = (double)exact, error = (double)fabsl(at(&c, 'n', i, j) - exact);
            double bound =
                ((double)k + 4.0) * (c.f8 ? 0x1p-53 : 0x1p-24) * (double)(fabs(alpha) * size + fabsl(old));
            if (!(error <= bound)) {
                fprintf(stderr, "npy_reference: (%ld, %ld) is %.9g, not %.9g (bound %.3g)\n", i, j,
                        at(&c, 'n', i, j), wanted, bound);
                return 1;
            }
            worst = fmax(worst, error);
            largest = fmax(largest, fabs(wanted));
            ratio = fmax(ratio, bound > 0.0 ? error / bound : 0.0);
        }
    printf("%s: %ldx%ld, largest error %.3g of %.3g, %.3g of the bound\n", argv[0], c.rows, c.cols, worst,
           largest, ratio);
    free(c0.data);
    free(b.data);
    free(a.data);
    free(c.data);
    return worst <= 1e-5 * largest ? 0 : 1;
}

int main(int argc, char **argv)
{
    if ((argc == 8 || (argc == 9 && strcmp(argv[8], "f8") == 0)) && strcmp(argv[1], "random") == 0)
        return make_random(argv + 2, argc == 9);
    if (argc == 10 && strcmp(argv[1], "compare") == 0)
        return compare(argv + 2);
    die("wrong usage", argc > 1 ? argv[1] : "");
    return 2;
}
