/* SPDX-License-Identifier: MIT */
/* cmd_inspect.c: isomat inspect: what GPU code a file has, and what is wrong with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <isomat.h>

#include "cmd_inspect.h"
#include "message.h"
#include "options.h"
#include "progress.h"
#include "verbs.h"

static void show_progress(void *payload, const char *path, uint64_t done, uint64_t total)
{
    (void)payload;
    char text[128];
    const char *name = strrchr(path, '/');
    snprintf(text, sizeof text, "%.100s: MiB", name ? name + 1 : path);
    progress_show(text, (int64_t)(done >> 20), (int64_t)(total >> 20));
}

/* The device at hand, where there is an NVIDIA driver; without one nothing is opened or said. */
static void find_device(struct inspect_request *request)
{
    isomat_driver_info driver = {.struct_size = sizeof driver};
    isomat_device_info device = {.struct_size = sizeof device};
    if (request->target.arch || (access("/dev/nvidiactl", F_OK) != 0 && access("/dev/dxg", F_OK) != 0))
        return;
    if (isomat_driver_get_info(&driver) != ISOMAT_OK || driver.kind == ISOMAT_DRIVER_KIND_HOST ||
        driver.device_count == 0 || isomat_device_get_info(&device, 0) != ISOMAT_OK)
        return;
    snprintf(request->target_from, sizeof request->target_from, "device 0, %s", device.name);
    request->target.arch = device.capability_major * 10 + device.capability_minor;
    request->target.from = request->target_from;
    if (!request->target.driver)
        request->target.driver = driver.version / 1000 * 10 + driver.version % 1000 / 10;
}

/* Says what could not be read; false if that is all there is to say. */
static bool report_problems(struct inspect_request *request, const struct insp_report *report)
{
    for (uint32_t i = 0; i < report->problem_count; i++)
        fail("%s: %s", report->path, report->problems[i].text);
    request->failed |= report->problem_count > 0;
    return report->problem_count == 0 || report->image_count > 0;
}

static void note_verdicts(struct inspect_request *request, const struct insp_verdicts *verdicts)
{
    for (int i = 0; i < verdicts->count; i++)
        request->failed |= request->fail_on >> verdicts->list[i].code & 1;
}

static bool visit(void *payload, const char *path)
{
    struct inspect_request *request = payload;
    struct insp_verdicts verdicts;
    struct insp_report *report = insp_read_file(path, show_progress, NULL);
    if (!report) {
        request->failed = true;
        fail("%s: no memory", path);
        return false;
    }
    progress_clear();
    bool readable = report_problems(request, report);
    insp_judge(&verdicts, report, &request->target);
    note_verdicts(request, &verdicts);
    request->files++;
    request->files_with_code += report->image_count > 0;
    if (request->writer)
        inspect_print_json(request->writer, report, &verdicts);
    else if (readable)
        inspect_print_text(request, report, &verdicts);
    insp_report_free(report);
    return true;
}

static void inspect_files(struct inspect_request *request, char **paths, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t before = request->files;
        const char *wrong = insp_walk(paths[i], visit, request);
        if (wrong) {
            request->failed = true;
            fail("%s: %s", paths[i], wrong);
        } else if (request->files == before && !request->writer) {
            printf("%s: no file that may hold GPU code\n", paths[i]);
        }
    }
    if (!request->writer && request->files > 1)
        printf("%u files, %u with GPU code\n", request->files, request->files_with_code);
}

static void diff_files(struct inspect_request *request, char **paths)
{
    struct insp_report *a = insp_read_file(paths[0], show_progress, NULL);
    struct insp_report *b = insp_read_file(paths[1], show_progress, NULL);
    struct insp_verdicts verdicts;
    progress_clear();
    if (!a || !b) {
        request->failed = true;
        fail("no memory");
    } else {
        bool a_readable = report_problems(request, a), b_readable = report_problems(request, b);
        if (a_readable && b_readable)
            inspect_diff(request, a, b);
        insp_judge(&verdicts, b, &request->target);
        note_verdicts(request, &verdicts);
    }
    insp_report_free(a);
    insp_report_free(b);
}

static int inspect(struct inspect_request *request, char **paths, int count)
{
    struct json json = {.file = stdout};
    find_device(request);
    if (request->json) {
        request->writer = &json;
        json_begin_object(&json, NULL);
        json_text(&json, "schema", "isomat-inspect");
        json_integer(&json, "schema_version", INSPECT_SCHEMA_VERSION);
        json_text(&json, "isomat", isomat_version_string());
        inspect_print_target(&json, &request->target);
        if (!request->diff)
            json_begin_array(&json, "files");
    }
    if (request->diff)
        diff_files(request, paths);
    else
        inspect_files(request, paths, count);
    if (request->json) {
        if (!request->diff)
            json_end(&json);
        json_end(&json);
    }
    int written = finish_output();
    return request->failed ? STATUS_FAILED : written;
}

int cmd_inspect(int argc, char **argv)
{
    struct inspect_request request = {.target = {.from = "--arch"}};
    const struct option_row rows[] = {
        {"arch", 0, OPTION_CUSTOM, &request.target, "sm_XX", "judge for this architecture (the GPU at hand)",
         0, 0, inspect_parse_arch},
        {"driver", 0, OPTION_CUSTOM, &request.target, "X.Y", "judge for a driver of this CUDA version", 0, 0,
         inspect_parse_driver},
        {"fail-on", 0, OPTION_CUSTOM, &request.fail_on, "LIST",
         "exit 1 on these verdicts: debug,no-code,spill,...; or error, warning, any", 0, 0,
         inspect_parse_fail_on},
        {"diff", 0, OPTION_FLAG, &request.diff, NULL, "compare two builds, FILE A with FILE B", 0, 0, NULL},
        {"all", 0, OPTION_FLAG, &request.all, NULL, "list every image and kernel, PTX entries and parameters",
         0, 0, NULL},
        {"json", 0, OPTION_FLAG, &request.json, NULL, "print JSON", 0, 0, NULL},
        {0},
    };
    const struct option_set set = {
        .verb = "inspect",
        .operands = "FILE...",
        .description =
            "Shows the GPU code in executables, libraries, objects, archives, fatbins, cubins, PTX,\n"
            "Python wheels and folders of them, and what is wrong with it, worst first.",
        .rows = rows,
        .min_operands = 1,
        .max_operands = -1,
    };
    int first, status;

    if (!options_parse(&set, argc, argv, &first, &status))
        return status;
    if (request.diff && argc - first != 2)
        return fail_usage("inspect", "--diff takes two files, and %d were given", argc - first);
    return inspect(&request, argv + first, argc - first);
}
