/* SPDX-License-Identifier: MIT */
/* ptx_words.h: PTX cut into words. */
#ifndef ISOMAT_INSPECT_PTX_WORDS_H
#define ISOMAT_INSPECT_PTX_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word, a string in quotes without them, or one character of punctuation; length 0 at the end. */
struct insp_word {
    const char *text;
    size_t length;
    bool quoted;
};

struct insp_words {
    const char *at, *end;
};

struct insp_word insp_next_word(struct insp_words *words);
struct insp_word insp_peek_word(struct insp_words words);

bool insp_word_is(struct insp_word word, const char *text);

/* Whether one of the parts between dots is that: part "f32" of add.f32. */
bool insp_word_has(struct insp_word word, const char *part);

/* The last part, after the last dot. */
struct insp_word insp_word_last(struct insp_word word);

/* A decimal number; 0 if it is none, the largest if it is larger. */
uint32_t insp_word_number(struct insp_word word);

/* Moves on behind the } that closes what is open, or to the end. */
void insp_skip_block(struct insp_words *words);

void insp_skip_line(struct insp_words *words);

#endif /* ISOMAT_INSPECT_PTX_WORDS_H */
