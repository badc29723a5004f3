/* SPDX-License-Identifier: MIT */
/* test_kept_forms.c: the store of kept forms itself, with forms that nobody multiplies. */
#include <pthread.h>
#include <time.h>

#include "lib/kept.h"
#include "lib/matrix.h"
#include "tests/support/device.h"
#include "tests/support/matrix.h"

#define F32 ISOMAT_TYPE_F32
#define BYTES 4096
#define ZERO_BYTES 512

/* A matrix whose forms they are, its context current. */
struct forms {
    isomat_context handle;
    struct im_context *context;
    struct im_stream *stream;
    struct im_scope scope;
    isomat_matrix matrix_handle;
    struct im_matrix *matrix;
};

static void begin(struct forms *f, void **state)
{
    f->handle = device_context(state);
    assert_ok(im_context_get(&f->context, f->handle));
    f->stream = &f->context->default_stream;
    assert_ok(im_scope_enter(&f->scope, f->context));
    f->matrix_handle = matrix_numbered(f->handle, 10, 12);
    assert_ok(im_matrix_get(&f->matrix, f->matrix_handle));
}

static void end(struct forms *f)
{
    int64_t bytes;

    im_matrix_release(f->matrix);
    assert_ok(isomat_matrix_destroy(f->matrix_handle));
    assert_ok(isomat_context_get_kept(&bytes, NULL, f->handle));
    assert_int_equal(bytes, 0);
    assert_ok(im_scope_leave(&f->scope, ISOMAT_OK));
    im_context_release(f->context);
}

static int64_t kept_bytes(const struct forms *f)
{
    int64_t bytes = -1;

    assert_ok(isomat_context_get_kept(&bytes, NULL, f->handle));
    return bytes;
}

static struct im_kept *get(const struct forms *f, uint32_t kind, enum im_kept_policy policy, bool *fresh)
{
    struct im_kept *kept;

    assert_ok(im_kept_get(&kept, fresh, f->matrix, kind, BYTES, ZERO_BYTES, policy, f->stream));
    if (kept != NULL)
        assert_int_not_equal(kept->pointer, 0);
    else
        assert_false(*fresh);
    return kept;
}

/* Makes, or finds, a form, and gives it back. */
static CUdeviceptr make(const struct forms *f, uint32_t kind, enum im_kept_policy policy)
{
    bool fresh;
    struct im_kept *kept = get(f, kind, policy, &fresh);

    if (kept == NULL)
        return 0;
    const CUdeviceptr pointer = kept->pointer;
    if (fresh)
        assert_ok(im_kept_made(kept, f->stream));
    im_kept_put(kept, true);
    return pointer;
}

static CUdeviceptr make_by_use(const struct forms *f, uint32_t kind)
{
    make(f, kind, IM_KEPT_IF_AGAIN);
    return make(f, kind, IM_KEPT_IF_AGAIN);
}

static int is_there(const struct forms *f, uint32_t kind)
{
    bool fresh;
    struct im_kept *kept = get(f, kind, IM_KEPT_FIND, &fresh);

    assert_false(fresh);
    im_kept_put(kept, true);
    return kept != NULL;
}

/* ------------------------------------------------------------ coming to be */

static void second_use_makes_a_form(void **state)
{
    struct forms f;
    bool fresh;

    begin(&f, state);
    assert_null(get(&f, 7, IM_KEPT_FIND, &fresh));
    assert_null(get(&f, 7, IM_KEPT_FIND, &fresh)); /* a look is no use */
    assert_null(get(&f, 7, IM_KEPT_IF_AGAIN, &fresh));
    assert_int_equal(kept_bytes(&f), 0);
    assert_null(get(&f, 7, IM_KEPT_FIND, &fresh));
    struct im_kept *kept = get(&f, 7, IM_KEPT_IF_AGAIN, &fresh);
    assert_non_null(kept);
    assert_true(fresh);
    assert_int_equal(kept_bytes(&f), BYTES);
    assert_ok(im_kept_made(kept, f.stream));
    im_kept_put(kept, true);
    const CUdeviceptr pointer = kept->pointer;
    kept = get(&f, 7, IM_KEPT_IF_AGAIN, &fresh);
    assert_false(fresh);
    assert_int_equal(kept->pointer, pointer);
    im_kept_put(kept, true);
    assert_true(is_there(&f, 7));
    assert_int_equal(kept_bytes(&f), BYTES);
    end(&f);
}

