/* SPDX-License-Identifier: MIT */
/* element.h: the types of values that a kernel takes: how they are written, read and compared. */
#ifndef ISOMAT_TOOLS_ELEMENT_H
#define ISOMAT_TOOLS_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element_kind { KIND_FLOAT, KIND_SIGNED, KIND_UNSIGNED };

struct element {
    const char *name;  /* "f32" */
    const char *dtype; /* as a .npy file says it: "<f4" */
    enum element_kind kind;
    int bytes;
};

enum { ELEMENT_MAX_BYTES = 8 };

#define ELEMENT_NAMES "f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64"

/* NULL if there is no such type. */
const struct element *element_by_name(const char *name, size_t length);
const struct element *element_by_dtype(const char *dtype);

/* Reads one value from text into value, ELEMENT_MAX_BYTES of room.  Returns NULL, or what is wrong. */
const char *element_parse(void *value, const struct element *element, const char *text);

/* Element index of an array.  A long double holds every value of every type. */
long double element_get(const struct element *element, const void *data, int64_t index);

/* Sets each of count elements to the bytes of value. */
void element_fill(const struct element *element, void *data, int64_t count, const void *value);

/* Sets them to random values: from -0.5 up to 0.5, or any integer of the type. */
void element_randomise(const struct element *element, void *data, int64_t count, uint64_t seed);

#endif /* ISOMAT_TOOLS_ELEMENT_H */
