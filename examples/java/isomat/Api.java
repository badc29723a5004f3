// SPDX-License-Identifier: MIT
// Written by build-aux/bindings.py from isomat.h; not to be edited.
package isomat;

import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;
import java.nio.Buffer;

/** isomat.h for JNA's direct mapping, names as there. The header is the manual. A handle is a long. */
public final class Api {
    private Api() {}

    public static final int ISOMAT_VERSION_MAJOR = 0;
    public static final int ISOMAT_VERSION_MINOR = 1;
    public static final int ISOMAT_VERSION_PATCH = 0;
    public static final int ISOMAT_OK = 0;
    public static final int ISOMAT_ERROR_INVALID_ARGUMENT = -1;
    public static final int ISOMAT_ERROR_INVALID_HANDLE = -2;
    public static final int ISOMAT_ERROR_STALE_HANDLE = -3;
    public static final int ISOMAT_ERROR_WRONG_KIND = -4;
    public static final int ISOMAT_ERROR_OUT_OF_HOST_MEMORY = -5;
    public static final int ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY = -6;
    public static final int ISOMAT_ERROR_SHAPE_MISMATCH = -7;
    public static final int ISOMAT_ERROR_ALIAS = -8;
    public static final int ISOMAT_ERROR_CONTEXT_MISMATCH = -9;
    public static final int ISOMAT_ERROR_UNSUPPORTED = -10;
    public static final int ISOMAT_ERROR_TYPE_MISMATCH = -11;
    public static final int ISOMAT_ERROR_NO_DRIVER = -20;
    public static final int ISOMAT_ERROR_STUB_DRIVER = -21;
    public static final int ISOMAT_ERROR_DRIVER_TOO_OLD = -22;
    public static final int ISOMAT_ERROR_NO_DEVICE = -23;
    public static final int ISOMAT_ERROR_DRIVER = -24;
    public static final int ISOMAT_ERROR_FORKED = -25;
    public static final int ISOMAT_ERROR_CONTEXT_LOST = -26;
    public static final int ISOMAT_ERROR_FILE = -30;
    public static final int ISOMAT_ERROR_INVALID_IMAGE = -31;
    public static final int ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE = -32;
    public static final int ISOMAT_ERROR_JIT_FAILED = -33;
    public static final int ISOMAT_ERROR_NOT_FOUND = -34;
    public static final int ISOMAT_ERROR_ARGUMENT_COUNT = -35;
    public static final int ISOMAT_ERROR_ARGUMENT_SIZE = -36;
    public static final int ISOMAT_ERROR_INVALID_LAUNCH = -37;
    public static final int ISOMAT_ERROR_LAUNCH_FAILED = -38;
    public static final int ISOMAT_ERROR_NOT_READY = -39;
    public static final int ISOMAT_ERROR_CAPTURE = -40;
    public static final long ISOMAT_NONE = 0;
    public static final int ISOMAT_DRIVER_KIND_NVIDIA = 0;
    public static final int ISOMAT_DRIVER_KIND_HOST = 1;
    public static final int ISOMAT_CONTEXT_PRIMARY = 0;
    public static final int ISOMAT_CONTEXT_OWN = 1;
    public static final int ISOMAT_ADOPT_BORROW = 0;
    public static final int ISOMAT_ADOPT_OWN = 1;
    public static final int ISOMAT_COPY_TO_DEVICE = 0;
    public static final int ISOMAT_COPY_TO_HOST = 1;
    public static final int ISOMAT_COPY_DEVICE = 2;
    public static final int ISOMAT_IMAGE_FATBIN = 1;
    public static final int ISOMAT_IMAGE_CUBIN = 2;
    public static final int ISOMAT_IMAGE_PTX = 3;
    public static final int ISOMAT_TYPE_F32 = 1;
    public static final int ISOMAT_TYPE_F16 = 2;
    public static final int ISOMAT_TYPE_BF16 = 3;
    public static final int ISOMAT_TYPE_F64 = 4;
    public static final int ISOMAT_OP_N = 0;
    public static final int ISOMAT_OP_T = 1;
    public static final int ISOMAT_COMPUTE_F32 = 0;
    public static final int ISOMAT_COMPUTE_F32_STRICT = 1;
    public static final int ISOMAT_COMPUTE_TF32 = 2;
    public static final int ISOMAT_COMPUTE_F16 = 3;
    public static final int ISOMAT_COMPUTE_BF16 = 4;
    public static final int ISOMAT_COMPUTE_F64 = 5;
    public static final int ISOMAT_ACTIVATION_NONE = 0;
    public static final int ISOMAT_ACTIVATION_RELU = 1;
    public static final int ISOMAT_ACTIVATION_GELU = 2;
    public static final int ISOMAT_ACTIVATION_GELU_TANH = 3;
    public static final int ISOMAT_ACTIVATION_SILU = 4;
    public static final int ISOMAT_OPERAND_A = 0;
    public static final int ISOMAT_OPERAND_B = 1;
    public static final int ISOMAT_TUNING_NONE = 0;
    public static final int ISOMAT_TUNING_USED = 1;
    public static final int ISOMAT_TUNING_IGNORED = 2;

