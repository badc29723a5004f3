/* SPDX-License-Identifier: MIT */
/* tuning_file.c: tuning tables as text: which file, reading it, and the text of a table.
 *
 *     isomat-tuning 1
 *     library 0.1.0
 *     device 9.0 132 NVIDIA H200
 *     # m n k ops compute kernel parts
 *     4096 4096 4096 nt f32-strict isomat_gemm_f32_nt_128x128x16 1
 *     end 1
 *
 * A file is taken whole or not at all: one word that is not as it should be, and all of it is ignored. */
#include "tuning.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gemm_16.h"
#include "gemm_problem.h"
#include "tuning_file.h"

#define MOST_ENTRIES 65536
#define MOST_BYTES (MOST_ENTRIES * 128)
#define FIRST_LINE "isomat-tuning 1"
#define TO_TEXT(x) #x
#define VERSION_TEXT(major, minor, patch) TO_TEXT(major) "." TO_TEXT(minor) "." TO_TEXT(patch)
#define LIBRARY_LINE "library " VERSION_TEXT(ISOMAT_VERSION_MAJOR, ISOMAT_VERSION_MINOR, ISOMAT_VERSION_PATCH)

/* By their numbers. */
static const char *const compute_names[] = {"f32", "f32-strict", "tf32", "f16", "bf16", "f64"};
static const char *const ops_names[] = {"nn", "nt", "tn", "tt"};

static int index_of(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

/* ------------------------------------------------------------------ reading */

/* Says why the file is ignored; what it quotes of the file may be anything. */
static void __attribute__((format(printf, 2, 3))) refuse(struct im_tuning *tuning, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tuning->reason, sizeof tuning->reason, format, arguments);
    va_end(arguments);
    for (char *c = tuning->reason; *c; c++)
        if (!isascii((unsigned char)*c) || iscntrl((unsigned char)*c))
            *c = '?';
    tuning->state = ISOMAT_TUNING_IGNORED;
}

struct text {
    char *rest;
    int line;
};

/* The next line without its end, or NULL if none ends. */
static char *next_line(struct text *text)
{
    char *line = text->rest, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    text->rest = end + 1;
    text->line++;
    return line;
}

static bool read_number(int64_t *number, const char *word, int64_t least, int64_t most)
{
    *number = 0;
    for (const char *c = word; *c; c++) {
        if (*c < '0' || *c > '9' || *number > most)
            return false;
        *number = *number * 10 + (*c - '0');
    }
    return *word && *number >= least && *number <= most;
}

bool im_tuning_kernel(enum im_kernel_id *id, const char *name)
{
    for (int i = 0; i < IM_KERNEL_COUNT; i++)
        if (strcmp(name, im_kernels[i].name) == 0) {
            *id = (enum im_kernel_id)i;
            return true;
        }
    return false;
}

enum { M, N, K, OPS, COMPUTE, KERNEL, PARTS, WORDS };

static bool read_entry(struct im_tuning *tuning, char *line, int number, const struct im_context *context)
{
    char *words[WORDS], *rest = NULL;
    int64_t m, n, k, parts;
    struct im_choice choice;
    for (int i = 0; i < WORDS; i++)
        if (!(words[i] = strtok_r(i == 0 ? line : NULL, " ", &rest))) {
            refuse(tuning, "line %d: %d words where %d belong", number, i, WORDS);
            return false;
        }
    int ops = index_of(words[OPS], ops_names, 4);
    int compute = index_of(words[COMPUTE], compute_names, sizeof compute_names / sizeof *compute_names);
    if (strtok_r(NULL, " ", &rest) || ops < 0 || compute < 0 ||
        !read_number(&m, words[M], 1, ISOMAT_EXTENT_MAX) ||
        !read_number(&n, words[N], 1, ISOMAT_EXTENT_MAX) ||
        !read_number(&k, words[K], 1, ISOMAT_EXTENT_MAX) ||
        !read_number(&parts, words[PARTS], 1, ISOMAT_PARTS_MAX)) {
        refuse(tuning, "line %d: not \"m n k ops compute kernel parts\"", number);
        return false;
    }
    if (!im_tuning_kernel(&choice.id, words[KERNEL])) {
        refuse(tuning, "line %d: this library has no kernel %.100s", number, words[KERNEL]);
        return false;
    }
    choice.parts = (int32_t)parts;
    struct im_gemm_problem problem = im_gemm_problem_of(m, n, k, ops / 2, ops % 2, compute, context);
    if (!im_select_is_candidate(&choice, &problem, compute, im_gemm_16_possible(context))) {
        refuse(tuning, "line %d: %s in %d parts does not do this product on this device", number,
               im_kernels[choice.id].name, choice.parts);
        return false;
    }
    if (!im_tuning_set(tuning, &problem, compute, &choice)) {
        refuse(tuning, "no host memory left for it");
        return false;
    }
    return true;
}

