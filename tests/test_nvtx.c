/* SPDX-License-Identifier: MIT */
/* test_nvtx.c: a profiler is told of isomat's operations, and when to look; without one, nobody is. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernels/images.h"
#include "tests/support/operand.h"
#include "tests/support/work.h"

/* The ranges since the last call, as nvtx_tool.c writes them down. */
static char *ranges(void)
{
    static char text[1 << 16];
    void *tool = dlopen(TEST_NVTX_TOOL, RTLD_NOW | RTLD_NOLOAD);
    char *log = tool ? dlsym(tool, "nvtx_tool_log") : NULL;

    assert_non_null(log);
    strcpy(text, log);
    log[0] = '\0';
    return text;
}

static void operations_are_ranges(void **state)
{
    isomat_context context = device_context(state);
    const int32_t value = 1, count = 1;
    int32_t got;
    isomat_module module;
    isomat_kernel kernel;
    uint64_t out;
    const void *arguments[] = {&out, &value, &count};
    isomat_launch launch = work_launch(1, 1, ISOMAT_NONE);

    ranges();
    assert_ok(isomat_module_load_data(&module, context, ramp_ptx, sizeof(ramp_ptx)));
    assert_string_equal(ranges(), "(isomat_module_load_data)");
    assert_ok(isomat_kernel_get(&kernel, module, "isomat_test_ramp"));
    assert_ok(isomat_memory_allocate(&out, 4, context, ISOMAT_NONE));
    assert_ok(isomat_kernel_launch(kernel, &launch, arguments, 3, NULL));
    assert_ok(isomat_memory_copy_to_host(&got, out, 4, context, ISOMAT_NONE));
    assert_ok(isomat_memory_free(out, context, ISOMAT_NONE));
    assert_ok(isomat_context_synchronize(context));
    assert_string_equal(ranges(), "(isomat_memory_allocate)(isomat_test_ramp)(isomat_memory_copy_to_host)"
                                  "(isomat_memory_free)(isomat_context_synchronize)");
    /* one that fails ends its range, too */
    assert_status(isomat_memory_allocate(&out, -1, context, ISOMAT_NONE), ISOMAT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(ranges(), "(isomat_memory_allocate)");
    assert_ok(isomat_kernel_destroy(kernel));
    assert_ok(isomat_module_destroy(module));
}

/* The kernels of isomat's own, by their names. */
static void own_kernels_are_ranges(void **state)
{
    isomat_context context = device_context(state);
    isomat_matrix matrix;
    char *text;

    assert_ok(isomat_matrix_create(&matrix, context, 8, 8, ISOMAT_TYPE_F32, ISOMAT_NONE));
    ranges();
    assert_ok(isomat_matrix_fill(matrix, 1.0, ISOMAT_NONE));
    text = ranges();
    assert_non_null(strstr(text, "(isomat_fill_f32)"));
    assert_ok(isomat_matrix_destroy(matrix));
}

static void domain_has_the_name_of_the_library(void **state)
{
    (void)state;
    /* this process' driver was opened before the log was first read */
    assert_non_null(strstr(getenv("TEST_NVTX_FIRST"), "domain isomat"));
}

static void profiler_is_told_when_to_look(void **state)
{
    isomat_context context = device_context(state);

    assert_ok(isomat_profiler_start(context));
    assert_ok(isomat_profiler_stop(context));
    if (device_is_host()) {
        assert_int_equal(device_host_calls("cuProfilerStart"), 1);
        assert_int_equal(device_host_calls("cuProfilerStop"), 1);
    }
    assert_status(isomat_profiler_start(ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
    assert_status(isomat_profiler_stop(ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
}

/* In processes of their own: a variable that names nothing of use changes nothing. */
static void library_that_is_none_is_ignored(void **state)
{
    static const char *const libraries[] = {"/nonexistent/tool.so", "", "/proc/self/exe", TEST_OTHER_LIBRARY};

    (void)state;
    for (size_t i = 0; i < TEST_COUNT(libraries); i++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            setenv("NVTX_INJECTION64_PATH", libraries[i], 1);
            execl("/proc/self/exe", "test_nvtx", "alone", (char *)NULL);
            _exit(99);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("with \"%s\": status %d", libraries[i], status);
    }
}

/* What each of those processes does. */
static int work_alone(void)
{
    isomat_context context = ISOMAT_NONE;
    uint64_t pointer = 0;

    return isomat_context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY) != ISOMAT_OK ||
           isomat_memory_allocate(&pointer, 64, context, ISOMAT_NONE) != ISOMAT_OK ||
           isomat_memory_free(pointer, context, ISOMAT_NONE) != ISOMAT_OK ||
           isomat_context_destroy(context) != ISOMAT_OK;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        device_test(operations_are_ranges),
        device_test(own_kernels_are_ranges),
        cmocka_unit_test(domain_has_the_name_of_the_library),
        device_test(profiler_is_told_when_to_look),
        cmocka_unit_test(library_that_is_none_is_ignored),
    };

    (void)argv;
    if (argc > 1)
        return device_choose(DEVICE_ANY) != 0 || work_alone();
    if (access(TEST_NVTX_TOOL, R_OK) != 0) /* a test that was carried to another machine */
        return 77;
    setenv("NVTX_INJECTION64_PATH", TEST_NVTX_TOOL, 1);
    int status = device_open(DEVICE_ANY);
    if (status != 0)
        return status;
    setenv("TEST_NVTX_FIRST", ranges(), 1);
    return device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
