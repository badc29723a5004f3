/* SPDX-License-Identifier: MIT */
/* isomat.h: GPU matrix kernels that run at the same speed from every language.
 *
 * INTRODUCTION
 *
 * isomat multiplies matrices on NVIDIA GPUs through the CUDA Driver API alone.
 * Its kernels are compiled offline and embedded, so no build profile of the
 * calling program can slow them down.  The driver, libcuda.so.1, is opened at
 * run time; where there is none, a host driver runs the same kernels on the
 * CPU (environment variable ISOMAT_DRIVER: nvidia, host, auto, or a path).
 *
 *     isomat_context context;
 *     isomat_matrix a, b, c = ISOMAT_NONE;
 *     isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY);
 *     isomat_matrix_from_host(&a, context, a_data, m, k, k, ISOMAT_TYPE_F32, 0);
 *     isomat_matrix_from_host(&b, context, b_data, k, n, n, ISOMAT_TYPE_F32, 0);
 *     isomat_gemm(&c, 1.0, a, ISOMAT_OP_N, b, ISOMAT_OP_N, 0.0, ISOMAT_COMPUTE_F32, 0);
 *     isomat_matrix_to_host(c_data, n, c, 0);
 *
 * RULES THAT HOLD FOR EVERY FUNCTION
 *
 * Status.   A function that can fail returns an int32_t: ISOMAT_OK (0), or a
 *           negative ISOMAT_ERROR_...; the numbers never change.  On failure
 *           isomat_error_message() gives one line, for the calling thread,
 *           until its next failure.  On failure nothing was created, each
 *           handle written through a pointer is ISOMAT_NONE, and the caller's
 *           current CUDA context is what it was, as it is on success.
 *           Every function that takes a handle may return INVALID_HANDLE
 *           (0, or never given out), STALE_HANDLE (destroyed), WRONG_KIND
 *           (a handle of another kind), FORKED (the driver was opened before
 *           a fork and this is the child), CONTEXT_LOST (an earlier kernel of
 *           that context failed; NVIDIA's driver then refuses every context of
 *           the process), OUT_OF_HOST_MEMORY and DRIVER (the driver
 *           failed in a way that has no status of its own; the message gives
 *           the call and its CUresult).  They are not repeated below.
 * Handles.  A handle is a 64-bit number; ISOMAT_NONE (0) is none.  A destroyed
 *           or invented handle is an error, never a crash.  Objects keep what
 *           they need alive, so handles may be destroyed in any order.
 *           Destroying ISOMAT_NONE does nothing and succeeds.
 * Threads.  Every function may be called from any thread, with any handle.
 * Streams.  A stream argument of ISOMAT_NONE means the default stream of the
 *           context concerned.  Kernels, fills and device copies are submitted
 *           and not waited for.  A matrix first used on another stream than
 *           its own makes that stream wait for the matrix's own stream; any
 *           later order between streams is the caller's, with events.
 * Sizes.    int64_t, in elements; a name that ends in _bytes is in bytes.
 *           Matrices are row-major: element (i, j) is at i * ld + j.
 * Structs.  A struct that isomat fills or reads begins with struct_size, which
 *           the caller sets to sizeof the struct; later versions only add
 *           fields at the end.
 *
 * Everything here exists since version 0.1 unless it says otherwise.
 */
#ifndef ISOMAT_H
#define ISOMAT_H

#include <stddef.h>
#include <stdint.h>

#ifndef ISOMAT_API
#if defined(__GNUC__)
#define ISOMAT_API __attribute__((visibility("default")))
#else
#define ISOMAT_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ version */

/* The version of this header.  configure.ac reads it from here. */
#define ISOMAT_VERSION_MAJOR 0
#define ISOMAT_VERSION_MINOR 1
#define ISOMAT_VERSION_PATCH 0

/* The version of the library in use: major * 1000000 + minor * 1000 + patch. */
ISOMAT_API int32_t isomat_version(void);

/* The same as text, "0.1.0".  Static storage. */
ISOMAT_API const char *isomat_version_string(void);

/* Writes the value of a constant of isomat.h by its name, "ISOMAT_TYPE_F32", as the library in use has
 * it: for hosts that cannot read a header, and for constants newer than the host's binding.
 * INVALID_ARGUMENT  value or name is NULL
 * NOT_FOUND         this version of the library has no such constant */
ISOMAT_API int32_t isomat_constant_get(int64_t *value, const char *name);

/* ------------------------------------------------------------------- status */

#define ISOMAT_OK 0
#define ISOMAT_ERROR_INVALID_ARGUMENT (-1)     /* a value out of its range, or a null pointer */
#define ISOMAT_ERROR_INVALID_HANDLE (-2)       /* 0 or a number that isomat never gave out */
#define ISOMAT_ERROR_STALE_HANDLE (-3)         /* the object was destroyed */
#define ISOMAT_ERROR_WRONG_KIND (-4)           /* a handle of another kind of object */
#define ISOMAT_ERROR_OUT_OF_HOST_MEMORY (-5)   /* the host has no memory left */
#define ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY (-6) /* the device has no memory left */
#define ISOMAT_ERROR_SHAPE_MISMATCH (-7)       /* matrix sizes that do not fit together */
#define ISOMAT_ERROR_ALIAS (-8)                /* the result overlaps an operand */
#define ISOMAT_ERROR_CONTEXT_MISMATCH (-9)     /* objects of two contexts in one call */
#define ISOMAT_ERROR_UNSUPPORTED (-10)         /* this device, driver or version cannot do it */
#define ISOMAT_ERROR_TYPE_MISMATCH (-11)       /* element types that do not fit together */
#define ISOMAT_ERROR_NO_DRIVER (-20)           /* no driver library could be opened */
#define ISOMAT_ERROR_STUB_DRIVER (-21)         /* the toolkit's stub was opened, not a driver */
#define ISOMAT_ERROR_DRIVER_TOO_OLD (-22)      /* a required function is missing from the driver */
#define ISOMAT_ERROR_NO_DEVICE (-23)           /* the driver sees no device */
#define ISOMAT_ERROR_DRIVER (-24)              /* another failure of a driver call */
#define ISOMAT_ERROR_FORKED (-25)              /* used in a child of the process that opened it */
#define ISOMAT_ERROR_CONTEXT_LOST (-26)        /* a kernel failed; the context is unusable */
#define ISOMAT_ERROR_FILE (-30)                /* a file could not be read */
#define ISOMAT_ERROR_INVALID_IMAGE (-31)       /* not a fatbin, cubin or PTX, or a damaged one */
#define ISOMAT_ERROR_NO_IMAGE_FOR_DEVICE (-32) /* no image in it runs on this device */
#define ISOMAT_ERROR_JIT_FAILED (-33)          /* the driver could not compile the PTX */
#define ISOMAT_ERROR_NOT_FOUND (-34)           /* no kernel, global or embedded module of that name */
#define ISOMAT_ERROR_ARGUMENT_COUNT (-35)      /* too few or too many kernel arguments */
#define ISOMAT_ERROR_ARGUMENT_SIZE (-36)       /* a kernel argument of the wrong size */
#define ISOMAT_ERROR_INVALID_LAUNCH (-37)      /* a grid, block or shared size that cannot run */
#define ISOMAT_ERROR_LAUNCH_FAILED (-38)       /* a kernel failed while it ran */
#define ISOMAT_ERROR_NOT_READY (-39)           /* the work asked about has not finished */
#define ISOMAT_ERROR_CAPTURE (-40)             /* not possible while a stream is captured, or only then */

