/* SPDX-License-Identifier: MIT */
/* test_gemm_strict.c: the kernel for large products on Hopper's CUDA cores, around the edges of its tile.
 *
 * isomat_gemm chooses it where it gains; here it is launched whatever the size.  It needs a GPU of
 * compute capability 9.0.
 */
#include "kernels/abi_sm90.h"
#include "lib/gemm_strict.h"
#include "tests/support/device.h"
#include "tests/support/reference.h"

enum {
    BM = ISOMAT_GEMM_F32_STRICT_SM90_BM,
    BN = ISOMAT_GEMM_F32_STRICT_SM90_BN,
    SLAB = ISOMAT_GEMM_F32_STRICT_SM90_SLAB,
    STAGES = ISOMAT_GEMM_F32_STRICT_SM90_STAGES,
};

static int ran; /* whether any test did */

static void need_hopper(void **state)
{
    struct im_context *context;

    assert_ok(im_context_get(&context, device_context(state)));
    const bool possible = im_gemm_strict_possible(context);
    im_context_release(context);
    if (!possible) {
        print_message("not a Hopper GPU, or no code for one in this build\n");
        skip();
    }
    ran = 1;
}

/* Submits a product of matrices by their handles. */
static void multiply(isomat_matrix c, double alpha, isomat_matrix a, int32_t op_a, isomat_matrix b,
                     int32_t op_b, double beta)
{
    struct im_product product = {.op_a = op_a, .op_b = op_b, .alpha = (float)alpha, .beta = (float)beta};
    struct im_scope scope;
    bool submitted;

    assert_ok(im_matrix_get(&product.a, a));
    assert_ok(im_matrix_get(&product.b, b));
    assert_ok(im_matrix_get(&product.c, c));
    product.m = product.c->rows;
    product.n = product.c->cols;
    product.k = op_a == ISOMAT_OP_T ? product.a->rows : product.a->cols;
    assert_ok(im_scope_enter(&scope, product.a->context));
    assert_ok(im_gemm_strict_launch(&product, &product.a->context->default_stream, &submitted));
    assert_true(submitted);
    assert_ok(im_scope_leave(&scope, ISOMAT_OK));
    im_matrix_release(product.a);
    im_matrix_release(product.b);
    im_matrix_release(product.c);
}

/* Right, with nothing around C touched, and the same bits the second time. */
static void check(void **state, const struct reference_gemm *gemm)
{
    const int ta = gemm->op_a == ISOMAT_OP_T, tb = gemm->op_b == ISOMAT_OP_T;
    const isomat_context context = device_context(state);
    struct operand a, b, c;
    float *got[2];

    operand_create(&a, context, ta ? gemm->k : gemm->m, ta ? gemm->m : gemm->k, gemm->layout_a, gemm->fill);
    operand_create(&b, context, tb ? gemm->n : gemm->k, tb ? gemm->k : gemm->n, gemm->layout_b, gemm->fill);
    operand_create(&c, context, gemm->m, gemm->n, gemm->layout_c, gemm->beta == 0 ? OPERAND_NAN : gemm->fill);
    for (int i = 0; i < 2; i++) {
        assert_ok(isomat_memory_copy_to_device(c.memory, c.host, c.total * 4, context, ISOMAT_NONE));
        multiply(c.matrix, gemm->alpha, a.matrix, gemm->op_a, b.matrix, gemm->op_b, gemm->beta);
        got[i] = operand_download(&c);
    }
    assert_true(reference_accepts(gemm, &a, &b, &c, got[0]));
    assert_true(operand_guarded(&c, got[0]));
    assert_true(operand_unchanged(&a) && operand_unchanged(&b));
    assert_memory_equal(got[0], got[1], (size_t)c.total * 4);
    free(got[0]);
    free(got[1]);
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&c);
}

