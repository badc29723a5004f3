! SPDX-License-Identifier: MIT
! ten_lines.f90: one product, from arrays and back; copy it and go on from here.
program ten_lines
    use isomat
    implicit none
    type(gpu_context) :: gpu
    type(gpu_matrix) :: a, b, c
    real, allocatable :: values(:, :)

    call gpu%open()
    call gpu%upload(a, reshape([1., 4., 2., 5., 3., 6.], [2, 3])) ! by columns
    call gpu%upload(b, reshape([1., 3., 5., 2., 4., 6.], [3, 2]))
    call c%multiply(a, b)
    call c%download(values)
    print '(2i4)', nint(transpose(values))
end program