    @FieldOrder({"struct_size", "kind", "version", "device_count", "path"})
    public static final class isomat_driver_info extends Structure {
        public int struct_size;
        public int kind;
        public int version;
        public int device_count;
        public byte[] path = new byte[512];
    }

    @FieldOrder({"struct_size", "capability_major", "capability_minor", "multiprocessors", "clock_khz",
            "memory_clock_khz", "memory_bus_bits", "max_threads_per_block", "max_threads_per_multiprocessor",
            "registers_per_multiprocessor", "memory_bytes", "l2_bytes", "shared_per_block_bytes",
            "shared_per_block_optin_bytes", "shared_per_multiprocessor_bytes", "memory_pools",
            "cluster_launch", "cooperative_launch", "ecc", "uuid", "name"})
    public static final class isomat_device_info extends Structure {
        public int struct_size;
        public int capability_major;
        public int capability_minor;
        public int multiprocessors;
        public int clock_khz;
        public int memory_clock_khz;
        public int memory_bus_bits;
        public int max_threads_per_block;
        public int max_threads_per_multiprocessor;
        public int registers_per_multiprocessor;
        public long memory_bytes;
        public long l2_bytes;
        public long shared_per_block_bytes;
        public long shared_per_block_optin_bytes;
        public long shared_per_multiprocessor_bytes;
        public int memory_pools;
        public int cluster_launch;
        public int cooperative_launch;
        public int ecc;
        public byte[] uuid = new byte[16];
        public byte[] name = new byte[256];
    }

    @FieldOrder({"struct_size", "device", "cu_context", "cu_stream", "memory_free_bytes",
            "memory_total_bytes", "pool_reserved_bytes", "pool_used_bytes"})
    public static final class isomat_context_info extends Structure {
        public int struct_size;
        public int device;
        public long cu_context;
        public long cu_stream;
        public long memory_free_bytes;
        public long memory_total_bytes;
        public long pool_reserved_bytes;
        public long pool_used_bytes;
    }

    @FieldOrder({"struct_size", "container", "image", "image_arch", "image_count", "jit", "debug", "load_ms"})
    public static final class isomat_module_info extends Structure {
        public int struct_size;
        public int container;
        public int image;
        public int image_arch;
        public int image_count;
        public int jit;
        public int debug;
        public double load_ms;
    }

    @FieldOrder({"struct_size", "registers", "max_threads_per_block", "parameter_count", "binary_version",
            "ptx_version", "shared_bytes", "local_bytes", "const_bytes", "parameter_bytes", "jit", "debug",
            "spills"})
    public static final class isomat_kernel_info extends Structure {
        public int struct_size;
        public int registers;
        public int max_threads_per_block;
        public int parameter_count;
        public int binary_version;
        public int ptx_version;
        public long shared_bytes;
        public long local_bytes;
        public long const_bytes;
        public long parameter_bytes;
        public int jit;
        public int debug;
        public int spills;
    }

