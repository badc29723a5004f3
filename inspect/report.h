/* SPDX-License-Identifier: MIT */
/* report.h: what was found in one file: its objects, images and kernels. */
#ifndef ISOMAT_INSPECT_REPORT_H
#define ISOMAT_INSPECT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"

#define INSP_UNKNOWN (-1)

/* The kinds of images, numbered as in a fatbin's entry. */
enum { INSP_PTX = 1, INSP_CUBIN = 2, INSP_LTOIR = 8 };

enum insp_packing { INSP_STORED, INSP_LZ4, INSP_ZSTD, INSP_OLD_PACKING };

/* Why an image is taken for a build with -G. */
enum {
    INSP_DEBUG_FLAG = 1,    /* flag 0x2 of the fatbin's entry */
    INSP_DEBUG_SECTION = 2, /* the cubin has .debug_info */
    INSP_DEBUG_COMMAND = 4, /* ptxas was given -g */
    INSP_DEBUG_TARGET = 8,  /* PTX: .target ..., debug */
};

/* What the instructions of a kernel tell. */
struct insp_code {
    uint32_t instructions;
    uint32_t f32, f64;              /* arithmetic: add, mul, fma */
    uint32_t fma32;                 /* of f32 */
    uint32_t mul_add32;             /* an f32 addition whose operand is a product */
    uint32_t widen, narrow;         /* f32 to f64; and back, of a value that was widened */
    uint32_t global, global_vector; /* accesses to global memory; those of 8 bytes or more a thread */
    uint32_t neighbours;            /* runs of 4 scalar accesses side by side */
    uint32_t local;                 /* accesses to local memory */
};

struct insp_parameter {
    uint32_t offset, bytes;
};

/* INSP_UNKNOWN stands where the image does not tell, as PTX does for all that ptxas decides. */
struct insp_kernel {
    const char *name;
    uint32_t image;
    int32_t registers;
    int32_t max_registers; /* the limit that the compiler was given; 0 none */
    int64_t stack_bytes;
    bool recursive; /* the stack's depth is not known when compiling */
    int64_t spill_store_bytes, spill_load_bytes;
    int64_t shared_bytes;
    int32_t barriers;
    uint32_t max_threads[3];      /* __launch_bounds__, .maxntid; 0 none */
    uint32_t required_threads[3]; /* .reqntid; 0 none */
    uint32_t cluster[3];          /* 0 none */
    int64_t constant_bytes;       /* bank 0, parameters included */
    int64_t parameter_bytes;
    uint32_t parameter_count;
    struct insp_parameter *parameters;
    int64_t code_bytes;
    struct insp_code code;
};

struct insp_image {
    uint32_t object;      /* that it lies in */
    const char *place;    /* section or "scan" */
    uint64_t offset;      /* in the object */
    int32_t container;    /* counted over the file; -1: the image lies bare */
    int32_t kind;         /* INSP_PTX, ... or another number */
    int32_t arch;         /* 90 for sm_90 or compute_90 */
    char suffix;          /* 'a', 'f', or 0 */
    int32_t virtual_arch; /* of the PTX that a cubin was made from; 0 unknown */
    int32_t ptx_version;  /* 90 for 9.0; 0 for no PTX */
    int32_t toolkit;      /* 130 for CUDA 13.0; 0 unknown */
    const char *compiler; /* version, as its note says; NULL unknown */
    const char *command;  /* ptxas' options, or those for the driver; NULL unknown */
    const char *source;   /* file name; NULL unknown */
    unsigned debug;       /* INSP_DEBUG_... */
    bool lineinfo;
    bool relocatable; /* to be linked by nvlink first */
    enum insp_packing packing;
    uint64_t stored_bytes, full_bytes;
    uint32_t first_kernel, kernel_count;
    int64_t user_constant_bytes, global_bytes;
    const char *problem; /* why its inside was not read; NULL if it was */
};

/* A file of the host's linker: the file itself, or a member of an archive or wheel. */
struct insp_object {
    const char *member; /* NULL: the file itself */
    const char *kind;   /* in words */
    uint64_t offset;    /* in the file, 0 where it was compressed */
    bool static_cudart;
    const char *needed_cudart; /* the shared cudart that it names; NULL none */
    bool rust;
};

struct insp_problem {
    const char *text; /* with the offset */
};

struct insp_report {
    struct insp_arena arena;
    const char *path;
    const char *kind; /* in words */
    uint64_t bytes;
    struct insp_object *objects;
    uint32_t object_count;
    struct insp_image *images;
    uint32_t image_count;
    struct insp_kernel *kernels;
    uint32_t kernel_count;
    int32_t container_count;
    struct insp_problem *problems; /* what is damaged */
    uint32_t problem_count;
    uint32_t dropped; /* images above the limit */
};

/* Shows how far a long work is; may be NULL. */
typedef void insp_progress(void *payload, const char *path, uint64_t done, uint64_t total);

struct insp_reader {
    struct insp_report *report;
    insp_progress *progress;
    void *payload;
    void *unpack;           /* decompress.c's state */
    struct insp_span whole; /* the mapped file or member */
    bool mapped;            /* whole may be given back to the system page by page */
    int descriptor;         /* of the mapped file; -1: there is none */
    uint32_t object;
    uint32_t false_cubins; /* that a scan met */
    int depth;             /* of archives inside archives */
};

struct insp_image *insp_add_image(struct insp_reader *reader);
struct insp_kernel *insp_add_kernel(struct insp_reader *reader);
bool insp_add_object(struct insp_reader *reader, const char *member, const char *kind, uint64_t offset);

/* Notes damage; what stands before " at byte N" is printf's. */
void insp_damaged(struct insp_reader *reader, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* ISOMAT_INSPECT_REPORT_H */
