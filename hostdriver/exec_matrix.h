/* SPDX-License-Identifier: MIT */
/* exec_matrix.h: ldmatrix, stmatrix, mma and wmma.
 *
 * The many registers of one are in OP_args before (read) and after (written).
 * Sums are made as the tensor cores make them: products exact, each block of
 * them and the addend aligned to the largest exponent and truncated there.
 */
enum { MATRIX_MOST = 32 * 16 };

struct matrix {
    f64 value[MATRIX_MOST];
    s32 exponent[MATRIX_MOST]; /* of the encoding: subnormals have the least */
    s32 integer[MATRIX_MOST];
    u32 rows, cols;
};

static u32 listed(const struct insn *in, s32 direction, u32 i)
{
    return direction < 0 ? in[-(s64)(i / OPERANDS_MAX) - 1].o[i % OPERANDS_MAX]
                         : in[1 + i / OPERANDS_MAX].o[i % OPERANDS_MAX];
}

EXECUTOR(exec_args)
{
    (void)warp;
    return in + 1;
}

/* Inlined where the type is a constant, so that nothing is decided per element. */
#define INLINED static inline __attribute__((always_inline))

/* Element e of a lane's registers, from the n-th on. */
INLINED u64 element_bits(struct warp *warp, const u32 *slot, u32 lane, u32 e, enum ptx_type type)
{
    switch (type) {
    case TYPE_f16:
    case TYPE_bf16:
        return SLOT(u32, slot[e / 2])[lane] >> (e % 2 * 16) & 0xffff;
    case TYPE_s8:
    case TYPE_u8:
    case TYPE_e4m3:
    case TYPE_e5m2:
        return SLOT(u32, slot[e / 4])[lane] >> (e % 4 * 8) & 0xff;
    case TYPE_f64:
        return SLOT(u64, slot[e])[lane];
    default:
        return SLOT(u32, slot[e])[lane];
    }
}

INLINED void matrix_set(struct matrix *m, u32 at, u64 bits, enum ptx_type type)
{
    u32 word = (u32)bits;

    switch (type) {
    case TYPE_f16:
        m->value[at] = half_value(word, false);
        m->exponent[at] = (s32)(word >> 10 & 31) == 0 ? -14 : (s32)(word >> 10 & 31) - 15;
        break;
    case TYPE_bf16:
    case TYPE_tf32:
    case TYPE_f32:
        word = type == TYPE_bf16 ? word << 16 : type == TYPE_tf32 ? word & 0xffffe000 : word;
        m->value[at] = from_bits_f32(word);
        m->exponent[at] = (s32)(word >> 23 & 255) == 0 ? -126 : (s32)(word >> 23 & 255) - 127;
        break;
    case TYPE_e4m3:
    case TYPE_e5m2: {
        u32 wide = widen_fp8(word, type == TYPE_e5m2), bias = type == TYPE_e5m2 ? 15 : 7;
        u32 exponent = type == TYPE_e5m2 ? word >> 2 & 31 : word >> 3 & 15;
        m->value[at] = half_value(wide, false);
        m->exponent[at] = (s32)(exponent == 0 ? 1 : exponent) - (s32)bias;
        break;
    }
    case TYPE_s8:
        m->integer[at] = (s8)word;
        break;
    case TYPE_f64:
        m->value[at] = from_bits_f64(bits);
        break;
    default:
        m->integer[at] = (s32)word;
        break;
    }
}

static f32 truncated(f64 a)
{
    f32 result = (f32)a;

    if (fabs((f64)result) > fabs(a) && fabs(a) < 0x1p128)
        result = from_bits_f32(bits_f32(result) - 1);
    return result;
}

struct tensor_core {
    u32 block; /* products added at once */
    s32 bits;  /* kept below the largest exponent */
};

static struct tensor_core tensor_core_of(const struct warp *warp, enum ptx_type type)
{
    u32 capability = warp->block->launch->capability;
    u32 block = capability >= 90 ? 16 : capability >= 80 ? 8 : 4;

    /* 8-bit floats as f16, which an H200 multiplies them as */
    return (struct tensor_core){type == TYPE_tf32 ? block / 2 : block, 23 + (capability >= 90   ? 2
                                                                             : capability >= 80 ? 1
                                                                                                : 0)};
}

static f64 power_of_two(s32 exponent)
{
    return from_bits_f64((u64)(1023 + exponent) << 52);
}

