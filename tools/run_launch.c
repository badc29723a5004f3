/* SPDX-License-Identifier: MIT */
/* run_launch.c: loads the user's module, and launches its kernel. */
#include "message.h"
#include "run.h"

static int load_one(struct run_module *module, const struct run *run)
{
    const struct run_request *request = run->request;
    module->info.struct_size = sizeof module->info;
    module->kernel_info.struct_size = sizeof module->kernel_info;
    if (isomat_module_load_file(&module->module, run->session.context, module->path) != ISOMAT_OK)
        return fail_library();
    int32_t status = isomat_kernel_get(&module->kernel, module->module, request->kernel);
    if (status == ISOMAT_ERROR_NOT_FOUND)
        return run_fail_name(module, request->kernel);
    if (status != ISOMAT_OK || isomat_module_get_info(&module->info, module->module) != ISOMAT_OK ||
        isomat_kernel_get_info(&module->kernel_info, module->kernel) != ISOMAT_OK)
        return fail_library();
    return STATUS_OK;
}

int run_load(struct run *run)
{
    for (int i = 0; i < 2 && run->request->paths[i]; i++) {
        run->modules[i].path = run->request->paths[i];
        if (load_one(&run->modules[i], run))
            return STATUS_FAILED;
        run->module_count = i + 1;
    }
    return STATUS_OK;
}

void run_unload(struct run *run)
{
    for (int i = 0; i < 2; i++) {
        isomat_kernel_destroy(run->modules[i].kernel);
        isomat_module_destroy(run->modules[i].module);
    }
}

int run_launch(struct run *run, int module)
{
    const struct run_request *request = run->request;
    const void *pointers[RUN_MAX_ARGUMENTS];
    int64_t sizes[RUN_MAX_ARGUMENTS];
    const isomat_launch launch = {
        .struct_size = sizeof launch,
        .grid_x = request->grid[0],
        .grid_y = request->grid[1],
        .grid_z = request->grid[2],
        .block_x = request->block[0],
        .block_y = request->block[1],
        .block_z = request->block[2],
        .shared_bytes = (uint32_t)request->shared_bytes,
    };
    for (int i = 0; i < request->argument_count; i++) {
        const struct run_argument *argument = &request->arguments[i];
        pointers[i] = argument->array ? (const void *)&argument->device : argument->value;
        sizes[i] = argument->array ? (int64_t)sizeof argument->device : argument->element->bytes;
    }
    if (isomat_kernel_launch(run->modules[module].kernel, &launch, pointers, request->argument_count,
                             sizes) != ISOMAT_OK)
        return fail_library();
    return STATUS_OK;
}

int run_synchronize(const struct run *run)
{
    return isomat_context_synchronize(run->session.context) == ISOMAT_OK ? STATUS_OK : fail_library();
}
