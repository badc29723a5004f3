/* SPDX-License-Identifier: MIT */
/* ptx_lex.h: characters to words, for the parser only. */
#ifndef HOSTDRIVER_PTX_LEX_H
#define HOSTDRIVER_PTX_LEX_H

#include "ptx.h"

struct ptx_text {
    struct loader *loader;
    const char *at, *line_start;
    uint32_t line;
};

struct word {
    const char *text;
    size_t length;
};

/* Skips blanks and comments and returns the next character, 0 at the end. */
char ptx_peek(struct ptx_text *text);
bool ptx_accept(struct ptx_text *text, char c);
void ptx_expect(struct ptx_text *text, char c);
_Noreturn void ptx_expected(struct ptx_text *text, const char *what);
_Noreturn void ptx_error(struct ptx_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An identifier: letters, digits, _ $ %; a %name may end in .x .y .z .w. */
struct word ptx_identifier(struct ptx_text *text);
/* A directive without its dot. */
struct word ptx_directive(struct ptx_text *text);
/* Mnemonic and modifiers: ld.global.L1::no_allocate.v4.f32 */
struct word ptx_opcode(struct ptx_text *text);
/* INT, F32 or F64 into operand. */
void ptx_number(struct ptx_text *text, struct ptx_operand *operand);
int64_t ptx_integer(struct ptx_text *text);
void ptx_skip_string(struct ptx_text *text);
void ptx_skip_until(struct ptx_text *text, char c);
bool word_is(struct word word, const char *literal);

#endif