enum { SUMS = 8 }; /* columns that are worked out together; every shape has a multiple of them */

/* sum[j] + the products of one block, for SUMS columns from col on. */
static void block_sums(const struct matrix *a, const struct matrix *b, u32 row, u32 col, u32 k, u32 count,
                       f32 *sum, s32 bits)
{
    s32 exponent[SUMS];
    f64 plain[SUMS], scale[SUMS], aligned[SUMS];

    for (u32 j = 0; j < SUMS; j++) {
        s32 of_sum = (s32)(bits_f32(sum[j]) >> 23 & 255) - 127;
        of_sum = of_sum == -127 ? -126 : of_sum;
        exponent[j] = sum[j] == 0 ? INT32_MIN : of_sum;
        plain[j] = sum[j];
    }
    for (u32 i = k; i < k + count; i++) {
        f64 x = a->value[row * a->cols + i];
        s32 of_x = a->exponent[row * a->cols + i];
        const f64 *y = &b->value[i * b->cols + col];
        const s32 *of_y = &b->exponent[i * b->cols + col];
        for (u32 j = 0; j < SUMS; j++) {
            f64 product = x * y[j];
            s32 of_product = product != 0 ? of_x + of_y[j] : INT32_MIN;
            plain[j] += product;
            exponent[j] = of_product > exponent[j] ? of_product : exponent[j];
        }
    }
    for (u32 j = 0; j < SUMS; j++) {
        /* -252 <= exponent <= 254: scale and its inverse are normal; INT32_MIN: all are zero */
        scale[j] = power_of_two(exponent[j] == INT32_MIN ? 0 : bits - exponent[j]);
        aligned[j] = trunc((f64)sum[j] * scale[j]);
    }
    for (u32 i = k; i < k + count; i++) {
        f64 x = a->value[row * a->cols + i];
        const f64 *y = &b->value[i * b->cols + col];
        for (u32 j = 0; j < SUMS; j++)
            aligned[j] += trunc(x * y[j] * scale[j]);
    }
    for (u32 j = 0; j < SUMS; j++) {
        if (plain[j] - plain[j] != 0)
            sum[j] = canonical((f32)plain[j]);
        else if (exponent[j] == INT32_MIN)
            sum[j] = (f32)plain[j];
        else
            sum[j] = truncated(aligned[j] / scale[j]);
    }
}

/* c + a row of a times columns [col, col + SUMS) of b. */
static void dots(const struct warp *warp, const struct matrix *a, const struct matrix *b, u32 row, u32 col,
                 const f64 *c, f64 *d, enum ptx_type type)
{
    struct tensor_core core = tensor_core_of(warp, type);
    f32 sum[SUMS];

    for (u32 j = 0; j < SUMS; j++)
        sum[j] = (f32)c[j];
    for (u32 i = 0; i < a->cols; i += core.block) {
        u32 left = a->cols - i;
        block_sums(a, b, row, col, i, left < core.block ? left : core.block, sum, core.bits);
    }
    for (u32 j = 0; j < SUMS; j++)
        d[j] = sum[j];
}

static f64 dot_f64(const struct matrix *a, const struct matrix *b, u32 row, u32 col, f64 c)
{
    for (u32 i = 0; i < a->cols; i++)
        c = fma(a->value[row * a->cols + i], b->value[i * b->cols + col], c);
    return c;
}

static s32 dot_integer(const struct matrix *a, const struct matrix *b, u32 row, u32 col, s32 c,
                       bool saturates)
{
    s64 sum = c;

    for (u32 i = 0; i < a->cols; i++)
        sum += (s64)a->integer[row * a->cols + i] * b->integer[i * b->cols + col];
    return saturates ? saturate_s32(sum) : (s32)(u32)(u64)sum;
}

INLINED u32 per_register(enum ptx_type type)
{
    return type == TYPE_f16 || type == TYPE_bf16                                          ? 2
           : type == TYPE_s8 || type == TYPE_u8 || type == TYPE_e4m3 || type == TYPE_e5m2 ? 4
                                                                                          : 1;
}

