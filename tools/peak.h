/* SPDX-License-Identifier: MIT */
/* peak.h: what a device's arithmetic units can do at most, at its highest clock. */
#ifndef ISOMAT_TOOLS_PEAK_H
#define ISOMAT_TOOLS_PEAK_H

#include "session.h"

/* Float32 fma on CUDA cores, in FLOP/s: multiprocessors x cores of each x 2 x clock.  NaN on the host
 * driver. */
double fma_peak(const struct session *session);

/* The fastest way that a device has to the mode's accuracy, in FLOP/s; NaN where that is not known.
 * F32 is three products of 16-bit parts on tensor cores, TF32 one of operands that float16 holds. */
double mode_peak(const struct session *session, int32_t compute);

#endif /* ISOMAT_TOOLS_PEAK_H */
