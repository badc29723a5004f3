/* SPDX-License-Identifier: MIT */
/* ptx_words.c: PTX cut into words. */
#include "ptx_words.h"

#include <string.h>

enum { SPACE = 1, WORD = 2 };

static const uint8_t classes[256] = {
    [' '] = SPACE,  ['\n'] = SPACE,       ['\t'] = SPACE,       ['\r'] = SPACE,       ['\f'] = SPACE,
    ['\v'] = SPACE, ['0' ... '9'] = WORD, ['A' ... 'Z'] = WORD, ['a' ... 'z'] = WORD, ['_'] = WORD,
    ['.'] = WORD,   ['$'] = WORD,         ['%'] = WORD,
};

static bool is_space(char c)
{
    return classes[(unsigned char)c] == SPACE;
}

static bool is_word(char c)
{
    return classes[(unsigned char)c] == WORD;
}

static void skip_blanks(struct insp_words *words)
{
    while (words->at < words->end) {
        size_t left = (size_t)(words->end - words->at);
        if (is_space(*words->at)) {
            words->at++;
        } else if (left >= 2 && words->at[0] == '/' && words->at[1] == '/') {
            insp_skip_line(words);
        } else if (left >= 2 && words->at[0] == '/' && words->at[1] == '*') {
            const char *close = memmem(words->at + 2, left - 2, "*/", 2);
            words->at = close ? close + 2 : words->end;
        } else {
            return;
        }
    }
}

struct insp_word insp_next_word(struct insp_words *words)
{
    struct insp_word word = {"", 0, false};
    skip_blanks(words);
    if (words->at == words->end)
        return word;
    word.text = words->at;
    if (*words->at == '"') {
        const char *start = words->at + 1;
        const char *close = memchr(start, '"', (size_t)(words->end - start));
        words->at = close ? close + 1 : words->end;
        word = (struct insp_word){start, (size_t)((close ? close : words->end) - start), true};
        if (word.length == 0)
            word.text = ""; /* the quote may be the last byte there is */
        return word;
    }
    if (is_word(*words->at))
        while (words->at < words->end && is_word(*words->at))
            words->at++;
    else
        words->at++;
    word.length = (size_t)(words->at - word.text);
    return word;
}

struct insp_word insp_peek_word(struct insp_words words)
{
    return insp_next_word(&words);
}

bool insp_word_is(struct insp_word word, const char *text)
{
    return !word.quoted && strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

bool insp_word_has(struct insp_word word, const char *part)
{
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= word.length; at++) {
        const char *dot = memchr(word.text + at, '.', word.length - at);
        size_t end = dot ? (size_t)(dot - word.text) : word.length;
        if (end - at == length && memcmp(word.text + at, part, length) == 0)
            return true;
        at = end;
    }
    return false;
}

struct insp_word insp_word_last(struct insp_word word)
{
    const char *dot = memrchr(word.text, '.', word.length);
    if (!dot)
        return word;
    return (struct insp_word){dot + 1, (size_t)(word.text + word.length - dot - 1), false};
}

uint32_t insp_word_number(struct insp_word word)
{
    uint64_t number = 0;
    for (size_t i = 0; i < word.length && word.text[i] >= '0' && word.text[i] <= '9'; i++) {
        number = number * 10 + (uint64_t)(word.text[i] - '0');
        if (number > INT32_MAX)
            return INT32_MAX;
    }
    return (uint32_t)number;
}

void insp_skip_block(struct insp_words *words)
{
    for (int depth = 1; depth > 0;) {
        struct insp_word word = insp_next_word(words);
        if (words->at == words->end && word.length == 0)
            return;
        if (insp_word_is(word, "{"))
            depth++;
        else if (insp_word_is(word, "}"))
            depth--;
    }
}

void insp_skip_line(struct insp_words *words)
{
    const char *newline = memchr(words->at, '\n', (size_t)(words->end - words->at));
    words->at = newline ? newline + 1 : words->end;
}
