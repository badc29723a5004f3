/* SPDX-License-Identifier: MIT */
/* lower_matrix.c: ldmatrix, stmatrix, mma, wmma, mbarrier. */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

static void all_lanes(struct lower *l)
{
    guard_by_branch(l);
    emit(l, OP_warp_sync, "w", fixed_value(l, CLASS_W, 0xffffffff));
}

struct list {
    uint32_t reg[32], count;
    char letter[32];
};

static void add_operand(struct lower *l, struct list *list, const struct ptx_operand *operand, bool written)
{
    const struct ptx_operand *first = operand->kind == OPERAND_VECTOR ? operand->elements : operand;
    uint32_t count = operand->kind == OPERAND_VECTOR ? operand->element_count : 1;

    for (uint32_t i = 0; i < count; i++) {
        enum reg_class class = operand_class(l, &first[i]);
        if (list->count == 32 || (class != CLASS_W && class != CLASS_X && class != CLASS_NONE))
            lower_fail(l, "expected 32-bit registers");
        class = class == CLASS_NONE ? CLASS_W : class;
        list->letter[list->count] = (written ? "PHWX" : "phwx")[class];
        list->reg[list->count++] = written ? define(l, &first[i], class) : use(l, &first[i], class, TYPE_b32);
    }
}

/* Groups of OPERANDS_MAX: those before an instruction stand in reverse. */
static void emit_list(struct lower *l, const struct list *list, bool before)
{
    uint32_t groups = (list->count + OPERANDS_MAX - 1) / OPERANDS_MAX;

    for (uint32_t g = 0; g < groups; g++) {
        uint32_t at = (before ? groups - 1 - g : g) * OPERANDS_MAX, n = list->count - at;
        const uint32_t *r = &list->reg[at];
        char letters[OPERANDS_MAX + 1] = {0};
        n = n < OPERANDS_MAX ? n : OPERANDS_MAX;
        memcpy(letters, &list->letter[at], n);
        emit(l, OP_args, letters, r[0], n > 1 ? r[1] : 0, n > 2 ? r[2] : 0, n > 3 ? r[3] : 0,
             n > 4 ? r[4] : 0, n > 5 ? r[5] : 0);
    }
}

struct shape {
    uint32_t m, n, k;
};

static struct shape shape_of(struct lower *l, const struct parts *parts)
{
    struct shape shape = {0, 0, 0};
    char *end;

    for (uint32_t i = 1; i < parts->count && shape.m == 0; i++) {
        const char *text = parts->part[i].text;
        if (text[0] != 'm' || text[1] < '0' || text[1] > '9')
            continue;
        shape.m = (uint32_t)strtoul(text + 1, &end, 10);
        shape.n = *end == 'n' ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
        shape.k = *end == 'k' ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
    }
    if (shape.m * shape.k > 512 || shape.k * shape.n > 512 || shape.m * shape.n > 512)
        lower_fail(l, "the shape is not supported by the host driver");
    return shape;
}

static void emit_matrix(struct lower *l, const struct ptx_instruction *in, enum opcode op, struct shape shape,
                        const enum ptx_type type[4], uint64_t flags)
{
    struct list read = {.count = 0}, written = {.count = 0};
    uint32_t na, nb;

    all_lanes(l);
    add_operand(l, &read, operand_at(l, in, 1), false);
    na = read.count;
    add_operand(l, &read, operand_at(l, in, 2), false);
    nb = read.count - na;
    add_operand(l, &read, operand_at(l, in, 3), false);
    add_operand(l, &written, operand_at(l, in, 0), true);
    emit_list(l, &read, true);
    struct ir *ir = emit(l, op, "");
    ir->in.aux = (uint16_t)(read.count | written.count << 8);
    ir->in.imm = (int64_t)((uint64_t)type[0] | (uint64_t)type[1] << 8 | (uint64_t)type[2] << 16 |
                           (uint64_t)type[3] << 24 | (uint64_t)shape.m << 32 | (uint64_t)shape.n << 38 |
                           (uint64_t)shape.k << 44 | (uint64_t)na << 50 | (uint64_t)nb << 54 | flags);
    emit_list(l, &written, false);
}

