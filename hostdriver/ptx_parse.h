/* SPDX-License-Identifier: MIT */
/* ptx_parse.h: what the parts of the parser share. */
#ifndef HOSTDRIVER_PTX_PARSE_H
#define HOSTDRIVER_PTX_PARSE_H

#include "ptx_lex.h"

/* What a name in a scope stands for. */
struct symbol {
    struct ptx_variable *variable; /* NULL: register or range of registers */
    uint32_t reg, count, stride;   /* of a range: registers, and numbers each has */
};

struct scope {
    struct scope *parent;
    struct names names;  /* of struct symbol */
    struct names ranges; /* %r of .reg .b32 %r<9> */
    uint32_t number;
};

struct parser {
    struct ptx_text text;
    struct loader *loader;
    struct ptx_module *module;
    struct ptx_function *function; /* NULL at module level */
    struct scope *scope;
    struct scope module_scope;
    struct names texts; /* one copy of each name: equal texts have equal addresses */
    uint32_t depth;     /* of nested braces in operands and initial values */
};

struct symbol *parser_find(struct parser *parser, struct word word);
const char *parser_text(struct parser *parser, struct word word);
void parser_nest(struct parser *parser);
void parser_define(struct parser *parser, struct word word, struct symbol *symbol);

/* ptx_parse_variable.c */
struct ptx_variable *parse_variable(struct parser *parser, enum ptx_space space, bool is_extern,
                                    bool initialised);
bool parse_space(struct word directive, enum ptx_space *space);

/* ptx_parse_source.c */
void parse_file(struct parser *parser);
void parse_loc(struct parser *parser);

/* ptx_parse_body.c */
void parse_body(struct parser *parser);

#endif
