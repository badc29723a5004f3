/* SPDX-License-Identifier: MIT */
/* launch.cu: small kernels for the tests of launches.
 *
 * No toolkit is needed for the tests: images.sh made images.h from it. */

struct isomat_test_pair {
    int first;
    long long second;
};

/* out[i] = value + i */
extern "C" __global__ void isomat_test_ramp(int *out, int value, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = value + i;
}

extern "C" __global__ void isomat_test_empty(void)
{
}

/* Copies parameters of several sizes and alignments to out, one every 8 bytes. */
extern "C" __global__ void isomat_test_mixed(long long *out, char a, short b, int c, long long d, float e,
                                             isomat_test_pair f)
{
    *(char *)(out + 0) = a;
    *(short *)(out + 1) = b;
    *(int *)(out + 2) = c;
    *(long long *)(out + 3) = d;
    *(float *)(out + 4) = e;
    *(int *)(out + 5) = f.first;
    *(long long *)(out + 6) = f.second;
}

/* Reverses count values within each block through dynamic shared memory; pad words come first. */
extern "C" __global__ void isomat_test_reverse(int *out, int pad)
{
    extern __shared__ int shared[];
    int i = threadIdx.x;

    shared[pad + i] = i;
    __syncthreads();
    out[blockIdx.x * blockDim.x + i] = shared[pad + blockDim.x - 1 - i];
}

/* Writes each block's and thread's coordinates, to check the launch geometry. */
extern "C" __global__ void isomat_test_geometry(int *out)
{
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int threads = blockDim.x * blockDim.y * blockDim.z;

    out[block * threads + thread] = block * 1000 + thread;
}
