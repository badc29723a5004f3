/* SPDX-License-Identifier: MIT */
/* lower_memory.c: loads, stores, atomics, cp.async, address spaces. */
#include <string.h>

#include "execute.h"
#include "lower.h"

static enum ptx_space space_of(const struct parts *parts)
{
    static const char *const names[] = {"global", "shared", "shared::cta",  "local",
                                        "const",  "param",  "param::entry", "param::func"};
    static const enum ptx_space spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_SHARED, SPACE_LOCAL,
                                            SPACE_CONST,  SPACE_PARAM,  SPACE_PARAM,  SPACE_PARAM};
    int which = parts_which(parts, names, 8);

    return which < 0 ? SPACE_GENERIC : spaces[which];
}

static unsigned log2_of(unsigned n)
{
    return n >= 8 ? 3 : n >= 4 ? 2 : n >= 2 ? 1 : 0;
}

/* The elements of a vector operand, or the one operand. */
static uint32_t elements(const struct ptx_operand *operand, const struct parts *parts,
                         const struct ptx_operand **first)
{
    uint32_t wanted = parts_has(parts, "v2") ? 2 : parts_has(parts, "v4") ? 4 : 1;

    *first = operand->kind == OPERAND_VECTOR ? operand->elements : operand;
    uint32_t count = operand->kind == OPERAND_VECTOR ? operand->element_count : 1;
    return count == wanted ? count : 0;
}

/* All elements of one access are in registers of one size. */
static enum reg_class element_class(struct lower *l, const struct ptx_operand *first, uint32_t count,
                                    enum ptx_type type)
{
    enum reg_class class = ptx_type_class(type), widest = class;

    for (uint32_t i = 0; i < count; i++) {
        enum reg_class found = operand_class(l, &first[i]);
        if (found == CLASS_P || (found != CLASS_NONE && found < class))
            lower_fail(l, "the register is smaller than the data");
        if (found != CLASS_NONE && found > widest)
            widest = found;
    }
    return widest;
}

static uint16_t access_bits(enum ptx_type type, uint32_t count, enum reg_class class, enum ptx_space space,
                            bool wide)
{
    return (uint16_t)(log2_of(ptx_type_bytes(type)) << MEM_SIZE_SHIFT | log2_of(count) << MEM_VECTOR_SHIFT |
                      (unsigned)class << MEM_CLASS_SHIFT | (unsigned)space << MEM_SPACE_SHIFT |
                      (ptx_type_kind(type) == KIND_SIGNED ? MEM_SIGNED : 0) | (wide ? MEM_WIDE : 0));
}

static enum opcode load_op(enum ptx_space space, enum ptx_type type, uint32_t count, enum reg_class class)
{
    if (ptx_type_bytes(type) == 4 && class == CLASS_W) {
        if (count == 1 && space == SPACE_GLOBAL)
            return OP_load_global_32;
        if (count == 1 && space == SPACE_SHARED)
            return OP_load_shared_32;
        if (count == 4 && space == SPACE_SHARED)
            return OP_load_shared_32x4;
    }
    return OP_load;
}

/* Before an access that may be to shared memory, or to global memory, where races are looked for. */
static void emit_check(struct lower *l, struct address address, enum ptx_space space, uint32_t bytes,
                       int access, bool strong)
{
    if ((l->loader->checks & (CHECK_RACE | CHECK_INIT)) == 0 ||
        (space != SPACE_SHARED && space != SPACE_GENERIC &&
         (space != SPACE_GLOBAL || (l->loader->checks & CHECK_RACE) == 0)))
        return;
    struct ir *ir = emit(l, OP_check, address.wide ? "x" : "w", address.reg);
    ir->in.o[1] = bytes;
    ir->in.o[2] = strong && access != ACCESS_READ ? ACCESS_ATOMIC : (uint32_t)access;
    ir->in.o[3] = strong && access == ACCESS_READ;
    ir->in.o[4] = strong;
    ir->in.aux = (uint16_t)((unsigned)space << MEM_SPACE_SHIFT | (address.wide ? MEM_WIDE : 0));
    ir->in.imm = address.offset;
}

static bool param_is_entry(struct lower *l, const struct ptx_operand *from)
{
    for (uint32_t i = 0; i < l->instance->function->param_count; i++)
        if (l->instance->function->params[i] == from->variable)
            return l->instance->function->is_entry;
    return from->variable == NULL;
}

