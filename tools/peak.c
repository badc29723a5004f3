/* SPDX-License-Identifier: MIT */
/* peak.c: what a device's arithmetic units can do at most, at its highest clock. */
#include <math.h>
#include <stddef.h>

#include "peak.h"

/* FLOP per clock of one multiprocessor's tensor cores, dense, sums in float32 or float64. */
static const struct tensor_rates {
    int capability;
    double f16, f64;
} tensor_rates[] = {
    {80, 2048, 128},
    {90, 4096, 256},
};

static int capability_of(const struct session *session)
{
    return 10 * session->device.capability_major + session->device.capability_minor;
}

/* Multiprocessors times clocks per second. */
static double clocks_of(const struct session *session)
{
    const isomat_device_info *device = &session->device;
    if (is_host_driver(&session->driver) || device->clock_khz <= 0)
        return NAN;
    return (double)device->multiprocessors * 1e3 * device->clock_khz;
}

double fma_peak(const struct session *session)
{
    /* 64 cores per multiprocessor on Volta, Turing and GA100, 128 since GA10x and Hopper */
    int cores = capability_of(session) <= 80 ? 64 : 128;
    return 2.0 * cores * clocks_of(session);
}

double mode_peak(const struct session *session, int32_t compute)
{
    if (compute == ISOMAT_COMPUTE_F32_STRICT)
        return fma_peak(session);
    for (size_t i = 0; i < sizeof tensor_rates / sizeof *tensor_rates; i++)
        if (tensor_rates[i].capability == capability_of(session)) {
            double rate = compute == ISOMAT_COMPUTE_F64   ? tensor_rates[i].f64
                          : compute == ISOMAT_COMPUTE_F32 ? tensor_rates[i].f16 / 3.0
                                                          : tensor_rates[i].f16;
            return rate * clocks_of(session);
        }
    return NAN;
}
