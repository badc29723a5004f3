// SPDX-License-Identifier: MIT
// Written by build-aux/bindings.py from isomat.h; not to be edited.
//! isomat.h, names as there. The header is the manual. A handle is a u64.
#![allow(non_camel_case_types, dead_code)]

use std::ffi::c_void;
use std::os::raw::c_char;

pub const ISOMAT_VERSION_MAJOR: i32 = 0;
pub const ISOMAT_VERSION_MINOR: i32 = 1;
pub const ISOMAT_VERSION_PATCH: i32 = 0;
pub const ISOMAT_OK: i32 = 0;
pub const ISOMAT_ERROR_INVALID_ARGUMENT: i32 = -1;
pub const ISOMAT_ERROR_INVALID_HANDLE: i32 = -2;
pub const ISOMAT_ERROR_STALE_HANDLE: i32 = -3;
pub const ISOMAT_ERROR_WRONG_KIND: i32 = -4;
pub const ISOMAT_ERROR_OUT_OF_HOST_MEMORY: i32 = -5;
pub const ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY: i32 = -6;
pub const ISOMAT_ERROR_SHAPE_MISMATCH: i32 = -7;
pub const ISOMAT_ERROR_ALIAS: i32 = -8;
pub const ISOMAT_ERROR_CONTEXT_MISMATCH: i32 = -9;
pub const ISOMAT_ERROR_UNSUPPORTED: i32 = -10;
pub const ISOMAT_ERROR_TYPE_MISMATCH: i32 = -11;
pub const ISOMAT_ERROR_NO_DRIVER: i32 = -20;
pub const ISOMAT_ERROR_STUB_DRIVER: i32 = -21;
pub const ISOMAT_ERROR_DRIVER_TOO_OLD: i32 = -22;
pub const ISOMAT_ERROR_NO_DEVICE: i32 = -23;
pub const ISOMAT_ERROR_DRIVER: i32 = -24;
pub const ISOMAT_ERROR_FORKED: i32 = -25;
pub const ISOMAT_ERROR_CONTEXT_LOST: i32 = -26;
pub const ISOMAT_ERROR_FILE: i32 = -30;
pub const ISOMAT_ERROR_INVALID_IMAGE: i32 = -31;
pub const ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE: i32 = -32;
pub const ISOMAT_ERROR_JIT_FAILED: i32 = -33;
pub const ISOMAT_ERROR_NOT_FOUND: i32 = -34;
pub const ISOMAT_ERROR_ARGUMENT_COUNT: i32 = -35;
pub const ISOMAT_ERROR_ARGUMENT_SIZE: i32 = -36;
pub const ISOMAT_ERROR_INVALID_LAUNCH: i32 = -37;
pub const ISOMAT_ERROR_LAUNCH_FAILED: i32 = -38;
pub const ISOMAT_ERROR_NOT_READY: i32 = -39;
pub const ISOMAT_ERROR_CAPTURE: i32 = -40;
pub const ISOMAT_NONE: u64 = 0;
pub const ISOMAT_DRIVER_KIND_NVIDIA: i32 = 0;
pub const ISOMAT_DRIVER_KIND_HOST: i32 = 1;
pub const ISOMAT_CONTEXT_PRIMARY: i32 = 0;
pub const ISOMAT_CONTEXT_OWN: i32 = 1;
pub const ISOMAT_ADOPT_BORROW: i32 = 0;
pub const ISOMAT_ADOPT_OWN: i32 = 1;
pub const ISOMAT_COPY_TO_DEVICE: i32 = 0;
pub const ISOMAT_COPY_TO_HOST: i32 = 1;
pub const ISOMAT_COPY_DEVICE: i32 = 2;
pub const ISOMAT_IMAGE_FATBIN: i32 = 1;
pub const ISOMAT_IMAGE_CUBIN: i32 = 2;
pub const ISOMAT_IMAGE_PTX: i32 = 3;
pub const ISOMAT_TYPE_F32: i32 = 1;
pub const ISOMAT_TYPE_F16: i32 = 2;
pub const ISOMAT_TYPE_BF16: i32 = 3;
pub const ISOMAT_TYPE_F64: i32 = 4;
pub const ISOMAT_OP_N: i32 = 0;
pub const ISOMAT_OP_T: i32 = 1;
pub const ISOMAT_COMPUTE_F32: i32 = 0;
pub const ISOMAT_COMPUTE_F32_STRICT: i32 = 1;
pub const ISOMAT_COMPUTE_TF32: i32 = 2;
pub const ISOMAT_COMPUTE_F16: i32 = 3;
pub const ISOMAT_COMPUTE_BF16: i32 = 4;
pub const ISOMAT_COMPUTE_F64: i32 = 5;
pub const ISOMAT_ACTIVATION_NONE: i32 = 0;
pub const ISOMAT_ACTIVATION_RELU: i32 = 1;
pub const ISOMAT_ACTIVATION_GELU: i32 = 2;
pub const ISOMAT_ACTIVATION_GELU_TANH: i32 = 3;
pub const ISOMAT_ACTIVATION_SILU: i32 = 4;
pub const ISOMAT_OPERAND_A: i32 = 0;
pub const ISOMAT_OPERAND_B: i32 = 1;
pub const ISOMAT_TUNING_NONE: i32 = 0;
pub const ISOMAT_TUNING_USED: i32 = 1;
pub const ISOMAT_TUNING_IGNORED: i32 = 2;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_driver_info {
    pub struct_size: u32,
    pub kind: i32,
    pub version: i32,
    pub device_count: i32,
    pub path: [c_char; 512],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_device_info {
    pub struct_size: u32,
    pub capability_major: i32,
    pub capability_minor: i32,
    pub multiprocessors: i32,
    pub clock_khz: i32,
    pub memory_clock_khz: i32,
    pub memory_bus_bits: i32,
    pub max_threads_per_block: i32,
    pub max_threads_per_multiprocessor: i32,
    pub registers_per_multiprocessor: i32,
    pub memory_bytes: i64,
    pub l2_bytes: i64,
    pub shared_per_block_bytes: i64,
    pub shared_per_block_optin_bytes: i64,
    pub shared_per_multiprocessor_bytes: i64,
    pub memory_pools: i32,
    pub cluster_launch: i32,
    pub cooperative_launch: i32,
    pub ecc: i32,
    pub uuid: [u8; 16],
    pub name: [c_char; 256],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_context_info {
    pub struct_size: u32,
    pub device: i32,
    pub cu_context: u64,
    pub cu_stream: u64,
    pub memory_free_bytes: i64,
    pub memory_total_bytes: i64,
    pub pool_reserved_bytes: i64,
    pub pool_used_bytes: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_module_info {
    pub struct_size: u32,
    pub container: i32,
    pub image: i32,
    pub image_arch: i32,
    pub image_count: i32,
    pub jit: i32,
    pub debug: i32,
    pub load_ms: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_kernel_info {
    pub struct_size: u32,
    pub registers: i32,
    pub max_threads_per_block: i32,
    pub parameter_count: i32,
    pub binary_version: i32,
    pub ptx_version: i32,
    pub shared_bytes: i64,
    pub local_bytes: i64,
    pub const_bytes: i64,
    pub parameter_bytes: i64,
    pub jit: i32,
    pub debug: i32,
    pub spills: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_launch {
    pub struct_size: u32,
    pub grid_x: u32,
    pub grid_y: u32,
    pub grid_z: u32,
    pub block_x: u32,
    pub block_y: u32,
    pub block_z: u32,
    pub cluster_x: u32,
    pub cluster_y: u32,
    pub cluster_z: u32,
    pub shared_bytes: u32,
    pub cooperative: u32,
    pub stream: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_graph_info {
    pub struct_size: u32,
    pub nodes: i32,
    pub memory_bytes: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_matrix_info {
    pub struct_size: u32,
    pub r#type: i32,
    pub rows: i64,
    pub cols: i64,
    pub ld: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_epilogue {
    pub struct_size: u32,
    pub activation: i32,
    pub bias: u64,
    pub residual: u64,
    pub scale: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct isomat_tuning_info {
    pub struct_size: u32,
    pub state: i32,
    pub entries: i64,
    pub path: [c_char; 1024],
    pub reason: [c_char; 512],
}

functions! {
    /// All of isomat.h.
    struct Isomat {
        fn isomat_version() -> i32;
        fn isomat_version_string() -> *const c_char;
        fn isomat_constant_get(*mut i64, *const c_char) -> i32;
        fn isomat_status_name(i32) -> *const c_char;
        fn isomat_error_message() -> *const c_char;
        fn isomat_error_copy(*mut c_char, i64) -> i64;
        fn isomat_error_cuda_result() -> i32;
        fn isomat_error_log_copy(*mut c_char, i64) -> i64;
        fn isomat_error_set(i32, *const c_char) -> i32;
        fn isomat_live_objects() -> i64;
        fn isomat_driver_open() -> i32;
        fn isomat_driver_get_info(*mut isomat_driver_info) -> i32;
        fn isomat_device_count(*mut i32) -> i32;
        fn isomat_device_get_info(*mut isomat_device_info, i32) -> i32;
        fn isomat_context_create(*mut u64, i32, i32) -> i32;
        fn isomat_context_adopt(*mut u64, u64, i32) -> i32;
        fn isomat_context_destroy(u64) -> i32;
        fn isomat_context_synchronize(u64) -> i32;
        fn isomat_context_get_info(*mut isomat_context_info, u64) -> i32;
        fn isomat_context_trim(u64, i64) -> i32;
        fn isomat_stream_create(*mut u64, u64, i32) -> i32;
        fn isomat_stream_adopt(*mut u64, u64, u64, i32) -> i32;
        fn isomat_stream_destroy(u64) -> i32;
        fn isomat_stream_synchronize(u64) -> i32;
        fn isomat_stream_query(u64) -> i32;
        fn isomat_stream_wait(u64, u64) -> i32;
        fn isomat_stream_get_native(*mut u64, u64) -> i32;
        fn isomat_event_create(*mut u64, u64, i32) -> i32;
        fn isomat_event_adopt(*mut u64, u64, u64, i32) -> i32;
        fn isomat_event_destroy(u64) -> i32;
        fn isomat_event_record(u64, u64) -> i32;
        fn isomat_event_synchronize(u64) -> i32;
        fn isomat_event_query(u64) -> i32;
        fn isomat_event_elapsed(*mut f64, u64, u64) -> i32;
        fn isomat_memory_allocate(*mut u64, i64, u64, u64) -> i32;
        fn isomat_memory_free(u64, u64, u64) -> i32;
        fn isomat_memory_allocate_host(*mut *mut c_void, i64, u64) -> i32;
        fn isomat_memory_free_host(*mut c_void, u64) -> i32;
        fn isomat_memory_copy_to_device(u64, *const c_void, i64, u64, u64) -> i32;
        fn isomat_memory_copy_to_host(*mut c_void, u64, i64, u64, u64) -> i32;
        fn isomat_memory_copy_device(u64, u64, i64, u64, u64) -> i32;
        fn isomat_memory_copy_2d(u64, i64, u64, i64, i64, i64, i32, u64, u64) -> i32;
        fn isomat_memory_fill(u64, u32, i32, i64, u64, u64) -> i32;
        fn isomat_module_load_data(*mut u64, u64, *const c_void, i64) -> i32;
        fn isomat_module_load_file(*mut u64, u64, *const c_char) -> i32;
        fn isomat_module_load_embedded(*mut u64, u64, *const c_char) -> i32;
        fn isomat_module_destroy(u64) -> i32;
        fn isomat_module_get_info(*mut isomat_module_info, u64) -> i32;
        fn isomat_module_get_report(*mut c_char, i64, *mut i64, u64) -> i32;
        fn isomat_module_get_log(*mut c_char, i64, *mut i64, u64) -> i32;
        fn isomat_module_get_global(*mut u64, *mut i64, u64, *const c_char) -> i32;
        fn isomat_kernel_get(*mut u64, u64, *const c_char) -> i32;
        fn isomat_kernel_destroy(u64) -> i32;
        fn isomat_kernel_get_info(*mut isomat_kernel_info, u64) -> i32;
        fn isomat_kernel_get_parameter(*mut i64, *mut i64, u64, i32) -> i32;
        fn isomat_kernel_get_occupancy(*mut i32, u64, i32, i64) -> i32;
        fn isomat_kernel_launch(u64, *const isomat_launch, *const *const c_void, i32, *const i64) -> i32;
        fn isomat_kernel_launch_packed(u64, *const isomat_launch, *const c_void, i64) -> i32;
        fn isomat_graph_begin(u64, u64) -> i32;
        fn isomat_graph_end(*mut u64, u64, u64) -> i32;
        fn isomat_graph_launch(u64, u64) -> i32;
        fn isomat_graph_destroy(u64) -> i32;
        fn isomat_graph_get_info(*mut isomat_graph_info, u64) -> i32;
        fn isomat_profiler_start(u64) -> i32;
        fn isomat_profiler_stop(u64) -> i32;
        fn isomat_matrix_create(*mut u64, u64, i64, i64, i32, u64) -> i32;
        fn isomat_matrix_from_host(*mut u64, u64, *const c_void, i64, i64, i64, i32, u64) -> i32;
        fn isomat_matrix_adopt(*mut u64, u64, u64, i64, i64, i64, i32, i32) -> i32;
        fn isomat_matrix_view(*mut u64, u64, i64, i64, i64, i64) -> i32;
        fn isomat_matrix_destroy(u64) -> i32;
        fn isomat_matrix_get_info(*mut isomat_matrix_info, u64) -> i32;
        fn isomat_matrix_get_pointer(*mut u64, u64) -> i32;
        fn isomat_matrix_upload(u64, *const c_void, i64, u64) -> i32;
        fn isomat_matrix_to_host(*mut c_void, i64, u64, u64) -> i32;
        fn isomat_matrix_copy(u64, u64, u64) -> i32;
        fn isomat_matrix_fill(u64, f64, u64) -> i32;
        fn isomat_gemm(*mut u64, f64, u64, i32, u64, i32, f64, i32, u64) -> i32;
        fn isomat_gemm_epilogue(*mut u64, f64, u64, i32, u64, i32, f64, *const isomat_epilogue, i32, u64) -> i32;
        fn isomat_gemm_batched(*const u64, f64, *const u64, i32, *const u64, i32, f64, i64, i32, u64) -> i32;
        fn isomat_gemm_strided_batched(u64, i64, f64, u64, i32, i64, u64, i32, i64, f64, i64, i32, u64) -> i32;
        fn isomat_matrix_prepare(u64, i32, i32, i32, u64) -> i32;
        fn isomat_matrix_modified(u64) -> i32;
        fn isomat_context_set_keep_limit(u64, i64) -> i32;
        fn isomat_context_get_kept(*mut i64, *mut i64, u64) -> i32;
        fn isomat_gemm_get_kernel(*mut c_char, i64, *mut i64, u64, i64, i64, i64, i32, i32, i32) -> i32;
        fn isomat_context_get_tuning(*mut isomat_tuning_info, u64) -> i32;
        fn isomat_context_get_tuning_text(*mut c_char, i64, *mut i64, u64) -> i32;
        fn isomat_gemm_get_candidate(*mut c_char, i64, *mut i64, *mut i32, u64, i32, i64, i64, i64, i32, i32, i32) -> i32;
        fn isomat_gemm_set_kernel(u64, i64, i64, i64, i32, i32, i32, *const c_char, i32) -> i32;
    }
}
