/* SPDX-License-Identifier: MIT */
/* fatbin.h: the containers that nvcc embeds. */
#ifndef ISOMAT_INSPECT_FATBIN_H
#define ISOMAT_INSPECT_FATBIN_H

#include "report.h"

#define INSP_FATBIN_MAGIC "\x50\xed\x55\xba"
#define INSP_FATBIN_HEADER 16

/* Where the container at offset ends, if there is one that is whole; 0 if not. */
uint64_t insp_fatbin_end(struct insp_span span, uint64_t offset);

/* Reads the container that begins at offset; base is where the span lies in the object.  Entries up
 * to the first that is damaged are added.  Returns where the container ends. */
uint64_t insp_fatbin_read(struct insp_reader *reader, struct insp_span span, uint64_t offset, uint64_t base,
                          const char *place);

/* Reads bytes that are a cubin, PTX or other image into the newest image. */
void insp_image_read(struct insp_reader *reader, struct insp_image *image, struct insp_span plain);

#endif /* ISOMAT_INSPECT_FATBIN_H */
