-- SPDX-License-Identifier: MIT
-- Written by build-aux/bindings.py from isomat.h; not to be edited.
-- isomat.h for LuaJIT's ffi, names as there: declares types and functions, returns the constants.
require("ffi").cdef([[
typedef uint64_t isomat_context;
typedef uint64_t isomat_stream;
typedef uint64_t isomat_event;
typedef uint64_t isomat_module;
typedef uint64_t isomat_kernel;
typedef uint64_t isomat_matrix;
typedef uint64_t isomat_graph;

typedef struct isomat_driver_info {
    uint32_t struct_size;
    int32_t kind;
    int32_t version;
    int32_t device_count;
    char path[512];
} isomat_driver_info;

typedef struct isomat_device_info {
    uint32_t struct_size;
    int32_t capability_major;
    int32_t capability_minor;
    int32_t multiprocessors;
    int32_t clock_khz;
    int32_t memory_clock_khz;
    int32_t memory_bus_bits;
    int32_t max_threads_per_block;
    int32_t max_threads_per_multiprocessor;
    int32_t registers_per_multiprocessor;
    int64_t memory_bytes;
    int64_t l2_bytes;
    int64_t shared_per_block_bytes;
    int64_t shared_per_block_optin_bytes;
    int64_t shared_per_multiprocessor_bytes;
    int32_t memory_pools;
    int32_t cluster_launch;
    int32_t cooperative_launch;
    int32_t ecc;
    uint8_t uuid[16];
    char name[256];
} isomat_device_info;

typedef struct isomat_context_info {
    uint32_t struct_size;
    int32_t device;
    uint64_t cu_context;
    uint64_t cu_stream;
    int64_t memory_free_bytes;
    int64_t memory_total_bytes;
    int64_t pool_reserved_bytes;
    int64_t pool_used_bytes;
} isomat_context_info;

typedef struct isomat_module_info {
    uint32_t struct_size;
    int32_t container;
    int32_t image;
    int32_t image_arch;
    int32_t image_count;
    int32_t jit;
    int32_t debug;
    double load_ms;
} isomat_module_info;

typedef struct isomat_kernel_info {
    uint32_t struct_size;
    int32_t registers;
    int32_t max_threads_per_block;
    int32_t parameter_count;
    int32_t binary_version;
    int32_t ptx_version;
    int64_t shared_bytes;
    int64_t local_bytes;
    int64_t const_bytes;
    int64_t parameter_bytes;
    int32_t jit;
    int32_t debug;
    int32_t spills;
} isomat_kernel_info;

typedef struct isomat_launch {
    uint32_t struct_size;
    uint32_t grid_x;
    uint32_t grid_y;
    uint32_t grid_z;
    uint32_t block_x;
    uint32_t block_y;
    uint32_t block_z;
    uint32_t cluster_x;
    uint32_t cluster_y;
    uint32_t cluster_z;
    uint32_t shared_bytes;
    uint32_t cooperative;
    uint64_t stream;
} isomat_launch;

typedef struct isomat_graph_info {
    uint32_t struct_size;
    int32_t nodes;
    int64_t memory_bytes;
} isomat_graph_info;

typedef struct isomat_matrix_info {
    uint32_t struct_size;
    int32_t type;
    int64_t rows;
    int64_t cols;
    int64_t ld;
} isomat_matrix_info;

typedef struct isomat_epilogue {
    uint32_t struct_size;
    int32_t activation;
    uint64_t bias;
    uint64_t residual;
    double scale;
} isomat_epilogue;

typedef struct isomat_tuning_info {
    uint32_t struct_size;
    int32_t state;
    int64_t entries;
    char path[1024];
    char reason[512];
} isomat_tuning_info;

int32_t isomat_version(void);
const char *isomat_version_string(void);
int32_t isomat_constant_get(int64_t *value, const char *name);
const char *isomat_status_name(int32_t status);
const char *isomat_error_message(void);
int64_t isomat_error_copy(char *buffer, int64_t capacity);
int32_t isomat_error_cuda_result(void);
int64_t isomat_error_log_copy(char *buffer, int64_t capacity);
int32_t isomat_error_set(int32_t status, const char *message);
int64_t isomat_live_objects(void);
int32_t isomat_driver_open(void);
int32_t isomat_driver_get_info(isomat_driver_info *info);
int32_t isomat_device_count(int32_t *count);
int32_t isomat_device_get_info(isomat_device_info *info, int32_t device);
int32_t isomat_context_create(isomat_context *context, int32_t device, int32_t kind);
int32_t isomat_context_adopt(isomat_context *context, uint64_t cu_context, int32_t ownership);
int32_t isomat_context_destroy(isomat_context context);
int32_t isomat_context_synchronize(isomat_context context);
int32_t isomat_context_get_info(isomat_context_info *info, isomat_context context);
int32_t isomat_context_trim(isomat_context context, int64_t keep_bytes);
int32_t isomat_stream_create(isomat_stream *stream, isomat_context context, int32_t priority);
int32_t isomat_stream_adopt(isomat_stream *stream, isomat_context context, uint64_t cu_stream, int32_t
    ownership);
int32_t isomat_stream_destroy(isomat_stream stream);
int32_t isomat_stream_synchronize(isomat_stream stream);
int32_t isomat_stream_query(isomat_stream stream);
int32_t isomat_stream_wait(isomat_stream stream, isomat_event event);
int32_t isomat_stream_get_native(uint64_t *cu_stream, isomat_stream stream);
int32_t isomat_event_create(isomat_event *event, isomat_context context, int32_t timing);
int32_t isomat_event_adopt(isomat_event *event, isomat_context context, uint64_t cu_event, int32_t ownership);
int32_t isomat_event_destroy(isomat_event event);
int32_t isomat_event_record(isomat_event event, isomat_stream stream);
int32_t isomat_event_synchronize(isomat_event event);
int32_t isomat_event_query(isomat_event event);
int32_t isomat_event_elapsed(double *milliseconds, isomat_event start, isomat_event end);
int32_t isomat_memory_allocate(uint64_t *pointer, int64_t bytes, isomat_context context, isomat_stream
    stream);
int32_t isomat_memory_free(uint64_t pointer, isomat_context context, isomat_stream stream);
int32_t isomat_memory_allocate_host(void **pointer, int64_t bytes, isomat_context context);
int32_t isomat_memory_free_host(void *pointer, isomat_context context);
int32_t isomat_memory_copy_to_device(uint64_t destination, const void *source, int64_t bytes, isomat_context
    context, isomat_stream stream);
int32_t isomat_memory_copy_to_host(void *destination, uint64_t source, int64_t bytes, isomat_context context,
    isomat_stream stream);
int32_t isomat_memory_copy_device(uint64_t destination, uint64_t source, int64_t bytes, isomat_context
    context, isomat_stream stream);
int32_t isomat_memory_copy_2d(uint64_t destination, int64_t destination_pitch_bytes, uint64_t source, int64_t
    source_pitch_bytes, int64_t width_bytes, int64_t rows, int32_t direction, isomat_context context,
    isomat_stream stream);
int32_t isomat_memory_fill(uint64_t destination, uint32_t value, int32_t value_bytes, int64_t count,
    isomat_context context, isomat_stream stream);
int32_t isomat_module_load_data(isomat_module *module, isomat_context context, const void *image, int64_t
    bytes);
int32_t isomat_module_load_file(isomat_module *module, isomat_context context, const char *path);
int32_t isomat_module_load_embedded(isomat_module *module, isomat_context context, const char *name);
int32_t isomat_module_destroy(isomat_module module);
int32_t isomat_module_get_info(isomat_module_info *info, isomat_module module);
int32_t isomat_module_get_report(char *buffer, int64_t capacity, int64_t *length, isomat_module module);
int32_t isomat_module_get_log(char *buffer, int64_t capacity, int64_t *length, isomat_module module);
int32_t isomat_module_get_global(uint64_t *pointer, int64_t *bytes, isomat_module module, const char *name);
int32_t isomat_kernel_get(isomat_kernel *kernel, isomat_module module, const char *name);
int32_t isomat_kernel_destroy(isomat_kernel kernel);
int32_t isomat_kernel_get_info(isomat_kernel_info *info, isomat_kernel kernel);
int32_t isomat_kernel_get_parameter(int64_t *offset_bytes, int64_t *size_bytes, isomat_kernel kernel, int32_t
    index);
int32_t isomat_kernel_get_occupancy(int32_t *blocks, isomat_kernel kernel, int32_t block_threads, int64_t
    shared_bytes);
int32_t isomat_kernel_launch(isomat_kernel kernel, const isomat_launch *launch, const void *const *arguments,
    int32_t argument_count, const int64_t *sizes);
int32_t isomat_kernel_launch_packed(isomat_kernel kernel, const isomat_launch *launch, const void *buffer,
    int64_t bytes);
int32_t isomat_graph_begin(isomat_context context, isomat_stream stream);
int32_t isomat_graph_end(isomat_graph *graph, isomat_context context, isomat_stream stream);
int32_t isomat_graph_launch(isomat_graph graph, isomat_stream stream);
int32_t isomat_graph_destroy(isomat_graph graph);
int32_t isomat_graph_get_info(isomat_graph_info *info, isomat_graph graph);
int32_t isomat_profiler_start(isomat_context context);
int32_t isomat_profiler_stop(isomat_context context);
int32_t isomat_matrix_create(isomat_matrix *matrix, isomat_context context, int64_t rows, int64_t cols,
    int32_t type, isomat_stream stream);
int32_t isomat_matrix_from_host(isomat_matrix *matrix, isomat_context context, const void *data, int64_t rows,
    int64_t cols, int64_t ld, int32_t type, isomat_stream stream);
int32_t isomat_matrix_adopt(isomat_matrix *matrix, isomat_context context, uint64_t pointer, int64_t rows,
    int64_t cols, int64_t ld, int32_t type, int32_t ownership);
int32_t isomat_matrix_view(isomat_matrix *view, isomat_matrix matrix, int64_t row, int64_t col, int64_t rows,
    int64_t cols);
int32_t isomat_matrix_destroy(isomat_matrix matrix);
int32_t isomat_matrix_get_info(isomat_matrix_info *info, isomat_matrix matrix);
int32_t isomat_matrix_get_pointer(uint64_t *pointer, isomat_matrix matrix);
int32_t isomat_matrix_upload(isomat_matrix matrix, const void *data, int64_t ld, isomat_stream stream);
int32_t isomat_matrix_to_host(void *data, int64_t ld, isomat_matrix matrix, isomat_stream stream);
int32_t isomat_matrix_copy(isomat_matrix destination, isomat_matrix source, isomat_stream stream);
int32_t isomat_matrix_fill(isomat_matrix matrix, double value, isomat_stream stream);
int32_t isomat_gemm(isomat_matrix *c, double alpha, isomat_matrix a, int32_t op_a, isomat_matrix b, int32_t
    op_b, double beta, int32_t compute, isomat_stream stream);
int32_t isomat_gemm_epilogue(isomat_matrix *c, double alpha, isomat_matrix a, int32_t op_a, isomat_matrix b,
    int32_t op_b, double beta, const isomat_epilogue *epilogue, int32_t compute, isomat_stream stream);
int32_t isomat_gemm_batched(const isomat_matrix *c, double alpha, const isomat_matrix *a, int32_t op_a, const
    isomat_matrix *b, int32_t op_b, double beta, int64_t count, int32_t compute, isomat_stream stream);
int32_t isomat_gemm_strided_batched(isomat_matrix c, int64_t stride_c, double alpha, isomat_matrix a, int32_t
    op_a, int64_t stride_a, isomat_matrix b, int32_t op_b, int64_t stride_b, double beta, int64_t count,
    int32_t compute, isomat_stream stream);
int32_t isomat_matrix_prepare(isomat_matrix matrix, int32_t operand, int32_t op, int32_t compute,
    isomat_stream stream);
int32_t isomat_matrix_modified(isomat_matrix matrix);
int32_t isomat_context_set_keep_limit(isomat_context context, int64_t bytes);
int32_t isomat_context_get_kept(int64_t *bytes, int64_t *limit_bytes, isomat_context context);
int32_t isomat_gemm_get_kernel(char *buffer, int64_t capacity, int64_t *length, isomat_context context,
    int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b, int32_t compute);
int32_t isomat_context_get_tuning(isomat_tuning_info *info, isomat_context context);
int32_t isomat_context_get_tuning_text(char *buffer, int64_t capacity, int64_t *length, isomat_context
    context);
int32_t isomat_gemm_get_candidate(char *buffer, int64_t capacity, int64_t *length, int32_t *parts,
    isomat_context context, int32_t index, int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t op_b,
    int32_t compute);
int32_t isomat_gemm_set_kernel(isomat_context context, int64_t m, int64_t n, int64_t k, int32_t op_a, int32_t
    op_b, int32_t compute, const char *name, int32_t parts);
]])