    @FieldOrder({"struct_size", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "cluster_x",
            "cluster_y", "cluster_z", "shared_bytes", "cooperative", "stream"})
    public static final class isomat_launch extends Structure {
        public int struct_size;
        public int grid_x;
        public int grid_y;
        public int grid_z;
        public int block_x;
        public int block_y;
        public int block_z;
        public int cluster_x;
        public int cluster_y;
        public int cluster_z;
        public int shared_bytes;
        public int cooperative;
        public long stream;
    }

    @FieldOrder({"struct_size", "nodes", "memory_bytes"})
    public static final class isomat_graph_info extends Structure {
        public int struct_size;
        public int nodes;
        public long memory_bytes;
    }

    @FieldOrder({"struct_size", "type", "rows", "cols", "ld"})
    public static final class isomat_matrix_info extends Structure {
        public int struct_size;
        public int type;
        public long rows;
        public long cols;
        public long ld;
    }

    @FieldOrder({"struct_size", "activation", "bias", "residual", "scale"})
    public static final class isomat_epilogue extends Structure {
        public int struct_size;
        public int activation;
        public long bias;
        public long residual;
        public double scale;
    }

    @FieldOrder({"struct_size", "state", "entries", "path", "reason"})
    public static final class isomat_tuning_info extends Structure {
        public int struct_size;
        public int state;
        public long entries;
        public byte[] path = new byte[1024];
        public byte[] reason = new byte[512];
    }

