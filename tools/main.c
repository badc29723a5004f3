/* SPDX-License-Identifier: MIT */
/* main.c: the isomat command: finds the verb and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isomat.h>

#include "message.h"
#include "verbs.h"

static const struct {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"info", "show the library, the driver, the devices and the embedded kernels", cmd_info},
    {"inspect", "show the GPU code in files, and what is wrong with it", cmd_inspect},
    {"multiply", "multiply two float32 matrices in NumPy files", cmd_multiply},
    {"run", "launch a kernel of your own, check and time it", cmd_run},
    {"bench", "measure the multiplication, against cuBLAS if wanted", cmd_bench},
    {"tune", "measure which kernels are the fastest for your shapes, and keep them", cmd_tune},
    {"on-host", "run a program with the host driver in place of libcuda.so.1", cmd_on_host},
};

enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static int print_help(void)
{
    puts("Usage: isomat VERB [options] [operands]\n"
         "\n"
         "GPU matrix kernels from the command line.\n"
         "\n"
         "Verbs:");
    for (int i = 0; i < VERB_COUNT; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    puts("\n"
         "Options:\n"
         "  -h, --help     show this help; isomat VERB --help for a verb\n"
         "  -V, --version  show the version\n"
         "\n"
         "Environment:\n"
         "  ISOMAT_DRIVER  nvidia, host, auto (the default here), or the path of a driver\n"
         "\n"
         "Exit status: 0 done, 1 the operation failed, 2 wrong usage.");
    return finish_output();
}

int main(int argc, char **argv)
{
    setenv("ISOMAT_DRIVER", "auto", 0);
    if (argc < 2)
        return fail_usage("", "a verb is missing");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return print_help();
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("isomat %s\n", isomat_version_string());
        return finish_output();
    }
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(word, verbs[i].name) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    return fail_usage("", "unknown %s %s", *word == '-' ? "option" : "verb", word);
}
