/* SPDX-License-Identifier: MIT */
/*
 * Helpers shared by the kernels: sizes, 16-byte accesses, the order of blocks.
 */
#ifndef ISOMAT_KERNELS_TILE_CUH
#define ISOMAT_KERNELS_TILE_CUH

#include <stdint.h>

namespace isomat
{

constexpr int WARP = 32;
constexpr int VECTOR = 4; /* floats in a 16-byte access */

/* a >= 0, b > 0; does not overflow for a near INT_MAX */
__device__ __forceinline__ constexpr int ceil_div(int a, int b)
{
    return a / b + (a % b != 0);
}

__device__ __forceinline__ float *device_pointer(uint64_t address)
{
    return reinterpret_cast<float *>(address);
}

__device__ __forceinline__ float4 read_vector(const float *p)
{
    return *reinterpret_cast<const float4 *>(p);
}

/* Four floats at p, of which the first `count` exist; the rest read as zero. */
__device__ __forceinline__ float4 read_up_to_4(const float *p, int count, bool vector)
{
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (vector) {
        if (count > 0)
            v = read_vector(p);
    } else {
        if (count > 0)
            v.x = p[0];
        if (count > 1)
            v.y = p[1];
        if (count > 2)
            v.z = p[2];
        if (count > 3)
            v.w = p[3];
    }
    return v;
}

/* Writes the first `count` of v. */
__device__ __forceinline__ void write_up_to_4(float *p, float4 v, int count, bool vector)
{
    if (vector) {
        if (count > 0)
            *reinterpret_cast<float4 *>(p) = v;
    } else {
        if (count > 0)
            p[0] = v.x;
        if (count > 1)
            p[1] = v.y;
        if (count > 2)
            p[2] = v.z;
        if (count > 3)
            p[3] = v.w;
    }
}

/* alpha * sum + beta * c for four neighbours in a row of C, of which the first `count` exist. */
__device__ __forceinline__ void store_4(float *c, const float *sum, int count, bool vector, float alpha,
                                        float beta)
{
    float4 old = make_float4(0.f, 0.f, 0.f, 0.f);
    if (beta != 0.f)
        old = read_up_to_4(c, count, vector);
    write_up_to_4(c,
                  make_float4(fmaf(beta, old.x, alpha * sum[0]), fmaf(beta, old.y, alpha * sum[1]),
                              fmaf(beta, old.z, alpha * sum[2]), fmaf(beta, old.w, alpha * sum[3])),
                  count, vector);
}

/* alpha * sum + beta * c for two neighbours in a row of C, of which the first `count` exist. */
__device__ __forceinline__ void store_2(double *c, double x, double y, int count, bool vector, double alpha,
                                        double beta)
{
    double2 old = make_double2(0., 0.);
    if (vector && count > 1) {
        if (beta != 0.)
            old = *reinterpret_cast<const double2 *>(c);
        *reinterpret_cast<double2 *>(c) =
            make_double2(fma(beta, old.x, alpha * x), fma(beta, old.y, alpha * y));
        return;
    }
    if (count > 0)
        c[0] = fma(beta, beta != 0. ? c[0] : 0., alpha * x);
    if (count > 1)
        c[1] = fma(beta, beta != 0. ? c[1] : 0., alpha * y);
}

__device__ __forceinline__ void store_4(double *c, const double *sum, int count, bool vector, double alpha,
                                        double beta)
{
    store_2(c, sum[0], sum[1], count, vector, alpha, beta);
    store_2(c + 2, sum[2], sum[3], count - 2, vector, alpha, beta);
}

/*
 * Which tile of C a block computes. Blocks that run together should share rows
 * of A and columns of B in L2, so the grid goes down RASTER_ROWS tiles before
 * it steps right:
 *
 *      0  8 16 ..
 *      1  9 17
 *      :  :  :
 *      7 15 23
 *      then the next RASTER_ROWS rows of tiles
 */
constexpr int RASTER_ROWS = 8;

struct TileIndex {
    int row, col;
};

__device__ __forceinline__ TileIndex raster(int block, int tile_rows, int tile_cols)
{
    const int band = block / (RASTER_ROWS * tile_cols);
    const int in_band = block - band * RASTER_ROWS * tile_cols;
    const int rows = min(RASTER_ROWS, tile_rows - band * RASTER_ROWS);
    return {band * RASTER_ROWS + in_band % rows, in_band / rows};
}

} // namespace isomat

#endif
