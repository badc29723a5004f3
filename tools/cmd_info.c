/* SPDX-License-Identifier: MIT */
/* cmd_info.c: isomat info: the library, the driver, the devices, the embedded kernels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "message.h"
#include "options.h"
#include "session.h"
#include "verbs.h"

static const char *const module_names[] = {"gemm_bf16_sm90", "gemm_f16_sm90", "gemm_f32", "gemm_f32_skinny",
                                           "gemm_f32_sm90",  "gemm_f64",      "matrix",   "split_f32"};

enum { MODULE_COUNT = sizeof module_names / sizeof *module_names };

struct request {
    bool json, images;
    int64_t device; /* -1: all */
};

/* One embedded module as this device takes it. */
struct module_facts {
    const char *name;
    char error[512]; /* "" if it loads */
    isomat_module_info info;
    char *report; /* a line per image; NULL if there is none */
};

static char *get_report(isomat_module module)
{
    int64_t length = 0;
    if (isomat_module_get_report(NULL, 0, &length, module) != ISOMAT_OK)
        return NULL;
    char *report = calloc(1, (size_t)length + 1);
    if (report)
        isomat_module_get_report(report, length + 1, NULL, module);
    return report;
}

static void get_module(struct module_facts *facts, isomat_context context, const char *name)
{
    isomat_module module = ISOMAT_NONE;
    *facts = (struct module_facts){.name = name, .info.struct_size = sizeof facts->info};
    if (isomat_module_load_embedded(&module, context, name) != ISOMAT_OK ||
        isomat_module_get_info(&facts->info, module) != ISOMAT_OK)
        isomat_error_copy(facts->error, sizeof facts->error);
    else
        facts->report = get_report(module);
    isomat_module_destroy(module);
}

static const char *image_kind(const isomat_module_info *info)
{
    return info->image == ISOMAT_IMAGE_PTX ? "ptx" : "cubin";
}

static void print_module_json(struct json *json, const struct module_facts *facts)
{
    json_begin_object(json, NULL);
    json_text(json, "name", facts->name);
    json_text(json, "error", *facts->error ? facts->error : NULL);
    if (!*facts->error) {
        json_text(json, "image", image_kind(&facts->info));
        json_integer(json, "arch", facts->info.image_arch);
        json_integer(json, "images", facts->info.image_count);
        json_bool(json, "jit", facts->info.jit);
        json_bool(json, "debug", facts->info.debug);
        json_number(json, "load_ms", facts->info.load_ms);
        json_begin_array(json, "report");
        char *rest = facts->report, *line;
        while (rest && (line = strsep(&rest, "\n")))
            if (*line)
                json_text(json, NULL, line);
        json_end(json);
    }
    json_end(json);
}

static void print_module_text(const struct module_facts *facts, bool images)
{
    const isomat_module_info *info = &facts->info;
    if (*facts->error) {
        printf("  module %-16s %s\n", facts->name, facts->error);
        return;
    }
    printf("  module %-16s takes %s_%d of %d images, %s%s%.1f ms to load\n", facts->name,
           info->image == ISOMAT_IMAGE_PTX ? "compute" : "sm", info->image_arch, info->image_count,
           info->jit ? "compiled by the driver, " : "", info->debug ? "a slow debug build, " : "",
           info->load_ms);
    char *rest = facts->report, *line;
    while (images && rest && (line = strsep(&rest, "\n")))
        if (*line)
            printf("    %s\n", line);
}

static void print_modules(struct json *json, const struct request *request, isomat_context context)
{
    if (json)
        json_begin_array(json, "modules");
    for (int i = 0; i < MODULE_COUNT; i++) {
        struct module_facts facts;
        get_module(&facts, context, module_names[i]);
        if (json)
            print_module_json(json, &facts);
        else
            print_module_text(&facts, request->images);
        free(facts.report);
    }
    if (json)
        json_end(json);
}

static void print_tuning(struct json *json, isomat_context context)
{
    static const char *const states[] = {"none", "used", "ignored"};
    isomat_tuning_info tuning = {.struct_size = sizeof tuning};
    if (isomat_context_get_tuning(&tuning, context) != ISOMAT_OK) {
        fail_library();
    } else if (json) {
        json_begin_object(json, "tuning");
        json_text(json, "path", tuning.path);
        json_text(json, "state", states[tuning.state]);
        json_integer(json, "products", tuning.entries);
        json_text(json, "reason", *tuning.reason ? tuning.reason : NULL);
        json_end(json);
    } else if (tuning.state == ISOMAT_TUNING_IGNORED) {
        printf("  tuning file %s is ignored: %s\n", tuning.path, tuning.reason);
    } else if (tuning.state == ISOMAT_TUNING_USED) {
        printf("  tuning file %s, kernels of %" PRId64 " products\n", tuning.path, tuning.entries);
    } else {
        printf("  no tuning file%s%s\n", *tuning.path ? ", it would be " : "", tuning.path);
    }
}

