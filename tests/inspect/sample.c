/* SPDX-License-Identifier: MIT */
/* sample.c: files for the tests of inspect: those of samples/, and containers made around them. */
#include "sample.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JUNK = 1000 };

static struct sample allocate(size_t size)
{
    struct sample sample = {calloc(1, size ? size : 1), size};
    if (!sample.bytes)
        abort();
    return sample;
}

struct sample sample_load(const char *name)
{
    char path[4096];
    const char *folder = getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/inspect/samples/%s", folder ? folder : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s cannot be read; set srcdir\n", path);
        exit(99);
    }
    struct sample sample = allocate((size_t)ftell(file));
    rewind(file);
    if (fread(sample.bytes, 1, sample.size, file) != sample.size)
        exit(99);
    fclose(file);
    return sample;
}

struct sample sample_in_elf(const struct sample *inner, const char *section)
{
    char names[128] = "";
    size_t length = strlen(section);
    memcpy(names + 1, section, length);
    memcpy(names + length + 2, ".shstrtab", sizeof ".shstrtab");
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 3,
        .e_shstrndx = 2,
    };
    size_t data = sizeof header, strings = (data + inner->size + 7) & ~(size_t)7;
    header.e_shoff = strings + sizeof names;
    Elf64_Shdr sections[3] = {
        {0},
        {.sh_name = 1,
         .sh_type = SHT_PROGBITS,
         .sh_flags = SHF_ALLOC,
         .sh_offset = data,
         .sh_size = inner->size,
         .sh_addralign = 8},
        {.sh_name = (Elf64_Word)length + 2,
         .sh_type = SHT_STRTAB,
         .sh_offset = strings,
         .sh_size = sizeof names,
         .sh_addralign = 1},
    };
    struct sample file = allocate(header.e_shoff + sizeof sections);
    memcpy(file.bytes, &header, sizeof header);
    memcpy(file.bytes + data, inner->bytes, inner->size);
    memcpy(file.bytes + strings, names, sizeof names);
    memcpy(file.bytes + header.e_shoff, sections, sizeof sections);
    return file;
}

struct sample sample_in_archive(const struct sample *inner, const char *member)
{
    char header[96], name[32];
    snprintf(name, sizeof name, "%s/", member);
    snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644u, inner->size);
    struct sample file = allocate(8 + 60 + ((inner->size + 1) & ~(size_t)1));
    memcpy(file.bytes, "!<arch>\n", 8);
    memcpy(file.bytes + 8, header, 60);
    memcpy(file.bytes + 68, inner->bytes, inner->size);
    if (inner->size & 1)
        file.bytes[68 + inner->size] = '\n';
    return file;
}

struct sample sample_in_junk(const struct sample *inner)
{
    struct sample file = allocate(inner->size + 2 * JUNK);
    for (size_t i = 0; i < file.size; i++)
        file.bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    memcpy(file.bytes + JUNK, inner->bytes, inner->size);
    memcpy(file.bytes + 64, "\x50\xed\x55\xba", 4); /* a magic that begins nothing */
    file.bytes[JUNK + inner->size] = 0;
    return file;
}

void sample_free(struct sample *sample)
{
    free(sample->bytes);
    *sample = (struct sample){NULL, 0};
}
