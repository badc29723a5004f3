/* SPDX-License-Identifier: MIT */
/* ptx.h: a parsed PTX module, as written: nothing is interpreted yet. */
#ifndef HOSTDRIVER_PTX_H
#define HOSTDRIVER_PTX_H

#include "loader.h"

/* A register's size class decides its slot in the register file. */
enum reg_class { CLASS_P, CLASS_H, CLASS_W, CLASS_X, CLASS_COUNT, CLASS_NONE = CLASS_COUNT };

enum type_kind { KIND_PRED, KIND_BITS, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT };

/* X(name, bytes, kind) */
#define PTX_TYPES(X)                                                                                         \
    X(pred, 0, PRED)                                                                                         \
    X(b8, 1, BITS)                                                                                           \
    X(u8, 1, UNSIGNED)                                                                                       \
    X(s8, 1, SIGNED)                                                                                         \
    X(b16, 2, BITS)                                                                                          \
    X(u16, 2, UNSIGNED)                                                                                      \
    X(s16, 2, SIGNED)                                                                                        \
    X(f16, 2, FLOAT)                                                                                         \
    X(e4m3, 1, FLOAT)                                                                                        \
    X(e5m2, 1, FLOAT)                                                                                        \
    X(bf16, 2, FLOAT)                                                                                        \
    X(b32, 4, BITS)                                                                                          \
    X(u32, 4, UNSIGNED)                                                                                      \
    X(s32, 4, SIGNED)                                                                                        \
    X(f32, 4, FLOAT)                                                                                         \
    X(f16x2, 4, FLOAT)                                                                                       \
    X(bf16x2, 4, FLOAT)                                                                                      \
    X(tf32, 4, FLOAT)                                                                                        \
    X(b64, 8, BITS)                                                                                          \
    X(u64, 8, UNSIGNED)                                                                                      \
    X(s64, 8, SIGNED)                                                                                        \
    X(f64, 8, FLOAT)                                                                                         \
    X(b128, 16, BITS)

enum ptx_type {
    TYPE_NONE,
#define X(name, bytes, kind) TYPE_##name,
    PTX_TYPES(X)
#undef X
};

enum ptx_space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_PARAM,
};

enum ptx_type ptx_type_find(const char *text, size_t length);
unsigned ptx_type_bytes(enum ptx_type type);
enum type_kind ptx_type_kind(enum ptx_type type);
enum reg_class ptx_type_class(enum ptx_type type);

#define NO_REG UINT32_MAX

struct ptx_relocation {
    uint64_t offset;
    const char *name;
    int64_t addend;
};

struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    bool is_extern, is_array;
    uint32_t align, line;
    uint64_t bytes;   /* 0: extern array without size */
    uint8_t *initial; /* NULL: zeros */
    struct ptx_relocation *relocations;
    uint32_t relocation_count;
    uint64_t address; /* global, const: on the device; param of an entry: offset */
    /* Where the kernel being lowered keeps it; valid if owner says so. */
    const void *owner;
    uint64_t offset;
    uint32_t reg;  /* a scalar of a call lives in a register */
    uint32_t base; /* register to which offset is added, or NO_REG */
};

enum operand_kind {
    OPERAND_REG,      /* reg, negate (!p); second for p|q */
    OPERAND_INT,      /* imm */
    OPERAND_F32,      /* imm: bits */
    OPERAND_F64,      /* imm: bits */
    OPERAND_SPECIAL,  /* name: special register */
    OPERAND_VARIABLE, /* variable + imm */
    OPERAND_NAME,     /* label or function */
    OPERAND_ADDRESS,  /* [reg + imm], [variable + imm] or [imm] */
    OPERAND_VECTOR,   /* {...}: elements */
    OPERAND_LIST,     /* (...): elements */
    OPERAND_SINK,     /* _ */
};

struct ptx_operand {
    enum operand_kind kind;
    bool negate;
    uint32_t reg, second;
    uint32_t element_count;
    int64_t imm;
    const char *name;
    struct ptx_variable *variable;
    struct ptx_operand *elements;
};

/* Opcodes and names are kept once: equal texts have equal addresses. */
struct ptx_instruction {
    const char *opcode;
    uint32_t line;
    uint32_t guard; /* register or NO_REG */
    bool guard_negated;
    uint32_t scope;
    uint32_t operand_count;
    struct ptx_operand *operands;
};

struct ptx_label {
    const char *name;
    uint32_t scope;
    uint32_t position;    /* index of the instruction that follows */
    const char **targets; /* of .branchtargets */
    uint32_t target_count;
};

struct ptx_function {
    const char *name;
    uint32_t line;
    bool is_entry, has_body;
    struct ptx_variable **params, **returns;
    uint32_t param_count, return_count, param_bytes;
    struct ptx_instruction *instructions;
    uint32_t instruction_count;
    struct ptx_label *labels;
    uint32_t label_count;
    uint8_t *reg_class;
    uint32_t reg_count;
    uint32_t *scope_parent; /* scope 0 is the body */
    uint32_t scope_count;
    uint32_t max_threads[3], required_threads[3];
    bool address_taken;       /* may be called through a register */
    const void *shared_owner; /* kernel for which its shared memory was placed */
};

/* Where the instructions from a line of PTX on come from. */
struct ptx_source {
    uint32_t ptx_line, file, line;
};

struct ptx_module {
    uint32_t version; /* 90 for .version 9.0 */
    uint32_t target;  /* 80 for sm_80 */
    struct ptx_variable **variables;
    uint32_t variable_count;
    struct ptx_function **functions;
    uint32_t function_count;
    /* Of -lineinfo: names of files by number, places by line. */
    const char **files;
    uint32_t file_count;
    struct ptx_source *sources;
    uint32_t source_count;
};

/* Fails through the loader with "line L, column C: ...". */
struct ptx_module *ptx_parse(struct loader *loader, const char *text, size_t length);

/* The file and line of the CUDA source for a line of PTX; NULL: not known. */
const char *ptx_source_find(const struct ptx_module *module, uint32_t ptx_line, uint32_t *line);

/* A function's number, by which pointers name it; UINT32_MAX: no function. */
uint32_t ptx_function_number(struct ptx_module *module, const char *name);

struct ptx_function *ptx_function_find(struct ptx_module *module, const char *name);
struct ptx_variable *ptx_variable_find(struct ptx_module *module, const char *name);

#endif
