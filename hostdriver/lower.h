/* SPDX-License-Identifier: MIT */
/* lower.h: PTX to a flat list of executor operations with virtual registers.
 *
 * Calls are expanded in place, so a kernel becomes one list.  An operand is a
 * virtual register, or FIXED and the index of a constant slot.
 */
#ifndef HOSTDRIVER_LOWER_H
#define HOSTDRIVER_LOWER_H

#include "opcode.h"
#include "program.h"
#include "ptx.h"

#define FIXED 0x80000000u

struct ir {
    struct insn in;
    uint8_t defs, operands; /* the first operands are written, the rest read */
    bool guarded;           /* an OP_guard stands before it */
    bool removed;
    uint32_t line;
};

/* One function being expanded: the kernel, or a call in it. */
/* A function that is called, while it is made. */
struct outline {
    struct ptx_function *function;
    struct frame frame;
    uint32_t entry_label, first_ir, fp;
    uint32_t slots[4]; /* pool sizes where it begins */
};

struct instance {
    struct instance *caller;
    struct ptx_function *function;
    uint32_t reg_base, label_base, end_label, carry;
};

struct vreg {
    uint8_t class;
    bool temporary; /* always written before read: no value crosses blocks */
};

struct lower {
    struct loader *loader;
    struct ptx_module *module;
    struct program *program;
    struct instance *instance;
    const struct ptx_instruction *current;
    struct ir *ir;
    uint32_t ir_count;
    struct vreg *vregs;
    uint32_t vreg_count;
    struct fixed *fixed;
    uint32_t fixed_count;
    uint32_t *labels; /* position in ir of each label; UINT32_MAX: not placed */
    uint32_t label_count;
    uint32_t *targets;
    uint32_t target_count;
    struct outline *outlines;
    uint32_t outline_count;
    int32_t outline; /* the one being made, -1: the kernel itself */
    bool has_stack;
    uint32_t expanded; /* instructions so far, to stop endless expansion */
    /* Of the current instruction. */
    uint32_t guard;
    bool guard_negated;
    uint32_t skip_label;
};

/* The parts of an opcode between its dots. */
enum { PARTS_MAX = 16 };

struct parts {
    uint32_t count;
    struct word_part {
        const char *text;
        uint32_t length;
    } part[PARTS_MAX];
};

typedef void (*lower_function)(struct lower *l, const struct ptx_instruction *in, const struct parts *parts);

enum row_kind { ROW_REGULAR, ROW_DIRECTED, ROW_COMPARE, ROW_FORM };

struct row {
    const char *pattern;
    enum row_kind kind;
    uint16_t op;
    uint8_t type[4]; /* of d, a, b, c */
    lower_function lower;
};

/* match.c */
bool parts_split(const char *opcode, struct parts *parts);
bool parts_has(const struct parts *parts, const char *text);
/* Index among names of the first part that is one of them, or -1. */
int parts_which(const struct parts *parts, const char *const *names, int count);
enum ptx_type parts_type(const struct parts *parts, uint32_t from_end);
const struct row *row_match(const struct parts *parts);
/* The same for an opcode as written, remembered: NULL if there is none. */
const struct row *row_find(struct loader *loader, const char *opcode, const struct parts **parts);

