/* SPDX-License-Identifier: MIT */
/* work.h: kernels of tests/kernels ready to launch, one of them to keep a stream busy. */
#ifndef ISOMAT_TEST_WORK_H
#define ISOMAT_TEST_WORK_H

#include "tests/support/device.h"

struct work {
    isomat_module module;
    isomat_kernel spin;
    isomat_kernel fault;
    isomat_matrix out;
};

void work_load(struct work *work, isomat_context context);
void work_unload(struct work *work);

/* Submits a kernel that takes about that many milliseconds on a GPU, and no time on the host driver. */
void work_spin(const struct work *work, isomat_stream stream, int milliseconds);

/* Submits a kernel that fails.  Returns the status of the launch. */
int32_t work_fault(const struct work *work, isomat_stream stream);

/* A launch of blocks * threads. */
isomat_launch work_launch(uint32_t blocks, uint32_t threads, isomat_stream stream);

#endif
