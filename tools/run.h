/* SPDX-License-Identifier: MIT */
/* run.h: isomat run: a kernel of the user's, its arguments, and what came of it. */
#ifndef ISOMAT_TOOLS_RUN_H
#define ISOMAT_TOOLS_RUN_H

#include "element.h"
#include "npy.h"
#include "session.h"
#include "stats.h"

enum { RUN_MAX_ARGUMENTS = 64 };

enum run_fill { FILL_VALUE, FILL_ZEROS, FILL_RANDOM, FILL_FILE };

/* A scalar, or an array that the kernel gets the device address of. */
struct run_argument {
    const struct element *element;
    bool array;
    int dimensions; /* 0 with FILL_FILE: as the file has it */
    int64_t sizes[NPY_DIMENSIONS];
    int64_t count, bytes;
    enum run_fill fill;
    const char *file;
    unsigned char value[ELEMENT_MAX_BYTES];

    void *start;     /* what the array holds before the launch */
    void *result;    /* and after it */
    uint64_t device; /* address */
};

/* Where an array goes, or what it must equal. */
struct run_file {
    int argument; /* -1: not said */
    const char *path;
};

struct run_files {
    struct run_file list[RUN_MAX_ARGUMENTS];
    int count;
};

struct run_request {
    const char *paths[2]; /* the module, and the one to compare it with or NULL */
    const char *kernel;
    uint32_t grid[3], block[3]; /* grid[0] 0: not said */
    int64_t shared_bytes;
    struct run_argument arguments[RUN_MAX_ARGUMENTS];
    int argument_count;
    struct run_files outputs, expected;
    double rtol, atol;
    int64_t repeat; /* -1: not said */
    const char *flops_text, *bytes_text;
    double flops, bytes; /* of one launch; NaN: not said */
    int64_t device;
};

/* One module with the kernel in it. */
struct run_module {
    const char *path;
    isomat_module module;
    isomat_kernel kernel;
    isomat_module_info info;
    isomat_kernel_info kernel_info;
};

struct run {
    struct run_request *request;
    struct session session;
    struct run_module modules[2];
    int module_count;
    isomat_event *events; /* of the measurement */
};

struct run_timing {
    struct stats ms[2]; /* of one launch, per module */
    int64_t rounds, batch;
};

/* run_parse.c: the values of options, for OPTION_CUSTOM. */
const char *run_parse_argument(void *request, const char *text);
const char *run_parse_size(void *sizes, const char *text);
const char *run_parse_file(void *files, const char *text);

/* What the options say only together.  Returns an exit status, after saying what is wrong. */
int run_check_request(struct run_request *request);

/* run_data.c.  Failures are said; each returns an exit status. */
int run_check_room(const struct run *run);
int run_make_start(struct run_argument *argument, int index);
int run_allocate(struct run *run);
void run_free(struct run *run);
int run_upload(struct run *run);
int run_download(struct run *run);
int run_write_outputs(const struct run_request *request);
int run_check_expected(const struct run_request *request);
/* Downloads the results of the second module, and writes how far they are from the first's. */
int run_compare_results(long double *difference, bool *same_bits, struct run *run);

/* run_launch.c.  Likewise. */
int run_load(struct run *run);
void run_unload(struct run *run);
int run_launch(struct run *run, int module);
int run_synchronize(const struct run *run);

/* run_time.c: times the launches of the modules in turn. */
int run_time(struct run_timing *timing, struct run *run);

/* run_print.c.  The occupancy is the driver's for the shared memory that a launch has asked for. */
void run_print_kernel(const struct run *run, int module);
void run_print_launch(const struct run *run);
void run_print_results(long double difference, bool same_bits);
void run_print_timing(const struct run *run, const struct run_timing *timing);

/* run_names.c: says that the module has no such kernel, and which it has. */
int run_fail_name(const struct run_module *module, const char *name);

#endif /* ISOMAT_TOOLS_RUN_H */
