/* SPDX-License-Identifier: MIT */
/* lower_operand.c: operands, variables and labels. */
#include <string.h>

#include "execute.h"
#include "lower.h"

static const uint8_t class_bytes[] = {0, 2, 4, 8};
static const char *const class_names[] = {"a predicate", "a 16-bit register", "a 32-bit register",
                                          "a 64-bit register", "a 128-bit register"};

uint32_t new_vreg(struct lower *l, enum reg_class class)
{
    LOADER_APPEND(l->loader, l->vregs, l->vreg_count)->class = (uint8_t) class;
    return l->vreg_count - 1;
}

uint32_t new_temp(struct lower *l, enum reg_class class)
{
    uint32_t reg = new_vreg(l, class);

    l->vregs[reg].temporary = true;
    return reg;
}

uint32_t new_label(struct lower *l)
{
    *LOADER_APPEND(l->loader, l->labels, l->label_count) = UINT32_MAX;
    return l->label_count - 1;
}

void place_label(struct lower *l, uint32_t label)
{
    l->labels[label] = l->ir_count;
    struct ir *join = LOADER_APPEND(l->loader, l->ir, l->ir_count);
    join->in.op = OP_join;
    join->line = l->current != NULL ? l->current->line : 0;
}

uint32_t fixed_slot(struct lower *l, const struct fixed *wanted)
{
    for (uint32_t i = l->fixed_count; i-- > 0;) {
        const struct fixed *fixed = &l->fixed[i];
        if (fixed->kind == wanted->kind && fixed->bytes == wanted->bytes && fixed->value == wanted->value &&
            fixed->load_bytes == wanted->load_bytes && fixed->load_signed == wanted->load_signed)
            return FIXED | i;
    }
    *LOADER_APPEND(l->loader, l->fixed, l->fixed_count) = *wanted;
    return FIXED | (l->fixed_count - 1);
}

uint32_t fixed_value(struct lower *l, enum reg_class class, uint64_t value)
{
    unsigned bits = class == CLASS_P ? 32 : class_bytes[class] * 8u;

    if (bits < 64)
        value &= ((uint64_t)1 << bits) - 1;
    return fixed_slot(l, &(struct fixed){.kind = FIXED_VALUE, .bytes = class_bytes[class], .value = value});
}

uint32_t fixed_param(struct lower *l, enum reg_class class, uint64_t offset, unsigned bytes, bool is_signed)
{
    return fixed_slot(l, &(struct fixed){.kind = FIXED_PARAM,
                                         .bytes = class_bytes[class],
                                         .load_bytes = (uint8_t)bytes,
                                         .load_signed = is_signed,
                                         .value = offset});
}

enum reg_class class_of(struct lower *l, uint32_t reg)
{
    if ((reg & FIXED) == 0)
        return (enum reg_class)l->vregs[reg].class;
    switch (l->fixed[reg & ~FIXED].bytes) {
    case 0:
        return CLASS_P;
    case 2:
        return CLASS_H;
    case 4:
        return CLASS_W;
    default:
        return CLASS_X;
    }
}

uint32_t vreg_of(struct lower *l, uint32_t reg)
{
    return l->instance->reg_base + reg;
}

enum reg_class operand_class(struct lower *l, const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_REG ? class_of(l, vreg_of(l, operand->reg)) : CLASS_NONE;
}

void register_halves(struct lower *l, const struct ptx_operand *operand, struct ptx_operand half[2])
{
    if (operand->kind != OPERAND_REG || class_of(l, vreg_of(l, operand->reg)) != CLASS_NONE)
        lower_fail(l, "expected a 128-bit register");
    for (uint32_t i = 0; i < 2; i++)
        half[i] = (struct ptx_operand){
            .kind = OPERAND_REG, .reg = operand->reg + 1 + i, .second = NO_REG, .negate = operand->negate};
}

const struct ptx_operand *operand_at(struct lower *l, const struct ptx_instruction *in, uint32_t i)
{
    if (i >= in->operand_count)
        lower_fail(l, "expected at least %u operands, found %u", i + 1, in->operand_count);
    return &in->operands[i];
}

static uint64_t immediate(struct lower *l, const struct ptx_operand *operand, enum ptx_type type)
{
    double wide;
    float narrow;
    uint64_t bits = (uint64_t)operand->imm;
    uint32_t low;

    if (operand->kind == OPERAND_INT && ptx_type_kind(type) == KIND_FLOAT) {
        lower_fail(l, "expected a floating-point constant, found the integer %lld", (long long)operand->imm);
    } else if (operand->kind == OPERAND_F64 && ptx_type_bytes(type) == 4) {
        memcpy(&wide, &bits, sizeof wide);
        narrow = (float)wide;
        memcpy(&low, &narrow, sizeof low);
        return low;
    } else if (operand->kind == OPERAND_F32 && ptx_type_bytes(type) == 8) {
        low = (uint32_t)bits;
        memcpy(&narrow, &low, sizeof narrow);
        wide = narrow;
        memcpy(&bits, &wide, sizeof bits);
    }
    return bits;
}

