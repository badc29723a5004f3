/* SPDX-License-Identifier: MIT */
/* elf64.c: a cubin's sections, every offset checked. */
#include "elf64.h"

bool insp_elf_is_cubin(struct insp_span span)
{
    return span.size >= sizeof(Elf64_Ehdr) && memcmp(span.bytes, ELFMAG, SELFMAG) == 0 &&
           span.bytes[EI_CLASS] == ELFCLASS64 && span.bytes[EI_DATA] == ELFDATA2LSB &&
           insp_u16(span, offsetof(Elf64_Ehdr, e_machine)) == EM_NVIDIA;
}

Elf64_Shdr insp_elf_section(const struct insp_elf *elf, uint32_t index)
{
    Elf64_Shdr section = {0};
    if (index < elf->section_count)
        memcpy(&section, elf->sections.bytes + (size_t)index * sizeof section, sizeof section);
    return section;
}

struct insp_span insp_elf_bytes(const struct insp_elf *elf, const Elf64_Shdr *section)
{
    if (section->sh_type == SHT_NOBITS)
        return (struct insp_span){NULL, 0};
    return insp_slice(elf->file, section->sh_offset, section->sh_size);
}

const char *insp_elf_text(struct insp_span strings, uint64_t offset)
{
    if (offset >= strings.size || !memchr(strings.bytes + offset, 0, strings.size - (size_t)offset))
        return "";
    return (const char *)strings.bytes + offset;
}

/* Where the section headers are; false if not inside the file.  A count of 0 or an index of 0xffff
 * means that the number stands in section 0. */
static bool find_sections(struct insp_elf *elf, const Elf64_Ehdr *header, uint32_t *names)
{
    Elf64_Shdr zero = {0};
    uint64_t count = header->e_shnum;
    if (header->e_shoff == 0)
        return false;
    struct insp_span first = insp_slice(elf->file, header->e_shoff, sizeof zero);
    if (first.size)
        memcpy(&zero, first.bytes, sizeof zero);
    if (count == 0)
        count = zero.sh_size;
    *names = header->e_shstrndx == SHN_XINDEX ? zero.sh_link : header->e_shstrndx;
    if (header->e_shentsize != sizeof zero || count > elf->file.size / sizeof zero)
        return false;
    elf->sections = insp_slice(elf->file, header->e_shoff, count * sizeof zero);
    elf->section_count = (uint32_t)(elf->sections.size / sizeof zero);
    return elf->section_count == count && count > 0;
}

/* Of NVIDIA's own types some take no room in the file; only that of .nv.info is known to. */
static bool has_bytes(const Elf64_Shdr *section)
{
    return section->sh_type == SHT_PROGBITS || section->sh_type == SHT_SYMTAB ||
           section->sh_type == SHT_STRTAB || section->sh_type == SHT_NOTE || section->sh_type == SHT_LOPROC;
}

const char *insp_elf_open(struct insp_elf *elf, struct insp_span file, uint64_t *offset)
{
    Elf64_Ehdr header;
    uint32_t names;
    *elf = (struct insp_elf){.file = file};
    *offset = 0;
    if (!insp_elf_is_cubin(file))
        return "no cubin";
    memcpy(&header, file.bytes, sizeof header);
    *offset = header.e_shoff;
    if (!find_sections(elf, &header, &names))
        return "the cubin's table of sections is cut off";
    for (uint32_t i = 0; i < elf->section_count; i++) {
        Elf64_Shdr section = insp_elf_section(elf, i);
        *offset = header.e_shoff + i * sizeof section;
        if (has_bytes(&section) && !insp_inside(file, section.sh_offset, section.sh_size))
            return "a section of the cubin is cut off";
    }
    Elf64_Shdr strings = insp_elf_section(elf, names);
    elf->names = insp_elf_bytes(elf, &strings);
    *offset = header.e_shoff;
    return elf->names.size ? NULL : "the cubin's sections have no names";
}

uint64_t insp_elf_extent(struct insp_span span)
{
    struct insp_elf elf;
    uint64_t offset, end;
    if (insp_elf_open(&elf, span, &offset))
        return 0;
    Elf64_Ehdr header;
    memcpy(&header, span.bytes, sizeof header);
    end = header.e_shoff + elf.sections.size;
    if (insp_inside(span, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr)) &&
        header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr) > end)
        end = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
    for (uint32_t i = 0; i < elf.section_count; i++) {
        Elf64_Shdr section = insp_elf_section(&elf, i);
        if (section.sh_type != SHT_NOBITS && insp_inside(span, section.sh_offset, section.sh_size) &&
            section.sh_offset + section.sh_size > end)
            end = section.sh_offset + section.sh_size;
    }
    return end;
}
