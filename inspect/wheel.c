/* SPDX-License-Identifier: MIT */
/* wheel.c: Python wheels and other zip archives, by libzip. */
#include "wheel.h"

#ifdef HAVE_LIBZIP

#include <stdio.h>
#include <sys/mman.h>
#include <zip.h>

#include "detect.h"

/* Against bombs: a member is at most this large, and deflate packs at most 1032 to 1. */
#define MAX_MEMBER_BYTES ((uint64_t)8 << 30)
#define MAX_RATIO 1100
#define SMALL_BYTES ((uint64_t)1 << 20)

enum { COPY_BYTES = 256 << 10 };

/* Copies a member to a file that has no name and goes when it is closed. */
static bool extract(FILE *file, zip_file_t *member, uint64_t size)
{
    static char buffer[COPY_BYTES];
    uint64_t copied = 0;
    zip_int64_t count;
    while ((count = zip_fread(member, buffer, sizeof buffer)) > 0) {
        copied += (uint64_t)count;
        if (copied > size || fwrite(buffer, 1, (size_t)count, file) != (size_t)count)
            return false;
    }
    return count == 0 && copied == size && fflush(file) == 0;
}

static const char *read_extracted(struct insp_reader *reader, FILE *file, const char *name, uint64_t size)
{
    struct insp_reader inner = *reader;
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (bytes == MAP_FAILED)
        return "no memory to map a member";
    inner.whole = (struct insp_span){bytes, (size_t)size};
    inner.mapped = true;
    inner.descriptor = fileno(file);
    inner.depth++;
    if (insp_is_candidate(inner.whole, name))
        insp_read_bytes(&inner, insp_arena_copy(&reader->report->arena, name, strlen(name)), 0);
    munmap(bytes, (size_t)size);
    return NULL;
}

static const char *read_member(struct insp_reader *reader, zip_t *archive, const zip_stat_t *stat)
{
    if (stat->size > MAX_MEMBER_BYTES ||
        (stat->size > SMALL_BYTES && stat->size / MAX_RATIO > stat->comp_size))
        return "a member claims an unlikely size once decompressed";
    zip_file_t *member = zip_fopen_index(archive, stat->index, 0);
    FILE *file = member ? tmpfile() : NULL;
    const char *wrong = !member                              ? "a member cannot be opened"
                        : !file                              ? "no temporary file for a member"
                        : !extract(file, member, stat->size) ? "a member does not decompress"
                                                             : NULL;
    if (!wrong)
        wrong = read_extracted(reader, file, stat->name, stat->size);
    if (file)
        fclose(file);
    if (member)
        zip_fclose(member);
    return wrong;
}

/* Names that may hold GPU code, so that a wheel's other files need no decompression. */
static bool is_wanted(const char *name)
{
    static const char *const marks[] = {".so", ".a", ".o", ".ptx", ".cubin", ".fatbin", ".dll", ".pyd"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *found = strstr(name, marks[i]);
        size_t length = strlen(marks[i]);
        for (; found; found = strstr(found + length, marks[i]))
            if (found[length] == '\0' || (i == 0 && found[length] == '.'))
                return true;
    }
    return false;
}

void insp_zip_read(struct insp_reader *reader)
{
    const zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_INDEX | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    uint32_t object = reader->object;
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = reader->depth == 0
                               ? zip_source_buffer_create(reader->whole.bytes, reader->whole.size, 0, &error)
                               : NULL;
    zip_t *archive = source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) : NULL;
    if (!archive) {
        insp_damaged(reader, 0, "a zip archive that libzip cannot read (%s)", zip_error_strerror(&error));
        zip_source_free(source);
        zip_error_fini(&error);
        return;
    }
    zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; i++) {
        zip_stat_t stat;
        if (zip_stat_index(archive, (zip_uint64_t)i, 0, &stat) != 0 || (stat.valid & needed) != needed ||
            stat.size == 0 || !is_wanted(stat.name))
            continue;
        const char *wrong = read_member(reader, archive, &stat);
        reader->object = object;
        if (wrong)
            insp_damaged(reader, 0, "%s: %s,", stat.name, wrong);
    }
    zip_discard(archive);
    zip_error_fini(&error);
}

#else

void insp_zip_read(struct insp_reader *reader)
{
    insp_damaged(reader, 0, "a zip archive, and isomat was built without libzip");
}

#endif /* HAVE_LIBZIP */
