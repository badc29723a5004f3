/* SPDX-License-Identifier: MIT */
/* ptx_parse_body.c: the statements between the braces of a function. */
#include <string.h>

#include "ptx_parse.h"

static void operand(struct parser *parser, struct ptx_operand *out);

static void elements(struct parser *parser, struct ptx_operand *out, char close)
{
    struct ptx_text *text = &parser->text;

    text->at++;
    if (ptx_accept(text, close))
        return;
    parser_nest(parser);
    do {
        struct ptx_operand element = {0};
        operand(parser, &element);
        *LOADER_APPEND(parser->loader, out->elements, out->element_count) = element;
    } while (ptx_accept(text, ','));
    ptx_expect(text, close);
    parser->depth--;
}

static int64_t offset(struct parser *parser)
{
    /* The address of an element is written name[n] too, n in bytes. */
    if (ptx_accept(&parser->text, '[')) {
        int64_t value = ptx_integer(&parser->text);
        ptx_expect(&parser->text, ']');
        return value;
    }
    if (ptx_accept(&parser->text, '+'))
        return ptx_integer(&parser->text);
    if (ptx_peek(&parser->text) == '-')
        return ptx_integer(&parser->text);
    return 0;
}

static void named_operand(struct parser *parser, struct ptx_operand *out)
{
    struct ptx_text *text = &parser->text;
    struct word word = ptx_identifier(text);
    struct symbol *symbol = parser_find(parser, word);

    if (word_is(word, "_")) {
        out->kind = OPERAND_SINK;
        out->reg = NO_REG;
        if (ptx_accept(text, '|')) {
            struct symbol *second = parser_find(parser, ptx_identifier(text));
            if (second == NULL || second->variable != NULL)
                ptx_error(text, "expected a predicate after '|'");
            out->second = second->reg;
        }
        return;
    }
    if (symbol != NULL && symbol->variable == NULL) {
        out->kind = OPERAND_REG;
        out->reg = symbol->reg;
        if (ptx_accept(text, '|')) {
            word = ptx_identifier(text);
            symbol = parser_find(parser, word);
            if (word_is(word, "_"))
                return;
            if (symbol == NULL || symbol->variable != NULL)
                ptx_error(text, "expected a predicate after '|'");
            out->second = symbol->reg;
        }
        return;
    }
    if (symbol != NULL) {
        out->kind = OPERAND_VARIABLE;
        out->variable = symbol->variable;
        out->imm = offset(parser);
        return;
    }
    if (word.text[0] >= '0' && word.text[0] <= '9')
        ptx_expected(text, "an operand");
    out->kind = word.text[0] == '%' ? OPERAND_SPECIAL : OPERAND_NAME;
    out->name = parser_text(parser, word);
}

static void operand(struct parser *parser, struct ptx_operand *out);

static void address(struct parser *parser, struct ptx_operand *out)
{
    struct ptx_text *text = &parser->text;
    struct ptx_operand base = {.reg = NO_REG, .second = NO_REG};
    char c;

    ptx_expect(text, '[');
    c = ptx_peek(text);
    *out = base;
    if ((c >= '0' && c <= '9') || c == '-') {
        out->imm = ptx_integer(text);
    } else {
        named_operand(parser, &base);
        if (base.kind != OPERAND_REG && base.kind != OPERAND_VARIABLE)
            ptx_error(text, "expected a register or a variable in [], found %s",
                      base.name != NULL ? base.name : "something else");
        out->reg = base.kind == OPERAND_REG ? base.reg : NO_REG;
        out->variable = base.variable;
        out->imm = base.imm + offset(parser);
    }
    out->kind = OPERAND_ADDRESS;
    /* Coordinates, of textures and tensors: no instruction of the table takes them. */
    while (ptx_accept(text, ',')) {
        if (ptx_peek(text) == '[')
            ptx_expected(text, "coordinates");
        operand(parser, &base);
        out->kind = OPERAND_LIST;
    }
    ptx_expect(text, ']');
}

static void operand(struct parser *parser, struct ptx_operand *out)
{
    struct ptx_text *text = &parser->text;
    char c = ptx_peek(text);

    *out = (struct ptx_operand){.reg = NO_REG, .second = NO_REG};
    switch (c) {
    case '{':
        out->kind = OPERAND_VECTOR;
        elements(parser, out, '}');
        return;
    case '(':
        out->kind = OPERAND_LIST;
        elements(parser, out, ')');
        return;
    case '[':
        address(parser, out);
        return;
    case '!':
        ptx_expect(text, '!');
        named_operand(parser, out);
        out->negate = true;
        return;
    default:
        break;
    }
    if ((c >= '0' && c <= '9') || c == '-' || c == '.')
        ptx_number(text, out);
    else
        named_operand(parser, out);
}

static void guard(struct parser *parser, struct ptx_instruction *instruction)
{
    instruction->guard = NO_REG;
    if (!ptx_accept(&parser->text, '@'))
        return;
    instruction->guard_negated = ptx_accept(&parser->text, '!');
    struct word name = ptx_identifier(&parser->text);
    struct symbol *symbol = parser_find(parser, name);
    if (symbol == NULL || symbol->variable != NULL || parser->function->reg_class[symbol->reg] != CLASS_P)
        ptx_error(&parser->text, "%.*s is not a predicate", (int)name.length, name.text);
    instruction->guard = symbol->reg;
}

