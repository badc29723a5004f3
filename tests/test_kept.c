/* SPDX-License-Identifier: MIT */
/* test_kept.c: forms that are kept of matrices: never seen in a result, and only where they pay.
 *
 * A product is compared, bit for bit, with that of twins: new matrices of the same elements, of which
 * nothing can have been kept.  Bytes are counted on Hopper; on other devices none may be kept.
 */
#include <pthread.h>
#include <sys/types.h>

#include "tests/support/device.h"
#include "tests/support/matrix.h"
#include "tests/support/modes.h"
#include "tests/support/operand.h"

#define N ISOMAT_OP_N
#define T ISOMAT_OP_T
#define F32 ISOMAT_TYPE_F32
#define THREADS 4

static const int32_t computes[] = {ISOMAT_COMPUTE_F32, ISOMAT_COMPUTE_TF32, ISOMAT_COMPUTE_F16,
                                   ISOMAT_COMPUTE_BF16, ISOMAT_COMPUTE_F32_STRICT};

static int is_hopper(void)
{
    return !device_is_host() && device_capability() == 90;
}

/* Whether isomat makes another form of operands: in these modes, and at the sizes of this test. */
static int keeps(int32_t compute)
{
    return is_hopper() && (compute == ISOMAT_COMPUTE_F32 || compute == ISOMAT_COMPUTE_TF32);
}

/* A device before 8.0 has only the modes of CUDA cores. */
static int has(int32_t compute)
{
    return compute <= ISOMAT_COMPUTE_F32_STRICT || device_capability() >= 80;
}

static int64_t kept(isomat_context context)
{
    int64_t bytes = -1;

    assert_ok(isomat_context_get_kept(&bytes, NULL, context));
    return bytes;
}

/* ----------------------------------------------------------------- matrices */

static int64_t size_of_product(void)
{
    return is_hopper() ? 1030 : 45;
}

