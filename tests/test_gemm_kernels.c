/* SPDX-License-Identifier: MIT */
/* test_gemm_kernels.c: each multiplication kernel by its name, around the edges of its tile.
 *
 * isomat_gemm chooses one kernel for a shape; here every kernel of
 * kernels/gemm_tiles.h meets every edge, with vector accesses and without.
 */
#include "kernels/abi.h"
#include "kernels/gemm_tiles.h"
#include "tests/support/reference.h"
#include "tests/support/work.h"

struct tile {
    const char *name;
    int32_t op_a, op_b;
    int bm, bn, bk, stages, threads;
};

struct skinny {
    const char *name;
    int columns; /* 1 if X is stored transposed */
    int s, r_per_block, threads;
};

#define TILE(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                                    \
    {"isomat_gemm_f32_" #layout "_" #bm "x" #bn "x" #bk, ta, tb, bm, bn, bk, stages, threads},
#define SKINNY_rows 0
#define SKINNY_cols 1
#define SKINNY(form, s, r_per_block, threads)                                                                \
    {"isomat_gemm_f32_" #form "_" #s, SKINNY_##form, s, r_per_block, threads},

static const struct tile tiles[] = {ISOMAT_GEMM_F32_KERNELS(TILE)};
static const struct skinny skinnies[] = {ISOMAT_SKINNY_F32_KERNELS(SKINNY)};

static uint64_t address(const struct operand *x)
{
    return x->memory + 4 * (uint64_t)x->offset;
}

/* The bit for matrix x where the contract of kernels/abi.h allows it. */
static uint32_t vector_bit(const struct operand *x, uint32_t bit)
{
    return address(x) % 16 == 0 && x->cols % 4 == 0 && (x->ld % 4 == 0 || x->rows == 1) ? bit : 0;
}

/* Runs one launch twice, with the flags allowed and with none: both right, and the same bits. */
static void check_launch(isomat_kernel kernel, isomat_launch launch, void *args, uint32_t *flags,
                         const struct reference_gemm *gemm, const struct operand *a, const struct operand *b,
                         const struct operand *c)
{
    const void *arguments[] = {args};
    const uint32_t allowed = *flags;
    float *got[2];

    for (int plain = 0; plain < 2; plain++) {
        *flags = plain ? 0 : allowed;
        assert_ok(isomat_memory_copy_to_device(c->memory, c->host, c->total * 4, c->context, ISOMAT_NONE));
        assert_ok(isomat_kernel_launch(kernel, &launch, arguments, 1, NULL));
        got[plain] = operand_download(c);
        assert_true(reference_accepts(gemm, a, b, c, got[plain]));
        assert_true(operand_guarded(c, got[plain]));
    }
    assert_memory_equal(got[0], got[1], (size_t)c->total * 4);
    free(got[0]);
    free(got[1]);
    assert_true(operand_unchanged(a) && operand_unchanged(b));
}

static void make_operands(struct operand *x, isomat_context context, const struct reference_gemm *gemm)
{
    const int ta = gemm->op_a == ISOMAT_OP_T, tb = gemm->op_b == ISOMAT_OP_T;

    operand_create(&x[0], context, ta ? gemm->k : gemm->m, ta ? gemm->m : gemm->k, gemm->layout_a,
                   gemm->fill);
    operand_create(&x[1], context, tb ? gemm->n : gemm->k, tb ? gemm->k : gemm->n, gemm->layout_b,
                   gemm->fill);
    operand_create(&x[2], context, gemm->m, gemm->n, gemm->layout_c,
                   gemm->beta == 0 ? OPERAND_NAN : gemm->fill);
}

static void check_tile(isomat_context context, isomat_kernel kernel, const struct tile *tile,
                       const struct reference_gemm *gemm)
{
    isomat_launch launch = work_launch((uint32_t)ISOMAT_GEMM_GRID(gemm->m, gemm->n, tile->bm, tile->bn),
                                       (uint32_t)tile->threads, ISOMAT_NONE);
    struct operand x[3];
    struct isomat_gemm_args args;

    make_operands(x, context, gemm);
    args = (struct isomat_gemm_args){
        .a = address(&x[0]),
        .b = address(&x[1]),
        .c = address(&x[2]),
        .lda = x[0].ld,
        .ldb = x[1].ld,
        .ldc = x[2].ld,
        .m = (int32_t)gemm->m,
        .n = (int32_t)gemm->n,
        .k = (int32_t)gemm->k,
        .flags = vector_bit(&x[0], ISOMAT_VECTOR_A) | vector_bit(&x[1], ISOMAT_VECTOR_B) |
                 vector_bit(&x[2], ISOMAT_VECTOR_C),
        .alpha = (float)gemm->alpha,
        .beta = (float)gemm->beta,
    };
    launch.shared_bytes = (uint32_t)ISOMAT_GEMM_SHARED_BYTES(tile->op_a, tile->op_b, tile->bm, tile->bn,
                                                             tile->bk, tile->stages);
    check_launch(kernel, launch, &args, &args.flags, gemm, &x[0], &x[1], &x[2]);
    for (int i = 0; i < 3; i++)
        operand_destroy(&x[i]);
}

/* Shapes relative to the tile: its size and one less, one more; depths around a slab and the ring. */
static void each_tile_kernel_is_right_at_its_edges(void **state)
{
    static const double betas[] = {0, 1, -0.75};
    isomat_module module;
    isomat_kernel kernel;
    unsigned turn = 0;

    assert_ok(isomat_module_load_embedded(&module, device_context(state), "gemm_f32"));
    for (size_t t = 0; t < TEST_COUNT(tiles); t++) {
        const struct tile *tile = &tiles[t];
        const int64_t sizes[][3] = {
            {tile->bm, tile->bn, tile->bk},
            {tile->bm, tile->bn, tile->bk * (tile->stages + 2)},
            {tile->bm - 1, tile->bn + 1, tile->bk + 1},
            {tile->bm + 1, tile->bn - 1, tile->bk - 1},
            {tile->bm + 4, tile->bn + 4, tile->bk * tile->stages + 4},
            {1, 1, 1},
            {5, tile->bn + 3, 2 * tile->bk + 3},
            {tile->bm - 4, tile->bn - 4, 0},
        };
        assert_ok(isomat_kernel_get(&kernel, module, tile->name));
        for (size_t i = 0; i < 2 * TEST_COUNT(sizes); i++, turn++)
            check_tile(device_context(state), kernel, tile,
                       &(struct reference_gemm){
                           .m = sizes[i / 2][0],
                           .n = sizes[i / 2][1],
                           .k = sizes[i / 2][2],
                           .op_a = tile->op_a,
                           .op_b = tile->op_b,
                           .alpha = i % 2 ? 1 : -2.5,
                           .beta = betas[turn % 3],
                           .layout_a = i % 2 ? OPERAND_ALIGNED : (enum operand_layout)(turn / 2 % 4),
                           .layout_b = i % 2 ? OPERAND_ALIGNED : (enum operand_layout)(turn / 4 % 4),
                           .layout_c = i % 2 ? OPERAND_ALIGNED : (enum operand_layout)(turn / 8 % 4),
                       });
        assert_ok(isomat_kernel_destroy(kernel));
    }
    assert_ok(isomat_module_destroy(module));
}

/* Z = alpha X Y + beta Z with X of r x k; seen as m = r, n = s with A = X, or the transposed problem. */
static void check_skinny(isomat_context context, isomat_kernel kernel, const struct skinny *skinny,
                         const struct reference_gemm *gemm, int transposed)
{
    const int64_t r = transposed ? gemm->n : gemm->m, s = transposed ? gemm->m : gemm->n;
    isomat_launch launch = work_launch((uint32_t)ISOMAT_SKINNY_GRID(r, skinny->r_per_block),
                                       (uint32_t)skinny->threads, ISOMAT_NONE);
    struct operand m[3];
    const struct operand *x = transposed ? &m[1] : &m[0], *y = transposed ? &m[0] : &m[1];
    const int y_is_k_by_s = transposed ? gemm->op_a == ISOMAT_OP_T : gemm->op_b == ISOMAT_OP_N;
    struct isomat_skinny_args args;

    make_operands(m, context, gemm);
    args = (struct isomat_skinny_args){
        .x = address(x),
        .y = address(y),
        .z = address(&m[2]),
        .ldx = x->ld,
        .y_k = y_is_k_by_s ? y->ld : 1,
        .y_s = y_is_k_by_s ? 1 : y->ld,
        .z_r = transposed ? 1 : m[2].ld,
        .z_s = transposed ? m[2].ld : 1,
        .r = (int32_t)r,
        .s = (int32_t)s,
        .k = (int32_t)gemm->k,
        .flags = vector_bit(x, ISOMAT_VECTOR_A),
        .alpha = (float)gemm->alpha,
        .beta = (float)gemm->beta,
    };
    check_launch(kernel, launch, &args, &args.flags, gemm, &m[0], &m[1], &m[2]);
    for (int i = 0; i < 3; i++)
        operand_destroy(&m[i]);
}

/* All shapes of one kernel.  X is op(A) as it is, or op(B) transposed. */
static void check_skinny_shapes(isomat_context context, isomat_kernel kernel, const struct skinny *skinny)
{
    const int64_t lengths[] = {1, skinny->r_per_block - 1, skinny->r_per_block + 1, 100, 132};
    static const int64_t depths[] = {0, 1, 31, 128, 1029};
    unsigned turn = 0;

    for (int64_t s = skinny->s / 2 + 1; s <= skinny->s; s++)
        for (size_t i = 0; i < TEST_COUNT(lengths) * TEST_COUNT(depths); i++, turn++) {
            const int transposed = turn / 2 % 2, other = turn % 2;
            const int64_t r = lengths[i % TEST_COUNT(lengths)];
            check_skinny(context, kernel, skinny,
                         &(struct reference_gemm){
                             .m = transposed ? s : r,
                             .n = transposed ? r : s,
                             .k = depths[i / TEST_COUNT(lengths)],
                             .op_a = transposed ? other : skinny->columns,
                             .op_b = transposed ? !skinny->columns : other,
                             .alpha = turn % 3 ? 1 : 0.3,
                             .beta = turn % 5 ? 0 : 2,
                             .layout_a = (enum operand_layout)(turn % 4),
                             .layout_b = (enum operand_layout)(turn / 3 % 4),
                             .layout_c = (enum operand_layout)(turn / 5 % 4),
                         },
                         transposed);
        }
}

static void each_skinny_kernel_is_right_at_its_edges(void **state)
{
    isomat_module module;
    isomat_kernel kernel;

    assert_ok(isomat_module_load_embedded(&module, device_context(state), "gemm_f32_skinny"));
    for (size_t i = 0; i < TEST_COUNT(skinnies); i++) {
        assert_ok(isomat_kernel_get(&kernel, module, skinnies[i].name));
        check_skinny_shapes(device_context(state), kernel, &skinnies[i]);
        assert_ok(isomat_kernel_destroy(kernel));
    }
    assert_ok(isomat_module_destroy(module));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(each_tile_kernel_is_right_at_its_edges),
        device_test(each_skinny_kernel_is_right_at_its_edges),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
