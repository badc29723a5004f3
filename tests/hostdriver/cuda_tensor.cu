// SPDX-License-Identifier: MIT
// float16 and bfloat16 arithmetic, wmma, mma.sync with ldmatrix and cp.async, cuda::barrier.
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

extern "C" __global__ void k_half(const __half *a, const __half *b, __half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = __hfma(a[i], b[i], __hadd_rn(a[i], __hmul_rn(b[i], __float2half(0.5f))));
}

extern "C" __global__ void k_half2(const __half2 *a, const __half2 *b, __half2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = __hgt2(a[i], b[i]).x > __half(0) ? __hsub2(a[i], b[i]) : __hmin2(__hneg2(a[i]), b[i]);
}

extern "C" __global__ void k_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = __hfma(a[i], b[i], b[i]);
}

extern "C" __global__ void k_fp8(const float *a, unsigned char *out, float *back, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __nv_fp8_e4m3 x(a[i]);
    out[i] = x.__x;
    back[i] = float(x);
}

// C (m x n, float) = A (m x k, half, row-major) * B (k x n, half, row-major); a warp per tile of 16 x 16.
extern "C" __global__ void k_wmma(const __half *a, const __half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    for (int i = 0; i < k; i += 16) {
        load_matrix_sync(fa, a + row * k + i, k);
        load_matrix_sync(fb, b + i * n + col, n);
        mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] *= 2;
    store_matrix_sync(c + row * n + col, fc, n, mem_row_major);
}

__device__ static unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// The same with mma.sync: a warp per 16 x 8, two stages of cp.async.
extern "C" __global__ void k_mma(const __half *a, const __half *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) __half sa[2][16][16], sb[2][16][8];
    int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
    float d[4] = {0, 0, 0, 0};

    auto fetch = [&](int stage, int at) {
        const __half *from = a + (row + lane / 2) * k + at + lane % 2 * 8;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         shared_address(&sa[stage][lane / 2][lane % 2 * 8])),
                     "l"(__cvta_generic_to_global(from)));
        if (lane < 16)
            asm volatile(
                "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&sb[stage][lane][0])),
                "l"(__cvta_generic_to_global(b + (at + lane) * n + col)));
        asm volatile("cp.async.commit_group;");
    };
    fetch(0, 0);
    for (int i = 0, stage = 0; i < k; i += 16, stage ^= 1) {
        if (i + 16 < k) {
            fetch(stage ^ 1, i + 16);
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncwarp();
        unsigned ra[4], rb[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                     : "r"(shared_address(&sa[stage][lane % 16][lane / 16 * 8])));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(rb[0]), "=r"(rb[1])
                     : "r"(shared_address(&sb[stage][lane % 16][0])));
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
        __syncwarp();
    }
    for (int i = 0; i < 4; i++)
        c[(row + lane / 4 + i / 2 * 8) * n + col + lane % 4 * 2 + i % 2] = 2 * d[i];
}

// 8-bit integers, 16 x 8 x 32, and float64, 8 x 8 x 4: one warp, fragments as PTX lays them out.
extern "C" __global__ void k_mma_integer(const signed char *a, const signed char *b, int *c)
{
    int lane = threadIdx.x, g = lane / 4, t = lane % 4, d[4] = {1, 2, 3, 4};
    unsigned ra[4], rb[2];
    for (int i = 0; i < 4; i++)
        ra[i] = *(const unsigned *)(a + (g + i % 2 * 8) * 32 + t * 4 + i / 2 * 16);
    for (int i = 0; i < 2; i++)
        rb[i] = *(const unsigned *)(b + g * 32 + t * 4 + i * 16);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; i++)
        c[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = d[i];
}

extern "C" __global__ void k_mma_double(const double *a, const double *b, double *c)
{
    int lane = threadIdx.x;
    double x = a[lane], y = b[lane % 4 * 8 + lane / 4], d0 = 1, d1 = 2;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d0), "+d"(d1)
                 : "d"(x), "d"(y));
    c[lane / 4 * 8 + lane % 4 * 2] = d0;
    c[lane / 4 * 8 + lane % 4 * 2 + 1] = d1;
}

extern "C" __global__ void k_barrier(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int value[128];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        value[threadIdx.x] = threadIdx.x * (i + 1);
        bar.arrive_and_wait();
        sum += value[(threadIdx.x + 33) % blockDim.x];
        bar.arrive_and_wait();
    }
    out[threadIdx.x] = sum;
}
