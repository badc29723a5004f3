/* SPDX-License-Identifier: MIT */
/* cuda.h: CUDA sources of the tests, compiled by $NVCC to PTX when they run.
 *
 * What the kernels give is compared with golden.txt, which the same programs record on a GPU:
 *     ISOMAT_HOSTDRIVER=libcuda.so.1 ISOMAT_RECORD_GOLDEN=FILE NVCC=nvcc tests/hostdriver/test_cuda_kernels
 * adds a line for each result: source, way of compiling, kernel, bytes, a sum of all bits, some elements.
 */
#ifndef TEST_CUDA_H
#define TEST_CUDA_H

#include "hostdriver.h"

#include <math.h>
#include <unistd.h>

/* How a source is compiled; the tests run once for each. */
static const char *const cuda_modes[] = {"-O3", "-G"};
static const char *cuda_source;
static int cuda_mode;
static CUmodule cuda_module;

static inline CUmodule cuda_compile(const char *source, const char *arch)
{
    char directory[] = "/tmp/isomat-cuda-XXXXXX", command[2048], path[128];
    CUmodule module = NULL;

    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/out.ptx", directory);
    snprintf(command, sizeof command,
             "%s -ptx -std=c++17 -arch=%s %s -lineinfo -o %s %s/tests/hostdriver/%s 2>&1", getenv("NVCC"),
             arch, cuda_modes[cuda_mode], path, getenv("srcdir") != NULL ? getenv("srcdir") : ".", source);
    if (cuda_mode == 1) {
        char *at = strstr(command, "-lineinfo");
        memset(at, ' ', strlen("-lineinfo"));
    }
    int status = system(command);
    FILE *file = fopen(path, "rb");
    if (status == 0 && file != NULL) {
        fseek(file, 0, SEEK_END);
        size_t bytes = (size_t)ftell(file);
        char *text = calloc(1, bytes + 1);
        rewind(file);
        assert_int_equal(fread(text, 1, bytes, file), bytes);
        module = hostdriver_load(text);
        free(text);
    }
    if (file != NULL)
        fclose(file);
    unlink(path);
    rmdir(directory);
    assert_int_equal(status, 0);
    return module;
}

static inline void cuda_launch(const char *kernel, unsigned blocks, unsigned threads, unsigned shared,
                               void **parameters)
{
    CUfunction function = hostdriver_function(cuda_module, kernel);

    assert_ok(CALL(cuLaunchKernel)(function, blocks, 1, 1, threads, 1, 1, shared, NULL, parameters, NULL));
    CUresult result = CALL(cuCtxSynchronize)();
    if (result != CUDA_SUCCESS) {
        char text[4096] = "";
        if (dlsym(hostdriver_library, "isomat_hostdriver_describe") != NULL)
            CALL(isomat_hostdriver_describe)(text, sizeof text);
        print_error("%s: %u: %s\n", kernel, result, text);
    }
    assert_ok(result);
}

static inline void cuda_fetch(void *to, CUdeviceptr from, size_t bytes)
{
    assert_ok(CALL(cuMemcpyDtoH_v2)(to, from, bytes));
    assert_ok(CALL(cuMemFree_v2)(from));
}

/* The same numbers for each way of compiling. */
static uint64_t cuda_random_state;

static inline uint32_t cuda_random(void)
{
    cuda_random_state = cuda_random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(cuda_random_state >> 32);
}

static inline bool cuda_records(void)
{
    return getenv("ISOMAT_RECORD_GOLDEN") != NULL;
}

/* How a result is compared: all its bits, or elements within a tolerance. */
enum golden { BITS, FLOATS, DOUBLES };
enum { GOLDEN_ELEMENTS = 32 };

static inline double golden_element(const void *data, size_t count, size_t i, enum golden type)
{
    size_t at = i * count / GOLDEN_ELEMENTS;

    return type == DOUBLES ? ((const double *)data)[at] : ((const float *)data)[at];
}

static inline uint64_t golden_sum(const unsigned char *data, size_t bytes)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ data[i]) * 1099511628211u;
    return sum;
}

/* Compares what a kernel gave with what a GPU gave for the same, or records it there.  One result a kernel.
 */
static inline void golden(const char *kernel, const void *data, size_t bytes, enum golden type,
                          double tolerance)
{
    const char *folder = getenv("srcdir") != NULL ? getenv("srcdir") : ".";
    char path[4096], key[128], line[1024];
    size_t count = bytes / (type == DOUBLES ? 8 : 4), length = 0;
    bool found = false;

    snprintf(key, sizeof key, "%s %s %s %zu ", cuda_source, cuda_modes[cuda_mode], kernel, bytes);
    snprintf(path, sizeof path, "%s/tests/hostdriver/golden.txt", folder);
    FILE *file = fopen(cuda_records() ? getenv("ISOMAT_RECORD_GOLDEN") : path, cuda_records() ? "a" : "r");
    if (file == NULL)
        fail_msg("%s cannot be opened", cuda_records() ? getenv("ISOMAT_RECORD_GOLDEN") : path);
    if (cuda_records()) {
        fprintf(file, "%s%016llx", key, (unsigned long long)golden_sum(data, bytes));
        for (size_t i = 0; type != BITS && i < GOLDEN_ELEMENTS; i++)
            fprintf(file, type == DOUBLES ? " %.17g" : " %.9g", golden_element(data, count, i, type));
        fprintf(file, "\n");
        found = true;
    }
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, key, length = strlen(key)) == 0;
    fclose(file);
    if (!found)
        fail_msg("golden.txt has no line %s", key);
    if (cuda_records())
        return;
    char *at = line + length;
    unsigned long long sum = strtoull(at, &at, 16);
    if (type == BITS && sum != golden_sum(data, bytes))
        fail_msg("%sis not what a GPU gives", key);
    for (size_t i = 0; type != BITS && i < GOLDEN_ELEMENTS; i++) {
        double wanted = strtod(at, &at), got = golden_element(data, count, i, type);
        if (!(fabs(got - wanted) <= tolerance))
            fail_msg("%selement %zu: %.17g, %.17g on a GPU", key, i * count / GOLDEN_ELEMENTS, got, wanted);
    }
}

/* Runs the tests in each mode on one source; 77 without a compiler. */
static inline int cuda_run(const char *source, const char *arch, const struct CMUnitTest *tests, size_t count)
{
    CUcontext context;
    int failed = 0;

    if (getenv("NVCC") == NULL || *getenv("NVCC") == 0) {
        fprintf(stderr, "NVCC is not set\n");
        return 77;
    }
    setenv("ISOMAT_HOST_CAPABILITY", "90", 0); /* that of the GPU that golden.txt is from */
    hostdriver_open();
    assert_ok(CALL(cuInit)(0));
    cuda_source = source;
    for (cuda_mode = 0; cuda_mode < 2; cuda_mode++) {
        print_message("# %s %s\n", source, cuda_modes[cuda_mode]);
        cuda_random_state = 0x9e3779b97f4a7c15;
        assert_ok(CALL(cuCtxCreate_v2)(&context, 0, 0));
        assert_ok(CALL(cuCtxSetLimit)(0 /* the stack */, 16384)); /* recursion compiled with -G */
        cuda_module = cuda_compile(source, arch);
        failed += _cmocka_run_group_tests(source, tests, count, NULL, NULL);
        assert_ok(CALL(cuCtxDestroy_v2)(context));
    }
    return failed;
}

#endif
