# frozen_string_literal: true

# SPDX-License-Identifier: MIT
# Written by build-aux/bindings.py from isomat.h; not to be edited.

module Isomat
  # isomat.h for Fiddle, names as there. The header is the manual. A handle is a uint64_t.
  module Api
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

    STRUCTS = {
      isomat_driver_info: [
        "uint32_t struct_size",
        "int32_t kind",
        "int32_t version",
        "int32_t device_count",
        "char path[512]",
      ],
      isomat_device_info: [
        "uint32_t struct_size",
        "int32_t capability_major",
        "int32_t capability_minor",
        "int32_t multiprocessors",
        "int32_t clock_khz",
        "int32_t memory_clock_khz",
        "int32_t memory_bus_bits",
        "int32_t max_threads_per_block",
        "int32_t max_threads_per_multiprocessor",
        "int32_t registers_per_multiprocessor",
        "int64_t memory_bytes",
        "int64_t l2_bytes",
        "int64_t shared_per_block_bytes",
        "int64_t shared_per_block_optin_bytes",
        "int64_t shared_per_multiprocessor_bytes",
        "int32_t memory_pools",
        "int32_t cluster_launch",
        "int32_t cooperative_launch",
        "int32_t ecc",
        "uint8_t uuid[16]",
        "char name[256]",
      ],
      isomat_context_info: [
        "uint32_t struct_size",
        "int32_t device",
        "uint64_t cu_context",
        "uint64_t cu_stream",
        "int64_t memory_free_bytes",
        "int64_t memory_total_bytes",
        "int64_t pool_reserved_bytes",
        "int64_t pool_used_bytes",
      ],
      isomat_module_info: [
        "uint32_t struct_size",
        "int32_t container",
        "int32_t image",
        "int32_t image_arch",
        "int32_t image_count",
        "int32_t jit",
        "int32_t debug",
        "double load_ms",
      ],
      isomat_kernel_info: [
        "uint32_t struct_size",
        "int32_t registers",
        "int32_t max_threads_per_block",
        "int32_t parameter_count",
        "int32_t binary_version",
        "int32_t ptx_version",
        "int64_t shared_bytes",
        "int64_t local_bytes",
        "int64_t const_bytes",
        "int64_t parameter_bytes",
        "int32_t jit",
        "int32_t debug",
        "int32_t spills",
      ],
      isomat_launch: [
        "uint32_t struct_size",
        "uint32_t grid_x",
        "uint32_t grid_y",
        "uint32_t grid_z",
        "uint32_t block_x",
        "uint32_t block_y",
        "uint32_t block_z",
        "uint32_t cluster_x",
        "uint32_t cluster_y",
        "uint32_t cluster_z",
        "uint32_t shared_bytes",
        "uint32_t cooperative",
        "uint64_t stream",
      ],
      isomat_graph_info: [
        "uint32_t struct_size",
        "int32_t nodes",
        "int64_t memory_bytes",
      ],
      isomat_matrix_info: [
        "uint32_t struct_size",
        "int32_t type",
        "int64_t rows",
        "int64_t cols",
        "int64_t ld",
      ],
      isomat_epilogue: [
        "uint32_t struct_size",
        "int32_t activation",
        "uint64_t bias",
        "uint64_t residual",
        "double scale",
      ],
      isomat_tuning_info: [
        "uint32_t struct_size",
        "int32_t state",
        "int64_t entries",
        "char path[1024]",
        "char reason[512]",
      ],
    }.freeze

    FUNCTIONS = [
      "int32_t isomat_version(void)",
      "const char *isomat_version_string(void)",
      "int32_t isomat_constant_get(void *, const char *)",
      "const char *isomat_status_name(int32_t)",
      "const char *isomat_error_message(void)",
      "int64_t isomat_error_copy(void *, int64_t)",
      "int32_t isomat_error_cuda_result(void)",
      "int64_t isomat_error_log_copy(void *, int64_t)",
      "int32_t isomat_error_set(int32_t, const char *)",
      "int64_t isomat_live_objects(void)",
      "int32_t isomat_driver_open(void)",
      "int32_t isomat_driver_get_info(void *)",
      "int32_t isomat_device_count(void *)",
      "int32_t isomat_device_get_info(void *, int32_t)",
      "int32_t isomat_context_create(void *, int32_t, int32_t)",
      "int32_t isomat_context_adopt(void *, uint64_t, int32_t)",
      "int32_t isomat_context_destroy(uint64_t)",
      "int32_t isomat_context_synchronize(uint64_t)",
      "int32_t isomat_context_get_info(void *, uint64_t)",
      "int32_t isomat_context_trim(uint64_t, int64_t)",
      "int32_t isomat_stream_create(void *, uint64_t, int32_t)",
      "int32_t isomat_stream_adopt(void *, uint64_t, uint64_t, int32_t)",
      "int32_t isomat_stream_destroy(uint64_t)",
      "int32_t isomat_stream_synchronize(uint64_t)",
      "int32_t isomat_stream_query(uint64_t)",
      "int32_t isomat_stream_wait(uint64_t, uint64_t)",
      "int32_t isomat_stream_get_native(void *, uint64_t)",
      "int32_t isomat_event_create(void *, uint64_t, int32_t)",
      "int32_t isomat_event_adopt(void *, uint64_t, uint64_t, int32_t)",
      "int32_t isomat_event_destroy(uint64_t)",
      "int32_t isomat_event_record(uint64_t, uint64_t)",
      "int32_t isomat_event_synchronize(uint64_t)",
      "int32_t isomat_event_query(uint64_t)",
      "int32_t isomat_event_elapsed(void *, uint64_t, uint64_t)",
      "int32_t isomat_memory_allocate(void *, int64_t, uint64_t, uint64_t)",
      "int32_t isomat_memory_free(uint64_t, uint64_t, uint64_t)",
      "int32_t isomat_memory_allocate_host(void *, int64_t, uint64_t)",
      "int32_t isomat_memory_free_host(void *, uint64_t)",
      "int32_t isomat_memory_copy_to_device(uint64_t, void *, int64_t, uint64_t, uint64_t)",
      "int32_t isomat_memory_copy_to_host(void *, uint64_t, int64_t, uint64_t, uint64_t)",
      "int32_t isomat_memory_copy_device(uint64_t, uint64_t, int64_t, uint64_t, uint64_t)",
      "int32_t isomat_memory_copy_2d(uint64_t, int64_t, uint64_t, int64_t, int64_t, int64_t, int32_t, uint64_t, uint64_t)",
      "int32_t isomat_memory_fill(uint64_t, uint32_t, int32_t, int64_t, uint64_t, uint64_t)",
      "int32_t isomat_module_load_data(void *, uint64_t, void *, int64_t)",
      "int32_t isomat_module_load_file(void *, uint64_t, const char *)",
      "int32_t isomat_module_load_embedded(void *, uint64_t, const char *)",
      "int32_t isomat_module_destroy(uint64_t)",
      "int32_t isomat_module_get_info(void *, uint64_t)",
      "int32_t isomat_module_get_report(void *, int64_t, void *, uint64_t)",
      "int32_t isomat_module_get_log(void *, int64_t, void *, uint64_t)",
      "int32_t isomat_module_get_global(void *, void *, uint64_t, const char *)",
      "int32_t isomat_kernel_get(void *, uint64_t, const char *)",
      "int32_t isomat_kernel_destroy(uint64_t)",
      "int32_t isomat_kernel_get_info(void *, uint64_t)",
      "int32_t isomat_kernel_get_parameter(void *, void *, uint64_t, int32_t)",
      "int32_t isomat_kernel_get_occupancy(void *, uint64_t, int32_t, int64_t)",
      "int32_t isomat_kernel_launch(uint64_t, void *, void *, int32_t, void *)",
      "int32_t isomat_kernel_launch_packed(uint64_t, void *, void *, int64_t)",
      "int32_t isomat_graph_begin(uint64_t, uint64_t)",
      "int32_t isomat_graph_end(void *, uint64_t, uint64_t)",
      "int32_t isomat_graph_launch(uint64_t, uint64_t)",
      "int32_t isomat_graph_destroy(uint64_t)",
      "int32_t isomat_graph_get_info(void *, uint64_t)",
      "int32_t isomat_profiler_start(uint64_t)",
      "int32_t isomat_profiler_stop(uint64_t)",
      "int32_t isomat_matrix_create(void *, uint64_t, int64_t, int64_t, int32_t, uint64_t)",
      "int32_t isomat_matrix_from_host(void *, uint64_t, void *, int64_t, int64_t, int64_t, int32_t, uint64_t)",
      "int32_t isomat_matrix_adopt(void *, uint64_t, uint64_t, int64_t, int64_t, int64_t, int32_t, int32_t)",
      "int32_t isomat_matrix_view(void *, uint64_t, int64_t, int64_t, int64_t, int64_t)",
      "int32_t isomat_matrix_destroy(uint64_t)",
      "int32_t isomat_matrix_get_info(void *, uint64_t)",
      "int32_t isomat_matrix_get_pointer(void *, uint64_t)",
      "int32_t isomat_matrix_upload(uint64_t, void *, int64_t, uint64_t)",
      "int32_t isomat_matrix_to_host(void *, int64_t, uint64_t, uint64_t)",
      "int32_t isomat_matrix_copy(uint64_t, uint64_t, uint64_t)",
      "int32_t isomat_matrix_fill(uint64_t, double, uint64_t)",
      "int32_t isomat_gemm(void *, double, uint64_t, int32_t, uint64_t, int32_t, double, int32_t, uint64_t)",
      "int32_t isomat_gemm_epilogue(void *, double, uint64_t, int32_t, uint64_t, int32_t, double, void *, int32_t, uint64_t)",
      "int32_t isomat_gemm_batched(void *, double, void *, int32_t, void *, int32_t, double, int64_t, int32_t, uint64_t)",
      "int32_t isomat_gemm_strided_batched(uint64_t, int64_t, double, uint64_t, int32_t, int64_t, uint64_t, int32_t, int64_t, double, int64_t, int32_t, uint64_t)",
      "int32_t isomat_matrix_prepare(uint64_t, int32_t, int32_t, int32_t, uint64_t)",
      "int32_t isomat_matrix_modified(uint64_t)",
      "int32_t isomat_context_set_keep_limit(uint64_t, int64_t)",
      "int32_t isomat_context_get_kept(void *, void *, uint64_t)",
      "int32_t isomat_gemm_get_kernel(void *, int64_t, void *, uint64_t, int64_t, int64_t, int64_t, int32_t, int32_t, int32_t)",
      "int32_t isomat_context_get_tuning(void *, uint64_t)",
      "int32_t isomat_context_get_tuning_text(void *, int64_t, void *, uint64_t)",
      "int32_t isomat_gemm_get_candidate(void *, int64_t, void *, void *, uint64_t, int32_t, int64_t, int64_t, int64_t, int32_t, int32_t, int32_t)",
      "int32_t isomat_gemm_set_kernel(uint64_t, int64_t, int64_t, int64_t, int32_t, int32_t, int32_t, const char *, int32_t)",
    ].freeze
  end
end
