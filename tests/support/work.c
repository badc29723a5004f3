/* SPDX-License-Identifier: MIT */
/* work.c: loading and launching the test kernels. */
#include "tests/support/work.h"

#include "tests/kernels/images.h"

#define STEPS_PER_MILLISECOND 450000 /* of dependent multiply-adds at about 2 GHz */

isomat_launch work_launch(uint32_t blocks, uint32_t threads, isomat_stream stream)
{
    return (isomat_launch){
        .struct_size = sizeof(isomat_launch),
        .grid_x = blocks,
        .grid_y = 1,
        .grid_z = 1,
        .block_x = threads,
        .block_y = 1,
        .block_z = 1,
        .stream = stream,
    };
}

void work_load(struct work *work, isomat_context context)
{
    assert_ok(isomat_module_load_data(&work->module, context, state_ptx, sizeof(state_ptx)));
    assert_ok(isomat_kernel_get(&work->spin, work->module, "isomat_test_spin"));
    assert_ok(isomat_kernel_get(&work->fault, work->module, "isomat_test_fault"));
    assert_ok(isomat_matrix_create(&work->out, context, 1, 1, ISOMAT_TYPE_F32, ISOMAT_NONE));
}

void work_unload(struct work *work)
{
    assert_ok(isomat_matrix_destroy(work->out));
    assert_ok(isomat_kernel_destroy(work->fault));
    assert_ok(isomat_kernel_destroy(work->spin));
    assert_ok(isomat_module_destroy(work->module));
}

void work_spin(const struct work *work, isomat_stream stream, int milliseconds)
{
    isomat_launch launch = work_launch(1, 1, stream);
    uint64_t out;
    int32_t count = device_is_host() ? 10 : milliseconds * STEPS_PER_MILLISECOND;
    const void *arguments[] = {&out, &count};

    assert_ok(isomat_matrix_get_pointer(&out, work->out));
    assert_ok(isomat_kernel_launch(work->spin, &launch, arguments, 2, NULL));
}

int32_t work_fault(const struct work *work, isomat_stream stream)
{
    isomat_launch launch = work_launch(1, 1, stream);
    const uint64_t nowhere = 16;
    const void *arguments[] = {&nowhere};

    return isomat_kernel_launch(work->fault, &launch, arguments, 1, NULL);
}
