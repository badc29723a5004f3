/* SPDX-License-Identifier: MIT */
/* image.c: what is inside a fatbin, cubin or PTX text.
 *
 * The fatbin container has no public description by NVIDIA; its fields were
 * found by taking apart what nvcc writes.  A container is a header of 16 bytes
 * and entries, each a header of 64 bytes or more and a payload. */
#include "image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

#define FATBIN_MAGIC 0xBA55ED50u
#define FATBIN_VERSION 1
#define ENTRY_PTX 1
#define ENTRY_CUBIN 2
#define ENTRY_DEBUG 0x2u
#define ENTRY_ARCH_SPECIFIC 0x100000u
#define ENTRY_FAMILY 0x200000u
#define EM_NVIDIA 190
#define MAX_IMAGES 4096

struct fatbin_header {
    uint32_t magic;
    uint16_t version;
    uint16_t header_bytes;
    uint64_t entries_bytes;
};

struct fatbin_entry {
    uint16_t kind;
    uint16_t unknown1;
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint32_t compressed_bytes;
    uint32_t options_offset;
    uint16_t code_minor, code_major; /* of PTX: its ISA version */
    uint32_t arch;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
    uint64_t unknown2;
    uint64_t uncompressed_bytes;
};

_Static_assert(sizeof(struct fatbin_header) == 16, "the container's header has 16 bytes");
_Static_assert(sizeof(struct fatbin_entry) == 64, "an entry's header has 64 bytes");

static int32_t fail_image(const char *what, size_t offset)
{
    return im_fail(ISOMAT_ERROR_INVALID_IMAGE, "damaged image: %s at byte %zu", what, offset);
}

static int32_t append(struct im_image_list *list, const struct im_image *image)
{
    /* Room grows by doubling: 1, 2, 4, ... */
    if ((list->count & (list->count - 1)) == 0) {
        size_t room = list->count ? (size_t)list->count * 2 : 1;
        struct im_image *images = realloc(list->images, room * sizeof *images);
        if (!images)
            return IM_OUT_OF_HOST_MEMORY("a list of images");
        list->images = images;
    }
    list->images[list->count++] = *image;
    return ISOMAT_OK;
}

/* ------------------------------------------------------------------ fatbin */

static void read_entry(struct im_image *image, const struct fatbin_entry *entry)
{
    image->kind = entry->kind == ENTRY_PTX     ? ISOMAT_IMAGE_PTX
                  : entry->kind == ENTRY_CUBIN ? ISOMAT_IMAGE_CUBIN
                                               : 0;
    image->arch = (int32_t)(entry->arch & 0xffff);
    image->suffix = entry->flags & ENTRY_ARCH_SPECIFIC ? 'a' : entry->flags & ENTRY_FAMILY ? 'f' : 0;
    image->debug = (entry->flags & ENTRY_DEBUG) != 0;
    if (entry->kind == ENTRY_PTX) {
        image->ptx_major = entry->code_major;
        image->ptx_minor = entry->code_minor;
    }
}

static int32_t read_fatbin(struct im_image_list *list, const unsigned char *bytes, size_t size)
{
    struct fatbin_header header;
    if (size < sizeof header)
        return fail_image("the fatbin's header is cut off", size);
    memcpy(&header, bytes, sizeof header);
    if (header.version != FATBIN_VERSION || header.header_bytes != sizeof header)
        return fail_image("a fatbin of unknown version", 4);
    if (header.entries_bytes > size - sizeof header)
        return fail_image("the fatbin is longer than its bytes", size);

    size_t end = sizeof header + (size_t)header.entries_bytes;
    size_t offset = sizeof header;
    while (offset < end) {
        struct fatbin_entry entry;
        struct im_image image = {0};
        if (end - offset < sizeof entry)
            return fail_image("an entry of the fatbin is cut off", offset);
        memcpy(&entry, bytes + offset, sizeof entry);
        if (entry.header_bytes < sizeof entry || entry.header_bytes > end - offset ||
            entry.payload_bytes > end - offset - entry.header_bytes)
            return fail_image("an entry of the fatbin is longer than the fatbin", offset);
        if (list->count == MAX_IMAGES)
            return fail_image("too many entries in the fatbin", offset);
        read_entry(&image, &entry);
        image.data = bytes + offset;
        image.bytes = entry.header_bytes + (size_t)entry.payload_bytes;
        int32_t status = append(list, &image);
        if (status != ISOMAT_OK)
            return status;
        offset += image.bytes;
    }
    return list->count ? ISOMAT_OK : fail_image("a fatbin without an entry", sizeof header);
}

