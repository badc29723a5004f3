/* SPDX-License-Identifier: MIT */
/* ptx_code.c: facts from the instructions of a PTX entry. */
#include "ptx_code.h"

#include <string.h>

#include "neighbours.h"

enum { PRODUCT_SLOTS = 1024, MAX_OPERANDS = 16 };

struct scan {
    struct insp_code *code;
    struct insp_neighbours neighbours;
    uint32_t products[PRODUCT_SLOTS]; /* hashes of the registers that hold a product, as far as they fit */
    bool any_product;
};

struct instruction {
    struct insp_word operation, type;
    struct insp_word operands[MAX_OPERANDS]; /* words and punctuation */
    int count;
};

static uint32_t hash(struct insp_word word)
{
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < word.length; i++)
        value = (value ^ (unsigned char)word.text[i]) * 16777619u;
    return value ? value : 1;
}

static bool base_is(struct insp_word operation, const char *base)
{
    size_t length = strlen(base);
    return operation.length > length && memcmp(operation.text, base, length) == 0 &&
           operation.text[length] == '.';
}

static bool begins(const struct instruction *instruction, const char *base)
{
    return base_is(instruction->operation, base);
}

/* Of the others nothing but their number is wanted. */
static bool is_of_interest(struct insp_word operation, struct insp_word type)
{
    bool real = insp_word_is(type, "f32") || insp_word_is(type, "f64");
    if (base_is(operation, "ld") || base_is(operation, "st"))
        return insp_word_has(operation, "global") || insp_word_has(operation, "local");
    if (!real)
        return false;
    return base_is(operation, "fma") || base_is(operation, "mul") || base_is(operation, "add") ||
           base_is(operation, "sub") || base_is(operation, "mad") || base_is(operation, "cvt");
}

static bool is_rounded(struct insp_word operation)
{
    return insp_word_has(operation, "rn") || insp_word_has(operation, "rz") ||
           insp_word_has(operation, "rm") || insp_word_has(operation, "rp");
}

static void see_arithmetic(struct scan *scan, const struct instruction *instruction)
{
    bool f32 = insp_word_is(instruction->type, "f32"), f64 = insp_word_is(instruction->type, "f64");
    bool fused = begins(instruction, "fma") || begins(instruction, "mad");
    bool product = begins(instruction, "mul"), sum = begins(instruction, "add") || begins(instruction, "sub");
    bool fixed = scan->any_product || is_rounded(instruction->operation);
    uint32_t result = instruction->count ? hash(instruction->operands[0]) : 0;
    if (f32 && sum && fixed)
        for (int i = 1; i < instruction->count; i++) {
            uint32_t operand = hash(instruction->operands[i]);
            if (scan->products[operand % PRODUCT_SLOTS] == operand) {
                scan->code->mul_add32++;
                break;
            }
        }
    if (fused || product || sum) {
        scan->code->f32 += f32;
        scan->code->f64 += f64;
        scan->code->fma32 += f32 && fused;
    }
    uint32_t *slot = &scan->products[result % PRODUCT_SLOTS];
    if (f32 && product && fixed)
        *slot = result;
    else if (*slot == result)
        *slot = 0;
}

/* Where [register+number] stands among the operands; false if none does. */
static bool find_address(const struct instruction *instruction, uint32_t *base, int32_t *offset)
{
    for (int i = 0; i + 1 < instruction->count; i++) {
        if (!insp_word_is(instruction->operands[i], "["))
            continue;
        *base = hash(instruction->operands[i + 1]);
        *offset = 0;
        if (i + 3 < instruction->count && insp_word_is(instruction->operands[i + 2], "+")) {
            bool negative = insp_word_is(instruction->operands[i + 3], "-");
            int at = i + 3 + negative;
            uint32_t number = at < instruction->count ? insp_word_number(instruction->operands[at]) : 0;
            *offset = negative ? -(int32_t)number : (int32_t)number;
        }
        return true;
    }
    return false;
}

static void see_access(struct scan *scan, const struct instruction *instruction)
{
    struct insp_word operation = instruction->operation;
    uint32_t base;
    int32_t offset;
    if (insp_word_has(operation, "local"))
        scan->code->local++;
    if (!insp_word_has(operation, "global"))
        return;
    bool wide =
        insp_word_has(operation, "v2") || insp_word_has(operation, "v4") || insp_word_has(operation, "v8");
    bool bits64 = instruction->type.length == 3 && memcmp(instruction->type.text + 1, "64", 2) == 0;
    bool bits32 = instruction->type.length == 3 && memcmp(instruction->type.text + 1, "32", 2) == 0;
    scan->code->global++;
    scan->code->global_vector += wide || bits64;
    if (!wide && bits32 && find_address(instruction, &base, &offset))
        insp_see_access(&scan->neighbours, scan->code, base ^ (begins(instruction, "st") ? 1 : 0), offset);
}

static void see(struct scan *scan, const struct instruction *instruction)
{
    if (begins(instruction, "ld") || begins(instruction, "st"))
        see_access(scan, instruction);
    if (begins(instruction, "cvt")) {
        scan->code->widen +=
            insp_word_has(instruction->operation, "f64") && insp_word_is(instruction->type, "f32");
        scan->code->narrow +=
            insp_word_has(instruction->operation, "f32") && insp_word_is(instruction->type, "f64");
    }
    see_arithmetic(scan, instruction);
    scan->code->instructions++;
}

/* Reads the operands up to the semicolon; false at the end of the text. */
static bool read_operands(struct instruction *instruction, struct insp_words *words)
{
    for (;;) {
        struct insp_word word = insp_next_word(words);
        if (word.length == 0 && !word.quoted)
            return false;
        if (insp_word_is(word, ";"))
            return true;
        if (instruction->count < MAX_OPERANDS)
            instruction->operands[instruction->count++] = word;
    }
}

/* Quicker than word by word; a semicolon in a comment costs no more than a wrong count. */
static void skip_statement(struct insp_words *words)
{
    const char *end = memchr(words->at, ';', (size_t)(words->end - words->at));
    words->at = end ? end + 1 : words->end;
}

void insp_ptx_code(struct insp_code *code, bool *lineinfo, struct insp_words *words, bool any_product)
{
    struct scan scan = {.code = code, .any_product = any_product};
    struct instruction instruction;
    for (int depth = 1; depth > 0;) {
        struct insp_word word = insp_next_word(words);
        if (word.length == 0 && !word.quoted)
            return;
        if (insp_word_is(word, "{")) {
            depth++;
        } else if (insp_word_is(word, "}")) {
            depth--;
        } else if (insp_word_is(word, ".loc") || insp_word_is(word, ".file")) {
            *lineinfo = true;
            insp_skip_line(words);
        } else if (insp_word_is(word, "@")) { /* a predicate, which may be negated */
            if (insp_word_is(insp_next_word(words), "!"))
                insp_next_word(words);
        } else if (words->at < words->end && *words->at == ':') { /* a label */
            words->at++;
        } else if (*word.text != '.' && !insp_word_is(word, ";") &&
                   !is_of_interest(word, insp_word_last(word))) {
            code->instructions++;
            skip_statement(words);
        } else if (!insp_word_is(word, ";")) {
            instruction.operation = word;
            instruction.type = insp_word_last(word);
            instruction.count = 0;
            if (!read_operands(&instruction, words))
                return;
            if (*word.text != '.')
                see(&scan, &instruction);
        }
    }
}