/* The name of a status, "ISOMAT_ERROR_ALIAS"; "unknown status" for another number.
 * Static storage. */
ISOMAT_API const char *isomat_status_name(int32_t status);

/* One line about the last failure in the calling thread; "" before the first.  Never NULL.
 * Valid until that thread's next failing call. */
ISOMAT_API const char *isomat_error_message(void);

/* Copies the same line into buffer (capacity bytes, always terminated when capacity > 0).
 * Returns the length of the whole line without its terminator, so a larger buffer can be tried.
 * For hosts whose calls move between threads: call it on the thread that failed. */
ISOMAT_API int64_t isomat_error_copy(char *buffer, int64_t capacity);

/* The CUresult behind the calling thread's last failure, 0 if the driver had no part in it. */
ISOMAT_API int32_t isomat_error_cuda_result(void);

/* Copies the JIT compiler's log of the calling thread's last failed module load, "" if there was
 * none.  Returns the whole length, as isomat_error_copy does. */
ISOMAT_API int64_t isomat_error_log_copy(char *buffer, int64_t capacity);

/* Records a failure for the calling thread, for libraries built on isomat that report through it.
 * message is copied; longer ones are cut.  Returns status. */
ISOMAT_API int32_t isomat_error_set(int32_t status, const char *message);

/* ------------------------------------------------------------------ handles */

typedef uint64_t isomat_context;
typedef uint64_t isomat_stream;
typedef uint64_t isomat_event;
typedef uint64_t isomat_module;
typedef uint64_t isomat_kernel;
typedef uint64_t isomat_matrix;
typedef uint64_t isomat_graph;

#define ISOMAT_NONE 0

/* How many objects of isomat exist, destroyed ones that another object still needs included.
 * A test that ends with the number that it began with has leaked nothing. */
ISOMAT_API int64_t isomat_live_objects(void);

/* ------------------------------------------------------- driver and devices */

/* Opens the driver that ISOMAT_DRIVER chooses, if it is not open yet.  Optional: whatever needs
 * the driver does it.  A failure is not remembered, the next call tries again; success is final.
 *
 * NO_DRIVER        no library could be opened; the message lists the paths tried
 * STUB_DRIVER      the library opened is the CUDA toolkit's stub for linking
 * DRIVER_TOO_OLD   it lacks a function that isomat requires, or its version is below 11.4
 * NO_DEVICE        it reports no device
 * DRIVER           it failed to initialise */
ISOMAT_API int32_t isomat_driver_open(void);

#define ISOMAT_DRIVER_KIND_NVIDIA 0
#define ISOMAT_DRIVER_KIND_HOST 1

typedef struct isomat_driver_info {
    uint32_t struct_size;
    int32_t kind;         /* ISOMAT_DRIVER_KIND_... */
    int32_t version;      /* CUDA version of the driver: 13000 is 13.0 */
    int32_t device_count; /* devices that it sees */
    char path[512];       /* the file that was opened */
} isomat_driver_info;

/* Fills *info.  Opens the driver; returns what isomat_driver_open returns.
 * INVALID_ARGUMENT  info is NULL or its struct_size is too small */
ISOMAT_API int32_t isomat_driver_get_info(isomat_driver_info *info);

/* Writes the number of devices.  Opens the driver; returns what isomat_driver_open returns. */
ISOMAT_API int32_t isomat_device_count(int32_t *count);

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
    int64_t shared_per_block_bytes;       /* without opting in, 48 KiB */
    int64_t shared_per_block_optin_bytes; /* the most that a kernel can be given */
    int64_t shared_per_multiprocessor_bytes;
    int32_t memory_pools;       /* 1 if the device has stream-ordered memory pools */
    int32_t cluster_launch;     /* 1 if it has thread block clusters */
    int32_t cooperative_launch; /* 1 if it has cooperative launches */
    int32_t ecc;                /* 1 if its memory is protected by ECC */
    uint8_t uuid[16];           /* zeros if the driver cannot tell */
    char name[256];
} isomat_device_info;

/* Fills *info about a device, 0 <= device < count.  Opens the driver.
 * INVALID_ARGUMENT  info is NULL, its struct_size is too small, or there is no such device */
ISOMAT_API int32_t isomat_device_get_info(isomat_device_info *info, int32_t device);

/* ----------------------------------------------------------------- contexts */

#define ISOMAT_CONTEXT_PRIMARY 0 /* the device's primary context, shared with the runtime API */
#define ISOMAT_CONTEXT_OWN 1     /* a new context of its own */

#define ISOMAT_ADOPT_BORROW 0 /* the caller keeps the object and destroys it, later than isomat's handle */
#define ISOMAT_ADOPT_OWN 1    /* isomat destroys the object with its handle */

/* Creates a context on a device: its default stream, its memory pool.
 * INVALID_ARGUMENT      context is NULL, no such device, or an unknown kind
 * OUT_OF_DEVICE_MEMORY  no room for the context
 * and what isomat_driver_open returns */
