/* SPDX-License-Identifier: MIT */
/* run_data.c: the arrays of isomat run: made, brought to the device and back, written, compared. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "run.h"

/* ------------------------------------------------------------------- files */

static int element_bytes(const char *dtype)
{
    const struct element *element = element_by_dtype(dtype);
    return element ? element->bytes : 0;
}

/* Puts an array whose first index varies fastest into C order. */
static bool make_c_order(struct npy_array *array, int each)
{
    const struct npy_array_header *header = &array->header;
    if (!header->fortran || header->dimensions < 2 || header->count == 0)
        return true;
    char *ordered = malloc((size_t)header->count * (size_t)each);
    if (!ordered)
        return false;
    for (int64_t i = 0; i < header->count; i++) {
        int64_t rest = i, at = 0;
        int64_t stride = header->count;
        for (int d = header->dimensions - 1; d >= 0; d--) {
            stride /= header->sizes[d];
            at += rest % header->sizes[d] * stride;
            rest /= header->sizes[d];
        }
        memcpy(ordered + i * each, (char *)array->data + at * each, (size_t)each);
    }
    free(array->data);
    array->data = ordered;
    return true;
}

/* The file's array in C order; its type must be the argument's. */
static int read_array(struct npy_array *array, const struct run_argument *argument, const char *path)
{
    struct npy_error error;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail("%s: %s", path, strerror(errno));
    bool good = npy_read_array(array, file, element_bytes, &error);
    fclose(file);
    if (!good)
        return fail("%s: %s", path, error.text);
    const struct element *element = element_by_dtype(array->header.dtype);
    if (element != argument->element)
        fail("%s has elements of %s, the argument has %s", path, element->name, argument->element->name);
    else if (!make_c_order(array, element->bytes))
        fail("no memory for %s", path);
    else
        return STATUS_OK;
    free(array->data);
    array->data = NULL;
    return STATUS_FAILED;
}

static void print_shape(char *text, size_t capacity, int dimensions, const int64_t *sizes)
{
    size_t used = (size_t)snprintf(text, capacity, "[");
    for (int i = 0; i < dimensions; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, i ? "," : "", sizes[i]);
    snprintf(text + used, capacity - used, "]");
}

/* The shapes must be the same, but for an argument that has none yet. */
static int check_shape(const struct npy_array_header *header, const struct run_argument *argument,
                       const char *path)
{
    char has[24 * NPY_DIMENSIONS], wanted[24 * NPY_DIMENSIONS];
    if (header->dimensions == argument->dimensions &&
        memcmp(header->sizes, argument->sizes, sizeof header->sizes) == 0)
        return STATUS_OK;
    print_shape(has, sizeof has, header->dimensions, header->sizes);
    print_shape(wanted, sizeof wanted, argument->dimensions, argument->sizes);
    return fail("%s has the shape %s, the argument %s", path, has, wanted);
}

static int take_file(struct run_argument *argument)
{
    struct npy_array array;
    if (read_array(&array, argument, argument->file))
        return STATUS_FAILED;
    if (argument->dimensions == 0 && array.header.count > 0) {
        argument->dimensions = array.header.dimensions;
        memcpy(argument->sizes, array.header.sizes, sizeof argument->sizes);
        argument->count = array.header.count;
        argument->bytes = argument->count * argument->element->bytes;
    }
    argument->start = array.data;
    if (array.header.count == 0)
        return fail("%s holds no elements", argument->file);
    return check_shape(&array.header, argument, argument->file);
}

int run_make_start(struct run_argument *argument, int index)
{
    if (!argument->array)
        return STATUS_OK;
    if (argument->fill == FILL_FILE) {
        if (take_file(argument))
            return STATUS_FAILED;
    } else {
        argument->start = calloc((size_t)argument->count, (size_t)argument->element->bytes);
    }
    argument->result = malloc((size_t)argument->bytes);
    if (!argument->start || !argument->result)
        return fail("no memory for argument %d of %" PRId64 " bytes", index, argument->bytes);
    if (argument->fill == FILL_RANDOM)
        element_randomise(argument->element, argument->start, argument->count, (uint64_t)index + 1);
    if (argument->fill == FILL_VALUE)
        element_fill(argument->element, argument->start, argument->count, argument->value);
    return STATUS_OK;
}

/* ------------------------------------------------------------------ device */

/* Asked before the host memory is filled: an array of terabytes is refused at once. */
int run_check_room(const struct run *run)
{
    double bytes = 0.0, room = (double)run->session.device.memory_bytes;
    for (int i = 0; i < run->request->argument_count; i++)
        bytes += (double)run->request->arguments[i].bytes;
    if (bytes <= room)
        return STATUS_OK;
    return fail("the arguments need %.1f GiB, the device has %.1f GiB", bytes * 0x1p-30, room * 0x1p-30);
}

