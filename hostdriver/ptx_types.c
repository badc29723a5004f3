/* SPDX-License-Identifier: MIT */
/* ptx_types.c: the fundamental types of PTX. */
#include <string.h>

#include "ptx.h"

static const struct {
    const char *name;
    uint8_t bytes, kind;
} types[] = {{"", 0, KIND_BITS},
#define X(name, bytes, kind) {#name, bytes, KIND_##kind},
             PTX_TYPES(X)
#undef X
};

enum ptx_type ptx_type_find(const char *text, size_t length)
{
    for (unsigned i = 1; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, text, length) == 0)
            return (enum ptx_type)i;
    return TYPE_NONE;
}

unsigned ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

enum type_kind ptx_type_kind(enum ptx_type type)
{
    return (enum type_kind)types[type].kind;
}

enum reg_class ptx_type_class(enum ptx_type type)
{
    if (type == TYPE_pred)
        return CLASS_P;
    switch (types[type].bytes) {
    case 1:
    case 2:
        return CLASS_H;
    case 4:
        return CLASS_W;
    case 8:
        return CLASS_X;
    default:
        return CLASS_NONE;
    }
}
