/* SPDX-License-Identifier: MIT */
/* run_names.c: which kernels a module has, for a name that is none of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspect.h"
#include "message.h"
#include "run.h"

/* Whether an earlier image has that kernel too. */
static bool was_named(const struct insp_report *report, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(report->kernels[i].name, report->kernels[index].name) == 0)
            return true;
    return false;
}

int run_fail_name(const struct run_module *module, const char *name)
{
    char *text = NULL;
    size_t length = 0;
    struct insp_report *report = insp_read_file(module->path, NULL, NULL);
    FILE *stream = report && report->kernel_count > 0 ? open_memstream(&text, &length) : NULL;
    for (uint32_t i = 0; stream && i < report->kernel_count && ftell(stream) < 1000; i++)
        if (!was_named(report, i))
            fprintf(stream, "%s %s", i ? "," : "; it has", report->kernels[i].name);
    if (stream)
        fclose(stream);
    fail("%s has no kernel %s%s", module->path, name, text ? text : "");
    free(text);
    insp_report_free(report);
    return STATUS_FAILED;
}