static bool read_head(struct im_tuning *tuning, struct text *text, const struct im_context *context)
{
    char device_line[IM_DEVICE_LINE_BYTES];
    const char *line = next_line(text);
    if (!line || strcmp(line, FIRST_LINE) != 0) {
        refuse(tuning, "line 1 is not \"" FIRST_LINE "\": no tuning file, or of another format");
        return false;
    }
    line = next_line(text);
    if (!line || strcmp(line, LIBRARY_LINE) != 0) {
        refuse(tuning, "made by \"%.60s\", this is \"" LIBRARY_LINE "\"", line ? line : "");
        return false;
    }
    line = next_line(text);
    im_tuning_device_line(device_line, context);
    if (!line || strcmp(line, device_line) != 0) {
        refuse(tuning, "made on \"%.150s\", this is \"%.150s\"", line ? line : "", device_line);
        return false;
    }
    return true;
}

/* All of the file's text; false if it is ignored. */
static bool read_text(struct im_tuning *tuning, char *bytes, const struct im_context *context)
{
    struct text text = {.rest = bytes};
    int64_t entries = 0, told;
    char *line;
    if (!read_head(tuning, &text, context))
        return false;
    while ((line = next_line(&text)) && strncmp(line, "end ", 4) != 0) {
        if (*line == '#' || *line == '\0')
            continue;
        if (++entries > MOST_ENTRIES) {
            refuse(tuning, "more than %d entries", MOST_ENTRIES);
            return false;
        }
        if (!read_entry(tuning, line, text.line, context))
            return false;
    }
    if (!line || *text.rest || !read_number(&told, line + 4, 0, MOST_ENTRIES) || told != entries) {
        refuse(tuning, "it does not end with \"end %lld\": cut off, or changed by hand", (long long)entries);
        return false;
    }
    return true;
}

/* The file's bytes with a zero behind them, to be freed; NULL if it is ignored. */
static char *read_bytes(struct im_tuning *tuning, int file)
{
    struct stat properties = {0};
    size_t size = 0;
    ssize_t got = 1;
    if (fstat(file, &properties) != 0 || !S_ISREG(properties.st_mode)) {
        refuse(tuning, "it is not a file");
        return NULL;
    }
    if (properties.st_size > MOST_BYTES) {
        refuse(tuning, "it has more than %d bytes", MOST_BYTES);
        return NULL;
    }
    char *bytes = malloc((size_t)properties.st_size + 1);
    if (!bytes) {
        refuse(tuning, "no host memory left for it");
        return NULL;
    }
    while (got > 0 && size < (size_t)properties.st_size) {
        got = read(file, bytes + size, (size_t)properties.st_size - size);
        size += got > 0 ? (size_t)got : 0;
    }
    bytes[size] = '\0';
    if (got < 0)
        refuse(tuning, "it cannot be read: %s", strerror(errno));
    else if (strlen(bytes) != size)
        refuse(tuning, "it holds a zero byte: no text");
    else
        return bytes;
    free(bytes);
    return NULL;
}

/* ------------------------------------------------------------- which file */

/* The device's name, "" if the driver does not tell. */
static void read_name(char *name, int capacity, const struct im_context *context)
{
    if (im_cu.cuDeviceGetName(name, capacity, context->device) != CUDA_SUCCESS)
        name[0] = '\0';
    name[capacity - 1] = '\0';
}

void im_tuning_device_line(char line[IM_DEVICE_LINE_BYTES], const struct im_context *context)
{
    char name[256];
    read_name(name, sizeof name, context);
    snprintf(line, IM_DEVICE_LINE_BYTES, "device %d.%d %d %s", context->limits.capability / 10,
             context->limits.capability % 10, context->limits.multiprocessors, name);
}

