/* SPDX-License-Identifier: MIT */
/* test_tables.c: every row of the instruction table occurs in a test, and the document lists what there is.
 *
 *   test_tables --print    the lists as docs/HOSTDRIVER.md has them
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../hostdriver/functions.h"

static const char *const patterns[] = {
#define UNARY(name, pattern, D, A, expression) pattern,
#define BINARY(name, pattern, D, A, B, expression) pattern,
#define TERNARY(name, pattern, D, A, B, C, expression) pattern,
#define FUSED TERNARY
#define DIRECTED TERNARY
#define COMPARE(name, pattern, A, expression) pattern,
#define FORM(pattern, function) pattern,
#define MICRO(name)
#include "../../hostdriver/instructions.h"
};

static const char *const functions[] = {
#define X(name, symbol, version, parameters) #symbol,
    API_FUNCTIONS(X)
#undef X
};

static const char *const missing[] = {
#define X(name, symbol, version) #symbol,
    API_UNSUPPORTED(X)
#undef X
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool covered[COUNT(patterns)];

static bool one_of(const char *alternatives, size_t length, const char *part, size_t part_length)
{
    while (length > 0) {
        const char *bar = memchr(alternatives, '|', length);
        size_t n = bar != NULL ? (size_t)(bar - alternatives) : length;
        if (n == part_length && memcmp(alternatives, part, n) == 0)
            return true;
        n += bar != NULL;
        alternatives += n;
        length -= n;
    }
    return false;
}

static bool fits(const char *pattern, const char *opcode)
{
    if (*pattern == 0)
        return *opcode == 0;
    size_t length = strcspn(pattern, "."), part = strcspn(opcode, ".");
    bool optional = pattern[length - 1] == '?';
    const char *rest = pattern + length + (pattern[length] == '.');

    if (*opcode != 0 && one_of(pattern, length - optional, opcode, part) &&
        fits(rest, opcode + part + (opcode[part] == '.')))
        return true;
    return optional && fits(rest, opcode);
}

/* The driver takes the first row that fits. */
static void cover(const char *opcode)
{
    for (size_t i = 0; i < COUNT(patterns); i++)
        if (patterns[i][0] != 0 && fits(patterns[i], opcode)) {
            covered[i] = true;
            return;
        }
}

static char *read_file(const char *name)
{
    const char *folder = getenv("srcdir");
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : ".", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(99);
    }
    fseek(file, 0, SEEK_END);
    size_t bytes = (size_t)ftell(file);
    char *text = calloc(1, bytes + 1);
    rewind(file);
    if (text == NULL || fread(text, 1, bytes, file) != bytes)
        exit(99);
    fclose(file);
    return text;
}

static void cover_file(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:";
    char *text = read_file(name);

    for (char *at = text; *at != 0;) {
        size_t length = strspn(at, more);
        char opcode[128];
        if (length > 0 && length < sizeof opcode && strchr(letters, *at) != NULL) {
            memcpy(opcode, at, length);
            opcode[length] = 0;
            cover(opcode);
        }
        at += length > 0 ? length : 1;
    }
    free(text);
}

static int check_coverage(void)
{
    static const char *const files[] = {"test_ptx.c",  "test_order.c", "instruction_rows.h",
                                        "more_rows.h", "test_forms.c", "cuda_tensor.cu"};
    int failed = 0;

    for (size_t i = 0; i < COUNT(files); i++) {
        char name[128];
        snprintf(name, sizeof name, "tests/hostdriver/%s", files[i]);
        cover_file(name);
    }
    for (size_t i = 0; i < COUNT(patterns); i++)
        if (patterns[i][0] != 0 && !covered[i]) {
            fprintf(stderr, "no test has an instruction of the row %s\n", patterns[i]);
            failed = 1;
        }
    return failed;
}

/* As many in a line as there is room for; 0: one. */
static size_t list(char *out, const char *title, const char *const *names, size_t count, size_t room)
{
    size_t used = (size_t)sprintf(out, "<!-- begin %s -->\n```", title), column = SIZE_MAX / 2;

    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (length == 0)
            continue;
        column += length + 1;
        used += (size_t)sprintf(out + used, "%c%s", column > room ? '\n' : ' ', names[i]);
        if (column > room)
            column = length;
    }
    return used + (size_t)sprintf(out + used, "\n```\n<!-- end %s -->\n", title);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *title;
        const char *const *names;
        size_t count, room;
    } lists[] = {{"instructions", patterns, COUNT(patterns), 0},
                 {"functions", functions, COUNT(functions), 110},
                 {"functions that are not there", missing, COUNT(missing), 110}};
    static char text[1 << 20];
    bool prints = argc > 1 && strcmp(argv[1], "--print") == 0;
    int failed = prints ? 0 : check_coverage();
    char *document = prints ? NULL : read_file("docs/HOSTDRIVER.md");

    for (size_t i = 0; i < COUNT(lists); i++) {
        list(text, lists[i].title, lists[i].names, lists[i].count, lists[i].room);
        if (prints) {
            fputs(text, stdout);
        } else if (strstr(document, text) == NULL) {
            fprintf(stderr, "docs/HOSTDRIVER.md: the list of %s is not that of the source\n", lists[i].title);
            failed = 1;
        }
    }
    free(document);
    return failed;
}
