/* SPDX-License-Identifier: MIT */
/* hostfile.c: files of the host's linker, by libelf. */
#include "hostfile.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "detect.h"
#include "scan.h"

enum { MAX_DEPTH = 3, MAX_MEMBERS = 1 << 20 };

/* A part of the file to be looked at. */
struct part {
    uint64_t offset, size;
    const char *place;
    bool fatbins; /* made of containers, not only holding some */
};

struct parts {
    struct part *list;
    uint32_t count;
};

static void fail_libelf(struct insp_reader *reader, const char *what)
{
    const char *reason = elf_errmsg(-1);
    insp_damaged(reader, 0, "%s (%s)", what, reason ? reason : "no reason given");
}

static struct insp_object *object(struct insp_reader *reader)
{
    return &reader->report->objects[reader->object];
}

static void add_part(struct insp_reader *reader, struct parts *parts, const GElf_Shdr *section,
                     const char *name)
{
    bool fatbins = strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0;
    bool data = section->sh_flags & SHF_ALLOC && !(section->sh_flags & SHF_EXECINSTR);
    if (section->sh_type == SHT_NOBITS || section->sh_size == 0 || section->sh_flags & SHF_COMPRESSED ||
        !(fatbins || data || strcmp(name, ".llvm.offloading") == 0))
        return;
    struct insp_span bytes = insp_slice(reader->whole, section->sh_offset, section->sh_size);
    if (!bytes.size) {
        if (fatbins)
            insp_damaged(reader, section->sh_offset, "section %s of %llu bytes is cut off", name,
                         (unsigned long long)section->sh_size);
        bytes = insp_slice(reader->whole, section->sh_offset, reader->whole.size - section->sh_offset);
        if (!bytes.size || section->sh_offset > reader->whole.size)
            return;
    }
    struct part *list = insp_grow(&reader->report->arena, parts->list, parts->count, sizeof *list);
    if (!list)
        return;
    parts->list = list;
    list[parts->count++] = (struct part){
        section->sh_offset, bytes.size, insp_arena_copy(&reader->report->arena, name, strlen(name)), fatbins};
}

static int by_offset(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (int)b->fatbins - (int)a->fatbins;
}

/* No byte is looked at twice, however the sections overlap. */
static void read_parts(struct insp_reader *reader, struct parts *parts)
{
    uint64_t done = 0;
    if (parts->count > 1)
        qsort(parts->list, parts->count, sizeof *parts->list, by_offset);
    for (uint32_t i = 0; i < parts->count; i++) {
        struct part *part = &parts->list[i];
        uint64_t end = part->offset + part->size, begin = part->offset > done ? part->offset : done;
        if (begin >= end)
            continue;
        if (part->fatbins)
            insp_scan_fatbins(reader, begin, end - begin, part->place);
        else
            insp_scan_bytes(reader, begin, end - begin, part->place);
        done = end;
    }
}

/* -------------------------------------------------------------- linked cudarts */

static void read_dynamic(struct insp_reader *reader, Elf *elf, Elf_Scn *scn, const GElf_Shdr *section)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = section->sh_entsize ? section->sh_size / section->sh_entsize : 0;
    GElf_Dyn entry;
    for (size_t i = 0; data && i < count && i < MAX_MEMBERS && gelf_getdyn(data, (int)i, &entry); i++) {
        const char *name =
            entry.d_tag == DT_NEEDED ? elf_strptr(elf, section->sh_link, entry.d_un.d_val) : NULL;
        if (name && strncmp(name, "libcudart.so", 12) == 0)
            object(reader)->needed_cudart = insp_arena_copy(&reader->report->arena, name, strlen(name));
    }
}

/* A static cudart defines what nvcc's start-up code calls. */
static void read_symbols(struct insp_reader *reader, Elf *elf, Elf_Scn *scn, const GElf_Shdr *section)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = section->sh_entsize ? section->sh_size / section->sh_entsize : 0;
    GElf_Sym symbol;
    for (size_t i = 0; data && i < count && i < INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, section->sh_link, symbol.st_name);
        if (!name)
            continue;
        if (strcmp(name, "__cudaRegisterFatBinary") == 0)
            object(reader)->static_cudart = true;
        else if (strcmp(name, "rust_eh_personality") == 0)
            object(reader)->rust = true;
    }
}

/* The names of cudart's shared memory stay even where symbols were stripped. */
static void read_strings(struct insp_reader *reader, const GElf_Shdr *section, const char *name)
{
    struct insp_span bytes = insp_slice(reader->whole, section->sh_offset, section->sh_size);
    if (strcmp(name, ".rodata") == 0 && insp_find(bytes, 0, "/cudart.shm.", 12) >= 0)
        object(reader)->static_cudart = true;
    if (strcmp(name, ".comment") == 0 && insp_find(bytes, 0, "rustc version", 13) >= 0)
        object(reader)->rust = true;
}

