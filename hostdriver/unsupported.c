/* SPDX-License-Identifier: MIT */
/* unsupported.c: the functions that are not there. */
#include <stdbool.h>
#include <stdio.h>

#include "functions.h"

/* Said once for each function, whoever calls it how often. */
static CUresult unsupported(const char *name, bool *said)
{
    if (!__atomic_exchange_n(said, true, __ATOMIC_RELAXED))
        fprintf(stderr, "isomat host driver: %s is not implemented: CUDA_ERROR_NOT_SUPPORTED\n", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define X(name, symbol, version)                                                                             \
    CUresult symbol(void)                                                                                    \
    {                                                                                                        \
        static bool said;                                                                                    \
        return unsupported(#symbol, &said);                                                                  \
    }
API_UNSUPPORTED(X)
#undef X
