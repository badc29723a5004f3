/* SPDX-License-Identifier: MIT */
/* exec_memory.h: loads, stores and cp.async; every access is checked. */

static inline u32 bytes_of(const struct insn *in)
{
    return 1u << (in->aux >> MEM_SIZE_SHIFT & 3) << (in->aux >> MEM_VECTOR_SHIFT & 3);
}

static inline enum ptx_space space_of(const struct insn *in)
{
    return (enum ptx_space)(in->aux >> MEM_SPACE_SHIFT & 7);
}

/* One lane, wherever its address leads: NULL if nowhere. */
static u8 *resolve_lane(struct warp *warp, u32 cache, enum ptx_space space, u32 lane, u64 address, u32 bytes)
{
    struct block *block = warp->block;
    u64 window = address - memory_base();

    if (space == SPACE_GENERIC && window < WINDOW_PARAM + (u64)WINDOW_BYTES && window >= WINDOW_SHARED) {
        space = window < WINDOW_LOCAL ? SPACE_SHARED : window < WINDOW_PARAM ? SPACE_LOCAL : SPACE_PARAM;
        address = window & (WINDOW_BYTES - 1);
    }
    switch (space) {
    case SPACE_SHARED:
        return address + bytes <= block->shared_bytes && address < block->shared_bytes
                   ? block->shared + address
                   : NULL;
    case SPACE_LOCAL: {
        u32 limit = block->program->local_bytes;
        return address + bytes <= limit && address < limit ? warp->local + (u64)lane * limit + address : NULL;
    }
    case SPACE_PARAM: {
        u32 limit = block->program->param_bytes;
        return address + bytes <= limit && address < limit ? (u8 *)(uintptr_t)block->params + address : NULL;
    }
    default:
        break;
    }
    struct region *region = &block->cache[cache];
    if (address - region->low < region->bytes && address - region->low + bytes <= region->bytes)
        return (u8 *)(uintptr_t)(address + (u64)region->delta);
    struct region found;
    if (!memory_region(address, &found) || address - found.low + bytes > found.bytes)
        return NULL;
    *region = found;
    return (u8 *)(uintptr_t)(address + (u64)region->delta);
}

/* Some lane failed the quick check: each by itself. */
static __attribute__((noinline)) bool resolve_slow(struct warp *warp, const struct insn *in, u32 cache,
                                                   enum ptx_space space, u32 mask, const u64 *address,
                                                   u32 bytes, u32 align, u64 *where, bool write)
{
    for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u8 *host = resolve_lane(warp, cache, space, lane, address[lane], bytes);
        if (host == NULL || (address[lane] & (align - 1)) != 0) {
            warp_fault_memory(warp, (u32)(in - warp->code), host == NULL ? FAULT_ADDRESS : FAULT_MISALIGNED,
                              lane, space, address[lane], bytes, write);
            return false;
        }
        where[lane] = (u64)(uintptr_t)host;
    }
    return true;
}

/* where[]: host addresses of the lanes in mask; false after a fault. */
static inline bool resolve(struct warp *warp, const struct insn *in, u32 cache, enum ptx_space space,
                           u32 mask, u32 operand, bool wide, s64 offset, u32 bytes, u64 *where, bool write)
{
    u64 address[LANES];
    u64 base, low = 0, span;
    u32 bad = 0;

    if (wide) {
        const u64 *a = SLOT(u64, operand);
        EACH_LANE address[lane] = a[lane] + (u64)offset;
    } else {
        const u32 *a = SLOT(u32, operand);
        EACH_LANE address[lane] = a[lane] + (u32)offset;
    }
    if (space == SPACE_SHARED) {
        span = warp->block->shared_bytes;
        base = (u64)(uintptr_t)warp->block->shared;
    } else if (space == SPACE_GENERIC || space == SPACE_GLOBAL || space == SPACE_CONST) {
        const struct region *region = &warp->block->cache[cache];
        low = region->low;
        span = region->bytes;
        base = (u64)region->delta + low;
    } else {
        return resolve_slow(warp, in, cache, space, mask, address, bytes, bytes, where, write);
    }
    if (span < bytes)
        return resolve_slow(warp, in, cache, space, mask, address, bytes, bytes, where, write);
    span -= bytes;
    u64 odd = bytes - 1;
    EACH_LANE
    {
        u64 distance = address[lane] - low;
        bad |= ((distance > span) | ((address[lane] & odd) != 0)) ? lane_bit[lane] : 0;
        where[lane] = base + distance;
    }
    if (__builtin_expect((bad & mask) == 0, 1))
        return true;
    return resolve_slow(warp, in, cache, space, mask, address, bytes, bytes, where, write);
}

