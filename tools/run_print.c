/* SPDX-License-Identifier: MIT */
/* run_print.c: what isomat run tells on standard output. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "run.h"

static void print_occupancy(const struct run *run, const struct run_module *module)
{
    const struct run_request *request = run->request;
    int32_t blocks = 0, threads = (int32_t)(request->block[0] * request->block[1] * request->block[2]);
    int warps = (threads + 31) / 32, most = run->session.device.max_threads_per_multiprocessor / 32;
    if (isomat_kernel_get_occupancy(&blocks, module->kernel, threads, request->shared_bytes) != ISOMAT_OK ||
        most == 0)
        return;
    printf("%-11s %d block%s of %d warp%s on a multiprocessor: %d of %d warps, %.0f %%\n", "occupancy",
           blocks, blocks == 1 ? "" : "s", warps, warps == 1 ? "" : "s", blocks * warps, most,
           100.0 * blocks * warps / most);
}

void run_print_kernel(const struct run *run, int index)
{
    const struct run_module *module = &run->modules[index];
    const isomat_kernel_info *kernel = &module->kernel_info;

    if (run->module_count > 1)
        printf("%c  %s\n", 'A' + index, module->path);
    printf("%-11s %s%d", "image", module->info.image == ISOMAT_IMAGE_PTX ? "PTX for compute_" : "sm_",
           module->info.image_arch);
    printf(module->info.jit ? ", compiled by the driver in %.1f ms%s\n" : ", loaded in %.1f ms%s\n",
           module->info.load_ms, module->info.debug ? "; BUILT WITH -G: device optimisation is off" : "");
    printf("%-11s %d registers, %" PRId64 " bytes of shared, %" PRId64
           " of local memory; blocks of at most %d threads\n",
           "needs", kernel->registers, kernel->shared_bytes, kernel->local_bytes,
           kernel->max_threads_per_block);
    print_occupancy(run, module);
}

void run_print_launch(const struct run *run)
{
    const struct run_request *request = run->request;
    printf("%s on %s\n", request->kernel, run->session.device.name);
    printf("%-11s grid %ux%ux%u, block %ux%ux%u, %" PRId64 " bytes of dynamic shared memory, %d argument%s\n",
           "launch", request->grid[0], request->grid[1], request->grid[2], request->block[0],
           request->block[1], request->block[2], request->shared_bytes, request->argument_count,
           request->argument_count == 1 ? "" : "s");
}

void run_print_results(long double difference, bool same_bits)
{
    if (same_bits)
        printf("%-11s the same bits from A and B\n", "results");
    else
        printf("%-11s A and B differ by %.3Lg at most\n", "results", difference);
}

/* Three digits and a prefix: 8.75 T */
static void print_rate(double rate, const char *unit)
{
    static const char prefixes[] = " kMGTPE";
    int i = 0;
    while (rate >= 999.5 && prefixes[i + 1]) {
        rate /= 1000;
        i++;
    }
    printf("%.*f %.*s%s", rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate, i > 0, prefixes + i, unit);
}

static void print_time(const struct run *run, const struct run_timing *timing, int module)
{
    const struct run_request *request = run->request;
    const struct stats *ms = &timing->ms[module];
    const char names[2][8] = {"time A", "time B"};

    printf("%-11s %.4g ms, quartiles %.4g to %.4g", run->module_count > 1 ? names[module] : "time",
           ms->median, ms->q1, ms->q3);
    if (!isnan(request->flops)) {
        printf(", ");
        print_rate(request->flops / (1e-3 * ms->median), "FLOP/s");
    }
    if (!isnan(request->bytes)) {
        printf(", ");
        print_rate(request->bytes / (1e-3 * ms->median), "B/s");
    }
    printf("\n");
}

void run_print_timing(const struct run *run, const struct run_timing *timing)
{
    for (int module = 0; module < run->module_count; module++)
        print_time(run, timing, module);
    if (run->module_count > 1)
        printf("%-11s B takes %.3f times as long as A\n", "ratio",
               timing->ms[1].median / timing->ms[0].median);
    printf("%-11s %" PRId64 " times %" PRId64 " launch%s%s, on the device's clock\n", "measured",
           timing->rounds, timing->batch, timing->batch == 1 ? "" : "es",
           run->module_count > 1 ? " of each in turn" : "");
}
