/* SPDX-License-Identifier: MIT */
/* cmd_inspect_diff.c: isomat inspect --diff: two builds of the same kernels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_inspect.h"

enum { MAX_CHANGES = 24, MAX_ABSENT_LISTED = 20 };

struct change {
    const char *name;
    int64_t a, b;
};

struct side {
    const struct insp_report *report;
    const struct insp_kernel **kernels; /* by name, then image */
    uint32_t count;
};

static const struct insp_image *image_of(const struct side *side, const struct insp_kernel *kernel)
{
    return &side->report->images[kernel->image];
}

/* Images are the same if they are for the same architecture, whatever their order. */
static int compare_images(const struct insp_image *a, const struct insp_image *b)
{
    if (a->kind != b->kind)
        return a->kind > b->kind ? -1 : 1; /* machine code before PTX */
    if (a->arch != b->arch)
        return a->arch < b->arch ? -1 : 1;
    return (int)a->suffix - (int)b->suffix;
}

static const struct insp_report *sorting; /* qsort has no payload */

static int compare_kernels(const void *left, const void *right)
{
    const struct insp_kernel *const *a = left, *const *b = right;
    int order = strcmp((*a)->name, (*b)->name);
    return order ? order : compare_images(&sorting->images[(*a)->image], &sorting->images[(*b)->image]);
}

static bool open_side(struct side *side, const struct insp_report *report)
{
    *side = (struct side){.report = report, .count = report->kernel_count};
    side->kernels = calloc(report->kernel_count ? report->kernel_count : 1, sizeof *side->kernels);
    if (!side->kernels)
        return false;
    for (uint32_t i = 0; i < side->count; i++)
        side->kernels[i] = &report->kernels[i];
    sorting = report;
    if (side->count > 1)
        qsort(side->kernels, side->count, sizeof *side->kernels, compare_kernels);
    return true;
}

static void add_change(struct change *changes, int *count, const char *name, int64_t a, int64_t b)
{
    if (a != b && *count < MAX_CHANGES)
        changes[(*count)++] = (struct change){name, a, b};
}

static int find_changes(struct change changes[MAX_CHANGES], const struct insp_image *image_a,
                        const struct insp_kernel *a, const struct insp_image *image_b,
                        const struct insp_kernel *b)
{
    int count = 0;
    add_change(changes, &count, "debug", image_a->debug != 0, image_b->debug != 0);
    add_change(changes, &count, "arch", image_a->arch, image_b->arch);
    add_change(changes, &count, "toolkit", image_a->toolkit, image_b->toolkit);
    add_change(changes, &count, "lineinfo", image_a->lineinfo, image_b->lineinfo);
    add_change(changes, &count, "registers", a->registers, b->registers);
    add_change(changes, &count, "spill_store_bytes", a->spill_store_bytes, b->spill_store_bytes);
    add_change(changes, &count, "spill_load_bytes", a->spill_load_bytes, b->spill_load_bytes);
    add_change(changes, &count, "stack_bytes", a->stack_bytes, b->stack_bytes);
    add_change(changes, &count, "shared_bytes", a->shared_bytes, b->shared_bytes);
    add_change(changes, &count, "barriers", a->barriers, b->barriers);
    add_change(changes, &count, "max_registers", a->max_registers, b->max_registers);
    add_change(changes, &count, "max_threads", a->max_threads[0], b->max_threads[0]);
    add_change(changes, &count, "parameter_bytes", a->parameter_bytes, b->parameter_bytes);
    add_change(changes, &count, "instructions", a->code.instructions, b->code.instructions);
    add_change(changes, &count, "f32_fma", a->code.fma32, b->code.fma32);
    add_change(changes, &count, "f64", a->code.f64, b->code.f64);
    add_change(changes, &count, "global_vector_accesses", a->code.global_vector, b->code.global_vector);
    return count;
}

static const char *unit(const char *name)
{
    size_t length = strlen(name);
    return length > 6 && strcmp(name + length - 6, "_bytes") == 0 ? " bytes" : "";
}

static void print_change(const struct change *change)
{
    char text[40];
    size_t length = 0;
    if (strcmp(change->name, "debug") == 0) {
        printf("%s was compiled with -G", change->b ? "B" : "A");
        return;
    }
    for (const char *c = change->name; *c && length + 1 < sizeof text; c++)
        text[length++] = *c == '_' ? ' ' : *c;
    text[length] = '\0';
    if (*unit(change->name))
        text[length - strlen(" bytes")] = '\0';
    if (change->a < 0 || change->b < 0)
        printf("%s %s in %s", text, change->a < 0 ? "unknown" : "known", "A");
    else
        printf("%s %" PRId64 " -> %" PRId64 "%s", text, change->a, change->b, unit(change->name));
}