static void fresh_memory_begins_with_zeros(void **state)
{
    uint8_t got[ZERO_BYTES], zeros[ZERO_BYTES] = {0};
    struct forms f;
    bool fresh;

    begin(&f, state);
    for (uint32_t kind = 1; kind < 6; kind++) { /* memory that was used comes back */
        struct im_kept *kept = get(&f, kind, IM_KEPT_PREPARE, &fresh);
        memset(got, 1, sizeof(got));
        assert_ok(isomat_memory_copy_to_host(got, kept->pointer, sizeof(got), f.handle, ISOMAT_NONE));
        assert_memory_equal(got, zeros, sizeof(got));
        assert_ok(isomat_memory_fill(kept->pointer, 0x55, 1, BYTES, f.handle, ISOMAT_NONE));
        assert_ok(im_kept_made(kept, f.stream));
        im_kept_put(kept, true);
        assert_ok(im_kept_drop(f.matrix));
    }
    end(&f);
}

/* Another kind, another rectangle and another matrix are another form. */
static void forms_are_told_apart(void **state)
{
    static const int64_t views[][4] = {{0, 0, 5, 12}, {0, 0, 10, 6}, {1, 0, 5, 12}, {0, 1, 5, 6}};
    struct forms f, view;

    begin(&f, state);
    make(&f, 1, IM_KEPT_PREPARE);
    assert_false(is_there(&f, 2));
    view = f;
    for (int i = 0; i < 4; i++) {
        assert_ok(isomat_matrix_view(&view.matrix_handle, f.matrix_handle, views[i][0], views[i][1],
                                     views[i][2], views[i][3]));
        assert_ok(im_matrix_get(&view.matrix, view.matrix_handle));
        assert_false(is_there(&view, 1));
        make(&view, 1, IM_KEPT_PREPARE);
        assert_true(is_there(&view, 1));
        im_matrix_release(view.matrix);
        assert_ok(isomat_matrix_destroy(view.matrix_handle));
    }
    assert_true(is_there(&f, 1));
    assert_int_equal(kept_bytes(&f), 5 * BYTES);
    assert_ok(im_kept_drop(f.matrix)); /* those of views are the root's */
    assert_int_equal(kept_bytes(&f), 0);
    end(&f);
}

static void prepare_makes_at_once(void **state)
{
    struct forms f;
    bool fresh;

    begin(&f, state);
    const CUdeviceptr pointer = make(&f, 1, IM_KEPT_PREPARE);
    assert_int_not_equal(pointer, 0);
    struct im_kept *kept = get(&f, 1, IM_KEPT_PREPARE, &fresh);
    assert_false(fresh);
    assert_int_equal(kept->pointer, pointer);
    im_kept_put(kept, true);
    assert_int_equal(make(&f, 1, IM_KEPT_IF_AGAIN), pointer);
    assert_int_equal(kept_bytes(&f), BYTES);
    end(&f);
}

/* Nothing comes of a form that was not made after all. */
static void form_that_was_not_made_goes(void **state)
{
    struct forms f;
    bool fresh;

    begin(&f, state);
    make(&f, 1, IM_KEPT_IF_AGAIN);
    im_kept_put(get(&f, 1, IM_KEPT_IF_AGAIN, &fresh), false);
    assert_true(fresh);
    assert_int_equal(kept_bytes(&f), 0);
    assert_false(is_there(&f, 1));
    assert_int_not_equal(make_by_use(&f, 1), 0);
    im_kept_put(NULL, true);
    end(&f);
}

/* As many as are asked for: it is the limit that counts bytes. */
static void one_matrix_may_have_many_forms(void **state)
{
    enum { MANY = 40 };
    struct forms f;

    begin(&f, state);
    for (uint32_t kind = 1; kind <= MANY; kind++)
        assert_int_not_equal(make(&f, kind, IM_KEPT_PREPARE), 0);
    for (uint32_t kind = 1; kind <= MANY; kind++)
        assert_true(is_there(&f, kind));
    assert_int_equal(kept_bytes(&f), MANY * BYTES);
    assert_int_not_equal(make_by_use(&f, MANY + 1), 0);
    end(&f);
}

