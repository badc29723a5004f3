/* SPDX-License-Identifier: MIT */
/* ptx_parse_source.c: where PTX comes from: .file and .loc, as -lineinfo writes them. */
#include <stdlib.h>
#include <string.h>

#include "ptx_parse.h"

enum { FILES_MOST = 65536 };

/* .file 1 "path", 0, 0: it ends with the line. */
void parse_file(struct parser *parser)
{
    struct ptx_text *text = &parser->text;
    struct ptx_module *module = parser->module;
    size_t length = strcspn(text->at, "\n");
    const char *quote = memchr(text->at, '"', length);
    unsigned long number = strtoul(text->at, NULL, 10);

    if (quote != NULL && number < FILES_MOST) {
        size_t name = strcspn(quote + 1, "\"\n");
        while (module->file_count <= number)
            *LOADER_APPEND(parser->loader, module->files, module->file_count) = NULL;
        module->files[number] = loader_text(parser->loader, quote + 1, name);
    }
    text->at += length;
}

/* .loc 1 12 5: for the instructions that follow. */
void parse_loc(struct parser *parser)
{
    struct ptx_text *text = &parser->text;
    char *end;
    unsigned long file = strtoul(text->at, &end, 10), line = strtoul(end, &end, 10);
    struct ptx_source *source =
        LOADER_APPEND(parser->loader, parser->module->sources, parser->module->source_count);

    *source = (struct ptx_source){text->line, (uint32_t)file, (uint32_t)line};
    text->at += strcspn(text->at, "\n");
}

const char *ptx_source_find(const struct ptx_module *module, uint32_t ptx_line, uint32_t *line)
{
    const struct ptx_source *found = NULL;

    for (uint32_t i = 0; i < module->source_count && module->sources[i].ptx_line <= ptx_line; i++)
        found = &module->sources[i];
    if (found == NULL || found->file >= module->file_count || found->line == 0)
        return NULL;
    *line = found->line;
    return module->files[found->file];
}
