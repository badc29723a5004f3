/* SPDX-License-Identifier: MIT */
/* cmd_run.c: isomat run: launches a user's kernel from the command line, and times it. */
#include <math.h>
#include <stdio.h>

#include "message.h"
#include "options.h"
#include "run.h"
#include "verbs.h"

/* The first launch of each module has the arrays as they were asked for; its results are what is
 * looked at. */
static int launch_first(struct run *run, long double *difference, bool *same_bits)
{
    if (run_upload(run) || run_launch(run, 0) || run_download(run))
        return STATUS_FAILED;
    if (run->module_count > 1 &&
        (run_upload(run) || run_launch(run, 1) || run_compare_results(difference, same_bits, run)))
        return STATUS_FAILED;
    return run_write_outputs(run->request);
}

static int run_on_device(struct run *run)
{
    struct run_timing timing;
    long double difference = 0;
    bool same_bits = true;
    struct run_request *request = run->request;
    if (session_open(&run->session, (int32_t)request->device) || run_check_room(run))
        return STATUS_FAILED;
    for (int i = 0; i < request->argument_count; i++)
        if (run_make_start(&request->arguments[i], i))
            return STATUS_FAILED;
    if (run_load(run) || run_allocate(run) || launch_first(run, &difference, &same_bits))
        return STATUS_FAILED;
    run_print_launch(run);
    for (int i = 0; i < run->module_count; i++)
        run_print_kernel(run, i);
    if (run_check_expected(request))
        return STATUS_FAILED;
    if (run->module_count > 1)
        run_print_results(difference, same_bits);
    if (request->repeat == 0)
        return STATUS_OK;
    if (run_time(&timing, run))
        return STATUS_FAILED;
    run_print_timing(run, &timing);
    return STATUS_OK;
}

static int run_kernel(struct run_request *request)
{
    struct run run = {.request = request};
    int status = run_on_device(&run);
    run_free(&run);
    run_unload(&run);
    session_close(&run.session);
    int written = finish_output();
    return status == STATUS_OK ? written : status;
}

int cmd_run(int argc, char **argv)
{
    struct run_request request = {.rtol = 1e-5, .repeat = -1, .flops = NAN, .bytes = NAN};
    const struct option_row rows[] = {
        {"grid", 0, OPTION_CUSTOM, request.grid, "X[,Y[,Z]]", "blocks (required)", 0, 0, run_parse_size},
        {"block", 0, OPTION_CUSTOM, request.block, "X[,Y[,Z]]", "threads of a block (required)", 0, 0,
         run_parse_size},
        {"shared", 0, OPTION_INTEGER, &request.shared_bytes, "BYTES", "dynamic shared memory of a block (0)",
         0, INT32_MAX, NULL},
        {"arg", 'a', OPTION_CUSTOM, &request, "ARGUMENT",
         "the next argument: f32:1.5, i64:4096, f32[64,64]:random, :zeros, :1.5, :file=A.npy", 0, 0,
         run_parse_argument},
        {"output", 'o', OPTION_CUSTOM, &request.outputs, "[N=]FILE",
         "write array argument N, counted from 0, to a .npy file", 0, 0, run_parse_file},
        {"expect", 0, OPTION_CUSTOM, &request.expected, "[N=]FILE",
         "fail unless array argument N is what this .npy file has", 0, 0, run_parse_file},
        {"rtol", 0, OPTION_NUMBER, &request.rtol, "X", "relative difference that --expect allows (1e-5)", 0,
         0, NULL},
        {"atol", 0, OPTION_NUMBER, &request.atol, "X", "absolute difference that it allows besides (0)", 0, 0,
         NULL},
        {"repeat", 0, OPTION_INTEGER, &request.repeat, "N",
         "measurements (100; fewer on the CPU); 0: launch once and measure nothing", 0, 1000000, NULL},
        {"compare", 0, OPTION_TEXT, &request.paths[1], "OTHER", "time this module's kernel in turn with it",
         0, 0, NULL},
        {"flops", 0, OPTION_TEXT, &request.flops_text, "EXPR",
         "operations of a launch, to print their rate: '2*arg3^3'", 0, 0, NULL},
        {"bytes", 0, OPTION_TEXT, &request.bytes_text, "EXPR", "bytes that a launch moves, likewise", 0, 0,
         NULL},
        {"device", 0, OPTION_INTEGER, &request.device, "D", "the device to use (0)", 0, INT32_MAX, NULL},
        {0},
    };
    const struct option_set set = {
        .verb = "run",
        .operands = "MODULE KERNEL",
        .description =
            "Launches a kernel of a fatbin, cubin or PTX file, and prints how long it takes on the\n"
            "device, with what it needs and how much of a multiprocessor it fills.  An array argument is\n"
            "passed as its address; --output and --expect look at it after the first launch.",
        .rows = rows,
        .min_operands = 2,
        .max_operands = 2,
    };
    int first, status;

    if (!options_parse(&set, argc, argv, &first, &status))
        return status;
    request.paths[0] = argv[first];
    request.kernel = argv[first + 1];
    status = run_check_request(&request);
    return status == STATUS_OK ? run_kernel(&request) : status;
}