ISOMAT_API int32_t isomat_context_create(isomat_context *context, int32_t device, int32_t kind);

/* Wraps a CUcontext of the caller's, given as a number.  With ISOMAT_ADOPT_BORROW the CUcontext
 * must outlive the handle; that cannot be checked.
 * INVALID_ARGUMENT  context is NULL, cu_context is 0 or no context, or unknown flags */
ISOMAT_API int32_t isomat_context_adopt(isomat_context *context, uint64_t cu_context, int32_t ownership);

/* Destroys the handle.  The context itself goes with the last object that needs it; work that
 * was submitted is finished first. */
ISOMAT_API int32_t isomat_context_destroy(isomat_context context);

/* Waits for all work of the context.
 * LAUNCH_FAILED  a kernel failed; from now on the context is lost */
ISOMAT_API int32_t isomat_context_synchronize(isomat_context context);

typedef struct isomat_context_info {
    uint32_t struct_size;
    int32_t device;
    uint64_t cu_context;       /* the CUcontext, for use with other libraries */
    uint64_t cu_stream;        /* the CUstream of the default stream */
    int64_t memory_free_bytes; /* of the device, as the driver tells */
    int64_t memory_total_bytes;
    int64_t pool_reserved_bytes; /* held by this context's pool; 0 without pools */
    int64_t pool_used_bytes;     /* of these, in use */
} isomat_context_info;

/* Fills *info.
 * INVALID_ARGUMENT  info is NULL or its struct_size is too small */
ISOMAT_API int32_t isomat_context_get_info(isomat_context_info *info, isomat_context context);

/* Gives the pool's unused memory back to the device, but for keep_bytes.
 * INVALID_ARGUMENT  keep_bytes is negative */
ISOMAT_API int32_t isomat_context_trim(isomat_context context, int64_t keep_bytes);

/* ------------------------------------------------------- streams and events */

/* Creates a stream that runs beside the others (it does not wait for the legacy default stream).
 * priority: 0, or negative for more urgent, as the driver counts it. */
ISOMAT_API int32_t isomat_stream_create(isomat_stream *stream, isomat_context context, int32_t priority);

/* Wraps a CUstream of this context, given as a number (0 is the legacy default stream).
 * INVALID_ARGUMENT  stream is NULL, unknown ownership, or ISOMAT_ADOPT_OWN of stream 0
 * CONTEXT_MISMATCH  the CUstream belongs to another context */
ISOMAT_API int32_t isomat_stream_adopt(isomat_stream *stream, isomat_context context, uint64_t cu_stream,
                                       int32_t ownership);

/* Destroys the handle; submitted work still runs. */
ISOMAT_API int32_t isomat_stream_destroy(isomat_stream stream);

/* Waits for the stream.  LAUNCH_FAILED as for isomat_context_synchronize. */
ISOMAT_API int32_t isomat_stream_synchronize(isomat_stream stream);

/* ISOMAT_OK if the stream's work is done, else NOT_READY. */
ISOMAT_API int32_t isomat_stream_query(isomat_stream stream);

/* Makes later work of the stream wait for the event.  The event may be of another context. */
ISOMAT_API int32_t isomat_stream_wait(isomat_stream stream, isomat_event event);

/* Writes the CUstream as a number, for use with other libraries. */
ISOMAT_API int32_t isomat_stream_get_native(uint64_t *cu_stream, isomat_stream stream);

/* Creates an event.  timing: 1 to measure time with it, 0 for order alone, which is cheaper. */
ISOMAT_API int32_t isomat_event_create(isomat_event *event, isomat_context context, int32_t timing);

/* Wraps a CUevent of this context, given as a number.
 * INVALID_ARGUMENT  event is NULL, cu_event is 0, or unknown ownership */
ISOMAT_API int32_t isomat_event_adopt(isomat_event *event, isomat_context context, uint64_t cu_event,
                                      int32_t ownership);

ISOMAT_API int32_t isomat_event_destroy(isomat_event event);

/* Records the event at the present end of a stream (ISOMAT_NONE: the default stream of the
 * event's context).  CONTEXT_MISMATCH  the stream is of another context. */
ISOMAT_API int32_t isomat_event_record(isomat_event event, isomat_stream stream);

/* Waits for the event.  LAUNCH_FAILED as for isomat_context_synchronize. */
ISOMAT_API int32_t isomat_event_synchronize(isomat_event event);

/* ISOMAT_OK if the event has happened or was never recorded, else NOT_READY. */
ISOMAT_API int32_t isomat_event_query(isomat_event event);

/* Writes the time from start to end in milliseconds.
 * NOT_READY         one of them has not happened
 * INVALID_ARGUMENT  milliseconds is NULL, or an event was made without timing or never recorded */
ISOMAT_API int32_t isomat_event_elapsed(double *milliseconds, isomat_event start, isomat_event end);

/* ------------------------------------------------------------------- memory */
/* Device memory is a plain address, as the driver's; it is not an object of isomat and is not
 * freed with the context.  Free what was allocated before the context is destroyed. */

/* Allocates device memory from the context's pool, in the order of the stream; 256-byte aligned.
 * Without pools on the device, the driver's plain, synchronising allocation is used.
 * INVALID_ARGUMENT      pointer is NULL or bytes <= 0
 * OUT_OF_DEVICE_MEMORY  with what was asked for and what is free in the message */
ISOMAT_API int32_t isomat_memory_allocate(uint64_t *pointer, int64_t bytes, isomat_context context,
                                          isomat_stream stream);

/* Frees it in the order of the stream.  pointer 0 does nothing.
 * INVALID_ARGUMENT  not an address that was allocated here */
ISOMAT_API int32_t isomat_memory_free(uint64_t pointer, isomat_context context, isomat_stream stream);

/* Allocates page-locked host memory, for copies at full speed that do not hold the caller up.
 * INVALID_ARGUMENT  pointer is NULL or bytes <= 0 */
ISOMAT_API int32_t isomat_memory_allocate_host(void **pointer, int64_t bytes, isomat_context context);

/* Frees it; NULL does nothing.  The caller sees to it that no copy still uses it. */
ISOMAT_API int32_t isomat_memory_free_host(void *pointer, isomat_context context);