static void print_device_json(struct json *json, int32_t index, const isomat_device_info *device)
{
    char text[33] = "";
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", device->uuid[i]);
    json_integer(json, "index", index);
    json_text(json, "name", device->name);
    json_text(json, "uuid", strspn(text, "0") == 32 ? NULL : text);
    snprintf(text, sizeof text, "%d.%d", device->capability_major, device->capability_minor);
    json_text(json, "capability", text);
    json_integer(json, "multiprocessors", device->multiprocessors);
    json_integer(json, "clock_khz", device->clock_khz);
    json_integer(json, "memory_bytes", device->memory_bytes);
    json_integer(json, "memory_clock_khz", device->memory_clock_khz);
    json_integer(json, "memory_bus_bits", device->memory_bus_bits);
    json_integer(json, "l2_bytes", device->l2_bytes);
    json_integer(json, "shared_per_block_bytes", device->shared_per_block_bytes);
    json_integer(json, "shared_per_block_optin_bytes", device->shared_per_block_optin_bytes);
    json_integer(json, "shared_per_multiprocessor_bytes", device->shared_per_multiprocessor_bytes);
    json_integer(json, "registers_per_multiprocessor", device->registers_per_multiprocessor);
    json_integer(json, "max_threads_per_block", device->max_threads_per_block);
    json_integer(json, "max_threads_per_multiprocessor", device->max_threads_per_multiprocessor);
    json_bool(json, "memory_pools", device->memory_pools);
    json_bool(json, "cluster_launch", device->cluster_launch);
    json_bool(json, "cooperative_launch", device->cooperative_launch);
    json_bool(json, "ecc", device->ecc);
}

static void print_device_text(int32_t index, const isomat_device_info *device)
{
    printf("device %d: %s\n", index, device->name);
    printf("  capability %d.%d, %d multiprocessors at %d MHz\n", device->capability_major,
           device->capability_minor, device->multiprocessors, device->clock_khz / 1000);
    printf("  %.1f GiB memory%s, %.1f MiB L2 cache, %" PRId64 " KiB shared memory per block\n",
           (double)device->memory_bytes * 0x1p-30, device->ecc ? " with ECC" : "",
           (double)device->l2_bytes * 0x1p-20, device->shared_per_block_optin_bytes / 1024);
    printf("  memory pools %s, clusters %s, cooperative launch %s\n", device->memory_pools ? "yes" : "no",
           device->cluster_launch ? "yes" : "no", device->cooperative_launch ? "yes" : "no");
}

static int print_device(struct json *json, const struct request *request, int32_t index)
{
    isomat_device_info device = {.struct_size = sizeof device};
    isomat_context context = ISOMAT_NONE;
    int status = STATUS_OK;

    if (isomat_device_get_info(&device, index) != ISOMAT_OK)
        return fail_library();
    if (json) {
        json_begin_object(json, NULL);
        print_device_json(json, index, &device);
    } else {
        print_device_text(index, &device);
    }
    if (isomat_context_create(&context, index, ISOMAT_CONTEXT_PRIMARY) != ISOMAT_OK) {
        status = fail_library(); /* a busy or broken device; the others are still shown */
    } else {
        print_tuning(json, context);
        print_modules(json, request, context);
    }
    isomat_context_destroy(context);
    if (json)
        json_end(json);
    return status;
}

static void print_driver(struct json *json, const isomat_driver_info *driver)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", driver->version / 1000, driver->version % 1000 / 10);
    if (json) {
        json_begin_object(json, "driver");
        json_text(json, "kind", is_host_driver(driver) ? "host" : "nvidia");
        json_text(json, "version", version);
        json_text(json, "path", driver->path);
        json_end(json);
    } else {
        printf("driver %s, CUDA %s, %s\n", is_host_driver(driver) ? "host (CPU)" : "NVIDIA", version,
               driver->path);
    }
}

/* The driver's failure stands in the JSON too; standard error has it already. */
static void print_no_driver(struct json *json)
{
    if (!json)
        return;
    json_text(json, "driver", NULL);
    json_text(json, "error", isomat_error_message());
    json_begin_array(json, "devices");
    json_end(json);
}

static int print_info(struct json *json, const struct request *request)
{
    isomat_driver_info driver;
    int status = driver_open(&driver);
    if (status != STATUS_OK) {
        print_no_driver(json);
        return status;
    }
    print_driver(json, &driver);
    if (json) {
        json_text(json, "error", NULL);
        json_begin_array(json, "devices");
    }
    int32_t first = request->device >= 0 ? (int32_t)request->device : 0;
    int32_t last = request->device >= 0 ? first : driver.device_count - 1;
    for (int32_t i = first; i <= last; i++)
        if (print_device(json, request, i) != STATUS_OK)
            status = STATUS_FAILED;
    if (json)
        json_end(json);
    return status;
}

int cmd_info(int argc, char **argv)
{
    struct request request = {.device = -1};
    const struct option_row rows[] = {
        {"json", 0, OPTION_FLAG, &request.json, NULL, "print JSON", 0, 0, NULL},
        {"images", 0, OPTION_FLAG, &request.images, NULL,
         "list the images of each module, and why each was not taken", 0, 0, NULL},
        {"device", 0, OPTION_INTEGER, &request.device, "D", "show one device (all)", 0, INT32_MAX, NULL},
        {0},
    };
    const struct option_set set = {
        .verb = "info",
        .operands = "",
        .description =
            "Shows the library, the driver, the devices, what came of their tuning files, and which\n"
            "image of each embedded module a device takes.",
        .rows = rows,
    };
    struct json json = {.file = stdout};
    int first, status;

    if (!options_parse(&set, argc, argv, &first, &status))
        return status;
    if (request.json) {
        json_begin_object(&json, NULL);
        json_text(&json, "version", isomat_version_string());
    } else {
        printf("isomat %s\n", isomat_version_string());
    }
    status = print_info(request.json ? &json : NULL, &request);
    if (request.json)
        json_end(&json);
    int written = finish_output();
    return status != STATUS_OK ? status : written;
}
