/* SPDX-License-Identifier: MIT */
/* test_cuda_tensor.c: halves, wmma, mma.sync, cuda::barrier, against the CPU. */
#include "cuda.h"
#include "half_reference.h"

enum { N = 4096, ROWS = 48, COLS = 64, DEPTH = 80 };

static uint16_t random_half(bool is_bf16)
{
    uint16_t bits = (uint16_t)cuda_random();

    /* No infinities or NaNs; bfloat16 that is not too far away. */
    if (is_bf16)
        return (uint16_t)((bits & 0x87ff) | 0x3c00);
    return (bits & 0x7c00) == 0x7c00 ? bits & 0xbfff : bits;
}

static void elementwise(const char *kernel, bool is_bf16, uint16_t *a, uint16_t *b, uint16_t *out)
{
    int n = strstr(kernel, "half2") != NULL ? N / 2 : N;

    for (int i = 0; i < N; i++) {
        a[i] = random_half(is_bf16);
        b[i] = random_half(is_bf16);
    }
    CUdeviceptr da = hostdriver_copy(a, N * 2), db = hostdriver_copy(b, N * 2),
                dc = hostdriver_copy(NULL, N * 2);
    cuda_launch(kernel, N / 256, 256, 0, (void *[]){&da, &db, &dc, &n});
    cuda_fetch(out, dc, N * 2);
    golden(kernel, out, N * 2, BITS, 0);
    cuda_fetch(a, da, N * 2);
    cuda_fetch(b, db, N * 2);
}

static void test_half(void **state)
{
    static uint16_t a[N], b[N], out[N];

    (void)state;
    elementwise("k_half", false, a, b, out);
    for (int i = 0; i < N; i++) {
        __float128 x = value_of(a[i], false), y = value_of(b[i], false);
        __float128 product = value_of(nearest(y * 0.5, false), false);
        __float128 sum = value_of(nearest(x + product, false), false);
        uint16_t wanted = nearest(x * y + sum, false);
        if (out[i] != wanted && !(out[i] == 0x8000 && wanted == 0)) {
            print_error("a %04x b %04x: %04x, expected %04x\n", a[i], b[i], out[i], wanted);
            fail();
        }
    }
}

static void test_half2(void **state)
{
    static uint16_t a[N], b[N], out[N];

    (void)state;
    elementwise("k_half2", false, a, b, out);
    for (int i = 0; i < N; i++) {
        double x = value_of(a[i], false), y = value_of(b[i], false);
        bool greater = value_of(a[i & ~1], false) > value_of(b[i & ~1], false);
        double wanted = greater ? value_of(nearest(x - y, false), false) : -x < y ? -x : y;
        assert_true(value_of(out[i], false) == wanted);
    }
}

static void test_bf16(void **state)
{
    static uint16_t a[N], b[N], out[N];

    (void)state;
    elementwise("k_bf16", true, a, b, out);
    for (int i = 0; i < N; i++) {
        __float128 x = value_of(a[i], true), y = value_of(b[i], true);
        assert_true(value_of(out[i], true) == value_of(nearest(x * y + y, true), true));
    }
}

static double fp8_value(unsigned bits)
{
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double size = exponent == 0 ? ldexp(fraction, -9) : ldexp(fraction + 8, exponent - 10);

    return bits & 0x80 ? -size : size;
}

static void test_fp8(void **state)
{
    static float a[N], back[N];
    static unsigned char out[N];
    int n = N;

    (void)state;
    for (int i = 0; i < N; i++)
        a[i] = (float)ldexp((int32_t)cuda_random(), (int)(cuda_random() % 24) - 44);
    CUdeviceptr da = hostdriver_copy(a, N * 4), db = hostdriver_copy(NULL, N),
                dc = hostdriver_copy(NULL, N * 4);
    cuda_launch("k_fp8", N / 256, 256, 0, (void *[]){&da, &db, &dc, &n});
    cuda_fetch(out, db, N);
    cuda_fetch(back, dc, N * 4);
    golden("k_fp8", out, sizeof out, BITS, 0);
    golden("k_fp8", back, sizeof back, BITS, 0);
    for (int i = 0; i < N; i++) {
        double best = fabs(fp8_value(out[i]) - a[i]);
        assert_true(back[i] == fp8_value(out[i]));
        for (unsigned other = 0; other < 256; other++)
            if ((other & 0x7f) != 0x7f)
                assert_true(fabs(fp8_value(other) - a[i]) >= best);
    }
    cuda_fetch(a, da, N * 4);
}

