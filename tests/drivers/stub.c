/* SPDX-License-Identifier: MIT */
/* stub.c: behaves as the toolkit's stub of libcuda: every function is there and refuses. */
#include "lib/cuda_abi.h"
#include "lib/driver_symbols.h"

#define EXPORT __attribute__((visibility("default")))

/* Arguments do not matter to a function that only returns, in the C ABIs that have a CUDA driver. */
#define STUB(name)                                                                                           \
    EXPORT uint32_t name(void);                                                                              \
    uint32_t name(void)                                                                                      \
    {                                                                                                        \
        return 34;                                                                                           \
    }
#define ROW(need, name, version, parameters) STUB(name) STUB(name##_v2)

DRIVER_SYMBOLS(ROW)
STUB(cuGetProcAddress)
STUB(cuGetProcAddress_v2)
