/* SPDX-License-Identifier: MIT */
/* version.c: the version of the library in use. */
#include "isomat.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

int32_t isomat_version(void)
{
    return ISOMAT_VERSION_MAJOR * 1000000 + ISOMAT_VERSION_MINOR * 1000 + ISOMAT_VERSION_PATCH;
}

const char *isomat_version_string(void)
{
    return TEXT(ISOMAT_VERSION_MAJOR) "." TEXT(ISOMAT_VERSION_MINOR) "." TEXT(ISOMAT_VERSION_PATCH);
}