/* Seen once, ever again something else: nothing is made, nothing is left. */
static void used_once_each(void **state)
{
    struct forms f;

    begin(&f, state);
    for (uint32_t kind = 1; kind < 200; kind++)
        assert_int_equal(make(&f, kind, IM_KEPT_IF_AGAIN), 0);
    assert_int_equal(kept_bytes(&f), 0);
    assert_int_not_equal(make_by_use(&f, 300), 0);
    end(&f);
}

/* ------------------------------------------------------------------ dropping */

static void drop_forgets(void **state)
{
    struct forms f;

    begin(&f, state);
    const int64_t objects = device_is_host() ? device_host_objects() : 0;
    make_by_use(&f, 1);
    make(&f, 2, IM_KEPT_PREPARE);
    assert_ok(im_kept_drop(f.matrix));
    assert_int_equal(kept_bytes(&f), 0);
    assert_false(is_there(&f, 1) || is_there(&f, 2));
    assert_int_equal(make(&f, 1, IM_KEPT_IF_AGAIN), 0); /* its uses are forgotten too */
    assert_ok(im_kept_drop(f.matrix));
    assert_ok(im_kept_drop(f.matrix));
    if (device_is_host())
        assert_int_equal(device_host_objects(), objects);
    end(&f);
}

/* A product still reads it: the memory goes with the last pin, new uses make another. */
static void drop_waits_for_pins(void **state)
{
    struct im_kept *first, *second;
    struct forms f;
    bool fresh;

    begin(&f, state);
    const int64_t objects = device_is_host() ? device_host_objects() : 0;
    make(&f, 1, IM_KEPT_PREPARE);
    first = get(&f, 1, IM_KEPT_FIND, &fresh);
    second = get(&f, 1, IM_KEPT_FIND, &fresh);
    assert_ptr_equal(first, second);
    const CUdeviceptr old = first->pointer;
    assert_ok(isomat_memory_fill(old, 0x55, 1, BYTES, f.handle, ISOMAT_NONE));
    assert_ok(im_kept_drop(f.matrix));
    assert_false(is_there(&f, 1));
    assert_int_equal(kept_bytes(&f), BYTES); /* it is still in use */
    assert_int_not_equal(make(&f, 1, IM_KEPT_PREPARE), old);
    assert_int_equal(kept_bytes(&f), 2 * BYTES);
    im_kept_put(first, true);
    assert_int_equal(kept_bytes(&f), 2 * BYTES);
    im_kept_put(second, true);
    assert_int_equal(kept_bytes(&f), BYTES);
    assert_true(is_there(&f, 1));
    assert_ok(im_kept_drop(f.matrix));
    if (device_is_host())
        assert_int_equal(device_host_objects(), objects);
    end(&f);
}

static void drop_all_leaves_what_is_in_use(void **state)
{
    struct forms f;
    bool fresh;

    begin(&f, state);
    make_by_use(&f, 1);
    make(&f, 2, IM_KEPT_PREPARE);
    make(&f, 3, IM_KEPT_PREPARE);
    struct im_kept *kept = get(&f, 2, IM_KEPT_FIND, &fresh);
    im_kept_drop_all(f.context);
    assert_int_equal(kept_bytes(&f), BYTES);
    im_kept_put(kept, true);
    im_kept_drop_all(f.context);
    assert_int_equal(kept_bytes(&f), 0);
    end(&f);
}

/* ------------------------------------------------------------- known address */