/* Copies bytes from host to device, from device to host, or within the device, in the order of
 * the stream.  Pageable host memory: when the call returns, source may be reused or destination
 * read.  Page-locked host memory: only when the stream has got there.
 * INVALID_ARGUMENT  a null pointer, or bytes < 0; 0 bytes copies nothing */
ISOMAT_API int32_t isomat_memory_copy_to_device(uint64_t destination, const void *source, int64_t bytes,
                                                isomat_context context, isomat_stream stream);
ISOMAT_API int32_t isomat_memory_copy_to_host(void *destination, uint64_t source, int64_t bytes,
                                              isomat_context context, isomat_stream stream);
ISOMAT_API int32_t isomat_memory_copy_device(uint64_t destination, uint64_t source, int64_t bytes,
                                             isomat_context context, isomat_stream stream);

#define ISOMAT_COPY_TO_DEVICE 0
#define ISOMAT_COPY_TO_HOST 1
#define ISOMAT_COPY_DEVICE 2

/* Copies a rectangle of rows * width_bytes between two pitched arrays; host addresses are given
 * as numbers too.  Otherwise as the copies above.
 * INVALID_ARGUMENT  a null address, a negative size, a pitch below the width, unknown direction */
ISOMAT_API int32_t isomat_memory_copy_2d(uint64_t destination, int64_t destination_pitch_bytes,
                                         uint64_t source, int64_t source_pitch_bytes, int64_t width_bytes,
                                         int64_t rows, int32_t direction, isomat_context context,
                                         isomat_stream stream);

/* Sets count values of value_bytes (1, 2 or 4) each to value.
 * INVALID_ARGUMENT  a null or misaligned address, a negative count, another value_bytes */
ISOMAT_API int32_t isomat_memory_fill(uint64_t destination, uint32_t value, int32_t value_bytes,
                                      int64_t count, isomat_context context, isomat_stream stream);

/* ------------------------------------------------------ modules and kernels */

#define ISOMAT_IMAGE_FATBIN 1
#define ISOMAT_IMAGE_CUBIN 2
#define ISOMAT_IMAGE_PTX 3

/* Loads a module from memory: a fatbin, a cubin, or PTX text.  bytes is the size of the image;
 * PTX need not end in a zero byte.  The image is not needed after the call.  From a fatbin the
 * image for exactly this architecture is taken, else the same major version with the highest
 * lower minor, else the highest PTX that is not above the device.
 * INVALID_ARGUMENT     a null pointer or bytes <= 0
 * INVALID_IMAGE        truncated, damaged, or none of the three kinds
 * NO_IMAGE_FOR_DEVICE  the message lists each image with the reason why it was refused
 * JIT_FAILED           the PTX does not compile; isomat_error_log_copy has the compiler's log */
ISOMAT_API int32_t isomat_module_load_data(isomat_module *module, isomat_context context, const void *image,
                                           int64_t bytes);

/* The same from a file.
 * FILE           it cannot be read; the message says why
 * INVALID_IMAGE  also if it is empty */
ISOMAT_API int32_t isomat_module_load_file(isomat_module *module, isomat_context context, const char *path);

/* The same for one of the modules embedded in isomat ("gemm_f32").  It is loaded once per context.
 * NOT_FOUND    no embedded module has that name; the message lists those that exist
 * UNSUPPORTED  this build has no code for it */
ISOMAT_API int32_t isomat_module_load_embedded(isomat_module *module, isomat_context context,
                                               const char *name);

ISOMAT_API int32_t isomat_module_destroy(isomat_module module);

typedef struct isomat_module_info {
    uint32_t struct_size;
    int32_t container;   /* ISOMAT_IMAGE_...: what was given */
    int32_t image;       /* ISOMAT_IMAGE_CUBIN or _PTX: what was taken from it */
    int32_t image_arch;  /* 90 for sm_90 or compute_90 */
    int32_t image_count; /* images in the container */
    int32_t jit;         /* 1 if the driver compiled PTX */
    int32_t debug;       /* 1 if the image was built with -G: 10 to 100 times slower */
    double load_ms;      /* time of the driver's load, JIT included */
} isomat_module_info;

/* Fills *info.
 * INVALID_ARGUMENT  info is NULL or its struct_size is too small */
ISOMAT_API int32_t isomat_module_get_info(isomat_module_info *info, isomat_module module);

/* Copies a line per image of the module: what it is, and "taken" or the reason why not.
 * Writes the length of the whole text to *length if that is not NULL. */
ISOMAT_API int32_t isomat_module_get_report(char *buffer, int64_t capacity, int64_t *length,
                                            isomat_module module);

/* Copies the JIT compiler's log of the load, "" if there is none.  As isomat_module_get_report. */
ISOMAT_API int32_t isomat_module_get_log(char *buffer, int64_t capacity, int64_t *length,
                                         isomat_module module);

/* Writes the device address and the size of a __device__ or __constant__ variable.
 * pointer or bytes may be NULL.  NOT_FOUND  the module has no such variable. */
ISOMAT_API int32_t isomat_module_get_global(uint64_t *pointer, int64_t *bytes, isomat_module module,
                                            const char *name);

/* Looks up a kernel by its name in the image (extern "C", or mangled).  The kernel keeps its module.
 * NOT_FOUND  the module has no such kernel */
ISOMAT_API int32_t isomat_kernel_get(isomat_kernel *kernel, isomat_module module, const char *name);

ISOMAT_API int32_t isomat_kernel_destroy(isomat_kernel kernel);

typedef struct isomat_kernel_info {
    uint32_t struct_size;
    int32_t registers;             /* per thread */
    int32_t max_threads_per_block; /* for this kernel on this device */
    int32_t parameter_count;       /* -1 if the driver cannot tell (below 12.4) */
    int32_t binary_version;        /* 90 for sm_90 */
    int32_t ptx_version;           /* 80 for compute_80 */
    int64_t shared_bytes;          /* static, per block */
    int64_t local_bytes;           /* per thread: spills and local arrays */
    int64_t const_bytes;
    int64_t parameter_bytes; /* -1 if the driver cannot tell */
    int32_t jit;             /* 1 if the driver compiled it from PTX */
    int32_t debug;           /* 1 if it was built with -G: 10 to 100 times slower */
    int32_t spills;          /* 0: none, for it uses no local memory; -1: it uses some, and the driver does
                              * not tell spills from local arrays (isomat inspect does) */
} isomat_kernel_info;