/* lower.c */
struct program *program_lower(struct loader *loader, struct ptx_module *module, struct ptx_function *kernel);
_Noreturn void lower_fail(struct lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lower_body(struct lower *l, struct instance *instance);
void lower_instruction(struct lower *l, const struct ptx_instruction *in);
/* signature: a letter per operand, P H W X written, p h w x read. */
struct ir *emit(struct lower *l, enum opcode op, const char *signature, ...);
void lower_row(struct lower *l, const struct row *row, const struct ptx_operand *operands, uint32_t count,
               unsigned aux, const uint32_t *inputs, uint32_t output);

/* lower_operand.c */
uint32_t new_temp(struct lower *l, enum reg_class class);
uint32_t new_vreg(struct lower *l, enum reg_class class);
uint32_t new_label(struct lower *l);
void place_label(struct lower *l, uint32_t label);
uint32_t fixed_value(struct lower *l, enum reg_class class, uint64_t value);
uint32_t fixed_param(struct lower *l, enum reg_class class, uint64_t offset, unsigned bytes, bool is_signed);
enum reg_class class_of(struct lower *l, uint32_t reg);
const struct ptx_operand *operand_at(struct lower *l, const struct ptx_instruction *in, uint32_t i);
/* The register that holds the operand as a value of type in class. */
uint32_t use(struct lower *l, const struct ptx_operand *operand, enum reg_class class, enum ptx_type type);
uint32_t define(struct lower *l, const struct ptx_operand *operand, enum reg_class class);
uint32_t vreg_of(struct lower *l, uint32_t reg);
/* The address of a variable, offset added, in a register. */
uint32_t variable_value(struct lower *l, struct ptx_variable *variable, enum reg_class class, int64_t offset);
uint32_t fixed_slot(struct lower *l, const struct fixed *wanted);
/* Class of the register an operand names, else CLASS_NONE. */
enum reg_class operand_class(struct lower *l, const struct ptx_operand *operand);
void copy_to(struct lower *l, uint32_t to, uint32_t from);

/* The two 64-bit halves of a 128-bit register. */
void register_halves(struct lower *l, const struct ptx_operand *operand, struct ptx_operand half[2]);

struct address {
    uint32_t reg;
    bool wide;
    int64_t offset;
};
struct address use_address(struct lower *l, const struct ptx_operand *operand);
/* Gives the variable its place in the kernel's shared or local memory, or a
 * register for a scalar parameter of a call. */
void place_variable(struct lower *l, struct ptx_variable *variable);
void place_shared(struct lower *l, struct ptx_function *function);

/* Instructions that may wait cannot run under OP_guard: jump around them. */
void guard_by_branch(struct lower *l);

/* lower_*.c: the functions that the rows of the table name. */
void lower_setp(struct lower *l, const struct ptx_instruction *in, const struct parts *parts);
#define UNARY(name, pattern, D, A, expression)
#define BINARY(name, pattern, D, A, B, expression)
#define TERNARY(name, pattern, D, A, B, C, expression)
#define FUSED(name, pattern, D, A, B, C, expression)
#define DIRECTED(name, pattern, D, A, B, C, expression)
#define COMPARE(name, pattern, A, expression)
#define FORM(pattern, function)                                                                              \
    void function(struct lower *l, const struct ptx_instruction *in, const struct parts *parts);
#define MICRO(name)
#include "instructions.h"

/* lower_call.c */
uint32_t transfer(struct lower *l, uint32_t index, enum reg_class class);
void lower_outlines(struct lower *l);
/* Marks the functions that a register may name. */
void functions_mark(struct ptx_module *module);
/* The base register of a variable's address, or NO_REG, in this function. */
uint32_t frame_base(struct lower *l);
uint64_t function_address(struct lower *l, const char *name);

/* lower_convert.c */
/* The value in the low bits of a register of another size. */
uint32_t resized(struct lower *l, uint32_t reg, enum reg_class to, bool is_signed);
/* What a load of type from where reg is kept would give. */
uint32_t extended(struct lower *l, uint32_t reg, enum ptx_type type, enum reg_class class);

/* lower_half.c */
uint32_t half_widened(struct lower *l, uint32_t reg, enum ptx_type type);
uint32_t half_narrowed(struct lower *l, uint32_t reg, enum ptx_type type, const struct parts *parts);
void half_parts(struct lower *l, uint32_t reg, uint32_t part[2]);

/* allocate.c: virtual registers to slots of the register file. */
void allocate_registers(struct lower *l);
/* Of each virtual register: may it be read before it is written? */
bool *registers_read_first(struct lower *l);
/* lower_check.c: watches those, if ISOMAT_HOST_CHECK asks for it. */
void watch_registers(struct lower *l);
/* finish.c: constants forwarded, dead joins dropped, code laid out. */
void forward_constants(struct lower *l);
void finish_program(struct lower *l);

#endif
