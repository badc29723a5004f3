/* SPDX-License-Identifier: MIT */
/* cmd_inspect_options.c: the values of isomat inspect's options. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_inspect.h"

const char *inspect_parse_arch(void *target, const char *text)
{
    struct insp_target *device = target;
    const char *number = strncmp(text, "sm_", 3) == 0 ? text + 3 : text;
    char *end;
    long arch = isdigit((unsigned char)*number) ? strtol(number, &end, 10) : 0;
    if (arch < 10 || arch > 999 || (*end && (strchr("af", *end) == NULL || end[1])))
        return "not an architecture such as sm_90 or sm_90a";
    device->arch = (int32_t)arch;
    device->suffix = *end;
    return NULL;
}

const char *inspect_parse_driver(void *target, const char *text)
{
    struct insp_target *device = target;
    int major, minor, length = 0;
    if (sscanf(text, "%2d.%1d%n", &major, &minor, &length) != 2 || text[length] || major < 1 || minor < 0)
        return "not a CUDA version such as 12.4";
    device->driver = major * 10 + minor;
    return NULL;
}

/* The verdicts that a word stands for; 0 if it stands for none. */
static uint32_t verdict_bits(const char *word, size_t length)
{
    static const struct {
        const char *name;
        enum insp_severity least;
    } groups[] = {{"error", INSP_ERROR}, {"warning", INSP_WARNING}, {"any", INSP_HINT}};
    uint32_t found = 0;
    for (int code = 0; code < INSP_VERDICT_COUNT; code++) {
        const char *name = insp_verdict_name((enum insp_code_of_verdict)code);
        if (strlen(name) == length && memcmp(word, name, length) == 0)
            found |= 1u << code;
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
            if (strlen(groups[i].name) == length && memcmp(word, groups[i].name, length) == 0 &&
                insp_verdict_severity((enum insp_code_of_verdict)code) <= groups[i].least)
                found |= 1u << code;
    }
    return found;
}

const char *inspect_parse_fail_on(void *target, const char *text)
{
    static char reason[512];
    uint32_t *wanted = target;
    while (*text) {
        size_t length = strcspn(text, ",");
        uint32_t found = verdict_bits(text, length);
        if (!found) {
            snprintf(reason, sizeof reason, "unknown verdict %.*s, not one of error, warning, any",
                     (int)length, text);
            for (int code = 0; code < INSP_VERDICT_COUNT; code++)
                snprintf(reason + strlen(reason), sizeof reason - strlen(reason), ", %s",
                         insp_verdict_name((enum insp_code_of_verdict)code));
            return reason;
        }
        *wanted |= found;
        text += length + (text[length] == ',');
    }
    return *wanted ? NULL : "no verdict is named";
}