/* Fills *info.
 * INVALID_ARGUMENT  info is NULL or its struct_size is too small */
ISOMAT_API int32_t isomat_kernel_get_info(isomat_kernel_info *info, isomat_kernel kernel);

/* Writes the offset and size of parameter index, 0 <= index < parameter_count.
 * INVALID_ARGUMENT  no such parameter
 * UNSUPPORTED       the driver cannot tell */
ISOMAT_API int32_t isomat_kernel_get_parameter(int64_t *offset_bytes, int64_t *size_bytes,
                                               isomat_kernel kernel, int32_t index);

/* Writes how many blocks of that size fit on one multiprocessor at the same time.
 * INVALID_ARGUMENT  blocks is NULL, block_threads < 1, or shared_bytes < 0 */
ISOMAT_API int32_t isomat_kernel_get_occupancy(int32_t *blocks, isomat_kernel kernel, int32_t block_threads,
                                               int64_t shared_bytes);

typedef struct isomat_launch {
    uint32_t struct_size;
    uint32_t grid_x, grid_y, grid_z;          /* blocks; each at least 1 */
    uint32_t block_x, block_y, block_z;       /* threads; each at least 1 */
    uint32_t cluster_x, cluster_y, cluster_z; /* blocks per cluster; all 0 for none */
    uint32_t shared_bytes;                    /* dynamic shared memory per block, above 48 KiB too */
    uint32_t cooperative;                     /* 1 for a cooperative launch */
    uint64_t stream;                          /* isomat_stream, or ISOMAT_NONE */
} isomat_launch;

/* Submits a kernel.  arguments holds argument_count pointers, one to each argument's value;
 * sizes, if not NULL, their sizes in bytes.  Count and sizes are checked where the driver knows
 * the kernel's parameters.  Values are copied before the call returns.
 * INVALID_ARGUMENT  a null pointer, struct_size too small, a negative count
 * ARGUMENT_COUNT    not as many as the kernel has
 * ARGUMENT_SIZE     a size differs from the parameter's
 * INVALID_LAUNCH    a dimension of 0, a block or shared size over the limit, a grid that is no
 *                   multiple of the cluster, a cooperative grid that does not fit
 * UNSUPPORTED       clusters or cooperative launch on a device or driver without them
 * CONTEXT_MISMATCH  the stream is of another context
 * LAUNCH_FAILED     the driver refused it, or an earlier kernel failed */
ISOMAT_API int32_t isomat_kernel_launch(isomat_kernel kernel, const isomat_launch *launch,
                                        const void *const *arguments, int32_t argument_count,
                                        const int64_t *sizes);

/* The same with the arguments laid out in one buffer, at the offsets that
 * isomat_kernel_get_parameter tells.  ARGUMENT_SIZE  bytes is not the size of the parameters. */
ISOMAT_API int32_t isomat_kernel_launch_packed(isomat_kernel kernel, const isomat_launch *launch,
                                               const void *buffer, int64_t bytes);

/* ------------------------------------------------------------------- graphs */
/* A graph is a sequence of operations that is captured once and launched again and again as a whole,
 * at a fraction of what its launches cost one by one:
 *
 *     isomat_graph_begin(context, stream);
 *     for (...) isomat_gemm(&c[i], 1.0, a[i], ...);
 *     isomat_graph_end(&graph, context, stream);
 *     for (...) isomat_graph_launch(graph, stream);
 *
 * Between begin and end, kernels, fills, device copies and products that are submitted to the stream
 * are captured and do not run; each launch runs them, one after another, on the elements that the
 * matrices have then.  Matrices must exist before; what has to wait, allocate or copy between host and
 * device is refused with CAPTURE and leaves the capture as it was, and so is isomat_context_synchronize.
 * A call that fails otherwise may have been captured in part.  The caller does not use functions of
 * other libraries that wait for the whole device meanwhile.
 *
 * A graph keeps the matrices and kernels that it uses alive, though their handles be destroyed, and has
 * work memory of its own; memory that a kernel knows by its address alone is the caller's to keep.
 * Forms of matrices (see KEPT FORMS) it makes anew in each launch, for all of its products. */

/* Begins to capture a stream (ISOMAT_NONE: the context's default stream).  Several streams may be
 * captured at the same time, each into a graph of its own.  Destroying the stream, or the context of a
 * default stream, ends a capture.
 * CAPTURE           the stream is being captured
 * CONTEXT_MISMATCH  the stream is of another context
 * UNSUPPORTED       the driver has no graphs */
ISOMAT_API int32_t isomat_graph_begin(isomat_context context, isomat_stream stream);

/* Ends the capture, on failure too, and makes a graph of what was captured, which may be nothing.  No
 * other thread may be submitting to the stream.
 * INVALID_ARGUMENT      graph is NULL; the capture goes on
 * CAPTURE               the stream is not being captured, or something spoiled the capture
 * CONTEXT_MISMATCH      the stream is of another context
 * OUT_OF_DEVICE_MEMORY  no room for the graph */
ISOMAT_API int32_t isomat_graph_end(isomat_graph *graph, isomat_context context, isomat_stream stream);

/* Submits the whole sequence to a stream (ISOMAT_NONE: the context's default stream), which need not be
 * the one that was captured.  A launch comes after the graph's launch before, whatever their streams.
 * CAPTURE           the stream is being captured
 * CONTEXT_MISMATCH  the stream is of another context
 * LAUNCH_FAILED     the driver refused it, or an earlier kernel failed */
ISOMAT_API int32_t isomat_graph_launch(isomat_graph graph, isomat_stream stream);

/* Destroys the handle; submitted launches still run. */
ISOMAT_API int32_t isomat_graph_destroy(isomat_graph graph);

typedef struct isomat_graph_info {
    uint32_t struct_size;
    int32_t nodes;        /* kernels, fills and copies that a launch runs */
    int64_t memory_bytes; /* of the device, that the graph's products need */
} isomat_graph_info;

/* Fills *info.
 * INVALID_ARGUMENT  info is NULL or its struct_size is too small */
ISOMAT_API int32_t isomat_graph_get_info(isomat_graph_info *info, isomat_graph graph);

