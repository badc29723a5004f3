/* SPDX-License-Identifier: MIT */
/* cmd_inspect.h: the parts of isomat inspect. */
#ifndef ISOMAT_TOOLS_CMD_INSPECT_H
#define ISOMAT_TOOLS_CMD_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "inspect/inspect.h"
#include "inspect/verdict.h"
#include "json.h"

#define INSPECT_SCHEMA_VERSION 1

struct inspect_request {
    bool json, diff, all;
    struct insp_target target;
    char target_from[320];
    uint32_t fail_on; /* a bit per verdict */
    /* as the files go by */
    struct json *writer; /* NULL for text */
    bool failed;         /* a file could not be read, or a verdict of fail_on was met */
    uint32_t files, files_with_code;
};

/* For OPTION_CUSTOM. */
const char *inspect_parse_arch(void *target, const char *text);    /* struct insp_target */
const char *inspect_parse_driver(void *target, const char *text);  /* struct insp_target */
const char *inspect_parse_fail_on(void *target, const char *text); /* uint32_t */

void inspect_print_text(const struct inspect_request *request, const struct insp_report *report,
                        const struct insp_verdicts *verdicts);
void inspect_print_json(struct json *json, const struct insp_report *report,
                        const struct insp_verdicts *verdicts);
void inspect_print_target(struct json *json, const struct insp_target *target);

/* Compares two builds; either report may be without code. */
void inspect_diff(const struct inspect_request *request, const struct insp_report *a,
                  const struct insp_report *b);

#endif /* ISOMAT_TOOLS_CMD_INSPECT_H */
