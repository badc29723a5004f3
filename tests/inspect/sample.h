/* SPDX-License-Identifier: MIT */
/* sample.h: files for the tests of inspect: those of samples/, and containers made around them. */
#ifndef ISOMAT_TESTS_INSPECT_SAMPLE_H
#define ISOMAT_TESTS_INSPECT_SAMPLE_H

#include <stddef.h>

struct sample {
    unsigned char *bytes;
    size_t size;
};

/* Reads samples/name, below $srcdir; ends the program if it cannot. */
struct sample sample_load(const char *name);

/* An ELF shared library of the host, with the sample as a section of that name, allocated. */
struct sample sample_in_elf(const struct sample *inner, const char *section);

/* An archive with the sample as its only member. */
struct sample sample_in_archive(const struct sample *inner, const char *member);

/* The sample with junk before and after it. */
struct sample sample_in_junk(const struct sample *inner);

void sample_free(struct sample *sample);

#endif /* ISOMAT_TESTS_INSPECT_SAMPLE_H */