/* ---------------------------------------------------------------- profiling */
/* A profiler that is attached sees isomat's operations as named ranges (NVTX, domain "isomat"), and
 * kernels by their names.  Without a profiler nothing is done. */

/* Tells a profiler that waits for it to begin, and to stop, looking at the context's work:
 *     nsys profile --capture-range=cudaProfilerApi ...    ncu --profile-from-start off ...
 * Work that was submitted is not waited for.  Without a profiler the calls do nothing.
 * UNSUPPORTED  the driver lacks the function */
ISOMAT_API int32_t isomat_profiler_start(isomat_context context);
ISOMAT_API int32_t isomat_profiler_stop(isomat_context context);

/* ----------------------------------------------------------------- matrices */

#define ISOMAT_TYPE_F32 1  /* IEEE float32 */
#define ISOMAT_TYPE_F16 2  /* IEEE float16: 1 sign, 5 exponent, 10 fraction bits */
#define ISOMAT_TYPE_BF16 3 /* bfloat16: the upper half of a float32 */
#define ISOMAT_TYPE_F64 4  /* IEEE float64 */

/* Creates a matrix of rows x cols in device memory, its elements undefined.  A size of 0 is
 * allowed.  The matrix belongs to the stream: it is allocated and freed in its order.
 * INVALID_ARGUMENT      matrix is NULL, a negative size, rows * cols too large, unknown type
 * OUT_OF_DEVICE_MEMORY  no room; what was asked for and what is free in the message
 * CONTEXT_MISMATCH      the stream is of another context */
ISOMAT_API int32_t isomat_matrix_create(isomat_matrix *matrix, isomat_context context, int64_t rows,
                                        int64_t cols, int32_t type, isomat_stream stream);

/* The same, filled from host memory: element (i, j) from data[i * ld + j].  data may be reused
 * when the call returns (page-locked: when the stream has got there).
 * INVALID_ARGUMENT  also data is NULL (unless the matrix is empty) or ld < cols */
ISOMAT_API int32_t isomat_matrix_from_host(isomat_matrix *matrix, isomat_context context, const void *data,
                                           int64_t rows, int64_t cols, int64_t ld, int32_t type,
                                           isomat_stream stream);

/* Wraps device memory of the caller's, of rows x cols with leading dimension ld, which must be
 * aligned to the element.  BORROW: the caller keeps it alive.  OWN: the memory is freed with the
 * handle, in the order of the context's default stream; it must come from isomat_memory_allocate.
 * INVALID_ARGUMENT  matrix is NULL, a bad size, ld < cols, pointer 0 or misaligned or known to be
 *                   host memory, unknown type or ownership
 * CONTEXT_MISMATCH  the memory belongs to another context, as far as the driver can tell: memory
 *                   of a pool belongs to a device */
ISOMAT_API int32_t isomat_matrix_adopt(isomat_matrix *matrix, isomat_context context, uint64_t pointer,
                                       int64_t rows, int64_t cols, int64_t ld, int32_t type,
                                       int32_t ownership);

/* A view of the rectangle of rows x cols at (row, col): it shares the elements and the leading
 * dimension, and keeps the storage alive.
 * INVALID_ARGUMENT  view is NULL or the rectangle is not inside the matrix */
ISOMAT_API int32_t isomat_matrix_view(isomat_matrix *view, isomat_matrix matrix, int64_t row, int64_t col,
                                      int64_t rows, int64_t cols);

/* Destroys the handle.  Memory is freed once no view needs it, after the work submitted so far
 * that uses it; the call does not wait. */
ISOMAT_API int32_t isomat_matrix_destroy(isomat_matrix matrix);

typedef struct isomat_matrix_info {
    uint32_t struct_size;
    int32_t type; /* ISOMAT_TYPE_... */
    int64_t rows;
    int64_t cols;
    int64_t ld;
} isomat_matrix_info;

/* Fills *info.
 * INVALID_ARGUMENT  info is NULL or its struct_size is too small */
ISOMAT_API int32_t isomat_matrix_get_info(isomat_matrix_info *info, isomat_matrix matrix);

/* Writes the device address of element (0, 0), 0 if the matrix is empty.  From then on others may
 * write there without the library's knowledge, so that nothing made of the matrix is kept unless
 * isomat_matrix_prepare asks for it.  INVALID_ARGUMENT  pointer is NULL. */
ISOMAT_API int32_t isomat_matrix_get_pointer(uint64_t *pointer, isomat_matrix matrix);

/* Copies host memory into the matrix.  As isomat_matrix_from_host. */
ISOMAT_API int32_t isomat_matrix_upload(isomat_matrix matrix, const void *data, int64_t ld,
                                        isomat_stream stream);

/* Copies the matrix to host memory: element (i, j) to data[i * ld + j]; data beyond the columns
 * is left alone.  The call waits until the data is there.
 * INVALID_ARGUMENT  data is NULL (unless the matrix is empty) or ld < cols
 * LAUNCH_FAILED     a kernel that was to write the matrix failed */
ISOMAT_API int32_t isomat_matrix_to_host(void *data, int64_t ld, isomat_matrix matrix, isomat_stream stream);

/* Copies the elements of source into destination, rounded to nearest where its type is shorter.
 * SHAPE_MISMATCH    their sizes differ
 * CONTEXT_MISMATCH  they are of two contexts
 * ALIAS             they overlap, and are not the same rectangle */
ISOMAT_API int32_t isomat_matrix_copy(isomat_matrix destination, isomat_matrix source, isomat_stream stream);

/* Sets every element to value, rounded to the matrix's type. */
ISOMAT_API int32_t isomat_matrix_fill(isomat_matrix matrix, double value, isomat_stream stream);

/* ----------------------------------------------------------- multiplication */

#define ISOMAT_OP_N 0 /* the matrix as it is */
#define ISOMAT_OP_T 1 /* its transpose */

#define ISOMAT_COMPUTE_F32                                                                                   \
    0 /* within the error bound of IEEE float32 multiplication; the fastest way that keeps it */
