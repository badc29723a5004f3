/* SPDX-License-Identifier: MIT */
/* api_per_thread.c: the functions whose default stream is the thread's own. */
#include "driver.h"
#include "per_thread.h"

static _Thread_local bool per_thread_default;

bool default_is_per_thread(void)
{
    return per_thread_default;
}

#define X(symbol, function, parameters, arguments)                                                           \
    CUresult symbol parameters                                                                               \
    {                                                                                                        \
        per_thread_default = true;                                                                           \
        CUresult result = function arguments;                                                                \
        per_thread_default = false;                                                                          \
        return result;                                                                                       \
    }
API_PER_THREAD(X)
