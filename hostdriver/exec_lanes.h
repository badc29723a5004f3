/* SPDX-License-Identifier: MIT */
/* exec_lanes.h: arithmetic executors, one lane's expression made 32 lanes wide.
 *
 * The loops have 32 turns and no dependence between lanes, so the compiler
 * turns each into a few vector instructions of the target it is built for.
 * Every executor exists twice: for a whole warp, and for a part of it, where
 * the other lanes keep their value.
 */
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef uint8_t u8;
typedef int8_t s8;
typedef float f32;
typedef double f64;
typedef u32 none;

#ifdef __clang__
/* Division has no vector form: a loop that stays scalar is no surprise. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int lane = 0; lane < LANES; lane++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int lane = 0; lane < LANES; lane++)
#endif

#define BITS8(n)                                                                                             \
    1u << (n), 1u << (n + 1), 1u << (n + 2), 1u << (n + 3), 1u << (n + 4), 1u << (n + 5), 1u << (n + 6),     \
        1u << (n + 7)
static const u32 lane_bit[LANES] __attribute__((aligned(64))) = {BITS8(0), BITS8(8), BITS8(16), BITS8(24)};
static const u64 lane_bit64[LANES] __attribute__((aligned(64))) = {BITS8(0), BITS8(8), BITS8(16), BITS8(24)};

#define SLOT(T, operand) ((T *)__builtin_assume_aligned(warp->r + (operand), sizeof(T) * 32 < 64 ? 4 : 64))
#define PRED(operand) (*(u32 *)(void *)(warp->r + (operand)))

/* Is the lane in mask, with a comparison as wide as the data. */
#define IN_MASK(T, mask, lane)                                                                               \
    (sizeof(T) == 8 ? ((u64)(mask)&lane_bit64[lane]) != 0 : ((mask)&lane_bit[lane]) != 0)

#define EXECUTOR(name) static const struct insn *name(struct warp *warp, const struct insn *in)

/* exec_math.h has what the expressions call. */

