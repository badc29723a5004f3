/* SPDX-License-Identifier: MIT */
/* typed.h: matrices of any element type inside poisoned device memory, with their values on the host.
 *
 * As operand.h, for the kernels alone: what is not an element is a NaN that must
 * neither be read nor overwritten.
 */
#ifndef ISOMAT_TEST_TYPED_H
#define ISOMAT_TEST_TYPED_H

#include "tests/support/test.h"

/* Where the elements lie: row length and first element, in elements. */
enum typed_layout {
    TYPED_ALIGNED, /* ld a multiple of 8, aligned to 16 bytes */
    TYPED_DENSE,   /* ld = cols, aligned to 16 bytes */
    TYPED_EVEN,    /* ld even, two elements past an aligned address */
    TYPED_ODD,     /* ld odd, one element past an aligned address */
    TYPED_SHIFTED, /* ld a multiple of 8, one element past an aligned address */
    TYPED_LAYOUTS
};

struct typed {
    isomat_context context;
    uint64_t memory;
    uint8_t *host; /* all of the allocation as it was uploaded */
    int32_t type;  /* ISOMAT_TYPE_... */
    int64_t rows, cols, ld, offset, total, bytes;
};

/* The element that is nearest to value, ties to even; and its value. */
uint32_t typed_encode(int32_t type, double value);
double typed_decode(int32_t type, uint32_t bits);

int64_t typed_element_bytes(int32_t type);

/* value(i, j, context) gives each element. */
typedef double (*typed_value)(int64_t i, int64_t j, void *context);

void typed_create(struct typed *x, isomat_context context, int32_t type, int64_t rows, int64_t cols,
                  enum typed_layout layout, typed_value value, void *value_context);
void typed_destroy(struct typed *x);

/* Uploads host again. */
void typed_reset(const struct typed *x);

/* Address of element (0, 0). */
uint64_t typed_address(const struct typed *x);

/* A matrix over the elements, borrowed; the caller destroys it first. */
isomat_matrix typed_adopt(const struct typed *x);

/* Element (i, j) as bits: in a copy of the allocation, and in the copy on the host. */
uint32_t typed_bits(const struct typed *x, const uint8_t *data, int64_t i, int64_t j);
void typed_put(struct typed *x, int64_t i, int64_t j, uint32_t bits);

/* Element (i, j) in a copy of the allocation. */
double typed_get(const struct typed *x, const uint8_t *data, int64_t i, int64_t j);

/* A copy of the allocation as it is now on the device; the caller frees it. */
uint8_t *typed_download(const struct typed *x);

/* True if nothing differs from what was uploaded, but for the elements if `but_elements`; else says where. */
int typed_intact(const struct typed *x, const uint8_t *now, int but_elements);

#endif
