# SPDX-License-Identifier: MIT
# Written by build-aux/bindings.py from isomat.h; not to be edited.
"""isomat.h for ctypes, names as there. The header is the manual."""
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int32, c_int64
from ctypes import c_uint8, c_uint32, c_uint64, c_void_p

ISOMAT_VERSION_MAJOR = 0
ISOMAT_VERSION_MINOR = 1
ISOMAT_VERSION_PATCH = 0
ISOMAT_OK = 0
ISOMAT_ERROR_INVALID_ARGUMENT = -1
ISOMAT_ERROR_INVALID_HANDLE = -2
ISOMAT_ERROR_STALE_HANDLE = -3
ISOMAT_ERROR_WRONG_KIND = -4
ISOMAT_ERROR_OUT_OF_HOST_MEMORY = -5
ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY = -6
ISOMAT_ERROR_SHAPE_MISMATCH = -7
ISOMAT_ERROR_ALIAS = -8
ISOMAT_ERROR_CONTEXT_MISMATCH = -9
ISOMAT_ERROR_UNSUPPORTED = -10
ISOMAT_ERROR_TYPE_MISMATCH = -11
ISOMAT_ERROR_NO_DRIVER = -20
ISOMAT_ERROR_STUB_DRIVER = -21
ISOMAT_ERROR_DRIVER_TOO_OLD = -22
ISOMAT_ERROR_NO_DEVICE = -23
ISOMAT_ERROR_DRIVER = -24
ISOMAT_ERROR_FORKED = -25
ISOMAT_ERROR_CONTEXT_LOST = -26
ISOMAT_ERROR_FILE = -30
ISOMAT_ERROR_INVALID_IMAGE = -31
ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE = -32
ISOMAT_ERROR_JIT_FAILED = -33
ISOMAT_ERROR_NOT_FOUND = -34
ISOMAT_ERROR_ARGUMENT_COUNT = -35
ISOMAT_ERROR_ARGUMENT_SIZE = -36
ISOMAT_ERROR_INVALID_LAUNCH = -37
ISOMAT_ERROR_LAUNCH_FAILED = -38
ISOMAT_ERROR_NOT_READY = -39
ISOMAT_ERROR_CAPTURE = -40
ISOMAT_NONE = 0
ISOMAT_DRIVER_KIND_NVIDIA = 0
ISOMAT_DRIVER_KIND_HOST = 1
ISOMAT_CONTEXT_PRIMARY = 0
ISOMAT_CONTEXT_OWN = 1
ISOMAT_ADOPT_BORROW = 0
ISOMAT_ADOPT_OWN = 1
ISOMAT_COPY_TO_DEVICE = 0
ISOMAT_COPY_TO_HOST = 1
ISOMAT_COPY_DEVICE = 2
ISOMAT_IMAGE_FATBIN = 1
ISOMAT_IMAGE_CUBIN = 2
ISOMAT_IMAGE_PTX = 3
ISOMAT_TYPE_F32 = 1
ISOMAT_TYPE_F16 = 2
ISOMAT_TYPE_BF16 = 3
ISOMAT_TYPE_F64 = 4
ISOMAT_OP_N = 0
ISOMAT_OP_T = 1
ISOMAT_COMPUTE_F32 = 0
ISOMAT_COMPUTE_F32_STRICT = 1
ISOMAT_COMPUTE_TF32 = 2
ISOMAT_COMPUTE_F16 = 3
ISOMAT_COMPUTE_BF16 = 4
ISOMAT_COMPUTE_F64 = 5
ISOMAT_ACTIVATION_NONE = 0
ISOMAT_ACTIVATION_RELU = 1
ISOMAT_ACTIVATION_GELU = 2
ISOMAT_ACTIVATION_GELU_TANH = 3
ISOMAT_ACTIVATION_SILU = 4
ISOMAT_OPERAND_A = 0
ISOMAT_OPERAND_B = 1
ISOMAT_TUNING_NONE = 0
ISOMAT_TUNING_USED = 1
ISOMAT_TUNING_IGNORED = 2


class isomat_driver_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_int32),
        ("version", c_int32),
        ("device_count", c_int32),
        ("path", c_char * 512),
    ]


