/* SPDX-License-Identifier: MIT */
/* cmd_inspect_json.c: isomat inspect for programs; isomat-inspect(1) documents the schema. */
#include "cmd_inspect.h"

static void put_known(struct json *json, const char *key, int64_t value)
{
    if (value < 0)
        json_text(json, key, NULL);
    else
        json_integer(json, key, value);
}

/* 130 as "13.0". */
static void put_version(struct json *json, const char *key, int32_t version)
{
    char text[24];
    snprintf(text, sizeof text, "%d.%d", version / 10, version % 10);
    json_text(json, key, version ? text : NULL);
}

static const char *kind_name(int32_t kind)
{
    return kind == INSP_PTX ? "ptx" : kind == INSP_CUBIN ? "cubin" : kind == INSP_LTOIR ? "ltoir" : "unknown";
}

static void put_threads(struct json *json, const char *key, const uint32_t numbers[3])
{
    if (numbers[0] == 0) {
        json_text(json, key, NULL);
        return;
    }
    json_begin_array(json, key);
    for (int i = 0; i < 3; i++)
        json_integer(json, NULL, numbers[i] ? numbers[i] : 1);
    json_end(json);
}

static void put_image(struct json *json, const struct insp_report *report, const struct insp_image *image)
{
    static const char *const packings[] = {"none", "lz4", "zstd", "unknown"};
    static const struct {
        unsigned bit;
        const char *name;
    } marks[] = {{INSP_DEBUG_FLAG, "fatbin-flag"},
                 {INSP_DEBUG_SECTION, "debug_info"},
                 {INSP_DEBUG_COMMAND, "ptxas-command"},
                 {INSP_DEBUG_TARGET, "ptx-target"}};
    char name[32];
    json_begin_line(json, NULL);
    json_text(json, "kind", kind_name(image->kind));
    json_text(json, "name", insp_image_name(name, image));
    json_integer(json, "arch", image->arch);
    name[0] = image->suffix;
    name[1] = '\0';
    json_text(json, "suffix", name);
    put_known(json, "virtual_arch", image->virtual_arch ? image->virtual_arch : -1);
    put_version(json, "toolkit", image->toolkit);
    json_text(json, "compiler", image->compiler);
    put_version(json, "ptx_version", image->ptx_version);
    json_text(json, "options", image->command);
    json_text(json, "source", image->source);
    json_bool(json, "debug", image->debug != 0);
    json_begin_array(json, "debug_evidence");
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (image->debug & marks[i].bit)
            json_text(json, NULL, marks[i].name);
    json_end(json);
    json_bool(json, "lineinfo", image->lineinfo);
    json_bool(json, "relocatable", image->relocatable);
    json_text(json, "compression", packings[image->packing]);
    json_integer(json, "stored_bytes", (int64_t)image->stored_bytes);
    json_integer(json, "full_bytes", (int64_t)image->full_bytes);
    json_integer(json, "constant_bytes", image->user_constant_bytes);
    json_integer(json, "global_bytes", image->global_bytes);
    json_text(json, "member", report->objects[image->object].member);
    json_text(json, "place", image->place);
    json_integer(json, "offset", (int64_t)image->offset);
    put_known(json, "container", image->container);
    json_text(json, "problem", image->problem);
    json_end(json);
}

/* On the image's architecture and those after it that run it. */
static void put_occupancy(struct json *json, const struct insp_kernel *kernel, const struct insp_image *image)
{
    json_begin_array(json, "occupancy");
    const struct insp_arch *arch;
    for (int i = 0; (arch = insp_arch_at(i)); i++) {
        const struct insp_target target = {.arch = arch->arch};
        struct insp_occupancy occupancy;
        if (image->kind != INSP_CUBIN || insp_image_fit(image, &target) == INSP_NO_FIT ||
            !insp_occupancy(&occupancy, kernel, arch->arch))
            continue;
        json_begin_line(json, NULL);
        json_integer(json, "arch", arch->arch);
        json_integer(json, "block_threads", occupancy.block_threads);
        json_bool(json, "block_threads_assumed", occupancy.assumed);
        json_integer(json, "blocks", occupancy.blocks);
        json_integer(json, "warps", occupancy.warps);
        json_integer(json, "max_warps", occupancy.max_warps);
        json_text(json, "limiter", insp_limiter_name(occupancy.limiter));
        json_end(json);
    }
    json_end(json);
}