static inline bool consecutive(const u64 *where, u32 step)
{
    u64 differs = 0, first = where[0];

    EACH_LANE differs |= where[lane] ^ (first + (u64)lane * step);
    return differs == 0;
}

static inline u64 read_element(const u8 *at, u32 log_bytes, bool is_signed)
{
    u16 half;
    u32 word;
    u64 wide;

    switch (log_bytes) {
    case 0:
        return is_signed ? (u64)(s64)(s8)*at : *at;
    case 1:
        memcpy(&half, at, 2);
        return is_signed ? (u64)(s64)(s16)half : half;
    case 2:
        memcpy(&word, at, 4);
        return is_signed ? (u64)(s64)(s32)word : word;
    default:
        memcpy(&wide, at, 8);
        return wide;
    }
}

/* The same of memory that another thread may change: whole, and before what is read next. */
static inline u64 read_strong(const u8 *at, u32 log_bytes, bool is_signed)
{
    u64 value = log_bytes == 0   ? __atomic_load_n(at, __ATOMIC_ACQUIRE)
                : log_bytes == 1 ? __atomic_load_n((const u16 *)(const void *)at, __ATOMIC_ACQUIRE)
                : log_bytes == 2 ? __atomic_load_n((const u32 *)(const void *)at, __ATOMIC_ACQUIRE)
                                 : __atomic_load_n((const u64 *)(const void *)at, __ATOMIC_ACQUIRE);

    return read_element((const u8 *)&value, log_bytes, is_signed);
}

