/* SPDX-License-Identifier: MIT */
/* test_tensor_map.c: maps that are remembered, with an encoder of the test's own. */
#include "lib/tensor_map.h"
#include "tests/support/test.h"

static int calls;
static CUresult answer;

/* A map that tells what it was made of. */
static CUresult encode(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                       const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                       const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const cuuint64_t words[16] = {type,   rank,    (uintptr_t)address, dims[0],    dims[1], strides[0],
                                  box[0], box[1],  steps[0],           interleave, swizzle, promotion,
                                  fill,   dims[3], strides[2],         box[3]};

    calls++;
    memcpy(map, words, sizeof(words));
    return answer;
}

/* The map of a description, each word as encoded; encoded anew or not. */
static void check(const struct im_tensor *tensor, int encoded)
{
    struct isomat_tensor_map map, expected;
    int before = calls;

    assert_ok(im_tensor_map(&map, tensor));
    assert_int_equal(calls - before, encoded);
    const cuuint32_t steps[] = {1, 1, 1, 1};
    encode((CUtensorMap *)&expected, tensor->type, tensor->rank, (void *)(uintptr_t)tensor->address,
           tensor->dims, tensor->strides_bytes, tensor->box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
           tensor->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    assert_memory_equal(&map, &expected, sizeof(map));
}

static const struct im_tensor some = {0x1000, {64, 128, 2, 1}, {256, 4096, 8192}, {64, 32, 1, 1}, 2, 6, 3, 0};

static void map_is_encoded_once(void **state)
{
    (void)state;
    check(&some, 1);
    check(&some, 0);
    check(&some, 0);
}

/* Each word of a description matters: a change gives another map, and the old one is right again. */
static void each_change_gives_another_map(void **state)
{
    (void)state;
    for (size_t byte = 0; byte < offsetof(struct im_tensor, unused); byte += 4) {
        struct im_tensor other = some;
        struct isomat_tensor_map map;

        ((unsigned char *)&other)[byte] ^= 0x10;
        assert_ok(im_tensor_map(&map, &some));
        check(&other, 1);
        check(&other, 0);
        assert_ok(im_tensor_map(&map, &some));
        check(&some, 0);
    }
}

static void failure_is_not_remembered(void **state)
{
    struct isomat_tensor_map map;
    struct im_tensor other = some;

    (void)state;
    other.address = 0x770000;
    answer = CUDA_ERROR_INVALID_VALUE;
    assert_status(im_tensor_map(&map, &other), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(im_tensor_map(&map, &other), ISOMAT_ERROR_INVALID_ARGUMENT);
    answer = CUDA_SUCCESS;
    check(&other, 1);
}

static CUresult no_text(CUresult error, const char **text)
{
    (void)error;
    *text = "an error";
    return CUDA_SUCCESS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_is_encoded_once),
        cmocka_unit_test(each_change_gives_another_map),
        cmocka_unit_test(failure_is_not_remembered),
    };

    im_cu.cuTensorMapEncodeTiled = encode;
    im_cu.cuGetErrorName = no_text;
    im_cu.cuGetErrorString = no_text;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