static void read_section(struct insp_reader *reader, Elf *elf, Elf_Scn *scn, struct parts *parts,
                         size_t names)
{
    GElf_Shdr section;
    if (!gelf_getshdr(scn, &section))
        return;
    const char *name = elf_strptr(elf, names, section.sh_name);
    if (!name)
        name = "";
    if (section.sh_type == SHT_DYNAMIC)
        read_dynamic(reader, elf, scn, &section);
    else if (section.sh_type == SHT_SYMTAB)
        read_symbols(reader, elf, scn, &section);
    else if (section.sh_type == SHT_PROGBITS)
        read_strings(reader, &section, name);
    add_part(reader, parts, &section, name);
}

/* An executable that moves is a shared object that asks for a program to load it. */
static bool is_program(Elf *elf)
{
    size_t count = 0;
    GElf_Phdr segment;
    if (elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &segment); i++)
        if (segment.p_type == PT_INTERP)
            return true;
    return false;
}

static const char *kind_of(Elf *elf, const GElf_Ehdr *header)
{
    switch (header->e_type) {
    case ET_REL:
        return "ELF object";
    case ET_EXEC:
        return "ELF executable";
    case ET_DYN:
        return is_program(elf) ? "ELF executable" : "ELF shared library";
    case ET_CORE:
        return "ELF core file";
    default:
        return "ELF file";
    }
}

void insp_host_elf_read(struct insp_reader *reader)
{
    struct parts parts = {NULL, 0};
    GElf_Ehdr header;
    size_t names = 0;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)reader->whole.bytes, reader->whole.size);
    if (!elf || !gelf_getehdr(elf, &header)) {
        fail_libelf(reader, "an ELF file that libelf cannot read");
    } else {
        object(reader)->kind = kind_of(elf, &header);
        if (elf_getshdrstrndx(elf, &names) != 0)
            names = 0;
        uint64_t table_end = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
        if (header.e_shoff && (table_end < header.e_shoff || table_end > reader->whole.size))
            insp_damaged(reader, header.e_shoff, "the ELF file's table of sections is cut off");
        for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
            read_section(reader, elf, scn, &parts, names);
        if (!header.e_shoff) { /* stripped of its sections: a loader needs none */
            insp_scan_bytes(reader, 0, reader->whole.size, "scan");
        }
        read_parts(reader, &parts);
    }
    elf_end(elf);
    free(parts.list);
}

/* ------------------------------------------------------------------- archives */

static void read_member(struct insp_reader *reader, Elf *member, const Elf_Arhdr *header)
{
    struct insp_reader inner = *reader;
    int64_t base = elf_getbase(member);
    if (!header->ar_name || *header->ar_name == '/' || base < 0 || header->ar_size <= 0)
        return;
    inner.whole = insp_slice(reader->whole, (uint64_t)base, (uint64_t)header->ar_size);
    inner.descriptor = -1;
    inner.depth++;
    if (inner.whole.size == 0)
        insp_damaged(reader, (uint64_t)base, "member %s of %lld bytes is cut off", header->ar_name,
                     (long long)header->ar_size);
    else if (insp_is_candidate(inner.whole, header->ar_name))
        insp_read_bytes(&inner,
                        insp_arena_copy(&reader->report->arena, header->ar_name, strlen(header->ar_name)),
                        (uint64_t)base);
}

static void read_members(struct insp_reader *reader, Elf *archive, int descriptor)
{
    Elf_Cmd command = ELF_C_READ_MMAP;
    Elf *member;
    for (int i = 0; i < MAX_MEMBERS && (member = elf_begin(descriptor, command, archive)); i++) {
        const Elf_Arhdr *header = elf_getarhdr(member);
        if (header)
            read_member(reader, member, header);
        if (reader->progress)
            reader->progress(reader->payload, reader->report->path, (uint64_t)elf_getbase(member),
                             reader->whole.size);
        command = elf_next(member);
        elf_end(member);
        elf_errno(); /* forget what failed inside the member */
    }
    int wrong = elf_errno();
    if (wrong)
        insp_damaged(reader, 0, "the archive is damaged (%s)", elf_errmsg(wrong));
}

/* libelf takes an archive from a descriptor only. */
static int archive_descriptor(struct insp_reader *reader)
{
    if (reader->descriptor >= 0)
        return dup(reader->descriptor);
    int descriptor = memfd_create("archive", MFD_CLOEXEC);
    size_t written = 0;
    while (descriptor >= 0 && written < reader->whole.size) {
        ssize_t count = write(descriptor, reader->whole.bytes + written, reader->whole.size - written);
        if (count <= 0) {
            close(descriptor);
            return -1;
        }
        written += (size_t)count;
    }
    return descriptor;
}

void insp_archive_read(struct insp_reader *reader)
{
    elf_version(EV_CURRENT);
    int descriptor = reader->depth < MAX_DEPTH ? archive_descriptor(reader) : -1;
    Elf *archive = descriptor >= 0 ? elf_begin(descriptor, ELF_C_READ_MMAP, NULL) : NULL;
    if (!archive || elf_kind(archive) != ELF_K_AR)
        insp_damaged(reader, 0, "an archive that cannot be read");
    else
        read_members(reader, archive, descriptor);
    elf_end(archive);
    if (descriptor >= 0)
        close(descriptor);
}
