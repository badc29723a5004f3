/* SPDX-License-Identifier: MIT */
/* expression.h: arithmetic on the command line, "2*arg3^3". */
#ifndef ISOMAT_TOOLS_EXPRESSION_H
#define ISOMAT_TOOLS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

/* Writes what a name stands for; false if it stands for nothing. */
typedef bool expression_name(double *value, void *payload, const char *name, size_t length);

/* Evaluates numbers, names, + - * / ^ (to the right, before the others) and parentheses.  Returns
 * NULL, or what is wrong. */
const char *expression_evaluate(double *value, const char *text, expression_name *name, void *payload);

#endif /* ISOMAT_TOOLS_EXPRESSION_H */
