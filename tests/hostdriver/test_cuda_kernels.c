/* SPDX-License-Identifier: MIT */
/* test_cuda_kernels.c: what people write, compiled by nvcc, against the CPU. */
#include "cuda.h"

static float random_float(void)
{
    return (float)((int32_t)cuda_random() * 0x1p-31);
}

static float *random_floats(int n)
{
    float *values = malloc((size_t)n * 4);

    for (int i = 0; i < n; i++)
        values[i] = random_float();
    return values;
}

static void assert_close(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("%.9g, expected %.9g\n", got, wanted);
        fail();
    }
}

static void test_reduce(void **state)
{
    enum { SIZE = 100003 };
    float *in = random_floats(SIZE), out = 0;
    double sum = 0;
    int n = SIZE;

    (void)state;
    for (int i = 0; i < SIZE; i++)
        sum += in[i];
    CUdeviceptr a = hostdriver_copy(in, SIZE * 4), b = hostdriver_copy(&out, 4);
    cuda_launch("k_reduce", 8, 256, 0, (void *[]){&a, &b, &n});
    cuda_fetch(&out, b, 4);
    cuda_fetch(in, a, SIZE * 4);
    assert_close(out, sum, 0.01);
    golden("k_reduce", &out, 4, FLOATS, 0.01);
    free(in);
}

