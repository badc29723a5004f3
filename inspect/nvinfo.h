/* SPDX-License-Identifier: MIT */
/* nvinfo.h: the attributes in a cubin's .nv.info sections. */
#ifndef ISOMAT_INSPECT_NVINFO_H
#define ISOMAT_INSPECT_NVINFO_H

#include "report.h"

struct insp_attribute {
    uint8_t number;         /* EIATTR_... */
    uint32_t value;         /* of a short one */
    struct insp_span bytes; /* of a long one */
};

/* The attributes of the whole cubin: {symbol, number} each. */
enum {
    INSP_ATTRIBUTE_FRAME = 0x11,
    INSP_ATTRIBUTE_STACK = 0x12,
    INSP_ATTRIBUTE_REGISTERS = 0x2f,
};

/* Reads one attribute at *offset and moves on; false at the end or at damage. */
bool insp_nvinfo_next(struct insp_attribute *attribute, struct insp_span section, uint64_t *offset);

/* Reads the attributes of one kernel; text is its machine code. */
void insp_nvinfo_kernel(struct insp_reader *reader, struct insp_kernel *kernel, struct insp_span section,
                        struct insp_span text);

#endif /* ISOMAT_INSPECT_NVINFO_H */