/* Sizes around the tile, depths around a slab and the ring, tiles that are shared out along k. */
static void it_is_right_at_the_edges(void **state)
{
    static const int64_t sizes[][3] = {
        {1, 1, 1},
        {BM, BN, SLAB},
        {BM, BN, SLAB * (STAGES + 2)},
        {BM - 1, BN + 1, SLAB + 1},
        {BM + 1, BN - 1, SLAB - 1},
        {BM + 4, BN + 4, SLAB * STAGES + 4},
        {5, BN + 3, 2 * SLAB + 3},
        {BM - 4, 7, 100},
        {3 * BM + 10, 2 * BN + 5, 333},
        {BM, BN, 20000},   /* one tile for all blocks */
        {300, 200, 5001},  /* four */
        {2000, 2500, 401}, /* 160: a round and a bit of 132 */
        {4100, 1027, 257}, /* 153 */
    };
    const double much = 1e8; /* products on the CPU take long */
    static const double alphas[] = {1, -2.5, 0.3}, betas[] = {0, 1, -0.75};
    unsigned turn = 0;

    need_hopper(state);
    for (size_t i = 0; i < TEST_COUNT(sizes); i++)
        for (int ops = 0; ops < 4; ops++, turn++) {
            if ((double)sizes[i][0] * (double)sizes[i][1] * (double)sizes[i][2] > much && ops != (int)i % 4)
                continue;
            check(state, &(struct reference_gemm){
                             .m = sizes[i][0],
                             .n = sizes[i][1],
                             .k = sizes[i][2],
                             .op_a = ops / 2,
                             .op_b = ops % 2,
                             .alpha = alphas[turn % TEST_COUNT(alphas)],
                             .beta = betas[turn / 2 % TEST_COUNT(betas)],
                             .layout_a = (enum operand_layout)(turn % OPERAND_LAYOUTS),
                             .layout_b = (enum operand_layout)(turn / 3 % OPERAND_LAYOUTS),
                             .layout_c = (enum operand_layout)(turn / 5 % OPERAND_LAYOUTS),
                             .fill = turn % 4 ? OPERAND_SIGNED : OPERAND_POSITIVE,
                         });
        }
}

/* A transposed form that is kept is one of the elements as they are now. */
static void kept_forms_follow_their_matrix(void **state)
{
    enum { ROWS = 300, COLS = 200, DEPTH = 70 };
    const isomat_context context = device_context(state);
    isomat_matrix a, b, c;
    int64_t kept;

    need_hopper(state);
    float *now = malloc(sizeof(float[ROWS * COLS]));
    assert_non_null(now);
    assert_ok(isomat_matrix_create(&a, context, ROWS, DEPTH, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&b, context, COLS, DEPTH, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&c, context, ROWS, COLS, ISOMAT_TYPE_F32, ISOMAT_NONE));
    for (int value = 1; value <= 2; value++) {
        assert_ok(isomat_matrix_fill(a, value, ISOMAT_NONE));
        assert_ok(isomat_matrix_fill(b, 3, ISOMAT_NONE));
        for (int turn = 0; turn < 3; turn++) {
            assert_ok(isomat_matrix_fill(c, -1, ISOMAT_NONE));
            multiply(c, 1, a, ISOMAT_OP_N, b, ISOMAT_OP_T, 0);
            assert_ok(isomat_matrix_to_host(now, COLS, c, ISOMAT_NONE));
            for (int i = 0; i < ROWS * COLS; i++)
                assert_true(now[i] == (float)(3 * DEPTH * value));
        }
        assert_ok(isomat_context_get_kept(&kept, NULL, context));
        assert_int_equal(kept, 4 * DEPTH * (ROWS + COLS));
    }
    assert_ok(isomat_matrix_destroy(a));
    assert_ok(isomat_matrix_destroy(b));
    assert_ok(isomat_matrix_destroy(c));
    free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(it_is_right_at_the_edges),
        device_test(kept_forms_follow_their_matrix),
    };
    int status = device_open(DEVICE_ANY);

    if (status == 0)
        status = device_close(cmocka_run_group_tests(tests, NULL, NULL));
    return status == 0 && !ran ? TEST_SKIP : status;
}
