/* SPDX-License-Identifier: MIT */
/* inspect.c: reads the GPU code in a file. */
#include "inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decompress.h"
#include "detect.h"

static void add_problem(struct insp_report *report, const char *text)
{
    report->problems =
        insp_grow(&report->arena, report->problems, report->problem_count, sizeof *report->problems);
    if (report->problems)
        report->problems[report->problem_count++].text = insp_arena_copy(&report->arena, text, strlen(text));
}

static struct insp_report *new_report(const char *path)
{
    struct insp_report *report = calloc(1, sizeof *report);
    if (report) {
        report->path = insp_arena_copy(&report->arena, path, strlen(path));
        report->kind = "file";
    }
    return report;
}

static void read_whole(struct insp_reader *reader)
{
    struct insp_report *report = reader->report;
    report->bytes = reader->whole.size;
    reader->unpack = insp_unpacker_create();
    if (reader->unpack)
        insp_read_bytes(reader, NULL, 0);
    insp_unpacker_free(reader->unpack);
    if (report->object_count)
        report->kind = report->objects[0].kind;
    if (!reader->unpack || report->arena.failed)
        add_problem(report, "no memory for all that is in the file");
    else if (report->dropped)
        add_problem(report, "too many images; some are left out");
}

struct insp_report *insp_read_memory(const char *path, const void *bytes, size_t size)
{
    struct insp_report *report = new_report(path);
    struct insp_reader reader = {.report = report, .whole = {bytes, size}, .descriptor = -1};
    if (report)
        read_whole(&reader);
    return report;
}

static void read_descriptor(struct insp_reader *reader, int descriptor)
{
    struct stat stat;
    if (fstat(descriptor, &stat) != 0) {
        add_problem(reader->report, strerror(errno));
        return;
    }
    if (!S_ISREG(stat.st_mode)) {
        add_problem(reader->report, S_ISDIR(stat.st_mode) ? "a folder" : "no regular file");
        return;
    }
    if (stat.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes == MAP_FAILED) {
            add_problem(reader->report, strerror(errno));
            return;
        }
        reader->whole = (struct insp_span){bytes, (size_t)stat.st_size};
        reader->mapped = true;
        reader->descriptor = descriptor;
    }
    read_whole(reader);
    if (reader->mapped)
        munmap((void *)reader->whole.bytes, reader->whole.size);
}

struct insp_report *insp_read_file(const char *path, insp_progress *progress, void *payload)
{
    struct insp_report *report = new_report(path);
    struct insp_reader reader = {
        .report = report, .progress = progress, .payload = payload, .descriptor = -1};
    if (!report)
        return NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        add_problem(report, strerror(errno));
        return report;
    }
    read_descriptor(&reader, descriptor);
    close(descriptor);
    return report;
}

void insp_report_free(struct insp_report *report)
{
    if (!report)
        return;
    insp_arena_free(&report->arena);
    free(report->objects);
    free(report->images);
    free(report->kernels);
    free(report->problems);
    free(report);
}
