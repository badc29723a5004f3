/* SPDX-License-Identifier: MIT */
/* test_select_grid.c: the kernel that is chosen can be launched: over more than a million products, in every
 * compute mode, on devices of every architecture.  Pure host code, no driver is opened.
 */
#include "lib/gemm_16.h"
#include "lib/gemm_choice.h"
#include "lib/gemm_problem.h"
#include "tests/support/test.h"

#define MOST_ELEMENTS (1LL << 40) /* more than any memory holds */
#define MOST_WORK (1LL << 30)     /* bytes for parts of k */

static const int64_t sizes[] = {
    1,    2,    3,    7,     8,     9,     15,     31,      33,      64,
    65,   100,  128,  129,   200,   257,   500,    512,     1000,    1024,
    2048, 4097, 8192, 10000, 16384, 65536, 100000, 1 << 20, 3000000, (1LL << 31) - 65536};
static const int64_t depths[] = {1,
                                 2,
                                 8,
                                 16,
                                 31,
                                 63,
                                 64,
                                 65,
                                 127,
                                 255,
                                 256,
                                 257,
                                 512,
                                 1000,
                                 4096,
                                 11008,
                                 65536,
                                 200000,
                                 (1 << 21),
                                 (1 << 21) + 1,
                                 (1LL << 31) - 65536};
static const struct device {
    int capability, multiprocessors, shared_kib; /* of a block, by the CUDA programming guide */
} devices[] = {{75, 40, 64},  {75, 1, 64},    {80, 108, 163}, {80, 14, 163}, {86, 28, 99},    {86, 84, 99},
               {89, 128, 99}, {90, 132, 227}, {90, 16, 227},  {90, 1, 227},  {100, 148, 227}, {120, 170, 99}};
static const char *const modes[] = {"f32", "f32-strict", "tf32", "f16", "bf16", "f64"};
static const char *const layouts[] = {"_nn_", "_nt_", "_tn_", "_tt_"};

static struct im_context context; /* of which only the limits are looked at */

static struct im_gemm_problem problem_on(const struct device *device, int64_t m, int64_t n, int64_t k,
                                         int ops, int32_t compute)
{
    context.limits.capability = device->capability;
    context.limits.multiprocessors = device->multiprocessors;
    return im_gemm_problem_of(m, n, k, ops / 2, ops % 2, compute, &context);
}

static int begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* What is wrong with the family of a kernel, by its name. */
static const char *wrong_family(const char *name, const struct device *device,
                                const struct im_gemm_problem *p, int32_t compute)
{
    const int sm90 = strstr(name, "_sm90") != NULL, thin = p->m <= 8 || p->n <= 8;
    const int simt = begins(name, "isomat_gemm_f32_") && !sm90;

    if (strstr(name, "_group_") || strstr(name, "_tiny_") || strstr(name, "_reduce"))
        return "no kernel of one product";
    if (sm90 && device->capability != 90)
        return "Hopper's";
    if (!simt && !sm90 && device->capability < 80 && !begins(name, "isomat_gemm_f64_"))
        return "needs tensor cores";
    switch (compute) {
    case ISOMAT_COMPUTE_F32:
        if (begins(name, "isomat_gemm_f32_sm90_"))
            return p->k >= 256 && p->k <= 1 << 21 ? NULL : "k cannot be split";
        if (begins(name, "isomat_gemm_f32x3_"))
            return p->k >= 64 ? NULL : "k is too short";
        /* fall through */
    case ISOMAT_COMPUTE_F32_STRICT:
        return simt || begins(name, "isomat_gemm_f32_strict_sm90") ? NULL : "another mode";
    case ISOMAT_COMPUTE_TF32:
        if (begins(name, "isomat_gemm_f16_sm90_"))
            return p->k <= 1 << 21 ? NULL : "k cannot be split";
        return begins(name, "isomat_gemm_tf32_") || (simt && thin) ? NULL : "another mode";
    case ISOMAT_COMPUTE_F16:
        return begins(name, "isomat_gemm_f16_") ? NULL : "another mode";
    case ISOMAT_COMPUTE_BF16:
        return begins(name, "isomat_gemm_bf16_") ? NULL : "another mode";
    default:
        return begins(name, "isomat_gemm_f64_") ? NULL : "another mode";
    }
}

/* Blocks of the whole product; 0 if the kernel does not have its layout, or does not hold it. */
static int64_t blocks_of(const struct im_kernel_row *row, const struct im_gemm_problem *p)
{
    const int rows = strstr(row->name, "_rows_") != NULL;

    if (rows || strstr(row->name, "_cols_")) { /* see isomat_skinny_args */
        const int as_n = p->n <= 16 && p->n <= p->m;
        const int64_t thin = as_n ? p->n : p->m;
        if (thin > row->thin || rows != (as_n ? p->op_a == ISOMAT_OP_N : p->op_b == ISOMAT_OP_T))
            return 0;
        return ISOMAT_SKINNY_GRID(as_n ? p->m : p->n, row->rows_per_block);
    }
    if (!strstr(row->name, "_strict_sm90") && !strstr(row->name, layouts[2 * p->op_a + p->op_b]))
        return 0;
    return ISOMAT_GEMM_GRID(p->m, p->n, row->tile_m, row->tile_n);
}

