/* SPDX-License-Identifier: MIT */
/* ten_lines.c: one product, from arrays and back; copy it and go on from here. */
#include <isomat.h>
#include <stdio.h>

int main(void)
{
    float a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 2}, {3, 4}, {5, 6}}, c[2][2];
    isomat_context gpu;
    isomat_matrix ga, gb, gc = ISOMAT_NONE;
    if (isomat_context_create(&gpu, 0, ISOMAT_CONTEXT_PRIMARY) ||
        isomat_matrix_from_host(&ga, gpu, a, 2, 3, 3, ISOMAT_TYPE_F32, ISOMAT_NONE) ||
        isomat_matrix_from_host(&gb, gpu, b, 3, 2, 2, ISOMAT_TYPE_F32, ISOMAT_NONE) ||
        isomat_gemm(&gc, 1.0, ga, ISOMAT_OP_N, gb, ISOMAT_OP_N, 0.0, ISOMAT_COMPUTE_F32, ISOMAT_NONE) ||
        isomat_matrix_to_host(c, 2, gc, ISOMAT_NONE))
        return fprintf(stderr, "%s\n", isomat_error_message()), 1;
    printf("%g %g\n%g %g\n", (double)c[0][0], (double)c[0][1], (double)c[1][0], (double)c[1][1]);
}
