/* SPDX-License-Identifier: MIT */
/* notes.c: what a cubin's notes tell of the tools that made it. */
#include "notes.h"

#include <stdlib.h>

#include "elf64.h"
#include "nvinfo.h"

enum { COMPAT_ACCELERATED = 9, TOOL_STRINGS = 24 };

/* The description of a section's first note. */
static struct insp_span description(struct insp_span section)
{
    uint64_t name_bytes = ((uint64_t)insp_u32(section, 0) + 3) & ~(uint64_t)3;
    return insp_slice(section, 12 + name_bytes, insp_u32(section, 4));
}

/* Whether the words of a command line have this one. */
static bool has_word(const char *command, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = command; (at = strstr(at, word)); at += length)
        if ((at == command || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* A version, the offsets of four strings, and the strings: tool, release, build, command line. */
void insp_read_tool_note(struct insp_reader *reader, struct insp_image *image, struct insp_span section)
{
    struct insp_span note = description(section);
    struct insp_span strings =
        insp_slice(note, TOOL_STRINGS, note.size < TOOL_STRINGS ? 1 : note.size - TOOL_STRINGS);
    const char *release = insp_elf_text(strings, insp_u32(note, 12));
    const char *command = insp_elf_text(strings, insp_u32(note, 20));
    const char *version = strstr(release, ", V");
    if (version)
        image->compiler = insp_arena_copy(&reader->report->arena, version + 3, strlen(version + 3));
    while (*command == ' ')
        command++;
    if (!*command)
        return;
    image->command = insp_arena_copy(&reader->report->arena, command, strlen(command));
    if (has_word(command, "-g") || has_word(command, "--device-debug"))
        image->debug |= INSP_DEBUG_COMMAND;
    const char *arch = strstr(command, "-arch sm_");
    if (arch && !image->suffix) {
        const char *end = arch + strlen("-arch sm_");
        end += strspn(end, "0123456789");
        if (*end == 'a' || *end == 'f')
            image->suffix = *end;
    }
}

void insp_read_arch_note(struct insp_image *image, struct insp_span section)
{
    struct insp_span note = description(section);
    if (note.size < 8)
        return;
    image->virtual_arch = insp_u16(note, 2);
    image->toolkit = (int32_t)(insp_u32(note, 4) & 0xffff);
}

void insp_read_compatibility(struct insp_image *image, struct insp_span section)
{
    struct insp_attribute attribute;
    for (uint64_t at = 0; insp_nvinfo_next(&attribute, section, &at);)
        if (attribute.number == COMPAT_ACCELERATED && attribute.value == 1 && !image->suffix)
            image->suffix = 'a';
}