static inline void write_strong(u8 *at, u32 log_bytes, u64 value)
{
    if (log_bytes == 0)
        __atomic_store_n(at, (u8)value, __ATOMIC_RELEASE);
    else if (log_bytes == 1)
        __atomic_store_n((u16 *)(void *)at, (u16)value, __ATOMIC_RELEASE);
    else if (log_bytes == 2)
        __atomic_store_n((u32 *)(void *)at, (u32)value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((u64 *)(void *)at, value, __ATOMIC_RELEASE);
}

static inline void write_slot(struct warp *warp, u32 operand, u32 log_class, u32 lane, u64 value)
{
    switch (log_class) {
    case 1:
        SLOT(u16, operand)[lane] = (u16)value;
        break;
    case 2:
        SLOT(u32, operand)[lane] = (u32)value;
        break;
    default:
        SLOT(u64, operand)[lane] = value;
        break;
    }
}

static inline u64 read_slot(struct warp *warp, u32 operand, u32 log_class, u32 lane)
{
    switch (log_class) {
    case 1:
        return SLOT(u16, operand)[lane];
    case 2:
        return SLOT(u32, operand)[lane];
    default:
        return SLOT(u64, operand)[lane];
    }
}

/* ISOMAT_HOST_CHECK: an access that may be to shared memory; false after a fault. */
static bool check_shared(struct warp *warp, const struct insn *in, u32 lane, u64 address, u32 bytes,
                         int access)
{
    struct block *block = warp->block;

    if (block->shadow == NULL || (space_of(in) != SPACE_SHARED && space_of(in) != SPACE_GENERIC))
        return true;
    if (space_of(in) == SPACE_GENERIC)
        address -= memory_base() + WINDOW_SHARED;
    return address >= block->shared_bytes ||
           warp_check(warp, (u32)(in - warp->code), lane, address, bytes, access);
}

/* The same for one that may be to global memory; volatile reads are as good as atomic ones. */
static bool check_global(struct warp *warp, const struct insn *in, u32 lane, u64 address)
{
    int access = in->o[4] && in->o[2] == ACCESS_READ ? ACCESS_ATOMIC_READ : (int)in->o[2];
    u64 window = address - memory_base();
    bool in_window = window >= WINDOW_SHARED && window < WINDOW_PARAM + (u64)WINDOW_BYTES;

    return warp->block->launch->global_check == NULL || space_of(in) == SPACE_SHARED || in_window ||
           global_check_access(warp, (u32)(in - warp->code), lane, address, in->o[1], access);
}

/* Before an access, if ISOMAT_HOST_CHECK is set. o: address, bytes, ACCESS_*,
 * may others have written what comes after? is it volatile or ordered? aux: MEM_* */
EXECUTOR(exec_check)
{
    if (warp->block->shadow == NULL)
        return in + 1;
    if (in->o[3] && space_of(in) != SPACE_GLOBAL)
        warp->block->epoch++;
    if (in->o[4])
        global_check_fence(warp->block);
    for (u32 lanes = warp->mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u64 address = in->aux & MEM_WIDE ? SLOT(u64, in->o[0])[lane] + (u64)in->imm
                                         : SLOT(u32, in->o[0])[lane] + (u32)in->imm;
        if (!check_shared(warp, in, lane, address, in->o[1], (int)in->o[2]) ||
            !check_global(warp, in, lane, address))
            return NULL;
    }
    warp->block->fence_due |= in->o[4];
    return in + 1;
}

/* o: where the register that is read next holds a value. */
EXECUTOR(exec_defined)
{
    u32 without = warp->mask & ~PRED(in->o[0]);

    return without == 0 ? in + 1 : fault(warp, in, FAULT_UNDEFINED, (u32)__builtin_ctz(without));
}

EXECUTOR(exec_load)
{
    u64 where[LANES];
    u32 log_bytes = in->aux >> MEM_SIZE_SHIFT & 3, count = 1u << (in->aux >> MEM_VECTOR_SHIFT & 3);
    u32 log_class = in->aux >> MEM_CLASS_SHIFT & 3, mask = warp->mask;
    bool strong = in->aux & MEM_VOLATILE, is_signed = in->aux & MEM_SIGNED;

    if (strong)
        may_spin(warp);
    if (!resolve(warp, in, in->cache, space_of(in), mask, in->o[count], in->aux & MEM_WIDE, in->imm,
                 bytes_of(in), where, false))
        return NULL;
    for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        const u8 *at = (const u8 *)(uintptr_t)where[lane];
        for (u32 i = 0; i < count; i++)
            write_slot(warp, in->o[i], log_class, lane,
                       strong ? read_strong(at + (i << log_bytes), log_bytes, is_signed)
                              : read_element(at + (i << log_bytes), log_bytes, is_signed));
    }
    return in + 1;
}

EXECUTOR(exec_store)
{
    u64 where[LANES];
    u32 log_bytes = in->aux >> MEM_SIZE_SHIFT & 3, count = 1u << (in->aux >> MEM_VECTOR_SHIFT & 3);
    u32 log_class = in->aux >> MEM_CLASS_SHIFT & 3, mask = warp->mask;

    if (!resolve(warp, in, in->cache, space_of(in), mask, in->o[0], in->aux & MEM_WIDE, in->imm, bytes_of(in),
                 where, true))
        return NULL;
    for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u8 *at = (u8 *)(uintptr_t)where[lane];
        for (u32 i = 0; i < count; i++) {
            u64 value = read_slot(warp, in->o[1 + i], log_class, lane);
            if (in->aux & MEM_VOLATILE)
                write_strong(at + (i << log_bytes), log_bytes, value);
            else
                memcpy(at + (i << log_bytes), &value, (size_t)1 << log_bytes);
        }
    }
    return in + 1;
}