/* Where element e of a lane is in the matrix (part 0 A, 1 B, 2 C), row-major. */
INLINED u32 mma_place(u32 part, u32 lane, u32 e, u32 p, u32 rows, u32 cols)
{
    u32 group = lane >> 2, thread = lane & 3, reg = e / p;

    if (part == 2)
        return (group + 8 * (e >> 1)) * cols + thread * 2 + (e & 1);
    if (part == 1)
        return (thread * p + e % p + reg * 4 * p) * cols + group;
    if (rows == 8)
        return group * cols + thread * p + e % p + reg * 4 * p;
    return (group + 8 * (reg & 1)) * cols + thread * p + e % p + (reg >> 1) * 4 * p;
}

INLINED u32 place(u32 part, bool is_wmma, u32 lane, u32 e, u32 p, u32 rows, u32 cols)
{
    if (!is_wmma)
        return mma_place(part, lane, e, p, rows, cols);
    u32 each = rows * cols / 32;
    return lane * each + e % each;
}

INLINED void matrix_get_as(struct warp *warp, struct matrix *m, u32 part, const u32 *slot, u32 regs,
                           enum ptx_type type, bool is_wmma)
{
    u32 p = per_register(type);

    for (u32 lane = 0; lane < LANES; lane++)
        for (u32 e = 0; e < regs * p; e++)
            matrix_set(m, place(part, is_wmma, lane, e, p, m->rows, m->cols),
                       element_bits(warp, slot, lane, e, type), type);
}

static void matrix_get(struct warp *warp, struct matrix *m, u32 part, const u32 *slot, u32 regs, u32 rows,
                       u32 cols, enum ptx_type type, bool is_wmma)
{
    m->rows = rows;
    m->cols = cols;
    switch (is_wmma ? TYPE_NONE : type) {
    case TYPE_f16:
        matrix_get_as(warp, m, part, slot, regs, TYPE_f16, false);
        break;
    case TYPE_bf16:
        matrix_get_as(warp, m, part, slot, regs, TYPE_bf16, false);
        break;
    case TYPE_tf32:
        matrix_get_as(warp, m, part, slot, regs, TYPE_tf32, false);
        break;
    case TYPE_f32:
        matrix_get_as(warp, m, part, slot, regs, TYPE_f32, false);
        break;
    default:
        matrix_get_as(warp, m, part, slot, regs, type, is_wmma);
        break;
    }
}

INLINED void matrix_put_as(struct warp *warp, const struct matrix *m, const u32 *slot, u32 regs,
                           enum ptx_type type, bool is_wmma)
{
    u32 p = per_register(type);

    for (u32 lane = 0; lane < LANES; lane++)
        for (u32 e = 0; e < regs * p; e++) {
            u32 at = place(2, is_wmma, lane, e, p, m->rows, m->cols);
            u32 *word = type == TYPE_f64 ? NULL : &SLOT(u32, slot[e / p])[lane];
            if (type == TYPE_f64)
                SLOT(f64, slot[e])[lane] = m->value[at];
            else if (type == TYPE_f32)
                *word = bits_f32((f32)m->value[at]);
            else if (type == TYPE_f16)
                *word = e % 2 == 0 ? narrow(m->value[at], NARROW_F16)
                                   : *word | narrow(m->value[at], NARROW_F16) << 16;
            else
                *word = (u32)m->integer[at];
        }
}

static void matrix_put(struct warp *warp, const struct matrix *m, const u32 *slot, u32 regs,
                       enum ptx_type type, bool is_wmma)
{
    if (type == TYPE_f32 && !is_wmma)
        matrix_put_as(warp, m, slot, regs, TYPE_f32, false);
    else
        matrix_put_as(warp, m, slot, regs, type, is_wmma);
}

