! SPDX-License-Identifier: MIT
! Written by build-aux/bindings.py from isomat.h; not to be edited.
! isomat.h for iso_c_binding, names as there. The header is the manual. A handle is an integer(c_int64_t).
module isomat_api
    use, intrinsic :: iso_c_binding
    implicit none
    public

    integer(c_int32_t), parameter :: ISOMAT_VERSION_MAJOR = 0
    integer(c_int32_t), parameter :: ISOMAT_VERSION_MINOR = 1
    integer(c_int32_t), parameter :: ISOMAT_VERSION_PATCH = 0
    integer(c_int32_t), parameter :: ISOMAT_OK = 0
    integer(c_int32_t), parameter :: ISOMAT_ERROR_INVALID_ARGUMENT = -1
    integer(c_int32_t), parameter :: ISOMAT_ERROR_INVALID_HANDLE = -2
    integer(c_int32_t), parameter :: ISOMAT_ERROR_STALE_HANDLE = -3
    integer(c_int32_t), parameter :: ISOMAT_ERROR_WRONG_KIND = -4
    integer(c_int32_t), parameter :: ISOMAT_ERROR_OUT_OF_HOST_MEMORY = -5
    integer(c_int32_t), parameter :: ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY = -6
    integer(c_int32_t), parameter :: ISOMAT_ERROR_SHAPE_MISMATCH = -7
    integer(c_int32_t), parameter :: ISOMAT_ERROR_ALIAS = -8
    integer(c_int32_t), parameter :: ISOMAT_ERROR_CONTEXT_MISMATCH = -9
    integer(c_int32_t), parameter :: ISOMAT_ERROR_UNSUPPORTED = -10
    integer(c_int32_t), parameter :: ISOMAT_ERROR_TYPE_MISMATCH = -11
    integer(c_int32_t), parameter :: ISOMAT_ERROR_NO_DRIVER = -20
    integer(c_int32_t), parameter :: ISOMAT_ERROR_STUB_DRIVER = -21
    integer(c_int32_t), parameter :: ISOMAT_ERROR_DRIVER_TOO_OLD = -22
    integer(c_int32_t), parameter :: ISOMAT_ERROR_NO_DEVICE = -23
    integer(c_int32_t), parameter :: ISOMAT_ERROR_DRIVER = -24
    integer(c_int32_t), parameter :: ISOMAT_ERROR_FORKED = -25
    integer(c_int32_t), parameter :: ISOMAT_ERROR_CONTEXT_LOST = -26
    integer(c_int32_t), parameter :: ISOMAT_ERROR_FILE = -30
    integer(c_int32_t), parameter :: ISOMAT_ERROR_INVALID_IMAGE = -31
    integer(c_int32_t), parameter :: ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE = -32
    integer(c_int32_t), parameter :: ISOMAT_ERROR_JIT_FAILED = -33
    integer(c_int32_t), parameter :: ISOMAT_ERROR_NOT_FOUND = -34
    integer(c_int32_t), parameter :: ISOMAT_ERROR_ARGUMENT_COUNT = -35
    integer(c_int32_t), parameter :: ISOMAT_ERROR_ARGUMENT_SIZE = -36
    integer(c_int32_t), parameter :: ISOMAT_ERROR_INVALID_LAUNCH = -37
    integer(c_int32_t), parameter :: ISOMAT_ERROR_LAUNCH_FAILED = -38
    integer(c_int32_t), parameter :: ISOMAT_ERROR_NOT_READY = -39
    integer(c_int32_t), parameter :: ISOMAT_ERROR_CAPTURE = -40
    integer(c_int64_t), parameter :: ISOMAT_NONE = 0
    integer(c_int32_t), parameter :: ISOMAT_DRIVER_KIND_NVIDIA = 0
    integer(c_int32_t), parameter :: ISOMAT_DRIVER_KIND_HOST = 1
    integer(c_int32_t), parameter :: ISOMAT_CONTEXT_PRIMARY = 0
    integer(c_int32_t), parameter :: ISOMAT_CONTEXT_OWN = 1
    integer(c_int32_t), parameter :: ISOMAT_ADOPT_BORROW = 0
    integer(c_int32_t), parameter :: ISOMAT_ADOPT_OWN = 1
    integer(c_int32_t), parameter :: ISOMAT_COPY_TO_DEVICE = 0
    integer(c_int32_t), parameter :: ISOMAT_COPY_TO_HOST = 1
    integer(c_int32_t), parameter :: ISOMAT_COPY_DEVICE = 2
    integer(c_int32_t), parameter :: ISOMAT_IMAGE_FATBIN = 1
    integer(c_int32_t), parameter :: ISOMAT_IMAGE_CUBIN = 2
    integer(c_int32_t), parameter :: ISOMAT_IMAGE_PTX = 3
    integer(c_int32_t), parameter :: ISOMAT_TYPE_F32 = 1
    integer(c_int32_t), parameter :: ISOMAT_TYPE_F16 = 2
    integer(c_int32_t), parameter :: ISOMAT_TYPE_BF16 = 3
    integer(c_int32_t), parameter :: ISOMAT_TYPE_F64 = 4
    integer(c_int32_t), parameter :: ISOMAT_OP_N = 0
    integer(c_int32_t), parameter :: ISOMAT_OP_T = 1
    integer(c_int32_t), parameter :: ISOMAT_COMPUTE_F32 = 0
    integer(c_int32_t), parameter :: ISOMAT_COMPUTE_F32_STRICT = 1
    integer(c_int32_t), parameter :: ISOMAT_COMPUTE_TF32 = 2
    integer(c_int32_t), parameter :: ISOMAT_COMPUTE_F16 = 3
    integer(c_int32_t), parameter :: ISOMAT_COMPUTE_BF16 = 4
    integer(c_int32_t), parameter :: ISOMAT_COMPUTE_F64 = 5
    integer(c_int32_t), parameter :: ISOMAT_ACTIVATION_NONE = 0
    integer(c_int32_t), parameter :: ISOMAT_ACTIVATION_RELU = 1
    integer(c_int32_t), parameter :: ISOMAT_ACTIVATION_GELU = 2
    integer(c_int32_t), parameter :: ISOMAT_ACTIVATION_GELU_TANH = 3
    integer(c_int32_t), parameter :: ISOMAT_ACTIVATION_SILU = 4
    integer(c_int32_t), parameter :: ISOMAT_OPERAND_A = 0
    integer(c_int32_t), parameter :: ISOMAT_OPERAND_B = 1
    integer(c_int32_t), parameter :: ISOMAT_TUNING_NONE = 0
    integer(c_int32_t), parameter :: ISOMAT_TUNING_USED = 1
    integer(c_int32_t), parameter :: ISOMAT_TUNING_IGNORED = 2

    type, bind(c) :: isomat_driver_info
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: kind
        integer(c_int32_t) :: version
        integer(c_int32_t) :: device_count
        character(kind=c_char) :: path(512)
    end type isomat_driver_info

    type, bind(c) :: isomat_device_info
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: capability_major
        integer(c_int32_t) :: capability_minor
        integer(c_int32_t) :: multiprocessors
        integer(c_int32_t) :: clock_khz
        integer(c_int32_t) :: memory_clock_khz
        integer(c_int32_t) :: memory_bus_bits
        integer(c_int32_t) :: max_threads_per_block
        integer(c_int32_t) :: max_threads_per_multiprocessor
        integer(c_int32_t) :: registers_per_multiprocessor
        integer(c_int64_t) :: memory_bytes
        integer(c_int64_t) :: l2_bytes
        integer(c_int64_t) :: shared_per_block_bytes
        integer(c_int64_t) :: shared_per_block_optin_bytes
        integer(c_int64_t) :: shared_per_multiprocessor_bytes
        integer(c_int32_t) :: memory_pools
        integer(c_int32_t) :: cluster_launch
        integer(c_int32_t) :: cooperative_launch
        integer(c_int32_t) :: ecc
        integer(c_int8_t) :: uuid(16)
        character(kind=c_char) :: name(256)
    end type isomat_device_info

    type, bind(c) :: isomat_context_info
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: device
        integer(c_int64_t) :: cu_context
        integer(c_int64_t) :: cu_stream
        integer(c_int64_t) :: memory_free_bytes
        integer(c_int64_t) :: memory_total_bytes
        integer(c_int64_t) :: pool_reserved_bytes
        integer(c_int64_t) :: pool_used_bytes
    end type isomat_context_info

    type, bind(c) :: isomat_module_info
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: container
        integer(c_int32_t) :: image
        integer(c_int32_t) :: image_arch
        integer(c_int32_t) :: image_count
        integer(c_int32_t) :: jit
        integer(c_int32_t) :: debug
        real(c_double) :: load_ms
    end type isomat_module_info

    type, bind(c) :: isomat_kernel_info
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: registers
        integer(c_int32_t) :: max_threads_per_block
        integer(c_int32_t) :: parameter_count
        integer(c_int32_t) :: binary_version
        integer(c_int32_t) :: ptx_version
        integer(c_int64_t) :: shared_bytes
        integer(c_int64_t) :: local_bytes
        integer(c_int64_t) :: const_bytes
        integer(c_int64_t) :: parameter_bytes
        integer(c_int32_t) :: jit
        integer(c_int32_t) :: debug
        integer(c_int32_t) :: spills
    end type isomat_kernel_info

    type, bind(c) :: isomat_launch
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: grid_x
        integer(c_int32_t) :: grid_y
        integer(c_int32_t) :: grid_z
        integer(c_int32_t) :: block_x
        integer(c_int32_t) :: block_y
        integer(c_int32_t) :: block_z
        integer(c_int32_t) :: cluster_x
        integer(c_int32_t) :: cluster_y
        integer(c_int32_t) :: cluster_z
        integer(c_int32_t) :: shared_bytes
        integer(c_int32_t) :: cooperative
        integer(c_int64_t) :: stream
    end type isomat_launch

    type, bind(c) :: isomat_graph_info
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: nodes
        integer(c_int64_t) :: memory_bytes
    end type isomat_graph_info

    type, bind(c) :: isomat_matrix_info
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: type
        integer(c_int64_t) :: rows
        integer(c_int64_t) :: cols
        integer(c_int64_t) :: ld
    end type isomat_matrix_info

    type, bind(c) :: isomat_epilogue
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: activation
        integer(c_int64_t) :: bias
        integer(c_int64_t) :: residual
        real(c_double) :: scale
    end type isomat_epilogue

    type, bind(c) :: isomat_tuning_info
        integer(c_int32_t) :: struct_size
        integer(c_int32_t) :: state
        integer(c_int64_t) :: entries
        character(kind=c_char) :: path(1024)
        character(kind=c_char) :: reason(512)
    end type isomat_tuning_info

    interface
        function isomat_version() bind(c)
            import
            integer(c_int32_t) :: isomat_version
        end function isomat_version
        function isomat_version_string() bind(c)
            import
            type(c_ptr) :: isomat_version_string
        end function isomat_version_string
        function isomat_constant_get(value, name) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: value
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t) :: isomat_constant_get
        end function isomat_constant_get
        function isomat_status_name(status) bind(c)
            import
            integer(c_int32_t), value :: status
            type(c_ptr) :: isomat_status_name
        end function isomat_status_name
        function isomat_error_message() bind(c)
            import
            type(c_ptr) :: isomat_error_message
        end function isomat_error_message
        function isomat_error_copy(buffer, capacity) bind(c)
            import
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_int64_t), value :: capacity
            integer(c_int64_t) :: isomat_error_copy
        end function isomat_error_copy
        function isomat_error_cuda_result() bind(c)
            import
            integer(c_int32_t) :: isomat_error_cuda_result
        end function isomat_error_cuda_result
        function isomat_error_log_copy(buffer, capacity) bind(c)
            import
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_int64_t), value :: capacity
            integer(c_int64_t) :: isomat_error_log_copy
        end function isomat_error_log_copy
        function isomat_error_set(status, message) bind(c)
            import
            integer(c_int32_t), value :: status
            character(kind=c_char), intent(in) :: message(*)
            integer(c_int32_t) :: isomat_error_set
        end function isomat_error_set
        function isomat_live_objects() bind(c)
            import
            integer(c_int64_t) :: isomat_live_objects
        end function isomat_live_objects
        function isomat_driver_open() bind(c)
            import
            integer(c_int32_t) :: isomat_driver_open
        end function isomat_driver_open
        function isomat_driver_get_info(info) bind(c)
            import
            type(isomat_driver_info), intent(inout) :: info
            integer(c_int32_t) :: isomat_driver_get_info
        end function isomat_driver_get_info
        function isomat_device_count(count) bind(c)
            import
            integer(c_int32_t), intent(inout), optional :: count
            integer(c_int32_t) :: isomat_device_count
        end function isomat_device_count
        function isomat_device_get_info(info, device) bind(c)
            import
            type(isomat_device_info), intent(inout) :: info
            integer(c_int32_t), value :: device
            integer(c_int32_t) :: isomat_device_get_info
        end function isomat_device_get_info
        function isomat_context_create(context, device, kind) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: context
            integer(c_int32_t), value :: device
            integer(c_int32_t), value :: kind
            integer(c_int32_t) :: isomat_context_create
        end function isomat_context_create
        function isomat_context_adopt(context, cu_context, ownership) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: context
            integer(c_int64_t), value :: cu_context
            integer(c_int32_t), value :: ownership
            integer(c_int32_t) :: isomat_context_adopt
        end function isomat_context_adopt
        function isomat_context_destroy(context) bind(c)
            import
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_context_destroy
        end function isomat_context_destroy
        function isomat_context_synchronize(context) bind(c)
            import
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_context_synchronize
        end function isomat_context_synchronize
        function isomat_context_get_info(info, context) bind(c)
            import
            type(isomat_context_info), intent(inout) :: info
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_context_get_info
        end function isomat_context_get_info
        function isomat_context_trim(context, keep_bytes) bind(c)
            import
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: keep_bytes
            integer(c_int32_t) :: isomat_context_trim
        end function isomat_context_trim
        function isomat_stream_create(stream, context, priority) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: stream
            integer(c_int64_t), value :: context
            integer(c_int32_t), value :: priority
            integer(c_int32_t) :: isomat_stream_create
        end function isomat_stream_create
        function isomat_stream_adopt(stream, context, cu_stream, ownership) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: stream
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: cu_stream
            integer(c_int32_t), value :: ownership
            integer(c_int32_t) :: isomat_stream_adopt
        end function isomat_stream_adopt
        function isomat_stream_destroy(stream) bind(c)
            import
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_stream_destroy
        end function isomat_stream_destroy
        function isomat_stream_synchronize(stream) bind(c)
            import
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_stream_synchronize
        end function isomat_stream_synchronize
        function isomat_stream_query(stream) bind(c)
            import
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_stream_query
        end function isomat_stream_query
        function isomat_stream_wait(stream, event) bind(c)
            import
            integer(c_int64_t), value :: stream
            integer(c_int64_t), value :: event
            integer(c_int32_t) :: isomat_stream_wait
        end function isomat_stream_wait
        function isomat_stream_get_native(cu_stream, stream) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: cu_stream
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_stream_get_native
        end function isomat_stream_get_native
        function isomat_event_create(event, context, timing) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: event
            integer(c_int64_t), value :: context
            integer(c_int32_t), value :: timing
            integer(c_int32_t) :: isomat_event_create
        end function isomat_event_create
        function isomat_event_adopt(event, context, cu_event, ownership) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: event
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: cu_event
            integer(c_int32_t), value :: ownership
            integer(c_int32_t) :: isomat_event_adopt
        end function isomat_event_adopt
        function isomat_event_destroy(event) bind(c)
            import
            integer(c_int64_t), value :: event
            integer(c_int32_t) :: isomat_event_destroy
        end function isomat_event_destroy
        function isomat_event_record(event, stream) bind(c)
            import
            integer(c_int64_t), value :: event
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_event_record
        end function isomat_event_record
        function isomat_event_synchronize(event) bind(c)
            import
            integer(c_int64_t), value :: event
            integer(c_int32_t) :: isomat_event_synchronize
        end function isomat_event_synchronize
        function isomat_event_query(event) bind(c)
            import
            integer(c_int64_t), value :: event
            integer(c_int32_t) :: isomat_event_query
        end function isomat_event_query
        function isomat_event_elapsed(milliseconds, start, end) bind(c)
            import
            real(c_double), intent(inout), optional :: milliseconds
            integer(c_int64_t), value :: start
            integer(c_int64_t), value :: end
            integer(c_int32_t) :: isomat_event_elapsed
        end function isomat_event_elapsed
        function isomat_memory_allocate(pointer, bytes, context, stream) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: pointer
            integer(c_int64_t), value :: bytes
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_memory_allocate
        end function isomat_memory_allocate
        function isomat_memory_free(pointer, context, stream) bind(c)
            import
            integer(c_int64_t), value :: pointer
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_memory_free
        end function isomat_memory_free
        function isomat_memory_allocate_host(pointer, bytes, context) bind(c)
            import
            type(c_ptr), intent(inout) :: pointer
            integer(c_int64_t), value :: bytes
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_memory_allocate_host
        end function isomat_memory_allocate_host
        function isomat_memory_free_host(pointer, context) bind(c)
            import
            type(c_ptr), value :: pointer
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_memory_free_host
        end function isomat_memory_free_host
        function isomat_memory_copy_to_device(destination, source, bytes, context, stream) bind(c)
            import
            integer(c_int64_t), value :: destination
            type(c_ptr), value :: source
            integer(c_int64_t), value :: bytes
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_memory_copy_to_device
        end function isomat_memory_copy_to_device
        function isomat_memory_copy_to_host(destination, source, bytes, context, stream) bind(c)
            import
            type(c_ptr), value :: destination
            integer(c_int64_t), value :: source
            integer(c_int64_t), value :: bytes
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_memory_copy_to_host
        end function isomat_memory_copy_to_host
        function isomat_memory_copy_device(destination, source, bytes, context, stream) bind(c)
            import
            integer(c_int64_t), value :: destination
            integer(c_int64_t), value :: source
            integer(c_int64_t), value :: bytes
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_memory_copy_device
        end function isomat_memory_copy_device
        function isomat_memory_copy_2d(destination, destination_pitch_bytes, source, source_pitch_bytes, &
            width_bytes, rows, direction, context, stream) bind(c)
            import
            integer(c_int64_t), value :: destination
            integer(c_int64_t), value :: destination_pitch_bytes
            integer(c_int64_t), value :: source
            integer(c_int64_t), value :: source_pitch_bytes
            integer(c_int64_t), value :: width_bytes
            integer(c_int64_t), value :: rows
            integer(c_int32_t), value :: direction
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_memory_copy_2d
        end function isomat_memory_copy_2d
        function isomat_memory_fill(destination, value, value_bytes, count, context, stream) bind(c)
            import
            integer(c_int64_t), value :: destination
            integer(c_int32_t), value :: value
            integer(c_int32_t), value :: value_bytes
            integer(c_int64_t), value :: count
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_memory_fill
        end function isomat_memory_fill
        function isomat_module_load_data(module, context, image, bytes) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: module
            integer(c_int64_t), value :: context
            type(c_ptr), value :: image
            integer(c_int64_t), value :: bytes
            integer(c_int32_t) :: isomat_module_load_data
        end function isomat_module_load_data
        function isomat_module_load_file(module, context, path) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: module
            integer(c_int64_t), value :: context
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int32_t) :: isomat_module_load_file
        end function isomat_module_load_file
        function isomat_module_load_embedded(module, context, name) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: module
            integer(c_int64_t), value :: context
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t) :: isomat_module_load_embedded
        end function isomat_module_load_embedded
        function isomat_module_destroy(module) bind(c)
            import
            integer(c_int64_t), value :: module
            integer(c_int32_t) :: isomat_module_destroy
        end function isomat_module_destroy
        function isomat_module_get_info(info, module) bind(c)
            import
            type(isomat_module_info), intent(inout) :: info
            integer(c_int64_t), value :: module
            integer(c_int32_t) :: isomat_module_get_info
        end function isomat_module_get_info
        function isomat_module_get_report(buffer, capacity, length, module) bind(c)
            import
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: length
            integer(c_int64_t), value :: module
            integer(c_int32_t) :: isomat_module_get_report
        end function isomat_module_get_report
        function isomat_module_get_log(buffer, capacity, length, module) bind(c)
            import
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: length
            integer(c_int64_t), value :: module
            integer(c_int32_t) :: isomat_module_get_log
        end function isomat_module_get_log
        function isomat_module_get_global(pointer, bytes, module, name) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: pointer
            integer(c_int64_t), intent(inout), optional :: bytes
            integer(c_int64_t), value :: module
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t) :: isomat_module_get_global
        end function isomat_module_get_global
        function isomat_kernel_get(kernel, module, name) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: kernel
            integer(c_int64_t), value :: module
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t) :: isomat_kernel_get
        end function isomat_kernel_get
        function isomat_kernel_destroy(kernel) bind(c)
            import
            integer(c_int64_t), value :: kernel
            integer(c_int32_t) :: isomat_kernel_destroy
        end function isomat_kernel_destroy
        function isomat_kernel_get_info(info, kernel) bind(c)
            import
            type(isomat_kernel_info), intent(inout) :: info
            integer(c_int64_t), value :: kernel
            integer(c_int32_t) :: isomat_kernel_get_info
        end function isomat_kernel_get_info
        function isomat_kernel_get_parameter(offset_bytes, size_bytes, kernel, index) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: offset_bytes
            integer(c_int64_t), intent(inout), optional :: size_bytes
            integer(c_int64_t), value :: kernel
            integer(c_int32_t), value :: index
            integer(c_int32_t) :: isomat_kernel_get_parameter
        end function isomat_kernel_get_parameter
        function isomat_kernel_get_occupancy(blocks, kernel, block_threads, shared_bytes) bind(c)
            import
            integer(c_int32_t), intent(inout), optional :: blocks
            integer(c_int64_t), value :: kernel
            integer(c_int32_t), value :: block_threads
            integer(c_int64_t), value :: shared_bytes
            integer(c_int32_t) :: isomat_kernel_get_occupancy
        end function isomat_kernel_get_occupancy
        function isomat_kernel_launch(kernel, launch, arguments, argument_count, sizes) bind(c)
            import
            integer(c_int64_t), value :: kernel
            type(isomat_launch), intent(in) :: launch
            type(c_ptr), intent(in) :: arguments(*)
            integer(c_int32_t), value :: argument_count
            integer(c_int64_t), intent(in), optional :: sizes(*)
            integer(c_int32_t) :: isomat_kernel_launch
        end function isomat_kernel_launch
        function isomat_kernel_launch_packed(kernel, launch, buffer, bytes) bind(c)
            import
            integer(c_int64_t), value :: kernel
            type(isomat_launch), intent(in) :: launch
            type(c_ptr), value :: buffer
            integer(c_int64_t), value :: bytes
            integer(c_int32_t) :: isomat_kernel_launch_packed
        end function isomat_kernel_launch_packed
        function isomat_graph_begin(context, stream) bind(c)
            import
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_graph_begin
        end function isomat_graph_begin
        function isomat_graph_end(graph, context, stream) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: graph
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_graph_end
        end function isomat_graph_end
        function isomat_graph_launch(graph, stream) bind(c)
            import
            integer(c_int64_t), value :: graph
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_graph_launch
        end function isomat_graph_launch
        function isomat_graph_destroy(graph) bind(c)
            import
            integer(c_int64_t), value :: graph
            integer(c_int32_t) :: isomat_graph_destroy
        end function isomat_graph_destroy
        function isomat_graph_get_info(info, graph) bind(c)
            import
            type(isomat_graph_info), intent(inout) :: info
            integer(c_int64_t), value :: graph
            integer(c_int32_t) :: isomat_graph_get_info
        end function isomat_graph_get_info
        function isomat_profiler_start(context) bind(c)
            import
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_profiler_start
        end function isomat_profiler_start
        function isomat_profiler_stop(context) bind(c)
            import
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_profiler_stop
        end function isomat_profiler_stop
        function isomat_matrix_create(matrix, context, rows, cols, type, stream) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: matrix
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: rows
            integer(c_int64_t), value :: cols
            integer(c_int32_t), value :: type
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_matrix_create
        end function isomat_matrix_create
        function isomat_matrix_from_host(matrix, context, data, rows, cols, ld, type, stream) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: matrix
            integer(c_int64_t), value :: context
            type(c_ptr), value :: data
            integer(c_int64_t), value :: rows
            integer(c_int64_t), value :: cols
            integer(c_int64_t), value :: ld
            integer(c_int32_t), value :: type
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_matrix_from_host
        end function isomat_matrix_from_host
        function isomat_matrix_adopt(matrix, context, pointer, rows, cols, ld, type, ownership) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: matrix
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: pointer
            integer(c_int64_t), value :: rows
            integer(c_int64_t), value :: cols
            integer(c_int64_t), value :: ld
            integer(c_int32_t), value :: type
            integer(c_int32_t), value :: ownership
            integer(c_int32_t) :: isomat_matrix_adopt
        end function isomat_matrix_adopt
        function isomat_matrix_view(view, matrix, row, col, rows, cols) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: view
            integer(c_int64_t), value :: matrix
            integer(c_int64_t), value :: row
            integer(c_int64_t), value :: col
            integer(c_int64_t), value :: rows
            integer(c_int64_t), value :: cols
            integer(c_int32_t) :: isomat_matrix_view
        end function isomat_matrix_view
        function isomat_matrix_destroy(matrix) bind(c)
            import
            integer(c_int64_t), value :: matrix
            integer(c_int32_t) :: isomat_matrix_destroy
        end function isomat_matrix_destroy
        function isomat_matrix_get_info(info, matrix) bind(c)
            import
            type(isomat_matrix_info), intent(inout) :: info
            integer(c_int64_t), value :: matrix
            integer(c_int32_t) :: isomat_matrix_get_info
        end function isomat_matrix_get_info
        function isomat_matrix_get_pointer(pointer, matrix) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: pointer
            integer(c_int64_t), value :: matrix
            integer(c_int32_t) :: isomat_matrix_get_pointer
        end function isomat_matrix_get_pointer
        function isomat_matrix_upload(matrix, data, ld, stream) bind(c)
            import
            integer(c_int64_t), value :: matrix
            type(c_ptr), value :: data
            integer(c_int64_t), value :: ld
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_matrix_upload
        end function isomat_matrix_upload
        function isomat_matrix_to_host(data, ld, matrix, stream) bind(c)
            import
            type(c_ptr), value :: data
            integer(c_int64_t), value :: ld
            integer(c_int64_t), value :: matrix
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_matrix_to_host
        end function isomat_matrix_to_host
        function isomat_matrix_copy(destination, source, stream) bind(c)
            import
            integer(c_int64_t), value :: destination
            integer(c_int64_t), value :: source
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_matrix_copy
        end function isomat_matrix_copy
        function isomat_matrix_fill(matrix, value, stream) bind(c)
            import
            integer(c_int64_t), value :: matrix
            real(c_double), value :: value
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_matrix_fill
        end function isomat_matrix_fill
        function isomat_gemm(c, alpha, a, op_a, b, op_b, beta, compute, stream) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: c
            real(c_double), value :: alpha
            integer(c_int64_t), value :: a
            integer(c_int32_t), value :: op_a
            integer(c_int64_t), value :: b
            integer(c_int32_t), value :: op_b
            real(c_double), value :: beta
            integer(c_int32_t), value :: compute
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_gemm
        end function isomat_gemm
        function isomat_gemm_epilogue(c, alpha, a, op_a, b, op_b, beta, epilogue, compute, stream) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: c
            real(c_double), value :: alpha
            integer(c_int64_t), value :: a
            integer(c_int32_t), value :: op_a
            integer(c_int64_t), value :: b
            integer(c_int32_t), value :: op_b
            real(c_double), value :: beta
            type(isomat_epilogue), intent(in) :: epilogue
            integer(c_int32_t), value :: compute
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_gemm_epilogue
        end function isomat_gemm_epilogue
        function isomat_gemm_batched(c, alpha, a, op_a, b, op_b, beta, count, compute, stream) bind(c)
            import
            integer(c_int64_t), intent(in), optional :: c(*)
            real(c_double), value :: alpha
            integer(c_int64_t), intent(in), optional :: a(*)
            integer(c_int32_t), value :: op_a
            integer(c_int64_t), intent(in), optional :: b(*)
            integer(c_int32_t), value :: op_b
            real(c_double), value :: beta
            integer(c_int64_t), value :: count
            integer(c_int32_t), value :: compute
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_gemm_batched
        end function isomat_gemm_batched
        function isomat_gemm_strided_batched(c, stride_c, alpha, a, op_a, stride_a, b, op_b, stride_b, &
            beta, count, compute, stream) bind(c)
            import
            integer(c_int64_t), value :: c
            integer(c_int64_t), value :: stride_c
            real(c_double), value :: alpha
            integer(c_int64_t), value :: a
            integer(c_int32_t), value :: op_a
            integer(c_int64_t), value :: stride_a
            integer(c_int64_t), value :: b
            integer(c_int32_t), value :: op_b
            integer(c_int64_t), value :: stride_b
            real(c_double), value :: beta
            integer(c_int64_t), value :: count
            integer(c_int32_t), value :: compute
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_gemm_strided_batched
        end function isomat_gemm_strided_batched
        function isomat_matrix_prepare(matrix, operand, op, compute, stream) bind(c)
            import
            integer(c_int64_t), value :: matrix
            integer(c_int32_t), value :: operand
            integer(c_int32_t), value :: op
            integer(c_int32_t), value :: compute
            integer(c_int64_t), value :: stream
            integer(c_int32_t) :: isomat_matrix_prepare
        end function isomat_matrix_prepare
        function isomat_matrix_modified(matrix) bind(c)
            import
            integer(c_int64_t), value :: matrix
            integer(c_int32_t) :: isomat_matrix_modified
        end function isomat_matrix_modified
        function isomat_context_set_keep_limit(context, bytes) bind(c)
            import
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: bytes
            integer(c_int32_t) :: isomat_context_set_keep_limit
        end function isomat_context_set_keep_limit
        function isomat_context_get_kept(bytes, limit_bytes, context) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: bytes
            integer(c_int64_t), intent(inout), optional :: limit_bytes
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_context_get_kept
        end function isomat_context_get_kept
        function isomat_gemm_get_kernel(buffer, capacity, length, context, m, n, k, op_a, op_b, compute) &
            bind(c)
            import
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: length
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: m
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: k
            integer(c_int32_t), value :: op_a
            integer(c_int32_t), value :: op_b
            integer(c_int32_t), value :: compute
            integer(c_int32_t) :: isomat_gemm_get_kernel
        end function isomat_gemm_get_kernel
        function isomat_context_get_tuning(info, context) bind(c)
            import
            type(isomat_tuning_info), intent(inout) :: info
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_context_get_tuning
        end function isomat_context_get_tuning
        function isomat_context_get_tuning_text(buffer, capacity, length, context) bind(c)
            import
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: length
            integer(c_int64_t), value :: context
            integer(c_int32_t) :: isomat_context_get_tuning_text
        end function isomat_context_get_tuning_text
        function isomat_gemm_get_candidate(buffer, capacity, length, parts, context, index, m, n, k, op_a, &
            op_b, compute) bind(c)
            import
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: length
            integer(c_int32_t), intent(inout), optional :: parts
            integer(c_int64_t), value :: context
            integer(c_int32_t), value :: index
            integer(c_int64_t), value :: m
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: k
            integer(c_int32_t), value :: op_a
            integer(c_int32_t), value :: op_b
            integer(c_int32_t), value :: compute
            integer(c_int32_t) :: isomat_gemm_get_candidate
        end function isomat_gemm_get_candidate
        function isomat_gemm_set_kernel(context, m, n, k, op_a, op_b, compute, name, parts) bind(c)
            import
            integer(c_int64_t), value :: context
            integer(c_int64_t), value :: m
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: k
            integer(c_int32_t), value :: op_a
            integer(c_int32_t), value :: op_b
            integer(c_int32_t), value :: compute
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), value :: parts
            integer(c_int32_t) :: isomat_gemm_set_kernel
        end function isomat_gemm_set_kernel
    end interface
end module isomat_api
