/* SPDX-License-Identifier: MIT */
/* elf64.h: a cubin's sections.  libelf is for the host's files; a cubin needs only this much, and
 * a large library holds thousands of them. */
#ifndef ISOMAT_INSPECT_ELF64_H
#define ISOMAT_INSPECT_ELF64_H

#include <elf.h>

#include "bytes.h"

#define EM_NVIDIA 190

struct insp_elf {
    struct insp_span file;
    struct insp_span sections; /* the headers */
    uint32_t section_count;
    struct insp_span names;
};

/* Whether a cubin begins here, as far as its header tells. */
bool insp_elf_is_cubin(struct insp_span span);

/* Returns NULL, or what is wrong, with the byte in *offset. */
const char *insp_elf_open(struct insp_elf *elf, struct insp_span file, uint64_t *offset);

/* A zeroed header if there is no such section. */
Elf64_Shdr insp_elf_section(const struct insp_elf *elf, uint32_t index);

/* The section's bytes; empty for one that has none in the file. */
struct insp_span insp_elf_bytes(const struct insp_elf *elf, const Elf64_Shdr *section);

/* Terminated text in a span of strings; "" if there is none. */
const char *insp_elf_text(struct insp_span strings, uint64_t offset);

/* How many bytes the file takes, where it lies inside others. */
uint64_t insp_elf_extent(struct insp_span span);

#endif /* ISOMAT_INSPECT_ELF64_H */
