/* SPDX-License-Identifier: MIT */
/* state.cu: kernels with globals, one that fails and one that takes its time.
 *
 * No toolkit is needed for the tests: images.sh made images.h from it. */

__device__ int isomat_test_counter = 17;
__constant__ float isomat_test_table[4] = {1.0f, 2.0f, 3.0f, 4.0f};

/* out[i] = counter + table[i % 4] */
extern "C" __global__ void isomat_test_globals(float *out)
{
    out[threadIdx.x] = (float)isomat_test_counter + isomat_test_table[threadIdx.x & 3];
}

/* Writes where nothing is allocated. */
extern "C" __global__ void isomat_test_fault(int *address)
{
    *address = 1;
}

/* Takes a while: count dependent steps. */
extern "C" __global__ void isomat_test_spin(float *out, int count)
{
    float x = 1.0f;

    for (int i = 0; i < count; i++)
        x = x * 1.0000001f + 1e-9f;
    *out = x;
}
