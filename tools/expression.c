/* SPDX-License-Identifier: MIT */
/* expression.c: arithmetic on the command line, by recursive descent. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"

enum { MAX_DEPTH = 100 };

struct parser {
    const char *at;
    expression_name *name;
    void *payload;
    const char *wrong; /* the first thing that was */
    int depth;
};

static double parse_sum(struct parser *parser);

static double refuse(struct parser *parser, const char *what)
{
    if (!parser->wrong)
        parser->wrong = what;
    return NAN;
}

static char peek(struct parser *parser)
{
    while (*parser->at == ' ')
        parser->at++;
    return *parser->at;
}

static double parse_name(struct parser *parser)
{
    const char *start = parser->at;
    double value;
    while (isalnum((unsigned char)*parser->at))
        parser->at++;
    if (parser->name(&value, parser->payload, start, (size_t)(parser->at - start)))
        return value;
    return refuse(parser, "unknown name in the expression");
}

static double parse_operand(struct parser *parser)
{
    char c = peek(parser);
    if (isdigit((unsigned char)c) || c == '.') {
        char *end;
        double value = strtod(parser->at, &end);
        if (end == parser->at)
            return refuse(parser, "the expression has a point and no number");
        parser->at = end;
        return value;
    }
    if (isalpha((unsigned char)c))
        return parse_name(parser);
    if (c != '(')
        return refuse(parser, c ? "the expression has something else where a number should be"
                                : "the expression ends where a number should be");
    parser->at++;
    double value = parse_sum(parser);
    if (peek(parser) != ')')
        return refuse(parser, "a parenthesis of the expression is not closed");
    parser->at++;
    return value;
}

/* A sign binds less than a power: -2^2 is -4. */
static double parse_power(struct parser *parser)
{
    if (++parser->depth > MAX_DEPTH)
        return refuse(parser, "the expression is nested too deeply");
    double value;
    if (peek(parser) == '-') {
        parser->at++;
        value = -parse_power(parser);
    } else {
        value = parse_operand(parser);
        if (peek(parser) == '^') {
            parser->at++;
            value = pow(value, parse_power(parser));
        }
    }
    parser->depth--;
    return value;
}

static double parse_product(struct parser *parser)
{
    double value = parse_power(parser);
    for (char c = peek(parser); (c == '*' || c == '/') && !parser->wrong; c = peek(parser)) {
        parser->at++;
        double other = parse_power(parser);
        value = c == '*' ? value * other : value / other;
    }
    return value;
}

static double parse_sum(struct parser *parser)
{
    double value = parse_product(parser);
    for (char c = peek(parser); (c == '+' || c == '-') && !parser->wrong; c = peek(parser)) {
        parser->at++;
        double other = parse_product(parser);
        value = c == '+' ? value + other : value - other;
    }
    return value;
}

const char *expression_evaluate(double *value, const char *text, expression_name *name, void *payload)
{
    struct parser parser = {.at = text, .name = name, .payload = payload};
    *value = parse_sum(&parser);
    if (!parser.wrong && peek(&parser))
        return "the expression goes on after its end";
    if (!parser.wrong && !isfinite(*value))
        return "the expression is not finite";
    return parser.wrong;
}
