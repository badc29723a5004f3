/* SPDX-License-Identifier: MIT */
/* constant.c: the constants of isomat.h by their names. */
#include <string.h>

#include "isomat.h"
#include "status.h"

static const struct {
    const char *name;
    int32_t value;
} constants[] = {
#include "lib/constants.inc"
};

int32_t isomat_constant_get(int64_t *value, const char *name)
{
    if (value == NULL)
        return IM_NULL_ARGUMENT("value");
    if (name == NULL)
        return IM_NULL_ARGUMENT("name");
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(name, constants[i].name) == 0) {
            *value = constants[i].value;
            return ISOMAT_OK;
        }
    return im_fail(ISOMAT_ERROR_NOT_FOUND, "isomat %s has no constant \"%.64s\"", isomat_version_string(),
                   name);
}
