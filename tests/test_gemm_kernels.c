/* SPDX-License-Identifier: MIT */
/* test_gemm_kernels.c: each multiplication kernel by its name, around the edges of its tile.
 *
 * isomat_gemm chooses one kernel for a shape; here every kernel of
 * kernels/gemm_tiles.h meets every edge, with vector accesses and without, over
 * the whole of k and over k in parts.
 */
#include "kernels/abi.h"
#include "kernels/gemm_tiles.h"
#include "kernels/tall_tiles.h"
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
    int s, r_per_block, chunk, threads;
};

#define TILE(layout, ta, tb, bm, bn, bk, wm, wn, stages, threads, blocks)                                    \
    {"isomat_gemm_f32_" #layout "_" #bm "x" #bn "x" #bk, ta, tb, bm, bn, bk, stages, threads},
#define SKINNY_rows 0
#define SKINNY_cols 1
#define SKINNY_tall_rows 0
#define SKINNY_tall_cols 1
#define SKINNY(form, s, r_per_block, chunk, threads, blocks)                                                 \
    {"isomat_gemm_f32_" #form "_" #s, SKINNY_##form, s, r_per_block, chunk, threads},

static const struct tile tiles[] = {ISOMAT_GEMM_F32_KERNELS(TILE)};
static const struct skinny skinnies[] = {ISOMAT_SKINNY_F32_KERNELS(SKINNY) ISOMAT_TALL_F32_KERNELS(SKINNY)};

static uint64_t address(const struct operand *x)
{
    return x->memory + 4 * (uint64_t)x->offset;
}

/* The bit for matrix x where the contract of kernels/abi.h allows it. */
static uint32_t vector_bit(const struct operand *x, uint32_t bit)
{
    return address(x) % 16 == 0 && x->cols % 4 == 0 && (x->ld % 4 == 0 || x->rows == 1) ? bit : 0;
}

/* One launch, with its one argument and the flags in it. */
struct step {
    isomat_kernel kernel;
    isomat_launch launch;
    void *args;
    uint32_t *flags;
};

static void submit(const struct step *step)
{
    const void *arguments[] = {step->args};

    assert_ok(isomat_kernel_launch(step->kernel, &step->launch, arguments, 1, NULL));
}

/* Runs one or two launches twice, with the flags allowed and with none: both right, and the same bits. */
static void check_steps(const struct step *steps, int count, const struct reference_gemm *gemm,
                        const struct operand *a, const struct operand *b, const struct operand *c)
{
    float *got[2];

    for (int plain = 0; plain < 2; plain++) {
        assert_ok(isomat_memory_copy_to_device(c->memory, c->host, c->total * 4, c->context, ISOMAT_NONE));
        for (int i = 0; i < count; i++) {
            *steps[i].flags = plain ? 0 : *steps[i].flags;
            submit(&steps[i]);
        }
        got[plain] = operand_download(c);
        assert_true(reference_accepts(gemm, a, b, c, got[plain]));
        assert_true(operand_guarded(c, got[plain]));
    }
    assert_memory_equal(got[0], got[1], (size_t)c->total * 4);
    free(got[0]);
    free(got[1]);
    assert_true(operand_unchanged(a) && operand_unchanged(b));
}

/* Work memory for the results of the parts, full of NaN, and the sum of them into C. */
struct parts {
    struct operand w;
    struct isomat_reduce_args args;
    struct step reduce;
};

static void make_parts(struct parts *parts, isomat_kernel reduce, int count,
                       const struct reference_gemm *gemm, const struct operand *c)
{
    operand_create(&parts->w, c->context, gemm->m * count, gemm->n, OPERAND_ALIGNED, OPERAND_NAN);
    parts->args = (struct isomat_reduce_args){
        .c = address(c),
        .w = address(&parts->w),
        .ldc = c->ld,
        .w_ld = parts->w.ld,
        .w_part = gemm->m * parts->w.ld,
        .m = (int32_t)gemm->m,
        .n = (int32_t)gemm->n,
        .parts = count,
        .flags = vector_bit(c, ISOMAT_VECTOR_C),
        .alpha = (float)gemm->alpha,
        .beta = (float)gemm->beta,
    };
    parts->reduce = (struct step){
        .kernel = reduce,
        .launch = work_launch((uint32_t)ISOMAT_REDUCE_GRID(gemm->m, gemm->n, count), ISOMAT_REDUCE_THREADS,
                              ISOMAT_NONE),
        .args = &parts->args,
        .flags = &parts->args.flags,
    };
}

/* The last part ends with its last row. */
static void check_parts(struct parts *parts)
{
    const int64_t end = parts->w.rows * parts->w.ld;
    float *now = operand_download(&parts->w);

    assert_memory_equal(now + end, parts->w.host + end, (size_t)(parts->w.total - end) * 4);
    free(now);
    operand_destroy(&parts->w);
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

/* A kernel by its name, and the one that adds up its parts. */
struct kernels {
    isomat_kernel multiply, reduce;
};

static void check_tile(isomat_context context, const struct kernels *kernels, const struct tile *tile,
                       const struct reference_gemm *gemm, int count)
{
    const int64_t blocks = ISOMAT_GEMM_GRID(gemm->m, gemm->n, tile->bm, tile->bn) * count;
    struct operand x[3];
    struct parts parts;
    struct isomat_gemm_parts_args args;
    struct step steps[2] = {{
        .kernel = kernels->multiply,
        .launch = work_launch((uint32_t)blocks, (uint32_t)tile->threads, ISOMAT_NONE),
        .args = &args,
        .flags = &args.gemm.flags,
    }};

    make_operands(x, context, gemm);
    args = (struct isomat_gemm_parts_args){.gemm = {
                                               .a = address(&x[0]),
                                               .b = address(&x[1]),
                                               .c = address(&x[2]),
                                               .lda = x[0].ld,
                                               .ldb = x[1].ld,
                                               .ldc = x[2].ld,
                                               .m = (int32_t)gemm->m,
                                               .n = (int32_t)gemm->n,
                                               .k = (int32_t)gemm->k,
                                               .flags = vector_bit(&x[0], ISOMAT_VECTOR_A) |
                                                        vector_bit(&x[1], ISOMAT_VECTOR_B) |
                                                        vector_bit(&x[2], ISOMAT_VECTOR_C),
                                               .alpha = (float)gemm->alpha,
                                               .beta = (float)gemm->beta,
                                           }};
    steps[0].launch.shared_bytes = (uint32_t)ISOMAT_GEMM_SHARED_BYTES(tile->op_a, tile->op_b, tile->bm,
                                                                      tile->bn, tile->bk, tile->stages);
    if (count > 1) {
        make_parts(&parts, kernels->reduce, count, gemm, &x[2]);
        args.gemm.c = parts.args.w;
        args.gemm.ldc = parts.args.w_ld;
        args.c_part = parts.args.w_part;
        args.parts = count;
        args.gemm.flags |= ISOMAT_VECTOR_C;
        args.gemm.alpha = 1;
        args.gemm.beta = 0;
        steps[1] = parts.reduce;
    }
    check_steps(steps, count > 1 ? 2 : 1, gemm, &x[0], &x[1], &x[2]);
    if (count > 1)
        check_parts(&parts);
    for (int i = 0; i < 3; i++)
        operand_destroy(&x[i]);
}

/* The number of parts for a case: one, few, as many as there are steps of k, more than that. */
static int parts_in_turn(unsigned turn, int64_t k, int step)
{
    const int64_t steps = (k + step - 1) / step;
    const int64_t counts[] = {1, 2, 3, steps > 1 ? steps : 1, steps + 2};

    return (int)counts[turn % TEST_COUNT(counts)];
}

/* Shapes relative to the tile: its size and one less, one more; depths around a slab and the ring. */
static void each_tile_kernel_is_right_at_its_edges(void **state)
{
    static const double betas[] = {0, 1, -0.75};
    isomat_module module;
    struct kernels kernels;
    unsigned turn = 0;

    assert_ok(isomat_module_load_embedded(&module, device_context(state), "gemm_f32"));
    assert_ok(isomat_kernel_get(&kernels.reduce, module, "isomat_gemm_f32_reduce"));
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
        assert_ok(isomat_kernel_get(&kernels.multiply, module, tile->name));
        for (size_t i = 0; i < 2 * TEST_COUNT(sizes); i++, turn++)
            check_tile(device_context(state), &kernels, tile,
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
                       },
                       parts_in_turn(turn, sizes[i / 2][2], tile->bk));
        assert_ok(isomat_kernel_destroy(kernels.multiply));
    }
    assert_ok(isomat_kernel_destroy(kernels.reduce));
    assert_ok(isomat_module_destroy(module));
}

/* Z = alpha X Y + beta Z with X of r x k; seen as m = r, n = s with A = X, or the transposed problem. */
static void check_skinny(isomat_context context, const struct kernels *kernels, const struct skinny *skinny,
                         const struct reference_gemm *gemm, int transposed, int count)
{
    const int64_t r = transposed ? gemm->n : gemm->m, s = transposed ? gemm->m : gemm->n;
    const int64_t blocks = ISOMAT_SKINNY_GRID(r, skinny->r_per_block) * count;
    struct operand m[3];
    const struct operand *x = transposed ? &m[1] : &m[0], *y = transposed ? &m[0] : &m[1];
    const int y_is_k_by_s = transposed ? gemm->op_a == ISOMAT_OP_T : gemm->op_b == ISOMAT_OP_N;
    struct parts parts;
    struct isomat_skinny_args args;
    struct step steps[2] = {{
        .kernel = kernels->multiply,
        .launch = work_launch((uint32_t)blocks, (uint32_t)skinny->threads, ISOMAT_NONE),
        .args = &args,
        .flags = &args.flags,
    }};

    make_operands(m, context, gemm);
    if (count > 1) {
        make_parts(&parts, kernels->reduce, count, gemm, &m[2]);
        steps[1] = parts.reduce;
    }
    const struct operand *z = count > 1 ? &parts.w : &m[2];
    args = (struct isomat_skinny_args){
        .x = address(x),
        .y = address(y),
        .z = address(z),
        .ldx = x->ld,
        .y_k = y_is_k_by_s ? y->ld : 1,
        .y_s = y_is_k_by_s ? 1 : y->ld,
        .z_r = transposed ? 1 : z->ld,
        .z_s = transposed ? z->ld : 1,
        .r = (int32_t)r,
        .s = (int32_t)s,
        .k = (int32_t)gemm->k,
        .flags = vector_bit(x, ISOMAT_VECTOR_A),
        .alpha = count > 1 ? 1 : (float)gemm->alpha,
        .beta = count > 1 ? 0 : (float)gemm->beta,
        .z_part = gemm->m * z->ld,
        .parts = count,
    };
    check_steps(steps, count > 1 ? 2 : 1, gemm, &m[0], &m[1], &m[2]);
    if (count > 1)
        check_parts(&parts);
    for (int i = 0; i < 3; i++)
        operand_destroy(&m[i]);
}

/* All shapes of one kernel.  X is op(A) as it is, or op(B) transposed. */
static void check_skinny_shapes(isomat_context context, const struct kernels *kernels,
                                const struct skinny *skinny)
{
    const int64_t lengths[] = {1, skinny->r_per_block - 1, skinny->r_per_block + 1, 100, 132};
    const int64_t depths[] = {0, 1, 31, 128, 1029, 3 * skinny->chunk + 5};
    unsigned turn = 0;

    for (int64_t s = skinny->s / 2 + 1; s <= skinny->s; s++)
        for (size_t i = 0; i < TEST_COUNT(lengths) * TEST_COUNT(depths); i++, turn++) {
            const int transposed = turn / 2 % 2, other = turn % 2;
            const int64_t r = lengths[i % TEST_COUNT(lengths)];
            const int64_t k = depths[i / TEST_COUNT(lengths)];
            check_skinny(context, kernels, skinny,
                         &(struct reference_gemm){
                             .m = transposed ? s : r,
                             .n = transposed ? r : s,
                             .k = k,
                             .op_a = transposed ? other : skinny->columns,
                             .op_b = transposed ? !skinny->columns : other,
                             .alpha = turn % 3 ? 1 : 0.3,
                             .beta = turn % 5 ? 0 : 2,
                             .layout_a = (enum operand_layout)(turn % 4),
                             .layout_b = (enum operand_layout)(turn / 3 % 4),
                             .layout_c = (enum operand_layout)(turn / 5 % 4),
                         },
                         transposed, parts_in_turn(turn, k, skinny->chunk));
        }
}

static void each_skinny_kernel_is_right_at_its_edges(void **state)
{
    isomat_module module, tiled;
    struct kernels kernels;

    assert_ok(isomat_module_load_embedded(&module, device_context(state), "gemm_f32_skinny"));
    assert_ok(isomat_module_load_embedded(&tiled, device_context(state), "gemm_f32"));
    assert_ok(isomat_kernel_get(&kernels.reduce, tiled, "isomat_gemm_f32_reduce"));
    for (size_t i = 0; i < TEST_COUNT(skinnies); i++) {
        assert_ok(isomat_kernel_get(&kernels.multiply, module, skinnies[i].name));
        check_skinny_shapes(device_context(state), &kernels, &skinnies[i]);
        assert_ok(isomat_kernel_destroy(kernels.multiply));
    }
    assert_ok(isomat_kernel_destroy(kernels.reduce));
    assert_ok(isomat_module_destroy(tiled));
    assert_ok(isomat_module_destroy(module));
}

/* Sums of any number of parts, around each number of lanes that share them. */
static void sums_of_parts_are_right(void **state)
{
    static const int counts[] = {1, 2, 7, 8, 9, 16, 17, 33, 65, 129, 200, ISOMAT_PARTS_MAX};
    isomat_module module;
    isomat_kernel kernel;

    assert_ok(isomat_module_load_embedded(&module, device_context(state), "gemm_f32"));
    assert_ok(isomat_kernel_get(&kernel, module, "isomat_gemm_f32_reduce"));
    for (size_t i = 0; i < TEST_COUNT(counts); i++)
        for (int64_t n = 1; n <= 2500; n = n < 9 ? n + 2 : 277 * n) {
            /* C = A B where A is ones, so that the parts are the rows of B */
            const struct reference_gemm gemm = {
                .m = 1, .n = n, .k = counts[i], .alpha = -1.5, .beta = n % 2 ? 0 : 2};
            struct operand x[3];
            struct parts parts;
            make_operands(x, device_context(state), &gemm);
            make_parts(&parts, kernel, counts[i], &gemm, &x[2]);
            for (int64_t p = 0; p < gemm.k; p++) {
                *operand_at(&x[0], x[0].host, 0, p) = 1;
                for (int64_t j = 0; j < n; j++)
                    *operand_at(&parts.w, parts.w.host, p, j) = *operand_at(&x[1], x[1].host, p, j);
            }
            assert_ok(isomat_memory_copy_to_device(x[0].memory, x[0].host, x[0].total * 4, x[0].context,
                                                   ISOMAT_NONE));
            assert_ok(isomat_memory_copy_to_device(parts.w.memory, parts.w.host, parts.w.total * 4,
                                                   parts.w.context, ISOMAT_NONE));
            check_steps(&parts.reduce, 1, &gemm, &x[0], &x[1], &x[2]);
            check_parts(&parts);
            for (int k = 0; k < 3; k++)
                operand_destroy(&x[k]);
        }
    assert_ok(isomat_kernel_destroy(kernel));
    assert_ok(isomat_module_destroy(module));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(each_tile_kernel_is_right_at_its_edges),
        device_test(each_skinny_kernel_is_right_at_its_edges),
        device_test(sums_of_parts_are_right),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