/* imm: MATRIX_*; aux: number of registers read and written, a byte each */
EXECUTOR(exec_matrix)
{
    u64 what = (u64)in->imm;
    enum ptx_type ta = (enum ptx_type)(what & 255), tb = (enum ptx_type)(what >> 8 & 255),
                  tc = (enum ptx_type)(what >> 16 & 255), td = (enum ptx_type)(what >> 24 & 255);
    u32 rows = what >> 32 & 63, cols = what >> 38 & 63, depth = what >> 44 & 63, na = what >> 50 & 15,
        nb = what >> 54 & 15, reads = in->aux & 255, writes = in->aux >> 8;
    bool is_wmma = what & MATRIX_WMMA, saturates = what & MATRIX_SATURATES;
    u32 slot[32];
    struct matrix *m = warp->block->scratch, *a = m, *b = m + 1, *c = m + 2, *d = m + 3;

    for (u32 i = 0; i < reads; i++)
        slot[i] = listed(in, -1, i);
    matrix_get(warp, a, 0, slot, na, rows, depth, ta, is_wmma);
    matrix_get(warp, b, 1, slot + na, nb, depth, cols, tb, is_wmma);
    matrix_get(warp, c, 2, slot + na + nb, reads - na - nb, rows, cols, tc, is_wmma);
    d->rows = rows;
    d->cols = cols;
    for (u32 row = 0; row < rows; row++)
        for (u32 col = 0; col < cols; col++) {
            u32 at = row * cols + col;
            if (tc == TYPE_s32)
                d->integer[at] = dot_integer(a, b, row, col, c->integer[at], saturates);
            else if (ta == TYPE_f64)
                d->value[at] = dot_f64(a, b, row, col, c->value[at]);
            else if (col % SUMS == 0)
                dots(warp, a, b, row, col, &c->value[at], &d->value[at], ta);
        }
    for (u32 i = 0; i < writes; i++)
        slot[i] = listed(in, 1, i);
    matrix_put(warp, d, slot, writes, td, is_wmma);
    return in + 1;
}

/* Quad q, lanes 4q to 4q + 3 and 16 more, multiplies 8x4 by 4x8 by itself; its i-th lane. */
static u32 quad_lane(u32 quad, u32 i)
{
    return quad * 4 + (i & 3) + (i & 4) * 4;
}

/* Where element e of C or D in the quad's i-th lane is, row-major. */
static u32 quad_place(u32 i, u32 e, enum ptx_type type)
{
    return type == TYPE_f16 ? i * 8 + e : ((i & 1) + (e & 2) + (i & 4)) * 8 + (e & 4) + (i & 2) + (e & 1);
}

/* As OP_matrix, for mma.m8n8k4 of float16. */
EXECUTOR(exec_matrix_quads)
{
    u64 what = (u64)in->imm;
    enum ptx_type tc = (enum ptx_type)(what >> 16 & 255), td = (enum ptx_type)(what >> 24 & 255);
    u32 reads = in->aux & 255, writes = in->aux >> 8, slot[2 + 2 + 8];
    struct matrix *m = warp->block->scratch, *a = m, *b = m + 1, *c = m + 2, *d = m + 3;

    a->cols = 4;
    b->cols = 8;
    for (u32 quad = 0; quad < 4; quad++) {
        for (u32 i = 0; i < reads; i++)
            slot[i] = listed(in, -1, i);
        for (u32 i = 0; i < 8; i++) {
            u32 lane = quad_lane(quad, i);
            for (u32 e = 0; e < 4; e++) {
                u32 at_a = what & MATRIX_A_BY_COLS ? ((i & 4) + e) * 4 + (i & 3) : i * 4 + e;
                u32 at_b = what & MATRIX_B_BY_ROWS ? (i & 3) * 8 + (i & 4) + e : e * 8 + i;
                matrix_set(a, at_a, element_bits(warp, slot, lane, e, TYPE_f16), TYPE_f16);
                matrix_set(b, at_b, element_bits(warp, slot + 2, lane, e, TYPE_f16), TYPE_f16);
            }
            for (u32 e = 0; e < 8; e++)
                matrix_set(c, quad_place(i, e, tc), element_bits(warp, slot + 4, lane, e, tc), tc);
        }
        for (u32 row = 0; row < 8; row++)
            dots(warp, a, b, row, 0, &c->value[row * 8], &d->value[row * 8], TYPE_f16);
        for (u32 i = 0; i < writes; i++)
            slot[i] = listed(in, 1, i);
        for (u32 i = 0; i < 8; i++)
            for (u32 e = 0; e < 8; e++) {
                f64 value = d->value[quad_place(i, e, td)];
                u32 *word = &SLOT(u32, slot[td == TYPE_f16 ? e / 2 : e])[quad_lane(quad, i)];
                if (td == TYPE_f32)
                    *word = bits_f32((f32)value);
                else
                    *word = e % 2 == 0 ? narrow(value, NARROW_F16) : *word | narrow(value, NARROW_F16) << 16;
            }
    }
    return in + 1;
}

