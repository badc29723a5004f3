/* SPDX-License-Identifier: MIT */
/* images.S: the compiled kernels, byte for byte.  The fatbins are found through
 * -I, first in the build tree, then in the source tree of a release. */
    .section .rodata.isomat_images, "a", %progbits

.macro image name
    .balign 64
    .global im_image_\name\()_begin
    .hidden im_image_\name\()_begin
im_image_\name\()_begin:
    .incbin "modules/\name\().fatbin"
    .global im_image_\name\()_end
    .hidden im_image_\name\()_end
im_image_\name\()_end:
.endm

image gemm_bf16_mma
image gemm_f16_mma
image gemm_bf16_sm90
image gemm_bf16_sm90_finish
image gemm_f16_sm90
image gemm_f16_sm90_finish
image gemm_f32
image gemm_f32_group
image gemm_f32_skinny
image gemm_f32_sm90
image gemm_f32_sm90_finish
image gemm_f32_strict_sm90
image gemm_f32x3_mma
image gemm_f64
image gemm_tf32_mma
image matrix
image split_f32

    .section .note.GNU-stack, "", %progbits