static void known_address_allows_prepared_forms_alone(void **state)
{
    struct forms f;

    begin(&f, state);
    make_by_use(&f, 1);
    make(&f, 2, IM_KEPT_PREPARE);
    make_by_use(&f, 3);
    make(&f, 3, IM_KEPT_PREPARE); /* now the caller has asked for it */
    matrix_pointer(f.matrix_handle);
    assert_false(is_there(&f, 1));
    assert_true(is_there(&f, 2) && is_there(&f, 3));
    assert_int_equal(kept_bytes(&f), 2 * BYTES);
    for (int i = 0; i < 4; i++)
        assert_int_equal(make(&f, 1, IM_KEPT_IF_AGAIN), 0);
    assert_int_not_equal(make(&f, 1, IM_KEPT_PREPARE), 0);
    assert_ok(isomat_matrix_modified(f.matrix_handle));
    assert_int_equal(kept_bytes(&f), 0);
    assert_int_equal(make_by_use(&f, 2), 0); /* it was asked for before, not since */
    end(&f);
}

/* --------------------------------------------------------------------- limit */

static void form_used_longest_ago_goes_first(void **state)
{
    struct forms f;

    begin(&f, state);
    assert_ok(isomat_context_set_keep_limit(f.handle, 3 * BYTES + 100));
    for (uint32_t kind = 1; kind <= 3; kind++)
        make_by_use(&f, kind);
    assert_int_equal(kept_bytes(&f), 3 * BYTES);
    make(&f, 1, IM_KEPT_IF_AGAIN);
    make_by_use(&f, 4);
    assert_int_equal(kept_bytes(&f), 3 * BYTES);
    assert_false(is_there(&f, 2));
    assert_true(is_there(&f, 3) && is_there(&f, 4) &&
                is_there(&f, 1)); /* a look is a use here: 3 is oldest */
    assert_ok(isomat_context_set_keep_limit(f.handle, 2 * BYTES));
    assert_int_equal(kept_bytes(&f), 2 * BYTES);
    assert_false(is_there(&f, 3));
    assert_ok(isomat_context_set_keep_limit(f.handle, 0));
    assert_int_equal(kept_bytes(&f), 0);
    assert_int_equal(make_by_use(&f, 1), 0);
    assert_int_equal(make(&f, 1, IM_KEPT_IF_AGAIN), 0);
    end(&f);
}

/* Forms that the caller asked for do not go for others. */
static void prepared_forms_go_for_prepared_ones_alone(void **state)
{
    struct forms f;

    begin(&f, state);
    assert_ok(isomat_context_set_keep_limit(f.handle, 2 * BYTES));
    make(&f, 1, IM_KEPT_PREPARE);
    make(&f, 2, IM_KEPT_PREPARE);
    assert_int_equal(make_by_use(&f, 3), 0);
    assert_true(is_there(&f, 1) && is_there(&f, 2));
    assert_int_not_equal(make(&f, 4, IM_KEPT_PREPARE), 0);
    assert_false(is_there(&f, 1));
    assert_true(is_there(&f, 2) && is_there(&f, 4));
    end(&f);
}

