/* SPDX-License-Identifier: MIT */
/* opcode.h: the numbers of the executors, from the table. */
#ifndef HOSTDRIVER_OPCODE_H
#define HOSTDRIVER_OPCODE_H

enum opcode {
#define UNARY(name, pattern, D, A, expression) OP_##name,
#define BINARY(name, pattern, D, A, B, expression) OP_##name,
#define TERNARY(name, pattern, D, A, B, C, expression) OP_##name,
#define FUSED(name, pattern, D, A, B, C, expression) OP_##name,
#define DIRECTED(name, pattern, D, A, B, C, expression) OP_##name,
#define COMPARE(name, pattern, A, expression) OP_##name,
#define FORM(pattern, function)
#define MICRO(name) OP_##name,
#include "instructions.h"
    OP_COUNT
};

#endif