#define ISOMAT_COMPUTE_F32_STRICT 1 /* every product and sum an IEEE float32 fused multiply-add */
#define ISOMAT_COMPUTE_TF32 2       /* float32 operands rounded to 11 significant bits, sums in float32 */
#define ISOMAT_COMPUTE_F16 3        /* float16 operands, products exact, sums in float32 */
#define ISOMAT_COMPUTE_BF16 4       /* bfloat16 operands, likewise */
#define ISOMAT_COMPUTE_F64 5        /* every product and sum an IEEE float64 fused multiply-add */

/* C = alpha * op(A) * op(B) + beta * C, with op(A) of m x k, op(B) of k x n and C of m x n.
 *
 *   compute            A and B    C                     needs
 *   F32, F32_STRICT    f32        f32, f16 or bf16      any device
 *   TF32               f32        f32, f16 or bf16      compute capability 8.0
 *   F16                f16        f32, f16 or bf16      compute capability 8.0
 *   BF16               bf16       f32, f16 or bf16      compute capability 8.0
 *   F64                f64        f64, f32, f16, bf16   any device
 *
 * *c is the matrix to write.  If it is ISOMAT_NONE, beta must be 0, and a new matrix of A's
 * context and type is created on the stream and stored in *c for the caller to destroy.
 * alpha and beta are rounded to float32, except for F64.  With beta = 0, C is not read, so that NaN in it
 * does not matter; with alpha = 0 or k = 0, A and B are not read.  Same inputs, same device, same version,
 * same tuning: same bits.
 *
 * Column-major callers pass B for A and A for B, with the sizes of the transposes.
 *
 * INVALID_ARGUMENT      c is NULL, beta != 0 without a C, an unknown op or compute mode
 * SHAPE_MISMATCH        inner sizes differ, or C is not m x n; the message gives all sizes
 * TYPE_MISMATCH         element types that this compute mode does not take
 * CONTEXT_MISMATCH      operands or stream of different contexts
 * ALIAS                 C overlaps A or B
 * UNSUPPORTED           a size above 2^31 - 65536, or a mode that this device does not have
 * OUT_OF_DEVICE_MEMORY  no room for a new C, or for the sums where C is of another type (see
 *                       isomat_gemm_epilogue) */
ISOMAT_API int32_t isomat_gemm(isomat_matrix *c, double alpha, isomat_matrix a, int32_t op_a, isomat_matrix b,
                               int32_t op_b, double beta, int32_t compute, isomat_stream stream);

#define ISOMAT_ACTIVATION_NONE 0
#define ISOMAT_ACTIVATION_RELU 1      /* the larger of x and 0; NaN stays */
#define ISOMAT_ACTIVATION_GELU 2      /* x * Phi(x), Phi the normal distribution, by erfc */
#define ISOMAT_ACTIVATION_GELU_TANH 3 /* its approximation x / 2 * (1 + tanh(...)), as networks have it */
#define ISOMAT_ACTIVATION_SILU 4      /* x / (1 + exp(-x)) */

/* What is done with a product on its way to C. */
typedef struct isomat_epilogue {
    uint32_t struct_size;
    int32_t activation; /* ISOMAT_ACTIVATION_... */
    uint64_t bias;      /* isomat_matrix of 1 x n, added to every row, or of m x 1, added to every
                           column; or ISOMAT_NONE */
    uint64_t residual;  /* isomat_matrix of m x n, or ISOMAT_NONE; it may be C */
    double scale;       /* 1 for none; not 0 */
} isomat_epilogue;

/* C = scale * activation(alpha * op(A) * op(B) + beta * C + bias) + residual, in one launch with the
 * product.  All else is as with isomat_gemm.  Each step is rounded to float32, in mode F64 to float64,
 * and the result once more to C's type.  Bias and residual may be f32, f16 or bf16, in mode F64 f64
 * too.  Infinite arguments give what the activations' formulas above give.
 *
 * INVALID_ARGUMENT      also epilogue is NULL or its struct_size too small, an unknown activation, or a
 *                       scale that is 0 as the mode rounds it
 * SHAPE_MISMATCH        also bias or residual of another shape
 * TYPE_MISMATCH         also bias or residual of a type that the mode does not take
 * CONTEXT_MISMATCH      also bias or residual of another context
 * ALIAS                 also C overlaps the bias, or the residual without being it
 * UNSUPPORTED           also more than 2^33 elements where k or alpha is 0
 * OUT_OF_DEVICE_MEMORY  also no room for the sums, of C's size in float32 (mode F64: float64): they are
 *                       kept apart where C is of another type than they are, or is the residual; never in
 *                       modes F16 and BF16
 * CAPTURE               such room is needed, and the stream is being captured
 * all else              as isomat_gemm */
ISOMAT_API int32_t isomat_gemm_epilogue(isomat_matrix *c, double alpha, isomat_matrix a, int32_t op_a,
                                        isomat_matrix b, int32_t op_b, double beta,
                                        const isomat_epilogue *epilogue, int32_t compute,
                                        isomat_stream stream);

/* C[p] = alpha * op(A[p]) * op(B[p]) + beta * C[p] for p = 0 ... count - 1, as isomat_gemm, in no
 * order.  c, a and b are arrays of count matrices; products may differ in their sizes.  Small
 * float32 products share one launch.  An operand may serve several products; no C may overlap
 * another C or an operand.
 *
 * INVALID_ARGUMENT      count is negative or above 2^31 - 1, an array is NULL, and as isomat_gemm
 * ALIAS                 two matrices C overlap, or a C and an operand
 * OUT_OF_HOST_MEMORY    no room for a list of the products
 * SHAPE_MISMATCH, TYPE_MISMATCH, CONTEXT_MISMATCH, UNSUPPORTED  as isomat_gemm; the message ends with the
 *                       product's number.  Nothing is multiplied then. */
ISOMAT_API int32_t isomat_gemm_batched(const isomat_matrix *c, double alpha, const isomat_matrix *a,
                                       int32_t op_a, const isomat_matrix *b, int32_t op_b, double beta,
                                       int64_t count, int32_t compute, isomat_stream stream);

/* The same for matrices at equal distances: a, b and c are the first ones, views of larger matrices
 * as a rule, and the following begin stride elements behind each other, within the matrix that the
 * first is a view of.  A stride of 0 gives all products the same A or B.
 *
 * INVALID_ARGUMENT      count as above; a stride is negative or leads out of the matrix
 * ALIAS                 matrices C overlap, or the range from the first C to the last meets that of
 *                       A or B
 * SHAPE_MISMATCH, TYPE_MISMATCH, CONTEXT_MISMATCH, UNSUPPORTED  as isomat_gemm */
