/* SPDX-License-Identifier: MIT */
/* test_lifetime.c: the library opened as a host's run time opens it, twice too, and used by other threads,
 * around a fork, after dlclose and while the process ends.
 *
 * This process never opens the library: each case has a child of its own,
 * which ends by exit, so that what runs at the end runs.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

#define FUNCTIONS(X)                                                                                         \
    X(context_create)                                                                                        \
    X(context_destroy)                                                                                       \
    X(context_synchronize)                                                                                   \
    X(error_message)                                                                                         \
    X(gemm)                                                                                                  \
    X(live_objects)                                                                                          \
    X(matrix_destroy)                                                                                        \
    X(matrix_from_host)                                                                                      \
    X(matrix_to_host)

struct library {
    void *handle;
#define X(name) __typeof__(isomat_##name) *name;
    FUNCTIONS(X)
#undef X
};

static const char *library_path = TEST_LIBRARY; /* or what ISOMAT_TEST_LIBRARY names */

/* In a child nothing asserts: a longjmp would run the parent's tests. */
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "in the child, line %d: %s\n", __LINE__, #condition);                            \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

static void load(struct library *library, const char *path)
{
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(library->handle != NULL);
#define X(name) CHECK(*(void **)&library->name = dlsym(library->handle, "isomat_" #name));
    FUNCTIONS(X)
#undef X
}

/* [1 2 3] [1 1 1]' */
static void multiply(const struct library *library, isomat_context context)
{
    const float a[3] = {1, 2, 3}, b[3] = {1, 1, 1};
    float c = 0;
    isomat_matrix ma, mb, mc = ISOMAT_NONE;

    CHECK(library->matrix_from_host(&ma, context, a, 1, 3, 3, ISOMAT_TYPE_F32, ISOMAT_NONE) == ISOMAT_OK);
    CHECK(library->matrix_from_host(&mb, context, b, 3, 1, 1, ISOMAT_TYPE_F32, ISOMAT_NONE) == ISOMAT_OK);
    CHECK(library->gemm(&mc, 1, ma, ISOMAT_OP_N, mb, ISOMAT_OP_N, 0, ISOMAT_COMPUTE_F32, ISOMAT_NONE) ==
          ISOMAT_OK);
    CHECK(library->matrix_to_host(&c, 1, mc, ISOMAT_NONE) == ISOMAT_OK);
    CHECK(c == 6);
    CHECK(library->matrix_destroy(ma) == ISOMAT_OK && library->matrix_destroy(mb) == ISOMAT_OK &&
          library->matrix_destroy(mc) == ISOMAT_OK);
}

static isomat_context create(const struct library *library)
{
    isomat_context context = ISOMAT_NONE;

    if (library->context_create(&context, 0, ISOMAT_CONTEXT_PRIMARY) != ISOMAT_OK)
        fprintf(stderr, "%s\n", library->error_message());
    CHECK(context != ISOMAT_NONE);
    return context;
}

/* ------------------------------------------------------------- each in a child */

static void opened_locally(void)
{
    struct library library;
    isomat_context context;

    load(&library, library_path);
    CHECK(dlsym(RTLD_DEFAULT, "isomat_version") == NULL);
    context = create(&library);
    multiply(&library, context);
    CHECK(library.context_destroy(context) == ISOMAT_OK);
    CHECK(library.live_objects() == 0);
}

/* Two copies know nothing of each other, and use one driver. */
static void opened_twice(void)
{
    char path[] = "/tmp/test_lifetime-XXXXXX", command[1024];
    struct library first, second;
    isomat_context one, other;
    int file = mkstemp(path);

    CHECK(file >= 0 && close(file) == 0);
    snprintf(command, sizeof(command), "cp '%s' %s", library_path, path);
    CHECK(system(command) == 0);
    load(&first, library_path);
    load(&second, path);
    unlink(path);
    CHECK(first.gemm != second.gemm);
    one = create(&first);
    other = create(&second);
    multiply(&first, one);
    multiply(&second, other);
    CHECK(first.context_destroy(one) == ISOMAT_OK);
    multiply(&second, other);
    CHECK(first.live_objects() == 0 && second.live_objects() > 0);
    CHECK(second.context_destroy(other) == ISOMAT_OK);
    CHECK(dlclose(second.handle) == 0 && dlclose(first.handle) == 0);
}

/* It stays where it is, with all that the caller has of it. */
static void closed_and_opened_again(void)
{
    struct library library, again;
    isomat_context context;

    load(&library, library_path);
    context = create(&library);
    CHECK(dlclose(library.handle) == 0);
    multiply(&library, context);
    load(&again, library_path);
    CHECK(again.gemm == library.gemm);
    multiply(&again, context);
    CHECK(again.context_destroy(context) == ISOMAT_OK);
    CHECK(dlclose(again.handle) == 0);
}

