/* SPDX-License-Identifier: MIT */
/* ptx_code.h: facts from the instructions of a PTX entry. */
#ifndef ISOMAT_INSPECT_PTX_CODE_H
#define ISOMAT_INSPECT_PTX_CODE_H

#include "ptx_words.h"
#include "report.h"

/* Reads the body behind its opening brace.  any_product: products without explicit rounding count
 * too, since nothing fuses them later (a build with -G). */
void insp_ptx_code(struct insp_code *code, bool *lineinfo, struct insp_words *words, bool any_product);

#endif /* ISOMAT_INSPECT_PTX_CODE_H */
