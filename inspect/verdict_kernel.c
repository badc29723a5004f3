/* SPDX-License-Identifier: MIT */
/* verdict_kernel.c: verdicts about single kernels.  Those built with -G are left out: what they do
 * follows from that. */
#include <inttypes.h>
#include <stdio.h>

#include "verdict.h"

enum {
    NAMED = 3,
    ALL_REGISTERS = 255,
    BIG_BLOCK_REGISTERS = 64, /* above, a block of 1024 threads cannot be launched */
    LOW_WARPS_PERCENT = 25,
};

/* What a verdict asks of a kernel: how bad it is, 0 for not at all. */
typedef int64_t measure_function(const struct insp_kernel *kernel, const struct insp_image *image);

static int64_t spill_bytes(const struct insp_kernel *kernel, const struct insp_image *image)
{
    (void)image;
    int64_t bytes = kernel->spill_store_bytes + kernel->spill_load_bytes;
    return bytes > 0 ? bytes : 0;
}

static int64_t stack_bytes(const struct insp_kernel *kernel, const struct insp_image *image)
{
    bool spills_alone = kernel->spill_store_bytes > 0 && kernel->spill_store_bytes >= kernel->stack_bytes;
    (void)image;
    return kernel->stack_bytes > 0 && !spills_alone ? kernel->stack_bytes : 0;
}

static int64_t all_registers(const struct insp_kernel *kernel, const struct insp_image *image)
{
    (void)image;
    return kernel->registers >= ALL_REGISTERS;
}

/* Only where the kernel says how large its blocks are. */
static int64_t one_block(const struct insp_kernel *kernel, const struct insp_image *image)
{
    struct insp_occupancy occupancy;
    if (!insp_occupancy(&occupancy, kernel, image->arch) || occupancy.assumed || occupancy.blocks > 1)
        return 0;
    int32_t percent = occupancy.warps * 100 / occupancy.max_warps;
    return percent < LOW_WARPS_PERCENT ? 100 - percent : 0;
}

static int64_t unbounded(const struct insp_kernel *kernel, const struct insp_image *image)
{
    (void)image;
    bool bounded = kernel->max_threads[0] || kernel->required_threads[0] || kernel->max_registers;
    return !bounded && kernel->registers > BIG_BLOCK_REGISTERS ? kernel->registers : 0;
}

static int64_t strayed_f64(const struct insp_kernel *kernel, const struct insp_image *image)
{
    (void)image;
    return kernel->code.widen && kernel->code.narrow ? kernel->code.f64 : 0;
}

static int64_t unfused(const struct insp_kernel *kernel, const struct insp_image *image)
{
    (void)image;
    return kernel->code.fma32 == 0 ? kernel->code.mul_add32 : 0;
}

static int64_t scalar(const struct insp_kernel *kernel, const struct insp_image *image)
{
    (void)image;
    return kernel->code.global_vector == 0 ? kernel->code.neighbours : 0;
}

struct tally {
    uint32_t count, seen;
    const struct insp_kernel *worst;
    int64_t worst_measure;
    char names[512];
    int named;
};

static bool is_judged(const struct insp_image *image, bool has_code)
{
    return image->debug == 0 && (image->kind == INSP_CUBIN || !has_code);
}

static void count(struct tally *tally, const struct insp_report *report, measure_function *measure)
{
    bool has_code = false;
    *tally = (struct tally){.count = 0};
    for (uint32_t i = 0; i < report->image_count; i++)
        has_code |= report->images[i].kind == INSP_CUBIN;
    for (uint32_t i = 0; i < report->kernel_count; i++) {
        const struct insp_kernel *kernel = &report->kernels[i];
        const struct insp_image *image = &report->images[kernel->image];
        char name[32];
        if (!is_judged(image, has_code))
            continue;
        tally->seen++;
        int64_t bad = measure(kernel, image);
        if (bad <= 0)
            continue;
        tally->count++;
        if (bad > tally->worst_measure) {
            tally->worst_measure = bad;
            tally->worst = kernel;
        }
        if (tally->named < NAMED) {
            size_t used = strlen(tally->names);
            snprintf(tally->names + used, sizeof tally->names - used, "%s%.100s (%s)", used ? ", " : "",
                     kernel->name, insp_image_name(name, image));
            tally->named++;
        }
    }
}

/* "3 of 12 kernels: a (sm_80), b (sm_80), ...", then the worst in words. */
static const char *evidence(struct insp_report *report, const struct tally *tally, const char *worst)
{
    return insp_arena_print(&report->arena, "%u of %u kernels: %s%s%s%s", tally->count, tally->seen,
                            tally->names, tally->count > (uint32_t)tally->named ? ", ..." : "",
                            *worst ? "; " : "", worst);
}

