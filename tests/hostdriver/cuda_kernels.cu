// SPDX-License-Identifier: MIT
// What people write: reductions, scans, histograms, softmax, layer norm, transposes, sorting, stencils,
// n-body, a grid that synchronises, a spin lock.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

namespace cg = cooperative_groups;

extern "C" __global__ void k_reduce(const float *in, float *out, int n)
{
    __shared__ float partial[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(~0u, sum, offset);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        auto tile = cg::tiled_partition<32>(cg::this_thread_block());
        sum = cg::reduce(tile, sum, cg::plus<float>());
        if (threadIdx.x == 0)
            atomicAdd(out, sum);
    }
}

extern "C" __global__ void k_scan(const int *in, int *out)
{
    typedef cub::BlockScan<int, 256> scan;
    __shared__ typename scan::TempStorage storage;
    int value[4];
    for (int i = 0; i < 4; i++)
        value[i] = in[threadIdx.x * 4 + i];
    scan(storage).ExclusiveSum(value, value);
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = value[i];
}

extern "C" __global__ void k_sort(const unsigned *in, unsigned *out)
{
    typedef cub::BlockRadixSort<unsigned, 128, 8> sort;
    __shared__ typename sort::TempStorage storage;
    unsigned key[8];
    for (int i = 0; i < 8; i++)
        key[i] = in[threadIdx.x * 8 + i];
    sort(storage).Sort(key);
    for (int i = 0; i < 8; i++)
        out[threadIdx.x * 8 + i] = key[i];
}

extern "C" __global__ void k_histogram(const unsigned char *in, unsigned *out, int n)
{
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&out[i], bins[i]);
}

__device__ float block_sum(float x)
{
    __shared__ float part[32];
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_xor_sync(~0u, x, offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_xor_sync(~0u, x, offset);
    return x;
}

extern "C" __global__ void k_softmax(const float *in, float *out, int cols)
{
    const float *row = in + blockIdx.x * cols;
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < cols; i++)
        most = fmaxf(most, row[i]);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += expf(row[i] - most);
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        out[blockIdx.x * cols + i] = expf(row[i] - most) / sum;
}

extern "C" __global__ void k_layer_norm(const float *in, float *out, int cols)
{
    const float *row = in + blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        sum += row[i];
    float mean = block_sum(sum) / cols;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        squares += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(block_sum(squares) / cols + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        out[blockIdx.x * cols + i] = (row[i] - mean) * scale;
}

extern "C" __global__ void k_transpose(const float *in, float *out, int rows, int cols)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < cols && y + i < rows)
            tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * cols + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < rows && y + i < cols)
            out[(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
}

__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

extern "C" __global__ void k_stencil(const float *in, float *out, int n)
{
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + 2;
    part[at] = i < n ? in[i] : 0;
    if (threadIdx.x < 2) {
        part[threadIdx.x] = i >= 2 ? in[i - 2] : 0;
        int right = i + blockDim.x;
        part[at + blockDim.x] = right < n ? in[right] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        sum += weights[j + 2] * part[at + j];
    if (i < n)
        out[i] = sum;
}

extern "C" __global__ void k_bodies(const float4 *body, float3 *force, int n)
{
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float3 sum = {0, 0, 0};
    for (int at = 0; at < n; at += 64) {
        tile[threadIdx.x] = body[at + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            float x = tile[j].x - me.x, y = tile[j].y - me.y, z = tile[j].z - me.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 0.01f),
                  k = tile[j].w * inverse * inverse * inverse;
            sum.x += x * k;
            sum.y += y * k;
            sum.z += z * k;
        }
        __syncthreads();
    }
    force[i] = sum;
}

extern "C" __global__ void k_grid(int *data, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int next = data[(r & 1) * n + (i + 37) % n] + 1;
        data[(~r & 1) * n + i] = next;
        grid.sync();
    }
}

__device__ int lock;

extern "C" __global__ void k_lock(int *count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)count += 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void k_math(const float *in, float *out, const double *wide, double *wide_out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
    out[i] = sinf(x) + cosf(x) * expf(-x * x) + logf(1 + x * x) + powf(fabsf(x), 1.5f) + tanhf(x) + erff(x) +
             fmodf(x, 0.7f) + cbrtf(x);
    double y = wide[i];
    wide_out[i] = sin(y) + exp(-y * y) + log(1 + y * y) + pow(fabs(y), 1.5) + atan2(y, 2.0) +
                  sqrt(fabs(y)) / (1 + fabs(y));
}