ISOMAT_API int32_t isomat_gemm_strided_batched(isomat_matrix c, int64_t stride_c, double alpha,
                                               isomat_matrix a, int32_t op_a, int64_t stride_a,
                                               isomat_matrix b, int32_t op_b, int64_t stride_b, double beta,
                                               int64_t count, int32_t compute, isomat_stream stream);

/* KEPT FORMS
 *
 * Before some multiplications isomat makes another form of an operand: ISOMAT_COMPUTE_F32 and _TF32 on
 * Hopper's tensor cores do, at a cost like that of copying the matrix, and _F32_STRICT may transpose
 * an operand of a large product there (never ahead, by isomat_matrix_prepare).  A matrix that is used
 * again in the same place and mode keeps that form, of about its own size, until the library writes
 * the matrix, memory runs short, or the context's limit needs the room (the form used longest ago goes
 * first).  The results' bits do not depend on it.  Nothing is kept of adopted matrices, or of those
 * whose address was asked for, unless the caller asks. */

#define ISOMAT_OPERAND_A 0
#define ISOMAT_OPERAND_B 1

/* Makes now, on the stream, and keeps what isomat_gemm would make of the matrix as that operand
 * with that op and compute mode; nothing where it would make none.  Whoever writes the matrix
 * other than through the library then calls isomat_matrix_modified.
 * INVALID_ARGUMENT      unknown operand, op or compute mode
 * TYPE_MISMATCH         the mode does not take the matrix's type
 * UNSUPPORTED           the device does not have the mode
 * OUT_OF_DEVICE_MEMORY  no room on the device or under the limit */
ISOMAT_API int32_t isomat_matrix_prepare(isomat_matrix matrix, int32_t operand, int32_t op, int32_t compute,
                                         isomat_stream stream);

/* Tells that the matrix, or the one that it is a view of, was written other than through the
 * library: forms of it are dropped. */
ISOMAT_API int32_t isomat_matrix_modified(isomat_matrix matrix);

/* The most bytes of forms that a context keeps; at first an eighth of the device's memory.  0 turns
 * keeping off.  Forms over the limit are dropped.  INVALID_ARGUMENT  bytes is negative. */
ISOMAT_API int32_t isomat_context_set_keep_limit(isomat_context context, int64_t bytes);

/* Writes the bytes of forms that are kept, and the limit; either pointer may be NULL. */
ISOMAT_API int32_t isomat_context_get_kept(int64_t *bytes, int64_t *limit_bytes, isomat_context context);

/* Copies the name of the kernel that isomat_gemm takes for these sizes on this context's device,
 * operands aligned and dense; "" if it needs none.  Writes the whole length to *length if that is
 * not NULL.  INVALID_ARGUMENT, UNSUPPORTED as isomat_gemm. */
ISOMAT_API int32_t isomat_gemm_get_kernel(char *buffer, int64_t capacity, int64_t *length,
                                          isomat_context context, int64_t m, int64_t n, int64_t k,
                                          int32_t op_a, int32_t op_b, int32_t compute);

/* TUNING
 *
 * Which kernel a product takes is the library's estimate.  A context also has a table of products, by
 * their exact sizes, ops and compute mode, whose kernel is told: isomat_gemm and isomat_gemm_get_kernel
 * take that one.  When the table is first needed, it is filled from a text file, which isomat tune
 * writes: the one that the environment variable ISOMAT_TUNING names (empty: none), else
 * $XDG_CONFIG_HOME/isomat/tuning-DEVICE.txt (~/.config if that is not set), DEVICE being the device's name
 * with a hyphen for each character that is no letter and no digit.  A file that is damaged, or was made on
 * another device or by another version of the library, is ignored as a whole. */

#define ISOMAT_TUNING_NONE 0    /* there is no file */
#define ISOMAT_TUNING_USED 1    /* the table holds what the file says */
#define ISOMAT_TUNING_IGNORED 2 /* the file is not as it should be, see reason */

typedef struct isomat_tuning_info {
    uint32_t struct_size;
    int32_t state;    /* of the file, ISOMAT_TUNING_... */
    int64_t entries;  /* in the table now */
    char path[1024];  /* of the file, or where it would be; "" if nowhere */
    char reason[512]; /* one line: why the file is ignored; else "" */
} isomat_tuning_info;

/* Fills *info about a context's table.
 * INVALID_ARGUMENT  info is NULL or its struct_size is too small */
ISOMAT_API int32_t isomat_context_get_tuning(isomat_tuning_info *info, isomat_context context);

/* Copies the text of a file that holds the context's table as it is now.  Writes the whole length to
 * *length if that is not NULL. */
ISOMAT_API int32_t isomat_context_get_tuning_text(char *buffer, int64_t capacity, int64_t *length,
                                                  isomat_context context);

/* Copies the name of a kernel that can do a product on this context's device, and writes into how many
 * parts it then cuts k to *parts.  index counts all that can from 0, and 0 is what the library would take
 * by itself.  Writes the whole length of the name to *length if that is not NULL.
 * NOT_FOUND                      there are no more
 * INVALID_ARGUMENT, UNSUPPORTED  as isomat_gemm; also if a size is 0, index is negative or parts is NULL */
ISOMAT_API int32_t isomat_gemm_get_candidate(char *buffer, int64_t capacity, int64_t *length, int32_t *parts,
                                             isomat_context context, int32_t index, int64_t m, int64_t n,
                                             int64_t k, int32_t op_a, int32_t op_b, int32_t compute);

/* Enters one of them into the context's table; name NULL takes the product out of it.
 * INVALID_ARGUMENT, UNSUPPORTED  as isomat_gemm; also if a size is 0
 * NOT_FOUND                      no kernel has that name, or it cannot do this product in so many parts */
ISOMAT_API int32_t isomat_gemm_set_kernel(isomat_context context, int64_t m, int64_t n, int64_t k,
                                          int32_t op_a, int32_t op_b, int32_t compute, const char *name,
                                          int32_t parts);

#ifdef __cplusplus
}
#endif

#endif /* ISOMAT_H */