/* The usual case, quickly: 32 words in a row of the region seen last. */
static inline u8 *row_of_words(struct warp *warp, const struct insn *in, u32 operand, enum ptx_space space)
{
    const struct region *region = &warp->block->cache[in->cache];
    u64 differs = 0;

    if (warp->mask != ~0u || space != SPACE_GLOBAL || !(in->aux & MEM_WIDE) || region->bytes < 128)
        return NULL;
    const u64 *a = SLOT(u64, operand);
    u64 first = a[0], address = first + (u64)in->imm;
    EACH_LANE differs |= a[lane] ^ (first + (u64)lane * 4);
    if (differs != 0 || (address & 3) != 0 || address - region->low > region->bytes - 128)
        return NULL;
    return (u8 *)(uintptr_t)(address + (u64)region->delta);
}

static inline const struct insn *load_32(struct warp *warp, const struct insn *in, enum ptx_space space)
{
    u64 where[LANES];
    u32 *d = SLOT(u32, in->o[0]), mask = warp->mask;
    const u8 *row = row_of_words(warp, in, in->o[1], space);

    if (row != NULL) {
        memcpy(d, row, 128);
        return in + 1;
    }
    if (!resolve(warp, in, in->cache, space, mask, in->o[1], in->aux & MEM_WIDE, in->imm, 4, where, false))
        return NULL;
    if (mask == ~0u) {
        if (consecutive(where, 4)) {
            memcpy(d, (const void *)(uintptr_t)where[0], 128);
        } else {
            for (int lane = 0; lane < LANES; lane++)
                memcpy(&d[lane], (const void *)(uintptr_t)where[lane], 4);
        }
        return in + 1;
    }
    for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        memcpy(&d[lane], (const void *)(uintptr_t)where[lane], 4);
    }
    return in + 1;
}

static inline const struct insn *store_32(struct warp *warp, const struct insn *in, enum ptx_space space)
{
    u64 where[LANES];
    const u32 *a = SLOT(u32, in->o[1]);
    u32 mask = warp->mask;
    u8 *row = row_of_words(warp, in, in->o[0], space);

    if (row != NULL) {
        memcpy(row, a, 128);
        return in + 1;
    }
    if (!resolve(warp, in, in->cache, space, mask, in->o[0], in->aux & MEM_WIDE, in->imm, 4, where, true))
        return NULL;
    if (mask == ~0u && consecutive(where, 4)) {
        memcpy((void *)(uintptr_t)where[0], a, 128);
        return in + 1;
    }
    for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        memcpy((void *)(uintptr_t)where[lane], &a[lane], 4);
    }
    return in + 1;
}

EXECUTOR(exec_load_global_32)
{
    return load_32(warp, in, SPACE_GLOBAL);
}
EXECUTOR(exec_load_shared_32)
{
    return load_32(warp, in, SPACE_SHARED);
}
EXECUTOR(exec_store_global_32)
{
    return store_32(warp, in, SPACE_GLOBAL);
}
EXECUTOR(exec_store_shared_32)
{
    return store_32(warp, in, SPACE_SHARED);
}

typedef u32 vector4 __attribute__((vector_size(16)));

/* Four lanes' vectors become four registers' lanes. */
static inline void transpose4(vector4 v[4])
{
    vector4 low01 = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5),
            high01 = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    vector4 low23 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5),
            high23 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);

    v[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

EXECUTOR(exec_load_shared_32x4)
{
    u64 where[LANES];
    u32 mask = warp->mask;

    if (mask != ~0u)
        return exec_load(warp, in);
    if (!resolve(warp, in, in->cache, SPACE_SHARED, mask, in->o[4], in->aux & MEM_WIDE, in->imm, 16, where,
                 false))
        return NULL;
    u32 *d0 = SLOT(u32, in->o[0]), *d1 = SLOT(u32, in->o[1]), *d2 = SLOT(u32, in->o[2]),
        *d3 = SLOT(u32, in->o[3]);
    for (int lane = 0; lane < LANES; lane += 4) {
        vector4 v[4];
        for (int i = 0; i < 4; i++)
            memcpy(&v[i], (const void *)(uintptr_t)where[lane + i], 16);
        transpose4(v);
        memcpy(d0 + lane, &v[0], 16);
        memcpy(d1 + lane, &v[1], 16);
        memcpy(d2 + lane, &v[2], 16);
        memcpy(d3 + lane, &v[3], 16);
    }
    return in + 1;
}

/* The sources of lanes that copy less than a whole: only what is copied need be there. */
static bool resolve_partial(struct warp *warp, const struct insn *in, u32 lanes, const u32 *sizes, u64 *from)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes);
        u64 address = SLOT(u64, in->o[1])[lane] + (u64)(s64)(s32)in->o[4];
        const u8 *host = resolve_lane(warp, in->cache, SPACE_GLOBAL, lane, address, sizes[lane]);
        if (host == NULL || (address & (bytes_of(in) - 1)) != 0) {
            warp_fault_memory(warp, (u32)(in - warp->code), host == NULL ? FAULT_ADDRESS : FAULT_MISALIGNED,
                              lane, SPACE_GLOBAL, address, sizes[lane], false);
            return false;
        }
        from[lane] = (u64)(uintptr_t)host;
    }
    return true;
}

