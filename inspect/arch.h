/* SPDX-License-Identifier: MIT */
/* arch.h: what is known of each architecture and toolkit, and what a kernel makes of it. */
#ifndef ISOMAT_INSPECT_ARCH_H
#define ISOMAT_INSPECT_ARCH_H

#include "report.h"

struct insp_arch {
    int32_t arch;               /* 90 */
    int32_t toolkit;            /* the first CUDA that makes code for it, 118 for 11.8 */
    int32_t warps, blocks;      /* most at a time on one multiprocessor */
    int32_t shared_bytes;       /* of a multiprocessor */
    int32_t shared_block_bytes; /* most that one block may have, opting in */
    int32_t shared_reserved;    /* of each block, by the system */
    int32_t shared_unit;        /* of allocation */
};

/* A device to run on. */
struct insp_target {
    int32_t arch;     /* 90; 0: none is known */
    char suffix;      /* 'a' where --arch said so; an image may then be taken that fits it alone */
    int32_t driver;   /* 130: the newest CUDA that the driver takes; 0 unknown */
    const char *from; /* in words: "--arch", "device 0, NVIDIA H200" */
};

/* NULL for one that is not in the table. */
const struct insp_arch *insp_arch_find(int32_t arch);
const struct insp_arch *insp_arch_at(int index); /* NULL behind the last */

/* The CUDA that the driver must support to take PTX of that version, 130 for 13.0; 0 unknown. */
int32_t insp_ptx_toolkit(int32_t ptx_version);

enum insp_limiter { INSP_BY_THREADS, INSP_BY_BLOCKS, INSP_BY_REGISTERS, INSP_BY_SHARED, INSP_BY_BARRIERS };

struct insp_occupancy {
    int32_t block_threads; /* what was reckoned with */
    bool assumed;          /* the kernel does not say how large its blocks are */
    int32_t blocks;        /* on one multiprocessor; 0: the kernel cannot be launched so */
    int32_t warps, max_warps;
    enum insp_limiter limiter;
};

/* Without dynamic shared memory, which the launch decides.  false if the kernel or architecture does
 * not tell enough. */
bool insp_occupancy(struct insp_occupancy *occupancy, const struct insp_kernel *kernel, int32_t arch);
const char *insp_limiter_name(enum insp_limiter limiter);

/* How an image serves a device. */
enum insp_fit { INSP_NO_FIT, INSP_FIT_JIT, INSP_FIT };
enum insp_fit insp_image_fit(const struct insp_image *image, const struct insp_target *target);

#endif /* ISOMAT_INSPECT_ARCH_H */
