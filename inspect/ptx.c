/* SPDX-License-Identifier: MIT */
/* ptx.c: the text that the driver compiles: its directives and entries. */
#include "ptx.h"

#include <stdlib.h>

#include "ptx_code.h"
#include "ptx_words.h"

enum { MAX_PARAMETERS = 4096 };

static struct insp_words begin(struct insp_span text)
{
    const char *start = text.size ? (const char *)text.bytes : "";
    const char *end = memchr(start, 0, text.size);
    return (struct insp_words){start, end ? end : start + text.size};
}

bool insp_ptx_is(struct insp_span text)
{
    struct insp_words words = begin(text);
    return text.size > 0 && insp_word_is(insp_next_word(&words), ".version");
}

/* Up to three numbers between commas. */
static void read_numbers(uint32_t numbers[3], struct insp_words *words)
{
    for (int i = 0; i < 3; i++)
        numbers[i] = 1;
    for (int i = 0; i < 3; i++) {
        numbers[i] = insp_word_number(insp_next_word(words));
        if (!insp_word_is(insp_peek_word(*words), ","))
            return;
        insp_next_word(words);
    }
}

static void read_target(struct insp_image *image, struct insp_words *words)
{
    struct insp_word word = insp_next_word(words);
    if (word.length > 3 && memcmp(word.text, "sm_", 3) == 0) {
        struct insp_word number = {word.text + 3, word.length - 3, false};
        char last = word.text[word.length - 1];
        image->arch = (int32_t)insp_word_number(number);
        image->suffix = last == 'a' || last == 'f' ? last : 0;
    }
    while (insp_word_is(insp_peek_word(*words), ",")) {
        insp_next_word(words);
        if (insp_word_is(insp_next_word(words), "debug"))
            image->debug |= INSP_DEBUG_TARGET;
    }
}

static uint32_t type_bytes(struct insp_word word)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } types[] = {
        {".b8", 1},    {".u8", 1},     {".s8", 1},         {".b16", 2},     {".u16", 2},  {".s16", 2},
        {".f16", 2},   {".b32", 4},    {".u32", 4},        {".s32", 4},     {".f32", 4},  {".b64", 8},
        {".u64", 8},   {".s64", 8},    {".f64", 8},        {".f16x2", 4},   {".bf16", 2}, {".bf16x2", 4},
        {".b128", 16}, {".texref", 8}, {".samplerref", 8}, {".surfref", 8},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (insp_word_is(word, types[i].name))
            return types[i].bytes;
    return 0;
}

/* One parameter, up to the comma or parenthesis, which is returned. */
static struct insp_word read_parameter(struct insp_parameter *parameter, uint32_t *align,
                                       struct insp_words *words)
{
    uint64_t bytes = 0, count = 1;
    bool pointer = false;
    *align = 0;
    for (;;) {
        struct insp_word word = insp_next_word(words);
        if ((word.length == 0 && !word.quoted) || insp_word_is(word, ",") || insp_word_is(word, ")")) {
            bytes *= count;
            parameter->bytes = bytes > UINT16_MAX ? UINT16_MAX : (uint32_t)bytes;
            return word;
        }
        if (insp_word_is(word, ".ptr"))
            pointer = true;
        else if (insp_word_is(word, ".align") && !pointer)
            *align = insp_word_number(insp_next_word(words));
        else if (insp_word_is(word, "["))
            count = insp_word_number(insp_next_word(words));
        else if (type_bytes(word))
            bytes = type_bytes(word);
    }
}

