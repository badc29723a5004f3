/* SPDX-License-Identifier: MIT */
/* event.h: events. */
#ifndef ISOMAT_EVENT_H
#define ISOMAT_EVENT_H

#include "context.h"

struct im_event {
    struct im_object object;
    struct im_context *context;
    CUevent cu;
    bool owned;
};

#endif /* ISOMAT_EVENT_H */
