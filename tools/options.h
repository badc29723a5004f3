/* SPDX-License-Identifier: MIT */
/* options.h: one option parser for all verbs; the same rows make the --help text. */
#ifndef ISOMAT_TOOLS_OPTIONS_H
#define ISOMAT_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,    /* target: bool, set to true */
    OPTION_TEXT,    /* target: const char * */
    OPTION_INTEGER, /* target: int64_t, from minimum to maximum */
    OPTION_NUMBER,  /* target: double, finite */
    OPTION_CUSTOM,  /* target: whatever parse takes */
};

struct option_row {
    const char *name; /* long name without the dashes; NULL ends the rows */
    char letter;      /* the short form, or 0 */
    enum option_kind kind;
    void *target;
    const char *value; /* what --help calls the value */
    const char *help;
    int64_t minimum, maximum;
    const char *(*parse)(void *target, const char *text); /* returns NULL, or what is wrong */
};

struct option_set {
    const char *verb;
    const char *operands; /* as --help shows them, "" if the verb takes none */
    const char *description;
    const struct option_row *rows;
    int min_operands, max_operands; /* max_operands < 0: any number */
};

/* Parses argv[1...]; argv[*first...] are then the operands.  Returns false when the command is
 * done, with its exit status in *status: after --help, or after wrong usage, which it reports. */
bool options_parse(const struct option_set *set, int argc, char **argv, int *first, int *status);

/* Reads a whole decimal number from minimum to maximum; false if text is anything else. */
bool parse_integer(int64_t *number, const char *text, int64_t minimum, int64_t maximum);

#endif /* ISOMAT_TOOLS_OPTIONS_H */
