/* SPDX-License-Identifier: MIT */
/* operand.h: matrices on the device inside poisoned memory, with their copy on the host.
 *
 * An operand lies in its own allocation.  What is not an element of it, the
 * padding of each row and a guard band behind the last, is filled with one NaN:
 * read, it spoils the result; overwritten, operand_intact tells.
 */
#ifndef ISOMAT_TEST_OPERAND_H
#define ISOMAT_TEST_OPERAND_H

#include "tests/support/test.h"

enum operand_layout {
    OPERAND_DENSE,   /* ld = cols, aligned */
    OPERAND_PADDED,  /* ld = cols + 3 */
    OPERAND_ALIGNED, /* ld = cols + 4 rounded up to a multiple of 4 */
    OPERAND_SHIFTED, /* ld = cols + 3, starting one element past an aligned address */
    OPERAND_LAYOUTS
};

enum operand_fill {
    OPERAND_SIGNED,   /* uniform in (-1, 1) */
    OPERAND_POSITIVE, /* uniform in (0, 1) */
    OPERAND_WIDE,     /* signed, with exponents from -20 to 20 */
    OPERAND_NAN       /* all NaN: an operand that must not be read */
};

struct operand {
    isomat_context context;
    isomat_matrix matrix;
    uint64_t memory;
    float *host; /* all of the allocation as it was uploaded */
    int64_t rows, cols, ld, offset, total;
};

/* The seed of all random numbers: ISOMAT_TEST_SEED, or a fixed one. */
uint64_t operand_seed(void);

/* A random number in [0, bound) out of a sequence started with the seed. */
uint64_t operand_random(uint64_t *sequence, uint64_t bound);

void operand_fill(float *data, int64_t count, enum operand_fill fill, uint64_t sequence);

void operand_create(struct operand *operand, isomat_context context, int64_t rows, int64_t cols,
                    enum operand_layout layout, enum operand_fill fill);
void operand_destroy(struct operand *operand);

/* Element (i, j) in a copy of the allocation. */
float *operand_at(const struct operand *operand, float *data, int64_t i, int64_t j);

/* A copy of the allocation as it is now on the device; the caller frees it. */
float *operand_download(const struct operand *operand);

/* True if nothing but the elements differs from what was uploaded; else says where. */
int operand_guarded(const struct operand *operand, const float *now);

/* The same for all of it, elements included. */
int operand_unchanged(const struct operand *operand);

#endif