/* ld.param: a kernel's parameter is a constant; a scalar of a call is a
 * register; an array of a call is local memory. */
static bool load_param(struct lower *l, const struct ptx_operand *first, uint32_t count, enum reg_class class,
                       enum ptx_type type, const struct ptx_operand *from, enum ptx_space *space)
{
    unsigned bytes = ptx_type_bytes(type);

    if (param_is_entry(l, from)) {
        if (from->reg != NO_REG)
            return false;
        uint64_t offset = (uint64_t)from->imm + (from->variable != NULL ? from->variable->address : 0);
        if (offset + (uint64_t)bytes * count > l->program->param_bytes || offset > l->program->param_bytes)
            lower_fail(l, "offset %lld is beyond the parameters", (long long)from->imm);
        if (offset % ((uint64_t)bytes * count) != 0)
            lower_fail(l, "offset %lld is not a multiple of %u", (long long)from->imm, bytes * count);
        for (uint32_t i = 0; i < count; i++)
            copy_to(l, define(l, &first[i], class),
                    fixed_param(l, class, offset + (uint64_t)i * bytes, bytes,
                                ptx_type_kind(type) == KIND_SIGNED));
        return true;
    }
    place_variable(l, from->variable);
    if (from->variable->is_array) {
        *space = SPACE_LOCAL;
        return false;
    }
    if (count != 1 || from->imm != 0 || bytes > from->variable->bytes)
        lower_fail(l, "%s is read in another size than it has", from->variable->name);
    uint32_t reg = from->variable->reg;
    if (class_of(l, reg) != class || bytes == 1)
        reg = extended(l, reg, type, class);
    copy_to(l, define(l, first, class), reg);
    return true;
}

/* 128 bits are a vector of two. */
static void as_halves(struct lower *l, enum ptx_type *type, const struct ptx_operand **first, uint32_t *count,
                      struct ptx_operand halves[2])
{
    if (*type != TYPE_b128)
        return;
    register_halves(l, *first, halves);
    *type = TYPE_b64;
    *first = halves;
    *count = 2;
}

void lower_load(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_space space = space_of(parts);
    enum ptx_type type = parts_type(parts, 0);
    const struct ptx_operand *first, *from = operand_at(l, in, 1);
    uint32_t count = elements(operand_at(l, in, 0), parts, &first), hint = parts_has(parts, "L2::cache_hint");
    struct ptx_operand halves[2];

    if (count == 0 || in->operand_count != 2 + hint)
        lower_fail(l, "the registers do not match the vector size");
    as_halves(l, &type, &first, &count, halves);
    enum reg_class class = element_class(l, first, count, type);
    if (count * ptx_type_bytes(type) > 16)
        lower_fail(l, "more than 16 bytes at once");
    if (from->kind != OPERAND_ADDRESS)
        lower_fail(l, "expected an address in []");
    if (space == SPACE_PARAM && load_param(l, first, count, class, type, from, &space))
        return;
    struct address address = use_address(l, from);
    char letters[6] = {0};
    uint32_t reg[5] = {0};
    for (uint32_t i = 0; i < count; i++) {
        letters[i] = "PHWX"[class];
        reg[i] = define(l, &first[i], class);
    }
    letters[count] = address.wide ? 'x' : 'w';
    reg[count] = address.reg;
    bool strong = parts_has(parts, "volatile") || parts_has(parts, "relaxed") || parts_has(parts, "acquire");
    emit_check(l, address, space, count * ptx_type_bytes(type), ACCESS_READ, strong);
    enum opcode op = strong ? OP_load : load_op(space, type, count, class);
    struct ir *ir = emit(l, op, letters, reg[0], reg[1], reg[2], reg[3], reg[4]);
    ir->in.aux =
        (uint16_t)(access_bits(type, count, class, space, address.wide) | (strong ? MEM_VOLATILE : 0));
    ir->in.imm = address.offset;
    ir->in.cache = l->program->cache_count++;
}

static bool store_param(struct lower *l, const struct ptx_operand *first, uint32_t count,
                        enum reg_class class, enum ptx_type type, const struct ptx_operand *to,
                        enum ptx_space *space)
{
    if (to->variable == NULL || param_is_entry(l, to))
        lower_fail(l, "a kernel's parameters cannot be written");
    place_variable(l, to->variable);
    if (to->variable->is_array) {
        *space = SPACE_LOCAL;
        return false;
    }
    if (count != 1 || to->imm != 0 || ptx_type_bytes(type) > to->variable->bytes)
        lower_fail(l, "%s is written in another size than it has", to->variable->name);
    copy_to(l, to->variable->reg,
            resized(l, use(l, first, class, type), class_of(l, to->variable->reg), false));
    return true;
}

