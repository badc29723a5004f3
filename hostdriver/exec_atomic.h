/* SPDX-License-Identifier: MIT */
/* exec_atomic.h: atom and red, one lane after the other.
 *
 * Blocks run on several host threads, so each lane's operation is a host
 * atomic, or a compare-and-swap loop where the host has no such operation.
 */
static inline u64 atomic_result(enum atomic_operation operation, u64 old, u64 b)
{
    switch (operation) {
    case ATOM_ADD:
        return old + b;
    case ATOM_AND:
        return old & b;
    case ATOM_OR:
        return old | b;
    case ATOM_XOR:
        return old ^ b;
    case ATOM_EXCH:
        return b;
    case ATOM_MIN_U:
        return old < b ? old : b;
    case ATOM_MAX_U:
        return old > b ? old : b;
    case ATOM_MIN_S:
        return (s64)old < (s64)b ? old : b;
    case ATOM_MAX_S:
        return (s64)old > (s64)b ? old : b;
    case ATOM_INC:
        return old >= b ? 0 : old + 1;
    case ATOM_DEC:
        return old == 0 || old > b ? b : old - 1;
    case ATOM_ADD_F32:
        return bits_f32(from_bits_f32((u32)old) + from_bits_f32((u32)b));
    case ATOM_ADD_F64:
        return bits_f64(from_bits_f64(old) + from_bits_f64(b));
    case ATOM_ADD_F16:
    case ATOM_ADD_BF16: {
        u32 aux = HALF_ADD | (operation == ATOM_ADD_BF16 ? HALF_BF16 : 0);
        return half_compute(old & 0xffff, b & 0xffff, 0, aux) |
               (u64)half_compute(old >> 16 & 0xffff, b >> 16 & 0xffff, 0, aux) << 16;
    }
    case ATOM_CAS:
        break;
    }
    return b;
}

#define DEFINE_ATOMIC(T, S)                                                                                  \
    static u64 atomic_##T(T *at, enum atomic_operation operation, T b, T c)                                  \
    {                                                                                                        \
        T old = __atomic_load_n(at, __ATOMIC_RELAXED), new;                                                  \
        if (operation == ATOM_CAS) {                                                                         \
            old = b;                                                                                         \
            __atomic_compare_exchange_n(at, &old, c, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
            return old;                                                                                      \
        }                                                                                                    \
        bool is_signed = operation == ATOM_MIN_S || operation == ATOM_MAX_S;                                 \
        do                                                                                                   \
            new = is_signed ? (T)atomic_result(operation, (u64)(s64)(S)old, (u64)(s64)(S)b)                  \
                            : (T)atomic_result(operation, old, b);                                           \
        while (!__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));      \
        return old;                                                                                          \
    }
DEFINE_ATOMIC(u16, s16)
DEFINE_ATOMIC(u32, s32)
DEFINE_ATOMIC(u64, s64)

/* o: result, address, b, c; imm: offset; o[4]: operation; o[5]: has a result. */
EXECUTOR(exec_atom)
{
    u64 where[LANES];
    u32 log_bytes = in->aux >> MEM_SIZE_SHIFT & 3, mask = warp->mask;
    enum atomic_operation operation = (enum atomic_operation)in->o[4];

    may_spin(warp);
    if (!resolve(warp, in, in->cache, space_of(in), mask, in->o[1], in->aux & MEM_WIDE, in->imm,
                 1u << log_bytes, where, true))
        return NULL;
    for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        void *at = (void *)(uintptr_t)where[lane];
        u64 b = read_slot(warp, in->o[2], log_bytes, lane), old;
        u64 c = operation == ATOM_CAS ? read_slot(warp, in->o[3], log_bytes, lane) : 0;
        if (log_bytes == 2)
            old = atomic_u32(at, operation, (u32)b, (u32)c);
        else if (log_bytes == 3)
            old = atomic_u64(at, operation, b, c);
        else
            old = atomic_u16(at, operation, (u16)b, (u16)c);
        if (in->o[5])
            write_slot(warp, in->o[0], log_bytes, lane, old);
    }
    return in + 1;
}
