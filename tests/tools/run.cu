/* SPDX-License-Identifier: MIT */
/* run.cu: the kernels of run.ptx, which run_command.sh launches.
 *
 * Made by hand with CUDA 13.0: nvcc -ptx -arch=compute_75 run.cu -o run.ptx; then the comments were
 * taken out, and .version made 6.4 so that older drivers take it. */

extern "C" __global__ void axpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

/* Adds a value of each type to the array of that type. */
extern "C" __global__ void add_each(double *f64, long long *i64, unsigned *u32, short *i16, unsigned char *u8,
                                    double a, long long b, unsigned c, short d, unsigned char e)
{
    int i = threadIdx.x;

    f64[i] += a;
    i64[i] += b;
    u32[i] += c;
    i16[i] += d;
    u8[i] += e;
}

/* Reverses a block's values through dynamic shared memory. */
extern "C" __global__ void reverse(int *values)
{
    extern __shared__ int shared[];

    shared[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void fault(int *values)
{
    values[1ll << 40] = 1;
}