    static native int isomat_version();
    static native String isomat_version_string();
    static native int isomat_constant_get(long[] value, String name);
    static native String isomat_status_name(int status);
    static native String isomat_error_message();
    static native long isomat_error_copy(byte[] buffer, long capacity);
    static native int isomat_error_cuda_result();
    static native long isomat_error_log_copy(byte[] buffer, long capacity);
    static native int isomat_error_set(int status, String message);
    static native long isomat_live_objects();
    static native int isomat_driver_open();
    static native int isomat_driver_get_info(Pointer info);
    static native int isomat_device_count(int[] count);
    static native int isomat_device_get_info(Pointer info, int device);
    static native int isomat_context_create(long[] context, int device, int kind);
    static native int isomat_context_adopt(long[] context, long cu_context, int ownership);
    static native int isomat_context_destroy(long context);
    static native int isomat_context_synchronize(long context);
    static native int isomat_context_get_info(Pointer info, long context);
    static native int isomat_context_trim(long context, long keep_bytes);
    static native int isomat_stream_create(long[] stream, long context, int priority);
    static native int isomat_stream_adopt(long[] stream, long context, long cu_stream, int ownership);
    static native int isomat_stream_destroy(long stream);
    static native int isomat_stream_synchronize(long stream);
    static native int isomat_stream_query(long stream);
    static native int isomat_stream_wait(long stream, long event);
    static native int isomat_stream_get_native(long[] cu_stream, long stream);
    static native int isomat_event_create(long[] event, long context, int timing);
    static native int isomat_event_adopt(long[] event, long context, long cu_event, int ownership);
    static native int isomat_event_destroy(long event);
    static native int isomat_event_record(long event, long stream);
    static native int isomat_event_synchronize(long event);
    static native int isomat_event_query(long event);
    static native int isomat_event_elapsed(double[] milliseconds, long start, long end);
    static native int isomat_memory_allocate(long[] pointer, long bytes, long context, long stream);
    static native int isomat_memory_free(long pointer, long context, long stream);
    static native int isomat_memory_allocate_host(long[] pointer, long bytes, long context);
    static native int isomat_memory_free_host(Buffer pointer, long context);
    static native int isomat_memory_copy_to_device(long destination, Buffer source, long bytes, long context,
            long stream);
    static native int isomat_memory_copy_to_host(Buffer destination, long source, long bytes, long context,
            long stream);
    static native int isomat_memory_copy_device(long destination, long source, long bytes, long context,
            long stream);
    static native int isomat_memory_copy_2d(long destination, long destination_pitch_bytes, long source,
            long source_pitch_bytes, long width_bytes, long rows, int direction, long context, long stream);
    static native int isomat_memory_fill(long destination, int value, int value_bytes, long count,
            long context, long stream);
    static native int isomat_module_load_data(long[] module, long context, Buffer image, long bytes);
    static native int isomat_module_load_file(long[] module, long context, String path);
    static native int isomat_module_load_embedded(long[] module, long context, String name);
    static native int isomat_module_destroy(long module);
    static native int isomat_module_get_info(Pointer info, long module);
    static native int isomat_module_get_report(byte[] buffer, long capacity, long[] length, long module);
    static native int isomat_module_get_log(byte[] buffer, long capacity, long[] length, long module);
    static native int isomat_module_get_global(long[] pointer, long[] bytes, long module, String name);
    static native int isomat_kernel_get(long[] kernel, long module, String name);
    static native int isomat_kernel_destroy(long kernel);
    static native int isomat_kernel_get_info(Pointer info, long kernel);
    static native int isomat_kernel_get_parameter(long[] offset_bytes, long[] size_bytes, long kernel,
            int index);
    static native int isomat_kernel_get_occupancy(int[] blocks, long kernel, int block_threads,
            long shared_bytes);
    static native int isomat_kernel_launch(long kernel, Pointer launch, Pointer arguments, int argument_count,
            Pointer sizes);
    static native int isomat_kernel_launch_packed(long kernel, Pointer launch, Buffer buffer, long bytes);
    static native int isomat_graph_begin(long context, long stream);
    static native int isomat_graph_end(long[] graph, long context, long stream);
    static native int isomat_graph_launch(long graph, long stream);
    static native int isomat_graph_destroy(long graph);
    static native int isomat_graph_get_info(Pointer info, long graph);
    static native int isomat_profiler_start(long context);
    static native int isomat_profiler_stop(long context);
    static native int isomat_matrix_create(long[] matrix, long context, long rows, long cols, int type,
            long stream);
    static native int isomat_matrix_from_host(long[] matrix, long context, Buffer data, long rows, long cols,
            long ld, int type, long stream);
    static native int isomat_matrix_adopt(long[] matrix, long context, long pointer, long rows, long cols,
            long ld, int type, int ownership);
    static native int isomat_matrix_view(long[] view, long matrix, long row, long col, long rows, long cols);
    static native int isomat_matrix_destroy(long matrix);
    static native int isomat_matrix_get_info(Pointer info, long matrix);
    static native int isomat_matrix_get_pointer(long[] pointer, long matrix);
    static native int isomat_matrix_upload(long matrix, Buffer data, long ld, long stream);
    static native int isomat_matrix_to_host(Buffer data, long ld, long matrix, long stream);
    static native int isomat_matrix_copy(long destination, long source, long stream);
    static native int isomat_matrix_fill(long matrix, double value, long stream);
    static native int isomat_gemm(long[] c, double alpha, long a, int op_a, long b, int op_b, double beta,
            int compute, long stream);
    static native int isomat_gemm_epilogue(long[] c, double alpha, long a, int op_a, long b, int op_b,
            double beta, Pointer epilogue, int compute, long stream);
    static native int isomat_gemm_batched(Pointer c, double alpha, Pointer a, int op_a, Pointer b, int op_b,
            double beta, long count, int compute, long stream);
    static native int isomat_gemm_strided_batched(long c, long stride_c, double alpha, long a, int op_a,
            long stride_a, long b, int op_b, long stride_b, double beta, long count, int compute,
            long stream);
    static native int isomat_matrix_prepare(long matrix, int operand, int op, int compute, long stream);
    static native int isomat_matrix_modified(long matrix);
    static native int isomat_context_set_keep_limit(long context, long bytes);
    static native int isomat_context_get_kept(long[] bytes, long[] limit_bytes, long context);
    static native int isomat_gemm_get_kernel(byte[] buffer, long capacity, long[] length, long context,
            long m, long n, long k, int op_a, int op_b, int compute);
    static native int isomat_context_get_tuning(Pointer info, long context);
    static native int isomat_context_get_tuning_text(byte[] buffer, long capacity, long[] length,
            long context);
    static native int isomat_gemm_get_candidate(byte[] buffer, long capacity, long[] length, int[] parts,
            long context, int index, long m, long n, long k, int op_a, int op_b, int compute);
    static native int isomat_gemm_set_kernel(long context, long m, long n, long k, int op_a, int op_b,
            int compute, String name, int parts);
}