static void gemm(const char *kernel, unsigned tile_cols)
{
    static uint16_t a[ROWS * DEPTH], b[DEPTH * COLS];
    static float c[ROWS * COLS];
    int m = ROWS, n = COLS, k = DEPTH;

    for (int i = 0; i < ROWS * DEPTH; i++)
        a[i] = nearest((int32_t)cuda_random() * 0x1p-31, false);
    for (int i = 0; i < DEPTH * COLS; i++)
        b[i] = nearest((int32_t)cuda_random() * 0x1p-31, false);
    CUdeviceptr da = hostdriver_copy(a, sizeof a), db = hostdriver_copy(b, sizeof b);
    CUdeviceptr dc = hostdriver_copy(NULL, sizeof c);
    CUfunction function = hostdriver_function(cuda_module, kernel);
    assert_ok(CALL(cuLaunchKernel)(function, COLS / tile_cols, ROWS / 16, 1, 32, 1, 1, 0, NULL,
                                   (void *[]){&da, &db, &dc, &m, &n, &k}, NULL));
    assert_ok(CALL(cuCtxSynchronize)());
    cuda_fetch(c, dc, sizeof c);
    golden(kernel, c, sizeof c, BITS, 0);
    cuda_fetch(a, da, sizeof a);
    cuda_fetch(b, db, sizeof b);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) {
            double sum = 0, size = 0;
            for (int l = 0; l < DEPTH; l++) {
                double product = value_of(a[i * DEPTH + l], false) * value_of(b[l * COLS + j], false);
                sum += product;
                size += fabs(product);
            }
            assert_true(fabs(c[i * COLS + j] - 2 * sum) <= size * DEPTH * 0x1p-23);
        }
}

static void test_wmma(void **state)
{
    (void)state;
    gemm("k_wmma", 16);
}

static void test_mma(void **state)
{
    (void)state;
    gemm("k_mma", 8);
}

static void test_mma_integer(void **state)
{
    signed char a[16 * 32], b[8 * 32];
    int c[16 * 8];

    (void)state;
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = (signed char)cuda_random();
    for (size_t i = 0; i < sizeof b; i++)
        b[i] = (signed char)cuda_random();
    CUdeviceptr da = hostdriver_copy(a, sizeof a), db = hostdriver_copy(b, sizeof b),
                dc = hostdriver_copy(NULL, sizeof c);
    cuda_launch("k_mma_integer", 1, 32, 0, (void *[]){&da, &db, &dc});
    cuda_fetch(c, dc, sizeof c);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            int sum = 1 + j % 2 + i / 8 * 2;
            for (int k = 0; k < 32; k++)
                sum += a[i * 32 + k] * b[j * 32 + k];
            assert_int_equal(c[i * 8 + j], sum);
        }
    golden("k_mma_integer", c, sizeof c, BITS, 0);
}

static void test_mma_double(void **state)
{
    double a[32], b[32], c[64];

    (void)state;
    for (int i = 0; i < 32; i++) {
        a[i] = (int32_t)cuda_random() * 0x1p-31;
        b[i] = (int32_t)cuda_random() * 0x1p-31;
    }
    CUdeviceptr da = hostdriver_copy(a, sizeof a), db = hostdriver_copy(b, sizeof b),
                dc = hostdriver_copy(NULL, sizeof c);
    cuda_launch("k_mma_double", 1, 32, 0, (void *[]){&da, &db, &dc});
    cuda_fetch(c, dc, sizeof c);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            double sum = 1 + j % 2;
            for (int k = 0; k < 4; k++)
                sum = fma(a[i * 4 + k], b[k * 8 + j], sum);
            assert_true(c[i * 8 + j] == sum);
        }
    golden("k_mma_double", c, sizeof c, BITS, 0);
}

static void test_barrier(void **state)
{
    int out[128];

    (void)state;
    CUdeviceptr data = hostdriver_copy(NULL, sizeof out);
    cuda_launch("k_barrier", 1, 128, 0, (void *[]){&data});
    cuda_fetch(out, data, sizeof out);
    for (int i = 0; i < 128; i++)
        assert_int_equal(out[i], (i + 33) % 128 * 15);
    golden("k_barrier", out, sizeof out, BITS, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half),        cmocka_unit_test(test_half2),      cmocka_unit_test(test_bf16),
        cmocka_unit_test(test_fp8),         cmocka_unit_test(test_wmma),       cmocka_unit_test(test_mma),
        cmocka_unit_test(test_mma_integer), cmocka_unit_test(test_mma_double), cmocka_unit_test(test_barrier),
    };

    return cuda_run("cuda_tensor.cu", "compute_80", tests, sizeof tests / sizeof *tests);
}
