/* SPDX-License-Identifier: MIT */
/* module.h: compiled images loaded into a context. */
#ifndef ISOMAT_MODULE_H
#define ISOMAT_MODULE_H

#include "context.h"

/* An image loaded into a context, with what there is to tell about it. */
struct im_loaded_module {
    struct im_attachment attachment; /* of an embedded one, to its context */
    CUmodule cu;
    isomat_module_info info; /* struct_size is not set */
    char *report;
    char *log;
};

struct im_module {
    struct im_object object;
    struct im_context *context;
    struct im_loaded_module *loaded;
    bool owned; /* an embedded module belongs to its context */
};

/* A kernel of isomat's own, loaded when first asked for; the context is current. */
int32_t im_module_own_kernel(CUfunction *function, struct im_context *context, enum im_kernel_id id);

#endif /* ISOMAT_MODULE_H */
