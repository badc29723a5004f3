/* SPDX-License-Identifier: MIT */
/* select_candidate.c: which kernels could multiply matrices of these sizes; the other select files say
 * which of them should. */
#include "select.h"

#include <stdbool.h>

#include "isomat.h"

/* Whether a kernel is one of the layout of a problem, in a family that begins with id first and has `tiles`
 * in each layout. */
static bool is_of(const struct im_gemm_problem *problem, enum im_kernel_id id, enum im_kernel_id first,
                  int tiles)
{
    int layout = 2 * (problem->op_a == ISOMAT_OP_T) + (problem->op_b == ISOMAT_OP_T);
    int tile = (int)id - (int)first - layout * tiles;
    return tile >= 0 && tile < tiles;
}

static bool is_mma(const struct im_gemm_problem *problem, enum im_kernel_id id, enum im_mma_mode mode)
{
    int first = IM_KERNEL_MMA_FIRST + (int)mode * ISOMAT_GEMM_F32_LAYOUTS * ISOMAT_GEMM_MMA_TILES;
    return problem->capability >= 80 && is_of(problem, id, (enum im_kernel_id)first, ISOMAT_GEMM_MMA_TILES);
}

static bool is_16(const struct im_gemm_problem *problem, enum im_kernel_id id, enum im_kernel_id first)
{
    return is_of(problem, id, first, IM_SM90_16_TILES);
}

/* A skinny kernel holds the thin side, and reads the large operand as it is stored. */
static bool is_skinny(const struct im_gemm_problem *problem, enum im_kernel_id id)
{
    bool thin_n = im_is_thin_n(problem->m, problem->n);
    bool by_rows = thin_n ? problem->op_a == ISOMAT_OP_N : problem->op_b == ISOMAT_OP_T;
    return id >= IM_KERNEL_SKINNY_rows_1 && id <= IM_KERNEL_SKINNY_cols_8 &&
           (id < IM_KERNEL_SKINNY_cols_1) == by_rows &&
           (thin_n ? problem->n : problem->m) <= im_kernels[id].thin;
}

static bool is_simt(const struct im_gemm_problem *problem, enum im_kernel_id id)
{
    return is_of(problem, id, IM_KERNEL_GEMM_nn_128x128x16, IM_GEMM_TILES) || is_skinny(problem, id);
}

static bool fits_f32(const struct im_gemm_problem *problem, enum im_kernel_id id)
{
    if (is_mma(problem, id, IM_MMA_F32X3)) /* made for compute capability 8.0 (select_mma.c) */
        return problem->capability == 80 && problem->k >= ISOMAT_GEMM_F32X3_K_MIN;
    return is_of(problem, id, IM_KERNEL_SM90_nn_128x256, IM_SM90_TILES) && im_can_split(problem);
}

static bool fits_tf32(const struct im_gemm_problem *problem, enum im_kernel_id id, bool hopper)
{
    if (is_16(problem, id, IM_KERNEL_SM90_F16_nn_128x256)) /* by split forms */
        return hopper && problem->k <= ISOMAT_SPLIT_K_MAX;
    if (is_simt(problem, id)) /* which rounds nothing */
        return problem->m <= ISOMAT_SKINNY_MAX || problem->n <= ISOMAT_SKINNY_MAX;
    return is_mma(problem, id, IM_MMA_TF32);
}

static bool fits(const struct im_gemm_problem *problem, int32_t compute, bool hopper, enum im_kernel_id id)
{
    switch (compute) {
    case ISOMAT_COMPUTE_F32:
        if (fits_f32(problem, id))
            return true;
        /* fall through */
    case ISOMAT_COMPUTE_F32_STRICT:
        return is_simt(problem, id) || (id == IM_KERNEL_STRICT_SM90 && im_can_be_strict(problem));
    case ISOMAT_COMPUTE_TF32:
        return fits_tf32(problem, id, hopper);
    case ISOMAT_COMPUTE_F16:
        return is_mma(problem, id, IM_MMA_F16) ||
               (hopper && is_16(problem, id, IM_KERNEL_SM90_F16_nn_128x256));
    case ISOMAT_COMPUTE_BF16:
        return is_mma(problem, id, IM_MMA_BF16) ||
               (hopper && is_16(problem, id, IM_KERNEL_SM90_BF16_nn_128x256));
    default:
        return im_f64_fits(problem, id);
    }
}

static int32_t parts_at(const struct im_gemm_problem *problem, enum im_kernel_id id, int fill)
{
    if (is_simt(problem, id))
        return im_simt_parts_at(problem, id, fill);
    if (im_f64_fits(problem, id))
        return im_f64_parts_at(problem, id, fill);
    return fill == 0;
}

int im_select_candidate(struct im_choice *choice, const struct im_gemm_problem *problem, int32_t compute,
                        int hopper, int index)
{
    for (int id = 0; id < IM_KERNEL_COUNT; id++) {
        choice->id = (enum im_kernel_id)id;
        if (!fits(problem, compute, hopper, choice->id))
            continue;
        int32_t last = 0;
        for (int fill = 0; (choice->parts = parts_at(problem, choice->id, fill)) > 0; fill++) {
            if (choice->parts > last && index-- == 0)
                return 1;
            last = choice->parts;
        }
    }
    return 0;
}

int im_select_is_candidate(const struct im_choice *choice, const struct im_gemm_problem *problem,
                           int32_t compute, int hopper)
{
    int32_t parts = 0;
    if (!fits(problem, compute, hopper, choice->id))
        return 0;
    for (int fill = 0; (parts = parts_at(problem, choice->id, fill)) > 0; fill++)
        if (parts == choice->parts)
            return 1;
    return 0;
}
