/* SPDX-License-Identifier: MIT */
/* matmul_run.cu: through the runtime API, with the kernels compiled in: their flags are this file's. */
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include <cuda_runtime.h>

#include "examples/own-kernel/matmul.cu"
#include "matmul_run.h"

namespace
{
struct failure {
    const char *text;
};

void check(cudaError_t error)
{
    if (error != cudaSuccess)
        throw failure{cudaGetErrorString(error)};
}

double now_ms()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
}

struct device_matrices {
    float *a, *b, *c;
};

void launch(bool registers, const device_matrices &on, int n)
{
    int tile = registers ? BLOCK : TILE;
    dim3 grid((n + tile - 1) / tile, (n + tile - 1) / tile);
    if (registers)
        matmul_registers<<<grid, THREADS>>>(on.a, on.b, on.c, n, n, n);
    else
        matmul_tiled<<<grid, dim3(TILE, TILE)>>>(on.a, on.b, on.c, n, n, n);
    check(cudaGetLastError());
}

double median_ms(bool registers, const device_matrices &on, int n, int launches)
{
    std::vector<float> times(launches);
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    for (float &time : times) {
        check(cudaEventRecord(start));
        launch(registers, on, n);
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&time, start, end));
    }
    std::sort(times.begin(), times.end());
    return times[launches / 2];
}

void run(int n, int launches, const std::vector<float> &data, std::vector<float> &product, double *results)
{
    size_t bytes = data.size() * sizeof(float);
    device_matrices on;
    cudaFuncAttributes attributes;
    double began = now_ms();
    check(cudaMalloc(&on.a, bytes));
    check(cudaMalloc(&on.b, bytes));
    check(cudaMalloc(&on.c, bytes));
    check(cudaMemcpy(on.a, data.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(on.b, data.data(), bytes, cudaMemcpyHostToDevice));
    double first = now_ms();
    launch(false, on, n);
    check(cudaDeviceSynchronize());
    results[RESULT_FIRST] = now_ms() - first;
    results[RESULT_TILED] = median_ms(false, on, n, launches);
    launch(true, on, n);
    results[RESULT_REGISTERS] = median_ms(true, on, n, launches);
    check(cudaMemcpy(product.data(), on.c, bytes, cudaMemcpyDeviceToHost));
    results[RESULT_WHOLE] = now_ms() - began;
    check(cudaFuncGetAttributes(&attributes, matmul_tiled));
    results[RESULT_TILED_COUNT] = attributes.numRegs;
    check(cudaFuncGetAttributes(&attributes, matmul_registers));
    results[RESULT_REGISTERS_COUNT] = attributes.numRegs;
}
} // namespace

extern "C" const char *matmul_run(int n, int launches, double *results)
{
    std::vector<float> data(size_t(n) * n), product(data.size());
    unsigned bits = 1;
    for (float &value : data) {
        bits = bits * 1664525u + 1013904223u;
        value = float(bits >> 8) * 0x1p-24f - 0.5f;
    }
    try {
        run(n, launches, data, product, results);
    } catch (const failure &failure) {
        return failure.text;
    }
    return nullptr;
}