static void instruction(struct parser *parser)
{
    struct ptx_text *text = &parser->text;
    struct ptx_instruction in = {0};

    guard(parser, &in);
    ptx_peek(text);
    in.line = text->line;
    struct word opcode = ptx_opcode(text);
    in.opcode = parser_text(parser, opcode);
    in.scope = parser->scope->number;
    while (ptx_peek(text) != ';') {
        if (in.operand_count > 0)
            ptx_expect(text, ',');
        struct ptx_operand out;
        operand(parser, &out);
        *LOADER_APPEND(parser->loader, in.operands, in.operand_count) = out;
    }
    ptx_expect(text, ';');
    *LOADER_APPEND(parser->loader, parser->function->instructions, parser->function->instruction_count) = in;
}

/* A register of 128 bits has a number without a class, and two of 64 bits after it: its halves. */
static uint32_t new_registers(struct parser *parser, enum reg_class class, uint32_t count)
{
    struct ptx_function *function = parser->function;
    uint32_t first = function->reg_count;

    if (count > 1000000 - first)
        ptx_error(&parser->text, "more than 1000000 registers");
    for (uint32_t i = 0; i < count; i++) {
        *LOADER_APPEND(parser->loader, function->reg_class, function->reg_count) = (uint8_t) class;
        for (int half = 0; half < 2 && class == CLASS_NONE; half++)
            *LOADER_APPEND(parser->loader, function->reg_class, function->reg_count) = CLASS_X;
    }
    return first;
}

static void registers(struct parser *parser)
{
    struct ptx_text *text = &parser->text;
    struct word type = ptx_directive(text);
    enum ptx_type found = ptx_type_find(type.text, type.length);

    if (found == TYPE_NONE || found == TYPE_e4m3 || found == TYPE_e5m2)
        ptx_error(text, "registers of type .%.*s are not supported", (int)type.length, type.text);
    do {
        struct word name = ptx_identifier(text);
        struct symbol *symbol = loader_alloc(parser->loader, 1, sizeof *symbol);
        if (ptx_accept(text, '<')) {
            int64_t count = ptx_integer(text);
            if (count < 0 || count > 1000000)
                ptx_error(text, "expected a number of registers below 1000000");
            symbol->count = (uint32_t)count;
            symbol->stride = found == TYPE_b128 ? 3 : 1;
            ptx_expect(text, '>');
            symbol->reg = new_registers(parser, ptx_type_class(found), symbol->count);
            if (!names_add(&parser->scope->ranges, name.text, name.length, symbol))
                ptx_error(text, "out of memory");
        } else {
            symbol->reg = new_registers(parser, ptx_type_class(found), 1);
            parser_define(parser, name, symbol);
        }
    } while (ptx_accept(text, ','));
    ptx_expect(text, ';');
}

static void directive(struct parser *parser)
{
    struct ptx_text *text = &parser->text;
    struct word word = ptx_directive(text);
    enum ptx_space space;

    if (word_is(word, "reg")) {
        registers(parser);
    } else if (parse_space(word, &space)) {
        parse_variable(parser, space, false, true);
        ptx_expect(text, ';');
    } else if (word_is(word, "loc")) {
        parse_loc(parser);
    } else if (word_is(word, "pragma")) {
        ptx_skip_until(text, ';');
    } else {
        ptx_error(text, "unknown directive .%.*s", (int)word.length, word.text);
    }
}

static void label(struct parser *parser, struct word name)
{
    struct ptx_text *text = &parser->text;
    struct ptx_function *function = parser->function;
    struct ptx_label new = {.name = parser_text(parser, name),
                            .scope = parser->scope->number,
                            .position = function->instruction_count};

    ptx_expect(text, ':');
    if (ptx_peek(text) == '.') {
        struct ptx_text before = *text;
        if (word_is(ptx_directive(text), "branchtargets")) {
            do {
                struct word target = ptx_identifier(text);
                *LOADER_APPEND(parser->loader, new.targets, new.target_count) = parser_text(parser, target);
            } while (ptx_accept(text, ','));
            ptx_expect(text, ';');
        } else if (word_is((*text = before, ptx_directive(text)), "callprototype")) {
            ptx_skip_until(text, ';');
            return;
        } else {
            *text = before;
        }
    }
    *LOADER_APPEND(parser->loader, function->labels, function->label_count) = new;
}

static bool at_label(struct parser *parser, struct word *name)
{
    struct ptx_text before = parser->text;

    *name = ptx_identifier(&parser->text);
    bool found = ptx_peek(&parser->text) == ':' && parser->text.at[1] != ':';
    if (!found)
        parser->text = before;
    return found;
}

static void push_scope(struct parser *parser, struct scope *scope)
{
    scope->parent = parser->scope;
    scope->number = parser->function->scope_count;
    *LOADER_APPEND(parser->loader, parser->function->scope_parent, parser->function->scope_count) =
        scope->parent->number;
    parser->scope = scope;
}

void parse_body(struct parser *parser)
{
    struct ptx_text *text = &parser->text;
    uint32_t depth = 0;

    do {
        struct word name;
        char c = ptx_peek(text);
        if (c == '{') {
            if (depth++ == 200)
                ptx_error(text, "blocks are nested too deeply");
            text->at++;
            push_scope(parser, loader_alloc(parser->loader, 1, sizeof(struct scope)));
        } else if (c == '}') {
            text->at++;
            struct scope *scope = parser->scope;
            parser->scope = scope->parent;
            names_free(&scope->names);
            names_free(&scope->ranges);
            depth--;
        } else if (c == ';') {
            text->at++;
        } else if (c == '.') {
            directive(parser);
        } else if (c != '@' && at_label(parser, &name)) {
            label(parser, name);
        } else {
            instruction(parser);
        }
    } while (depth > 0);
}
