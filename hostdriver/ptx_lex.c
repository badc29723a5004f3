/* SPDX-License-Identifier: MIT */
/* ptx_lex.c: characters to words, for the parser only. */
#include "ptx_lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/cuda_abi.h"

void ptx_error(struct ptx_text *text, const char *format, ...)
{
    char what[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    loader_fail(text->loader, CUDA_ERROR_INVALID_PTX, "line %u, column %u: %s", text->line,
                (unsigned)(text->at - text->line_start) + 1, what);
}

void ptx_expected(struct ptx_text *text, const char *what)
{
    char c = ptx_peek(text);

    if (c == 0)
        ptx_error(text, "expected %s, found the end", what);
    ptx_error(text, "expected %s, found '%c'", what, isprint((unsigned char)c) ? c : '?');
}

static void skip_comment(struct ptx_text *text)
{
    text->at += 2;
    while (!(text->at[0] == '*' && text->at[1] == '/')) {
        if (text->at[0] == 0)
            ptx_error(text, "expected */, found the end");
        if (*text->at++ == '\n') {
            text->line++;
            text->line_start = text->at;
        }
    }
    text->at += 2;
}

char ptx_peek(struct ptx_text *text)
{
    for (;;) {
        char c = *text->at;
        if (c == '\n') {
            text->line++;
            text->line_start = ++text->at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            text->at++;
        } else if (c == '/' && text->at[1] == '/') {
            text->at += strcspn(text->at, "\n");
        } else if (c == '/' && text->at[1] == '*') {
            skip_comment(text);
        } else {
            return c;
        }
    }
}

bool ptx_accept(struct ptx_text *text, char c)
{
    if (ptx_peek(text) != c)
        return false;
    text->at++;
    return true;
}

void ptx_expect(struct ptx_text *text, char c)
{
    char what[4] = {'\'', c, '\'', 0};

    if (!ptx_accept(text, c))
        ptx_expected(text, what);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static struct word take(struct ptx_text *text, const char *end, const char *what)
{
    struct word word = {text->at, (size_t)(end - text->at)};

    if (word.length == 0)
        ptx_expected(text, what);
    text->at = end;
    return word;
}

struct word ptx_identifier(struct ptx_text *text)
{
    ptx_peek(text);
    const char *end = text->at;
    while (is_name(*end))
        end++;
    if (*text->at == '%' && *end == '.' && strchr("xyzw", end[1]) != NULL && end[1] != 0 && !is_name(end[2]))
        end += 2;
    return take(text, end, "a name");
}

struct word ptx_directive(struct ptx_text *text)
{
    ptx_expect(text, '.');
    const char *end = text->at;
    while (is_name(*end))
        end++;
    return take(text, end, "a directive");
}

struct word ptx_opcode(struct ptx_text *text)
{
    ptx_peek(text);
    const char *end = text->at;
    while (isalnum((unsigned char)*end) || *end == '_' || *end == '.' || (end[0] == ':' && end[1] == ':') ||
           (end[0] == ':' && end[-1] == ':'))
        end++;
    return take(text, end, "an instruction");
}

static bool hex_bits(struct ptx_text *text, int digits, int64_t *bits)
{
    uint64_t value = 0;

    for (int i = 0; i < digits; i++) {
        char c = text->at[2 + i];
        if (!isxdigit((unsigned char)c))
            return false;
        value = value * 16 + (uint64_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    *bits = (int64_t)value;
    text->at += 2 + digits;
    return true;
}

void ptx_number(struct ptx_text *text, struct ptx_operand *operand)
{
    bool negative = ptx_accept(text, '-');
    const char *at = (ptx_peek(text), text->at);

    if (!isdigit((unsigned char)*at) && *at != '.')
        ptx_expected(text, "a number");
    if (at[0] == '0' && ((at[1] | 32) == 'f' || (at[1] | 32) == 'd')) {
        bool wide = (at[1] | 32) == 'd';
        operand->kind = wide ? OPERAND_F64 : OPERAND_F32;
        if (!hex_bits(text, wide ? 16 : 8, &operand->imm))
            ptx_error(text, "expected %d hexadecimal digits", wide ? 16 : 8);
        if (negative)
            operand->imm ^= wide ? INT64_MIN : (int64_t)0x80000000;
        return;
    }
    size_t digits = strspn(at, "0123456789");
    if (at[digits] == '.' || (at[digits] | 32) == 'e') {
        char *end;
        double value = strtod(at, &end);
        value = negative ? -value : value;
        operand->kind = OPERAND_F64;
        memcpy(&operand->imm, &value, sizeof value);
        text->at = end;
        return;
    }
    char *end;
    bool binary = at[0] == '0' && (at[1] | 32) == 'b';
    uint64_t value = strtoull(binary ? at + 2 : at, &end, binary ? 2 : 0);
    if (*end == 'U')
        end++;
    text->at = end;
    operand->kind = OPERAND_INT;
    operand->imm = (int64_t)(negative ? 0 - value : value);
}

int64_t ptx_integer(struct ptx_text *text)
{
    struct ptx_operand operand = {0};

    ptx_number(text, &operand);
    if (operand.kind != OPERAND_INT)
        ptx_error(text, "expected an integer");
    return operand.imm;
}

void ptx_skip_string(struct ptx_text *text)
{
    ptx_expect(text, '"');
    while (*text->at != '"') {
        if (*text->at == 0 || *text->at == '\n')
            ptx_error(text, "expected '\"'");
        if (text->at[0] == '\\' && text->at[1] != 0)
            text->at++;
        text->at++;
    }
    text->at++;
}

void ptx_skip_until(struct ptx_text *text, char c)
{
    for (char next; (next = ptx_peek(text)) != c; text->at++) {
        if (next == 0)
            ptx_error(text, "expected '%c', found the end", c);
        if (next == '"') {
            ptx_skip_string(text);
            text->at--;
        }
    }
    text->at++;
}

bool word_is(struct word word, const char *literal)
{
    return strlen(literal) == word.length && memcmp(word.text, literal, word.length) == 0;
}