class isomat_device_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("capability_major", c_int32),
        ("capability_minor", c_int32),
        ("multiprocessors", c_int32),
        ("clock_khz", c_int32),
        ("memory_clock_khz", c_int32),
        ("memory_bus_bits", c_int32),
        ("max_threads_per_block", c_int32),
        ("max_threads_per_multiprocessor", c_int32),
        ("registers_per_multiprocessor", c_int32),
        ("memory_bytes", c_int64),
        ("l2_bytes", c_int64),
        ("shared_per_block_bytes", c_int64),
        ("shared_per_block_optin_bytes", c_int64),
        ("shared_per_multiprocessor_bytes", c_int64),
        ("memory_pools", c_int32),
        ("cluster_launch", c_int32),
        ("cooperative_launch", c_int32),
        ("ecc", c_int32),
        ("uuid", c_uint8 * 16),
        ("name", c_char * 256),
    ]


class isomat_context_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("device", c_int32),
        ("cu_context", c_uint64),
        ("cu_stream", c_uint64),
        ("memory_free_bytes", c_int64),
        ("memory_total_bytes", c_int64),
        ("pool_reserved_bytes", c_int64),
        ("pool_used_bytes", c_int64),
    ]


class isomat_module_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("container", c_int32),
        ("image", c_int32),
        ("image_arch", c_int32),
        ("image_count", c_int32),
        ("jit", c_int32),
        ("debug", c_int32),
        ("load_ms", c_double),
    ]


class isomat_kernel_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("registers", c_int32),
        ("max_threads_per_block", c_int32),
        ("parameter_count", c_int32),
        ("binary_version", c_int32),
        ("ptx_version", c_int32),
        ("shared_bytes", c_int64),
        ("local_bytes", c_int64),
        ("const_bytes", c_int64),
        ("parameter_bytes", c_int64),
        ("jit", c_int32),
        ("debug", c_int32),
        ("spills", c_int32),
    ]


class isomat_launch(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("grid_x", c_uint32),
        ("grid_y", c_uint32),
        ("grid_z", c_uint32),
        ("block_x", c_uint32),
        ("block_y", c_uint32),
        ("block_z", c_uint32),
        ("cluster_x", c_uint32),
        ("cluster_y", c_uint32),
        ("cluster_z", c_uint32),
        ("shared_bytes", c_uint32),
        ("cooperative", c_uint32),
        ("stream", c_uint64),
    ]


class isomat_graph_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("nodes", c_int32),
        ("memory_bytes", c_int64),
    ]


class isomat_matrix_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("type", c_int32),
        ("rows", c_int64),
        ("cols", c_int64),
        ("ld", c_int64),
    ]


class isomat_epilogue(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("activation", c_int32),
        ("bias", c_uint64),
        ("residual", c_uint64),
        ("scale", c_double),
    ]


class isomat_tuning_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("state", c_int32),
        ("entries", c_int64),
        ("path", c_char * 1024),
        ("reason", c_char * 512),
    ]


