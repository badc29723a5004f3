/* SPDX-License-Identifier: MIT */
/* test_tuning.c: kernels that are told: by isomat_gemm_set_kernel, and by tuning files, good and bad ones.
 *
 * Products are of small whole numbers, so that every kernel of every compute mode has to give the exact
 * result.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/device.h"
#include "tests/support/operand.h"

#define N ISOMAT_OP_N
#define STRICT ISOMAT_COMPUTE_F32_STRICT
#define NAME_BYTES 128

static uint64_t sequence;

/* ----------------------------------------------------------------- products */

struct product {
    int64_t m, n, k;
    int32_t ops, compute; /* ops: 2 * op_a + op_b */
};

static int32_t operand_type(int32_t compute)
{
    return compute == ISOMAT_COMPUTE_F16    ? ISOMAT_TYPE_F16
           : compute == ISOMAT_COMPUTE_BF16 ? ISOMAT_TYPE_BF16
           : compute == ISOMAT_COMPUTE_F64  ? ISOMAT_TYPE_F64
                                            : ISOMAT_TYPE_F32;
}

/* A matrix of that type with whole numbers from -8 to 8, which are written to data. */
static isomat_matrix whole_numbers(isomat_context context, float *data, int64_t rows, int64_t cols,
                                   int32_t type)
{
    isomat_matrix source, matrix;

    for (int64_t i = 0; i < rows * cols; i++)
        data[i] = (float)operand_random(&sequence, 17) - 8;
    assert_ok(
        isomat_matrix_from_host(&source, context, data, rows, cols, cols, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_create(&matrix, context, rows, cols, type, ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(matrix, source, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(source));
    return matrix;
}

/* C of float32, by way of any type. */
static void read_result(float *data, isomat_context context, isomat_matrix c, int64_t rows, int64_t cols)
{
    isomat_matrix copy;

    assert_ok(isomat_matrix_create(&copy, context, rows, cols, ISOMAT_TYPE_F32, ISOMAT_NONE));
    assert_ok(isomat_matrix_copy(copy, c, ISOMAT_NONE));
    assert_ok(isomat_matrix_to_host(data, cols, copy, ISOMAT_NONE));
    assert_ok(isomat_matrix_destroy(copy));
}

/* Multiplies; every element must be exact.  Returns how many kernels the host driver launched. */
static int64_t check_product(isomat_context context, const struct product *p)
{
    const int32_t type = operand_type(p->compute), op_a = p->ops / 2, op_b = p->ops % 2;
    const int32_t c_type = type == ISOMAT_TYPE_F64 ? type : ISOMAT_TYPE_F32;
    const int64_t m = p->m, n = p->n, k = p->k;
    float *a = malloc((size_t)(m * k) * sizeof(*a)), *b = malloc((size_t)(k * n) * sizeof(*b)),
          *c = malloc((size_t)(m * n) * sizeof(*c));
    isomat_matrix ma = whole_numbers(context, a, op_a ? k : m, op_a ? m : k, type);
    isomat_matrix mb = whole_numbers(context, b, op_b ? n : k, op_b ? k : n, type), mc;

    assert_ok(isomat_matrix_create(&mc, context, m, n, c_type, ISOMAT_NONE));
    const int64_t before = device_is_host() ? device_host_calls("cuLaunchKernel") : 0;
    assert_ok(isomat_gemm(&mc, 1, ma, op_a, mb, op_b, 0, p->compute, ISOMAT_NONE));
    const int64_t launches = device_is_host() ? device_host_calls("cuLaunchKernel") - before : 0;
    read_result(c, context, mc, m, n);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t q = 0; q < k; q++)
                sum += (double)a[op_a ? q * m + i : i * k + q] * b[op_b ? j * k + q : q * n + j];
            if (c[i * n + j] != (float)sum) {
                print_error("%lld x %lld x %lld, ops %d, mode %d: element (%lld, %lld) is %g, not %g\n",
                            (long long)m, (long long)n, (long long)k, p->ops, p->compute, (long long)i,
                            (long long)j, c[i * n + j], sum);
                fail();
            }
        }
    assert_ok(isomat_matrix_destroy(mc));
    assert_ok(isomat_matrix_destroy(mb));
    assert_ok(isomat_matrix_destroy(ma));
    free(c);
    free(b);
    free(a);
    return launches;
}

static int32_t get_candidate(char name[NAME_BYTES], int32_t *parts, isomat_context context,
                             const struct product *p, int32_t index)
{
    return isomat_gemm_get_candidate(name, NAME_BYTES, NULL, parts, context, index, p->m, p->n, p->k,
                                     p->ops / 2, p->ops % 2, p->compute);
}

static int32_t set_kernel(isomat_context context, const struct product *p, const char *name, int32_t parts)
{
    return isomat_gemm_set_kernel(context, p->m, p->n, p->k, p->ops / 2, p->ops % 2, p->compute, name, parts);
}

static void assert_kernel(isomat_context context, const struct product *p, const char *expected)
{
    char name[NAME_BYTES];

    assert_ok(isomat_gemm_get_kernel(name, sizeof(name), NULL, context, p->m, p->n, p->k, p->ops / 2,
                                     p->ops % 2, p->compute));
    assert_string_equal(name, expected);
}

static isomat_tuning_info tuning_of(isomat_context context)
{
    isomat_tuning_info info = {.struct_size = sizeof(info)};

    assert_ok(isomat_context_get_tuning(&info, context));
    return info;
}

/* --------------------------------------------------------------- set_kernel */

/* Every kernel that is offered is taken, and multiplies. */
static void check_candidates(isomat_context context, const struct product *p, int least)
{
    char name[NAME_BYTES], first[NAME_BYTES];
    int32_t parts, count = 0, first_parts, cut = 0;

    if (p->compute >= ISOMAT_COMPUTE_TF32 && p->compute <= ISOMAT_COMPUTE_BF16 && device_capability() < 80)
        return;
    assert_ok(get_candidate(first, &first_parts, context, p, 0));
    assert_kernel(context, p, first);
    for (; get_candidate(name, &parts, context, p, count) == ISOMAT_OK; count++) {
        assert_true(count == 0 || parts != first_parts || strcmp(name, first) != 0);
        assert_ok(set_kernel(context, p, name, parts));
        assert_kernel(context, p, name);
        const int64_t launches = check_product(context, p);
        if (device_is_host()) /* parts have a sum */
            assert_int_equal(launches, parts > 1 ? 2 : 1);
        cut += parts > 1;
    }
    assert_int_equal(get_candidate(name, &parts, context, p, count), ISOMAT_ERROR_NOT_FOUND);
    assert_message_contains("no candidate");
    assert_true(count >= least);
    assert_true(cut > 0 || p->k < 128 || p->compute == ISOMAT_COMPUTE_F16 ||
                p->compute == ISOMAT_COMPUTE_BF16 ||
                (p->compute == ISOMAT_COMPUTE_TF32 && p->m > 8 && p->n > 8));
    assert_int_equal(tuning_of(context).entries, 1);
    assert_ok(set_kernel(context, p, NULL, 0));
    assert_int_equal(tuning_of(context).entries, 0);
    assert_kernel(context, p, first);
}

static void every_candidate_is_taken_and_right(void **state)
{
    static const int64_t shapes[][3] = {{40, 36, 200}, {3, 40, 600}, {33, 1, 500}, {20, 20, 20}, {6, 5, 700}};
    int32_t turn = 0;

    for (size_t i = 0; i < TEST_COUNT(shapes); i++)
        for (int32_t compute = ISOMAT_COMPUTE_F32; compute <= ISOMAT_COMPUTE_F64; compute++, turn++) {
            const struct product p = {shapes[i][0], shapes[i][1], shapes[i][2], turn % 4, compute};
            check_candidates(device_context(state), &p, 2);
        }
}

/* Only for exactly the sizes, ops and mode. */
static void other_products_keep_their_kernels(void **state)
{
    isomat_context context = device_context(state);
    const struct product p = {300, 200, 100, 1, STRICT};
    const struct product others[] = {{301, 200, 100, 1, STRICT},
                                     {300, 201, 100, 1, STRICT},
                                     {300, 200, 101, 1, STRICT},
                                     {300, 200, 100, 0, STRICT},
                                     {300, 200, 100, 1, ISOMAT_COMPUTE_F64},
                                     {200, 300, 100, 1, STRICT}};
    char before[TEST_COUNT(others)][NAME_BYTES], name[NAME_BYTES];
    int32_t parts;

    for (size_t i = 0; i < TEST_COUNT(others); i++)
        assert_ok(get_candidate(before[i], &parts, context, &others[i], 0));
    assert_ok(get_candidate(name, &parts, context, &p, 1));
    assert_ok(set_kernel(context, &p, name, parts));
    assert_kernel(context, &p, name);
    for (size_t i = 0; i < TEST_COUNT(others); i++)
        assert_kernel(context, &others[i], before[i]);
}

static void bad_arguments_are_refused(void **state)
{
    isomat_context context = device_context(state);
    const struct product p = {300, 200, 100, 0, STRICT};
    isomat_tuning_info info = {.struct_size = 8};
    char name[NAME_BYTES];
    int32_t parts;

    assert_status(isomat_context_get_tuning(NULL, context), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_context_get_tuning(&info, context), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(isomat_context_get_tuning_text(name, 1, NULL, ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(get_candidate(name, NULL, context, &p, 0), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(get_candidate(name, &parts, context, &p, -1), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(get_candidate(name, &parts, ISOMAT_NONE, &p, 0), ISOMAT_ERROR_INVALID_HANDLE);
    for (int i = 0; i < 3; i++)
        for (int64_t size = -1; size <= 1LL << 31; size += (1LL << 31) + 1 - (size < 0) * (1LL << 31)) {
            int64_t sizes[3] = {300, 200, 100};
            sizes[i] = size;
            const struct product bad = {sizes[0], sizes[1], sizes[2], 0, STRICT};
            const int32_t expected = size > 0 ? ISOMAT_ERROR_UNSUPPORTED : ISOMAT_ERROR_INVALID_ARGUMENT;
            assert_status(get_candidate(name, &parts, context, &bad, 0), expected);
            assert_status(set_kernel(context, &bad, NULL, 0), expected);
        }
    assert_status(set_kernel(context, &(struct product){300, 200, 100, 0, 99}, NULL, 0),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_status(set_kernel(context, &(struct product){300, 200, 100, 9, STRICT}, NULL, 0),
                  ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_ok(get_candidate(name, &parts, context, &p, 0));
    static const int32_t wrong_parts[] = {0, -1, 257, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < TEST_COUNT(wrong_parts); i++)
        assert_status(set_kernel(context, &p, name, wrong_parts[i]), ISOMAT_ERROR_NOT_FOUND);
    static const char *const wrong_names[] = {"",
                                              "isomat",
                                              "isomat_fill_f32",
                                              "isomat_gemm_f32_reduce",
                                              "isomat_gemm_f32_nt_32x32x32",
                                              "isomat_gemm_f32_rows_1",
                                              "isomat_gemm_f32_tiny_nn_32",
                                              "isomat_gemm_f32_group_nn_32x32x32",
                                              "isomat_gemm_f64_nn_32x32x32",
                                              "isomat_gemm_tf32_nn_64x64x32"};
    for (size_t i = 0; i < TEST_COUNT(wrong_names); i++)
        assert_status(set_kernel(context, &p, wrong_names[i], 1), ISOMAT_ERROR_NOT_FOUND);
    assert_int_equal(tuning_of(context).entries, 0);
}

/* -------------------------------------------------------------------- files */

static char folder[] = "/tmp/isomat-tuning-XXXXXX";
static char path[sizeof(folder) + 16];

static void write_file(const char *to, const char *bytes, size_t size)
{
    FILE *file = fopen(to, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static char *text_of(isomat_context context)
{
    int64_t length;

    assert_ok(isomat_context_get_tuning_text(NULL, 0, &length, context));
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    assert_ok(isomat_context_get_tuning_text(text, length + 1, NULL, context));
    assert_int_equal(strlen(text), length);
    return text;
}

static const struct product tuned[] = {
    {300, 200, 100, 0, STRICT},
    {64, 64, 3000, 2, STRICT},
    {40, 30, 20, 1, ISOMAT_COMPUTE_F64},
};
static char kernels[TEST_COUNT(tuned)][NAME_BYTES];  /* of `file_text` */
static char defaults[TEST_COUNT(tuned)][NAME_BYTES]; /* without it */

/* A good file for this device, of products that then take other kernels. */
static char *file_text(isomat_context context)
{
    for (size_t i = 0; i < TEST_COUNT(tuned); i++) {
        int32_t parts, index = 0;
        assert_ok(get_candidate(defaults[i], &parts, context, &tuned[i], 0));
        do
            assert_ok(get_candidate(kernels[i], &parts, context, &tuned[i], ++index));
        while (strcmp(kernels[i], defaults[i]) == 0);
        assert_ok(set_kernel(context, &tuned[i], kernels[i], parts));
    }
    return text_of(context);
}

/* A new context that finds that file in ISOMAT_TUNING: what it makes of it. */
static isomat_tuning_info read_back(const char *bytes, size_t size, isomat_context *context)
{
    write_file(path, bytes, size);
    setenv("ISOMAT_TUNING", path, 1);
    assert_ok(isomat_context_create(context, 0, ISOMAT_CONTEXT_PRIMARY));
    isomat_tuning_info info = tuning_of(*context);
    setenv("ISOMAT_TUNING", "", 1);
    assert_string_equal(info.path, path);
    return info;
}

/* The file is ignored, for a reason that is one line, and the kernels are the library's own. */
static void assert_ignored(const char *bytes, size_t size, const char *reason)
{
    isomat_context context;
    isomat_tuning_info info = read_back(bytes, size, &context);

    if (info.state != ISOMAT_TUNING_IGNORED || info.entries != 0 || !test_is_one_line(info.reason) ||
        !strstr(info.reason, reason)) {
        print_error("state %d, %lld entries, reason \"%s\", not \"%s\", for:\n%.2000s\n", info.state,
                    (long long)info.entries, info.reason, reason, bytes);
        fail();
    }
    for (size_t i = 0; i < TEST_COUNT(tuned); i++)
        assert_kernel(context, &tuned[i], defaults[i]);
    assert_ok(isomat_context_destroy(context));
}

static void a_file_is_used(void **state)
{
    isomat_context context;
    char *text = file_text(device_context(state));
    isomat_tuning_info info = read_back(text, strlen(text), &context);

    assert_int_equal(info.state, ISOMAT_TUNING_USED);
    assert_int_equal(info.entries, TEST_COUNT(tuned));
    assert_string_equal(info.reason, "");
    for (size_t i = 0; i < TEST_COUNT(tuned); i++) {
        assert_kernel(context, &tuned[i], kernels[i]);
        check_product(context, &tuned[i]);
    }
    char *again = text_of(context);
    assert_string_equal(again, text);
    /* it was read once: what happens to it later is of no matter */
    assert_int_equal(unlink(path), 0);
    assert_kernel(context, &tuned[0], kernels[0]);
    assert_int_equal(tuning_of(context).state, ISOMAT_TUNING_USED);
    assert_ok(isomat_context_destroy(context));
    free(again);
    free(text);
}

/* Comments and empty lines may be added; the last of two entries for a product holds. */
static void a_file_may_be_edited(void **state)
{
    isomat_context context;
    char *text = file_text(device_context(state)), edited[8192];
    char *entries = strstr(text, "# m n k"), *end = strstr(text, "end 3");

    snprintf(edited, sizeof(edited), "%.*s# mine\n\n%.*s300 200 100 nn f32-strict %s 1\n#\nend 4\n",
             (int)(entries - text), text, (int)(end - entries), entries, defaults[0]);
    isomat_tuning_info info = read_back(edited, strlen(edited), &context);
    assert_string_equal(info.reason, "");
    assert_int_equal(info.entries, TEST_COUNT(tuned));
    assert_kernel(context, &tuned[0], defaults[0]);
    assert_kernel(context, &tuned[1], kernels[1]);
    assert_ok(isomat_context_destroy(context));
    free(text);
}

static void a_file_cut_off_anywhere_is_ignored(void **state)
{
    char *text = file_text(device_context(state));

    for (size_t size = 0; size < strlen(text); size++)
        assert_ignored(text, size, "");
    free(text);
}

/* One byte of it is another: it is ignored, or says something else that can be done. */
static void a_file_damaged_anywhere_does_no_harm(void **state)
{
    static const char bytes[] = {'\0', ' ', '\n', '0', '9', 'n', '-', (char)0xff};
    char *text = file_text(device_context(state));
    const size_t size = strlen(text);

    for (size_t at = 0; at < size; at++) {
        const char before = text[at];
        isomat_context context;
        text[at] = bytes[operand_random(&sequence, sizeof(bytes))];
        isomat_tuning_info info = read_back(text, size, &context);
        assert_true(info.state == ISOMAT_TUNING_USED || info.state == ISOMAT_TUNING_IGNORED);
        assert_true(info.state == ISOMAT_TUNING_USED || test_is_one_line(info.reason));
        if (at % 32 == 0)
            check_product(context, &tuned[2]);
        assert_ok(isomat_context_destroy(context));
        text[at] = before;
    }
    free(text);
}

/* text with its first `from` replaced; to be freed. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *place = strstr(text, from);
    char *result = malloc(strlen(text) + strlen(to) + 1);

    assert_non_null(place);
    assert_non_null(result);
    sprintf(result, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
    return result;
}

static void hostile_and_stale_files_are_ignored(void **state)
{
    static const struct {
        const char *from, *to, *reason;
    } changes[] = {
        {"isomat-tuning 1", "isomat-tuning 2", "another format"},
        {"isomat-tuning 1", "", "another format"},
        {"isomat-tuning 1", "\xef\xbb\xbfisomat-tuning 1", "another format"},
        {"library ", "library 9", "made by"},
        {"library ", "", "made by"},
        {"device ", "device 1", "made on"},
        {"device ", "", "made on"},
        {"\n#", " Ti\n#", "made on"},
        {"300 200 100", "0 200 100", "line 7"},
        {"300 200 100", "-300 200 100", "line 7"},
        {"300 200 100", "300 200", "line 7"},
        {"300 200 100", "300 200 100 100", "line 7"},
        {"300 200 100", "300 200 1e2", "line 7"},
        {"300 200 100", "+300 200 100", "line 7"},
        {"300 200 100", "2147483648 200 100", "line 7"},
        {"300 200 100", "300 99999999999999999999999999999999999999 100", "line 7"},
        {"300 200 100", "300 200 18446744073709551716", "line 7"},
        {"f32-strict isomat", "f33 isomat", "line 6"},
        {"nn f32-strict", "nx f32-strict", "line 7"},
        {" f32-strict isomat", " f64 isomat", "does not do this product"},
        {"300 200 100 nn f32-strict isomat_gemm_f32_", "300 200 100 nn f32-strict isomat_gemm_f33_",
         "no kernel"},
        {"300 200 100 nn f32-strict ", "300 200 100 nn f32-strict %s%n%s", "no kernel"},
        {"300 200 100 nn f32-strict ", "300 200 100 nn f32-strict isomat_gemm_f32_tt_64x64x16 1\n#",
         "does not"},
        {"300 200 100 nn f32-strict ", "300 200 100 nn f32-strict isomat_fill_f32 1\n#", "does not"},
        {"300 200 100 nn f32-strict ", "300 200 100 nn f32-strict isomat_gemm_f32_rows_1 1\n#", "does not"},
        {"300 200 100 nn f32-strict ", "300 200 100 nn f32-strict isomat_gemm_f32_nn_64x64x16 256\n#",
         "does not"},
        {"300 200 100 nn f32-strict ", "300 200 100 nn f32-strict isomat_gemm_f32_nn_64x64x16 0\n#",
         "line 7"},
        {"300 200 100 nn f32-strict ", "300 200 100 nn f32-strict isomat_gemm_f32_nn_64x64x16 257\n#",
         "line 7"},
        {"300 200 100 nn f32-strict ", "300 200 100 nn f32-strict isomat_gemm_f32_nn_64x64x16 1 1\n#",
         "line 7"},
        {"end 3", "end 2", "does not end"},
        {"end 3", "end 18446744073709551619", "does not end"},
        {"end 3", "END 3", "line 8"},
        {"end 3", "end 3 ", "does not end"},
        {"end 3\n", "end 3\nend 3\n", "does not end"},
        {"# m n k", "end 0\n#", "does not end"},
    };
    char *text = file_text(device_context(state));

    for (size_t i = 0; i < TEST_COUNT(changes); i++) {
        char *changed = replaced(text, changes[i].from, changes[i].to);
        assert_ignored(changed, strlen(changed), changes[i].reason);
        free(changed);
    }
    free(text);
}

/* Lines of 2 MB and files of more, zero bytes, control characters in what a reason quotes. */
static void large_and_binary_files_are_ignored(void **state)
{
    const size_t size = 2 << 20;
    char *text = file_text(device_context(state)), *large = malloc(2 * size + 1);

    assert_non_null(large);
    memset(large, 'x', size);
    assert_ignored(large, size, "another format");
    const size_t head = (size_t)(strstr(text, "300 200") - text);
    memcpy(large, text, head);
    assert_ignored(large, size, "does not end"); /* no line's end after the head */
    memcpy(large + size, "\nend 1\n", 8);
    assert_ignored(large, size + 7, "words");
    for (size_t i = head; i < size; i++)
        large[i] = i % 2 ? '1' : ' ';
    assert_ignored(large, size + 7, "line 7");
    char *long_name = replaced(text, "strict isomat", "strict \a\x1b[31m\xe4isomat");
    assert_ignored(long_name, strlen(long_name), "line 6");
    free(long_name);
    char *zero = strdup(text);
    zero[head + 2] = '\0';
    assert_ignored(zero, strlen(text), "zero byte");
    free(zero);
    write_file(path, text, strlen(text));
    assert_int_equal(truncate(path, 1LL << 40), 0);
    isomat_context context;
    setenv("ISOMAT_TUNING", path, 1);
    assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY));
    assert_non_null(strstr(tuning_of(context).reason, "more than"));
    assert_ok(isomat_context_destroy(context));
    /* more entries than a table may have */
    FILE *file = fopen(path, "w");
    fwrite(text, 1, head, file);
    for (int i = 0; i < 65537; i++)
        fprintf(file, "%d 200 100 nn f32-strict isomat_gemm_f32_nn_64x64x16 1\n", i + 1);
    fputs("end 65537\n", file);
    fclose(file);
    assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY));
    isomat_tuning_info info = tuning_of(context);
    assert_int_equal(info.state, ISOMAT_TUNING_IGNORED);
    assert_non_null(strstr(info.reason, "more than"));
    assert_int_equal(info.entries, 0);
    assert_ok(isomat_context_destroy(context));
    setenv("ISOMAT_TUNING", "", 1);
    free(large);
    free(text);
}

static void assert_state(const char *place, int32_t expected, const char *reason)
{
    isomat_context context;

    setenv("ISOMAT_TUNING", place, 1);
    assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY));
    isomat_tuning_info info = tuning_of(context);
    setenv("ISOMAT_TUNING", "", 1);
    assert_int_equal(info.state, expected);
    assert_non_null(strstr(info.reason, reason));
    assert_true(expected != ISOMAT_TUNING_IGNORED || test_is_one_line(info.reason));
    check_product(context, &tuned[2]);
    assert_ok(isomat_context_destroy(context));
}

static void what_is_no_file_is_ignored(void **state)
{
    char *text = file_text(device_context(state)), long_path[2000], other[sizeof(path) + 8];

    assert_state("", ISOMAT_TUNING_NONE, "");
    snprintf(other, sizeof(other), "%s/none", folder);
    assert_state(other, ISOMAT_TUNING_IGNORED, "No such file");
    assert_state(folder, ISOMAT_TUNING_IGNORED, "not a file");
    assert_state("/dev/zero", ISOMAT_TUNING_IGNORED, "not a file");
    assert_state("/proc/self/mem", ISOMAT_TUNING_IGNORED, "");
    snprintf(other, sizeof(other), "%s/fifo", folder);
    assert_int_equal(mkfifo(other, 0600), 0);
    alarm(20); /* no writer is waited for */
    assert_state(other, ISOMAT_TUNING_IGNORED, "not a file");
    alarm(0);
    assert_int_equal(unlink(other), 0);
    memset(long_path, 'x', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    assert_state(long_path, ISOMAT_TUNING_IGNORED, "longer than");
    write_file(path, text, strlen(text));
    assert_int_equal(chmod(path, 0), 0);
    if (geteuid() != 0) /* whom nothing is forbidden */
        assert_state(path, ISOMAT_TUNING_IGNORED, "Permission denied");
    assert_int_equal(unlink(path), 0);
    free(text);
}

/* The user's folder of settings, where there is no ISOMAT_TUNING. */
static void the_default_place_is_found(void **state)
{
    char *text = file_text(device_context(state)), place[512];
    isomat_context context;

    unsetenv("ISOMAT_TUNING");
    for (int turn = 0; turn < 3; turn++) {
        setenv("HOME", folder, 1);
        setenv("XDG_CONFIG_HOME", turn == 0 ? folder : turn == 1 ? "" : "relative", 1);
        assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY));
        isomat_tuning_info info = tuning_of(context);
        assert_int_equal(info.state, ISOMAT_TUNING_NONE);
        snprintf(place, sizeof(place), "%s%s/isomat/tuning-", folder, turn == 0 ? "" : "/.config");
        assert_int_equal(strncmp(info.path, place, strlen(place)), 0);
        assert_ok(isomat_context_destroy(context));
        for (char *slash = strchr(info.path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            mkdir(info.path, 0700);
            *slash = '/';
        }
        write_file(info.path, text, strlen(text));
        assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY));
        assert_kernel(context, &tuned[0], kernels[0]);
        assert_int_equal(tuning_of(context).state, ISOMAT_TUNING_USED);
        assert_ok(isomat_context_destroy(context));
        assert_int_equal(unlink(info.path), 0);
    }
    unsetenv("HOME");
    unsetenv("XDG_CONFIG_HOME");
    assert_ok(isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY));
    assert_string_equal(tuning_of(context).path, "");
    assert_int_equal(tuning_of(context).state, ISOMAT_TUNING_NONE);
    assert_ok(isomat_context_destroy(context));
    setenv("ISOMAT_TUNING", "", 1);
    free(text);
}

/* ------------------------------------------------------------------ threads */

static isomat_context shared;
static int wrong;

/* Changes the kernels of products that another thread does. */
static void *retune(void *argument)
{
    char name[NAME_BYTES];
    int32_t parts;
    (void)argument;
    for (int i = 0; i < 2000; i++)
        for (size_t p = 0; p < TEST_COUNT(tuned); p++)
            if (get_candidate(name, &parts, shared, &tuned[p], i % 3) != ISOMAT_OK ||
                set_kernel(shared, &tuned[p], i % 5 ? name : NULL, parts) != ISOMAT_OK ||
                set_kernel(shared, &(struct product){i + 1, 9, 9, 0, STRICT}, "isomat_gemm_f32_nn_32x32x32",
                           1) != ISOMAT_OK)
                wrong++;
    return NULL;
}

static void kernels_may_change_while_others_multiply(void **state)
{
    pthread_t thread;

    shared = device_context(state);
    assert_int_equal(pthread_create(&thread, NULL, retune, NULL), 0);
    for (int i = 0; i < 60; i++)
        check_product(shared, &tuned[2]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(wrong, 0);
    assert_true(tuning_of(shared).entries >= 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(every_candidate_is_taken_and_right),
        device_test(other_products_keep_their_kernels),
        device_test(bad_arguments_are_refused),
        device_test(a_file_is_used),
        device_test(a_file_may_be_edited),
        device_test(a_file_cut_off_anywhere_is_ignored),
        device_test(a_file_damaged_anywhere_does_no_harm),
        device_test(hostile_and_stale_files_are_ignored),
        device_test(large_and_binary_files_are_ignored),
        device_test(what_is_no_file_is_ignored),
        device_test(the_default_place_is_found),
        device_test(kernels_may_change_while_others_multiply),
    };
    int status;

    setenv("ISOMAT_TUNING", "", 1);
    status = device_open(DEVICE_ANY);
    if (status != 0)
        return status;
    sequence = operand_seed();
    if (!mkdtemp(folder))
        return TEST_ERROR;
    snprintf(path, sizeof(path), "%s/tuning", folder);
    status = device_close(cmocka_run_group_tests(tests, NULL, NULL));
    char command[sizeof(folder) + 8];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command) != 0 || status != 0;
}
