/* SPDX-License-Identifier: MIT */
/* program.h: a kernel ready to execute.
 *
 * Each warp has one register file; an operand is a byte offset into it.  A
 * slot holds the register of all 32 lanes side by side: 256 bytes for 64 bits,
 * 128 for 32, 64 for 16; a predicate is one bit per lane in a uint32_t.
 * Constants, parameters and special registers that do not change while a warp
 * runs are slots too, filled before it starts, so instructions have register
 * operands only.
 */
#ifndef HOSTDRIVER_PROGRAM_H
#define HOSTDRIVER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32, OPERANDS_MAX = 6, BARRIERS = 16 };

struct insn {
    uint16_t op;    /* enum opcode */
    uint16_t aux;   /* modifiers, by opcode */
    uint32_t cache; /* memory: index of the last allocation seen here */
    uint32_t o[OPERANDS_MAX];
    int64_t imm; /* address offset; target of a branch */
};

/* FIXED_TRANSFER: written too; hands values over at calls. */
enum fixed_kind { FIXED_VALUE, FIXED_PARAM, FIXED_SPECIAL, FIXED_TRANSFER, FIXED_STACK };

/* A function that is called and not expanded in place.  A call keeps, in the
 * lane's local memory from fp on: the function's local variables, then the
 * return pc, the caller's stack pointer, and what its registers held. */
struct frame {
    const char *name;
    uint32_t entry;              /* pc */
    uint32_t first[4], count[4]; /* its slots by class: offset and number */
    uint32_t local_bytes, bytes; /* of local variables; of all */
};

enum { FRAME_HEAD = 8, TRANSFER_FRAME = 1024, STACK_BYTES = 16384 };

/* X(name, id): special registers that stay the same while a warp runs.
 * Those from CTAID_X on change with the block. */
#define FIXED_SPECIALS(X)                                                                                    \
    X("%tid.x", TID_X)                                                                                       \
    X("%tid.y", TID_Y)                                                                                       \
    X("%tid.z", TID_Z)                                                                                       \
    X("%laneid", LANEID)                                                                                     \
    X("%warpid", WARPID)                                                                                     \
    X("%ntid.x", NTID_X)                                                                                     \
    X("%ntid.y", NTID_Y)                                                                                     \
    X("%ntid.z", NTID_Z)                                                                                     \
    X("%nctaid.x", NCTAID_X)                                                                                 \
    X("%nctaid.y", NCTAID_Y)                                                                                 \
    X("%nctaid.z", NCTAID_Z)                                                                                 \
    X("%nwarpid", NWARPID)                                                                                   \
    X("%smid", SMID)                                                                                         \
    X("%nsmid", NSMID)                                                                                       \
    X("%gridid", GRIDID)                                                                                     \
    X("%lanemask_eq", LANEMASK_EQ)                                                                           \
    X("%lanemask_lt", LANEMASK_LT)                                                                           \
    X("%lanemask_le", LANEMASK_LE)                                                                           \
    X("%lanemask_gt", LANEMASK_GT)                                                                           \
    X("%lanemask_ge", LANEMASK_GE)                                                                           \
    X("%dynamic_smem_size", DYNAMIC_SMEM_SIZE)                                                               \
    X("%total_smem_size", TOTAL_SMEM_SIZE)                                                                   \
    X("%envreg1", WORKSPACE_HIGH)                                                                            \
    X("%envreg2", WORKSPACE_LOW)                                                                             \
    X("%ctaid.x", CTAID_X)                                                                                   \
    X("%ctaid.y", CTAID_Y)                                                                                   \
    X("%ctaid.z", CTAID_Z)

enum fixed_special {
#define X(name, id) SPECIAL_##id,
    FIXED_SPECIALS(X)
#undef X
};

struct fixed {
    uint8_t kind;                    /* enum fixed_kind */
    uint8_t bytes;                   /* of a lane: 2, 4 or 8 */
    uint8_t load_bytes, load_signed; /* FIXED_PARAM: what is read */
    uint32_t offset;                 /* of the slot */
    uint64_t value;                  /* value, parameter offset or enum fixed_special */
};

