/* SPDX-License-Identifier: MIT */
/* ptx_parse.c: the module level of PTX. */
#include <stdlib.h>
#include <string.h>

#include "../lib/cuda_abi.h"
#include "ptx_parse.h"

struct symbol *parser_find(struct parser *parser, struct word word)
{
    size_t stem = word.length;
    uint64_t index = 0, scale = 1;

    while (stem > 1 && word.text[stem - 1] >= '0' && word.text[stem - 1] <= '9' && scale < 10000000) {
        index += (uint64_t)(word.text[--stem] - '0') * scale;
        scale *= 10;
    }
    for (struct scope *scope = parser->scope; scope != NULL; scope = scope->parent) {
        if (stem < word.length) {
            struct symbol *range = names_find(&scope->ranges, word.text, stem);
            if (range != NULL && index < range->count) {
                struct symbol *symbol = loader_alloc(parser->loader, 1, sizeof *symbol);
                symbol->reg = range->reg + (uint32_t)index * range->stride;
                return symbol;
            }
        }
        struct symbol *symbol = names_find(&scope->names, word.text, word.length);
        if (symbol != NULL)
            return symbol;
    }
    return NULL;
}

const char *parser_text(struct parser *parser, struct word word)
{
    char *text = names_find(&parser->texts, word.text, word.length);

    if (text == NULL) {
        text = loader_text(parser->loader, word.text, word.length);
        if (!names_add(&parser->texts, text, word.length, text))
            ptx_error(&parser->text, "out of memory");
    }
    return text;
}

void parser_nest(struct parser *parser)
{
    if (++parser->depth > 16)
        ptx_error(&parser->text, "braces are nested too deeply");
}

void parser_define(struct parser *parser, struct word word, struct symbol *symbol)
{
    if (!names_add(&parser->scope->names, word.text, word.length, symbol))
        ptx_error(&parser->text, "out of memory");
}

static void module_variable(struct parser *parser, enum ptx_space space, bool is_extern)
{
    do {
        struct ptx_variable *variable = parse_variable(parser, space, is_extern, true);
        *LOADER_APPEND(parser->loader, parser->module->variables, parser->module->variable_count) = variable;
    } while (ptx_accept(&parser->text, ','));
    ptx_expect(&parser->text, ';');
}

static void parameters(struct parser *parser, struct ptx_variable ***list, uint32_t *count)
{
    struct ptx_text *text = &parser->text;

    if (ptx_accept(text, ')'))
        return;
    do {
        enum ptx_space space;
        struct word word = ptx_directive(text);
        if (!parse_space(word, &space) || space != SPACE_PARAM)
            ptx_error(text, "parameters in .%.*s are not supported", (int)word.length, word.text);
        struct ptx_variable *variable = parse_variable(parser, space, false, false);
        *LOADER_APPEND(parser->loader, *list, *count) = variable;
    } while (ptx_accept(text, ','));
    ptx_expect(text, ')');
}

static void place_parameters(struct parser *parser, struct ptx_function *function)
{
    uint64_t offset = 0;

    for (uint32_t i = 0; i < function->param_count; i++) {
        struct ptx_variable *param = function->params[i];
        offset = (offset + param->align - 1) & ~(uint64_t)(param->align - 1);
        param->address = offset;
        offset += param->bytes;
        if (function->is_entry && offset > 32764)
            ptx_error(&parser->text, "%s has more than 32764 bytes of parameters", function->name);
    }
    function->param_bytes = (uint32_t)offset;
}

static void dimensions3(struct ptx_text *text, uint32_t *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = 1;
    for (int i = 0; i < 3; i++) {
        int64_t value = ptx_integer(text);
        if (value < 1 || value > 65536)
            ptx_error(text, "expected a number of threads");
        out[i] = (uint32_t)value;
        if (!ptx_accept(text, ','))
            break;
    }
}

static void tuning(struct parser *parser, struct ptx_function *function)
{
    struct ptx_text *text = &parser->text;
    static const char *const ignored[] = {"minnctapersm", "maxnreg", "maxnctapersm", "maxclusterrank"};

    while (ptx_peek(text) == '.') {
        struct word word = ptx_directive(text);
        bool known = word_is(word, "noreturn");
        if (word_is(word, "maxntid")) {
            dimensions3(text, function->max_threads);
            known = true;
        } else if (word_is(word, "reqntid")) {
            dimensions3(text, function->required_threads);
            known = true;
        } else if (word_is(word, "pragma")) {
            ptx_skip_until(text, ';');
            known = true;
        }
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored && !known; i++) {
            known = word_is(word, ignored[i]);
            if (known)
                ptx_integer(text);
        }
        if (!known)
            ptx_error(text, "unknown directive .%.*s before the body of %s", (int)word.length, word.text,
                      function->name);
    }
}

