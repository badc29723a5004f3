/* SPDX-License-Identifier: MIT */
/* detect.c: what kind of file some bytes are. */
#include "detect.h"

#include <elf.h>

#include "elf64.h"
#include "fatbin.h"
#include "hostfile.h"
#include "ptx.h"
#include "scan.h"
#include "wheel.h"

#define ARCHIVE_MAGIC "!<arch>\n"
#define THIN_ARCHIVE_MAGIC "!<thin>\n"
#define ZIP_MAGIC "PK\3\4"

static bool begins(struct insp_span span, const char *magic, size_t size)
{
    return span.size >= size && memcmp(span.bytes, magic, size) == 0;
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length >= size && strcmp(path + length - size, end) == 0;
}

bool insp_is_candidate(struct insp_span head, const char *path)
{
    static const char *const endings[] = {".ptx", ".cubin", ".fatbin", ".dll", ".pyd", ".lib", ".obj"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, endings[i]))
            return true;
    if (begins(head, ZIP_MAGIC, 4))
        return ends_with(path, ".whl");
    return begins(head, ELFMAG, SELFMAG) || begins(head, INSP_FATBIN_MAGIC, 4) ||
           begins(head, ARCHIVE_MAGIC, 8);
}

/* The file is one image. */
static void read_bare(struct insp_reader *reader, int32_t kind)
{
    struct insp_image *image = insp_add_image(reader);
    if (!image)
        return;
    image->place = "whole file";
    image->kind = kind;
    image->stored_bytes = image->full_bytes = reader->whole.size;
    insp_image_read(reader, image, reader->whole);
    if (image->problem)
        insp_damaged(reader, 0, "%s", image->problem);
}

static const char *find_kind(struct insp_span whole)
{
    if (whole.size == 0)
        return "empty file";
    if (insp_elf_is_cubin(whole))
        return "cubin";
    if (begins(whole, ELFMAG, SELFMAG))
        return "ELF file";
    if (begins(whole, ARCHIVE_MAGIC, 8))
        return "archive";
    if (begins(whole, THIN_ARCHIVE_MAGIC, 8))
        return "thin archive";
    if (begins(whole, ZIP_MAGIC, 4))
        return "zip archive";
    if (begins(whole, INSP_FATBIN_MAGIC, 4))
        return "fatbin";
    if (begins(whole, "MZ", 2))
        return "Windows file";
    return insp_ptx_is(whole) ? "PTX" : "other file";
}

void insp_read_bytes(struct insp_reader *reader, const char *member, uint64_t offset)
{
    const char *kind = find_kind(reader->whole);
    if (!insp_add_object(reader, member, kind, offset))
        return;
    if (strcmp(kind, "cubin") == 0)
        read_bare(reader, INSP_CUBIN);
    else if (strcmp(kind, "PTX") == 0)
        read_bare(reader, INSP_PTX);
    else if (strcmp(kind, "ELF file") == 0)
        insp_host_elf_read(reader);
    else if (strcmp(kind, "archive") == 0)
        insp_archive_read(reader);
    else if (strcmp(kind, "thin archive") == 0)
        insp_damaged(reader, 0, "a thin archive, whose members are other files: inspect those");
    else if (strcmp(kind, "zip archive") == 0)
        insp_zip_read(reader);
    else if (strcmp(kind, "fatbin") == 0)
        insp_scan_fatbins(reader, 0, reader->whole.size, "whole file");
    else
        insp_scan_bytes(reader, 0, reader->whole.size, "scan");
}