static void forms_in_use_are_not_evicted(void **state)
{
    struct im_kept *kept, *none;
    struct forms f;
    bool fresh;

    begin(&f, state);
    assert_ok(isomat_context_set_keep_limit(f.handle, BYTES));
    make_by_use(&f, 1);
    kept = get(&f, 1, IM_KEPT_FIND, &fresh);
    assert_int_equal(make_by_use(&f, 2), 0);
    assert_status(im_kept_get(&none, &fresh, f.matrix, 3, BYTES, 0, IM_KEPT_PREPARE, f.stream),
                  ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_message_contains("4096");
    assert_null(none);
    assert_int_equal(kept_bytes(&f), BYTES);
    im_kept_put(kept, true);
    assert_true(is_there(&f, 1));
    assert_int_not_equal(make(&f, 3, IM_KEPT_PREPARE), 0);
    assert_false(is_there(&f, 1));
    end(&f);
}

/* What the limit could not drop because it was in use goes when it no longer is. */
static void lower_limit_counts_for_forms_in_use_too(void **state)
{
    struct forms f;
    bool fresh;

    begin(&f, state);
    make(&f, 1, IM_KEPT_PREPARE);
    struct im_kept *kept = get(&f, 1, IM_KEPT_FIND, &fresh);
    assert_ok(isomat_context_set_keep_limit(f.handle, 0));
    im_kept_put(kept, true);
    assert_int_equal(kept_bytes(&f), 0);
    assert_false(is_there(&f, 1));
    end(&f);
}

static void form_larger_than_the_limit(void **state)
{
    struct im_kept *kept;
    struct forms f;
    bool fresh;

    begin(&f, state);
    make(&f, 1, IM_KEPT_PREPARE);
    assert_ok(isomat_context_set_keep_limit(f.handle, 2 * BYTES));
    for (int64_t bytes = 2 * BYTES + 1; bytes < INT64_MAX / 1024; bytes *= 1024) {
        assert_status(im_kept_get(&kept, &fresh, f.matrix, 2, bytes, 0, IM_KEPT_PREPARE, f.stream),
                      ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
        assert_ok(im_kept_get(&kept, &fresh, f.matrix, 3, bytes, 0, IM_KEPT_IF_AGAIN, f.stream));
        assert_null(kept);
    }
    end(&f);
}

/* ------------------------------------------------------------------- streams */

/* A form that another stream made is waited for, one of the same stream is not. */
static void other_streams_wait_for_the_maker(void **state)
{
    isomat_stream handle;
    struct forms f;

    if (!device_is_host())
        skip(); /* it counts calls */
    begin(&f, state);
    assert_ok(isomat_stream_create(&handle, f.handle, 0));
    make(&f, 1, IM_KEPT_PREPARE);
    int64_t waits = device_host_calls("cuStreamWaitEvent");
    assert_true(is_there(&f, 1));
    assert_int_equal(device_host_calls("cuStreamWaitEvent"), waits);
    struct im_stream *own = f.stream;
    assert_ok(im_stream_get(&f.stream, handle, f.context));
    waits = device_host_calls("cuStreamWaitEvent");
    assert_true(is_there(&f, 1));
    assert_int_equal(device_host_calls("cuStreamWaitEvent"), waits + 1);
    make(&f, 2, IM_KEPT_PREPARE); /* on the other */
    assert_ok(isomat_stream_destroy(handle));
    im_stream_release(f.stream);
    f.stream = own;
    assert_true(is_there(&f, 2)); /* the maker's handle is gone */
    end(&f);
}

/* Another thread that asks for a form while it is being made. */
struct asker {
    struct forms *forms;
    enum im_kept_policy policy;
    _Atomic bool made;
    int early; /* it was given the form before that was made */
    int fresh;
};

static void *ask(void *argument)
{
    struct asker *asker = argument;
    struct im_scope scope;
    struct im_kept *kept = NULL;
    bool fresh = false;

    if (im_scope_enter(&scope, asker->forms->context) != ISOMAT_OK)
        return asker;
    const int32_t status = im_kept_get(&kept, &fresh, asker->forms->matrix, 1, BYTES, ZERO_BYTES,
                                       asker->policy, asker->forms->stream);
    asker->early = kept != NULL && !asker->made;
    asker->fresh = fresh;
    im_kept_put(kept, !fresh);
    return im_scope_leave(&scope, status) == ISOMAT_OK ? NULL : asker;
}

static void form_is_not_given_out_before_it_is_made(void **state)
{
    static const enum im_kept_policy policies[] = {IM_KEPT_FIND, IM_KEPT_IF_AGAIN, IM_KEPT_PREPARE};
    const struct timespec a_while = {0, 30000000};

    for (size_t i = 0; i < TEST_COUNT(policies); i++)
        for (int made = 0; made < 2; made++) {
            struct forms f;
            struct asker asker = {&f, policies[i], false, 0, 0};
            pthread_t thread;
            void *failed;
            bool fresh;
            begin(&f, state);
            struct im_kept *kept = get(&f, 1, IM_KEPT_PREPARE, &fresh);
            assert_int_equal(pthread_create(&thread, NULL, ask, &asker), 0);
            nanosleep(&a_while, NULL);
            asker.made = true;
            if (made)
                assert_ok(im_kept_made(kept, f.stream));
            im_kept_put(kept, made);
            assert_int_equal(pthread_join(thread, &failed), 0);
            assert_null(failed);
            assert_false(asker.early);
            assert_true(!asker.fresh || !made);
            end(&f);
        }
}

/* -------------------------------------------------------------------- faults */

/* One driver call fails in a short life of forms; nothing may be left, and the next life goes well. */
static void live(const struct forms *f, int strict)
{
    for (int round = 0; round < 3; round++)
        for (uint32_t kind = 1; kind <= 2; kind++) {
            struct im_kept *kept;
            bool fresh;
            const enum im_kept_policy policy = kind == 1 ? IM_KEPT_IF_AGAIN : IM_KEPT_PREPARE;
            int32_t status =
                im_kept_get(&kept, &fresh, f->matrix, kind, BYTES, ZERO_BYTES, policy, f->stream);
            if (status != ISOMAT_OK)
                assert_null(kept);
            if (kept != NULL && fresh)
                status = im_kept_made(kept, f->stream);
            im_kept_put(kept, status == ISOMAT_OK);
            assert_true(status == ISOMAT_OK || (!strict && test_is_one_line(isomat_error_message())));
        }
    assert_true(!strict || kept_bytes(f) == 2 * BYTES);
    assert_ok(im_kept_drop(f->matrix));
    assert_int_equal(kept_bytes(f), 0);
}

static void failing_calls_leave_nothing(void **state)
{
    static const char *const functions[] = {"cuMemAllocFromPoolAsync", "cuMemAlloc",    "cuMemsetD8Async",
                                            "cuEventCreate",           "cuEventRecord", "cuStreamWaitEvent"};

    if (!device_is_host())
        skip();
    for (size_t i = 0; i < TEST_COUNT(functions); i++)
        for (int n = 1; n <= 3; n++) {
            struct forms f;
            char fault[80];
            begin(&f, state);
            const int64_t objects = device_host_objects();
            snprintf(fault, sizeof(fault), "%s:%d=OUT_OF_MEMORY", functions[i], n);
            device_host_fault(fault);
            live(&f, 0);
            device_host_fault(NULL);
            assert_int_equal(device_host_objects(), objects);
            live(&f, 1);
            assert_int_equal(device_host_objects(), objects);
            end(&f);
        }
}

/* Without memory a product goes without a form; a caller who asked for one is told. */
static void full_device_is_told_to_who_asked(void **state)
{
    struct im_kept *kept;
    struct forms f;
    bool fresh;

    if (!device_is_host())
        skip();
    begin(&f, state);
    device_host_fault("cuMemAllocFromPoolAsync:1+=OUT_OF_MEMORY,cuMemAlloc:1+=OUT_OF_MEMORY");
    assert_int_equal(make_by_use(&f, 1), 0);
    assert_status(im_kept_get(&kept, &fresh, f.matrix, 1, BYTES, 0, IM_KEPT_PREPARE, f.stream),
                  ISOMAT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_message_contains("4096");
    device_host_fault(NULL);
    assert_int_equal(kept_bytes(&f), 0);
    assert_int_not_equal(make(&f, 1, IM_KEPT_IF_AGAIN), 0); /* the uses were not forgotten */
    end(&f);
}

/* A product that needs memory gets that of forms. */
static void memory_pressure_takes_forms(void **state)
{
    uint64_t pointer;
    struct forms f;

    if (!device_is_host())
        skip();
    begin(&f, state);
    make(&f, 1, IM_KEPT_PREPARE);
    device_host_fault("cuMemAllocFromPoolAsync:1=OUT_OF_MEMORY,cuMemAlloc:1=OUT_OF_MEMORY");
    assert_ok(isomat_memory_allocate(&pointer, 1000, f.handle, ISOMAT_NONE));
    device_host_fault(NULL);
    assert_int_equal(kept_bytes(&f), 0);
    assert_ok(isomat_memory_free(pointer, f.handle, ISOMAT_NONE));
    end(&f);
}

/* In a captured sequence: none of those that are kept, and its own until the matrix is written. */
static void captured_sequence_has_forms_of_its_own(void **state)
{
    struct forms f;
    bool fresh;
    isomat_graph graph;
    unsigned char head[ZERO_BYTES];
    uint64_t used;

    begin(&f, state);
    const CUdeviceptr kept = make(&f, 1, IM_KEPT_PREPARE);
    /* Memory that is found again, not new. */
    assert_ok(isomat_memory_allocate(&used, BYTES, f.handle, ISOMAT_NONE));
    assert_ok(isomat_memory_fill(used, 0xff, 1, BYTES, f.handle, ISOMAT_NONE));
    assert_ok(isomat_memory_free(used, f.handle, ISOMAT_NONE));
    struct im_stream *plain = f.stream;
    assert_ok(isomat_graph_begin(f.handle, ISOMAT_NONE));
    assert_ok(im_stream_get(&f.stream, ISOMAT_NONE, f.context));
    assert_ptr_not_equal(f.stream, plain);

    assert_null(get(&f, 1, IM_KEPT_FIND, &fresh));
    assert_null(get(&f, 1, IM_KEPT_IF_AGAIN, &fresh));
    struct im_kept *mine = get(&f, 1, IM_KEPT_IF_AGAIN, &fresh);
    assert_non_null(mine);
    assert_true(fresh);
    struct im_stream *now = im_stream_now(f.stream);
    assert_ptr_equal(now, plain);
    assert_int_equal(im_cu.cuMemcpyDtoHAsync(head, mine->pointer, sizeof(head), now->cu), CUDA_SUCCESS);
    assert_int_equal(im_cu.cuStreamSynchronize(now->cu), CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof(head); i++)
        assert_int_equal(head[i], 0);
    assert_int_not_equal(mine->pointer, kept);
    assert_ok(im_kept_made(mine, f.stream));
    im_kept_put(mine, true);
    assert_ptr_equal(get(&f, 1, IM_KEPT_IF_AGAIN, &fresh), mine);
    assert_false(fresh);
    assert_null(get(&f, 2, IM_KEPT_IF_AGAIN, &fresh)); /* another kind */

    /* What comes behind a write makes it anew, elsewhere; what came before goes on using it. */
    assert_ok(im_matrix_use_to_write(f.matrix, f.stream));
    assert_null(get(&f, 1, IM_KEPT_IF_AGAIN, &fresh));
    struct im_kept *next = get(&f, 1, IM_KEPT_IF_AGAIN, &fresh);
    assert_non_null(next);
    assert_true(fresh);
    assert_int_not_equal(next->pointer, mine->pointer);
    im_kept_put(next, false); /* it was not made after all */
    assert_null(get(&f, 1, IM_KEPT_IF_AGAIN, &fresh));

    struct im_kept *prepared;
    assert_status(im_kept_get(&prepared, &fresh, f.matrix, 1, BYTES, 0, IM_KEPT_PREPARE, f.stream),
                  ISOMAT_ERROR_CAPTURE);
    im_stream_release(f.stream);
    f.stream = plain;

    /* The write happens at each launch, and not before. */
    assert_int_equal(kept_bytes(&f), BYTES);
    assert_ok(isomat_graph_end(&graph, f.handle, ISOMAT_NONE));
    assert_int_equal(kept_bytes(&f), BYTES);
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    assert_int_equal(kept_bytes(&f), 0);
    assert_int_not_equal(make(&f, 1, IM_KEPT_PREPARE), 0);
    assert_ok(isomat_graph_launch(graph, ISOMAT_NONE));
    assert_int_equal(kept_bytes(&f), 0);
    assert_ok(isomat_graph_destroy(graph));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(second_use_makes_a_form),
        device_test(fresh_memory_begins_with_zeros),
        device_test(forms_are_told_apart),
        device_test(prepare_makes_at_once),
        device_test(form_that_was_not_made_goes),
        device_test(one_matrix_may_have_many_forms),
        device_test(used_once_each),
        device_test(drop_forgets),
        device_test(drop_waits_for_pins),
        device_test(drop_all_leaves_what_is_in_use),
        device_test(known_address_allows_prepared_forms_alone),
        device_test(form_used_longest_ago_goes_first),
        device_test(prepared_forms_go_for_prepared_ones_alone),
        device_test(forms_in_use_are_not_evicted),
        device_test(lower_limit_counts_for_forms_in_use_too),
        device_test(form_larger_than_the_limit),
        device_test(other_streams_wait_for_the_maker),
        device_test(form_is_not_given_out_before_it_is_made),
        device_test(failing_calls_leave_nothing),
        device_test(full_device_is_told_to_who_asked),
        device_test(memory_pressure_takes_forms),
        device_test(captured_sequence_has_forms_of_its_own),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
