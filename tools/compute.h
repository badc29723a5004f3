/* SPDX-License-Identifier: MIT */
/* compute.h: the compute modes: their names, the matrices they take, and what they make of a number. */
#ifndef ISOMAT_TOOLS_COMPUTE_H
#define ISOMAT_TOOLS_COMPUTE_H

#include <stdint.h>

#include <isomat.h>

#define COMPUTE_HELP "f32|f32-strict|tf32|f16|bf16|f64"
#define COMPUTE_FILE_HELP "f32|f32-strict|tf32|f64"

/* For OPTION_CUSTOM: a mode's name into an int32_t, ISOMAT_COMPUTE_...  The second takes those of
 * matrices that .npy files hold. */
const char *parse_compute(void *target, const char *text);
const char *parse_file_compute(void *target, const char *text);
const char *compute_name(int32_t compute);

/* The type of A and B, ISOMAT_TYPE_... */
int32_t compute_type(int32_t compute);

const char *type_name(int32_t type);
int64_t type_bytes(int32_t type);

/* The value of element index of an array of that type, float64 excepted. */
float type_get(int32_t type, const void *data, int64_t index);

/* The mode's operand nearest to x, ties to even; x itself in mode F64. */
float compute_round(int32_t compute, float x);

/* For a sum of k products of such operands: what |c - exact| / |A||B| must not be above.  The
 * sum is of float32, in mode F64 of float64. */
double compute_bound(int32_t compute, int64_t k);

/* What rounding a float32 number to the type may change it by; 0 for float32 and float64. */
double type_rounding(int32_t type, double number);

/* What the mode is in cuBLAS. */
struct compute_in_cublas {
    int type;    /* cudaDataType of A and B */
    int compute; /* cublasComputeType_t */
};
struct compute_in_cublas compute_in_cublas(int32_t compute);

#endif /* ISOMAT_TOOLS_COMPUTE_H */
