/* SPDX-License-Identifier: MIT */
/* test_handle.c: stale, doubly destroyed, mistyped and invented handles; lifetimes in any order. */
#include "tests/kernels/images.h"
#include "tests/support/device.h"
#include "tests/support/operand.h"

enum { CONTEXT, STREAM, EVENT, MODULE, KERNEL, MATRIX, KINDS };

static int32_t (*const destroy[KINDS])(uint64_t) = {
    isomat_context_destroy, isomat_stream_destroy, isomat_event_destroy,
    isomat_module_destroy,  isomat_kernel_destroy, isomat_matrix_destroy,
};

/* One object of each kind. */
static void create_all(uint64_t *handles)
{
    assert_ok(isomat_context_create(&handles[CONTEXT], 0, ISOMAT_CONTEXT_PRIMARY));
    assert_ok(isomat_stream_create(&handles[STREAM], handles[CONTEXT], 0));
    assert_ok(isomat_event_create(&handles[EVENT], handles[CONTEXT], 0));
    assert_ok(isomat_module_load_data(&handles[MODULE], handles[CONTEXT], launch_ptx, sizeof(launch_ptx)));
    assert_ok(isomat_kernel_get(&handles[KERNEL], handles[MODULE], "isomat_test_ramp"));
    assert_ok(
        isomat_matrix_create(&handles[MATRIX], handles[CONTEXT], 3, 5, ISOMAT_TYPE_F32, handles[STREAM]));
}

/* A call that takes a handle of that kind and changes nothing. */
static int32_t use(int kind, uint64_t handle)
{
    isomat_context_info context = {.struct_size = sizeof(context)};
    isomat_module_info module = {.struct_size = sizeof(module)};
    isomat_kernel_info kernel = {.struct_size = sizeof(kernel)};
    isomat_matrix_info matrix = {.struct_size = sizeof(matrix)};
    uint64_t native;

    switch (kind) {
    case CONTEXT:
        return isomat_context_get_info(&context, handle);
    case STREAM:
        return isomat_stream_get_native(&native, handle);
    case EVENT:
        return isomat_event_query(handle);
    case MODULE:
        return isomat_module_get_info(&module, handle);
    case KERNEL:
        return isomat_kernel_get_info(&kernel, handle);
    default:
        return isomat_matrix_get_info(&matrix, handle);
    }
}

static void handles_are_not_0_and_differ(void **state)
{
    uint64_t handles[KINDS];

    (void)state;
    create_all(handles);
    for (int i = 0; i < KINDS; i++) {
        assert_int_not_equal(handles[i], ISOMAT_NONE);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(handles[i], handles[j]);
        assert_ok(use(i, handles[i]));
    }
    for (int i = 0; i < KINDS; i++)
        assert_ok(destroy[i](handles[i]));
}

static void stale_handle_is_refused(void **state)
{
    uint64_t handles[KINDS];

    (void)state;
    create_all(handles);
    for (int i = KINDS - 1; i >= 0; i--) {
        assert_ok(destroy[i](handles[i]));
        assert_status(use(i, handles[i]), ISOMAT_ERROR_STALE_HANDLE);
        assert_status(destroy[i](handles[i]), ISOMAT_ERROR_STALE_HANDLE);
    }
}

/* More often than a 16-bit generation can count. */
static void stale_handle_stays_stale_when_its_slot_is_used_again(void **state)
{
    isomat_event first, next;

    assert_ok(isomat_event_create(&first, device_context(state), 0));
    assert_ok(isomat_event_destroy(first));
    for (int i = 0; i < 70000; i++) {
        assert_ok(isomat_event_create(&next, device_context(state), 0));
        assert_int_not_equal(next, first);
        assert_status(use(EVENT, first), ISOMAT_ERROR_STALE_HANDLE);
        assert_ok(isomat_event_destroy(next));
    }
}

static void handle_of_another_kind_is_refused(void **state)
{
    uint64_t handles[KINDS];

    (void)state;
    create_all(handles);
    for (int i = 0; i < KINDS; i++) {
        for (int j = 0; j < KINDS; j++) {
            if (i == j)
                continue;
            assert_status(use(i, handles[j]), ISOMAT_ERROR_WRONG_KIND);
            assert_status(destroy[i](handles[j]), ISOMAT_ERROR_WRONG_KIND);
        }
    }
    for (int i = 0; i < KINDS; i++)
        assert_ok(destroy[i](handles[i]));
}