# name: (result, parameters)
PROTOTYPES = {
    "isomat_version": (c_int32, []),
    "isomat_version_string": (c_char_p, []),
    "isomat_constant_get": (c_int32, [POINTER(c_int64), c_char_p]),
    "isomat_status_name": (c_char_p, [c_int32]),
    "isomat_error_message": (c_char_p, []),
    "isomat_error_copy": (c_int64, [POINTER(c_char), c_int64]),
    "isomat_error_cuda_result": (c_int32, []),
    "isomat_error_log_copy": (c_int64, [POINTER(c_char), c_int64]),
    "isomat_error_set": (c_int32, [c_int32, c_char_p]),
    "isomat_live_objects": (c_int64, []),
    "isomat_driver_open": (c_int32, []),
    "isomat_driver_get_info": (c_int32, [POINTER(isomat_driver_info)]),
    "isomat_device_count": (c_int32, [POINTER(c_int32)]),
    "isomat_device_get_info": (c_int32, [POINTER(isomat_device_info), c_int32]),
    "isomat_context_create": (c_int32, [POINTER(c_uint64), c_int32, c_int32]),
    "isomat_context_adopt": (c_int32, [POINTER(c_uint64), c_uint64, c_int32]),
    "isomat_context_destroy": (c_int32, [c_uint64]),
    "isomat_context_synchronize": (c_int32, [c_uint64]),
    "isomat_context_get_info": (c_int32, [POINTER(isomat_context_info), c_uint64]),
    "isomat_context_trim": (c_int32, [c_uint64, c_int64]),
    "isomat_stream_create": (c_int32, [POINTER(c_uint64), c_uint64, c_int32]),
    "isomat_stream_adopt": (c_int32, [POINTER(c_uint64), c_uint64, c_uint64, c_int32]),
    "isomat_stream_destroy": (c_int32, [c_uint64]),
    "isomat_stream_synchronize": (c_int32, [c_uint64]),
    "isomat_stream_query": (c_int32, [c_uint64]),
    "isomat_stream_wait": (c_int32, [c_uint64, c_uint64]),
    "isomat_stream_get_native": (c_int32, [POINTER(c_uint64), c_uint64]),
    "isomat_event_create": (c_int32, [POINTER(c_uint64), c_uint64, c_int32]),
    "isomat_event_adopt": (c_int32, [POINTER(c_uint64), c_uint64, c_uint64, c_int32]),
    "isomat_event_destroy": (c_int32, [c_uint64]),
    "isomat_event_record": (c_int32, [c_uint64, c_uint64]),
    "isomat_event_synchronize": (c_int32, [c_uint64]),
    "isomat_event_query": (c_int32, [c_uint64]),
    "isomat_event_elapsed": (c_int32, [POINTER(c_double), c_uint64, c_uint64]),
    "isomat_memory_allocate": (c_int32, [POINTER(c_uint64), c_int64, c_uint64, c_uint64]),
    "isomat_memory_free": (c_int32, [c_uint64, c_uint64, c_uint64]),
    "isomat_memory_allocate_host": (c_int32, [POINTER(c_void_p), c_int64, c_uint64]),
    "isomat_memory_free_host": (c_int32, [c_void_p, c_uint64]),
    "isomat_memory_copy_to_device": (c_int32, [c_uint64, c_void_p, c_int64, c_uint64, c_uint64]),
    "isomat_memory_copy_to_host": (c_int32, [c_void_p, c_uint64, c_int64, c_uint64, c_uint64]),
    "isomat_memory_copy_device": (c_int32, [c_uint64, c_uint64, c_int64, c_uint64, c_uint64]),
    "isomat_memory_copy_2d": (c_int32, [c_uint64, c_int64, c_uint64, c_int64, c_int64, c_int64, c_int32,
        c_uint64, c_uint64]),
    "isomat_memory_fill": (c_int32, [c_uint64, c_uint32, c_int32, c_int64, c_uint64, c_uint64]),
    "isomat_module_load_data": (c_int32, [POINTER(c_uint64), c_uint64, c_void_p, c_int64]),
    "isomat_module_load_file": (c_int32, [POINTER(c_uint64), c_uint64, c_char_p]),
    "isomat_module_load_embedded": (c_int32, [POINTER(c_uint64), c_uint64, c_char_p]),
    "isomat_module_destroy": (c_int32, [c_uint64]),
    "isomat_module_get_info": (c_int32, [POINTER(isomat_module_info), c_uint64]),
    "isomat_module_get_report": (c_int32, [POINTER(c_char), c_int64, POINTER(c_int64), c_uint64]),
    "isomat_module_get_log": (c_int32, [POINTER(c_char), c_int64, POINTER(c_int64), c_uint64]),
    "isomat_module_get_global": (c_int32, [POINTER(c_uint64), POINTER(c_int64), c_uint64, c_char_p]),
    "isomat_kernel_get": (c_int32, [POINTER(c_uint64), c_uint64, c_char_p]),
    "isomat_kernel_destroy": (c_int32, [c_uint64]),
    "isomat_kernel_get_info": (c_int32, [POINTER(isomat_kernel_info), c_uint64]),
    "isomat_kernel_get_parameter": (c_int32, [POINTER(c_int64), POINTER(c_int64), c_uint64, c_int32]),
    "isomat_kernel_get_occupancy": (c_int32, [POINTER(c_int32), c_uint64, c_int32, c_int64]),
    "isomat_kernel_launch": (c_int32, [c_uint64, POINTER(isomat_launch), POINTER(c_void_p), c_int32,
        POINTER(c_int64)]),
    "isomat_kernel_launch_packed": (c_int32, [c_uint64, POINTER(isomat_launch), c_void_p, c_int64]),
    "isomat_graph_begin": (c_int32, [c_uint64, c_uint64]),
    "isomat_graph_end": (c_int32, [POINTER(c_uint64), c_uint64, c_uint64]),
    "isomat_graph_launch": (c_int32, [c_uint64, c_uint64]),
    "isomat_graph_destroy": (c_int32, [c_uint64]),
    "isomat_graph_get_info": (c_int32, [POINTER(isomat_graph_info), c_uint64]),
    "isomat_profiler_start": (c_int32, [c_uint64]),
    "isomat_profiler_stop": (c_int32, [c_uint64]),
    "isomat_matrix_create": (c_int32, [POINTER(c_uint64), c_uint64, c_int64, c_int64, c_int32, c_uint64]),
    "isomat_matrix_from_host": (c_int32, [POINTER(c_uint64), c_uint64, c_void_p, c_int64, c_int64, c_int64,
        c_int32, c_uint64]),
    "isomat_matrix_adopt": (c_int32, [POINTER(c_uint64), c_uint64, c_uint64, c_int64, c_int64, c_int64,
        c_int32, c_int32]),
    "isomat_matrix_view": (c_int32, [POINTER(c_uint64), c_uint64, c_int64, c_int64, c_int64, c_int64]),
    "isomat_matrix_destroy": (c_int32, [c_uint64]),
    "isomat_matrix_get_info": (c_int32, [POINTER(isomat_matrix_info), c_uint64]),
    "isomat_matrix_get_pointer": (c_int32, [POINTER(c_uint64), c_uint64]),
    "isomat_matrix_upload": (c_int32, [c_uint64, c_void_p, c_int64, c_uint64]),
    "isomat_matrix_to_host": (c_int32, [c_void_p, c_int64, c_uint64, c_uint64]),
    "isomat_matrix_copy": (c_int32, [c_uint64, c_uint64, c_uint64]),
    "isomat_matrix_fill": (c_int32, [c_uint64, c_double, c_uint64]),
    "isomat_gemm": (c_int32, [POINTER(c_uint64), c_double, c_uint64, c_int32, c_uint64, c_int32, c_double,
        c_int32, c_uint64]),
    "isomat_gemm_epilogue": (c_int32, [POINTER(c_uint64), c_double, c_uint64, c_int32, c_uint64, c_int32,
        c_double, POINTER(isomat_epilogue), c_int32, c_uint64]),
    "isomat_gemm_batched": (c_int32, [POINTER(c_uint64), c_double, POINTER(c_uint64), c_int32,
        POINTER(c_uint64), c_int32, c_double, c_int64, c_int32, c_uint64]),
    "isomat_gemm_strided_batched": (c_int32, [c_uint64, c_int64, c_double, c_uint64, c_int32, c_int64,
        c_uint64, c_int32, c_int64, c_double, c_int64, c_int32, c_uint64]),
    "isomat_matrix_prepare": (c_int32, [c_uint64, c_int32, c_int32, c_int32, c_uint64]),
    "isomat_matrix_modified": (c_int32, [c_uint64]),
    "isomat_context_set_keep_limit": (c_int32, [c_uint64, c_int64]),
    "isomat_context_get_kept": (c_int32, [POINTER(c_int64), POINTER(c_int64), c_uint64]),
    "isomat_gemm_get_kernel": (c_int32, [POINTER(c_char), c_int64, POINTER(c_int64), c_uint64, c_int64,
        c_int64, c_int64, c_int32, c_int32, c_int32]),
    "isomat_context_get_tuning": (c_int32, [POINTER(isomat_tuning_info), c_uint64]),
    "isomat_context_get_tuning_text": (c_int32, [POINTER(c_char), c_int64, POINTER(c_int64), c_uint64]),
    "isomat_gemm_get_candidate": (c_int32, [POINTER(c_char), c_int64, POINTER(c_int64), POINTER(c_int32),
        c_uint64, c_int32, c_int64, c_int64, c_int64, c_int32, c_int32, c_int32]),
    "isomat_gemm_set_kernel": (c_int32, [c_uint64, c_int64, c_int64, c_int64, c_int32, c_int32, c_int32,
        c_char_p, c_int32]),
}
