/* SPDX-License-Identifier: MIT */
/* compute.c: the compute modes: their names, the matrices they take, and what they make of a number. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "compute.h"

/* cudaDataType and cublasComputeType_t; nothing of CUDA is needed to build this. */
enum { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
enum { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 };

static const struct mode {
    const char *name;
    int32_t compute, type;
    int bits; /* significant bits of an operand */
    struct compute_in_cublas cublas;
} modes[] = {
    {"f32", ISOMAT_COMPUTE_F32, ISOMAT_TYPE_F32, 24, {CUDA_R_32F, CUBLAS_COMPUTE_32F}},
    {"f32-strict", ISOMAT_COMPUTE_F32_STRICT, ISOMAT_TYPE_F32, 24, {CUDA_R_32F, CUBLAS_COMPUTE_32F}},
    {"tf32", ISOMAT_COMPUTE_TF32, ISOMAT_TYPE_F32, 11, {CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32}},
    {"f16", ISOMAT_COMPUTE_F16, ISOMAT_TYPE_F16, 11, {CUDA_R_16F, CUBLAS_COMPUTE_32F}},
    {"bf16", ISOMAT_COMPUTE_BF16, ISOMAT_TYPE_BF16, 8, {CUDA_R_16BF, CUBLAS_COMPUTE_32F}},
    {"f64", ISOMAT_COMPUTE_F64, ISOMAT_TYPE_F64, 53, {CUDA_R_64F, CUBLAS_COMPUTE_64F}},
};

static const struct mode *mode_of(int32_t compute)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].compute == compute)
            return &modes[i];
    return &modes[0];
}

static bool parse(int32_t *compute, const char *text, bool any_type)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(text, modes[i].name) == 0 && (any_type || type_bytes(modes[i].type) > 2)) {
            *compute = modes[i].compute;
            return true;
        }
    return false;
}

const char *parse_compute(void *target, const char *text)
{
    return parse(target, text, true) ? NULL : "unknown compute mode, not one of " COMPUTE_HELP;
}

const char *parse_file_compute(void *target, const char *text)
{
    return parse(target, text, false) ? NULL : "unknown compute mode, not one of " COMPUTE_FILE_HELP;
}

const char *compute_name(int32_t compute)
{
    return mode_of(compute)->name;
}

int32_t compute_type(int32_t compute)
{
    return mode_of(compute)->type;
}

struct compute_in_cublas compute_in_cublas(int32_t compute)
{
    return mode_of(compute)->cublas;
}

const char *type_name(int32_t type)
{
    return type == ISOMAT_TYPE_F16    ? "f16"
           : type == ISOMAT_TYPE_BF16 ? "bf16"
           : type == ISOMAT_TYPE_F64  ? "f64"
                                      : "f32";
}

int64_t type_bytes(int32_t type)
{
    return type == ISOMAT_TYPE_F64 ? 8 : type == ISOMAT_TYPE_F32 ? 4 : 2;
}

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float half_value(uint16_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 1023u;
    if (exponent == 0)
        return (sign ? -0x1p-24f : 0x1p-24f) * (float)fraction;
    return from_bits(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
}

float type_get(int32_t type, const void *data, int64_t index)
{
    const char *element = (const char *)data + index * type_bytes(type);
    uint32_t word;
    uint16_t half;

    if (type == ISOMAT_TYPE_F32) {
        memcpy(&word, element, sizeof word);
        return from_bits(word);
    }
    memcpy(&half, element, sizeof half);
    return type == ISOMAT_TYPE_F16 ? half_value(half) : from_bits((uint32_t)half << 16);
}

float compute_round(int32_t compute, float x)
{
    const struct mode *mode = mode_of(compute);
    int cut = 24 - mode->bits;
    uint32_t bits;

    if (!isfinite(x) || cut <= 0)
        return x;
    if (mode->type == ISOMAT_TYPE_F16 && fabsf(x) < 0x1p-14f) /* its denormals */
        return rintf(x * 0x1p24f) * 0x1p-24f;
    memcpy(&bits, &x, sizeof bits);
    bits += (1u << (cut - 1)) - 1 + (bits >> cut & 1);
    x = from_bits(bits >> cut << cut);
    if (mode->type == ISOMAT_TYPE_F16 && fabsf(x) > 65504.0f)
        return copysignf(INFINITY, x);
    return x;
}

double compute_bound(int32_t compute, int64_t k)
{
    if (compute == ISOMAT_COMPUTE_F32 || compute == ISOMAT_COMPUTE_F32_STRICT)
        return (double)(k + 1) * 0x1p-24; /* a float32 sum of k rounded products */
    if (compute == ISOMAT_COMPUTE_F64)
        return (double)(k + 1) * 0x1p-53;
    /* exact products, but a tensor core truncates as it adds, one bit behind float32's last */
    return (double)(2 * k + 8) * 0x1p-24;
}

double type_rounding(int32_t type, double number)
{
    if (type == ISOMAT_TYPE_F16)
        return fmax(0x1p-11 * fabs(number), 0x1p-25);
    return type == ISOMAT_TYPE_BF16 ? 0x1p-8 * fabs(number) : 0.0;
}
