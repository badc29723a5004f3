/* SPDX-License-Identifier: MIT */
/* ramp.cu: one kernel, for images of several architectures; images.sh makes images.h from it. */

/* out[i] = value + i */
extern "C" __global__ void isomat_test_ramp(int *out, int value, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = value + i;
}