/* mma.sync.aligned.SHAPE.row.col.D.A.B.C */
void lower_mma(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_type type[4] = {parts_type(parts, 2), parts_type(parts, 1), parts_type(parts, 0),
                             parts_type(parts, 3)};

    emit_matrix(l, in, OP_matrix, shape_of(l, parts), type,
                parts_has(parts, "satfinite") ? MATRIX_SATURATES : 0);
}

/* mma.sync.aligned.m8n8k4.ALAYOUT.BLAYOUT.D.A.B.C */
void lower_mma_quads(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_type type[4] = {parts_type(parts, 2), parts_type(parts, 1), parts_type(parts, 0),
                             parts_type(parts, 3)};
    bool a_by_cols = parts->part[4].text[0] == 'c', b_by_rows = parts->part[5].text[0] == 'r';

    emit_matrix(l, in, OP_matrix_quads, shape_of(l, parts), type,
                (a_by_cols ? MATRIX_A_BY_COLS : 0) | (b_by_rows ? MATRIX_B_BY_ROWS : 0));
}

void lower_movmatrix(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    (void)parts;
    all_lanes(l);
    uint32_t from = use(l, operand_at(l, in, 1), CLASS_W, TYPE_b32);
    emit(l, OP_movmatrix, "Ww", define(l, &in->operands[0], CLASS_W), from);
}

/* wmma.mma.sync.aligned.row.col.SHAPE.D.C, or .D.A.B.C */
void lower_wmma_mma(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    enum ptx_type c = parts_type(parts, 0), d = parts_type(parts, 3);
    enum ptx_type type[4] = {parts_type(parts, 2), parts_type(parts, 1), c, d};

    if (d == TYPE_NONE) {
        type[0] = type[1] = TYPE_f16;
        type[3] = parts_type(parts, 1);
    }
    emit_matrix(l, in, OP_matrix, shape_of(l, parts), type,
                MATRIX_WMMA | (parts_has(parts, "satfinite") ? MATRIX_SATURATES : 0));
}

static const char *const space_names[] = {"global", "shared", "shared::cta"};
static const enum ptx_space spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_SHARED};

static uint16_t space_bits(const struct parts *parts, bool wide)
{
    int which = parts_which(parts, space_names, 3);

    return (uint16_t)((unsigned)(which < 0 ? SPACE_GENERIC : spaces[which]) << MEM_SPACE_SHIFT |
                      (wide ? MEM_WIDE : 0));
}

void lower_wmma_move(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool loads = parts_has(parts, "load"), by_cols = parts_has(parts, "col");
    struct shape shape = shape_of(l, parts);
    enum ptx_type type = parts_type(parts, 0);
    const struct ptx_operand *at = operand_at(l, in, loads ? 1 : 0), *data = operand_at(l, in, loads ? 0 : 1);
    bool is_a = parts_has(parts, "a"), is_b = parts_has(parts, "b");
    uint32_t rows = is_b ? shape.k : shape.m, cols = is_a ? shape.k : shape.n;
    struct list list = {.count = 0};

    all_lanes(l);
    uint32_t stride = fixed_value(l, CLASS_W, by_cols ? rows : cols);
    if (in->operand_count > 2)
        stride = use(l, &in->operands[2], CLASS_W, TYPE_u32);
    struct address address = use_address(l, at);
    add_operand(l, &list, data, loads);
    if (list.count > 15)
        lower_fail(l, "too many registers");
    if (!loads)
        emit_list(l, &list, true);
    struct ir *ir =
        emit(l, loads ? OP_wmma_load : OP_wmma_store, address.wide ? "xw" : "ww", address.reg, stride);
    ir->in.o[2] = type;
    ir->in.o[3] = rows;
    ir->in.o[4] = cols;
    ir->in.o[5] = by_cols;
    ir->in.imm = address.offset;
    ir->in.aux = (uint16_t)(space_bits(parts, address.wide) | list.count << 12);
    ir->in.cache = l->program->cache_count++;
    if (loads)
        emit_list(l, &list, false);
}