void lower_store(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_space space = space_of(parts);
    enum ptx_type type = parts_type(parts, 0);
    const struct ptx_operand *first, *to = operand_at(l, in, 0);
    uint32_t count = elements(operand_at(l, in, 1), parts, &first), hint = parts_has(parts, "L2::cache_hint");
    struct ptx_operand halves[2];

    if (count == 0 || in->operand_count != 2 + hint)
        lower_fail(l, "the registers do not match the vector size");
    as_halves(l, &type, &first, &count, halves);
    enum reg_class class = element_class(l, first, count, type);
    if (count * ptx_type_bytes(type) > 16)
        lower_fail(l, "more than 16 bytes at once");
    if (to->kind != OPERAND_ADDRESS)
        lower_fail(l, "expected an address in []");
    if (space == SPACE_PARAM && store_param(l, first, count, class, type, to, &space))
        return;
    struct address address = use_address(l, to);
    char letters[6] = {address.wide ? 'x' : 'w'};
    uint32_t reg[5] = {address.reg};
    for (uint32_t i = 0; i < count; i++) {
        letters[1 + i] = "phwx"[class];
        reg[1 + i] = use(l, &first[i], class, type);
    }
    bool strong = parts_has(parts, "volatile") || parts_has(parts, "relaxed") || parts_has(parts, "release");
    emit_check(l, address, space, count * ptx_type_bytes(type), ACCESS_WRITE, strong);
    enum opcode op = OP_store;
    if (ptx_type_bytes(type) == 4 && class == CLASS_W && count == 1 && !strong)
        op = space == SPACE_GLOBAL   ? OP_store_global_32
             : space == SPACE_SHARED ? OP_store_shared_32
                                     : OP_store;
    struct ir *ir = emit(l, op, letters, reg[0], reg[1], reg[2], reg[3], reg[4]);
    ir->in.aux =
        (uint16_t)(access_bits(type, count, class, space, address.wide) | (strong ? MEM_VOLATILE : 0));
    ir->in.imm = address.offset;
    ir->in.cache = l->program->cache_count++;
}

static enum atomic_operation operation_of(const struct parts *parts, enum ptx_type type)
{
    static const char *const names[] = {"add", "and", "or", "xor", "exch", "min", "max", "inc", "dec", "cas"};
    static const enum atomic_operation operation[] = {ATOM_ADD,   ATOM_AND,   ATOM_OR,  ATOM_XOR, ATOM_EXCH,
                                                      ATOM_MIN_U, ATOM_MAX_U, ATOM_INC, ATOM_DEC, ATOM_CAS};
    enum atomic_operation found = operation[parts_which(parts, names, 10)];
    bool is_signed = ptx_type_kind(type) == KIND_SIGNED;

    if (found == ATOM_MIN_U && is_signed)
        return ATOM_MIN_S;
    if (found == ATOM_MAX_U && is_signed)
        return ATOM_MAX_S;
    if (found == ATOM_ADD && type == TYPE_f32)
        return ATOM_ADD_F32;
    if (found == ATOM_ADD && (type == TYPE_f16 || type == TYPE_f16x2))
        return ATOM_ADD_F16;
    if (found == ATOM_ADD && (type == TYPE_bf16 || type == TYPE_bf16x2))
        return ATOM_ADD_BF16;
    return found == ATOM_ADD && type == TYPE_f64 ? ATOM_ADD_F64 : found;
}

