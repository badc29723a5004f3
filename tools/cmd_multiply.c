/* SPDX-License-Identifier: MIT */
/* cmd_multiply.c: isomat multiply: C = alpha * op(A) * op(B) + beta * C0 on .npy files. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "message.h"
#include "npy.h"
#include "options.h"
#include "output.h"
#include "session.h"
#include "verbs.h"

struct request {
    const char *a, *b, *c0, *output; /* paths */
    bool transpose_a, transpose_b;
    double alpha, beta; /* beta NaN: not given */
    int32_t compute;    /* -1: what the files' type asks for */
    int64_t device;
};

/* A file's matrix.  Fortran order is the transpose in row-major order, so it is passed on as that
 * and costs nothing. */
struct operand {
    const char *path;
    struct npy_matrix npy;
    bool transpose;
    isomat_matrix matrix;
};

static int parse_request(struct request *request, int argc, char **argv, bool *go)
{
    const struct option_row rows[] = {
        {"output", 'o', OPTION_TEXT, &request->output, "FILE", "where the product goes (required)", 0, 0,
         NULL},
        {"transpose-a", 0, OPTION_FLAG, &request->transpose_a, NULL, "multiply by the transpose of A", 0, 0,
         NULL},
        {"transpose-b", 0, OPTION_FLAG, &request->transpose_b, NULL, "multiply by the transpose of B", 0, 0,
         NULL},
        {"alpha", 0, OPTION_NUMBER, &request->alpha, "X", "factor of the product (1)", 0, 0, NULL},
        {"beta", 0, OPTION_NUMBER, &request->beta, "Y", "factor of the matrix given by --c (0)", 0, 0, NULL},
        {"c", 0, OPTION_TEXT, &request->c0, "FILE", "a matrix to add, times beta", 0, 0, NULL},
        {"compute", 0, OPTION_CUSTOM, &request->compute, "MODE",
         COMPUTE_FILE_HELP " (f32, or f64 of float64)", 0, 0, parse_file_compute},
        {"device", 0, OPTION_INTEGER, &request->device, "D", "the device to use (0)", 0, INT32_MAX, NULL},
        {0},
    };
    const struct option_set set = {
        .verb = "multiply",
        .operands = "A.npy B.npy",
        .description =
            "Writes alpha * A * B + beta * C to a .npy file.  The files hold matrices of float32,\n"
            "or all of float64, in C or in Fortran order; the result is in C order, and appears whole or not "
            "at all.",
        .rows = rows,
        .min_operands = 2,
        .max_operands = 2,
    };
    int first = 0, status;

    *go = options_parse(&set, argc, argv, &first, &status);
    if (!*go)
        return status;
    *go = false;
    if (!request->output)
        return fail_usage("multiply", "-o FILE is missing");
    if (isnan(request->beta) && request->c0)
        return fail_usage("multiply", "--c without --beta");
    if (!isnan(request->beta) && request->beta != 0.0 && !request->c0)
        return fail_usage("multiply", "--beta without --c");
    if (isnan(request->beta))
        request->beta = 0.0;
    request->a = argv[first];
    request->b = argv[first + 1];
    *go = true;
    return STATUS_OK;
}

static int read_operand(struct operand *operand)
{
    struct npy_error error;
    if (!npy_read_file(&operand->npy, operand->path, &error))
        return fail("%s: %s", operand->path, error.text);
    return STATUS_OK;
}

static int64_t op_rows(const struct operand *operand)
{
    return operand->transpose ? operand->npy.header.cols : operand->npy.header.rows;
}

static int64_t op_cols(const struct operand *operand)
{
    return operand->transpose ? operand->npy.header.rows : operand->npy.header.cols;
}

static const char *type_of_file(const struct operand *operand)
{
    return operand->npy.header.element_bytes == 8 ? "float64" : "float32";
}

/* All files hold what the mode takes. */
static int check_types(struct request *request, const struct operand *a, const struct operand *b,
                       const struct operand *c)
{
    const struct operand *operands[] = {a, b, c};
    if (request->compute < 0)
        request->compute = a->npy.header.element_bytes == 8 ? ISOMAT_COMPUTE_F64 : ISOMAT_COMPUTE_F32;
    for (int i = 0; i < 3; i++)
        if (operands[i]->path &&
            operands[i]->npy.header.element_bytes != type_bytes(compute_type(request->compute)))
            return fail("%s holds %s, which compute mode %s does not take", operands[i]->path,
                        type_of_file(operands[i]), compute_name(request->compute));
    return STATUS_OK;
}