/* Random elements; 16-bit ones are converted on the device. */
static isomat_matrix random_matrix(isomat_context context, int32_t compute, int64_t size, uint64_t which)
{
    float *data = malloc((size_t)(size * size) * sizeof(*data));
    isomat_matrix single, matrix;

    assert_non_null(data);
    operand_fill(data, size * size, OPERAND_SIGNED, which);
    assert_ok(isomat_matrix_from_host(&single, context, data, size, size, size, F32, ISOMAT_NONE));
    free(data);
    if (mode_type(compute) == F32)
        return single;
    assert_ok(isomat_matrix_create(&matrix, context, size, size, mode_type(compute), ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(matrix, single, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(single));
    return matrix;
}

/* A matrix's elements, dense; the caller frees them. */
static uint8_t *elements_of(isomat_matrix matrix, size_t *bytes)
{
    const isomat_matrix_info info = matrix_info(matrix);

    *bytes = (size_t)(info.rows * info.cols * typed_element_bytes(info.type));
    uint8_t *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_ok(isomat_matrix_to_host(data, info.cols, matrix, ISOMAT_NONE));
    return data;
}

/* A new matrix of the same elements. */
static isomat_matrix twin(isomat_context context, isomat_matrix matrix)
{
    const isomat_matrix_info info = matrix_info(matrix);
    size_t bytes;
    uint8_t *data = elements_of(matrix, &bytes);
    isomat_matrix copy;

    assert_ok(isomat_matrix_from_host(&copy, context, data, info.rows, info.cols, info.cols, info.type,
                                      ISOMAT_NONE));
    free(data);
    return copy;
}

static uint8_t *product(isomat_matrix a, int32_t op_a, isomat_matrix b, int32_t op_b, int32_t compute,
                        size_t *bytes)
{
    isomat_matrix c = ISOMAT_NONE;

    assert_ok(isomat_gemm(&c, 1, a, op_a, b, op_b, 0, compute, ISOMAT_NONE));
    uint8_t *data = elements_of(c, bytes);
    assert_ok(isomat_matrix_destroy(c));
    return data;
}

/* The product is that of the elements which A and B have now. */
static void assert_current(isomat_context context, isomat_matrix a, int32_t op_a, isomat_matrix b,
                           int32_t op_b, int32_t compute)
{
    isomat_matrix a_twin = twin(context, a), b_twin = twin(context, b);
    size_t bytes;
    uint8_t *got = product(a, op_a, b, op_b, compute, &bytes);
    uint8_t *wanted = product(a_twin, op_a, b_twin, op_b, compute, &bytes);

    if (memcmp(got, wanted, bytes) != 0) {
        print_error("%s: the product is not that of the present elements\n", mode_name(compute));
        fail();
    }
    free(got);
    free(wanted);
    assert_ok(isomat_matrix_destroy(a_twin));
    assert_ok(isomat_matrix_destroy(b_twin));
}

/* Uses both often enough for their forms to be kept. */
static void use(isomat_matrix a, isomat_matrix b, int32_t compute)
{
    size_t bytes;

    for (int i = 0; i < 3; i++)
        free(product(a, N, b, N, compute, &bytes));
}

static void assert_kept(isomat_context context, int32_t compute)
{
    if (keeps(compute))
        assert_true(kept(context) > 0);
    else if (!is_hopper())
        assert_int_equal(kept(context), 0);
}

/* Calls with two matrices in each mode, and destroys them. */
static void each_mode(void **state,
                      void (*call)(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute))
{
    isomat_context context = device_context(state);

    for (size_t i = 0; i < TEST_COUNT(computes); i++) {
        if (!has(computes[i]))
            continue;
        isomat_matrix a = random_matrix(context, computes[i], size_of_product(), 1);
        isomat_matrix b = random_matrix(context, computes[i], size_of_product(), 2);
        call(context, a, b, computes[i]);
        assert_ok(isomat_matrix_destroy(a));
        assert_ok(isomat_matrix_destroy(b));
        assert_int_equal(kept(context), 0);
    }
}

/* -------------------------------------------------------------------- bytes */

static void check_growth(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    const int64_t both = 2 * size_of_product() * size_of_product() * 4;
    uint8_t *got[4];
    size_t bytes;

    assert_int_equal(kept(context), 0);
    got[0] = product(a, N, b, N, compute, &bytes);
    assert_int_equal(kept(context), 0); /* used once */
    got[1] = product(a, N, b, N, compute, &bytes);
    const int64_t after = kept(context);
    assert_kept(context, compute);
    if (keeps(compute))
        assert_true(after >= both / 4 && after <= both * 2);
    got[2] = product(a, N, b, N, compute, &bytes);
    assert_int_equal(kept(context), after);
    assert_ok(isomat_context_set_keep_limit(context, 0));
    assert_int_equal(kept(context), 0);
    got[3] = product(a, N, b, N, compute, &bytes);
    assert_int_equal(kept(context), 0);
    assert_ok(isomat_context_set_keep_limit(context, 1LL << 40));
    for (int i = 0; i < 4; i++) {
        assert_memory_equal(got[i], got[0], bytes);
        if (i > 0)
            free(got[i]);
    }
    free(got[0]);
}

static void bytes_grow_with_use_and_bits_stay(void **state)
{
    each_mode(state, check_growth);
}

/* The same matrix in other places and with other ops, all of them again and again. */
static void check_places(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    for (int round = 0; round < 3; round++)
        for (int32_t ops = 0; ops < 4; ops++) {
            assert_current(context, a, ops / 2, b, ops % 2, compute);
            assert_current(context, b, ops / 2, a, ops % 2, compute);
            assert_current(context, a, ops / 2, a, ops % 2, compute);
        }
}

static void one_matrix_in_all_places(void **state)
{
    each_mode(state, check_places);
}

/* Views that begin in different places are different matrices. */
static void check_views(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    const int64_t size = size_of_product() - 4;
    isomat_matrix views[4];

    for (int i = 0; i < 4; i++)
        assert_ok(isomat_matrix_view(&views[i], a, i / 2 * 3, i % 2 * 4, size, size + 4 - i % 2 * 4));
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 4; i++) {
            isomat_matrix of_b;
            assert_ok(isomat_matrix_view(&of_b, b, 1, i, matrix_info(views[i]).cols - 1, size));
            assert_ok(isomat_matrix_destroy(of_b));
            assert_ok(isomat_matrix_view(&of_b, b, 0, i, matrix_info(views[i]).cols, size));
            assert_current(context, views[i], N, of_b, N, compute);
            assert_ok(isomat_matrix_destroy(of_b));
        }
    assert_ok(isomat_matrix_fill(views[3], 0.25, ISOMAT_NONE));
    for (int i = 0; i < 4; i++) {
        isomat_matrix of_b;
        assert_ok(isomat_matrix_view(&of_b, b, 0, i, matrix_info(views[i]).cols, size));
        assert_current(context, views[i], N, of_b, N, compute);
        assert_ok(isomat_matrix_destroy(of_b));
        assert_ok(isomat_matrix_destroy(views[i]));
    }
}

static void views_have_their_own_forms(void **state)
{
    each_mode(state, check_views);
}

/* ------------------------------------------------------------------- writes */

/* Writes a matrix in one of the ways that the library has. */
typedef void (*writer)(isomat_context context, isomat_matrix matrix, int32_t compute);

static void by_upload(isomat_context context, isomat_matrix matrix, int32_t compute)
{
    isomat_matrix other = random_matrix(context, compute, size_of_product(), 5);
    size_t bytes;
    uint8_t *data = elements_of(other, &bytes);

    assert_ok(isomat_matrix_upload(matrix, data, size_of_product(), ISOMAT_NONE));
    free(data);
    assert_ok(isomat_matrix_destroy(other));
}

static void by_fill(isomat_context context, isomat_matrix matrix, int32_t compute)
{
    (void)context, (void)compute;
    assert_ok(isomat_matrix_fill(matrix, 0.5, ISOMAT_NONE));
}

static void copy_of(isomat_context context, isomat_matrix matrix, int32_t compute, uint64_t which)
{
    isomat_matrix other = random_matrix(context, compute, size_of_product(), which);

    assert_ok(isomat_matrix_copy(matrix, other, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(other));
}

static void by_copy(isomat_context context, isomat_matrix matrix, int32_t compute)
{
    copy_of(context, matrix, compute, 6);
}

static void by_converting_copy(isomat_context context, isomat_matrix matrix, int32_t compute)
{
    const int32_t from = mode_type(compute) == F32 ? ISOMAT_COMPUTE_F16 : ISOMAT_COMPUTE_F32;
    isomat_matrix other = random_matrix(context, from, size_of_product(), 7);

    assert_ok(isomat_matrix_copy(matrix, other, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(other));
}

static void by_product(isomat_context context, isomat_matrix matrix, int32_t compute)
{
    isomat_matrix x = random_matrix(context, compute, size_of_product(), 8), c = matrix;

    assert_ok(isomat_gemm(&c, 1, x, N, x, T, 0, compute, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(x));
}

/* Without a product: C is only scaled. */
static void by_scaling(isomat_context context, isomat_matrix matrix, int32_t compute)
{
    isomat_matrix x = random_matrix(context, compute, size_of_product(), 8), c = matrix;

    assert_ok(isomat_gemm(&c, 0, x, N, x, T, -2, compute, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(x));
}

static void through_a_view(isomat_context context, isomat_matrix matrix, int32_t compute)
{
    isomat_matrix view, inner;

    (void)context, (void)compute;
    assert_ok(isomat_matrix_view(&view, matrix, 3, 5, 20, 21));
    assert_ok(isomat_matrix_view(&inner, view, 1, 1, 10, 10));
    assert_ok(isomat_matrix_fill(inner, 8, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(view));
    assert_ok(isomat_matrix_destroy(inner));
}

static const writer writers[] = {by_upload,  by_fill,    by_copy,       by_converting_copy,
                                 by_product, by_scaling, through_a_view};

static void check_writes(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    for (size_t w = 0; w < TEST_COUNT(writers); w++)
        for (int second = 0; second < 2; second++) {
            size_t bytes;
            use(a, b, compute);
            assert_kept(context, compute);
            uint8_t *before = product(a, N, b, N, compute, &bytes);
            writers[w](context, second ? b : a, compute);
            uint8_t *after = product(a, N, b, N, compute, &bytes);
            if (memcmp(before, after, bytes) == 0) {
                print_error("%s: writer %zu of operand %c changed nothing\n", mode_name(compute), w,
                            "AB"[second]);
                fail();
            }
            free(before);
            free(after);
            assert_current(context, a, N, b, N, compute);
            copy_of(context, second ? b : a, compute, 9);
        }
}

static void next_product_sees_what_was_written(void **state)
{
    each_mode(state, check_writes);
}

/* ------------------------------------------- memory that others may write to */

/* Writes past the library. */
static void write_past(isomat_context context, uint64_t pointer, int32_t compute, uint64_t which)
{
    isomat_matrix other = random_matrix(context, compute, size_of_product(), which);
    size_t bytes;
    uint8_t *data = elements_of(other, &bytes);

    assert_ok(isomat_memory_copy_to_device(pointer, data, (int64_t)bytes, context, ISOMAT_NONE));
    free(data);
    assert_ok(isomat_matrix_destroy(other));
}

/* Nothing is kept once the address is known, from then on. */
static void check_pointer(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    use(a, b, compute);
    const int64_t both = kept(context);
    const uint64_t pointer = matrix_pointer(a);
    for (int i = 0; i < 4; i++) {
        write_past(context, pointer, compute, (uint64_t)i + 20);
        assert_current(context, a, N, b, N, compute);
    }
    if (keeps(compute))
        assert_true(kept(context) > 0 && kept(context) < both); /* B's form alone */
    (void)matrix_pointer(b);
    use(a, b, compute);
    if (compute == ISOMAT_COMPUTE_F32 || compute == ISOMAT_COMPUTE_TF32)
        assert_int_equal(kept(context), 0);
}

static void known_address_ends_keeping(void **state)
{
    each_mode(state, check_pointer);
}

/* The address of a view or through a view is as good. */
static void check_pointer_of_view(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    isomat_matrix view;

    use(a, b, compute);
    assert_ok(isomat_matrix_view(&view, a, 0, 0, 2, 2));
    write_past(context, matrix_pointer(view), compute, 30);
    assert_ok(isomat_matrix_destroy(view));
    assert_current(context, a, N, b, N, compute);
}

static void known_address_of_a_view_ends_keeping(void **state)
{
    each_mode(state, check_pointer_of_view);
}

/* Adopted memory: nothing is kept unless prepared, and then until the caller tells. */
static void check_adopted(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    const int64_t size = size_of_product(), bytes = size * size * typed_element_bytes(mode_type(compute));
    isomat_matrix adopted, view;
    uint64_t pointer;

    (void)a;
    assert_ok(isomat_memory_allocate(&pointer, bytes, context, ISOMAT_NONE));
    assert_ok(isomat_matrix_adopt(&adopted, context, pointer, size, size, size, mode_type(compute),
                                  ISOMAT_ADOPT_BORROW));
    for (int i = 0; i < 3; i++) {
        write_past(context, pointer, compute, (uint64_t)i + 40);
        assert_current(context, adopted, N, adopted, T, compute);
        if (keeps(compute))
            assert_int_equal(kept(context), 0);
    }
    assert_ok(isomat_matrix_view(&view, adopted, 1, 1, 3, 3));
    for (int i = 0; i < 4; i++) {
        assert_ok(isomat_matrix_prepare(adopted, ISOMAT_OPERAND_A, N, compute, ISOMAT_NONE));
        assert_kept(context, compute);
        assert_current(context, adopted, N, b, N, compute);
        write_past(context, pointer, compute, (uint64_t)i + 50);
        assert_ok(isomat_matrix_modified(i % 2 ? adopted : view));
        assert_current(context, adopted, N, b, N, compute);
    }
    assert_ok(isomat_matrix_destroy(view));
    assert_ok(isomat_matrix_destroy(adopted));
    assert_ok(isomat_memory_free(pointer, context, ISOMAT_NONE));
}

static void adopted_matrices_are_kept_when_prepared(void **state)
{
    each_mode(state, check_adopted);
}

/* ------------------------------------------------------------------ prepare */

/* What was prepared is there at once, is what the product takes, and is not made twice. */
static void check_prepare(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    size_t bytes;

    for (int32_t ops = 0; ops < 4; ops++) {
        assert_ok(isomat_matrix_prepare(a, ISOMAT_OPERAND_A, ops / 2, compute, ISOMAT_NONE));
        const int64_t of_a = kept(context);
        assert_kept(context, compute);
        assert_ok(isomat_matrix_prepare(b, ISOMAT_OPERAND_B, ops % 2, compute, ISOMAT_NONE));
        const int64_t both = kept(context);
        if (keeps(compute))
            assert_true(both > of_a);
        assert_ok(isomat_matrix_prepare(b, ISOMAT_OPERAND_B, ops % 2, compute, ISOMAT_NONE));
        for (int i = 0; i < 3; i++)
            free(product(a, ops / 2, b, ops % 2, compute, &bytes));
        assert_int_equal(kept(context), both);
        assert_current(context, a, ops / 2, b, ops % 2, compute);
        assert_ok(isomat_matrix_modified(a));
        assert_ok(isomat_matrix_modified(b));
        assert_int_equal(kept(context), 0);
        assert_current(context, a, ops / 2, b, ops % 2, compute);
        assert_ok(isomat_matrix_modified(a));
        assert_ok(isomat_matrix_modified(b));
    }
}

static void prepared_forms_are_used(void **state)
{
    each_mode(state, check_prepare);
}

static void prepare_on_another_stream(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix a = random_matrix(context, ISOMAT_COMPUTE_F32, size_of_product(), 1);
    isomat_stream stream;

    assert_ok(isomat_stream_create(&stream, context, 0));
    assert_ok(isomat_matrix_prepare(a, ISOMAT_OPERAND_A, N, ISOMAT_COMPUTE_F32, stream));
    assert_ok(isomat_matrix_prepare(a, ISOMAT_OPERAND_B, T, ISOMAT_COMPUTE_F32, stream));
    assert_ok(isomat_stream_destroy(stream));
    assert_current(context, a, N, a, T, ISOMAT_COMPUTE_F32);
    assert_ok(isomat_matrix_destroy(a));
}

static void prepare_refuses_what_it_must(void **state)
{
    isomat_context context = device_context(state), other;
    isomat_matrix single = random_matrix(context, ISOMAT_COMPUTE_F32, 8, 1), half, empty, stale;
    isomat_stream stream;
    const int32_t mode = ISOMAT_COMPUTE_F32;

    assert_ok(isomat_matrix_create(&half, context, 4, 4, ISOMAT_TYPE_F16, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&empty, context, 0, 4, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&stale, context, 4, 4, F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(stale));
    assert_ok(isomat_context_create(&other, 0, ISOMAT_CONTEXT_OWN));
    assert_ok(isomat_stream_create(&stream, other, 0));
    assert_status(isomat_matrix_prepare(single, 2, N, mode, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("2");
    assert_status(isomat_matrix_prepare(single, -1, N, mode, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_matrix_prepare(single, 0, 7, mode, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("7");
    assert_status(isomat_matrix_prepare(single, 0, N, 77, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("77");
    assert_status(isomat_matrix_prepare(half, 0, N, mode, ISOMAT_NONE), ISOMAT_ERROR_TYPE_MISMATCH);
    assert_message_contains("f16", "f32");
    if (device_capability() >= 80)
        assert_status(isomat_matrix_prepare(single, 0, N, ISOMAT_COMPUTE_BF16, ISOMAT_NONE),
                      ISOMAT_ERROR_TYPE_MISMATCH);
    assert_status(isomat_matrix_prepare(single, 0, N, mode, stream), ISOMAT_ERROR_CONTEXT_MISMATCH);
    assert_status(isomat_matrix_prepare(ISOMAT_NONE, 0, N, mode, ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(isomat_matrix_prepare(stale, 0, N, mode, ISOMAT_NONE), ISOMAT_ERROR_STALE_HANDLE);
    assert_status(isomat_matrix_prepare(context, 0, N, mode, ISOMAT_NONE), ISOMAT_ERROR_WRONG_KIND);
    assert_status(isomat_matrix_modified(ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(isomat_matrix_modified(stale), ISOMAT_ERROR_STALE_HANDLE);
    assert_status(isomat_matrix_modified(context), ISOMAT_ERROR_WRONG_KIND);
    assert_ok(isomat_matrix_prepare(empty, 0, N, mode, ISOMAT_NONE));
    assert_ok(isomat_matrix_modified(empty));
    assert_int_equal(kept(context), 0);
    assert_ok(isomat_stream_destroy(stream));
    assert_ok(isomat_context_destroy(other));
    assert_ok(isomat_matrix_destroy(empty));
    assert_ok(isomat_matrix_destroy(half));
    assert_ok(isomat_matrix_destroy(single));
}

/* -------------------------------------------------------------------- limit */

static void limit_is_told_and_checked(void **state)
{
    isomat_context_info info = {.struct_size = sizeof(info)};
    isomat_context context = device_context(state);
    int64_t bytes = -1, limit = -1;

    assert_ok(isomat_context_get_info(&info, context));
    assert_ok(isomat_context_get_kept(&bytes, &limit, context));
    assert_int_equal(bytes, 0);
    assert_int_equal(limit, info.memory_total_bytes / 8);
    assert_status(isomat_context_set_keep_limit(context, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_message_contains("-1");
    assert_ok(isomat_context_set_keep_limit(context, 12345));
    assert_ok(isomat_context_get_kept(NULL, &limit, context));
    assert_int_equal(limit, 12345);
    assert_ok(isomat_context_get_kept(NULL, NULL, context));
    assert_status(isomat_context_get_kept(&bytes, NULL, ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(isomat_context_set_keep_limit(ISOMAT_NONE, 1), ISOMAT_ERROR_INVALID_HANDLE);
}

/* Room for two forms: the third takes that of the one used longest ago; the rest is right without. */
static void small_limit_evicts(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix x[4];
    size_t bytes;

    for (int i = 0; i < 4; i++)
        x[i] = random_matrix(context, ISOMAT_COMPUTE_F32, size_of_product(), (uint64_t)i + 60);
    assert_ok(isomat_matrix_prepare(x[0], ISOMAT_OPERAND_A, N, ISOMAT_COMPUTE_F32, ISOMAT_NONE));
    const int64_t one = kept(context), limit = one * 5 / 2;
    assert_ok(isomat_matrix_modified(x[0]));
    assert_ok(isomat_context_set_keep_limit(context, limit));
    for (int round = 0; round < 12; round++) {
        free(product(x[round % 4], N, x[(round + 1) % 4], N, ISOMAT_COMPUTE_F32, &bytes));
        assert_true(kept(context) <= limit);
    }
    for (int i = 0; i < 4; i++)
        assert_current(context, x[i], N, x[(i + 1) % 4], N, ISOMAT_COMPUTE_F32);
    if (is_hopper()) {
        use(x[0], x[1], ISOMAT_COMPUTE_F32);
        assert_int_equal(kept(context), 2 * one);
        assert_ok(isomat_context_set_keep_limit(context, one));
        assert_int_equal(kept(context), one);
        assert_ok(isomat_context_set_keep_limit(context, one - 1));
        assert_int_equal(kept(context), 0);
        assert_status(isomat_matrix_prepare(x[0], ISOMAT_OPERAND_A, N, ISOMAT_COMPUTE_F32, ISOMAT_NONE),
                      ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
    }
    for (int i = 0; i < 4; i++)
        assert_ok(isomat_matrix_destroy(x[i]));
}

static void check_trim(isomat_context context, isomat_matrix a, isomat_matrix b, int32_t compute)
{
    use(a, b, compute);
    assert_ok(isomat_matrix_prepare(a, ISOMAT_OPERAND_B, N, compute, ISOMAT_NONE));
    assert_kept(context, compute);
    assert_ok(isomat_context_trim(context, 0));
    assert_int_equal(kept(context), 0);
    assert_current(context, a, N, b, N, compute);
}

static void trim_drops(void **state)
{
    each_mode(state, check_trim);
}

/* ------------------------------------------------------------ ends of lives */

/* Handles of context, matrix, view and stream go in every order, with forms kept; the fixture and the end
 * of the program count what is left. */
static void handles_go_in_any_order(void **state)
{
    (void)state;
    for (int order = 0; order < 4; order++) {
        isomat_matrix a, view, c = ISOMAT_NONE;
        isomat_context context;
        isomat_stream stream;
        assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_OWN));
        assert_ok(isomat_stream_create(&stream, context, 0));
        a = random_matrix(context, ISOMAT_COMPUTE_F32, size_of_product(), 1);
        assert_ok(isomat_matrix_prepare(a, ISOMAT_OPERAND_A, N, ISOMAT_COMPUTE_F32, stream));
        assert_ok(isomat_matrix_view(&view, a, 0, 0, size_of_product() / 2, size_of_product()));
        for (int i = 0; i < 3; i++) {
            assert_ok(isomat_gemm(&c, 1, view, N, a, N, 0, ISOMAT_COMPUTE_F32, stream));
            if (order % 2)
                assert_ok(isomat_matrix_destroy(c));
            c = order % 2 ? ISOMAT_NONE : c;
        }
        if (order == 0)
            assert_ok(isomat_context_destroy(context));
        if (order < 2)
            assert_ok(isomat_stream_destroy(stream));
        assert_ok(isomat_matrix_destroy(order == 3 ? view : a));
        assert_ok(isomat_matrix_destroy(c));
        if (order >= 2)
            assert_ok(isomat_stream_destroy(stream));
        if (order == 1 || order == 2)
            assert_ok(isomat_context_destroy(context));
        assert_ok(isomat_matrix_destroy(order == 3 ? a : view));
        if (order == 3)
            assert_ok(isomat_context_destroy(context));
    }
}

/* ------------------------------------------------------------------ threads */

struct worker {
    pthread_t thread;
    isomat_context context;
    isomat_matrix shared, own;
    int writes; /* its own matrix, before each product */
    int failures;
};

/* Exact in every way to multiply: the shared matrix is of ones. */
static int wrong_product(const struct worker *worker, float value, isomat_stream stream)
{
    const int64_t size = size_of_product();
    float *got = malloc((size_t)(size * size) * sizeof(*got));
    isomat_matrix c = ISOMAT_NONE;
    int bad = got == NULL;

    if (isomat_gemm(&c, 1, worker->shared, N, worker->own, N, 0, ISOMAT_COMPUTE_F32, stream) != ISOMAT_OK ||
        isomat_matrix_to_host(got, size, c, stream) != ISOMAT_OK)
        bad = 1;
    for (int64_t i = 0; !bad && i < size * size; i++)
        bad = got[i] != value * (float)size;
    free(got);
    return isomat_matrix_destroy(c) != ISOMAT_OK || bad;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    isomat_stream stream = ISOMAT_NONE;

    worker->failures += isomat_stream_create(&stream, worker->context, 0) != ISOMAT_OK;
    for (int round = 0; round < 30; round++) {
        const float value = (float)(worker->writes ? round % 7 + 1 : 2);
        if (worker->writes)
            worker->failures += isomat_matrix_fill(worker->own, value, stream) != ISOMAT_OK;
        worker->failures += wrong_product(worker, value, stream);
        if (round % 10 == 9)
            worker->failures += isomat_matrix_prepare(worker->shared, ISOMAT_OPERAND_A, N, ISOMAT_COMPUTE_F32,
                                                      stream) != ISOMAT_OK;
        if (round == 15 && worker->writes)
            worker->failures += isomat_context_trim(worker->context, 0) != ISOMAT_OK;
    }
    worker->failures += isomat_stream_synchronize(stream) != ISOMAT_OK;
    worker->failures += isomat_stream_destroy(stream) != ISOMAT_OK;
    return NULL;
}

static isomat_matrix constant(isomat_context context, double value)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_create(&matrix, context, size_of_product(), size_of_product(), F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_fill(matrix, value, ISOMAT_NONE));
    return matrix;
}

static void threads_share_an_operand(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix shared = constant(context, 1);
    struct worker workers[2 * THREADS];
    int failures = 0;

    for (int i = 0; i < 2 * THREADS; i++)
        workers[i] = (struct worker){
            .context = context, .shared = shared, .own = constant(context, 2), .writes = i >= THREADS};
    assert_ok(isomat_context_synchronize(context));
    for (int i = 0; i < 2 * THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2 * THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        failures += workers[i].failures;
    }
    assert_int_equal(failures, 0);
    for (int i = 0; i < 2 * THREADS; i++)
        assert_ok(isomat_matrix_destroy(workers[i].own));
    assert_ok(isomat_matrix_destroy(shared));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(bytes_grow_with_use_and_bits_stay),
        device_test(one_matrix_in_all_places),
        device_test(views_have_their_own_forms),
        device_test(next_product_sees_what_was_written),
        device_test(known_address_ends_keeping),
        device_test(known_address_of_a_view_ends_keeping),
        device_test(adopted_matrices_are_kept_when_prepared),
        device_test(prepared_forms_are_used),
        device_test(prepare_on_another_stream),
        device_test(prepare_refuses_what_it_must),
        device_test(limit_is_told_and_checked),
        device_test(small_limit_evicts),
        device_test(trim_drops),
        device_test(handles_go_in_any_order),
        device_test(threads_share_an_operand),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
