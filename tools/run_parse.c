/* SPDX-License-Identifier: MIT */
/* run_parse.c: the options of isomat run. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "message.h"
#include "options.h"
#include "run.h"

/* ------------------------------------------------------------- one option */

/* X, X,Y or X,Y,Z; what is left out is 1. */
const char *run_parse_size(void *target, const char *text)
{
    uint32_t *sizes = target;
    char copy[64];
    if (strlen(text) >= sizeof copy)
        return "not one to three whole numbers above 0";
    strcpy(copy, text);
    char *at = copy;
    for (int i = 0; i < 3; i++) {
        int64_t number = 1;
        char *word = strsep(&at, ",");
        if (word && !parse_integer(&number, word, 1, INT32_MAX))
            return "not one to three whole numbers above 0";
        sizes[i] = (uint32_t)number;
    }
    return at ? "more than three numbers" : NULL;
}

/* The sizes between brackets; none is one for the file to say. */
static const char *parse_shape(struct run_argument *argument, const char **text)
{
    const char *at = *text + 1;
    argument->array = true;
    if (*at == ']') {
        *text = at + 1;
        return NULL;
    }
    argument->count = 1;
    for (;; at++) {
        char *end;
        int64_t size = isdigit((unsigned char)*at) ? strtoll(at, &end, 10) : 0;
        if (size < 1)
            return "a size of the array is no whole number above 0";
        if (argument->dimensions == NPY_DIMENSIONS)
            return "an array has at most 8 dimensions";
        if (__builtin_mul_overflow(argument->count, size, &argument->count))
            return "the array is too large";
        argument->sizes[argument->dimensions++] = size;
        at = end;
        if (*at == ']')
            break;
        if (*at != ',')
            return "the sizes of the array are not closed by ]";
    }
    *text = at + 1;
    if (__builtin_mul_overflow(argument->count, argument->element->bytes, &argument->bytes))
        return "the array is too large";
    return NULL;
}

static const char *parse_fill(struct run_argument *argument, const char *text)
{
    if (argument->array && strncmp(text, "file=", 5) == 0) {
        argument->fill = FILL_FILE;
        argument->file = text + 5;
        return NULL;
    }
    if (argument->array && argument->dimensions == 0)
        return "an array without sizes needs :file=FILE";
    if (argument->array && strcmp(text, "random") == 0) {
        argument->fill = FILL_RANDOM;
        return NULL;
    }
    if (argument->array && strcmp(text, "zeros") == 0) {
        argument->fill = FILL_ZEROS;
        return NULL;
    }
    argument->fill = FILL_VALUE;
    const char *wrong = element_parse(argument->value, argument->element, text);
    return wrong && argument->array && isalpha((unsigned char)*text)
               ? "an array begins as random, zeros, file=FILE or a number"
               : wrong;
}

/* TYPE:VALUE or TYPE[SIZES]:FILL */
const char *run_parse_argument(void *target, const char *text)
{
    struct run_request *request = target;
    struct run_argument argument = {0};
    const char *wrong = NULL;
    if (request->argument_count == RUN_MAX_ARGUMENTS)
        return "more than 64 arguments";
    size_t length = strcspn(text, "[:");
    argument.element = element_by_name(text, length);
    if (!argument.element)
        return "the type is none of " ELEMENT_NAMES;
    const char *at = text + length;
    if (*at == '[')
        wrong = parse_shape(&argument, &at);
    if (!wrong && *at != ':')
        wrong = "the type is not followed by : and a value";
    if (!wrong)
        wrong = parse_fill(&argument, at + 1);
    if (!wrong)
        request->arguments[request->argument_count++] = argument;
    return wrong;
}

/* N=FILE, or FILE */
const char *run_parse_file(void *target, const char *text)
{
    struct run_files *files = target;
    struct run_file file = {-1, text};
    const char *equals = text + strspn(text, "0123456789");
    if (files->count == RUN_MAX_ARGUMENTS)
        return "more than 64 files";
    if (*equals == '=' && equals > text) {
        file.argument = equals - text < 4 ? atoi(text) : RUN_MAX_ARGUMENTS;
        file.path = equals + 1;
    }
    if (!*file.path)
        return "the file has no name";
    files->list[files->count++] = file;
    return NULL;
}

/* ---------------------------------------------------------- all together */

/* The array that a file is for where none is named: the only one, or else the only one that is
 * an output. */
static int default_array(const struct run_request *request)
{
    int found = -1, arrays = 0;
    for (int i = 0; i < request->argument_count; i++)
        if (request->arguments[i].array) {
            found = i;
            arrays++;
        }
    if (arrays != 1)
        found = request->outputs.count == 1 ? request->outputs.list[0].argument : -1;
    return found;
}

static int check_files(struct run_request *request, struct run_files *files, const char *option)
{
    for (int i = 0; i < files->count; i++) {
        struct run_file *file = &files->list[i];
        if (file->argument < 0)
            file->argument = default_array(request);
        if (file->argument < 0)
            return fail_usage("run", "--%s %s: several arguments are arrays, say which: N=FILE", option,
                              file->path);
        if (file->argument >= request->argument_count)
            return fail_usage("run", "--%s %s: there is no argument %d, they are counted from 0", option,
                              file->path, file->argument);
        if (!request->arguments[file->argument].array)
            return fail_usage("run", "--%s %s: argument %d is no array", option, file->path, file->argument);
    }
    return STATUS_OK;
}

static bool find_name(double *value, void *payload, const char *name, size_t length)
{
    const struct run_request *request = payload;
    double blocks = (double)request->grid[0] * request->grid[1] * request->grid[2];
    double threads = (double)request->block[0] * request->block[1] * request->block[2];
    if (length == 6 && memcmp(name, "blocks", 6) == 0) {
        *value = blocks;
        return true;
    }
    if (length == 7 && memcmp(name, "threads", 7) == 0) {
        *value = blocks * threads;
        return true;
    }
    if (length < 4 || length > 5 || memcmp(name, "arg", 3) != 0 || !isdigit((unsigned char)name[3]))
        return false;
    int index = atoi(name + 3);
    if (index >= request->argument_count || request->arguments[index].array)
        return false;
    const struct run_argument *argument = &request->arguments[index];
    *value = (double)element_get(argument->element, argument->value, 0);
    return true;
}

static int evaluate(double *value, struct run_request *request, const char *text, const char *option)
{
    if (!text)
        return STATUS_OK;
    const char *wrong = expression_evaluate(value, text, find_name, request);
    if (!wrong && *value <= 0)
        wrong = "not above 0";
    return wrong ? fail_usage("run", "--%s %s: %s", option, text, wrong) : STATUS_OK;
}

int run_check_request(struct run_request *request)
{
    if (!request->grid[0] || !request->block[0])
        return fail_usage("run", "--%s is missing", request->grid[0] ? "block" : "grid");
    int status = check_files(request, &request->outputs, "output");
    if (status == STATUS_OK)
        status = check_files(request, &request->expected, "expect");
    if (status == STATUS_OK && (request->rtol < 0 || request->atol < 0))
        status = fail_usage("run", "--rtol and --atol are not below 0");
    if (status == STATUS_OK && request->repeat == 0 &&
        (request->flops_text || request->bytes_text || request->paths[1]))
        status = fail_usage("run", "--repeat 0 measures nothing: no --flops, --bytes or --compare with it");
    if (status == STATUS_OK)
        status = evaluate(&request->flops, request, request->flops_text, "flops");
    if (status == STATUS_OK)
        status = evaluate(&request->bytes, request, request->bytes_text, "bytes");
    return status;
}