static uint32_t special(struct lower *l, const char *name, enum reg_class class)
{
    static const char *const fixed_names[] = {
#define X(text, id) text,
        FIXED_SPECIALS(X)
#undef X
    };
    static const struct {
        const char *name;
        enum special special;
    } changing[] = {
        {"%clock", SPECIAL_CLOCK},
        {"%clock64", SPECIAL_CLOCK},
        {"%clock_hi", SPECIAL_CLOCK_HI},
        {"%globaltimer", SPECIAL_GLOBALTIMER},
        {"%globaltimer_lo", SPECIAL_GLOBALTIMER},
        {"%globaltimer_hi", SPECIAL_GLOBALTIMER_HI},
    };

    for (uint32_t i = 0; i < sizeof fixed_names / sizeof *fixed_names; i++) {
        if (strcmp(name, fixed_names[i]) != 0)
            continue;
        if (class != CLASS_W && class != CLASS_X)
            lower_fail(l, "%s has 32 bits", name);
        return fixed_slot(l, &(struct fixed){.kind = FIXED_SPECIAL, .bytes = class_bytes[class], .value = i});
    }
    for (uint32_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        if (strcmp(name, changing[i].name) != 0)
            continue;
        if (class != CLASS_W && class != CLASS_X)
            lower_fail(l, "%s has 32 or 64 bits", name);
        uint32_t temp = new_temp(l, class);
        struct ir *ir = emit(l, OP_special, class == CLASS_W ? "W" : "X", temp);
        ir->in.aux = (uint16_t)changing[i].special;
        ir->in.o[1] = class == CLASS_X;
        return temp;
    }
    if (strncmp(name, "%envreg", 7) == 0 || strncmp(name, "%reserved_smem_offset", 21) == 0)
        return fixed_value(l, class, 0);
    lower_fail(l, "unknown register %s", name);
}

void place_variable(struct lower *l, struct ptx_variable *variable)
{
    const void *owner = variable->space == SPACE_SHARED ? (void *)l->program : (void *)l->instance;
    uint32_t *total = variable->space == SPACE_SHARED ? &l->program->shared_bytes
                      : l->outline < 0                ? &l->program->local_bytes
                                                      : &l->outlines[l->outline].frame.local_bytes;

    if (variable->owner == owner)
        return;
    variable->owner = owner;
    if (variable->space == SPACE_PARAM && !variable->is_array) {
        variable->reg = new_vreg(l, ptx_type_class(variable->type));
        return;
    }
    uint64_t offset = ((uint64_t)*total + variable->align - 1) & ~(uint64_t)(variable->align - 1);
    if (offset + variable->bytes > WINDOW_BYTES)
        lower_fail(l, "%s: more than %d bytes of %s memory", variable->name, WINDOW_BYTES,
                   variable->space == SPACE_SHARED ? "shared" : "local");
    variable->offset = offset;
    variable->base = variable->space == SPACE_SHARED ? NO_REG : frame_base(l);
    *total = (uint32_t)(offset + variable->bytes);
}

/* Where static shared variables are must be known before the dynamic ones that
 * follow them are used. */
void place_shared(struct lower *l, struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        for (uint32_t j = 0; j < in->operand_count; j++) {
            struct ptx_variable *variable = in->operands[j].variable;
            if (variable != NULL && variable->space == SPACE_SHARED && variable->bytes > 0)
                place_variable(l, variable);
        }
        if (strncmp(in->opcode, "call", 4) != 0)
            continue;
        for (uint32_t j = 0; j < in->operand_count; j++) {
            struct ptx_function *callee = in->operands[j].kind == OPERAND_NAME
                                              ? ptx_function_find(l->module, in->operands[j].name)
                                              : NULL;
            if (callee != NULL && callee->shared_owner != l->program) {
                callee->shared_owner = l->program;
                place_shared(l, callee);
            }
        }
    }
}

static bool is_entry_param(struct lower *l, const struct ptx_variable *variable)
{
    struct ptx_function *kernel = l->instance->function;

    for (uint32_t i = 0; kernel->is_entry && i < kernel->param_count; i++)
        if (kernel->params[i] == variable)
            return true;
    return false;
}

/* Linked modules declare what another defines. */
static struct ptx_variable *defined_elsewhere(struct lower *l, struct ptx_variable *variable)
{
    for (uint32_t i = 0; i < l->module->variable_count; i++) {
        struct ptx_variable *other = l->module->variables[i];
        if (!other->is_extern && strcmp(other->name, variable->name) == 0)
            return other;
    }
    return variable;
}