/* Checked here, where the files' names and true shapes are known. */
static int check_shapes(const struct operand *a, const struct operand *b, const struct operand *c)
{
    if (op_cols(a) != op_rows(b))
        return fail("%s%s is %" PRId64 "x%" PRId64 ", %s%s is %" PRId64 "x%" PRId64 ": inner sizes differ",
                    a->path, a->transpose ? " transposed" : "", op_rows(a), op_cols(a), b->path,
                    b->transpose ? " transposed" : "", op_rows(b), op_cols(b));
    if (c->path && (op_rows(c) != op_rows(a) || op_cols(c) != op_cols(b)))
        return fail("%s is %" PRId64 "x%" PRId64 ", the product is %" PRId64 "x%" PRId64, c->path, op_rows(c),
                    op_cols(c), op_rows(a), op_cols(b));
    int64_t count, bytes; /* empty operands may promise any size */
    if (__builtin_mul_overflow(op_rows(a), op_cols(b), &count) ||
        __builtin_mul_overflow(count, a->npy.header.element_bytes, &bytes))
        return fail("the product of %" PRId64 "x%" PRId64 " elements is too large", op_rows(a), op_cols(b));
    return STATUS_OK;
}

static int upload(struct operand *operand, const struct session *session)
{
    const struct npy_header *header = &operand->npy.header;
    int64_t rows = header->fortran ? header->cols : header->rows;
    int64_t cols = header->fortran ? header->rows : header->cols;
    int32_t status =
        isomat_matrix_from_host(&operand->matrix, session->context, operand->npy.data, rows, cols, cols,
                                header->element_bytes == 8 ? ISOMAT_TYPE_F64 : ISOMAT_TYPE_F32, ISOMAT_NONE);
    free(operand->npy.data);
    operand->npy.data = NULL;
    return status == ISOMAT_OK ? STATUS_OK : fail_library();
}

/* C0 is written over, so it must lie as the result does. */
static int make_row_major(struct npy_matrix *npy)
{
    int64_t rows = npy->header.rows, cols = npy->header.cols;
    size_t each = (size_t)npy->header.element_bytes;
    if (!npy->header.fortran)
        return STATUS_OK;
    char *data = malloc((size_t)(rows * cols) * each + 1); /* never 0 bytes */
    if (!data)
        return fail("no memory for %" PRId64 "x%" PRId64 " elements", rows, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            memcpy(data + (size_t)(i * cols + j) * each, (char *)npy->data + (size_t)(j * rows + i) * each,
                   each);
    free(npy->data);
    npy->data = data;
    npy->header.fortran = false;
    return STATUS_OK;
}

static int32_t op_of(const struct operand *operand)
{
    return operand->transpose != operand->npy.header.fortran ? ISOMAT_OP_T : ISOMAT_OP_N;
}

/* Multiplies, and brings the product to *product, to be freed. */
static int compute_product(void **product, const struct request *request, const struct session *session,
                           struct operand *a, struct operand *b, struct operand *c)
{
    int64_t rows = op_rows(a), cols = op_cols(b);
    size_t bytes = (size_t)(rows * cols) * (size_t)a->npy.header.element_bytes;

    if (upload(a, session) || upload(b, session) ||
        (c->path && (make_row_major(&c->npy) || upload(c, session))))
        return STATUS_FAILED;
    if (isomat_gemm(&c->matrix, request->alpha, a->matrix, op_of(a), b->matrix, op_of(b), request->beta,
                    request->compute, ISOMAT_NONE) != ISOMAT_OK)
        return fail_library();
    *product = malloc(bytes ? bytes : 1);
    if (!*product)
        return fail("no memory for %" PRId64 "x%" PRId64 " elements", rows, cols);
    if (isomat_matrix_to_host(*product, cols, c->matrix, ISOMAT_NONE) != ISOMAT_OK)
        return fail_library();
    return STATUS_OK;
}

static int multiply(const struct request *request, struct operand *a, struct operand *b, struct operand *c)
{
    struct session session = {0};
    struct output output = {0};
    void *product = NULL;

    int status = output_open(&output, request->output);
    if (status == STATUS_OK)
        status = session_open(&session, (int32_t)request->device);
    if (status == STATUS_OK)
        status = compute_product(&product, request, &session, a, b, c);
    if (status == STATUS_OK) {
        /* output_commit sees an error */
        npy_write(output.file, product, a->npy.header.element_bytes, op_rows(a), op_cols(b));
        status = output_commit(&output);
    }
    free(product);
    isomat_matrix_destroy(c->matrix);
    isomat_matrix_destroy(b->matrix);
    isomat_matrix_destroy(a->matrix);
    session_close(&session);
    output_discard(&output);
    return status;
}

int cmd_multiply(int argc, char **argv)
{
    struct request request = {.alpha = 1.0, .beta = NAN, .compute = -1};
    bool go;
    int status = parse_request(&request, argc, argv, &go);
    if (!go)
        return status;

    struct operand a = {.path = request.a, .transpose = request.transpose_a};
    struct operand b = {.path = request.b, .transpose = request.transpose_b};
    struct operand c = {.path = request.c0};
    status = read_operand(&a);
    if (status == STATUS_OK)
        status = read_operand(&b);
    if (status == STATUS_OK && c.path)
        status = read_operand(&c);
    if (status == STATUS_OK)
        status = check_types(&request, &a, &b, &c);
    if (status == STATUS_OK)
        status = check_shapes(&a, &b, &c);
    if (status == STATUS_OK)
        status = multiply(&request, &a, &b, &c);
    free(c.npy.data);
    free(b.npy.data);
    free(a.npy.data);
    return status;
}