struct program {
    const char *name;
    struct insn *code;
    uint32_t *lines; /* PTX line of each instruction */
    uint32_t length;
    struct fixed *fixed;
    uint32_t fixed_count;
    uint32_t file_bytes; /* of one warp's register file */
    uint32_t registers;  /* 32-bit registers live at once, for the attribute */
    uint32_t cache_count;
    uint32_t *targets; /* of brx.idx */
    uint32_t param_bytes, param_count;
    uint32_t *param_offset, *param_size;
    uint32_t shared_bytes;           /* static */
    uint32_t local_bytes;            /* of a lane, with the stack where there is one */
    uint32_t stack_start;            /* where in it the stack begins */
    uint32_t stack_slot, frame_slot; /* registers: stack pointer, base of the frame just made */
    struct frame *frames;
    uint32_t frame_count;
    uint32_t *frame_of; /* of each function of the module: index + 1, 0: none */
    uint32_t function_count;
    uint32_t max_threads;         /* of .maxntid, else 1024 */
    uint32_t required_threads[3]; /* of .reqntid, else 0 */
    uint32_t ptx_version, target;
};

/* Bits of aux in loads, stores and atomics. */
enum {
    MEM_SIZE_SHIFT = 0,   /* log2 of an element's bytes, 2 bits */
    MEM_VECTOR_SHIFT = 2, /* log2 of the elements, 2 bits */
    MEM_CLASS_SHIFT = 4,  /* log2 of a register's bytes, 2 bits */
    MEM_SIGNED = 1 << 6,
    MEM_WIDE = 1 << 7,   /* the address register has 64 bits */
    MEM_SPACE_SHIFT = 8, /* enum ptx_space, 3 bits */
    MEM_VOLATILE = 1 << 11,
};

/* aux of branches and of the guard. */
enum { BRANCH_GUARDED = 1, BRANCH_NEGATED = 2 };

/* aux of barriers; the low bits are the number where a result is read. */
enum { BAR_COUNTED = 16, BAR_ARRIVES = 32, BAR_REDUCES = 64, BAR_ALIGNED = 128 };

/* aux of cp.async, besides MEM_*. */
enum { CP_SIZED = 1 << 12, CP_IGNORES = 1 << 13 };

enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_NEGATED = 8 };

enum atomic_operation {
    ATOM_ADD,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_EXCH,
    ATOM_MIN_U,
    ATOM_MAX_U,
    ATOM_MIN_S,
    ATOM_MAX_S,
    ATOM_INC,
    ATOM_DEC,
    ATOM_ADD_F32,
    ATOM_ADD_F64,
    ATOM_ADD_F16, /* each of 16 bits in the word */
    ATOM_ADD_BF16,
    ATOM_CAS,
};

/* Special registers that change while a warp runs. */
enum special { SPECIAL_CLOCK, SPECIAL_CLOCK_HI, SPECIAL_GLOBALTIMER, SPECIAL_GLOBALTIMER_HI };

/* What ISOMAT_HOST_CHECK asks for; how an access that is checked is made. */
enum { CHECK_RACE = 1, CHECK_INIT = 2, CHECK_MEMORY = 4, CHECK_SYNC = 8 };
enum { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC, ACCESS_ATOMIC_READ };

/* imm of matrix instructions: what stands beside types, sizes and counts. */
#define MATRIX_WMMA ((uint64_t)1 << 58)
#define MATRIX_SATURATES ((uint64_t)1 << 59)
#define MATRIX_A_BY_COLS ((uint64_t)1 << 60)
#define MATRIX_B_BY_ROWS ((uint64_t)1 << 61)

/* aux of directed rounding. */
enum { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };

enum mbarrier_operation { MBARRIER_INIT, MBARRIER_ARRIVE, MBARRIER_DROP, MBARRIER_TEST, MBARRIER_PARITY };

/* aux of conversions to small formats. */
enum {
    NARROW_F16,
    NARROW_BF16,
    NARROW_E4M3,
    NARROW_E5M2,
    NARROW_TF32,
    NARROW_FORMAT = 7,
    NARROW_ROUND_SHIFT = 3,
    NARROW_RELU = 1 << 6,
    NARROW_FINITE = 1 << 7,
    NARROW_PAYLOAD = 1 << 8, /* a NaN keeps its sign and its top bits */
};

/* aux of arithmetic on halves. */
enum {
    HALF_ADD,
    HALF_SUB,
    HALF_MUL,
    HALF_FMA,
    HALF_NEG,
    HALF_ABS,
    HALF_MIN,
    HALF_MAX,
    HALF_EX2,
    HALF_TANH,
    HALF_OPERATION = 15,
    HALF_BF16 = 1 << 4,
    HALF_FTZ = 1 << 5,
    HALF_SAT = 1 << 6,
    HALF_RELU = 1 << 7,
    HALF_NAN = 1 << 8,
};

#endif
