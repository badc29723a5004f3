/* SPDX-License-Identifier: MIT */
/* hostdriver.c: the marks of the host driver: SGEMM, vectorAdd, loading, two cores.
 *
 *   ISOMAT_HOSTDRIVER=.libs/isomat-hostdriver.so bench/hostdriver
 *
 * Each figure is the median of several runs.  ISOMAT_HOST_THREADS is set here.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../hostdriver/functions.h"

enum { RUNS = 7, ELEMENTS = 10000000, LINES = 1000 };

static void *library;

#define CALL(name) ((__typeof__(&name))dlsym(library, #name))
#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        CUresult result_ = (call);                                                                           \
        if (result_ != CUDA_SUCCESS) {                                                                       \
            fprintf(stderr, "%s: %u\n", #call, result_);                                                     \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static const char header[] = ".version 8.0\n.target sm_75\n.address_size 64\n";

static const char add[] =
    ".visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {\n"
    ".reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %d<11>;\n"
    "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c]; ld.param.u32 %r2, [n];\n"
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r1, %r3, %r4, %r5;\n"
    "setp.ge.s32 %p1, %r1, %r2; @%p1 bra L;\n"
    "cvta.to.global.u64 %d4, %d1; mul.wide.s32 %d5, %r1, 4; add.s64 %d6, %d4, %d5;\n"
    "cvta.to.global.u64 %d7, %d2; add.s64 %d8, %d7, %d5; ld.global.f32 %f1, [%d8]; ld.global.f32 %f2, "
    "[%d6];\n"
    "add.f32 %f3, %f2, %f1; cvta.to.global.u64 %d9, %d3; add.s64 %d10, %d9, %d5; st.global.f32 [%d10], %f3;\n"
    "L: ret;\n}\n";

/* Many multiplications and additions on what is in registers. */
static const char work[] =
    ".visible .entry work(.param .u64 a) {\n"
    ".reg .pred %p; .reg .f32 %f<10>; .reg .b32 %r<4>; .reg .b64 %d<3>;\n"
    "ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;\n"
    "ld.global.f32 %f1, [%d1]; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.u32 %r2, 0;\n"
    "L: fma.rn.f32 %f1, %f1, 0f3F000000, 0f3F800000; fma.rn.f32 %f2, %f2, 0f3F000000, 0f3F800000;\n"
    "fma.rn.f32 %f3, %f3, 0f3F000000, 0f3F800000; fma.rn.f32 %f4, %f4, 0f3F000000, 0f3F800000;\n"
    "add.s32 %r2, %r2, 1; setp.lt.s32 %p, %r2, 2000; @%p bra L;\n"
    "add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f1, %f1, %f3; st.global.f32 [%d1], %f1; "
    "ret;\n}\n";

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, RUNS, sizeof *times, by_value);
    return times[RUNS / 2] * 1e3;
}

static void begin(const char *threads)
{
    CUcontext context;

    setenv("ISOMAT_HOST_THREADS", threads, 1);
    library = dlopen(getenv("ISOMAT_HOSTDRIVER"), RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    CHECK(CALL(cuInit)(0));
    CHECK(CALL(cuCtxCreate_v2)(&context, 0, 0));
}

static CUfunction load(const char *body, const char *name)
{
    CUmodule module;
    CUfunction function;
    char text[8192];

    snprintf(text, sizeof text, "%s%s", header, body);
    CHECK(CALL(cuModuleLoadData)(&module, text));
    CHECK(CALL(cuModuleGetFunction)(&function, module, name));
    return function;
}

static void vector_add(void)
{
    double times[RUNS];
    CUdeviceptr a, b, c;
    int n = ELEMENTS;

    begin("1");
    CUfunction function = load(add, "vector_add");
    CHECK(CALL(cuMemAlloc_v2)(&a, (size_t)n * 4));
    CHECK(CALL(cuMemAlloc_v2)(&b, (size_t)n * 4));
    CHECK(CALL(cuMemAlloc_v2)(&c, (size_t)n * 4));
    CHECK(CALL(cuMemsetD32_v2)(a, 0x3f800000, (size_t)n));
    CHECK(CALL(cuMemsetD32_v2)(b, 0x40000000, (size_t)n));
    CHECK(CALL(cuMemsetD32_v2)(c, 0, (size_t)n));
    for (int i = 0; i < RUNS; i++) {
        double start = seconds();
        CHECK(CALL(cuLaunchKernel)(function, (unsigned)(n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL,
                                   (void *[]){&a, &b, &c, &n}, NULL));
        CHECK(CALL(cuCtxSynchronize)());
        times[i] = seconds() - start;
    }
    printf("vectorAdd of 10^7 elements, 1 thread   %8.1f ms   mark 60\n", median(times));
}

static void loading(void)
{
    double times[RUNS];
    char *text = malloc(LINES * 80 + 4096);
    size_t used =
        (size_t)sprintf(text,
                        "%s.visible .entry k(.param .u64 p) {\n.reg .f32 %%f<1100>;\n.reg .b64 %%d;\n"
                        "ld.param.u64 %%d, [p];\nld.global.f32 %%f0, [%%d];\n",
                        header);
    CUmodule module;

    begin("1");
    for (int i = 0; i < LINES; i++)
        used += (size_t)sprintf(text + used, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f0;\n", i + 1, i, i / 2);
    sprintf(text + used, "st.global.f32 [%%d], %%f%d;\nret;\n}\n", LINES);
    for (int i = 0; i < RUNS; i++) {
        double start = seconds();
        CHECK(CALL(cuModuleLoadData)(&module, text));
        times[i] = seconds() - start;
    }
    free(text);
    printf("loading 1,000 lines of PTX             %8.2f ms   mark 5\n", median(times));
}

static void spread(const char *threads)
{
    double times[RUNS];
    CUdeviceptr a;

    begin(threads);
    CUfunction function = load(work, "work");
    CHECK(CALL(cuMemAlloc_v2)(&a, 1024));
    CHECK(CALL(cuMemsetD32_v2)(a, 0, 256));
    for (int i = 0; i < RUNS; i++) {
        double start = seconds();
        CHECK(CALL(cuLaunchKernel)(function, 128, 1, 1, 256, 1, 1, 0, NULL, (void *[]){&a}, NULL));
        CHECK(CALL(cuCtxSynchronize)());
        times[i] = seconds() - start;
    }
    double ms = median(times);
    printf("128 blocks of arithmetic, %s thread(s)   %8.1f ms   %.2f G lane-instructions/s\n", threads, ms,
           128.0 * 256 * 2000 * 7 / ms * 1e-6);
}

static void spread_one(void)
{
    spread("1");
}

static void spread_two(void)
{
    spread("2");
}

/* The driver reads its environment once: each figure has a process. */
int main(void)
{
    static void (*const parts[])(void) = {vector_add, loading, spread_one, spread_two};
    int failed = 0;

    if (getenv("ISOMAT_HOSTDRIVER") == NULL) {
        fprintf(stderr, "ISOMAT_HOSTDRIVER is not set\n");
        return 77;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            parts[i]();
            exit(0);
        }
        waitpid(child, &status, 0);
        failed |= status != 0;
    }
    return failed;
}