static uint64_t variable_address(struct lower *l, struct ptx_variable *variable)
{
    switch (variable->space) {
    case SPACE_SHARED:
    case SPACE_LOCAL:
        place_variable(l, variable);
        return variable->offset;
    case SPACE_PARAM:
        if (is_entry_param(l, variable))
            return variable->address;
        place_variable(l, variable);
        if (!variable->is_array)
            lower_fail(l, "the address of the scalar parameter %s is taken", variable->name);
        return variable->offset;
    default:
        if (variable->is_extern)
            variable = defined_elsewhere(l, variable);
        if (variable->is_extern)
            lower_fail(l, "%s is declared extern and defined nowhere", variable->name);
        return variable->address;
    }
}

static bool has_base(const struct ptx_variable *variable)
{
    bool local = variable->space == SPACE_LOCAL || variable->space == SPACE_PARAM;

    return local && variable->owner != NULL && variable->base != NO_REG;
}

uint32_t variable_value(struct lower *l, struct ptx_variable *variable, enum reg_class class, int64_t offset)
{
    uint32_t value = fixed_value(l, class, variable_address(l, variable) + (uint64_t)offset);

    if (!has_base(variable))
        return value;
    uint32_t base = variable->base, sum = new_temp(l, class);
    if (class == CLASS_X) {
        base = new_temp(l, CLASS_X);
        emit(l, OP_zx32_64, "Xw", base, variable->base);
    }
    emit(l, class == CLASS_X ? OP_add_64 : OP_add_32, class == CLASS_X ? "Xxx" : "Www", sum, base, value);
    return sum;
}

uint32_t use(struct lower *l, const struct ptx_operand *operand, enum reg_class class, enum ptx_type type)
{
    switch (operand->kind) {
    case OPERAND_REG: {
        uint32_t reg = vreg_of(l, operand->reg);
        if (class_of(l, reg) != class)
            lower_fail(l, "expected %s, found %s", class_names[class], class_names[class_of(l, reg)]);
        if (operand->negate && class == CLASS_P) {
            uint32_t temp = new_temp(l, CLASS_P);
            emit(l, OP_pred_not, "Ppp", temp, reg, reg);
            return temp;
        }
        return reg;
    }
    case OPERAND_INT:
        if (class == CLASS_P)
            return fixed_value(l, CLASS_P, operand->imm != 0 ? ~0u : 0);
        return fixed_value(l, class, immediate(l, operand, type));
    case OPERAND_F32:
    case OPERAND_F64:
        if (class == CLASS_P || class == CLASS_H)
            lower_fail(l, "expected %s, found a floating-point constant", class_names[class]);
        return fixed_value(l, class, immediate(l, operand, type));
    case OPERAND_SPECIAL:
        return special(l, operand->name, class);
    case OPERAND_VARIABLE:
        if (class != CLASS_W && class != CLASS_X)
            lower_fail(l, "the address of %s needs 32 or 64 bits", operand->variable->name);
        return variable_value(l, operand->variable, class, operand->imm);
    case OPERAND_NAME:
        if (class == CLASS_X && ptx_function_number(l->module, operand->name) != UINT32_MAX)
            return fixed_value(l, CLASS_X, function_address(l, operand->name));
        lower_fail(l, "unknown name %s", operand->name);
    default:
        lower_fail(l, "expected %s", class_names[class]);
    }
}

uint32_t define(struct lower *l, const struct ptx_operand *operand, enum reg_class class)
{
    if (operand->kind == OPERAND_SINK)
        return new_temp(l, class);
    if (operand->kind != OPERAND_REG)
        lower_fail(l, "expected %s to write to", class_names[class]);
    uint32_t reg = vreg_of(l, operand->reg);
    if (class_of(l, reg) != class)
        lower_fail(l, "expected %s, found %s", class_names[class], class_names[class_of(l, reg)]);
    return reg;
}

struct address use_address(struct lower *l, const struct ptx_operand *operand)
{
    struct address address = {0, true, operand->imm};

    if (operand->kind != OPERAND_ADDRESS)
        lower_fail(l, "expected an address in []");
    if (operand->reg != NO_REG) {
        address.reg = vreg_of(l, operand->reg);
        address.wide = class_of(l, address.reg) == CLASS_X;
        if (!address.wide && class_of(l, address.reg) != CLASS_W)
            lower_fail(l, "an address has 32 or 64 bits");
    } else {
        address.reg = fixed_value(l, CLASS_X, 0);
        if (operand->variable != NULL)
            address.offset += (int64_t)variable_address(l, operand->variable);
        if (operand->variable != NULL && has_base(operand->variable)) {
            address.reg = operand->variable->base;
            address.wide = false;
        }
    }
    return address;
}

void copy_to(struct lower *l, uint32_t to, uint32_t from)
{
    switch (class_of(l, to)) {
    case CLASS_P:
        emit(l, OP_pred_copy, "Ppp", to, from, from);
        break;
    case CLASS_H:
        emit(l, OP_copy_16, "Hh", to, from);
        break;
    case CLASS_W:
        emit(l, OP_copy_32, "Ww", to, from);
        break;
    default:
        emit(l, OP_copy_64, "Xx", to, from);
        break;
    }
}
