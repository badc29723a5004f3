/* SPDX-License-Identifier: MIT */
/* neighbours.h: finds scalar accesses that stand side by side, where one vector would do. */
#ifndef ISOMAT_INSPECT_NEIGHBOURS_H
#define ISOMAT_INSPECT_NEIGHBOURS_H

#include "report.h"

enum { INSP_NEIGHBOUR_SLOTS = 4 };

/* The accesses just before, by address register. */
struct insp_neighbours {
    struct {
        uint32_t base;  /* the register and the operation, in any numbering */
        int32_t offset; /* of the last access */
        uint32_t run;   /* how many stood side by side; 0 a free slot */
        uint32_t at;    /* its instruction */
    } slots[INSP_NEIGHBOUR_SLOTS];
    uint32_t next;
};

/* Sees an access of 4 bytes; counts a run when its fourth access is met. */
void insp_see_access(struct insp_neighbours *neighbours, struct insp_code *code, uint32_t base,
                     int32_t offset);

#endif /* ISOMAT_INSPECT_NEIGHBOURS_H */
