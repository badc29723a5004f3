/* SPDX-License-Identifier: MIT */
/* ptx_parse_variable.c: declarations of variables and their initial values. */
#include <string.h>

#include "ptx_parse.h"

bool parse_space(struct word directive, enum ptx_space *space)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{"global", SPACE_GLOBAL},
                  {"shared", SPACE_SHARED},
                  {"local", SPACE_LOCAL},
                  {"const", SPACE_CONST},
                  {"param", SPACE_PARAM}};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (word_is(directive, spaces[i].name)) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

static void relocate(struct parser *parser, struct ptx_variable *variable, uint64_t offset, struct word name)
{
    struct ptx_relocation *relocation =
        LOADER_APPEND(parser->loader, variable->relocations, variable->relocation_count);

    *relocation = (struct ptx_relocation){offset, loader_text(parser->loader, name.text, name.length), 0};
    if (ptx_accept(&parser->text, '+'))
        relocation->addend = ptx_integer(&parser->text);
}

static void initial_value(struct parser *parser, struct ptx_variable *variable, uint64_t *offset)
{
    struct ptx_text *text = &parser->text;
    unsigned bytes = ptx_type_bytes(variable->type);
    char c = ptx_peek(text);

    if (c == '{') {
        ptx_expect(text, '{');
        parser_nest(parser);
        do
            initial_value(parser, variable, offset);
        while (ptx_accept(text, ','));
        ptx_expect(text, '}');
        parser->depth--;
        return;
    }
    if (*offset + bytes > variable->bytes)
        ptx_error(text, "too many initial values for %s", variable->name);
    if ((c >= '0' && c <= '9') || c == '-' || c == '.') {
        struct ptx_operand value = {0};
        ptx_number(text, &value);
        if (value.kind == OPERAND_F64 && variable->type == TYPE_f32) {
            double wide;
            memcpy(&wide, &value.imm, sizeof wide);
            float narrow = (float)wide;
            memcpy(variable->initial + *offset, &narrow, sizeof narrow);
        } else {
            memcpy(variable->initial + *offset, &value.imm, bytes < 8 ? bytes : 8);
        }
    } else {
        struct word name = ptx_identifier(text);
        bool generic = word_is(name, "generic") && ptx_accept(text, '(');
        if (generic)
            name = ptx_identifier(text);
        if (bytes != 8)
            ptx_error(text, "an address needs an element of 8 bytes");
        relocate(parser, variable, *offset, name);
        if (generic)
            ptx_expect(text, ')');
    }
    *offset += bytes;
}

static void dimensions(struct parser *parser, struct ptx_variable *variable, uint64_t vector)
{
    struct ptx_text *text = &parser->text;
    uint64_t count = vector;

    while (ptx_accept(text, '[')) {
        variable->is_array = true;
        if (ptx_accept(text, ']')) {
            count = 0;
            continue;
        }
        int64_t n = ptx_integer(text);
        if (n < 0 || n > (int64_t)1 << 40 || (count != 0 && (uint64_t)n > ((uint64_t)1 << 40) / count))
            ptx_error(text, "%s is too large", variable->name);
        count *= (uint64_t)n;
        ptx_expect(text, ']');
    }
    variable->bytes = count * ptx_type_bytes(variable->type);
}

static bool attribute(struct parser *parser, struct word word, struct ptx_variable *variable,
                      uint64_t *vector)
{
    if (word_is(word, "align")) {
        int64_t align = ptx_integer(&parser->text);
        if (align < 1 || align > 4096 || (align & (align - 1)) != 0)
            ptx_error(&parser->text, "expected an alignment that is a power of two");
        variable->align = (uint32_t)align;
        return true;
    }
    if (word_is(word, "v2") || word_is(word, "v4")) {
        *vector = (uint64_t)(word.text[1] - '0');
        return true;
    }
    if (word_is(word, "ptr")) /* .param .u64 .ptr .global .align 16 p */
        return true;
    enum ptx_space space;
    return variable->space == SPACE_PARAM && parse_space(word, &space);
}

struct ptx_variable *parse_variable(struct parser *parser, enum ptx_space space, bool is_extern,
                                    bool initialised)
{
    struct ptx_text *text = &parser->text;
    struct ptx_variable *variable = loader_alloc(parser->loader, 1, sizeof *variable);
    uint64_t vector = 1;

    variable->space = space;
    variable->is_extern = is_extern;
    variable->line = text->line;
    while (ptx_peek(text) == '.') {
        struct word word = ptx_directive(text);
        enum ptx_type type = ptx_type_find(word.text, word.length);
        if (type != TYPE_NONE && type != TYPE_pred)
            variable->type = type;
        else if (!attribute(parser, word, variable, &vector))
            ptx_error(text, "unknown directive .%.*s in a declaration", (int)word.length, word.text);
    }
    if (variable->type == TYPE_NONE)
        ptx_expected(text, "a type");
    struct word name = ptx_identifier(text);
    variable->name = loader_text(parser->loader, name.text, name.length);
    if (variable->align == 0)
        variable->align = ptx_type_bytes(variable->type) * (uint32_t)vector;
    dimensions(parser, variable, vector);
    if (initialised && ptx_accept(text, '=')) {
        uint64_t offset = 0;
        if (variable->bytes > 64u << 20)
            ptx_error(text, "%s is too large for initial values", variable->name);
        variable->initial = loader_alloc(parser->loader, variable->bytes, 1);
        initial_value(parser, variable, &offset);
    }
    struct symbol *symbol = loader_alloc(parser->loader, 1, sizeof *symbol);
    symbol->variable = variable;
    parser_define(parser, (struct word){variable->name, name.length}, symbol);
    return variable;
}