static void function(struct parser *parser, bool is_entry)
{
    struct ptx_text *text = &parser->text;
    struct ptx_function *new = loader_alloc(parser->loader, 1, sizeof *new);
    struct scope *scope = loader_alloc(parser->loader, 1, sizeof *scope);

    new->is_entry = is_entry;
    new->line = text->line;
    scope->parent = &parser->module_scope;
    parser->scope = scope;
    parser->function = new;
    if (!is_entry && ptx_accept(text, '('))
        parameters(parser, &new->returns, &new->return_count);
    struct word name = ptx_identifier(text);
    new->name = loader_text(parser->loader, name.text, name.length);
    if (ptx_accept(text, '('))
        parameters(parser, &new->params, &new->param_count);
    place_parameters(parser, new);
    tuning(parser, new);
    if (ptx_peek(text) == '{') {
        new->has_body = true;
        *LOADER_APPEND(parser->loader, new->scope_parent, new->scope_count) = 0;
        parse_body(parser);
    } else {
        ptx_expect(text, ';');
    }
    names_free(&scope->names);
    names_free(&scope->ranges);
    parser->function = NULL;
    parser->scope = &parser->module_scope;
    *LOADER_APPEND(parser->loader, parser->module->functions, parser->module->function_count) = new;
}

static void target(struct parser *parser)
{
    struct ptx_text *text = &parser->text;

    do {
        struct word word = ptx_identifier(text);
        if (word.length > 3 && memcmp(word.text, "sm_", 3) == 0) {
            uint32_t number = 0;
            for (size_t i = 3; i < word.length && word.text[i] >= '0' && word.text[i] <= '9'; i++)
                number = number * 10 + (uint32_t)(word.text[i] - '0');
            parser->module->target = number;
        }
    } while (ptx_accept(text, ','));
}

static void version(struct parser *parser)
{
    struct ptx_text *text = &parser->text;
    char *end;

    /* A number elsewhere would read 9.0 as floating point. */
    if (ptx_peek(text) < '0' || *text->at > '9')
        ptx_expected(text, "a version");
    unsigned long major = strtoul(text->at, &end, 10), minor = 0;
    if (*end == '.')
        minor = strtoul(end + 1, &end, 10);
    text->at = end;
    if (major > 9 || minor > 9)
        loader_fail(parser->loader, CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                    "line %u: PTX version %lu.%lu is newer than 9.9, the newest supported", text->line, major,
                    minor);
    parser->module->version = (uint32_t)(major * 10 + minor);
}

static void module_directive(struct parser *parser)
{
    struct ptx_text *text = &parser->text;
    bool is_extern = false;
    enum ptx_space space;

    for (;;) {
        struct word word = ptx_directive(text);
        if (word_is(word, "extern")) {
            is_extern = true;
        } else if (word_is(word, "visible") || word_is(word, "weak") || word_is(word, "common")) {
            continue;
        } else if (word_is(word, "entry") || word_is(word, "func")) {
            function(parser, word_is(word, "entry"));
            return;
        } else if (parse_space(word, &space) && space != SPACE_PARAM) {
            module_variable(parser, space, is_extern);
            return;
        } else if (word_is(word, "target")) {
            target(parser);
            return;
        } else if (word_is(word, "address_size")) {
            if (ptx_integer(text) != 64)
                ptx_error(text, "only .address_size 64 is supported");
            return;
        } else if (word_is(word, "file")) {
            parse_file(parser);
            return;
        } else if (word_is(word, "loc")) {
            parse_loc(parser);
            return;
        } else if (word_is(word, "section")) {
            ptx_skip_until(text, '{');
            ptx_skip_until(text, '}');
            return;
        } else if (word_is(word, "pragma")) {
            ptx_skip_until(text, ';');
            return;
        } else {
            ptx_error(text, "unknown directive .%.*s", (int)word.length, word.text);
        }
    }
}

static void parse_module(struct parser *parser)
{
    struct ptx_text *text = &parser->text;

    if (ptx_peek(text) != '.' || !word_is(ptx_directive(text), "version"))
        ptx_expected(text, ".version");
    version(parser);
    for (char c; (c = ptx_peek(text)) != 0;) {
        if (c == ';')
            text->at++;
        else if (c == '.')
            module_directive(parser);
        else
            ptx_expected(text, "a directive");
    }
    if (parser->module->target == 0)
        ptx_error(text, "expected .target");
}

struct ptx_module *ptx_parse(struct loader *loader, const char *source, size_t length)
{
    struct parser *parser = loader_alloc(loader, 1, sizeof *parser);
    char *copy = loader_text(loader, source, length);
    jmp_buf outer;

    parser->loader = loader;
    parser->text = (struct ptx_text){loader, copy, copy, 1};
    parser->module = loader_alloc(loader, 1, sizeof *parser->module);
    parser->scope = &parser->module_scope;
    /* Name tables are not in the arena: free them on the way out. */
    memcpy(outer, loader->failed, sizeof outer);
    int failed = setjmp(loader->failed);
    if (failed == 0)
        parse_module(parser);
    for (struct scope *scope = parser->scope; scope != NULL; scope = scope->parent) {
        names_free(&scope->names);
        names_free(&scope->ranges);
    }
    names_free(&parser->texts);
    memcpy(loader->failed, outer, sizeof outer);
    if (failed != 0)
        longjmp(loader->failed, 1);
    return parser->module;
}

struct ptx_function *ptx_function_find(struct ptx_module *module, const char *name)
{
    struct ptx_function *found = NULL;

    for (uint32_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i]->name, name) == 0 &&
            (found == NULL || module->functions[i]->has_body))
            found = module->functions[i];
    return found;
}

uint32_t ptx_function_number(struct ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i]->has_body && strcmp(module->functions[i]->name, name) == 0)
            return i;
    return UINT32_MAX;
}

struct ptx_variable *ptx_variable_find(struct ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i]->name, name) == 0)
            return module->variables[i];
    return NULL;
}
