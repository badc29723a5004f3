/* SPDX-License-Identifier: MIT */
/* exec.c: the executor, built once per instruction set of the host.
 *
 * EXEC_ISA names the build: warp_run_<EXEC_ISA> is its only symbol.
 */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "execute.h"
#include "opcode.h"
#include "ptx.h"

#include "exec_lanes.h"
#include "exec_math.h"
#include "exec_half.h"

#include "exec_control.h"
#include "exec_memory.h"
#include "exec_atomic.h"
#include "exec_warp.h"
#include "exec_call.h"
#include "exec_matrix.h"

_Static_assert(sizeof(struct matrix) * 4 <= SCRATCH_BYTES, "four matrices");

#define UNARY(name, pattern, D, A, expression) DEFINE_LANES(name, D, A, none, none, , expression, )
#define BINARY(name, pattern, D, A, B, expression) DEFINE_LANES(name, D, A, B, none, , expression, )
#define TERNARY(name, pattern, D, A, B, C, expression) DEFINE_LANES(name, D, A, B, C, , expression, )
#define FUSED(name, pattern, D, A, B, C, expression) DEFINE_RUN(name, D, A, B, C, expression)
#define DIRECTED(name, pattern, D, A, B, C, expression)                                                      \
    DEFINE_LANES(name, D, A, B, C, fesetround(host_rounding[aux & 3]), expression, fesetround(FE_TONEAREST))
#define COMPARE(name, pattern, A, expression) DEFINE_COMPARE(name, A, expression)
#define FORM(pattern, function)
#define MICRO(name)
#include "instructions.h"

static const executor full_table[OP_COUNT] = {
#define UNARY(name, pattern, D, A, expression) [OP_##name] = full_##name,
#define BINARY(name, pattern, D, A, B, expression) [OP_##name] = full_##name,
#define TERNARY(name, pattern, D, A, B, C, expression) [OP_##name] = full_##name,
#define FUSED TERNARY
#define DIRECTED TERNARY
#define COMPARE(name, pattern, A, expression) [OP_##name] = full_##name,
#define FORM(pattern, function)
#define MICRO(name) [OP_##name] = exec_##name,
#include "instructions.h"
};

static const executor part_table[OP_COUNT] = {
#define UNARY(name, pattern, D, A, expression) [OP_##name] = part_##name,
#define BINARY(name, pattern, D, A, B, expression) [OP_##name] = part_##name,
#define TERNARY(name, pattern, D, A, B, C, expression) [OP_##name] = part_##name,
#define FUSED TERNARY
#define DIRECTED TERNARY
#define COMPARE(name, pattern, A, expression) [OP_##name] = part_##name,
#define FORM(pattern, function)
#define MICRO(name) [OP_##name] = exec_##name,
#include "instructions.h"
};

#define CONCATENATE(a, b) a##b
#define RUNNER(isa) CONCATENATE(warp_run_, isa)

void RUNNER(EXEC_ISA)(struct warp *warp)
{
    warp->status = WARP_RUNNING;
    const struct insn *in = reschedule(warp);

    while (in != NULL)
        in = warp->table[in->op](warp, in);
}