static void none_is_no_object_and_may_be_destroyed(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        assert_status(use(i, ISOMAT_NONE), ISOMAT_ERROR_INVALID_HANDLE);
        assert_ok(destroy[i](ISOMAT_NONE));
    }
}

static void invented_handle_is_refused(void **state)
{
    static const uint64_t invented[] = {1,
                                        2,
                                        0x7fffffff,
                                        0xffffffff,
                                        0x100000000,
                                        0x7fffffffffffffff,
                                        0x8000000000000000,
                                        0xffffffffffffffff};
    uint64_t sequence = operand_seed();

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < TEST_COUNT(invented); i++) {
            assert_status(use(kind, invented[i]), ISOMAT_ERROR_INVALID_HANDLE);
            assert_status(destroy[kind](invented[i]), ISOMAT_ERROR_INVALID_HANDLE);
        }
    }
    for (int i = 0; i < 100000; i++) {
        uint64_t handle = operand_random(&sequence, UINT64_MAX) << operand_random(&sequence, 64);
        int kind = (int)operand_random(&sequence, KINDS);
        assert_int_not_equal(use(kind, handle), ISOMAT_OK);
        assert_true(handle == ISOMAT_NONE || destroy[kind](handle) != ISOMAT_OK);
    }
}

/* Every change of one bit of a living handle gives another object's number or none. */
static void changed_handle_is_refused(void **state)
{
    isomat_matrix matrix;

    assert_ok(isomat_matrix_create(&matrix, device_context(state), 1, 1, ISOMAT_TYPE_F32, ISOMAT_NONE));
    for (int bit = 0; bit < 64; bit++)
        assert_int_not_equal(use(MATRIX, matrix ^ (1ULL << bit)), ISOMAT_OK);
    assert_ok(isomat_matrix_destroy(matrix));
}

static void objects_may_be_destroyed_in_any_order(void **state)
{
    uint64_t sequence = operand_seed();
    uint64_t handles[KINDS];
    int order[KINDS];
    int64_t live = isomat_live_objects();

    (void)state;
    for (int round = 0; round < 60; round++) {
        create_all(handles);
        for (int i = 0; i < KINDS; i++) {
            int j = (int)operand_random(&sequence, (uint64_t)i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (int i = 0; i < KINDS; i++)
            assert_ok(destroy[order[i]](handles[order[i]]));
        assert_int_equal(isomat_live_objects(), live);
    }
}

static void children_keep_their_parents(void **state)
{
    uint64_t handles[KINDS];
    isomat_matrix view;
    float value = 0;

    (void)state;
    create_all(handles);
    assert_ok(isomat_matrix_fill(handles[MATRIX], 2.5, ISOMAT_NONE));
    assert_ok(isomat_matrix_view(&view, handles[MATRIX], 2, 4, 1, 1));
    for (int i = 0; i < KINDS; i++)
        assert_ok(destroy[i](handles[i]));
    assert_true(isomat_live_objects() > 0);
    assert_ok(isomat_matrix_to_host(&value, 1, view, ISOMAT_NONE));
    assert_true(value == 2.5f);
    assert_ok(isomat_matrix_destroy(view));
}

static void many_objects_live_at_once(void **state)
{
    enum { MANY = 20000 };
    isomat_event *events = malloc(MANY * sizeof(*events));
    int64_t live = isomat_live_objects();

    assert_non_null(events);
    for (int i = 0; i < MANY; i++)
        assert_ok(isomat_event_create(&events[i], device_context(state), 0));
    assert_int_equal(isomat_live_objects(), live + MANY);
    for (int i = 0; i < MANY; i++)
        assert_ok(isomat_event_destroy(events[(i * 7919) % MANY]));
    assert_int_equal(isomat_live_objects(), live);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        device_test(handles_are_not_0_and_differ),
        device_test(stale_handle_is_refused),
        device_test(stale_handle_stays_stale_when_its_slot_is_used_again),
        device_test(handle_of_another_kind_is_refused),
        device_test(none_is_no_object_and_may_be_destroyed),
        device_test(invented_handle_is_refused),
        device_test(changed_handle_is_refused),
        device_test(objects_may_be_destroyed_in_any_order),
        device_test(children_keep_their_parents),
        device_test(many_objects_live_at_once),
    };
    int status = device_open(DEVICE_ANY);

    return status != 0 ? status : device_close(cmocka_run_group_tests(tests, NULL, NULL));
}