static void put_code(struct json *json, const struct insp_code *code)
{
    json_begin_line(json, "code");
    json_integer(json, "instructions", code->instructions);
    json_integer(json, "f32", code->f32);
    json_integer(json, "f64", code->f64);
    json_integer(json, "f32_fma", code->fma32);
    json_integer(json, "f32_unfused", code->mul_add32);
    json_integer(json, "f32_to_f64", code->widen);
    json_integer(json, "f64_to_f32", code->narrow);
    json_integer(json, "global_accesses", code->global);
    json_integer(json, "global_vector_accesses", code->global_vector);
    json_integer(json, "scalar_runs", code->neighbours);
    json_integer(json, "local_accesses", code->local);
    json_end(json);
}

static void put_kernel(struct json *json, const struct insp_report *report, const struct insp_kernel *kernel)
{
    json_begin_line(json, NULL);
    json_text(json, "name", kernel->name);
    json_integer(json, "image", kernel->image);
    put_known(json, "registers", kernel->registers);
    put_known(json, "max_registers", kernel->max_registers ? kernel->max_registers : -1);
    put_known(json, "stack_bytes", kernel->stack_bytes);
    json_bool(json, "recursive", kernel->recursive);
    put_known(json, "spill_store_bytes", kernel->spill_store_bytes);
    put_known(json, "spill_load_bytes", kernel->spill_load_bytes);
    put_known(json, "shared_bytes", kernel->shared_bytes);
    put_known(json, "barriers", kernel->barriers);
    put_threads(json, "max_threads", kernel->max_threads);
    put_threads(json, "required_threads", kernel->required_threads);
    put_threads(json, "cluster", kernel->cluster);
    put_known(json, "constant_bytes", kernel->constant_bytes);
    put_known(json, "code_bytes", kernel->code_bytes);
    put_known(json, "parameter_bytes", kernel->parameter_bytes);
    json_begin_array(json, "parameters");
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        json_begin_line(json, NULL);
        json_integer(json, "offset", kernel->parameters[i].offset);
        json_integer(json, "bytes", kernel->parameters[i].bytes);
        json_end(json);
    }
    json_end(json);
    put_occupancy(json, kernel, &report->images[kernel->image]);
    put_code(json, &kernel->code);
    json_end(json);
}

static void put_verdict(struct json *json, const struct insp_verdict *verdict)
{
    json_begin_object(json, NULL);
    json_text(json, "verdict", insp_verdict_name(verdict->code));
    json_text(json, "severity", insp_severity_name(verdict->severity));
    json_integer(json, "count", verdict->count);
    json_text(json, "text", verdict->text);
    json_text(json, "evidence", verdict->evidence);
    json_text(json, "remedy", verdict->remedy);
    json_end(json);
}

void inspect_print_target(struct json *json, const struct insp_target *target)
{
    char name[32];
    const struct insp_image image = {.kind = INSP_CUBIN, .arch = target->arch, .suffix = target->suffix};
    if (!target->arch && !target->driver) {
        json_text(json, "target", NULL);
        return;
    }
    json_begin_line(json, "target");
    json_text(json, "arch", target->arch ? insp_image_name(name, &image) : NULL);
    json_text(json, "from", target->arch ? target->from : NULL);
    put_version(json, "driver", target->driver);
    json_end(json);
}

void inspect_print_json(struct json *json, const struct insp_report *report,
                        const struct insp_verdicts *verdicts)
{
    json_begin_object(json, NULL);
    json_text(json, "path", report->path);
    json_text(json, "kind", report->kind);
    json_integer(json, "bytes", (int64_t)report->bytes);
    json_text(json, "build_system", insp_build_name(verdicts->build));
    json_begin_array(json, "problems");
    for (uint32_t i = 0; i < report->problem_count; i++)
        json_text(json, NULL, report->problems[i].text);
    json_end(json);
    json_begin_array(json, "verdicts");
    for (int i = 0; i < verdicts->count; i++)
        put_verdict(json, &verdicts->list[i]);
    json_end(json);
    json_begin_array(json, "images");
    for (uint32_t i = 0; i < report->image_count; i++)
        put_image(json, report, &report->images[i]);
    json_end(json);
    json_begin_array(json, "kernels");
    for (uint32_t i = 0; i < report->kernel_count; i++)
        put_kernel(json, report, &report->kernels[i]);
    json_end(json);
    json_end(json);
}