static struct insp_verdict *judge(struct insp_verdicts *verdicts, struct insp_report *report,
                                  enum insp_code_of_verdict code, measure_function *measure,
                                  struct tally *tally)
{
    count(tally, report, measure);
    if (!tally->count)
        return NULL;
    struct insp_verdict *verdict = insp_add_verdict(verdicts, code, tally->count);
    verdict->evidence = evidence(report, tally, "");
    return verdict;
}

static void judge_memory(struct insp_verdicts *verdicts, struct insp_report *report)
{
    struct tally tally;
    struct insp_verdict *verdict = judge(verdicts, report, INSP_IS_SPILL, spill_bytes, &tally);
    if (verdict) {
        char worst[128];
        snprintf(worst, sizeof worst, "at worst %" PRId64 " bytes stored and %" PRId64 " loaded a thread",
                 tally.worst->spill_store_bytes, tally.worst->spill_load_bytes);
        verdict->text = "registers are spilled to local memory";
        verdict->evidence = evidence(report, &tally, worst);
        verdict->remedy = "keep fewer values alive a thread, use smaller tiles, or relax __launch_bounds__, "
                          "__maxnreg__ or -maxrregcount";
    }
    verdict = judge(verdicts, report, INSP_IS_STACK, stack_bytes, &tally);
    if (verdict) {
        char worst[64];
        snprintf(worst, sizeof worst, "at worst %" PRId64 " bytes a thread", tally.worst_measure);
        verdict->text = "a stack in local memory: arrays with an index unknown when compiling, or calls";
        verdict->evidence = evidence(report, &tally, worst);
        verdict->remedy = "unroll the loops that index the arrays, or put them in shared memory";
    }
}

static void judge_occupancy(struct insp_verdicts *verdicts, struct insp_report *report)
{
    struct tally tally;
    struct insp_verdict *verdict = judge(verdicts, report, INSP_IS_OCCUPANCY, one_block, &tally);
    if (verdict) {
        struct insp_occupancy occupancy;
        char worst[128];
        insp_occupancy(&occupancy, tally.worst, report->images[tally.worst->image].arch);
        snprintf(worst, sizeof worst, "at worst %d of %d warps, limited by %s", occupancy.warps,
                 occupancy.max_warps, insp_limiter_name(occupancy.limiter));
        verdict->text = "at most one block fits on a multiprocessor, and it fills less than a quarter of it";
        verdict->evidence = evidence(report, &tally, worst);
        verdict->remedy = "use fewer registers or less shared memory a block, or larger blocks";
    }
    verdict = judge(verdicts, report, INSP_IS_REGISTERS, all_registers, &tally);
    if (verdict) {
        verdict->text = "all 255 registers are used";
        verdict->remedy = "look whether spills follow; smaller tiles a thread need fewer";
    }
    verdict = judge(verdicts, report, INSP_IS_LAUNCH_BOUNDS, unbounded, &tally);
    if (verdict) {
        char worst[96];
        snprintf(worst, sizeof worst, "at worst %d registers, at most %d threads a block",
                 tally.worst->registers, 65536 / ((tally.worst->registers + 7) / 8 * 8) / 32 * 32);
        verdict->text = "no __launch_bounds__, and too many registers for a block of 1024 threads";
        verdict->evidence = evidence(report, &tally, worst);
        verdict->remedy = "state the block size: __launch_bounds__(threads)";
    }
}

static void judge_code(struct insp_verdicts *verdicts, struct insp_report *report)
{
    struct tally tally;
    struct insp_verdict *verdict = judge(verdicts, report, INSP_IS_F64, strayed_f64, &tally);
    if (verdict) {
        verdict->text = "float32 values are widened, reckoned in float64 and narrowed again";
        verdict->remedy = "write 1.0f, not 1.0, and sqrtf, not sqrt, unless float64 is meant; most GPUs run "
                          "float64 at 1/32 or 1/64 of the rate";
    }
    verdict = judge(verdicts, report, INSP_IS_FMA, unfused, &tally);
    if (verdict) {
        verdict->text = "products are added without fma";
        verdict->remedy = "take out -fmad=false or __fmul_rn and __fadd_rn, unless the rounding is meant";
    }
    verdict = judge(verdicts, report, INSP_IS_SCALAR, scalar, &tally);
    if (verdict) {
        verdict->text = "global memory is accessed 4 bytes at a time, four and more side by side";
        verdict->remedy = "where the address is a multiple of 16, load and store float4";
    }
}

void insp_judge_kernels(struct insp_verdicts *verdicts, struct insp_report *report)
{
    judge_memory(verdicts, report);
    judge_occupancy(verdicts, report);
    judge_code(verdicts, report);
}
