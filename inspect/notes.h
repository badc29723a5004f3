/* SPDX-License-Identifier: MIT */
/* notes.h: what a cubin's notes tell of the tools that made it. */
#ifndef ISOMAT_INSPECT_NOTES_H
#define ISOMAT_INSPECT_NOTES_H

#include "report.h"

void insp_read_tool_note(struct insp_reader *reader, struct insp_image *image, struct insp_span section);
void insp_read_arch_note(struct insp_image *image, struct insp_span section);
void insp_read_compatibility(struct insp_image *image, struct insp_span section);

#endif /* ISOMAT_INSPECT_NOTES_H */
