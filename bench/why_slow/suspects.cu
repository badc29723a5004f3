/* SPDX-License-Identifier: MIT */
/* suspects.cu: what else is blamed when a kernel seems slow, each measured alone.  A line each: what,
 * a tab, how much. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <cuda_runtime.h>

#include "examples/own-kernel/matmul.cu"

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

static double now_ms()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
}

template <class Work> static double median(int count, Work work)
{
    std::vector<double> times(count);
    for (double &time : times) {
        double start = now_ms();
        work();
        time = now_ms() - start;
    }
    std::sort(times.begin(), times.end());
    return times[count / 2];
}

static void multiply(const float *a, const float *b, float *c, int n)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    matmul_registers<<<dim3(blocks, blocks), THREADS>>>(a, b, c, n, n, n);
    check(cudaGetLastError());
}

static void first_calls(float *&buffer, size_t bytes)
{
    double start = now_ms();
    check(cudaFree(nullptr));
    printf("first call of the process (creates the context)\t%.1f ms\n", now_ms() - start);
    check(cudaMalloc(&buffer, 3 * bytes));
    for (const char *which : {"first", "second"}) {
        start = now_ms();
        multiply(buffer, buffer, buffer, 1);
        check(cudaDeviceSynchronize());
        printf("%s launch of a kernel, until it is done\t%.3f ms\n", which, now_ms() - start);
    }
}

static void data(float *buffer, size_t count, int n)
{
    std::vector<float> random(count);
    unsigned bits = 1;
    for (float &value : random) {
        bits = bits * 1664525u + 1013904223u;
        value = float(bits >> 8) * 0x1p-24f - 0.5f;
    }
    auto work = [&] {
        multiply(buffer, buffer + count, buffer + 2 * count, n);
        check(cudaDeviceSynchronize());
    };
    for (int round = 0; round < 2; round++) {
        check(cudaMemset(buffer, 0, 2 * count * sizeof(float)));
        median(20, work);
        printf("zeros as data\t%.3f ms\n", median(50, work));
        check(cudaMemcpy(buffer, random.data(), count * sizeof(float), cudaMemcpyHostToDevice));
        check(cudaMemcpy(buffer + count, random.data(), count * sizeof(float), cudaMemcpyHostToDevice));
        median(20, work);
        printf("random data\t%.3f ms\n", median(50, work));
    }
    double launched = median(1, [&] { multiply(buffer, buffer + count, buffer + 2 * count, n); });
    check(cudaDeviceSynchronize());
    printf("the host's clock around a launch that is not waited for\t%.3f ms\n", launched);
    double pageable = median(
        5, [&] { check(cudaMemcpy(buffer, random.data(), count * sizeof(float), cudaMemcpyHostToDevice)); });
    float *pinned;
    check(cudaMallocHost(&pinned, count * sizeof(float)));
    double locked =
        median(5, [&] { check(cudaMemcpy(buffer, pinned, count * sizeof(float), cudaMemcpyHostToDevice)); });
    printf("a copy of 64 MiB to the device, pageable memory\t%.2f ms\n", pageable);
    printf("a copy of 64 MiB to the device, page-locked memory\t%.2f ms\n", locked);
    check(cudaFreeHost(pinned));
}

/* A small product in a loop, with its result allocated anew each time or not. */
static void allocation(float *buffer, size_t bytes)
{
    const int n = 256, count = 200;
    cudaMemPool_t pool;
    void *fresh;
    auto work = [&] {
        multiply(buffer, buffer, buffer + n * n, n);
        check(cudaDeviceSynchronize());
    };
    auto with_malloc = [&] {
        check(cudaMalloc(&fresh, bytes));
        work();
        check(cudaFree(fresh));
    };
    auto with_pool = [&] {
        check(cudaMallocAsync(&fresh, bytes, 0));
        multiply(buffer, buffer, buffer + n * n, n);
        check(cudaFreeAsync(fresh, 0));
        check(cudaDeviceSynchronize());
    };
    median(count, work);
    printf("an iteration: 256 x 256 and the wait for it\t%.1f us\n", 1e3 * median(count, work));
    printf("with cudaMalloc and cudaFree of 64 MiB\t%.1f us\n", 1e3 * median(count, with_malloc));
    printf("with cudaMallocAsync and cudaFreeAsync, threshold 0 (the default)\t%.1f us\n",
           1e3 * median(count, with_pool));
    uint64_t threshold = UINT64_MAX;
    check(cudaDeviceGetDefaultMemPool(&pool, 0));
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    with_pool();
    printf("the same, threshold raised\t%.1f us\n", 1e3 * median(count, with_pool));
}

int main(int argc, char **argv)
{
    const int n = 4096;
    const size_t count = size_t(n) * n;
    float *buffer;
    first_calls(buffer, count * sizeof(float));
    if (argc > 1 && argv[1][0] == 'f') /* first calls alone */
        return 0;
    data(buffer, count, n);
    allocation(buffer, count * sizeof(float));
    return 0;
}
