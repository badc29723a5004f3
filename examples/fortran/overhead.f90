! SPDX-License-Identifier: MIT
! overhead.f90: the host's time per call of an empty kernel's launch and of a small product.
!
!     overhead [calls]        by default 100000
!
! Medians over batches of calls; what is submitted in a batch is waited for outside the time.
program overhead
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use isomat
    use support
    implicit none
    integer, parameter :: most_calls = 100000000
    integer, parameter :: most_in_batch = 500 ! few enough that the driver's queue does not fill up
    integer, parameter :: n = 64
    character, parameter :: line_end = new_line('a')
    character(*), parameter :: empty_ptx = '.version 7.0'//line_end//'.target sm_75'//line_end// &
        '.address_size 64'//line_end//'.visible .entry empty() { ret; }'//line_end
    integer :: calls
    real(c_float) :: values(n, n)
    real(c_double) :: launch_ns, product_ns
    type(gpu_context) :: gpu
    type(gpu_module) :: module
    type(gpu_kernel) :: empty
    type(gpu_matrix) :: a, b, c
    type(c_ptr) :: no_arguments(0)
    integer(c_size_t) :: no_sizes(0)

    call take_at_most(1, 'overhead', '[calls]')
    calls = number_argument(1, 100000, most_calls, 'overhead', '[calls]')
    call gpu%open()
    call gpu%load(module, empty_ptx)
    call module%kernel(empty, 'empty')
    call fill_random(values, 1_int64)
    call gpu%upload(a, values)
    call fill_random(values, 2_int64)
    call gpu%upload(b, values)
    call gpu%matrix(c, n, n)
    launch_ns = per_call(launch=.true.)
    product_ns = per_call(launch=.false.)
    print '(a, 5(i0, a))', 'fortran: ', calls, ' calls: empty launch ', nint(launch_ns, int64), ' ns, ', n, ' x ', n, &
        ' product ', nint(product_ns, int64), ' ns'
    call c%close()
    call b%close()
    call a%close()
    call empty%close()
    call module%close()
    call gpu%close()

contains

    ! Nanoseconds, of a launch or of a product.
    real(c_double) function per_call(launch)
        logical, intent(in) :: launch
        integer :: batch, batches, i, j
        real(c_double) :: began, ended
        real(c_double), allocatable :: ns(:)
        batch = min(calls, most_in_batch)
        batches = (calls + batch - 1)/batch
        allocate (ns(batches))
        do i = 0, batches ! the first is the warm-up
            began = clock_ms()
            do j = 1, batch
                if (launch) then
                    call empty%launch(1, 1, no_arguments, no_sizes)
                else
                    call c%multiply(a, b)
                end if
            end do
            ended = clock_ms()
            call gpu%synchronize()
            if (i > 0) ns(i) = (ended - began)*1e6_c_double/batch
        end do
        per_call = median(ns)
    end function

end program