static void print_pair(struct json *json, const struct insp_image *image_a, const struct insp_kernel *a,
                       const struct insp_image *image_b, const struct insp_kernel *b)
{
    struct change changes[MAX_CHANGES];
    char name_a[32], name_b[32];
    int count = find_changes(changes, image_a, a, image_b, b);
    insp_image_name(name_a, image_a);
    insp_image_name(name_b, image_b);
    if (!json) {
        if (count == 0)
            return;
        printf("%s (%s%s%s): ", a->name, name_a, strcmp(name_a, name_b) ? ", " : "",
               strcmp(name_a, name_b) ? name_b : "");
        for (int i = 0; i < count; i++) {
            fputs(i ? "; " : "", stdout);
            print_change(&changes[i]);
        }
        putchar('\n');
        return;
    }
    json_begin_object(json, NULL);
    json_text(json, "name", a->name);
    json_text(json, "a", name_a);
    json_text(json, "b", name_b);
    json_begin_array(json, "changes");
    for (int i = 0; i < count; i++) {
        json_begin_line(json, NULL);
        json_text(json, "what", changes[i].name);
        json_integer(json, "a", changes[i].a);
        json_integer(json, "b", changes[i].b);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

struct totals {
    uint32_t same, changed, only_a, only_b;
};

static void print_absent(struct json *json, struct totals *totals, const struct side *side,
                         const struct insp_kernel *kernel, bool in_a)
{
    char name[32];
    uint32_t *count = in_a ? &totals->only_a : &totals->only_b;
    insp_image_name(name, image_of(side, kernel));
    (*count)++;
    if (json) {
        json_begin_object(json, NULL);
        json_text(json, "name", kernel->name);
        json_text(json, "a", in_a ? name : NULL);
        json_text(json, "b", in_a ? NULL : name);
        json_begin_array(json, "changes");
        json_end(json);
        json_end(json);
    } else if (*count <= MAX_ABSENT_LISTED) {
        printf("%s (%s): only in %s\n", kernel->name, name, in_a ? "A" : "B");
    }
}

/* How many kernels from first on have the same name. */
static uint32_t run_length(const struct side *side, uint32_t first)
{
    uint32_t end = first;
    while (end < side->count && strcmp(side->kernels[end]->name, side->kernels[first]->name) == 0)
        end++;
    return end - first;
}

/* Kernels of one name: those of the same image are pairs; one alone on each side are a pair too. */
static void diff_run(struct json *json, struct totals *totals, const struct side *a, uint32_t at_a,
                     uint32_t count_a, const struct side *b, uint32_t at_b, uint32_t count_b)
{
    uint32_t i = 0, j = 0;
    bool alone = count_a == 1 && count_b == 1;
    while (i < count_a || j < count_b) {
        const struct insp_kernel *left = i < count_a ? a->kernels[at_a + i] : NULL;
        const struct insp_kernel *right = j < count_b ? b->kernels[at_b + j] : NULL;
        int order = !left    ? 1
                    : !right ? -1
                    : alone  ? 0
                             : compare_images(image_of(a, left), image_of(b, right));
        if (order < 0) {
            print_absent(json, totals, a, left, true);
            i++;
        } else if (order > 0) {
            print_absent(json, totals, b, right, false);
            j++;
        } else {
            struct change changes[MAX_CHANGES];
            if (find_changes(changes, image_of(a, left), left, image_of(b, right), right))
                totals->changed++;
            else
                totals->same++;
            print_pair(json, image_of(a, left), left, image_of(b, right), right);
            i++;
            j++;
        }
    }
}

static void diff_sides(struct json *json, struct totals *totals, const struct side *a, const struct side *b)
{
    uint32_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : strcmp(a->kernels[i]->name, b->kernels[j]->name);
        uint32_t count_a = order <= 0 ? run_length(a, i) : 0;
        uint32_t count_b = order >= 0 ? run_length(b, j) : 0;
        diff_run(json, totals, a, i, count_a, b, j, count_b);
        i += count_a;
        j += count_b;
    }
}

void inspect_diff(const struct inspect_request *request, const struct insp_report *a,
                  const struct insp_report *b)
{
    struct side sides[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
    struct totals totals = {0};
    struct json *json = request->writer;
    if (json) {
        json_text(json, "a", a->path);
        json_text(json, "b", b->path);
        json_begin_array(json, "kernels");
    } else {
        printf("A: %s, %u images, %u kernels\nB: %s, %u images, %u kernels\n", a->path, a->image_count,
               a->kernel_count, b->path, b->image_count, b->kernel_count);
    }
    if (open_side(&sides[0], a) && open_side(&sides[1], b))
        diff_sides(json, &totals, &sides[0], &sides[1]);
    free(sides[0].kernels);
    free(sides[1].kernels);
    if (json) {
        json_end(json);
        json_integer(json, "same", totals.same);
        json_integer(json, "changed", totals.changed);
        json_integer(json, "only_a", totals.only_a);
        json_integer(json, "only_b", totals.only_b);
    } else {
        printf("%u kernels changed, %u are the same, %u only in A, %u only in B\n", totals.changed,
               totals.same, totals.only_a, totals.only_b);
    }
}