int run_allocate(struct run *run)
{
    struct run_request *request = run->request;
    for (int i = 0; i < request->argument_count; i++) {
        struct run_argument *argument = &request->arguments[i];
        if (argument->array && isomat_memory_allocate(&argument->device, argument->bytes,
                                                      run->session.context, ISOMAT_NONE) != ISOMAT_OK)
            return fail_library();
    }
    return STATUS_OK;
}

void run_free(struct run *run)
{
    for (int i = 0; i < run->request->argument_count; i++) {
        struct run_argument *argument = &run->request->arguments[i];
        if (argument->device)
            isomat_memory_free(argument->device, run->session.context, ISOMAT_NONE);
        free(argument->start);
        free(argument->result);
    }
}

int run_upload(struct run *run)
{
    for (int i = 0; i < run->request->argument_count; i++) {
        struct run_argument *argument = &run->request->arguments[i];
        if (argument->array &&
            isomat_memory_copy_to_device(argument->device, argument->start, argument->bytes,
                                         run->session.context, ISOMAT_NONE) != ISOMAT_OK)
            return fail_library();
    }
    return STATUS_OK;
}

int run_download(struct run *run)
{
    for (int i = 0; i < run->request->argument_count; i++) {
        struct run_argument *argument = &run->request->arguments[i];
        if (argument->array && isomat_memory_copy_to_host(argument->result, argument->device, argument->bytes,
                                                          run->session.context, ISOMAT_NONE) != ISOMAT_OK)
            return fail_library();
    }
    return STATUS_OK;
}

/* ----------------------------------------------------------------- results */

int run_write_outputs(const struct run_request *request)
{
    for (int i = 0; i < request->outputs.count; i++) {
        const struct run_argument *argument = &request->arguments[request->outputs.list[i].argument];
        struct output output;
        if (output_open(&output, request->outputs.list[i].path))
            return STATUS_FAILED;
        npy_write_array(output.file, argument->result, argument->element->dtype, argument->element->bytes,
                        argument->dimensions, argument->sizes); /* output_commit sees an error */
        int status = output_commit(&output);
        output_discard(&output);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static bool is_close(long double got, long double wanted, const struct run_request *request)
{
    if (isnan(got) || isnan(wanted))
        return isnan(got) && isnan(wanted);
    return got == wanted || fabsl(got - wanted) <= request->atol + request->rtol * fabsl(wanted);
}

static int check_one(const struct run_request *request, const struct run_file *file)
{
    const struct run_argument *argument = &request->arguments[file->argument];
    struct npy_array array;
    int64_t wrong = 0, first = 0;
    if (read_array(&array, argument, file->path))
        return STATUS_FAILED;
    int status = check_shape(&array.header, argument, file->path);
    for (int64_t i = 0; i < argument->count && status == STATUS_OK; i++)
        if (!is_close(element_get(argument->element, argument->result, i),
                      element_get(argument->element, array.data, i), request)) {
            first = wrong ? first : i;
            wrong++;
        }
    if (wrong)
        status = fail("argument %d is not %s: %" PRId64 " of %" PRId64
                      " elements differ, the first is number %" PRId64 ": %.9Lg, expected %.9Lg",
                      file->argument, file->path, wrong, argument->count, first,
                      element_get(argument->element, argument->result, first),
                      element_get(argument->element, array.data, first));
    else if (status == STATUS_OK)
        printf("%-11s argument %d is %s, within rtol %g and atol %g\n", "expected", file->argument,
               file->path, request->rtol, request->atol);
    free(array.data);
    return status;
}

int run_check_expected(const struct run_request *request)
{
    int status = STATUS_OK;
    for (int i = 0; i < request->expected.count; i++)
        if (check_one(request, &request->expected.list[i]))
            status = STATUS_FAILED;
    return status;
}

int run_compare_results(long double *difference, bool *same_bits, struct run *run)
{
    *difference = 0;
    *same_bits = true;
    for (int i = 0; i < run->request->argument_count; i++) {
        struct run_argument *argument = &run->request->arguments[i];
        if (!argument->array)
            continue;
        void *other = malloc((size_t)argument->bytes);
        if (!other)
            return fail("no memory for %" PRId64 " bytes", argument->bytes);
        if (isomat_memory_copy_to_host(other, argument->device, argument->bytes, run->session.context,
                                       ISOMAT_NONE) != ISOMAT_OK) {
            free(other);
            return fail_library();
        }
        if (memcmp(other, argument->result, (size_t)argument->bytes) != 0) {
            *same_bits = false;
            for (int64_t j = 0; j < argument->count; j++) {
                long double apart = fabsl(element_get(argument->element, other, j) -
                                          element_get(argument->element, argument->result, j));
                *difference = isnan(apart) ? INFINITY : fmaxl(*difference, apart);
            }
        }
        free(other);
    }
    return STATUS_OK;
}