static void test_scan(void **state)
{
    int in[1024], out[1024], sum = 0;

    (void)state;
    for (int i = 0; i < 1024; i++)
        in[i] = (int)(cuda_random() % 1000);
    CUdeviceptr a = hostdriver_copy(in, sizeof in), b = hostdriver_copy(NULL, sizeof out);
    cuda_launch("k_scan", 1, 256, 0, (void *[]){&a, &b});
    cuda_fetch(out, b, sizeof out);
    cuda_fetch(in, a, sizeof in);
    for (int i = 0; i < 1024; sum += in[i++])
        assert_int_equal(out[i], sum);
    golden("k_scan", out, sizeof out, BITS, 0);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void test_sort(void **state)
{
    uint32_t in[1024], out[1024];

    (void)state;
    for (int i = 0; i < 1024; i++)
        in[i] = cuda_random();
    CUdeviceptr a = hostdriver_copy(in, sizeof in), b = hostdriver_copy(NULL, sizeof out);
    cuda_launch("k_sort", 1, 128, 0, (void *[]){&a, &b});
    cuda_fetch(out, b, sizeof out);
    cuda_fetch(in, a, sizeof in);
    qsort(in, 1024, 4, by_value);
    assert_memory_equal(in, out, sizeof in);
    golden("k_sort", out, sizeof out, BITS, 0);
}

static void test_histogram(void **state)
{
    static unsigned char in[50000];
    uint32_t out[256] = {0}, wanted[256] = {0};
    int n = sizeof in;

    (void)state;
    for (int i = 0; i < n; i++)
        wanted[in[i] = (unsigned char)(cuda_random() % 256 * (cuda_random() % 256) / 256)]++;
    CUdeviceptr a = hostdriver_copy(in, sizeof in), b = hostdriver_copy(out, sizeof out);
    cuda_launch("k_histogram", 5, 192, 0, (void *[]){&a, &b, &n});
    cuda_fetch(out, b, sizeof out);
    cuda_fetch(in, a, sizeof in);
    assert_memory_equal(out, wanted, sizeof out);
    golden("k_histogram", out, sizeof out, BITS, 0);
}

static void test_rows(void **state)
{
    enum { ROWS = 5, COLS = 777 };
    float *in = random_floats(ROWS * COLS), *out = malloc(ROWS * COLS * 4);
    int cols = COLS;

    (void)state;
    for (int norm = 0; norm < 2; norm++) {
        CUdeviceptr a = hostdriver_copy(in, ROWS * COLS * 4), b = hostdriver_copy(NULL, ROWS * COLS * 4);
        cuda_launch(norm ? "k_layer_norm" : "k_softmax", ROWS, 128, 0, (void *[]){&a, &b, &cols});
        cuda_fetch(out, b, ROWS * COLS * 4);
        cuda_fetch(in, a, ROWS * COLS * 4);
        golden(norm ? "k_layer_norm" : "k_softmax", out, ROWS * COLS * 4, FLOATS, norm ? 2e-6 : 2e-9);
        for (int r = 0; r < ROWS; r++) {
            const float *row = in + r * COLS;
            double sum = 0, total = 0, squares = 0;
            for (int i = 0; i < COLS; i++) {
                sum += exp((double)row[i]);
                total += row[i];
            }
            double mean = total / COLS;
            for (int i = 0; i < COLS; i++)
                squares += (row[i] - mean) * (row[i] - mean);
            for (int i = 0; i < COLS; i++) {
                double wanted =
                    norm ? (row[i] - mean) / sqrt(squares / COLS + 1e-5) : exp((double)row[i]) / sum;
                assert_close(out[r * COLS + i], wanted, 1e-5 * (fabs(wanted) + 0.01));
            }
        }
    }
    free(in);
    free(out);
}

static void test_transpose(void **state)
{
    enum { ROWS = 70, COLS = 45 };
    float *in = random_floats(ROWS * COLS), *out = malloc(ROWS * COLS * 4);
    int rows = ROWS, cols = COLS;

    (void)state;
    CUdeviceptr a = hostdriver_copy(in, ROWS * COLS * 4), b = hostdriver_copy(NULL, ROWS * COLS * 4);
    assert_ok(CALL(cuLaunchKernel)(hostdriver_function(cuda_module, "k_transpose"), 2, 3, 1, 32, 8, 1, 0,
                                   NULL, (void *[]){&a, &b, &rows, &cols}, NULL));
    cuda_fetch(out, b, ROWS * COLS * 4);
    cuda_fetch(in, a, ROWS * COLS * 4);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            assert_true(out[j * ROWS + i] == in[i * COLS + j]);
    golden("k_transpose", out, ROWS * COLS * 4, BITS, 0);
    free(in);
    free(out);
}

static void test_stencil(void **state)
{
    enum { SIZE = 1000 };
    static const double weights[] = {0.0625, 0.25, 0.375, 0.25, 0.0625};
    float *in = random_floats(SIZE), out[SIZE];
    int n = SIZE;

    (void)state;
    CUdeviceptr a = hostdriver_copy(in, SIZE * 4), b = hostdriver_copy(NULL, SIZE * 4);
    cuda_launch("k_stencil", 8, 128, 132 * 4, (void *[]){&a, &b, &n});
    cuda_fetch(out, b, SIZE * 4);
    cuda_fetch(in, a, SIZE * 4);
    for (int i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int j = -2; j <= 2; j++)
            sum += i + j >= 0 && i + j < SIZE ? weights[j + 2] * in[i + j] : 0;
        assert_close(out[i], sum, 1e-6);
    }
    golden("k_stencil", out, sizeof out, BITS, 0);
    free(in);
}

static void test_bodies(void **state)
{
    enum { SIZE = 128 };
    float *in = random_floats(SIZE * 4), out[SIZE * 3];
    int n = SIZE;

    (void)state;
    CUdeviceptr a = hostdriver_copy(in, SIZE * 16), b = hostdriver_copy(NULL, SIZE * 12);
    cuda_launch("k_bodies", SIZE / 64, 64, 0, (void *[]){&a, &b, &n});
    cuda_fetch(out, b, SIZE * 12);
    cuda_fetch(in, a, SIZE * 16);
    for (int i = 0; i < SIZE; i++) {
        double sum[3] = {0, 0, 0}, size = 0;
        for (int j = 0; j < SIZE; j++) {
            double d[3], square = 0.01;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)in[4 * j + k] - in[4 * i + k];
                square += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++) {
                double term = d[k] * in[4 * j + 3] / (square * sqrt(square));
                sum[k] += term;
                size += fabs(term);
            }
        }
        for (int k = 0; k < 3; k++)
            assert_close(out[3 * i + k], sum[k], 1e-5 * size);
    }
    golden("k_bodies", out, sizeof out, FLOATS, 1e-3);
    free(in);
}

