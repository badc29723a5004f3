/* SPDX-License-Identifier: MIT */
/* cuda.h: CUDA sources of the tests, compiled by $NVCC to PTX when they run. */
#ifndef TEST_CUDA_H
#define TEST_CUDA_H

#include "hostdriver.h"

#include <math.h>
#include <unistd.h>

/* How a source is compiled; the tests run once for each. */
static const char *const cuda_modes[] = {"-O3", "-G"};
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

static inline uint32_t cuda_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
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
    hostdriver_open();
    assert_ok(CALL(cuInit)(0));
    for (cuda_mode = 0; cuda_mode < 2; cuda_mode++) {
        print_message("# %s %s\n", source, cuda_modes[cuda_mode]);
        assert_ok(CALL(cuCtxCreate_v2)(&context, 0, 0));
        cuda_module = cuda_compile(source, arch);
        failed += _cmocka_run_group_tests(source, tests, count, NULL, NULL);
        assert_ok(CALL(cuCtxDestroy_v2)(context));
    }
    return failed;
}

#endif
