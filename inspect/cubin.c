/* SPDX-License-Identifier: MIT */
/* cubin.c: machine code for one architecture: an ELF file, whose symbols name the kernels and whose
 * sections .nv.info, .nv.shared and .nv.constant0 describe them. */
#include "cubin.h"

#include <stdlib.h>

#include "elf64.h"
#include "notes.h"
#include "nvinfo.h"
#include "sass.h"

#define SYMBOL_IS_KERNEL 0x10 /* in st_other */
#define FRAME_RECURSIVE 0xffffffffu

enum {
    NEW_ABI = 8,               /* EI_ABIVERSION from CUDA 13 on */
    OLD_FLAG_SPECIFIC = 0x800, /* in e_flags of the old ABI: suffix a */
    RESERVED_SHARED = 1024,    /* of each block's shared memory, from sm_90 on inside the section */
    FIRST_128_BIT_ARCH = 70,
    FIRST_RESERVED_ARCH = 90,
    FIRST_MARKING_TOOLKIT = 128, /* 12.8 is seen to mark spills, 12.3 not */
};

struct cubin {
    struct insp_reader *reader;
    struct insp_image *image;
    struct insp_elf elf;
    uint32_t *kernel_of_section; /* number + 1; 0: none */
    uint32_t *kernel_of_symbol;
    uint32_t symbol_count;
    size_t budget; /* sections may overlap; no byte is worth many looks */
};

static struct insp_kernel *kernel_number(struct cubin *cubin, const uint32_t *map, uint32_t count,
                                         uint32_t index)
{
    return index < count && map[index] ? &cubin->reader->report->kernels[map[index] - 1] : NULL;
}

static bool spend(struct cubin *cubin, size_t bytes)
{
    if (bytes > cubin->budget)
        return false;
    cubin->budget -= bytes;
    return true;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void read_identity(struct cubin *cubin)
{
    struct insp_image *image = cubin->image;
    Elf64_Ehdr header;
    memcpy(&header, cubin->elf.file.bytes, sizeof header);
    image->relocatable = header.e_type == ET_REL;
    if (header.e_ident[EI_ABIVERSION] >= NEW_ABI) {
        image->arch = (int32_t)(header.e_flags >> 8 & 0xff);
        return;
    }
    image->arch = (int32_t)(header.e_flags & 0xff);
    image->virtual_arch = (int32_t)(header.e_flags >> 16 & 0xff);
    image->toolkit = (int32_t)header.e_version;
    if (header.e_flags & OLD_FLAG_SPECIFIC)
        image->suffix = 'a';
}

static bool add_kernels(struct cubin *cubin, const Elf64_Shdr *table)
{
    struct insp_span symbols = insp_elf_bytes(&cubin->elf, table);
    Elf64_Shdr strings_section = insp_elf_section(&cubin->elf, table->sh_link);
    struct insp_span strings = insp_elf_bytes(&cubin->elf, &strings_section);
    uint32_t count =
        symbols.size / sizeof(Elf64_Sym) > UINT32_MAX ? 0 : (uint32_t)(symbols.size / sizeof(Elf64_Sym));
    cubin->kernel_of_symbol = calloc(count ? count : 1, sizeof *cubin->kernel_of_symbol);
    if (!cubin->kernel_of_symbol)
        return false;
    cubin->symbol_count = count;
    for (uint32_t i = 0; i < count; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, symbols.bytes + i * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !(symbol.st_other & SYMBOL_IS_KERNEL) ||
            symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= cubin->elf.section_count)
            continue;
        struct insp_kernel *kernel = insp_add_kernel(cubin->reader);
        if (!kernel)
            return false;
        const char *name = insp_elf_text(strings, symbol.st_name);
        kernel->name = insp_arena_copy(&cubin->reader->report->arena, name, strlen(name));
        kernel->shared_bytes = kernel->constant_bytes = 0;
        kernel->barriers = 0;
        cubin->kernel_of_symbol[i] = cubin->kernel_of_section[symbol.st_shndx] =
            cubin->reader->report->kernel_count;
    }
    return true;
}

/* Registers and stack of all kernels, in .nv.info. */
static void read_info(struct cubin *cubin, struct insp_span section)
{
    struct insp_attribute attribute;
    for (uint64_t at = 0; insp_nvinfo_next(&attribute, section, &at);) {
        struct insp_kernel *kernel =
            kernel_number(cubin, cubin->kernel_of_symbol, cubin->symbol_count, insp_u32(attribute.bytes, 0));
        uint32_t number = insp_u32(attribute.bytes, 4);
        if (!kernel || attribute.bytes.size < 8)
            continue;
        if (attribute.number == INSP_ATTRIBUTE_REGISTERS)
            kernel->registers = (int32_t)(number & 0xffff);
        else if (attribute.number == INSP_ATTRIBUTE_FRAME)
            kernel->stack_bytes = number;
        else if (attribute.number == INSP_ATTRIBUTE_STACK)
            kernel->recursive = number == FRAME_RECURSIVE;
    }
}

static void read_code(struct cubin *cubin, struct insp_kernel *kernel, struct insp_span text)
{
    kernel->code_bytes = (int64_t)text.size;
    if (cubin->image->arch >= FIRST_128_BIT_ARCH && spend(cubin, text.size))
        insp_sass_read(&kernel->code, text);
}

