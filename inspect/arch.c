/* SPDX-License-Identifier: MIT */
/* arch.c: what is known of each architecture and toolkit, from the CUDA Programming Guide's table of
 * compute capabilities and the release notes. */
#include "arch.h"

#define KIB *1024

static const struct insp_arch archs[] = {
    {50, 65, 64, 32, 64 KIB, 48 KIB, 0, 256},        {52, 65, 64, 32, 96 KIB, 48 KIB, 0, 256},
    {53, 65, 64, 32, 64 KIB, 48 KIB, 0, 256},        {60, 80, 64, 32, 64 KIB, 48 KIB, 0, 256},
    {61, 80, 64, 32, 96 KIB, 48 KIB, 0, 256},        {62, 80, 64, 32, 64 KIB, 48 KIB, 0, 256},
    {70, 90, 64, 32, 96 KIB, 96 KIB, 0, 256},        {72, 92, 64, 32, 96 KIB, 96 KIB, 0, 256},
    {75, 100, 32, 16, 64 KIB, 64 KIB, 0, 256},       {80, 110, 64, 32, 164 KIB, 163 KIB, 1024, 128},
    {86, 111, 48, 16, 100 KIB, 99 KIB, 1024, 128},   {87, 114, 48, 16, 164 KIB, 163 KIB, 1024, 128},
    {89, 118, 48, 24, 100 KIB, 99 KIB, 1024, 128},   {90, 118, 64, 32, 228 KIB, 227 KIB, 1024, 128},
    {100, 128, 64, 32, 228 KIB, 227 KIB, 1024, 128}, {101, 128, 48, 24, 228 KIB, 227 KIB, 1024, 128},
    {103, 129, 64, 32, 228 KIB, 227 KIB, 1024, 128}, {110, 130, 48, 24, 228 KIB, 227 KIB, 1024, 128},
    {120, 128, 48, 24, 100 KIB, 99 KIB, 1024, 128},  {121, 129, 48, 24, 100 KIB, 99 KIB, 1024, 128},
};

enum { ARCH_COUNT = sizeof archs / sizeof *archs };

const struct insp_arch *insp_arch_at(int index)
{
    return index >= 0 && index < ARCH_COUNT ? &archs[index] : NULL;
}

const struct insp_arch *insp_arch_find(int32_t arch)
{
    for (int i = 0; i < ARCH_COUNT; i++)
        if (archs[i].arch == arch)
            return &archs[i];
    return NULL;
}

int32_t insp_ptx_toolkit(int32_t ptx_version)
{
    static const struct {
        int32_t ptx, toolkit;
    } rows[] = {
        {60, 90},  {61, 91},  {62, 92},  {63, 100}, {64, 101}, {65, 102}, {70, 110}, {71, 111}, {72, 112},
        {73, 113}, {74, 114}, {75, 115}, {76, 116}, {77, 117}, {78, 118}, {80, 120}, {81, 121}, {82, 122},
        {83, 123}, {84, 124}, {85, 125}, {86, 127}, {87, 128}, {88, 129}, {90, 130}, {91, 131},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].ptx == ptx_version)
            return rows[i].toolkit;
    return 0;
}

/* ----------------------------------------------------------------- occupancy */

enum {
    WARP = 32,
    REGISTERS = 65536,   /* of a multiprocessor, on every architecture of the table */
    REGISTER_UNIT = 256, /* of allocation, per warp */
    ASSUMED_THREADS = 256,
    MAX_THREADS = 1024,
    FIRST_BARRIER_ARCH = 90, /* NVIDIA's cuda_occupancy.h reckons with barriers from here on */
};

static int32_t round_up(int32_t number, int32_t unit)
{
    return (number + unit - 1) / unit * unit;
}

static uint64_t product(const uint32_t numbers[3])
{
    uint64_t total = 1;
    for (int i = 0; i < 3; i++)
        total *= numbers[i] ? (numbers[i] <= MAX_THREADS ? numbers[i] : MAX_THREADS + 1) : 1;
    return total;
}

static int32_t block_threads(const struct insp_kernel *kernel, bool *assumed)
{
    const uint32_t *numbers = kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads;
    *assumed = numbers[0] == 0;
    uint64_t threads = *assumed ? ASSUMED_THREADS : product(numbers);
    return threads <= MAX_THREADS ? (int32_t)threads : MAX_THREADS;
}

static void limit(struct insp_occupancy *occupancy, int32_t blocks, enum insp_limiter limiter)
{
    if (blocks >= occupancy->blocks)
        return;
    occupancy->blocks = blocks;
    occupancy->limiter = limiter;
}

/* Whether there are two barriers for each block that fits, not one. */
static bool has_spare_barriers(int32_t arch)
{
    return arch == 90 || arch == 100 || arch == 103;
}

bool insp_occupancy(struct insp_occupancy *occupancy, const struct insp_kernel *kernel, int32_t number)
{
    const struct insp_arch *arch = insp_arch_find(number);
    if (!arch || kernel->registers < 0 || kernel->shared_bytes < 0)
        return false;
    *occupancy = (struct insp_occupancy){.max_warps = arch->warps, .blocks = INT32_MAX};
    occupancy->block_threads = block_threads(kernel, &occupancy->assumed);
    int32_t block_warps = (occupancy->block_threads + WARP - 1) / WARP;
    int32_t registers = kernel->registers < 256 ? kernel->registers : 255;
    limit(occupancy, arch->warps / block_warps, INSP_BY_THREADS);
    limit(occupancy, arch->blocks, INSP_BY_BLOCKS);
    if (registers > 0) {
        int32_t schedulers = number == 60 ? 2 : 4; /* among which the warps are shared out */
        int32_t warps = REGISTERS / round_up(registers * WARP, REGISTER_UNIT) / schedulers * schedulers;
        limit(occupancy, warps / block_warps, INSP_BY_REGISTERS);
    }
    if (kernel->barriers > 0 && number >= FIRST_BARRIER_ARCH)
        limit(occupancy, arch->blocks * (has_spare_barriers(number) ? 2 : 1) / kernel->barriers,
              INSP_BY_BARRIERS);
    if (kernel->shared_bytes > arch->shared_block_bytes)
        limit(occupancy, 0, INSP_BY_SHARED);
    else if (kernel->shared_bytes + arch->shared_reserved > 0)
        limit(occupancy,
              arch->shared_bytes /
                  round_up((int32_t)kernel->shared_bytes + arch->shared_reserved, arch->shared_unit),
              INSP_BY_SHARED);
    occupancy->warps = occupancy->blocks * block_warps;
    return true;
}

const char *insp_limiter_name(enum insp_limiter limiter)
{
    static const char *const names[] = {"threads", "blocks", "registers", "shared memory", "barriers"};
    return names[limiter];
}

/* ------------------------------------------------------------------------ fit */

enum insp_fit insp_image_fit(const struct insp_image *image, const struct insp_target *target)
{
    bool code = image->kind == INSP_CUBIN;
    if (image->kind != INSP_PTX && !code)
        return INSP_NO_FIT;
    if (image->suffix == 'a' && image->arch != target->arch)
        return INSP_NO_FIT;
    if (image->arch > target->arch)
        return INSP_NO_FIT;
    if ((code || image->suffix == 'f') && image->arch / 10 != target->arch / 10)
        return INSP_NO_FIT;
    if (code)
        return INSP_FIT;
    int32_t needed = insp_ptx_toolkit(image->ptx_version);
    return target->driver && needed > target->driver ? INSP_NO_FIT : INSP_FIT_JIT;
}