/* What is wrong with a choice; NULL if it can be launched. */
static const char *wrong(const struct im_choice *choice, const struct device *device,
                         const struct im_gemm_problem *p, int32_t compute)
{
    const int64_t element = compute == ISOMAT_COMPUTE_F64 ? 8 : 4;

    if ((unsigned)choice->id >= IM_KERNEL_COUNT)
        return "no kernel";
    const struct im_kernel_row *row = &im_kernels[choice->id];
    const char *family = wrong_family(row->name, device, p, compute);
    const int64_t blocks = family ? 0 : blocks_of(row, p), parts = choice->parts;
    if (family)
        return family;
    if (blocks <= 0)
        return "not this layout or size";
    if (row->threads < 32 || row->threads > 1024 || row->shared_bytes > (uint32_t)device->shared_kib << 10)
        return "more than a block may have";
    if (parts < 1 || parts > ISOMAT_PARTS_MAX ||
        (parts > 1 && (row->step_k == 0 || strstr(row->name, "_sm90"))))
        return "parts";
    if (blocks > INT32_MAX / parts)
        return "grid";
    if (parts > 1 && parts > (p->k + row->step_k - 1) / row->step_k)
        return "parts without work";
    if (parts > 1 && ISOMAT_REDUCE_GRID(p->m, p->n, parts) > INT32_MAX / ISOMAT_REDUCE_THREADS)
        return "grid of the sum";
    if (parts > 1 && (p->n + 3) / 4 * 4 * element > MOST_WORK / parts / p->m)
        return "work memory";
    return NULL;
}

static void check(const struct im_choice *choice, const struct device *device,
                  const struct im_gemm_problem *p, int32_t compute)
{
    const char *what = wrong(choice, device, p, compute);

    if (!what)
        return;
    print_error("%s: kernel %d (%s) in %d parts for %lld x %lld x %lld%s%s on %d multiprocessors of %d\n",
                what, (int)choice->id,
                (unsigned)choice->id < IM_KERNEL_COUNT ? im_kernels[choice->id].name : "?", choice->parts,
                (long long)p->m, (long long)p->n, (long long)p->k, layouts[2 * p->op_a + p->op_b],
                modes[compute], device->multiprocessors, device->capability);
    fail();
}

static int fits_memory(int64_t m, int64_t n, int64_t k)
{
    return m <= MOST_ELEMENTS / n && m <= MOST_ELEMENTS / k && n <= MOST_ELEMENTS / k;
}

/* Mode, ops and device change from product to product, so that each meets each. */
static void a_million_choices_can_be_launched(void **state)
{
    int64_t count = 0, of_mode[TEST_COUNT(modes)] = {0}, of_device[TEST_COUNT(devices)] = {0};

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(sizes); i++)
        for (size_t j = 0; j < TEST_COUNT(sizes); j++)
            for (size_t l = 0; l < TEST_COUNT(depths); l++)
                for (size_t d = 0; d < TEST_COUNT(devices); d++)
                    for (int32_t compute = 0; compute < (int32_t)TEST_COUNT(modes); compute++) {
                        const int ops = (int)(i + j + l + d) % 4;
                        if (!fits_memory(sizes[i], sizes[j], depths[l]) ||
                            (devices[d].capability < 80 && compute >= ISOMAT_COMPUTE_TF32 &&
                             compute <= ISOMAT_COMPUTE_BF16))
                            continue;
                        const struct im_gemm_problem problem =
                            problem_on(&devices[d], sizes[i], sizes[j], depths[l], ops, compute);
                        const struct im_choice choice = im_gemm_choose(&problem, compute, &context);
                        check(&choice, &devices[d], &problem, compute);
                        count++;
                        of_mode[compute]++;
                        of_device[d]++;
                    }
    assert_true(count >= 1000000);
    for (size_t i = 0; i < TEST_COUNT(modes); i++)
        assert_true(of_mode[i] >= 100000);
    for (size_t i = 0; i < TEST_COUNT(devices); i++)
        assert_true(of_device[i] >= 40000);
}

/* What isomat tune measures and a tuning file may ask for; the choice is among them. */
static void candidates_can_be_launched(void **state)
{
    int64_t count = 0;

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(sizes); i += 2)
        for (size_t j = 0; j < TEST_COUNT(sizes); j += 2)
            for (size_t l = 0; l < TEST_COUNT(depths); l += 2)
                for (size_t d = 0; d < TEST_COUNT(devices); d++) {
                    const int32_t compute = (int32_t)((i + j + l) / 2 + d) % (int32_t)TEST_COUNT(modes);
                    if (!fits_memory(sizes[i], sizes[j], depths[l]))
                        continue;
                    const struct im_gemm_problem problem =
                        problem_on(&devices[d], sizes[i], sizes[j], depths[l], (int)(l / 2 + j) % 4, compute);
                    const int hopper = im_gemm_16_possible(&context);
                    struct im_choice choice = im_gemm_choose(&problem, compute, &context);
                    const int tensor = compute >= ISOMAT_COMPUTE_TF32 && compute <= ISOMAT_COMPUTE_BF16;
                    if (!tensor || devices[d].capability >= 80)
                        assert_true(im_select_is_candidate(&choice, &problem, compute, hopper));
                    for (int index = 0; im_select_candidate(&choice, &problem, compute, hopper, index);
                         index++) {
                        check(&choice, &devices[d], &problem, compute);
                        assert_true(im_select_is_candidate(&choice, &problem, compute, hopper));
                        count++;
                    }
                }
    assert_true(count >= 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_choices_can_be_launched),
        cmocka_unit_test(candidates_can_be_launched),
    };

    im_cu.kind = ISOMAT_DRIVER_KIND_NVIDIA; /* of which Hopper's kernels ask */
    im_cu.hopper_launches = true;
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