/* A section that belongs to one kernel, as its sh_info says, or is the kernel's code. */
static void read_kernel_section(struct cubin *cubin, uint32_t index, const Elf64_Shdr *section,
                                const char *name)
{
    uint32_t count = cubin->elf.section_count;
    if (starts_with(name, ".text.")) {
        struct insp_kernel *kernel = kernel_number(cubin, cubin->kernel_of_section, count, index);
        if (kernel)
            read_code(cubin, kernel, insp_elf_bytes(&cubin->elf, section));
        return;
    }
    struct insp_kernel *kernel = kernel_number(cubin, cubin->kernel_of_section, count, section->sh_info);
    if (!kernel)
        return;
    if (starts_with(name, ".nv.info.")) {
        Elf64_Shdr text = insp_elf_section(&cubin->elf, section->sh_info);
        struct insp_span info = insp_elf_bytes(&cubin->elf, section);
        if (spend(cubin, info.size))
            insp_nvinfo_kernel(cubin->reader, kernel, info, insp_elf_bytes(&cubin->elf, &text));
    } else if (starts_with(name, ".nv.shared.")) {
        bool reserved = cubin->image->arch >= FIRST_RESERVED_ARCH && section->sh_size >= RESERVED_SHARED;
        kernel->shared_bytes = (int64_t)(section->sh_size & INT32_MAX) - (reserved ? RESERVED_SHARED : 0);
    } else if (starts_with(name, ".nv.constant0.")) {
        kernel->constant_bytes = (int64_t)(section->sh_size & INT32_MAX);
    }
}

/* A section of the whole cubin. */
static void read_common_section(struct cubin *cubin, const Elf64_Shdr *section, const char *name)
{
    struct insp_image *image = cubin->image;
    struct insp_span bytes = insp_elf_bytes(&cubin->elf, section);
    if (strcmp(name, ".nv.info") == 0 && spend(cubin, bytes.size))
        read_info(cubin, bytes);
    else if (strcmp(name, ".note.nv.tkinfo") == 0)
        insp_read_tool_note(cubin->reader, image, bytes);
    else if (strcmp(name, ".note.nv.cuinfo") == 0)
        insp_read_arch_note(image, bytes);
    else if (strcmp(name, ".nv.compat") == 0)
        insp_read_compatibility(image, bytes);
    else if (strcmp(name, ".debug_info") == 0)
        image->debug |= INSP_DEBUG_SECTION;
    else if (strcmp(name, ".debug_line") == 0 || strcmp(name, ".nv_debug_line_sass") == 0)
        image->lineinfo = true;
    else if (strcmp(name, ".nv.constant3") == 0)
        image->user_constant_bytes += (int64_t)(section->sh_size & INT32_MAX);
    else if (strcmp(name, ".nv.global") == 0 || strcmp(name, ".nv.global.init") == 0)
        image->global_bytes += (int64_t)(section->sh_size & INT32_MAX);
}

/* Older compilers marked no spills; a kernel without a stack has none all the same. */
static void settle_spills(struct cubin *cubin, uint32_t first)
{
    struct insp_report *report = cubin->reader->report;
    bool marks = cubin->image->toolkit >= FIRST_MARKING_TOOLKIT;
    for (uint32_t i = first; i < report->kernel_count; i++) {
        struct insp_kernel *kernel = &report->kernels[i];
        if (kernel->spill_store_bytes == INSP_UNKNOWN && (marks || kernel->stack_bytes == 0))
            kernel->spill_store_bytes = kernel->spill_load_bytes = 0;
    }
}

static bool read_sections(struct cubin *cubin)
{
    for (uint32_t i = 0; i < cubin->elf.section_count; i++) {
        Elf64_Shdr section = insp_elf_section(&cubin->elf, i);
        if (section.sh_type == SHT_SYMTAB && !cubin->kernel_of_symbol && !add_kernels(cubin, &section))
            return false;
    }
    for (uint32_t i = 0; i < cubin->elf.section_count; i++) {
        Elf64_Shdr section = insp_elf_section(&cubin->elf, i);
        const char *name = insp_elf_text(cubin->elf.names, section.sh_name);
        if (*name != '.')
            continue;
        read_common_section(cubin, &section, name);
        read_kernel_section(cubin, i, &section, name);
    }
    return true;
}

const char *insp_cubin_read(struct insp_reader *reader, struct insp_image *image, struct insp_span file)
{
    struct cubin cubin = {.reader = reader, .image = image, .budget = 2 * file.size};
    uint32_t first = reader->report->kernel_count;
    uint64_t offset;
    const char *wrong = insp_elf_open(&cubin.elf, file, &offset);
    if (wrong)
        return insp_arena_print(&reader->report->arena, "%s (byte %llu of it)", wrong,
                                (unsigned long long)offset);
    read_identity(&cubin);
    cubin.kernel_of_section = calloc(cubin.elf.section_count, sizeof *cubin.kernel_of_section);
    bool done = cubin.kernel_of_section && read_sections(&cubin);
    if (done)
        settle_spills(&cubin, first);
    free(cubin.kernel_of_section);
    free(cubin.kernel_of_symbol);
    return done ? NULL : "no memory for the cubin's kernels";
}
