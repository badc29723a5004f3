! SPDX-License-Identifier: MIT
! isomat for Fortran: objects with methods over isomat_api, which is isomat.h as it stands.
!
! Arrays are Fortran's: columns lie together. To isomat, whose matrices are row-major, they are the transposes, and
! it multiplies the factors in the other order; nothing is copied for it.
!
! Each procedure takes stat and errmsg as allocate does: stat is ISOMAT_OK or an ISOMAT_ERROR_..., errmsg the
! library's line, and without stat a failure ends the program. What was created is closed by the caller, in any order.
module isomat
    use isomat_api
    implicit none
    private
    public :: isomat_status_text, isomat_device_name, isomat_version_text
    public :: ISOMAT_OK, ISOMAT_NONE, ISOMAT_TYPE_F32, ISOMAT_TYPE_F16, ISOMAT_TYPE_BF16, ISOMAT_COMPUTE_F32
    public :: ISOMAT_COMPUTE_F32_STRICT, ISOMAT_COMPUTE_TF32, ISOMAT_COMPUTE_F16, ISOMAT_COMPUTE_BF16
    public :: ISOMAT_ERROR_INVALID_ARGUMENT, ISOMAT_ERROR_INVALID_HANDLE, ISOMAT_ERROR_SHAPE_MISMATCH
    public :: ISOMAT_ERROR_TYPE_MISMATCH, ISOMAT_ERROR_NOT_FOUND, ISOMAT_ERROR_ARGUMENT_COUNT
    public :: ISOMAT_ERROR_ARGUMENT_SIZE, ISOMAT_ERROR_UNSUPPORTED

    type, public :: gpu_context
        integer(c_int64_t) :: handle = ISOMAT_NONE
    contains
        procedure :: open => context_open
        procedure :: close => context_close
        procedure :: synchronize => context_synchronize
        procedure :: upload => context_upload
        procedure :: matrix => context_matrix
        procedure :: event => context_event
        procedure :: load => context_load
        procedure :: load_file => context_load_file
    end type

    type, public :: gpu_matrix
        integer(c_int64_t) :: handle = ISOMAT_NONE
    contains
        procedure :: close => matrix_close
        procedure :: multiply => matrix_multiply
        procedure :: download => matrix_download
        procedure :: fill => matrix_fill
        procedure :: address => matrix_address
    end type

    type, public :: gpu_event
        integer(c_int64_t) :: handle = ISOMAT_NONE
    contains
        procedure :: close => event_close
        procedure :: record => event_record
        procedure :: elapsed_since => event_elapsed_since
    end type

    type, public :: gpu_module
        integer(c_int64_t) :: handle = ISOMAT_NONE
    contains
        procedure :: close => module_close
        procedure :: kernel => module_kernel
    end type

    type, public :: gpu_kernel
        integer(c_int64_t) :: handle = ISOMAT_NONE
    contains
        procedure :: close => kernel_close
        procedure :: info => kernel_info
        procedure :: launch => kernel_launch
    end type

    public :: isomat_kernel_info