/* tuning-NAME.txt in the user's folder of settings, with a hyphen for what is no letter or digit. */
static int write_default_path(char *path, size_t capacity, const struct im_context *context)
{
    const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    const char *between = "";
    char name[256];
    if (!config || *config != '/') { /* as the XDG base directory specification has it */
        config = home;
        between = "/.config";
    }
    if (!config || *config != '/')
        return 0;
    read_name(name, sizeof name, context);
    for (char *c = name; *c; c++)
        if (!isascii((unsigned char)*c) || !isalnum((unsigned char)*c))
            *c = '-';
    return snprintf(path, capacity, "%s%s/isomat/tuning-%s.txt", config, between, name);
}

void im_tuning_read_file(struct im_tuning *tuning, const struct im_context *context)
{
    const char *given = secure_getenv("ISOMAT_TUNING");
    int length = given ? snprintf(tuning->path, sizeof tuning->path, "%s", given)
                       : write_default_path(tuning->path, sizeof tuning->path, context);
    if (length <= 0)
        return;
    if (length >= (int)sizeof tuning->path) {
        refuse(tuning, "its path is longer than %zu bytes", sizeof tuning->path - 1);
        return;
    }
    int file = open(tuning->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        if (given || (errno != ENOENT && errno != ENOTDIR))
            refuse(tuning, "it cannot be opened: %s", strerror(errno));
        return;
    }
    char *bytes = read_bytes(tuning, file);
    close(file);
    if (!bytes)
        return;
    if (read_text(tuning, bytes, context))
        tuning->state = ISOMAT_TUNING_USED;
    else
        im_tuning_clear(tuning);
    free(bytes);
}

/* ------------------------------------------------------------------ writing */

static int compare(const void *left, const void *right)
{
    const struct im_tuning_entry *a = *(const struct im_tuning_entry *const *)left;
    const struct im_tuning_entry *b = *(const struct im_tuning_entry *const *)right;
    const int64_t keys[][2] = {
        {a->m, b->m},       {a->n, b->n},       {a->k, b->k},
        {a->op_a, b->op_a}, {a->op_b, b->op_b}, {a->compute, b->compute},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static void write_entries(FILE *file, const struct im_tuning_entry **entries, int64_t count)
{
    int64_t written = 0;
    qsort(entries, (size_t)count, sizeof *entries, compare);
    for (int64_t i = 0; i < count; i++) {
        uint32_t code = entries[i]->choice;
        if (!code)
            continue;
        struct im_choice choice = im_tuning_decode(code);
        fprintf(file, "%lld %lld %lld %s %s %s %d\n", (long long)entries[i]->m, (long long)entries[i]->n,
                (long long)entries[i]->k, ops_names[2 * entries[i]->op_a + entries[i]->op_b],
                compute_names[entries[i]->compute], im_kernels[choice.id].name, choice.parts);
        written++;
    }
    fprintf(file, "end %lld\n", (long long)written);
}

static const struct im_tuning_entry **collect(int64_t *count, struct im_tuning *tuning)
{
    const struct im_tuning_entry **entries = NULL;
    for (int pass = 0; pass < 2; pass++) { /* counts, then writes */
        *count = 0;
        for (size_t i = 0; i < IM_TUNING_BUCKETS; i++)
            for (const struct im_tuning_entry *each = tuning->buckets[i]; each; each = each->next) {
                if (entries)
                    entries[*count] = each;
                ++*count;
            }
        if (!entries)
            entries = calloc((size_t)*count + 1, sizeof *entries);
        if (!entries)
            return NULL;
    }
    return entries;
}

char *im_tuning_text(struct im_tuning *tuning, const struct im_context *context)
{
    char device_line[IM_DEVICE_LINE_BYTES], *text = NULL;
    size_t size;
    int64_t count;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    pthread_mutex_lock(&tuning->lock);
    const struct im_tuning_entry **entries = collect(&count, tuning);
    im_tuning_device_line(device_line, context);
    fprintf(file, FIRST_LINE "\n" LIBRARY_LINE "\n%s\n# m n k ops compute kernel parts\n", device_line);
    if (entries)
        write_entries(file, entries, count);
    pthread_mutex_unlock(&tuning->lock);
    free(entries);
    if (fclose(file) == 0 && entries)
        return text;
    free(text);
    return NULL;
}