/* o: result, source: an 8x8 matrix of 16 bits, transposed */
EXECUTOR(exec_movmatrix)
{
    u32 a[LANES];

    memcpy(a, SLOT(u32, in->o[1]), sizeof a);
    for (u32 lane = 0; lane < LANES; lane++) {
        u32 row = lane / 4, col = lane % 4 * 2, shift = row % 2 * 16;
        u32 low = a[col * 4 + row / 2] >> shift & 0xffff, high = a[(col + 1) * 4 + row / 2] >> shift & 0xffff;
        SLOT(u32, in->o[0])[lane] = low | high << 16;
    }
    return in + 1;
}

/* o: halves of the result, address; o[5]: compares; imm: offset; listed before: b, and c to compare with. */
EXECUTOR(exec_atom_128)
{
    static int busy;
    u64 where[LANES];

    may_spin(warp);
    if (!resolve(warp, in, in->cache, space_of(in), warp->mask, in->o[2], in->aux & MEM_WIDE, in->imm, 16,
                 where, true))
        return NULL;
    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u64 b[2], c[2] = {0}, old[2], *at = (u64 *)(uintptr_t)where[lane];
        for (u32 i = 0; i < 2; i++) {
            b[i] = SLOT(u64, listed(in, -1, i))[lane];
            c[i] = in->o[5] ? SLOT(u64, listed(in, -1, i + 2))[lane] : b[i];
        }
        while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
            ;
        memcpy(old, at, sizeof old);
        if (!in->o[5] || memcmp(old, b, sizeof old) == 0)
            memcpy(at, c, sizeof old);
        __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
        SLOT(u64, in->o[0])[lane] = old[0];
        SLOT(u64, in->o[1])[lane] = old[1];
    }
    return in + 1;
}

/* wmma.load and .store: o: address, stride; imm: offset; o[2]: type, o[3]:
 * rows, o[4]: columns, o[5]: by columns; aux: MEM_*, registers in the top bits */
static u8 *wmma_element(struct warp *warp, const struct insn *in, u32 lane, u32 e, bool write)
{
    enum ptx_type type = (enum ptx_type)in->o[2];
    u32 rows = in->o[3], cols = in->o[4],
        bytes = type == TYPE_f16 || type == TYPE_bf16 ? 2
                : per_register(type) == 4             ? 1
                : type == TYPE_f64                    ? 8
                                                      : 4;
    u32 at = place(0, true, lane, e, 1, rows, cols), row = at / cols, col = at % cols;
    u32 stride = SLOT(u32, in->o[1])[lane];
    u64 base = in->aux & MEM_WIDE ? SLOT(u64, in->o[0])[lane] : SLOT(u32, in->o[0])[lane];
    u64 index = in->o[5] ? (u64)col * stride + row : (u64)row * stride + col;
    u64 address = base + (u64)in->imm + index * bytes;
    u8 *host = resolve_lane(warp, in->cache, space_of(in), lane, address, bytes);

    if (host == NULL || (address & (bytes - 1)) != 0) {
        warp_fault_memory(warp, (u32)(in - warp->code), host == NULL ? FAULT_ADDRESS : FAULT_MISALIGNED, lane,
                          space_of(in), address, bytes, write);
        return NULL;
    }
    return check_shared(warp, in, lane, address, bytes, write ? ACCESS_WRITE : ACCESS_READ) ? host : NULL;
}

EXECUTOR(exec_wmma_load)
{
    enum ptx_type type = (enum ptx_type)in->o[2];
    u32 regs = in->aux >> 12, p = per_register(type), bytes = 4 / p;

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        for (u32 e = 0; e < regs * p; e++) {
            u32 slot = listed(in, 1, e / p), value = 0;
            const u8 *at = wmma_element(warp, in, lane, e, false);
            if (at == NULL)
                return NULL;
            if (type == TYPE_f64) {
                memcpy(&SLOT(u64, slot)[lane], at, 8);
                continue;
            }
            memcpy(&value, at, bytes);
            u32 *word = &SLOT(u32, slot)[lane];
            *word = e % p == 0 ? value : *word | value << (e % p * bytes * 8);
        }
    }
    return in + 1;
}

EXECUTOR(exec_wmma_store)
{
    enum ptx_type type = (enum ptx_type)in->o[2];
    u32 regs = in->aux >> 12, p = per_register(type);

    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes), slot[16];
        for (u32 i = 0; i < regs; i++)
            slot[i] = listed(in, -1, i);
        for (u32 e = 0; e < regs * p; e++) {
            u64 bits = element_bits(warp, slot, lane, e, type);
            u8 *at = wmma_element(warp, in, lane, e, true);
            if (at == NULL)
                return NULL;
            memcpy(at, &bits, type == TYPE_f64 ? 8 : 4 / p);
        }
    }
    return in + 1;
}

