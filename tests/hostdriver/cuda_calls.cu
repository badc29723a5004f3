// SPDX-License-Identifier: MIT
// Recursion, function pointers, virtual functions, alloca, printf, assert.
#include <cassert>
#include <cstdio>

__device__ __noinline__ int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

extern "C" __global__ void k_recursion(int *out)
{
    out[threadIdx.x] = fib(threadIdx.x % 12);
}

struct six {
    int v[6];
};

__device__ __noinline__ int add(int a, six b)
{
    return a + b.v[1];
}

__device__ __noinline__ int multiply(int a, six b)
{
    return a * b.v[2];
}

__device__ __noinline__ int descend(int a, six b)
{
    if (a <= 0)
        return b.v[3];
    b.v[3] += a;
    return descend(a - 2, b);
}

typedef int (*operation)(int, six);
__device__ operation table[3] = {add, multiply, descend};

extern "C" __global__ void k_pointers(int *out)
{
    six b;
    for (int i = 0; i < 6; i++)
        b.v[i] = i + threadIdx.x;
    operation f = threadIdx.x % 4 == 3 ? (operation)multiply : table[threadIdx.x % 3];
    out[threadIdx.x] = f(threadIdx.x, b);
}

struct base {
    __device__ virtual int f(int x) const
    {
        return x;
    }
};

struct derived : base {
    int k;
    __device__ int f(int x) const override
    {
        return x * k;
    }
};

extern "C" __global__ void k_virtual(int *out)
{
    base p;
    derived d;
    d.k = 7;
    const base *q = threadIdx.x & 1 ? &p : &d;
    out[threadIdx.x] = q->f(threadIdx.x);
}

extern "C" __global__ void k_alloca(int *out)
{
    int n = threadIdx.x % 8 + 1, *p = (int *)alloca(n * sizeof(int)), sum = 0;
    for (int i = 0; i < n; i++)
        p[i] = i * threadIdx.x;
    for (int i = 0; i < n; i++)
        sum += p[n - 1 - i];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void k_print(int n)
{
    if (threadIdx.x == 3)
        printf("%s %d %5.2f %c %llx %u%% %-4d|\n", "text", -5, 2.5, 'x', 0x123456789abcull, 7u, threadIdx.x);
    assert((int)threadIdx.x < n);
}