void lower_ldmatrix(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool loads = parts->part[0].text[0] == 'l';
    uint32_t count = parts_has(parts, "x4") ? 4 : parts_has(parts, "x2") ? 2 : 1;
    struct list list = {.count = 0};
    char letters[6] = {0};

    all_lanes(l);
    struct address address = use_address(l, operand_at(l, in, loads ? 1 : 0));
    add_operand(l, &list, operand_at(l, in, loads ? 0 : 1), loads);
    if (list.count != count)
        lower_fail(l, "expected %u registers, found %u", count, list.count);
    for (uint32_t i = count; i > 0 && !loads; i--) {
        list.reg[i] = list.reg[i - 1];
        list.letter[i] = list.letter[i - 1];
    }
    list.reg[loads ? count : 0] = address.reg;
    list.letter[loads ? count : 0] = address.wide ? 'x' : 'w';
    memcpy(letters, list.letter, count + 1);
    struct ir *ir = emit(l, loads ? OP_ldmatrix : OP_stmatrix, letters, list.reg[0], list.reg[1], list.reg[2],
                         list.reg[3], list.reg[4]);
    ir->in.aux =
        (uint16_t)(space_bits(parts, address.wide) | (count == 4 ? 2u : count - 1) << MEM_VECTOR_SHIFT |
                   (parts_has(parts, "trans") ? MEM_SIGNED : 0));
    ir->in.imm = address.offset;
    ir->in.cache = l->program->cache_count++;
}

/* Its operands are more than an instruction has: b and c are listed before. */
void lower_atom_128(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    bool compares = parts_has(parts, "cas");
    struct list list = {.count = 0};
    struct ptx_operand half[2];

    guard_by_branch(l);
    struct address address = use_address(l, operand_at(l, in, 1));
    for (uint32_t i = 2; i < 3u + compares; i++) {
        register_halves(l, operand_at(l, in, i), half);
        add_operand(l, &list, &half[0], false);
        add_operand(l, &list, &half[1], false);
    }
    register_halves(l, operand_at(l, in, 0), half);
    emit_list(l, &list, true);
    struct ir *ir = emit(l, OP_atom_128, address.wide ? "XXx" : "XXw", define(l, &half[0], CLASS_X),
                         define(l, &half[1], CLASS_X), address.reg);
    ir->in.o[5] = compares;
    ir->in.imm = address.offset;
    ir->in.aux = space_bits(parts, address.wide);
    ir->in.cache = l->program->cache_count++;
}

void lower_pending_count(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    uint32_t state = use(l, operand_at(l, in, 1), CLASS_X, TYPE_b64), word = new_temp(l, CLASS_W);

    (void)parts;
    emit(l, OP_low64_32, "Wx", word, state);
    emit(l, OP_and_32, "Www", define(l, &in->operands[0], CLASS_W), word, fixed_value(l, CLASS_W, 0xfffff));
}

void lower_mbarrier(struct lower *l, const struct ptx_instruction *in, const struct parts *parts)
{
    static const char *const names[] = {"init", "arrive", "arrive_drop", "test_wait", "try_wait"};
    int which = parts_which(parts, names, 5);
    bool has_result = which > 0 && strncmp(parts->part[0].text, "cp", 2) != 0 &&
                      operand_at(l, in, 0)->kind != OPERAND_ADDRESS;
    uint32_t at = has_result ? 1 : 0, operation = which == 0   ? MBARRIER_INIT
                                                  : which == 1 ? MBARRIER_ARRIVE
                                                               : MBARRIER_DROP;
    struct address address = use_address(l, operand_at(l, in, at));
    uint32_t value = fixed_value(l, CLASS_W, 1),
             to = has_result && which <= 2 ? define(l, &in->operands[0], CLASS_X) : new_temp(l, CLASS_X);
    char signature[] = "XwwW";

    signature[3] = 0;
    if (which >= 3) {
        bool parity = parts_has(parts, "parity");
        operation = parity ? MBARRIER_PARITY : MBARRIER_TEST;
        to = define(l, &in->operands[0], CLASS_P);
        value = use(l, operand_at(l, in, 2), parity ? CLASS_W : CLASS_X, parity ? TYPE_u32 : TYPE_b64);
        signature[0] = 'P';
        signature[2] = parity ? 'w' : 'x';
    } else if (in->operand_count > at + 1) {
        value = use(l, &in->operands[at + 1], CLASS_W, TYPE_u32);
    }
    signature[1] = address.wide ? 'x' : 'w';
    struct ir *ir = emit(l, OP_mbarrier, signature, to, address.reg, value);
    ir->in.o[5] = operation;
    ir->in.aux = space_bits(parts, address.wide);
    ir->in.imm = address.offset;
    ir->in.cache = l->program->cache_count++;
}
