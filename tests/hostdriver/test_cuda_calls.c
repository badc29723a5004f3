/* SPDX-License-Identifier: MIT */
/* test_cuda_calls.c: recursion, function pointers, virtual functions, alloca, printf, assert. */
#include "cuda.h"

enum { THREADS = 96 };

static void launch(const char *kernel, int *out)
{
    CUdeviceptr data = hostdriver_copy(NULL, THREADS * 4);

    cuda_launch(kernel, 1, THREADS, 0, (void *[]){&data});
    cuda_fetch(out, data, THREADS * 4);
    golden(kernel, out, THREADS * 4, BITS, 0);
}

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void test_recursion(void **state)
{
    int out[THREADS];

    (void)state;
    launch("k_recursion", out);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(out[i], fib(i % 12));
}

static int descend(int a, int sum)
{
    return a <= 0 ? sum : descend(a - 2, sum + a);
}

static void test_pointers(void **state)
{
    int out[THREADS];

    (void)state;
    launch("k_pointers", out);
    for (int i = 0; i < THREADS; i++) {
        int which = i % 4 == 3 ? 1 : i % 3;
        assert_int_equal(out[i], which == 0 ? i + 1 + i : which == 1 ? i * (2 + i) : descend(i, 3 + i));
    }
}

static void test_virtual(void **state)
{
    int out[THREADS];

    (void)state;
    launch("k_virtual", out);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i & 1 ? i : 7 * i);
}

static void test_alloca(void **state)
{
    int out[THREADS];

    (void)state;
    launch("k_alloca", out);
    for (int i = 0; i < THREADS; i++) {
        int n = i % 8 + 1;
        assert_int_equal(out[i], i * (n * (n - 1) / 2));
    }
}

static void test_print(void **state)
{
    char path[] = "/tmp/isomat-print-XXXXXX", text[256] = "";
    int file = mkstemp(path), saved = dup(1), n = 100;

    (void)state;
    fflush(stdout);
    dup2(file, 1);
    CUfunction function = hostdriver_function(cuda_module, "k_print");
    CUresult result = CALL(cuLaunchKernel)(function, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&n}, NULL);
    CUresult waited = CALL(cuCtxSynchronize)();
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    assert_ok(result);
    assert_ok(waited);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    close(file);
    unlink(path);
    assert_string_equal(text, "text -5  2.50 x 123456789abc 7% 3   |\n");
    golden("k_print", text, sizeof text, BITS, 0);
    /* The last test: it fails the context. */
    if (cuda_records())
        return;
    n = 5;
    assert_ok(CALL(cuLaunchKernel)(function, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&n}, NULL));
    assert_result(CALL(cuCtxSynchronize)(), CUDA_ERROR_ASSERT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recursion), cmocka_unit_test(test_pointers), cmocka_unit_test(test_virtual),
        cmocka_unit_test(test_alloca),    cmocka_unit_test(test_print),
    };

    return cuda_run("cuda_calls.cu", "compute_80", tests, sizeof tests / sizeof *tests);
}