/* o: registers, then the address; aux: MEM_*, log2 of the matrices in the
 * vector bits, MEM_SIGNED: transposed */
static const struct insn *move_matrix(struct warp *warp, const struct insn *in, bool loads)
{
    u32 count = 1u << (in->aux >> MEM_VECTOR_SHIFT & 3), givers = count == 4 ? ~0u : (1u << 8 * count) - 1;
    u32 address = loads ? in->o[count] : in->o[0];
    bool transposed = in->aux & MEM_SIGNED;
    u64 where[LANES];

    if (!resolve(warp, in, in->cache, space_of(in), givers & warp->mask, address, in->aux & MEM_WIDE, in->imm,
                 16, where, !loads))
        return NULL;
    for (u32 lane = 0; warp->block->shadow != NULL && lane < 8 * count; lane++) {
        u64 base = in->aux & MEM_WIDE ? SLOT(u64, address)[lane] : SLOT(u32, address)[lane];
        if (!check_shared(warp, in, lane, base + (u64)in->imm, 16, loads ? ACCESS_READ : ACCESS_WRITE))
            return NULL;
    }
    for (u32 i = 0; i < count; i++)
        for (u32 lane = 0; lane < LANES; lane++)
            for (u32 e = 0; e < 2; e++) {
                u32 row = lane / 4, col = lane % 4 * 2 + e;
                u16 *slot = (u16 *)(void *)&SLOT(u32, in->o[loads ? i : i + 1])[lane] + e;
                u64 at = transposed ? where[8 * i + col] + row * 2 : where[8 * i + row] + col * 2;
                memcpy(loads ? slot : (u16 *)(uintptr_t)at, loads ? (u16 *)(uintptr_t)at : slot, 2);
            }
    return in + 1;
}

EXECUTOR(exec_ldmatrix)
{
    return move_matrix(warp, in, true);
}

EXECUTOR(exec_stmatrix)
{
    return move_matrix(warp, in, false);
}

/* o: result, address, value; o[5]: enum mbarrier_operation; aux: MEM_*.  The
 * word: threads to come in 20 bits, threads expected in 20, phase in the rest. */
EXECUTOR(exec_mbarrier)
{
    u64 where[LANES];
    u32 operation = in->o[5];

    may_spin(warp);
    if (!resolve(warp, in, in->cache, space_of(in), warp->mask, in->o[1], in->aux & MEM_WIDE, in->imm, 8,
                 where, true))
        return NULL;
    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u64 *word = (u64 *)(uintptr_t)where[lane], old = *word, phase = old >> 40;
        u32 value = operation == MBARRIER_TEST ? 0 : SLOT(u32, in->o[2])[lane];
        bool done;
        switch (operation) {
        case MBARRIER_INIT:
            *word = value | (u64)value << 20;
            break;
        case MBARRIER_ARRIVE:
            if ((old & 0xfffff) < value)
                return fault(warp, in, FAULT_BARRIER, lane);
            warp->block->epoch += (old & 0xfffff) == value;
            *word = (old & 0xfffff) == value
                        ? (old & 0xfffff00000) | (old >> 20 & 0xfffff) | (phase + 1) << 40
                        : old - value;
            SLOT(u64, in->o[0])[lane] = old;
            break;
        case MBARRIER_DROP:
            if ((old & 0xfffff) < value || (old >> 20 & 0xfffff) < value)
                return fault(warp, in, FAULT_BARRIER, lane);
            warp->block->epoch += (old & 0xfffff) == value;
            *word = old - ((u64)value << 20) - value;
            if ((old & 0xfffff) == value)
                *word = (*word & 0xfffff00000) | (*word >> 20 & 0xfffff) | (phase + 1) << 40;
            SLOT(u64, in->o[0])[lane] = old;
            break;
        case MBARRIER_TEST:
        default:
            done = operation == MBARRIER_TEST ? SLOT(u64, in->o[2])[lane] >> 40 != phase
                                              : (phase & 1) != (value & 1);
            PRED(in->o[0]) = done ? PRED(in->o[0]) | lane_bit[lane] : PRED(in->o[0]) & ~lane_bit[lane];
            break;
        }
    }
    return in + 1;
}
