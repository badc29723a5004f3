! SPDX-License-Identifier: MIT
! loop.f90: multiplies two matrices in a loop and times it.
!
!     loop [size [iterations]]        by default 4096 100
program loop
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit, int64
    use isomat
    use support
    implicit none
    integer, parameter :: warm_up = 3
    character(*), parameter :: usage = '[size [iterations]]'
    integer :: n, iterations, i
    real(c_float), allocatable :: a_data(:, :), b_data(:, :), c_data(:, :)
    real(c_double), allocatable :: device_ms(:), total_ms(:)
    real(c_double) :: began, took
    type(gpu_context) :: gpu
    type(gpu_matrix) :: a, b, c
    type(gpu_event) :: start, end

    call take_at_most(2, 'loop', usage)
    n = number_argument(1, 4096, 65536, 'loop', usage)
    iterations = number_argument(2, 100, 1000000, 'loop', usage)
    allocate (a_data(n, n), b_data(n, n), device_ms(iterations), total_ms(iterations))
    call fill_random(a_data, 1_int64)
    call fill_random(b_data, 2_int64)

    call gpu%open()
    call gpu%upload(a, a_data)
    call gpu%upload(b, b_data)
    call gpu%event(start)
    call gpu%event(end)
    do i = 1 - warm_up, iterations
        began = clock_ms()
        call start%record()
        call multiply()
        call end%record()
        call gpu%synchronize()
        call c%close()
        took = clock_ms() - began
        if (i < 1) cycle
        total_ms(i) = took
        call end%elapsed_since(start, device_ms(i))
    end do

    call multiply()
    call c%download(c_data)
    call check()
    print '(a, 2(i0, a), i0, 7a)', 'fortran: ', n, ' x ', n, ', ', iterations, ' multiplications, ', &
        isomat_device_name(0), ': device ', three_places(median(device_ms)), ' ms, with overhead ', &
        three_places(median(total_ms)), ' ms'
    call c%close()
    call end%close()
    call start%close()
    call b%close()
    call a%close()
    call gpu%close()

contains

    ! The arrays hold by columns what the other languages hold by rows, so that theirs are the transposes, and this
    ! is their product of a and b.
    subroutine multiply()
        call c%multiply(b, a)
    end subroutine

    ! Compares elements with double-precision dot products.
    subroutine check()
        integer, parameter :: places = 7 ! the corners, the edges and points inside
        integer :: i, j
        do i = 0, places - 1
            do j = 0, places - 1
                call check_element(1 + int(int(n - 1, int64)*i/(places - 1)), 1 + int(int(n - 1, int64)*j/(places - 1)))
            end do
        end do
    end subroutine

    ! It may be off by what float32 arithmetic may lose in n additions.
    subroutine check_element(i, j)
        integer, intent(in) :: i, j
        real(c_double) :: products(n)
        products = real(b_data(i, :), c_double)*real(a_data(:, j), c_double)
        if (abs(c_data(i, j) - sum(products)) <= n*2.0_c_double**(-24)*sum(abs(products))) return
        write (error_unit, '(2(a, i0), 2(a, es16.9))') 'loop: element (', i, ', ', j, ') is ', c_data(i, j), ', not ', &
            sum(products)
        stop 1
    end subroutine

end program
