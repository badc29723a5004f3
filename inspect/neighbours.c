/* SPDX-License-Identifier: MIT */
/* neighbours.c: finds scalar accesses that stand side by side, where one vector would do. */
#include "neighbours.h"

enum { RUN = 4, MAX_DISTANCE = 64 };

void insp_see_access(struct insp_neighbours *neighbours, struct insp_code *code, uint32_t base,
                     int32_t offset)
{
    uint32_t at = code->instructions;
    for (int i = 0; i < INSP_NEIGHBOUR_SLOTS; i++) {
        if (!neighbours->slots[i].run || neighbours->slots[i].base != base ||
            at - neighbours->slots[i].at > MAX_DISTANCE)
            continue;
        int64_t step = (int64_t)offset - neighbours->slots[i].offset;
        neighbours->slots[i].run = step == 4 || step == -4 ? neighbours->slots[i].run + 1 : 1;
        neighbours->slots[i].offset = offset;
        neighbours->slots[i].at = at;
        if (neighbours->slots[i].run % RUN == 0)
            code->neighbours++;
        return;
    }
    uint32_t free_slot = neighbours->next;
    neighbours->next = (neighbours->next + 1) % INSP_NEIGHBOUR_SLOTS;
    neighbours->slots[free_slot].base = base;
    neighbours->slots[free_slot].offset = offset;
    neighbours->slots[free_slot].run = 1;
    neighbours->slots[free_slot].at = at;
}
