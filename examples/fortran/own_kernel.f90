! SPDX-License-Identifier: MIT
! own_kernel.f90: launches a kernel of one's own, y += alpha * x, from a fatbin, a cubin or PTX.
!
!     own_kernel [module]        by default ../python/axpy.ptx
program own_kernel
    use, intrinsic :: iso_c_binding
    use isomat
    use support, only: argument
    implicit none
    integer(c_int32_t), parameter :: block = 128
    integer(c_int32_t), target :: n = 1000
    real(c_float), target :: alpha = 0.5
    integer(c_int64_t), target :: x_address, y_address
    real(c_float), allocatable :: numbers(:, :), values(:, :)
    character(:), allocatable :: path
    type(gpu_context) :: gpu
    type(gpu_module) :: module
    type(gpu_kernel) :: axpy
    type(gpu_matrix) :: x, y
    type(isomat_kernel_info) :: info
    integer :: i

    path = '../python/axpy.ptx'
    if (command_argument_count() > 0) path = argument(1)
    call gpu%open()
    call gpu%load_file(module, path)
    call module%kernel(axpy, 'axpy')
    call axpy%info(info)
    if (info%debug /= 0) error stop 'the kernel was built with -G: see isomat inspect'

    numbers = reshape([(real(i, c_float), i=0, n - 1)], [n, 1])
    call gpu%upload(x, numbers)
    call gpu%matrix(y, n, 1)
    call y%fill(3.0_c_double)
    call x%address(x_address)
    call y%address(y_address)
    call axpy%launch((n + block - 1)/block, block, [c_loc(alpha), c_loc(x_address), c_loc(y_address), c_loc(n)], &
        [c_sizeof(alpha), c_sizeof(x_address), c_sizeof(y_address), c_sizeof(n)])
    call y%download(values)
    if (any(abs(values - (3 + alpha*numbers)) > 0)) error stop 'a wrong result'
    print '(a, 2(i0, a))', 'fortran: axpy, ', n, ' elements, ', info%registers, ' registers'

    call y%close()
    call x%close()
    call axpy%close()
    call module%close()
    call gpu%close()
end program