contains

    ! ------------------------------------------------------------------------------------------ failures

    ! Tells the caller of a failure, or ends the program.
    subroutine tell(status, stat, errmsg)
        integer(c_int32_t), intent(in) :: status
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: line
        if (present(stat)) stat = status
        if (status == ISOMAT_OK) return
        line = message()
        if (present(errmsg)) errmsg = line
        if (.not. present(stat)) error stop line
    end subroutine

    function message() result(text)
        character(:), allocatable :: text
        character(kind=c_char) :: line(1024)
        integer :: length, i
        length = int(min(isomat_error_copy(line, size(line, kind=c_int64_t)), size(line, kind=c_int64_t) - 1))
        allocate (character(length) :: text)
        do i = 1, length
            text(i:i) = line(i)
        end do
    end function

    ! A failure that is found here.
    integer(c_int32_t) function failed(status, text)
        integer(c_int32_t), intent(in) :: status
        character(*), intent(in) :: text
        failed = isomat_error_set(status, text//c_null_char)
    end function

    function text_of(pointer) result(text)
        type(c_ptr), intent(in) :: pointer
        character(:), allocatable :: text
        character(kind=c_char), pointer :: from(:)
        integer :: length
        call c_f_pointer(pointer, from, [1024])
        length = 0
        do while (from(length + 1) /= c_null_char)
            length = length + 1
        end do
        allocate (character(length) :: text)
        text = transfer(from(:length), text)
    end function

    ! The name of a status: "ISOMAT_ERROR_ALIAS".
    function isomat_status_text(status) result(text)
        integer, intent(in) :: status
        character(:), allocatable :: text
        text = text_of(isomat_status_name(int(status, c_int32_t)))
    end function

    function isomat_version_text(number) result(text)
        integer, intent(in) :: number
        character(:), allocatable :: text
        character(40) :: buffer
        write (buffer, '(i0, 2(".", i0))') number/1000000, mod(number/1000, 1000), mod(number, 1000)
        text = trim(buffer)
    end function

    ! Functions are only added within a major version, so an older library may lack some that were compiled in.
    integer(c_int32_t) function check_version() result(status)
        integer, parameter :: wanted = ISOMAT_VERSION_MAJOR*1000000 + ISOMAT_VERSION_MINOR*1000 + ISOMAT_VERSION_PATCH
        integer :: found
        found = isomat_version()
        status = ISOMAT_OK
        if (found/1000000 == ISOMAT_VERSION_MAJOR .and. found >= wanted) return
        status = failed(ISOMAT_ERROR_UNSUPPORTED, 'the library is version '//isomat_version_text(found)// &
            ', this program needs '//isomat_version_text(wanted)//' or later, below '// &
            isomat_version_text((ISOMAT_VERSION_MAJOR + 1)*1000000))
    end function

    ! ------------------------------------------------------------------------------------------ contexts

    ! Takes the device's primary context, which other libraries in the process share.
    subroutine context_open(self, device, stat, errmsg)
        class(gpu_context), intent(inout) :: self
        integer, intent(in), optional :: device
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int32_t) :: status, of
        of = 0
        if (present(device)) of = device
        status = check_version()
        if (status == ISOMAT_OK) status = isomat_context_create(self%handle, of, ISOMAT_CONTEXT_PRIMARY)
        call tell(status, stat, errmsg)
    end subroutine

    subroutine context_close(self, stat, errmsg)
        class(gpu_context), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_context_destroy(self%handle), stat, errmsg)
        self%handle = ISOMAT_NONE
    end subroutine

    ! Waits for all work that was submitted.
    subroutine context_synchronize(self, stat, errmsg)
        class(gpu_context), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_context_synchronize(self%handle), stat, errmsg)
    end subroutine

    function isomat_device_name(device) result(name)
        integer, intent(in) :: device
        character(:), allocatable :: name
        type(isomat_device_info), target :: info
        info%struct_size = int(c_sizeof(info), c_int32_t)
        call tell(isomat_device_get_info(info, int(device, c_int32_t)))
        name = text_of(c_loc(info%name))
    end function

    ! ------------------------------------------------------------------------------------------ matrices

    ! Copies an array to a new matrix on the device.
    subroutine context_upload(self, matrix, values, stat, errmsg)
        class(gpu_context), intent(in) :: self
        type(gpu_matrix), intent(inout) :: matrix
        real(c_float), intent(in), target, contiguous :: values(:, :)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: rows, cols
        type(c_ptr) :: from
        rows = size(values, 1, c_int64_t)
        cols = size(values, 2, c_int64_t)
        from = c_null_ptr
        if (rows*cols > 0) from = c_loc(values)
        call tell(isomat_matrix_from_host(matrix%handle, self%handle, from, cols, rows, rows, ISOMAT_TYPE_F32, &
            ISOMAT_NONE), stat, errmsg)
    end subroutine

    ! Makes a matrix whose elements are undefined, by default of ISOMAT_TYPE_F32.
    subroutine context_matrix(self, matrix, rows, cols, type, stat, errmsg)
        class(gpu_context), intent(in) :: self
        type(gpu_matrix), intent(inout) :: matrix
        integer, intent(in) :: rows, cols
        integer(c_int32_t), intent(in), optional :: type
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int32_t) :: of
        of = ISOMAT_TYPE_F32
        if (present(type)) of = type
        call tell(isomat_matrix_create(matrix%handle, self%handle, int(cols, c_int64_t), int(rows, c_int64_t), of, &
            ISOMAT_NONE), stat, errmsg)
    end subroutine

    subroutine matrix_close(self, stat, errmsg)
        class(gpu_matrix), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_matrix_destroy(self%handle), stat, errmsg)
        self%handle = ISOMAT_NONE
    end subroutine

    integer(c_int32_t) function info_of(matrix, info) result(status)
        type(gpu_matrix), intent(in) :: matrix
        type(isomat_matrix_info), intent(inout) :: info
        info%struct_size = int(c_sizeof(info), c_int32_t)
        status = isomat_matrix_get_info(info, matrix%handle)
    end function

    ! Sizes as the caller of Fortran knows them; isomat's own line would have the transposes'.
    integer(c_int32_t) function check_shapes(a, b) result(status)
        type(gpu_matrix), intent(in) :: a, b
        type(isomat_matrix_info) :: of_a, of_b
        character(200) :: line
        status = info_of(a, of_a)
        if (status == ISOMAT_OK) status = info_of(b, of_b)
        if (status /= ISOMAT_OK .or. of_a%rows == of_b%cols) return
        write (line, '(4(a, i0))') 'a product of ', of_a%cols, ' x ', of_a%rows, ' and ', of_b%cols, ' x ', of_b%rows
        status = failed(ISOMAT_ERROR_SHAPE_MISMATCH, trim(line))
    end function

    ! Submits self = a * b; self is created if it is not open yet.
    subroutine matrix_multiply(self, a, b, compute, stat, errmsg)
        class(gpu_matrix), intent(inout) :: self
        type(gpu_matrix), intent(in) :: a, b
        integer(c_int32_t), intent(in), optional :: compute
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int32_t) :: status, way
        way = ISOMAT_COMPUTE_F32
        if (present(compute)) way = compute
        status = isomat_gemm(self%handle, 1.0_c_double, b%handle, ISOMAT_OP_N, a%handle, ISOMAT_OP_N, 0.0_c_double, &
            way, ISOMAT_NONE)
        if (status == ISOMAT_ERROR_SHAPE_MISMATCH) then
            if (check_shapes(a, b) == ISOMAT_OK) status = failed(status, 'the result is not as large as the product')
        end if
        call tell(status, stat, errmsg)
    end subroutine

    ! Waits for a matrix of ISOMAT_TYPE_F32 and copies it to the host.
    subroutine matrix_download(self, values, stat, errmsg)
        class(gpu_matrix), intent(in) :: self
        real(c_float), intent(out), allocatable, target :: values(:, :)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(isomat_matrix_info) :: info
        integer(c_int32_t) :: status
        type(c_ptr) :: to
        status = info_of(gpu_matrix(self%handle), info)
        if (status == ISOMAT_OK .and. info%type /= ISOMAT_TYPE_F32) &
            status = failed(ISOMAT_ERROR_TYPE_MISMATCH, 'the matrix is not float32')
        if (status == ISOMAT_OK) then
            allocate (values(info%cols, info%rows))
            to = c_null_ptr
            if (size(values) > 0) to = c_loc(values)
            status = isomat_matrix_to_host(to, info%cols, self%handle, ISOMAT_NONE)
        end if
        call tell(status, stat, errmsg)
    end subroutine

    subroutine matrix_fill(self, value, stat, errmsg)
        class(gpu_matrix), intent(in) :: self
        real(c_double), intent(in) :: value
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_matrix_fill(self%handle, value, ISOMAT_NONE), stat, errmsg)
    end subroutine

    ! The device address of the first element, to give to a kernel.
    subroutine matrix_address(self, address, stat, errmsg)
        class(gpu_matrix), intent(in) :: self
        integer(c_int64_t), intent(inout) :: address
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_matrix_get_pointer(address, self%handle), stat, errmsg)
    end subroutine

    ! -------------------------------------------------------------------------------------------- events

    ! Makes an event that measures time.
    subroutine context_event(self, event, stat, errmsg)
        class(gpu_context), intent(in) :: self
        type(gpu_event), intent(inout) :: event
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_event_create(event%handle, self%handle, 1_c_int32_t), stat, errmsg)
    end subroutine

    subroutine event_close(self, stat, errmsg)
        class(gpu_event), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_event_destroy(self%handle), stat, errmsg)
        self%handle = ISOMAT_NONE
    end subroutine

    ! Marks the present end of the context's default stream.
    subroutine event_record(self, stat, errmsg)
        class(gpu_event), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_event_record(self%handle, ISOMAT_NONE), stat, errmsg)
    end subroutine

    ! Milliseconds; both must have happened.
    subroutine event_elapsed_since(self, start, milliseconds, stat, errmsg)
        class(gpu_event), intent(in) :: self
        type(gpu_event), intent(in) :: start
        real(c_double), intent(inout) :: milliseconds
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_event_elapsed(milliseconds, start%handle, self%handle), stat, errmsg)
    end subroutine

    ! ------------------------------------------------------------------------------- kernels of one's own

    ! Takes PTX text, or an image that is held in a string.
    subroutine context_load(self, module, image, stat, errmsg)
        class(gpu_context), intent(in) :: self
        type(gpu_module), intent(inout) :: module
        character(*), intent(in), target :: image
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_module_load_data(module%handle, self%handle, c_loc(image), len(image, c_int64_t)), stat, errmsg)
    end subroutine

    ! Takes a fatbin, a cubin or PTX from a file.
    subroutine context_load_file(self, module, path, stat, errmsg)
        class(gpu_context), intent(in) :: self
        type(gpu_module), intent(inout) :: module
        character(*), intent(in) :: path
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_module_load_file(module%handle, self%handle, path//c_null_char), stat, errmsg)
    end subroutine

    subroutine module_close(self, stat, errmsg)
        class(gpu_module), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_module_destroy(self%handle), stat, errmsg)
        self%handle = ISOMAT_NONE
    end subroutine

    ! Looks a kernel up: extern "C", or as C++ mangles its name. The kernel keeps its module alive.
    subroutine module_kernel(self, kernel, name, stat, errmsg)
        class(gpu_module), intent(in) :: self
        type(gpu_kernel), intent(inout) :: kernel
        character(*), intent(in) :: name
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_kernel_get(kernel%handle, self%handle, name//c_null_char), stat, errmsg)
    end subroutine

    subroutine kernel_close(self, stat, errmsg)
        class(gpu_kernel), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call tell(isomat_kernel_destroy(self%handle), stat, errmsg)
        self%handle = ISOMAT_NONE
    end subroutine

    subroutine kernel_info(self, info, stat, errmsg)
        class(gpu_kernel), intent(in) :: self
        type(isomat_kernel_info), intent(inout) :: info
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        info%struct_size = int(c_sizeof(info), c_int32_t)
        call tell(isomat_kernel_get_info(info, self%handle), stat, errmsg)
    end subroutine

    ! Submits the kernel. Each argument is the place of a value, c_loc(n), and its size, c_sizeof(n).
    subroutine kernel_launch(self, blocks, threads, arguments, sizes, stat, errmsg)
        class(gpu_kernel), intent(in) :: self
        integer, intent(in) :: blocks, threads
        type(c_ptr), intent(in) :: arguments(:)
        integer(c_size_t), intent(in) :: sizes(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(isomat_launch) :: launch
        integer(c_int32_t) :: status
        launch = isomat_launch(int(c_sizeof(launch), c_int32_t), blocks, 1, 1, threads, 1, 1, 0, 0, 0, 0, 0, ISOMAT_NONE)
        if (size(arguments) == size(sizes)) then
            status = isomat_kernel_launch(self%handle, launch, arguments, size(arguments, kind=c_int32_t), &
                int(sizes, c_int64_t))
        else
            status = failed(ISOMAT_ERROR_INVALID_ARGUMENT, 'not as many sizes as arguments')
        end if
        call tell(status, stat, errmsg)
    end subroutine

end module isomat