static void test_grid(void **state)
{
    enum { BLOCKS = 4, THREADS = 64, ALL = BLOCKS * THREADS, ROUNDS = 7 };
    int data[2 * ALL] = {0}, now[ALL], next[ALL], rounds = ROUNDS;

    (void)state;
    for (int i = 0; i < ALL; i++)
        now[i] = data[i] = (int)(cuda_random() % 1000);
    CUdeviceptr a = hostdriver_copy(data, sizeof data);
    CUfunction function = hostdriver_function(cuda_module, "k_grid");
    CUresult result = CALL(cuLaunchCooperativeKernel)(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL,
                                                      (void *[]){&a, &rounds});
    assert_ok(result);
    cuda_fetch(data, a, sizeof data);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < ALL; i++)
            next[i] = now[(i + 37) % ALL] + 1;
        memcpy(now, next, sizeof now);
    }
    assert_memory_equal(data + ALL, now, sizeof now);
    golden("k_grid", data, sizeof data, BITS, 0);
}

static void test_lock(void **state)
{
    int count = 0;

    (void)state;
    CUdeviceptr a = hostdriver_copy(&count, 4);
    cuda_launch("k_lock", 4, 96, 0, (void *[]){&a});
    cuda_fetch(&count, a, 4);
    assert_int_equal(count, 4 * 96);
    golden("k_lock", &count, sizeof count, BITS, 0);
}

static void test_math(void **state)
{
    enum { SIZE = 2000 };
    float *in = random_floats(SIZE), out[SIZE];
    double wide[SIZE], wide_out[SIZE];
    int n = SIZE;

    (void)state;
    for (int i = 0; i < SIZE; i++) {
        in[i] *= 20;
        wide[i] = (int32_t)cuda_random() * 0x1p-28;
    }
    CUdeviceptr a = hostdriver_copy(in, SIZE * 4), b = hostdriver_copy(NULL, SIZE * 4);
    CUdeviceptr c = hostdriver_copy(wide, SIZE * 8), d = hostdriver_copy(NULL, SIZE * 8);
    cuda_launch("k_math", 8, 256, 0, (void *[]){&a, &b, &c, &d, &n});
    cuda_fetch(out, b, SIZE * 4);
    cuda_fetch(wide_out, d, SIZE * 8);
    cuda_fetch(in, a, SIZE * 4);
    cuda_fetch(wide, c, SIZE * 8);
    for (int i = 0; i < SIZE; i++) {
        double x = in[i], y = wide[i];
        double wanted = sin(x) + cos(x) * exp(-x * x) + log(1 + x * x) + pow(fabs(x), 1.5) + tanh(x) +
                        erf(x) + fmodf(in[i], 0.7f) + cbrt(x);
        assert_close(out[i], wanted, 1e-6 * (fabs(wanted) + 100));
        wanted = sin(y) + exp(-y * y) + log(1 + y * y) + pow(fabs(y), 1.5) + atan2(y, 2.0) +
                 sqrt(fabs(y)) / (1 + fabs(y));
        assert_close(wide_out[i], wanted, 1e-13 * (fabs(wanted) + 10));
    }
    golden("k_math", out, sizeof out, FLOATS, 1e-4);
    golden("k_math", wide_out, sizeof wide_out, DOUBLES, 1e-12);
    free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),    cmocka_unit_test(test_scan),   cmocka_unit_test(test_sort),
        cmocka_unit_test(test_histogram), cmocka_unit_test(test_rows),   cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_stencil),   cmocka_unit_test(test_bodies), cmocka_unit_test(test_grid),
        cmocka_unit_test(test_lock),      cmocka_unit_test(test_math),
    };

    return cuda_run("cuda_kernels.cu", "compute_80", tests, sizeof tests / sizeof *tests);
}
