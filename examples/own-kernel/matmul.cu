/* SPDX-License-Identifier: MIT */
/* matmul.cu: C = A * B in float32, row-major, A of m x k, B of k x n; any sizes.
 *
 * Two kernels of the kind that one writes oneself.  extern "C" keeps their names as they are here. */

/* ------------------------------------------------------------------- tiled */
/* A block of 32 x 32 threads makes a tile of as many elements, one for each thread. */

constexpr int TILE = 32;

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    matmul_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int begin = 0; begin < k; begin += TILE) {
        const int a_col = begin + threadIdx.x, b_row = begin + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && a_col < k ? a[(size_t)row * k + a_col] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = b_row < k && col < n ? b[(size_t)b_row * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}

/* --------------------------------------------------------- tiled in registers */
/* 256 threads make a tile of 128 x 128, each 8 x 8 of it in registers: 64 products for 16 reads of
 * shared memory, where the kernel above reads two for each product. */

constexpr int BLOCK = 128, STEP = 8, EACH = 8, THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float a_tile[STEP][BLOCK], b_tile[STEP][BLOCK];
    const int first_row = blockIdx.y * BLOCK, first_col = blockIdx.x * BLOCK;
    const int thread_row = threadIdx.x / (BLOCK / EACH), thread_col = threadIdx.x % (BLOCK / EACH);
    float sums[EACH][EACH] = {};

    for (int begin = 0; begin < k; begin += STEP) {
        for (int at = threadIdx.x; at < BLOCK * STEP; at += THREADS) {
            const int row = first_row + at / STEP, a_col = begin + at % STEP;
            const int b_row = begin + at / BLOCK, col = first_col + at % BLOCK;
            a_tile[at % STEP][at / STEP] = row < m && a_col < k ? a[(size_t)row * k + a_col] : 0.0f;
            b_tile[at / BLOCK][at % BLOCK] = b_row < k && col < n ? b[(size_t)b_row * n + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < STEP; step++) {
            float a_values[EACH], b_values[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                a_values[i] = a_tile[step][thread_row * EACH + i];
                b_values[i] = b_tile[step][thread_col + i * (BLOCK / EACH)];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    sums[i][j] += a_values[i] * b_values[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int row = first_row + thread_row * EACH + i,
                      col = first_col + thread_col + j * (BLOCK / EACH);
            if (row < m && col < n)
                c[(size_t)row * n + col] = sums[i][j];
        }
}