return {
    ISOMAT_VERSION_MAJOR = 0,
    ISOMAT_VERSION_MINOR = 1,
    ISOMAT_VERSION_PATCH = 0,
    ISOMAT_OK = 0,
    ISOMAT_ERROR_INVALID_ARGUMENT = -1,
    ISOMAT_ERROR_INVALID_HANDLE = -2,
    ISOMAT_ERROR_STALE_HANDLE = -3,
    ISOMAT_ERROR_WRONG_KIND = -4,
    ISOMAT_ERROR_OUT_OF_HOST_MEMORY = -5,
    ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY = -6,
    ISOMAT_ERROR_SHAPE_MISMATCH = -7,
    ISOMAT_ERROR_ALIAS = -8,
    ISOMAT_ERROR_CONTEXT_MISMATCH = -9,
    ISOMAT_ERROR_UNSUPPORTED = -10,
    ISOMAT_ERROR_TYPE_MISMATCH = -11,
    ISOMAT_ERROR_NO_DRIVER = -20,
    ISOMAT_ERROR_STUB_DRIVER = -21,
    ISOMAT_ERROR_DRIVER_TOO_OLD = -22,
    ISOMAT_ERROR_NO_DEVICE = -23,
    ISOMAT_ERROR_DRIVER = -24,
    ISOMAT_ERROR_FORKED = -25,
    ISOMAT_ERROR_CONTEXT_LOST = -26,
    ISOMAT_ERROR_FILE = -30,
    ISOMAT_ERROR_INVALID_IMAGE = -31,
    ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE = -32,
    ISOMAT_ERROR_JIT_FAILED = -33,
    ISOMAT_ERROR_NOT_FOUND = -34,
    ISOMAT_ERROR_ARGUMENT_COUNT = -35,
    ISOMAT_ERROR_ARGUMENT_SIZE = -36,
    ISOMAT_ERROR_INVALID_LAUNCH = -37,
    ISOMAT_ERROR_LAUNCH_FAILED = -38,
    ISOMAT_ERROR_NOT_READY = -39,
    ISOMAT_ERROR_CAPTURE = -40,
    ISOMAT_NONE = 0,
    ISOMAT_DRIVER_KIND_NVIDIA = 0,
    ISOMAT_DRIVER_KIND_HOST = 1,
    ISOMAT_CONTEXT_PRIMARY = 0,
    ISOMAT_CONTEXT_OWN = 1,
    ISOMAT_ADOPT_BORROW = 0,
    ISOMAT_ADOPT_OWN = 1,
    ISOMAT_COPY_TO_DEVICE = 0,
    ISOMAT_COPY_TO_HOST = 1,
    ISOMAT_COPY_DEVICE = 2,
    ISOMAT_IMAGE_FATBIN = 1,
    ISOMAT_IMAGE_CUBIN = 2,
    ISOMAT_IMAGE_PTX = 3,
    ISOMAT_TYPE_F32 = 1,
    ISOMAT_TYPE_F16 = 2,
    ISOMAT_TYPE_BF16 = 3,
    ISOMAT_TYPE_F64 = 4,
    ISOMAT_OP_N = 0,
    ISOMAT_OP_T = 1,
    ISOMAT_COMPUTE_F32 = 0,
    ISOMAT_COMPUTE_F32_STRICT = 1,
    ISOMAT_COMPUTE_TF32 = 2,
    ISOMAT_COMPUTE_F16 = 3,
    ISOMAT_COMPUTE_BF16 = 4,
    ISOMAT_COMPUTE_F64 = 5,
    ISOMAT_ACTIVATION_NONE = 0,
    ISOMAT_ACTIVATION_RELU = 1,
    ISOMAT_ACTIVATION_GELU = 2,
    ISOMAT_ACTIVATION_GELU_TANH = 3,
    ISOMAT_ACTIVATION_SILU = 4,
    ISOMAT_OPERAND_A = 0,
    ISOMAT_OPERAND_B = 1,
    ISOMAT_TUNING_NONE = 0,
    ISOMAT_TUNING_USED = 1,
    ISOMAT_TUNING_IGNORED = 2,
}