/* ------------------------------------------------------------------- cubin */

/* Whether a cubin has a section of that name: only a build with -G has .debug_info. */
static bool has_section(const unsigned char *bytes, const Elf64_Ehdr *header, const char *name)
{
    Elf64_Shdr names, section;
    size_t length = strlen(name) + 1;
    if (header->e_shstrndx >= header->e_shnum)
        return false;
    memcpy(&names, bytes + header->e_shoff + header->e_shstrndx * sizeof names, sizeof names);
    if (names.sh_type == SHT_NOBITS)
        return false;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        memcpy(&section, bytes + header->e_shoff + i * sizeof section, sizeof section);
        if (section.sh_name < names.sh_size && names.sh_size - section.sh_name >= length &&
            memcmp(bytes + names.sh_offset + section.sh_name, name, length) == 0)
            return true;
    }
    return false;
}

static int32_t read_cubin(struct im_image_list *list, const unsigned char *bytes, size_t size)
{
    Elf64_Ehdr header;
    struct im_image image = {.kind = ISOMAT_IMAGE_CUBIN, .data = bytes, .bytes = size};
    if (size < sizeof header)
        return fail_image("the cubin's header is cut off", size);
    memcpy(&header, bytes, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_NVIDIA)
        return im_fail(ISOMAT_ERROR_INVALID_IMAGE, "an ELF file for machine %u, not a cubin",
                       header.e_machine);
    if (header.e_shoff > size || header.e_shentsize != sizeof(Elf64_Shdr) ||
        (size - header.e_shoff) / sizeof(Elf64_Shdr) < header.e_shnum)
        return fail_image("the cubin's sections are cut off", size);
    if (header.e_phnum && (header.e_phoff > size || header.e_phentsize != sizeof(Elf64_Phdr) ||
                           (size - header.e_phoff) / sizeof(Elf64_Phdr) < header.e_phnum))
        return fail_image("the cubin's program headers are cut off", size);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS &&
            (section.sh_offset > size || section.sh_size > size - section.sh_offset))
            return fail_image("a section of the cubin is cut off", size);
    }
    /* From CUDA 13 on (ABI version 8) the architecture has moved by one byte. */
    bool new_abi = header.e_ident[EI_ABIVERSION] >= 8;
    image.arch = (int32_t)(new_abi ? header.e_flags >> 8 & 0xff : header.e_flags & 0xff);
    if (!new_abi && header.e_flags & 0x800)
        image.suffix = 'a';
    image.debug = has_section(bytes, &header, ".debug_info");
    return append(list, &image);
}

/* --------------------------------------------------------------------- PTX */

/* A terminated copy of the rest of a line, since the text need not end in 0. */
static void copy_line(char *line, size_t capacity, const char *text, size_t size)
{
    size_t length = 0;
    while (length < size && length < capacity - 1 && text[length] != '\n' && text[length] != '\r')
        length++;
    memcpy(line, text, length);
    line[length] = '\0';
}

/* The text after a directive at the start of a line, or NULL. */
static const char *find_directive(const char *text, size_t size, const char *directive)
{
    size_t length = strlen(directive);
    for (size_t i = 0; i + length < size; i++) {
        bool at_start = i == 0 || text[i - 1] == '\n' || text[i - 1] == '\r' || text[i - 1] == ' ';
        if (at_start && memcmp(text + i, directive, length) == 0 && strchr(" \t", text[i + length]))
            return text + i + length;
    }
    return NULL;
}

static int32_t read_ptx(struct im_image_list *list, const unsigned char *bytes, size_t size)
{
    struct im_image image = {.kind = ISOMAT_IMAGE_PTX, .data = bytes, .bytes = size};
    const char *text = (const char *)bytes;
    char line[64];
    const char *version = find_directive(text, size, ".version");
    const char *target = find_directive(text, size, ".target");
    if (!version || !target || memchr(text, '\0', size - 1))
        return im_fail(ISOMAT_ERROR_INVALID_IMAGE,
                       "neither a fatbin, nor a cubin, nor PTX text with .version and .target");
    copy_line(line, sizeof line, version, size - (size_t)(version - text));
    bool known = sscanf(line, "%d.%d", &image.ptx_major, &image.ptx_minor) == 2;
    copy_line(line, sizeof line, target, size - (size_t)(target - text));
    if (!known || sscanf(line, " sm_%d%c", &image.arch, &image.suffix) < 1)
        return im_fail(ISOMAT_ERROR_INVALID_IMAGE, "PTX text without a valid .version or .target");
    if (image.suffix != 'a' && image.suffix != 'f')
        image.suffix = 0;
    image.debug = strstr(line, "debug") != NULL;
    return append(list, &image);
}