static void read_parameters(struct insp_reader *reader, struct insp_kernel *kernel, struct insp_words *words)
{
    struct insp_parameter *list = NULL, one;
    uint32_t count = 0, align;
    uint64_t offset = 0;
    struct insp_word stop;
    kernel->parameter_bytes = 0;
    do {
        stop = read_parameter(&one, &align, words);
        if (one.bytes == 0)
            continue; /* an empty list */
        if (align == 0 || align > 256 || (align & (align - 1)))
            align = one.bytes <= 16 && !(one.bytes & (one.bytes - 1)) ? one.bytes : 1;
        offset = (offset + align - 1) & ~((uint64_t)align - 1);
        one.offset = (uint32_t)offset;
        offset += one.bytes;
        struct insp_parameter *grown = insp_grow(&reader->report->arena, list, count, sizeof *list);
        if (!grown)
            break;
        list = grown;
        list[count++] = one;
    } while (insp_word_is(stop, ",") && count < MAX_PARAMETERS);
    kernel->parameters = count ? insp_arena_get(&reader->report->arena, count * sizeof *list) : NULL;
    if (kernel->parameters) {
        memcpy(kernel->parameters, list, count * sizeof *list);
        kernel->parameter_count = count;
        kernel->parameter_bytes = (int64_t)offset;
    }
    free(list);
}

/* The performance directives between the parameters and the body; false for a mere declaration. */
static bool read_entry_directives(struct insp_kernel *kernel, struct insp_words *words)
{
    for (;;) {
        struct insp_word word = insp_next_word(words);
        if ((word.length == 0 && !word.quoted) || insp_word_is(word, ";"))
            return false;
        if (insp_word_is(word, "{"))
            return true;
        if (insp_word_is(word, ".maxntid"))
            read_numbers(kernel->max_threads, words);
        else if (insp_word_is(word, ".reqntid"))
            read_numbers(kernel->required_threads, words);
        else if (insp_word_is(word, ".reqnctapercluster"))
            read_numbers(kernel->cluster, words);
        else if (insp_word_is(word, ".maxnreg"))
            kernel->max_registers = (int32_t)insp_word_number(insp_next_word(words));
        else if (insp_word_is(word, ".pragma"))
            while (word.length && !insp_word_is(word, ";"))
                word = insp_next_word(words);
    }
}

static bool read_entry(struct insp_reader *reader, struct insp_image *image, struct insp_words *words)
{
    struct insp_word name = insp_next_word(words);
    struct insp_kernel *kernel = insp_add_kernel(reader);
    if (!kernel)
        return false;
    kernel->name = insp_arena_copy(&reader->report->arena, name.text, name.length);
    if (insp_word_is(insp_peek_word(*words), "(")) {
        insp_next_word(words);
        read_parameters(reader, kernel, words);
    }
    if (!read_entry_directives(kernel, words)) {
        reader->report->kernel_count--; /* declared here, defined below */
        image->kernel_count--;
        return true;
    }
    const char *body = words->at;
    insp_ptx_code(&kernel->code, &image->lineinfo, words, image->debug != 0);
    kernel->code_bytes = words->at - body;
    return true;
}

static void skip_function(struct insp_words *words)
{
    for (;;) {
        struct insp_word word = insp_next_word(words);
        if ((word.length == 0 && !word.quoted) || insp_word_is(word, ";"))
            return;
        if (insp_word_is(word, "{")) {
            insp_skip_block(words);
            return;
        }
    }
}

const char *insp_ptx_read(struct insp_reader *reader, struct insp_image *image, struct insp_span text)
{
    struct insp_words words = begin(text);
    for (;;) {
        struct insp_word word = insp_next_word(&words);
        if (word.length == 0 && !word.quoted)
            break;
        if (insp_word_is(word, ".version")) {
            struct insp_word number = insp_next_word(&words);
            image->ptx_version = (int32_t)(insp_word_number(number) % 1000 * 10 +
                                           insp_word_number(insp_word_last(number)) % 10);
        } else if (insp_word_is(word, ".target")) {
            read_target(image, &words);
        } else if (insp_word_is(word, ".entry")) {
            if (!read_entry(reader, image, &words))
                return "no memory for the entries of PTX";
        } else if (insp_word_is(word, ".func")) {
            skip_function(&words);
        } else if (insp_word_is(word, ".file")) {
            insp_next_word(&words);
            struct insp_word name = insp_next_word(&words);
            if (name.quoted && !image->source)
                image->source = insp_arena_copy(&reader->report->arena, name.text, name.length);
        } else if (insp_word_is(word, "{")) {
            insp_skip_block(&words);
        }
    }
    if (image->ptx_version == 0 || image->arch == 0)
        return "PTX without a valid .version and .target";
    return NULL;
}
