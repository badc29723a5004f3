/* SPDX-License-Identifier: MIT */
/* operand.c: poisoned operands and their random elements. */
#include "tests/support/operand.h"

#define GUARD 67                 /* elements behind the last row */
#define POISON 0x7fc0dead        /* a quiet NaN that no calculation makes */
#define DEFAULT_SEED 20261130ULL /* any number; fixed, so that a failure comes back */

uint64_t operand_seed(void)
{
    const char *seed = getenv("ISOMAT_TEST_SEED");

    return seed != NULL ? strtoull(seed, NULL, 0) : DEFAULT_SEED;
}

/* splitmix64 */
uint64_t operand_random(uint64_t *sequence, uint64_t bound)
{
    uint64_t x = *sequence += 0x9e3779b97f4a7c15ULL;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return (x ^ (x >> 31)) % bound;
}

/* Uniform in (0, 1), with 23 random bits. */
static float random_unit(uint64_t *sequence)
{
    return (float)(2 * operand_random(sequence, 1 << 23) + 1) / (float)(1 << 24);
}

static float random_value(enum operand_fill fill, uint64_t *sequence)
{
    float x = random_unit(sequence);

    if (fill == OPERAND_POSITIVE)
        return x;
    x = 2.0f * x - 1.0f;
    if (fill == OPERAND_WIDE) {
        uint64_t exponent = operand_random(sequence, 41);
        for (uint64_t i = 20; i < exponent; i++)
            x *= 2.0f;
        for (uint64_t i = exponent; i < 20; i++)
            x *= 0.5f;
    }
    return x;
}

static float poison(void)
{
    const uint32_t bits = POISON;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

void operand_fill(float *data, int64_t count, enum operand_fill fill, uint64_t sequence)
{
    sequence += operand_seed();
    for (int64_t i = 0; i < count; i++)
        data[i] = fill == OPERAND_NAN ? poison() : random_value(fill, &sequence);
}

static void place(struct operand *operand, enum operand_layout layout)
{
    operand->ld = operand->cols;
    if (layout == OPERAND_PADDED || layout == OPERAND_SHIFTED)
        operand->ld += 3;
    if (layout == OPERAND_ALIGNED)
        operand->ld = (operand->cols + 7) / 4 * 4;
    operand->offset = layout == OPERAND_SHIFTED;
    operand->total = operand->offset + operand->rows * operand->ld + GUARD;
}

float *operand_at(const struct operand *operand, float *data, int64_t i, int64_t j)
{
    return data + operand->offset + i * operand->ld + j;
}

void operand_create(struct operand *operand, isomat_context context, int64_t rows, int64_t cols,
                    enum operand_layout layout, enum operand_fill fill)
{
    static uint64_t number;
    int64_t bytes;

    *operand = (struct operand){.context = context, .rows = rows, .cols = cols};
    number += 1000003;
    if (rows == 0 || cols == 0) {
        assert_ok(isomat_matrix_create(&operand->matrix, context, rows, cols, ISOMAT_TYPE_F32, ISOMAT_NONE));
        return;
    }
    place(operand, layout);
    bytes = operand->total * (int64_t)sizeof(float);
    operand->host = malloc((size_t)bytes);
    assert_non_null(operand->host);
    operand_fill(operand->host, operand->total, OPERAND_NAN, 0);
    for (int64_t i = 0; i < rows; i++)
        operand_fill(operand_at(operand, operand->host, i, 0), cols, fill, number + (uint64_t)i * 7919);
    assert_ok(isomat_memory_allocate(&operand->memory, bytes, context, ISOMAT_NONE));
    assert_ok(isomat_memory_copy_to_device(operand->memory, operand->host, bytes, context, ISOMAT_NONE));
    assert_ok(isomat_matrix_adopt(&operand->matrix, context,
                                  operand->memory + (uint64_t)operand->offset * sizeof(float), rows, cols,
                                  operand->ld, ISOMAT_TYPE_F32, ISOMAT_ADOPT_BORROW));
}

void operand_destroy(struct operand *operand)
{
    assert_ok(isomat_matrix_destroy(operand->matrix));
    assert_ok(isomat_memory_free(operand->memory, operand->context, ISOMAT_NONE));
    free(operand->host);
    *operand = (struct operand){0};
}

float *operand_download(const struct operand *operand)
{
    float *data;

    if (operand->host == NULL)
        return NULL;
    data = malloc((size_t)operand->total * sizeof(float));
    assert_non_null(data);
    assert_ok(isomat_memory_copy_to_host(data, operand->memory, operand->total * (int64_t)sizeof(float),
                                         operand->context, ISOMAT_NONE));
    return data;
}

static int is_element(const struct operand *operand, int64_t position)
{
    position -= operand->offset;
    return position >= 0 && position / operand->ld < operand->rows && position % operand->ld < operand->cols;
}

static int same(const struct operand *operand, const float *now, int elements_too)
{
    for (int64_t p = 0; p < operand->total; p++) {
        if (!elements_too && is_element(operand, p))
            continue;
        if (memcmp(&now[p], &operand->host[p], sizeof(float)) == 0)
            continue;
        print_error(
            "element %lld past the start of the %lld x %lld matrix (ld %lld) was overwritten with %g\n",
            (long long)(p - operand->offset), (long long)operand->rows, (long long)operand->cols,
            (long long)operand->ld, (double)now[p]);
        return 0;
    }
    return 1;
}

int operand_guarded(const struct operand *operand, const float *now)
{
    return operand->host == NULL || same(operand, now, 0);
}

int operand_unchanged(const struct operand *operand)
{
    float *now = operand_download(operand);
    int unchanged = operand->host == NULL || same(operand, now, 1);

    free(now);
    return unchanged;
}