/* o: destination, source, source bytes (CP_SIZED), ignore (CP_IGNORES). The
 * copy is made at once: waiting for it finds it done. */
EXECUTOR(exec_cp_async)
{
    u64 to[LANES], from[LANES];
    u32 bytes = bytes_of(in), mask = warp->mask, reading = mask, partial = 0;
    const u32 *sizes = SLOT(u32, in->o[2]);

    if (in->aux & CP_IGNORES)
        reading &= ~PRED(in->o[3]);
    if (in->aux & CP_SIZED) {
        u32 empty = 0;
        for (u32 lane = 0; lane < LANES; lane++) {
            empty |= sizes[lane] == 0 ? lane_bit[lane] : 0;
            partial |= sizes[lane] < bytes ? lane_bit[lane] : 0;
            if ((mask & lane_bit[lane]) != 0 && sizes[lane] > bytes)
                return fault(warp, in, FAULT_ADDRESS, lane);
        }
        reading &= ~empty;
    }
    partial &= reading;
    if (!resolve(warp, in, in->cache, SPACE_SHARED, mask, in->o[0], in->aux & MEM_WIDE, in->imm, bytes, to,
                 true))
        return NULL;
    if (reading != partial && !resolve(warp, in, in->cache, SPACE_GLOBAL, reading & ~partial, in->o[1], true,
                                       (s32)in->o[4], bytes, from, false))
        return NULL;
    if (!resolve_partial(warp, in, partial, sizes, from))
        return NULL;
    for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
        u32 lane = (u32)__builtin_ctz(lanes), size = in->aux & CP_SIZED ? sizes[lane] : bytes;
        u8 *at = (u8 *)(uintptr_t)to[lane];
        if ((reading & lane_bit[lane]) == 0)
            memset(at, 0, bytes);
        else if (size == bytes && bytes == 16)
            memcpy(at, (const void *)(uintptr_t)from[lane], 16);
        else if (size == bytes && bytes == 4)
            memcpy(at, (const void *)(uintptr_t)from[lane], 4);
        else {
            memset(at, 0, bytes);
            memcpy(at, (const void *)(uintptr_t)from[lane], size);
        }
    }
    return in + 1;
}

EXECUTOR(exec_fence)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (warp->block->launch->global_check != NULL)
        global_check_fence(warp->block);
    return in + 1;
}

EXECUTOR(exec_isspacep)
{
    const u64 *a = SLOT(u64, in->o[1]);
    u64 base = memory_base();
    u32 bits = 0, *d = &PRED(in->o[0]);

    for (int lane = 0; lane < LANES; lane++) {
        u64 window = a[lane] - base;
        u32 space = window >= WINDOW_SHARED && window < WINDOW_LOCAL                      ? SPACE_SHARED
                    : window >= WINDOW_LOCAL && window < WINDOW_PARAM                     ? SPACE_LOCAL
                    : window >= WINDOW_PARAM && window < WINDOW_PARAM + (u64)WINDOW_BYTES ? SPACE_PARAM
                                                                                          : SPACE_GLOBAL;
        bits |= space == in->aux ? lane_bit[lane] : 0;
    }
    *d = (*d & ~warp->mask) | (bits & warp->mask);
    return in + 1;
}