void lower_atom(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool reduces = parts->part[0].length == 3; /* red, not atom */
    enum ptx_type type = parts_type(parts, 0);
    enum reg_class class = ptx_type_class(type);
    enum atomic_operation operation = operation_of(parts, type);
    uint32_t next = reduces ? 0 : 1;

    uint32_t to = reduces ? new_temp(l, class) : define(l, operand_at(l, in, 0), class);
    struct address address = use_address(l, operand_at(l, in, next));
    uint32_t b = use(l, operand_at(l, in, next + 1), class, type), c = b;
    if (operation == ATOM_CAS)
        c = use(l, operand_at(l, in, next + 2), class, type);
    if (in->operand_count != next + 2 + (operation == ATOM_CAS))
        lower_fail(l, "expected %u operands, found %u", next + 2 + (operation == ATOM_CAS),
                   in->operand_count);
    static const char *const orders[] = {"acquire", "release", "acq_rel"};
    bool orders_others = parts_which(parts, orders, 3) >= 0;
    emit_check(l, address, space_of(parts), ptx_type_bytes(type), ACCESS_ATOMIC, orders_others);
    char letter = "phwx"[class], signature[5] = {"PHWX"[class], address.wide ? 'x' : 'w', letter, letter, 0};
    struct ir *ir = emit(l, OP_atom, signature, to, address.reg, b, c);
    ir->in.o[4] = operation;
    ir->in.o[5] = !reduces;
    ir->in.aux = access_bits(type, 1, class, space_of(parts), address.wide);
    ir->in.imm = address.offset;
    ir->in.cache = l->program->cache_count++;
}

void lower_cp_async(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    const struct ptx_operand *size = operand_at(l, in, 2);
    struct address to = use_address(l, operand_at(l, in, 0)), from = use_address(l, operand_at(l, in, 1));
    bool sized = false, ignores = false;
    uint32_t bytes = fixed_value(l, CLASS_W, 0), ignore = fixed_value(l, CLASS_P, 0);

    if (size->kind != OPERAND_INT ||
        (size->imm != 16 && (parts_has(parts, "cg") || (size->imm != 4 && size->imm != 8))))
        lower_fail(l, "expected a size of %s", parts_has(parts, "cg") ? "16" : "4, 8 or 16");
    if (in->operand_count > 3) {
        const struct ptx_operand *last = &in->operands[3];
        ignores = operand_class(l, last) == CLASS_P;
        sized = !ignores;
        if (ignores)
            ignore = use(l, last, CLASS_P, TYPE_pred);
        else
            bytes = use(l, last, CLASS_W, TYPE_u32);
    }
    if (!from.wide || from.offset != (int32_t)from.offset)
        lower_fail(l, "the source needs a 64-bit address");
    emit_check(l, to, SPACE_SHARED, (uint32_t)size->imm, ACCESS_WRITE, false);
    if (!sized && !ignores)
        emit_check(l, from, SPACE_GLOBAL, (uint32_t)size->imm, ACCESS_READ, false);
    char signature[5] = {to.wide ? 'x' : 'w', 'x', 'w', 'p', 0};
    struct ir *ir = emit(l, OP_cp_async, signature, to.reg, from.reg, bytes, ignore);
    ir->in.o[4] = (uint32_t)(int32_t)from.offset;
    ir->in.imm = to.offset;
    ir->in.aux = (uint16_t)(log2_of(size->imm == 16 ? 8 : (unsigned)size->imm) << MEM_SIZE_SHIFT |
                            (size->imm == 16 ? 1u : 0u) << MEM_VECTOR_SHIFT | (to.wide ? MEM_WIDE : 0) |
                            (sized ? CP_SIZED : 0) | (ignores ? CP_IGNORES : 0));
    ir->in.cache = l->program->cache_count++;
}

void lower_fence(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)in, (void)parts;
    emit(l, OP_fence, "");
}

/* Which lines a cache keeps changes no result. */
void lower_policy(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)parts;
    copy_to(l, define(l, operand_at(l, in, 0), CLASS_X), fixed_value(l, CLASS_X, 0));
}

/* cp.async waits find the copy made; prefetches change nothing. */
void lower_nothing(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)l, (void)in, (void)parts;
}

void lower_cvta(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_space space = space_of(parts);
    uint32_t from = use(l, operand_at(l, in, 1), CLASS_X, TYPE_u64);
    uint32_t to = define(l, operand_at(l, in, 0), CLASS_X);
    uint64_t window = space == SPACE_SHARED  ? WINDOW_SHARED
                      : space == SPACE_LOCAL ? WINDOW_LOCAL
                      : space == SPACE_PARAM ? WINDOW_PARAM
                                             : 0;

    if (space == SPACE_PARAM && !l->instance->function->is_entry)
        window = WINDOW_LOCAL;
    if (window == 0)
        copy_to(l, to, from);
    else
        emit(l, parts_has(parts, "to") ? OP_sub_64 : OP_add_64, "Xxx", to, from,
             fixed_value(l, CLASS_X, memory_base() + window));
}
