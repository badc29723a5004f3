! SPDX-License-Identifier: MIT
! support.f90: what the programs that measure need besides isomat: arguments, data, clock, median.
module support
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit, int64
    implicit none

contains

    ! Ends the program with status 2 if it was given more arguments.
    subroutine take_at_most(most, program, usage)
        integer, intent(in) :: most
        character(*), intent(in) :: program, usage
        if (command_argument_count() > most) call end_with_usage(program, usage)
    end subroutine

    subroutine end_with_usage(program, usage)
        character(*), intent(in) :: program, usage
        write (error_unit, '(4a)') 'usage: ', program, ' ', usage
        stop 2
    end subroutine

    function argument(index) result(text)
        integer, intent(in) :: index
        character(:), allocatable :: text
        integer :: length
        call get_command_argument(index, length=length)
        allocate (character(length) :: text)
        call get_command_argument(index, text)
    end function

    ! An argument as a number from 1 to most; ends the program with status 2 if it is none.
    integer function number_argument(index, value_if_missing, most, program, usage) result(value)
        integer, intent(in) :: index, value_if_missing, most
        character(*), intent(in) :: program, usage
        character(:), allocatable :: text
        value = value_if_missing
        if (index > command_argument_count()) return
        text = argument(index)
        value = 0
        if (len(text) > 0 .and. len(text) < 10 .and. verify(text, '0123456789') == 0) read (text, *) value
        if (value >= 1 .and. value <= most) return
        write (error_unit, '(4a, i0)') program, ": '", text, "' is not a number from 1 to ", most
        call end_with_usage(program, usage)
    end function

    ! Random numbers, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential generator, whose
    ! products wrap around (-fwrapv). The programs in every language use this one.
    subroutine fill_random(values, seed)
        real(c_float), intent(out) :: values(:, :)
        integer(int64), intent(in) :: seed
        integer(int64) :: state
        integer :: i, j
        state = seed
        do j = 1, size(values, 2)
            do i = 1, size(values, 1)
                state = state*6364136223846793005_int64 + 1442695040888963407_int64
                values(i, j) = real(shiftr(state, 40), c_float)/16777216.0_c_float - 0.5_c_float
            end do
        end do
    end subroutine

    real(c_double) function clock_ms()
        integer(int64) :: count, rate
        call system_clock(count, rate)
        clock_ms = 1e3_c_double*real(count, c_double)/real(rate, c_double)
    end function

    pure recursive subroutine sort(values)
        real(c_double), intent(inout) :: values(:)
        real(c_double) :: pivot
        if (size(values) < 2) return
        pivot = values((size(values) + 1)/2)
        block
            real(c_double), allocatable :: less(:), more(:)
            integer :: equal
            less = pack(values, values < pivot)
            more = pack(values, values > pivot)
            equal = size(values) - size(less) - size(more)
            call sort(less)
            call sort(more)
            values = [less, spread(pivot, 1, equal), more]
        end block
    end subroutine

    pure real(c_double) function median(values)
        real(c_double), intent(in) :: values(:)
        real(c_double) :: sorted(size(values))
        sorted = values
        call sort(sorted)
        median = (sorted((size(values) + 1)/2) + sorted(size(values)/2 + 1))/2
    end function

    ! A non-negative number with three places, "0.250", which f0.3 would write ".250".
    function three_places(value) result(text)
        real(c_double), intent(in) :: value
        character(:), allocatable :: text
        character(40) :: buffer
        write (buffer, '(f40.3)') value
        text = trim(adjustl(buffer))
    end function

end module support