/* Forks before the library is there, before the driver is, and after. */
static void parent_goes_on_after_forks(void)
{
    struct library library;
    isomat_context context = ISOMAT_NONE;

    for (int stage = 0; stage < 3; stage++) {
        int status = -1;
        pid_t child = fork();

        CHECK(child >= 0);
        if (child == 0) {
            if (stage == 1) /* the driver was not open yet: the child may have it */
                multiply(&library, create(&library));
            exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (stage == 0)
            load(&library, library_path);
        if (stage == 1)
            context = create(&library);
    }
    multiply(&library, context);
    CHECK(library.context_destroy(context) == ISOMAT_OK);
}

struct errand {
    struct library library;
    isomat_context context;
};

static void *multiply_in_thread(void *argument)
{
    const struct errand *errand = argument;

    multiply(&errand->library, errand->context);
    return NULL;
}

static void *create_in_thread(void *argument)
{
    struct errand *errand = argument;

    errand->context = create(&errand->library);
    return NULL;
}

static void *destroy_in_thread(void *argument)
{
    const struct errand *errand = argument;

    CHECK(errand->library.context_destroy(errand->context) == ISOMAT_OK);
    return NULL;
}

/* Each step in a thread that knows only this one step, and is gone at the next. */
static void used_by_one_thread_after_another(void)
{
    static void *(*const steps[])(void *) = {create_in_thread, multiply_in_thread, multiply_in_thread,
                                             destroy_in_thread};
    struct errand errand;

    load(&errand.library, library_path);
    for (size_t i = 0; i < TEST_COUNT(steps); i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, steps[i], &errand) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK(errand.library.live_objects() == 0);
}

/* ------------------------------------------------------- while the process ends */

static struct errand last; /* what is left to do at the end */
static isomat_matrix last_matrix;

static void clean_up(void)
{
    if (last.context == ISOMAT_NONE)
        return;
    multiply(&last.library, last.context);
    CHECK(last.library.matrix_destroy(last_matrix) == ISOMAT_OK);
    CHECK(last.library.context_destroy(last.context) == ISOMAT_OK);
    last.context = ISOMAT_NONE;
}

static int at_unload; /* clean_up is the destructor's */

__attribute__((destructor)) static void destructor(void)
{
    if (at_unload)
        clean_up();
}

static void prepare_the_end(void)
{
    const float one = 1;

    load(&last.library, library_path);
    last.context = create(&last.library);
    CHECK(last.library.matrix_from_host(&last_matrix, last.context, &one, 1, 1, 1, ISOMAT_TYPE_F32,
                                        ISOMAT_NONE) == ISOMAT_OK);
}

/* Registered before the library and the driver were there, it runs after what they may have registered. */
static void destroyed_by_atexit(void)
{
    CHECK(atexit(clean_up) == 0);
    prepare_the_end();
}

static void destroyed_by_a_destructor(void)
{
    at_unload = 1;
    prepare_the_end();
}

static void never_destroyed(void)
{
    prepare_the_end();
    last.context = ISOMAT_NONE;
}

static void *multiply_for_ever(void *argument)
{
    const struct errand *errand = argument;

    for (;;)
        multiply(&errand->library, errand->context);
    return NULL;
}

/* As a garbage collector's thread, or a worker that nobody joined. */
static void ended_while_a_thread_works(void)
{
    static struct errand errand;
    pthread_t thread;

    load(&errand.library, library_path);
    errand.context = create(&errand.library);
    multiply(&errand.library, errand.context);
    CHECK(pthread_create(&thread, NULL, multiply_for_ever, &errand) == 0);
    usleep(20000);
}

/* A thread's own data goes after the thread's last own line. */
static void destroy_with_thread(void *argument)
{
    multiply_in_thread(argument);
    destroy_in_thread(argument);
}

static pthread_key_t key;

static void *leave_to_key(void *argument)
{
    create_in_thread(argument);
    CHECK(pthread_setspecific(key, argument) == 0);
    return NULL;
}

static void destroyed_with_a_thread(void)
{
    struct errand errand;
    pthread_t thread;

    load(&errand.library, library_path);
    CHECK(pthread_key_create(&key, destroy_with_thread) == 0);
    CHECK(pthread_create(&thread, NULL, leave_to_key, &errand) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(errand.library.live_objects() == 0);
}

/* ------------------------------------------------------------------ the parent */

#define CASES(X)                                                                                             \
    X(opened_locally)                                                                                        \
    X(opened_twice)                                                                                          \
    X(closed_and_opened_again)                                                                               \
    X(parent_goes_on_after_forks)                                                                            \
    X(used_by_one_thread_after_another)                                                                      \
    X(destroyed_by_atexit)                                                                                   \
    X(destroyed_by_a_destructor)                                                                             \
    X(never_destroyed)                                                                                       \
    X(ended_while_a_thread_works)                                                                            \
    X(destroyed_with_a_thread)

static void in_child(void (*body)(void))
{
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        body();
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        print_error("the child got signal %d\n", WTERMSIG(status));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define X(name)                                                                                              \
    static void test_##name(void **state)                                                                    \
    {                                                                                                        \
        (void)state;                                                                                         \
        in_child(name);                                                                                      \
    }
CASES(X)
#undef X

int main(void)
{
    const struct CMUnitTest tests[] = {
#define X(name) cmocka_unit_test(test_##name),
        CASES(X)
#undef X
    };
    const char *driver = getenv("ISOMAT_TEST_DRIVER");

    if (getenv("ISOMAT_TEST_LIBRARY") != NULL)
        library_path = getenv("ISOMAT_TEST_LIBRARY");
    if (access(library_path, R_OK) != 0) {
        fprintf(stderr, "skipped: configured without shared libraries\n");
        return TEST_SKIP;
    }
    setenv("ISOMAT_DRIVER", driver != NULL ? driver : "host", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
