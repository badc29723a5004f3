/* SPDX-License-Identifier: MIT */
/* sass.c: facts from machine code of sm_70 and later.  An instruction is 128 bits: its operation in
 * bits 0 to 8, the form of its operands in 9 to 11, then the registers, one byte each. */
#include "sass.h"

#include "neighbours.h"

enum { INSTRUCTION_BYTES = 16, ZERO_REGISTER = 255 };

enum operation {
    OP_FMUL = 0x020,
    OP_FADD = 0x021,
    OP_FFMA = 0x023,
    OP_DMUL = 0x028,
    OP_DADD = 0x029,
    OP_DFMA = 0x02b,
    OP_FADD2 = 0x04b, /* two f32 at once, sm_100 */
    OP_FFMA2 = 0x049,
    OP_FMUL2 = 0x04a,
    OP_F2F = 0x110,
    OP_LDG = 0x181,
    OP_LDL = 0x183,
    OP_STG = 0x186,
    OP_STL = 0x187,
};

struct instruction {
    uint64_t low, high;
};

typedef uint64_t register_set[4]; /* a bit per register */

struct scan {
    struct insp_code *code;
    struct insp_neighbours neighbours;
    register_set product; /* holds the result of an FMUL */
    register_set widened; /* holds an f64 that began as an f32 */
};

static uint32_t bits(uint64_t word, int first, int count)
{
    return (uint32_t)(word >> first & ((1u << count) - 1));
}

/* Bytes that a load or store moves per thread. */
static uint32_t access_bytes(const struct instruction *instruction)
{
    static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 32};
    return bytes[bits(instruction->high, 9, 3)];
}

static bool has(const register_set set, uint32_t reg)
{
    return reg != ZERO_REGISTER && set[reg / 64] >> (reg % 64) & 1;
}

static void put(register_set set, uint32_t reg, bool member)
{
    uint64_t bit = (uint64_t)1 << (reg % 64);
    set[reg / 64] = member ? set[reg / 64] | bit : set[reg / 64] & ~bit;
}

/* Operands that are registers: the first always; the second and third as the form says. */
static bool reads(const register_set set, const struct instruction *instruction, bool three)
{
    uint32_t form = bits(instruction->low, 9, 3);
    return has(set, bits(instruction->low, 24, 8)) ||
           (form == 1 && has(set, bits(instruction->low, 32, 8))) ||
           (three && has(set, bits(instruction->high, 0, 8)));
}

static void see_global(struct scan *scan, const struct instruction *instruction, uint32_t operation)
{
    uint32_t bytes = access_bytes(instruction);
    uint32_t base = bits(instruction->low, 24, 8);
    scan->code->global++;
    if (bytes >= 8)
        scan->code->global_vector++;
    if (bytes != 4 || base == ZERO_REGISTER)
        return;
    int32_t offset = (int32_t)bits(instruction->low, 40, 24);
    insp_see_access(&scan->neighbours, scan->code, operation << 8 | base,
                    offset >= 1 << 23 ? offset - (1 << 24) : offset);
}

/* Returns whether the result is an f64 that began as an f32. */
static bool see_conversion(struct scan *scan, const struct instruction *instruction)
{
    uint32_t from = bits(instruction->high, 20, 2), to = bits(instruction->high, 11, 2);
    bool widens = from == 2 && to == 3;
    scan->code->widen += widens;
    scan->code->narrow += from == 3 && to == 2 && has(scan->widened, bits(instruction->low, 32, 8));
    return widens;
}

static void see(struct scan *scan, const struct instruction *instruction)
{
    struct insp_code *code = scan->code;
    uint32_t operation = bits(instruction->low, 0, 9);
    bool product = false, widened = false;
    switch (operation) {
    case OP_FADD:
        code->mul_add32 += reads(scan->product, instruction, false);
        code->f32++;
        break;
    case OP_FMUL:
        product = !bits(instruction->high, 13, 1); /* a saturated product cannot be fused */
        code->f32++;
        break;
    case OP_FADD2:
    case OP_FMUL2:
        code->f32++;
        break;
    case OP_FFMA:
    case OP_FFMA2:
        code->f32++;
        code->fma32++;
        break;
    case OP_DADD:
    case OP_DMUL:
    case OP_DFMA:
        code->f64++;
        widened = reads(scan->widened, instruction, operation == OP_DFMA);
        break;
    case OP_F2F:
        widened = see_conversion(scan, instruction);
        break;
    case OP_LDG:
    case OP_STG:
        see_global(scan, instruction, operation);
        break;
    case OP_LDL:
    case OP_STL:
        code->local++;
        break;
    default:
        break;
    }
    put(scan->product, bits(instruction->low, 16, 8), product);
    put(scan->widened, bits(instruction->low, 16, 8), widened);
}

void insp_sass_read(struct insp_code *code, struct insp_span text)
{
    struct scan scan = {.code = code};
    for (size_t at = 0; at + INSTRUCTION_BYTES <= text.size; at += INSTRUCTION_BYTES) {
        struct instruction instruction;
        memcpy(&instruction, text.bytes + at, sizeof instruction);
        see(&scan, &instruction);
        code->instructions++;
    }
}

void insp_sass_spill(struct insp_kernel *kernel, struct insp_span text, uint32_t offset)
{
    struct instruction instruction;
    struct insp_span bytes = insp_slice(text, offset, sizeof instruction);
    if (!bytes.size)
        return;
    memcpy(&instruction, bytes.bytes, sizeof instruction);
    uint32_t operation = bits(instruction.low, 0, 9);
    if (operation == OP_STL)
        kernel->spill_store_bytes += access_bytes(&instruction);
    else if (operation == OP_LDL)
        kernel->spill_load_bytes += access_bytes(&instruction);
}
