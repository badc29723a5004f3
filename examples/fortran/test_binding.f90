! SPDX-License-Identifier: MIT
! test_binding.f90: failures are told in stat and errmsg, with isomat's line; nothing is lost or left over.
program test_binding
    use, intrinsic :: iso_c_binding
    use isomat
    use isomat_api, only: isomat_live_objects
    use support, only: median
    implicit none
    type(gpu_context) :: gpu, other
    type(gpu_module) :: module
    type(gpu_kernel) :: kernel
    type(gpu_matrix) :: a, b, c, half, none
    real(c_float), allocatable :: values(:, :)
    real(c_float) :: a_values(2, 3), b_values(3, 2)
    character(200) :: errmsg
    type(c_ptr) :: no_arguments(0)
    integer(c_size_t) :: no_sizes(0)
    integer(c_int64_t), target :: place = 0
    integer(c_int64_t) :: before
    integer :: stat, failures = 0

    before = isomat_live_objects()
    a_values = reshape([1., 4., 2., 5., 3., 6.], [2, 3])
    b_values = reshape([1., 3., 5., 2., 4., 6.], [3, 2])
    call gpu%open()
    call gpu%upload(a, a_values)
    call gpu%upload(b, b_values)
    call c%multiply(a, b)
    call c%download(values)
    call expect(all(abs(values - matmul(a_values, b_values)) <= 0), 'a product')

    call c%multiply(a, b, stat=stat)
    call expect(stat == ISOMAT_OK, 'a product into what is there')
    call c%multiply(b, a, stat=stat, errmsg=errmsg)
    call failed_with(ISOMAT_ERROR_SHAPE_MISMATCH, 'the result')
    call c%multiply(a, a, stat=stat, errmsg=errmsg)
    call failed_with(ISOMAT_ERROR_SHAPE_MISMATCH, '2 x 3 and 2 x 3')
    call gpu%matrix(half, 3, 2, ISOMAT_TYPE_F16)
    call c%multiply(a, half, stat=stat, errmsg=errmsg)
    call failed_with(ISOMAT_ERROR_TYPE_MISMATCH, '')
    call half%download(values, stat, errmsg)
    call failed_with(ISOMAT_ERROR_TYPE_MISMATCH, 'float32')
    call gpu%matrix(none, -1, 2, stat=stat, errmsg=errmsg)
    call failed_with(ISOMAT_ERROR_INVALID_ARGUMENT, '')
    call other%open(-1, stat, errmsg)
    call failed_with(ISOMAT_ERROR_INVALID_ARGUMENT, '')
    call expect(isomat_status_text(stat) == 'ISOMAT_ERROR_INVALID_ARGUMENT', 'a status by name')

    call gpu%load(module, '.version 7.0'//new_line('a')//'.target sm_75'//new_line('a')//'.address_size 64'// &
        new_line('a')//'.visible .entry take(.param .u32 n) { ret; }'//new_line('a'))
    call module%kernel(kernel, 'no_such', stat, errmsg)
    call failed_with(ISOMAT_ERROR_NOT_FOUND, 'no_such')
    call module%kernel(kernel, 'take')
    call module%close() ! the kernel keeps it
    call kernel%launch(1, 1, no_arguments, no_sizes, stat, errmsg)
    call failed_with(ISOMAT_ERROR_ARGUMENT_COUNT, 'take')
    call kernel%launch(1, 1, [c_loc(place)], [c_sizeof(place)], stat, errmsg)
    call failed_with(ISOMAT_ERROR_ARGUMENT_SIZE, 'take')
    call kernel%launch(1, 1, [c_loc(place)], no_sizes, stat, errmsg)
    call failed_with(ISOMAT_ERROR_INVALID_ARGUMENT, 'sizes')
    call kernel%close()

    call b%close()
    call b%close() ! does nothing
    call c%multiply(a, b, stat=stat, errmsg=errmsg)
    call failed_with(ISOMAT_ERROR_INVALID_HANDLE, '')
    call gpu%upload(b, b_values)
    call gpu%close() ! the matrices keep what they need of it
    call c%multiply(a, b)
    call c%download(values)
    call expect(all(abs(values - matmul(a_values, b_values)) <= 0), 'a product without the context')
    call a%close()
    call b%close()
    call c%close()
    call half%close()
    call expect(isomat_live_objects() == before, 'all objects destroyed')

    call expect(abs(median([3d0, 1d0, 2d0]) - 2) < 1d-9 .and. abs(median([4d0, 1d0, 4d0, 2d0]) - 3) < 1d-9, 'median')
    if (failures > 0) error stop 'test_binding: failures, as above'

contains

    subroutine expect(condition, what)
        logical, intent(in) :: condition
        character(*), intent(in) :: what
        if (condition) return
        print '(2a)', 'not so: ', what
        failures = failures + 1
    end subroutine

    subroutine failed_with(status, text)
        integer(c_int32_t), intent(in) :: status
        character(*), intent(in) :: text
        call expect(stat == status .and. index(errmsg, text) > 0 .and. index(errmsg, new_line('a')) == 0 .and. &
            len_trim(errmsg) > 0, isomat_status_text(status)//' with "'//text//'"; instead '//isomat_status_text(stat)// &
            ': '//trim(errmsg))
        errmsg = ''
    end subroutine

end program