/* -------------------------------------------------------------------- list */

int32_t im_image_list_read(struct im_image_list *list, const void *bytes, size_t size)
{
    uint32_t magic = 0;
    int32_t status;
    *list = (struct im_image_list){0};
    memcpy(&magic, bytes, size < sizeof magic ? size : sizeof magic);
    if (magic == FATBIN_MAGIC) {
        list->container = ISOMAT_IMAGE_FATBIN;
        status = read_fatbin(list, bytes, size);
    } else if (size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        list->container = ISOMAT_IMAGE_CUBIN;
        status = read_cubin(list, bytes, size);
    } else {
        list->container = ISOMAT_IMAGE_PTX;
        status = read_ptx(list, bytes, size);
    }
    if (status != ISOMAT_OK)
        im_image_list_free(list);
    return status;
}

void im_image_list_free(struct im_image_list *list)
{
    free(list->images);
    list->images = NULL;
    list->count = 0;
}

/* ------------------------------------------------------------------ choice */

/* Why an image cannot run on a device, or NULL if it can. */
static const char *refusal(const struct im_image *image, struct im_target target)
{
    int capability = target.capability;
    if (image->kind == 0)
        return "neither machine code nor PTX";
    if (image->kind == ISOMAT_IMAGE_CUBIN && target.ptx_only)
        return "machine code, and the host driver runs PTX";
    if (image->suffix == 'a' && image->arch != capability)
        return "for exactly that architecture";
    if (image->arch > capability)
        return "for a newer device";
    if ((image->kind == ISOMAT_IMAGE_CUBIN || image->suffix == 'f') && image->arch / 10 != capability / 10)
        return "for another major version";
    return NULL;
}

/* Orders the images that can run: machine code first, then by architecture, then by suffix. */
static int rank(const struct im_image *image)
{
    return (image->kind == ISOMAT_IMAGE_CUBIN ? 1 << 20 : 0) + image->arch * 4 +
           (image->suffix == 'a'   ? 2
            : image->suffix == 'f' ? 1
                                   : 0);
}

int32_t im_image_choose(const struct im_image_list *list, struct im_target target)
{
    int32_t best = -1;
    for (int32_t i = 0; i < list->count; i++) {
        if (refusal(&list->images[i], target))
            continue;
        if (best < 0 || rank(&list->images[i]) > rank(&list->images[best]))
            best = i;
    }
    return best;
}

char *im_image_report(const struct im_image_list *list, struct im_target target, char separator)
{
    char *text = NULL;
    size_t length = 0;
    int32_t chosen = im_image_choose(list, target);
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    for (int32_t i = 0; i < list->count; i++) {
        const struct im_image *image = &list->images[i];
        const char *why = refusal(image, target);
        char suffix[2] = {image->suffix, '\0'};
        if (i > 0)
            fprintf(stream, separator == '\n' ? "\n" : "%c ", separator);
        fprintf(stream, "%s_%d%s%s: ", image->kind == ISOMAT_IMAGE_PTX ? "compute" : "sm", image->arch,
                suffix, image->debug ? " (built with -G)" : "");
        fputs(i == chosen ? "taken" : why ? why : "another fits better", stream);
    }
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void *im_image_extract(const struct im_image_list *list, int32_t index)
{
    const struct im_image *image = &list->images[index];
    struct fatbin_header header = {FATBIN_MAGIC, FATBIN_VERSION, sizeof header, image->bytes};
    size_t before = list->container == ISOMAT_IMAGE_FATBIN ? sizeof header : 0;
    unsigned char *copy = malloc(before + image->bytes + 1);
    if (!copy)
        return NULL;
    memcpy(copy, &header, before);
    memcpy(copy + before, image->data, image->bytes);
    copy[before + image->bytes] = '\0';
    return copy;
}
