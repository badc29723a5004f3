/* SPDX-License-Identifier: MIT */
/* decompress.h: the payload of a fatbin's entry in the plain. */
#ifndef ISOMAT_INSPECT_DECOMPRESS_H
#define ISOMAT_INSPECT_DECOMPRESS_H

#include "bytes.h"
#include "report.h"

struct insp_unpacker; /* keeps its memory from one payload to the next */

struct insp_unpacker *insp_unpacker_create(void);
void insp_unpacker_free(struct insp_unpacker *unpacker);

/* Points *plain at the bytes, valid until the next call.  Returns NULL, or what is wrong. */
const char *insp_unpack(struct insp_unpacker *unpacker, struct insp_span *plain, struct insp_span packed,
                        enum insp_packing packing, uint64_t full_bytes);

#endif /* ISOMAT_INSPECT_DECOMPRESS_H */