#define DEFINE_LANES(name, D, A, B, C, before, expression, after)                                            \
    EXECUTOR(full_##name)                                                                                    \
    {                                                                                                        \
        D *d = SLOT(D, in->o[0]);                                                                            \
        const A *pa = SLOT(A, in->o[1]);                                                                     \
        const B *pb = SLOT(B, in->o[2]);                                                                     \
        const C *pc = SLOT(C, in->o[3]);                                                                     \
        u32 aux = in->aux;                                                                                   \
        (void)pb, (void)pc, (void)aux;                                                                       \
        before;                                                                                              \
        EACH_LANE                                                                                            \
        {                                                                                                    \
            A a = pa[lane];                                                                                  \
            B b = pb[lane];                                                                                  \
            C c = pc[lane];                                                                                  \
            (void)b, (void)c;                                                                                \
            d[lane] = (D)(expression);                                                                       \
        }                                                                                                    \
        after;                                                                                               \
        return in + 1;                                                                                       \
    }                                                                                                        \
    EXECUTOR(part_##name)                                                                                    \
    {                                                                                                        \
        D *d = SLOT(D, in->o[0]);                                                                            \
        const A *pa = SLOT(A, in->o[1]);                                                                     \
        const B *pb = SLOT(B, in->o[2]);                                                                     \
        const C *pc = SLOT(C, in->o[3]);                                                                     \
        u32 aux = in->aux, mask = warp->mask;                                                                \
        (void)pb, (void)pc, (void)aux;                                                                       \
        before;                                                                                              \
        EACH_LANE                                                                                            \
        {                                                                                                    \
            A a = pa[lane];                                                                                  \
            B b = pb[lane];                                                                                  \
            C c = pc[lane];                                                                                  \
            (void)b, (void)c;                                                                                \
            D value = (D)(expression);                                                                       \
            d[lane] = IN_MASK(D, mask, lane) ? value : d[lane];                                              \
        }                                                                                                    \
        after;                                                                                               \
        return in + 1;                                                                                       \
    }

typedef f32 vector_f32 __attribute__((vector_size(32)));
typedef s32 vector_bits __attribute__((vector_size(32)));

#ifdef __FMA__
#define vector_fma(a, b, c)                                                                                  \
    __builtin_ia32_vfmaddps256(*(const vector_f32 *)(const void *)(a),                                       \
                               *(const vector_f32 *)(const void *)(b),                                       \
                               *(const vector_f32 *)(const void *)(c))
#define vector_any(bits) (__builtin_ia32_movmskps256((vector_f32)(bits)) != 0)
#else
#define vector_fma(a, b, c)                                                                                  \
    ({                                                                                                       \
        const f32 *a_ = (a), *b_ = (b), *c_ = (c);                                                           \
        vector_f32 v_;                                                                                       \
        for (int i_ = 0; i_ < 8; i_++)                                                                       \
            v_[i_] = fmaf(a_[i_], b_[i_], c_[i_]);                                                           \
        v_;                                                                                                  \
    })
#define vector_any(bits)                                                                                     \
    ({                                                                                                       \
        vector_bits bits_ = (bits);                                                                          \
        s32 any_ = 0;                                                                                        \
        for (int i_ = 0; i_ < 8; i_++)                                                                       \
            any_ |= bits_[i_];                                                                               \
        any_ != 0;                                                                                           \
    })
#endif

/* A run looks for NaNs as it goes, and gives them their one form at the end. */
#define DEFINE_RUN(name, D, A, B, C, expression)                                                             \
    static __attribute__((noinline)) void canonical_##name(struct warp *warp, const struct insn *in,         \
                                                           const struct insn *end)                           \
    {                                                                                                        \
        for (; in < end; in++) {                                                                             \
            D *d = SLOT(D, in->o[0]);                                                                        \
            EACH_LANE d[lane] = canonical(d[lane]);                                                          \
        }                                                                                                    \
    }                                                                                                        \
    EXECUTOR(full_##name)                                                                                    \
    {                                                                                                        \
        const struct insn *begin = in, *end = in + in->aux;                                                  \
        vector_bits odd = {0};                                                                               \
        do {                                                                                                 \
            D *d = SLOT(D, in->o[0]);                                                                        \
            const A *pa = SLOT(A, in->o[1]);                                                                 \
            const B *pb = SLOT(B, in->o[2]);                                                                 \
            const C *pc = SLOT(C, in->o[3]);                                                                 \
            for (int lane = 0; lane < LANES; lane += 8) {                                                    \
                vector_f32 value = vector_fma(pa + lane, pb + lane, pc + lane);                              \
                memcpy(d + lane, &value, sizeof value);                                                      \
                odd |= value != value;                                                                       \
            }                                                                                                \
        } while (++in < end);                                                                                \
        if (vector_any(odd))                                                                                 \
            canonical_##name(warp, begin, end);                                                              \
        return in;                                                                                           \
    }                                                                                                        \
    EXECUTOR(part_##name)                                                                                    \
    {                                                                                                        \
        const struct insn *end = in + in->aux;                                                               \
        u32 mask = warp->mask;                                                                               \
        do {                                                                                                 \
            D *d = SLOT(D, in->o[0]);                                                                        \
            const A *pa = SLOT(A, in->o[1]);                                                                 \
            const B *pb = SLOT(B, in->o[2]);                                                                 \
            const C *pc = SLOT(C, in->o[3]);                                                                 \
            EACH_LANE                                                                                        \
            {                                                                                                \
                A a = pa[lane];                                                                              \
                B b = pb[lane];                                                                              \
                C c = pc[lane];                                                                              \
                D value = canonical((D)(expression));                                                        \
                d[lane] = IN_MASK(D, mask, lane) ? value : d[lane];                                          \
            }                                                                                                \
        } while (++in < end);                                                                                \
        return in;                                                                                           \
    }

#define DEFINE_COMPARE(name, A, expression)                                                                  \
    static inline u32 bits_##name(struct warp *warp, const struct insn *in)                                  \
    {                                                                                                        \
        const A *pa = SLOT(A, in->o[1]);                                                                     \
        const A *pb = SLOT(A, in->o[2]);                                                                     \
        u32 bits = 0;                                                                                        \
        EACH_LANE                                                                                            \
        {                                                                                                    \
            A a = pa[lane], b = pb[lane];                                                                    \
            (void)b;                                                                                         \
            bits |= (expression) ? lane_bit[lane] : 0;                                                       \
        }                                                                                                    \
        return bits;                                                                                         \
    }                                                                                                        \
    EXECUTOR(full_##name)                                                                                    \
    {                                                                                                        \
        PRED(in->o[0]) = bits_##name(warp, in);                                                              \
        return in + 1;                                                                                       \
    }                                                                                                        \
    EXECUTOR(part_##name)                                                                                    \
    {                                                                                                        \
        u32 bits = bits_##name(warp, in), *d = &PRED(in->o[0]);                                              \
        *d = (*d & ~warp->mask) | (bits & warp->mask);                                                       \
        return in + 1;                                                                                       \
    }
