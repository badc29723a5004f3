/* SPDX-License-Identifier: MIT */
/* samples.cu: the kernels of samples/, and of the tests that compile for themselves.  KERNELS says how
 * many of the groups below are wanted. */
#ifndef KERNELS
#define KERNELS 4
#endif

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

#if KERNELS >= 2

/* Static shared memory, a barrier, launch bounds. */
extern "C" __global__ void __launch_bounds__(128, 2) reverse(const float *x, float *y)
{
    __shared__ float tile[128];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[127 - threadIdx.x];
}

/* A double literal in a float kernel. */
extern "C" __global__ void literal(const float *x, float *y)
{
    y[threadIdx.x] = x[threadIdx.x] * 3.3 + 1.7;
}

#endif
#if KERNELS >= 3

/* More values alive than __launch_bounds__ leaves registers for. */
extern "C" __global__ void __launch_bounds__(1024, 2) spill(const float *x, float *y, int n)
{
    float v[40];
#pragma unroll
    for (int i = 0; i < 40; i++)
        v[i] = x[threadIdx.x + i * n];
    for (int j = 0; j < n; j++) {
#pragma unroll
        for (int i = 0; i < 40; i++)
            v[i] = v[i] * v[(i + 7) % 40] + v[(i * 3 + 1) % 40];
    }
#pragma unroll
    for (int i = 0; i < 40; i++)
        y[threadIdx.x + i * n] = v[i];
}

#endif
#if KERNELS >= 4

/* A local array. */
extern "C" __global__ void stack(const int *x, float *y)
{
    float v[64];
    for (int i = 0; i < 64; i++)
        v[i] = y[i];
    y[threadIdx.x] = v[x[threadIdx.x] & 63] + v[x[threadIdx.x + 1] & 63];
}

/* Neighbours, one by one. */
extern "C" __global__ void scalar(const float *x, float *y)
{
    int i = threadIdx.x * 4;
    y[i] = x[i] + 1;
    y[i + 1] = x[i + 1] * 2;
    y[i + 2] = x[i + 2] + 3;
    y[i + 3] = x[i + 3] + 7;
}

extern "C" __global__ void unfused(const float *x, float *y)
{
    y[threadIdx.x] = __fadd_rn(__fmul_rn(x[threadIdx.x], x[threadIdx.x + 1]), x[threadIdx.x + 2]);
}

struct pair {
    double a;
    char b;
};

__constant__ float table[16];

extern "C" __global__ void parameters(char a, double b, struct pair c, short d, float *y)
{
    *y = a + b + c.a + c.b + d + table[d & 15];
}

#endif /* KERNELS */
